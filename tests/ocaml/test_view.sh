#!/usr/bin/env bash
# The live view beside a real program's life: it forks, and Enter watches the child; it becomes another program, its ring begins
# anew, and the view goes on; it ends.  Usage: test_view.sh RELEASE
. "$(dirname "$0")/lib.sh"
. "$here/../tui/lib.sh"
trap 'pkill -f "^$work/life-native" ; tui_cleanup; cleanup' EXIT
with_ocaml "$1"
need pkill
program=$(build "$prefix" life native)
OCAML_RUNTIME_EVENTS_START=1 OCAML_RUNTIME_EVENTS_DIR=$work target "$program"

tui_begin 24 120 "exec '$RTEVTOP' -d 100ms $pid"
tui_wait "life[a-z-]* $pid .*OCaml $version .*LIVE"
tui_wait '(^|[^A-Za-z])D0 '
tui_wait "explicit.gc.minor"
tui_keys 8
tui_wait 'ring_start +pid'

kill -USR1 "$pid"
tui_wait 'fork_parent +child [0-9]+: Enter watches it'
child=$(tui_screen | sed -n 's/.*child \([0-9]*\): Enter.*/\1/p')
tui_keys Enter
tui_wait "life[a-z-]* $child .*OCaml $version .*LIVE"
tui_wait "explicit.gc.minor"
kill -KILL "$child"
tui_wait EXITED
tui_keys q
tui_is '#{pane_dead}' 1

tui_begin 30 120 "exec '$RTEVTOP' -d 100ms $pid"
tui_wait LIVE
# The child has ended: that is no reason to leave its parent, nor one to be silent.
tui_keys 8
tui_wait "fork_parent +child $child: Enter watches it"
tui_keys Enter
tui_wait "attach to $child: "
tui_wait "life[a-z-]* $pid .*LIVE"
kill -USR2 "$pid"
tui_keys 8
tui_wait 'ring begun anew'
tui_wait 'became another program 1 time'
tui_wait 'LIVE'
tui_wait 'lost +0'
tui_wait 'programs 2'
tui_keys R 3
tui_wait_not 'programs 2'
# It is read on: what is counted from now on is of the new program.
tui_wait '^explicit_gc_minor +[0-9]{2,}'
kill -TERM "$pid"
tui_wait EXITED
tui_keys q
tui_is '#{pane_dead}' 1
