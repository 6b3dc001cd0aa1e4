#!/usr/bin/env bash
# The file system of a ring is full: the ring of a program that died of it is a file without a page, in which a read of the mapping
# raises SIGBUS.  It is a file that can't be used, with a message.
. "$(dirname "$0")/../support/lib.sh"
if [ "${1:-}" != inside ]; then
  unshare -rm true 2>/dev/null || skip 'no user and mount namespaces here'
  cleanup
  exec unshare -rm "$0" inside
fi

mkdir "$work/disk"
mount -t tmpfs -o size=64k tmpfs "$work/disk" || skip 'no tmpfs here'
trap 'umount "$work/disk"; cleanup' EXIT
truncate -s 68167744 "$work/disk/4242.events"
dd if=/dev/zero of="$work/disk/other" bs=4k count=64 2>/dev/null
for command in log stats "record -o $work/out.fxt"; do
  run 1 "$RTEVTOP" $command "$work/disk/4242.events"
  grep -q 4242.events "$work/err" || fail "$command: no message about the file"
done

# The first page is there, the headers of the rings that follow are not (before Linux 5.14 nobody can tell).
if [ "$(printf '%s\n' 5.14 "$(uname -r)" | sort -V | head -n 1)" = 5.14 ]; then
  rm -f "$work/disk"/*
  ring=$(unpack ocaml-5.3.0-pause)
  head -c 4096 "$ring" >"$work/disk/4243.events"
  truncate -s "$(stat -c %s "$ring")" "$work/disk/4243.events"
  dd if=/dev/zero of="$work/disk/other" bs=4k count=64 2>/dev/null
  for command in log stats "record -o $work/out.fxt"; do
    run 1 "$RTEVTOP" $command "$work/disk/4243.events"
    says "4243.events: could not map the file"
    [ "$(wc -l <"$work/err")" = 2 ] || fail "$command: more than a message and its remedy"
  done
fi

# A demo without room, for the file that says whose folder it is, for the first ring, or for one that follows: one message, and nothing
# stays behind.  The same beyond a limit of file sizes.
rm -f "$work/disk"/*
export TMPDIR=$work/disk
for room in 0 4 40 2000; do
  mount -o remount,size=8m "$work/disk"
  dd if=/dev/zero of="$work/disk/other" bs=4k count=$((2048 - room / 4)) 2>/dev/null
  run 1 timeout 300 "$RTEVTOP" demo --domains 16
  [ "$(wc -l <"$work/err")" = 2 ] || fail "demo, ${room}k: not a message and its remedy: $(cat "$work/err")"
  grep -qi 'no space left' "$work/err" || fail "demo, ${room}k: $(cat "$work/err")"
  [ "$(ls -A "$work/disk")" = other ] || fail "demo, ${room}k: left behind: $(ls -A "$work/disk")"
done
rm -f "$work/disk"/*
run 1 bash -c 'ulimit -f 1000; exec "$0" demo' "$RTEVTOP"
says 'file too large for a limit'
[ -z "$(ls -A "$work/disk")" ] || fail "ulimit -f: left behind: $(ls -A "$work/disk")"
unset TMPDIR

# A COMMAND that can't write its ring.
export OCAML_RUNTIME_EVENTS_DIR=$work/disk
run 135 "$RTEVTOP" stats -- sh -c 'kill -BUS $$'
says 'sh was ended by SIGBUS before it recorded runtime events'
says "Is there room in $work/disk for its ring?"
