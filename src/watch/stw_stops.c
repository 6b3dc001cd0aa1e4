/*
 * stw_stops.c - assembles stops from the queued spans, counts them, and reads them out; see stw.h.
 *
 * Why this works: the leader takes a process-wide lock before its span begins, and the lock is released only
 * after every domain has run its handler.  Between the begins of two leaders only handlers of the first one
 * begin.  End events are written after the lock was released, so they may be later than the next leader's
 * begin.  In a synchronous stop all domains arrive before the leader's span ends; in an asynchronous one a
 * handler may begin after that.
 */
#include "model/span_time.h"
#include "watch/stw_private.h"

void stw_reset(struct stw *s)
{
	for (unsigned i = 0; i < s->domain_limit; i++) {
		if (s->domains[i] == NULL)
			continue;
		hist_fini(&s->domains[i]->pub.lateness);
		s->domains[i]->pub = (struct stw_domain){0};
	}
	hist_fini(&s->totals.lateness);
	hist_fini(&s->totals.durations);
	s->totals = (struct stw_totals){0};
	s->recent_count = 0;
	s->longest_count = 0;
}

void stw_forget(struct stw *s)
{
	s->forgets = true;
	s->recent_count = s->arrival_count = 0;
	s->longest_count = 0;
}

/* Whether events of any domain may be missing in [from, to]. */
static bool stw_blind(const struct stw *s, uint64_t from, uint64_t to)
{
	for (unsigned i = 0; i < s->domain_limit; i++) {
		const struct stw_slot *d = s->domains[i];

		if (d == NULL)
			continue;
		if (d->blind_open && d->blind_from <= to)
			return true;
		for (unsigned k = 0; k < d->blind_count; k++)
			if (d->blinds[k].from <= to && d->blinds[k].to >= from)
				return true;
	}
	return false;
}

/* Return when a domain arrived. */
static uint64_t part_arrival(const struct part *part)
{
	return part->arrive != 0 ? part->arrive : part->begin;
}

/* Return the id of `before` or else `around`, whichever covers nine tenths of [from, to]; `none` if neither
 * does.  `around` is still open at `to`.  Covering all of it is not required, because a domain may enter a
 * span just after the stop began, or leave it just before it arrives. */
static uint32_t covering(
    const struct stw_span *before, const struct stw_span *around, uint64_t from, uint64_t to, uint32_t none)
{
	uint64_t least = (to - from) / 10 * 9;

	if (before->id != none && span_time(before->begin, before->end, from, to) >= least)
		return before->id;
	if (around->id != none && span_time(around->begin, to, from, to) >= least)
		return around->id;
	return none;
}

/* What a domain was in while the others waited for it, from the stop's begin to its arrival. */
static struct stw_doing handler_doing(const struct around *a, uint64_t from, uint64_t to)
{
	return (struct stw_doing){
	    .user = covering(&a->user_before, &a->user_around, from, to, MODEL_NO_USER),
	    .phase = (rtev_phase)covering(&a->phase_before, &a->phase_around, from, to, STW_NO_PHASE),
	};
}

/* Reserve adjacent room for the arrivals of a stop. */
static inline struct stw_arrival *stw_arrivals_for(struct stw *s, struct stw_stop *stop)
{
	_Static_assert(MODEL_DOMAINS_MAX <= STW_ARRIVALS, "the arrivals of any stop have room");
	unsigned at = (unsigned)(s->arrival_count % STW_ARRIVALS), room = STW_ARRIVALS - at;

	if (room < stop->count) {
		s->arrival_count += room;
		at = 0;
	}
	stop->arrivals = s->arrival_count;
	s->arrival_count += stop->count;
	return &s->arrivals[at];
}

/* Return the arrivals at one of the latest stops; none if they are no longer kept. */
static const struct stw_arrival *arrivals_of(
    const struct stw *s, const struct stw_stop *stop, unsigned *count)
{
	bool kept = stop->kind == STW_SYNC && s->arrival_count - stop->arrivals <= STW_ARRIVALS;

	*count = kept ? stop->count : 0;
	return &s->arrivals[stop->arrivals % STW_ARRIVALS];
}

