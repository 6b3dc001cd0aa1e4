/*
 * fibers.c - follow fibers, contexts, objects and loops through the events of one scheduler.
 */
#include "fibers/private.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

/* ---- fibers ---- */

/* Take a fiber out of the list of the blocked. */
static void unlist(struct fibers *f, fiber_index at)
{
	struct fiber *fiber = &f->fibers[at];

	*(fiber->before != 0 ? &f->fibers[fiber->before].after : &f->blocked_first) = fiber->after;
	*(fiber->after != 0 ? &f->fibers[fiber->after].before : &f->blocked_last) = fiber->before;
	fiber->before = fiber->after = 0;
	f->blocked--;
}

/* Add it at the end of the list. */
static void list(struct fibers *f, fiber_index at)
{
	f->fibers[at].before = f->blocked_last;
	*(f->blocked_last != 0 ? &f->fibers[f->blocked_last].after : &f->blocked_first) = at;
	f->blocked_last = at;
	f->blocked++;
}

/* The tally of the context that a fiber was made in. */
static struct tally *tally_of(struct fibers *f, const struct fiber *fiber)
{
	return fiber->made_in != 0 ? &f->contexts[fiber->made_in].tally : &f->unknown;
}

void fibers_free_one(struct fibers *f, fiber_index at)
{
	struct fiber *fiber = &f->fibers[at];

	if (fiber->state == FIBER_BLOCKED)
		unlist(f, at);
	if (id_map_find(&f->fiber_map, fiber->id) == at)
		id_map_remove(&f->fiber_map, fiber->id);
	fibers_context_drop(f, fiber->context);
	fibers_context_drop(f, fiber->made_in);
	f->alive -= fiber->seen && fiber->state != FIBER_ENDED;
	*fiber = (struct fiber){.after = f->fiber_free, .state = FIBER_ENDED};
	f->fiber_free = at;
}

/* Forget the fiber that has been blocked longest.  Returns false if none is. */
static bool forget_one(struct fibers *f)
{
	if (f->blocked_first == 0)
		return false;
	fibers_free_one(f, f->blocked_first);
	f->forgotten++;
	return true;
}

static bool fiber_room(struct fibers *f)
{
	if (f->fiber_free != 0 || (f->fiber_count == FIBERS_MAX && forget_one(f)))
		return true;
	if (f->fiber_count == FIBERS_MAX ||
	    !array_room(&f->fibers, &f->fiber_room, f->fiber_count + 1, sizeof(*f->fibers))) {
		f->failed |= f->fiber_count < FIBERS_MAX;
		return false;
	}
	f->fibers[f->fiber_count] = (struct fiber){.state = FIBER_ENDED};
	f->fiber_free = f->fiber_count++;
	return true;
}

bool fibers_holds(const struct fibers *f, const struct fiber *fiber)
{
	return f->loops[fiber->domain] != NULL && f->loops[fiber->domain]->losses == fiber->losses;
}

/* Tell the observer of a run, NULL: nothing is known of it. */
static void run_tell(struct fibers *f, unsigned domain, const struct run *run)
{
	struct fiber_run told;

	if (f->observer.ran == NULL)
		return;
	if (run != NULL)
		told = fibers_run_of(f, run);
	f->observer.ran(f->observer.ctx, domain, run != NULL ? &told : NULL);
}

void fibers_run_cut(struct fibers *f, struct loop *l)
{
	if (l->running == 0)
		return;
	run_tell(f, f->fibers[l->running].domain, NULL);
	if (f->fibers[l->running].state == FIBER_ENDED)
		fibers_free_one(f, l->running);
	else
		f->fibers[l->running].state = FIBER_READY;
	fibers_context_drop(f, l->run_context);
	l->running = l->run_context = 0;
	l->end_ts = 0;
}

/* Note that an event named a fiber; what was known of it before a loss is not true any more.  A fiber that another
 * domain claims does not run on its own: only a ring that makes no sense says so. */
