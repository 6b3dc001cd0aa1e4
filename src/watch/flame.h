/*
 * flame.h - time in phases over the last seconds, by stack path, for each domain.
 *
 * Time is measured from the stamps of begin and end, to the nanosecond.  A span is committed when it closes:
 * what is dropped never counts.  Spans that are open when the graph is read count up to then.
 *
 * The window
 *   Time is kept in slices, and a span is split exactly at their boundaries.  The window's right edge is the
 *   time of reading; its left edge is the begin of a slice, so that the window is up to one slice longer than
 *   asked for; the view says from when to when it is.  A window of 1 s has slices of 20 ms, up to 5 s of
 *   100 ms, up to 60 s of 500 ms.  All three are kept all the time, so a change of the window shows at once.
 *
 * It is fed as an observer of a model.  Time stamps of a domain that go back count as the latest one; when
 * they go back by more than the longest window, the domain starts anew.
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
	uint64_t window;	/* FLAME_WINDOW_MIN to FLAME_WINDOW_MAX; others are moved into that range */
	uint64_t observed_from; /* since when the domain is observed, if before its first span; else 0 */
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
	uint64_t lost;	    /* part of it in which events were lost, as far as not paused */
};

/* NULL when memory ran out. */
struct flame *flame_create(void);

/* Take memory from a budget, which outlives it.  A domain whose paths no longer fit has no graph from then on: flame_left_out.
 */
void flame_set_budget(struct flame *f, struct budget *budget);
bool flame_left_out(const struct flame *f, unsigned domain);

void flame_destroy(struct flame *f);

/* Fill in the observer that feeds a flame. */
void flame_observer(struct flame *f, struct model_observer *out);

/* Read the graph of one domain.  False, and an empty view, when the domain has had no event. */
bool flame_read(struct flame *f, const struct flame_query *query, struct flame_view *out);

/* The next longer (direction > 0) or shorter window of 1, 2, 5, 10, 20, 30, 60 s; the longest and the
 * shortest stay. */
uint64_t flame_window_next(uint64_t window, int direction);

#endif