/* Count a time, unless the distributions are not kept. */
static inline void stw_measure(const struct stw *s, struct hist *h, uint64_t ns)
{
	if (!s->forgets)
		(void)hist_add_at(h, ns, hist_place(ns));
}

/* Add a blamed stop to the totals, except the waits of its domains. */
static void stop_add(struct stw *s, const struct stw_stop *stop)
{
	struct stw_domain *last = &s->domains[stop->last]->pub;
	unsigned place = hist_place(stop->lateness);

	s->totals.wait += stop->wait;
	last->last++;
	last->caused += stop->wait;
	if (s->forgets)
		return;
	(void)hist_add_at(&s->totals.lateness, stop->lateness, place);
	(void)hist_add_at(&last->lateness, stop->lateness, place);
}

/* Find the last arrival of a synchronous stop, and how long the others waited; keep the arrivals. */
static void stop_blame(struct stw *s, struct stw_stop *stop)
{
	struct stw_arrival *to = stw_arrivals_for(s, stop);
	uint64_t last = 0;
	unsigned late = 0;

	for (unsigned i = 0; i < stop->count; i++) {
		uint64_t arrival = part_arrival(s->taking[i].part);

		to[i].after = arrival - stop->begin;
		if (arrival > last) {
			last = arrival;
			late = i;
		}
	}
	stop->last = s->taking[late].domain;
	if (late > 0)
		stop->doing = handler_doing(s->taking[late].around, stop->begin, last);
	stop->lateness = last - stop->begin;
	for (unsigned i = 0; i < stop->count; i++) {
		const struct taking *t = &s->taking[i];
		uint64_t wait = stop->lateness - to[i].after, release = t->part->release;

		stop->wait += wait;
		to[i].wait = wait;
		to[i].released = release > stop->begin ? release - stop->begin : 0;
		to[i].domain = t->domain;
		if (!stop->partial) {
			t->slot->pub.joined++;
			t->slot->pub.waited += wait;
		}
	}
	if (!stop->partial)
		stop_add(s, stop);
}

/* Insert a stop into the longest ones. */
static __attribute__((noinline)) void stop_rank(struct stw *s, const struct stw_stop *stop)
{
	bool full = s->longest_count == STW_LONGEST;
	unsigned i = full ? STW_LONGEST - 1 : s->longest_count, row = full ? s->longest_rows[i] : i, count;

	s->longest_count += !full;
	for (; i > 0 && stop->duration > s->longest[i - 1].duration; i--) {
		s->longest[i] = s->longest[i - 1];
		s->longest_rows[i] = s->longest_rows[i - 1];
	}
	s->longest[i] = *stop;
	s->longest_rows[i] = row;
	const struct stw_arrival *arrivals = arrivals_of(s, stop, &count);
	if (count > 0 && count <= STW_LONGEST_ARRIVALS)
		memcpy(s->longest_arrivals[row], arrivals, count * sizeof(*arrivals));
}

/* Return whether a stop is one of the longest so far. */
static inline bool stop_is_long(const struct stw *s, const struct stw_stop *stop)
{
	return !s->forgets &&
	       (s->longest_count < STW_LONGEST || stop->duration > s->longest[STW_LONGEST - 1].duration);
}

/* Derive the purpose and the end of a stop from its parts. */
static inline void stop_take_parts(struct stw *s, struct stw_stop *stop)
{
	uint64_t end = s->taking[0].part->end;
	enum stw_work work = STW_NOTHING;
	rtev_phase phase = RTEV_PHASE_STW_LEADER;

	for (unsigned i = 0; i < stop->count; i++) {
		const struct part *part = s->taking[i].part;

		s->taking[i].slot->took_part = true;
		end = part->end > end ? part->end : end;
		if (part->work > work) {
			work = part->work;
			phase = part->phase;
		}
	}
	stop->work = work;
	stop->phase = phase;
	stop->duration = end - stop->begin;
}

/* Begin the record of a stop. */
static inline struct stw_stop *stw_record(
    struct stw *s, unsigned leader, uint64_t begin, enum stw_kind kind, unsigned count)
{
	struct stw_stop *stop = &s->recent[s->recent_count++ % STW_RECENT];

