/*
 * observation.h - a target under observation with what is kept of it: the model of its events, what follows
 * the model through time, samples of its process, and findings.
 *
 * A caller says which parts it wants and takes turns; it never connects them.  The target is an open session,
 * or a recording, whose events and notes the caller feeds into `trail`.
 */
#pragma once

#include "advice/headline.h"
#include "advice/lock_rows.h"
#include "observation/code_watch.h"
#include "fibers/schedulers.h"
#include "model/model.h"
#include "record/recording.h"
#include "record/system_note.h"
#include "session/session.h"
#include "target/events_paused.h"
#include "target/locks.h"
#include "target/ocaml_settings.h"
#include "target/runtime.h"
#include "target/runtime_threads.h"
#include "target/sampler.h"
#include "trail/reader.h"
#include "watch/watch.h"

#define MEMORY_EVERY_NS 10000000000u

enum observation_part {
	OBSERVE_SYSTEM = 1,  /* samples of the process, and the settings of its runtime */
	OBSERVE_ADVICE = 2,  /* findings, and with them OBSERVE_SYSTEM and the stops of the world */
	OBSERVE_PATHS = 4,   /* the tree of phases */
	OBSERVE_FIBERS = 16, /* the fibers of the program's scheduler */
	OBSERVE_MEMORY = 32, /* the parts of the process's memory, read at the end */
	OBSERVE_WATCH = 8,   /* all that the views draw: a watch, and all of the above except the findings */
};

struct observation_options {
	struct session *session;	 /* outlives the observation; NULL: a recording */
	const struct trail_about *about; /* of the recording; outlives the observation */
	unsigned parts;			 /* enum observation_part */
	bool whole;			 /* findings cover all time observed, not only the latest window */
	/* Without a watch: a process is read from now on, as RTEV_START_NEWEST does.  What its rings hold from
	 * before tells which domains there are and how large their heaps are. */
	bool newest;
	/* Without a watch: one of many targets.  It keeps little, and observation_step alone sets the time, asks
	 * whether the target has paused its events, and judges. */
	bool many;
	size_t model_bytes;    /* limit of the model's memory; 0: its default */
	size_t history_budget; /* of a watch; 0: its default */
	uint64_t judge_ns;     /* least time between two judgements of findings; 0: as the advice does */
	system_note_put *put;  /* gets samples, settings and pauses as notes of a recording; NULL: nobody */
	void *put_ctx;
};

/* The program for which something was made, identified by the process and its number of execs; all zero: none. */
struct program {
	pid_t pid;
	unsigned execs;
};

/* How a process is sampled; all zero: nothing has been yet. */
struct session_system {
	struct sampler *sampler; /* NULL: none */
	pid_t pid;
	bool other;			/* the last sample is the first of this process */
	struct ocaml_reader *reader;	/* NULL: none yet */
	struct program read;		/* the program that `reader` is for */
	uint64_t minor_heap;		/* words of the largest, as last read in memory; 0: never read */
	struct ocaml_settings settings; /* as last read */
	bool has_settings;
};

/* How the target is asked whether it records events; all zero: it was not asked yet. */
struct session_tracing {
	struct tracing *tracing; /* NULL: can't be asked */
	struct program program;
};

/* What the target's memory says of its runtime, whether it records events or not. */
struct observation_counters {
	struct runtime_sample sample; /* the latest; its ts is 0 when nothing is known now */
	const char
	    *why; /* why nothing is known, as a clause in static storage; "": it is, or was not looked at */
	bool refused; /* nothing is known because reading memory is not permitted */

	/* Of the program that the process runs, valid until the next observation_count; NULL: nothing can be read. */
	struct runtime *runtime;

	const char *told; /* `told` of struct runtime_layout */

	/* Private. */
	struct runtime_threads *threads;
	struct locks *locks; /* NULL: not looked at, or they can't be */
	const char
	    *locks_why;	   /* why the last look saw nothing, as a clause in static storage; NULL: it did */
	uint64_t locks_ts; /* of the next look at them */
	struct program program;
	char version[IMAGE_VERSION_SIZE]; /* the version that `runtime` was made for */
	uint64_t looked_ts;
};

/* How the code of the process is sampled; all zero: it is not. */
struct observation_code {
	unsigned hz;		     /* 0: do not sample */
	struct code_watch *watch;    /* NULL: it was never sampled */
	struct program program;	     /* the program that is sampled, or can't be, as `refusal` says */
	bool asked;		     /* sampling of that program was asked for, and has not begun yet */
	struct code_refusal refusal; /* its error is 0: none */
	uint64_t noted_ts;	     /* when samples were last noted */
};

