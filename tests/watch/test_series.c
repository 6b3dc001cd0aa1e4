/*
 * test_series.c - numbers over time, and minimum mutator utilisation.
 */
#include <math.h>

#include "support/feed.h"

#include "support/mmu_feed.h"
#include "watch/series.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

TEST(test_sum)
{
	struct series all, *s = &all;
	series_init(s, SERIES_SUM, 100, 10);
	uint64_t begin, until;
	double out[4];

	series_read(s, 1000, 1, 4, out);
	for (unsigned i = 0; i < 4; i++)
		CHECK(isnan(out[i]));
	CHECK(!series_span(s, &begin, &until));
	CHECK_NEAR(series_sum(s, 0, 1000), 0, 0);
	CHECK(isnan(series_latest(s)));
	series_add(s, 1050, 3);
	series_add(s, 1099, 4);
	series_add(s, 1250, 5);
	series_read(s, 1299, 1, 4, out);
	CHECK(isnan(out[0]));
	CHECK_NEAR(out[1], 7, 0);
	CHECK_NEAR(out[2], 0, 0);
	CHECK_NEAR(out[3], 5, 0);
	/* Columns of two steps stand on even steps. */
	series_read(s, 1299, 2, 2, out);
	CHECK_NEAR(out[0], 7, 0);
	CHECK_NEAR(out[1], 5, 0);
	series_read(s, 1300, 2, 2, out);
	CHECK_NEAR(out[0], 7, 0);
	CHECK_NEAR(out[1], 5, 0);
	series_advance(s, 1450);
	series_read(s, 1450, 2, 3, out);
	CHECK_NEAR(out[2], 0, 0);
	/* Late, and earlier than the begin. */
	series_add(s, 1150, 10);
	series_add(s, 820, 1);
	series_read(s, 1299, 1, 4, out);
	CHECK_NEAR(out[0], 0, 0);
	CHECK_NEAR(out[2], 10, 0);
	series_read(s, 850, 1, 2, out);
	CHECK(isnan(out[0]));
	CHECK_NEAR(out[1], 1, 0);
	CHECK(series_span(s, &begin, &until));
	CHECK_INT(begin, 820);
	CHECK_INT(until, 1450);
	CHECK_NEAR(series_sum(s, 820, 1450), 23, 0);
	CHECK_NEAR(series_sum(s, 1190, 1450), 15, 0);
	CHECK_NEAR(series_sum(s, 1190, 1230), 15, 0);
	CHECK_NEAR(series_sum(s, 1190, 1199), 10, 0);
	CHECK_NEAR(series_sum(s, 0, UINT64_MAX), 23, 0);
	CHECK_NEAR(series_sum(s, 1450, 820), 0, 0);
}

TEST(test_last_and_max)
{
	struct series all[2], *last = &all[0], *max = &all[1];
	series_init(last, SERIES_LAST, 10, 8);
	series_init(max, SERIES_MAX, 10, 8);
	double out[4];

	series_advance(last, 5);
	CHECK(isnan(series_latest(last)));
	series_add(last, 12, 42);
	series_add(last, 13, -7);
	series_add(last, 41, 8);
	series_read(last, 45, 1, 4, out);
	CHECK_NEAR(out[0], -7, 0);
	CHECK_NEAR(out[1], -7, 0);
	CHECK_NEAR(out[2], -7, 0);
	CHECK_NEAR(out[3], 8, 0);
	series_read(last, 45, 5, 2, out);
	CHECK(isnan(out[0]));
	CHECK_NEAR(out[1], 8, 0);
	/* A late value changes its own step only. */
	series_add(last, 25, 3);
	series_read(last, 45, 1, 4, out);
	CHECK_NEAR(out[1], 3, 0);
	CHECK_NEAR(out[2], -7, 0);
	CHECK_NEAR(series_latest(last), 8, 0);
	series_add(max, 12, 4);
	series_add(max, 13, 9);
	series_add(max, 19, 2);
	series_add(max, 35, 1);
	series_read(max, 39, 1, 4, out);
	CHECK(isnan(out[0]));
	CHECK_NEAR(out[1], 9, 0);
	CHECK_NEAR(out[2], 0, 0);
	CHECK_NEAR(out[3], 1, 0);
	series_read(max, 39, 4, 1, out);
	CHECK_NEAR(out[0], 9, 0);
	series_reset(max);
	CHECK(isnan(series_latest(max)));
}

