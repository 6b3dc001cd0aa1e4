/* user.c - view 4: user events of all domains, and the page of an opened span. */
#include "fibers/schedulers.h"
#include "print/number.h"
#include "ui/recent.h"
#include "ui/widgets/plot.h"
#include "canvas/text.h"
#include "ui/views/span_page.h"
#include "ui/views/tabular.h"
#include "ui/widgets/user_text.h"

#define STRIP_COLS 60
#define PREVIEW_LEAST 5 /* rows of the selected span's page below the table: its title and the slowest */

#define USER_COLUMNS(X)                                                                                      \
	X(NAME, "event", 9, 28, LEFT, 0, NAMES, name_cell(slot))                                             \
	X(KIND, "kind", 6, 6, LEFT, 4, FIXED,                                                                \
	    cell_styled(cell_text(user_text_kind(slot->kind)), user_text_style(slot->kind)))                 \
	X(COUNT, "count", 6, 8, RIGHT, 6, FIXED, cell_count(u->count))                                       \
	X(RATE, "rate", 7, 9, RIGHT, 1, FIXED, cell_value(UNIT_RATE, rate))                                  \
	X(LAST, "last", 10, 24, LEFT, 3, FIXED, last_cell(slot->kind, u))                                    \
	X(RANGE, "min to max", 10, 12, LEFT, 5, FIXED,                                                       \
	    slot->kind == MODEL_USER_INT ? range_cell(u) : cell_empty())                                     \
	X(P50, "p50", 7, 8, RIGHT, 2, FIXED, cell_if(span, cell_percentile(&u->spans, 50, 100, lossy(s))))   \
	X(P99, "p99", 7, 8, RIGHT, 1, FIXED, cell_if(span, cell_percentile(&u->spans, 99, 100, lossy(s))))   \
	X(MAX, "max", 7, 8, RIGHT, 5, FIXED, cell_if(span, cell_percentile(&u->spans, 1, 1, lossy(s))))      \
	X(OPEN, "open", 5, 5, RIGHT, 3, FIXED, cell_if(span, cell_count(u->open)))                           \
	X(GC, "GC in it", 9, 9, RIGHT, 2, FIXED, cell_if(span, cell_share(u->gc_ns, u->spans.sum)))          \
	X(STRIP, "rate by second", 14, STRIP_COLS, LEFT, 9, FIXED, cell_empty())                             \
	X(COST, "", 1, 1, RIGHT, 10, FIXED,                                                                  \
	    cell_keyed(cell_empty(), cost_of(u, rate))) /* never shown: the order of the table */

TABLE_LIST(USER_COLUMNS, columns, COLUMNS);

static int items(struct ui *ui, const struct subject *s)
{
	return (int)model_user_slots(watch_model(s->watch));
}

/* Events of a scheduler are shown in the view of fibers. */
static bool hides(struct ui *ui, const struct subject *s, int item)
{
	const struct model *m = watch_model(s->watch);
	const struct model_user *u = NULL;

	for (unsigned d = 0; d < model_domains(m) && (u == NULL || u->count == 0); d++)
		u = model_user(m, d, (size_t)item);
	return !span_page_of(ui)->all && s->fibers != NULL &&
	       schedulers_know(model_user_slot(m, (size_t)item), u);
}

/* Describe the last value of an int or a custom event. */
static struct tabular_cell last_cell(enum model_user_kind kind, const struct model_user *u)
{
	struct tabular_cell cell = cell_empty();

	if (kind == MODEL_USER_CUSTOM)
		user_text_payload(u, cell.text, sizeof(cell.text));
	if (kind != MODEL_USER_INT)
		return cell;
	cell = cell_figure(format_signed(u->last, 12), (double)u->last);
	cell.whole = true;
	return cell;
}

/* Describe the range of an int's values. */
static struct tabular_cell range_cell(const struct model_user *u)
{
	struct tabular_cell cell =
	    cell_said("%s to %s", format_signed(u->min, 12).s, format_signed(u->max, 12).s);

	cell.key = (double)u->max;
	cell.whole = true;
	return cell;
}

/* Return the sort key of the table: for spans p99 times rate, the time per second that the slowest of them
 * take; other events follow, by rate. */
