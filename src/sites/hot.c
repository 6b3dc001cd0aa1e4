/* hot.c - count samples and callers for the report of hot spots, by the method described in hot_private.h. */
#include "sites/hot.h"

#include "core/array.h"
#include "sites/hot_private.h"

enum { DISCARD_MAX = 2 };

struct sites_hot *sites_hot_create(void)
{
	struct sites_hot *hot = calloc(1, sizeof(*hot));

	if (hot == NULL)
		return NULL;
	hot->no_place = SITES_NONE;
	if (!sites_names_init(&hot->names) || !sites_codes_init(&hot->by_code) ||
	    !sites_pairs_init(&hot->pairs)) {
		sites_hot_destroy(hot);
		return NULL;
	}
	return hot;
}

void sites_hot_destroy(struct sites_hot *hot)
{
	if (hot == NULL)
		return;
	free(hot->callers);
	free(hot->frames);
	free(hot->functions);
	free(hot->places);
	sites_pairs_fini(&hot->pairs);
	id_map_fini(&hot->by_name);
	sites_codes_fini(&hot->by_code);
	sites_names_fini(&hot->names);
	free(hot);
}

/* ---- places and functions of codes ---- */

/* Find or add the function with the number `name` in `names`. */
static uint32_t get_function(struct sites_hot *hot, uint32_t name)
{
	uint32_t found = id_map_find(&hot->by_name, sites_id(&hot->by_name, name));

	if (found != 0)
		return found - 1;
	if (!array_room(
		&hot->functions, &hot->function_capacity, hot->function_count + 1, sizeof(*hot->functions)) ||
	    !id_map_add(&hot->by_name, sites_id(&hot->by_name, name), (uint32_t)hot->function_count + 1))
		return SITES_NONE;
	hot->functions[hot->function_count] = (struct hot_function){.name = name, .caller = SITES_NONE};
	return (uint32_t)hot->function_count++;
}

/* Returns SITES_NONE when out of memory. */
static uint32_t add_place(struct sites_hot *hot, struct hot_place place)
{
	if (place.function == SITES_NONE ||
	    !array_room(&hot->places, &hot->place_capacity, hot->place_count + 1, sizeof(*hot->places)))
		return SITES_NONE;
	hot->places[hot->place_count] = place;
	return (uint32_t)hot->place_count++;
}

/* Find or add the place of allocations without backtrace. */
static uint32_t get_no_place(struct sites_hot *hot)
{
	if (hot->no_place == SITES_NONE)
		hot->no_place =
		    add_place(hot, (struct hot_place){.function = get_function(hot, SITES_UNKNOWN)});
	return hot->no_place;
}

/* Add the place of a frame whose code is new.  Returns false when out of memory. */
static bool add_code(struct sites_hot *hot, const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event, size_t at)
{
	struct sites_code_slot slot = {.code = event->backtrace[at]};
	size_t least = at > DISCARD_MAX ? at - DISCARD_MAX : 0;
	uint32_t code = sites_names_code(&hot->names, reader, event->backtrace[at]), count;

	while (code != SITES_NONE && hot->names.codes[code].count == 0 && at > least)
		code = sites_names_code(&hot->names, reader, event->backtrace[--at]);
	if (code == SITES_NONE)
		return false;
	const uint32_t *frames = sites_names_frames(&hot->names, code, &count);
	struct hot_place place = {.function = get_function(hot, frames[count - 1])};
	if (hot->names.codes[code].count > 0)
		place.location = &hot->names.codes[code].locations[count - 1];
	slot.function = place.function;
	slot.id = add_place(hot, place);
	return slot.id != SITES_NONE && sites_codes_add(&hot->by_code, slot);
}

/* Add the places of a frame whose code is new and of the new frames further in, innermost first.  The place
 * of a code is fixed when the code is first seen, and functions are numbered in that order.  Returns NULL
 * when out of memory. */
static __attribute__((noinline)) const struct sites_code_slot *add_codes(struct sites_hot *hot,
    const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event, size_t at)
{
	for (size_t i = event->depth; i-- > at;) {
		if (sites_codes_find(&hot->by_code, event->backtrace[i]) == NULL &&
		    !add_code(hot, reader, event, i))
			return NULL;
	}
	return sites_codes_find(&hot->by_code, event->backtrace[at]);
}