/* Read by everybody, written by the functions below alone.  Parts that were not asked for are NULL. */
struct observation {
	struct observation_options options;
	struct session *session;
	struct model *model;
	struct watch *watch;
	struct stw *stw;
	struct paths *paths;
	struct system_past *past;
	struct lock_past *locks; /* looks at locks, for findings */
	struct advice *advice;
	struct schedulers *schedulers;
	struct trail_sink trail; /* of a recording: feed it */
	bool live;		 /* events of a process come or came as it wrote them; else of a ring file */
	uint64_t watermark;	 /* all events stamped earlier have been delivered */
	bool off;		 /* it has no ring; its memory may tell what it counts (growth.c) */
	enum tracing_state tracing; /* what the target said last; it can't be asked once it has ended */
	struct observation_counters counters; /* as of the last observation_count */

	/* Private. */
	struct session_sink sink;
	struct system_notes *notes; /* NULL: a session */
	struct session_system system;
	struct session_tracing asked;
	struct memory_reading *memory; /* NULL: never begun */
	struct lock_names *lock_names; /* NULL: never begun */
	struct observation_code code;
	struct growth *growth;		 /* NULL: a recording or a file */
	const struct runtime *growth_of; /* whose samples it has taken; only compared */
	bool growth_each;		 /* that is one of OCaml 5.0 (growth.c) */
	struct minor_size minor_size;
	uint64_t asked_ts, sampled_ts, judged_ts, levels_ts;
	struct headline_shown shown;
	bool finished;
	uint64_t step_events; /* of the model, at the last step */
	bool noted_paused;
};

/* Return how the OCaml version of a session is known; for a release newer than the known ones, as which release it is read.
 * `o` NULL: nothing was read.  Static storage. */
const char *observation_ocaml_from(const struct observation *o, const struct session *session);

/* NULL when memory ran out. */
struct observation *observation_create(const struct observation_options *options);
void observation_destroy(struct observation *o);

/* Sample the process if that is due, take a turn of the session, and bring up to date what does not wait for a
 * redraw.  session_check belongs before it.  `events` (may be NULL) is the number of events delivered.  Returns true if there is more
 * to read at once. */
bool observation_turn(struct observation *o, uint64_t now, uint64_t *events);

/* Set the time, and bring everything up to date: the watch's series, stops up to the watermark, findings.  A
 * recording has delivered all events up to `now`. */
void observation_advance(struct observation *o, uint64_t now);

/* Sample the process now, and write notes of it, whether that is due or not. */
void observation_sample(struct observation *o, uint64_t now);

/* For a redraw: look at the runtime's counters in the target's memory, unless that was done in the last tenth of a
 * second. */
void observation_count(struct observation *o, uint64_t now);

/* Read the parts of the process's memory, at most every MEMORY_EVERY_NS; with `wait`, read them now and return with the
 * result. */
void observation_memory(struct observation *o, uint64_t now, bool wait);

/* End a step of one of many at `now`: set the time as far as all events have come, ask a target that was silent
 * since the last step whether it has paused its events, sample the process if that is due, and judge. */
void observation_step(struct observation *o, uint64_t now);

/* No more events will come: take the last sample, and finish all parts. */
void observation_finish(struct observation *o);

/* Sample the code of the process from now on, `hz` times in a second of a thread's processor time; 0: stop sampling.  If the
 * process executes another program, that is sampled, too.  Sampling begins in a later turn; with `wait`, before this returns
 * if the process has begun.  False with code.refusal, or when memory ran out. */
bool observation_sample_code(struct observation *o, unsigned hz, bool wait);

/* Return the samples of the code of the process; NULL: it was never sampled. */
struct profile *observation_profile(const struct observation *o);

/* Why its locks are not known, as a clause in static storage; NULL: they were looked at. */
const char *observation_locks_why(const struct observation *o);

/* Fill in what the looks of the last minute show of its locks, without the functions (lock_table_code). */
void observation_locks(const struct observation *o, struct lock_table *out);

/* Which symbols and tables of the process were too large to be read, so that functions lack names: a clause; NULL: none. */
const char *observation_names_left_out(const struct observation *o);

/* Return the sentence about the target's state that is shown at `now`; once finished, the final one.  Valid until the next
 * call. */
const struct headline *observation_headline(struct observation *o, uint64_t now);

/* Give back the memory that only more events would need, after observation_finish, of an observation without a
 * watch.  Totals and findings stay. */
void observation_give_back(struct observation *o);

/* Why the target can't say whether it records, as a clause; NULL if it can. */
const char *observation_tracing_why(const struct observation *o);

/* Whether the target records no events, and never did while it was observed: what needs them is not known. */
bool observation_eventless(const struct observation *o);

/* Why the counters of a target without events can't be read in its memory, as a clause, and a remedy (NULL: none); NULL:
 * they can, or events come. */
const char *observation_untold(const struct observation *o, const char **remedy);

/* The target's own answer to whether it has paused its events. */
static inline bool observation_paused(const struct observation *o)
{
	return o->tracing == TRACING_PAUSED;
}

/* The session as the source of a recording. */
struct recording_source observation_source(struct observation *o);
