/*
 * test_reader.c - a session whose rings are read by a thread while they fill fast: a ring is read although
 * nobody takes a turn, all of it is delivered in order, once, also when the target ends or the file is cut
 * meanwhile, and what is lost is counted.
 */
#include "session/session.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "session/guard.h"
#include "session/live.h"
#include "session/reader.h"
#include "launch/signals.h"
#include "rtev/producer.h"
#include "support/test.h"

#define RING_WORDS 4096u
#define DOMAINS 2

/* What was delivered. */
struct got {
	int64_t next[DOMAINS]; /* value that is expected next */
	uint64_t events, lost_words;
	unsigned restarts, resumes, corrupt;
};

static enum rtev_next on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct got *got = ctx;

	CHECK(domain < DOMAINS);
	/* Each counter of the domain is 3 words: what is left out has been told. */
	CHECK(value >= got->next[domain]);
	CHECK(value - got->next[domain] <= (int64_t)(got->lost_words / 3) + 1);
	got->next[domain] = value + 1;
	got->events++;
	return RTEV_CONTINUE;
}

static enum rtev_next on_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	struct got *got = ctx;

	CHECK_INT(history, 0);
	got->lost_words += words;
	return RTEV_CONTINUE;
}

static enum rtev_next on_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	struct got *got = ctx;

	got->corrupt++;
	return RTEV_CONTINUE;
}

static void on_resume(void *ctx, uint64_t ts)
{
	struct got *got = ctx;

	CHECK(ts != 0);
	got->resumes++;
}

static void on_message(void *ctx, const char *remedy, const char *text)
{
	TEST_FAIL("message: %s", text);
}

/* A ring of this process, and a session that reads it. */
struct stage {
	char dir[32], name[96], path[4096];
	struct rtev_producer *producer;
	struct rtev_domain *domain;
	int64_t written;
	struct target_name target;
	struct session session;
	struct got got;
	struct session_sink sink;
};

static void stage_open(struct stage *st, bool ahead)
{
	static const struct reporter reporter = {.message = on_message};

	*st = (struct stage){.dir = "/tmp/rtev-reader-XXXXXX",
	    .sink = {.calls = {.size = sizeof(st->sink.calls),
			 .counter = on_counter,
			 .lost = on_lost,
			 .corrupt = on_corrupt},
		.resume = on_resume}};
	st->sink.ctx = &st->got;
	CHECK(mkdtemp(st->dir) != NULL);
	const struct rtev_producer_options ring = {
	    .size = sizeof(ring), .dir = st->dir, .exponent = 12, .domains = DOMAINS};
	CHECK_INT(rtev_producer_create(&st->producer, &ring), RTEV_OK);
	st->domain = rtev_producer_main(st->producer);
	CHECK_INT(rtev_producer_start(st->producer, st->domain), RTEV_OK);
	CHECK_INT(rtev_producer_path(st->producer, st->path, sizeof(st->path)), RTEV_OK);
	snprintf(st->name, sizeof(st->name), "%s:%ld", st->dir, (long)getpid());
	CHECK(target_name_parse(&st->target, st->name));
	CHECK_INT(session_open(&st->session, &(struct session_options){.target = &st->target,
						 .start = RTEV_START_NEWEST,
						 .max_events = 1000,
						 .reads_ahead = ahead,
						 .report = &reporter}),
	    0);
}

static void stage_close(struct stage *st)
{
	CHECK_INT(session_close(&st->session, 0), 0);
	rtev_producer_destroy(st->producer);
	CHECK_INT(rmdir(st->dir), 0);
}

/* Write counters, in order. */
static void put(struct stage *st, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		CHECK_INT(
		    rtev_domain_counter(st->domain, RTEV_COUNTER_MINOR_PROMOTED, st->written++), RTEV_OK);
}

/* Take turns until there is no more to read at once. */
static void turns(struct stage *st)
{
	bool more = true;

	while (more)
		session_turn(&st->session, &st->sink, &more, NULL);
}

/* Make the ring fill so fast that it is lent to the reader. */
static void make_lent(struct stage *st)
{
	while (!st->session.lent) {
		put(st, RING_WORDS / 12);
		turns(st);
	}
}

/* Words of the ring that nobody has read. */
static uint64_t unread(struct stage *st)
{
	uint64_t words[DOMAINS];

	session_unread(&st->session, words, DOMAINS);
	return words[0];
}

