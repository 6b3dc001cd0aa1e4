/* span_page.c - draw the page of a span name and handle its keys. */
#include "ui/views/span_page.h"

#include "canvas/text.h"
#include "ui/layout.h"
#include "ui/views/tabular.h"
#include "ui/views/why.h"
#include "ui/widgets/plot.h"
#include "print/number.h"
#include "ui/widgets/line.h"

#define HISTOGRAM_LEAST 3
#define TITLE_GAP 3

#define SPAN_COLUMNS(X)                                                                                      \
	X(DURATION, "duration", 8, 9, RIGHT, 0, FIXED, cell_duration(duration))                              \
	X(DOMAIN, "domain", 6, 6, LEFT, 1, FIXED, cell_domain(span->domain))                                 \
	X(BEFORE, "before now", 10, 10, RIGHT, 4, FIXED,                                                     \
	    cell_keyed(cell_since(s, span->begin), s->now < span->begin ? item : -(double)span->begin))      \
	X(AT, "began at", 12, 12, LEFT, 5, FIXED,                                                            \
	    cell_keyed(                                                                                      \
		cell_text(subject_clock(s, span->begin, 3, clock) ? clock : ""), (double)span->begin))       \
	X(PART, "GC in it", 8, 8, RIGHT, 0, FIXED, cell_duration(span->part))                                \
	X(SHARE, "share", 6, 6, RIGHT, 2, FIXED, cell_share(span->part, duration))                           \
	X(WAIT, "waited for a CPU", 16, 16, RIGHT, 6, FIXED, wait_cell(s, span))                             \
	X(IN, "longest pause in it", 20, 40, LEFT, 3, PHASES,                                                \
	    ui->view == VIEW_USER ? pause_cell(span) : cell_around(s, span))

TABLE_LIST(SPAN_COLUMNS, columns, COLUMNS);

static int items(struct ui *ui, const struct subject *s)
{
	const struct longest_list *list = span_page_of(ui)->longest;

	return list != NULL ? (int)list->count : 0;
}

/* Format the longest pause in a user span. */
static struct tabular_cell pause_cell(const struct longest_span *span)
{
	char name[RTEV_NAME_SIZE];

	return cell_keyed(span->pause == LONGEST_PAUSE_UNKNOWN ? cell_text(format_unknown().s)
			  : span->pause == LONGEST_PAUSE_NONE
			      ? cell_styled(cell_text("none"), STYLE_MUTED)
			      : cell_styled(cell_said("%s %s", rtev_phase_name(span->pause_phase, name),
						format_duration(span->pause_ns).s),
				    theme_class(rtev_phase_class(span->pause_phase))->ink),
	    (double)span->pause_ns);
}

/* Format an upper bound of the time without a processor; one as long as the span itself is useless. */
static struct tabular_cell wait_cell(const struct subject *s, const struct longest_span *span)
{
	uint64_t wait;

	if (!system_past_waited(watch_system(s->watch), span->begin, span->end, &wait) ||
	    (wait == span->end - span->begin && wait > 0))
		return cell_unknown();
	return wait > 0 ? cell_figure(format_marked("≤", format_duration(wait)), (double)wait)
			: cell_duration(0);
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct longest_list *list = span_page_of(ui)->longest;
	char clock[SUBJECT_CLOCK];

	if (list == NULL || (unsigned)item >= list->count)
		return cell_empty();
	const struct longest_span *span = &list->spans[item];
	const uint64_t duration = span->end - span->begin;
	TABLE_RETURN(SPAN_COLUMNS);
}

/* Return the table of a page; its columns are stored in `shown`. */
static struct tabular table_of(
    const struct ui *ui, const struct span_page_facts *facts, struct table_column shown[COLUMNS])
{
	memcpy(shown, columns, sizeof(columns));
	if (ui->view != VIEW_USER) {
		shown[COLUMN_PART].title = "self";
		shown[COLUMN_IN].title = "user span";
	}
	return (struct tabular){.columns = shown,
	    .column_count = COLUMNS,
	    .sort = -1,
	    .ascending = true,
	    .empty = facts->empty,
	    .items = items,
	    .cell = cell};
}

bool span_page_there(const struct ui *ui, const struct subject *subject, enum ui_action action)
{
	const bool on = span_page_of(ui)->on;

	return action == ACTION_LOG_SCALE ? on
	       : action == ACTION_COPY	  ? !on
					  : action != ACTION_SCHEDULER || subject->fibers != NULL;
}

void span_page_open(struct ui *ui, struct span_page *page)
{
	struct view_place *place = ui_place(ui);

	page->on = true;
	page->outer = *place;
	*place = (struct view_place){.item = -1, .sort = -1};
}

