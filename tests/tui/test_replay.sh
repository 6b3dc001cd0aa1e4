#!/usr/bin/env bash
# The replay of a recording in a real terminal: every key that controls time, freezing while it plays, and what is said of a file
# that is cut short or is no recording.
. "$(dirname "$0")/lib.sh"
tool=${1:?trail_tool}
: "${RTEVTOP:?}" "${RTEV_TEST_DATA:?}"
tar -xJf "$RTEV_TEST_DATA/rings/ocaml-5.3.0-instrumented.tar.xz" -C "$TUI_DIR"
ring=$(echo "$TUI_DIR"/ocaml-5.3.0-instrumented/*.events)
"$RTEVTOP" record -o "$TUI_DIR/ring.fxt" "$ring" || fail 'could not record'

# place: how far the replay is, in tenths of a second.
place() {
  tui_screen | sed -nE '1s/.*REPLAY ([0-9]+):([0-9]+)\.([0-9]).*/\1 \2 \3/p' | {
    read -r minutes seconds tenths
    echo $((minutes * 600 + 10#$seconds * 10 + tenths))
  }
}
beyond() { [ "$(place)" -gt "$1" ]; }

# A recording of eight seconds, made up by the demo at the times of the wall clock; meanwhile what does not need it.
start_demo --domains 2 --rate 5000
"$RTEVTOP" record --duration 8 -o "$TUI_DIR/live.bin" "$demo" &
recorder=$!

# Its figures at the end are those of its ring.
tui_view 24 80 "'$TUI_DIR/ring.fxt'"
tui_press 'at end' '$'
tui_keys 5
pauses=$("$RTEVTOP" stats --json "$ring" | sed -nE 's/.*"pauses":\{"count":([0-9]+).*/\1/p')
tui_wait "^pauses $pauses "
tui_keys q
tui_ended 0

# One that was begun amid the stream knows what was open then: no end is without its begin.
mkdir "$TUI_DIR/run"
tui_begin 30 140 "cd '$TUI_DIR/run'; '$RTEVTOP' -- '$RTEVTOP' demo --domains 2 --rate 5000 --seconds 60; sleep 3600"
tui_wait 'http.request +span'
tui_keys r
# Some seconds, and so many bytes that there are events in them.
tui_wait 'REC ([2-9]|[1-9][0-9]+)s ([2-9][0-9]|[1-9][0-9][0-9])[0-9.]*kB|REC .*MB'
tui_press 'recorded to .*lost 0 words' r
"$tool" stats "$TUI_DIR"/run/*.fxt >"$TUI_DIR/stats" || fail 'it can not be replayed'
grep -qE '"lost_words":0,"history_lost_words":0,"dropped":0,' "$TUI_DIR/stats" || fail 'spans were dropped'
grep -qE '"pauses":\{"count":[1-9]' "$TUI_DIR/stats" || fail 'nothing was recorded'
tui_view 30 140 "'$(echo "$TUI_DIR"/run/*.fxt)'"
tui_wait 'REPLAY 0:[0-9.]+ of [0-9]+:[0-9]'
tui_wait 'http.request +span'
tui_keys q
tui_ended 0

# Live targets and rings have none of these keys.
tui_view 24 120 "'$ring'"
tui_wait 'REPLAY '
tui_keys J . , '(' '^'
tui_shows '^jump' && fail 'a ring file is no recording'
tui_screen | grep -q 'Space play' && fail 'a ring file is no recording'
tui_keys q
tui_ended 0

wait "$recorder" || fail 'could not record the demo'
kill "$demo"

# It plays by itself, whatever its name; then it stops at its end, and says so.
tui_view 40 120 "'$TUI_DIR/live.bin'"
tui_wait '▸ REPLAY 0:0[0-8]\.[0-9] of 0:0[78]\.[0-9] 1x'
tui_wait 'http.request +span'
tui_wait '[0-9][0-9]:[0-9][0-9]:[0-9][0-9]$'
tui_until beyond 5 || fail 'it does not play'
tui_press '‖ REPLAY .* 1x stopped' Space
stopped=$(place)
# A step goes on by one redraw, and back.
tui_keys .
tui_until beyond "$stopped" || fail 'no step on'
tui_keys , ,
tui_until eval '! beyond $((stopped - 1))' || fail 'no step back'
# To the start and the end; 10 s on and back stay inside.
tui_press 'REPLAY 0:00\.0 of' '^'
tui_press '‖ REPLAY .* at end' ')'
tui_press 'REPLAY 0:00\.0 of' '('
tui_press 'REPLAY (0:0[78]\.[0-9]) of \1 1x at end' '$'
# Jumps: from the start, from here, back, by the wall clock, and what is none of them.
tui_press '^jump to \+S, -S, S or H:M:S:' J
tui_type 1.5
tui_wait ': 1\.5'
tui_press 'REPLAY 0:01\.5 of' Enter
tui_keys J
tui_type +0.7
tui_press 'REPLAY 0:02\.2 of' Enter
tui_keys J
tui_type -1
tui_press 'REPLAY 0:01\.2 of' Enter
clock=$(tui_screen | sed -nE '1s/.* ([0-9:]{8})$/\1/p')
tui_keys J
tui_type "$clock"
tui_press "$clock\$" Enter
tui_until eval '! beyond 12' || fail 'the wall clock leads elsewhere'
tui_keys J
tui_type soon
tui_press 'give \+S or -S' Enter
tui_keys J
tui_type 3
tui_keys Escape
tui_wait_not '^jump to'
# Speeds.
tui_press 'REPLAY .* 1/4x stopped' '{' '{'
tui_press 'REPLAY .* 64x stopped' '}' '}' '}' '}' '}' '}' '}' '}' '}' '}'
tui_press '‖ REPLAY .* 64x at end' Space
# Playing at the end begins anew.
tui_keys '{' '{' '{' '{' '{' '{' '{' '{' '{'
tui_press '▸ REPLAY 0:00\.[0-9] of .* 1/8x' Space
# Frozen, it goes on behind the picture, and one can look back; a jump back lets the picture go.
tui_press 'at end' '$'
tui_press 'FROZEN' p
tui_press 'FROZEN .*[(]-' '[' Left
tui_press 'REPLAY 0:00\.[0-9] of' '^'
# Counting afresh is said.
tui_keys J
tui_type 2
tui_press 'REPLAY 0:02\.0 of' Enter
tui_press 'counts from 0:0[12]\.' R
for key in 2 3 4 5 6 7 8 1 t z z x; do tui_keys $key; done
tui_wait 'REPLAY 0:02\.0 of'
tui_press 'play the recording, or stop' '?'
tui_press 'redraw the screen' PageDown PageDown PageDown
tui_keys Escape
tui_keys q
tui_ended 0

# Cut short: played up to there, said on the screen and at the end.
size=$(stat -c %s "$TUI_DIR/live.bin")
head -c $((size / 2 / 8 * 8 + 4)) "$TUI_DIR/live.bin" >"$TUI_DIR/cut.fxt"
tui_view 40 120 "'$TUI_DIR/cut.fxt'"
tui_press 'at end, .*file cut short' '$'
tui_wait 'http.request +span'
tui_keys q
tui_ended 1
tui_wait 'ends early, at byte [0-9]+: ends inside a'

# A file that is damaged in the middle is told of, too, but does not end there.
{ cat "$TUI_DIR/live.bin"; head -c 4096 /dev/zero; } >"$TUI_DIR/damaged.fxt"
tui_view 40 120 "'$TUI_DIR/damaged.fxt'"
tui_press 'at end' '$'
tui_keys q
tui_ended 1
tui_wait "damaged.fxt is damaged at byte $size: "

# Not ours, or not for this.
tui_view 24 100 "'$RTEV_TEST_DATA/fxt/args.fxt'"
tui_wait 'rtevtop did not record it'
tui_wait 'Open it in Perfetto'
tui_wait 'status 1'
for command in log 'record -o x.fxt'; do
  tui_view 24 100 "$command '$TUI_DIR/live.bin'"
  tui_wait 'it is a trace, no ring'
  tui_wait 'plays a recording'
  tui_wait 'status 1'
done
exit 0
