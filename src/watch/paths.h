/*
 * paths.h - counts and times of phases by stack path over all domains, since the begin or the last reset.
 *
 * A *path* is a phase together with the phases around it.  For each path this keeps count, total, self and
 * longest span over the whole run; flame.h does so for the last seconds.  Only finished spans count.  Spans
 * beyond PATHS_MAX paths, or deeper than PATHS_DEPTH, are ignored.  The collector's time is the self time of
 * the spans in pauses, so that those of a pause that has not ended have their share too.
 */
#pragma once

#include "model/model.h"
#include "watch/longest.h"

#define PATHS_MAX 1024
#define PATHS_SMALL 0.02 /* share of the collector's time below which a path is small */
#define PATHS_DEPTH 64
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
	unsigned node;			    /* stays the path's while the order changes */
	const struct longest_list *longest; /* `part` is the self time */
};

/* NULL when memory ran out. */
struct paths *paths_create(void);
void paths_destroy(struct paths *p);

/* A copy for reading, without the positions of the domains; NULL when memory ran out. */
struct paths *paths_copy(const struct paths *from);

/* Take in what a model's observer is told. */
void paths_opened(struct paths *p, unsigned domain, rtev_phase phase, unsigned depth);
void paths_reset(struct paths *p);

/* The same of a span that ended.  Its place among the longest of its path, for the caller to say more of it;
 * NULL when it is none of them. */
struct longest_span *paths_closed(struct paths *p, unsigned domain, const struct model_span *span);

/* False when spans are missing because memory ran out. */
bool paths_whole(const struct paths *p);

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
