/*
 * sites.h - statistics of allocation sites from the events of a memtrace file.
 *
 * A site is the function in which samples were allocated.  All figures are estimates from samples: each word
 * of an allocation was sampled with probability `rate`, so n samples stand for n / rate words, with a
 * standard error of sqrt(n (1 - rate)) / rate.
 *
 * Names belong to the reader that the events come from.  The reader must stay open as long as the struct
 * sites is used.
 */
#pragma once

#include "sites/names.h"
#include "sites/tree.h"
#include "rtev/memtrace.h"

struct sites;

/* Which events to count, and how. */
struct sites_options {
	size_t limit; /* maximum number of nodes of the call tree, 0: 262144; see tree.h */
	/* Microseconds since the start; allocations outside are left out; both 0: no limits. */
	int64_t from, to;
	/* Keep no callers: only sites, codes and domains take memory, and their counts are exact. */
	bool no_callers;
};

/* Create an empty struct sites.  `options` may be NULL.  Fails with RTEV_E_NOMEM. */
int sites_create(
    struct sites **out, const struct rtev_memtrace_info *info, const struct sites_options *options);
void sites_destroy(struct sites *sites);

/* Add the event that the reader has just returned.  On RTEV_E_NOMEM the event is left out. */
int sites_event(
    struct sites *sites, const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event);

/* Set the mark: remember what has been allocated so far and what is alive. */
void sites_mark(struct sites *sites);

/* Figures for the whole trace so far. */
struct sites_totals {
	struct sites_counts counts;
	double rate;	     /* samples for each word; 0 when the trace gives an invalid rate */
	unsigned word_bytes; /* bytes of a word */
	bool marked;
	int64_t mark_time;    /* microseconds since the start, like last_time */
	int64_t last_time;    /* time of the latest event */
	size_t live_objects;  /* sampled objects that are alive */
	size_t leaves, nodes; /* size of the tree */
	bool pruned;	      /* the tree has been pruned: some callers are not kept separately */
};

void sites_totals(const struct sites *sites, struct sites_totals *out);

/* The functions and codes by their numbers, and the tree.  The pointers are valid until the next event. */
const struct sites_names *sites_names(const struct sites *sites);
const struct sites_tree *sites_tree(const struct sites *sites);

/* Selects the samples whose backtrace has a matching function.  Case is ignored. */
struct sites_filter {
	bool one_domain;
	uint16_t domain;
	const char *function; /* substring of its name; NULL: any */
	const char *file;     /* substring of the name of its file; NULL: any */
};

/* How samples are grouped into rows. */
enum sites_by { SITES_BY_FUNCTION, SITES_BY_CODE };

enum sites_order {
	SITES_ORDER_SAMPLES,
	SITES_ORDER_LIVE,
	SITES_ORDER_PROMOTED, /* promoted share of the samples allocated in the minor heap */
	SITES_ORDER_LIFETIME,
	SITES_ORDER_GROWTH /* growth of the live samples since the mark */
};

struct sites_row {
	uint32_t site; /* function */
	uint32_t code; /* SITES_NONE when grouped by function, or without backtrace */
	struct sites_counts counts;
};

/*
 * Make the rows of the sites that pass a filter (NULL: all), in descending order; equal rows are in the order
 * in which they first occurred.  Free *out with free().  Fails with RTEV_E_NOMEM.
 */
int sites_table(const struct sites *sites, const struct sites_filter *filter, enum sites_by by,
    enum sites_order order, struct sites_row **out, size_t *count);

/* Tell for each node of the tree whether samples counted there pass a filter.  Returns an array of
 * node_count, which the caller frees, or NULL when out of memory. */
bool *sites_filter_nodes(const struct sites *sites, const struct sites_filter *filter);

/* The name of a function: its own, or "$code", printed into buf, without debug information. */
enum { SITES_NAME_SIZE = 24 };
const char *sites_function_name(const struct sites_function *function, char buf[SITES_NAME_SIZE]);
