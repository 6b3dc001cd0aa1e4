#!/usr/bin/env bash
# Rings that claim gigabytes in a file of a few kilobytes: every command comes to its end, reads no page that the file does not
# hold, and stops when it is asked to.  No time is measured: reading what is claimed takes longer than `timeout` allows.
. "$(dirname "$0")/../support/lib.sh"
need python3 timeout truncate
make=$(dirname "$0")/../support/huge_ring.py

# takes FILE: kilobytes on disk.
takes() { du -k "$1" | cut -f 1; }

# read_all FILE DOMAINS WORDS: the words of all rings are told to make no sense by log, stats and record.
read_all() {
  local total=$(($2 * $3))
  run 1 timeout 300 "$RTEVTOP" stats --json "$1"
  says "$total words skipped"
  run 1 timeout 300 "$RTEVTOP" log --json "$1"
  [ "$(grep -c "\"type\":\"corrupt\",\"words\":$3}" "$work/out")" = "$2" ] || fail "log: not $2 stretches of $3 words"
  run 1 timeout 300 "$RTEVTOP" log -f --merge --json "$1"
  run 1 timeout 300 "$RTEVTOP" record -o "$work/record.fxt" "$1"
  says "$total words skipped"
  [ "$(takes "$work/record.fxt")" -lt 1000 ] || fail "the recording is large"
  run 1 timeout 300 "$RTEVTOP" record --format json -o "$work/record.json" "$1"
}

python3 "$make" "$work/one.events" 1 30
read_all "$work/one.events" 1 1073741823
[ "$(takes "$work/one.events")" -lt 1000 ] || fail "what the file does not hold was read"
python3 "$make" "$work/many.events" 16 28
read_all "$work/many.events" 16 268435455
# The most domains that a file may have: a little of each ring is looked at.
python3 "$make" "$work/most.events" 4096 26
read_all "$work/most.events" 4096 67108863

# A process that has such a ring.
python3 "$make" hold "$work" 16 28 >"$work/pid" &
within 30 test -s "$work/pid" || fail "the ring was not made"
pid=$(cat "$work/pid")
run 0 timeout 300 "$RTEVTOP" list --json
grep -q "^{\"pid\":$pid,.*\"state\":\"live\",\"domains\":16,\"ring_words\":268435456," "$work/out" || fail "list: $(cat "$work/out")"
run 0 timeout 300 "$RTEVTOP" stats --json --duration 0.1 "$pid"
run 1 timeout 300 "$RTEVTOP" log --json "$pid"
run 0 timeout 300 "$RTEVTOP" record --duration 0.1 -o "$work/live.fxt" "$pid"
[ "$(takes "$work/$pid.events")" -lt 2000 ] || fail "what the file does not hold was read"

# asked COMMAND...: run it with a SIGTERM that has come before it is there, and see it stop before the end of its file.
asked() {
  run 1 timeout 300 python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.kill(os.getpid(), signal.SIGTERM)
os.execv(sys.argv[1], sys.argv[1:])' "$RTEVTOP" "$@"
}
ring=$(unpack ocaml-5.3.0-pause)
asked stats --json "$ring"
says "stopped before the end of"
python3 -c 'import json,sys; sys.exit(json.load(open(sys.argv[1]))["events"])' "$work/out" || fail "stats read on"
asked log --json "$ring"
says "the log is cut short"
[ ! -s "$work/out" ] || fail "log read on"
asked record -o "$work/stopped.fxt" "$ring"
says "stopped before the end of"
exit 0
