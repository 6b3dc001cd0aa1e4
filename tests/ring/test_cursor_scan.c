/*
 * test_cursor_scan.c - looking ahead: what a scan tells of the unread records, and where the polls behind it
 * stop.  What proves which release is tested with the evidence itself; here it is that a scan sees it, in
 * which words.
 */
#include "core/sum.h"
#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

/* Scan and check what is proved. */
static struct rtev_scan check_scan(
    struct rtev_cursor *cursor, enum rtev_release release, const char *version, bool from_layout)
{
	struct rtev_scan scan = {.size = sizeof(scan)};

	CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
	CHECK_STR(rtev_release_name(scan.release), rtev_release_name(release));
	if (version == NULL)
		CHECK(scan.version == NULL);
	else
		CHECK_STR(scan.version, version);
	CHECK_INT(scan.from_layout, from_layout);
	return scan;
}

/* A scan delivers nothing and moves nothing: the polls after it deliver all, up to where it ended. */
TEST(polls_stop_at_the_frontier)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 4096);
	struct recorder r = {.silent = true};

	image_fill(image, 0, 10);
	image_fill(image, 1, 1000);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	struct rtev_scan scan = check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	CHECK_INT(scan.unread_words, 2020);
	CHECK_INT(scan.fullest_words, 2000);
	image_fill(image, 0, 7);
	image_fill(image, 1, 3);
	CHECK_INT(recorder_poll(&r, cursor, 0), 1010);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	scan = check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	CHECK_INT(scan.unread_words, 20);
	CHECK_INT(recorder_poll(&r, cursor, 0), 10);
	scan = check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	CHECK_INT(scan.unread_words, 0);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
}

/* A scan tells whether it looked for new records: only such a one finds what a target wrote last. */
TEST(tells_whether_it_began)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 4096);
	struct recorder r = {.silent = true};

	image_fill(image, 0, 10);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK(check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false).began);
	CHECK_INT(recorder_poll(&r, cursor, 4), 4);
	image_fill(image, 0, 3);
	CHECK(!check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false).began);
	CHECK_INT(recorder_poll(&r, cursor, 0), 6);
	CHECK(check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false).began);
	CHECK_INT(recorder_poll(&r, cursor, 0), 3);
	CHECK(check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false).began);
	image_close(image);

	/* One of several calls began once. */
	image_fill(image, 0, 1000);
	const struct rtev_cursor_options options = {.size = sizeof(options), .max_words = 800};
	cursor = image_open_with(image, &options);
	CHECK(check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false).began);
	while (rtev_cursor_more(cursor))
		CHECK(!check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false).began);
}

/* What has been overwritten is not unread, however far a ring has come. */
TEST(unread_is_what_is_there)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 64);

	image_set(image, 0, RING_WORDS_CEILING - 70, RING_WORDS_CEILING - 7);
	image_set(image, 1, UINT64_C(1) << 49, UINT64_C(1) << 49);
	image_fill(image, 1, 100);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	struct rtev_scan scan = check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	CHECK_INT(scan.unread_words, 128);
	CHECK_INT(scan.fullest_words, 64);
}

/* Nothing new is looked at before all that the last scan saw has been polled, so that what is proved about a
 * record is known before it is delivered. */
TEST(scans_wait_for_polls)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 4096);
	struct recorder r = {.silent = true};

	image_fill(image, 0, 10);
	image_fill(image, 1, 1);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	image_minor_5_3(image, 1);
	CHECK_INT(recorder_poll(&r, cursor, 4), 4);
	struct rtev_scan scan = check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	CHECK_INT(scan.unread_words, 12 + 2);
	CHECK_INT(scan.fullest_words, 12);
	CHECK_INT(recorder_poll(&r, cursor, 0), 7);
	check_scan(cursor, RTEV_RELEASE_5_4, "5.3-5.4", false);
	CHECK_INT(recorder_poll(&r, cursor, 0), 8);
	/* What is proved once stays proved. */
	image_fill(image, 0, 1);
	check_scan(cursor, RTEV_RELEASE_5_4, "5.3-5.4", false);
}

/* With a bound of 1, scan before each poll: everything is delivered, and the writer is followed. */
TEST(bound_of_one)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 3, 64);
	struct recorder r = {.silent = true};

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	for (int i = 0; i < 300; i++) {
		struct rtev_scan scan = {.size = sizeof(scan)};
		if (i % 3 == 0)
			image_fill(image, (unsigned)i / 3 % 3, 3);
		CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
		recorder_poll(&r, cursor, 1);
	}
	CHECK_INT(r.events, 300);
	CHECK_INT(r.lost, 0);
}