static void fiber_see(struct fibers *f, fiber_index at, unsigned domain)
{
	struct fiber *fiber = &f->fibers[at];

	f->alive += !fiber->seen;
	fiber->seen = true;
	if (fiber->domain == domain && fiber->losses == f->loops[domain]->losses)
		return;
	if (fiber->state == FIBER_RUNNING)
		fibers_run_cut(f, f->loops[fiber->domain]);
	if (fiber->state == FIBER_BLOCKED)
		unlist(f, at);
	fiber->domain = (uint16_t)domain;
	fiber->losses = f->loops[domain]->losses;
	fiber->state = FIBER_READY;
	fiber->wants = false;
	fiber->depth = 0;
	fibers_context_drop(f, fiber->context);
	fiber->context = 0;
}

/* Find a fiber, made if need be.  0: there is no room. */
static fiber_index fiber_of(struct fibers *f, uint64_t id, unsigned domain)
{
	fiber_index at = id_map_find(&f->fiber_map, id);

	/* One that has ended, and whose run is still open, is none of another domain. */
	if (f->fibers[at].state == FIBER_ENDED && at != 0 && f->fibers[at].domain != domain) {
		fibers_run_cut(f, f->loops[f->fibers[at].domain]);
		at = 0;
	}
	if (at == 0 && fiber_room(f)) {
		at = f->fiber_free;
		f->fiber_free = f->fibers[at].after;
		f->fibers[at] = (struct fiber){.id = id,
		    .domain = (uint16_t)domain,
		    .losses = f->loops[domain]->losses,
		    .state = FIBER_READY};
		if (!id_map_add(&f->fiber_map, id, at))
			f->failed = true;
	}
	if (at != 0)
		fiber_see(f, at, domain);
	return at;
}

/* ---- loops ---- */

static struct loop *loop_of(struct fibers *f, unsigned domain)
{
	if (f->loops[domain] == NULL)
		f->loops[domain] = calloc(1, sizeof(struct loop));
	f->failed |= f->loops[domain] == NULL;
	return f->loops[domain];
}

/* Count the time since the loop's last mark. */
static void loop_count(struct loop *l, uint64_t ts)
{
	if (l->state <= LOOP_UNKNOWN || ts <= l->mark)
		return;
	l->seen_ns += ts - l->mark;
	l->busy_ns += l->state == LOOP_BUSY ? ts - l->mark : 0;
	l->mark = ts;
}

/* Whether a run is told before another one: it is longer, or as long and earlier. */
static bool run_before(const struct run *a, const struct run *b)
{
	return a->duration != b->duration ? a->duration > b->duration : a->ts < b->ts;
}

/* Keep a finished run if it is one of the longest. */
static void keep_run(struct fibers *f, const struct run *run)
{
	size_t at = f->longest_count;

	if (at == FIBERS_LATEST && !run_before(run, &f->longest[at - 1]))
		return;
	if (at == FIBERS_LATEST)
		fibers_context_drop(f, f->longest[--at].context);
	else
		f->longest_count++;
	for (; at > 0 && run_before(run, &f->longest[at - 1]); at--)
		f->longest[at] = f->longest[at - 1];
	f->longest[at] = *run;
	fibers_context_take(f, run->context);
}

uint64_t fibers_open_pause(const struct fibers *f, unsigned domain, uint64_t from, uint64_t to)
{
	const struct model_domain *d = model_domain(f->model, domain);
	const struct model_open_span *span = d != NULL ? model_open_pause(d) : NULL;
	uint64_t begin = span == NULL ? to : span->begin > from ? span->begin : from;

	return begin < to ? to - begin : 0;
}

/* Keep a run in place of another one. */
static void run_replace(struct fibers *f, struct run *kept, struct run run)
{
	fibers_context_take(f, run.context);
	fibers_context_drop(f, kept->context);
	*kept = run;
}

