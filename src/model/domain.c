/*
 * domain.c - a domain: creation, lifecycle events, observed time.
 */
#include "model/state.h"

/* Allocate the arrays of a domain.  False when memory ran out. */
static bool domain_init(struct domain *d, unsigned domain)
{
	d->pub.domain = domain;
	d->idle = NOT_IDLE;
	heap_forget(&d->pub.heap);
	d->pub.minor_heap = d->pub.minor_used = NAN;
	d->phases = calloc(RTEV_PHASE_COUNT, sizeof(*d->phases));
	d->counters = calloc(RTEV_COUNTER_COUNT, sizeof(*d->counters));
	if (d->phases == NULL || d->counters == NULL)
		return false;
	d->phase_size = d->pub.phase_count = RTEV_PHASE_COUNT;
	for (unsigned i = 0; i < RTEV_PHASE_COUNT; i++)
		d->phases[i].phase = (rtev_phase)i;
	d->counter_size = d->pub.counter_count = RTEV_COUNTER_COUNT;
	for (unsigned i = 0; i < RTEV_COUNTER_COUNT; i++)
		d->counters[i].counter = (rtev_counter)i;
	d->pub.phases = d->phases;
	d->pub.counters = d->counters;
	return true;
}

struct domain *domain_make(struct model *m, unsigned domain)
{
	struct domain *d;

	if (domain >= MODEL_DOMAINS_MAX)
		return NULL;
	if (m->domains[domain] != NULL)
		return m->domains[domain];
	d = calloc(1, sizeof(*d));
	if (d == NULL || !domain_init(d, domain)) {
		model_out_of_memory(m);
		domain_free(d);
		return NULL;
	}
	d->told = m->announced;
	LIST_INSERT_HEAD(&m->heard, d, told_link);
	m->domains[domain] = d;
	if (domain >= m->domain_limit)
		m->domain_limit = domain + 1;
	d->pub.alone = m->domain_limit == 1;
	if (domain > 0 && m->domains[0] != NULL)
		m->domains[0]->pub.alone = false;
	return d;
}

/* Free a domain, also a partly initialised one. */
void domain_free(struct domain *d)
{
	if (d == NULL)
		return;
	user_events_free(d);
	hist_fini(&d->pub.pauses);
	id_map_fini(&d->opaque_phases);
	id_map_fini(&d->opaque_counters);
	free(d->stack);
	free(d->waits);
	free(d->phases);
	free(d->counters);
	free(d->inside);
	free(d->losses);
	free(d->parts);
	free(d);
}

/* Allow the next event to be older than the previous one. */
void domain_cut(struct domain *d)
{
	d->cut = true;
	/* Open spans have been dropped; later events apply the earlier resumes again. */
	d->applied_below = d->late = 0;
	d->attention = 0;
}

/* Close the observed interval of a file, and begin another at ts.  How long the target was paused in it is
 * known only at the end. */
static void part_begin(struct model *m, struct domain *d, uint64_t ts)
{
	uint64_t to = domain_observed_to(m, d);
	void *array = d->parts;

	if (d->part_count < d->part_size ||
	    (d->part_size < OBSERVED_PARTS &&
		model_grow(
		    m, &array, &d->part_size, d->part_size == 0 ? 8 : d->part_size * 2, sizeof(*d->parts)))) {
		d->parts = array;
		d->parts[d->part_count++] = (struct observed_part){.from = d->life_from, .to = to};
	} else if (to > d->life_from) {
		d->earlier_ns = sum_saturating(d->earlier_ns, to - d->life_from);
	}
	d->life_from = ts;
}

/* Handle stamps that went back to ts. */
static void domain_fell(struct model *m, struct domain *d, uint64_t ts)
{
	if (d->pub.last_ts > d->pub.latest_ts)
		d->pub.latest_ts = d->pub.last_ts;
	if (ts < d->pub.first_ts)
		d->pub.first_ts = ts;
	if (m->live)
		return;
	part_begin(m, d, ts);
	d->died_ts = UINT64_MAX;
	if (ts < d->pub.known_from)
		d->pub.known_from = ts;
}

/* Handle the first event of another domain in the slot of one that ended, at ts. */
static void domain_again(struct model *m, struct domain *d, uint64_t ts)
{
	d->replaced = false;
	if (d->pub.state == MODEL_DOMAIN_TERMINATED && m->live && ts > d->life_from)
		domain_observed_anew(m, d, ts);
	else if (d->pub.state == MODEL_DOMAIN_TERMINATED && !m->live && ts > d->died_ts)
		part_begin(m, d, ts);
	d->pub.state = MODEL_DOMAIN_RUNNING;
}

