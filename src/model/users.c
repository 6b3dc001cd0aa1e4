/*
 * users.c - user events: the slot of an event, and each domain's data of each slot.
 *
 * A slot is a (name, kind) pair, whatever ids carry it.  Slots are never freed, so their numbers stay valid
 * for the life of the model.  An id maps to its slot, and on each domain to the data of its slot there, in one
 * lookup as long as the id's name does not change.  A domain keeps its slots in chunks that are allocated on
 * demand.
 *
 * User spans nest by name alone: each slot has a stack of its own.  user_depth is the sum over all of a
 * domain's stacks; users_open lists those that are not empty.
 */
#include "model/state.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Order slots by kind and name. */
static int slot_compare(const struct user_slot *a, const struct user_slot *b)
{
	if (a->pub.kind != b->pub.kind)
		return a->pub.kind < b->pub.kind ? -1 : 1;
	if (a->pub.name_len != b->pub.name_len)
		return a->pub.name_len < b->pub.name_len ? -1 : 1;
	return memcmp(a->name, b->name, a->pub.name_len);
}

RB_GENERATE_INTERNAL(user_tree, user_slot, link, slot_compare, __attribute__((unused)) static)

/* Create a slot with the name and kind of `key`.  NULL if there are too many or memory ran out. */
static struct user_slot *slot_make(struct model *m, const struct user_slot *key)
{
	struct user_slot *slot;

	if (m->user_slot_count == MODEL_USER_SLOTS_MAX)
		return NULL;
	if (m->user_slot_count == m->user_slot_size) {
		size_t size = m->user_slot_size == 0 ? 16 : m->user_slot_size * 2;
		struct user_slot **grown = reallocarray(m->user_slots, size, sizeof(struct user_slot *));

		if (grown == NULL) {
			model_out_of_memory(m);
			return NULL;
		}
		m->user_slots = grown;
		m->user_slot_size = size;
	}
	slot = malloc(sizeof(*slot));
	if (slot == NULL) {
		model_out_of_memory(m);
		return NULL;
	}
	*slot = *key;
	slot->pub.name = slot->name;
	slot->number = (unsigned)m->user_slot_count;
	m->user_slots[m->user_slot_count++] = slot;
	RB_INSERT(user_tree, &m->user_tree, slot);
	return slot;
}

/* The slot of an event's name and a kind; NULL when there is none and none can be made. */
static struct user_slot *slot_of_name(
    struct model *m, const struct rtev_user_event *event, enum model_user_kind kind)
{
	struct user_slot key = {.pub = {.kind = kind, .name_len = event->name_len}};
	struct user_slot *slot;

	if (key.pub.name_len >= RTEV_USER_NAME_SIZE)
		key.pub.name_len = RTEV_USER_NAME_SIZE - 1;
	memcpy(key.name, event->name, key.pub.name_len);
	slot = RB_FIND(user_tree, &m->user_tree, &key);
	return slot != NULL ? slot : slot_make(m, &key);
}

void model_user_expect(struct model *m, enum model_user_kind kind, const struct rtev_user_event *event)
{
	(void)slot_of_name(m, event, kind);
}

/* Find the slot of an event by name, and store it for the id. */
static bool slot_look_up(
    struct model *m, const struct rtev_user_event *event, enum model_user_kind kind, unsigned *number)
{
	struct user_slot *slot = slot_of_name(m, event, kind);
	struct user_id *id;

	if (slot == NULL)
		return false;
	*number = slot->number;
	if (event->id >= RTEV_USER_EVENTS_MAX)
		return true;
	if (m->user_ids == NULL) {
		m->user_ids = calloc(RTEV_USER_EVENTS_MAX, sizeof(*m->user_ids));
		if (m->user_ids == NULL) {
			model_out_of_memory(m);
			return false;
		}
	}
	id = &m->user_ids[event->id];
	if (id->generation != event->generation)
		*id = (struct user_id){.generation = event->generation};
	id->slots[kind] = slot->number + 1;
	return true;
}

/* Bytes of a slot on a domain, without its histogram and stack. */
static size_t user_bytes(const struct model *m, unsigned number)
{
	bool custom = m->user_slots[number]->pub.kind == MODEL_USER_CUSTOM;

	return sizeof(struct user) + (custom ? MODEL_CUSTOM_KEPT : 0);
}

