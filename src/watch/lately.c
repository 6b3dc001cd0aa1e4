/* lately.c - rates and columns of the last seconds. */
#include "watch/lately.h"

#include "core/sum.h"
#include "model/waiting.h"

/* Memory is a present source if it was read this recently. */
#define TOLD_LATELY_NS UINT64_C(2000000000)

uint64_t lately_until(struct lately of)
{
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(watch_model(of.watch), &count),
					*last = count > 0 ? &pauses[count - 1] : NULL;

	return last != NULL && last->to == UINT64_MAX && last->from < of.now ? last->from : of.now;
}

/* Return whether the target has paused its events, or ended while it had. */
static bool in_pause(struct lately of)
{
	const struct model *m = watch_model(of.watch);
	const uint64_t now = of.ended ? model_totals(m).last_ts : of.now;
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(m, &count);

	while (count-- > 0 && pauses[count].to >= now)
		if (pauses[count].from < now)
			return true;
	return false;
}

/* Return the time of an interval of which events, or with `memory` its counts, tell. */
static uint64_t told_of(const struct model *m, bool memory, uint64_t from, uint64_t to)
{
	return memory ? figure_counted(m, from, to) : figure_seen(m, from, to);
}

/* Get how much of an interval was seen.  Returns false if that is not known. */
static bool seen_of(struct lately of, const struct watch_recent *recent, bool memory, uint64_t *seen)
{
	const struct model *m = watch_model(of.watch);
	const uint64_t told = told_of(m, memory, recent->from, recent->to),
		       gone = recent->empty + recent->lost;

	*seen = told > gone ? told - gone : 0;
	/* The slot may have been empty during the pause, so the overlap of the two is unknown. */
	return recent->empty == 0 || figure_seen(m, recent->from, recent->to) == recent->to - recent->from;
}

/* Return whether memory has a measure while events are paused. */
static bool memory_tells(enum watch_measure measure)
{
	return measure == WATCH_ALLOCATED || measure == WATCH_PROMOTED || measure == WATCH_MAJOR ||
	       measure == WATCH_MINORS || measure == WATCH_CYCLES || measure == WATCH_HEAP;
}

/* Compute a rate.  It is unknown while the target pauses, since an old rate must not be shown as the present
 * one, unless memory is read meanwhile. */
static double rate_of(struct lately of, bool memory, const struct watch_recent *recent)
{
	const bool counting = memory && of.now > TOLD_LATELY_NS &&
			      model_counted_time(watch_model(of.watch), of.now - TOLD_LATELY_NS, of.now) != 0;
	uint64_t seen;

	if (in_pause(of) && !counting)
		return NAN;
	return seen_of(of, recent, memory, &seen) && seen >= WATCH_STEP ? figure_rate(recent->sum, seen)
									: (double)NAN;
}

double lately_rate(struct lately of, unsigned domain, enum watch_measure measure, uint64_t window)
{
	struct watch_recent recent;

	return watch_recent(of.watch, domain, measure, of.now, window, &recent)
		   ? rate_of(of, memory_tells(measure), &recent)
		   : (double)NAN;
}

double lately_user_rate(struct lately of, unsigned domain, size_t slot, uint64_t window)
{
	struct watch_recent recent;

	return watch_user_recent(of.watch, domain, slot, of.now, window, &recent)
		   ? rate_of(of, false, &recent)
		   : (double)NAN;
}

/* Add the part in [from, to] of a domain's open pause, which no series contains yet. */
static void add_open(const struct model_domain *d, uint64_t from, uint64_t to, double *gc, double *wait)
{
	uint64_t end = to;

	const struct model_open_span *pause = model_open_pause(d);

	if (pause == NULL || pause->stale || pause->begin >= to)
		return;
	uint64_t begin = pause->begin > from ? pause->begin : from;
	*gc += (double)(to - begin);
	for (unsigned i = d->depth; i-- > 0 && end > from;) {
		const struct model_open_span *span = &d->stack[i];
		uint64_t since = span->begin > from ? span->begin : from;
		if (since >= end)
			continue;
		/* Spans inside that have ended lie in between. */
		uint64_t own = end - span->begin > span->inside ? end - span->begin - span->inside : 0;
		if (model_phase_waits(span->phase) && !d->alone)
			*wait += (double)(own < end - since ? own : end - since);
		end = since;
	}
}

