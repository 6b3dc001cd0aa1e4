/*
 * stw.c - queues the spans of stops and assembles stops; see stw.h.
 *
 * Why this works: the leader takes a process-wide lock before its span begins, and the lock is released only
 * after every domain has run its handler.  Between the begins of two leaders only handlers of the first one
 * begin.  End events are written after the lock was released, so they may be later than the next leader's
 * begin.  In a synchronous stop all domains arrive before the leader's span ends; in an asynchronous one a
 * handler may begin after that.
 */
#include "watch/stw.h"

#include <stdlib.h>
#include <string.h>

#include "core/phase_class.h"
#include "model/copy.h"
#include "model/span_time.h"
#include "watch/stw_private.h"

#define STW_USERS 32 /* user spans open on a domain at one time that are looked at */
#define PARTS_MAX 262144u
#define ROOM_MAX (2 * PARTS_MAX)
#define QUEUE_FIRST 16
#define ASYNC_GRACE 100000000u /* so much later than its leader a handler may begin, without another leader */
#define STUCK_AFTER 10000000000u /* a span open for so long after the next leader's begin has lost its end */

struct stw *stw_create(void)
{
	return calloc(1, sizeof(struct stw));
}

void stw_destroy(struct stw *s)
{
	if (s == NULL)
		return;
	for (unsigned i = 0; i < s->domain_limit; i++) {
		if (s->domains[i] == NULL)
			continue;
		hist_fini(&s->domains[i]->pub.lateness);
		free(s->domains[i]->leads.parts);
		free(s->domains[i]->joins.parts);
		free(s->domains[i]);
	}
	hist_fini(&s->totals.lateness);
	hist_fini(&s->totals.durations);
	free(s);
}

/* Copy the figures of a domain.  NULL when memory ran out. */
static struct stw_slot *slot_copy(const struct stw_slot *from, bool *ok)
{
	struct stw_slot *slot = copy_bytes(from, sizeof(*from), ok);

	if (slot == NULL)
		return NULL;
	slot->leads = slot->joins = (struct queue){0};
	if (!hist_copy(&slot->pub.lateness, &from->pub.lateness))
		*ok = false;
	return slot;
}

struct stw *stw_copy(const struct stw *from)
{
	bool ok = true;
	struct stw *s = copy_bytes(from, sizeof(*from), &ok);

	if (s == NULL)
		return NULL;
	memset(s->domains, 0, sizeof(s->domains));
	s->parts = s->handlers = 0;
	s->model = NULL;
	if (!hist_copy(&s->totals.lateness, &from->totals.lateness))
		ok = false;
	if (!hist_copy(&s->totals.durations, &from->totals.durations))
		ok = false;
	for (unsigned i = 0; i < s->domain_limit && ok; i++)
		s->domains[i] = slot_copy(from->domains[i], &ok);
	if (ok)
		return s;
	stw_destroy(s);
	return NULL;
}

struct stw_slot *stw_slot_get(struct stw *s, unsigned domain)
{
	if (domain >= MODEL_DOMAINS_MAX)
		return NULL;
	if (s->domains[domain] == NULL) {
		s->domains[domain] = calloc(1, sizeof(*s->domains[domain]));
		if (s->domains[domain] == NULL)
			return NULL;
		s->domains[domain]->phase_last.id = STW_NO_PHASE;
		for (unsigned i = 0; i < STW_USERS_LAST; i++)
			s->domains[domain]->users_last[i].id = MODEL_NO_USER;
		if (domain >= s->domain_limit)
			s->domain_limit = domain + 1;
	}
	return s->domains[domain];
}

/* The i-th of a queue. */
static inline struct part *queue_at(const struct queue *q, unsigned i)
{
	return &q->parts[(q->first + i) & (q->size - 1)];
}

/* Take away the first of a queue. */
static void queue_pop(struct stw *s, struct queue *q)
{
	s->handlers -= !queue_at(q, 0)->leader;
	q->first = (q->first + 1) & (q->size - 1);
	q->count--;
	s->parts--;
}

