/*
 * state.h - internals of the generated workload, shared by workload.c (rounds, requests) and collection.c.
 *
 * clock: the virtual time up to which the script of a domain is written.  Every function that makes a domain
 * act advances it.
 */
#pragma once

#include "demo/demo.h"
#include "demo/workload.h"

#define MINOR_HEAP_BYTES (256 * 1024 * 8) /* OCaml's default */

/* What happens now and then. */
enum timer { TIMER_EXPLICIT, TIMER_PAUSE, TIMER_FORK, TIMER_WAIT, TIMER_END, TIMER_STALL, TIMERS };

/* The domains that play a part of a collection: some of them, or all in a phase of the major cycle. */
enum role {
	ALL = 0,
	LEADER = 1,
	OTHERS = 2,
	INTERRUPTED = 4, /* a domain that also records interrupt_remote */
	SWEEPING = 8,
	MARKING = 16,
	MARKED = 32,
	FINALISED = 64,
	COMPACTING = 128,
};

/* A domain. */
struct actor {
	bool live;
	unsigned roles;	      /* in this collection: LEADER to INTERRUPTED */
	unsigned wait_rounds; /* rounds for which it blocks on a condition and records only collections */
	uint64_t revive;      /* round from which on a terminated domain may spawn again */
	uint64_t clock;
	struct script script;

	/* The current request. */
	unsigned step; /* of request_steps; 0: between two requests */
	uint64_t due;  /* time of this step */
	uint64_t work; /* mean duration of the request */
	int64_t queue;
	int64_t fiber;	  /* fiber that serves this request, or served the last one */
	unsigned context; /* context of this domain's fibers; 0: none yet */

	/* The heap, in words unless the name says bytes. */
	uint64_t minor_bytes; /* allocated since the last minor collection */
	uint64_t promoted;    /* by the last minor collection */
	uint64_t pool, large; /* the major heap */
	uint64_t garbage;     /* the part of pool that sweeping will free */
	uint64_t since_slice; /* allocated in the major heap since the last slice */
	uint64_t blocks;      /* allocated in the major heap since the last flush */
	uint64_t big_blocks;  /* those blocks of 100 words and more */
	uint64_t scale;	      /* duration of the current part of a collection */
};

struct workload {
	struct workload_options options;
	uint64_t random;
	struct actor actors[DEMO_DOMAINS_MAX];
	uint64_t round;	   /* number of this round */
	uint64_t now;	   /* end of the last round */
	double emitted;	   /* events recorded so far */
	double due;	   /* events that the rate asks for so far */
	double gc_events;  /* events of the last collection, an estimate for the next */
	double pace;	   /* mean time between a domain's own events in this round */
	uint64_t gc_scale; /* mean duration of a minor collection in this round */

	int64_t contexts, fibers; /* numbers of contexts and fibers made so far */
	unsigned stalls;	  /* begun so far */

	unsigned cycle;			      /* phase of the major cycle: SWEEPING to COMPACTING */
	unsigned requested;		      /* collections still requested */
	unsigned cycle_rounds;		      /* rounds left in this phase of the cycle */
	uint64_t alloc_counter, work_counter; /* of the collector's pacing */

	struct actor *leader; /* the domain that stopped the world */
	uint64_t stopped;     /* when the world was stopped */

	bool out_of_memory;
	bool paused;
	uint64_t next[TIMERS]; /* virtual times */
};

/* Random numbers: below n, and in a range. */
uint64_t random_below(struct workload *w, uint64_t n);
uint64_t random_between(struct workload *w, uint64_t low, uint64_t high);

/* A random duration of about `mean` with a long tail: mostly a tenth to twice the mean, rarely ten or a
 * hundred times. */
uint64_t random_long(struct workload *w, uint64_t mean);

/* Append an event at the domain's clock. */
void actor_put(struct workload *w, struct actor *a, enum script_kind kind, unsigned id, int64_t value);

/* Let a domain serve requests up to a time.  For a blocked domain only time passes. */
void actor_serve(struct workload *w, struct actor *a, uint64_t until);

/* The next live domain from slot *i on, NULL at the end. */
struct actor *live_from(struct workload *w, unsigned *i);

/* Collect on all domains together, from a time on; `requested`: by the program.  Sets the clock of each
 * domain to its end. */
void collect(struct workload *w, uint64_t at, bool requested);
