/*
 * estimate.h - estimates from samples, with their errors and confidence intervals.
 */
#pragma once

#include "sites/tree.h"

/* An estimated value, its standard error, and its 95 % confidence interval. */
struct sites_estimate {
	bool known;
	double value;
	double error; /* NAN when one sample is not enough to compute it */
	double low, high;
};

/* Number of words, from samples at a sampling rate; unknown when the rate is 0.  The interval is Byar's for a
 * Poisson count, scaled by sqrt(1 - rate) because a high rate leaves less to chance. */
struct sites_estimate sites_words(uint64_t samples, double rate);

/* The share of `part` in `whole` samples, 0 to 1, with Wilson's interval.  Unknown when `whole` is 0. */
struct sites_estimate sites_share(uint64_t part, uint64_t whole);

/* The mean lifetime, in seconds, of the collected samples.  Unknown when there are none. */
struct sites_estimate sites_lifetime(const struct sites_counts *counts);

/* The growth of the live words since the mark. */
struct sites_estimate sites_growth(const struct sites_counts *counts, double rate);
