/*
 * history_private.h - storage format of a history.  history.c appends events, history_blocks.c allocates,
 * evicts and copies blocks, history_read.c reads.
 *
 * A block is HISTORY_BLOCK bytes: first the open spans at its begin (a count and, for each, its phase and the
 * begin as the distance before the block's first stamp; then the same for user spans and their slots), then
 * records.  A record is the distance of its stamp from the one before (from the block's first for the first
 * record), an opcode of one byte unless it is the one guessed from those before, and what the opcode says;
 * all numbers are varints.
 *
 * Programs repeat themselves: a *guess* predicts the opcode that followed the last time the same opcodes
 * preceded, and the last value of a counter.  Writer and reader start each block with an empty guess and
 * update it in the same way.
 *
 * A domain's `order` lists its blocks in order of time.  Serials number the blocks that a domain ever began:
 * those in its order are the latest.
 */
#pragma once

#include "core/varint.h"
#include "watch/history.h"

/* Opcodes.  Frequent phases, counters and slots have their number in the opcode. */
enum {
	OP_OPENED = 0x00,      /* and the phase, when it is below OP_SMALL_PHASES */
	OP_CLOSED = 0x40,      /* the innermost span */
	OP_OPENED_BIG,	       /* phase */
	OP_DROPPED,	       /* depth */
	OP_COUNTER_BIG,	       /* counter, value folded */
	OP_ALLOC,	       /* RTEV_ALLOC_BUCKETS numbers */
	OP_LIFECYCLE,	       /* event, data folded */
	OP_USER,	       /* slot, value folded */
	OP_USER_ZERO,	       /* slot; the value is 0 */
	OP_USER_OPENED_BIG,    /* slot */
	OP_USER_CLOSED_BIG,    /* slot */
	OP_GAP,		       /* kind, words */
	OP_RESUMED,	       /* distance of the resume's stamp before the record's */
	OP_COUNTER = 0x80,     /* and the counter, when it is below OP_SMALL_COUNTERS; value folded */
	OP_USER_OPENED = 0xc0, /* and the slot, when it is below OP_SMALL_SLOTS */
	OP_USER_CLOSED = 0xe0
};
#define OP_SMALL_PHASES 0x40
#define OP_SMALL_COUNTERS 0x40
#define OP_SMALL_SLOTS 0x20

/* The longest record: a tag, an opcode, a stamp and the buckets. */
#define RECORD_MAX (2 + VARINT_MAX + RTEV_ALLOC_BUCKETS * VARINT_MAX + VARINT_SLACK)
/* The longest head of a block: two counts, and two numbers for each open span. */
#define HEAD_MAX (2 * VARINT_MAX + 2 * HISTORY_DEPTH * 2 * VARINT_MAX)

/*
 * The tag of a record is in the three lowest bits of its first byte; the bits above hold the distance of the
 * timestamp, as in a varint.
 *      0 to TAG_GUESSED_MAX    number of further bytes of the distance; the opcode is the guessed one
 *      TAG_TOLD + n            n further bytes, then the opcode
 *      TAG_WIDE                the opcode follows, then the distance as a varint
 */
enum { TAG_BITS = 3, TAG_GUESSED_MAX = 3, TAG_TOLD = 4, TAG_TOLD_MAX = 2, TAG_WIDE = 7 };

/* What the next guess goes by after an opcode. */
static inline uint16_t guess_context(unsigned context, unsigned opcode)
{
	return (uint16_t)((context << 5 ^ opcode) % HISTORY_CONTEXTS);
}

/* Update the guess with an opcode. */
static inline void guess_learn(struct history_guess *g, unsigned opcode)
{
	g->next[g->context] = (uint8_t)opcode;
	g->context = guess_context(g->context, opcode);
}

/* Write tag, distance and opcode of a record; returns the position of its operands. */
static inline uint8_t *record_begin(uint8_t *p, struct history_guess *g, unsigned opcode, uint64_t distance)
{
	bool guessed = g->next[g->context] == opcode;
	/* Bytes after the first, as in a varint. */
	unsigned more = (3u + (63u ^ (unsigned)__builtin_clzll(distance | 1))) / 8;

	guess_learn(g, opcode);
	if (more > (guessed ? TAG_GUESSED_MAX : TAG_TOLD_MAX)) {
		*p++ = TAG_WIDE;
		*p++ = (uint8_t)opcode;
		return varint_put(p, distance);
	}
	uint64_t word = htole64(distance << TAG_BITS | (more + (guessed ? 0 : TAG_TOLD)));
	memcpy(p, &word, sizeof(word));
	p += more + 1;
	*p = (uint8_t)opcode;
	return p + !guessed;
}