/* The chunk of a slot, made if need be; NULL when there is no room. */
static struct user **user_chunk(struct model *m, struct domain *d, unsigned number)
{
	struct user **chunk = d->users != NULL ? d->users[number / USER_CHUNK] : NULL;

	if (chunk != NULL || !budget_take(&m->budget, USER_CHUNK * sizeof(struct user *)))
		return chunk;
	if (d->users == NULL)
		d->users = calloc(USER_CHUNKS, sizeof(struct user **));
	if (d->users != NULL)
		chunk = d->users[number / USER_CHUNK] = calloc(USER_CHUNK, sizeof(struct user *));
	if (chunk == NULL)
		model_out_of_memory(m);
	return chunk;
}

/* Make what a domain keeps of a slot.  NULL when there is no room. */
static struct user *user_make(struct model *m, struct domain *d, unsigned number)
{
	struct user **chunk = user_chunk(m, d, number);
	struct user *u;

	if (chunk == NULL || !budget_take(&m->budget, user_bytes(m, number)))
		return NULL;
	u = calloc(1, sizeof(*u));
	if (u == NULL) {
		model_out_of_memory(m);
		return NULL;
	}
	chunk[number % USER_CHUNK] = u;
	u->slot = number;
	u->stack = &u->first;
	u->stack_size = 1;
	d->pub.users++;
	return u;
}

/* What a domain keeps of a slot; NULL when it keeps nothing. */
static struct user *user_find(const struct domain *d, size_t number)
{
	if (d->users == NULL || d->users[number / USER_CHUNK] == NULL)
		return NULL;
	return d->users[number / USER_CHUNK][number % USER_CHUNK];
}

/* Look up a domain's data of an event by the id's slot or by name, and store it for the id.  NULL if memory or a
 * limit ran out. */
static __attribute__((noinline)) struct user *user_look_up(
    struct model *m, struct domain *d, const struct rtev_user_event *event, enum model_user_kind kind)
{
	const struct user_id *id =
	    m->user_ids != NULL && event->id < RTEV_USER_EVENTS_MAX ? &m->user_ids[event->id] : NULL;
	unsigned number;

	if (id != NULL && id->generation == event->generation && id->slots[kind] != 0)
		number = id->slots[kind] - 1;
	else if (!slot_look_up(m, event, kind, &number))
		return NULL;
	struct user *u = user_find(d, number);
	if (u == NULL)
		u = user_make(m, d, number);
	if (u == NULL || event->id >= RTEV_USER_EVENTS_MAX)
		return u;
	if (d->users_at == NULL)
		d->users_at = calloc(RTEV_USER_EVENTS_MAX, sizeof(*d->users_at));
	if (d->users_at == NULL)
		model_out_of_memory(m);
	else
		d->users_at[event->id] = (struct user_at){u, event->generation, kind};
	return u;
}

/*
 * Account for the timestamp of a user event and return its domain's data; every sink of user events calls it
 * first.  NULL if memory or a limit ran out.
 */
static struct user *user_touch(struct model *m, unsigned domain, uint64_t ts,
    const struct rtev_user_event *event, enum model_user_kind kind)
{
	static const struct user_at unknown;
	struct domain *d = model_touch(m, domain, ts);

	if (d == NULL)
		return NULL;
	const struct user_at *at =
	    d->users_at != NULL && event->id < RTEV_USER_EVENTS_MAX ? &d->users_at[event->id] : &unknown;
	struct user *u = at->user;
	if (u == NULL || at->generation != event->generation || at->kind != kind)
		u = user_look_up(m, d, event, kind);
	if (u != NULL)
		u->pub.last_ts = ts;
	else
		m->ignored++;
	return u;
}

void user_take_ahead(void *ctx, unsigned domain, uint16_t id)
{
	const struct model *m = ctx;
	const struct domain *d = domain < MODEL_DOMAINS_MAX ? m->domains[domain] : NULL;

	if (d == NULL || d->users_at == NULL || id >= RTEV_USER_EVENTS_MAX)
		return;
	const char *u = (const char *)d->users_at[id].user;
	/* all lines that an event may touch, from `stack` to pub.spans */
	for (size_t line = 0; u != NULL && line < offsetof(struct user, pub.last); line += 64)
		__builtin_prefetch(u + line, 1);
}

