/*
 * test_cursor_events.c - what each kind of record is decoded to, in every layout.
 */
#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

/* Read a whole image and compare. */
static void expect_image(struct ring_image *image, enum rtev_release release, const char *lines)
{
	struct recorder r = {0};
	struct rtev_cursor *cursor = image_open(image, release);

	EXPECT_POLL(&r, cursor, lines);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	EXPECT(&r, "");
	image_close(image);
}

/* Runtime records are decoded alike in both layouts; the numbers are those of the release. */
TEST(runtime_events)
{
	static const enum image_layout layouts[] = {LAYOUT_5_0, LAYOUT_5_1, LAYOUT_PMC};
	uint64_t buckets[RTEV_ALLOC_BUCKETS];

	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		buckets[i] = i * i;
	buckets[19] = UINT64_MAX;
	for (int i = 0; i < 3; i++) {
		struct ring_image *image = image_make(layouts[i], 2, 64);
		image_lifecycle(image, 0, RTEV_LIFECYCLE_RING_START, 4242);
		image_begin(image, 0, 10);
		image_begin(image, 1, 32);
		image_counter(image, 0, 5, 2097080);
		image_counter(image, 0, 4, -1);
		image_end(image, 0, 10);
		image_record(image, 1, 7000, RECORD_ALLOC, 0, buckets, RTEV_ALLOC_BUCKETS);
		expect_image(image, RTEV_RELEASE_5_0,
		    "0 1010 lifecycle ring_start 4242\n"
		    "0 1020 begin minor\n"
		    "0 1040 counter minor_allocated 2097080\n"
		    "0 1050 counter minor_promoted -1\n"
		    "0 1060 end minor\n"
		    "1 1030 begin stw_leader\n"
		    "1 7000 alloc 0,1,4,9,16,25,36,49,64,81,100,121,144,169,196,225,256,289,324,"
		    "18446744073709551615\n");
	}
}

/* The same numbers mean other phases and counters in another release. */
TEST(releases)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 64);

	/* With fewer domains the release would not be unknown. */
	image_begin(image, 0, 10);
	image_begin(image, 0, 40);
	expect_image(image, RTEV_RELEASE_UNKNOWN, "0 1010 begin phase_10\n0 1020 begin phase_40\n");
	image_begin(image, 0, 48);
	image_counter(image, 0, 17, 1);
	image_counter(image, 0, 26, 2);
	expect_image(image, RTEV_RELEASE_5_0,
	    "0 1010 begin minor\n0 1020 begin phase_40\n0 1030 begin phase_48\n"
	    "0 1040 counter counter_17 1\n0 1050 counter counter_26 2\n");
	expect_image(image, RTEV_RELEASE_5_2,
	    "0 1010 begin minor\n0 1020 begin compaction\n0 1030 begin phase_48\n"
	    "0 1040 counter counter_17 1\n0 1050 counter counter_26 2\n");
	expect_image(image, RTEV_RELEASE_5_3,
	    "0 1010 begin major_mark\n0 1020 begin minor_remembered_set_promote\n0 1030 begin phase_48\n"
	    "0 1040 counter major_heap_words 1\n0 1050 counter counter_26 2\n");
	expect_image(image, RTEV_RELEASE_5_5,
	    "0 1010 begin major_mark\n0 1020 begin minor_remembered_set_promote\n0 1030 begin empty_minor\n"
	    "0 1040 counter major_heap_words 1\n0 1050 counter minor_allocated_words 2\n");
	expect_image(image, RTEV_RELEASE_OXCAML,
	    "0 1010 begin major_mark\n0 1020 begin minor_remembered_set_promote\n"
	    "0 1030 begin minor_ephe_clean\n"
	    "0 1040 counter request_minor_realloc_dependent_table 1\n0 1050 counter counter_26 2\n");
}

