/*
 * space_overhead_low.c - the major collector works hard to keep the heap small although memory is available.
 *
 * space_overhead (o of OCAMLRUNPARAM) is 120 in 5.0 to 5.5 (stdlib/gc.mli).  For each word allocated a slice
 * does k(o) = 1.5 (200 + o) / o words of work (runtime/major_gc.c).  This underestimates the gain of a higher
 * o: from 120 to 200 it predicts 25 %, and 36 % were measured.  Work that does not depend on o gains nothing:
 * roots, special values, requests of custom blocks.
 */
#include "advice/findings/findings.h"

#define COST_SHARE 0.15
#define SERIOUS_GAIN 0.1
#define LEAST_GAIN 0.08 /* a compiler whose heap grew gained nothing when 5 % was predicted */
#define CYCLES 3
#define RESIDENT_MOST 0.5 /* share of the memory that the process may use */
#define TO_TRY 200
#define MOST 400

/* Return the words of work per word allocated. */
static double work(uint64_t o)
{
	return 1.5 * (200 + (double)o) / (double)o;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	uint64_t memory, resident, o;

	if (!evidence_enough(e) || e->cycle_count < CYCLES)
		return VERDICT_EARLY;
	if (!evidence_memory(e, &memory) || !evidence_gauge(e, SYSTEM_RESIDENT, &resident))
		return VERDICT_NO;
	bool known = evidence_setting(e, OCAML_O, SPACE_OVERHEAD, &o);
	cost_time(out, e, evidence_major(e));
	if (out->share < bound(COST_SHARE, held) || (double)resident > RESIDENT_MOST * (double)memory ||
	    o >= MOST || o == 0)
		return VERDICT_NO;
	uint64_t wanted = o < TO_TRY ? TO_TRY : o * 2;
	const struct evidence_cycle *last = &e->cycles[e->cycle_count - 1];
	double live = (double)(last->live + last->large) * 8;
	double paced = evidence_paced(e);
	/* Work that custom blocks request does not depend on o. */
	if (e->sum.most_work > e->sum.alloc_work)
		paced *= (double)e->sum.alloc_work / (double)e->sum.most_work;
	out->gain = evidence_share(e, paced) * (1 - work(wanted) / work(o));
	if (out->gain < bound(LEAST_GAIN, held))
		return VERDICT_NO;
	out->severity = out->gain >= SERIOUS_GAIN ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "major_collector", out->share, ADVICE_UNIT_SHARE);
	figure(out, known ? "space_overhead" : "space_overhead_assumed", (double)o, ADVICE_UNIT_COUNT);
	figure(out, "live", live, ADVICE_UNIT_BYTES);
	figure(out, "resident", (double)resident, ADVICE_UNIT_BYTES);
	figure(out, "memory", (double)memory, ADVICE_UNIT_BYTES);
	finding_say(out,
	    "The major collector takes %s of the busy time" SAY_MORE(" to save memory")
		SAY_MOST(", of which there is plenty"),
	    format_percent(out->share).s);
	setting_words(out, 'o', wanted);
	double more = live * (double)(wanted - o) / 100;
	advise(out,
	    "Set OCAMLRUNPARAM=%s; this heap then takes about %s more.  The gain may be larger than "
	    "estimated.",
	    out->setting, format_figure(UNIT_BYTES, more).s);
	return VERDICT_YES;
}

const struct rule rule_space_overhead_low = {.name = "space_overhead_low",
    .question = "Does the major collector work too hard?",
    .needs = NEEDS_EVENTS | NEEDS_SYSTEM | NEEDS_GAUGES,
    .early = "fewer than 3 major cycles, or fewer than 100 minor collections and less than 10 s",
    .unmet = "the major collector costs less than 15%, o=200 would save less than 8%, or memory is short",
    .causes = FINDING(starved) | FINDING(explicit_gc) | FINDING(idle_domains) | FINDING(custom_memory) |
	      FINDING(direct_major) | FINDING(special_values) | FINDING(cgroup_throttled) |
	      FINDING(too_few_cores),
    .never_with = FINDING(minor_heap_small),
    .judge = judge};
