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
#pragma once

#include "model/budget.h"
#include "model/model.h"
#include "watch/history.h"

#define FLAME_WINDOW_MIN 1000000000u
#define FLAME_WINDOW_DEFAULT 5000000000u
#define FLAME_WINDOW_MAX 60000000000u

/*
 * The tree of stack paths.  A node is a stack path: a phase under the path of its parent.  FLAME_ROOT is the
 * empty path; siblings are in the order of the phase table.  The tree is bounded.  When few nodes are left,
 * new paths share one child FLAME_OTHER of their parent; when none is left they become FLAME_NONE, and their
 * time counts for the parent.  Paths inside FLAME_OTHER are FLAME_NONE.
 */
#define FLAME_NODES_MAX 512   /* root included */
#define FLAME_NODES_NAMED 448 /* up to here each new path gets a node */
#define FLAME_DEPTH_MAX 64    /* deeper spans count for the span around them */
#define FLAME_ROOT 0u
#define FLAME_NONE 0xffffu
#define FLAME_OTHER ((rtev_phase)0xffff) /* the phase of a bar that stands for several */

struct flame_node {
	rtev_phase phase;
	uint16_t parent; /* of the root: FLAME_NONE */
	uint16_t child;	 /* first one, or FLAME_NONE */
	uint16_t next;	 /* sibling, or FLAME_NONE */
};

/* A parent's number is smaller than its children's. */
struct flame_tree {
	struct flame_node *nodes;
	unsigned count;
	unsigned size;
};

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

/* Make a tree of the root alone.  False when memory ran out; the tree can be given to flame_tree_fini. */
bool flame_tree_init(struct flame_tree *t);
void flame_tree_fini(struct flame_tree *t);

/* Say whether the next new path would have no place of its own. */
static inline bool flame_tree_full(const struct flame_tree *t)
{
	return t->count >= FLAME_NODES_NAMED;
}

/* The node for a phase under a parent, made when there is none yet; see above for what becomes of it when the
 * tree is full.  FLAME_NONE also under FLAME_NONE, and when memory ran out. */
unsigned flame_tree_child(struct flame_tree *t, unsigned parent, rtev_phase phase);

/*
 * Remove the nodes that are neither marked in keep[0 .. count - 1] nor above one that is.  map[old] gets the
 * new number, or FLAME_NONE; new numbers are never larger than old ones.
 */
void flame_tree_prune(struct flame_tree *t, bool *keep, uint16_t *map);

/*
 * The bars of all nodes with any time, depth first.  self[node] is each node's own time; sum[node] is written
 * over.  Both have t->count members, `out` has room for as many.  Returns how many bars there are.
 */
size_t flame_tree_bars(
    const struct flame_tree *t, const uint64_t *self, uint64_t *sum, struct flame_bar *out);

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

/*
 * The graph of any interval, computed from the history, for frozen pictures: the same, but the window is exact
 * at both edges.  Spans dropped in or after the window count nothing.
 */
struct flame_past;

struct flame_past_query {
	const struct history *history;
	unsigned domain;
	uint64_t from; /* the window; starts later if the history does */
	uint64_t to;
	uint64_t now; /* open spans count up to this */
	/* pauses of the target, ascending */
	const struct model_target_pause *pauses;
	size_t pause_count;
};

/* NULL when memory ran out. */
struct flame_past *flame_past_create(void);
void flame_past_destroy(struct flame_past *p);

/*
 * Read the graph; `p` owns the view, which is valid until the next read.  False, with an empty view, if the
 * history has nothing of the domain in the window.  Decodes every event of the window.
 */
bool flame_past_read(struct flame_past *p, const struct flame_past_query *query, struct flame_view *out);
