/*
 * test_cursor_corrupt.c - records that make no sense: exactly those words are skipped and reported, what
 * follows and what stands in other rings is delivered, and nothing is endless.
 */
#include "ring/cursor_state.h"
#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

/* A number from a fixed sequence. */
static uint64_t chance(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed ^ *seed >> 29;
}

/* Append words of noise, none of which could be a header. */
static void noise(struct ring_image *image, unsigned domain, unsigned count)
{
	uint64_t seed = count;

	for (unsigned i = 0; i < count; i++)
		image_raw(image, domain, &(uint64_t){chance(&seed) | 1}, 1);
}

/* Read an image to its end, in polls of each of several sizes, and check the counts. */
static void expect_counts(
    struct ring_image *image, uint64_t events, uint64_t corrupt, uint64_t stretches, uint64_t lost)
{
	static const uint64_t bounds[] = {0, 100, 3, 1};

	/* Each poll of few events copies a thousand words: not for so many. */
	for (size_t i = 0; i < (events > 500 ? 2u : 4u); i++) {
		struct recorder r = {.silent = true};
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		uint64_t polls = 0;
		while (recorder_poll(&r, cursor, bounds[i]) != 0)
			if (++polls > events + stretches + 10)
				TEST_FAIL("no end");
		CHECK_INT(r.events, events);
		CHECK_INT(r.corrupt, corrupt);
		CHECK_INT(r.counts[EVENT_CORRUPT], stretches);
		CHECK_INT(r.lost + r.history, lost);
		image_close(image);
	}
}

/* Put one bad stretch between good events, on the middle of three rings, and check that just it is
 * skipped. */
static void check_stretch(enum image_layout layout, const uint64_t *words, unsigned count, const char *what)
{
	struct ring_image *image;

	for (unsigned after = 0; after <= 20; after += 10) {
		image = image_make(layout, 3, 1024);
		for (unsigned d = 0; d < 3; d++)
			image_fill(image, d, 20);
		image_raw(image, 1, words, count);
		image_fill(image, 1, after);
		image_fill(image, 0, 5);
		image_fill(image, 2, 5);
		if (what != NULL && after == 0)
			printf("  %s\n", what);
		expect_counts(image, 20 * 3 + 10 + after, count, 1, 0);
	}
}

/* A header of length 0 is no record, and neither are many. */
TEST(length_zero)
{
	check_stretch(LAYOUT_5_0, (uint64_t[]){0}, 1, "a zero word");
	check_stretch(
	    LAYOUT_5_0, (uint64_t[]){header_make(0, RECORD_BEGIN, 3), 5000}, 2, "begin of length 0");
	check_stretch(LAYOUT_5_0, (uint64_t[300]){0}, 300, "300 zero words");
}

/* Each type has a least length. */
TEST(too_short)
{
	check_stretch(LAYOUT_5_0, (uint64_t[]){header_make(1, RECORD_BEGIN, 0)}, 1, "begin of 1 word");
	check_stretch(LAYOUT_5_0, (uint64_t[]){header_make(1, RECORD_END, 0)}, 1, "end of 1 word");
	check_stretch(
	    LAYOUT_5_0, (uint64_t[]){header_make(2, RECORD_COUNTER, 5), 2000}, 2, "counter of 2 words");
	check_stretch(
	    LAYOUT_5_0, (uint64_t[]){header_make(2, RECORD_USER_INT, 5), 2000}, 2, "int of 2 words");
	check_stretch(
	    LAYOUT_5_0, (uint64_t[]){header_make(2, RECORD_USER_CUSTOM, 5), 2000}, 2, "custom of 2 words");
	check_stretch(
	    LAYOUT_5_0, (uint64_t[21]){header_make(21, RECORD_ALLOC, 0), 2000}, 21, "alloc of 21 words");
	check_stretch(
	    LAYOUT_5_0, (uint64_t[]){header_make(1, RECORD_LIFECYCLE, 0)}, 1, "lifecycle of 1 word");
	check_stretch(
	    LAYOUT_5_0, (uint64_t[]){header_make(1, (enum record_type)12, 0)}, 1, "later type of 1 word");
}

