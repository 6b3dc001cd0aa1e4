/* stw.c - queues the spans of stops; see stw.h. */
#include "watch/stw.h"

#include "core/event.h"
#include "core/array.h"
#include "watch/stw_private.h"

#define STW_USERS 32 /* maximum number of open user spans on a domain that are examined */
#define ROOM_MAX (2 * STW_PARTS_MAX)
#define QUEUE_FIRST 16

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
		free(s->domains[i]->joins.around);
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

/* Make a queue larger. */
static bool queue_grow(struct stw *s, struct queue *q, bool leads)
{
	unsigned size = q->size == 0 ? QUEUE_FIRST : q->size * 2;
	unsigned more = size > QUEUE_FIRST ? size - q->size : 0;
	struct around *around = NULL;

	/* A queue never shrinks, so its room is bounded as well. */
	if (more > ROOM_MAX - s->room)
		return false;
	struct part *parts = malloc(size * sizeof(*parts));

	if (parts == NULL || (!leads && (around = malloc(size * sizeof(*around))) == NULL)) {
		free(parts);
		return false;
	}
	s->room += more;
	for (unsigned i = 0; i < q->count; i++) {
		parts[i] = *queue_at(q, i);
		if (!leads)
			around[i] = q->around[(q->first + i) & (q->size - 1)];
	}
	free(q->parts);
	free(q->around);
	q->parts = parts;
	q->around = around;
	q->first = 0;
	q->size = size;
	return true;
}

/* Append the open span of a domain, which ended at `ts`, to its queue.  If there are too many, drop the oldest
 * of the queue. */
