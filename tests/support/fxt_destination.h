/*
 * fxt_destination.h - a writer of traces, and events for it, for the tests of where they go.
 */
#pragma once

#include "support/fxt_parser.h"
#include "support/test.h"

struct names {
	rtev_fxt_string cat, name;
	rtev_fxt_thread thread;
};

/* Make a writer. */
static inline struct rtev_fxt_writer *make(struct rtev_fxt_destination *destination, struct names *n)
{
	struct rtev_fxt_writer *w;
	CHECK_INT(rtev_fxt_writer_create(&w, destination, NULL), RTEV_OK);
	CHECK_INT(rtev_fxt_intern(w, "cat", 3, &n->cat), RTEV_OK);
	CHECK_INT(rtev_fxt_intern(w, "name", 4, &n->name), RTEV_OK);
	CHECK_INT(rtev_fxt_set_thread_slot(w, 0, 10, 11, &n->thread), RTEV_OK);
	return w;
}

/* Write an event whose size depends on i. */
static inline int write_event(struct rtev_fxt_writer *w, const struct names *n, uint64_t i)
{
	int status;
	if (i % 3 == 0)
		return rtev_fxt_instant(w, RTEV_FXT_NO_ARGS, n->thread, n->cat, n->name, i);
	if (i % 3 == 1)
		return rtev_fxt_duration_complete(w, RTEV_FXT_NO_ARGS, n->thread, n->cat, n->name, i, i + 1);
	status = rtev_fxt_counter(w, RTEV_FXT_INT64, n->thread, n->cat, n->name, i, 1);
	return status != RTEV_OK ? status : rtev_fxt_arg_int64(w, n->name, (int64_t)i);
}

/* Write events until one fails; returns its status and the number of those that did not. */
static inline int write_until_failure(struct rtev_fxt_writer *w, const struct names *n, uint64_t *written)
{
	int status = RTEV_OK;
	for (*written = 0; *written < 10000000; ++*written) {
		status = write_event(w, n, *written);
		if (status != RTEV_OK)
			break;
	}
	return status;
}

/* After a failure everything is refused, the failure can be asked for, and closing does not repeat it. */
static inline void check_stopped(struct rtev_fxt_writer *w, const struct names *n, int failure)
{
	CHECK_INT(write_event(w, n, 0), RTEV_E_FXT_STOPPED);
	CHECK_INT(rtev_fxt_writer_flush(w), RTEV_E_FXT_STOPPED);
	CHECK_INT(rtev_fxt_writer_failure(w), failure);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_failure(w), failure);
	rtev_fxt_writer_destroy(w);
}

/* Count the events of a trace that must be good. */
static inline uint64_t count_events(const void *data, size_t size)
{
	struct fxt_inspection *inspection = fxt_inspection_create();
	struct fxt_walk walk = fxt_walk_memory(data, size, NULL, fxt_inspect, inspection);
	if (walk.status != RTEV_OK)
		TEST_FAIL("%s at byte %" PRIu64, walk.reason, walk.offset);
	uint64_t count = fxt_inspection_count(inspection, RTEV_FXT_INSTANT, NULL) +
			 fxt_inspection_count(inspection, RTEV_FXT_DURATION_COMPLETE, NULL) +
			 fxt_inspection_count(inspection, RTEV_FXT_COUNTER, NULL);
	fxt_inspection_destroy(inspection);
	return count;
}
