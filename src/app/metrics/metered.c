/*
 * metered.c - count what the model of a member reports.
 *
 * Time in pauses is split by the phases inside them.  The self time of each phase is added to its family
 * when the outermost span has ended and turns out to be a pause; at an update, that of an open pause so far.
 * What a step added is told if it can be (fleet/figures.h).
 */
#include "app/metrics/metered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/sum.h"
#include "model/waiting.h"

/* Time between two samples of a process.  Reading them costs much of what there is to do for a quiet
 * process. */
#define SAMPLE_NS 2000000000u

/* Rows of samples that the advice looks at, and some more: no two samples are less than a second apart. */
#define PAST_ROWS (ADVICE_WINDOW_NS / 1000000000u + 8)

static const double bounds[METERED_BUCKETS] = METERED_BOUNDS;

/* Return the family of a phase's self time. */
static enum metered_family family_of(rtev_phase phase)
{
	if (model_phase_waits(phase))
		return METERED_WAIT;
	switch (rtev_phase_class(phase)) {
	case RTEV_CLASS_MINOR:
		return METERED_MINOR;
	case RTEV_CLASS_MARK:
		return METERED_MARK;
	case RTEV_CLASS_SWEEP:
		return METERED_SWEEP;
	case RTEV_CLASS_COMPACTION:
		return METERED_COMPACT;
	case RTEV_CLASS_EXPLICIT:
		return METERED_EXPLICIT;
	default:
		return METERED_OTHER;
	}
}

/* Return the record of a domain, created on first use. */
static struct metered_domain *domain_of(struct metered *m, unsigned domain)
{
	if (domain >= m->domain_count) {
		struct metered_domain *more = reallocarray(m->domains, domain + 1, sizeof(*more));
		if (more == NULL) {
			m->short_of = true;
			return NULL;
		}
		memset(more + m->domain_count, 0, (domain + 1 - m->domain_count) * sizeof(*more));
		m->domains = more;
		m->domain_count = domain + 1;
	}
	return &m->domains[domain];
}

/* Count a pause in its bucket. */
static void bucket_add(struct metered_domain *d, uint64_t ns)
{
	int b = 0;

	while (b < METERED_BUCKETS && (double)ns > bounds[b] * 1e9)
		b++;
	d->buckets[b]++;
	d->pause_ns = sum_saturating(d->pause_ns, ns);
}

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct metered *m = ctx;
	struct metered_domain *d = domain_of(m, domain);

	if (d == NULL)
		return;
	uint64_t *inside = &d->inside[family_of(span->phase)];
	*inside = sum_saturating(*inside, span->self);
	if (span->depth != 0)
		return;
	for (int f = 0; f < METERED_FAMILY_COUNT && span->pause; f++)
		d->closed[f] = sum_saturating(d->closed[f], d->inside[f]);
	memset(d->inside, 0, sizeof(d->inside));
	if (span->pause)
		bucket_add(d, span->end - span->begin);
}

static void on_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct metered_domain *d = domain_of(ctx, domain);

	(void)phase;
	(void)begin;
	if (d != NULL && depth == 0)
		memset(d->inside, 0, sizeof(d->inside));
}

static void metered_free(struct metered *m)
{
	advice_destroy(m->advice);
	system_past_destroy(m->past);
	session_system_fini(&m->system);
	stw_destroy(m->stw);
	free(m->domains);
	free(m);
}

bool metered_attached(void *ctx, struct fleet_member *member)
{
	struct metered *m = calloc(1, sizeof(*m));
	const struct model_observer own = {.ctx = m, .closed = on_closed, .dropped = on_dropped};
	struct model_observer observer;

	(void)ctx;
	if (m == NULL)
		return false;
	m->member = member;
	m->stw = stw_create();
	m->past = system_past_create();
	bool made = m->stw != NULL && m->past != NULL;
	if (made) {
		system_past_limit(m->past, PAST_ROWS);
		stw_forget(m->stw);
		stw_observer(m->stw, &observer);
		made = model_observe(member->model, &observer) && model_observe(member->model, &own) &&
		       minor_size_observe(&m->minor_size, member->model);
	}
	if (made)
		m->advice = advice_create(&(struct advice_options){0}, member->model, m->stw, m->past);
	if (m->advice == NULL) {
		model_unobserve(member->model, m->stw);
		model_unobserve(member->model, m);
		model_unobserve(member->model, &m->minor_size);
		metered_free(m);
		return false;
	}
	member->face = m;
	return true;
}

/* Sample the process if the last sample is older than `age`, and read the settings of its runtime. */
static void sample(struct metered *m, uint64_t now, uint64_t age)
{
	if (now - m->sampled_ts < age)
		return;
	const struct system_sample *taken = session_system_read(&m->system, m->member->session, now, false);
	if (taken == NULL)
		return;
	m->sampled_ts = now;
	if (m->system.other)
		system_past_break(m->past);
	system_past_add(m->past, taken);
	const struct ocaml_settings *settings =
	    session_system_settings(&m->system, m->member->session, minor_size_words(&m->minor_size));
	if (settings != NULL)
		system_past_set_settings(m->past, settings);
}

