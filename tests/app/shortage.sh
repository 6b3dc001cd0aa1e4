#!/usr/bin/env bash
# What runs short is told, with what helps, and is no success: descriptors, memory, processes, threads.  A list is whole, or says that
# it is not.  Usage: shortage.sh [SHORT_MODULE] (for LD_PRELOAD, see short.c; none where it can't be)
. "$(dirname "$0")/../support/lib.sh"
need python3 timeout
short=${1:-}
start_demo --seconds 3000 --domains 2
pid=$demo path=$demo_ring
within 30 test -e "$path" || fail "no ring"

# ascii: with the signs of numbers of a locale that could not be loaded.
ascii() { sed 's/µ/u/g; s/±/~/g; s/≤/</g; s/≥/>/g'; }

# line: what a list says of the demo.
line() { grep "^ *$pid " "$1"; }
"$RTEVTOP" list >"$work/whole"
whole=$(line "$work/whole")
[ -n "$whole" ] || fail "the list lacks the demo"

# whole_or_said WHAT STATUS MESSAGE: after a list.
whole_or_said() {
  case $2 in
    0) [ "$(line "$work/out")" = "$whole" ] || fail "$1: success with $(line "$work/out")" ;;
    1)
      grep -qE "$3" "$work/err" || fail "$1: $(cat "$work/err")"
      grep -q '^  .*ulimit' "$work/err" || fail "$1: no remedy: $(cat "$work/err")"
      ;;
    *) fail "$1: status $2: $(cat "$work/err")" ;;
  esac
}

# loads: what the loader lacks is not ours to tell.
loads() { ! grep -q 'error while loading shared libraries' "${1:-$work/err}"; }

# Descriptors.
told=0
for ((n = 4; n < 24; n++)); do
  for command in list "list --json"; do
    # shellcheck disable=SC2086
    (ulimit -n "$n" && exec timeout 300 "$RTEVTOP" $command) >"$work/out" 2>"$work/err" </dev/null
    status=$?
    loads || continue
    told=$((told + status))
    # What the JSON says of it is the same; the line is that of the text.
    [ "$command" = list ] || { [ $status = 0 ] && grep -q "^{\"pid\":$pid,.*\"state\":\"live\",\"domains\":2" "$work/out" && continue; }
    whole_or_said "$command, $n descriptors" $status 'too few file descriptors'
  done
  for command in "log $pid" "stats --duration 0.01 $pid" "record --force -o $work/o.fxt --duration 0.01 $pid"; do
    # shellcheck disable=SC2086
    (ulimit -n "$n" && exec timeout 300 "$RTEVTOP" $command) >"$work/out" 2>"$work/err" </dev/null
    status=$?
    loads || continue
    case $status in
      0) ;;
      1) grep -q 'too few file descriptors' "$work/err" && grep -q '^  Raise the limit: ulimit -n' "$work/err" ||
        fail "$command, $n descriptors: $(cat "$work/err")" ;;
      *) fail "$command, $n descriptors: $(cat "$work/err")" ;;
    esac
  done
done
[ $told -gt 4 ] || fail "so few descriptors did for the list"

# Where there is no such library, with a sanitizer, the rest is left to the other builds.
[ -n "$short" ] || exit 0

# Memory, at whatever allocation it ends.
for ((n = 1; n < 160; n++)); do
  SHORT_MALLOC=$n LD_PRELOAD=$short "$RTEVTOP" list >"$work/out" 2>"$work/err" </dev/null
  status=$?
  loads || continue
  whole_or_said "list, memory for $n" $status 'out of memory'
done

# One allocation fails, whichever: what is printed or recorded is whole, or a message says that it is not.
PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1 python3 - "$work/some.events" <<'PY' || fail "could not make the ring"
import sys
from ring_file import INT, SPAN_BEGIN, SPAN_END, UNIT, Ring
ring = Ring(domains=2, words=1 << 14)
for event in range(40):
    ring.name(event, b"name%d" % event)
for i in range(400):
    ring.begin(i % 2, 1000 * i, 11)
    ring.end(i % 2, 1000 * i + 700, 11)
    for kind, payload in (UNIT, []), (INT, [i]), (SPAN_BEGIN, []), (SPAN_END, []):
        ring.user(i % 2, 1000 * i + 800 + kind, kind, i % 40, *payload)
