/*
 * test_memtrace_parts.c - what the sites are made of, against plain arrays and known answers: the table of
 * live objects, the frequent pairs, the estimates.
 */
#include <math.h>
#include <string.h>

#include "sites/estimate.h"
#include "sites/hot_private.h"
#include "sites/live.h"
#include "support/test.h"
#include "support/test_memtrace_data.h"

/* The table of live objects against a plain array; it gives memory back. */
TEST(test_live)
{
	struct sites_live live = {0};
	static bool alive[5000];
	uint64_t random = 9;
	size_t count = 0, largest = 0;

	for (int i = 0; i < 200000; i++) {
		int64_t id = (int64_t)(next_random(&random) % 5000);
		/* First it fills, then it empties. */
		bool add = next_random(&random) % 100 < (i < 100000 ? 70 : 20);
		struct sites_object *found = sites_live_slot(&live, id - 2500);
		CHECK(found != NULL && (found->samples != 0) == alive[id]);
		CHECK(found->samples == 0 || (found->leaf == (uint32_t)id && found->id == id - 2500));
		if (found->samples == 0 && add) {
			struct sites_object object = {
			    .id = id - 2500, .leaf = (uint32_t)id & SITES_NO_LEAF, .samples = 1};
			sites_live_put(&live, found, &object);
			alive[id] = true;
			count++;
		} else if (found->samples != 0 && !add) {
			sites_live_remove(&live, found);
			alive[id] = false;
			count--;
		}
		CHECK_INT(live.count, count);
		largest = live.size > largest ? live.size : largest;
	}
	for (int64_t id = 0; id < 5000; id++) {
		struct sites_object *found = sites_live_slot(&live, id - 2500);
		if (found->samples != 0)
			sites_live_remove(&live, found);
	}
	CHECK_INT(live.count, 0);
	CHECK(largest >= 4096 && live.size == 64);
	sites_live_fini(&live);
}

/* The summary of pairs against the definition, taken word for word. */
TEST(test_pairs)
{
	struct sites_pairs pairs;
	enum { KEYS = 40000 };
	static struct {
		uint64_t hits, misses;
		bool held;
	} plain[KEYS];
	uint64_t random = 21;
	size_t held = 0;

	CHECK(sites_pairs_init(&pairs));
	for (int i = 0; i < 120000; i++) {
		uint64_t r = next_random(&random);
		size_t key = r % 4 == 0 ? (r >> 8) % 100 : (r >> 8) % KEYS;
		if (!sites_pairs_add(&pairs, (uint32_t)key, (uint32_t)key * 7))
			sites_pairs_sweep(&pairs);
		if (plain[key].held) {
			plain[key].hits++;
		} else if (held < SITES_PAIRS_MAX) {
			plain[key].hits = 1;
			plain[key].misses = 0;
			plain[key].held = true;
			held++;
		} else {
			for (size_t j = 0; j < KEYS; j++) {
				if (plain[j].held && plain[j].hits <= ++plain[j].misses) {
					plain[j].held = false;
					held--;
				}
			}
		}
	}
	CHECK_INT(pairs.count, held);
	for (size_t i = 0, n = 0; i < SITES_PAIRS_MAX; i++) {
		const struct sites_pair *pair = &pairs.list[i];
		if (pair->order == 0)
			continue;
		CHECK(++n <= pairs.count);
		CHECK(plain[pair->a].held && pair->b == pair->a * 7);
		CHECK_INT(pair->hits, plain[pair->a].hits);
	}
	CHECK(pairs.misses > 3);
	sites_pairs_fini(&pairs);
}

/* Estimates by known answers. */
TEST(test_estimates)
{
	struct sites_estimate e = sites_words(100, 1e-3);

	CHECK(e.known);
	CHECK_NEAR(e.value, 1e5, 1e-6);
	CHECK_NEAR(e.error, 1e4, 10);
	/* The exact interval of a Poisson count of 100 is 81.364 to 121.627. */
	CHECK_NEAR(e.low, 81364, 60);
	CHECK_NEAR(e.high, 121627, 60);
	e = sites_words(0, 1e-3);
	CHECK(e.known && e.value == 0 && e.error == 0 && e.low == 0);
	CHECK_NEAR(e.high, 3689, 60);
	e = sites_words(1, 1e-3);
	CHECK_NEAR(e.low, 25.3, 60);
	CHECK_NEAR(e.high, 5572, 60);
	/* Every word sampled: nothing is left to chance. */
	e = sites_words(12, 1);
	CHECK(e.value == 12 && e.error == 0 && e.low == 12 && e.high == 12);
	CHECK(!sites_words(12, 0).known);
	e = sites_share(5, 10);
	CHECK_NEAR(e.value, 0.5, 1e-12);
	CHECK_NEAR(e.low, 0.23659, 1e-4);
	CHECK_NEAR(e.high, 0.76341, 1e-4);
	CHECK_NEAR(e.error, (0.76341 - 0.23659) / (2 * 1.96), 1e-4);
	/* None of twenty is no certainty. */
	e = sites_share(0, 20);
	CHECK(e.value == 0 && e.low == 0);
	CHECK_NEAR(e.error, 0.04110, 1e-4);
	CHECK_NEAR(e.high, 0.16113, 1e-4);
	CHECK(!sites_share(0, 0).known);

	struct sites_counts counts = {.collected = 4, .life = 10e6, .life_squares = 30e12};
	e = sites_lifetime(&counts); /* 1, 2, 3, 4 */
	CHECK_NEAR(e.value, 2.5, 1e-12);
	CHECK_NEAR(e.error, 0.645497, 1e-5);
	CHECK_NEAR(e.high - e.low, 2 * 1.96 * 0.645497, 1e-4);
	counts = (struct sites_counts){.collected = 1, .life = 3e6, .life_squares = 9e12};
	e = sites_lifetime(&counts);
	CHECK(e.known && e.value == 3 && isnan(e.error) && e.low == 0 && isinf(e.high));
	/* As exact as a number can be. */
	counts = (struct sites_counts){.collected = 4, .life = 2110, .life_squares = 1200000};
	CHECK(sites_lifetime(&counts).value == 0.0005275);
	counts.collected = 0;
	CHECK(!sites_lifetime(&counts).known);
	CHECK(!sites_growth(&counts, 0).known);
}