/* Handle an event without a value. */
enum rtev_next user_take_unit(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event)
{
	struct model *m = ctx;
	struct user *u = user_touch(m, domain, ts, event, MODEL_USER_UNIT);

	if (u == NULL)
		return model_next(m);
	u->pub.count++;
	OBSERVE(m, user, domain, ts, u->slot, 0);
	return RTEV_CONTINUE;
}

enum rtev_next user_take_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	struct model *m = ctx;
	struct user *u = user_touch(m, domain, ts, event, MODEL_USER_INT);

	if (u == NULL)
		return model_next(m);
	if (u->pub.count == 0 || value < u->pub.min)
		u->pub.min = value;
	if (u->pub.count == 0 || value > u->pub.max)
		u->pub.max = value;
	u->pub.last = value;
	u->pub.count++;
	OBSERVE(m, user, domain, ts, u->slot, value);
	return RTEV_CONTINUE;
}

enum rtev_next user_take_custom(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event,
    const void *data, size_t len)
{
	struct model *m = ctx;
	struct user *u = user_touch(m, domain, ts, event, MODEL_USER_CUSTOM);

	if (u == NULL)
		return model_next(m);
	if (u->payload == NULL) {
		u->payload = malloc(MODEL_CUSTOM_KEPT);
		if (u->payload == NULL) {
			model_out_of_memory(m);
			return model_next(m);
		}
		u->pub.data = u->payload;
	}
	u->pub.len = len;
	u->pub.kept = len < MODEL_CUSTOM_KEPT ? len : MODEL_CUSTOM_KEPT;
	if (u->pub.kept > 0)
		memcpy(u->payload, data, u->pub.kept);
	u->pub.count++;
	OBSERVE(m, user, domain, ts, u->slot, (int64_t)len);
	return RTEV_CONTINUE;
}

/* Make room for more frames. */
static bool user_grow(struct model *m, struct user *u)
{
	size_t size = u->stack == &u->first ? 0 : u->stack_size;
	void *array = size == 0 ? NULL : u->stack;

	if (u->stack_size >= MODEL_DEPTH_MAX ||
	    !model_grow(m, &array, &size, size == 0 ? 4 : size * 2, sizeof(*u->stack)))
		return false;
	if (u->stack == &u->first)
		memcpy(array, &u->first, sizeof(u->first));
	u->stack = array;
	u->stack_size = (unsigned)size;
	return true;
}

/* Push a frame.  False when the domain has too many open or there is no room. */
static bool user_push(struct model *m, struct domain *d, struct user *u, uint64_t ts)
{
	if (d->user_depth >= MODEL_DEPTH_MAX || (u->pub.open == u->stack_size && !user_grow(m, u)))
		return false;
	if (u->pub.open == 0)
		LIST_INSERT_HEAD(&d->users_open, u, open_link);
	u->stack[u->pub.open++] = (struct user_frame){.begin = ts, .gc_begin = domain_gc_until(d, ts)};
	d->user_depth++;
	d->pub.open++;
	return true;
}

/* Account for `count` frames that left a slot's stack. */
static void user_popped(struct domain *d, struct user *u, uint64_t frames)
{
	u->pub.open -= frames;
	d->user_depth -= (unsigned)frames;
	d->pub.open -= frames;
	if (u->pub.open == 0)
		LIST_REMOVE(u, open_link);
}

/* Add the durations that wait to their buckets. */
static void user_settle(struct user *u)
{
	hist_add_places(&u->pub.spans, u->waiting, u->waiting_count);
	u->waiting_count = 0;
}

/* Add a duration to the histogram of a slot, which has room for it. */
static void user_add(struct user *u, uint64_t duration)
{
	if (u->waiting_count == USER_WAITING)
		user_settle(u);
	_Static_assert(HIST_PLACES <= UINT16_MAX, "places fit in `waiting`");
	hist_add_exact(&u->pub.spans, duration);
	u->waiting[u->waiting_count++] = (uint16_t)hist_place(duration);
}

