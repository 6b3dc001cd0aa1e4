"""Decode a profile of pprof without the program's help, and check it.

Usage: pprof_oracle.py FILE FUNCTION LOW HIGH SOURCE: FUNCTION, which is in the file SOURCE, is on the stacks of a share of
the samples, of those whose callers are known, between LOW and HIGH.
"""
import gzip
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value = data[at:at + size]
            assert len(value) == size, "a field beyond the end"
            at += size
        else:
            raise ValueError("wire type %d" % (key & 7))
        yield key >> 3, value


def message(data):
    out = {}
    for number, value in fields(data):
        out.setdefault(number, []).append(value)
    return out


def numbers(message, field):
    out = []
    for value in message.get(field, []):
        if isinstance(value, int):
            out.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            out.append(number)
    return out


data = open(sys.argv[1], "rb").read()
if sys.argv[1].endswith(".gz"):
    data = gzip.decompress(data)
profile = message(data)
strings = [s.decode() for s in profile[6]]
assert strings[0] == "", "string 0"
types = [message(t) for t in profile[1]]
kinds = [(strings[t[1][0]], strings[t[2][0]]) for t in types]
assert kinds == [("samples", "count"), ("cpu", "nanoseconds")], kinds
period = profile[12][0]
functions = {}
for f in map(message, profile[5]):
    assert f[1][0] not in functions and f[1][0] != 0, "an id twice"
    functions[f[1][0]] = (strings[f[2][0]], strings[f.get(4, [0])[0]])
locations = {}
for l in map(message, profile[4]):
    lines = [message(x) for x in l[4]]
    assert l[1][0] not in locations and l[1][0] != 0, "an id twice"
    locations[l[1][0]] = [(functions[x[1][0]], x.get(2, [0])[0]) for x in lines]
count = known = through = 0
sources = set()
for s in map(message, profile[2]):
    values = numbers(s, 2)
    assert len(values) == 2 and values[1] == values[0] * period, values
    for label in map(message, s.get(3, [])):
        assert strings[label[1][0]] == "domain", "a label"
    stack = [locations[i] for i in numbers(s, 1)]
    count += values[0]
    names = {function[0] for location in stack for function, line in location}
    sources |= {function[1] for location in stack for function, line in location if function[0] == sys.argv[2]}
    if "[caller not known]" in names:
        continue
    known += values[0]
    if sys.argv[2] in names:
        through += values[0]
assert known > 0, "no samples"
share = through / known
print(count, share, sources)
assert float(sys.argv[3]) < share < float(sys.argv[4]), share
assert sys.argv[5] in sources, sources
