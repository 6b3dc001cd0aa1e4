/*
 * trend_text.h - the figures of the trend view as text.
 */
#ifndef UI_VIEWS_TREND_TEXT_H
#define UI_VIEWS_TREND_TEXT_H

#include <stddef.h>

#include "ui/widgets/format.h"
#include "watch/trend.h"

/* Format a value in the unit of its figure. */
struct formatted trend_value_text(enum trend_figure figure, double value);

/* Format the range of a figure; "" when both ends look the same. */
void trend_range_text(enum trend_figure figure, const struct trend_value *v, char *out, size_t size);

/* Format a figure of a column: its value, or its range, or a lower bound if events were lost. */
void trend_figure_text(const struct trend_span *span, enum trend_figure figure, char *out, size_t size);

#endif
