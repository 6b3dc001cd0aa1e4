#!/usr/bin/env bash
# stats of a target that has paused its events says that its zeros are no measurement.  Usage: stats_paused.sh TARGET
. "$(dirname "$0")/lib.sh"
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
echo >&3
within 10 grep -q resumed "$work/answers" || fail "the target does not resume"
run 0 timeout 300 "$RTEVTOP" stats --duration 0.2 "$pid"
grep -q paused "$work/err" && fail "it has not paused: $(cat "$work/err")"
echo >&3
exec 3>&-
exit 0
