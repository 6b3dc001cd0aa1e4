/*
 * window.c - sums, marks, and the differences between them.
 */
#include "figures/window.h"

#include "core/array.h"
#include "figures/figures.h"

#define WORD_BYTES 8

/* More words per ns than a processor writes to a ring, and more bytes per ns than a domain allocates. */
#define WORDS_PER_NS 1.0
#define BYTES_PER_NS 128.0

/* Events may be stamped a little before the attach. */
#define SLACK_NS 1e9

/* Return the sums of a domain; all zeros for a domain that was not seen.  The open pause is included, so that
 * a long one counts in each step and not only in that of its end. */
static struct window_sum sum_of(const struct model_domain *d)
{
	if (d == NULL || !d->seen)
		return (struct window_sum){.lost_words = d != NULL ? d->lost_words : 0};
	const struct model_counts counts = figure_counts(d);
	return (struct window_sum){
	    .gc_ns = d->gc_ns + d->gc_open_ns,
	    .observed_ns = d->observed_ns,
	    .paused_ns = d->target_paused_ns,
	    .minors = counts.minors,
	    .majors = counts.majors,
	    .events = d->events,
	    .lost_words = d->lost_words,
	    .allocated = counts.allocated,
	    .promoted = counts.promoted,
	};
}

static void lengths_fini(struct window_lengths *lengths)
{
	hist_fini(&lengths->all);
	for (unsigned i = 0; i < lengths->domain_count; i++)
		hist_fini(&lengths->domains[i]);
	free(lengths->domains);
}

static void lengths_clear(struct window_lengths *lengths)
{
	hist_clear(&lengths->all);
	for (unsigned i = 0; i < lengths->domain_count; i++)
		hist_clear(&lengths->domains[i]);
}

void window_mark_fini(struct window_mark *mark)
{
	lengths_fini(&mark->pauses);
	lengths_fini(&mark->turns);
	free(mark->sums);
	*mark = (struct window_mark){0};
}

bool window_mark_take(struct window_mark *mark, const struct model *m, uint64_t now, struct window_cpu cpu)
{
	const struct model_totals t = model_totals(m);

	lengths_clear(&mark->pauses);
	lengths_clear(&mark->turns);
	mark->ts = now;
	mark->cpu = cpu;
	if (t.domains > 0 && !array_reach(&mark->sums, &mark->domains, t.domains - 1, sizeof(mark->sums[0])))
		return false;
	mark->domains = t.domains;
	for (unsigned i = 0; i < t.domains; i++)
		mark->sums[i] = sum_of(model_domain(m, i));
	return true;
}

bool window_lengths_add(struct window_lengths *lengths, unsigned domain, uint64_t ns, bool by_domain)
{
	if (!hist_add(&lengths->all, ns))
		return false;
	return !by_domain ||
	       (array_reach(&lengths->domains, &lengths->domain_count, domain, sizeof(lengths->domains[0])) &&
		   hist_add(&lengths->domains[domain], ns));
}

/* Add the histogram of all domains, or of one, to another. */
static bool lengths_merge(struct hist *into, const struct window_lengths *lengths, const unsigned *domain)
{
	const struct hist *of = domain == NULL			  ? &lengths->all
				: *domain < lengths->domain_count ? &lengths->domains[*domain]
								  : NULL;
	return of == NULL || of->count == 0 || hist_merge(into, of);
}

/* Fill in the percentiles and the maximum of the window's pauses and turns.  None can be longer than
 * `most_ns`. */
static bool lengths_make(struct window_rates *out, struct window_mark *const *marks, unsigned count,
    const unsigned *domain, double most_ns)
{
	struct hist pauses = {0}, turns = {0};
	bool made = true;

	for (unsigned i = 0; i < count && made; i++)
		made = lengths_merge(&pauses, &marks[i]->pauses, domain) &&
		       lengths_merge(&turns, &marks[i]->turns, domain);
	const bool known = made && (double)pauses.max <= most_ns;
	out->pause_p50 = known ? hist_figure(&pauses, 50, 100) : (double)NAN;
	out->pause_p99 = known ? hist_figure(&pauses, 99, 100) : (double)NAN;
	out->pause_max = known ? hist_figure(&pauses, 1, 1) : (double)NAN;
	out->loop_p99 = made && (double)turns.max <= most_ns ? hist_figure(&turns, 99, 100) : (double)NAN;
	hist_fini(&pauses);
	hist_fini(&turns);
	return made;
}

