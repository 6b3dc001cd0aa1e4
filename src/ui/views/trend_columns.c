/*
 * trend_columns.c - the columns of the trend view.
 */
#include "ui/views/trend_columns.h"

const struct trend_span_choice trend_spans_of[TREND_SPANS] = {
    {600, "10m"}, {3600, "1h"}, {21600, "6h"}, {86400, "1d"}, {604800, "1w"}};

/* Lengths of a column, in seconds. */
static const unsigned widths[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40, 60, 120, 180, 240, 300, 600,
    900, 1200, 1800, 3600, 7200, 10800, 14400};
enum { WIDTHS = sizeof(widths) / sizeof(widths[0]) };

/* Compute the columns for a span of time and a number of cells. */
struct columns trend_columns_of(const struct subject *s, unsigned span, int cols)
{
	struct columns c = {.count = cols < 1 ? 1 : cols > TREND_COLUMNS_MAX ? TREND_COLUMNS_MAX : cols};
	int w = 0;

	while (w + 1 < WIDTHS && (uint64_t)widths[w] * (unsigned)c.count < trend_spans_of[span].seconds)
		w++;
	c.each = widths[w] * TREND_SECOND;
	c.last = s->now > 0 ? (s->now - 1) / c.each : 0;
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
