/*
 * history.h - the events of the last minutes, in bounded memory, from which views of the past are made.
 *
 * Each domain has *records* in the order of their stamps.  A span has one record, at its end: its begin, its
 * path, its depth.  The spans inside it have ended before, and spans of one depth never overlap, so a reader
 * needs no stack.  Open spans are in the model.
 *
 * Records are stored in blocks of HISTORY_BLOCK bytes; one usually takes three to five bytes.  When the
 * budget is used up, the block whose last record is the oldest is evicted.  Full detail thus goes back to
 * about the same moment on all domains, and how far depends on the event rate.  There are no gaps between a
 * domain's oldest record and its latest.  In addition the history keeps HISTORY_SLOTS coarse slots of
 * HISTORY_SLOT ns, whatever the rate.
 *
 * A timestamp that goes back counts as the domain's latest one; if it goes back by more than HISTORY_BACK,
 * the domain's history restarts.
 *
 * Frozen pictures: a copy of a history shares its blocks.  An evicted block is freed when no copy uses it, so
 * the two together take up to twice the budget, depending on the events in the meantime.
 *
 * A history observes a model.  Appending a record allocates nothing once the budget is used up and there is
 * no copy; otherwise one block every few thousand records.
 */
#pragma once

#include "watch/pauses.h"

#define HISTORY_BUDGET ((size_t)24 << 20) /* default */
#define HISTORY_BUDGET_MIN ((size_t)1 << 20)
#define HISTORY_BLOCK 8192u
#define HISTORY_DEPTH 64 /* maximum depth of recorded spans, and number of user spans open at a moment */
#define HISTORY_BACK 60000000000u
#define HISTORY_SLOT 250000000u
#define HISTORY_SLOTS 2400

struct history;
struct history_block;

/* Kinds of records.  The comment of each lists the members of struct history_record that are valid besides `kind` and
 * `ts`. */
enum history_kind {
	HISTORY_SPAN, /* a span ended: begin, id: phase, path, depth, pause, value: ns that a pause waited */
	HISTORY_DROPPED, /* a span was dropped: begin, depth; ts is that of the last event; spans inside move down */
	HISTORY_USER,	   /* a unit, int or custom event */
	HISTORY_USER_SPAN, /* a user span ended: id: slot, begin */
	HISTORY_USER_CUT,  /* a user span was dropped: id: slot, begin */
	HISTORY_LIFECYCLE, /* id: lifecycle event */
	/* id: enum model_note_kind, value: words.  Events are missing until HISTORY_SEEN; with a MODEL_NOTE_LOST
	 * without words they are missing from here on, not from the gap before. */
	HISTORY_GAP,
	HISTORY_SEEN /* events arrive again */
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
	bool losing; /* history_seek placed it where events were lost */
	uint16_t path;
	const struct history_block *block;
	uint64_t serial;
	uint64_t ts; /* stamp of the latest record read or skipped; at first, of the begin of the block */
	const uint8_t *at;
	const uint8_t *end;
	uint16_t next[PATHS_MAX + 1]; /* for each path: the path that followed it last */
};

/* How far the history goes back, as stamps.  from > to: it is empty. */
struct history_range {
	uint64_t from;	     /* begin of full detail on all domains */
	uint64_t slots_from; /* coarse slots */
	uint64_t to;	     /* stamp of the latest event on all domains */
	bool complete;	     /* nothing has been evicted: full detail goes back to the first event */
	size_t bytes;	     /* memory in use */
	size_t budget;
	uint64_t untracked; /* records that were not kept: nested too deep, or memory ran out */
};

/* `paths` belongs to the observed model and must outlive the history.  `budget` in bytes, at least
 * HISTORY_BUDGET_MIN; 0: HISTORY_BUDGET.  Returns NULL when memory ran out. */
struct history *history_create(const struct path_tree *paths, size_t budget);
void history_destroy(struct history *h);

/* Take a snapshot, which receives no events; `paths` belongs to the copied model.  The blocks are shared, so
 * this is fast.  Either of the two may be destroyed first.  Returns NULL when memory ran out. */
struct history *history_copy(const struct history *h, const struct path_tree *paths);

/* Fill in the observer that feeds a history, but for the frequent events that are passed on: begins and ends of spans, and
 * counters. */
void history_observer(struct history *h, struct model_observer *out);

