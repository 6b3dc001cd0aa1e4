#!/usr/bin/env bash
# stillness.sh RTEVTOP TARGET [SECONDS]: run the live view of a target at 120x40 in a terminal, take a picture each second of
# a minute, and tell how still it stands (stillness.py).  It is run by hand, on programs that do the same all the time; what
# it looks at is tested without a clock by test_bars (boxes), test_header (fields) and test_headline (the sentence).
set -euo pipefail
RTEVTOP=$(realpath "$1")
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
tui_view 40 120 "'$2'" 'XDG_CONFIG_HOME=/nonexistent'
tui_wait 'D[0-9]+ '
mkdir "$TUI_DIR/pictures"
# The first seconds of a window fill it.
sleep 10
for ((i = 100; i < 100 + ${3:-60}; i++)); do
  sleep 1
  tui_screen >"$TUI_DIR/pictures/$i"
done
python3 "$(dirname "${BASH_SOURCE[0]}")/stillness.py" "$TUI_DIR/pictures"
