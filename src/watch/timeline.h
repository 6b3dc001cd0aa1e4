/*
 * timeline.h - a domain's phases in columns of time and rows of nesting depth, computed from the history.
 *
 * A cell shows the phase with the most time in its column and row.  Times are exact: spans are cut at column
 * boundaries and summed by phase.  Dropped spans count nothing, also if they were dropped after the interval;
 * open spans count up to now.
 *
 * Cost: one read decodes the records of the interval, a few nanoseconds each.  A timeline caches its last
 * picture.  If the next one has the same domain and column width, and begins at the same column or later,
 * only new records are decoded.  Between two reads timeline_follow can decode them
 * already.
 */
#pragma once

#include "watch/history.h"

#define TIMELINE_COLUMNS_MAX 1024
#define TIMELINE_ROWS_MAX 16

struct timeline_cell {
	uint64_t time;	  /* ns that `phase` took; 0: the cell is empty */
	uint64_t covered; /* ns that spans of any phase took in this row */
	uint64_t idle;	  /* ns of `covered` in which the domain was idle */
	rtev_phase phase;
};

enum timeline_time {
	TIMELINE_LOST,	  /* between a loss and the event after it */
	TIMELINE_PAUSED,  /* the target had paused its events */
	TIMELINE_UNKNOWN, /* no detail is kept */
	TIMELINE_TIMES
};

/* Other contents of a column. */
struct timeline_column {
	uint64_t times[TIMELINE_TIMES]; /* ns */
	uint64_t user_time;		/* longest part of a single user span; 0: none */
	uint32_t user_slot;		/* slot of that user span */
	uint32_t points;		/* unit, int and custom events */
	uint32_t marks;			/* lifecycle events */
};

struct timeline_query {
	const struct history *history;
	unsigned domain;
	uint64_t t0;
	uint64_t width;	  /* ns of a column, at least 1 */
	unsigned columns; /* 1 to TIMELINE_COLUMNS_MAX */
	uint64_t now;	  /* open spans count up to this stamp */
	struct history_present present;
};

struct timeline_view {
	const struct timeline_cell *cells; /* cell of column c and row r: cells[c * TIMELINE_ROWS_MAX + r] */
	const struct timeline_column *columns;
	unsigned column_count;
	uint64_t decoded; /* records decoded for this picture */
};

struct timeline;

/* NULL when memory ran out. */
struct timeline *timeline_create(void);
void timeline_destroy(struct timeline *t);

/* Discard the cached picture: the history was replaced or restarted. */
void timeline_forget(struct timeline *t);

/*
 * Compute the picture of a query; the timeline owns the view, which is valid until the next read.  Returns
 * false, with an empty view, if the query exceeds the limits.
 */
bool timeline_read(struct timeline *t, const struct timeline_query *query, struct timeline_view *out);

/*
 * Decode up to max_records new records for the next picture, if the last one was of the present: its last
 * column contained the query's `now`.  The next one will have `now`, or a later time, in its last column
 * (timeline_align).  Pictures do not depend on this.
 */
void timeline_follow(struct timeline *t, uint64_t now, uint64_t max_records);

/*
 * Compute columns for the `span` ns until `to`, or a little more: *width is at least 1 ns, and *t0 a multiple
 * of it, so that columns do not shift as time goes on.  The last column contains `to`.
 */
void timeline_align(uint64_t to, uint64_t span, unsigned columns, uint64_t *t0, uint64_t *width);
