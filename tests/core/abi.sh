#!/usr/bin/env bash
# The shared library's ABI: its name, and that its symbols are those that the headers mark RTEV_API.
# The Debian package's list of symbols has them with the same versions.  Usage: abi.sh LIBRARY SOURCE_DIR SYMBOLS
. "$(dirname "$0")/../support/lib.sh"
need nm readelf
library=$1 source=$2 symbols=$3

readelf -d "$library" | grep -q 'SONAME.*\[librtev\.so\.0\]' || fail "the library is not called librtev.so.0"
cat "$source"/include/rtev/*.h | tr '\n' ' ' | grep -oE 'RTEV_API [^;{]*' | grep -oE 'rtev_[a-z0-9_]+ ?\(' | tr -d ' (' |
  sed 's/$/@@RTEV_0.1/' >"$work/promised"
[ -s "$work/promised" ] || fail "no header promises anything"
nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sort >"$work/exported"
sort "$work/promised" | diff - "$work/exported" || fail "promised (<) and exported (>) differ"

# Debian's list has each symbol once, and each version as a symbol of its own name.
{
  sed 's/@@/@/' "$work/exported"
  sed -E 's/.*@@(.*)/\1@\1/' "$work/exported" | sort -u
} | sort >"$work/versioned"
sed -nE 's/^ ([^ ]+) [0-9.]+$/\1/p' "$symbols" | sort | diff "$work/versioned" - || fail "exported (<) and $symbols (>) differ"

# Every struct that a caller makes says how large it is, and test_sized tries it; the library makes these others itself, or
# their members are fixed.
fixed="rtev_user_event rtev_fxt_text rtev_fxt_arg rtev_fxt_args_read rtev_fxt_thread_ids rtev_fxt_record \
rtev_memtrace_location rtev_memtrace_notice rtev_memtrace_packet"
awk '/^struct [a-z_]+ \{/ {name = $2; getline; print name, ($1 == "size_t" && $2 == "size;")}' "$source"/include/rtev/*.h \
  >"$work/structs"
grep -q 'rtev_callbacks 1' "$work/structs" || fail "no struct has a size"
while read -r name sized; do
  case " $fixed " in
  *" $name "*) [ "$sized" = 0 ] || fail "$name has a size and is listed as fixed" ;;
  *)
    [ "$sized" = 1 ] || fail "$name does not begin with its size"
    grep -qw "$name, [A-Z]*, [a-z_]*," "$source/tests/core/test_sized.c" || fail "test_sized does not try $name"
    ;;
  esac
done <"$work/structs"

# Comments cite what a reader has got: files of the project, or published documents by name.
while IFS=: read -r file line cited; do
  [ -e "$source/$cited" ] || [ -e "$source/src/$cited" ] || fail "$file:$line cites $cited, which does not ship"
done < <(grep -rnoE '[A-Za-z_/]+\.md\b' "$source/include" "$source/src" --include='*.[ch]')
exit 0
