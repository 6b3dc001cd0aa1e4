/*
 * test_cursor_poll.c - how much a poll delivers, in which order it visits rings, what stops it, and who may
 * call what meanwhile.
 */
#include <pthread.h>
#include <semaphore.h>

#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

/* Rings that are used only later, in any order, are read from their first word on, and take their turn; with
 * a scan before each poll and without. */
TEST(used_one_after_another)
{
	static const unsigned order[] = {5, 0, 7, 3};

	for (int scanned = 0; scanned < 2; scanned++) {
		struct ring_image *image = image_make(LAYOUT_5_1, 8, 64);
		struct recorder r = {0};
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		uint64_t unread;
		for (unsigned i = 0; i < 4; i++) {
			struct rtev_scan found = {.size = sizeof(found)};
			image_fill(image, order[i], i + 1);
			CHECK_INT(rtev_cursor_lag(cursor, order[i], &unread, NULL, NULL), RTEV_OK);
			CHECK_INT(unread, 2 * (i + 1));
			if (scanned)
				CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &found), RTEV_OK);
			CHECK_INT(found.unread_words, scanned ? 2 * (i + 1) : 0);
			CHECK_INT(recorder_poll(&r, cursor, 0), i + 1);
		}
		recorder_clear(&r);
		for (unsigned i = 0; i < 4; i++)
			image_unit(image, order[i], 1);
		for (int i = 0; i < 4 && scanned; i++) {
			struct rtev_scan found = {.size = sizeof(found)};
			CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &found), RTEV_OK);
			CHECK_INT(found.unread_words, 8);
		}
		for (int i = 0; i < 4; i++)
			CHECK_INT(recorder_poll(&r, cursor, 1), 1);
		EXPECT(&r, "0 1120 unit -\n3 1140 unit -\n5 1110 unit -\n7 1130 unit -\n");
	}
}

/* Every bound is kept to the event, and the next poll goes on with the very next one. */
TEST(max_events_is_strict)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 3, 4096);
	struct recorder r = {.silent = true};

	image_fill(image, 0, 1500);
	image_fill(image, 1, 1);
	image_fill(image, 2, 700);
	for (uint64_t bound = 1; bound < 2300; bound = bound < 20 ? bound + 1 : bound * 2 - 3) {
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		uint64_t total = 0, got;
		do {
			got = recorder_poll(&r, cursor, bound);
			total += got;
		} while (got != 0);
		CHECK_INT(total, 1500 + 1 + 700);
		image_close(image);
	}
}

/* With a bound of 1, and records so long that each poll needs another batch, each is delivered once. */
TEST(small_budget_large_records)
{
	static unsigned char bytes[8000];
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 8192);
	struct recorder r = {.silent = true};

	for (int i = 0; i < 6; i++)
		image_custom(image, 0, 1, bytes, sizeof(bytes) - (size_t)i);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	for (unsigned i = 0; i < 6; i++) {
		CHECK_INT(recorder_poll(&r, cursor, 1), 1);
		CHECK_INT(r.counts[EVENT_CUSTOM], i + 1);
	}
	CHECK_INT(recorder_poll(&r, cursor, 1), 0);
}

struct appender {
	struct ring_image *image;
	unsigned left;
};

/* Append an event to the ring that one is being delivered from. */
static enum rtev_next append_one(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	struct appender *a = r->context;
	if (a->left > 0) {
		a->left--;
		image_begin(a->image, domain, 0);
	}
	return RTEV_CONTINUE;
}

/* Without a bound a poll ends where the ring ended when it was visited, however fast the writer is. */
TEST(unbounded_poll_ends)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 4096);
	struct appender a = {.image = image, .left = UINT32_MAX};
	struct recorder r = {.silent = true, .hook = append_one, .context = &a};

	image_fill(image, 0, 10);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(recorder_poll(&r, cursor, 0), 10);
	CHECK_INT(recorder_poll(&r, cursor, 0), 10);
	CHECK_INT(recorder_poll(&r, cursor, 100), 10);
	a.left = 0;
	CHECK_INT(recorder_poll(&r, cursor, 0), 10);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
}

/* Rings are visited in turn, each to its end, and a poll that is not stopped begins where the last began. */
TEST(rings_in_turn)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 3, 64);
	struct recorder r = {0};

	for (unsigned i = 0; i < 3; i++)
		image_begin(image, 2 - i, i);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	EXPECT_POLL(&r, cursor,
	    "0 1030 begin explicit_gc_minor\n1 1020 begin explicit_gc_stat\n2 1010 begin explicit_gc_set\n");
	for (unsigned i = 0; i < 3; i++)
		image_begin(image, i, 0);
	recorder_poll(&r, cursor, 0);
	EXPECT(
	    &r, "0 1040 begin explicit_gc_set\n1 1050 begin explicit_gc_set\n2 1060 begin explicit_gc_set\n");
}

