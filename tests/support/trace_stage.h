/*
 * trace_stage.h - a memtrace file of the test data on a screen: alone, or beside the made-up target of
 * ui_story.
 */
#pragma once

#include "support/test_memtrace_data.h"
#include "support/ui_story.h"

struct trace_stage {
	struct stage stage; /* its subject has the trace; alone, it has neither story nor watch */
	bool alone;
	struct bytes file;
	struct rtev_memtrace_reader *reader;
	struct sites *sites;
	struct subject_trace trace;
};

/* Put a file on the screen, with nothing of it read yet. */
void trace_stage_init(struct trace_stage *t, const char *name, bool alone, int rows, int cols);
void trace_stage_fini(struct trace_stage *t);

/* Take in at most so many events more, and draw. */
void trace_stage_read(struct trace_stage *t, uint64_t events);

/* Carry out what the ui has asked for, as the app does; returns whether it asked for a mark. */
bool trace_stage_requests(struct trace_stage *t);

/* Press the keys of a text, as stage_type, and carry out what they ask for. */
void trace_stage_type(struct trace_stage *t, const char *text);
