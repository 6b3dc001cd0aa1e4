#!/usr/bin/env bash
# Each manual page is sound mdoc, for mandoc and, where it is there, for groff; what it refers to exists.  Usage: manual_lint.sh SOURCE_DIR
. "$(dirname "$0")/../support/lib.sh"
need mandoc
man=$1/src/share/man

mandoc -T lint -W warning "$man"/*.[137] || fail "mandoc complains"
for page in "$man"/*.[137]; do
  ! command -v groff >/dev/null || {
    groff -mandoc -Tutf8 -ww -z "$page" >"$work/groff" 2>&1
    [ ! -s "$work/groff" ] || {
      cat "$work/groff" >&2
      fail "groff complains about $page"
    }
  }
  while read -r name section; do
    case $name in
      rtev*) [ -e "$man/$name.$section" ] || fail "${page##*/} refers to $name($section)" ;;
    esac
  done < <(sed -nE 's/^\.Xr ([^ ]+) ([1-8]).*/\1 \2/p' "$page")
  # No struct or enum is printed without its members, and no word without letters.
  ! grep -nE '^\.(Cm|Ar|Fl|Dv|Va|Ql) ""' "$page" || fail "${page##*/} names nothing"
  ! grep -A1 '{$' "$page" | grep -q '^};' || fail "${page##*/} prints an empty struct or enum"
  # It can be read: each has its name and something to say.
  mandoc -T ascii "$page" | col -b >"$work/text"
  grep -q "^NAME" "$work/text" && grep -q "^DESCRIPTION" "$work/text" || fail "${page##*/} has no NAME or no DESCRIPTION"
done
exit 0
