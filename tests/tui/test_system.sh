#!/usr/bin/env bash
# What the kernel says of the process and the settings of its runtime, of a running producer and of a recording of it: the replay
# shows what was seen.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"
OCAMLRUNPARAM=o=90 start_demo --domains 2 --rate 5000 --seed 3
"$RTEVTOP" record --duration 4 -o "$TUI_DIR/live.fxt" "$demo" || fail 'could not record'

# shows: what both have to show.
shows() {
  tui_wait "CPU +[0-9.]+/[0-9.]+ "
  tui_press 'Settings of the runtime' 7
  tui_wait 's=256k +events +minor heap'
  tui_wait 'o=90 +env +space_overhead'
  tui_wait 'd=[0-9]+ +events'
  tui_press '^thread +name +state +cpu +waits for a CPU' 2
  tui_wait "^$demo +rtevtop +"
  tui_press 'threads waiting for a CPU, second by second' 1 t
}
tui_view 40 120 "-d 200ms $demo"
shows
# Frozen, the row stands below the tracks, and an opened pause says it in words.
tui_press '^ waits CPU ' Space t
tui_press 'LIVE' Space
tui_keys R 5
# sampled: frozen, the longest pause is of a second that has a sample.
sampled() {
  tui_press 'FROZEN' Space
  tui_screen | grep -A1 -E '^ duration' | grep -qE '^ .* ([3-9]|[0-9]{2})\.[0-9]+s ' && return
  tui_press 'LIVE' Space
  false
}
tui_until sampled || fail 'no pause has been sampled'
tui_press "in the [0-9.]+m?s around it its threads waited" Enter
tui_press 'status 0' q
kill "$demo"
tui_view 40 120 "'$TUI_DIR/live.fxt'"
tui_wait 'REPLAY .*at end'
shows
tui_press 'status 0' q
