/*
 * pane.c - draw the pane of one domain.
 *
 * User events are drawn in columns, so that names, values and percentiles line up.
 */
#include "ui/views/pane.h"

#include "ui/widgets/bars.h"
#include "ui/state.h"
#include "print/number.h"
#include "ui/recent.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/user_text.h"
#include "watch/blame.h"

#define SPARK_LEAST 4
#define BAR_ROWS_LEAST 3
#define BAR_ROWS_MOST 4
#define BAR_ROWS_ZOOMED 6
#define COUNTER_BAR_COLS 8
#define LEVEL_NAME 8
#define LEVEL_VALUE 5
#define LATE_PART 0.5 /* share of the waiting that one domain must cause to be named */
#define LEVEL_SCALE 9 /* columns behind the levels: "▏100%", "▏for D127" */
#define HISTOGRAM_LABEL 6
#define HISTOGRAM_ROWS 5
#define HISTOGRAM_BESIDE_FROM 56 /* least width of a pane with the histogram beside the rates */
#define ALLOC_RATES 2
#define RATES_MOST 44	 /* columns of rates with a histogram beside them */
#define TIMELINE_FROM 70 /* least width of a pane with a timeline below short bars */

/* A walk through a domain's user events, grouped by kind. */
struct user_walk {
	unsigned kinds; /* kinds already walked through */
	size_t slot;
};

/* Go to the next event that does not belong to a scheduler.  Returns false at the end. */
static bool user_walk(const struct model *m, unsigned domain, struct user_walk *walk)
{
	const struct model_user_slot *slot;

	static const enum model_user_kind order[MODEL_USER_KINDS] = {
	    MODEL_USER_SPAN, MODEL_USER_INT, MODEL_USER_CUSTOM, MODEL_USER_UNIT};
	const size_t slots = model_user_slots(m);

	for (; walk->kinds < MODEL_USER_KINDS; *walk = (struct user_walk){.kinds = walk->kinds + 1})
		while ((walk->slot = model_user_next(m, domain, walk->slot)) < slots)
			if ((slot = model_user_slot(m, walk->slot++))->kind == order[walk->kinds] &&
			    !schedulers_know(slot, model_user(m, domain, walk->slot - 1)))
				return true;
	return false;
}

/* Count the events of a walk. */
static int user_count(const struct subject *s, const struct model_domain *d)
{
	struct user_walk walk = {0};
	int count = 0;

	if (s->fibers == NULL)
		return (int)d->users;
	while (user_walk(watch_model(s->watch), d->domain, &walk))
		count++;
	return count;
}

bool pane_counts(const struct subject *s, const struct model_domain *d)
{
	return model_silent(watch_model(s->watch)) && !isnan(d->minor_heap) && s->state == SUBJECT_LIVE &&
	       d->state == MODEL_DOMAIN_RUNNING;
}

struct layout_wish pane_wish(
    const struct ui *ui, const struct subject *subject, const struct model_domain *domain)
{
	int rows = ui->deepest[domain->domain];

	rows = rows < BAR_ROWS_LEAST ? BAR_ROWS_LEAST : rows;
	const int most = ui->zoomed ? BAR_ROWS_ZOOMED : BAR_ROWS_MOST;
	rows = rows > most ? most : rows;
	struct layout_wish wish =
	    (struct layout_wish){.levels = pane_counts(subject, domain) ? 0 : PANE_LEVELS,
		.bars = rows + ui->timeline,
		.alloc_least = ALLOC_RATES,
		.alloc_most = domain->alloc_events != 0 ? ALLOC_RATES + HISTOGRAM_ROWS : ALLOC_RATES,
		.user = user_count(subject, domain)};
	pane_extras_wish(ui, subject, domain, wish.extras);
	/* The histogram yields a row to the line of the loop. */
	if (domain->alloc_events != 0)
		wish.alloc_most -= wish.extras[LAYOUT_FIBERS].least;
	return wish;
}

