#!/usr/bin/env bash
# The command line: what is wrong with it is told by what is wrong, and what could not be printed is no success.
. "$(dirname "$0")/../support/lib.sh"
need tar xz timeout
ring=$(unpack ocaml-5.3.0-pause)
trace=$RTEV_TEST_DATA/memtrace/small.ctf

# names MESSAGE WORD...: wrong usage, told by this first line.
names() {
  local message=$1
  shift
  run 2 timeout 300 "$RTEVTOP" "$@"
  [ "$(head -n 1 "$work/err")" = "rtevtop: $message" ] || fail "$*: $(head -n 1 "$work/err")"
  [ ! -s "$work/out" ] || fail "$*: printed something"
}

# Options that there are none of, and such as are cut short: what may be meant, and where to look it up.
unknown() {
  names "$@"
  [ "$(sed -n 2p "$work/err")" = "  \`rtevtop help $2\` lists the options" ] || fail "$*: $(sed -n 2p "$work/err")"
}
unknown "unknown option --jsn: did you mean --json?" list --jsn
unknown "unknown option --jso: did you mean --json?" list --jso
unknown "unknown option --dura=3: did you mean --duration?" stats --dura=3 4242
unknown "unknown option --dura: did you mean --duration?" stats --dura
unknown "unknown option --d: did you mean --duration or --dir?" stats --d 3 4242
unknown "unknown option --js=3: did you mean --json?" stats --js=3
unknown "unknown option --xyzzy" stats 4242 --xyzzy
unknown "unknown option -x" stats -x 4242
unknown "stats: unknown option --follow" stats --follow 4242
names "unknown option --filtre: did you mean --filter?" --filtre a
says '`rtevtop help top` lists the options'
unknown "--full and --json exclude each other" stats --json --full "$work/none.events"
unknown "--top and --json exclude each other" memtrace --top 3 --json "$trace"
# The time of --wait is no word of its own: then it would be a TARGET.
unknown "--wait 5: did you mean --wait=5?" stats --wait 5 4242
unknown "--wait 5: did you mean --wait=5?" stats 4242 --wait 5
unknown "--wait 5: did you mean --wait=5?" stats --wait 5 -- true
names "--wait 250ms: did you mean --wait=250ms?" --wait 250ms 4242
# The pid of a process that runs is a TARGET, where there may be several.
sleep 1000 &
first=$!
sleep 1000 &
"$RTEVTOP" -b --wait $first $! >"$work/out" 2>"$work/err" &
waits=$!
# It sleeps once it has looked in vain; the end of both is its own.
sleeps() { grep -qF -- "--wait" "/proc/$waits/cmdline" && grep -q ") S " "/proc/$waits/stat"; }
within 60 sleeps || fail "--wait PID PID: $(cat "$work/err")"
kill $first $!
wait $waits
[ $? = 1 ] || fail "--wait PID PID: $(cat "$work/err")"
! grep -q 'did you mean' "$work/err" || fail "--wait PID PID: $(cat "$work/err")"

# Words that name no subcommand.
names "unknown subcommand lgo: did you mean log?" lgo 4242
names "unknown subcommand stat: did you mean stats?" stat 4242
names "unknown subcommand rec: did you mean record?" rec -d 1 4242
names "unknown subcommand xyzzy" xyzzy 4242
names "unknown subcommand xyzzy" xyzzy --help
names "unknown subcommand xyzzy" xyzzy --version
names "unknown subcommand lit: did you mean list?" --help lit
names "stats: one word too many: 4243" stats 4242 4243
names "--sort is no option of plain reports (-b)" -b -s gc 4242
run 2 timeout 300 "$RTEVTOP" -s nosuch 4242 4243
says "--sort nosuch: no column of the overview's table: "
run 2 timeout 300 "$RTEVTOP" --demo -s nosuch
says "--sort nosuch: no column of the domain table: "
names "--json is an option of -b" --json -s gc 4242
# Without a TARGET and a terminal the list is printed, and an option that it does not take is not passed over.
for words in "-d 100ms" "-s gc" "--filter a" "--wait" "--on-pause 5"; do
  name=${words%% *}
  case $name in -d) name=--delay ;; -s) name=--sort ;; esac
  # shellcheck disable=SC2086
  names "$name: without a TARGET and a terminal there is only the list" $words
done
run 0 timeout 300 "$RTEVTOP" --ascii --no-color
grep -q '^ *PID ' "$work/out" || fail "no list without a terminal"
names "log: one word too many: 4242" log "$ring" 4242
names "log: one word too many: b" log a b
for words in "4242 --help" "--help" "log --help" "log 4242 --help" "$ring --help" "--version"; do
  # shellcheck disable=SC2086
  run 0 timeout 300 "$RTEVTOP" $words
  [ -s "$work/out" ] || fail "$words: nothing printed"
done
(cd "$work" && run 1 timeout 300 "$RTEVTOP" lgo) || exit 1
says "could not open lgo: no such file"
says "rtevtop log TARGET"

