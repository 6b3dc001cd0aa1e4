#!/usr/bin/env bash
# The demo: it says where its ring is, list knows it for what it emits, it obeys the runtime's variables, and leaves nothing behind.
. "$(dirname "$0")/../support/lib.sh"
need python3 timeout

start() {
  TMPDIR=$work "$@" >"$work/line" 2>"$work/demo.err" &
  demo=$!
  within 10 test -s "$work/line" || fail "no line: $(cat "$work/demo.err")"
  read -r pid path <"$work/line"
  [ "$pid" = $demo ] || fail "pid $pid is not $demo"
  [ -f "$path" ] || fail "there is no $path"
}

start "$RTEVTOP" demo --domains 3 --rate 30000 --seed 7 --pause
run 0 "$RTEVTOP" list --json
grep "\"pid\":$pid," "$work/out" | grep -q '"ocaml":"5.3","ocaml_from":"stream"' || fail "list: $(grep "\"pid\":$pid," "$work/out")"
run 0 timeout 300 "$RTEVTOP" stats --json --duration 3 "$pid"
python3 - "$work/out" <<'PY' || fail "stats of the demo"
import json, sys
x = json.load(open(sys.argv[1]))
users = {n: u["kind"] for d in x["domains"] for n, u in d["user"].items()}
phases = {p for d in x["domains"] for p in d["phases"]}
assert x["events"] > 20000 and len(x["domains"]) >= 3, (x["events"], len(x["domains"]))
eio = {n: users.pop(n) for n in list(users) if n.startswith("eio.")}
assert {"eio.create_fiber", "eio.fiber", "eio.suspend_fiber", "eio.exit_fiber", "eio.suspend_domain"} <= set(eio), eio
f = x["fibers"]
assert f["scheduler"] == "eio" and f["created"] > 100 and f["errors"] == 0, f
assert all(d["turns"] > 10 and 0 < d["busy_share"] < 1 for d in f["domains"]), f["domains"]
assert users == {"http.request": "span", "db.query": "span", "queue.depth": "int", "cache.evict": "unit", "log.line": "custom"}, users
assert {"minor", "major_slice", "major_mark", "major_sweep", "stw_leader", "stw_handler", "stw_api_barrier"} <= phases, phases
for d in x["domains"]:
    c = d["counters"]
    assert c["minor_promoted"]["sum"] <= c["minor_allocated"]["sum"], c
    assert 0 <= d["gc_share"] <= 1, d["gc_share"]
PY
kill "$demo"
wait "$demo"
[ ! -e "$path" ] || fail "the ring was left behind"
[ -z "$(find "$work" -name '*.events')" ] || fail "something was left behind"

# The same seed makes the same events but for their stamps.
for n in 1 2; do
  run 0 timeout 300 env TMPDIR="$work" "$RTEVTOP" log --json -- "$RTEVTOP" demo --domains 1 --rate 5000 --seed 3 --seconds 1
  python3 - "$work/out" >"$work/events.$n" <<'PY'
import json, sys
for line in list(open(sys.argv[1]))[:1500]:
    e = json.loads(line)
    if e["domain"] == 0 and e["type"] in ("begin", "end", "user"):
        e.pop("ts")
        print(e)
PY
done
head -n 300 "$work/events.1" | cmp - <(head -n 300 "$work/events.2") || fail "the same seed makes other events"

# As COMMAND it records where it is told to, from its first event on.
run 0 timeout 300 env TMPDIR="$work" "$RTEVTOP" stats --json -- "$RTEVTOP" demo --seconds 1
grep -q '"ocaml":"5.3","ocaml_from":"stream"' "$work/out" || fail "as COMMAND: $(head -c 200 "$work/out")"
grep -q '"lost_words":0,"history_lost_words":0' "$work/out" || fail "as COMMAND: losses"
mkdir "$work/kept"
run 0 timeout 300 env OCAML_RUNTIME_EVENTS_DIR="$work/kept" OCAML_RUNTIME_EVENTS_PRESERVE=1 "$RTEVTOP" demo --seconds 0.5
run 0 "$RTEVTOP" stats "$work/kept/"*.events
exit 0
