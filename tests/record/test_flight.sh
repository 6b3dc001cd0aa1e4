#!/usr/bin/env bash
# record --on-pause on a live target: a line and a whole file for each long pause, whatever ends it.  Usage: test_flight.sh DUMP
. "$(dirname "$0")/../support/lib.sh"
need python3 timeout
dump=$1
check=$(dirname "$0")/../support/flight_check.py
export OCAML_RUNTIME_EVENTS_DIR=$work
mkdir "$work/files"

# checked COUNT MS FILE: the lines in FILE tell of at least COUNT pauses longer than MS, each with its file.
checked() {
  [ "$(wc -l <"$3")" -ge "$1" ] || fail "fewer than $1 lines: $(cat "$3")"
  while IFS=$'\t' read -r path _; do
    "$dump" "$path" >"$path.jsonl" || fail "$path is not a trace that Perfetto takes whole"
  done <"$3"
  python3 "$check" "$2" "$3" || fail "the lines and the files don't agree: $(cat "$3")"
}

# The demo has a pause of more than 2 ms every second or so.  Told to stop while one is being written.
start_demo --domains 3 --seconds 3000
"$RTEVTOP" record --on-pause 2.5 -o "$work/files" "$demo" >"$work/lines" 2>"$work/err" &
recorder=$!
within 60 test -s "$work/lines" || fail "no pause got a file: $(cat "$work/err")"
kill -TERM $recorder
wait $recorder || fail "record --on-pause ends with status $? on SIGTERM: $(cat "$work/err")"
checked 1 2.5 "$work/lines"
grep -q "^$work/files/rtevtop-[^	]*-$demo-[0-9]*-[0-9]*.fxt	20" "$work/lines" || fail "the path or the time is odd: $(cat "$work/lines")"

# --duration; in the other form; every pause is longer than nothing, and most are skipped.  On a busy machine the demo may not come
# to have two in this time.
for _ in 1 2 3 4 5; do
  rm -f "$work/files/%-"*
  run 0 timeout 300 "$RTEVTOP" record --on-pause 1us --duration 3 --format json -o "$work/files/%%-%p-%n.json" "$demo"
  grep -q 'more pauses' "$work/err" && break
done
says "more pauses were longer than 0.001 ms and got no file"
python3 - "$work/out" <<'PY' || fail "the JSON files are not whole"
import json, sys
for line in open(sys.argv[1]):
    events = json.load(open(line.split("\t")[0]))["traceEvents"]
    assert len(events) > 20, len(events)
PY
head -n 1 "$work/out" | grep -q "^$work/files/%-$demo-1.json	" || fail "a pattern is not followed: $(cat "$work/out")"

# a file that may not grow: told, whole up to there, and the recorder goes on
(ulimit -f 150 && exec timeout 300 "$RTEVTOP" record --on-pause 0.5 --duration 3 -o "$work/files/small-%n" "$demo") \
  >"$work/lines" 2>"$work/err"
[ $? = 1 ] || fail "no failure when the files may not grow"
says "could not go on writing $work/files/small-1"
while IFS=$'\t' read -r path _; do
  "$dump" "$path" >"$path.jsonl" || fail "$path is not whole up to where it may not grow"
done <"$work/lines"

run 1 bash -c 'ulimit -f 8 && exec timeout 300 "$@"' sh "$RTEVTOP" record --on-pause 1us --duration 1 -o "$work/files/none-%n" "$demo"
says "could not write $work/files/none-1"
# of files that fail alike the first is told of, and how many more there are
(ulimit -f 8 && exec timeout 300 "$RTEVTOP" record --on-pause 1us --duration 22 -o "$work/files/many-%n" "$demo") >"$work/out" 2>"$work/err"
[ $? = 1 ] || fail "no failure when no file could be written"
says "could not write $work/files/many-1: File too large"
says "\`ulimit -f\` limits how large files may be"
grep -q "could not write [1-9][0-9]* more files\? in full: File too large" "$work/err" || fail "no word of the rest: $(cat "$work/err")"
[ "$(grep -c "could not" "$work/err")" = 2 ] || fail "a reason is told more than twice: $(cat "$work/err")"
compgen -G "$work/files/none-*" && fail "an empty file is left"

# where files can't go, and what is no name
run 1 "$RTEVTOP" record --on-pause 5 -o "$work/absent/%n.fxt" "$demo"
says "could not write to $work/absent"
for where in "$work/one.fxt" "$work/%q.fxt" "$work/%n%"; do
  run 2 "$RTEVTOP" record --on-pause 5 -o "$where" "$demo"
done
says "is none of %p (pid), %t (time), %n (number)"
for ms in 0 -1 x 5x "" 1e3; do
  run 2 "$RTEVTOP" record --on-pause "$ms" -o "$work/files" "$demo"
done
run 1 "$RTEVTOP" record --on-pause 5 -o "$work/files" 999999999

# a target that is killed; what is left of it is no target
rm "$work/lines"
"$RTEVTOP" record --on-pause 2 -o "$work/files" "$demo" >"$work/lines" 2>"$work/err" &
recorder=$!
within 60 test -s "$work/lines" || fail "no pause got a file: $(cat "$work/err")"
kill -KILL "$demo"
wait $recorder || fail "record --on-pause ends with status $? when its target is killed"
checked 1 2 "$work/lines"
run 1 timeout 300 "$RTEVTOP" record --on-pause 5 -o "$work/files" "$work/$demo.events"
says "needs a target that runs"

# a COMMAND, from its first event to its last, tracing paused now and then
unset OCAML_RUNTIME_EVENTS_DIR
run 0 timeout 300 "$RTEVTOP" record --on-pause 1 -o "$work/files/%t.fxt" -- "$RTEVTOP" demo --pause --domains 3 --seconds 5
cp "$work/out" "$work/lines"
checked 1 1 "$work/lines"
exit 0
