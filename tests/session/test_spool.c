/*
 * test_spool.c - a spool gives back what was put into it: all kinds, in order, over the edges of chunks, when
 * it is full, in parts; and nothing of what was not published.
 */
#include "session/spool.h"

#include <stdlib.h>
#include <unistd.h>

#include "support/event_name.h"
#include "support/test.h"

#define LOG_MAX 64

/* What came out, as text, and a count. */
struct log {
	char lines[LOG_MAX][256];
	unsigned count;
	uint64_t events, resumes, expected, joined;
	uint64_t stop_after; /* events; 0: never */
};

static enum rtev_next on_event(void *ctx, const struct rtev_event *e)
{
	struct log *log = ctx;
	char name[RTEV_NAME_SIZE];

	CHECK(log->count < LOG_MAX);
	snprintf(log->lines[log->count++], sizeof(log->lines[0]), "%s D%u %llu %s %lld %llu %zu",
	    event_word(e->kind), e->domain, (unsigned long long)e->ts, event_name(e, name),
	    (long long)e->value, (unsigned long long)e->history, e->len);
	return RTEV_CONTINUE;
}

static void on_resume(void *ctx, uint64_t ts)
{
	struct event_sink *sink = ctx;
	struct log *log = sink->ctx;

	CHECK(log->count < LOG_MAX);
	snprintf(log->lines[log->count++], sizeof(log->lines[0]), "resume %llu", (unsigned long long)ts);
}

/* What writes events; its context is spool_writer's. */
static struct rtev_callbacks calls_in;
static const struct rtev_callbacks *const put = &calls_in;

/* Take what is there, as text. */
static struct spool_taken take(struct spool *sp, struct log *log, uint64_t max_events, bool all)
{
	struct event_sink sink = {.take = on_event, .ctx = log};
	const struct spool_sink to = {.calls = &event_sink_calls, .ctx = &sink, .resume = on_resume};
	struct spool_taken taken;

	log->count = 0;
	spool_take(sp, &to, max_events, all, &taken);
	return taken;
}

TEST(test_kinds)
{
	static const uint64_t buckets[RTEV_ALLOC_BUCKETS] = {1, 2, 3};
	static const char *const expected[] = {
	    "begin D0 100 minor 0 0 0",
	    "end D0 90 minor 0 0 0",
	    "begin D16383 4611686018427387904 phase_57 0 0 0",
	    "begin D16384 1 minor 0 0 0",
	    "resume 7",
	    "counter D3 2 minor_promoted -5 0 0",
	    "alloc D1 3  0 0 160",
	    "lifecycle D1 4 ring_start 4242 0 0",
	    "unit D2 5 cache 0 0 0",
	    "int D2 6 depth -1 0 0",
	    "span_begin D2 7 cache 0 0 0",
	    "span_end D2 8 other 0 0 0",
	    "custom D2 9 other 0 0 13",
	    "custom D2 10 other 0 0 8167",
	    "lost D5 0  70 30 0",
	    "corrupt D5 0  12 0 0",
	    "restart D5 0  0 0 0",
	    "end D0 18446744073709551615 minor 0 0 0",
	};
	struct rtev_user_event cache = {.id = 8191, .name_len = 5, .name = "cache"},
			       depth = {.name_len = 5, .name = "depth"};
	static char data[8167];
	static struct log log;
	struct spool *sp = spool_create();

	CHECK(sp != NULL);
	CHECK(spool_begin(sp));
	put->begin(spool_writer(sp), 0, 100, RTEV_PHASE_MINOR);
	put->end(spool_writer(sp), 0, 90, RTEV_PHASE_MINOR);
	put->begin(spool_writer(sp), 16383, UINT64_C(1) << 62, RTEV_OPAQUE + 57);
	put->begin(spool_writer(sp), 16384, 1, RTEV_PHASE_MINOR);
	spool_resume(sp, 7);
	put->counter(spool_writer(sp), 3, 2, RTEV_COUNTER_MINOR_PROMOTED, -5);
	put->alloc(spool_writer(sp), 1, 3, buckets);
	put->lifecycle(spool_writer(sp), 1, 4, RTEV_LIFECYCLE_RING_START, 4242);
	put->user_unit(spool_writer(sp), 2, 5, &cache);
	put->user_int(spool_writer(sp), 2, 6, &depth, -1);
	put->user_span(spool_writer(sp), 2, 7, &cache, true);
	/* The id stands for another name. */
	cache = (struct rtev_user_event){.id = 8191, .name_len = 5, .generation = 1, .name = "other"};
	put->user_span(spool_writer(sp), 2, 8, &cache, false);
	put->user_custom(spool_writer(sp), 2, 9, &cache, data, 13);
	CHECK_INT(put->user_custom(spool_writer(sp), 2, 10, &cache, data, sizeof(data)), RTEV_CONTINUE);
	put->lost(spool_writer(sp), 5, 70, 30);
	put->corrupt(spool_writer(sp), 5, 12);
	put->restart(spool_writer(sp), 5);
	put->end(spool_writer(sp), 0, UINT64_MAX, RTEV_PHASE_MINOR);
	CHECK(!spool_stopped(sp));
	CHECK_INT(take(sp, &log, 0, true).events, 0);
	spool_publish(sp, 55);
	struct spool_taken taken = take(sp, &log, 0, false);
	CHECK_INT(taken.events, 14);
	CHECK(taken.whole);
	CHECK_INT(taken.whole_ts, 55);
	CHECK(taken.empty && !taken.stopped);
	CHECK_INT(log.count, sizeof(expected) / sizeof(expected[0]));
	for (unsigned i = 0; i < log.count; i++)
		CHECK_STR(log.lines[i], expected[i]);
	spool_destroy(sp);
}

