/* domains.c - view 2: a table of domains with the kernel's figures for their threads, sortable as in top,
 * above what the selected one does and a table of the threads that run no domain. */
#include "canvas/text.h"
#include "core/event.h"
#include "ui/recent.h"
#include "ui/state.h"
#include "ui/views/pane.h"
#include "ui/views/tabular.h"
#include "ui/views/why.h"
#include "print/number.h"
#include "ui/widgets/plot.h"

#define THREAD_COLUMNS(X)                                                                                    \
	X(TID, "thread", 8, 8, LEFT, 0, FIXED, cell_said("%d", use->tid))                                    \
	X(NAME, "name", 15, 15, LEFT, 0, FIXED, cell_said("%.*s", SYSTEM_COMM_SIZE, use->comm))              \
	X(STATUS, "state", 5, 5, LEFT, 0, FIXED, cell_styled(cell_said("%c", use->state), STYLE_MUTED))      \
	X(USES, "cpu", 6, 6, RIGHT, 0, FIXED, cell_value(UNIT_SHARE, use->cpu))                              \
	X(WAITS, "waits for a CPU", 15, 15, RIGHT, 0, FIXED, cell_value(UNIT_SHARE, use->wait))

TABLE_LIST(THREAD_COLUMNS, thread_columns, THREAD_COLUMN_COUNT);

static struct tabular_cell thread_cell(const void *of, int row, int column)
{
	const struct system_use *use = &((const struct system_use *)of)[row];

	TABLE_RETURN(THREAD_COLUMNS);
}

/* Draw the threads of the process that run no domain, as many as fit, sorted by their time in the last
 * second; all threads if it is not known which run a domain; nothing without a sample.  Returns the rest. */
static struct rect draw_threads(const struct subject *s, struct canvas *canvas, struct rect area)
{
	struct system_use uses[SYSTEM_THREADS];
	size_t count = system_past_threads(watch_system(s->watch), uses, SYSTEM_THREADS), others = 0;
	const char *title = "Threads of the process; which domain runs on which is not told";

	for (size_t i = 0; i < count; i++)
		if (uses[i].runs == 0)
			uses[others++] = uses[i];
	if (others < count)
		title = "Threads of the process that run no domain";
	if (others == 0)
		return area;
	struct rect head = rect_cut_top(&area, 1);
	canvas_put_fit(canvas, head, ALIGN_LEFT, STYLE_TITLE,
	    s->state == SUBJECT_EXITED ? "Threads of the process, as they were last seen" : title);
	tabular_rows(thread_columns, THREAD_COLUMN_COUNT, (int)others, thread_cell, uses, canvas, area);
	rect_cut_top(&area, (int)others + 2);
	return area;
}

/* ---- domains ---- */

#define THREADS_LEAST 4	   /* a table of threads with fewer rows is not drawn */
#define EXPLAINED_LEAST 10 /* rows below the table from which on the selected domain is explained */
#define PHASES_LEAST 4

