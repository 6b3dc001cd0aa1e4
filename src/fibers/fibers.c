/*
 * fibers.c - what each event of a scheduler does to fibers, contexts and objects; their loops and runs are in runs.c.
 */
#include "fibers/private.h"

#include "core/array.h"

static void context_made(struct fibers *f, unsigned domain, const struct fiber_event *event)
{
	struct loop *l = f->loops[domain];
	struct fiber *fiber = &f->fibers[l->running];
	fiber_index at = fibers_context_make(f, event->id, event->kind, l->running != 0 ? fiber->context : 0);

	if (l->running == 0)
		return;
	fibers_context_drop(f, fiber->context);
	fiber->context = fibers_context_take(f, at);
}

static void context_known(struct fibers *f, const struct fiber_event *event)
{
	fibers_context_make(f, event->id, event->kind, id_map_find(&f->context_map, event->other));
}

/* Note that the running fiber has entered another context. */
static void context_entered(struct fibers *f, const struct loop *l, uint64_t id)
{
	struct fiber *fiber = &f->fibers[l->running];

	fibers_context_drop(f, fiber->context);
	fiber->context = fibers_context_take(f, id_map_find(&f->context_map, id));
}

static void context_ends(struct fibers *f, unsigned domain)
{
	struct fiber *fiber = &f->fibers[f->loops[domain]->running];
	fiber_index at = fiber->context;

	if (f->loops[domain]->running == 0 || at == 0)
		return;
	fiber->context = fibers_context_take(f, f->contexts[at].parent);
	f->loops[domain]->error = f->contexts[at].error;
	fibers_context_end(f, at);
	fibers_context_drop(f, at);
}

static void fiber_made(struct fibers *f, unsigned domain, const struct fiber_event *event)
{
	fiber_index at = id_map_find(&f->fiber_map, event->id);

	f->created++;
	/* Ids are not reused: an older fiber of this id ended unseen, unless it is the one that runs. */
	if (at != 0 && f->fibers[at].state != FIBER_RUNNING && f->fibers[at].state != FIBER_ENDED)
		fibers_free_one(f, at);
	at = fibers_one(f, event->id, domain);
	fiber_index context = id_map_find(&f->context_map, event->other);
	if (at == 0 || f->fibers[at].state == FIBER_ENDED)
		return;
	struct fiber *fiber = &f->fibers[at];
	fibers_context_drop(f, fiber->context);
	fibers_context_drop(f, fiber->made_in);
	fiber->context = fibers_context_take(f, context);
	fiber->made_in = fibers_context_take(f, context);
	fiber->made = true;
	fibers_tally_of(f, fiber->made_in)->created++;
}

/* Take a fiber made for another domain, whose ring may have been read further. */
static void fiber_forked_away(struct fibers *f, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	fiber_index at = id_map_find(&f->fiber_map, event->id);

	for (size_t i = 0; at == 0 && i < UNMADE_MAX && i < f->unmade_count; i++)
		if (f->unmade[i].id == event->id && f->unmade[i].ts >= ts) {
			f->unmade[i].ts = 0;
			f->created++;
			fibers_tally_of(f, 0)->created++;
			return;
		}
	if (at == 0 || f->fibers[at].made) {
		fiber_made(f, domain, event);
		return;
	}
	f->fibers[at].made = true;
	f->created++;
	fibers_tally_of(f, f->fibers[at].made_in)->created++;
}

/* A fiber that does not run waits. */
static void fiber_waits(struct fibers *f, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	fiber_index at = fibers_one(f, event->id, domain);
	struct fiber *fiber = &f->fibers[at];

	if (at == 0 || fiber->state != FIBER_READY)
		return;
	fiber->state = FIBER_BLOCKED;
	fiber->since = ts;
	fiber->op = (uint16_t)fibers_text(f, event->text, event->len);
	fibers_enlist(f, at);
}

static void fiber_ends(struct fibers *f, unsigned domain, uint64_t ts, uint64_t id)
{
	struct loop *l = f->loops[domain];
	fiber_index at = id_map_find(&f->fiber_map, id);

	f->finished += !f->fibers[at].own;
	if (!f->fibers[at].made)
		f->unmade[f->unmade_count++ % UNMADE_MAX] = (struct unmade){id, ts};
	if (at == 0)
		fibers_tally_of(f, 0)->finished++;
	if (at == 0 || f->fibers[at].state == FIBER_ENDED)
		return;
	struct fiber *fiber = &f->fibers[at];
	fibers_tally_of(f, fiber->made_in)->finished += !fiber->own;
	fibers_unblock(f, at, ts);
	if (l->running != at) {
		if (fiber->state == FIBER_RUNNING)
			fibers_run_cut(f, f->loops[fiber->domain]);
		fibers_free_one(f, at);
		return;
	}
	f->alive -= fibers_alive(fiber);
	fiber->state = FIBER_ENDED;
	l->end_ts = ts;
	l->suspended = false;
	l->gc_after = 0;
}

