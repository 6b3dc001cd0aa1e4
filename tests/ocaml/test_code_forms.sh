#!/usr/bin/env bash
# The forms of what stats --code says: three lists in the text, of functions that are executed, that call, and that wait; how many
# functions JSON leaves out; call paths and the profiles of speedscope and pprof, of a process and of a recording of it; and the
# name of what a module does at its top level.
# Usage: test_code_forms.sh RELEASE
. "$(dirname "$0")/lib.sh"
need timeout python3
with_ocaml "$1"

# A program of 120 functions that each take a hundredth of its time, most of the rest in a loop at the top level of its module
# without any call; then it waits.
mkdir "$work/many"
{
  echo 'let first = try Sys.getenv "HOME" with Not_found -> ""'
  echo 'let sum = ref (String.length first)'
  for i in $(seq 120); do
    echo "let[@inline never] f$i n = for i = 1 to n do sum := (!sum * 48271 + i) land 0xffffff done"
  done
  echo 'let[@inline never] rest () = Unix.sleepf 0.5; incr sum'
  echo 'let[@inline never] all n = incr sum'
  for i in $(seq 120); do echo "; f$i n"; done
  echo 'let () = Runtime_events.start ()'
  echo 'let () = for _ = 1 to int_of_string Sys.argv.(1) do'
  echo '  for i = 1 to 300_000_000 do sum := (!sum * 48271 + i) land 0xffffff done; all 3_000_000; rest () done'
} >"$work/many/many.ml"
(cd "$work/many" && "$prefix/bin/ocamlopt" -g -I +unix -I +runtime_events unix.cmxa runtime_events.cmxa many.ml -o many 2>"$work/err") ||
  fail "could not compile it: $(cat "$work/err")"
program=$work/many/many
run 0 timeout 170 "$RTEVTOP" record --code=499 -o "$work/run.fxt" -- "$program" 1
grep -q 'perf events' "$work/err" && skip "$(grep 'perf events' "$work/err")"

# The text: fifteen rows of each list, by what the list is of; with --full up to a hundred.
list() { awk -v list="  $2:" '/^  [a-z].*:$/ { on = $0 == list; next } /^  and / || !/^  / { on = 0 } on' "$1"; }
run 0 timeout 60 "$RTEVTOP" stats "$work/run.fxt"
for name in 'executed themselves:1:Many ' 'callers of others:2:Many\.all '; do
  IFS=: read -r name column function <<<"$name"
  list "$work/out" "$name" >"$work/list"
  [ "$(wc -l <"$work/list")" -le 15 ] || fail "$name: $(cat "$work/list")"
  grep -qE "  $function" "$work/list" || fail "$name has not $function: $(cat "$work/out")"
  # The first column is a share and its interval, as is the second.
  awk -v at=$((2 * column - 1)) '{ print $at + 0 }' "$work/list" | sort -c -rn || fail "$name is in no order: $(cat "$work/list")"
done
[ "$(list "$work/out" 'executed themselves' | wc -l)" = 15 ] || fail "executed themselves: $(cat "$work/out")"
list "$work/out" 'callers of others' | grep -qE '  Many\.f[0-9]+( |$)' && fail "a function that calls none is a caller: $(cat "$work/out")"
list "$work/out" waiting | grep -q '  Many\.rest ' || fail "what waits is not told: $(cat "$work/out")"
grep -q '^  and [0-9]* more: --full, --json$' "$work/out" || fail "it is not told that there is more"
cp "$work/out" "$work/text"
run 0 timeout 60 "$RTEVTOP" stats --full "$work/run.fxt"
[ "$(list "$work/out" 'executed themselves' | wc -l)" = 100 ] || fail "--full: $(list "$work/out" 'executed themselves' | wc -l) functions"

# JSON: what is not in the list is counted.
run 0 timeout 60 "$RTEVTOP" stats --json "$work/run.fxt"
json 'len(x["code"]["functions"]) == 100 and x["code"]["functions_left_out"] >= 20' "$work/out" || fail "left out: $(tail -c 300 "$work/out")"
# The top level of the module has its name, and a file; nothing is the first binding's, which takes no time.
json '[f["file"] for f in x["code"]["functions"] if f["name"] == "Many" and f["self"] > 0.2] == ["many.ml"]' "$work/out" ||
  fail "the top level: $(head -c 3000 "$work/out")"
json 'all(f["name"] != "Many.first" or f["self"] < 0.02 for f in x["code"]["functions"])' "$work/out" || fail "the first binding: $(head -c 3000 "$work/out")"
samples=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["code"]["samples"])' "$work/out")

# The other forms of the recording have its samples.
run 0 timeout 60 "$RTEVTOP" stats --code --folded "$work/run.fxt"
awk -v samples="$samples" '{ n += $NF; if (/;Many\.all[; ]/) h += $NF } END { exit !(n == samples && h > n / 10 && h < n * 9 / 10) }' "$work/out" ||
  fail "call paths of $samples samples: $(tail -n 3 "$work/out")"
