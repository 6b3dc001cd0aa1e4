/*
 * trend.c - view 0: figures over hours, as strips over a common time axis.
 *
 * A *column* covers a round number of seconds and begins at a multiple of it, so that columns do not change
 * as time goes on.  The bar of a column shows its figure.  The shade above the bar shows the largest value
 * of the seconds in the column; for a percentile, the largest of the steps.  A column in which nothing was
 * seen is blank, or has a mark if the target had paused.
 *
 * This is one file, since strips, axis, marks and keys all work on one set of columns.
 */
#include "ui/recent.h"
#include "ui/views/trend_columns.h"
#include "ui/widgets/plot.h"

#define LABEL_COLS 13 /* name, value and extremes of a figure */
#define SCALE_COLS 9  /* scale of a figure */
#define PLOT_LEAST 10
#define STRIP_LEAST 3 /* in rows */
#define LINE_WIDE 100 /* least width at which all figures of a column fit into one line */

/* ---- the columns shown, read once per drawing ---- */

/* The tops of the bars in both halves of a column, which braille can show. */
struct halves {
	double bars[TREND_FIGURE_COUNT][2];
};

struct picture {
	struct ui *ui;
	const struct subject *s;
	struct trend *trend;
	struct canvas *canvas;
	struct columns columns;
	int chosen;
	struct trend_span *spans;    /* columns.count elements */
	const struct halves *halves; /* columns.count elements; NULL: a column is drawn as a whole */
	enum trend_figure figures[TREND_FIGURE_COUNT]; /* the figures with a strip */
	int figure_count;
};

/* Return the value at the top of the bar. */
static double bar_value(const struct trend_value *v)
{
	return isnan(v->value) ? v->low : v->value;
}

/* Return the value at the top of the shade. */
static double shade_value(const struct trend_value *v)
{
	double bar = bar_value(v);

	return isnan(v->high) || v->high < bar ? bar : v->high;
}