/* Events come by parts, and those between two published times only when asked for. */
TEST(test_parts)
{
	static struct log log;
	struct spool *sp = spool_create();
	struct spool_taken taken;

	CHECK(sp != NULL);
	CHECK(spool_begin(sp));
	for (unsigned i = 0; i < 5; i++)
		put->begin(spool_writer(sp), 0, 100 + i, RTEV_PHASE_MINOR);
	spool_publish(sp, 1000);
	CHECK(spool_begin(sp));
	put->begin(spool_writer(sp), 0, 200, RTEV_PHASE_MINOR);
	spool_publish(sp, 0);
	taken = take(sp, &log, 2, false);
	CHECK(taken.stopped && !taken.empty);
	CHECK(!taken.whole);
	CHECK_INT(taken.whole_ts, 0);
	CHECK_INT(log.count, 2);
	CHECK_STR(log.lines[1], "begin D0 101 minor 0 0 0");
	taken = take(sp, &log, 0, false);
	CHECK(!taken.stopped && !taken.empty);
	CHECK(taken.whole);
	CHECK_INT(taken.whole_ts, 1000);
	CHECK_INT(log.count, 3);
	taken = take(sp, &log, 0, true);
	CHECK(taken.empty);
	CHECK(!taken.whole);
	CHECK_INT(log.count, 1);
	CHECK_STR(log.lines[0], "begin D0 200 minor 0 0 0");
	/* The chunk begins anew, stamps go on. */
	CHECK(spool_begin(sp));
	put->end(spool_writer(sp), 0, 201, RTEV_PHASE_MINOR);
	spool_publish(sp, 2000);
	taken = take(sp, &log, 0, false);
	CHECK_INT(taken.whole_ts, 2000);
	CHECK_STR(log.lines[0], "end D0 201 minor 0 0 0");
	spool_destroy(sp);
}

/* A begin and its end that came as one: log them as two. */
static enum rtev_next on_begin_end(void *ctx, unsigned domain, uint64_t begin, uint64_t end, rtev_phase phase)
{
	struct event_sink *sink = ctx;
	struct log *log = sink->ctx;

	CHECK(begin <= end);
	log->joined++;
	event_sink_calls.begin(ctx, domain, begin, phase);
	return event_sink_calls.end(ctx, domain, end, phase);
}

