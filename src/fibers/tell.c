/* tell.c - tell the present state as the events that would lead to it. */
#include "fibers/private.h"

struct telling {
	const struct fibers *f;
	fibers_told *told;
	void *ctx;
	bool stopped;
};

static void tell(struct telling *t, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	t->stopped = t->stopped || !t->told(t->ctx, domain, ts, event);
}

/* Tell an event with a text. */
static void tell_text(
    struct telling *t, unsigned domain, uint64_t ts, enum fiber_op op, uint64_t id, uint32_t text)
{
	const struct fiber_text of = fibers_text_of(t->f, text);

	tell(t, domain, ts, &(struct fiber_event){.op = op, .id = id, .text = of.text, .len = of.len});
}

/* Tell the contexts that are `depth` below a root.  Returns whether there are any. */
static bool tell_contexts(struct telling *t, unsigned depth, uint64_t ts)
{
	bool any = false;

	for (fiber_index i = 1; i < t->f->context_count && !t->stopped; i++) {
		const struct context *c = &t->f->contexts[i];
		if (c->refs == 0 || c->depth != depth)
			continue;
		any = true;
		tell(t, 0, ts,
		    &(struct fiber_event){.op = FIBER_CONTEXT_KNOWN,
			.kind = (enum fiber_kind)c->kind,
			.id = c->id,
			.other = t->f->contexts[c->parent].id});
		if (c->name != 0)
			tell_text(t, 0, ts, FIBER_NAMED, c->id, c->name);
		if (c->cancelled && !c->ended && c->losses == t->f->losses)
			tell_text(t, 0, c->cancel_ts, FIBER_FAILS, c->id, 0);
	}
	return any;
}

/* Tell objects: those that a fiber holds, or the others. */
static void tell_objects(struct telling *t, bool held, uint64_t ts)
{
	for (fiber_index i = 1; i < t->f->object_count && !t->stopped; i++) {
		const struct object *o = &t->f->objects[i];
		const struct fiber *holder = &t->f->fibers[id_map_find(&t->f->fiber_map, o->holder)];
		if (held != (o->held && o->losses == t->f->losses && holder->id == o->holder))
			continue;
		tell(t, 0, ts,
		    &(struct fiber_event){
			.op = FIBER_OBJECT_MADE, .kind = (enum fiber_kind)o->kind, .id = o->id});
		if (o->name != 0)
			tell_text(t, 0, ts, FIBER_NAMED, o->id, o->name);
		if (!held)
			continue;
		tell(t, holder->domain, ts, &(struct fiber_event){.op = FIBER_RUNS, .id = o->holder});
		tell(t, holder->domain, ts, &(struct fiber_event){.op = FIBER_GETS, .id = o->id});
	}
}

/* Tell what a fiber does: unless its domain has lost something since, its context, its spans, and what it waits
 * for. */
static void tell_fiber(struct telling *t, const struct fiber *fiber, uint64_t ts)
{
	const struct loop *l = t->f->loops[fiber->domain];
	const bool holds = fibers_holds(t->f, fiber);
	const fiber_index context = holds ? fiber->context : 0;
	const bool ends = fiber->state == FIBER_RUNNING && l->end_ts != 0;

	tell(t, fiber->domain, ts, &(struct fiber_event){.op = FIBER_RUNS, .id = fiber->id});
	if (fiber->own) {
		tell_text(t, fiber->domain, ts, FIBER_SUSPENDS, 0, t->f->own_op);
		return;
	}
	if (context != fiber->made_in)
		tell(t, fiber->domain, ts,
		    &(struct fiber_event){.op = FIBER_IN, .other = t->f->contexts[context].id});
	if (!holds)
		return;
	for (unsigned i = 0; i < fiber->depth && i < FIBERS_SPANS; i++)
		tell_text(t, fiber->domain, ts, FIBER_SPAN_BEGINS, 0, fiber->spans[i]);
	if (fiber->wants)
		tell(t, fiber->domain, ts, &(struct fiber_event){.op = FIBER_WANTS, .id = fiber->want});
	if (ends || fiber->state == FIBER_BLOCKED)
		tell_text(t, fiber->domain, ends ? l->end_ts : fiber->since, FIBER_SUSPENDS, 0,
		    ends ? l->op : fiber->op);
}

/* Whether a fiber is told: it is alive, or the scheduler's own. */
static bool is_told(const struct fibers *f, const struct fiber *fiber)
{
	return fiber->own ? fiber->state != FIBER_ENDED && f->own_op != 0 : fibers_alive(fiber);
}

static void tell_fibers(struct telling *t, uint64_t ts)
{
	const struct fibers *f = t->f;

	tell_objects(t, true, ts);
	/* A fiber that makes another one after its suspension has come back: all are made before any waits. */
	for (fiber_index at = 1; at < f->fiber_count && !t->stopped; at++)
		if (is_told(f, &f->fibers[at]))
			tell(t, f->fibers[at].domain, ts,
			    &(struct fiber_event){.op = FIBER_MADE,
				.id = f->fibers[at].id,
				.other = f->contexts[f->fibers[at].made_in].id});
	/* First waiting fibers in their order, then those that can run, then running ones. */
	for (fiber_index at = f->blocked_first; at != 0 && !t->stopped; at = f->links[at].after)
		if (is_told(f, &f->fibers[at]))
			tell_fiber(t, &f->fibers[at], ts);
	for (int state = FIBER_READY; state <= FIBER_RUNNING; state++)
		for (fiber_index at = 1; at < f->fiber_count && !t->stopped; at++)
			if (f->fibers[at].state == state && is_told(f, &f->fibers[at]))
				tell_fiber(t, &f->fibers[at], ts);
	tell_objects(t, false, ts);
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX && !t->stopped; i++)
		if (f->loops[i] != NULL && f->loops[i]->state == LOOP_IDLE && !f->loops[i]->missing)
			tell(t, i, ts, &(struct fiber_event){.op = FIBER_IDLE_BEGINS});
}

void fibers_tell(const struct fibers *f, bool all, uint64_t ts, fibers_told *told, void *ctx)
{
	struct telling t = {.f = f, .told = told, .ctx = ctx};

	for (unsigned depth = 0; depth < FIBERS_DEPTH && tell_contexts(&t, depth, ts); depth++)
		;
	if (all)
		tell_fibers(&t, ts);
	if (!all || f->more || f->lost || t.stopped)
		(void)told(ctx, 0, ts, &(struct fiber_event){.op = FIBER_MORE});
}
