/*
 * test_growth.c - what the memory of a program without events has counted: each word once, whoever counted it.
 */
#include "support/test.h"

#include "figures/figures.h"
#include "observation/process.h"

#define SECOND UINT64_C(1000000000)
#define ATTACH (100 * SECOND)
#define DOMAINS 3

/* What each domain allocates in a second, in words; its minor heap is emptied each three seconds. */
static const uint64_t allocates[DOMAINS] = {50000, 70000, 0};

/* Words that the model counts. */
static uint64_t counted(const struct model *m)
{
	int64_t bytes = 0;

	MODEL_FOREACH (d, m)
		bytes += figure_counts(d).allocated;
	return (uint64_t)bytes / 8;
}

/* The last domain ends after five seconds, or after none.  What it counted is in the sum then, and what a minor collection
 * takes from the minor heap of another one into that sum is no allocation of the one that has ended.  If the sum is not
 * known, nor is what the domain allocated in its last second. */
static void check(unsigned ends, bool known)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = ATTACH});
	struct growth *g = growth_create();
	struct runtime_sample s = {.domain_count = DOMAINS, .running = DOMAINS};
	uint64_t all = 0;

	CHECK(m != NULL && g != NULL);
	model_off(m, ATTACH);
	for (unsigned i = 0; i < DOMAINS; i++)
		s.domains[i] = (struct runtime_domain){.slot = i, .unique = i};
	CHECK(growth_waits(g, m));
	for (unsigned second = 0; second < 20; second++) {
		s.ts = ATTACH + second * SECOND;
		for (unsigned i = 0; i < s.domain_count; i++) {
			struct runtime_domain *d = &s.domains[i];
			const uint64_t words = i == DOMAINS - 1 ? 90000 : allocates[i];
			d->young_used_words += words;
			all += words;
			if (second % 3 != 2 && second != ends)
				continue;
			d->minor_words += d->young_used_words;
			s.minor_words += d->young_used_words;
			d->young_used_words = 0;
		}
		if (second == ends)
			s.domain_count = s.running = DOMAINS - 1;
		if (!known) {
			s.minor_words = RUNTIME_UNKNOWN;
			all -= second == ends ? 90000 : 0;
		}
		s.minor_collections += second % 3 == 2 || second == ends;
		const bool silent = growth_goes_on(g, m);
		if (second == 0)
			growth_begin(g, &s, false, m);
		else
			growth_take(g, &s, false, silent, m);
		if (second == 0)
			all = 0;
		CHECK_INT(counted(m), all);
	}
	growth_destroy(g);
	model_destroy(m);
}

TEST(each_word_is_counted_once)
{
	check(5, true);
	check(20, true);
	check(5, false);
	check(20, false);
}
