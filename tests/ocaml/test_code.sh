#!/usr/bin/env bash
# What stats --code says of a program whose functions take known shares of its processor time: in the text, in JSON, as
# call paths and as a profile of pprof; and of one that is killed meanwhile.
# Usage: test_code.sh RELEASE DUMP
. "$(dirname "$0")/lib.sh"
need timeout python3
with_ocaml "$1"
program=$(build "$prefix" shares native)

# Wrong usage.
run 2 "$RTEVTOP" stats --folded 1
run 2 "$RTEVTOP" stats --code --pprof 1
run 2 "$RTEVTOP" stats --code -o x 1
run 2 "$RTEVTOP" stats --code=1000 1
run 2 "$RTEVTOP" stats --code=0 1
run 2 "$RTEVTOP" stats --code --json --folded 1

timeout 60 "$RTEVTOP" stats --code -- "$program" 0.1 >/dev/null 2>"$work/err" || {
  grep -q 'perf events' "$work/err" && skip "$(grep 'perf events' "$work/err")"
  fail "$(cat "$work/err")"
}

# The shares that the program measured lie within the intervals that were printed, in 18 of 20 runs.
for i in $(seq 20); do
  run 0 timeout 120 "$RTEVTOP" stats --full --code=499 -- "$program" 0.6
  cat "$work/out" "$work/err" >"$work/run$i"
done
python3 - "$work" <<'PY' || fail "shares: see above"
import re, sys
held = {"heavy": 0, "medium": 0, "light": 0}
for i in range(1, 21):
    text = open(f"{sys.argv[1]}/run{i}").read()
    true = dict(zip(*[iter(re.search(r"^shares (heavy .*)", text, re.M).group(1).split())] * 2))
    for name in held:
        line = re.search(r"^ +\S+% \+-\S+ +([0-9.]+)% \+-([0-9.]+) .*  Shares\." + name + r"\b", text, re.M)
        share, error = float(line.group(1)), float(line.group(2))
        # Figures are printed with one decimal.
        if abs(share - 100 * float(true[name])) <= error + 0.05:
            held[name] += 1
        else:
            print(f"run {i}: {name} {share} +-{error}, truly {100 * float(true[name]):.2f}", file=sys.stderr)
print(held)
sys.exit(0 if min(held.values()) >= 18 else 1)
PY

# JSON: shares of all samples; who is on the stack counts once.
run 0 timeout 120 "$RTEVTOP" stats --code --json -- "$program" 0.6
json 'x["code"]["hz"] == 99 and x["code"]["samples"] > 20 and x["code"]["incomplete"] <= x["code"]["samples"]' "$work/out" || fail "code"
json 'all(0 <= f["self"] <= f["total"] <= 1 and (f["in_gc"] is None or 0 <= f["in_gc"] <= 1) for f in x["code"]["functions"])' "$work/out" ||
  fail "shares of JSON"
json 'abs(sum(f["self"] for f in x["code"]["functions"]) - 1) < 1e-6' "$work/out" || fail "self does not add up"
json '[f["self"] for f in x["code"]["functions"]] == sorted((f["self"] for f in x["code"]["functions"]), reverse=True)' "$work/out" || fail "order"
json 'any(f["name"] == "Shares.heavy" and f["file"] == "shares.ml" and f["line"] > 20 and f["total"] > 0.3 for f in x["code"]["functions"])' "$work/out" ||
  fail "Shares.heavy: $(head -c 2000 "$work/out")"
run 0 timeout 60 "$RTEVTOP" stats --json -- "$program" 0.1
json 'x["code"] is None' "$work/out" || fail "code without --code"

# Call paths, and the profile: the same functions, with more than a third of the samples in the first, of those that tell.
run 0 timeout 120 "$RTEVTOP" stats --code --folded -- "$program" 0.6
awk '{ n += $NF } !/^\[caller not known\];/ { known += $NF } /;Shares.heavy(;| )/ { h += $NF } END { exit !(n > 20 && h > known / 3 && h < known * 2 / 3) }' "$work/out" || fail "call paths: $(cat "$work/out")"
forms="plain gz"
"$RTEVTOP" stats --code --pprof -o "$work/x.gz" 0 2>&1 | grep -q 'built without zlib' && forms=plain
for form in $forms; do
  file=$work/profile
  [ "$form" = gz ] && file=$file.gz
  run 0 timeout 120 "$RTEVTOP" stats --code=499 --pprof -o "$file" -- "$program" 0.6 || break
  python3 "$here/../support/pprof_oracle.py" "$file" Shares.heavy 0.35 0.65 shares.ml >"$work/pprof" || fail "$form: $(cat "$work/pprof")"
  if command -v go >/dev/null; then
    go tool pprof -raw "$file" >"$work/raw" 2>&1 || fail "go tool pprof: $(cat "$work/raw")"
  fi
done