/* Put begins and ends, some of which may be told as one. */
static void put_spans(struct spool *sp)
{
	CHECK(spool_begin(sp));
	put->begin(spool_writer(sp), 0, 100, RTEV_PHASE_STW_LEADER);
	put->begin(spool_writer(sp), 0, 101, RTEV_PHASE_MINOR); /* one */
	put->end(spool_writer(sp), 0, 109, RTEV_PHASE_MINOR);
	put->begin(spool_writer(sp), 0, 110, RTEV_PHASE_MINOR); /* of another phase */
	put->end(spool_writer(sp), 0, 111, RTEV_PHASE_STW_LEADER);
	put->begin(spool_writer(sp), 1, 105, RTEV_PHASE_MINOR); /* of another domain */
	put->end(spool_writer(sp), 2, 106, RTEV_PHASE_MINOR);
	put->begin(spool_writer(sp), 2, 107, RTEV_PHASE_MINOR); /* something in between */
	put->counter(spool_writer(sp), 2, 108, RTEV_COUNTER_MINOR_PROMOTED, 1);
	put->end(spool_writer(sp), 2, 109, RTEV_PHASE_MINOR);
	put->begin(spool_writer(sp), 2, 110, RTEV_PHASE_MINOR);
	spool_resume(sp, 100);
	put->end(spool_writer(sp), 2, 111, RTEV_PHASE_MINOR);
	put->begin(spool_writer(sp), 3, 90, RTEV_PHASE_MINOR); /* no time, one */
	put->end(spool_writer(sp), 3, 90, RTEV_PHASE_MINOR);
	put->begin(spool_writer(sp), 3, 91, RTEV_PHASE_MINOR); /* stamps go back */
	put->end(spool_writer(sp), 3, 90, RTEV_PHASE_MINOR);
	put->begin(spool_writer(sp), 3, 92, RTEV_PHASE_MINOR); /* its end is not there yet */
	spool_publish(sp, 1000);
}

/* What is told as one are the same events, whatever is taken at a time. */
TEST(test_joined)
{
	struct rtev_callbacks calls = event_sink_calls;

	calls.begin_end = on_begin_end;
	for (uint64_t most = 0; most < 5; most++) {
		static struct log plain, log;
		struct event_sink sink = {.take = on_event, .ctx = &log};
		const struct spool_sink to = {.calls = &calls, .ctx = &sink, .resume = on_resume};
		struct spool *a = spool_create(), *b = spool_create();
		struct spool_taken taken;

		CHECK(a != NULL && b != NULL);
		put_spans(a);
		put_spans(b);
		CHECK_INT(take(a, &plain, 0, true).events, 17);
		log.count = 0;
		log.joined = 0;
		do {
			spool_take(b, &to, most, true, &taken);
			CHECK(most == 0 || taken.events <= most);
		} while (!taken.empty);
		CHECK_INT(log.joined, most == 1 ? 0 : most == 0 ? 2 : log.joined);
		CHECK_INT(log.count, plain.count);
		for (unsigned i = 0; i < log.count; i++)
			CHECK_STR(log.lines[i], plain.lines[i]);
		spool_destroy(a);
		spool_destroy(b);
	}
}

/* Count, and check that nothing is missing. */
static enum rtev_next on_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	struct log *log = ctx;

	CHECK_STR(event->name, "n");
	CHECK_INT(value, log->expected);
	CHECK_INT(domain, log->expected % 4);
	log->expected++;
	log->events++;
	return log->events == log->stop_after ? RTEV_STOP : RTEV_CONTINUE;
}

static void count_resume(void *ctx, uint64_t ts)
{
	struct log *log = ctx;

	CHECK_INT(ts, log->resumes);
	log->resumes++;
}

static const struct rtev_callbacks counting = {.size = sizeof(counting), .user_int = on_int};

/* Put events as polls would, until there is no more room.  Returns how many there are by then. */
static uint64_t fill(struct spool *sp, uint64_t count)
{
	static const struct rtev_user_event event = {.id = 3, .name_len = 1, .name = "n"};

	while (spool_begin(sp)) {
		while (put->user_int(spool_writer(sp), (unsigned)(count % 4), count, &event,
			   (int64_t)count) == RTEV_CONTINUE)
			count++;
		/* The one that it stopped at is in. */
		count++;
		CHECK(spool_stopped(sp));
		spool_publish(sp, 0);
	}
	return count;
}

/* A full spool takes nothing, loses nothing, and goes on when it has room; again and again, so that it
 * wraps. */
