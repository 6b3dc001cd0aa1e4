/* tables.c - texts, paths, the tree of contexts, and the table of fibers. */
#include "fibers/private.h"

#include "core/array.h"

/* ---- texts ---- */

uint32_t fibers_text(struct fibers *f, const void *bytes, size_t len)
{
	len = len < FIBERS_TEXT ? len : FIBERS_TEXT;
	/* Most texts were looked up recently. */
	uint64_t hash = len > 0 ? (((const uint8_t *)bytes)[len - 1] + len) % FIBERS_TEXTS_LATEST : 0;
	uint32_t *latest = &f->texts_latest[hash];
	if (*latest != 0 && f->texts[*latest].len == len && memcmp(f->texts[*latest].bytes, bytes, len) == 0)
		return *latest;
	for (uint64_t salt = 0;; salt++) {
		hash = id_map_hash(bytes, len, salt);
		fiber_index at = id_map_find(&f->text_map, hash);
		if (at == 0)
			break;
		if (f->texts[at].len == len && memcmp(f->texts[at].bytes, bytes, len) == 0)
			return *latest = at;
	}
	if (f->text_count == FIBERS_TEXTS)
		return 0;
	if (!array_room(&f->texts, &f->text_room, f->text_count + 1, sizeof(*f->texts)) ||
	    !id_map_add(&f->text_map, hash, f->text_count)) {
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
	if (from->run_max_ns > to->run_max_ns) {
		to->run_max_ns = from->run_max_ns;
		to->run_max_gc_ns = from->run_max_gc_ns;
		to->run_max_span = from->run_max_span;
	}
	to->blocked_ns += from->blocked_ns;
}

/* Return the first node whose path reads like that of `node`: names may contain slashes. */
static uint32_t node_alike(struct fibers *f, uint32_t node)
{
	char text[FIBER_PATH_SIZE], other[FIBER_PATH_SIZE];
	int len = fiber_path_print((struct fiber_path){f, node}, text, sizeof(text));

	for (uint64_t salt = 0; len > 0; salt++) {
		uint64_t hash = id_map_hash(text, (size_t)len, salt);
		uint32_t at = id_map_find(&f->path_map, hash);
		if (at == 0) {
			f->failed |= !id_map_add(&f->path_map, hash, node);
			return node;
		}
		if (fiber_path_print((struct fiber_path){f, at}, other, sizeof(other)) == len &&
		    memcmp(text, other, (size_t)len) == 0)
			return at;
	}
	return len < 0 ? node : 0;
}

/* Return the node of a name below another node, made on first use. */
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
	    !id_map_add(&f->node_map, id, f->node_count)) {
		f->failed = true;
		return PATH_UNKNOWN;
	}
	f->nodes[f->node_count] = (struct path_node){.parent = parent, .name = name};
	f->nodes[f->node_count].alike = node_alike(f, f->node_count);
	return f->node_count++;
}

uint32_t fibers_node(struct fibers *f, fiber_index at)
{
	fiber_index chain[FIBERS_DEPTH];
	unsigned depth = 0;

	if (at == 0)
		return PATH_UNKNOWN;
	struct context *context = &f->contexts[at];
	uint32_t node = context->known ? 0 : PATH_UNKNOWN;
	if (context->node_names == f->names)
		return context->node;
	for (; at != 0; at = f->contexts[at].parent)
		chain[depth++] = at;
	while (depth > 0) {
		const struct context *c = &f->contexts[chain[--depth]];
		if (c->name != 0 && !c->own)
			node = node_below(f, node, c->name);
	}
	context->node_names = f->names;
	return context->node = f->nodes[node].alike;
}

/* Dropping a context may free its parents; their counts stay with their paths. */
void fibers_context_drop(struct fibers *f, fiber_index at)
{
	while (at != 0) {
		struct context *c = &f->contexts[at];
		fiber_index parent = c->parent;

		if (--c->refs > 0)
			return;
		const uint32_t node = fibers_node(f, at);
		tally_add(&f->nodes[node].tally, &c->tally);
		if (id_map_find(&f->context_map, c->id) == at)
			id_map_remove(&f->context_map, c->id);
		*c = (struct context){.parent = f->context_free};
		f->context_free = at;
		at = parent;
	}
}

fiber_index fibers_context_take(struct fibers *f, fiber_index at)
{
	if (at != 0)
		f->contexts[at].refs++;
	return at;
}

void fibers_context_end(struct fibers *f, fiber_index at)
{
	if (at == 0 || f->contexts[at].ended)
		return;
	f->contexts[at].ended = true;
	fibers_context_drop(f, at);
}

