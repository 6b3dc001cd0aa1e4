/*
 * sites.h - what the events of a memtrace file tell about allocation sites.
 *
 * A site is the function in which samples were allocated.  All figures are estimates from samples: each word
 * of an allocation was sampled with probability `rate`, so n samples stand for n / rate words, with a standard
 * error of sqrt(n (1 - rate)) / rate.
 *
 * Names belong to the reader that the events come from: it has to stay open as long as this is used.
 */
#ifndef SITES_SITES_H
#define SITES_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sites/names.h"
#include "sites/tree.h"
#include "rtev/memtrace.h"

struct sites;

/* What to take in. */
struct sites_options {
	size_t limit; /* nodes of the call tree, 0: 262144; see tree.h */
	int64_t from,
	    to; /* microseconds since the start: allocations outside are left out; both 0: none are */
	bool
	    no_callers; /* keep none: what is known of sites, codes and domains is exact, and alone takes memory */
};

/* Make an empty one.  `options` may be NULL.  RTEV_E_NOMEM. */
int sites_create(
    struct sites **out, const struct rtev_memtrace_info *info, const struct sites_options *options);
void sites_destroy(struct sites *sites);

/* Take in the event that the reader has just given.  RTEV_E_NOMEM: it has been left out. */
int sites_event(
    struct sites *sites, const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event);

/* Remember how things stand: what has been allocated and what is alive. */
void sites_mark(struct sites *sites);

/* What holds for the whole trace so far. */
struct sites_totals {
	struct sites_counts counts;
	double rate;	     /* samples for each word; 0 when the trace says nonsense */
	unsigned word_bytes; /* bytes of a word */
	bool marked;
	int64_t mark_time;    /* microseconds since the start, likewise below */
	int64_t last_time;    /* of the latest event */
	size_t live_objects;  /* sampled objects that are alive */
	size_t leaves, nodes; /* how large the tree is */
	bool pruned;	      /* some callers are not kept apart */
};

void sites_totals(const struct sites *sites, struct sites_totals *out);

/* The functions and codes by their numbers, and the tree, to look at until the next event. */
const struct sites_names *sites_names(const struct sites *sites);
const struct sites_tree *sites_tree(const struct sites *sites);

/* Which samples to look at: those whose backtrace has a function that fits; upper and lower case are alike. */
struct sites_filter {
	bool one_domain;
	uint16_t domain;
	const char *function; /* part of its name; NULL: any */
	const char *file;     /* part of its file's name; NULL: any */
};

/* By what rows are put together. */
enum sites_by { SITES_BY_FUNCTION, SITES_BY_CODE };

enum sites_order {
	SITES_ORDER_SAMPLES,
	SITES_ORDER_LIVE,
	SITES_ORDER_PROMOTED, /* share of what was allocated in the minor heap */
	SITES_ORDER_LIFETIME,
	SITES_ORDER_GROWTH /* of what is alive, since the mark */
};

struct sites_row {
	uint32_t site; /* function */
	uint32_t code; /* SITES_NONE when put together by function, or without backtrace */
	struct sites_counts counts;
};

/*
 * The sites that a filter (NULL: none) lets through, in descending order; equal ones in the order in which they
 * came up.  Free *out with free().  RTEV_E_NOMEM.
 */
int sites_table(const struct sites *sites, const struct sites_filter *filter, enum sites_by by,
    enum sites_order order, struct sites_row **out, size_t *count);

/* Say for each node of the tree whether a filter lets samples through that are counted there.  An array of
 * node_count, to be freed; NULL when memory ran out. */
bool *sites_filter_nodes(const struct sites *sites, const struct sites_filter *filter);

/* Print a function's name: "name", or "$code" without debug information.  Returns buf. */
enum { SITES_NAME_SIZE = 24 };
const char *sites_function_name(const struct sites_function *function, char buf[SITES_NAME_SIZE]);

#endif
