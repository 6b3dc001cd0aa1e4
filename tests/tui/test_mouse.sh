#!/usr/bin/env bash
# The mouse, played as a terminal sends it, and what y puts on the clipboard, as a terminal gets it.  Usage: test_mouse.sh
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"
export XDG_CONFIG_HOME=$TUI_DIR
mkdir "$TUI_DIR/here"
cd "$TUI_DIR/here" || exit 1
start_demo --domains 3 --rate 20000 --seed 3 --seconds 3000

# report BUTTON ROW COL [m]: a report of the mouse; rows and columns from 1.
report() { tui_type "$(printf '\033[<%d;%d;%d%s' "$1" "$3" "$2" "${4:-M}")"; }
click() {
  report 0 "$1" "$2"
  report 0 "$1" "$2" m
}
# row_of REGEX: the row of the screen that has it.
row_of() { tui_screen | grep -nE -- "$1" | head -1 | cut -d: -f1; }
# col_of REGEX TEXT: the column of a text in that row.
col_of() { tui_screen | grep -E -- "$1" | head -1 | sed "s/$2.*//; s/[^ -~]/x/g" | awk '{print length($0) + 1}'; }
# live OPTION...: the live view at 120x40.
live() {
  tui_begin 40 120 "cd '$TUI_DIR/here' && TMUX='${in_tmux:-}' ${term:+TERM=$term} '$RTEVTOP' -d 100ms $* $demo; echo \"status \$?\"; sleep 3600"
  tui_wait LIVE
  tui_wait 'http.request +span'
}

test_clicks() {
  live
  tui_is '#{mouse_button_flag}#{mouse_sgr_flag}' 11
  # A tab is shown.
  click "$(row_of '1 panes')" "$(col_of '1 panes' '2 domains')"
  tui_wait '^domain.? +doing'
  tui_wait '^D2 '
  # A row is selected, then opened.
  click "$(row_of '^D2 ')" 3
  is_selected() { tui capture-pane -pe | grep -qE $'^\e\\[(0;)?7m.*D2 '; }
  tui_until is_selected || fail 'D2 is not selected'
  click "$(row_of '^D2 ')" 3
  tui_wait '^╭ D2 [^╭]*╮$'
  # A column is sorted by, then the other way round.
  tui_press '^domain.? +doing' Escape 2
  click "$(row_of '^domain')" "$(col_of '^domain' p50)"
  tui_wait '▾p50'
  click "$(row_of '^domain')" "$(col_of '^domain' p50)"
  tui_wait '▴p50'
  # By the menu.
  tui_press 'sort by' F6
  tui_press '▾p99' Down Enter
  # The wheel, in a list and over the time of a frozen screen; a drag marks, Enter opens it.
  tui_press '(^|[^A-Za-z])D0 .*lag' 1
  tui_press FROZEN Space
  tui_press 'middle .*range' t
  local row range
  row=$(row_of '^.D0 ')
  range=$(tui_screen | grep -oE 'range +[0-9.]+.?s')
  zoomed() { [ "$(tui_screen | grep -oE 'range +[0-9.]+.?s')" != "$range" ]; }
  report 64 "$row" 60
  report 64 "$row" 60
  tui_until zoomed || fail 'the wheel does not zoom'
  report 0 "$row" 40
  report 32 "$row" 50
  report 32 "$row" 60
  report 0 "$row" 60 m
  tui_wait 's marked: Enter opens it'
  tui_press '── [0-9.]+.?s marked ──' Enter
  tui_press LIVE Space
}

# What no mouse sends does nothing: not a key of it acts, q least of all.
test_hostile() {
  local report
  tui_press '^domain.? +doing' 2
  for report in '<0;500;3' '<0;3;500' '<0;0;0' '<0;4294967297;3' '<99;3;3' '<;;' '<0;3' '<0;3;3;3' '<-1;3;3' \
    '<0;3;99999999999999999999999999999999999999' '<' '<0;3;3;;;;;;' '?1;3;3'; do
    tui_type $'\e['"$report"M
    tui_type $'\e['"$report"m
  done
  tui_type $'\e[<q\e[<0;3q\e[<0;3;3q'
  tui_press '^pauses [0-9]' 5
  # All of it has been read once this is answered.
  tui_press '^domain.? +doing' 2
  tui_shows LIVE || fail 'a broken report acts as keys'
}

test_off() {
  tui_press 'mouse off' X
  tui_is '#{mouse_any_flag}' 0
  tui_press 'mouse on' X
  tui_is '#{mouse_button_flag}#{mouse_sgr_flag}' 11
  # While it is suspended, and when it ends, the mouse is the shell's.
  tui_keys q
  tui_ended 0
  tui_is '#{mouse_any_flag}#{mouse_sgr_flag}' 00
  live --no-mouse
  tui_is '#{mouse_any_flag}' 0
  tui_press 'mouse on' X
  tui_is '#{mouse_button_flag}' 1
  # A kill without mercy aside, there is no way out that leaves it on.
  kill -ABRT "$(pgrep -P "$(tui_format '#{pane_pid}')" -x rtevtop)"
  tui_is '#{mouse_any_flag}#{mouse_sgr_flag}' 00
}

# decoded: what the sequences that the terminal got say, one after the other.
decoded() { grep -aoP '\x1b\]52;c;\K[A-Za-z0-9+/=]*(?=\a)' "$TUI_DIR/bytes" | base64 -d; }

test_copy() {
  in_tmux=yes live
  tui set -s set-clipboard on
  tui pipe-pane "cat >'$TUI_DIR/bytes'"
  tui_press '^domain.? +doing' 2
  tui_keys Down
  tui_press 'copied [0-9]+ bytes to the terminal' y
  # Once wrapped, once plain; tmux keeps it.
  tui_until grep -aqP '\x1bPtmux;\x1b\x1b\]52;c;[A-Za-z0-9+/=]+\a\x1b\\\x1b\]52;c;[A-Za-z0-9+/=]+\a' "$TUI_DIR/bytes" ||
    fail 'the bytes are others'
  tui show-buffer | grep -qE '^D1  ' || fail "copied $(tui show-buffer)"
  [ "$(decoded)" = "$(tui show-buffer)$(tui show-buffer)" ] || fail 'the two differ'
  # A pane as it stands there.
  tui_press '(^|[^A-Za-z])D0 .*lag' 1
  tui_press 'copied [0-9]+ bytes' y
  has_pane() { tui show-buffer | grep -q 'http.request'; }
  tui_until has_pane || fail "copied $(tui show-buffer)"
  tui_keys q
  # A terminal without a clipboard: a file, and the message names it.
  in_tmux= term=vt100
  live
  tui_press 'saved to rtevtop-[0-9-]+\.txt: this terminal has no clipboard' y
  grep -q 'http.request' "$TUI_DIR"/here/rtevtop-*.txt || fail 'the file has something else'
  tui_keys q
}

for test in clicks hostile off copy; do
  "test_$test"
  echo "ok $test"
done
