/*
 * fills.c - see fills.h.
 */
#include "model/fills.h"

#include <stdlib.h>

#define EVENT_WORDS 2 /* header and stamp */
#define USERS_FIRST 32
#define RING_SIZE_MIN 9
#define RING_SIZE_MAX 62

struct fill {
	uint64_t events;
	uint64_t words;
};

struct fills {
	const struct model *model;
	struct fill phases[RTEV_PHASE_COUNT + 1]; /* the last of each is for opaque ones */
	struct fill counters[RTEV_COUNTER_COUNT + 1];
	struct fill lifecycles[RTEV_LIFECYCLE_COUNT + 1];
	struct fill alloc;
	struct fill *users;
	unsigned user_size;
};

struct fills *fills_create(const struct model *model)
{
	struct fills *f = calloc(1, sizeof(*f));

	if (f != NULL)
		f->model = model;
	return f;
}

void fills_destroy(struct fills *f)
{
	if (f == NULL)
		return;
	free(f->users);
	free(f);
}

/* Count one event. */
static void fill_add(struct fill *fill, uint64_t words)
{
	fill->events++;
	fill->words += words;
}

static void fills_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct fills *f = ctx;

	(void)domain;
	(void)ts;
	(void)depth;
	fill_add(&f->phases[phase < RTEV_PHASE_COUNT ? phase : RTEV_PHASE_COUNT], EVENT_WORDS);
}

static void fills_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	fills_opened(ctx, domain, span->phase, span->end, span->depth);
}

static void fills_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct fills *f = ctx;

	(void)domain;
	(void)ts;
	(void)value;
	fill_add(&f->counters[counter < RTEV_COUNTER_COUNT ? counter : RTEV_COUNTER_COUNT], EVENT_WORDS + 1);
}

static void fills_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	struct fills *f = ctx;

	(void)domain;
	(void)ts;
	(void)buckets;
	fill_add(&f->alloc, EVENT_WORDS + RTEV_ALLOC_BUCKETS);
}

static void fills_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct fills *f = ctx;

	(void)domain;
	(void)ts;
	(void)data;
	fill_add(
	    &f->lifecycles[event < RTEV_LIFECYCLE_COUNT ? event : RTEV_LIFECYCLE_COUNT], EVENT_WORDS + 1);
}

/* Count an event of a user slot. */
static void fills_user_add(struct fills *f, unsigned slot, uint64_t words)
{
	if (slot >= f->user_size) {
		unsigned size = f->user_size == 0 ? USERS_FIRST : f->user_size;
		struct fill *users;

		if (slot >= MODEL_USER_SLOTS_MAX)
			return;
		while (size <= slot)
			size *= 2;
		users = realloc(f->users, size * sizeof(*users));
		if (users == NULL)
			return;
		for (unsigned i = f->user_size; i < size; i++)
			users[i] = (struct fill){0};
		f->users = users;
		f->user_size = size;
	}
	fill_add(&f->users[slot], words);
}

static void fills_user(void *ctx, unsigned domain, uint64_t ts, unsigned slot, int64_t value)
{
	struct fills *f = ctx;
	enum model_user_kind kind = MODEL_USER_UNIT;
	uint64_t words = EVENT_WORDS;

	(void)domain;
	(void)ts;
	if (slot < model_user_slots(f->model))
		kind = model_user_slot(f->model, slot)->kind;
	if (kind == MODEL_USER_INT)
		words++;
	else if (kind == MODEL_USER_CUSTOM && value >= 0)
		words += (uint64_t)value / 8 + 1; /* the payload's last byte tells its length */
	fills_user_add(f, slot, words);
}

static void fills_user_opened(void *ctx, unsigned domain, uint64_t ts, unsigned slot)
{
	(void)domain;
	(void)ts;
	fills_user_add(ctx, slot, EVENT_WORDS);
}

static void fills_user_closed(void *ctx, unsigned domain, uint64_t begin, uint64_t end, unsigned slot)
{
	(void)domain;
	(void)begin;
	(void)end;
	fills_user_add(ctx, slot, EVENT_WORDS);
}

static void fills_reset(void *ctx, uint64_t now)
{
	struct fills *f = ctx;

	(void)now;
	free(f->users);
	*f = (struct fills){.model = f->model};
}

void fills_observer(struct fills *f, struct model_observer *out)
{
	*out = (struct model_observer){
	    .ctx = f,
	    .opened = fills_opened,
	    .closed = fills_closed,
	    .counter = fills_counter,
	    .alloc = fills_alloc,
	    .lifecycle = fills_lifecycle,
	    .user = fills_user,
	    .user_opened = fills_user_opened,
	    .user_closed = fills_user_closed,
	    .reset = fills_reset,
	};
}

/* The list of the largest entries, while it is made. */
struct top {
	struct fills_entry *out;
	size_t size;
	size_t count;
	uint64_t words;
};

/* Put entries of one kind at their places in the list; the one at `opaque` is for what has no number. */
static void top_offer(
    struct top *top, enum fills_kind kind, const struct fill *fills, size_t count, size_t opaque)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = top->count;

		top->words += fills[i].words;
		if (fills[i].events == 0)
			continue;
		while (at > 0 && top->out[at - 1].words < fills[i].words)
			at--;
		if (at >= top->size)
			continue;
		if (top->count < top->size)
			top->count++;
		for (size_t k = top->count - 1; k > at; k--)
			top->out[k] = top->out[k - 1];
		top->out[at] = (struct fills_entry){
		    .kind = kind,
		    .id = i == opaque ? FILLS_OPAQUE : (uint32_t)i,
		    .events = fills[i].events,
		    .words = fills[i].words,
		};
	}
}

size_t fills_top(const struct fills *f, struct fills_entry *out, size_t size, uint64_t *words)
{
	struct top top = {.out = out, .size = size};

	top_offer(&top, FILLS_PHASE, f->phases, RTEV_PHASE_COUNT + 1, RTEV_PHASE_COUNT);
	top_offer(&top, FILLS_COUNTER, f->counters, RTEV_COUNTER_COUNT + 1, RTEV_COUNTER_COUNT);
	top_offer(&top, FILLS_ALLOC, &f->alloc, 1, SIZE_MAX);
	top_offer(&top, FILLS_LIFECYCLE, f->lifecycles, RTEV_LIFECYCLE_COUNT + 1, RTEV_LIFECYCLE_COUNT);
	top_offer(&top, FILLS_USER, f->users, f->user_size, SIZE_MAX);
	if (words != NULL)
		*words = top.words;
	return top.count;
}

unsigned fills_ring_size(uint64_t burst)
{
	unsigned e = RING_SIZE_MIN;

	while (e < RING_SIZE_MAX && (uint64_t)1 << e < burst * 2)
		e++;
	return burst > (uint64_t)1 << (RING_SIZE_MAX - 1) ? RING_SIZE_MAX : e;
}
