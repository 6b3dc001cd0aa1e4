#!/usr/bin/env bash
# Files for the long pauses of a real OCaml program.  Usage: test_flight.sh RELEASE KIND DUMP
. "$(dirname "$0")/lib.sh"
need python3 timeout
with_ocaml "$1"
program=$(build "$prefix" workload "$2")
mkdir "$work/files"

# Attached to; every pause is longer than a microsecond, so there are files.
target "$program" 3 60
run 0 timeout 300 "$RTEVTOP" record --on-pause 0.001 --duration 4 -o "$work/files" $pid
cp "$work/out" "$work/lines"
[ -s "$work/lines" ] || fail "no pause got a file: $(cat "$work/err")"
while IFS=$'\t' read -r path _; do
  "$3" "$path" >"$path.jsonl" || fail "$path is not a trace that Perfetto takes whole"
done <"$work/lines"
python3 "$here/../support/flight_check.py" 0.001 "$work/lines" || fail "the lines and the files don't agree: $(cat "$work/lines")"
stop $pid

# As COMMAND, its events paused now and then: user events and their payloads are there.
run 0 timeout 300 "$RTEVTOP" record --on-pause 0.001 -o "$work/%n.fxt" -- "$program" 2 3 pause
"$3" "$work/1.fxt" >"$work/dump" || fail "the file of a COMMAND is not whole"
for name in http.request queue.depth cache.evict log.line; do
  grep -q "\"name\":\"$(printf %s "$name" | od -An -tx1 | tr -d ' \n')\"" "$work/dump" || fail "there is no $name in the file"
done
grep -q "$(printf 'domain 0 iteration' | od -An -tx1 | tr -d ' \n')" "$work/dump" || fail "payloads are missing"
exit 0
