/* watch_read.c - read a watch: series, rates, levels. */
#include "figures/figures.h"
#include "watch/watch_private.h"

const struct series *watch_series(const struct watch *w, unsigned domain, enum watch_measure measure)
{
	watch_pauses_settle(w);
	if (domain >= w->domain_count || w->domains[domain] == NULL || (unsigned)measure >= WATCH_MEASURES)
		return NULL;
	return w->domains[domain]->measures[measure];
}

const struct series *watch_unread(const struct watch *w, unsigned domain)
{
	return domain < w->domain_count && w->domains[domain] != NULL ? w->domains[domain]->unread : NULL;
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
	if (d->empty != NULL)
		out->empty = (uint64_t)(series_sum(d->empty, out->from, out->to) + 0.5);
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

struct mmu *watch_mmu(const struct watch *w)
{
	watch_pauses_settle(w);
	return w->mmu;
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
