/*
 * test_cursor_lost.c - words overwritten before they were read: before and after the cursor was opened, while
 * a ring is being read, far beyond 32 bits, and more than there can be.
 */
#include "core/sum.h"
#include "ring/cursor_state.h"
#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

/* Check that a recorder has seen as many events, lost words and words of history. */
static void check_counts(struct recorder *r, uint64_t events, uint64_t lost, uint64_t history)
{
	CHECK_INT(r->events, events);
	CHECK_INT(r->lost, lost);
	CHECK_INT(r->history, history);
	CHECK_INT(r->corrupt, 0);
	CHECK_INT(r->counts[EVENT_RESTART], 0);
	recorder_clear(r);
}

/* A number from a fixed sequence, below a limit. */
static unsigned chance(uint64_t *seed, unsigned limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33) % limit;
}

/* What was overwritten before the cursor was opened is history, and told before the first event. */
TEST(before_opening_is_history)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 8);
	struct recorder r = {0};

	image_fill(image, 0, 10);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	EXPECT_POLL(&r, cursor,
	    "0 lost 14 (14)\n0 1080 begin explicit_gc_set\n0 1090 begin explicit_gc_set\n"
	    "0 1100 begin explicit_gc_set\n");
	EXPECT_POLL(&r, cursor, "");
}

/* What is overwritten afterwards is lost, and a loss that spans the opening is split. */
TEST(after_opening_is_lost)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 2, 64);
	struct recorder r = {.silent = true};

	image_fill(image, 0, 50);
	CHECK_INT(image_head(image, 0), 38);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	image_fill(image, 0, 50);
	CHECK_INT(image_head(image, 0), 138);
	recorder_poll(&r, cursor, 0);
	check_counts(&r, 31, 100, 38);
	image_fill(image, 0, 31);
	recorder_poll(&r, cursor, 0);
	check_counts(&r, 31, 0, 0);
	image_fill(image, 0, 32);
	recorder_poll(&r, cursor, 0);
	check_counts(&r, 31, 2, 0);
}

/* Each ring has losses of its own. */
TEST(each_ring_its_own)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 3, 8);
	struct recorder r = {0};

	image_fill(image, 2, 4);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	image_fill(image, 0, 5);
	EXPECT_POLL(&r, cursor,
	    "0 lost 4 (0)\n"
	    "0 1070 begin explicit_gc_set\n0 1080 begin explicit_gc_set\n0 1090 begin explicit_gc_set\n"
	    "2 lost 2 (2)\n"
	    "2 1020 begin explicit_gc_set\n2 1030 begin explicit_gc_set\n2 1040 begin explicit_gc_set\n");
}

/* Indexes and losses are 64 bits wide. */
TEST(beyond_32_bits)
{
	const uint64_t far = (UINT64_C(1) << 33) + 64;
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);
	struct recorder r = {.silent = true};

	image_set(image, 0, far, far);
	image_fill(image, 0, 3);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	recorder_poll(&r, cursor, 0);
	check_counts(&r, 3, 0, far);
	image_set(image, 0, far * 3, far * 3);
	image_fill(image, 0, 1);
	recorder_poll(&r, cursor, 0);
	check_counts(&r, 1, far * 2 - 6, 0);
}

/* A ring that claims more words than any was ever written is not believed: what a loss would come to is not
 * known.  Up to there it is read, and read again once its indexes make sense. */
