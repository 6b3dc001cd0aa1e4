#!/usr/bin/env bash
# What findings say of programs whose threads wait for locks in known ways, with and without events, and of one that is well.
# Usage: test_locks.sh RELEASE
. "$(dirname "$0")/lib.sh"
need python3 timeout
with_ocaml "$1"
program=$(build "$prefix" locks native threads)
cd "$work" || exit 1

# told HOW: what the findings about locks are, of a report over some seconds.
told() {
  "$RTEVTOP" stats --json --duration "$1" "$pid" >report 2>err &&
    python3 -c "
import json
about = ('deadlock', 'dead_owner', 'lost_wakeup', 'lock_held', 'master_lock')
x = json.load(open('report'))
print(' '.join(f['severity'] + ':' + f['name'] for f in x['findings'] if f['name'] in about) or 'none')
print(' '.join(f['name'] for f in x['findings_left_out'] if f['name'] in about and 'not looked' in f['why']))" >said
}
# as EXPECTED SECONDS
as() {
  told "$2" && [ "$(head -n 1 said)" = "$1" ]
}
begin() {
  rm -f ready
  "$@" >ready &
  pid=$!
  within 60 grep -q ready ready || fail "$*: not ready"
}
begin "$program" circle
as serious:deadlock 3 || as serious:deadlock 6 || fail "circle: $(cat said err)"
stop "$pid"
begin env OCAML_RUNTIME_EVENTS_START=1 OCAML_RUNTIME_EVENTS_DIR="$work" "$program" circle
as serious:deadlock 3 || as serious:deadlock 6 || fail "circle with events: $(cat said err)"
stop "$pid"
begin "$program" gone
as serious:dead_owner 3 || as serious:dead_owner 6 || fail "gone: $(cat said err)"
stop "$pid"
for how in held channel; do
  begin "$program" $how
  as serious:lock_held 8 || as serious:lock_held 20 || fail "$how: $(cat said err)"
  stop "$pid"
done
begin "$program" calm
told 8 || fail "calm: $(cat err)"
[ "$(head -n 1 said)" = none ] || fail "calm: $(cat said)"
[ -z "$(sed -n 2p said)" ] || fail "calm was not looked at: $(cat said)"
stop "$pid"
exit 0
