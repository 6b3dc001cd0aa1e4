#!/usr/bin/env bash
# What memory says of real OCaml programs is what Gc.quick_stat answers in them, to the word while they rest; each domain's thread is
# the one that it ran in; and with events on, memory grows by what the ring tells.  Usage: test_runtime.sh RELEASE TOOL
. "$(dirname "$0")/lib.sh"
need python3 timeout strip nm
tool=$2 short=${3:-}
with_ocaml "$1"
mkdir "$work/build"
cp "$here/counters.ml" "$here/counters_stubs.c" "$work/build/"

# make KIND COMPILER SUFFIX FLAG...: a program of this kind; its path is in $program.
make() {
  program=$work/counters-$1
  (cd "$work/build" && "$prefix/bin/$2" "${@:4}" -I +unix -I +runtime_events "unix.$3" "runtime_events.$3" counters_stubs.c counters.ml \
    -o "$program") >"$work/compile.err" 2>&1
}

# begin ARGUMENT...: start the program, with a pipe to its standard input; returns once it has said what it is.
begin() {
  rm -f "$work/said" "$work/go" && mkfifo "$work/go"
  (cd "$work" && exec "$program" "$@" <"$work/go") &
  pid=$!
  exec 3>"$work/go"
  within 60 test -e "$work/said" || fail "$program $*: it said nothing"
}

# go_on: let it do more; returns once it has said what came of it.
go_on() {
  mv "$work/said" "$work/said.before"
  echo >&3
  within 60 test -e "$work/said" || fail "it said nothing more"
}
end() {
  stop $pid
  exec 3>&-
}

# agrees: whether memory says what the program did, and which thread runs which domain.
agrees() {
  "$tool" $pid "$version" 20 >"$work/told" || return
  python3 - "$work/said" "$work/told" "$version" <<'PY'
import json, sys
said, told = (json.load(open(path)) for path in sys.argv[1:3])
# What the program says of the heaps of its other domains is as of their last collection: they may have given pools back since.
bound = {"heap_words": 16 * 4096 if len(said["tids"]) > 1 else 0}
# The last words of a domain that ends are allocated after it has counted them.
bound["minor_words"] = bound["promoted_words"] = 0 if sys.argv[3] < "5.4" else 64
for name in "minor_words", "promoted_words", "minor_collections", "major_cycles", "heap_words":
    if abs(said[name] - told[name]) > bound.get(name, 0):
        sys.exit("%s: memory has %r, the program %r" % (name, told[name], said[name]))
if [d["domain"] for d in told["domains"]] != list(range(len(said["tids"]))):
    sys.exit("domains: %r" % told["domains"])
for d, tid in zip(told["domains"], said["tids"]):
    if d["minor_heap_words"] != said["minor_heap_size"] or not 0 <= d["young_used_words"] < 4096:
        sys.exit("minor heap: %r" % d)
    if d["tid"] != tid:
        sys.exit("domain %d ran in thread %d: %r" % (d["domain"], tid, d))
PY
}

# rests ARGUMENT...: whether memory is right at each of the moments at which the program rests.
rests() {
  begin "$@"
  for moment in 1 2 3; do
    [ $moment = 1 ] || go_on
    within 20 agrees 2>"$work/differs" ||
      fail "$program $*, moment $moment: $(tail -1 "$work/differs") $(cat "$work/told" "$work/said")"
  done
  end
}

make native ocamlopt cmxa || fail "could not compile: $(cat "$work/compile.err")"
rests 0
rests 3
native=$program
make no-pie ocamlopt cmxa -ccopt -no-pie && rests 1
if make static ocamlopt cmxa -ccopt -static; then
  rests 1
  strip "$program"
  begin 0
  run 1 "$tool" $pid "$version"
  json "'linked statically and stripped' in x['why']" "$work/out" || fail "static, stripped: $(cat "$work/out")"
  end
fi
make bytecode ocamlc cma -output-complete-exe && rests 1
export LD_LIBRARY_PATH=$prefix/lib/ocaml
make shared-bytecode ocamlc cma -custom -runtime-variant _shared && rests 1

# Without its local symbols a program tells as much from 5.1 on, by its code; before, it tells less, and nothing wrong.
program=$native
cp "$native" "$work/counters-stripped" && strip "$work/counters-stripped" && program=$work/counters-stripped
if [ "$1" -ge 51 ]; then
  rests 2
fi
begin 1
if [ "$1" -lt 51 ]; then
  run 0 "$tool" $pid "$version"
  json "x['major_cycles'] > 0 and x['minor_words'] is None and x['heap_words'] is None and x['domains'] == []" "$work/out" ||
    fail "stripped: $(cat "$work/out")"
fi
# Of another release nothing is believed; a neighbour that nobody has seen is read if the process agrees.
case $1 in
  54) other=5.5.0 neighbour=5.4.0 ;;
  55) other=5.4.0 neighbour=5.6.0 ;;
  *) other=5.4.0 neighbour= ;;
