#!/usr/bin/env bash
# stats of a recording of a ring file is stats of that file, byte for byte: as JSON, as text and in full.
# Usage: stats_recording.sh NAME      a ring that a real OCaml program left, or "demo": one of four busy domains of the demo
. "$(dirname "$0")/../support/lib.sh"
if [ "$1" = demo ]; then
  run 0 env OCAML_RUNTIME_EVENTS_DIR="$work" OCAML_RUNTIME_EVENTS_PRESERVE=1 \
    "$RTEVTOP" demo --domains 4 --rate 100000 --seconds 0.5
  ring=$(echo "$work"/*.events)
else
  need tar xz
  ring=$(unpack "$1")
fi

same() {
  for form in --json "" --full; do
    # shellcheck disable=SC2086
    run 0 "$RTEVTOP" stats $form "$ring"
    cp "$work/out" "$work/want"
    # shellcheck disable=SC2086
    run 0 "$RTEVTOP" stats $form "$work/a.fxt"
    [ -s "$work/err" ] && fail "stats $form: $(cat "$work/err")"
    cmp -s "$work/want" "$work/out" || {
      diff <(tr , '\n' <"$work/want") <(tr , '\n' <"$work/out") | head >&2
      fail "stats $form of the recording differs from that of its ring"
    }
  done
}

run 0 "$RTEVTOP" record -o "$work/a.fxt" "$ring"
same
# A budget changes the order in which rings are read.
run 0 "$RTEVTOP" record --force --max-events 7 -o "$work/a.fxt" "$ring"
if [ "$1" = demo ]; then
  # It also changes which names come first.
  run 0 "$RTEVTOP" stats --json --max-events 7 "$ring"
  cp "$work/out" "$work/want"
  run 0 "$RTEVTOP" stats --json "$work/a.fxt"
  cmp -s "$work/want" "$work/out" || fail "the report depends on --max-events"
  # One that is cut short, or damaged, is reported on up to there.
  size=$(stat -c %s "$work/a.fxt")
  events=$(sed -E 's/.*"events":([0-9]+).*/\1/' "$work/want")
  head -c $((size / 2 / 8 * 8 + 4)) "$work/a.fxt" >"$work/half.fxt"
  { head -c $((size / 2 / 8 * 8)) "$work/a.fxt"; head -c 4096 /dev/zero; } >"$work/zeros.fxt"
  # So is one whose recorder was killed between two writes: it lacks the end, which is the last blob.
  head -c $((size - 40)) "$work/a.fxt" >"$work/endless.fxt"
  tail -c 40 "$work/a.fxt" | grep -q rtevtop.end || fail "the last record is not the end"
  run 1 "$RTEVTOP" stats --json "$work/endless.fxt"
  says "endless.fxt has no end: it holds the first 0."
  cmp -s "$work/want" "$work/out" || fail "without the end: $(cat "$work/out")"
  for name in half zeros; do
    run 1 "$RTEVTOP" stats --json "$work/$name.fxt"
    says "Everything before it was read."
    grep -qE 'byte [0-9]+: .*; it holds the first 0\.[0-9]{3} s$' "$work/err" || fail "$name: $(cat "$work/err")"
    got=$(sed -E 's/.*"events":([0-9]+).*/\1/' "$work/out")
    [ "$got" -gt 0 ] && [ "$got" -lt "$events" ] || fail "$name: $got of $events events"
  done
else
  same
fi
exit 0