TEST(beyond_all_words)
{
	static const uint64_t beyond[] = {
	    RING_WORDS_CEILING + 1, UINT64_C(1) << 63, UINT64_MAX - 64, UINT64_MAX};

	for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
		const struct rtev_cursor_options live = {.size = sizeof(live)};
		struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);
		struct recorder r = {.silent = true};
		struct rtev_scan scan = {.size = sizeof(scan)};
		image_set(image, 0, RING_WORDS_CEILING - 64, RING_WORDS_CEILING - 64);
		image_fill(image, 0, 16);
		struct rtev_cursor *cursor = image_open_with(image, &live);
		recorder_poll(&r, cursor, 0);
		check_counts(&r, 16, 0, RING_WORDS_CEILING - 64);
		image_set(image, 0, beyond[i], beyond[i]);
		CHECK_INT(recorder_poll(&r, cursor, 0), 0);
		CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
		CHECK_INT(scan.unread_words, 0);
		CHECK_INT(recorder_poll(&r, cursor, 0), 0);
		check_counts(&r, 0, 0, 0);
		image_set(image, 0, RING_WORDS_CEILING, RING_WORDS_CEILING);
		CHECK_INT(recorder_poll(&r, cursor, 0), 0);
		check_counts(&r, 0, 32, 0);
		image_close(image);
		image_set(image, 0, beyond[i], beyond[i]);
		/* Where no writer puts it right, at most a whole ring is skipped. */
		cursor = image_open(image, RTEV_RELEASE_5_3);
		CHECK_INT(recorder_poll(&r, cursor, 0), 0);
		CHECK_INT(r.counts[EVENT_CORRUPT], 1);
		CHECK_INT(r.corrupt, 64);
	}
}

struct lapper {
	struct ring_image *image;
	unsigned at;	/* after this many calls .. */
	unsigned count; /* .. append this many events */
	unsigned calls;
};

/* Overwrite the ring while it is being read. */
static enum rtev_next lap(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	struct lapper *l = r->context;
	if (++l->calls == l->at)
		image_fill(l->image, domain, l->count);
	return RTEV_CONTINUE;
}

/* Words of a batch already copied are delivered; those overwritten before they were copied are lost, to the
 * word.  A batch is 2048 words, so that of 4000 events 1024 are copied at once. */
TEST(lapped_between_batches)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 8192);
	struct lapper l = {.image = image, .at = 5, .count = 3000};
	struct recorder r = {.silent = true, .hook = lap, .context = &l};

	CHECK_INT(BATCH_WORDS, 2048);
	image_fill(image, 0, 4000);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	/* 8000 words are seen at first; after 6000 more the head is 14000 - 8190 = 5810. */
	recorder_poll(&r, cursor, 0);
	CHECK_INT(image_head(image, 0), 5810);
	check_counts(&r, 1024 + (8000 - 5810) / 2, 5810 - 2048, 0);
	l.at = 0;
	recorder_poll(&r, cursor, 0);
	check_counts(&r, 3000, 0, 0);
}

/* A writer that laps the whole of what a visit set out to read ends the visit; the next one finds firm
 * ground. */
TEST(lapped_wholly)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 8192);
	struct lapper l = {.image = image, .at = 1, .count = 20000};
	struct recorder r = {.silent = true, .hook = lap, .context = &l};

	image_fill(image, 0, 4000);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	recorder_poll(&r, cursor, 0);
	uint64_t head = image_head(image, 0);
	CHECK_INT(head, 48000 - 8190);
	check_counts(&r, 1024, head - 2048, 0);
	recorder_poll(&r, cursor, 0);
	check_counts(&r, 8190 / 2, 0, 0);
}

/* Whatever was in the words: an overwritten record is lost, never corrupt. */
TEST(overwritten_by_nonsense_is_lost)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 1, 64);
	struct recorder r = {.silent = true};

	image_fill(image, 0, 31);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	/* The writer is in the middle of a record: it has moved the head, and stored anything below it. */
	image_set(image, 0, 20, 62);
	for (unsigned i = 0; i < 20; i++)
		image_poke(image, 0, i, UINT64_MAX);
	recorder_poll(&r, cursor, 0);
	check_counts(&r, 21, 20, 0);
}

