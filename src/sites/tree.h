/*
 * tree.h - the call tree that samples are counted in.
 *
 * A node stands for a path of functions, from the outermost caller down.  Below the root there is a node for
 * each domain (its function is SITES_DOMAIN plus the domain), below that the program's functions.  A parent's
 * number is smaller than its children's.
 *
 * A leaf hangs on the node of an allocating function and counts the samples of one location code there.  Its
 * `site` is the function that the allocation is put down to: that of the node, or the next caller that has
 * debug information.
 *
 * The tree is bounded.  When it has more nodes or leaves than its limit, the leaves with the fewest samples
 * lose their callers: they are counted under the domain, SITES_OTHER and the site.  So what is known of sites,
 * codes and domains stays exact, and the size is bounded by their number.
 */
#ifndef SITES_TREE_H
#define SITES_TREE_H

#include "sites/set.h"

#define SITES_DOMAIN 0x80000000u
#define SITES_ROOT 0u

/* Leaves there may be at all. */
#define SITES_LEAVES_MAX ((1u << 27) - 1)

/* What is counted, in samples unless said otherwise. */
struct sites_counts {
	uint64_t objects;  /* blocks that were sampled */
	uint64_t samples;  /* allocated */
	uint64_t minor;	   /* of them, in the minor heap */
	uint64_t promoted; /* of those, promoted from it */
	uint64_t live;	   /* not collected yet */
	uint64_t collected;
	double life; /* sum of the lifetimes of the collected ones, in microseconds, so that it is exact */
	double life_squares; /* and of their squares */
	uint64_t samples_at_mark, live_at_mark;
	uint64_t gone_since_mark; /* of live_at_mark, collected since */
};

struct sites_node {
	uint32_t parent; /* SITES_NONE: the root */
	uint32_t function;
	uint32_t child; /* the one that was asked for last, SITES_NONE: none yet */
};

struct sites_leaf {
	uint32_t node;
	uint32_t code; /* number of the location code, SITES_NONE: no backtrace */
	uint32_t site; /* function */
	struct sites_counts counts;
};

struct sites_tree {
	struct sites_node *nodes;
	size_t node_count, node_capacity;
	struct sites_leaf *leaves;
	size_t leaf_count, leaf_capacity;
	struct sites_set by_path; /* parent and function to node */
	struct sites_set by_code; /* node, code and site to leaf */
	size_t limit;		  /* nodes or leaves from which on it is pruned */
	size_t limit_wanted;
};

/* Make a tree of the root alone.  False when memory ran out; fini is right in any case. */
bool sites_tree_init(struct sites_tree *tree, size_t limit);
void sites_tree_fini(struct sites_tree *tree);

/* Find or add a child in any case; for sites_tree_child alone. */
uint32_t sites_tree_find_child(struct sites_tree *tree, uint32_t parent, uint32_t function);

/* The child of a node; SITES_NONE when memory ran out.  A call is often followed by the same one. */
static inline uint32_t sites_tree_child(struct sites_tree *tree, uint32_t parent, uint32_t function)
{
	uint32_t child = tree->nodes[parent].child;

	return child != SITES_NONE && tree->nodes[child].function == function
		   ? child
		   : sites_tree_find_child(tree, parent, function);
}

/* The leaf of a code at a node; SITES_NONE when memory ran out. */
uint32_t sites_tree_leaf(struct sites_tree *tree, uint32_t node, uint32_t code, uint32_t site);

/* The node under which a site is counted whose callers are not kept apart. */
uint32_t sites_tree_other(struct sites_tree *tree, uint32_t domain_node, uint32_t site);

static inline bool sites_tree_full(const struct sites_tree *tree)
{
	return tree->node_count >= tree->limit || tree->leaf_count >= tree->limit;
}

/* Take callers away until half of the limit is free, as far as the sites allow.  Numbers of nodes and leaves
 * change: moved[leaf] tells where a leaf went, for the caller to free.  NULL when memory ran out: the tree is as
 * it was. */
uint32_t *sites_tree_prune(struct sites_tree *tree);

/* Add up counts. */
void sites_counts_add(struct sites_counts *into, const struct sites_counts *counts);

#endif
