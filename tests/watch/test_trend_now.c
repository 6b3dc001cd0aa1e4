/*
 * test_trend_now.c - a trend that is read after each event, against one that is told the same and read
 * seldom: what waits in between makes no difference.
 */
#include <string.h>

#include "support/feed.h"
#include "watch/trend_private.h"

#define START (1000 * TREND_SECOND)

struct both {
	struct trend *often, *seldom;
	struct model *model;
	struct rtev_callbacks calls;
	bool odd; /* told of absurd amounts */
	uint64_t now, seed;
};

static unsigned loads;
static uint8_t bytes[2][2 * TREND_SAVED];

static void compare(struct both *b)
{
	size_t size = trend_save(b->often, bytes[0], sizeof(bytes[0]));

	CHECK(size > 0);
	CHECK(trend_save(b->seldom, bytes[1], sizeof(bytes[1])) == size);
	CHECK(memcmp(bytes[0], bytes[1], size) == 0);
}

/* Read a trend in one of the ways that there are, or go on with a copy or with what was saved. */
static struct trend *look(struct both *b, struct trend *t, uint64_t way)
{
	struct trend_span span;
	struct trend *other = NULL;
	size_t size;

	switch (way % 8) {
	case 0:
		trend_read(t, START, b->now, &span);
		return t;
	case 1:
		trend_read_tier(t, 2, START, b->now + TREND_SECOND, &span);
		return t;
	case 2:
		other = trend_copy(t);
		break;
	case 3:
		size = trend_save(t, bytes[0], sizeof(bytes[0]));
		other = trend_create(START);
		CHECK(other != NULL);
		/* A rate beyond all bounds is not taken for one. */
		if (!trend_load(other, bytes[0], size)) {
			trend_destroy(other);
			return t;
		}
		other->begin_at = t->begin_at;
		loads++;
		break;
	default:
		trend_flush(t);
		return t;
	}
	CHECK(other != NULL);
	trend_destroy(t);
	return other;
}

/* A stamp of the latest seconds, or of another time. */
static uint64_t stamp(struct both *b)
{
	uint64_t back = feed_below(&b->seed, 200);

	b->now += feed_below(&b->seed, back == 0 ? 4 * TREND_SECOND : back < 9 ? TREND_SECOND / 3 : 3000000);
	if (back == 9)
		return b->now - feed_below(&b->seed, 40 * TREND_SECOND);
	if (back == 10)
		return feed_random(&b->seed);
	return b->now - feed_below(&b->seed, back < 30 ? TREND_SECOND : 3000000);
}

/* A pause that ends at ts. */
static void pause_tell(struct both *b, uint64_t ts)
{
	uint64_t length = feed_below(&b->seed, UINT64_C(1) << feed_below(&b->seed, 33));
	uint64_t begin = ts > length ? ts - length : 0;

	trend_pause(b->often, begin, ts);
	trend_take_pause(b->seldom, begin, ts, hist_place(ts - begin));
}

/* What is rare. */
static void rare_tell(struct both *b, uint64_t ts)
{
	struct trend *each[] = {b->often, b->seldom};
	uint64_t what = feed_below(&b->seed, 8), value = feed_below(&b->seed, 100000);
	size_t saved = what == 6 ? trend_save(b->often, bytes[0], sizeof(bytes[0])) : 0;

	CHECK_INT(b->calls.counter(b->model, 0, b->now, RTEV_COUNTER_MINOR_PROMOTED, 1), RTEV_CONTINUE);
	for (unsigned i = 0; i < 2; i++) {
		struct trend *t = each[i];
		if (what == 0)
			trend_heap(t, 0, ts, (double)value);
		else if (what == 1)
			trend_events(t, ts > TREND_SECOND ? ts - TREND_SECOND : 0, ts, value);
		else if (what == 2)
			trend_lost(t, ts, value);
		else if (what == 3 && value % 20 == 0)
			trend_unread(t, b->model, 0, ts > value ? ts - value * 100000 : 0, ts);
		else if (what == 4)
			trend_life(t, b->model, 0, ts,
			    value % 2 != 0 ? RTEV_LIFECYCLE_RING_STOP : RTEV_LIFECYCLE_RING_START);
		else if (what == 5 && value % 20 == 0)
			trend_begin_at(t, b->now);
		else if (what == 6 && value % 20 == 0)
			loads += trend_fill(t, bytes[0], saved, b->now);
		else
			trend_advance(t, b->model, b->now, b->now - value);
	}
}

