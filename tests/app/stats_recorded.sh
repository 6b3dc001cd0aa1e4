#!/usr/bin/env bash
# stats of a recording says what stats said of the process while it was recorded: all figures, samples, settings and findings.
# Usage: stats_recorded.sh STATS_AND_RECORD
. "$(dirname "$0")/../support/lib.sh"
need python3
both=$1
same=$(dirname "$0")/../support/same_report.py

# demo SECONDS OPTION...: start the demo; its pid is in $pid, its ring in $work.
demo() {
  OCAML_RUNTIME_EVENTS_DIR=$work start_demo --seconds "$@"
  pid=$demo
}

# Until it ends, and while it runs on; with and without pauses of its events.
for options in "3 --domains 4 --rate 20000" "3 --domains 2 --rate 2000 --pause" "300 --domains 3 --rate 20000 --pause"; do
  # shellcheck disable=SC2086
  demo $options
  # shellcheck disable=SC2046
  run 0 "$both" "$work:$pid" "$work/a.fxt" $([ "${options%% *}" = 300 ] && echo 2.5)
  kill "$pid" 2>/dev/null
  wait
  cp "$work/out" "$work/observed.json"
  run 0 "$RTEVTOP" stats --json "$work/a.fxt"
  cp "$work/out" "$work/replayed.json"
  python3 "$same" "$work/observed.json" "$work/replayed.json" || fail "demo $options: the recording says something else"
  python3 -c 'import json,sys; r = json.load(open(sys.argv[1])); sys.exit(not (r["system"] and r["settings"]))' \
    "$work/replayed.json" || fail "demo $options: no samples or no settings"
done
exit 0
