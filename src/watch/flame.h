/*
 * flame.h - time in phases by stack path, for one domain: in the last seconds, or in any interval that the history
 * keeps.
 *
 * A graph is read from the history: from the sums of its blocks, and the records of those blocks that an edge of the
 * window lies in.  Spans are cut at the edges.  Spans that are open count up to the time of reading; a span that was
 * dropped in or after the window counts nothing.
 *
 * The last seconds begin at the begin of a slice, so that they may be up to one slice more than requested; struct
 * flame_view has their limits.  Windows up to 1 s have slices of 20 ms, up to 5 s of 100 ms, up to 60 s of 500 ms.
 *
 * Paths are those of the model; the time of spans of no path counts for the span around them.
 */
#pragma once

#include "model/model.h"
#include "watch/history.h"

#define FLAME_WINDOW_MIN 1000000000u
#define FLAME_WINDOW_DEFAULT 5000000000u
#define FLAME_WINDOW_MAX 60000000000u

#define FLAME_NONE 0xffffu /* no bar */

/* A bar of the graph.  Children lie inside their parent from its left edge on; what is right of them is the
 * parent's own time. */
struct flame_bar {
	rtev_phase phase;
	uint16_t parent; /* index of its bar, FLAME_NONE in row 0 */
	uint8_t depth;	 /* row, 0 outermost */
	uint64_t x;	 /* ns from the left edge of the graph */
	uint64_t total;	 /* ns: its width */
	uint64_t self;	 /* ns of it in no child */
};

/*
 * The bars of all paths with any time, depth first.  self[path] is each path's own time; sum[path] is written over.
 * Both have PATHS_MAX members, `out` has room for as many.  Returns how many bars there are.
 */
size_t flame_bars(const struct path_tree *t, const uint64_t *self, uint64_t *sum, struct flame_bar *out);

struct flame;

struct flame_query {
	const struct history *history;
	const struct path_tree *paths; /* of the model that it is of */
	unsigned domain;
	uint64_t from, to; /* the window; starts later if the history does */
	uint64_t now;	   /* open spans count up to this */
	/* the spans that are open, as the model has them */
	const struct model_open_span *stack;
	unsigned depth;
	/* pauses of the target, ascending */
	const struct model_target_pause *pauses;
	size_t pause_count;
};

struct flame_view {
	const struct flame_bar *bars; /* owned by the flame, valid until its next read */
	size_t count;
	uint64_t from; /* the window, ns */
	uint64_t to;
	uint64_t in_phases; /* sum of row 0 */
	uint64_t paused;    /* part of the window in which the target had paused its events */
	uint64_t lost;	    /* part of it in which events were lost, without paused time */
};

/* The time in pauses, what of that the domain waited for others (model/waiting.h), what of the rest was inside of minor
 * collections, and the time in waits that are no pauses, ns. */
struct flame_sums {
	uint64_t gc, wait, minor, idle;
};
struct flame_sums flame_sums(const struct flame_view *view);

/* What reads graphs.  NULL when memory ran out. */
struct flame *flame_create(void);
void flame_destroy(struct flame *f);

/* Read the graph of a window.  False, with an empty view, if the history has nothing of the domain in it. */
bool flame_read(struct flame *f, const struct flame_query *query, struct flame_view *out);

/*
 * Read the graph of the last `window` ns, FLAME_WINDOW_MIN to FLAME_WINDOW_MAX, up to query->now; the query's own window
 * is ignored.  `observed_from`: the begin of observation, if before the first event; else 0.  False, with an empty view,
 * if the domain has had no event.
 */
bool flame_read_last(struct flame *f, const struct flame_query *query, uint64_t window,
    uint64_t observed_from, struct flame_view *out);

/* The next longer (direction > 0) or shorter window of 1, 2, 5, 10, 20, 30, 60 s; stops at the ends. */
uint64_t flame_window_next(uint64_t window, int direction);
