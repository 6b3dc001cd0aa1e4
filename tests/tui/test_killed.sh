#!/usr/bin/env bash
# The live view of the demo is killed: the producer ends with it, and nothing of either is left.
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
