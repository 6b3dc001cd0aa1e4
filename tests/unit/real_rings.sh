#!/usr/bin/env bash
# Rings that real OCaml programs left: what log prints is what the runtime's own consumer read, byte for byte, and what
# stats prints follows from that alone.  Usage: real_rings.sh NAME
. "$(dirname "$0")/lib.sh"
need tar xz python3
ring=$(unpack "$1")
expected=$work/$1/expected.jsonl

run 0 "$RTEVTOP" log --json "$ring"
cmp "$work/out" "$expected" || fail "log --json differs from what OCaml's consumer read"

run 0 "$RTEVTOP" log --json --merge "$ring"
sort "$work/out" | cmp - <(sort "$expected") || fail "log --merge prints other events"
python3 - "$work/out" <<'PY' || fail "log --merge is not in order of time"
import json, sys
last = 0
for line in open(sys.argv[1]):
    ts = json.loads(line).get("ts", last)
    if ts < last:
        sys.exit(f"{ts} after {last}")
    last = ts
PY

run 0 "$RTEVTOP" log "$ring"
[ "$(wc -l <"$work/out")" = "$(wc -l <"$expected")" ] || fail "log prints another number of lines as text"

run 0 "$RTEVTOP" stats --json "$ring"
cp "$work/out" "$work/stats.json"
python3 "$(dirname "$0")/stats_oracle.py" "$expected" "$work/stats.json" || fail "stats --json differs from its definitions"

# A budget changes nothing but the size of the steps.
run 0 "$RTEVTOP" stats --json --max-events 7 "$ring"
cmp "$work/out" "$work/stats.json" || fail "stats depends on --max-events"
run 0 "$RTEVTOP" stats "$ring"
