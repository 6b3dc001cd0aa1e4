#!/usr/bin/env bash
# The direction of dependencies between the rooms of src, the libraries each may use, and who may print, exit or read the
# environment.  Usage: architecture.sh SOURCE_DIR
set -u
src=${1:?source directory}/src
fail=0
# Lines of code: what grep -n found, less those that are comment.
code() {
  grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)'
}
complain() {
  echo "$1"
  fail=1
}

# Room: the rooms whose headers it may include besides its own ("public" is include/rtev).
declare -A may=(
  [core]="public"
  [ring]="core public"
  [fxt]="core public"
  [memtrace]="core public"
  [samples]="core public"
  [target]="core public samples"
  [code]="core public samples target calls"
  [model]="core public"
  [fibers]="core public model"
  [figures]="core public model fibers"
  [watch]="core public samples print model fibers figures calls"
  [advice]="core public print samples model fibers figures watch calls"
  [calls]="core public"
  [sites]="core public calls"
  [trail]="core public"
  [print]="core public samples"
  [files]="core public target"
  [record]="core public print calls samples model fibers watch trail files"
  [launch]="core public target"
  [session]="core public target launch"
  [observation]="core public samples target calls code model fibers figures watch advice trail record session"
  [fleet]="core public model fibers figures launch session target observation"
  [demo]="core public"
  [canvas]="core public"
  [tty]="core canvas"
  [ui]="core public print samples model fibers figures watch advice calls sites canvas"
  [app]="core public print samples target code model fibers figures watch advice calls sites trail files record launch session observation fleet demo canvas ui tty"
)

# Every directory of src is a room that this table knows.
for dir in "$src"/*/; do
  room=$(basename "$dir")
  # share holds what is installed beside the program, and the script that makes some of it: no C.
  [ "$room" = share ] || [ -n "${may[$room]:-}" ] || complain "src/$room: a room that has no rule here"
done

for room in "${!may[@]}"; do
  while IFS=: read -r file header; do
    from=${header%%/*}
    [ "$from" = rtev ] && from=public
    [ "$from" = "$room" ] && continue
    case " ${may[$room]} " in
      *" $from "*) ;;
      *) complain "${file#"$src"/} includes \"$header\": $room may not see $from" ;;
    esac
  done < <(grep -rHoE '^#include "[^"]+"' "$src/$room" --include='*.[ch]' | sed -E 's/#include "([^"]+)"/\1/')
done

# ncurses belongs to tty; the ring's atomics to one header, those of the kernel's rings of samples to the sampler.
grep -rlE '#include <(n?curses|term|panel)' "$src" | grep -v '^'"$src"'/tty/' && complain "only tty may use ncurses"
grep -rlE 'atomic_(load|store|exchange|fetch|compare|thread)' "$src" | grep -vE "^$src/(ring/atomics.h|code/sampler.c)$" &&
  complain "only ring/atomics.h and code/sampler.c may use atomic operations"

# rooms_but ROOM...: all rooms but these.
rooms_but() {
  local room
  for room in "${!may[@]}"; do
    case " $* " in *" $room "*) ;; *) echo "$room" ;; esac
  done
}
# refuse PATTERN WHY ROOM...: no code of these rooms has it.
refuse() {
  local pattern=$1 why=$2 room
  shift 2
  for room; do
    grep -rnE "$pattern" "$src/$room" --include='*.[ch]' | code && complain "$room $why"
  done
}

# shellcheck disable=SC2046
{
  refuse '#include <(bsd|err\.h|vis\.h)' 'needs libc alone, as librtev does' core ring fxt memtrace
  # app is the program; demo, launch, session and target end the processes that they make themselves.
  refuse '(^|[^a-z_])(printf|puts|putchar|perror|exit|abort|warnx?|errx?) ?\(' 'may not print or exit' $(rooms_but app)
  refuse '(^|[^a-z_])_exit ?\(' 'may not exit' $(rooms_but app demo launch session target)
  refuse '(^|[^a-z_])getopt' 'may not read arguments' $(rooms_but app)
  # A producer asks for its directory as the runtime does, and tty for the kind of the terminal.
  refuse '(^|[^a-z_])(secure_)?getenv ?\(' 'may not read the environment' $(rooms_but app ring tty)
  refuse '(^|[^a-z_])(clock_gettime|gettimeofday|time|open|fopen|read|write) ?\(' 'has no clock and does no input or output' \
    samples model fibers figures watch advice calls sites canvas ui
}

# Whatever reads another process's files or memory is fuzzed: tests/README.md says by what.
readme=$(dirname "$0")/README.md
for file in $(grep -lE '(memory_bytes|variables_read|memory\.read|proc_read|proc_slurp|proc_link|maps_walk|maps_find|pages_word|pages_bytes|elf_open|preadv?|image_read|kept_read|system_parse_[a-z]+|status_read_[a-z]+) ?\(' \
  "$src"/target/*.c "$src"/code/*.c); do
  name=${file#"$src/"}
  grep -q "^| .*\`${name%.c}\`.* | \`fuzz_" "$readme" || complain "$name reads what is another process's: by which fuzzer is it tried (tests/README.md)?"
done
for fuzzer in $(grep -rhoE 'rtev_fuzzer\([a-z_]+ FOREIGN' "$(dirname "$0")" --include=tests.cmake | sed 's/.*(\(.*\) FOREIGN/\1/'); do
  grep -q "^| .* | .*\`$fuzzer\`" "$readme" || complain "tests/README.md does not say what $fuzzer tries"
done
for fuzzer in $(grep -oE '^\| .*\| `fuzz_.*' "$readme" | grep -oE '`fuzz_[a-z_]+`' | tr -d '\`'); do
  test -f "$(dirname "$0")/fuzz/$fuzzer.c" || complain "tests/README.md names $fuzzer, which there is not"
done
# A comment is understood without its neighbour, in each room, in the public headers and in the tests.
back="(the same( of| as| at| with| in| into| from| where| for| but| \\*/|,|\\.)|(such|ditto|(see|as) above)\\b|(that|those) of )"
grep -rniE "\\blikewise\\b|(/\\*|#|//) $back" "$src" \
  "$src/../include" "$(dirname "$0")" --include='*.[ch]' --include='*.sh' --include='*.py' | grep -v '^[^:]*architecture\.sh:' |
  grep -vE '/\* such as' && complain "a comment that refers to its neighbour: say what it is about"
grep -rnE '^[[:space:]]*\* (The same( of| as| at| in| from| for|,)|(Such|Ditto|(See|As) above)\b|(That|Those) of )' "$src" "$src/../include" "$(dirname "$0")" \
  --include='*.[ch]' && complain "a comment that refers to its neighbour: say what it is about"
exit $fail
