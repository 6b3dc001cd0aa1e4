#!/usr/bin/env bash
# The shared library's ABI: its name, and that its symbols are those that the headers mark RTEV_API, those of fxt_fast.h
# of a version of their own.
# Usage: abi.sh LIBRARY SOURCE_DIR
. "$(dirname "$0")/../support/lib.sh"
need nm readelf
library=$1 source=$2

readelf -d "$library" | grep -q 'SONAME.*\[librtev\.so\.0\]' || fail "the library is not called librtev.so.0"
# promised HEADER...: the functions that they mark RTEV_API.
promised() {
  cat "$@" | tr '\n' ' ' | grep -oE 'RTEV_API [^;{]*' | grep -oE 'rtev_[a-z0-9_]+ ?\(' | tr -d ' ('
}

fast=$source/include/rtev/fxt_fast.h
for header in "$source"/include/rtev/*.h; do
  [ "$header" = "$fast" ] || promised "$header" | sed 's/$/@@RTEV_0.1/'
done >"$work/promised"
[ -s "$work/promised" ] || fail "no header promises anything"
promised "$fast" | sed 's/$/@@RTEV_FXT_FAST_0.1/' >>"$work/promised"
nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sort >"$work/exported"
sort "$work/promised" | diff - "$work/exported" || fail "promised (<) and exported (>) differ"
