/*
 * stw_assemble.c - assembles stops from the queued spans; see stw.h.
 *
 * Why this works: the leader takes a process-wide lock before its span begins, and the lock is released only
 * after every domain has run its handler.  Between the begins of two leaders only handlers of the first one
 * begin.  End events are written after the lock was released, so they may be later than the next leader's
 * begin.  In a synchronous stop all domains arrive before the leader's span ends; in an asynchronous one a
 * handler may begin after that.
 */
#include "model/span_time.h"
#include "watch/stw_private.h"

#define ASYNC_GRACE 100000000u /* how much later than its leader a handler may begin */

/* The two earliest leaders: the domain of the first, and the begins of both. */
struct leaders {
	struct stw_slot *slot;
	unsigned domain;
	uint64_t first;
	uint64_t second; /* UINT64_MAX: there is none */
	uint64_t other;	 /* the earliest of another domain; UINT64_MAX: there is none */
};

/* Store when the first two stops that a domain leads begin. */
static inline void slot_look(struct stw_slot *d)
{
	uint64_t now = d->open && d->now.leader && !d->abandoned ? d->now.begin : UINT64_MAX;
	unsigned count = d->leads.count;

	/* `now` began after all spans in the queue, which is sorted. */
	d->lead_first = count > 0 ? queue_at(&d->leads, 0)->begin : now;
	d->lead_second = count > 1 ? queue_at(&d->leads, 1)->begin : count > 0 ? now : UINT64_MAX;
}

/* Find the earliest leaders, from the results of slot_look. */
static struct leaders stw_leaders(const struct stw *s)
{
	struct leaders l = {.first = UINT64_MAX, .second = UINT64_MAX, .other = UINT64_MAX};

	for (unsigned i = 0; i < s->domain_limit; i++) {
		struct stw_slot *d = s->domains[i];

		if (d == NULL || d->lead_first >= l.other)
			continue;
		if (d->lead_first >= l.first) {
			l.other = d->lead_first;
			continue;
		}
		l.other = l.first;
		l.slot = d;
		l.domain = i;
		l.first = d->lead_first;
	}
	if (l.slot != NULL)
		l.second = l.slot->lead_second < l.other ? l.slot->lead_second : l.other;
	return l;
}

/* The first stop of *l is done: find the earliest leaders again.  Returns false if the next one is another
 * domain's. */
static inline bool leaders_go_on(struct leaders *l)
{
	struct stw_slot *d = l->slot;

	slot_look(d);
	l->first = d->lead_first;
	l->second = d->lead_second < l->other ? d->lead_second : l->other;
	return l->first < l->other;
}

/* Drop a domain's handlers that began before all remaining leaders. */
static inline void slot_drop_stray(struct stw *s, struct stw_slot *d, uint64_t before)
{
	while (d->joins.count > 0 && queue_at(&d->joins, 0)->begin < before) {
		joins_pop(s, d);
		s->totals.stray++;
	}
}

static void stw_drop_stray(struct stw *s, uint64_t before)
{
	for (unsigned i = 0; s->handlers > 0 && i < s->domain_limit; i++)
		if (s->domains[i] != NULL)
			slot_drop_stray(s, s->domains[i], before);
}

/* Find a domain's part in the stop of [from, to).  Returns false if it has none. */
static inline bool slot_part(struct stw_slot *d, uint64_t from, uint64_t to, struct taking *t)
{
	if (d->joins.count > 0) {
		t->part = queue_at(&d->joins, 0);
		t->around = &d->joins.around[d->joins.first];
		t->open = false;
	} else if (d->open && !d->abandoned && !d->now.leader) {
		t->part = &d->now;
		t->around = &d->around;
		t->open = true;
	} else
		return false;
	t->slot = d;
	return t->part->begin >= from && t->part->begin < to;
}

/*
 * Drop earlier handlers, and collect those of the stop led by taking[0], which is over before `to`.  Returns
 * the number of its parts.  A handler is rejected, as part of a stop with an unknown leader, if it began
 * after the leader had finished (synchronous stop) or has a barrier (asynchronous stop).
 */
