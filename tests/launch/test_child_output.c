/*
 * test_child_output.c - what a COMMAND prints: so much in a turn and no more, its end; signals while it never
 * stops; and for how long it has been up once it has ended.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/top/facts.h"
#include "launch/signals.h"
#include "support/test.h"

#define MUCH (4 * FACTS_OUTPUT)

/* A child with nothing but an output, of which `fill` bytes wait to be read; the other end of it. */
static int printing(struct child *child, size_t fill)
{
	int ends[2];
	char line[64];

	CHECK_INT(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	CHECK(fcntl(ends[0], F_SETPIPE_SZ, MUCH) >= MUCH);
	for (size_t i = 0; i < fill; i += sizeof(line)) {
		snprintf(line, sizeof(line), "%62zu", i);
		line[sizeof(line) - 1] = '\n';
		CHECK_INT(write(ends[1], line, sizeof(line)), sizeof(line));
	}
	*child = (struct child){.pid = -1, .pidfd = -1, .notify = -1, .output = ends[0]};
	return ends[1];
}

/* How many bytes wait to be read. */
static size_t unread(const struct child *child)
{
	int n = 0;

	CHECK_INT(ioctl(child->output, FIONREAD, &n), 0);
	return (size_t)n;
}

/* A turn takes no more than is kept, and what is kept is the end. */
TEST(turns)
{
	static struct facts f;
	struct child child;
	char last[64];
	int in = printing(&child, MUCH);

	facts_init(&f);
	facts_take_output(&f, &child);
	CHECK_INT(unread(&child), MUCH - FACTS_OUTPUT);
	CHECK_INT(f.output_len, FACTS_OUTPUT);
	for (int i = 0; i < 3; i++)
		facts_take_output(&f, &child);
	CHECK_INT(unread(&child), 0);
	snprintf(last, sizeof(last), "%62d", MUCH - 64);
	CHECK(memcmp(f.output + FACTS_OUTPUT - 64, last, 62) == 0);
	facts_fini(&f);
	close(in);
	close(child.output);
}

/* Nothing now is not the end; at the end the descriptor is closed, and asking on does no harm. */
TEST(end)
{
	struct child child;
	char data[128];
	int in = printing(&child, 64);

	CHECK_INT(child_take_output(&child, data, sizeof(data)), 64);
	CHECK_INT(child_take_output(&child, data, sizeof(data)), 0);
	CHECK(child.output >= 0);
	close(in);
	CHECK_INT(child_take_output(&child, data, sizeof(data)), 0);
	CHECK_INT(child.output, -1);
	CHECK_INT(child_take_output(&child, data, sizeof(data)), 0);
}

/* A wish to end comes through while there is always something to read. */
TEST(signals)
{
	struct child child;
	int in = printing(&child, 64);
	struct pollfd fd = {.fd = child.output, .events = POLLIN};

	signals_install();
	CHECK_INT(raise(SIGTERM), 0);
	CHECK_INT(signals_stops(), 0);
	CHECK_INT(signals_wait(&fd, 1, UINT64_MAX), 1);
	CHECK_INT(fd.revents, POLLIN);
	CHECK_INT(signals_stops(), 1);
	close(in);
	close(child.output);
}

/* The time that a process was up stops with it. */
TEST(uptime)
{
	struct session s = {.state = SESSION_LIVE};
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0)
		for (;;)
			pause();
	CHECK_INT(alive_create(&s.alive, NULL, pid, 0), 0);
	session_check(&s);
	CHECK_INT(s.state, SESSION_LIVE);
	CHECK_INT(kill(pid, SIGKILL), 0);
	for (int i = 0; i < 1000 && s.state == SESSION_LIVE; i++) {
		signals_wait(NULL, 0, 10000000);
		session_check(&s);
	}
	CHECK_INT(s.state, SESSION_ENDED);
	uint64_t up = alive_uptime(s.alive);
	CHECK(up < 60);
	usleep(1100000);
	CHECK_INT(alive_uptime(s.alive), up);
	CHECK_INT(waitpid(pid, NULL, 0), pid);
	alive_destroy(s.alive);
}
