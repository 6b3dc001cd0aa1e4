/*
 * test_producer_threads.c [ROUNDS] - threads record, attach and detach while others start, stop, pause,
 * resume and register; what can be read of each ring makes sense.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "support/producer_fixture.h"

#define THREADS 3

static struct rtev_producer *producer;
static const struct rtev_user *number;
static atomic_bool stop;
static atomic_uint registered;

/* Record as long as the test lasts.  Counters count up on each domain, so that a reader can tell. */
static void *recorder(void *arg)
{
	unsigned round = 0;

	while (!atomic_load(&stop)) {
		struct rtev_domain *domain;
		OK(rtev_producer_attach(producer, &domain));
		for (int64_t i = 0; i < 500 && !atomic_load(&stop); i++) {
			OK(rtev_domain_begin(domain, RTEV_PHASE_MINOR));
			OK(rtev_domain_counter(domain, RTEV_COUNTER_MINOR_PROMOTED, i));
			rtev_domain_alloc(domain, (uint64_t)i, 1);
			OK(rtev_domain_user_int(domain, number, i));
			OK(rtev_domain_end(domain, RTEV_PHASE_MINOR));
		}
		OK(rtev_domain_alloc_flush(domain));
		/* Any thread may do what the main one does. */
		if (round % 7 == 3)
			OK(rtev_producer_pause(producer, domain));
		if (round % 7 == 4)
			OK(rtev_producer_resume(producer, domain));
		rtev_domain_detach(domain);
		round++;
	}
	return NULL;
}

/* Register names while the ring comes and goes. */
static void *registrar(void *arg)
{
	for (unsigned i = 0; i < 2000 && !atomic_load(&stop); i++) {
		char name[32];
		const struct rtev_user *found;
		snprintf(name, sizeof(name), "late.%u", i);
		const struct rtev_user *u = user(producer, name, RTEV_USER_UNIT);
		OK(rtev_user_resolve(producer, name, strlen(name), &found));
		CHECK(u == found);
		atomic_store(&registered, i + 1);
		sched_yield();
	}
	return NULL;
}

/* What was read of one file. */
struct follow {
	int64_t last[8]; /* value of the last counter of each domain */
	uint64_t events;
	uint64_t pairs; /* ints that had the value of the counter before them */
};

static enum rtev_next on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct follow *f = ctx;
	CHECK(domain < 8 && counter == RTEV_COUNTER_MINOR_PROMOTED);
	CHECK(value >= 0 && value < 500);
	f->last[domain] = value;
	f->events++;
	return RTEV_CONTINUE;
}

/* An int goes with the counter before it.  A pause can swallow either, so only the order is certain. */
static enum rtev_next on_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	struct follow *f = ctx;
	CHECK_STR(event->name, "number");
	CHECK(domain < 8 && value >= 0 && value < 500);
	if (f->last[domain] == value)
		f->pairs++;
	f->events++;
	return RTEV_CONTINUE;
}

static enum rtev_next on_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	TEST_FAIL("%" PRIu64 " corrupt words on ring %u", words, domain);
}

static const struct rtev_callbacks calls = {
    .size = sizeof(calls), .counter = on_counter, .user_int = on_int, .corrupt = on_corrupt};

/* Start, look, pause, resume, stop. */
static void one_round(struct rtev_domain *d, unsigned round, struct follow *f)
{
	struct rtev_cursor *cursor;

	OK(rtev_producer_start(producer, d));
	OK(rtev_cursor_open_producer(&cursor, producer, NULL));
	for (int i = 0; i < 4; i++) {
		OK(rtev_domain_begin(d, RTEV_PHASE_MAJOR));
		OK(rtev_cursor_poll(cursor, &calls, f, 1000, NULL));
		OK(rtev_producer_pause(producer, d));
		OK(rtev_cursor_poll(cursor, &calls, f, 1000, NULL));
		OK(rtev_producer_resume(producer, d));
		sched_yield();
	}
	if (round % 2 == 0)
		OK(rtev_producer_stop(producer, d));
	OK(rtev_cursor_poll(cursor, &calls, f, 0, NULL));
	OK(rtev_cursor_close(cursor));
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 300;
	pthread_t threads[THREADS + 1];
	struct follow all = {0};

	fixture_begin();
	struct rtev_producer_options options = small(10);
	options.domains = 1 + THREADS;
	producer = make(options);
	number = user(producer, "number", RTEV_USER_INT);
	for (int i = 0; i < THREADS; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, recorder, NULL), 0);
	CHECK_INT(pthread_create(&threads[THREADS], NULL, registrar, NULL), 0);
	for (unsigned round = 0; round < rounds || all.events == 0; round++)
		one_round(rtev_producer_main(producer), round, &all);
	atomic_store(&stop, true);
	for (int i = 0; i <= THREADS; i++)
		CHECK_INT(pthread_join(threads[i], NULL), 0);

	/* Every name that was registered is in a ring started now. */
	struct rtev_domain *d = rtev_producer_main(producer);
	OK(rtev_producer_stop(producer, d));
	OK(rtev_producer_start(producer, d));
	for (unsigned i = 0; i < atomic_load(&registered); i += 100) {
		struct recorder c = {.unstamped = true};
		struct rtev_cursor *cursor;
		const struct rtev_user *u;
		char name[32], want[64];
		snprintf(name, sizeof(name), "late.%u", i);
		snprintf(want, sizeof(want), "0 unit %s\n", name);
		OK(rtev_user_resolve(producer, name, strlen(name), &u));
		OK(rtev_cursor_open_producer(&cursor, producer, NULL));
		OK(rtev_cursor_skip(cursor));
		OK(rtev_domain_user_unit(d, u));
		CHECK_STR(recorder_text(&c, cursor), want);
		OK(rtev_cursor_close(cursor));
		recorder_clear(&c);
	}
	printf(
	    "%" PRIu64 " events read in %u rounds, %u names\n", all.events, rounds, atomic_load(&registered));
	/* Pauses, losses and starts tear some pairs apart, not most. */
	CHECK(all.pairs > all.events / 4);
	rtev_producer_destroy(producer);
	fixture_end();
	return 0;
}
