/*
 * recent.h - rates and sparklines of a target, excluding the time in which it had paused its events.
 *
 * The pauses are those that the model knows and, if the process itself reports that it is paused, the one
 * since its last event.  A period that is wholly in a pause is unknown, not 0.
 */
#pragma once

#include "figures/figures.h"
#include "figures/limits.h"
#include "print/number.h"
#include "ui/view.h"
#include "ui/widgets/line.h"

#define RECENT_RATE_NS FIGURES_NOW_NS	       /* window of rates: the header's `now` */
#define SPARK_STEPS (1000000000u / WATCH_STEP) /* steps of a series in a column of a sparkline: a second */

/* Update the ui's list of pauses; called once for each drawing. */
void recent_refresh(struct ui *ui, const struct subject *subject);

/* Return the time paused in [from, to). */
uint64_t recent_paused(const struct ui *ui, uint64_t from, uint64_t to);

/* Return the time up to which events are known: now, or the begin of an open pause. */
uint64_t recent_until(const struct ui *ui, const struct subject *subject);

/*
 * Return the rate per second of a measure, or of a user slot's events, in the last `window` ns, of a domain
 * or of WATCH_ALL. The divisor is the observed time: since the domain or the attach began, without pauses.
 * NAN if that is shorter than one step of the series.
 */
double recent_rate(const struct ui *ui, const struct subject *subject, unsigned domain,
    enum watch_measure measure, uint64_t window);
double recent_user_rate(const struct ui *ui, const struct subject *subject, unsigned domain, size_t slot);

/* Return the shares of the last `window` ns of a domain or of WATCH_ALL, including open pauses. */
struct figure_gc recent_gc(
    const struct ui *ui, const struct subject *subject, unsigned domain, uint64_t window);

/* Return the style of a figure by its level: good, attention, bad; for no level, that of a plain value. */
enum style recent_style(enum limit_level level);

/* Return the begin of the totals in words: "since 18:30". */
struct formatted recent_since_words(const struct subject *subject);

/*
 * Fill out[0 .. columns - 1] with columns of one second each, or of `steps` steps of the series.  Sums are
 * per second of the time seen: since the series began, without pauses of the target and losses of the domain.
 * A column less than half of which was seen is NAN, as are unknown ones.  The last column is the latest
 * complete one; after the end of the target it is the one in which it ended.
 */
void recent_spark(const struct ui *ui, const struct subject *subject, unsigned domain,
    const struct series *series, size_t columns, double *out);
void recent_columns(const struct ui *ui, const struct subject *subject, unsigned domain,
    const struct series *series, unsigned steps, size_t columns, double *out);

/* Add these columns of a domain to `sums`; a NAN in either counts as nothing.  `series` may be NULL;
 * at most WATCH_STEPS columns. */
void recent_add_columns(const struct ui *ui, const struct subject *subject, unsigned domain,
    const struct series *series, unsigned steps, size_t columns, double *sums);

/* Return the end of the last of these columns. */
uint64_t recent_columns_end(const struct subject *subject, unsigned steps);

/* Return the top of a strip's scale: the largest value in its columns, or the level now (NAN: none), which is
 * not in them before its column has ended.  NAN when none is known. */
double recent_highest(const double *values, int columns, double level);

/* Return the steps per column for a strip of `cols` columns.  The strip shows no more than a series keeps.
 * Columns are shorter while little time was seen, of any domain, so that they fill the strip sooner: strips of
 * several domains have one time scale. */
unsigned recent_steps(const struct subject *subject, int cols);

/* Do plot_samples for the time in which the target was seen: a chart of columns of `steps` begins beside its
 * label, grows to the right, and then moves. */
int recent_samples(
    const struct subject *subject, const struct canvas *canvas, unsigned steps, int *cols, int most);

/* Return an item that says how much time the program had in the worst of the windows of mmu.h with index
 * `window`, and on which domain (-1: left out). */
struct line_item recent_left(int window, double share, int domain);
