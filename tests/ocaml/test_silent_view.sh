#!/usr/bin/env bash
# test_silent_view.sh RELEASE: the live view of a program that records no events: what its memory tells, which views need events;
# then it goes over to events as they begin, and back as they end, and as another program without them follows.
. "$(dirname "$0")/lib.sh"
. "$here/../tui/lib.sh"
trap 'tui_cleanup; cleanup' EXIT
with_ocaml "$1"
program=$(build "$prefix" silent native) || exit 1
mkfifo "$work/orders" "$work/answers"
(cd "$work" && exec "$program" "$program" <"$work/orders" >"$work/answers") &
pid=$!
exec 8>"$work/orders" 7<"$work/answers"
order() {
  echo "$1" >&8
  read -r -t 60 answer <&7 && [[ $answer == $2* ]] || fail "no answer to $1: ${answer:-}"
}
read -r -t 60 answer <&7 || fail "it did not begin"

tui_begin 40 120 "'$RTEVTOP' -d 100ms $pid; echo status \$?; exec sleep 1000"
tui_wait "silent[a-z-]* $pid .*OCaml $version .*○ NO EVENTS .*domains 3"
tui_wait 'NO EVENTS  counters only; .*OCAML_RUNTIME_EVENTS_START=1'
tui_wait '^ GC +- .*minors [0-9.]+/s'
tui_wait '^ CPU .* alloc +[0-9.]+MB/s'
tui_wait 'D1 running '
tui_wait 'minor +[0-9.]+/s'
tui_wait 'cycles +[0-9.]+/s'
tui_wait 'young +2\.10MB +[0-9.]+% full'
tui_wait 'promoted +[0-9.]+MB/s'
for key in 3 4 5 6 8; do tui_press 'this needs events: start the program with OCAML_RUNTIME_EVENTS_START=1' "$key"; done
tui_press 'o=120 +memory +space_overhead' 7
tui_press '^domain.* minor +young +heap ' 2
tui_wait '^D1 +running .* [0-9.]+/s +[0-9.]+% +[0-9.]+[kM]B '
# The trend knows nothing of events, and shows no pause of what was never begun.
tui_press '^GC - .*allocated [0-9.]+MB/s' 0
tui_wait ' pauses -  .*events -  lost -'
! tui_shows 'paused [0-9]|^marks.*‖' || fail "the trend has pauses of events that were never on"
tui_press 'not judged \(no events come, and counters in memory do not tell\)' a
tui_press 'NO EVENTS: counters only' '?' '?'
tui_keys '?'
tui_press 'young +2\.10MB' 1
tui_resize 24 80
tui_wait "silent[a-z-]* $pid .*NO EVENTS"
tui_verdict 'NO EVENTS  counters only; pauses: OCAML_RUNTIME_EVENTS_START=1 +\[C\] sample$'
tui_wait 'D0 sleeping'
tui_wait 'young +2\.10MB +[0-9.]+% full'
tui_resize 40 120

order start started
tui_wait '● LIVE'
tui_wait '^ GC +[0-9]'
tui_wait 'D1 .*GC +[0-9.]+%'
order pause paused
tui_wait 'PAUSED'
tui_wait 'young +2\.10MB +[0-9.]+% full'
tui_wait '^ GC +- '
tui_wait '^ CPU .* alloc +[0-9.]+MB/s'
order resume resumed
tui_wait '● LIVE'
order exec ready
tui_wait '○ NO EVENTS'
tui_wait 'young +2\.10MB +[0-9.]+% full'
echo end >&8
exec 8>&-
tui_wait 'EXITED'
tui_keys q
tui_ended 0

# In the overview the remedy goes as events begin.
(cd "$work" && exec "$program" "$program" <"$work/orders" >"$work/answers") &
pid=$!
exec 8>"$work/orders" 7<"$work/answers"
read -r -t 60 answer <&7 || fail "it did not begin again"
tui_begin 40 140 "exec '$RTEVTOP' -d 100ms"
tui_wait "$pid +silent"
tui_keys "\\" "$pid" Enter
tui_wait "^$pid: start it with OCAML_RUNTIME_EVENTS_START=1"
order start started
tui_wait "$pid +silent[^ ]* .* live "
tui_wait_not "^$pid: start it"
echo end >&8
exec 8>&-
tui_keys q
