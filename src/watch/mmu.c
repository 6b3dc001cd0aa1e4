/*
 * mmu.c - see mmu.h.
 *
 * The pause time in a sliding window has its maximum where the right edge is the end of a pause: from any
 * other position the window can move to such a position without losing pause time, to the right if its right
 * edge is in a pause, else to the left.  One sum for each pause and window is therefore enough.
 */
#include "watch/mmu.h"

#define NS_PER_SECOND 1000000000u
#define UNKNOWN UINT64_MAX

const uint64_t mmu_windows[MMU_WINDOWS] = {1000000, 10000000, 100000000};

/* ---- sums ---- */

/* Keep the maximum of a window's pause time.  UNKNOWN plus 1 is 0. */
static inline void mmu_offer(uint64_t *most, uint64_t sum)
{
	if (sum + 1 > *most + 1)
		*most = sum;
}

/* Remove a pause from an edge's sum. */
static inline void edge_pass(struct mmu_edge *edge, const struct mmu_pause *pauses)
{
	const struct mmu_pause *p = &pauses[edge->tail++];

	edge->sum -= p->end - p->begin;
}

/* Return whether the window that ends at a stamp was wholly observed. */
static inline bool observed(const struct mmu *d, unsigned w, uint64_t end)
{
	return end >= mmu_windows[w] && end - mmu_windows[w] >= d->from;
}

/* Return the maximum pause time of a window that ends with one of the pauses from `first` on, or `most` if that is more;
 * UNKNOWN: none was wholly observed.  `crowded`: an edge may reach a pause that was dropped. */
static inline uint64_t window_most(
    const struct mmu *d, unsigned first, unsigned w, struct mmu_edge *edge, bool crowded, uint64_t most)
{
	const struct mmu_pause *end = d->pauses + d->count, *p = d->pauses + first;
	const struct mmu_pause *tail = d->pauses + edge->tail;
	uint64_t window = mmu_windows[w], sum = edge->sum;

	for (; p < end && !observed(d, w, p->end); p++)
		sum += p->end - p->begin;
	bool known = p < end;
	for (; p < end; p++) {
		sum += p->end - p->begin;
		if (sum <= most)
			continue; /* it is not less than what is in the window */
		uint64_t from = p->end - window;
		for (; tail->end <= from || (crowded && p - tail > MMU_PAUSES); tail++)
			sum -= tail->end - tail->begin;
		uint64_t inside = tail->begin < from ? sum - (from - tail->begin) : sum;
		most = inside > most ? inside : most;
	}
	edge->sum = sum;
	edge->tail = (unsigned)(tail - d->pauses);
	return known ? most : UNKNOWN;
}

/* Drop the oldest pauses. */
static void mmu_make_room(struct mmu *d)
{
	unsigned gone = d->count - MMU_PAUSES;

	for (unsigned w = 0; w < MMU_WINDOWS; w++) {
		while (d->edges[w].tail < gone)
			edge_pass(&d->edges[w], d->pauses);
		d->edges[w].tail -= gone;
	}
	d->count = MMU_PAUSES;
	memmove(d->pauses, d->pauses + gone, MMU_PAUSES * sizeof(d->pauses[0]));
}

/* ---- events ---- */

void mmu_forget(struct mmu *d)
{
	for (unsigned w = 0; w < MMU_WINDOWS; w++)
		d->most[w] = UNKNOWN;
	for (unsigned i = 0; i <= MMU_SECONDS; i++)
		d->seconds[i].number = UNKNOWN;
	d->second_to = 0;
}

/* Begin to observe a domain, at first or after a gap. */
static __attribute__((noinline)) void mmu_sight(struct mmu *d, uint64_t ts)
{
	if (!d->seen)
		mmu_forget(d);
	d->seen = d->sighted = true;
	d->from = ts;
	d->count = d->open = 0;
	d->last = d->second_to = 0;
	memset(d->edges, 0, sizeof(d->edges));
}

void mmu_opened(struct mmu *d, rtev_phase phase, uint64_t ts)
{
	if (!d->sighted)
		mmu_sight(d, ts);
	d->open += phase != RTEV_PHASE_DOMAIN_CONDITION_WAIT;
	d->begin = ts;
}

