/*
 * heap.c - the gauges of a domain's heap, and the heap of a process: that of its domains together.
 */
#include "model/state.h"

/* No address space has so many words. */
#define WORDS_MOST (INT64_C(1) << 53)

#define SIZE_EVERY_NS                                                                                        \
	UINT64_C(950000000) /* between two kept sizes; memory is looked at about once a
					   * second */

/* The gauge that a counter is, plus one; 0: none. */
static const uint8_t gauges[RTEV_COUNTER_COUNT] = {
    [RTEV_COUNTER_MAJOR_HEAP_WORDS] = HEAP_SIZE + 1,
    [RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS] = HEAP_POOL + 1,
    [RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS] = HEAP_LIVE + 1,
    [RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS] = HEAP_FRAGMENTS + 1,
    [RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS] = HEAP_LARGE + 1,
};

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

/* Take a size, unless a later look at memory has told it. */
static void size_take(struct heap *h, uint64_t ts, double words)
{
	h->size_set = ts >= h->looked_ts;
	if (!h->size_set)
		return;
	h->size_ts = ts;
	h->values[HEAP_SIZE] = words;
}

void heap_take(struct heap *h, uint64_t ts, rtev_counter counter, int64_t value)
{
	static const unsigned all =
	    1u << HEAP_POOL | 1u << HEAP_LIVE | 1u << HEAP_FRAGMENTS | 1u << HEAP_LARGE;
	const unsigned known = counter < RTEV_COUNTER_COUNT ? gauges[counter] : 0;

	h->size_set = false;
	if (known == 0 || value > WORDS_MOST)
		return;
	const enum heap_gauge gauge = (enum heap_gauge)(known - 1);
	h->parts[gauge] = value > 0 ? (double)value : 0;
	if (gauge == HEAP_SIZE) {
		h->size_sent = true;
		size_take(h, ts, h->parts[HEAP_SIZE]);
		return;
	}
	/* The runtime sends the gauge of the pools first. */
	if (gauge == HEAP_POOL)
		h->come = 0;
	h->come |= 1u << gauge;
	if (h->come != all)
		return;
	for (int g = HEAP_POOL; g < HEAP_GAUGES; g++)
		h->values[g] = h->parts[g];
	h->parts_ts = ts;
	/* Once the size is sent by itself, the parts say nothing of it. */
	if (!h->size_sent)
		size_take(h, ts, h->values[HEAP_POOL] + h->values[HEAP_LARGE]);
}

void heap_join(struct heap *h, const struct heap *earlier)
{
	for (int g = 0; g < HEAP_GAUGES; g++)
		if (isnan(h->values[g]))
			h->values[g] = earlier->values[g];
	if (h->parts_ts == 0)
		h->parts_ts = earlier->parts_ts;
	if (h->size_ts == 0)
		h->size_ts = earlier->size_ts;
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

	DOMAIN_FOREACH (d, m) {
		if (model_heap_stands(m, &d->pub))
			return NULL;
		if (last == NULL || d->pub.last_ts >= last->pub.last_ts)
			last = d;
	}
	return last;
}

/* Return a gauge as told by the domains that still have their heap, and the stamp of the latest of them. */
static struct model_level told(const struct model *m, enum heap_gauge gauge)
{
	const struct domain *last = last_heap(m);
	struct model_level sum = {.words = NAN};

	DOMAIN_FOREACH (d, m) {
		if (d != last && !model_heap_stands(m, &d->pub))
			continue;
		const struct heap *h = &d->pub.heap;
		const uint64_t ts = gauge == HEAP_SIZE && h->size_ts != 0 ? h->size_ts : h->parts_ts;
		if (isnan(h->values[gauge]))
			continue;
		sum.words = isnan(sum.words) ? h->values[gauge] : sum.words + h->values[gauge];
		sum.ts = ts > sum.ts ? ts : sum.ts;
	}
	return sum;
}

double model_heap(const struct model *m, enum heap_gauge gauge)
{
	return told(m, gauge).words;
}

struct model_level model_level(const struct model *m, enum heap_gauge gauge)
{
	struct model_level level = told(m, gauge);
	const double looked = m->looked_ts != 0 ? m->looked[gauge] : (double)NAN;
	/* While looks go on, the parts keep one source, because events and memory define them differently. */
	const uint64_t slack = gauge == HEAP_SIZE || m->stopped || m->ended ? 0 : MODEL_LEVEL_OLD_NS;

	if (isnan(looked) || (!m->looked_rest && level.ts > m->looked_ts + slack))
		return level;
	return (struct model_level){.words = looked, .ts = m->looked_ts, .looked = true};
}

void heap_note(struct model *m, uint64_t ts)
{
	if (!m->live || (m->size_count > 0 && ts < m->sizes[m->size_count - 1].ts + SIZE_EVERY_NS))
		return;
	struct model_level level = model_level(m, HEAP_SIZE);
	if (isnan(level.words))
		return;
	level.ts = ts;
	if (m->size_count == MODEL_SIZES_KEPT)
		memmove(m->sizes, m->sizes + 1, --m->size_count * sizeof(m->sizes[0]));
	m->sizes[m->size_count++] = level;
}

const struct model_level *model_sizes(const struct model *m, size_t *count)
{
	*count = m->size_count;
	return m->sizes;
}

void model_look(struct model *m, uint64_t ts, const struct model_look *look)
{
	double own = 0;

	if (ts < m->looked_ts)
		return;
	/* Sizes told by events can't be continued with those told by memory. */
	if (m->looked_ts == 0)
		m->size_count = 0;
	for (unsigned i = 0; i < look->count; i++) {
		const struct model_look_domain *of = &look->domains[i];
		struct domain *d = of->domain < m->domain_limit ? m->domains[of->domain] : NULL;
		if (d == NULL || !d->pub.seen || d->pub.state != MODEL_DOMAIN_RUNNING)
			continue;
		own += (double)of->size;
		d->pub.heap.looked_ts = ts;
		d->pub.minor_heap = (double)of->minor_heap;
		d->pub.minor_used = (double)of->minor_used;
		size_take(&d->pub.heap, ts, (double)of->size);
		const struct model_memory told = {.to = ts, .size = (double)of->size};
		OBSERVE(m, memory, of->domain, &told);
	}
	memcpy(m->looked, look->heap, sizeof(m->looked));
	m->looked_rest = look->heap[HEAP_SIZE] > own;
	m->looked_ts = ts;
	heap_note(m, ts);
}
