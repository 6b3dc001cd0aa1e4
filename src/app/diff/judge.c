/*
 * judge.c - permutation test and Holm's correction.
 *
 * Source of the correction: S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J.
 * Statist. 6 (1979).
 */
#include "app/diff/judge.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* A permutation test in progress.  The sum of all values is fixed, so the sum of set A determines the
 * difference of the means. */
struct test {
	double *values; /* those of A, then those of B */
	size_t count, a_count;
	double all; /* sum of all */
	double limit;
	double as_far, ways;
};

/* Return the absolute difference of the means for a given sum of A. */
static double distance(const struct test *t, double a_sum)
{
	return fabs(a_sum / (double)t->a_count - (t->all - a_sum) / (double)(t->count - t->a_count));
}

/* Count one assignment of the values to the sets. */
static void way(struct test *t, double a_sum)
{
	t->ways++;
	t->as_far += distance(t, a_sum) >= t->limit;
}

/* Assign values[at..]: `wanted` more of them go to A, which so far sums to `a_sum`. */
static void deal(struct test *t, size_t at, size_t wanted, double a_sum)
{
	if (wanted == 0) {
		way(t, a_sum);
		return;
	}
	for (size_t i = at; i + wanted <= t->count; i++)
		deal(t, i + 1, wanted - 1, a_sum + t->values[i]);
}

/* Return a random number below `bound` (xorshift64*). */
static size_t draw(uint64_t *state, size_t bound)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (size_t)((*state * UINT64_C(2685821657736338717) >> 33) % bound);
}

/* Count random assignments. */
static void deal_drawn(struct test *t)
{
	uint64_t state = 88172645463325252u;

	for (unsigned n = 0; n < JUDGE_DRAWN; n++) {
		double a_sum = 0;
		for (size_t i = 0; i < t->a_count; i++) {
			size_t j = i + draw(&state, t->count - i);
			double taken = t->values[j];
			t->values[j] = t->values[i];
			t->values[i] = taken;
			a_sum += taken;
		}
		way(t, a_sum);
	}
	t->as_far++; /* the given assignment */
	t->ways++;
}

double judge_permutation(const double *a, size_t a_count, const double *b, size_t b_count)
{
	struct test t = {.count = a_count + b_count, .a_count = a_count};
	double a_sum = 0, scale = 0;

	if (a_count == 0 || b_count == 0)
		return NAN;
	t.values = calloc(t.count, sizeof(*t.values));
	if (t.values == NULL)
		return NAN;
	for (size_t i = 0; i < t.count; i++) {
		t.values[i] = i < a_count ? a[i] : b[i - a_count];
		t.all += t.values[i];
		a_sum += i < a_count ? t.values[i] : 0;
		scale = fmax(scale, fabs(t.values[i]));
	}
	/* Allow for rounding: the same values are summed in another order. */
	t.limit = distance(&t, a_sum) - 8 * DBL_EPSILON * scale * (double)t.count;
	if (t.count <= JUDGE_EXACT_MAX)
		deal(&t, 0, a_count, 0);
	else
		deal_drawn(&t);
	free(t.values);
	return t.as_far / t.ways;
}

/* Order pointers by the values they point to. */
static int by_pointed(const void *left, const void *right)
{
	double l = **(double *const *)left, r = **(double *const *)right;

	return (l > r) - (l < r);
}

void judge_holm(double **p, size_t count)
{
	double before = 0;

	qsort(p, count, sizeof(*p), by_pointed);
	for (size_t i = 0; i < count; i++) {
		*p[i] = fmax(before, fmin(1, (double)(count - i) * *p[i]));
		before = *p[i];
	}
}

size_t judge_figures_max(size_t runs)
{
	double ways = 1, p = 0;

	if (runs == 0)
		return 0;
	for (size_t i = 1; i <= runs; i++)
		ways = ways * (double)(runs + i) / (double)i;
	p = 2 * runs <= JUDGE_EXACT_MAX ? 2 / ways : 1.0 / JUDGE_DRAWN;
	double most = floor(JUDGE_LEVEL / p * (1 + 1e-9));
	return most > 1e6 ? 1000000 : (size_t)most;
}

/* Order two values. */
static int by_value(const void *left, const void *right)
{
	const double *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

double judge_median(double *values, size_t count)
{
	if (count == 0)
		return NAN;
	qsort(values, count, sizeof(*values), by_value);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
