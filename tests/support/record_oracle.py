#!/usr/bin/env python3
"""Whether a recording of a ring file says what `rtevtop log --json` says of it.

    record_oracle.py LOG.jsonl DUMP.jsonl     DUMP is record_dump's of an fxt recording
    record_oracle.py LOG.jsonl TRACE.json     a recording as Chrome's JSON

Every span that was neither dropped nor cut has to be there with its times, every other event once, corruption with its
words, pauses of the target with their times.  The spans are matched by the rules of stats_oracle.py.  A slice may begin
(and then end) up to a few nanoseconds late where several began at one stamp.
"""

import json
import sys
from collections import Counter, defaultdict
from fractions import Fraction

import stats_oracle

TARGET = 4097  # thread id of the track of the target's pauses
WAITS = 4 * 4096  # the track of the waits of domain 0 has this number, as domain 0 has 0
LATE = 64  # ns


class Domain(stats_oracle.Domain):
    """One that keeps each span that ends."""

    def __init__(self):
        super().__init__()
        self.spans = []  # (category, name, begin, end)

    def end(self, ts, name, pauses, domain):
        begins = [span.begin for span in self.stack if span.name == name]
        before = len(self.closed.get(name, []))
        super().end(ts, name, pauses, domain)
        if name != stats_oracle.WAIT and len(self.closed.get(name, [])) > before:
            self.spans.append(("gc", name, begins[-1], ts))

    def user_event(self, ts, line):
        name = line["name"]
        if line["kind"] == "span_end" and self.user_open.get(name):
            begin = self.user_open[name][-1]
            if begin <= ts:
                self.spans.append(("user", name, begin, ts))
        super().user_event(ts, line)


def wanted(lines):
    """What has to be in the recording: spans by track and name, open spans, and a Counter of all else."""
    stats_oracle.Domain = Domain
    domains, _ = stats_oracle.replay(lines)
    spans, opened, rest = defaultdict(list), Counter(), Counter()
    for number, d in domains.items():
        for category, name, begin, end in d.spans:
            spans[number, category, name].append((begin, end))
        spans[WAITS + number, "gc", stats_oracle.WAIT] = d.waited_for
        opened[WAITS + number, "gc", stats_oracle.WAIT] = len(d.waits)
        for span in d.stack:
            opened[number, "gc", span.name] += span.name != stats_oracle.WAIT
        for name, begins in d.user_open.items():
            opened[number, "user", name] += len(begins)
    for line in lines:
        number, kind = line["domain"], line["type"]
        if kind == "counter":
            rest["counter", number, line["name"], line["ts"], line["value"]] += 1
        elif kind == "alloc":
            rest["alloc", number, line["ts"], tuple(line["buckets"])] += 1
        elif kind == "lifecycle":
            rest["lifecycle", number, line["event"], line["ts"], line["data"]] += 1
        elif kind == "corrupt":
            # what a finished file has lost is history, and shows nowhere
            rest[kind, number] += line["words"]
        elif kind == "user" and line["kind"] == "int":
            rest["int", number, line["name"], line["ts"], line["value"]] += 1
        elif kind == "user" and line["kind"] == "unit":
            rest["unit", number, line["name"], line["ts"]] += 1
        elif kind == "user" and line["kind"] == "custom":
            rest["custom", number, line["name"], line["ts"], line["data"]] += 1
    for begin, end in stats_oracle.target_pauses(lines):
        rest["paused", begin, end] += 1
    return spans, +opened, +rest


def text(value):
    return bytes.fromhex(value).decode("utf-8") if isinstance(value, str) else value


def flow(event, track, ts):
    """A flow of its begin and its end: kind, tracks of both, category, name, begin, end."""
    return ["flow", (event[1], track), *event[2:5], ts, {}]


def events_of_dump(path):
    """The events of a dump: (kind, track, category, name, begin, end, args), and the names of the tracks."""
    events, names, begun, allocs = [], {}, {}, {}
    for line in map(json.loads, open(path, encoding="utf-8")):
        if line["kind"] == "name" and line["type"] == 2:
            names[line["id"]] = text(line["name"])
        if line["kind"] in ("name", "ticks"):
            continue
        kind, name = line["kind"], text(line["name"])
        args = {text(k): text(v) for k, v in line["args"].items()}
        event = [kind, line["tid"], text(line["cat"]), name, line["ts"], line["word"], args]
        if kind in ("async_begin", "flow_begin"):
            begun[line["word"], name] = event
            continue
        if kind == "flow_end":
            event = flow(begun.pop((line["word"], name)), line["tid"], line["ts"])
        if kind == "async_end":
            event = begun.pop((line["word"], name))
            event[0], event[5] = "async", line["ts"]
        if kind == "counter" and line["word"] != line["tid"] - 1:
            raise SystemExit("a counter's id is not its domain")
        if kind == "counter" and text(line["cat"]) == "counters" and name == "alloc":
            # two records hold one event
            first = allocs.pop(line["tid"], None)
            if first is None:
                allocs[line["tid"]] = event
                continue
            event = first
            event[6].update(args)
        events.append(event)
    if begun or allocs:
        raise SystemExit("half of an event is missing")
    return events, names