/* The tables can be changed between polls; nothing else changes with them. */
TEST(release_changes_between_polls)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 128, 64);
	struct recorder r = {0};

	for (int i = 0; i < 3; i++)
		image_begin(image, 0, 16);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	recorder_poll(&r, cursor, 1);
	CHECK_INT(rtev_cursor_set_release(cursor, RTEV_RELEASE_5_2), RTEV_OK);
	CHECK_INT(rtev_cursor_release(cursor), RTEV_RELEASE_5_2);
	recorder_poll(&r, cursor, 1);
	CHECK_INT(rtev_cursor_set_release(cursor, (enum rtev_release)99), RTEV_E_INVALID);
	CHECK_INT(rtev_cursor_set_release(cursor, RTEV_RELEASE_5_4), RTEV_OK);
	recorder_poll(&r, cursor, 1);
	EXPECT(&r, "0 1010 begin phase_16\n0 1020 begin interrupt_remote\n"
		   "0 1030 begin explicit_gc_major_slice\n");
}

/* Numbers that no table has stay visible, up to the greatest that fits a header. */
TEST(unknown_ids)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);

	image_begin(image, 0, 57);
	image_end(image, 0, 8191);
	image_counter(image, 0, 31, 7);
	image_counter(image, 0, 8191, INT64_MIN);
	image_lifecycle(image, 0, 9, 3);
	image_lifecycle(image, 0, 8191, 4);
	expect_image(image, RTEV_RELEASE_5_5,
	    "0 1010 begin phase_57\n0 1020 end phase_8191\n0 1030 counter counter_31 7\n"
	    "0 1040 counter counter_8191 -9223372036854775808\n"
	    "0 1050 lifecycle lifecycle_9 3\n0 1060 lifecycle lifecycle_8191 4\n");
}

/* Every lifecycle event by name; ring_stop has no payload, and then none is made up. */
TEST(lifecycles)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);

	for (unsigned i = 0; i < RTEV_LIFECYCLE_COUNT; i++)
		if (i != RTEV_LIFECYCLE_RING_STOP)
			image_lifecycle(image, 0, i, i * 100);
	/* What stands behind the record is not its payload. */
	image_record(image, 0, 5000, RECORD_LIFECYCLE, RTEV_LIFECYCLE_RING_STOP, NULL, 0);
	image_record(image, 0, 5001, RECORD_BEGIN, 0, NULL, 0);
	expect_image(image, RTEV_RELEASE_5_3,
	    "0 1010 lifecycle ring_start 0\n0 1020 lifecycle ring_pause 200\n"
	    "0 1030 lifecycle ring_resume 300\n0 1040 lifecycle fork_parent 400\n"
	    "0 1050 lifecycle fork_child 500\n0 1060 lifecycle domain_spawn 600\n"
	    "0 1070 lifecycle domain_terminate 700\n0 5000 lifecycle ring_stop 0\n0 5001 begin "
	    "explicit_gc_set\n");
}

/* User records of every kind; a custom payload keeps its exact length. */
TEST(user_events)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);

	image_name(image, 0, "http.request");
	image_name(image, 8191, "queue.depth");
	image_span(image, 0, 0, true);
	image_unit(image, 0, 1);
	image_int(image, 0, 8191, -16);
	image_int(image, 0, 8191, INT64_C(1) << 40);
	image_span(image, 0, 0, false);
	image_custom(image, 0, 8191, "log", 3);
	expect_image(image, RTEV_RELEASE_5_3,
	    "0 1010 span_begin http.request\n0 1020 unit -\n0 1030 int queue.depth -16\n"
	    "0 1040 int queue.depth 1099511627776\n0 1050 span_end http.request\n"
	    "0 1060 custom queue.depth 3 6c6f67\n");
}

/* A file of 5.0 has no names, whatever stands where later files tell their place. */
TEST(user_events_without_names)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);

	image_unit(image, 0, 3);
	expect_image(image, RTEV_RELEASE_5_0, "0 1010 unit -\n");
	static const uint64_t stale[] = {1, 63, 64, 656, 660, 1 << 20, UINT64_MAX, UINT64_MAX - 7};
	for (size_t i = 0; i < sizeof(stale) / sizeof(stale[0]); i++) {
		image->metadata->names_offset = stale[i];
		expect_image(image, RTEV_RELEASE_5_0, "0 1010 unit -\n");
	}
}

struct payload {
	size_t len;
	bool seen;
	const unsigned char *bytes;
};

static enum rtev_next check_payload(void *ctx, unsigned domain, uint64_t ts,
    const struct rtev_user_event *event, const void *data, size_t len)
{
	struct payload *p = ctx;
	CHECK_INT(event->id, 5);
	CHECK_INT(len, p->len);
	CHECK(memcmp(data, p->bytes, len) == 0);
	p->seen = true;
	return RTEV_CONTINUE;
}

