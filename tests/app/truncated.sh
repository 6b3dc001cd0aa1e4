#!/usr/bin/env bash
# A ring file that its owner cuts short raises SIGBUS in who reads it: the program says so, keeps what it had read, and ends.
. "$(dirname "$0")/../support/lib.sh"
need tar xz python3 timeout truncate
ring=$(unpack ocaml-5.3.0-pause)

# hold: a process that maps the ring as an OCaml program would, and never touches it.
hold() {
  python3 - "$ring" "$work" <<'PY' &
import mmap, os, shutil, sys, time
path = f"{sys.argv[2]}/{os.getpid()}.events"
shutil.copyfile(sys.argv[1], path + ".new")
os.rename(path + ".new", path)
with open(path, "r+b") as file:
    kept = mmap.mmap(file.fileno(), 0)
time.sleep(60)
PY
  holder=$!
  within 10 grep -q "$holder.events" "/proc/$holder/maps" || fail "the ring was not mapped"
}

whole() {
  cmp -s "$work/log" "$work/ocaml-5.3.0-pause/expected.jsonl"
}

for size in 0 4096; do
  hold
  # What an earlier round left would be taken for all of this one's.
  rm -f "$work/log"
  timeout 300 "$RTEVTOP" log -f --json $holder >"$work/log" 2>"$work/err" &
  reader=$!
  within 10 whole || fail "not all was printed before"
  truncate -s $size "$work/$holder.events"
  wait $reader
  status=$?
  [ $status = 1 ] || fail "truncated to $size: exit status $status"
  says "was truncated"
  whole || fail "what had been read is not whole"
  kill $holder
  wait $holder 2>/dev/null
done
exit 0
