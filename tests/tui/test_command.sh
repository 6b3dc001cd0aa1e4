#!/usr/bin/env bash
# The live view of a COMMAND that runs on when the view ends, or without output.
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

# ticks: the processor time that the view has used.
ticks() {
  local stat
  stat=$(<"/proc/$view/stat")
  set -- ${stat##*) }
  echo $((${12} + ${13}))
}

# rests WHEN: it hardly uses the processor.
rests() {
  local before
  before=$(ticks)
  sleep 1
  [ $(($(ticks) - before)) -lt $(($(getconf CLK_TCK) / 2)) ] || fail "$1 it uses the processor all the time"
}

# After its last redraw it waits for COMMAND, which nobody stops.
view "-n 2 -- sh -c 'sleep 2; exit 7'"
tui_wait 'status 7'

# COMMAND closes its output and runs on.
view "-- sh -c 'exec sleep 30 >/dev/null 2>&1'"
tui_wait WAITING
rests 'while COMMAND runs without output'
tui_keys q
tui_wait 'waiting for sh to end'
tui_keys q
tui_wait 'status 143'

# Likewise once the terminal is gone as well.
gone() { [ ! -e "/proc/$view" ]; }
view "-- sh -c 'exec sleep 30 >/dev/null 2>&1'"
tui_wait WAITING
tui_end
rests 'without a terminal'
kill -TERM "$view"
tui_until 10 gone || fail 'the view stays although COMMAND was sent SIGTERM'
