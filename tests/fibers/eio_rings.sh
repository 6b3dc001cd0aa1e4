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

# In words, for people: no event of Eio's by its name, and each suspension with its operation.
run 0 "$RTEVTOP" log --merge "$ring"
! grep -q ' eio\.' "$work/out" || fail "an event of Eio's is not in words: $(grep -m1 ' eio\.' "$work/out")"
sed -n 's/.* fiber suspended: //p' "$work/expected" | sort >"$work/operations"
sed -n 's/.* fiber [0-9?]* suspended: //p' "$work/out" | sort | cmp - "$work/operations" || fail "other suspensions than Eio's library reads"
