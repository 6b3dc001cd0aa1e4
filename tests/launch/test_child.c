/*
 * test_child.c - which ring of a COMMAND is followed: the first one, also when all are found at once and the
 * first has been written to since.
 */
#include "launch/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/signals.h"
#include "support/test.h"

static void on_message(void *ctx, const char *remedy, const char *text)
{
	TEST_FAIL("message: %s", text);
}

static const struct reporter reporter = {.message = on_message};

/* Run a script in a directory of rings, and wait for its end. */
static void child_run(struct child *child, const char *script, const char *rings)
{
	char shell[] = "sh", option[] = "-c", text[256], *argv[] = {shell, option, text, NULL};
	const struct child_options options = {
	    .argv = argv, .rings = rings, .temporary = "/tmp", .report = &reporter};

	CHECK(snprintf(text, sizeof(text), "%s", script) < (int)sizeof(text));
	CHECK_INT(child_start(child, &options), 0);
	CHECK_INT(poll(&(struct pollfd){.fd = child->pidfd, .events = POLLIN}, 1, -1), 1);
	CHECK(child_poll(child));
	CHECK_INT(child_exit_status(child), 0);
}

/* Find the next ring, which must be that of a process. */
static void next_is(struct child *child, int64_t pid)
{
	struct child_ring ring;
	int fd = child_find_ring(child, &ring);

	CHECK(fd >= 0);
	CHECK_INT(ring.pid, pid);
	close(fd);
	child_took_ring(child, &ring);
}

/* Whether files in /tmp tell when they were made. */
static bool has_birth(void)
{
	struct statx st;

	return statx(AT_FDCWD, "/tmp", 0, STATX_BTIME, &st) == 0 && (st.stx_mask & STATX_BTIME) != 0;
}

/* COMMAND writes a ring, and forks: its children's are younger. */
TEST(test_own)
{
	struct child child;

	child_run(&child,
	    "cd \"$OCAML_RUNTIME_EVENTS_DIR\"; echo a >$$.events; sleep 0.05; echo b >1.events; sleep 0.05; "
	    "echo c >>$$.events",
	    NULL);
	next_is(&child, child.pid);
	next_is(&child, 1);
	child_fini(&child);
}

/* The ring of a grandchild, and those of its children. */
TEST(test_other)
{
	struct child child;

	if (!has_birth())
		return;
	child_run(&child,
	    "cd \"$OCAML_RUNTIME_EVENTS_DIR\"; echo a >7.events; sleep 0.05; echo b >3.events; sleep 0.05; "
	    "echo c >>7.events",
	    NULL);
	next_is(&child, 7);
	next_is(&child, 3);
	child_fini(&child);
}

/* A file of the user's directory that an earlier process left is as old as its last change. */
TEST(test_used_again)
{
	char dir[] = "/tmp/rtev-child-XXXXXX";
	struct child child;

	CHECK(mkdtemp(dir) != NULL);
	CHECK_INT(chdir(dir), 0);
	int left = open("2147483646.events", O_WRONLY | O_CREAT, 0600);
	CHECK(left >= 0 && write(left, "x", 1) == 1);
	close(left);
	usleep(20000);
	child_run(&child,
	    "cd \"$OCAML_RUNTIME_EVENTS_DIR\"; echo a >2147483645.events; sleep 0.05; echo b "
	    ">>2147483646.events",
	    dir);
	next_is(&child, 2147483645);
	next_is(&child, 2147483646);
	child_fini(&child);
	CHECK_INT(chdir("/"), 0);
	CHECK_INT(rmdir(dir), 0);
}

/* A SIGTERM that ended COMMAND is known after COMMAND was waited for. */
TEST(test_passed_term)
{
	char sleep[] = "sleep", long_time[] = "1000", *argv[] = {sleep, long_time, NULL};
	const struct child_options options = {
	    .argv = argv, .temporary = "/tmp", .passes_term = true, .report = &reporter};
	struct child child;

	signals_install();
	CHECK_INT(child_start(&child, &options), 0);
	CHECK(!signals_passed_term());
	CHECK_INT(raise(SIGTERM), 0);
	while (!child_poll(&child))
		signals_wait(NULL, 0, 1000000);
	CHECK(signals_passed_term());
	CHECK_INT(signals_stops(), 0);
	child_fini(&child);
	signals_restore();
}
