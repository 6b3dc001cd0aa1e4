#!/usr/bin/env bash
# metrics.sh ANEW_TARGET: rtevtop metrics: the file and how it is replaced and removed, what is in it, labels, what is refused.
. "$(dirname "$0")/../support/lib.sh"
need python3
anew=$1
cd "$work" || exit 1

start_demo --domains 2 --rate 4000 --seed 3 --seconds 1000
pid=$demo ring=$demo_ring

# A file that is kept: complete, readable for others, and no part of one beside it.
(umask 077 && run 0 "$RTEVTOP" metrics -o a.prom -n 2 -d 1 --user-events --label env=te\"st "$pid") || exit 1
[ "$(stat -c %a a.prom)" = 644 ] || fail "mode $(stat -c %a a.prom)"
[ "$(ls)" = "$(printf 'a.prom\nerr\nout')" ] || fail "there are other files: $(ls)"
cat >check.py <<'PY'
import re, sys
samples, types, seen = {}, {}, []
for line in open(sys.argv[1]):
    if line.startswith("# TYPE "):
        _, _, name, kind = line.split()
        assert name not in types, name
        types[name] = kind
        seen.append(name)
    elif not line.startswith("#"):
        name, labels, value = re.fullmatch(r'(\w+)(?:\{(.*)\})? (\S+)\n', line).groups()
        family = re.sub(r"_(bucket|sum|count)$", "", name) if name not in types else name
        assert family == seen[-1], f"{name} stands among {seen[-1]}"
        key = (name, tuple(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or "")))
        assert key not in samples, key
        samples[key] = float(value)
def get(name, **labels):
    return [v for (n, l), v in samples.items() if n == name and all((k, w) in l for k, w in labels.items())]
PY
cat >whole.py <<'PY'
exec(open("check.py").read())
assert all((("env", 'te\\"st') in labels) for (name, labels) in samples if name.startswith("ocaml_")), "label"
[count] = get("ocaml_gc_pause_seconds_count")
assert count > 0 and get("ocaml_gc_pause_seconds_bucket", le="+Inf") == [count]
buckets = get("ocaml_gc_pause_seconds_bucket")
assert len(buckets) == 20 and buckets == sorted(buckets)
[pauses] = get("ocaml_gc_pause_seconds_sum")
# A pause that is open counts so far.
assert pauses - 1e-6 <= sum(get("ocaml_gc_seconds_total")) < pauses + 0.5, (get("ocaml_gc_seconds_total"), pauses)
assert len(get("ocaml_gc_seconds_total")) == 7 and get("ocaml_domains") in ([1], [2])  # one ends now and then
assert get("ocaml_user_events_total", event="http.request", kind="span")[0] > 0
assert len(get("ocaml_user_span_seconds_bucket", event="http.request")) == 20
assert get("ocaml_user_names_ignored") == [0] and get("rtevtop_targets") == [1]
assert get("ocaml_ring_lost_bytes_total") == [0] and get("ocaml_events_paused") == [0]
assert get("ocaml_events_total")[0] > 0 and get("ocaml_observed_seconds_total")[0] > 0
assert not any(("domain", "0") in labels for (_, labels) in samples)
PY
python3 whole.py a.prom || fail "what is in the file: $(cat a.prom)"
# By domain: each has a line, and none is for all of them.  Our own file is replaced.
cat >domains.py <<'PY'
exec(open("check.py").read())
for name in "ocaml_minor_allocated_bytes_total", "ocaml_events_total", "ocaml_ring_lost_bytes_total", "ocaml_spans_dropped_total":
    assert len(get(name)) == len(get(name, domain="0")) + len(get(name, domain="1")) == 2, name
assert len(get("ocaml_gc_seconds_total", domain="1")) == 7
assert not any(name.startswith("ocaml_user_") for (name, _) in samples)
PY
# One ends now and then, and on a busy machine may not come back in a second.
two_domains() {
  run 0 "$RTEVTOP" metrics -o a.prom -n 1 -d 1 --by-domain "$pid"
  python3 domains.py a.prom 2>domains.err
}
within 20 two_domains || fail "by domain: $(cat domains.err a.prom)"

# A process that is named twice stands in the file once; check.py refuses a series that is there twice.
run 0 "$RTEVTOP" metrics -o a.prom -n 1 -d 0.1 "$pid" "$pid"
python3 whole.py a.prom 2>twice.err || [ "$(tail -n 1 twice.err)" = "AssertionError: label" ] || fail "named twice: $(cat twice.err)"

