#!/usr/bin/env python3
"""Judge stacks of `raises HOW`, as code_tool prints them: where C notes which frames an exception passes, these are known.
Fails if one that was walked to its root is another, or if less than READ of them all were.
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
count = whole = 0
for line in open(path):
    end, _, _, *frames = line.split()
    if not any(f.startswith("caml_stash_backtrace:") for f in frames):
        continue
    count += 1
    if end != "0":
        continue
    whole += 1
    seen = [f for f in frames if f.startswith(("Raises", "["))]
    seen = [f for f in seen if not f.startswith("[libc")]
    if seen not in expected:
        sys.exit("%s: another stack than it has: %s" % (how, " ".join(frames)))
print(how, count, whole)
if count < 50 or whole < float(read) * count:
    sys.exit("%s: %d of %d were walked to their root" % (how, whole, count))
