/*
 * heap.c - the gauges of a domain's heap, and the heap of a process: that of its domains together.
 */
#include "model/state.h"

/* More than there are addresses: no heap has so many. */
#define WORDS_MOST (INT64_C(1) << 53)

/* Return the gauge that a counter is; HEAP_GAUGES: none. */
static enum heap_gauge gauge_of(rtev_counter counter)
{
	switch (counter) {
	case RTEV_COUNTER_MAJOR_HEAP_WORDS:
		return HEAP_SIZE;
	case RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS:
		return HEAP_POOL;
	case RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS:
		return HEAP_LIVE;
	case RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS:
		return HEAP_FRAGMENTS;
	case RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS:
		return HEAP_LARGE;
	default:
		return HEAP_GAUGES;
	}
}

void heap_forget(struct heap *h)
{
	*h = (struct heap){0};
	for (int g = 0; g < HEAP_GAUGES; g++)
		h->values[g] = NAN;
}

void heap_gap(struct heap *h)
{
	h->come = 0;
}

void heap_take(struct heap *h, uint64_t ts, rtev_counter counter, int64_t value)
{
	static const unsigned all =
	    1u << HEAP_POOL | 1u << HEAP_LIVE | 1u << HEAP_FRAGMENTS | 1u << HEAP_LARGE;
	const enum heap_gauge gauge = gauge_of(counter);

	h->size_set = false;
	if (gauge == HEAP_GAUGES || value > WORDS_MOST)
		return;
	h->parts[gauge] = value > 0 ? (double)value : 0;
	if (gauge == HEAP_SIZE) {
		h->size_sent = h->size_set = true;
		h->values[HEAP_SIZE] = h->parts[HEAP_SIZE];
		return;
	}
	/* The runtime sends that of the pools first. */
	if (gauge == HEAP_POOL)
		h->come = 0;
	h->come |= 1u << gauge;
	if (h->come != all)
		return;
	for (int g = HEAP_POOL; g < HEAP_GAUGES; g++)
		h->values[g] = h->parts[g];
	h->parts_ts = ts;
	/* They say nothing of the size once that comes by itself. */
	if (!h->size_sent) {
		h->size_set = true;
		h->values[HEAP_SIZE] = h->values[HEAP_POOL] + h->values[HEAP_LARGE];
	}
}

void heap_join(struct heap *h, const struct heap *earlier)
{
	for (int g = 0; g < HEAP_GAUGES; g++)
		if (isnan(h->values[g]))
			h->values[g] = earlier->values[g];
	if (h->parts_ts == 0)
		h->parts_ts = earlier->parts_ts;
	h->size_sent |= earlier->size_sent;
}

bool model_heap_stands(const struct model *m, const struct model_domain *d)
{
	return d->seen && (d->state == MODEL_DOMAIN_RUNNING || (d->stopped && m->stopped));
}

/* Return the domain that ended last if no domain has its heap any more, else NULL. */
static const struct domain *last_heap(const struct model *m)
{
	const struct domain *last = NULL;

	for (unsigned i = 0; i < m->domain_limit; i++) {
		const struct domain *d = m->domains[i];
		if (d == NULL)
			continue;
		if (model_heap_stands(m, &d->pub))
			return NULL;
		if (last == NULL || d->pub.last_ts >= last->pub.last_ts)
			last = d;
	}
	return last;
}

double model_heap(const struct model *m, enum heap_gauge gauge)
{
	const struct domain *last = last_heap(m);
	double sum = NAN;

	for (unsigned i = 0; i < m->domain_limit; i++) {
		const struct domain *d = m->domains[i];
		if (d == NULL || (d != last && !model_heap_stands(m, &d->pub)))
			continue;
		double value = d->pub.heap.values[gauge];
		if (!isnan(value))
			sum = isnan(sum) ? value : sum + value;
	}
	return sum;
}

uint64_t model_heap_parts_ts(const struct model *m)
{
	const struct domain *last = last_heap(m);
	uint64_t latest = 0;

	for (unsigned i = 0; i < m->domain_limit; i++) {
		const struct domain *d = m->domains[i];
		if (d != NULL && (d == last || model_heap_stands(m, &d->pub)) &&
		    d->pub.heap.parts_ts > latest)
			latest = d->pub.heap.parts_ts;
	}
	return latest;
}
