#!/usr/bin/env bash
# No command lets text of others control the terminal: names of programs, files, events, users and versions, and arguments.
. "$(dirname "$0")/../support/lib.sh"
need python3 timeout tar xz
export PYTHONPATH=${BASH_SOURCE[0]%/*}/../support PYTHONDONTWRITEBYTECODE=1
evil=$'\e[31m\e]0;x\a\u202e\u200b\u009bJ'
mkdir "$work/$evil"
cd "$work/$evil" || exit 1

# clean FILE...: no controls, no marks of direction, nothing invisible, no invalid bytes.
clean() {
  python3 - "$@" <<'PY' || fail "$did: lets text through: $(cat -v "$@" | head -n 20)"
import sys, unicodedata
text = "".join(open(name, encoding="utf-8", newline="").read() for name in sys.argv[1:])
bad = {hex(ord(c)) for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in "\n\t"}
print(*sorted(bad), end="\n" * bool(bad))
sys.exit(bool(bad))
PY
}

# harmless STATUS COMMAND...: what it prints is clean.
harmless() {
  local want=$1 got
  shift
  did=$(printf '%q ' "${@##*/}")
  timeout 300 "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  [ $got = "$want" ] || fail "$did: status $got, not $want: $(cat -v "$work/err")"
  clean "$work/out" "$work/err"
}

# told ...: as harmless, and the text is in the output.
told() {
  harmless "$@"
  grep -qF '[31m' "$work/out" "$work/err" || fail "$did: does not tell of it"
}

# A ring that has such names and payloads, in a file of such a name; and a recording whose target and version are called so.
ring=$evil.events
python3 - "$ring" "$evil" <<'PY' || fail "could not make the ring"
import sys
from ring_file import CUSTOM, INT, SPAN_BEGIN, SPAN_END, UNIT, Ring
ring = Ring()
for event, kind in enumerate((UNIT, INT, SPAN_BEGIN, CUSTOM)):
    ring.name(event, sys.argv[2].encode() + b"\xff\n%d" % event)
    ring.user(0, 1000 + event, kind, event, *[int.from_bytes(b"\x1b[31m\x07\n\1", "little")] * (kind in (INT, CUSTOM)))
ring.user(0, 2000, SPAN_END, 2)
ring.save(sys.argv[1])
PY
for words in stats "stats --full" log; do
  # shellcheck disable=SC2086
  told 0 "$RTEVTOP" $words "$ring"
done
told 0 "$RTEVTOP" -b -n 1 "$ring"
harmless 0 "$RTEVTOP" record --ocaml 5.3.0 -o "$evil.fxt" "$ring"
python3 - "$evil.fxt" "$ring" <<'PY' || fail "could not change the recording"
import sys
data = open(sys.argv[1], "rb").read()
at = data.index(b"rtevtop.about") + 24 + 48
texts = []
for _ in range(3):
    texts.append(data[at + 1 : at + 1 + data[at]])
    at += 1 + data[at]
hostile = [(b"\x1b[31m\x07\xe2\x80\xae\n" * 9)[: len(text)] for text in texts]
for text, other in zip(texts, hostile):
    data = data.replace(bytes([len(text)]) + text, bytes([len(text)]) + other)
open(sys.argv[1], "wb").write(data)
PY
for words in stats "stats --full"; do
  # shellcheck disable=SC2086
  told 0 "$RTEVTOP" $words "$evil.fxt"
  grep -q 'OCaml \\x1b\[31m.*(\\x1b\[' "$work/out" || fail "the version: $(cat -v "$work/out" | head -n 2)"
done
head -c -20 "$evil.fxt" >"short$evil.fxt"
told 1 "$RTEVTOP" stats "short$evil.fxt"

# Reports and commands that are compared.
"$RTEVTOP" stats --json "$ring" >"$evil.json" || fail "no report"
told 0 "$RTEVTOP" diff "$evil.json" "$evil.json"
told 1 "$RTEVTOP" diff "$evil.json" "none$evil.json"
told 127 "$RTEVTOP" diff -- "./$evil" --- "./$evil"

# Sites of a memtrace file.
python3 - "$RTEV_TEST_DATA/memtrace/small.ctf" "$evil.ctf" <<'PY'
import sys
data = open(sys.argv[1], "rb").read()
for text in b"/srv/apps/app/mt_ocamlopt", b"Stdlib__List.iter", b"list.ml", b"Clflags.add_arguments.(fun)":
    assert text in data
    data = data.replace(text, (b"\x1b[31m\xc2\x9b\x07" * 9)[: len(text)])
open(sys.argv[2], "wb").write(data)
PY
told 0 "$RTEVTOP" memtrace --top 100 "$evil.ctf"
{ head -c 300 "$evil.ctf"; head -c 5000 /dev/zero; tail -c +5301 "$evil.ctf"; } >"short$evil.ctf"
told 1 "$RTEVTOP" memtrace --top 5 "short$evil.ctf"

# A process that has such a name, in all that tells of processes.
cp "$RTEVTOP" "$evil"
RTEVTOP=./$evil OCAML_RUNTIME_EVENTS_DIR=. start_demo --seconds 1000 --rate 10000
told 0 "$RTEVTOP" list
told 0 "$RTEVTOP" stats --duration 0.1 ".:$demo"
told 0 "$RTEVTOP" -b -n 1 -d 0.1 ".:$demo"
told 0 "$RTEVTOP" -b -n 1 -d 0.1
mkdir "d$evil"
told 0 "$RTEVTOP" record --on-pause 0.001 --duration 0.5 -o "d$evil" ".:$demo"
told 0 "$RTEVTOP" metrics -o - -n 1 -d 0.1 --user-events --label "evil=$evil" ".:$demo"
kill $demo

# Messages: what is not there, can't be made, or is no option, command, name or number.
set -f
for words in "memtrace --sort=$evil $evil.ctf" "--$evil" "--sort=$evil 1" "-d $evil 1" "stats --wait=$evil 1" "stats --ocaml=$evil $ring" \
  "metrics -o $evil" "metrics -o m.prom --label $evil" "help $evil" "record --format $evil -o a.fxt $ring" "help -- $evil"; do
  # shellcheck disable=SC2086
  told 2 "$RTEVTOP" $words
done
for words in "no$evil" "stats none/$evil.events" "log none/$evil.events" "record -o none/$evil.fxt $ring" "memtrace --top 1 none/$evil.ctf" \
  "metrics -o none/$evil.prom -n 1 -d 0.1 $ring" "record --on-pause 5 -o none/$evil/%n 1" "record -o $evil.events $ring" "stats $evil.json"; do
  # shellcheck disable=SC2086
  told 1 "$RTEVTOP" $words
done
told 127 "$RTEVTOP" stats -- "none/$evil"
exit 0
