#!/usr/bin/env bash
# Which code a domain executed that the others waited for: named in the report beside the pause, and in the finding; and a
# program that keeps nobody waiting is not accused.  Usage: test_code_blame.sh RELEASE
. "$(dirname "$0")/lib.sh"
need timeout
prefix=$(compiler "$1")
[ -n "$prefix" ] || lacks "no OCaml 5.${1#5}: set RTEV_OCAML_$1 to its directory"
late=$(build "$prefix" late native)
healthy=$(build "$prefix" shares native)
timeout 60 "$RTEVTOP" stats --code -- "$healthy" 0.3 >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
grep -q 'perf events' "$work/err" && skip "$(grep 'perf events' "$work/err")"
grep -qE 'D[0-9]+ (on|off the) CPU' "$work/out" && fail "a healthy program is accused: $(grep CPU "$work/out")"

run 0 timeout 300 "$RTEVTOP" stats --code -- "$late" 38 5
tr -s ' \n' ' ' <"$work/out" >"$work/flat"
grep -qE ' D0 waited [0-9.]+ m?s of [0-9.]+ for D1, which was in marshal\.big; D0 in http\.request D1 on CPU in Late\.fib.* \([0-9]+ of [0-9]+ samples\)' \
  "$work/flat" || fail "the code is not named: $(grep -A20 '^pauses' "$work/out")"
# Nothing else is named for a long wait.
grep -E ' D1 on CPU in ' "$work/out" | grep -vE 'Late\.fib' | grep -E '([5-9]|[0-9]{2,}) of' && fail "another function is named"
exit 0
