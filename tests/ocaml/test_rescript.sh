#!/usr/bin/env bash
# A static, stripped OCaml 5.3 program that somebody else built: started as COMMAND, its version is read from its file.  Without events,
# nothing is made up of what its memory can't tell.
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
# It goes on for as long as nobody writes its source, which is until it is stopped.
mkfifo B.res
"$RTEV_RESCRIPT/bsc.exe" -nopervasives B.res >bsc.out 2>&1 &
pid=$!
waits() { "$RTEVTOP" list --json | grep -q "\"pid\":$pid,.*\"ocaml\":\"5.3.0\".*\"state\":\"no events\",\"domains\":null"; }
within 60 waits || fail "the list: $("$RTEVTOP" list --json)"
run 0 "$RTEVTOP" stats --json --duration 1 "$pid"
says "its program is linked statically and stripped"
json "x['events'] == 0 and x['domains'] == [] and x['pauses'] is None and x['runtime'] is None" out || fail "stats: $(head -c 400 out)"
run 0 "$RTEVTOP" -b --json -n 1 "$pid"
json "x['events'] == 'off' and x['minor_per_s'] is None and x['heap_bytes'] is None and x['resident_bytes'] > 0" out || fail "plain reports: $(cat out)"
stop "$pid"
exit 0
