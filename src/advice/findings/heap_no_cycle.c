/*
 * heap_no_cycle.c - the heap grows, and no major cycle ends.
 *
 * A cycle ends when every domain has done its share of it.  Domains that end within milliseconds do little of
 * it, and leave the rest to their successors: a heap grew by 30 MB a second for as long as domains came and
 * went, and no cycle ended (5.3).  Data that Marshal reads is allocated in the major heap directly, and
 * requests no slice: a program that only unmarshalled had none for 12 s, and 2 GB.  (Large Bytes request
 * slices: a program with these had 12 cycles a second.)
 *
 * A heap also grows between successive cycles as o permits, to about 1 + o/100 times the live words; the
 * garbage of a cycle is swept by the next one, so that up to twice as much is normal.  A program may also
 * allocate one large block and then stop: the heap must have grown considerably in each half of the time.
 */
#include "advice/rule.h"

#define LEAST_NS UINT64_C(5000000000)
#define LASTING_NS UINT64_C(10000000000) /* a start that loads data is over by then */
#define LEAST_BYTES (64.0 * 1024 * 1024)
#define HALF_PART 0.2	     /* least share of the growth in each half of the time */
#define BRIEF_NS 100000000.0 /* average lifetime of a domain */

/* How the heap grew from one known size to the last. */
struct growth {
	double first, last; /* words */
	uint64_t ns;
	bool steady;
};

/* Return how the heap grew from a stamp on; `ns` is 0 if its size is no longer reported. */
static struct growth growth_from(const struct evidence *e, uint64_t from)
{
	size_t count, first = 0;
	const struct model_level *sizes = model_sizes(e->model, &count);

	while (first < count && sizes[first].ts < from)
		first++;
	if (count - first < 3 || sizes[count - 1].ts + MODEL_LEVEL_OLD_NS < e->to)
		return (struct growth){.ns = 0};
	const struct model_level *a = &sizes[first], *z = &sizes[count - 1], *middle = a;
	while (middle->ts - a->ts < (z->ts - a->ts) / 2)
		middle++;
	const double part = HALF_PART * (z->words - a->words);
	return (struct growth){.first = a->words,
	    .last = z->words,
	    .ns = z->ts - a->ts,
	    .steady = middle->words - a->words >= part && z->words - middle->words >= part};
}

/* Return whether spawned domains live for milliseconds: from the lifetimes of all but the longest-lived
 * one. */
static bool brief_domains(const struct evidence *e, bool held)
{
	double lived = 0, most = 0;

	if (evidence_spawn_rate(e) < bound(SPAWN_RATE, held))
		return false;
	for (unsigned i = 0; i < e->domain_count; i++) {
		lived += (double)e->domains[i].observed_ns;
		most = fmax(most, (double)e->domains[i].observed_ns);
	}
	return lived - most < BRIEF_NS * (double)e->sum.spawns;
}

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct evidence_cycle *cycle = e->cycle_count > 0 ? &e->cycles[e->cycle_count - 1] : NULL;
	/* Slices that may be at work, unseen where no events come, let the heap grow as o permits. */
	const bool brief = brief_domains(e, held), paced = brief || e->counters;
	uint64_t from = cycle != NULL && cycle->ts > e->from ? cycle->ts : e->from, overhead;

	/* A cycle may have ended in the part that was not observed. */
	if (e->sum.lost_words > 0 || (e->paused_share > 0 && !e->counters))
		return VERDICT_EARLY;
	if (!paced && e->sliced_ts > from)
		from = e->sliced_ts;
	if (from > e->from && from + LEAST_NS > e->to)
		return VERDICT_NO;
	const struct growth g = growth_from(e, from);
	if (g.ns < LEAST_NS)
		return VERDICT_EARLY;
	evidence_setting(e, OCAML_O, SPACE_OVERHEAD, &overhead);
	/* Without a slice o paces nothing; if the live words are unknown, it permits no growth. */
	const double least = cycle != NULL ? (double)(cycle->live + cycle->large) : paced ? g.first : 0;
	const double grown = 8 * (g.last - g.first), now = 8 * g.last, seconds = (double)g.ns / 1e9;
	/* While no cycle ends, the size at which the growth began may be forgotten. */
	const bool allowed = (cycle != NULL || !held) && g.last < least * (1 + 2 * (double)overhead / 100);
	if (!g.steady || grown < bound(LEAST_BYTES, held) || allowed)
		return VERDICT_NO;
	out->bytes = grown;
	out->grows = true;
	out->lasting = g.ns >= LASTING_NS;
	out->confidence = ADVICE_MEASURED;
	figure(out, "heap", now, ADVICE_UNIT_BYTES);
	figure(out, "growth", grown / seconds, ADVICE_UNIT_BYTE_RATE);
	figure(out, "over", seconds, ADVICE_UNIT_SECONDS);
	if (brief) {
		const bool ended = cycle != NULL && cycle->ts >= e->from;
		figure(out, "spawns_per_s", evidence_spawn_rate(e), ADVICE_UNIT_RATE);
		finding_say(out,
		    "The heap grew to %s and no major cycle " SAY_MORE("has ") "ended%s%s" SAY_MOST(
			": domains that live for milliseconds end before they do their share of it"),
		    format_figure(UNIT_BYTES, now).s, ended ? " for " : "",
		    ended ? format_age((e->to - cycle->ts) / 1000000000).s : "");
		advise(out, "Spawn the domains once, keep them in a pool (Domainslib.Task.setup_pool), and "
			    "hand it the tasks.");
		return VERDICT_YES;
	}
	finding_say(out,
	    SAY_MORE("The heap grew by ") "%s in %s and %s" SAY_MOST(
		" (Marshal asks for none for what it reads)"),
	    format_figure(UNIT_BYTES, grown).s, format_age((uint64_t)(seconds + 0.5)).s,
	    e->counters ? "no major cycle ended" : "nothing asked for a collection");
	advise(out, "Call Gc.major after the work that allocates this.  If it reads data, read these in "
		    "parts, and call Gc.major between them.");
	return VERDICT_YES;
}

const struct rule rule_heap_no_cycle = {.name = "heap_no_cycle",
    .question = "Does the heap grow while no major cycle ends?",
    .needs = NEEDS_EVENTS | NEEDS_GAUGES | BY_COUNTERS,
    .early = "the size of the heap was not known for 5 s, or events were lost or paused",
    .unmet = "a cycle or a slice ended within 5 s, or it grew by less than 64 MiB, not steadily, or by what "
	     "o allows",
    .judge = judge};