static unsigned stw_collect(struct stw *s, uint64_t to, bool *sync, bool *open)
{
	const struct part *lead = s->taking[0].part;
	unsigned found = 1, count = 1;

	for (unsigned i = 0; i < s->domain_limit; i++) {
		struct stw_slot *d = s->domains[i];
		struct taking *t = &s->taking[found];

		if (d == NULL)
			continue;
		slot_drop_stray(s, d, lead->begin);
		if (d == s->taking[0].slot || !slot_part(d, lead->begin, to, t))
			continue;
		t->domain = i;
		found++;
		*sync = *sync || (t->part->arrive != 0 && t->part->begin <= lead->end);
	}
	for (unsigned i = 1; i < found; i++) {
		const struct taking *t = &s->taking[i];

		if (*sync ? t->part->begin > lead->end : t->part->arrive != 0)
			continue;
		*open = *open || t->open;
		if (count != i)
			s->taking[count] = *t;
		count++;
	}
	return count;
}

/* Remove the parts of a stop from the queues. */
static inline void stw_consume(struct stw *s, unsigned count)
{
	queue_pop(s, &s->taking[0].slot->leads);
	for (unsigned i = 1; i < count; i++) {
		struct stw_slot *d = s->taking[i].slot;

		if (!s->taking[i].open)
			joins_pop(s, d);
		else
			d->abandoned = true;
	}
}

/* Remove the earliest stop, whose leader's span is still open or was dropped.  Returns false if it may still
 * end. */
static bool stw_drop(struct stw *s, const struct leaders *l, bool stuck)
{
	bool open = l->slot->leads.count == 0;

	if (open && !stuck)
		return false;
	if (open)
		l->slot->abandoned = true;
	else
		queue_pop(s, &l->slot->leads);
	s->totals.dropped++;
	return true;
}

/* Assemble the earliest stop.  Returns false if it is incomplete, or there is none. */
static inline bool stw_next(struct stw *s, const struct leaders *l, uint64_t watermark)
{
	bool stuck = watermark == UINT64_MAX ||
		     (l->second != UINT64_MAX && span_time_after(l->second, STW_STUCK_AFTER) <= watermark);
	const struct queue *q = l->slot != NULL && l->slot->leads.count > 0 ? &l->slot->leads : NULL;
	const struct part *lead = q != NULL ? queue_at(q, 0) : NULL;
	unsigned count = 1;

	if (lead == NULL || lead->end == 0 || lead->end >= watermark) {
		stw_drop_stray(s, l->first < watermark ? l->first : watermark);
		if (l->slot == NULL || l->first >= watermark)
			return false;
		return (lead == NULL || lead->end == 0) && stw_drop(s, l, stuck);
	}
	bool sync = lead->arrive != 0, open = false;
	s->taking[0] = (struct taking){.slot = l->slot, .part = lead, .domain = l->domain};
	if (s->handlers > 0)
		count = stw_collect(s, l->second < watermark ? l->second : watermark, &sync, &open);
	if (!sync && l->second > watermark && span_time_after(lead->end, ASYNC_GRACE) > watermark)
		return false;
	if (open && !stuck)
		return false;
	stw_count(s, sync ? STW_SYNC : count > 1 ? STW_ASYNC : STW_SOLO, count);
	stw_consume(s, count);
	return true;
}

/* Assemble the consecutive stops of one leader while no handler is known: each is complete if the next one
 * begins before the watermark.  The last one is left to stw_next.  Returns whether there was one. */
static bool stw_run(struct stw *s, const struct leaders *l, uint64_t watermark)
{
	struct queue *q = &l->slot->leads;
	unsigned before = q->count;

	while (q->count > 1) {
		const struct part *lead = queue_at(q, 0);

		if (lead->begin >= l->other || lead->arrive != 0 || lead->end == 0 ||
		    lead->end >= watermark || queue_at(q, 1)->begin > watermark)
			break;
		stw_count_solo(s, l->slot, l->domain, lead);
		q->first = (q->first + 1) & (q->size - 1);
		q->count--;
		s->parts--;
	}
	return q->count < before;
}

void stw_advance(struct stw *s, uint64_t watermark)
{
	for (unsigned i = 0; i < s->domain_limit; i++)
		if (s->domains[i] != NULL)
			slot_look(s->domains[i]);
	while (true) {
		struct leaders l = stw_leaders(s);

		if (s->handlers == 0 && l.slot != NULL && stw_run(s, &l, watermark) && !leaders_go_on(&l))
			continue;
		do {
			if (!stw_next(s, &l, watermark))
				return;
		} while (leaders_go_on(&l));
	}
}
