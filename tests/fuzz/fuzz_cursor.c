/*
 * fuzz_cursor.c - open a ring file from memory, then poll, scan, skip and close in the order that the input
 * asks for, while the input also changes the file between the calls and from inside the callbacks.
 *
 * The first byte chooses: the whole rest as a file (raw), or a file built from a few numbers that are mostly
 * plausible, so that the interesting code is reached, and the rest as steps.  Whatever happens, polls end,
 * keep their bound, and hand out only what lies inside the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/ring_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INVARIANT(condition)                                                                                 \
	do {                                                                                                 \
		if (!(condition)) {                                                                          \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                      \
			abort();                                                                             \
		}                                                                                            \
	} while (0)

/* Calls in one poll that no file of this size can justify: more than that is an endless loop. */
#define CALLS_MAX (1u << 20)

struct fuzz {
	const uint8_t *data;
	size_t left;
	struct ring_image *image;
	struct rtev_cursor *cursor;
	uint32_t domains; /* of the cursor */
	uint8_t stops;	  /* which callbacks say stop: one in so many */
	bool live;	  /* steps are also taken inside of callbacks */
	unsigned calls;	  /* in this poll */
	uint64_t events;
};

/* Take one byte of the input, 0 at its end. */
static uint8_t take(struct fuzz *f)
{
	if (f->left == 0)
		return 0;
	f->left--;
	return *f->data++;
}

/* Take a number: small, large, near a power of two, or any. */
static uint64_t take_number(struct fuzz *f)
{
	uint8_t how = take(f);
	uint64_t value = 0;

	if (how < 160)
		return how;
	if (how < 224)
		return (UINT64_C(1) << (how & 63)) + (uint64_t)(int8_t)take(f);
	for (int i = 0; i < 8; i++)
		value = value << 8 | take(f);
	return value;
}

/* Append a record of some kind, mostly a sound one, moving the head as a writer does. */
static void append(struct fuzz *f, unsigned domain)
{
	static const uint8_t types[] = {RECORD_BEGIN, RECORD_END, RECORD_COUNTER, RECORD_ALLOC,
	    RECORD_LIFECYCLE, RECORD_USER_UNIT, RECORD_USER_INT, RECORD_USER_SPAN_BEGIN, RECORD_USER_SPAN_END,
	    RECORD_USER_CUSTOM, RECORD_PADDING, RECORD_FLUSH};
	static const uint8_t lengths[] = {2, 2, 3, 22, 3, 2, 3, 2, 2, 3, 1, 2};
	uint8_t kind = take(f), more = take(f);
	unsigned at = kind % sizeof(types);
	uint64_t size = f->image->ring_words, tail = image_tail(f->image, domain), left = size - tail % size;
	uint32_t length = lengths[at];

	if (kind >= 128)
		length += more % 64;
	if (types[at] == RECORD_PADDING || length > left) {
		image_raw(
		    f->image, domain, &(uint64_t){header_make((uint32_t)left & 1023, RECORD_PADDING, 0)}, 1);
		tail += left;
		image_set(f->image, domain, image_head(f->image, domain), tail);
	}
	uint64_t words[100] = {
	    header_make(length, (enum record_type)types[at], more & 63), f->image->clock += more};
	words[length - 1] = more & 64 ? (uint64_t)more << 56 : words[length - 1];
	image_raw(f->image, domain, words, length);
	tail += length;
	uint64_t head = image_head(f->image, domain);
	if (tail - head >= size)
		image_set(f->image, domain, tail - size + more % (size + 1), tail);
}

/* Append minor collections, enough for a scan to be sure of the release. */
static void append_minors(struct fuzz *f, unsigned domain)
{
	for (unsigned i = 0; i < 150; i++) {
		uint64_t ts = f->image->clock += 40;
		const uint64_t words[] = {header_make(2, RECORD_BEGIN, 10), ts,
		    header_make(3, RECORD_COUNTER, 4), ts, 1, header_make(3, RECORD_COUNTER, 5), ts, 1,
		    header_make(2, RECORD_END, 10), ts};
		image_raw(f->image, domain, words, sizeof(words) / sizeof(words[0]));
	}
}

/* Change the file in one way. */
static void change(struct fuzz *f, uint8_t how)
{
	unsigned domain = take(f) % f->image->domains;
	uint64_t head = image_head(f->image, domain), tail = image_tail(f->image, domain);

	switch (how % 10) {
	case 0:
		if (how >= 100) {
			append_minors(f, domain);
			break;
		}
		/* fall through */
	case 1:
	case 2:
		for (int n = how / 16 + 1; n > 0; n--)
			append(f, domain);
		break;
	case 3:
		image_raw(f->image, domain, &(uint64_t){take_number(f)}, 1);
		break;
	case 4:
		image_set(f->image, domain, head + (uint64_t)(int8_t)take(f), tail);
		break;
	case 5:
		image_set(f->image, domain, head, tail + (uint64_t)(int8_t)take(f));
		break;
	case 6:
		image_poke(f->image, domain, take(f), take_number(f));
		break;
	case 7:
		image_set(f->image, domain, take_number(f), take_number(f));
		break;
	case 8:
		((uint64_t *)(void *)f->image->base)[take(f) % 8] = take_number(f);
		break;
	default:
		image_restart(f->image);
		break;
	}
}

