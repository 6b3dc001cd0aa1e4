/*
 * lately.h - rates and columns of the last seconds, excluding the time in which the target had paused its events.
 *
 * The pauses are those that the model knows and, if the process itself reports that it is paused, the one
 * since its last event.  A period that is wholly in a pause is unknown (NAN), not 0.
 */
#pragma once

#include "figures/figures.h"
#include "watch/watch.h"

/* What is read, and when. */
struct lately {
	struct watch *watch;
	uint64_t now;
	bool ended; /* the process has ended, so it is judged at its last event */
	bool over;  /* no more events will come */
};

/* Return the time up to which events are known: now, or the begin of an open pause. */
uint64_t lately_until(struct lately of);

/*
 * Return the rate per second of a measure, or of a user slot's events, in the last `window` ns, of a domain
 * or of WATCH_ALL. The divisor is the observed time: since the domain or the attach began, without pauses.
 * NAN if that is shorter than one step of the series.
 */
double lately_rate(struct lately of, unsigned domain, enum watch_measure measure, uint64_t window);
double lately_user_rate(struct lately of, unsigned domain, size_t slot, uint64_t window);

/* Return the shares of the last `window` ns of a domain or of WATCH_ALL, including open pauses. */
struct figure_gc lately_gc(struct lately of, unsigned domain, uint64_t window);

/*
 * Fill out[0 .. columns - 1] with columns of `steps` steps of the series each.  Sums are per second of the
 * time seen: since the series began, without pauses of the target and losses of the domain.  A column less
 * than half of which was seen is NAN, as are unknown ones.  The last column is the latest complete one;
 * after the end of the target it is the one in which it ended.
 */
void lately_columns(struct lately of, unsigned domain, const struct series *series, unsigned steps,
    size_t columns, double *out);

/* Add these columns of a domain to `sums`; a NAN in either counts as nothing.  `series` may be NULL;
 * at most WATCH_STEPS columns. */
void lately_add_columns(struct lately of, unsigned domain, const struct series *series, unsigned steps,
    size_t columns, double *sums);

/* Return the end of the last of these columns. */
uint64_t lately_columns_end(struct lately of, unsigned steps);
