/*
 * print.c - print a comparison: rows and distributions.
 */
#include "app/diff/diff.h"

#include "canvas/text.h"
#include "tty/characters.h"
#include "print/json.h"

#define NAME_COLUMNS 30
#define VALUE_COLUMNS 9
#define BAR_COLUMNS 24

static const char side_names[SIDES] = {'A', 'B'};

static const struct {
	const char *name;  /* in JSON */
	const char *title; /* in the text */
} groups[FIGURE_GROUPS] = {
    [FIGURE_PER_TIME] = {"per_time", "rates and shares"},
    [FIGURE_TOTAL] = {"total", "totals"},
    [FIGURE_PHASE] = {"phase", "phases"},
    [FIGURE_COUNTER] = {"counter", "counters"},
    [FIGURE_USER] = {"user", "user events"},
};

static const char *const units[] = {[UNIT_SECONDS] = "seconds",
    [UNIT_COUNT] = "count",
    [UNIT_BYTES] = "bytes",
    [UNIT_SHARE] = "share",
    [UNIT_RATE] = "per second",
    [UNIT_BYTE_RATE] = "bytes per second"};
static const char *const verdicts[] = {
    [VERDICT_NONE] = "", [VERDICT_NOISE] = "noise", [VERDICT_CHANGED] = "changed"};

/* Upper bounds, in seconds, of the bins of a printed distribution. */
static const double bins[] = {1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2,
    2e-2, 5e-2, 0.1, 0.2, 0.5, 1, 2, 5, 10, INFINITY};
enum { BINS = sizeof(bins) / sizeof(bins[0]) };

/* The pauses of all runs of one side. */
struct distribution {
	double counts[BINS];
	double all;
	bool known; /* every report has a distribution */
};

/* Print a number right-aligned in a column. */
static void right(struct out *out, int columns, struct formatted text)
{
	table_cell(out, columns, text.s);
}

static struct formatted value_text(enum unit unit, double value)
{
	return value < 0 || value >= 1e18 ? format_said("%.3g", value) : format_figure(unit, value);
}

/* Format a change: a share with its sign. */
static struct formatted change_text(double change)
{
	if (isnan(change))
		return format_unknown();
	if (isinf(change))
		return (struct formatted){.s = "new"};
	if (fabs(change) < 10)
		return format_said("%+.1f%%", 100 * change);
	/* From 1000 on in the words of all numbers, not in powers of ten. */
	return change < 999 || change >= 1e18 ? format_said("x%.3g", change + 1)
					      : format_said("x%s", format_count((uint64_t)(change + 1.5)).s);
}

/* Format half the range of a side's values as a share of their median. */
static struct formatted spread_text(const struct row_side *s)
{
	if (s->known < 2 || !(s->median > 0))
		return (struct formatted){.s = ""};
	return format_error((s->max - s->min) / 2 / s->median);
}

static void row_name(struct out *out, const struct row *row)
{
	struct text_reader reader = text_read(
	    characters_utf8() ? GLYPHS_BLOCKS : GLYPHS_ASCII, row->figure.name, strlen(row->figure.name));
	int room = NAME_COLUMNS - (int)strlen(row->figure.what) - 1, columns, used = 0;
	uint32_t c;

	for (char bytes[4]; text_next(&reader, &c, &columns); used += columns) {
		if (used + columns > room - 1) {
			out_text(out, "~");
			used++;
			break;
		}
		out_bytes(out, bytes, text_encode(c, bytes));
	}
	table_blanks(out, room - used + 1);
	out_text(out, row->figure.what);
}

static void row_print(struct out *out, const struct row *row, bool judged)
{
	row_name(out, row);
	for (int s = 0; s < SIDES; s++) {
		right(out, VALUE_COLUMNS, value_text(row->figure.unit, row->sides[s].median));
		if (judged)
			right(out, 7, spread_text(&row->sides[s]));
	}
	right(out, 10, change_text(row->change));
	if (!isnan(row->p_holm))
		out_format(out, "  %.3f %s", row->p_holm, verdicts[row->verdict]);
	out_char(out, '\n');
}

