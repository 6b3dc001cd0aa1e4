/*
 * life.c - create, copy, reset and destroy what is known of fibers.
 */
#include "fibers/private.h"

#include "core/array.h"

void fibers_reset(struct fibers *f, uint64_t ts)
{
	f->reset_ts = ts;
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++) {
		struct loop *l = f->loops[i];
		if (l == NULL)
			continue;
		l->run_whole = false;
		/* A loop that is known from before has no turns yet. */
		l->no_turns = l->uring;
		/* A loop that waits goes on waiting until its next event; another loop's state is told by its
		 * next event. */
		l->state = l->state == LOOP_IDLE ? LOOP_IDLE : LOOP_NONE;
		l->mark = ts;
		l->busy_ns = l->seen_ns = l->turn_ts = l->runs_ts = l->laps = 0;
		hist_clear(&l->turns);
		fibers_context_drop(f, l->worst.context);
		l->worst = (struct run){0};
		l->piece_count = 0;
	}
	fibers_late_clear(f);
	f->growth_ts = f->growth_count = 0;
	/* Living fibers stay, except for those that may have ended in a loss. */
	f->alive = 0;
	for (fiber_index i = 1; i < f->fiber_count; i++) {
		f->fibers[i].seen = fibers_listed(f, &f->fibers[i]);
		f->alive += f->fibers[i].seen;
	}
	for (fiber_index i = 1; i < f->context_count; i++)
		f->contexts[i].tally = (struct tally){0};
	for (uint32_t i = 0; i < f->node_count; i++)
		f->nodes[i].tally = (struct tally){0};
	while (f->longest_count > 0)
		fibers_context_drop(f, f->longest[--f->longest_count].context);
	while (f->failure_count > 0)
		fibers_context_drop(f, f->failures[--f->failure_count].context);
	f->counted = UINT64_MAX;
	f->events = f->created = f->finished = f->forgotten = 0;
	f->errors = f->cancelled = f->timeouts = f->late_ns = 0;
	f->more |= f->lost;
	f->lost = false;
}

void fibers_restart(struct fibers *f)
{
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
		if (f->loops[i] != NULL) {
			fibers_run_cut(f, f->loops[i]);
			if (f->observer.missed != NULL)
				f->observer.missed(f->observer.ctx, i);
			f->loops[i]->state = LOOP_NONE;
			f->loops[i]->turn_ts = f->loops[i]->runs_ts = 0;
			f->loops[i]->asks = f->loops[i]->no_turns = f->loops[i]->uring = false;
			f->loops[i]->missing = false;
			f->loops[i]->piece_count = 0;
		}
	fibers_late_clear(f);
	f->growth_ts = f->growth_count = 0;
	for (fiber_index i = 1; i < f->fiber_count; i++)
		if (f->fibers[i].state != FIBER_ENDED)
			fibers_free_one(f, i);
	for (fiber_index i = 1; i < f->context_count; i++)
		if (f->contexts[i].refs > 0)
			fibers_context_end(f, i);
	f->unmade_count = 0;
	while (f->object_count > 1)
		id_map_remove(&f->object_map, f->objects[--f->object_count].id);
	f->object_next = 0;
	f->more = f->lost = false;
	f->counted = UINT64_MAX;
}

struct fibers *fibers_create(const struct model *m, unsigned tells)
{
	struct fibers *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->model = m;
	f->tells = tells;
	f->names = 1;
	/* Index 0 of each array is unused; node 0 is the empty path, node PATH_UNKNOWN a path that is not
	 * known. */
	f->fiber_count = f->context_count = f->object_count = f->text_count = 1;
	f->node_count = PATH_UNKNOWN + 1;
	if (!array_room(&f->fibers, &f->fiber_room, 1, sizeof(*f->fibers)) ||
	    !array_room(&f->links, &f->link_room, 1, sizeof(*f->links)) ||
	    !array_room(&f->contexts, &f->context_room, 1, sizeof(*f->contexts)) ||
	    !array_room(&f->objects, &f->object_room, 1, sizeof(*f->objects)) ||
	    !array_room(&f->texts, &f->text_room, 1, sizeof(*f->texts)) ||
	    !array_room(&f->nodes, &f->node_room, f->node_count, sizeof(*f->nodes))) {
		fibers_destroy(f);
		return NULL;
	}
	f->fibers[0] = (struct fiber){.state = FIBER_ENDED};
	f->links[0] = (struct fiber_link){0};
	f->contexts[0] = (struct context){0};
	f->objects[0] = (struct object){0};
	f->texts[0].len = 0;
	f->nodes[0] = (struct path_node){0};
	f->nodes[PATH_UNKNOWN] = (struct path_node){.name = fibers_text(f, "?", 1), .alike = PATH_UNKNOWN};
	return f;
}

static struct loop *loop_copy(const struct loop *from, bool *ok)
{
	struct loop *l = copy_bytes(from, sizeof(*from), ok);

	if (l == NULL)
		return NULL;
	l->pieces = copy_bytes(l->pieces, FIBERS_PIECES * sizeof(*l->pieces), ok);
	if (!hist_copy(&l->turns, &from->turns)) {
		l->turns = (struct hist){0};
		*ok = false;
	}
	return l;
}

struct fibers *fibers_copy(const struct fibers *from, const struct model *m)
{
	bool ok = true;
	struct fibers *f = copy_bytes(from, sizeof(*from), &ok);

	if (f == NULL)
		return NULL;
	f->model = m;
	f->observer = (struct fibers_observer){0};
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
		f->loops[i] = loop_copy(f->loops[i], &ok);
	id_map_own(&f->fiber_map, &ok);
	id_map_own(&f->context_map, &ok);
	id_map_own(&f->object_map, &ok);
	id_map_own(&f->text_map, &ok);
	id_map_own(&f->node_map, &ok);
	id_map_own(&f->path_map, &ok);
	f->fibers = copy_bytes(f->fibers, sizeof(*f->fibers) * f->fiber_count, &ok);
	f->links = copy_bytes(f->links, sizeof(*f->links) * f->fiber_count, &ok);
	f->contexts = copy_bytes(f->contexts, sizeof(*f->contexts) * f->context_count, &ok);
	f->objects = copy_bytes(f->objects, sizeof(*f->objects) * f->object_count, &ok);
	f->texts = copy_bytes(f->texts, sizeof(*f->texts) * f->text_count, &ok);
	f->nodes = copy_bytes(f->nodes, sizeof(*f->nodes) * f->node_count, &ok);
	f->fiber_room = f->link_room = f->fiber_count;
	f->context_room = f->context_count;
	f->object_room = f->object_count;
	f->text_room = f->text_count;
	f->node_room = f->node_count;
	if (ok)
		return f;
	fibers_destroy(f);
	return NULL;
}

void fibers_watch(struct fibers *f, const struct fibers_observer *observer)
{
	f->observer = *observer;
}

void fibers_destroy(struct fibers *f)
{
	if (f == NULL)
		return;
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++) {
		if (f->loops[i] == NULL)
			continue;
		hist_fini(&f->loops[i]->turns);
		free(f->loops[i]->pieces);
		free(f->loops[i]);
	}
	id_map_fini(&f->fiber_map);
	id_map_fini(&f->context_map);
	id_map_fini(&f->object_map);
	id_map_fini(&f->text_map);
	id_map_fini(&f->node_map);
	id_map_fini(&f->path_map);
	free(f->fibers);
	free(f->links);
	free(f->contexts);
	free(f->objects);
	free(f->texts);
	free(f->nodes);
	free(f);
}
