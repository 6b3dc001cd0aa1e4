#!/usr/bin/env python3
"""Compare the fibers of `stats --json` with what follows from `log --json` by the definitions, in the simplest way.

usage: fibers_oracle.py RTEVTOP FILE [...]

Percentiles may differ by one percent, as those of the program may; everything else must be equal.
"""
import json
import subprocess
import sys

CONTEXTS = {3: "switch", 4: "protect", 5: "sub", 6: "root", 7: "any"}
OBJECTS = {15: "promise", 16: "semaphore", 18: "stream", 19: "mutex"}


def run(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout


def number(data):
    return int.from_bytes(data, "little")


def text(data):
    return data.decode("utf-8", "surrogateescape")


def shown(words):
    """A text as JSON of the program has it: each invalid byte as one replacement character."""
    return None if words is None else "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in words)


def events_of(rtevtop, path):
    """The events of each domain in ring order; a loss is one of type lost."""
    domains = {}
    for line in run(rtevtop, "log", "--json", path).splitlines():
        event = json.loads(line)
        domains.setdefault(event["domain"], []).append(event)
    return domains


def pauses_of(events):
    """The pauses of the collector on a domain: begins and ends of spans with no other around them."""
    pauses, stack = [], []
    for e in events:
        if e["type"] in ("lost", "corrupt"):
            stack = []
        elif e["type"] == "begin":
            stack.append((e["phase"], e["ts"]))
        elif e["type"] == "end":
            at = max((i for i, s in enumerate(stack) if s[0] == e["phase"]), default=None)
            if at is None:
                continue
            if at == 0 and e["phase"] != "domain_condition_wait":
                pauses.append((stack[0][1], e["ts"]))
            stack = stack[:at]
    return pauses


class Oracle:
    def __init__(self, domains):
        self.parents, self.names, self.kinds, self.contexts = {}, {}, {}, set()
        self.made_in, self.inside, self.spans = {}, {}, {}
        self.created, self.finished, self.runs, self.errors = [], [], [], []
        self.named, self.ended, self.blocked, self.waits = set(), set(), {}, []
        self.turns, self.shares = {}, {}
        self.end = max(e["ts"] for events in domains.values() for e in events if "ts" in e)
        self.pauses = {d: pauses_of(events) for d, events in domains.items()}
        self.domains = domains
        for domain in sorted(domains):
            self.read(domain, [e for e in domains[domain] if e["type"] == "user" and e["name"].startswith("eio.")])

    def read(self, domain, events):
        i, running = 0, None
        begun, busy, idle_since, turn, first = None, 0, None, None, None
        turns = []
        for at, e in enumerate(events):
            ts, name = e["ts"], e["name"][4:]
            data = bytes.fromhex(e.get("data", ""))
            if name == "suspend_domain" and e["kind"] == "span_begin":
                first = ts if first is None else first
                running = None
                if turn is not None:
                    turns.append(ts - turn)
                turn, idle_since = None, ts
            elif name == "suspend_domain":
                first = ts if first is None else first
                running = None
                if idle_since is not None:
                    busy -= ts - idle_since
                turn, idle_since = ts, None
            elif name == "fiber":
                running = e["value"]
                self.named.add(running)
                if running in self.blocked:
                    since = self.blocked.pop(running)[0]
                    self.waits.append((running, ts - since, since))
                self.run(domain, events, at, running)
            elif name == "create_fiber":
                self.created.append(number(data[:8]))
                self.named.add(number(data[:8]))
                self.made_in[number(data[:8])] = self.inside[number(data[:8])] = number(data[8:])
            elif name == "create_cc":
                cc = number(data[:8])
                self.contexts.add(cc)
                self.parents[cc] = "none" if data[8] == 6 else self.inside.get(running)
                if running is not None:
                    self.inside[running] = cc
            elif name == "exit_cc" and running is not None:
                parent = self.parents.get(self.inside.get(running))
                self.inside[running] = None if parent == "none" else parent
            elif name == "create_obj":
                self.kinds[number(data[:8])] = OBJECTS[data[8]]
            elif name == "name":
                self.names[number(data[:8])] = text(data[8:128])
            elif name == "exit_fiber":
                self.finished.append(e["value"])
                self.ended.add(e["value"])
            elif name == "error":
                self.errors.append((ts, number(data[:8]), text(data[8:128])))
        domain_end = self.end
        last = self.domains[domain][-1]
        if any(x["type"] == "lifecycle" and x["event"] in ("domain_terminate", "ring_stop") for x in self.domains[domain]):
            domain_end = max(x["ts"] for x in self.domains[domain] if "ts" in x)
        if first is not None:
            if idle_since is not None:
                busy -= domain_end - idle_since
            self.shares[domain] = (busy + domain_end - first) / (domain_end - first) if domain_end > first else None
        if events:
            self.turns[domain] = sorted(turns)

    def run(self, domain, events, at, fiber):
        """The run that begins at an eio.fiber; its spans are followed here, in the order of events."""
        begin, end, want, suspended = events[at]["ts"], None, None, None
        span = (self.spans.get(fiber) or [None])[-1]
        context = self.inside.get(fiber)
        own = 0
        for e in events[at + 1:]:
            name, data = e["name"][4:], bytes.fromhex(e.get("data", ""))
            if name == "fiber" or (name == "suspend_domain" and e["kind"] == "span_begin"):
                break
            if name == "suspend_fiber":
                end, suspended, own = e["ts"], text(data[:120]), 0
            elif name == "exit_fiber" and e["value"] == fiber:
                end, suspended = e["ts"], None
            elif name in ("create_fiber", "create_cc", "exit_cc") and suspended is not None:
                end, suspended = None, None
            elif name == "try_get":
                want = e["value"]
            elif name == "get" and e["value"] == want:
                want = None
            elif name == "enter_span":
                if end is None:
                    self.spans.setdefault(fiber, []).append(text(data[:120]))
                else:
                    own += 1
            elif name == "exit_span":
                if end is not None and own > 0:
                    own -= 1
                elif self.spans.get(fiber):
                    self.spans[fiber].pop()
        else:
            e = None
        if e is None:  # the ring ends inside it: only what has ended is a run, but it may be blocked
            return
        if suspended is not None:
            self.blocked[fiber] = (end, suspended, want)
        end = e["ts"] if end is None else end
        collector = sum(max(0, min(end, b) - max(begin, a)) for a, b in self.pauses[domain])
        self.runs.append((end - begin, begin, fiber, domain, context, span, collector))

    def path(self, context):
        names = []
        while context != "none":
            if context is None or context not in self.contexts:
                return None
            if context in self.names:
                names.append(self.names[context])
            context = self.parents[context]
        return "/".join(reversed(names))

    def groups(self):
        groups = {}

        def of(fiber):
            return groups.setdefault(shown(self.path(self.made_in.get(fiber))), [0, 0, 0, 0, 0, 0])
        for fiber in self.created:
            of(fiber)[0] += 1
        for fiber in self.finished:
            of(fiber)[1] += 1
        for length, _, fiber, *_ in self.runs:
            group = of(fiber)
            group[2] += 1
            group[3] += length
            group[4] = max(group[4], length)
        for fiber, waited, _ in self.waits:
            of(fiber)[5] += waited
        for fiber, (since, *_) in self.blocked.items():
            if fiber not in self.ended:
                of(fiber)[5] += self.end - since
        return groups


def near(a, b, part):
    return a == b or (a is not None and b is not None and abs(a - b) <= part * max(abs(a), abs(b)) + 1e-12)


def check(rtevtop, path):
    want = Oracle(events_of(rtevtop, path))
    got = json.loads(run(rtevtop, "stats", "--json", path))["fibers"]
    faults = []

    def same(what, a, b):
        if a != b:
            faults.append(f"{what}: {a} in the report, {b} by the definitions")
    same("created", got["created"], len(want.created))
    same("finished", got["finished"], len(want.finished))
    same("errors", got["errors"], len(want.errors))
    same("alive", got["alive"], len(want.named - want.ended))
    for d in got["domains"]:
        turns = want.turns[d["domain"]]
        same("turns", d["turns"], len(turns))
        if not near(d["busy_share"], want.shares.get(d["domain"]), 1e-8):
            faults.append(f"busy_share of {d['domain']}: {d['busy_share']}, {want.shares.get(d['domain'])}")
        for key, rank in (("turn_p50_s", 0.5), ("turn_p99_s", 0.99)):
            exact = turns[-(-int(rank * 100) * len(turns) // 100) - 1] / 1e9 if turns else None
            if not near(d[key], exact, 0.01):
                faults.append(f"{key}: {d[key]}, {exact}")
        same("turn_max_s", d["turn_max_s"], turns[-1] / 1e9 if turns else None)
    same("domains", [d["domain"] for d in got["domains"]], sorted(want.turns))
    longest = sorted(want.runs, key=lambda r: (-r[0], r[1]))[:10]
    same("longest runs", [(round(r["duration_s"] * 1e9), r["ts"], r["fiber"], r["domain"], r["path"], r["span"], round(r["gc_s"] * 1e9))
                          for r in got["longest_runs"]],
         [(*r[:4], shown(want.path(r[4])), shown(r[5]), r[6]) for r in longest])
    same("groups", sorted(((g["path"] is None, g["path"], g["created"], g["finished"], g["runs"], round(g["run_total_s"] * 1e9),
                            round(g["run_max_s"] * 1e9), round(g["blocked_total_s"] * 1e9)) for g in got["groups"]), key=str),
         sorted(((p is None, p, *g) for p, g in want.groups().items()), key=str))
    blocked = {}
    for fiber, (since, op, object_id) in want.blocked.items():
        if fiber in want.ended:
            continue
        kind = "context" if object_id in want.contexts else want.kinds.get(object_id)
        name = want.names.get(object_id) if kind else None
        group = blocked.setdefault((shown(want.path(want.inside.get(fiber))), op, kind, name), [0, 0])
        group[0] += 1
        group[1] = max(group[1], want.end - since)
    same("blocked", sorted(((b["path"], b["op"], b["object"], b["name"], b["count"], round(b["longest_s"] * 1e9)) for b in got["blocked"]),
                           key=str), sorted(((*k, *v) for k, v in blocked.items()), key=str))
    same("errors_last", [(e["ts"], e["context"], e["text"], e["path"]) for e in got["errors_last"]],
         [(*e[:2], shown(e[2]), shown(want.path(e[1]))) for e in sorted(want.errors[-10:], reverse=True)])
    return faults


def main(args):
    failed = 0
    for path in args[1:]:
        faults = check(args[0], path)
        failed += len(faults)
        for fault in faults:
            print(f"{path}: {fault}")
        if not faults:
            print(f"{path}: equal")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