/* Record the deepest nesting of a domain. */
static void note_depth(struct ui *ui, unsigned domain, const struct flame_view *flame)
{
	for (size_t i = 0; i < flame->count; i++)
		if (flame->bars[i].depth >= ui->deepest[domain])
			ui->deepest[domain] = (uint8_t)(flame->bars[i].depth + 1);
}

/* Draw the bars. */
static void draw_bars(
    struct ui *ui, unsigned domain, struct canvas *canvas, struct rect area, const struct flame_view *flame)
{
	if (panes_own(ui)->bars[domain] == NULL)
		panes_own(ui)->bars[domain] = calloc(1, sizeof(*panes_own(ui)->bars[domain]));
	bars_draw(canvas, area, flame, ui->wall_scale, panes_own(ui)->bars[domain]);
}

/* Give rows that the bars leave blank to the first section that can use them, and move the sections in
 * between up. */
static void give_rows(const struct ui *ui, const struct subject *s, const struct model_domain *domain,
    struct layout_pane *pane, int used)
{
	static const enum layout_extra_name strips[] = {LAYOUT_HEAP, LAYOUT_RATE, LAYOUT_PAUSES};
	struct rect *timeline = &pane->extras[LAYOUT_TIMELINE], *taker = timeline;
	const int users = user_count(s, domain);
	int blank = pane->bars.rows - used, more = ui->deepest[domain->domain] + 2 - timeline->rows;

	if (rect_empty(*timeline) && blank > 0 && !ui->timeline && !pane_counts(s, domain) &&
	    users <= pane->user.rows && (pane->bars.cols >= TIMELINE_FROM || blank > 1)) {
		*timeline = rect_make(pane->bars.row + used, pane->bars.col, blank, pane->bars.cols);
		return;
	}
	if (rect_empty(*timeline) || more <= 0) {
		more = users - pane->user.rows;
		taker = &pane->user;
		for (size_t i = 0;
		     i < sizeof(strips) / sizeof(strips[0]) && (more <= 0 || rect_empty(*taker)); i++) {
			taker = &pane->extras[strips[i]];
			more = blank;
		}
	}
	more = more < blank ? more : blank;
	if (rect_empty(*taker) || more <= 0)
		return;
	taker->row -= more;
	taker->rows += more;
	if (taker == timeline)
		return;
	timeline->row -= more;
	pane->alloc.row -= more;
	if (taker != &pane->user)
		pane->user.row -= more;
}

/* Return the collector's share of the domain's life in the window, without lost or paused time. */
static struct figure_gc pane_gc(const struct ui *ui, const struct subject *s, const struct model_domain *d,
    const struct flame_view *flame)
{
	struct watch_recent life;

	if (watch_recent(s->watch, d->domain, WATCH_EVENTS, s->now, ui->window, &life) && life.to >= s->now &&
	    life.empty == 0)
		return bars_gc(flame);
	return lately_gc(subject_lately(s), d->domain, ui->window);
}

/* Draw the title into a pane's top line. */
static void draw_title(const struct ui *ui, const struct subject *s, const struct model_domain *d,
    struct canvas *canvas, const struct layout_pane *pane, const struct flame_view *flame, double gc,
    bool selected)
{
	const enum limit_level level = limit_level(LIMIT_GC, gc);
	const double idle = ui->wall_scale ? 0 : bars_idle(flame);
	const bool lost = d->lost_words != 0, over = d->state == MODEL_DOMAIN_TERMINATED;
	struct rect at = pane->title;
	struct doing doing;
	const bool counts = pane_counts(s, d);
	domain_activity(s, d, &doing);
	const uint64_t unread = d->domain < s->unread_count ? s->unread[d->domain] : 0;
	/* A replay has no unread words, and neither has a target without a ring. */
	const struct line_item lag =
	    lost ? line_styled(line_said("", 1, "lost %s", format_words(d->lost_words).s), STYLE_LOST)
		 : line_if(s->replay == NULL && !s->off,
		       line_figure("lag", unread != 0 ? format_words(unread) : format_count(0), 3));
	const struct line_item items[] = {
	    line_styled(line_said("", 0, "D%u", d->domain), selected ? STYLE_FOCUS
							    : over   ? STYLE_MUTED
								     : STYLE_TITLE),
	    line_brief(line_value(doing.text, doing.style, 2), doing.brief, 5),
	    line_value(doing.more, doing.style, 4), line_right(lag),
	    line_if(!counts, line_right(line_styled(
				 line_figure(ui->wall_scale ? "GC of wall" : "GC", format_percent(gc), 1),
				 recent_style(level)))),
	    line_if(idle > 0, line_right(line_figure("idle", format_percent(idle), 3))),
	    line_right(
		line_styled(line_said("", 6, "in %s", format_age(ui->window / 1000000000).s), STYLE_LABEL))};
	int inset = pane->boxed ? 2 : 0;
	line_draw(canvas, rect_margins(at, inset, inset), 1, items, 7);
}

