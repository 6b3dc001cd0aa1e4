/*
 * stw.c - view 6: who delays stop-the-world sections.
 *
 * Above are the domains: how often each came last at the barrier, by how much, and the cost to the others.
 * Below are the latest stops, or the longest; the cursor goes through both.  In the list it stays on its stop
 * while others are added; the view's filter selects the stops.
 */
#include "ui/recent.h"
#include "ui/widgets/plot.h"
#include "ui/layout.h"
#include "ui/views/tabular.h"
#include "ui/views/why.h"
#include "ui/views/stw.h"
#include "watch/blame.h"

#define LIST_FROM 8  /* least height with a list below the table */
#define LIST_LEAST 4 /* rows of the list, including its title and a blank line */

#define DOMAIN_COLUMNS(X)                                                                                    \
	X(DOMAIN, "domain", 7, 7, LEFT, 0, FIXED, cell_domain(domain))                                       \
	X(LED, "leader", 6, 8, RIGHT, 3, FIXED, cell_count(d->led))                                          \
	X(JOINED, "stops", 6, 8, RIGHT, 4, FIXED, cell_count(d->joined))                                     \
	X(LAST, "last to arrive", 14, 14, RIGHT, 0, FIXED,                                                   \
	    cell_keyed(cell_said("%s %s", format_count(d->last).s, format_share(d->last, d->joined).s),      \
		(double)d->last))                                                                            \
	X(MEDIAN, "late p50", 9, 9, RIGHT, 1, FIXED, cell_percentile(&d->lateness, 50, 100, false))          \
	X(P99, "late p99", 9, 9, RIGHT, 3, FIXED, cell_percentile(&d->lateness, 99, 100, false))             \
	X(MAX, "late max", 9, 9, RIGHT, 2, FIXED, cell_percentile(&d->lateness, 1, 1, false))                \
	X(CAUSED, "others waited", 14, 14, RIGHT, 1, FIXED, cell_duration(d->caused))                        \
	X(WAITED, "waited for others", 17, 17, RIGHT, 5, FIXED, cell_duration(d->waited))

TABLE_LIST(DOMAIN_COLUMNS, columns, COLUMNS);

/* Return the domain of an item: the n-th that took part in a stop. */
static const struct stw_domain *domain_of(const struct subject *s, int item, unsigned *domain)
{
	const struct stw *stw = watch_stw(s->watch);

	for (unsigned i = 0; i < stw_domain_limit(stw); i++) {
		const struct stw_domain *d = stw_domain(stw, i);
		if (d != NULL && item-- == 0) {
			*domain = i;
			return d;
		}
	}
	return NULL;
}

static int items(struct ui *ui, const struct subject *s)
{
	const struct stw *stw = watch_stw(s->watch);
	int count = 0;

	for (unsigned i = 0; i < stw_domain_limit(stw); i++)
		count += stw_domain(stw, i) != NULL;
	return count;
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	unsigned domain = 0;
	const struct stw_domain *d = domain_of(s, item, &domain);

	if (d == NULL)
		return cell_empty();
	TABLE_RETURN(DOMAIN_COLUMNS);
}

static const struct tabular domains = {TABULAR_COLUMNS(columns), .steady = true, .sort = COLUMN_CAUSED,
    .item_name = "domain", .empty = "no stop in which domains waited for each other", .items = items,
    .cell = cell};

/* ---- the list of stops ---- */

#define STOP_COLUMNS(X)                                                                                      \
	X(WHEN, "before now", 11, 11, RIGHT, 0, FIXED, cell_since(s, stop->begin))                           \
	X(DURATION, "whole stop", 11, 11, RIGHT, 1, FIXED, cell_duration(stop->duration))                    \
	X(WORK, "for", 6, 10, LEFT, 1, FIXED, cell_text(stw_work_name(stop->work)))                          \
	X(LEADER, "leader", 6, 6, LEFT, 1, FIXED, cell_domain(stop->leader))                                 \
	X(ARRIVED, "last", 5, 6, LEFT, 0, FIXED, cell_if(blamed, cell_domain(stop->last)))                   \
	X(LATE, "late", 7, 8, RIGHT, 0, FIXED,                                                               \
	    cell_figure(format_if(blamed, format_duration(stop->lateness)), NAN))                            \
	X(WAIT, "others waited", 13, 13, RIGHT, 3, FIXED, cell_figure(wait_text(stop), NAN))                 \
	X(COUNT, "domains", 7, 7, RIGHT, 4, FIXED, cell_count(stop->count))                                  \
	X(DOING, "which was in", 12, 40, LEFT, 2, PHASES, doing_cell(s, stop))

TABLE_LIST(STOP_COLUMNS, stop_columns, STOPS);

