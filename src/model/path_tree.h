/*
 * path_tree.h - numbers for the stack paths of spans.  A path is a phase together with the phases around it.
 *
 * A path keeps its number, so that what is counted by path is an array; the path around it has a smaller one.  Path 0
 * is the empty one, around all others.  What a path is inside of never depends on the domain.
 *
 * The tree is bounded.  With PATHS_NAMED paths, the new ones inside a path share one, whose phase is PATH_OTHER.  When
 * there is no number for that one either, inside of one, and at a depth of PATH_DEPTH_MAX a span is PATH_NONE: it
 * counts for the span around it.
 */
#pragma once

#include "core/std.h"
#include "rtev/events.h"

#define PATHS_NAMED 1024 /* the empty one included; higher numbers are of PATH_OTHER */
#define PATHS_MAX 1088
#define PATH_DEPTH_MAX 64
#define PATH_NONE PATHS_MAX
#define PATH_OTHER ((rtev_phase)0xffff) /* the phase of what stands for several */

struct path_tree_node {
	rtev_phase phase;
	uint16_t parent;
	uint16_t child,
	    next;	/* the first inside it; the next one beside it, in the order of phases; 0: none */
	uint16_t depth; /* of a span at the top of a stack: 1 */
};

#define PATH_PHASES 64
_Static_assert(RTEV_PHASE_COUNT <= PATH_PHASES, "path_known");

/* Zeroed, it has the empty path alone. */
struct path_tree {
	unsigned count; /* paths are 1 to this */
	struct path_tree_node nodes[PATHS_MAX + 1];
	uint16_t known[PATHS_MAX + 1][PATH_PHASES]; /* what path_inside has said; 0: nothing yet */
};

/* Forget all paths. */
void path_tree_clear(struct path_tree *t);

/* The path of a span of this phase inside a span of this path, which may be PATH_NONE. */
uint16_t path_inside(struct path_tree *t, uint16_t path, rtev_phase phase);

/* What path_inside has returned for a path and a phase that the tables have; 0: it has not been asked for these yet. */
static inline uint16_t path_known(const struct path_tree *t, uint16_t path, rtev_phase phase)
{
	return t->known[path][phase];
}
