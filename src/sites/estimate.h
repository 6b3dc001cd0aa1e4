/*
 * estimate.h - what samples tell about the whole, and how well.
 */
#ifndef SITES_ESTIMATE_H
#define SITES_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "sites/tree.h"

/* A figure, its standard error, and the interval in which the true one lies with a probability of 95 %. */
struct sites_estimate {
	bool known;
	double value;
	double error; /* NAN: one sample does not tell */
	double low, high;
};

/* Words from samples at a rate; unknown for a rate that is none (0).  The interval is Byar's for a Poisson count,
 * made narrower for what a high rate leaves to chance. */
struct sites_estimate sites_words(uint64_t samples, double rate);

/* A share `part` of `whole` samples, 0 to 1, with Wilson's interval.  Unknown when there are none. */
struct sites_estimate sites_share(uint64_t part, uint64_t whole);

/* The mean lifetime, in seconds, of what has been collected.  Unknown when nothing has. */
struct sites_estimate sites_lifetime(const struct sites_counts *counts);

/* By how many words what is alive has grown since the mark. */
struct sites_estimate sites_growth(const struct sites_counts *counts, double rate);

#endif