/* The stops listed: how many, and the one at an index. */
static int stops(struct ui *ui, const struct subject *s)
{
	const struct stw *stw = watch_stw(s->watch);

	return (int)(stops_own(ui)->longest ? stw_longest_count(stw) : stw_recent_count(stw));
}

static const struct stw_stop *stop_at(const struct ui *ui, const struct subject *s, int item)
{
	const struct stw *stw = watch_stw(s->watch);

	return stops_own(ui)->longest ? stw_longest(stw, (size_t)item) : stw_recent(stw, (size_t)item);
}

/* Return whether it is known which domain came last to a stop. */
static bool is_blamed(const struct stw_stop *stop)
{
	return stop->kind == STW_SYNC && !stop->partial;
}

/* Return how long the others waited in a stop, or why that is not known. */
static struct formatted wait_text(const struct stw_stop *stop)
{
	if (is_blamed(stop))
		return format_duration(stop->wait);
	return stop->kind == STW_SOLO	 ? (struct formatted){.s = "alone"}
	       : stop->kind == STW_ASYNC ? (struct formatted){.s = "no barrier"}
					 : (struct formatted){.s = "not all seen"};
}

static struct tabular_cell doing_cell(const struct subject *s, const struct stw_stop *stop)
{
	struct tabular_cell cell = cell_empty();

	if (is_blamed(stop))
		blame_doing(&stop->doing, watch_model(s->watch), cell.text, sizeof(cell.text));
	return cell;
}

static struct tabular_cell stop_cell_of(const struct subject *s, const struct stw_stop *stop, int column)
{
	const bool blamed = is_blamed(stop);

	TABLE_RETURN(STOP_COLUMNS);
}

static struct tabular_cell stop_cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct stw_stop *stop = stop_at(ui, s, item);
	struct tabular_cell cell = stop_cell_of(s, stop, column);

	cell.style = is_blamed(stop) ? STYLE_TEXT : STYLE_MUTED;
	cell.whole = column != COLUMN_DOING;
	return cell;
}

static int64_t stop_identity(struct ui *ui, const struct subject *s, int item)
{
	return (int64_t)stop_at(ui, s, item)->begin;
}

/* Whether the cursor is in the list; it stays there while a low page shows only the table. */
static bool in_list(const struct ui *ui)
{
	return stops_own(ui)->on && stops_own(ui)->shown;
}

/* Return the position in the list, with the filter of the view. */
static struct view_place *list_place(struct ui *ui)
{
	struct view_place *place = &stops_own(ui)->place;

	memcpy(place->filter, ui->places[VIEW_STW].filter, sizeof(place->filter));
	return place;
}

/* Return the table of the list.  For stops of a single domain only the first columns are meaningful. */
static struct tabular list_of(const struct ui *ui)
{
	return (struct tabular){.columns = stop_columns,
	    .column_count = stops_own(ui)->alone ? COLUMN_ARRIVED : STOPS,
	    .sort = stops_own(ui)->longest ? COLUMN_DURATION : COLUMN_WHEN,
	    .ascending = !stops_own(ui)->longest,
	    .ordered = true,
	    .follows = true,
	    .steady = true,
	    .no_cursor = !in_list(ui),
	    .item_name = "stop",
	    .empty = "",
	    .place = list_place,
	    .items = stops,
	    .cell = stop_cell,
	    .identity = stop_identity};
}

/* Handle an action in the list. */
static unsigned list_act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	const struct tabular list = list_of(ui);

	return tabular_act(ui, s, &list, action);
}

static void list_draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area)
{
	const struct tabular list = list_of(ui);

	stops_own(ui)->place.identified = stops_own(ui)->place.identified && in_list(ui);
	tabular_draw(ui, s, &list, canvas, area);
}

/* Put the cursor into the list, on its first line. */
static void list_enter(struct ui *ui)
{
	stops_own(ui)->on = true;
	stops_own(ui)->place.identified = false;
	list_select(&stops_own(ui)->place.list, 0);
}

/* Open the moment of a stop. */
static unsigned open_stop(struct ui *ui, const struct subject *s, const struct stw_stop *stop)
{
	if (stop == NULL)
		return UI_NOTHING;
	const struct formatted duration = format_duration(stop->duration);
	const struct moment_mark mark = {.domain = is_blamed(stop) ? stop->last : stop->leader,
	    .from = stop->begin,
	    .to = stop->begin + stop->duration};
	return is_blamed(stop)
		   ? moment_open_as(ui, s, mark, VIEW_STW, "%s stop %s, D%u late by %s",
			 stw_work_name(stop->work), duration.s, stop->last, format_duration(stop->lateness).s)
		   : moment_open_as(ui, s, mark, VIEW_STW, "%s stop %s, led by D%u",
			 stw_work_name(stop->work), duration.s, stop->leader);
}

/* Go to the next or previous stop in the list that contains the searched text.  Matches are not marked in the
 * list. */
