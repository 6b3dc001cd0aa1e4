#!/usr/bin/env bash
# r in the live view starts and stops a recording; the file says what log says of that time, whatever ends it.
# Usage: test_record.sh DUMP
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"
need python3
dump=$1
part=$(dirname "$0")/../support/record_part.py
mkdir "$TUI_DIR/run" "$TUI_DIR/pauses"

# target RATE: one whose ring stays and holds all of it; its pid in $demo.
target() { OCAML_RUNTIME_EVENTS_DIR=$TUI_DIR OCAML_RUNTIME_EVENTS_PRESERVE=1 start_demo --domains 2 --seconds 3000 --rate "$1"; }

# view ARGUMENTS: the live view in $TUI_DIR/run; the shell tells its status.
view() {
  rm -f "$TUI_DIR"/run/*
  tui_begin 30 140 "cd '$TUI_DIR/run'; ${LIMIT:-}'$RTEVTOP' $1; echo \"status \$?\"; sleep 3600"
  tui_wait '(^|[^A-Za-z])D0 '
}

# whole FILE: it is a trace that Perfetto takes; its dump is in $TUI_DIR/dump.
whole() {
  "$dump" "$1" >"$TUI_DIR/dump" || fail "$1 is not whole"
}

only_file() {
  set -- "$TUI_DIR"/run/*.fxt
  [ $# = 1 ] && [ -s "$1" ] || fail "not one file: $*"
  echo "$1"
}

# r, some views and keys and a reset meanwhile, and r again
target 500
view "-d 50ms '$TUI_DIR:$demo'"
tui_press "recording to rtevtop-.*-$demo-[0-9]+-[0-9]+\.fxt" r
tui_wait 'REC [0-9]+s [0-9.]+[kM]?B'
tui_press FROZEN Tab R Space Tab
tui_press 'REC ([2-9]|[1-9][0-9]+)s' Space 1
tui_press 'recorded to rtevtop-.*: [0-9]+ events, [0-9.]+[kM]B, lost 0 words' r
tui_wait_not 'REC [0-9]+s'
first=$(only_file)
whole "$first"
cp "$TUI_DIR/dump" "$TUI_DIR/first"
# a second one, until the target is gone; the view stays
tui_press 'REC [1-9][0-9]*s' r
kill -TERM "$demo"
tui_wait EXITED
tui_wait_not 'REC [0-9]+s'
tui_press 'the target has ended: nothing is left to record' r
tui_press 'status 0' q
for file in "$TUI_DIR"/run/*.fxt; do [ "$file" = "$first" ] || second=$file; done
whole "$second"
"$RTEVTOP" log --json "$TUI_DIR/$demo.events" >"$TUI_DIR/log" || fail 'log of the ring that is left'
grep -q '"type":"lost"' "$TUI_DIR/log" && fail 'the ring did not hold all'
python3 "$part" "$TUI_DIR/log" "$TUI_DIR/first" end || fail 'the first recording differs from the log'
python3 "$part" "$TUI_DIR/log" "$TUI_DIR/dump" || fail 'the second recording differs from the log'

# ways out while it records: q, SIGTERM
target 20000
for way in q TERM; do
  view "-d 50ms '$TUI_DIR:$demo'"
  tui_press 'REC [1-9][0-9]*s' r
  if [ $way = q ]; then tui_keys q; else pkill -TERM -f "^$RTEVTOP -d 50ms $TUI_DIR:$demo" || fail 'no process'; fi
  tui_wait 'rtevtop: recorded to rtevtop-'
  tui_wait 'status 0'
  whole "$(only_file)"
done

# a disk that is full: told once, the file is whole up to there, the view goes on and can record again
LIMIT='ulimit -f 200; '
view "-d 50ms '$TUI_DIR:$demo'"
tui_press 'could not go on writing rtevtop-.*; it is complete up to there' r
tui_wait_not 'REC [0-9]+s'
tui_wait LIVE
whole "$(only_file)"
LIMIT=

# where it goes, and where it can't
view "-d 50ms -o '$TUI_DIR/run/%p.%n.fxt' '$TUI_DIR:$demo'"
tui_press "recording to .*/run/$demo.1.fxt" r
tui_press 'recorded to' r
tui_press 'status 0' q
whole "$TUI_DIR/run/$demo.1.fxt"
view "-d 50ms -o '$TUI_DIR/absent/%p.fxt' '$TUI_DIR:$demo'"
tui_press "could not record to .*/absent/$demo.fxt" r
tui_press 'status 0' q

# long pauses are written by themselves
view "-d 50ms --on-pause 2 -o '$TUI_DIR/pauses' '$TUI_DIR:$demo'"
tui_wait '>2.00ms [1-9][0-9]* saved'
tui_wait 'fxt: [a-z_]+ on D[0-9]+ for [0-9.]+(ms|s)( |$)'
# view 8 keeps them when the notice is gone, and all are named at the end
tui_keys 8
tui_wait_not 'fxt: [a-z_]+ on D[0-9]+ for [0-9.]+(ms|s)( |$)'
tui_shows 'D[0-9]+ +pause saved +[0-9.]+(ms|s) [a-z_]+: .*/pauses/' || fail 'view 8 has forgotten the file of a pause'
tui_press 'status 0' q
for file in "$TUI_DIR"/pauses/*.fxt; do
  whole "$file"
  tui_shows "rtevtop: $file: [a-z_]+ on D[0-9]+ for [0-9.]+(ms|s)" || fail "$file is not named at the end"
done

# a disk that is full: such files are not counted as saved, and are told of once, at the end
LIMIT='ulimit -f 8; '
view "-d 50ms --on-pause 2 -o '$TUI_DIR/pauses/%n.fxt' '$TUI_DIR:$demo'"
tui_wait 'could not write .*/pauses/[0-9]+.fxt: File too large|cut short: File too large'
tui_wait '>2.00ms 0 saved'
tui_press '^rtevtop: could not (go on writing|write) .*/pauses/[0-9]+.fxt' q
tui_wait 'status 1'
[ "$(tui_screen | grep -c '^rtevtop: could not')" = 1 ] || fail 'a full disk is told of more than once'
LIMIT=

# without the view, on a narrow terminal: what is told of files has lines of its own, and progress has one
tui_begin 20 60 "'$RTEVTOP' record --on-pause 2 --duration 6 -o '$TUI_DIR/pauses/narrow-%n' '$TUI_DIR:$demo'; echo \"status \$?\"; sleep 3600"
tui_wait '^watching [0-9]'
tui_wait 'status 0'
tui_shows '^/.*/pauses/' || fail 'the line of a file does not stand alone'
[ "$(tui_screen | grep -c watching)" = 1 ] || fail 'progress stacks up'
kill "$demo"
exit 0
