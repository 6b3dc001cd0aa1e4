/*
 * test_cursor_release.c - polls find out by themselves which release wrote a ring, unless the caller chose
 * one.
 */
#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

/* What a minor collection of either release is called by its own tables, by its first and last events. */
#define MINOR_5_2                                                                                            \
	"0 1010 begin minor\n0 1020 begin minor_local_roots\n0 1030 end minor_local_roots\n"                 \
	"0 1040 counter minor_promoted 8\n0 1050 counter minor_allocated 16\n0 1060 end minor\n"
#define MINOR_5_3                                                                                            \
	"0 1010 begin minor\n0 1020 begin minor_local_roots\n0 1030 end minor_local_roots\n"                 \
	"0 1040 begin minor_memprof_clean\n0 1050 end minor_memprof_clean\n"                                 \
	"0 1060 counter minor_promoted 8\n0 1070 counter minor_allocated 16\n0 1080 end minor\n"

/* Open an image without saying which release wrote it. */
static struct rtev_cursor *open_at(
    struct ring_image *image, enum rtev_start start, bool finished, uint64_t max_words)
{
	const struct rtev_cursor_options options = {
	    .size = sizeof(options), .start = start, .finished = finished, .max_words = max_words};

	struct rtev_cursor *cursor = image_open_with(image, &options);
	return cursor;
}

/* Check the release in use. */
static void expect_release(const struct rtev_cursor *cursor, enum rtev_release release)
{
	CHECK_STR(rtev_release_name(rtev_cursor_release(cursor)), rtev_release_name(release));
}

/* One call opens, another delivers by the right names, from the first event on. */
TEST(first_poll_finds_it)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 64);
	struct recorder r = {0};

	image_minor_5_2(image, 0);
	struct rtev_cursor *cursor = image_open_with(image, NULL);
	CHECK_INT(recorder_poll(&r, cursor, 0), 6);
	EXPECT(&r, MINOR_5_2);
	expect_release(cursor, RTEV_RELEASE_5_2);

	image = image_make(LAYOUT_5_1, 128, 64);
	image_minor_5_3(image, 0);
	cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	/* The release is known where the budget ends before what proves it. */
	CHECK_INT(recorder_poll(&r, cursor, 1), 1);
	expect_release(cursor, RTEV_RELEASE_5_4);
	CHECK_INT(recorder_poll(&r, cursor, 0), 7);
	EXPECT(&r, MINOR_5_3);
}

/* What proves it may stand in another ring, after the one that is read first. */
TEST(another_ring_proves_it)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 64);
	struct recorder r = {0};

	image_begin(image, 0, 11);
	image_minor_5_3(image, 2);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	CHECK_INT(recorder_poll(&r, cursor, 1), 1);
	EXPECT(&r, "0 1010 begin minor\n");
}

/* The layout alone tells 5.0. */
TEST(layout_tells_5_0)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 128, 64);
	struct recorder r = {0};

	image_begin(image, 0, 10);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	EXPECT_POLL(&r, cursor, "0 1010 begin minor\n");
	expect_release(cursor, RTEV_RELEASE_5_0);
}

/* But not while the word that tells it is still to be written. */
TEST(layout_completed_later)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 64);
	struct recorder r = {0};

	uint64_t offset = image->metadata->names_offset;
	image->metadata->names_offset = 0;
	image_minor_5_2(image, 0);
	struct rtev_cursor *cursor = open_at(image, RTEV_START_OLDEST, false, 0);
	CHECK_INT(recorder_poll(&r, cursor, 0), 6);
	expect_release(cursor, RTEV_RELEASE_5_0);
	recorder_clear(&r);
	image->metadata->names_offset = offset;
	image_begin(image, 0, 40);
	EXPECT_POLL(&r, cursor, "0 1070 begin compaction\n");
	expect_release(cursor, RTEV_RELEASE_5_2);
}

/* A choice stands, whatever the ring says; RTEV_RELEASE_UNKNOWN takes it back. */
TEST(choice_stands)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 256);
	struct recorder r = {0};

	image_minor_5_3(image, 0);
	image_minor_5_3(image, 0);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_2);
	CHECK_INT(recorder_poll(&r, cursor, 1), 1);
	expect_release(cursor, RTEV_RELEASE_5_2);
	CHECK_INT(rtev_cursor_set_release(cursor, RTEV_RELEASE_UNKNOWN), RTEV_OK);
	CHECK_INT(recorder_poll(&r, cursor, 1), 1);
	expect_release(cursor, RTEV_RELEASE_5_4);
	CHECK_INT(rtev_cursor_set_release(cursor, RTEV_RELEASE_5_0), RTEV_OK);
	CHECK_INT(recorder_poll(&r, cursor, 1), 1);
	EXPECT(&r,
	    "0 1010 begin minor_local_roots\n0 1020 begin minor_local_roots\n0 1030 end minor_finalized\n");
	/* What was proved is known still. */
	CHECK_INT(rtev_cursor_set_release(cursor, RTEV_RELEASE_UNKNOWN), RTEV_OK);
	expect_release(cursor, RTEV_RELEASE_5_4);
}

