#!/usr/bin/env bash
# OCaml's own consumer reads rings of our producer, finished and live: the same events, in the same order, with the same
# values as were written and as our cursor reads them.   test_producer_oracle.sh RELEASE RING_TOOL
# Each consumer gets rings in the numbers of its own release.
set -euo pipefail
tool=${2:?path of ring_tool}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tools.sh"
with_ocaml "$1"
work=$(mktemp -d "${TMPDIR:-/tmp}/rtev-oracle.XXXXXX")
trap 'rm -rf "$work"' EXIT
seed=${SEED:-1}
echo "seed $seed"

# 5.4.1's consumer lacks the constructor of a phase, and gives the event another name.
unnamed='^$'
[ "$1" != 54 ] || unnamed=' (begin|end) (minor_ephe_clean|ring_start)$'

# Lines of each domain in their order, domain by domain.
by_domain() {
  grep -vE "$unnamed" "$1" | LC_ALL=C sort -s -n -k1,1
}

# Compare what two readers saw of one ring.
same() { # WHAT EXPECTED ACTUAL
  if ! diff <(by_domain "$2") <(by_domain "$3") >"$work/diff"; then
    echo "$1 (seed $seed): differs" >&2
    head -n 20 "$work/diff" >&2
    exit 1
  fi
  echo "$1: $(wc -l <"$2") events agree"
}

# Give up if a ring was too small for the test.
no_loss() {
  if grep -q ' lost ' "$1"; then
    echo "words were lost: $(grep -m1 ' lost ' "$1")" >&2
    exit 1
  fi
}

finished() { # ORACLE WHAT RELEASE EVENTS
  mkdir "$work/ring"
  "$tool" write "$work/ring" "$3" "$4" "$seed" >"$work/written"
  read -r pid path <"$work/written"
  sed -i 1d "$work/written"
  "$tool" dump "$path" "$3" >"$work/ours"
  no_loss "$work/ours"
  same "$2, finished, our cursor" "$work/written" "$work/ours"
  "$1" "$work/ring" "$pid" test.custom >"$work/theirs"
  same "$2, finished, OCaml" "$work/ours" "$work/theirs"
  rm -r "$work/ring"
}

live() { # ORACLE WHAT RELEASE EVENTS
  mkdir "$work/ring"
  # What an earlier round left would be taken for the writer's first line.
  rm -f "$work/written"
  "$tool" live "$work/ring" "$3" "$4" "$seed" "$work/ready" >"$work/written" &
  local writer=$!
  for _ in $(seq 600); do
    [ -s "$work/written" ] && break
    sleep 0.05
  done
  read -r pid _ <"$work/written"
  timeout 300 "$1" "$work/ring" "$pid" live "$work/ready" test.custom >"$work/theirs"
  wait "$writer"
  sed -i 1d "$work/written"
  no_loss "$work/theirs"
  same "$2, live" "$work/written" "$work/theirs"
  rm -r "$work/ring" "$work/ready"
}

cp "$here/oracle.ml" "$work/"
(cd "$work" && "$prefix/bin/ocamlopt" -I +unix -I +runtime_events unix.cmxa runtime_events.cmxa oracle.ml -o oracle)
oracle=$work/oracle
finished "$oracle" "OCaml $version" "$version" 20000
live "$oracle" "OCaml $version" "$version" 40000
# The layout of 5.0, which has 5.1's numbers and no user events.
[ "$1" != 51 ] || finished "$oracle" "OCaml $version, layout of 5.0" 5.0 20000
