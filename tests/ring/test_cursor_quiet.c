/*
 * test_cursor_quiet.c - scans of a ring without a writer walk it quietly once its release is sure, and polls
 * deliver its records where they are.  They tell the same as a careful walk and polls of copies, which a ring
 * of this size gets that may still be written to: two such rings are walked before any would be searched.
 */
#include "ring/atomics.h"
#include "support/feed.h"
#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

#define RING_WORDS 16384

/* Minor collections that make a scan sure. */
#define SURE 200

struct told {
	struct recorder r;
	struct rtev_scan scan;
	char resumes[65536];
	size_t length;
};

static void on_resume(void *ctx, unsigned domain, uint64_t ts)
{
	struct told *t = ctx;

	t->length += (size_t)snprintf(t->resumes + t->length, sizeof(t->resumes) - t->length, "%u %llu\n",
	    domain, (unsigned long long)ts);
	CHECK(t->length < sizeof(t->resumes));
}

/* Scan and poll all that a ring holds, in calls of so many words, and polls of so many events. */
static void read_all(
    struct told *t, struct ring_image *image, bool finished, uint64_t max_words, uint64_t max_events)
{
	uint64_t consumed; /* with the records of later runtimes, which no callback is called for */
	const struct rtev_cursor_options options = {
	    .size = sizeof(options), .finished = finished, .max_words = max_words};

	*t = (struct told){.scan = {.size = sizeof(t->scan)}};
	struct rtev_cursor *cursor = image_open_with(image, &options);
	do {
		CHECK_INT(rtev_cursor_scan(cursor, on_resume, t, &t->scan), RTEV_OK);
	} while (rtev_cursor_more(cursor));
	do {
		CHECK_INT(recorder_try(&t->r, cursor, max_events, &consumed), RTEV_OK);
		CHECK(max_events == 0 || consumed <= max_events);
	} while (rtev_cursor_more(cursor) || consumed != 0);
	image_close(image);
}

/* Check that a quiet walk tells what a careful one does. */
static void expect_same(struct ring_image *image, uint64_t max_words, uint64_t max_events)
{
	static struct told quiet, careful;

	read_all(&careful, image, false, max_words, max_events);
	read_all(&quiet, image, true, max_words, max_events);
	CHECK_STR(quiet.scan.version, careful.scan.version);
	CHECK_STR(quiet.resumes, careful.resumes);
	CHECK_STR(quiet.r.text, careful.r.text);
	recorder_clear(&careful.r);
	recorder_clear(&quiet.r);
}

/* Append something that seldom stands in a ring; `broken`: or never does.  An image that is to be overwritten
 * later can't hold that. */
static void oddity(struct ring_image *image, unsigned domain, uint64_t *seed, bool broken)
{
	const uint64_t buckets[RTEV_ALLOC_BUCKETS] = {1, 2, 3};
	uint64_t words[8];

	switch (feed_random(seed) % (broken ? 13 : 8)) {
	case 0:
		image_lifecycle(image, domain, RTEV_LIFECYCLE_RING_RESUME, 0);
		break;
	case 1:
		image->clock -= image->clock > 5000 ? feed_random(seed) % 5000 : 0;
		break;
	case 2:
		image->clock += feed_random(seed) % 5000;
		break;
	case 8: /* noise */
		for (unsigned i = 0; i < 8; i++)
			words[i] = feed_random(seed) >> feed_random(seed) % 64;
		image_raw(image, domain, words, (unsigned)(feed_random(seed) % 8) + 1);
		break;
	case 9: /* a torn record */
		words[0] = header_make(5, RECORD_USER_CUSTOM, 4);
		words[1] = image->clock += 10;
		image_raw(image, domain, words, 2);
		break;
	case 3: /* a record of a later runtime */
		image_record(image, domain, image->clock += 10, (enum record_type)(7 + feed_random(seed) % 9),
		    1, buckets, 3);
		break;
	case 4:
		image_record(image, domain, image->clock += 10, RECORD_ALLOC, 0, buckets, RTEV_ALLOC_BUCKETS);
		break;
	case 10: /* a counter without a value */
		words[0] = header_make(2, RECORD_COUNTER, 4);
		words[1] = image->clock += 10;
		image_raw(image, domain, words, 2);
		break;
	case 5:
		image_lifecycle(image, domain, (unsigned)(feed_random(seed) % RTEV_LIFECYCLE_COUNT), 4242);
		break;
	case 6: /* the begin of a compaction */
		image_begin(image, domain, 40 + (unsigned)(feed_random(seed) % 4));
		break;
	case 11: /* padding where no ring ends */
		image_raw(image, domain, &(uint64_t){header_make(1, RECORD_PADDING, 0)}, 1);
		break;
	case 12: /* a torn record with a header for its stamp */
		words[0] = header_make(2, RECORD_BEGIN, 3);
		words[1] = header_make(2, RECORD_USER_UNIT, 3);
		words[2] = 0;
		image_raw(image, domain, words, 3);
		break;
	default:
		image_custom(image, domain, 4, "quiet", 5);
		break;
	}
}

