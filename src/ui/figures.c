/*
 * figures.c - compute the header's figures.
 */
#include "ui/figures.h"

#include <math.h>
#include <string.h>

#include "ui/measure.h"
#include "ui/views/moment.h"
#include "ui/view.h"

/* Count the running domains or, once none runs, those that ran. */
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

/* Fill in the figures of the last seconds from the series. */
static void read_now(const struct ui *ui, const struct subject *s, struct figures_window *out)
{
	const struct measure_share share = measure_gc(ui, s, WATCH_ALL, FIGURES_NOW_NS);
	struct watch_recent lost;

	out->gc = share.gc;
	out->wait = share.wait;
	out->events = measure_rate(ui, s, WATCH_ALL, WATCH_EVENTS, FIGURES_NOW_NS);
	out->minors = measure_rate(ui, s, WATCH_ALL, WATCH_MINORS, FIGURES_NOW_NS);
	out->cycles = measure_rate(ui, s, WATCH_ALL, WATCH_CYCLES, FIGURES_NOW_NS);
	out->allocated = measure_rate(ui, s, WATCH_ALL, WATCH_ALLOCATED, FIGURES_NOW_NS);
	out->promoted = measure_rate(ui, s, WATCH_ALL, WATCH_PROMOTED, FIGURES_NOW_NS);
	out->lost_words = 0;
	/* Without a loss there is no series of losses. */
	if (watch_recent(s->watch, WATCH_ALL, WATCH_LOST, s->now, FIGURES_NOW_NS, &lost))
		out->lost_words = (uint64_t)lost.sum;
}

/* Return a domain's count since the totals began. */
static double events_of(const struct model_domain *d, unsigned unused)
{
	(void)unused;
	return (double)d->events;
}

static double spans_of(const struct model_domain *d, unsigned phase)
{
	return (double)d->phases[phase].count;
}

static double sum_of(const struct model_domain *d, unsigned counter)
{
	return (double)d->counters[counter].sum;
}

/* Fill in the mean rates since the totals began. */
static void read_means(const struct subject *s, struct figures_window *out)
{
	out->events = measure_mean(s, events_of, 0).sum;
	/* All domains take part in a collection. */
	out->minors = measure_mean(s, spans_of, RTEV_PHASE_MINOR).most;
	out->cycles = measure_mean(s, spans_of, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS).most;
	out->allocated = measure_mean(s, sum_of, RTEV_COUNTER_MINOR_ALLOCATED).sum;
	out->promoted = measure_mean(s, sum_of, RTEV_COUNTER_MINOR_PROMOTED).sum;
}

/* Return the heap of the domains that ran then, at the end of a step. */
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

/* Return the pauses of the last seconds before an earlier time, read once from the history; NULL: unknown. */
static const struct hist *past_pauses(struct figures_memory *memory, const struct subject *s, uint64_t at)
{
	struct model_totals t;

	if (memory->at != at) {
		model_totals(watch_model(s->watch), &t);
		memory->at = at;
		memory->known = recent_past(watch_history(s->watch), t.domains, recent_from(at), at + 1,
		    t.was_reset ? t.since_ts : 0, &memory->recent);
	}
	return memory->known ? &memory->recent : NULL;
}

/* Fill in what the samples of the process tell of the last seconds. */
static void read_system(const struct subject *s, struct figures *out)
{
	const struct system_past *past = watch_system(s->watch);
	const struct system_row *row = system_past_at(past, out->at);
	uint64_t from = out->at > FIGURES_NOW_NS ? out->at - FIGURES_NOW_NS : 0, user, system, time, cores;

	out->cpu = out->cores = NAN;
	if (system_past_sum(past, SYSTEM_CPU_USER, from, out->at, &user, &time) &&
	    system_past_sum(past, SYSTEM_CPU_SYSTEM, from, out->at, &system, &time))
		out->cpu = ((double)user + (double)system) / (double)time;
	if (out->past ? row != NULL && system_row_get(row, SYSTEM_CORES, &cores)
		      : system_past_total(past, SYSTEM_CORES, &cores))
		out->cores = (double)cores / 1000;
}

/* Fill in the figures of an earlier time of a frozen screen. */
static void read_past(struct ui *ui, const struct subject *s, struct figures *out)
{
	struct rewind *r = &ui->figures.then;
	struct subject then = *s;

	/* Series are complete up to the last full step. */
	then.now = out->at >= WATCH_STEP ? out->at / WATCH_STEP * WATCH_STEP - 1 : 0;
	then.state = s->state == SUBJECT_REPLAY ? SUBJECT_REPLAY : SUBJECT_LIVE;
	read_now(ui, &then, &out->now);
	out->now.pauses = past_pauses(&ui->figures, s, then.now);
	if (isnan(out->now.gc))
		out->now.lost_words = UINT64_MAX; /* the series no longer reach back that far */
	out->heap = out->since.gc = out->since.wait = NAN;
	out->since.events = out->since.minors = out->since.cycles = NAN;
	out->since.allocated = out->since.promoted = NAN;
	out->since.lost_words = out->domains = UINT64_MAX;
	if (!rewind_to(r, watch_model(s->watch), watch_history(s->watch), out->at))
		return;
	if (r->observed_ns != 0)
		out->since.gc = (double)r->gc_ns / (double)r->observed_ns;
	if (r->observed_ns != 0 && r->wait_known)
		out->since.wait = (double)r->wait_ns / (double)r->observed_ns;
	out->heap = past_heap(s, r, then.now);
	out->since.lost_words = r->lost_words;
	out->domains = then.state == SUBJECT_LIVE ? r->running : r->seen;
	out->since.pauses = &r->pauses;
}

/* Fill in the time all domains spent in pauses, as a share of their observed time. */
static void read_shares(const struct subject *s, const struct model_totals *t, struct figures_window *out)
{
	uint64_t observed = 0;

	for (unsigned i = 0; i < t->domains; i++) {
		const struct model_domain *d = model_domain(watch_model(s->watch), i);
		observed += d != NULL ? d->observed_ns : 0;
	}
	out->gc = observed != 0 ? (double)t->gc_ns / (double)observed : NAN;
	out->wait = observed != 0 ? (double)t->wait_ns / (double)observed : NAN;
}

void figures_read(struct ui *ui, const struct subject *s, struct figures *out)
{
	struct model_totals t;

	*out = (struct figures){.at = s->now, .since_ts = measure_since(s)};
	if (ui->frozen && moment_shown(ui) < s->now) {
		out->at = moment_shown(ui);
		out->past = true;
		read_past(ui, s, out);
		read_system(s, out);
		return;
	}
	model_totals(watch_model(s->watch), &t);
	read_now(ui, s, &out->now);
	read_shares(s, &t, &out->since);
	read_means(s, &out->since);
	out->heap = model_heap(watch_model(s->watch), HEAP_SIZE);
	read_system(s, out);
	out->since.lost_words = t.lost_words;
	out->domains = domain_count(s, &t);
	out->since.pauses = model_pauses(watch_model(s->watch));
	ui->figures.at = 0;
	if (recent_read(watch_pauses(s->watch), s->now, &ui->figures.recent))
		out->now.pauses = &ui->figures.recent;
}

void figures_forget(struct figures_memory *memory)
{
	rewind_fini(&memory->then);
	hist_fini(&memory->recent);
	*memory = (struct figures_memory){0};
}
