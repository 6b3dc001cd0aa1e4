#!/usr/bin/env python3
"""Print a made-up log of a ring file in the form of `rtevtop log --json`: random_log.py SEED

Most of it is unbalanced on purpose: ends without begins, spans nested in their own phase, resumes, corrupt
stretches, stamps that are equal on several rings and, for every fourth seed (3, 7, 11..), stamps that go back.  In the
logs of seeds 2, 6, 10.. stamps lie far apart.
"""

import json
import random
import sys

PHASES = ["minor", "major", "major_slice", "stw_leader", "stw_handler", "domain_condition_wait", "major_ephe_mark", "phase_57"]
COUNTERS = ["minor_promoted", "minor_allocated", "major_heap_words", "counter_31"]
NAMES = ["http.request", "queue.depth", "cache.evict", "log.line", 'odd "name" \\ here', ""]


class Log:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.backwards = seed % 4 == 3
        self.corrupt = seed % 4 == 1  # it would hide which pause a resume belongs to
        self.step = 10**6 if seed % 4 == 2 else self.rng.choice([1, 3, 50, 10**6])
        self.balanced = self.rng.choice([0.3, 0.8, 0.98])

    def stamp(self, now):
        if self.backwards and self.rng.random() < 0.2:
            return max(0, now - self.rng.randrange(1 + 20 * self.step))
        if self.rng.random() < 0.01:
            return now + self.rng.randrange(1 + 1000 * self.step)
        return now + self.rng.randrange(1 + self.step)

    def lifecycle(self):
        events = ["ring_start", "domain_spawn", "domain_terminate", "fork_parent"]
        if not self.backwards:
            events += ["ring_resume"] * 4
        if not self.backwards and not self.corrupt:
            events += ["ring_pause"] * 2
        return {"type": "lifecycle", "event": self.rng.choice(events), "data": 4242}

    def user(self, opened):
        rng = self.rng
        name = rng.choice(NAMES)
        kind = rng.choice(["unit", "int", "custom", "span", "span", "span"])
        event = {"type": "user", "name": name, "kind": kind}
        if kind == "int":
            event["value"] = rng.choice([0, -1, rng.randrange(-(2**62), 2**62), 2**63 - 1, -(2**63)])
        elif kind == "custom":
            event["data"] = rng.randbytes(rng.randrange(9)).hex()
        elif kind == "span":
            if opened and rng.random() < 0.5:
                event["name"] = opened.pop()
                event["kind"] = "span_end"
            else:
                event["kind"] = rng.choice(["span_begin", "span_begin", "span_begin", "span_end"])
                if event["kind"] == "span_begin":
                    opened.append(name)
        return event

    def span(self, stack):
        rng = self.rng
        if rng.random() > self.balanced:
            return {"type": rng.choice(["begin", "end"]), "phase": rng.choice(PHASES)}
        if stack and rng.random() < 0.5:
            return {"type": "end", "phase": stack.pop()}
        stack.append(rng.choice(PHASES))
        return {"type": "begin", "phase": stack[-1]}

    def event(self, stack, opened):
        rng, r = self.rng, self.rng.random()
        if r < 0.7:
            return self.span(stack)
        if r < 0.9:
            return self.user(opened)
        if r < 0.97:
            value = rng.choice([2**62, -(2**62), rng.randrange(10**6)])
            return {"type": "counter", "name": rng.choice(COUNTERS), "value": value}
        if r < 0.98:
            return {"type": "alloc", "buckets": [rng.randrange(100) for _ in range(20)]}
        return self.lifecycle()

    def ring(self, domain):
        if self.rng.random() < 0.5:
            yield {"domain": domain, "type": "lost", "words": self.rng.randrange(1, 10**6)}
        now, stack, opened = 10**12 + self.rng.randrange(1 + 10 * self.step), [], []
        for _ in range(self.rng.randrange(400)):
            if self.corrupt and self.rng.random() < 0.01:
                yield {"domain": domain, "type": "corrupt", "words": self.rng.randrange(1, 100)}
                continue
            now = self.stamp(now)
            yield {"ts": now, "domain": domain, **self.event(stack, opened)}


def lines(seed):
    """The lines of the log of a seed, as objects."""
    log = Log(seed)
    for domain in sorted(log.rng.sample(range(130), log.rng.randrange(1, 6))):
        yield from log.ring(domain)


if __name__ == "__main__":
    for line in lines(int(sys.argv[1])):
        print(json.dumps(line, separators=(",", ":")))
