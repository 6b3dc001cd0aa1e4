#!/usr/bin/env bash
# COMMAND in a directory of rings that the user chose: another process that begins there first is neither followed nor
# loses its ring.  A further program of COMMAND is told of, and its ring is removed as well.
set -u
work=$(mktemp -d) || exit 1
stranger=
trap '[ -n "$stranger" ] && kill "$stranger" 2>/dev/null; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

# until_exists FILE...
until_exists() {
  for _ in $(seq 600); do
    [ -e "$1" ] && return
    sleep 0.1
  done
  fail "$1 never came"
}

export OCAML_RUNTIME_EVENTS_DIR=$work RTEVTOP
"$RTEVTOP" stats --json -- sh -c ': >"$OCAML_RUNTIME_EVENTS_DIR/begun"
  until [ -e "$OCAML_RUNTIME_EVENTS_DIR/go" ]; do sleep 0.05; done
  "$RTEVTOP" demo --seconds 1 >/dev/null
  "$RTEVTOP" demo --seconds 0.1 >/dev/null & echo $! >"$OCAML_RUNTIME_EVENTS_DIR/further"; wait' >"$work/report" 2>"$work/error" &
report=$!
until_exists "$work/begun"
"$RTEVTOP" demo --seconds 3000 >/dev/null 2>&1 &
stranger=$!
until_exists "$work/$stranger.events"
: >"$work/go"
wait "$report" || fail "stats: status $?, $(cat "$work/error")"
pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$work/report" | head -1)
[ -n "$pid" ] || fail "no report: $(cat "$work/report" "$work/error")"
[ "$pid" != "$stranger" ] || fail 'the report is of the other process'
[ -e "$work/$stranger.events" ] || fail 'the ring of the other process is gone'
[ ! -e "$work/$pid.events" ] || fail 'the ring of COMMAND is left'
further=$(cat "$work/further")
grep -q "^rtevtop: sh also started OCaml program $further " "$work/error" ||
  fail "the further program is not told of: $(cat "$work/error")"
[ "$(grep -c 'also started' "$work/error")" = 1 ] || fail "too much is told: $(cat "$work/error")"
[ ! -e "$work/$further.events" ] || fail 'the ring of the further program is left'
# A COMMAND that chooses its directory itself is told what happened, while it runs, or when it was too short for that.
unset OCAML_RUNTIME_EVENTS_DIR
mkdir "$work/elsewhere"
"$RTEVTOP" stats -- env OCAML_RUNTIME_EVENTS_DIR="$work/elsewhere" "$RTEVTOP" demo --seconds 3000 >"$work/report" 2>"$work/error" &
report=$!
for _ in $(seq 600); do
  grep -q "^rtevtop: env set OCAML_RUNTIME_EVENTS_DIR to $work/elsewhere itself, so its ring is not found" "$work/error" && break
  sleep 0.1
done
grep -q "OCAML_RUNTIME_EVENTS_DIR=DIR rtevtop -- COMMAND" "$work/error" || fail "no remedy is told: $(cat "$work/error")"
kill "$report"
wait "$report"
grep -q "ended without recording" "$work/error" && fail "it is told twice: $(cat "$work/error")"
"$RTEVTOP" stats -- env OCAML_RUNTIME_EVENTS_DIR="$work/elsewhere" true >"$work/report" 2>"$work/error"
grep -q 'OCAML_RUNTIME_EVENTS_DIR.* itself' "$work/error" || fail "a short one: $(cat "$work/error")"
# One that dies before it has a ring: the signal, and what can be seen to be wrong.
died() { # SIGNAL WANTED PREFIX...: what is said of a COMMAND that a signal ends
  local signal=$1 wanted=$2
  shift 2
  "$@" "$RTEVTOP" stats -- sh -c "kill -$signal \$\$" >"$work/report" 2>"$work/error"
  [ $? = $((128 + $(kill -l "$signal"))) ] || fail "the status of what SIG$signal ended: $?"
  grep -q "sh was ended by SIG$signal before it recorded" "$work/error" && grep -q "$wanted" "$work/error" || fail "no $wanted: $(cat "$work/error")"
  grep -q 'setuid' "$work/error" && fail "a guess: $(cat "$work/error")"
}
died ABRT "OCAML_RUNTIME_EVENTS_DIR=$work/none, which does not exist" env OCAML_RUNTIME_EVENTS_DIR="$work/none"
# AddressSanitizer needs more addresses than any limit leaves.
for signal in ABRT SEGV; do
  grep -aq __asan_init "$RTEVTOP" || died $signal 'RLIMIT_AS' prlimit --as=3000000000
