/*
 * history_private.h - how a history is stored: history.c writes it, history_read.c reads it, and has its coarse slots.
 *
 * A block is HISTORY_BLOCK bytes of records.  A record begins with a byte that has its kind and the lengths of two
 * numbers.  The numbers follow: the distance of its stamp from the one before (from the block's first for the first
 * record), and a duration.  In the record of a pause a varint follows: how much of it was waiting.  Records with further
 * contents have them as varints.
 *
 * Programs repeat themselves, so the path of a span is left out if the same path followed the path before it last time.
 * Writer and reader begin each block without earlier paths.
 *
 * A block also has sums of its spans: their own time by path; and for each depth the time of the spans around which no
 * span has ended yet.  A reader adds the sums of a block that lies wholly in its window.  They are not known for a block
 * with a gap or a dropped span, or with more than SUMS_PATHS paths or SUMS_DEPTHS depths.  The sums by path grow from the
 * end of the block towards its records.
 *
 * A domain's `order` lists its blocks in order of time.  Serials number the blocks that a domain ever began: those in
 * its order are the latest.
 */
#pragma once

#include "core/varint.h"
#include "watch/history.h"
#include "watch/pauses.h"

/* What a record is, in the two lowest bits of its first byte; three bits for the length of each number are above. */
enum {
	RECORD_SPAN,  /* of the guessed path, and no pause; phase and depth are those of the path */
	RECORD_PAUSE, /* of the guessed path, and a pause */
	RECORD_PATH,  /* two bytes follow: a path, and the bits below */
	RECORD_POINT  /* its kind, number and value follow */
};

/* Bits added to the path of a RECORD_PATH: the span is a pause; its depth and phase follow. */
#define PATH_PAUSE 0x8000u
#define PATH_TOLD 0x4000u
_Static_assert(PATH_NONE < PATH_TOLD, "a path leaves two bits");

#define SUMS_PATHS UINT8_MAX
#define SUMS_DEPTHS 12

/* The longest record. */
#define RECORD_MAX (1 + 8 + 8 + 2 + 4 * VARINT_MAX + VARINT_SLACK)

/* A sum by path. */
struct history_sum {
	uint64_t self;
	uint16_t path;
} __attribute__((packed));

struct history_block {
	unsigned users;	      /* the history, unless it has evicted it, and its copies */
	uint32_t used;	      /* bytes; set when the block is full */
	uint64_t first, last; /* timestamps; `last` is set when the block is full */
	uint64_t reach; /* the earliest begin of a span with a record in it; set when the block is full */
	uint64_t user_reach; /* the earliest begin of a user span with a record in it */
	bool outermost;	     /* it has the record of a span with no other around it */
	bool losing;	     /* it begins where events were lost */
	bool odd;	     /* its sums are not known; set when the block is full */
	uint8_t sum_count;   /* sums from 1 on; sum 0 has the time for which there was no other place */
	uint64_t ended;	     /* depths of which a span ended in it, a bit each; set when the block is full */
	/* time by depth of spans around which no span has ended: for the current block the time from before it, for
	 * a full block the time that it adds */
	uint64_t inside[SUMS_DEPTHS + 1];
	uint8_t data[HISTORY_BLOCK];
};

/* The pauses and the losses of a domain in a stretch of HISTORY_SLOT ns, of which a history keeps HISTORY_SLOTS whatever the rate
 * of events. */
struct slot {
	uint64_t number; /* of the slot, plus one; 0: never used */
	uint64_t pause_max;
	uint64_t lost;
	uint32_t gc;
};

/* A list has HISTORY_SLOTS of them, n at n mod HISTORY_SLOTS, zeroed at first; NULL: nothing is kept. */
#define SLOTS_BYTES (HISTORY_SLOTS * sizeof(struct slot))

struct history_domain {
	/* writing */
	uint8_t *at;	/* NULL when there is no current block */
	uint8_t *limit; /* `room`, or NULL if the next event needs more work than an append */
	uint8_t *room;	/* up to here a record may begin: the longest record and one more sum fit */
	struct history_block *current;
	uint64_t first, last; /* stamps */
	uint64_t written;     /* of the latest record */
	bool plain;	      /* a stamp that does not go back only has to be stored; else `limit` is NULL */
	uint64_t floor;	 /* stamps went back to before this: earlier begins count as this; 0: they did not */
	uint64_t reach;	 /* of the current block */
	uint64_t waited; /* time waited in the open pause so far */
	bool begun;
	bool losing;   /* a gap, and no event since */
	uint16_t path; /* of the latest span */
	uint16_t next[PATHS_MAX + 1];
	/* the sums of the current block */
	bool odd;      /* they are not known */
	bool pathless; /* a span without a path has ended inside the open outermost span */
	uint64_t ended;
	uint64_t inside[HISTORY_DEPTH + 1]; /* by depth: time of spans since a span ended around them */
	uint8_t places[PATHS_MAX];	    /* where its sums are, by path; 0: none yet */

	/* kept */
	uint64_t next_serial;
	uint64_t from; /* no record is missing from here on; 0: there is no block */
	struct history_block **order;
	unsigned order_first;
	unsigned order_count;
	unsigned order_size;
	struct slot *slots;
	struct history_cursor mark; /* where the latest search ended; the next one may go on from there */
};

struct history {
	const struct path_tree *paths;
	struct history_domain *domains[MODEL_DOMAINS_MAX];
	unsigned domain_limit; /* domains from here up are NULL */
	size_t budget;
	size_t bytes; /* in use */
	size_t slot_bytes;
	uint64_t untracked;
	uint64_t from; /* from here on nothing was evicted */
	bool complete;

	size_t block_count, block_limit;

	uint64_t resume; /* the latest that was announced */
};

/* The sum of a number in a block. */
static inline struct history_sum *block_sum(struct history_block *b, unsigned place)
{
	return (struct history_sum *)(b->data + HISTORY_BLOCK) - 1 - place;
}

/* Block i of a domain's order. */
static inline struct history_block *domain_block(const struct history_domain *d, size_t i)
{
	return d->order[d->order_first + i];
}

/* The stamp of the last record of a block, or of a later event that has none. */
static inline uint64_t block_last(const struct history_domain *d, const struct history_block *b)
{
	return b == d->current ? d->last : b->last;
}

/* The earliest begin of a span with a record in a block. */
static inline uint64_t block_reach(const struct history_domain *d, const struct history_block *b)
{
	return b == d->current ? d->reach : b->reach;
}

/* Whether a span around those of a depth has ended in the current block, by its `ended`. */
static inline bool depth_anew(uint64_t ended, unsigned depth)
{
	return (ended >> (depth - 1) & 1) != 0;
}

/* Return the time that the current block adds at a depth. */
static inline uint64_t domain_inside(const struct history_domain *d, unsigned depth)
{
	return d->inside[depth] - (depth_anew(d->ended, depth) ? 0 : d->current->inside[depth]);
}

/* Return the domain; NULL: it has had no event. */
static inline struct history_domain *history_domain_at(const struct history *h, unsigned domain)
{
	return domain < MODEL_DOMAINS_MAX ? h->domains[domain] : NULL;
}

/* Add pauses that ended. */
void slots_add(struct slot *list, const struct pauses *pauses);

/* Add words that were lost. */
void slots_lose(struct slot *list, uint64_t ts, uint64_t words);
