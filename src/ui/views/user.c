/*
 * user.c - view 4: the program's own events, all domains together.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/widgets/format.h"
#include "ui/measure.h"
#include "ui/views/tabular.h"
#include "ui/widgets/user_text.h"

enum {
	COLUMN_NAME,
	COLUMN_KIND,
	COLUMN_COUNT,
	COLUMN_RATE,
	COLUMN_LAST,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMN_OPEN,
	COLUMN_GC,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [COLUMN_NAME] = {"event", 9, 28, ALIGN_LEFT, 0, false},
    [COLUMN_KIND] = {"kind", 6, 6, ALIGN_LEFT, 4, false},
    [COLUMN_COUNT] = {"count", 6, 8, ALIGN_RIGHT, 6, false},
    [COLUMN_RATE] = {"rate", 7, 9, ALIGN_RIGHT, 1, false},
    [COLUMN_LAST] = {"last (min to max)", 12, 30, ALIGN_LEFT, 3, true},
    [COLUMN_P50] = {"p50", 7, 8, ALIGN_RIGHT, 2, false},
    [COLUMN_P99] = {"p99", 7, 8, ALIGN_RIGHT, 1, false},
    [COLUMN_MAX] = {"max", 7, 8, ALIGN_RIGHT, 5, false},
    [COLUMN_OPEN] = {"open", 5, 5, ALIGN_RIGHT, 3, false},
    [COLUMN_GC] = {"GC in it", 9, 9, ALIGN_RIGHT, 2, false},
};

/* Count the items. */
static int items(struct ui *ui, const struct subject *s)
{
	(void)ui;
	return (int)model_user_slots(watch_model(s->watch));
}

/* Put a text and its key into a cell. */
static void put(struct tabular_cell *out, struct formatted text, double key)
{
	snprintf(out->text, sizeof(out->text), "%s", text.s);
	out->key = key;
}

/* Describe the last value of an int or a custom event. */
static void put_last(struct tabular_cell *out, enum model_user_kind kind, const struct model_user *u)
{
	if (kind == MODEL_USER_INT) {
		snprintf(out->text, sizeof(out->text), "%s (%s to %s)", format_signed(u->last, 12).s,
		    format_signed(u->min, 12).s, format_signed(u->max, 12).s);
		out->key = (double)u->last;
	} else if (kind == MODEL_USER_CUSTOM) {
		user_text_payload(u, out->text, sizeof(out->text));
	}
}

/* Fill in a cell that is about a span. */
static void span_cell(
    const struct subject *s, int column, const struct model_user *u, struct tabular_cell *out)
{
	struct model_totals t;
	uint64_t ns = 0;

	model_totals(watch_model(s->watch), &t);
	switch (column) {
	case COLUMN_OPEN:
		put(out, format_count(u->open), (double)u->open);
		return;
	case COLUMN_GC:
		put(out, format_share(u->gc_ns, u->spans.sum),
		    u->spans.sum != 0 ? (double)u->gc_ns / (double)u->spans.sum : 0);
		return;
	case COLUMN_P50:
		ns = hist_percentile(&u->spans, 50, 100);
		break;
	case COLUMN_P99:
		ns = hist_percentile(&u->spans, 99, 100);
		break;
	default:
		ns = u->spans.max;
		break;
	}
	struct formatted text = u->count != 0 ? format_duration(ns) : format_unknown();
	put(out, t.lost_words != 0 ? format_at_least(text) : text, (double)ns);
}

/* Fill in a cell. */
static void cell(struct ui *ui, const struct subject *s, int item, int column, struct tabular_cell *out)
{
	const struct model *m = watch_model(s->watch);
	const struct model_user_slot *slot = model_user_slot(m, (size_t)item);
	struct model_user total;

	if (column == COLUMN_NAME) {
		user_text_name(slot, out->text, sizeof(out->text));
		return;
	}
	if (column == COLUMN_KIND) {
		snprintf(out->text, sizeof(out->text), "%s", user_text_kind(slot->kind));
		out->style = user_text_style(slot->kind);
		return;
	}
	if (column == COLUMN_RATE) {
		double rate = measure_user_rate(ui, s, WATCH_ALL, (size_t)item);
		put(out, format_rate(rate), isnan(rate) ? -1 : rate);
		return;
	}
	if (!model_user_total(m, (size_t)item, &total))
		return;
	if (column == COLUMN_COUNT)
		put(out, format_count(total.count), (double)total.count);
	else if (column == COLUMN_LAST)
		put_last(out, slot->kind, &total);
	else if (slot->kind == MODEL_USER_SPAN)
		span_cell(s, column, &total, out);
	else
		out->key = -1;
	hist_fini(&total.spans);
}

static const struct tabular users = {.columns = columns,
    .column_count = COLUMNS,
    .sort = COLUMN_NAME,
    .ascending = true,
    .empty = "the program has written no event of its own",
    .items = items,
    .cell = cell};

/* Draw the view. */
static void draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body)
{
	tabular_draw(ui, subject, &users, canvas, body);
}

/* Take an action. */
static unsigned act(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	return tabular_act(ui, subject, &users, action);
}

const struct view_ops view_user = {.draw = draw, .act = act};