esac
run 1 "$tool" $pid $other
json "x['why'] == 'how this build of its OCaml release uses memory is not known'" "$work/out" || fail "$other: $(cat "$work/out")"
[ -z "$neighbour" ] || version=$neighbour within 20 agrees 2>"$work/differs" || fail "$neighbour: $(tail -1 "$work/differs")"
end
if [ "$neighbour" = 5.6.0 ]; then
  # All faces say of a newer release as what its memory is read.
  program=$work/counters-new
  sed "s/${version//./\\.}/5.6.0/g" "$native" >"$program" && chmod +x "$program"
  begin 1 events
  # all_say PATTERN COMMAND...: it says so.
  all_say() {
    run 0 timeout 300 "$RTEVTOP" "${@:2}"
    grep -qE -- "$1" "$work/out" || fail "${*:2}: not $1: $(grep -m 3 5.6.0 "$work/out")"
  }
  text='OCaml 5\.6\.0 \(as 5\.5, checked\)' json='"ocaml":"5\.6\.0",.*"ocaml_from":"as 5\.5, checked"'
  run 0 "$RTEVTOP" record -o "$work/new.fxt" --duration 1.5 "$work:$pid"
  for target in "$work:$pid" "$work/new.fxt"; do
    all_say "$text" stats --duration 1.5 "$target"
    all_say "$json" stats --json --duration 1.5 "$target"
  done
  for option in "" --fibers; do
    # shellcheck disable=SC2086
    all_say "$text" stacks $option "$pid"
    # shellcheck disable=SC2086
    all_say "$json" stacks $option --json "$pid"
  done
  all_say "^ *$pid +5\.6\.0 as 5\.5, checked +live " list
  all_say "\"pid\":$pid,.*$json" list --json
  all_say ' 5\.6\.0 +as_5\.5,_checked ' -b -n 2 -d 1 "$work:$pid"
  all_say "$json" -b --json -n 2 -d 1 "$work:$pid"
  all_say 'version="5\.6\.0",from="as 5\.5, checked"' metrics -n 1 -d 1 -o - "$work:$pid"
  end
fi

# Where reading memory is refused, as Yama does, the rings are read all the same, and the report says what is missing.
program=$native
begin 1 events
for command in "stats" "stats --json"; do
  # shellcheck disable=SC2086
  [ -z "$short" ] || run 0 env LD_PRELOAD="$short" SHORT_PTRACE=1 timeout 300 "$RTEVTOP" $command --duration 0.5 "$work:$pid"
  [ "$command" != stats ] || [ -z "$short" ] || grep -q '^since its start   not known: reading its memory is not permitted' "$work/out" ||
    fail "refused: $(cat "$work/out")"
done
[ -z "$short" ] || json "x['runtime'] is None and x['settings']['s']['from'] != 'memory' and len(x['domains']) == 2" "$work/out" ||
  fail "refused: $(head -c 2000 "$work/out")"
end

# With events on: what memory grew by between two moments at which the program rests is what the ring tells of the time between them.
program=$native
export OCAMLRUNPARAM=e=20
begin 3 events
within 20 agrees 2>"$work/differs" || fail "with events: $(tail -1 "$work/differs")"
cp "$work/told" "$work/first"
timeout 300 "$RTEVTOP" stats --json "$work:$pid" >"$work/report" 2>"$work/report.err" &
stats=$!
# waits: how often it has waited for something: with the ring mapped, for its turns.
waits() {
  sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$observer/status"
}
within 30 pgrep -P $stats >/dev/null || fail "stats did not begin: $(cat "$work/report.err")"
observer=$(pgrep -P $stats)
within 60 grep -q "$pid.events" "/proc/$observer/maps" || fail "stats did not attach: $(cat "$work/report.err")"
turns=$(($(waits) + 10))
within 60 eval '[ "$(waits)" -ge $turns ]' || fail "stats takes no turns"
go_on
within 20 agrees 2>"$work/differs" || fail "with events: $(tail -1 "$work/differs")"
kill -INT "$observer"
wait $stats || fail "stats: $(cat "$work/report.err")"
end
python3 - "$work/first" "$work/told" "$work/report" "$version" <<'PY' || fail "with events on"
import json, sys
first, told, report = (json.load(open(path)) for path in sys.argv[1:4])
if report["lost_words"] != 0:
    print("not tried: counters in memory against the ring's: a busy machine lost %d words" % report["lost_words"])
    sys.exit(0)
memory, ring = report["runtime"], report["domains"]
total = lambda name: sum(d["counters"].get(name, {"sum": 0})["sum"] for d in ring)
counts = lambda name: [d["phases"].get(name, {"count": 0})["count"] for d in ring]
# 5.0 counts a collection once for each domain that took part.
minors = sum if sys.argv[4].startswith("5.0.") else max
for name in "minor_collections", "major_cycles", "heap_words", "minor_words", "promoted_words":
    if memory[name] != told[name]:
        sys.exit("%s: stats has %r, memory %r" % (name, memory[name], told[name]))
if [(d["domain"], d["tid"]) for d in memory["domains"]] != [(d["domain"], d["tid"]) for d in told["domains"]]:
    sys.exit("domains: %r, %r" % (memory["domains"], told["domains"]))
grown = {name: told[name] - first[name] for name in ("minor_words", "promoted_words", "minor_collections", "major_cycles")}
seen = {"minor_words": total("minor_allocated") // 8, "promoted_words": total("minor_promoted") // 8,
        "minor_collections": minors(counts("minor")), "major_cycles": max(counts("major_gc_cycle_domains"))}
if grown != seen:
    sys.exit("memory grew by %r, the ring tells %r" % (grown, seen))
PY
