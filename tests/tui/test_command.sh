#!/usr/bin/env bash
# The live view of a COMMAND that runs on when the view ends, or without output, or prints without end.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"

trap 'kill -KILL "$view" 2>/dev/null; tui_cleanup' EXIT

# view ARGUMENTS: the live view; its pid in $view.  A shell, which is there first, tells its status.
view() {
  rm -f "$TUI_DIR/pid" "$TUI_DIR/deaf"
  tui_begin 24 100 "sh -c 'echo \$\$ >$TUI_DIR/pid; exec \"\$@\"' sh '$RTEVTOP' -d 100ms $1; echo \"status \$?\"; sleep 3600"
  tui_until test -s "$TUI_DIR/pid" || fail 'nothing was started'
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

# A terminal that can't show the view is reported before COMMAND is started.
for term in dumb no-such-terminal; do
  tui_begin 24 100 "TERM=$term '$RTEVTOP' -- touch '$TUI_DIR/started'; echo \"status \$?\"; sleep 3600"
  tui_wait 'status 1'
  tui_wait 'type of terminal'
  tui_wait "$([ "$term" = dumb ] && echo 'rtevtop -b' || echo 'TERM=xterm rtevtop')"
  tui_shows 'ended without' && fail "TERM=$term: it speaks of a COMMAND"
  [ ! -e "$TUI_DIR/started" ] || fail "TERM=$term: COMMAND was started"
done

# After its last redraw it waits for COMMAND, which nobody stops.
view "-n 2 -- sh -c 'sleep 2; exit 7'"
tui_wait 'status 7'

# COMMAND closes its output and runs on.
view "-- sh -c 'exec sleep 600 >/dev/null 2>&1'"
tui_wait WAITING
rests 'while COMMAND runs without output'
tui_press 'waiting for sh to end' q
# It is said for as long as it lasts, after other messages again.
tui_press 'redraw every' +
tui_wait 'waiting for sh to end'
tui_press 'status 143' q

# deaf: it is shown that COMMAND runs, and COMMAND has set its trap.
deaf() {
  tui_wait WAITING
  tui_until test -s "$TUI_DIR/deaf" || fail 'COMMAND does not begin'
}

# SIGTERM goes on to COMMAND, whose status is ours; one that does not end on it is left alone after two seconds.
view "-d 60s -- sh -c 'trap \"exit 7\" TERM; echo \$\$ >$TUI_DIR/deaf; while :; do sleep 0.1; done'"
deaf
kill -TERM "$view"
tui_wait 'status 7'
view "-d 60s -- sh -c 'trap : TERM; echo \$\$ >$TUI_DIR/deaf; while :; do sleep 0.1; done'"
deaf
kill -TERM "$view"
tui_wait 'status 143'
tui_is '#{alternate_on}' 0
tui_shows "sh goes on after SIGTERM: pid $(cat "$TUI_DIR/deaf")" || fail 'nobody tells that COMMAND goes on'
kill -KILL "$(cat "$TUI_DIR/deaf")" || fail 'COMMAND has ended'
view "-- sh -c 'trap : TERM; echo \$\$ >$TUI_DIR/deaf; while :; do sleep 0.1; done'"
deaf
tui_press 'waiting for sh to end' q
kill -TERM "$view"
tui_wait 'status 143'
kill -KILL "$(cat "$TUI_DIR/deaf")"

# It is killed: the pane says so, and the log by which signal.
view "-- $RTEVTOP demo --seconds 600"
tui_wait '\bD0 .*lag'
kill -KILL "$(tui_screen | sed -nE 's/^ ?rtevtop ([0-9]+) .*/\1/p')"
tui_wait '\bD0 killed'
tui_press ' D[0-9]+ +killed +by SIGKILL, in ' 8
tui_press 'status 137' q

# It starts a second OCaml program while the first is watched, and a third when that has ended.
view "-- sh -c '$RTEVTOP demo --seconds 3 >/dev/null & sleep 1; $RTEVTOP demo --seconds 1 >/dev/null; wait;
  exec $RTEVTOP demo --seconds 60 >/dev/null'"
tui_wait 'sh also started OCaml program [0-9]+ .rtevtop.: rtevtop [0-9]+ watches it'
# Programs that the screen tells of; a demo that runs for long starts one itself.
told() { tui_screen | grep -oE 'also started OCaml program [0-9]+' | grep -oE '[0-9]+'; }
second=$(told)
tui_wait EXITED
third() {
  third=$(told | grep -vx "$second")
  [ -n "$third" ]
}
tui_until third || fail 'the third program is not told of'
tui_press 'waiting for sh to end' q
tui_press 'status ' q
for program in $second $third; do
  tui_shows "OCaml program $program .*which is not followed" || fail "the screen gone, program $program is not told of"
done

# The demo is ours, and ends at once, also when the terminal is gone.  A child that it forks is no news, but in the log.
view --demo
tui_wait '\bD0 '
tui_press 'fork_parent' 8
sleep 1
tui_shows 'also started' && fail "the demo's own child is told of"
tui_press 'status 0' q
# It is given what it would be on its own, and pauses only if asked to.
given() {
  tr '\0' ' ' <"/proc/$(pgrep -P "$view" -x rtevtop)/cmdline" | grep -oE ' demo .*'
}
view '--demo --domains 3 --rate 1000 --seed 9'
tui_wait '\bD2 '
[ "$(given)" = ' demo --domains=3 --rate=1000 --seed=9 ' ] || fail "the demo is given$(given)"
tui_press 'status 0' q
view '--demo --pause --seed=4'
tui_wait '\bD0 '
[ "$(given)" = ' demo --domains=4 --rate=20000 --seed=4 --pause ' ] || fail "the demo is given$(given)"
tui_press 'status 0' q
view --demo
tui_wait '\bD0 '
tui_end
gone() { [ ! -e "/proc/$view" ]; }
tui_until gone || fail 'the demo stays without a terminal'

# COMMAND rests as well once the terminal is gone.
# stopped: it has ended on SIGTERM; one that comes together with the terminal's end counts as the same wish.
stopped() { ! kill -TERM "$view" 2>/dev/null; }
view "-- sh -c 'exec sleep 600 >/dev/null 2>&1'"
tui_wait WAITING
tui_end
rests 'without a terminal'
tui_until stopped || fail 'the view stays although COMMAND was sent SIGTERM'

# COMMAND prints and prints: keys have their effect, and SIGTERM goes through, also when nobody looks any more.
prints='yes & yes & yes & exec yes'
view "-- sh -c '$prints'"
tui_wait WAITING
tui_press '^y$' 8
tui_keys 2
tui_wait_not '^y$'
tui_press 'waiting for sh to end' q
kill -TERM "$view"
tui_wait 'status 143'
view "-- sh -c '$prints'"
tui_wait WAITING
tui_end
tui_until stopped || fail 'the view stays although COMMAND was sent SIGTERM'
