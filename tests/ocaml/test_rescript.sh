#!/usr/bin/env bash
# A static, stripped OCaml 5.3 program that somebody else built: started as COMMAND, its version is read from its file.
. "$(dirname "$0")/lib.sh"
need python3 timeout
[ -x "${RTEV_RESCRIPT:-}/bsc.exe" ] || lacks "no ReScript compiler: set RTEV_RESCRIPT to its directory of programs"
echo 'let f = x => x' >"$work/A.res"
run 0 timeout 300 "$RTEVTOP" stats --json -- "$RTEV_RESCRIPT/bsc.exe" -v
json "x['ocaml'] == '5.3.0' and x['ocaml_from'] == 'exe'" "$work/out" || fail "$(head -c 200 "$work/out")"
cd "$work" || exit 1
run 0 timeout 300 "$RTEVTOP" log --json -- "$RTEV_RESCRIPT/bsc.exe" -nopervasives A.res
grep -q '"event":"ring_start"' "$work/out" || fail "no start"
grep -q '"event":"ring_stop"' "$work/out" || fail "no end"
exit 0
