/*
 * test_cursor_restart.c - a file that is begun anew under the reader: by the same program, by another, in
 * another layout; or that is cut off.
 */
#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

/* Poll and expect a failure. */
static void expect_status(struct rtev_cursor *cursor, int status)
{
	struct recorder r = {0};
	uint64_t consumed = 77;

	CHECK_INT(recorder_try(&r, cursor, 0, &consumed), status);
	CHECK_INT(consumed, 0);
	EXPECT(&r, "");
}

/* Indexes that fall to 0 are a restart; the new ring is read from its first record. */
TEST(indexes_fall_to_zero)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
	struct recorder r = {0};

	image_fill(image, 0, 3);
	image_fill(image, 1, 1);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(recorder_poll(&r, cursor, 0), 4);
	recorder_clear(&r);
	image_restart(image);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	EXPECT(&r, "0 restart\n1 restart\n");
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	EXPECT(&r, "");
	image_end(image, 0, 1);
	EXPECT_POLL(&r, cursor, "0 1050 end explicit_gc_stat\n");
}

/* A tail that fell and stays above the position is a restart too: what it stands behind is other words. */
TEST(tail_stays_above_the_position)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {0};

	image_fill(image, 0, 10);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(recorder_poll(&r, cursor, 1), 1);
	recorder_clear(&r);
	image_restart(image);
	image_end(image, 0, 1);
	image_end(image, 0, 2);
	CHECK_INT(image_tail(image, 0), 4);
	EXPECT_POLL(&r, cursor,
	    "0 lost 18 (0)\n0 restart\n0 1110 end explicit_gc_stat\n0 1120 end explicit_gc_minor\n");
}

/* A new ring that has outgrown the old one shows by its first record, or by its head. */
TEST(new_ring_longer_than_the_old)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {0};

	image_fill(image, 0, 2);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(recorder_poll(&r, cursor, 0), 2);
	recorder_clear(&r);
	image_restart(image);
	for (unsigned i = 0; i < 4; i++)
		image_end(image, 0, i);
	EXPECT_POLL(&r, cursor,
	    "0 restart\n0 1030 end explicit_gc_set\n0 1040 end explicit_gc_stat\n"
	    "0 1050 end explicit_gc_minor\n0 1060 end explicit_gc_major\n");
	/* The same tail as before. */
	image_restart(image);
	image_fill(image, 0, 4);
	CHECK_INT(recorder_poll(&r, cursor, 0), 4);
	CHECK_INT(r.counts[EVENT_RESTART], 1);
	recorder_clear(&r);
	/* One that had wrapped, and whose successor's head is lower for a record more that it holds. */
	image_fill(image, 0, 30);
	CHECK_INT(recorder_poll(&r, cursor, 0), 30);
	CHECK_INT(image_head(image, 0), 6);
	CHECK_INT(image_tail(image, 0), 68);
	image_poke(image, 0, 5, header_make(3, RECORD_COUNTER, 0));
	image_poke(image, 0, 6, 1000);
	image_set(image, 0, 5, 68);
	recorder_clear(&r);
	CHECK_INT(recorder_poll(&r, cursor, 0), 1 + 30);
	CHECK_INT(r.counts[EVENT_RESTART], 1);
	CHECK_INT(r.lost, 5);
	recorder_clear(&r);
}

/* What a new ring overwrote before it was looked at is lost, and no history; so is what was unread of the
 * old. */
TEST(new_ring_that_has_wrapped)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {0};

	image_set(image, 0, 640, 640);
	image_fill(image, 0, 50);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	image_restart(image);
	for (unsigned i = 0; i < 36; i++)
		image_end(image, 0, i % 9);
	CHECK_INT(image_head(image, 0), 10);
	recorder_poll(&r, cursor, 1);
	EXPECT(&r, "0 lost 740 (678)\n0 restart\n0 lost 10 (0)\n0 1560 end explicit_gc_compact\n");
}

/* A writer that resets its indexes is caught between the two: nothing is read, and nothing is made of it. */
TEST(caught_between_head_and_tail)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {0};

	image_fill(image, 0, 100);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(recorder_poll(&r, cursor, 0), 31);
	recorder_clear(&r);
	image_set(image, 0, 0, image_tail(image, 0));
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	EXPECT(&r, "");
	image_set(image, 0, 0, 0);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	EXPECT(&r, "0 restart\n");
}

/* Begin the file anew from inside a callback. */
static enum rtev_next begin_anew(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	struct ring_image *image = r->context;
	if (r->events == 5) {
		image_restart(image);
		image_end(image, 0, 0);
	}
	return RTEV_CONTINUE;
}

/* A ring begun anew while it is read: what had been copied is delivered, the rest is lost. */
TEST(restart_in_mid_visit)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 8192);
	struct recorder r = {.silent = true, .hook = begin_anew, .context = image};

	image_fill(image, 0, 4000);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	/* A batch of 2048 words was copied when the first event was delivered. */
	CHECK_INT(recorder_poll(&r, cursor, 0), 1024);
	CHECK_INT(r.lost + r.corrupt, 0);
	CHECK_INT(recorder_poll(&r, cursor, 0), 1);
	CHECK_INT(r.lost, 8000 - 2048);
	CHECK_INT(r.counts[EVENT_RESTART], 1);
	CHECK_INT(r.counts[EVENT_END], 1);
}

/* Records of the same stamps, heads that only move on, and rings that were empty are no restart. */
TEST(no_restart)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
	struct recorder r = {.silent = true};

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	for (int i = 0; i < 500; i++) {
		image_record(image, 0, 5, RECORD_BEGIN, 0, NULL, 0);
		image_counter(image, 1, 0, i);
		recorder_poll(&r, cursor, (uint64_t)(i % 3));
	}
	CHECK_INT(r.counts[EVENT_RESTART], 0);
}