/* A reader that rewinds before it polls has history only, though the writer goes on meanwhile. */
TEST(rewound_is_history)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 2, 1024);
	struct recorder r = {.silent = true};
	const struct rtev_cursor_options running = {.size = sizeof(running), .release = RTEV_RELEASE_5_3};
	uint64_t seed = 1;

	image_fill(image, 0, 1000);
	image_fill(image, 1, 100);
	struct rtev_cursor *cursor = image_open_with(image, &running);
	image_fill(image, 0, 500);
	CHECK_INT(rtev_cursor_rewind(cursor), RTEV_OK);
	image_fill(image, 0, 8);
	CHECK_INT(rtev_cursor_rewind(cursor), RTEV_OK);
	uint64_t sure = ring_keep(&cursor->rings[0].source) - 1024 / 16;
	/* A sixteenth of the ring. */
	image_fill(image, 0, 32);
	recorder_poll(&r, cursor, 0);
	CHECK_INT(r.corrupt, 0);
	CHECK_INT(r.lost, 0);
	CHECK_INT(r.events * 2 + r.history, (1000 + 500 + 8 + 32 + 100) * 2);
	CHECK(r.events >= 100 + sure / 2);
	/* What is lost from now on is no history. */
	recorder_clear(&r);
	image_fill(image, 0, 600);
	recorder_poll(&r, cursor, 0);
	CHECK(r.lost > 0);
	CHECK_INT(r.history, 0);
	CHECK_INT(rtev_cursor_rewind(cursor), RTEV_E_INVALID);
	image_close(image);
	/* Wherever the record lies that the margin cuts. */
	for (int round = 0; round < 200; round++) {
		for (unsigned n = 1 + chance(&seed, 40); n > 0; n--)
			image_counter(image, 0, chance(&seed, 5), (int64_t)chance(&seed, 1000));
		image_fill(image, 0, chance(&seed, 3));
		recorder_clear(&r);
		cursor = image_open_with(image, &running);
		CHECK_INT(rtev_cursor_rewind(cursor), RTEV_OK);
		recorder_poll(&r, cursor, 0);
		CHECK_INT(r.corrupt, 0);
		CHECK_INT(r.lost, 0);
		/* Up to the ring's very end it might be padding. */
		CHECK(r.events >= 100 + (image_tail(image, 0) % 1024 != 0 ? sure / 3 - 20 : 0));
		image_close(image);
	}
}

/* A writer that wrote much between opening and rewind writes as much again before the first poll. */
TEST(rewound_before_a_fast_writer)
{
	static const unsigned since[] = {40, 120, 250, 400, 3000};
	const struct rtev_cursor_options running = {.size = sizeof(running), .release = RTEV_RELEASE_5_3};

	for (size_t i = 0; i < sizeof(since) / sizeof(since[0]); i++) {
		struct ring_image *image = image_make(LAYOUT_5_1, 1, 1024);
		struct recorder r = {.silent = true};
		unsigned again = since[i] < 64 ? 4 * since[i] : 256;
		image_fill(image, 0, 1000);
		struct rtev_cursor *cursor = image_open_with(image, &running);
		image_fill(image, 0, since[i]);
		CHECK_INT(rtev_cursor_rewind(cursor), RTEV_OK);
		image_fill(image, 0, again);
		recorder_poll(&r, cursor, 0);
		CHECK_INT(r.lost, 0);
		CHECK_INT(r.events * 2 + r.history, (1000 + since[i] + again) * 2);
		CHECK(r.events * 2 + 4 >= ring_keep(&cursor->rings[0].source));
	}
}

/* What a writer overwrites of what was written before the rewind is history, however much that is, until a record
 * is delivered.  What it has written since is lost. */
TEST(rewound_beyond_the_margin)
{
	const struct rtev_cursor_options running = {.size = sizeof(running), .release = RTEV_RELEASE_5_3};

	for (unsigned since = 20; since <= 800; since += 60) {
		struct ring_image *image = image_make(LAYOUT_5_1, 1, 1024);
		struct recorder r = {.silent = true};
		image_fill(image, 0, 1000);
		struct rtev_cursor *cursor = image_open_with(image, &running);
		CHECK_INT(rtev_cursor_rewind(cursor), RTEV_OK);
		image_fill(image, 0, since);
		recorder_poll(&r, cursor, 1);
		uint64_t head = image_head(image, 0);
		uint64_t kept = image_tail(image, 0) - ring_keep(&cursor->rings[0].source);
		uint64_t oldest = head > kept ? head : kept + kept % 2;
		CHECK_INT(r.lost, oldest > 2000 ? oldest - 2000 : 0);
		CHECK_INT(r.events, 1);
		recorder_clear(&r);
		image_fill(image, 0, 512);
		recorder_poll(&r, cursor, 0);
		CHECK(r.lost > 0);
		CHECK_INT(r.history, 0);
	}
}

