/*
 * rows.c - match the figures of both sides by name, and judge them.
 */
#include "app/diff/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/diff/judge.h"

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
static struct entry *entries_fill(
    struct entry *at, const struct diff_figures *const *figures, size_t runs, enum side side)
{
	for (size_t run = 0; run < runs; run++)
		for (size_t i = 0; i < figures[run]->count; i++)
			*at++ = (struct entry){&figures[run]->list[i], i, run, side};
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
	s->median = judge_median(sorted, s->known);
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

int rows_make(struct rows *out, const struct diff_figures *const *a, size_t a_count,
    const struct diff_figures *const *b, size_t b_count)
{
	size_t count = 0, both = a_count + b_count;

	*out = (struct rows){.runs = {a_count, b_count}};
	for (size_t i = 0; i < a_count; i++)
		count += a[i]->count;
	for (size_t i = 0; i < b_count; i++)
		count += b[i]->count;
	struct entry *entries = calloc(count + 1, sizeof(*entries));
	double *sorted = calloc(both + 1, sizeof(*sorted));
	int error = ENOMEM;
	if (entries != NULL && sorted != NULL) {
		size_t rows = 0;
		entries_fill(entries_fill(entries, a, a_count, SIDE_A), b, b_count, SIDE_B);
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
