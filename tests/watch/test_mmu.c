/*
 * test_mmu.c - minimum mutator utilisation against a plain implementation that sums up the pauses of each
 * window anew, on random pauses, losses, resets and stamps that go back.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/feed.h"
#include "support/mmu_feed.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define PAUSES_MAX 20000
#define SLOTS (MMU_SECONDS + 1)

/* ---- the plain implementation, of one domain ---- */

struct most {
	bool known;
	uint64_t sum;
};

struct plain {
	bool seen, blind, open;
	uint64_t from, begin;
	unsigned count;
	uint64_t begins[PAUSES_MAX], ends[PAUSES_MAX];
	struct most all[MMU_WINDOWS];
	bool held[SLOTS];
	uint64_t numbers[SLOTS];
	struct most seconds[SLOTS][MMU_WINDOWS];
};

static void plain_touch(struct plain *p, uint64_t ts)
{
	if (p->seen && !p->blind)
		return;
	p->seen = true;
	p->blind = false;
	p->from = ts;
	p->count = 0;
}

static void most_take(struct most *most, const struct most *more)
{
	if (more->known && (!most->known || more->sum > most->sum))
		*most = *more;
}

/* The pause time of the window that ends at `end`, with a pause that began at `begin` and goes on there. */
static struct most plain_sum(const struct plain *p, unsigned w, uint64_t begin, uint64_t end)
{
	uint64_t window = mmu_windows[w], sum = 0;

	if (end < window || end - window < p->from)
		return (struct most){0};
	sum = begin > end - window ? end - begin : window;
	for (unsigned i = p->count; i-- > 0 && p->count - i <= MMU_PAUSES && p->ends[i] > end - window;)
		sum += p->ends[i] - (p->begins[i] > end - window ? p->begins[i] : end - window);
	return (struct most){true, sum};
}

static void plain_opened(struct plain *p, rtev_phase phase, uint64_t ts)
{
	plain_touch(p, ts);
	p->open = phase != RTEV_PHASE_DOMAIN_CONDITION_WAIT;
	p->begin = ts;
}

static void plain_closed(struct plain *p, uint64_t begin, uint64_t end)
{
	uint64_t number = end / SECOND;
	unsigned slot = (unsigned)(number % SLOTS);

	if (end < begin)
		return;
	plain_touch(p, end);
	p->open = false;
	if (p->count > 0 && begin < p->ends[p->count - 1])
		return;
	if (!p->held[slot] || p->numbers[slot] != number)
		memset(p->seconds[slot], 0, sizeof(p->seconds[slot]));
	p->held[slot] = true;
	p->numbers[slot] = number;
	for (unsigned w = 0; w < MMU_WINDOWS; w++) {
		struct most sum = plain_sum(p, w, begin, end);
		most_take(&p->all[w], &sum);
		most_take(&p->seconds[slot][w], &sum);
	}
	CHECK(p->count < PAUSES_MAX);
	p->begins[p->count] = begin;
	p->ends[p->count++] = end;
}

static void plain_lost(struct plain *p, uint64_t ts)
{
	plain_touch(p, ts);
	p->open = false;
	p->blind = true;
}

static void plain_reset(struct plain *p)
{
	memset(p->all, 0, sizeof(p->all));
	memset(p->held, 0, sizeof(p->held));
}

static double plain_read(const struct plain *p, unsigned w, uint64_t now, uint64_t span)
{
	struct most most = {0};
	uint64_t seconds = span / SECOND < MMU_SECONDS ? span / SECOND : MMU_SECONDS, last = now / SECOND;

	if (span == 0)
		most = p->all[w];
	for (unsigned i = 0; i < SLOTS && span != 0; i++)
		if (p->held[i] && p->numbers[i] <= last && last - p->numbers[i] <= seconds)
			most_take(&most, &p->seconds[i][w]);
	if (p->open && !p->blind && now > p->begin) {
		struct most sum = plain_sum(p, w, p->begin, now);
		most_take(&most, &sum);
	}
	if (!most.known && !p->blind && now >= p->from && now - p->from >= mmu_windows[w])
		most.known = true;
	if (!most.known)
		return (double)NAN;
	return 1 - (double)(most.sum < mmu_windows[w] ? most.sum : mmu_windows[w]) / (double)mmu_windows[w];
}

/* ---- the two told the same ---- */

struct both {
	struct feed feed;
	struct plain plain;
	uint64_t now, seed;
	unsigned reads;
};

