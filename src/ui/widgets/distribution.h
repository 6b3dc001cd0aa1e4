/*
 * distribution.h - a histogram of durations with axes, and a line of percentiles.
 *
 * A bar covers a factor of two or, for narrow ranges of a struct hist, an equal part of it.  The axis
 * below shows lower bounds, the one at the left the largest count.
 */
#ifndef UI_WIDGETS_DISTRIBUTION_H
#define UI_WIDGETS_DISTRIBUTION_H

#include "model/hist.h"
#include "ui/widgets/plot.h"

#define DISTRIBUTION_BARS 64

struct distribution {
	struct plot_bucket bars[DISTRIBUTION_BARS]; /* labels point into `labels`: do not copy the struct */
	char labels[DISTRIBUTION_BARS][24];
	int count;
};

/* Compute the bars from a histogram for an area of `cols` columns. */
void distribution_of_hist(const struct hist *h, int cols, struct distribution *out);

void distribution_draw(const struct distribution *d, struct canvas *canvas, struct rect area, bool log_scale);

/* Draw count, mean, percentiles and maximum into one line.  `what` labels the count, `since` follows it ("":
 * the line does not say what time it is of); `lossy`: events were lost, so mark the figures. */
void distribution_line(const struct hist *h, const char *what, const char *since, bool lossy,
    struct canvas *canvas, struct rect line);

#endif
