/*
 * test_session.c - the pace at which a session's rings are read: so that the fullest does not get fuller than
 * an eighth between two turns, within bounds, and so that the pace slows down little by little; and so that a
 * burst loses nothing.
 */
#include "session/session.h"

#include <stdlib.h>
#include <unistd.h>

#include "launch/signals.h"
#include "core/clock.h"
#include "rtev/producer.h"
#include "support/test.h"

#define MS UINT64_C(1000000)
#define RING_WORDS 4096u

/* The clock, which goes on when a test says so; and signals, of which there are none. */
static uint64_t now = 1000 * MS;

uint64_t clock_ns(clockid_t id)
{
	struct timespec at = {0};

	return id == CLOCK_MONOTONIC || clock_gettime(id, &at) != 0
		   ? now
		   : (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

uint64_t monotonic_now(void)
{
	return now;
}

unsigned signals_stops(void)
{
	return 0;
}

unsigned signals_stops_now(void)
{
	return 0;
}

/* Who writes four million events a second while time passes, from some moment on. */
static struct {
	struct rtev_domain *domain; /* NULL: nobody */
	uint64_t from, written;
} burst;

int signals_wait(struct pollfd *fds, nfds_t count, uint64_t timeout_ns)
{
	now += timeout_ns;
	for (; burst.domain != NULL && burst.from + burst.written * 250 < now; burst.written++)
		CHECK_INT(rtev_domain_counter(burst.domain, RTEV_COUNTER_MINOR_PROMOTED, 1), RTEV_OK);
	return 0;
}

unsigned signals_alarms(pid_t pid)
{
	return 0;
}

void signals_restore(void)
{
}

void signals_pass_term(pid_t pid)
{
}

/* No session has anything to tell here. */
static void on_message(void *ctx, const char *remedy, const char *text)
{
	CHECK_STR(text, "");
}

/* A turn after `elapsed` that finds `words` unread; returns the pace. */
static uint64_t turn(struct session *s, struct rtev_domain *domain, uint64_t elapsed, uint64_t words)
{
	static const struct session_sink sink = {.calls = {.size = sizeof(sink.calls)}};
	uint64_t events;
	bool more;

	for (uint64_t i = 0; i < words; i += 2)
		CHECK_INT(rtev_domain_begin(domain, RTEV_PHASE_MINOR), RTEV_OK);
	now += elapsed;
	session_turn(s, &sink, &more, &events);
	CHECK(!more);
	CHECK_INT(events, words / 2);
	return session_pace(s);
}

/* A ring and a session that reads it. */
struct stage {
	char dir[32], path[4096];
	struct rtev_producer *producer;
	struct rtev_domain *domain;
	struct target_name name;
	struct target_file file;
	struct session session;
};

static void stage_open(struct stage *st, unsigned exponent)
{
	static const struct reporter silent = {.message = on_message};
	const struct session_options options = {.target = &st->name,
	    .file = &st->file,
	    .start = RTEV_START_NEWEST,
	    .max_events = 100000,
	    .report = &silent};

	strcpy(st->dir, "/tmp/rtev-session-XXXXXX");
	CHECK(mkdtemp(st->dir) != NULL);
	const struct rtev_producer_options ring = {
	    .size = sizeof(ring), .dir = st->dir, .exponent = exponent, .domains = 1};
	CHECK_INT(rtev_producer_create(&st->producer, &ring), RTEV_OK);
	st->domain = rtev_producer_main(st->producer);
	CHECK_INT(rtev_producer_start(st->producer, st->domain), RTEV_OK);
	CHECK_INT(rtev_producer_path(st->producer, st->path, sizeof(st->path)), RTEV_OK);
	CHECK(target_name_parse(&st->name, st->path));
	target_file_open(&st->file, st->name.path);
	CHECK_INT(session_open(&st->session, &options), 0);
	/* What the start wrote. */
	const struct session_sink sink = {.calls = {.size = sizeof(sink.calls)}};
	bool more;
	session_turn(&st->session, &sink, &more, NULL);
}

static void stage_close(struct stage *st)
{
	CHECK_INT(session_close(&st->session, 0), 0);
	rtev_producer_destroy(st->producer);
	CHECK_INT(rmdir(st->dir), 0);
}

/* From what was found in a time, the time in which an eighth of the ring is written: from half a millisecond
 * to 10 ms, and at most a sixteenth longer than the last. */
TEST(test_pace)
{
	static const struct {
		uint64_t elapsed_us, words, pace_us;
	} cases[] = {
	    {5000, RING_WORDS / 8, 5000},
	    {5000, RING_WORDS / 4, 2500},
	    {5000, RING_WORDS / 16, 2656},
	    {4000, RING_WORDS / 16, 2822},
	    {2000, RING_WORDS / 2, 500},
	    {5000, RING_WORDS - 64, 531},
	    {5000, RING_WORDS - 64, 564},
	    {100, RING_WORDS / 2, 500},
	    {5000, 2, 531},
	    {5000, 0, 564},
	    /* What came after a long silence may have come at once, or little by little. */
	    {2000000, RING_WORDS / 2, 600},
	};
	static struct stage st;
	struct session *s = &st.session;

	stage_open(&st, 12);
	/* It has come to rest at the longest by now. */
	for (int i = 0; i < 80; i++)
		turn(s, st.domain, 5000000, 0);
	CHECK_INT(session_pace(s), PACE_MAX_NS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t pace = turn(s, st.domain, cases[i].elapsed_us * 1000, cases[i].words);
		CHECK_NEAR(pace, cases[i].pace_us * 1000, 1000);
	}
	stage_close(&st);
}

static enum rtev_next on_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	uint64_t *lost = ctx;

	*lost += words;
	return RTEV_CONTINUE;
}

/* Words lost of a burst that begins `after` the last turn of a target that runs and has written nothing for
 * long. */
static uint64_t lost_of_burst(uint64_t after, bool looks)
{
	static struct stage st;
	struct session *s = &st.session;
	uint64_t lost = 0;
	const struct session_sink sink = {
	    .calls = {.size = sizeof(sink.calls), .lost = on_lost}, .ctx = &lost};
	bool more;

	stage_open(&st, 16);
	for (int i = 0; i < 100; i++)
		turn(s, st.domain, 5000000, 0);
	burst.from = now + after;
	burst.written = 0;
	burst.domain = st.domain;
	while (burst.written < 100000) {
		if (looks) {
			s->pace.target = PACE_RUNS;
			CHECK_INT(session_wait(s, NULL, 0, UINT64_MAX), 0);
		} else {
			signals_wait(NULL, 0, session_pace(s));
		}
		session_turn(s, &sink, &more, NULL);
	}
	burst.domain = NULL;
	stage_close(&st);
	return lost;
}

/* A target that runs is looked at often enough, whenever the burst begins; turns alone are too rare. */
TEST(test_burst)
{
	CHECK(lost_of_burst(0, false) > 0);
	for (uint64_t after = 0; after < PACE_ASLEEP_NS; after += 700001)
		CHECK_INT(lost_of_burst(after, true), 0);
}

/* While a ring is waited for, turns look for it often at first, and never as often as a ring that fills is read. */
TEST(test_without_ring)
{
	static const struct reporter silent = {.message = on_message};
	const struct target_name name = {.kind = TARGET_PID, .pid = getpid()};
	const struct session_options options = {
	    .target = &name, .wait_ns = 60000 * MS, .waits_open = true, .report = &silent};
	static const struct session_sink sink = {.calls = {.size = sizeof(sink.calls)}};
	static struct session s;
	const uint64_t begin = now;
	bool more;
	int turns = 0;

	CHECK_INT(session_open(&s, &options), 0);
	CHECK(s.cursor == NULL && s.wait_until != 0);
	for (; now - begin < 10000 * MS; turns++) {
		session_turn(&s, &sink, &more, NULL);
		session_wait(&s, NULL, 0, UINT64_MAX);
		CHECK(now - begin > 1000 * MS || session_pace(&s) <= 10 * MS);
	}
	CHECK(turns > 200 && turns < 1200);
	CHECK(session_pace(&s) >= 20 * MS);
	session_close(&s, 0);
}
