/*
 * recent.h - styles and words of figures, and the columns of charts that show the last seconds or minutes.
 */
#pragma once

#include "figures/figures.h"
#include "print/number.h"
#include "ui/view.h"
#include "ui/widgets/line.h"
#include "watch/lately.h"

#define RECENT_RATE_NS RECENT_WINDOW	       /* window of rates: the header's `now` */
#define SPARK_STEPS (1000000000u / WATCH_STEP) /* steps of a series in a column of a sparkline: a second */

/* Return the style of a figure by its level: good, attention, bad; for no level, that of a plain value. */
enum style recent_style(enum limit_level level);

/* Return the begin of the totals in words: "since 18:30". */
struct formatted recent_since_words(const struct subject *subject);

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