/* Before there is evidence numbers stay numbers; each later poll looks at what has come. */
TEST(evidence_comes_later)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 256);
	struct recorder r = {0};

	image_begin(image, 0, 11);
	struct rtev_cursor *cursor = open_at(image, RTEV_START_OLDEST, false, 0);
	recorder_poll(&r, cursor, 0);
	expect_release(cursor, RTEV_RELEASE_UNKNOWN);
	image_counter(image, 0, 17, 1);
	recorder_poll(&r, cursor, 0);
	/* 5.3 or later: the table that knows most of them. */
	expect_release(cursor, RTEV_RELEASE_5_5);
	image_end(image, 0, 48);
	image_minor_5_3(image, 0);
	CHECK_INT(recorder_poll(&r, cursor, 1), 1);
	expect_release(cursor, RTEV_RELEASE_5_4);
	EXPECT(&r, "0 1010 begin phase_11\n0 1020 counter major_heap_words 1\n0 1030 end empty_minor\n");
}

/* Once it is proved polls look ahead no more: what another release would write changes nothing. */
TEST(proof_ends_the_search)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 256);
	struct recorder r = {.silent = true};

	image_minor_5_3(image, 0);
	struct rtev_cursor *cursor = open_at(image, RTEV_START_OLDEST, false, 0);
	recorder_poll(&r, cursor, 0);
	image_minor_5_2(image, 1);
	CHECK_INT(recorder_poll(&r, cursor, 0), 6);
	expect_release(cursor, RTEV_RELEASE_5_4);
	/* Nor do they stop where the search ended. */
	image_minor_5_3(image, 0);
	CHECK_INT(recorder_poll(&r, cursor, 0), 8);
}

/* A reader that begins at the end learns from what is there already. */
TEST(old_records_are_evidence)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 256);
	struct recorder r = {0};

	image_minor_5_3(image, 0);
	struct rtev_cursor *cursor = open_at(image, RTEV_START_NEWEST, false, 0);
	image_begin(image, 0, 11);
	EXPECT_POLL(&r, cursor, "0 1090 begin minor\n");
	image_close(image);

	cursor = open_at(image, RTEV_START_OLDEST, false, 0);
	CHECK_INT(rtev_cursor_skip(cursor), RTEV_OK);
	image_begin(image, 0, 11);
	EXPECT_POLL(&r, cursor, "0 1100 begin minor\n");
}

/* A ring that is begun anew may be another release's: nothing of it goes by the old one's tables. */
TEST(restart_begins_the_search_anew)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 256);
	struct recorder r = {0};

	image_minor_5_3(image, 0);
	struct rtev_cursor *cursor = open_at(image, RTEV_START_OLDEST, false, 0);
	CHECK_INT(recorder_poll(&r, cursor, 0), 8);
	recorder_clear(&r);
	image_restart(image);
	image->clock = 1000;
	image_minor_5_2(image, 0);
	while (recorder_poll(&r, cursor, 0) != 0 || r.counts[EVENT_RESTART] == 0 || r.events == 0)
		CHECK(r.events <= 6);
	EXPECT(&r, "0 restart\n" MINOR_5_2);
	expect_release(cursor, RTEV_RELEASE_5_2);
	/* And without any evidence, by none. */
	image_restart(image);
	image->clock = 1000;
	image_begin(image, 0, 10);
	recorder_clear(&r);
	while (r.events == 0)
		recorder_poll(&r, cursor, 0);
	EXPECT(&r, "0 restart\n0 1010 begin phase_10\n");
}

/* A bound on words holds for the search as well; nothing is delivered before it is complete, and nothing
 * twice. */
TEST(bound_on_words)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 1 << 16);
	struct recorder r = {.silent = true};
	unsigned polls = 0;

	for (int i = 0; i < 20000; i++)
		image_begin(image, 0, 0);
	image_minor_5_3(image, 1);
	struct rtev_cursor *cursor = open_at(image, RTEV_START_OLDEST, true, 4096);
	while (recorder_poll(&r, cursor, 0) == 0) {
		CHECK(rtev_cursor_more(cursor));
		expect_release(cursor, RTEV_RELEASE_UNKNOWN);
		CHECK(polls++ < 20);
	}
	CHECK(polls > 5);
	expect_release(cursor, RTEV_RELEASE_5_4);
	while (rtev_cursor_more(cursor))
		recorder_poll(&r, cursor, 0);
	CHECK_INT(r.events, 20008);
}

