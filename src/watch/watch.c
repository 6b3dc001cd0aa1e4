/* watch.c - create, copy and destroy a watch, and bring it to the present time. */
#include "core/copy.h"
#include "watch/watch_private.h"

/* Spans of stops that may wait for watch_advance. */
#define SETTLE_SPANS 256

struct watch *watch_create(const struct watch_options *options)
{
	struct watch *w = calloc(1, sizeof(*w));
	struct model_observer observers[5] = {0};

	if (w == NULL)
		return NULL;
	w->attach_ts = options->attach_ts;
	w->model = model_create(&(struct model_options){.attach_ts = options->attach_ts});
	if (w->model == NULL)
		goto fail;
	w->history = history_create(model_paths(w->model), options->history_budget);
	w->stw = stw_create();
	w->paths = paths_create(model_paths(w->model));
	w->mmu = mmu_create();
	w->longest = longest_create();
	w->trend = trend_create(w->model, options->attach_ts);
	w->system = system_past_create();
	w->recent = recent_create();
	if (w->history == NULL || w->stw == NULL || w->paths == NULL || w->mmu == NULL ||
	    w->longest == NULL || w->trend == NULL || w->system == NULL || w->recent == NULL)
		goto fail;
	/* The first: pauses that wait are before what the parts are told. */
	watch_observer(w, &observers[0]);
	history_observer(w->history, &observers[1]);
	stw_observer(w->stw, &observers[2]);
	stw_look_into(w->stw, w->model);
	mmu_observer(w->mmu, &observers[3]);
	trend_observer(w->trend, &observers[4]);
	for (int i = 1; i < 4; i++) {
		/* The watch passes these on: one call for all. */
		observers[i].opened = NULL;
		observers[i].closed = NULL;
		observers[i].counter = NULL;
	}
	for (int i = 0; i < 5; i++)
		if (!model_observe(w->model, &observers[i]))
			goto fail;
	return w;
fail:
	watch_destroy(w);
	return NULL;
}

void watch_destroy(struct watch *w)
{
	if (w == NULL)
		return;
	model_destroy(w->model);
	history_destroy(w->history);
	stw_destroy(w->stw);
	paths_destroy(w->paths);
	mmu_destroy(w->mmu);
	longest_destroy(w->longest);
	trend_destroy(w->trend);
	system_past_destroy(w->system);
	recent_destroy(w->recent);
	for (unsigned i = 0; i < w->domain_count; i++) {
		struct watch_domain *d = w->domains[i];
		if (d == NULL)
			continue;
		for (int m = 0; m < WATCH_MEASURES; m++)
			series_destroy(d->measures[m]);
		series_destroy(d->empty);
		series_destroy(d->unread);
		free(d);
	}
	free(w->domains);
	for (size_t i = 0; i < w->user_count; i++) {
		series_destroy(w->users[i].values);
		series_destroy(w->users[i].events);
	}
	free(w->users);
	id_map_fini(&w->user_places);
	free(w);
}

/* Add the events since `before`, the time of the last call (0: none).  Counting events one by one would cost
 * more than the model does, so this takes the model's count and spreads it over the interval. */
static void events_advance(
    struct watch *w, unsigned domain, struct watch_domain *d, const struct model_domain *m, uint64_t before)
{
	struct series **s = &d->measures[WATCH_EVENTS];
	uint64_t counted = m->events < d->events ? 0 : d->events, from = before;

	if (!m->seen || (before == 0 && w->attach_ts == 0))
		return; /* a file that was read at once shows no rate */
	if (*s == NULL) {
		*s = m->first_ts < w->attach_ts ? series_create(SERIES_SUM, WATCH_STEP, WATCH_STEPS)
						: watch_series_for(w, domain, SERIES_SUM);
		if (*s == NULL)
			return;
		/* Events from before the attach arrived at once, so they show no rate. */
		if (m->first_ts < w->attach_ts)
			counted = m->events;
	}
	if (from < m->known_from)
		from = m->known_from;
	if (m->events > counted && from < w->now)
		watch_series_spread(*s, from, w->now, (double)(m->events - counted));
	else if (m->events > counted)
		series_add(*s, w->now, (double)(m->events - counted));
	d->events = m->events;
}

/* Update the series of one domain. */
static void domain_advance(struct watch *w, unsigned domain, const struct model_domain *m, uint64_t before)
{
	struct watch_domain *d = watch_domain_of(w, domain);

	if (d == NULL)
		return;
	watch_step_settle(w, d);
	events_advance(w, domain, d, m, before);
	/* A domain that never collects is known to have no pause. */
	if (m->seen && d->measures[WATCH_GC] == NULL)
		d->measures[WATCH_GC] = watch_series_for(w, domain, SERIES_SUM);
	for (int k = 0; k < WATCH_MEASURES; k++)
		if (d->measures[k] != NULL)
			series_advance(d->measures[k], w->now);
}

