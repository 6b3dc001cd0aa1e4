#!/usr/bin/env bash
# The names that scripts rely on: keys of all JSON, in their order, header words of -b, and names, types and labels of metrics.
. "$(dirname "$0")/../support/lib.sh"
need python3

OCAML_RUNTIME_EVENTS_DIR=$work start_demo --domains 2 --rate 20000 --seconds 3000
target=$work:$demo

run 0 "$RTEVTOP" stats --json --duration 2.5 "$target"
mv "$work/out" "$work/stats.json"
run 0 "$RTEVTOP" list --json
grep -F "\"pid\":${target##*:}," "$work/out" >"$work/list.json" || fail "the demo is not in the list"
for words in "" --by-domain; do
  # shellcheck disable=SC2086
  run 0 "$RTEVTOP" -b --json $words -n 1 -d 0.3 "$target"
  mv "$work/out" "$work/batch$words.json"
done
run 0 "$RTEVTOP" -b -n 1 -d 0.3 "$target"
mv "$work/out" "$work/batch.txt"
run 0 "$RTEVTOP" diff --json "$work/stats.json" "$work/stats.json"
mv "$work/out" "$work/diff.json"
run 0 "$RTEVTOP" metrics -o "$work/plain.prom" -n 2 -d 1.2 "$target"
run 0 "$RTEVTOP" metrics -o "$work/full.prom" -n 2 -d 1.2 --by-domain --user-events --label rack=1 "$target"
kill "$demo"

python3 - "$work" <<'PY' || exit 1
import json, re, sys

work = sys.argv[1]
wrong = []


def load(name):
    with open(f"{work}/{name}") as file:
        return [json.loads(line) for line in file if line.strip()]


def keys(what, have, want):
    want = want.split()
    if list(have) != want:
        wrong.append("%s: %s, expected %s" % (what, list(have), want))


# stats --json
[report] = load("stats.json")
keys("stats", report, "pid ocaml ocaml_from duration_s events lost_words history_lost_words dropped open domains pauses worst "
     "ignored system settings findings findings_left_out restarts findings_summary runtime fibers code verdict headline "
     "heap_growth_bytes_per_min gc_no_processor_most_s levels locks")
keys("levels", report["levels"], "heap live")
for level in filter(None, report["levels"].values()):
    keys("a level", level, "bytes age_s from")
keys("locks", report["locks"], "why looks window_s threads locks")
for domain in report["domains"]:
    keys("domain", domain, "domain gc_s gc_share phases counters user wait_s")
    for phase in domain["phases"].values():
        keys("phase", phase, "count total_s self_s max_s")
    for counter in domain["counters"].values():
        keys("counter", counter, "count sum last min max")
    for user in domain["user"].values():
        more = {"span": " total_s p50_s p99_s max_s open histogram", "int": " last min max"}.get(user["kind"], "")
        keys("user " + user["kind"], user, "kind count" + more)
kinds = {user["kind"] for domain in report["domains"] for user in domain["user"].values()}
if kinds != {"span", "int", "unit", "custom"}:
    wrong.append("the demo sends %s" % kinds)
keys("pauses", report["pauses"], "count mean_s p50_s p90_s p99_s p99_9_s max_s histogram")
for worst in report["worst"]:
    keys("worst", worst, "ts domain phase duration_s phases no_processor_most_s")
keys("system", report["system"], "cpu_user_s cpu_system_s run_delay_s switches_voluntary switches_forced faults_minor faults_major "
     "resident_bytes swap_bytes cores throttled_s memory_limit_bytes mappings mappings_limit")
keys("settings", report["settings"], "s o d e Xsmall_heap_limit Xmark_stack_prune_factor Xcache_stacks_per_class")
for setting in report["settings"].values():
    keys("setting", setting, "value from")
for finding in report["findings"]:
    keys("finding", finding, "name severity subject since_s window_s confidence cost gain_share evidence remedy text")
    keys("cost", finding["cost"], "share seconds bytes")
    keys("remedy", finding["remedy"], "setting text")
    for figure in finding["evidence"]:
        keys("evidence", figure, "name value unit")
for left in report["findings_left_out"]:
    keys("left out", left, "name why")

fibers = report["fibers"]
keys("fibers", fibers, "scheduler created finished alive errors domains longest_runs blocked groups errors_last cancelled timeouts late late_total_s")
for name, wanted in (("domains", "domain turns busy_share turn_p50_s turn_p99_s turn_max_s laps paused jobs"),
                     ("longest_runs", "fiber path span domain ts duration_s gc_s lock_wait_s"),
                     ("blocked", "path op object name count longest_s object_id chain"),
                     ("groups", "path created finished runs run_total_s run_max_s blocked_total_s"),
                     ("errors_last", "ts context path text")):
    for row in fibers[name]:
        keys(name, row, wanted)

# list --json
[process] = load("list.json")
keys("list", process, "pid name user ocaml ocaml_from state domains ring_words path ppid command start_s remedy events")
if not (process.get("ppid", 0) > 0 and "demo" in process["command"] and process["start_s"] > 1e9 and process["remedy"] is None):
    wrong.append("list: %s" % process)

# -b --json, and the header of -b
LINE = ("report time interval_s pid name state ocaml ocaml_from domains cpu gc_share minor_per_s major_per_s pause_p50_s pause_p99_s "
        "pause_max_s alloc_bytes_per_s promoted_bytes_per_s heap_bytes resident_bytes events_per_s lost_words "
        "events fibers loop_p99_s verdict headline heap_age_s")
for line in load("batch.json"):
    keys("-b", line, LINE)
lines = load("batch--by-domain.json")
if len(lines) < 2:
    wrong.append("-b --by-domain: %d lines" % len(lines))
