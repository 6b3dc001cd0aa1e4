/*
 * history.h - what happened in the last minutes, in bounded memory: of this the pictures of the past are made.
 *
 * Each domain has a row of *records* in the order of their stamps.  A span has one record, of when it ends: its begin,
 * its path, its depth.  The spans inside it have ended before, and spans of one depth never overlap.  So a reader
 * needs no stack.  What is open now is told by the model.
 *
 * Records are stored in blocks of HISTORY_BLOCK bytes; one usually takes three to five bytes.  When the budget is used
 * up, the block whose last record is the oldest of all is evicted.  Full detail thus goes back to about the same
 * moment on all domains, and how far depends on the event rate.  No record between a domain's oldest and its latest is
 * missing.  In addition the history keeps HISTORY_SLOTS coarse slots of HISTORY_SLOT ns, whatever the rate.
 *
 * A timestamp that goes back counts as the domain's latest one; if it goes back by more than HISTORY_BACK, the domain's
 * history restarts.
 *
 * Frozen pictures: a copy of a history shares its blocks.  A block that the history evicts is freed when no copy has
 * it, so the two together take up to twice the budget, as far as events come meanwhile.
 *
 * A history is an observer of a model.  Appending a record allocates nothing once the budget is used up and there is no
 * copy, else one block every few thousand records.
 */
#pragma once

#include "model/model.h"

#define HISTORY_BUDGET ((size_t)24 << 20) /* default */
#define HISTORY_BUDGET_MIN ((size_t)1 << 20)
#define HISTORY_BLOCK 8192u
#define HISTORY_DEPTH 64 /* how deep the spans are that are kept, and how many user spans at once */
#define HISTORY_BACK 60000000000u
#define HISTORY_SLOT 250000000u
#define HISTORY_SLOTS 2400

struct history;
struct history_block;

/* Kinds of records.  The comment of each lists the members of struct history_record that are valid besides `kind` and
 * `ts`. */
enum history_kind {
	HISTORY_SPAN, /* a span ended: begin, id: phase, path, depth, pause, value: ns of a pause that were waiting */
	HISTORY_DROPPED, /* a span was dropped: begin, depth; ts is that of the previous event.  Those inside it move down */
	HISTORY_USER,	   /* a unit, int or custom event */
	HISTORY_USER_SPAN, /* a user span ended: id: slot, begin */
	HISTORY_USER_CUT,  /* a user span was dropped: id: slot, begin */
	HISTORY_LIFECYCLE, /* id: lifecycle event */
	HISTORY_GAP, /* id: enum model_note_kind, value: words; events are missing up to HISTORY_SEEN; a MODEL_NOTE_LOST
			without words: from here on, not from the gap before */
	HISTORY_SEEN /* events come again */
};

struct history_record {
	enum history_kind kind;
	uint32_t id;
	uint64_t ts;
	uint64_t begin;
	uint64_t value;
	uint16_t path;
	bool pause;
	unsigned depth;
};

/* A reader of one domain; its members are private.  Reading ends when the reader's block has been evicted, which never
 * happens in a copy. */
struct history_cursor {
	const struct history *history;
	unsigned domain;
	bool gone;   /* its block has been evicted */
	bool losing; /* history_seek placed it in a stretch of which events were lost */
	uint16_t path;
	const struct history_block *block;
	uint64_t serial;
	uint64_t ts; /* of the latest record read or passed over, else where the block begins */
	const uint8_t *at;
	const uint8_t *end;
	uint16_t next[PATHS_MAX + 1]; /* what path came after each the last time */
};

/* How far the history goes back, as timestamps.  from > to: it is empty. */
struct history_range {
	uint64_t from;	     /* begin of full detail on all domains */
	uint64_t slots_from; /* coarse slots */
	uint64_t to;	     /* the latest event of all domains */
	bool complete;	     /* nothing has been evicted: full detail goes back to the first event */
	size_t bytes;	     /* memory in use */
	size_t budget;
	uint64_t untracked; /* records not kept: nested too deep, or memory ran out */
};

/* `paths`: of the model that is observed; they must outlive the history.  `budget` in bytes, at least
 * HISTORY_BUDGET_MIN; 0: HISTORY_BUDGET.  NULL when memory ran out. */
struct history *history_create(const struct path_tree *paths, size_t budget);
void history_destroy(struct history *h);

