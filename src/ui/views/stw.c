/*
 * stw.c - view 6: who holds up stop-the-world.
 *
 * Above, the domains: how often each came last at the barrier, by how much, and the cost to the others.
 * Below, the latest stops.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/widgets/format.h"
#include "ui/widgets/line.h"
#include "ui/views/tabular.h"
#include "watch/blame.h"

enum {
	COLUMN_DOMAIN,
	COLUMN_LED,
	COLUMN_JOINED,
	COLUMN_LAST,
	COLUMN_MEDIAN,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMN_CAUSED,
	COLUMN_WAITED,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [COLUMN_DOMAIN] = {"domain", 7, 7, ALIGN_LEFT, 0, TABLE_FIXED},
    [COLUMN_LED] = {"led", 6, 8, ALIGN_RIGHT, 3, TABLE_FIXED},
    [COLUMN_JOINED] = {"stops", 6, 8, ALIGN_RIGHT, 4, TABLE_FIXED},
    [COLUMN_LAST] = {"came last", 10, 12, ALIGN_RIGHT, 0, TABLE_FIXED},
    [COLUMN_MEDIAN] = {"late p50", 9, 9, ALIGN_RIGHT, 1, TABLE_FIXED},
    [COLUMN_P99] = {"late p99", 9, 9, ALIGN_RIGHT, 3, TABLE_FIXED},
    [COLUMN_MAX] = {"late max", 9, 9, ALIGN_RIGHT, 2, TABLE_FIXED},
    [COLUMN_CAUSED] = {"others waited", 14, 14, ALIGN_RIGHT, 1, TABLE_FIXED},
    [COLUMN_WAITED] = {"it waited", 10, 12, ALIGN_RIGHT, 5, TABLE_FIXED},
};

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

	(void)ui;
	for (unsigned i = 0; i < stw_domain_limit(stw); i++)
		count += stw_domain(stw, i) != NULL;
	return count;
}

/* Put a text and its key into a cell. */
static void put(struct tabular_cell *out, struct formatted text, double key)
{
	snprintf(out->text, sizeof(out->text), "%s", text.s);
	out->key = key;
}

/* Format how late a domain came. */
static void put_late(struct tabular_cell *out, const struct stw_domain *d, uint64_t ns)
{
	put(out, d->last != 0 ? format_duration(ns) : format_unknown(), (double)ns);
}

static void cell(struct ui *ui, const struct subject *s, int item, int column, struct tabular_cell *out)
{
	unsigned domain = 0;
	const struct stw_domain *d = domain_of(s, item, &domain);

	(void)ui;
	if (d == NULL)
		return;
	switch (column) {
	case COLUMN_DOMAIN:
		snprintf(out->text, sizeof(out->text), "D%u", domain);
		out->key = domain;
		break;
	case COLUMN_LED:
		put(out, format_count(d->led), (double)d->led);
		break;
	case COLUMN_JOINED:
		put(out, format_count(d->joined), (double)d->joined);
		break;
	case COLUMN_LAST:
		snprintf(out->text, sizeof(out->text), "%s %s", format_count(d->last).s,
		    format_share(d->last, d->joined).s);
		out->key = (double)d->last;
		break;
	case COLUMN_MEDIAN:
		put_late(out, d, hist_percentile(&d->lateness, 50, 100));
		break;
	case COLUMN_P99:
		put_late(out, d, hist_percentile(&d->lateness, 99, 100));
		break;
	case COLUMN_MAX:
		put_late(out, d, d->lateness.max);
		break;
	case COLUMN_CAUSED:
		put(out, format_duration(d->caused), (double)d->caused);
		break;
	default:
		put(out, format_duration(d->waited), (double)d->waited);
		break;
	}
}

static const struct tabular domains = {.columns = columns,
    .column_count = COLUMNS,
    .steady = true,
    .sort = COLUMN_CAUSED,
    .ascending = false,
    .item_name = "domain",
    .empty = "no stop in which domains waited for each other",
    .items = items,
    .cell = cell};

enum {
	STOP_WHEN,
	STOP_DURATION,
	STOP_WORK,
	STOP_LEADER,
	STOP_LAST,
	STOP_LATE,
	STOP_WAIT,
	STOP_COUNT,
	STOP_DOING,
	STOPS
};