/* Read the levels of a domain. */
static void read_levels(
    const struct flame_view *flame, const struct figure_gc *gc, double levels[PANE_LEVELS])
{
	const struct flame_sums sums = flame_sums(flame);
	const double work = gc->gc - gc->wait;

	levels[PANE_WAITING] = gc->wait;
	levels[PANE_MINOR] = sums.gc > sums.wait ? work * (double)sums.minor / (double)(sums.gc - sums.wait)
			     : work > 0		 ? (double)NAN
						 : work;
	levels[PANE_MAJOR] = work - levels[PANE_MINOR];
}

void pane_levels_draw(const struct ui *ui, const struct subject *s, unsigned domain, struct canvas *canvas,
    struct rect area, const double levels[PANE_LEVELS], double top)
{
	static const struct {
		const char *name;
		enum style style;
	} looks[PANE_LEVELS] = {
	    {"minor", STYLE_INK_MINOR}, {"major", STYLE_INK_MAJOR}, {"waiting", STYLE_INK_STW}};
	const uint64_t from = s->now > ui->window ? s->now - ui->window : 0;
	/* If there is only room for values, the scale is left out. */
	const int scale_cols = area.cols > LEVEL_NAME + LEVEL_VALUE + LEVEL_SCALE + 1 ? LEVEL_SCALE : 0;
	struct rect scale = rect_make(area.row, area.col + area.cols - scale_cols, area.rows, scale_cols);
	struct blame blame;
	char late[24] = "";

	for (int i = 0; i < PANE_LEVELS && area.rows > 0; i++) {
		struct rect line = rect_cut_top(&area, 1);
		const enum limit_level level = limit_level(LIMIT_GC, levels[i]);
		canvas_put_fit(
		    canvas, rect_cut_left(&line, LEVEL_NAME), ALIGN_LEFT, STYLE_LABEL, looks[i].name);
		canvas_put_fit(canvas, rect_cut_left(&line, LEVEL_VALUE), ALIGN_RIGHT,
		    level > LEVEL_GOOD ? recent_style(level) : STYLE_VALUE, format_percent(levels[i]).s);
		line = rect_margins(line, 1, LEVEL_SCALE + 1);
		const int filled = isnan(levels[i]) ? 0 : (int)ceil(fmin(levels[i] / top, 1) * line.cols);
		for (int c = 0; c < line.cols; c++)
			canvas_glyph(canvas, line.row, line.col + c,
			    c < filled ? looks[i].style : STYLE_BAR_REST,
			    c < filled ? GLYPH_LEVEL : GLYPH_BAR_REST);
		if (scale_cols > 0)
			canvas_glyph(canvas, scale.row + i, scale.col, STYLE_AXIS, GLYPH_DIVIDER);
	}
	rect_cut_left(&scale, 1);
	canvas_put_fit(canvas, scale, ALIGN_LEFT, STYLE_AXIS, format_percent(top).s);
	/* Where several have their part in it, the one with the most is another one each second. */
	if (levels[PANE_WAITING] > 0 && blame_between(watch_stw(s->watch), domain, from, s->now, &blame) &&
	    (double)blame.waited >= LATE_PART * (double)blame.all)
		snprintf(late, sizeof(late), "for D%u", blame.late);
	rect_cut_top(&scale, PANE_WAITING);
	canvas_put_fit(canvas, scale, ALIGN_LEFT, STYLE_LABEL, late);
}

