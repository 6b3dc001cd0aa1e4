/* watch.c - create, copy and destroy a watch, bring it to the present time, and read it: series, rates, levels. */
#include "core/array.h"
#include "figures/figures.h"
#include "watch/watch_private.h"

/* Spans of stops that may wait for watch_advance. */
#define SETTLE_SPANS 256

struct watch *watch_create(const struct watch_options *options)
{
	struct watch *w = calloc(1, sizeof(*w));
	struct model_observer observers[4] = {0};

	if (w == NULL)
		return NULL;
	w->attach_ts = options->attach_ts;
	w->model = model_create(&(struct model_options){.attach_ts = options->attach_ts});
	if (w->model == NULL)
		goto fail;
	w->history = history_create(model_paths(w->model), options->history_budget);
	w->stw = stw_create();
	w->paths = paths_create(model_paths(w->model));
	w->longest = longest_create();
	w->trend = trend_create(w->model, options->attach_ts);
	w->system = system_past_create();
	w->recent = recent_create();
	if (w->history == NULL || w->stw == NULL || w->paths == NULL || w->longest == NULL ||
	    w->trend == NULL || w->system == NULL || w->recent == NULL)
		goto fail;
	/* The first: pauses that wait are before what the parts are told. */
	watch_observer(w, &observers[0]);
	history_observer(w->history, &observers[1]);
	stw_observer(w->stw, &observers[2]);
	stw_look_into(w->stw, w->model);
	trend_observer(w->trend, &observers[3]);
	/* The watch passes these on: one call for all. */
	observers[2].opened = NULL;
	observers[2].closed = NULL;
	for (int i = 0; i < 4; i++)
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
	longest_destroy(w->longest);
	trend_destroy(w->trend);
	system_past_destroy(w->system);
	recent_destroy(w->recent);
	for (unsigned i = 0; i < w->domain_count; i++)
		free(w->domains[i]);
	free(w->domains);
	for (size_t i = 0; i < w->user_count; i++) {
		free(w->users[i].values);
		free(w->users[i].events);
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
	struct series *s = &d->measures[WATCH_EVENTS];
	uint64_t counted = m->events < d->events ? 0 : d->events, from = before;

	if (!m->seen || (before == 0 && w->attach_ts == 0))
		return; /* a file that was read at once shows no rate */
	if (s->steps == 0) {
		/* Events from before the attach arrived at once, so they show no rate. */
		if (m->first_ts < w->attach_ts) {
			series_init(s, SERIES_SUM, WATCH_STEP, WATCH_STEPS);
			counted = m->events;
		}
		watch_series_begin(w, domain, s, SERIES_SUM);
	}
	if (from < m->known_from)
		from = m->known_from;
	if (m->events > counted && from < w->now)
		watch_series_spread(s, from, w->now, (double)(m->events - counted));
	else if (m->events > counted)
		series_add(s, w->now, (double)(m->events - counted));
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
	if (m->seen)
		watch_series_begin(w, domain, &d->measures[WATCH_GC], SERIES_SUM);
	for (int k = 0; k < WATCH_MEASURES; k++)
		if (d->measures[k].steps != 0)
			series_advance(&d->measures[k], w->now);
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

/* Copy the observers and the model.  Returns false when memory ran out. */
static bool parts_copy(struct watch *w, struct watch *from)
{
	w->model = model_copy(from->model);
	if (w->model == NULL)
		return false;
	w->stw = stw_copy(from->stw);
	w->paths = paths_copy(from->paths, model_paths(w->model));
	w->longest = longest_copy(from->longest);
	w->system = system_past_copy(from->system);
	w->recent = recent_copy(from->recent);
	w->history = history_copy(from->history, model_paths(w->model));
	w->trend = trend_copy(from->trend);
	return w->stw != NULL && w->paths != NULL && w->longest != NULL && w->history != NULL &&
	       w->trend != NULL && w->system != NULL && w->recent != NULL;
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
		u->values = copy_bytes(u->values, sizeof(*u->values), &ok);
		u->events = copy_bytes(u->events, sizeof(*u->events), &ok);
	}
	w->domains = calloc(from->domain_count + 1, sizeof(struct watch_domain *));
	if (w->domains == NULL || !parts_copy(w, from))
		goto fail;
	for (; w->domain_count < from->domain_count && ok; w->domain_count++) {
		struct watch_domain **d = &w->domains[w->domain_count];
		*d = copy_bytes(from->domains[w->domain_count], sizeof(**d), &ok);
		if (*d != NULL)
			watch_step_settle(w, *d);
	}
	if (ok)
		return w;
fail:
	watch_destroy(w);
	return NULL;
}

/* ---- reading ---- */

const struct series *watch_series(const struct watch *w, unsigned domain, enum watch_measure measure)
{
	watch_pauses_settle(w);
	if (domain >= w->domain_count || w->domains[domain] == NULL || (unsigned)measure >= WATCH_MEASURES)
		return NULL;
	const struct series *s = &w->domains[domain]->measures[measure];
	return s->steps != 0 ? s : NULL;
}

const struct series *watch_unread(const struct watch *w, unsigned domain)
{
	return domain < w->domain_count && w->domains[domain] != NULL ? &w->domains[domain]->unread : NULL;
}

/* Tell whether a value has come. */
bool watch_heard(const struct watch *w, enum watch_measure measure, uint64_t from)
{
	for (unsigned i = 0; i < w->domain_count; i++)
		if (watch_series(w, i, measure) != NULL && w->domains[i]->latest[measure] >= from)
			return true;
	return false;
}

/* Series of a user slot on a domain; NULL: none. */
static const struct watch_user *user_known(const struct watch *w, unsigned domain, size_t slot)
{
	const bool known = domain < MODEL_DOMAINS_MAX && slot < MODEL_USER_SLOTS_MAX;
	const uint32_t place = known ? id_map_find(&w->user_places, watch_user_id(domain, slot)) : 0;

	return place != 0 ? &w->users[place - 1] : NULL;
}

const struct series *watch_user_series(const struct watch *w, unsigned domain, size_t slot)
{
	const struct watch_user *u = user_known(w, domain, slot);

	if (u == NULL)
		return NULL;
	return model_user_slot(w->model, slot)->kind == MODEL_USER_INT ? u->values : u->events;
}

const struct series *watch_user_events(const struct watch *w, unsigned domain, size_t slot)
{
	const struct watch_user *u = user_known(w, domain, slot);

	return u != NULL ? u->events : NULL;
}

/* What is counted: a measure, or the events of a user slot. */
struct counted {
	bool user;
	enum watch_measure measure;
	size_t slot;
};

/* Get the series of `what` on a domain.  Returns false if it is missing because the limit of series was
 * reached. */
static bool counted_series(
    const struct watch *w, unsigned domain, const struct counted *what, const struct series **out)
{
	if (!what->user) {
		*out = watch_series(w, domain, what->measure);
		return true;
	}
	*out = watch_user_events(w, domain, what->slot);
	return *out != NULL || model_user(w->model, domain, what->slot) == NULL;
}

/* Return the begin of the step that contains the begin of a window. */
static uint64_t window_from(uint64_t now, uint64_t window)
{
	return now > window ? (now - window) / WATCH_STEP * WATCH_STEP : 0;
}

/* Return the time in [from, to) in which a domain's events were lost. */
static uint64_t lost_in(const struct watch *w, unsigned domain, uint64_t from, uint64_t to)
{
	const struct series *s = watch_unread(w, domain);

	return s != NULL ? (uint64_t)(series_sum(s, from, to) + 0.5) : 0;
}

/* Sum over the window on one domain. */
static bool domain_recent(const struct watch *w, unsigned domain, const struct counted *what, uint64_t now,
    uint64_t window, struct watch_recent *out)
{
	const struct series *s;
	uint64_t begin, until;

	*out = (struct watch_recent){.from = window_from(now, window), .to = now};
	if (!counted_series(w, domain, what, &s) || s == NULL || !series_span(s, &begin, &until))
		return false;
	const struct watch_domain *d = w->domains[domain];
	/* Later events belong to another domain that began while the target was paused. */
	if (d->died_ts != 0 && d->died_ts < until && model_domain(w->model, domain)->last_ts <= d->died_ts)
		until = d->died_ts;
	out->from = begin > out->from ? begin : out->from;
	out->to = until < out->to ? until : out->to;
	if (out->from >= out->to)
		return false;
	out->sum = series_sum(s, out->from, out->to);
	out->lost = lost_in(w, domain, out->from, out->to);
	out->empty = (uint64_t)(series_sum(&d->empty, out->from, out->to) + 0.5);
	return true;
}

/* Get the time from which on `what` is known on all domains.  Returns false if no domain counts it. */
static bool all_since(const struct watch *w, const struct counted *what, uint64_t *since, uint64_t *until)
{
	uint64_t earliest = UINT64_MAX, latest = 0;
	bool any = false;

	*until = 0;
	for (unsigned i = 0; i < w->domain_count; i++) {
		const struct model_domain *m = model_domain(w->model, i);
		const struct series *s;
		if (m == NULL || !m->seen)
			continue;
		uint64_t begin = m->known_from, end;
		if (!counted_series(w, i, what, &s))
			return false;
		if (s != NULL && series_span(s, &begin, &end)) {
			any = true;
			*until = end > *until ? end : *until;
		}
		earliest = begin < earliest ? begin : earliest;
		/* Before its birth a domain did nothing; before its first observation it may have done
		 * anything. */
		if (!m->born && begin > latest)
			latest = begin;
	}
	*since = latest > earliest ? (latest + WATCH_STEP - 1) / WATCH_STEP * WATCH_STEP : earliest;
	return any;
}

/* Return the least of these times over all domains, for which none is known. */
static uint64_t all_lost(const struct watch *w, uint64_t from, uint64_t to)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < w->domain_count && least > 0 && from < to; i++) {
		const struct model_domain *m = model_domain(w->model, i);
		uint64_t lost = lost_in(w, i, from, to);
		if (m != NULL && m->seen && m->state == MODEL_DOMAIN_RUNNING)
			least = lost < least ? lost : least;
	}
	return least != UINT64_MAX ? least : 0;
}