# So does one that has executed the same program again, twice, and an event whose name looks like another's.
mkdir rings
mkfifo line
"$anew" rings 2 <line >said &
exec 3>line
within 100 test -s said || fail "the target does not start"
again=$(head -n 1 said)
"$RTEVTOP" metrics -o again.prom -d 0.1 --user-events &
metrics=$!
told() { grep -qs "^ocaml_events_total{pid=\"$1\"" again.prom; }
within 100 told "$again" || fail "the target is not told of"
alike() { [ "$(grep -c "^ocaml_user_value{pid=\"$again\".*\"alike�" again.prom)" = 2 ]; }
echo >&3
within 100 alike || fail "the events are not told of: $(cat again.prom)"
python3 check.py again.prom || fail "names that look alike: $(grep alike again.prom)"
for times in 2 3; do
  [ $times = 2 ] || echo >&3
  echo >&3
  executed() { [ "$(wc -l <said)" = "$times" ]; }
  within 100 executed || fail "the target does not execute itself"
  # Who sees a process that began later has seen what became of this one.
  start_demo --seconds 1000
  within 100 told "$demo" || fail "a later process is not told of"
  python3 check.py again.prom || fail "a series is there twice: $(grep "\"$again\"" again.prom)"
  kill $demo
done
exec 3>&-
kill $metrics
wait $metrics

# And one whose pid was that of another process of the same program.
cat >reuse.sh <<'END'
start() { "$RTEVTOP" demo --seconds 1000 >"$1" & until [ -s "$1" ]; do sleep 0.05; done; }
told() { until grep -q "^ocaml_events_total{pid=\"$1\"" reuse.prom 2>/dev/null; do sleep 0.05; done; }
"$RTEVTOP" metrics -o reuse.prom -d 0.1 &
start first
pid=$!
told $pid
kill $pid
wait $pid
echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
start second
[ $! = $pid ] || exit 3
start later
told $!
python3 check.py reuse.prom
END
if unshare -pf --mount-proc test -w /proc/sys/kernel/ns_last_pid 2>/dev/null; then
  RTEVTOP=$RTEVTOP timeout 300 unshare -pf --kill-child --mount-proc bash reuse.sh || fail "a pid that is used again: status $?"
fi
if command -v promtool >/dev/null; then
  promtool check metrics <a.prom >lint 2>&1 || fail "promtool: $(cat lint)"
fi

# A ring with what can't be: none of it is in the counters, but what can be is.
export PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1
cat >hostile.py <<'PY'
import os, struct, sys, time
from ring_file import HEADER, RING_HEADER, Ring
path, now = f"{os.getpid()}.events", lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC)
ring = Ring(domains=3)
for domain in range(3):
    ring.lifecycle(domain, now(), 0, os.getpid())
ring.save(path)
print(os.getpid(), flush=True)
input()
ring.begin(0, now(), 11)
ring.counter(0, now(), 5, 4096)
ring.end(0, now(), 11)
ring.begin(1, now(), 11)
for counter, value in (4, -9), (5, 1 << 62), (17, 1 << 63), (17, (1 << 63) - 1):
    ring.counter(1, now(), counter, value)
ring.end(1, 13 << 59, 11)
ring.save("next")
with open(path, "r+b") as old, open("next", "rb") as new:
    headers = new.read(HEADER + 2 * RING_HEADER)
    old.seek(len(headers) + RING_HEADER)
    old.write(new.read()[RING_HEADER:])
    old.flush()
    old.seek(0)
    old.write(headers + struct.pack("=2Q", 1 << 63, (1 << 63) + 2))
print("done", flush=True)
time.sleep(1000)
PY
mkfifo go
python3 hostile.py <go >hostile &
exec 3>go
within 100 test -s hostile || fail "no ring"
hostile=$(head -n 1 hostile)
"$RTEVTOP" metrics -o e.prom -d 0.1 "$work:$hostile" &
metrics=$!
within 100 test -s e.prom || fail "no file"
echo >&3
within 100 grep -q done hostile || fail "nothing is written"
within 100 grep -q 'allocated_bytes_total{.*} 4096$' e.prom || fail "what can be is not counted: $(cat e.prom)"
cat >hostile_file.py <<'PY'
exec(open("check.py").read())
assert get("ocaml_events_total")[0] == 9, samples
for (name, labels), value in samples.items():
    if not name.endswith("_info") and "start_time" not in name and "memory" not in name:
        assert 0 <= value < 5000, (name, value)
assert sum(get("ocaml_gc_seconds_total")) < 1 and get("ocaml_ring_lost_bytes_total") == [0] == get("ocaml_promoted_bytes_total")
PY
python3 hostile_file.py e.prom || fail "a hostile ring: $(cat e.prom)"
kill $metrics
wait $metrics || fail "status $? after SIGTERM"
rm "$hostile.events" next e.prom 2>/dev/null

