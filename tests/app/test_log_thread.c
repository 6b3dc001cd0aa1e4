/*
 * test_log_thread.c - a log that a thread prints: byte for byte what a log printed at once would be, whatever
 * the events.
 */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "app/commands/log_thread.h"
#include "rtev/events.h"
#include "support/test.h"

#define EVENTS 60000u
#define NAMES 5u

/* Events to be, from a seed. */
struct stream {
	uint64_t seed, ts[40];
	bool renames; /* names change as they go */
	struct rtev_user_event users[NAMES];
	unsigned char payload[8167];
};

static uint64_t next(struct stream *s)
{
	s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
	return s->seed >> 20;
}

static void rename_user(struct stream *s, unsigned id, uint64_t number)
{
	struct rtev_user_event *user = &s->users[id];

	user->id = (uint16_t)(id * 2000);
	user->generation++;
	user->name_len = (uint16_t)snprintf(
	    user->name, sizeof(user->name), "name.%u.\"%llx\"", id, (unsigned long long)number);
	/* One of the longest possible. */
	if (number % 7 == 0) {
		memset(user->name, 'n', sizeof(user->name) - 1);
		user->name_len = sizeof(user->name) - 1;
		user->name[user->name_len] = '\0';
	}
}

/* Pass a payload of some length on. */
static void feed_data(
    struct stream *s, const struct rtev_callbacks *calls, void *sink, unsigned domain, uint64_t ts)
{
	static const uint64_t buckets[RTEV_ALLOC_BUCKETS] = {1, 0, UINT64_MAX, 7};

	if (next(s) % 2 == 0) {
		calls->alloc(sink, domain, ts, buckets);
		return;
	}
	static const size_t lengths[] = {0, 1, 7, 8, 9, 1024, 8167};
	memset(s->payload, (int)next(s), sizeof(s->payload));
	calls->user_custom(sink, domain, ts, &s->users[next(s) % NAMES], s->payload,
	    lengths[next(s) % (sizeof(lengths) / sizeof(lengths[0]))]);
}

/* Pass an event on. */
static void feed(struct stream *s, const struct rtev_callbacks *calls, void *sink)
{
	unsigned domain = (unsigned)(next(s) % 40);
	uint64_t ts = s->ts[domain] += next(s) % 100;
	const int64_t value = next(s) % 3 == 0 ? 0 : (int64_t)(next(s) << 30);
	const struct rtev_user_event *user = &s->users[next(s) % NAMES];

	/* Domains that the format allows at most. */
	domain = domain == 39 ? 4095 : domain;
	switch (next(s) % 1000 < 12 ? 90 + next(s) % 4 : next(s) % 8) {
	case 0:
		calls->begin(sink, domain, ts, RTEV_PHASE_MINOR);
		break;
	case 1:
		calls->end(sink, domain, ts, (rtev_phase)(RTEV_OPAQUE + 57));
		break;
	case 2:
		calls->counter(sink, domain, ts, RTEV_COUNTER_MINOR_PROMOTED, value);
		break;
	case 3:
		calls->lifecycle(sink, domain, ts, RTEV_LIFECYCLE_RING_START, value);
		break;
	case 4:
		calls->user_unit(sink, domain, ts, user);
		break;
	case 5:
		calls->user_int(sink, domain, ts, user, value);
		break;
	case 6:
		calls->user_span(sink, domain, ts, user, value == 0);
		break;
	case 7:
		if (next(s) % 50 == 0)
			feed_data(s, calls, sink, domain, ts);
		break;
	case 90:
		calls->lost(sink, domain, 1 + next(s) % 1000, 3);
		break;
	case 91:
		calls->corrupt(sink, domain, next(s) % 3);
		break;
	case 92:
		calls->restart(sink, domain);
		break;
	default:
		if (s->renames)
			rename_user(s, (unsigned)(next(s) % NAMES), next(s));
		break;
	}
}

static struct stream *source_new(bool renames)
{
	struct stream *s = calloc(1, sizeof(*s));

	CHECK(s != NULL);
	s->seed = 11;
	s->renames = renames;
	for (unsigned i = 0; i < NAMES; i++)
		rename_user(s, i, i + 1);
	return s;
}

/* Whether a write has failed, and whether there is room for the events of a turn. */
static bool failed(const struct log_thread *t)
{
	return disk_look(log_thread_disk(t)).error != 0;
}

static bool room(const struct log_thread *t)
{
	return disk_look(log_thread_disk(t)).room >= LOG_ROOM_LEAST;
}

/* What a file has. */
static char *contents(int fd, size_t *size)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)end + 1);

	CHECK(end > 0 && text != NULL);
	CHECK_INT(pread(fd, text, (size_t)end, 0), end);
	*size = (size_t)end;
	return text;
}

/* Whether a turn ends after event i; events that are due are then printed. */
static bool ends_turn(unsigned i, uint64_t *before)
{
	*before = i * 2;
	return i % 1000 == 999;
}

