/*
 * rows.h - the figures of both sides, matched by name, with verdicts on their differences.
 */
#ifndef APP_DIFF_ROWS_H
#define APP_DIFF_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "app/diff/figures.h"

enum side { SIDE_A, SIDE_B, SIDES };

enum verdict { VERDICT_NONE, VERDICT_NOISE, VERDICT_CHANGED };

/* One side of a row. */
struct row_side {
	double *values; /* one per run, in order; NAN: not known */
	size_t known;	/* number of known values */
	double median;	/* of the known values; NAN when there are none */
	double min, max;
};

struct row {
	struct figure figure; /* its value is not used */
	size_t position;      /* position of its first occurrence in a report */
	struct row_side sides[SIDES];
	double change;	  /* of B's median, as a share of A's; NAN: not known */
	double p, p_holm; /* NAN: not judged */
	enum verdict verdict;
};

struct rows {
	struct row *list; /* by group; rates and totals in report order, others by name */
	size_t count;
	size_t runs[SIDES];
	size_t judged;	 /* number of rows with a verdict */
	size_t unjudged; /* rows without a verdict because there were too few runs */
	double *values;	 /* storage for the values of all rows */
};

/* Match the figures of all runs.  Names still point into the reports.  Returns 0 or ENOMEM. */
int rows_make(struct rows *out, const struct diff_figures *const *a, size_t a_count,
    const struct diff_figures *const *b, size_t b_count);

/* Judge as many rows as the number of runs allows, beginning with the first.  Rows with the same value in
 * every run are not judged.  Returns 0 or ENOMEM. */
int rows_judge(struct rows *rows);

void rows_fini(struct rows *rows);

#endif
