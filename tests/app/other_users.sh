#!/usr/bin/env bash
# As root: a file that a process names as its ring is opened only if the process's own user may read it; one given as TARGET is the
# user's own choice.
. "$(dirname "$0")/../support/lib.sh"
need setpriv tar xz timeout
[ "$(id -u)" = 0 ] || skip "only root may read what others may not"
as_other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
"${as_other[@]}" true 2>/dev/null || skip "this root can't become another user"
ring=$(unpack ocaml-5.3.0-pause)
chmod 711 "$work"
install -m 600 "$ring" "$work/root.events"
mkdir "$work/theirs"
chown 65534:65534 "$work/theirs"

# start [DIR]: a process of the other user, waiting where DIR or else its working directory has a ring that is a link to root's.
start() {
  "${as_other[@]}" env ${1:+OCAML_RUNTIME_EVENTS_DIR="$1"} sh -c 'cd "$1" && ln -s "$2" $$.events && echo $$ >pid && exec sleep 3600' \
    sh "$work/theirs" "$work/root.events" &
  within 20 test -s "$work/theirs/pid" || fail "the process does not start"
  pid=$(cat "$work/theirs/pid")
  rm "$work/theirs/pid"
}

for dir in "" "$work/theirs" .; do
  chmod 600 "$work/root.events"
  start "$dir"
  for command in "log --json" "stats --json --duration 0.1" "record -o $work/none.fxt"; do
    # shellcheck disable=SC2086
    run 1 timeout 300 "$RTEVTOP" $command "$pid"
    says "process $pid (sleep) names it as its ring, and that process's user may not read it"
    says "give the file: rtevtop "
    [ ! -s "$work/out" ] || fail "$command prints what the link leads to"
  done
  [ ! -e "$work/none.fxt" ] || fail "a recording is left"
  # Whoever gives the file, or its directory, chooses it.
  run 0 timeout 300 "$RTEVTOP" stats --json "$work/theirs/$pid.events"
  run 0 timeout 300 "$RTEVTOP" log --json "$work/theirs:$pid"
  # What the process's user may read is read.
  chmod 644 "$work/root.events"
  run 0 timeout 300 "$RTEVTOP" log --json "$pid"
  [ -s "$work/out" ] || fail "a ring that the user may read is not read"
  kill "$pid"
done

# A real target of another user is found all the same: it maps its ring.
mkdir "$work/demo"
install -m 755 "$RTEVTOP" "$work/rtevtop" # where the other user can get to it
chown 65534:65534 "$work/demo"
"${as_other[@]}" env OCAML_RUNTIME_EVENTS_DIR="$work/demo" "$work/rtevtop" demo --seconds 3000 >"$work/line" &
within 20 test -s "$work/line" || fail "the demo of another user does not start"
read -r pid _ <"$work/line"
run 0 timeout 300 "$RTEVTOP" stats --json --duration 0.3 "$pid"
run 0 timeout 300 "$RTEVTOP" list --json
grep -q "\"pid\":$pid,.*\"state\":\"live\"" "$work/out" || fail "list: $(grep "\"pid\":$pid," "$work/out")"
exit 0