/* Update the series of all domains, after `before`. */
static void domains_advance(struct watch *w, const struct model_totals *t, uint64_t before)
{
	for (unsigned i = 0; i < t->domains; i++) {
		const struct model_domain *m = model_domain(w->model, i);
		if (m != NULL)
			domain_advance(w, i, m, before);
	}
	for (size_t i = 0; i < w->user_count; i++) {
		if (w->users[i].values != NULL)
			series_advance(w->users[i].values, w->now);
		if (w->users[i].events != NULL)
			series_advance(w->users[i].events, w->now);
	}
}

void watch_settle(struct watch *w, uint64_t watermark)
{
	watch_pauses_settle(w);
	if (stw_waiting(w->stw) >= SETTLE_SPANS)
		stw_advance(w->stw, watermark);
}

void watch_advance(struct watch *w, uint64_t now, uint64_t watermark)
{
	uint64_t before = w->now;

	w->now = now;
	watch_pauses_settle(w);
	model_set_now(w->model, now);
	stw_advance(w->stw, watermark);
	const struct model_totals t = model_totals(w->model);
	domains_advance(w, &t, before);
	trend_advance(w->trend, now, watermark);
	trend_system(w->trend, w->system);
}

void watch_finish(struct watch *w)
{
	uint64_t before = w->now;

	watch_pauses_settle(w);
	model_finish(w->model);
	stw_advance(w->stw, UINT64_MAX);
	const struct model_totals t = model_totals(w->model);
	/* A file has no other clock than its events. */
	if (t.last_ts > w->now)
		w->now = t.last_ts;
	domains_advance(w, &t, before);
	trend_finish(w->trend);
}

/* ---- a copy, shown while the watch goes on ---- */

/* Copy a series; NULL gives NULL. */
static struct series *series_copied(const struct series *from, bool *ok)
{
	struct series *s = from != NULL ? series_copy(from) : NULL;

	if (from != NULL && s == NULL)
		*ok = false;
	return s;
}

/* Copy the data of a domain.  Returns NULL when memory ran out. */
static struct watch_domain *domain_copy(struct watch *w, const struct watch_domain *from, bool *ok)
{
	struct watch_domain *d = copy_bytes(from, sizeof(*from), ok);

	if (d == NULL)
		return NULL;
	for (int m = 0; m < WATCH_MEASURES; m++)
		d->measures[m] = series_copied(from->measures[m], ok);
	d->empty = series_copied(from->empty, ok);
	d->unread = series_copied(from->unread, ok);
	if (*ok)
		watch_step_settle(w, d);
	return d;
}

/* Copy the observers and the model.  Returns false when memory ran out. */
static bool parts_copy(struct watch *w, struct watch *from)
{
	w->model = model_copy(from->model);
	if (w->model == NULL)
		return false;
	w->stw = stw_copy(from->stw);
	w->paths = paths_copy(from->paths, model_paths(w->model));
	w->mmu = mmu_copy(from->mmu);
	w->longest = longest_copy(from->longest);
	w->system = system_past_copy(from->system);
	w->recent = recent_copy(from->recent);
	w->history = history_copy(from->history, model_paths(w->model));
	w->trend = trend_copy(from->trend);
	return w->stw != NULL && w->paths != NULL && w->mmu != NULL && w->longest != NULL &&
	       w->history != NULL && w->trend != NULL && w->system != NULL && w->recent != NULL;
}

struct watch *watch_copy(struct watch *from)
{
	struct watch *w = calloc(1, sizeof(*w));
	bool ok = true;

	if (w == NULL)
		return NULL;
	watch_pauses_settle(from);
	w->now = from->now;
	w->attach_ts = from->attach_ts;
	w->minor_size = from->minor_size;
	w->series_count = from->series_count;
	w->user_places = from->user_places;
	id_map_own(&w->user_places, &ok);
	w->users = copy_bytes(from->users, from->user_count * sizeof(*from->users), &ok);
	for (; w->users != NULL && w->user_count < from->user_count; w->user_count++) {
		struct watch_user *u = &w->users[w->user_count];
		u->values = series_copied(u->values, &ok);
		u->events = series_copied(u->events, &ok);
	}
	w->domains = calloc(from->domain_count + 1, sizeof(struct watch_domain *));
	if (w->domains == NULL || !parts_copy(w, from))
		goto fail;
	for (; w->domain_count < from->domain_count && ok; w->domain_count++)
		if (from->domains[w->domain_count] != NULL)
			w->domains[w->domain_count] = domain_copy(w, from->domains[w->domain_count], &ok);
	if (ok)
		return w;
fail:
	watch_destroy(w);
	return NULL;
}
