/*
 * hot.h - the hot spots of a trace: the functions that allocate most, where in them, and by way of which
 * callers.
 *
 * The rules are those of memtrace's own report, so that both agree: each frame counts as its innermost function;
 * a frame without debug information as the next of its two callers that has some; a function that is several
 * times in a backtrace counts once as a caller.  What is allocated by way of a caller is counted in sampled
 * blocks, all else in samples.
 */
#ifndef SITES_HOT_H
#define SITES_HOT_H

#include "sites/names.h"

struct sites_hot;

struct sites_hot_place {
	int32_t line, start_char, end_char; /* 0 without debug information */
	uint64_t samples;
};

struct sites_hot_caller {
	uint32_t function;
	uint64_t blocks;  /* sampled by way of it at this site */
	uint64_t samples; /* it takes part in, anywhere */
};

struct sites_hot_site {
	uint32_t function;
	uint64_t samples;
	struct sites_hot_place *places; /* that have samples, the most first */
	size_t place_count;
	struct sites_hot_caller *callers; /* that this site is typical for, the most first */
	size_t caller_count;
};

struct sites_hot_report {
	uint64_t samples; /* in all */
	struct sites_hot_site *sites;
	size_t count;
};

/* NULL when memory ran out. */
struct sites_hot *sites_hot_create(void);
void sites_hot_destroy(struct sites_hot *hot);

/* Take in the event that the reader has just given.  RTEV_E_NOMEM: it has been left out in part. */
int sites_hot_event(struct sites_hot *hot, const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event);

/* The sites with most samples, at most `most`.  Free with sites_hot_report_fini.  RTEV_E_NOMEM. */
int sites_hot_report(struct sites_hot *hot, size_t most, struct sites_hot_report *out);
void sites_hot_report_fini(struct sites_hot_report *report);

/* A function by its number. */
const struct sites_function *sites_hot_function(const struct sites_hot *hot, uint32_t function);

#endif
