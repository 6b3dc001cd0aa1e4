/*
 * test_producer_stress.c [EVENTS] - one thread records while another reads, in rings of several sizes.
 *
 * Everything about event number n is a function of n: its kind, its content, its length, and so (knowing the
 * ring's size) the place where it stands.  Its stamp is n + 1.  So the reader checks of each record that it
 * is whole and the one that belongs there, and of each loss that it is exactly what lies between its
 * neighbours: what was delivered, what was lost and the padding add up to what was written, to the word.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "support/event_name.h"
#include "support/producer_fixture.h"

/* Most bytes of a custom event in the smallest ring used, whose half is 32 words. */
#define CUSTOM_BYTES 200u

/* One event of the sequence. */
struct event {
	uint64_t n, hash;
	enum event_kind kind;
	uint32_t length; /* words */
	size_t bytes;	 /* of a custom payload */
};

/* Who shares what: the writer records `total` events, the reader follows. */
struct run {
	struct rtev_producer *producer;
	struct rtev_domain *domain;
	const struct rtev_user *user_int, *user_unit, *user_span, *user_custom;
	uint64_t total;
	bool paced;	       /* the writer waits for the reader */
	_Atomic uint64_t read; /* events that the reader is done with */
	_Atomic uint64_t written;
};

/* A place in the sequence: event `next` comes next, at `position` or after the padding there. */
struct place {
	uint64_t next, position;
};

#define PLACES_MAX 8

/*
 * The reader's account.  Padding is read silently, so when words are lost beside padding, it may have been
 * read or be among the lost: the reader may then be in one of several places, until the next event tells
 * which.
 */
struct account {
	struct run *run;
	uint64_t mask;
	struct place places[PLACES_MAX];
	unsigned count;
	uint64_t delivered, lost, losses;
};

/* Mix the bits of a number. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Make event number n. */
static struct event event_make(uint64_t n)
{
	static const uint8_t kinds[16] = {EVENT_BEGIN, EVENT_BEGIN, EVENT_BEGIN, EVENT_BEGIN, EVENT_END,
	    EVENT_END, EVENT_END, EVENT_END, EVENT_COUNTER, EVENT_COUNTER, EVENT_INT, EVENT_UNIT,
	    EVENT_SPAN_BEGIN, EVENT_SPAN_END, EVENT_CUSTOM, EVENT_CUSTOM};
	uint64_t hash = mix(n + 1);
	struct event e = {.n = n, .hash = hash, .kind = (enum event_kind)kinds[hash & 15], .length = 2};

	if (e.kind == EVENT_COUNTER || e.kind == EVENT_INT)
		e.length = 3;
	if (e.kind == EVENT_CUSTOM) {
		e.bytes = (size_t)(hash >> 8) % (CUSTOM_BYTES + 1);
		e.length = (uint32_t)(2 + e.bytes / 8 + 1);
		if ((hash >> 4 & 63) == 0) {
			e.kind = EVENT_ALLOC;
			e.length = 2 + RTEV_ALLOC_BUCKETS;
		}
	}
	return e;
}

/* Fill the payload of a custom event. */
static void payload_make(const struct event *e, unsigned char out[CUSTOM_BYTES + 8])
{
	uint64_t word = e->hash;

	for (size_t i = 0; i < e->bytes; i += 8, word = word * 5 + 1)
		memcpy(out + i, &word, 8);
}

/* Serialise: the value is the event. */
static size_t serialise(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	const struct event *e = value;

	payload_make(e, out);
	return e->bytes;
}

static rtev_phase phase_of(const struct event *e)
{
	return (rtev_phase)(e->hash >> 16) % (RTEV_PHASE_COMPACT_RELEASE + 1);
}

static rtev_counter counter_of(const struct event *e)
{
	return (rtev_counter)(e->hash >> 16) % (RTEV_COUNTER_MAJOR_SLICE_BUDGET + 1);
}

static int64_t int_of(const struct event *e)
{
	return (int64_t)(e->hash << 1) / 2;
}

/* Record one event. */
static int record(const struct run *run, const struct event *e)
{
	struct rtev_domain *d = run->domain;

	rtev_domain_set_stamp(d, e->n + 1);
	switch (e->kind) {
	case EVENT_BEGIN:
		return rtev_domain_begin(d, phase_of(e));
	case EVENT_END:
		return rtev_domain_end(d, phase_of(e));
	case EVENT_COUNTER:
		return rtev_domain_counter(d, counter_of(e), (int64_t)e->hash);
	case EVENT_INT:
		return rtev_domain_user_int(d, run->user_int, int_of(e));
	case EVENT_UNIT:
		return rtev_domain_user_unit(d, run->user_unit);
	case EVENT_SPAN_BEGIN:
		return rtev_domain_user_begin(d, run->user_span);
	case EVENT_SPAN_END:
		return rtev_domain_user_end(d, run->user_span);
	case EVENT_CUSTOM:
		return rtev_domain_user_custom(d, run->user_custom, e);
	case EVENT_ALLOC:
		for (unsigned i = 0; i < 100; i += 10)
			rtev_domain_alloc(d, i, (e->hash >> i % 64) + 1);
		return rtev_domain_alloc_flush(d);
	default:
		return RTEV_E_INVALID;
	}
}

