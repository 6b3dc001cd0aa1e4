#!/usr/bin/env bash
# A wish to end is heard by what prints into a pipe that nobody reads.
. "$(dirname "$0")/../support/lib.sh"
need python3 tar xz
export PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1
ring=$(unpack ocaml-5.3.0-pause)
python3 - "$work/names.events" <<'PY' || fail "could not make the ring"
import sys
from ring_file import UNIT, Ring
ring = Ring(words=1 << 15)
for event in range(8192):
    ring.name(event, b"an event whose name is long enough to fill a pipe %d" % event)
    ring.user(0, event, UNIT, event)
ring.save(sys.argv[1])
PY

# ends_when_asked STATUS WORDS...
ends_when_asked() {
  local want=$1 printer got
  shift
  rm -f "$work/pipe"
  mkfifo "$work/pipe"
  exec 3<>"$work/pipe"
  "$RTEVTOP" "$@" >"$work/pipe" 2>"$work/err" &
  printer=$!
  # It prints, and what nobody takes away fills the pipe.
  read -r -n 1 -t 60 -u 3 || fail "$*: nothing is printed"
  kill -TERM $printer
  within 20 eval '! kill -0 $printer 2>/dev/null' || {
    kill -KILL $printer
    fail "$* goes on when it is asked to end"
  }
  wait $printer
  got=$?
  [ $got = "$want" ] || fail "$*: exit status $got, expected $want: $(cat "$work/err")"
  exec 3>&-
}
ends_when_asked 1 stats --full "$work/names.events"
says "the report is cut short"
ends_when_asked 1 stats --json "$work/names.events"
says "the report is cut short"
ends_when_asked 1 log "$ring"
ends_when_asked 1 log --json "$ring"
ends_when_asked 1 log --merge "$ring"
ends_when_asked 143 memtrace --dump "$RTEV_TEST_DATA/memtrace/json-small.ctf"
exit 0
