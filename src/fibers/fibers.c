/*
 * fibers.c - follow fibers, contexts, objects and loops through the events of one scheduler.
 */
#include "fibers/private.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

/* ---- maps and texts ---- */

static size_t slot_of(const struct id_map *map, uint64_t id)
{
	/* The multiplier of Knuth's multiplicative hash; the high bits are the good ones. */
	return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (map->size - 1);
}

fiber_index id_map_find(const struct id_map *map, uint64_t id)
{
	if (map->size == 0)
		return 0;
	for (size_t at = slot_of(map, id); map->slots[at].at != 0; at = (at + 1) & (map->size - 1))
		if (map->slots[at].id == id)
			return map->slots[at].at;
	return 0;
}

static void map_place(struct id_map *map, uint64_t id, fiber_index value)
{
	size_t at = slot_of(map, id);

	while (map->slots[at].at != 0)
		at = (at + 1) & (map->size - 1);
	map->slots[at] = (struct id_slot){.id = id, .at = value};
	map->count++;
}

/* Add an id that the map does not have. */
static bool map_add(struct id_map *map, uint64_t id, fiber_index value)
{
	if (map->count * 2 >= map->size) {
		struct id_map grown = {.size = map->size == 0 ? 64 : map->size * 2};
		grown.slots = calloc(grown.size, sizeof(*grown.slots));
		if (grown.slots == NULL)
			return false;
		for (size_t i = 0; i < map->size; i++)
			if (map->slots[i].at != 0)
				map_place(&grown, map->slots[i].id, map->slots[i].at);
		free(map->slots);
		*map = grown;
	}
	map_place(map, id, value);
	return true;
}

/* Remove an id, and move those up that stand behind it because of it. */
static void map_remove(struct id_map *map, uint64_t id)
{
	size_t mask = map->size - 1, hole, at;

	if (id_map_find(map, id) == 0)
		return;
	for (hole = slot_of(map, id); map->slots[hole].id != id; hole = (hole + 1) & mask)
		;
	for (at = (hole + 1) & mask; map->slots[at].at != 0; at = (at + 1) & mask) {
		size_t home = slot_of(map, map->slots[at].id);
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			map->slots[hole] = map->slots[at];
			hole = at;
		}
	}
	map->slots[hole].at = 0;
	map->count--;
}

/* The FNV-1a hash of a text, which stands for it in a map; it differs from all others there by `salt`. */
static uint64_t text_hash(const char *text, size_t len, uint64_t salt)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) + salt;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* The number of a text, made if need be; 0: there are too many. */
static uint32_t text_of(struct fibers *f, const void *bytes, size_t len)
{
	uint64_t hash;

	len = len < FIBERS_TEXT ? len : FIBERS_TEXT;
	for (uint64_t salt = 0;; salt++) {
		hash = text_hash(bytes, len, salt);
		fiber_index at = id_map_find(&f->text_map, hash);
		if (at == 0)
			break;
		if (f->texts[at].len == len && memcmp(f->texts[at].bytes, bytes, len) == 0)
			return at;
	}
	if (f->text_count == FIBERS_TEXTS)
		return 0;
	if (!array_room(&f->texts, &f->text_room, f->text_count + 1, sizeof(*f->texts)) ||
	    !map_add(&f->text_map, hash, f->text_count)) {
		f->failed = true;
		return 0;
	}
	struct text *text = &f->texts[f->text_count];
	text->len = (uint16_t)len;
	memcpy(text->bytes, bytes, len);
	return f->text_count++;
}

/* ---- contexts ---- */

void tally_add(struct tally *to, const struct tally *from)
{
	to->created += from->created;
	to->finished += from->finished;
	to->runs += from->runs;
	to->run_ns += from->run_ns;
	to->run_max_ns = from->run_max_ns > to->run_max_ns ? from->run_max_ns : to->run_max_ns;
	to->blocked_ns += from->blocked_ns;
}

