#!/usr/bin/env bash
# The live view of a real program: C samples its code and the header says what that takes, view c has the function that works,
# its tree zooms, the moment of a long pause names the code; C stops it.  Usage: test_code_view.sh RELEASE WITHOUT_PERF
. "$(dirname "$0")/../tui/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
with_ocaml "$1"
work=$TUI_DIR/work
mkdir -p "$work"
cp "$here/late.ml" "$work/"
(cd "$work" && "$prefix/bin/ocamlopt" -g -I +unix -I +runtime_events unix.cmxa runtime_events.cmxa late.ml -o late 2>"$work/err") ||
  fail "could not compile late: $(cat "$work/err")"
tui_view 40 120 "-- $work/late 38 1000"
tui_wait 'LIVE'
tui_press 'the program.s code is sampled|could not sample' C
tui_screen | grep -q 'could not sample.*perf events' && skip "the kernel refuses perf events"
tui_wait 'code 99Hz [0-9<]'
tui_press 'Late\.fib .*late\.ml' c
tui_press 'rows callers down to functions' t
tui_press 'zoomed 1 deep' Down Enter
tui_press 'longest|duration  domain' 5
# A longer pause may come between a look and a key, and the first ones were before the sampling: a frozen picture keeps its row.
frozen_at() {
  tui_press 'FROZEN' Space
  tui_shows "$1" || {
    tui_press 'LIVE' Space
    false
  }
}
tui_press 'counts begin anew now' R
tui_until frozen_at 'D1 on CPU in Late\.fib' || fail "no row of view 5 has it"
tui_press '^likely: .*D1 on CPU in Late\.fib' Enter
tui_press 'longest|duration  domain' Escape
tui_press 'LIVE' Space
tui_press 'has stopped; c shows' C
tui_wait_not 'code 99Hz'
tui_end

# Code without a safepoint that never ends while another domain waits for it is named in the header and in view c.
tui_view 40 120 "-- $work/late 90 1"
tui_verdict ' D0 has waited [0-9.m]+s in stw_api_barrier: D1 is missing; see rtevtop stacks [0-9]+( +\[.\] [a-z]+)?$'
tui_press 'the program.s code is sampled' C
tui_verdict ' D0 has waited [0-9.m]+s in stw_api_barrier: D1 on CPU in Late\.fib([^(…]|\([^()…]*\))*$'
tui_wait 'code 99Hz [0-9<]'
tui_press '^Late\.fib  +late\.ml:8  +(100|9[0-9.]+)% ' c
tui_end

# Of a process that records events and runs already, --code samples from the begin.
export OCAML_RUNTIME_EVENTS_DIR=$work
"$work/late" 90 1 >/dev/null &
late=$!
tui_until test -s "$work/$late.events" || fail "the program made no ring"
tui_view 40 120 "--code $late"
tui_wait 'code 99Hz [0-9<]'
tui_press '^Late\.fib  +late\.ml:8  +(100|9[0-9.]+)% ' c
tui_end
kill "$late"
unset OCAML_RUNTIME_EVENTS_DIR

# Where the kernel refuses perf events, what waits is seen, and it says what can't be.
"$2" 13 true || skip "this kernel has no filters of system calls"
tui_view 40 120 "-- $work/late 38 1000" "$2 13"
tui_wait 'LIVE'
tui_press 'only threads that wait are seen: view c shows it' C
tui_wait 'code off CPU only [0-9<]'
tui_press 'perf_event_paranoid is [-0-9]' c
tui_wait 'domains all  on CPU 0 .*ran unseen [1-9]'
tui_wait '^caml_unix_sleep .* -  .*%'
tui_end