/* Custom payloads of 0 to 1024 bytes, the last of which is 129 words, arrive byte for byte. */
TEST(custom_lengths)
{
	const struct rtev_callbacks calls = {.size = sizeof(calls), .user_custom = check_payload};
	unsigned char bytes[RTEV_CUSTOM_BYTES_MAX];
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 512);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7 + 1);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		struct payload p = {.len = len, .bytes = bytes};
		uint64_t consumed;
		image_custom(image, 0, 5, bytes, len);
		CHECK_INT(rtev_cursor_poll(cursor, &calls, &p, 0, &consumed), RTEV_OK);
		CHECK_INT(consumed, 1);
		CHECK(p.seen);
	}
}

/* The longest record that a header can tell: 1023 words, 8167 bytes of payload. */
TEST(custom_longest)
{
	const struct rtev_callbacks calls = {.size = sizeof(calls), .user_custom = check_payload};
	static unsigned char bytes[8167];
	struct payload p = {.len = sizeof(bytes), .bytes = bytes};
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 2048);

	memset(bytes, 'x', sizeof(bytes));
	image_custom(image, 0, 5, bytes, sizeof(bytes));
	CHECK_INT(image_tail(image, 0), RTEV_RECORD_WORDS_MAX);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_poll(cursor, &calls, &p, 1, NULL), RTEV_OK);
	CHECK(p.seen);
}

/* The last byte of a custom payload tells its length; 8 and more make no sense. */
TEST(custom_bad_last_byte)
{
	for (unsigned pad = 0; pad < 256; pad++) {
		struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
		struct recorder r = {0};
		image_record(
		    image, 0, 1000, RECORD_USER_CUSTOM, 1, (uint64_t[]){0, (uint64_t)pad << 56 | 0x41}, 2);
		image_begin(image, 0, 0);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		recorder_poll(&r, cursor, 0);
		CHECK_INT(r.counts[EVENT_CUSTOM], pad < 8 ? 1 : 0);
		CHECK_INT(r.corrupt, pad < 8 ? 0 : 4);
		CHECK_INT(r.counts[EVENT_BEGIN], 1);
		recorder_clear(&r);
	}
}

/* OxCaml's spans end with samples: their number stands in the low bits, 2 words each follow.  They are no
 * part of what is delivered. */
TEST(oxcaml_samples)
{
	const uint64_t samples[] = {0xC0, 0xC1, 0xC2, 101, 102, 103};
	struct ring_image *image = image_make(LAYOUT_PMC, 1, 64);

	image_name(image, 2, "work");
	for (unsigned n = 0; n <= 3; n++) {
		uint64_t low = (uint64_t)n << HEADER_SAMPLES_SHIFT;
		uint64_t at = image_tail(image, 0);
		image_record(image, 0, 2000 + 10 * n, RECORD_BEGIN, 11, samples, 2 * n);
		image_poke(image, 0, at, header_make(2 + 2 * n, RECORD_BEGIN, 11) | low);
		at = image_tail(image, 0);
		image_record(image, 0, 2005 + 10 * n, RECORD_USER_SPAN_END, 2, samples, 2 * n);
		image_poke(image, 0, at, header_make(2 + 2 * n, RECORD_USER_SPAN_END, 2) | low);
	}
	expect_image(image, RTEV_RELEASE_OXCAML,
	    "0 2000 begin minor\n0 2005 span_end work\n0 2010 begin minor\n0 2015 span_end work\n"
	    "0 2020 begin minor\n0 2025 span_end work\n0 2030 begin minor\n0 2035 span_end work\n");
}

/* Longer records than today's, of any kind: only a least length is asked for. */
TEST(longer_records)
{
	const uint64_t payload[24] = {7};
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 256);

	image_record(image, 0, 1, RECORD_BEGIN, 0, payload, 5);
	image_record(image, 0, 2, RECORD_COUNTER, 4, payload, 4);
	image_record(image, 0, 3, RECORD_ALLOC, 0, payload, 24);
	image_record(image, 0, 4, RECORD_LIFECYCLE, 0, payload, 2);
	image_record(image, 0, 5, RECORD_USER_UNIT, 0, payload, 1);
	image_record(image, 0, 6, RECORD_USER_INT, 0, payload, 3);
	expect_image(image, RTEV_RELEASE_5_3,
	    "0 1 begin explicit_gc_set\n0 2 counter minor_promoted 7\n"
	    "0 3 alloc 7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n0 4 lifecycle ring_start 7\n"
	    "0 5 unit -\n0 6 int - 7\n");
}

