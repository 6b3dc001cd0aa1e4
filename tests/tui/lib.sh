# lib.sh - helpers for tests that drive a program in a real terminal, which tmux plays.
#
#   . lib.sh; tui_begin ROWS COLS COMMAND     start a private tmux with one window running COMMAND (by sh -c)
#   tui_view ROWS COLS ARGUMENTS [ENV]        start it with rtevtop running, whose status is told when it ends
#   tui_ended STATUS                          wait until it has ended with a status that a regex matches
#   tui_keys KEY...                           press keys by tmux's names (q, Enter, C-z, F1, Escape)
#   tui_type TEXT                             type a text as it stands
#   tui_resize ROWS COLS                      change the size of the terminal
#   tui_screen                                print what is on the screen
#   tui_wait REGEX                            wait until a line of the screen matches, or fail
#   tui_wait_not REGEX                        wait until none does
#   tui_verdict REGEX                         wait until the header says so, or that the target is starved: then it is not tried
#   tui_press REGEX KEY...                    press keys, then wait for what they lead to
#   tui_is FORMAT VALUE                       wait until a tmux format has a value: tui_is '#{alternate_on}' 0
#   tui_golden NAME                           compare the screen with tests/data/screens/NAME.screen (UPDATE_GOLDEN=1 rewrites)
#   tui_end                                   stop tmux; also done when the script ends
#   fail MESSAGE                              print the screen and end with status 1
#
# Nothing here sleeps for a fixed time: what is waited for is polled.

. "$(dirname "${BASH_SOURCE[0]}")/../tools.sh"
need tmux

TUI_DIR=$(mktemp -d "${TMPDIR:-/tmp}/tui.XXXXXX")
TUI_SOCKET=rtev-$$-0
TUI_COUNT=0
export TMUX=

# Options have to be set before the first window is there, so that its program sees them.
cat >"$TUI_DIR/tmux.conf" <<'EOF'
set -s escape-time 0
set -g status off
set -g remain-on-exit on
EOF

tui() { tmux -L "$TUI_SOCKET" -f "$TUI_DIR/tmux.conf" "$@"; }

# A COMMAND that rtevtop has started outlives the terminal.
tui_end() {
  local sessions
  sessions=$(tui list-panes -a -F '#{pane_pid}' 2>/dev/null | paste -sd, -) || true
  tui kill-server 2>/dev/null || true
  [ -z "$sessions" ] || pkill -KILL -s "$sessions" || true
}

tui_cleanup() {
  tui_end
  # Nothing that a test has started outlives it, not even what it has stopped: that goes on first.  A later SIGCONT would cancel the
  # SIGSTOP by which LeakSanitizer attaches to a process that ends, and the two would wait for each other for ever.
  jobs -p | xargs -r kill -CONT 2>/dev/null
  jobs -p | xargs -r kill 2>/dev/null
  rm -rf "$TUI_DIR"
}
trap tui_cleanup EXIT

fail() {
  {
    printf 'FAILED: %s\n--- screen\n' "$*"
    tui_screen
    printf -- '---\n'
  } >&2
  exit 1
}

tui_begin() {
  local rows=$1 cols=$2
  tui_end
  # A socket of its own for each server: the old one goes away in its own time.
  TUI_COUNT=$((TUI_COUNT + 1))
  TUI_SOCKET=rtev-$$-$TUI_COUNT
  tui new-session -d -x "$cols" -y "$rows" "$3" || fail 'tmux did not start'
}

tui_view() { tui_begin "$1" "$2" "${4:-} '$RTEVTOP' $3; echo \"status \$?\"; sleep 3600"; }

tui_keys() { tui send-keys "$@"; }
tui_type() { tui send-keys -l -- "$1"; }
tui_resize() { tui resize-window -x "$2" -y "$1"; }
tui_screen() { tui capture-pane -p 2>/dev/null || true; }
tui_format() { tui display-message -p "$1" 2>/dev/null || true; }

# tui_until COMMAND...: run a command until it succeeds; false when it takes longer than any busy machine does.  The time only
# leaves a test that has failed some of ctest's own to show the screen.
TUI_PATIENCE=150
tui_until() {
  local deadline=$((SECONDS + TUI_PATIENCE))
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.02
  done
}

tui_shows() { tui_screen | grep -qE -- "$1"; }
tui_shows_not() { ! tui_shows "$1"; }
tui_has() { [ "$(tui_format "$1")" = "$2" ]; }

tui_wait() { tui_until tui_shows "$1" || fail "never showed: $1"; }
tui_wait_not() { tui_until tui_shows_not "$1" || fail "still shows: $1"; }
tui_verdict() {
  tui_until tui_shows "$1" && return
  tui_shows ' STARVED ' || fail "never showed: $1"
  echo "not tried: $1, of a program that gets no core"
}
tui_press() {
  local leads_to=$1
  shift
  tui_keys "$@"
  tui_wait "$leads_to"
}
tui_is() { tui_until tui_has "$1" "$2" || fail "$1 is $(tui_format "$1"), expected $2"; }

tui_ended() {
  tui_is '#{alternate_on}' 0
  tui_wait "status $1"
}

tui_golden() {
  local golden=$RTEV_TEST_DATA/screens/$1.screen
  tui_screen >"$TUI_DIR/screen"
  if [ "${UPDATE_GOLDEN:-}" = 1 ]; then
    cp "$TUI_DIR/screen" "$golden"
  else
    diff -u "$golden" "$TUI_DIR/screen" >&2 || fail "differs from $golden"
  fi
}
