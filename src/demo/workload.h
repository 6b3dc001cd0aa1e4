/*
 * workload.h - what a busy OCaml 5.3 service would record, made up from a seed; no clock, no input or
 * output.
 *
 * Time is virtual: nanoseconds since the workload began.  It is cut into rounds.  In a round every live
 * domain serves requests, then all of them collect together, and then they go on to the round's end.  A round
 * is a script of events for each domain, each in order of time, and actions to be done before the scripts:
 * those that concern the producer as a whole.  The same options always make the same rounds.
 */
#ifndef DEMO_WORKLOAD_H
#define DEMO_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/events.h"

struct workload;

struct workload_options {
	unsigned domains; /* slots 0 to domains - 1 get used */
	uint64_t rate;	  /* events a second, of all domains together */
	uint64_t seed;
	bool pause; /* pause and resume now and then */
	bool fork;  /* fork now and then */
};

enum script_kind {
	SCRIPT_BEGIN,	    /* id: phase */
	SCRIPT_END,	    /* id: phase */
	SCRIPT_COUNTER,	    /* id: counter, value */
	SCRIPT_ALLOC,	    /* id: words of a block, value: how many; no event by itself */
	SCRIPT_ALLOC_FLUSH, /* record what SCRIPT_ALLOC counted */
	SCRIPT_REQUEST,	    /* http.request, value: 1 begin, 0 end */
	SCRIPT_QUERY,	    /* db.query, likewise */
	SCRIPT_QUEUE_DEPTH, /* queue.depth, value */
	SCRIPT_CACHE_EVICT, /* cache.evict */
	SCRIPT_LOG_LINE	    /* log.line, value: what the line is made from */
};

struct script_event {
	uint64_t ts;
	int64_t value;
	uint16_t kind;
	uint16_t id;
};

struct script {
	struct script_event *events;
	size_t count, room;
};

enum workload_action_kind { ACTION_SPAWN, ACTION_TERMINATE, ACTION_PAUSE, ACTION_RESUME, ACTION_FORK };

struct workload_action {
	enum workload_action_kind kind;
	unsigned slot; /* of a spawn, always the lowest free one, or a terminate */
};

#define ROUND_SPAWNS_MAX 4
#define ROUND_ACTIONS_MAX (ROUND_SPAWNS_MAX + 3)

struct workload_round {
	struct workload_action actions[ROUND_ACTIONS_MAX];
	unsigned action_count;
	uint64_t start, end; /* all events of the round are between them */
};

/* NULL when memory ran out. */
struct workload *workload_create(const struct workload_options *options);
void workload_destroy(struct workload *workload);

/* Make the next round, in place of the last one.  False when memory ran out: then events are missing. */
bool workload_round(struct workload *workload, struct workload_round *out);

/* The events of a slot in this round.  Owned by the workload, valid until the next round. */
const struct script *workload_script(const struct workload *workload, unsigned slot);

/* Aim at another rate from the next round on. */
void workload_set_rate(struct workload *workload, uint64_t rate);

#endif
