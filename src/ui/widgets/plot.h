/*
 * plot.h - small plots: bars, sparklines, histograms, strips of time.
 *
 * Values are double where they are measured (a value that is no number is a sample that is missing, and
 * leaves a gap) and 64 bits where they are counted.  Every function draws in exactly the place it is given
 * and takes sizes of 0.
 */
#ifndef UI_WIDGETS_PLOT_H
#define UI_WIDGETS_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "rtev/events.h"
#include "canvas/canvas.h"

/* A horizontal bar of `width` columns, `share` of it (0 to 1, cut to that) full; a share above 0 shows at
 * least the smallest mark that the screen has. */
void plot_bar(struct canvas *canvas, int row, int col, int width, double share, enum style style);

/* One column a sample, the newest at the right; older ones that do not fit are left out.  Heights go from `low` to `high`;
 * NAN takes the least and the largest sample shown.  Samples that are all the same stand in the middle then, noughts at the
 * bottom. */
void plot_spark(struct canvas *canvas, int row, int col, int width, const double *values, int count,
    double low, double high, enum style style);

/* The same as a surface of several rows that stands on nought: `high` reaches its top.  What is above 0 shows at least the
 * smallest mark. */
void plot_surface(
    struct canvas *canvas, struct rect area, const double *values, int count, double high, enum style style);

struct plot_bucket {
	const char *label;
	uint64_t value;
};

/*
 * Upright bars, one for each bucket, with labels below as far as they fit (when there is a second row for
 * them).  Bars have the same width; too many for the width are added up in neighbouring groups of equal size,
 * each labelled by its first.  An empty bucket shows a dot.  `log_scale` makes heights go by the logarithm of
 * 1 + the value.
 */
void plot_histogram(struct canvas *canvas, struct rect area, const struct plot_bucket *buckets, int count,
    bool log_scale, enum style style);

/* What a slice of time was spent on. */
enum plot_moment_kind {
	PLOT_UNSEEN,  /* before we looked, or in the future */
	PLOT_RUNNING, /* the program's own time */
	PLOT_PHASE,   /* in a phase of the class, `eighths` of the slice */
	PLOT_LOST,    /* events of this slice were lost */
	PLOT_PAUSED   /* the program had paused its events */
};

struct plot_moment {
	uint8_t kind;	 /* enum plot_moment_kind */
	uint8_t class;	 /* enum rtev_phase_class */
	uint8_t eighths; /* 1 to 8 */
};

/* A row of time slices, one a column. */
void plot_strip(struct canvas *canvas, int row, int col, const struct plot_moment *moments, int count);

/* A scale of time below `width` columns that stand for `from` to `to` nanoseconds (of any zero): a tick and a
 * label such as "-2s" or "150us" at round values. */
void plot_time_axis(struct canvas *canvas, int row, int col, int width, int64_t from, int64_t to);

#endif