static unsigned list_search(struct ui *ui, const struct subject *s, enum ui_action action)
{
	struct view_place *place = &stops_own(ui)->place;

	memcpy(place->search, ui_place(ui)->search, sizeof(place->search));
	unsigned reactions = list_act(ui, s, action);
	place->search[0] = '\0';
	return reactions | UI_DIRTY;
}

/* ---- the view ---- */

/* Return the number of stops, and since when they are counted. */
static struct line_item count_item(const struct subject *s, const struct stw_totals *t, const char *label)
{
	return line_said(label, 0, "%s %s", format_count(t->stops).s, recent_since_words(s).s);
}

/* Draw the sums into one line. */
static void draw_totals(
    const struct subject *s, const struct stw_totals *t, struct canvas *canvas, struct rect line)
{
	const struct line_item line_items[] = {count_item(s, t, "stops"),
	    line_figure("with a barrier", format_count(t->kinds[STW_SYNC]), 6),
	    line_figure("last arrival p50", distribution_percentile(&t->lateness, 50, 100, false), 5),
	    line_figure("p99", distribution_percentile(&t->lateness, 99, 100, false), 4),
	    line_figure("max", distribution_percentile(&t->lateness, 1, 1, false), 3),
	    line_figure("waited in all", format_duration(t->wait), 2)};

	line_draw(canvas, line, 3, line_items, 6);
}

/* Whether a single domain led all stops without others. */
static bool is_alone(const struct stw_totals *t)
{
	return t->kinds[STW_SOLO] > 0 && t->kinds[STW_SYNC] == 0 && t->kinds[STW_ASYNC] == 0 &&
	       t->partial == 0;
}

/* Say so, since a table of waits would be empty. */
static void draw_alone(
    const struct subject *s, const struct stw_totals *t, struct canvas *canvas, struct rect line)
{
	const struct line_item items[] = {count_item(s, t, "stops of a single domain"),
	    line_figure("longest", format_duration(t->durations.max), 2),
	    line_label("no other was stopped or waited", STYLE_LABEL, 1)};

	line_draw(canvas, line, 3, items, 3);
}

/* Return the stop in which the others waited longest for a domain, preferring stops whose events are still
 * kept.  NULL when the domain never came last. */
static const struct stw_stop *worst_of(const struct subject *s, unsigned domain, uint64_t kept)
{
	const struct stw *stw = watch_stw(s->watch);
	const struct stw_stop *best = NULL;

	for (size_t i = 0; i < stw_recent_count(stw); i++) {
		const struct stw_stop *stop = stw_recent(stw, i);
		if (stop->kind != STW_SYNC || stop->partial || stop->last != domain)
			continue;
		bool whole = stop->begin >= kept, best_whole = best != NULL && best->begin >= kept;
		if (best == NULL || whole > best_whole || (whole == best_whole && stop->wait > best->wait))
			best = stop;
	}
	return best;
}

/* Return the stop under the cursor; for a domain, the worst recent one in which it came last.  NULL: there is
 * none. */
static const struct stw_stop *selected_stop(struct ui *ui, const struct subject *s)
{
	const struct tabular list = list_of(ui);
	unsigned domain = 0;

	if (in_list(ui)) {
		int item = tabular_item(ui, s, &list);
		return item >= 0 ? stop_at(ui, s, item) : NULL;
	}
	if (domain_of(s, tabular_item(ui, s, &domains), &domain) == NULL)
		return NULL;
	const struct history_range range = history_range(watch_history(s->watch));
	return worst_of(s, domain, range.from);
}

/* ---- the page ---- */

static void draw_sums(void *page, struct canvas *canvas, struct rect line)
{
	const struct page *p = page;

	if (stops_own(p->ui)->alone)
		draw_alone(p->s, p->of, canvas, line);
	else
		draw_totals(p->s, p->of, canvas, line);
}

static void draw_domains(void *page, struct canvas *canvas, struct rect area)
{
	const struct page *p = page;
	struct tabular table = domains;

	table.no_cursor = in_list(p->ui);
	tabular_draw(p->ui, p->s, &table, canvas, area);
}

static void draw_list(void *page, struct canvas *canvas, struct rect area)
{
	const struct page *p = page;

	if (!stops_own(p->ui)->alone)
		rect_cut_top(&area, 1);
	list_draw(p->ui, p->s, canvas, area);
}

/* Explain the time of the domain that waited longest in the stop that Enter opens; if that domain had nothing to do,
 * as one that only joins others, or the last one had no processor for most of the time until it came, that time. */
static struct why selected_why(struct ui *ui, const struct subject *s)
{
	const struct stw_stop *stop = selected_stop(ui, s);
	struct blame blame;
	struct why why;

