#!/usr/bin/env bash
# User events that take more memory than a model may have: the rest is counted as ignored, and told of.
. "$(dirname "$0")/../support/lib.sh"
need python3 timeout
events=$(python3 "$(dirname "$0")/../support/too_many.py" "$work/many.events") || fail "the ring was not made"

run 0 "$RTEVTOP" stats --json "$work/many.events"
python3 - "$work/out" "$events" <<'PY' || fail "stats --json does not tell what was ignored"
import json, sys
report = json.load(open(sys.argv[1]))
assert "ignored" in report
assert 0 < report["ignored"] < report["events"] == int(sys.argv[2])
counted = sum(u["count"] for d in report["domains"] for u in d["user"].values())
assert report["events"] - 2 * report["ignored"] <= 2 * counted <= report["events"] - report["ignored"]
PY
run 0 "$RTEVTOP" stats "$work/many.events"
grep -qE ' ignored [0-9.]+[kMG]? \(too many' "$work/out" || fail "stats does not tell what was ignored"
run 0 "$RTEVTOP" record -o "$work/many.fxt" "$work/many.events"
says "events were left out"
exit 0
