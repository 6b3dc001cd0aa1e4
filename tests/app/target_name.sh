#!/usr/bin/env bash
# A TARGET by name: of one process, of several, of none, of a file, of one that is waited for, and names that a terminal must not get.
. "$(dirname "$0")/../support/lib.sh"
need timeout
cd "$work" || exit 1
# Not the name of any process on this machine.
one=one$$.exe several=several$$

# A demo forks children of its name now and then, which are processes of that name as well: one that is stopped does not.
demos=
trap 'kill -CONT $demos 2>/dev/null; cleanup' EXIT

# stands_alone PID: stop it, until no child of it runs.
stands_alone() {
  demos="$demos $1"
  kill -STOP "$1"
  alone() { grep -q ') T ' "/proc/$1/stat" && ! ps -o stat= --ppid "$1" | grep -q '^[^Z]'; }
  within 100 alone "$1" || fail "a child of a demo does not end"
}

# demo NAME: start a demo under that first word; its pid is in $pid.
demo() {
  (exec -a "$1" "$RTEVTOP" demo --rate 2000 --domains 1 --seconds 1000) >"demo.$$" &
  pid=$!
  within 100 test -s "demo.$$" || fail "a demo does not start"
  rm "demo.$$"
  stands_alone $pid
}

demo "/somewhere/else/$one"
first=$pid
run 0 timeout 300 "$RTEVTOP" stats --json --duration 0.1 "$one"
grep -q "\"pid\":$first," out || fail "stats: $(cat out)"
run 0 timeout 300 "$RTEVTOP" -b --json -d 0.1 -n 1 "$one"
grep -q "\"pid\":$first," out || fail "-b: $(cat out)"
run 0 timeout 300 "$RTEVTOP" record --duration 0.1 -o named.fxt "$one"
run 0 timeout 300 "$RTEVTOP" metrics -d 0.1 -n 1 -o named.prom "$one"
grep -q "pid=\"$first\"" named.prom || fail "metrics: $(cat named.prom)"
run 0 timeout 300 "$RTEVTOP" log --json "$one"

# By the kernel's name, which is that of the file that was executed; run from elsewhere, as a file of the name wins.
mkdir bin elsewhere
cp "$RTEVTOP" "bin/comm$$"
(exec -a other "bin/comm$$" demo --rate 2000 --domains 1 --seconds 1000) >demo.comm &
comm=$!
within 100 test -s demo.comm || fail "a copy does not start"
stands_alone $comm
run 0 timeout 300 "$RTEVTOP" stats --json --duration 0.1 "comm$$"
grep -q "\"pid\":$comm," out || fail "by the kernel's name: $(cat out)"
# A folder is no TARGET, so it does not hide a process; a file does.
mkdir "comm$$"
run 0 timeout 300 "$RTEVTOP" stats --json --duration 0.1 "comm$$"
rmdir "comm$$"
echo text >"comm$$"
run 1 timeout 300 "$RTEVTOP" stats --duration 0.1 "comm$$"
says "could not open comm$$: "

# Of several, commands list the pids.
demo "$several"
second=$pid
demo "$several"
third=$pid
pids=$(printf '%s\n' "$second" "$third" | sort -n | paste -sd, | sed 's/,/, /')
for words in "stats" "log" "record -o none.fxt" "metrics -n 1 -o none.prom" "-b -n 1"; do
  # shellcheck disable=SC2086
  run 1 timeout 300 "$RTEVTOP" $words "$several"
  says "$several is the name of 2 OCaml processes: $pids"
  says "Give one of them: rtevtop ${words%% *} ${pids%%,*}."
  [ ! -s out ] || fail "$words printed something"
done
[ ! -e none.fxt ] && [ ! -e none.prom ] || fail "a file was made"
# Two names are two targets.
demo "plain$$"
run 0 timeout 300 "$RTEVTOP" -b --json -d 0.1 -n 1 "$one" "plain$$"
grep -q "\"pid\":$first," out && grep -q "\"pid\":$pid," out || fail "two names: $(cat out)"

# Where its own program stands, which is no file to read.
cp /bin/sleep "here$$"
demo "here$$"
run 0 timeout 300 "$RTEVTOP" -b --json -d 0.1 -n 1 "here$$"
grep -q "\"pid\":$pid," out || fail "a name where a program has it: $(cat out err)"

# Of none, and of a process that is none of OCaml's.
(exec -a "sleeper$$" sleep 1000) &
within 100 grep -q "sleeper$$" "/proc/$!/cmdline" || fail "no sleeper"
for name in "none$$" "sleeper$$"; do
  run 1 timeout 300 "$RTEVTOP" stats "$name"
  says "could not open $name: no such file, and no OCaml process has that name"
  [ "$(wc -l <err)" = 2 ] || fail "more than a message and a remedy: $(cat err)"
done
run 1 timeout 300 "$RTEVTOP" stats --wait=0.2 "none$$"
says "no OCaml process has that name"
# One that begins while it is waited for.
timeout 300 "$RTEVTOP" stats --json --wait=200 --duration 0.1 "later$$" >later.out 2>later.err &
waiter=$!
within 100 grep -q '^State:.S' "/proc/$waiter/status" || fail "no waiter"
demo "later$$"
wait $waiter || fail "it does not wait for a name: $(cat later.err)"
grep -q "\"pid\":$pid," later.out || fail "another one: $(cat later.out)"

# Foreign bytes.
name=$(printf 'evil\033[31m\n%s' $$)
demo "$name"
run 0 timeout 300 "$RTEVTOP" stats --json --duration 0.1 "$name"
demo "$name"
run 1 timeout 300 "$RTEVTOP" stats "$name"
says "is the name of 2 OCaml processes"
grep -q "$(printf '\033')" err && fail "an escape code in a message"
[ "$(wc -l <err)" = 2 ] || fail "a line of the name's own: $(cat err)"

# One that is waited for.
"$RTEVTOP" stats --json --wait --duration 0.1 "late$$" >late 2>late.err &
waits=$!
# It sleeps once it has looked in vain.
sleeps() { grep -qF -- "--wait" "/proc/$waits/cmdline" && grep -q ") S " "/proc/$waits/stat"; }
within 100 sleeps || fail "it does not wait: $(cat late.err)"
demo "late$$"
wait $waits || fail "waiting failed: $(cat late.err)"
grep -q "\"pid\":$pid," late || fail "waited for another: $(cat late)"
