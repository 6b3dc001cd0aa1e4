#!/usr/bin/env bash
# What record -o writes to besides a plain file: standard output, FIFOs, pipes; names with placeholders; the form by the name; and files
# that can be opened whatever ends the recording.  Usage: record_streams.sh DUMP
. "$(dirname "$0")/../support/lib.sh"
need python3 tar xz timeout
dump=$1
ring=$(unpack ocaml-5.3.0-pause)

# good FILE: a trace that Perfetto takes whole, with slices.
good() {
  "$dump" "$1" >"$work/dump.jsonl" || fail "$1 is not a trace that Perfetto takes whole"
  grep -q '"kind":"slice"' "$work/dump.jsonl" || fail "$1 has no slice"
}

# valid FILE [LEAST]: whole JSON with more events than LEAST (20).
valid() {
  python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["traceEvents"]) > int(sys.argv[2])' "$1" "${2:-20}" ||
    fail "$1 is no whole JSON"
}

run 0 "$RTEVTOP" record -o "$work/a.fxt" "$ring"
run 0 "$RTEVTOP" record --format json -o "$work/a.any" "$ring"

# The name chooses the form, unless --format does.
run 0 "$RTEVTOP" record -o "$work/a.json" "$ring"
cmp "$work/a.json" "$work/a.any" || fail "x.json is no JSON"
run 0 "$RTEVTOP" record --format fxt -o "$work/b.json" "$ring"
cmp "$work/b.json" "$work/a.fxt" || fail "--format fxt does not win"
mkdir "$work/pauses"
run 0 timeout 300 "$RTEVTOP" record --on-pause 1us --duration 2 -o "$work/pauses/%n.json" -- "$RTEVTOP" demo --seconds 2
valid "$work/pauses/1.json" 0 # of a first pause at once there may be little to record

# Placeholders.
run 0 "$RTEVTOP" record -o "$work/x%%y-%n.fxt" "$ring"
run 0 "$RTEVTOP" record -o "$work/x%%y-%n.fxt" "$ring"
cmp "$work/x%y-1.fxt" "$work/a.fxt" || fail "%% and %n"
cmp "$work/x%y-2.fxt" "$work/a.fxt" || fail "the next %n"
run 0 "$RTEVTOP" record -o "$work/%t.fxt" "$ring"
compgen -G "$work/20??????-??????.fxt" >/dev/null || fail "%t: $(ls "$work")"
run 2 "$RTEVTOP" record -o "$work/50%.fxt" "$ring"
says "is none of %p (pid), %t (time), %n (number), %%"
start_demo --seconds 1000 --domains 2
run 0 "$RTEVTOP" record -o "$work/of-%p.fxt" --duration 1 "$demo"
good "$work/of-$demo.fxt"
run 0 "$RTEVTOP" record -o "$work/me-%p.json" -- bash -c 'echo $$ >"$0"; exec "$@"' "$work/pid" "$RTEVTOP" demo --seconds 1
valid "$work/me-$(cat "$work/pid").json"
run 1 "$RTEVTOP" record -o "$work/absent/%p.fxt" -- touch "$work/ran"
says "could not write $work/absent"
[ ! -e "$work/ran" ] || fail "COMMAND ran for nothing"

# Streams, whatever they are; nothing else stands in them.
"$RTEVTOP" record -o - "$ring" 2>"$work/err" | cat >"$work/b.fxt"
[ "${PIPESTATUS[0]}" = 0 ] || fail "record -o -: $(cat "$work/err")"
cmp "$work/b.fxt" "$work/a.fxt" || fail "record -o - | cat"
"$RTEVTOP" record -o - --format json "$ring" | cat >"$work/b.any"
cmp "$work/b.any" "$work/a.any" || fail "record -o - --format json | cat"
printf before >"$work/c.fxt"
"$RTEVTOP" record -o - "$ring" >>"$work/c.fxt" || fail "record -o - >>FILE"
{ printf before; cat "$work/a.fxt"; } | cmp - "$work/c.fxt" || fail "record -o - >>FILE writes over what is there"
for path in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
  "$RTEVTOP" record -o $path "$ring" | cmp - "$work/a.fxt" || fail "record -o $path"