/* Add a domain's pause time of the last `window` ns.  Returns false if its observed time is unknown. */
static bool add_gc(
    struct lately of, unsigned domain, uint64_t window, double *gc, double *wait, uint64_t *observed)
{
	struct watch_recent recent, waits;
	uint64_t seen;

	if (!watch_recent(of.watch, domain, WATCH_GC, of.now, window, &recent))
		return true;
	if (!seen_of(of, &recent, false, &seen))
		return false;
	if (seen == 0)
		return true;
	*gc += recent.sum;
	const struct model_domain *d = model_domain(watch_model(of.watch), domain);
	if (!d->alone && watch_recent(of.watch, domain, WATCH_WAIT, of.now, window, &waits))
		*wait += waits.sum;
	add_open(d, recent.from, recent.to, gc, wait);
	*observed += seen;
	return true;
}

struct figure_gc lately_gc(struct lately of, unsigned domain, uint64_t window)
{
	const struct figure_gc unknown = {(double)NAN, (double)NAN};
	unsigned first = domain == WATCH_ALL ? 0 : domain;
	unsigned end = domain == WATCH_ALL ? model_domains(watch_model(of.watch)) : domain + 1;
	double gc = 0, wait = 0;
	uint64_t observed = 0;

	if (in_pause(of))
		return unknown;
	for (unsigned i = first; i < end; i++)
		if (!add_gc(of, i, window, &gc, &wait, &observed))
			return unknown;
	return observed < WATCH_STEP ? unknown : figure_gc_of(gc, wait, (double)observed);
}

/* ---- columns ---- */

/* Return whether a series is filled from memory while events are paused. */
static bool memory_tells_series(const struct watch *w, unsigned domain, const struct series *series)
{
	for (int i = 0; i < WATCH_MEASURES; i++)
		if (watch_series(w, domain, (enum watch_measure)i) == series)
			return memory_tells((enum watch_measure)i);
	return false;
}

/* Convert a column of a domain's series, which covers [from, to): a sum to a rate.  NAN if too little of it
 * was seen. */
static double column_value(struct lately of, unsigned domain, const struct series *series, bool memory,
    uint64_t from, uint64_t to, double value)
{
	const struct series *unread = watch_unread(of.watch, domain);
	uint64_t begin, until, width = to - from;

	if (isnan(value) || !series_span(series, &begin, &until))
		return NAN;
	from = begin > from ? begin : from;
	to = until < to ? until : to;
	uint64_t seen = told_of(watch_model(of.watch), memory, from, to),
		 lost = from < to && unread != NULL ? (uint64_t)(series_sum(unread, from, to - 1) + 0.5) : 0;
	seen = seen > lost ? seen - lost : 0;
	if (series_mode_of(series) != SERIES_SUM)
		return to > from && seen == 0 ? (double)NAN : value;
	return 2 * seen < width ? (double)NAN : value * 1e9 / (double)seen;
}

uint64_t lately_columns_end(struct lately of, unsigned steps)
{
	const uint64_t width = (uint64_t)steps * WATCH_STEP, begun = of.now % width;

	/* The current column is incomplete; it is shown only if it will never be complete. */
	return of.now - begun + (begun != 0 && of.over ? width : 0);
}

void lately_columns(struct lately of, unsigned domain, const struct series *series, unsigned steps,
    size_t columns, double *out)
{
	const bool memory = memory_tells_series(of.watch, domain, series);
	const uint64_t width = (uint64_t)steps * WATCH_STEP;
	uint64_t end = lately_columns_end(of, steps) / width;

	for (size_t i = 0; i < columns && end == 0; i++)
		out[i] = NAN;
	if (end == 0)
		return;
	series_read(series, (end - 1) * width, steps, columns, out);
	for (size_t i = 0; i < columns && i < end; i++) {
		uint64_t from = (end - 1 - i) * width;
		double *value = &out[columns - 1 - i];
		*value = column_value(of, domain, series, memory, from, from + width, *value);
	}
}

void lately_add_columns(struct lately of, unsigned domain, const struct series *series, unsigned steps,
    size_t columns, double *sums)
{
	double values[WATCH_STEPS];

	if (series == NULL)
		return;
	lately_columns(of, domain, series, steps, columns, values);
	for (size_t i = 0; i < columns; i++)
		if (!isnan(values[i]))
			sums[i] = isnan(sums[i]) ? values[i] : sums[i] + values[i];
}