/* What is overwritten between scan and poll is lost; polls do not go beyond the frontier for that, and the
 * next scan goes on. */
TEST(lapped_after_the_scan)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 16);
	struct recorder r = {0};

	image_fill(image, 0, 3);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	image_fill(image, 0, 5);
	EXPECT_POLL(&r, cursor, "0 lost 2 (0)\n0 1020 begin explicit_gc_set\n0 1030 begin explicit_gc_set\n");
	check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	image_fill(image, 0, 30);
	EXPECT_POLL(&r, cursor, "0 lost 56 (0)\n");
	struct rtev_scan scan = check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	CHECK_INT(scan.unread_words, 14);
	CHECK_INT(recorder_poll(&r, cursor, 0), 7);
	recorder_clear(&r);
}

struct resumes {
	unsigned count;
	unsigned domains[64];
	uint64_t ts[64];
};

static void on_resume(void *ctx, unsigned domain, uint64_t ts)
{
	struct resumes *got = ctx;
	CHECK(got->count < 64);
	got->domains[got->count] = domain;
	got->ts[got->count++] = ts;
}

/* Each ring_resume is told once, of every ring, before any of its records is delivered. */
TEST(resumes_are_told_once)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 3, 256);
	struct recorder r = {.silent = true};
	struct resumes got = {0};
	struct rtev_scan scan = {.size = sizeof(scan)};

	for (unsigned i = 0; i < 20; i++) {
		image_fill(image, i % 3, 3);
		image_lifecycle(image, i % 3, RTEV_LIFECYCLE_RING_RESUME, 0);
		image_lifecycle(image, i % 3, RTEV_LIFECYCLE_RING_PAUSE, 0);
		image_unit(image, i % 3, RTEV_LIFECYCLE_RING_RESUME);
	}
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_scan(cursor, on_resume, &got, &scan), RTEV_OK);
	CHECK_INT(got.count, 20);
	for (unsigned i = 0; i < got.count; i++) {
		/* In ring order: 7 of ring 0, 7 of ring 1, 6 of ring 2. */
		unsigned domain = i < 7 ? 0 : i < 14 ? 1 : 2, n = i - domain * 7;
		CHECK_INT(got.domains[i], domain);
		CHECK_INT(got.ts[i], 1000 + (n * 3 + domain) * 60 + 40);
	}
	CHECK_INT(r.events, 0);
	CHECK_INT(rtev_cursor_scan(cursor, on_resume, &got, &scan), RTEV_OK);
	CHECK_INT(recorder_poll(&r, cursor, 50), 50);
	CHECK_INT(rtev_cursor_scan(cursor, on_resume, &got, &scan), RTEV_OK);
	CHECK_INT(recorder_poll(&r, cursor, 0), 70);
	CHECK_INT(got.count, 20);
	image_lifecycle(image, 2, RTEV_LIFECYCLE_RING_RESUME, 0);
	CHECK_INT(rtev_cursor_scan(cursor, on_resume, &got, &scan), RTEV_OK);
	CHECK_INT(got.count, 21);
	CHECK_INT(got.ts[20], image->clock);
}

/* More resumes than any array would hold. */
static void count_resume(void *ctx, unsigned domain, uint64_t ts)
{
	++*(unsigned *)ctx;
}

/* A ring full of resumes: none is dropped. */
TEST(many_resumes)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 65536);
	struct rtev_scan scan = {.size = sizeof(scan)};
	unsigned count = 0;

	for (unsigned i = 0; i < 20000; i++)
		image_lifecycle(image, 0, RTEV_LIFECYCLE_RING_RESUME, 0);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_scan(cursor, count_resume, &count, &scan), RTEV_OK);
	CHECK_INT(count, 20000);
}

