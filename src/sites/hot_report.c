/*
 * hot_report.c - make the report of hot spots.
 *
 * Equal entries are in the order of memtrace's own report, so that both can be compared line by line.
 * memtrace's order follows from the hash tables that it walks: pairs by bucket, and within a bucket from the
 * newest pair to the oldest, and sites in the same way.
 */
#include "sites/hot_private.h"

#include "core/order.h"

/* The minimum share of all samples for a hot site, and for a caller to be reported.  A site is typical for a
 * caller if its share of the caller's samples exceeds its share of all samples by the factor TYPICAL. */
#define SHARE_MIN 0.005
#define CALLER_SHARE_MIN 0.10
#define TYPICAL 1.2

enum { PAIR_BUCKETS = 1 << 14, SITE_BUCKETS = 1 << 7 };

/* A site under construction. */
struct ranked_site {
	uint32_t function;
	uint64_t samples;
	uint64_t first_pair; /* position of its first pair in the walk of the pairs */
	bool hot;
};

struct ranked_place {
	struct sites_hot_place place;
	uint32_t function;
	size_t number;
};

struct ranked_caller {
	struct sites_hot_caller caller;
	uint32_t site;
	size_t pair; /* position in the walk of the pairs */
};

struct making {
	const struct sites_hot *hot;
	uint64_t *direct; /* samples allocated in each function itself */
	uint32_t *rank;	  /* index of each function in `sites` */
	struct ranked_site *sites;
	size_t site_count;
	struct sites_pair *pairs; /* in the order of the walk */
};

/* The bucket of a pair in memtrace's hash table. */
static int pair_bucket(const struct sites_pair *pair)
{
	return (int)((unsigned)((uint64_t)pair->a * 1231441 + (uint64_t)pair->b * 3821) & (PAIR_BUCKETS - 1));
}

/* Order pairs by their position in the walk. */
static int compare_pairs(const void *a_, const void *b_)
{
	const struct sites_pair *a = a_, *b = b_;

	return ORDER_BY(pair_bucket(a) - pair_bucket(b), ORDER_FALLING(a, b, order));
}

/* The bucket of a site in memtrace's hash table. */
static int site_bucket(uint32_t function)
{
	return (int)((unsigned)((uint64_t)function * 21089245) & (SITE_BUCKETS - 1));
}

/* Order sites by descending samples; of equal ones, hot sites come first. */
static int compare_sites(const void *a_, const void *b_)
{
	const struct ranked_site *a = a_, *b = b_;
	const int order = ORDER_BY(ORDER_FALLING(a, b, samples), ORDER_FALLING(a, b, hot));

	if (order != 0 || !a->hot)
		return ORDER_BY(order, ORDER_RISING(a, b, function));
	return ORDER_BY(site_bucket(b->function) - site_bucket(a->function), ORDER_RISING(a, b, first_pair));
}

/* Order places by function, then by descending samples, then from the newest to the oldest. */
static int compare_places(const void *a_, const void *b_)
{
	const struct ranked_place *a = a_, *b = b_;

	return ORDER_BY(
	    ORDER_RISING(a, b, function), ORDER_FALLING(a, b, place.samples), ORDER_FALLING(a, b, number));
}

/* Order callers by site, then by descending blocks, then from the last in the walk to the first. */
static int compare_callers(const void *a_, const void *b_)
{
	const struct ranked_caller *a = a_, *b = b_;

	return ORDER_BY(
	    ORDER_RISING(a, b, site), ORDER_FALLING(a, b, caller.blocks), ORDER_FALLING(a, b, pair));
}

static bool rank_sites(struct making *m)
{
	const struct sites_hot *hot = m->hot;
	size_t functions = hot->function_count, pairs = hot->pairs.count;

	m->direct = calloc(functions + 1, sizeof(*m->direct));
	m->rank = calloc(functions + 1, sizeof(*m->rank));
	m->sites = calloc(functions + 1, sizeof(*m->sites));
	m->pairs = calloc(pairs + 1, sizeof(*m->pairs));
	if (m->direct == NULL || m->rank == NULL || m->sites == NULL || m->pairs == NULL)
		return false;
	for (size_t i = 0; i < hot->place_count; i++)
		m->direct[hot->places[i].function] += hot->places[i].samples;
	for (size_t i = 0; i < functions; i++) {
		m->rank[i] = SITES_NONE;
		if (m->direct[i] == 0)
			continue;
		m->rank[i] = (uint32_t)m->site_count;
		m->sites[m->site_count++] =
		    (struct ranked_site){.function = (uint32_t)i, .samples = m->direct[i]};
	}
	for (size_t i = 0, at = 0; i < hot->pairs.used; i++) {
		if (hot->pairs.list[i].order != 0)
			m->pairs[at++] = hot->pairs.list[i];
	}
	qsort(m->pairs, pairs, sizeof(*m->pairs), compare_pairs);
	for (size_t i = 0; i < pairs; i++) {
		uint32_t rank = m->rank[m->pairs[i].b];
		struct ranked_site *site = rank == SITES_NONE ? NULL : &m->sites[rank];
		if (site == NULL || site->hot || (double)site->samples / (double)hot->samples <= SHARE_MIN)
			continue;
		site->hot = true;
		site->first_pair = i;
	}
	qsort(m->sites, m->site_count, sizeof(*m->sites), compare_sites);
	for (size_t i = 0; i < m->site_count; i++)
		m->rank[m->sites[i].function] = (uint32_t)i;
	return true;
}