# All of the machine, until it is told to stop: then the file goes; another's is left alone, also when it comes later.
"$RTEVTOP" metrics -o b.prom -d 0.2 &
metrics=$!
within 100 test -s b.prom || fail "no file"
within 100 grep -q "pid=\"$pid\"" b.prom || fail "the demo is not told of"
kill $metrics
wait $metrics || fail "status $? after SIGTERM"
[ -e b.prom ] && fail "the file is still there"
start_demo --seconds 1000
short=$demo path=$demo_ring
"$RTEVTOP" metrics -o b.prom -d 1000 &
metrics=$!
within 100 test -s b.prom || fail "no file at once"
echo mine >other && mv other b.prom
# A ring that is cut short is one of many, and nobody named it.
observed() { ls -l /proc/$metrics/fd | grep -q "/proc/$short/"; }
not() { ! "$@"; }
within 100 observed || fail "the demo is not observed"
truncate -s 0 "$path"
within 100 not observed || fail "a ring that is cut short is not noticed"
kill $metrics
wait $metrics || fail "status $? beside a ring that is cut short"
[ "$(cat b.prom)" = mine ] || fail "another's file was removed"
run 1 "$RTEVTOP" metrics -o b.prom "$pid"
says "leaves it alone"
# A name that is no regular file is neither waited for nor written to, and a link is followed as record does.
mkfifo f.prom
run 1 timeout 60 "$RTEVTOP" metrics -o f.prom "$pid"
says "leaves it alone"
ln -s a.prom link.prom
run 0 "$RTEVTOP" metrics -o link.prom -n 1 -d 0.1 "$pid"
python3 whole.py a.prom >kept 2>&1 && fail "the link's file is the old one"
[ -L link.prom ] || fail "the link was replaced"
mkdir sticky aim
chmod 1777 sticky
echo precious >aim/victim.prom
ln -s ../aim sticky/folder
ln -s ../aim/victim.prom sticky/victim.prom
for path in sticky/folder/x.prom sticky/victim.prom; do
  run 1 "$RTEVTOP" metrics -o $path -n 1 -d 0.1 "$pid"
  says "could not write $path: it goes by a symbolic link that is not followed"
done
if [ "$(id -u)" = 0 ]; then
  mkdir theirs
  ln -s ../aim theirs/folder
  chown -h 65534 theirs theirs/folder
  run 1 "$RTEVTOP" metrics -o theirs/folder/x.prom -n 1 -d 0.1 "$pid"
  says "could not write theirs/folder/x.prom: it goes by a symbolic link that is not followed"
  # A link that takes the folder's place between two versions is not followed.
  mkdir theirs/late
  "$RTEVTOP" metrics -o theirs/late/victim.prom -d 0.2 "$pid" 2>err &
  metrics=$!
  within 100 test -s theirs/late/victim.prom || fail "no file"
  mv theirs/late theirs/away
  ln -s ../aim theirs/late
  chown -h 65534 theirs/late
  within 100 grep -q "it goes by a symbolic link" err || fail "a link that came later: $(cat err)"
  kill $metrics
  wait $metrics && fail "success though nothing could be written"
fi
[ "$(cat aim/victim.prom)" = precious ] && [ "$(ls aim)" = victim.prom ] || fail "behind a link: $(ls aim)"
# One that can't be written is told of, and does no harm.
run 1 "$RTEVTOP" metrics -o none/a.prom -n 1 -d 0.1 "$pid"
says "No such file or directory"
says "Give a file in a directory that you can write to."
[ -z "$(find . -name '.rtevtop-*')" ] || fail "left behind: $(find . -name '.rtevtop-*')"

# To standard output: each version as a whole; a reader that goes ends it, and so does a full disk.
run 0 "$RTEVTOP" metrics -o - -n 1 -d 1 --user-events --label env=te\"st "$pid"
python3 whole.py out || fail "standard output: $(cat out)"
[ ! -e ./- ] || fail "a file called -"
timeout 300 "$RTEVTOP" metrics -o - -d 0.1 "$pid" | head -n 1 >first
[ "${PIPESTATUS[0]}" = 0 ] && grep -q Written first || fail "a reader that goes"
timeout 300 "$RTEVTOP" metrics -o - -d 0.1 "$pid" >/dev/full 2>err
[ $? = 1 ] && says "could not write the metrics: No space left on device" || fail "a full disk"

# The end of all targets is the end.
start_demo --seconds 1000
short=$demo
"$RTEVTOP" metrics -o c.prom -d 1000 $short 2>err &
metrics=$!
within 100 test -s c.prom || fail "no file at once: $(cat err)"
kill $short
wait $metrics || fail "status $? when its target has ended: $(cat err)"
[ -e c.prom ] && fail "the file of an ended target is still there"
for words in "" "-o c.txt" "-o .prom" "-o c.prom --label x" "-o c.prom --label pid=1" "-o c.prom --label 1x=1" \
  "-o c.prom --label a=1 --label a=2" "-o c.prom -- true" "-o c.prom --json"; do
  # shellcheck disable=SC2086
  run 2 "$RTEVTOP" metrics $words
done
run 1 "$RTEVTOP" metrics -o c.prom 2147483647
# A file has neither a pid nor a time that goes on.
run 1 "$RTEVTOP" metrics -o c.prom "$ring"
says "metrics are of processes, not of files"
says "rtevtop stats FILE"
exit 0
