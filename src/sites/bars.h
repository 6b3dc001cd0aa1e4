/*
 * bars.h - the call tree as bars of a flame graph or icicle.
 *
 * Bars are sorted depth-first, siblings by descending weight.  The children of a bar are laid out side by
 * side from its left edge; the rest of its width is the bar's own weight.  Row 0 holds the outermost callers;
 * with `invert` it holds the allocating functions, and the rows below hold their callers.
 */
#ifndef SITES_BARS_H
#define SITES_BARS_H

#include "sites/sites.h"

/* The quantity that the width of a bar shows. */
enum sites_weight {
	SITES_WEIGHT_SAMPLES,  /* allocated */
	SITES_WEIGHT_LIVE,     /* alive now */
	SITES_WEIGHT_PROMOTED, /* promoted */
	SITES_WEIGHT_NEW,      /* allocated since the mark */
	SITES_WEIGHT_GROWTH    /* alive now minus alive at the mark; 0 if that is negative */
};

/* The weight of counts.  Negative growth is 0. */
uint64_t sites_weigh(const struct sites_counts *counts, enum sites_weight weight);

struct sites_bars_options {
	const struct sites_filter *filter; /* NULL: none */
	enum sites_weight weight;
	bool invert;
	const uint32_t *path; /* functions from row 0 down: show only the bars below this path */
	size_t path_depth;
	uint64_t least; /* bars of less weight are left out; 0 means 1 */
	size_t most;	/* maximum number of bars; the widest are kept; 0: no limit */
};

struct sites_bar {
	uint32_t function;
	uint32_t parent; /* index of the parent's bar, SITES_NONE in row 0 */
	uint32_t depth;	 /* row */
	uint64_t x;	 /* samples from the left edge */
	uint64_t total;	 /* width in samples */
	uint64_t self;	 /* samples in no child; includes those of children left out */
};

struct sites_bars {
	struct sites_bar *bars;
	size_t count;
	uint64_t total; /* width of row 0, including bars left out of it */
};

/* Compute the bars.  Free with sites_bars_fini.  Fails with RTEV_E_NOMEM. */
int sites_bars(const struct sites *sites, const struct sites_bars_options *options, struct sites_bars *out);
void sites_bars_fini(struct sites_bars *bars);

/* Call `path` for each bar with samples of its own, until it returns false.  The text is the names from row 0
 * down to the bar, separated by ';', the format of flame graph tools.  In names, ';' is replaced by ':' and a
 * control character by '?'.  Fails with RTEV_E_NOMEM. */
int sites_bars_paths(const struct sites *sites, const struct sites_bars *bars,
    bool (*path)(void *ctx, const char *text, size_t len, uint64_t samples), void *ctx);

#endif
