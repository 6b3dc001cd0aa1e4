/* trouble.c - what findings need: fibers that make turns late, that hold up others, or that accumulate. */
#include "fibers/private.h"

#include "core/order.h"
#include "core/sum.h"

void fibers_late_clear(struct fibers *f)
{
	for (size_t i = 0; i < FIBERS_LATE_COUNT && i < f->late_count; i++) {
		fibers_context_drop(f, f->late[i].run.context);
		f->late[i] = (struct late){0};
	}
	f->late_count = 0;
}

/* ---- late runs ---- */

/* Sum up the late runs since a stamp with the path and span of `of`, without turns that no single run made
 * late. */
static struct fiber_place place_of(struct fibers *f, const struct late *of, uint64_t from)
{
	struct fiber_place place = {.longest = fibers_run_of(f, &of->run)};

	for (size_t i = 0; i < FIBERS_LATE_COUNT && i < f->late_count; i++) {
		const struct late *late = &f->late[i];
		if (late->end < from || late->run.span != of->run.span ||
		    fibers_node(f, late->run.context) != place.longest.path.node ||
		    late->run.duration < late->duration)
			continue;
		place.runs++;
		place.ns += late->run.duration;
		place.gc_ns += late->run.gc_ns;
		if (late->run.duration > place.longest.duration)
			place.longest = fibers_run_of(f, &late->run);
	}
	return place;
}

/* Return the number of runs of a path. */
static uint64_t runs_of(struct fibers *f, uint32_t node)
{
	uint64_t runs = f->nodes[node].tally.runs;

	for (fiber_index at = 1; at < f->context_count; at++)
		if (f->contexts[at].refs > 0 && fibers_node(f, at) == node)
			runs += f->contexts[at].tally.runs;
	return runs;
}

static void find_late(struct fibers *f, uint64_t from, struct fiber_trouble *out)
{
	for (size_t i = 0; i < FIBERS_LATE_COUNT && i < f->late_count; i++) {
		const struct late *late = &f->late[i];
		if (late->end < from)
			continue;
		out->late_ns += late->ns;
		const struct fiber_place place = place_of(f, late, from);
		if (place.ns > out->place.ns)
			out->place = place;
	}
	if (out->place.runs > 0)
		out->place.all = runs_of(f, out->place.longest.path.node);
}

/* ---- fibers that wait ---- */

/* Keep the counts of a list of waiting fibers, as one more step. */
static void step(struct fibers *f, const struct waiting *all, size_t count)
{
	struct growth old[FIBERS_GROWTH_GROUPS];
	size_t old_count = f->growth_count;

	memcpy(old, f->growth, sizeof(old));
	f->growth_count = 0;
	for (size_t i = 0, next; i < count; i = next) {
		struct growth group = {
		    .node = all[i].node, .op = all[i].op, .name = all[i].name, .kind = all[i].kind};
		for (next = i + 1; next < count && fibers_waiting_order(&all[next], &all[i]) == 0;)
			next++;
		for (size_t k = 0; k < old_count; k++)
			if (old[k].node == group.node && old[k].op == group.op && old[k].kind == group.kind &&
			    old[k].name == group.name)
				memcpy(group.counts, old[k].counts + 1,
				    sizeof(group.counts[0]) * FIBERS_GROWTH_STEPS);
		group.counts[FIBERS_GROWTH_STEPS] = (uint32_t)(next - i);
		/* When there are more groups than room, the largest are kept. */
		size_t at = f->growth_count;
		for (size_t k = 0; at == FIBERS_GROWTH_GROUPS && k < FIBERS_GROWTH_GROUPS; k++)
			if (f->growth[k].counts[FIBERS_GROWTH_STEPS] < next - i)
				at = k;
		if (at < FIBERS_GROWTH_GROUPS)
			f->growth[at] = group;
		f->growth_count += f->growth_count < FIBERS_GROWTH_GROUPS;
	}
}

/* Whether a group has grown with each step, and most of those that waited at the first step still wait. */
static bool grows(const struct growth *g, const struct waiting *all, size_t count, uint64_t before)
{
	size_t still = 0;

	for (unsigned i = 0; i < FIBERS_GROWTH_STEPS; i++)
		if (g->counts[i] == 0 || g->counts[i + 1] <= g->counts[i])
			return false;
	for (size_t i = 0; i < count; i++)
		still += all[i].node == g->node && all[i].op == g->op && all[i].kind == g->kind &&
			 all[i].name == g->name && all[i].since <= before;
	return 10 * still >= 9 * (size_t)g->counts[0];
}

