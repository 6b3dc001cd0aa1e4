/*
 * minor_heap_small.c - the minor heap fills so often that short-lived values are promoted, or that the stops
 * themselves cost too much.
 *
 * `s` of OCAMLRUNPARAM is the size of each domain's minor heap in words, 256k by default in 5.0 to 5.5;
 * Gc.set changes it for the calling domain only (stdlib/gc.mli; runtime/domain.c, domain_create).  The size
 * in use is derived from the largest minor_allocated of a domain that led a collection.
 *
 * A larger minor heap saves two things: collections, each of which scans roots and waits at barriers whatever
 * there is to copy; and the promotion of values that would have died a little later.  It saves no copying of
 * values that live long: a compiler that keeps most of what it promotes became 5 to 10 % slower with four
 * times s, at 30 % promoted.  How much of what is promoted is only young shows in collections that begin
 * before the minor heap is full (evidence_young).  Where that does not show, no copying is expected to be
 * saved.
 *
 * Where nothing is promoted and s is the default, the cost of minor collections is the normal cost of
 * allocation.  Several domains pay for the stops, too; but on a machine whose other work takes the processors
 * from them, what a stop takes is no property of the program: then the finding is not serious.
 */
#include "advice/rule.h"

#define MINORS_PER_S 20.0
#define COST_SHARE 0.10
#define LEAST_GAIN 0.05
#define SERIOUS_GAIN 0.10
#define FULL_SHARE 0.5
#define PROMOTED_MOST 0.8
#define PROMOTED_LEAST 0.01
#define DEFAULT_WORDS (256u << 10)
#define MEAN_MOST_NS 10e6 /* maximum mean duration of a collection with the larger minor heap */
#define WORDS_MOST (4u << 20)
#define GAIN_OF_SAVED 0.8 /* share of the saved collections that counts: each remaining one scans more */

/* Return the minor heap size, in words, of the domain that led most collections. */
static uint64_t words_in_use(const struct evidence *e)
{
	uint64_t most = 0, bytes = 0;

	for (unsigned i = 0; i < e->domain_count; i++) {
		if (e->domains[i].sum.leads < most || e->domains[i].full_bytes == 0)
			continue;
		most = e->domains[i].sum.leads;
		bytes = e->domains[i].full_bytes;
	}
	/* The space left when the minor heap is full is smaller than a block. */
	return (bytes / 8 + 1023) / 1024 * 1024;
}

/* Return the size to try: the largest whose collections stay short even if all of their work grows with it;
 * 0: none. */
static uint64_t words_to_try(uint64_t words, double mean_ns)
{
	uint64_t best = 0;

	for (unsigned k = 2; k <= 128 && words * k <= WORDS_MOST; k *= 2)
		if (mean_ns * k <= MEAN_MOST_NS && (k <= 8 || words * k <= 4 * DEFAULT_WORDS))
			best = words * k;
	return best;
}

/* Return the share of the busy time that a minor heap of `wanted` words saves. */
static double gain_of(const struct evidence *e, uint64_t words, uint64_t wanted)
{
	const uint64_t *self = e->sum.phase_self;
	double minor = (double)e->sum.phase_total[RTEV_PHASE_MINOR];
	double copying = (double)(self[RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE] +
				  self[RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE]);
	double of_copying = minor > 0 && copying < minor ? copying / minor : minor > 0, avoided = 0;
	double saved = GAIN_OF_SAVED * (1 - (double)words / (double)wanted), young, per_byte;

	if (evidence_young(e, &young, &per_byte))
		avoided = young / (young + per_byte * 8 * (double)words);
	double collecting = evidence_class(e, RTEV_CLASS_MINOR);
	double fixed = collecting * (1 - of_copying) + evidence_barriers(e);
	/* Values that are not promoted need no marking and sweeping either. */
	double copied = (collecting * of_copying + evidence_major(e)) * avoided;
	return saved * evidence_share(e, fixed + copied);
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	if (!evidence_enough(e) || e->window_s <= 0)
		return VERDICT_EARLY;
	double rate = (double)e->sum.leads / e->window_s;
	double share = evidence_share(e, evidence_minor(e));
	double full = (double)e->sum.full_leads / (double)(e->sum.leads > 0 ? e->sum.leads : 1);
	double allocated = (double)e->sum.counter_sum[RTEV_COUNTER_MINOR_ALLOCATED];
	double promoted =
	    allocated > 0 ? (double)e->sum.counter_sum[RTEV_COUNTER_MINOR_PROMOTED] / allocated : 1;
	uint64_t words = words_in_use(e);
	if (rate < bound(MINORS_PER_S, held) || share < bound(COST_SHARE, held) ||
	    full < bound(FULL_SHARE, held) ||
	    (promoted < PROMOTED_LEAST && words >= DEFAULT_WORDS && e->active < 2))
		return VERDICT_NO;
	if (promoted >= PROMOTED_MOST) {
		say(out, "%.0f %% of what is allocated is promoted, and nothing shows that it dies soon",
		    100 * promoted);
		return VERDICT_NO;
	}
	double mean =
	    (double)e->sum.phase_total[RTEV_PHASE_MINOR] /
	    (double)(e->sum.phase_count[RTEV_PHASE_MINOR] > 0 ? e->sum.phase_count[RTEV_PHASE_MINOR] : 1);
	uint64_t wanted = words_to_try(words, mean);
	double young, per_byte;
	if (wanted == 0)
		return VERDICT_NO;
	cost_time(out, e, evidence_minor(e));
	out->gain = gain_of(e, words, wanted);
	if (out->gain < bound(LEAST_GAIN, held))
		return VERDICT_NO;
	bool by_load = promoted < PROMOTED_LEAST && evidence_cores(e) == CORES_OTHERS;
	out->severity = out->gain >= SERIOUS_GAIN && !by_load ? ADVICE_SERIOUS : ADVICE_HINT;
	figure(out, "minor_collections_per_s", rate, ADVICE_UNIT_RATE);
	figure(out, "mean_collection", mean / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "heap_was_full", full, ADVICE_UNIT_SHARE);
	figure(out, "promoted", promoted, ADVICE_UNIT_SHARE);
	if (evidence_young(e, &young, &per_byte))
		figure(out, "of_that_only_young", young / (young + per_byte * 8 * (double)words),
		    ADVICE_UNIT_SHARE);
	figure(out, "minor_heap", (double)words, ADVICE_UNIT_WORDS);
	figure(out, "minor_and_barriers", share, ADVICE_UNIT_SHARE);
	say(out,
	    "Minor collections take %.0f %% of the busy time: %.0f a second, for a minor heap of %llu kwords "
	    "is "
	    "full so soon",
	    100 * share, rate, (unsigned long long)(words >> 10));
	setting_words(out, 's', wanted);
	advise(out,
	    "OCAMLRUNPARAM=%s for all domains (Gc.set is for the calling domain alone); it takes %llu MiB "
	    "more for each domain.",
	    out->setting, (unsigned long long)((wanted - words) * 8 >> 20));
	return VERDICT_YES;
}

const struct rule rule_minor_heap_small = {.name = "minor_heap_small",
    .question = "Is the minor heap too small?",
    .needs = NEEDS_EVENTS,
    .early = "fewer than 100 minor collections, and less than 10 s",
    .unmet = "fewer than 20 full minor heaps a second, a cost below 10 %, or a larger one would save less "
	     "than 5 %",
    .causes =
	" explicit_gc cgroup_throttled too_few_cores late_domain idle_domains domain_churn minor_roots ",
    .judge = judge};
