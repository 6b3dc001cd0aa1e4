/* plot.c - bars, sparklines, histograms, rows of time slices and time scales, distributions. */
#include "ui/widgets/plot.h"

#include "ui/widgets/line.h"

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

/* ---- graphs of samples ---- */

enum { DOTS = 4, EIGHTHS = 8 }; /* heights of a cell */

/* Return the heights that `rows` cells of a graph have together. */
static int heights_of(const struct canvas *canvas, int rows)
{
	return rows * (canvas_graph(canvas) == GRAPH_BRAILLE ? DOTS : EIGHTHS);
}

int plot_samples(const struct canvas *canvas, int *cols, int most)
{
	int each = canvas_graph(canvas) == GRAPH_BRAILLE ? 2 : 1;

	*cols = *cols < 0 ? 0 : *cols > most / each ? most / each : *cols;
	return *cols * each;
}

int plot_height(const struct canvas *canvas, double share, int rows)
{
	return steps_of(share, heights_of(canvas, rows));
}

void plot_column(struct canvas *canvas, struct rect area, int col, int left, int right, enum style style)
{
	enum theme_graph graph = canvas_graph(canvas);
	enum glyph_level level = graph == GRAPH_ASCII ? GLYPHS_ASCII : canvas_level(canvas);
	int cell = heights_of(canvas, 1), most = left > right ? left : right;

	for (int i = 0; i < area.rows && most > i * cell; i++)
		canvas_char(canvas, area.row + area.rows - 1 - i, col, style,
		    graph == GRAPH_BRAILLE ? theme_dots(left - i * cell, right - i * cell)
					   : theme_rising(level, left - i * cell));
}

/* The range of the heights of samples: from `low` at the bottom to `high`.  In a line, the lowest value has a
 * height, too. */
struct range {
	double low, high;
	bool line;
};

/* Return the height of a value, out of `heights`. */
static int height_in(const struct range *r, double value, int heights)
{
	if (!isfinite(value))
		return 0;
	if (!r->line)
		return r->high > 0 ? steps_of(value / r->high, heights) : 0;
	if (r->high > r->low)
		return 1 + steps_of((value - r->low) / (r->high - r->low), heights - 1);
	/* All values are equal: draw zeros at the bottom, others at half height. */
	return value == 0 ? 1 : heights / 2;
}

/* Draw samples with the last one at the right edge of an area. */
static void draw_samples(struct canvas *canvas, struct rect area, const double *values, int count,
    const struct range *range, enum style style)
{
	int cols = area.cols, room = plot_samples(canvas, &cols, CANVAS_COLS_MAX),
	    heights = heights_of(canvas, area.rows), each = cols > 0 ? room / cols : 1;
	struct rect old = canvas_clip(canvas, area);

	for (int c = 0; c < cols; c++) {
		int pair[2] = {0, 0};
		for (int half = 0, i = count - room + c * each; half < each; half++, i++)
			pair[half] = i >= 0 && i < count ? height_in(range, values[i], heights) : 0;
		plot_column(canvas, area, area.col + area.cols - cols + c, pair[0], pair[1], style);
	}
	canvas_unclip(canvas, old);
}

void plot_spark(struct canvas *canvas, int row, int col, int width, const double *values, int count,
    double low, double high, enum style style)
{
	struct range range = {low, high, true};
	int cols = width, room = plot_samples(canvas, &cols, CANVAS_COLS_MAX);

	for (int i = count > room ? count - room : 0; i < count; i++) {
		if (!isfinite(values[i]))
			continue;
		if (isnan(low) && (isnan(range.low) || values[i] < range.low))
			range.low = values[i];
		if (isnan(high) && (isnan(range.high) || values[i] > range.high))
			range.high = values[i];
	}
	draw_samples(canvas, rect_make(row, col, 1, width), values, count, &range, style);
}

void plot_surface(
    struct canvas *canvas, struct rect area, const double *values, int count, double high, enum style style)
{
	draw_samples(canvas, area, values, count, &(struct range){0, high, false}, style);
}

/* Return the least of the known samples, at most `high`. */
static double lowest(const double *values, int count, double high)
{
	for (int i = 0; i < count; i++)
		if (isfinite(values[i]) && !(values[i] >= high))
			high = values[i];
	return high;
}