# Names with characters that the locale lacks.
cp "$ring" "$work/zürich.events"
for words in "stats" "-b -n 1" "diff $ring" "log --merge none"; do
  # shellcheck disable=SC2086
  LC_ALL=C timeout 300 "$RTEVTOP" $words "$work/zürich.events" >"$work/out" 2>"$work/err"
  cat "$work/out" "$work/err" | LC_ALL=C grep -q 'z\\xc3\\xbcrich' || fail "LC_ALL=C $words: no name in ASCII"
  # shellcheck disable=SC2086
  LC_ALL=C.UTF-8 timeout 300 "$RTEVTOP" $words "$work/zürich.events" >"$work/out" 2>"$work/err"
  grep -q 'zürich' "$work/out" "$work/err" || fail "LC_ALL=C.UTF-8 $words: no name"
done

# What is empty.
names "TARGET is empty" ""
names "TARGET is empty" stats ""
names "FILE.ctf is empty" memtrace ""
for option in -o --dir --memtrace; do
  command=""
  [ "$option" = -o ] && command=record
  # shellcheck disable=SC2086
  run 2 timeout 300 "$RTEVTOP" $command "$option" "" 1
  says "the value is empty"
done

# Times: what is no time, and what is out of range.
names "--delay x: not a span of time such as 0.5 or 250ms" -d x 1
names "--delay 0.001: too short (10ms to 1000000000s)" -d 0.001 1
names "--delay 99999999999: too long (10ms to 1000000000s)" -d 99999999999 1
names "--duration 0: too short (1us to 1000000000s)" stats --duration 0 1
names "--seconds 0ms: too short (1us to 1000000000s)" demo --seconds 0ms
# The demo's own options, where its live view is asked for.
names "--rate is an option of --demo and of demo" --rate 1000 1
names "--pause is an option of --demo and of demo" --pause
names "--domains 129: too large (1 to 128)" --demo --domains 129
names "the live view has no option --seconds" --demo --seconds 1
names "--wait 0: too short (1us to 1000000000s)" stats --wait=0 1
names "--on-pause 0: too short (1us to 1000000000s)" record --on-pause 0 -o "$work" 1
names "--on-pause x: not a number of milliseconds" record --on-pause x -o "$work" 1

# What can't be written is told, whatever prints; the list has an entry.
start_demo --seconds 1000
for words in "--help" "--version" "list" "list --json" "log $ring" "log --json $ring" "stats $ring" "stats --json $ring" \
  "memtrace --top 3 $trace" "memtrace --json $trace" "memtrace --folded $trace" "memtrace --dump $trace" "demo --seconds 1"; do
  # shellcheck disable=SC2086
  timeout 300 "$RTEVTOP" $words >/dev/full 2>"$work/err"
  [ $? = 1 ] || fail "$words >/dev/full: status is not 1"
  says "No space left on device"
  # shellcheck disable=SC2086
  timeout 300 "$RTEVTOP" $words >&- 2>"$work/err"
  [ $? = 1 ] || fail "$words >&-: status is not 1"
  says "Bad file descriptor"
done

# A process that is stopped is listed as that, and can be read all the same.
kill -STOP "$demo"
stopped() {
  "$RTEVTOP" list --json >"$work/out"
  grep -q "^{\"pid\":$demo,.*\"state\":\"stopped\"" "$work/out"
}
within 100 stopped || fail "a stopped process is listed as: $(cat "$work/out")"
run 0 "$RTEVTOP" log "$demo"
run 0 "$RTEVTOP" stats --duration 0.2 "$demo"
says "the target is stopped"
kill -CONT "$demo"

# A directory that is given with the PID is where its ring has to be.
mkdir "$work/rings"
run 0 "$RTEVTOP" log "$(dirname "$demo_ring"):$demo"
run 1 "$RTEVTOP" log "$work/rings:$demo"
says "its ring is $demo_ring, not in the directory given"
cp "$ring" "$work/rings/$demo.events"
run 1 "$RTEVTOP" log "$work/rings:$demo"
run 0 "$RTEVTOP" log --dir "$work/rings" "$demo"

# A reader that has seen enough is no failure.
for words in "--help" "list" "log $ring" "log --json $ring" "stats $ring" "stats --json $ring" "memtrace --json $trace" \
  "memtrace --dump $trace"; do
  # The reader ends before anything is printed.
  mkfifo "$work/pipe"
  exec 7<>"$work/pipe"
  exec 8>"$work/pipe"
  exec 7>&-
  # shellcheck disable=SC2086
  timeout 300 "$RTEVTOP" $words >&8 2>"$work/err"
  status=$?
  exec 8>&-
  rm "$work/pipe"
  [ $status = 0 ] || fail "$words | head: status $status"
  # The list may tell of processes that it could not look into.
  [ "${words%% *}" = list ] || [ ! -s "$work/err" ] || fail "$words | head: $(cat "$work/err")"
done
exit 0