/* Tell the advice what is known of the target besides its events. */
static void advise_about(struct metered *m)
{
	const struct session *s = m->member->session;

	advice_about(m->advice, rtev_release_from_version(s->version.text), s->ring_words);
}

void metered_turned(void *ctx, struct fleet_member *member, uint64_t now, bool more)
{
	struct metered *m = member->face;

	(void)ctx;
	if (!more)
		stw_advance(m->stw, now - EVENT_DELAY_NS);
	sample(m, now, SAMPLE_NS);
	/* The advice takes in the stops.  At its own time of the last judgement it does not judge again. */
	advice_advance(m->advice, m->judged_ts);
	stw_forget(m->stw);
}

void metered_finished(void *ctx, struct fleet_member *member)
{
	struct metered *m = member->face;
	struct model_totals t;

	(void)ctx;
	m->finished = true;
	stw_advance(m->stw, UINT64_MAX);
	model_totals(member->model, &t);
	advise_about(m);
	advice_finish(m->advice, t.now > t.last_ts ? t.now : t.last_ts);
	/* Its descriptors are many, and there is nothing left to sample. */
	session_system_fini(&m->system);
}

/* Give back what only new events need, once the target has ended.  Its figures and findings are told for a
 * while. */
static void give_back(struct metered *m)
{
	struct advice *findings = m->stw != NULL ? advice_copy(m->advice) : NULL;

	if (findings == NULL)
		return;
	advice_destroy(m->advice);
	m->advice = findings;
	stw_destroy(m->stw);
	m->stw = NULL;
	m->past = system_past_close(m->past);
}

void metered_dropping(void *ctx, struct fleet_member *member)
{
	(void)ctx;
	metered_free(member->face);
	member->face = NULL;
}

/* Judge the findings. */
static void judge(struct metered *m, uint64_t now)
{
	sample(m, now, 0);
	advise_about(m);
	advice_advance(m->advice, now);
	m->judged_ts = now;
}

/* Get the time in pauses of a domain by family, its open pause included. */
static void pauses_so_far(
    const struct metered_domain *d, const struct model_domain *model, uint64_t out[METERED_FAMILY_COUNT])
{
	const struct model_open_span *open = model != NULL ? model_open_pause(model) : NULL;

	memcpy(out, d->closed, sizeof(d->closed));
	if (open == NULL || model->gc_open_ns == 0)
		return;
	for (int f = 0; f < METERED_FAMILY_COUNT; f++)
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

/* Add the time in pauses of a step, unless it can't be.  An open pause that was told may have been dropped. */
static void families_take(struct metered_domain *d, const struct model_domain *model, double most_ns)
{
	uint64_t now[METERED_FAMILY_COUNT], grown[METERED_FAMILY_COUNT], sum = 0;

	pauses_so_far(d, model, now);
	for (int f = 0; f < METERED_FAMILY_COUNT; f++) {
		grown[f] = now[f] > d->before[f] ? now[f] - d->before[f] : 0;
		sum = sum_saturating(sum, grown[f]);
	}
	for (int f = 0; f < METERED_FAMILY_COUNT && (double)sum <= most_ns; f++)
		d->families[f] += grown[f];
	memcpy(d->before, now, sizeof(now));
}

/* Take in what a step added to a domain. */
static void step_take(
    struct metered *m, struct metered_domain *d, unsigned domain, const struct fleet_growth *step)
{
	double age_ns = (double)(m->updated_ts - m->member->attach_ts) + 1e9;

	families_take(d, model_domain(m->member->model, domain), step->observed_ns);
	if (!isnan(step->observed_ns))
		m->observed_ns += (uint64_t)step->observed_ns;
	if (!isnan(step->allocated))
		d->allocated += (uint64_t)step->allocated;
	if (!isnan(step->promoted))
		d->promoted += (uint64_t)step->promoted;
	if (!isnan(step->lost_words))
		d->lost_words += (uint64_t)step->lost_words;
	for (int b = 0; b <= METERED_BUCKETS && (double)d->pause_ns <= age_ns; b++)
		m->buckets[b] += d->buckets[b];
	if ((double)d->pause_ns <= age_ns)
		m->pause_ns += d->pause_ns;
	memset(d->buckets, 0, sizeof(d->buckets));
	d->pause_ns = 0;
}

void metered_update(struct metered *m, uint64_t now)
{
	if (m->finished)
		give_back(m);
	else
		judge(m, now);
	const struct fleet_figures *f = &m->member->figures;

	if (!f->known || f->to == m->updated_ts)
		return;
	m->updated_ts = f->to;
	for (unsigned i = 0; i < f->domain_count; i++) {
		struct metered_domain *d = domain_of(m, i);
		if (d == NULL)
			return;
		step_take(m, d, i, &f->steps[i]);
	}
}

const struct ocaml_settings *metered_settings(const struct metered *m)
{
	return system_past_settings(m->past);
}

bool metered_grown(const struct metered *m, enum system_value_id id, uint64_t *grown)
{
	return system_past_total(m->past, id, grown);
}