/* Append usual records. */
static void usual(struct ring_image *image, unsigned domain, uint64_t *seed)
{
	switch (feed_random(seed) % 4) {
	case 0:
		image_span(image, domain, 3, true);
		image_span(image, domain, 3, false);
		break;
	case 1:
		image_int(image, domain, 5, (int64_t)feed_random(seed));
		break;
	case 2:
		image_unit(image, domain, 6);
		break;
	default:
		image_minor_5_2(image, domain);
		break;
	}
}

/* Whatever stands in a ring, and however often it was overwritten. */
TEST(random_rings)
{
	uint64_t seed = 1;

	for (unsigned round = 0; round < 120; round++) {
		struct ring_image *image = image_make(LAYOUT_5_1, 2, RING_WORDS);
		/* A ring that may still be written to is read with a guard band. */
		unsigned laps = RING_GUARD_WORDS == 0 ? round % 3 + 1 : 1;
		unsigned every = 1u << feed_random(&seed) % 9;
		for (unsigned i = 0; i < SURE; i++)
			image_minor_5_2(image, 0);
		while (image_tail(image, 0) < RING_WORDS * laps - 4000) {
			usual(image, 0, &seed);
			usual(image, 1, &seed);
			if (feed_random(&seed) % every == 0)
				oddity(image, (unsigned)(feed_random(&seed) % 2), &seed, laps == 1);
		}
		expect_same(image, round % 2 == 0 ? 0 : 777, 0);
		expect_same(image, 0, round % 50 + 1);
	}
}

/* A compaction tells 5.2 from 5.1, however late. */
TEST(late_compaction)
{
	for (unsigned id = 40; id <= 43; id++) {
		static struct told t;
		struct ring_image *image = image_make(LAYOUT_5_1, 1, RING_WORDS);
		while (image_tail(image, 0) < RING_WORDS - 2000)
			image_minor_5_2(image, 0);
		read_all(&t, image, true, 0, 0);
		CHECK_STR(t.scan.version, "5.1-5.2");
		recorder_clear(&t.r);
		image_begin(image, 0, id);
		image_minor_5_2(image, 0);
		read_all(&t, image, true, 0, 0);
		CHECK_STR(t.scan.version, "5.2");
		recorder_clear(&t.r);
	}
}

/* Trunk before 5.4 begins phase 48 or 49 late, or in a domain that leads late; the first tells it from 5.3.  Polls
 * alone name both all the same. */
TEST(late_empty_minor)
{
	for (unsigned id = 48; id <= 49; id++) {
		static struct told t;
		struct ring_image *image = image_make(LAYOUT_5_1, 1, RING_WORDS);
		struct recorder r = {0};
		while (image_tail(image, 0) < RING_WORDS - 2000)
			image_minor_5_3(image, 0);
		read_all(&t, image, true, 0, 0);
		CHECK_STR(t.scan.version, "5.3-5.4");
		recorder_clear(&t.r);
		image_begin(image, 0, id);
		if (id == 49)
			image_end(image, 0, id);
		image_minor_5_3(image, 0);
		if (id == 48)
			image_end(image, 0, id);
		expect_same(image, 0, 0);
		read_all(&t, image, true, 0, 0);
		CHECK_STR(t.scan.version, "5.4");
		recorder_clear(&t.r);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
		recorder_poll(&r, cursor, 0);
		CHECK(strstr(r.text, id == 48 ? "empty_minor" : "minor_ephe_clean") != NULL);
		recorder_clear(&r);
	}
}

/* Nesting is taken up again when the family comes to light after thousands of phases that tell nothing. */
TEST(late_family)
{
	static struct told t;
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 65536);

	for (unsigned i = 0; i < 8000; i++) {
		image_begin(image, 0, 20);
		image_end(image, 0, 20);
	}
	for (unsigned i = 0; i < 20; i++) {
		image_unit(image, 0, 1);
		image_begin(image, 0, (unsigned)rtev_phase_to_id(RTEV_RELEASE_5_3, RTEV_PHASE_STW_LEADER));
		image_minor_5_3(image, 0);
		image_end(image, 0, (unsigned)rtev_phase_to_id(RTEV_RELEASE_5_3, RTEV_PHASE_STW_LEADER));
	}
	read_all(&t, image, true, 0, 0);
	CHECK_STR(t.scan.version, "5.3");
	recorder_clear(&t.r);
}

/* The longest records that there are, where words are walked carefully, whatever one call may read. */
TEST(long_records)
{
	static const uint64_t payload[RTEV_RECORD_WORDS_MAX - 2];
	static const uint64_t max_words[] = {0, 1, 256, 1024};

	for (unsigned before = 0; before < 100; before += 9) {
		struct ring_image *image = image_make(LAYOUT_5_1, 1, RING_WORDS);
		for (unsigned i = 0; i < before; i++)
			image_unit(image, 0, 1);
		for (unsigned i = 0; i < 3; i++)
			image_record(image, 0, image->clock += 10, RECORD_USER_CUSTOM, 4, payload,
			    RTEV_RECORD_WORDS_MAX - 2);
		image_minor_5_2(image, 0);
		for (unsigned i = 0; i < sizeof(max_words) / sizeof(max_words[0]); i++)
			expect_same(image, max_words[i], 0);
	}
}