static void compare(struct both *b, struct mmus *m, uint64_t now, uint64_t span)
{
	double out[MMU_WINDOWS];

	CHECK(mmu_read(mmus_of(m, 0), now, span, out) == b->plain.seen);
	for (unsigned w = 0; w < MMU_WINDOWS && b->plain.seen; w++) {
		double want = plain_read(&b->plain, w, now, span);
		CHECK(isnan(want) ? isnan(out[w]) : out[w] == want);
		b->reads += isnan(want) ? 0 : 1;
	}
}

/* Read all of it, sometimes a copy. */
static void look(struct both *b, struct mmus *m)
{
	/* What goes on now is after all that ended. */
	if (b->plain.count > 0 && b->now < b->plain.ends[b->plain.count - 1])
		return;
	static struct mmus copied;
	struct mmus *copy = feed_below(&b->seed, 2) == 0 ? &copied : NULL;
	uint64_t now = b->now + feed_below(&b->seed, 20 * MS);

	copied = *m;
	compare(b, copy != NULL ? copy : m, now, 0);
	compare(b, m, now, SECOND * (1 + feed_below(&b->seed, 70)));
	compare(b, m, now, feed_below(&b->seed, SECOND));
}

static void open_span(struct both *b, rtev_phase phase)
{
	feed_open(&b->feed, 0, phase, b->now);
	plain_opened(&b->plain, phase, b->now);
}

/* A pause of up to so many ns, after up to so many. */
static void step(struct both *b, struct mmus *m, uint64_t apart, uint64_t length)
{
	b->now += feed_below(&b->seed, apart);
	uint64_t begin = b->now;
	bool waits = feed_below(&b->seed, 50) == 0;
	open_span(b, waits ? RTEV_PHASE_DOMAIN_CONDITION_WAIT : RTEV_PHASE_MINOR);
	b->now += feed_below(&b->seed, length);
	if (feed_below(&b->seed, 100) == 0)
		look(b, m);
	feed_close(&b->feed, 0, b->now);
	if (!waits)
		plain_closed(&b->plain, begin, b->now);
}

/* What is rare. */
static void disturb(struct both *b, struct mmus *m)
{
	switch (feed_below(&b->seed, 5)) {
	case 0:
		feed_gap(&b->feed, 0, b->now, 1);
		plain_lost(&b->plain, b->now);
		break;
	case 1:
		open_span(b, RTEV_PHASE_MAJOR);
		feed_drop(&b->feed, 0, 0);
		plain_lost(&b->plain, b->now);
		/* After a gap stamps may be of any time. */
		b->now -= feed_below(&b->seed, b->now < 100 * SECOND ? b->now : 100 * SECOND);
		break;
	case 2:
		b->feed.to.turned(m, MODEL_RESET, b->now);
		plain_reset(&b->plain);
		break;
	case 3:
		b->now -= feed_below(&b->seed, b->now < 3 * MS ? b->now : 3 * MS);
		break;
	default:
		b->now += feed_below(&b->seed, 3 * SECOND);
		break;
	}
}

/* Tell of pauses, `rare` of them between two that disturb, and look at it now and then. */
static void run(uint64_t seed, uint64_t start, unsigned pauses, uint64_t rare, uint64_t scale)
{
	static struct both b;
	struct mmus *m = mmus_create();

	memset(&b, 0, sizeof(b));
	b.seed = seed;
	b.now = start;
	mmus_observer(m, &b.feed.to);
	for (unsigned i = 0; i < pauses; i++) {
		/* Now and then one that is long, or many at once. */
		uint64_t odd = feed_below(&b.seed, 2 * rare), apart = odd < 3 ? 80 * MS : 3 * scale;
		step(&b, m, 1 + apart, 1 + (odd == 7 ? 30 * MS : odd % 7 == 0 ? 2 * scale : scale));
		if (feed_below(&b.seed, 1500) == 0)
			look(&b, m);
		if (feed_below(&b.seed, rare) == 0)
			disturb(&b, m);
	}
	look(&b, m);
	CHECK(b.reads > 10);
	free(m);
}

TEST(test_against_sums)
{
	for (unsigned round = 0; round < 60; round++)
		run(round, round % 9 * 500 * MS, 6000, 300, UINT64_C(1) << (4 + round % 20));
}

/* More pauses than are kept lie within the longest window. */
TEST(test_crowded)
{
	for (unsigned round = 0; round < 6; round++)
		run(1000 + round, 10 * SECOND, PAUSES_MAX - 1, 6000, 8000);
}

/* The latest stamps that there are, and beyond. */
TEST(test_last_stamps)
{
	for (unsigned round = 0; round < 20; round++)
		run(2000 + round, UINT64_MAX - 20 * SECOND, 3000, 300, 1 << 16);
}
