/*
 * test_cursor_live.c - a writer thread at full speed against a reader: every record arrives whole and in
 * order, and what does not arrive is counted as lost, to the word.  Clean under ThreadSanitizer.
 *
 * A record is a custom event whose payload is its number, words made from it, and their sum.  Its stamp holds
 * the index it begins at and its length in words, so that the reader can keep account of every word of a
 * ring.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

enum { RINGS = 3, WORDS_MAX = 40 };

struct writer {
	struct ring_image *image;
	uint64_t records; /* to write at least */
	bool names;	  /* change names meanwhile */
	uint64_t written;
	atomic_bool enough; /* the reader has seen what it wants */
	atomic_bool done;
};

/* A word that depends on a record's number and its place in it. */
static uint64_t word_of(uint64_t number, unsigned at)
{
	uint64_t x = number * 0x9E3779B97F4A7C15u + at;
	x ^= x >> 31;
	return x * 0xBF58476D1CE4E5B9u;
}

/* How many words a record has in all. */
static uint64_t length_of(uint64_t number)
{
	return word_of(number, 99) % WORDS_MAX + 5;
}

/* Append one record. */
static void write_record(struct ring_image *image, unsigned domain, uint64_t number)
{
	uint64_t payload[WORDS_MAX + 3], sum = number;
	unsigned count = (unsigned)length_of(number) - 5, n = 0;

	payload[n++] = number;
	for (unsigned i = 0; i < count; i++)
		sum += payload[n++] = word_of(number, i);
	payload[n++] = sum;
	payload[n++] = UINT64_C(7) << 56; /* so many bytes of the last word are not payload */
	uint64_t start = image_tail(image, domain), left = image->ring_words - start % image->ring_words;
	if (left < n + 2)
		start += left;
	image_record(image, domain, start << 12 | (n + 2), RECORD_USER_CUSTOM, domain, payload, n);
}

/* Write until the reader has enough: on a busy machine it may get little of what is written. */
static void *write_all(void *ctx)
{
	struct writer *w = ctx;
	uint64_t number[RINGS] = {0}, i = 0;

	while (i < w->records || !atomic_load_explicit(&w->enough, memory_order_relaxed)) {
		unsigned domain = (unsigned)(word_of(i, 5) % RINGS);
		write_record(w->image, domain, number[domain]++);
		if (w->names && i % 64 == 0)
			image_name(w->image, domain, i % 128 == 0 ? "first name" : "second");
		i++;
	}
	w->written = i;
	atomic_store_explicit(&w->done, true, memory_order_release);
	return NULL;
}

/* The account of one ring. */
struct account {
	uint64_t next; /* number that the next record has at least */
	uint64_t end;  /* index behind the last record */
	uint64_t lost; /* words lost since */
	uint64_t events, all_lost;
};

struct reader {
	struct account rings[RINGS];
	uint64_t ring_words;
	bool names;
};

/* Check one record against the account of its ring. */
static enum rtev_next on_custom(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event,
    const void *data, size_t len)
{
	struct reader *reader = ctx;
	struct account *a = &reader->rings[domain];
	const uint64_t *payload = data;
	size_t count = len / 8;

	CHECK_INT(len % 8, 0);
	CHECK_INT(event->id, domain);
	CHECK(count >= 2);
	CHECK_INT(count + 3, ts & 4095);
	uint64_t number = payload[0], sum = number;
	CHECK(number >= a->next);
	CHECK_INT(count + 3, length_of(number));
	for (unsigned i = 1; i + 1 < count; i++) {
		CHECK(payload[i] == word_of(number, i - 1));
		sum += payload[i];
	}
	CHECK(payload[count - 1] == sum);
	/* What lies between this record and the last is lost, but for padding, of which any part may be. */
	uint64_t start = ts >> 12, missing = 0;
	for (uint64_t i = a->next; i < number; i++)
		missing += length_of(i);
	if (a->lost < missing || a->lost > start - a->end)
		TEST_FAIL("%" PRIu64 " words lost before %" PRIu64 ", expected %" PRIu64 " to %" PRIu64,
		    a->lost, start, missing, start - a->end);
	if (reader->names && event->name_len != 0)
		CHECK(strcmp(event->name, "first name") == 0 || strcmp(event->name, "second") == 0 ||
		      event->name_len < 11);
	a->next = number + 1;
	a->end = start + (ts & 4095);
	a->lost = 0;
	a->events++;
	return RTEV_CONTINUE;
}