/* What the search has looked at counts in the bound of its poll. */
TEST(bound_on_both)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 1 << 14);
	struct recorder r = {.silent = true};

	for (int i = 0; i < 3000; i++)
		image_begin(image, 0, 0);
	image_minor_5_3(image, 0);
	struct rtev_cursor *cursor = open_at(image, RTEV_START_OLDEST, true, 6500);
	recorder_poll(&r, cursor, 0);
	expect_release(cursor, RTEV_RELEASE_5_4);
	CHECK(r.events > 0 && r.events < 1500);
	CHECK(rtev_cursor_more(cursor));
	recorder_poll(&r, cursor, 0);
	CHECK_INT(r.events, 3008);
}

/* A search that never finds anything does not keep a busy ring from being read, however small the bound. */
TEST(search_starves_nobody)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 1 << 14);
	struct recorder r = {.silent = true};

	struct rtev_cursor *cursor = open_at(image, RTEV_START_OLDEST, false, 1);
	for (int i = 0; i < 4000; i++) {
		image_begin(image, 0, 0);
		recorder_poll(&r, cursor, 0);
	}
	CHECK(r.events > 3000);
	CHECK_INT(r.lost, 0);
}

/* A poll reads up to the tail that it found, also when the one before it has left events that were looked
 * at. */
TEST(poll_reads_to_the_tail)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 1 << 14);
	struct recorder r = {.silent = true};

	for (int i = 0; i < 5; i++)
		image_begin(image, 0, 0);
	struct rtev_cursor *cursor = open_at(image, RTEV_START_OLDEST, false, 0);
	CHECK_INT(recorder_poll(&r, cursor, 3), 3);
	image_begin(image, 0, 0);
	image_begin(image, 1, 0);
	CHECK_INT(recorder_poll(&r, cursor, 10), 4);
	image_close(image);

	/* With a bound on words, one that follows as long as there is more. */
	for (int i = 0; i < 4000; i++)
		image_begin(image, 0, 0);
	cursor = open_at(image, RTEV_START_OLDEST, false, 6000);
	CHECK_INT(recorder_poll(&r, cursor, 10), 0);
	CHECK(rtev_cursor_more(cursor));
	image_begin(image, 2, 0);
	r.events = 0;
	do
		recorder_poll(&r, cursor, 0);
	while (rtev_cursor_more(cursor));
	CHECK_INT(r.events, 4008);
}

/* Note a resume. */
static void count_resume(void *ctx, unsigned domain, uint64_t ts)
{
	*(unsigned *)ctx += 1;
}

/* Who scans after polls have looked ahead is told of every resume that is not delivered yet. */
TEST(scan_after_a_search)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 256);
	struct recorder r = {.silent = true};
	struct rtev_scan scan = {.size = sizeof(scan)};
	unsigned resumes = 0;

	for (int i = 0; i < 5; i++)
		image_lifecycle(image, 0, RTEV_LIFECYCLE_RING_RESUME, 0);
	image_minor_5_2(image, 0);
	struct rtev_cursor *cursor = open_at(image, RTEV_START_OLDEST, false, 0);
	CHECK_INT(recorder_poll(&r, cursor, 2), 2);
	CHECK_INT(rtev_cursor_scan(cursor, count_resume, &resumes, &scan), RTEV_OK);
	CHECK_INT(resumes, 3);
	CHECK_INT(scan.release, RTEV_RELEASE_5_2);
	CHECK_INT(scan.unread_words, 3 * 3 + 14);
	/* From then on polls stop where the scan ended. */
	image_minor_5_2(image, 0);
	CHECK_INT(recorder_poll(&r, cursor, 0), 3 + 6);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	/* Scans find the release for polls, too, and once more after another program has begun. */
	image_restart(image);
	image_minor_5_3(image, 0);
	CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
	expect_release(cursor, RTEV_RELEASE_5_4);
	CHECK_INT(recorder_poll(&r, cursor, 0), 8);
}

/* A rewind forgets what was looked at: stamps that go back are told, as they would be without a scan. */
TEST(rewind_forgets_scans)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 64);
	struct recorder r = {0};
	struct rtev_scan scan = {.size = sizeof(scan)};

	image_begin(image, 0, 0);
	image_record(image, 0, 500, RECORD_END, 0, NULL, 0);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
	CHECK_INT(rtev_cursor_rewind(cursor), RTEV_OK);
	EXPECT_POLL(&r, cursor, "0 1010 begin explicit_gc_set\n0 corrupt 0\n0 500 end explicit_gc_set\n");
}
