/*
 * figures.c - work out what the header tells.
 */
#include "ui/figures.h"

#include <math.h>
#include <string.h>

#include "ui/measure.h"
#include "ui/views/moment.h"
#include "ui/view.h"

/* Domains that run or, once none does any more, that ran. */
static unsigned domain_count(const struct subject *s, const struct model_totals *t)
{
	unsigned seen = 0;

	if (s->state == SUBJECT_LIVE || s->state == SUBJECT_WAITING)
		return t->running;
	for (unsigned i = 0; i < t->domains; i++) {
		const struct model_domain *d = model_domain(watch_model(s->watch), i);
		seen += d != NULL && d->seen;
	}
	return seen;
}

/* The share of their observed time that all domains together spent in pauses. */
static double gc_share(const struct subject *s, const struct model_totals *t)
{
	uint64_t gc = 0, observed = 0;

	for (unsigned i = 0; i < t->domains; i++) {
		const struct model_domain *d = model_domain(watch_model(s->watch), i);
		if (d == NULL)
			continue;
		gc += d->gc_ns;
		observed += d->observed_ns;
	}
	return observed != 0 ? (double)gc / (double)observed : NAN;
}

/* Fill in the rates of a subject's time. */
static void read_rates(const struct ui *ui, const struct subject *s, struct figures *out)
{
	out->events = measure_rate(ui, s, WATCH_ALL, WATCH_EVENTS, MEASURE_RATE_NS);
	out->minors = measure_rate(ui, s, WATCH_ALL, WATCH_MINORS, MEASURE_RATE_NS);
	out->cycles = measure_rate(ui, s, WATCH_ALL, WATCH_CYCLES, 10 * (uint64_t)MEASURE_RATE_NS);
	out->allocated = measure_rate(ui, s, WATCH_ALL, WATCH_ALLOCATED, MEASURE_RATE_NS);
	out->promoted = measure_rate(ui, s, WATCH_ALL, WATCH_PROMOTED, MEASURE_RATE_NS);
}

/* The heap of the domains that ran then, as of the end of a step. */
static double past_heap(const struct subject *s, const struct rewind *r, uint64_t step_end)
{
	struct model_totals t;
	double heap = NAN;

	model_totals(watch_model(s->watch), &t);
	for (unsigned i = 0; i < t.domains; i++) {
		const struct series *series =
		    r->domains[i].alive ? watch_series(s->watch, i, WATCH_HEAP) : NULL;
		double value = NAN;
		if (series != NULL)
			series_read(series, step_end, 1, 1, &value);
		if (!isnan(value))
			heap = isnan(heap) ? value : heap + value;
	}
	return heap;
}

/* Fill in what was true at an earlier time of the frozen screen. */
static void read_past(struct ui *ui, const struct subject *s, struct figures *out)
{
	struct rewind *r = &ui->rewind;
	struct subject then = *s;

	/* Rates are those of the steps that were over. */
	then.now = out->at >= WATCH_STEP ? out->at / WATCH_STEP * WATCH_STEP - 1 : 0;
	then.state = s->state == SUBJECT_REPLAY ? SUBJECT_REPLAY : SUBJECT_LIVE;
	read_rates(ui, &then, out);
	out->gc_share = out->heap = NAN;
	out->lost_words = out->domains = UINT64_MAX;
	if (!rewind_to(r, watch_model(s->watch), watch_history(s->watch), out->at))
		return;
	if (r->observed_ns != 0)
		out->gc_share = (double)r->gc_ns / (double)r->observed_ns;
	out->heap = past_heap(s, r, then.now);
	out->lost_words = r->lost_words;
	out->domains = then.state == SUBJECT_LIVE ? r->running : r->seen;
	out->pauses = &r->pauses;
}

void figures_read(struct ui *ui, const struct subject *s, struct figures *out)
{
	struct model_totals t;

	*out = (struct figures){.at = s->now};
	if (ui->frozen && moment_shown(ui) < s->now) {
		out->at = moment_shown(ui);
		out->past = true;
		read_past(ui, s, out);
		return;
	}
	model_totals(watch_model(s->watch), &t);
	read_rates(ui, s, out);
	out->gc_share = gc_share(s, &t);
	out->heap = watch_level(s->watch, WATCH_HEAP);
	out->lost_words = t.lost_words;
	out->domains = domain_count(s, &t);
	out->pauses = model_pauses(watch_model(s->watch));
}
