/*
 * tape.h - the last seconds of a model's events in a bounded memory, to be played to another model.
 *
 * What an observer of a model is told goes onto the tape in the order of its coming: begins and ends, those that come to nothing
 * among them, counters, alloc and lifecycle events, user events with what is kept of their payloads, gaps and resumes.
 * Played from any block on to a new model, it makes that model what it would be had it been there since that block began,
 * and what was open then is open in it with the times at which it began.
 *
 * The tape is cut into blocks of TAPE_BLOCK bytes, an event taking three to six bytes as a rule.  A block begins with
 * what is open there, so that those before it can be given up.  A *serial* counts the blocks, given up or not.
 */
#ifndef MODEL_TAPE_H
#define MODEL_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

#define TAPE_BLOCK 65536u
#define TAPE_DEPTH                                                                                           \
	64 /* open spans of a domain that a block begins with, runtime and user each; more are left out */

struct tape;

/* Make a tape of a model, which outlives it, and begin to follow.  NULL when memory ran out or the model has no place
 * for another observer. */
struct tape *tape_create(struct model *m);
void tape_destroy(struct tape *t);

/* Bytes in use. */
size_t tape_bytes(const struct tape *t);

/* False once memory ran out: nothing is added any more. */
bool tape_whole(const struct tape *t);

/*
 * Give up old blocks: those before the first that has something from `from` on, and, until no more than `budget` bytes
 * are in use, the oldest whatever they hold; but none with the serial `keep` or a later one, nor the last one.
 */
void tape_trim(struct tape *t, uint64_t from, size_t budget, uint64_t keep);

/* A place on the tape, between two events. */
struct tape_place {
	uint64_t serial; /* of the block */
	uint32_t at;
};

/* Behind the latest event. */
struct tape_place tape_end(const struct tape *t);

/* What plays a tape.  The block with the serial place.serial and those after it must not be given up meanwhile. */
struct tape_player {
	const struct tape *tape;
	struct model *to;
	uint64_t from, until;	  /* stamps; what is later than `until` is left out */
	void (*begin)(void *ctx); /* called once, before the first event at or after `from` */
	void *ctx;

	struct tape_place place; /* the rest is private but for this */
	const struct tape_block *block;
	struct rtev_callbacks calls;
	uint64_t epoch; /* as in struct tape; likewise the two below */
	uint64_t *last;
	uint64_t *since;
	unsigned domain;
	bool begun;
};

/*
 * Begin to play: fill in tape, to, from, until, begin and ctx of a zeroed struct first.  It starts at the first block
 * that, with those after it, has all that there is from `from` on.  `to` should be new.  False when memory ran out.
 */
bool tape_player_init(struct tape_player *p);
void tape_player_fini(struct tape_player *p);

/* Play one event, if there is one before `end`. */
bool tape_play(struct tape_player *p, struct tape_place end);

#endif