/* Round a value up to a round number. */
static double round_up(double value)
{
	static const double digits[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
	double decade = pow(10, floor(log10(value)));

	for (size_t i = 0; i < sizeof(digits) / sizeof(digits[0]); i++)
		if (value <= digits[i] * decade * (1 + 1e-9))
			return digits[i] * decade;
	return value;
}

/* Return the value of a strip's full height; 0: no value of the figure is known. */
static double scale_of(const struct picture *p, enum trend_figure figure)
{
	double most = 0;

	for (int i = 0; i < p->columns.count; i++) {
		double top = shade_value(&p->spans[i].figures[figure]);
		if (!isnan(top) && top > most)
			most = top;
	}
	/* Words are displayed as bytes. */
	if (trend_figure_unit(figure) == UNIT_WORDS)
		return most > 0 ? round_up(most * 8) / 8 : 0;
	return most > 0 ? round_up(most) : 0;
}

/* Return the height of a value in a strip; at least one for values above 0. */
static int height_of(const struct picture *p, double value, double scale, int rows)
{
	double share = value / scale;

	/* Three decades; all smaller values have the lowest height. */
	if (p->ui->log_scale)
		share = value > 0 ? 1 + log10(share) / 3 : 0;
	if (!(value > 0) || !(scale > 0))
		return 0;
	return plot_height(p->canvas, share > 0 ? share : 1e-9, rows);
}

/* Draw a column of a strip.  Its halves show their own values if known. */
static void draw_bar(const struct picture *p, struct rect area, int i, enum trend_figure figure, double scale)
{
	const struct trend_value *v = &p->spans[i].figures[figure];
	int bottom = area.row + area.rows - 1, col = area.col + i * p->columns.cells, heights[2],
	    cell = plot_height(p->canvas, 1, 1);
	double bar = bar_value(v);

	if (isnan(bar))
		return;
	for (int half = 0; half < 2; half++)
		heights[half] =
		    height_of(p, p->halves != NULL ? p->halves[i].bars[figure][half] : bar, scale, area.rows);
	int height = heights[0] > heights[1] ? heights[0] : heights[1],
	    shade = height_of(p, shade_value(v), scale, area.rows);
	for (int k = 0; k < p->columns.cells; k++) {
		for (int r = (height + cell - 1) / cell; r < (shade + cell - 1) / cell; r++)
			canvas_glyph(p->canvas, bottom - r, col + k, STYLE_BAR_REST, GLYPH_FILL_LIBRARY);
		plot_column(p->canvas, area, col + k, heights[0], heights[1], STYLE_BAR);
		if (height == 0 && shade == 0)
			canvas_glyph(p->canvas, bottom, col + k, STYLE_AXIS, GLYPH_DOT);
	}
}

/* Return the end of the past part of a column. */
static uint64_t passed_of(const struct picture *p, int i)
{
	return p->spans[i].to < p->s->now ? p->spans[i].to : p->s->now;
}

/* Return how long the target was paused in a column, so far: one that records no events pauses none. */
static uint64_t paused_in(const struct picture *p, int i)
{
	const uint64_t from = p->spans[i].from, to = passed_of(p, i);

	return from < to && !p->s->off ? to - from - figure_seen(watch_model(p->s->watch), from, to) : 0;
}

/* Get the least and the largest known value of a figure's columns.  Returns false if none is known. */
static bool extremes_of(const struct picture *p, enum trend_figure figure, double *low, double *high)
{
	*low = *high = NAN;
	for (int i = 0; i < p->columns.count; i++) {
		const struct trend_value *v = &p->spans[i].figures[figure];
		double least = isnan(v->low) ? bar_value(v) : v->low, most = shade_value(v);
		if (!isnan(least) && !(least >= *low))
			*low = least;
		if (!isnan(most) && !(most <= *high))
			*high = most;
	}
	return !isnan(*low) && !isnan(*high);
}

/* Return whether a figure has always had its present value. */
static bool is_level(const struct picture *p, enum trend_figure figure)
{
	double low, high;

	return extremes_of(p, figure, &low, &high) && low >= high * (1 - 1.0 / 64);
}

/* Draw a figure: its name, its value in the selected column, its extremes, its scale, and its strip. */
static void draw_strip(const struct picture *p, struct rect area, enum trend_figure figure)
{
	double scale = scale_of(p, figure), low, high;
	struct rect names = rect_cut_left(&area, LABEL_COLS), scales = rect_cut_left(&area, SCALE_COLS);
	/* The value of the selected column, which does not fit into three rows, and the extremes. */
	int own = names.rows == STRIP_LEAST ? 0 : 1;
	char text[64];

	canvas_put_fit(
	    p->canvas, rect_margins(names, 0, 1), ALIGN_LEFT, STYLE_TITLE, trend_figure_name(figure));
	trend_figure_text(&p->spans[p->chosen], figure, text, sizeof(text));
	if (names.rows > 1 && own != 0)
		canvas_put_fit(p->canvas, rect_make(names.row + 1, names.col, 1, LABEL_COLS + SCALE_COLS - 2),
		    ALIGN_LEFT, STYLE_VALUE, text);
	bool known = extremes_of(p, figure, &low, &high);
	for (int i = 0; i < 2 && known && 1 + own + i < names.rows; i++) {
		snprintf(text, sizeof(text), "%s %s", i == 0 ? "max" : "min",
		    trend_value_text(figure, i == 0 ? high : low).s);
		canvas_put_fit(p->canvas, rect_make(names.row + 1 + own + i, names.col, 1, names.cols - 1),
		    ALIGN_LEFT, STYLE_LABEL, text);
	}
	for (int tick = 0; tick < 3 && scale > 0; tick++) {
		int row = tick == 2 ? scales.rows - 1 : tick * (scales.rows / 2);
		/* The middle of a logarithmic scale is a decade and a half below its top. */
		double value = tick == 0 ? scale : p->ui->log_scale ? scale / pow(10, 1.5) : scale / 2;
		if (tick != 1 || scales.rows >= STRIP_LEAST)
			canvas_put_fit(p->canvas, rect_make(scales.row + row, scales.col, 1, scales.cols - 1),
			    ALIGN_RIGHT, STYLE_AXIS, tick == 2 ? "0" : trend_value_text(figure, value).s);
	}
	for (int r = 0; r < area.rows; r++)
		canvas_glyph(p->canvas, area.row + r, area.col - 1, STYLE_AXIS, GLYPH_VLINE);
	for (int i = 0; i < p->columns.count; i++)
		draw_bar(p, area, i, figure, scale);
}

/* Return whether a figure has a strip.  The kernel's figures have one if they are known, throttling if there
 * was any. */
static bool is_shown(const struct picture *p, enum trend_figure figure)
{
	if (figure != TREND_CPU && figure != TREND_RESIDENT && figure != TREND_THROTTLED)
		return true;
	for (int i = 0; i < p->columns.count; i++) {
		double value = p->spans[i].figures[figure].value;
		if (figure == TREND_THROTTLED ? value > 0 : !isnan(value))
			return true;
	}
	return false;
}

/* List the figures with a strip.  Returns their number. */
static int figures_shown(const struct picture *p, enum trend_figure out[TREND_FIGURE_COUNT])
{
	int count = 0;

	for (int f = 0; f < TREND_FIGURE_COUNT; f++)
		if (is_shown(p, (enum trend_figure)f))
			out[count++] = (enum trend_figure)f;
	return count;
}

/* ---- time and marks ---- */

/* Get the mark of a column: the rarest event in it.  Returns false if there was none. */
static bool mark_of(const struct picture *p, int i, enum style *style, uint32_t *character)
{
	static const struct {
		enum trend_mark_kind kind;
		enum style style;
		char letter;
	} kinds[] = {{TREND_MARK_RESTART, STYLE_WARN, 'R'}, {TREND_MARK_FLIGHT, STYLE_RECORDING, 'F'}};
	const struct trend_span *span = &p->spans[i];

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (size_t m = trend_marks(p->trend, kinds[k].kind); m-- > 0;) {
			const struct trend_mark *mark = trend_mark_at(p->trend, kinds[k].kind, m);
			if (mark->from >= span->to || mark->from < span->from)
				continue;
			*style = kinds[k].style;
			*character = (unsigned char)kinds[k].letter;
			return true;
		}
	if (!span->lossy && paused_in(p, i) == 0)
		return false;
	*style = span->lossy ? STYLE_GAP_LOST : STYLE_GAP_PAUSED;
	*character = theme_glyph(canvas_level(p->canvas), span->lossy ? GLYPH_LOSS : GLYPH_PAUSE);
	return true;
}

/* Draw the marks of all columns. */
static void draw_marks(const struct picture *p, struct rect line)
{
	struct rect names = rect_cut_left(&line, LABEL_COLS + SCALE_COLS);
	enum style style;
	uint32_t character;

	canvas_put_fit(p->canvas, rect_margins(names, 0, 1), ALIGN_LEFT, STYLE_LABEL, "marks");
	for (int i = 0; i < p->columns.count; i++)
		if (mark_of(p, i, &style, &character))
			canvas_char(p->canvas, line.row, line.col + i * p->columns.cells, style, character);
}

/* Get the local time of a stamp in seconds since a midnight at the start of a Sunday.  Returns false if the
 * wall clock is not known. */
static bool local_second(const struct subject *s, uint64_t ts, uint64_t *out)
{
	enum { SUNDAY = 3 * 86400 }; /* from the first second of 1970 to its first Sunday */
	char clock[SUBJECT_CLOCK];

	if (!subject_clock(s, ts, 0, clock))
		return false;
	int64_t second = ((int64_t)ts + s->wall_offset) / (int64_t)TREND_SECOND + s->zone_s - SUNDAY;
	*out = second > 0 ? (uint64_t)second : 0;
	return true;
}

/* Format the label of a tick: the time of day, at midnight the day. */
static void tick_text(uint64_t second, uint64_t step, char out[16])
{
	static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	unsigned of_day = (unsigned)(second % 86400);

	if (of_day == 0)
		snprintf(out, 16, "%s", days[second / 86400 % 7]);
	else if (step < 60)
		snprintf(out, 16, "%02u:%02u:%02u", of_day / 3600, of_day / 60 % 60, of_day % 60);
	else
		snprintf(out, 16, "%02u:%02u", of_day / 3600, of_day / 60 % 60);
}

/* Draw the time axis. */
static void draw_axis(const struct picture *p, struct rect line)
{
	static const unsigned steps[] = {
	    10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
	enum { APART = 12, STEPS = sizeof(steps) / sizeof(steps[0]) };
	const struct columns *c = &p->columns;
	uint64_t first, each = c->each / TREND_SECOND;
	int s = 0, free_from = 0;

	rect_cut_left(&line, LABEL_COLS + SCALE_COLS);
	if (!local_second(p->s, trend_column_number(c, 0) * c->each, &first)) {
		plot_time_axis(p->canvas, line.row, line.col, c->count * c->cells,
		    -(int64_t)((uint64_t)c->count * c->each), 0);
		return;
	}
	while (s + 1 < STEPS && steps[s] * (unsigned)c->cells < APART * each)
		s++;
	for (int i = 0; i < c->count; i++) {
		/* A tick is drawn in the column that contains its time. */
		uint64_t begin = first + (uint64_t)i * each,
			 tick = (begin + steps[s] - 1) / steps[s] * steps[s];
		char text[16];
		int at = i * c->cells;
		if (tick >= begin + each || at < free_from)
			continue;
		tick_text(tick, steps[s], text);
		int width = (int)strlen(text);
		if (at + 1 + width > line.cols)
			break;
		canvas_glyph(p->canvas, line.row, line.col + at, STYLE_AXIS, GLYPH_TICK);
		canvas_put(p->canvas, line.row, line.col + at + 1, STYLE_AXIS, text);
		free_from = at + width + 2;
	}
}

/* ---- the selected column ---- */

/* Format the time of the column and what happened in it. */
static void when_text(const struct picture *p, char *out, size_t size)
{
	const struct trend_span *span = &p->spans[p->chosen];
	char from[SUBJECT_CLOCK], to[SUBJECT_CLOCK];
	uint64_t end = passed_of(p, p->chosen);

	if (subject_clock(p->s, span->from, 0, from) && subject_clock(p->s, end, 0, to))
		snprintf(out, size, "%s to %s", from, to);
	else
		snprintf(out, size, "%s before the end",
		    format_age((p->s->now > span->from ? p->s->now - span->from : 0) / TREND_SECOND).s);
}

/* Format the marks in the column. */
static void marks_text(const struct picture *p, char *out, size_t size)
{
	const struct trend_span *span = &p->spans[p->chosen];
	uint64_t paused = paused_in(p, p->chosen);

	out[0] = '\0';
	if (paused > 0)
		snprintf(out, size, "paused %s", format_duration(paused).s);
	for (int k = 0; k < TREND_MARK_COUNT; k++) {
		uint32_t count = 0;
		if (k == TREND_MARK_PAUSED || k == TREND_MARK_LOSS)
			continue;
		for (size_t m = trend_marks(p->trend, (enum trend_mark_kind)k); m-- > 0;) {
			const struct trend_mark *mark = trend_mark_at(p->trend, (enum trend_mark_kind)k, m);
			count += mark->from < span->to && mark->from >= span->from ? mark->count : 0;
		}
		size_t at = strlen(out);
		if (count > 0)
			snprintf(out + at, size - at, "%s%u %s%s", at > 0 ? ", " : "", count,
			    trend_mark_name((enum trend_mark_kind)k), count > 1 ? "s" : "");
	}
}

/* Draw the choice of spans, the length of a column, and the time of the selected column. */
static void draw_title(const struct picture *p, struct rect line)
{
	const struct trend_place *place = trend_own(p->ui);
	char when[64], marks[96];
	struct line_item items[TREND_SPANS + 3];
	int count = 0;

	for (int i = 0; i < TREND_SPANS; i++)
		items[count++] = (unsigned)i == place->span
				     ? line_label(trend_spans_of[i].name, STYLE_SELECTED, 0)
				     : line_label(trend_spans_of[i].name, STYLE_LABEL, 3);
	items[count++] = line_styled(
	    line_said("", 2, "%s a column", format_age(p->columns.each / TREND_SECOND).s), STYLE_MUTED);
	when_text(p, when, sizeof(when));
	marks_text(p, marks, sizeof(marks));
	items[count++] = line_labelled("at", when, 1);
	items[count++] = line_value(marks, STYLE_WARN, 2);
	line_draw(p->canvas, line, 2, items, count);
}

/* Draw as many figures of the selected column as fit. */
static void draw_values(const struct picture *p, struct rect line, int first, int count)
{
	const struct trend_span *span = &p->spans[p->chosen];
	struct line_item items[TREND_FIGURE_COUNT];
	char texts[TREND_FIGURE_COUNT][128], range[64];
	int n = 0;

	for (int f = first; f < first + count && f < p->figure_count; f++, n++) {
		enum trend_figure figure = p->figures[f];
		const struct trend_value *v = &span->figures[figure];
		trend_figure_text(span, figure, texts[n], sizeof(texts[n]));
		trend_range_text(figure, v, range, sizeof(range));
		size_t at = strlen(texts[n]);
		if (!isnan(v->value) && range[0] != '\0' && line.cols >= LINE_WIDE)
			snprintf(texts[n] + at, sizeof(texts[n]) - at, " (%s)", range);
		items[n] = line_labelled(trend_figure_name(figure), texts[n], 1 + n);
	}
	line_draw(p->canvas, line, 2, items, n);
}

/* ---- the view ---- */

/* Draw as many strips as fit, in order. */
static void draw_strips(const struct picture *p, struct trend_place *place, struct rect area)
{
	int shown = area.rows / STRIP_LEAST, levels = 0;

	shown = shown < 1 ? 1 : shown > p->figure_count ? p->figure_count : shown;
	place->shown = shown;
	place->figures = p->figure_count;
	if (place->first > p->figure_count - shown)
		place->first = p->figure_count - shown;
	ui_spot(p->ui, (struct spot){.kind = SPOT_TIME,
			   .area = rect_make(area.row, area.col + LABEL_COLS + SCALE_COLS, area.rows,
			       p->columns.count * p->columns.cells),
			   .t0 = trend_column_number(&p->columns, 0) * p->columns.each,
			   .width = p->columns.each / (uint64_t)p->columns.cells});
	for (int i = 0; i < shown; i++)
		levels += is_level(p, p->figures[place->first + i]);
	for (int i = 0; i < shown; i++) {
		enum trend_figure figure = p->figures[place->first + i];
		bool level = is_level(p, figure);
		draw_strip(p, rect_cut_top(&area, plot_rows(area.rows, shown - i, levels, level)), figure);
		levels -= level;
	}
}

/* Read the halves of the columns, if they can be shown and are whole seconds. */
static const struct halves *read_halves(const struct picture *p, struct halves *out)
{
	const struct columns *c = &p->columns;
	uint64_t half = c->each / 2;

	if (canvas_graph(p->canvas) != GRAPH_BRAILLE || half % TREND_SECOND != 0)
		return NULL;
	for (int i = 0; i < c->count * 2; i++) {
		uint64_t from = trend_column_number(c, i / 2) * c->each + (i % 2 != 0 ? half : 0);
		struct trend_span span;
		trend_read(p->trend, from, from + half, &span);
		for (int f = 0; f < TREND_FIGURE_COUNT; f++)
			out[i / 2].bars[f][i % 2] = bar_value(&span.figures[f]);
	}
	return out;
}

static void draw_all(struct picture *p, struct trend_place *place, struct rect body)
{
	struct rect whole = body;

	draw_title(p, rect_cut_top(&body, 1));
	if (body.rows > 2 * STRIP_LEAST) {
		bool two = body.cols < 2 * LINE_WIDE;
		int all = p->figure_count, half = (all + 1) / 2;
		draw_values(p, rect_cut_top(&body, 1), 0, two ? half : all);
		if (two)
			draw_values(p, rect_cut_top(&body, 1), half, all);
	}
	struct rect axis = rect_cut_bottom(&body, body.rows > 1 ? 1 : 0);
	struct rect marks = rect_cut_bottom(&body, body.rows > 1 ? 1 : 0);
	draw_strips(p, place, body);
	if (marks.rows > 0)
		draw_marks(p, marks);
	if (axis.rows > 0)
		draw_axis(p, axis);
	if (place->cursor != 0)
		canvas_restyle(p->canvas,
		    rect_make(body.row, whole.col + LABEL_COLS + SCALE_COLS + p->chosen * p->columns.cells,
			body.rows + marks.rows, p->columns.cells),
		    STYLE_SELECTED);
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	static const char narrow[] = "too narrow for strips of time";
	struct trend_span read[TREND_COLUMNS_MAX];
	struct halves halves[TREND_COLUMNS_MAX];
	struct trend_place *place = trend_own(ui);
	int cols = body.cols - LABEL_COLS - SCALE_COLS;

	if (cols < PLOT_LEAST) {
		canvas_put_fit(canvas, body, ALIGN_LEFT, STYLE_MUTED, narrow);
		return;
	}
	place->cols = cols;
	struct picture p = {.ui = ui,
	    .s = s,
	    .trend = watch_trend(s->watch),
	    .canvas = canvas,
	    .columns = trend_columns_of(s, place->span, cols),
	    .spans = read};
	p.chosen = trend_column_chosen(place, &p.columns);
	for (int i = 0; i < p.columns.count; i++) {
		uint64_t number = trend_column_number(&p.columns, i), from = number * p.columns.each;
		trend_read(p.trend, from, from + p.columns.each, &read[i]);
		/* The range is that of the column, whatever steps were read. */
		read[i].from = from;
		read[i].to = from + p.columns.each;
	}
	p.halves = read_halves(&p, halves);
	p.figure_count = figures_shown(&p, p.figures);
	draw_all(&p, place, body);
}

/* ---- keys ---- */

/* Select another column. */
static unsigned go_to(struct trend_place *place, const struct columns *c, int column)
{
	uint64_t before = place->cursor;

	if (column >= c->count - 1)
		place->cursor = 0;
	else
		place->cursor = trend_column_number(c, column < 0 ? 0 : column) * c->each + c->each / 2;
	return place->cursor != before ? UI_DIRTY : UI_NOTHING;
}

/* Return the first column with known figures. */
static int first_known(const struct subject *s, const struct columns *c)
{
	uint64_t from, to;

	if (!trend_range(watch_trend(s->watch), &from, &to) || from / c->each >= c->last)
		return c->count - 1;
	uint64_t back = c->last - from / c->each;
	return back < (uint64_t)c->count ? c->count - 1 - (int)back : 0;
}

/* Select another span of time. */
static unsigned change_span(struct trend_place *place, int by)
{
	int to = (int)place->span + by;

	if (to < 0 || to >= TREND_SPANS)
		return UI_NOTHING;
	place->span = (unsigned)to;
	return UI_DIRTY;
}

/* Scroll the strips. */
static unsigned scroll(struct trend_place *place, int by)
{
	int last = place->figures - place->shown;
	int to = place->first + by;

	to = to > last ? last : to;
	to = to < 0 ? 0 : to;
	if (to == place->first)
		return UI_NOTHING;
	place->first = to;
	return UI_DIRTY;
}

/* Open the time of the selected column, if the history still contains it. */
static unsigned open_column(struct ui *ui, const struct subject *s, const struct columns *c)
{
	const struct trend_place *place = trend_own(ui);
	uint64_t from = trend_column_number(c, trend_column_chosen(place, c)) * c->each;
	char clock[SUBJECT_CLOCK];

	struct moment_mark mark = {.domain = view_panes_domain(ui, s), .from = from, .to = from + c->each};
	const bool known = subject_clock(s, from, 0, clock);
	snprintf(mark.text, sizeof(mark.text), "%s %s%s", format_age(c->each / TREND_SECOND).s,
	    known ? "at " : "of the trend", known ? clock : "");
	return moment_open_kept(ui, s, &mark, VIEW_TREND);
}

static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	struct trend_place *place = trend_own(ui);
	const struct columns c = trend_columns_of(s, place->span, place->cols);
	int chosen = trend_column_chosen(place, &c);

	switch (action) {
	case ACTION_LEFT:
		return go_to(place, &c, chosen - 1);
	case ACTION_RIGHT:
		return go_to(place, &c, chosen + 1);
	case ACTION_HOME:
		return go_to(place, &c, first_known(s, &c));
	case ACTION_END:
	case ACTION_BACK:
		return go_to(place, &c, c.count);
	case ACTION_UP:
		return scroll(place, -1);
	case ACTION_DOWN:
		return scroll(place, 1);
	case ACTION_PAGE_UP:
		return scroll(place, -place->shown);
	case ACTION_PAGE_DOWN:
		return scroll(place, place->shown);
	case ACTION_TREND_SHORTER:
		return change_span(place, -1);
	case ACTION_TREND_LONGER:
		return change_span(place, 1);
	case ACTION_OPEN:
		return open_column(ui, s, &c);
	default:
		return UI_NOTHING;
	}
}

const struct view_ops view_trend = {.size = sizeof(struct trend_place), .draw = draw, .act = act};