/* Make the second that contains a stamp the current one. */
static void mmu_turn(struct mmu *d, uint64_t ts)
{
	uint64_t number = ts / NS_PER_SECOND;

	d->second = (unsigned)(number % (MMU_SECONDS + 1));
	d->second_to = (number + 1) * NS_PER_SECOND;
	if (d->seconds[d->second].number != number)
		d->seconds[d->second] = (struct mmu_second){number, {UNKNOWN, UNKNOWN, UNKNOWN}};
}

/* Take the pauses from `first` on into the minima. */
static void mmu_take(struct mmu *d, unsigned first)
{
	if (d->last >= d->second_to)
		mmu_turn(d, d->last);
	for (unsigned w = 0; w < MMU_WINDOWS; w++) {
		uint64_t *here = &d->seconds[d->second].most[w], most = *here == UNKNOWN ? 0 : *here;
		struct mmu_edge *edge = &d->edges[w];

		most = d->count - edge->tail > MMU_PAUSES ? window_most(d, first, w, edge, true, most)
							  : window_most(d, first, w, edge, false, most);
		mmu_offer(&d->most[w], most);
		mmu_offer(here, most);
	}
}

void mmu_pauses(struct mmu *d, const struct pauses *pauses)
{
	const struct pause *p = pauses->list, *end = p + pauses->count;

	if (!d->sighted)
		mmu_sight(d, p->end);
	d->open -= pauses->count < d->open ? pauses->count : d->open;
	while (p < end && p->begin < d->last)
		p++; /* stamps went back */
	if (p == end)
		return;
	if (d->count > sizeof(d->pauses) / sizeof(d->pauses[0]) - PAUSES_AT_ONCE)
		mmu_make_room(d);
	const unsigned first = d->count;
	struct mmu_pause *to = d->pauses + first;
	for (; p < end; p++)
		*to++ = (struct mmu_pause){p->begin, p->end};
	d->count = (unsigned)(to - d->pauses);
	d->last = to[-1].end;
	mmu_take(d, first);
}

void mmu_lost(struct mmu *d, uint64_t ts)
{
	if (!d->sighted)
		mmu_sight(d, ts);
	d->open = 0;
	d->sighted = false;
	d->second_to = 0;
}

/* ---- reading ---- */

/* Return the pause time in the window that ends at `now`, inside an open pause; UNKNOWN: the window was not
 * wholly observed. */
static uint64_t open_sum(const struct mmu *d, unsigned w, uint64_t now)
{
	struct mmu_edge edge = d->edges[w];
	uint64_t from = now - mmu_windows[w];

	if (!observed(d, w, now))
		return UNKNOWN;
	if (d->begin <= from)
		return mmu_windows[w];
	while (
	    edge.tail < d->count && (d->pauses[edge.tail].end <= from || d->count - edge.tail > MMU_PAUSES))
		edge_pass(&edge, d->pauses);
	uint64_t begin = edge.tail < d->count ? d->pauses[edge.tail].begin : from;
	return now - d->begin + edge.sum - (begin < from ? from - begin : 0);
}

bool mmu_read(const struct mmu *d, uint64_t now, uint64_t span, double out[MMU_WINDOWS])
{
	uint64_t seconds = span / NS_PER_SECOND < MMU_SECONDS ? span / NS_PER_SECOND : MMU_SECONDS;
	uint64_t last = now / NS_PER_SECOND, first = last < seconds ? 0 : last - seconds;

	if (d == NULL || !d->seen)
		return false;
	for (unsigned w = 0; w < MMU_WINDOWS; w++) {
		uint64_t most = span == 0 ? d->most[w] : UNKNOWN;

		for (uint64_t n = first; span != 0 && n <= last; n++)
			if (d->seconds[n % (MMU_SECONDS + 1)].number == n)
				mmu_offer(&most, d->seconds[n % (MMU_SECONDS + 1)].most[w]);
		if (d->open > 0 && now > d->begin)
			mmu_offer(&most, open_sum(d, w, now));
		if (most == UNKNOWN && d->sighted && now >= d->from && now - d->from >= mmu_windows[w])
			most = 0;
		if (most != UNKNOWN && most > mmu_windows[w])
			most = mmu_windows[w];
		out[w] = most == UNKNOWN ? (double)NAN : 1 - (double)most / (double)mmu_windows[w];
	}
	return true;
}
