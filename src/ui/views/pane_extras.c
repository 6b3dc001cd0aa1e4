/*
 * pane_extras.c - draw the extras of a pane.
 *
 * Strips share one time scale below the last of them.  A strip begins with its name and a scale from 0 to the
 * largest value shown, "heap max 16.0MB".  An R in the first strip marks where the ring was restarted.  All
 * figures are read from the watch.
 */
#include "ui/views/pane.h"

#include "core/order.h"
#include "print/number.h"
#include "ui/recent.h"
#include "ui/views/fibers.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/track.h"
#include "ui/widgets/user_text.h"

#define TIMELINE_PHASES 6 /* maximum rows of nested phases */
#define TIMELINE_ROWS 3	  /* with one row of phases, one of user events, and the scale */
#define STRIP_LEAST 2
#define STRIP_WISH 4
#define STRIP_LABEL 22 /* columns of name and scale, as in the alloc section */
#define WORST_LEAST 4
#define DISTRIBUTION_LEAST 6
#define DISTRIBUTION_WISH 10
#define PHASES_LEAST 5
#define PHASES_MOST 128
#define TABLE_GAP 2

/* The strips in order, each with its extra. */
static const struct strip {
	enum layout_extra_name extra;
	enum watch_measure measure;
	const char *name;
	enum unit unit;
} strips[] = {
    {LAYOUT_HEAP, WATCH_HEAP, "heap max", UNIT_WORDS},
    {LAYOUT_RATE, WATCH_ALLOCATED, "alloc max", UNIT_BYTE_RATE},
    {LAYOUT_PAUSES, WATCH_LONGEST, "pause max", UNIT_NS},
};
enum { STRIPS = sizeof(strips) / sizeof(strips[0]) };

/* Count the phases of a domain that have ended at least once. */
static int phases_ended(const struct model_domain *d)
{
	int count = 0;

	for (size_t i = 0; i < d->phase_count; i++)
		count += d->phases[i].count != 0;
	return count;
}

void pane_extras_wish(const struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct layout_extra extras[LAYOUT_EXTRA_COUNT])
{
	const struct longest_list *worst = longest_pauses(watch_longest(subject->watch), domain->domain);
	int deepest = ui->deepest[domain->domain], phases = phases_ended(domain), axis = 1;

	deepest = deepest < 1 ? 1 : deepest > TIMELINE_PHASES ? TIMELINE_PHASES : deepest;
	if (ui->zoomed)
		extras[LAYOUT_FACTS] = (struct layout_extra){1, 2, 2};
	if (subject->fibers != NULL && fibers_last(subject->fibers, domain->domain) != 0)
		extras[LAYOUT_FIBERS] = (struct layout_extra){1, 1, 1};
	if (!ui->timeline && !pane_counts(subject, domain)) {
		int rows = deepest + 1 + (domain->users != 0);
		extras[LAYOUT_TIMELINE] =
		    (struct layout_extra){TIMELINE_ROWS < rows ? TIMELINE_ROWS : rows, 0, rows};
	}
	for (int i = 0; i < STRIPS; i++) {
		if (watch_series(subject->watch, domain->domain, strips[i].measure) == NULL)
			continue;
		/* The first strip includes the row of the time scale. */
		extras[strips[i].extra] =
		    (struct layout_extra){STRIP_LEAST + axis, STRIP_WISH + axis, LAYOUT_MOST};
		axis = 0;
	}
	if (worst != NULL && ui->zoomed) {
		int rows = 1 + (int)worst->count;
		extras[LAYOUT_WORST] =
		    (struct layout_extra){rows < WORST_LEAST ? rows : WORST_LEAST, rows, rows};
	}
	if (domain->pauses.count != 0)
		extras[LAYOUT_DISTRIBUTION] =
		    (struct layout_extra){DISTRIBUTION_LEAST, DISTRIBUTION_WISH, LAYOUT_MOST};
	if (phases > 0) {
		int rows = 1 + (phases < PHASES_MOST ? phases : PHASES_MOST);
		extras[LAYOUT_PHASES] =
		    (struct layout_extra){rows < PHASES_LEAST ? rows : PHASES_LEAST, rows, rows};
	}
}

