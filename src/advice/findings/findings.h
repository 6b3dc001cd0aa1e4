/* findings.h - the rules in causal order: a cause comes before its symptoms. */
#pragma once

#include "advice/rule.h"

/* X(name): `rule_name` is defined in NAME.c or with related rules. */
#define FINDINGS(X)                                                                                          \
	X(tracing_paused)                                                                                    \
	X(ring_losses)                                                                                       \
	X(ring_flood)                                                                                        \
	X(ring_stuck)                                                                                        \
	X(mappings_near_limit)                                                                               \
	X(heap_reservation)                                                                                  \
	X(swapping)                                                                                          \
	X(cgroup_throttled)                                                                                  \
	X(deadlock)                                                                                          \
	X(dead_owner)                                                                                        \
	X(lost_wakeup)                                                                                       \
	X(starved)                                                                                           \
	X(lock_held)                                                                                         \
	X(master_lock)                                                                                       \
	X(explicit_gc)                                                                                       \
	X(too_few_cores)                                                                                     \
	X(late_domain)                                                                                       \
	X(idle_domains)                                                                                      \
	X(domain_churn)                                                                                      \
	X(custom_memory)                                                                                     \
	X(direct_major)                                                                                      \
	X(special_values)                                                                                    \
	X(minor_roots)                                                                                       \
	X(minor_heap_small)                                                                                  \
	X(minor_survivors)                                                                                   \
	X(space_overhead_low)                                                                                \
	X(space_overhead_high)                                                                               \
	X(fragmentation)                                                                                     \
	X(free_pools)                                                                                        \
	X(heap_no_cycle)                                                                                     \
	X(heap_growth)                                                                                       \
	X(resident_above_heap)                                                                               \
	X(user_span_tail)                                                                                    \
	X(fiber_no_switch)                                                                                   \
	X(fiber_lock_held)                                                                                   \
	X(fiber_stream_full)                                                                                 \
	X(fiber_stream_empty)                                                                                \
	X(fiber_growth)                                                                                      \
	X(fiber_cancelled)

/* A rule's index in this order, and the set that contains only it. */
enum finding {
#define FINDING_ENUM(name) FINDING_##name,
	FINDINGS(FINDING_ENUM)
#undef FINDING_ENUM
	    FINDING_COUNT
};
#define FINDING(name) (UINT64_C(1) << FINDING_##name)
_Static_assert(FINDING_COUNT <= 64, "a set of findings is a uint64_t");

#define FINDING_DECLARE(name) extern const struct rule rule_##name;
FINDINGS(FINDING_DECLARE)
#undef FINDING_DECLARE
