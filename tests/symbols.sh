#!/usr/bin/env bash
# No two objects of the program define a function or variable of one name: the linker takes the first from an archive, and says nothing.
# Usage: symbols.sh OBJECT|ARCHIVE...
set -u
. "$(dirname "$0")/tools.sh"
need nm
twice=$(nm -g --defined-only --format=posix "$@" | awk 'NF >= 3 && $2 ~ /^[TDBRVWC]$/ {print $1}' | sort | uniq -d)
[ -z "$twice" ] && exit 0
echo "defined more than once:"
for name in $twice; do
  echo "$name"
  nm -gA --defined-only --format=posix "$@" | grep -F " $name " | cut -d' ' -f1 | sort -u | sed 's/^/    /'
done
exit 1
