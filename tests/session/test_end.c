/*
 * test_end.c - at the end of a target or of an observation nothing is left unread: what was written before a
 * signal asked us to stop, the ring that another program has laid out anew and left, the ring of a process
 * that outlives COMMAND.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/live.h"
#include "session/session.h"
#include "launch/signals.h"
#include "rtev/producer.h"
#include "support/test.h"

#define DOMAINS 2

static void on_message(void *ctx, const char *remedy, const char *text)
{
	TEST_FAIL("message: %s", text);
}

static const struct reporter reporter = {.message = on_message};

static enum rtev_next on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	++*(uint64_t *)ctx;
	return RTEV_CONTINUE;
}

static enum rtev_next on_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	TEST_FAIL("lost %llu words", (unsigned long long)words);
	return RTEV_STOP;
}

/* Counts the counters that are delivered. */
static struct session_sink counting(uint64_t *count)
{
	return (struct session_sink){
	    .calls = {.size = sizeof(struct rtev_callbacks), .counter = on_counter, .lost = on_lost},
	    .ctx = count};
}

/* A ring of this process in a directory of its own. */
struct ring {
	char dir[32], path[4096];
	struct rtev_producer *producer;
};

/* Make it, with so many counters. */
static void ring_open(struct ring *r, unsigned exponent, unsigned count)
{
	*r = (struct ring){.dir = "/tmp/rtev-end-XXXXXX"};
	CHECK(mkdtemp(r->dir) != NULL);
	const struct rtev_producer_options options = {
	    .size = sizeof(options), .dir = r->dir, .exponent = exponent, .domains = DOMAINS};
	CHECK_INT(rtev_producer_create(&r->producer, &options), RTEV_OK);
	struct rtev_domain *domain = rtev_producer_main(r->producer);
	CHECK_INT(rtev_producer_start(r->producer, domain), RTEV_OK);
	CHECK_INT(rtev_producer_path(r->producer, r->path, sizeof(r->path)), RTEV_OK);
	for (unsigned i = 0; i < count; i++)
		CHECK_INT(rtev_domain_counter(domain, RTEV_COUNTER_MINOR_PROMOTED, i), RTEV_OK);
}

static void ring_close(struct ring *r)
{
	rtev_producer_destroy(r->producer);
	CHECK_INT(rmdir(r->dir), 0);
}

/* Open a session with it. */
static void ring_observe(const struct ring *r, struct session *s, uint64_t max_events)
{
	struct target_name target;
	char name[96];

	snprintf(name, sizeof(name), "%s:%ld", r->dir, (long)getpid());
	CHECK(target_name_parse(&target, name));
	CHECK_INT(session_open(s, &(struct session_options){.target = &target,
				      .start = RTEV_START_OLDEST,
				      .max_events = max_events,
				      .report = &reporter}),
	    0);
}

/* A session and who receives its events; context of the calls of live_read. */
struct reading {
	struct session session;
	struct session_sink sink;
};

static bool going_on(void *ctx)
{
	return true;
}

static bool turn(void *ctx, uint64_t now, bool *more)
{
	struct reading *r = ctx;

	session_turn(&r->session, &r->sink, more, NULL);
	return false;
}

/* What was written before a signal is read, however many turns that takes; a second signal ends it at
 * once. */
TEST(test_signal)
{
	static struct reading reading;
	struct session *s = &reading.session;
	const struct live_calls calls = {.ctx = &reading, .going_on = going_on, .turn = turn};
	uint64_t count = 0;
	struct ring r;

	reading.sink = counting(&count);

	ring_open(&r, 14, 3500);
	ring_observe(&r, s, 1000);
	CHECK_INT(raise(SIGINT), 0);
	live_read(s, &calls);
	CHECK_INT(s->state, SESSION_LIVE);
	CHECK_INT(count, 3500);
	for (int i = 0; i < 10; i++)
		CHECK_INT(rtev_domain_counter(rtev_producer_main(r.producer), RTEV_COUNTER_MINOR_PROMOTED, 1),
		    RTEV_OK);
	CHECK_INT(raise(SIGINT), 0);
	live_read(s, &calls);
	CHECK_INT(count, 3500);
	CHECK_INT(session_close(s, 0), 0);
	ring_close(&r);
}