static enum rtev_next on_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	struct account *a = &((struct reader *)ctx)->rings[domain];
	CHECK_INT(history, 0);
	a->lost += words;
	a->all_lost += words;
	return RTEV_CONTINUE;
}

static enum rtev_next on_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	TEST_FAIL("%" PRIu64 " corrupt words in ring %u", words, domain);
}

static enum rtev_next on_restart(void *ctx, unsigned domain)
{
	TEST_FAIL("ring %u restarted", domain);
}

static enum rtev_next on_phase(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	TEST_FAIL("ring %u: a phase %u at %" PRIu64, domain, phase, ts);
}

/* How a reader reads. */
struct pace {
	uint64_t ring_words;
	uint64_t records;
	uint64_t bound; /* of a poll */
	long pause_ns;	/* between polls */
	bool scan;	/* before each poll */
	bool names;	/* a name changes meanwhile */
};

/* Let a writer and a reader loose on each other, and check the account at the end. */
static void race(const struct pace *pace)
{
	static const struct rtev_callbacks calls = {.size = sizeof(calls),
	    .begin = on_phase,
	    .end = on_phase,
	    .user_custom = on_custom,
	    .lost = on_lost,
	    .corrupt = on_corrupt,
	    .restart = on_restart};
	const struct timespec pause = {.tv_nsec = pace->pause_ns};
	struct writer w = {.records = pace->records, .names = pace->names};
	struct reader reader = {.ring_words = pace->ring_words, .names = pace->names};
	struct rtev_scan scan = {.size = sizeof(scan)};
	uint64_t consumed, total = 0, lost = 0, last;
	pthread_t thread;

	w.image = image_make(LAYOUT_5_1, RINGS, pace->ring_words);
	struct rtev_cursor *cursor = image_open_with(w.image, NULL);
	CHECK(pthread_create(&thread, NULL, write_all, &w) == 0);
	bool done;
	do {
		last = 0;
		done = atomic_load_explicit(&w.done, memory_order_acquire);
		if (pace->scan)
			CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
		CHECK_INT(rtev_cursor_poll(cursor, &calls, &reader, pace->bound, &consumed), RTEV_OK);
		CHECK(pace->bound == 0 || consumed <= pace->bound);
		last = consumed;
		total += consumed;
		if (total >= pace->records / 10)
			atomic_store_explicit(&w.enough, true, memory_order_relaxed);
		if (pace->pause_ns != 0 && !done)
			nanosleep(&pause, NULL);
	} while (!done || last != 0);
	pthread_join(thread, NULL);
	/* A scan's frontier may be older than the end of the writer. */
	for (int i = 0; i < 2; i++) {
		CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
		CHECK_INT(rtev_cursor_poll(cursor, &calls, &reader, 0, &consumed), RTEV_OK);
		total += consumed;
	}
	for (unsigned d = 0; d < RINGS; d++) {
		CHECK_INT(reader.rings[d].end, image_tail(w.image, d));
		CHECK(reader.rings[d].lost == 0);
		lost += reader.rings[d].all_lost;
	}
	printf("  %" PRIu64 " of %" PRIu64 " records delivered, %" PRIu64 " words lost\n", total,
	    pace->records, lost);
	CHECK(lost != 0 || total == pace->records);
}

/* Rings of 2^9 words and a reader that never rests. */
TEST(tiny_ring_eager_reader)
{
	race(&(struct pace){.ring_words = 512, .records = 300000});
}

/* Tiny rings with a reader that sleeps, so that it is lapped over and over. */
TEST(tiny_ring_slow_reader)
{
	race(&(struct pace){.ring_words = 512, .records = 300000, .pause_ns = 50000});
}

/* Tiny rings read event by event, with a scan before each. */
TEST(tiny_ring_small_polls)
{
	race(&(struct pace){.ring_words = 512, .records = 200000, .bound = 1, .scan = true});
}

/* Rings of the default size. */
TEST(default_ring_eager_reader)
{
	race(&(struct pace){.ring_words = 65536, .records = 400000, .scan = true});
}

/* Rings of the default size, and a reader that is too slow for them. */
TEST(default_ring_slow_reader)
{
	race(&(struct pace){.ring_words = 65536, .records = 600000, .pause_ns = 8000000, .bound = 1000});
}

/* Names that change while events that carry them are read. */
TEST(names_change_meanwhile)
{
	race(&(struct pace){.ring_words = 4096, .records = 200000, .names = true});
}