enum { RATE_LABEL = 8, RATE_VALUE = 9 };

/* Draw the name and the value of a figure, and return the rest of the line. */
static struct rect draw_value(
    struct canvas *canvas, struct rect line, const char *label, const struct formatted *text)
{
	canvas_put_fit(canvas, rect_make(line.row, line.col, 1, RATE_LABEL), ALIGN_LEFT, STYLE_LABEL, label);
	canvas_put_fit(canvas, rect_make(line.row, line.col + RATE_LABEL + 1, 1, RATE_VALUE), ALIGN_RIGHT,
	    STYLE_VALUE, text->s);
	rect_cut_left(&line, RATE_LABEL + RATE_VALUE + 3);
	return line;
}

/* Draw a rate: its name, its value and a sparkline. */
static void draw_rate(const struct subject *s, unsigned domain, enum watch_measure measure, const char *label,
    struct formatted (*format)(double per_second), struct canvas *canvas, struct rect line)
{
	const struct recent_chart chart = {.of = measure, .domain = domain};
	const struct formatted text = format(lately_rate(subject_lately(s), domain, measure, RECENT_RATE_NS));

	line = draw_value(canvas, line, label, &text);
	recent_spark(s, &chart, 0, SPARK_LEAST, canvas, line, STYLE_SPARK);
}

/* Draw the histogram of an instrumented runtime. */
static void draw_histogram(
    const struct ui *ui, const struct model_domain *d, struct canvas *canvas, struct rect area)
{
	struct plot_bucket buckets[RTEV_ALLOC_BUCKETS];
	char labels[RTEV_ALLOC_BUCKETS][24];

	for (unsigned b = 0; b < RTEV_ALLOC_BUCKETS; b++) {
		uint64_t first, last;
		rtev_alloc_bucket_range(b, &first, &last);
		snprintf(labels[b], sizeof(labels[b]), last == UINT64_MAX ? "%llu+" : "%llu",
		    (unsigned long long)first);
		buckets[b] = (struct plot_bucket){.label = labels[b], .value = d->alloc[b]};
	}
	if (area.cols >= (int)RTEV_ALLOC_BUCKETS + HISTOGRAM_LABEL) {
		struct rect left = rect_cut_left(&area, HISTOGRAM_LABEL);
		canvas_put(canvas, left.row, left.col, STYLE_LABEL, "sizes");
		if (left.rows > 2 && ui->log_scale)
			canvas_put(canvas, left.row + 1, left.col, STYLE_LABEL, "log");
		if (left.rows > 1)
			canvas_put(canvas, left.row + left.rows - 1, left.col, STYLE_AXIS, "words");
	}
	plot_histogram(canvas, area, buckets, RTEV_ALLOC_BUCKETS, ui->log_scale, STYLE_BAR);
}

/* Draw the allocation section: rates from the counters and, if there is one, the histogram: beside them in
 * a wide pane, else below. */
static void draw_alloc(const struct ui *ui, const struct subject *s, const struct model_domain *d,
    struct canvas *canvas, struct rect area)
{
	static const struct {
		const char *label;
		enum watch_measure measure;
	} rates[ALLOC_RATES] = {{"alloc", WATCH_ALLOCATED}, {"promoted", WATCH_PROMOTED}};
	bool beside = d->alloc_events != 0 && area.cols >= HISTOGRAM_BESIDE_FROM;
	const int half = area.cols / 2 - 3 < RATES_MOST ? area.cols / 2 - 3 : RATES_MOST;
	struct rect lines = beside ? rect_cut_left(&area, half) : area;

