/* recent.c - compute rates and sparklines. */
#include "ui/recent.h"

#include "model/span_time.h"
#include "model/waiting.h"
#include "ui/widgets/plot.h"

/* Memory is a present source if it was read this recently. */
#define TOLD_LATELY_NS UINT64_C(2000000000)

void recent_refresh(struct ui *ui, const struct subject *subject)
{
	ui->pauses = NULL;
	ui->pause_count = 0;
	if (subject->watch != NULL)
		ui->pauses = model_target_pauses(watch_model(subject->watch), &ui->pause_count);
}

uint64_t recent_paused(const struct ui *ui, uint64_t from, uint64_t to)
{
	return span_time_paused(ui->pauses, ui->pause_count, from, to);
}

uint64_t recent_until(const struct ui *ui, const struct subject *subject)
{
	const struct model_target_pause *last = ui->pause_count > 0 ? &ui->pauses[ui->pause_count - 1] : NULL;

	return last != NULL && last->to == UINT64_MAX && last->from < subject->now ? last->from
										   : subject->now;
}

/* Return whether the subject's time is in a pause of the target, or the target ended in one. */
static bool in_pause(const struct ui *ui, const struct subject *subject)
{
	uint64_t now = subject->now;

	if (ui->pause_count == 0)
		return false;
	if (subject->state == SUBJECT_EXITED)
		now = model_totals(watch_model(subject->watch)).last_ts;
	for (size_t i = ui->pause_count; i-- > 0 && ui->pauses[i].to >= now;)
		if (ui->pauses[i].from < now)
			return true;
	return false;
}

/* Return how long events were paused in an interval without counts from memory, which cover `counted` ns. */
static uint64_t untold_in(const struct ui *ui, uint64_t from, uint64_t to, uint64_t counted)
{
	uint64_t paused = recent_paused(ui, from, to);

	return paused - (counted < paused ? counted : paused);
}

/* Get how much of an interval was seen; counts from memory cover `counted` ns while events were paused.
 * Returns false if that is not known. */
static bool seen_of(const struct ui *ui, const struct watch_recent *recent, uint64_t counted, uint64_t *seen)
{
	uint64_t time = recent->to - recent->from,
		 gone = untold_in(ui, recent->from, recent->to, counted) + recent->empty + recent->lost;

	*seen = time > gone ? time - gone : 0;
	/* The slot may have been empty during the pause, so the overlap of the two is unknown. */
	return recent->empty == 0 || recent_paused(ui, recent->from, recent->to) == 0;
}

/* Return whether memory has a measure while events are paused. */
static bool memory_tells(enum watch_measure measure)
{
	return measure == WATCH_ALLOCATED || measure == WATCH_PROMOTED || measure == WATCH_MAJOR ||
	       measure == WATCH_MINORS || measure == WATCH_CYCLES || measure == WATCH_HEAP;
}

/* Return whether counts are being read from memory while no events are recorded. */
static bool recent_counting(const struct subject *subject)
{
	return subject->now > TOLD_LATELY_NS && model_counted_time(watch_model(subject->watch),
						    subject->now - TOLD_LATELY_NS, subject->now) != 0;
}

/* Compute a rate.  It is unknown while the target pauses, since an old rate must not be shown as the present
 * one. */
static double rate_of(
    const struct ui *ui, const struct subject *subject, bool memory, const struct watch_recent *recent)
{
	uint64_t seen, counted = 0;

	if (memory)
		counted = model_counted_time(watch_model(subject->watch), recent->from, recent->to);
	if (in_pause(ui, subject) && !(memory && recent_counting(subject)))
		return NAN;
	return seen_of(ui, recent, counted, &seen) && seen >= WATCH_STEP ? figure_rate(recent->sum, seen)
									 : (double)NAN;
}

double recent_rate(const struct ui *ui, const struct subject *subject, unsigned domain,
    enum watch_measure measure, uint64_t window)
{
	struct watch_recent recent;

	return watch_recent(subject->watch, domain, measure, subject->now, window, &recent)
		   ? rate_of(ui, subject, memory_tells(measure), &recent)
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
		if (model_phase_waits(span->phase))
			*wait += (double)(own < end - since ? own : end - since);
		end = since;
	}
}