def events_of_json(path):
    """The events and names of Chrome's JSON, whose slices are seen to nest."""
    def ns(value):
        scaled = Fraction(value) * 1000
        if scaled.denominator != 1:
            raise SystemExit("a time is not in whole nanoseconds")
        return int(scaled)

    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_float=Fraction)
    origin = int(trace["otherData"]["origin_monotonic_ns"])
    events, names, begun, stacks = [], {}, {}, defaultdict(list)
    for e in trace["traceEvents"]:
        phase, args = e["ph"], e.get("args", {})
        if phase == "M":
            if e["name"] == "thread_name":
                names[e["tid"]] = args["name"]
            continue
        ts = ns(e["ts"]) + origin
        if not 0 <= e["ts"] < 2**43:
            raise SystemExit("a time has no nanoseconds in a double")
        event = [phase, e["tid"], e["cat"], e["name"], ts, ts, args]
        if phase == "X":
            event[0], event[5] = "slice", ts + ns(e["dur"])
        elif phase == "s":
            begun[e["id"], e["name"]] = event
            continue
        elif phase == "f":
            if e["bp"] != "e":
                raise SystemExit("a flow does not end in the slice around it")
            event = flow(begun.pop((e["id"], e["name"])), e["tid"], ts)
        elif phase == "b":
            begun[e["id2"]["local"], e["name"]] = event
            continue
        elif phase == "e":
            event = begun.pop((e["id2"]["local"], e["name"]))
            event[0], event[5] = "async", ts
        elif phase == "i":
            event[0] = "instant"
        elif phase == "C":
            event[0] = "counter"
        else:
            raise SystemExit("unexpected phase %s" % phase)
        events.append(event)
    if begun:
        raise SystemExit("an asynchronous slice has no end")
    for e in sorted((e for e in events if e[0] == "slice"), key=lambda e: e[4]):
        stack = stacks[e[1]]
        while stack and stack[-1] <= e[4]:
            stack.pop()
        if stack and e[5] > stack[-1]:
            raise SystemExit("%s at %d ends after the slice around it" % (e[3], e[4]))
        stack.append(e[5])
    return events, names


def found(events):
    """What is in a recording, in the form of wanted()."""
    spans, opened, rest = defaultdict(list), Counter(), Counter()
    for kind, tid, category, name, begin, end, args in events:
        if category == "fiber":  # fiber_tracks.py looks at them
            continue
        number = tid - 1
        if kind in ("slice", "async") and category in ("gc", "user"):
            if args.get("open"):
                opened[number, category, name] += 1
            else:
                spans[number, category, name].append((begin, end))
        elif kind == "slice" and tid == TARGET:
            rest["paused", begin, end] += 1
        elif kind == "slice":
            rest[name, number] += args["words"]
        elif kind == "counter" and name == "alloc" and category == "counters":
            rest["alloc", number, begin, tuple(args.values())] += 1
        elif kind == "counter":
            (value,) = args.values()
            rest["int" if category == "user" else "counter", number, name, begin, value] += 1
        elif category == "lifecycle":
            rest["lifecycle", number, name, begin, args["data"]] += 1
        elif args:
            data = args["hex"] if "hex" in args else args["text"].encode().hex()
            if len(data) != 2 * args["length"]:
                raise SystemExit("a payload's length is wrong")
            rest["custom", number, name, begin, data] += 1
        else:
            rest["unit", number, name, begin] += 1
    return spans, +opened, +rest


def differences(lines, events, names):
    want, have = wanted(lines), found(events)
    for key in sorted(set(want[0]) | set(have[0])):
        a, b = sorted(want[0].get(key, [])), sorted(have[0].get(key, []))
        if len(a) != len(b):
            yield "%s: %d spans, expected %d" % (key, len(b), len(a))
        for x, y in zip(a, b):
            if not (0 <= y[0] - x[0] <= LATE and 0 <= y[1] - x[1] <= LATE):
                yield "%s: %s, expected %s" % (key, y, x)
                break
    for i, what in ((1, "open"), (2, "event")):
        for key, count in (want[i] - have[i]).items():
            yield "%s %s is missing %d times" % (what, key, count)
        for key, count in (have[i] - want[i]).items():
            yield "%s %s is there %d times too often" % (what, key, count)
    for number in {line["domain"] for line in lines}:
        if names.get(number + 1) != "D%d" % number:
            yield "the track of domain %d is named %r" % (number, names.get(number + 1))


def main(args):
    if len(args) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(args[0], encoding="utf-8") as log:
        lines = [json.loads(line) for line in log]
    events, names = (events_of_json if args[1].endswith(".json") else events_of_dump)(args[1])
    if not any(e[0] == "slice" for e in events):
        print("there is no slice at all")
        return 1
    result = list(differences(lines, events, names))
    for line in result[:20]:
        print(line)
    return 1 if result else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
