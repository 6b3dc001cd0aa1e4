/* trend_columns.h - the columns of the trend view: how long each is, which one is selected, and figures as
 * text. */
#pragma once

#include "ui/view.h"
#include "print/number.h"
#include "watch/trend.h"

/* Where the user is in the trend. */
struct trend_place {
	unsigned span;	 /* which of the spans of time */
	uint64_t cursor; /* a stamp in the column that is looked at, 0: the latest */
	int first;	 /* figure at the top */
	int figures;	 /* that there were in the last drawing; those it had room for; its columns */
	int shown;
	int cols;
};

VIEW_OWN(trend, trend_place, TREND)

#define TREND_SECOND UINT64_C(1000000000)
#define TREND_COLUMNS_MAX 512
enum { TREND_SPANS = 6 };

/* The spans of time that can be chosen; the first (0 seconds) is all that is known. */
extern const struct trend_span_choice {
	unsigned seconds;
	const char *name;
} trend_spans_of[TREND_SPANS];

/* The columns that are shown. */
struct columns {
	int count;
	int cells;     /* screen columns per column */
	uint64_t each; /* ns */
	uint64_t last; /* number of the column that contains now */
};

/* Compute the columns for a span of time and a number of cells. */
struct columns trend_columns_of(const struct subject *s, unsigned span, int cols);

/* Return the number of the column at a place, counted from the left. */
uint64_t trend_column_number(const struct columns *c, int i);

/* Return the place of the selected column. */
int trend_column_chosen(const struct trend_place *place, const struct columns *c);

/* Select the column of a stamp; if it is older than the span of time, the span becomes all that is known. */
void trend_point_at(struct trend_place *place, const struct subject *s, uint64_t stamp);

/* Format a value in the unit of its figure. */
struct formatted trend_value_text(enum trend_figure figure, double value);

/* Format the range of a figure; "" when both ends look the same. */
void trend_range_text(enum trend_figure figure, const struct trend_value *v, char *out, size_t size);

/* Format a figure of a column: its value, or its range, or a lower bound if events were lost. */
void trend_figure_text(const struct trend_span *span, enum trend_figure figure, char *out, size_t size);
