/*
 * measure.h - rates and sparklines of a target, with the time left out in which it had paused its events.
 *
 * The pauses are those that the model knows and, where the process itself says that it is paused now, the one
 * since its last event.  What is wholly paused is not known, and never shown as nought.
 */
#ifndef UI_MEASURE_H
#define UI_MEASURE_H

#include "ui/widgets/format.h"
#include "ui/view.h"

#define MEASURE_RATE_NS 2000000000u /* rates are those of the last seconds */

/* Bring the pauses of a ui up to date, once for each drawing. */
void measure_refresh(struct ui *ui, const struct subject *subject);

/* Time paused in [from, to). */
uint64_t measure_paused(const struct ui *ui, uint64_t from, uint64_t to);

/* The time up to which events tell what happened: now, or the begin of a pause that goes on. */
uint64_t measure_until(const struct ui *ui, const struct subject *subject);

/*
 * Per second, of a measure or of a user slot's events in the last `window` ns, on a domain or on WATCH_ALL together.  It is
 * over the time in which it could be observed: since the domain or the attach began, without pauses.  NAN when that is
 * less than a step of the series.
 */
double measure_rate(const struct ui *ui, const struct subject *subject, unsigned domain,
    enum watch_measure measure, uint64_t window);
double measure_user_rate(const struct ui *ui, const struct subject *subject, unsigned domain, size_t slot);

/* Time in pauses, as shares of the time in which it could be observed; NAN: not known. */
struct measure_share {
	double gc;
	double wait; /* the part of `gc` that was waiting */
};

/* Those of the last `window` ns on a domain or on WATCH_ALL together, pauses that go on included. */
struct measure_share measure_gc(
    const struct ui *ui, const struct subject *subject, unsigned domain, uint64_t window);

/* Since when the totals of a target count: the begin of the domain that was first observed, or a reset after that. */
uint64_t measure_since(const struct subject *subject);

/* What happened per second since then, over the time in which the target had not paused its events. */
struct measure_mean {
	double sum;  /* of all domains */
	double most; /* of the domain with most */
};

/* `count` tells how often it happened on a domain; `what` is passed on to it.  Of a domain that ran before it is over the time since it was first
 * observed.  NAN until a step of the series has passed. */
struct measure_mean measure_mean(const struct subject *subject,
    double (*count)(const struct model_domain *domain, unsigned what), unsigned what);

/* Fill out[0 .. columns - 1], one column a second, the last one the latest second that is over.  NAN where
 * nothing is known. */
void measure_spark(const struct ui *ui, const struct subject *subject, const struct series *series,
    size_t columns, double *out);

/* The same with columns of `steps` steps of the series. */
void measure_columns(const struct ui *ui, const struct subject *subject, const struct series *series,
    unsigned steps, size_t columns, double *out);

/* Words of 64 bits as bytes.  What is not known, and what can't be, is "-". */
struct formatted measure_words(double words);

#endif
