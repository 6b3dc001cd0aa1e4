#!/usr/bin/env bash
# The ring of a running program, given as a file, is read as it is, which is said with the way to observe the program; nothing is said of
# the ring of one that has ended.
. "$(dirname "$0")/../support/lib.sh"
coproc demo { OCAML_RUNTIME_EVENTS_PRESERVE=1 OCAML_RUNTIME_EVENTS_DIR=$work exec "$RTEVTOP" demo --rate 1000 --seconds 3000; }
read -r -u "${demo[0]}" pid path || fail 'the demo did not start'
child=$demo_PID
within 60 test -s "$path" || fail 'there is no ring'
run 0 "$RTEVTOP" record -o "$work/out.fxt" "$path"
says "goes on writing to it"
says "Give the PID, $pid, to observe it"
run 0 "$RTEVTOP" stats "$path"
says "goes on writing to it"
# A copy has no writer.
mkdir "$work/copy"
cp "$path" "$work/copy/$pid.events"
run 0 "$RTEVTOP" stats "$work/copy/$pid.events"
! grep -q 'goes on writing' "$work/err" || fail "a copy has a writer: $(cat "$work/err")"
kill "$pid"
wait "$child"
if [ -f "$path" ]; then
  run 0 "$RTEVTOP" stats "$path"
  ! grep -q 'goes on writing' "$work/err" || fail "an ended program writes: $(cat "$work/err")"
fi
