/*
 * tty_probe.c - a program that draws a numbered screen and ends in every way a program can, for the terminal
 * tests.
 *
 *   tty_probe [--ascii] [--no-color] [--sheet] [--guard]
 *   tty_probe --job COMMAND...      run a command as a shell runs a job, and tell what becomes of the
 *                                   terminal when it stops
 *
 * Keys: q quit, x exit from deep inside, c write to standard error, Ctrl-Z suspend, Ctrl-L redraw, w redraw
 * everything again and again until a key other than Ctrl-Z; and to
 * crash: s SIGSEGV, b SIGBUS, i SIGILL, f SIGFPE, a abort, o overflow of the stack.  With --guard, a handler
 * installed after the tty mends the SIGBUS that g causes.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "sample.h"
#include "tty/characters.h"
#include "tty/tty.h"

static volatile sig_atomic_t ended_by;
static volatile size_t bad_address = 4096;
static void *volatile mended_page;
static struct sigaction guard_previous;

/* Note a signal that asks us to end. */
static void on_end(int signal_number)
{
	ended_by = signal_number;
}

/* Mend a fault in our page, hand on any other. */
static void on_bus(int signal_number, siginfo_t *info, void *context)
{
	if (info->si_addr == mended_page && mended_page != NULL) {
		mmap(mended_page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		return;
	}
	sigaction(signal_number, &guard_previous, NULL);
	if (guard_previous.sa_flags & SA_SIGINFO)
		guard_previous.sa_sigaction(signal_number, info, context);
}

/* Install a handler. */
static void handle(int signal_number, void (*handler)(int))
{
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	sigaction(signal_number, &action, NULL);
}

/* Touch a page of a file that is not there any more. */
static int touch_lost_page(void)
{
	FILE *file = tmpfile();
	if (file == NULL || ftruncate(fileno(file), 4096) != 0)
		return -1;
	volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
	if (page == MAP_FAILED || ftruncate(fileno(file), 0) != 0)
		return -1;
	mended_page = (void *)(size_t)page;
	int value = page[0];
	fclose(file);
	return value;
}

/* Use up the stack. */
static int overflow(int depth)
{
	volatile char room[4096];
	room[0] = (char)depth;
	return depth < INT_MAX ? overflow(depth + 1) + room[0] : 0;
}

/* Crash as a key says; false if it says nothing of the kind. */
static bool crash(ui_key key)
{
	switch (key) {
	case 's':
		*(volatile int *)bad_address = 1;
		return true;
	case 'b':
		mended_page = NULL;
		raise(SIGBUS);
		return true;
	case 'i':
		raise(SIGILL);
		return true;
	case 'f':
		raise(SIGFPE);
		return true;
	case 'a':
		abort();
	case 'o':
		return overflow(0) != 0;
	default:
		return false;
	}
}

/* What the last line of the picture says. */
struct status {
	int frame;
	ui_key key;
	bool storm;
	char word[16];
};

/* Draw a number at the start of every line, and the size in the first and the last. */
static void draw(struct canvas *canvas, const struct status *status)
{
	int rows = canvas_rows(canvas), cols = canvas_cols(canvas);
	for (int row = 0; row < rows; row++)
		canvas_printf(canvas, row, 0, STYLE_VALUE, "%03d", row);
	canvas_box(canvas, rect_make(1, 4, rows - 2, cols - 4), STYLE_BORDER);
	canvas_printf(canvas, 0, 4, STYLE_TITLE, "probe pid %d key %s %s", (int)getpid(),
	    ui_key_name(status->key).s, status->word);
	canvas_printf(canvas, rows - 1, 4, STYLE_GOOD, "end %dx%d", cols, rows);
	canvas_put(canvas, 2, 6, STYLE_PHASE_MINOR, "minor é 日本 …");
}

/* Draw the sheet, with the mark that scripts wait for. */
static void draw_sheet(struct canvas *canvas, const struct status *status)
{
	sample_sheet(canvas);
	canvas_printf(canvas, canvas_rows(canvas) - 1, 0, STYLE_MUTED, "end %dx%d", canvas_cols(canvas),
	    canvas_rows(canvas));
}

/* Carry a key out; false to end. */
static bool press(struct tty *tty, ui_key key, struct status *status)
{
	status->key = key;
	status->storm = key == 'w' || (status->storm && (key == UI_KEY_RESIZE || key == UI_CTRL('Z')));
	if (key == 'q')
		return false;
	if (key == 'x')
		exit(3);
	if (key == 'c')
		fprintf(stderr, "captured words\n");
	if (key == 'g')
		snprintf(status->word, sizeof(status->word), touch_lost_page() == 0 ? "mended" : "failed");
	if (key == UI_CTRL('Z'))
		tty_suspend(tty);
	if (key == UI_CTRL('L'))
		tty_redraw(tty);
	crash(key);
	return true;
}

/* Draw and take keys until the end. */
static void run(
    struct tty *tty, struct canvas *canvas, void (*picture)(struct canvas *, const struct status *))
{
	struct status status = {.key = UI_KEY_NONE, .word = "started"};
	bool going = true;
	while (going && ended_by == 0) {
		ui_key key;
		tty_fit(tty, canvas);
		picture(canvas, &status);
		tty_flush(tty, canvas);
		status.frame++;
		struct pollfd poller = {STDIN_FILENO, POLLIN, 0};
		if (status.storm)
			tty_redraw(tty);
		if (poll(&poller, 1, status.storm ? 1 : 200) > 0 && (poller.revents & (POLLHUP | POLLERR)))
			going = false;
		while (going && ended_by == 0 && (key = tty_key(tty)) != UI_KEY_NONE)
			going = press(tty, key, &status);
	}
}

/* Wait for a job to stop or end. */
static int wait_for_job(pid_t child)
{
	int status;
	while (waitpid(child, &status, WUNTRACED) < 0 && errno == EINTR)
		;
	return status;
}

/* Give the terminal to a process group. */
static void foreground(pid_t group)
{
	handle(SIGTTOU, SIG_IGN);
	tcsetpgrp(STDIN_FILENO, group);
	handle(SIGTTOU, SIG_DFL);
}

/* Run a command as a job; when it stops, say whether the modes are those from before, wait for a line, let it
 * go on. */
static int run_job(char **command)
{
	struct termios before, after;
	tcgetattr(STDIN_FILENO, &before);
	pid_t child = fork();
	if (child == 0) {
		setpgid(0, 0);
		foreground(getpid());
		execvp(command[0], command);
		_exit(127);
	}
	setpgid(child, child);
	foreground(child);
	int status = wait_for_job(child);
	while (WIFSTOPPED(status)) {
		foreground(getpgrp());
		tcgetattr(STDIN_FILENO, &after);
		bool same = before.c_iflag == after.c_iflag && before.c_oflag == after.c_oflag &&
			    before.c_lflag == after.c_lflag &&
			    memcmp(before.c_cc, after.c_cc, sizeof(before.c_cc)) == 0;
		printf("job stopped: modes %s\n", same ? "restored" : "LOST");
		fflush(stdout);
		int c;
		while ((c = getchar()) != '\n' && c != EOF)
			;
		foreground(child);
		kill(-child, SIGCONT);
		status = wait_for_job(child);
	}
	foreground(getpgrp());
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct tty_options options = {
	    .in = STDIN_FILENO, .out = STDOUT_FILENO, .term = getenv("TERM"), .mouse = true};
	struct tty *tty;
	void (*picture)(struct canvas *, const struct status *) = draw;
	bool guard = false;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--job") == 0)
			return run_job(argv + i + 1);
		options.ascii = options.ascii || strcmp(argv[i], "--ascii") == 0;
		options.no_color = options.no_color || strcmp(argv[i], "--no-color") == 0;
		if (strcmp(argv[i], "--sheet") == 0)
			picture = draw_sheet;
		guard = guard || strcmp(argv[i], "--guard") == 0;
	}
	characters_set(getenv("LC_ALL"));
	options.utf8 = characters_utf8();
	handle(SIGINT, on_end);
	handle(SIGTERM, on_end);
	handle(SIGHUP, on_end);
	enum tty_status status = tty_open(&tty, &options);
	if (status != TTY_OK) {
		fprintf(stderr, "tty_probe: %s\n", tty_strerror(status));
		return 1;
	}
	if (guard) {
		struct sigaction action;
		memset(&action, 0, sizeof(action));
		action.sa_sigaction = on_bus;
		action.sa_flags = SA_SIGINFO | SA_ONSTACK;
		sigaction(SIGBUS, &action, &guard_previous);
	}
	struct canvas *canvas = canvas_create(0, 0);
	if (canvas != NULL)
		run(tty, canvas, picture);
	canvas_destroy(canvas);
	tty_close(tty);
	return ended_by != 0 ? 128 + ended_by : 0;
}