/* Make a queue larger. */
static bool queue_grow(struct stw *s, struct queue *q)
{
	unsigned size = q->size == 0 ? QUEUE_FIRST : q->size * 2;
	unsigned more = size > QUEUE_FIRST ? size - q->size : 0;

	/* A queue never shrinks, so its room is bounded as well. */
	if (more > ROOM_MAX - s->room)
		return false;
	struct part *parts = malloc(size * sizeof(*parts));

	if (parts == NULL)
		return false;
	s->room += more;
	for (unsigned i = 0; i < q->count; i++)
		parts[i] = *queue_at(q, i);
	free(q->parts);
	q->parts = parts;
	q->first = 0;
	q->size = size;
	return true;
}

/* Append a span to a queue.  If there are too many, drop the oldest of the queue. */
static void queue_push(struct stw *s, struct queue *q, const struct part *part)
{
	if (s->parts >= PARTS_MAX || (q->count == q->size && !queue_grow(s, q))) {
		s->totals.stray++;
		if (q->count == 0)
			return;
		queue_pop(s, q);
	}
	q->count++;
	s->parts++;
	s->handlers += !part->leader;
	*queue_at(q, q->count - 1) = *part;
}

/* Purpose of a stop, from a phase inside it. */
static enum stw_work work_of(rtev_phase phase)
{
	if (phase == RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS || phase == RTEV_PHASE_MAJOR_GC_STW)
		return STW_MAJOR;
	if (phase == RTEV_PHASE_DOMAIN_RESIZE_HEAP_RESERVATION)
		return STW_RESIZE;
	switch (phase_class(phase)) {
	case RTEV_CLASS_MINOR:
		return STW_MINOR;
	case RTEV_CLASS_MAJOR:
	case RTEV_CLASS_MARK:
	case RTEV_CLASS_SWEEP:
		return STW_MAJOR;
	case RTEV_CLASS_COMPACTION:
		return STW_COMPACTION;
	default:
		return STW_NOTHING;
	}
}

/* Events of the ring are complete again from ts on. */
static void slot_see(struct stw_slot *d, uint64_t ts)
{
	d->blind_open = false;
	if (d->blind_count == STW_BLIND) {
		/* Too many to tell apart: the two earliest become one. */
		d->blinds[0].to = d->blinds[1].to;
		for (unsigned i = 1; i + 1 < STW_BLIND; i++)
			d->blinds[i] = d->blinds[i + 1];
		d->blind_count--;
	}
	d->blinds[d->blind_count++] = (struct blind){d->blind_from, ts};
}

/*
 * Among the user spans that ended last on a domain, find the one that may have delayed its arrival at `ts`.
 * A candidate ended shortly before `ts`: within a ninth of its own duration.  The longest candidate wins; of
 * candidates about as long, the innermost.
 */
static struct stw_span users_late(const struct stw_slot *d, uint64_t ts)
{
	struct stw_span best = {.id = MODEL_NO_USER};

	for (unsigned i = 0; d->has_users && i < STW_USERS_LAST; i++) {
		const struct stw_span *u = &d->users_last[i];
		uint64_t time = u->end - u->begin, most = best.end - best.begin;
		if (u->id == MODEL_NO_USER || u->end > ts || ts - u->end > time / 9)
			continue;
		bool inside = u->begin >= best.begin && time >= most / 10 * 9;
		if (best.id == MODEL_NO_USER || inside || time / 10 * 9 > most)
			best = *u;
	}
	return best;
}

/* The innermost user span open on a domain; MODEL_NO_USER when there is none, or too many to look at. */
static struct stw_span users_around(const struct stw *s, unsigned domain)
{
	struct model_open_user open[STW_USERS];
	size_t count = model_users_open(s->model, domain, open, STW_USERS);

	if (count == 0 || count == STW_USERS)
		return (struct stw_span){.id = MODEL_NO_USER};
	return (struct stw_span){.begin = open[count - 1].begin, .id = open[count - 1].slot};
}