/* Write more than the ring holds, as fast as it is read, and take no turn. */
static void put_without_turns(struct stage *st, unsigned rings)
{
	for (unsigned i = 0; i < 4 * rings; i++) {
		put(st, RING_WORDS / 12);
		while (unread(st) > RING_WORDS / 2)
			usleep(100);
	}
}

/* A ring that is full at first is for the reader: it is overwritten while its events are evaluated. */
TEST(test_full)
{
	static struct stage st;
	uint64_t events;
	bool more;

	stage_open(&st, true);
	put(&st, RING_WORDS / 3 - 10);
	session_turn(&st.session, &st.sink, &more, &events);
	CHECK(more && st.session.lent);
	CHECK_INT(events, 0);
	turns(&st);
	CHECK_INT(st.got.events, st.written);
	CHECK_INT(st.got.lost_words, 0);
	CHECK(st.session.read_ts != 0);
	stage_close(&st);
}

TEST(test_stall)
{
	static struct stage st;

	stage_open(&st, true);
	make_lent(&st);
	put_without_turns(&st, 20);
	while (st.got.next[0] < st.written)
		turns(&st);
	CHECK_INT(st.got.events, st.written);
	CHECK_INT(st.got.lost_words, 0);
	stage_close(&st);
}

/* What the thread has read, and what it has not, is delivered when the caller ends its work; then the thread
 * may go on. */
TEST(test_catch_up)
{
	static struct stage st;

	stage_open(&st, true);
	make_lent(&st);
	put_without_turns(&st, 5);
	put(&st, 100);
	session_catch_up(&st.session, &st.sink);
	CHECK_INT(st.got.events, st.written);
	CHECK_INT(st.got.lost_words, 0);
	make_lent(&st);
	stage_close(&st);
}

/* The target ends while events wait: they come, and then what is in the ring. */
TEST(test_end)
{
	static struct stage st;

	stage_open(&st, true);
	make_lent(&st);
	put_without_turns(&st, 5);
	put(&st, 100);
	CHECK_INT(rtev_domain_lifecycle(st.domain, RTEV_LIFECYCLE_RING_RESUME, 0), RTEV_OK);
	put(&st, 100);
	st.session.state = SESSION_ENDED;
	turns(&st);
	CHECK(!st.session.lent && !st.session.spooled);
	CHECK_INT(st.got.events, st.written);
	CHECK_INT(st.got.lost_words, 0);
	CHECK_INT(st.got.resumes, 1);
	stage_close(&st);
}

/* The target writes on after the last scan, and ends before all that this scan found is delivered. */
TEST(test_end_after_scan)
{
	static struct stage st;
	uint64_t events;
	bool more;

	stage_open(&st, false);
	put(&st, RING_WORDS / 4);
	session_turn(&st.session, &st.sink, &more, &events);
	CHECK(more);
	CHECK_INT(events, 1000);
	put(&st, 50);
	st.session.state = SESSION_ENDED;
	turns(&st);
	CHECK_INT(st.got.events, st.written);
	CHECK_INT(st.got.lost_words, 0);
	stage_close(&st);
}

/* The end of a ring is seen after a scan of the thread that has found news of the version, which the session must deal with. */
TEST(test_end_after_news)
{
	static struct stage st;

	stage_open(&st, true);
	st.session.scan = (struct rtev_scan){0};
	make_lent(&st);
	struct reader *reader = st.session.reader;
	uint64_t began = 0;
	struct pace pace = st.session.pace;
	reader_take_back(reader, &pace, &began);
	turns(&st);
	put(&st, 100);
	const struct reader_loan loan = {.cursor = st.session.cursor, .ring_words = RING_WORDS, .pace = pace};
	reader_lend(reader, &loan);
	st.session.lent = st.session.spooled = true;
	while (!reader_wishes(reader))
		usleep(100);
	put(&st, 50);
	st.session.state = SESSION_ENDED;
	turns(&st);
	CHECK_INT(st.got.events, st.written);
	CHECK_INT(st.got.lost_words, 0);
	stage_close(&st);
}

static bool going_on(void *ctx)
{
	return true;
}

static bool turn(void *ctx, uint64_t now, bool *more)
{
	struct stage *st = ctx;

	session_turn(&st->session, &st->sink, more, NULL);
	return false;
}

/* What was written before the end of a duration is read, however many turns that takes. */
TEST(test_duration)
{
	static struct stage st;
	const struct live_calls calls = {.ctx = &st, .duration_ns = 1, .going_on = going_on, .turn = turn};

	stage_open(&st, true);
	put(&st, RING_WORDS / 4);
	live_read(&st.session, &calls);
	CHECK_INT(st.session.state, SESSION_LIVE);
	CHECK_INT(st.got.events, st.written);
	stage_close(&st);
}

