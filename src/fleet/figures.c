/*
 * figures.c - sums, marks, and the differences between them.
 */
#include "fleet/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 8

/* Return the sums of a domain; all zero for a domain that was not seen.  Without the open pause a long one would
 * be counted in the step of its end only. */
static struct fleet_sum sum_of(const struct model_domain *d)
{
	if (d == NULL || !d->seen)
		return (struct fleet_sum){.lost_words = d != NULL ? d->lost_words : 0};
	return (struct fleet_sum){
	    .gc_ns = d->gc_ns + d->gc_open_ns,
	    .observed_ns = d->observed_ns,
	    .minors = d->phases[RTEV_PHASE_MINOR].count,
	    .majors = d->phases[RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS].count,
	    .events = d->events,
	    .lost_words = d->lost_words,
	    .allocated = d->counters[RTEV_COUNTER_MINOR_ALLOCATED].sum,
	    .promoted = d->counters[RTEV_COUNTER_MINOR_PROMOTED].sum,
	};
}

void fleet_mark_fini(struct fleet_mark *mark)
{
	hist_fini(&mark->pauses);
	for (unsigned i = 0; i < mark->domain_pauses_count; i++)
		hist_fini(&mark->domain_pauses[i]);
	free(mark->domain_pauses);
	free(mark->sums);
	*mark = (struct fleet_mark){0};
}

bool fleet_mark_take(struct fleet_mark *mark, const struct model *m, uint64_t now, struct fleet_cpu cpu)
{
	struct model_totals t;

	model_totals(m, &t);
	hist_clear(&mark->pauses);
	for (unsigned i = 0; i < mark->domain_pauses_count; i++)
		hist_clear(&mark->domain_pauses[i]);
	mark->ts = now;
	mark->cpu = cpu;
	if (t.domains > mark->domains) {
		struct fleet_sum *sums = reallocarray(mark->sums, t.domains, sizeof(*sums));
		if (sums == NULL)
			return false;
		mark->sums = sums;
	}
	mark->domains = t.domains;
	for (unsigned i = 0; i < t.domains; i++)
		mark->sums[i] = sum_of(model_domain(m, i));
	return true;
}

bool fleet_mark_pause(struct fleet_mark *mark, unsigned domain, uint64_t ns, bool by_domain)
{
	if (!hist_add(&mark->pauses, ns))
		return false;
	if (!by_domain)
		return true;
	if (domain >= mark->domain_pauses_count) {
		struct hist *more = reallocarray(mark->domain_pauses, domain + 1, sizeof(*more));
		if (more == NULL)
			return false;
		memset(more + mark->domain_pauses_count, 0,
		    (domain + 1 - mark->domain_pauses_count) * sizeof(*more));
		mark->domain_pauses = more;
		mark->domain_pauses_count = domain + 1;
	}
	return hist_add(&mark->domain_pauses[domain], ns);
}

/* Fill in the percentiles and the maximum of the window's pauses. */
static bool pauses_make(
    struct fleet_rates *out, struct fleet_mark *const *marks, unsigned count, const unsigned *domain)
{
	struct hist all = {0};
	bool made = true;

	for (unsigned i = 0; i < count && made; i++) {
		const struct hist *of = domain == NULL ? &marks[i]->pauses
					: *domain < marks[i]->domain_pauses_count
					    ? &marks[i]->domain_pauses[*domain]
					    : NULL;
		made = of == NULL || of->count == 0 || hist_merge(&all, of);
	}
	out->pause_p50 = out->pause_p99 = out->pause_max = NAN;
	if (made && all.count != 0) {
		out->pause_p50 = (double)hist_percentile(&all, 50, 100);
		out->pause_p99 = (double)hist_percentile(&all, 99, 100);
		out->pause_max = (double)all.max;
	}
	hist_fini(&all);
	return made;
}

/* Return the share of the collector.  A share above 1 means that part of the time was not observed. */
static double share_of(const struct fleet_sum *d)
{
	return d->observed_ns != 0 && d->gc_ns <= d->observed_ns ? (double)d->gc_ns / (double)d->observed_ns
								 : NAN;
}

