/*
 * test_history_budget.c - how much of the past the default budget of a history holds, also for a frozen
 * reader.
 */
#include "support/feed.h"

#include "watch/history.h"

#define SECOND UINT64_C(1000000000)

/* Write what four domains do in a second at `rate` events a second: minor collections with their counters,
 * and user spans and ints between them. */
static void write_second(struct feed *f, uint64_t second, unsigned rate)
{
	uint64_t step = SECOND * 4 / rate;
	unsigned rounds = rate / 4 / 20;

	for (unsigned d = 0; d < 4; d++) {
		uint64_t ts = second * SECOND + d * 1000;

		for (unsigned r = 0; r < rounds; r++) {
			static const rtev_phase phases[] = {RTEV_PHASE_STW_LEADER, RTEV_PHASE_MINOR,
			    RTEV_PHASE_MINOR_REMEMBERED_SET, RTEV_PHASE_MINOR_LOCAL_ROOTS};
			void *ctx = f->to.ctx;

			for (unsigned i = 0; i < 4; i++)
				feed_open(f, d, phases[i], ts += step);
			for (unsigned i = 0; i < 2; i++)
				feed_close(f, d, ts += step);
			f->to.counter(ctx, d, ts += step, RTEV_COUNTER_MINOR_PROMOTED, 40000);
			f->to.counter(ctx, d, ts += step, RTEV_COUNTER_MINOR_ALLOCATED, 2097080);
			for (unsigned i = 0; i < 2; i++)
				feed_close(f, d, ts += step);
			for (unsigned i = 0; i < 4; i++) {
				feed_user_opened(&f->to, d, ts += step, i);
				feed_user_closed(&f->to, d, ts, ts + step, i);
				ts += step;
			}
			feed_user(&f->to, d, ts += step, 5, 1000 + r);
			feed_user(&f->to, d, ts += step, 6, 0);
		}
	}
}

/* A sum over all that can be read of a domain in [from, to). */
static uint64_t digest(
    const struct history *h, unsigned domain, uint64_t from, uint64_t to, uint64_t *records)
{
	struct history_cursor c;
	struct history_record e;
	uint64_t sum = 0;

	*records = 0;
	CHECK(history_seek(h, domain, from, &c));
	while (history_next(&c, to, &e)) {
		sum = sum * 31 + e.ts + e.id * 7 + (uint64_t)e.value + e.kind + e.begin;
		++*records;
	}
	return sum;
}

TEST(test_a_minute_in_the_default_budget)
{
	enum { RATE = 100000, BEFORE = 130, AFTER = 200 };
	static struct feed f;
	struct history *h = history_create(&f.paths, 0), *copy;
	struct history_range range, frozen;
	uint64_t sums[4], counts[4], events, now;

	feed_history(h, &f.to);
	for (uint64_t s = 1; s <= BEFORE; s++)
		write_second(&f, s, RATE);
	range = history_range(h);
	now = range.to;
	CHECK(range.bytes <= HISTORY_BUDGET);
	CHECK(!range.complete);
	CHECK(now - range.from > 60 * SECOND);
	printf("full detail of %.1f s at %d events a second\n", (double)(now - range.from) / SECOND, RATE);

	/* A frozen reader has all of it while collecting goes on for longer than the budget lasts. */
	copy = history_copy(h, &f.paths);
	CHECK(copy != NULL);
	frozen = history_range(copy);
	CHECK(frozen.to == now && frozen.from == range.from && !frozen.complete);
	for (unsigned d = 0; d < 4; d++) {
		sums[d] = digest(h, d, frozen.from, UINT64_MAX, &counts[d]);
		CHECK(digest(copy, d, frozen.from, UINT64_MAX, &events) == sums[d]);
		CHECK_INT(events, counts[d]);
	}
	/* Of twenty events ten come in pairs that are one record each, and two have none. */
	CHECK(counts[0] > 60 * RATE / 4 / 20 * 10);
	for (uint64_t s = BEFORE + 1; s <= BEFORE + AFTER; s++)
		write_second(&f, s, RATE);
	range = history_range(h);
	CHECK(range.bytes <= HISTORY_BUDGET);
	CHECK(range.from > now && range.to - range.from > 60 * SECOND);
	for (unsigned d = 0; d < 4; d++) {
		CHECK(digest(copy, d, frozen.from, UINT64_MAX, &events) == sums[d]);
		CHECK_INT(events, counts[d]);
		/* Nothing is missing from the oldest event on. */
		CHECK(history_domain_from(h, d, NULL) > now);
		digest(h, d, 0, UINT64_MAX, &events);
		CHECK(events > 60 * RATE / 4 / 20 * 10);
	}

	/* A copy stays when its history is gone, and there may be several. */
	history_destroy(copy);
	copy = history_copy(h, &f.paths);
	history_destroy(history_copy(h, &f.paths));
	for (unsigned d = 0; d < 4; d++)
		sums[d] = digest(copy, d, 0, UINT64_MAX, &counts[d]);
	history_destroy(h);
	for (unsigned d = 0; d < 4; d++)
		CHECK(digest(copy, d, 0, UINT64_MAX, &events) == sums[d]);
	history_destroy(copy);
}
