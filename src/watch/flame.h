/*
 * flame.h - time in phases by stack path, for one domain: in the last seconds, or in any interval that the
 * history keeps.
 *
 * A graph is read from the history: from the sums of its blocks, and from the records of blocks at the edges
 * of the window.  Spans are cut at the edges.  Open spans count up to the time of reading; a span that was
 * dropped in or after the window counts nothing.
 *
 * The last seconds begin at the begin of a slice, so the window may be up to one slice longer than requested;
 * struct flame_view contains its limits.  Windows up to 1 s have slices of 20 ms, up to 5 s of 100 ms, up to
 * 60 s of 500 ms.
 *
 * Paths are those of the model; the time of spans without a path counts for the enclosing span.
 */
#pragma once

#include "model/model.h"
#include "watch/history.h"

#define FLAME_WINDOW_MIN 1000000000u
#define FLAME_WINDOW_DEFAULT 5000000000u
#define FLAME_WINDOW_MAX 60000000000u

#define FLAME_NONE 0xffffu /* no bar */

/* A bar of the graph.  Children are inside their parent, from its left edge on; the rest of the parent is its
 * own time. */
struct flame_bar {
	rtev_phase phase;
	uint16_t parent; /* index of its bar, FLAME_NONE in row 0 */
	uint8_t depth;	 /* row, 0 outermost */
	uint64_t x;	 /* ns from the left edge of the graph */
	uint64_t total;	 /* width in ns */
	uint64_t self;	 /* ns outside of its children */
};

struct flame;

struct flame_query {
	const struct history *history;
	const struct path_tree *paths; /* of the observed model */
	unsigned domain;
	uint64_t from, to; /* the window, which starts later if the history does */
	uint64_t now;	   /* open spans count up to this stamp */
	struct history_present present;
};

struct flame_view {
	const struct flame_bar *bars; /* owned by the flame, valid until its next read */
	size_t count;
	uint64_t from; /* the window, ns */
	uint64_t to;
	uint64_t in_phases; /* sum of row 0 */
	uint64_t paused;    /* part of the window in which the target had paused its events */
	uint64_t lost;	    /* part of the window in which events were lost, without paused time */
	bool alone;	    /* there is no other domain to wait for */
};

/* Times in ns: in pauses, the part of them in which the domain waited for others (model/waiting.h), the part
 * of the rest in minor collections, and in waits that are not pauses. */
struct flame_sums {
	uint64_t gc, wait, minor, idle;
};
struct flame_sums flame_sums(const struct flame_view *view);

/* Create a reader of graphs.  NULL when memory ran out. */
struct flame *flame_create(void);
void flame_destroy(struct flame *f);

/* Read the graph of a window.  Returns false, with an empty view, if the history has nothing of the domain in
 * it. */
bool flame_read(struct flame *f, const struct flame_query *query, struct flame_view *out);

/*
 * Read the graph of the last `window` ns, FLAME_WINDOW_MIN to FLAME_WINDOW_MAX, up to query->now; the query's
 * own window is ignored.  `observed_from`: the begin of observation, if before the first event; else 0.
 * Returns false, with an empty view, if the domain has had no event.
 */
bool flame_read_last(struct flame *f, const struct flame_query *query, uint64_t window,
    uint64_t observed_from, struct flame_view *out);

/* Return the next longer (direction > 0) or shorter window of 1, 2, 5, 10, 20, 30, 60 s, or the same at the
 * ends. */
uint64_t flame_window_next(uint64_t window, int direction);