/* Record the spans around a part of a stop that begins `depth` phases deep. */
static void part_look(
    const struct stw *s, const struct stw_slot *slot, unsigned domain, struct part *part, unsigned depth)
{
	const struct model_domain *d = s->model != NULL ? model_domain(s->model, domain) : NULL;

	part->phase_around.id = STW_NO_PHASE;
	part->phase_before = slot->phase_last;
	part->user_around.id = MODEL_NO_USER;
	part->user_before = users_late(slot, part->begin);
	if (d == NULL)
		return;
	for (unsigned i = depth < d->depth ? depth : d->depth; i-- > 0;) {
		if (phase_class(d->stack[i].phase) == RTEV_CLASS_STW)
			continue;
		part->phase_around = (struct stw_span){.begin = d->stack[i].begin, .id = d->stack[i].phase};
		break;
	}
	if (d->users > 0)
		part->user_around = users_around(s, domain);
}

/* Begin a span of a stop.  A timestamp that goes back a little counts as the latest one; if it goes back far,
 * the earlier spans are discarded. */
static void slot_begin(
    struct stw *s, struct stw_slot *d, unsigned domain, bool leader, uint64_t ts, unsigned depth)
{
	if (ts < d->latest && d->latest - ts > STUCK_AFTER) {
		while (d->leads.count > 0)
			queue_pop(s, &d->leads);
		while (d->joins.count > 0)
			queue_pop(s, &d->joins);
	} else if (ts < d->latest)
		ts = d->latest;
	d->latest = ts;
	d->open = true;
	s->handlers += !leader;
	d->abandoned = false;
	d->depth = depth;
	d->now = (struct part){.begin = ts, .phase = RTEV_PHASE_STW_LEADER, .leader = leader};
	part_look(s, d, domain, &d->now, depth);
}

void stw_open(
    struct stw *s, struct stw_slot *d, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	if (d->blind_open)
		slot_see(d, ts);
	if (!d->open) {
		if (phase == RTEV_PHASE_STW_LEADER || phase == RTEV_PHASE_STW_HANDLER)
			slot_begin(s, d, domain, phase == RTEV_PHASE_STW_LEADER, ts, depth);
		return;
	}
	if (phase == RTEV_PHASE_STW_API_BARRIER) {
		if (d->now.arrive == 0)
			d->now.arrive = ts > d->now.begin ? ts : d->now.begin;
		return;
	}
	enum stw_work work = work_of(phase);
	if (work > d->now.work && (depth == d->depth + 1 || work == STW_COMPACTION)) {
		d->now.work = work;
		d->now.phase = phase;
	}
}

/* A runtime span begins. */
static void stw_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	if (domain < MODEL_DOMAINS_MAX)
		stw_take_opened(ctx, domain, phase, ts, depth);
}

/* Finish the span of a stop: it ended at `end`, or was dropped (0). */
static void slot_finish(struct stw *s, struct stw_slot *d, uint64_t end)
{
	d->open = false;
	s->handlers -= !d->now.leader;
	d->now.end = end;
	if (!d->abandoned)
		queue_push(s, d->now.leader ? &d->leads : &d->joins, &d->now);
}

/* Whether a span is the open span of a stop on a domain. */
static bool slot_is_now(const struct stw_slot *d, rtev_phase phase, unsigned depth)
{
	return d != NULL && d->open && d->depth == depth &&
	       phase == (d->now.leader ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
}

void stw_close(struct stw *s, struct stw_slot *d, const struct model_span *span)
{
	if (span->depth == 0 && phase_class(span->phase) != RTEV_CLASS_STW)
		d->phase_last = (struct stw_span){span->begin, span->end, span->phase};
	if (!d->open)
		return;
	if (span->phase == RTEV_PHASE_STW_API_BARRIER) {
		if (d->now.release == 0)
			d->now.release = span->end;
	} else if (slot_is_now(d, span->phase, span->depth))
		slot_finish(s, d, span->end > d->now.begin ? span->end : d->now.begin);
}

/* A runtime span ends. */
static void stw_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	if (domain < MODEL_DOMAINS_MAX)
		stw_take_closed(ctx, domain, span);
}

/* A runtime span begins and ends. */
static void stw_both(void *ctx, unsigned domain, const struct model_span *span)
{
	if (domain < MODEL_DOMAINS_MAX)
		stw_take_both(ctx, domain, span);
}

