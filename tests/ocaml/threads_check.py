#!/usr/bin/env python3
"""threads_check.py LOG.jsonl STATS.json ROUNDS

A ring in which threads wait while others collect: the report has the pauses and the time that stats_oracle.py counts in the log,
and these are at least eight in ten of all that stood outermost, waits aside; each domain has at least ROUNDS of them.  The rest
is the work of backup threads, which have a domain while the thread that collects yields: up to a tenth was seen on a busy machine.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stats_oracle  # noqa: E402


def outermost(lines, domain):
    """How many spans of a domain have no other around them, and for how long, when waits are left out."""
    depth = count = since = time = 0
    for line in lines:
        if line["domain"] != domain or line.get("phase", "domain_condition_wait") == "domain_condition_wait":
            continue
        if line["type"] == "begin":
            since = line["ts"] if depth == 0 else since
            depth += 1
        elif depth > 0:
            depth -= 1
            count += depth == 0
            time += line["ts"] - since if depth == 0 else 0
    return count, time


def main(log, stats, rounds):
    with open(log, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    with open(stats, encoding="utf-8") as file:
        text = file.read()
    faults = stats_oracle.compare(stats_oracle.stats(lines), text)
    if any(line["type"] == "lost" for line in lines):
        faults.append("events were lost: the rings are too small for the test")
    report, counts = json.loads(text), 0
    for d in report["domains"]:
        count, time = outermost(lines, d["domain"])
        counts += count
        if d["gc_s"] * 1e9 < 0.8 * time or count < rounds:
            faults.append("D%d has %.6f s of pauses of %.6f, %d rounds" % (d["domain"], d["gc_s"], time / 1e9, count))
    if report["pauses"]["count"] < 0.8 * counts:
        faults.append("%d pauses of %d" % (report["pauses"]["count"], counts))
    print("\n".join(faults[:20]) or "%d pauses of %d" % (report["pauses"]["count"], counts))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
