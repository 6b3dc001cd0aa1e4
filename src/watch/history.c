/*
 * history.c - takes events into a history; see history.h, and history_private.h for how they are stored.
 *
 * Records omit what a reader can infer: an end event closes the innermost span, so the writer keeps the same
 * stack of open spans as a reader.
 */
#include "watch/history_private.h"

_Static_assert(RTEV_PHASE_COUNT <= OP_SMALL_PHASES, "every known phase has an opcode");
_Static_assert(RTEV_COUNTER_COUNT <= OP_SMALL_COUNTERS, "every known counter has an opcode");
_Static_assert(OP_SMALL_COUNTERS <= HISTORY_GUESSED_COUNTERS, "and a guess");

struct history *history_create(size_t budget)
{
	struct history *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return NULL;
	h->budget = budget == 0 ? HISTORY_BUDGET : budget;
	if (h->budget < HISTORY_BUDGET_MIN)
		h->budget = HISTORY_BUDGET_MIN;
	h->complete = true;
	h->bytes = sizeof(*h);
	h->block_limit = h->budget / 8 * 7 / sizeof(struct history_block);
	return h;
}

void history_destroy(struct history *h)
{
	if (h == NULL)
		return;
	for (unsigned i = 0; i < h->domain_limit; i++) {
		if (h->domains[i] == NULL)
			continue;
		blocks_clear(h, h->domains[i]);
		free(h->domains[i]->order);
		free(h->domains[i]->slots);
		free(h->domains[i]);
	}
	free(h);
}

static struct history_domain *domain_make(struct history *h, unsigned domain)
{
	size_t slots = HISTORY_SLOTS * sizeof(struct slot);
	struct history_domain *d;

	if (domain >= MODEL_DOMAINS_MAX)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return NULL;
	d->domain = domain;
	d->resumes = h->resume_count;
	h->bytes += sizeof(*d);
	/* A flood of domains must not take the blocks' memory away. */
	if (h->slot_bytes + slots <= h->budget / 10)
		d->slots = calloc(HISTORY_SLOTS, sizeof(*d->slots));
	if (d->slots != NULL) {
		h->slot_bytes += slots;
		h->bytes += slots;
	}
	h->domains[domain] = d;
	if (domain >= h->domain_limit)
		h->domain_limit = domain + 1;
	return d;
}

/* Coarse slot of ts, cleared if it held an earlier time; NULL if ts is older than all slots. */
static struct slot *domain_slot(struct history_domain *d, uint64_t ts)
{
	uint64_t number = ts / HISTORY_SLOT;

	if (d->slots == NULL)
		return NULL;
	struct slot *s = &d->slots[number % HISTORY_SLOTS];
	if (s->number > number + 1)
		return NULL;
	if (s->number != number + 1)
		*s = (struct slot){.number = number + 1};
	return s;
}

/* Start a record: ensure room for the longest, write opcode and timestamp.  NULL if memory ran out. */
static inline uint8_t *domain_record(
    struct history *h, struct history_domain *d, uint64_t ts, unsigned opcode)
{
	if (d->at >= d->limit) {
		if (!blocks_begin(h, d, ts)) {
			h->untracked++;
			return NULL;
		}
		d->last = ts;
	}
	uint8_t *p = record_begin(d->at, &d->guess, opcode, ts - d->last);
	d->last = ts;
	return p;
}

/* Record the resumes before an event at ts. */
static void domain_resume(struct history *h, struct history_domain *d, uint64_t ts)
{
	if (h->resume_count - d->resumes > HISTORY_RESUMES)
		d->resumes = h->resume_count - HISTORY_RESUMES;
	while (d->resumes != h->resume_count && h->resumes[d->resumes % HISTORY_RESUMES] <= ts) {
		uint64_t at = h->resumes[d->resumes++ % HISTORY_RESUMES];
		uint64_t stamp = at > d->last ? at : d->last;
		uint8_t *p = domain_record(h, d, stamp, OP_RESUMED);

		if (p != NULL)
			d->at = varint_put(p, stamp - at);
		frames_drop(d->users, &d->user_count, at);
	}
}

/* Add the events since the last call to their slot. */
static void domain_count(struct history_domain *d)
{
	if (d->slot != NULL)
		d->slot->events += d->slot_events;
	d->slot_events = 0;
}

/* Rare work before an event is written: change of slot, resumes. */
static void domain_attend(struct history *h, struct history_domain *d, uint64_t ts)
{
	if (!d->begun) {
		d->begun = true;
		d->first = d->last = ts;
	}
	if (d->resumes != h->resume_count)
		domain_resume(h, d, ts);
	domain_count(d);
	d->slot = domain_slot(d, ts);
	d->slot_end = (ts / HISTORY_SLOT + 1) * HISTORY_SLOT;
	if (d->slot_end < ts || d->resumes != h->resume_count)
		d->slot_end = ts;
}

