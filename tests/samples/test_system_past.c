/*
 * test_system_past.c - samples through time: what grew between them, whose threads, and since when.
 */
#include <math.h>
#include <stdlib.h>

#include "support/test.h"
#include "watch/blame.h"
#include "samples/system_past.h"

#define SECOND UINT64_C(1000000000)

static struct system_sample sample; /* too large for the stack of some */

static void know(enum system_value_id id, uint64_t value)
{
	sample.values[id] = (struct system_value){value, SYSTEM_KNOWN};
}

static void set_thread(unsigned i, int tid, uint64_t run, uint64_t wait)
{
	sample.threads[i] = (struct system_thread){
	    .tid = tid, .ts = sample.ts, .run = {run, SYSTEM_KNOWN}, .wait = {wait, SYSTEM_KNOWN}};
}

/* A sample at a second: user time, resident bytes. */
static void at(uint64_t second, uint64_t user, uint64_t resident)
{
	sample = (struct system_sample){.ts = second * SECOND};
	know(SYSTEM_CPU_USER, user);
	know(SYSTEM_CPU_SYSTEM, 0);
	know(SYSTEM_RESIDENT, resident);
}

TEST(test_rows)
{
	struct system_past *past = system_past_create();
	uint64_t value;

	CHECK(system_past_latest(past) == NULL);
	CHECK(!system_past_total(past, SYSTEM_CPU_USER, &value));
	at(10, 5 * SECOND, 100);
	system_past_add(past, &sample);
	CHECK_INT(system_past_count(past), 0);
	CHECK(!system_past_total(past, SYSTEM_CPU_USER, &value));
	CHECK(system_past_total(past, SYSTEM_RESIDENT, &value) && value == 100);
	at(12, 8 * SECOND, 70);
	system_past_add(past, &sample);
	system_past_add(past, &sample);
	CHECK_INT(system_past_count(past), 1);
	const struct system_row *row = system_past_row(past, 0);
	CHECK(system_row_get(row, SYSTEM_RESIDENT, &value) && value == 70);
	CHECK(!system_row_get(row, SYSTEM_WAIT, &value));
	CHECK(system_past_total(past, SYSTEM_CPU_USER, &value) && value == 3 * SECOND);
	CHECK(!system_past_total(past, SYSTEM_THROTTLED, &value));
	CHECK(system_past_at(past, 10 * SECOND) == NULL);
	CHECK(system_past_at(past, 10 * SECOND + 1) == row);
	CHECK(system_past_at(past, 12 * SECOND) == row);
	CHECK(system_past_at(past, 12 * SECOND + 1) == NULL);
	/* Another process: its counters are not compared with those of the one before. */
	system_past_break(past);
	at(13, 100 * SECOND, 70);
	system_past_add(past, &sample);
	CHECK_INT(system_past_count(past), 1);
	at(14, 101 * SECOND, 70);
	system_past_add(past, &sample);
	CHECK(system_past_total(past, SYSTEM_CPU_USER, &value) && value == 4 * SECOND);
	CHECK_INT(system_past_time(past), 3 * SECOND);
	CHECK(system_past_at(past, 13 * SECOND) == NULL);
	CHECK(system_past_at(past, 13 * SECOND + 1) == system_past_row(past, 1));
	system_past_destroy(past);
}

/* A counter that falls, or is known in one sample alone, has grown by what nobody knows. */
TEST(test_what_is_not_known)
{
	struct system_past *past = system_past_create();
	uint64_t value;

	at(1, 5, 0);
	system_past_add(past, &sample);
	at(2, 4, 0);
	system_past_add(past, &sample);
	at(3, 4, 0);
	know(SYSTEM_WAIT, 9);
	system_past_add(past, &sample);
	CHECK(!system_row_get(system_past_row(past, 1), SYSTEM_WAIT, &value));
	CHECK(!system_past_total(past, SYSTEM_WAIT, &value));
	system_past_destroy(past);
}

