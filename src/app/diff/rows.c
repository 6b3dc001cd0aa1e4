/*
 * rows.c - match the figures of both sides by name, and judge them: permutation test and Holm's correction.
 *
 * Source of the correction: S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J.
 * Statist. 6 (1979).
 */
#include "app/diff/diff.h"

#include <float.h>

/* ---- judging ---- */

/* A permutation test in progress.  The sum of all values is fixed, so the sum of set A determines the
 * difference of the means. */
struct test {
	double *values; /* values of A, then of B */
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
	t->as_far++; /* the given assignment is one of them */
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
	/* Equal sums may be rounded differently, because the values are added in another order. */
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

/* Return the median, for an even count the mean of the middle two; NAN when there are no values.  `values`
 * is sorted. */
static double median_of(double *values, size_t count)
{
	if (count == 0)
		return NAN;
	qsort(values, count, sizeof(*values), by_value);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* ---- rows ---- */

/* One figure of one run. */
struct entry {
	const struct figure *figure;
	size_t position, run;
	enum side side;
};

/* Order entries by figure. */
static int by_figure(const void *left, const void *right)
{
	const struct entry *l = left, *r = right;

	return figure_order(l->figure, r->figure);
}

/* Order rows as they are printed. */
static int by_position(const void *left, const void *right)
{
	const struct row *l = left, *r = right;

	if (l->figure.group != r->figure.group)
		return l->figure.group < r->figure.group ? -1 : 1;
	if (l->figure.group <= FIGURE_TOTAL && l->position != r->position)
		return l->position < r->position ? -1 : 1;
	return figure_order(&l->figure, &r->figure);
}

/* Store the figures of one side's runs at `at`.  Returns the end of the stored entries. */
static struct entry *entries_fill(struct entry *at, const struct compared *compared, enum side side)
{
	for (size_t run = 0; run < compared->runs; run++)
		for (size_t i = 0; i < compared->reports[run].count; i++)
			*at++ = (struct entry){&compared->reports[run].list[i], i, run, side};
	return at;
}

/* Compute the summary of one side of a row. */
static void side_finish(struct row_side *s, size_t runs, bool absent_is_none, double *sorted)
{
	s->min = INFINITY;
	s->max = -INFINITY;
	for (size_t i = 0; i < runs; i++) {
		if (isnan(s->values[i]) && absent_is_none)
			s->values[i] = 0;
		if (isnan(s->values[i]))
			continue;
		sorted[s->known++] = s->values[i];
		s->min = fmin(s->min, s->values[i]);
		s->max = fmax(s->max, s->values[i]);
	}
	s->median = median_of(sorted, s->known);
}

/* Return the difference of B's median from A's, as a share of A's. */
static double change_of(const struct row *row)
{
	double a = row->sides[SIDE_A].median, b = row->sides[SIDE_B].median;

	if (a == b)
		return 0;
	return a != 0 ? (b - a) / fabs(a) : b > 0 ? INFINITY : b < 0 ? -INFINITY : NAN;
}

/* Make rows from sorted entries. */
static void rows_fill(struct rows *rows, const struct entry *entries, size_t count, double *sorted)
{
	size_t both = rows->runs[SIDE_A] + rows->runs[SIDE_B];

	for (size_t i = 0; i < count; i++) {
		const struct entry *e = &entries[i];
		struct row *row = &rows->list[rows->count];
		if (i == 0 || by_figure(e, &entries[i - 1]) != 0) {
			double *values = rows->values + rows->count * both;
			*row = (struct row){
			    .figure = *e->figure, .position = e->position, .p = NAN, .p_holm = NAN};
			for (size_t v = 0; v < both; v++)
				values[v] = NAN;
			row->sides[SIDE_A].values = values;
			row->sides[SIDE_B].values = values + rows->runs[SIDE_A];
		}
		row->position = e->position < row->position ? e->position : row->position;
		row->sides[e->side].values[e->run] = e->figure->value;
		if (i + 1 < count && by_figure(e, &entries[i + 1]) == 0)
			continue;
		for (int s = 0; s < SIDES; s++)
			side_finish(&row->sides[s], rows->runs[s], row->figure.absent_is_none, sorted);
		row->change = change_of(row);
		rows->count++;
	}
}

int rows_make(struct rows *out, const struct compared sides[SIDES])
{
	size_t count = 0, both = sides[SIDE_A].runs + sides[SIDE_B].runs;

	*out = (struct rows){.runs = {sides[SIDE_A].runs, sides[SIDE_B].runs}};
	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < sides[s].runs; i++)
			count += sides[s].reports[i].count;
	struct entry *entries = calloc(count + 1, sizeof(*entries));
	double *sorted = calloc(both + 1, sizeof(*sorted));
	int error = ENOMEM;
	if (entries != NULL && sorted != NULL) {
		size_t rows = 0;
		entries_fill(entries_fill(entries, &sides[SIDE_A], SIDE_A), &sides[SIDE_B], SIDE_B);
		qsort(entries, count, sizeof(*entries), by_figure);
		for (size_t i = 0; i < count; i++)
			rows += i == 0 || by_figure(&entries[i], &entries[i - 1]) != 0;
		out->list = calloc(rows + 1, sizeof(*out->list));
		out->values = calloc(rows * both + 1, sizeof(*out->values));
		if (out->list != NULL && out->values != NULL) {
			rows_fill(out, entries, count, sorted);
			qsort(out->list, out->count, sizeof(*out->list), by_position);
			error = 0;
		}
	}
	free(sorted);
	free(entries);
	if (error != 0)
		rows_fini(out);
	return error;
}

/* Return whether a row can be judged and needs to be. */
static bool wants_judgement(const struct rows *rows, const struct row *row)
{
	const struct row_side *a = &row->sides[SIDE_A], *b = &row->sides[SIDE_B];

	return a->known == rows->runs[SIDE_A] && b->known == rows->runs[SIDE_B] &&
	       !(a->min == a->max && b->min == b->max && a->min == b->min);
}

int rows_judge(struct rows *rows)
{
	size_t runs = rows->runs[SIDE_A] < rows->runs[SIDE_B] ? rows->runs[SIDE_A] : rows->runs[SIDE_B];
	size_t most = judge_figures_max(runs);
	double **p = calloc(rows->count + 1, sizeof(*p));

	if (p == NULL)
		return ENOMEM;
	for (size_t i = 0; i < rows->count; i++) {
		struct row *row = &rows->list[i];
		if (!wants_judgement(rows, row))
			continue;
		if (rows->judged == most) {
			rows->unjudged++;
			continue;
		}
		row->p = row->p_holm = judge_permutation(row->sides[SIDE_A].values, rows->runs[SIDE_A],
		    row->sides[SIDE_B].values, rows->runs[SIDE_B]);
		if (isnan(row->p)) {
			free(p);
			return ENOMEM;
		}
		p[rows->judged++] = &row->p_holm;
	}
	judge_holm(p, rows->judged);
	free(p);
	for (size_t i = 0; i < rows->count; i++) {
		struct row *row = &rows->list[i];
		if (!isnan(row->p_holm))
			row->verdict = row->p_holm <= JUDGE_LEVEL && fabs(row->change) >= JUDGE_CHANGE
					   ? VERDICT_CHANGED
					   : VERDICT_NOISE;
	}
	return 0;
}

void rows_fini(struct rows *rows)
{
	free(rows->list);
	free(rows->values);
	*rows = (struct rows){0};
}
