/*
 * growth.c - samples of a runtime's memory as growth of what the model counts.
 *
 * What memory has counted of a domain since its base is compared with what the model has since then, by events and by
 * earlier samples.  Only what the model lacks is added, so nothing is counted twice however often events begin and
 * end.  While events come, the sample is an earlier one, of which all events have been read.
 */
#include "observation/process.h"

#include "figures/figures.h"

#define WORD 8

/* What a sample counts of a domain. */
struct amounts {
	uint64_t minors, majors, minor, promoted, major; /* collections, cycles, words */
};

/* A domain, and where its counting begins. */
struct counted {
	bool alive, known; /* it runs; it has run */
	uint64_t unique;
	struct amounts base;
	struct model_counts had; /* by the model, then */
};

struct growth {
	bool begun, silent;			  /* the last sample was taken while no events came */
	uint64_t ts, minors, majors, minor_words; /* of it, the sums; words with those in minor heaps */
	struct counted domains[RUNTIME_DOMAINS_MAX];
};

struct growth *growth_create(void)
{
	return calloc(1, sizeof(struct growth));
}

void growth_destroy(struct growth *g)
{
	free(g);
}

void growth_forget(struct growth *g)
{
	*g = (struct growth){.silent = g->silent};
}

bool growth_waits(const struct growth *g, const struct model *m)
{
	return g->begun || model_silent(m);
}

bool growth_goes_on(struct growth *g, const struct model *m)
{
	const bool before = g->silent;

	g->silent = model_silent(m);
	return before && g->silent;
}