	stop->begin = begin;
	stop->lateness = stop->wait = stop->arrivals = 0;
	stop->leader = stop->last = leader;
	stop->count = count;
	stop->kind = kind;
	stop->doing = (struct stw_doing){.user = MODEL_NO_USER, .phase = STW_NO_PHASE};
	s->totals.stops++;
	return stop;
}

/* Count a stop whose events are all known. */
static inline void stop_count(struct stw *s, const struct stw_stop *stop)
{
	s->totals.kinds[stop->kind]++;
	stw_measure(s, &s->totals.durations, stop->duration);
	if (stop_is_long(s, stop))
		stop_rank(s, stop);
}

/* Count a stop of one domain, whose only part is the leader's. */
static void stw_count_solo(struct stw *s, struct stw_slot *slot, unsigned domain, const struct part *lead)
{
	struct stw_stop *stop = stw_record(s, domain, lead->begin, STW_SOLO, 1);

	slot->took_part = true;
	slot->pub.led++;
	stop->work = lead->work;
	stop->phase = lead->phase;
	stop->duration = lead->end - lead->begin;
	stop->partial = s->has_blinds && stw_blind(s, lead->begin, lead->end);
	if (stop->partial)
		s->totals.partial++;
	else
		stop_count(s, stop);
}

/* Count a stop whose parts are taking[0 .. count - 1], the leader's first. */
static void stw_count(struct stw *s, enum stw_kind kind, unsigned count)
{
	const struct part *lead = s->taking[0].part;

	if (kind == STW_SOLO) {
		stw_count_solo(s, s->taking[0].slot, s->taking[0].domain, lead);
		return;
	}
	struct stw_stop *stop = stw_record(s, s->taking[0].domain, lead->begin, kind, count);
	s->taking[0].slot->pub.led++;
	stop_take_parts(s, stop);
	stop->partial =
	    (kind == STW_SYNC && count == 1) || (s->has_blinds && stw_blind(s, lead->begin, lead->end));
	if (kind == STW_SYNC)
		stop_blame(s, stop);
	if (stop->partial)
		s->totals.partial++;
	else
		stop_count(s, stop);
}

/* ---- assembling ---- */

#define ASYNC_GRACE 100000000u /* how much later than its leader a handler may begin */

/* The two earliest leaders: the domain of the first, and the begins of both. */
struct leaders {
	struct stw_slot *slot;
	unsigned domain;
	uint64_t first;
	uint64_t second; /* UINT64_MAX: there is none */
	uint64_t other;	 /* the earliest of another domain; UINT64_MAX: there is none */
};

/* Store when the first two stops that a domain leads begin. */
static inline void slot_look(struct stw_slot *d)
{
	uint64_t now = d->open && d->now.leader && !d->abandoned ? d->now.begin : UINT64_MAX;
	unsigned count = d->leads.count;

	/* `now` began after all spans in the queue, which is sorted. */
	d->lead_first = count > 0 ? queue_at(&d->leads, 0)->begin : now;
	d->lead_second = count > 1 ? queue_at(&d->leads, 1)->begin : count > 0 ? now : UINT64_MAX;
}

/* Find the earliest leaders, from the results of slot_look. */
static struct leaders stw_leaders(const struct stw *s)
{
	struct leaders l = {.first = UINT64_MAX, .second = UINT64_MAX, .other = UINT64_MAX};

	for (unsigned i = 0; i < s->domain_limit; i++) {
		struct stw_slot *d = s->domains[i];

		if (d == NULL || d->lead_first >= l.other)
			continue;
		if (d->lead_first >= l.first) {
			l.other = d->lead_first;
			continue;
		}
		l.other = l.first;
		l.slot = d;
		l.domain = i;
		l.first = d->lead_first;
	}
	if (l.slot != NULL)
		l.second = l.slot->lead_second < l.other ? l.slot->lead_second : l.other;
	return l;
}

/* The first stop of *l is done: find the earliest leaders again.  Returns false if the next one is another
 * domain's. */
static inline bool leaders_go_on(struct leaders *l)
{
	struct stw_slot *d = l->slot;

	slot_look(d);
	l->first = d->lead_first;
	l->second = d->lead_second < l->other ? d->lead_second : l->other;
	return l->first < l->other;
}