static const struct table_column stop_columns[STOPS] = {
    [STOP_WHEN] = {"before now", 11, 11, ALIGN_RIGHT, 0, TABLE_FIXED},
    [STOP_WORK] = {"for", 6, 10, ALIGN_LEFT, 1, TABLE_FIXED},
    [STOP_LEADER] = {"led by", 6, 6, ALIGN_LEFT, 1, TABLE_FIXED},
    [STOP_LAST] = {"last", 5, 6, ALIGN_LEFT, 0, TABLE_FIXED},
    [STOP_LATE] = {"late", 7, 8, ALIGN_RIGHT, 0, TABLE_FIXED},
    [STOP_WAIT] = {"others waited", 13, 13, ALIGN_RIGHT, 3, TABLE_FIXED},
    [STOP_DURATION] = {"whole stop", 11, 11, ALIGN_RIGHT, 1, TABLE_FIXED},
    [STOP_COUNT] = {"domains", 7, 7, ALIGN_RIGHT, 4, TABLE_FIXED},
    [STOP_DOING] = {"which was in", 12, 40, ALIGN_LEFT, 2, TABLE_NAMES},
};

/* Columns of a stop. */
struct stop_texts {
	struct formatted column[STOP_DOING];
	char doing[BLAME_NAMES];
	enum style style;
};

/* Return whether any column of a stop contains a text. */
static bool stop_matches(const struct stop_texts *stop, const char *wanted)
{
	for (int c = 0; c < STOP_DOING; c++)
		if (strcasestr(stop->column[c].s, wanted) != NULL)
			return true;
	return strcasestr(stop->doing, wanted) != NULL;
}

/* Put a stop into words. */
static void stop_texts(const struct subject *s, const struct stw_stop *stop, struct stop_texts *out)
{
	bool blamed = stop->kind == STW_SYNC && !stop->partial;
	struct formatted *texts = out->column;

	memset(out, 0, sizeof(*out));
	out->style = blamed ? STYLE_TEXT : STYLE_MUTED;
	if (s->now >= stop->begin)
		texts[STOP_WHEN] = format_duration(s->now - stop->begin);
	snprintf(texts[STOP_WORK].s, sizeof(texts[0].s), "%s", stw_work_name(stop->work));
	snprintf(texts[STOP_LEADER].s, sizeof(texts[0].s), "D%u", stop->leader);
	if (blamed)
		snprintf(texts[STOP_LAST].s, sizeof(texts[0].s), "D%u", stop->last);
	texts[STOP_LATE] = blamed ? format_duration(stop->lateness) : format_unknown();
	if (blamed)
		texts[STOP_WAIT] = format_duration(stop->wait);
	else
		snprintf(texts[STOP_WAIT].s, sizeof(texts[0].s), "%s",
		    stop->kind == STW_SOLO    ? "alone"
		    : stop->kind == STW_ASYNC ? "no barrier"
					      : "not all seen");
	texts[STOP_DURATION] = format_duration(stop->duration);
	snprintf(texts[STOP_COUNT].s, sizeof(texts[0].s), "%u", stop->count);
	if (blamed)
		blame_doing(&stop->doing, watch_model(s->watch), out->doing, sizeof(out->doing));
}

