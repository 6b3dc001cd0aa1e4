/*
 * test_cursor_joined.c - with the callback begin_end a poll delivers the same events: a begin and the end
 * that follows come in one call in place of two.
 */
#include "support/ring_image.h"
#include "support/test.h"

#define EVENTS_MAX 100000
#define WORDS 4096u

struct event {
	uint64_t ts;
	uint32_t what; /* 0: begin, 1: end, 2: counter, 3: a gap */
	uint32_t phase;
};

struct seen {
	struct event events[EVENTS_MAX];
	size_t count, joined;
};

static enum rtev_next add(struct seen *s, uint64_t ts, uint32_t what, uint32_t phase)
{
	CHECK(s->count < EVENTS_MAX);
	s->events[s->count++] = (struct event){ts, what, phase};
	return RTEV_CONTINUE;
}

static enum rtev_next on_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	return add(ctx, ts, 0, phase + domain * 0x10000u);
}

static enum rtev_next on_end(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	return add(ctx, ts, 1, phase + domain * 0x10000u);
}

static enum rtev_next on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	return add(ctx, ts, 2, counter + domain * 0x10000u);
}

static enum rtev_next on_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	return add(ctx, words, 3, domain * 0x10000u);
}

static enum rtev_next on_begin_end(void *ctx, unsigned domain, uint64_t begin, uint64_t end, rtev_phase phase)
{
	struct seen *s = ctx;

	s->joined++;
	on_begin(ctx, domain, begin, phase);
	return on_end(ctx, domain, end, phase);
}

static uint64_t below(uint64_t *seed, uint64_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 33) % limit;
}

/* Append random records, stamps that go back among them if asked for. */
static void write_some(struct ring_image *image, uint64_t *seed, bool falls)
{
	for (unsigned i = 0; i < 200; i++) {
		unsigned domain = (unsigned)below(seed, 2), id = 30 + (unsigned)below(seed, 4);

		if (falls && below(seed, 50) == 0)
			image->clock -= 35;
		switch (below(seed, 5)) {
		case 0:
			image_begin(image, domain, id);
			break;
		case 1:
			image_end(image, domain, id);
			break;
		case 2:
			image_counter(image, domain, 4, 7);
			break;
		default:
			image_begin(image, domain, id);
			image_end(image, domain, id);
			break;
		}
	}
}

/* Read it by two cursors, one with the callback, in polls of `max` events. */
static void check(uint64_t seed, uint64_t max, bool falls)
{
	static struct seen plain, joined;
	const struct rtev_callbacks one = {.size = sizeof(one),
	    .begin = on_begin,
	    .end = on_end,
	    .counter = on_counter,
	    .corrupt = on_corrupt};
	struct rtev_callbacks two = one;
	struct ring_image *image = image_make(LAYOUT_5_1, 2, WORDS);

	two.begin_end = on_begin_end;
	plain.count = joined.count = joined.joined = 0;
	struct rtev_cursor *a = image_open(image, RTEV_RELEASE_5_3);
	struct rtev_cursor *b = image_open(image, RTEV_RELEASE_5_3);
	for (unsigned round = 0; round < 60; round++) {
		uint64_t took, other, had;
		write_some(image, &seed, falls);
		do {
			had = joined.count;
			CHECK_INT(rtev_cursor_poll(a, &one, &plain, max, &took), RTEV_OK);
			CHECK_INT(rtev_cursor_poll(b, &two, &joined, max, &other), RTEV_OK);
			CHECK_INT(took, other);
			CHECK_INT(plain.count, joined.count);
		} while (joined.count > had);
	}
	for (size_t i = 0; i < plain.count; i++) {
		CHECK_INT(plain.events[i].ts, joined.events[i].ts);
		CHECK_INT(plain.events[i].what, joined.events[i].what);
		CHECK_INT(plain.events[i].phase, joined.events[i].phase);
	}
	CHECK(plain.count > 12000);
	CHECK(max == 1 ? joined.joined == 0 : joined.joined > (falls ? 100 : 1000));
}

TEST(same_events)
{
	static const uint64_t sizes[] = {0, 1, 2, 3, 17, 100};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		check(i + 1, sizes[i], false);
		check(i + 1, sizes[i], true);
	}
}