/* Return how much a counter has grown; it may have been read half-way in a collection. */
static uint64_t grown(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

/* Return the minor collections of a sample. */
static uint64_t minors_of(const struct runtime_sample *s, bool each)
{
	return each && s->running > 0 ? s->minor_collections / s->running : s->minor_collections;
}

/* Return what a sample counts of a domain; `young`: including the words in its minor heap. */
static struct amounts amounts_of(
    const struct runtime_sample *s, const struct runtime_domain *d, bool each, bool young)
{
	return (struct amounts){.minors = minors_of(s, each),
	    .majors = s->major_cycles,
	    .minor = d->minor_words + (young ? d->young_used_words : 0),
	    .promoted = d->promoted_words,
	    .major = d->major_words + d->allocated_words};
}

/* Return what a domain's counters lack of what memory counts. */
static int64_t lacks(uint64_t now, uint64_t base, int64_t have, int64_t had)
{
	const int64_t rest = (int64_t)grown(now, base) - (have - had);

	return rest > 0 ? rest : 0;
}

/* Return what the model lacks of a domain; `silent`: memory alone tells now. */
static struct model_counts lack_of(const struct model *m, const struct counted *c,
    const struct runtime_domain *d, struct amounts now, bool silent)
{
	const struct model_domain *known = model_domain(m, d->slot);
	const struct model_counts have = known != NULL ? figure_counts(known) : (struct model_counts){0};

	return (struct model_counts){.minors = (uint64_t)lacks(now.minors, c->base.minors,
					 (int64_t)have.minors, (int64_t)c->had.minors),
	    .majors =
		(uint64_t)lacks(now.majors, c->base.majors, (int64_t)have.majors, (int64_t)c->had.majors),
	    .allocated = lacks(WORD * now.minor, WORD * c->base.minor, have.allocated, c->had.allocated),
	    .promoted = lacks(WORD * now.promoted, WORD * c->base.promoted, have.promoted, c->had.promoted),
	    /* Not all releases tell of it by events. */
	    .major_words =
		silent ? lacks(now.major, c->base.major, have.major_words, c->had.major_words) : 0};
}

/* Begin to count a domain from a base on. */
static void domain_begin(
    struct growth *g, const struct model *m, const struct runtime_domain *d, struct amounts base)
{
	const struct model_domain *known = model_domain(m, d->slot);

	g->domains[d->slot] =
	    (struct counted){.alive = true, .known = true, .unique = d->unique, .base = base};
	if (known != NULL)
		g->domains[d->slot].had = figure_counts(known);
}

/* Return the words that all domains have allocated, including those in the minor heaps.  The sum in memory lacks them until the
 * next collection, but they have been counted for their domains. */
static uint64_t words_of(const struct runtime_sample *s)
{
	uint64_t words = s->minor_words;

	if (words == RUNTIME_UNKNOWN)
		return 0;
	for (unsigned i = 0; i < s->domain_count; i++)
		words += s->domains[i].young_used_words;
	return words;
}

/* Set what the next sample is compared with. */
static void sums_keep(struct growth *g, const struct runtime_sample *s, bool each)
{
	g->ts = s->ts;
	g->minors = minors_of(s, each);
	g->majors = s->major_cycles;
	g->minor_words = words_of(s);
}

void growth_begin(struct growth *g, const struct runtime_sample *s, bool each, struct model *m)
{
	if (g->begun)
		return;
	const struct model_totals t = model_totals(m);
	for (unsigned i = 0; i < s->domain_count; i++) {
		const struct runtime_domain *d = &s->domains[i];
		const struct model_domain *known = model_domain(m, d->slot);
		/* If no event has come, none has counted the words in the minor heap. */
		const struct amounts base = amounts_of(s, d, each, known == NULL || known->events == 0);
		domain_begin(g, m, d, base);
		const struct model_counts lack = lack_of(m, &g->domains[d->slot], d, base, true);
		if (model_silent(m))
			model_count(m, d->slot, t.events == 0 ? t.since_ts : s->ts, s->ts, &lack);
	}
	sums_keep(g, s, each);
	g->begun = true;
}

/* End the domains that the sample lacks.  Their last counts are only in the sum of all domains. */
static void domains_end(
    struct growth *g, const struct runtime_sample *s, struct model *m, uint64_t rest_words)
{
	bool here[RUNTIME_DOMAINS_MAX] = {false}, given = rest_words == 0;
	const struct model_counts rest = {.allocated = (int64_t)(WORD * rest_words)};

	for (unsigned i = 0; i < s->domain_count; i++)
		here[s->domains[i].slot] = true;
	for (unsigned i = 0; i < RUNTIME_DOMAINS_MAX; i++) {
		if (!g->domains[i].known || here[i])
			continue;
		if (!given)
			model_count(m, i, g->ts, s->ts, &rest);
		given = true;
		model_count_end(m, i, s->ts);
		g->domains[i].alive = false;
	}
}

void growth_take(struct growth *g, const struct runtime_sample *s, bool each, bool silent, struct model *m)
{
	uint64_t rest = grown(words_of(s), g->minor_words);

	if (!g->begun || s->ts <= g->ts)
		return;
	model_count_span(m, g->ts, s->ts);
	for (unsigned i = 0; i < s->domain_count; i++) {
		const struct runtime_domain *d = &s->domains[i];
		struct counted *c = &g->domains[d->slot];
		const struct amounts now = amounts_of(s, d, each, silent);
		if (!c->alive || c->unique != d->unique) {
			if (c->alive && silent)
				model_count_end(m, d->slot, g->ts);
			/* All that it has counted is new; events have told of it. */
			domain_begin(g, m, d,
			    silent ? (struct amounts){.minors = g->minors, .majors = g->majors} : now);
		}
		const struct model_counts lack = lack_of(m, c, d, now, silent);
		rest -= rest < (uint64_t)lack.allocated / WORD ? rest : (uint64_t)lack.allocated / WORD;
		if (silent || lack.allocated > 0 || lack.minors > 0)
			model_count(m, d->slot, g->ts, s->ts, &lack);
	}
	if (silent)
		domains_end(g, s, m, rest);
	sums_keep(g, s, each);
}
