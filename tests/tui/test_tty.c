/*
 * test_tty.c - the terminal room, most of it without a terminal: ncurses writes into memory and reads keys from
 * a pipe.
 *
 * The linker sends its polls here (--wrap).
 */
#include "support/test.h"

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "sample.h"
#include "tty/sink.h"
#include "tty/tty.h"

/* A closed tty leaves ncurses its screen; here there are many. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libncursesw\nleak:libtinfo\n";
}

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);

static unsigned polls_refused; /* so many more say that nothing is ready */

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	if (polls_refused == 0)
		return __real_poll(fds, count, timeout);
	polls_refused--;
	return 0;
}

/* A terminal that is not there. */
struct fake {
	struct tty *tty;
	struct canvas *canvas;
	int out, keys; /* what was written; where to write keys */
	int in;
	uint64_t seen;
};

/* Open a fake terminal of a type. */
static struct fake fake_open(const char *term, bool utf8, bool no_color, int rows, int cols)
{
	struct fake f = {.out = memfd_create("screen", 0)};
	int ends[2];
	CHECK(f.out >= 0 && pipe(ends) == 0);
	f.in = ends[0];
	f.keys = ends[1];
	struct tty_options options = {.in = f.in,
	    .out = f.out,
	    .term = term,
	    .utf8 = utf8,
	    .no_color = no_color,
	    .mouse = true,
	    .rows = rows,
	    .cols = cols};
	enum tty_status status = tty_open(&f.tty, &options);
	if (status != TTY_OK)
		TEST_FAIL("%s: %s", term, tty_strerror(status));
	f.canvas = canvas_create(0, 0);
	CHECK(f.canvas != NULL && tty_fit(f.tty, f.canvas));
	return f;
}

static void fake_close(struct fake *f)
{
	tty_close(f->tty);
	canvas_destroy(f->canvas);
	close(f->in);
	close(f->keys);
	close(f->out);
}

/* The bytes written since the last call, as a text. */
static const char *written(struct fake *f)
{
	static char text[1 << 18];
	ssize_t got = pread(f->out, text, sizeof(text) - 1, (off_t)f->seen);
	CHECK(got >= 0);
	f->seen += (uint64_t)got;
	CHECK_INT(f->seen, tty_bytes(f->tty));
	text[got] = '\0';
	return text;
}

TEST(test_refusals)
{
	struct tty *tty;
	int null = open("/dev/null", O_RDWR);
	struct tty_options options = {.in = null, .out = null, .term = "xterm-256color"};
	CHECK_INT(tty_open(&tty, &options), TTY_NOT_A_TERMINAL);
	CHECK(tty == NULL);
	options.rows = 24;
	options.cols = 80;
	options.term = NULL;
	CHECK_INT(tty_open(&tty, &options), TTY_NO_TERM);
	options.term = "";
	CHECK_INT(tty_open(&tty, &options), TTY_NO_TERM);
	options.term = "no-such-terminal";
	CHECK_INT(tty_open(&tty, &options), TTY_UNKNOWN);
	options.term = "dumb";
	CHECK_INT(tty_open(&tty, &options), TTY_DUMB);
	options.term = "xterm-256color";
	CHECK_INT(tty_open(&tty, &options), TTY_OK);
	struct tty *second;
	CHECK_INT(tty_open(&second, &options), TTY_BUSY);
	CHECK(second == NULL);
	tty_close(tty);
	CHECK_INT(tty_open(&tty, &options), TTY_OK);
	tty_close(tty);
	tty_close(NULL);
	close(null);
	for (int i = TTY_OK; i <= TTY_NO_MEMORY; i++)
		CHECK(strlen(tty_strerror((enum tty_status)i)) > 5);
	CHECK_STR(tty_strerror((enum tty_status)99), "unknown error");
}

