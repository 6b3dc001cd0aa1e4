#!/usr/bin/env python3
"""What `rtevtop stats --json` has to say of a ring file, worked out from `rtevtop log --json` alone.

    stats_oracle.py LOG.jsonl               print the object
    stats_oracle.py LOG.jsonl STATS.json    compare: status 1 and the first differences if there are any

It knows nothing of the program: it keeps every duration in a list and sorts it, goes over all resumes for each
event, and counts in whole nanoseconds of any size.  The log is that of a finished file, so lost words are
history.  `pid`, `ocaml` and `ocaml_from` are not compared.
"""

import json
import sys
from fractions import Fraction

NS = 10**9
WAIT = "domain_condition_wait"


class Seconds(int):
    """Nanoseconds that print as seconds."""


class Percentile(Seconds):
    """Nanoseconds that may be off by 1 %."""


class Share(float):
    pass


# Phases in which a domain waits for the others.
WAITING = {"stw_leader", "stw_handler", "stw_api_barrier", "minor_leave_barrier", "domain_condition_wait"}


class Span:
    def __init__(self, name, begin, pause):
        self.name = name
        self.begin = begin
        self.pause = pause
        self.children = 0  # ns in counted spans right inside
        self.inside = []  # (name, duration, self) of all counted spans inside


class Domain:
    def __init__(self):
        self.stamps = []
        self.stack = []  # open runtime spans, outermost first; one of WAIT is the time for which the domain is idle
        self.waits = []  # begins of the waits of threads that are open
        self.waited_for = []  # begin and end of each wait that has ended
        self.to_wait = False  # the open pause says nothing of the time after it, in which the domain is idle again
        self.handled = 0  # end of what was last handled while it was idle
        self.user_open = {}  # name -> begins of its open spans
        self.closed = {}  # phase -> [(duration, self)]
        self.counters = {}  # name -> values
        self.user = {}  # (name, kind) -> values or durations
        self.gc = 0
        self.waited = 0  # of gc: own time of the phases of WAITING
        self.dropped = 0
        self.passed = set()  # resumes that have been applied
        self.parts = [[]]  # the stamps, in parts that corrupt stretches part, and the ends of domains
        self.firsts, self.lasts = [], []  # the first stamp, and those around where stamps went back
        self.dead = None  # when the domain ended, until another one begins in its slot

    def drop(self, is_lost):
        """Drop the open spans whose begin is_lost, of both sorts."""
        kept = []
        for span in self.stack:
            if is_lost(span.begin):
                self.dropped += 1
                self.to_wait = False
                if kept:  # what was counted inside it is still inside the one around it
                    kept[-1].children += span.children
                    kept[-1].inside += span.inside
            else:
                kept.append(span)
        self.stack = kept
        for name, begins in self.user_open.items():
            left = [b for b in begins if not is_lost(b)]
            self.dropped += len(begins) - len(left)
            self.user_open[name] = left
        self.waits = [begin for begin in self.waits if not is_lost(begin)]

    def resume(self, resumes, now):
        """Apply the resumes before `now` that this ring has not met yet (all of them for None)."""
        for r in resumes:
            if r not in self.passed and (now is None or r < now):
                self.passed.add(r)
                self.drop(lambda begin: begin < r)

    def awake(self, ts, line, pauses, domain):
        """An event shows that a thread runs, unless the backup thread does that for an idle domain."""
        if not self.stack or self.stack[-1].name != WAIT or line.get("phase") == "stw_handler":
            return
        begins = line["phase"] if line["type"] == "begin" else None
        if self.stack[-1].children and begins in ("major", "stw_leader") and 0 <= ts - self.handled < 1000:
            return
        to_wait = len(self.stack) == 1 and begins and (begins in ("interrupt_remote", "major") or 0 <= ts - self.stack[0].begin < 1000)
        self.end(ts, WAIT, pauses, domain)
        self.to_wait = bool(to_wait)

    def wait(self, ts, begins, pauses, domain):
        """A thread begins to wait, or has waited.  Which one it is nobody knows: let it be the latest."""
        idle = any(span.name == WAIT for span in self.stack)
        if begins:
            self.waits.append(ts)
            if not idle:
                self.stack.append(Span(WAIT, ts, False))
            return
        self.to_wait = False
        if idle:
            self.end(ts, WAIT, pauses, domain)
        elif not self.waits:
            self.dropped += 1
        begin = self.waits.pop() if self.waits else None
        if begin is not None and begin <= ts:
            self.waited_for.append((begin, ts))

    def begin(self, ts, name):
        self.stack.append(Span(name, ts, not self.stack))

    def abandon(self, span):
        """The innermost span, just taken off the stack, does not count."""
        self.dropped += 1
        self.to_wait = False
        if self.stack:
            self.stack[-1].children += span.children
            self.stack[-1].inside += span.inside

    def end(self, ts, name, pauses, domain):
        if all(span.name != name for span in self.stack):
            self.dropped += 1
            return
        while self.stack[-1].name != name:
            self.abandon(self.stack.pop())
        span = self.stack.pop()
        if ts < span.begin:
            self.abandon(span)
            return
        duration = ts - span.begin
        own = max(0, duration - span.children)
        self.closed.setdefault(name, []).append((duration, own))
        if self.stack:
            self.stack[-1].children += duration
            self.stack[-1].inside += span.inside + [(name, duration, own)]
        if span.pause:
            self.gc += duration
            self.waited += sum(one[2] for one in [(name, duration, own)] + span.inside if one[0] in WAITING)
            pauses.append((duration, span.begin, domain, name, span.inside))
        if self.stack and self.stack[-1].name == WAIT:
            self.handled = ts
        if self.to_wait and not self.stack:
            self.to_wait = False
            self.stack.append(Span(WAIT, ts, False))

    def user_event(self, ts, line):
        name, kind = line["name"], line["kind"]
        if kind == "span_begin":
            self.user.setdefault((name, "span"), [])
            self.user_open.setdefault(name, []).append(ts)
        elif kind == "span_end":
            done = self.user.setdefault((name, "span"), [])
            begins = self.user_open.get(name)
            begin = begins.pop() if begins else None
            if begin is None or ts < begin:
                self.dropped += 1
            else:
                done.append(ts - begin)
        else:
            self.user.setdefault((name, kind), []).append(line.get("value"))


