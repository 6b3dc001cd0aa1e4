#!/usr/bin/env bash
# A recording that lost events says how large a ring would have held them, and not a size that the ring has already.
. "$(dirname "$0")/../support/lib.sh"
coproc demo { exec "$RTEVTOP" demo --domains 2 --rate 400000 --seconds 3000; }
read -r -u "${demo[0]}" pid path || fail 'the demo did not start'
"$RTEVTOP" record -o "$work/out.fxt" "$pid" 2>"$work/err" &
recorder=$!
within 60 test -s "$work/out.fxt" || fail 'the recording did not begin'
# A ring of 64 Ki words goes round several times.
longest=0
for _ in 1 2 3; do
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
says 'words were overwritten before they were read'
says 'Slices named "lost" mark the places. OCAMLRUNPARAM=e='
size=$(sed -n 's/.*OCAMLRUNPARAM=e=\([0-9]*\) would have held them\./\1/p' "$work/err")
# A domain writes 200 events in a millisecond, of four words at most.
[ "${size:-0}" -gt 16 ] && [ $((1 << size)) -le $((2 * 800 * longest)) ] || fail "a ring of e=$size for what e=16 did not hold in $longest ms"
