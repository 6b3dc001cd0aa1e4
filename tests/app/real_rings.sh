#!/usr/bin/env bash
# Rings that real OCaml programs left: what log prints is what the runtime's own consumer read, byte for byte, and what
# stats prints follows from that alone.  Usage: real_rings.sh NAME
. "$(dirname "$0")/../support/lib.sh"
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
python3 "$(dirname "$0")/../support/stats_oracle.py" "$expected" "$work/stats.json" || fail "stats --json differs from its definitions"

# A budget changes nothing but the size of the steps.
run 0 "$RTEVTOP" stats --json --max-events 7 "$ring"
cmp "$work/out" "$work/stats.json" || fail "stats depends on --max-events"
run 0 "$RTEVTOP" stats --full "$ring"
# Levels have no sum there; what has one is no level.
python3 - "$work/out" "$work/stats.json" <<'PY' || fail "the counters of stats are not those of stats --json: $(cat "$work/out")"
import json, sys
report = json.load(open(sys.argv[2]))
domain, columns, seen = None, None, 0
for line in open(sys.argv[1]):
    words = line.split()
    if words[:1] == ["Domain"]:
        (domain,) = [d for d in report["domains"] if d["domain"] == int(words[1])]
    elif words[:1] in (["counter"], ["level"]) and domain:
        columns = words[1:]
    elif words[:1] in (["phase"], ["lost"], ["findings"], ["findings:"]) or words[:2] == ["user", "events"]:
        columns = None
    elif columns and words:
        want = domain["counters"][words[0]]
        assert "sum" not in columns or want["sum"] is not None, line
        assert words[1:] == [str(want[c]) for c in columns], line
        seen += 1
assert seen == sum(len(d["counters"]) for d in report["domains"]), seen
PY