/* What a stretch of time may have waited is what the samples over it say, and never more than it was long. */
TEST(test_waited)
{
	struct system_past *past = system_past_create();
	uint64_t most;

	CHECK(!system_past_waited(past, 0, SECOND, &most));
	for (uint64_t i = 1; i <= 4; i++) {
		at(i, 0, 0);
		know(SYSTEM_WAIT, i * i * SECOND / 10);
		system_past_add(past, &sample);
	}
	/* The seconds from 1, 2 and 3 on: 0.3, 0.5 and 0.7. */
	CHECK(system_past_waited(past, SECOND, 2 * SECOND, &most));
	CHECK_INT(most, 3 * SECOND / 10);
	CHECK(system_past_waited(past, 5 * SECOND / 2, 7 * SECOND / 2, &most));
	CHECK_INT(most, SECOND);
	CHECK(system_past_waited(past, SECOND, 4 * SECOND, &most));
	CHECK_INT(most, 3 * SECOND / 2);
	CHECK(system_past_waited(past, 3 * SECOND, 3 * SECOND + 5, &most));
	CHECK_INT(most, 5);
	/* A pause is told of it from a half on. */
	CHECK(blame_unserved(past, SECOND, 4 * SECOND, &most));
	CHECK_INT(most, 3 * SECOND / 2);
	CHECK(!blame_unserved(NULL, SECOND, 4 * SECOND, &most));
	/* A second in which threads waited covers each of its microseconds, and tells nothing of one. */
	CHECK(blame_unserved(past, 3 * SECOND, 3 * SECOND + 1000000, &most));
	CHECK(!blame_unserved(past, 3 * SECOND, 3 * SECOND + 999999, &most));
	CHECK(!blame_unserved(past, 3 * SECOND, 4 * SECOND + 1, &most));
	/* Before the first sample and after the last, nobody looked. */
	CHECK(!system_past_waited(past, SECOND - 1, 2 * SECOND, &most));
	CHECK(!system_past_waited(past, 3 * SECOND, 4 * SECOND + 1, &most));
	/* Nor where a sample does not tell it. */
	at(5, 0, 0);
	system_past_add(past, &sample);
	CHECK(!system_past_waited(past, 4 * SECOND, 5 * SECOND, &most));
	system_past_destroy(past);
}

TEST(test_busy_threads)
{
	struct system_past *past = system_past_create();

	at(1, 0, 0);
	sample.thread_count = 3;
	set_thread(0, 5, 100, 0);
	set_thread(1, 7, 500, 50);
	set_thread(2, 9, 900, 10);
	system_past_add(past, &sample);
	at(2, 0, 0);
	sample.thread_count = 3;
	set_thread(0, 7, 900, 90);
	set_thread(1, 8, 99999, 99999); /* it is new */
	set_thread(2, 9, 910, 400);
	system_past_add(past, &sample);
	const struct system_row *row = system_past_row(past, 0);
	CHECK_INT(row->ran_most.tid, 7);
	CHECK_INT(row->ran_most.run, 400);
	CHECK_INT(row->ran_most.wait, 40);
	CHECK_INT(row->waited_most.tid, 9);
	CHECK_INT(row->waited_most.wait, 390);
	/* One that was read earlier says nothing of this second. */
	at(3, 0, 0);
	sample.thread_count = 1;
	set_thread(0, 9, 99999, 99999);
	sample.threads[0].ts = 2 * SECOND;
	system_past_add(past, &sample);
	CHECK_INT(system_past_row(past, 1)->ran_most.tid, 0);
	system_past_destroy(past);
}