/* A runtime span is dropped. */
static void stw_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct stw *s = ctx;
	struct stw_slot *d = domain < MODEL_DOMAINS_MAX ? s->domains[domain] : NULL;

	(void)begin;
	if (slot_is_now(d, phase, depth))
		slot_finish(s, d, 0);
	else if (d != NULL && d->open && depth < d->depth)
		d->depth--;
}

/* Words were lost. */
static void stw_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts, uint64_t words,
    uint64_t history)
{
	struct stw *s = ctx;
	struct stw_slot *d = stw_slot_get(s, domain);

	(void)kind;
	(void)words, (void)history;
	if (d == NULL || d->blind_open)
		return;
	d->blind_open = s->has_blinds = true;
	d->blind_from = after_ts;
}

static void stw_lost_from(void *ctx, unsigned domain, uint64_t ts)
{
	struct stw_slot *d = stw_slot_get(ctx, domain);

	if (d != NULL && d->blind_open && ts > d->blind_from)
		d->blind_from = ts;
}

/* A user span ends. */
static void stw_user_closed(void *ctx, unsigned domain, uint64_t begin, uint64_t end, unsigned slot)
{
	struct stw *s = ctx;
	struct stw_slot *d = stw_slot_get(s, domain);

	if (d == NULL)
		return;
	d->users_last[d->user_last] = (struct stw_span){begin, end, slot};
	d->user_last = (d->user_last + 1) % STW_USERS_LAST;
	d->has_users = true;
}

static void stw_reset_by_model(void *ctx, uint64_t now)
{
	(void)now;
	stw_reset(ctx);
}

void stw_observer(struct stw *s, struct model_observer *out)
{
	*out = (struct model_observer){
	    .ctx = s,
	    .opened = stw_opened,
	    .closed = stw_closed,
	    .both = stw_both,
	    .dropped = stw_dropped,
	    .user_closed = stw_user_closed,
	    .gap = stw_gap,
	    .lost_from = stw_lost_from,
	    .reset = stw_reset_by_model,
	};
}

void stw_look_into(struct stw *s, const struct model *m)
{
	s->model = m;
}

/* The two earliest leaders: the domain of the first, and the begins of both. */
struct leaders {
	struct stw_slot *slot;
	unsigned domain;
	uint64_t first;
	uint64_t second; /* UINT64_MAX: there is none */
};

/* Insert a leader's begin into the first two. */
static inline void leaders_offer(struct leaders *l, struct stw_slot *slot, unsigned domain, uint64_t begin)
{
	if (begin < l->first || l->slot == NULL) {
		if (l->slot != NULL)
			l->second = l->first;
		l->slot = slot;
		l->domain = domain;
		l->first = begin;
	} else if (begin < l->second)
		l->second = begin;
}

/* Note when the first two stops begin that a domain leads. */
static void slot_look(struct stw_slot *d)
{
	struct leaders l = {.first = UINT64_MAX, .second = UINT64_MAX};

	if (d->leads.count > 0)
		leaders_offer(&l, d, 0, queue_at(&d->leads, 0)->begin);
	if (d->leads.count > 1)
		leaders_offer(&l, d, 0, queue_at(&d->leads, 1)->begin);
	if (d->open && d->now.leader && !d->abandoned)
		leaders_offer(&l, d, 0, d->now.begin);
	d->lead_first = l.first;
	d->lead_second = l.second;
}

/* Find the earliest leaders, of what slot_look has noted. */
static struct leaders stw_leaders(const struct stw *s)
{
	struct leaders l = {.first = UINT64_MAX, .second = UINT64_MAX};

	for (unsigned i = 0; i < s->domain_limit; i++) {
		struct stw_slot *d = s->domains[i];

		if (d == NULL || d->lead_first >= l.second)
			continue;
		leaders_offer(&l, d, i, d->lead_first);
		if (d->lead_second < l.second)
			leaders_offer(&l, d, i, d->lead_second);
	}
	return l;
}

/* Drop the handlers that began before all remaining leaders. */
static void stw_drop_stray(struct stw *s, uint64_t before)
{
	for (unsigned i = 0; s->handlers > 0 && i < s->domain_limit; i++) {
		struct stw_slot *d = s->domains[i];

		while (d != NULL && d->joins.count > 0 && queue_at(&d->joins, 0)->begin < before) {
			queue_pop(s, &d->joins);
			s->totals.stray++;
		}
	}
}