/* Take a snapshot of a history, which is never fed; `paths`: of the copied model.  It shares the blocks, so it is fast.
 * Either of the two may be destroyed first.  NULL if memory ran out. */
struct history *history_copy(const struct history *h, const struct path_tree *paths);

/* Fill in the observer that feeds a history. */
void history_observer(struct history *h, struct model_observer *out);

/* What comes most often, for an observer that passes it on: a span that ended, and any event that has no record, for its
 * stamp. */
void history_closed(struct history *h, unsigned domain, const struct model_span *span);
void history_touch(struct history *h, unsigned domain, uint64_t ts);

/* What a history holds. */
struct history_range history_range(const struct history *h);

/*
 * Place a reader before a domain's first record with a timestamp >= ts.  If ts is older than the history, the reader
 * stands before the oldest record.  False if nothing is kept of the domain.
 */
bool history_seek(const struct history *h, unsigned domain, uint64_t ts, struct history_cursor *c);

/*
 * Read the next record and advance the reader, if the timestamp of the record is below `until` (UINT64_MAX: no limit).
 * False, with the reader unmoved, if there is no such record; the caller may try again after more events arrived.
 */
bool history_next(struct history_cursor *c, uint64_t until, struct history_record *out);

/*
 * Pass over the records up to the end of a block, if the reader stands at its begin, all of them are before `to`, and no
 * span of them began before `from`.  The own time of the spans is added to self[path]; inside[depth] becomes how long those
 * have taken of which no span around has ended.  False, with the reader unmoved, if it stands elsewhere, or that is not
 * known of the block.
 */
bool history_sums(
    struct history_cursor *c, uint64_t from, uint64_t to, uint64_t *self, uint64_t inside[HISTORY_DEPTH + 1]);

/*
 * Read the next spans of the reader's block that end before `to`, as history_sums does, with their time since `from`; those
 * only that are the quickest to read.  False if there is none.
 */
bool history_spans(
    struct history_cursor *c, uint64_t from, uint64_t to, uint64_t *self, uint64_t inside[HISTORY_DEPTH + 1]);

/* From when on nothing is missing of a domain; UINT64_MAX: nothing is kept.  *first (may be NULL) is false if the domain
 * had earlier events. */
uint64_t history_domain_from(const struct history *h, unsigned domain, bool *first);

/* The stamp of the latest event of a domain; 0 when there was none. */
uint64_t history_domain_to(const struct history *h, unsigned domain);

#define HISTORY_OPEN UINT64_MAX	     /* it has not ended */
#define HISTORY_CUT (UINT64_MAX - 1) /* it was dropped */

struct history_frame {
	uint64_t begin;
	uint64_t end; /* or HISTORY_OPEN, HISTORY_CUT */
	uint32_t id;  /* phase, or user slot */
	uint16_t path;
	uint16_t depth;
};

/* What was open on a domain at a moment, the outermost first, spans that were dropped later aside; and its user spans, the
 * earliest first. */
struct history_standing {
	unsigned depth, user_count;
	uint64_t dropped; /* the latest begin of the spans that were dropped later; 0: there is none */
	struct history_frame open[HISTORY_DEPTH];
	struct history_frame users[HISTORY_DEPTH];
};

/* What began before ts and did not end before it.  `stack`: the `depth` spans that are open now, as the model has them. */
void history_at(const struct history *h, unsigned domain, uint64_t ts, const struct model_open_span *stack,
    unsigned depth, struct history_standing *out);

/* What history_at tells, for a reader that stands before the first record from ts on; it does not move. */
void history_after(const struct history_cursor *at, uint64_t ts, const struct model_open_span *stack,
    unsigned depth, struct history_standing *out);

/* Timestamp of the latest resume announced on any ring; 0: none.  It drops the user spans begun before it,
 * also on domains that have been silent since. */
uint64_t history_resume(const struct history *h);

/* One column of coarse slots, over a stretch of time. */
struct history_column {
	bool known;	    /* at least one of its slots is kept */
	uint64_t gc;	    /* ns in finished pauses */
	uint64_t pause_max; /* longest pause that ended in it */
	uint64_t lost;	    /* words */
};

/*
 * Sum the slots of a domain into `columns` columns of `width` ns, starting at t0.  A slot counts for the
 * column that contains its middle, so `width` should be a multiple of HISTORY_SLOT.
 */
void history_slots(const struct history *h, unsigned domain, uint64_t t0, uint64_t width, size_t columns,
    struct history_column *out);
