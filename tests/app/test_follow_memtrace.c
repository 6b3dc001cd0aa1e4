/*
 * test_follow_memtrace.c - a memtrace file is followed through what may happen to it.
 */
#include "support/test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/top/follow_memtrace.h"
#include "core/clock.h"
#include "support/test_memtrace_data.h"

/* The clock: it leaps, so that a turn reads one batch and no more. */
uint64_t monotonic_now(void)
{
	static uint64_t now;

	return now += 2 * FOLLOW_TURN_NS;
}

uint64_t clock_ns(clockid_t id)
{
	(void)id;
	return monotonic_now();
}

/* A file that is followed. */
struct stage {
	char path[64];
	struct bytes data;
	struct follow follow;
	int64_t from, to; /* the time window that is wanted */
};

/* Write bytes of the data to the end of the file. */
static void append(const struct stage *s, size_t from, size_t to)
{
	int fd = open(s->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	CHECK(write(fd, s->data.data + from, to - from) == (ssize_t)(to - from));
	close(fd);
}

static void stage_open(struct stage *s)
{
	*s = (struct stage){.data = data_file("multidomain.ctf")};
	snprintf(s->path, sizeof(s->path), "/tmp/test_follow.XXXXXX");
	int fd = mkstemp(s->path);
	CHECK(fd >= 0);
	close(fd);
	append(s, 0, s->data.size);
	follow_begin(&s->follow, s->path);
}

static void stage_close(struct stage *s)
{
	follow_end(&s->follow);
	unlink(s->path);
	bytes_free(&s->data);
}

/* One turn that looks at the file. */
static const struct subject_trace *turn(struct stage *s)
{
	s->follow.next_look = 0;
	follow_turn(&s->follow, s->from, s->to);
	return follow_subject(&s->follow);
}

/* Turns until all is read. */
static const struct subject_trace *read_all(struct stage *s)
{
	const struct subject_trace *t = turn(s);

	while (t->reading)
		t = turn(s);
	return t;
}

/* A file that is removed is read on, and said to be removed until there is one again. */
TEST(test_removed)
{
	struct stage s;

	stage_open(&s);
	const struct subject_trace *t = read_all(&s);
	uint64_t events = t->events, size = t->size;
	CHECK(events > 0 && size == s.data.size && t->exists && !t->removed);
	CHECK(unlink(s.path) == 0);
	t = read_all(&s);
	CHECK(t->removed && t->exists && t->events == events && t->size == size && t->fault == NULL);
	append(&s, 0, s.data.size);
	t = read_all(&s);
	CHECK(!t->removed && t->events == events);
	stage_close(&s);
}

/* Another time window has the file read again, which is said while it lasts; the same one has not. */
TEST(test_window)
{
	struct stage s;

	stage_open(&s);
	const struct subject_trace *t = turn(&s);
	CHECK(t->reading && !t->again);
	t = read_all(&s);
	unsigned generation = t->generation;
	uint64_t events = t->events;
	CHECK(!t->again && turn(&s)->generation == generation);
	s.from = 10000;
	s.to = INT64_MAX;
	t = turn(&s);
	CHECK(t->generation == generation + 1 && t->reading && t->again);
	t = read_all(&s);
	CHECK(t->events == events && !t->again);
	CHECK(turn(&s)->generation == generation + 1);
	stage_close(&s);
}

/* While it is held nothing of it changes, but another time window of the part that had been read can be had,
 * also when the file is another one by then; after that it goes on where it was. */
TEST(test_held)
{
	struct stage s;

	stage_open(&s);
	size_t part = s.data.size / 2;
	CHECK(truncate(s.path, (off_t)part) == 0);
	const struct subject_trace *t = read_all(&s);
	struct subject_trace then = *t;
	CHECK(then.events > 0 && then.size == part);
	follow_hold(&s.follow, true);
	append(&s, part, s.data.size);
	for (int i = 0; i < 3; i++)
		t = turn(&s);
	then.age_ns = t->age_ns;
	CHECK(memcmp(t, &then, sizeof(then)) == 0);
	CHECK(unlink(s.path) == 0);
	append(&s, 0, s.data.size);
	s.from = 10000;
	s.to = INT64_MAX;
	t = read_all(&s);
	CHECK(t->generation == then.generation + 1 && t->sites != NULL && !t->removed);
	CHECK_INT(t->events, then.events);
	CHECK_INT(t->size, then.size);
	CHECK_INT(t->position, then.position);
	s.from = s.to = 0;
	t = read_all(&s);
	CHECK_INT(t->events, then.events);
	follow_hold(&s.follow, false);
	t = read_all(&s);
	CHECK(t->events > then.events && t->size == s.data.size && t->position == t->size);
	stage_close(&s);
}

/* It is known of the process that writes whether it has ended. */
TEST(test_ended)
{
	struct stage s;
	char host[256] = "";
	struct bytes trace = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&trace);
	struct rtev_memtrace_writer *writer;
	int hold[2], status;

	CHECK(gethostname(host, sizeof(host) - 1) == 0 && pipe(hold) == 0);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		close(hold[1]);
		_exit(read(hold[0], host, 1) != 0);
	}
	struct rtev_memtrace_info info = {.size = sizeof(info),
	    .sample_rate = 1e-3,
	    .word_size = 64,
	    .pid = child,
	    .host_name = host,
	    .executable_name = "p",
	    .start_time = (int64_t)time(NULL) * 1000000};
	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &info, NULL), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_OK);
	rtev_memtrace_writer_destroy(writer);

	stage_open(&s);
	CHECK(!read_all(&s)->ended); /* of another host: who knows */
	CHECK(truncate(s.path, 0) == 0);
	bytes_free(&s.data);
	s.data = trace;
	append(&s, 0, trace.size);
	CHECK(!read_all(&s)->ended);
	close(hold[1]);
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK(read_all(&s)->ended);
	close(hold[0]);
	stage_close(&s);
}