done
"$RTEVTOP" record -o /dev/fd/9 "$ring" 9> >(cat >"$work/d.fxt"; : >"$work/d.done") || fail "record to a descriptor"
within 100 test -e "$work/d.done"
cmp "$work/d.fxt" "$work/a.fxt" || fail "record -o >(cat)"
run 1 "$RTEVTOP" record -o /dev/fd/99 "$ring"
says "Bad file descriptor"
"$RTEVTOP" record -o - --duration 1 "$demo" | cat >"$work/e.fxt"
good "$work/e.fxt"
"$RTEVTOP" record -o - --format json -- "$RTEVTOP" demo --seconds 1 2>"$work/err" >"$work/e.json" || fail "record -o - -- COMMAND"
valid "$work/e.json"
grep -q "^[0-9]* /" "$work/err" || fail "COMMAND's output is not on standard error"
python3 - "$RTEVTOP" "$ring" <<'PY' || fail "a recording goes to a terminal"
import os, pty, subprocess, sys
control, terminal = pty.openpty()
done = subprocess.run([sys.argv[1], "record", "-o", "-", sys.argv[2]], stdout=terminal, stderr=subprocess.PIPE)
assert done.returncode == 2 and b"does not go to a terminal" in done.stderr, (done.returncode, done.stderr)
PY
run 0 "$RTEVTOP" record -o /dev/null "$ring"
run 0 "$RTEVTOP" record --format json -o /dev/null --duration 0.2 "$demo"
[ -c /dev/null ] || fail "/dev/null was replaced"
ln -s /dev/null "$work/nowhere"
run 0 "$RTEVTOP" record -o "$work/nowhere" "$ring"
# A closed standard output is told once, before a COMMAND runs for nothing.
"$RTEVTOP" record -o - -- touch "$work/ran" >&- 2>"$work/err"
[ $? = 1 ] || fail "record -o - >&-: status is not 1"
[ "$(grep -c '^rtevtop: ' "$work/err")" = 1 ] || fail "record -o - >&-: $(cat "$work/err")"
says "could not write standard output: Bad file descriptor"
[ ! -e "$work/ran" ] || fail "COMMAND ran for nothing"
run 1 "$RTEVTOP" record -o /dev/zero "$ring"
says "not a regular file"

# A FIFO is waited for, and by who asks to end not for ever.
mkfifo "$work/fifo"
"$RTEVTOP" record -o "$work/fifo" "$ring" 2>"$work/err" &
recorder=$!
within 100 grep -q "waiting for a reader of $work/fifo" "$work/err" || fail "no word of the wait: $(cat "$work/err")"
cat "$work/fifo" >"$work/f.fxt"
wait $recorder || fail "record to a FIFO: $(cat "$work/err")"
cmp "$work/f.fxt" "$work/a.fxt" || fail "record to a FIFO"
rm "$work/err"
"$RTEVTOP" record -o "$work/fifo" -- touch "$work/ran" 2>"$work/err" &
recorder=$!
within 100 grep -q "waiting for a reader" "$work/err" || fail "no word of the wait: $(cat "$work/err")"
kill -TERM $recorder
wait $recorder
[ $? = 1 ] || fail "who waits for a reader does not end by SIGTERM with status 1"
says "nobody reads it"
[ ! -e "$work/ran" ] || fail "COMMAND ran for nothing"
[ -p "$work/fifo" ] || fail "the FIFO is gone"

