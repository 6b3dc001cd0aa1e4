#!/usr/bin/env bash
# Programs as Debian ships them, each under every command: what a face counts is what the program's runtime says of itself at its end
# (OCAMLRUNPARAM=v=0x400), to the unit.  Usage: test_programs.sh RELEASE   (those that are in the root of its suite)
. "$(dirname "$0")/lib.sh"
. "$here/../tui/lib.sh"
trap 'tui_cleanup; cleanup' EXIT
need python3 timeout
with_ocaml "$1"
enter=$prefix/bin/enter
[ -x "$enter" ] || untried "Debian's programs: $prefix is no root of a suite"
cd "$work" || exit 1
cp "$here/programs"/* .
mkdir home one
for ((i = 0; i < 300; i++)); do
  echo "let f$i x y = match x, y with Some a, b when a > $i -> Printf.sprintf \"%d %s\" a b | _ -> string_of_int $i" >>a.ml
  echo "$i" >"one/$i"
done

# begin: what it needs anew; then `program` runs it with the truth in its errors.
begin() { rm -rf two home/.unison a.vo a.glob ./*.cm* ./*.o; }
program() { echo "exec env HOME='$work/home' OCAMLRUNPARAM=v=0x400,e=18 $*"; }

# counts WHAT FILE: what this face has counted is in truth, the program's own sums at its end.
counts() { python3 "$here/programs.py" "$1" truth "$2" || fail "$name, $1: not what it says of itself"; }

view_counts() {
  tui_screen >view
  python3 "$here/programs.py" view truth view >why 2>&1
}

# follows COMMAND...: rtevtop runs the program from its begin to its end, with its output in `out`.
follows() {
  begin
  timeout 300 "$RTEVTOP" "$@" -- "$enter" sh -c "$command" >out 2>truth </dev/null || fail "$name: $*: status $?: $(tail -n 3 truth)"
}

# stands_still: stop the program where its ring is there and is listed; else it goes on for a moment.
stands_still() {
  kill -STOP $pid || return
  run 0 "$RTEVTOP" list --json
  grep "\"pid\":$pid," out >listed && grep -q '"state":"stopped"' listed && return
  kill -CONT $pid
  return 1
}
has_ended() { ! grep -qs '^[0-9]* ([^)]*) [^Z]' /proc/$pid/stat; }

# all NAME ARGUMENT...: one program under all commands.
all() {
  name=$1
  "$enter" sh -c "command -v $name" >/dev/null || { echo "not tried: $name is not in $prefix"; return; }
  command=$(program "$@")
  follows stats --json
  counts stats out
  mv out report
  run 0 "$RTEVTOP" diff --json report report
  ! grep -qE '"change":[^0n]' out || fail "$name: a report differs from itself"
  follows log --json
  counts log out
  follows record -o "$work/run.fxt"
  run 0 "$RTEVTOP" stats --json run.fxt
  counts stats out
  rm run.fxt
  follows -b --json -d 0.25
  counts batch out

  begin
  tui_begin 100 120 "cd '$work'; '$RTEVTOP' -- '$enter' sh -c '${command//\'/\"} >said 2>truth </dev/null'; echo \"status \$?\"; sleep 3600"
  tui_wait 'EXITED with 0'
  tui_press '^phase +count' 3
  # What is folded together for its little time is shown as well.
  ! tui_shows 'below 2% of GC' || tui_keys End Enter
  tui_wait_not 'below 2% of GC'
  # The last events may be read after the end is seen.
  tui_until view_counts || { cat why; fail "$name, view: not what it says of itself"; }
  tui_keys q
  tui_ended 0

  # While it stands still: what takes a process.
  begin
  rm -f ./*.events
  OCAML_RUNTIME_EVENTS_START=1 OCAML_RUNTIME_EVENTS_DIR=$work "$enter" sh -c "$command" >said 2>truth </dev/null &
  pid=$!
  within 60 test -s "$pid.events" || fail "$name made no ring"
  within 60 stands_still || fail "$name is not listed: $(cat listed truth)"
  json "x['name'] and x['ocaml'].startswith('5.')" listed || fail "$name is listed wrongly: $(cat listed)"
  run 0 "$RTEVTOP" metrics -o - -n 1 -d 0.25 $pid
  grep -q "^ocaml_gc_minor_collections_total{.*pid=\"$pid\"" out || fail "$name: metrics do not tell of it: $(head -n 5 out)"
  run 0 "$RTEVTOP" stacks $pid
  grep -q "^" out || fail "$name: no stacks"
  kill -CONT $pid
  within 100 has_ended || fail "$name does not end: $(cat /proc/$pid/status)"
  wait $pid || fail "$name: status $?"
}

case $1 in
  53)
    all coqc a.v
    all haxe -main Main -js out.js
    all unison -batch -silent -ui text "$work/one" "$work/two"
    all liquidsoap --no-stdlib --check a.liq
    ;;
  54) all ocamlformat --enable-outside-detected-project --output=b.ml a.ml ;;
esac
all ocamlopt.opt -c a.ml
