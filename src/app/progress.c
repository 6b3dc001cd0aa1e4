/*
 * progress.c - a line of progress.
 */
#include "app/progress.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CLEAR_TO_END "\033[K"

void progress_init(struct progress *p)
{
	*p = (struct progress){.terminal = isatty(STDERR_FILENO)};
}

/* Columns that the line may take.  The last one stays free: terminals differ in where the cursor is after a
 * full line. */
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
