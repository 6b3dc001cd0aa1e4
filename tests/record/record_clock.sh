#!/usr/bin/env bash
# Recordings on a machine that has slept, by a time namespace whose boot is long past: the times are since boot, also where the
# events' own clock lacks the sleep.  Usage: record_clock.sh DUMP
. "$(dirname "$0")/../support/lib.sh"
need python3 unshare
dump=$1
slept=1000000
unshare -r -T --boottime $slept true 2>/dev/null || skip "no time namespaces"

run 0 unshare -r -T --boottime $slept "$RTEVTOP" record -o "$work/a.fxt" -- "$RTEVTOP" demo --seconds 1
run 0 unshare -r -T --boottime $slept "$RTEVTOP" record --format json -o "$work/a.json" -- "$RTEVTOP" demo --seconds 1
"$dump" "$work/a.fxt" >"$work/dump.jsonl" || fail "not a trace that Perfetto takes whole"
python3 - "$work" $slept <<'PY' || exit 1
import json, sys, time
work, slept = sys.argv[1], int(sys.argv[2]) * 10**9
boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + slept  # in the namespace
wall = time.time_ns()
minute = 60 * 10**9

lines = [json.loads(l) for l in open(work + "/dump.jsonl")]
(ticks,) = [l for l in lines if l["kind"] == "ticks"]
stamps = [l["ts"] for l in lines if l["kind"] == "slice"]
assert stamps and all(boot - minute < s < boot for s in stamps), (boot, min(stamps), max(stamps))
assert abs((ticks["time"] - ticks["ticks"]) - (wall - boot)) < 10**9, "the ticks stand for another wall-clock time"

trace = json.load(open(work + "/a.json"))
origin = int(trace["otherData"]["origin_monotonic_ns"])
assert abs(int(trace["otherData"]["base_boottime_ns"]) - int(trace["otherData"]["base_monotonic_ns"]) - slept
           - time.clock_gettime_ns(time.CLOCK_BOOTTIME) + time.monotonic_ns()) < 10**9
named = {e["tid"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
for e in trace["traceEvents"]:
    assert e["tid"] in named, "thread %d has no name" % e["tid"]
    if e["ph"] == "X":
        assert boot - minute < e["ts"] * 1000 < boot, e
        assert time.monotonic_ns() - minute < e["ts"] * 1000 + origin < time.monotonic_ns(), e
PY
exit 0
