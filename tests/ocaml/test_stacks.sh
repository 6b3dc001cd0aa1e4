#!/usr/bin/env bash
# The stacks that `stacks` tells of programs whose stacks are known, native, static, at a fixed address and stripped.
# Usage: test_stacks.sh RELEASE KIND CODE_TOOL   (53 native, static, nopie, stripped)
. "$(dirname "$0")/lib.sh"
need python3 timeout strip
with_ocaml "$1"
kind=$2 tool=$3 flags=()
case $kind in
  static) flags=(-ccopt -static) ;;
  nopie) flags=(-ccopt -no-pie) ;;
esac
cp "$here"/stacks/shapes* "$work" && cd "$work" || exit 1
"$prefix/bin/ocamlopt" -w -21 -g "${flags[@]}" -I +unix -I +threads unix.cmxa threads.cmxa shapes_stubs.c shapes.ml -o shapes \
  >/dev/null 2>compile.err || {
  [ "$kind" = static ] && lacks "there is no static C library"
  cat compile.err >&2
  fail "could not compile shapes"
}
[ "$kind" = stripped ] && strip shapes
[ "$kind" != stripped ] || [ "$1" -ge 51 ] || kind=bare
# The kinds differ in where symbols and code are found: fewer shapes tell that.
hows="plain fiber2 cbfiber fibercb domain thread" whats="ocaml c noalloc sleep"
[ "$kind" = native ] && hows="plain fiber fiber2 resumed callback cbfiber fibercb deep domain thread" &&
  whats="ocaml alloc c noalloc stackargs sleep"

# right HOW WHAT: whether a report has the stack.  The shape is there soon after the program says that it is ready.
right() {
  timeout 60 "$RTEVTOP" stacks --json $pid >report.json 2>err &&
    python3 "$here/stacks/expect.py" report "$1" "$2" report.json "$kind" >why 2>&1
}
sampled=0
for how in $hows; do
  for what in $whats; do
    rm -f ready
    ./shapes $how $what >ready &
    pid=$!
    within 30 test -s ready || fail "$how $what: not ready"
    within 30 right $how $what || {
      cat why err >&2
      fail "$how $what: not the stack that it has"
    }
    # Samples, if the kernel lets us take them: none wrong, and nearly all whole.  A thread that goes on while a busy machine lets
    # its stack be read a part at a time leaves a few that are cut at a fiber's end (3 of 2,800 seen with 8 busy processes).
    case $how-$what in
      plain-* | cbfiber-ocaml | fibercb-c | fibercb-noalloc | fiber2-alloc)
        if [ $what != sleep ] && "$tool" $pid 1 499 >samples 2>/dev/null; then
          python3 "$here/stacks/expect.py" samples $how $what samples "$kind" >>shares || fail "$how $what: a wrong sample"
          sampled=1
        fi
        ;;
    esac
    stop $pid
  done
done
if [ $sampled = 1 ]; then
  awk '{ c = $2 ~ /^(ocaml|alloc)$/ ? "ocaml" : "c"; n[c] += $3; whole[c] += $4; moved[c] += $5 }
    END { few = n["ocaml"] < 50 || n["c"] < 50 || whole["ocaml"] + moved["ocaml"] < 0.99 * n["ocaml"]
      for (c in n) { print c, n[c], whole[c], moved[c]; few = few || whole[c] < 0.95 * n[c] }
      exit few }' shares || {
    cat shares >&2
    fail "too few samples are whole"
  }
else
  echo "the kernel refuses samples"
fi
