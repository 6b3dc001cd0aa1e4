#!/usr/bin/env bash
# Each option of each command is refused where it has no effect: by commands that do not list it, by reports where it is of the screen, by
# the screen where it is of reports; and what a report takes changes what it says.
. "$(dirname "$0")/../support/lib.sh"
need tar xz timeout
ring=$(unpack ocaml-5.3.0-pause)
trace=$RTEV_TEST_DATA/memtrace/small.ctf
cd "$work" || exit 1

# given OPTION: it with a value that it takes, if it takes one.
given() {
  case $1 in
  delay | duration | seconds) echo "--$1=0.1" ;;
  iterations | max-events | history | top | domains | on-pause) echo "--$1=3" ;;
  rate) echo --rate=1000 ;;
  seed) echo --seed=2 ;;
  label) echo --label=a=b ;;
  format) echo --format=json ;;
  theme) echo --theme=dark ;;
  graph) echo --graph=blocks ;;
  ocaml) echo --ocaml=5.3.0 ;;
  output | dir | sort | filter | memtrace) echo "--$1=x" ;;
  *) echo "--$1" ;;
  esac
}

# page COMMAND: the options that its help lists.
page() {
  "$RTEVTOP" help "$1" | sed -nE 's/^  (   |-.,) --([a-z-]+).*/\2/p'
}

commands="$("$RTEVTOP" help | sed -n 's/^    \([a-z][a-z]*\)  *[a-z].*/\1/p')"
all=$(for command in top $commands; do page "$command"; done | sort -u)
[ "$(echo "$all" | wc -l)" -gt 40 ] || fail "few options: $all"

# Unlisted ones, which the parser refuses before anything is done.
for command in $commands; do
  page "$command" >listed
  for option in $all; do
    grep -qx -- "$option" listed && continue
    [ "$command $option" = "help help" ] && continue
    timeout 60 "$RTEVTOP" "$command" "$(given "$option")" >/dev/null 2>err </dev/null
    [ $? = 2 ] || fail "$command --$option: not refused: $(cat err)"
  done
done

# Reports of a memtrace file: what is of the live view is refused, with each form.
for form in --json --top=1 --folded --dump; do
  for option in $(page memtrace); do
    case $option in json | top | folded | dump | help | version) continue ;; esac
    run 2 timeout 60 "$RTEVTOP" memtrace "$form" "$(given "$option")" "$trace"
    says "is for the live view"
  done
done

# Plain reports: what they do not take is refused.
for option in $(page top); do
  case $option in
  batch | json | by-domain | delay | iterations | max-events | dir | ocaml | wait | help | version) continue ;;
  esac
  run 2 timeout 60 "$RTEVTOP" -b "$(given "$option")" 1
done

# What a report of a file takes changes it.
differs() { # differs WHAT OPTION COMMAND...
  run 0 timeout 60 "$RTEVTOP" "${@:3}"
  cp "$work/out" plain
  timeout 60 "$RTEVTOP" "${@:3}" "$2" >"$work/out" 2>"$work/err" </dev/null
  ! cmp -s "$work/out" plain || fail "$1 $2: no effect"
}
for option in json top=1 folded dump; do
  run 0 timeout 60 "$RTEVTOP" memtrace "--$option" "$trace"
  cp "$work/out" "form-$option"
done
[ "$(md5sum form-* | cut -d' ' -f1 | sort -u | wc -l)" = 4 ] || fail "forms of memtrace"
for option in --json --merge; do
  differs log $option log "$ring"
done
for option in --json --full; do
  differs stats $option stats "$ring"
done