/* Return the factor that makes the sum of a domain that lost part of the window comparable with the others:
 * all refer to the time that was not lost on all domains. */
static double lost_weight(const struct watch *w, unsigned domain, const struct watch_recent *all)
{
	uint64_t lost = lost_in(w, domain, all->from, all->to),
		 time = figure_seen(w->model, all->from, all->to);

	return lost > all->lost && lost < time ? (double)(time - all->lost) / (double)(time - lost) : 1;
}

/* Sum over the window on all domains. */
static bool all_recent(const struct watch *w, const struct counted *what, uint64_t now, uint64_t window,
    struct watch_recent *out)
{
	bool shared = !what->user && (what->measure == WATCH_MINORS || what->measure == WATCH_CYCLES);
	uint64_t since, until;

	*out = (struct watch_recent){.from = window_from(now, window), .to = now};
	if (!all_since(w, what, &since, &until))
		return false;
	out->from = since > out->from ? since : out->from;
	out->to = until < out->to ? until : out->to;
	out->lost = all_lost(w, out->from, out->to);
	for (unsigned i = 0; i < w->domain_count && out->from < out->to; i++) {
		const struct series *s = NULL;
		if (!counted_series(w, i, what, &s) || s == NULL)
			continue;
		double sum = series_sum(s, out->from, out->to);
		if (!shared && (what->user || what->measure != WATCH_LOST))
			out->sum += sum * lost_weight(w, i, out);
		else if (!shared)
			out->sum += sum;
		else if (sum > out->sum)
			out->sum = sum;
	}
	return out->from < out->to;
}

