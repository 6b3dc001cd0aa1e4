/*
 * terminal.c - a terminal for a program under test.
 */
#include "support/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "support/test.h"

#define TERMINAL_ROWS 50
#define TERMINAL_COLS 200

char terminal_seen[TERMINAL_SEEN_MAX + 1];
size_t terminal_seen_len;

struct terminal terminal_start(const char *const argv[])
{
	struct terminal t = {.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
	const struct winsize size = {.ws_row = TERMINAL_ROWS, .ws_col = TERMINAL_COLS};

	CHECK(t.master >= 0 && grantpt(t.master) == 0 && unlockpt(t.master) == 0);
	t.slave = open(ptsname(t.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	CHECK(t.slave >= 0 && ioctl(t.slave, TIOCSWINSZ, &size) == 0);
	CHECK(tcgetattr(t.slave, &t.before) == 0);
	terminal_seen_len = 0;
	terminal_seen[0] = '\0';
	fflush(stdout);
	t.child = fork();
	CHECK(t.child >= 0);
	if (t.child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setsid();
		ioctl(t.slave, TIOCSCTTY, 0);
		for (int fd = 0; fd <= 2; fd++)
			dup2(t.slave, fd);
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	return t;
}

void terminal_read(struct terminal *t)
{
	CHECK(terminal_seen_len < TERMINAL_SEEN_MAX);
	ssize_t got =
	    read(t->master, terminal_seen + terminal_seen_len, TERMINAL_SEEN_MAX - terminal_seen_len);
	if (got < 0 && errno == EINTR)
		return;
	CHECK(got > 0);
	terminal_seen_len += (size_t)got;
	terminal_seen[terminal_seen_len] = '\0';
}

void terminal_read_until(struct terminal *t, size_t from, const char *text)
{
	while (strstr(terminal_seen + from, text) == NULL)
		terminal_read(t);
}

void terminal_press(const struct terminal *t, const char *keys)
{
	CHECK(write(t->master, keys, strlen(keys)) == (ssize_t)strlen(keys));
}
