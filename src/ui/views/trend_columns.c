/* trend_columns.c - the columns of the trend view, and their figures as text. */
#include "ui/views/trend_columns.h"

#include "ui/recent.h"

const struct trend_span_choice trend_spans_of[TREND_SPANS] = {
    {0, "all"}, {600, "10m"}, {3600, "1h"}, {21600, "6h"}, {86400, "1d"}, {604800, "1w"}};

/* Lengths of a column, in seconds. */
static const unsigned widths[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40, 60, 120, 180, 240, 300, 600,
    900, 1200, 1800, 3600, 7200, 10800, 14400};
enum { WIDTHS = sizeof(widths) / sizeof(widths[0]) };

/* Compute the columns for a span of time and a number of cells. */
struct columns trend_columns_of(const struct subject *s, unsigned span, int cols)
{
	enum { CELLS_MOST = 8 };
	struct columns c = {.count = cols < 1			? 1
				     : cols > TREND_COLUMNS_MAX ? TREND_COLUMNS_MAX
								: cols,
	    .cells = 1};
	uint64_t seconds = trend_spans_of[span].seconds, from, to;
	int w = 0;

	if (seconds == 0 && trend_range(watch_trend(s->watch), &from, &to) && from < s->now) {
		seconds = (s->now - from) / TREND_SECOND + 1;
		/* Little is known: show each second in a wide column. */
		while (c.cells < CELLS_MOST && seconds * 2 * (unsigned)c.cells <= (unsigned)c.count)
			c.cells *= 2;
		c.count /= c.cells;
	}
	while (w + 1 < WIDTHS && (uint64_t)widths[w] * (unsigned)c.count < seconds)
		w++;
	c.each = widths[w] * TREND_SECOND;
	c.last = s->now > 0 ? (s->now - 1) / c.each : 0;
	/* The current second is mostly unknown. */
	if (c.each == TREND_SECOND && s->state == SUBJECT_LIVE && c.last > 0)
		c.last--;
	return c;
}

/* Return the number of the column at a place, counted from the left. */
uint64_t trend_column_number(const struct columns *c, int i)
{
	uint64_t back = (uint64_t)(c->count - 1 - i);

	return c->last > back ? c->last - back : 0;
}

/* Return the place of the selected column. */
int trend_column_chosen(const struct trend_place *place, const struct columns *c)
{
	if (place->cursor == 0 || place->cursor / c->each >= c->last)
		return c->count - 1;
	uint64_t back = c->last - place->cursor / c->each;

	return back < (uint64_t)c->count ? c->count - 1 - (int)back : 0;
}

void trend_point_at(struct trend_place *place, const struct subject *s, uint64_t stamp)
{
	const struct columns c = trend_columns_of(s, place->span, place->cols);

	place->cursor = stamp;
	if (stamp / c.each < trend_column_number(&c, 0))
		place->span = 0;
}

struct formatted trend_value_text(enum trend_figure figure, double value)
{
	return format_figure(trend_figure_unit(figure), value);
}

/* Format the range of a figure; "" when both ends look the same. */
void trend_range_text(enum trend_figure figure, const struct trend_value *v, char *out, size_t size)
{
	struct formatted low = trend_value_text(figure, v->low), high = trend_value_text(figure, v->high);

	out[0] = '\0';
	if (!isnan(v->low) && strcmp(low.s, high.s) != 0)
		snprintf(out, size, "%s-%s", low.s, high.s);
}

/* Return whether a figure is too low after a loss of events.  The collector's share is not: lost time is not
 * part of its base. */
static bool is_bound(enum trend_figure figure)
{
	switch (figure) {
	case TREND_MAX:
	case TREND_ALLOCATED:
	case TREND_PROMOTED:
	case TREND_PAUSES:
		return true;
	default:
		return false;
	}
}

/* Return whether a figure may be too low or too high after a loss of events. */
static bool is_of_seen(enum trend_figure figure)
{
	return figure == TREND_P50 || figure == TREND_P99;
}

/* Format a figure of a column: its value, its range, or a lower bound; with a mark if it is based on what was
 * seen. */
void trend_figure_text(const struct trend_span *span, enum trend_figure figure, char *out, size_t size)
{
	const struct trend_value *v = &span->figures[figure];
	bool bound = span->lossy && is_bound(figure), range = isnan(v->value) && !bound;
	double value = !isnan(v->value) ? v->value : bound ? v->low : v->high;
	struct formatted text = trend_value_text(figure, value);
	const char *mark = span->lossy && is_of_seen(figure) && !isnan(value) ? "~" : "";
	char ends[64] = "";

	if (range)
		trend_range_text(figure, v, ends, sizeof(ends));
	snprintf(out, size, "%s%s", mark,
	    ends[0] != '\0' ? ends
	    : bound	    ? format_marked("≥", text).s
			    : text.s);
}
