#!/usr/bin/env bash
# The live view of a COMMAND that runs on when the view ends.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"

trap 'kill -KILL "$view" 2>/dev/null; tui_cleanup' EXIT

# view ARGUMENTS: the live view; its pid in $view.  A shell, which is there first, tells its status.
view() {
  rm -f "$TUI_DIR/pid"
  tui_begin 24 100 "sh -c 'echo \$\$ >$TUI_DIR/pid; exec \"\$@\"' sh '$RTEVTOP' -d 100ms $1; echo \"status \$?\"; sleep 300"
  tui_until 10 test -s "$TUI_DIR/pid" || fail 'nothing was started'
  view=$(cat "$TUI_DIR/pid")
}

# After its last redraw it waits for COMMAND, which nobody stops.
view "-n 2 -- sh -c 'sleep 2; exit 7'"
tui_wait 'status 7'
