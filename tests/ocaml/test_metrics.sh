#!/usr/bin/env bash
# test_metrics.sh OCAML SHARE: what OCaml's Gc counts, what the events say, what stats says, and what Prometheus answers that has scraped
# our file through its node exporter: all the same.  SHARE has the alerts and the dashboard.
. "$(dirname "$0")/lib.sh"
need python3 curl prometheus prometheus-node-exporter promtool
with_ocaml "$1"
share=$2
program=$(build "$prefix" fixed native) || exit 1
cd "$work" || exit 1
mkdir rings collected store

cp "$share/prometheus/rtevtop.rules.yml" "$RTEV_TEST_DATA/prometheus_rules.yml" .
promtool check rules rtevtop.rules.yml >lint 2>&1 || fail "rules: $(cat lint)"
promtool test rules prometheus_rules.yml >lint 2>&1 || fail "rules: $(cat lint)"

mkfifo line
OCAML_RUNTIME_EVENTS_DIR=$work/rings "$program" <line >said &
pid=$!
exec 3>line
within 100 grep -q ready said || fail "the program does not start"
"$RTEVTOP" log -f --json "$pid" >log &
log=$!
"$RTEVTOP" stats --json "$pid" >stats &
stats=$!
"$RTEVTOP" metrics -o collected/ocaml.prom -d 0.5 --user-events "$pid" &
within 100 test -s collected/ocaml.prom || fail "no metrics"
attached() { [ "$(ls -l "/proc/$1/map_files" 2>/dev/null | grep -c "$pid.events")" -gt 0 ] || grep -q "$pid.events" "/proc/$1/maps"; }
within 100 attached $log || fail "log does not attach"
within 100 attached $stats || fail "stats does not attach"
echo >&3
within 100 grep -q '^[0-9]* [0-9]* [0-9]*$' said || fail "the program does not work"
read -r minors majors promoted <<<"$(tail -n 1 said)"

# Between the two events of the program: the same as Gc counted.
marks() { [ "$(grep -c '"name":"mark"' log)" = 2 ]; }
within 100 marks || fail "the marks are not in the log"
cat >between.py <<'PY'
import json, sys
lines = [json.loads(line) for line in open("log")]
first, last = (i for i, line in enumerate(lines) if line.get("name") == "mark")
part = lines[first:last]
minors = sum(line["type"] == "end" and line["phase"] == "minor" for line in part)
majors = sum(line["type"] == "end" and line["phase"] == "major_gc_cycle_domains" for line in part)
promoted = sum(line["value"] for line in part if line["type"] == "counter" and line["name"] == "minor_promoted") // 8
print(minors, majors, promoted)
PY
[ "$(python3 between.py)" = "$minors $majors $promoted" ] || fail "events say $(python3 between.py), Gc says $minors $majors $promoted"

# Prometheus, through the node exporter, on loopback: at ports that no connection is given by itself.
read -r exporter server <<<"$(python3 -c '
import random, socket
sockets = []
while len(sockets) < 2:
    s = socket.socket()
    try:
        s.bind(("127.0.0.1", random.randrange(10000, 30000)))
        sockets.append(s)
    except OSError:
        pass
print(*(s.getsockname()[1] for s in sockets))')"
prometheus-node-exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory="$work/collected" \
  --web.listen-address="127.0.0.1:$exporter" >exporter.log 2>&1 &
