/*
 * history.h - every event of the last minutes, in a bounded memory, to scroll back and zoom into.
 *
 * Full detail is kept for each domain in blocks of HISTORY_BLOCK bytes, in which an event takes two to four
 * bytes as a rule.  When the budget is used up, the block whose latest event is the oldest of all gives way.
 * So full detail goes back to the same moment on all domains, and that far depends on the rate of events.
 * Besides there are coarse slots of HISTORY_SLOT ns for the last HISTORY_SLOTS of them, whatever the rate.
 *
 * A block begins with the spans that are open there, so that reading can begin at any block.  Stamps of a
 * domain that go back count as its latest one; when they go back by more than HISTORY_BACK, its history
 * starts anew.
 *
 * Frozen pictures: a copy of a history shares its blocks, the latest HISTORY_HELD_NUM / HISTORY_HELD_DEN of the budget,
 * which don't give way as long as the copy is there; what is collected meanwhile has the rest.  What it then displaces
 * leaves a *hole* behind the blocks that are held, which a reader meets as an event of that kind.
 *
 * It is fed as an observer of a model.  Appending allocates nothing once the budget is used up, and before
 * that a chunk of memory every few thousand events.
 */
#ifndef WATCH_HISTORY_H
#define WATCH_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

#define HISTORY_BUDGET ((size_t)24 << 20) /* default */
#define HISTORY_BUDGET_MIN ((size_t)1 << 20)
#define HISTORY_BLOCK 16384u
#define HISTORY_HELD_NUM 3
#define HISTORY_HELD_DEN 4
#define HISTORY_DEPTH 64 /* runtime spans open at once that are kept of a domain, and user spans likewise */
#define HISTORY_BACK 60000000000u
#define HISTORY_SLOT 250000000u
#define HISTORY_SLOTS 2400

struct history;

/* What a reader meets.  Which members of struct history_event have a meaning beside kind and ts stands
 * behind. */
enum history_kind {
	HISTORY_OPENED,	     /* id: phase, depth; begin is ts */
	HISTORY_CLOSED,	     /* id: phase, depth, begin */
	HISTORY_DROPPED,     /* id: phase, depth, begin; ts is that of the event before */
	HISTORY_COUNTER,     /* id: counter, value */
	HISTORY_ALLOC,	     /* buckets */
	HISTORY_LIFECYCLE,   /* id: lifecycle event, value: its data */
	HISTORY_USER,	     /* id: slot, value (unit: 0, int, custom: length of the payload) */
	HISTORY_USER_OPENED, /* id: slot; begin is ts */
	HISTORY_USER_CLOSED, /* id: slot, begin (0 when it is not known) */
	HISTORY_GAP,	 /* id: enum model_note_kind, value: words; nothing is known until the next event */
	HISTORY_RESUMED, /* begin: stamp of the ring_resume; user spans begun before are dropped */
	HISTORY_HOLE	 /* nothing is kept from the event before up to ts */
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
 * A reader of one domain.  Between two calls `open` and `users` are the spans open at its place, outermost
 * first; the rest is private.  It stays valid while its block is kept, in a copy always; when
 * the block has given way, reading ends.
 */
struct history_cursor {
	const struct history *history;
	unsigned domain;
	bool gone; /* the block it stood in has given way */
	uint32_t block;
	uint64_t serial;
	uint64_t given_way;
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

/* How far back things go.  Stamps; from > to means that there is nothing. */
struct history_range {
	uint64_t from;	     /* full detail of all domains without a hole */
	uint64_t slots_from; /* coarse slots */
	uint64_t to;	     /* the latest event of all domains */
	bool complete;	     /* nothing has given way yet: full detail goes back to the first event */
	size_t bytes;	     /* memory in use */
	size_t budget;
	uint64_t untracked; /* events that could not be kept: nested too deep, or memory ran out */
};

/* `budget` in bytes, at least HISTORY_BUDGET_MIN; 0: HISTORY_BUDGET.  NULL when memory ran out. */
struct history *history_create(size_t budget);
void history_destroy(struct history *h);

/*
 * A copy of a history as it is now.  It holds the blocks that it shares, which needs no time to speak of, until it is destroyed;
 * either of the two may be destroyed first.  One history has one copy at a time.  NULL when there is one and when memory ran out.
 */
struct history *history_copy(struct history *h);

/* Fill in the observer that feeds a history. */
void history_observer(struct history *h, struct model_observer *out);

void history_range(const struct history *h, struct history_range *out);

/*
 * Place a reader before the first event of a domain with a stamp of at least ts, with the spans that are open
 * there; before the oldest event kept when ts is earlier, before a hole when ts is in it.  False when nothing
 * is kept of the domain.
 */
bool history_seek(const struct history *h, unsigned domain, uint64_t ts, struct history_cursor *c);

/*
 * Read the next event and move behind it, if its stamp is below `until` (UINT64_MAX: any but such a stamp).
 * False, and not moved, when it isn't or there is none; one can ask again when more has come.
 */
bool history_next(struct history_cursor *c, uint64_t until, struct history_event *out);

/* From which stamp on the events of a domain are kept; there were earlier ones when *first (may be NULL) is
 * false.  UINT64_MAX when nothing is kept. */
uint64_t history_domain_from(const struct history *h, unsigned domain, bool *first);

/* The stamp of the latest event of a domain; 0 when there was none. */
uint64_t history_domain_to(const struct history *h, unsigned domain);

/*
 * Whether the spans that are open at the reader's place, the outermost `count` of them, come to their end:
 * ends[i] is its end, HISTORY_OPEN while it is still open, HISTORY_CUT when it is dropped later (or what
 * follows is not kept).  The reader stays where it is.
 */
#define HISTORY_OPEN UINT64_MAX
#define HISTORY_CUT (UINT64_MAX - 1)
void history_ends(const struct history_cursor *c, unsigned count, uint64_t *ends);

/* The latest resume of the target's events that was announced, on whatever ring; 0: none.  User spans begun before it
 * are dropped, also those of a domain that has been silent since. */
uint64_t history_resume(const struct history *h);

/* One column of coarse slots, over a stretch of time. */
struct history_column {
	bool known;	    /* some of it lies in slots that are kept */
	uint64_t gc;	    /* ns in pauses that have ended */
	uint64_t pause_max; /* longest pause that ended in it */
	uint64_t events;    /* events kept as detail, then or now */
	uint64_t lost;	    /* words */
};

/*
 * Sum up the slots of a domain in `columns` columns of `width` ns from t0 on.  A slot counts to the column
 * that its middle lies in, so `width` should be a multiple of HISTORY_SLOT.
 */
void history_slots(const struct history *h, unsigned domain, uint64_t t0, uint64_t width, size_t columns,
    struct history_column *out);

#endif
