/*
 * test_hist.c - percentiles against a sorted list, over all magnitudes.
 */
#include "model/hist.h"
#include "support/test.h"

#define VALUES_MAX 20000

/* A pseudo-random number that looks the same on every run. */
static uint64_t scramble(uint64_t n)
{
	n = (n + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	n = (n ^ n >> 27) * 0x94d049bb133111ebu;
	return n ^ n >> 31;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Every percentile of a histogram of these values is within 1 % of that of the sorted list. */
static void expect_percentiles(uint64_t *values, size_t n)
{
	static const struct {
		unsigned num, den;
	} ps[] = {{1, 100}, {10, 100}, {50, 100}, {90, 100}, {99, 100}, {999, 1000}, {9999, 10000}};
	struct hist h = {0};
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		CHECK(hist_add(&h, values[i]));
		sum = sum + values[i] < sum ? UINT64_MAX : sum + values[i];
	}
	qsort(values, n, sizeof(values[0]), by_value);
	CHECK(h.count == n && h.sum == sum);
	CHECK(h.min == values[0] && h.max == values[n - 1]);
	CHECK(hist_percentile(&h, 100, 100) == values[n - 1]);
	for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++) {
		size_t rank = (n * ps[i].num + ps[i].den - 1) / ps[i].den;
		uint64_t want = values[rank - 1];
		uint64_t have = hist_percentile(&h, ps[i].num, ps[i].den);

		CHECK((rank > 1 && rank < n) || have == want);
		if ((have > want ? have - want : want - have) > want / 100)
			TEST_FAIL("%zu values, percentile %u/%u: %" PRIu64 ", expected %" PRIu64, n,
			    ps[i].num, ps[i].den, have, want);
	}
	hist_fini(&h);
	CHECK_INT(h.count, 0);
}

TEST(percentiles_follow_the_sorted_list)
{
	static uint64_t values[VALUES_MAX];
	static const size_t sizes[] = {1, 2, 3, 10, 99, 100, 101, 1000, 1001, VALUES_MAX};

	for (unsigned bits = 1; bits <= 64; bits += 3) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			for (size_t i = 0; i < sizes[s]; i++) {
				uint64_t r = scramble(i * 131 + bits);

				/* spread over the octaves up to `bits`, not only the highest */
				values[i] = r >> (64 - bits) >> (r % bits);
			}
			expect_percentiles(values, sizes[s]);
		}
	}
}

TEST(bounds_of_buckets_fit_together)
{
	struct hist h = {0};
	struct hist_bucket bucket;
	unsigned position = 0;
	uint64_t count = 0, last = 0;

	for (unsigned e = 0; e < 64; e++) {
		uint64_t edge = (uint64_t)1 << e;

		CHECK(hist_add(&h, edge));
		CHECK(hist_add(&h, edge - 1));
	}
	CHECK(hist_add(&h, UINT64_MAX));
	while (hist_next(&h, &position, &bucket)) {
		CHECK(bucket.low <= bucket.high && bucket.count > 0);
		CHECK(count == 0 || bucket.low > last);
		CHECK(bucket.low < 64 ? bucket.low == bucket.high
				      : (bucket.high - bucket.low) <= bucket.low / 64);
		last = bucket.high;
		count += bucket.count;
	}
	CHECK_INT(count, h.count);
	CHECK(last == UINT64_MAX);
	CHECK(!hist_next(&h, &position, &bucket));
	hist_fini(&h);
}

TEST(empty_and_zero)
{
	struct hist h = {0};
	struct hist_bucket bucket;
	unsigned position = 0;

	CHECK_INT(hist_percentile(&h, 50, 100), 0);
	CHECK(!hist_next(&h, &position, &bucket));
	CHECK(hist_add(&h, 0));
	CHECK_INT(hist_percentile(&h, 50, 100), 0);
	CHECK_INT(h.min, 0);
	CHECK(hist_add(&h, 7));
	CHECK_INT(hist_percentile(&h, 50, 100), 0);
	CHECK_INT(hist_percentile(&h, 51, 100), 7);
	hist_fini(&h);
	hist_fini(&h);
}