/* Find or add the place of a frame.  Returns NULL when out of memory. */
static inline const struct sites_code_slot *get_place(struct sites_hot *hot,
    const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event, size_t at)
{
	const struct sites_code_slot *slot = sites_codes_slot(&hot->by_code, event->backtrace[at]);

	return slot->id != SITES_NONE ? slot : add_codes(hot, reader, event, at);
}

/* ---- the stack of callers ---- */

/* Mark a pair as running, from the next block of its site on. */
static void run(struct sites_hot *hot, uint32_t place, uint32_t caller)
{
	struct sites_pair *pair = &hot->pairs.list[place];

	pair->running = true;
	pair->since = hot->functions[pair->b].blocks;
	pair->next = hot->callers[caller].pairs;
	hot->callers[caller].pairs = place;
}

/* Add the pending hits of a running pair. */
static void settle_pair(struct sites_hot *hot, struct sites_pair *pair)
{
	uint64_t blocks = hot->functions[pair->b].blocks;

	pair->hits += blocks - pair->since;
	pair->since = blocks;
}

void sites_hot_settle(struct sites_hot *hot)
{
	for (size_t i = 0; i < hot->caller_count; i++) {
		struct hot_caller *caller = &hot->callers[i];
		hot->functions[caller->function].samples += hot->samples - caller->samples_before;
		caller->samples_before = hot->samples;
		for (uint32_t p = caller->pairs; p != SITES_NONE; p = hot->pairs.list[p].next)
			settle_pair(hot, &hot->pairs.list[p]);
	}
}

/* Pop the callers whose outermost frame is not among the first `height` frames. */
static void pop_callers(struct sites_hot *hot, size_t height)
{
	while (hot->caller_count > 0 && hot->callers[hot->caller_count - 1].frame >= height) {
		const struct hot_caller *caller = &hot->callers[--hot->caller_count];
		struct hot_function *function = &hot->functions[caller->function];
		function->samples += hot->samples - caller->samples_before;
		function->caller = SITES_NONE;
		for (uint32_t p = caller->pairs; p != SITES_NONE; p = hot->pairs.list[p].next) {
			settle_pair(hot, &hot->pairs.list[p]);
			hot->pairs.list[p].running = false;
		}
	}
	if (hot->height > height)
		hot->height = height;
}

/* Push the function of a frame, unless it is on the stack already.  Returns false when out of memory. */
static inline bool push_caller(struct sites_hot *hot, uint32_t function, size_t frame)
{
	if (hot->functions[function].caller != SITES_NONE)
		return true;
	if (!array_room(&hot->callers, &hot->caller_capacity, hot->caller_count + 1, sizeof(*hot->callers)))
		return false;
	hot->functions[function].caller = (uint32_t)hot->caller_count;
	hot->callers[hot->caller_count++] = (struct hot_caller){.function = function,
	    .frame = (uint32_t)frame,
	    .pairs = SITES_NONE,
	    .since = hot->events,
	    .samples_before = hot->samples};
	return true;
}

/* Push the callers of the frames from hot->height up to `height`.  Those up to `valid` are in hot->frames
 * already. */
static bool push_callers(struct sites_hot *hot, const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event, size_t valid, size_t height)
{
	uint32_t *frames = hot->frames;
	size_t i = hot->height;

	/* The allocating frame of the last event may be a caller's frame now. */
	for (; i < height && i < valid; i++) {
		if (!push_caller(hot, frames[i], i))
			return false;
	}
	for (; i < height; i++) {
		const struct sites_code_slot *slot = get_place(hot, reader, event, i);
		if (slot == NULL)
			return false;
		frames[i] = slot->function;
		if (!push_caller(hot, frames[i], i))
			return false;
	}
	hot->height = i;
	return true;
}

/* Switch to the backtrace of an event.  Returns the place of the allocation, or SITES_NONE when out of memory. */
static uint32_t go_to(
    struct sites_hot *hot, const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	size_t valid = hot->valid < event->unchanged ? hot->valid : event->unchanged, depth = event->depth;

	if (hot->domain != event->domain)
		valid = 0;
	hot->domain = event->domain;
	hot->valid = 0;
	if (depth == 0) {
		pop_callers(hot, 0);
		return get_no_place(hot);
	}
	size_t height = depth - 1;
	pop_callers(hot, valid < height ? valid : height);
	if (!array_room(&hot->frames, &hot->frame_capacity, depth, sizeof(*hot->frames)) ||
	    !push_callers(hot, reader, event, valid, height))
		return SITES_NONE;
	const struct sites_code_slot *slot = get_place(hot, reader, event, height);
	if (slot == NULL)
		return SITES_NONE;
	hot->frames[height] = slot->function;
	hot->valid = depth;
	return slot->id;
}

