#!/usr/bin/env bash
# test_faces_silent.sh OCAML: a program of OCaml through every face, first without events, then with them: what the faces share is what
# the program says of itself, by name.
. "$(dirname "$0")/lib.sh"
. "$here/../tui/lib.sh"
trap 'tui_cleanup; cleanup' EXIT
with_ocaml "$1"
program=$(build "$prefix" faces native) || exit 1
cd "$work" || exit 1
mkfifo line said
"$program" silent <line >said &
exec 3>line 4<said
read -r -t 60 pid <&4 || fail "the target does not start"
# does WORD: the target does it, and has done it.
does() {
  echo "$1" >&3
  while read -r -t 60 answer <&4; do [ "$answer" != "$1" ] || return 0; done
  fail "the target does not do: $1"
}
# counts FILE: what the target says of itself.
counts() {
  echo counts >&3
  read -r -t 60 answer <&4 || fail "the target does not count"
  echo "$answer" >"$1"
  read -r -t 60 answer <&4
}

# compare STATE: all faces from before the target is busy until they have told of it, beside each other.
compare() {
  local faces face lines
  rm -f metrics.prom batch.jsonl stats.json stats.txt
  counts before
  "$RTEVTOP" stats --json "$pid" >stats.json 2>stats.err &
  faces=$!
  "$RTEVTOP" stats "$pid" >stats.txt 2>>stats.err &
  faces="$faces $!"
  "$RTEVTOP" -b --json -d 0.25 "$pid" >batch.jsonl 2>batch.err &
  faces="$faces $!"
  "$RTEVTOP" metrics -o metrics.prom -d 0.25 "$pid" 2>metrics.err &
  faces="$faces $!"
  tui_begin 40 250 "'$RTEVTOP' $pid; :"
  # Each has found its way to what it counts: the memory, or the ring, of the target.
  for face in $faces; do
    attached() { [ -n "$(find "/proc/$face/fd" -lname '/dev/*pidfd*' -o -lname 'anon_inode:*pidfd*')" ]; }
    within 100 attached || fail "a face does not attach: $(cat ./*.err)"
  done
  within 100 test -s metrics.prom || fail "no metrics"
  tui_wait "$2"
  tui_press 'counts begin anew now' R
  known() { [ "$(wc -l <batch.jsonl)" -ge $((lines + 3)) ]; }
  lines=0
  within 100 known || fail "no reports"
  does busy
  counts after
  lines=$(wc -l <batch.jsonl)
  within 100 known || fail "no more reports"
  # The rates of these seconds are those of nothing: the figures on the screen are of all since R.
  tui_wait '│ alloc +0B/s'
  told() { grep -q "^ocaml_gc_minor_collections_total{.*} $(($(cut -d' ' -f1 after) - $(cut -d' ' -f1 before)))\$" metrics.prom; }
  within 100 told || fail "metrics do not tell of $(cat before after): $(cat metrics.prom)"
  cp metrics.prom metrics.now
  tui_screen >live.screen
  # shellcheck disable=SC2086
  kill $faces
  for face in $faces; do wait "$face" || fail "a face ends with status $?: $(cat ./*.err)"; done
  tui_keys q
  tui_is '#{pane_dead}' 1
  run 0 "$RTEVTOP" list --json
  cp out list.jsonl
  tui_begin 40 250 "exec '$RTEVTOP'"
  tui_wait "$pid.* ($1) "
  tui_wait "$pid .* [0-9.]+MB"
  tui_screen >overview.screen
  tui_keys q
  tui_is '#{pane_dead}' 1
  python3 "$here/../support/faces_silent.py" "$1" "$pid" || {
    tail -n 40 before after stats.txt live.screen overview.screen >&2
    fail "$1: the faces do not agree"
  }
}

compare "no events" 'NO EVENTS.*domains 1'
does start
compare live '(LIVE|QUIET).*domains 1'
exec 3>&-
