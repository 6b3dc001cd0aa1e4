/*
 * plot.h - small plots: bars, sparklines, histograms, strips of time.
 *
 * Measured values are double (NAN is a missing sample and leaves a gap), counted values 64-bit integers.
 * Every function draws only into the given place and accepts sizes of 0.
 */
#pragma once

#include "canvas/canvas.h"
#include "model/hist.h"
#include "print/number.h"
#include "rtev/events.h"

/* A horizontal bar of `width` columns, filled to `share` (clamped to 0..1).  A share above 0 shows at
 * least the smallest mark. */
void plot_bar(struct canvas *canvas, int row, int col, int width, double share, enum style style);

/*
 * A graph has one sample per cell, or two in braille (canvas_graph).  Returns how many samples fill *cols
 * columns, which are reduced if the samples are more than `most`.
 */
int plot_samples(const struct canvas *canvas, int *cols, int most);

/* A sparkline: the newest sample at the right; the oldest are left out if they do not fit.  Heights range from `low` to
 * `high`; NAN: the minimum or maximum shown.  If all samples are equal, they are drawn at half height, zeros at the
 * bottom. */
void plot_spark(struct canvas *canvas, int row, int col, int width, const double *values, int count,
    double low, double high, enum style style);

/* A graph of samples over several rows, the newest at the right, from 0 at the bottom to `high` at the top.  A value above
 * 0 shows at least the smallest mark. */
void plot_surface(
    struct canvas *canvas, struct rect area, const double *values, int count, double high, enum style style);

/* Return the height of a share of an area's rows; draw a column of heights whose left and right halves differ
 * in braille, and are as high as the left one elsewhere. */
int plot_height(const struct canvas *canvas, double share, int rows);
void plot_column(struct canvas *canvas, struct rect area, int col, int left, int right, enum style style);

/* Return the rows of the next of `strips` strips, of which `levels` are level and take two, if `rows` are
 * left for all. */
int plot_rows(int rows, int strips, int levels, bool level);

/* The samples of a surface, and the value at its top. */
struct plot_graph {
	const char *name;
	const double *values;
	int count;
	double high; /* NAN: not known */
	enum unit unit;
};

/* Draw surfaces with equally many samples one below the other, each with its name and scale in the `label`
 * columns before it, above a time scale of the last `age` ns if there is a row for it.  A surface with nearly
 * equal samples takes two rows. */
void plot_strips(struct canvas *canvas, struct rect area, int label, const struct plot_graph *graphs,
    int count, uint64_t age);

struct plot_bucket {
	const char *label;
	uint64_t value;
};

/*
 * Vertical bars of equal width, one per bucket, with labels in the last row where they fit (if there are
 * two rows).  If there are too many, neighbouring buckets are summed in groups of equal size, labelled by
 * the first.  An empty bucket shows a dot.  With `log_scale`, heights are proportional to log(1 + value).
 */
void plot_histogram(struct canvas *canvas, struct rect area, const struct plot_bucket *buckets, int count,
    bool log_scale, enum style style);

/* The content of a slice of time. */
enum plot_moment_kind {
	PLOT_UNSEEN,  /* not observed, or in the future */
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

/* A row of time slices, one per column; the share of a phase is its shade. */
void plot_strip(struct canvas *canvas, int row, int col, const struct plot_moment *moments, int count);

/* A time scale of `width` columns for `from` to `to` nanoseconds (of any origin), with ticks and labels
 * such as "-2s" or "150us" at round values. */
void plot_time_axis(struct canvas *canvas, int row, int col, int width, int64_t from, int64_t to);

/* ---- distributions of durations ---- */

/*
 * A histogram of durations with axes, and a line of percentiles.  A bar covers a factor of two or, for narrow
 * ranges of a struct hist, an equal part of it.  The axis below shows lower bounds, the one at the left the
 * largest count.
 */

/* Draw the histogram of durations. */
void distribution_draw(const struct hist *h, struct canvas *canvas, struct rect area, bool log_scale);

/* Return a percentile of durations, 1/1 the longest, marked if events were lost (`lossy`); "-": there are
 * none. */
struct formatted distribution_percentile(const struct hist *h, unsigned num, unsigned den, bool lossy);

/* Draw count, mean, percentiles and maximum into one line.  `what` labels the count, `since` follows it ("":
 * the period is not shown); `lossy`: events were lost, so the figures are marked. */
void distribution_line(const struct hist *h, const char *what, const char *since, bool lossy,
    struct canvas *canvas, struct rect line);
