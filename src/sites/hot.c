/*
 * hot.c - count what the report of hot spots is made of.
 *
 * For each domain the functions of its last backtrace are kept, frame by frame.
 */
#include "sites/hot.h"

#include <stdlib.h>

#include "sites/hot_private.h"

enum { DISCARD_MAX = 2 };

/* Make an empty one. */
struct sites_hot *sites_hot_create(void)
{
	struct sites_hot *hot = calloc(1, sizeof(*hot));

	if (hot != NULL && !sites_names_init(&hot->names)) {
		sites_hot_destroy(hot);
		return NULL;
	}
	return hot;
}

/* Free it. */
void sites_hot_destroy(struct sites_hot *hot)
{
	if (hot == NULL)
		return;
	for (size_t i = 0; i < hot->stack_count; i++)
		free(hot->stacks[i].functions);
	free(hot->stacks);
	sites_index_fini(&hot->by_domain);
	free(hot->functions);
	free(hot->places);
	sites_pairs_fini(&hot->pairs);
	sites_index_fini(&hot->by_name);
	sites_index_fini(&hot->by_code);
	sites_names_fini(&hot->names);
	free(hot);
}

/* Find or add a function, under the number that it has among the names. */
static uint32_t get_function(struct sites_hot *hot, uint32_t name)
{
	uint32_t id = sites_index_find(&hot->by_name, name, 0);

	if (id != SITES_NONE)
		return id;
	void *grown = sites_reserve(
	    hot->functions, hot->function_count, &hot->function_capacity, sizeof(*hot->functions));
	if (grown == NULL)
		return SITES_NONE;
	hot->functions = grown;
	if (!sites_index_add(&hot->by_name, name, 0, (uint32_t)hot->function_count))
		return SITES_NONE;
	hot->functions[hot->function_count] = (struct hot_function){.name = name};
	return (uint32_t)hot->function_count++;
}

/* Add a place under a key.  SITES_NONE when memory ran out. */
static uint32_t add_place(struct sites_hot *hot, uint64_t key, uint64_t kind, struct hot_place place)
{
	void *grown =
	    sites_reserve(hot->places, hot->place_count, &hot->place_capacity, sizeof(*hot->places));

	if (grown == NULL)
		return SITES_NONE;
	hot->places = grown;
	if (place.function == SITES_NONE ||
	    !sites_index_add(&hot->by_code, key, kind, (uint32_t)hot->place_count))
		return SITES_NONE;
	hot->places[hot->place_count] = place;
	return (uint32_t)hot->place_count++;
}

/* Find or add the place of allocations without backtrace. */
static uint32_t get_no_place(struct sites_hot *hot)
{
	uint32_t id = sites_index_find(&hot->by_code, 0, 1);

	return id != SITES_NONE
		   ? id
		   : add_place(hot, 0, 1, (struct hot_place){.function = get_function(hot, SITES_UNKNOWN)});
}

/* Find or add the place of a frame.  What a code stands for is settled when it is first met. */
static uint32_t get_place(struct sites_hot *hot, const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event, size_t at)
{
	uint64_t key = (uint64_t)event->backtrace[at];
	uint32_t id = sites_index_find(&hot->by_code, key, 0), count;

	if (id != SITES_NONE)
		return id;
	size_t least = at > DISCARD_MAX ? at - DISCARD_MAX : 0;
	uint32_t code = sites_names_code(&hot->names, reader, event->backtrace[at]);
	while (code != SITES_NONE && hot->names.codes[code].count == 0 && at > least)
		code = sites_names_code(&hot->names, reader, event->backtrace[--at]);
	if (code == SITES_NONE)
		return SITES_NONE;
	const uint32_t *frames = sites_names_frames(&hot->names, code, &count);
	struct hot_place place = {.function = get_function(hot, frames[count - 1])};
	if (hot->names.codes[code].count > 0)
		place.location = &hot->names.codes[code].locations[count - 1];
	return add_place(hot, key, 0, place);
}

/* Bring a domain's functions up to date.  Innermost frames first: functions are numbered in that order. */
static bool update_stack(struct sites_hot *hot, struct hot_stack *stack,
    const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	size_t valid = stack->valid < event->unchanged ? stack->valid : event->unchanged;

	stack->valid = 0;
	if (event->depth > stack->capacity) {
		size_t capacity = event->depth > stack->capacity * 2 ? event->depth : stack->capacity * 2;
		uint32_t *functions = reallocarray(stack->functions, capacity, sizeof(*functions));
		if (functions == NULL)
			return false;
		stack->functions = functions;
		stack->capacity = capacity;
	}
	for (size_t i = event->depth; i-- > valid;) {
		uint32_t place = get_place(hot, reader, event, i);
		if (place == SITES_NONE)
			return false;
		stack->functions[i] = hot->places[place].function;
	}
	stack->valid = event->depth;
	return true;
}

/* Find or make a domain's stack. */
static struct hot_stack *get_stack(struct sites_hot *hot, uint16_t domain)
{
	uint32_t id = sites_index_find(&hot->by_domain, domain, 0);

	if (id != SITES_NONE)
		return &hot->stacks[id];
	void *grown =
	    sites_reserve(hot->stacks, hot->stack_count, &hot->stack_capacity, sizeof(*hot->stacks));
	if (grown == NULL)
		return NULL;
	hot->stacks = grown;
	if (!sites_index_add(&hot->by_domain, domain, 0, (uint32_t)hot->stack_count))
		return NULL;
	hot->stacks[hot->stack_count] = (struct hot_stack){0};
	return &hot->stacks[hot->stack_count++];
}

/* Take an event in. */
int sites_hot_event(
    struct sites_hot *hot, const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	if (event->kind != RTEV_MEMTRACE_ALLOC)
		return RTEV_OK;
	struct hot_stack *stack = get_stack(hot, event->domain);
	uint64_t samples = event->samples > 0 ? (uint64_t)event->samples : 0;
	hot->samples += samples;
	if (stack == NULL || !update_stack(hot, stack, reader, event))
		return RTEV_E_NOMEM;
	uint32_t place =
	    event->depth > 0 ? get_place(hot, reader, event, event->depth - 1) : get_no_place(hot);
	if (place == SITES_NONE)
		return RTEV_E_NOMEM;
	uint32_t site = hot->places[place].function;
	hot->places[place].samples += samples;
	hot->events++;
	for (size_t i = event->depth > 0 ? event->depth - 1 : 0; i-- > 0;) {
		struct hot_function *caller = &hot->functions[stack->functions[i]];
		if (caller->seen == hot->events)
			continue;
		caller->seen = hot->events;
		caller->samples += samples;
		if (!sites_pairs_add(&hot->pairs, stack->functions[i], site))
			return RTEV_E_NOMEM;
	}
	return RTEV_OK;
}

/* Find a function. */
const struct sites_function *sites_hot_function(const struct sites_hot *hot, uint32_t function)
{
	return &hot->names.functions[hot->functions[function].name];
}
