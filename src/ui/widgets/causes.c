/*
 * causes.c - the table of what made the collector run.
 */
#include "ui/widgets/causes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/measure.h"
#include "print/number.h"
#include "ui/widgets/table.h"

enum { CAUSE_NAME, CAUSE_COUNT, CAUSE_RATE, CAUSE_MEANING, CAUSE_COLUMNS };

static const struct table_column columns[CAUSE_COLUMNS] = {
    [CAUSE_NAME] = {"why", 16, 16, ALIGN_LEFT, 0, TABLE_NAMES},
    [CAUSE_COUNT] = {"count", 6, 8, ALIGN_RIGHT, 0, TABLE_FIXED},
    [CAUSE_RATE] = {"rate", 7, 9, ALIGN_RIGHT, 0, TABLE_FIXED},
    [CAUSE_MEANING] = {"", 20, 44, ALIGN_LEFT, 1, TABLE_GROWS},
};

/* What a cause means. */
static const char *meaning_of(rtev_counter counter)
{
	switch (counter) {
	case RTEV_COUNTER_FORCE_MINOR_ALLOC_SMALL:
		return "a small block, and the minor heap was full";
	case RTEV_COUNTER_FORCE_MINOR_MAKE_VECT:
		return "an array of a value in the minor heap";
	case RTEV_COUNTER_FORCE_MINOR_SET_MINOR_HEAP_SIZE:
		return "the minor heap changed its size";
	case RTEV_COUNTER_FORCE_MINOR_MEMPROF:
		return "a callback of Memprof";
	case RTEV_COUNTER_REQUEST_MAJOR_ALLOC_SHR:
		return "allocation in the major heap asked for a slice";
	case RTEV_COUNTER_REQUEST_MAJOR_ADJUST_GC_SPEED:
		return "memory outside the heap asked for a slice";
	case RTEV_COUNTER_REQUEST_MINOR_REALLOC_REF_TABLE:
		return "the remembered set was full";
	case RTEV_COUNTER_REQUEST_MINOR_REALLOC_EPHE_REF_TABLE:
		return "the table of ephemerons was full";
	case RTEV_COUNTER_REQUEST_MINOR_REALLOC_CUSTOM_TABLE:
		return "the table of custom blocks was full";
	case RTEV_COUNTER_REQUEST_MINOR_REALLOC_DEPENDENT_TABLE:
		return "the table of dependent memory was full";
	default:
		return "";
	}
}

static int by_count(const void *a, const void *b)
{
	const struct model_counter *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
				    : (x->counter > y->counter) - (x->counter < y->counter);
}

/* Collect the causes that have come; returns how many. */
static int collect(const struct subject *s, struct model_counter out[RTEV_COUNTER_COUNT])
{
	int count = 0;

	for (unsigned c = 0; c < RTEV_COUNTER_COUNT; c++) {
		if (rtev_counter_kind((rtev_counter)c) != RTEV_KIND_MARKER)
			continue;
		model_counter_total(watch_model(s->watch), (rtev_counter)c, &out[count]);
		out[count].counter = (rtev_counter)c;
		count += out[count].count != 0;
	}
	qsort(out, (size_t)count, sizeof(out[0]), by_count);
	return count;
}

int causes_rows(const struct subject *subject)
{
	struct model_counter causes[RTEV_COUNTER_COUNT];
	int count = collect(subject, causes);

	return count > 0 ? count + 1 : 0;
}

/* How often a cause was counted on a domain. */
static double count_of(const struct model_domain *d, unsigned counter)
{
	return counter < d->counter_count ? (double)d->counters[counter].count : 0;
}

void causes_draw(const struct subject *subject, struct canvas *canvas, struct rect area)
{
	struct model_counter causes[RTEV_COUNTER_COUNT];
	struct formatted counts[RTEV_COUNTER_COUNT], rates[RTEV_COUNTER_COUNT];
	struct table_column fitted[CAUSE_COLUMNS];
	char name[RTEV_NAME_SIZE];
	struct table table;
	int count = collect(subject, causes), meanings = 0;

	if (rect_empty(area))
		return;
	memcpy(fitted, columns, sizeof(fitted));
	for (int i = 0; i < count; i++) {
		counts[i] = format_count(causes[i].count);
		rates[i] = format_rate(measure_mean(subject, count_of, causes[i].counter).sum);
		table_fit_name(&fitted[CAUSE_NAME], &columns[CAUSE_NAME],
		    canvas_text_width(canvas, rtev_counter_name(causes[i].counter, name)));
		int width = canvas_text_width(canvas, meaning_of(causes[i].counter));
		meanings = width > meanings ? width : meanings;
		table_widen(&fitted[CAUSE_COUNT], canvas_text_width(canvas, counts[i].s));
		table_widen(&fitted[CAUSE_RATE], canvas_text_width(canvas, rates[i].s));
	}
	table_layout(&table, fitted, CAUSE_COLUMNS, area.cols, 2);
	/* Where there is no room for both, what a cause means says more than its name. */
	bool meant = table.width[CAUSE_MEANING] < meanings;
	if (meant) {
		fitted[CAUSE_NAME].least = fitted[CAUSE_NAME].wish = meanings;
		table_layout(&table, fitted, CAUSE_MEANING, area.cols, 2);
	}
	table_header(canvas, &table, area.row, area.col, -1, TABLE_UNSORTED);
	rect_cut_top(&area, 1);
	for (int i = 0; i < count && area.rows > 0; i++) {
		const char *meaning = meaning_of(causes[i].counter);
		struct table_cell cells[CAUSE_COLUMNS] = {
		    [CAUSE_NAME] = {meant && meaning[0] != '\0' ? meaning
								: rtev_counter_name(causes[i].counter, name),
			STYLE_TEXT},
		    [CAUSE_COUNT] = {counts[i].s, STYLE_VALUE},
		    [CAUSE_RATE] = {rates[i].s, STYLE_VALUE},
		    [CAUSE_MEANING] = {meaning, STYLE_MUTED}};
		table_row(canvas, &table, area.row, area.col, cells);
		rect_cut_top(&area, 1);
	}
}
