/*
 * mmu.c - see mmu.h.
 *
 * The pause time in a sliding window has its maximum where the right edge is the end of a pause: from any
 * other position the window can move to such a position without losing pause time, to the right if its right
 * edge is in a pause, else to the left.  One sum for each pause and window is therefore enough.
 */
#include "watch/mmu.h"

#include <math.h>
#include <stdlib.h>

#include "model/copy.h"

#define NS_PER_SECOND 1000000000u
#define UNKNOWN UINT64_MAX

const uint64_t mmu_windows[MMU_WINDOWS] = {1000000, 10000000, 100000000};

struct mmu_pause {
	uint64_t begin;
	uint64_t end;
	uint64_t before; /* time of all pauses before it */
};

/* The most pause time in a window that ended in one second. */
struct mmu_second {
	uint64_t number;
	uint64_t most[MMU_WINDOWS];
};

/* Where a window begins: at or after the pause `tail`, before which all pauses took `before`. */
struct mmu_edge {
	uint64_t tail;
	uint64_t before;
};

struct mmu_domain {
	bool seen;
	bool blind; /* a gap: observed anew from the next event on */
	uint64_t from;
	bool open; /* a pause goes on since `begin` */
	uint64_t begin;
	uint64_t count; /* pauses ever */
	struct mmu_edge edges[MMU_WINDOWS];
	uint64_t total;
	uint64_t most[MMU_WINDOWS]; /* since the reset; UNKNOWN: no window was wholly observed */
	struct mmu_second seconds[MMU_SECONDS + 1];
	struct mmu_pause pauses[MMU_PAUSES];
};

struct mmu {
	struct mmu_domain *domains[MODEL_DOMAINS_MAX];
};

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

/* Set all minima to what is known at the begin: nothing. */
static void mmu_forget(struct mmu_domain *d)
{
	for (unsigned w = 0; w < MMU_WINDOWS; w++)
		d->most[w] = UNKNOWN;
	for (unsigned i = 0; i <= MMU_SECONDS; i++)
		d->seconds[i].number = UNKNOWN;
}

/* mmu_domain of one that is new, or new after a gap. */
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
	if (!d->seen || d->blind) {
		d->seen = true;
		d->blind = false;
		d->from = ts;
		d->count = 0;
		d->total = 0;
		for (unsigned w = 0; w < MMU_WINDOWS; w++)
			d->edges[w] = (struct mmu_edge){0};
	}
	return d;
}

/* The domain of an event at ts, made when it is not there yet. */
static inline struct mmu_domain *mmu_domain(struct mmu *m, unsigned domain, uint64_t ts)
{
	struct mmu_domain *d = domain < MODEL_DOMAINS_MAX ? m->domains[domain] : NULL;

	return d != NULL && d->seen && !d->blind ? d : mmu_domain_anew(m, domain, ts);
}

/* The pause time in the window that ends at `end`, where the pause [begin, end) does that comes after all
 * kept; UNKNOWN when the window was not wholly observed.  Moves the edge to the first pause that lies in the
 * window. */
static inline uint64_t mmu_sum(
    const struct mmu_domain *d, unsigned w, uint64_t begin, uint64_t end, struct mmu_edge *edge)
{
	uint64_t from = end - mmu_windows[w], tail = edge->tail, cut = 0;

	if (end < mmu_windows[w] || from < d->from)
		return UNKNOWN;
	if (begin <= from)
		return mmu_windows[w];
	if (d->count > MMU_PAUSES && tail < d->count - MMU_PAUSES)
		tail = d->count - MMU_PAUSES;
	while (tail < d->count && d->pauses[tail % MMU_PAUSES].end <= from)
		tail++;
	edge->tail = tail;
	edge->before = d->total;
	if (tail < d->count) {
		const struct mmu_pause *p = &d->pauses[tail % MMU_PAUSES];

		edge->before = p->before;
		cut = p->begin < from ? from - p->begin : 0;
	}
	return end - begin + d->total - edge->before - cut;
}

/* Let a window's pause time stand if it is the most so far.  UNKNOWN plus 1 is 0. */
static inline void mmu_offer(uint64_t *most, uint64_t sum)
{
	if (sum + 1 > *most + 1)
		*most = sum;
}

