#!/usr/bin/env bash
# What findings and stacks say of programs whose threads wait for locks in known ways, with and without events, and of one that is well.
# Usage: test_locks.sh RELEASE [SHORT_MODULE] (for LD_PRELOAD, see support/short.c)
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
# named NAME FUNCTION: the finding says in which function of the program it is.
named() {
  json "[f for f in x['findings'] if f['name'] == '$1' and 'Locks.$2' in f['text']]" report || fail "no function is named: $(cat report)"
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
# stacks WHAT: whether the report says so, within 20 s: an expression of x, the report, and w, what threads of OCaml wait for.
stacks() {
  within 20 told_by_stacks "$1" || fail "stacks: $1: $(cat report err)"
}
told_by_stacks() {
  "$RTEVTOP" stacks --json "$pid" >report 2>err && python3 -c "
import json
x = json.load(open('report'))
w = {t['tid']: t['waits_for'] for t in x['threads'] if t['kind'] == 'ocaml' and t['waits_for']}
locks = {t: v for t, v in w.items() if v['kind'] in ('mutex', 'channel', 'master')}
raise SystemExit(not ($1))"
}
begin "$program" circle
stacks '[sorted(d) for d in x["deadlocks"]] == [sorted(locks)] and len(locks) == 2 and all(w[v["owner_tid"]]["owner_tid"] == t and v["kind"] == "mutex" for t, v in locks.items())'
"$RTEVTOP" stacks "$pid" >said || fail "stacks"
[ "$(grep -cE '^    thread [0-9]+ waits for a mutex \(Locks\.take_both locks\.ml, 0x[0-9a-f]+\)$' said)" = 2 ] && grep -q '^DEADLOCK' said &&
  [ "$(grep -cE '^Thread [0-9]+: OCaml, domain [0-9], waits for a mutex \(Locks\.take_both locks\.ml\), which thread [0-9]+ holds \(waits for a mutex \(Locks\.take_both locks\.ml\): DEADLOCK\)$' said)" = 2 ] || fail "text of a circle: $(cat said)"
as serious:deadlock 3 || as serious:deadlock 6 || fail "circle: $(cat said err)"
named deadlock take_both
# The last look is as old as the report, even if what is read between the two takes longer than a look is believed.
if command -v gdb >/dev/null; then
  printf '%s\n' 'set breakpoint pending on' 'break observation_finish' run 'shell sleep 4' delete continue >slow
  slowly() {
    timeout 120 gdb -q -batch -x slow --args "$RTEVTOP" stats --json --duration "$1" "$pid" >told 2>err
    python3 -c "
import json
text = open('told').read()
x = json.JSONDecoder().raw_decode(text[text.index('{\"'):])[0]
names = [f['name'] for f in x['findings']]
raise SystemExit('deadlock' not in names or 'lock_held' in names)"
  }
  slowly 4 || slowly 8 || ! grep -q 'Breakpoint 1, .*observation_finish' told || fail "circle, at an end that takes long: $(cat told err)"
fi
grep -q 'Breakpoint 1, .*observation_finish' told 2>/dev/null || echo "not tried: a report that ends slowly, as there is no gdb that can hold one"
stop "$pid"
begin env OCAML_RUNTIME_EVENTS_START=1 OCAML_RUNTIME_EVENTS_DIR="$work" "$program" circle
as serious:deadlock 3 || as serious:deadlock 6 || fail "circle with events: $(cat said err)"
stop "$pid"
# Who joins a thread that wants its lock is in a circle with it.
for how in thread domain; do
  begin "$program" join_$how
  stacks "len(x['deadlocks']) == 1 and [sorted(d) for d in x['deadlocks']] == [sorted([t, v['owner_tid']]) for t, v in locks.items() if w[v['owner_tid']]['owner_tid'] == t and w[v['owner_tid']]['kind'] == 'condition']"
  "$RTEVTOP" stacks "$pid" >said && grep -qE '^Thread [0-9]+: OCaml, domain 0, waits for the end of a thread \(Locks.* locks\.ml(:[0-9]+)?\), which is thread [0-9]+ \(waits for a mutex \(Locks\.take_both locks\.ml(:[0-9]+)?\): DEADLOCK\)$' said || fail "text of a join: $(cat said)"
  as serious:deadlock 3 || as serious:deadlock 6 || fail "join_$how: $(cat said err)"
  named deadlock take_both
  stop "$pid"
done
begin "$program" gone
stacks 'x["deadlocks"] == [] and [(v["kind"], v["owner_tid"]) for v in locks.values()] == [("mutex", None)]'
"$RTEVTOP" stacks "$pid" >said && grep -qE 'waits for a mutex \(.*\) whose holder is gone$' said || fail "gone: $(cat said)"
as serious:dead_owner 3 || as serious:dead_owner 6 || fail "gone: $(cat said err)"
# A report is of the time in which it looked, and not of that which the functions of its locks take to read.
if [ -n "${2:-}" ]; then
  late() { LD_PRELOAD=$1 SHORT_NAPS=5 as serious:dead_owner 1.5; }
  late "$2" || late "$2" || late "$2" || fail "gone, with functions that take long: $(cat said err)"
fi
stop "$pid"
for how in held channel; do
  begin "$program" $how
  kind=mutex waiters=2 does=sleeps
  [ $how = held ] || kind=channel waiters=1 does=writes
  stacks "x['deadlocks'] == [] and len({v['owner_tid'] for v in locks.values()} - set(locks)) == 1 and [(v['kind'], v['fd'] is None) for v in locks.values()] == [('$kind', '$kind' == 'mutex')] * $waiters"
  text() { "$RTEVTOP" stacks "$pid" >said && grep -qE "waits for .* holds \($does in Locks\." said; }
  within 20 text || fail "$how: $(cat said)"
  as serious:lock_held 8 || as serious:lock_held 20 || fail "$how: $(cat said err)"
  [ $how != held ] || named lock_held sleep_with_lock
  stop "$pid"
done
# With samples of the code a lock is known by the functions that wait for it and that have it, in JSON and text.
begin "$program" held
known() {
  "$RTEVTOP" stats --code "$@" --duration "$seconds" "$pid" >report 2>err || fail "stats --code: $(cat err)"
}
functions() {
  known --json && python3 -c "
import json
locks = json.load(open('report'))['locks']
lock = locks['locks'][0]
assert locks['why'] is None and locks['looks'] > 5 and 2.5 < locks['threads'] < 3.5, locks
assert lock['kind'] == 'mutex' and 0.9 < lock['looks_share'] <= 1 and 1.5 < lock['waiters'] <= 2, lock
assert 0.5 < lock['of_threads_time'] < 0.8 and lock['owner']['call'] == 'sleeps' and lock['owner']['in_call'] > lock['owner']['runs'], lock
assert lock['owner']['in_call'] + lock['owner']['runs'] > 0.8, lock
for side in 'waits_in', 'held_in':
    assert lock[side][0]['name'].startswith('Locks.') and lock[side][0]['share'] > 0.9, lock
" 2>said
}
seconds=4
functions || { seconds=12 && functions; } || fail "functions: $(cat said)"
known
grep -q '^locks: [0-9]* looks' report && grep -q 'holder sleeps' report && grep -q 'held in Locks[.]' report ||
  fail "text: $(sed -n '/^locks/,$p' report)"
stop "$pid"
# Of who runs with a lock the samples show what it executes under it, and nothing that it executes without.
begin "$program" busy
runs() {
  known --json && python3 -c "
import json
x = json.load(open('report'))
ran = {f['name']: f['self'] for f in x['code']['functions']}
lock = max(x['locks']['locks'], key=lambda l: l['waiters'])
assert ran['Locks.outside'] > 0.3 and ran['Locks.inside'] > 0.1, ran
assert lock['owner']['runs'] > 0.5 and {f['name'] for f in lock['waits_in']} == {'Locks.in_turns'}, lock
held = {f['name']: f['share'] for f in lock['held_in']}
assert held['Locks.inside'] > 0.9 and set(held) <= {'Locks.inside', 'Locks.in_turns'}, held
" 2>said
}
seconds=6
runs || { seconds=25 && runs; } || fail "who runs with a lock: $(cat said)"
stop "$pid"
begin "$program" held
# Metrics say how many wait, and of a circle that it stands.
gauges() {
  "$RTEVTOP" metrics -o lock.prom -d "$1" -n 2 "$pid" 2>err || fail "metrics: $(cat err)"
}
gauges 4
grep -q '^ocaml_lock_waiters{.*kind="mutex"} [12]' lock.prom && grep -q '^ocaml_lock_waiters{.*kind="master"} 0$' lock.prom &&
  grep -q '^ocaml_deadlock{.*} 0$' lock.prom || fail "metrics: $(grep lock lock.prom)"
stop "$pid"
begin "$program" circle
stuck() { gauges "$1" && grep -q '^ocaml_deadlock{.*} 1$' lock.prom; }
stuck 5 || stuck 15 || fail "metrics of a circle: $(grep lock lock.prom)"
stop "$pid"
begin "$program" master
as serious:master_lock 8 || as serious:master_lock 20 || fail "master: $(cat said err)"
json "[f['name'] for f in x['findings'] if f['name'] in ('starved', 'master_lock')][0] == 'master_lock'" report || fail "master: $(cat report)"
# Where a thread that runs is, a sample alone tells, which slows the program: nobody asked for one.
json "all('runs in' not in f['text'] for f in x['findings'])" report || fail "a thread was sampled: $(cat report)"
stop "$pid"
# A bytecode program has its systhreads in a library.
native=$program
program=$(build "$prefix" locks bytecode threads)
begin "$program" master
as serious:master_lock 8 || as serious:master_lock 20 || fail "master of bytecode: $(cat said err)"
stop "$pid"
program=$native
begin "$program" calm
stacks "x['deadlocks'] == [] and len([v for v in w.values() if v['kind'] == 'condition']) == 5 and not locks"
told 8 || fail "calm: $(cat err)"
[ "$(head -n 1 said)" = none ] || fail "calm: $(cat said)"
[ -z "$(sed -n 2p said)" ] || fail "calm was not looked at: $(cat said)"
stop "$pid"
exit 0
