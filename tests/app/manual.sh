#!/usr/bin/env bash
# The manual pages and completions, but for the guide, are those that the tables and headers give, and every function of the library has a page.
# UPDATE_GOLDEN=1 writes them anew.  Usage: manual.sh MANUAL_TABLES SOURCE_DIR
. "$(dirname "$0")/../support/lib.sh"
need python3
tables=$1 source=$2 share=$2/src/share

"$tables" >"$work/tables" || fail "$tables"
PYTHONDONTWRITEBYTECODE=1 python3 "$share/manual/make.py" "$work/tables" "$source" "$work/made" || fail "make.py"
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work"/made/man/* "$share/man/" || fail "could not write $share/man"
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work"/made/completions/* "$share/completions/" || fail "could not write $share/completions"
for part in man completions; do
  diff -r -x '*.in' -x '*.7' "$share/$part" "$work/made/$part" || fail "src/share/$part is not what the tables give: UPDATE_GOLDEN=1 ctest -R test_manual"
done

# Every function that the library exports is described by a page of its own, or by one that a link leads to.
count=0
while read -r function; do
  page=$(sed -n "s/^$function //p" "$share/man/links")
  [ -n "$page" ] || page=$function
  grep -qE "^\.It Fn $function( |$)" "$share/man/$page.3" || fail "no page describes $function"
  count=$((count + 1))
done < <(sed -nE 's/^\t(rtev_[a-z0-9_]+);$/\1/p' "$source/src/core/librtev.map")
[ "$count" -gt 100 ] || fail "librtev.map has $count functions"
exit 0
