#!/usr/bin/env bash
# The overview: processes come and go, one is opened and left again with its history kept, several that are named.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"

trap 'kill ${demos[*]} 2>/dev/null; tui_cleanup' EXIT
demos=()

# demo DOMAINS: start one; its pid in $demo.
demo() {
  rm -f "$TUI_DIR/demo"
  "$RTEVTOP" demo --domains "$1" --rate 2000 --seed "$1" --seconds 1000 >"$TUI_DIR/demo" &
  demo=$!
  demos+=("$demo")
  tui_until test -s "$TUI_DIR/demo" || fail 'the demo did not start'
}

demo 1
one=$demo
demo 2
two=$demo
tui_begin 40 160 "'$RTEVTOP' -d 100ms; echo \"status \$?\"; sleep 3600"
tui_wait 'all OCaml processes'
tui_wait "$one .* live .* [0-9.]+%"
tui_wait "$two .* live .* [0-9.]+%"
# One more comes; its figures, and its end.
demo 3
three=$demo
tui_wait "$three .* live .* [0-9.]+%"
kill "$three"
tui_wait "$three .* ended "
# Only it is shown, then no more.
tui_type '\'
tui_type "$two"
tui_keys Enter
tui_wait_not "^ *$one "
tui_wait "^ *$two "
# Opened, and left again: the history goes on.
tui_keys Enter
tui_wait "D1 "
tui_wait 'since [0-9]'
tui_keys 0
tui_wait '10m  1h  6h'
tui_keys Escape
tui_wait 'all OCaml processes'
tui_keys Enter
tui_wait "rtevtop $two"
# One that ends while it is open is there for a while, with what it did last.
kill "$two"
tui_wait EXITED
tui_keys Escape
tui_wait "^ *$two .* ended "
tui_keys q
tui_wait 'status 0'

# Several that are named: these alone.
demo 4
tui_begin 24 80 "'$RTEVTOP' -d 100ms $one $demo; echo \"status \$?\"; sleep 3600"
tui_wait "^ *$one .* live .* [0-9.]+%"
tui_wait "^ *$demo .* live .* [0-9.]+%"
tui_wait 'processes 2 '
tui_wait 'targets of the command line'
tui_resize 24 200
for pid in "$one" "$demo"; do
  tui_wait "^ *$pid .* $(id -un) *$"
done
tui_resize 24 80
# The rows go by pid, and a later process may have the smaller one.
tui_keys Home
((demo < one)) || tui_keys Down
tui_keys Enter
tui_wait "rtevtop $demo"
tui_keys q
tui_wait 'status 0'
exit 0
