#!/usr/bin/env bash
# Programs whose structures, tables and files lie: each command that looks at them ends, with a reason or a report, and takes no more memory
# than for others.
# Usage: hostile.sh FALSE_RUNTIME
. "$(dirname "$0")/../support/lib.sh"
need python3 timeout
false_runtime=$1
lying=$(dirname "$0")/../support/lying_elf.py
sanitized=
grep -aq __asan_init "$RTEVTOP" && sanitized=1 # which has memory of its own
lying() {
  python3 "$lying" "$false_runtime" "$work/$1" "$1" && chmod +x "$work/$1"
}

# most COMMAND...: run it; its status goes to $work/status, the most memory that it had, in MiB, is printed.
most() {
  python3 - "$work/status" "$@" <<'PY'
import os, subprocess, sys
command = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(command.pid, 0)
open(sys.argv[1], "w").write(str(os.waitstatus_to_exitcode(status)))
print(usage.ru_maxrss // 1024)
PY
}

# bounded NAME PROGRAM ARGUMENT...: start it, and look at it in every way.
bounded() {
  local name=$1 memory
  shift
  "$@" >"$work/pid" &
  started=$!
  within 60 test -s "$work/pid" || fail "$name: not ready"
  for command in list "stats --duration 0.2" "-b -n 1 -d 0.2" stacks "stacks --fibers" "stats --code --duration 0.2"; do
    # shellcheck disable=SC2086
    memory=$(most "$RTEVTOP" $command $([ "$command" = list ] || echo $started))
    case $(cat "$work/status") in 0 | 1) ;; *) fail "$name: $command: status $(cat "$work/status")" ;; esac
    [ "$memory" -lt 128 ] || [ -n "$sanitized" ] || fail "$name: $command: $memory MiB"
  done
  kill $started
  wait $started 2>/dev/null
  : >"$work/pid"
}

for mode in plain own_parent spin table list; do
  bounded "$mode" "$false_runtime" "$mode"
done
for kind in names copies letters functions; do
  lying "$kind" || fail "could not make $kind"
  bounded "$kind" "$work/$kind"
done