static void find_growth(
    struct fibers *f, const struct waiting *all, size_t count, uint64_t end, struct fiber_trouble *out)
{
	if (f->growth_ts == 0 || end >= sum_saturating(f->growth_ts, FIBERS_GROWTH_STEP)) {
		/* After too long a time the steps would not be equal. */
		if (f->growth_ts != 0 && end >= sum_saturating(f->growth_ts, 2 * FIBERS_GROWTH_STEP))
			f->growth_count = 0;
		step(f, all, count);
		f->growth_ts = end;
	}
	uint64_t minute = FIBERS_GROWTH_STEPS * FIBERS_GROWTH_STEP;
	for (size_t i = 0; i < f->growth_count && f->growth_ts > minute; i++) {
		const struct growth *g = &f->growth[i];
		uint32_t grown = g->counts[FIBERS_GROWTH_STEPS] - g->counts[0];
		if (!grows(g, all, count, f->growth_ts - minute) ||
		    grown <= out->growth.now - out->growth.before)
			continue;
		out->growth = (struct fiber_growth){.path = {f, g->node},
		    .op = fibers_text_of(f, g->op),
		    .name = fibers_text_of(f, g->name),
		    .kind = g->kind,
		    .before = g->counts[0],
		    .now = g->counts[FIBERS_GROWTH_STEPS]};
	}
}

/* Find the fibers that wait for room in a stream: schedulers name the operation, not the stream. */
static void find_full(
    struct fibers *f, const struct waiting *all, size_t count, uint64_t end, struct fiber_trouble *out)
{
	static const char adds[] = "Stream.add";

	for (size_t i = 0, next; i < count; i = next) {
		const struct fiber_text op = fibers_text_of(f, all[i].op);
		uint64_t longest = 0;
		for (next = i; next < count && fibers_waiting_order(&all[next], &all[i]) == 0; next++)
			if (end > all[next].since && end - all[next].since > longest)
				longest = end - all[next].since;
		if (op.len == sizeof(adds) - 1 && memcmp(op.text, adds, op.len) == 0 &&
		    longest > out->full.longest_ns)
			out->full = (struct fiber_full){{f, all[i].node}, next - i, longest};
	}
}

/* Whether a fiber in this operation waits for another fiber; *takes: for one that adds to a stream.
 * Promises, conditions and semaphores are excluded, because a signal handler may give these. */
