/*
 * flame_tree.h - tree of stack paths of a flame graph, and its bars.
 *
 * A node is a stack path: a phase under the path of its parent.  FLAME_ROOT is the empty path; siblings are
 * in the order of the phase table.  The tree is bounded.  When few nodes are left, new paths share one child
 * FLAME_OTHER of their parent; when none is left they become FLAME_NONE, and their time counts for the
 * parent.  Paths inside FLAME_OTHER are FLAME_NONE.
 */
#ifndef WATCH_FLAME_TREE_H
#define WATCH_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/events.h"

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

#endif