/* Read opcode and distance of a record; returns the position of its operands. */
static inline const uint8_t *record_read(
    const uint8_t *p, const struct history_guess *g, unsigned *opcode, uint64_t *distance)
{
	unsigned tag = *p & ((1u << TAG_BITS) - 1), more = tag % TAG_TOLD;
	uint64_t word;

	if (tag == TAG_WIDE) {
		*opcode = p[1];
		p += 2;
		*distance = varint_get(&p);
		return p;
	}
	memcpy(&word, p, sizeof(word));
	*distance = (le64toh(word) & UINT64_MAX >> (56 - 8 * more)) >> TAG_BITS;
	p += more + 1;
	*opcode = tag >= TAG_TOLD ? *p : g->next[g->context];
	return p + (tag >= TAG_TOLD);
}

#define HISTORY_RESUMES 64

struct history_block {
	unsigned users;	      /* the history, unless it has evicted it, and its copies */
	uint16_t min_depth;   /* lowest depth of a span that closed or was dropped in it */
	uint32_t used;	      /* bytes; set when the block is full */
	uint64_t first, last; /* timestamps; `last` is set when the block is full */
	uint8_t data[HISTORY_BLOCK];
};

struct slot {
	uint64_t number; /* of the slot, plus one; 0: never used */
	uint64_t pause_max;
	uint32_t gc;
	uint32_t events;
	uint64_t lost;
};

struct history_domain {
	/* writing */
	uint8_t *at; /* NULL when there is no current block */
	uint8_t *limit;
	struct history_block *current;
	uint64_t first; /* stamps */
	uint64_t last;
	uint64_t slot_end;    /* of the current slot */
	uint32_t slot_events; /* not yet added to the slot */
	struct slot *slot;
	bool begun;
	unsigned domain;
	unsigned resumes; /* how many of the history's have been applied */
	unsigned depth;
	unsigned user_count;
	struct history_frame open[HISTORY_DEPTH];
	struct history_frame users[HISTORY_DEPTH];
	struct history_guess guess;

	/* kept */
	uint64_t next_serial;
	uint64_t
	    from; /* no event is missing from here on; earlier than the first block after eviction; 0: no block yet */
	struct history_block **order;
	unsigned order_first;
	unsigned order_count;
	unsigned order_size;
	struct slot *slots; /* HISTORY_SLOTS of them, slot n at n mod HISTORY_SLOTS; NULL: out of memory */
};

struct history {
	struct history_domain *domains[MODEL_DOMAINS_MAX];
	unsigned domain_limit; /* domains from here up are NULL */
	size_t budget;
	size_t bytes; /* in use */
	size_t slot_bytes;
	uint64_t untracked;
	uint64_t last; /* the latest stamp of all */
	uint64_t from; /* nothing has given way from here on */
	bool complete;

	size_t block_count, block_limit;

	uint64_t resumes[HISTORY_RESUMES]; /* the latest, a ring in order of their coming */
	unsigned resume_count;		   /* ever */
	uint64_t resume;		   /* the latest stamp of all */
};

/* ---- open spans, of which writer and readers keep the same ---- */

/* Take one out, by its place. */
static inline void frames_remove(struct history_frame *frames, unsigned *count, unsigned at)
{
	--*count;
	memmove(&frames[at], &frames[at + 1], (*count - at) * sizeof(*frames));
}

/* A user span begins.  When there are too many, the oldest is forgotten. */
static inline void frames_push(struct history_frame *frames, unsigned *count, uint64_t ts, uint32_t slot)
{
	if (*count == HISTORY_DEPTH)
		frames_remove(frames, count, 0);
	frames[(*count)++] = (struct history_frame){ts, slot};
}

/* A user span ends: the latest of its slot.  Returns when it began, 0 if that is not known. */
static inline uint64_t frames_pop(struct history_frame *frames, unsigned *count, uint32_t slot)
{
	for (unsigned i = *count; i-- > 0;) {
		if (frames[i].id != slot)
			continue;
		uint64_t begin = frames[i].begin;
		frames_remove(frames, count, i);
		return begin;
	}
	return 0;
}

