#!/usr/bin/env bash
# A recording that lost events says how large a ring would have held them, and not a size that the ring has already; or that OCaml makes
# none that large.
. "$(dirname "$0")/../support/lib.sh"

# record_stopped EVENTS TIMES: record a domain that writes so many events a second, and stop the recorder for 1 s each time.  $longest: ms
# without a read, at most.
record_stopped() {
  coproc demo { exec "$RTEVTOP" demo --domains 1 --rate "$1" --seconds 3000; }
  read -r -u "${demo[0]}" pid path || fail 'the demo did not start'
  child=$demo_PID
  rm -f "$work/out.fxt"
  "$RTEVTOP" record -o "$work/out.fxt" "$pid" 2>"$work/err" &
  recorder=$!
  within 60 test -s "$work/out.fxt" || fail 'the recording did not begin'
  longest=0
  for _ in $(seq "$2"); do
    began=$(date +%s%N)
    kill -STOP $recorder
    sleep 1
    kill -CONT $recorder
    sleep 0.2
    took=$((($(date +%s%N) - began) / 1000000))
    [ $took -le $longest ] || longest=$took
  done
  kill -TERM $recorder
  wait $recorder || fail "record: exit status $?"
  kill "$pid"
  wait "$child"
  says 'words were overwritten before they were read'
}

# A ring of 64 Ki words goes round several times, but far less than 16 times on a machine where the recorder waits for a processor.
record_stopped 100000 3
says 'Slices named "lost" mark the places. OCAMLRUNPARAM=e='
size=$(sed -n 's/.*OCAMLRUNPARAM=e=\([0-9]*\) would have held them\./\1/p' "$work/err")
# The domain writes 100 events in a millisecond, of four words at most.
[ "${size:-0}" -gt 16 ] && [ $((1 << size)) -le $((2 * 400 * longest + 2 * 65536)) ] ||
  fail "a ring of e=$size for what e=16 did not hold in $longest ms"

record_stopped 4000000 1
says 'Slices named "lost" mark the places. No ring that OCaml makes would have held them.'
