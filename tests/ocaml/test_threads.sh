#!/usr/bin/env bash
# Threads that wait do not hide what the collector does for those that run.  Usage: test_threads.sh RELEASE RECORD_DUMP
. "$(dirname "$0")/lib.sh"
need python3 timeout
with_ocaml "$1"
program=$(build "$prefix" threads native threads)
export OCAML_RUNTIME_EVENTS_START=1 OCAML_RUNTIME_EVENTS_PRESERVE=1 OCAMLRUNPARAM=e=18
export OCAML_RUNTIME_EVENTS_DIR=$work
rounds=400

# check WAITING DOMAINS: by the ring that is left, and by a recording of it.
check() {
  run 0 timeout 120 "$program" "$1" $rounds "$2"
  ring=$(ls "$work"/*.events)
  "$RTEVTOP" log --json "$ring" >"$work/log"
  run 0 "$RTEVTOP" stats --json "$ring"
  cp "$work/out" "$work/stats"
  python3 "$here/threads_check.py" "$work/log" "$work/stats" $rounds || fail "$1 threads wait in $2 domains"
  run 0 "$RTEVTOP" record --force -o "$work/r.fxt" "$ring"
  "$dump" "$work/r.fxt" >"$work/dump" || fail "the recording can't be read"
  python3 "$here/../support/record_oracle.py" "$work/log" "$work/dump" || fail "recorded: $1 threads wait in $2 domains"
  run 0 "$RTEVTOP" stats --json "$work/r.fxt"
  json "x['pauses']['count'] == $(python3 -c "import json; print(json.load(open('$work/stats'))['pauses']['count'])")" "$work/out" ||
    fail "the replay has other pauses"
  rm "$ring"
}
dump=$2
for waiting in 0 1 6; do check $waiting 1; done
check 1 3

# Who attaches late sees each round as a pause, though no wait has begun since.
target "$program" 6 0 1
within 60 sh -c "[ \$('$RTEVTOP' log --json $pid 2>/dev/null | grep -c explicit_gc_minor) -gt 20 ]" || fail "it does not collect"
run 0 timeout 60 "$RTEVTOP" stats --json --duration 1 "$pid"
stop "$pid"
json "x['pauses']['count'] >= x['domains'][0]['phases']['explicit_gc_minor']['count'] > 0" "$work/out" ||
  fail "attached late: $(cut -c1-2000 "$work/out")"
