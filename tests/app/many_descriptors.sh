#!/usr/bin/env bash
# More targets than the soft limit on descriptors has room for: all are reported on, as far as the hard limit goes.  A COMMAND has the
# limit that we were given.
. "$(dirname "$0")/../support/lib.sh"
need timeout
targets=24 soft=20
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 200 ] || skip "the hard limit on descriptors is $(ulimit -Hn)"
pids=()
for ((i = 0; i < targets; i++)); do
  "$RTEVTOP" demo --domains 1 --rate 100 --seconds 1000 >"$work/demo$i" &
  pids+=($!)
done
for ((i = 0; i < targets; i++)); do within 100 test -s "$work/demo$i" || fail "a demo does not start"; done

# limited [-H N] COMMAND...: run it with the soft limit, and a hard one.
limited() {
  local hard=
  [ "$1" != -H ] || { hard=$2; shift 2; }
  (
    ulimit -Sn $soft
    [ -z "$hard" ] || ulimit -Hn "$hard"
    exec timeout 300 "$@"
  )
}
run 0 limited "$RTEVTOP" -b --json -n 1 -d 0.1 "${pids[@]}"
[ "$(grep -c '"state":"live"' "$work/out")" = $targets ] || fail "$(grep -c live "$work/out") of $targets targets: $(cat "$work/err")"
# All of the machine.
run 0 limited "$RTEVTOP" -b --json -n 1 -d 0.1
for pid in "${pids[@]}"; do
  grep -q "\"pid\":$pid,.*\"state\":\"live\"" "$work/out" || fail "of all processes $pid is missing"
done
run 0 limited "$RTEVTOP" metrics -o "$work/m.prom" -n 1 -d 0.1 "${pids[@]}"
grep -qx "rtevtop_targets $targets" "$work/m.prom" || fail "metrics: $(grep ^rtevtop_targets "$work/m.prom") of $targets"

# Where the hard limit is as low, it is said.
run 1 limited -H $soft "$RTEVTOP" -b --json -n 1 -d 0.1 "${pids[@]}"
says "too few file descriptors"
says "ulimit -n"

# shellcheck disable=SC2016
run 0 limited "$RTEVTOP" -b -n 1 -d 0.1 -- sh -c 'ulimit -Sn >"$1"' sh "$work/limit"
[ "$(cat "$work/limit")" = $soft ] || fail "COMMAND has the limit $(cat "$work/limit"), not $soft"
exit 0
