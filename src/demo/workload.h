/*
 * workload.h - what a busy OCaml 5.3 service would record, generated from a seed; no clock, no input or
 * output.
 *
 * Time is virtual: nanoseconds since the start of the workload.  It is divided into rounds.  In a round,
 * every live domain serves requests, then all domains collect together, then they serve requests until the
 * end of the round.  A round consists of a script of events for each domain, in order of time.  Domains
 * spawn and terminate, and the producer pauses, resumes and forks, only at the start of a round.  The same
 * options always generate the same rounds.
 */
#pragma once

#include "core/std.h"
#include "rtev/events.h"

struct workload;

struct workload_options {
	unsigned domains; /* slots 0 to domains - 1 are used */
	uint64_t rate;	  /* events a second of all domains together */
	uint64_t seed;
	bool pause; /* pause and resume now and then */
	bool fork;  /* fork now and then */
};

enum script_kind {
	SCRIPT_BEGIN,	    /* id: phase */
	SCRIPT_END,	    /* id: phase */
	SCRIPT_COUNTER,	    /* id: counter, value */
	SCRIPT_ALLOC,	    /* id: words of a block, value: number; not an event by itself */
	SCRIPT_ALLOC_FLUSH, /* record what SCRIPT_ALLOC has counted */
	SCRIPT_REQUEST,	    /* http.request, value: 1 begin, 0 end */
	SCRIPT_QUERY,	    /* db.query, value: 1 begin, 0 end */
	SCRIPT_QUEUE_DEPTH, /* queue.depth, value */
	SCRIPT_CACHE_EVICT, /* cache.evict */
	SCRIPT_LOG_LINE,    /* log.line, value: seed of the line */
	/* What Eio writes of its fibers, each of which serves a request. */
	SCRIPT_CONTEXT,	   /* eio.create_cc, value: context */
	SCRIPT_NAME,	   /* eio.name, value: context */
	SCRIPT_FIBER_MADE, /* eio.create_fiber, value: fiber, id: context */
	SCRIPT_FIBER_RUNS, /* eio.fiber, value: fiber */
	SCRIPT_SUSPEND,	   /* eio.suspend_fiber */
	SCRIPT_FIBER_ENDS, /* eio.exit_fiber, value: fiber */
	SCRIPT_SPAN,
	SCRIPT_IDLE, /* eio.suspend_domain, value: 1 begin, 0 end */
	SCRIPT_KINDS
};

struct script_event {
	uint64_t ts;
	int64_t value;
	uint16_t kind;
	uint16_t id;
};

/* One domain in one round. */
struct script {
	struct script_event *events;
	size_t count, room;
};

struct workload_round {
	uint64_t start, end; /* all events of the round are between them */
	bool paused, fork;   /* the producer is paused during the round; it forks at the start */
};

/* Returns NULL if memory ran out. */
struct workload *workload_create(const struct workload_options *options);
void workload_destroy(struct workload *workload);

/* Generate the next round in place of the last.  Returns false if memory ran out: then events are missing. */
bool workload_round(struct workload *workload, struct workload_round *out);

/* The events of a slot in this round, NULL if no domain has it; new domains have the lowest free slots.
 * Owned by the workload, valid until the next round. */
const struct script *workload_script(const struct workload *workload, unsigned slot);

/* Change the rate from the next round on. */
void workload_set_rate(struct workload *workload, uint64_t rate);
