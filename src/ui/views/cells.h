/*
 * cells.h - cells of tables: what is shown, in which style, and by what it is sorted.
 */
#pragma once

#include "print/number.h"
#include "ui/view.h"

#define TABULAR_TEXT 256

struct tabular_cell {
	char text[TABULAR_TEXT];
	double key;   /* sort key; NAN: sort by text */
	bool unknown; /* last in both directions, as cells with neither key nor text */
	bool whole;   /* a left-aligned figure that is never cut: its column is widened */
	enum style style;
};

/*
 * Make a cell.  An empty one has no text; an unknown one is "-".  cell_said formats as printf does; cell_figure
 * takes the sort key of its text (NAN: it is not sorted); cell_number prints all digits.  cell_since is empty if
 * the stamp lies in the future, as after a jump back in a recording.  cell_around names the user spans around
 * a span.
 */
struct tabular_cell cell_empty(void);
struct tabular_cell cell_unknown(void);
__attribute__((format(printf, 1, 2))) struct tabular_cell cell_said(const char *format, ...);
struct tabular_cell cell_text(const char *text);
struct tabular_cell cell_figure(struct formatted figure, double key);
struct tabular_cell cell_value(enum unit unit, double value);
struct tabular_cell cell_count(uint64_t count);
struct tabular_cell cell_number(uint64_t number);
struct tabular_cell cell_share(uint64_t part, uint64_t whole);
struct tabular_cell cell_duration(uint64_t ns);
struct tabular_cell cell_since(const struct subject *subject, uint64_t ts);
struct tabular_cell cell_phase(rtev_phase phase);
struct tabular_cell cell_around(const struct subject *subject, const struct longest_span *span);
struct tabular_cell cell_domain(unsigned domain);
struct tabular_cell cell_percentile(const struct hist *times, unsigned num, unsigned den, bool lossy);

/* Return the cell with another style, or with another sort key (NAN: not known); an empty one unless it is there. */
struct tabular_cell cell_if(bool there, struct tabular_cell cell);
struct tabular_cell cell_styled(struct tabular_cell cell, enum style style);
struct tabular_cell cell_keyed(struct tabular_cell cell, double key);
