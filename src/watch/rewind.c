/*
 * rewind.c - see rewind.h.
 *
 * The records of an interval are subtracted from the totals, or added to them, domain by domain.  An
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

/* Handle a lifecycle event.  Walking back, the first one shows the state before it. */
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
static void way_pause(struct way *w, const struct history_record *pause)
{
	struct rewind *r = w->r;
	uint64_t duration = pause->ts - pause->begin,
		 waited = model_waited(model_domain(w->m, w->domain), pause->value);

	if (w->m->was_reset && pause->begin < w->m->since_ts)
		return;
	r->wait_known &= !w->back || r->wait_ns >= waited;
	if (!w->back) {
		w->wrong |= !hist_add(&r->pauses, duration);
		r->gc_ns = sum_saturating(r->gc_ns, duration);
		r->wait_ns = sum_saturating(r->wait_ns, waited);
	} else if (duration > r->gc_ns || !hist_take(&r->pauses, duration)) {
		w->wrong = true;
	} else {
		r->gc_ns -= duration;
		r->wait_ns -= r->wait_known ? waited : 0;
	}
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

/* Subtract or add one record. */
static void way_record(struct way *w, const struct history_record *r)
{
	if (r->kind == HISTORY_SPAN && r->pause)
		way_pause(w, r);
	else if (r->kind == HISTORY_LIFECYCLE)
		way_life(w, r->ts, r->id);
	else if (r->kind == HISTORY_GAP) {
		w->gap = true;
		if (r->id == MODEL_NOTE_LOST)
			way_lost(w, r->value);
	}
}

/* Return the stamp of the latest event of a domain up to a stamp, as far as it is kept: a begin, or the last
 * record before the reader. */
static uint64_t latest_event(const struct history_cursor *c, const struct model *m, uint64_t ts)
{
	const struct history_present now = history_present(m, c->domain);
	struct history_standing then;
	uint64_t latest = c->ts;

	history_after(c, ts + 1, &now, &then);
	latest = then.dropped > latest ? then.dropped : latest;
	if (then.depth > 0 && then.open[then.depth - 1].begin > latest)
		latest = then.open[then.depth - 1].begin;
	if (then.user_count > 0 && then.users[then.user_count - 1].begin > latest)
		latest = then.users[then.user_count - 1].begin;
	return latest;
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
	struct history_record record;

	bool kept = history_seek(h, d->pub.domain, from + 1, &c);
	if (!kept && d->pub.last_ts > from)
		return false;
	w.alive = w.alive_first = w.d->alive || (last && end > from);
	/* A ring file is observed from its first event to its last. */
	uint64_t at = kept && !m->live ? latest_event(&c, m, from) : d->pub.last_ts;
	if (!m->live && at < from)
		w.since = at;
	while (kept && !w.wrong && history_next(&c, last ? UINT64_MAX : to + 1, &record))
		way_record(&w, &record);
	if (!m->live && !last && kept)
		at = latest_event(&c, m, to);
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
	DOMAIN_FOREACH (d, m) {
		if (!d->pub.seen && d->pub.lost_words != 0)
			return false; /* time unknown */
		r->domains[d->pub.domain] = (struct rewind_domain){.observed_ns = d->pub.observed_ns,
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
	DOMAIN_FOREACH (d, m)
		if (d->pub.first_ts > r->at)
			return false;
	return at - r->at < now - at;
}

/* Sum the domains that had events. */
static void add_up(struct rewind *r, const struct model *m)
{
	r->observed_ns = r->lost_words = 0;
	r->running = r->seen = 0;
	MODEL_FOREACH (known, m) {
		const struct rewind_domain *d = &r->domains[known->domain];
		if (!known->seen || known->first_ts > r->at)
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
	DOMAIN_FOREACH (d, m)
		if (r->known && d->pub.seen)
			r->known = domain_move(r, m, h, d, from, to, back, to == UINT64_MAX);
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
