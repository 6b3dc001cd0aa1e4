/*
 * test_stuck.c - a terminal that takes no output (nobody reads it, or Ctrl-S) holds nothing up: keys, SIGTERM
 * and the reading of rings go on, the end comes, and the terminal is given back.
 *
 * usage: test_stuck TTY_PROBE FOLDER
 *
 * The terminal is a pty whose master this program reads, or does not.  Nothing here measures time: a program
 * that waits for its terminal never ends, and ctest's limit tells so.  The bytes of one terminal go to
 * FOLDER/picture for test_stuck.sh, which shows them on a real one.
 */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "support/terminal.h"

static const char *rtevtop, *probe, *folder;

/* Take a little while, in a wait for an event that cannot be polled for. */
static void moment(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* Wait until the terminal takes no more. */
static void terminal_clog(const struct terminal *t)
{
	for (struct pollfd out = {t->slave, POLLOUT, 0}; poll(&out, 1, 0) != 0; out.revents = 0)
		moment();
}

/* Wait for the program's end, while nobody reads; the terminal is as it was.  What came since `from` leads
 * back to the shell. */
static void terminal_end_since(struct terminal *t, int status, size_t from)
{
	struct termios after;
	int got;

	CHECK(waitpid(t->child, &got, 0) == t->child);
	if (!WIFEXITED(got))
		TEST_FAIL("ended by signal %d", WTERMSIG(got));
	CHECK_INT(WEXITSTATUS(got), status);
	CHECK(tcgetattr(t->slave, &after) == 0);
	CHECK_INT(after.c_lflag, t->before.c_lflag);
	CHECK_INT(after.c_iflag, t->before.c_iflag);
	CHECK_INT(after.c_oflag, t->before.c_oflag);
	/* The way back to the shell was sent in whole. */
	terminal_read_until(t, from, "\033[?1049l");
	terminal_read_until(t, from, "\033[?25h");
	/* What it wrote through is the descriptor's own affair: the shell's waits as before. */
	CHECK((fcntl(t->slave, F_GETFL) & O_NONBLOCK) == 0);
	close(t->master);
	close(t->slave);
}

/* Wait for the end as terminal_end_since does, with all that has not been read yet. */
static void terminal_end(struct terminal *t, int status)
{
	terminal_end_since(t, status, terminal_seen_len);
}

/* Start the live view of the demo and wait for its first picture. */
static struct terminal live_start(const char *record)
{
	const char *argv[] = {rtevtop, "--demo", "-d", "10ms", record != NULL ? "-o" : NULL, record, NULL};
	struct terminal t = terminal_start(argv);
	terminal_read_until(&t, 0, "LIVE");
	return t;
}

TEST(test_quit)
{
	struct terminal t = live_start(NULL);

	terminal_clog(&t);
	terminal_press(&t, "q");
	terminal_end(&t, 0);
}

TEST(test_sigterm)
{
	struct terminal t = live_start(NULL);

	terminal_clog(&t);
	CHECK(kill(t.child, SIGTERM) == 0);
	terminal_end(&t, 0);
}

TEST(test_stopped)
{
	struct terminal t = live_start(NULL);

	terminal_press(&t, "\023");
	terminal_clog(&t);
	terminal_press(&t, "q");
	terminal_end(&t, 0);
	t = live_start(NULL);
	terminal_press(&t, "\023");
	terminal_clog(&t);
	CHECK(kill(t.child, SIGTERM) == 0);
	terminal_end(&t, 0);
}

/* The size of a file, 0 when there is none. */
static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_size : 0;
}

/* Keys act and rings are read while the terminal takes nothing: a recording begins and grows. */
TEST(test_reading_goes_on)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/stuck.fxt", folder);
	unlink(path);
	struct terminal t = live_start(path);
	terminal_clog(&t);
	terminal_press(&t, "r");
	while (size_of(path) == 0)
		moment();
	for (off_t first = size_of(path); size_of(path) < 4 * first;)
		moment();
	terminal_press(&t, "q");
	terminal_end(&t, 0);
}

/* Start the probe and let it redraw everything again and again until the terminal takes no more. */
static struct terminal probe_clogged(void)
{
	const char *argv[] = {probe, NULL};
	struct terminal t = terminal_start(argv);

	terminal_read_until(&t, 0, "end 200x50");
	terminal_press(&t, "w");
	terminal_clog(&t);
	return t;
}

/* Ctrl-Z stops the program, and a fatal signal ends it, with the terminal given back. */
TEST(test_suspend)
{
	struct terminal t = probe_clogged();
	struct termios now;
	int status;

	terminal_press(&t, "\032");
	/* An orphaned process group is not stopped by SIGTSTP: the probe goes on at once. */
	size_t from = terminal_seen_len;
	terminal_read_until(&t, from, "\033[?1049l");
	/* Its size is that of the terminal, whatever LINES and COLUMNS say. */
	terminal_read_until(&t, from, "key resize");
	terminal_read_until(&t, from, "end 200x50");
	terminal_clog(&t);
	CHECK(kill(t.child, SIGABRT) == 0);
	CHECK(waitpid(t.child, &status, 0) == t.child);
	CHECK(tcgetattr(t.slave, &now) == 0);
	CHECK_INT(now.c_lflag, t.before.c_lflag);
	terminal_read_until(&t, terminal_seen_len, "\033[?1049l");
	close(t.master);
	close(t.slave);
}

/* When the terminal takes output again, the picture is whole. */
TEST(test_picture)
{
	struct terminal t = probe_clogged();
	char path[4096];

	terminal_press(&t, "j");
	terminal_read_until(&t, terminal_seen_len, "key j");
	size_t from = terminal_seen_len;
	terminal_press(&t, "q");
	terminal_read_until(&t, from, "\033[?1049l");
	snprintf(path, sizeof(path), "%s/picture", folder);
	FILE *file = fopen(path, "w");
	CHECK(file != NULL);
	size_t len = (size_t)(strstr(terminal_seen + from, "\033[?1049l") - terminal_seen);
	CHECK(fwrite(terminal_seen, 1, len, file) == len && fclose(file) == 0);
	terminal_end_since(&t, 0, from);
}

int main(int argc, char **argv)
{
	rtevtop = getenv("RTEVTOP");
	CHECK(argc == 3 && rtevtop != NULL);
	probe = argv[1];
	folder = argv[2];
	test_run();
	return 0;
}
