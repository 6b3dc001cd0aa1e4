#!/usr/bin/env bash
# What a killed rtevtop leaves is removed at the next start, if it is rtevtop's own beyond doubt; and what replaces a folder under way is
# never touched.
. "$(dirname "$0")/../support/lib.sh"
need tar xz stat find
ring=$(unpack ocaml-5.3.0-pause)
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
unset OCAML_RUNTIME_EVENTS_DIR

folders() { find "$TMPDIR" -mindepth 1 -maxdepth 1 -name 'rtevtop-*' | wc -l; }
has_folders() { [ "$(folders)" = "$1" ]; }
has_ring() { compgen -G "$TMPDIR/rtevtop-*/*.events" >"$work/found"; }

# Killed beside its COMMAND: the folder stays while COMMAND writes there, and goes with the next start after its end.
"$RTEVTOP" stats -- "$RTEVTOP" demo --seconds 3000 >/dev/null 2>&1 &
ours=$!
within 20 has_ring || fail "COMMAND makes no ring"
target=$(basename "$(cat "$work/found")" .events)
run 0 "$RTEVTOP" stats -- true
has_folders 1 || fail "a folder in use was removed"
kill -KILL $ours
wait $ours 2>/dev/null
kill -0 "$target" || fail "COMMAND has ended with us"
run 0 "$RTEVTOP" list
has_folders 1 && has_ring || fail "a folder that COMMAND uses was removed"
kill -KILL "$target"
gone() { ! kill -0 "$1" 2>/dev/null; }
within 10 gone "$target" || fail "COMMAND does not end"
run 0 "$RTEVTOP" list
has_folders 0 || fail "the folder of a killed rtevtop is left"

# The producer alone, killed.
"$RTEVTOP" demo >/dev/null &
ours=$!
within 20 has_ring || fail "the demo makes no ring"
run 0 "$RTEVTOP" list
has_ring || fail "the folder of a running demo was removed"
kill -KILL $ours
wait $ours 2>/dev/null
run 0 "$RTEVTOP" list
has_folders 0 || fail "the folder of a killed demo is left"

# A demo that was started for a view that has ended ends too, and removes the view's folder.
RTEVTOP_DEMO_OF=1 run 0 timeout 300 "$RTEVTOP" demo
[ ! -s "$work/out" ] || fail "a demo for nobody runs"
has_folders 0 || fail "a demo for nobody leaves a folder"

# leftover NAME: a folder as a killed rtevtop leaves it.
leftover() {
  mkdir -m 700 "$TMPDIR/$1"
  install -m 600 /dev/null "$TMPDIR/$1/.rtevtop"
  echo '999999999 12345' >"$TMPDIR/$1/.rtevtop"
  install -m 600 "$ring" "$TMPDIR/$1/999999998.events"
}
# sweep: the next start.
sweep() { run 0 "$RTEVTOP" list; }
# stays NAME WHY, goes NAME
stays() {
  sweep
  [ -e "$TMPDIR/$1/.rtevtop" ] || [ -L "$TMPDIR/$1" ] || fail "removed although $2"
  rm -rf "${TMPDIR:?}/$1"
}
goes() {
  sweep
  [ ! -e "$TMPDIR/$1" ] || fail "a leftover stays: $2"
}

