#!/usr/bin/env python3
"""Judge stacks of `mixed`, as code_tool prints them: the functions f9 to f0 call each other in this order.
Prints, for each kind of code at the top, how many samples there were, how many were walked to their root, and how many of
these are wrong.  Fails if more than WRONG of the whole ones are wrong, or less than READ of those in OCaml code are whole.
Usage: mixed.py FILE WRONG READ"""
import collections, re, sys

count = collections.Counter()
for line in open(sys.argv[1]):
    end, searched, top, *frames = line.split()
    kind = top
    if top == "c":
        kind = "c" if len(frames) else "none"
    count[kind, "all"] += 1
    if end != "0":
        count[kind, "end " + end] += 1
        continue
    count[kind, "whole"] += 1
    if searched == "1":
        count[kind, "searched"] += 1
    last, closure, bad = None, False, False
    for f in frames:
        m = re.match(r"Mixed\.f(\d)((?:\.\(fun\))*):", f)
        if m:
            n, inner = int(m.group(1)), m.group(2) != ""
            # A closure of f3 is of f3, which may have left its frame to it.
            if last is not None and n != last - 1 and not (n == last and (inner or closure)):
                bad = True
            last, closure = n, inner
    if last != 0 and any(f.startswith("Mixed.work:") for f in frames):
        bad = True
    if bad:
        count[kind, "wrong"] += 1
        print("wrong:", " ".join(frames))
for kind in sorted({k for k, _ in count}):
    print(kind, {w: count[kind, w] for k, w in sorted(count) if k == kind})
whole = sum(count[k, "whole"] for k in ("c", "ocaml"))
wrong = sum(count[k, "wrong"] for k in ("c", "ocaml"))
if whole < 20 or wrong > float(sys.argv[2]) * whole or count["ocaml", "whole"] < float(sys.argv[3]) * count["ocaml", "all"]:
    sys.exit(1)