static bool by_fibers(const struct fiber_text op, bool *takes)
{
	static const char *const known[] = {
	    "Stream.take", "Sync.take", "Stream.add", "Sync.put", "Mutex.lock", "Switch.await_idle"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (op.len == strlen(known[i]) && memcmp(op.text, known[i], op.len) == 0) {
			*takes = i < 2;
			return true;
		}
	return false;
}

/* Find consumers that can never get anything.  Who adds to a stream is not told, so all fibers must be known,
 * by their chains of contexts up to the root, and wait for each other while their loops sleep. */
static void find_empty(struct fibers *f, uint64_t end, struct fiber_trouble *out)
{
	struct fiber_empty empty = {.since_ns = UINT64_MAX};

	for (unsigned i = 0; i < model_domains(f->model); i++) {
		const struct model_domain *d = model_domain(f->model, i);
		const struct loop *l = f->loops[i];
		if (d == NULL || !d->seen || d->state != MODEL_DOMAIN_RUNNING)
			continue;
		if (l == NULL || l->state != LOOP_IDLE || l->losses > 0 || l->last_ts >= end)
			return;
		empty.loops++;
		empty.since_ns = end - l->last_ts < empty.since_ns ? end - l->last_ts : empty.since_ns;
	}
	for (fiber_index at = 1; at < f->fiber_count; at++) {
		const struct fiber *fiber = &f->fibers[at];
		bool takes;
		if (fiber->state == FIBER_ENDED || fiber->own)
			continue;
		if (fiber->state != FIBER_BLOCKED || !f->contexts[fiber->context].known ||
		    !by_fibers(fibers_text_of(f, fiber->op), &takes))
			return;
		empty.fibers++;
		empty.takers += takes;
		if (takes)
			empty.path = (struct fiber_path){f, fibers_node(f, fiber->context)};
	}
	if (f->forgotten == 0 && !f->failed)
		out->empty = empty;
}

static int by_object(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	return ORDER_RISING(a, b, object);
}

/* Find a lock whose holder itself waits for something else; of several, the one with the longest wait.  Sorts
 * the list. */
static void find_lock(
    struct fibers *f, struct waiting *all, size_t count, uint64_t end, struct fiber_trouble *out)
{
	size_t locks = 0;

	for (size_t i = 0; i < count; i++)
		if (all[i].kind == FIBER_MUTEX && all[i].wants)
			all[locks++] = all[i];
	qsort(all, locks, sizeof(*all), by_object);
	for (size_t i = 0, next; i < locks; i = next) {
		const struct object *o = &f->objects[id_map_find(&f->object_map, all[i].object)];
		const struct fiber *holder = &f->fibers[id_map_find(&f->fiber_map, o->holder)];
		uint64_t longest = 0;
		for (next = i; next < locks && all[next].object == all[i].object; next++)
			if (end > all[next].since && end - all[next].since > longest)
				longest = end - all[next].since;
		if (!o->held || o->losses != f->losses || holder->id != o->holder ||
		    holder->state != FIBER_BLOCKED || (holder->wants && holder->want == o->id) ||
		    longest <= out->lock.longest_ns)
			continue;
		out->lock = (struct fiber_lock){.object = o->id,
		    .name = fibers_text_of(f, o->name),
		    .holder = holder->id,
		    .path = {f, fibers_node(f, holder->context)},
		    .op = fibers_text_of(f, holder->op),
		    .held_ns = end > holder->since ? end - holder->since : 0,
		    .queue = next - i,
		    .longest_ns = longest};
	}
}

/* ---- contexts ---- */

/* Count the fibers of a context and of those below it, and get one of them. */
static void count_fibers(struct fibers *f, fiber_index context, uint64_t end, struct fiber_stuck *out)
{
	uint64_t longest = 0;

	for (fiber_index i = 1; i < f->fiber_count; i++) {
		const struct fiber *fiber = &f->fibers[i];
		bool shielded = false;
		fiber_index at = fiber->context;
		if (!fibers_listed(f, fiber))
			continue;
		for (; at != 0 && at != context; at = f->contexts[at].parent)
			shielded |= f->contexts[at].kind == FIBER_CONTEXT_PROTECT;
		if (at == 0)
			continue;
		uint64_t waited =
		    fiber->state == FIBER_BLOCKED && end > fiber->since ? end - fiber->since : 0;
		if (out->fibers++ != 0 && waited <= longest)
			continue;
		longest = waited;
		out->fiber = fiber->id;
		out->shielded = shielded;
		out->op =
		    fiber->state == FIBER_BLOCKED ? fibers_text_of(f, fiber->op) : (struct fiber_text){0};
	}
}

/* Find the context that was cancelled first and has not ended, if nothing is missing since. */
static void find_stuck(struct fibers *f, uint64_t end, struct fiber_trouble *out)
{
	fiber_index first = 0;

	for (fiber_index at = 1; at < f->context_count; at++) {
		const struct context *c = &f->contexts[at];
		if (c->refs > 0 && c->cancelled && !c->ended && c->losses == f->losses &&
		    c->cancel_ts < end && (first == 0 || c->cancel_ts < f->contexts[first].cancel_ts))
			first = at;
	}
	if (first == 0)
		return;
	out->stuck = (struct fiber_stuck){.context = f->contexts[first].id,
	    .path = {f, fibers_node(f, first)},
	    .since_ns = end - f->contexts[first].cancel_ts};
	count_fibers(f, first, end, &out->stuck);
}

bool fibers_trouble(struct fibers *f, uint64_t from, uint64_t end, struct fiber_trouble *out)
{
	size_t count;
	struct waiting *all = fibers_waiting(f, &count);

	*out = (struct fiber_trouble){0};
	if (all == NULL)
		return false;
	find_late(f, from, out);
	find_growth(f, all, count, end, out);
	find_full(f, all, count, end, out);
	find_empty(f, end, out);
	find_lock(f, all, count, end, out);
	find_stuck(f, end, out);
	free(all);
	return true;
}
