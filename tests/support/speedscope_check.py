"""Hold a profile against the rules of speedscope's file format, and find a function in it.

Usage: speedscope_check.py FILE FUNCTION LOW HIGH SOURCE [SAMPLES]: FUNCTION, which is in the file SOURCE, is on the stacks of a
share of all weight between LOW and HIGH; the whole weight is that of SAMPLES samples of one size.

The rules are those of the format's own schema: which members there are, of which type, and which must be there; and those that
its text adds: samples and weights are as many, their numbers are of frames, the end is the begin and all weights.
"""
import json
import sys

UNITS = {"none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def members(thing, needed, more):
    assert isinstance(thing, dict), f"{thing!r} is no object"
    for name, check in needed.items():
        assert name in thing and check(thing[name]), f"{name}: {thing.get(name)!r}"
    for name, check in more.items():
        assert name not in thing or check(thing[name]), f"{name}: {thing[name]!r}"
    assert not set(thing) - set(needed) - set(more), f"no member of the format: {set(thing) - set(needed) - set(more)}"


def is_text(value):
    return isinstance(value, str)


def is_list(value):
    return isinstance(value, list)


path, function, low, high, source = sys.argv[1:6]
whole = json.load(open(path))
members(
    whole,
    {"$schema": lambda v: v == "https://www.speedscope.app/file-format-schema.json",
     "shared": lambda v: isinstance(v, dict), "profiles": is_list},
    {"name": is_text, "exporter": is_text, "activeProfileIndex": lambda v: v in range(len(whole["profiles"]))})
members(whole["shared"], {"frames": is_list}, {})
frames = whole["shared"]["frames"]
for frame in frames:
    members(frame, {"name": is_text}, {"file": is_text, "line": is_number, "col": is_number})
assert whole["profiles"], "no profile"
total = found = least = 0
for profile in whole["profiles"]:
    members(
        profile,
        {"type": lambda v: v == "sampled", "name": is_text, "unit": lambda v: v in UNITS, "startValue": is_number,
         "endValue": is_number, "samples": is_list, "weights": is_list}, {})
    assert profile["samples"] and len(profile["samples"]) == len(profile["weights"]), "as many weights as samples"
    assert profile["endValue"] == profile["startValue"] + sum(profile["weights"]), "the end is the sum of the weights"
    for stack, weight in zip(profile["samples"], profile["weights"]):
        assert weight > 0 and all(number in range(len(frames)) for number in stack), "numbers of frames"
        total += weight
        least = min(least or weight, weight)
        found += weight if any(frames[number]["name"] == function for number in stack) else 0
files = {frame.get("file") for frame in frames if frame["name"] == function}
print(total, found / total, files)
assert float(low) <= found / total <= float(high), f"{function}: {found / total}"
assert files == {source}, files
if len(sys.argv) > 6:
    assert total % int(sys.argv[6]) == 0, f"{total} for {sys.argv[6]} samples"
