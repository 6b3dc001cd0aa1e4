/*
 * plot.c - bars, sparklines, histograms.
 */
#include "ui/widgets/plot.h"

#include <math.h>

/* Round share * steps; a share above 0 gives at least 1. */
static int steps_of(double share, int steps)
{
	if (!(share > 0))
		return 0;
	if (share >= 1)
		return steps;
	int rounded = (int)(share * steps + 0.5);
	return rounded > 0 ? rounded : 1;
}

void plot_bar(struct canvas *canvas, int row, int col, int width, double share, enum style style)
{
	enum glyph_level level = canvas_level(canvas);
	/* Bound the width so that the arithmetic does not overflow. */
	width = width < 0 ? 0 : width > CANVAS_COLS_MAX ? CANVAS_COLS_MAX : width;
	int eighths = steps_of(share, width * 8);
	for (int i = 0; i < width; i++) {
		int here = eighths - i * 8;
		uint32_t character = theme_growing(level, here);
		/* A tiny share shows the smallest mark. */
		if (i == 0 && here > 0 && character == ' ')
			character = theme_growing(level, 3);
		if (character != ' ')
			canvas_char(canvas, row, col + i, style, character);
		else
			canvas_glyph(canvas, row, col + i, STYLE_BAR_REST, GLYPH_BAR_REST);
	}
}

/* The range of a sparkline: as given, else the minimum and maximum of the values. */
struct span {
	double low, high;
};

static struct span span_of(const double *values, int count, double low, double high)
{
	struct span s = {low, high};

	for (int i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			continue;
		if (isnan(low) && (isnan(s.low) || values[i] < s.low))
			s.low = values[i];
		if (isnan(high) && (isnan(s.high) || values[i] > s.high))
			s.high = values[i];
	}
	return s;
}

/* The height of a value in eighths, 1 to 8. */
static int height_of(const struct span *s, double value)
{
	enum { MIDDLE = 4 };

	if (s->high > s->low)
		return 1 + steps_of((value - s->low) / (s->high - s->low), 7);
	/* All values are equal: draw zeros at the bottom, others at half height. */
	return value == 0 ? 1 : MIDDLE;
}

/* Skip the oldest values so that at most `room` remain; returns how many do. */
static int newest(const double **values, int count, int room)
{
	room = room < 0 ? 0 : room;
	if (count > room) {
		*values += count - room;
		count = room;
	}
	return count < 0 ? 0 : count;
}

void plot_spark(struct canvas *canvas, int row, int col, int width, const double *values, int count,
    double low, double high, enum style style)
{
	count = newest(&values, count, width);
	const struct span span = span_of(values, count, low, high);
	for (int i = 0; i < count; i++) {
		int at = col + width - count + i;
		if (isnan(values[i]))
			canvas_glyph(canvas, row, at, style, GLYPH_NO_SAMPLE);
		else
			canvas_char(canvas, row, at, style,
			    theme_rising(canvas_level(canvas), height_of(&span, values[i])));
	}
}

/* Draw one column of a histogram, `eighths` of a cell high. */
static void block_cells(struct canvas *canvas, struct rect area, int col, int eighths, enum style style)
{
	for (int i = 0; i < area.rows && eighths > i * 8; i++)
		canvas_char(canvas, area.row + area.rows - 1 - i, col, style,
		    theme_rising(canvas_level(canvas), eighths - i * 8));
}

void plot_surface(
    struct canvas *canvas, struct rect area, const double *values, int count, double high, enum style style)
{
	struct rect old = canvas_clip(canvas, area);

	count = newest(&values, count, area.cols);
	for (int i = 0; i < count; i++)
		if (isfinite(values[i]) && high > 0)
			block_cells(canvas, area, area.col + area.cols - count + i,
			    steps_of(values[i] / high, area.rows * 8), style);
	canvas_unclip(canvas, old);
}

/* Layout of a histogram: `group` buckets per bar, `bars` bars, `pitch` columns apart. */
struct spacing {
	int group, bars, pitch;
};

/* Choose a spacing for a width of at least 1. */
static struct spacing space_out(int count, int cols)
{
	struct spacing s;
	s.group = (count + cols - 1) / cols;
	s.bars = (count + s.group - 1) / s.group;
	s.pitch = cols / s.bars;
	if (s.pitch > 8)
		s.pitch = 8;
	return s;
}

/* The value of a bar: the buckets of its group together. */
static uint64_t bar_value(const struct plot_bucket *buckets, int count, struct spacing s, int bar)
{
	uint64_t sum = 0;
	for (int i = bar * s.group; i < (bar + 1) * s.group && i < count; i++)
		sum = sum > UINT64_MAX - buckets[i].value ? UINT64_MAX : sum + buckets[i].value;
	return sum;
}

/* Draw labels below the bars: every n-th, so that they do not touch, and the last one, which takes
 * precedence. */
static void draw_bucket_labels(
    struct canvas *canvas, struct rect line, const struct plot_bucket *buckets, struct spacing s)
{
	int widest = 0, right = line.col + line.cols;
	for (int bar = 0; bar < s.bars; bar++) {
		int width = canvas_text_width(canvas, buckets[bar * s.group].label);
		widest = width > widest ? width : widest;
	}
	const char *last = buckets[(s.bars - 1) * s.group].label;
	int last_at = line.col + (s.bars - 1) * s.pitch;
	if (last_at + canvas_text_width(canvas, last) <= right) {
		canvas_put(canvas, line.row, last_at, STYLE_AXIS, last);
		right = last_at - 1;
	}
	int every = (widest + s.pitch) / s.pitch;
	for (int bar = 0; bar < s.bars - 1; bar += every) {
		const char *label = buckets[bar * s.group].label;
		int at = line.col + bar * s.pitch;
		if (at + canvas_text_width(canvas, label) <= right)
			canvas_put(canvas, line.row, at, STYLE_AXIS, label);
	}
}

void plot_histogram(struct canvas *canvas, struct rect area, const struct plot_bucket *buckets, int count,
    bool log_scale, enum style style)
{
	if (rect_empty(area) || count <= 0)
		return;
	area.cols = area.cols < CANVAS_COLS_MAX ? area.cols : CANVAS_COLS_MAX;
	area.rows = area.rows < CANVAS_ROWS_MAX ? area.rows : CANVAS_ROWS_MAX;
	struct spacing s = space_out(count, area.cols);
	struct rect old = canvas_clip(canvas, area);
	if (area.rows > 1)
		draw_bucket_labels(canvas, rect_cut_bottom(&area, 1), buckets, s);
	uint64_t largest = 1;
	for (int bar = 0; bar < s.bars; bar++) {
		uint64_t value = bar_value(buckets, count, s, bar);
		largest = value > largest ? value : largest;
	}
	int width = s.pitch > 1 ? s.pitch - 1 : 1;
	for (int bar = 0; bar < s.bars; bar++) {
		uint64_t value = bar_value(buckets, count, s, bar);
		double share = log_scale ? log1p((double)value) / log1p((double)largest)
					 : (double)value / (double)largest;
		int eighths = steps_of(share, area.rows * 8);
		for (int i = 0; i < width; i++)
			block_cells(canvas, area, area.col + bar * s.pitch + i, eighths, style);
		if (value == 0)
			canvas_glyph(canvas, area.row + area.rows - 1, area.col + bar * s.pitch, STYLE_AXIS,
			    GLYPH_DOT);
	}
	canvas_unclip(canvas, old);
}
