/*
 * pauses.c - finished pauses: histograms, the longest pauses and the phases inside them.
 *
 * Spans that end inside a pause go to a short log.  They are summed by phase only if the pause is one of the
 * longest or the log is full, so most spans cost one store.
 */
#include "core/order.h"
#include "model/state.h"

/* Sums of a phase inside the pause; NULL if the table is full. */
static struct model_phase *inside_of(struct inside *inside, rtev_phase phase)
{
	for (unsigned i = 0; i < inside->summed; i++)
		if (inside->sums[i].phase == phase)
			return &inside->sums[i];
	if (inside->summed == MODEL_INSIDE_MAX)
		return NULL;
	inside->sums[inside->summed] = (struct model_phase){.phase = phase};
	return &inside->sums[inside->summed++];
}

/* Add the log to the sums by phase. */
static void inside_fold(struct domain *d)
{
	for (const struct inside_span *span = d->inside->log; span < d->log_next; span++) {
		struct model_phase *sums = inside_of(d->inside, span->phase);

		if (sums == NULL)
			continue;
		sums->count++;
		sums->total = sum_saturating(sums->total, span->duration);
		sums->self = sum_saturating(sums->self, span->self);
		if (span->duration > sums->max)
			sums->max = span->duration;
	}
	d->log_next = d->inside->log;
}

bool pause_make_room(struct model *m, struct domain *d)
{
	if (d->inside != NULL) {
		inside_fold(d);
		return true;
	}
	d->inside = calloc(1, sizeof(*d->inside));
	if (d->inside == NULL) {
		model_out_of_memory(m);
		return false;
	}
	d->log_next = d->inside->log;
	d->log_end = d->inside->log + INSIDE_LOG;
	return true;
}

/* Whether pause `a` goes before `b` in the list of the longest. */
static bool worse(const struct model_worst *a, const struct model_worst *b)
{
	return ORDER_BY(ORDER_FALLING(a, b, duration), ORDER_RISING(a, b, ts), ORDER_RISING(a, b, domain)) <
	       0;
}

/* qsort: by phase number. */
static int by_phase(const void *a, const void *b)
{
	const struct model_phase *left = a, *right = b;

	return ORDER_RISING(left, right, phase);
}

/* Insert a pause into the list of the longest, with the phases inside it, if it is one of them. */
static __attribute__((noinline)) void worst_insert(
    struct model *m, struct domain *d, const struct model_span *span)
{
	struct model_worst entry; /* most of it is not touched */

	entry.ts = span->begin;
	entry.duration = span->end - span->begin;
	entry.self = span->self;
	entry.domain = d->pub.domain;
	entry.phase = span->phase;
	bool full = m->worst_count == MODEL_WORST_MAX;
	unsigned i = full ? MODEL_WORST_MAX - 1 : m->worst_count;

	if (full && !worse(&entry, &m->worst[i]))
		return;
	m->worst_count += !full;
	entry.user = model_user_around(m, entry.domain, entry.ts);
	const struct model_phase *inside = model_inside(m, entry.domain, &entry.inside_count);
	if (entry.inside_count > 0)
		memcpy(entry.inside, inside, entry.inside_count * sizeof(*inside));
	for (; i > 0 && worse(&entry, &m->worst[i - 1]); i--)
		m->worst[i] = m->worst[i - 1];
	m->worst[i] = entry;
}

void pause_closed(struct model *m, struct domain *d, const struct model_span *span)
{
	uint64_t duration = span->end - span->begin;
	unsigned place = hist_place(duration);

	d->pub.gc_ns = sum_saturating(d->pub.gc_ns, duration);
	d->pub.wait_ns = sum_saturating(d->pub.wait_ns, d->waited);
	if (!hist_add_at(&d->pub.pauses, duration, place) || !hist_add_at(&m->pauses, duration, place))
		model_out_of_memory(m);
	/* while the list is not full, that is 0 */
	if (duration >= m->worst[MODEL_WORST_MAX - 1].duration)
		worst_insert(m, d, span);
}

const struct model_phase *model_inside(struct model *m, unsigned domain, size_t *count)
{
	struct domain *d = domain < m->domain_limit ? m->domains[domain] : NULL;

	*count = 0;
	if (d == NULL || d->inside == NULL)
		return NULL;
	inside_fold(d);
	qsort(d->inside->sums, d->inside->summed, sizeof(d->inside->sums[0]), by_phase);
	*count = d->inside->summed;
	return d->inside->sums;
}

const struct hist *model_pauses(const struct model *m)
{
	return &m->pauses;
}

/* qsort: by own time, longest first. */
static int by_self(const void *a, const void *b)
{
	const struct model_phase *left = a, *right = b;

	return ORDER_BY(ORDER_FALLING(left, right, self), ORDER_RISING(left, right, phase));
}

size_t model_pause_parts(rtev_phase phase, uint64_t self, const struct model_phase *inside, size_t count,
    struct model_phase parts[MODEL_INSIDE_MAX + 1])
{
	size_t own = 0;

	if (count > 0)
		memcpy(parts, inside, count * sizeof(*parts));
	/* The pause's own phase may also occur inside. */
	while (own < count && parts[own].phase != phase)
		own++;
	if (own == count)
		parts[count++] = (struct model_phase){.phase = phase};
	parts[own].self = sum_saturating(parts[own].self, self);
	qsort(parts, count, sizeof(*parts), by_self);
	return count;
}

const struct model_worst *model_worst(const struct model *m, size_t *count)
{
	*count = m->worst_count;
	return m->worst;
}