static bool is_typical(const struct making *m, const struct ranked_site *site, const struct sites_pair *pair,
    uint64_t caller_samples)
{
	double all = (double)m->hot->samples, hits = (double)pair->hits, part = (double)caller_samples;
	double expected = (double)site->samples / all * TYPICAL;

	if (expected < CALLER_SHARE_MIN)
		expected = CALLER_SHARE_MIN;
	return site->hot && hits / part > expected && hits / all > SHARE_MIN && part / all > SHARE_MIN;
}

static bool add_places(const struct making *m, struct sites_hot_report *out)
{
	const struct sites_hot *hot = m->hot;
	struct ranked_place *list = calloc(hot->place_count + 1, sizeof(*list));
	size_t count = 0;

	if (list == NULL)
		return false;
	for (size_t i = 0; i < hot->place_count; i++) {
		const struct hot_place *place = &hot->places[i];
		if (place->samples == 0 || m->rank[place->function] >= out->count)
			continue;
		struct ranked_place *entry = &list[count++];
		*entry = (struct ranked_place){
		    .function = place->function, .number = i, .place.samples = place->samples};
		if (place->location != NULL) {
			entry->place.line = place->location->line;
			entry->place.start_char = place->location->start_char;
			entry->place.end_char = place->location->end_char;
		}
	}
	qsort(list, count, sizeof(*list), compare_places);
	out->places = calloc(count + 1, sizeof(*out->places));
	for (size_t i = 0; i < count && out->places != NULL; i++) {
		struct sites_hot_site *site = &out->sites[m->rank[list[i].function]];
		out->places[i] = list[i].place;
		site->places = site->place_count++ == 0 ? &out->places[i] : site->places;
	}
	free(list);
	return out->places != NULL;
}

static bool add_callers(const struct making *m, struct sites_hot_report *out)
{
	const struct sites_hot *hot = m->hot;
	struct ranked_caller *list = calloc(hot->pairs.count + 1, sizeof(*list));
	size_t count = 0;

	if (list == NULL)
		return false;
	for (size_t i = 0; i < hot->pairs.count; i++) {
		const struct sites_pair *pair = &m->pairs[i];
		uint32_t rank = m->rank[pair->b];
		uint64_t samples = hot->functions[pair->a].samples + m->direct[pair->a];
		if (rank >= out->count || !is_typical(m, &m->sites[rank], pair, samples))
			continue;
		list[count++] = (struct ranked_caller){{pair->a, pair->hits, samples}, rank, i};
	}
	qsort(list, count, sizeof(*list), compare_callers);
	out->callers = calloc(count + 1, sizeof(*out->callers));
	for (size_t i = 0; i < count && out->callers != NULL; i++) {
		struct sites_hot_site *site = &out->sites[list[i].site];
		out->callers[i] = list[i].caller;
		site->callers = site->caller_count++ == 0 ? &out->callers[i] : site->callers;
	}
	free(list);
	return out->callers != NULL;
}

int sites_hot_report(struct sites_hot *hot, size_t most, struct sites_hot_report *out)
{
	struct making m = {.hot = hot};

	*out = (struct sites_hot_report){.samples = hot->samples};
	sites_hot_settle(hot);
	bool done = rank_sites(&m);
	if (done) {
		out->count = m.site_count < most ? m.site_count : most;
		out->sites = calloc(out->count + 1, sizeof(*out->sites));
		done = out->sites != NULL;
	}
	for (size_t i = 0; i < out->count && done; i++)
		out->sites[i] =
		    (struct sites_hot_site){.function = m.sites[i].function, .samples = m.sites[i].samples};
	done = done && add_places(&m, out) && add_callers(&m, out);
	free(m.direct);
	free(m.rank);
	free(m.sites);
	free(m.pairs);
	if (done)
		return RTEV_OK;
	sites_hot_report_fini(out);
	return RTEV_E_NOMEM;
}

void sites_hot_report_fini(struct sites_hot_report *report)
{
	free(report->places);
	free(report->callers);
	free(report->sites);
	*report = (struct sites_hot_report){0};
}
