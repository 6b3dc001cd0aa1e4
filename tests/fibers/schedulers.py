#!/usr/bin/env python3
"""Made-up programs of Miou, Lwt and ocaml-trace: what stats and log say of them.  usage: schedulers.py RTEVTOP FOLDER"""
import json
import random
import struct
import subprocess
import sys

from ring_file import SPAN_BEGIN, SPAN_END, Ring

rtevtop, folder = sys.argv[1:]


def run(*command):
    return subprocess.run((rtevtop, *command), capture_output=True, check=True, text=True).stdout


def stats(ring, name):
    ring.save(f"{folder}/{name}.events")
    return json.loads(run("stats", "--json", f"{folder}/{name}.events"))


def expect(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, not {want}")


def ids(*numbers):
    return struct.pack(f"<{len(numbers)}q", *numbers)


def text(fiber, words):
    return ids(fiber, len(words)) + words.encode()


# ---- Miou ----

class Miou:
    """Domains that take turns at random.  `truth` has what has happened, in the order of time."""

    def __init__(self, seed, domains):
        self.random, self.ring = random.Random(seed), Ring(domains=domains, words=1 << 15)
        self.domains, self.now, self.next, self.truth = domains, 10**9, 1, []
        self.queues = [[] for _ in range(domains)]
        self.queues[0].append((0, "run"))
        self.waiting = []

    def write(self, domain, name, fiber, data=None):
        self.now += self.random.randrange(1, 2000)
        self.ring.named(domain, self.now, "miou." + name, ids(fiber) if data is None else data)
        self.truth.append((self.now, domain, name, fiber))

    def spawn(self, domain, parent):
        away = self.random.random() < 0.3 and self.domains > 1
        runner = self.random.choice([d for d in range(self.domains) if d != domain]) if away else domain
        self.write(domain, "spawn", self.next, ids(self.next, parent, 100 + runner) + bytes([2 if away else 1]))
        self.ring.named(domain, self.now, "miou.location", ids(self.next, 12, 7) + b"main.ml")
        self.queues[runner].append((self.next, "run"))
        self.next += 1

    def step(self):
        domain = self.random.randrange(self.domains)
        if self.waiting and self.random.random() < 0.3:
            home, fiber = self.waiting.pop(self.random.randrange(len(self.waiting)))
            if self.random.random() < 0.1:  # it is cancelled while it waits
                self.write(home, "cancel", fiber)
                self.write(home, "done", fiber)
                self.write(home, "cancelled", fiber)
                return
            # Whoever fulfils the promise says so; if it was there before it was looked for, nobody does.
            if self.random.random() < 0.8:
                self.write(self.random.randrange(self.domains), "resume", fiber)
            self.queues[home].append((fiber, "run"))
        if not self.queues[domain]:
            return
        fiber, what = self.queues[domain].pop(0)
        if what == "await":
            self.write(domain, "await", fiber)
            self.waiting.append((domain, fiber))
            return
        self.write(domain, "begin", fiber)
        while self.random.random() < 0.4 and self.next < 400:
            self.spawn(domain, fiber)
        kind = self.random.choice(["yield", "done", "promise", "read", "at once"])
        if kind == "yield":
            self.write(domain, "yield", fiber)
        elif kind in ("read", "at once"):
            self.write(domain, "suspend", fiber, text(fiber, "read"))
        if kind == "at once":
            self.write(domain, "continue", fiber, text(fiber, "read"))
        self.write(domain, "end", fiber)
        if kind == "done" and fiber != 0:
            self.write(domain, "done", fiber)
        else:
            self.queues[domain].append((fiber, "await" if kind in ("promise", "read") else "run"))

    def expected(self):
        made, done, named, runs, waits = [], [], set(), [], {}
        begun, suspended, blocked = {}, {}, {}
        for ts, domain, name, fiber in self.truth:
            if name not in ("cancel", "cancelled", "resume"):
                named.add(fiber)
            if name in ("begin", "done") and fiber in blocked:
                waits[fiber] = waits.get(fiber, 0) + ts - blocked.pop(fiber)[0]
            if name == "spawn":
                made.append(fiber)
            elif name == "done":
                done.append(fiber)
            elif name == "begin":
                begun[domain] = ts
            elif name == "suspend":
                suspended[fiber] = ts
            elif name == "continue":
                del suspended[fiber]
            elif name == "end":
                runs.append((ts - begun[domain], begun[domain], fiber, domain))
                if fiber in suspended:
                    blocked[fiber] = (suspended.pop(fiber), "read")
            elif name == "await" and fiber not in blocked:
                blocked[fiber] = (ts, "await")
        groups = {}
        for since, op in blocked.values():
            group = groups.setdefault(op, [0, 0])
            group[0] += 1
            group[1] = max(group[1], self.now - since)
        waited = sum(waits.values()) + sum(self.now - since for since, _ in blocked.values())
        return {
            "scheduler": "miou", "created": len(made), "finished": len(done), "alive": len(named - set(done)), "errors": None,
            "domains": [(d, *[None] * 8) for d in sorted({t[1] for t in self.truth})],
            "longest_runs": sorted(runs, key=lambda r: (-r[0], r[1]))[:10],
            "blocked": sorted((op, *g) for op, g in groups.items()),
            "groups": [(None, len(made), len(done), len(runs), sum(r[0] for r in runs), max(r[0] for r in runs), waited)],
            "errors_last": None, "cancelled": None, "timeouts": None,
            "late": sum(r[0] >= 50 * 10**6 for r in runs), "late_total_s": sum(r[0] for r in runs if r[0] >= 50 * 10**6) / 1e9}


def ns(seconds):
    return round(seconds * 1e9)


def seen(fibers):
    return dict(
        fibers, domains=[tuple(d.values()) for d in fibers["domains"]],
        longest_runs=[(ns(r["duration_s"]), r["ts"], r["fiber"], r["domain"]) for r in fibers["longest_runs"]],
        blocked=sorted((b["op"], b["count"], ns(b["longest_s"])) for b in fibers["blocked"]),
        groups=[(g["path"], g["created"], g["finished"], g["runs"], ns(g["run_total_s"]), ns(g["run_max_s"]), ns(g["blocked_total_s"]))
                for g in fibers["groups"]])


for seed in range(40):
    miou = Miou(seed, 1 + seed % 4)
    for _ in range(1200):
        miou.step()
    got, want = seen(stats(miou.ring, "miou")["fibers"]), miou.expected()
    for key, value in want.items():
        expect(f"Miou, seed {seed}, {key}", got[key], value)
    expect("keys", list(got), list(want))
words = run("log", "--merge", f"{folder}/miou.events")
for sentence in ("fiber 0 runs", "fiber 1 made by fiber 0", "fiber 1 was made at main.ml:12", " suspended: read", " goes on: read"):
    expect(f"log says {sentence}", sentence in words, True)
plain = run("stats", f"{folder}/miou.events")
expect("text of Miou", "\nfibers of miou: " in plain and " - errors\n" in plain and "miou.begin" not in plain, True)

# A wrong payload is an event of the program, whatever its name.
ring = Ring()
right = [("miou.spawn", ids(1, 0, 0) + b"\1"), ("miou.location", ids(1, 2, 1) + b"m"), ("miou.suspend", text(1, "read")),
         ("miou.continue", text(1, "")), ("miou.attach", ids(1, 2)), ("miou.detach", ids(1, 2))]
right += [("miou." + name, ids(1)) for name in ("begin", "end", "done", "await", "resume", "yield", "cancel", "cancelled")]
wrong = [("miou.spawn", ids(1, 0, 0) + b"\3"), ("miou.suspend", ids(1, 5) + b"read"), ("miou.location", ids(1, 2, 2) + b"m")]
wrong += [(name, data + b"\0") for name, data in right] + [(name, data[:-1]) for name, data in right if data != text(1, "")]
for i, (name, data) in enumerate(wrong):
    ring.named(0, 1000 + i, name, data)
ring.named(0, 2000, "miou.begin", 7)
ring.named(0, 2001, "lwt-sch-lap", 3)
ring.named(0, 2002, "lwt-paused-count")
report = stats(ring, "wrong")
expect("fibers of wrong payloads", report["fibers"], None)
expect("wrong payloads", sum(u["count"] for u in report["domains"][0]["user"].values()), len(wrong) + 3)
for i, (name, data) in enumerate(right):
    ring.named(0, 3000 + i, name, data)
expect("right payloads", stats(ring, "right")["fibers"]["scheduler"], "miou")

# ---- Lwt ----

ring = Ring()
ring.named(0, 10**9, "lwt-sch-call", kind=SPAN_BEGIN)
for lap in range(11):
    ring.named(0, 10**9 + lap * 10**8, "lwt-sch-lap")
    ring.named(0, 10**9 + lap * 10**8, "lwt-unix-job-count", 2)
    ring.named(0, 10**9 + lap * 10**8, "lwt-paused-count", lap)
ring.named(0, 2 * 10**9, "lwt-sch-call", kind=SPAN_END)
report = stats(ring, "lwt")
unknown = dict.fromkeys(("created", "finished", "alive", "errors", "longest_runs", "blocked", "groups", "errors_last",
                         "cancelled", "timeouts", "late", "late_total_s"))
loop = {"domain": 0, "turns": 11, "busy_share": None, "turn_p50_s": None, "turn_p99_s": None, "turn_max_s": None, "laps": 11, "paused": 10, "jobs": 2}
expect("Lwt", report["fibers"], {"scheduler": "lwt", **unknown, "domains": [loop]})
plain = run("stats", f"{folder}/lwt.events")
expect("text of Lwt", "\nLwt does not tell its promises: laps, paused, jobs\n" in plain and "lwt-sch" not in plain, True)
expect("laps", [line.split() for line in plain.splitlines() if line.startswith("  D0 ")][:1], [["D0", "11", "11.0/s", "10", "2"]])

# Of two schedulers the one with most events.
for i in range(40):
    ring.named(0, 3 * 10**9 + i, "miou.yield", ids(5))
expect("the busier of two", stats(ring, "two")["fibers"]["scheduler"], "miou")

# ---- ocaml-trace ----

ring = Ring()
for i in range(3):
    ring.named(0, 1000 + 100 * i, "trace.span.enter", b"parse")
    ring.named(0, 1010 + 100 * i, "trace.span.enter", b"fib")
    ring.named(0, 1020 + 100 * i, "trace.message", b"hello")
    ring.named(0, 1030 + 100 * i, "trace.metric.int", ids(-5 + i) + b"queue")
    ring.named(0, 1040 + 100 * i, "trace.metric.float", struct.pack("<d", 2.5 * i) + b"load")
    ring.named(0, 1050 + 100 * i, "trace.span.exit", b"fib")
    ring.named(0, 1090 + 100 * i, "trace.span.exit", b"parse")
    ring.named(0, 1095 + 100 * i, "queue", 7)
# None of these has a payload of its own: they are the program's.
for i, name in enumerate(("trace.span.enter", "trace.span.exit")):
    ring.named(0, 2000 + 2 * i, name, b"")
    ring.named(0, 2001 + 2 * i, name, 3)
ring.named(0, 2010, "trace.metric.int", ids(1))
ring.named(0, 2011, "trace.metric.float", b"1234567")
users = stats(ring, "trace")["domains"][0]["user"]
expect("what ocaml-trace wrote", {name: (u["kind"], u["count"]) for name, u in users.items()}, {
    "parse": ("span", 3), "fib": ("span", 3), "trace.message": ("custom", 3), "queue": ("int", 6), "load": ("custom", 3),
    "trace.span.enter": ("custom", 1), "trace.span.enter#int": ("int", 1), "trace.span.exit": ("custom", 1),
    "trace.span.exit#int": ("int", 1), "trace.metric.int": ("custom", 1), "trace.metric.float": ("custom", 1)})
expect("its spans", [(ns(users[n]["total_s"]), ns(users[n]["max_s"])) for n in ("parse", "fib")], [(270, 90), (120, 40)])
expect("its values", [users["queue"][key] for key in ("last", "min", "max")], [7, -5, 7])

# Names that a program makes up as it goes leave room for those that it writes itself.
ring = Ring(words=1 << 18)
for i in range(20000):
    ring.named(0, 1000 + 2 * i, "trace.metric.int", ids(i) + b"request %d" % i)
ring.named(0, 50000, "own", 7)
users = stats(ring, "many")["domains"][0]["user"]
expect("its own", users["own"]["last"], 7)
expect("names and the rest", (len(users), users["trace.metric.int"]["count"]), (16384 + 2, 20000 - 16384))
