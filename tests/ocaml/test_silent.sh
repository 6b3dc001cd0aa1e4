#!/usr/bin/env bash
# test_silent.sh RELEASE: a program that records no events, on all faces: what its memory tells, the same on each; then events
# begin, end, and begin again, and an exec.
. "$(dirname "$0")/lib.sh"
with_ocaml "$1"
program=$(build "$prefix" silent native) || exit 1

mkfifo "$work/orders" "$work/answers"
(cd "$work" && exec "$program" "$program" <"$work/orders" >"$work/answers") &
pid=$!
exec 8>"$work/orders" 7<"$work/answers"
# order WORD ANSWER: have the program do something, and wait until it has.
order() {
  echo "$1" >&8
  read -r -t 60 answer <&7 && [[ $answer == $2* ]] || fail "no answer to $1: ${answer:-}"
}
read -r -t 60 answer <&7 || fail "it did not begin"

# ---- the list
run 0 "$RTEVTOP" list --json
python3 - "$work/out" "$pid" "$version" <<'PY' || fail "the list"
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1])]
x = next(l for l in lines if l["pid"] == int(sys.argv[2]))
assert list(x)[-1] == "events" and x["events"] == "off" and x["state"] == "no events", x
assert x["domains"] == 3 and x["ring_words"] is None and x["ocaml"] == sys.argv[3], x
PY

# ---- plain reports, of all and of each domain
run 0 "$RTEVTOP" -b --json -n 3 -d 2 "$pid"
cp "$work/out" "$work/batch"
run 0 "$RTEVTOP" -b --json --by-domain -n 2 "$pid"
python3 - "$work/batch" "$work/out" <<'PY' || fail "plain reports"
import json, sys
whole, each = ([json.loads(l) for l in open(f)] for f in sys.argv[1:])
for x in whole:
    assert x["events"] == "off" and x["state"] == "no events" and x["domains"] == 3, x
    for name in ("minor_per_s", "alloc_bytes_per_s", "promoted_bytes_per_s", "heap_bytes"):
        assert x[name] is not None and x[name] > 0, (name, x)
    assert 0 < x["promoted_bytes_per_s"] <= x["alloc_bytes_per_s"], x
    for name in ("gc_share", "pause_p50_s", "pause_p99_s", "pause_max_s", "events_per_s", "lost_words"):
        assert x[name] is None, (name, x)
# On a busy machine the program may end no cycle between two reports.
assert all(x["major_per_s"] >= 0 for x in whole) and any(x["major_per_s"] > 0 for x in whole), whole
last = [x for x in each if x["report"] == 2]
assert [x["domain"] for x in last] == [0, 1, 2], last
assert last[1]["alloc_bytes_per_s"] > 1e6 and last[2]["alloc_bytes_per_s"] > 1e6, last
assert len({x["minor_per_s"] for x in last}) == 1, last
PY
run 0 "$RTEVTOP" -b -n 1 "$pid"
grep -q ' no_events ' "$work/out" || fail "no state in the text"

# ---- what needs a ring says so, as ever
for command in "log $pid" "record -o $work/x.fxt $pid" "diff $pid $pid"; do
  # shellcheck disable=SC2086
  run 1 "$RTEVTOP" $command
done
run 1 "$RTEVTOP" log "$pid"
says "has no ring"
says "OCAML_RUNTIME_EVENTS_START=1"

# ---- a report: nothing that needs events, and what memory says
run 0 "$RTEVTOP" stats --json --duration 3 "$pid"
says "records no events"
cp "$work/out" "$work/report"
run 0 "$RTEVTOP" diff --json "$work/report" "$work/report"
! grep -E '"change":[^0n]' "$work/out" || fail "a report differs from itself"
cp "$work/report" "$work/out"
json 'x["events"] == 0 and x["pauses"] is None and x["worst"] is None and x["duration_s"] > 2.5' "$work/out" || fail "stats: what needs events"
json 'len(x["domains"]) == 3 and all(d["gc_s"] is None and d["phases"] is None for d in x["domains"])' "$work/out" || fail "stats: domains"
json 'x["system"]["cores"] > 0 and x["settings"]["s"]["value"] == 262144 and x["settings"]["d"] == {"value": 128, "from": "memory"}' "$work/out" || fail "stats: system, settings"
json 'x["runtime"]["minor_collections"] > 0 and len(x["runtime"]["domains"]) == 3' "$work/out" || fail "stats: runtime"
# That it had no processor is the kernel's word.
json 'all("by counters" in f["text"] or f["name"] == "starved" for f in x["findings"])' "$work/out" || fail "stats: a finding does not say what it rests on"
run 0 "$RTEVTOP" stats --duration 1 "$pid"
grep -q '^  minor collections  *[0-9]' "$work/out" || fail "stats: no collections in the text"

