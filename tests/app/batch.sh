#!/usr/bin/env bash
# rtevtop -b: the columns, one target, several, all of the machine, a ring file, a COMMAND, and what is refused.
. "$(dirname "$0")/../support/lib.sh"
need python3
export PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1
cd "$work" || exit 1

# A ring file: 1 s, two domains; pauses of 100 ms and 50 ms on the first, none on the second.
python3 - <<'PY' || fail "could not make the ring"
from ring_file import Ring
SECOND = 1_000_000_000
ring = Ring(domains=2)
for domain in (0, 1):
    ring.lifecycle(domain, SECOND, 0, 7)
ring.begin(0, SECOND, 11)
ring.end(0, SECOND + SECOND // 10, 11)
ring.begin(0, SECOND + SECOND // 2, 11)
ring.end(0, SECOND + SECOND // 2 + SECOND // 20, 11)
for domain in (0, 1):
    ring.lifecycle(domain, 2 * SECOND, 9)
ring.save("a b.events")
PY

# json FIELD... : of the last line of the output.
json() {
  python3 - out "$@" <<'PY'
import json, sys
line = json.loads(open(sys.argv[1]).read().splitlines()[-1])
print(*[line[field] for field in sys.argv[2:]])
PY
}

run 0 "$RTEVTOP" -b --json --ocaml 5.3.0 "a b.events"
[ "$(json report pid name state ocaml gc_share minor_per_s pause_max_s lost_words interval_s)" = \
  "1 None a b.events file 5.3.0 0.075 2.0 0.1 0 1.0" ] ||
  fail "a file: $(cat out)"
[ "$(python3 -c 'import json; print(*json.loads(open("out").read()))')" = "report time interval_s pid name state ocaml ocaml_from \
domains cpu gc_share minor_per_s major_per_s pause_p50_s pause_p99_s pause_max_s alloc_bytes_per_s promoted_bytes_per_s heap_bytes \
resident_bytes events_per_s lost_words events fibers loop_p99_s verdict headline heap_age_s" ] || fail "keys: $(cat out)"
# It is told how that did, as by the report.
told=$(json verdict headline)
run 0 "$RTEVTOP" stats --json --ocaml 5.3.0 "a b.events"
[ "$(json verdict headline)" = "$told" ] || fail "it is told \"$told\", in the report \"$(json verdict headline)\""
run 0 "$RTEVTOP" -b --json --by-domain --ocaml 5.3.0 "a b.events"
[ "$(json domain gc_share pause_max_s cpu domains)" = "1 0.0 None None None" ] || fail "domain 1: $(cat out)"
[ "$(head -n 1 out | python3 -c 'import json; line = json.loads(input()); print(line["domain"], line["gc_share"])')" = "0 0.15" ] ||
  fail "domain 0: $(cat out)"
# As text each line has the fields of the head, whatever the name is; and it is what a pipe gets anyway.
run 0 "$RTEVTOP" --ocaml 5.3.0 "a b.events"
awk 'NR == 1 { fields = NF } NF != fields { exit 1 } END { exit NR != 2 }' out || fail "fields: $(cat out)"
grep -q " a_b.events " out || fail "the name: $(cat out)"
grep -q "$(printf '\033')" out && fail "an escape code in plain reports"

# Two demos, named.
for i in 1 2; do
  "$RTEVTOP" demo --domains $i --rate 2000 --seed $i --seconds 1000 >"demo$i" &
  pids[i]=$!
done
for i in 1 2; do within 100 test -s "demo$i" || fail "a demo does not start"; done
run 0 "$RTEVTOP" -b --json -d 1 -n 2 "${pids[1]}" "${pids[2]}"
python3 - out "${pids[1]}" "${pids[2]}" <<'PY' || fail "two targets: $(cat out)"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert [(line["report"], line["pid"]) for line in lines] == [(r, int(p)) for r in (1, 2) for p in sys.argv[2:]], lines
for line in lines:
    assert line["state"] == "live" and line["events_per_s"] > 0 and line["lost_words"] == 0, line
    assert 0 <= line["gc_share"] <= 1 and 0 < line["interval_s"], line
PY
# One that is silent since the attach: what its rings hold from before tells its domains and its heap, and nothing of that
# counts.
kill -STOP "${pids[2]}"
run 0 "$RTEVTOP" -b --json -n 2 -d 0.2 "${pids[2]}"
kill -CONT "${pids[2]}"
python3 - out <<'PY' || fail "a silent target: $(cat out)"
import json, sys
for line in map(json.loads, open(sys.argv[1])):
    assert line["state"] == "stopped" and line["domains"] in (1, 2) and line["heap_bytes"] > 0, line
    assert line["gc_share"] == line["minor_per_s"] == line["alloc_bytes_per_s"] == line["events_per_s"] == 0, line
PY
# All of the machine: both are among them, with the domains that they have, as soon as each has sent an event.
all_of_the_machine() {
  run 0 "$RTEVTOP" -b --json -n 2
  python3 - out "${pids[1]}" "${pids[2]}" <<'PY'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
for domains, pid in (1, sys.argv[2]), (2, sys.argv[3]):
    mine = [line for line in lines if line["pid"] == int(pid)]
    assert [line["report"] for line in mine] == [1, 2], mine
    assert mine[1]["domains"] == domains and mine[1]["resident_bytes"] > 0, mine
PY
}
within 300 all_of_the_machine || fail "all of the machine: $(cat out)"
# One that ends: its last report, then no more, and with it the end.
: >out
"$RTEVTOP" -b --json -d 0.5 "${pids[1]}" >out 2>err &
batch=$!
within 60 grep -q '"state":"live"' out || fail "no report: $(cat err)"
kill "${pids[1]}"
wait $batch || fail "a target that ends: status $?: $(cat err)"
case "$(json state headline)" in "ended ended: "*) ;; *) fail "the end is not told: $(tail -n 1 out)" ;; esac
# Of several targets those that are there are shown.
run 1 "$RTEVTOP" -b -n 1 -d 0.1 "${pids[2]}" 2147483647
says "no such process"
[ "$(grep -c live out)" = 1 ] || fail "the one that is there is not shown: $(cat out)"
run 1 "$RTEVTOP" -b 2147483647
# A COMMAND: its status is ours.
run 3 "$RTEVTOP" -b --json -- sh -c "OCAML_RUNTIME_EVENTS_DIR=\$OCAML_RUNTIME_EVENTS_DIR '$RTEVTOP' demo --seconds 0.3 >&2; exit 3"
# A recording is for stats and for the live view.
run 0 "$RTEVTOP" record --ocaml 5.3.0 -o a.fxt "a b.events"
run 1 "$RTEVTOP" -b a.fxt
says "could not report on a.fxt: plain reports (-b) read no recordings"
says "  \`rtevtop stats FILE.fxt\` reports on it, \`rtevtop FILE.fxt\` plays it."
[ "$(wc -l <err)" = 2 ] || fail "one message: $(cat err)"
run 1 "$RTEVTOP" -b --ocaml 5.3.0 "a b.events" a.fxt
says "could not report on a.fxt"
grep -q " a_b.events " out || fail "the target that can be read is not shown"
run 2 "$RTEVTOP" -b -s gc 1
run 2 "$RTEVTOP" -b --demo
exit 0
