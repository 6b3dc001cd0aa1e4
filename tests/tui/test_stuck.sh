#!/usr/bin/env bash
# A terminal that takes no output holds nothing up (test_stuck.c), and its picture is whole once it takes output again.
#
# usage: test_stuck.sh TEST_STUCK TTY_PROBE
set -u
. "$(dirname "$0")/lib.sh"
XDG_CONFIG_HOME=$TUI_DIR "$1" "$2" "$TUI_DIR" || fail 'see above'
# The picture asks the terminal for its attributes: nobody reads the answer, and it is not to be seen.
tui_begin 50 200 "stty -echo; cat '$TUI_DIR/picture'; exec sleep 1000"
tui_wait 'end 200x50'
tui_wait 'key j'
[ "$(tui_screen | grep -cE '^0[0-4][0-9]')" = 50 ] || fail 'lines are missing'
[ "$(tui_screen | grep -cE '^0[0-4][0-9] [│╭╰]')" = 48 ] || fail 'the box has holes'
tui_screen | sed -n 3p | grep -qE '^002 │ minor é 日本 … +│$' || fail 'the text is not whole'
