/*
 * figures.h - the figures of a report that `stats --json` printed.
 *
 * A *figure* is a named number of a report: a total, a percentile, the time of a phase.  When runs are
 * compared, the first figures are judged first.
 */
#ifndef APP_DIFF_FIGURES_H
#define APP_DIFF_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "app/diff/json.h"

enum figure_unit { FIGURE_SECONDS, FIGURE_COUNT, FIGURE_BYTES, FIGURE_SHARE, FIGURE_RATE, FIGURE_BYTE_RATE };

enum figure_group { FIGURE_PER_TIME, FIGURE_TOTAL, FIGURE_PHASE, FIGURE_COUNTER, FIGURE_USER, FIGURE_GROUPS };

struct figure {
	enum figure_group group;
	enum figure_unit unit;
	const char *name; /* of the phase, counter or user event, or the figure's own; untrusted bytes */
	size_t name_len;
	const char *what;    /* which number of it: "self", "p99"; "" for totals */
	bool absent_is_none; /* a report without this figure means 0, not an unknown value */
	double value;
};

struct diff_figures {
	struct figure *list; /* in printing order; names point into the report */
	size_t count, room;
};

/* Read the figures of a report.  With `per_time` also totals per second, so that reports of unlike
 * durations can be compared.  Returns 0, EINVAL when it is not a report of stats, or ENOMEM. */
int diff_figures_read(struct diff_figures *out, const struct json *report, bool per_time);
void diff_figures_fini(struct diff_figures *f);

/* Return the bins of the report's pauses: an array of [upper bound in seconds, count]; NULL when the report
 * has none. */
const struct json *figures_pauses(const struct json *report);

#endif
