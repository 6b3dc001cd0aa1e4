#!/usr/bin/env bash
# The page of a span in which a domain waited for a lock says that, and who wanted it.  Usage: test_code_lock.sh RELEASE
. "$(dirname "$0")/../tui/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
with_ocaml "$1"
work=$TUI_DIR/work
mkdir -p "$work"
cp "$here/contend.ml" "$work/"
(cd "$work" && "$prefix/bin/ocamlopt" -g -I +unix -I +runtime_events unix.cmxa runtime_events.cmxa contend.ml -o contend 2>"$work/err") ||
  fail "could not compile contend: $(cat "$work/err")"
tui_view 40 120 "-- $work/contend"
tui_wait 'LIVE'
tui_press 'the program.s code is sampled|could not sample' C
tui_screen | grep -q 'could not sample.*perf events' && skip "the kernel refuses perf events"
tui_wait 'code 99Hz [0-9<]'
# What began before the first sample is not explained.
tui_press 'counts begin anew now' R
tui_press 'db\.query' 4
tui_press '^spans [0-9]' Enter
tui_wait '^likely: .*waiting for a lock in Contend\.with_conn contend\.ml:11'
# The moment of such a span tells by looks at locks how long that was.  On a busy machine there may be too few of these in one of them.
moment() {
  tui_press 'middle .*range' Enter
  tui_wait '^(likely|not known): '
  tui_screen | grep -q '^likely: waits for a lock, about ' && return
  tui_press '^spans [0-9]' Escape
  tui_keys Down
  return 1
}
tui_until moment
tui_end