/* End the innermost span of a slot at ts. */
static void user_close(struct model *m, struct domain *d, struct user *u, uint64_t ts)
{
	struct user_frame frame = u->stack[u->pub.open - 1];
	uint64_t gc = domain_gc_until(d, ts);

	user_popped(d, u, 1);
	if (ts < frame.begin) {
		d->pub.dropped += !frame.stale;
		OBSERVE(m, user_stray, d->pub.domain, ts, u->slot, false);
		return;
	}
	if (frame.stale) {
		OBSERVE(m, user_closed_stale, d->pub.domain, frame.begin, ts, u->slot);
		return;
	}
	size_t growth = hist_growth(&u->pub.spans, ts - frame.begin);
	if (!budget_take(&m->budget, growth)) {
		m->ignored++;
		OBSERVE(m, user_closed_stale, d->pub.domain, frame.begin, ts, u->slot);
		return;
	}
	if (growth == 0 || hist_reserve(&u->pub.spans, ts - frame.begin))
		user_add(u, ts - frame.begin);
	else
		model_out_of_memory(m);
	u->pub.count++;
	/* it can be behind where it began when the pause it began in was dropped */
	m->user_gc = gc > frame.gc_begin ? gc - frame.gc_begin : 0;
	u->pub.gc_ns = sum_saturating(u->pub.gc_ns, m->user_gc);
	OBSERVE(m, user_closed, d->pub.domain, frame.begin, ts, u->slot);
}

/* Take in the begin or the end of a user span. */
enum rtev_next user_take_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	struct model *m = ctx;
	struct user *u = user_touch(m, domain, ts, event, MODEL_USER_SPAN);
	struct domain *d;

	if (u == NULL)
		return model_next(m);
	d = m->domains[domain];
	if (begin && user_push(m, d, u, ts)) {
		OBSERVE(m, user_opened, domain, ts, u->slot);
	} else if (begin || u->pub.open == 0) {
		d->pub.dropped++;
		OBSERVE(m, user_stray, domain, ts, u->slot, begin);
	} else {
		user_close(m, d, u, ts);
	}
	return model_next(m);
}

/* Order open user spans by their begins. */
static int by_begin(const void *a, const void *b)
{
	const struct model_open_user *left = a, *right = b;

	return (left->begin > right->begin) - (left->begin < right->begin);
}

size_t model_users_open(const struct model *m, unsigned domain, struct model_open_user *out, size_t size)
{
	const struct domain *d = domain < m->domain_limit ? m->domains[domain] : NULL;
	const struct user *u;
	size_t count = 0;

	if (d == NULL)
		return 0;
	LIST_FOREACH (u, &d->users_open, open_link)
		for (uint64_t i = 0; i < u->pub.open && count < size; i++)
			out[count++] = (struct model_open_user){.begin = u->stack[i].begin, .slot = u->slot};
	qsort(out, count, sizeof(*out), by_begin);
	return count;
}

uint32_t model_user_around(const struct model *m, unsigned domain, uint64_t ts)
{
	const struct domain *d = domain < m->domain_limit ? m->domains[domain] : NULL;
	uint32_t slot = MODEL_NO_USER;
	uint64_t latest = 0;
	const struct user *u;

	if (d == NULL)
		return slot;
	LIST_FOREACH (u, &d->users_open, open_link) {
		uint64_t i = u->pub.open;
		while (i > 0 && u->stack[i - 1].begin > ts)
			i--;
		if (i > 0 && (slot == MODEL_NO_USER || u->stack[i - 1].begin >= latest)) {
			latest = u->stack[i - 1].begin;
			slot = u->slot;
		}
	}
	return slot;
}

/* Drop the open spans of one slot that were begun before a stamp, or all of them. */
static void user_drop(struct domain *d, struct user *u, uint64_t before, bool all)
{
	uint64_t kept = 0, open = u->pub.open;

	for (uint64_t i = 0; i < open; i++) {
		if (!all && u->stack[i].begin >= before)
			u->stack[kept++] = u->stack[i];
		else if (!u->stack[i].stale)
			d->pub.dropped++;
	}
	if (kept < open)
		user_popped(d, u, open - kept);
}

/* Drop the user spans begun before a resume. */
void users_drop_before(struct domain *d, uint64_t resume)
{
	struct user *u, *next;

	LIST_FOREACH_SAFE (u, &d->users_open, open_link, next)
		user_drop(d, u, resume, false);
}

void users_drop_all(struct domain *d)
{
	struct user *u, *next;

	LIST_FOREACH_SAFE (u, &d->users_open, open_link, next)
		user_drop(d, u, 0, true);
}

