#!/usr/bin/env bash
# The help: an overview that fits 80x24 and names every command; a page for each, which both ways of asking print, and whose example works.
. "$(dirname "$0")/../support/lib.sh"
need tar xz timeout
ring=$(unpack ocaml-5.3.0-pause)
cd "$work" || exit 1

# narrow WHAT: the last output has no line of more than 80 columns.
narrow() {
  ! grep -nE '^.{81}' "$work/out" || fail "$1: wider than 80 columns"
}

run 0 "$RTEVTOP" --help
cp "$work/out" overview
narrow --help
[ "$(wc -l <overview)" -le 24 ] || fail "--help takes $(wc -l <overview) lines"
run 0 "$RTEVTOP" help
cmp -s out overview || fail "help prints something else than --help"

# The commands, as the sources have them, and as the overview names them.
commands=$(sed -n 's/^    \([a-z][a-z]*\)  *[a-z].*/\1/p' overview)
rows=$(sed -n '/define COMMAND_LIST/,/^$/s/^\tX(\([a-z]*\)).*/\1/p' "$1/src/app/commands/commands.h" | grep -vx top)
[ "$commands" = "$rows" ] || fail "the overview names: $commands"

for command in top $commands; do
  run 0 "$RTEVTOP" help "$command"
  cp "$work/out" page
  narrow "help $command"
  [ "$command" = top ] || {
    run 0 "$RTEVTOP" "$command" --help
    cmp -s out page || fail "$command --help prints something else than help $command"
    run 0 "$RTEVTOP" -h "$command"
    cmp -s out page || fail "-h $command prints something else than help $command"
  }
  for part in '^rtevtop.* - ' '^Usage: rtevtop' '^Options:$' '^  -h, --help  ' '^Example:$' '^Exit status: 0 done, 1 failed, 2 wrong usage'; do
    [ "$(grep -cE -- "$part" page)" = 1 ] || fail "help $command: no line or several of $part"
  done
done

# What a page lists the command takes, and what it does not list it does not.
page() {
  "$RTEVTOP" help "$1" | sed -nE 's/^  (   |-.,) --([a-z-]+).*/\2/p'
}
for command in $commands; do
  short=
  [ "$command" = demo ] && short="--seconds 0.01"
  for option in json follow merge force batch no-color ascii folded dump pause by-domain; do
    # shellcheck disable=SC2086
    timeout 300 "$RTEVTOP" "$command" "--$option" $short >/dev/null 2>err </dev/null
    taken=yes
    grep -qE "unknown option --$option|is an option of --demo" err && taken=no
    listed=no
    page "$command" | grep -qx -- "$option" && listed=yes
    [ $taken = $listed ] || fail "$command --$option: listed $listed, taken $taken"
  done
done

# The examples do what they say.
start_demo --seconds 3000
cp "$RTEV_TEST_DATA/memtrace/small.ctf" service.ctf
printf '#!/bin/sh\nexec "%s" demo --seconds 0.3\n' "$RTEVTOP" >server
chmod +x server
"$RTEVTOP" stats --json "$ring" >before.json
cp before.json after.json
for command in $commands; do
  line=$("$RTEVTOP" help "$command" | sed -n '/^Example:$/{n;s/^  rtevtop //p;}')
  line=${line//4711/$demo}
  line=${line//--duration 10/--duration 0.2}
  line=${line//--seconds 60/--seconds 0.2}
  # The demo is no program of OCaml, and has no stacks of it.
  [ "$command" != stacks ] || {
    # shellcheck disable=SC2086
    run 1 timeout 300 "$RTEVTOP" $line
    says "it has no OCaml 5 runtime"
    continue
  }
  # shellcheck disable=SC2086
  run 0 timeout 300 "$RTEVTOP" $line
  case $command in
    metrics) [ -s ocaml.prom ] || fail "metrics's example made no file" ;;
    record) [ -s run.fxt ] || fail "record's example made no file" ;;
    *) [ -s out ] || fail "$command's example printed nothing: $line" ;;
  esac
done
kill "$demo"

# What is no command, and what help does not take.
run 2 "$RTEVTOP" help recrod
says "unknown subcommand recrod: did you mean record?"
run 2 "$RTEVTOP" help xyzzy
says "unknown subcommand xyzzy"
run 2 "$RTEVTOP" help log stats
says "help: one word too many: stats"
run 2 "$RTEVTOP" help -- true
says "this command takes no COMMAND"
timeout 300 "$RTEVTOP" help log >/dev/full 2>err
[ $? = 1 ] || fail "help >/dev/full: status is not 1"
exit 0