/* What a terminal gets follows from its type, the codeset and the wish for colours. */
TEST(test_look)
{
	static const struct {
		const char *term;
		bool utf8, no_color;
		enum glyph_level level;
		bool colour;
	} cases[] = {
	    {"xterm-256color", true, false, GLYPHS_BLOCKS, true},
	    {"xterm-256color", true, true, GLYPHS_BLOCKS, false},
	    {"xterm-256color", false, false, GLYPHS_ASCII, true},
	    {"linux", true, false, GLYPHS_LINES, true},
	    {"vt100", true, false, GLYPHS_LINES, false},
	    {"vt100", false, false, GLYPHS_ASCII, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake f = fake_open(cases[i].term, cases[i].utf8, cases[i].no_color, 24, 80);
		CHECK(canvas_rows(f.canvas) == 24 && canvas_cols(f.canvas) == 80);
		CHECK_INT(canvas_level(f.canvas), cases[i].level);
		CHECK_INT(canvas_colour(f.canvas), cases[i].colour);
		written(&f);
		canvas_fill(f.canvas, rect_make(2, 0, 1, 10), STYLE_PHASE_MINOR, 'm');
		CHECK(tty_flush(f.tty, f.canvas));
		const char *bytes = written(&f);
		bool has_256 = strstr(bytes, "48;5;25m") != NULL, has_8 = strstr(bytes, "46m") != NULL;
		CHECK_INT(has_256 || has_8, cases[i].colour);
		CHECK(!has_256 || strcmp(cases[i].term, "xterm-256color") == 0);
		CHECK(strstr(bytes, "mmm") != NULL || strstr(bytes, "m\033[9b") != NULL);
		fake_close(&f);
	}
}

/* What has not changed is not sent. */
TEST(test_only_changes)
{
	struct fake f = fake_open("xterm-256color", true, false, 40, 120);
	sample_sheet(f.canvas);
	CHECK(tty_flush(f.tty, f.canvas));
	CHECK(strlen(written(&f)) > 2000);
	CHECK(tty_flush(f.tty, f.canvas));
	CHECK_INT(strlen(written(&f)), 0);
	CHECK(tty_fit(f.tty, f.canvas));
	sample_sheet(f.canvas);
	CHECK(tty_flush(f.tty, f.canvas));
	CHECK_INT(strlen(written(&f)), 0);
	canvas_put(f.canvas, 20, 60, STYLE_VALUE, "X");
	CHECK(tty_flush(f.tty, f.canvas));
	size_t small = strlen(written(&f));
	CHECK(small > 0 && small < 30);
	tty_redraw(f.tty);
	CHECK(tty_flush(f.tty, f.canvas));
	CHECK(strlen(written(&f)) > 2000);
	fake_close(&f);
}

/* Wide characters, marks, and what the C library thinks of otherwise. */
TEST(test_characters)
{
	struct fake f = fake_open("xterm-256color", true, false, 6, 20);
	canvas_put(f.canvas, 0, 0, STYLE_TEXT, "日本語x");
	canvas_put(f.canvas, 1, 0, STYLE_TEXT, "e\u0301tude");
	canvas_put(f.canvas, 2, 0, STYLE_TEXT, "a\U000323afb");
	canvas_put(f.canvas, 3, 0, STYLE_TEXT, "\033]0;title\a");
	CHECK(tty_flush(f.tty, f.canvas));
	const char *bytes = written(&f);
	CHECK(strstr(bytes, "日本語x") != NULL);
	CHECK(strstr(bytes, "e\u0301tude") != NULL);
	CHECK(strstr(bytes, "]0;title") != NULL && strstr(bytes, "\033]0;title") == NULL);
	/* Half of a wide character drawn over: its other half goes too. */
	canvas_put(f.canvas, 0, 1, STYLE_TEXT, "!");
	CHECK(tty_flush(f.tty, f.canvas));
	CHECK(strstr(written(&f), "!") != NULL);
	fake_close(&f);
	/* In a locale without them nothing but ASCII is sent, whatever the canvas holds. */
	setlocale(LC_CTYPE, "C");
	f = fake_open("xterm-256color", true, false, 6, 20);
	canvas_put(f.canvas, 0, 0, STYLE_TEXT, "日本語é…x");
	CHECK(tty_flush(f.tty, f.canvas));
	bytes = written(&f);
	for (const char *at = bytes; *at != '\0'; at++)
		CHECK((unsigned char)*at < 0x80);
	CHECK(strstr(bytes, "????????x") != NULL || strstr(bytes, "?\033[7bx") != NULL);
	fake_close(&f);
	setlocale(LC_CTYPE, "C.UTF-8");
}

/* A canvas of another size than the terminal's. */
TEST(test_sizes)
{
	struct fake f = fake_open("xterm-256color", true, false, 5, 11);
	static const int sizes[][2] = {{0, 0}, {1, 1}, {3, 5}, {5, 11}, {9, 30}, {2, 30}, {30, 2}};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		CHECK(canvas_resize(f.canvas, sizes[i][0], sizes[i][1]));
		for (int row = 0; row < sizes[i][0]; row++)
			canvas_put(f.canvas, row, 0, STYLE_VALUE, "日本語日本語日本語");
		CHECK(tty_flush(f.tty, f.canvas));
		written(&f);
	}
	fake_close(&f);
}