void pane_timeline_draw(struct ui *ui, const struct subject *s, unsigned domain, struct canvas *canvas,
    struct rect area, bool user)
{
	struct rect axis = rect_cut_bottom(&area, area.rows > 1 ? 1 : 0);
	struct rect own = rect_cut_bottom(&area, user && area.rows > 1 ? 1 : 0);
	struct track track = {.domain = domain,
	    .end = s->now,
	    .columns = (unsigned)(area.cols < TIMELINE_COLUMNS_MAX ? area.cols : TIMELINE_COLUMNS_MAX)};

	timeline_align(s->now, ui->window, track.columns, &track.t0, &track.width);
	ui_spot(ui, (struct spot){.kind = SPOT_TIME,
			.area = rect_make(area.row, area.col, area.rows, (int)track.columns),
			.t0 = track.t0,
			.width = track.width});
	if (track_read(ui, s, &track)) {
		track_draw(canvas, area, &track);
		if (own.rows > 0)
			track_draw_user(s, canvas, own, &track);
	}
	if (axis.rows > 0)
		plot_time_axis(canvas, axis.row, axis.col, axis.cols, -(int64_t)ui->window, 0);
}

/* Draw a mark where the ring was restarted, or another program began. */
static void draw_restarts(const struct subject *s, struct canvas *canvas, struct rect strip, unsigned steps)
{
	const struct trend *trend = watch_trend(s->watch);
	int one = 1;
	uint64_t width = (uint64_t)steps * WATCH_STEP * (uint64_t)plot_samples(canvas, &one, 2),
		 end = lately_columns_end(subject_lately(s), steps);

	for (size_t m = trend_marks(trend, TREND_MARK_RESTART); m-- > 0;) {
		uint64_t ts = trend_mark_at(trend, TREND_MARK_RESTART, m)->from,
			 back = (end - ts - 1) / width;
		if (ts < end && back < (uint64_t)strip.cols)
			canvas_char(
			    canvas, strip.row, strip.col + strip.cols - 1 - (int)back, STYLE_WARN, 'R');
	}
}

/* Draw the strips of a domain at the heights of all panes. */
static void draw_strips(const struct ui *ui, const struct subject *s, const struct model_domain *d,
    struct canvas *canvas, const struct layout_pane *pane)
{
	const struct strip *shown[STRIPS];
	double values[STRIPS][WATCH_STEPS];
	struct plot_graph graphs[STRIPS];
	struct rect area = {0};
	int count = 0;

	for (int i = 0; i < STRIPS; i++) {
		const struct rect *r = &pane->extras[strips[i].extra];
		if (rect_empty(*r))
			continue;
		area = rect_empty(area) ? *r : rect_make(area.row, area.col, area.rows + r->rows, area.cols);
		/* A neighbour in the grid may have a series that this domain lacks. */
		if (watch_series(s->watch, d->domain, strips[i].measure) != NULL)
			shown[count++] = &strips[i];
	}
	if (count == 0 || area.cols <= STRIP_LABEL)
		return;
	int cols = area.cols - STRIP_LABEL, samples = plot_samples(canvas, &cols, WATCH_STEPS);
	unsigned steps = recent_steps(s, samples);
	samples = recent_samples(s, canvas, steps, &cols, samples);
	for (int i = 0; i < count; i++) {
		const struct series *series = watch_series(s->watch, d->domain, shown[i]->measure);
		double now = series_mode_of(series) == SERIES_LAST ? series_latest(series) : (double)NAN;
		lately_columns(subject_lately(s), d->domain, series, steps, (size_t)samples, values[i]);
		graphs[i] = (struct plot_graph){shown[i]->name, values[i], samples,
		    recent_highest(values[i], samples, now), shown[i]->unit};
	}
	plot_strips(canvas, area, STRIP_LABEL, graphs, count, (uint64_t)samples * steps * WATCH_STEP);
	draw_restarts(s, canvas, rect_make(area.row, area.col + STRIP_LABEL, 1, cols), steps);
}