/* Take in the pause time of the windows that end with the pause [begin, end), which comes after all kept. */
static inline void mmu_take(struct mmu_domain *d, struct mmu_second *second, uint64_t begin, uint64_t end)
{
	uint64_t total = d->total + (end - begin);

	for (unsigned w = 0; w < MMU_WINDOWS; w++) {
		/* With the pauses since an earlier edge it is no shorter: if that is no news, the edge can
		 * stay.  UNKNOWN plus 1 is 0. */
		uint64_t most = total - d->edges[w].before;
		if (most < d->most[w] + 1 && most < second->most[w] + 1)
			continue;
		uint64_t sum = mmu_sum(d, w, begin, end, &d->edges[w]);
		mmu_offer(&d->most[w], sum);
		mmu_offer(&second->most[w], sum);
	}
}

/* A pause begins, or a span that is none and has no other around it. */
void mmu_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct mmu_domain *d;

	if (depth != 0 || (d = mmu_domain(ctx, domain, ts)) == NULL)
		return;
	d->open = phase != RTEV_PHASE_DOMAIN_CONDITION_WAIT;
	d->begin = ts;
}

void mmu_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct mmu_domain *d;
	struct mmu_second *second;
	uint64_t number = span->end / NS_PER_SECOND;

	if (!span->pause || span->end < span->begin || (d = mmu_domain(ctx, domain, span->end)) == NULL)
		return;
	d->open = false;
	if (d->count > 0 && span->begin < d->pauses[(d->count - 1) % MMU_PAUSES].end)
		return; /* stamps went back */
	second = &d->seconds[number % (MMU_SECONDS + 1)];
	if (second->number != number) {
		second->number = number;
		for (unsigned w = 0; w < MMU_WINDOWS; w++)
			second->most[w] = UNKNOWN;
	}
	mmu_take(d, second, span->begin, span->end);
	d->pauses[d->count++ % MMU_PAUSES] = (struct mmu_pause){span->begin, span->end, d->total};
	d->total += span->end - span->begin;
}

static void mmu_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct mmu_domain *d = mmu_domain(ctx, domain, begin);

	(void)phase;
	/* Nobody knows how long it was. */
	if (d != NULL && depth == 0) {
		d->open = false;
		d->blind = true;
	}
}

static void mmu_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts, uint64_t words,
    uint64_t history)
{
	struct mmu_domain *d = mmu_domain(ctx, domain, after_ts);

	(void)kind;
	(void)words, (void)history;
	if (d != NULL) {
		d->open = false;
		d->blind = true;
	}
}

static void mmu_reset(void *ctx, uint64_t now)
{
	struct mmu *m = ctx;

	(void)now;
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
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
	    .reset = mmu_reset,
	};
}

bool mmu_read(const struct mmu *m, unsigned domain, uint64_t now, uint64_t span, double out[MMU_WINDOWS])
{
	const struct mmu_domain *d = domain < MODEL_DOMAINS_MAX ? m->domains[domain] : NULL;
	uint64_t seconds = span / NS_PER_SECOND < MMU_SECONDS ? span / NS_PER_SECOND : MMU_SECONDS;
	uint64_t last = now / NS_PER_SECOND, first = last < seconds ? 0 : last - seconds;

	if (d == NULL || !d->seen)
		return false;
	for (unsigned w = 0; w < MMU_WINDOWS; w++) {
		uint64_t most = span == 0 ? d->most[w] : UNKNOWN;
		struct mmu_edge edge = d->edges[w];

		for (uint64_t n = first; span != 0 && n <= last; n++)
			if (d->seconds[n % (MMU_SECONDS + 1)].number == n)
				mmu_offer(&most, d->seconds[n % (MMU_SECONDS + 1)].most[w]);
		if (d->open && !d->blind && now > d->begin)
			mmu_offer(&most, mmu_sum(d, w, d->begin, now, &edge));
		if (most == UNKNOWN && !d->blind && now >= d->from && now - d->from >= mmu_windows[w])
			most = 0;
		if (most != UNKNOWN && most > mmu_windows[w])
			most = mmu_windows[w];
		out[w] = most == UNKNOWN ? (double)NAN : 1 - (double)most / (double)mmu_windows[w];
	}
	return true;
}
