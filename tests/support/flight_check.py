#!/usr/bin/env python3
"""Whether the lines of `rtevtop record --on-pause MS` and the files that they tell of agree.

    flight_check.py MS LINES      PATH.jsonl is record_dump's of each PATH

Each file holds its pause in full, at its time on the wall clock, nothing that is later than a second after it by more
than a margin, and what is told to be inside.
"""

import json
import re
import sys
from datetime import datetime


def text(value):
    return bytes.fromhex(value).decode("utf-8") if isinstance(value, str) else value


def check(line, ms):
    path, wall, domain, duration, phase, anatomy, stop, others, why = line.split("\t")
    length = float(duration.replace("ms", "").replace(" and on", ""))
    assert length > ms, "the pause is too short: " + line
    assert stop == "-" or stop.startswith("led by D"), stop
    assert others == "-" or others.endswith((" others in it", "1 other in it")), others
    waited = re.search(r"(?:^|: )D(\d+) waited \S+ (?:\S+ )?of \S+ for D(\d+)", why)
    assert why == "-" or why.startswith("in ") or waited, why
    assert waited is None or "D" + waited[1] == domain != "D" + waited[2], (why, domain)
    shares = [int(part.rsplit(" ", 1)[1].rstrip("%")) for part in anatomy.split(", ")]
    assert 80 <= sum(shares) <= 106, anatomy
    assert shares == sorted(shares, reverse=True), anatomy
    events = [json.loads(l) for l in open(path + ".jsonl", encoding="utf-8")]
    (ticks,) = [e for e in events if e["kind"] == "ticks"]
    begin = datetime.strptime(wall, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() * 1e9
    slices = [e for e in events if e["kind"] == "slice" and e["tid"] == int(domain[1:]) + 1]
    (own,) = [
        e
        for e in slices
        if text(e["name"]) == phase and abs((e["word"] - e["ts"]) / 1e6 - length) < 0.00051
        and abs(ticks["time"] + e["ts"] - ticks["ticks"] - begin) < 5e6
    ]
    named = {part.rsplit(" ", 1)[0] for part in anatomy.split(", ")} - {phase}
    inside = {text(e["name"]) for e in slices if own["ts"] <= e["ts"] and e["word"] <= own["word"] and e is not own}
    assert named <= inside, (named, inside)
    last = max(max(e["ts"], e["word"] if e["kind"] == "slice" else 0) for e in events if "ts" in e)
    assert last <= own["word"] + 1_000_000_000, last - own["word"]


def main(args):
    for line in open(args[1], encoding="utf-8"):
        check(line.rstrip("\n"), float(args[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