/* A record that reaches beyond what is published, or beyond the end of its ring, is none. */
TEST(too_long)
{
	check_stretch(
	    LAYOUT_5_0, (uint64_t[]){header_make(1023, RECORD_BEGIN, 0), 2000}, 2, "beyond the tail");
	check_stretch(
	    LAYOUT_5_0, (uint64_t[]){header_make(1020, RECORD_PADDING, 0)}, 1, "padding beyond the ring");
	/* One word too many at the very end of the ring. */
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);
	image_fill(image, 0, 31);
	image_raw(image, 0, (uint64_t[]){header_make(3, RECORD_BEGIN, 0), 5000}, 2);
	image_set(image, 0, 10, 64);
	image_fill(image, 0, 2);
	expect_counts(image, 26 + 2, 2, 1, 10);
}

/* Bits that are zero in every header: all below the number in format 1, those below the samples in format
 * 2. */
TEST(stray_bits)
{
	for (unsigned bit = 0; bit < HEADER_ID_SHIFT; bit++) {
		uint64_t header = header_make(2, RECORD_BEGIN, 1) | UINT64_C(1) << bit;
		check_stretch(LAYOUT_5_0, (uint64_t[]){header, 5000}, 2, NULL);
		if (bit < HEADER_SAMPLES_SHIFT)
			check_stretch(LAYOUT_PMC, (uint64_t[]){header, 5000}, 2, NULL);
	}
}

/* A stretch of noise of any length, up to several batches, costs its own words and no more. */
TEST(stretch_of_noise)
{
	static const unsigned lengths[] = {1, 2, 3, 7, 100, 1023, 1024, 2000, 2047, 2048, 2049, 5000, 9000};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct ring_image *image = image_make(LAYOUT_5_0, 2, 16384);
		image_fill(image, 0, 50);
		image_fill(image, 1, 50);
		noise(image, 0, lengths[i]);
		image_fill(image, 0, 50);
		expect_counts(image, 150, lengths[i], 1, 0);
	}
}

/* A corrupt stretch is skipped wherever it lies in a batch: good records at a batch's end are not given up. */
TEST(stretch_anywhere_in_a_batch)
{
	for (unsigned before = BATCH_WORDS / 2 - 40; before <= BATCH_WORDS / 2 + 5; before++) {
		struct ring_image *image = image_make(LAYOUT_5_0, 1, 16384);
		image_fill(image, 0, before);
		noise(image, 0, 5);
		image_fill(image, 0, 3000);
		expect_counts(image, before + 3000, 5, 1, 0);
	}
}

/* A corrupt stretch is skipped before records so long that a batch holds no run of them. */
TEST(stretch_before_long_records)
{
	static unsigned char bytes[8000];

	for (unsigned count = 0; count < 12; count++) {
		struct ring_image *image = image_make(LAYOUT_5_0, 1, 32768);
		image_fill(image, 0, 10);
		noise(image, 0, 50);
		for (unsigned i = 0; i < count; i++)
			image_custom(image, 0, 0, bytes, sizeof(bytes));
		expect_counts(image, 10 + count, 50, 1, 0);
	}
}

/* One sound record amid noise is no firm ground, in the middle of a batch and where the batch cuts it. */
TEST(false_ground)
{
	static const struct {
		unsigned before, length, behind;
	} cases[] = {{5, 2, 5}, {100, 20, 100}, {1500, 600, 900}, {1990, 30, 60}, {2000, 1023, 1100}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ring_image *image = image_make(LAYOUT_5_0, 1, 16384);
		image_fill(image, 0, 10);
		noise(image, 0, cases[i].before);
		image_raw(image, 0, (uint64_t[]){header_make(cases[i].length, RECORD_BEGIN, 3), 5000}, 2);
		noise(image, 0, cases[i].behind);
		image->clock = 6000;
		image_fill(image, 0, 50);
		expect_counts(image, 60, cases[i].before + 2 + cases[i].behind, 1, 0);
	}
}

/* Many stretches in one ring are each reported. */
TEST(many_stretches)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 65536);

	for (unsigned i = 0; i < 100; i++) {
		noise(image, 0, i % 7 + 1);
		image_fill(image, 0, 8 + i);
	}
	expect_counts(image, 100 * 8 + 99 * 100 / 2, 100 * 4 - 5, 100, 0);
}

/* A stretch that nothing follows ends at what is published, and what is written later is read. */
TEST(stretch_at_the_tail)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);
	struct recorder r = {0};

	image_fill(image, 0, 1);
	noise(image, 0, 5);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	EXPECT_POLL(&r, cursor, "0 1010 begin explicit_gc_set\n0 corrupt 5\n");
	image_fill(image, 0, 1);
	EXPECT_POLL(&r, cursor, "0 1020 begin explicit_gc_set\n");
}