/* Discard a domain's history: its timestamps were invalid. */
static void domain_restart(struct history *h, struct history_domain *d)
{
	blocks_clear(h, d);
	d->begun = false;
	d->depth = d->user_count = 0;
	d->slot_end = 0;
	d->slot_events = 0;
	d->last = 0;
	if (d->slots != NULL)
		memset(d->slots, 0, HISTORY_SLOTS * sizeof(*d->slots));
	h->last = 0;
	for (unsigned i = 0; i < h->domain_limit; i++)
		if (h->domains[i] != NULL && h->domains[i]->last > h->last)
			h->last = h->domains[i]->last;
}

/*
 * Account for the timestamp of an event; raises *ts to the domain's latest one if it goes back.  NULL if the
 * domain is beyond the limit or memory ran out.
 */
static inline struct history_domain *history_touch(struct history *h, unsigned domain, uint64_t *ts)
{
	struct history_domain *d = history_domain_at(h, domain);

	if (d == NULL && (d = domain_make(h, domain)) == NULL) {
		h->untracked++;
		return NULL;
	}
	if (*ts < d->last) {
		if (d->last - *ts > HISTORY_BACK)
			domain_restart(h, d);
		else
			*ts = d->last;
	}
	if (*ts >= d->slot_end)
		domain_attend(h, d, *ts);
	d->slot_events++;
	if (*ts > h->last)
		h->last = *ts;
	return d;
}

void history_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct history *h = ctx;
	struct history_domain *d = history_touch(h, domain, &ts);

	if (d == NULL)
		return;
	if (depth != d->depth || depth >= HISTORY_DEPTH) {
		h->untracked++;
		return;
	}
	uint8_t *p = domain_record(h, d, ts, phase < OP_SMALL_PHASES ? OP_OPENED + phase : OP_OPENED_BIG);
	if (p != NULL)
		d->at = phase < OP_SMALL_PHASES ? p : varint_put(p, phase);
	d->open[depth] = (struct history_frame){ts, phase};
	d->depth++;
}

/* Record that the span at a depth was dropped. */
static void domain_drop(struct history *h, struct history_domain *d, unsigned depth)
{
	uint8_t *p = domain_record(h, d, d->last, OP_DROPPED);

	if (p != NULL) {
		d->at = varint_put(p, depth);
		if (depth < d->current->min_depth)
			d->current->min_depth = (uint16_t)depth;
	}
	frames_remove(d->open, &d->depth, depth);
}

void history_pause(struct history_domain *d, uint64_t begin, uint64_t end)
{
	struct slot *now = d->slot;

	if (now == NULL)
		return;
	if (end - begin > now->pause_max)
		now->pause_max = end - begin;
	/* Most lie in the current slot. */
	if (end < d->slot_end && d->slot_end - begin <= HISTORY_SLOT) {
		now->gc +=
		    end - begin > HISTORY_SLOT - now->gc ? HISTORY_SLOT - now->gc : (uint32_t)(end - begin);
		return;
	}
	uint64_t earliest = end / HISTORY_SLOT < HISTORY_SLOTS ? 0 : end / HISTORY_SLOT - HISTORY_SLOTS + 1;
	uint64_t from = begin < earliest * HISTORY_SLOT ? earliest * HISTORY_SLOT : begin;
	while (from < end) {
		uint64_t to = (from / HISTORY_SLOT + 1) * HISTORY_SLOT;
		struct slot *s = domain_slot(d, from);

		if (to > end || to < from)
			to = end;
		if (s != NULL)
			s->gc +=
			    to - from > HISTORY_SLOT - s->gc ? HISTORY_SLOT - s->gc : (uint32_t)(to - from);
		from = to;
	}
}

void history_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct history *h = ctx;
	uint64_t end = span->end;
	struct history_domain *d = history_touch(h, domain, &end);

	if (d == NULL)
		return;
	if (span->pause && end >= span->begin)
		history_pause(d, span->begin, end);
	if (span->depth >= d->depth)
		return;
	while (d->depth > span->depth + 1)
		domain_drop(h, d, d->depth - 1);
	uint8_t *p = domain_record(h, d, end, OP_CLOSED);
	if (p != NULL) {
		d->at = p;
		if (span->depth < d->current->min_depth)
			d->current->min_depth = (uint16_t)span->depth;
	}
	d->depth--;
}

static void history_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct history *h = ctx;
	struct history_domain *d = history_domain_at(h, domain);

	if (d != NULL && depth < d->depth)
		domain_drop(h, d, depth);
}

void history_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct history *h = ctx;
	struct history_domain *d = history_touch(h, domain, &ts);
	bool small = counter < OP_SMALL_COUNTERS;
	uint8_t *p =
	    d == NULL ? NULL : domain_record(h, d, ts, small ? OP_COUNTER + counter : OP_COUNTER_BIG);

	if (p == NULL)
		return;
	if (!small) {
		p = varint_put(p, counter);
		d->at = varint_put(p, fold(value));
		return;
	}
	/* Differences wrap around. */
	uint64_t change = (uint64_t)value - (uint64_t)d->guess.values[counter];
	d->guess.values[counter] = value;
	d->at = varint_put(p, fold((int64_t)change));
}

