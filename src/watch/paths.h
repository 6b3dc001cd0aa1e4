/*
 * paths.h - counts and times of phases by stack path over all domains, since the begin or the last reset.
 *
 * A *path* is a phase together with the phases around it (model/path_tree.h).  For each path this keeps count, total,
 * self and longest span over the whole run; flame.h does so for the last seconds.  Only finished spans count.  Spans
 * that have no path of their own are ignored.  The collector's time is the self time of
 * the spans in pauses, so that those of a pause that has not ended have their share too.
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
	double of_gc; /* share of the collector's time; NAN: a wait that is no pause, and what is inside it */
	/* To be folded away: it has a small share of the collector's time, as has all inside it; or it is inside a
	 * wait that is no pause. */
	bool small;
	unsigned node;			    /* its number, which stays while the order changes */
	const struct longest_list *longest; /* `part` is the self time */
};

/* NULL when memory ran out.  `tree`: of the model that is observed; it must outlive the paths. */
struct paths *paths_create(const struct path_tree *tree);
void paths_destroy(struct paths *p);

/* A copy for reading, with the tree of the copied model; NULL when memory ran out. */
struct paths *paths_copy(const struct paths *from, const struct path_tree *tree);

/* Start anew. */
void paths_reset(struct paths *p);

/* A span ended.  Its place among the longest of its path, for the caller to say more of it; NULL when it is none of
 * them. */
struct longest_span *paths_closed(struct paths *p, unsigned domain, const struct model_span *span);

/* How long the spans of a path took. */
struct path_times {
	/* to be read, not freed; valid until the paths change.  Its least value is within 1 %. */
	struct hist hist;
	struct hist_octave *octaves[HIST_OCTAVES];
};

/* The times of a path that paths_list gave.  False when not all are known: there was no room for more. */
bool paths_times(struct paths *p, const struct path *path, struct path_times *out);

/* The paths that have a count, or lead to one, each before those inside it, siblings by their total, the largest first,
 * where waits that are no pauses come last.  Owned by `p` and valid until it changes. */
const struct path *paths_list(struct paths *p, size_t *count);