/* Drop those begun before a stamp. */
static inline void frames_drop(struct history_frame *frames, unsigned *count, uint64_t ts)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < *count; i++)
		if (frames[i].begin >= ts)
			frames[kept++] = frames[i];
	*count = kept;
}

/* A domain's i-th block, from the oldest. */
static inline struct history_block *domain_block(const struct history_domain *d, size_t i)
{
	return d->order[d->order_first + i];
}

/* The stamp of the last event of a block. */
static inline uint64_t block_last(const struct history_domain *d, const struct history_block *b)
{
	return b == d->current ? d->last : b->last;
}

/* The domain, or NULL when nothing has come of it. */
static inline struct history_domain *history_domain_at(const struct history *h, unsigned domain)
{
	return domain < MODEL_DOMAINS_MAX ? h->domains[domain] : NULL;
}

/*
 * Give the domain a new current block that begins at ts with the spans open now.  If there is none to be had, it returns
 * false, and the domain has no block at all.
 */
bool blocks_begin(struct history *h, struct history_domain *d, uint64_t ts);

/* Take back all blocks of a domain. */
void blocks_clear(struct history *h, struct history_domain *d);

/* ---- events, for an observer that has them all ---- */

/* Take in an event of any kind and any stamp. */
void history_opened(void *history, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth);
void history_closed(void *history, unsigned domain, const struct model_span *span);
void history_counter(void *history, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value);

/* Add a finished pause to the coarse slots. */
void history_pause(struct history_domain *d, uint64_t begin, uint64_t end);

/* The same of one that ended in the current slot: most began in it and are not its longest. */
static inline void history_take_pause(struct history_domain *d, uint64_t begin, uint64_t end)
{
	struct slot *now = d->slot;
	uint64_t duration = end - begin;

	if (now == NULL || d->slot_end - begin > HISTORY_SLOT || duration > now->pause_max ||
	    duration > HISTORY_SLOT - now->gc)
		history_pause(d, begin, end);
	else
		now->gc += (uint32_t)duration;
}

/* Return whether an event needs but its record, in the current block and slot and with the guessed opcode. */
static inline bool history_plain(const struct history_domain *d, uint64_t ts, unsigned opcode)
{
	return d != NULL && ts >= d->last && ts < d->slot_end && d->at < d->limit &&
	       d->guess.next[d->guess.context] == opcode &&
	       ts - d->last < UINT64_C(1) << (8 * (TAG_GUESSED_MAX + 1) - TAG_BITS);
}

/* Write tag and distance of a record whose opcode is the guessed one; returns the position after it. */
static inline uint8_t *history_put_guessed(uint8_t *p, uint64_t distance)
{
	unsigned more = (3u + (63u ^ (unsigned)__builtin_clzll(distance | 1))) / 8;
	uint64_t word = htole64(distance << TAG_BITS | more);

	memcpy(p, &word, sizeof(word));
	return p + more + 1;
}

/* Write tag and distance of such an event; returns the position of its operands. */
static inline uint8_t *history_record_plain(
    struct history *h, struct history_domain *d, uint64_t ts, unsigned opcode)
{
	uint8_t *after = history_put_guessed(d->at, ts - d->last);

	d->guess.context = guess_context(d->guess.context, opcode);
	d->slot_events++;
	if (ts > h->last)
		h->last = ts;
	d->last = ts;
	return after;
}

/* A span begins. */
static inline void history_take_opened(
    struct history *h, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct history_domain *d = h->domains[domain];

	if (phase >= OP_SMALL_PHASES || !history_plain(d, ts, OP_OPENED + phase) || depth != d->depth ||
	    depth >= HISTORY_DEPTH) {
		history_opened(h, domain, phase, ts, depth);
		return;
	}
	d->at = history_record_plain(h, d, ts, OP_OPENED + phase);
	d->open[depth] = (struct history_frame){ts, phase};
	d->depth = depth + 1;
}

/* A span ends. */
static inline __attribute__((always_inline)) void history_take_closed(
    struct history *h, unsigned domain, const struct model_span *span)
{
	struct history_domain *d = h->domains[domain];

