#!/usr/bin/env bash
# A process that becomes another program: the reports, a recording and the screen say that their figures are of both.
# Usage: test_exec.sh RELEASE STATS_AND_RECORD
. "$(dirname "$0")/lib.sh"
need python3
with_ocaml "$1"
both=$2
program=$(build "$prefix" life native)
OCAML_RUNTIME_EVENTS_START=1 OCAML_RUNTIME_EVENTS_DIR=$work target "$program"

first() { "$RTEVTOP" log --json "$work:$pid" 2>/dev/null | head -n 1; }
anew() { now=$(first) && [ -n "$now" ] && [ "$now" != "$before" ]; }

"$RTEVTOP" log --json -f "$work:$pid" >"$work/log" 2>/dev/null &
log=$!
"$RTEVTOP" stats "$work:$pid" >"$work/stats" 2>"$work/err" &
stats=$!
"$both" "$work:$pid" "$work/a.fxt" >"$work/observed.json" 2>>"$work/err" &
recorder=$!
within 20 test -s "$work/log" || fail "nothing is read"
within 20 grep -qs "$pid.events" "/proc/$stats/maps" || fail "stats does not attach: $(cat "$work/err")"
within 20 test -s "$work/a.fxt" || fail "nothing is recorded"
before=$(first)
kill -USR2 "$pid"
within 20 anew || fail "the ring is not made anew"
both_started() { [ "$(grep -c '"ring_start"' "$work/log")" = 2 ]; }
within 20 both_started || fail "the new program is not seen"
kill "$pid"
wait "$stats" || fail "stats: status $?: $(cat "$work/err")"
wait "$recorder" || fail "stats and record: status $?: $(cat "$work/err")"
wait "$log"
grep -q '^2 programs ran in this process one after another: the figures cover all of them; the last ran for [0-9]' "$work/stats" ||
  fail "the report does not say of what it is: $(cat "$work/stats")"
json 'x["restarts"] == 1' "$work/observed.json" || fail "restarts: $(cat "$work/observed.json")"
run 0 "$RTEVTOP" stats --json "$work/a.fxt"
json 'x["restarts"] == 1' "$work/out" || fail "restarts of the recording: $(cat "$work/out")"
run 0 "$RTEVTOP" stats "$work/a.fxt"
grep -q '^2 programs ran in this process' "$work/out" || fail "the report of the recording: $(cat "$work/out")"
exit 0