/* Type bytes and check which keys they make. */
static void check_keys(struct fake *f, const char *bytes, const ui_key *expected, int count)
{
	CHECK(write(f->keys, bytes, strlen(bytes)) == (ssize_t)strlen(bytes));
	for (int i = 0; i < count; i++) {
		ui_key got = tty_key(f->tty);
		if (got != expected[i])
			TEST_FAIL("key %d is \"%s\" (%#x), expected \"%s\"", i, ui_key_name(got).s,
			    (unsigned)got, ui_key_name(expected[i]).s);
	}
	CHECK_INT(tty_key(f->tty), UI_KEY_NONE);
}

#define KEYS(bytes, ...)                                                                                     \
	check_keys(                                                                                          \
	    &f, bytes, (ui_key[]){__VA_ARGS__}, (int)(sizeof((ui_key[]){__VA_ARGS__}) / sizeof(ui_key)))

TEST(test_keys)
{
	struct fake f = fake_open("xterm-256color", true, false, 24, 80);
	CHECK_INT(tty_key(f.tty), UI_KEY_NONE);
	KEYS("q", 'q');
	KEYS("abc", 'a', 'b', 'c');
	KEYS("é日", 0xe9, 0x65e5);
	/* C1 controls are no characters; what stands beside them is. */
	KEYS("\xc2\x80\xc2\x9f", UI_KEY_UNKNOWN, UI_KEY_UNKNOWN);
	KEYS("\xc2\xa0", 0xa0);
	KEYS(" \xf4\x8f\xbf\xbf", ' ', 0x10ffff);
	KEYS("\r", UI_KEY_ENTER);
	KEYS("\n", UI_KEY_ENTER);
	KEYS("\t", UI_KEY_TAB);
	KEYS("\x7f", UI_KEY_BACKSPACE);
	KEYS("\x0c", UI_CTRL('L'));
	KEYS("\x1a", UI_CTRL('Z'));
	KEYS("\x1c", UI_KEY_UNKNOWN);
	KEYS("\033", UI_KEY_ESCAPE);
	KEYS("\033q", UI_KEY_ESCAPE, 'q');
	KEYS("\033[A\033OB", UI_KEY_UP, UI_KEY_DOWN);
	KEYS("\033[C\033OD", UI_KEY_RIGHT, UI_KEY_LEFT);
	KEYS("\033[5~\033[6~", UI_KEY_PAGE_UP, UI_KEY_PAGE_DOWN);
	KEYS("\033[H\033[1~\033OH", UI_KEY_HOME, UI_KEY_HOME, UI_KEY_HOME);
	KEYS("\033[F\033[4~\033OF", UI_KEY_END, UI_KEY_END, UI_KEY_END);
	KEYS("\033[Z", UI_KEY_BACK_TAB);
	KEYS("\033OP\033OS\033[21~", UI_KEY_F1, UI_KEY_F4, UI_KEY_F10);
	/* Sequences without a meaning here are one unknown key, not the characters they are made of. */
	KEYS("\033[200~q", UI_KEY_UNKNOWN, 'q');
	KEYS("\033[38;5;1;99uq", UI_KEY_UNKNOWN, 'q');
	KEYS("\033[Iq", UI_KEY_UNKNOWN, 'q');
	KEYS("\033[", UI_KEY_ESCAPE, '[');
	KEYS("\033[\033[A", UI_KEY_ESCAPE, '[', UI_KEY_UP);
	fake_close(&f);
}

/* Type bytes that make one report of the mouse, and check what it says. */
static void check_pointer(struct fake *f, const char *bytes, int kind, int row, int col)
{
	CHECK(write(f->keys, bytes, strlen(bytes)) == (ssize_t)strlen(bytes));
	CHECK_INT(tty_key(f->tty), UI_KEY_MOUSE);
	const struct ui_pointer at = tty_pointer(f->tty);
	CHECK_INT(at.kind, kind);
	CHECK_INT(at.row, row);
	CHECK_INT(at.col, col);
}

