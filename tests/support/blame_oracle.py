#!/usr/bin/env python3
"""blame_oracle.py LOG.jsonl REPORT STATS.json: whom the worst pauses of `rtevtop stats` waited for, worked out again from `rtevtop log --json`.

Stops are put together in the simplest way: a handler belongs to the last leader that began before it.  The report may leave a sentence out
(a stop that it has not seen all of); one that it has must be right, and some must be there.
"""
import json
import re
import sys

UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "µs": 1e3, "ns": 1}


def parts(lines):
    """(kind, domain, begin, arrival, end) of every span of a stop; arrival: begin of its barrier, None without one."""
    found, stacks = [], {}
    for line in lines:
        stack = stacks.setdefault(line["domain"], [])
        if line["type"] in ("lost", "corrupt"):
            stack.clear()
        elif line["type"] == "begin":
            stack.append([line["phase"], line["ts"], None])
            if line["phase"] == "stw_api_barrier":
                for outer in stack:
                    if outer[0] in ("stw_leader", "stw_handler") and outer[2] is None:
                        outer[2] = line["ts"]
        elif line["type"] == "end" and any(s[0] == line["phase"] for s in stack):
            while stack[-1][0] != line["phase"]:
                stack.pop()
            phase, begin, arrival = stack.pop()
            if phase in ("stw_leader", "stw_handler"):
                found.append((phase, line["domain"], begin, arrival, line["ts"]))
    return found


def stops(found):
    """{domain: arrival} of every synchronous stop, with the begins of it and of the next."""
    leaders = sorted((p for p in found if p[0] == "stw_leader"), key=lambda p: p[2])
    handlers = sorted((p for p in found if p[0] == "stw_handler"), key=lambda p: p[2])
    at = 0
    for i, leader in enumerate(leaders):
        until = leaders[i + 1][2] if i + 1 < len(leaders) else float("inf")
        arrivals, barrier = {leader[1]: leader[3] or leader[2]}, leader[3] is not None
        while at < len(handlers) and handlers[at][2] < until:
            h = handlers[at]
            at += 1
            if leader[2] <= h[2] <= leader[4]:
                arrivals[h[1]] = h[3] or h[2]
                barrier = barrier or h[3] is not None
        if barrier and len(arrivals) > 1:
            yield arrivals


def main(log, report, stats):
    lines = [json.loads(line) for line in open(log)]
    known = list(stops(parts(lines)))
    # One line a pause, and below it the sentence, which may take several.
    text = re.split(r"\n   longest .*\n", open(report).read())[1].split("\n\n")[0]
    pauses = re.split(r"\n(?= +\S+ +\d+\.\d+s D)", text)
    worst = json.load(open(stats))["worst"]
    assert len(pauses) == len(worst), pauses
    checked = 0
    for pause, known_as in zip(pauses, worst):
        line, _, rest = pause.partition("\n")
        head = re.match(r" +\S+ +\S+s D(\d+) ", line)
        assert head and int(head[1]) == known_as["domain"], line
        rest = " ".join(rest.split())
        said = re.search(r"D(\d+) waited (\S+) of ([0-9.]+)(\S+) for D(\d+)", rest)
        if said is None:
            continue
        domain, begin = int(head[1]), known_as["ts"]
        unit, of = UNITS[said[4]], float(said[3]) * UNITS[said[4]]
        waited = {}
        for arrivals in known:
            last = max(arrivals.values())
            if domain not in arrivals or arrivals[domain] == last:
                continue
            late = min(d for d, a in arrivals.items() if a == last)
            time = min(last, begin + of + unit) - max(arrivals[domain], begin)
            if time > 0:
                waited[late] = waited.get(late, 0) + time
        assert int(said[1]) == domain, line
        assert waited, f"{line}: nobody to wait for: {rest}"
        late = max(waited, key=waited.get)
        assert int(said[5]) == late, f"{line}: {rest}: it was {waited}"
        half = 0.51 * 10 ** -len((said[2] + ".").split(".")[1]) * unit
        assert abs(float(said[2]) * unit - waited[late]) <= half, f"{rest}: {waited}"
        assert waited[late] >= of / 10 - unit
        checked += 1
    print(f"{checked} sentences are right")
    return 0 if checked > 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