/* What was written until a moment is delivered at once; the target goes on. */
TEST(test_catch_up)
{
	static struct session s;
	uint64_t count = 0;
	struct ring r;

	const struct session_sink sink = counting(&count);
	ring_open(&r, 14, 3500);
	ring_observe(&r, &s, 1000);
	session_catch_up(&s, &sink);
	CHECK_INT(count, 3500);
	CHECK_INT(s.state, SESSION_LIVE);
	CHECK_INT(session_close(&s, 0), 0);
	ring_close(&r);
}

/* Copy a file over another one, which stays the same file. */
static void lay_out_anew(const char *from, const char *to)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY);
	char data[65536];
	struct stat st;
	ssize_t n;

	CHECK(in >= 0 && out >= 0 && fstat(in, &st) == 0 && ftruncate(out, st.st_size) == 0);
	while ((n = read(in, data, sizeof(data))) > 0)
		CHECK_INT(write(out, data, (size_t)n), n);
	close(in);
	close(out);
}

/* The process executes a program whose rings have another size, which ends at once. */
TEST(test_other_layout)
{
	static struct session s;
	char copy[] = "/tmp/rtev-end-copy-XXXXXX";
	uint64_t count = 0;
	bool more = true;
	struct ring r, other;

	const struct session_sink sink = counting(&count);
	int fd = mkstemp(copy);
	CHECK(fd >= 0);
	close(fd);
	ring_open(&other, 13, 70);
	lay_out_anew(other.path, copy);
	ring_close(&other);
	ring_open(&r, 12, 10);
	ring_observe(&r, &s, 0);
	session_turn(&s, &sink, &more, NULL);
	CHECK(!more);
	CHECK_INT(count, 10);
	lay_out_anew(copy, r.path);
	s.state = SESSION_ENDED;
	for (more = true; more;)
		session_turn(&s, &sink, &more, NULL);
	CHECK_INT(s.state, SESSION_ENDED);
	CHECK_INT(count, 80);
	CHECK_INT(session_close(&s, 0), 0);
	CHECK_INT(unlink(copy), 0);
	ring_close(&r);
}

/* COMMAND ends before its child's ring is found: the child is observed until it ends. */
TEST(test_outlives_command)
{
	char shell[] = "sh", option[] = "-c", script[] = "\"$RTEVTOP\" demo --rate 100000 >pid.$$ & exit 0",
	     *argv[] = {shell, option, script, NULL};
	char dir[] = "/tmp/rtev-end-XXXXXX";
	static struct session s;
	uint64_t count = 0;
	bool more = false;

	const struct session_sink sink = counting(&count);
	CHECK(mkdtemp(dir) != NULL);
	CHECK_INT(chdir(dir), 0);
	CHECK_INT(
	    session_open(&s,
		&(struct session_options){.command = {.argv = argv, .temporary = "/tmp", .report = &reporter},
		    .report = &reporter}),
	    0);
	struct pollfd ended = {.fd = s.child.pidfd, .events = POLLIN};
	CHECK_INT(poll(&ended, 1, -1), 1);
	struct child_ring ring;
	int fd;
	while ((fd = child_find_ring(&s.child, &ring)) < 0)
		usleep(1000);
	close(fd);
	session_check(&s);
	CHECK_INT(s.state, SESSION_ENDED);
	while (s.cursor == NULL)
		session_turn(&s, &sink, &more, NULL);
	CHECK_INT(s.state, SESSION_LIVE);
	CHECK(more);
	CHECK_INT(s.ended_ts, 0);
	while (count == 0)
		session_turn(&s, &sink, &more, NULL);
	CHECK_INT(kill((pid_t)s.pid, SIGKILL), 0);
	for (bool last = false; !last || more;) {
		session_check(&s);
		last = s.state != SESSION_LIVE;
		session_turn(&s, &sink, &more, NULL);
	}
	CHECK_INT(session_close(&s, 0), 0);
	char name[64];
	snprintf(name, sizeof(name), "pid.%ld", (long)s.child.pid);
	CHECK_INT(unlink(name), 0);
	CHECK_INT(chdir("/"), 0);
	CHECK_INT(rmdir(dir), 0);
}

int main(void)
{
	signals_install();
	test_run();
	return 0;
}
