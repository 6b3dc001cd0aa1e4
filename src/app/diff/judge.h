/*
 * judge.h - whether two sets of runs differ.  The unit is the run: a figure has one value in each.
 */
#ifndef APP_DIFF_JUDGE_H
#define APP_DIFF_JUDGE_H

#include <stddef.h>

#define JUDGE_LEVEL 0.05  /* probability of calling any of the figures changed when none has */
#define JUDGE_CHANGE 0.05 /* a smaller relative change of the median is called noise, however certain */

/*
 * The two-sided permutation test on the difference of the means: the share of all ways to deal the values out to two sets of
 * these sizes in which the means differ by at least as much.  All ways are counted up to JUDGE_EXACT_MAX values; beyond that as
 * many are drawn at random, always the same ones, with the given one among them.  NAN when memory ran out or a set is empty.
 */
#define JUDGE_EXACT_MAX 16
#define JUDGE_DRAWN 100000
double judge_permutation(const double *a, size_t a_count, const double *b, size_t b_count);

/* Holm's correction: make each p the smallest level at which its hypothesis is rejected among all `count`.  The pointers are
 * sorted by what they point to; none points to NAN. */
void judge_holm(double **p, size_t count);

/* How many figures `runs` runs of each can judge: with more, the smallest p that the test can give is corrected beyond the level. */
size_t judge_figures_max(size_t runs);

/* The median; the mean of the middle two.  `values` is sorted.  NAN for none. */
double judge_median(double *values, size_t count);

#endif