/* Prepare a domain for an event at ts.  False if the domain is beyond the limit. */
bool domain_attend(struct model *m, unsigned domain, uint64_t ts)
{
	struct domain *d = domain_make(m, domain);

	if (d == NULL) {
		m->ignored++;
		return false;
	}
	if (m->off)
		model_resume_at(m, ts);
	if (d->cut && d->pub.seen && ts < d->pub.last_ts)
		domain_fell(m, d, ts);
	d->cut = false;
	resumes_pass(m, d, ts);
	if (d->losing)
		loss_end(m, d, ts);
	if (d->replaced)
		domain_again(m, d, ts);
	if (!d->pub.seen) {
		d->pub.seen = true;
		d->pub.first_ts = ts;
		d->life_from = m->live && (m->was_reset || ts > m->since_ts) ? m->since_ts : ts;
		d->pub.known_from = d->life_from;
		d->paused_from = d->paused_to = m->folded_sum;
	}
	return true;
}

/* Handle the begin of a domain or its ring at ts. */
static void domain_born(struct model *m, struct domain *d, uint64_t ts)
{
	if (d->pub.events == 1 && d->pub.history_lost_words == 0 && d->pub.lost_words == 0 && !m->was_reset &&
	    !d->pub.looked_at) {
		d->pub.known_from = ts;
		d->pub.born = true;
	}
	if (d->pub.events > 1)
		domain_again(m, d, ts);
	else if (m->live && ts > d->life_from)
		d->life_from = ts;
	d->pub.state = MODEL_DOMAIN_RUNNING;
	d->pub.wait_count = 0;
	heap_forget(&d->pub.heap);
}

/* Handle the end of a domain or its ring at ts. */
static void domain_died(struct domain *d, uint64_t ts)
{
	d->pub.state = MODEL_DOMAIN_TERMINATED;
	d->died_ts = ts;
}

void domain_replaced(struct model *m, struct domain *d)
{
	/* Even a silent domain was observed until now, unless another ring shows that a new program began
	 * after its last event. */
	bool silent = m->live && d->pub.last_ts >= m->restart_ts && d->pub.last_ts < m->now;

	heap_forget(&d->pub.heap);
	m->looked_ts = m->size_count = 0;
	d->replaced = d->pub.seen;
	d->attention = 0;
	if (d->pub.seen && d->pub.state == MODEL_DOMAIN_RUNNING)
		domain_died(d, silent ? m->now : d->pub.last_ts);
}

void domain_life(struct model *m, struct domain *d, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	switch (event) {
	case RTEV_LIFECYCLE_RING_START:
		d->pub.pid = m->pid = data;
		d->pub.stopped = m->stopped = false;
		if (m->restarting)
			m->restart_ts = ts;
		m->restarting = false;
		domain_born(m, d, ts);
		break;
	case RTEV_LIFECYCLE_RING_STOP:
		d->pub.stopped = m->stopped = true;
		m->stop_ts = ts;
		resumes_forget_pause(m);
		domain_died(d, ts);
		break;
	case RTEV_LIFECYCLE_RING_PAUSE:
		resumes_pause(m, ts);
		break;
	case RTEV_LIFECYCLE_DOMAIN_SPAWN:
		d->pub.pid = data;
		d->pub.spawns++;
		domain_born(m, d, ts);
		break;
	case RTEV_LIFECYCLE_DOMAIN_TERMINATE:
		d->pub.terminations++;
		domain_died(d, ts);
		/* The heap is not gone, but only memory tells of it now. */
		m->looked_rest |= ts > m->looked_ts;
		break;
	default: /* a resume was handled before its event; the others change nothing here */
		break;
	}
}

/* Return the end of the observed time of the domain now in the slot. */
uint64_t domain_observed_to(const struct model *m, const struct domain *d)
{
	uint64_t to = d->pub.last_ts;

	if (!m->live)
		return d->pub.state == MODEL_DOMAIN_TERMINATED && d->died_ts != UINT64_MAX ? d->died_ts : to;
	if (d->losing)
		return d->observed_until;
	if (d->pub.state == MODEL_DOMAIN_TERMINATED)
		return d->died_ts;
	if (m->stopped)
		return m->stop_ts > to ? m->stop_ts : to;
	return m->now > to ? m->now : to;
}

/* Save the time paused until `to` of the domain now in the slot, before the caller forgets these target
 * pauses. */
void domain_save_paused(const struct model *m, struct domain *d, uint64_t to)
{
	uint64_t end = domain_observed_to(m, d);

	if (!d->pub.seen)
		return;
	/* earlier parts were saved then */
	if (d->life_from >= m->folded_to && d->life_from < to)
		d->paused_from = target_paused_before(m, d->life_from);
	if (end >= m->folded_to && end < to)
		d->paused_to = target_paused_before(m, end);
}

/* Return the time that the target was paused between two stamps of the domain now in the slot. */
static uint64_t domain_paused(const struct model *m, const struct domain *d, uint64_t from, uint64_t to)
{
	uint64_t before = from < m->folded_to ? d->paused_from : target_paused_before(m, from);
	uint64_t until = to < m->folded_to ? d->paused_to : target_paused_before(m, to);
	uint64_t paused = until > before ? until - before : 0;

	return paused < to - from ? paused : to - from;
}

