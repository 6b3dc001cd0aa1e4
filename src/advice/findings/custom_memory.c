/*
 * custom_memory.c - memory that custom blocks hold outside the heap (bigarrays, Zarith's numbers, C buffers)
 * drives the major collector, rather than allocation in the heap.
 *
 * custom_major_ratio (M of OCAMLRUNPARAM) is 44 in 5.0 to 5.5: memory outside may reach this percentage of
 * the heap before a cycle has completed (stdlib/gc.mli).  A slice does the largest amount of work that any
 * kind of work asks for (runtime/major_gc.c, update_major_slice_work).  5.3 reports all kinds.  Earlier
 * releases only report requests to speed up: one for each fifth of the memory outside that makes a cycle, in
 * 5.0 one for all of it (runtime/memory.c, caml_adjust_gc_speed).  The number of cycles that these make is
 * compared with the actual number, which 5.0 does not report.
 *
 * The first M to try is 250 (ocaml/ocaml#14533), then four times as much each, as long as the memory allowed
 * outside, M/100 of the heap, is a small part of all memory.
 */
#include "advice/findings/findings.h"

#define SLICES 20
#define EXTRA_SHARE 0.7 /* share of the work of slices */
#define REQUESTS_PER_S 10.0
#define COST_SHARE 0.05
#define SERIOUS_SHARE 0.10
#define RATIO_DEFAULT 44
#define RATIO_TO_TRY 250
#define RATIO_STEP 4
#define OF_MEMORY 0.25 /* share of the memory that may be outside the heap */
#define STILL_MUCH 0.1 /* share of the busy time from which on the setting alone is not enough */

/* Estimate the share of the major cycles that custom blocks caused, for a release that does not report the
 * kinds of work. */
static double driven_by_requests(const struct evidence *e, double requests)
{
	double slices = (double)e->sum.phase_count[RTEV_PHASE_MAJOR_SLICE];
	double cycles = (double)e->sum.counter_count[RTEV_COUNTER_MAJOR_HEAP_LARGE_BLOCKS];
	unsigned domains = e->active + e->idle;

	if (e->release == RTEV_RELEASE_5_0)
		return 1;
	if (domains > 1)
		cycles /= domains;
	double asked = (requests < slices ? requests : slices) / 5;
	return asked < cycles ? asked / cycles : asked > 0;
}

/* Return the custom_major_ratio to try; 0: it would allow too much memory outside. */
static uint64_t ratio_to_try(const struct evidence *e, uint64_t ratio)
{
	uint64_t wanted = ratio < RATIO_TO_TRY ? RATIO_TO_TRY : ratio * RATIO_STEP, memory;
	double outside = (double)wanted / 100 * (double)e->heap_words * 8;

	return evidence_memory(e, &memory) && outside > OF_MEMORY * (double)memory ? 0 : wanted;
}

/* Fill in the setting and the remedy.  `left`: the collector's share of the busy time with the setting. */
static void advise_ratio(struct advice_finding *out, const struct evidence *e, uint64_t wanted, double left)
{
	char room[64] = "", rest[112] = "";

	if (e->heap_words != 0)
		snprintf(room, sizeof(room), ", about %s for this heap,",
		    format_figure(UNIT_BYTES, (double)wanted / 100 * (double)e->heap_words * 8).s);
	if (left >= STILL_MUCH)
		snprintf(rest, sizeof(rest),
		    "  The collector will still take about %s of the busy time: to save that, too,",
		    format_percent(left).s);
	setting_words(out, 'M', wanted);
	advise(out,
	    "Set OCAMLRUNPARAM=%s: then more memory%s may be outside the heap before a cycle must end.%s "
	    "reuse these blocks instead of making new ones.  If they are small, set n above their size in "
	    "bytes: then they begin in the minor heap.",
	    out->setting, room, left >= STILL_MUCH ? rest : "  Or");
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	double requests = (double)e->sum.counter_count[RTEV_COUNTER_REQUEST_MAJOR_ADJUST_GC_SPEED];
	bool told = e->sum.slices >= SLICES;
	/* By work, not by slices: if one domain has custom blocks, slices of the others have little to do. */
	const double most = (double)(e->sum.most_work > 0 ? e->sum.most_work : 1);
	double driven = told ? fmin((double)e->sum.extra_work / most, 1) : driven_by_requests(e, requests);
	uint64_t ratio;

	if (!evidence_enough(e) || e->window_s <= 0)
		return VERDICT_EARLY;
	if (driven < bound(EXTRA_SHARE, held) ||
	    (!told && (e->sum.slices > 0 || requests < bound(REQUESTS_PER_S, held) * e->window_s)))
		return VERDICT_NO;
	double needless = told ? fmax(1 - (double)e->sum.alloc_work / most, 0) : driven;
	cost_time(out, e, evidence_paced(e) * needless);
	if (out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	evidence_setting(e, OCAML_CUSTOM_MAJOR, RATIO_DEFAULT, &ratio);
	uint64_t wanted = ratio_to_try(e, ratio);
	double left = wanted > 0 ? (double)ratio / (double)wanted : 1, least = 1 - needless;
	double major = evidence_share(e, evidence_major(e)),
	       gained = evidence_share(e, evidence_paced(e)) * (1 - (left > least ? left : least));
	out->confidence = ADVICE_ESTIMATED;
	out->severity = out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	if (told && wanted > 0)
		out->gain = gained;
	figure(out, "requests_per_s", requests / e->window_s, ADVICE_UNIT_RATE);
	if (told)
		figure(out, "slices", (double)e->sum.slices, ADVICE_UNIT_COUNT);
	figure(out, "driven_by_custom_blocks", driven, ADVICE_UNIT_SHARE);
	if (told)
		figure(out, "work_beyond_allocation", needless, ADVICE_UNIT_SHARE);
	figure(out, "major_collector", major, ADVICE_UNIT_SHARE);
	figure(out, "custom_major_ratio", (double)ratio, ADVICE_UNIT_COUNT);
	finding_say(out,
	    "Memory outside the heap " SAY_MOST("(bigarrays or other custom blocks) ")
		SAY_MORE("drives the major collector, and that ") "costs %s of the busy time",
	    format_percent(out->share).s);
	if (wanted > 0)
		advise_ratio(out, e, wanted, gained < 1 ? (major - gained) / (1 - gained) : 0);
	else
		advise(out, "Reuse these blocks instead of making new ones.  A larger M would allow more "
			    "memory outside the heap than the machine has.");
	return VERDICT_YES;
}

const struct rule rule_custom_memory = {.name = "custom_memory",
    .question = "Does memory outside of the heap drive the collector?",
    .needs = NEEDS_EVENTS,
    .early = "fewer than 100 minor collections, and less than 10 s",
    .unmet = "custom blocks ask for less than 70% of the major collector's work, or cost less than 5%",
    .causes = FINDING(starved) | FINDING(explicit_gc),
    .judge = judge};
