/* crowds.c - groups of fibers that do the same, found in one pass without a list of all fibers. */
#include "fibers/private.h"

#include "core/array.h"

/* A crowd while fibers are counted: what its fibers have in common, and the fiber that has waited longest. */
struct gathered {
	struct waiting like;
	uint8_t state;
	uint64_t count;
	bool one_object;
};

/* Return what a fiber waits for; a fiber that is not blocked waits for nothing. */
static struct waiting domain_activity(struct fibers *f, fiber_index at)
{
	const struct fiber *fiber = &f->fibers[at];

	if (fiber->state == FIBER_BLOCKED)
		return fibers_waiting_of(f, fiber);
	return (struct waiting){.node = fibers_node(f, fiber->context), .fiber = at};
}

/* Find the crowd of a fiber, from 1 on; 0: there is none yet.  *hash is the crowd's id in the map. */
static fiber_index find(const struct id_map *map, const struct gathered *all, const struct waiting *w,
    uint8_t state, uint64_t *hash)
{
	const uint64_t parts[] = {w->node, w->op, w->name, (uint64_t)w->kind << 8 | state};

	*hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		*hash = (*hash ^ parts[i]) * UINT64_C(0x100000001b3);
	for (;; ++*hash) {
		fiber_index at = id_map_find(map, *hash);
		if (at == 0 ||
		    (all[at - 1].state == state && fibers_waiting_order(&all[at - 1].like, w) == 0))
			return at;
	}
}

/* Count a fiber in its crowd. */
static bool gather(struct fibers *f, fiber_index fiber, struct id_map *map, struct gathered **all,
    size_t *room, size_t *count)
{
	const struct waiting w = domain_activity(f, fiber);
	const uint8_t state = f->fibers[fiber].state;
	uint64_t hash;
	fiber_index at = find(map, *all, &w, state, &hash);

	if (at == 0) {
		if (!array_room(all, room, *count + 1, sizeof(**all)) ||
		    !id_map_add(map, hash, (fiber_index)(*count + 1)))
			return false;
		(*all)[(*count)++] =
		    (struct gathered){.like = w, .state = state, .count = 1, .one_object = w.wants};
		return true;
	}
	struct gathered *crowd = &(*all)[at - 1];
	crowd->count++;
	crowd->one_object = crowd->one_object && w.wants && w.object == crowd->like.object;
	if (w.since < crowd->like.since)
		crowd->like = w;
	return true;
}

static int by_place(const void *left, const void *right)
{
	const struct fiber_crowd *a = left, *b = right;

	return fiber_rows_order(&a->first, &b->first);
}

struct fiber_crowd *fibers_crowds(struct fibers *f, uint64_t end, size_t *count)
{
	struct fiber_crowd *crowds = NULL;
	struct gathered *all = NULL;
	struct id_map map = {0};
	size_t room = 0;
	bool ok = true;

	*count = 0;
	for (fiber_index at = 1; at < f->fiber_count && ok; at++)
		if (fibers_listed(f, &f->fibers[at]))
			ok = gather(f, at, &map, &all, &room, count);
	if (ok)
		crowds = malloc((*count + 1) * sizeof(*crowds));
	for (size_t i = 0; i < *count && crowds != NULL; i++)
		crowds[i] =
		    (struct fiber_crowd){.first = fibers_row_of(f, &f->fibers[all[i].like.fiber], end),
			.count = all[i].count,
			.one_object = all[i].one_object};
	if (crowds != NULL)
		qsort(crowds, *count, sizeof(*crowds), by_place);
	free(all);
	id_map_fini(&map);
	return crowds;
}

/* Return the fiber after another one.  Blocked fibers come in the order of their waits, longest first. */
static fiber_index next_of(const struct fibers *f, bool blocked, fiber_index at)
{
	if (blocked)
		return at == 0 ? f->blocked_first : f->links[at].after;
	return at + 1 < f->fiber_count ? at + 1 : 0;
}

struct fiber_row *fibers_crowd(struct fibers *f, uint64_t end, const struct fiber_crowd *crowd, size_t *count)
{
	const struct fiber_row *like = &crowd->first;
	const bool blocked = like->state == FIBER_BLOCKED;
	struct fiber_row *rows = malloc(FIBERS_CROWD_ROWS * sizeof(*rows));

	*count = 0;
	for (fiber_index at = next_of(f, blocked, 0);
	     at != 0 && rows != NULL && *count < FIBERS_CROWD_ROWS && *count < crowd->count;
	     at = next_of(f, blocked, at)) {
		const struct fiber *fiber = &f->fibers[at];
		if (!fibers_listed(f, fiber) || fiber->state != like->state)
			continue;
		const struct waiting w = domain_activity(f, at);
		/* A text has one address, so comparing addresses is enough. */
		if (w.node == like->path.node && w.kind == like->kind &&
		    fibers_text_of(f, w.op).text == like->op.text &&
		    fibers_text_of(f, w.name).text == like->name.text)
			rows[(*count)++] = fibers_row_of(f, fiber, end);
	}
	return rows;
}

struct fiber_row *fibers_about(struct fibers *f, uint64_t end, uint64_t id, size_t *count)
{
	const fiber_index one = id_map_find(&f->fiber_map, id);
	struct fiber_row *rows = NULL;
	size_t room = 0;

	*count = 0;
	if (!array_room(&rows, &room, 1 + FIBERS_CHAIN, sizeof(*rows)))
		return NULL;
	if (one == 0 || !fibers_listed(f, &f->fibers[one]))
		return rows;
	const struct fiber_row row = fibers_row_of(f, &f->fibers[one], end);
	rows[(*count)++] = row;
	*count += fibers_chain(f, end, id, rows + 1, FIBERS_CHAIN);
	for (fiber_index at = f->blocked_first; at != 0; at = f->links[at].after) {
		const struct fiber *fiber = &f->fibers[at];
		const struct object *o =
		    &f->objects[fiber->wants ? id_map_find(&f->object_map, fiber->want) : 0];
		bool same = row.wants && fiber->wants && fiber->want == row.object,
		     listed = at == one || !fibers_listed(f, fiber) ||
			      !(same || (fiber->wants && fiber->want == id) || (o->held && o->holder == id));
		for (size_t i = 0; i < *count && i <= FIBERS_CHAIN; i++)
			listed |= rows[i].id == fiber->id;
		if (listed)
			continue;
		if (!array_room(&rows, &room, *count + 1, sizeof(*rows))) {
			free(rows);
			return NULL;
		}
		rows[(*count)++] = fibers_row_of(f, fiber, end);
	}
	return rows;
}
