#!/usr/bin/env bash
# The keys of user events in stats --json: unique whatever the names are, an own name is kept, and many of them cost what is
# printed, not its square.
. "$(dirname "$0")/../support/lib.sh"
need python3 timeout
export PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1

python3 - "$work/names.events" <<'PY' || fail "could not make the ring"
import sys
from ring_file import CUSTOM, INT, SPAN_BEGIN, SPAN_END, UNIT, Ring
names = [b"dup\xff", b"dup\xfe", b"plain", b"plain#int", b"dup\xff\xff", "dup\ufffd".encode(), b"plain#int#2", b"other", b"", b"\xc3",
         b"\xc3\xa9", b"a\nb", b"a\\u000ab", b'a"b', b"\xe2\x82z"]
ring = Ring(domains=2)
for event, name in enumerate(names):
    ring.name(event, name)
for event in range(len(names)):
    ring.user(0, 100 + event, UNIT, event)
for event in range(len(names)):
    ring.user(1, 200 + event, INT, event, 7)
    ring.user(0, 300 + event, INT, event, 7)
    ring.user(0, 300 + event, CUSTOM, event, 0)
    ring.user(1, 200 + event, SPAN_BEGIN, event)
    ring.user(1, 200 + event, SPAN_END, event)
ring.save(sys.argv[1])
PY
run 0 timeout 300 "$RTEVTOP" stats --json "$work/names.events"
python3 - "$work/out" <<'PY' || fail "the keys of user events are not what they must be"
import json, sys

def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), sorted(key for key in keys if keys.count(key) > 1)
    return dict(pairs)

report = json.load(open(sys.argv[1]), object_pairs_hook=unique)
first, second = (domain["user"] for domain in report["domains"])
assert len(first) == 3 * 15 and len(second) == 2 * 15, (len(first), len(second))
# A name that no other equals is itself in every domain, whoever would like to take it for a second kind.
for key, kind in {"plain": "unit", "plain#int": "unit", "plain#int#2": "unit", "other": "unit", "": "unit", "\u00e9": "unit",
                  "other#int": "int", "plain#custom": "custom", "plain#int#3": "int",
                  # Each byte that is none of a character is replaced, as in a recording.
                  "\ufffd\ufffdz": "unit"}.items():
    assert first[key]["kind"] == kind, (key, first.get(key))
# And one kind of one name has one key in all domains.
assert {key for key, user in first.items() if user["kind"] == "int"} == {key for key, user in second.items() if user["kind"] == "int"}
PY

# A name that blanks hide, at an end of it or all of it, stands in quotes where people read it.
python3 - "$work/blank.events" <<'PY' || fail "could not make the ring"
import sys
from ring_file import INT, Ring
ring = Ring()
for event, name in enumerate((b" ", b"", b"begin ", b"\xe3\x80\x80wide", b"in side")):
    ring.name(event, name)
    ring.user(0, 100 + event, INT, event, 7)
ring.save(sys.argv[1])
PY
run 0 "$RTEVTOP" stats "$work/blank.events"
cp "$work/out" "$work/text"
run 0 "$RTEVTOP" log "$work/blank.events"
for name in '" "' '""' '"begin "' '"　wide"' 'in side'; do
  grep -qE "^  $name +int +1 +last 7" "$work/text" || fail "stats does not show $name: $(cat "$work/text")"
  grep -qE " $name 7\$" "$work/out" || fail "log does not show $name: $(cat "$work/out")"
done

# Many names of four kinds that all look alike.
python3 - "$work/many.events" <<'PY' || fail "could not make the ring"
import sys
from ring_file import CUSTOM, INT, SPAN_BEGIN, SPAN_END, UNIT, Ring
ring = Ring(domains=16, words=1 << 17)
for event in range(8192):
    ring.name(event, bytes(128 + (event >> 7 * i) % 128 for i in range(2)) * 3)
for domain in range(16):
    for event in range(8192):
        ring.user(domain, event, UNIT, event)
        ring.user(domain, event, INT, event, event)
        ring.user(domain, event, CUSTOM, event, 0)
        ring.user(domain, event, SPAN_BEGIN, event)
        ring.user(domain, event, SPAN_END, event)
ring.save(sys.argv[1])
PY
run 0 timeout 300 "$RTEVTOP" stats --json "$work/many.events"
python3 - "$work/out" <<'PY' || fail "the keys of many names are not unique"
import json, sys

def unique(pairs):
    assert len({key for key, _ in pairs}) == len(pairs)
    return dict(pairs)

report = json.load(open(sys.argv[1]), object_pairs_hook=unique)
assert all(len(domain["user"]) == 4 * 8192 for domain in report["domains"])
PY
exit 0
