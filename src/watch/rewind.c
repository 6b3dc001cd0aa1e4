/*
 * rewind.c - see rewind.h.
 *
 * The events of an interval are subtracted from the totals, or added to them, domain by domain.  An
 * impossible difference, such as a pause that the totals do not contain, means that model and history
 * disagree, as after timestamps that went back; the result is then unknown.
 */
#include "watch/rewind.h"

#include "figures/figures.h"
#include "model/state.h"

/* State of the walk of one domain through (from, to]. */
struct way {
	const struct model *m;
	struct rewind *r;
	struct rewind_domain *d;
	unsigned domain;
	bool back; /* subtract its events, else add them */
	bool alive;
	bool alive_first; /* at `from` */
	bool told;	  /* a lifecycle event has determined `alive` */
	bool gap;
	uint64_t since; /* observed time is counted up to here */
	uint64_t observed;
	bool wrong;
	/* of each open span, the time of those that have ended right inside it */
	uint64_t inside[HISTORY_DEPTH];
	uint64_t waited; /* in the pause that is open */
	bool begun;	 /* its begin has been seen */
};

/* Count the time until ts if the domain was alive. */
static void way_observe(struct way *w, uint64_t ts)
{
	uint64_t lost;

	if (ts <= w->since)
		return;
	if (w->alive) {
		uint64_t time = figure_seen(w->m, w->since, ts);
		w->wrong |= !model_lost_time(w->m, w->domain, w->since, ts, &lost);
		w->observed += time - (lost < time ? lost : time);
	}
	w->since = ts;
}

/* Handle a lifecycle event.  Walking back, the first one tells the state before it. */
static void way_life(struct way *w, uint64_t ts, uint32_t event)
{
	bool birth = event == RTEV_LIFECYCLE_DOMAIN_SPAWN || event == RTEV_LIFECYCLE_RING_START;
	bool death = event == RTEV_LIFECYCLE_DOMAIN_TERMINATE || event == RTEV_LIFECYCLE_RING_STOP;

	if (!birth && !death)
		return;
	if (w->back && !w->told) {
		/* After a gap it may belong to another domain. */
		w->wrong |= birth && w->gap;
		w->alive = w->alive_first = death;
	}
	w->told = true;
	way_observe(w, ts);
	w->alive = birth;
}

/* Handle the end of a pause, unless the pause began before a reset. */
static void way_pause(struct way *w, uint64_t begin, uint64_t end)
{
	struct rewind *r = w->r;
	uint64_t duration = end - begin;

	if (w->m->was_reset && begin < w->m->since_ts)
		return;
	r->wait_known &= w->begun && (!w->back || r->wait_ns >= w->waited);
	if (!w->back) {
		w->wrong |= !hist_add(&r->pauses, duration);
		r->gc_ns = sum_saturating(r->gc_ns, duration);
		r->wait_ns = sum_saturating(r->wait_ns, w->waited);
	} else if (duration > r->gc_ns || !hist_take(&r->pauses, duration)) {
		w->wrong = true;
	} else {
		r->gc_ns -= duration;
		r->wait_ns -= r->wait_known ? w->waited : 0;
	}
}

/* Track open spans, to compute the self time of each. */
static void way_span(struct way *w, const struct history_cursor *c, const struct history_event *e)
{
	uint64_t duration = e->ts - e->begin;

	if (e->depth >= HISTORY_DEPTH)
		return;
	uint64_t *outer = e->depth > 0 ? &w->inside[e->depth - 1] : NULL, inside = w->inside[e->depth];
	if (e->kind == HISTORY_OPENED) {
		w->inside[e->depth] = 0;
		w->waited = e->depth == 0 ? 0 : w->waited;
		w->begun |= e->depth == 0;
	} else if (e->kind == HISTORY_CLOSED) {
		bool pause = (e->depth == 0 ? e->id : c->open[0].id) != RTEV_PHASE_DOMAIN_CONDITION_WAIT;
		if (pause && model_phase_waits((rtev_phase)e->id) && duration > inside)
			w->waited += duration - inside;
		if (outer != NULL)
			*outer = sum_saturating(*outer, duration);
	} else if (e->kind == HISTORY_DROPPED) {
		if (outer != NULL)
			*outer = sum_saturating(*outer, inside);
		for (unsigned i = e->depth; i < c->depth && i + 1 < HISTORY_DEPTH; i++)
			w->inside[i] = w->inside[i + 1];
	}
}

/* Place the reader after `from`, and track the pause open there from its begin.  False if the history has
 * nothing of the domain. */
static bool way_begin(
    struct way *w, const struct history *h, unsigned domain, uint64_t from, struct history_cursor *c)
{
	struct history_event e;

	if (!history_seek(h, domain, from + 1, c))
		return false;
	w->begun = c->depth == 0;
	if (c->depth == 0 || !history_seek(h, domain, c->open[0].begin, c))
		return true;
	while (history_next(c, from + 1, &e))
		way_span(w, c, &e);
	return true;
}

static void way_lost(struct way *w, uint64_t words)
{
	if (!w->back)
		w->d->lost_words = words_sum(w->d->lost_words, words);
	else if (words > w->d->lost_words)
		w->wrong = true;
	else
		w->d->lost_words -= words;
}