cat >prometheus.yml <<END
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rtevtop.rules.yml]
scrape_configs: [{job_name: node, static_configs: [{targets: ["127.0.0.1:$exporter"]}]}]
END
prometheus --config.file=prometheus.yml --storage.tsdb.path=store --web.listen-address="127.0.0.1:$server" >prometheus.log 2>&1 &
ask() { curl -fsG "http://127.0.0.1:$server/api/v1/query" --data-urlencode "query=$1"; }
value() { ask "$1" | python3 -c 'import json, sys; print(*(r["value"][1] for r in json.load(sys.stdin)["data"]["result"]))'; }
there() { [ -n "$(value "ocaml_gc_minor_collections_total{pid=\"$pid\"}" 2>/dev/null)" ]; }
within 200 there || fail "Prometheus does not have it: $(tail -n 5 prometheus.log exporter.log)"
# The program is idle now: once what is scraped was written after its end, nothing changes any more.
settled() { [ "$(value "ocaml_user_events_total{event=\"mark\"}")" = 2 ]; }
within 200 settled || fail "the last events are not scraped"

kill $stats
wait $stats || fail "stats: status $?"
cat >same.py <<'PY'
import json, sys, urllib.parse, urllib.request
server, pid = sys.argv[1:]
def ask(query):
    url = f"http://127.0.0.1:{server}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    return [float(r["value"][1]) for r in json.load(urllib.request.urlopen(url))["data"]["result"]]
report = json.load(open("stats"))
[d] = report["domains"]
of = f'{{pid="{pid}"}}'
expected = {
    f"ocaml_gc_minor_collections_total{of}": d["phases"]["minor"]["count"],
    f"ocaml_gc_major_cycles_total{of}": d["phases"]["major_gc_cycle_domains"]["count"],
    f"ocaml_minor_allocated_bytes_total{of}": d["counters"]["minor_allocated"]["sum"],
    f"ocaml_promoted_bytes_total{of}": d["counters"]["minor_promoted"]["sum"],
    f"ocaml_gc_pause_seconds_count{of}": report["pauses"]["count"],
    f"sum(ocaml_gc_seconds_total{of})": d["gc_s"],
    f"ocaml_gc_pause_seconds_sum{of}": d["gc_s"],
    f"ocaml_events_total{of}": report["events"],
    f"ocaml_ring_lost_bytes_total{of}": 8 * report["lost_words"],
}
bad = {q: (ask(q), v) for q, v in expected.items() if len(ask(q)) != 1 or abs(ask(q)[0] - v) > 1e-6 * max(1, v)}
assert not bad, bad
PY
python3 same.py "$server" "$pid" 2>same.err || fail "stats and Prometheus differ: $(tail -n 1 same.err)"

# Each expression of the dashboard is one that this Prometheus takes, and has an answer but for what the program has not got.
cat >dashboard.py <<'PY'
import json, sys, urllib.parse, urllib.request
server, path = sys.argv[1:]
count = 0
for panel in json.load(open(path))["panels"]:
    for target in panel["targets"]:
        query = target["expr"].replace("$instance", ".*").replace("$program", ".*").replace("$__rate_interval", "1m")
        assert "$" not in query, query
        url = f"http://127.0.0.1:{server}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        answer = json.load(urllib.request.urlopen(url))
        assert answer["status"] == "success", (query, answer)
        if not any(name in query for name in ("finding", "user_span", "throttled", "pause", "fibers", "loop")):
            assert answer["data"]["result"], query
        count += 1
assert count >= 15, count
PY
rates() { [ -n "$(value "rate(ocaml_observed_seconds_total{pid=\"$pid\"}[1m]) > 0")" ]; }
within 200 rates || fail "two scrapes make no rate"
python3 dashboard.py "$server" "$share/grafana/rtevtop.json" 2>same.err || fail "dashboard: $(tail -n 1 same.err)"

# A small ring that a program which mostly collects overruns again and again: no counter falls, and no step has more GC than observed
# time.
churn=$(build "$prefix" churn native) || exit 1
OCAMLRUNPARAM=e=10 OCAML_RUNTIME_EVENTS_START=1 target "$churn" 1000000000000
"$RTEVTOP" metrics -o lossy.prom -d 0.1 --dir "$work" "$pid" &
metrics=$!
within 100 test -s lossy.prom || fail "no metrics of a lossy program"
cat >steps.py <<'PY'
import os, signal, sys, time
pid, types, before, versions = int(sys.argv[1]), {}, {}, 0
def grown(name, now):
    return sum(value - before.get(key, 0) for key, value in now.items() if key.startswith(name + "{"))
while versions < 50 or grown("ocaml_ring_lost_bytes_total", dict.fromkeys(before, 0)) == 0:
    if versions % 5 == 4:
        os.kill(pid, signal.SIGSTOP)
        time.sleep(0.2)
        os.kill(pid, signal.SIGCONT)
    now = {}
    for line in open("lossy.prom"):
        if line.startswith("# TYPE "):
            _, _, name, types[name] = line.split()
        elif not line.startswith("#"):
            key, value = line.rsplit(" ", 1)
            now[key] = float(value)
    if now == before:
        time.sleep(0.02)
        continue
    for key, value in now.items():
        assert types.get(key.split("{")[0]) == "gauge" or value >= before.get(key, 0), (key, before.get(key), value)
    gc, observed = grown("ocaml_gc_seconds_total", now), grown("ocaml_observed_seconds_total", now)
    assert gc <= observed + 1e-6, (versions, gc, observed)
    before, versions = now, versions + 1
PY
python3 steps.py $metrics 2>steps.err || fail "a lossy program: $(tail -n 1 steps.err)"
stop $metrics
stop "$pid"
exit 0
