/*
 * test_progress.c - a line of progress: over the one before, cut where the terminal ends, away before other
 * lines.
 */
#include <pty.h>
#include <unistd.h>

#include "app/fail.h"
#include "support/test.h"

/* Standard error as a terminal of some columns, or as none. */
struct screen {
	int master, saved;
};

static struct screen screen_open(unsigned short columns)
{
	struct winsize size = {.ws_row = 5, .ws_col = columns};
	struct screen s = {.saved = dup(STDERR_FILENO)};
	struct termios raw;
	int slave;

	cfmakeraw(&raw);
	CHECK_INT(openpty(&s.master, &slave, NULL, &raw, &size), 0);
	CHECK(s.saved >= 0 && dup2(slave, STDERR_FILENO) >= 0);
	close(slave);
	return s;
}

/* What was written to it is this. */
static void screen_close(struct screen *s, const char *want)
{
	char text[1024];

	CHECK(write(STDERR_FILENO, "|", 1) == 1);
	size_t used = 0;
	while (used == 0 || text[used - 1] != '|') {
		ssize_t n = read(s->master, text + used, sizeof(text) - 1 - used);
		CHECK(n > 0);
		used += (size_t)n;
	}
	text[used - 1] = '\0';
	CHECK(dup2(s->saved, STDERR_FILENO) >= 0);
	close(s->saved);
	close(s->master);
	CHECK_STR(text, want);
}

/* Each line begins where the one before did and ends before the last column. */
TEST(cut)
{
	struct screen s = screen_open(12);
	struct progress p;

	progress_init(&p);
	progress_show(&p, "recording %d events", 17);
	progress_show(&p, "%s", "short");
	progress_end(&p);
	progress_end(&p);
	screen_close(&s, "\rrecording 1\033[K\rshort\033[K\n");
}

/* A terminal that does not know its size is wide. */
TEST(unknown)
{
	struct screen s = screen_open(0);
	struct progress p;

	progress_init(&p);
	progress_show(&p, "%080d", 1);
	screen_close(&s, "\r0000000000000000000000000000000000000000000000000000000000000000000000000000000"
			 "1\033[K");
}

/* A line that is in the way goes, once. */
TEST(clear)
{
	struct screen s = screen_open(80);
	struct progress p;

	progress_init(&p);
	progress_clear(&p);
	progress_show(&p, "one");
	progress_clear(&p);
	progress_clear(&p);
	progress_end(&p);
	screen_close(&s, "\rone\033[K\r\033[K");
}

/* There is none where nobody watches. */
TEST(no_terminal)
{
	int fds[2], saved = dup(STDERR_FILENO);
	struct progress p;
	char byte;

	CHECK_INT(pipe(fds), 0);
	CHECK(saved >= 0 && dup2(fds[1], STDERR_FILENO) >= 0);
	close(fds[1]);
	progress_init(&p);
	progress_show(&p, "one");
	progress_clear(&p);
	progress_end(&p);
	CHECK(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	CHECK_INT(read(fds[0], &byte, 1), 0);
	close(fds[0]);
}