/* The node of a name below another one, made if need be. */
static uint32_t node_below(struct fibers *f, uint32_t parent, uint32_t name)
{
	/* Both are small numbers: the pair is an id of its own. */
	uint64_t id = (uint64_t)parent << 32 | name;
	fiber_index at = id_map_find(&f->node_map, id);

	if (at != 0)
		return at;
	if (f->node_count == FIBERS_TEXTS)
		return PATH_UNKNOWN;
	if (!array_room(&f->nodes, &f->node_room, f->node_count + 1, sizeof(*f->nodes)) ||
	    !map_add(&f->node_map, id, f->node_count)) {
		f->failed = true;
		return PATH_UNKNOWN;
	}
	f->nodes[f->node_count] = (struct path_node){.parent = parent, .name = name};
	return f->node_count++;
}

uint32_t fibers_node(struct fibers *f, fiber_index at)
{
	fiber_index chain[FIBERS_DEPTH];
	unsigned depth = 0;
	uint32_t node = 0;

	if (at == 0 || !f->contexts[at].known)
		return PATH_UNKNOWN;
	for (; at != 0; at = f->contexts[at].parent)
		chain[depth++] = at;
	while (depth > 0 && node != PATH_UNKNOWN) {
		const struct context *c = &f->contexts[chain[--depth]];
		if (c->name != 0)
			node = node_below(f, node, c->name);
	}
	return node;
}

static struct tally *node_tally(struct fibers *f, uint32_t node)
{
	return node == PATH_UNKNOWN ? &f->unknown : &f->nodes[node].tally;
}

/* Drop a reference to a context.  One that has ended and that nobody names any more goes, and with it maybe its
 * parents: what it counted stays with its path. */
static void context_drop(struct fibers *f, fiber_index at)
{
	while (at != 0) {
		struct context *c = &f->contexts[at];
		fiber_index parent = c->parent;

		if (--c->refs > 0)
			return;
		tally_add(node_tally(f, fibers_node(f, at)), &c->tally);
		c = &f->contexts[at];
		if (id_map_find(&f->context_map, c->id) == at)
			map_remove(&f->context_map, c->id);
		*c = (struct context){.parent = f->context_free};
		f->context_free = at;
		at = parent;
	}
}

static fiber_index context_take(struct fibers *f, fiber_index at)
{
	if (at != 0)
		f->contexts[at].refs++;
	return at;
}

/* End a context: the reference that it holds to itself while it lasts goes. */
static void context_end(struct fibers *f, fiber_index at)
{
	if (at == 0 || f->contexts[at].ended)
		return;
	f->contexts[at].ended = true;
	context_drop(f, at);
}

/* Make a context below another one.  0: there is no room. */
static fiber_index context_make(struct fibers *f, uint64_t id, enum fiber_kind kind, fiber_index parent)
{
	fiber_index at = id_map_find(&f->context_map, id);

	/* Ids are not used again: an older context of this id was not seen to end. */
	if (at != 0) {
		map_remove(&f->context_map, id);
		context_end(f, at);
	}
	at = f->context_free;
	if (at != 0)
		f->context_free = f->contexts[at].parent;
	else if (f->context_count == FIBERS_CONTEXTS ||
		 !array_room(&f->contexts, &f->context_room, f->context_count + 1, sizeof(*f->contexts)))
		return 0;
	else
		at = f->context_count++;
	struct context *c = &f->contexts[at];
	unsigned depth = parent != 0 ? f->contexts[parent].depth + 1u : 0;
	bool root = kind == FIBER_CONTEXT_ROOT;
	*c = (struct context){.id = id,
	    .kind = (uint8_t)kind,
	    .refs = 1,
	    .parent = root || depth >= FIBERS_DEPTH ? 0 : parent,
	    .known = root || (parent != 0 && f->contexts[parent].known && depth < FIBERS_DEPTH),
	    .depth = (uint16_t)(root || depth >= FIBERS_DEPTH ? 0 : depth)};
	context_take(f, c->parent);
	if (!map_add(&f->context_map, id, at))
		f->failed = true;
	return at;
}

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

