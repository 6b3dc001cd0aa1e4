/*
 * fxt_parser.h - what the tests of traces share: a sink in memory, a walk through a trace with the strict
 * reader, and an inspection of the events.
 *
 * The inspection knows what the format leaves to the viewer, as Perfetto has it: events are taken in the
 * order of their times (those of one time in the order written), and on each thread begin and end must nest,
 * as must complete durations; asynchronous slices are matched by id and name, whatever their process;
 * counters have numeric arguments; flows stand in slices.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rtev/fxt.h"
#include "rtev/fxt_reader.h"

/* Bytes that grow; all zeros is an empty one. */
struct fxt_sink {
	unsigned char *data;
	size_t size;
	size_t capacity;
	unsigned writes;
	int fail_with;	     /* if not RTEV_OK, what a write returns */
	unsigned fail_after; /* .. once so many writes went well */
};

/* The function for rtev_fxt_callback_create; ctx is the sink. */
int fxt_sink_write(void *sink, const void *data, size_t size);

/* Free the bytes; the sink is empty then. */
void fxt_sink_fini(struct fxt_sink *sink);

/* What a walk through a trace came to. */
struct fxt_walk {
	int status; /* RTEV_OK at the end of a good trace */
	uint64_t records;
	uint64_t offset; /* where it ended */
	const char *reason;
};

typedef void fxt_record_fn(void *ctx, const struct rtev_fxt_record *record);

/* Call fn (may be NULL) for each record of a trace; options as for the reader. */
struct fxt_walk fxt_walk_memory(const void *data, size_t size, const struct rtev_fxt_reader_options *options,
    fxt_record_fn *fn, void *ctx);
struct fxt_walk fxt_walk_fd(
    int fd, const struct rtev_fxt_reader_options *options, fxt_record_fn *fn, void *ctx);

/* What the inspection found. */
struct fxt_findings {
	uint64_t events[RTEV_FXT_FLOW_END + 1]; /* by type */
	uint64_t open_begins;			/* durations begun and never ended */
	uint64_t stray_ends;			/* ended and never begun */
	uint64_t misnamed_ends;			/* the innermost open duration has another name */
	uint64_t overlaps;			/* complete durations that end after the one around them */
	uint64_t backward;			/* complete durations that end before they start */
	uint64_t open_asyncs, stray_asyncs;
	uint64_t crossed_asyncs; /* begun while one of the same name and id was open */
	uint64_t bad_counters;	 /* without arguments, or with one that is no number */
	uint64_t stray_flows;	 /* outside of every duration */
};

struct fxt_inspection;

/* Begin an inspection; pass each record to fxt_inspect, which fits fxt_record_fn. */
struct fxt_inspection *fxt_inspection_create(void);
void fxt_inspect(void *inspection, const struct rtev_fxt_record *record);

/* Judge what was passed. */
struct fxt_findings fxt_inspection_finish(struct fxt_inspection *inspection);

/* How many events have this type and name; with a name of NULL, any name. */
uint64_t fxt_inspection_count(
    const struct fxt_inspection *inspection, enum rtev_fxt_event_type type, const char *name);

void fxt_inspection_destroy(struct fxt_inspection *inspection);