# Where no byte can be written the reason is told, and the file that was there is as it was.
"$program" 60 >/dev/null &
pid=$!
for form in $forms; do
  file=$work/limited
  [ "$form" = gz ] && file=$file.gz
  echo old >"$file"
  (ulimit -f 0; timeout 60 "$RTEVTOP" stats --code --duration 0.3 --pprof -o "$file" "$pid" 2>&1; echo "status $?") | cat >"$work/said"
  grep -q "could not write $file: .*[Ll]arge" "$work/said" && grep -q 'status 1' "$work/said" || fail "limit of files, $form: $(cat "$work/said")"
  [ "$(cat "$file")" = old ] || fail "$form: the old file is gone"
  [ "$(ls -A "$work" | grep -c limited)" = 1 ] || [ "$form" = gz ] || fail "left behind: $(ls -A "$work")"
done
kill "$pid"

# A recording keeps the samples: its report says the same of them.
run 0 timeout 120 "$RTEVTOP" record --code=499 -o "$work/run.fxt" -- "$program" 0.6
run 0 timeout 60 "$RTEVTOP" stats --json "$work/run.fxt"
json 'x["code"]["hz"] == 499 and x["code"]["samples"] > 100' "$work/out" || fail "recording: $(tail -c 500 "$work/out")"
json 'any(f["name"] == "Shares.heavy" and 0.3 < f["total"] < 0.7 for f in x["code"]["functions"])' "$work/out" || fail "shares of the recording"

# Its slices have the same samples, in both forms of file.
"$2" "$work/run.fxt" >"$work/dump.jsonl" || fail "the recording is not a trace that Perfetto takes whole"
python3 "$here/../record/code_tracks.py" "$work/out" "$work/dump.jsonl" || fail "the tracks of samples"
grep -v '"kind":"slice".*"cat":"636f6465"' "$work/dump.jsonl" >"$work/less.jsonl"
python3 "$here/../record/code_tracks.py" "$work/out" "$work/less.jsonl" 2>/dev/null && fail "missing slices are not found out"
run 0 timeout 120 "$RTEVTOP" record --format json --code=499 -o "$work/run.json" -- "$program" 0.6
for form in dump.jsonl run.json; do
  python3 "$here/../record/code_slices.py" 499 "$work/$form" || fail "the slices of $form are not what the program did"
done
sed 's/Shares\.heavy/Shares.medium/' "$work/run.json" >"$work/less.json"
python3 "$here/../record/code_slices.py" 499 "$work/less.json" >/dev/null 2>&1 && fail "wrong names are not found out"
grep -v '"Shares\.light"' "$work/run.json" >"$work/less.json"
python3 "$here/../record/code_slices.py" 499 "$work/less.json" 2>&1 | grep -q 'one after the other' || fail "missing runs are not found out"
run 2 "$RTEVTOP" record --code -o "$work/x" --on-pause 5 1

# Of a process that runs already, reports and recordings have samples.
export OCAML_RUNTIME_EVENTS_DIR=$work
target "$program" 100
run 0 timeout 120 "$RTEVTOP" stats --code --json --duration 1 "$pid"
json 'x["code"]["samples"] > 0' "$work/out" || fail "a process that runs: $(tail -c 500 "$work/out")"
run 0 timeout 120 "$RTEVTOP" record --code --duration 1 -o "$work/pid.fxt" "$pid"
run 0 timeout 60 "$RTEVTOP" stats --json "$work/pid.fxt"
json 'x["code"]["samples"] > 0' "$work/out" || fail "a recording of a process that runs: $(tail -c 500 "$work/out")"
stop "$pid"

sampled() { ls -l "/proc/$report/fd" | grep -q perf_event; }

# A program that has just been executed: samples begin with it.
coproc stopped { exec python3 "$here/../support/at_exec.py" "$program" 100; }
read -r pid <&"${stopped[0]}" || fail "no program stops at its begin"
"$RTEVTOP" stats --code --json "$pid" >"$work/out" 2>"$work/err" &
report=$!
reads_it() { ! [ -d "/proc/$report/fd" ] || ls -l "/proc/$report/fd" | grep -q "/proc/$pid/mem"; }
within 60 reads_it || fail "it does not look at the program: $(cat "$work/err")"
echo >&"${stopped[1]}"
within 60 sampled || fail "a program that begins: $(cat "$work/err")"
kill -KILL "$pid"
wait "$report" || fail "a program that begins: $(cat "$work/err")"

# A program that is killed meanwhile: what was seen until then.
target "$program" 100
"$RTEVTOP" stats --code --json "$pid" >"$work/out" 2>"$work/err" &
report=$!
within 60 sampled || fail "it takes no samples: $(cat "$work/err")"
kill -KILL "$pid"
wait "$report" || fail "killed: $(cat "$work/err")"
json 'x["code"]["samples"] >= 0' "$work/out" || fail "killed: $(cat "$work/out")"