/* The poll after one that was stopped begins with the ring behind the one where it stopped. */
TEST(next_poll_begins_behind)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 3, 64);
	struct recorder r = {0};

	for (unsigned i = 0; i < 6; i++)
		image_begin(image, i % 3, i / 3);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	for (int i = 0; i < 7; i++)
		recorder_poll(&r, cursor, 1);
	EXPECT(&r,
	    "0 1010 begin explicit_gc_set\n1 1020 begin explicit_gc_set\n2 1030 begin explicit_gc_set\n"
	    "0 1040 begin explicit_gc_stat\n1 1050 begin explicit_gc_stat\n2 1060 begin explicit_gc_stat\n");
}

/* Fill ring 0 again whenever it is read. */
static enum rtev_next keep_full(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	struct appender *a = r->context;
	if (domain == 0)
		image_fill(a->image, 0, 3);
	return RTEV_CONTINUE;
}

/* A ring that is always full never keeps another waiting for longer than one poll each. */
TEST(full_ring_starves_nobody)
{
	for (uint64_t bound = 1; bound <= 64; bound *= 2) {
		struct ring_image *image = image_make(LAYOUT_5_1, 4, 256);
		struct appender a = {.image = image};
		struct recorder r = {.silent = true, .hook = keep_full, .context = &a};
		image_fill(image, 0, 120);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		for (int round = 0; round < 50; round++) {
			uint64_t before = r.counts[EVENT_END];
			for (unsigned d = 1; d < 4; d++)
				image_end(image, d, 0);
			for (unsigned d = 0; d < 4; d++)
				recorder_poll(&r, cursor, bound);
			CHECK_INT(r.counts[EVENT_END] - before, 3);
		}
		CHECK(r.counts[EVENT_BEGIN] >= 50);
	}
}

/* Stop at one kind of call. */
static enum rtev_next stop_at(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	return kind == *(enum event_kind *)r->context ? RTEV_STOP : RTEV_CONTINUE;
}

/* Put one of everything into a ring: a loss, every kind of event, a corrupt word, and more events. */
static void everything(struct ring_image *image)
{
	image_set(image, 0, 32, 32);
	image_begin(image, 0, 0);
	image_end(image, 0, 0);
	image_counter(image, 0, 0, 1);
	image_record(image, 0, 2000, RECORD_ALLOC, 0, (uint64_t[RTEV_ALLOC_BUCKETS]){0}, RTEV_ALLOC_BUCKETS);
	image->clock = 3000;
	image_lifecycle(image, 0, 0, 1);
	image_unit(image, 0, 0);
	image_int(image, 0, 0, 1);
	image_span(image, 0, 0, true);
	image_span(image, 0, 0, false);
	image_custom(image, 0, 0, "x", 1);
	image_raw(image, 0, (uint64_t[]){0}, 1);
	image_fill(image, 0, 10);
}

/* Whatever callback says stop: the poll ends with it, and the next goes on behind it. */
TEST(stop_is_not_handed_out_again)
{
	for (enum event_kind kind = 0; kind < EVENT_RESTART; kind++) {
		struct ring_image *image = image_make(LAYOUT_5_1, 1, 256);
		struct recorder whole = {0}, parts = {.hook = stop_at, .context = &kind};
		everything(image);
		struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
		CHECK_INT(recorder_poll(&whole, cursor, 0), 20);
		image_close(image);

		cursor = image_open(image, RTEV_RELEASE_5_3);
		uint64_t polls = 0, stops = 0;
		do {
			stops = parts.counts[kind];
			recorder_poll(&parts, cursor, 0);
			polls++;
			CHECK(parts.counts[kind] <= stops + 1);
		} while (parts.counts[kind] != stops);
		CHECK_INT(whole.counts[kind], kind == EVENT_BEGIN ? 11 : 1);
		CHECK_INT(polls, whole.counts[kind] + 1);
		CHECK_STR(parts.text, whole.text);
		recorder_clear(&whole);
		recorder_clear(&parts);
	}
}

/* Stop always, and poll until nothing comes: each poll makes one call, and together they make all. */
static enum rtev_next stop_always(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	return RTEV_STOP;
}

