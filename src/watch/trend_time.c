/*
 * trend_time.c - count the time in which events could be observed, from one look to the next.
 *
 * A pause of the target becomes known by the resume that ends it, and begins at the latest event before it.
 * So time is settled up to the latest event of any ring before the watermark; the tail follows.  Lives are
 * counted as in model/domain.c.
 */
#include "watch/trend_private.h"

#include <math.h>
#include <string.h>

#include "core/sum.h"

#define SPREADS_MAX (1u << 20)

/* The pauses of the target at this look. */
struct pauses {
	const struct model_target_pause *list;
	size_t count;
};

/* What is added to steps: seen time, or the observed time of a number of domains. */
struct gain {
	bool seen;
	bool taken; /* taken out instead */
	unsigned domains;
};

/* Record that nothing happened in some whole seconds of a longer step that are not kept as steps of their
 * own. */
static void fold_nothing(struct trend_cell *cell)
{
	/* What came before we looked is not known second by second. */
	if ((cell->flags & TREND_FOLDED) == 0 &&
	    (cell->pauses | cell->allocated | cell->promoted | cell->gc_ns) != 0)
		return;
	if ((cell->flags & TREND_FOLDED) == 0) {
		cell->allocated_high = cell->promoted_high = 0;
		cell->gc_high = 0;
	}
	cell->allocated_low = cell->promoted_low = 0;
	cell->gc_low = 0;
	cell->flags |= TREND_FOLDED;
}

/* Add a stretch of time without pauses of the target to the steps of a tier. */
static void tier_gain(struct trend *t, unsigned tier, const struct gain *gain, uint64_t from, uint64_t to)
{
	const struct trend_tier_row *row = &trend_tier_rows[tier];
	uint64_t last = (to - 1) / row->length, first = from / row->length;
	uint64_t seconds = t->tiers[0].begun && t->tiers[0].head >= TREND_SECONDS_STEPS
			       ? (t->tiers[0].head - TREND_SECONDS_STEPS + 1) * TREND_SECOND
			       : 0;

	if (last - first >= row->steps)
		first = last - row->steps + 1;
	for (uint64_t k = first; k <= last; k++) {
		struct trend_cell *cell = trend_cell_make(t, tier, k);
		uint64_t begin = k * row->length > from ? k * row->length : from;
		uint64_t end = k < last ? (k + 1) * row->length : to;
		if (cell == NULL)
			continue;
		if (!gain->seen) {
			uint64_t time = gain->domains * (end - begin);
			if (!gain->taken)
				cell->observed_ns += time;
			else
				cell->observed_ns -= time < cell->observed_ns ? time : cell->observed_ns;
			continue;
		}
		cell->seen_ns += end - begin;
		/* Nothing happened in seconds that are no longer kept: otherwise they would have been
		 * folded. */
		uint64_t gone = (end < seconds ? end : seconds) / TREND_SECOND;
		if (tier > 0 && gone > (begin + TREND_SECOND - 1) / TREND_SECOND)
			fold_nothing(cell);
	}
}

/* Add a stretch of time, without the pauses of the target in it. */
static void gain(struct trend *t, const struct pauses *p, const struct gain *what, uint64_t from, uint64_t to)
{
	size_t i = p->count;

	if (from >= to)
		return;
	/* Steps further back are not kept. */
	if (to - from > 2 * TREND_WEEK)
		from = to - 2 * TREND_WEEK;
	while (i > 0 && p->list[i - 1].to > from)
		i--;
	for (; i <= p->count && from < to; i++) {
		uint64_t end = i < p->count && p->list[i].from < to ? p->list[i].from : to;
		for (unsigned tier = 0; tier < TREND_TIER_COUNT && end > from; tier++)
			tier_gain(t, tier, what, from, end);
		from = i < p->count && p->list[i].to > from ? p->list[i].to : to;
	}
}

/* ---- lives ---- */

