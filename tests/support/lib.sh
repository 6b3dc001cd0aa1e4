# lib.sh - what the shell tests share.  Source it: a private directory that goes away, checks, and the program under test.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../tools.sh"
: "${RTEVTOP:?the program under test}" "${RTEV_TEST_DATA:?tests/data}"
work=$(mktemp -d "${TMPDIR:-/tmp}/rtevtest.XXXXXX") || exit 1
cleanup() {
  # Nothing that a test has started outlives it.
  jobs -p | xargs -r kill 2>/dev/null
  wait 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

# run STATUS COMMAND...: run it, with output in $work/out and $work/err, and check its exit status.
run() {
  local want=$1 got
  shift
  "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  [ "$got" = "$want" ] || {
    cat "$work/err" >&2
    fail "$*: exit status $got, expected $want"
  }
}

# says TEXT: the last run's message contains it.
says() {
  grep -qF -- "$1" "$work/err" || {
    cat "$work/err" >&2
    fail "the message does not say: $1"
  }
}

# within SECONDS COMMAND...: repeat the command until it succeeds; a busy machine has a minute at least.
within() {
  local end=$((SECONDS + ($1 > 60 ? $1 : 60)))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.05
  done
}

# unpack NAME [FOLDER]: a recorded ring of tests/data/rings, or another folder, into $work; prints the path of its ring file.
unpack() {
  tar -xJf "$RTEV_TEST_DATA/${2:-rings}/$1.tar.xz" -C "$work" || fail "could not unpack $1"
  echo "$work/$1/"*.events
}