# ---- a program whose symbols were stripped: what is not known is not told, and why
stripped=$(build "$prefix" silent stripped) || exit 1
mkfifo "$work/none"
(cd "$work" && exec "$stripped" "$stripped" <"$work/none" >"$work/stripped.out") &
other=$!
exec 9>"$work/none"
within 60 grep -q ready "$work/stripped.out" || fail "it did not begin"
run 0 "$RTEVTOP" stats --json --duration 1 "$other"
if [ "$1" -lt 51 ]; then
  says "its program has no symbols that tell where its domains are"
  domains="x['domains'] == []" rates="x['alloc_bytes_per_s'] is None and x['minor_per_s'] is None"
else # its code tells
  domains="len(x['runtime']['domains']) == 3" rates="x['alloc_bytes_per_s'] is not None and x['minor_per_s'] is not None"
fi
json "x['events'] == 0 and $domains and x['pauses'] is None and x['system']['cores'] > 0" "$work/out" ||
  fail "stats of a stripped program: $(cat "$work/out")"
run 0 "$RTEVTOP" -b --json -n 2 "$other"
json "x['events'] == 'off' and $rates and x['resident_bytes'] > 0" <(tail -n 1 "$work/out") ||
  fail "plain reports of a stripped program"
exec 9>&-
wait "$other"

# ---- another user's process: what to do about it
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
  install -m 755 "$RTEVTOP" "$work/rtevtop"
  chmod 711 "$work"
  run 1 setpriv --reuid=65534 --regid=65534 --clear-groups "$work/rtevtop" stats --json --duration 1 "$pid"
  says "cannot look into process $pid"
  says "run rtevtop as root"
fi

# ---- events begin, end and begin again: states follow, and counters neither fall nor jump, and end as the program's own
(exec "$RTEVTOP" -b --json -d 0.5 "$pid" >"$work/states") &
batch=$!
(exec "$RTEVTOP" metrics -o "$work/now.prom" -d 0.5 -n 100000 "$pid") 2>"$work/metrics.err" &
metrics=$!
within 60 test -s "$work/now.prom" || fail "metrics wrote nothing"
: >"$work/samples"
python3 - "$work/now.prom" "$work/samples" <<'PY' &
# Every file that metrics writes: the sum of each counter in it.
import os, sys, time
seen, out = None, open(sys.argv[2], "w")
while not os.path.exists(sys.argv[2] + ".end"):
    try:
        now = os.stat(sys.argv[1]).st_ino
        text = open(sys.argv[1]).read()
    except FileNotFoundError:
        break
    if now != seen:
        seen = now
        values = {l.split("{")[0]: float(l.split()[-1]) for l in text.splitlines() if l.startswith("ocaml_") and "_bucket" not in l}
        print(values, file=out, flush=True)
    time.sleep(0.05)
PY
sampler=$!
state() { tail -n 1 "$work/states" | grep -q "\"state\":\"$1\".*\"alloc_bytes_per_s\":[0-9]"; }
files() { [ "$(wc -l <"$work/samples")" -ge "$1" ]; }
more() { within 60 files $(($(wc -l <"$work/samples") + $1)) || fail "metrics wrote no more"; }
within 60 state "no events" || fail "no figures without events"
more 2
order counts counts
read -r _ minors0 majors0 _ <<<"$answer"
first=$(wc -l <"$work/samples")
more 3
order start started
within 60 state live || fail "events were not gone over to"
more 3
order pause paused
within 60 state paused || fail "no figures while events are paused"
more 3
order resume resumed
within 60 state live || fail "events were not gone back to"
more 3
order counts counts
read -r _ minors1 majors1 _ <<<"$answer"
more 2
last=$(wc -l <"$work/samples")
kill "$batch" "$metrics"
touch "$work/samples.end"
wait "$batch" "$metrics" "$sampler" 2>/dev/null
# 5.0 counts a collection once for each of the three domains.
[ "$1" = 50 ] && each=3 || each=1
python3 - "$work/samples" "$first" "$last" $(((minors1 - minors0) / each)) $((majors1 - majors0)) "$work/states" <<'PY' || fail "counters over the changes"
import ast, json, sys
rows = [ast.literal_eval(l) for l in open(sys.argv[1])]
first, last, minors, majors = map(int, sys.argv[2:6])
for name in ("ocaml_gc_minor_collections_total", "ocaml_gc_major_cycles_total", "ocaml_minor_allocated_bytes_total", "ocaml_promoted_bytes_total"):
    values = [r[name] for r in rows]
    steps = [b - a for a, b in zip(values, values[1:])]
    assert min(steps) >= 0, (name, "falls", steps)
    # How much the program does in a step a busy machine decides; how much in a collection its three minor heaps of 2 MiB.
    if "bytes" in name:
        for step, a, b in zip(steps, rows, rows[1:]):
            collections = b["ocaml_gc_minor_collections_total"] - a["ocaml_gc_minor_collections_total"]
            assert step <= 3 * (2 << 20) * (collections + 2), (name, "jumps", steps, collections)
