/*
 * free_pools.c - much of the process's memory is empty pools of the major heap.
 *
 * The sweeper puts empty pools into a list for all domains (pool_release, runtime/shared_heap.c).  Only
 * Gc.compact of OCaml 5.2 and later returns them to the system.
 */
#include "advice/rule.h"

#define LEAST_BYTES (64.0 * 1024 * 1024)
#define OF_RESIDENT 0.3

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct system_memory *m = evidence_parts(e);
	uint64_t resident;

	if (m == NULL || m->resident[MEMORY_POOLS_FREE] == MEMORY_UNKNOWN ||
	    !evidence_gauge(e, SYSTEM_RESIDENT, &resident))
		return VERDICT_EARLY;
	double free = (double)m->resident[MEMORY_POOLS_FREE];
	if (free < bound(LEAST_BYTES, held) || free < bound(OF_RESIDENT, held) * (double)resident)
		return VERDICT_NO;
	out->bytes = free;
	figure(out, "free_pools", free, ADVICE_UNIT_BYTES);
	figure(out, "resident", (double)resident, ADVICE_UNIT_BYTES);
	finding_say(out, "%s of " SAY_MORE("the ") "%s resident are empty pools of the heap",
	    format_figure(UNIT_BYTES, free).s, format_bytes(resident).s);
	if (e->release == RTEV_RELEASE_5_0 || e->release == RTEV_RELEASE_5_1)
		advise(out, "This release never gives them back; they are used again when the heap grows.  "
			    "OCaml 5.2 and later give them back at Gc.compact.");
	else
		advise(out, "They are used again when the heap grows.  If it does not grow for long, call "
			    "Gc.compact after the work that made it large; that stops all domains.");
	return VERDICT_YES;
}

const struct rule rule_free_pools = {.name = "free_pools",
    .question = "Does the heap keep much memory that it does not use?",
    .needs = NEEDS_SYSTEM | BY_COUNTERS,
    .early = "its memory was not looked at in the window, or can't be read: view 7 and stats look at it",
    .unmet = "less than 64 MiB, or 30% of what is resident, are free pools",
    .judge = judge};
