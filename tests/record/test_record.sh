#!/usr/bin/env bash
# Recordings of a live target: however they end, the file is whole.  Usage: test_record.sh DUMP
. "$(dirname "$0")/../support/lib.sh"
need python3
dump=$1
export OCAML_RUNTIME_EVENTS_DIR=$work

# good FILE: a trace with slices; its dump is in $work/dump.jsonl.
good() {
  "$dump" "$1" >"$work/dump.jsonl" || fail "$1 is not a trace that Perfetto takes whole"
  grep -q '"kind":"slice"' "$work/dump.jsonl" || fail "$1 has no slice"
}

start_demo --domains 2 --rate 20000 --seconds 3000

# --duration, and times that the wall clock can be worked out from
begin=$(date +%s%N)
run 0 "$RTEVTOP" record --duration 1 -o "$work/a.fxt" "$demo"
end=$(date +%s%N)
[ -s "$work/out" ] && fail "record prints on standard output"
[ -s "$work/err" ] && fail "record prints progress where there is no terminal"
[ $((end - begin)) -gt 900000000 ] || fail "record ended before its time"
good "$work/a.fxt"
python3 - "$work/dump.jsonl" "$begin" "$end" "$demo" <<'PY' || exit 1
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1])]
begin, end, pid = map(int, sys.argv[2:])
(ticks,) = [l for l in lines if l["kind"] == "ticks"]
stamps = [l["ts"] for l in lines if "ts" in l]
wall = [ticks["time"] + t - ticks["ticks"] for t in stamps]
assert ticks["rate"] == 10**9
assert begin - 10**8 <= min(wall) and max(wall) <= end + 10**8, (begin, min(wall), max(wall), end)
assert all(l["pid"] == pid for l in lines if "pid" in l and l["kind"] != "name")
assert any(l["kind"] == "name" and l["type"] == 1 and l["id"] == pid for l in lines)
PY

# told to stop, in the other form (a shell's background jobs ignore SIGINT)
"$RTEVTOP" record --format json -o "$work/b.json" "$demo" 2>"$work/err" &
recorder=$!
within 10 test -s "$work/b.json" || fail "nothing is written while recording"
kill -TERM $recorder
wait $recorder || fail "record ends with status $? on SIGTERM"
python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["traceEvents"]) > 100' "$work/b.json" ||
  fail "the JSON is not whole after SIGTERM"

# a file that may not grow: told once, with a remedy, and whole up to there
(ulimit -f 200 && exec "$RTEVTOP" record --duration 30 -o "$work/c.fxt" "$demo") 2>"$work/err"
[ $? = 1 ] || fail "record does not fail when the file may not grow"
says "could not go on writing $work/c.fxt"
[ "$(wc -l <"$work/err")" = 2 ] || fail "a failed write is not told in two lines"
good "$work/c.fxt"

# what it must not write to
run 1 "$RTEVTOP" record --force --duration 1 -o "$work/$demo.events" "$demo"
says "is the ring to be recorded"
run 1 "$RTEVTOP" record -o "$work/none.fxt" 999999999
[ -e "$work/none.fxt" ] && fail "a file is left although there was no target"
run 2 "$RTEVTOP" record "$demo"
run 2 "$RTEVTOP" record -o "$work/x" --format xml "$demo"

# the target's end, killed or not
kill -KILL "$demo"
wait 2>/dev/null
start_demo --domains 2 --rate 20000 --seconds 2
run 0 "$RTEVTOP" record -o "$work/d.fxt" "$demo"
good "$work/d.fxt"
wait
unset OCAML_RUNTIME_EVENTS_DIR

# a COMMAND that can't be run leaves what was there; one that can replaces it
cp "$work/d.fxt" "$work/e.fxt"
run 127 "$RTEVTOP" record -o "$work/e.fxt" -- "$work/absent"
run 126 "$RTEVTOP" record -o "$work/e.fxt" -- "$work/d.fxt"
cmp "$work/d.fxt" "$work/e.fxt" || fail "a COMMAND that can't be run costs the old recording"
run 127 "$RTEVTOP" record -o "$work/new.fxt" -- "$work/absent"
[ -e "$work/new.fxt" ] && fail "a file is left although COMMAND could not be run"
head -c 100000000 /dev/zero >"$work/e.fxt"
run 0 "$RTEVTOP" record --force -o "$work/e.fxt" -- "$RTEVTOP" demo --domains 2 --seconds 1
good "$work/e.fxt"
exit 0
