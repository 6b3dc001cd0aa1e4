#!/usr/bin/env bash
# What users and scripts rely on, a line each: commands, options, keys by view, JSON keys, metrics families, findings.  Compare two
# programs by the diff of their lists.
# Usage: surface.sh RTEVTOP SOURCE_DIR
set -euo pipefail
program=$(realpath "$1") source=$(realpath "$2")
work=$(mktemp -d)
demo=
trap '[ -z "$demo" ] || kill "$demo" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"

for command in "" list log stats record metrics memtrace demo diff help; do
  # shellcheck disable=SC2086
  "$program" ${command:+help} $command 2>/dev/null || "$program" --help
done | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+|^Usage: .*|^ +rtevtop .*' | sed -E 's/^ +//; s/^/option or command: /' | sort -u
"$program" --help | sed -E 's/^/help: /'
# The table of keys is a part of the manual, which is made of the tables that the program reads.
sed -n '/^\.Sh KEYS/,/^\.Sh [^K]/p' "$source/src/share/man/rtevtop.1" | grep -E '^\.(It|Ss)' | sed 's/^/key: /'

keys() {
  python3 -c '
import json, sys
def walk(at, value):
    if isinstance(value, dict):
        for key, inside in value.items():
            name = key if not at.endswith((".phases", ".counters", ".user")) else "NAME"
            print(f"json {sys.argv[1]}: {at}.{name}")
            walk(f"{at}.{name}", inside)
    elif isinstance(value, list):
        for inside in value:
            walk(at + "[]", inside)
for line in sys.stdin:
    walk("", json.loads(line))' "$1" | sort -u
}

OCAML_RUNTIME_EVENTS_DIR=$work "$program" demo --seconds 60 --rate 20000 --seed 1 >"$work/started" &
demo=$!
while ! [ -s "$work/started" ]; do sleep 0.05; done
pid=$(cut -d' ' -f1 "$work/started")
"$program" stats --json --duration 3 "$work:$pid" | tee "$work/report.json" | keys stats
OCAML_RUNTIME_EVENTS_DIR=$work "$program" list --json | keys list
"$program" log --json "$work:$pid" | keys log
"$program" -b --json -n 2 --by-domain "$work:$pid" | keys batch
"$program" diff --json "$work/report.json" "$work/report.json" | keys diff
"$program" memtrace --json "$source/tests/data/memtrace/small.ctf" | keys memtrace
"$program" metrics -n 2 -d 1 --by-domain --user-events -o "$work/m.prom" "$work:$pid"
sed -nE 's/^# TYPE /metrics family: /p' "$work/m.prom" | sort -u
python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
for name in sorted({f["name"] for f in r["findings"]} | {f["name"] for f in r["findings_left_out"]}):
    print("finding:", name)' "$work/report.json"
