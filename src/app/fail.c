/*
 * fail.c - messages on standard error.
 */
#include "app/fail.h"

#include <ctype.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/clock.h"
#include "files/folder.h"
#include "launch/signals.h"
#include "target/shortage.h"
#include "tty/characters.h"
#include "figures/figures.h"

#define REMEDY_FULL "Make room, or write to another file system."

void fail_output_begin(struct out *out, int fd, unsigned *stops)
{
	out_init(out, fd);
	out->ascii = !characters_utf8();
	if (stops != NULL)
		out_set_wait(out, signals_wait_write, stops);
}

/* receives lines in place of standard error, unless NULL */
static void (*diverted)(const char *line, size_t len);

/* Print one line with control characters and invalid bytes replaced. */
static void print_line(const char *prefix, const char *text)
{
	struct out out;

	fail_output_begin(&out, STDERR_FILENO, NULL);
	out_text(&out, prefix);
	out_foreign(&out, text, strlen(text));
	out_char(&out, '\n');
	if (diverted != NULL)
		diverted(out.buffer, out.used);
	else
		out_flush(&out);
}

void fail_divert(void (*take)(const char *line, size_t len))
{
	diverted = take;
}

/* the last message */
static char last[4608];

int say(const char *remedy, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last, sizeof(last), format, args);
	va_end(args);
	print_line("rtevtop: ", last);
	if (remedy != NULL && remedy[0] != '\0')
		print_line("  ", remedy);
	return EXIT_FAILED;
}

static void on_report(void *ctx, const char *remedy, const char *text)
{
	say(remedy, "%s", text);
}

const struct reporter fail_report = {.message = on_report};

const char *fail_last(void)
{
	return last;
}

int fail_corrupt(const char *path, uint64_t words, uint64_t falls, const char *where)
{
	if (words != 0)
		say(where, "the ring %s has invalid records: %llu words skipped", path,
		    (unsigned long long)words);
	if (falls != 0)
		say("It is a copy made while the ring was written to: copy it once the program has "
		    "ended, or record the program itself.",
		    "the time stamps in the ring %s go back %llu times; no span crosses these places", path,
		    (unsigned long long)falls);
	return words == 0 && falls == 0 ? EXIT_DONE : EXIT_FAILED;
}

void fail_lost(const struct model *m, uint64_t ring_words, const char *where)
{
	char remedy[80], text[256];
	const struct model_totals totals = model_totals(m);

	if (totals.lost_words == 0)
		return;
	const struct traffic traffic = traffic_read(m, ring_words);
	traffic_remedy(&traffic, remedy, sizeof(remedy));
	remedy[0] = (char)toupper((unsigned char)remedy[0]);
	snprintf(text, sizeof(text), "%s%s%s%s", where, where[0] != '\0' && remedy[0] != '\0' ? " " : "",
	    remedy, remedy[0] != '\0' ? "." : "");
	say(text[0] != '\0' ? text : NULL, "%llu words were overwritten before they were read",
	    (unsigned long long)totals.lost_words);
}

/* the subcommand whose help messages refer to; NULL: the overview */
static const char *help_of;

void fail_help(const char *command)
{
	help_of = command;
}

int fail_usage(const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print_line("rtevtop: ", text);
	snprintf(text, sizeof(text), "`rtevtop help%s%s` lists the %s", help_of != NULL ? " " : "",
	    help_of != NULL ? help_of : "", help_of != NULL ? "options" : "commands");
	print_line("  ", text);
	return EXIT_USAGE;
}

int fail_file(const char *path, int error)
{
	const char *remedy = error == ENOSPC || error == EDQUOT ? REMEDY_FULL
			     : error == ELOOP  ? "Give the path that the link leads to, if that is meant."
			     : error == EBADF  ? "It is closed, or not open for writing."
			     : error == EEXIST ? "Another file has taken its name meanwhile."
			     : error == EFBIG  ? "`ulimit -f` limits how large files may be."
					       : "Give a file in a directory that you can write to.";

	return say(shortage_remedy(error, remedy), "could not write %s: %s", path, folder_strerror(error));
}