fiber_index fibers_context_make(struct fibers *f, uint64_t id, enum fiber_kind kind, fiber_index parent)
{
	fiber_index at = id_map_find(&f->context_map, id);

	/* Ids are not reused: an older context of this id ended unseen. */
	if (at != 0) {
		id_map_remove(&f->context_map, id);
		fibers_context_end(f, at);
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
	f->contexts[c->parent].holds = true;
	fibers_context_take(f, c->parent);
	if (!id_map_add(&f->context_map, id, at))
		f->failed = true;
	return at;
}

/* ---- fibers ---- */

void fibers_unlist(struct fibers *f, fiber_index at)
{
	struct fiber_link *link = &f->links[at];

	*(link->before != 0 ? &f->links[link->before].after : &f->blocked_first) = link->after;
	*(link->after != 0 ? &f->links[link->after].before : &f->blocked_last) = link->before;
	*link = (struct fiber_link){0};
	f->blocked--;
}

void fibers_enlist(struct fibers *f, fiber_index at)
{
	f->links[at].before = f->blocked_last;
	*(f->blocked_last != 0 ? &f->links[f->blocked_last].after : &f->blocked_first) = at;
	f->blocked_last = at;
	f->blocked++;
}

struct tally *fibers_tally_of(struct fibers *f, fiber_index context)
{
	return context != 0 ? &f->contexts[context].tally : &f->nodes[PATH_UNKNOWN].tally;
}

void fibers_free_one(struct fibers *f, fiber_index at)
{
	struct fiber *fiber = &f->fibers[at];

	if (fiber->state == FIBER_BLOCKED)
		fibers_unlist(f, at);
	if (id_map_find(&f->fiber_map, fiber->id) == at)
		id_map_remove(&f->fiber_map, fiber->id);
	fibers_context_drop(f, fiber->context);
	fibers_context_drop(f, fiber->made_in);
	f->alive -= fibers_alive(fiber);
	*fiber = (struct fiber){.state = FIBER_ENDED};
	f->links[at].after = f->fiber_free;
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
	    !array_room(&f->fibers, &f->fiber_room, f->fiber_count + 1, sizeof(*f->fibers)) ||
	    !array_room(&f->links, &f->link_room, f->fiber_count + 1, sizeof(*f->links))) {
		f->failed |= f->fiber_count < FIBERS_MAX;
		return false;
	}
	f->fibers[f->fiber_count] = (struct fiber){.state = FIBER_ENDED};
	f->links[f->fiber_count] = (struct fiber_link){0};
	f->fiber_free = f->fiber_count++;
	return true;
}

bool fibers_holds(const struct fibers *f, const struct fiber *fiber)
{
	return f->loops[fiber->domain] != NULL && f->loops[fiber->domain]->losses == fiber->losses;
}

/* Note that an event names a fiber, and forget what was known of it before a loss.  A fiber that another
 * domain claims no longer runs on its old domain; only an invalid ring says so. */
static void fiber_see(struct fibers *f, fiber_index at, unsigned domain)
{
	struct fiber *fiber = &f->fibers[at];

	f->alive += !fiber->seen && !fiber->own;
	fiber->seen = true;
	if (fiber->domain == domain && fiber->losses == f->loops[domain]->losses)
		return;
	if (fiber->state == FIBER_RUNNING)
		fibers_run_cut(f, f->loops[fiber->domain]);
	if (fiber->state == FIBER_BLOCKED)
		fibers_unlist(f, at);
	fiber->domain = (uint16_t)domain;
	fiber->losses = f->loops[domain]->losses;
	fiber->state = FIBER_READY;
	fiber->wants = false;
	fiber->depth = 0;
	fibers_context_drop(f, fiber->context);
	fiber->context = 0;
}

fiber_index fibers_one(struct fibers *f, uint64_t id, unsigned domain)
{
	fiber_index at = id_map_find(&f->fiber_map, id);

	/* A fiber that has ended while its run is still open can't be another domain's. */
	if (f->fibers[at].state == FIBER_ENDED && at != 0 && f->fibers[at].domain != domain) {
		fibers_run_cut(f, f->loops[f->fibers[at].domain]);
		at = 0;
	}
	if (at == 0 && fiber_room(f)) {
		at = f->fiber_free;
		f->fiber_free = f->links[at].after;
		f->links[at].after = 0;
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

uint64_t fibers_waited(const struct fibers *f, const struct fiber *fiber, uint64_t end)
{
	uint64_t since = fiber->since > f->reset_ts ? fiber->since : f->reset_ts;

	return end > since ? end - since : 0;
}