/* Call a function for each user slot of a domain. */
static void users_each(struct model *m, struct domain *d, void (*act)(struct model *m, struct user *u))
{
	if (d->users == NULL)
		return;
	for (unsigned i = 0; i < USER_CHUNKS; i++)
		for (unsigned j = 0; d->users[i] != NULL && j < USER_CHUNK; j++)
			if (d->users[i][j] != NULL)
				act(m, d->users[i][j]);
}

/* Reset the totals of a slot. */
static void user_reset(struct model *m, struct user *u)
{
	budget_give(&m->budget, hist_bytes(&u->pub.spans));
	hist_fini(&u->pub.spans);
	u->waiting_count = 0;
	u->pub = (struct model_user){.open = u->pub.open, .data = u->payload};
	for (uint64_t i = 0; i < u->pub.open; i++)
		u->stack[i].stale = true;
}

/* Free a slot. */
static void user_free(struct model *m, struct user *u)
{
	(void)m;
	hist_fini(&u->pub.spans);
	if (u->stack != &u->first)
		free(u->stack);
	free(u->payload);
	free(u);
}

/* Reset the totals of a domain's slots; open spans stay open but will not be counted. */
void users_reset(struct model *m, struct domain *d)
{
	users_each(m, d, user_reset);
}

void users_forget_ids(struct domain *d)
{
	free(d->users_at);
	d->users_at = NULL;
}

void users_free(struct domain *d)
{
	users_each(NULL, d, user_free);
	users_forget_ids(d);
	for (unsigned i = 0; d->users != NULL && i < USER_CHUNKS; i++)
		free(d->users[i]);
	free(d->users);
	d->users = NULL;
}

void user_slots_free(struct model *m)
{
	for (size_t i = 0; i < m->user_slot_count; i++)
		free(m->user_slots[i]);
	free(m->user_slots);
	free(m->user_ids);
}

uint64_t model_user_gc(const struct model *m)
{
	return m->user_gc;
}

size_t model_user_slots(const struct model *m)
{
	return m->user_slot_count;
}

const struct model_user_slot *model_user_slot(const struct model *m, size_t slot)
{
	return slot < m->user_slot_count ? &m->user_slots[slot]->pub : NULL;
}

const struct model_user *model_user(const struct model *m, unsigned domain, size_t slot)
{
	struct user *u;

	if (domain >= m->domain_limit || m->domains[domain] == NULL || slot >= m->user_slot_count)
		return NULL;
	u = user_find(m->domains[domain], slot);
	if (u == NULL)
		return NULL;
	user_settle(u);
	return &u->pub;
}

size_t model_user_next(const struct model *m, unsigned domain, size_t slot)
{
	const struct domain *d = domain < m->domain_limit ? m->domains[domain] : NULL;

	if (d == NULL || d->users == NULL)
		return m->user_slot_count;
	while (slot < m->user_slot_count && user_find(d, slot) == NULL)
		slot = d->users[slot / USER_CHUNK] == NULL ? (slot / USER_CHUNK + 1) * USER_CHUNK : slot + 1;
	return slot < m->user_slot_count ? slot : m->user_slot_count;
}

/* Add one domain's data of a slot to a total. */
static bool user_sum(struct model_user *out, const struct model_user *u)
{
	if (out->count == 0 || (u->count > 0 && u->min < out->min))
		out->min = u->min;
	if (out->count == 0 || (u->count > 0 && u->max > out->max))
		out->max = u->max;
	if (u->last_ts >= out->last_ts) {
		out->last_ts = u->last_ts;
		out->last = u->last;
		out->data = u->data;
		out->kept = u->kept;
		out->len = u->len;
	}
	out->count += u->count;
	out->open += u->open;
	out->gc_ns = sum_saturating(out->gc_ns, u->gc_ns);
	return hist_merge(&out->spans, &u->spans);
}

bool model_user_total(const struct model *m, size_t slot, struct model_user *out)
{
	*out = (struct model_user){0};
	for (unsigned i = 0; i < m->domain_limit; i++) {
		const struct model_user *u = model_user(m, i, slot);

		if (u != NULL && !user_sum(out, u)) {
			hist_fini(&out->spans);
			return false;
		}
	}
	return true;
}
