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
 * A flame is an observer of a model.  A timestamp that goes back counts as the domain's latest one; if it
 * goes back by more than the longest window, the domain restarts.
 */
#ifndef WATCH_FLAME_H
#define WATCH_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/budget.h"
#include "watch/flame_tree.h"
#include "model/model.h"

#define FLAME_WINDOW_MIN 1000000000u
#define FLAME_WINDOW_DEFAULT 5000000000u
#define FLAME_WINDOW_MAX 60000000000u

struct flame;

struct flame_query {
	unsigned domain;
	uint64_t now;
	uint64_t window;	/* clamped to FLAME_WINDOW_MIN .. FLAME_WINDOW_MAX */
	uint64_t observed_from; /* begin of observation, if before the first span; else 0 */
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

/* NULL when memory ran out. */
struct flame *flame_create(void);

/* Set a budget for memory; it must outlive the flame.  A domain whose paths exceed it loses its graph:
 * flame_left_out. */
void flame_set_budget(struct flame *f, struct budget *budget);
bool flame_left_out(const struct flame *f, unsigned domain);

void flame_destroy(struct flame *f);

/* As model/copy.h has it. */
struct flame *flame_copy(const struct flame *from);

/* Fill in the observer that feeds a flame. */
void flame_observer(struct flame *f, struct model_observer *out);

/* Read the graph of one domain.  False, with an empty view, if the domain has had no event. */
bool flame_read(struct flame *f, const struct flame_query *query, struct flame_view *out);

/* The next longer (direction > 0) or shorter window of 1, 2, 5, 10, 20, 30, 60 s; stops at the ends. */
uint64_t flame_window_next(uint64_t window, int direction);

#endif