/* The thread of a domain is told where it is known; a row has what it did if it ran the same domain all the time. */
TEST(test_threads_of_domains)
{
	struct system_past *past = system_past_create();
	struct system_use use;
	uint64_t run, wait;

	CHECK(!system_past_domain(past, 0, &use));
	for (unsigned second = 1; second <= 3; second++) {
		at(second, 0, 0);
		sample.thread_count = 3;
		set_thread(0, 5, second * 100000, second * 3000);
		set_thread(1, 7, second * 200000, second * 4000);
		set_thread(2, 9, second * 300000, 0);
		sample.threads[0].runs = 1;
		sample.threads[1].runs = second < 3 ? 3 : 2;
		system_past_add(past, &sample);
	}
	CHECK(system_past_domain(past, 0, &use));
	CHECK_INT(use.tid, 5);
	CHECK(system_past_domain(past, 1, &use));
	CHECK_INT(use.tid, 7);
	CHECK(!system_past_domain(past, 2, &use));
	const struct system_row *row = system_past_row(past, 0);
	CHECK(system_row_domain(row, 0, &run, &wait));
	CHECK_INT(run, 100000);
	CHECK_INT(wait, 3000);
	CHECK(system_row_domain(row, 2, &run, &wait));
	CHECK_INT(run, 200000);
	CHECK(!system_row_domain(row, 1, &run, &wait));
	/* It took over another domain. */
	row = system_past_row(past, 1);
	CHECK(system_row_domain(row, 0, &run, &wait));
	CHECK(!system_row_domain(row, 1, &run, &wait));
	CHECK(!system_row_domain(row, 2, &run, &wait));
	CHECK(!system_row_domain(row, SYSTEM_ROW_DOMAINS, &run, &wait));
	system_past_destroy(past);
}

static void oldest_rows_go(size_t room)
{
	struct system_past *past = system_past_create(), *copy;
	uint64_t value;

	system_past_limit(past, room);
	for (uint64_t i = 1; i <= room + 10; i++) {
		at(i, i, 0);
		system_past_add(past, &sample);
	}
	CHECK_INT(system_past_count(past), room);
	CHECK_INT(system_past_row(past, 0)->from, 10 * SECOND);
	CHECK(system_past_row(past, room) == NULL);
	CHECK(system_past_at(past, 5 * SECOND) == NULL);
	CHECK_INT(system_past_at(past, 50 * SECOND)->to, 50 * SECOND);
	/* The totals count from the first sample. */
	CHECK(system_past_total(past, SYSTEM_CPU_USER, &value) && value == room + 9);
	copy = system_past_copy(past);
	past = system_past_close(past);
	system_past_add(past, &sample);
	CHECK_INT(system_past_count(past), 0);
	CHECK(system_past_total(past, SYSTEM_CPU_USER, &value) && value == room + 9);
	system_past_destroy(past);
	CHECK_INT(system_past_at(copy, 50 * SECOND)->to, 50 * SECOND);
	system_past_destroy(copy);
}

TEST(test_oldest_rows_go)
{
	oldest_rows_go(SYSTEM_PAST_ROWS);
	oldest_rows_go(68);
}

TEST(test_sums)
{
	struct system_past *past = system_past_create();
	uint64_t grown, time;

	for (uint64_t i = 1; i <= 9; i++) {
		at(i, i * i, 0);
		system_past_add(past, &sample);
	}
	CHECK(system_past_sum(past, SYSTEM_CPU_USER, 4 * SECOND, 7 * SECOND, &grown, &time));
	CHECK_INT(grown, 49 - 16);
	CHECK_INT(time, 3 * SECOND);
	CHECK(!system_past_sum(past, SYSTEM_CPU_USER, 9 * SECOND, 20 * SECOND, &grown, &time));
	CHECK(!system_past_sum(past, SYSTEM_WAIT, 0, 20 * SECOND, &grown, &time));
	system_past_reset(past);
	CHECK(!system_past_total(past, SYSTEM_CPU_USER, &grown));
	at(10, 200, 0);
	system_past_add(past, &sample);
	CHECK(system_past_total(past, SYSTEM_CPU_USER, &grown) && grown == 200 - 81);
	CHECK_INT(system_past_time(past), SECOND);
	system_past_destroy(past);
}

