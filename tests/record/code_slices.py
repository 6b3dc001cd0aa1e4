#!/usr/bin/env python3
"""Whether the slices of a recorded run of tests/ocaml/shares.ml say when it executed what.

    code_slices.py HZ DUMP.jsonl|TRACE.json

The program executes heavy, medium, light, heavy and so on, for about 50, 30 and 20 ms of processor time.  A sample whose callers are
not known may be of the function before it or of the one behind it, or many in a row of one between them.
"""
import re
import sys
from os.path import abspath, dirname

sys.path[:0] = [dirname(dirname(abspath(__file__))) + "/support"]
import record_oracle  # noqa: E402

NEXT = {"Shares.heavy": "Shares.medium", "Shares.medium": "Shares.light", "Shares.light": "Shares.heavy"}
MS = {"Shares.heavy": 50, "Shares.medium": 30, "Shares.light": 20}
UNKNOWN = "[caller not known]"


def merged(runs):
    """Samples of one function in a row, with those of unknown callers inside: [name, samples, unknown ones behind it]."""
    out = []
    for name, samples in runs:
        if name == UNKNOWN:
            if out:
                out[-1][2] += samples
        elif out and out[-1][0] == name:
            out[-1][1] += samples + out[-1][2]
            out[-1][2] = 0
        else:
            out.append([name, samples, 0])
    return out


def without_strays(runs):
    """The samples in a row; those of runs of one or two are taken as of unknown callers."""
    return merged([part for r in merged(runs) for part in ([r[0] if r[1] >= 3 else UNKNOWN, r[1]], [UNKNOWN, r[2]])])


def skipped(before, name):
    """The functions that lie between two."""
    out = []
    while NEXT[before] != name:
        before = NEXT[before]
        out.append(before)
    return out


def main(hz, trace):
    read = record_oracle.events_of_json if trace.endswith(".json") else record_oracle.events_of_dump
    events, names = read(trace)
    slices = sorted((e[4], -e[5], e[3], e[1], e[6]) for e in events if e[0] == "slice" and e[2] == "code" and not e[6].get("off_cpu"))
    tracks = {tid for _, _, name, tid, _ in slices if name in NEXT}
    if len(tracks) != 1 or not re.fullmatch(r"D0 code of thread \d+", names[min(tracks)]):
        return "the functions are on tracks %s" % [names[t] for t in tracks]
    period, stack, runs = 1000000000 // int(hz), [], []
    for begin, end, name, tid, args in slices:
        end = -end
        if tid not in tracks:
            continue
        # A slice lasts as long as its samples are apart, less where its begin is that of another one.
        if not 0 < end - begin <= 2 * period * args["samples"]:
            return "%s of %d samples lasts %d ns" % (name, args["samples"], end - begin)
        while stack and stack[-1][1] <= begin:
            stack.pop()
        around = [s[0] for s in stack]
        stack.append((name, end))
        if name == UNKNOWN and not around:
            runs.append([name, args["samples"]])
        if name not in NEXT:
            continue
        if "caml_program" not in around or around[-1] != "Shares" or args["file"] != "shares.ml":
            return "%s in %s, of %s" % (name, around, args.get("file"))
        runs.append([name, args["samples"]])
    # A stack that was read while it changed may be another function's.
    m = merged(runs)
    in_place = {i for i in range(1, len(m) - 1) if NEXT[m[i - 1][0]] == m[i][0] and NEXT[m[i][0]] == m[i + 1][0]}
    stray = sum(r[1] for i, r in enumerate(m) if r[1] < 3 and i not in in_place)
    if stray > 1 + sum(r[1] for r in runs) / 50:
        return "%d of %d samples are out of place" % (stray, sum(r[1] for r in runs))
    runs = without_strays(runs)

    # Samples are a period of processor time apart; a run may end and begin up to one later.
    def fewest(name):
        return 0.7 * MS[name] * 1e6 / period - 2

    for a, b in zip(runs, runs[1:]):
        if a[2] < sum(map(fewest, skipped(a[0], b[0]))):
            return "not one after the other: %s, then %s" % (a, b)
    if len(runs) < 6:
        return "few runs: %s" % runs
    far = [r for before, r in zip(runs, runs[1:-1]) if r[1] > 1.3 * MS[r[0]] * 1e6 / period + 2 or before[2] + r[1] + r[2] < fewest(r[0])]
    return "runs of other lengths: %s" % far if far else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
