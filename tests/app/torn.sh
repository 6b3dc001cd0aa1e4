#!/usr/bin/env bash
# A copy of a ring that was made while it was written to: stamps go back in it.  log tells where, and what stats and record
# say of it is what follows from that.  Usage: torn.sh DUMP TRAIL_TOOL
. "$(dirname "$0")/../support/lib.sh"
need tar xz python3
dump=$1
trail=$2
here=$(dirname "$0")

for name in ocaml-5.0.0 ocaml-5.3.0-pause; do
  ring=$(unpack $name)
  for how in records words twice; do
    # What was torn in the middle of a record leaves words that make no sense, and these are the cut.
    told="time stamps in the ring"
    [ $how = words ] && told="invalid records"
    torn=$work/$name-$how.events
    python3 "$here/../support/tear.py" "$ring" "$torn" $how || fail "could not tear $name"
    run 1 "$RTEVTOP" log --json "$torn"
    cp "$work/out" "$work/log.jsonl"
    says "$told"
    python3 - "$work/log.jsonl" <<'PY' || fail "$name, $how: the log does not tell where stamps go back"
import json, sys
last, cuts = {}, 0
for line in map(json.loads, open(sys.argv[1])):
    domain = line["domain"]
    if line["type"] == "corrupt":
        cuts += 1
        last[domain] = 0
    elif "ts" in line:
        assert line["ts"] >= last.get(domain, 0), line
        assert line["ts"] < 2**53, "a header was taken for a stamp"
        last[domain] = line["ts"]
assert cuts > 0
PY
    for budget in 65536 7; do
      run 1 "$RTEVTOP" stats --json --max-events $budget "$torn"
      says "$told"
      python3 "$here/../support/stats_oracle.py" "$work/log.jsonl" "$work/out" || fail "$name, $how: stats differs from log"
    done
    run 1 "$RTEVTOP" stats "$torn"
    run 1 "$RTEVTOP" record -o "$work/a.fxt" "$torn"
    says "$told"
    "$dump" "$work/a.fxt" >"$work/dump.jsonl" || fail "$name, $how: no trace that Perfetto takes whole"
    python3 "$here/../support/record_oracle.py" "$work/log.jsonl" "$work/dump.jsonl" || fail "$name, $how: record differs from log"
    "$trail" log "$work/a.fxt" >"$work/trail.jsonl" || fail "$name, $how: no trail"
    # A replay goes by time, a ring at a time it is the same.
    for file in log trail; do
      python3 -c 'import sys, json
print(*sorted(sys.stdin, key=lambda line: json.loads(line)["domain"]), sep="", end="")' <"$work/$file.jsonl" >"$work/$file.sorted"
    done
    cmp "$work/log.sorted" "$work/trail.sorted" || fail "$name, $how: the trail differs from log"
    rm -f "$work/a.fxt"
    run 1 "$RTEVTOP" record --format json -o "$work/a.json" "$torn"
    python3 "$here/../support/record_oracle.py" "$work/log.jsonl" "$work/a.json" || fail "$name, $how: JSON differs from log"
    rm -f "$work/a.json" "$torn"
  done
done
exit 0
