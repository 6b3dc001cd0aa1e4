/*
 * ring_flood.c - one kind of event fills most of the ring, and quickly.
 *
 * A ring of the default size, 2^16 words, holds at most the last second when 65536 words per second are
 * written to it (runtime_events.c).
 */
#include "advice/findings/findings.h"
#include "figures/figures.h"

#define SHARE 0.5
#define RINGS_PER_S 2.0 /* how often per second a ring is overwritten */
#define RING_WORDS 65536.0

/* Return how often per second the ring that is written fastest is overwritten. */
static double rings_per_s(const struct evidence *e)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < e->domain_count; i++)
		if (e->domains[i].sum.words > most)
			most = e->domains[i].sum.words;
	return (double)most / e->window_s / (e->ring_words != 0 ? (double)e->ring_words : RING_WORDS);
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	if (e->window_s < 1)
		return VERDICT_EARLY;
	double rings = rings_per_s(e);
	if (rings < bound(RINGS_PER_S, held))
		return VERDICT_NO;
	const struct traffic traffic = traffic_read(e->model, e->ring_words);
	double share = traffic.all != 0 ? (double)traffic.words / (double)traffic.all : 0;
	if (share < bound(SHARE, held))
		return VERDICT_NO;
	figure(out, "of_the_ring", share, ADVICE_UNIT_SHARE);
	figure(out, "words_per_s", (double)e->sum.words / e->window_s, ADVICE_UNIT_RATE);
	figure(out, "rings_filled_per_s", rings, ADVICE_UNIT_RATE);
	finding_say(out,
	    "%s fills %s of the rings" SAY_MORE(", one of which is overwritten %.0f times a second"),
	    traffic.name, format_percent(share).s, rings);
	advise(out, "Write that event less often, or one in place of many, or make the rings larger with e "
		    "of OCAMLRUNPARAM.");
	return VERDICT_YES;
}

const struct rule rule_ring_flood = {.name = "ring_flood",
    .question = "Does one event flood the ring?",
    .early = "less than 1 s was observed",
    .unmet = "no ring is overwritten twice a second, or no one kind of event fills half of it",
    .causes = FINDING(ring_losses),
    .judge = judge};
