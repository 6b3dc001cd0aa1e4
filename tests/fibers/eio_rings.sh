#!/usr/bin/env bash
# Rings that real Eio programs left: every event of Eio's is read as Eio's own library reads it, and what stats tells of fibers
# follows from that by the definitions alone.  Usage: eio_rings.sh NAME
. "$(dirname "$0")/../support/lib.sh"
need tar xz python3
ring=$(unpack "$1" eio)

run 0 "$RTEVTOP" log --json --merge "$ring"
python3 "$(dirname "$0")/eio_words.py" "$work/out" >"$work/words" || fail "log --json has no events of Eio's"
grep -v '^lost ' "$work/$1/expected.txt" | sort >"$work/expected"
sort "$work/words" | cmp - "$work/expected" || fail "other events than Eio's library reads: $(sort "$work/words" | diff - "$work/expected" | head -5)"
python3 "$(dirname "$0")/fibers_oracle.py" "$RTEVTOP" "$ring" || fail "stats differs from the definitions"
