#!/usr/bin/env python3
"""Whether a target was read whole: what was read of it live against what its ring, which was kept, holds.

    whole.py log LIVE.jsonl KEPT.jsonl      the same events on each domain
    whole.py tail LIVE.jsonl KEPT.jsonl     the live events of each domain end with those kept
    whole.py stats LIVE.json KEPT.json      the same figures
"""

import json
import sys

# What a ring file can't know, or knows by other means.
OTHER = {
    "pid",
    "ocaml",
    "ocaml_from",
    "duration_s",
    "history_lost_words",
    "system",
    "settings",
    "findings",
    "findings_left_out",
    "findings_summary",
    "verdict",
    "headline",
    "heap_growth_bytes_per_min",
    "levels",
    "locks",
    "gc_no_processor_most_s",
    "no_processor_most_s",
    "gc_share",
}


def domains(path):
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            found.setdefault(json.loads(line)["domain"], []).append(line)
    return found


def without(figures):
    if isinstance(figures, dict):
        return {key: without(value) for key, value in figures.items() if key not in OTHER}
    return [without(value) for value in figures] if isinstance(figures, list) else figures


def first_difference(live, kept):
    at = next((i for i, (a, b) in enumerate(zip(live, kept)) if a != b), min(len(live), len(kept)))
    return f"{len(live)} events live, {len(kept)} kept; at {at}: {live[at:at + 1]} and {kept[at:at + 1]}"


def compare(what, live, kept):
    if what == "stats":
        with open(live, encoding="utf-8") as a, open(kept, encoding="utf-8") as b:
            left, right = without(json.load(a)), without(json.load(b))
        return [f"{key}: {left.get(key)} live, {right[key]} kept" for key in right if left.get(key) != right[key]]
    left, right = domains(live), domains(kept)
    if left.keys() != right.keys():
        return [f"domains {sorted(left)} live, {sorted(right)} kept"]
    if what == "tail":
        right = {d: [line for line in lines if '"lost"' not in line] for d, lines in right.items()}
        left = {d: lines[-len(right[d]) :] for d, lines in left.items()}
    return [f"domain {d}: {first_difference(left[d], right[d])}" for d in right if left[d] != right[d]]


differences = compare(*sys.argv[1:])
for text in differences:
    print(text[:500], file=sys.stderr)
sys.exit(1 if differences else 0)
