#!/usr/bin/env bash
# rtevtop diff: reports and ring files side by side, commands in turns, what is refused.
. "$(dirname "$0")/../support/lib.sh"
need python3
export PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1

# Two rings: the second has twice the minor collections, each twice as long.
python3 - "$work" <<'PY' || fail "could not make the rings"
import sys
from ring_file import Ring
MINOR = 11
for name, count, length in ("few", 20, 1000), ("many", 40, 2000):
    ring = Ring()
    for i in range(count):
        ring.begin(0, 1_000_000 + 100_000 * i, MINOR)
        ring.end(0, 1_000_000 + 100_000 * i + length, MINOR)
    ring.save(f"{sys.argv[1]}/{name}.events")
PY
cp "$work/few.events" "$work/4242"
"$RTEVTOP" stats --json --ocaml 5.3.0 "$work/few.events" >"$work/few.json" || fail "no report"

# change FIGURE: what --json says of it.
change() {
  python3 - "$work/out" "$1" <<'PY'
import json, sys
[row] = [row for row in json.load(open(sys.argv[1]))["figures"] if " ".join((row["name"], row["what"])).strip() == sys.argv[2]]
print(row["change"], row["a"], row["b"], row["verdict"])
PY
}

# A report, a ring and a recording are the same to it; so is a file whose name is digits only.
for name in few many; do
  "$RTEVTOP" record --ocaml 5.3.0 -o "$work/$name.fxt" "$work/$name.events" || fail "no recording"
done
cp "$work/few.fxt" "$work/4711"
for a in few.json few.events 4242 ./4242 few.fxt 4711; do
  cd "$work" || exit 1
  for b in many.events many.fxt; do
    run 0 "$RTEVTOP" diff --json --ocaml 5.3.0 "$a" "$b"
    [ -s "$work/err" ] && fail "$a $b: $(cat "$work/err")"
    [ "$(change "gc, all domains")" = "3 [2e-05] [8e-05] None" ] || fail "$a $b: gc: $(change "gc, all domains")"
    [ "$(change "minor count")" = "1 [20] [40] None" ] || fail "$a $b: minor: $(change "minor count")"
  done
done
# A recording that is cut short: what stands before is compared, and it is no success.
head -c $(($(stat -c %s many.fxt) - 12)) many.fxt >short.fxt
run 1 "$RTEVTOP" stats --json short.fxt
for pair in "few.fxt short.fxt" "short.fxt few.json"; do
  # shellcheck disable=SC2086
  run 1 "$RTEVTOP" diff $pair
  says "short.fxt ends early"
  says "Everything before it was read."
  grep -Eq "^minor +count " "$work/out" || fail "$pair: nothing is compared: $(cat "$work/out")"
done
# A recording may have a NUL in a name.
python3 - <<'PY' || fail "could not make the ring"
from ring_file import INT, Ring
ring = Ring()
ring.name(0, b"a name")
ring.user(0, 100, INT, 0, 7)
ring.save("named.events")
PY
run 0 "$RTEVTOP" record -o named.fxt named.events
sed 's/a name/a\x00name/' named.fxt >nul.fxt
run 0 "$RTEVTOP" diff nul.fxt nul.fxt
grep -Eq '^a.+name +count +1 +1 ' "$work/out" || fail "no event with a NUL in its name: $(cat "$work/out")"
run 0 "$RTEVTOP" diff few.fxt few.json
grep -Eq '^gc, all domains +20.0µs +20.0µs +\+0.0%$' "$work/out" || fail "a recording and its report differ: $(cat "$work/out")"
run 0 "$RTEVTOP" diff --ocaml 5.3.0 few.events many.events
grep -Eq '^gc, all domains +20.0µs +80.0µs +\+300.0%$' "$work/out" || fail "text: $(grep gc, "$work/out")"
awk 'length > 100 { bad = 1 } END { exit bad }' "$work/out" || fail "a line is too long"
# A figure that is thousands of times as large is that in the words of every other number.
sed 's/"gc_s":[0-9.e-]*/"gc_s":0.0256/' few.json >much.json
run 0 "$RTEVTOP" diff few.json much.json
grep -Eq '^gc, all domains +20.0µs +25.6ms +x1.28k$' "$work/out" || fail "text: $(grep gc, "$work/out")"

