/*
 * recent.h - styles and words of figures, and the columns of charts that show the last seconds or minutes.
 */
#pragma once

#include "figures/figures.h"
#include "print/number.h"
#include "ui/view.h"
#include "ui/widgets/line.h"
#include "watch/lately.h"

#define RECENT_RATE_NS RECENT_WINDOW /* window of rates: the header's `now` */

/* Return the style of a figure by its level: good, attention, bad; for no level, that of a plain value. */
enum style recent_style(enum limit_level level);

/* Return the begin of the totals in words: "since 18:30". */
struct formatted recent_since_words(const struct subject *subject);

/* What a chart shows: sums of a domain or, for WATCH_ALL, of all; a figure of the trend is always of all.  `of` is the
 * measure, the figure, or the slot of a user event. */
enum recent_kind { RECENT_MEASURE, RECENT_TREND, RECENT_USER_EVENTS, RECENT_USER_VALUES };

struct recent_chart {
	const char *name;
	enum unit unit;
	enum recent_kind kind;
	size_t of;
	unsigned domain;
};

/*
 * Draw the last seconds as a sparkline from `low` (NAN: the minimum) up, a second a sample; or the last minutes as strips
 * with a common time scale, each with its name and scale, from 0 to its largest value, in the `label` columns before it.
 * `least` is the least width that shows anything.  A chart begins beside its label, grows to the right, and then moves.
 * An R in the first strip marks where the ring was restarted, or another program began.
 *
 * Samples of strips are shorter while little time was seen, of any domain, so that they fill the strip sooner: strips of
 * several domains have one time scale.  Those of charts with figures of the trend, which have a value a second, are not.
 */
#define RECENT_STRIPS_MOST 6
void recent_spark(const struct subject *subject, const struct recent_chart *chart, double low, int least,
    struct canvas *canvas, struct rect place, enum style style);
void recent_strips(const struct subject *subject, const struct recent_chart *charts, int count, int label,
    struct canvas *canvas, struct rect area);

/* Return an item that says how much time the program had in the worst of the windows of mmu.h with index
 * `window`, and on which domain (-1: left out). */
struct line_item recent_left(int window, double share, int domain);