/* Count a call, change the file if asked to, and say stop now and then. */
static enum rtev_next called(struct fuzz *f, unsigned domain)
{
	INVARIANT(domain < f->domains);
	INVARIANT(++f->calls < CALLS_MAX);
	if (f->live && f->left > 0)
		change(f, take(f));
	return f->stops != 0 && f->calls % f->stops == 0 ? RTEV_STOP : RTEV_CONTINUE;
}

static enum rtev_next on_phase(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	struct fuzz *f = ctx;
	INVARIANT(phase < RTEV_PHASE_COUNT || (phase >= RTEV_OPAQUE && phase < RTEV_OPAQUE + RTEV_ID_LIMIT));
	f->events++;
	return called(f, domain);
}

static enum rtev_next on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct fuzz *f = ctx;
	INVARIANT(counter < RTEV_COUNTER_COUNT ||
		  (counter >= RTEV_OPAQUE && counter < RTEV_OPAQUE + RTEV_ID_LIMIT));
	f->events++;
	return called(f, domain);
}

static enum rtev_next on_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	struct fuzz *f = ctx;
	uint64_t sum = ts;
	for (int i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		sum += buckets[i];
	f->image->clock ^= sum & 1;
	f->events++;
	return called(f, domain);
}

static enum rtev_next on_lifecycle(
    void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t value)
{
	struct fuzz *f = ctx;
	INVARIANT(
	    event < RTEV_LIFECYCLE_COUNT || (event >= RTEV_OPAQUE && event < RTEV_OPAQUE + RTEV_ID_LIMIT));
	f->events++;
	return called(f, domain);
}

/* Check a user event. */
static enum rtev_next user(struct fuzz *f, unsigned domain, const struct rtev_user_event *event)
{
	INVARIANT(event->id < RTEV_USER_EVENTS_MAX);
	INVARIANT(event->name_len < RTEV_USER_NAME_SIZE && strlen(event->name) == event->name_len);
	f->events++;
	return called(f, domain);
}

static enum rtev_next on_unit(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event)
{
	return user(ctx, domain, event);
}

static enum rtev_next on_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	return user(ctx, domain, event);
}

static enum rtev_next on_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	return user(ctx, domain, event);
}

static enum rtev_next on_custom(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event,
    const void *payload, size_t len)
{
	struct fuzz *f = ctx;
	uint8_t sum = (uint8_t)ts;
	INVARIANT(len <= 8167);
	for (size_t i = 0; i < len; i++)
		sum ^= ((const uint8_t *)payload)[i];
	f->image->clock ^= sum & 1;
	return user(f, domain, event);
}

static enum rtev_next on_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	INVARIANT(words > 0 && history <= words);
	return called(ctx, domain);
}

static enum rtev_next on_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	return called(ctx, domain);
}

static enum rtev_next on_restart(void *ctx, unsigned domain)
{
	return called(ctx, domain);
}

static void on_resume(void *ctx, unsigned domain, uint64_t ts)
{
	struct fuzz *f = ctx;
	INVARIANT(domain < f->domains);
}

static const struct rtev_callbacks calls = {.size = sizeof(calls),
    .begin = on_phase,
    .end = on_phase,
    .counter = on_counter,
    .alloc = on_alloc,
    .lifecycle = on_lifecycle,
    .user_unit = on_unit,
    .user_int = on_int,
    .user_span = on_span,
    .user_custom = on_custom,
    .lost = on_lost,
    .corrupt = on_corrupt,
    .restart = on_restart};

/* Open a cursor in one of several ways. */
static bool open_how(struct fuzz *f, uint8_t how)
{
	const struct rtev_cursor_options options = {.size = sizeof(options),
	    .start = how & 1 ? RTEV_START_NEWEST : RTEV_START_OLDEST,
	    .release = (enum rtev_release)(how / 2 % RTEV_RELEASE_COUNT),
	    .finished = how >= 128,
	    .max_words = how & 64 ? 777 : 0};
	struct rtev_ring_info info = {.size = sizeof(info)};
	int status = rtev_cursor_open_memory(&f->cursor, f->image->base, f->image->size, &options);

	INVARIANT((status == RTEV_OK) == (f->cursor != NULL));
	if (status != RTEV_OK)
		return false;
	if (how & 32)
		INVARIANT(rtev_cursor_rewind(f->cursor) == RTEV_OK);
	rtev_cursor_info(f->cursor, &info);
	INVARIANT(info.domains > 0 && info.domains <= info.max_domains);
	INVARIANT(info.domains * info.ring_words * 8 < info.file_bytes);
	f->domains = info.domains;
	return true;
}

