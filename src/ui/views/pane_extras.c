/*
 * pane_extras.c - draw the extras of a pane.
 *
 * Strips share one time scale below the last of them.  A strip begins with its name and a scale from 0 to the
 * largest value shown, "heap max 16.0MB".  All figures are read from the watch.
 */
#include "ui/views/pane.h"

#include "core/order.h"
#include "ui/recent.h"
#include "ui/views/fibers.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/track.h"

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

/* The strips in order, each with its extra. */
static const struct strip {
	enum layout_extra_name extra;
	struct recent_chart chart;
} strips[] = {
    {LAYOUT_HEAP, {"heap max", UNIT_WORDS, RECENT_MEASURE, WATCH_HEAP, 0}},
    {LAYOUT_RATE, {"alloc max", UNIT_BYTE_RATE, RECENT_MEASURE, WATCH_ALLOCATED, 0}},
    {LAYOUT_PAUSES, {"pause max", UNIT_NS, RECENT_MEASURE, WATCH_LONGEST, 0}},
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
	const struct longest_list *worst = watch_longest_pauses(subject->watch, domain->domain);
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
		if (watch_series(subject->watch, domain->domain, (enum watch_measure)strips[i].chart.of) ==
		    NULL)
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

/* Draw the strips of a domain at the heights of all panes. */
static void draw_strips(const struct subject *s, const struct model_domain *d, struct canvas *canvas,
    const struct layout_pane *pane)
{
	struct recent_chart charts[STRIPS];
	struct rect area = {0};
	int count = 0;

	for (int i = 0; i < STRIPS; i++) {
		const struct rect *r = &pane->extras[strips[i].extra];
		if (rect_empty(*r))
			continue;
		area = rect_empty(area) ? *r : rect_make(area.row, area.col, area.rows + r->rows, area.cols);
		/* A neighbour in the grid may have a series that this domain lacks. */
		if (watch_series(s->watch, d->domain, (enum watch_measure)strips[i].chart.of) == NULL)
			continue;
		charts[count] = strips[i].chart;
		charts[count++].domain = d->domain;
	}
	recent_strips(s, charts, count, STRIP_LABEL, canvas, area);
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
	bool there = mmu_read(watch_mmu(s->watch, d->domain), lately_until(subject_lately(s)), 0, shares);
	for (int w = 0; w < MMU_WINDOWS; w++)
		items[w] = recent_left(w, there ? shares[w] : (double)NAN, -1);
	line_draw(canvas, area, 3, items, MMU_WINDOWS);
}

#define WORST_COLUMNS(X)                                                                                     \
	X(DURATION, "longest", 9, 9, RIGHT, 0, FIXED, cell_duration(span->end - span->begin))                \
	X(PAUSE, "pause", 10, 10, LEFT, 1, PHASES, cell_phase(span->pause_phase))                            \
	X(BEFORE, "before now", 10, 10, RIGHT, 2, FIXED,                                                     \
	    s->now >= span->begin ? cell_since(s, span->begin) : cell_unknown())                             \
	X(USERS, "user span", 16, 40, LEFT, 3, NAMES, cell_around(s, span))

TABLE_LIST(WORST_COLUMNS, worst_columns, COLUMNS);

/* The longest pauses of a domain. */
struct worst {
	const struct subject *s;
	const struct longest_list *list;
};

static struct tabular_cell worst_cell(const void *of, int row, int column)
{
	const struct subject *s = ((const struct worst *)of)->s;
	const struct longest_span *span = &((const struct worst *)of)->list->spans[row];

	TABLE_RETURN(WORST_COLUMNS);
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

#define PHASE_COLUMNS(X)                                                                                     \
	X(PHASE, "phase", 12, 30, LEFT, 0, PHASES, cell_phase(p->phase))                                     \
	X(SELF, "self", 8, 8, RIGHT, 0, FIXED, cell_duration(p->self))                                       \
	X(SHARE, "of GC", 6, 6, RIGHT, 2, FIXED, cell_value(UNIT_SHARE, figure_phase_share(list->d, p)))     \
	X(TOTAL, "total", 8, 8, RIGHT, 1, FIXED, cell_duration(p->total))                                    \
	X(COUNT, "count", 7, 7, RIGHT, 3, FIXED, cell_count(p->count))                                       \
	X(MAX, "max", 8, 8, RIGHT, 1, FIXED, cell_duration(p->max))

TABLE_LIST(PHASE_COLUMNS, phase_columns, PHASE_COLUMN_COUNT);

/* The phases of a domain that have ended at least once. */
struct phase_list {
	const struct model_domain *d;
	const struct model_phase *phases[PHASES_MOST];
};

static struct tabular_cell phase_cell(const void *of, int row, int column)
{
	const struct phase_list *list = of;
	const struct model_phase *p = list->phases[row];

	TABLE_RETURN(PHASE_COLUMNS);
}

void pane_phases_draw(const struct model_domain *d, struct canvas *canvas, struct rect area)
{
	struct phase_list list = {.d = d};
	int count = 0;

	for (size_t i = 0; i < d->phase_count && count < PHASES_MOST; i++)
		if (d->phases[i].count != 0)
			list.phases[count++] = &d->phases[i];
	qsort(list.phases, (size_t)count, sizeof(list.phases[0]), by_self);
	tabular_rows(phase_columns, PHASE_COLUMN_COUNT, count, phase_cell, &list, canvas, area);
}

void pane_extras_draw(struct ui *ui, const struct subject *subject, const struct model_domain *domain,
    struct canvas *canvas, const struct layout_pane *pane)
{
	for (int e = 0; e < LAYOUT_EXTRA_COUNT; e++) {
		struct rect area = pane->extras[e];
		const struct worst worst = {subject, watch_longest_pauses(subject->watch, domain->domain)};
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
			tabular_rows(worst_columns, COLUMNS, worst.list != NULL ? (int)worst.list->count : 0,
			    worst_cell, &worst, canvas, area);
			break;
		case LAYOUT_DISTRIBUTION:
			draw_distribution(ui, domain, canvas, area);
			break;
		case LAYOUT_PHASES:
			pane_phases_draw(domain, canvas, area);
			break;
		default:
			break;
		}
		canvas_unclip(canvas, old);
	}
	draw_strips(subject, domain, canvas, pane);
}
