/*
 * space_overhead_high.c - the heap is much larger than its live data, memory is short, and the collector
 * does little.
 *
 * At space_overhead o a heap of (1 + o/100) times the live words is by design: 2.2 times at the default of
 * 120.  The live words reported at the end of a cycle include garbage that is not swept yet.
 */
#include "advice/rule.h"

#define CYCLES 3
#define RESIDENT_LEAST 0.7 /* share of the memory that the process may use */
#define MAJOR_MOST 0.05
#define DEFAULT 120
#define TO_TRY 80
#define LEAST 40

/* Return whether the heap exceeded `times` the live words at each of the last cycles. */
static bool large(const struct evidence *e, double times)
{
	for (size_t i = e->cycle_count - CYCLES; i < e->cycle_count; i++) {
		const struct evidence_cycle *c = &e->cycles[i];
		if ((double)(c->pool + c->large) <= times * (double)(c->live + c->large))
			return false;
	}
	return true;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t memory, resident, o;

	if (!evidence_enough(e) || e->cycle_count < CYCLES)
		return VERDICT_EARLY;
	if (!evidence_memory(e, &memory) || !evidence_gauge(e, SYSTEM_RESIDENT, &resident))
		return VERDICT_NO;
	evidence_setting(e, OCAML_O, DEFAULT, &o);
	double share = evidence_share(e, evidence_major(e));
	if ((double)resident < bound(RESIDENT_LEAST, held) * (double)memory || share > MAJOR_MOST ||
	    o <= LEAST || !large(e, bound(2.2, held)))
		return VERDICT_NO;
	const struct evidence_cycle *last = &e->cycles[e->cycle_count - 1];
	uint64_t wanted = o > TO_TRY ? TO_TRY : LEAST;
	double live = (double)(last->live + last->large) * 8, heap = (double)(last->pool + last->large) * 8;
	out->bytes = live * (double)(o - wanted) / 100;
	out->confidence = ADVICE_ESTIMATED;
	out->severity = ADVICE_SERIOUS;
	figure(out, "heap", heap, ADVICE_UNIT_BYTES);
	figure(out, "live", live, ADVICE_UNIT_BYTES);
	figure(out, "resident", (double)resident, ADVICE_UNIT_BYTES);
	figure(out, "memory", (double)memory, ADVICE_UNIT_BYTES);
	figure(out, "major_collector", share, ADVICE_UNIT_SHARE);
	say(out, "Memory gets short, and the heap is %.1f times what lives in it",
	    live > 0 ? heap / live : 0);
	setting_words(out, 'o', wanted);
	advise(out, "OCAMLRUNPARAM=%s has the collector keep the heap smaller, for more of its time.",
	    out->setting);
	return VERDICT_YES;
}

const struct rule rule_space_overhead_high = {.name = "space_overhead_high",
    .question = "Does the major collector do too little?",
    .needs = NEEDS_EVENTS | NEEDS_SYSTEM | NEEDS_GAUGES,
    .early = "fewer than 3 major cycles, or too few minor collections",
    .never_with = " minor_heap_small space_overhead_low ",
    .judge = judge};