TEST(test_mouse)
{
	struct fake f = fake_open("xterm-256color", true, false, 24, 80);

	CHECK(tty_flush(f.tty, f.canvas));
	CHECK(strstr(written(&f), "\033[?1000h\033[?1002h\033[?1006h") != NULL);
	check_pointer(&f, "\033[<0;1;1M", UI_POINTER_PRESS, 0, 0);
	check_pointer(&f, "\033[<0;80;24M", UI_POINTER_PRESS, 23, 79);
	check_pointer(&f, "\033[<32;7;5M", UI_POINTER_DRAG, 4, 6);
	check_pointer(&f, "\033[<0;7;5m", UI_POINTER_RELEASE, 4, 6);
	check_pointer(&f, "\033[<64;3;2M", UI_POINTER_WHEEL_UP, 1, 2);
	check_pointer(&f, "\033[<65;3;2M", UI_POINTER_WHEEL_DOWN, 1, 2);
	/* With Shift, Alt and Ctrl. */
	check_pointer(&f, "\033[<28;3;2M", UI_POINTER_PRESS, 1, 2);
	/* It comes in parts. */
	KEYS("\033[<0;1", UI_KEY_NONE);
	KEYS("2;", UI_KEY_NONE);
	check_pointer(&f, "8M", UI_POINTER_PRESS, 7, 11);
	KEYS("q", 'q');
	/* Outside the screen, of another button, broken, endless: nothing at all, and no key. */
	static const char *const nothing[] = {"\033[<0;81;1M", "\033[<0;1;25M", "\033[<0;0;1M",
	    "\033[<0;1;0M", "\033[<2;1;1M", "\033[<66;1;1M", "\033[<64;1;1m", "\033[<0;1M", "\033[<0;1;1;1M",
	    "\033[<;1;1M", "\033[<0;;1M", "\033[<0;1;M", "\033[<M", "\033[<-1;1;1M", "\033[<0;1;1~",
	    "\033[<0;1;1q", "\033[<99999999999999999999;1;1M", "\033[<0;4294967297;1M", "\033[<0:1:1M",
	    "\033[M !!", "\033[Mq1a",
	    "\033[<0;11111111111111111111111111111111111111111111111111111111111111111111111111111111;1M"};
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
		KEYS(nothing[i], UI_KEY_NONE);
		KEYS("jk", 'j', 'k');
	}
	/* One that breaks off is no key either; what begins anew after it is. */
	KEYS("\033[<0;1;\033[A", UI_KEY_UP);
	KEYS("\033[<0;1;\033[<0;1;1", UI_KEY_NONE);
	check_pointer(&f, "1M", UI_POINTER_PRESS, 10, 0);
	KEYS("\033[20", UI_KEY_NONE);
	KEYS("0~q", UI_KEY_UNKNOWN, 'q');
	/* Off: the terminal is told so, and what it still sends is nothing. */
	CHECK(tty_mouse(f.tty, false) && tty_flush(f.tty, f.canvas));
	CHECK_STR(written(&f), "\033[?1006l\033[?1002l\033[?1000l");
	KEYS("\033[<0;1;1M", UI_KEY_NONE);
	CHECK(tty_mouse(f.tty, true));
	tty_close(f.tty);
	f.tty = NULL;
	static char all[1 << 16];
	CHECK(pread(f.out, all, sizeof(all) - 1, (off_t)f.seen) > 0);
	CHECK(strstr(strstr(all, "\033[?1006h"), "\033[?1002l\033[?1000l") != NULL);
	fake_close(&f);
	/* These would print it, or have keys that look like it. */
	static const char *const without[] = {"vt100", "linux"};
	for (size_t i = 0; i < 2; i++) {
		f = fake_open(without[i], true, false, 24, 80);
		CHECK(!tty_mouse(f.tty, true));
		CHECK(tty_flush(f.tty, f.canvas));
		CHECK(strstr(written(&f), "[?100") == NULL);
		fake_close(&f);
	}
}

/* Copy a text and return what the terminal got. */
static const char *copied(const char *term, bool tmux, const char *text, size_t len, enum tty_copied answer)
{
	static char got[1 << 18];
	struct fake f = {.out = memfd_create("screen", 0)};
	struct tty_options options = {
	    .in = f.out, .out = f.out, .term = term, .tmux = tmux, .rows = 24, .cols = 80};

	CHECK_INT(tty_open(&f.tty, &options), TTY_OK);
	f.canvas = canvas_create(24, 80);
	CHECK(tty_flush(f.tty, f.canvas));
	written(&f);
	CHECK_INT(tty_copy(f.tty, text, len), answer);
	CHECK(tty_flush(f.tty, f.canvas));
	strlcpy(got, written(&f), sizeof(got));
	tty_close(f.tty);
	canvas_destroy(f.canvas);
	close(f.out);
	return got;
}