# Reports of unlike durations: what counts per second is alike, and stands first.
sed 's/"duration_s":[0-9.e-]*/"duration_s":1/' few.json >second.json
sed 's/"duration_s":[0-9.e-]*/"duration_s":2/; s/"gc_s":[0-9.e-]*/"gc_s":0.00004/' few.json >two.json
run 0 "$RTEVTOP" diff second.json two.json
grep -Eq '^gc, all domains +a second +<0.1% +<0.1% +\+0.0%$' "$work/out" || fail "no share: $(cat "$work/out")"
[ "$(grep -nE '^(gc, all domains +a second|totals|duration)' "$work/out" | cut -d : -f 2 | cut -c 1-6 | tr '\n' ,)" = "gc, al,totals,durati," ] ||
  fail "rates do not stand before totals: $(cat "$work/out")"

# Reports come out of pipes, too.
run 0 "$RTEVTOP" diff <(cat few.json) few.json
run 0 timeout 300 bash -c "cat few.json | '$RTEVTOP' diff /dev/stdin many.events"

# Commands in turns: what a run of each is, and in which order.
for name in few many; do
  cat >"$work/$name" <<END
#!/bin/sh
echo $name >>"$work/order"
echo "printed by $name"
cp "$work/$name.events" "\$OCAML_RUNTIME_EVENTS_DIR/\$\$.part" && mv "\$OCAML_RUNTIME_EVENTS_DIR/\$\$.part" "\$OCAML_RUNTIME_EVENTS_DIR/\$\$.events"
exit \${1:-0}
END
  chmod +x "$work/$name"
done
run 0 "$RTEVTOP" diff --json --ocaml 5.3.0 -n 4 -- ./few --- ./many 0
[ "$(tr '\n' ' ' <order)" = "few many many few few many many few " ] || fail "order: $(tr '\n' ' ' <order)"
says "printed by few"
grep -q printed "$work/out" && fail "what a command prints is amid the output"
case $(change "minor count") in
  "1 [20, 20, 20, 20] [40, 40, 40, 40] "*) ;;
  *) fail "runs: $(change "minor count")" ;;
esac
# All that differs in each run does so in 2 of 252 ways, times six figures: duration may be noise.
run 0 "$RTEVTOP" diff --ocaml 5.3.0 -- ./few --- ./many
grep -Eq '^gc, all domains +20.0µs +±0% +80.0µs +±0% +\+300.0%  0.0[0-9]+ changed$' "$work/out" || fail "verdict: $(cat "$work/out")"

