#!/usr/bin/env bash
# The numbers that the live view shows of a ring are those that follow from `log --json` of it.  Usage: test_numbers.sh NAME
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/lib.sh"
# Both want to clean up.
trap 'tui_cleanup; cleanup' EXIT
need tar xz python3
ring=$(unpack "$1")
run 0 "$RTEVTOP" log --json "$ring"
cp "$work/out" "$work/log.jsonl"

# right NAME: the numbers of a view are right.  A screen this large may be caught half drawn; one of a file that is wrong stays so.
right() {
  tui_screen >"$work/screen"
  python3 "$(dirname "$0")/screen_oracle.py" "$work/log.jsonl" "$1" "$work/screen" >"$work/wrong" 2>&1
}

# Tall enough for every stack of phases.
tui_begin 450 160 "exec '$RTEVTOP' '$ring'"
tui_wait 'REPLAY|EXITED'
for view in '3 phases ^phase +count' '4 user ^event.+kind +count' '5 pauses ^pauses [0-9]'; do
  read -r key name shows <<<"$view"
  tui_press "$shows" "$key"
  # The last line is for those folded away.
  if [ "$key" = 3 ]; then
    tui_press 'below 2% of GC' G
    tui_keys Enter
  fi
  tui_until right "$name" || {
    cat "$work/wrong"
    fail "the numbers of view $key ($name) are wrong"
  }
done
tui_keys q
tui_is '#{pane_dead}' 1
