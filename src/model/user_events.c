/*
 * user_events.c - user events: the slot of an event, and each domain's data of each slot.
 *
 * A slot is a (name, kind) pair, whatever ids carry it.  Slots are never freed, so their numbers stay valid
 * for the life of the model.  An id maps to its slot, and on each domain to the data of its slot there, in one
 * lookup as long as the id's name does not change.  A domain keeps its slots in chunks that are allocated on
 * demand, from the model's pool.
 *
 * User spans nest by name alone: each slot has a stack of its own.  user_depth is the sum over all of a
 * domain's stacks; user_events_open lists those that are not empty.
 */
#include "model/state.h"

#include "core/array.h"

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
	slot =
	    array_room(&m->user_slots, &m->user_slot_size, m->user_slot_count + 1, sizeof(struct user_slot *))
		? pool_take(&m->users, sizeof(*slot))
		: NULL;
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

/* Return the slot of an event's name and kind; NULL when there is none and none can be made. */
static struct user_slot *slot_of_name(
    struct model *m, const struct rtev_user_event *event, enum model_user_kind kind)
{
	struct user_slot key = {.pub = {.kind = kind, .name_len = event->name_len}};

	if (key.pub.name_len >= RTEV_USER_NAME_SIZE)
		key.pub.name_len = RTEV_USER_NAME_SIZE - 1;
	memcpy(key.name, event->name, key.pub.name_len);
	struct user_slot *slot = RB_FIND(user_tree, &m->user_tree, &key);
	return slot != NULL ? slot : slot_make(m, &key);
}

bool user_slot_made(struct model *m, const struct rtev_user_event *event, enum model_user_kind kind)
{
	struct user_slot key = {.pub = {.kind = kind, .name_len = event->name_len}};

	memcpy(key.name, event->name, event->name_len);
	return RB_FIND(user_tree, &m->user_tree, &key) != NULL;
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
	struct user_id *id = &m->user_ids[event->id];
	if (id->generation != event->generation)
		*id = (struct user_id){.generation = event->generation};
	id->slots[kind] = slot->number + 1;
	return true;
}

size_t user_rest_bytes(enum model_user_kind kind)
{
	return sizeof(struct user_rest) + (kind == MODEL_USER_SPAN ? USER_WAITING * sizeof(uint32_t) : 0);
}

/* Return the chunk of a slot, made on first use; NULL when there is no room. */
static struct user_chunk *user_chunk(struct model *m, struct domain *d, unsigned number)
{
	struct user_chunk *chunk = d->users != NULL ? d->users[number / USER_CHUNK] : NULL;

	if (chunk != NULL || !budget_take(&m->budget, sizeof(*chunk)))
		return chunk;
	if (d->users == NULL)
		d->users = calloc(USER_CHUNKS, sizeof(struct user_chunk *));
	if (d->users != NULL)
		chunk = d->users[number / USER_CHUNK] = pool_take(&m->users, sizeof(*chunk));
	if (chunk == NULL)
		model_out_of_memory(m);
	return chunk;
}

/* Make a domain's data of a slot.  NULL when there is no room. */
static struct user *user_make(struct model *m, struct domain *d, unsigned number)
{
	struct user_chunk *chunk = user_chunk(m, d, number);

	enum model_user_kind kind = m->user_slots[number]->pub.kind;
	size_t bytes = user_rest_bytes(kind);
	if (chunk == NULL ||
	    !budget_take(&m->budget, bytes + (kind == MODEL_USER_CUSTOM ? MODEL_CUSTOM_KEPT : 0)))
		return NULL;
	struct user *u = &chunk->users[number % USER_CHUNK];
	u->rest = pool_take(&m->users, bytes);
	if (u->rest == NULL) {
		model_out_of_memory(m);
		return NULL;
	}
	u->slot = (uint16_t)number;
	hist_use(&u->rest->pub.spans, &m->users);
	d->pub.users++;
	return u;
}

struct user *user_find(const struct domain *d, size_t number)
{
	if (d->users == NULL || d->users[number / USER_CHUNK] == NULL)
		return NULL;
	struct user *u = &d->users[number / USER_CHUNK]->users[number % USER_CHUNK];
	return u->rest != NULL ? u : NULL;
}