/* Add an interval to the observed time, without target pauses. */
static void observed_add(const struct model *m, struct domain *d, uint64_t from, uint64_t to)
{
	if (to <= from)
		return;
	uint64_t paused = domain_paused(m, d, from, to);
	d->pub.observed_ns = sum_saturating(d->pub.observed_ns, to - from - paused);
	d->pub.target_paused_ns = sum_saturating(d->pub.target_paused_ns, paused);
}

/* Compute the observed time of a domain. */
void domain_observed(struct model *m, struct domain *d)
{
	d->pub.observed_ns = d->earlier_ns;
	d->pub.target_paused_ns = d->earlier_paused_ns;
	d->pub.gc_open_ns = 0;
	if (!d->pub.seen)
		return;
	for (size_t i = 0; i < d->part_count; i++)
		observed_add(m, d, d->parts[i].from, d->parts[i].to);
	uint64_t to = domain_observed_to(m, d);
	observed_add(m, d, d->life_from, to);
	const struct model_open_span *open = model_open_pause(&d->pub);
	if (open != NULL && !open->stale && to > open->begin)
		d->pub.gc_open_ns = to - open->begin - domain_paused(m, d, open->begin, to);
}

/* Keep what has been observed of a domain so far, and begin a new interval at ts. */
void domain_observed_anew(struct model *m, struct domain *d, uint64_t ts)
{
	if (m->resume_count > 0 || m->paused || m->silent)
		resumes_refresh(m);
	domain_observed(m, d);
	d->earlier_ns = d->pub.observed_ns;
	d->earlier_paused_ns = d->pub.target_paused_ns;
	d->life_from = ts;
}

void domain_drop_open(struct model *m, struct domain *d)
{
	spans_drop_all(m, d);
	user_events_drop_before(m, d, UINT64_MAX);
}

/* Reset a domain's totals; its state and open spans stay. */
void domain_reset(struct model *m, struct domain *d)
{
	struct model_domain *p = &d->pub;

	p->events = p->lost_words = p->history_lost_words = p->corrupt_words = p->gaps = 0;
	p->dropped = p->gc_ns = p->wait_ns = p->alloc_events = 0;
	p->falls = 0;
	p->restarts = 0;
	p->lost_most = 0;
	p->counted = (struct model_counts){0};
	d->part_count = 0;
	memset(p->alloc, 0, sizeof(p->alloc));
	hist_fini(&p->pauses);
	for (size_t i = 0; i < p->phase_count; i++)
		d->phases[i] = (struct model_phase){.phase = d->phases[i].phase, .open = d->phases[i].open};
	for (size_t i = 0; i < p->counter_count; i++)
		d->counters[i] = (struct model_counter){.counter = d->counters[i].counter};
	for (unsigned i = 0; i < p->depth; i++)
		d->stack[i].stale = true;
	user_events_reset(m, d);
	d->earlier_ns = d->earlier_paused_ns = 0;
	if (d->life_from < m->since_ts)
		d->life_from = m->since_ts;
	domain_observed(m, d);
}

/* Drop what was learnt of a domain from before the attach; a domain that has ended is forgotten. */
void domain_attach(const struct model *m, struct domain *d)
{
	d->pub.seen = d->pub.state == MODEL_DOMAIN_RUNNING;
	d->pub.first_ts = d->pub.last_ts = d->pub.known_from = d->life_from = m->since_ts;
	d->pub.latest_ts = d->pub.last_gap_ts = 0;
	d->pub.spawns = d->pub.terminations = 0;
	d->pub.state = MODEL_DOMAIN_RUNNING;
	d->pub.stopped = d->pub.born = false;
	d->paused_from = d->paused_to = m->folded_sum;
	d->attention = 0;
	if (!d->pub.seen)
		heap_forget(&d->pub.heap);
}

const struct model_domain *model_domain(const struct model *m, unsigned domain)
{
	return domain < m->domain_limit && m->domains[domain] != NULL ? &m->domains[domain]->pub : NULL;
}

const struct path_tree *model_paths(const struct model *m)
{
	return &m->paths;
}

const struct model_domain *model_domain_next(const struct model *m, const struct model_domain *d)
{
	const struct domain *next = domain_next(m, d != NULL ? m->domains[d->domain] : NULL);

	return next != NULL ? &next->pub : NULL;
}

const struct model_open_span *model_open_pause(const struct model_domain *d)
{
	bool in_pause = d->depth > 0 && d->stack[0].pause;

	return in_pause && d->state == MODEL_DOMAIN_RUNNING ? &d->stack[0] : NULL;
}

bool model_in_pause(const struct model *m)
{
	MODEL_FOREACH (d, m)
		if (model_open_pause(d) != NULL)
			return true;
	return false;
}
