#!/usr/bin/env bash
# The manual pages and completions, but for the guide, are those that the tables and headers give, README's releases are the manual's, and every function of the library has a page,
# as every key of JSON has a place in the page of its command.
# UPDATE_GOLDEN=1 writes them anew.  Usage: manual.sh MANUAL_TABLES SOURCE_DIR
. "$(dirname "$0")/../support/lib.sh"
need python3
tables=$1 source=$2 share=$2/src/share

"$tables" >"$work/tables" || fail "$tables"
PYTHONDONTWRITEBYTECODE=1 python3 "$share/manual/make.py" "$work/tables" "$source" "$work/made" || fail "make.py"
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work"/made/man/* "$share/man/" || fail "could not write $share/man"
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work"/made/completions/* "$share/completions/" || fail "could not write $share/completions"
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work/made/README.md" "$source" || fail "could not write README.md"
diff "$source/README.md" "$work/made/README.md" || fail "README.md's table of releases is not what the manual has: UPDATE_GOLDEN=1 ctest -R test_manual"
for part in man completions; do
  diff -r -x '*.in' -x '*.7' "$share/$part" "$work/made/$part" || fail "src/share/$part is not what the tables give: UPDATE_GOLDEN=1 ctest -R test_manual"
done

# What README's table says that a test sees has a test of that release, which CI runs.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$source/src/share/manual python3 - "$(dirname "$RTEVTOP")/tests/CTestTestfile.cmake" <<'PY' || fail "see above"
import re, sys
from releases import PARTS, RELEASES
with open(sys.argv[1]) as file:
    tests = set(re.findall(r'^set_tests_properties\(\W*(\w+).* LABELS "ocaml', file.read(), re.M))
claims = [("ocaml_" + test % release.replace(".", "")[:2], release) for _, normal, stripped, *names in PARTS
          for signs, test in zip((normal, stripped), names) if test for release, sign in zip(RELEASES, signs) if sign == "y"]
missing = [f"{test}, of {release}" for test, release in claims if test not in tests]
print(*missing, sep="\n")
sys.exit(len(claims) < 30 or len(missing) > 0)
PY

# Every function that the library exports is described by a page of its own, or by one that a link leads to.
count=0
while read -r function; do
  page=$(sed -n "s/^$function //p" "$share/man/links")
  [ -n "$page" ] || page=$function
  grep -qE "^\.It Fn $function( |$)" "$share/man/$page.3" || fail "no page describes $function"
  count=$((count + 1))
done < <(sed -nE 's/^\t(rtev_[a-z0-9_]+);$/\1/p' "$source/src/core/librtev.map")
[ "$count" -gt 100 ] || fail "librtev.map has $count functions"

# keys JSON: the keys of the objects in it, but for those that are names of what was observed.
keys() {
  python3 -c '
import json, sys
def walk(value, named):
    if isinstance(value, dict):
        for key, inside in value.items():
            if not named:
                print(key)
            walk(inside, key in ("phases", "counters", "user"))
    elif isinstance(value, list):
        for inside in value:
            walk(inside, False)
for line in open(sys.argv[1]):
    walk(json.loads(line), False)' "$1" | sort -u
}

# described PAGE JSON: the page names every key.
described() {
  local key count=0
  while read -r key; do
    grep -qE "^\.(It )?Va (.* )?$key( |$)" "$share/man/$1" || fail "$1 does not describe the key $key"
    count=$((count + 1))
  done < <(keys "$2")
  [ $count -gt 5 ] || fail "$2 has $count keys"
}
need tar xz
run 0 "$RTEVTOP" stats --json "$(unpack ocaml-5.3.0-pause)"
described rtevtop-stats.1 "$work/out"
# A command that the kernel tells of, and that collects by itself.
run 0 timeout 300 "$RTEVTOP" stats --json -- "$RTEVTOP" demo --seconds 2
described rtevtop-stats.1 "$work/out"
start_demo --seconds 3000
# The labels of metrics, which are those that are no name for one's own.
run 0 "$RTEVTOP" metrics -o "$work/a.prom" -n 1 -d 1 --user-events --by-domain "$demo"
for label in $(sed -nE 's/"([^"\\]|\\.)*"//g; s/^[a-z_]+\{([^}]*)\}.*/\1/p' "$work/a.prom" | tr ',=' '\n' | sort -u) finding severity subject; do
  grep -qE "^\.It Va (.* )?$label( |$)" "$share/man/rtevtop-metrics.1" || fail "rtevtop-metrics.1 does not describe the label $label"
  run 2 "$RTEVTOP" metrics -o "$work/a.prom" --label "$label=1" "$demo"
done
run 0 "$RTEVTOP" list --json
described rtevtop-list.1 "$work/out"
exit 0