/* A stretch up to the end of its ring ends there; right before padding, it ends before the padding. */
TEST(stretch_at_the_ring_end)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);

	image_fill(image, 0, 28);
	noise(image, 0, 8);
	image_set(image, 0, 20, 64);
	image_fill(image, 0, 4);
	expect_counts(image, 18 + 4, 8, 1, 20);

	image = image_make(LAYOUT_5_0, 1, 64);
	image_fill(image, 0, 28);
	noise(image, 0, 7);
	image_set(image, 0, 20, 63);
	image_counter(image, 0, 0, 1);
	CHECK_INT(image_tail(image, 0), 67);
	expect_counts(image, 18 + 1, 7, 1, 20);
}

/* Records of an earlier lap, which a writer that died had room for and never stored, are not taken for
 * new. */
TEST(stale_records_are_not_trusted)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);
	struct recorder r = {0};

	image_fill(image, 0, 40);
	uint64_t tail = image_tail(image, 0);
	/* The next record begins with nonsense, and 20 words of the last lap follow. */
	image_set(image, 0, tail - 4, tail + 20);
	image_poke(image, 0, tail, 0);
	image_fill(image, 0, 1);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	EXPECT_POLL(&r, cursor,
	    "0 lost 76 (76)\n0 1390 begin explicit_gc_set\n0 1400 begin explicit_gc_set\n0 corrupt 20\n"
	    "0 1410 begin explicit_gc_set\n");
}

/* Stop at a corrupt stretch. */
static enum rtev_next stop_at_corrupt(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	return kind == EVENT_CORRUPT ? RTEV_STOP : RTEV_CONTINUE;
}

/* Append begins of these stamps, up to a 0. */
static void stamps(struct ring_image *image, const uint64_t *list)
{
	for (; *list != 0; list++)
		image_record(image, 0, *list, RECORD_BEGIN, 0, NULL, 0);
}

/* Read an image, scanned before or not, in polls of each of several sizes, and compare; any callback may say
 * stop. */
static void expect_cuts(struct ring_image *image, bool scan, const char *lines)
{
	static const uint64_t bounds[] = {0, 3, 1};

	for (int i = 0; i < 6; i++) {
		struct recorder r = {.hook = i >= 3 ? stop_at_corrupt : NULL};
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		struct rtev_scan found = {.size = sizeof(found)};
		uint64_t corrupt = UINT64_MAX;
		if (scan)
			CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &found), RTEV_OK);
		while (recorder_poll(&r, cursor, bounds[i % 3]) != 0 || corrupt != r.counts[EVENT_CORRUPT])
			corrupt = r.counts[EVENT_CORRUPT];
		EXPECT(&r, lines);
		image_close(image);
	}
}

/* Where stamps go back nothing is skipped, but it is told. */
TEST(stamps_go_back)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);

	stamps(image, (uint64_t[]){100, 200, 200, 150, 160, 5, 6, 6, 0});
	expect_cuts(image, false,
	    "0 100 begin explicit_gc_set\n0 200 begin explicit_gc_set\n0 200 begin explicit_gc_set\n"
	    "0 corrupt 0\n0 150 begin explicit_gc_set\n0 160 begin explicit_gc_set\n"
	    "0 corrupt 0\n0 5 begin explicit_gc_set\n0 6 begin explicit_gc_set\n0 6 begin explicit_gc_set\n");
}

/* A scan tells which records before such a place are of another time; more places than it remembers are told
 * themselves. */
TEST(scans_tell_of_falls)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);
	struct recorder r = {.silent = true};
	struct rtev_scan found = {.size = sizeof(found)};

	stamps(image, (uint64_t[]){10, 20, 500, 510, 30, 40, 300, 310, 60, 61, 0});
	expect_cuts(image, true,
	    "0 10 begin explicit_gc_set\n0 20 begin explicit_gc_set\n0 corrupt 0\n"
	    "0 500 begin explicit_gc_set\n0 510 begin explicit_gc_set\n0 corrupt 0\n"
	    "0 30 begin explicit_gc_set\n0 40 begin explicit_gc_set\n0 corrupt 0\n"
	    "0 300 begin explicit_gc_set\n0 310 begin explicit_gc_set\n0 corrupt 0\n"
	    "0 60 begin explicit_gc_set\n0 61 begin explicit_gc_set\n");

	image = image_make(LAYOUT_5_0, 1, 4096);
	for (uint64_t i = 0; i < 1000; i++)
		stamps(image, (uint64_t[]){100000 + i, 1 + i, 0});
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &found), RTEV_OK);
	CHECK_INT(recorder_poll(&r, cursor, 0), 2000);
	CHECK(r.counts[EVENT_CORRUPT] >= 1000 && r.counts[EVENT_CORRUPT] <= 1000 + FALLS_MAX);
}

