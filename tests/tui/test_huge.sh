#!/usr/bin/env bash
# Rings that claim gigabytes in a file of a few kilobytes: the live view and the choice of a process are there at once, and q and
# SIGTERM end them and give the terminal back.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"
need python3
make=$(dirname "$0")/../support/huge_ring.py

holder=
trap 'kill -KILL $holder 2>/dev/null; tui_cleanup' EXIT

# view ARGUMENTS: the live view; its pid in $view.  The shell around it tells its status and the state of the terminal.
view() {
  rm -f "$TUI_DIR/pid"
  tui_begin 24 100 "sh -c 'echo \$\$ >$TUI_DIR/pid; exec \"\$@\"' sh '$RTEVTOP' $1; echo \"status \$?\"; stty -a; sleep 3600"
  tui_until test -s "$TUI_DIR/pid" || fail 'nothing was started'
  view=$(cat "$TUI_DIR/pid")
}

# ends WHAT SIGNAL: `q` and a signal end it.
ends() {
  view "$1"
  tui_wait "$2"
  tui_press 'status 0' q
  tui_wait ' icanon'
  view "$1"
  tui_wait "$2"
  kill -TERM "$view"
  tui_wait 'status 0'
  tui_wait ' icanon'
  # Not waiting for anything to be shown.
  view "$1"
  tui_press 'status 0' q
}

python3 "$make" "$TUI_DIR/huge.events" 8 30
ends "$TUI_DIR/huge.events" 'REPLAY|EXITED'

python3 "$make" hold "$TUI_DIR" 8 30 >"$TUI_DIR/holder" &
holder=$!
tui_until test -s "$TUI_DIR/holder" || fail 'the ring was not made'
ends "$holder" 'LIVE|QUIET|PAUSED'
ends "--dir $TUI_DIR" " $holder "
[ "$(du -k "$TUI_DIR/$holder.events" | cut -f 1)" -lt 4000 ] || fail 'what the file does not hold was read'