/* A domain's part in the stop of [from, to), or NULL. */
static const struct part *slot_part(const struct stw_slot *d, uint64_t from, uint64_t to, bool *open)
{
	const struct part *part = NULL;

	*open = false;
	if (d->joins.count > 0)
		part = queue_at(&d->joins, 0);
	else if (d->open && !d->abandoned && !d->now.leader) {
		part = &d->now;
		*open = true;
	}
	return part != NULL && part->begin >= from && part->begin < to ? part : NULL;
}

/*
 * Collect the parts of the stop led by `lead`, which is over before `to`; returns how many.  A handler is
 * rejected, as part of a stop with an unknown leader, if it began after the leader had finished (synchronous
 * stop) or has a barrier (asynchronous stop).
 */
static unsigned stw_collect(
    struct stw *s, const struct leaders *l, const struct part *lead, uint64_t to, bool *sync, bool *open)
{
	unsigned found = 1, count = 1;

	s->taking[0] = (struct taking){l->domain, lead, false};
	*sync = lead->arrive != 0;
	*open = false;
	for (unsigned i = 0; s->handlers > 0 && i < s->domain_limit; i++) {
		struct taking t = {.domain = i};

		if (s->domains[i] == NULL || i == l->domain)
			continue;
		t.part = slot_part(s->domains[i], lead->begin, to, &t.open);
		if (t.part == NULL)
			continue;
		s->taking[found++] = t;
		*sync = *sync || (t.part->arrive != 0 && t.part->begin <= lead->end);
	}
	for (unsigned i = 1; i < found; i++) {
		const struct taking *t = &s->taking[i];

		if (*sync ? t->part->begin > lead->end : t->part->arrive != 0)
			continue;
		*open = *open || t->open;
		s->taking[count++] = *t;
	}
	return count;
}

/* Remove the parts of a stop from the queues. */
static void stw_consume(struct stw *s, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct stw_slot *d = s->domains[s->taking[i].domain];

		if (i == 0)
			queue_pop(s, &d->leads);
		else if (!s->taking[i].open)
			queue_pop(s, &d->joins);
		else
			d->abandoned = true;
	}
}

/* Assemble the earliest stop.  False if it is incomplete, or there is none. */
static bool stw_next(struct stw *s, uint64_t watermark)
{
	struct leaders l = stw_leaders(s);
	bool stuck = l.second != UINT64_MAX && span_time_after(l.second, STUCK_AFTER) <= watermark;
	bool sync, open, last = watermark == UINT64_MAX;
	const struct part *lead;
	unsigned count;

	stw_drop_stray(s, l.first < watermark ? l.first : watermark);
	if (l.slot == NULL || l.first >= watermark)
		return false;
	if (l.slot->leads.count == 0 || queue_at(&l.slot->leads, 0)->begin != l.first) {
		/* The leader's span is still open. */
		if (!stuck && !last)
			return false;
		l.slot->abandoned = true;
		s->totals.dropped++;
		slot_look(l.slot);
		return true;
	}
	lead = queue_at(&l.slot->leads, 0);
	if (lead->end == 0) {
		s->totals.dropped++;
		queue_pop(s, &l.slot->leads);
		slot_look(l.slot);
		return true;
	}
	if (lead->end >= watermark)
		return false;
	count = stw_collect(s, &l, lead, l.second < watermark ? l.second : watermark, &sync, &open);
	if (!sync && l.second > watermark && span_time_after(lead->end, ASYNC_GRACE) > watermark)
		return false;
	if (open && !stuck && !last)
		return false;
	stw_count(s, sync ? STW_SYNC : count > 1 ? STW_ASYNC : STW_SOLO, count);
	stw_consume(s, count);
	slot_look(l.slot);
	return true;
}

void stw_advance(struct stw *s, uint64_t watermark)
{
	for (unsigned i = 0; i < s->domain_limit; i++)
		if (s->domains[i] != NULL)
			slot_look(s->domains[i]);
	while (stw_next(s, watermark))
		continue;
}

size_t stw_waiting(const struct stw *s)
{
	return s->parts;
}
