/*
 * bars.h - the call tree as bars of a flame graph or icicle.
 *
 * Bars stand in depth-first order, siblings by descending weight.  A child lies inside its parent, from its left
 * edge on; what is right of the children is the parent's own.  Row 0 holds the outermost callers, or with
 * `invert` the allocating functions with their callers below.
 */
#ifndef SITES_BARS_H
#define SITES_BARS_H

#include "sites/sites.h"

/* What makes a bar wide. */
enum sites_weight {
	SITES_WEIGHT_SAMPLES,  /* allocated */
	SITES_WEIGHT_LIVE,     /* alive now */
	SITES_WEIGHT_PROMOTED, /* promoted */
	SITES_WEIGHT_NEW,      /* allocated since the mark */
	SITES_WEIGHT_GROWTH    /* alive in excess of what was at the mark; where it shrank, nothing */
};

/* What counts weigh.  Growth below nothing is nothing. */
uint64_t sites_weigh(const struct sites_counts *counts, enum sites_weight weight);

struct sites_bars_options {
	const struct sites_filter *filter; /* NULL: none */
	enum sites_weight weight;
	bool invert;
	const uint32_t *path; /* functions from row 0 down: only what lies below them, as if it were all */
	size_t path_depth;
	uint64_t least; /* bars of less weight are left out; 0 as 1 */
	size_t most;	/* bars there may be, the widest are kept; 0: no bound */
};

struct sites_bar {
	uint32_t function;
	uint32_t parent; /* index of its bar, SITES_NONE in row 0 */
	uint32_t depth;	 /* row */
	uint64_t x;	 /* samples from the left edge */
	uint64_t total;	 /* samples: its width */
	uint64_t self;	 /* of them, in no child; those of children left out count here too */
};

struct sites_bars {
	struct sites_bar *bars;
	size_t count;
	uint64_t total; /* of row 0 and what was left out of it: the width of the whole */
};

/* Work the bars out.  RTEV_E_NOMEM.  Free with sites_bars_fini. */
int sites_bars(const struct sites *sites, const struct sites_bars_options *options, struct sites_bars *out);
void sites_bars_fini(struct sites_bars *bars);

/* Call `path` for each bar that has something of its own, with the names from row 0 down to it and ';' between
 * them, as flame graph tools want it, until it returns false.  In names ';' becomes ':', and what is not printable
 * '?'.  RTEV_E_NOMEM. */
int sites_bars_paths(const struct sites *sites, const struct sites_bars *bars,
    bool (*path)(void *ctx, const char *text, size_t len, uint64_t samples), void *ctx);

#endif