static void fiber_free(struct fibers *f, fiber_index at)
{
	struct fiber *fiber = &f->fibers[at];

	if (fiber->state == FIBER_BLOCKED)
		unlist(f, at);
	if (id_map_find(&f->fiber_map, fiber->id) == at)
		map_remove(&f->fiber_map, fiber->id);
	context_drop(f, fiber->context);
	context_drop(f, fiber->made_in);
	f->alive -= fiber->seen && fiber->state != FIBER_ENDED;
	*fiber = (struct fiber){.after = f->fiber_free, .state = FIBER_ENDED};
	f->fiber_free = at;
}

/* Forget the fiber that has been blocked longest.  Returns false if none is. */
static bool forget_one(struct fibers *f)
{
	if (f->blocked_first == 0)
		return false;
	fiber_free(f, f->blocked_first);
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

/* Take its running fiber from a domain, and count nothing. */
static void run_cut(struct fibers *f, struct loop *l)
{
	if (l->running == 0)
		return;
	if (f->fibers[l->running].state == FIBER_ENDED)
		fiber_free(f, l->running);
	else
		f->fibers[l->running].state = FIBER_READY;
	context_drop(f, l->run_context);
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
		run_cut(f, f->loops[fiber->domain]);
	if (fiber->state == FIBER_BLOCKED)
		unlist(f, at);
	fiber->domain = (uint16_t)domain;
	fiber->losses = f->loops[domain]->losses;
	fiber->state = FIBER_READY;
	fiber->wants = false;
	fiber->depth = 0;
	context_drop(f, fiber->context);
	fiber->context = 0;
}

/* Find a fiber, made if need be.  0: there is no room. */
static fiber_index fiber_of(struct fibers *f, uint64_t id, unsigned domain)
{
	fiber_index at = id_map_find(&f->fiber_map, id);

	if (at == 0 && fiber_room(f)) {
		at = f->fiber_free;
		f->fiber_free = f->fibers[at].after;
		f->fibers[at] = (struct fiber){.id = id,
		    .domain = (uint16_t)domain,
		    .losses = f->loops[domain]->losses,
		    .state = FIBER_READY};
		if (!map_add(&f->fiber_map, id, at))
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
	if (l->state == LOOP_NONE || ts <= l->mark)
		return;
	l->seen_ns += ts - l->mark;
	l->busy_ns += l->state == LOOP_BUSY ? ts - l->mark : 0;
	l->mark = ts;
}

/* Keep a finished run if it is one of the longest. */
static void keep_run(struct fibers *f, const struct run *run)
{
	size_t at = f->longest_count;

	if (at == FIBERS_LATEST && f->longest[at - 1].duration >= run->duration)
		return;
	if (at == FIBERS_LATEST)
		context_drop(f, f->longest[--at].context);
	else
		f->longest_count++;
	for (; at > 0 && f->longest[at - 1].duration < run->duration; at--)
		f->longest[at] = f->longest[at - 1];
	f->longest[at] = *run;
	context_take(f, run->context);
}

/* The part of a domain's open pause in [from, to). */
static uint64_t open_pause(const struct fibers *f, unsigned domain, uint64_t from, uint64_t to)
{
	const struct model_domain *d = model_domain(f->model, domain);
	const struct model_open_span *span = d != NULL ? model_open_pause(d) : NULL;
	uint64_t begin = span == NULL ? to : span->begin > from ? span->begin : from;

	return begin < to ? to - begin : 0;
}

/* Count a run that has ended. */
static void run_count(struct fibers *f, unsigned domain, struct fiber *fiber, uint64_t end)
{
	struct loop *l = f->loops[domain];
	struct tally *tally = tally_of(f, fiber);
	struct run run = {.fiber = fiber->id,
	    .ts = l->run_ts,
	    .duration = end > l->run_ts ? end - l->run_ts : 0,
	    .gc_ns = l->gc_ns + open_pause(f, domain, l->run_ts, end),
	    .domain = domain,
	    .context = l->run_context,
	    .span = l->span};

	run.gc_ns = run.gc_ns < run.duration ? run.gc_ns : run.duration;
	tally->runs++;
	tally->run_ns += run.duration;
	tally->run_max_ns = run.duration > tally->run_max_ns ? run.duration : tally->run_max_ns;
	keep_run(f, &run);
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
	if (fiber->state == FIBER_ENDED) {
		fiber_free(f, l->running);
	} else if (l->end_ts != 0 && l->suspended) {
		fiber->state = FIBER_BLOCKED;
		fiber->since = l->end_ts;
		fiber->op = l->op;
		list(f, l->running);
	} else {
		fiber->state = FIBER_READY;
	}
	context_drop(f, l->run_context);
	l->running = l->run_context = 0;
	l->end_ts = 0;
}

uint64_t fibers_waited(const struct fibers *f, const struct fiber *fiber, uint64_t end)
{
	uint64_t since = fiber->since > f->reset_ts ? fiber->since : f->reset_ts;

	return end > since ? end - since : 0;
}

static void run_begin(struct fibers *f, unsigned domain, uint64_t ts, uint64_t id)
{
	struct loop *l = f->loops[domain];

	run_end(f, domain, ts);
	fiber_index at = fiber_of(f, id, domain);
	if (at == 0)
		return;
	struct fiber *fiber = &f->fibers[at];
	if (fiber->state == FIBER_BLOCKED) {
		tally_of(f, fiber)->blocked_ns += fibers_waited(f, fiber, ts);
		unlist(f, at);
	}
	fiber->state = FIBER_RUNNING;
	fiber->wants = false;
	l->running = at;
	l->run_ts = ts;
	l->run_whole = true;
	l->run_context = context_take(f, fiber->context);
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

static void idle_begins(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = f->loops[domain];

	run_end(f, domain, ts);
	loop_count(l, ts);
	if (l->turn_ts != 0 && ts >= l->turn_ts) {
		f->failed |= !hist_add(&l->turns, ts - l->turn_ts);
		if (f->turned != NULL)
			f->turned(f->turned_ctx, domain, ts - l->turn_ts);
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
	l->state = LOOP_BUSY;
	l->mark = ts > l->mark ? ts : l->mark;
}

/* ---- events ---- */

static void context_made(struct fibers *f, unsigned domain, const struct fiber_event *event)
{
	struct loop *l = f->loops[domain];
	struct fiber *fiber = &f->fibers[l->running];
	fiber_index at = context_make(f, event->id, event->kind, l->running != 0 ? fiber->context : 0);

	if (l->running == 0)
		return;
	context_drop(f, fiber->context);
	fiber->context = context_take(f, at);
}

static void context_ends(struct fibers *f, unsigned domain)
{
	struct fiber *fiber = &f->fibers[f->loops[domain]->running];
	fiber_index at = fiber->context;

	if (f->loops[domain]->running == 0 || at == 0)
		return;
	fiber->context = context_take(f, f->contexts[at].parent);
	context_end(f, at);
	context_drop(f, at);
}

static void fiber_made(struct fibers *f, unsigned domain, const struct fiber_event *event)
{
	fiber_index at = id_map_find(&f->fiber_map, event->id);

	f->created++;
	/* Ids are not used again: an older fiber of this id was not seen to end.  It is no other that runs. */
	if (at != 0 && f->fibers[at].state != FIBER_RUNNING && f->fibers[at].state != FIBER_ENDED)
		fiber_free(f, at);
	at = fiber_of(f, event->id, domain);
	fiber_index context = id_map_find(&f->context_map, event->other);
	if (at == 0 || f->fibers[at].state == FIBER_ENDED)
		return;
	struct fiber *fiber = &f->fibers[at];
	context_drop(f, fiber->context);
	context_drop(f, fiber->made_in);
	fiber->context = context_take(f, context);
	fiber->made_in = context_take(f, context);
	tally_of(f, fiber)->created++;
}

static void fiber_ends(struct fibers *f, unsigned domain, uint64_t ts, uint64_t id)
{
	struct loop *l = f->loops[domain];
	fiber_index at = id_map_find(&f->fiber_map, id);

	f->finished++;
	if (at == 0 || f->fibers[at].state == FIBER_ENDED)
		return;
	struct fiber *fiber = &f->fibers[at];
	tally_of(f, fiber)->finished++;
	if (l->running != at) {
		if (fiber->state == FIBER_RUNNING)
			run_cut(f, f->loops[fiber->domain]);
		fiber_free(f, at);
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
		map_remove(&f->object_map, f->objects[at].id);
	}
	f->objects[at] = (struct object){.id = event->id, .kind = (uint8_t)event->kind};
	if (id_map_find(&f->object_map, event->id) == 0 && !map_add(&f->object_map, event->id, at))
		f->failed = true;
}

static void named(struct fibers *f, const struct fiber_event *event)
{
	fiber_index at = id_map_find(&f->context_map, event->id);
	fiber_index object = at == 0 ? id_map_find(&f->object_map, event->id) : 0;

	if (at != 0)
		f->contexts[at].name = text_of(f, event->text, event->len);
	if (object != 0)
		f->objects[object].name = text_of(f, event->text, event->len);
}

static void wants(struct fibers *f, struct loop *l, uint64_t id)
{
	f->fibers[l->running].wants = true;
	f->fibers[l->running].want = id;
}

static void gets(struct fibers *f, struct loop *l, uint64_t id)
{
	if (f->fibers[l->running].want == id)
		f->fibers[l->running].wants = false;
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
		fiber->spans[fiber->depth] = text_of(f, event->text, event->len);
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
	size_t at = f->failure_count, len = event->len < FIBERS_TEXT ? event->len : FIBERS_TEXT;
	fiber_index context = id_map_find(&f->context_map, event->id);

	f->errors++;
	if (context != 0)
		f->contexts[context].cancelled = true;
	if (at == FIBERS_LATEST && f->failures[at - 1].ts >= ts)
		return;
	if (at == FIBERS_LATEST)
		context_drop(f, f->failures[--at].context);
	else
		f->failure_count++;
	for (; at > 0 && f->failures[at - 1].ts <= ts; at--)
		f->failures[at] = f->failures[at - 1];
	f->failures[at] =
	    (struct failure){.ts = ts, .id = event->id, .context = context_take(f, context), .len = len};
	memcpy(f->failures[at].text, event->text, len);
}

/* What the running fiber of a domain does. */
static void take_running(struct fibers *f, struct loop *l, uint64_t ts, const struct fiber_event *event)
{
	switch (event->op) {
	case FIBER_SUSPENDS:
		if (l->end_ts != 0 && l->suspended)
			run_on(l);
		l->end_ts = ts;
		l->suspended = true;
		l->own_spans = 0;
		l->op = text_of(f, event->text, event->len);
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
	f->events++;
	l->last_ts = ts;
	switch (event->op) {
	case FIBER_MADE:
		run_on(l);
		fiber_made(f, domain, event);
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
	case FIBER_OBJECT_MADE:
		object_made(f, event);
		break;
	case FIBER_NAMED:
		named(f, event);
		break;
	case FIBER_FAILS:
		fails(f, ts, event);
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

void fibers_missed(struct fibers *f, unsigned domain, bool lost)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? loop_of(f, domain) : NULL;

	f->lost |= lost;
	if (l == NULL)
		return;
	run_cut(f, l);
	l->losses++;
	l->turn_ts = 0;
	l->missing = true;
}

void fibers_skip(struct fibers *f, unsigned domain, uint64_t from, uint64_t to)
{
	struct loop *l = domain < MODEL_DOMAINS_MAX ? f->loops[domain] : NULL;

	if (l == NULL)
		return;
	loop_count(l, from);
	l->mark = to > l->mark ? to : l->mark;
	l->state = l->state == LOOP_NONE ? LOOP_NONE : LOOP_BUSY;
	l->missing = false;
}

uint64_t fibers_last(const struct fibers *f, unsigned domain)
{
	return domain < MODEL_DOMAINS_MAX && f->loops[domain] != NULL ? f->loops[domain]->last_ts : 0;
}

void fibers_reset(struct fibers *f, uint64_t ts)
{
	f->reset_ts = ts;
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++) {
		struct loop *l = f->loops[i];
		if (l == NULL)
			continue;
		l->run_whole = false;
		l->state = LOOP_NONE;
		l->mark = 0;
		l->busy_ns = l->seen_ns = l->turn_ts = 0;
		hist_clear(&l->turns);
	}
	for (fiber_index i = 1; i < f->fiber_count; i++)
		f->fibers[i].seen = false;
	for (fiber_index i = 1; i < f->context_count; i++)
		f->contexts[i].tally = (struct tally){0};
	for (uint32_t i = 0; i < f->node_count; i++)
		f->nodes[i].tally = (struct tally){0};
	f->unknown = (struct tally){0};
	while (f->longest_count > 0)
		context_drop(f, f->longest[--f->longest_count].context);
	while (f->failure_count > 0)
		context_drop(f, f->failures[--f->failure_count].context);
	f->events = f->created = f->finished = f->errors = f->alive = f->forgotten = 0;
	f->lost = false;
}

void fibers_restart(struct fibers *f)
{
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
		if (f->loops[i] != NULL) {
			run_cut(f, f->loops[i]);
			f->loops[i]->state = LOOP_NONE;
			f->loops[i]->turn_ts = 0;
			f->loops[i]->missing = false;
		}
	for (fiber_index i = 1; i < f->fiber_count; i++)
		if (f->fibers[i].state != FIBER_ENDED)
			fiber_free(f, i);
	for (fiber_index i = 1; i < f->context_count; i++)
		if (f->contexts[i].refs > 0)
			context_end(f, i);
	while (f->object_count > 1)
		map_remove(&f->object_map, f->objects[--f->object_count].id);
	f->object_next = 0;
}

struct fibers *fibers_create(const struct model *m)
{
	struct fibers *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->model = m;
	/* Index 0 of each array is nobody; node 0 is the empty path. */
	f->fiber_count = f->context_count = f->object_count = f->text_count = f->node_count = 1;
	if (!array_room(&f->fibers, &f->fiber_room, 1, sizeof(*f->fibers)) ||
	    !array_room(&f->contexts, &f->context_room, 1, sizeof(*f->contexts)) ||
	    !array_room(&f->objects, &f->object_room, 1, sizeof(*f->objects)) ||
	    !array_room(&f->texts, &f->text_room, 1, sizeof(*f->texts)) ||
	    !array_room(&f->nodes, &f->node_room, 1, sizeof(*f->nodes))) {
		fibers_destroy(f);
		return NULL;
	}
	f->fibers[0] = (struct fiber){.state = FIBER_ENDED};
	f->contexts[0] = (struct context){0};
	f->objects[0] = (struct object){0};
	f->nodes[0] = (struct path_node){0};
	f->texts[0].len = 0;
	return f;
}

void fibers_watch(struct fibers *f, fibers_turned *turned, void *ctx)
{
	f->turned = turned;
	f->turned_ctx = ctx;
}

void fibers_destroy(struct fibers *f)
{
	if (f == NULL)
		return;
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++) {
		if (f->loops[i] != NULL)
			hist_fini(&f->loops[i]->turns);
		free(f->loops[i]);
	}
	free(f->fiber_map.slots);
	free(f->context_map.slots);
	free(f->object_map.slots);
	free(f->text_map.slots);
	free(f->node_map.slots);
	free(f->fibers);
	free(f->contexts);
	free(f->objects);
	free(f->texts);
	free(f->nodes);
	free(f);
}

bool fibers_failed(const struct fibers *f)
{
	return f->failed;
}