/* Print at once. */
static char *print_at_once(const struct log_options *options, size_t *size, uint64_t *corrupt)
{
	struct out *out = malloc(sizeof(*out));
	struct stream *s = source_new(!options->merge);
	FILE *file = tmpfile();
	uint64_t before;

	CHECK(out != NULL && file != NULL);
	out_init(out, fileno(file));
	struct log *log = log_create(out, options);
	struct event_sink sink = {.take = log_take, .ctx = log};
	for (unsigned i = 0; i < EVENTS; i++) {
		feed(s, &event_sink_calls, &sink);
		if (ends_turn(i, &before))
			log_release(log, before);
		if (i == EVENTS / 2)
			log_release(log, UINT64_MAX);
	}
	log_release(log, UINT64_MAX);
	CHECK(!log_faults(log)->unsorted);
	CHECK_INT(out_flush(out), 0);
	*corrupt = log_faults(log)->corrupt_words;
	log_destroy(log);
	char *text = contents(fileno(file), size);
	fclose(file);
	free(out);
	free(s);
	return text;
}

/* Print by the thread. */
static char *print_by_thread(const struct log_options *options, size_t *size, uint64_t *corrupt)
{
	struct stream *s = source_new(!options->merge);
	FILE *file = tmpfile();
	struct session_sink sink;
	struct log_thread *t;
	uint64_t before;

	CHECK(file != NULL);
	CHECK_INT(
	    log_thread_create(&t, &(struct log_thread_options){.log = *options, .fd = fileno(file)}), 0);
	log_thread_sink(t, &sink);
	for (unsigned i = 0; i < EVENTS; i++) {
		feed(s, &sink.calls, sink.ctx);
		if (ends_turn(i, &before))
			log_thread_turned(t, before);
		if (i == EVENTS / 2)
			sink.reopening(sink.ctx);
	}
	CHECK(!failed(t));
	log_thread_end(t);
	const struct log_result result = log_thread_close(t);
	CHECK_INT(result.error, 0);
	CHECK(!result.faults.unsorted);
	*corrupt = result.faults.corrupt_words;
	char *text = contents(fileno(file), size);
	fclose(file);
	free(s);
	return text;
}

TEST(same_as_at_once)
{
	for (unsigned i = 0; i < 4; i++) {
		/* A name that changes is the name of held events too, from then on or a little later. */
		const struct log_options options = {.json = i & 1, .merge = i & 2, .most = 1 << 20};
		size_t size, want_size;
		uint64_t corrupt, want_corrupt;
		char *want = print_at_once(&options, &want_size, &want_corrupt);
		char *got = print_by_thread(&options, &size, &corrupt);
		CHECK_INT(size, want_size);
		CHECK(memcmp(got, want, size) == 0);
		CHECK_INT(corrupt, want_corrupt);
		CHECK(corrupt > 0);
		free(got);
		free(want);
	}
}

/* What comes in is printed when the turn is over, without more to come. */
TEST(prints_soon)
{
	struct session_sink sink;
	struct log_thread *t;
	int ends[2];
	char line[100];

	CHECK_INT(pipe(ends), 0);
	CHECK_INT(log_thread_create(&t, &(struct log_thread_options){.fd = ends[1]}), 0);
	log_thread_sink(t, &sink);
	sink.calls.begin(sink.ctx, 0, 1000, RTEV_PHASE_MINOR);
	log_thread_turned(t, 0);
	CHECK(read(ends[0], line, sizeof(line)) > 20);
	/* The reader goes: that ends it, with more to come or without. */
	close(ends[0]);
	while (!failed(t)) {
		sink.calls.begin(sink.ctx, 0, 2000, RTEV_PHASE_MINOR);
		log_thread_turned(t, 0);
	}
	log_thread_end(t);
	CHECK_INT(log_thread_close(t).error, EPIPE);
	close(ends[1]);
}

/* Counts how often it is asked, and gives up in the end. */
static bool not_for_ever(void *ctx, uint64_t written)
{
	unsigned *asked = ctx;

	return ++*asked == 3;
}

/* A reader that stands still fills what room there is, then it is told; whoever goes on waits, and may give
 * up. */
TEST(stands_still)
{
	struct session_sink sink;
	struct log_thread *t;
	unsigned asked = 0;
	int ends[2];

	CHECK_INT(pipe(ends), 0);
	CHECK_INT(log_thread_create(&t,
		      &(struct log_thread_options){.fd = ends[1], .waiting = not_for_ever, .ctx = &asked}),
	    0);
	log_thread_sink(t, &sink);
	CHECK(room(t));
	while (room(t))
		CHECK_INT(sink.calls.begin(sink.ctx, 0, 1, RTEV_PHASE_MINOR), RTEV_CONTINUE);
	CHECK_INT(asked, 0);
	while (sink.calls.begin(sink.ctx, 0, 1, RTEV_PHASE_MINOR) == RTEV_CONTINUE)
		continue;
	CHECK_INT(asked, 3);
	CHECK(failed(t));
	log_thread_end(t);
	CHECK_INT(log_thread_close(t).error, ECANCELED);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	test_run();
	return 0;
}
