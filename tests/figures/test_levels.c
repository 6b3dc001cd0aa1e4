/*
 * test_levels.c - what the heap is, by the source that knows it, and how it grows.
 */
#include <math.h>

#include "figures/figures.h"
#include "support/model_feed.h"

#define S UINT64_C(1000000000)
#define ATTACH (100 * S)

static void size(struct feed *f, unsigned domain, uint64_t ts, int64_t words)
{
	f->cb.counter(f->m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_WORDS, words);
}

/* Memory is looked at: a heap of all, and that of domain 0. */
static void look(struct feed *f, uint64_t ts, double all, uint64_t own)
{
	const struct model_look look = {
	    .heap = {all, all / 2, all / 4, 0, all / 2}, .domains = {{0, own, 256, 1}}, .count = 1};

	model_look(f->m, ts, &look);
}

/* A gauge in the ring is of the last slice; a program that unmarshals asks for none. */
TEST(memory_tells_what_no_event_does)
{
	struct feed f = feed_open(ATTACH);

	size(&f, 0, ATTACH + S, 1000);
	CHECK(model_level(f.m, HEAP_SIZE).words == 1000 && !model_level(f.m, HEAP_SIZE).looked);
	CHECK_INT(model_level(f.m, HEAP_SIZE).ts, ATTACH + S);
	look(&f, ATTACH + 9 * S, 90000, 90000);
	const struct model_level level = model_level(f.m, HEAP_SIZE);
	CHECK(level.words == 90000 && level.looked);
	CHECK_INT(level.ts, ATTACH + 9 * S);
	CHECK(model_level(f.m, HEAP_LIVE).words == 22500);
	/* An event that was written before the look, and read after it. */
	size(&f, 0, ATTACH + 8 * S, 7);
	CHECK(model_level(f.m, HEAP_SIZE).words == 90000);
	/* A later one is later. */
	size(&f, 0, ATTACH + 10 * S, 91000);
	CHECK(model_level(f.m, HEAP_SIZE).words == 91000 && !model_level(f.m, HEAP_SIZE).looked);
	CHECK(model_domain(f.m, 0)->minor_heap == 256);
	feed_close(&f);
}

/* What a domain that ended leaves belongs to no ring. */
TEST(the_heap_of_a_dead_domain_is_still_there)
{
	struct feed f = feed_open(ATTACH);

	size(&f, 0, ATTACH + 1, 40);
	size(&f, 1, ATTACH + 1, 150);
	look(&f, ATTACH + S, 190, 40);
	life(&f, 1, ATTACH + 2 * S, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	CHECK(model_level(f.m, HEAP_SIZE).words == 190);
	size(&f, 0, ATTACH + 3 * S, 41);
	CHECK(model_level(f.m, HEAP_SIZE).words == 190);
	look(&f, ATTACH + 4 * S, 199, 42);
	size(&f, 0, ATTACH + 5 * S, 43);
	CHECK(model_level(f.m, HEAP_SIZE).words == 199);
	/* The next program has nothing of it. */
	f.cb.restart(f.m, 0);
	CHECK(isnan(model_level(f.m, HEAP_SIZE).words));
	feed_close(&f);
}

TEST(growth_is_told_from_ten_seconds_on)
{
	struct feed f = feed_open(ATTACH);

	for (unsigned i = 0; i < 10; i++)
		look(&f, ATTACH + i * S, 1e6 + 1e5 * i, 1);
	CHECK(isnan(figure_heap_growth(f.m)));
	look(&f, ATTACH + 10 * S, 2e6, 1);
	CHECK_NEAR(figure_heap_growth(f.m), 60 * 8e5, 1e6);
	/* It is as long as somebody tells the size. */
	model_set_now(f.m, ATTACH + 16 * S);
	CHECK(isnan(figure_heap_growth(f.m)));
	feed_close(&f);
}

/* A heap that each cycle takes back to where it was does not grow, one that it takes back to more does. */
TEST(what_a_cycle_gives_back_is_no_growth)
{
	struct feed f = feed_open(ATTACH);

	for (unsigned i = 0; i < 90; i++)
		look(&f, ATTACH + i * S, 1e6 + 1e6 * (i % 7), 1);
	CHECK_NEAR(figure_heap_growth(f.m), 0, 0);
	for (unsigned i = 90; i < 160; i++)
		look(&f, ATTACH + i * S, 1e6 + 1e6 * (i % 7) + 1e5 * (i - 90), 1);
	CHECK_NEAR(figure_heap_growth(f.m), 60 * 8e5, 1e7);
	feed_close(&f);
}

/* A small heap that collections swing between two sizes many times a second: what a look of a second meets is chance. */
TEST(what_swings_is_no_growth)
{
	static const double seen[] = {
	    1.67, 3.4, 1.28, 2.2, 3.8, 1.9, 1.61, 2.9, 1.4, 3.1, 2.6, 3.7, 1.95, 2.4, 1.83};
	struct feed f = feed_open(ATTACH);

	for (unsigned i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
		look(&f, ATTACH + i * S, 1e6 * seen[i], 1);
		CHECK(isnan(figure_heap_growth(f.m)));
	}
	feed_close(&f);
}

/* A program that has loaded its data grows no more, though it has more than when it began. */
TEST(what_was_loaded_is_no_growth)
{
	struct feed f = feed_open(ATTACH);

	for (unsigned i = 0; i < 90; i++) {
		look(&f, ATTACH + i * S, i < 5 ? 5e6 * (i + 1) : 2.5e7, 1);
		if (i >= 14)
			CHECK_NEAR(figure_heap_growth(f.m), 0, 0);
	}
	feed_close(&f);
}

/* What a large heap grows by a little may be where in a cycle it was seen: no face has a figure for it. */
TEST(little_of_a_large_heap_is_not_known)
{
	struct feed f = feed_open(ATTACH);

	for (unsigned i = 0; i <= 60; i++)
		look(&f, ATTACH + i * S, 1e8 + 1.2e4 * i, 1);
	CHECK(isnan(figure_heap_growth(f.m)));
	feed_close(&f);
	f = feed_open(ATTACH);
	for (unsigned i = 0; i <= 60; i++)
		look(&f, ATTACH + i * S, 1e8 + 2.4e4 * i, 1);
	CHECK_NEAR(figure_heap_growth(f.m), 60 * 8 * 2.4e4, 1e6);
	feed_close(&f);
}

/* A heap of a megabyte to which a pool comes now and then. */
TEST(a_few_pools_are_no_growth)
{
	struct feed f = feed_open(ATTACH);

	for (unsigned i = 0; i < 60; i++) {
		look(&f, ATTACH + i * S, 1e5 + 4096 * (i / 3), 1);
		CHECK(i < 10 ? isnan(figure_heap_growth(f.m)) : figure_heap_growth(f.m) == 0);
	}
	feed_close(&f);
}

/* Where memory can't be read, events tell; what they told before the first look is of another source. */
TEST(sizes_of_events_grow_by_themselves)
{
	struct feed f = feed_open(ATTACH);

	for (unsigned i = 0; i <= 100; i++)
		size(&f, 0, ATTACH + i * S / 5, 1000000 + 10000 * i);
	CHECK_NEAR(figure_heap_growth(f.m), 60 * 8 * 5e4, 1e6);
	look(&f, ATTACH + 21 * S, 9e6, 1);
	CHECK(isnan(figure_heap_growth(f.m)));
	feed_close(&f);
}