	if (!history_plain(d, span->end, OP_CLOSED) || span->depth + 1 != d->depth) {
		history_closed(h, domain, span);
		return;
	}
	if (span->pause)
		history_take_pause(d, span->begin, span->end);
	d->at = history_record_plain(h, d, span->end, OP_CLOSED);
	if (span->depth < d->current->min_depth)
		d->current->min_depth = (uint16_t)span->depth;
	d->depth = span->depth;
}

/* A span begins and ends, inside another one.  False, and nothing changed, if it needs more than two records
 * in the current block and slot with the guessed opcodes: history_take_both. */
static inline __attribute__((always_inline)) bool history_try_both(
    struct history *h, unsigned domain, const struct model_span *span)
{
	const uint64_t most = UINT64_C(1) << (8 * (TAG_GUESSED_MAX + 1) - TAG_BITS);
	struct history_domain *d = h->domains[domain];
	unsigned opcode = OP_OPENED + span->phase, depth = span->depth;

	if (d == NULL || depth != d->depth || depth >= HISTORY_DEPTH || span->phase >= OP_SMALL_PHASES)
		return false;
	_Static_assert(
	    RECORD_MAX >= 2 * (TAG_GUESSED_MAX + 1) + VARINT_SLACK, "the room of a record is enough");
	/* A begin before the latest stamp is a distance that is too large. */
	uint64_t before = span->begin - d->last, within = span->end - span->begin;
	if ((before | within) >= most || span->end >= d->slot_end || d->at >= d->limit)
		return false;
	unsigned inside = guess_context(d->guess.context, opcode);
	if (d->guess.next[d->guess.context] != opcode || d->guess.next[inside] != OP_CLOSED)
		return false;
	d->at = history_put_guessed(history_put_guessed(d->at, before), within);
	d->guess.context = guess_context(inside, OP_CLOSED);
	d->slot_events += 2;
	if (span->end > h->last)
		h->last = span->end;
	d->last = span->end;
	if (depth < d->current->min_depth)
		d->current->min_depth = (uint16_t)depth;
	return true;
}

/* The same of any span. */
static inline void history_take_both(struct history *h, unsigned domain, const struct model_span *span)
{
	if (history_try_both(h, domain, span))
		return;
	history_opened(h, domain, span->phase, span->begin, span->depth);
	history_take_closed(h, domain, span);
}

/* A counter came. */
static inline void history_take_counter(
    struct history *h, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct history_domain *d = h->domains[domain];

	if (counter >= OP_SMALL_COUNTERS || !history_plain(d, ts, OP_COUNTER + counter)) {
		history_counter(h, domain, ts, counter, value);
		return;
	}
	uint8_t *p = history_record_plain(h, d, ts, OP_COUNTER + counter);
	/* Differences wrap around. */
	uint64_t change = (uint64_t)value - (uint64_t)d->guess.values[counter];
	d->guess.values[counter] = value;
	d->at = varint_put(p, fold((int64_t)change));
}

/* ---- reading, inline for the timelines ---- */

/* The begin or the end of a runtime span, as it was read. */
struct history_edge {
	uint64_t ts;
	bool opened;
	unsigned depth;
	uint32_t phase; /* of a begin */
};

/* Whether a reader's block is still in the history. */
static inline bool cursor_valid(struct history_cursor *c)
{
	if (!c->gone) {
		const struct history_domain *d = c->history->domains[c->domain];
		c->gone = d->next_serial - c->serial > d->order_count;
	}
	return !c->gone;
}

/* As history_next, for an edge of which the reader's block has all; false, with the reader unmoved, for
 * anything else. */
static inline bool history_take_edge(struct history_cursor *c, uint64_t until, struct history_edge *out)
{
	unsigned opcode;
	uint64_t distance;

	if (!cursor_valid(c) || c->at >= c->end)
		return false;
	const uint8_t *at = record_read(c->at, &c->guess, &opcode, &distance);
	uint64_t ts = c->ts + distance;
	if (opcode > OP_CLOSED || ts >= until)
		return false;
	guess_learn(&c->guess, opcode);
	c->at = at;
	c->ts = ts;
	out->ts = ts;
	out->opened = opcode < OP_CLOSED;
	out->phase = opcode;
	if (out->opened) {
		out->depth = c->depth;
		c->open[c->depth++] = (struct history_frame){ts, opcode};
	} else
		out->depth = --c->depth;
	return true;
}
