/* bars.h - the call tree of the sites as bars (calls/bars.h). */
#pragma once

#include "calls/bars.h"
#include "sites/sites.h"

/* The quantity that the width of a bar shows. */
enum sites_weight {
	SITES_WEIGHT_SAMPLES,  /* allocated */
	SITES_WEIGHT_LIVE,     /* alive now */
	SITES_WEIGHT_PROMOTED, /* promoted */
	SITES_WEIGHT_NEW,      /* allocated since the mark */
	SITES_WEIGHT_GROWTH    /* alive now minus alive at the mark; 0 if that is negative */
};

/* Return one of the quantities of a node's counts.  Negative growth is 0. */
uint64_t sites_weigh(const struct sites_counts *counts, enum sites_weight weight);

struct sites_bars_options {
	const struct sites_filter *filter; /* NULL: none */
	enum sites_weight weight;
	struct calls_bars_options shape;
};

/* Compute the bars, in samples.  Free with calls_bars_fini.  Fails with RTEV_E_NOMEM. */
int sites_bars(const struct sites *sites, const struct sites_bars_options *options, struct calls_bars *out);

/* As calls_bars_paths.  Fails with RTEV_E_NOMEM. */
int sites_bars_paths(const struct sites *sites, const struct calls_bars *bars,
    bool (*path)(void *ctx, const char *text, size_t len, uint64_t samples), void *ctx);