/* Register a domain; the seen time may begin with it. */
static void notice(struct trend *t, const struct model_domain *m)
{
	struct trend_domain *d = &t->domains[m->domain];

	if (m->domain >= t->domain_limit)
		t->domain_limit = m->domain + 1;
	d->noticed = d->alive = true;
	t->alive++;
	d->since = m->known_from > t->begin_at ? m->known_from : t->begin_at;
	if (!t->seen) {
		t->seen = true;
		t->seen_from = t->settled = t->tail_to = d->since;
		t->folded = d->since / TREND_SECOND;
	} else if (d->since < t->seen_from) {
		gain(t, &(struct pauses){NULL, 0}, &(struct gain){.seen = true}, d->since, t->seen_from);
		t->seen_from = d->since;
	}
}

/* Count a life that has ended, now that all pauses in it are known. */
static void ended_count(struct trend *t, const struct model *m)
{
	struct pauses p;

	p.list = model_target_pauses(m, &p.count);
	for (unsigned i = 0; i < t->ended_count; i++)
		gain(t, &p, &(struct gain){.domains = 1}, t->ended[i].from, t->ended[i].to);
	t->ended_count = 0;
}

/* A life, or the part of one before a loss, has ended. */
static void ended_add(struct trend *t, const struct model *m, uint64_t from, uint64_t to)
{
	if (from >= to)
		return;
	if (t->ended_count == TREND_ENDED)
		ended_count(t, m);
	t->ended[t->ended_count++] = (struct trend_life){.from = from, .to = to};
}

void trend_unobserve(struct trend *t, const struct model *m, unsigned domain, uint64_t from, uint64_t to)
{
	struct trend_domain *d = &t->domains[domain];
	struct pauses p;

	if (!t->live || domain >= t->domain_limit || !d->noticed)
		return;
	if (!d->alive) {
		/* Another domain took the slot meanwhile. */
		d->alive = true;
		t->alive++;
		d->since = to > d->since ? to : d->since;
		return;
	}
	ended_add(t, m, d->since, from);
	p.list = model_target_pauses(m, &p.count);
	if (from < d->since)
		gain(t, &p, &(struct gain){.taken = true, .domains = 1}, from, to < d->since ? to : d->since);
	d->since = to > d->since ? to : d->since;
}

void trend_life(struct trend *t, const struct model *m, unsigned domain, uint64_t ts, rtev_lifecycle event)
{
	const struct model_domain *known = model_domain(m, domain);

	if (domain >= MODEL_DOMAINS_MAX || known == NULL || !t->live || !trend_plausible(t, ts))
		return;
	struct trend_domain *d = &t->domains[domain];
	trend_heap_take(t, UINT64_MAX);
	if (!d->noticed)
		notice(t, known);
	switch (event) {
	case RTEV_LIFECYCLE_RING_START:
	case RTEV_LIFECYCLE_DOMAIN_SPAWN:
		t->stopped = event != RTEV_LIFECYCLE_RING_START && t->stopped;
		if (d->alive)
			break;
		d->alive = true;
		d->since = ts;
		t->alive++;
		break;
	case RTEV_LIFECYCLE_RING_STOP:
		t->stopped = true;
		t->stop_ts = ts;
		/* fallthrough */
	case RTEV_LIFECYCLE_DOMAIN_TERMINATE:
		if (!d->alive)
			break;
		d->alive = false;
		t->alive--;
		ended_add(t, m, d->since, ts);
		d->since = ts > d->since ? ts : d->since;
		/* what stops with the program keeps its heap */
		if (event == RTEV_LIFECYCLE_DOMAIN_TERMINATE)
			trend_heap_sum(t, ts);
		break;
	default:
		break;
	}
}

/* Register domains that no lifecycle event has reported, and those that turn out to be running after a loss.
 * Returns the begin of the earliest open pause, UINT64_MAX when there is none. */
