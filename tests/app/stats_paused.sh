#!/usr/bin/env bash
# stats of a target that has paused its events says that its zeros are no measurement; of one that has ended while paused the time
# paused is no part of the time observed.  Usage: stats_paused.sh TARGET
. "$(dirname "$0")/../support/lib.sh"
need mkfifo python3 timeout
target=$1
mkfifo "$work/orders"
"$target" "$work" <"$work/orders" >"$work/answers" &
exec 3>"$work/orders"
within 10 test -s "$work/answers" || fail "the target does not start"
pid=$(head -n 1 "$work/answers")

for json in "" --json; do
  # shellcheck disable=SC2086
  run 0 timeout 300 "$RTEVTOP" stats $json --duration 0.2 "$pid"
  says "the target has paused its events: nothing is counted until it resumes them"
  [ -s "$work/out" ] || fail "no report beside the message"
done
# What its rings hold from before tells that there is a domain, which is silent.
python3 -c 'import json, sys; sys.exit(len(json.load(sys.stdin)["domains"]) != 1)' <"$work/out" || fail "its domain is not known: $(cat "$work/out")"
echo >&3
within 10 grep -q resumed "$work/answers" || fail "the target does not resume"
run 0 timeout 300 "$RTEVTOP" stats --duration 0.2 "$pid"
grep -q paused "$work/err" && fail "it has not paused: $(cat "$work/err")"
echo >&3
exec 3>&-

# observed COMMAND...: let it observe a program that collects for half a second, pauses for two, and ends with its ring_stop.
observed() {
  rm -f "$work/ended" "$work/end"
  mkfifo "$work/end"
  timeout 60 "$@" -- sh -c 'exec "$1" "$OCAML_RUNTIME_EVENTS_DIR" 500' sh "$target" <"$work/end" >"$work/out" 2>"$work/ended" &
  local observer=$!
  exec 3>"$work/end"
  within 30 test -s "$work/ended" || fail "the target does not pause"
  sleep 2
  exec 3>&-
  wait "$observer" || fail "$*: $(cat "$work/ended")"
}

# half: half a second has been observed.
half() {
  python3 - "$1" <<'END' || fail "the pause counts as observed: $(cat "$1")"
import json, sys
domain = json.load(open(sys.argv[1]))["domains"][0]
sys.exit(not (domain["gc_s"] >= 0.5 and domain["gc_share"] > 0.5))
END
}

observed "$RTEVTOP" stats --json
grep -q "has paused" "$work/ended" && fail "what has ended will not resume: $(cat "$work/ended")"
half "$work/out"
# A recording knows of the pause what the target said of it, also when it ends amid the pause.
for duration in "" "--duration 1.5"; do
  # shellcheck disable=SC2086
  observed "$RTEVTOP" record --force $duration -o "$work/paused.fxt"
  run 0 timeout 300 "$RTEVTOP" stats --json "$work/paused.fxt"
  half "$work/out"
done
exit 0
