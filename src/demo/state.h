/*
 * state.h - internals of the generated workload, shared by workload.c (rounds, requests) and gc.c
 * (collections).
 *
 * clock: the virtual time up to which the script of a domain is written.  Every function that makes a domain
 * act advances it.
 */
#ifndef DEMO_STATE_H
#define DEMO_STATE_H

#include "demo/workload.h"

#define WORD_BYTES 8
#define MINOR_HEAP_BYTES (256 * 1024 * WORD_BYTES) /* OCaml's default */

/* Steps of a request, at most: begin and end, three queries, a queue depth, an eviction, a log line. */
#define STEPS_MAX 12

/* A step of a request, `delay` after the step before it. */
struct step {
	uint64_t delay;
	int64_t value;
	enum script_kind kind;
};

/* A domain. */
struct actor {
	bool live;
	bool ending;	  /* takes no new request, then terminates */
	bool wants_wait;  /* will block on a condition after this request */
	bool waiting;	  /* blocks: only collections are recorded */
	bool interrupted; /* interrupt_remote is open */
	uint64_t revive;  /* round in which a terminated one may spawn again */
	unsigned wait_rounds;
	uint64_t clock;
	struct script script;

	/* The current request. */
	struct step steps[STEPS_MAX];
	unsigned step_count, step;
	uint64_t due; /* time of the next step, or of the next request */
	int64_t queue;

	/* The heap, in words unless the name says bytes. */
	uint64_t minor_bytes; /* allocated since the last minor collection */
	uint64_t pool, large; /* the major heap */
	uint64_t garbage;     /* the part of pool that sweeping will free */
	uint64_t since_slice; /* allocated in the major heap since the last slice */
	uint64_t blocks;      /* allocated in the major heap since the last flush */
	uint64_t big_blocks;  /* those of 100 words and more */
};

/* Phases of the major cycle. */
enum cycle_phase { CYCLE_SWEEP, CYCLE_MARK, CYCLE_MARKED, CYCLE_FINALISED };

struct workload {
	struct workload_options options;
	uint64_t random;
	struct actor *actors; /* options.domains of them */
	uint64_t round;	      /* number of this round */
	uint64_t now;	      /* end of the last round */
	double emitted;	      /* events recorded so far */
	double due;	      /* events that the rate asks for so far */
	double gc_events;     /* events of the last collection, an estimate for the next */
	double pace;	      /* mean time between a domain's own events in this round */
	uint64_t gc_scale;    /* mean duration of a minor collection in this round */

	enum cycle_phase cycle;
	unsigned cycle_rounds; /* rounds left in this phase of the cycle */
	unsigned sweep_rounds;
	uint64_t alloc_counter, work_counter; /* of the collector's pacing */

	bool out_of_memory;
	bool paused;
	uint64_t next_full, next_compact, next_pause, next_fork, next_wait, next_end; /* virtual times */
};

/* Random numbers: below n, and in a range. */
uint64_t random_below(struct workload *w, uint64_t n);
uint64_t random_between(struct workload *w, uint64_t low, uint64_t high);

/* A random duration of about `mean` with a long tail: mostly a tenth to twice the mean, rarely ten or a
 * hundred times. */
uint64_t random_long(struct workload *w, uint64_t mean);

/* Append an event at the domain's clock. */
void actor_put(struct workload *w, struct actor *a, enum script_kind kind, unsigned id, int64_t value);

/* Let a domain serve requests up to a time; for a blocked one only time passes. */
void actor_serve(struct workload *w, struct actor *a, uint64_t until);

/* When the program may next request a collection: `low` to `high` after `at`, later at a low rate. */
uint64_t gc_explicit_after(struct workload *w, uint64_t at, uint64_t low, uint64_t high);

/* Collect on all domains together, from a time on.  Sets the clock of each domain to its end.  Returns false
 * for a collection that the program requested. */
bool gc_collect(struct workload *w, uint64_t at);

#endif