# What the program counted itself between two moments lies between the files around them.
for name, own in (("ocaml_gc_minor_collections_total", minors), ("ocaml_gc_major_cycles_total", majors)):
    values = [r[name] for r in rows]
    least, most = values[last - 3] - values[first], values[last - 1] - values[first - 1]
    print(name, own, least, most, [round(b - a) for a, b in zip(values, values[1:])], first, last, [r["ocaml_events_off"] + 2 * r["ocaml_events_paused"] for r in rows])
    assert 0.97 * least - 5 <= own <= 1.03 * most + 5, (name, own, least, most)
offs = [r["ocaml_events_off"] for r in rows]
assert offs[0] == 1 and offs[-1] == 0 and "ocaml_events_total" not in rows[0] and rows[-1]["ocaml_events_total"] > 0, offs
states = [json.loads(l) for l in open(sys.argv[6])]
assert [s["events"] for s in states][0] == "off" and {"on", "paused", "off"} <= {s["events"] for s in states}, states
PY

# ---- another program without events follows: the ring has gone with the one before
order exec ready
: >"$work/states"
(exec "$RTEVTOP" -b --json -d 0.5 -n 40 "$pid" >"$work/states") &
batch=$!
within 60 state "no events" || fail "no figures after the exec: $(tail -n 1 "$work/states")"
kill "$batch"
wait "$batch" 2>/dev/null

# ---- metrics gets no processor while events begin: what memory has counted by then and the ring has events of is counted once
own() {
  order counts counts
  read -r _ now _ <<<"$answer"
  now=$((now / each))
}
late=$work/late.prom
total() { awk '/^ocaml_gc_minor_collections_total/ { n += $NF } END { print n + 0 }' "$late"; }
grown() { own && [ "$now" -ge $((begin + 500)) ]; }
another() { [ "$(stat -c %i "$late")" != "$inode" ]; }
next() {
  inode=$(stat -c %i "$late")
  within 60 another || fail "metrics wrote no more"
}
own
begin=$now
(exec "$RTEVTOP" metrics -o "$late" -d 0.5 -n 100000 "$pid") 2>"$work/metrics.err" &
metrics=$!
within 60 test -s "$late" || fail "metrics wrote nothing"
own
least=$now
next
kill -STOP "$metrics"
order start started
within 60 grown
status=$?
kill -CONT "$metrics"
[ $status = 0 ] || fail "it does not collect"
least=$((now - least))
counted() { grep -q '^ocaml_events_total' "$late" && [ "$(total)" -ge $least ]; }
within 60 counted || fail "$(total) collections are told, of at least $least"
for i in 1 2 3; do next; done
own
[ "$(total)" -le $((now - begin + 5)) ] || fail "$(total) collections are told, of at most $((now - begin))"
kill "$metrics"
wait "$metrics" 2>/dev/null

# ---- the target ends: so does what looks at it
: >"$work/states"
(exec "$RTEVTOP" -b --json -d 0.5 "$pid" >"$work/states") &
batch=$!
within 60 state live || fail "no figures"
echo end >&8
exec 8>&-
wait "$batch" || fail "a report of a target that ends: status $?"
tail -n 1 "$work/states" | grep -q '"state":"ended"' || fail "the end: $(tail -n 1 "$work/states")"
