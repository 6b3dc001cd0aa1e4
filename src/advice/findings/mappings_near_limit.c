/* mappings_near_limit.c - the process has nearly as many mappings as the kernel allows (vm.max_map_count,
 * sysctl/vm.rst): the next pool, stack or library then can't be mapped. */
#include "advice/rule.h"

#define OF_LIMIT 0.8

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct system_memory *m = evidence_parts(e);

	if (m == NULL || m->mappings_limit == 0)
		return VERDICT_EARLY;
	if ((double)m->mappings < bound(OF_LIMIT, held) * (double)m->mappings_limit)
		return VERDICT_NO;
	out->severity = ADVICE_SERIOUS;
	figure(out, "mappings", (double)m->mappings, ADVICE_UNIT_COUNT);
	figure(out, "limit", (double)m->mappings_limit, ADVICE_UNIT_COUNT);
	finding_say(out,
	    SAY_MORE("The process has ") "%.0f of the %.0f mappings" SAY_MORE(
		" that vm.max_map_count allows"),
	    (double)m->mappings, (double)m->mappings_limit);
	advise(out,
	    "Raise the limit before the kernel refuses the program memory: sysctl vm.max_map_count=%.0f.  "
	    "/proc/PID/maps shows what they are; each thread has two.",
	    4 * (double)m->mappings_limit);
	return VERDICT_YES;
}

const struct rule rule_mappings_near_limit = {.name = "mappings_near_limit",
    .question = "Will the kernel soon refuse more mappings?",
    .needs = BY_COUNTERS,
    .latency = true,
    .early = "its mappings were not counted in the window: view 7 and stats count them",
    .unmet = "it has less than 80% of the mappings that vm.max_map_count allows",
    .judge = judge};