	for (int i = 0; i < ALLOC_RATES && lines.rows > 0; i++)
		draw_rate(s, d->domain, rates[i].measure, rates[i].label, format_byte_rate, canvas,
		    rect_cut_top(&lines, 1));
	if (beside)
		rect_cut_left(&area, 2);
	else
		area = lines;
	if (d->alloc_events != 0)
		draw_histogram(ui, d, canvas, area);
}

/* Draw a domain's counts from memory in place of bars while no events arrive.  Returns the rows used. */
static int draw_counters(const struct ui *ui, const struct subject *s, const struct model_domain *d,
    struct canvas *canvas, struct rect area)
{
	const double used = d->minor_heap > 0 ? d->minor_used / d->minor_heap : (double)NAN;
	struct formatted young = format_figure(UNIT_WORDS, d->minor_heap);
	const int rows = area.rows;
	char full[48];

	draw_rate(s, d->domain, WATCH_MINORS, "minor", format_rate, canvas, rect_cut_top(&area, 1));
	if (area.rows > 0)
		draw_rate(s, d->domain, WATCH_CYCLES, "cycles", format_rate, canvas, rect_cut_top(&area, 1));
	if (area.rows == 0)
		return rows;
	struct rect line = draw_value(canvas, rect_cut_top(&area, 1), "young", &young);
	snprintf(full, sizeof(full), "%s full", format_percent(used).s);
	canvas_put_fit(canvas, rect_make(line.row, line.col, 1, 10), ALIGN_LEFT, STYLE_MUTED, full);
	if (line.cols >= 12 + COUNTER_BAR_COLS && !isnan(used))
		plot_bar(canvas, line.row, line.col + 11, line.cols - 11 < 40 ? line.cols - 11 : 40, used,
		    STYLE_BAR);
	return rows - area.rows;
}

enum { USER_NAME, USER_KIND, USER_VALUE, USER_P50, USER_P99, USER_OPEN, USER_COLUMNS };

/* Texts of a user event's columns. */
struct user_texts {
	char name[RTEV_USER_NAME_SIZE + 16];
	struct formatted value;
	struct formatted span[USER_COLUMNS]; /* for spans, from USER_P50 on */
};

static const char *const user_labels[USER_COLUMNS] = {
    [USER_P50] = "p50", [USER_P99] = "p99", [USER_OPEN] = "open"};

/* Format a user event. */
static void user_texts(const struct subject *s, const struct model_domain *d, size_t slot,
    const struct model_user *u, struct user_texts *out)
{
	const struct model_user_slot *what = model_user_slot(watch_model(s->watch), slot);
	bool lost = d->lost_words != 0;

	user_text_name(what, out->name, sizeof(out->name));
	out->value = what->kind == MODEL_USER_INT
			 ? format_signed(u->last, 7)
			 : format_rate(lately_user_rate(subject_lately(s), d->domain, slot, RECENT_RATE_NS));
	out->span[USER_P50] = distribution_percentile(&u->spans, 50, 100, lost);
	out->span[USER_P99] = distribution_percentile(&u->spans, 99, 100, lost);
	out->span[USER_OPEN] = format_count(u->open);
}

/* Compute the columns of the user section from the drawn rows: figures take what they need, names the rest,
 * at least 1/NAME_PART of the width. */
static void user_layout(const struct subject *s, const struct model_domain *d, const struct canvas *canvas,
    struct rect area, struct table_column columns[USER_COLUMNS], struct table *table)
{
	enum { NAME_LEAST = 8, NAME_PART = 3 };
	const struct model *m = watch_model(s->watch);
	struct user_walk walk = {0};
	int wish = NAME_LEAST, most = area.cols / NAME_PART, rows = area.rows;

