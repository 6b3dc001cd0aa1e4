/*
 * path_tree.h - numbers for the stack paths of spans.  A path is a phase together with the phases around it.
 *
 * A path keeps its number, so that counts by path are arrays, and the path around it has a smaller number.
 * Path 0 is the empty one, around all others.  Paths do not depend on the domain.
 *
 * The tree is bounded.  Once it has PATHS_NAMED paths, new ones inside a path share one number, whose phase
 * is PATH_OTHER.  A span is PATH_NONE if there is no number left for that one, if it is inside a PATH_OTHER,
 * or at a depth of PATH_DEPTH_MAX: it counts for the span around it.
 */
#pragma once

#include "core/std.h"
#include "rtev/events.h"

#define PATHS_NAMED 1024 /* including the empty one; higher numbers are PATH_OTHER */
#define PATHS_MAX 1088
#define PATH_DEPTH_MAX 64
#define PATH_NONE PATHS_MAX
#define PATH_OTHER ((rtev_phase)0xffff) /* the phase of a path that stands for several */

struct path_tree_node {
	rtev_phase phase;
	uint16_t parent;
	uint16_t child, next; /* first path inside; next path beside it, in the order of phases; 0: none */
	uint16_t depth;	      /* 1 for a span at the top of a stack */
};

#define PATH_PHASES 64
_Static_assert(RTEV_PHASE_COUNT <= PATH_PHASES, "path_known");

/* All zeros: only the empty path. */
struct path_tree {
	unsigned count; /* paths are 1 to this */
	struct path_tree_node nodes[PATHS_MAX + 1];
	uint16_t known[PATHS_MAX + 1][PATH_PHASES]; /* earlier results of path_inside; 0: none yet */
};

/* Return the path of a span with this phase inside a span with this path, which may be PATH_NONE. */
uint16_t path_inside(struct path_tree *t, uint16_t path, rtev_phase phase);

/* Return an earlier result of path_inside for a path and a phase of the tables; 0: none yet. */
static inline uint16_t path_known(const struct path_tree *t, uint16_t path, rtev_phase phase)
{
	return t->known[path][phase];
}
