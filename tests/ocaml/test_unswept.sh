#!/usr/bin/env bash
# What memory calls live is what can be reached and what is dead and not swept yet: three times as much before Gc.full_major as it is
# after it, and then what the program can reach, no more than the runtime's own values beside.  Usage: test_unswept.sh RELEASE TOOL
. "$(dirname "$0")/lib.sh"
need python3 mkfifo
with_ocaml "$1"
program=$(build "$prefix" unswept native) || exit 1
mkfifo "$work/go"
(cd "$work" && exec "$program" <"$work/go") &
pid=$!
exec 3>"$work/go"

# live: the words that memory calls live, beside those that the program can reach; they go into $told and $reached.
live() {
  within 60 test -e "$work/said" || fail "it said nothing"
  "$1" $pid "$version" 20 >"$work/told" || fail "memory is not read: $(cat "$work/told")"
  told=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["live_words"])' "$work/told")
  reached=$(cat "$work/said")
}
live "$2"
[ "$told" -ge $((reached * 5 / 2)) ] || fail "unswept: $told words, of which $reached are reachable"
rm "$work/said"
echo >&3
live "$2"
[ "$told" -ge "$reached" ] && [ "$told" -le $((reached * 102 / 100 + 20000)) ] || fail "swept: $told words, of which $reached are reachable"
stop $pid
exec 3>&-