/* Count a run that has ended. */
static void run_count(struct fibers *f, unsigned domain, struct fiber *fiber, uint64_t end)
{
	struct loop *l = f->loops[domain];
	struct tally *tally = tally_of(f, fiber);
	struct run run = {.fiber = fiber->id,
	    .ts = l->run_ts,
	    .duration = end > l->run_ts ? end - l->run_ts : 0,
	    .gc_ns = l->gc_ns + fibers_open_pause(f, domain, l->run_ts, end),
	    .domain = domain,
	    .context = l->run_context,
	    .span = l->span};

	run.gc_ns = run.gc_ns < run.duration ? run.gc_ns : run.duration;
	tally_add(tally, &(struct tally){.runs = 1,
			     .run_ns = run.duration,
			     .run_max_ns = run.duration,
			     .run_max_gc_ns = run.gc_ns,
			     .run_max_span = run.span});
	keep_run(f, &run);
	run_tell(f, domain, &run);
	if (l->turn_ts != 0 && run.duration > l->worst.duration)
		run_replace(f, &l->worst, run);
}

/* End the run of a domain: another fiber runs from `ts` on, or none. */
static void run_end(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = f->loops[domain];
	struct fiber *fiber = &f->fibers[l->running];

	if (l->running == 0)
		return;
	if (l->run_whole)
		run_count(f, domain, fiber, l->end_ts != 0 ? l->end_ts : ts);
	else
		run_tell(f, domain, NULL);
	if (fiber->state == FIBER_ENDED) {
		fibers_free_one(f, l->running);
	} else if (l->end_ts != 0 && l->suspended) {
		fiber->state = FIBER_BLOCKED;
		fiber->since = l->end_ts;
		fiber->op = l->op;
		list(f, l->running);
	} else {
		fiber->state = FIBER_READY;
	}
	fibers_context_drop(f, l->run_context);
	l->running = l->run_context = 0;
	l->end_ts = 0;
}

uint64_t fibers_waited(const struct fibers *f, const struct fiber *fiber, uint64_t end)
{
	uint64_t since = fiber->since > f->reset_ts ? fiber->since : f->reset_ts;

	return end > since ? end - since : 0;
}

/* A fiber waits no more. */
static void unblock(struct fibers *f, fiber_index at, uint64_t ts)
{
	struct fiber *fiber = &f->fibers[at];

	if (fiber->state != FIBER_BLOCKED)
		return;
	/* Whether it waited all the time is not known after a loss. */
	if (fibers_holds(f, fiber)) {
		tally_of(f, fiber)->blocked_ns += fibers_waited(f, fiber, ts);
		if (f->observer.waited != NULL) {
			const struct fiber_row row = fibers_row_of(f, fiber, ts);
			f->observer.waited(f->observer.ctx, ts, &row);
		}
	}
	unlist(f, at);
	fiber->state = FIBER_READY;
}

static void run_begin(struct fibers *f, unsigned domain, uint64_t ts, uint64_t id)
{
	struct loop *l = f->loops[domain];

	run_end(f, domain, ts);
	fiber_index at = fiber_of(f, id, domain);
	if (at == 0)
		return;
	struct fiber *fiber = &f->fibers[at];
	unblock(f, at, ts);
	fiber->state = FIBER_RUNNING;
	fiber->wants = false;
	l->running = at;
	l->run_ts = ts;
	l->run_whole = true;
	l->run_context = fibers_context_take(f, fiber->context);
	l->span = fiber->depth == 0
		      ? 0
		      : fiber->spans[(fiber->depth < FIBERS_SPANS ? fiber->depth : FIBERS_SPANS) - 1];
	l->gc_ns = l->gc_after = 0;
}

/* A suspension turned out to have come back at once. */
static void run_on(struct loop *l)
{
	if (l->end_ts == 0 || !l->suspended)
		return;
	l->end_ts = 0;
	l->gc_ns += l->gc_after;
	l->gc_after = 0;
}

/* Keep a turn that ends now if it was late. */
static void keep_late(struct fibers *f, unsigned domain, uint64_t ts)
{
	const struct loop *l = f->loops[domain];
	struct turn_late *late = &f->late[f->late_count % FIBERS_LATE_COUNT];

	if (ts - l->turn_ts < FIBERS_LATE_NS)
		return;
	f->late_count++;
	late->end = ts;
	late->duration = ts - l->turn_ts;
	late->domain = domain;
	run_replace(f, &late->run, l->worst);
}

