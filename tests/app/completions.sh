#!/usr/bin/env bash
# The completions: what bash and fish offer on lines as a user types them; of zsh that the file can be read (tui_zsh tries it).
# Usage: completions.sh SOURCE_DIR
. "$(dirname "$0")/../support/lib.sh"
completions=$1/src/share/completions

bash -n "$completions/rtevtop" || fail "bash can't read it"
# shellcheck source=/dev/null
. "$completions/rtevtop"
mkdir "$work/here" "$work/here/sub dir"
cd "$work/here" || exit 1
touch 4711.events 'two words.events' run.fxt app.ctf report.json notes.txt

# offers WORD...: what bash offers for the last word, one a line and sorted.
offers() {
  COMP_WORDS=("$RTEVTOP" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _rtevtop
  printf '%s\n' "${COMPREPLY[@]}" | sort | sed '/^$/d'
}

# expect WANTED WORD...: it offers just this; words of WANTED stand apart by ",".
expect() {
  local want=$1 got
  shift
  got=$(offers "$@" | paste -sd,)
  [ "$got" = "$want" ] || fail "$*: offers $got, expected $want"
}

# expect_pid WORD...: it offers the last word, which is a pid, maybe beside longer ones of other processes.
expect_pid() {
  offers "$@" | grep -qx -- "${!#}" || fail "$*: offers $(offers "$@" | paste -sd,)"
}

# listed COMMAND: the options of its page, into $work/listed.
listed() {
  "$RTEVTOP" help "$1" | sed -nE 'h; s/^  (-.|  )[ ,] --([a-z-]+).*/--\2/p; g; s/^  (-.), .*/\1/p' | sort >"$work/listed"
  [ -s "$work/listed" ] || fail "the page of $1 lists no options"
}

# The commands, as the help names them, and the options that each page lists.
commands=$("$RTEVTOP" --help | sed -n 's/^    \([a-z][a-z]*\)  *[a-z].*/\1/p')
[ -n "$commands" ] || fail "the help names no commands"
for command in $commands; do
  offers "$command" | grep -qx "$command" || fail "$command is not offered"
  listed "$command"
  offers "$command" - | diff "$work/listed" - || fail "$command: its page (<) and its completion (>) differ"
done
listed top
offers - | diff "$work/listed" - || fail "top: its page (<) and its completion (>) differ"
expect "stacks,stats" st
expect "record" help rec
expect "--json" list --js
expect "" list ''
expect "" demo ''

# Values of options, also behind "=", which is a word for bash.
expect "fxt,json" record --format ''
expect "json" record --format j
expect "json" record --format = j
expect "fxt,json" record --format =
expect "5.0,5.1,5.2,5.3,5.4,5.5" stats --ocaml ''
offers --sort '' | grep -qx GC || fail "--sort does not offer GC"
offers memtrace -s '' | grep -qx lifetime || fail "memtrace -s does not offer lifetime"
# Each that it offers is taken, for a target or for the overview, which offer all that they take: the next thing to fail is the terminal.
offers --sort '' >"$work/keys"
: >"$work/taken"
for target in --demo "2147483646 2147483647"; do
  while read -r key; do
    # shellcheck disable=SC2086
    timeout 300 "$RTEVTOP" --sort "$key" $target >/dev/null 2>"$work/err" </dev/null
    grep -q "no column" "$work/err" || echo "$key" >>"$work/taken"
  done <"$work/keys"
  # shellcheck disable=SC2086
  timeout 300 "$RTEVTOP" --sort nosuch $target 2>&1 </dev/null | sed -n 's/.*no column of .*: //p' | tr -d ',' | tr ' ' '\n' >"$work/columns"
  [ -s "$work/columns" ] || fail "the columns of $target are not told"
  ! grep -vxFf "$work/keys" "$work/columns" || fail "these columns are not offered"
done
sort -u "$work/taken" | diff - "$work/keys" || fail "--sort offers (>) what is not taken"
expect "" stats --duration ''
expect "sub dir" stats --dir ''
expect "app.ctf,sub dir" --memtrace ''
expect "4711.events,app.ctf,notes.txt,report.json,run.fxt,sub dir,two words.events" record -o ''

# Files by what a command takes.
expect "app.ctf,sub dir" memtrace ''
expect "" memtrace app.ctf ''
expect "report.json" diff rep
expect "report.json" diff 4711.events rep
expect "" diff 4711.events report.json ''
expect "run.fxt" run
expect "two words.events" log two
expect "" log run

# Processes that have a ring; words that only look like a command do not count as one.
start_demo --seconds 3000
pid=$demo
expect_pid stats "$pid"
expect_pid stats --duration 5 "$pid"
expect_pid "$pid"
expect_pid -F log "$pid"
offers metrics '' | grep -qx "$pid" || fail "metrics does not offer $pid"
offers log '' | grep -qx "$pid" || fail "log does not offer $pid"
kill "$pid"

# Behind "--" stands a program.
offers -- ls | grep -qx ls || fail "-- ls: ls is not offered"
expect "notes.txt" stats -- cat not

if command -v zsh >/dev/null; then
  zsh -n "$completions/_rtevtop" || fail "zsh can't read it"
else
  echo "zsh is not there: its completion was not tried"
fi
command -v fish >/dev/null || lacks "there is no fish"
fish -n "$completions/rtevtop.fish" || fail "fish can't read it"
ln -s "$RTEVTOP" "$work/rtevtop"
# fish_offers LINE: what fish offers at its end, without descriptions.
fish_offers() {
  PATH=$work:$PATH fish --no-config -c "source $completions/rtevtop.fish; complete -C '$1'" | cut -f1 | sort | paste -sd,
}
expect_fish() {
  local got
  got=$(fish_offers "$2")
  [ "$got" = "$1" ] || fail "fish, $2: offers $got, expected $1"
}
expect_fish "stacks,stats" "rtevtop st"
expect_fish "fxt,json" "rtevtop record --format "
expect_fish "--json" "rtevtop list --js"
expect_fish "app.ctf,sub dir/" "rtevtop memtrace "
expect_fish "notes.txt" "rtevtop stats -- cat not"
# No more words than the command takes, values of options aside.
expect_fish "" "rtevtop memtrace app.ctf "
expect_fish "app.ctf,sub dir/" "rtevtop memtrace --top 5 "
expect_fish "report.json" "rtevtop diff --ocaml 5.3 a.json rep"
expect_fish "" "rtevtop diff a.json b.json rep"
expect_fish "" "rtevtop help stats st"
expect_fish "run.fxt" "rtevtop stats --json run"
expect_fish "" "rtevtop stats --json run.fxt run"
expect_fish "run.fxt" "rtevtop run.fxt run"
case ,$(fish_offers "rtevtop memtrace -s "), in
  *,lifetime,*) ;;
  *) fail "fish: memtrace -s does not offer lifetime" ;;
esac
exit 0
