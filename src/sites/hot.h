/*
 * hot.h - the hot spots of a trace: the functions that allocate most, the places in them, and their callers.
 *
 * The rules are those of memtrace's own report, so that both agree.  Each frame counts as its innermost
 * function.  A frame without debug information counts as the nearer of its next two callers that has some.  A
 * function that appears several times in a backtrace counts once as a caller.  Allocations through a caller
 * are counted in sampled blocks, everything else in samples.
 */
#pragma once

#include "sites/names.h"

struct sites_hot;

struct sites_hot_place {
	int32_t line, start_char, end_char; /* 0 without debug information */
	uint64_t samples;
};

struct sites_hot_caller {
	uint32_t function;
	uint64_t blocks;  /* blocks sampled at this site through this caller */
	uint64_t samples; /* samples at any site through this caller */
};

struct sites_hot_site {
	uint32_t function;
	uint64_t samples;
	const struct sites_hot_place *places; /* places with samples, by descending samples */
	size_t place_count;
	const struct sites_hot_caller
	    *callers; /* callers that this site is typical for, by descending blocks */
	size_t caller_count;
};

struct sites_hot_report {
	uint64_t samples; /* total */
	struct sites_hot_site *sites;
	size_t count;
	struct sites_hot_place *places; /* of all sites, as the callers are */
	struct sites_hot_caller *callers;
};

/* Returns NULL when out of memory. */
struct sites_hot *sites_hot_create(void);
void sites_hot_destroy(struct sites_hot *hot);

/* Add the event that the reader has just returned.  On RTEV_E_NOMEM the event is counted only in part. */
int sites_hot_event(struct sites_hot *hot, const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event);

/* Report at most `most` sites, those with the most samples.  Free with sites_hot_report_fini.  Fails with
 * RTEV_E_NOMEM. */
int sites_hot_report(struct sites_hot *hot, size_t most, struct sites_hot_report *out);
void sites_hot_report_fini(struct sites_hot_report *report);

/* Look up a function by its number. */
const struct sites_function *sites_hot_function(const struct sites_hot *hot, uint32_t function);
