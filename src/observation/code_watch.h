/*
 * code_watch.h - what code a target under observation executes: samples of it, joined with the collector's pauses.
 *
 * A sample is settled once all events of its time have come: then it is known whether its domain was in a pause.
 */
#pragma once

#include "calls/profile.h"
#include "code/profiler.h"
#include "model/model.h"
#include "record/system_note.h"

struct code_watch;

/* NULL when memory ran out.  The model outlives it. */
struct code_watch *code_watch_create(struct model *model);
void code_watch_destroy(struct code_watch *w);

/* Sample a process from now on; sampling that is under way ends first.  A thread of its own reads the symbols of the
 * process, which may take seconds; code_watch_begun takes up its result.  False: that thread could not be started. */
bool code_watch_start(struct code_watch *w, const struct profiler_options *options);

/* Take up the result of the thread that code_watch_start started, if it has ended; with `wait`, wait for that.  Update the
 * reason why not all of the process is seen.  True: sampling has just begun, or refusal->error says why it can't. */
bool code_watch_begun(struct code_watch *w, bool wait, struct code_refusal *refusal);

/* Set the locks that threads were last seen waiting for: samples are marked that wait for one of them or hold one. */
void code_watch_locks(struct code_watch *w, const struct lock_place *places, size_t count);

/* Stop sampling; the samples taken so far stay in the profile. */
void code_watch_stop(struct code_watch *w);

/* Take the samples since the last call, and settle those older than `watermark`, up to which all events have been delivered. */
void code_watch_turn(struct code_watch *w, uint64_t watermark);

struct profile *code_watch_profile(struct code_watch *w);

/* Write the samples that were settled since the last call as notes of a recording (record/system_note.h). */
void code_watch_note(struct code_watch *w, system_note_put *put, void *ctx);

/* Take a note that code_watch_note wrote. */
void code_watch_take(struct code_watch *w, uint64_t ts, const void *data, size_t len);

/* How samples are taken. */
struct code_watch_state {
	bool on;
	unsigned hz;
	uint64_t lost;	    /* samples for which the kernel or we had no room */
	uint64_t late;	    /* samples read late, whose callers show long calls too often */
	uint64_t real_time; /* samples of threads of real-time priority, mostly without callers */
	unsigned left_out;  /* threads that were not sampled */
	double own, target; /* processors that sampling costs us and the target; NAN: not known */
	const char
	    *names; /* which of the program's symbols are left out, a clause in static storage; NULL: none */
	bool slow;  /* its readers may not raise their priority */
};
void code_watch_state(struct code_watch *w, struct code_watch_state *out);