/* Add a domain's pause time of the last `window` ns.  Returns false if its observed time is unknown. */
static bool add_gc(const struct ui *ui, const struct subject *s, unsigned domain, uint64_t window, double *gc,
    double *wait, uint64_t *observed)
{
	struct watch_recent recent, waits;
	uint64_t seen;

	if (!watch_recent(s->watch, domain, WATCH_GC, s->now, window, &recent))
		return true;
	if (!seen_of(ui, &recent, 0, &seen))
		return false;
	if (seen == 0)
		return true;
	*gc += recent.sum;
	if (watch_recent(s->watch, domain, WATCH_WAIT, s->now, window, &waits))
		*wait += waits.sum;
	add_open(model_domain(watch_model(s->watch), domain), recent.from, recent.to, gc, wait);
	*observed += seen;
	return true;
}

struct figure_gc recent_gc(
    const struct ui *ui, const struct subject *subject, unsigned domain, uint64_t window)
{
	const struct figure_gc unknown = {(double)NAN, (double)NAN};
	unsigned first = domain == WATCH_ALL ? 0 : domain;
	unsigned end = domain == WATCH_ALL ? model_domains(watch_model(subject->watch)) : domain + 1;
	double gc = 0, wait = 0;
	uint64_t observed = 0;

	if (in_pause(ui, subject))
		return unknown;
	for (unsigned i = first; i < end; i++)
		if (!add_gc(ui, subject, i, window, &gc, &wait, &observed))
			return unknown;
	if (observed < WATCH_STEP)
		return unknown;
	return figure_gc_of(gc, wait, (double)observed);
}

enum style recent_style(enum limit_level level)
{
	static const enum style styles[] = {[LEVEL_NONE] = STYLE_VALUE,
	    [LEVEL_GOOD] = STYLE_GOOD,
	    [LEVEL_ATTENTION] = STYLE_WARN,
	    [LEVEL_BAD] = STYLE_BAD};

	return styles[level];
}

struct formatted recent_since_words(const struct subject *subject)
{
	struct formatted out = {.s = "since "};
	size_t used = strlen(out.s);

	if (!subject_since(
		subject, figure_since(watch_model(subject->watch)), out.s + used, sizeof(out.s) - used))
		strlcpy(out.s + used, "the start", sizeof(out.s) - used);
	return out;
}

double recent_user_rate(const struct ui *ui, const struct subject *subject, unsigned domain, size_t slot)
{
	struct watch_recent recent;

	return watch_user_recent(subject->watch, domain, slot, subject->now, RECENT_RATE_NS, &recent)
		   ? rate_of(ui, subject, false, &recent)
		   : (double)NAN;
}

void recent_spark(const struct ui *ui, const struct subject *subject, unsigned domain,
    const struct series *series, size_t columns, double *out)
{
	recent_columns(ui, subject, domain, series, SPARK_STEPS, columns, out);
}

/* Return whether no more events will come. */
static bool is_over(const struct subject *s)
{
	return subject_over(s) || (s->state == SUBJECT_REPLAY && (s->replay == NULL || s->replay->at_end));
}

/* Return whether a series is filled from memory while events are paused. */
static bool memory_tells_series(const struct subject *s, unsigned domain, const struct series *series)
{
	for (int i = 0; i < WATCH_MEASURES; i++)
		if (watch_series(s->watch, domain, (enum watch_measure)i) == series)
			return memory_tells((enum watch_measure)i);
	return false;
}

/* Return the time of [from, to) that was seen on a domain; `told`: the model, if memory is a source, too. */
static uint64_t seen_in(
    const struct ui *ui, const struct model *told, const struct series *unread, uint64_t from, uint64_t to)
{
	if (from >= to)
		return 0;
	uint64_t gone = untold_in(ui, from, to, told != NULL ? model_counted_time(told, from, to) : 0);
	if (unread != NULL)
		gone += (uint64_t)(series_sum(unread, from, to - 1) + 0.5);
	return to > from + gone ? to - from - gone : 0;
}

/* Convert a column of a series, which covers [from, to): a sum to a rate.  NAN if too little of it was
 * seen. */
