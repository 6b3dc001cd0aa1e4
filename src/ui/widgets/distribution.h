/*
 * distribution.h - how long something took: a histogram of durations with its axes, and percentiles in one line.
 *
 * Bars stand for a factor of two each or, where there are few of them and a histogram tells more, for an equal part of it.  The
 * axis below has their lower ends, the one at the left the largest count.
 */
#ifndef UI_WIDGETS_DISTRIBUTION_H
#define UI_WIDGETS_DISTRIBUTION_H

#include "model/hist.h"
#include "ui/widgets/plot.h"

#define DISTRIBUTION_BARS 64

struct distribution {
	struct plot_bucket bars[DISTRIBUTION_BARS]; /* labels point into `labels`: not to be copied */
	char labels[DISTRIBUTION_BARS][24];
	int count;
};

/* Make the bars of a histogram for an area of so many columns, or of counts by octave: octaves[e] is of 2^e to 2^(e+1) - 1 ns. */
void distribution_of_hist(const struct hist *h, int cols, struct distribution *out);
void distribution_of_octaves(const uint64_t octaves[64], struct distribution *out);

void distribution_draw(const struct distribution *d, struct canvas *canvas, struct rect area, bool log_scale);

/* Draw count, mean, percentiles and maximum into one line; `what` names what is counted, `bound` says that some are missing. */
void distribution_line(
    const struct hist *h, const char *what, bool bound, struct canvas *canvas, struct rect line);

#endif
