#!/usr/bin/env bash
# Which code a domain executed that the others waited for: named in the report beside the pause, and in the finding; and a
# program that keeps nobody waiting is not accused.  Usage: test_code_blame.sh RELEASE
. "$(dirname "$0")/lib.sh"
need timeout
with_ocaml "$1"
late=$(build "$prefix" late native)
healthy=$(build "$prefix" shares native)
timeout 60 "$RTEVTOP" stats --code -- "$healthy" 0.3 >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
grep -q 'perf events' "$work/err" && skip "$(grep 'perf events' "$work/err")"
grep -qE 'D[0-9]+ (on|off the) CPU' "$work/out" && fail "a healthy program is accused: $(grep CPU "$work/out")"

run 0 timeout 300 "$RTEVTOP" stats --code -- "$late" 38 5
tr -s ' \n' ' ' <"$work/out" >"$work/flat"
grep -qE ' D0 waited [0-9.]+ of [0-9.]+m?s for D1, which was in marshal\.big; D0 in http\.request D1 on CPU in Late\.fib.* \([0-9]+ of [0-9]+ samples\)' \
  "$work/flat" || fail "the code is not named: $(grep -A20 '^pauses' "$work/out")"
# Nothing else is named for a long wait.
grep -E ' D1 on CPU in ' "$work/out" | grep -vE 'Late\.fib' | grep -E '([5-9]|[0-9]{2,}) of' && fail "another function is named"

# The finding of a late domain names the code: the domain sleeps in C, which keeps the runtime waiting.  Where the report finds that
# other processes use the cores, or was kept from looking by them, it may not know why.  Code that lets the runtime go on is not accused.
cp "$here/nap.ml" "$here/nap_stubs.c" "$work" && cd "$work" || exit 1
"$prefix/bin/ocamlopt" -g -I +unix unix.cmxa nap_stubs.c nap.ml -o nap >/dev/null 2>err || fail "could not compile nap: $(cat err)"
nap() {
  OCAML_RUNTIME_EVENTS_START=1 timeout 150 "$RTEVTOP" stats --code -- ./nap "$1" 12 2>&1 | tr -s ' \n' ' ' >"$1"
}
nap healthy
grep -q 'Meanwhile it was [^.]* in nap' healthy && fail "code that lets the runtime go on is accused: $(grep -o 'findings.*' healthy)"
for _ in 1 2 3 4; do
  nap sick
  grep -qE 'Domain 1 came at least .* late to [0-9]+ stops of the world.* Meanwhile it was off the CPU in nap \(C\), called from Nap\.with_conn nap\.ml:6 \((.*[0-9]+ of [0-9]+ samples|seen once)\), and reached no safepoint' \
    sick && exit 0
  # The other domain is late as well only where it waits for a processor.
  grep -qE 'found (too_few_cores|starved)|less than 5 s were sampled|late stops of others [1-9]' sick || fail "the finding does not name the code: $(grep -o 'findings.*' sick)"
done
echo "not tried: the code of a late domain in a finding: other processes use the cores"
exit 0
