#!/usr/bin/env bash
# Figures beyond all measure, as a damaged or hostile ring has them: the report shows them as they are or as the most there is.
. "$(dirname "$0")/../support/lib.sh"
need python3
export PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1

python3 - "$work/high.events" "$work/low.events" <<'PY' || fail "could not make the rings"
import sys
from ring_file import Ring
GC_SET, COUNTERS, ALLOCATED_WORDS, BLOCKS = 0, 19, 18, 15
high, low = Ring(domains=4), Ring(domains=4)
for domain in range(4):
    high.begin(domain, 1000, GC_SET)
    for counter in range(COUNTERS):
        high.counter(domain, 1100 + counter, counter, 2**61 if counter == ALLOCATED_WORDS else 2**63 - 1)
        low.counter(domain, 1100 + counter, counter, -2**63)
    high.end(domain, 9 * 10**18, GC_SET)
high.save(sys.argv[1])
low.save(sys.argv[2])
PY
# The sum of four times the greatest count is that many, or the most there is, but not 0.
run 0 "$RTEVTOP" stats --full --ocaml 5.3 "$work/high.events"
grep -qE 'major_heap_pool_live_blocks +18\.4E +9\.22E +9\.22E$' "$work/out" || fail "blocks: $(grep live_blocks "$work/out")"
grep -qE 'cost +100\.0% of the busy time, 0' "$work/out" && fail "a cost of 0: $(grep -w cost "$work/out")"
for file in high low; do
  for form in --json --full; do
    run 0 "$RTEVTOP" stats $form --ocaml 5.3 "$work/$file.events"
  done
done
exit 0