/* Drop a domain's handlers that began before all remaining leaders. */
static inline void slot_drop_stray(struct stw *s, struct stw_slot *d, uint64_t before)
{
	while (d->joins.count > 0 && queue_at(&d->joins, 0)->begin < before) {
		joins_pop(s, d);
		s->totals.stray++;
	}
}

static void stw_drop_stray(struct stw *s, uint64_t before)
{
	for (unsigned i = 0; s->handlers > 0 && i < s->domain_limit; i++)
		if (s->domains[i] != NULL)
			slot_drop_stray(s, s->domains[i], before);
}

/* Find a domain's part in the stop of [from, to).  Returns false if it has none. */
static inline bool slot_part(struct stw_slot *d, uint64_t from, uint64_t to, struct taking *t)
{
	if (d->joins.count > 0) {
		t->part = queue_at(&d->joins, 0);
		t->around = &d->joins.around[d->joins.first];
		t->open = false;
	} else if (d->open && !d->abandoned && !d->now.leader) {
		t->part = &d->now;
		t->around = &d->around;
		t->open = true;
	} else
		return false;
	t->slot = d;
	return t->part->begin >= from && t->part->begin < to;
}

/*
 * Drop earlier handlers, and collect those of the stop led by taking[0], which is over before `to`.  Returns
 * the number of its parts.  A handler is rejected, as part of a stop with an unknown leader, if it began
 * after the leader had finished (synchronous stop) or has a barrier (asynchronous stop).
 */
static unsigned stw_collect(struct stw *s, uint64_t to, bool *sync, bool *open)
{
	const struct part *lead = s->taking[0].part;
	unsigned found = 1, count = 1;

	for (unsigned i = 0; i < s->domain_limit; i++) {
		struct stw_slot *d = s->domains[i];
		struct taking *t = &s->taking[found];

		if (d == NULL)
			continue;
		slot_drop_stray(s, d, lead->begin);
		if (d == s->taking[0].slot || !slot_part(d, lead->begin, to, t))
			continue;
		t->domain = i;
		found++;
		*sync = *sync || (t->part->arrive != 0 && t->part->begin <= lead->end);
	}
	for (unsigned i = 1; i < found; i++) {
		const struct taking *t = &s->taking[i];

		if (*sync ? t->part->begin > lead->end : t->part->arrive != 0)
			continue;
		*open = *open || t->open;
		if (count != i)
			s->taking[count] = *t;
		count++;
	}
	return count;
}

/* Remove the parts of a stop from the queues. */
static inline void stw_consume(struct stw *s, unsigned count)
{
	queue_pop(s, &s->taking[0].slot->leads);
	for (unsigned i = 1; i < count; i++) {
		struct stw_slot *d = s->taking[i].slot;

		if (!s->taking[i].open)
			joins_pop(s, d);
		else
			d->abandoned = true;
	}
}

/* Remove the earliest stop, whose leader's span is still open or was dropped.  Returns false if it may still
 * end. */
static bool stw_drop(struct stw *s, const struct leaders *l, bool stuck)
{
	bool open = l->slot->leads.count == 0;

	if (open && !stuck)
		return false;
	if (open)
		l->slot->abandoned = true;
	else
		queue_pop(s, &l->slot->leads);
	s->totals.dropped++;
	return true;
}

/* Assemble the earliest stop.  Returns false if it is incomplete, or there is none. */
static inline bool stw_next(struct stw *s, const struct leaders *l, uint64_t watermark)
{
	bool stuck = watermark == UINT64_MAX ||
		     (l->second != UINT64_MAX && sum_saturating(l->second, STW_STUCK_AFTER) <= watermark);
	const struct queue *q = l->slot != NULL && l->slot->leads.count > 0 ? &l->slot->leads : NULL;
	const struct part *lead = q != NULL ? queue_at(q, 0) : NULL;
	unsigned count = 1;

	if (lead == NULL || lead->end == 0 || lead->end >= watermark) {
		stw_drop_stray(s, l->first < watermark ? l->first : watermark);
		if (l->slot == NULL || l->first >= watermark)
			return false;
		return (lead == NULL || lead->end == 0) && stw_drop(s, l, stuck);
	}
	bool sync = lead->arrive != 0, open = false;
	s->taking[0] = (struct taking){.slot = l->slot, .part = lead, .domain = l->domain};
	if (s->handlers > 0)
		count = stw_collect(s, l->second < watermark ? l->second : watermark, &sync, &open);
	if (!sync && l->second > watermark && sum_saturating(lead->end, ASYNC_GRACE) > watermark)
		return false;
	if (open && !stuck)
		return false;
	stw_count(s, sync ? STW_SYNC : count > 1 ? STW_ASYNC : STW_SOLO, count);
	stw_consume(s, count);
	return true;
}

