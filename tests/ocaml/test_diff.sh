#!/usr/bin/env bash
# test_diff.sh OCAML: a minor heap four times as large is found in real runs; the same program is told to be the same.
. "$(dirname "$0")/lib.sh"
need python3
with_ocaml "$1"
program=$(build "$prefix" churn native) || exit 1

# verdict OF FIGURE: what --json says.
verdict() {
  python3 - "$work/out" "$1" <<'PY'
import json, sys
[row] = [row for row in json.load(open(sys.argv[1]))["figures"] if row["group"] == "total" and row["name"] == sys.argv[2]]
print(row["verdict"])
PY
}

run 0 "$RTEVTOP" diff --json -n 6 -- "$program" 2000000 --- env OCAMLRUNPARAM=s=1M "$program" 2000000
[ "$(verdict "minors, all domains")" = changed ] || fail "minors: $(verdict "minors, all domains")"
[ "$(verdict "promoted")" = changed ] || fail "promoted: $(verdict "promoted")"
run 0 "$RTEVTOP" diff --json -n 6 -- "$program" 2000000 --- "$program" 2000000
for figure in "minors, all domains" promoted; do
  [ "$(verdict "$figure")" != changed ] || fail "$figure has changed"
done
exit 0
