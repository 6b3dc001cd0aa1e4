#!/usr/bin/env bash
# The suspended fibers that `stacks --fibers` tells of a program that has a known number of them.
# Usage: test_fiber_stacks.sh RELEASE   (53)
. "$(dirname "$0")/lib.sh"
need python3 timeout strip
with_ocaml "$1"
cp "$here/stacks/fibers.ml" "$work" && cd "$work" || exit 1
"$prefix/bin/ocamlopt" -g -I +unix unix.cmxa fibers.ml -o fibers >/dev/null 2>err || fail "could not compile fibers: $(cat err)"

# begin ARGUMENT...: start it; its pid is in $pid once its fibers are suspended.
begin() {
  rm -f ready
  ./fibers "$@" >ready &
  pid=$!
  within 60 test -s ready || fail "fibers $*: not ready"
}
stacks="{tuple((f['name'], f['line']) for f in g['frames']): g['count'] for g in x['groups']}"
at_rest="lambda n: {(('Fibers.' + f, l), ('Fibers.handle_client', 10), ('Fibers.accept_loop', 11)): c
  for f, l, c in (('read_socket', 8, n - n // 10), ('lock_mutex', 9, n // 10))}"
for where in minor major; do
  for n in 10 2000; do
    begin $n $where
    run 0 timeout 300 "$RTEVTOP" stacks --fibers --json $pid
    json "x['fibers'] == $n and x['whole'] and 0 < x['read_bytes'] < 1 << 28 and $stacks == ($at_rest)($n)" "$work/out" ||
      fail "$n fibers, $where: $(cut -c1-600 "$work/out")"
    run 0 timeout 300 "$RTEVTOP" stacks --fibers $pid
    grep -qE "^ *$((n - n / 10)) Fibers.read_socket fibers.ml:8$" "$work/out" || fail "as text: $(cat "$work/out")"
    stop $pid
  done
done

# A program that ends and makes fibers all the time: whatever is told has stacks that it can have.
begin 500 churn
for _ in 1 2 3 4 5; do
  run 0 timeout 300 "$RTEVTOP" stacks --fibers --json $pid
  json "set($stacks) <= set(($at_rest)(100)) and x['fibers'] == sum(g['count'] for g in x['groups'])" "$work/out" ||
    fail "churn: $(cut -c1-900 "$work/out")"
done
stop $pid

# Fibers that are deeper than what is walked of a stack are counted, and told to be cut; what repeats itself is printed once.
cp "$here/stacks/deep.ml" "$work"
"$prefix/bin/ocamlopt" -g -I +unix unix.cmxa deep.ml -o deep >/dev/null 2>err || fail "could not compile deep: $(cat err)"
rm -f ready
./deep >ready &
pid=$!
within 60 test -s ready || fail "deep: not ready"
run 0 timeout 300 "$RTEVTOP" stacks --fibers --json $pid
json "x['fibers'] == 4 and not x['whole'] and sorted((g['count'], len(g['frames']), g['complete']) for g in x['groups']) == [(1, 102, True), (1, 1002, True), (2, 2048, False)]" \
  "$work/out" || fail "deep fibers: $(cut -c1-300 "$work/out")"
run 0 timeout 300 "$RTEVTOP" stacks --fibers $pid
head -n 1 "$work/out" | grep -q ': 4 suspended fibers found; an upper bound while it runs (experimental)$' &&
  [ "$(sed -n 2p "$work/out")" = '2 of them have more than 2048 frames' ] || fail "deep fibers are not told: $(head -n 3 "$work/out")"
grep -qE '^ +1 \(1 frame\) x 1001:$' "$work/out" && [ "$(wc -l <"$work/out")" -lt 20 ] || fail "they are not folded: $(head -n 30 "$work/out")"
run 0 timeout 300 "$RTEVTOP" stacks $pid
grep -qE '^    \(2 frames\) x (199|200):$' "$work/out" && [ "$(grep -cE 'Deep\.t[io]ck' "$work/out")" -lt 6 ] || fail "a cycle of calls is not folded: $(head -n 30 "$work/out")"
stop $pid

strip fibers
begin 10 minor
case $1 in
  50 | 53FP)
    run 1 timeout 300 "$RTEVTOP" stacks --fibers $pid
    says "its program has no symbols for its heap"
    ;;
  *) # its code tells where its heap is
    run 0 timeout 300 "$RTEVTOP" stacks --fibers --json $pid
    json "x['fibers'] == 10 and set($stacks) <= set(($at_rest)(10))" "$work/out" || fail "stripped: $(cut -c1-900 "$work/out")"
    ;;
esac
stop $pid

# The fiber that a thread executes, by a scheduler's events: the one of the latest, or none that is known.  5.0 has no such events.
[ "${1%FP}" -ge 51 ] || exit 0
program=$(build "$prefix" fiber_now native) || fail "$program"
for told in ring-4711-4711 ring-none-None no-4711-None; do
  IFS=- read -r ring id want <<<"$told"
  rm -f ready
  "$program" $ring $id >ready &
  pid=$!
  within 60 test -s ready || fail "fiber_now: not ready"
  now() { timeout 60 "$RTEVTOP" stacks --json $pid >report.json 2>err && json "[t['fiber'] for t in x['threads'] if any(f['boundary'] for f in t['frames'])] == [$want]" report.json; }
  within 60 now || fail "fiber_now $told: $(cat report.json err)"
  run 0 timeout 60 "$RTEVTOP" stacks $pid
  [ $want = None ] || grep -q "domain 0, fiber $want, waits" "$work/out" || fail "as text: $(cat "$work/out")"
  stop $pid
done
exit 0
