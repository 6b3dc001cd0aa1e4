#!/usr/bin/env bash
# The live view of the demo is killed: the producer ends with it, and nothing of either is left.  It runs out of memory: it ends, and
# gives the terminal back.  Usage: test_killed.sh [SHORT_MODULE] (for LD_PRELOAD, see support/short.c; none where it can't be)
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"
export TMPDIR=$TUI_DIR/tmp
mkdir "$TMPDIR"
unset OCAML_RUNTIME_EVENTS_DIR OCAML_RUNTIME_EVENTS_PRESERVE

tui_begin 24 100 "sh -c 'echo \$\$ >$TUI_DIR/pid; exec \"\$@\"' sh '$RTEVTOP' -d 100ms --demo; sleep 3600"
tui_wait '\bD0 '
view=$(cat "$TUI_DIR/pid")
ring=$(ls "$TMPDIR"/rtevtop-*/*.events) || fail 'there is no ring'
demo=$(basename "$ring" .events)
[ -e "/proc/$demo" ] && [ "$demo" != "$view" ] || fail "there is no demo $demo"
kill -KILL "$view"
gone() { ! kill -0 "$demo" 2>/dev/null; }
tui_until gone || fail 'the producer outlives the view'
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls -AlR "$TMPDIR")"

# From some moment on there is no memory.  A picture may stay as it is, keys and signals are heard; a new size ends it.
[ -n "${1:-}" ] || exit 0
OCAML_RUNTIME_EVENTS_DIR=$TUI_DIR start_demo --domains 2 --seconds 1000
for how in size q TERM HUP; do
  rm -f "$TUI_DIR/short" "$TUI_DIR/pid"
  tui_begin 24 100 "sh -c 'echo \$\$ >$TUI_DIR/pid; exec env SHORT_WHILE=\"$TUI_DIR/short\" LD_PRELOAD=\"$1\" \"\$@\"' \
    sh '$RTEVTOP' -d 100ms '$TUI_DIR:$demo'; echo \"status \$?\"; stty -a; sleep 3600"
  tui_wait '\bD0 '
  : >"$TUI_DIR/short"
  case $how in
    size) tui_resize 50 150 ;;
    q) tui_keys q ;;
    *) kill -$how "$(cat "$TUI_DIR/pid")" ;;
  esac
  tui_wait "^status $([ $how = size ] && echo 1 || echo 0)"
  tui_is '#{alternate_on}' 0
  tui_wait ' icanon .* echo | echo .* icanon '
  [ $how != size ] || tui_wait '^rtevtop: could not show the live view: out of memory'
done
exit 0