	columns[USER_KIND] = (struct table_column){"", 6, 6, ALIGN_LEFT, 4, TABLE_FIXED};
	columns[USER_VALUE] = (struct table_column){"", 7, 8, ALIGN_RIGHT, 0, TABLE_FIXED};
	columns[USER_P50] = (struct table_column){"", 11, 11, ALIGN_LEFT, 2, TABLE_FIXED};
	columns[USER_P99] = (struct table_column){"", 11, 11, ALIGN_LEFT, 1, TABLE_FIXED};
	columns[USER_OPEN] = (struct table_column){"", 6, 8, ALIGN_LEFT, 3, TABLE_FIXED};
	for (; rows > 0 && user_walk(m, d->domain, &walk); rows--) {
		size_t slot = walk.slot - 1;
		const struct model_user *u = model_user(m, d->domain, slot);
		struct user_texts texts;
		user_texts(s, d, slot, u, &texts);
		int width = canvas_text_width(canvas, texts.name);
		wish = width > wish ? width : wish;
		table_widen(&columns[USER_VALUE], canvas_text_width(canvas, texts.value.s));
		for (int c = USER_P50; c <= USER_OPEN && model_user_slot(m, slot)->kind == MODEL_USER_SPAN;
		     c++)
			table_widen(&columns[c], canvas_text_width(canvas, user_labels[c]) + 1 +
						     canvas_text_width(canvas, texts.span[c].s));
	}
	most = most < NAME_LEAST ? NAME_LEAST : most;
	columns[USER_NAME] =
	    (struct table_column){"", wish > most ? most : wish, wish, ALIGN_LEFT, 0, TABLE_NAMES};
	table_layout(table, columns, USER_COLUMNS, area.cols, 1);
}

/* Draw percentiles and open spans. */
static void draw_user_span(
    const struct user_texts *texts, struct canvas *canvas, const struct table *table, struct rect line)
{
	for (int c = USER_P50; c <= USER_OPEN; c++) {
		const struct line_item item = line_labelled(user_labels[c], texts->span[c].s, 1);
		const struct rect cell = table_cell_rect(table, line.row, line.col, c);
		line_draw(canvas, rect_intersect(cell, line), 1, &item, 1);
	}
}

/* Draw one user event. */
static void draw_user(const struct subject *s, const struct model_domain *d, size_t slot,
    const struct model_user *u, struct canvas *canvas, const struct table *table, struct rect line)
{
	const struct model_user_slot *what = model_user_slot(watch_model(s->watch), slot);
	const struct recent_chart chart = {.kind = RECENT_USER_VALUES, .of = slot, .domain = d->domain};
	char payload[2 * MODEL_CUSTOM_KEPT + 1];
	struct table_cell cells[USER_COLUMNS] = {{0}};
	struct user_texts texts;

	user_texts(s, d, slot, u, &texts);
	cells[USER_NAME] = (struct table_cell){texts.name, STYLE_VALUE};
	cells[USER_KIND] = (struct table_cell){user_text_kind(what->kind), user_text_style(what->kind)};
	cells[USER_VALUE] = (struct table_cell){texts.value.s, STYLE_VALUE};
	table_row(canvas, table, line.row, line.col, cells);
	/* Other kinds use the columns of the percentiles. */
	struct rect value_cell = table_cell_rect(table, line.row, line.col, USER_VALUE), rest = line;
	rect_cut_left(&rest, value_cell.col + value_cell.cols + 1 - line.col);
	if (what->kind == MODEL_USER_SPAN) {
		draw_user_span(&texts, canvas, table, line);
	} else if (what->kind == MODEL_USER_INT) {
		recent_spark(s, &chart, NAN, SPARK_LEAST, canvas, rest, STYLE_USER_INT);
	} else if (what->kind == MODEL_USER_CUSTOM && rest.cols > 0) {
		user_text_payload(u, payload, sizeof(payload));
		canvas_put_fit(canvas, rest, ALIGN_LEFT, STYLE_MUTED, payload);
	}
}

