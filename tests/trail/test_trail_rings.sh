#!/usr/bin/env bash
# The trail of a recording of a ring that a real OCaml program left delivers what the ring delivered: the same figures, the
# same events, and from the middle on the same spans.
# Usage: test_trail_rings.sh TRAIL_TOOL TEST_REPLAY NAME
. "$(dirname "$0")/../support/lib.sh"
need tar xz python3
tool=$1
player=$2
ring=$(unpack "$3")

run 0 "$RTEVTOP" record -o "$work/a.fxt" "$ring"
run 0 "$RTEVTOP" stats --json "$ring"
cp "$work/out" "$work/stats.want"
run 0 "$tool" stats "$work/a.fxt"
cp "$work/out" "$work/stats.have"
run 0 "$RTEVTOP" log --json "$ring"
cp "$work/out" "$work/log.want"
run 0 "$tool" log "$work/a.fxt"
cp "$work/out" "$work/log.have"
cat >"$work/compare.py" <<'EOF'
import json, sys
from collections import defaultdict
want, have = (json.load(open(sys.argv[1] + "/stats." + w)) for w in ("want", "have"))
for key in want:
    # What is advised, why locks are not known, and the settings that a ring file itself tells, are no part of a trail.
    if not key.startswith("findings") and key not in ("settings", "verdict", "headline", "locks") and want[key] != have[key]:
        sys.exit("stats differ: %s: %r, expected %r" % (key, have[key], want[key]))
if want["events"] == 0:
    sys.exit("there are no events")
def log(name):
    lines, times = defaultdict(list), []
    for line in open(sys.argv[1] + "/log." + name):
        event = json.loads(line)
        # what follows the first bytes of a payload is not recorded
        if event.get("kind") == "custom":
            event["data"] = event["data"][:512] + "00" * (len(event["data"]) // 2 - 256)
        lines[event["domain"]].append(event)
        times.append(event.get("ts", 0))
    return lines, times
want, _ = log("want")
have, times = log("have")
if want != have:
    sys.exit("the events differ")
EOF
python3 "$work/compare.py" "$work" || fail "the trail differs from its ring"

# So does the replay of the live view, after some going back and forth in it.
run 0 "$player" stats "$work/a.fxt"
cp "$work/out" "$work/stats.have"
python3 "$work/compare.py" "$work" || fail "the replay differs from its ring"

for parts in 2 10 100; do
  run 0 "$tool" whole $parts "$work/a.fxt"
  sort "$work/out" >"$work/whole"
  run 0 "$tool" from $parts "$work/a.fxt"
  sort "$work/out" >"$work/from"
  [ -s "$work/whole" ] || fail "nothing ends in the last of $parts parts"
  cmp -s "$work/whole" "$work/from" || {
    diff "$work/whole" "$work/from" | head >&2
    fail "beginning in the last of $parts parts gives other spans"
  }
done

# A budget, which changes the order in which rings are read, changes nothing.
run 0 "$RTEVTOP" record --max-events 7 -o "$work/b.fxt" "$ring"
run 0 "$tool" stats "$work/b.fxt"
cp "$work/out" "$work/stats.have"
run 0 "$tool" log "$work/b.fxt"
cp "$work/out" "$work/log.have"
python3 "$work/compare.py" "$work" || fail "the trail depends on --max-events"

# Cut short anywhere, it ends at the last whole record: every domain has its first events.
cat >"$work/prefix.py" <<'EOF'
import json, sys
from collections import defaultdict
def log(name):
    lines = defaultdict(list)
    for line in open(sys.argv[1] + "/" + name):
        lines[json.loads(line)["domain"]].append(line)
    return lines
want, have = log("log.have"), log("log.short")
left = 0
for domain in want:
    if have[domain] != want[domain][: len(have[domain])]:
        sys.exit("domain %d has other events" % domain)
    left += len(want[domain]) - len(have[domain])
if left == 0 and sys.argv[2] == "less":
    sys.exit("nothing is missing")
EOF
size=$(stat -c %s "$work/b.fxt")
head -c $((size - 16)) "$work/b.fxt" >"$work/short.fxt"
run 0 "$tool" log "$work/short.fxt"
cp "$work/out" "$work/log.short"
python3 "$work/prefix.py" "$work" same || fail "cut before its end"
for share in 2 3 10; do
  head -c $((size / share / 8 * 8 + 3)) "$work/b.fxt" >"$work/short.fxt"
  run 1 "$tool" log "$work/short.fxt"
  says "ends inside a"
  cp "$work/out" "$work/log.short"
  python3 "$work/prefix.py" "$work" less || fail "cut to 1/$share"
done
exit 0
