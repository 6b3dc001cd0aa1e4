/* collector_read.c - add the stops of the world, and sum up the window; see evidence.h. */
#include "advice/collector_private.h"

#include "core/sum.h"
#include "figures/figures.h"

/* ---- stops ---- */

/* Add a late stop to the tally of the domain that came last. */
static void late_add(struct domain_tally *last, const struct evidence_late *late)
{
	last->late_stops++;
	last->late_ns = sum_saturating(last->late_ns, late->lateness);
	last->late_wait_ns = sum_saturating(last->late_wait_ns, late->wait);
}

/* Keep a late stop.  Whether its domain is idle becomes clear with time, so stops are judged when they are
 * read; a stop that loses its place to a new one is judged now. */
static void late_take(struct collector *c, const struct stw_stop *stop, uint64_t wait, bool awake)
{
	struct evidence_late *kept = &c->lates[c->late_count % LATE_KEPT];

	if (stop->lateness <= LATE_LEAST_NS || stop->begin < c->collect_from)
		return;
	if (c->late_count++ >= LATE_KEPT) {
		struct domain *d = c->domains[kept->domain];
		if (kept->awake || !d->idle)
			late_add(&d->slots[slot_of(c, kept->begin)], kept);
	}
	*kept = (struct evidence_late){stop->begin, stop->lateness, wait, stop->last, awake};
}

/* Whether a domain took part in a stop itself, according to its latest collections. */
static bool awake_in(const struct domain *d, const struct stw_stop *stop)
{
	for (unsigned i = 0; i < AWAKE_KEPT; i++)
		if (d->awake[i] >= stop->begin && d->awake[i] - stop->begin <= stop->duration)
			return true;
	return false;
}

/* Whether a domain's backup thread took part in a stop. */
static bool idle_in(const struct domain *d, const struct stw_stop *stop)
{
	return d != NULL && d->idle && !awake_in(d, stop);
}

/* Add a stop: record which domain came last, and how long busy domains waited for idle ones. */
static void stop_take(struct collector *c, const struct stw_stop *stop)
{
	size_t count;
	const struct stw_arrival *arrivals = stw_arrivals(c->stw, stop, &count);
	uint64_t idle = 0, busy = 0, wait = 0;

	if (stop->kind != STW_SYNC || stop->partial)
		return;
	unsigned slot = slot_of(c, stop->begin);
	c->slots[slot].stops++;
	c->slots[slot].stop_wait_ns = sum_saturating(c->slots[slot].stop_wait_ns, stop->wait);
	if (stop->begin >= c->collect_from)
		hist_add(&c->lateness, stop->lateness);
	struct domain *last = domain_of(c, stop->last);
	if (last != NULL) {
		last->slots[slot].last++;
		c->slots[slot].idle_last += idle_in(last, stop);
	}
	for (size_t i = 0; i < count; i++) {
		struct domain *d = domain_of(c, arrivals[i].domain);
		uint64_t *latest = idle_in(d, stop) ? &idle : &busy;
		if (d != NULL && arrivals[i].domain != stop->leader)
			d->slots[slot].joined++;
		/* The time that the backup thread of an idle domain waits delays no code. */
		wait += idle_in(d, stop) ? 0 : arrivals[i].wait;
		if (arrivals[i].after > *latest)
			*latest = arrivals[i].after;
	}
	if (last != NULL)
		late_take(c, stop, wait, awake_in(last, stop));
	for (size_t i = 0; i < count && idle > busy; i++) {
		const struct domain *d = domain_of(c, arrivals[i].domain);
		/* Waiting domains need time to wake up after the last arrival. */
		uint64_t until = arrivals[i].released > idle ? arrivals[i].released : idle;
		if (!idle_in(d, stop))
			c->slots[slot].idle_wait_ns += until - busy;
	}
}

void collector_stops(struct collector *c)
{
	uint64_t all = stw_totals(c->stw)->stops;
	size_t kept = stw_recent_count(c->stw);

	if (all < c->stops)
		c->stops = 0;
	size_t fresh = all - c->stops < kept ? (size_t)(all - c->stops) : kept;
	while (fresh-- > 0)
		stop_take(c, stw_recent(c->stw, fresh));
	c->stops = all;
}

/* ---- reading ---- */

/* Summarize one domain. */
static void domain_read(
    struct collector *c, unsigned domain, struct evidence *out, struct evidence_domain *to)
{
	struct domain *d = c->domains[domain];
	const struct model_domain *m = model_domain(c->model, domain);