/* What a scan without polls tells of a whole file, in each layout. */
TEST(releases_of_files)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 128, 256);

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	check_scan(cursor, RTEV_RELEASE_5_0, "5.0", true);
	image_minor_5_2(image, 1);
	check_scan(cursor, RTEV_RELEASE_5_0, "5.0", false);

	image = image_make(LAYOUT_5_1, 128, 256);
	cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	image_minor_5_2(image, 1);
	check_scan(cursor, RTEV_RELEASE_5_2, "5.1-5.2", false);
	image_close(image);
	image_begin(image, 0, 40);
	cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	check_scan(cursor, RTEV_RELEASE_5_2, "5.2", false);

	image = image_make(LAYOUT_5_1, 128, 256);
	image_minor_5_3(image, 0);
	cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	check_scan(cursor, RTEV_RELEASE_5_4, "5.3-5.4", false);

	/* Before 5.3 no runtime has so many domains, whatever follows the rings. */
	for (enum image_layout layout = LAYOUT_5_0; layout <= LAYOUT_5_1; layout++) {
		image = image_make(layout, 3, 256);
		cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
		check_scan(cursor, RTEV_RELEASE_5_5, "5.3-5.5", true);
		image_minor_5_3(image, 0);
		check_scan(cursor, RTEV_RELEASE_5_4, "5.3-5.4", false);
	}
}

/* A file without its table of names is one of 5.0 only if it is whole otherwise. */
TEST(cut_files_are_not_of_5_0)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 256);
	struct rtev_cursor *cursor;

	image_minor_5_2(image, 0);
	size_t end = image->size - NAMES_BYTES;
	/* In the names, and in the last ring. */
	CHECK_INT(rtev_cursor_open_memory(&cursor, image->base, image->size - 8, NULL), RTEV_OK);
	check_scan(cursor, RTEV_RELEASE_5_2, "5.1-5.2", false);
	rtev_cursor_close(cursor);
	CHECK_INT(rtev_cursor_open_memory(&cursor, image->base, end - 8, NULL), RTEV_OK);
	check_scan(cursor, RTEV_RELEASE_5_2, "5.1-5.2", false);
	rtev_cursor_close(cursor);
	/* The size of a file of 5.0, with the word that an earlier program left. */
	CHECK_INT(rtev_cursor_open_memory(&cursor, image->base, end, NULL), RTEV_OK);
	check_scan(cursor, RTEV_RELEASE_5_0, "5.0", false);
	rtev_cursor_close(cursor);
}

/* Neighbours across a gap prove nothing: the words between are lost. */
TEST(no_evidence_across_a_gap)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 64);
	struct recorder r = {.silent = true};

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	image_counter(image, 0, 5, 1);
	check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	image_set(image, 0, 640, 640);
	image_end(image, 0, 11);
	recorder_poll(&r, cursor, 0);
	check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	recorder_poll(&r, cursor, 0);
	/* Without the gap they do. */
	image_counter(image, 0, 5, 1);
	check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	recorder_poll(&r, cursor, 0);
	image_end(image, 0, 11);
	check_scan(cursor, RTEV_RELEASE_5_5, "5.3-5.5", false);
}

/* Nor do those across a corrupt stretch, or on two rings. */
TEST(no_evidence_across_corruption)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 64);

	image_counter(image, 0, 5, 1);
	image_raw(image, 0, (uint64_t[]){1}, 1);
	image_end(image, 0, 11);
	image_counter(image, 1, 5, 1);
	image_end(image, 0, 10);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
}

/* The program that follows in the same process is judged by its own records, be it noticed by a scan or by a
 * poll; and its records are not delivered before a scan has seen them. */
TEST(evidence_begins_anew_at_a_restart)
{
	for (int noticed_by_poll = 0; noticed_by_poll < 2; noticed_by_poll++) {
		struct ring_image *image = image_make(LAYOUT_5_1, 128, 256);
		struct recorder r = {0};
		image_fill(image, 0, 19);
		/* No later record takes this back. */
		image_counter(image, 0, 25, 0);
		image_minor_5_3(image, 1);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		check_scan(cursor, RTEV_RELEASE_5_4, "5.3-5.4", false);
		CHECK_INT(recorder_poll(&r, cursor, 0), 28);
		recorder_clear(&r);
		image_restart(image);
		image_minor_5_2(image, 0);
		if (noticed_by_poll) {
			CHECK_INT(recorder_poll(&r, cursor, 0), 0);
			EXPECT(&r, "0 restart\n1 restart\n");
		}
		check_scan(cursor, RTEV_RELEASE_5_2, "5.1-5.2", false);
		image_fill(image, 0, 1);
		CHECK_INT(recorder_poll(&r, cursor, 0), 6);
		CHECK_INT(r.counts[EVENT_RESTART], noticed_by_poll ? 0 : 2);
		check_scan(cursor, RTEV_RELEASE_5_2, "5.1-5.2", false);
		CHECK_INT(recorder_poll(&r, cursor, 0), 1);
		recorder_clear(&r);
	}
}

