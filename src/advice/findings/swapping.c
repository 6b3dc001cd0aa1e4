/*
 * swapping.c - the process waits for pages from disk: the collector touches all of the heap, so its pauses
 * include these waits.
 *
 * majflt of proc(5); memory.pressure, "full", of the kernel's psi.rst.  Pages of mapped files cause major
 * faults, too.
 */
#include "advice/rule.h"

#define FAULTS_PER_S 10.0
#define LEAST_NS 5000000000u

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t faults, swap = 0, stalled;

	if (e->system.ns < LEAST_NS || !evidence_grown(e, SYSTEM_MAJOR_FAULTS, &faults))
		return VERDICT_EARLY;
	double rate = (double)faults * 1e9 / (double)e->system.ns;
	if (rate < bound(FAULTS_PER_S, held))
		return VERDICT_NO;
	bool swapped = evidence_gauge(e, SYSTEM_SWAP, &swap) && swap > 0;
	out->severity = swapped ? ADVICE_SERIOUS : ADVICE_HINT;
	if (e->system.latest->pressure_scope == SYSTEM_PRESSURE_OF_GROUP &&
	    evidence_grown(e, SYSTEM_PRESSURE_MEMORY_FULL, &stalled)) {
		out->seconds = (double)stalled / 1e9;
		out->share = evidence_share(e, (double)stalled);
	}
	figure(out, "major_faults_per_s", rate, ADVICE_UNIT_RATE);
	figure(out, "swapped", (double)swap, ADVICE_UNIT_BYTES);
	say(out, "%.0f page faults a second wait for the disk%s", rate,
	    swapped ? ", and part of the process is swapped out" : "");
	advise(out, "%s",
	    swapped ? "Give it more memory, or have it use less with a lower o (o=80): marking touches every "
		      "page."
		    : "Nothing is swapped out, so they are pages of files: of the program, or files that it "
		      "maps.");
	return VERDICT_YES;
}

const struct rule rule_swapping = {.name = "swapping",
    .question = "Does it wait for pages from disk?",
    .needs = NEEDS_SYSTEM,
    .early = "less than 5 s were sampled",
    .judge = judge};