TEST(test_copy)
{
	static char text[60000];

	CHECK_STR(copied("xterm-256color", false, "", 0, TTY_COPY_SENT), "\033]52;c;\a");
	CHECK_STR(copied("xterm-256color", false, "a", 1, TTY_COPY_SENT), "\033]52;c;YQ==\a");
	CHECK_STR(copied("xterm-256color", false, "ab", 2, TTY_COPY_SENT), "\033]52;c;YWI=\a");
	CHECK_STR(copied("xterm-256color", false, "a\xff\xfe", 3, TTY_COPY_SENT), "\033]52;c;Yf/+\a");
	CHECK_STR(copied("tmux-256color", true, "abc", 3, TTY_COPY_SENT),
	    "\033Ptmux;\033\033]52;c;YWJj\a\033\\\033]52;c;YWJj\a");
	CHECK_STR(copied("screen-256color", false, "abc", 3, TTY_COPY_SENT), "\033P\033]52;c;YWJj\a\033\\");
	CHECK_STR(copied("linux", false, "abc", 3, TTY_COPY_UNKNOWN), "");
	CHECK_STR(copied("vt100", false, "abc", 3, TTY_COPY_UNKNOWN), "");
	/* 74,000 bytes of base64 and no more. */
	memset(text, 'x', sizeof(text));
	CHECK_INT(strlen(copied("xterm", false, text, 55500, TTY_COPY_SENT)), 74000 + 8);
	CHECK_STR(copied("xterm", false, text, 55501, TTY_COPY_LONG), "");
	/* screen gets it in strings that it takes. */
	const char *got = copied("screen", false, text, 1000, TTY_COPY_SENT), *end;
	size_t base64 = 0;
	int strings = 0;
	for (; *got != '\0'; got = end + 2, strings++) {
		CHECK(got[0] == '\033' && got[1] == 'P' && (end = strstr(got, "\033\\")) != NULL);
		CHECK(end - got < 768);
		for (const char *at = got; at < end; at++)
			base64 += strchr("eHh4A=", *at) != NULL;
	}
	CHECK_INT(strings, 3);
	CHECK_INT(base64, 1336);
}