static void slot_queue(struct stw *s, struct stw_slot *d, uint64_t ts)
{
	struct queue *q = d->now.leader ? &d->leads : &d->joins;

	if (s->parts >= STW_PARTS_MAX || (q->count == q->size && !queue_grow(s, q, d->now.leader))) {
		s->totals.stray++;
		if (q->count == 0)
			return;
		queue_pop(s, q);
		s->handlers -= !d->now.leader;
	}
	if (!d->now.leader) {
		s->handlers++;
		q->around[(q->first + q->count) & (q->size - 1)] = d->around;
	}
	queue_append(s, d, q, ts);
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
	slot_note_deep(d);
	if (d->blind_count == STW_BLIND) {
		/* There are too many to keep apart: the two earliest are merged. */
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

/* Return the innermost user span open on a domain; MODEL_NO_USER: none, or too many to examine. */
static struct stw_span users_around(const struct stw *s, unsigned domain)
{
	struct model_open_user open[STW_USERS];
	size_t count = model_users_open(s->model, domain, open, STW_USERS);

	if (count == 0 || count == STW_USERS)
		return (struct stw_span){.id = MODEL_NO_USER};
	return (struct stw_span){.begin = open[count - 1].begin, .id = open[count - 1].slot};
}

/* Record the surroundings of a handler that begins on a domain `depth` phases deep. */
static void slot_look_around(
    const struct stw *s, struct stw_slot *slot, unsigned domain, uint64_t ts, unsigned depth)
{
	const struct model_domain *d = s->model != NULL ? model_domain(s->model, domain) : NULL;
	struct around *around = &slot->around;

	around->phase_around.id = STW_NO_PHASE;
	around->phase_before = slot->phase_last;
	around->user_around.id = around->user_before.id = MODEL_NO_USER;
	if (slot->has_users)
		around->user_before = users_late(slot, ts);
	if (d == NULL)
		return;
	for (unsigned i = depth < d->depth ? depth : d->depth; i-- > 0;) {
		if (phase_class(d->stack[i].phase) == RTEV_CLASS_STW)
			continue;
		around->phase_around = (struct stw_span){.begin = d->stack[i].begin, .id = d->stack[i].phase};
		break;
	}
	if (d->users > 0)
		around->user_around = users_around(s, domain);
}

/* Begin a span of a stop.  A timestamp that goes back a little counts as the latest one; if it goes back far,
 * the earlier spans are discarded. */
static void slot_begin_any(
    struct stw *s, struct stw_slot *d, unsigned domain, bool leader, uint64_t ts, unsigned depth)
{
	if (ts < d->latest && d->latest - ts > STW_STUCK_AFTER) {
		while (d->leads.count > 0)
			queue_pop(s, &d->leads);
		while (d->joins.count > 0)
			joins_pop(s, d);
	} else if (ts < d->latest)
		ts = d->latest;
	slot_begin(d, leader, ts, depth);
	if (leader)
		return;
	s->handlers++;
	slot_look_around(s, d, domain, ts, depth);
}

void stw_open(
    struct stw *s, struct stw_slot *d, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	if (d->blind_open)
		slot_see(d, ts);
	if (!d->open) {
		if (phase == RTEV_PHASE_STW_LEADER || phase == RTEV_PHASE_STW_HANDLER)
			slot_begin_any(s, d, domain, phase == RTEV_PHASE_STW_LEADER, ts, depth);
		return;
	}
	if (phase == RTEV_PHASE_STW_API_BARRIER) {
		slot_arrive(d, ts);
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
	slot_note_deep(d);
	s->handlers -= !d->now.leader;
	if (!d->abandoned)
		slot_queue(s, d, end);
}

/* Whether a span is the open span of a stop on a domain. */
static bool slot_is_now(const struct stw_slot *d, rtev_phase phase, unsigned depth)
{
	return d != NULL && d->open && d->depth == depth &&
	       phase == (d->now.leader ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
}

void stw_close(struct stw *s, struct stw_slot *d, const struct model_span *span)
{
	enum stw_work work = work_of(span->phase);

	/* The begin of the barrier may not have been reported. */
	if (span->phase == RTEV_PHASE_STW_API_BARRIER)
		slot_arrive(d, span->begin);
	else if (work > d->now.work && span->depth == d->depth + 1) {
		d->now.work = work;
		d->now.phase = span->phase;
	}
	if (span->phase == RTEV_PHASE_STW_API_BARRIER)
		slot_release(d, span->end);
	else if (slot_is_now(d, span->phase, span->depth))
		slot_finish(s, d, span->end > d->now.begin ? span->end : d->now.begin);
}

/* A runtime span ends. */
static void stw_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	if (domain < MODEL_DOMAINS_MAX)
		stw_take_closed(ctx, domain, span);
}

/* A runtime span is dropped. */
static void stw_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct stw *s = ctx;
	struct stw_slot *d = domain < MODEL_DOMAINS_MAX ? s->domains[domain] : NULL;

	if (slot_is_now(d, phase, depth))
		slot_finish(s, d, 0);
	else if (d != NULL && d->open && depth < d->depth) {
		d->depth--;
		slot_note_deep(d);
	}
}

/* Words were lost. */
static void stw_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	struct stw *s = ctx;
	struct stw_slot *d = gap->what != MODEL_GAP_OVER ? stw_slot_get(s, domain) : NULL;

	if (d == NULL)
		return;
	if (gap->what == MODEL_GAP_FOUND && !d->blind_open) {
		d->blind_open = s->has_blinds = true;
		slot_note_deep(d);
		d->blind_from = gap->from;
	} else if (gap->what == MODEL_GAP_BEGAN && d->blind_open && gap->from > d->blind_from) {
		d->blind_from = gap->from;
	}
}

/* A user span ends. */
static void stw_user(void *ctx, unsigned domain, const struct model_user_event *event)
{
	const bool ends = event->what == MODEL_USER_CLOSED;
	struct stw_slot *d = ends ? stw_slot_get(ctx, domain) : NULL;

	if (d == NULL)
		return;
	d->users_last[d->user_last] = (struct stw_span){event->begin, event->ts, event->slot};
	d->user_last = (d->user_last + 1) % STW_USERS_LAST;
	d->has_users = true;
}

static void stw_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	if (turn == MODEL_RESET)
		stw_reset(ctx);
}

void stw_observer(struct stw *s, struct model_observer *out)
{
	*out = (struct model_observer){
	    .ctx = s,
	    .opened = stw_opened,
	    .closed = stw_closed,
	    .dropped = stw_dropped,
	    .user = stw_user,
	    .gap = stw_gap,
	    .turned = stw_turned,
	};
}

void stw_look_into(struct stw *s, const struct model *m)
{
	s->model = m;
}

size_t stw_waiting(const struct stw *s)
{
	return s->parts;
}
