/*
 * paths.h - counts and times of phases by stack path over all domains, since the begin or the last reset.
 *
 * A *path* is a phase together with its enclosing phases (model/path_tree.h).  This keeps count, total, self
 * and longest span of each path over the whole run; flame.h does so for the last seconds.  Only finished
 * spans count, and only spans with a path of their own.  The collector's time is the self time of the spans
 * in pauses, so that spans of an open pause are included, too.
 */
#pragma once

#include "model/model.h"
#include "watch/longest.h"

#define PATHS_SMALL 0.02  /* share of the collector's time below which a path is small */
#define PATHS_BLOCKS 4096 /* octaves of times kept of all paths together, 2 MiB */

struct paths;

struct path {
	rtev_phase phase;
	uint16_t depth; /* 0: outermost */
	uint64_t count;
	uint64_t total;
	uint64_t self;
	uint64_t max;
	double of_gc; /* share of the collector's time; NAN: a wait that is not a pause, or inside one */
	/* To be folded: it has a small share of the collector's time, and so have all paths inside it; or it
	 * is inside a wait that is not a pause. */
	bool small;
	unsigned node;			    /* its number, which does not change with the order */
	const struct longest_list *longest; /* `part` is the self time */
};

/* `tree` belongs to the observed model and must outlive the paths.  NULL when memory ran out. */
struct paths *paths_create(const struct path_tree *tree);
void paths_destroy(struct paths *p);

/* A copy for reading, with the tree of the copied model; NULL when memory ran out. */
struct paths *paths_copy(const struct paths *from, const struct path_tree *tree);

/* Forget all counts and times. */
void paths_reset(struct paths *p);

/* Count a span that ended.  Returns its place among the longest of its path, for the caller to complete;
 * NULL: it is not among them. */
struct longest_span *paths_closed(struct paths *p, unsigned domain, const struct model_span *span);

/* Distribution of the durations of a path's spans. */
struct path_times {
	/* read-only; valid until the paths change.  Its smallest value is within 1 % */
	struct hist hist;
	struct hist_octave *octaves[HIST_OCTAVES];
};

/* Get the durations of a path from paths_list.  Returns false if some are unknown for lack of room. */
bool paths_times(struct paths *p, const struct path *path, struct path_times *out);

/* Return the paths that have a count, or lead to one that has, each before those inside it.  Siblings are
 * sorted by descending total, with waits that are not pauses last.  Owned by `p` and valid until it
 * changes. */
const struct path *paths_list(struct paths *p, size_t *count);