static void history_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	struct history *h = ctx;
	struct history_domain *d = history_touch(h, domain, &ts);
	uint8_t *p = d == NULL ? NULL : domain_record(h, d, ts, OP_ALLOC);

	if (p == NULL)
		return;
	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		p = varint_put(p, buckets[i]);
	d->at = p;
}

static void history_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct history *h = ctx;
	struct history_domain *d = history_touch(h, domain, &ts);
	uint8_t *p = d == NULL ? NULL : domain_record(h, d, ts, OP_LIFECYCLE);

	if (p != NULL)
		d->at = varint_put(varint_put(p, event), fold(data));
}

static void history_user(void *ctx, unsigned domain, uint64_t ts, unsigned slot, int64_t value)
{
	struct history *h = ctx;
	struct history_domain *d = history_touch(h, domain, &ts);
	uint8_t *p = d == NULL ? NULL : domain_record(h, d, ts, value == 0 ? OP_USER_ZERO : OP_USER);

	if (p == NULL)
		return;
	p = varint_put(p, slot);
	d->at = value == 0 ? p : varint_put(p, fold(value));
}

static void history_user_opened(void *ctx, unsigned domain, uint64_t ts, unsigned slot)
{
	struct history *h = ctx;
	struct history_domain *d = history_touch(h, domain, &ts);
	bool small = slot < OP_SMALL_SLOTS;

	if (d == NULL)
		return;
	uint8_t *p = domain_record(h, d, ts, small ? OP_USER_OPENED + slot : OP_USER_OPENED_BIG);
	if (p != NULL)
		d->at = small ? p : varint_put(p, slot);
	frames_push(d->users, &d->user_count, ts, slot);
}

static void history_user_closed(void *ctx, unsigned domain, uint64_t begin, uint64_t end, unsigned slot)
{
	struct history *h = ctx;
	struct history_domain *d = history_touch(h, domain, &end);
	bool small = slot < OP_SMALL_SLOTS;

	if (d == NULL)
		return;
	uint8_t *p = domain_record(h, d, end, small ? OP_USER_CLOSED + slot : OP_USER_CLOSED_BIG);
	if (p != NULL)
		d->at = small ? p : varint_put(p, slot);
	frames_pop(d->users, &d->user_count, slot);
}

static void history_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts,
    uint64_t words, uint64_t history)
{
	struct history *h = ctx;
	struct history_domain *d = history_domain_at(h, domain);

	/* What was lost before the first event is no part of the history. */
	if (d == NULL || !d->begun)
		return;
	uint8_t *p = domain_record(h, d, words == 0 && after_ts > d->last ? after_ts : d->last, OP_GAP);
	if (p != NULL)
		d->at = varint_put(varint_put(p, kind), words);
	d->user_count = 0;
	if (d->slot != NULL && kind != MODEL_NOTE_RESTART)
		d->slot->lost += words;
}

/* The loss of the latest gap began later: a gap without words moves its begin. */
static void history_lost_from(void *ctx, unsigned domain, uint64_t ts)
{
	struct history *h = ctx;
	struct history_domain *d = history_domain_at(h, domain);

	if (d != NULL && d->begun && ts > d->last)
		history_gap(h, domain, MODEL_NOTE_LOST, ts, 0, 0);
}

static void history_resumed(void *ctx, uint64_t ts)
{
	struct history *h = ctx;

	h->resumes[h->resume_count++ % HISTORY_RESUMES] = ts;
	if (ts > h->resume)
		h->resume = ts;
	for (unsigned i = 0; i < h->domain_limit; i++)
		if (h->domains[i] != NULL)
			h->domains[i]->slot_end = 0;
}

void history_observer(struct history *h, struct model_observer *out)
{
	*out = (struct model_observer){
	    .ctx = h,
	    .opened = history_opened,
	    .closed = history_closed,
	    .dropped = history_dropped,
	    .counter = history_counter,
	    .alloc = history_alloc,
	    .lifecycle = history_lifecycle,
	    .user = history_user,
	    .user_opened = history_user_opened,
	    .user_closed = history_user_closed,
	    .user_closed_stale = history_user_closed,
	    .gap = history_gap,
	    .lost_from = history_lost_from,
	    .resumed = history_resumed,
	};
}

struct history_range history_range(const struct history *h)
{
	uint64_t kept = (uint64_t)HISTORY_SLOT * (HISTORY_SLOTS - 1), first = UINT64_MAX;

	for (unsigned i = 0; i < h->domain_limit; i++) {
		uint64_t ts = history_domain_from(h, i, NULL);

		first = ts < first ? ts : first;
	}
	return (struct history_range){
	    .from = first > h->from ? first : h->from,
	    .slots_from = h->last < kept ? 0 : (h->last - kept) / HISTORY_SLOT * HISTORY_SLOT,
	    .to = h->last,
	    .complete = h->complete,
	    .bytes = h->bytes,
	    .budget = h->budget,
	    .untracked = h->untracked,
	};
}
