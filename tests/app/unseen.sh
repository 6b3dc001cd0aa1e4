#!/usr/bin/env bash
# Foreign text that holds characters nobody sees (bidirectional controls, fillers, joiners, line separators) gets as such into no
# line of text: of log, stats, list, and of messages; nor into JSON, which escapes them.  Usage: unseen.sh UNSEEN_RING
. "$(dirname "$0")/../support/lib.sh"
need mkfifo
tool=$1

# clean WHAT FILE: it holds none, and something of ours.
clean() {
  "$tool" check <"$2" >"$work/found" || fail "$1: $(head -n 3 "$work/found")"
}

mkdir "$work/rings"
ring=$("$tool" write "$work/rings") || fail "no ring was written"
run 0 "$RTEVTOP" log "$ring"
grep -q '\\xe2\\x80\\xae' "$work/out" || fail "log does not show U+202E at all"
clean log "$work/out"
run 0 "$RTEVTOP" stats "$ring"
grep -q '\\xe3\\x85\\xa4' "$work/out" || fail "stats does not show U+3164 at all"
clean stats "$work/out"
for json in 'log --json' 'stats --json' "record -o $work/recorded.json"; do
  run 0 "$RTEVTOP" $json "$ring"
  case $json in record*) mv "$work/recorded.json" "$work/out" ;; esac
  grep -qF '202e:\u202e|' "$work/out" || fail "$json: no escape for U+202E"
  grep -qF 'e0000:\udb40\udc00|' "$work/out" || fail "$json: no escape for U+E0000"
  clean "$json" "$work/out"
done

# A program, a folder and words of the command line of such names.
odd=$'odd\u202e\u200b\u3164\u2028\u00ad'
mkdir "$work/$odd"
run 1 "$RTEVTOP" log "$work/$odd/none.events"
clean "a message" "$work/err"
run 2 "$RTEVTOP" log "--$odd"
clean "a message about usage" "$work/err"
run 1 "$RTEVTOP" memtrace --dump "$work/$odd"
clean "a message about a trace" "$work/err"
cp "$tool" "$work/$odd/$odd"
mkfifo "$work/end"
"$work/$odd/$odd" run "$work/$odd" <"$work/end" >"$work/started" &
exec 3>"$work/end"
within 30 test -s "$work/started" || fail "the program does not start"
run 0 "$RTEVTOP" list
grep -q "^ *$! .*odd" "$work/out" || fail "list does not show the program"
clean list "$work/out"
run 0 "$RTEVTOP" list --json
grep -qF '\u202e' "$work/out" || fail "list --json has no escape"
clean "list --json" "$work/out"
exec 3>&-
wait $!
