/*
 * model_copy.c - copy a model for reading: members that only handle events stay empty.
 */
#include "model/state.h"

#include "core/array.h"

/* Copy a domain's data of a user slot. */
static void user_copy(struct model *m, struct user *u, const struct user *from, bool *ok)
{
	size_t bytes = user_rest_bytes(m->user_slots[from->slot]->pub.kind);
	struct user_rest *rest = pool_take(&m->users, bytes);

	if (rest == NULL) {
		*ok = false;
		return;
	}
	memcpy(rest, from->rest, bytes);
	*u = *from;
	u->rest = rest;
	rest->stack_size = from->open > 1 ? from->open - 1 : 0;
	rest->stack = rest->stack_size > 0
			  ? copy_bytes(from->rest->stack, rest->stack_size * sizeof(*rest->stack), ok)
			  : NULL;
	rest->payload = copy_bytes(from->rest->payload, from->rest->pub.kept, ok);
	rest->pub.data = rest->payload;
	if (!hist_copy(&rest->pub.spans, &from->rest->pub.spans))
		*ok = false;
}

/* Copy a chunk of user slots.  NULL when memory ran out. */
static struct user_chunk *chunk_copy(struct model *m, const struct user_chunk *from, bool *ok)
{
	struct user_chunk *chunk = pool_take(&m->users, sizeof(*chunk));

	if (chunk == NULL)
		*ok = false;
	for (unsigned i = 0; i < USER_CHUNK && *ok; i++)
		if (from->users[i].rest != NULL)
			user_copy(m, &chunk->users[i], &from->users[i], ok);
	return chunk;
}

static void user_events_copy(struct model *m, struct domain *d, const struct domain *from, bool *ok)
{
	if (from->users == NULL)
		return;
	d->users = calloc(USER_CHUNKS, sizeof(struct user_chunk *));
	if (d->users == NULL)
		*ok = false;
	for (unsigned i = 0; i < USER_CHUNKS && *ok; i++)
		if (from->users[i] != NULL)
			d->users[i] = chunk_copy(m, from->users[i], ok);
}

/* Copy a domain.  NULL when memory ran out. */
static struct domain *domain_copy(struct model *m, const struct domain *from, bool *ok)
{
	struct domain *d = copy_bytes(from, sizeof(*from), ok);

	if (d == NULL)
		return NULL;
	d->inside = NULL;
	d->log_next = d->log_end = NULL;
	d->pub.waits = d->waits = NULL;
	d->pub.wait_count = 0;
	d->users = NULL;
	d->user_events_at = NULL;
	d->losses = copy_bytes(from->losses, from->loss_count * sizeof(*from->losses), ok);
	d->loss_size = from->loss_count;
	d->parts = copy_bytes(from->parts, from->part_count * sizeof(*from->parts), ok);
	d->part_size = from->part_count;
	d->stack = copy_bytes(from->stack, from->pub.depth * sizeof(*from->stack), ok);
	d->stack_size = from->pub.depth;
	d->phases = copy_bytes(from->phases, from->pub.phase_count * sizeof(*from->phases), ok);
	d->phase_size = from->pub.phase_count;
	d->counters = copy_bytes(from->counters, from->pub.counter_count * sizeof(*from->counters), ok);
	d->counter_size = from->pub.counter_count;
	d->pub.stack = d->stack;
	d->pub.phases = d->phases;
	d->pub.counters = d->counters;
	if (!hist_copy(&d->pub.pauses, &from->pub.pauses))
		*ok = false;
	id_map_own(&d->opaque_phases, ok);
	id_map_own(&d->opaque_counters, ok);
	if (*ok)
		user_events_copy(m, d, from, ok);
	return d;
}

static void slots_copy(struct model *m, const struct model *from, bool *ok)
{
	m->user_slots = calloc(from->user_slot_count + 1, sizeof(struct user_slot *));
	if (m->user_slots == NULL) {
		*ok = false;
		return;
	}
	m->user_slot_size = from->user_slot_count + 1;
	for (size_t i = 0; i < from->user_slot_count && *ok; i++) {
		struct user_slot *slot = pool_take(&m->users, sizeof(*slot));
		if (slot == NULL) {
			*ok = false;
			return;
		}
		*slot = *from->user_slots[i];
		slot->pub.name = slot->name;
		m->user_slots[m->user_slot_count++] = slot;
	}
}

/* Clear the members of a bytewise copy that belong to the original. */
static void model_detach(struct model *m, const struct model *from)
{
	memset(m->domains, 0, sizeof(m->domains));
	m->observer_count = 0;
	model_list_told(m);
	LIST_INIT(&m->heard);
	m->pauses = (struct hist){0};
	m->resumes = NULL;
	m->resume_count = m->resume_size = 0;
	m->new_resumes = NULL;
	m->new_resume_count = m->new_resume_size = 0;
	m->target_pauses = NULL;
	m->target_sums = NULL;
	m->target_pause_size = from->target_pause_count;
	m->users = (struct pool){0};
	m->user_slots = NULL;
	m->user_slot_count = m->user_slot_size = 0;
	RB_INIT(&m->user_tree);
	m->user_ids = NULL;
	m->notes = NULL;
}

struct model *model_copy(const struct model *from)
{
	bool ok = true;

	struct model *m = copy_bytes(from, sizeof(*from), &ok);

	if (m == NULL)
		return NULL;
	model_detach(m, from);
	m->target_pauses =
	    copy_bytes(from->target_pauses, from->target_pause_count * sizeof(*from->target_pauses), &ok);
	m->target_sums =
	    copy_bytes(from->target_sums, from->target_pause_count * sizeof(*from->target_sums), &ok);
	m->notes = copy_bytes(from->notes, MODEL_NOTES_MAX * sizeof(*from->notes), &ok);
	if (!hist_copy(&m->pauses, &from->pauses))
		ok = false;
	if (ok)
		slots_copy(m, from, &ok);
	for (unsigned i = 0; i < from->domain_limit && ok; i++)
		if (from->domains[i] != NULL)
			m->domains[i] = domain_copy(m, from->domains[i], &ok);
	if (ok)
		return m;
	model_destroy(m);
	return NULL;
}