/* The most that can have happened in the time since the attach. */
struct bounds {
	double time_ns, lost_words, bytes;
};

/* Return the bounds at a time. */
static struct bounds bounds_at(const struct model_totals *t, uint64_t now)
{
	uint64_t begin = t->since_ts != 0 ? t->since_ts : t->first_ts;
	double ns = (now > begin ? (double)(now - begin) : 0) + SLACK_NS;

	return (struct bounds){.time_ns = ns, .lost_words = ns * WORDS_PER_NS, .bytes = ns * BYTES_PER_NS};
}

/* Return the growth of a sum of bytes; NAN if the growth or the new sum is impossible. */
static double bytes_grown(int64_t now, int64_t then, double most)
{
	return now >= then && then >= 0 && (double)now <= most ? (double)(now - then) : (double)NAN;
}

/* Return the growth of a domain's observed time.  A target's pause may be known only once it ends: its part
 * before the mark is then taken out of the earlier time. */
static double observed_since(const struct window_sum *now, const struct window_sum *then,
    const struct model *m, uint64_t from, uint64_t to)
{
	const uint64_t seen = to > from ? figure_seen(m, from, to) : 0,
		       paused = to > from ? to - from - seen : 0,
		       taken = now->paused_ns > then->paused_ns ? now->paused_ns - then->paused_ns : 0;
	double grown = (double)now->observed_ns - (double)then->observed_ns;

	if (taken > paused)
		grown += (double)(taken - paused);
	return grown > 0 ? fmin(grown, (double)seen) : 0;
}

/* Return the growth of a domain's sums since a mark. */
static struct window_growth since(const struct window_sum *now, const struct window_mark *mark,
    unsigned domain, const struct bounds *most, const struct model *m, uint64_t ts)
{
	const struct window_sum then = domain < mark->domains ? mark->sums[domain] : (struct window_sum){0};
	struct window_growth g = {
	    /* A pause that was open at the mark may have been dropped since. */
	    .gc_ns = now->gc_ns > then.gc_ns ? (double)(now->gc_ns - then.gc_ns) : 0,
	    .observed_ns = observed_since(now, &then, m, mark->ts, ts),
	    .minors = (double)(now->minors - then.minors),
	    .majors = (double)(now->majors - then.majors),
	    .events = (double)(now->events - then.events),
	    .lost_words = (double)now->lost_words <= most->lost_words
			      ? (double)(now->lost_words - then.lost_words)
			      : (double)NAN,
	    .allocated = bytes_grown(now->allocated, then.allocated, most->bytes),
	    .promoted = bytes_grown(now->promoted, then.promoted, most->bytes),
	};

	if (g.gc_ns > g.observed_ns || now->gc_ns > now->observed_ns ||
	    (double)now->observed_ns > most->time_ns)
		g.gc_ns = g.observed_ns = NAN;
	return g;
}

/* Add the growth of a domain to that of all. */
static void add(struct window_growth *all, const struct window_growth *g)
{
	all->gc_ns += g->gc_ns;
	all->observed_ns += g->observed_ns;
	all->minors = fmax(all->minors, g->minors);
	all->majors = fmax(all->majors, g->majors);
	all->events += g->events;
	all->lost_words += g->lost_words;
	all->allocated += g->allocated;
	all->promoted += g->promoted;
}

/* Compute rates from the growth in a stretch of time of which `seen_ns` were seen and `counted_ns` counted; `events`: the
 * target has recorded some. */
static struct window_rates rates_of(
    const struct window_growth *g, uint64_t seen_ns, uint64_t counted_ns, bool events)
{
	bool whole = g->lost_words == 0;

	return (struct window_rates){
	    .gc_share = figure_share(g->gc_ns, g->observed_ns),
	    .minors = whole ? figure_rate(g->minors, counted_ns) : (double)NAN,
	    .majors = whole ? figure_rate(g->majors, counted_ns) : (double)NAN,
	    .allocated = whole ? figure_rate(g->allocated, counted_ns) : (double)NAN,
	    .promoted = whole ? figure_rate(g->promoted, counted_ns) : (double)NAN,
	    .events = figure_rate(g->events, seen_ns),
	    .lost_words = events ? g->lost_words : (double)NAN,
	    .heap_bytes = NAN,
	};
}

