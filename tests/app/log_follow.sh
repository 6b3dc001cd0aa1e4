#!/usr/bin/env bash
# log -f: what its reader does, or the disk, or the user.  Nothing is lost silently.
# Usage: log_follow.sh BENCH_TARGET
. "$(dirname "$0")/../support/lib.sh"
need python3 timeout
bench_target=$1
mkdir "$work/rings"

# target RATE: a busy program of two domains; its pid in $target.
target() {
  OCAML_RUNTIME_EVENTS_DIR=$work/rings start_demo --domains 2 --rate "$1"
  target=$demo
}

# ends STATUS: the log ends with it.
ends() {
  within 60 eval '! kill -0 $log 2>/dev/null' || fail "the log goes on"
  wait "$log"
  local got=$?
  [ $got = "$1" ] || fail "exit status $got, expected $1: $(cat "$work/err")"
}

target 20000

# A reader that has seen enough ends it, without a word.
timeout 300 "$RTEVTOP" log -f "$target" 2>"$work/err" | head -n 5 >"$work/out"
[ "${PIPESTATUS[0]}" = 0 ] || fail "log | head: status ${PIPESTATUS[0]}: $(cat "$work/err")"
[ "$(wc -l <"$work/out")" = 5 ] || fail "log | head: $(cat "$work/out")"
[ ! -s "$work/err" ] || fail "log | head says: $(cat "$work/err")"

# What was read is printed when it is asked to end, to the last line.
for signal in INT TERM; do
  rm -f "$work/out"
  python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$RTEVTOP" log -f --json "$target" >"$work/out" 2>"$work/err" &
  log=$!
  within 60 test -s "$work/out" || fail "nothing is printed"
  kill -$signal $log
  ends 0
  python3 - "$work/out" <<'PY' || fail "SIG$signal: the end is missing"
import json, sys
text = open(sys.argv[1]).read()
assert text.endswith("}\n")
last = {}
for event in map(json.loads, text.splitlines()):
    if "ts" in event:
        assert event["ts"] >= last.get(event["domain"], 0), event
        last[event["domain"]] = event["ts"]
assert last
PY
done

# A full disk is told.
timeout 300 "$RTEVTOP" log -f "$target" >/dev/full 2>"$work/err" &
log=$!
ends 1
says "could not write the log: No space left on device"

# stuck PATH: a pipe that nobody reads, with its reader on descriptor 3.
stuck() {
  rm -f "$work/pipe"
  mkfifo "$work/pipe"
  exec 3<>"$work/pipe"
  "$RTEVTOP" log -f --json "$1" >"$work/pipe" 2>"$work/err" 3<&- &
  log=$!
}

# Nobody reads: one request to end is enough.
stuck "$target"
read -r -n 1 -t 60 -u 3 || fail "nothing is printed"
kill -TERM $log
ends 1
says "the log is cut short"
exec 3<&-
kill "$target"
wait

# A reader that stands still while the rings are written over is told what it missed: every event is printed, or in the words of a
# line of type "lost".
python3 - "$RTEVTOP" "$bench_target" "$work/rings" <<'PY' || fail "what a slow reader was told"
import json, subprocess, sys
rtevtop, bench_target, rings = sys.argv[1:]
target = subprocess.Popen([bench_target, rings, "1", "0", "3"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
pid = target.stdout.readline().split()[0]
log = subprocess.Popen([rtevtop, "log", "-f", "--json", pid], stdout=subprocess.PIPE)
# It stands still until the target has written all.
recorded = int(target.stdout.read().split()[1])
printed, lost, gaps = 0, 0, 0
for line in log.stdout:
    event = json.loads(line)
    printed += event["type"] in ("begin", "end", "counter")
    if event["type"] == "lost":
        lost += event["words"]
        gaps += 1
assert log.wait() == 0
# 16 events are 34 words; the end of a ring may be padded.
words = (recorded - printed) * 34 / 16
print(f"recorded {recorded}, printed {printed}, lost {lost} words of {words} in {gaps} gaps")
assert abs(lost - words) <= 0.01 * lost + 100 * gaps
# What a reader that stands still leaves room for, and the ring.
assert recorded < 5000000 or lost > 0
PY
exit 0
