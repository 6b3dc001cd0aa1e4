/*
 * mmu.c - see mmu.h.
 *
 * The pause time in a sliding window has its maximum where the right edge is the end of a pause: from any
 * other position the window can move to such a position without losing pause time, to the right if its right
 * edge is in a pause, else to the left.  One sum for each pause and window is therefore enough.
 */
#include "watch/mmu.h"

#include "core/copy.h"

#define NS_PER_SECOND 1000000000u
#define UNKNOWN UINT64_MAX
#define MMU_ROOM (MMU_PAUSES + MMU_PAUSES / 2) /* pauses for which there is memory */

struct mmu_pause {
	uint64_t begin;
	uint64_t end;
};

/* The most pause time in a window that ended in one second. */
struct mmu_second {
	uint64_t number;
	uint64_t most[MMU_WINDOWS];
};

/* Where a window begins: at or after the begin of the pause `tail`. */
struct mmu_edge {
	uint64_t sum; /* time of the pauses from `tail` on */
	unsigned tail;
};

struct mmu_domain {
	bool blind;	    /* after a gap: observation restarts at the next event */
	unsigned open;	    /* pauses that have begun and have not come; one of them at most is open */
	unsigned count;	    /* pauses, ascending */
	unsigned second;    /* the second in which the latest pause ended */
	uint64_t second_to; /* end of that second; 0: there is none */
	uint64_t last;	    /* end of the latest pause; 0: none */
	uint64_t from;
	uint64_t begin; /* of the latest outermost span */
	struct mmu_edge edges[MMU_WINDOWS];
	uint64_t most[MMU_WINDOWS]; /* since the reset; UNKNOWN: no window was wholly observed */
	struct mmu_second seconds[MMU_SECONDS + 1];
	struct mmu_pause pauses[MMU_ROOM];
};

struct mmu {
	struct mmu_domain *domains[MODEL_DOMAINS_MAX];
};

const uint64_t mmu_windows[MMU_WINDOWS] = {1000000, 10000000, 100000000};

struct mmu *mmu_create(void)
{
	return calloc(1, sizeof(struct mmu));
}

void mmu_destroy(struct mmu *m)
{
	if (m == NULL)
		return;
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
		free(m->domains[i]);
	free(m);
}

struct mmu *mmu_copy(const struct mmu *from)
{
	struct mmu *m = mmu_create();
	bool ok = m != NULL;

	for (unsigned i = 0; i < MODEL_DOMAINS_MAX && ok; i++)
		m->domains[i] = copy_bytes(from->domains[i], sizeof(*from->domains[i]), &ok);
	if (ok)
		return m;
	mmu_destroy(m);
	return NULL;
}

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
static inline bool observed(const struct mmu_domain *d, unsigned w, uint64_t end)
{
	return end >= mmu_windows[w] && end - mmu_windows[w] >= d->from;
}

/* Return the maximum pause time of a window that ends with one of the pauses from `first` on, or `most` if that is more;
 * UNKNOWN: none was wholly observed.  `crowded`: an edge may reach a pause that was dropped. */
static inline uint64_t window_most(const struct mmu_domain *d, unsigned first, unsigned w,
    struct mmu_edge *edge, bool crowded, uint64_t most)
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
static void mmu_make_room(struct mmu_domain *d)
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

/* Mark all minima as unknown, as at the beginning. */
static void mmu_forget(struct mmu_domain *d)
{
	for (unsigned w = 0; w < MMU_WINDOWS; w++)
		d->most[w] = UNKNOWN;
	for (unsigned i = 0; i <= MMU_SECONDS; i++)
		d->seconds[i].number = UNKNOWN;
	d->second_to = 0;
}

/* mmu_domain for a domain that is new, or follows a gap. */
static __attribute__((noinline)) struct mmu_domain *mmu_domain_anew(
    struct mmu *m, unsigned domain, uint64_t ts)
{
	struct mmu_domain *d = domain < MODEL_DOMAINS_MAX ? m->domains[domain] : NULL;

	if (d == NULL) {
		if (domain >= MODEL_DOMAINS_MAX || (d = calloc(1, sizeof(*d))) == NULL)
			return NULL;
		mmu_forget(d);
		m->domains[domain] = d;
	}
	d->blind = false;
	d->from = ts;
	d->count = d->open = 0;
	d->last = d->second_to = 0;
	memset(d->edges, 0, sizeof(d->edges));
	return d;
}

/* Return the domain of an event at ts, created if needed. */
static inline struct mmu_domain *mmu_domain(struct mmu *m, unsigned domain, uint64_t ts)
{
	struct mmu_domain *d = domain < MODEL_DOMAINS_MAX ? m->domains[domain] : NULL;

	return d != NULL && !d->blind ? d : mmu_domain_anew(m, domain, ts);
}

/* mmu_opened for a domain that is new, or follows a gap. */
static __attribute__((noinline)) void opened_anew(
    struct mmu *m, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	if (depth == 0 && mmu_domain_anew(m, domain, ts) != NULL)
		mmu_opened(m, domain, phase, ts, depth);
}