/* A poll whose every callback says stop makes one call, be it for an event or not. */
TEST(one_call_a_poll)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 256);
	struct recorder r = {.hook = stop_always};
	uint64_t calls = 0;

	everything(image);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	for (int i = 0; i < 30; i++) {
		recorder_poll(&r, cursor, 0);
		uint64_t now = 0;
		for (int k = 0; k < EVENT_KIND_COUNT; k++)
			now += r.counts[k];
		CHECK_INT(now, i < 22 ? calls + 1 : calls);
		calls = now;
	}
	/* A ring begun anew with unread words, and overwritten: both losses, and the restart, are calls of their own. */
	recorder_clear(&r);
	image_begin(image, 0, 0);
	image_begin(image, 0, 0);
	recorder_poll(&r, cursor, 0);
	image_restart(image);
	image_fill(image, 0, 130);
	EXPECT_POLL(&r, cursor, "0 3170 begin explicit_gc_set\n0 lost 2 (0)\n");
	EXPECT_POLL(&r, cursor, "0 restart\n");
	EXPECT_POLL(&r, cursor, "0 lost 6 (0)\n");
	CHECK_INT(recorder_poll(&r, cursor, 0), 1);
	recorder_clear(&r);
}

struct reentry {
	struct rtev_cursor *cursor;
	unsigned calls;
};

/* Do from inside a callback all that must be refused there. */
static enum rtev_next reenter(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	struct reentry *e = r->context;
	struct rtev_scan scan = {.size = sizeof(scan)};
	uint64_t consumed = 77, unread;
	e->calls++;
	CHECK_INT(recorder_try(r, e->cursor, 0, &consumed), RTEV_E_BUSY);
	CHECK_INT(consumed, 0);
	CHECK_INT(rtev_cursor_scan(e->cursor, NULL, NULL, &scan), RTEV_E_BUSY);
	CHECK_INT(rtev_cursor_close(e->cursor), RTEV_E_BUSY);
	CHECK_INT(rtev_cursor_skip(e->cursor), RTEV_E_BUSY);
	CHECK_INT(rtev_cursor_set_release(e->cursor, RTEV_RELEASE_5_0), RTEV_E_BUSY);
	/* What only looks is allowed. */
	CHECK_INT(rtev_cursor_lag(e->cursor, 0, &unread, NULL, NULL), RTEV_OK);
	CHECK_INT(rtev_cursor_release(e->cursor), RTEV_RELEASE_5_3);
	return RTEV_CONTINUE;
}

/* A poll entered again, and a cursor closed, from inside any callback are refused; the poll goes on. */
TEST(refused_inside_a_callback)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 256);
	struct reentry e = {0};
	struct recorder r = {.hook = reenter, .context = &e};

	everything(image);
	e.cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(recorder_poll(&r, e.cursor, 0), 20);
	CHECK_INT(e.calls, 22);
	recorder_clear(&r);
}

static void busy_resume(void *ctx, unsigned domain, uint64_t ts)
{
	struct reentry *e = ctx;
	e->calls++;
	CHECK_INT(recorder_try(NULL, e->cursor, 0, NULL), RTEV_E_BUSY);
	CHECK_INT(rtev_cursor_close(e->cursor), RTEV_E_BUSY);
}

/* A poll and a close from inside a scan are refused. */
TEST(refused_inside_a_scan)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 256);
	struct rtev_scan scan = {.size = sizeof(scan)};
	struct reentry e = {0};

	image_lifecycle(image, 0, RTEV_LIFECYCLE_RING_RESUME, 0);
	e.cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_scan(e.cursor, busy_resume, &e, &scan), RTEV_OK);
	CHECK_INT(e.calls, 1);
}

struct meeting {
	struct rtev_cursor *cursor;
	sem_t inside, leave;
};

/* Stay inside a callback until told to leave. */
static enum rtev_next stay(struct recorder *r, enum event_kind kind, unsigned domain, uint64_t ts)
{
	struct meeting *m = r->context;
	sem_post(&m->inside);
	sem_wait(&m->leave);
	return RTEV_CONTINUE;
}

/* Poll in a thread of its own. */
static void *poll_in_thread(void *ctx)
{
	struct meeting *m = ctx;
	struct recorder r = {.hook = stay, .context = m, .silent = true};
	CHECK_INT(recorder_poll(&r, m->cursor, 0), 1);
	return NULL;
}

/* Of two threads that poll one cursor at once, the second is refused, and so is a close. */
TEST(two_threads_at_once)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct meeting m;
	struct recorder r = {.silent = true};
	struct rtev_scan scan = {.size = sizeof(scan)};
	pthread_t thread;

	image_begin(image, 0, 0);
	m.cursor = image_open(image, RTEV_RELEASE_5_3);
	sem_init(&m.inside, 0, 0);
	sem_init(&m.leave, 0, 0);
	CHECK(pthread_create(&thread, NULL, poll_in_thread, &m) == 0);
	sem_wait(&m.inside);
	CHECK_INT(recorder_try(&r, m.cursor, 0, NULL), RTEV_E_BUSY);
	CHECK_INT(rtev_cursor_scan(m.cursor, NULL, NULL, &scan), RTEV_E_BUSY);
	CHECK_INT(rtev_cursor_close(m.cursor), RTEV_E_BUSY);
	sem_post(&m.leave);
	pthread_join(thread, NULL);
	CHECK_INT(r.events, 0);
	CHECK_INT(recorder_poll(&r, m.cursor, 0), 0);
	image_close(image);
	sem_destroy(&m.inside);
	sem_destroy(&m.leave);
}