/* So it is where words that are about to be overwritten count as lost already. */
TEST(rewound_behind_a_guard)
{
	struct ring_image *image;
	struct recorder r = {.silent = true};
	const struct rtev_cursor_options running = {.size = sizeof(running), .release = RTEV_RELEASE_5_3};

	for (uint64_t words = 64; words <= 65536; words *= 4) {
		image = image_make(LAYOUT_5_1, 1, words);
		image_fill(image, 0, (unsigned)words);
		struct rtev_cursor *cursor = image_open_with(image, &running);
		cursor->rings[0].source.guard = 1100;
		CHECK_INT(rtev_cursor_rewind(cursor), RTEV_OK);
		image_fill(image, 0, (unsigned)words / 32);
		recorder_poll(&r, cursor, 0);
		CHECK_INT(r.lost, 0);
		CHECK(r.events * 2 + 4 >= ring_keep(&cursor->rings[0].source));
		recorder_clear(&r);
	}
}

/* A file is all there: a rewind leaves out nothing of it. */
TEST(rewound_file)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {.silent = true};

	image_fill(image, 0, 50);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_rewind(cursor), RTEV_OK);
	recorder_poll(&r, cursor, 0);
	check_counts(&r, 31, 0, 38);
}

/* Where the next record must begin, from what was delivered and lost so far. */
struct ledger {
	uint64_t next, ring_words;
	uint64_t lost; /* of the recorder, when next was right */
};

/* The stamps tell where a record begins and how long it is: check that there is no gap but padding. */
static enum rtev_next audit(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	struct ledger *l = r->context;
	if (kind != EVENT_BEGIN)
		return RTEV_CONTINUE;
	uint64_t start = ts >> 12, gap = start - l->next - (r->lost - l->lost);
	bool padding = start % l->ring_words == 0 || (l->next + gap) % l->ring_words == 0;
	if (gap != 0 && (!padding || gap > 132))
		TEST_FAIL("%" PRIu64 " words unaccounted for before %" PRIu64, gap, start);
	l->next = start + (ts & 4095);
	l->lost = r->lost;
	return RTEV_CONTINUE;
}

/* Delivered and lost words and padding add up to what was written, whatever the sizes of rings, records and
 * polls. */
TEST(nothing_goes_missing)
{
	static const uint64_t payload[RTEV_RECORD_WORDS_MAX];
	uint64_t seed = 12345;

	for (unsigned log2 = 3; log2 <= 16; log2++) {
		struct ring_image *image;
		unsigned size = 1u << log2, longest = size / 4 - 1 < 130 ? size / 4 - 1 : 130;
		struct ledger l = {.ring_words = size};
		struct recorder r = {.silent = true, .hook = audit, .context = &l};
		image = image_make(LAYOUT_5_0, 1, size);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		for (int round = 0; round < 300; round++) {
			for (unsigned n = chance(&seed, size / 16 + 4); n > 0; n--) {
				unsigned words = chance(&seed, longest);
				uint64_t at = image_tail(image, 0), left = size - at % size;
				if (left < words + 2)
					at += left;
				image_record(
				    image, 0, at << 12 | (words + 2), RECORD_BEGIN, 0, payload, words);
			}
			recorder_poll(&r, cursor, chance(&seed, 60));
		}
		recorder_poll(&r, cursor, 0);
		CHECK_INT(l.next, image_tail(image, 0));
		CHECK(r.events > 0 && r.lost > 0);
		CHECK_INT(r.corrupt, 0);
		CHECK_INT(r.counts[EVENT_RESTART], 0);
	}
}