/* Whether the samples of a graph differ from its top value by no more than a surface can show. */
static bool is_level(const struct plot_graph *g)
{
	return g->high > 0 && lowest(g->values, g->count, g->high) >= g->high * (1 - 1.0 / 64);
}

int plot_rows(int rows, int strips, int levels, bool level)
{
	enum { LEVEL = 2 };
	int even = rows / strips + (rows % strips != 0);

	if (even <= LEVEL)
		return even;
	if (level)
		return LEVEL;
	return (rows - levels * LEVEL + strips - levels - 1) / (strips - levels);
}

/* Write the value of a tick at the right of a scale. */
static void put_tick(struct canvas *canvas, struct rect scale, int row, const char *text)
{
	canvas_put_fit(canvas, rect_make(row, scale.col, 1, scale.cols), ALIGN_RIGHT, STYLE_AXIS, text);
}

/* Draw the scale beside a graph: its name, the values at its top (the largest), its middle and its bottom
 * (0), and the least value. */
static void draw_scale(struct canvas *canvas, struct rect scale, const struct plot_graph *graph)
{
	const double low = lowest(graph->values, graph->count, graph->high);
	const struct formatted top = format_figure(graph->unit, graph->high);
	int bottom = scale.row + scale.rows - 1, right = canvas_text_width(canvas, top.s);
	char least[48];

	put_tick(canvas, scale, scale.row, top.s);
	canvas_put_fit(canvas, rect_margins(scale, 0, right + 1), ALIGN_LEFT, STYLE_LABEL, graph->name);
	if (scale.rows < 2)
		return;
	if (scale.rows > 2 && graph->high > 0)
		put_tick(
		    canvas, scale, scale.row + scale.rows / 2, format_figure(graph->unit, graph->high / 2).s);
	put_tick(canvas, scale, bottom, "0");
	snprintf(least, sizeof(least), "min %s", format_figure(graph->unit, low).s);
	if (!isnan(low))
		canvas_put_fit(
		    canvas, rect_make(bottom, scale.col, 1, scale.cols - 2), ALIGN_LEFT, STYLE_AXIS, least);
}