ring.save(sys.argv[1])
PY
# short_of N COMMAND...: without the Nth allocation, nothing started besides.  False: there were not so many.
short_of() {
  SHORT_ONCE=$1 SHORT_TOLD="$work/told.$1" LD_PRELOAD="$short" "$RTEVTOP" "${@:2}" >"$work/out.$1" 2>"$work/err.$1" </dev/null
  status=$?
  echo $status >"$work/status.$1"
  [ -e "$work/told.$1" ]
}
# left: a file under a temporary name.
left() { compgen -G "$work/.rtevtop-*"; }

# whichever WHOLE COMMAND...: it succeeds with just what WHOLE holds, or fails with a message; in $work/one if it goes to a file.
whichever() {
  local whole=$1 n made
  shift
  mkdir "$work/json"
  for ((n = 1; ; n++)); do
    [ ! -e "$work/one" ] || rm "$work/one"
    short_of $n "$@" || break
    loads "$work/err.$n" || continue
    made=$work/out.$n
    [ "$1" != record ] || made=$work/one
    case $status in
      0) cmp -s "$made" "$whole" || [ "$(ascii <"$whole")" = "$(cat "$made")" ] || fail "$*, allocation $n: success, but $(diff "$whole" "$made" | head -n 5)" ;;
      1) [ -s "$work/err.$n" ] || fail "$*, allocation $n: no message" ;;
      *) fail "$*, allocation $n: status $status: $(cat "$work/err.$n")" ;;
    esac
    [ $status = 0 ] || [ ! -e "$work/one" ] || [ "$2" != --format=json ] || mv "$work/one" "$work/json/$n"
    ! left || fail "$*, allocation $n: left behind"
  done
  [ $n -gt 20 ] || fail "$*: only $n allocations"
  python3 -c '
import json, os, sys
for name in os.listdir(sys.argv[1]):
    try:
        json.load(open(os.path.join(sys.argv[1], name)))
    except ValueError as error:
        sys.exit(f"allocation {name}: {error}")' "$work/json" || fail "$*: no JSON"
  rm -r "$work/json" "$work"/{told,out,err,status}.*
}
for command in stats "stats --json" "stats --full" log "record --format=json -o $work/one" "record --format=fxt -o $work/one"; do
  read -ra words <<<"$command"
  run 0 "$RTEVTOP" "${words[@]}" "$work/some.events"
  if [ -e "$work/one" ]; then mv "$work/one" "$work/whole"; else mv "$work/out" "$work/whole"; fi
  whichever "$work/whole" "${words[@]}" "$work/some.events"
done

# Of a process the figures differ from run to run, but there are user events in all of them.
# Each waits for its time: eight at once.
for ((n = 1; ; n += 8)); do
  metrics=()
  for ((k = n; k < n + 8; k++)); do
    short_of $k metrics -n 1 -d 100ms --by-domain --user-events -o - "$pid" &
    metrics+=($!)
  done
  for ((k = n; k < n + 8; k++)); do
    wait "${metrics[k - n]}" || break 2
    loads "$work/err.$k" || continue
    case $(cat "$work/status.$k") in
      0)
        # A demo that the machine keeps from running has none in so short a time.
        counted() { grep -q '^ocaml_user_events_total{' "$work/out.$k"; }
        counted || short_of "$k" metrics -n 1 -d 3 --by-domain --user-events -o - "$pid"
        counted || fail "metrics, allocation $k: success without user events"
        ;;
      1) [ -s "$work/err.$k" ] || fail "metrics, allocation $k: no message" ;;
      *) fail "metrics, allocation $k: status $(cat "$work/status.$k"): $(cat "$work/err.$k")" ;;
    esac
  done
done
wait "${metrics[@]}"
[ $n -gt 20 ] || fail "metrics: only $n allocations"

# Threads and processes.
timeout 300 env SHORT_THREADS=1 LD_PRELOAD="$short" "$RTEVTOP" record -o "$work/x.fxt" "$pid" >"$work/out" 2>"$work/err" </dev/null
[ $? = 1 ] || fail "recorded without a thread"
says "could not record to $work/x.fxt: no process or thread more can be started"
says "  End other programs, or raise the limit: ulimit -u"
timeout 300 env SHORT_THREADS=1 LD_PRELOAD="$short" "$RTEVTOP" stats -- true >"$work/out" 2>"$work/err" </dev/null
[ $? = 125 ] || fail "ran COMMAND without a process"
says "could not start true: no process or thread more can be started"
says "  End other programs, or raise the limit: ulimit -u"