#define DOMAIN_COLUMNS(X)                                                                                    \
	X(DOMAIN, "domain", 7, 7, LEFT, 0, FIXED, cell_domain(d->domain))                                    \
	X(STATE, "doing", 12, 26, LEFT, 3, FIXED, state_cell(s, d))                                          \
	X(CPU, "cpu", 7, 7, RIGHT, 1, FIXED,                                                                 \
	    has ? cell_keyed(cell_said("%c %5s", use.state, format_percent(use.cpu).s), use.cpu)             \
		: cell_unknown())                                                                            \
	X(QUEUE, "queue", 5, 6, RIGHT, 4, FIXED, has ? cell_value(UNIT_SHARE, use.wait) : cell_unknown())    \
	X(GC, "GC", 5, 6, RIGHT, 0, FIXED, judged(cell_value(UNIT_SHARE, gc.gc), LIMIT_GC, gc.gc))           \
	X(WORK, "work", 5, 6, RIGHT, 11, FIXED,                                                              \
	    cell_figure(format_gc(gc.gc, gc.wait).work, gc.gc - gc.wait))                                    \
	X(WAIT, "wait", 5, 6, RIGHT, 3, FIXED, cell_figure(format_gc(gc.gc, gc.wait).waiting, gc.wait))      \
	X(MINORS, "minor", 7, 8, RIGHT, 1, FIXED,                                                            \
	    cell_if(pane_counts(s, d), rate_cell(s, d->domain, WATCH_MINORS, UNIT_RATE)))                    \
	X(YOUNG, "young", 6, 6, RIGHT, 1, FIXED,                                                             \
	    cell_if(pane_counts(s, d), cell_value(UNIT_SHARE, figure_share(d->minor_used, d->minor_heap))))  \
	X(HEAP, "heap", 7, 8, RIGHT, 2, FIXED,                                                               \
	    cell_if(pane_counts(s, d), cell_value(UNIT_WORDS, d->heap.values[HEAP_SIZE])))                   \
	X(PAUSES, "pauses", 7, 8, RIGHT, 7, FIXED, cell_count(d->pauses.count))                              \
	X(P50, "p50", 7, 8, RIGHT, 5, FIXED, cell_percentile(&d->pauses, 50, 100, lossy))                    \
	X(P99, "p99", 7, 8, RIGHT, 1, FIXED, cell_percentile(&d->pauses, 99, 100, lossy))                    \
	X(MAX, "max", 7, 8, RIGHT, 2, FIXED,                                                                 \
	    judged(cell_percentile(&d->pauses, 1, 1, lossy), LIMIT_PAUSE, hist_figure(&d->pauses, 1, 1)))    \
	X(EVENTS, "events", 8, 9, RIGHT, 6, FIXED, rate_cell(s, d->domain, WATCH_EVENTS, UNIT_RATE))         \
	X(ALLOC, "alloc", 8, 10, RIGHT, 3, FIXED, rate_cell(s, d->domain, WATCH_ALLOCATED, UNIT_BYTE_RATE))  \
	X(PROMOTED, "promoted", 9, 10, RIGHT, 8, FIXED,                                                      \
	    rate_cell(s, d->domain, WATCH_PROMOTED, UNIT_BYTE_RATE))                                         \
	X(LATE, "late", 5, 6, RIGHT, 9, FIXED,                                                               \
	    stw != NULL ? cell_share(stw->last, stw->joined) : cell_unknown())                               \
	X(LAG, "lag", 5, 7, RIGHT, 10, FIXED,                                                                \
	    d->domain < s->unread_count ? cell_count(s->unread[d->domain]) : cell_unknown())                 \
	X(LOST, "lost", 5, 7, RIGHT, 2, FIXED,                                                               \
	    judged(cell_count(d->lost_words), LIMIT_LOST,                                                    \
		figure_share(lost, lost + 2 * (double)d->events)) /* an event is two words or more */)       \
	X(THREAD, "thread", 7, 7, RIGHT, 12, FIXED,                                                          \
	    has ? cell_keyed(cell_said("%d", use.tid), use.tid) : cell_unknown())

TABLE_LIST(DOMAIN_COLUMNS, columns, COLUMNS);

/* Return the domain of an item: the n-th that has been seen. */
static const struct model_domain *domain_of(const struct subject *s, int item)
{
	MODEL_FOREACH (d, watch_model(s->watch))
		if (d->seen && item-- == 0)
			return d;
	return NULL;
}

static int items(struct ui *ui, const struct subject *s)
{
	int count = 0;

	MODEL_FOREACH (d, watch_model(s->watch))
		count += d->seen;
	return count;
}

static struct tabular_cell rate_cell(
    const struct subject *s, unsigned domain, enum watch_measure measure, enum unit unit)
{
	return cell_value(unit, lately_rate(subject_lately(s), domain, measure, RECENT_RATE_NS));
}

/* Get the activity of a domain's thread.  If memory does not show which thread that is, it is known only with
 * one domain and one thread. */
static bool domain_use(const struct subject *s, const struct model_domain *d, struct system_use *use)
{
	const struct system_past *past = watch_system(s->watch);
	uint64_t threads;

	if (system_past_domain(past, d->domain, use))
		return true;
	const struct model_totals t = model_totals(watch_model(s->watch));
	return t.domains == 1 && d->spawns == 0 && d->domain == 0 &&
	       system_past_total(past, SYSTEM_THREAD_COUNT, &threads) && threads == 1 &&
	       system_past_threads(past, use, 1) == 1;
}

/* Return whether a column is known from events only. */
static bool is_of_events(int column)
{
	return column != COLUMN_DOMAIN && column != COLUMN_STATE && column != COLUMN_CPU &&
	       column != COLUMN_QUEUE && column != COLUMN_THREAD && column != COLUMN_ALLOC &&
	       column != COLUMN_PROMOTED && column != COLUMN_MINORS && column != COLUMN_YOUNG &&
	       column != COLUMN_HEAP;
}

/* Format what a domain is doing. */
static struct tabular_cell state_cell(const struct subject *s, const struct model_domain *d)
{
	struct doing doing;