/* The reader gives the cursor back when little is written, and gets it again. */
TEST(test_back)
{
	static struct stage st;

	stage_open(&st, true);
	for (int i = 0; i < 3; i++) {
		make_lent(&st);
		while (st.session.lent) {
			session_wait(&st.session, NULL, 0, 1000000);
			turns(&st);
		}
	}
	CHECK_INT(st.got.events, st.written);
	CHECK(st.session.read_ts != 0 && st.session.read_ts >= st.session.attach_ts);
	/* Settled, it keeps the cursor. */
	make_lent(&st);
	put_without_turns(&st, 2);
	session_settle(&st.session);
	turns(&st);
	CHECK_INT(st.got.events, st.written);
	put(&st, RING_WORDS / 6);
	turns(&st);
	CHECK(!st.session.lent);
	CHECK_INT(st.got.events, st.written);
	stage_close(&st);
}

/* The file is truncated while the reader reads it. */
TEST(test_truncated)
{
	static struct stage st;

	stage_open(&st, true);
	guard_install();
	make_lent(&st);
	while (unread(&st) != 0)
		usleep(100);
	CHECK_INT(truncate(st.path, 0), 0);
	while (st.session.state != SESSION_TRUNCATED) {
		session_wait(&st.session, NULL, 0, 1000000);
		turns(&st);
	}
	CHECK(!st.session.lent);
	CHECK_INT(st.got.events, st.written);
	st.session.state = SESSION_ENDED; /* it would say so */
	CHECK_INT(session_close(&st.session, 0), 0);
	/* The producer would meet what is gone. */
	CHECK_INT(unlink(st.path), 0);
	CHECK_INT(rmdir(st.dir), 0);
	guard_remove();
}

/* Someone who writes as fast as can be. */
struct writer {
	struct stage *st;
	pthread_t thread;
	uint64_t count;
};

static void *write_on(void *arg)
{
	struct writer *w = arg;
	struct rtev_domain *domain;

	CHECK_INT(rtev_producer_attach(w->st->producer, &domain), RTEV_OK);
	for (uint64_t i = 0; i < w->count; i++)
		CHECK_INT(rtev_domain_counter(domain, RTEV_COUNTER_MINOR_PROMOTED, (int64_t)i), RTEV_OK);
	return NULL;
}

/* Events of two domains, too many to be read all: what comes is in order, and what does not is counted. */
TEST(test_flood)
{
	static struct stage st;
	struct writer writers[1] = {{.st = &st, .count = 1000000}};

	stage_open(&st, true);
	make_lent(&st);
	CHECK_INT(pthread_create(&writers[0].thread, NULL, write_on, &writers[0]), 0);
	for (unsigned i = 0; i < 300; i++) {
		put(&st, 1000);
		bool more;
		session_turn(&st.session, &st.sink, &more, NULL);
	}
	CHECK_INT(pthread_join(writers[0].thread, NULL), 0);
	st.session.state = SESSION_ENDED;
	turns(&st);
	CHECK_INT(st.got.next[0], st.written);
	CHECK_INT(st.got.next[1], writers[0].count);
	CHECK_INT(st.got.corrupt, 0);
	/* A lifecycle event of the second domain is lost as well, or padding. */
	uint64_t all = (uint64_t)st.written + writers[0].count;
	CHECK(st.got.events <= all);
	CHECK(st.got.lost_words >= (all - st.got.events) * 3);
	CHECK(st.got.lost_words <= (all - st.got.events) * 3 + (all - st.got.events) / 500 + 16);
	stage_close(&st);
}

/* A loan that follows another at once, before the thread has noticed that the first one ended, is read as
 * well. */
TEST(test_loan_after_loan)
{
	static struct stage st;

	stage_open(&st, true);
	make_lent(&st);
	struct reader *reader = st.session.reader;
	struct pace pace = st.session.pace;
	uint64_t began = 0;
	/* What the scan finds is news to a session that knows of nothing: the thread wishes to give the
	 * cursor back. */
	const struct reader_loan loan = {.cursor = st.session.cursor, .ring_words = RING_WORDS, .pace = pace};
	for (int i = 0; i < 3000; i++) {
		reader_take_back(reader, &pace, &began);
		reader_lend(reader, &loan);
		for (int waited = 0; !reader_wishes(reader); waited++) {
			CHECK(waited < 100000);
			usleep(100);
		}
	}
	stage_close(&st);
}

int main(void)
{
	signals_install();
	test_run();
	return 0;
}
