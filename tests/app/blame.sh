#!/usr/bin/env bash
# Whom the worst pauses of a recorded ring waited for is what follows from `log --json` of it.  Usage: blame.sh NAME
. "$(dirname "$0")/../support/lib.sh"
need tar xz python3
ring=$(unpack "$1")
run 0 "$RTEVTOP" log --json "$ring"
cp "$work/out" "$work/log.jsonl"
run 0 "$RTEVTOP" stats "$ring"
cp "$work/out" "$work/report"
run 0 "$RTEVTOP" stats --json "$ring"
python3 "$(dirname "$0")/../support/blame_oracle.py" "$work/log.jsonl" "$work/report" "$work/out" || fail "the sentences are wrong"
