#!/usr/bin/env bash
# The live view on a recorded ring, on a process that holds one, and on its end: what the first screen shows, and that the
# terminal comes back on every way out.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}" "${RTEV_TEST_DATA:?}"
need python3
tar -xJf "$RTEV_TEST_DATA/rings/ocaml-5.3.0-pause.tar.xz" -C "$TUI_DIR"
ring=$(echo "$TUI_DIR"/ocaml-5.3.0-pause/*.events)

# hold: a process that maps the ring as an OCaml program would, its pid in $holder.
hold_py=$(dirname "$0")/../support/hold.py
hold() {
  python3 "$hold_py" "$ring" "$TUI_DIR" >"$TUI_DIR/holder" &
  tui_until test -s "$TUI_DIR/holder" || fail 'the holder did not start'
  holder=$(cat "$TUI_DIR/holder")
}

# The shell tells the program's exit status after the terminal has come back.
view() {
  tui_begin "$1" "$2" "'$RTEVTOP' $3; echo \"status \$?\"; stty -a | grep -o '[-]*icanon\\|[-]*echo '; sleep 3600"
}
back() {
  tui_ended "$1"
  tui_wait '^icanon'
  tui_is '#{cursor_flag}' 1
}

# A file: header, one pane a domain, bars, user events, the pause of the target; the same at every size.
view 40 120 "'$ring'"
tui_wait 'REPLAY'
tui_wait 'OCaml 5.3-5.4 '
tui_wait '(^|[^A-Za-z])D0 '
tui_wait '(^|[^A-Za-z])D1 '
tui_wait 'http.request +span'
tui_wait 'queue.depth +int'
tui_resize 24 80
tui_wait '(^|[^A-Za-z])D0 '
tui_wait 'http.request +[0-9-]'
tui_resize 5 20
tui_resize 60 200
tui_resize 2 10
tui_resize 24 80
tui_wait 'http.request +[0-9-]'
tui_press 'show or hide this help' '?'
tui_keys Escape
tui_wait_not 'show or hide this help'
for key in t x L z z '[' ']' Tab j k Enter Escape C-l; do tui_keys "$key"; done
tui_wait 'REPLAY'
tui_press 'FROZEN' Space
tui_press 'REPLAY' Space
tui_keys q
back 0

# ASCII only, no colour, and terminals of little ability.
view 24 80 "--ascii -C '$ring'"
tui_wait 'REPLAY'
tui_screen | LC_ALL=C grep -q '[^ -~]' && fail 'not ASCII'
tui_keys F10
back 0
for term in vt100 linux screen; do
  infocmp "$term" >/dev/null 2>&1 || continue
  TERM=$term
  tui_begin 24 80 "TERM=$term '$RTEVTOP' '$ring'; sleep 3600"
  tui_wait 'REPLAY'
  tui_wait 'http.request'
done

# A live process: attach by pid, its death is shown, and the view stays until q.
hold
view 24 80 "$holder"
tui_wait "$holder .*LIVE|$holder .*QUIET"
tui_wait '(^|[^A-Za-z])D0 '
kill -KILL "$holder"
tui_wait 'EXITED'
tui_wait '(^|[^A-Za-z])D0 '
tui_keys q
back 0

# --wait: the screen says what is waited for, keys work meanwhile, and the ring is shown once it is there.  A process that is to
# become an OCaml program.
waiting() {
  rm -f "$TUI_DIR/go" "$TUI_DIR/demo"
  mkfifo "$TUI_DIR/go"
  OCAML_RUNTIME_EVENTS_DIR=$TUI_DIR bash -c 'read -r <"$1"; exec "$2" demo --domains 2 --seconds 3000' sh "$TUI_DIR/go" "$RTEVTOP" \
    >"$TUI_DIR/demo" &
  holder=$!
}
waiting
for targets in "$holder" "$holder '$ring'"; do
  view 24 120 "-d 100ms $targets --wait"
  [ "$targets" != "$holder" ] || tui_wait "$holder .*WAITING for its ring"
  [ "$targets" = "$holder" ] || tui_wait "^ *$holder .* waiting "
  tui_press 'show or hide this help' '?'
  tui_keys Escape q
  back 0
done
view 24 120 "--wait=50ms $holder"
back 1
tui_wait "attach to $holder .*: not an OCaml 5 process"
view 24 120 "--wait $holder"
tui_wait 'WAITING'
echo >"$TUI_DIR/go"
tui_wait "$holder .* LIVE"
tui_wait '\bD1 .*lag'
tui_keys q
back 0
kill "$holder"
waiting
view 24 120 "--wait $holder"
tui_wait 'WAITING'
kill -KILL "$holder"
back 1
tui_wait "attach to $holder(: no such process| .*: it has just ended)"

# Signals.
for case in "INT 0" "TERM 0" "HUP 0" "SEGV 139" "ABRT 134" "BUS 135" "ILL 132" "FPE 136" "QUIT 131"; do
  # shellcheck disable=SC2086
  set -- $case
  view 24 80 "'$ring'"
  tui_wait 'REPLAY'
  # A program under a sanitizer ends in its own way.
  pkill "-$1" -f "^$RTEVTOP $ring" || fail 'no process to signal'
  tui_is '#{alternate_on}' 0
  if [ "$2" = 0 ]; then
    back 0
  else
    tui_wait 'status [0-9]'
    tui_wait '^icanon'
    tui_is '#{cursor_flag}' 1
  fi
done

# What only a screen has, without a terminal: it says what to use instead.
"$RTEVTOP" -o "$TUI_DIR" "$ring" >"$TUI_DIR/out" 2>"$TUI_DIR/err" </dev/null && fail 'no terminal, and no failure'
grep -q 'rtevtop stats' "$TUI_DIR/err" || fail "without a terminal: $(cat "$TUI_DIR/err")"
# Stopped by a signal: said as long as that lasts.
start_demo --domains 2 --seconds 3000
view 24 120 "$demo"
tui_wait 'LIVE'
kill -STOP "$demo"
tui_wait 'stopped by a signal or a debugger'
kill -CONT "$demo"
tui_wait 'LIVE'
tui_keys q
back 0
kill "$demo"
exit 0
