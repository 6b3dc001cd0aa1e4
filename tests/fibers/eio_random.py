#!/usr/bin/env python3
"""Write rings of made-up Eio programs that do at random what real ones do.  usage: eio_random.py FOLDER FIRST LAST STEPS

The program is a scheduler with fibers that fork, nest switches, are protected, cancelled, wait for locks, promises and
streams, or come back from a suspension at once; with collections at any place, domains that end and others in their
rings, names that are no text, and a domain that is left in the middle of anything.
"""
import random
import struct
import sys

from ring_file import SPAN_BEGIN, SPAN_END, Ring

folder, (first, last, steps) = sys.argv[1], map(int, sys.argv[2:])
SWITCH, PROTECT, SUB, ROOT, ANY = 3, 4, 5, 6, 7
PROMISE, SEMAPHORE, STREAM, MUTEX = 15, 16, 18, 19
MINOR, MAJOR = 10, 16
RESUMED, SPAWNED, TERMINATED = 3, 6, 7
TEXTS = ["server", "conn", "", "a/b", "\u00e9t\u00e9", "x" * 130, "y" * 300, "tab\tand \x1b[31m", "\udcff\udc80"]


class Late(Ring):
    """Rings whose oldest events have been overwritten, each up to another stamp."""

    def __init__(self, domains, missing):
        super().__init__(domains=domains, words=1 << 16)
        self.missing, self.lost = [10**9 + m for m in missing], [False] * domains

    def lose(self, domain, until):
        """Nothing of a domain is read up to a stamp."""
        if self.rings[domain]:
            self.missing[domain], self.lost[domain] = until, True

    def record(self, domain, ts, *more, **how):
        if ts < self.missing[domain]:
            return
        if self.lost[domain]:
            self.rings[domain].append(0)  # a record that makes no sense
            self.lost[domain] = False
        super().record(domain, ts, *more, **how)


class Fiber:
    def __init__(self, number, contexts):
        self.id, self.contexts, self.depth = number, contexts, 0


class Domain:
    """The scheduler of a domain: one fiber runs, others are ready or wait."""

    def __init__(self, program, ring, spawner=None):
        self.p, self.ring, self.ready, self.waiting, self.running, self.idle = program, ring, [], [], None, False
        self.chunk, self.left = 0, 0
        if spawner is not None:
            program.ring.lifecycle(ring, program.now, SPAWNED)
            self.write("domain_spawn", spawner)
        root = self.new()
        self.write("create_cc", struct.pack("<qB", root, ROOT))
        self.fork([root])

    def new(self):
        if self.left == 0:
            self.chunk, self.left = self.p.chunk(), 1024
        self.left -= 1
        return self.chunk + 1023 - self.left

    def write(self, name, *value, kind=None):
        self.p.tick()
        if self.p.random.random() < 0.02:
            self.collect()
        self.p.ring.named(self.ring, self.p.now, "eio." + name, *value, kind=kind)

    def collect(self):
        self.p.ring.begin(self.ring, self.p.now, MAJOR)
        self.p.tick()
        self.p.ring.begin(self.ring, self.p.now, MINOR)
        self.p.tick()
        self.p.ring.end(self.ring, self.p.now, MINOR)
        if self.p.random.random() < 0.2:  # a finaliser runs in it
            self.p.ring.named(self.ring, self.p.now, "eio.log", b"finaliser")
        self.p.tick()
        self.p.ring.end(self.ring, self.p.now, MAJOR)
        self.p.tick()

    def text(self, name, words):
        self.write(name, words.encode("utf-8", "surrogateescape"))

    def fork(self, contexts):
        child = Fiber(self.new(), list(contexts))
        self.write("create_fiber", struct.pack("<qq", child.id, contexts[-1]))
        if self.running is not None:
            self.ready.append(self.running)
        self.switch(child)

    def switch(self, fiber):
        self.running = fiber
        self.write("fiber", fiber.id)

    def named(self, number):
        words = self.p.random.choice(TEXTS)
        self.write("name", struct.pack("<q", number) + words.encode("utf-8", "surrogateescape"))

    def suspend(self, back=False):
        """The running fiber waits, or comes back at once."""
        r, fiber = self.p.random, self.running
        want = r.choice(self.p.objects + ([] if back else fiber.contexts) + [None, None])
        before = r.random() < 0.5
        if want is not None and before:
            self.write("try_get", want)
        if r.random() < 0.1:  # it has it, and waits for something else
            self.write("get", r.choice([want or 1, 99999]))
        self.text("suspend_fiber", r.choice(["sleep", "Promise.await", "Mutex.lock", "Stream.take", "Switch.await_idle", "", "z" * 200]))
        if want is not None and not before:
            self.write("try_get", want)
        for _ in range(r.randrange(3)):
            self.scheduler(want)
        if back:
            return
        self.waiting.append(fiber)
        self.running = None

    def scheduler(self, want):
        """What the scheduler writes after a suspension."""
        r = self.p.random
        what = r.randrange(5)
        if what == 0:
            self.text("enter_span", "scheduling")
            self.write("exit_span")
        elif what == 1:
            self.write("put", r.choice(self.p.objects or [1]))
        elif what == 2:
            self.write("get", r.choice([want or 1] + self.p.objects))
        elif what == 3:
            self.text("log", "scheduler")
        else:
            self.p.object(self)

    def cancel(self, context):
        self.p.now += 1
        words = self.p.random.choice(["Stdlib.Exit", "Eio__core__Fiber.Not_first", "Eio.Io " + "connecting " * 30])
        self.write("error", struct.pack("<q", context) + words.encode())

    def finish(self):
        fiber = self.running
        while len(fiber.contexts) > 1 and fiber.depth > 0 and self.p.random.random() < 0.9:
            fiber.contexts.pop()
            fiber.depth -= 1
            self.write("exit_cc")
        self.write("exit_fiber", fiber.id)
        self.running = None

    def step(self):
        r = self.p.random
        if self.running is None:
            self.scheduled()
            return
        fiber = self.running
        what = r.randrange(14)
        if what == 0 and self.p.room():
            self.fork(fiber.contexts)
        elif what == 1:
            context = self.new()
            self.write("create_cc", struct.pack("<qB", context, r.choice([SWITCH, PROTECT, SUB, ANY])))
            fiber.contexts.append(context)
            fiber.depth += 1
            if r.random() < 0.7:
                self.named(context)
        elif what == 2 and fiber.depth > 0:
            self.write("exit_cc")
            fiber.contexts.pop()
            fiber.depth -= 1
        elif what == 3:
            self.p.object(self)
        elif what == 4:
            self.text("enter_span", r.choice(["parse", "report", "", "w" * 150]))
        elif what == 5:
            self.write("exit_span")
        elif what == 6:
            self.write("get", r.choice(self.p.objects or [1]))
        elif what == 7:
            self.write("put", r.choice(self.p.objects or [1]))
        elif what == 8:
            self.cancel(r.choice(fiber.contexts))
        elif what == 9 and fiber.depth > 0:  # a suspension that comes back at once
            self.suspend(back=True)
            if r.random() < 0.5:
                self.write("exit_cc")
                fiber.contexts.pop()
                fiber.depth -= 1
            else:
                self.fork(fiber.contexts)
        elif what == 10 and (len(self.ready) + len(self.waiting) > 0 or r.random() < 0.02):
            self.finish()
        else:
            self.suspend()

    def scheduled(self):
        """Nobody runs: the scheduler takes the next, or asks the system."""
        r = self.p.random
        if self.idle:
            self.idle = False
            self.write("suspend_domain", kind=SPAN_END)
            r.shuffle(self.waiting)
            while self.waiting and r.random() < 0.6:
                self.ready.append(self.waiting.pop())
        elif self.ready and r.random() < 0.9:
            self.switch(self.ready.pop(0))
        else:
            self.idle = True
            self.write("suspend_domain", kind=SPAN_BEGIN)


