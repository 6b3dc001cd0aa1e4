/*
 * figures.h - the figures of one report of `stats --json`.
 *
 * A *figure* is one number of a report by name: a total, a percentile, the time of a phase.  Those at the front are the ones that
 * are judged first when runs are compared.
 */
#ifndef APP_DIFF_FIGURES_H
#define APP_DIFF_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "app/diff/json.h"

enum figure_unit { FIGURE_SECONDS, FIGURE_COUNT, FIGURE_BYTES };

enum figure_group { FIGURE_TOTAL, FIGURE_PHASE, FIGURE_COUNTER, FIGURE_USER, FIGURE_GROUPS };

struct figure {
	enum figure_group group;
	enum figure_unit unit;
	const char *name; /* of the phase, counter or user event, or the figure's own; foreign bytes */
	size_t name_len;
	const char *what;    /* of it: "self", "p99"; "" for totals */
	bool absent_is_none; /* a report without it tells of nought, not of something unknown */
	double value;
};

struct diff_figures {
	struct figure *list; /* in the order of printing; names belong to the report */
	size_t count, room;
};

/* Take the figures out of a report.  0, EINVAL: it is no report of stats, or ENOMEM. */
int diff_figures_read(struct diff_figures *out, const struct json *report);
void diff_figures_fini(struct diff_figures *f);

/* The bins of the report's distribution of pauses: an array of [upper bound in seconds, count]; NULL when it has none. */
const struct json *figures_pauses(const struct json *report);

#endif
