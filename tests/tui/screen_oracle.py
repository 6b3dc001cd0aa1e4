#!/usr/bin/env python3
"""Whether the numbers of a screen follow from `rtevtop log --json` of the same ring.

    screen_oracle.py LOG.jsonl VIEW SCREEN      VIEW: phases, user or pauses

The numbers come from support/stats_oracle.py, which knows nothing of the program.  A number on the screen has three digits, so it
stands for an interval; the right one must lie in it, or for percentiles and shares within 1 % of it.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stats_oracle  # noqa: E402

UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "%": 0.01}
failures = []
checked = 0


def interval(text):
    """The least and the greatest value that would be written so; None for what is no number."""
    if re.fullmatch(r"\d+m\d\ds", text):
        minutes, seconds = text[:-1].split("m")
        value = int(minutes) * 60 + int(seconds)
        return value - 0.5, value + 0.5
    match = re.fullmatch(r"(<?)[≥~]?(\d+(?:\.(\d+))?)(k|M|G|ns|µs|ms|s|%|)", text)
    if not match:
        return None
    unit = UNITS[match[4]]
    value = float(match[2])
    if match[1]:
        return 0, value * unit
    # Whole numbers without a unit are exact.
    half = 0 if match[3] is None and match[4] in ("", "ns") else 0.5 * 10 ** -len(match[3] or "")
    return (value - half) * unit, (value + half) * unit


def check(what, text, right, slack=0.0):
    """A number on the screen against the right one."""
    global checked
    checked += 1
    shown = interval(text)
    if shown is None or not shown[0] * (1 - slack) - 1e-12 <= right <= shown[1] * (1 + slack) + 1e-12:
        failures.append(f"{what}: the screen says {text}, the log {right:.9g}")


def seconds(ns):
    return ns / 1e9


def header(want, lines):
    """The band at the top, which every view has: the target, and gauges, which are of all of a file."""
    first, band = lines[0], "\n".join(lines[1:5])
    check("domains", re.search(r"domains +(\d+)", first)[1], len(want["domains"]))
    check("worst pause", re.search(r"worst pause (\S+)", first)[1], seconds(want["pauses"]["max_s"]))
    check("pause", re.search(r"│ pause +(\S+)", band)[1], seconds(want["pauses"]["max_s"]))
    check("pause p99", re.search(r"p99 (\S+)", band)[1], seconds(want["pauses"]["p99_s"]), 0.01)
    observed = sum(d["gc_s"] / float(d["gc_share"]) for d in want["domains"] if (d["gc_share"] or 0) > 0)
    match = re.search(r"^ GC +(\S+)%.* work (\S+) wait (\S+)", band, re.M)
    if match and observed > 0:
        gc, wait = (sum(d[key] for d in want["domains"]) / observed for key in ("gc_s", "wait_s"))
        check("GC", match[1] + "%", gc, 0.01)
        # The parts are rounded so that they add up.
        check("waiting", match[3] + "%", wait, 0.01)
        if abs(float(match[1]) - float(match[2]) - float(match[3])) > 1e-9:
            failures.append(f"GC: {match[0]} does not add up")


def phases(want, lines):
    """View 3, in which a phase stands once for each stack it was seen in."""
    shown = {}
    for line in lines:
        match = re.match(r" *([a-z_0-9]+) +(\S+) +(\S+) +\S+ +(\S+) +(\S+) +(\S+)$", line)
        if match and interval(match[2]) and line[0] != "r":
            row = shown.setdefault(match[1], [[0, 0], [0, 0], [0, 0], [0, 0]])
            for sums, text in zip(row, (match[2], match[3], match[4])):
                low, high = interval(text)
                sums[0] += low
                sums[1] += high
            row[3] = [max(row[3][i], interval(match[6])[i]) for i in (0, 1)]
    right = {}
    for domain in want["domains"]:
        for name, row in domain["phases"].items():
            sums = right.setdefault(name, [0, 0, 0, 0])
            sums[0] += row["count"]
            sums[1] += seconds(row["total_s"])
            sums[2] += seconds(row["self_s"])
            sums[3] = max(sums[3], seconds(row["max_s"]))
    if set(right) != set(shown):
        failures.append(f"phases differ: {set(right) ^ set(shown)}")
    for name in set(right) & set(shown):
        for what, value, (low, high) in zip(("count", "total", "self", "max"), right[name], shown[name]):
            global checked
            checked += 1
            if not low - 1e-12 <= value <= high + 1e-12:
                failures.append(f"{name} {what}: the screen says {low:.9g} to {high:.9g}, the log {value:.9g}")


def user(want, lines, log):
    """View 4, in which all domains are taken together."""
    domains, _ = stats_oracle.replay(log)
    together = {}
    for d in domains.values():
        for key, values in d.user.items():
            together.setdefault(key, []).extend(values)
    for (name, kind), values in together.items():
        row = next((l for l in lines if re.match(rf"{re.escape(name)} +{kind} ", l)), None)
        if row is None:
            failures.append(f"{name}: no line of its own")
            continue
        check(f"{name} count", row.split()[2], len(values))
        if kind != "span" or not values:
            continue
        opened = sum(len(d.user_open.get(name, [])) for d in domains.values())
        p50, p99, greatest, still, _ = re.search(r"(\S+) +(\S+) +(\S+) +(\d+) +(\S+)$", row).groups()
        check(f"{name} p50", p50, seconds(stats_oracle.percentile(values, "0.5")), 0.01)
        check(f"{name} p99", p99, seconds(stats_oracle.percentile(values, "0.99")), 0.01)
        check(f"{name} max", greatest, seconds(max(values)))
        check(f"{name} open", still, opened)


def pauses(want, lines):
    """View 5: the percentiles and the ten worst."""
    line = next(l for l in lines if l.startswith("pauses "))
    found = dict(re.findall(r"(pauses|mean|p50|p90|p99\.9|p99|max) (\S+)", line))
    keys = {"pauses": "count", "mean": "mean_s", "p50": "p50_s", "p90": "p90_s", "p99": "p99_s", "p99.9": "p99_9_s", "max": "max_s"}
    for name, key in keys.items():
        value = want["pauses"][key]
        check(f"pauses {name}", found[name], value if key == "count" else seconds(value), 0.01 if name[1:2].isdigit() else 0)
    at = next(i for i, l in enumerate(lines) if l.startswith(" duration "))
    for rank, worst in enumerate(want["worst"]):
        duration, domain, phase = lines[at + 1 + rank].split()[:3]
        check(f"worst {rank + 1}", duration, seconds(worst["duration_s"]))
        if (domain, phase) != (f"D{worst['domain']}", worst["phase"]):
            failures.append(f"worst {rank + 1}: {domain} {phase}, the log has D{worst['domain']} {worst['phase']}")


def main(path, view, screen):
    log = [json.loads(line) for line in open(path)]
    lines = [line.rstrip("\n") for line in open(screen)]
    want = stats_oracle.stats(log)
    header(want, lines)
    if view == "phases":
        phases(want, lines)
    elif view == "user":
        user(want, lines, log)
    else:
        pauses(want, lines)
    for failure in failures[:20]:
        print(failure)
    print(f"{view}: {checked} numbers, {len(failures)} wrong")
    return 1 if failures or checked < 5 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