/* Add a span that ended (history_inside: inside another one, and not waiting), or the stamp of an event that has no record. */
void history_closed(struct history *h, unsigned domain, const struct model_span *span);
void history_inside(struct history *h, unsigned domain, const struct model_span *span);
void history_touch(struct history *h, unsigned domain, uint64_t ts);

/* Add pauses to the coarse slots. */
void history_pauses(struct history *h, const struct pauses *pauses);

/* Return the range of a history. */
struct history_range history_range(const struct history *h);

/*
 * Place a reader before a domain's first record with a stamp >= ts, or before the oldest record if ts is
 * older than the history.  Returns false if there is no record of the domain.
 */
bool history_seek(const struct history *h, unsigned domain, uint64_t ts, struct history_cursor *c);

/*
 * Read the next record and advance the reader, if the record's stamp is below `until` (UINT64_MAX: no limit).
 * Returns false, with the reader unmoved, if there is no such record; the caller may try again after more
 * events arrived.
 */
bool history_next(struct history_cursor *c, uint64_t until, struct history_record *out);

/*
 * Pass over a whole block, if the reader stands at its begin, all its records are before `to`, and none of its spans began
 * before `from`.  Adds the own time of the spans to self[path], and sets inside[depth] to the time of the spans around which
 * no span has ended.  Returns false, with the reader unmoved, if it stands elsewhere, or the block's sums are not known.
 */
bool history_sums(
    struct history_cursor *c, uint64_t from, uint64_t to, uint64_t *self, uint64_t inside[HISTORY_DEPTH + 1]);

/*
 * Read the next spans of the reader's block that end before `to`, as history_sums does, with their time since `from`.  Stops
 * at the first record that takes more work.  Returns false if it read none.
 */
bool history_spans(
    struct history_cursor *c, uint64_t from, uint64_t to, uint64_t *self, uint64_t inside[HISTORY_DEPTH + 1]);

/* Return the stamp from which on nothing is missing of a domain; UINT64_MAX: nothing is kept.  *first (may be
 * NULL) is false if the domain had earlier events. */
uint64_t history_domain_from(const struct history *h, unsigned domain, bool *first);

/* Return the stamp of the latest event of a domain; 0: there was none. */
uint64_t history_domain_to(const struct history *h, unsigned domain);

#define HISTORY_OPEN UINT64_MAX	     /* it is still open */
#define HISTORY_CUT (UINT64_MAX - 1) /* it was dropped */

struct history_frame {
	uint64_t begin;
	uint64_t end; /* or HISTORY_OPEN, HISTORY_CUT */
	uint32_t id;  /* phase, or user slot */
	uint16_t path;
	uint16_t depth;
};

/* What the model knows of a domain now: its open spans, its open user spans in the order of their begins, and the pauses of
 * the target. */
struct history_present {
	const struct model_open_span *stack;
	unsigned depth, user_count;
	bool alone; /* model_domain */
	struct model_open_user users[HISTORY_DEPTH];
	const struct model_target_pause *pauses;
	size_t pause_count;
};
struct history_present history_present(const struct model *m, unsigned domain);

/* What was open on a domain at a moment, the outermost first, without spans that were dropped later; and its
 * user spans, the earliest first. */
struct history_standing {
	unsigned depth, user_count;
	uint64_t dropped; /* latest begin of the spans that were dropped later; 0: none */
	struct history_frame open[HISTORY_DEPTH];
	struct history_frame users[HISTORY_DEPTH];
};

/* Find what began before ts and did not end before it. */
void history_at(const struct history *h, unsigned domain, uint64_t ts, const struct history_present *now,
    struct history_standing *out);

/* Do history_at for a reader that is before the first record from ts on; the reader does not move. */
void history_after(const struct history_cursor *at, uint64_t ts, const struct history_present *now,
    struct history_standing *out);

/* Return the stamp of the latest resume announced on any ring; 0: none.  It drops user spans that began
 * before it, also on domains that have been silent since. */
uint64_t history_resume(const struct history *h);

/* A column of coarse slots over a period. */
struct history_column {
	bool known;	    /* at least one of its slots is kept */
	uint64_t gc;	    /* ns in finished pauses */
	uint64_t pause_max; /* longest pause that ended in the column */
	uint64_t lost;	    /* words */
};

/*
 * Sum the slots of a domain into `columns` columns of `width` ns, starting at t0.  A slot counts for the
 * column that contains its middle, so `width` should be a multiple of HISTORY_SLOT.
 */
void history_slots(const struct history *h, unsigned domain, uint64_t t0, uint64_t width, size_t columns,
    struct history_column *out);