static void idle_begins(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = f->loops[domain];

	run_end(f, domain, ts);
	loop_count(l, ts);
	if (l->turn_ts != 0 && ts >= l->turn_ts) {
		f->failed |= !hist_add(&l->turns, ts - l->turn_ts);
		keep_late(f, domain, ts);
		if (f->observer.turned != NULL)
			f->observer.turned(f->observer.ctx, domain, ts - l->turn_ts);
	}
	l->turn_ts = 0;
	l->state = LOOP_IDLE;
	l->mark = ts > l->mark ? ts : l->mark;
}

static void idle_ends(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = f->loops[domain];

	run_end(f, domain, ts);
	loop_count(l, ts);
	l->turn_ts = ts;
	run_replace(f, &l->worst, (struct run){0});
	l->state = LOOP_BUSY;
	l->mark = ts > l->mark ? ts : l->mark;
}

/* ---- events ---- */

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

/* The running fiber is in another context. */
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
	fibers_context_end(f, at);
	fibers_context_drop(f, at);
}

static void fiber_made(struct fibers *f, unsigned domain, const struct fiber_event *event)
{
	fiber_index at = id_map_find(&f->fiber_map, event->id);

	f->created++;
	/* Ids are not used again: an older fiber of this id was not seen to end.  It is no other that runs. */
	if (at != 0 && f->fibers[at].state != FIBER_RUNNING && f->fibers[at].state != FIBER_ENDED)
		fibers_free_one(f, at);
	at = fiber_of(f, event->id, domain);
	fiber_index context = id_map_find(&f->context_map, event->other);
	if (at == 0 || f->fibers[at].state == FIBER_ENDED)
		return;
	struct fiber *fiber = &f->fibers[at];
	fibers_context_drop(f, fiber->context);
	fibers_context_drop(f, fiber->made_in);
	fiber->context = fibers_context_take(f, context);
	fiber->made_in = fibers_context_take(f, context);
	fiber->made = true;
	tally_of(f, fiber)->created++;
}

/* A fiber is made for another domain: what it did there may have been read before. */
static void fiber_forked_away(struct fibers *f, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	fiber_index at = id_map_find(&f->fiber_map, event->id);

	for (size_t i = 0; at == 0 && i < UNMADE_MAX && i < f->unmade_count; i++)
		if (f->unmade[i].id == event->id && f->unmade[i].ts >= ts) {
			f->unmade[i].ts = 0;
			f->created++;
			f->unknown.created++;
			return;
		}
	if (at == 0 || f->fibers[at].made) {
		fiber_made(f, domain, event);
		return;
	}
	f->fibers[at].made = true;
	f->created++;
	tally_of(f, &f->fibers[at])->created++;
}

/* The run of a domain ends, by an event that says so. */
static void run_ends(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = f->loops[domain];
	fiber_index at = l->running;
	uint64_t suspended = l->end_ts;

	if (at == 0 || f->fibers[at].state == FIBER_ENDED)
		return;
	if (suspended != 0) {
		l->end_ts = ts;
		l->gc_ns += l->gc_after;
	}
	run_end(f, domain, ts);
	if (f->fibers[at].state == FIBER_BLOCKED)
		f->fibers[at].since = suspended;
}

/* A fiber that does not run waits. */
static void fiber_waits(struct fibers *f, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	fiber_index at = fiber_of(f, event->id, domain);
	struct fiber *fiber = &f->fibers[at];

	if (at == 0 || fiber->state != FIBER_READY)
		return;
	fiber->state = FIBER_BLOCKED;
	fiber->since = ts;
	fiber->op = fibers_text(f, event->text, event->len);
	list(f, at);
}

static void fiber_ends(struct fibers *f, unsigned domain, uint64_t ts, uint64_t id)
{
	struct loop *l = f->loops[domain];
	fiber_index at = id_map_find(&f->fiber_map, id);

	f->finished++;
	if (!f->fibers[at].made)
		f->unmade[f->unmade_count++ % UNMADE_MAX] = (struct unmade){id, ts};
	if (at == 0)
		f->unknown.finished++;
	if (at == 0 || f->fibers[at].state == FIBER_ENDED)
		return;
	struct fiber *fiber = &f->fibers[at];
	tally_of(f, fiber)->finished++;
	unblock(f, at, ts);
	if (l->running != at) {
		if (fiber->state == FIBER_RUNNING)
			fibers_run_cut(f, f->loops[fiber->domain]);
		fibers_free_one(f, at);
		return;
	}
	f->alive -= fiber->seen;
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
		/* The oldest makes room. */
		f->object_next = f->object_next % (FIBERS_OBJECTS - 1) + 1;
		at = f->object_next;
		id_map_remove(&f->object_map, f->objects[at].id);
	}
	f->objects[at] = (struct object){.id = event->id, .kind = (uint8_t)event->kind};
	if (id_map_find(&f->object_map, event->id) == 0 && !id_map_add(&f->object_map, event->id, at))
		f->failed = true;
}

