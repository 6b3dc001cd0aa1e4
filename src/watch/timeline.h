/*
 * timeline.h - what a domain did, in columns of time and rows of nesting depth, from the history.
 *
 * A cell is the phase that took most of its column in that row.  Times are exact: spans are cut at column
 * boundaries and summed up by phase, however many there are.  Spans that were dropped, also those dropped
 * after the stretch shown, take no time; spans still open take the time up to now.
 *
 * Cost: one reading decodes the events of the stretch, some nanoseconds each.  A timeline remembers its last
 * picture: when the next one has the same domain, column width and rows and begins the same or a number of
 * columns later, only what is new or was still open is decoded.
 */
#ifndef WATCH_TIMELINE_H
#define WATCH_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch/history.h"

#define TIMELINE_COLUMNS_MAX 1024
#define TIMELINE_ROWS_MAX 16

struct timeline_cell {
	uint64_t time;	  /* ns that `phase` took; 0: the cell is empty */
	uint64_t covered; /* ns that spans of any phase took in this row */
	rtev_phase phase;
};

enum timeline_time {
	TIMELINE_LOST,	  /* between a loss and the event after it */
	TIMELINE_PAUSED,  /* the target had paused its events */
	TIMELINE_UNKNOWN, /* no detail is kept */
	TIMELINE_TIMES
};

/* What else there was in a column. */
struct timeline_column {
	uint64_t times[TIMELINE_TIMES]; /* ns */
	uint64_t user_time;		/* the longest part of a single user span; 0: there was none */
	uint32_t user_slot;		/* that user span's */
	uint32_t points;		/* unit, int and custom events */
	uint32_t marks;			/* lifecycle events */
};

struct timeline_query {
	const struct history *history;
	unsigned domain;
	uint64_t t0;
	uint64_t width;	  /* of a column, ns, at least 1 */
	unsigned columns; /* 1 to TIMELINE_COLUMNS_MAX */
	unsigned rows;	  /* 1 to TIMELINE_ROWS_MAX */
	uint64_t now;	  /* open spans count up to this */
	/* pauses of the target, ascending */
	const struct model_target_pause *pauses;
	size_t pause_count;
};

struct timeline_view {
	const struct timeline_cell *cells; /* cell of column c and row r: cells[c * rows + r] */
	const struct timeline_column *columns;
	unsigned column_count;
	unsigned rows;
	uint64_t decoded; /* events, to produce this picture */
};

struct timeline;

/* NULL when memory ran out. */
struct timeline *timeline_create(void);
void timeline_destroy(struct timeline *t);

/* Forget the last picture: the history was replaced, or begun anew. */
void timeline_forget(struct timeline *t);

/*
 * Make the picture that a query asks for; the view is owned by the timeline and valid until the next reading.
 * False, and an empty view, for a query out of its limits and when memory ran out.
 */
bool timeline_read(struct timeline *t, const struct timeline_query *query, struct timeline_view *out);

/*
 * Columns for the `span` ns until `to`, or a little more: *width is at least 1 ns, and *t0 a multiple of it, so
 * that columns stay where they are while time goes on.  The last column holds `to`.
 */
void timeline_align(uint64_t to, uint64_t span, unsigned columns, uint64_t *t0, uint64_t *width);

#endif