/* Draw figures of the domain since the attach or the reset. */
static void draw_facts(const struct ui *ui, const struct subject *s, const struct model_domain *d,
    struct canvas *canvas, struct rect area)
{
	const bool lost = d->lost_words != 0;
	double shares[MMU_WINDOWS];
	const struct line_item figures[] = {line_figure("seen for", format_duration(d->observed_ns), 1),
	    line_figure("GC of it", format_percent(figure_gc(d).gc), 0),
	    line_figure("events", format_count(d->events), 2),
	    line_styled(line_figure("lost", lost ? format_words(d->lost_words) : format_count(0), 1),
		lost ? STYLE_LOST : STYLE_VALUE),
	    line_figure("spans dropped", format_count(d->dropped), 3),
	    line_figure("open", format_count(d->open), 4)};
	struct line_item items[MMU_WINDOWS];

	line_draw(canvas, rect_cut_top(&area, 1), 3, figures, 6);
	if (area.rows == 0)
		return;
	bool there = mmu_read(watch_mmu(s->watch), d->domain, lately_until(subject_lately(s)), 0, shares);
	for (int w = 0; w < MMU_WINDOWS; w++)
		items[w] = recent_left(w, there ? shares[w] : (double)NAN, -1);
	line_draw(canvas, area, 3, items, MMU_WINDOWS);
}

/* Draw the longest pauses, one a line. */
static void draw_worst(
    const struct subject *s, const struct longest_list *list, struct canvas *canvas, struct rect area)
{
	enum { DURATION, PHASE, BEFORE, USERS, COLUMNS };
	static const struct table_column columns[COLUMNS] = {
	    [DURATION] = {"longest", 9, 9, ALIGN_RIGHT, 0, TABLE_FIXED},
	    [PHASE] = {"pause", 10, 10, ALIGN_LEFT, 1, TABLE_PHASES},
	    [BEFORE] = {"before now", 10, 10, ALIGN_RIGHT, 2, TABLE_FIXED},
	    [USERS] = {"user span", 16, 40, ALIGN_LEFT, 3, TABLE_NAMES},
	};
	struct table_column fitted[COLUMNS];
	struct rect head = rect_cut_top(&area, 1);
	char phase[RTEV_NAME_SIZE], users[USER_TEXT_SPANS];
	struct table table;

	memcpy(fitted, columns, sizeof(fitted));
	for (int i = 0; list != NULL && i < area.rows && (unsigned)i < list->count; i++) {
		user_text_spans(watch_model(s->watch), &list->spans[i], users, sizeof(users));
		table_fit_name(&fitted[PHASE], &columns[PHASE],
		    canvas_text_width(canvas, rtev_phase_name(list->spans[i].pause_phase, phase)));
		table_fit_name(&fitted[USERS], &columns[USERS], canvas_text_width(canvas, users));
	}
	table_layout(&table, fitted, COLUMNS, head.cols, TABLE_GAP);
	table_header(canvas, &table, head.row, head.col, -1, false);
	for (int i = 0; list != NULL && i < area.rows && (unsigned)i < list->count; i++) {
		const struct longest_span *span = &list->spans[i];
		const struct formatted duration = format_duration(span->end - span->begin),
				       before = s->now >= span->begin ? format_duration(s->now - span->begin)
								      : format_unknown();
		user_text_spans(watch_model(s->watch), span, users, sizeof(users));
		const struct table_cell cells[COLUMNS] = {{duration.s, STYLE_VALUE},
		    {rtev_phase_name(span->pause_phase, phase),
			theme_class_ink(rtev_phase_class(span->pause_phase))},
		    {before.s, STYLE_VALUE}, {users, span->user_count > 0 ? STYLE_USER_SPAN : STYLE_MUTED}};
		table_row(canvas, &table, area.row + i, area.col, cells);
	}
}

/* Draw the distribution of all pauses. */
static void draw_distribution(
    const struct ui *ui, const struct model_domain *d, struct canvas *canvas, struct rect area)
{
	distribution_line(&d->pauses, "pauses", "", d->lost_words != 0, canvas, rect_cut_top(&area, 1));
	distribution_draw(&d->pauses, canvas, area, ui->log_scale);
}

/* Order phases by self time, then by the phase table. */
static int by_self(const void *a, const void *b)
{
	const struct model_phase *x = *(const struct model_phase *const *)a,
				 *y = *(const struct model_phase *const *)b;

	return ORDER_BY(ORDER_FALLING(x, y, self), ORDER_RISING(x, y, phase));
}