	*to = (struct evidence_domain){0};
	if (d == NULL || m == NULL || !m->seen)
		return;
	for (unsigned s = 0; s <= SLOT_OLDER; s++)
		domain_tally_add(&to->sum, &d->slots[s]);
	to->most_words = d->most_words;
	for (unsigned s = 0; s < SLOTS; s++)
		if (d->slots[s].words > to->most_words)
			to->most_words = d->slots[s].words;
	if (out->window_s >= 1)
		to->most_words += (uint64_t)((double)to->sum.lost_words / out->window_s);
	to->observed_ns = figure_observed(c->model, m, out->from, out->to);
	if (out->counters && m->state == MODEL_DOMAIN_RUNNING) {
		const uint64_t window = (uint64_t)(out->window_s * 1e9);
		/* Events told of a part of the window; the rest is taken to be like it. */
		for (unsigned i = 0; i < RTEV_CLASS_COUNT && to->observed_ns > 0; i++)
			to->sum.class_self[i] = (uint64_t)((double)to->sum.class_self[i] * (double)window /
							   (double)to->observed_ns);
		to->observed_ns = window;
	}
	to->full_bytes = d->full_bytes;
	to->resized_ts = d->resized_ts;
	to->active = to->sum.allocated > 0 || to->sum.leads > 0;
	to->idle = d->idle =
	    to->sum.handlers >= IDLE_STOPS && to->sum.idle_handlers >= to->sum.handlers * IDLE_PART;
	const bool waits = to->sum.waited_ns > to->observed_ns * WAITING_PART;
	out->active += to->active && !to->idle && !waits;
	out->idle += to->idle;
	if (to->active && !to->idle)
		out->busy_ns += (double)to->observed_ns;
}

/* Count the losses that were noticed since the last time. */
static void losses_take(struct collector *c, uint64_t now)
{
	unsigned slot = slot_of(c, now);

	for (unsigned i = 0; i < c->domain_limit; i++) {
		struct domain *d = c->domains[i];
		if (d == NULL)
			continue;
		c->slots[slot].lost_words = sum_saturating(c->slots[slot].lost_words, d->lost_unread);
		d->slots[slot].lost_words = sum_saturating(d->slots[slot].lost_words, d->lost_unread);
		d->lost_unread = 0;
	}
}

/* Return the start of the window. */
static uint64_t window_from(const struct collector *c, const struct model_totals *t)
{
	uint64_t from = c->collect_from != 0 ? c->collect_from : t->first_ts;

	if (!c->whole && c->newest >= SLOTS && (c->newest - SLOTS + 1) * SLOT_NS > from)
		from = (c->newest - SLOTS + 1) * SLOT_NS;
	return from;
}

void collector_read(struct collector *c, uint64_t now, struct evidence *out)
{
	const struct model_totals t = model_totals(c->model);

	collector_settle_all(c);
	if (!c->whole)
		collector_slots_reach(c, now / SLOT_NS);
	*out = (struct evidence){.model = c->model, .programs = c->programs, .lateness = &c->lateness};
	out->from = window_from(c, &t);
	out->to = now > out->from ? now : out->from;
	uint64_t window = out->to - out->from, seen = figure_seen(c->model, out->from, out->to);
	const uint64_t counted = figure_counted(c->model, out->from, out->to);
	/* Prefer events to counters if they are enough for a judgement. */
	out->counters = seen < window / 2 && seen < ENOUGH_NS && counted > seen;
	out->window_s = (double)(out->counters ? counted : seen) / 1e9;
	losses_take(c, now);
	out->sum = c->slots[SLOT_OLDER];
	for (unsigned s = 0; s < SLOTS; s++)
		slot_add(&out->sum, &c->slots[s]);
	if (c->domain_limit > c->read_room) {
		struct evidence_domain *read = reallocarray(c->read, c->domain_limit, sizeof(read[0]));
		if (read != NULL) {
			c->read = read;
			c->read_room = c->domain_limit;
		}
	}
	out->domain_count = c->domain_limit < c->read_room ? c->domain_limit : c->read_room;
	out->domains = c->read;
	for (unsigned i = 0; i < out->domain_count; i++)
		domain_read(c, i, out, &c->read[i]);
	/* Where all wait, each of them counts. */
	for (unsigned i = 0, alone = out->active == 0; alone && i < out->domain_count; i++)
		out->active += c->read[i].active && !c->read[i].idle;
	out->pause_ns = out->sum.pause_ns;
	for (unsigned s = 0; s <= SLOT_OLDER; s++)
		if (c->longest[s] > out->longest)
			out->longest = c->longest[s];
	MODEL_FOREACH (d, c->model) {
		const struct model_open_span *pause = model_open_pause(d);
		if (pause != NULL && !pause->stale && pause->begin < out->to)
			out->pause_ns += out->to - (pause->begin > out->from ? pause->begin : out->from);
	}
	out->heap_words = collector_heap(c, HEAP_SIZE);
	out->lates = c->lates;
	out->late_count = c->late_count < LATE_KEPT ? (size_t)c->late_count : LATE_KEPT;
	for (size_t i = 0; i < out->late_count; i++)
		if (evidence_is_late(out, &c->lates[i]))
			late_add(&c->read[c->lates[i].domain].sum, &c->lates[i]);
	out->cycles = c->cycles;
	out->cycle_count = c->cycle_count;
	out->sliced_ts = c->sliced_ts;
	collector_users_read(c, out);
	out->paused_share = window > 0 ? (double)(window - seen) / (double)window : 0;
	uint64_t written = sum_saturating(out->sum.words, out->sum.lost_words);
	out->lost_share = written != 0 ? (double)out->sum.lost_words / (double)written : 0;
}