def percentile(values, p):
    """Nearest rank: sorted[ceil(p n) - 1]."""
    rank = -(-Fraction(p) * len(values) // 1)
    return sorted(values)[max(int(rank), 1) - 1]


def signed(value):
    """As 64 bits see it."""
    return (value + 2**63) % 2**64 - 2**63


def target_pauses(lines):
    """Disjoint stretches (from, to) in which the target had paused its events."""
    stamps = sorted(l["ts"] for l in lines if "ts" in l)
    noted = [l["ts"] for l in lines if l.get("event") == "ring_pause"]
    result, before = [], None
    for r in sorted({l["ts"] for l in lines if l.get("event") == "ring_resume"}):
        marks = [p for p in noted if p <= r and (before is None or p > before)]
        earlier = [t for t in stamps if t < r]
        if marks or earlier:
            start = max(marks) if marks else earlier[-1]
            if before is not None:
                start = max(start, before)
            if start < r:
                result.append((start, r))
        before = r
    return result


class Histogram(list):
    """Durations, of which a report may choose the bins: as many lie up to the upper end of each as it says."""

    def differences(self, have, where):
        count, before = 0, -1
        for bin in have if isinstance(have, list) else [None]:
            if not (isinstance(bin, list) and len(bin) == 2 and bin[0] * NS > before and bin[1] > 0):
                yield "%s is no rising list of bins: %s" % (where, bin)
                return
            before = bin[0] * NS
            count += bin[1]
            if count != sum(1 for value in self if value <= before):
                yield "%s has %d values up to %s s" % (where, count, float(bin[0]))
                return
        if count != len(self):
            yield "%s has %d values, expected %d" % (where, count, len(self))


def phase_table(spans):
    """{name: figures} of (name, duration, self) triples."""
    table = {}
    for name in sorted({s[0] for s in spans}):
        mine = [s for s in spans if s[0] == name]
        table[name] = {
            "count": len(mine),
            "total_s": Seconds(sum(s[1] for s in mine)),
            "self_s": Seconds(sum(s[2] for s in mine)),
            "max_s": Seconds(max(s[1] for s in mine)),
        }
    return table


def user_table(d):
    table = {}
    for (name, kind), values in d.user.items():
        opened = len(d.user_open.get(name, [])) if kind == "span" else 0
        if not values and not opened:
            continue
        entry = {"kind": kind, "count": len(values)}
        if kind == "span":
            entry["total_s"] = Seconds(sum(values))
            entry["p50_s"] = Percentile(percentile(values, "0.5")) if values else None
            entry["p99_s"] = Percentile(percentile(values, "0.99")) if values else None
            entry["max_s"] = Seconds(max(values)) if values else None
            entry["open"] = opened
            entry["histogram"] = Histogram(values)
        if kind == "int":
            entry["last"] = values[-1]
            entry["min"] = min(values)
            entry["max"] = max(values)
        table[name + "\0" + kind] = entry  # one name may be written with several kinds
    return table


def replay(lines):
    """The domains and the pauses of a log."""
    resumes = sorted({l["ts"] for l in lines if l.get("event") == "ring_resume"})
    domains, pauses = {}, []
    for line in lines:
        d = domains.setdefault(line["domain"], Domain())
        kind = line["type"]
        if kind in ("lost", "corrupt"):
            d.drop(lambda begin: True)
            if kind == "corrupt":
                d.passed.clear()
                d.parts.append([])
            continue
        ts = line["ts"]
        d.resume(resumes, ts)
        # Stamps may go back after a corrupt stretch; what was observed is then in parts.
        while not d.parts[-1] and len(d.parts) > 1 and (not d.stamps or ts >= d.stamps[-1]):
            d.parts[-2:] = [d.parts[-2]]
        if not d.parts[-1]:
            d.dead = None
            d.firsts.append(ts)
            d.lasts += d.stamps[-1:]
        event = line.get("event")
        if event in ("domain_spawn", "ring_start"):
            if d.dead is not None and ts > d.dead:
                d.parts.append([])
            d.dead = None
            d.waits = []
        ends = event in ("domain_terminate", "ring_stop")
        if d.dead is None or ends:
            d.parts[-1].append(ts)
        d.dead = ts if ends else d.dead
        d.stamps.append(ts)
        if line.get("phase") == WAIT:
            d.wait(ts, kind == "begin", pauses, line["domain"])
            continue
        d.awake(ts, line, pauses, line["domain"])
        if kind == "begin":
            d.begin(ts, line["phase"])
        elif kind == "end":
            d.end(ts, line["phase"], pauses, line["domain"])
        elif kind == "counter":
            d.counters.setdefault(line["name"], []).append(line["value"])
        elif kind == "user":
            d.user_event(ts, line)
    for d in domains.values():
        d.resume(resumes, None)
    return domains, pauses


GAUGES = "major_heap_"  # what the names of levels begin with: the sum of several says nothing


def domain_object(number, d, stops, alone):
    observed = 0
    for part in filter(None, d.parts):
        first, last = part[0], part[-1]
        observed += max(last - first, 0)
        observed -= sum(max(0, min(last, b) - max(first, a)) for a, b in stops)
    spans = [(name, *one) for name, done in d.closed.items() for one in done]
    return {
        "domain": number,
        "gc_s": Seconds(d.gc),
        "gc_share": Share(min(Fraction(d.gc, observed), 1)) if observed > 0 else None,
        "phases": phase_table(spans),
        "counters": {
            name: {
                "count": len(v),
                "sum": None if name.startswith(GAUGES) else signed(sum(v)),
                "last": v[-1],
                "min": min(v),
                "max": max(v),
            }
            for name, v in d.counters.items()
        },
        "user": user_table(d),
        "wait_s": Seconds(0 if alone else d.waited),  # the only domain waits for no other
    }


def stats(lines):
    domains, pauses = replay(lines)
    stops = target_pauses(lines)
    seen = {n: d for n, d in sorted(domains.items()) if d.stamps}
    durations = [p[0] for p in pauses]
    worst = sorted(pauses, key=lambda p: (-p[0], p[1], p[2]))[:10]
    n = len(durations)
    first = min((min(d.firsts) for d in seen.values()), default=0)
    last = max((max(d.lasts + d.stamps[-1:]) for d in seen.values()), default=0)
    return {
        "pid": None,
        "ocaml": None,
        "ocaml_from": None,
        "duration_s": Seconds(max(last - first, 0)),
        "events": sum(len(d.stamps) for d in seen.values()),
        "lost_words": 0,
        "history_lost_words": sum(l["words"] for l in lines if l["type"] == "lost"),
        "dropped": sum(d.dropped for d in domains.values()),
        "open": sum(len(d.stack) + sum(map(len, d.user_open.values())) for d in domains.values()),
        "domains": [domain_object(number, d, stops, set(domains) == {0}) for number, d in seen.items()],
        "pauses": {
            "count": n,
            "mean_s": Seconds(sum(durations) // n) if n else None,
            "p50_s": Percentile(percentile(durations, "0.5")) if n else None,
            "p90_s": Percentile(percentile(durations, "0.9")) if n else None,
            "p99_s": Percentile(percentile(durations, "0.99")) if n else None,
            "p99_9_s": Percentile(percentile(durations, "0.999")) if n else None,
            "max_s": Seconds(max(durations)) if n else None,
            "histogram": Histogram(durations),
        },
        "worst": [
            {
                "ts": ts,
                "domain": domain,
                "phase": phase,
                "duration_s": Seconds(duration),
                "phases": phase_table(inside),
            }
            for duration, ts, domain, phase, inside in worst
        ],
        "ignored": 0,
        "restarts": 0,
    }


def render(value):
    """JSON text, seconds with nine decimals."""
    if isinstance(value, Seconds):
        return "%d.%09d" % divmod(value, NS)
    if isinstance(value, Share):
        return "%.9f" % value
    if isinstance(value, dict):
        members = (json.dumps(k.split("\0")[0]) + ":" + render(v) for k, v in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, Histogram):
        return "[" + ",".join("[%s,%d]" % (render(Seconds(v)), value.count(v)) for v in sorted(set(value))) + "]"
    if isinstance(value, list):
        return "[" + ",".join(map(render, value)) + "]"
    return json.dumps(value)


def differences(want, have, where):
    """Yield what `have`, read from JSON with its numbers kept exact, says otherwise than `want`."""
    if isinstance(want, dict):
        if not isinstance(have, dict):
            yield "%s is no object" % where
            return
        for key in sorted(set(want) | set(have)):
            if key not in have:
                yield "%s lacks %r" % (where, key)
            elif key not in want:
                yield "%s has %r" % (where, key)
            else:
                yield from differences(want[key], have[key], "%s[%r]" % (where, key))
    elif isinstance(want, Histogram):
        yield from want.differences(have, where)
    elif isinstance(want, list):
        if not isinstance(have, list) or len(want) != len(have):
            yield "%s is not a list of %d" % (where, len(want))
            return
        for i, (w, h) in enumerate(zip(want, have)):
            yield from differences(w, h, "%s[%d]" % (where, i))
    elif isinstance(want, (Seconds, Share)):
        if not isinstance(have, Fraction):
            yield "%s is no number" % where
            return
        if isinstance(want, Share):
            wanted, tolerance = Fraction(want), Fraction(1, 10**6)
        else:
            wanted, tolerance = Fraction(int(want), NS), Fraction(1, NS)
        if isinstance(want, Percentile):
            tolerance = max(tolerance, wanted / 100)
        if abs(wanted - have) > tolerance:
            yield "%s is %.9f, expected %.9f" % (where, have, wanted)
    elif isinstance(want, str) or isinstance(have, str):
        if want != have:
            yield "%s is %r, expected %r" % (where, have, want)
    elif have != want:
        yield "%s is %s, expected %s" % (where, have, want)


def distinct(pairs):
    """An object; user events of one name and several kinds, to which a report adds the kind, are kept apart as by user_table."""
    return {k.removesuffix("#" + v["kind"]) + "\0" + v["kind"] if isinstance(v, dict) and "kind" in v else k: v for k, v in pairs}


def compare(want, text):
    """The differences of a report, as JSON text, from the object wanted."""
    try:
        have = json.loads(text, parse_float=Fraction, parse_int=Fraction, object_pairs_hook=distinct)
    except ValueError as error:
        return ["stats is no JSON: %s" % error]
    if not isinstance(have, dict):
        return ["stats is no object"]
    anything = {}
    for key in ("pid", "ocaml", "ocaml_from"):
        if key not in have:
            return ["stats lacks %r" % key]
        anything[key] = have[key]
    # What is advised does not follow from totals: tests/advice.
    for key in ("findings", "findings_left_out"):
        if not isinstance(have.pop(key, []), list):
            return ["%r is no list" % key]
    # Nor does what the kernel says of a process, or how its runtime was set: a file has no process.
    if have.pop("system", None) is not None and have["pid"] is None:
        return ["a file has a process"]
    if have.pop("gc_no_processor_most_s", None) is not None and have["pid"] is None:
        return ["a file waited for a processor"]
    for pause in have["worst"]:
        if pause.pop("no_processor_most_s") is not None and have["pid"] is None:
            return ["a pause of a file waited for a processor"]
    have.pop("settings", None)
    have.pop("findings_summary", None)
    have.pop("verdict", None)
    have.pop("headline", None)
    have.pop("heap_growth_bytes_per_min", None)  # tests/figures
    have.pop("levels", None)  # tests/figures
    # Fibers have an oracle of their own, fibers_oracle.py; the runtime's memory is that of a process.
    have.pop("runtime", None)
    have.pop("fibers", None)
    have.pop("code", None)
    have.pop("locks", None)
    return list(differences({**want, **anything}, have, "stats"))


def main(args):
    if len(args) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    with open(args[0], encoding="utf-8") as log:
        want = stats([json.loads(line) for line in log])
    if len(args) == 1:
        print(render(want))
        return 0
    with open(args[1], encoding="utf-8") as given:
        found = compare(want, given.read())
    for line in found[:20]:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
