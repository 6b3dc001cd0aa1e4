#!/usr/bin/env bash
# A recording of a ring that a real OCaml program left says what log says of it, in both forms.
# Usage: test_record_rings.sh DUMP NAME
. "$(dirname "$0")/../support/lib.sh"
need tar xz python3
dump=$1
ring=$(unpack "$2")
oracle=$(dirname "$0")/../support/record_oracle.py

run 0 "$RTEVTOP" log --json "$ring"
cp "$work/out" "$work/log.jsonl"

run 0 "$RTEVTOP" record -o "$work/a.fxt" "$ring"
[ -s "$work/out" ] && fail "record prints on standard output"
"$dump" "$work/a.fxt" >"$work/dump.jsonl" || fail "the recording is not a trace that Perfetto takes whole"
python3 "$oracle" "$work/log.jsonl" "$work/dump.jsonl" || fail "the recording differs from the log"

run 0 "$RTEVTOP" record --format json -o "$work/a.json" "$ring"
python3 "$oracle" "$work/log.jsonl" "$work/a.json" || fail "the JSON recording differs from the log"

# The oracle does look: a recording that lacks an event is found out.
awk '!done && /"kind":"counter"/ { done = 1; next } { print }' "$work/dump.jsonl" >"$work/less.jsonl"
python3 "$oracle" "$work/log.jsonl" "$work/less.jsonl" >/dev/null 2>&1 && fail "a missing event is not found out"

# A budget changes nothing, and a longer file of that name is replaced.
head -c 1000000 /dev/zero >"$work/b.fxt"
run 0 "$RTEVTOP" record --force --max-events 7 -o "$work/b.fxt" "$ring"
"$dump" "$work/b.fxt" >"$work/b.jsonl" || fail "the file was not replaced"
python3 "$oracle" "$work/log.jsonl" "$work/b.jsonl" || fail "the recording depends on --max-events"
exit 0
