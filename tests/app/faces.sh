#!/usr/bin/env bash
# faces.sh TARGET STATE: one program in a state, and a recording of it, through every face: what they share is the same, by name.
# STATE: busy quiet paused lossy exec ended.  TARGET does what tests/support/faces_target.c tells; exec is for OCaml's own programs.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../tui/lib.sh"
trap 'tui_cleanup; cleanup' EXIT
need python3
target=$1 state=$2
cd "$work" || exit 1
mkdir rings
mkfifo line

OCAML_RUNTIME_EVENTS_DIR=$work/rings "$target" rings <line >said &
exec 3>line
within 100 test -s said || fail "the target does not start"
pid=$(head -n 1 said)

# does WORD: the target does it, and has done it.
does() {
  local count
  count=$(wc -l <said)
  echo "$1" >&3
  done_it() { [ "$(wc -l <said)" -gt "$count" ]; }
  within 100 done_it || fail "the target does not do: $1"
}

"$RTEVTOP" stats --json "$pid" >stats.json 2>stats.err &
stats=$!
"$RTEVTOP" stats "$pid" >stats.txt 2>>stats.err &
text=$!
"$RTEVTOP" record -o a.fxt "$pid" >record.out 2>&1 &
record=$!
"$RTEVTOP" -b --json -d 0.25 "$pid" >batch.jsonl 2>batch.err &
batch=$!
"$RTEVTOP" metrics -o metrics.prom -d 0.25 --user-events "$pid" 2>metrics.err &
metrics=$!
# Not the pane's own process: tmux lets that go on when it is stopped.
tui_begin 40 250 "'$RTEVTOP' $pid; :"
attached() { grep -qs "$pid.events" "/proc/$1/maps"; }
for face in $stats $text $record $batch $metrics; do
  within 100 attached "$face" || fail "a face does not attach"
done
within 100 test -s metrics.prom || fail "no metrics"
tui_wait '(LIVE|QUIET).*domains [12]'
# The view has also what the rings held before; the others count from now on.
tui_press 'counts begin anew now' R
tui_wait 'since [0-9:]+ +worst pause - '
screen=$(pgrep -P "$(tui_format '#{pane_pid}')")
faces="$stats $text $record $batch $metrics $screen"

# told PATTERN: all faces have what happened until now, as metrics, which stand last, have this line, and plain reports go on for longer
# than the second between two looks at memory, which tell the heap of a program that rests.
told() {
  local lines
  known() { grep -q "$1" metrics.prom; }
  within 100 known "$1" || fail "metrics do not tell: $(cat metrics.prom)"
  lines=$(wc -l <batch.jsonl)
  more() { [ "$(wc -l <batch.jsonl)" -ge $((lines + 8)) ]; }
  within 100 more || fail "no more reports"
}
# marked N: the same of the N-th mark that the target has set.
marked() {
  does mark
  tui_keys 4
  tui_wait "^ *mark +unit +$1 "
  told "^ocaml_user_events_total{.*event=\"mark\".*} $1\$"
}

case $state in
  busy)
    does busy
    marked 1
    ;;
  quiet) marked 1 ;;
  paused)
    does busy
    does pause
    tui_wait PAUSED
    told '^ocaml_events_paused{.*} 1$'
    ;;
  lossy)
    # Nobody reads meanwhile, and all have read as much before: all lose the same.
    kill -STOP $faces
    at_rest() { [ -z "$(sed 's/.*) //' "/proc/$1"/task/*/stat | grep -v '^T')" ]; }
    for face in $faces; do
      within 100 at_rest "$face" || fail "a face does not stop"
    done
    does lose
    kill -CONT $faces
    does busy
    marked 1
    tui_wait 'of the events were overwritten'
    ;;
  exec)
    does busy
    # What a ring still held goes with its program.
    marked 1
    does exec
    tui_wait 'programs 2'
    does busy
    marked 2
    ;;
  ended)
    does busy
    does end
    marked 1
    ;;
esac

tui_screen >live.screen
cp metrics.prom metrics.now
kill $stats $text $record $batch $metrics
for face in $stats $text $record $batch $metrics; do
  wait "$face" || fail "a face ends with status $?: $(cat ./*.err record.out)"
done
tui_keys q
tui_is '#{pane_dead}' 1
tui_begin 40 250 "exec '$RTEVTOP'"
tui_wait "$pid.*(live|paused)"
tui_wait "$pid .* [0-9.]+MB"
# The sentence of the one that is selected.
tui_keys "\\" "$pid" Enter
said=
[ "$state" = paused ] && said='it has paused its events'
tui_wait "^$pid: $said"
tui_screen >overview.screen
# What is said of the recording.
run 0 "$RTEVTOP" stats --json a.fxt
cp out replay.json
run 0 "$RTEVTOP" stats a.fxt
cp out replay.txt
run 0 "$RTEVTOP" diff --json a.fxt a.fxt
cp out diff.json
tui_begin 40 250 "exec '$RTEVTOP' a.fxt"
tui_wait 'REPLAY'
tui_keys End
tui_wait 'at end'
tui_screen >replay.screen
tui_keys q
tui_is '#{pane_dead}' 1
python3 "$(dirname "$0")/../support/faces.py" "$state" "$pid" || {
  tail -n 40 stats.txt live.screen overview.screen replay.screen batch.jsonl metrics.now >&2
  fail "the faces do not agree"
}
