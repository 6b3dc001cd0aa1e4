/*
 * view_memory.c - view 7: the heap by the collector's own gauges, allocation and promotion, and the process's memory.
 *
 * Heap gauges come from each domain at the end of a slice or a major cycle; the sums are those of the domains that run.
 */
#include <math.h>
#include <stdio.h>

#include "ui/format.h"
#include "ui/measure.h"
#include "ui/plot.h"

#define LABEL_COLS 26
#define VALUE_COLS 12

/* Sum the last value of a gauge over the domains that run; NAN when none has sent it. */
static double gauge(const struct subject *s, rtev_counter counter)
{
	struct model_totals t;
	double sum = NAN;

	model_totals(watch_model(s->watch), &t);
	for (unsigned i = 0; i < t.domains; i++) {
		const struct model_domain *d = model_domain(watch_model(s->watch), i);
		if (d == NULL || d->counter_count <= counter || d->counters[counter].count == 0 ||
		    (d->state == MODEL_DOMAIN_TERMINATED && s->state == SUBJECT_LIVE))
			continue;
		double value = (double)d->counters[counter].last;
		sum = isnan(sum) ? value : sum + value;
	}
	return sum;
}

/* Draw a title line. */
static void title(struct canvas *canvas, struct rect *area, const char *text)
{
	struct rect line = rect_cut_top(area, 1);

	if (!rect_empty(line))
		canvas_put_fit(canvas, line.row, line.col, line.cols, ALIGN_LEFT, STYLE_TITLE, text);
}

/* Draw one line: a name, a value, and a bar for its share of a whole. */
static void level(
    struct canvas *canvas, struct rect *area, const char *label, struct formatted value, double share)
{
	struct rect line = rect_cut_top(area, 1);

	if (rect_empty(line))
		return;
	canvas_put_fit(canvas, line.row, line.col + 2, LABEL_COLS, ALIGN_LEFT, STYLE_LABEL, label);
	canvas_put_fit(
	    canvas, line.row, line.col + 2 + LABEL_COLS, VALUE_COLS, ALIGN_RIGHT, STYLE_VALUE, value.s);
	int bar = line.cols - LABEL_COLS - VALUE_COLS - 12;
	if (isnan(share) || bar < 4)
		return;
	canvas_put_fit(canvas, line.row, line.col + 3 + LABEL_COLS + VALUE_COLS, 6, ALIGN_RIGHT, STYLE_VALUE,
	    format_percent(share).s);
	plot_bar(canvas, line.row, line.col + 10 + LABEL_COLS + VALUE_COLS, bar, share, STYLE_BAR);
}

/* Words as bytes; unknown stays so. */
static struct formatted words(double value)
{
	return isnan(value) ? format_unknown() : format_bytes((uint64_t)value * 8);
}

/* Draw one line: a name, a rate, and how it went. */
static void rate(const struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect *area,
    const char *label, enum watch_measure measure, double factor)
{
	struct rect line = rect_cut_top(area, 1);
	double sums[256], values[256];
	struct model_totals t;

	if (rect_empty(line))
		return;
	model_totals(watch_model(s->watch), &t);
	canvas_put_fit(canvas, line.row, line.col + 2, LABEL_COLS, ALIGN_LEFT, STYLE_LABEL, label);
	canvas_put_fit(canvas, line.row, line.col + 2 + LABEL_COLS, VALUE_COLS, ALIGN_RIGHT, STYLE_VALUE,
	    format_byte_rate(measure_total(ui, s, measure, MEASURE_RATE_NS) * factor).s);
	int width = line.cols - LABEL_COLS - VALUE_COLS - 5;
	if (width > 256)
		width = 256;
	if (width < 4)
		return;
	for (int c = 0; c < width; c++)
		sums[c] = NAN;
	for (unsigned d = 0; d < t.domains; d++) {
		const struct series *series = watch_series(s->watch, d, measure);
		if (series == NULL)
			continue;
		measure_spark(ui, s, series, (size_t)width, values);
		for (int c = 0; c < width; c++)
			if (!isnan(values[c]))
				sums[c] = isnan(sums[c]) ? values[c] : sums[c] + values[c];
	}
	plot_spark(
	    canvas, line.row, line.col + 4 + LABEL_COLS + VALUE_COLS, width, sums, width, 0, STYLE_SPARK);
}

/* Draw the major heap. */
static void draw_heap(const struct subject *s, struct canvas *canvas, struct rect *area)
{
	double heap = watch_level(s->watch, WATCH_HEAP);
	double pool = gauge(s, RTEV_C_MAJOR_HEAP_POOL_WORDS),
	       live = gauge(s, RTEV_C_MAJOR_HEAP_POOL_LIVE_WORDS);
	double fragments = gauge(s, RTEV_C_MAJOR_HEAP_POOL_FRAG_WORDS),
	       large = gauge(s, RTEV_C_MAJOR_HEAP_LARGE_WORDS);

	title(canvas, area, "Major heap");
	level(canvas, area, "all", words(heap), NAN);
	level(canvas, area, "pools", words(pool), pool / (pool + large));
	level(canvas, area, "  live", words(live), live / pool);
	level(canvas, area, "  free", words(pool - live - fragments), (pool - live - fragments) / pool);
	level(canvas, area, "  lost to fragments", words(fragments), fragments / pool);
	level(canvas, area, "large blocks", words(large), large / (pool + large));
	if (isnan(pool) && area->rows > 0) {
		struct rect line = rect_cut_top(area, 1);
		canvas_put_fit(canvas, line.row, line.col + 2, line.cols - 2, ALIGN_LEFT, STYLE_MUTED,
		    "pools: sent at the end of each major cycle, by OCaml 5.1 and later");
	}
}

/* Draw the view. */
static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	struct rect area = body;
	double heap = watch_level(s->watch, WATCH_HEAP);

	draw_heap(s, canvas, &area);
	rect_cut_top(&area, 1);
	title(canvas, &area, "Allocation");
	rate(ui, s, canvas, &area, "minor heap", WATCH_ALLOCATED, 1);
	rate(ui, s, canvas, &area, "promoted", WATCH_PROMOTED, 1);
	rate(ui, s, canvas, &area, "major heap, promoted too", WATCH_MAJOR, 8);
	double allocated = measure_total(ui, s, WATCH_ALLOCATED, MEASURE_RATE_NS);
	double promoted = measure_total(ui, s, WATCH_PROMOTED, MEASURE_RATE_NS);
	level(canvas, &area, "share promoted", format_percent(promoted / allocated), NAN);
	rect_cut_top(&area, 1);
	title(canvas, &area, "Process");
	level(canvas, &area, "resident, without the ring",
	    s->has_memory ? format_bytes(s->rss_bytes) : format_unknown(), NAN);
	level(canvas, &area, "the ring's own pages",
	    s->has_memory ? format_bytes(s->ring_bytes) : format_unknown(), NAN);
	if (s->has_memory && !isnan(heap)) {
		double outside = (double)s->rss_bytes - heap * 8;
		level(canvas, &area, "not major heap",
		    outside > 0 ? format_bytes((uint64_t)outside) : format_unknown(), NAN);
	}
}

const struct view_ops view_memory = {.draw = draw};
