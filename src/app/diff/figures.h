/*
 * figures.h - the figures of a report that `stats --json` printed.
 *
 * A *figure* is a named number of a report: a total, a percentile, the time of a phase.  When runs are
 * compared, the first figures are judged first.
 */
#ifndef APP_DIFF_FIGURES_H
#define APP_DIFF_FIGURES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define DIFF_REPORT_BYTES_MAX (64u << 20)

enum figure_unit { FIGURE_SECONDS, FIGURE_COUNT, FIGURE_BYTES, FIGURE_SHARE, FIGURE_RATE, FIGURE_BYTE_RATE };

enum figure_group { FIGURE_PER_TIME, FIGURE_TOTAL, FIGURE_PHASE, FIGURE_COUNTER, FIGURE_USER, FIGURE_GROUPS };

struct figure {
	enum figure_group group;
	enum figure_unit unit;
	const char *name;    /* of the phase, counter or user event, or the figure's own; untrusted text */
	const char *what;    /* which number of it: "self", "p99"; "" for totals */
	bool absent_is_none; /* a report without this figure means 0, not an unknown value */
	double value;
};

struct diff_figures {
	json_t *report;
	struct figure *list; /* in printing order; names point into the report */
	size_t count, room;
};

/* Read the figures of a report: one JSON text (RFC 8259), untrusted and modified, without two members of one
 * name in an object.  With `per_time` also totals per second, so that reports of unlike durations can be compared.
 * Returns 0; ENOMEM; EINVAL when it is no report of stats.  Then why->text says what is wrong with the JSON at
 * why->line and why->column, or is empty when nothing is. */
int diff_figures_read(struct diff_figures *out, char *text, size_t len, bool per_time, json_error_t *why);
void diff_figures_fini(struct diff_figures *f);

/* Order figures by group, name and label; for qsort. */
int figure_order(const void *left, const void *right);

/* Return the number; NAN when `value` is NULL or not a number. */
double diff_number(const json_t *value);

/* Return the bins of the report's pauses: an array of [upper bound in seconds, count]; NULL when the report
 * has none. */
const json_t *figures_pauses(const struct diff_figures *f);

#endif
