#!/usr/bin/env bash
# A loop that allocates nothing and never ends is named by `stacks` and by samples of the code, and who waits for a lock meanwhile is
# seen to; what is left of that where the kernel refuses perf events.  Usage: test_code_blocked.sh RELEASE WITHOUT_PERF
. "$(dirname "$0")/lib.sh"
need timeout python3
with_ocaml "$1"
program=$(build "$prefix" blocked native)
without_perf=$2
export OCAML_RUNTIME_EVENTS_DIR=$work OCAML_RUNTIME_EVENTS_START=1
"$program" >"$work/said" &
pid=$!
within 20 grep -q ready "$work/said" || fail "the program does not begin"

# The stacks: who loops runs, who waits for the mutex does not, nor any other once all have got as far.
waits() {
  timeout 60 "$RTEVTOP" stacks --json "$pid" >"$work/out" 2>"$work/err" || fail "stacks: $(cat "$work/err")"
  json 'any(not t["on_cpu"] and {"caml_ml_mutex_lock", "Blocked.with_conn"} <= {f["name"] for f in t["frames"]} for t in x["threads"] if t["kind"] == "ocaml")' \
    "$work/out" &&
    json '[t["frames"][0]["name"] for t in x["threads"] if t["kind"] == "ocaml" and t["on_cpu"]] == ["Blocked.spin"]' "$work/out"
}
within 20 waits || fail "no domain waits, or not the loop alone runs: $(cat "$work/out")"

timeout 60 "$RTEVTOP" stacks "$pid" >"$work/out" 2>"$work/err"
grep -qE '^Thread [0-9]+: OCaml, domain [0-9]+, runs$' "$work/out" && grep -qE '^Thread [0-9]+: OCaml, domain [0-9]+, waits for a mutex \(Blocked\.with_conn blocked\.ml\), which thread [0-9]+ holds \(runs in Blocked\.spin\)$' "$work/out" ||
  fail "stacks do not tell who runs and who waits: $(cat "$work/out")"

# Refused: threads that wait are seen all the same, and what is not is said, with the file, its value, and the remedies.
refused='the kernel refuses perf events: /proc/sys/kernel/perf_event_paranoid is'
"$without_perf" 13 true || skip "this kernel has no filters of system calls"
run 0 "$without_perf" 13 timeout 60 "$RTEVTOP" stats --code --json --duration 1 "$pid"
says "could not sample threads that run, only look at those that wait, of "
grep -q "$refused [-0-9]" "$work/err" || fail "no reason: $(cat "$work/err")"
grep -q 'CAP_PERFMON' "$work/err" || fail "no remedy: $(cat "$work/err")"
json "x['code']['samples'] == 0 and x['code']['off_cpu'] > 5 and x['code']['unseen'] > 1 and x['code']['refused'].startswith('$refused')" "$work/out" ||
  fail "JSON: $(cat "$work/out")"
json '(lambda f: f["Blocked.with_conn"]["off_cpu"] > 0 and f["Blocked.with_conn"]["self"] is None and "Blocked.spin" not in f)({f["name"]: f for f in x["code"]["functions"]})' \
  "$work/out" || fail "functions: $(cat "$work/out")"
run 0 "$without_perf" 13 timeout 60 "$RTEVTOP" stats --code --duration 1 "$pid"
grep -q "^  only threads that wait: $refused" "$work/out" && grep -qE '^  - +- +- +[0-9.]+%  Blocked\.with_conn ' "$work/out" || fail "text: $(cat "$work/out")"
run 1 "$without_perf" 13 timeout 60 "$RTEVTOP" stats --code --folded "$pid"
says "$refused"
run 0 "$without_perf" 13 timeout 60 "$RTEVTOP" record --code --duration 1 -o "$work/x.fxt" "$pid"
says "$refused"
run 0 "$RTEVTOP" stats --json "$work/x.fxt"
json 'x["code"]["samples"] == 0 and x["code"]["unseen"] > 1 and "Blocked.with_conn" in [f["name"] for f in x["code"]["functions"]]' "$work/out" || fail "recording"

# The samples: all of the processor time is the loop's.
timeout 60 "$RTEVTOP" stats --code --json --duration 2 "$pid" >"$work/out" 2>"$work/err" || {
  grep -q 'perf events' "$work/err" && skip "$(grep 'perf events' "$work/err")"
  fail "$(cat "$work/err")"
}
json 'x["code"]["samples"] > 0 and x["code"]["functions"][0]["name"] == "Blocked.spin" and x["code"]["functions"][0]["self"] > 0.95' "$work/out" ||
  fail "samples do not name the loop: $(head -c 3000 "$work/out")"
stop "$pid"
exit 0