/* Add the bins of a report. */
static void distribution_add(struct distribution *d, const struct diff_figures *figures)
{
	const json_t *list = figures_pauses(figures);

	d->known &= list != NULL;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *bin = json_array_get(list, i);
		double upper = diff_number(json_array_get(bin, 0));
		double count = diff_number(json_array_get(bin, 1));
		size_t at = 0;
		if (isnan(upper) || !(count > 0))
			continue;
		while (upper > bins[at])
			at++;
		d->counts[at] += count;
		d->all += count;
	}
}

/* Return the distribution of the pauses of all runs of a side. */
static struct distribution distribution_of(const struct compared *side)
{
	struct distribution d = {.known = true};

	for (size_t i = 0; i < side->runs; i++)
		distribution_add(&d, &side->reports[i]);
	return d;
}

static void bar(struct out *out, double share)
{
	int columns = (int)ceil(share * BAR_COLUMNS);

	for (int i = 0; i < BAR_COLUMNS; i++)
		out_char(out, i < columns ? '#' : ' ');
}

/* Print both distributions of pauses: each bin as a share of its side. */
static void distributions_print(struct out *out, const struct compared sides[SIDES])
{
	struct distribution d[SIDES] = {distribution_of(&sides[SIDE_A]), distribution_of(&sides[SIDE_B])};
	int first = BINS, last = -1;
	double most = 0;

	for (int i = 0; i < BINS; i++)
		for (int s = 0; s < SIDES; s++)
			if (d[s].counts[i] > 0) {
				first = i < first ? i : first;
				last = i;
				most = fmax(most, d[s].counts[i] / d[s].all);
			}
	if (!d[SIDE_A].known || !d[SIDE_B].known || last < 0)
		return;
	out_format(
	    out, "\npauses up to  %-*s count   %-*s count\n", BAR_COLUMNS + 3, "A", BAR_COLUMNS + 3, "B");
	for (int i = first; i <= last; i++) {
		right(out, 12,
		    isinf(bins[i]) ? (struct formatted){.s = "longer"} : value_text(UNIT_SECONDS, bins[i]));
		for (int s = 0; s < SIDES; s++) {
			table_blanks(out, 2);
			bar(out, d[s].all > 0 ? d[s].counts[i] / d[s].all / most : 0);
			right(out, 7, value_text(UNIT_COUNT, d[s].counts[i]));
		}
		out_char(out, '\n');
	}
}

/* Print the file or COMMAND of a side. */
static void side_print(struct out *out, const struct compared *side, char name, bool judged)
{
	out_format(out, "%c ", name);
	for (size_t i = 0; i < side->word_count; i++) {
		out_char(out, ' ');
		out_foreign(out, side->words[i], strlen(side->words[i]));
	}
	if (judged)
		out_format(out, "   %zu runs", side->runs);
	out_char(out, '\n');
}

/* Report for which side events were lost, so that its figures are too small. */
static void losses_print(struct out *out, const struct compared sides[SIDES])
{
	double lost[SIDES] = {0};

	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < sides[s].runs; i++)
			lost[s] = fmax(
			    lost[s], diff_number(json_object_get(sides[s].reports[i].report, "lost_words")));
	if (!(lost[SIDE_A] > 0) && !(lost[SIDE_B] > 0))
		return;
	out_format(out, "%s lost words: %s counts, sums and maxima are lower bounds.\n",
	    !(lost[SIDE_B] > 0)	  ? "A"
	    : !(lost[SIDE_A] > 0) ? "B"
				  : "A and B",
	    lost[SIDE_A] > 0 && lost[SIDE_B] > 0 ? "their" : "its");
}

