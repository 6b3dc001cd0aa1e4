/*
 * tracks_private.h - internals of a recording.  tracks.c begins and ends it and writes pauses of the target;
 * tracks_events.c writes events, code_tracks.c samples of the code, fiber_tracks.c fibers.
 *
 * The times of a recording are since boot, including the time that the machine was asleep: Perfetto takes
 * them for CLOCK_BOOTTIME, which system traces use.  Stamps are CLOCK_MONOTONIC, which stops while the
 * machine sleeps.  A *step* is the offset between the two clocks from a stamp on.
 */
#pragma once

#include "fibers/schedulers.h"
#include "record/tracks.h"
#include "record/trail.h"

#define RECORD_CLOCK_STEPS 16

struct record_clock {
	unsigned count;
	struct {
		uint64_t from, ahead;
	} steps[RECORD_CLOCK_STEPS];
};

/* From a stamp on, later than that of earlier steps, time since boot is ahead by this much.  Ignored if it is
 * less than RECORD_SLEEP_MIN_NS more than before.  When there is no room for a step, the oldest is dropped. */
void record_clock_step(struct record_clock *clock, uint64_t from, uint64_t ahead);

/* Time since boot of a stamp, at most UINT64_MAX. */
uint64_t record_clock_time(const struct record_clock *clock, uint64_t stamp);

/* Pass an event, whose times are stamps, to a sink. */
void record_clock_event(
    const struct record_clock *clock, struct record_sink *sink, const struct record_event *event);

#define RECORD_GAP_KINDS 3

struct record_domain {
	unsigned domain;
	struct record_spans spans;
	bool waits;	   /* the track of waits has been named */
	bool shown;	   /* an event has been written; spans.last is valid */
	bool falls;	   /* the next stamp may be earlier */
	bool gap;	   /* a gap lasts until the next event */
	uint64_t gap_from; /* begin of the gap; else it begins after the last event */
	bool gaps[RECORD_GAP_KINDS];
	uint64_t words[RECORD_GAP_KINDS];
};

struct tracks {
	struct record_sink *sink;
	struct model *model;
	struct record_trail *trail;  /* NULL: the sink has no place for it */
	struct fiber_tracks *fibers; /* NULL: there are no schedulers */
	struct code_tracks *code;    /* NULL: no samples have come */
	void (*subject)(void *ctx, struct record_subject *out);
	void *ctx;
	struct record_clock clock;
	bool started, clock_known, out_of_memory;
	uint64_t since;	    /* latest stamp before the recording began */
	uint64_t resumed;   /* latest resume known */
	uint64_t paused_to; /* end of the last target pause written */
	struct record_domain *domains[MODEL_DOMAINS_MAX];
};

/* Label of one of our own names. */
static inline struct record_label tracks_own(enum record_word number)
{
	return (struct record_label){.kind = RECORD_LABEL_WORD, .number = number};
}

/* Return an argument without a value. */
static inline struct record_arg tracks_flag(enum record_word name)
{
	return (struct record_arg){.name = tracks_own(name), .type = RECORD_ARG_BOOL, .value = 1};
}

/* Write the start of the file, once. */
void tracks_start(struct tracks *r);

/* Create the state of a domain, and its track; NULL if out of memory. */
struct record_domain *tracks_domain_new(struct tracks *r, unsigned domain);

/* The state of a domain; NULL if out of memory. */
static inline struct record_domain *tracks_domain_of(struct tracks *r, unsigned domain)
{
	if (domain < MODEL_DOMAINS_MAX && r->domains[domain] != NULL)
		return r->domains[domain];
	return tracks_domain_new(r, domain);
}

/* Close the open spans of a domain. */
void tracks_domain_finish(struct tracks *r, struct record_domain *d, uint64_t end);

/* Fill in the observer that writes events. */
void tracks_observer(struct tracks *r, struct model_observer *out);

/*
 * The tracks of samples of the code in a recording (code_tracks.c).
 *
 * Each sampled thread has a track of calls as nested slices, the outermost caller outside.  A sample stands
 * for the time since its thread's sample before, but at most for the time between two samples.  Calls that
 * successive samples have in common are one slice, which tells the number of its samples.  Between samples
 * that are further apart, nothing is drawn.
 *
 * All tables are bounded: further threads, and samples of too many threads at once, are left out.
 */

/* For a recording; NULL when memory ran out. */
struct code_tracks *code_tracks_create(struct tracks *record);

/* Take a note of samples (system_note.h), and write the slices that it completes.  Invalid bytes are ignored. */
void code_tracks_note(struct code_tracks *t, uint64_t ts, const void *data, size_t len);

/* Write the rest.  NULL is allowed, here and below. */
void code_tracks_finish(struct code_tracks *t);
void code_tracks_destroy(struct code_tracks *t);

/*
 * The tracks of fibers in a recording (fiber_tracks.c).
 *
 * Each domain with an event loop has a track of runs, named by path and span: "server/conn: report".  Each
 * fiber has a track during its life, which another fiber may use afterwards: a slice for the life, named by
 * the fiber's path, and in it one for each wait, named by operation and object.  A fiber without a free track
 * has its waits as asynchronous slices.  A flow leads from a fork to the first run of the child, and from
 * where a fiber gives something to where another fiber that waited for it gets it; both ends are in runs.
 * What a loss cut is left out, and fibers seen before it have another track after it.
 *
 * All tables are bounded, and no fiber is remembered beyond its track.
 */

/* Write the fibers of schedulers, which must outlive the result, to a recording.  NULL when memory ran out. */
struct fiber_tracks *fiber_tracks_create(struct tracks *record, struct schedulers *schedulers);

/* Write what is open at `end`, marked as open.  NULL is allowed, here and below. */
void fiber_tracks_finish(struct fiber_tracks *t, uint64_t end);
void fiber_tracks_destroy(struct fiber_tracks *t);
