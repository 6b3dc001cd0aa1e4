#!/usr/bin/env bash
# Rings of programs that lived so briefly that no minor collection ended: the names of their phases follow from the file's
# layout and from the places of phases, or are numbers where neither tells.
. "$(dirname "$0")/../support/lib.sh"
need python3
export PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1

# ring DOMAINS RECORDS...: a ring of these records: bN and eN begin and end phase N, LN is a lifecycle event, u one of the
# program's.
ring() {
  python3 - "$work/a.events" "$@" <<'PY' || fail "could not make the ring"
import sys
from ring_file import Ring, UNIT
ring = Ring(max_domains=int(sys.argv[2]), words=256)
for i, record in enumerate(sys.argv[3:]):
    kind, number = record[0], int(record[1:] or 0)
    if kind == "L":
        ring.lifecycle(0, 1000 + i, number, *([] if number == 1 else [4242]))
    elif kind == "u":
        ring.user(0, 1000 + i, UNIT, 0)
    else:
        (ring.begin if kind == "b" else ring.end)(0, 1000 + i, number)
ring.save(sys.argv[1])
PY
}

# expect OCAML FROM PHASES...: what stats says of the version, and what log says of the last records.
expect() {
  run 0 "$RTEVTOP" stats --json "$work/a.events"
  grep -q "\"ocaml\":$1,\"ocaml_from\":\"$2\"" "$work/out" || fail "not $1 ($2): $(head -c 200 "$work/out")"
  shift 2
  run 0 "$RTEVTOP" log --json "$work/a.events"
  [ "$(sed -n 's/.*"phase":"\([^"]*\)".*/\1/p' "$work/out" | xargs)" = "$*" ] || fail "not $*: $(cat "$work/out")"
}

ring 128 L0 L1 b35
expect '"5.3-5.5"' stream stw_leader
ring 128 L0 L1 b32
expect '"5.1-5.2"' stream stw_leader
ring 128 L0 b6 b24 b7
expect '"5.1-5.2"' stream major major_slice major_sweep
ring 128 L0 b6 b27 b7
expect '"5.3-5.5"' stream major major_slice major_sweep
ring 4 L0 b19
expect '"5.3-5.5"' layout interrupt_remote
ring 128 L0 b19
expect null unknown phase_19
ring 16 L0 b19
expect null unknown phase_19
ring 128 b35
expect null unknown phase_35
ring 128 b41 e41 e12
expect '"5.3-5.5"' stream minor_local_roots_promote minor_local_roots_promote minor_local_roots
# A pause may hide ends: what seems to be inside of something need not be.
ring 128 b6 b24 b7 L3
expect null unknown major phase_24 major_sweep
# A handler's minor collection is the same in 5.3 and in trunk before 5.4.
ring 128 u b34 b11 b12 e12 b14 e14 e11 e34
expect '"5.3-5.4"' stream stw_handler minor minor_local_roots minor_local_roots minor_memprof_clean minor_memprof_clean minor \
  stw_handler
exit 0