static void object_made(struct fibers *f, const struct fiber_event *event)
{
	fiber_index at = id_map_find(&f->object_map, event->id);

	if (at == 0 && f->object_count < FIBERS_OBJECTS) {
		if (!array_room(&f->objects, &f->object_room, f->object_count + 1, sizeof(*f->objects))) {
			f->failed = true;
			return;
		}
		at = f->object_count++;
	} else if (at == 0) {
		/* The oldest object makes room. */
		f->object_next = f->object_next % (FIBERS_OBJECTS - 1) + 1;
		at = f->object_next;
		id_map_remove(&f->object_map, f->objects[at].id);
	}
	f->objects[at] = (struct object){.id = event->id, .kind = (uint8_t)event->kind};
	if (id_map_find(&f->object_map, event->id) == 0 && !id_map_add(&f->object_map, event->id, at))
		f->failed = true;
}

static void named(struct fibers *f, struct loop *l, const struct fiber_event *event)
{
	fiber_index at = id_map_find(&f->context_map, event->id);
	fiber_index object = at == 0 ? id_map_find(&f->object_map, event->id) : 0;

	if (at != 0) {
		if (event->sense == FIBER_OWN_URING)
			fibers_on_uring(l);
		f->contexts[at].own = event->sense != FIBER_PLAIN;
		f->contexts[at].name = fibers_text(f, event->text, event->len);
		f->names += f->contexts[at].holds;
		f->contexts[at].node_names = 0;
	}
	if (object != 0)
		f->objects[object].name = fibers_text(f, event->text, event->len);
}

static void wants(struct fibers *f, struct loop *l, uint64_t id)
{
	f->fibers[l->running].wants = true;
	f->fibers[l->running].want = id;
}

static void gets(struct fibers *f, struct loop *l, uint64_t id)
{
	struct fiber *fiber = &f->fibers[l->running];
	struct object *o = &f->objects[id_map_find(&f->object_map, id)];

	if (fiber->want == id)
		fiber->wants = false;
	if (o->kind != FIBER_MUTEX && o->kind != FIBER_SEMAPHORE)
		return;
	/* The loop may have got the object for any fiber while none runs. */
	o->holder = fiber->id;
	o->losses = f->losses;
	o->held = l->end_ts == 0;
}

/* Take back a lock from whoever has it, or a place of a semaphore, which another fiber may give back. */
static void puts_back(struct fibers *f, const struct loop *l, uint64_t id)
{
	struct object *o = &f->objects[id_map_find(&f->object_map, id)];

	if (o->kind == FIBER_MUTEX || l->running == 0 || f->fibers[l->running].id == o->holder)
		o->held = false;
}

/* Begin a span of the running fiber; after a suspension it is one of the scheduler. */
static void span_begins(struct fibers *f, struct loop *l, uint64_t ts, const struct fiber_event *event)
{
	if (l->end_ts == 0) {
		fibers_span_begins(f, l, ts, fibers_text(f, event->text, event->len));
		return;
	}
	l->own_spans++;
	if (event->sense == FIBER_OWN_URING)
		fibers_on_uring(l);
}

static void span_ends(struct fibers *f, struct loop *l, uint64_t ts)
{
	if (l->end_ts != 0 && l->own_spans > 0)
		l->own_spans--;
	else
		fibers_span_ends(f, l, ts);
}

/* Mark the running fiber as one of the scheduler's own. */
static void own(struct fibers *f, struct loop *l)
{
	struct fiber *fiber = &f->fibers[l->running];
	struct tally *tally = fibers_tally_of(f, fiber->made_in);

	fibers_on_uring(l);
	if (fiber->own)
		return;
	f->own_op = l->op;
	fiber->own = true;
	f->alive -= fiber->seen;
	if (fiber->made && f->created > 0 && tally->created > 0) {
		f->created--;
		tally->created--;
	}
}

/* Keep a failure if it is one of the latest.  Domains are not read in the order of time. */
static void keep_failure(struct fibers *f, uint64_t ts, const struct fiber_event *event, fiber_index context)
{
	size_t at = f->failure_count, len = event->len < FIBERS_ERROR ? event->len : FIBERS_ERROR;

	if (at == FIBERS_LATEST && f->failures[at - 1].ts >= ts)
		return;
	if (at == FIBERS_LATEST)
		fibers_context_drop(f, f->failures[--at].context);
	else
		f->failure_count++;
	for (; at > 0 && f->failures[at - 1].ts <= ts; at--)
		f->failures[at] = f->failures[at - 1];
	f->failures[at] = (struct failure){
	    .ts = ts, .id = event->id, .context = fibers_context_take(f, context), .len = len};
	memcpy(f->failures[at].text, event->text, len);
}

/* Take the failure of a context.  Contexts inside it follow at once for the same reason, and those around it
 * may follow as the fiber leaves them: such a series is one failure. */