/* The writing thread. */
static void *writer(void *arg)
{
	struct run *run = arg;

	for (uint64_t n = 0; n < run->total; n++) {
		struct event e = event_make(n);
		OK(record(run, &e));
		if ((n & 255) == 255) {
			atomic_store_explicit(&run->written, n + 1, memory_order_relaxed);
			/* 1024 events are at most half of the largest ring. */
			while (run->paced &&
			       n + 1 - atomic_load_explicit(&run->read, memory_order_relaxed) > 1024)
				sched_yield();
		}
	}
	atomic_store(&run->written, run->total);
	return NULL;
}

/* How much padding comes before an event of some length at a position. */
static uint64_t padding_at(const struct account *a, uint64_t position, uint32_t length)
{
	uint64_t left = a->mask + 1 - (position & a->mask);

	return left < length ? left : 0;
}

/* Account for one delivered event. */
static struct event arrive(struct account *a, unsigned domain, uint64_t ts)
{
	uint64_t n = ts - 1;

	CHECK_INT(domain, 0);
	CHECK(ts > 0 && n < a->run->total);
	struct event e = event_make(n);
	for (unsigned i = 0; i < a->count; i++)
		if (a->places[i].next == n) {
			uint64_t position = a->places[i].position;
			position += padding_at(a, position, e.length) + e.length;
			a->places[0] = (struct place){n + 1, position};
			a->count = 1;
			a->delivered++;
			return e;
		}
	TEST_FAIL("event %" PRIu64 " arrived, %" PRIu64 " was next", n, a->places[0].next);
}

/* Add a place where the reader may be, once. */
static void add_place(struct place places[PLACES_MAX], unsigned *count, struct place place)
{
	for (unsigned i = 0; i < *count; i++)
		if (places[i].position == place.position)
			return;
	CHECK(*count < PLACES_MAX);
	places[(*count)++] = place;
}

/* Find the place at `target`, beginning at an earlier one; false if no record and no padding begins there. */
static bool walk(const struct account *a, struct place from, uint64_t target, struct place *out)
{
	while (from.position < target && from.next < a->run->total) {
		uint32_t length = event_make(from.next).length;
		uint64_t padding = padding_at(a, from.position, length);
		from.position += padding != 0 ? padding : length;
		from.next += padding == 0;
	}
	*out = from;
	return from.position == target;
}

/* Account for lost words: wherever the reader was, a record or padding has to begin where it is now. */
static enum rtev_next lose(struct account *a, unsigned domain, uint64_t words, uint64_t history)
{
	struct place places[PLACES_MAX], place;
	unsigned count = 0;

	CHECK(domain == 0 && words > 0 && history == 0);
	for (unsigned i = 0; i < a->count; i++) {
		struct place from = a->places[i];
		CHECK(from.next < a->run->total);
		uint64_t padding = padding_at(a, from.position, event_make(from.next).length);
		if (walk(a, from, from.position + words, &place))
			add_place(places, &count, place);
		if (padding != 0 && walk(a, from, from.position + padding + words, &place))
			add_place(places, &count, place);
	}
	CHECK(count > 0);
	memcpy(a->places, places, sizeof(places));
	a->count = count;
	a->lost += words;
	a->losses++;
	return RTEV_CONTINUE;
}

/* Check what was delivered against what was recorded. */
static enum rtev_next on_event(void *ctx, const struct rtev_event *got)
{
	uint64_t buckets[RTEV_ALLOC_BUCKETS] = {0};
	unsigned char payload[CUSTOM_BYTES + 8];
	char buf[RTEV_NAME_SIZE];
	struct account *a = ctx;