bool window_figures_make(struct window_figures *out, struct window_mark *const *marks, unsigned count,
    const struct model *m, const struct fibers *fibers, uint64_t now, struct window_cpu cpu)
{
	const struct window_mark *mark = marks[0];
	uint64_t seen = figure_seen(m, mark->ts, now), counted = figure_counted(m, mark->ts, now);
	/* Sums over all domains; over domains that ran and lost nothing; over all in the last step. */
	struct window_growth all = {0}, whole = {.minors = -1, .majors = -1}, step = {0};

	out->known = false;
	const struct model_totals t = model_totals(m);
	if (now <= mark->ts)
		return true;
	/* A target that was never seen has no rates. */
	if (!t.seen)
		seen = counted = 0;
	if (t.domains > 0 &&
	    !array_reach(&out->domains, &out->domain_count, t.domains - 1, sizeof(out->domains[0])))
		return false;
	out->domain_count = t.domains;
	const struct bounds most = bounds_at(&t, now);
	const bool events = t.events > 0 || t.lost_words > 0 || !model_silent(m);
	out->lost_words = events && (double)t.lost_words <= most.lost_words * t.domains ? (double)t.lost_words
											: (double)NAN;
	for (unsigned i = 0; i < t.domains; i++) {
		const struct model_domain *d = model_domain(m, i);
		const struct window_sum sum = sum_of(d);
		const struct window_growth grown = since(&sum, mark, i, &most, m, now);
		struct window_domain *to = &out->domains[i];
		*to = (struct window_domain){.seen = d != NULL && d->seen,
		    .rates = rates_of(&grown, seen, counted, events),
		    .step = since(&sum, marks[count - 1], i, &most, m, now)};
		add(&all, &grown);
		add(&step, &to->step);
		if (grown.lost_words == 0 && grown.observed_ns > 0)
			add(&whole, &grown);
		if (!lengths_make(&to->rates, marks, count, &i, most.time_ns))
			return false;
		if (to->seen && model_heap_stands(m, d))
			to->rates.heap_bytes = WORD_BYTES * d->heap.values[HEAP_SIZE];
	}
	out->all = rates_of(&all, seen, counted, events);
	if (whole.minors >= all.minors)
		out->all.minors = figure_rate(all.minors, counted);
	if (whole.majors >= all.majors)
		out->all.majors = figure_rate(all.majors, counted);
	const struct model_level heap = model_level(m, HEAP_SIZE);
	out->all.heap_bytes = WORD_BYTES * heap.words;
	out->heap_age = isnan(heap.words) ? (double)NAN : now > heap.ts ? (double)(now - heap.ts) : 0;
	out->heap_growth = figure_heap_growth(m);
	out->step_gc_share = figure_share(step.gc_ns, step.observed_ns);
	out->from = mark->ts;
	out->to = now;
	out->fibers = figure_fibers(fibers);
	out->running = t.seen ? (double)figure_domains(m, false) : (double)NAN;
	out->cpu = cpu.known && mark->cpu.known && cpu.ts > mark->cpu.ts && cpu.ns >= mark->cpu.ns
		       ? (double)(cpu.ns - mark->cpu.ns) / (double)(cpu.ts - mark->cpu.ts)
		       : NAN;
	out->known = lengths_make(&out->all, marks, count, NULL, most.time_ns);
	return out->known;
}

void window_figures_fini(struct window_figures *f)
{
	free(f->domains);
	*f = (struct window_figures){0};
}

const struct window_figures *window_figures_told(const struct window_figures *f)
{
	static const struct window_figures unknown = {
	    .all = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
	    .cpu = NAN,
	    .resident_bytes = NAN,
	    .heap_growth = NAN,
	    .heap_age = NAN,
	    .running = NAN,
	    .lost_words = NAN,
	    .fibers = NAN};

	return f != NULL && f->known ? f : &unknown;
}
