#!/usr/bin/env bash
# Stacks that change fast, every form of a line, plugins, many threads, programs without debug information or symbols, and
# those that end or may not be read.
# Usage: test_stacks_more.sh RELEASE CODE_TOOL   (53)
. "$(dirname "$0")/lib.sh"
need python3 timeout strip setpriv
with_ocaml "$1"
tool=$2
cp "$here"/stacks/*.ml "$here"/stacks/*.c "$work" && cd "$work" || exit 1

# make NAME ARGUMENT...: compile it.
make() {
  local name=$1
  shift
  "$prefix/bin/ocamlopt" -w -21 -I +unix -I +threads -I +dynlink "$@" -o "$name" >/dev/null 2>err || fail "could not compile $name: $(cat err)"
}

# begin COMMAND...: start it; its pid is in $pid once it is ready.
begin() {
  rm -f ready
  "$@" >ready &
  pid=$!
  within 60 grep -q ready ready || fail "$*: not ready"
}

# has EXPRESSION: whether a report comes to hold; N is the set of (name, line) of a thread in it, T the threads.
has() {
  timeout 60 "$RTEVTOP" stacks --json $pid >report.json 2>err &&
    json "(lambda T: $1)([dict(t, N={(f['name'], f['line']) for f in t['frames']}) for t in x['threads']])" report.json
}

# Fast stacks: none, or next to none, is wrong, and most of those in OCaml code are read.
make mixed -g unix.cmxa mixed_stubs.c mixed.ml
begin ./mixed 600
if "$tool" $pid 10 499 >samples 2>/dev/null; then
  python3 "$here/stacks/mixed.py" samples 0.005 "$([ "${1%FP}" -ge 52 ] && echo 0.85 || echo 0)" || fail "mixed: wrong stacks, or too few"
else
  echo "the kernel refuses samples"
fi
stop $pid

# Exceptions, while C notes which frames they pass.  Before 5.2 it can't be told where they were raised.
make raises -g raises.ml
for how in raise by_c again fiber; do
  begin ./raises $how
  # Where others use the cores, few samples come in so short a time.
  for seconds in 2 20; do
    "$tool" $pid $seconds 499 >samples 2>/dev/null && [ "$(wc -l <samples)" -lt 500 ] || break
  done
  if [ -s samples ]; then
    python3 "$here/stacks/raises.py" samples $how "$([ "${1%FP}" -ge 52 ] && echo 0.9 || echo 0)" || fail "raises: see above"
  fi
  stop $pid
done

# Every form of a position.
make lines -g unix.cmxa lines.ml
begin ./lines
"$tool" $pid lines Lines. | sort -u >told
for want in near:3 far:4 multi:5 low:4509 lowfar:4510; do
  grep -qx "Lines.$want" told || fail "lines: no $want among $(paste -sd' ' told)"
done
stop $pid

# A plugin, whose frame tables the runtime was given later.
make plugin_host -g -linkall unix.cmxa threads.cmxa dynlink.cmxa plugin_host.ml
make plugin.cmxs -g -shared plugin.ml
begin ./plugin_host ./plugin.cmxs
within 60 has "any('Plugin.spin' in {n for n, _ in t['N']} and t['complete'] for t in T)" ||
  fail "plugin: $(cat report.json)"
stop $pid

# Without debug information: names by symbols; without these as well: by the tables that are left.
make plain unix.cmxa threads.cmxa shapes_stubs.c shapes.ml
begin ./plain fiber2 sleep
within 60 has "T[0]['complete'] and {'Shapes.work', 'Shapes.a1', 'Shapes', 'caml_program'} <= {n for n, _ in T[0]['N']}" ||
  fail "without -g: $(cat report.json)"
stop $pid
strip plain
begin ./plain cbfiber sleep
if [ "$1" != 53FP ]; then # where nothing tells where C has its frame pointers
  within 60 has "T[0]['complete'] and 'Shapes.work' in {n for n, _ in T[0]['N']}" || fail "without -g, stripped: $(cat report.json)"
fi
# Of a release that the process disproves nothing is told, and its name is.
other=5.5.0
[ "$1" != 55 ] || other=5.4.0
run 1 "$RTEVTOP" stacks --ocaml $other $pid
says "of OCaml $other: how this build of its OCaml release uses memory is not known"
stop $pid

# Many threads, each of which has its stack in its own record.
make threads -g unix.cmxa threads.cmxa threads.ml
begin ./threads 200
within 60 has "sum(('Threads.wait', 4) in t['N'] and t['complete'] for t in T) == 200" ||
  fail "200 threads: $(cut -c1-600 report.json)"
# As text they are one stack, of which some are named, and wait for the main thread, which joins them; JSON has each, by the name
# that the kernel has.
together() {
  timeout 60 "$RTEVTOP" stacks $pid >text 2>err || fail "$(cat err)"
  grep -qE '^200 threads \(([0-9]+ of domain 0, ){16}\.\.\): OCaml, waits for a mutex \(Threads\.wait [^)]*\), which thread [0-9]+ holds \(waits for the end of a thread .*: DEADLOCK\)' text && [ "$(grep -c '^ *Threads\.wait ' text)" = 1 ]
}
within 60 together || fail "200 threads are not told as one stack: $(head -n 60 text)"
json "all(t['name'] == open('/proc/$pid/task/%d/comm' % t['tid']).read().strip() for t in x['threads'])" report.json || fail "names of threads"
# Samples of as many of them as there are files for, and the rest is counted; those that wait are looked at all the same.
export OCAML_RUNTIME_EVENTS_DIR=$work
(ulimit -n 128 && exec timeout 60 "$RTEVTOP" stats --code --json --duration 2 $pid) >report.json 2>err || fail "200 threads: $(cat err)"
json 'x["code"]["threads_left_out"] >= 137 and "Threads.wait" in [f["name"] for f in x["code"]["functions"] if f["off_cpu"] > 0.9]' report.json ||
  fail "200 threads, 128 files: $(cut -c1-900 report.json)"
json 'x["code"]["refused"] == "too few file descriptors"' report.json || fail "200 threads, 128 files: why is not said: $(cut -c1-900 report.json)"
says "could not sample all threads of threads: too few file descriptors" && says "Raise the limit: ulimit -n"
(ulimit -n 1024 && exec timeout 60 "$RTEVTOP" stats --code --json --duration 2 $pid) >report.json 2>err || fail "200 threads: $(cat err)"
json 'x["code"]["refused"] is None' report.json || fail "200 threads, 1024 files: $(cut -c1-900 report.json)"
# Another user's.
if [ "$(id -u)" = 0 ]; then
  for command in stacks "stats --code"; do
    # shellcheck disable=SC2086
    run 1 setpriv --reuid 65534 --clear-groups "$RTEVTOP" $command $pid
    says "run rtevtop as"
  done
fi
stop $pid

# Idle workers wait for a condition each, but do the same.
make idle -g unix.cmxa threads.cmxa idle.ml
begin ./idle 6
idle() {
  timeout 60 "$RTEVTOP" stacks $pid >text 2>err || fail "$(cat err)"
  grep -qE '^6 threads \(([0-9]+ of domain 0(, )?){6}\): OCaml, waits for a condition \(Idle\.idle [^)]*\)$' text
}
within 60 idle || fail "idle workers are not told as one stack: $(head -n 60 text)"
stop $pid

# A thread that gets no processor, or too little of one to be sampled, or that may not be sampled: why there is no stack is said.
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*[ ,-]//')
begin ./mixed 600
if [ -n "$cpu" ] && taskset -acp "$cpu" $pid >/dev/null && chrt -aip 0 $pid; then
  taskset -c "$cpu" sh -c 'while :; do :; done' &
  busy=$!
  starved() {
    timeout 60 "$RTEVTOP" stacks $pid >text 2>err || fail "$(cat err)"
    awk -v RS= '/^Thread .*, runs\n?$/ { bad = 1 } END { exit bad }' text || fail "no reason: $(cat text)"
    grep -qE '^    \.\.\. (it had no processor while it was to be sampled|no sample of it was taken)$' text
  }
  within 60 starved || fail "a starved thread is not told as such: $(cat text)"
  stop $busy
fi
stop $pid

# One that ends meanwhile.
for i in 1 2 3 4 5 6; do
  begin ./threads 50
  "$RTEVTOP" stacks $pid >out 2>err &
  report=$!
  sleep 0.0$i
  kill -9 $pid
  wait $report
  status=$?
  wait $pid 2>/dev/null
  [ $status = 0 ] || { [ $status = 1 ] && grep -q '^rtevtop: could not read the stacks' err; } || fail "killed: status $status, $(cat err)"
done
run 1 "$RTEVTOP" stacks $pid
says "there is no such process"
run 2 "$RTEVTOP" stacks
run 1 "$RTEVTOP" stacks $$
says "it has no OCaml 5 runtime"
