#!/usr/bin/env bash
# The schedulers that are not Eio: what stats tells of their events follows from them by the definitions alone, and what a
# scheduler does not tell is null.
. "$(dirname "$0")/../support/lib.sh"
need python3
export PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1
python3 "${BASH_SOURCE[0]%/*}/schedulers.py" "$RTEVTOP" "$work" || fail "other figures than the definitions give"
