/*
 * counters.c - counters and alloc events: counts, sums and latest values of each domain.
 */
#include "model/state.h"

#include "core/sum.h"

/* Return the totals of a counter that the tables lack, created on first use; NULL if memory or the budget ran
 * out. */
static __attribute__((noinline)) struct model_counter *counter_opaque(
    struct model *m, struct domain *d, rtev_counter counter)
{
	void *array = d->counters;
	size_t i = model_opaque(m, &d->opaque_counters, counter, &array, &d->counter_size,
	    &d->pub.counter_count, sizeof(*d->counters));

	d->pub.counters = d->counters = array;
	if (i == 0)
		return NULL;
	d->counters[i].counter = counter;
	return &d->counters[i];
}

enum rtev_next counter_take(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct model *m = ctx;
	struct domain *d = model_touch(m, domain, ts);
	struct model_counter *c;

	if (d == NULL)
		return model_next(m);
	c = counter < RTEV_COUNTER_COUNT ? &d->counters[counter] : counter_opaque(m, d, counter);
	if (c == NULL) {
		m->ignored++;
		return model_next(m);
	}
	if (c->count == 0 || value < c->min)
		c->min = value;
	if (c->count == 0 || value > c->max)
		c->max = value;
	c->count++;
	c->sum = sum_wrapping(c->sum, value);
	c->last = value;
	c->last_ts = ts;
	heap_take(&d->pub.heap, ts, counter, value);
	if (d->pub.heap.size_set && m->looked_ts == 0)
		heap_note(m, ts);
	TELL(m, counter, domain, ts, counter, value);
	return RTEV_CONTINUE;
}

enum rtev_next alloc_take(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	struct model *m = ctx;
	struct domain *d = model_touch(m, domain, ts);

	if (d == NULL)
		return model_next(m);
	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		d->pub.alloc[i] = sum_saturating(d->pub.alloc[i], buckets[i]);
	d->pub.alloc_events++;
	OBSERVE(m, alloc, domain, ts, buckets);
	return RTEV_CONTINUE;
}

void model_counter_total(const struct model *m, rtev_counter counter, struct model_counter *out)
{
	*out = (struct model_counter){.counter = counter};
	DOMAIN_FOREACH (d, m) {
		uint32_t index = counter;

		if (counter >= RTEV_COUNTER_COUNT) {
			index = id_map_find(&d->opaque_counters, counter);
			if (index == 0)
				continue;
		}
		const struct model_counter *c = &d->counters[index];
		if (c->count == 0)
			continue;
		if (out->count == 0 || c->last_ts >= out->last_ts) {
			out->last = c->last;
			out->last_ts = c->last_ts;
		}
		if (out->count == 0 || c->min < out->min)
			out->min = c->min;
		if (out->count == 0 || c->max > out->max)
			out->max = c->max;
		out->count += c->count;
		out->sum = sum_wrapping(out->sum, c->sum);
	}
}