/* A record whose second half is that of others is none, whether a header stands for its stamp or for its
 * value; what comes behind is read although it is older. */
TEST(torn_records)
{
	for (unsigned length = 2; length <= 3; length++) {
		struct ring_image *image = image_make(LAYOUT_5_0, 1, 128);
		const uint64_t torn[] = {header_make(length, length == 2 ? RECORD_BEGIN : RECORD_COUNTER, 4),
		    length == 2 ? header_make(2, RECORD_BEGIN, 0) : 1030, header_make(2, RECORD_BEGIN, 0)};
		stamps(image, (uint64_t[]){1010, 1020, 0});
		image_raw(image, 0, torn, length);
		image_raw(image, 0, (uint64_t[]){20}, 1);
		for (uint64_t ts = 30; ts < 130; ts += 10)
			stamps(image, (uint64_t[]){ts, 0});
		struct recorder r = {0};
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		struct rtev_scan found = {.size = sizeof(found)};
		CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &found), RTEV_OK);
		/* The last of the words that make no sense are a record of the older part. */
		CHECK_INT(recorder_poll(&r, cursor, 0), 2 + 1 + 10);
		CHECK_INT(r.corrupt, length - 1);
		CHECK_INT(r.counts[EVENT_CORRUPT], 1);
		image_close(image);
		recorder_clear(&r);
	}
}

/* A stretch whose end was still sought when the writer lapped it is corrupt as far as it was read, and lost
 * from there; a callback that says stop comes between the two. */
TEST(corrupt_then_lost)
{
	for (int stop = 0; stop < 2; stop++) {
		struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);
		struct recorder r = {.hook = stop ? stop_at_corrupt : NULL};
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		/* Only a writer that laps between two batches gets a reader there. */
		cursor->rings[0].position = cursor->rings[0].skipped = 8;
		cursor->rings[0].footing = FOOTING_CORRUPT;
		image_set(image, 0, 100, 100);
		image_fill(image, 0, 1);
		recorder_poll(&r, cursor, 0);
		if (stop) {
			EXPECT(&r, "0 corrupt 8\n");
			EXPECT_POLL(&r, cursor, "0 lost 92 (0)\n0 1010 begin explicit_gc_set\n");
		} else {
			EXPECT(&r, "0 corrupt 8\n0 lost 92 (0)\n0 1010 begin explicit_gc_set\n");
		}
	}
}

/* A ring whose head is beyond its tail can't be read.  Of a finished file that is said; a live one may mend.
 * Neither holds up the other rings, for polls and for scans. */
TEST(head_beyond_tail)
{
	for (int finished = 0; finished < 2; finished++) {
		const struct rtev_cursor_options options = {
		    .size = sizeof(options), .finished = finished != 0};
		struct ring_image *image = image_make(LAYOUT_5_0, 3, 64);
		struct recorder r = {0};
		struct rtev_scan scan = {.size = sizeof(scan)};
		image_fill(image, 0, 1);
		image_fill(image, 2, 1);
		image_set(image, 1, 41, 40);
		struct rtev_cursor *cursor = image_open_with(image, &options);
		EXPECT_POLL(&r, cursor,
		    finished ? "0 1010 begin explicit_gc_set\n1 corrupt 40\n2 1020 begin explicit_gc_set\n"
			     : "0 1010 begin explicit_gc_set\n2 1020 begin explicit_gc_set\n");
		for (int round = 0; round < 3; round++) {
			image_fill(image, 0, 1);
			CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
			CHECK_INT(scan.unread_words, 2);
			CHECK_INT(recorder_poll(&r, cursor, 0), 1);
		}
		recorder_clear(&r);
		/* When it makes sense again it is read. */
		image_set(image, 1, 64, 64);
		image_fill(image, 1, 1);
		CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
		EXPECT_POLL(&r, cursor,
		    finished ? "1 lost 24 (0)\n1 1060 begin explicit_gc_set\n"
			     : "1 lost 64 (0)\n1 1060 begin explicit_gc_set\n");
	}
}

