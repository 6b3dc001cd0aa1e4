#!/usr/bin/env bash
# The settings that `stats` tells of real OCaml programs are those that Gc.get answers in them, and their origin is right.
# Usage: test_settings.sh RELEASE   (53)
. "$(dirname "$0")/lib.sh"
need python3 timeout strip
with_ocaml "$1"
program=$(build "$prefix" settings native)

# told ENV "ARGUMENT..." EXPRESSION: what stats tells of a program begun so; S and O in the expression are what Gc.get answered.
told() {
  rm -f "$work/said" "$work"/*.events
  # shellcheck disable=SC2086
  target env -u CAMLRUNPARAM ${1:+OCAMLRUNPARAM="$1"} "$program" $2
  run 0 timeout 300 "$RTEVTOP" stats --json --duration 2 $pid
  stop $pid
  read -r said_s said_o <"$work/said"
  json "(lambda t, S, O: $3)({k: (v['value'], v['from']) for k, v in x['settings'].items()}, $said_s, $said_o)" "$work/out" ||
    fail "$program $1 $2: $(grep -o '"settings":{.*}}' "$work/out"); the program says s=$said_s o=$said_o"
}
# What the ring tells is the program's own doing.
ring="t['e'] == (16, 'memory') and t['d'] == (128, 'events')"

told "" "" "$ring and t['s'] == (S, 'memory') and t['o'] == (O, 'memory') and (S, O) == (262144, 120)"
told "s=32k,o=200,e=17" "" "t['s'] == (S, 'env') and t['o'] == (O, 'env') and t['e'] == (17, 'env') and (S, O) == (32768, 200)"
told "s=5000,zz=4,o=0x50" "" "t['s'] == (S, 'env') and t['o'] == (O, 'env') and (S, O) == (5120, 80)"
told "s=32k,o=200" "o=77 s=100000" "t['s'] == (S, 'program') and t['o'] == (O, 'program') and (S, O) == (100352, 77)"
# The letter d is of 5.3; before, it is not heeded.
told "d=8" "" "t['d'] == ((8, 'env') if $1 >= 53 else (128, 'events'))"
# Tweaks came with 5.5.
told "Xsmall_heap_limit=512k" "" "t['Xsmall_heap_limit'] == (524288, 'env') and t['Xmark_stack_prune_factor'] == ((32, 'memory') if $1 >= 55 else (None, None))"

# Without symbols: what the environment asks for, and what the ring and the collections tell.
program=$(
  cd "$work/build-settings-native" && mkdir -p ../static && cp settings.ml ../static && cd ../static &&
    "$prefix/bin/ocamlopt" -ccopt -static -I +unix -I +runtime_events unix.cmxa runtime_events.cmxa settings.ml \
      -o ../settings-static >/dev/null 2>&1 && strip ../settings-static && echo "$work/settings-static"
)
[ -n "$program" ] || lacks "there is no static C library"
# Up to 5.2 the ring does not tell whether custom blocks asked for a collection.
size=$([ "$1" -ge 53 ] && echo "(S, 'events')" || echo "(None, None)")
told "" "s=60000" "t['s'] == $size and t['o'] == (None, None) and t['e'] == (16, 'events')"
told "o=90" "" "t['s'] == $size and t['o'] == (O, 'env')"
# Collections that big arrays and ends of cycles request agree on amounts, too.
for size in 256 1000 10000; do
  told "" "b=$size" "t['s'] in ((S, 'events'), (None, None))"
done

# The process: it works, on one processor at most, and says how many it may use.
json "x['system']['cpu_user_s'] + x['system']['cpu_system_s'] > 0 and x['system']['resident_bytes'] > 0" "$work/out" ||
  fail "stats: $(grep -o '"system":{.*}' "$work/out")"
json "0 < x['system']['cores'] <= $(nproc --all)" "$work/out" || fail "stats: cores"