/* Assemble the consecutive stops of one leader while no handler is known: each is complete if the next one
 * begins before the watermark.  The last one is left to stw_next.  Returns whether there was one. */
static bool stw_run(struct stw *s, const struct leaders *l, uint64_t watermark)
{
	struct queue *q = &l->slot->leads;
	unsigned before = q->count;

	while (q->count > 1) {
		const struct part *lead = queue_at(q, 0);

		if (lead->begin >= l->other || lead->arrive != 0 || lead->end == 0 ||
		    lead->end >= watermark || queue_at(q, 1)->begin > watermark)
			break;
		stw_count_solo(s, l->slot, l->domain, lead);
		q->first = (q->first + 1) & (q->size - 1);
		q->count--;
		s->parts--;
	}
	return q->count < before;
}

void stw_advance(struct stw *s, uint64_t watermark)
{
	for (unsigned i = 0; i < s->domain_limit; i++)
		if (s->domains[i] != NULL)
			slot_look(s->domains[i]);
	while (true) {
		struct leaders l = stw_leaders(s);

		if (s->handlers == 0 && l.slot != NULL && stw_run(s, &l, watermark) && !leaders_go_on(&l))
			continue;
		do {
			if (!stw_next(s, &l, watermark))
				return;
		} while (leaders_go_on(&l));
	}
}

/* ---- reading ---- */

const struct stw_totals *stw_totals(const struct stw *s)
{
	return &s->totals;
}

const struct stw_domain *stw_domain(const struct stw *s, unsigned domain)
{
	const struct stw_slot *d = domain < s->domain_limit ? s->domains[domain] : NULL;

	return d != NULL && d->took_part ? &d->pub : NULL;
}

unsigned stw_domain_limit(const struct stw *s)
{
	return s->domain_limit;
}

size_t stw_recent_count(const struct stw *s)
{
	return s->recent_count < STW_RECENT ? (size_t)s->recent_count : STW_RECENT;
}

const struct stw_stop *stw_recent(const struct stw *s, size_t index)
{
	if (index >= stw_recent_count(s))
		return NULL;
	return &s->recent[(s->recent_count - 1 - index) % STW_RECENT];
}

size_t stw_longest_count(const struct stw *s)
{
	return s->longest_count;
}

const struct stw_stop *stw_longest(const struct stw *s, size_t index)
{
	return index < s->longest_count ? &s->longest[index] : NULL;
}

const struct stw_arrival *stw_arrivals(const struct stw *s, const struct stw_stop *stop, size_t *count)
{
	const struct stw_arrival *arrivals;
	unsigned found;

	if (stop >= s->longest && stop < s->longest + s->longest_count) {
		found = stop->kind == STW_SYNC && stop->count <= STW_LONGEST_ARRIVALS ? stop->count : 0;
		arrivals = s->longest_arrivals[s->longest_rows[stop - s->longest]];
	} else {
		arrivals = arrivals_of(s, stop, &found);
	}
	if (count != NULL)
		*count = found;
	return found > 0 ? arrivals : NULL;
}

const char *stw_work_name(enum stw_work work)
{
	static const char *const names[] = {
	    [STW_NOTHING] = "none",
	    [STW_MINOR] = "minor",
	    [STW_RESIZE] = "resize",
	    [STW_MAJOR] = "major",
	    [STW_COMPACTION] = "compaction",
	};

	return (unsigned)work <= STW_COMPACTION ? names[work] : names[STW_NOTHING];
}
