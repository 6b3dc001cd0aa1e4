/*
 * code_watch.h - what code a target under observation executes: samples of it, joined with the collector's pauses.
 *
 * A sample is settled once all events of its time have come: then it is known whether its domain was in a pause.
 */
#pragma once

#include "calls/profile.h"
#include "code/profiler.h"
#include "model/model.h"
#include "record/code_note.h"

struct code_watch;

/* NULL when memory ran out.  The model outlives it. */
struct code_watch *code_watch_create(struct model *model);
void code_watch_destroy(struct code_watch *w);

/* Sample a process from now on; one that is sampled already is, anew.  A thread learns what that needs to know of the
 * process, which may take seconds: later turns take it up.  False when there can be no thread. */
bool code_watch_start(struct code_watch *w, const struct profiler_options *options);

/* Take up what the thread has come to, if it has ended, or with `wait` at its end; and bring up to date why not all of
 * the process is seen.  True: sampling has just begun, or refusal->error says why it can't. */
bool code_watch_begun(struct code_watch *w, bool wait, struct code_refusal *refusal);

/* Which locks threads wait for, as seen last. */
void code_watch_locks(struct code_watch *w, const struct lock_place *places, size_t count);

/* Stop that; what was sampled stays. */
void code_watch_stop(struct code_watch *w);

/* Take what was sampled, and settle what is older than `watermark`: all events up to it have been delivered. */
void code_watch_turn(struct code_watch *w, uint64_t watermark);

struct profile *code_watch_profile(struct code_watch *w);

/* Write the samples that were settled since the last call as notes of a recording (record/code_note.h). */
void code_watch_note(struct code_watch *w, system_note_put *put, void *ctx);

/* Take such a note. */
void code_watch_take(struct code_watch *w, uint64_t ts, const void *data, size_t len);

/* How samples are taken. */
struct code_watch_state {
	bool on;
	unsigned hz;
	uint64_t lost;	    /* samples that the kernel had no room for, or we none */
	uint64_t late;	    /* samples read late, whose callers show long calls too often */
	uint64_t real_time; /* samples of threads of real-time priority, mostly without callers */
	unsigned left_out;  /* threads that were not sampled */
	double own, target; /* processors that sampling takes, of us and of the target; NAN: not known */
	const char
	    *names; /* what of the program's symbols is left out, a clause in static storage; NULL: nothing */
};
void code_watch_state(struct code_watch *w, struct code_watch_state *out);
