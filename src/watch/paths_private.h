/* paths_private.h - the data of each path, and the fast way to count most spans. */
#pragma once

#include "watch/paths.h"

struct path_total {
	bool times_missing; /* some of its spans found no block */
	uint64_t count, total, self;
	uint64_t least;			/* longest.least */
	uint16_t octaves[HIST_OCTAVES]; /* blocks of its durations, numbered from 1; 0: none */
};

struct paths {
	const struct path_tree *tree;
	struct path_total totals[PATHS_MAX]; /* PATH_OTHER has no count */
	struct path list[PATHS_MAX];
	/* for the list: the total of a path, or of the paths inside it if that is more, as in an open span; and whether it or
	 * one inside it has a count */
	uint64_t costs[PATHS_MAX];
	bool used[PATHS_MAX];
	struct longest_list longest[PATHS_MAX];
	unsigned block_count;
	struct hist_octave blocks[PATHS_BLOCKS]; /* last member: only blocks in use are touched */
};

/* Return whether a span may be among the longest of its path.  The list is only examined for a long span. */
static inline bool paths_long(const struct paths *p, unsigned at, uint64_t begin, uint64_t duration)
{
	return duration >= p->totals[at].least && longest_enters(&p->longest[at], begin, duration);
}

/* paths_closed for a span that only has to be counted.  Returns false, with nothing changed, for any other
 * span. */
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
