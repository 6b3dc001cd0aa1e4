#!/usr/bin/env bash
# The report for people, of rings that real OCaml programs left: a golden each, which UPDATE_GOLDEN=1 writes anew, and no line
# longer than 80 columns.  Usage: stats_text.sh NAME
. "$(dirname "$0")/../support/lib.sh"
need tar xz
ring=$(unpack "$1")
golden=$RTEV_TEST_DATA/reports/$1.txt

run 0 "$RTEVTOP" stats "$ring"
if [ -n "${UPDATE_GOLDEN:-}" ]; then
  mkdir -p "${golden%/*}"
  cp "$work/out" "$golden"
fi
diff "$golden" "$work/out" || fail "the report differs from $golden"
wide=$(grep -nE '^.{81}' "$work/out") && fail "wider than 80 columns: $wide"

# All of it says what the short one says, and more.
run 0 "$RTEVTOP" stats --full "$ring"
grep -vE '^  and [0-9]+ below|^  and [0-9]+ rarer' "$golden" | grep -vxFf "$work/out" && fail "stats --full lacks what stats says"
[ "$(wc -l <"$work/out")" -gt "$(wc -l <"$golden")" ] || fail "stats --full says no more than stats"

run 2 "$RTEVTOP" list --full