# Ctrl-C, which the command gets as well, is no failure of the command.
printf '#!/bin/sh\necho "$$" >begun\nexec sleep 1000\n' >slow
chmod +x slow
python3 - "$RTEVTOP" >"$work/err" <<'PY' || fail "Ctrl-C: $(cat "$work/err")"
import os, signal, subprocess, sys, time
diff = subprocess.Popen([sys.argv[1], "diff", "--", "./slow", "---", "./slow"], stderr=subprocess.PIPE, text=True, start_new_session=True,
                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
while not os.path.exists("begun") or not open("begun").read():
    time.sleep(0.05)
os.killpg(diff.pid, signal.SIGINT)
said = diff.communicate(timeout=300)[1]
print(diff.returncode, said)
sys.exit(diff.returncode != 1 or "interrupted: nothing is judged" not in said or "failed" in said)
PY

# A side that lost words says so.
run 0 "$RTEVTOP" diff few.json few.json
grep -q 'lost words:' "$work/out" && fail "a loss is told of reports without one"
sed 's/"lost_words":0,/"lost_words":7,/' few.json >lossy.json
run 0 "$RTEVTOP" diff few.json lossy.json
grep -qx 'B lost words: its counts, sums and maxima are lower bounds.' "$work/out" || fail "no loss is told: $(cat "$work/out")"

# What fails.
rm -f order
run 1 "$RTEVTOP" diff -n 3 --ocaml 5.3.0 -- ./few --- ./many 3
says "./many failed: status 3"
[ "$(wc -l <order)" = 2 ] || fail "it went on after a run that failed"
run 127 "$RTEVTOP" diff -- ./none --- ./many
run 1 "$RTEVTOP" diff few.json none.json
says "could not read none.json: no such file"
run 1 "$RTEVTOP" diff few.json "$work"
says "not a regular file"
echo '{"pid":1}' >other.json
run 1 "$RTEVTOP" diff few.json other.json
says "it is no report of stats --json"
# What is no report is told as that, also where it is no JSON.
"$RTEVTOP" stats few.events >report.txt
echo '[1' >list.json
for file in report.txt list.json few; do
  run 1 "$RTEVTOP" diff $file few.json
  says "could not read $file: it is no report of stats --json"
  says "rtevtop stats --json TARGET > FILE"
done
: >empty.json
run 1 "$RTEVTOP" diff few.json empty.json
says "could not read empty.json: it is empty"
says "rtevtop stats --json TARGET > FILE"
run 1 "$RTEVTOP" diff few.json <(:)
says ": it is empty"
# What is no JSON, or too much of it, is refused at its place.
refused() {
  run 1 "$RTEVTOP" diff few.json "$1"
  says "could not read $1: it is no report of stats --json: $2"
  says "rtevtop stats --json TARGET > FILE"
  [ "$(wc -l <"$work/err")" = 2 ] || fail "$1: more than a message and what to do: $(cat "$work/err")"
}
head -c 300 few.json >cut.json
refused cut.json "line 1, column "
sed 's/"duration_s":/"duration_s":1,\n"duration_s":/' few.json >twice.json
refused twice.json "line 2, column 12: duplicate object key"
cat few.json few.json >trailing.json
refused trailing.json "line 2, column 1: end of file expected near '{'"
{ printf '\n  '; printf '[%.0s' {1..100000}; } >deep.json
refused deep.json "line 2, column 67: nested deeper than 64"
printf '{\0}' >nul.json
run 1 "$RTEVTOP" diff few.json nul.json
{ cat few.json; head -c $((32 << 20)) /dev/zero | tr '\0' ' '; } >big.json
refused big.json "line 2, column $(((32 << 20) + 1 - $(stat -c %s few.json))): longer than 32 MiB"
run 1 "$RTEVTOP" diff few.json <(cat big.json)
says "longer than 32 MiB"
head -c $((32 << 20)) big.json >most.json
run 0 "$RTEVTOP" diff few.json most.json
grep -Eq '^duration .* \+0.0%$' "$work/out" || fail "a long report differs from the short one: $(cat "$work/out")"
rm big.json most.json
# No byte of a text reaches the terminal as it is.
printf '{\033[31m' >escape.json
refused escape.json "line 1, column 2: string or '}' expected"
grep -q $'\033' "$work/err" && fail "an escape sequence is printed"
run 1 "$RTEVTOP" diff few.json few
run 2 "$RTEVTOP" diff
run 2 "$RTEVTOP" diff few.json
run 2 "$RTEVTOP" diff few.json few.json few.json
says "one word too many"
run 2 "$RTEVTOP" diff -n 2 few.json few.json
run 2 "$RTEVTOP" diff -- ./few
run 2 "$RTEVTOP" diff -- ./few ---
run 2 "$RTEVTOP" diff few.json -- ./few --- ./many
run 2 "$RTEVTOP" diff -n 1001 -- ./few --- ./many

# What recorded nothing has nothing of the collector to compare: no 0, and for commands no success.
"$RTEVTOP" stats --json -- true >"$work/none.json" 2>/dev/null || fail "stats of true"
for pair in "none.json few.json" "few.json none.json" "none.json none.json"; do
  # shellcheck disable=SC2086
  run 0 "$RTEVTOP" diff --json $pair
  says "nothing was recorded in none.json"
  ! grep -Eq '"name":"(gc|minors|promoted|allocated)[^}]*"a":\[[^]n]*\],[^}]*"b":\[[^]n]*\]' "$work/out" || fail "$pair: $(cat "$work/out")"
done
run 1 "$RTEVTOP" diff -n 3 -- true --- true
says "nothing is judged: true recorded nothing"
[ "$(grep -c 'without recording' "$work/err")" = 1 ] || fail "it ran more than once: $(cat "$work/err")"
[ ! -s "$work/out" ] || fail "a comparison of nothing: $(cat "$work/out")"
exit 0
