/*
 * hot_private.h - the state of the report of hot spots.
 */
#ifndef SITES_HOT_PRIVATE_H
#define SITES_HOT_PRIVATE_H

#include "sites/hot.h"
#include "sites/pairs.h"

/* Functions are numbered as they come up. */
struct hot_function {
	uint32_t name;	  /* its number among the names */
	uint64_t samples; /* it is a caller in */
	uint64_t seen;	  /* the last event that it was counted in */
};

/* What a location code stands for. */
struct hot_place {
	uint32_t function;
	const struct rtev_memtrace_location *location; /* NULL without debug information */
	uint64_t samples;			       /* allocated there */
};

/* A domain's last backtrace. */
struct hot_stack {
	uint32_t *functions;
	size_t capacity, valid;
};

struct sites_hot {
	struct sites_names names;
	struct hot_function *functions;
	size_t function_count, function_capacity;
	struct hot_place *places;
	size_t place_count, place_capacity;
	struct sites_index by_name, by_code;
	struct sites_pairs pairs; /* caller and site */
	uint64_t samples, events;
	struct hot_stack *stacks; /* of the domains, as they come up */
	size_t stack_count, stack_capacity;
	struct sites_index by_domain;
};

#endif
