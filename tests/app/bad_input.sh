#!/usr/bin/env bash
# Bad input: each kind gets one clear message, its exit status, and never a wait or a crash.
. "$(dirname "$0")/../support/lib.sh"
need tar xz python3 timeout
ring=$(unpack ocaml-5.3.0-pause)

# refuse TEXT FILE: log, stats and the live view all say so, at once.
refuse() {
  local command
  for command in "log --json" "stats --json"; do
    # shellcheck disable=SC2086
    run 1 timeout 300 "$RTEVTOP" $command "$2"
    says "$1"
    [ ! -s "$work/out" ] || fail "$command $2 printed something"
    [ "$(wc -l <"$work/err")" -le 2 ] || fail "$command $2: more than a message and a remedy"
  done
}

refuse "no such file" "$work/absent.events"
mkfifo "$work/fifo.events"
refuse "not a regular file" "$work/fifo.events"
mkdir "$work/dir.events"
refuse "not a regular file" "$work/dir.events"
refuse "not a regular file" /dev/null
refuse "not a regular file" /dev/zero
ln -s "$work/nowhere" "$work/dangling.events"
refuse "no such file" "$work/dangling.events"
ln -s loop.events "$work/loop.events"
refuse "too many symbolic links in the path" "$work/loop.events"
: >"$work/0.events"
refuse "still being created" "$work/0.events"
touch -d '1 minute ago' "$work/0.events"
refuse "0.events: it is empty" "$work/0.events"
run 1 timeout 300 "$RTEVTOP" "$work/0.events"
says "it is empty"
run 1 timeout 300 "$RTEVTOP" stats --wait=0.1 "$work/0.events"
says "still being created"
# Of another name it is no ring that is being created.
: >"$work/0.fxt"
refuse "0.fxt: it is empty" "$work/0.fxt"
run 1 timeout 300 "$RTEVTOP" stats --wait=0.1 "$work/0.fxt"
says "0.fxt: it is empty"
head -c 63 "$ring" >"$work/63.events"
refuse "not a runtime events ring" "$work/63.events"
head -c 5000 "$ring" >"$work/short.events"
refuse "shorter than its header says" "$work/short.events"
python3 -c 'import random,sys; random.seed(1); sys.stdout.buffer.write(random.randbytes(100000))' >"$work/random.events"
refuse "not a runtime events ring" "$work/random.events"

# poke OFFSET VALUE: a copy of the ring with one 64-bit word changed.
poke() {
  python3 - "$ring" "$work/poked.events" "$1" "$2" <<'PY'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("=Q", data, int(sys.argv[3]), int(sys.argv[4]) & (2**64 - 1))
open(sys.argv[2], "wb").write(data)
PY
}
poke 0 0
refuse "still being created" "$work/poked.events"
poke 0 77
refuse "known format" "$work/poked.events"
for value in 3 -1 9223372036854775808; do
  poke 32 "$value" # ring words
  refuse "known format" "$work/poked.events"
done
for value in 4097 -1; do
  poke 8 "$value" # domains
  refuse "known format" "$work/poked.events"
done
for offset in 16 24 40 48; do
  for value in 1 -8 9223372036854775800; do
    poke $offset "$value"
    run 1 timeout 300 "$RTEVTOP" log --json "$work/poked.events"
    says "could not open"
  done
done

# Rings in which nothing happened: what has no value is not 0.
python3 - "$ring" "$work/empty.events" <<'PY'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
word = lambda at: struct.unpack_from("=Q", data, at)[0]
for domain in range(word(8)):
    struct.pack_into("=QQ", data, word(40) + domain * word(16), 0, 0)
open(sys.argv[2], "wb").write(data)
PY
run 0 "$RTEVTOP" stats "$work/empty.events"
grep -qxE 'pauses 0(   [pmax0-9.]+ +-){5}' "$work/out" || fail "pauses that are none have times: $(cat "$work/out")"

# A file that another user may not read names who may; to read root's nobody is told to be "root or root".
hidden=/etc/shadow
as_other=()
if [ "$(id -u)" = 0 ]; then
  hidden=$work/hidden.events
  cp "$ring" "$hidden"
  chmod 600 "$hidden"
  chmod 711 "$work"
  as_other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
if [ -e "$hidden" ] && "${as_other[@]}" "$RTEVTOP" --version >"$work/version" 2>&1; then
  run 1 "${as_other[@]}" "$RTEVTOP" stats "$hidden"
  says "it belongs to user root: run rtevtop as root"
  grep -q 'as root or' "$work/err" && fail "$(cat "$work/err")"
  # An empty list is one of what we may look into: this very test is not.
  if [ "$(id -u)" = 0 ]; then
    for json in "" --json; do
      # shellcheck disable=SC2086
      run 0 "${as_other[@]}" "$RTEVTOP" list $json
      grep -qE ' live |"live"' "$work/out" && break
      says "of other users could not be looked into"
      says "run rtevtop as root"
      grep -q 'looked into' "$work/out" && fail "list $json: the message stands in the list"
    done
  fi