/* Subtract or add one event. */
static void way_event(struct way *w, const struct history_cursor *c, const struct history_event *e)
{
	way_span(w, c, e);
	switch (e->kind) {
	case HISTORY_CLOSED:
		if (e->depth == 0 && e->id != RTEV_PHASE_DOMAIN_CONDITION_WAIT)
			way_pause(w, e->begin, e->ts);
		break;
	case HISTORY_DROPPED:
		/* The span that is outermost now began inside another one, so it is no pause. */
		w->wrong |= e->depth == 0 && c->depth > 0;
		break;
	case HISTORY_LIFECYCLE:
		way_life(w, e->ts, e->id);
		break;
	case HISTORY_GAP:
		w->gap = true;
		if (e->id == MODEL_NOTE_LOST)
			way_lost(w, (uint64_t)e->value);
		break;
	default:
		break;
	}
}

/* Move one domain through (from, to]; `last`: up to its latest event.  False if its events are unknown. */
static bool domain_move(struct rewind *r, const struct model *m, const struct history *h,
    const struct domain *d, uint64_t from, uint64_t to, bool back, bool last)
{
	struct way w = {.m = m,
	    .r = r,
	    .d = &r->domains[d->pub.domain],
	    .domain = d->pub.domain,
	    .back = back,
	    .since = from};
	uint64_t end = last ? domain_observed_to(m, d) : to;
	struct history_cursor c;
	struct history_event e;

	bool kept = way_begin(&w, h, d->pub.domain, from, &c);
	if (!kept && d->pub.last_ts > from)
		return false;
	w.alive = w.alive_first = w.d->alive || (last && end > from);
	/* A ring file is observed from its first event to its last. */
	uint64_t at = kept ? c.ts : d->pub.last_ts;
	if (!m->live && at < from)
		w.since = at;
	while (kept && !w.wrong && history_next(&c, last ? UINT64_MAX : to + 1, &e)) {
		at = e.ts;
		way_event(&w, &c, &e);
	}
	way_observe(&w, m->live || last ? end : at);
	w.wrong |= back && d->pub.first_ts <= from && w.observed > w.d->observed_ns;
	if (w.wrong)
		return false;
	w.d->alive = back ? w.alive_first : w.alive;
	w.d->observed_ns = back ? w.d->observed_ns - w.observed : w.d->observed_ns + w.observed;
	return true;
}

/* Start with the current totals. */
static bool begin(struct rewind *r, const struct model *m)
{
	const struct model_totals t = model_totals(m);

	rewind_fini(r);
	if (t.ignored != 0 || !hist_copy(&r->pauses, model_pauses(m)))
		return false;
	r->at = UINT64_MAX;
	r->gc_ns = t.gc_ns;
	r->wait_ns = t.wait_ns;
	r->wait_known = true;
	for (unsigned i = 0; i < m->domain_limit; i++) {
		const struct domain *d = m->domains[i];
		if (d == NULL)
			continue;
		if (!d->pub.seen && d->pub.lost_words != 0)
			return false; /* time unknown */
		r->domains[i] = (struct rewind_domain){.observed_ns = d->pub.observed_ns,
		    .lost_words = d->pub.lost_words,
		    .alive = d->pub.state == MODEL_DOMAIN_RUNNING};
	}
	r->known = true;
	return true;
}

/* Return whether the current position is closer to `at` than `now` is.  The observed time of a domain whose
 * first event is later is known only from the current totals. */
static bool near(const struct rewind *r, const struct model *m, uint64_t now, uint64_t at)
{
	if (!r->known || r->at == UINT64_MAX)
		return false;
	if (at <= r->at)
		return true;
	for (unsigned i = 0; i < m->domain_limit; i++)
		if (m->domains[i] != NULL && m->domains[i]->pub.first_ts > r->at)
			return false;
	return at - r->at < now - at;
}

/* Sum the domains that had events. */
static void add_up(struct rewind *r, const struct model *m)
{
	r->observed_ns = r->lost_words = 0;
	r->running = r->seen = 0;
	for (unsigned i = 0; i < m->domain_limit; i++) {
		const struct rewind_domain *d = &r->domains[i];
		if (m->domains[i] == NULL || !m->domains[i]->pub.seen || m->domains[i]->pub.first_ts > r->at)
			continue;
		r->observed_ns = sum_saturating(r->observed_ns, d->observed_ns);
		r->lost_words = sum_saturating(r->lost_words, d->lost_words);
		r->running += d->alive;
		r->seen++;
	}
}

bool rewind_to(struct rewind *r, const struct model *m, const struct history *h, uint64_t at)
{
	const struct history_range range = history_range(h);

	const struct model_totals t = model_totals(m);
	uint64_t now = t.now > t.last_ts ? t.now : t.last_ts;
	if (r->known && r->at == at)
		return true;
	/* The history does not represent timestamps that go back. */
	bool kept = at < UINT64_MAX && at >= t.since_ts && range.untracked == 0 && t.falls == 0 &&
		    (range.complete || at >= range.from);
	if (!kept || (!near(r, m, now, at) && !begin(r, m))) {
		rewind_fini(r);
		return false;
	}
	bool back = at < r->at;
	uint64_t from = back ? at : r->at, to = back ? r->at : at;
	for (unsigned i = 0; i < m->domain_limit && r->known; i++)
		if (m->domains[i] != NULL && m->domains[i]->pub.seen)
			r->known = domain_move(r, m, h, m->domains[i], from, to, back, to == UINT64_MAX);
	if (!r->known) {
		rewind_fini(r);
		return false;
	}
	r->at = at;
	hist_trim(&r->pauses);
	add_up(r, m);
	return true;
}

void rewind_fini(struct rewind *r)
{
	hist_fini(&r->pauses);
	*r = (struct rewind){0};
}