/* A restart between scan and poll: what the scan has not seen is left for after the next scan. */
TEST(restart_between_scan_and_poll)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 256);
	struct recorder r = {0};

	image_fill(image, 0, 5);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	image_restart(image);
	image_minor_5_2(image, 0);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	EXPECT(&r, "0 lost 10 (0)\n0 restart\n");
	struct rtev_scan scan = check_scan(cursor, RTEV_RELEASE_5_2, "5.1-5.2", false);
	CHECK_INT(scan.unread_words, 14);
	CHECK_INT(recorder_poll(&r, cursor, 0), 6);
	recorder_clear(&r);
}

/* skip takes the frontier along. */
TEST(skip_after_a_scan)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 256);
	struct recorder r = {.silent = true};

	image_fill(image, 0, 5);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	image_minor_5_3(image, 0);
	CHECK_INT(rtev_cursor_skip(cursor), RTEV_OK);
	image_fill(image, 0, 3);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	struct rtev_scan scan = check_scan(cursor, RTEV_RELEASE_UNKNOWN, NULL, false);
	CHECK_INT(scan.unread_words, 6);
	CHECK_INT(recorder_poll(&r, cursor, 0), 3);
}

/* A scan finds its way through what is corrupt as a poll does. */
TEST(scan_through_corruption)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 16384);
	struct resumes got = {0};
	struct rtev_scan scan = {.size = sizeof(scan)};

	for (unsigned i = 0; i < 20; i++) {
		for (unsigned k = 0; k < 300; k++)
			image_raw(image, 0, &(uint64_t){UINT64_MAX - i}, 1);
		image_lifecycle(image, 0, RTEV_LIFECYCLE_RING_RESUME, 0);
		image_fill(image, 0, 10);
	}
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_scan(cursor, on_resume, &got, &scan), RTEV_OK);
	CHECK_INT(got.count, 20);
	struct recorder r = {.silent = true};
	CHECK_INT(recorder_poll(&r, cursor, 0), 220);
	CHECK_INT(r.corrupt, 6000);
}

/* A scan that starts in the middle of a record looks for the next one first. */
TEST(scan_from_the_middle_of_a_record)
{
	const uint64_t payload[] = {
	    7, header_make(3, RECORD_LIFECYCLE, RTEV_LIFECYCLE_RING_RESUME), 1, 0, 9, 9, 7};
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct resumes got = {0};
	struct rtev_scan scan = {.size = sizeof(scan)};

	image_record(image, 0, 1000, RECORD_USER_CUSTOM, 0, payload, 7);
	image_fill(image, 0, 25);
	CHECK_INT(image_tail(image, 0), 59);
	/* All but its first 3 words are still there, and the head is not believed. */
	image_set(image, 0, 0, 67);
	image_poke(image, 0, 59, header_make(2, RECORD_BEGIN, 0));
	image_poke(image, 0, 60, 9000);
	image_poke(image, 0, 61, header_make(3, RECORD_PADDING, 0));
	image_poke(image, 0, 64, header_make(3, RECORD_COUNTER, 0));
	image_poke(image, 0, 65, 9001);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_scan(cursor, on_resume, &got, &scan), RTEV_OK);
	CHECK_INT(got.count, 0);
	struct recorder r = {.silent = true};
	CHECK_INT(recorder_poll(&r, cursor, 0), 25 + 2);
	CHECK_INT(r.history, 9);
	CHECK_INT(r.corrupt, 0);
}

/* Nothing is looked at in a file that was laid out anew. */
TEST(scan_of_another_layout)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct resumes got = {0};
	struct rtev_scan scan = {.size = sizeof(scan)};

	image_lifecycle(image, 0, RTEV_LIFECYCLE_RING_RESUME, 0);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	image->metadata->ring_words = 32;
	CHECK_INT(rtev_cursor_scan(cursor, on_resume, &got, &scan), RTEV_OK);
	CHECK_INT(got.count, 0);
	CHECK_INT(scan.unread_words, 0);
	image->metadata->ring_words = 64;
	CHECK_INT(rtev_cursor_scan(cursor, on_resume, &got, &scan), RTEV_OK);
	CHECK_INT(got.count, 1);
	CHECK_INT(scan.unread_words, 3);
}