TEST(merging_is_adding)
{
	struct hist all = {0}, a = {0}, b = {0}, empty = {0};

	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t value = scramble(i) >> (i % 3 == 0 ? 20 : 50);

		CHECK(hist_add(&all, value));
		CHECK(hist_add(i % 3 == 0 ? &a : &b, value));
	}
	CHECK(hist_merge(&a, &b));
	CHECK(hist_merge(&a, &empty));
	CHECK(hist_merge(&empty, &a));
	CHECK(a.count == all.count && a.sum == all.sum && a.min == all.min && a.max == all.max);
	CHECK(empty.count == all.count && empty.sum == all.sum && empty.min == all.min);
	for (unsigned p = 1; p < 1000; p++) {
		CHECK(hist_percentile(&a, p, 1000) == hist_percentile(&all, p, 1000));
		CHECK(hist_percentile(&empty, p, 1000) == hist_percentile(&all, p, 1000));
	}
	hist_fini(&all);
	hist_fini(&a);
	hist_fini(&b);
	hist_fini(&empty);
}

/* Values that are added in batches, the last of them incomplete. */
TEST(reserved_values_are_added_at_once)
{
	struct hist at_once = {0}, later = {0};
	uint32_t values[HIST_AT_ONCE];
	unsigned count = 0;

	for (uint64_t i = 0; i < 3001; i++) {
		uint32_t value = (uint32_t)(scramble(i) >> (i % 3 == 0 ? 32 : 50));

		CHECK(hist_add(&at_once, value));
		CHECK(hist_reserve(&later, value) && hist_has_room(later.held, value));
		values[count++] = value;
		if (count == HIST_AT_ONCE || i == 3000) {
			hist_add_reserved(&later, values, count);
			count = 0;
		}
	}
	CHECK(later.count == at_once.count && later.sum == at_once.sum && later.min == at_once.min &&
	      later.max == at_once.max);
	struct hist_bucket want, got;
	unsigned position = 0, other = 0;
	while (hist_next(&at_once, &position, &want)) {
		CHECK(hist_next(&later, &other, &got));
		CHECK(got.low == want.low && got.high == want.high && got.count == want.count);
	}
	CHECK(!hist_next(&later, &other, &got));
	hist_fini(&at_once);
	hist_fini(&later);
}

TEST(sums_stay_at_their_end)
{
	struct hist h = {0}, twice = {0};

	CHECK(hist_add(&h, UINT64_MAX));
	CHECK(hist_add(&h, 1));
	CHECK(h.sum == UINT64_MAX);
	CHECK(hist_merge(&twice, &h) && hist_merge(&twice, &h));
	CHECK(twice.sum == UINT64_MAX);
	CHECK_INT(twice.count, 4);
	/* How far beyond it the sum was, nobody knows. */
	CHECK(hist_take(&h, 1));
	CHECK(h.sum == UINT64_MAX);
	CHECK_INT(h.count, 1);
	hist_fini(&h);
	hist_fini(&twice);
}

/* The bytes that a histogram has allocated. */
static size_t hist_bytes(const struct hist *h)
{
	size_t bytes = h->present * sizeof(struct hist_octave *);

	for (unsigned i = 0; i < h->present; i++)
		if (h->octaves[i] != NULL)
			bytes += sizeof(struct hist_octave);
	return bytes;
}

/* What is allocated is what adding was said to take. */
TEST(growth_is_told)
{
	static const uint64_t values[] = {5000, 5001, 1, 0, UINT64_MAX, 63, 64, 1u << 20, 5002, 1u << 30, 77};
	struct hist h = {0};

	CHECK_INT(hist_bytes(&h), 0);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		size_t before = hist_bytes(&h), growth = hist_growth(&h, values[i]);
		CHECK(hist_add(&h, values[i]));
		CHECK_INT(hist_bytes(&h), before + growth);
		CHECK(hist_reserve(&h, values[i]));
		CHECK_INT(hist_bytes(&h), before + growth);
		CHECK_INT(hist_growth(&h, values[i]), 0);
	}
	CHECK(hist_bytes(&h) > 6 * sizeof(struct hist_octave));
	hist_fini(&h);
	CHECK_INT(hist_bytes(&h), 0);
}
