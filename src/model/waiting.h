/*
 * waiting.h - phases in which a domain waits for other domains.
 *
 * Each moment of a pause counts as work or as waiting, by its innermost phase: the self time of the phases
 * below is waiting, the rest is work.  Waits without a phase of their own count as work, such as the barriers
 * inside major_gc_cycle_domains and major_gc_stw.  A waiting domain may mark meanwhile; if the runtime writes
 * no event for that, it counts as waiting.
 *
 * Source: runtime/domain.c, minor_gc.c and sync.c of OCaml 5.0 to 5.3, the function named with each phase.
 */
#pragma once

#include "core/std.h"
#include "rtev/events.h"

/* X(phase) for each phase in which a domain waits for others. */
#define MODEL_WAITING(X)                                                                                              \
	/* caml_try_run_on_all_domains_with_spin_work: before 5.3 the leader waits here until all others have come */ \
	X(STW_LEADER)                                                                                                 \
	/* stw_handler: what it runs for the stop has phases of its own */                                            \
	X(STW_HANDLER)                                                                                                \
	/* stw_api_barrier; before 5.3 stw_handler: until the last domain has arrived */                              \
	X(STW_API_BARRIER)                                                                                            \
	/* caml_empty_minor_heap_promote: until all domains have finished the minor collection */                     \
	X(MINOR_LEAVE_BARRIER)                                                                                        \
	/* the idle stretch of a domain, inside a pause */                                                            \
	X(DOMAIN_CONDITION_WAIT)

/* These as bits. */
#define MODEL_WAITING_BIT(name) | UINT64_C(1) << RTEV_PHASE_##name
#define MODEL_WAITING_BITS (UINT64_C(0) MODEL_WAITING(MODEL_WAITING_BIT))

/* Whether the own time of a phase is waiting. */
static inline bool model_phase_waits(rtev_phase phase)
{
	_Static_assert(RTEV_PHASE_COUNT <= 64, "a bit for each phase");
	return phase < 64 && (MODEL_WAITING_BITS >> phase & 1) != 0;
}
