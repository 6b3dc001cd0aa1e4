/*
 * test_answers.c - what a terminal answers to the questions of its ground and of synchronised output is heeded at
 * once, read over when it is late, broken or hostile, and never a key.
 *
 * usage: test_answers TTY_PROBE
 *
 * The answers are full of keys that end the probe, or crash it.
 */
#include "support/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/terminal.h"

#define QUESTIONS "\033]11;?\033\\\033[?2026$p\033[c"
#define ATTRIBUTES "\033[?62;22;52c"

static const char *probe;

/* The colour of the probe's box on each ground. */
enum ground { UNKNOWN = 244, DARK = 239, LIGHT = 251 };

/* Start the probe and wait for its questions. */
static struct terminal start(void)
{
	const char *argv[] = {probe, NULL};
	struct terminal t = terminal_start(argv);

	terminal_read_until(&t, 0, QUESTIONS);
	return t;
}

static void end(struct terminal *t, const char *keys)
{
	int status, left;

	terminal_press(t, keys);
	terminal_read_until(t, 0, "\033[?1049l");
	CHECK(waitpid(t->child, &status, 0) == t->child);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 0);
	/* The shell gets nothing of it. */
	t->before.c_lflag &= ~(tcflag_t)ICANON;
	CHECK_INT(tcsetattr(t->slave, TCSANOW, &t->before), 0);
	CHECK_INT(ioctl(t->slave, TIOCINQ, &left), 0);
	CHECK_INT(left, 0);
	close(t->master);
	close(t->slave);
}

/* Wait for the picture, and check how it is drawn. */
static void check_picture(struct terminal *t, enum ground ground, bool synchronised)
{
	static const enum ground grounds[] = {UNKNOWN, DARK, LIGHT};
	char colour[32];

	terminal_read_until(t, 0, "end 200x50");
	for (size_t i = 0; i < sizeof(grounds) / sizeof(grounds[0]); i++) {
		snprintf(colour, sizeof(colour), "\033[38;5;%dm", (int)grounds[i]);
		if ((strstr(terminal_seen, colour) != NULL) != (grounds[i] == ground))
			TEST_FAIL("drawn for another ground than %d", (int)ground);
	}
	CHECK((strstr(terminal_seen, "\033[?2026h") != NULL) == synchronised);
}

/* No key has come: the next one is the first. */
static void check_no_key(struct terminal *t)
{
	CHECK(strstr(terminal_seen, "key  started") != NULL);
	terminal_press(t, "w"); /* draws all again and again */
	terminal_read_until(t, 0, "key w");
	terminal_press(t, "j");
	terminal_read_until(t, 0, "key j");
}

TEST(test_at_once)
{
	static const struct {
		const char *answers;
		enum ground ground;
		bool synchronised;
	} cases[] = {
	    {ATTRIBUTES, UNKNOWN, false},
	    {"\033]11;rgb:0000/0000/0000\033\\\033[?2026;2$y" ATTRIBUTES, DARK, true},
	    {"\033]11;rgb:ffff/ffff/ffff\a\033[?2026;1$y" ATTRIBUTES, LIGHT, true},
	    {"\033]11;rgb:f/f/d\033\\\033[?2026;0$y" ATTRIBUTES, LIGHT, false},
	    {"\033]11;rgb:1c/1c/1c\033\\\033[?2026;4$y" ATTRIBUTES, DARK, false},
	    {"\033]11;rgb:80/80/80\033\\" ATTRIBUTES, UNKNOWN, false}, /* neither dark nor light */
	    {"\033]11;rgb:qq/ss/xx\033\\\033[?2026;1q" ATTRIBUTES, UNKNOWN, false},
	    {"\033]11;rgb:0/0\033\\\033[?2026;11$y" ATTRIBUTES, UNKNOWN, false},
	    {"\033]11;rgb:00000/0/0\033\\\033[?20260;1$y" ATTRIBUTES, UNKNOWN, false},
	    {"\033]11;rgb:0/0/0x\033\\\033[?;2026;1$y" ATTRIBUTES, UNKNOWN, false},
	    {"\033]52;c;qsxqsxqsxqsxqsxqsxqsxqsxqsxqsxqsxqsxqsxqsxqsxqsxqsxqsxqsx\a" ATTRIBUTES, UNKNOWN,
		false},
	    {"\033]11;qsx\033]11;rgb:0/0/0\033\\\033[?1;2q" ATTRIBUTES, DARK, false}, /* one breaks off */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct terminal t = start();
		terminal_press(&t, cases[i].answers);
		check_picture(&t, cases[i].ground, cases[i].synchronised);
		check_no_key(&t);
		end(&t, "q");
	}
}

/* A terminal that does not answer holds nothing up; what it says later is no key, and changes nothing. */
TEST(test_late)
{
	struct terminal t = start();

	check_picture(&t, UNKNOWN, false);
	terminal_press(&t, "\033]11;rgb:0000/0000/0000\033\\\033[?2026;2$y" ATTRIBUTES);
	check_no_key(&t);
	check_picture(&t, UNKNOWN, false);
	end(&t, "q");
	/* In the same moment in which the user quits. */
	t = start();
	check_picture(&t, UNKNOWN, false);
	end(&t, "q\033]11;rgb:0000/0000/0000\033\\\033[?2026;2$y" ATTRIBUTES);
}

/* Keys that come before the answers are keys. */
TEST(test_early_keys)
{
	struct terminal t = start();

	terminal_press(&t, "j\014\033]11;rgb:0/0/0\033\\" ATTRIBUTES);
	check_picture(&t, DARK, false);
	terminal_read_until(&t, 0, "key Ctrl-L");
	end(&t, "q");
}

/* As many digits as a terminal takes at once are read over, too. */
TEST(test_long)
{
	enum { SIZE = 3000 };
	static char text[SIZE + 1];
	struct terminal t = start();

	check_picture(&t, UNKNOWN, false);
	memset(text, '7', SIZE);
	memcpy(text, "\033]11;", 5);
	memcpy(text + SIZE - 5, "qsx\033\\", 5);
	terminal_press(&t, text);
	check_no_key(&t);
	end(&t, "q");
}

/* A string without an end: keys that are pressed after it, each a while after the one before, are keys again. */
TEST(test_without_end)
{
	struct terminal t = start();
	struct pollfd poller = {.fd = t.master, .events = POLLIN};

	check_picture(&t, UNKNOWN, false);
	terminal_press(&t, "\033]11;rgb:00");
	while (strstr(terminal_seen, "key w") == NULL) {
		terminal_press(&t, "w");
		if (poll(&poller, 1, 200) > 0)
			terminal_read(&t);
	}
	end(&t, "q");
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	probe = argv[1];
	CHECK_INT(setenv("TERM", "xterm-256color", 1), 0);
	test_run();
	return 0;
}
