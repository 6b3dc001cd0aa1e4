/*
 * flame.h - time in phases over the last seconds, by stack path, for each domain.
 *
 * Times come from the timestamps of begin and end events.  A span is added when it closes, so dropped spans
 * never count.  Spans open at the time of reading count up to that time.
 *
 * The window
 *   Time is stored in slices, and spans are split exactly at slice boundaries.  The window ends at the time
 *   of reading and begins at the begin of a slice, so it may be up to one slice longer than requested; struct
 *   flame_view has its limits.  Windows up to 1 s use slices of 20 ms, up to 5 s of 100 ms, up to 60 s of 500
 *   ms.  All three are always maintained, so the window can change at any time.
 *
 * Paths are those of the model; the time of spans of no path counts for the span around them.
 *
 * A flame is an observer of a model.  A timestamp that goes back counts as the domain's latest one; if it
 * goes back by more than the longest window, the domain restarts.
 */
#pragma once

#include "model/budget.h"
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
	unsigned domain;
	uint64_t now;
	uint64_t window;	/* clamped to FLAME_WINDOW_MIN .. FLAME_WINDOW_MAX */
	uint64_t observed_from; /* begin of observation, if before the first span; else 0 */
	/* the spans that are open, as the model has them */
	const struct model_open_span *stack;
	unsigned depth;
	/* pauses of the target, ascending */
	const struct model_target_pause *pauses;
	size_t pause_count;
};

struct flame_view {
	const struct flame_bar *bars; /* owned by the flame, valid until its next reading */
	size_t count;
	uint64_t from; /* the window, ns */
	uint64_t to;
	uint64_t in_phases; /* sum of row 0 */
	uint64_t paused;    /* part of the window in which the target had paused its events */
	uint64_t lost;	    /* part of it in which events were lost, without paused time */
};

/* The time in pauses, what of that the domain waited for others (model/waiting.h), and the time in waits that are no
 * pauses, ns. */
struct flame_sums {
	uint64_t gc, wait, idle;
};
struct flame_sums flame_sums(const struct flame_view *view);

/* NULL when memory ran out.  `paths`: of the model that is observed; they must outlive the flame. */
struct flame *flame_create(const struct path_tree *paths);

/* Set a budget for memory; it must outlive the flame.  A domain whose paths exceed it loses its graph:
 * flame_left_out. */
void flame_set_budget(struct flame *f, struct budget *budget);
bool flame_left_out(const struct flame *f, unsigned domain);

void flame_destroy(struct flame *f);

/* As core/copy.h has it; `paths`: of the copied model. */
struct flame *flame_copy(const struct flame *from, const struct path_tree *paths);

/* Fill in the observer that feeds a flame. */
void flame_observer(struct flame *f, struct model_observer *out);

/* Read the graph of one domain.  False, with an empty view, if the domain has had no event. */
bool flame_read(struct flame *f, const struct flame_query *query, struct flame_view *out);

/* The next longer (direction > 0) or shorter window of 1, 2, 5, 10, 20, 30, 60 s; stops at the ends. */
uint64_t flame_window_next(uint64_t window, int direction);

/*
 * The graph of any interval, computed from the history, for frozen pictures: the same, but the window is exact
 * at both edges.  Spans dropped in or after the window count nothing.
 */
struct flame_past;

struct flame_past_query {
	const struct history *history;
	const struct path_tree *paths; /* of the model that it is of */
	unsigned domain;
	uint64_t from; /* the window; starts later if the history does */
	uint64_t to;
	uint64_t now; /* open spans count up to this */
	/* the spans that are open, as the model has them */
	const struct model_open_span *stack;
	unsigned depth;
	/* pauses of the target, ascending */
	const struct model_target_pause *pauses;
	size_t pause_count;
};

/* NULL when memory ran out. */
struct flame_past *flame_past_create(void);
void flame_past_destroy(struct flame_past *p);

/*
 * Read the graph; `p` owns the view, which is valid until the next read.  False, with an empty view, if the
 * history has nothing of the domain in the window.  Decodes every record of the window.
 */
bool flame_past_read(struct flame_past *p, const struct flame_past_query *query, struct flame_view *out);