static void tell(struct both *b)
{
	/* Sometimes all that are kept of the shortest steps are over. */
	bool later = feed_below(&b->seed, 3000) == 0;
	b->now += later ? feed_below(&b->seed, 2 * TREND_SECONDS_STEPS * TREND_SECOND) : 0;
	uint64_t what = later ? 99 : feed_below(&b->seed, 100), ts = stamp(b);
	int64_t value = (int64_t)feed_below(&b->seed, 1u << 20) - 1000;

	if (what < 50) {
		pause_tell(b, ts);
	} else if (what < 70) {
		trend_allocated(b->often, ts, what == 69 && b->odd ? INT64_MAX : value);
		trend_take_allocated(b->seldom, ts, what == 69 && b->odd ? INT64_MAX : value);
	} else if (what < 97) {
		trend_promoted(b->often, ts, value);
		trend_take_promoted(b->seldom, ts, value);
	} else {
		rare_tell(b, ts);
	}
}

static void run(uint64_t seed)
{
	struct both b = {.seed = seed, .now = START, .odd = seed % 4 == 0};

	b.often = trend_create(START);
	b.seldom = trend_create(START);
	b.model = model_create(&(struct model_options){.attach_ts = START});
	CHECK(b.often != NULL && b.seldom != NULL && b.model != NULL);
	model_callbacks(&b.calls);
	CHECK_INT(b.calls.lifecycle(b.model, 0, START, RTEV_LIFECYCLE_RING_START, 1), RTEV_CONTINUE);
	for (unsigned i = 0; i < 30000; i++) {
		tell(&b);
		trend_flush(b.often);
		if (feed_below(&b.seed, 500) == 0) {
			uint64_t way = feed_random(&b.seed);
			b.often = look(&b, b.often, way);
			b.seldom = look(&b, b.seldom, way);
		}
		if (feed_below(&b.seed, 3000) == 0)
			compare(&b);
	}
	compare(&b);
	trend_finish(b.often, b.model);
	trend_finish(b.seldom, b.model);
	compare(&b);
	trend_destroy(b.often);
	trend_destroy(b.seldom);
	model_destroy(b.model);
}

static void test_read_seldom(void)
{
	for (uint64_t seed = 0; seed < 12; seed++)
		run(seed);
	CHECK(loads > 20);
}

/* Of more pauses in a step than its histogram can count, no percentiles are known. */
static void test_full_histogram(void)
{
	struct trend *t = trend_create(START);

	CHECK(t != NULL);
	trend_pause(t, START, START + 10);
	CHECK(t->now.to != 0);
	t->hot.hists[2]->count = UINT32_MAX - 2;
	trend_flush(t);
	for (unsigned i = 0; i < 4; i++) {
		CHECK((trend_cell_of(t, 2, START / (60 * TREND_SECOND))->flags & TREND_LATE) == 0 || i == 3);
		trend_take_pause(t, START + 10, START + 20, hist_place(10));
	}
	trend_flush(t);
	CHECK((trend_cell_of(t, 2, START / (60 * TREND_SECOND))->flags & TREND_LATE) != 0);
	CHECK((trend_cell_of(t, 1, START / (5 * TREND_SECOND))->flags & TREND_LATE) == 0);
	CHECK_INT(t->hists[0].count, 5);
	CHECK_INT(t->cells[START / TREND_SECOND % TREND_SECONDS_STEPS].pauses, 5);
	trend_destroy(t);
}

int main(void)
{
	RUN(test_read_seldom);
	RUN(test_full_histogram);
	return 0;
}