TEST(test_full)
{
	static struct log log;
	const struct spool_sink to = {.calls = &counting, .ctx = &log, .resume = count_resume};
	struct spool *sp = spool_create();
	struct spool_taken taken;
	uint64_t count = 0;

	CHECK(sp != NULL);
	for (unsigned round = 0; round < 5; round++) {
		count = fill(sp, count);
		CHECK(!spool_begin(sp));
		spool_take(sp, &to, 200001, false, &taken);
		CHECK_INT(taken.events, 200001);
		CHECK(taken.stopped && !taken.empty);
		log.stop_after = log.events + 7;
		spool_take(sp, &to, 0, false, &taken);
		CHECK_INT(taken.events, 7);
		CHECK(taken.stopped);
	}
	CHECK(count > SPOOL_CHUNKS * (SPOOL_CHUNK_WORDS / 4));
	/* Resumes of a whole scan find room beside. */
	count = fill(sp, count);
	spool_take(sp, &to, 20000, false, &taken);
	CHECK(spool_begin(sp));
	for (uint64_t i = 0; i < SPOOL_SCAN_WORDS / 2; i++)
		spool_resume(sp, i);
	spool_publish(sp, 9);
	CHECK(!spool_begin(sp));
	while (log.events < count || log.resumes < SPOOL_SCAN_WORDS / 2)
		spool_take(sp, &to, 100000, false, &taken);
	CHECK(taken.whole);
	CHECK_INT(taken.whole_ts, 9);
	CHECK(taken.empty);
	CHECK_INT(log.events, count);
	CHECK_INT(log.resumes, SPOOL_SCAN_WORDS / 2);
	CHECK(spool_begin(sp));
	spool_destroy(sp);
}

/* Resident memory of this process, in MiB. */
static uint64_t memory(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	CHECK(f != NULL && fscanf(f, "%*s %lu", &pages) == 1);
	fclose(f);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) >> 20;
}

/* Memory that was not used since the last trim is given back, and what was put in meanwhile stays. */
TEST(test_trim)
{
	static struct log log;
	const struct spool_sink to = {.calls = &counting, .ctx = &log};
	struct spool *sp = spool_create();
	struct spool_taken taken;
	uint64_t count, before = memory(), full;

	CHECK(sp != NULL);
	for (unsigned round = 0; round < 3; round++) {
		count = fill(sp, log.expected);
		full = memory();
		CHECK(full >= before + 10);
		/* All of it is in use. */
		spool_trim(sp, 1000);
		spool_trim(sp, 1000);
		CHECK(memory() >= full - 1);
		spool_take(sp, &to, 0, true, &taken);
		CHECK_INT(log.events, count);
		/* It was in use since the last one. */
		spool_trim(sp, 1000);
		CHECK(memory() >= full - 1);
		spool_trim(sp, 8);
		CHECK_NEAR((double)memory(), (double)full - 2, 1);
		CHECK(spool_begin(sp));
		spool_trim(sp, 1000);
		CHECK(memory() + 10 <= full);
	}
	spool_destroy(sp);
}

/* While there is more than a take may deliver, it is known up to when all was. */
TEST(test_whole)
{
	static struct log log;
	const struct spool_sink to = {.calls = &counting, .ctx = &log};
	static const struct rtev_user_event event = {.id = 3, .name_len = 1, .name = "n"};
	struct spool *sp = spool_create();
	struct spool_taken taken;
	uint64_t step = SPOOL_CHUNK_WORDS / 4, count = 0;

	CHECK(sp != NULL);
	for (unsigned publish = 1; publish <= 40; publish++) {
		CHECK(spool_begin(sp));
		for (unsigned i = 0; i < step; i++, count++) {
			if (put->user_int(spool_writer(sp), (unsigned)(count % 4), count, &event,
				(int64_t)count) == RTEV_CONTINUE)
				continue;
			spool_publish(sp, 0);
			CHECK(spool_begin(sp));
		}
		spool_publish(sp, 100 * publish);
	}
	spool_take(sp, &to, 10, false, &taken);
	CHECK_INT(taken.whole_ts, 0);
	while (!taken.empty) {
		spool_take(sp, &to, 1000, false, &taken);
		/* Not later than it was, and by a chunk earlier at most. */
		CHECK(taken.whole_ts <= log.events / step * 100);
		CHECK(taken.whole_ts + 400 >= log.events / step * 100);
	}
	CHECK_INT(taken.whole_ts, 4000);
	spool_destroy(sp);
}

int main(void)
{
	batch_callbacks(&calls_in);
	test_run();
	return 0;
}