static double cost_of(const struct model_user *u, double rate)
{
	if (isnan(rate))
		return NAN;
	return u->spans.count > 0 ? rate * (double)hist_percentile(&u->spans, 99, 100) : -1 / (1 + rate);
}

static struct tabular_cell name_cell(const struct model_user_slot *slot)
{
	struct tabular_cell cell = cell_empty();

	user_text_name(slot, cell.text, sizeof(cell.text));
	return cell;
}

static bool lossy(const struct subject *s)
{
	return model_totals(watch_model(s->watch)).lost_words != 0;
}

/* Make a cell of an event from its totals of all domains. */
static struct tabular_cell cell_of(const struct subject *s, int item, int column,
    const struct model_user_slot *slot, const struct model_user *u)
{
	const bool span = slot->kind == MODEL_USER_SPAN;
	const double rate = column == COLUMN_RATE || column == COLUMN_COST
				? lately_user_rate(subject_lately(s), WATCH_ALL, (size_t)item, RECENT_RATE_NS)
				: NAN;

	TABLE_RETURN(USER_COLUMNS);
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct model *m = watch_model(s->watch);
	struct model_user total = {0};

	/* The totals of all domains cost time. */
	if (column != COLUMN_NAME && column != COLUMN_KIND && column != COLUMN_RATE &&
	    (column == COLUMN_STRIP || !model_user_total(m, (size_t)item, &total)))
		return cell_empty();
	const struct tabular_cell cell = cell_of(s, item, column, model_user_slot(m, (size_t)item), &total);
	hist_fini(&total.spans);
	return cell;
}

/* Draw the rate of an event over the last seconds. */
static void plot(struct ui *ui, const struct subject *s, int item, struct canvas *canvas, struct rect cell)
{
	const struct recent_chart chart = {
	    .kind = RECENT_USER_EVENTS, .of = (size_t)item, .domain = WATCH_ALL};

	recent_spark(s, &chart, 0, 1, canvas, cell, STYLE_SPARK);
}

static const struct tabular users = {TABULAR_COLUMNS(columns), .steady = true, .sort = COLUMN_COST,
    .empty = "the program has written no event of its own", .items = items, .hides = hides, .cell = cell,
    .plot = plot, .plot_column = COLUMN_STRIP};

/* Return the page's slot; model_user_slots: it does not exist yet. */
static size_t page_slot(const struct ui *ui, const struct model *m)
{
	const struct span_page *page = span_page_of(ui);
	size_t slot = 0;

	for (; slot < model_user_slots(m); slot++) {
		const struct model_user_slot *what = model_user_slot(m, slot);
		if (what->kind == MODEL_USER_SPAN && what->name_len == page->name_len &&
		    memcmp(what->name, page->name, page->name_len) == 0)
			break;
	}
	return slot;
}

/* Data of the page. */
struct facts {
	struct span_page_facts page;
	struct model_user total; /* freed by facts_fini */
	char name[RTEV_USER_NAME_SIZE + 16];
};

static void facts_fini(struct facts *f)
{
	hist_fini(&f->total.spans);
}

/* Gather the data of a span name; `slot` is model_user_slots if it does not exist yet. */
static void facts_init(
    const struct subject *s, const struct model_user_slot *named, size_t slot, struct facts *f)
{
	const struct model *m = watch_model(s->watch);

	*f = (struct facts){0};
	user_text_name(named, f->name, sizeof(f->name));
	if (slot < model_user_slots(m) && !model_user_total(m, slot, &f->total))
		f->total = (struct model_user){0};
	f->page = (struct span_page_facts){.name = f->name,
	    .style = STYLE_USER_SPAN,
	    .user = true,
	    .spans = &f->total.spans,
	    .count = f->total.count,
	    .total = f->total.spans.sum,
	    .gc_ns = f->total.gc_ns,
	    .open = f->total.open,
	    .longest = longest_of(watch_longest(s->watch), slot),
	    .empty = f->total.count == 0 ? "none of these spans has ended yet"
					 : "the longest are not kept: there are too many names"};
}

/* Gather the data of the open page. */
static void facts_of_page(const struct ui *ui, const struct subject *s, struct facts *f)
{
	const struct model_user_slot named = {.name = span_page_of(ui)->name,
	    .name_len = (uint16_t)span_page_of(ui)->name_len,
	    .kind = MODEL_USER_SPAN};

	facts_init(s, &named, page_slot(ui, watch_model(s->watch)), f);
}