/* A corrupt stretch, and a footing sought, are forgotten with the old ring. */
TEST(restart_in_a_corrupt_ring)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {0};

	image_fill(image, 0, 1);
	image_raw(image, 0, (uint64_t[]){1, 3, 5}, 3);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	EXPECT_POLL(&r, cursor, "0 1010 begin explicit_gc_set\n0 corrupt 3\n");
	image->clock = 0;
	image_restart(image);
	image->clock = 0;
	/* Stamps below those of the old ring are good ones, also right behind a corrupt word. */
	image_raw(image, 0, (uint64_t[]){1}, 1);
	image_end(image, 0, 0);
	image_end(image, 0, 1);
	EXPECT_POLL(
	    &r, cursor, "0 restart\n0 corrupt 1\n0 10 end explicit_gc_set\n0 20 end explicit_gc_stat\n");
}

/* skip does not hide a restart, nor does it bring back what it skipped. */
TEST(skip_over_a_restart)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {0};

	image_fill(image, 0, 10);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	image_restart(image);
	image_fill(image, 0, 3);
	CHECK_INT(rtev_cursor_skip(cursor), RTEV_OK);
	image_end(image, 0, 0);
	EXPECT_POLL(&r, cursor, "0 restart\n0 1140 end explicit_gc_set\n");
}

/* Any number of the header that changes is another layout: the poll says so, also again and again, and reads
 * nothing. */
TEST(another_layout)
{
	static const struct {
		size_t word;
		uint64_t value;
	} changes[] = {{0, 2}, {1, 1}, {1, 4}, {2, 64}, {2, 88}, {3, 256}, {4, 32}, {4, 63}, {5, 72},
	    {6, 656}, {6, 8}, {7, 0}, {7, 1 << 30}, {0, 99}, {1, UINT64_MAX}, {5, UINT64_MAX - 7},
	    {6, UINT64_MAX - 7}};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
		struct recorder r = {.silent = true};
		image_fill(image, 0, 5);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		CHECK_INT(recorder_poll(&r, cursor, 2), 2);
		uint64_t *word = (uint64_t *)(void *)image->base + changes[i].word, old = *word;
		*word = changes[i].value;
		expect_status(cursor, RTEV_E_CHANGED);
		expect_status(cursor, RTEV_E_CHANGED);
		struct rtev_scan scan = {.size = sizeof(scan)};
		CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
		expect_status(cursor, RTEV_E_CHANGED);
		/* A writer that lays out the same file again comes through such states. */
		*word = old;
		CHECK_INT(recorder_poll(&r, cursor, 0), 3);
	}
}

/* A header of zeros is what is left of a file that was cut off. */
TEST(zeroed_header)
{
	for (size_t words = 1; words <= 8; words++) {
		struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
		image_fill(image, 0, 5);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		memset(image->base, 0, words * 8);
		expect_status(cursor, RTEV_E_TRUNCATED);
		memset(image->base, 0, image->size);
		expect_status(cursor, RTEV_E_TRUNCATED);
	}
}

/* An empty ring whose file is cut off has no indexes that could fall; the header tells all the same. */
TEST(zeroed_before_the_first_event)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	memset(image->base, 0, image->size);
	expect_status(cursor, RTEV_E_TRUNCATED);
}

/* Ring words cut off alone are corrupt words. */
TEST(zeroed_words)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
	struct recorder r = {0};

	image_fill(image, 0, 5);
	image_fill(image, 1, 1);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	memset(image_words(image, 0), 0, 64 * 8);
	EXPECT_POLL(&r, cursor, "0 corrupt 10\n1 1060 begin explicit_gc_set\n");
}

struct relayout {
	struct ring_image *image;
	bool zero;
};

/* Lay the file out anew from inside a callback. */
static enum rtev_next lay_out_anew(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	struct relayout *l = r->context;
	if (l->zero)
		l->image->metadata->version = 0;
	else
		l->image->metadata->ring_words = 32;
	image_set(l->image, 1, 0, 0);
	return RTEV_CONTINUE;
}

/* A layout that changes in the middle of a poll is noticed at the first ring begun anew, and what was
 * delivered till then is told. */
TEST(changed_in_mid_poll)
{
	for (int zero = 0; zero < 2; zero++) {
		struct ring_image *image = image_make(LAYOUT_5_1, 3, 64);
		struct relayout l = {.image = image, .zero = zero != 0};
		struct recorder r = {.hook = lay_out_anew, .context = &l};
		uint64_t consumed;
		for (unsigned d = 0; d < 3; d++)
			image_fill(image, d, 1);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		CHECK_INT(recorder_try(&r, cursor, 0, &consumed), zero ? RTEV_E_TRUNCATED : RTEV_E_CHANGED);
		CHECK_INT(consumed, 1);
		EXPECT(&r, "0 1010 begin explicit_gc_set\n");
	}
}

/* Where 5.0 leaves a stale word, the word of another program that follows in the same file is another layout,
 * since its names lie beyond what was mapped. */
TEST(names_beyond_the_mapping)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_0);
	image_restart(image);
	image->metadata->names_offset = image->size;
	expect_status(cursor, RTEV_E_CHANGED);
	image_close(image);
	/* The same word from the start is only stale. */
	struct recorder r = {.silent = true};
	cursor = image_open(image, RTEV_RELEASE_5_0);
	image_fill(image, 0, 1);
	CHECK_INT(recorder_poll(&r, cursor, 0), 1);
}