class Program:
    def __init__(self, seed, steps):
        self.random, self.now, self.chunks, self.objects, self.made = random.Random(seed), 10**9, 0, [], 0
        self.losses, self.pauses = seed % 2, seed % 5 == 4
        self.ring = Late(3, [seed % 3 * self.random.randrange(50000 * steps) for _ in range(3)])
        self.domains = [Domain(self, 0)]

    def tick(self):
        self.now += self.random.choice([0, 1, 100, 5000, 5000, 1000000])

    def chunk(self):
        self.chunks += 1
        return 1024 * (self.chunks - 1)

    def room(self):
        self.made += 1
        return self.made < 300

    def pause(self):
        """The program pauses its events for a while, in which it goes on."""
        self.now += 1
        until = self.now + self.random.randrange(10**7)
        self.ring.missing = [2**63 for _ in self.ring.missing]
        while self.now < until:
            self.random.choice(self.domains).step()
        self.now += 1
        self.ring.missing = [self.now for _ in self.ring.missing]
        self.ring.lifecycle(self.domains[0].ring, self.now, RESUMED)

    def object(self, domain):
        number = domain.new()
        domain.write("create_obj", struct.pack("<qB", number, self.random.choice([PROMISE, SEMAPHORE, STREAM, MUTEX])))
        self.objects = (self.objects + [number])[-12:]
        if self.random.random() < 0.5:
            domain.named(number)

    def run(self, steps):
        for _ in range(steps):
            if self.pauses and self.random.random() < 0.002:
                self.pause()
            if self.losses and self.random.random() < 0.004:
                self.ring.lose(self.random.choice(self.domains).ring, self.now + self.random.randrange(10**7))
            if len(self.domains) < (1 if self.pauses else 3) and self.random.random() < 0.01 and self.domains[0].running is not None:
                free = next(d for d in range(3) if d not in [domain.ring for domain in self.domains])
                self.domains.append(Domain(self, free, self.domains[0].running.id))
            elif len(self.domains) > 1 and self.random.random() < 0.003:
                self.end(self.domains.pop(1))
            else:
                self.random.choice(self.domains).step()

    def end(self, domain):
        """A domain goes away, with or without its fibers."""
        for fiber in [f for f in [domain.running] if f] + domain.ready + domain.waiting:
            if self.random.random() < 0.9:
                domain.switch(fiber)
                domain.finish()
        self.tick()
        self.ring.lifecycle(domain.ring, self.now, TERMINATED)


for seed in range(first, last):
    program = Program(seed, steps)
    program.run(steps)
    program.ring.save(f"{folder}/{seed}.events")