TEST(test_ring_of_steps)
{
	struct series all, *s = &all;
	series_init(s, SERIES_SUM, 10, 5);
	uint64_t begin, until;
	double out[8];

	for (unsigned i = 0; i < 100; i++)
		series_add(s, 10 * i, i);
	series_read(s, 999, 1, 8, out);
	for (unsigned i = 0; i < 3; i++)
		CHECK(isnan(out[i]));
	for (unsigned i = 3; i < 8; i++)
		CHECK_NEAR(out[i], 92 + i, 0);
	CHECK_NEAR(series_sum(s, 0, 1000), 95 + 96 + 97 + 98 + 99, 0);
	CHECK(series_span(s, &begin, &until));
	CHECK_INT(begin, 950);
	CHECK_INT(until, 990);
	/* A leap empties the steps between. */
	series_add(s, 1030, 1);
	series_read(s, 1030, 1, 5, out);
	CHECK_NEAR(out[0], 99, 0);
	CHECK_NEAR(out[1], 0, 0);
	CHECK_NEAR(out[4], 1, 0);
	series_add(s, 100000, 2);
	series_read(s, 100000, 1, 2, out);
	CHECK_NEAR(out[0], 0, 0);
	/* A stamp from nowhere, and back. */
	series_add(s, UINT64_MAX, 7);
	series_read(s, UINT64_MAX, 1, 2, out);
	CHECK_NEAR(out[1], 7, 0);
	CHECK_NEAR(series_sum(s, 0, UINT64_MAX), 7, 0);
	series_add(s, 100010, 3);
	series_read(s, 100010, 1, 2, out);
	CHECK(isnan(out[0]));
	CHECK_NEAR(out[1], 3, 0);
}

/* A pause of domain 0. */
static void pause_between(struct feed *f, uint64_t begin, uint64_t end)
{
	feed_open(f, 0, RTEV_PHASE_MINOR, begin);
	feed_close(f, 0, end);
}

