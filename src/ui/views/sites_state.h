/*
 * sites_state.h - the memtrace views: the user's choices, the filter, and figures computed from the trace.
 *
 * Computing the figures (table rows, tree bars) walks the whole call tree, so they are cached until the
 * trace, the filter or the choices change.
 */
#pragma once

#include "sites/bars.h"
#include "sites/estimate.h"
#include "ui/state.h"
#include "ui/widgets/call_tree.h"

#define TRACE_FILTER_TEXT 64

/*
 * A filter: words with blanks between them, each of which narrows what is shown.
 *   file:PART      the backtrace goes through a file whose name has PART in it
 *   domain:N       allocated on this domain
 *   time:FROM-TO   allocated between these times since the start of the trace; one may be left out
 *   anything else  a part of the name of a function in the backtrace; several words are one part, blanks
 *                  included
 * Function and file have to be those of one frame.  Upper and lower case are alike.  It contains pointers
 * into itself: do not copy it.
 */
struct trace_filter {
	struct sites_filter sites;
	int64_t from, to; /* as in struct sites_options; both 0: any time */
	char function[TRACE_FILTER_TEXT], file[TRACE_FILTER_TEXT];
	char problem[TRACE_FILTER_TEXT + 48]; /* why a word was ignored; "": none was */
};

/* Parse a filter.  An invalid word is ignored, and `problem` says why. */
void trace_filter_read(struct trace_filter *out, const char *text);

/* Key of the cached figures. */
struct sites_basis {
	const struct sites *sites;
	unsigned generation;
	uint64_t events;
	bool marked;
	int64_t mark_time;
	char filter[VIEW_TEXT_MAX];
};

struct sites_state {
	/* chosen */
	bool tree;  /* show the tree, not the table */
	bool words; /* show words, not bytes */
	enum sites_weight weight;
	struct call_tree calls;

	int64_t from, to;    /* the time window in effect */
	unsigned generation; /* trace generation of the places */

	/* computed */
	struct trace_filter filter;
	struct sites_totals totals;
	struct sites_counts counts; /* counts of what passes the filter */
	struct sites_basis rows_of, bars_of;
	struct sites_row *rows;
	size_t row_count;
	struct sites_row *codes; /* rows, grouped by code */
	size_t code_count;
	enum sites_weight bars_weight;
	bool lacking; /* memory ran out */
};

VIEW_OWN(sites, sites_state, SITES)

/* Free what it refers to. */
void sites_state_fini(void *own);

/* Parse the filter and compute the totals; the trace must have sites. */
void sites_state_begin(struct ui *ui, const struct subject *subject);

/* Update the table rows, or the tree bars. */
void sites_state_rows(struct ui *ui, const struct subject *subject);
void sites_state_bars(struct ui *ui, const struct subject *subject);

/* Size of an estimate with its error as text. */
struct sites_text {
	char s[64];
};

/* Format words with their error: "12.3MB ±8%", the error padded to five columns so that values line up.
 * Words may be negative. */
struct sites_text sites_text_words(const struct sites_state *state, struct sites_estimate words);
/* Format a share with its error in points: "10%  ±1.3". */
struct sites_text sites_text_share(struct sites_estimate share);
/* Format seconds with their error: "1.02ms  ±3%". */
struct sites_text sites_text_time(struct sites_estimate seconds);

/* Remove the padding of an estimate. */
struct sites_text sites_text_tight(struct sites_text text);

/* Format a number of words in the chosen unit, without an error. */
struct formatted sites_words_alone(const struct sites_state *state, double words);

/* Format a stamp of the trace as time since its start: "12.3s". */
struct formatted sites_time(int64_t microseconds);

/* Draw a line with the totals of what passes the filter. */
void sites_summary_draw(
    struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect line);

/* Return the state of the file as text. */
struct state_word sites_state_word(const struct ui *ui, const struct subject *subject);

/* Draw the header if there is only a trace. */
void sites_header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area);

/* Draw the call tree; handle an action. */
void sites_tree_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area);
unsigned sites_tree_act(struct ui *ui, const struct subject *subject, enum ui_action action);
