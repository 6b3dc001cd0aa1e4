/*
 * trend_unread.c - steps of which all events were lost.
 *
 * When a ring is read too late, the words that were overwritten have no stamps: what is known is that they
 * lay between the last event before and the first after them.  A step in that stretch has no collection and
 * no allocation of that domain, though there may have been some.  If other domains have none in it either, it
 * was not seen.  That is decided when the stretch is settled, as then the events of all domains are known.
 */
#include "watch/trend_private.h"

/* Limit the steps [first, last] of a tier to as many as it keeps.  Returns the first. */
static uint64_t kept_from(unsigned tier, uint64_t first, uint64_t last)
{
	uint64_t steps = trend_tier_rows[tier].steps;

	return last - first >= steps ? last - steps + 1 : first;
}

void trend_unread(struct trend *t, const struct model *m, unsigned domain, uint64_t from, uint64_t to)
{
	if (to <= from || !trend_plausible(t, from) || !trend_plausible(t, to))
		return;
	trend_unobserve(t, m, domain, from, to);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		uint64_t length = trend_tier_rows[tier].length, last = to / length;
		uint64_t first = kept_from(tier, from / length, last);
		if (last - first > t->spreads)
			first = last - t->spreads;
		t->spreads -= last - first;
		for (uint64_t k = first; k <= last; k++) {
			struct trend_cell *cell = trend_cell_make(t, tier, k);
			if (cell != NULL)
				cell->flags |= TREND_LOSSY;
		}
	}
	if (to - from >= TREND_SECOND && t->unread_count < TREND_UNREAD_MAX)
		t->unread[t->unread_count++] = (struct trend_unread){.from = from, .to = to};
}

/* Return the cell of a step if nothing happened in it; else NULL. */
static struct trend_cell *idle_cell(struct trend *t, unsigned tier, uint64_t step)
{
	struct trend_cell *cell = trend_keeps(t, tier, step) ? trend_cell_make(t, tier, step) : NULL;

	if (cell == NULL || (cell->gc_ns | cell->allocated | cell->promoted | cell->pauses) != 0)
		return NULL;
	return cell;
}

static void forget_seen(struct trend_cell *cell)
{
	cell->seen_ns = 0;
	cell->flags = (cell->flags | TREND_UNREAD) & ~(uint32_t)TREND_FOLDED;
}

/* Take the seconds of a longer step that were lost out of its seen time. */
static void seconds_forget(struct trend *t, struct trend_cell *cell, uint64_t first, uint64_t end)
{
	for (uint64_t k = first < end ? kept_from(0, first, end) : end; k < end; k++) {
		const struct trend_cell *second = idle_cell(t, 0, k);
		if (second == NULL || second->seen_ns > cell->seen_ns)
			continue;
		cell->seen_ns -= second->seen_ns;
		cell->flags |= TREND_UNREAD;
		/* The second had been folded as one without a collection. */
		if (k < t->folded)
			cell->flags &= ~(uint32_t)TREND_FOLDED;
	}
}

/* Take the steps of a tier that lie in a stretch out of the seen time. */
static void tier_forget(struct trend *t, unsigned tier, const struct trend_unread *u)
{
	uint64_t length = trend_tier_rows[tier].length, last = (u->to - 1) / length;
	/* The seconds that lie in it. */
	uint64_t from = (u->from + TREND_SECOND - 1) / TREND_SECOND, to = u->to / TREND_SECOND;

	for (uint64_t k = kept_from(tier, u->from / length, last); k <= last; k++) {
		uint64_t begin = k * length / TREND_SECOND, end = begin + length / TREND_SECOND;
		struct trend_cell *idle = idle_cell(t, tier, k);
		if (idle != NULL && begin >= from && end <= to)
			forget_seen(idle);
		else if (tier > 0 && trend_keeps(t, tier, k))
			seconds_forget(
			    t, trend_cell_make(t, tier, k), begin > from ? begin : from, end < to ? end : to);
	}
}

void trend_unread_settle(struct trend *t, uint64_t to)
{
	unsigned left = 0;

	for (unsigned i = 0; i < t->unread_count; i++) {
		const struct trend_unread u = t->unread[i];
		if (u.to > to) {
			t->unread[left++] = u;
			continue;
		}
		/* The longer steps need the seen time of the seconds. */
		for (unsigned tier = TREND_TIER_COUNT; tier-- > 0;)
			tier_forget(t, tier, &u);
	}
	t->unread_count = left;
}