/* Draw the rate of an event over the last minutes, from 0 to the largest, above a time scale. */
static void draw_rate(
    const struct subject *s, size_t item, const char *name, struct canvas *canvas, struct rect area)
{
	enum { SCALE = 22 };
	const struct recent_chart chart = {"max", UNIT_RATE, RECENT_USER_EVENTS, item, WATCH_ALL};
	const struct line_item title_items[] = {
	    line_value(name, STYLE_TITLE, 0), line_label("rate over the last minutes", STYLE_LABEL, 1)};

	line_draw(canvas, rect_cut_top(&area, 1), 3, title_items, 2);
	recent_strips(s, &chart, 1, SCALE, canvas, area);
}

/* Draw a preview of the selected event below the table: the page of a span, the rate of others. */
static void draw_preview(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area)
{
	int item = tabular_selected(ui);
	const struct model_user_slot *slot =
	    item >= 0 ? model_user_slot(watch_model(s->watch), (size_t)item) : NULL;
	struct facts facts;

	if (slot == NULL)
		return;
	if (slot->kind != MODEL_USER_SPAN) {
		char name[RTEV_USER_NAME_SIZE + 16], shown[TEXT_NAME];
		user_text_name(slot, name, sizeof(name));
		draw_rate(s, (size_t)item,
		    text_elide(canvas_level(canvas), name, area.cols, shown, sizeof(shown)), canvas, area);
		return;
	}
	facts_init(s, slot, (size_t)item, &facts);
	span_page_draw(ui, s, span_page_of(ui), &facts.page, false, canvas, area);
	facts_fini(&facts);
}

static void draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body)
{
	struct facts facts;

	if (!span_page_of(ui)->on) {
		struct tabular table = users;
		struct rect below = body;
		int rows = 1;
		if (subject->fibers != NULL)
			table.empty = "no event of the program's own: f shows its scheduler, e lists "
				      "the scheduler's events";
		for (int i = 0; i < items(ui, subject); i++)
			rows += !hides(ui, subject, i);
		if (rows > 1 && body.rows - rows - 1 >= PREVIEW_LEAST) {
			rect_cut_top(&below, rows + 1);
			body.rows = rows;
		} else {
			below.rows = 0;
		}
		tabular_draw(ui, subject, &table, canvas, body);
		if (below.rows > 0)
			draw_preview(ui, subject, canvas, below);
		return;
	}
	facts_of_page(ui, subject, &facts);
	span_page_draw(ui, subject, span_page_of(ui), &facts.page, true, canvas, body);
	facts_fini(&facts);
}

/* Open the selected span. */
static unsigned open_span(struct ui *ui, const struct subject *s)
{
	struct span_page *page = span_page_of(ui);
	int item = tabular_item(ui, s, &users);
	const struct model_user_slot *slot =
	    item >= 0 ? model_user_slot(watch_model(s->watch), (size_t)item) : NULL;

	if (slot == NULL)
		return UI_NOTHING;
	if (slot->kind != MODEL_USER_SPAN) {
		ui->why = "only a span has a page: how long it took, and the worst";
		return UI_DIRTY;
	}
	page->name_len = slot->name_len < sizeof(page->name) ? slot->name_len : sizeof(page->name) - 1;
	memcpy(page->name, slot->name, page->name_len);
	span_page_open(ui, page);
	return UI_DIRTY | UI_RELAYOUT;
}

/* Enter opens a span. */
static unsigned act(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	struct facts facts;

	if (action == ACTION_SCHEDULER)
		return ui_toggle(&span_page_of(ui)->all);
	if (!span_page_of(ui)->on)
		return action == ACTION_OPEN ? open_span(ui, subject)
					     : tabular_act(ui, subject, &users, action);
	facts_of_page(ui, subject, &facts);
	unsigned reactions = span_page_act(ui, subject, span_page_of(ui), &facts.page, action);
	facts_fini(&facts);
	return reactions;
}

const struct view_ops view_user = {
    .table = &users, .size = sizeof(struct span_page), .there = span_page_there, .draw = draw, .act = act};
