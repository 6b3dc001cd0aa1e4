#!/usr/bin/env bash
# What is told of real Eio programs, on both backends, from their start and attached to late, is what they say themselves.
# Usage: test_eio.sh RELEASE   (54)
. "$(dirname "$0")/lib.sh"
need python3 timeout
with_ocaml "$1"
cp "$here/eio_truth.ml" "$work" && cd "$work" || exit 1
"$prefix/bin/ocamlfind" query eio_main >/dev/null 2>&1 || "$prefix/bin/enter" ocamlfind query eio_main >/dev/null 2>&1 ||
  untried "OCaml $version has no Eio"
"$prefix/bin/ocamlfind" ocamlopt -g -package eio_main,unix -linkpkg eio_truth.ml -o eio_truth >/dev/null 2>err ||
  fail "could not compile eio_truth: $(cat err)"
export OCAMLRUNPARAM=e=18 # which keeps all that they write

for backend in linux posix; do
  export EIO_BACKEND=$backend
  run 0 timeout 300 "$RTEVTOP" stats --json -- sh -c 'exec ./eio_truth counted >truth'
  cp out counted.json 2>/dev/null || cp "$work/out" counted.json
  had=$(head -1 truth) # without io_uring it is posix
  python3 - counted.json truth "$had" <<'PY' || fail "counted, $had: $(cut -c1-3000 counted.json)"
import json, sys
f = json.load(open(sys.argv[1]))["fibers"]
truth = json.loads(open(sys.argv[2]).read().split("\n")[1])
assert truth == {"failed": 10, "timed_out": 5, "died": 4}, truth
assert f["errors"] == truth["failed"] + truth["died"], f["errors"]
assert f["timeouts"] == truth["timed_out"], f["timeouts"]
assert f["alive"] == 0 and f["created"] == f["finished"] or sys.argv[3] == "linux", (f["alive"], f["created"], f["finished"])
long = [r for r in f["longest_runs"] if r["span"] == "yearly"]
assert len(long) == 3 and all(r["path"] == "server/report" and r["duration_s"] >= 0.08 for r in long), f["longest_runs"]
assert f["late"] >= 3, f["late"]
group = {g["path"]: g for g in f["groups"]}["server/report"]
assert group["runs"] >= 3 and group["run_max_s"] == max(r["duration_s"] for r in long), group
assert (f["domains"][0]["turns"] is None) == (sys.argv[3] == "linux"), f["domains"]
PY

  export OCAML_RUNTIME_EVENTS_DIR=$work
  # begin ROLE: start it; it is at its work when this returns.
  begin() {
    OCAML_RUNTIME_EVENTS_START=1 ./eio_truth "$1" >truth &
    pid=$!
    within 60 grep -q ready truth || fail "$1: not ready"
  }
  begin quiet
  run 0 timeout 300 "$RTEVTOP" stats --json --duration 0.2 $pid
  python3 - "$work/out" <<'PY' || fail "quiet, $had: $(cut -c1-3000 "$work/out")"
import json, sys
f = json.load(open(sys.argv[1]))["fibers"]
assert f["alive"] == 18 and f["errors"] == 0 and f["late"] == 0, f
blocked = {(g["path"], g["op"]): g["count"] for g in f["blocked"]}
assert blocked == {("api/handler", "Promise.await"): 7, ("api/joiner", "Promise.await"): 3, ("api/listener", "Condition.await"): 2,
    ("api/user", "Pool.acquire"): 2, ("api/user", "sleep"): 2, ("api/slow job", "sleep"): 1, ("api", "sleep"): 1}, blocked
PY
  run 0 timeout 300 "$RTEVTOP" metrics -o - -n 1 -d 0.2
  grep -q "^ocaml_fibers{pid=\"$pid\",.*state=\"blocked\"} 18$" "$work/out" || fail "metrics: $(grep ocaml_fibers "$work/out")"
  stop $pid || true

  begin tree
  run 0 timeout 300 "$RTEVTOP" stats --json --duration 0.2 $pid
  python3 - "$work/out" truth <<'PY' || fail "tree, $had: $(cut -c1-3000 "$work/out")"
import collections, json, sys
f = json.load(open(sys.argv[1]))["fibers"]
truth = collections.Counter(json.loads(open(sys.argv[2]).read().split("\n")[1]))
# In the root itself sleep the main fiber and the time-out's.
sleeping = {g["path"]: g["count"] for g in f["blocked"] if g["op"] == "sleep" and g["path"] != "root"}
assert len(truth) == 9 and sleeping == truth, (truth, sleeping)
assert f["alive"] == sum(truth.values()) + 3 and f["errors"] == f["late"] == 0, f
PY
  stop $pid || true

  # Among others' work a fiber that yields may be late as well, the one that computes always is.
  begin hog
  reported() {
    timeout 300 "$RTEVTOP" stats --json --duration "$1" $pid >out 2>err && python3 - out <<'PY' 2>why
import json, sys
f = json.load(open(sys.argv[1]))["fibers"]
assert f["alive"] == 2 and f["errors"] == 0, f
long = [r for r in f["longest_runs"] if r["path"] == "server/report"]
assert long and all(r["duration_s"] >= 0.1 for r in long), f["longest_runs"]
group = {g["path"]: g for g in f["groups"]}
assert group["server/report"]["run_max_s"] == max(r["duration_s"] for r in long) and group["server/yielder"]["runs"] > 0, group
assert f["late"] >= len(long), (f["late"], long)
PY
  }
  reported 2 || reported 10 || fail "hog, $had: $(cat why err)"
  stop $pid || true
  unset OCAML_RUNTIME_EVENTS_DIR
done
