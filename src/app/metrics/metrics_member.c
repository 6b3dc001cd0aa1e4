/*
 * metrics_member.c - count what the model of a member reports.
 *
 * Time in pauses is split by the phases inside them.  The self time of each phase is added to its family when
 * the outermost span has ended and proves to be a pause; an update also includes the open pause so far.  An
 * impossible growth is left out (figures/window.h).
 */
#include "app/metrics/metrics_member.h"

#include "core/array.h"
#include "figures/figures.h"
#include "model/waiting.h"

static const double bounds[METRICS_BUCKETS] = METRICS_BOUNDS;

/* Return the family of a phase's self time. */
static enum metrics_family family_of(rtev_phase phase)
{
	if (model_phase_waits(phase))
		return METRICS_WAIT;
	switch (rtev_phase_class(phase)) {
	case RTEV_CLASS_MINOR:
		return METRICS_MINOR;
	case RTEV_CLASS_MARK:
		return METRICS_MARK;
	case RTEV_CLASS_SWEEP:
		return METRICS_SWEEP;
	case RTEV_CLASS_COMPACTION:
		return METRICS_COMPACT;
	case RTEV_CLASS_EXPLICIT:
		return METRICS_EXPLICIT;
	default:
		return METRICS_OTHER;
	}
}

/* Return the record of a domain, created on first use. */
static struct metrics_domain *domain_of(struct metrics_member *m, unsigned domain)
{
	bool there = array_reach(&m->domains, &m->domain_count, domain, sizeof(m->domains[0]));

	m->short_of |= !there;
	return there ? &m->domains[domain] : NULL;
}

/* Count a pause in its bucket. */
static void bucket_add(struct metrics_domain *d, uint64_t ns)
{
	int b = 0;

	while (b < METRICS_BUCKETS && (double)ns > bounds[b] * 1e9)
		b++;
	d->buckets[b]++;
	d->pause_ns = sum_saturating(d->pause_ns, ns);
}

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct metrics_member *m = ctx;
	struct metrics_domain *d = domain_of(m, domain);

	if (d == NULL)
		return;
	uint64_t *inside = &d->inside[family_of(span->phase)];
	*inside = sum_saturating(*inside, span->self);
	if (span->depth != 0)
		return;
	for (int f = 0; f < METRICS_FAMILY_COUNT && span->pause; f++)
		d->closed[f] = sum_saturating(d->closed[f], d->inside[f]);
	memset(d->inside, 0, sizeof(d->inside));
	if (span->pause)
		bucket_add(d, span->end - span->begin);
}

static void on_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct metrics_domain *d = domain_of(ctx, domain);

	if (d != NULL && depth == 0)
		memset(d->inside, 0, sizeof(d->inside));
}

bool metrics_member_begin(struct fleet_member *member)
{
	struct metrics_member *m = calloc(1, sizeof(*m));
	const struct model_observer observer = {.ctx = m, .closed = on_closed, .dropped = on_dropped};

	if (m == NULL || !model_observe(member->observation->model, &observer)) {
		free(m);
		return false;
	}
	m->member = member;
	m->mutex_waiters = m->master_waiters = NAN;
	member->face = m;
	return true;
}

void metrics_member_end(struct fleet_member *member)
{
	struct metrics_member *m = member->face;

	free(m->domains);
	free(m);
	member->face = NULL;
}

/* Get a domain's time in pauses by family, including its open pause. */
static void pauses_so_far(
    const struct metrics_domain *d, const struct model_domain *model, uint64_t out[METRICS_FAMILY_COUNT])
{
	const struct model_open_span *open = model != NULL ? model_open_pause(model) : NULL;

	memcpy(out, d->closed, sizeof(d->closed));
	if (open == NULL || model->gc_open_ns == 0)
		return;
	for (int f = 0; f < METRICS_FAMILY_COUNT; f++)
		out[f] = sum_saturating(out[f], d->inside[f]);
	uint64_t end = open->begin + model->gc_open_ns;
	for (unsigned i = model->depth; i-- > 0;) {
		const struct model_open_span *span = &model->stack[i];
		uint64_t *family = &out[family_of(span->phase)];
		if (end > span->begin && end - span->begin > span->inside)
			*family = sum_saturating(*family, end - span->begin - span->inside);
		end = span->begin < end ? span->begin : end;
	}
}

