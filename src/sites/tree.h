/*
 * tree.h - the call tree that samples are counted in.
 *
 * A node represents a path of functions, from the outermost caller down.  The children of the root are the
 * domains (their function is SITES_DOMAIN plus the domain); below them are the functions of the program.  The
 * number of a parent is smaller than those of its children.
 *
 * A leaf belongs to the node of an allocating function and counts the samples of one location code there.
 * Its `site` is the function that the allocation is attributed to: the function of the node, or the next
 * caller that has debug information.
 *
 * The size of the tree is limited.  When it has more nodes or leaves than its limit, it is pruned: the leaves
 * with the fewest samples lose their callers and are counted under the domain, SITES_OTHER and the site.  So
 * the counts of sites, codes and domains stay exact, and the size is bounded by their number.
 */
#pragma once

#include "sites/index.h"

#define SITES_DOMAIN 0x80000000u
#define SITES_ROOT 0u

/* Maximum number of leaves, whatever the limit. */
#define SITES_LEAVES_MAX ((1u << 27) - 1)

/* Counts, in samples unless stated otherwise. */
struct sites_counts {
	uint64_t objects;  /* sampled blocks */
	uint64_t samples;  /* allocated */
	uint64_t minor;	   /* of `samples`: those allocated in the minor heap */
	uint64_t promoted; /* of `minor`: those promoted */
	uint64_t live;	   /* not collected yet */
	uint64_t collected;
	double life;	     /* sum of the lifetimes of the collected samples; whole microseconds keep it
			      * exact */
	double life_squares; /* sum of the squares of the lifetimes */
	uint64_t samples_at_mark, live_at_mark;
	uint64_t gone_since_mark; /* of live_at_mark: those collected since the mark */
};

struct sites_node {
	uint32_t parent; /* SITES_NONE: the root */
	uint32_t function;
	uint32_t child; /* the child that was looked up last; SITES_NONE: none yet */
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
	size_t limit;		  /* number of nodes or leaves at which the tree is full */
	size_t limit_wanted;
};

/* Initialise a tree with only the root.  Returns false when out of memory.  sites_tree_fini may be called in
 * either case. */
bool sites_tree_init(struct sites_tree *tree, size_t limit);
void sites_tree_fini(struct sites_tree *tree);

/* Find or add a child.  Called by sites_tree_child only. */
uint32_t sites_tree_find_child(struct sites_tree *tree, uint32_t parent, uint32_t function);

/* Find or add the child of a node; SITES_NONE when out of memory.  The same child is often looked up several
 * times in a row, so it is checked first. */
static inline uint32_t sites_tree_child(struct sites_tree *tree, uint32_t parent, uint32_t function)
{
	uint32_t child = tree->nodes[parent].child;

	return child != SITES_NONE && tree->nodes[child].function == function
		   ? child
		   : sites_tree_find_child(tree, parent, function);
}

/* Find or add the leaf of a code at a node; SITES_NONE when out of memory. */
uint32_t sites_tree_leaf(struct sites_tree *tree, uint32_t node, uint32_t code, uint32_t site);

/* Find or add the node for samples of a site whose callers are not kept; SITES_NONE when out of memory. */
uint32_t sites_tree_other(struct sites_tree *tree, uint32_t domain_node, uint32_t site);

static inline bool sites_tree_full(const struct sites_tree *tree)
{
	return tree->node_count >= tree->limit || tree->leaf_count >= tree->limit;
}

/* Drop callers until half of the limit is free, as far as the number of sites allows.  The numbers of nodes
 * and leaves change.  Returns an array, which the caller frees, of the new number of each leaf.  When out of
 * memory, returns NULL and leaves the tree unchanged. */
uint32_t *sites_tree_prune(struct sites_tree *tree);

/* Add `counts` to `into`. */
void sites_counts_add(struct sites_counts *into, const struct sites_counts *counts);
