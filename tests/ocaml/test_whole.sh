#!/usr/bin/env bash
# test_whole.sh RELEASE: live reading is whole.  What log, stats and record read of a program that ends after some
# milliseconds, as COMMAND, is what the ring holds that it leaves behind; what log -f has printed after SIGINT is all that
# its target had written.
. "$(dirname "$0")/lib.sh"
need python3 timeout
with_ocaml "$1"
program=$(build "$prefix" whole native) || exit 1
rounds=${WHOLE_ROUNDS:-4}
kept() {
  run 0 "$RTEVTOP" "$1" --json --ocaml "$2" "$work/kept/$pid.events"
  mv "$work/out" "$work/kept.json"
}

# whole WHAT END: one round.  The ring of COMMAND is followed, its child's is told of.
whole() {
  rm -rf "$work/kept"
  mkdir "$work/kept"
  local live=("$1" --json) status=0 what=$1
  case $2 in
    raise) status=2 ;;
    kill) status=137 ;;
  esac
  [ "$1" = record ] && live=(record --force -o "$work/whole.fxt") what=stats
  # The shell has the pid that names the ring.
  run $status env OCAML_RUNTIME_EVENTS_PRESERVE=1 OCAML_RUNTIME_EVENTS_DIR="$work/kept" \
    "$RTEVTOP" "${live[@]}" -- sh -c 'echo $$ >"$0"; exec "$@"' "$work/pid" "$program" "$2"
  [ "$1" = record ] && run 0 "$RTEVTOP" stats --json "$work/whole.fxt"
  mv "$work/out" "$work/live.json"
  read -r pid <"$work/pid"
  kept "$what" "$version"
  python3 "$here/whole.py" "$what" "$work/live.json" "$work/kept.json" || fail "$1 of a program that ends by $2"
}

for ((i = 0; i < rounds; i++)); do
  for end in return exit raise kill; do
    whole log $end
  done
  whole stats return
  whole record return
done

# A target that writes without a pause is stopped, so that its end is known; then log is asked to stop.
program=$(build "$prefix" burst native) || exit 1
mkdir -p "$work/kept"
printed() { [ "$(wc -c <"$work/live.json")" -gt 2000000 ]; }
stopped() { ! grep -qv '^[0-9]* ([^)]*) T' /proc/$pid/task/*/stat; }
for signal in INT TERM; do
  OCAML_RUNTIME_EVENTS_DIR=$work/kept OCAML_RUNTIME_EVENTS_START=1 "$program" 2 600 200000 2>/dev/null &
  pid=$!
  within 60 test -s "$work/kept/$pid.events" || fail "burst made no ring"
  : >"$work/live.json"
  # A shell has its background jobs ignore SIGINT.
  env --default-signal=INT "$RTEVTOP" log --json -f "$work/kept:$pid" >"$work/live.json" 2>"$work/err" &
  follower=$!
  within 60 printed || fail "log -f prints nothing: $(cat "$work/err")"
  kill -STOP $pid
  within 60 stopped || fail "burst does not stop"
  kill -$signal $follower
  wait $follower
  status=$?
  # A stopped target takes no other signal at the end of a test that fails.
  kill -KILL $pid
  wait $pid 2>/dev/null
  [ $status = 0 ] || fail "log -f: SIG$signal: $(cat "$work/err")"
  kept log "$version"
  python3 "$here/whole.py" tail "$work/live.json" "$work/kept.json" || fail "log -f: not all is there after SIG$signal"
done
exit 0
