#!/usr/bin/env python3
"""Whether a recording that began amid a target's life has all that `rtevtop log --json` tells of it from then on.

    record_part.py LOG.jsonl DUMP.jsonl [END]     DUMP is record_dump's; with END it ended before the target did
"""

import json
import sys

import record_oracle

STAMP = {"counter": 3, "alloc": 2, "lifecycle": 3, "int": 3, "unit": 3, "custom": 3}


def stamps(domain, spans, opened, rest):
    """The stamps of a domain's events in the form of record_oracle.found."""
    for (number, _, _), pairs in spans.items():
        if number == domain:
            yield from (end for _, end in pairs)
    for key in rest:
        if key[0] in STAMP and key[1] == domain:
            yield key[STAMP[key[0]]]


def main(args):
    with open(args[0], encoding="utf-8") as log:
        want = record_oracle.wanted([json.loads(line) for line in log])
    events, _ = record_oracle.events_of_dump(args[1])
    have = record_oracle.found(events)
    domains = {key[0] for key in have[0]}
    faults, compared = [], 0
    for domain in sorted(domains):
        seen = sorted(stamps(domain, *have))
        first, last = seen[0], seen[-1] if len(args) > 2 else float("inf")
        for key in sorted(k for k in set(want[0]) | set(have[0]) if k[0] == domain):
            a = sorted(p for p in want[0].get(key, []) if first <= p[1] <= last)
            b = sorted(p for p in have[0].get(key, []) if first <= p[1] <= last)
            compared += len(a)
            late = [(x, y) for x, y in zip(a, b) if not (0 <= y[0] - x[0] <= 64 and 0 <= y[1] - x[1] <= 64)]
            if len(a) != len(b) or late:
                faults.append("%s: %d spans, expected %d; %s" % (key, len(b), len(a), late[:1]))
        for key in set(want[2]) | set(have[2]):
            if key[0] in STAMP and key[1] == domain and first <= key[STAMP[key[0]]] <= last:
                compared += 1
                if want[2][key] != have[2][key]:
                    faults.append("%s: %d times, expected %d" % (key, have[2][key], want[2][key]))
    if not domains or compared < 100:
        faults.append("there is hardly anything to compare: %d" % compared)
    print("\n".join(faults[:20]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