static uint64_t look(struct trend *t, const struct model *m, unsigned domains)
{
	uint64_t open = UINT64_MAX;

	t->open_count = 0;
	for (unsigned i = 0; i < domains; i++) {
		const struct model_domain *known = model_domain(m, i);
		struct trend_domain *d = &t->domains[i];
		if (known == NULL || !known->seen)
			continue;
		if (!d->noticed) {
			notice(t, known);
		} else if (!d->alive && known->state == MODEL_DOMAIN_RUNNING) {
			d->alive = true;
			t->alive++;
		}
		const struct model_open_span *pause = model_open_pause(known);
		if (pause == NULL)
			continue;
		uint64_t begin = pause->begin;
		open = begin < open ? begin : open;
		if (trend_plausible(t, begin) && t->open_count < MODEL_DOMAINS_MAX)
			t->open[t->open_count++] = begin;
	}
	return open;
}

/* Return the end of a domain's observed time at a look. */
static uint64_t observed_to(const struct trend *t, const struct model_domain *m, uint64_t to)
{
	uint64_t end = to;

	if (!t->live)
		end = m->last_ts;
	else if (t->stopped)
		end = t->stop_ts > m->last_ts ? t->stop_ts : m->last_ts;
	return end < to ? end : to;
}

/* Count the running domains up to a stamp; those with the same observed time are counted together. */
static void alive_count(struct trend *t, const struct model *m, const struct pauses *p, uint64_t to)
{
	struct gain alike = {.domains = 0};
	uint64_t from = 0, until = 0;

	for (unsigned i = 0; i < t->domain_limit; i++) {
		struct trend_domain *d = &t->domains[i];
		const struct model_domain *known = model_domain(m, i);
		/* A domain that was reported before a recording began may be silent. */
		if (!d->alive || (known == NULL && !t->live))
			continue;
		uint64_t end = known != NULL ? observed_to(t, known, to) : to;
		if (end <= d->since)
			continue;
		if (alike.domains != 0 && (from != d->since || until != end)) {
			gain(t, p, &alike, from, until);
			alike.domains = 0;
		}
		from = d->since;
		until = end;
		alike.domains++;
		d->since = end;
	}
	if (alike.domains != 0)
		gain(t, p, &alike, from, until);
}

/* ---- the seconds of a longer step ---- */

/* Extend a range by a value. */
static void extremes(float *low, float *high, bool known, float value)
{
	*low = !known || value < *low ? value : *low;
	*high = !known || value > *high ? value : *high;
}

void trend_fold(struct trend_cell *cell, const struct trend_cell *second, uint64_t seen, uint64_t observed)
{
	bool known = (cell->flags & TREND_FOLDED) != 0;
	double seconds = (double)seen / (double)TREND_SECOND;
	double share = observed != 0 ? (double)second->gc_ns / (double)observed * TREND_SHARE_ONE : 0;
	uint16_t part = share >= UINT16_MAX ? UINT16_MAX : (uint16_t)(share + 0.5);

	extremes(
	    &cell->allocated_low, &cell->allocated_high, known, (float)((double)second->allocated / seconds));
	extremes(
	    &cell->promoted_low, &cell->promoted_high, known, (float)((double)second->promoted / seconds));
	cell->gc_low = !known || part < cell->gc_low ? part : cell->gc_low;
	cell->gc_high = !known || part > cell->gc_high ? part : cell->gc_high;
	cell->flags |= TREND_FOLDED;
}

/* Fold the seconds whose number is below `end`.  A second seen for less than half its length gives no
 * rate. */
static void fold_seconds(struct trend *t, uint64_t end)
{
	uint64_t oldest = t->tiers[0].begun && t->tiers[0].head >= TREND_SECONDS_STEPS
			      ? t->tiers[0].head - TREND_SECONDS_STEPS + 1
			      : 0;

	if (t->folded < oldest)
		t->folded = oldest < end ? oldest : end > t->folded ? end : t->folded;
	for (; t->folded < end; t->folded++) {
		uint64_t k = t->folded, begin = k * TREND_SECOND;
		if (!trend_keeps(t, 0, k)) {
			/* Nor is any later second kept. */
			t->folded = end;
			return;
		}
		const struct trend_cell *second = trend_cell_of(t, 0, k);
		uint64_t tail = t->tail_to > t->settled
				    ? (t->tail_to < begin + TREND_SECOND ? t->tail_to : begin + TREND_SECOND)
				    : 0;
		uint64_t from = t->settled > begin ? t->settled : begin;
		uint64_t more = tail > from ? tail - from : 0;
		uint64_t seen = second->seen_ns + more;
		if (!trend_folds(second, seen))
			continue;
		for (unsigned tier = 1; tier < TREND_TIER_COUNT; tier++) {
			struct trend_cell *cell =
			    trend_cell_make(t, tier, begin / trend_tier_rows[tier].length);
			if (cell != NULL)
				trend_fold(cell, second, seen, second->observed_ns + more * t->alive);
		}
	}
}

