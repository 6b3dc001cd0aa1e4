#!/usr/bin/env bash
# The worst pauses of a real program are those in which one domain waits for the other, and it is said what that one was in.
# Usage: test_blame.sh RELEASE
. "$(dirname "$0")/lib.sh"
need timeout
with_ocaml "$1"
program=$(build "$prefix" late native)
run 0 timeout 300 "$RTEVTOP" stats -- "$program" 38 5
tr -s ' \n' ' ' <"$work/out" | grep -qE ' D0 waited [0-9.]+ of [0-9.]+m?s for D1, which was in marshal\.big; D0 in http\.request ' ||
  fail "nobody is to blame: $(grep -A20 '^pauses' "$work/out")"
grep -qE '^  of it waiting +[0-9.]+%' "$work/out" || fail "no split"

# The flight recorder has the same sentence in its line.
mkdir "$work/files"
run 0 timeout 300 "$RTEVTOP" record --on-pause 30 -o "$work/files" -- "$program" 38 5
grep -qE '	D0 waited [0-9.]+ of [0-9.]+m?s for D1, which was in marshal\.big; D0 in http\.request$' "$work/out" ||
  fail "the recorder blames nobody: $(cat "$work/out")"