done
died ABRT 'another root lacks that directory.*its own message says which' env
# Where it chose its directory itself, ours is not the cause, whether that was seen while it ran or at its end.
"$RTEVTOP" stats -- env OCAML_RUNTIME_EVENTS_DIR="$work/none" sh -c 'kill -ABRT $$' >"$work/report" 2>"$work/error"
grep -qE '(It sets OCAML_RUNTIME_EVENTS_DIR|set OCAML_RUNTIME_EVENTS_DIR to .*) itself' "$work/error" &&
  ! grep -q 'another root' "$work/error" || fail "another cause: $(cat "$work/error")"
# That it chose a directory does not hide what ended it: at its end, and where the directory was told of before.
if ! grep -aq __asan_init "$RTEVTOP"; then
  prlimit --as=3000000000 "$RTEVTOP" stats -- env OCAML_RUNTIME_EVENTS_DIR="$work/elsewhere" sh -c 'kill -SEGV $$' >"$work/report" 2>"$work/error"
  grep -q 'ended by SIGSEGV' "$work/error" && grep -q RLIMIT_AS "$work/error" || fail "no limit: $(cat "$work/error")"
fi
"$RTEVTOP" stats -- env OCAML_RUNTIME_EVENTS_DIR="$work/elsewhere" sh -c 'until [ -e "$0" ]; do sleep 0.05; done; kill -SEGV $$' "$work/die" >"$work/report" 2>"$work/error" &
report=$!
for _ in $(seq 600); do
  grep -q "set OCAML_RUNTIME_EVENTS_DIR to" "$work/error" && break
  sleep 0.1
done
: >"$work/die"
wait "$report"
[ $? = 139 ] && grep -q 'env was ended by SIGSEGV$' "$work/error" || fail "no signal after another directory: $(cat "$work/error")"
# One that never had a ring has no rates.
"$RTEVTOP" -b --json -- true >"$work/report" 2>"$work/error"
tail -n 1 "$work/report" | grep -q '"minor_per_s":null,"major_per_s":null,.*"events_per_s":null' || fail "rates of nothing: $(cat "$work/report")"
# A run too short for a sample has its processor time, as its end tells it; of one, the cores as well.
"$RTEVTOP" stats -- "$RTEVTOP" demo --seconds 0.1 --rate 100000 >"$work/report" 2>"$work/error"
grep -qE '^cpu [0-9.]+ +(of|waited)' "$work/report" || fail "no processor time: $(cat "$work/report")"
# Nothing of its start is judged, and no rule says that something else was missing.
grep -q '^findings: too short to judge' "$work/report" && ! grep -q 'fewer than' "$work/report" || fail "judged: $(cat "$work/report")"
# How it ended is told: its status where it recorded nothing, and then no figure is 0; and a signal that it died of.
"$RTEVTOP" stats -- sh -c 'exit 7' >"$work/report" 2>"$work/error"
grep -q 'sh ended with status 7 without recording' "$work/error" || fail "no status: $(cat "$work/error")"
grep -qE 'minor collections +- ' "$work/report" && ! grep -q '^pauses 0' "$work/report" || fail "figures of nothing: $(cat "$work/report")"
"$RTEVTOP" stats -- sh -c '"$RTEVTOP" demo --seconds 0.1 >&2; kill -SEGV $$' >"$work/report" 2>"$work/error"
[ $? = 139 ] && grep -q 'sh was ended by SIGSEGV$' "$work/error" || fail "no signal: $(cat "$work/error")"
# A script whose interpreter is missing is not misspelt.
printf '#!/nonexistent/interpreter\n' >"$work/script"
chmod +x "$work/script"
"$RTEVTOP" stats -- "$work/script" >"$work/report" 2>"$work/error"
[ $? = 127 ] && grep -q 'interpreter .* is not' "$work/error" || fail "a script: $(cat "$work/error")"
# A COMMAND that changes its root, where that can be done here: its ring is within that root.
if mkdir -p "$work/root/tmp" && chroot / true 2>/dev/null; then
  "$RTEVTOP" stats -- env A=b chroot "$work/root" program >"$work/report" 2>"$work/error"
  [ $? = 127 ] || fail "the status of what chroot does not find: $(cat "$work/error")"
  cat >"$work/chroot" <<'SH'
#!/bin/sh
[ -d "$1$OCAML_RUNTIME_EVENTS_DIR" ] && echo "within: $OCAML_RUNTIME_EVENTS_DIR" >&2
SH
  chmod +x "$work/chroot"
  "$RTEVTOP" stats -- "$work/chroot" "$work/root/" >"$work/report" 2>"$work/error"
  grep -q '^within: /tmp/rtevtop-' "$work/error" || fail "the ring of another root: $(cat "$work/error")"
  [ -z "$(ls "$work/root/tmp")" ] || fail "left in the root: $(ls "$work/root/tmp")"
fi
exit 0