	if (stop == NULL)
		return (struct why){0};
	const bool blamed = blame_stop(watch_stw(s->watch), stop, &blame);
	why = why_read(ui, s, blamed ? blame.domain : stop->leader, stop->begin, stop->begin + stop->duration,
	    blamed ? &blame : NULL, MODEL_NO_USER);
	if (!blamed)
		return why;
	const struct why late =
	    why_read(ui, s, stop->last, stop->begin, stop->begin + stop->lateness, NULL, MODEL_NO_USER);
	const bool starved = 2 * late.split.ns[SPLIT_STARVED] >= late.split.of,
		   waited = 2 * why.split.ns[SPLIT_OTHERS] >= why.split.of,
		   waits = 2 * late.split.ns[SPLIT_OTHERS] >= late.split.of;
	/* A leader may be the last because it waited for others itself. */
	if (!starved && (waited || waits))
		return why;
	why = late;
	snprintf(why.likely, sizeof(why.likely), "D%u came %s late: %.*s", stop->last,
	    format_duration(stop->lateness).s, (int)sizeof(why.likely) - 48, late.likely);
	return why;
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	struct page page = {.ui = ui, .s = s, .of = stw_totals(watch_stw(s->watch))};
	const bool alone = is_alone(page.of), low = body.rows <= LIST_FROM;
	const int table = items(ui, s) + 1, half = body.rows / 2, listed = alone ? 1 : low ? 0 : LIST_LEAST;

	stops_own(ui)->alone = alone;
	stops_own(ui)->shown = alone || !low;
	stops_own(ui)->on = stops_own(ui)->on || alone;
	if (!low)
		page.why = selected_why(ui, s);
	const struct layout_section sections[] = {
	    {.tier = 1, .least = 1, .wish = 1, .most = 1, .draw = draw_sums},
	    {1, 0, alone ? 0 : 2, table < half || low ? table : half, table, draw_domains},
	    {2, 4, listed, LAYOUT_MOST, LAYOUT_MOST, draw_list},
	    WHY_SECTION(3, page.why, body.cols),
	};

	layout_page(&page, sections, sizeof(sections) / sizeof(sections[0]), canvas, body);
}

/* Whether a move leads from the last line of the table into the list. */
static bool leads_down(struct ui *ui, enum ui_action action)
{
	const struct list *list = &ui_place(ui)->list;
	bool last = list->selected + 1 >= list->count;

	return stops_own(ui)->shown &&
	       (action == ACTION_END || ((action == ACTION_DOWN || action == ACTION_PAGE_DOWN) && last));
}

/* Handle a move in the list; the cursor leaves it at the top. */
static unsigned move_in_list(struct ui *ui, const struct subject *s, enum ui_action action)
{
	bool up = action == ACTION_UP || action == ACTION_PAGE_UP;

	if (action != ACTION_HOME && (list_act(ui, s, action) != UI_NOTHING || !up))
		return UI_DIRTY;
	list_enter(ui);
	stops_own(ui)->on = stops_own(ui)->alone;
	if (action == ACTION_HOME && !in_list(ui))
		tabular_act(ui, s, &domains, ACTION_HOME);
	return UI_DIRTY;
}

static bool is_move(enum ui_action action)
{
	return action == ACTION_UP || action == ACTION_DOWN || action == ACTION_PAGE_UP ||
	       action == ACTION_PAGE_DOWN || action == ACTION_HOME || action == ACTION_END;
}

static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	if (action == ACTION_OPEN)
		return open_stop(ui, s, selected_stop(ui, s));
	if (action == ACTION_STOPS_ORDER) {
		stops_own(ui)->longest = !stops_own(ui)->longest;
		if (stops_own(ui)->shown)
			list_enter(ui);
		return UI_DIRTY;
	}
	if (in_list(ui) && action == ACTION_COPY)
		return list_act(ui, s, action);
	if (in_list(ui) && is_move(action))
		return move_in_list(ui, s, action);
	if (!in_list(ui) && leads_down(ui, action)) {
		list_enter(ui);
		if (action == ACTION_END)
			list_act(ui, s, ACTION_END);
		return UI_DIRTY;
	}
	bool searches = action == ACTION_SEARCH_NEXT || action == ACTION_SEARCH_BACK;
	if (in_list(ui) && searches && ui_place(ui)->search[0] != '\0')
		return list_search(ui, s, action);
	unsigned reactions = tabular_act(ui, s, &domains, action);
	if (action != ACTION_BACK || reactions != UI_NOTHING || !in_list(ui) || stops_own(ui)->alone)
		return reactions;
	stops_own(ui)->on = false;
	return UI_DIRTY;
}

static void init(void *own)
{
	((struct stops_place *)own)->place.sort = -1;
}

const struct view_ops view_stw = {
    .table = &domains, .size = sizeof(struct stops_place), .init = init, .draw = draw, .act = act};