fi

# A record of length 0 in the middle of the first ring: everything else is still printed, and the status tells.
python3 - "$ring" "$work/corrupt.events" <<'PY'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
word = lambda at: struct.unpack_from("=Q", data, at)[0]
words, headers, start = word(32), word(40), word(48)
head, tail = word(headers), word(headers + 8)
at = head
while at < (head + tail) // 2:
    at += word(start + 8 * (at % words)) >> 54
struct.pack_into("=Q", data, start + 8 * (at % words), 0)
open(sys.argv[2], "wb").write(data)
PY
run 1 timeout 300 "$RTEVTOP" log --json "$work/corrupt.events"
says "invalid records"
[ "$(grep -c '"type":"corrupt"' "$work/out")" = 1 ] || fail "not one corrupt stretch"
grep -v '"type":"corrupt"' "$work/out" >"$work/rest"
lines=$(wc -l <"$work/ocaml-5.3.0-pause/expected.jsonl")
[ "$(wc -l <"$work/rest")" = $((lines - 1)) ] || fail "more than the bad record was skipped"
run 1 timeout 300 "$RTEVTOP" stats --json "$work/corrupt.events"
says "invalid records"
python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$work/out" || fail "no report beside the message"

for word in "--top 1" --json; do
  : >"$work/empty.ctf"
  # shellcheck disable=SC2086
  run 1 timeout 300 "$RTEVTOP" memtrace $word "$work/empty.ctf"
  says "empty.ctf: it is empty"
  # shellcheck disable=SC2086
  run 1 timeout 300 "$RTEVTOP" memtrace $word "$work/loop.events"
  says "too many symbolic links in the path"
done

# A memtrace file that is cut in its first packet of events; one that is cut later, as while it is written, is reported.
for size in 1000 100000; do
  head -c $size "$RTEV_TEST_DATA/memtrace/small.ctf" >"$work/cut.ctf"
  for word in "--top 1" --json --folded --dump; do
    status=$((size == 1000))
    # shellcheck disable=SC2086
    run $status timeout 300 "$RTEVTOP" memtrace $word "$work/cut.ctf"
    says "left out an incomplete packet"
    [ $status = 0 ] || says "cut.ctf: no event could be read"
  done
done

