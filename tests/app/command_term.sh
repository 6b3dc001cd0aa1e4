#!/usr/bin/env bash
# SIGTERM to a report with -- COMMAND goes on to COMMAND, whose end is a part of the report; SIGINT ends the report, and COMMAND runs on.
. "$(dirname "$0")/../support/lib.sh"
export RTEVTOP
report=
stop_all() {
  local demo
  [ -n "$report" ] && kill -KILL "$report"
  [ -e "$work/pid" ] && kill -KILL "$(cat "$work/pid")"
  [ -e "$work/demo" ] && read -r demo _ <"$work/demo" && kill -KILL "$demo"
  rm -rf "$work"
} 2>/dev/null
trap stop_all EXIT

# start WORDS...: the report of a demo that tells of its SIGTERM and ends with 7.  `report` is its pid, $work/pid that of COMMAND.
start() {
  rm -f "$work"/{pid,demo,got,out,err}
  # A shell has its background jobs ignore SIGINT.
  # shellcheck disable=SC2016
  env --default-signal=INT "$RTEVTOP" "$@" -- bash -c 'trap "echo term >>\"$0/got\"; kill \$demo; wait \$demo; exit 7" TERM
    "$RTEVTOP" demo --rate 2000 >"$0/demo" & demo=$!
    echo $$ >"$0/pid"
    while :; do wait; done' "$work" >"$work/out" 2>"$work/err" &
  report=$!
  within 100 test -s "$work/demo" || fail "$*: the demo does not start"
  # It listens as soon as it has begun to read; what is read is a part of the report.
  read -r _ path <"$work/demo"
  within 100 grep -q "$path" "/proc/$report/maps" || fail "$*: the ring is not opened"
}

# ended STATUS WORDS...: the report ends by itself.
ended() {
  local status
  wait "$report"
  status=$?
  report=
  [ "$status" = "$1" ] || fail "$2: status $status, not $1: $(cat "$work/err")"
  ! kill -0 "$(cat "$work/pid")" 2>/dev/null || fail "$2: COMMAND is left behind"
}

for words in "stats --json" "log --json" "record -o $work/trace.fxt --force" "record --on-pause 1000 -o $work"; do
  # shellcheck disable=SC2086
  start $words
  kill -TERM "$report"
  ended 7 "$words"
  [ "$(cat "$work/got")" = term ] || fail "$words: COMMAND got SIGTERM: $(cat "$work/got")"
done
# What it did on its way out is in the report: the end of the ring.
start log --json
kill -TERM "$report"
ended 7 "log"
grep -q '"ring_stop"' "$work/out" || fail "the end of COMMAND is not in the log"

# SIGINT: the report is printed, and COMMAND runs on until it is told to end.
start stats --json
kill -INT "$report"
within 100 test -s "$work/out" || fail "SIGINT: no report"
kill -0 "$(cat "$work/pid")" || fail "SIGINT: COMMAND has ended"
[ ! -e "$work/got" ] || fail "SIGINT: COMMAND got SIGTERM"
kill -TERM "$report"
ended 7 "stats after SIGINT"
exit 0
