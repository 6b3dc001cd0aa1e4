/* model.c - creation, time, and totals over all domains. */
#include "model/state.h"

void model_list_told(struct model *m)
{
	struct told *t = &m->told;
	unsigned opened = 0, closed = 0, counter = 0;

	*t = (struct told){0};
	for (const struct model_observer *o = m->observers; o < m->observers + m->observer_count; o++) {
		if (o->opened != NULL)
			t->opened[opened++] = o;
		if (o->closed != NULL)
			t->closed[closed++] = o;
		if (o->counter != NULL)
			t->counter[counter++] = o;
	}
}

struct model *model_create(const struct model_options *options)
{
	struct model *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	RB_INIT(&m->user_tree);
	m->budget.most = BUDGET_MODEL;
	if (options != NULL && options->max_bytes > 0)
		m->budget.most = options->max_bytes;
	if (options != NULL && options->attach_ts > 0) {
		m->live = true;
		m->since_ts = m->now = options->attach_ts;
	}
	return m;
}

void model_destroy(struct model *m)
{
	if (m == NULL)
		return;
	for (unsigned i = 0; i < m->domain_limit; i++)
		domain_free(m->domains[i]);
	pool_fini(&m->users);
	hist_fini(&m->pauses);
	user_slots_free(m);
	free(m->resumes);
	free(m->new_resumes);
	free(m->target_pauses);
	free(m->target_sums);
	free(m->notes);
	free(m);
}

int model_status(const struct model *m)
{
	return m->status;
}

void model_out_of_memory(struct model *m)
{
	m->status = RTEV_E_NOMEM;
	m->next = RTEV_STOP;
}

/* Grow an array within the budget. */
bool model_grow(struct model *m, void **array, size_t *size, size_t to, size_t each)
{
	size_t more = (to - *size) * each;

	if (!budget_take(&m->budget, more))
		return false;
	void *grown = reallocarray(*array, to, each);
	if (grown == NULL) {
		budget_give(&m->budget, more);
		model_out_of_memory(m);
		return false;
	}
	*array = grown;
	*size = to;
	return true;
}

size_t model_opaque(struct model *m, struct id_map *places, uint32_t number, void **array, size_t *size,
    size_t *count, size_t each)
{
	size_t i = id_map_find(places, number);

	if (i != 0 || (*count == *size && !model_grow(m, array, size, *size + *size / 2 + 8, each)))
		return i;
	if (!id_map_add(places, number, (uint32_t)*count)) {
		model_out_of_memory(m);
		return 0;
	}
	memset((char *)*array + *count * each, 0, each);
	return (*count)++;
}

/* Update the values that model.h marks "as of the last model_set_now". */
static void model_refresh(struct model *m)
{
	resumes_refresh(m);
	DOMAIN_FOREACH (d, m)
		domain_observed(m, d);
}

void model_set_now(struct model *m, uint64_t ts)
{
	if (ts > m->now)
		m->now = ts;
	model_refresh(m);
}

void model_set_silent(struct model *m, bool silent)
{
	m->silent = silent;
}

void model_finish(struct model *m)
{
	resumes_finish(m);
	model_refresh(m);
}

/* Return the innermost open phase of a domain; MODEL_NO_PHASE: none, or unknown because the target is paused. */
static int64_t phase_at_end(const struct model *m, const struct domain *d)
{
	bool paused = m->paused || m->silent;

	return d->pub.depth > 0 && !paused ? d->stack[d->pub.depth - 1].phase : MODEL_NO_PHASE;
}

/* Add a note that a domain ended with its process. */
static void note_ended(struct model *m, const struct domain *d, uint64_t ts)
{
	struct model_note *note = note_add(m, MODEL_NOTE_ENDED, d->pub.domain, ts, false);

	if (note != NULL)
		note->data = phase_at_end(m, d);
}

void model_ended(struct model *m, uint64_t ts)
{
	const struct domain *latest = NULL;
	bool any = false;

	m->ended = true;
	if (!m->live || m->stopped)
		return;
	model_set_now(m, ts);
	DOMAIN_FOREACH (d, m) {
		if (!d->pub.seen || d->pub.state != MODEL_DOMAIN_RUNNING)
			continue;
		if (latest == NULL || d->pub.last_ts > latest->pub.last_ts)
			latest = d;
		if (phase_at_end(m, d) == MODEL_NO_PHASE)
			continue;
		note_ended(m, d, ts);
		any = true;
	}
	if (!any && latest != NULL)
		note_ended(m, latest, ts);
}

void model_attach(struct model *m, uint64_t ts)
{
	m->now = ts;
	model_reset(m);
	m->since_ts = ts;
	m->was_reset = false;
	m->note_count = 0;
	DOMAIN_FOREACH (d, m)
		domain_attach(m, d);
}