run 0 timeout 60 "$RTEVTOP" stats --code --pprof -o "$work/profile" "$work/run.fxt"
python3 "$here/../support/pprof_oracle.py" "$work/profile" Many.all 0.1 0.9 many.ml >"$work/said" || fail "pprof: $(cat "$work/said")"
run 0 timeout 60 "$RTEVTOP" stats --code --speedscope "$work/run.fxt"
scope() { python3 "$here/../support/speedscope_check.py" "$@" >"$work/said" 2>&1; }
scope "$work/out" Many.all 0.1 0.9 many.ml "$samples" || fail "speedscope: $(cat "$work/said")"
# The rules are rules.
for wrong in 's/"type":"sampled"/"type":"sample"/' 's/"endValue":[0-9]*/"endValue":7/' 's/"weights":\[[0-9]*,/"weights":[/' \
  's/"samples":\[\[[0-9]*/"samples":[[99999/' 's/"exporter"/"exporters"/' 's/"unit":"nanoseconds",//'; do
  sed "$wrong" "$work/out" >"$work/wrong"
  scope "$work/wrong" Many.all 0.1 0.9 many.ml && fail "$wrong is not found out"
done
run 0 timeout 60 "$RTEVTOP" stats --code --json "$work/run.fxt"
json 'x["code"]["hz"] == 499' "$work/out" || fail "--code of a recording: $(tail -c 300 "$work/out")"

# What a recording has not, and what is no form of it.
run 2 "$RTEVTOP" stats --code=98 --folded "$work/run.fxt"
run 2 "$RTEVTOP" stats --speedscope "$work/run.fxt"
run 2 "$RTEVTOP" stats --code --speedscope --folded "$work/run.fxt"
run 0 timeout 60 "$RTEVTOP" record --duration 0.2 -o "$work/bare.fxt" -- "$program" 0
for form in --json --folded --speedscope '--pprof -o x'; do
  # shellcheck disable=SC2086
  run 1 timeout 60 "$RTEVTOP" stats --code $form "$work/bare.fxt"
  says "has no samples of its program's code"
  [ ! -s "$work/out" ] || fail "$form: printed $(cat "$work/out")"
done

# A process has the form, too.
run 0 timeout 120 "$RTEVTOP" stats --code=499 --speedscope -- "$program" 1
scope "$work/out" Many.all 0.1 0.9 many.ml || fail "speedscope of a process: $(cat "$work/said")"

# A program with more functions in .eh_frame than there is memory for: what is left out is told.
python3 "$here/../support/lying_elf.py" "$program" "$work/lying" functions && chmod +x "$work/lying"
run 0 timeout 170 "$RTEVTOP" stats --code --json -- "$work/lying" 1
left='some of its symbols are left out: they take more than 64 MiB'
json "x['code']['symbols_left_out'] == '$left'" "$work/out" && grep -q ": $left$" "$work/err" ||
  fail "left out: $(tail -c 600 "$work/out") $(cat "$work/err")"

# The functions of C that call back stand between those of OCaml; where the collector is at work is seen without events.
mkdir "$work/handled"
cat >"$work/handled/handled.ml" <<'ML'
let sum = ref 0
let keep = ref []
let[@inline never] spin n = for i = 1 to n do sum := (!sum * 48271 + i) land 0xffffff done
let[@inline never] handler _ = spin 1_000_000; incr sum
let[@inline never] retain n = for i = 1 to n do keep := i :: !keep done; keep := []
let () =
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle handler);
  ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.01; it_value = 0.01 });
  while true do retain 200_000; Gc.minor () done
ML
(cd "$work/handled" && "$prefix/bin/ocamlopt" -g -I +unix unix.cmxa handled.ml -o handled 2>"$work/err") || fail "could not compile it: $(cat "$work/err")"
"$work/handled/handled" &
pid=$!
run 0 timeout 60 "$RTEVTOP" stats --code=499 --duration 3 --json "$pid"
json 'x["code"]["samples"] > 30' "$work/out" || untried "it got too little of the processor: $(head -c 300 "$work/out")"
json '[f["in_gc"] for f in x["code"]["functions"] if f["name"] == "Handled.spin"] == [0]' "$work/out" || fail "spin is no collector: $(head -c 3000 "$work/out")"
json 'all(f["in_gc"] == 1 for f in x["code"]["functions"] if f["name"] in ("oldify_one", "pool_sweep", "caml_poll_gc_work", "do_some_marking"))' "$work/out" ||
  fail "the collector is not told to be it: $(head -c 3000 "$work/out")"
json 'any(f["name"] == "Handled.retain" and 0 < f["in_gc"] < 1 for f in x["code"]["functions"])' "$work/out" || fail "retain: $(head -c 3000 "$work/out")"
run 0 timeout 60 "$RTEVTOP" stats --code=499 --duration 3 --folded "$pid"
grep -q ';caml_[a-z_.0-9]*;Handled\.handler;' "$work/out" || untried "no handler was sampled"
grep -E 'Handled\.[a-z]+;Handled\.handler' "$work/out" && fail "a callback without its C"
stop "$pid"
exit 0