static double column_value(const struct ui *ui, const struct model *told, const struct series *series,
    const struct series *unread, uint64_t from, uint64_t to, double value)
{
	uint64_t begin, until, width = to - from;

	if (isnan(value) || !series_span(series, &begin, &until))
		return NAN;
	from = begin > from ? begin : from;
	to = until < to ? until : to;
	uint64_t seen = seen_in(ui, told, unread, from, to);
	if (series_mode_of(series) != SERIES_SUM)
		return to > from && seen == 0 ? (double)NAN : value;
	return 2 * seen < width ? (double)NAN : value * 1e9 / (double)seen;
}

uint64_t recent_columns_end(const struct subject *subject, unsigned steps)
{
	const uint64_t width = (uint64_t)steps * WATCH_STEP, begun = subject->now % width;

	/* The current column is incomplete; it is shown only if it will never be complete. */
	return subject->now - begun + (begun != 0 && is_over(subject) ? width : 0);
}

void recent_columns(const struct ui *ui, const struct subject *subject, unsigned domain,
    const struct series *series, unsigned steps, size_t columns, double *out)
{
	const struct series *unread = watch_unread(subject->watch, domain);
	const struct model *told =
	    memory_tells_series(subject, domain, series) ? watch_model(subject->watch) : NULL;
	const uint64_t width = (uint64_t)steps * WATCH_STEP;
	uint64_t end = recent_columns_end(subject, steps) / width;

	for (size_t i = 0; i < columns && end == 0; i++)
		out[i] = NAN;
	if (end == 0)
		return;
	series_read(series, (end - 1) * width, steps, columns, out);
	for (size_t i = 0; i < columns && i < end; i++) {
		uint64_t from = (end - 1 - i) * width;
		out[columns - 1 - i] =
		    column_value(ui, told, series, unread, from, from + width, out[columns - 1 - i]);
	}
}

void recent_add_columns(const struct ui *ui, const struct subject *subject, unsigned domain,
    const struct series *series, unsigned steps, size_t columns, double *sums)
{
	double values[WATCH_STEPS];

	if (series == NULL)
		return;
	recent_columns(ui, subject, domain, series, steps, columns, values);
	for (size_t i = 0; i < columns; i++)
		if (!isnan(values[i]))
			sums[i] = isnan(sums[i]) ? values[i] : sums[i] + values[i];
}

double recent_highest(const double *values, int columns, double level)
{
	double high = level;

	for (int i = 0; i < columns; i++)
		if (isfinite(values[i]) && !(values[i] <= high))
			high = values[i];
	return high;
}

unsigned recent_steps(const struct subject *subject, int cols)
{
	const uint64_t since = figure_since(watch_model(subject->watch)),
		       seen = subject->now > since ? subject->now - since : 0;
	unsigned steps = SPARK_STEPS;

	while (steps > 1 && (unsigned)cols * steps + 2 * steps > WATCH_STEPS)
		steps /= 2;
	while (steps > 1 && (uint64_t)cols * (steps / 2) > seen / WATCH_STEP)
		steps /= 2;
	return steps;
}

int recent_samples(
    const struct subject *subject, const struct canvas *canvas, unsigned steps, int *cols, int most)
{
	const uint64_t since = figure_since(watch_model(subject->watch)),
		       width = (uint64_t)steps * WATCH_STEP, end = recent_columns_end(subject, steps),
		       seen = end > since ? (end - since + width - 1) / width : 0;

	const int all = plot_samples(canvas, cols, most), each = *cols > 0 ? all / *cols : 1;

	if ((uint64_t)all <= seen)
		return all;
	*cols = seen > 0 ? ((int)seen + each - 1) / each : *cols > 0;
	return *cols * each;
}

struct line_item recent_left(int window, double share, int domain)
{
	static const char *const labels[] = {"minimum mutator utilization 1ms", "10ms", "100ms"};
	const int rank = window == 1 ? 2 : 1;
	char which[16] = "";

	if (domain >= 0 && !isnan(share))
		snprintf(which, sizeof(which), " (D%d)", domain);
	return line_said(labels[window], rank, "%s%s", format_percent(share).s, which);
}
