#!/usr/bin/env python3
"""Whether the tracks of fibers in a recording of a ring file are what follows from `log --json` by the definitions.

    fiber_tracks.py RTEVTOP RING DUMP.jsonl|TRACE.json

Each finished run is a slice on the runs of its domain, each finished wait one on the track of its fiber, inside its life; they nest.
A flow leads from each fork to the child's first run, and from a `put` to the `get` that it woke; both stand in runs.
"""
import sys
from collections import Counter, defaultdict
from os.path import abspath, dirname

sys.path[:0] = [dirname(dirname(abspath(__file__))) + part for part in ("/support", "/fibers")]
import fibers_oracle  # noqa: E402
import record_oracle  # noqa: E402

RUNS, FIBERS, WAITS = 4098, 8194, 16385  # the first thread ids


def words(value):
    return None if value is None else value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def run_name(path, span):
    parts = [p for p in (path, span) if p]
    return words(": ".join(parts)) if parts else "fiber"


def given(oracle):
    """The flows by the definitions: forks and hand-overs, as (name, domains, begin, end)."""
    runs = defaultdict(list)  # of each domain, by their begin
    for length, begin, fiber, domain, *_ in oracle.runs:
        runs[domain].append((begin, begin + length, fiber))
    for all_runs in runs.values():
        all_runs.sort()
    puts, made, flows = defaultdict(list), {}, Counter()
    events = {d: [e for e in events if e["type"] == "user" and e["name"].startswith("eio.")]
              for d, events in oracle.domains.items()}

    def run_at(domain, ts):
        return next((r for r in runs[domain] if r[0] <= ts < r[1]), None)
    for domain, list_ in events.items():
        for e in list_:
            data = bytes.fromhex(e.get("data", ""))
            if e["name"] == "eio.put" and run_at(domain, e["ts"]):
                puts[e["value"]].append([e["ts"], domain])
            if e["name"] == "eio.create_fiber" and run_at(domain, e["ts"]):
                made[fibers_oracle.number(data[:8])] = (e["ts"], domain)
    for domain, list_ in events.items():
        for e in list_:
            run = e["name"] == "eio.fiber" and run_at(domain, e["ts"])
            if run and e["value"] in made and made[e["value"]][0] <= e["ts"]:
                ts, giver = made.pop(e["value"])
                flows["fork", giver, domain, ts, e["ts"]] += 1
    waits = {(fiber, since + waited): since for fiber, waited, since, _ in oracle.waits}
    wants = {}
    got = []
    for domain, list_ in events.items():
        wanted, fiber, open_ = {}, None, None
        for e in list_:
            if e["name"] == "eio.fiber":
                fiber, open_ = e["value"], (e["ts"], waits.get((e["value"], e["ts"])), wanted.pop(e["value"], None))
            elif e["name"] == "eio.suspend_domain":
                fiber = None
            elif e["name"] == "eio.try_get" and fiber is not None:
                wanted[fiber] = e["value"]
            elif e["name"] == "eio.get" and fiber is not None:
                if wanted.get(fiber) == e["value"]:
                    del wanted[fiber]
                if open_ and open_[1] is not None and open_[2] in (None, e["value"]) and run_at(domain, e["ts"]):
                    got.append((e["ts"], domain, e["value"], open_))
                    open_ = None
    for ts, domain, object_, (begin, since, _) in sorted(got):
        candidates = [p for p in puts[object_] if since < p[0] <= begin]
        if not candidates:
            continue
        first = min(candidates)
        flows["put", first[1], domain, first[0], ts] += 1
        if oracle.kinds.get(object_) != "promise":
            puts[object_].remove(first)
    return flows


def main(rtevtop, ring, trace):
    oracle = fibers_oracle.Oracle(fibers_oracle.events_of(rtevtop, ring))
    read = record_oracle.events_of_json if trace.endswith(".json") else record_oracle.events_of_dump
    events, names = read(trace)
    events = [e for e in events if e[2] == "fiber"]
    faults = []

    def same(what, have, want):
        for item, count in list(((have - want) + (want - have)).items())[:5]:
            faults.append("%s %r: %d times in the recording, %d by the definitions" % (what, item, have[item], want[item]))
    slices = [e for e in events if e[0] == "slice"]
    runs = [e for e in slices if RUNS <= e[1] < FIBERS]
    lives = [e for e in slices if e[1] >= FIBERS]
    same("run", Counter((e[1] - RUNS, e[3], e[4], e[5], e[6]["fiber"], e[6].get("gc_ns", 0)) for e in runs if not e[6].get("open")),
         Counter((domain, run_name(oracle.path(context), span), begin, begin + length, fiber, collector)
                 for length, begin, fiber, domain, context, span, collector in oracle.runs))
    # Slices of a track nest: waits stand in lives of the same fiber.
    waits, stacks = Counter(), {}
    for kind, tid, _, name, begin, end, args in sorted(lives, key=lambda e: (e[4], -e[5])):
        around = stacks.get(tid)
        if around is None or around[1] <= begin:
            stacks[tid] = (begin, end, args["fiber"])
        elif around[1] < end or around[2] != args["fiber"]:
            faults.append("%s of fiber %d at %d stands in what is not its life" % (name, args["fiber"], begin))
        elif not args.get("open"):
            waits[args["fiber"], end] += 1
    waits.update((e[6]["fiber"], e[5]) for e in events if e[0] == "async")
    same("wait", waits, Counter((fiber, since + waited) for fiber, waited, since, _ in oracle.waits))
    flows, want = Counter((e[3], e[1][0] - RUNS, e[1][1] - RUNS, e[4], e[5]) for e in events if e[0] == "flow"), given(oracle)
    if len(oracle.domains) > 1:
        # Domains are read one after another: what is given to another one may come too late.
        want = want & (flows + Counter({flow: n for flow, n in want.items() if flow[1] == flow[2]}))
    same("flow", flows, want)
    for tid, name in names.items():
        number = tid - (RUNS if tid < FIBERS else FIBERS)
        if RUNS <= tid < WAITS and name != ("D%d fibers" if tid < FIBERS else "fibers %d") % number:
            faults.append("track %d is named %s" % (tid, name))
    for fault in faults[:20]:
        print(fault)
    if not faults:
        print("%d runs, %d waits, %d flows" % (len(runs), sum(waits.values()), sum(flows.values())))
    return bool(faults) or not runs


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