/* ---- looks ---- */

/* Set marks for the pauses of the target that ended by a stamp. */
static void mark_pauses(struct trend *t, const struct pauses *p, uint64_t to)
{
	size_t i = p->count;

	while (i > 0 && p->list[i - 1].to > t->marked_to)
		i--;
	for (; i < p->count && p->list[i].to <= to; i++) {
		trend_mark(
		    t, TREND_MARK_PAUSED, p->list[i].from, p->list[i].to, p->list[i].to - p->list[i].from);
		t->marked_to = p->list[i].to;
	}
}

/* Settle the time up to a stamp. */
static void settle(struct trend *t, const struct model *m, const struct pauses *p, uint64_t to)
{
	ended_count(t, m);
	alive_count(t, m, p, to);
	if (to > t->settled) {
		gain(t, p, &(struct gain){.seen = true}, t->settled, to);
		t->settled = to;
	}
	trend_unread_settle(t, t->settled);
	mark_pauses(t, p, to);
}

/* Find the end of the tail: now, or the begin of the next pause of the target. */
static void tail(struct trend *t, const struct pauses *p, uint64_t now)
{
	t->tail_to = now > t->settled ? now : t->settled;
	for (size_t i = p->count; i > 0 && p->list[i - 1].to > t->settled; i--)
		if (p->list[i - 1].from < t->tail_to)
			t->tail_to = p->list[i - 1].from > t->settled ? p->list[i - 1].from : t->settled;
}

void trend_advance(struct trend *t, const struct model *m, uint64_t now, uint64_t watermark)
{
	struct model_totals totals;
	struct pauses p;

	trend_flush(t);
	model_totals(m, &totals);
	if (now > t->latest)
		t->latest = now;
	t->spreads = SPREADS_MAX;
	uint64_t open = look(t, m, totals.domains);
	if (!t->seen)
		return;
	p.list = model_target_pauses(m, &p.count);
	uint64_t to = totals.last_ts < watermark ? totals.last_ts : watermark;
	if (t->live && to > now)
		to = now;
	settle(t, m, &p, to > t->settled ? to : t->settled);
	tail(t, &p, t->live && !t->stopped ? now : t->settled);
	uint64_t over = watermark < now ? watermark : now;
	trend_heap_take(t, over);
	over = over < t->tail_to ? over : t->tail_to;
	trend_heap_reach(t, over);
	/* An open pause is not counted yet. */
	over = over < open ? over : open;
	/* The second of the latest event counts as ended; else it might be dropped unfolded after a long
	 * silence. */
	uint64_t end = t->settled / TREND_SECOND + 1;
	fold_seconds(t, end < over / TREND_SECOND ? end : over / TREND_SECOND);
}

void trend_finish(struct trend *t, const struct model *m)
{
	struct model_totals totals;
	struct pauses p;

	trend_flush(t);
	model_totals(m, &totals);
	t->spreads = SPREADS_MAX;
	look(t, m, totals.domains);
	if (!t->seen)
		return;
	p.list = model_target_pauses(m, &p.count);
	uint64_t to = totals.last_ts;
	if (t->live && !t->stopped && totals.now > to)
		to = totals.now;
	else if (t->live && t->stopped && t->stop_ts > to)
		to = t->stop_ts;
	if (!trend_plausible(t, to))
		to = t->settled;
	/* An open pause of the target ends the seen time. */
	settle(t, m, &p, to);
	tail(t, &p, t->settled);
	trend_heap_take(t, UINT64_MAX);
	trend_heap_reach(t, t->settled);
	fold_seconds(t, t->settled / TREND_SECOND);
}