void model_attached(struct model *m, unsigned domain, const struct heap *heap)
{
	struct domain *d = m->live ? domain_make(m, domain) : NULL;

	if (d == NULL || (d->pub.seen && d->pub.first_ts >= m->since_ts))
		return;
	/* In a replay, an event from before the attach that was read after it comes first. */
	if (d->pub.seen)
		d->pub.first_ts = d->pub.known_from = d->life_from = m->since_ts;
	else
		domain_attach(m, d);
	heap_join(&d->pub.heap, heap);
}

void model_reset(struct model *m)
{
	const struct model_totals totals = model_totals(m);

	m->since_ts = m->now;
	if (totals.seen && totals.last_ts > m->since_ts)
		m->since_ts = totals.last_ts;
	m->was_reset = true;
	m->ignored = m->restart_ts = 0;
	m->reattached = 0;
	hist_fini(&m->pauses);
	memset(m->worst, 0, sizeof(m->worst));
	m->worst_count = 0;
	resumes_refresh(m);
	DOMAIN_FOREACH (d, m)
		domain_reset(m, d);
	OBSERVE(m, turned, MODEL_RESET, m->since_ts);
}

void model_reattach(struct model *m)
{
	free(m->user_ids);
	m->user_ids = NULL;
	m->reattached++;
	m->restarting = true;
	resumes_forget_pause(m);
	DOMAIN_FOREACH (d, m) {
		user_events_forget_ids(d);
		domain_drop_open(m, d);
		domain_replaced(m, d);
	}
	m->restart_ts = 0;
	OBSERVE(m, turned, MODEL_REATTACHED, 0);
}

bool model_observe(struct model *m, const struct model_observer *observer)
{
	if (m->observer_count == MODEL_OBSERVERS_MAX)
		return false;
	m->observers[m->observer_count++] = *observer;
	model_list_told(m);
	return true;
}

void model_unobserve(struct model *m, const void *ctx)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < m->observer_count; i++)
		if (m->observers[i].ctx != ctx)
			m->observers[kept++] = m->observers[i];
	m->observer_count = kept;
	model_list_told(m);
}

/* Add one domain to the totals. */
static void totals_add(struct model_totals *out, const struct model_domain *d)
{
	out->events += d->events;
	out->lost_words = sum_saturating(out->lost_words, d->lost_words);
	out->history_lost_words = sum_saturating(out->history_lost_words, d->history_lost_words);
	out->corrupt_words = sum_saturating(out->corrupt_words, d->corrupt_words);
	out->falls += d->falls;
	/* A program need not use all rings of a file, so the ring with the most restarts counts. */
	if (d->restarts > out->restarts)
		out->restarts = d->restarts;
	out->dropped += d->dropped;
	out->open += d->open;
	out->gc_ns = sum_saturating(out->gc_ns, d->gc_ns);
	out->wait_ns = sum_saturating(out->wait_ns, model_waited(d, d->wait_ns));
	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		out->alloc[i] = sum_saturating(out->alloc[i], d->alloc[i]);
	out->alloc_events += d->alloc_events;
	if (!d->seen)
		return;
	if (d->state == MODEL_DOMAIN_RUNNING)
		out->running++;
	if (!out->seen || d->first_ts < out->first_ts)
		out->first_ts = d->first_ts;
	uint64_t last_ts = d->last_ts > d->latest_ts ? d->last_ts : d->latest_ts;
	if (!out->seen || last_ts > out->last_ts)
		out->last_ts = last_ts;
	out->seen = true;
}

struct model_totals model_totals(const struct model *m)
{
	struct model_totals out = {
	    .ignored = m->ignored,
	    .since_ts = m->since_ts,
	    .was_reset = m->was_reset,
	    .now = m->now,
	    .domains = m->domain_limit,
	    .pid = m->pid,
	    .stopped = m->stopped,
	    .over = m->ended || m->stopped || !m->live,
	    .restart_ts = m->restart_ts,
	};
	DOMAIN_FOREACH (d, m)
		totals_add(&out, &d->pub);
	out.restarts += m->reattached;
	if (out.last_ts < out.first_ts) /* stamps went back */
		out.last_ts = out.first_ts;
	return out;
}

unsigned model_domains(const struct model *m)
{
	return m->domain_limit;
}

bool model_stopped(const struct model *m)
{
	return m->stopped;
}

void model_phase_total(const struct model *m, rtev_phase phase, struct model_phase *out)
{
	*out = (struct model_phase){.phase = phase};
	DOMAIN_FOREACH (d, m) {
		uint32_t index = phase;

		if (phase >= RTEV_PHASE_COUNT) {
			index = id_map_find(&d->opaque_phases, phase);
			if (index == 0)
				continue;
		}
		const struct model_phase *p = &d->phases[index];
		out->count += p->count;
		out->total = sum_saturating(out->total, p->total);
		out->self = sum_saturating(out->self, p->self);
		out->outside = sum_saturating(out->outside, p->outside);
		out->max = p->max > out->max ? p->max : out->max;
		out->open += p->open;
	}
}