/* Draw as many user events as fit. */
static void draw_users(
    const struct subject *s, const struct model_domain *d, struct canvas *canvas, struct rect area)
{
	const struct model *m = watch_model(s->watch);
	struct user_walk walk = {0};
	struct table_column columns[USER_COLUMNS];
	struct table table;
	int left = user_count(s, d);

	user_layout(s, d, canvas, area, columns, &table);
	while (area.rows > 0 && user_walk(m, d->domain, &walk)) {
		size_t slot = walk.slot - 1;
		const struct model_user *u = model_user(m, d->domain, slot);
		struct rect line = rect_cut_top(&area, 1);
		left--;
		char more[32];
		snprintf(more, sizeof(more), " +%d more", left);
		const int width = canvas_text_width(canvas, more), end = line.col + line.cols - width;
		const bool told = area.rows == 0 && left > 0 && width * 3 < line.cols;
		line.cols -= told ? width : 0;
		draw_user(s, d, slot, u, canvas, &table, line);
		if (told)
			canvas_put(canvas, line.row, end, STYLE_MUTED, more);
	}
}

int pane_bar_rows(const struct ui *ui, unsigned domain)
{
	return panes_own(ui)->bars[domain] != NULL && panes_own(ui)->bars[domain]->rows > 1
		   ? panes_own(ui)->bars[domain]->rows
		   : 1;
}

void pane_draw(struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct canvas *canvas, const struct layout_pane *pane, int bar_rows, bool selected,
    double levels[PANE_LEVELS])
{
	struct flame_query query = {.history = watch_history(subject->watch),
	    .paths = model_paths(watch_model(subject->watch)),
	    .domain = domain->domain,
	    .now = subject->now,
	    .present = history_present(watch_model(subject->watch), domain->domain)};
	struct layout_pane at = *pane;
	struct flame_view flame = {0};

	/* After a runtime ends its ring it begins a stop whose end is never written. */
	if (domain->state == MODEL_DOMAIN_TERMINATED)
		query.present.depth = 0;
	(void)flame_read_last(ui->flame, &query, ui->window, domain->first_ts, &flame);
	note_depth(ui, domain->domain, &flame);
	if (pane->boxed)
		canvas_box(canvas, pane->frame, selected ? STYLE_FOCUS : STYLE_BORDER);
	else
		canvas_hline(canvas, pane->title.row, pane->title.col, pane->title.cols, STYLE_BORDER);
	const struct figure_gc gc = pane_gc(ui, subject, domain, &flame);
	read_levels(&flame, &gc, levels);
	draw_title(ui, subject, domain, canvas, pane, &flame, gc.gc, selected);
	struct rect old = canvas_clip(canvas, pane->bars);
	if (!rect_empty(pane->bars) && pane_counts(subject, domain))
		give_rows(ui, subject, domain, &at, draw_counters(ui, subject, domain, canvas, pane->bars));
	else if (!rect_empty(pane->bars) && ui->timeline)
		pane_timeline_draw(ui, subject, domain->domain, canvas, pane->bars, false);
	else if (!rect_empty(pane->bars)) {
		draw_bars(ui, domain->domain, canvas, pane->bars, &flame);
		const int own = pane_bar_rows(ui, domain->domain);
		give_rows(ui, subject, domain, &at, own > bar_rows ? own : bar_rows);
	}
	canvas_unclip(canvas, old);
	old = canvas_clip(canvas, at.alloc);
	if (!rect_empty(at.alloc))
		draw_alloc(ui, subject, domain, canvas, at.alloc);
	canvas_unclip(canvas, old);
	old = canvas_clip(canvas, at.user);
	if (!rect_empty(at.user))
		draw_users(subject, domain, canvas, at.user);
	canvas_unclip(canvas, old);
	pane_extras_draw(ui, subject, domain, canvas, &at);
}

void pane_legend_draw(
    const struct ui *ui, unsigned domain, struct canvas *canvas, const struct layout_pane *pane, int taken)
{
	const struct rect *frame = &pane->frame;

	if (pane->boxed && panes_own(ui)->bars[domain] != NULL && !ui->timeline && !rect_empty(pane->bars))
		bars_legend(canvas,
		    rect_make(frame->row + frame->rows - 1, frame->col + 1, 1, frame->cols - 2 - taken),
		    panes_own(ui)->bars[domain], pane->bars.rows);
}