# The clock of a program that is traced steps back between packets, by a number of steps that the low bits of its events
# don't show: that is said once, and all is read.
trace=$RTEV_TEST_DATA/memtrace/small.ctf
python3 - "$trace" "$work/back.ctf" <<'PY' || fail "could not set the clock back"
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = packets = 0
while at + 24 <= len(data):
    for place in (at + 8, at + 16):
        (time,) = struct.unpack_from("<q", data, place)
        struct.pack_into("<q", data, place, time - (packets // 4 << 25) * 3)
    at += struct.unpack_from("<I", data, at + 4)[0] // 8
    packets += 1
assert packets >= 12
open(sys.argv[2], "wb").write(data)
PY
run 0 timeout 300 "$RTEVTOP" memtrace --folded "$trace"
cp "$work/out" "$work/folded"
run 0 timeout 300 "$RTEVTOP" memtrace --folded "$work/back.ctf"
says "back.ctf: the program's clock stepped back, at byte"
[ "$(grep -c 'stepped back' "$work/err")" = 1 ] || fail "the clock's steps are not said once"
cmp -s "$work/out" "$work/folded" || fail "not all was read of a trace whose clock steps back"

# A memtrace file is named as what it is, with the command that reads it.
trace=$RTEV_TEST_DATA/memtrace/small.ctf
refuse "it is a memtrace file, no ring" "$trace"
says "\`rtevtop memtrace FILE\`"
for command in "" "record -o $work/none.fxt"; do
  # shellcheck disable=SC2086
  run 1 timeout 300 "$RTEVTOP" $command "$trace"
  says "it is a memtrace file, no ring"
done
[ ! -e "$work/none.fxt" ] || fail "an empty recording of a memtrace file was left behind"

# Traces are for the live view alone, which says whose they must be; damaged ones don't hang it.
run 0 "$RTEVTOP" record -o "$work/trace" "$ring"
for command in log "record -o $work/none.fxt"; do
  # shellcheck disable=SC2086
  run 1 timeout 300 "$RTEVTOP" $command "$work/trace"
  says "it is a trace, no ring"
  says "\`rtevtop FILE.fxt\` plays a recording, \`rtevtop stats FILE.fxt\` reports on it"
done
[ ! -e "$work/none.fxt" ] || fail "an empty recording was left behind"
for command in "" stats "stats --json"; do
  # shellcheck disable=SC2086
  run 1 timeout 300 "$RTEVTOP" $command "$RTEV_TEST_DATA/fxt/args.fxt"
  says "rtevtop did not record it"
  says "Open it in Perfetto"
  [ -s "$work/out" ] && fail "$command: a report of a foreign trace"
done
printf '\x10\x00\x04\x46\x78\x54\x16\x00' >"$work/magic.fxt"
run 1 timeout 300 "$RTEVTOP" "$work/magic.fxt"
says "rtevtop did not record it"
head -c 60 "$work/trace" >"$work/short.fxt"
run 1 timeout 300 "$RTEVTOP" "$work/short.fxt"
says "damaged before the first event"
run 1 timeout 300 "$RTEVTOP" stats "$work/short.fxt"
says "damaged before the first event"
for command in "" stats; do
  # shellcheck disable=SC2086
  run 2 timeout 300 "$RTEVTOP" $command --ocaml 5.3 "$work/trace"
  says "a recording knows its events by their names"
done
run 1 timeout 300 "$RTEVTOP" "$work/trace"
says "could not show the replay"
says "Perfetto (https://ui.perfetto.dev) opens a recording"
says "\`rtevtop stats FILE.fxt\` needs no terminal"
run 1 timeout 300 "$RTEVTOP" -o "$work" "$ring"
says "need no terminal"
run 1 timeout 300 "$RTEVTOP" memtrace "$RTEV_TEST_DATA/memtrace/small.ctf"
says "\`rtevtop memtrace --top 10 FILE\` needs no terminal"

# Wrong usage.
for arguments in "--nonsense" "log" "stats --json" "log --duration 3 1" "list 4" "-d x 1" "--max-events 0 1" "log a b" \
  "--ocaml 4.14 1" "demo --rate 1" "--history 0 1" "--history x 1" "stats --history 8 1" "log --wait=x 1" "--" "stats 1 -- true"; do
  # shellcheck disable=SC2086
  run 2 timeout 300 "$RTEVTOP" $arguments
  [ -s "$work/err" ] || fail "$arguments: no message"
done

# names WORDS MESSAGE: what is wrong with an option is told of that option, also amid a cluster of letters.
names() {
  # shellcheck disable=SC2086
  run 2 timeout 300 "$RTEVTOP" $1
  [ "$(head -n 1 "$work/err")" = "rtevtop: $2" ] || fail "$1: $(head -n 1 "$work/err")"
}
names "-qC" "unknown option -q"
names "-Cq" "unknown option -q"
names "-q 1" "unknown option -q"
names "-C -UqC 1" "unknown option -q"
names "-Cé" 'unknown option -\xc3'
names "--nonsense=3 1" "unknown option --nonsense=3"
names "-Cd" "-d needs a value"
names "1 --delay" "--delay needs a value"
names "log --json=1 1" "--json=1: this option takes no value"
names "-s nonsense 1" "--sort nonsense: no column of the domain table: domain, doing, cpu, queue, GC, work, wait, minor, young, heap, pauses, p50, p99, max, events, alloc, \
promoted, late, lag, lost, thread"
run 2 "$RTEVTOP" memtrace -s GC "$trace"
says "no column of the sites table: "
run 1 timeout 300 "$RTEVTOP" -s gc "$ring"
says "need no terminal"

run 2 "$RTEVTOP" memtrace
says "memtrace: no FILE.ctf given"
run 2 "$RTEVTOP" memtrace --top 3
says "memtrace: no FILE.ctf given"
run 2 "$RTEVTOP" log
says "log: no TARGET given"
run 2 "$RTEVTOP" record --on-pause 5 -o - 1
says "./- is a file of that name"
run 2 "$RTEVTOP" -o - 1
(cd "$work" && run 0 "$RTEVTOP" record -o ./- "$ring") || exit 1

# Processes.
run 1 "$RTEVTOP" stats 999999999
says "no such process"
run 1 "$RTEVTOP" stats $$
says "not an OCaml 5 process"
cp "$ring" "$work/999999998.events"
run 1 "$RTEVTOP" stats "$work:999999998"
says "rtevtop $work/999999998.events"

# COMMAND: its own status, and those of a shell when it can't be run.
run 7 "$RTEVTOP" stats -- sh -c 'exit 7'
says "without recording runtime events"
run 143 "$RTEVTOP" stats -- sh -c 'kill -TERM $$'
run 127 "$RTEVTOP" stats -- "$work/absent"
run 126 "$RTEVTOP" stats -- "$ring"
run 0 "$RTEVTOP" log -- sh -c 'echo out; echo err >&2'
[ ! -s "$work/out" ] || fail "COMMAND's output is mixed with ours"
says out
says err
run 0 "$RTEVTOP" --help
grep -qx '  rtevtop \[OPTION\]\.\.\. \[TARGET\]\.\.\.' "$work/out" || fail "the help asks for a TARGET"
run 0 "$RTEVTOP" log --version
exit 0