/* Store a domain's data of an event for the id.  If there is no room, the next event looks it up again. */
static void user_store(struct model *m, struct domain *d, struct user *u, const struct rtev_user_event *event,
    enum model_user_kind kind)
{
	const size_t bytes = RTEV_USER_EVENTS_MAX * sizeof(d->user_events_at[0]);

	if (event->id >= RTEV_USER_EVENTS_MAX)
		return;
	if (d->user_events_at == NULL) {
		/* The table only saves time, so thousands of domains must not spend their events' budget on
		 * it. */
		if (m->budget.used > m->budget.most / 4 || !budget_take(&m->budget, bytes))
			return;
		d->user_events_at = calloc(1, bytes);
		if (d->user_events_at == NULL) {
			model_out_of_memory(m);
			return;
		}
	}
	d->user_events_at[event->id] = (struct user_at){u, event->generation, kind};
}

/* Look up a domain's data of an event by the id's slot or by name, and store it for the id.  NULL if memory or
 * a limit ran out. */
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
	if (u != NULL)
		user_store(m, d, u, event, kind);
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
	const struct user_at *at = d->user_events_at != NULL && event->id < RTEV_USER_EVENTS_MAX
				       ? &d->user_events_at[event->id]
				       : &unknown;
	struct user *u = at->user;
	if (u == NULL || at->generation != event->generation || at->kind != kind)
		u = user_look_up(m, d, event, kind);
	if (u != NULL)
		u->last_ts = ts;
	else
		m->ignored++;
	return u;
}

/* Tell the observers what an event of a user was. */
static void user_tell(struct model *m, unsigned domain, const struct user *u, enum model_user_what what,
    uint64_t begin, uint64_t ts, int64_t value)
{
	const struct model_user_event event = {
	    .what = what, .slot = u->slot, .begin = begin, .ts = ts, .value = value};

	OBSERVE(m, user, domain, &event);
}

/* Handle an event without a value. */
enum rtev_next user_take_unit(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event)
{
	struct model *m = ctx;
	struct user *u = user_touch(m, domain, ts, event, MODEL_USER_UNIT);

	if (u == NULL)
		return model_next(m);
	u->rest->pub.count++;
	user_tell(m, domain, u, MODEL_USER_CAME, 0, ts, 0);
	return RTEV_CONTINUE;
}

enum rtev_next user_take_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	struct model *m = ctx;
	struct user *u = user_touch(m, domain, ts, event, MODEL_USER_INT);

	if (u == NULL)
		return model_next(m);
	if (u->rest->pub.count == 0 || value < u->rest->pub.min)
		u->rest->pub.min = value;
	if (u->rest->pub.count == 0 || value > u->rest->pub.max)
		u->rest->pub.max = value;
	u->rest->pub.last = value;
	u->rest->pub.count++;
	user_tell(m, domain, u, MODEL_USER_CAME, 0, ts, value);
	return RTEV_CONTINUE;
}

enum rtev_next user_take_custom(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event,
    const void *data, size_t len)
{
	static const char traced[] = "trace.";
	struct model *m = ctx;

	if (memcmp(event->name, traced, sizeof(traced) - 1) == 0 &&
	    user_take_traced(m, domain, ts, event, data, len))
		return model_next(m);
	return user_count_custom(m, domain, ts, event, data, len);
}

enum rtev_next user_count_custom(struct model *m, unsigned domain, uint64_t ts,
    const struct rtev_user_event *event, const void *data, size_t len)
{
	struct user *u = user_touch(m, domain, ts, event, MODEL_USER_CUSTOM);

	if (u == NULL)
		return model_next(m);
	if (u->rest->payload == NULL) {
		u->rest->payload = malloc(MODEL_CUSTOM_KEPT);
		if (u->rest->payload == NULL) {
			model_out_of_memory(m);
			return model_next(m);
		}
		u->rest->pub.data = u->rest->payload;
	}
	u->rest->pub.len = len;
	u->rest->pub.kept = len < MODEL_CUSTOM_KEPT ? len : MODEL_CUSTOM_KEPT;
	if (u->rest->pub.kept > 0)
		memcpy(u->rest->payload, data, u->rest->pub.kept);
	u->rest->pub.count++;
	m->payload = data;
	m->payload_len = len;
	user_tell(m, domain, u, MODEL_USER_CAME, 0, ts, (int64_t)len);
	m->payload = NULL;
	return RTEV_CONTINUE;
}