int fail_code(const struct code_refusal *refusal, const char *name)
{
	if (refusal->why[0] == '\0')
		return EXIT_DONE;
	say(refusal->remedy[0] != '\0' ? refusal->remedy : NULL, "could not sample %s of %s: %s",
	    refusal->error != 0 ? "the code"
	    : refusal->some	? "all threads"
				: "threads that run, only look at those that wait,",
	    name, refusal->why);
	return refusal->error != 0 ? EXIT_FAILED : EXIT_DONE;
}

int fail_output(int error, const char *what)
{
	if (error == 0 || error == EPIPE)
		return EXIT_DONE;
	if (error == ECANCELED)
		return say(NULL, "%s is cut short: asked to end while it was printed", what);
	return say(error == ENOSPC || error == EDQUOT ? REMEDY_FULL : NULL, "could not write %s: %s", what,
	    strerror(error));
}

/* Whether reading failed for a reason other than the file's contents. */
static bool unreadable(int status)
{
	switch (status) {
	case RTEV_E_NOENT:
	case RTEV_E_ACCESS:
	case RTEV_E_NOT_REGULAR:
	case RTEV_E_PATH:
	case RTEV_E_LOOP:
	case RTEV_E_FILES:
	case RTEV_E_IO:
	case RTEV_E_NOMEM:
		return true;
	default:
		return false;
	}
}

/* Whether a file is empty: its reader found the end of the data at the begin. */
static bool is_empty(const struct rtev_memtrace_fault *fault)
{
	return fault->status == RTEV_E_MEMTRACE_UNDERFLOW && fault->offset == 0;
}

void fail_memtrace_text(const struct rtev_memtrace_fault *fault, char *buf, size_t size)
{
	if (unreadable(fault->status))
		snprintf(buf, size, "could not be read: %s", rtev_strerror(fault->status));
	else if (is_empty(fault))
		snprintf(buf, size, "it is empty");
	else
		snprintf(buf, size, "malformed trace: %s, at byte %" PRIu64, fault->what, fault->offset);
}

int fail_memtrace(const char *path, const struct rtev_memtrace_fault *fault)
{
	char text[256];

	fail_memtrace_text(fault, text, sizeof(text));
	if (unreadable(fault->status))
		say(NULL, "could not read %s: %s", path, rtev_strerror(fault->status));
	else
		say(fault->status == RTEV_E_MEMTRACE_MAGIC
			? "A trace is what a program with memtrace writes where MEMTRACE says."
		    : is_empty(fault) ? "Its program has written nothing yet, or died before it did."
				      : NULL,
		    "%s: %s", path, text);
	return EXIT_FAILED;
}

/* Drop a message. */
static void say_nothing(void *ctx, const char *remedy, const char *text)
{
}

const struct reporter fail_silent = {.message = say_nothing};

/* ---- slow readers ---- */

#define STILL_NS 2000000000u /* after a request to stop, a reader without progress for so long is given up */
#define MOMENT_NS 2000000u

void reader_timeout_init(struct reader_timeout *p, unsigned stops)
{
	*p = (struct reader_timeout){.stops = stops, .moved = monotonic_now()};
}

bool reader_timeout_ends(struct reader_timeout *p, uint64_t written)
{
	uint64_t now = monotonic_now();

	signals_wait(NULL, 0, 0);
	unsigned stops = signals_stops();
	if (stops == 0 || written != p->written)
		p->moved = now;
	p->written = written;
	return stops > p->stops || (stops > 0 && now - p->moved > STILL_NS);
}

void reader_timeout_wait(void)
{
	signals_wait(NULL, 0, MOMENT_NS);
}

/* ---- progress ---- */

#define CLEAR_TO_END "\033[K"

void progress_init(struct progress *p)
{
	*p = (struct progress){.terminal = isatty(STDERR_FILENO)};
}

/* The columns that the line may take.  The last column stays free, because terminals differ in where the
 * cursor is after a full line. */
static int room(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col - 1 : INT16_MAX;
}

void progress_show(struct progress *p, const char *format, ...)
{
	char text[256];
	va_list args;

	if (!p->terminal)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "\r%.*s" CLEAR_TO_END, room(), text);
	fflush(stderr);
	p->shown = true;
}

void progress_clear(struct progress *p)
{
	if (!p->shown)
		return;
	fputs("\r" CLEAR_TO_END, stderr);
	fflush(stderr);
	p->shown = false;
}

void progress_end(struct progress *p)
{
	if (!p->shown)
		return;
	fputc('\n', stderr);
	fflush(stderr);
	p->shown = false;
}