/* Threads by what they did since they were read before, be it several samples ago. */
TEST(test_uses)
{
	struct system_past *past = system_past_create();
	struct system_use use[3];

	CHECK_INT(system_past_threads(past, use, 3), 0);
	at(1, 0, 0);
	sample.thread_count = 2;
	set_thread(0, 5, 0, 0);
	set_thread(1, 7, 0, 0);
	system_past_add(past, &sample);
	CHECK_INT(system_past_threads(past, use, 3), 2);
	CHECK(isnan(use[0].cpu) && use[0].tid == 5);
	at(3, 0, 0);
	sample.thread_count = 3;
	set_thread(0, 5, 0, 0);
	sample.threads[0].ts = SECOND; /* not read again */
	set_thread(1, 6, 50, 50);
	set_thread(2, 7, SECOND, SECOND / 2);
	system_past_add(past, &sample);
	CHECK_INT(system_past_threads(past, use, 3), 3);
	CHECK_INT(use[0].tid, 7);
	CHECK_NEAR(use[0].cpu, 0.5, 1e-9);
	CHECK_NEAR(use[0].wait, 0.25, 1e-9);
	CHECK(isnan(use[1].cpu) && isnan(use[2].cpu));
	/* It is read: compared with when it was last read. */
	at(5, 0, 0);
	sample.thread_count = 1;
	set_thread(0, 5, SECOND, 0);
	system_past_add(past, &sample);
	CHECK_INT(system_past_threads(past, use, 1), 1);
	CHECK_NEAR(use[0].cpu, 0.25, 1e-9);
	/* The kernel counts in steps: no thread waits for longer than there is time. */
	at(6, 0, 0);
	sample.thread_count = 1;
	set_thread(0, 5, SECOND, 21 * SECOND / 20);
	system_past_add(past, &sample);
	CHECK_INT(system_past_threads(past, use, 1), 1);
	CHECK_NEAR(use[0].wait, 1, 0);
	system_past_destroy(past);
}

/* A second in which a thread waited and ran so long, and the process was found in a state; of so many samples. */
static void second(struct system_past *past, uint64_t n, uint64_t ran, uint64_t waited, char state)
{
	static uint64_t run, wait;

	run = n == 1 ? 0 : run + ran;
	wait = n == 1 ? 0 : wait + waited;
	at(n, 0, 0);
	know(SYSTEM_RUN, run);
	know(SYSTEM_WAIT, 2 * wait); /* another thread waited as long */
	sample.thread_count = 1;
	set_thread(0, 5, run, wait);
	sample.threads[0].state = state;
	system_past_add(past, &sample);
}

/* What else can have made a stretch of time long: only what the samples that cover it show. */
TEST(test_excuses)
{
	static const struct {
		uint64_t ran, waited; /* in the second second */
		char state;	      /* at its end */
		uint64_t from, to;
		enum system_excuse excuse;
		uint64_t most;
	} cases[] = {
	    {900, 20, 'S', 1500, 1900, SYSTEM_NO_EXCUSE, 0},
	    {500, 199, 'S', 1500, 1900, SYSTEM_NO_EXCUSE, 0},
	    {500, 200, 'S', 1500, 1900, SYSTEM_WAITED, 200},
	    {500, 450, 'S', 1500, 1900, SYSTEM_WAITED, 400},
	    {190, 20, 'S', 1500, 1900, SYSTEM_DID_NOT_RUN, 190},
	    {200, 20, 'S', 1500, 1900, SYSTEM_NO_EXCUSE, 0},
	    {900, 20, 'T', 1500, 2500, SYSTEM_STOPPED, 0},
	    {900, 20, 't', 1500, 2500, SYSTEM_STOPPED, 0},
	    /* It was stopped after that. */
	    {900, 20, 'T', 1500, 1900, SYSTEM_NO_EXCUSE, 0},
	    /* No sample covers all of it. */
	    {0, 1000, 'S', 1500, 3500, SYSTEM_NO_EXCUSE, 0},
	    {0, 1000, 'S', 500, 1900, SYSTEM_NO_EXCUSE, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct system_past *past = system_past_create();
		uint64_t most = 0;
		second(past, 1, 0, 0, 'S');
		second(
		    past, 2, cases[i].ran * SECOND / 1000, cases[i].waited * SECOND / 1000, cases[i].state);
		second(past, 3, SECOND * 9 / 10, 0, 'S');
		CHECK_INT(system_past_excuse(
			      past, cases[i].from * SECOND / 1000, cases[i].to * SECOND / 1000, &most),
		    cases[i].excuse);
		if (cases[i].most != 0)
			CHECK_INT(most, cases[i].most * SECOND / 1000);
		system_past_destroy(past);
	}
}
