#!/usr/bin/env bash
# What stats can't know is no figure: no share of the collector's time for what is none of it.
. "$(dirname "$0")/../support/lib.sh"
need python3
export PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1

# A domain that waits in Condition.wait, where it takes part in a collection, and then collects: numbers of OCaml 5.2.
python3 - "$work/wait.events" <<'PY' || fail "could not make the ring"
import sys
from ring_file import Ring
MINOR, BARRIER, HANDLER, WAIT = 10, 29, 31, 38
ring = Ring()
for begin, ts, phase in ((True, 0, WAIT), (True, 100, HANDLER), (True, 200, BARRIER), (False, 400, BARRIER), (False, 500, HANDLER),
                         (False, 600, WAIT), (True, 700, MINOR), (True, 704, BARRIER), (False, 706, BARRIER), (False, 710, MINOR),
                         (True, 999, WAIT), (False, 1000, WAIT)):
    (ring.begin if begin else ring.end)(0, 10**9 + ts * 10**6, phase)
ring.save(sys.argv[1])
PY
# has NAME SHARE: the line of the report that begins with a name has this share.
has() {
  grep -qE "^ *$1 +$2( |\$)" "$work/out" || fail "no $1 $2: $(cat "$work/out")"
}
run 0 "$RTEVTOP" stats --ocaml 5.2 --full "$work/wait.events"
has GC '1\.0%'
grep -q 'of it waiting' "$work/out" && fail "the only domain waits for no other: $(cat "$work/out")"
has '  minor' '0\.8%'
has '  stop-the-world' '0\.2%'
has 'waiting, no GC' '60\.1%'
has domain_condition_wait -
has '    stw_handler' -
has '      minor_leave_barrier' -
has '  minor' '100\.0%'
has '    minor_leave_barrier' '20\.0%'
run 0 "$RTEVTOP" stats --ocaml 5.2 "$work/wait.events"
has domain_condition_wait -
grep -q stw_handler "$work/out" && fail "what is inside the wait takes none of the collector's time: $(cat "$work/out")"
has '  and 2 below 2\.0% of GC:' --full

# Of two phases in a pause that took as long as each other, both are named.
python3 - "$work/equal.events" <<'PY' || fail "could not make the ring"
import sys
from ring_file import Ring
ring = Ring()
for begin, ts, phase in ((True, 0, 32), (True, 10, 6), (False, 50, 6), (True, 50, 10), (False, 90, 10), (False, 100, 32)):
    (ring.begin if begin else ring.end)(0, 10**9 + ts * 10**6, phase)
ring.save(sys.argv[1])
PY
run 0 "$RTEVTOP" stats --ocaml 5.2 "$work/equal.events"
[ "$(grep -cE "major 40.0ms, minor 40.0ms" "$work/out")" = 1 ] || fail "one of two equal phases is missing: $(cat "$work/out")"

# No pause, no span of the user that has ended, no allocation told, one stamp: nothing of them is known, and nothing is 0.
python3 - "$work/none.events" <<'PY' || fail "could not make the ring"
import sys
from ring_file import SPAN_BEGIN, Ring
ring = Ring()
ring.name(0, b"request")
ring.user(0, 10**9, SPAN_BEGIN, 0)
ring.save(sys.argv[1])
PY
run 0 "$RTEVTOP" stats --json "$work/none.events"
cp "$work/out" "$work/none.json"
run 0 "$RTEVTOP" log --json "$work/none.events"
python3 "${BASH_SOURCE[0]%/*}/../support/stats_oracle.py" "$work/out" "$work/none.json" || fail "stats differs: $(cat "$work/none.json")"
run 0 "$RTEVTOP" diff --json "$work/none.json" "$work/none.json"
grep -q '"pause p99"\|"worst p99"' "$work/out" && fail "diff compares what is not known: $(cat "$work/out")"
run 0 "$RTEVTOP" stats --full "$work/none.events"
has GC -
has allocated -
has promoted -
has '  allocated' '-   promoted - \(-\)'

# Running totals do not add up: diff has the largest value of one, and no sum.
python3 - "$work/running.events" <<'PY' || fail "could not make the ring"
import sys
from ring_file import Ring
ring = Ring()
for i in range(5):
    ring.counter(0, 10**9 * (i + 1), 23, 1000 * (i + 1))
ring.save(sys.argv[1])
PY
run 0 "$RTEVTOP" stats --json --ocaml 5.3 "$work/running.events"
cp "$work/out" "$work/running.json"
run 0 "$RTEVTOP" diff --json "$work/running.json" "$work/running.json"
grep -q major_alloc_counter "$work/out" || fail "no major_alloc_counter: $(cat "$work/out")"
grep -q 15000 "$work/out" && fail "a sum of running totals: $(cat "$work/out")"
exit 0
