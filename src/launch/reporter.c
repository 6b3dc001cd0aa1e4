/*
 * reporter.c - format messages for a struct reporter.
 */
#include "core/std.h"
#include "launch/reporter.h"

/* a path and a sentence */
#define TEXT_SIZE 4608

int report_message(const struct reporter *to, const char *remedy, const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	to->message(to->ctx, remedy, text);
	return EXIT_FAILED;
}