/* Draw the name and the totals of its spans. */
static void draw_title(void *page, struct canvas *canvas, struct rect line)
{
	const struct span_page_facts *f = ((const struct page *)page)->of;
	char name[TEXT_NAME] = "";
	const struct line_item title[] = {line_value(name, f->style, 0),
	    line_figure("total", format_duration(f->total), 2),
	    f->user ? line_said("GC in it", 1, "%s (%s)", format_duration(f->gc_ns).s,
			  format_share(f->gc_ns, f->total).s)
		    : line_figure("self", format_duration(f->self), 1),
	    line_if(f->user, line_figure("open", format_count(f->open), 3))};
	int room = line.cols;

	for (int i = 1; i < 4 && title[i].label != NULL; i++)
		room -= TITLE_GAP + line_width(canvas, &title[i]);
	/* The name may take half of the line. */
	room = room > line.cols / 2 ? room : line.cols / 2;
	text_elide(canvas_level(canvas), f->name, room, name, sizeof(name));
	line_draw(canvas, line, TITLE_GAP, title, 4);
}

static void draw_figures(void *page, struct canvas *canvas, struct rect line)
{
	const struct page *p = page;
	const struct span_page_facts *f = p->of;
	const bool any = f->count != 0;

	if (f->spans != NULL) {
		const struct model_totals t = model_totals(watch_model(p->s->watch));
		distribution_line(f->spans, "spans", "", t.lost_words != 0, canvas, line);
		return;
	}
	const struct line_item figures[] = {line_figure("spans", format_count(f->count), 0),
	    line_figure("mean", format_if(any, format_duration(any ? f->total / f->count : 0)), 2),
	    line_figure("max", format_if(any, format_duration(longest_most(f->longest))), 1)};
	line_draw(canvas, line, 3, figures, 3);
}

static void draw_histogram(void *page, struct canvas *canvas, struct rect area)
{
	const struct page *p = page;

	distribution_draw(((const struct span_page_facts *)p->of)->spans, canvas, area, p->ui->log_scale);
}

/* Return the selected span; NULL: there is none. */
static const struct longest_span *selected(
    struct ui *ui, const struct subject *s, const struct span_page_facts *facts, const struct tabular *table)
{
	const int item = tabular_item(ui, s, table);

	return item >= 0 && facts->longest != NULL && (unsigned)item < facts->longest->count
		   ? &facts->longest->spans[item]
		   : NULL;
}

void span_page_draw(struct ui *ui, const struct subject *subject, struct span_page *page,
    const struct span_page_facts *facts, bool cursor, struct canvas *canvas, struct rect body)
{
	struct table_column shown[COLUMNS];
	struct tabular table = table_of(ui, facts, shown);
	struct page p = {.ui = ui, .s = subject, .table = &table, .of = facts};

	table.no_cursor = !cursor;
	page->longest = facts->longest;
	const struct longest_span *span = cursor ? selected(ui, subject, facts, &table) : NULL;
	if (span != NULL)
		p.why = why_read_pause(ui, subject, span->domain, span->begin, span->end, MODEL_NO_USER);
	const int listed = facts->longest != NULL ? (int)facts->longest->count : 0;
	const int rows = 1 + (listed > 0 ? listed : 1);
	const bool histogram = facts->count > 0 && facts->spans != NULL;
	const struct layout_section sections[] = {
	    {.tier = 1, .least = 1, .wish = 1, .most = 1, .draw = draw_title},
	    {.tier = 1, .least = 1, .wish = 1, .most = 1, .draw = draw_figures},
	    {3, 0, histogram ? HISTOGRAM_LEAST : 0, HISTOGRAM_LEAST, LAYOUT_MOST, draw_histogram},
	    {.tier = 1, .grows = 3, .least = 2, .wish = rows, .most = rows, .draw = page_table_draw},
	    WHY_SECTION(2, p.why, body.cols),
	};

	layout_page(&p, sections, sizeof(sections) / sizeof(sections[0]), canvas, body);
}

unsigned span_page_act(struct ui *ui, const struct subject *subject, struct span_page *page,
    const struct span_page_facts *facts, enum ui_action action)
{
	struct table_column shown[COLUMNS];
	const struct tabular table = table_of(ui, facts, shown);

	page->longest = facts->longest;
	if (action == ACTION_OPEN) {
		/* The moment of the span, across all domains. */
		const struct longest_span *span = selected(ui, subject, facts, &table);
		return span == NULL ? UI_NOTHING
				    : moment_open_span(ui, subject, span->domain, span->begin, span->end,
					  ui->view, facts->name);
	}
	unsigned reactions = tabular_act(ui, subject, &table, action);
	if (action != ACTION_BACK || reactions != UI_NOTHING)
		return reactions;
	page->on = false;
	*ui_place(ui) = page->outer;
	return UI_DIRTY | UI_RELAYOUT;
}
