/*
 * swapping.c - the process waits for pages from disk: the collector touches all of the heap, so its pauses
 * include these waits.
 *
 * majflt of proc(5); memory.pressure, "full", of the kernel's psi.rst.  Pages of mapped files cause major
 * faults, too, including the program file's own if the memory limit leaves no room to keep them.
 *
 * Only the pressure of its control group shows the cost.  Without it, the finding is serious if much of the
 * process is swapped out.
 */
#include "advice/rule.h"

#define FAULTS_PER_S 10.0
#define LEAST_NS 5000000000u
#define SERIOUS_SHARE 0.05 /* share of the busy time */
#define SWAPPED_PART 20	   /* part of the resident memory: serious if 1 / SWAPPED_PART of it is swapped out */
#define NEAR_LIMIT 0.95
#define HEAP_PART 0.25

/* Return the memory limit if the group has come near it; 0: it has not. */
static uint64_t limit_reached(const struct evidence *e)
{
	uint64_t limit, current;

	if (!evidence_gauge(e, SYSTEM_MEMORY_LIMIT, &limit) || limit == SYSTEM_NO_LIMIT ||
	    !evidence_gauge(e, SYSTEM_MEMORY_CURRENT, &current) ||
	    (double)current < NEAR_LIMIT * (double)limit)
		return 0;
	return limit;
}

/* Return the time for which the process stalled as a share of the time in which it ran, wanted to run, or
 * stalled. */
static double stalled_share(const struct evidence *e, double ns)
{
	/* Without collections no domain is known to be busy. */
	double busy = e->busy_ns > 0 ? e->busy_ns : evidence_ran(e);
	double window = e->window_s * 1e9 * (e->active > 0 ? e->active : 1), all = busy + ns;

	if (all > window)
		all = window > busy ? window : busy;
	return ns < all ? ns / all : 1;
}

/* Return whether the major heap is a considerable part of what a limit allows. */
static bool heap_matters(const struct evidence *e, uint64_t limit)
{
	return (double)e->heap_words * 8 >= HEAP_PART * (double)limit;
}

/* Fill in the remedy. */
static void advise_pages(struct advice_finding *out, const struct evidence *e, bool swapped, uint64_t limit)
{
	if (swapped)
		advise(out, "Give it more memory, or have it use less with a lower o (OCAMLRUNPARAM=o=80): "
			    "the collector's marking touches every page.");
	else if (limit != 0)
		advise(out,
		    "These are pages of files (the program, or files that it maps), for which its memory "
		    "limit of %s leaves no room.  Raise the limit%s.",
		    format_bytes(limit).s,
		    heap_matters(e, limit) ? ", or have the heap use less with a lower o (OCAMLRUNPARAM=o=80)"
					   : "");
	else
		advise(out,
		    "Nothing is swapped out, so these are pages of files: the program, or files that "
		    "it maps.  Files that it reads for the first time are in memory soon; if this goes "
		    "on, free memory on the machine.");
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t faults, swap = 0, stalled, resident = 0;

	if (e->system.ns < LEAST_NS || !evidence_grown(e, SYSTEM_MAJOR_FAULTS, &faults))
		return VERDICT_EARLY;
	double rate = (double)faults * 1e9 / (double)e->system.ns;
	if (rate < bound(FAULTS_PER_S, held))
		return VERDICT_NO;
	bool swapped = evidence_gauge(e, SYSTEM_SWAP, &swap) && swap > 0;
	(void)evidence_gauge(e, SYSTEM_RESIDENT, &resident);
	bool serious = swapped && swap >= resident / SWAPPED_PART;
	if (e->system.latest->pressure_scope == SYSTEM_PRESSURE_OF_GROUP &&
	    evidence_grown(e, SYSTEM_PRESSURE_MEMORY_FULL, &stalled)) {
		out->seconds = (double)stalled / 1e9;
		out->share = stalled_share(e, (double)stalled);
		serious = out->share >= SERIOUS_SHARE;
	}
	out->severity = serious ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "major_faults_per_s", rate, ADVICE_UNIT_RATE);
	figure(out, "swapped", (double)swap, ADVICE_UNIT_BYTES);
	finding_say(out, "%.0f page faults a second wait for the disk" SAY_MORE("%s"), rate,
	    swapped ? ", and part of the process is swapped out" : "");
	advise_pages(out, e, swapped, limit_reached(e));
	return VERDICT_YES;
}

const struct rule rule_swapping = {.name = "swapping",
    .question = "Does it wait for pages from disk?",
    .needs = NEEDS_SYSTEM | BY_COUNTERS,
    .early = "less than 5 s were sampled",
    .unmet = "fewer than 10 major faults a second",
    .judge = judge};