/* Return the recent values of a measure. */
bool watch_recent(const struct watch *w, unsigned domain, enum watch_measure measure, uint64_t now,
    uint64_t window, struct watch_recent *out)
{
	const struct counted what = {.measure = measure};

	return domain == WATCH_ALL ? all_recent(w, &what, now, window, out)
				   : domain_recent(w, domain, &what, now, window, out);
}

/* Return the recent events of a user slot. */
bool watch_user_recent(const struct watch *w, unsigned domain, size_t slot, uint64_t now, uint64_t window,
    struct watch_recent *out)
{
	const struct counted what = {.user = true, .slot = slot};

	return domain == WATCH_ALL ? all_recent(w, &what, now, window, out)
				   : domain_recent(w, domain, &what, now, window, out);
}

struct model *watch_model(struct watch *w)
{
	return w->model;
}

struct history *watch_history(struct watch *w)
{
	return w->history;
}

struct stw *watch_stw(struct watch *w)
{
	return w->stw;
}

struct paths *watch_paths(struct watch *w)
{
	return w->paths;
}

const struct mmu *watch_mmu(const struct watch *w, unsigned domain)
{
	watch_pauses_settle(w);
	return domain < w->domain_count && w->domains[domain] != NULL ? &w->domains[domain]->mmu : NULL;
}

const struct longest_list *watch_longest_pauses(const struct watch *w, unsigned domain)
{
	watch_pauses_settle(w);
	const struct watch_domain *d = domain < w->domain_count ? w->domains[domain] : NULL;
	return d != NULL && d->longest.pauses.count > 0 ? &d->longest.pauses : NULL;
}

const struct longest *watch_longest(const struct watch *w)
{
	watch_pauses_settle(w);
	return w->longest;
}

struct trend *watch_trend(struct watch *w)
{
	watch_pauses_settle(w);
	return w->trend;
}

struct system_past *watch_system(const struct watch *w)
{
	return w->system;
}

const struct minor_size *watch_minor_size(const struct watch *w)
{
	return &w->minor_size;
}

const struct recent *watch_pauses(const struct watch *w)
{
	watch_pauses_settle(w);
	return w->recent;
}