/* ---- pairs ---- */

/* Drop the pairs that are used up.  Their sites must look at all callers again. */
static void sweep(struct sites_hot *hot)
{
	for (uint32_t p = 0; p < hot->pairs.used; p++) {
		if (hot->pairs.list[p].running)
			settle_pair(hot, &hot->pairs.list[p]);
	}
	sites_pairs_sweep(&hot->pairs);
	/* sites_pairs_sweep has reused the links of the dropped pairs, so rebuild the lists. */
	for (size_t i = 0; i < hot->caller_count; i++)
		hot->callers[i].pairs = SITES_NONE;
	for (uint32_t p = 0; p < hot->pairs.used; p++) {
		struct sites_pair *pair = &hot->pairs.list[p];
		if (!pair->running)
			continue;
		if (pair->order != 0) {
			run(hot, p, hot->functions[pair->a].caller);
			continue;
		}
		pair->running = false;
		hot->functions[pair->b].checked = 0;
	}
}

/* Count a block at a site with each of its callers one by one, innermost first, as the summary is defined. */
static void count_each(struct sites_hot *hot, uint32_t site)
{
	for (size_t i = hot->height; i-- > 0;) {
		struct hot_function *function = &hot->functions[hot->frames[i]];
		if (function->seen == hot->events)
			continue;
		function->seen = hot->events;
		if (!sites_pairs_add(&hot->pairs, hot->frames[i], site))
			sweep(hot);
	}
}

/* Add the `count` pairs of a site that check_callers found missing, in the same order as count_each. */
static void add_pairs(struct sites_hot *hot, uint32_t site, size_t count)
{
	for (size_t i = hot->height; count > 0 && i-- > 0;) {
		struct hot_function *function = &hot->functions[hot->frames[i]];
		if (function->seen != hot->events)
			continue;
		function->seen = 0;
		count--;
		run(hot, sites_pairs_insert(&hot->pairs, hot->frames[i], site), function->caller);
	}
}

/* Mark as running the pairs of a site with the callers pushed since its last check.  Returns the number of
 * callers whose pair with the site is not held; `seen` of these callers is set to this event. */
static size_t check_callers(struct sites_hot *hot, uint32_t site)
{
	size_t missing = 0;

	for (size_t i = hot->caller_count; i-- > 0;) {
		const struct hot_caller *caller = &hot->callers[i];
		if (caller->since <= hot->functions[site].checked)
			break;
		uint32_t place = sites_pairs_find(&hot->pairs, caller->function, site);
		if (place == SITES_NONE) {
			hot->functions[caller->function].seen = hot->events;
			missing++;
		} else if (!hot->pairs.list[place].running) {
			run(hot, place, (uint32_t)i);
		}
	}
	return missing;
}

/* Count a block at a site together with all of its callers.  Falls back to count_each when the pairs may not
 * fit. */
static void count_block(struct sites_hot *hot, uint32_t site)
{
	struct sites_pairs *pairs = &hot->pairs;
	size_t missing = check_callers(hot, site);

	if (missing > 0 && pairs->count == SITES_PAIRS_MAX && pairs->misses + missing < pairs->spent) {
		pairs->misses += missing;
		hot->functions[site].blocks++;
		return;
	}
	if (missing > 0 && pairs->count + missing > SITES_PAIRS_MAX) {
		hot->events++; /* so that no caller counts as seen */
		count_each(hot, site);
		return;
	}
	add_pairs(hot, site, missing);
	hot->functions[site].checked = hot->events;
	hot->functions[site].blocks++;
}

int sites_hot_event(
    struct sites_hot *hot, const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	if (event->kind != RTEV_MEMTRACE_ALLOC)
		return RTEV_OK;
	uint32_t samples = sites_samples(event);
	hot->events++;
	uint32_t place = go_to(hot, reader, event);
	hot->samples += samples;
	if (place == SITES_NONE) {
		pop_callers(hot, 0);
		return RTEV_E_NOMEM;
	}
	hot->places[place].samples += samples;
	count_block(hot, hot->places[place].function);
	return RTEV_OK;
}

const struct sites_function *sites_hot_function(const struct sites_hot *hot, uint32_t function)
{
	return &hot->names.functions[hot->functions[function].name];
}
