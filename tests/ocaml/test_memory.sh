#!/usr/bin/env bash
# What `stats` says the memory of real OCaml programs is: the part that each holds has it, the rest is little, and all
# together is what the kernel says.  Usage: test_memory.sh RELEASE   (53)
. "$(dirname "$0")/lib.sh"
need python3 timeout strip
with_ocaml "$1"
program=$(build "$prefix" memory native)

limit=unlimited
# holds KIND MB EXPRESSION [FINDING]: what stats tells of a program that holds so much; R(part) and M(part) are resident and mapped megabytes,
# `heap` is what the program says of its heap.  FINDING
# alone of those about memory is there.
holds() {
  rm -f "$work/ready" "$work"/*.events
  (cd "$work" && ulimit -v "$limit" && exec env OCAMLRUNPARAM=l=64M,e=12 "$program" "$1" "$2") &
  pid=$!
  within 60 test -s "$work/ready" || fail "$1 is not ready"
  run 0 timeout 300 "$RTEVTOP" stats --json --duration 0.1 $pid
  run_text=$(timeout 300 "$RTEVTOP" stats --duration 0.1 $pid) || fail "stats of $1 as text"
  read -r heap _ <"$work/ready"
  stop $pid
  json "(lambda P, heap: (lambda R, M, all: $3 and R('other') <= 0.1 * all + 4.2 and abs(all - x['system']['resident_bytes'] / 1e6) <= 2
    and M('minor_heaps') + M('minor_heaps_reserve') >= 256)(lambda p: P[p]['resident_bytes'] / 1e6, lambda p: P[p]['reserved_bytes'] / 1e6,
    sum(p['resident_bytes'] for p in P.values()) / 1e6))({p['part']: p for p in x['runtime']['memory']}, $heap / 1e6)" "$work/out" ||
    fail "$1: $(grep -o '"memory":\[[^]]*\]' "$work/out"); its heap is $heap"
  json "{f['name'] for f in x['findings']} & {'free_pools', 'mappings_near_limit', 'heap_reservation'} == set('${4:-}'.split())" "$work/out" ||
    fail "$1: $(grep -o '"findings":\[.*' "$work/out")"
  json "10 < x['system']['mappings'] < x['system']['mappings_limit']" "$work/out" || fail "$1: mappings"
  grep -Eq '^pools in use +[0-9.]+[kMG]?B' <<<"$run_text" || fail "$1: no parts in the text: $run_text"
}
holds small 100 "R('pools') >= 80 and abs(R('pools') - heap) <= 2 and R('pools_free') <= 1"
holds large 100 "100 <= R('large_blocks') <= 101 and abs(M('pools') + M('large_blocks') - heap) <= 2"
holds huge 100 "R('large_blocks') <= 1 and 100 <= M('large_blocks') <= 101"
holds freed 100 "R('pools_free') >= 60 and R('pools') + R('large_blocks') <= 4" free_pools
holds domains 100 "R('pools') >= 80 and M('stacks') >= 24 and M('minor_heaps') >= 8 and R('pools_free') <= 4"
holds deep 100 "R('stacks') >= 30 and R('pools') <= 4"
if [ "$1" -ge 51 ]; then # without symbols as well, from its code
  cp "$program" "$program-stripped" && strip "$program-stripped" && program=$program-stripped
  holds domains 100 "R('pools') >= 80 and M('stacks') >= 24 and M('minor_heaps') >= 8 and R('pools_free') <= 4"
fi
limit=327000
holds small 10 "True" heap_reservation
limit=400000
holds small 10 "True"
limit=unlimited
most=$(cat /proc/sys/vm/max_map_count)
[ "$most" -gt 100000 ] || holds mapped $((most * 85 / 100)) "x['system']['mappings'] > $most * 8 / 10" mappings_near_limit
# A heap that grows without an event is looked at more often than a file is written for Prometheus; and all faces tell of it, with
# events and without them, and once the program has ended.
for way in events none; do
  rm -f "$work/ready"
  (cd "$work" && exec "$program" grows 30 $way) &
  pid=$!
  within 60 test -s "$work/ready" || fail "grows is not ready"
  timeout 300 "$RTEVTOP" -b --json -d 0.1 "$pid" >"$work/batch" &
  batch=$!
  timeout 300 "$RTEVTOP" stats --json "$pid" >"$work/stats" 2>"$work/err" &
  stats=$!
  timeout 300 "$RTEVTOP" stats "$pid" >"$work/text" 2>/dev/null &
  text=$!
  timeout 300 "$RTEVTOP" metrics -o "$work/grows.prom" -n 1 -d 14 $pid || fail "metrics of a heap that grows"
  stop $pid
  wait $batch $stats $text
  grep -q 'ocaml_finding{.*finding="heap_no_cycle"' "$work/grows.prom" || fail "$way: $(grep -E 'verdict|finding|heap_bytes' "$work/grows.prom")"
  grep -q '"heap_no_cycle"' "$work/stats" || fail "$way: stats: $(cat "$work/stats")"
  # What memory counted is told although there is no memory any more.
  grep -Eq '^  minor collections +[0-9]' "$work/text" || fail "$way: collections: $(cat "$work/text")"
  # A machine on which it hardly runs says that first.
  tail -n 1 "$work/batch" | grep -E '"headline":"ended: (The heap grew by|starved)' || fail "$way: -b: $(tail -n 2 "$work/batch")"
  ! grep -E "memory can't be read|\"resident_bytes\":0," "$work/batch" || fail "$way: -b of a program that ends"
done