enum { PHASE, SELF, SHARE, TOTAL, COUNT, MAX, PHASE_COLUMNS };

/* Format the figures of a phase, from SELF on. */
static void phase_figures(
    const struct model_domain *d, const struct model_phase *p, struct formatted out[PHASE_COLUMNS])
{
	out[SELF] = format_duration(p->self);
	out[SHARE] = format_percent(figure_phase_share(d, p));
	out[TOTAL] = format_duration(p->total);
	out[COUNT] = format_count(p->count);
	out[MAX] = format_duration(p->max);
}

void pane_phases_draw(const struct model_domain *d, struct canvas *canvas, struct rect area)
{
	struct table_column columns[PHASE_COLUMNS] = {
	    [PHASE] = {"phase", 12, 30, ALIGN_LEFT, 0, TABLE_PHASES},
	    [SELF] = {"self", 8, 8, ALIGN_RIGHT, 0, TABLE_FIXED},
	    [SHARE] = {"of GC", 6, 6, ALIGN_RIGHT, 2, TABLE_FIXED},
	    [TOTAL] = {"total", 8, 8, ALIGN_RIGHT, 1, TABLE_FIXED},
	    [COUNT] = {"count", 7, 7, ALIGN_RIGHT, 3, TABLE_FIXED},
	    [MAX] = {"max", 8, 8, ALIGN_RIGHT, 1, TABLE_FIXED},
	};
	const struct model_phase *phases[PHASES_MOST];
	struct formatted figures[PHASE_COLUMNS];
	struct rect head = rect_cut_top(&area, 1);
	struct table table;
	int count = 0;

	for (size_t i = 0; i < d->phase_count && count < PHASES_MOST; i++)
		if (d->phases[i].count != 0)
			phases[count++] = &d->phases[i];
	qsort(phases, (size_t)count, sizeof(phases[0]), by_self);
	count = count < area.rows ? count : area.rows;
	for (int i = 0; i < count; i++) {
		phase_figures(d, phases[i], figures);
		for (int c = SELF; c < PHASE_COLUMNS; c++)
			table_widen(&columns[c], canvas_text_width(canvas, figures[c].s));
	}
	table_layout(&table, columns, PHASE_COLUMNS, head.cols, TABLE_GAP);
	table_header(canvas, &table, head.row, head.col, -1, false);
	for (int i = 0; i < count; i++) {
		const rtev_phase phase = phases[i]->phase;
		char name[RTEV_NAME_SIZE];
		struct table_cell cells[PHASE_COLUMNS] = {
		    {rtev_phase_name(phase, name), theme_class_ink(rtev_phase_class(phase))}};
		phase_figures(d, phases[i], figures);
		for (int c = SELF; c < PHASE_COLUMNS; c++)
			cells[c] = (struct table_cell){figures[c].s, STYLE_VALUE};
		table_row(canvas, &table, area.row + i, area.col, cells);
	}
}

void pane_extras_draw(struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct canvas *canvas, const struct layout_pane *pane)
{
	for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++) {
		struct rect area = pane->extras[e];
		if (rect_empty(area))
			continue;
		struct rect old = canvas_clip(canvas, area);
		switch ((enum layout_extra_name)e) {
		case LAYOUT_FACTS:
			draw_facts(ui, subject, domain, canvas, area);
			break;
		case LAYOUT_FIBERS:
			if (subject->fibers != NULL)
				fibers_draw_loop(subject, domain->domain, canvas, area, true);
			break;
		case LAYOUT_TIMELINE:
			pane_timeline_draw(ui, subject, domain->domain, canvas, area, domain->users != 0);
			break;
		case LAYOUT_WORST:
			draw_worst(subject, longest_pauses(watch_longest(subject->watch), domain->domain),
			    canvas, area);
			break;
		case LAYOUT_DISTRIBUTION:
			draw_distribution(ui, domain, canvas, area);
			break;
		case LAYOUT_PHASES:
			pane_phases_draw(domain, canvas, area);
			break;
		case LAYOUT_HEAP:
		case LAYOUT_RATE:
		case LAYOUT_PAUSES:
		case LAYOUT_EXTRA_COUNT:
			break;
		}
		canvas_unclip(canvas, old);
	}
	draw_strips(ui, subject, domain, canvas, pane);
}