static void fails(struct fibers *f, struct loop *l, uint64_t ts, const struct fiber_event *event)
{
	const uint32_t error = (uint32_t)id_map_hash(event->text, event->len, 0) | 1u;
	const bool follows = l->error == error;
	fiber_index context = id_map_find(&f->context_map, event->id);

	l->error = error;
	if (context != 0 && !f->contexts[context].cancelled) {
		f->contexts[context].cancelled = true;
		f->contexts[context].cancel_ts = ts;
		f->contexts[context].losses = f->losses;
		f->contexts[context].error = error;
	}
	if (follows || event->sense == FIBER_AT_END)
		return;
	f->cancelled += event->sense != FIBER_PLAIN;
	f->timeouts += event->sense == FIBER_TIMED_OUT;
	if (event->sense != FIBER_PLAIN)
		return;
	f->errors++;
	keep_failure(f, ts, event, context);
}

static void take_running(struct fibers *f, struct loop *l, uint64_t ts, const struct fiber_event *event)
{
	switch (event->op) {
	case FIBER_CONTINUES:
		fibers_run_on(l);
		break;
	case FIBER_SUSPENDS:
		if (l->end_ts != 0 && l->suspended)
			fibers_run_on(l);
		l->end_ts = ts;
		l->suspended = true;
		l->own_spans = 0;
		l->op = fibers_text(f, event->text, event->len);
		if (event->sense == FIBER_OWN_URING)
			own(f, l);
		break;
	case FIBER_WANTS:
		wants(f, l, event->id);
		break;
	case FIBER_GETS:
		gets(f, l, event->id);
		break;
	case FIBER_SPAN_BEGINS:
		span_begins(f, l, ts, event);
		break;
	case FIBER_SPAN_ENDS:
		span_ends(f, l, ts);
		break;
	case FIBER_IN:
		context_entered(f, l, event->other);
		break;
	default:
		break;
	}
}

/* Take an event of a context or an object, or else one of the running fiber. */
static void take_shared(
    struct fibers *f, struct loop *l, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	switch (event->op) {
	case FIBER_CONTEXT_MADE:
		fibers_run_on(l);
		context_made(f, domain, event);
		break;
	case FIBER_CONTEXT_ENDS:
		fibers_run_on(l);
		context_ends(f, domain);
		break;
	case FIBER_CONTEXT_KNOWN:
		context_known(f, event);
		break;
	case FIBER_OBJECT_MADE:
		object_made(f, event);
		break;
	case FIBER_NAMED:
		named(f, l, event);
		break;
	case FIBER_FAILS:
		fails(f, l, ts, event);
		break;
	case FIBER_PUTS:
		puts_back(f, l, event->id);
		break;
	default:
		if (l->running != 0)
			take_running(f, l, ts, event);
		break;
	}
}

void fibers_take(struct fibers *f, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	f->more |= event->op == FIBER_MORE;
	struct loop *l =
	    domain < MODEL_DOMAINS_MAX && event->op != FIBER_MORE ? fibers_loop_of(f, domain) : NULL;

	if (l == NULL)
		return;
	/* It is not known how long events were missing, so no time since the mark counts. */
	if (l->missing)
		fibers_skip(f, domain, 0, ts);
	/* A loop that still waits for the system writes nothing before FIBER_IDLE_ENDS. */
	if (l->state == LOOP_UNKNOWN)
		l->state = event->op == FIBER_IDLE_ENDS ? LOOP_IDLE : LOOP_BUSY;
	f->events++;
	l->last_ts = ts;
	/* These events happen while a fiber leaves a context with an error, so the error stays. */
	if (event->op != FIBER_FAILS && event->op != FIBER_SPAN_ENDS && event->op != FIBER_LOGS &&
	    event->op != FIBER_GETS && event->op != FIBER_PUTS)
		l->error = 0;
	switch (event->op) {
	case FIBER_MADE:
	case FIBER_FORKED:
		fibers_run_on(l);
		fiber_made(f, domain, event);
		break;
	case FIBER_FORKED_AWAY:
		fiber_forked_away(f, domain, ts, event);
		break;
	case FIBER_RUN_ENDS:
		fibers_run_ends(f, domain, ts);
		break;
	case FIBER_WAITS:
		fiber_waits(f, domain, ts, event);
		break;
	case FIBER_LAP:
		fibers_loop_count(l, ts);
		l->laps++;
		l->state = LOOP_BUSY;
		l->mark = ts > l->mark ? ts : l->mark;
		break;
	case FIBER_PAUSED:
		l->paused = (int64_t)event->id;
		break;
	case FIBER_JOBS:
		l->jobs = (int64_t)event->id;
		break;
	case FIBER_RUNS:
		fibers_run_begin(f, domain, ts, event->id);
		break;
	case FIBER_ENDS:
		fiber_ends(f, domain, ts, event->id);
		break;
	case FIBER_IDLE_BEGINS:
		fibers_idle_begins(f, domain, ts);
		break;
	case FIBER_IDLE_ENDS:
		fibers_idle_ends(f, domain, ts);
		break;
	default:
		take_shared(f, l, domain, ts, event);
		break;
	}
	if (f->observer.took != NULL)
		f->observer.took(f->observer.ctx, domain, ts, event, l->running != 0 && l->end_ts == 0);
}

bool fibers_failed(const struct fibers *f)
{
	return f->failed;
}
