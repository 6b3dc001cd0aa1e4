/*
 * stops.c - see stops.h.
 *
 * Where a filter is set, only as many stops are put into words as are needed to draw or to move.
 */
#include "ui/views/stops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/number.h"
#include "ui/widgets/table.h"
#include "watch/blame.h"

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

/* The stops listed: how many, and the one at an index. */
static size_t listed(const struct ui *ui, const struct stw *stw)
{
	return ui->stops.longest ? stw_longest_count(stw) : stw_recent_count(stw);
}

static const struct stw_stop *listed_at(const struct ui *ui, const struct stw *stw, size_t index)
{
	return ui->stops.longest ? stw_longest(stw, index) : stw_recent(stw, index);
}

/* Return whether the filter lets a stop through. */
static bool passes(const struct ui *ui, const struct subject *s, const struct stw_stop *stop)
{
	const char *filter = ui->places[VIEW_STW].filter;
	struct stop_texts texts;

	if (filter[0] == '\0')
		return true;
	stop_texts(s, stop, &texts);
	return stop_matches(&texts, filter);
}

/* Return the stop of a line, NULL if there is none.  Sets *lines to the number of lines; the count may stop
 * after line + 2. */
static const struct stw_stop *stop_of_line(const struct ui *ui, const struct subject *s, int line, int *lines)
{
	const struct stw *stw = watch_stw(s->watch);
	size_t count = listed(ui, stw);
	const struct stw_stop *found = NULL;
	int seen = 0;

	if (ui->places[VIEW_STW].filter[0] == '\0') {
		*lines = (int)count;
		return line >= 0 && (size_t)line < count ? listed_at(ui, stw, (size_t)line) : NULL;
	}
	for (size_t i = 0; i < count && seen <= line + 1; i++) {
		const struct stw_stop *stop = listed_at(ui, stw, i);
		if (!passes(ui, s, stop))
			continue;
		found = seen == line ? stop : found;
		seen++;
	}
	*lines = seen;
	return found;
}

/* Stops come above the selected one, and the order may have been changed: find its line again. */
static void follow(struct ui *ui, const struct subject *s)
{
	const struct stw *stw = watch_stw(s->watch);
	size_t count = listed(ui, stw);
	int line = 0;

	for (size_t i = 0; i < count && ui->stops.begin != 0; i++) {
		const struct stw_stop *stop = listed_at(ui, stw, i);
		/* In the order of time it can't come later. */
		if (!ui->stops.longest && stop->begin < ui->stops.begin)
			return;
		if (stop->begin == ui->stops.begin) {
			if (passes(ui, s, stop))
				list_select(&ui->stops.list, line);
			return;
		}
		line += passes(ui, s, stop);
	}
}

/* Select a line, and note which stop stands there. */
static void select_line(struct ui *ui, const struct subject *s, int line)
{
	struct list *list = &ui->stops.list;
	int lines;

	stop_of_line(ui, s, line, &lines);
	list_update(list, lines, list->page);
	list_select(list, line);
	const struct stw_stop *stop = stop_of_line(ui, s, list->selected, &lines);
	ui->stops.begin = stop != NULL ? stop->begin : 0;
}

/* Draw the heads and the lines. */
static void draw_table(const struct ui *ui, const struct stop_texts *stops, int shown, bool alone,
    struct canvas *canvas, struct rect head, struct rect area)
{
	struct table_column fitted[STOPS];
	struct table table;

	memcpy(fitted, stop_columns, sizeof(fitted));
	for (int i = 0; i < shown; i++) {
		for (int c = 0; c < STOP_DOING; c++)
			table_widen(&fitted[c], canvas_text_width(canvas, stops[i].column[c].s));
		table_fit_name(&fitted[STOP_DOING], &stop_columns[STOP_DOING],
		    canvas_text_width(canvas, stops[i].doing));
	}
	/* Of stops of a single domain there is no more to say. */
	table_layout(&table, fitted, alone ? STOP_LAST : STOPS, head.cols, 2);
	table_header(canvas, &table, head.row, head.col, ui->stops.longest ? STOP_DURATION : STOP_WHEN,
	    ui->stops.longest ? TABLE_DESCENDING : TABLE_ASCENDING);
	for (int i = 0; i < shown; i++) {
		struct table_cell cells[STOPS];
		for (int c = 0; c < STOP_DOING; c++)
			cells[c] = (struct table_cell){stops[i].column[c].s, stops[i].style};
		cells[STOP_DOING] = (struct table_cell){stops[i].doing, stops[i].style};
		table_row(canvas, &table, area.row + i, area.col, cells);
	}
}