void plot_strips(struct canvas *canvas, struct rect area, int label, const struct plot_graph *graphs,
    int count, uint64_t age)
{
	int cols = area.cols - label, levels = 0;
	bool axis = area.rows > count;

	plot_samples(canvas, &cols, graphs[0].count);
	area.rows -= axis;
	/* A single strip gets all rows, level or not. */
	for (int i = 0; i < count && count > 1; i++)
		levels += is_level(&graphs[i]);
	for (int i = 0; i < count; i++) {
		bool level = count > 1 && is_level(&graphs[i]);
		struct rect strip = rect_cut_top(&area, plot_rows(area.rows, count - i, levels, level)),
			    scale = rect_cut_left(&strip, label);
		scale.cols -= 2;
		strip.cols = cols;
		levels -= level;
		draw_scale(canvas, scale, &graphs[i]);
		plot_surface(canvas, strip, graphs[i].values, graphs[i].count, graphs[i].high, STYLE_SPARK);
	}
	/* Rows may be left below level strips. */
	if (axis)
		plot_time_axis(canvas, area.row, area.col + label, cols, -(int64_t)age, 0);
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

/* Return the value of a bar: the sum of its group's buckets. */
static uint64_t bar_value(const struct plot_bucket *buckets, int count, struct spacing s, int bar)
{
	uint64_t sum = 0;
	for (int i = bar * s.group; i < (bar + 1) * s.group && i < count; i++)
		sum = sum > UINT64_MAX - buckets[i].value ? UINT64_MAX : sum + buckets[i].value;
	return sum;
}

/* Draw one column of a histogram, `eighths` of a cell high. */
static void block_cells(struct canvas *canvas, struct rect area, int col, int eighths, enum style style)
{
	for (int i = 0; i < area.rows && eighths > i * 8; i++)
		canvas_char(canvas, area.row + area.rows - 1 - i, col, style,
		    theme_rising(canvas_level(canvas), eighths - i * 8));
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

/* ---- time ---- */

/* Draw a slice with a phase; the shade is the phase's share of the slice. */
static void draw_phase(struct canvas *canvas, int row, int col, const struct plot_moment *moment)
{
	enum rtev_phase_class class = (enum rtev_phase_class)moment->class;
	int eighths = moment->eighths < 1 ? 1 : moment->eighths;
	/* Without colours: the family's pattern if it fills half of the slice or more, else a low mark. */
	if (!canvas_colour(canvas) && eighths >= 4)
		canvas_glyph(canvas, row, col, theme_class(class)->fill, theme_class(class)->pattern);
	else if (!canvas_colour(canvas))
		canvas_char(
		    canvas, row, col, theme_class(class)->graph, theme_rising(canvas_level(canvas), 1));
	else if (eighths >= 8)
		canvas_char(canvas, row, col, theme_class(class)->fill, ' ');
	else
		canvas_char(
		    canvas, row, col, theme_class(class)->graph, theme_shade(canvas_level(canvas), eighths));
}

void plot_strip(struct canvas *canvas, int row, int col, const struct plot_moment *moments, int count)
{
	for (int i = 0; i < count; i++) {
		switch ((enum plot_moment_kind)moments[i].kind) {
		case PLOT_UNSEEN:
			canvas_char(canvas, row, col + i, STYLE_TEXT, ' ');
			break;
		case PLOT_RUNNING:
			canvas_glyph(canvas, row, col + i, STYLE_OWN, GLYPH_DOT);
			break;
		case PLOT_PHASE:
			draw_phase(canvas, row, col + i, &moments[i]);
			break;
		case PLOT_LOST:
			canvas_glyph(canvas, row, col + i, STYLE_GAP_LOST, GLYPH_LOSS);
			break;
		case PLOT_PAUSED:
			canvas_glyph(canvas, row, col + i, STYLE_GAP_PAUSED, GLYPH_PAUSE);
			break;
		}
	}
}

enum { TICK_SECONDS = 3 }; /* index of the last decimal unit */

/* Units of a time scale with their round multiples, terminated by 0. */
static const struct {
	int64_t ns;
	const char *name;
	int16_t multiples[10];
} units[] = {
    {1, "ns", {1, 2, 5, 10, 20, 50, 100, 200, 500, 0}},
    {1000, "µs", {1, 2, 5, 10, 20, 50, 100, 200, 500, 0}},
    {1000000, "ms", {1, 2, 5, 10, 20, 50, 100, 200, 500, 0}},
    {1000000000, "s", {1, 2, 5, 10, 30, 0}},
    {60000000000, "m", {1, 2, 5, 10, 30, 0}},
    {3600000000000, "h", {1, 2, 6, 12, 24, 168, 720, 8760, 0}},
};

/* Find the smallest round step of at least `least` ns; 0 if there is none.  *unit gets its index in units. */
static int64_t round_step(double least, size_t *unit)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		for (int j = 0; units[i].multiples[j] != 0; j++) {
			int64_t step = units[i].ns * units[i].multiples[j];
			if ((double)step >= least) {
				*unit = i;
				return step;
			}
		}
	}
	return 0;
}

/* Format a tick: in the unit of the step, or in the next larger unit if the axis reaches it and two
 * decimals suffice. */
static void tick_label(char out[32], int64_t tick, int64_t step, size_t unit, double extent)
{
	int64_t above = unit < TICK_SECONDS ? units[unit + 1].ns : 0;

	if (tick == 0)
		snprintf(out, 32, "0");
	else if (above != 0 && extent >= (double)above && step % (above / 100) == 0)
		snprintf(out, 32, "%.*f%s", step % (above / 10) == 0 ? 1 : 2, (double)tick / (double)above,
		    units[unit + 1].name);
	else
		snprintf(out, 32, "%" PRId64 "%s", tick / units[unit].ns, units[unit].name);
}

/* Draw a tick with its label at the right or, without room, at the left.  Returns the column after both. */
static int draw_tick(
    struct canvas *canvas, int row, struct rect line, int at, int free_from, const char *label)
{
	int width = canvas_text_width(canvas, label);
	int right = line.col + line.cols;
	if (at < free_from)
		return free_from;
	canvas_glyph(canvas, row, at, STYLE_AXIS, GLYPH_TICK);
	if (at + 1 + width <= right)
		return canvas_put(canvas, row, at + 1, STYLE_AXIS, label) + 1;
	if (at - width >= free_from)
		canvas_put(canvas, row, at - width, STYLE_AXIS, label);
	return at + 1;
}

