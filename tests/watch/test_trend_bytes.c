/*
 * test_trend_bytes.c - a trend as bytes, and nonsense: of a saved trend, and of a hostile target.
 */
#include "support/trend_story.h"
#include "watch/trend_private.h"

static struct story story;

/* What is saved comes back whole, and goes on as the other does; cut or changed it is nothing at all, or a
 * trend. */
static void test_bytes(void)
{
	static uint8_t bytes[TREND_SAVED], again[TREND_SAVED];

	story_begin(&story, 21);
	while (story.now - ATTACH < 9 * DAY)
		act(&story, 12 * HOUR);
	for (int i = 0; i < 3000; i++)
		act(&story, SECOND);
	size_t size = trend_save(watch_trend(story.w), bytes, sizeof(bytes));
	CHECK(size > 1000 && size < sizeof(bytes));
	struct trend *copy = trend_create(ATTACH);
	CHECK(copy != NULL && trend_load(copy, bytes, size));
	struct trend *t = watch_trend(story.w);
	CHECK(memcmp(copy->cells, t->cells, sizeof(t->cells)) == 0);
	CHECK_INT(copy->alive, t->alive);
	CHECK_INT(copy->settled, t->settled);
	CHECK_INT(trend_save(copy, again, sizeof(again)), size);
	CHECK(memcmp(bytes, again, size) == 0);
	/* With less room the oldest is left out, down to nothing. */
	for (size_t room = size; room > 8; room = room * 3 / 4) {
		size_t less = trend_save(t, again, room);
		CHECK(less <= room);
		if (less > 0)
			CHECK(trend_load(copy, again, less) && copy->tiers[0].head == t->tiers[0].head);
	}
	/* Foreign bytes. */
	for (size_t cut = 0; cut < size; cut += 1 + cut / 50)
		CHECK(!trend_load(copy, bytes, cut));
	for (uint64_t i = 0; i < 3000; i++) {
		struct trend_span span;
		memcpy(again, bytes, size);
		for (uint64_t k = below(&story, 4) + 1; k > 0; k--)
			again[below(&story, i % 2 == 0 ? 300 : size)] = (uint8_t)below(&story, 256);
		if (trend_load(copy, again, size))
			for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++)
				trend_read_tier(copy, tier, 0, UINT64_MAX, &span);
	}
	struct trend *file = trend_create(0);
	CHECK(file != NULL && !trend_load(file, bytes, size));
	trend_destroy(file);
	trend_destroy(copy);
	watch_destroy(story.w);
}

/* Nonsense of a hostile target: stamps of any size end nothing and take no time. */
static void test_nonsense(void)
{
	story_begin(&story, 13);
	struct model *m = watch_model(story.w);
	struct trend_span t;

	one_pause(&story, 0);
	look(&story);
	uint64_t good = story.now;
	for (int i = 0; i < 200; i++) {
		story.calls.corrupt(m, 0, 1);
		story.calls.begin(m, 0, below(&story, 1000), RTEV_PHASE_MINOR);
		story.calls.end(m, 0, i % 2 == 0 ? UINT64_MAX : good + TREND_WEEK - SECOND, RTEV_PHASE_MINOR);
		story.calls.counter(m, 0, UINT64_MAX - 1, RTEV_COUNTER_MINOR_ALLOCATED, -1);
		story.calls.counter(m, 0, UINT64_MAX - 1, RTEV_COUNTER_MAJOR_HEAP_WORDS, INT64_MIN);
		look(&story);
	}
	trend_read_tier(watch_trend(story.w), 2, 0, UINT64_MAX, &t);
	trend_read(watch_trend(story.w), UINT64_MAX - 1, UINT64_MAX, &t);
	CHECK(trend_tier_of(watch_trend(story.w), UINT64_MAX) < TREND_TIER_COUNT);
	watch_finish(story.w);
	watch_destroy(story.w);
}

/* A saved trend whose seen time ends centuries after its last step: reading it and going on with it ends. */
static void test_far_tail(void)
{
	static uint8_t bytes[TREND_SAVED];
	struct trend_span span;
	struct trend *t = trend_create(ATTACH);
	struct trend *bad = trend_create(ATTACH);
	const uint64_t far = ATTACH + 500 * 52 * TREND_WEEK;

	story_begin(&story, 22);
	one_pause(&story, 0);
	look(&story);
	CHECK(trend_load(bad, bytes, trend_save(watch_trend(story.w), bytes, sizeof(bytes))));
	bad->tail_to = far;
	CHECK(trend_load(t, bytes, trend_save(bad, bytes, sizeof(bytes))));
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		CHECK(trend_read_tier(t, tier, 0, UINT64_MAX, &span));
		CHECK_INT(span.pauses, 1);
		CHECK_INT(span.seen_ns, far - bad->seen_from);
	}
	bad->settled = far;
	CHECK(trend_load(t, bytes, trend_save(bad, bytes, sizeof(bytes))));
	trend_advance(t, watch_model(story.w), far, far);
	trend_finish(t, watch_model(story.w));
	CHECK(t->folded >= far / TREND_SECOND);
	trend_destroy(bad);
	trend_destroy(t);
	watch_destroy(story.w);
}

int main(void)
{
	RUN(test_bytes);
	RUN(test_nonsense);
	RUN(test_far_tail);
	return 0;
}
