#!/usr/bin/env python3
"""Judge stacks of `raises HOW`, as code_tool prints them: where C notes which frames an exception passes, these are known.
Fails if more than two moments have another that was walked to its root, or if less than READ of them all were.  OCaml's stack is read
some time after the sample was taken: where others use the cores, the program may stand in its next round by then, under frames that
are left of this one.  All samples that are read then have that stack; those of which it is known that they were read too late don't count.
Usage: raises.py FILE HOW READ"""
import sys

path, how, read = sys.argv[1:]
INNER = {
    "raise": ["deep:3"] * 201 + ["once:5", "loop:7", "Raises:13"],
    "by_c": ["by_c:4"] * 201 + ["once:5", "loop:7", "Raises:14"],
    "again": ["deep:3"] * 201 + ["again.(fun):6", "once:5", "again:6", "loop:7", "Raises:15"],
    "fiber": ["deep:3"] * 201 + ["once:5", "loop:7", "[fiber]", "Raises:16"],
}
# The handler raises again, and passes its own frames alone.
expected = [[f if f[0] in "[R" else "Raises." + f for f in INNER[how]]]
if how == "again":
    expected.append(expected[0][201:])
count = whole = wrong = 0
last = None
for line in open(path):
    end, _, top, *frames = line.split()
    if top == "missed" or not any(f.startswith("caml_stash_backtrace:") for f in frames):
        continue
    count += 1
    if end != "0":
        continue
    whole += 1
    seen = [f for f in frames if f.startswith(("Raises", "["))]
    seen = [f for f in seen if not f.startswith("[libc")]
    if seen not in expected and seen != last:
        wrong += 1
        print("%s: another stack than it has: %s" % (how, " ".join(frames)))
    last = seen
print(how, count, whole, wrong)
if wrong > 2:
    sys.exit("%s: other stacks at %d moments" % (how, wrong))
if count < 50 or whole < float(read) * count:
    sys.exit("%s: %d of %d were walked to their root" % (how, whole, count))