/* A pause began, or an outermost span that is not a pause. */
void mmu_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct mmu *m = ctx;
	struct mmu_domain *d = domain < MODEL_DOMAINS_MAX && depth == 0 ? m->domains[domain] : NULL;

	if (d == NULL || d->blind) {
		opened_anew(m, domain, phase, ts, depth);
		return;
	}
	d->open += phase != RTEV_PHASE_DOMAIN_CONDITION_WAIT;
	d->begin = ts;
}

/* Make the second that contains a stamp the current one. */
static void mmu_turn(struct mmu_domain *d, uint64_t ts)
{
	uint64_t number = ts / NS_PER_SECOND;

	d->second = (unsigned)(number % (MMU_SECONDS + 1));
	d->second_to = (number + 1) * NS_PER_SECOND;
	if (d->seconds[d->second].number != number)
		d->seconds[d->second] = (struct mmu_second){number, {UNKNOWN, UNKNOWN, UNKNOWN}};
}

/* Take the pauses from `first` on into the minima. */
static void mmu_take(struct mmu_domain *d, unsigned first)
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

void mmu_pauses(struct mmu *m, const struct pauses *pauses)
{
	const struct pause *p = pauses->list, *end = p + pauses->count;
	struct mmu_domain *d = mmu_domain(m, pauses->domain, p->end);

	if (d == NULL)
		return;
	d->open -= pauses->count < d->open ? pauses->count : d->open;
	while (p < end && p->begin < d->last)
		p++; /* stamps went back */
	if (p == end)
		return;
	if (d->count > MMU_ROOM - PAUSES_AT_ONCE)
		mmu_make_room(d);
	const unsigned first = d->count;
	struct mmu_pause *to = d->pauses + first;
	for (; p < end; p++)
		*to++ = (struct mmu_pause){p->begin, p->end};
	d->count = (unsigned)(to - d->pauses);
	d->last = to[-1].end;
	mmu_take(d, first);
}

static void mmu_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct pauses one = {.domain = domain};

	if (!span->pause)
		return;
	pauses_add(&one, span);
	mmu_pauses(ctx, &one);
}

/* Forget the open pause. */
static void mmu_lose(struct mmu_domain *d)
{
	d->open = 0;
	d->blind = true;
	d->second_to = 0;
}

static void mmu_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct mmu_domain *d = mmu_domain(ctx, domain, begin);

	/* The length of the dropped pause is unknown. */
	if (d != NULL && depth == 0)
		mmu_lose(d);
}

static void mmu_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	struct mmu_domain *d = gap->what == MODEL_GAP_FOUND ? mmu_domain(ctx, domain, gap->from) : NULL;

	if (d != NULL)
		mmu_lose(d);
}

static void mmu_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	struct mmu *m = ctx;

	for (unsigned i = 0; turn == MODEL_RESET && i < MODEL_DOMAINS_MAX; i++)
		if (m->domains[i] != NULL)
			mmu_forget(m->domains[i]);
}

void mmu_observer(struct mmu *m, struct model_observer *out)
{
	*out = (struct model_observer){
	    .ctx = m,
	    .opened = mmu_opened,
	    .closed = mmu_closed,
	    .dropped = mmu_dropped,
	    .gap = mmu_gap,
	    .turned = mmu_turned,
	};
}

/* ---- reading ---- */

/* Return the pause time in the window that ends at `now`, inside an open pause; UNKNOWN: the window was not
 * wholly observed. */
static uint64_t open_sum(const struct mmu_domain *d, unsigned w, uint64_t now)
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

bool mmu_read(struct mmu *m, unsigned domain, uint64_t now, uint64_t span, double out[MMU_WINDOWS])
{
	struct mmu_domain *d = domain < MODEL_DOMAINS_MAX ? m->domains[domain] : NULL;
	uint64_t seconds = span / NS_PER_SECOND < MMU_SECONDS ? span / NS_PER_SECOND : MMU_SECONDS;
	uint64_t last = now / NS_PER_SECOND, first = last < seconds ? 0 : last - seconds;

	if (d == NULL)
		return false;
	for (unsigned w = 0; w < MMU_WINDOWS; w++) {
		uint64_t most = span == 0 ? d->most[w] : UNKNOWN;

		for (uint64_t n = first; span != 0 && n <= last; n++)
			if (d->seconds[n % (MMU_SECONDS + 1)].number == n)
				mmu_offer(&most, d->seconds[n % (MMU_SECONDS + 1)].most[w]);
		if (d->open > 0 && !d->blind && now > d->begin)
			mmu_offer(&most, open_sum(d, w, now));
		if (most == UNKNOWN && !d->blind && now >= d->from && now - d->from >= mmu_windows[w])
			most = 0;
		if (most != UNKNOWN && most > mmu_windows[w])
			most = mmu_windows[w];
		out[w] = most == UNKNOWN ? (double)NAN : 1 - (double)most / (double)mmu_windows[w];
	}
	return true;
}