	domain_activity(s, d, &doing);
	return cell_styled(cell_said("%s%s%s", doing.text, doing.more[0] != '\0' ? " " : "", doing.more),
	    doing.style != STYLE_MUTED ? doing.style : STYLE_TEXT);
}

/* Colour a figure by its limits; a good figure has the colour of its line. */
static struct tabular_cell judged(struct tabular_cell cell, enum limit limit, double value)
{
	enum limit_level level = limit_level(limit, value);

	return level >= LEVEL_ATTENTION ? cell_styled(cell, recent_style(level)) : cell;
}

/* The kernel's figures are those of the domain's thread; counts from memory are shown while no events arrive. */
static struct tabular_cell cell_of(const struct subject *s, const struct model_domain *d, int column)
{
	const struct stw_domain *stw = stw_domain(watch_stw(s->watch), d->domain);
	const bool lossy = d->lost_words != 0,
		   of_thread = column == COLUMN_CPU || column == COLUMN_QUEUE || column == COLUMN_THREAD;
	const struct figure_gc gc = figure_gc(d);
	const double lost = (double)d->lost_words;
	struct system_use use;
	const bool has = of_thread && d->state != MODEL_DOMAIN_TERMINATED && domain_use(s, d, &use);

	TABLE_RETURN(DOMAIN_COLUMNS);
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct model_domain *d = domain_of(s, item);

	if (d == NULL || (is_of_events(column) && subject_eventless(s)))
		return cell_empty();
	const struct tabular_cell cell = cell_of(s, d, column);
	return d->state == MODEL_DOMAIN_TERMINATED && cell.style == STYLE_TEXT
		   ? cell_styled(cell, STYLE_MUTED)
		   : cell;
}

/* Format a domain's activity for the available columns. */
static void fit(struct ui *ui, const struct subject *s, int item, int column, enum glyph_level level,
    int cols, struct tabular_cell *out)
{
	char text[TABULAR_TEXT];

	if (column != COLUMN_STATE)
		return;
	phase_brief_words(out->text, text, sizeof(text));
	text_elide(level, text, cols, out->text, sizeof(out->text));
}

static const struct tabular domains = {TABULAR_COLUMNS(columns), .steady = true, .sparse = true,
    .sort = COLUMN_DOMAIN, .ascending = true, .empty = "no event yet", .items = items, .cell = cell,
    .fit = fit};

/* Draw how the last seconds of a domain divide, and why.  Returns the rest. */
static struct rect draw_explained(struct ui *ui, const struct subject *s, const struct model_domain *d,
    struct canvas *canvas, struct rect area)
{
	const uint64_t window = s->now > ui->window ? s->now - ui->window : 0,
		       from = window > d->first_ts ? window : d->first_ts;
	struct why why = why_read(ui, s, d->domain, from, s->now, NULL, MODEL_NO_USER);
	const struct line_item title[] = {line_styled(line_said("", 0, "D%u", d->domain), STYLE_TITLE),
	    line_figure("in the last", format_duration(s->now - from), 0)};

	line_draw(canvas, rect_cut_top(&area, 1), 1, title, 2);
	why_draw(&why, canvas, rect_cut_top(&area, why_rows(&why, area.cols)));
	rect_cut_top(&area, 1);
	return area;
}

static void draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body)
{
	const int rows = items(ui, subject) + 2; /* rows of the table, and a blank one */
	struct rect rest = body;

	body.rows = body.rows - rows >= THREADS_LEAST ? rows : body.rows;
	rect_cut_top(&rest, body.rows);
	tabular_draw(ui, subject, &domains, canvas, body);
	const struct model_domain *d = domain_of(subject, tabular_selected(ui));
	const bool explained = d != NULL && rest.rows >= EXPLAINED_LEAST && !subject_eventless(subject) &&
			       d->state != MODEL_DOMAIN_TERMINATED && d->first_ts < subject->now;
	if (explained)
		rest = draw_explained(ui, subject, d, canvas, rest);
	if (rest.rows >= THREADS_LEAST)
		rest = draw_threads(subject, canvas, rest);
	if (explained && rest.rows >= PHASES_LEAST)
		pane_phases_draw(d, canvas, rest);
}

/* Enter shows the domain's pane alone. */
static unsigned act(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	if (action != ACTION_OPEN)
		return tabular_act(ui, subject, &domains, action);
	const struct model_domain *d = domain_of(subject, tabular_selected(ui));
	if (d == NULL)
		return UI_NOTHING;
	ui_open_pane(ui, d->domain);
	return UI_DIRTY | UI_RELAYOUT;
}

const struct view_ops view_domains = {.table = &domains, .draw = draw, .act = act};