/* Draw the latest stops, or the longest, that the filter lets through. */
static void draw_stops(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area)
{
	const struct stw *stw = watch_stw(s->watch);
	struct table_column fitted[STOPS];
	struct table table;
	struct rect head = rect_cut_top(&area, 1);
	bool longest = ui->stops_longest;
	size_t count = longest ? stw_longest_count(stw) : stw_recent_count(stw), shown = 0;
	struct stop_texts *stops = calloc((size_t)area.rows + 1, sizeof(stops[0]));

	memcpy(fitted, stop_columns, sizeof(fitted));
	for (size_t i = 0; i < count && stops != NULL && (int)shown < area.rows; i++) {
		stop_texts(s, longest ? stw_longest(stw, i) : stw_recent(stw, i), &stops[shown]);
		if (!stop_matches(&stops[shown], ui_place(ui)->filter))
			continue;
		for (int c = 0; c < STOP_DOING; c++)
			table_widen(&fitted[c], canvas_text_width(canvas, stops[shown].column[c].s));
		table_fit_name(&fitted[STOP_DOING], &stop_columns[STOP_DOING],
		    canvas_text_width(canvas, stops[shown].doing));
		shown++;
	}
	table_layout(&table, fitted, STOPS, head.cols, 2);
	table_header(canvas, &table, head.row, head.col, longest ? STOP_DURATION : STOP_WHEN,
	    longest ? TABLE_DESCENDING : TABLE_ASCENDING);
	if (shown == 0 && count > 0)
		canvas_put_fit(canvas, area.row, area.col, area.cols, ALIGN_LEFT, STYLE_MUTED,
		    "no stop matches the filter");
	for (size_t i = 0; i < shown; i++) {
		struct table_cell cells[STOPS];
		for (int c = 0; c < STOP_DOING; c++)
			cells[c] = (struct table_cell){stops[i].column[c].s, stops[i].style};
		cells[STOP_DOING] = (struct table_cell){stops[i].doing, stops[i].style};
		table_row(canvas, &table, area.row + (int)i, area.col, cells);
	}
	free(stops);
}

/* Draw the sums into one line. */
static void draw_totals(const struct stw_totals *t, struct canvas *canvas, struct rect line)
{
	bool any = t->lateness.count != 0;
	const struct formatted texts[] = {format_count(t->stops), format_count(t->kinds[STW_SYNC]),
	    any ? format_duration(hist_percentile(&t->lateness, 50, 100)) : format_unknown(),
	    any ? format_duration(hist_percentile(&t->lateness, 99, 100)) : format_unknown(),
	    any ? format_duration(t->lateness.max) : format_unknown(), format_duration(t->wait)};
	static const char *const labels[] = {
	    "stops", "with a barrier", "last arrival p50", "p99", "max", "waited in all"};
	struct line_item line_items[6];

	for (int i = 0; i < 6; i++)
		line_items[i] = (struct line_item){.label = labels[i],
		    .value = texts[i].s,
		    .label_style = STYLE_LABEL,
		    .value_style = STYLE_VALUE,
		    .rank = i == 0 ? 0 : 7 - i};
	line_draw(canvas, line.row, line.col, line.cols, 3, line_items, 6);
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	int wanted = items(ui, s) + 1;

	draw_totals(stw_totals(watch_stw(s->watch)), canvas, rect_cut_top(&body, 1));
	if (body.rows < 8) {
		tabular_draw(ui, s, &domains, canvas, body);
		return;
	}
	int rows = wanted < body.rows / 2 ? wanted : body.rows / 2;
	tabular_draw(ui, s, &domains, canvas, rect_cut_top(&body, rows < 2 ? 2 : rows));
	rect_cut_top(&body, 1);
	draw_stops(ui, s, canvas, body);
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

/* Open the worst recent stop in which the selected domain came last. */
static unsigned open_worst(struct ui *ui, const struct subject *s)
{
	struct history_range range;
	struct moment_mark mark;
	unsigned domain = 0;

	if (domain_of(s, tabular_selected(ui), &domain) == NULL)
		return UI_NOTHING;
	history_range(watch_history(s->watch), &range);
	const struct stw_stop *stop = worst_of(s, domain, range.from);
	if (stop == NULL)
		return UI_NOTHING;
	mark =
	    (struct moment_mark){.domain = domain, .from = stop->begin, .to = stop->begin + stop->duration};
	snprintf(mark.text, sizeof(mark.text), "%s stop %s, D%u late by %s", stw_work_name(stop->work),
	    format_duration(stop->duration).s, domain, format_duration(stop->lateness).s);
	moment_open(ui, s, &mark, VIEW_STW);
	return UI_DIRTY | UI_RELAYOUT;
}

static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	if (action == ACTION_OPEN)
		return open_worst(ui, s);
	if (action == ACTION_STOPS_ORDER) {
		ui->stops_longest = !ui->stops_longest;
		return UI_DIRTY;
	}
	return tabular_act(ui, s, &domains, action);
}

const struct view_ops view_stw = {.draw = draw, .act = act};