/* Nanoseconds of processor time used. */
static uint64_t cpu_time(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What a redraw costs: printed, not judged, but for the promise that an unchanged screen costs no bytes. */
TEST(test_cost)
{
	enum { FRAMES = 400 };
	struct fake f = fake_open("xterm-256color", true, false, 40, 120);
	uint64_t drawing = 0, flushing = 0;
	written(&f);
	for (int i = 0; i < FRAMES; i++) {
		uint64_t start = cpu_time();
		CHECK(tty_fit(f.tty, f.canvas));
		sample_sheet(f.canvas);
		/* Numbers that change. */
		for (int pane = 0; pane < 8; pane++)
			for (int row = 0; row < 6; row++)
				canvas_printf(f.canvas, 3 + row + pane / 2 * 9, 30 + pane % 2 * 60,
				    STYLE_VALUE, "%4d.%02dms", (i * 37 + pane * 101 + row * 13) % 10000,
				    (i * 7 + row) % 100);
		uint64_t drawn = cpu_time();
		CHECK(tty_flush(f.tty, f.canvas));
		drawing += drawn - start;
		flushing += cpu_time() - drawn;
	}
	uint64_t bytes = tty_bytes(f.tty) - f.seen;
	f.seen += bytes;
	printf("120x40, 48 numbers changing: draw %.3f ms, flush %.3f ms, %.0f bytes a redraw\n",
	    (double)drawing / FRAMES / 1e6, (double)flushing / FRAMES / 1e6, (double)bytes / FRAMES);
	uint64_t start = cpu_time();
	for (int i = 0; i < FRAMES; i++)
		CHECK(tty_flush(f.tty, f.canvas));
	printf("the same, nothing changing: flush %.3f ms\n", (double)(cpu_time() - start) / FRAMES / 1e6);
	CHECK_INT(strlen(written(&f)), 0);
	fake_close(&f);
}

/* A pipe that is read, or not, plays a terminal that is slow: nothing waits for it, and no byte is lost or
 * sent twice. */
TEST(test_clogged)
{
	enum { LEN = 300000 };
	static char got[2 * LEN + 1];
	struct sink sink;
	int ends[2];

	CHECK(pipe(ends) == 0 && sink_open(&sink, ends[1]));
	CHECK(sink_ready(&sink));
	for (size_t i = 0; i < LEN; i++)
		putc((char)('a' + i % 23), sink.stream);
	sink_send(&sink, "<", ">");
	CHECK(!sink_ready(&sink) && sink.late && sink.bytes < LEN);
	/* The descriptor that was given still waits. */
	CHECK((fcntl(ends[1], F_GETFL) & O_NONBLOCK) == 0);
	size_t done = 0;
	while (!sink_ready(&sink)) {
		ssize_t n = read(ends[0], got + done, 1234);
		CHECK(n > 0);
		done += (size_t)n;
	}
	CHECK_INT(sink.bytes, LEN + 2);
	/* One that keeps up is late no more. */
	putc('!', sink.stream);
	sink_send(&sink, "", "");
	CHECK(!sink.late);
	while (done < LEN + 3) {
		ssize_t n = read(ends[0], got + done, sizeof(got) - done);
		CHECK(n > 0);
		done += (size_t)n;
	}
	CHECK_INT(done, LEN + 3);
	CHECK(got[0] == '<' && got[LEN + 1] == '>' && got[LEN + 2] == '!');
	for (size_t i = 0; i < LEN; i++)
		CHECK(got[i + 1] == (char)('a' + i % 23));
	/* Nobody reads any more: what is pending is given up. */
	signal(SIGPIPE, SIG_IGN);
	close(ends[0]);
	putc('x', sink.stream);
	sink_send(&sink, "", "");
	CHECK(sink_ready(&sink));
	CHECK_INT(sink_write(sink.out, "abc", 3, true), 0);
	sink_close(&sink);
	close(ends[1]);
}

/* A terminal that cannot be opened anew does not hold us up either. */
TEST(test_clogged_shared)
{
	enum { LEN = 200000 };
	static char sent[LEN], got[LEN];
	struct termios raw;

	int master = posix_openpt(O_RDWR | O_NOCTTY);
	CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	CHECK(slave >= 0 && tcgetattr(slave, &raw) == 0);
	cfmakeraw(&raw);
	CHECK(tcsetattr(slave, TCSANOW, &raw) == 0);
	memset(sent, 's', sizeof(sent));
	/* What does not get through is dropped. */
	size_t taken = sink_write((struct sink_out){slave, true}, sent, sizeof(sent), false);
	CHECK(taken > 0 && taken < LEN);
	/* Or all before it is. */
	CHECK_INT(sink_write((struct sink_out){slave, true}, "the way back", 12, true), 12);
	size_t done = 0;
	while (done < 12 || memcmp(got + done - 12, "the way back", 12) != 0) {
		ssize_t n = read(master, got + done, sizeof(got) - done);
		CHECK(n > 0);
		done += (size_t)n;
	}
	CHECK(done < taken + 12);
	close(slave);
	close(master);
}

/* A terminal that is given back just as it takes output again gets the way back. */
TEST(test_ready_amid_close)
{
	for (unsigned refused = 0; refused < 2; refused++) {
		const struct winsize size = {.ws_row = 24, .ws_col = 80};
		static char got[1 << 16];
		size_t done = 0;
		struct tty *tty;

		int master = posix_openpt(O_RDWR | O_NOCTTY);
		CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
		int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
		CHECK(slave >= 0 && ioctl(slave, TIOCSWINSZ, &size) == 0);
		/* Nothing is asked, whose answer would be waited for. */
		struct tty_options options = {.in = slave,
		    .out = slave,
		    .term = "xterm-256color",
		    .theme = THEME_DARK,
		    .no_sync = true};
		CHECK_INT(tty_open(&tty, &options), TTY_OK);
		struct canvas *canvas = canvas_create(0, 0);
		CHECK(canvas != NULL && tty_fit(tty, canvas) && tty_flush(tty, canvas));
		polls_refused = refused;
		tty_close(tty);
		CHECK_INT(polls_refused, 0);
		CHECK_INT(write(slave, "$", 1), 1);
		while (memchr(got, '$', done) == NULL) {
			ssize_t n = read(master, got + done, sizeof(got) - 1 - done);
			CHECK(n > 0);
			done += (size_t)n;
		}
		got[done] = '\0';
		CHECK(strstr(got, "\033[?1049l") != NULL);
		CHECK(strstr(got, "\033[?25h") != NULL);
		canvas_destroy(canvas);
		close(slave);
		close(master);
	}
}

int main(void)
{
	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		LACKS("no locale C.UTF-8");
	test_run();
	return 0;
}