	if (got->kind == EVENT_LOST)
		return lose(a, got->domain, (uint64_t)got->value, got->history);
	if (got->kind == EVENT_CORRUPT)
		TEST_FAIL("%" PRId64 " corrupt words on ring %u after event %" PRIu64, got->value,
		    got->domain, a->places[0].next);
	if (got->kind == EVENT_RESTART || got->kind == EVENT_LIFECYCLE)
		return RTEV_CONTINUE;
	struct event e = arrive(a, got->domain, got->ts);
	CHECK_INT(got->kind, e.kind);
	if (got->user != NULL)
		CHECK(got->user->name_len > 2 &&
		      strncmp(event_word(got->kind), event_name(got, buf), got->user->name_len) == 0);
	switch (e.kind) {
	case EVENT_BEGIN:
	case EVENT_END:
		CHECK_INT(got->id, phase_of(&e));
		break;
	case EVENT_COUNTER:
		CHECK(got->id == counter_of(&e) && got->value == (int64_t)e.hash);
		break;
	case EVENT_INT:
		CHECK(got->value == int_of(&e));
		break;
	case EVENT_ALLOC:
		for (unsigned i = 0; i < 100; i += 10)
			buckets[rtev_alloc_bucket(i)] += (e.hash >> i % 64) + 1;
		CHECK(memcmp(buckets, got->data, sizeof(buckets)) == 0);
		break;
	case EVENT_CUSTOM:
		payload_make(&e, payload);
		CHECK(got->len == e.bytes && memcmp(got->data, payload, got->len) == 0);
		break;
	default:
		break;
	}
	return RTEV_CONTINUE;
}

/* Sleep a little. */
static void nap(uint64_t ns)
{
	struct timespec t = {.tv_nsec = (long)ns};
	nanosleep(&t, NULL);
}

/* Read until everything written is accounted for.  A slow reader naps between small polls. */
static void reader(struct account *a, struct rtev_cursor *cursor, bool slow)
{
	struct event_sink sink = {.take = on_event, .ctx = a};
	struct run *run = a->run;
	uint64_t state = 1;
	bool finished;

	do {
		uint64_t budget = 0, consumed;
		/* Before the poll: what was written by then is read by it. */
		finished = atomic_load(&run->written) == run->total;
		if (slow && !finished) {
			state = mix(state);
			nap(state % 200000);
			budget = state >> 32 & 1 ? 0 : 1 + (state >> 40) % 500;
		}
		OK(rtev_cursor_poll(cursor, &event_sink_calls, &sink, budget, &consumed));
		atomic_store_explicit(&run->read, a->places[0].next, memory_order_relaxed);
	} while (!finished);
}

/* Write and read `total` events through a ring of one size. */
static void through(unsigned exponent, uint64_t total, bool slow, bool paced)
{
	struct rtev_producer_options options = small(exponent);
	options.domains = 1;
	struct run run = {.total = total, .paced = paced, .producer = make(options)};
	struct account a = {.run = &run, .mask = (UINT64_C(1) << exponent) - 1};
	struct rtev_cursor *cursor;
	pthread_t thread;
	uint64_t head, tail;

	run.domain = rtev_producer_main(run.producer);
	run.user_int = user(run.producer, "int", RTEV_USER_INT);
	run.user_unit = user(run.producer, "unit", RTEV_USER_UNIT);
	run.user_span = user(run.producer, "span", RTEV_USER_SPAN);
	OK(rtev_user_register(
	    run.producer, "custom", 6, RTEV_USER_CUSTOM, serialise, NULL, &run.user_custom));
	rtev_domain_set_stamp(run.domain, 1);
	OK(rtev_producer_start(run.producer, run.domain));
	OK(rtev_cursor_open_producer(&cursor, run.producer, NULL));
	OK(rtev_cursor_skip(cursor));
	OK(rtev_cursor_lag(cursor, 0, NULL, NULL, &a.places[0].position));
	a.count = 1;

	CHECK_INT(pthread_create(&thread, NULL, writer, &run), 0);
	reader(&a, cursor, slow);
	CHECK_INT(pthread_join(thread, NULL), 0);

	/* Nothing is written after the last event, so it can't be lost. */
	OK(rtev_cursor_lag(cursor, 0, NULL, &head, &tail));
	CHECK_INT(a.count, 1);
	CHECK_INT(a.places[0].next, total);
	CHECK_INT(a.places[0].position, tail);
	if (paced)
		CHECK_INT(a.lost, 0);
	printf("2^%-2u words%s%s: %" PRIu64 " events, %" PRIu64 " delivered, %" PRIu64
	       " words lost in %" PRIu64 " places\n",
	    exponent, slow ? ", slow reader" : "", paced ? ", writer waits" : "", total, a.delivered, a.lost,
	    a.losses);
	OK(rtev_cursor_close(cursor));
	rtev_producer_destroy(run.producer);
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	static const struct {
		unsigned exponent, percent;
		bool slow, paced;
	} runs[] = {{6, 10, true, false}, {6, 15, false, false}, {8, 15, true, false}, {11, 10, false, false},
	    {16, 15, true, false}, {16, 20, false, false}, {16, 15, false, true}};

	fixture_begin();
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		through(runs[i].exponent, events / 100 * runs[i].percent, runs[i].slow, runs[i].paced);
	fixture_end();
	return 0;
}
