/*
 * sites_filter.h - parser of the memtrace filter.
 *
 * Words with blanks between them, each of which narrows what is shown:
 *   file:PART      the backtrace goes through a file whose name has PART in it
 *   domain:N       allocated on this domain
 *   time:FROM-TO   allocated between these times since the start of the trace; one may be left out
 *   anything else  a part of the name of a function in the backtrace; several words are one part, blanks
 *                  included
 * Function and file have to be those of one frame.  Upper and lower case are alike.
 */
#ifndef UI_VIEWS_SITES_FILTER_H
#define UI_VIEWS_SITES_FILTER_H

#include "sites/sites.h"

#define TRACE_FILTER_TEXT 64

/* A filter.  It contains pointers into itself: do not copy it. */
struct trace_filter {
	struct sites_filter sites;
	int64_t from, to; /* as in struct sites_options; both 0: any time */
	char function[TRACE_FILTER_TEXT], file[TRACE_FILTER_TEXT];
	char problem[TRACE_FILTER_TEXT + 48]; /* why a word was ignored; "": none was */
};

/* Parse a filter.  An invalid word is ignored, and `problem` says why. */
void trace_filter_read(struct trace_filter *out, const char *text);

#endif