/* Record types of a later runtime are passed over whole, without a callback and without harm. */
TEST(later_types)
{
	const uint64_t payload[4] = {0};
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {0};

	image_begin(image, 0, 0);
	image_record(image, 0, 1011, RECORD_FLUSH, 0, payload, 0);
	image_record(image, 0, 1012, (enum record_type)9, 0, payload, 4);
	image_record(image, 0, 1013, (enum record_type)31, 0, payload, 1);
	image_end(image, 0, 0);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(recorder_try(&r, cursor, 0, NULL), RTEV_OK);
	EXPECT(&r, "0 1010 begin explicit_gc_set\n0 1020 end explicit_gc_set\n");
}

/* Padding has no stamp and is no event, down to a single word at the very end of a ring. */
TEST(padding)
{
	struct ring_image *image;
	struct recorder r = {0};

	for (unsigned left = 1; left <= 2; left++) {
		image = image_make(LAYOUT_5_1, 1, 16);
		image_set(image, 0, 16 - left, 16 - left);
		image_poke(image, 0, 15, UINT64_MAX);
		image_counter(image, 0, 0, 1);
		CHECK_INT(image_tail(image, 0), 16 + 3);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		CHECK_INT(recorder_poll(&r, cursor, 0), 1);
		CHECK_INT(r.history, 16 - left);
		CHECK_INT(r.counts[EVENT_COUNTER], 1);
		recorder_clear(&r);
	}
}

/* Frequent records that have no callback count all the same, one after the other. */
TEST(missing_frequent)
{
	const struct rtev_callbacks none = {.size = sizeof(none)};
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 512);
	uint64_t consumed;

	for (unsigned i = 0; i < 10; i++) {
		image_begin(image, 0, 0);
		image_end(image, 0, 0);
		image_counter(image, 0, 0, 0);
		image_int(image, 0, 0, 0);
		image_unit(image, 0, 0);
		image_span(image, 0, 0, true);
		image_span(image, 0, 0, false);
	}
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_poll(cursor, &none, NULL, 0, &consumed), RTEV_OK);
	CHECK_INT(consumed, 70);
}

/* Nothing that has no callback is called, and it counts all the same. */
TEST(missing_callbacks)
{
	const struct rtev_callbacks none = {.size = sizeof(none)};
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	uint64_t consumed;

	image_set(image, 0, 64, 64);
	image_begin(image, 0, 0);
	image_end(image, 0, 0);
	image_counter(image, 0, 0, 0);
	image_lifecycle(image, 0, 0, 0);
	image_unit(image, 0, 0);
	image_int(image, 0, 0, 0);
	image_span(image, 0, 0, true);
	image_custom(image, 0, 0, "", 0);
	image_record(image, 0, 9000, RECORD_ALLOC, 0, (uint64_t[RTEV_ALLOC_BUCKETS]){0}, RTEV_ALLOC_BUCKETS);
	image_raw(image, 0, (uint64_t[]){0}, 1);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	image_restart(image);
	image_begin(image, 0, 0);
	CHECK_INT(rtev_cursor_poll(cursor, &none, NULL, 0, &consumed), RTEV_OK);
	CHECK_INT(consumed, 1);
	image_close(image);
	/* An older caller's shorter structure, and one that is too short or too long to be one. */
	cursor = image_open(image, RTEV_RELEASE_5_3);
	struct rtev_callbacks some = {.size = sizeof(size_t)};
	CHECK_INT(rtev_cursor_poll(cursor, &some, NULL, 0, &consumed), RTEV_OK);
	CHECK_INT(consumed, 1);
	some.size = sizeof(size_t) - 1;
	CHECK_INT(rtev_cursor_poll(cursor, &some, NULL, 0, &consumed), RTEV_E_INVALID);
	CHECK_INT(consumed, 0);
	some.size = sizeof(some) + 1;
	CHECK_INT(rtev_cursor_poll(cursor, &some, NULL, 0, &consumed), RTEV_E_INVALID);
}
