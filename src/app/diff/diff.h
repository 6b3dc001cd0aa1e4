/*
 * diff.h - the parts of `rtevtop diff`: figures of reports, rows of both sides with verdicts, and how they are
 * printed.
 *
 * A *figure* is a named number of a report that `stats --json` printed: a total, a percentile, the time of a phase.
 * When runs are compared, the first figures are judged first.  The unit is the run: each gives one value of a figure.
 */
#pragma once

#include <jansson.h>

#include "app/options.h"
#include "print/number.h"
#include "print/out.h"

/* ---- figures ---- */

#define DIFF_REPORT_BYTES_MAX (32u << 20)

enum figure_group { FIGURE_PER_TIME, FIGURE_TOTAL, FIGURE_PHASE, FIGURE_COUNTER, FIGURE_USER, FIGURE_GROUPS };

struct figure {
	enum figure_group group;
	enum unit unit;
	const char *name;    /* name of the phase, counter or user event, or the figure's own name; untrusted
			      * text */
	const char *what;    /* which of its numbers: "self", "p99"; "" for totals */
	bool absent_is_none; /* a report without this figure means 0, not an unknown value */
	double value;
};

struct diff_figures {
	json_t *report;
	struct figure *list; /* in printing order; names point into the report */
	size_t count, room;
};

/* Read the figures of a report: one JSON text (RFC 8259), untrusted and modified, without two members of one
 * name in an object.  With `per_time` also read totals per second, so that reports of different durations can
 * be compared.  Returns 0; ENOMEM; or EINVAL for an invalid report: then why->text tells the fault of the
 * JSON at why->line and why->column, or is empty if the JSON is valid. */
int diff_figures_read(struct diff_figures *out, char *text, size_t len, bool per_time, json_error_t *why);
void diff_figures_fini(struct diff_figures *f);

/* Return whether the report tells of any domain. */
bool figures_recorded(const struct diff_figures *f);

/* Order figures by group, name and label; for qsort. */
int figure_order(const void *left, const void *right);

/* Return the number; NAN when `value` is NULL or not a number. */
double diff_number(const json_t *value);

/* Return the bins of the report's pauses: an array of [upper bound in seconds, count]; NULL when the report
 * has none. */
const json_t *figures_pauses(const struct diff_figures *f);

/* ---- reports ---- */

/* Get the figures of a file: of a report, or of a ring or recording, which stats reads in this process.
 * Returns an exit status; a failure has been reported.  *incomplete is set if stats could not read the whole
 * file, and has reported why. */
int report_of_file(
    struct diff_figures *out, const char *path, const struct options *options, bool *incomplete);

/* Run a COMMAND once under its own process of stats, so that all runs have equal conditions.  Its standard
 * output goes to our standard error.  Returns EXIT_DONE, EXIT_FAILED (it failed, or sent no events), or 125
 * to 127; a failure has been reported. */
int report_of_command(struct diff_figures *out, char *const *command, const struct options *options);

/* ---- rows ---- */

enum side { SIDE_A, SIDE_B, SIDES };

/* One side of a comparison. */
struct compared {
	const char *const *words; /* file, or COMMAND with its arguments */
	size_t word_count;
	struct diff_figures *reports; /* of each run */
	size_t runs;
};

enum verdict { VERDICT_NONE, VERDICT_NOISE, VERDICT_CHANGED };

/* One side of a row. */
struct row_side {
	double *values; /* one per run, in order; NAN: not known */
	size_t known;	/* number of known values */
	double median;	/* of the known values; NAN when there are none */
	double min, max;
};

struct row {
	struct figure figure; /* its value is not used */
	size_t position;      /* position of its first occurrence in a report */
	struct row_side sides[SIDES];
	double change;	  /* of B's median, as a share of A's; NAN: not known */
	double p, p_holm; /* NAN: not judged */
	enum verdict verdict;
};

struct rows {
	struct row *list; /* by group; rates and totals in report order, others by name */
	size_t count;
	size_t runs[SIDES];
	size_t judged;	 /* number of rows with a verdict */
	size_t unjudged; /* rows without a verdict because there were too few runs */
	double *values;	 /* storage for the values of all rows */
};

/* Match the figures of all runs by name.  Names still point into the reports.  Returns 0 or ENOMEM. */
int rows_make(struct rows *out, const struct compared sides[SIDES]);

/* Judge as many rows as the number of runs allows, beginning with the first.  Rows with the same value in
 * every run are not judged.  Returns 0 or ENOMEM. */
int rows_judge(struct rows *rows);

void rows_fini(struct rows *rows);

/* ---- judging ---- */

#define JUDGE_LEVEL 0.05  /* probability of reporting any change when no figure has changed */
#define JUDGE_CHANGE 0.05 /* a smaller relative change of the median is reported as noise, whatever its p */

/*
 * Return p of the two-sided permutation test on the difference of the means: among all assignments of the
 * values to two sets of these sizes, the share in which the means differ by at least as much.  With up to
 * JUDGE_EXACT_MAX values all assignments are counted.  With more, as many as JUDGE_DRAWN are drawn at
 * random, always the same ones, and the given assignment is among them.  NAN when memory ran out or a set is
 * empty.
 */
#define JUDGE_EXACT_MAX 16
#define JUDGE_DRAWN 100000
double judge_permutation(const double *a, size_t a_count, const double *b, size_t b_count);

/* Apply Holm's correction: set each p to the smallest level at which its hypothesis is rejected among all
 * `count`.  The pointers are sorted by the values they point to; none of these may be NAN. */
void judge_holm(double **p, size_t count);

/* Return how many figures can be judged with `runs` runs on each side.  With more figures the correction
 * would raise the smallest p that the test can give above the level. */
size_t judge_figures_max(size_t runs);

/* ---- printing ---- */

/* Print as text of 80 columns, or as JSON.  `judged`: runs were compared, so rows have verdicts. */
void diff_print_text(
    struct out *out, const struct rows *rows, const struct compared sides[SIDES], bool judged);
void diff_print_json(
    struct out *out, const struct rows *rows, const struct compared sides[SIDES], bool judged);