/* Every number of domains that a header may tell. */
TEST(domain_counts)
{
	for (unsigned domains = 1; domains <= DOMAINS_MAX;
	     domains = domains < 8 ? domains + 1 : domains * 2) {
		struct ring_image *image = image_make(LAYOUT_5_1, domains, 8);
		struct recorder r = {.silent = true};
		struct rtev_ring_info info = {.size = sizeof(info)};
		for (unsigned d = 0; d < domains; d++)
			image_fill(image, d, 4);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		rtev_cursor_info(cursor, &info);
		CHECK_INT(info.domains, domains);
		CHECK_INT(info.max_domains, domains);
		CHECK_INT(info.ring_words, 8);
		CHECK_INT(info.file_bytes, image->size);
		CHECK_INT(info.version, 1);
		CHECK(info.has_names);
		recorder_poll(&r, cursor, 0);
		check_counts(&r, domains * 3, 0, domains * 2);
	}
}

/* Where stores may be reordered, words about to be overwritten count as lost already.  That ends in the
 * middle of records, and what is left of the first is lost with them. */
TEST(guard_band)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {0};

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	cursor->guard = 15;
	for (unsigned i = 0; i < 30; i++)
		image_counter(image, 0, i % 3, i);
	/* A ring keeps 49 of its 64 words.  Tail 91 less 49 is 42, the end of the record before: a padding
	 * word stood at 63. */
	CHECK_INT(image_tail(image, 0), 91);
	recorder_poll(&r, cursor, 2);
	EXPECT(&r, "0 lost 42 (0)\n0 1150 counter force_minor_set_minor_heap_size 14\n"
		   "0 1160 counter force_minor_alloc_small 15\n");
	/* With one word less to keep it is the middle of a record. */
	cursor->rings[0].position = 0;
	cursor->rings[0].source.guard = 16;
	recorder_poll(&r, cursor, 1);
	EXPECT(&r, "0 lost 45 (0)\n0 1160 counter force_minor_alloc_small 15\n");
	/* No ring is guarded wholly: half of it can always be read. */
	cursor->rings[0].position = 0;
	cursor->rings[0].source.guard = 1100;
	recorder_poll(&r, cursor, 1);
	EXPECT(&r, "0 lost 60 (0)\n0 1210 counter force_minor_set_minor_heap_size 20\n");
}

/* Behind a guard a record's last word can pass for padding; but then no record was too long for what is
 * left. */
TEST(guard_before_false_padding)
{
	static const uint64_t payload[27] = {[26] = UINT64_C(7) << 56};
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {.silent = true};

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
	cursor->guard = 30;
	image_fill(image, 0, 4);
	/* The last word says that 7 of its bytes are no payload, and reads as the header of 28 words of
	 * padding. */
	image_record(image, 0, image->clock += 10, RECORD_USER_CUSTOM, 0, payload, 27);
	for (unsigned i = 0; i < 9; i++)
		image_counter(image, 0, i % 3, i);
	image_fill(image, 0, 3);
	CHECK_INT(image_tail(image, 0), 36 + 34);
	recorder_poll(&r, cursor, 0);
	check_counts(&r, 12, 37, 0);
}

/* A guard may end in padding, where whole records of the lap before still stand: they are gone for good. */
TEST(guard_in_padding)
{
	static const uint64_t payload[18];

	for (unsigned more = 0; more <= 7; more++) {
		struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
		struct recorder r = {.silent = true};
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_UNKNOWN);
		cursor->guard = 30;
		image_fill(image, 0, 32 + 25);
		/* There is room for 14 words. */
		image_record(image, 0, image->clock += 10, RECORD_BEGIN, 0, payload, 18);
		image_fill(image, 0, more);
		CHECK_INT(image_tail(image, 0), 128 + 20 + 2 * more);
		recorder_poll(&r, cursor, 0);
		check_counts(&r, 1 + more, 128, 0);
	}
}