/* A ring that turns unreadable after a scan that saw it does not stop the scans of the others. */
TEST(turns_unreadable_after_a_scan)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 2, 64);
	struct recorder r = {.silent = true};
	struct rtev_scan scan = {.size = sizeof(scan)};

	image_fill(image, 0, 2);
	image_fill(image, 1, 2);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
	image_set(image, 0, UINT64_MAX, 2);
	CHECK_INT(recorder_poll(&r, cursor, 0), 2);
	for (int round = 0; round < 3; round++) {
		image_fill(image, 1, 1);
		CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
		CHECK_INT(recorder_poll(&r, cursor, 0), 1);
	}
}

/* No ring holds more than its size: a head further back than that is not believed.  What it left is found by
 * the records themselves. */
TEST(head_too_far_back)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 2, 64);
	struct recorder r = {0};

	for (unsigned i = 0; i < 40; i++)
		image_counter(image, 0, 0, i);
	uint64_t tail = image_tail(image, 0);
	CHECK_INT(tail, 121);
	image_fill(image, 1, 1);
	image_set(image, 0, 3, tail);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	/* Index 57 is the begin of record 19, and is still there: only its oldest record was overwritten. */
	recorder_poll(&r, cursor, 2);
	EXPECT(&r, "0 lost 57 (57)\n0 1200 counter force_minor_alloc_small 19\n"
		   "0 1210 counter force_minor_alloc_small 20\n");
	image_close(image);
	/* One more word, and the oldest place is in the middle of a record. */
	image_raw(image, 0, (uint64_t[]){header_make(2, RECORD_BEGIN, 0), 9000}, 2);
	image_set(image, 0, 0, tail + 2);
	cursor = image_open(image, RTEV_RELEASE_5_3);
	recorder_poll(&r, cursor, 1);
	EXPECT(&r, "0 lost 60 (60)\n0 1210 counter force_minor_alloc_small 20\n");
}

/* Rings full of one word, or of noise, are passed to their end in one poll. */
TEST(whole_rings_of_nonsense)
{
	static const uint64_t words[] = {0, UINT64_MAX, 1, UINT64_C(1) << 54, UINT64_C(1) << 55,
	    UINT64_C(0x3FF) << 54, UINT64_C(0xFFC4) << 48};

	for (unsigned log2 = 0; log2 <= 14; log2++) {
		for (size_t i = 0; i <= sizeof(words) / sizeof(words[0]); i++) {
			uint64_t size = UINT64_C(1) << log2, seed = log2, unread;
			struct ring_image *image;
			struct recorder r = {.silent = true};
			struct rtev_scan scan = {.size = sizeof(scan)};
			image = image_make(LAYOUT_5_0, 1, size);
			for (uint64_t k = 0; k < size; k++)
				image_poke(image, 0, k, i < 7 ? words[i] : chance(&seed));
			image_set(image, 0, size * 5, size * 6);
			struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
			CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
			CHECK_INT(recorder_try(&r, cursor, 0, NULL), RTEV_OK);
			rtev_cursor_lag(cursor, 0, &unread, NULL, NULL);
			CHECK_INT(unread, 0);
			CHECK_INT(r.history, size * 5);
			CHECK(r.corrupt <= size);
			if (i == 0 || i == 1 || i == 2)
				CHECK_INT(r.corrupt, size);
		}
	}
}

/* Good records with words of noise in between, at random: what is delivered is what was written, in order. */
TEST(random_damage)
{
	uint64_t seed = 99;

	for (int round = 0; round < 100; round++) {
		struct ring_image *image = image_make(LAYOUT_5_0, 1, 8192);
		struct recorder r = {.silent = true};
		uint64_t bad = 0, good = 0;
		for (unsigned stretch = 0; stretch < 20; stretch++) {
			unsigned n = (unsigned)(chance(&seed) % 60) + 1,
				 k = (unsigned)(chance(&seed) % 60) + 8;
			noise(image, 0, n);
			image_fill(image, 0, k);
			bad += n;
			good += k;
		}
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		recorder_poll(&r, cursor, 0);
		CHECK_INT(r.events, good);
		CHECK_INT(r.corrupt, bad);
		CHECK_INT(r.counts[EVENT_CORRUPT], 20);
	}
}