/* Make room for more frames. */
static bool user_grow(struct model *m, struct user *u)
{
	struct user_rest *rest = u->rest;
	size_t size = rest->stack_size;
	void *array = rest->stack;

	if (!model_grow(m, &array, &size, size == 0 ? 4 : size * 2, sizeof(*rest->stack)))
		return false;
	rest->stack = array;
	rest->stack_size = (unsigned)size;
	return true;
}

/* Insert a slot whose first span begins into the list. */
static void user_list(struct domain *d, struct user *u)
{
	struct user *next = user_open_at(d, d->user_events_open);

	u->open_next = d->user_events_open;
	u->open_before = 0;
	d->user_events_open = (uint16_t)(u->slot + 1);
	if (next != NULL)
		next->open_before = d->user_events_open;
}

/* Take a slot off the list. */
static void user_unlist(struct domain *d, struct user *u)
{
	struct user *next = user_open_at(d, u->open_next), *before = user_open_at(d, u->open_before);

	if (next != NULL)
		next->open_before = u->open_before;
	if (before != NULL)
		before->open_next = u->open_next;
	else
		d->user_events_open = u->open_next;
}

/* Push a frame.  False when too many are open on the domain, or there is no room. */
static bool user_push(struct model *m, struct domain *d, struct user *u, uint64_t ts)
{
	if (d->user_depth >= MODEL_DEPTH_MAX ||
	    (u->open > 0 && u->open > u->rest->stack_size && !user_grow(m, u)))
		return false;
	if (u->open == 0)
		user_list(d, u);
	*user_frame(u, u->open++) =
	    (struct user_frame){.begin = ts, .gc_begin = domain_gc_until(d, ts) & INT64_MAX};
	d->user_depth++;
	d->pub.open++;
	return true;
}

/* Account for `count` frames that left a slot's stack. */
static void user_popped(struct domain *d, struct user *u, uint64_t frames)
{
	u->open -= (uint32_t)frames;
	d->user_depth -= (unsigned)frames;
	d->pub.open -= frames;
	if (u->open == 0)
		user_unlist(d, u);
}

void user_settle(struct user *u)
{
	unsigned near = u->waiting_count % USER_BATCH;

	memcpy(&u->rest->waiting[u->waiting_count - near], u->near, near * sizeof(u->near[0]));
	hist_add_reserved(&u->rest->pub.spans, u->rest->waiting, u->waiting_count);
	u->rest->pub.count += u->waiting_count;
	u->rest->pub.last_ts = u->last_ts;
	u->rest->pub.open = u->open;
	u->waiting_count = 0;
}

/* Make room in the histogram of a slot.  False if memory or the budget ran out. */
static __attribute__((noinline)) bool user_make_room(struct model *m, struct user *u, uint64_t duration)
{
	size_t growth = hist_growth(&u->rest->pub.spans, duration);

	if (!budget_take(&m->budget, growth))
		return false;
	if (!hist_reserve(&u->rest->pub.spans, duration)) {
		budget_give(&m->budget, growth);
		model_out_of_memory(m);
		return false;
	}
	u->held = u->rest->pub.spans.held;
	return true;
}

/* Count a span.  The histogram must have room for it. */
static void user_add(struct user *u, uint64_t duration)
{
	if (duration > UINT32_MAX) {
		(void)hist_add(&u->rest->pub.spans, duration);
		u->rest->pub.count++;
		return;
	}
	unsigned near = u->waiting_count % USER_BATCH;
	if (near < USER_NEAR) {
		u->near[near] = (uint32_t)duration;
		u->waiting_count++;
		return;
	}
	uint32_t *batch = &u->rest->waiting[u->waiting_count - near];
	memcpy(batch, u->near, sizeof(u->near));
	batch[near] = (uint32_t)duration;
	if (++u->waiting_count == USER_WAITING)
		user_settle(u);
}

