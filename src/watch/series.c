/*
 * series.c - a ring of step values.
 *
 * Invariants: the steps kept are head - steps + 1 .. head, step k at index k mod steps; a step that is not
 * known is NAN; `begun` is false until the first stamp, and then `begin` is the earliest and `until` the
 * latest stamp observed.
 */
#include "watch/series.h"

void series_init(struct series *s, enum series_mode mode, uint64_t step, size_t steps)
{
	s->mode = mode;
	s->step = step;
	s->steps = steps;
	series_reset(s);
}

void series_reset(struct series *s)
{
	s->begun = false;
	s->begin = s->until = s->head = 0;
	s->from = s->to = 0;
	s->last = NAN;
	for (size_t i = 0; i < s->steps; i++)
		s->values[i] = NAN;
}

/* Return whether a step is kept. */
static bool series_holds(const struct series *s, uint64_t step)
{
	return s->begun && step <= s->head && s->head - step < s->steps;
}

/* Return the value of a step; NAN: it is not kept. */
static double series_value(const struct series *s, uint64_t step)
{
	return series_holds(s, step) ? s->values[step % s->steps] : (double)NAN;
}

/* Make a step the head. */
static void series_lead(struct series *s, uint64_t step)
{
	s->head = step;
	s->from = step * s->step;
	s->to = s->step <= UINT64_MAX - s->from ? s->from + s->step : UINT64_MAX;
	s->slot = step % s->steps;
}

/* Whether a stamp is in the head step.  Most are, and a division would cost more than everything else. */
static inline bool series_leads(const struct series *s, uint64_t ts)
{
	return ts >= s->from && ts < s->to;
}

void series_advance(struct series *s, uint64_t ts)
{
	if (series_leads(s, ts)) {
		s->until = ts > s->until ? ts : s->until;
		return;
	}
	uint64_t step = ts / s->step;
	if (s->begun && step <= s->head) {
		if (s->head - step < s->steps) {
			s->until = ts > s->until ? ts : s->until;
			return;
		}
		series_reset(s);
	}
	s->until = ts;
	double fresh = s->mode == SERIES_LAST ? s->last : 0;
	if (!s->begun) {
		s->begun = true;
		s->begin = ts;
		series_lead(s, step);
		s->values[s->slot] = fresh;
		return;
	}
	uint64_t from = s->head + 1;
	if (step - s->head > s->steps)
		from = step - s->steps + 1;
	for (uint64_t k = from; k <= step; k++) {
		s->values[k % s->steps] = fresh;
		if (k == UINT64_MAX)
			break;
	}
	series_lead(s, step);
}

/* Move the begin back to ts, which is still kept: the steps in between were observed after all. */
static void series_extend(struct series *s, uint64_t ts)
{
	if (s->mode != SERIES_LAST) {
		for (uint64_t k = ts / s->step; k < s->begin / s->step; k++)
			s->values[k % s->steps] = 0;
	}
	s->begin = ts;
}

void series_break(struct series *s, uint64_t ts)
{
	if (!s->begun)
		return;
	series_advance(s, ts);
	s->last = NAN;
}

void series_add(struct series *s, uint64_t ts, double value)
{
	series_advance(s, ts);
	if (ts < s->begin)
		series_extend(s, ts);
	bool leads = series_leads(s, ts);
	double *slot = &s->values[leads ? s->slot : ts / s->step % s->steps];
	switch (s->mode) {
	case SERIES_SUM:
		*slot += value;
		break;
	case SERIES_MAX:
		if (value > *slot)
			*slot = value;
		break;
	case SERIES_LAST:
		/* A late value is the last one of its own step only. */
		*slot = value;
		if (leads || ts / s->step == s->head)
			s->last = value;
		break;
	}
}

/* Combine the known steps of [first, first + count) as the mode says. */
static double series_combine(const struct series *s, uint64_t first, size_t count)
{
	double sum = NAN;
	for (size_t i = 0; i < count; i++) {
		if (first > UINT64_MAX - i)
			break;
		double value = series_value(s, first + i);
		if (isnan(value))
			continue;
		if (isnan(sum) || s->mode == SERIES_LAST || (s->mode == SERIES_MAX && value > sum))
			sum = value;
		else if (s->mode == SERIES_SUM)
			sum += value;
	}
	return sum;
}

void series_read(const struct series *s, uint64_t now, size_t per, size_t columns, double *out)
{
	if (per < 1)
		per = 1;
	if (per > s->steps)
		per = s->steps;
	uint64_t last = now / s->step / per;
	for (size_t i = 0; i < columns; i++) {
		size_t back = columns - 1 - i;
		out[i] = back > last ? (double)NAN : series_combine(s, (last - back) * per, per);
	}
}

enum series_mode series_mode_of(const struct series *s)
{
	return s->mode;
}

bool series_span(const struct series *s, uint64_t *begin, uint64_t *until)
{
	if (!s->begun)
		return false;
	uint64_t oldest = s->head < s->steps ? 0 : (s->head - s->steps + 1) * s->step;
	*begin = s->begin > oldest ? s->begin : oldest;
	*until = s->until;
	return true;
}

double series_sum(const struct series *s, uint64_t from, uint64_t to)
{
	uint64_t first = from / s->step, last = to / s->step;
	double sum = 0;
	if (!s->begun || from > to)
		return 0;
	if (last > s->head)
		last = s->head;
	if (s->head >= s->steps && first <= s->head - s->steps)
		first = s->head - s->steps + 1;
	for (uint64_t k = first; k <= last; k++) {
		double value = series_value(s, k);
		sum += isnan(value) ? 0 : value;
		if (k == UINT64_MAX)
			break;
	}
	return sum;
}

double series_latest(const struct series *s)
{
	if (!s->begun)
		return NAN;
	if (s->mode == SERIES_LAST)
		return s->last;
	for (size_t back = 0; back < s->steps && back <= s->head; back++) {
		double value = series_value(s, s->head - back);
		if (!isnan(value))
			return value;
	}
	return NAN;
}
