/*
 * measure.h - rates and sparklines of a target, with the time left out in which it had paused its events.
 *
 * The pauses are those that the model knows and, where the process itself says that it is paused now, the one
 * since its last event.  What is wholly paused is not known, and never shown as nought.
 */
#ifndef UI_MEASURE_H
#define UI_MEASURE_H

#include "ui/format.h"
#include "ui/view.h"

#define MEASURE_RATE_NS 2000000000u /* rates are those of the last seconds */

/* Bring the pauses of a ui up to date, once for each drawing. */
void measure_refresh(struct ui *ui, const struct subject *subject);

/* Time paused in [from, to). */
uint64_t measure_paused(const struct ui *ui, uint64_t from, uint64_t to);

/* The time up to which events tell what happened: now, or the begin of a pause that goes on. */
uint64_t measure_until(const struct ui *ui, const struct subject *subject);

/* Per second: of a series (NULL: nothing is known) in the last MEASURE_RATE_NS, and of a measure of all
 * domains together in the last `window` ns.  NAN when not known. */
double measure_rate(const struct ui *ui, const struct subject *subject, const struct series *series);
double measure_total(
    const struct ui *ui, const struct subject *subject, enum watch_measure measure, uint64_t window);

/* Fill out[0 .. columns - 1], one column a second, the last one the latest second that is over.  NAN where
 * nothing is known. */
void measure_spark(const struct ui *ui, const struct subject *subject, const struct series *series,
    size_t columns, double *out);

/* Words of 64 bits as bytes.  What is not known, and what can't be, is "-". */
struct formatted measure_words(double words);

#endif
