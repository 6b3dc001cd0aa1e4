#!/usr/bin/env bash
# Which characters the screen has, by what the environment says of the locale.  A locale that says that it is UTF-8 need not be installed.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"
need tar xz
tar -xJf "$RTEV_TEST_DATA/rings/ocaml-5.3.0-pause.tar.xz" -C "$TUI_DIR" || fail 'no ring'
cp "$TUI_DIR"/ocaml-5.3.0-pause/*.events "$TUI_DIR/ring.events" || fail 'no ring'

# shows REGEX COMMAND...: the levels of a pane of the ring, in a terminal that has no locale but what COMMAND sets.
shows() {
  local want=$1
  shift
  tui_begin 24 80 "env -i PATH='$PATH' HOME=$TUI_DIR TERM=tmux-256color $*; exec sleep 1000"
  tui_wait "$want"
  tui_keys q
  tui_wait_not "$want"
}
blocks='minor .*━'
ascii='minor .*=='
for name in LANG=xx_YY.UTF-8 LC_CTYPE=xx_YY.utf8@zz LC_ALL=xx.UTF8 "LANG=C LC_CTYPE=xx_YY.UTF-8" "LC_ALL= LANG=xx_YY.UTF-8" LANG=C.UTF-8; do
  shows "$blocks" "$name" "$RTEVTOP" "$TUI_DIR/ring.events"
done
for name in "" LANG=C LC_ALL=POSIX LANG=xx_YY LANG=xx_YY.ISO-8859-1 "LANG=xx_YY.UTF-8 LC_ALL=C" LANG=xx_YY.UTF-16; do
  shows "$ascii" "$name" "$RTEVTOP" "$TUI_DIR/ring.events"
done

# A static program alone in a root: no locale is installed at all.
if readelf -l "$RTEVTOP" 2>/dev/null | grep -q INTERP; then
  exit 0
fi
[ "$(id -u)" = 0 ] || { echo "not tried: a root without locales, which needs root"; exit 0; }
mkdir "$TUI_DIR/bare"
cp "$RTEVTOP" "$TUI_DIR/bare/rtevtop"
cp "$TUI_DIR/ring.events" "$TUI_DIR/bare"
shows "$blocks" LC_ALL=en_US.UTF-8 chroot "$TUI_DIR/bare" /rtevtop ring.events
shows "$ascii" chroot "$TUI_DIR/bare" /rtevtop ring.events
# A COMMAND, where there is no /dev/null for its input.
mkdir "$TUI_DIR/bare/tmp"
shows "$blocks" LC_ALL=en_US.UTF-8 chroot "$TUI_DIR/bare" /rtevtop -- /rtevtop demo --seconds 2
# Keys beyond ASCII, also those that come in pieces.
tui_begin 24 80 "env -i PATH='$PATH' TERM=tmux-256color LANG=xx.UTF-8 chroot $TUI_DIR/bare /rtevtop ring.events"
tui_wait "$blocks"
tui_keys /
tui_type 'é日'
tui_wait 'é日'
tui_end
