#!/usr/bin/env bash
# The shared library's ABI: its name, and that its symbols are those that the headers mark RTEV_API, all of one version.
# Usage: abi.sh LIBRARY SOURCE_DIR
. "$(dirname "$0")/lib.sh"
need nm readelf
library=$1 source=$2

readelf -d "$library" | grep -q 'SONAME.*\[librtev\.so\.0\]' || fail "the library is not called librtev.so.0"
cat "$source"/include/rtev/*.h | tr '\n' ' ' | grep -oE 'RTEV_API [^;{]*' | grep -oE 'rtev_[a-z0-9_]+ ?\(' | tr -d ' (' |
  sort >"$work/promised"
[ -s "$work/promised" ] || fail "no header promises anything"
nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sort >"$work/exported"
sed 's/$/@@RTEV_0.1/' "$work/promised" | diff - "$work/exported" || fail "promised (<) and exported (>) differ"