static void named(struct fibers *f, const struct fiber_event *event)
{
	fiber_index at = id_map_find(&f->context_map, event->id);
	fiber_index object = at == 0 ? id_map_find(&f->object_map, event->id) : 0;

	if (at != 0) {
		f->contexts[at].name = fibers_text(f, event->text, event->len);
		f->names++;
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
	/* After a suspension the scheduler may have got it for any fiber. */
	o->holder = fiber->id;
	o->losses = f->losses;
	o->held = l->end_ts == 0;
}

/* A lock is given back, by whom that ever is; a place of a semaphore by the one that has it last, or by another. */
static void puts_back(struct fibers *f, const struct loop *l, uint64_t id)
{
	struct object *o = &f->objects[id_map_find(&f->object_map, id)];

	if (o->kind == FIBER_MUTEX || l->running == 0 || f->fibers[l->running].id == o->holder)
		o->held = false;
}

/* A span begins; after a suspension it is the scheduler's own. */
static void span_begins(struct fibers *f, struct loop *l, const struct fiber_event *event)
{
	struct fiber *fiber = &f->fibers[l->running];

	if (l->end_ts != 0) {
		l->own_spans++;
		return;
	}
	if (fiber->depth < FIBERS_SPANS)
		fiber->spans[fiber->depth] = fibers_text(f, event->text, event->len);
	fiber->depth = (uint16_t)(fiber->depth + (fiber->depth < UINT16_MAX));
}

static void span_ends(struct fibers *f, struct loop *l)
{
	struct fiber *fiber = &f->fibers[l->running];

	if (l->end_ts != 0 && l->own_spans > 0)
		l->own_spans--;
	else
		fiber->depth = (uint16_t)(fiber->depth - (fiber->depth > 0));
}

/* Keep an error if it is one of the latest: the rings of domains are not read in the order of time. */
static void fails(struct fibers *f, uint64_t ts, const struct fiber_event *event)
{
	size_t at = f->failure_count, len = event->len < FIBERS_ERROR ? event->len : FIBERS_ERROR;
	fiber_index context = id_map_find(&f->context_map, event->id);

	f->errors++;
	if (context != 0 && !f->contexts[context].cancelled) {
		f->contexts[context].cancelled = true;
		f->contexts[context].cancel_ts = ts;
		f->contexts[context].losses = f->losses;
	}
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

/* What the running fiber of a domain does. */
static void take_running(struct fibers *f, struct loop *l, uint64_t ts, const struct fiber_event *event)
{
	switch (event->op) {
	case FIBER_CONTINUES:
		run_on(l);
		break;
	case FIBER_SUSPENDS:
		if (l->end_ts != 0 && l->suspended)
			run_on(l);
		l->end_ts = ts;
		l->suspended = true;
		l->own_spans = 0;
		l->op = fibers_text(f, event->text, event->len);
		break;
	case FIBER_WANTS:
		wants(f, l, event->id);
		break;
	case FIBER_GETS:
		gets(f, l, event->id);
		break;
	case FIBER_SPAN_BEGINS:
		span_begins(f, l, event);
		break;
	case FIBER_SPAN_ENDS:
		span_ends(f, l);
		break;
	case FIBER_IN:
		context_entered(f, l, event->other);
		break;
	default:
		break;
	}
}

void fibers_take(struct fibers *f, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? loop_of(f, domain) : NULL;

	if (l == NULL)
		return;
	/* How long something was missing is not known: none of it counts. */
	if (l->missing)
		fibers_skip(f, domain, 0, ts);
	/* A loop that is not back yet writes nothing until it is. */
	if (l->state == LOOP_UNKNOWN)
		l->state = event->op == FIBER_IDLE_ENDS ? LOOP_IDLE : LOOP_BUSY;
	f->events++;
	l->last_ts = ts;
	switch (event->op) {
	case FIBER_MADE:
	case FIBER_FORKED:
		run_on(l);
		fiber_made(f, domain, event);
		break;
	case FIBER_FORKED_AWAY:
		fiber_forked_away(f, domain, ts, event);
		break;
	case FIBER_RUN_ENDS:
		run_ends(f, domain, ts);
		break;
	case FIBER_WAITS:
		fiber_waits(f, domain, ts, event);
		break;
	case FIBER_LAP:
		loop_count(l, ts);
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
		run_begin(f, domain, ts, event->id);
		break;
	case FIBER_ENDS:
		fiber_ends(f, domain, ts, event->id);
		break;
	case FIBER_CONTEXT_MADE:
		run_on(l);
		context_made(f, domain, event);
		break;
	case FIBER_CONTEXT_ENDS:
		run_on(l);
		context_ends(f, domain);
		break;
	case FIBER_CONTEXT_KNOWN:
		context_known(f, event);
		break;
	case FIBER_OBJECT_MADE:
		object_made(f, event);
		break;
	case FIBER_NAMED:
		named(f, event);
		break;
	case FIBER_FAILS:
		fails(f, ts, event);
		break;
	case FIBER_PUTS:
		puts_back(f, l, event->id);
		break;
	case FIBER_IDLE_BEGINS:
		idle_begins(f, domain, ts);
		break;
	case FIBER_IDLE_ENDS:
		idle_ends(f, domain, ts);
		break;
	default:
		if (l->running != 0)
			take_running(f, l, ts, event);
		break;
	}
	if (f->observer.took != NULL)
		f->observer.took(f->observer.ctx, domain, ts, event, l->running != 0 && l->end_ts == 0);
}

void fibers_paused(struct fibers *f, unsigned domain, uint64_t begin, uint64_t end)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? f->loops[domain] : NULL;

	if (l == NULL || l->running == 0)
		return;
	begin = begin > l->run_ts ? begin : l->run_ts;
	if (l->end_ts != 0 && begin < l->end_ts && end > begin)
		l->gc_ns += (end < l->end_ts ? end : l->end_ts) - begin;
	else if (end > begin && l->end_ts == 0)
		l->gc_ns += end - begin;
	if (l->end_ts != 0 && end > l->end_ts)
		l->gc_after += end - (begin > l->end_ts ? begin : l->end_ts);
}

void fibers_missed(struct fibers *f, unsigned domain, uint64_t after, bool lost)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? loop_of(f, domain) : NULL;

	f->lost |= lost;
	if (l == NULL)
		return;
	fibers_run_cut(f, l);
	if (f->observer.missed != NULL)
		f->observer.missed(f->observer.ctx, domain);
	loop_count(l, after);
	l->losses++;
	f->losses++;
	l->turn_ts = 0;
	l->missing = true;
}

void fibers_domain_ended(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? f->loops[domain] : NULL;

	if (l == NULL)
		return;
	if (l->missing)
		fibers_skip(f, domain, 0, ts);
	if (l->end_ts != 0)
		run_end(f, domain, ts);
	fibers_run_cut(f, l);
	loop_count(l, ts);
	l->state = LOOP_NONE;
	l->turn_ts = 0;
}

void fibers_skip(struct fibers *f, unsigned domain, uint64_t from, uint64_t to)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? f->loops[domain] : NULL;

	if (l == NULL)
		return;
	loop_count(l, from);
	l->mark = to > l->mark ? to : l->mark;
	l->state = l->state == LOOP_NONE ? LOOP_NONE : LOOP_UNKNOWN;
	l->missing = false;
}

uint64_t fibers_last(const struct fibers *f, unsigned domain)
{
	return domain < MODEL_DOMAINS_MAX && f->loops[domain] != NULL ? f->loops[domain]->last_ts : 0;
}

bool fibers_failed(const struct fibers *f)
{
	return f->failed;
}
