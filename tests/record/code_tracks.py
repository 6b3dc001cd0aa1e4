#!/usr/bin/env python3
"""Whether the tracks of samples in a recording have the samples that its replay counts.

    code_tracks.py REPORT.json DUMP.jsonl|TRACE.json

REPORT is what `stats --json` says of the recording.  Slices of a track nest; a function's total is the samples of its slices that
stand in no other one of it, where the callers are known, its self what the slices in them leave.
"""
import json
import sys
from collections import Counter
from os.path import abspath, dirname

sys.path[:0] = [dirname(dirname(abspath(__file__))) + "/support"]
import record_oracle  # noqa: E402

UNKNOWN = "[caller not known]"


def main(report, trace):
    with open(report, encoding="utf-8") as file:
        code = json.load(file)["code"]
    read = record_oracle.events_of_json if trace.endswith(".json") else record_oracle.events_of_dump
    events, names = read(trace)
    events = [e for e in events if e[2] == "code" and not e[6].get("off_cpu")]
    if any("code of thread" not in names[e[1]] for e in events):
        return "a track has no name"
    own, total, stacks = Counter(), Counter(), {}
    for _, tid, _, name, begin, end, args in sorted(events, key=lambda e: (e[4], -e[5])):
        stack = stacks.setdefault(tid, [])
        while stack and stack[-1][1] <= begin:
            stack.pop()
        if stack and stack[-1][1] < end:
            return "%s at %d ends after the slice around it" % (name, begin)
        own[name] += args["samples"]
        if stack:
            own[stack[-1][0]] -= args["samples"]
        above = [s[0] for s in stack]
        if name not in above and UNKNOWN not in above:
            total[name] += args["samples"]
        stack.append((name, end))
    if min(own.values(), default=-1) < 0:
        return "a slice has fewer samples than those in it"
    # Samples beside each other in time are in no slice.
    counted = sum(own.values())
    if not 0.99 * code["samples"] <= counted <= code["samples"] or counted < 20:
        return "%d samples, %d in the report" % (counted, code["samples"])
    if abs(total[UNKNOWN] - code["incomplete"]) > 0.01 * code["samples"] + 0.01:
        return "%d samples without callers, %d in the report" % (total[UNKNOWN], code["incomplete"])
    known = counted - total[UNKNOWN]
    for which in ("self", "total"):
        want = Counter()
        for f in code["functions"]:
            want[f["name"]] += f[which]
        for name in want:
            have = own[name] / counted
            if which == "total":
                have = max(have, total[name] / known)
            if abs(have - want[name]) > 0.01 + 0.01 / counted:
                return "%s of %s: %g, %g in the report" % (which, name, have, want[name])
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
