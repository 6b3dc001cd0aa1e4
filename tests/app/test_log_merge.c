/*
 * test_log_merge.c - a log that is merged: in the order of time over all domains, and bounded in memory and
 * time.
 */
#include <fcntl.h>
#include <unistd.h>

#include "app/commands/log_lines.h"
#include "rtev/events.h"
#include "support/test.h"

/* A log that prints to a file. */
struct stage {
	struct out out;
	struct log *log;
	struct event_sink sink;
	FILE *file;
};

/* Begin: into a file of its own, or to nowhere. */
static void stage_open(struct stage *s, size_t most, bool nowhere)
{
	const struct log_options options = {.json = true, .merge = true, .most = most};

	s->file = nowhere ? fopen("/dev/null", "r+") : tmpfile();
	CHECK(s->file != NULL);
	out_init(&s->out, fileno(s->file));
	s->log = log_create(&s->out, &options);
	CHECK(s->log != NULL);
	s->sink = (struct event_sink){.take = log_take, .ctx = s->log};
}

/* A phase begins. */
static void feed(struct stage *s, unsigned domain, uint64_t ts)
{
	CHECK_INT(event_sink_calls.begin(&s->sink, domain, ts, RTEV_PHASE_MINOR), RTEV_CONTINUE);
}

/* How many lines have been printed. */
static uint64_t lines(struct stage *s)
{
	uint64_t count = 0;

	CHECK_INT(out_flush(&s->out), 0);
	rewind(s->file);
	for (int c; (c = getc(s->file)) != EOF;)
		count += c == '\n';
	return count;
}

/* Done. */
static void stage_close(struct stage *s)
{
	log_release(s->log, UINT64_MAX);
	CHECK(!log_faults(s->log)->unsorted);
	CHECK_INT(out_flush(&s->out), 0);
	log_destroy(s->log);
	fclose(s->file);
}

/* Stamps rise over all domains; of equals the lower domain goes first; a loss stands before what follows
 * it. */
TEST(in_order_of_time)
{
	static struct stage s;
	uint64_t seed = 7, clock[50] = {0}, last_ts = 0;
	unsigned last_domain = 0, count = 0, lost = 0;
	char line[256];

	stage_open(&s, 0, false);
	for (unsigned i = 0; i < 20000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		unsigned domain = (unsigned)(seed >> 33) % 50;
		if (i % 1000 == 999)
			CHECK_INT(event_sink_calls.lost(&s.sink, domain, 3, 0), RTEV_CONTINUE);
		feed(&s, domain, clock[domain] += (seed >> 40) % 10);
		if (i % 5000 == 4999)
			log_release(s.log, 0);
	}
	log_release(s.log, UINT64_MAX);
	CHECK_INT(lines(&s), 20020);
	rewind(s.file);
	for (bool after = false; fgets(line, sizeof(line), s.file) != NULL;) {
		unsigned long long ts;
		unsigned domain;
		if (sscanf(line, "{\"ts\":%llu,\"domain\":%u", &ts, &domain) != 2) {
			CHECK_INT(sscanf(line, "{\"domain\":%u,\"type\":\"lost\"", &last_domain), 1);
			after = true;
			lost++;
			continue;
		}
		CHECK(ts > last_ts || (ts == last_ts && domain >= last_domain));
		CHECK(!after || domain == last_domain);
		after = false;
		last_ts = ts;
		last_domain = domain;
		count++;
	}
	CHECK_INT(count, 20000);
	CHECK_INT(lost, 20);
	stage_close(&s);
}

/* A stamp that lies ahead, and all that comes after it on its domain, waits only until there is too much. */
TEST(stamps_ahead)
{
	static struct stage s;

	stage_open(&s, 1000, false);
	feed(&s, 3, UINT64_MAX - 5);
	for (unsigned i = 0; i < 100000; i++) {
		feed(&s, 3, 100 + i);
		if (i % 100 == 0)
			log_release(s.log, 50 + i);
	}
	CHECK(lines(&s) > 100001 - 1001);
	log_release(s.log, UINT64_MAX);
	CHECK_INT(lines(&s), 100001);
	stage_close(&s);
}

/* A stamp that goes back is printed as it is, but sorted as the greatest before it, also of what was printed. */
TEST(stamps_back)
{
	static const char *const expected[] = {"100", "50", "60", "40"};
	static struct stage s;
	char line[256], begin[32];

	stage_open(&s, 0, false);
	feed(&s, 1, 100);
	log_release(s.log, UINT64_MAX);
	feed(&s, 1, 50);
	log_release(s.log, UINT64_MAX);
	feed(&s, 1, 40);
	feed(&s, 2, 60);
	log_release(s.log, UINT64_MAX);
	CHECK_INT(lines(&s), 4);
	rewind(s.file);
	for (int i = 0; i < 4; i++) {
		snprintf(begin, sizeof(begin), "{\"ts\":%s,", expected[i]);
		CHECK(fgets(line, sizeof(line), s.file) != NULL);
		CHECK(strncmp(line, begin, strlen(begin)) == 0);
	}
	stage_close(&s);
}

/* What printing an event takes does not go by the number of domains: the time that the test may take would
 * not do. */
TEST(many_domains)
{
	static struct stage s;
	uint64_t clock = 1;

	stage_open(&s, 0, true);
	for (unsigned round = 0; round < 3000; round++) {
		for (unsigned d = 0; d < 4096; d++)
			feed(&s, d, clock++);
		log_release(s.log, UINT64_MAX);
	}
	stage_close(&s);
}