void stops_draw(struct ui *ui, const struct subject *s, bool alone, struct canvas *canvas, struct rect area)
{
	struct list *list = &ui->stops.list;
	struct rect head = rect_cut_top(&area, 1);
	struct stop_texts *stops = calloc((size_t)area.rows + 1, sizeof(stops[0]));
	int lines, shown = 0;

	stop_of_line(ui, s, list->first + area.rows, &lines);
	list_update(list, lines, area.rows);
	if (ui->stops.on)
		follow(ui, s);
	for (; stops != NULL && shown < area.rows; shown++) {
		const struct stw_stop *stop = stop_of_line(ui, s, list->first + shown, &lines);
		if (stop == NULL)
			break;
		stop_texts(s, stop, &stops[shown]);
	}
	if (stops != NULL)
		draw_table(ui, stops, shown, alone, canvas, head, area);
	if (shown == 0 && listed(ui, watch_stw(s->watch)) > 0)
		canvas_put_fit(canvas, area.row, area.col, area.cols, ALIGN_LEFT, STYLE_MUTED,
		    "no stop matches the filter");
	int at = list->selected - list->first;
	if (ui->stops.on && at >= 0 && at < shown) {
		const struct stw_stop *stop = stop_of_line(ui, s, list->selected, &lines);
		ui->stops.begin = stop != NULL ? stop->begin : 0;
		canvas_restyle(canvas, rect_make(area.row + at, area.col, 1, area.cols), STYLE_SELECTED);
	}
	free(stops);
}

bool stops_move(struct ui *ui, const struct subject *s, enum ui_action action)
{
	struct list *list = &ui->stops.list;
	int lines, page = list->page > 0 ? list->page : 1, from, to;

	follow(ui, s);
	from = list->selected;
	switch (action) {
	case ACTION_UP:
		to = from - 1;
		break;
	case ACTION_DOWN:
		to = from + 1;
		break;
	case ACTION_PAGE_UP:
		to = from > page ? from - page : from > 0 ? 0 : -1;
		break;
	case ACTION_PAGE_DOWN:
		to = from + page;
		break;
	case ACTION_END:
		to = (int)listed(ui, watch_stw(s->watch)) - 1;
		stop_of_line(ui, s, to, &lines);
		to = lines - 1;
		break;
	default:
		to = -1;
		break;
	}
	if (to < 0)
		return false;
	select_line(ui, s, to);
	return true;
}

void stops_enter(struct ui *ui, const struct subject *s)
{
	ui->stops.on = true;
	select_line(ui, s, 0);
}

bool stops_search(struct ui *ui, const struct subject *s, const char *text)
{
	int lines, from = ui->stops.list.selected;

	for (int i = 1; i <= (int)listed(ui, watch_stw(s->watch)); i++) {
		struct stop_texts texts;
		const struct stw_stop *stop = stop_of_line(ui, s, from + i, &lines);
		if (stop == NULL) {
			/* Go on at the first line. */
			from = -i;
			stop = stop_of_line(ui, s, 0, &lines);
		}
		if (stop == NULL)
			return false;
		stop_texts(s, stop, &texts);
		if (!stop_matches(&texts, text))
			continue;
		select_line(ui, s, from + i);
		return true;
	}
	return false;
}

void stops_mark(const struct stw_stop *stop, struct moment_mark *out)
{
	bool blamed = stop->kind == STW_SYNC && !stop->partial;
	const struct formatted duration = format_duration(stop->duration);

	*out = (struct moment_mark){.domain = blamed ? stop->last : stop->leader,
	    .from = stop->begin,
	    .to = stop->begin + stop->duration};
	if (blamed)
		snprintf(out->text, sizeof(out->text), "%s stop %s, D%u late by %s",
		    stw_work_name(stop->work), duration.s, stop->last, format_duration(stop->lateness).s);
	else
		snprintf(out->text, sizeof(out->text), "%s stop %s, led by D%u", stw_work_name(stop->work),
		    duration.s, stop->leader);
}

bool stops_open(struct ui *ui, const struct subject *s)
{
	struct moment_mark mark;
	int lines;

	follow(ui, s);
	const struct stw_stop *stop = stop_of_line(ui, s, ui->stops.list.selected, &lines);
	if (stop == NULL)
		return false;
	stops_mark(stop, &mark);
	moment_open(ui, s, &mark, VIEW_STW);
	return true;
}
