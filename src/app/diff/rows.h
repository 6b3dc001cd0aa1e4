/*
 * rows.h - the figures of both sides beside each other, and what is to be thought of their difference.
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
	double *values; /* of each run, in their order; NAN: not known */
	size_t known;	/* how many are known */
	double median;	/* of those; NAN for none */
	double min, max;
};

struct row {
	struct figure figure; /* its value is of no meaning here */
	size_t position;      /* where it first stood in a report */
	struct row_side sides[SIDES];
	double change;	  /* of B's median, as a share of A's; NAN: not known */
	double p, p_holm; /* NAN: not judged */
	enum verdict verdict;
};

struct rows {
	struct row *list; /* by group; totals in the order of the reports, others by name */
	size_t count;
	size_t runs[SIDES];
	size_t judged;	 /* rows that have a verdict */
	size_t unjudged; /* rows that would have one had there been more runs */
	double *values;	 /* of all rows */
};

/* Put the figures of the runs side by side; names stay those of the reports.  0 or ENOMEM. */
int rows_make(struct rows *out, const struct diff_figures *const *a, size_t a_count,
    const struct diff_figures *const *b, size_t b_count);

/* Judge as many rows as the number of runs allows, the first ones first.  Rows that are the same in each run need no judgement.  0 or
 * ENOMEM. */
int rows_judge(struct rows *rows);

void rows_fini(struct rows *rows);

#endif
