#!/usr/bin/env bash
# test_recorded.sh OCAML TEST_REPLAY STATS_AND_RECORD: a recording of a sick program says what stats said of the same run, with all
# findings when one process did both; so does its replay in the live view, which also has the process's samples and the trend.
. "$(dirname "$0")/lib.sh"
need python3 mkfifo
with_ocaml "$1"
player=$2
both=$3
same=$(dirname "$0")/../support/same_report.py
program=$(build "$prefix" gated native) || exit 1

mkfifo "$work/gate"
export OCAML_RUNTIME_EVENTS_START=1 OCAMLRUNPARAM=d=2,e=22
(cd "$work" && exec "$program" 32768 6 <"$work/gate") &
pid=$!
exec 3>"$work/gate"
# Both have attached before the next event: to set its minor heap is some, too.
within 30 test -e "$work/waits" || fail "it does not wait"
[ -s "$work/$pid.events" ] || fail "there is no ring"

"$RTEVTOP" stats --json "$work:$pid" >"$work/stats.json" 2>"$work/stats.err" &
stats=$!
"$RTEVTOP" record -o "$work/a.fxt" "$work:$pid" 2>"$work/record.err" &
record=$!
"$both" "$work:$pid" "$work/b.fxt" >"$work/observed.json" 2>"$work/both.err" &
one=$!
# waits PID: how often it has waited for something.
waits() {
  sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status"
}
for observer in $stats $record $one; do
  within 30 grep -q "$pid.events" "/proc/$observer/maps" 2>/dev/null || fail "one does not attach: $(cat "$work"/*.err)"
  # With the ring mapped, what it waits for again and again are its turns.
  turns=$(($(waits "$observer") + 10))
  within 60 eval '[ "$(waits "$observer")" -ge $turns ]' || fail "one takes no turns"
done
echo >&3
wait $stats || fail "stats: $(cat "$work/stats.err")"
wait $record || fail "record: $(cat "$work/record.err")"
wait $one || fail "stats_and_record: $(cat "$work/both.err")"
exec 3>&-

run 0 "$RTEVTOP" stats --json "$work/b.fxt"
python3 "$same" "$work/observed.json" "$work/out" || fail "the recording says something else than what was observed"
# sick REPORT: whether the sickness is found, or the machine gave the program too little of its cores to tell.
sick() {
  json 'x["findings"][0]["name"] == "minor_heap_small"' "$1" && return
  json 'x["findings"][0]["name"] == "starved"' "$1" && echo "not tried: the small minor heap, of a program that gets no core"
}
sick "$work/out" || fail "the sickness is not found: $(cat "$work/out")"

run 0 "$RTEVTOP" stats --json "$work/a.fxt"
cp "$work/out" "$work/recording.json"
python3 "$same" --apart "$work/stats.json" "$work/recording.json" || fail "the recording says something else"
sick "$work/recording.json" && json 'x["lost_words"] == 0' "$work/recording.json" ||
  fail "the sickness is not found: $(cat "$work/recording.json")"
json 'x["system"]["cpu_user_s"] > 0 and x["system"]["resident_bytes"] > 0 and x["settings"]["e"]["value"] == 22' "$work/recording.json" ||
  fail "no samples or no settings: $(cat "$work/recording.json")"

run 0 "$player" stats "$work/a.fxt"
cp "$work/out" "$work/replay.json"
python3 "$same" --apart "$work/recording.json" "$work/replay.json" || fail "the replay says something else"
run 0 "$player" trend "$work/a.fxt"
json 'x["seen_s"] > 5 and x["sampled_s"] > 4 and x["gc_share"] > 0 and x["cpu"] > 0' "$work/out" || fail "trend: $(cat "$work/out")"
exit 0