static void head_print(struct out *out, bool judged)
{
	table_blanks(out, NAME_COLUMNS);
	for (int s = 0; s < SIDES; s++) {
		table_cell(out, VALUE_COLUMNS, (const char[]){side_names[s], '\0'});
		table_blanks(out, judged ? 7 : 0);
	}
	out_format(out, "%10s%s\n", "change", judged ? "  p" : "");
}

void diff_print_text(
    struct out *out, const struct rows *rows, const struct compared sides[SIDES], bool judged)
{
	for (int s = 0; s < SIDES; s++)
		side_print(out, &sides[s], side_names[s], judged);
	losses_print(out, sides);
	out_char(out, '\n');
	head_print(out, judged);
	for (size_t i = 0; i < rows->count && out->error == 0; i++) {
		const struct row *row = &rows->list[i];
		if (i > 0 && row->figure.group != rows->list[i - 1].figure.group) {
			if (row[-1].figure.group == FIGURE_TOTAL)
				distributions_print(out, sides);
			out_format(out, "\n%s\n", groups[row->figure.group].title);
		}
		row_print(out, row, judged);
	}
	if (!judged)
		return;
	out_format(out,
	    "\nMedians of the runs, ± half their range.  p: permutation test, corrected for the %zu figures "
	    "judged (Holm).\nA change is a difference of %g%% or more with p of %g or less, others are "
	    "noise.\n",
	    rows->judged, 100 * JUDGE_CHANGE, JUDGE_LEVEL);
	if (rows->unjudged != 0)
		out_format(out, "To judge the other %zu figures, make more runs: -n.\n", rows->unjudged);
}

static void json_row(struct json *j, const struct rows *rows, const struct row *row)
{
	json_begin_object(j, NULL);
	json_put_text(j, "group", groups[row->figure.group].name);
	json_put_text(j, "name", row->figure.name);
	json_put_text(j, "what", row->figure.what);
	json_put_text(j, "unit", units[row->figure.unit]);
	for (int s = 0; s < SIDES; s++) {
		json_begin_array(j, s == SIDE_A ? "a" : "b");
		for (size_t i = 0; i < rows->runs[s]; i++)
			json_put_number(j, NULL, row->sides[s].values[i]);
		json_end(j);
		json_put_number(j, s == SIDE_A ? "a_median" : "b_median", row->sides[s].median);
	}
	json_put_number(j, "change", row->change);
	json_put_number(j, "p", row->p);
	json_put_number(j, "p_holm", row->p_holm);
	json_put_text(j, "verdict", row->verdict != VERDICT_NONE ? verdicts[row->verdict] : NULL);
	json_end(j);
}

/* Print the words and the bins of a side as JSON. */
static void json_side(struct json *j, const struct compared *side, const char *name)
{
	struct distribution d = distribution_of(side);

	json_begin_object(j, name);
	json_begin_array(j, "words");
	for (size_t i = 0; i < side->word_count; i++)
		json_put_text(j, NULL, side->words[i]);
	json_end(j);
	json_put_unsigned(j, "runs", side->runs);
	if (d.known) {
		json_begin_array(j, "pauses");
		for (int i = 0; i < BINS; i++) {
			if (!(d.counts[i] > 0))
				continue;
			json_begin_array(j, NULL);
			json_put_number(j, NULL, bins[i]);
			json_put_fixed(j, NULL, d.counts[i], 0);
			json_end(j);
		}
		json_end(j);
	} else {
		json_put_null(j, "pauses");
	}
	json_end(j);
}

void diff_print_json(
    struct out *out, const struct rows *rows, const struct compared sides[SIDES], bool judged)
{
	struct json json = {.out = out}, *j = &json;

	json_begin_object(j, NULL);
	json_side(j, &sides[SIDE_A], "a");
	json_side(j, &sides[SIDE_B], "b");
	json_put_bool(j, "judged", judged);
	json_begin_array(j, "figures");
	for (size_t i = 0; i < rows->count && out->error == 0; i++)
		json_row(j, rows, &rows->list[i]);
	json_end(j);
	json_end(j);
}