void plot_time_axis(struct canvas *canvas, int row, int col, int width, int64_t from, int64_t to)
{
	enum { LEAST_DISTANCE = 10 };
	if (width <= 0 || to <= from)
		return;
	double span = (double)to - (double)from;
	size_t unit = 0;
	int64_t step = round_step(span / width * LEAST_DISTANCE, &unit);
	if (step == 0 || !(span > 0))
		return;
	int64_t tick = from / step * step;
	if (tick < from) {
		if (tick > INT64_MAX - step)
			return;
		tick += step;
	}
	struct rect line = rect_make(row, col, 1, width);
	struct rect old = canvas_clip(canvas, line);
	int free_from = col;
	while (tick <= to) {
		char label[32];
		int at = (int)(((double)tick - (double)from) / span * width);
		tick_label(label, tick, step, unit, fmax(fabs((double)from), fabs((double)to)));
		free_from =
		    draw_tick(canvas, row, line, col + (at < width ? at : width - 1), free_from, label);
		if (tick > INT64_MAX - step)
			break;
		tick += step;
	}
	canvas_unclip(canvas, old);
}

/* ---- distributions of durations ---- */

#define PARTS_SHIFT 3 /* log2 of the maximum bars per octave */
#define BAR_COLS 4    /* least width of a bar narrower than an octave */
#define SCALE_FROM 30 /* least width with a scale at the left */

#define DISTRIBUTION_BARS 64

struct distribution {
	struct plot_bucket bars[DISTRIBUTION_BARS]; /* labels point into `labels`: do not copy the struct */
	char labels[DISTRIBUTION_BARS][24];
	int count;
};

/* Append a bar for the durations from `floor` on. */
static void add_bar(struct distribution *d, uint64_t floor)
{
	snprintf(d->labels[d->count], sizeof(d->labels[0]), "%s", format_duration(floor).s);
	d->bars[d->count] = (struct plot_bucket){.label = d->labels[d->count]};
	d->count++;
}

/* Return the octave of a duration. */
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

/* Compute the bars from a histogram for an area of `cols` columns. */
static void distribution_of_hist(const struct hist *h, int cols, struct distribution *out)
{
	int octaves = octave_of(h->max) - octave_of(h->min) + 1, shift = PARTS_SHIFT;
	unsigned position = 0;
	struct hist_bucket b;

	out->count = 0;
	while (shift > 0 && (octaves << shift > DISTRIBUTION_BARS || octaves * BAR_COLS << shift > cols))
		shift--;
	int first = bar_of(h->min, shift);
	/* No bucket belongs to two bars. */
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

void distribution_draw(const struct hist *h, struct canvas *canvas, struct rect area, bool log_scale)
{
	struct distribution d;
	uint64_t largest = 0;

	distribution_of_hist(h, area.cols, &d);
	for (int i = 0; i < d.count; i++)
		largest = d.bars[i].value > largest ? d.bars[i].value : largest;
	if (area.cols >= SCALE_FROM && area.rows > 2 && d.count > 0) {
		const struct formatted top = format_count(largest);
		int width = canvas_text_width(canvas, top.s);
		width = width > 3 ? width : 3;
		struct rect scale = rect_cut_left(&area, width + 1);
		canvas_put_fit(
		    canvas, rect_make(scale.row, scale.col, 1, width), ALIGN_RIGHT, STYLE_AXIS, top.s);
		canvas_put_fit(canvas, rect_make(scale.row + scale.rows - 2, scale.col, 1, width),
		    ALIGN_RIGHT, STYLE_AXIS, log_scale ? "log" : "0");
	}
	plot_histogram(canvas, area, d.bars, d.count, log_scale, STYLE_BAR);
}

struct formatted distribution_percentile(const struct hist *h, unsigned num, unsigned den, bool lossy)
{
	const struct formatted text = format_figure(UNIT_NS, hist_figure(h, num, den));

	return lossy ? format_after_loss(text, num, den) : text;
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
	const struct formatted mean = h->count != 0 ? format_duration(h->sum / h->count) : format_unknown();
	struct line_item items[ITEMS] = {[COUNT] = line_said(what, 0, "%s%s%s", format_count(h->count).s,
					     since[0] != '\0' ? " " : "", since),
	    [MEAN] = line_figure("mean", lossy ? format_marked("~", mean) : mean, 4)};

	for (int i = 0; i < ITEMS - RANKS; i++)
		items[RANKS + i] = line_figure(ranks[i].label,
		    distribution_percentile(h, ranks[i].num, ranks[i].den, lossy), ranks[i].rank);
	line_draw(canvas, line, 3, items, ITEMS);
}
