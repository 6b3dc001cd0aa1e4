/* header_figures.c - compute the header's figures. */
#include "ui/header_figures.h"

#include "core/sum.h"
#include "ui/recent.h"

/* Fill in the figures of the last seconds from the series. */
static void read_now(const struct subject *s, struct figures_window *out)
{
	const struct figure_gc share = lately_gc(subject_lately(s), WATCH_ALL, FIGURES_NOW_NS);
	struct watch_recent lost;

	out->gc = share.gc;
	out->wait = share.wait;
	out->events = lately_rate(subject_lately(s), WATCH_ALL, WATCH_EVENTS, FIGURES_NOW_NS);
	out->minors = lately_rate(subject_lately(s), WATCH_ALL, WATCH_MINORS, FIGURES_NOW_NS);
	out->cycles = lately_rate(subject_lately(s), WATCH_ALL, WATCH_CYCLES, FIGURES_NOW_NS);
	out->allocated = lately_rate(subject_lately(s), WATCH_ALL, WATCH_ALLOCATED, FIGURES_NOW_NS);
	out->promoted = lately_rate(subject_lately(s), WATCH_ALL, WATCH_PROMOTED, FIGURES_NOW_NS);
	out->lost_words = 0;
	/* Without a loss there is no series of losses. */
	if (watch_recent(s->watch, WATCH_ALL, WATCH_LOST, s->now, FIGURES_NOW_NS, &lost))
		out->lost_words = whole_saturating(lost.sum);
}

/* Fill in the mean rates since the totals began. */
static void read_means(const struct model *m, struct figures_window *out)
{
	out->events = figure_mean(m, FIGURE_EVENTS, 0, WATCH_STEP).sum;
	out->minors = figure_mean(m, FIGURE_SPANS, RTEV_PHASE_MINOR, WATCH_STEP).most;
	out->cycles = figure_mean(m, FIGURE_SPANS, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS, WATCH_STEP).most;
	out->allocated = figure_mean(m, FIGURE_SUM, RTEV_COUNTER_MINOR_ALLOCATED, WATCH_STEP).sum;
	out->promoted = figure_mean(m, FIGURE_SUM, RTEV_COUNTER_MINOR_PROMOTED, WATCH_STEP).sum;
}

/* Return the heap of the domains that ran then, at the end of a step. */
static double past_heap(const struct subject *s, const struct rewind *r, uint64_t step_end)
{
	double heap = NAN;
	const struct model_totals t = model_totals(watch_model(s->watch));

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

/* Return the pauses of the last seconds before an earlier time, read once from the history; NULL: not
 * known. */
static const struct hist *past_pauses(struct figures_memory *memory, const struct subject *s, uint64_t at)
{
	if (memory->at != at) {
		const struct model_totals t = model_totals(watch_model(s->watch));
		memory->at = at;
		memory->known = recent_past(watch_history(s->watch), t.domains, recent_from(at), at + 1,
		    t.was_reset ? t.since_ts : 0, &memory->recent);
	}
	return memory->known ? &memory->recent : NULL;
}

/* Fill in figures of the last seconds from the samples of the process. */
static void read_system(const struct subject *s, struct figures *out)
{
	const struct system_past *past = watch_system(s->watch);
	const struct system_row *row = system_past_at(past, out->at);
	uint64_t from = out->at > FIGURES_NOW_NS ? out->at - FIGURES_NOW_NS : 0, user, system, time, cores,
		 swap, resident, periods, throttled, waited, ran;

	out->cpu = out->cores = out->queued = out->throttled = out->swap = NAN;
	if (system_past_sum(past, SYSTEM_THROTTLED_PERIODS, from, out->at, &throttled, &time) &&
	    system_past_sum(past, SYSTEM_PERIODS, from, out->at, &periods, &time) && periods > 0)
		out->throttled = figure_share((double)throttled, (double)periods);
	if (row != NULL && system_row_get(row, SYSTEM_SWAP, &swap) &&
	    system_row_get(row, SYSTEM_RESIDENT, &resident)) {
		out->swap_bytes = swap;
		out->swap = figure_share((double)swap, (double)swap + (double)resident);
	}
	if (system_past_sum(past, SYSTEM_CPU_USER, from, out->at, &user, &time) &&
	    system_past_sum(past, SYSTEM_CPU_SYSTEM, from, out->at, &system, &time))
		out->cpu = ((double)user + (double)system) / (double)time;
	if (system_past_sum(past, SYSTEM_WAIT, from, out->at, &waited, &time) &&
	    system_past_sum(past, SYSTEM_RUN, from, out->at, &ran, &time))
		out->queued = figure_share((double)waited, (double)waited + (double)ran);
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
	read_now(&then, &out->now);
	out->now.pauses = past_pauses(&ui->figures, s, then.now);
	if (isnan(out->now.gc))
		out->now.lost_words = UINT64_MAX; /* the series no longer reach back that far */
	out->growth = out->heap = out->since.gc = out->since.wait = NAN;
	out->since.events = out->since.minors = out->since.cycles = NAN;
	out->since.allocated = out->since.promoted = NAN;
	out->since.lost_words = out->domains = UINT64_MAX;
	if (!rewind_to(r, watch_model(s->watch), watch_history(s->watch), out->at))
		return;
	const struct figure_gc gc =
	    figure_gc_of((double)r->gc_ns, (double)r->wait_ns, (double)r->observed_ns);
	out->since.gc = gc.gc;
	out->since.wait = r->wait_known ? gc.wait : (double)NAN;
	out->heap = past_heap(s, r, then.now);
	out->since.lost_words = r->lost_words;
	out->domains = r->running != 0 ? r->running : r->seen;
	out->since.pauses = &r->pauses;
}

void figures_read(struct ui *ui, const struct subject *s, struct figures *out)
{
	*out = (struct figures){.at = s->now, .since_ts = figure_since(watch_model(s->watch))};
	if (ui->frozen && moment_shown(ui) < s->now) {
		out->at = moment_shown(ui);
		out->past = true;
		read_past(ui, s, out);
		read_system(s, out);
		return;
	}
	const struct model_totals t = model_totals(watch_model(s->watch));
	read_now(s, &out->now);
	const struct model *m = watch_model(s->watch);
	const struct figure_gc gc = figure_gc_all(m);
	out->since.gc = gc.gc;
	out->since.wait = gc.wait;
	read_means(m, &out->since);
	const struct model_level heap = model_level(m, HEAP_SIZE);
	out->heap = heap.words;
	out->heap_age = !isnan(heap.words) && !subject_over(s) && s->now > heap.ts ? s->now - heap.ts : 0;
	out->growth = subject_over(s) ? (double)NAN : figure_heap_growth(m);
	/* A leak that is slower than this figure tells is not steady. */
	if (out->growth == 0 && advice_found(s->advice, "heap_growth") != NULL)
		out->growth = NAN;
	read_system(s, out);
	out->since.lost_words = t.lost_words;
	out->domains = t.seen ? figure_domains(m, subject_over(s)) : UINT64_MAX;
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