for line in lines:
    if set(line) != set(LINE.split()) | {"domain"}:
        wrong.append("-b --by-domain: %s" % list(line))
    if line["domain"] is not None and (line["cpu"] is not None or line["resident_bytes"] is not None):
        wrong.append("-b --by-domain: figures of the process: %s" % line)
with open(f"{work}/batch.txt") as file:
    header, *rows = (line.split() for line in file)
if any(len(row) != len(header) for row in rows) or len(header) != len(LINE.split()) or not rows:
    wrong.append("-b: %s, %s" % (header, rows))

# diff --json
[diff] = load("diff.json")
keys("diff", diff, "a b judged figures")

# metrics
FAMILIES = {name: (kind, set(labels.split())) for kind, name, labels in (
    ("gauge", "ocaml_runtime_info", "version from s o d e"),
    ("gauge", "ocaml_events_paused", ""),
    ("gauge", "ocaml_events_off", ""),
    ("gauge", "ocaml_start_time_seconds", ""),
    ("counter", "ocaml_observed_seconds_total", ""),
    ("gauge", "ocaml_domains", ""),
    ("counter", "ocaml_gc_seconds_total", "family domain"),
    ("counter", "ocaml_gc_minor_collections_total", ""),
    ("counter", "ocaml_gc_major_cycles_total", ""),
    ("histogram", "ocaml_gc_pause_seconds", "le"),
    ("counter", "ocaml_minor_allocated_bytes_total", "domain"),
    ("counter", "ocaml_promoted_bytes_total", "domain"),
    ("gauge", "ocaml_heap_bytes", ""),
    ("gauge", "ocaml_heap_growth_bytes_per_minute", ""),
    ("gauge", "ocaml_heap_age_seconds", ""),
    ("gauge", "ocaml_resident_memory_bytes", ""),
    ("counter", "ocaml_cpu_seconds_total", "mode"),
    ("counter", "ocaml_cpu_throttled_seconds_total", ""),
    ("counter", "ocaml_events_total", "domain"),
    ("counter", "ocaml_ring_lost_bytes_total", "domain"),
    ("counter", "ocaml_spans_dropped_total", "domain"),
    ("gauge", "ocaml_finding", "finding severity subject"),
    ("gauge", "ocaml_finding_cost_ratio", "finding subject"),
    ("gauge", "ocaml_verdict", ""),
    ("gauge", "ocaml_fibers", "state"),
    ("counter", "ocaml_fibers_created_total", ""),
    ("counter", "ocaml_fiber_errors_total", ""),
    ("histogram", "ocaml_loop_turn_seconds", "le"),
    ("counter", "ocaml_loop_busy_seconds_total", "domain"),
    ("counter", "ocaml_fibers_cancelled_total", ""),
    ("counter", "ocaml_loop_late_seconds_total", ""),
    ("gauge", "ocaml_lock_waiters", "kind"),
    ("gauge", "ocaml_deadlock", ""),
    ("counter", "ocaml_user_events_total", "event kind"),
    ("gauge", "ocaml_user_value", "event"),
    ("histogram", "ocaml_user_span_seconds", "event le"),
    ("gauge", "ocaml_user_names_ignored", ""),
    ("gauge", "rtevtop_build_info", "version"),
    ("gauge", "rtevtop_targets", ""),
)}
# What may be missing: what the kernel, the program or its state does not tell.
MAY_LACK = {"ocaml_fibers", "ocaml_finding", "ocaml_verdict", "ocaml_finding_cost_ratio", "ocaml_cpu_throttled_seconds_total", "ocaml_heap_bytes",
            "ocaml_heap_growth_bytes_per_minute", "ocaml_heap_age_seconds", "ocaml_lock_waiters", "ocaml_deadlock"}
USERS = {name for name in FAMILIES if name.startswith("ocaml_user_")}
for name, full in (("plain", False), ("full", True)):
    types, seen = {}, {}
    with open(f"{work}/{name}.prom") as file:
        for line in file:
            if line.startswith("# TYPE "):
                types[line.split()[2]] = line.split()[3]
            elif not line.startswith("#"):
                metric = re.match(r"[a-z_]+", line)[0]
                base = metric if metric in types else re.sub("_(bucket|sum|count)$", "", metric)
                labels = set(re.findall(r'([a-z_]+)="', line)) - {"pid", "program"}
                seen.setdefault(base, set()).update(labels)
    for base in FAMILIES:
        if base in USERS and not full:
            if base in seen:
                wrong.append("metrics: %s without --user-events" % base)
        elif base not in seen and base not in MAY_LACK:
            wrong.append("metrics: no %s" % base)
    for base, labels in seen.items():
        if base not in FAMILIES:
            wrong.append("metrics: %s is not in the contract" % base)
            continue
        kind, known = FAMILIES[base]
        own = {"rack"} if full and base.startswith("ocaml_") else set()
        want = (known if full else known - {"domain"}) | own
        if types[base] != kind or labels != want:
            wrong.append("metrics: %s %s %s, expected %s %s" % (base, types[base], labels, kind, want))
bounds = []
with open(f"{work}/plain.prom") as file:
    for line in file:
        if line.startswith("ocaml_gc_pause_seconds_bucket"):
            bounds.append(re.search('le="([^"]*)"', line)[1])
if [float(b) for b in bounds] != [m * 10**e for e in range(-5, 1) for m in (1, 2.5, 5)] + [10, float("inf")]:
    if [round(float(b), 9) for b in bounds[:-1]] != [round(m * 10.0**e, 9) for e in range(-5, 1) for m in (1, 2.5, 5)] + [10]:
        wrong.append("metrics: buckets %s" % bounds)

for line in wrong:
    print(line)
sys.exit(bool(wrong))
PY
exit 0
