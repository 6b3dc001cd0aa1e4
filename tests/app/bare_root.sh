#!/usr/bin/env bash
# A static program in a root that has nothing else, not even /dev/null or /proc: what can be done is done, and what needs /proc says so.
. "$(dirname "$0")/../support/lib.sh"
need timeout
unshare -rm --propagation=private true 2>/dev/null || skip "no user namespaces"
mkdir "$work/bare" "$work/bare/tmp" "$work/bare/proc"
cp "$RTEVTOP" "$work/bare/rtevtop"
cp "$(unpack ocaml-5.3.0-pause)" "$work/bare/ring.events"

bare() { unshare -r chroot "$work/bare" "$@"; }
# With /proc, which is that of this machine.
bare_proc() { unshare -rpfm sh -c 'mount -t proc proc "$1/proc" || exit 99; root=$1; shift; exec chroot "$root" "$@"' sh "$work/bare" "$@"; }

run 0 bare /rtevtop stats ring.events
mv "$work/out" "$work/want"
run 0 "$RTEVTOP" stats "$work/bare/ring.events"
cmp -s "$work/out" "$work/want" || fail "the report differs"
run 0 timeout 300 unshare -r chroot "$work/bare" /rtevtop stats -- /rtevtop demo --seconds 0.2
for command in list "-b -n 1 -d 0.1" "metrics -n 1 -d 0.1 -o /tmp/x.prom" "diff -n 1 -- /rtevtop demo --- /rtevtop demo"; do
  status=1
  [ "${command%% *}" != diff ] || status=125
  # shellcheck disable=SC2086
  run $status bare /rtevtop $command
  says "rtevtop needs /proc."
done
if bare_proc /rtevtop --version >/dev/null 2>&1; then
  run 0 bare_proc /rtevtop list
  run 0 bare_proc /rtevtop diff -n 1 -- /rtevtop demo --seconds 0.1 --- /rtevtop demo --seconds 0.1
fi
exit 0
