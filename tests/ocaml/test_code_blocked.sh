#!/usr/bin/env bash
# A loop that allocates nothing and never ends is named by `stacks` and by samples of the code, and who waits for a lock meanwhile is
# seen to; and the page of a span that waited for a lock says so, and who wanted it.  Usage: test_code_blocked.sh RELEASE
. "$(dirname "$0")/lib.sh"
need timeout python3
prefix=$(compiler "$1")
[ -n "$prefix" ] || lacks "no OCaml 5.${1#5}: set RTEV_OCAML_$1 to its directory"
program=$(build "$prefix" blocked native)
export OCAML_RUNTIME_EVENTS_DIR=$work OCAML_RUNTIME_EVENTS_START=1
"$program" >"$work/said" &
pid=$!
within 20 grep -q ready "$work/said" || fail "the program does not begin"

# The stacks: who loops runs, who waits for the mutex does not.
waits() {
  timeout 60 "$RTEVTOP" stacks --json "$pid" >"$work/out" 2>"$work/err" || fail "stacks: $(cat "$work/err")"
  json 'any(not t["on_cpu"] and {"caml_ml_mutex_lock", "Blocked.with_conn"} <= {f["name"] for f in t["frames"]} for t in x["threads"] if t["kind"] == "ocaml")' \
    "$work/out"
}
within 20 waits || fail "no domain waits: $(cat "$work/out")"
json '[t["frames"][0]["name"] for t in x["threads"] if t["kind"] == "ocaml" and t["on_cpu"]] == ["Blocked.spin"]' "$work/out" ||
  fail "stacks do not name the loop: $(cat "$work/out")"

# The samples: all of the processor time is the loop's.
timeout 60 "$RTEVTOP" stats --code --json --duration 2 "$pid" >"$work/out" 2>"$work/err" || {
  grep -q 'perf events' "$work/err" && skip "$(grep 'perf events' "$work/err")"
  fail "$(cat "$work/err")"
}
json 'x["code"]["samples"] > 0 and x["code"]["functions"][0]["name"] == "Blocked.spin" and x["code"]["functions"][0]["self"] > 0.95' "$work/out" ||
  fail "samples do not name the loop: $(head -c 3000 "$work/out")"
stop "$pid"
exit 0