/* From the newest on: nothing that was there, neither events nor losses, is delivered. */
TEST(start_newest)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
	struct recorder r = {0};

	image_fill(image, 0, 100);
	image_fill(image, 1, 3);
	const struct rtev_cursor_options options = {
	    .size = sizeof(options), .release = RTEV_RELEASE_5_3, .start = RTEV_START_NEWEST};
	struct rtev_cursor *cursor = image_open_with(image, &options);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	image_end(image, 0, 0);
	image_end(image, 1, 0);
	EXPECT_POLL(&r, cursor, "0 2040 end explicit_gc_set\n1 2050 end explicit_gc_set\n");
}

/* skip goes to the newest; what is skipped is neither delivered nor lost. */
TEST(skip)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
	struct recorder r = {0};
	uint64_t unread;

	image_fill(image, 0, 100);
	image_fill(image, 1, 3);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	recorder_poll(&r, cursor, 1);
	EXPECT(&r, "0 lost 138 (138)\n0 1700 begin explicit_gc_set\n");
	CHECK_INT(rtev_cursor_skip(cursor), RTEV_OK);
	CHECK_INT(recorder_poll(&r, cursor, 0), 0);
	rtev_cursor_lag(cursor, 0, &unread, NULL, NULL);
	CHECK_INT(unread, 0);
	image_end(image, 0, 0);
	EXPECT_POLL(&r, cursor, "0 2040 end explicit_gc_set\n");
	/* A loss after the skip is one of ours, not history. */
	image_fill(image, 0, 100);
	recorder_poll(&r, cursor, 1);
	EXPECT(&r, "0 lost 138 (0)\n0 2740 begin explicit_gc_set\n");
}

/* lag tells what is unread, and where a ring stands; never more than a ring holds. */
TEST(lag)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
	struct recorder r = {.silent = true};
	uint64_t unread, head, tail;

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	CHECK_INT(rtev_cursor_lag(cursor, 0, &unread, &head, &tail), RTEV_OK);
	CHECK(unread == 0 && head == 0 && tail == 0);
	image_fill(image, 0, 5);
	CHECK_INT(rtev_cursor_lag(cursor, 0, &unread, &head, &tail), RTEV_OK);
	CHECK(unread == 10 && head == 0 && tail == 10);
	recorder_poll(&r, cursor, 2);
	CHECK_INT(rtev_cursor_lag(cursor, 0, &unread, NULL, NULL), RTEV_OK);
	CHECK_INT(unread, 6);
	image_fill(image, 0, 100);
	CHECK_INT(rtev_cursor_lag(cursor, 0, &unread, &head, &tail), RTEV_OK);
	CHECK(unread == 62 && head == 148 && tail == 210);
	recorder_poll(&r, cursor, 0);
	CHECK_INT(rtev_cursor_lag(cursor, 0, &unread, NULL, NULL), RTEV_OK);
	CHECK_INT(unread, 0);
	CHECK_INT(rtev_cursor_lag(cursor, 1, NULL, NULL, NULL), RTEV_OK);
	CHECK_INT(rtev_cursor_lag(cursor, 2, &unread, NULL, NULL), RTEV_E_INVALID);
	/* A writer whose event never fits drops more than there is. */
	image_set(image, 1, 2792, 387);
	CHECK_INT(rtev_cursor_lag(cursor, 1, &unread, &head, &tail), RTEV_OK);
	CHECK(unread == 0 && head == 2792 && tail == 387);
}

/* Two cursors on one file know nothing of each other. */
TEST(cursors_are_independent)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct recorder r = {.silent = true};

	image_fill(image, 0, 10);
	const struct rtev_cursor_options options = {.size = sizeof(options), .finished = true};
	struct rtev_cursor *a = image_open(image, RTEV_RELEASE_5_3), *b;
	CHECK_INT(rtev_cursor_open_memory(&b, image->base, image->size, &options), RTEV_OK);
	CHECK_INT(recorder_poll(&r, a, 4), 4);
	CHECK_INT(recorder_poll(&r, b, 0), 10);
	CHECK_INT(recorder_poll(&r, a, 0), 6);
	CHECK_INT(rtev_cursor_close(b), RTEV_OK);
	image_fill(image, 0, 1);
	CHECK_INT(recorder_poll(&r, a, 0), 1);
	CHECK_INT(rtev_cursor_close(NULL), RTEV_OK);
}