/* Open a cursor, if none is open. */
static bool open_cursor(struct fuzz *f)
{
	return f->cursor != NULL || open_how(f, take(f));
}

/* Close the cursor. */
static void close_cursor(struct fuzz *f)
{
	INVARIANT(rtev_cursor_close(f->cursor) == RTEV_OK);
	f->cursor = NULL;
}

/* Poll once, and check what was promised. */
static void poll_cursor(struct fuzz *f, uint64_t bound)
{
	uint64_t consumed = 0, before = f->events;

	f->calls = 0;
	int status = rtev_cursor_poll(f->cursor, &calls, f, bound, &consumed);
	INVARIANT(status == RTEV_OK || status == RTEV_E_CHANGED || status == RTEV_E_TRUNCATED);
	INVARIANT(bound == 0 || consumed <= bound);
	/* Types of later runtimes are consumed without a call. */
	INVARIANT(f->events - before <= consumed);
	if (status != RTEV_OK)
		close_cursor(f);
}

/* Take one step. */
static void step(struct fuzz *f)
{
	uint8_t how = take(f);
	struct rtev_scan scan = {.size = sizeof(scan)};

	if (how < 128) {
		change(f, how);
		return;
	}
	if (!open_cursor(f))
		return;
	switch (how % 8) {
	case 0:
	case 1:
		poll_cursor(f, take(f));
		break;
	case 2:
	case 3:
		poll_cursor(f, 0);
		break;
	case 4:
	case 5:
		INVARIANT(rtev_cursor_scan(f->cursor, on_resume, f, &scan) == RTEV_OK);
		INVARIANT(scan.release < RTEV_RELEASE_COUNT && scan.fullest_words <= scan.unread_words);
		break;
	case 6:
		if (how & 8) {
			INVARIANT(rtev_cursor_skip(f->cursor) == RTEV_OK);
		} else {
			INVARIANT(rtev_cursor_set_release(f->cursor,
				      (enum rtev_release)(take(f) % RTEV_RELEASE_COUNT)) == RTEV_OK);
		}
		break;
	default:
		if (how & 8) {
			f->stops = take(f);
			f->live = (f->stops & 1) != 0;
		} else {
			close_cursor(f);
		}
		break;
	}
}

/* With a file that no longer changes, polls come to an end, with scans between them or looking ahead
 * themselves. */
static void drain(struct fuzz *f, bool scans)
{
	struct rtev_scan scan = {.size = sizeof(scan)};
	uint64_t consumed = 0;

	f->live = false;
	f->stops = 0;
	bool more = false;
	unsigned calls_max = (unsigned)(f->image->size / 777) * 2 + 100;
	for (unsigned i = 0; (i < 8 || more) && f->cursor != NULL; i++) {
		INVARIANT(i < calls_max);
		if (scans)
			INVARIANT(rtev_cursor_scan(f->cursor, on_resume, f, &scan) == RTEV_OK);
		more = scans && rtev_cursor_more(f->cursor);
		poll_cursor(f, 0);
		more = more || (f->cursor != NULL && rtev_cursor_more(f->cursor));
	}
	if (f->cursor == NULL)
		return;
	f->calls = 0;
	int status = rtev_cursor_poll(f->cursor, &calls, f, 0, &consumed);
	INVARIANT(status == RTEV_OK && consumed == 0 && f->calls == 0);
	close_cursor(f);
}

/* Treat the input as a whole file. */
static void raw_file(struct fuzz *f)
{
	struct ring_image image = {.size = f->left, .base = malloc(f->left + 1)};

	if (image.base == NULL)
		return;
	memcpy(image.base, f->data, image.size);
	f->image = &image;
	f->left = 0;
	if (open_how(f, 0))
		drain(f, true);
	if (open_how(f, 64))
		drain(f, false);
	free(image.base);
}

/* Run one input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz f = {.data = data, .left = size};
	uint8_t mode = take(&f);

	if (mode >= 240) {
		raw_file(&f);
		return 0;
	}
	/* The table of names is large: few files have one. */
	enum image_layout layout = mode % 16 == 0 ? LAYOUT_5_1 : mode % 16 == 1 ? LAYOUT_PMC : LAYOUT_5_0;
	f.image = image_make(layout, mode / 16 % 5 + 1, UINT64_C(1) << take(&f) % 13);
	size_t whole = f.image->size;
	/* Sometimes the file is cut. */
	if (mode % 16 == 2)
		f.image->size -= take_number(&f) % (whole + 1) & ~(size_t)7;
	while (f.left > 0)
		step(&f);
	if (f.cursor != NULL)
		drain(&f, true);
	/* Once more, by one that finds the release itself. */
	if (open_how(&f, mode & 0xf1))
		drain(&f, false);
	f.image->size = whole;
	return 0;
}
