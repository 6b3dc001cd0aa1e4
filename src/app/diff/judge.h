/*
 * judge.h - decide whether two sets of runs differ.  The unit is the run: each run gives one value of a
 * figure.
 */
#ifndef APP_DIFF_JUDGE_H
#define APP_DIFF_JUDGE_H

#include <stddef.h>

#define JUDGE_LEVEL 0.05  /* probability of reporting any change when no figure has changed */
#define JUDGE_CHANGE 0.05 /* a smaller relative change of the median is reported as noise, whatever its p */

/*
 * Return p of the two-sided permutation test on the difference of the means: among all assignments of the
 * values to two sets of these sizes, the share in which the means differ by at least as much.  With up to
 * JUDGE_EXACT_MAX values all assignments are counted.  With more, as many as JUDGE_DRAWN are drawn at
 * random, always the same ones, and the given assignment is among them.  NAN when memory ran out or a set is
 * empty.
 */
#define JUDGE_EXACT_MAX 16
#define JUDGE_DRAWN 100000
double judge_permutation(const double *a, size_t a_count, const double *b, size_t b_count);

/* Apply Holm's correction: set each p to the smallest level at which its hypothesis is rejected among all
 * `count`.  The pointers are sorted by the values they point to; none of these may be NAN. */
void judge_holm(double **p, size_t count);

/* Return how many figures can be judged with `runs` runs on each side.  With more figures the correction
 * would raise the smallest p that the test can give above the level. */
size_t judge_figures_max(size_t runs);

/* Return the median, for an even count the mean of the middle two; NAN when there are no values.  `values`
 * is sorted. */
double judge_median(double *values, size_t count);

#endif