/* Compute rates from the sums of a stretch of time. */
static struct fleet_rates rates_of(const struct fleet_sum *d, double seconds)
{
	return (struct fleet_rates){
	    .gc_share = share_of(d),
	    .minors = (double)d->minors / seconds,
	    .majors = (double)d->majors / seconds,
	    .allocated = (double)d->allocated / seconds,
	    .promoted = (double)d->promoted / seconds,
	    .events = (double)d->events / seconds,
	    .lost_words = d->lost_words,
	    .heap_bytes = NAN,
	};
}

/* Return the growth of a domain's sums since a mark. */
static struct fleet_sum since(const struct fleet_sum *now, const struct fleet_mark *mark, unsigned domain)
{
	struct fleet_sum d = *now;

	if (domain >= mark->domains)
		return d;
	const struct fleet_sum *then = &mark->sums[domain];
	/* A pause that was open at the mark may have been dropped since. */
	d.gc_ns -= then->gc_ns < d.gc_ns ? then->gc_ns : d.gc_ns;
	/* The time of a loss is known only when it is over. */
	d.observed_ns -= then->observed_ns < d.observed_ns ? then->observed_ns : d.observed_ns;
	d.minors -= then->minors;
	d.majors -= then->majors;
	d.events -= then->events;
	d.lost_words -= then->lost_words;
	d.allocated -= then->allocated;
	d.promoted -= then->promoted;
	return d;
}

/* Add the sums of a domain to the sums of all. */
static void add(struct fleet_sum *all, const struct fleet_sum *d)
{
	all->gc_ns += d->gc_ns;
	all->observed_ns += d->observed_ns;
	all->minors = d->minors > all->minors ? d->minors : all->minors;
	all->majors = d->majors > all->majors ? d->majors : all->majors;
	all->events += d->events;
	all->lost_words += d->lost_words;
	all->allocated += d->allocated;
	all->promoted += d->promoted;
}

/* Allocate the figures of each domain. */
static bool domains_make(struct fleet_figures *out, unsigned domains)
{
	if (domains > out->domain_count) {
		struct fleet_rates *rates = reallocarray(out->domains, domains, sizeof(*rates));
		if (rates != NULL)
			out->domains = rates;
		bool *seen = reallocarray(out->domain_seen, domains, sizeof(*seen));
		if (seen != NULL)
			out->domain_seen = seen;
		if (rates == NULL || seen == NULL)
			return false;
	}
	out->domain_count = domains;
	return true;
}

bool fleet_figures_make(struct fleet_figures *out, struct fleet_mark *const *marks, unsigned count,
    const struct model *m, uint64_t now, struct fleet_cpu cpu)
{
	const struct fleet_mark *mark = marks[0];
	double seconds = (double)(now - mark->ts) / 1e9;
	struct fleet_sum all = {0}, step = {0};
	struct model_totals t;

	out->known = false;
	model_totals(m, &t);
	if (now <= mark->ts)
		return true;
	if (!domains_make(out, t.domains))
		return false;
	for (unsigned i = 0; i < t.domains; i++) {
		const struct model_domain *d = model_domain(m, i);
		struct fleet_sum now_sum = sum_of(d), d_sum = since(&now_sum, mark, i);
		out->domain_seen[i] = d != NULL && d->seen;
		out->domains[i] = rates_of(&d_sum, seconds);
		add(&all, &d_sum);
		struct fleet_sum d_step = since(&now_sum, marks[count - 1], i);
		add(&step, &d_step);
		if (!pauses_make(&out->domains[i], marks, count, &i))
			return false;
		if (out->domain_seen[i] && model_heap_stands(m, d))
			out->domains[i].heap_bytes = WORD_BYTES * d->heap.values[HEAP_SIZE];
	}
	out->all = rates_of(&all, seconds);
	out->all.heap_bytes = WORD_BYTES * model_heap(m, HEAP_SIZE);
	out->step_gc_share = share_of(&step);
	out->from = mark->ts;
	out->to = now;
	out->running = t.seen ? (double)t.running : (double)NAN;
	out->lost_words = t.lost_words;
	out->cpu = cpu.known && mark->cpu.known && cpu.ts > mark->cpu.ts && cpu.ns >= mark->cpu.ns
		       ? (double)(cpu.ns - mark->cpu.ns) / (double)(cpu.ts - mark->cpu.ts)
		       : NAN;
	out->known = pauses_make(&out->all, marks, count, NULL);
	return out->known;
}

void fleet_figures_fini(struct fleet_figures *f)
{
	free(f->domains);
	free(f->domain_seen);
	*f = (struct fleet_figures){0};
}