# A reader that ends is told of; one that stands still does not keep who asks to end.
{ timeout 300 "$RTEVTOP" record -o - "$demo" 2>"$work/err"; echo $? >"$work/status"; } | head -c 100 >/dev/null
[ "$(cat "$work/status")" = 1 ] || fail "a reader that has ended: status $(cat "$work/status")"
says "could not go on writing standard output: Broken pipe"
exec 7<>"$work/fifo"
for target in "$demo" "$ring"; do
  "$RTEVTOP" record -o "$work/fifo" "$target" 7>&- 2>"$work/err" &
  recorder=$!
  # It is stuck once the pipe is full.
  full() {
    python3 -c 'import fcntl, struct, sys
held = struct.unpack("i", fcntl.ioctl(7, 0x541B, struct.pack("i", 0)))[0]
sys.exit(held < 60000)'
  }
  within 100 full || fail "the pipe does not fill"
  kill -TERM $recorder
  kill -TERM $recorder
  wait $recorder
  [ $? = 1 ] || fail "a reader that stands still: status is not 1"
  says "Its reader stood still."
  python3 -c 'import os; os.set_blocking(7, False)
try:
    while os.read(7, 1 << 20): pass
except BlockingIOError: pass'
done
exec 7>&-
if [ "$(id -u)" = 0 ]; then
  mkdir "$work/sticky"
  chmod 1777 "$work/sticky"
  mkfifo "$work/sticky/fifo"
  chown 65534 "$work/sticky/fifo"
  exec 7<>"$work/sticky/fifo"
  run 1 timeout 300 "$RTEVTOP" record -o "$work/sticky/fifo" "$ring"
  says "Permission denied"
  exec 7>&-
fi

# opens FORM: the recording $work/killed is whole; or up to a record that ends with a page, for SIGKILL ends a write there.
opens() {
  if [ $(($(stat -c %s "$work/killed") % 4096)) != 0 ]; then
    if [ "$1" = json ]; then valid "$work/killed"; else good "$work/killed"; fi
  elif [ "$1" = json ]; then
    { sed '$d' "$work/killed" | sed '$s/,$//'; printf '\n]}\n'; } >"$work/repaired"
    valid "$work/repaired"
  elif ! "$dump" "$work/killed" >/dev/null 2>&1; then
    run 1 "$RTEVTOP" stats --json "$work/killed"
    says "ends inside a record"
    says "Everything before it was read."
    grep -q '"events":[1-9]' "$work/out" || fail "nothing was read of what stands before it"
  fi
}

# A recording that is killed can be read, at any time since there is a file.
for i in 1 2 3 4 5; do
  for form in json fxt; do
    rm -f "$work/killed"
    "$RTEVTOP" record --format $form -o "$work/killed" "$demo" &
    recorder=$!
    within 100 test -s "$work/killed" || fail "there is no file"
    python3 -c 'import random, time; time.sleep(random.random() / 2)'
    kill -KILL $recorder
    wait $recorder 2>/dev/null
    opens $form
  done
done
for form in json fxt; do
  run 0 "$RTEVTOP" record --force --format $form -o "$work/cut" --duration 1 "$demo"
  head -c $(($(stat -c %s "$work/cut") / 8192 * 4096)) "$work/cut" >"$work/killed"
  opens $form
done
rm -f "$work"/.rtevtop-*

# So can one that had no room, of which it is said that it is complete up to there.
(ulimit -f 200 && exec "$RTEVTOP" record -o "$work/cut.json" "$demo") 2>"$work/err"
[ $? = 1 ] || fail "no failure where the file may not grow"
says "It is complete up to there."
valid "$work/cut.json"
cat >"$work/full.sh" <<'SH'
mount -t tmpfs -o size=300k none "$2" || exit
"$1" record -o "$2/cut.json" -- "$1" demo --rate 100000 --seconds 3
cp "$2/cut.json" "$3"
SH
mkdir "$work/full"
unshare -r -m bash "$work/full.sh" "$RTEVTOP" "$work/full" "$work/full.json" 2>"$work/err"
if [ -e "$work/full.json" ]; then
  says "No space left on device"
  says "It is complete up to there."
  valid "$work/full.json"
else
  echo "not tried: a full disk, for want of a mount of our own"
fi
exit 0
