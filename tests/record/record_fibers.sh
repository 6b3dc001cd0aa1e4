#!/usr/bin/env bash
# A recording of a ring that a real Eio program left has its runs, waits, forks and hand-overs, as they follow from the events by
# the definitions; both forms.  Usage: record_fibers.sh DUMP NAME
. "$(dirname "$0")/../support/lib.sh"
need tar xz python3
dump=$1
ring=$(unpack "$2" eio)
oracle=$(dirname "$0")/fiber_tracks.py

run 0 "$RTEVTOP" record -o "$work/a.fxt" "$ring"
"$dump" "$work/a.fxt" >"$work/dump.jsonl" || fail "the recording is not a trace that Perfetto takes whole"
python3 "$oracle" "$RTEVTOP" "$ring" "$work/dump.jsonl" || fail "the tracks of fibers differ from the definitions"
run 0 "$RTEVTOP" record --format json -o "$work/a.json" "$ring"
python3 "$oracle" "$RTEVTOP" "$ring" "$work/a.json" || fail "the tracks of fibers differ from the definitions in JSON"

# All else is as if there were no fibers, and a replay counts what the ring holds.
run 0 "$RTEVTOP" log --json "$ring"
cp "$work/out" "$work/log.jsonl"
python3 "$(dirname "$0")/../support/record_oracle.py" "$work/log.jsonl" "$work/dump.jsonl" || fail "the recording differs from the log"
run 0 "$RTEVTOP" stats --json "$work/a.fxt"
cp "$work/out" "$work/replayed.json"
run 0 "$RTEVTOP" stats --json "$ring"
python3 "$(dirname "$0")/../support/same_report.py" "$work/out" "$work/replayed.json" || fail "a replay counts something else than the ring holds"

# The oracle does look: a recording that lacks a run, a wait or a flow is found out.
for kind in slice flow_end; do
  grep -q "\"kind\":\"$kind\"" "$work/dump.jsonl" || continue
  awk -v kind="\"kind\":\"$kind\".*\"cat\":\"6669626572\"" '!done && $0 ~ kind { done = 1; next } { print }' \
    "$work/dump.jsonl" >"$work/less.jsonl"
  python3 "$oracle" "$RTEVTOP" "$ring" "$work/less.jsonl" >/dev/null 2>&1 && fail "a missing $kind is not found out"
done
exit 0
