/*
 * distribution.c - make and draw histograms of durations.
 */
#include "ui/widgets/distribution.h"

#include <stdio.h>

#include "print/number.h"
#include "ui/widgets/line.h"

#define PARTS_SHIFT 3 /* log2 of the maximum bars per octave */
#define BAR_COLS 4    /* least width of a bar narrower than an octave */
#define SCALE_FROM 30 /* least width with a scale at the left */

/* Append a bar for the durations from `floor` on. */
static void add_bar(struct distribution *d, uint64_t floor)
{
	snprintf(d->labels[d->count], sizeof(d->labels[0]), "%s", format_duration(floor).s);
	d->bars[d->count] = (struct plot_bucket){.label = d->labels[d->count]};
	d->count++;
}

/* The octave of a duration. */
static int octave_of(uint64_t duration)
{
	int e = 0;

	while (e < 63 && duration >> (e + 1) != 0)
		e++;
	return e;
}

/* Return the bar of a duration, counted from 1 ns, with 2^shift bars per octave. */
static int bar_of(uint64_t duration, int shift)
{
	int e = octave_of(duration);

	return (e << shift) + (e < shift ? 0 : (int)((duration >> (e - shift)) & ((1u << shift) - 1)));
}

void distribution_of_hist(const struct hist *h, int cols, struct distribution *out)
{
	int octaves = octave_of(h->max) - octave_of(h->min) + 1, shift = PARTS_SHIFT;
	unsigned position = 0;
	struct hist_bucket b;

	out->count = 0;
	while (shift > 0 && (octaves << shift > DISTRIBUTION_BARS || octaves * BAR_COLS << shift > cols))
		shift--;
	int first = bar_of(h->min, shift);
	/* No bucket lies in two bars. */
	while (hist_next(h, &position, &b)) {
		int bar = bar_of(b.low > h->min ? b.low : h->min, shift) - first;
		while (out->count <= bar && out->count < DISTRIBUTION_BARS) {
			unsigned at = (unsigned)(first + out->count), e = at >> shift,
				 part = at & ((1u << shift) - 1);
			uint64_t octave = UINT64_C(1) << e;
			add_bar(out, octave + (octave >> shift) * part);
		}
		out->bars[bar < out->count ? bar : out->count - 1].value += b.count;
	}
}

void distribution_draw(const struct distribution *d, struct canvas *canvas, struct rect area, bool log_scale)
{
	uint64_t largest = 0;

	for (int i = 0; i < d->count; i++)
		largest = d->bars[i].value > largest ? d->bars[i].value : largest;
	if (area.cols >= SCALE_FROM && area.rows > 2 && d->count > 0) {
		const struct formatted top = format_count(largest);
		int width = canvas_text_width(canvas, top.s);
		width = width > 3 ? width : 3;
		struct rect scale = rect_cut_left(&area, width + 1);
		canvas_put_fit(canvas, scale.row, scale.col, width, ALIGN_RIGHT, STYLE_AXIS, top.s);
		canvas_put_fit(canvas, scale.row + scale.rows - 2, scale.col, width, ALIGN_RIGHT, STYLE_AXIS,
		    log_scale ? "log" : "0");
	}
	plot_histogram(canvas, area, d->bars, d->count, log_scale, STYLE_BAR);
}

void distribution_line(const struct hist *h, const char *what, const char *since, bool lossy,
    struct canvas *canvas, struct rect line)
{
	enum { COUNT, MEAN, RANKS, ITEMS = RANKS + 5 };
	static const struct {
		const char *label;
		unsigned num, den;
		int rank;
	} ranks[] = {{"p50", 50, 100, 1}, {"p90", 90, 100, 3}, {"p99", 99, 100, 1}, {"p99.9", 999, 1000, 2},
	    {"max", 1, 1, 1}};
	char counted[2 * sizeof(struct formatted)];
	struct formatted texts[ITEMS];
	struct line_item items[ITEMS];

	snprintf(
	    counted, sizeof(counted), "%s%s%s", format_count(h->count).s, since[0] != '\0' ? " " : "", since);
	items[COUNT] = line_labelled(what, counted, 0);
	texts[MEAN] = h->count != 0 ? format_duration(h->sum / h->count) : format_unknown();
	texts[MEAN] = lossy ? format_of_seen(texts[MEAN]) : texts[MEAN];
	items[MEAN] = line_labelled("mean", texts[MEAN].s, 4);
	for (int i = 0; i < ITEMS - RANKS; i++) {
		const struct formatted text =
		    h->count != 0 ? format_duration(hist_percentile(h, ranks[i].num, ranks[i].den))
				  : format_unknown();
		texts[RANKS + i] = lossy ? format_after_loss(text, ranks[i].num, ranks[i].den) : text;
		items[RANKS + i] = line_labelled(ranks[i].label, texts[RANKS + i].s, ranks[i].rank);
	}
	line_draw(canvas, line.row, line.col, line.cols, 3, items, ITEMS);
}
