/*
 * test_session.c - the pace at which a session's rings are read: so that the fullest does not get fuller than an eighth between
 * two turns, within bounds, and so that the pace slows down little by little.
 */
#include "session/session.h"

#include <stdlib.h>
#include <unistd.h>

#include "session/signals.h"
#include "core/clock.h"
#include "rtev/producer.h"
#include "support/test.h"

#define MS UINT64_C(1000000)
#define RING_WORDS 4096u

/* The clock, which goes on when a test says so; and signals, of which there are none. */
static uint64_t now = 1000 * MS;

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

int signals_wait(struct pollfd *fds, nfds_t count, uint64_t timeout_ns)
{
	(void)fds, (void)count;
	now += timeout_ns;
	return 0;
}

unsigned signals_alarms(pid_t pid)
{
	(void)pid;
	return 0;
}

void signals_restore(void)
{
}

void signals_pass_term(pid_t pid)
{
	(void)pid;
}

/* No session has anything to tell here. */
static void on_message(void *ctx, const char *remedy, const char *text)
{
	(void)ctx, (void)remedy;
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

/* From what was found in a time, the time in which an eighth of the ring is written: from half a millisecond to 10 ms, and at most
 * a sixteenth longer than the last. */
static void test_pace(void)
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
	char dir[] = "/tmp/rtev-session-XXXXXX", path[4096];
	struct rtev_producer *producer;
	struct target_name name;
	struct target_file file;
	const struct reporter silent = {.message = on_message};
	const struct session_options options = {.target = &name,
	    .file = &file,
	    .start = RTEV_START_NEWEST,
	    .max_events = 100000,
	    .report = &silent};
	struct session s;

	CHECK(mkdtemp(dir) != NULL);
	const struct rtev_producer_options ring = {
	    .size = sizeof(ring), .dir = dir, .exponent = 12, .domains = 1};
	CHECK_INT(rtev_producer_create(&producer, &ring), RTEV_OK);
	struct rtev_domain *domain = rtev_producer_main(producer);
	CHECK_INT(rtev_producer_start(producer, domain), RTEV_OK);
	CHECK_INT(rtev_producer_path(producer, path, sizeof(path)), RTEV_OK);
	CHECK(target_name_parse(&name, path));
	target_file_open(&file, name.path);
	CHECK_INT(session_open(&s, &options), 0);
	const struct session_sink sink = {.calls = {.size = sizeof(sink.calls)}};
	bool more;
	session_turn(&s, &sink, &more, NULL);
	/* It has come to rest at the longest by now. */
	for (int i = 0; i < 80; i++)
		turn(&s, domain, 5000000, 0);
	CHECK_INT(session_pace(&s), PACE_MAX_NS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t pace = turn(&s, domain, cases[i].elapsed_us * 1000, cases[i].words);
		CHECK_NEAR(pace, cases[i].pace_us * 1000, 1000);
	}
	CHECK_INT(session_close(&s, 0), 0);
	rtev_producer_destroy(producer);
	CHECK_INT(rmdir(dir), 0);
}

int main(void)
{
	RUN(test_pace);
	return 0;
}
