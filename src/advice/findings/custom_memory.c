/*
 * custom_memory.c - memory that custom blocks hold outside the heap (bigarrays, Zarith's numbers, C buffers)
 * drives the major collector, rather than allocation in the heap.
 *
 * custom_major_ratio (M of OCAMLRUNPARAM) is 44 in 5.0 to 5.5: memory outside may reach this percentage of
 * the heap before a cycle has completed (stdlib/gc.mli).  A slice does the largest amount of work that any
 * of the kinds of work asks for (runtime/major_gc.c, update_major_slice_work).  5.3 reports all kinds;
 * earlier releases only report that the collector was asked to hurry.  ocaml/ocaml#14533, M=250.
 */
#include "advice/rule.h"

#define SLICES 20
#define EXTRA_SHARE 0.5
#define REQUESTS_PER_S 10.0
#define COST_SHARE 0.05
#define SERIOUS_SHARE 0.10
#define RATIO_DEFAULT 44
#define RATIO_TO_TRY 250

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	double requests = (double)e->sum.counter_count[RTEV_COUNTER_REQUEST_MAJOR_ADJUST_GC_SPEED];
	bool told = e->sum.slices >= SLICES;
	double driven = told ? (double)e->sum.extra_slices / (double)e->sum.slices : 0;
	uint64_t ratio;

	if (!evidence_enough(e) || e->window_s <= 0)
		return VERDICT_EARLY;
	if (told ? driven < bound(EXTRA_SHARE, held)
		 : e->sum.slices > 0 || requests < bound(REQUESTS_PER_S, held) * e->window_s)
		return VERDICT_NO;
	double most = (double)(e->sum.most_work > 0 ? e->sum.most_work : 1);
	double needless = told ? 1 - (double)e->sum.alloc_work / most : 1;
	cost_time(out, e, evidence_major(e) * needless);
	if (out->share < bound(COST_SHARE, held))
		return VERDICT_NO;
	evidence_setting(e, OCAML_CUSTOM_MAJOR, RATIO_DEFAULT, &ratio);
	uint64_t wanted = ratio < RATIO_TO_TRY ? RATIO_TO_TRY : ratio * 2;
	double left = (double)ratio / (double)wanted, least = told ? (double)e->sum.alloc_work / most : 0;
	out->confidence = told ? ADVICE_MEASURED : ADVICE_ESTIMATED;
	out->severity = out->share >= SERIOUS_SHARE ? ADVICE_SERIOUS : ADVICE_HINT;
	if (told)
		out->gain = evidence_share(e, evidence_major(e)) * (1 - (left > least ? left : least));
	figure(out, "requests_per_s", requests / e->window_s, ADVICE_UNIT_RATE);
	if (told) {
		figure(out, "slices", (double)e->sum.slices, ADVICE_UNIT_COUNT);
		figure(out, "driven_by_custom_blocks", driven, ADVICE_UNIT_SHARE);
		figure(out, "work_beyond_allocation", needless, ADVICE_UNIT_SHARE);
	}
	figure(out, "major_collector", evidence_share(e, evidence_major(e)), ADVICE_UNIT_SHARE);
	say(out,
	    "Memory outside of the heap, of bigarrays or other custom blocks, drives the major collector: "
	    "%.0f %% of the time",
	    100 * out->share);
	setting_words(out, 'M', wanted);
	advise(out,
	    "OCAMLRUNPARAM=%s lets more be held outside before a cycle must be through; or reuse these "
	    "blocks.  For many small "
	    "ones n above their size keeps them in the minor heap.",
	    out->setting);
	return VERDICT_YES;
}

const struct rule rule_custom_memory = {.name = "custom_memory",
    .question = "Does memory outside of the heap drive the collector?",
    .needs = NEEDS_EVENTS,
    .early = "fewer than 100 minor collections, and less than 10 s",
    .causes = " explicit_gc ",
    .judge = judge};