TEST(test_mmu_by_hand)
{
	static struct feed f;
	struct mmus *m = mmus_create();
	double out[MMU_WINDOWS];
	uint64_t t = 10 * SECOND;

	mmus_observer(m, &f.to);
	CHECK(!mmu_read(mmus_of(m, 0), t, 0, out));
	pause_between(&f, t, t + 1);
	CHECK(mmu_read(mmus_of(m, 0), t + 500, 0, out));
	CHECK(isnan(out[0]));
	CHECK(mmu_read(mmus_of(m, 0), t + 2 * MS, 0, out));
	CHECK_NEAR(out[0], 1, 0);
	CHECK(isnan(out[1]));
	/* 0.25 ms and 0.5 ms, 0.15 ms between them: the window of 1 ms that ends with the second holds
	 * both. */
	pause_between(&f, t + 200 * MS, t + 200 * MS + 250000);
	pause_between(&f, t + 200 * MS + 400000, t + 200 * MS + 900000);
	CHECK(mmu_read(mmus_of(m, 0), t + 300 * MS, 0, out));
	CHECK_NEAR(out[0], 0.25, 1e-12);
	CHECK_NEAR(out[1], 1 - 0.075, 1e-12);
	CHECK_NEAR(out[2], 1 - 0.0075, 1e-12);
	/* One of which a part lies in the window, then one longer than it. */
	pause_between(&f, t + 400 * MS, t + 403 * MS);
	pause_between(&f, t + 408 * MS, t + 412 * MS);
	CHECK(mmu_read(mmus_of(m, 0), t + 500 * MS, 0, out));
	CHECK_NEAR(out[0], 0, 0);
	CHECK_NEAR(out[1], 1 - (4 + 1) / 10., 1e-12);
	CHECK_NEAR(out[2], 1 - 7 / 100., 1e-12);
	/* Waiting is no pause; what goes on is one. */
	feed_open(&f, 0, RTEV_PHASE_DOMAIN_CONDITION_WAIT, t + 600 * MS);
	CHECK(mmu_read(mmus_of(m, 0), t + 650 * MS, 0, out));
	CHECK_NEAR(out[1], 0.5, 1e-12);
	feed_close(&f, 0, t + 660 * MS);
	feed_open(&f, 0, RTEV_PHASE_MAJOR, t + 700 * MS);
	CHECK(mmu_read(mmus_of(m, 0), t + 709 * MS, 0, out));
	CHECK_NEAR(out[1], 0.1, 1e-12);
	CHECK(mmu_read(mmus_of(m, 0), t + 760 * MS, 0, out));
	CHECK_NEAR(out[2], 1 - 60 / 100., 1e-12);
	/* It is lost: nobody knows, and observing begins anew. */
	feed_gap(&f, 0, t + 760 * MS, 1);
	CHECK(mmu_read(mmus_of(m, 0), t + 790 * MS, 0, out));
	CHECK_NEAR(out[2], 1 - 7 / 100., 1e-12);
	pause_between(&f, t + 900 * MS, t + 905 * MS);
	pause_between(&f, t + 930 * MS, t + 940 * MS);
	CHECK(mmu_read(mmus_of(m, 0), t + 950 * MS, 0, out));
	CHECK_NEAR(out[1], 0, 0);
	CHECK_NEAR(out[2], 1 - 7 / 100., 1e-12);
	/* The last second only. */
	pause_between(&f, t + 3000 * MS, t + 3002 * MS);
	CHECK(mmu_read(mmus_of(m, 0), t + 3500 * MS, SECOND, out));
	CHECK_NEAR(out[1], 0.8, 1e-12);
	CHECK_NEAR(out[2], 0.98, 1e-12);
	CHECK(mmu_read(mmus_of(m, 0), t + 5500 * MS, SECOND, out));
	CHECK_NEAR(out[1], 1, 0);
	/* Words are lost while nothing is open: no window holds them. */
	feed_open(&f, 1, RTEV_PHASE_MINOR, t);
	feed_close(&f, 1, t + MS);
	feed_gap(&f, 1, t + MS, 1);
	feed_open(&f, 1, RTEV_PHASE_MINOR, t + 25 * MS);
	feed_close(&f, 1, t + 26 * MS);
	CHECK(mmu_read(mmus_of(m, 1), t + 30 * MS, 0, out));
	CHECK_NEAR(out[0], 0, 0);
	CHECK(isnan(out[1]));
	f.to.turned(m, MODEL_RESET, t + 5500 * MS);
	CHECK(mmu_read(mmus_of(m, 0), t + 5500 * MS, 0, out));
	CHECK_NEAR(out[1], 1, 0);
	free(m);
}

TEST(test_mmu_against_reference)
{
	enum { LENGTH = 4000 };
	static bool paused[LENGTH * 100];
	uint64_t seed = 11, unit = 10000; /* ns for each place of `paused` */

	for (unsigned round = 0; round < 20; round++) {
		static struct feed f;
		struct mmus *m = mmus_create();
		double out[MMU_WINDOWS];
		uint64_t at = 1;

		mmus_observer(m, &f.to);
		memset(paused, 0, sizeof(paused));
		pause_between(&f, SECOND, SECOND); /* observed from here on */
		while (at < LENGTH * 100 - 6000) {
			uint64_t begin = at + 1 + feed_below(&seed, 1u << feed_below(&seed, 12));
			uint64_t end = begin + feed_below(&seed, 1u << feed_below(&seed, 9));

			pause_between(&f, SECOND + begin * unit, SECOND + end * unit);
			for (uint64_t i = begin; i < end; i++)
				paused[i] = true;
			at = end;
		}
		CHECK(mmu_read(mmus_of(m, 0), SECOND + at * unit, 0, out));
		for (unsigned w = 0; w < MMU_WINDOWS; w++) {
			uint64_t size = mmu_windows[w] / unit, sum = 0, most = 0;

			for (uint64_t i = 0; i < at; i++) {
				sum += paused[i];
				sum -= i >= size && paused[i - size];
				if (i + 1 >= size)
					most = sum > most ? sum : most;
			}
			CHECK_NEAR(out[w], 1 - (double)most / (double)size, 1e-9);
		}
		free(m);
	}
}
