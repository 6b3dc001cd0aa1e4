#!/usr/bin/env bash
# Made-up Eio programs that do at random what real ones do, with losses, pauses of events and domains that end: what stats tells
# of each follows from its events by the definitions alone.
. "$(dirname "$0")/../support/lib.sh"
need python3
here=${BASH_SOURCE[0]%/*}
export PYTHONPATH=$here/../support PYTHONDONTWRITEBYTECODE=1
python3 "$here/eio_random.py" "$work" 0 40 400 || fail "could not make rings"
python3 "$here/eio_random.py" "$work" 40 55 2500 || fail "could not make rings"
python3 "$here/fibers_oracle.py" "$RTEVTOP" "$work"/*.events >"$work/out" || fail "stats differs from the definitions: $(grep -v equal "$work/out")"
