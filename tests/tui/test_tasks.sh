#!/usr/bin/env bash
# What somebody wants to know of a program, and by how many keys: each task is done by at most four, a text that is typed being one,
# and its answer stands on the screen.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"
mkdir "$TUI_DIR/here"
cd "$TUI_DIR/here" || exit 1
start_demo --domains 3 --rate 20000 --seed 3 --seconds 3000
pid=$demo
tui_begin 40 120 "cd '$TUI_DIR/here' && XDG_CONFIG_HOME='$TUI_DIR' exec '$RTEVTOP' -d 100ms $pid"
tui_wait 'LIVE'
tui_wait 'http.request +span'
# There is a past of some seconds to go to.
tui_wait 'up ([5-9]|[1-9][0-9])s|up [0-9]+m'

# task WHAT ANSWER KEY...: from the panes on, the keys lead to a screen with the answer.  A key that begins with = is a text.
task() {
  local what=$1 answer=$2 key
  shift 2
  [ $# -le 4 ] || fail "$what takes $# keys"
  for key; do
    case $key in =*) tui_type "${key#=}" ;; *) tui_keys "$key" ;; esac
  done
  tui_wait "$answer"
  echo "ok $what: $# keys"
}
back() {
  tui_press '(^|[^A-Za-z])D0 .*lag' "$@" 1
}

# Is it healthy?  The second line says so.
verdict() { tui_screen | sed -n 2p | grep -qE '[a-z]+ .*[a-z]'; }
tui_until verdict || fail 'no verdict'
task 'the slowest request, and why' '^(likely|not known): ' 4 Enter
back Escape
task 'who comes last, and what it did' '^likely: D[0-9] waited ' 6
back
task 'who allocates' 'alloc' 2
back
task 'does memory grow' 'heap' 7
back
task 'two of its settings: the words of a minor heap and the size of a ring' 's=[0-9]+k .* minor heap' 7
tui_wait 'e=[0-9]+ '
back
task 'what was two seconds ago' 'middle .*\(-2\.0' g =2 Enter
tui_wait FROZEN
tui_wait 'its longest pauses in this time'
tui_press LIVE Escape
back
task 'a phase by its name' '^> ?minor|minor_local_roots' 3 / =local_roots Enter
back Escape
task 'record' 'recording' r
tui_keys r
recorded() { compgen -G '*.fxt' >/dev/null; }
tui_until recorded || fail 'nothing was recorded'
file=$(compgen -G '*.fxt' | head -1)
tui_keys q
tui_end
tui_begin 40 120 "XDG_CONFIG_HOME='$TUI_DIR' exec '$RTEVTOP' '$file'"
task 'replay it' 'REPLAY .* at end'
task 'the slowest request of a recording, and why' '^(likely|not known): ' 4 Enter
tui_keys q
tui_end
# Ten of them, of which the one is told that is not well.
pids=$pid
for ((i = 1; i < 10; i++)); do
  start_demo --domains 1 --rate 1000 --seed $i --seconds 3000
  pids+=" $demo"
done
tui_begin 40 120 "XDG_CONFIG_HOME='$TUI_DIR' exec '$RTEVTOP' $pids"
task 'ten processes, and how they do together' '^processes 10 '
