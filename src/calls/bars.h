/*
 * bars.h - a tree of calls as bars of a flame graph or icicle.
 *
 * A node of the tree stands for a path of functions, from the outermost caller down; node 0 is the root, its children
 * are groups (domains) that have no bars themselves, and the number of a parent is smaller than those of its children.
 * Nodes with the same path in different groups, or of the same function below one parent, are one bar.
 *
 * Bars are sorted depth-first, siblings by descending weight.  The children of a bar are laid out side by
 * side from its left edge; the rest of its width is the bar's own weight.  Row 0 holds the outermost callers;
 * with `invert` it holds the functions that have the weight, and the rows below hold their callers.
 */
#pragma once

#include "core/std.h"

#define CALLS_NONE UINT32_MAX
#define CALLS_ROOT 0u

struct calls_node {
	uint32_t parent; /* CALLS_NONE: the root */
	uint32_t function;
};

struct calls_bars_options {
	bool invert;
	const uint32_t *path; /* functions from row 0 down: show only the bars below this path */
	size_t path_depth;
	uint64_t least; /* bars of less weight are left out; 0 means 1 */
	size_t most;	/* maximum number of bars; the widest are kept; 0: no limit */
};

struct calls_bar {
	uint32_t function;
	uint32_t parent; /* index of the parent's bar, CALLS_NONE in row 0 */
	uint32_t depth;	 /* row */
	uint64_t x;	 /* weight from the left edge */
	uint64_t total;	 /* width in weight */
	uint64_t self;	 /* weight in no child; includes that of children left out */
};

struct calls_bars {
	struct calls_bar *bars;
	size_t count;
	uint64_t total; /* width of row 0, including bars left out of it */
};

/* Compute the bars of `count` nodes, each with a weight of its own.  Free with calls_bars_fini.  False when
 * memory ran out. */
bool calls_bars(const struct calls_node *nodes, size_t count, const uint64_t *own,
    const struct calls_bars_options *options, struct calls_bars *out);
void calls_bars_fini(struct calls_bars *bars);

/* Call `path` for each bar with weight of its own, until it returns false.  The text is the names from row 0 down
 * to the bar, separated by ';', the format of flame graph tools.  In names, ';' is replaced by ':' and a control
 * character by '?'.  `name` returns a function's name, valid until its next call.  False when memory ran out. */
struct calls_paths {
	void *ctx;
	const char *(*name)(void *ctx, uint32_t function);
	bool (*path)(void *ctx, const char *text, size_t len, uint64_t weight);
};
bool calls_bars_paths(const struct calls_bars *bars, const struct calls_paths *to);