/* Add a step's time in pauses, unless it is impossible.  An open pause that was included may have been
 * dropped since. */
static void families_take(struct metrics_domain *d, const struct model_domain *model, double most_ns)
{
	uint64_t now[METRICS_FAMILY_COUNT], grown[METRICS_FAMILY_COUNT], sum = 0;

	pauses_so_far(d, model, now);
	for (int f = 0; f < METRICS_FAMILY_COUNT; f++) {
		grown[f] = now[f] > d->before[f] ? now[f] - d->before[f] : 0;
		sum = sum_saturating(sum, grown[f]);
	}
	/* A barrier of the only domain is a part of its collection (model_waited). */
	const int wait = model != NULL && model->alone ? METRICS_OTHER : METRICS_WAIT;
	for (int f = 0; f < METRICS_FAMILY_COUNT && (double)sum <= most_ns; f++)
		d->families[f == METRICS_WAIT ? wait : f] += grown[f];
	memcpy(d->before, now, sizeof(now));
}

/* Add what a step has added to a domain. */
static void step_take(
    struct metrics_member *m, struct metrics_domain *d, unsigned domain, const struct window_growth *step)
{
	double age_ns = (double)(m->updated_ts - m->member->attach_ts) + 1e9;

	families_take(d, model_domain(m->member->observation->model, domain), step->observed_ns);
	if (!isnan(step->observed_ns))
		m->observed_ns += (uint64_t)step->observed_ns;
	if (!isnan(step->allocated))
		d->allocated += (uint64_t)step->allocated;
	if (!isnan(step->promoted))
		d->promoted += (uint64_t)step->promoted;
	if (!isnan(step->lost_words))
		d->lost_words += (uint64_t)step->lost_words;
	for (int b = 0; b <= METRICS_BUCKETS && (double)d->pause_ns <= age_ns; b++)
		m->buckets[b] += d->buckets[b];
	if ((double)d->pause_ns <= age_ns)
		m->pause_ns += d->pause_ns;
	memset(d->buckets, 0, sizeof(d->buckets));
	d->pause_ns = 0;
}

/* Add how busy the event loop of a domain was.  A loss may still turn up in its open turn. */
static void loop_take(const struct metrics_member *m, struct metrics_domain *d, unsigned domain)
{
	const struct observation *o = m->member->observation;
	const char *name;
	const struct fibers *f = schedulers_first(o->schedulers, &name);
	struct fiber_loop loop;

	if (f != NULL && figure_loop(f, o->model, domain, &loop) && loop.busy_ns > d->loop_busy_ns)
		d->loop_busy_ns = loop.busy_ns;
}

/* Take the looks at locks since the last update.  Without new looks, the last values stay. */
static void locks_take(struct metrics_member *m)
{
	const struct observation *o = m->member->observation;

	if (observation_locks_why(o) != NULL) {
		m->mutex_waiters = m->master_waiters = NAN;
		return;
	}
	const struct lock_sums sums = lock_past_sums(o->locks);
	/* After an exec the looks count from 0 again. */
	if (sums.ns < m->locks.ns)
		m->locks = (struct lock_sums){0};
	if (sums.ns == m->locks.ns)
		return;
	const double ns = (double)(sums.ns - m->locks.ns);
	m->mutex_waiters = (double)(sums.mutex - m->locks.mutex) / ns;
	m->master_waiters = (double)(sums.master - m->locks.master) / ns;
	m->locks = sums;
}

void metrics_member_update(struct metrics_member *m)
{
	const struct window_figures *f = &m->member->figures;

	locks_take(m);
	if (!f->known || f->to == m->updated_ts)
		return;
	m->updated_ts = f->to;
	for (unsigned i = 0; i < f->domain_count; i++) {
		struct metrics_domain *d = domain_of(m, i);
		if (d == NULL)
			return;
		step_take(m, d, i, &f->domains[i].step);
		loop_take(m, d, i);
	}
}
