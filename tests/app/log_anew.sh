#!/usr/bin/env bash
# log -f --merge keeps events until they are due; when the ring is laid out anew meanwhile they are printed as what they were.
# Usage: log_anew.sh TARGET
. "$(dirname "$0")/../support/lib.sh"
need python3
target=$1
mkfifo "$work/orders"
"$target" "$work" <"$work/orders" >"$work/pid" &
exec 3>"$work/orders"
within 10 test -s "$work/pid" || fail "the target does not start"
pid=$(cat "$work/pid")

: >"$work/log"
# Memory that was given back must not look as if it were still in use.
MALLOC_PERTURB_=165 "$RTEVTOP" log -f --json --merge --dir "$work" "$pid" >"$work/log" 2>"$work/err" &
log=$!
within 10 grep -q before.now "$work/log" || fail "nothing is printed: $(cat "$work/err")"
grep -q before.later "$work/log" && fail "what is due in an hour is printed now"
echo >&3
# Printed at once, since nothing of the old ring can come any more.
within 10 grep -q '"value":9' "$work/log" || fail "what was kept is not printed when the ring is laid out anew"
sleep 0.5
echo >&3
exec 3>&-
wait $log || fail "log: status $?: $(cat "$work/err")"
python3 - "$work/log" <<'PY' || fail "log: $(cat "$work/log")"
import json, sys
events = [(e["name"], e["value"]) for e in map(json.loads, open(sys.argv[1])) if e["type"] == "user"]
assert events == [("before.now", 0)] + [("before.later", i) for i in range(10)] + [("after.later", 20)], events
PY
exit 0
