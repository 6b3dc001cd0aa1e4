#!/usr/bin/env python3
"""Whether the slices of a recorded run of tests/ocaml/shares.ml say when it executed what.

    code_slices.py HZ DUMP.jsonl|TRACE.json

The program executes heavy, medium, light, heavy and so on, for about 50, 30 and 20 ms of processor time.
"""
import re
import sys
from os.path import abspath, dirname

sys.path[:0] = [dirname(dirname(abspath(__file__))) + "/support"]
import record_oracle  # noqa: E402

NEXT = {"Shares.heavy": "Shares.medium", "Shares.medium": "Shares.light", "Shares.light": "Shares.heavy"}
MS = {"Shares.heavy": 50, "Shares.medium": 30, "Shares.light": 20}


def merged(runs):
    out = []
    for name, samples in runs:
        if out and out[-1][0] == name:
            out[-1][1] += samples
        else:
            out.append([name, samples])
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
        if name not in NEXT:
            continue
        if "caml_program" not in around or around[-1] != "Shares" or args["file"] != "shares.ml":
            return "%s in %s, of %s" % (name, around, args.get("file"))
        runs.append([name, args["samples"]])
    all_samples = sum(r[1] for r in runs)
    runs = merged(runs)
    # A stack that was read while it changed may be another function's.
    stray = sum(r[1] for r in runs if r[1] < 3)
    if stray > 1 + all_samples / 50:
        return "%d of %d samples are out of place" % (stray, all_samples)
    runs = merged([r for r in runs if r[1] >= 3])
    if len(runs) < 6 or any(b[0] != NEXT[a[0]] for a, b in zip(runs, runs[1:])):
        return "not one after the other: %s" % runs
    # Samples are a period of processor time apart; a run may end and begin up to one later.
    far = [r for r in runs[1:-1] if abs(r[1] * period / 1e6 - MS[r[0]]) > 0.3 * MS[r[0]] + 2 * period / 1e6]
    return "runs of other lengths: %s" % far if far else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
