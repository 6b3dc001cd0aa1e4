/*
 * history.h - every event of the last minutes in bounded memory, for scrolling back and zooming.
 *
 * Each domain's events are stored in blocks of HISTORY_BLOCK bytes; an event usually takes two to four bytes.
 * When the budget is used up, the block whose last event is the oldest of all is evicted.  Full detail thus
 * goes back to about the same moment on all domains, and how far depends on the event rate.  No event between
 * a domain's oldest and its latest is missing.  In addition the history keeps HISTORY_SLOTS coarse slots of
 * HISTORY_SLOT ns, whatever the rate.
 *
 * A block begins with the list of open spans, so a reader can start at any block.  A timestamp that goes back
 * counts as the domain's latest one; if it goes back by more than HISTORY_BACK, the domain's history
 * restarts.
 *
 * Frozen pictures: a copy of a history shares its blocks.  A block that the history evicts is freed when no
 * copy has it, so the two together take up to twice the budget, as far as events come meanwhile.
 *
 * A history is an observer of a model.  Appending an event allocates nothing once the budget is used up and
 * there is no copy, else one block every few thousand events.
 */
#pragma once

#include "model/model.h"

#define HISTORY_BUDGET ((size_t)24 << 20) /* default */
#define HISTORY_BUDGET_MIN ((size_t)1 << 20)
#define HISTORY_BLOCK 16384u
#define HISTORY_DEPTH 64 /* runtime spans open at once that are kept of a domain, and user spans likewise */
#define HISTORY_BACK 60000000000u
#define HISTORY_SLOT 250000000u
#define HISTORY_SLOTS 2400

struct history;
struct history_block;

/* Kinds of events.  The comment of each lists the members of struct history_event that are valid besides
 * `kind` and `ts`. */
enum history_kind {
	HISTORY_OPENED,	     /* id: phase, depth; begin is ts */
	HISTORY_CLOSED,	     /* id: phase, depth, begin */
	HISTORY_DROPPED,     /* id: phase, depth, begin; ts is that of the previous event */
	HISTORY_COUNTER,     /* id: counter, value */
	HISTORY_ALLOC,	     /* buckets */
	HISTORY_LIFECYCLE,   /* id: lifecycle event, value: its data */
	HISTORY_USER,	     /* id: slot, value (unit: 0, int, custom: length of the payload) */
	HISTORY_USER_OPENED, /* id: slot; begin is ts */
	HISTORY_USER_CLOSED, /* id: slot, begin (0: unknown) */
	HISTORY_GAP, /* id: enum model_note_kind, value: words; events are missing up to the next one; a MODEL_NOTE_LOST without words: from here on, not
			  from the gap before */
	HISTORY_RESUMED /* begin: stamp of the ring_resume; user spans begun before are dropped */
};

struct history_event {
	enum history_kind kind;
	uint32_t id;
	uint64_t ts;
	uint64_t begin;
	int64_t value;
	unsigned depth;
	const uint64_t *buckets; /* RTEV_ALLOC_BUCKETS of them, valid until the next event is read */
};

struct history_frame {
	uint64_t begin;
	uint32_t id; /* phase, or user slot */
};

/* What comes next, as far as it is what came the last time: history_private.h. */
#define HISTORY_CONTEXTS 2048
#define HISTORY_GUESSED_COUNTERS 64

struct history_guess {
	uint16_t context; /* of the latest opcodes */
	uint8_t next[HISTORY_CONTEXTS];
	int64_t values[HISTORY_GUESSED_COUNTERS];
};

/*
 * A reader of one domain.  Between two calls, `open` and `users` are the spans open at its position,
 * outermost first; the other members are private.  Reading ends when the reader's block has been evicted,
 * which never happens in a copy.
 */
struct history_cursor {
	const struct history *history;
	unsigned domain;
	bool gone; /* its block has been evicted */
	const struct history_block *block;
	uint64_t serial;
	uint64_t ts;
	const uint8_t *at;
	const uint8_t *end;
	unsigned depth;
	unsigned user_count;
	struct history_frame open[HISTORY_DEPTH];
	struct history_frame users[HISTORY_DEPTH];
	uint64_t buckets[RTEV_ALLOC_BUCKETS];
	struct history_guess guess;
};

/* How far the history goes back, as timestamps.  from > to: it is empty. */
struct history_range {
	uint64_t from;	     /* begin of full detail on all domains */
	uint64_t slots_from; /* coarse slots */
	uint64_t to;	     /* the latest event of all domains */
	bool complete;	     /* nothing has been evicted: full detail goes back to the first event */
	size_t bytes;	     /* memory in use */
	size_t budget;
	uint64_t untracked; /* events not kept: nested too deep, or memory ran out */
};

/* `budget` in bytes, at least HISTORY_BUDGET_MIN; 0: HISTORY_BUDGET.  NULL when memory ran out. */
struct history *history_create(size_t budget);
void history_destroy(struct history *h);

/* Take a snapshot of a history, which is never fed.  It shares the blocks, so it is fast.  Either of the two may be
 * destroyed first.  NULL if memory ran out. */
struct history *history_copy(const struct history *h);

/* Fill in the observer that feeds a history. */
void history_observer(struct history *h, struct model_observer *out);

/* What a history holds. */
struct history_range history_range(const struct history *h);

/*
 * Place a reader before a domain's first event with a timestamp >= ts, and set the spans open there.  If ts
 * is older than the history, the reader stands before the oldest event.  False if the history has no event of the domain.
 */
bool history_seek(const struct history *h, unsigned domain, uint64_t ts, struct history_cursor *c);

/*
 * Read the next event and advance the reader, if the timestamp of the event is below `until` (UINT64_MAX: no
 * limit).  False, with the reader unmoved, if there is no such event; the caller may try again after more
 * events arrived.
 */
bool history_next(struct history_cursor *c, uint64_t until, struct history_event *out);

/* Timestamp of a domain's oldest event in the history; UINT64_MAX: there is none.  *first (may be NULL) is
 * false if the domain had earlier events. */
uint64_t history_domain_from(const struct history *h, unsigned domain, bool *first);

/* The stamp of the latest event of a domain; 0 when there was none. */
uint64_t history_domain_to(const struct history *h, unsigned domain);

/*
 * Look up the ends of the outermost `count` spans open at the reader's position: ends[i] is the end,
 * HISTORY_OPEN if the span is still open, or HISTORY_CUT if it was dropped or its end has been evicted.  Does
 * not move the reader.
 */
#define HISTORY_OPEN UINT64_MAX
#define HISTORY_CUT (UINT64_MAX - 1)
void history_ends(const struct history_cursor *c, unsigned count, uint64_t *ends);

/* Timestamp of the latest resume announced on any ring; 0: none.  It drops the user spans begun before it,
 * also on domains that have been silent since. */
uint64_t history_resume(const struct history *h);

/* One column of coarse slots, over a stretch of time. */
struct history_column {
	bool known;	    /* at least one of its slots is kept */
	uint64_t gc;	    /* ns in finished pauses */
	uint64_t pause_max; /* longest pause that ended in it */
	uint64_t events;    /* events, whether still kept or not */
	uint64_t lost;	    /* words */
};

/*
 * Sum the slots of a domain into `columns` columns of `width` ns, starting at t0.  A slot counts for the
 * column that contains its middle, so `width` should be a multiple of HISTORY_SLOT.
 */
void history_slots(const struct history *h, unsigned domain, uint64_t t0, uint64_t width, size_t columns,
    struct history_column *out);