/* End the innermost span of a slot at ts. */
static void user_close(struct model *m, struct domain *d, struct user *u, uint64_t ts)
{
	struct user_frame frame = *user_frame(u, u->open - 1);
	uint64_t gc = domain_gc_until(d, ts);

	user_popped(d, u, 1);
	if (ts < frame.begin) {
		d->pub.dropped += !frame.stale;
		user_tell(m, d->pub.domain, u, MODEL_USER_DROPPED, frame.begin, 0, 0);
		user_tell(m, d->pub.domain, u, MODEL_USER_STRAY_END, 0, ts, 0);
		return;
	}
	if (frame.stale) {
		user_tell(m, d->pub.domain, u, MODEL_USER_CLOSED_STALE, frame.begin, ts, 0);
		return;
	}
	if (!hist_has_room(u->held, ts - frame.begin) && !user_make_room(m, u, ts - frame.begin)) {
		m->ignored++;
		user_tell(m, d->pub.domain, u, MODEL_USER_CLOSED_STALE, frame.begin, ts, 0);
		return;
	}
	user_add(u, ts - frame.begin);
	/* it goes back if the pause in which the span began was dropped */
	m->user_gc = gc > frame.gc_begin ? gc - frame.gc_begin : 0;
	if (m->user_gc != 0)
		u->rest->pub.gc_ns = sum_saturating(u->rest->pub.gc_ns, m->user_gc);
	user_tell(m, d->pub.domain, u, MODEL_USER_CLOSED, frame.begin, ts, 0);
}

/* Handle the begin or the end of a user span. */
enum rtev_next user_take_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	struct model *m = ctx;
	struct user *u = user_touch(m, domain, ts, event, MODEL_USER_SPAN);

	if (u == NULL)
		return model_next(m);
	struct domain *d = m->domains[domain];
	if (begin && user_push(m, d, u, ts)) {
		user_tell(m, domain, u, MODEL_USER_OPENED, 0, ts, 0);
	} else if (begin || u->open == 0) {
		d->pub.dropped++;
		user_tell(m, domain, u, begin ? MODEL_USER_STRAY_BEGIN : MODEL_USER_STRAY_END, 0, ts, 0);
	} else {
		user_close(m, d, u, ts);
	}
	return model_next(m);
}

/* Drop the open spans of one slot that were begun before a stamp. */
static void user_drop(struct model *m, struct domain *d, struct user *u, uint64_t before)
{
	uint32_t kept = 0, open = u->open;

	for (uint32_t i = 0; i < open; i++) {
		const struct user_frame frame = *user_frame(u, i);
		if (frame.begin >= before && before != UINT64_MAX) {
			*user_frame(u, kept++) = frame;
			continue;
		}
		d->pub.dropped += !frame.stale;
		user_tell(m, d->pub.domain, u, MODEL_USER_DROPPED, frame.begin, 0, 0);
	}
	if (kept < open)
		user_popped(d, u, open - kept);
}

void user_events_drop_before(struct model *m, struct domain *d, uint64_t before)
{
	struct user *next;

	for (struct user *u = user_open_at(d, d->user_events_open); u != NULL; u = next) {
		next = user_open_at(d, u->open_next);
		user_drop(m, d, u, before);
	}
}

/* Call a function for each user slot of a domain. */
static void user_events_each(struct model *m, struct domain *d, void (*act)(struct model *m, struct user *u))
{
	if (d->users == NULL)
		return;
	for (unsigned i = 0; i < USER_CHUNKS; i++)
		for (unsigned j = 0; d->users[i] != NULL && j < USER_CHUNK; j++)
			if (d->users[i]->users[j].rest != NULL)
				act(m, &d->users[i]->users[j]);
}

/* Reset the totals of a slot. */
static void user_reset(struct model *m, struct user *u)
{
	hist_clear(&u->rest->pub.spans);
	u->waiting_count = 0;
	u->last_ts = 0;
	u->rest->pub = (struct model_user){.spans = u->rest->pub.spans, .data = u->rest->payload};
	for (uint32_t i = 0; i < u->open; i++)
		user_frame(u, i)->stale = true;
}

static void user_free(struct model *m, struct user *u)
{
	hist_fini(&u->rest->pub.spans);
	free(u->rest->stack);
	free(u->rest->payload);
}

/* Reset the totals of a domain's slots; open spans stay open but will not be counted. */
void user_events_reset(struct model *m, struct domain *d)
{
	user_events_each(m, d, user_reset);
}

void user_events_forget_ids(struct domain *d)
{
	if (d->user_events_at != NULL)
		memset(d->user_events_at, 0, RTEV_USER_EVENTS_MAX * sizeof(d->user_events_at[0]));
}

void user_events_free(struct domain *d)
{
	user_events_each(NULL, d, user_free);
	free(d->user_events_at);
	free(d->users);
	d->users = NULL;
}

void user_slots_free(struct model *m)
{
	free(m->user_slots);
	free(m->user_ids);
}
