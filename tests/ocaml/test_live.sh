#!/usr/bin/env bash
# Attach to real OCaml programs: found, version read, domains and user events seen, pauses noticed.
# Usage: test_live.sh RELEASE KIND ORIGIN   (53 native exe)
. "$(dirname "$0")/lib.sh"
need python3 timeout
with_ocaml "$1"
program=$(build "$prefix" workload "$2") release=$1 kind=$2 origin=$3
[ "$kind" = bytecode ] && PATH=$prefix/bin:$PATH
target "$program" 3 600 pause

# threads: each thread's state and the processor time that it has used.
threads() { cut -d' ' -f1,3,14,15 /proc/$pid/task/*/stat 2>/dev/null; }
# hangs: all threads of the program sleep, although it has work.
hangs() {
  local before
  before=$(threads)
  sleep 1
  [ -n "$before" ] && [ "$before" = "$(threads)" ] && ! grep -qv '^[0-9]* S ' <<<"$before"
}
# or_anew CONDITION...: whether it holds.  A program of OCaml 5.1.0 has been seen to hang; another one takes its place.
or_anew() {
  "$@" && return
  if [ "$release" = 51 ] && hangs; then
    echo "$program hangs: started anew" >&2
    stop $pid
    target "$program" 3 600 pause
  fi
  return 1
}

# A busy machine takes its time to start all domains.
listed() {
  "$RTEVTOP" list --json | grep "\"pid\":$pid," >"$work/listed" &&
    json "x['ocaml'] == '$version' and x['ocaml_from'] == '$origin' and x['state'] == 'live' and x['domains'] >= 3" "$work/listed"
}
within 200 or_anew listed || fail "list shows it wrongly, or not: $(cat "$work/listed")"

# The code of a stripped program tells it as well.
paused() {
  "$RTEVTOP" list --json | grep "\"pid\":$pid," | grep -q '"state":"paused"'
}
within 200 or_anew paused || fail "list never shows that it has paused: $("$RTEVTOP" list)"

# What is seen in two seconds depends on the processor time that a busy machine gives the program in them, and gives us.
observed() {
  run 0 timeout 300 "$RTEVTOP" stats --json --duration 2 $pid
  json "x['pid'] == $pid and x['ocaml'] == '$version' and x['ocaml_from'] == '$origin'" "$work/out" || fail "stats: $(head -c 200 "$work/out")"
  json "x['events'] > 100 and x['lost_words'] == 0 and x['history_lost_words'] == 0" "$work/out" &&
    json "len(x['domains']) >= 3 and sum('minor' in d['phases'] for d in x['domains']) >= 3" "$work/out" &&
    json "x['domains'][0]['user']['http.request']['kind'] == 'span'" "$work/out" &&
    json "{u['kind'] for d in x['domains'] for u in d['user'].values()} == {'span','int','unit','custom'}" "$work/out"
}
within 200 or_anew observed ||
  fail "stats: no events, losses, or domains, spans or kinds of user events are missing: $(head -c 2000 "$work/out")"

resumed() {
  "$RTEVTOP" log --json "$work:$pid" >"$work/out" && grep -q '"event":"ring_resume"' "$work/out"
}
within 200 resumed || fail "log: no resume"

# Follow it to its end.
timeout 300 "$RTEVTOP" log --json -f $pid >"$work/followed" 2>"$work/err" &
follower=$!
within 200 test -s "$work/followed" || fail "log -f prints nothing"
stop $pid
wait $follower || fail "log -f did not end with its target: $(cat "$work/err")"
python3 -c 'import json,sys; [json.loads(l) for l in open(sys.argv[1])]' "$work/followed" || fail "log -f printed no JSON"

# What it left behind opens, and the message about the dead process says so.
run 1 "$RTEVTOP" stats "$work:$pid"
says "rtevtop $work/$pid.events"
run 0 "$RTEVTOP" stats --json "$work/$pid.events"
json "x['pid'] is None and x['ocaml_from'] in ('stream', 'layout')" "$work/out" || fail "the file's version is not from its stream"
# Spans that the pauses of the target cut are dropped, never stretched: the totals are those that follow from the log alone.
cp "$work/out" "$work/stats.json"
run 0 "$RTEVTOP" log --json "$work/$pid.events"
grep -q '"event":"ring_resume"' "$work/out" || fail "log FILE: no resume"
python3 "$here/../support/stats_oracle.py" "$work/out" "$work/stats.json" || fail "stats FILE differs from its definitions"

# As COMMAND: from the first event to the last, its status passed on, nothing left behind.
run 0 timeout 300 env TMPDIR="$work" "$RTEVTOP" log --json -- "$program" 2 0.5
head -n 1 "$work/out" | grep -q '"event":"ring_start"' || fail "COMMAND: the first event is missing"
grep -q '"type":"lost"' "$work/out" && fail "COMMAND: events were lost"
compgen -G "$work/rtevtop-*" >/dev/null && fail "COMMAND: the private directory was left behind"
run 3 timeout 300 "$RTEVTOP" stats --json -- sh -c "'$program' 2 0.3; exit 3"
json "x['events'] > 100" "$work/out" || fail "COMMAND: a ring of a shell's child is not followed"
exit 0
