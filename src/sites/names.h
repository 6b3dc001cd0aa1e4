/*
 * names.h - the functions and location codes of backtraces, numbered in the order in which they are first
 * seen.
 *
 * A code denotes one function, or several that were inlined into each other, outermost first.  A code without
 * debug information is a function of its own.
 */
#pragma once

#include "sites/index.h"
#include "rtev/memtrace.h"

/* Numbers of pseudo-functions. */
enum {
	SITES_UNKNOWN = 0, /* of an allocation without backtrace */
	SITES_OTHER = 1	   /* callers that are not kept separately */
};

struct sites_function {
	const char *file; /* "" when unknown */
	const char *name; /* NULL: a code without debug information */
	int64_t code;	  /* the code, if `name` is NULL */
};

struct sites_code {
	int64_t code;
	const struct rtev_memtrace_location *locations; /* outermost first */
	uint32_t count;					/* number of locations, 0 without debug information */
	uint32_t first; /* index of its first function in `frames`; it has `count` functions, at least 1 */
};

struct sites_names {
	struct sites_function *functions;
	size_t function_count, function_capacity;
	struct sites_code *codes;
	size_t code_count, code_capacity;
	uint32_t *frames; /* functions */
	size_t frame_count, frame_capacity;
	struct sites_set by_name; /* file and name to function */
	struct sites_codes by_code;
};

/* Initialise a table with the pseudo-functions.  Returns false when out of memory.  sites_names_fini may be
 * called in either case. */
bool sites_names_init(struct sites_names *names);
void sites_names_fini(struct sites_names *names);

/* Add a new code.  Its names belong to the reader.  Returns false when out of memory. */
bool sites_names_add(struct sites_names *names, const struct rtev_memtrace_reader *reader, int64_t code);

/* Find or add a code.  The slot has its number and its function, SITES_NONE if it has several.  Returns NULL
 * when out of memory. */
static inline const struct sites_code_slot *sites_names_slot(
    struct sites_names *names, const struct rtev_memtrace_reader *reader, int64_t code)
{
	const struct sites_code_slot *slot = sites_codes_find(&names->by_code, code);

	if (slot != NULL)
		return slot;
	return sites_names_add(names, reader, code) ? sites_codes_find(&names->by_code, code) : NULL;
}

/* Find or add a code and return its number; SITES_NONE when out of memory. */
static inline uint32_t sites_names_code(
    struct sites_names *names, const struct rtev_memtrace_reader *reader, int64_t code)
{
	const struct sites_code_slot *slot = sites_names_slot(names, reader, code);

	return slot != NULL ? slot->id : SITES_NONE;
}

/* The samples of an allocation as they are counted.  No tracer writes a number that is negative or above 32
 * bits; it is clamped, so that sums do not overflow. */
static inline uint32_t sites_samples(const struct rtev_memtrace_event *event)
{
	return event->samples <= 0 ? 0 : event->samples < UINT32_MAX ? (uint32_t)event->samples : UINT32_MAX;
}

/* The functions of a code; *count is their number. */
static inline const uint32_t *sites_names_frames(
    const struct sites_names *names, uint32_t code, uint32_t *count)
{
	const struct sites_code *c = &names->codes[code];

	*count = c->count > 0 ? c->count : 1;
	return names->frames + c->first;
}
