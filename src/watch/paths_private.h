/*
 * paths_private.h - what is kept of each path, and the quick way of most spans into it.
 */
#pragma once

#include "watch/paths.h"

struct path_total {
	bool times_missing; /* there was no block for some of its spans */
	uint64_t count, total, self;
	uint64_t least;			/* longest.least */
	uint16_t octaves[HIST_OCTAVES]; /* of its durations: numbers of blocks, from 1; 0: none */
};

struct paths {
	const struct path_tree *tree;
	struct path_total totals[PATHS_MAX]; /* of PATH_OTHER none has a count */
	struct path list[PATHS_MAX];
	struct longest_list longest[PATHS_MAX];
	unsigned block_count;
	struct hist_octave blocks[PATHS_BLOCKS]; /* last: only those in use are touched */
};

/* Return whether a span may be among the longest of its path.  The list is looked at only for one that is
 * long. */
static inline bool paths_long(const struct paths *p, unsigned at, uint64_t begin, uint64_t duration)
{
	return duration >= p->totals[at].least && longest_enters(&p->longest[at], begin, duration);
}

/* paths_closed of a span that only has to be counted.  False, and nothing changed, if it is another one. */
static inline bool paths_count(struct paths *p, const struct model_span *span)
{
	uint64_t duration = span->end - span->begin;
	unsigned at = span->path, place = hist_place(duration);

	if (at >= PATHS_NAMED)
		return false;
	struct path_total *total = &p->totals[at];
	unsigned block = total->octaves[place / HIST_OCTAVE_BUCKETS];
	if (block == 0 || paths_long(p, at, span->begin, duration))
		return false;
	total->count++;
	total->total += duration;
	total->self += span->self;
	p->blocks[block - 1].counts[place % HIST_OCTAVE_BUCKETS]++;
	return true;
}