leftover rtevtop-00c0ffee
goes rtevtop-00c0ffee 'rings of the dead'
leftover rtevtop-00c0ffee
install -m 600 /dev/null "$TMPDIR/rtevtop-00c0ffee/.999999998.events.0123abcd"
goes rtevtop-00c0ffee 'a ring in the making'
leftover rtevtop-00c0ffee
rm "$TMPDIR"/rtevtop-00c0ffee/*.events
goes rtevtop-00c0ffee 'no ring'
leftover rtevtop-00c0ffee
echo "$$ 1" >"$TMPDIR/rtevtop-00c0ffee/.rtevtop"
goes rtevtop-00c0ffee 'another process has its pid'

if command -v python3 >/dev/null; then
  # An owner that nobody has collected yet is gone as well.
  python3 -c 'import os, sys, time
pid = os.fork()
if pid == 0: os._exit(0)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
print(pid, open(f"/proc/{pid}/stat").read().rsplit(") ", 1)[1].split()[19], flush=True)
time.sleep(100)' >"$work/zombie" &
  keeper=$!
  within 20 test -s "$work/zombie" || fail "python makes no zombie"
  leftover rtevtop-00c0ffee
  cp "$work/zombie" "$TMPDIR/rtevtop-00c0ffee/.rtevtop"
  goes rtevtop-00c0ffee 'its owner has ended'
  kill $keeper
fi

for name in rtevtop-00c0ffe rtevtop-00C0FFEE rtevtop-00c0ffee0 other; do
  leftover "$name"
  stays "$name" "$name is no name of ours"
done
name=rtevtop-00c0ffee
leftover $name
echo letters >"$TMPDIR/$name/letters"
stays $name 'there is something else in it'
leftover $name
mkdir "$TMPDIR/$name/12.events"
stays $name 'there is a folder in it'
leftover $name
ln -s "$ring" "$TMPDIR/$name/999999997.events"
stays $name 'there is a link in it'
leftover $name
ln "$TMPDIR/$name/999999998.events" "$work/name"
stays $name 'its ring has another name'
rm "$work/name"
leftover $name
install -m 600 "$ring" "$TMPDIR/$name/$$.events"
stays $name 'a process of that number runs'
leftover $name
chmod 755 "$TMPDIR/$name"
stays $name 'others may look into it'
for marker in '' 'x' '999999999' '-1 1' '0 1' '999999999 1 x'; do
  leftover $name
  echo "$marker" >"$TMPDIR/$name/.rtevtop"
  stays $name "the marker is \"$marker\""
done
leftover $name
ticks=$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f20)
echo "$$ $ticks" >"$TMPDIR/$name/.rtevtop"
stays $name 'its owner runs'
if command -v flock >/dev/null; then
  leftover $name
  exec 8<"$TMPDIR/$name"
  flock 8
  stays $name 'it is locked'
  exec 8<&-
fi
# The folder or the marker is a link; the folder of another user.
leftover $name
mv "$TMPDIR/$name" "$work/real"
ln -s "$work/real" "$TMPDIR/$name"
sweep
[ -e "$work/real/999999998.events" ] && [ -L "$TMPDIR/$name" ] || fail "a link was followed"
rm "$TMPDIR/$name"
mv "$work/real" "$TMPDIR/$name"
mv "$TMPDIR/$name/.rtevtop" "$work/marker"
ln -s "$work/marker" "$TMPDIR/$name/.rtevtop"
stays $name 'its marker is a link'
if [ "$(id -u)" = 0 ]; then
  leftover $name
  chown -R 65534 "$TMPDIR/$name"
  stays $name 'it is of another user'
  leftover $name
  chown 65534 "$TMPDIR/$name/999999998.events"
  stays $name 'a ring in it is of another user'
fi

# A ring that somebody maps, who may see other pids, is none of the dead.
if command -v python3 >/dev/null; then
  leftover $name
  python3 -c 'import mmap, sys, time
with open(sys.argv[1], "r+b") as f:
    m = mmap.mmap(f.fileno(), 0)
open(sys.argv[2], "w").close()
time.sleep(100)' "$TMPDIR/$name/999999998.events" "$work/mapped" &
  reader=$!
  within 20 test -e "$work/mapped" || fail "python maps nothing"
  stays $name 'its ring is mapped'
  kill $reader
fi

# Kept rings are kept.
OCAML_RUNTIME_EVENTS_PRESERVE=1 run 0 "$RTEVTOP" stats -- "$RTEVTOP" demo --seconds 0.2
has_ring || fail "the ring was not kept"
sweep
has_ring || fail "the ring that is to be kept was taken for a leftover"
rm -rf "${TMPDIR:?}"/rtevtop-*

# The private folder has been replaced by a link when COMMAND ends: what the link leads to stays, and the folder goes.
mkdir "$work/victim"
install -m 600 "$ring" "$work/victim/4242.events"
run 0 "$RTEVTOP" stats -- sh -c '"$0" demo --seconds 0.3 >/dev/null; mv "$OCAML_RUNTIME_EVENTS_DIR" "$1/moved" &&
  ln -s "$1/victim" "$OCAML_RUNTIME_EVENTS_DIR"' "$RTEVTOP" "$work"
[ -e "$work/victim/4242.events" ] || fail "a ring behind a link was removed"
[ -z "$(find "$work/moved" -name '*.events' 2>/dev/null)" ] || fail "the ring in the folder that was moved stays"
rm -rf "${TMPDIR:?}"/rtevtop-* "$work/moved"

# The folder that the user has given stays, and so does a file in it.
export OCAML_RUNTIME_EVENTS_DIR=$work/given
mkdir "$work/given"
run 0 "$RTEVTOP" stats -- sh -c '"$0" demo --seconds 0.3 >"$1/line"; read -r pid path <"$1/line"
  cp "$path" "$1/victim/$pid.events"; mv "$1/given" "$1/moved" && ln -s victim "$1/given"' "$RTEVTOP" "$work"
read -r pid _ <"$work/line"
[ -e "$work/victim/$pid.events" ] || fail "a file behind a link was removed"
rm "$work/given" && mv "$work/moved" "$work/given"
rm -f "$work/given"/*
run 0 "$RTEVTOP" stats -- sh -c '"$0" demo --seconds 0.3 >"$1/line"; read -r pid path <"$1/line"
  cp "$path" "$1/new" && mv "$1/new" "$path"' "$RTEVTOP" "$work"
read -r pid path <"$work/line"
[ -e "$path" ] || fail "a file that took the ring's place was removed"

# As root: a ring that another user has planted in a folder of many is not taken for COMMAND's.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 1777 "$work/given"
  chmod 711 "$work"
  install -m 644 "$ring" "$work/any"
  run 0 "$RTEVTOP" stats -- setpriv --reuid=65534 --clear-groups cp "$work/any" "$work/given/999999998.events"
  says 'ended without recording runtime events'
  [ -e "$work/given/999999998.events" ] || fail "a file of another user was removed"
fi
exit 0
