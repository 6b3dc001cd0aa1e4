#!/usr/bin/env bash
# The callers of a sample are those of its instant: of a program whose stacks of two moments can be told, next to none of the
# stacks that are taken as whole is put together of two, however long the machine lets a sample wait; and where callers are not
# known no function is told as the outermost in their stead.
# Usage: test_callers.sh RELEASE CODE_TOOL
. "$(dirname "$0")/lib.sh"
need timeout python3
with_ocaml "$1"
tool=$2
cp "$here"/moments* "$work" && cd "$work" || exit 1
"$prefix/bin/ocamlopt" -w -21 -g -I +unix -I +threads unix.cmxa threads.cmxa moments_stubs.c moments.ml -o moments >/dev/null 2>err ||
  fail "could not compile moments: $(cat err)"

# count WHAT: of lines of "END STACK", END 0 for a whole one, print the samples, the whole ones, and those of two moments.
count() {
  awk -v what="$1" '
    { all++ }
    $1 == 0 { whole++; if (/[._][a-z_]*_a[^a-z_]/ && /[._][a-z_]*_b[^a-z_]/) { mixed++; print what ": " $0 >"/dev/stderr" } }
    END { print what, all + 0, whole + 0, mixed + 0 }' >>counts
}

for how in plain threads fibers callbacks; do
  rm -f ready
  ./moments $how >ready &
  pid=$!
  within 60 test -s ready || fail "$how: not ready"
  for hz in 99 499; do
    timeout 100 "$tool" $pid 2 $hz >samples 2>err || { cat err; skip "the kernel refuses samples"; }
    count "$how-$hz" <samples
  done
  run 0 timeout 100 "$RTEVTOP" stats --code=499 --folded --duration 2 $pid
  grep -E '^(moments_|Moments\.)' out | grep -v '^Moments\.thread_[ab]' && fail "$how: these are no roots"
  awk '{ for (i = 0; i < $NF; i++) print (/^\[caller not known\];/ ? 2 : 0) " " $0 " " }' out | count "$how-folded"
  for i in 1 2 3 4 5; do
    run 0 timeout 100 "$RTEVTOP" stacks --json $pid
    python3 -c 'import json
for t in json.load(open("out"))["threads"]:
    if t["kind"] == "ocaml": print(0 if t["complete"] else 2, " ".join(f["name"] for f in t["frames"]) + " ")' >lines
    cat lines >>stacks
  done
  stop $pid
done
count stacks <stacks
cat counts
awk '{ whole += $3; mixed += $4; none += $3 == 0 } END { exit !(none == 0 && mixed <= whole / 100) }' counts ||
  fail "of WHAT, samples, whole ones: too many are put together of two moments, or none is whole"
