/*
 * history.c - adds events to a history, and manages its blocks; see history.h, and history_private.h for the
 * format.
 *
 * Blocks are allocated until they use seven eighths of the budget; the rest is for coarse slots and
 * per-domain data. After that a new block replaces, among the oldest ones of all domains, that with the
 * earliest last record.
 *
 * This is one file, since a record is written for each event, by inlined steps from the observer to the block.
 */
#include "watch/history_private.h"

#include "core/array.h"

#define ORDER_FIRST 16

struct history *history_create(const struct path_tree *paths, size_t budget)
{
	struct history *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return NULL;
	h->paths = paths;
	h->budget = budget == 0 ? HISTORY_BUDGET : budget;
	if (h->budget < HISTORY_BUDGET_MIN)
		h->budget = HISTORY_BUDGET_MIN;
	h->complete = true;
	h->bytes = sizeof(*h);
	h->block_limit = h->budget / 8 * 7 / sizeof(struct history_block) - 2;
	return h;
}

/* ---- blocks ---- */

/* Take a domain's oldest block out of its order. */
static struct history_block *domain_take(struct history_domain *d)
{
	struct history_block *b = domain_block(d, 0);

	d->order_first++;
	d->order_count--;
	if (b == d->current) {
		d->current = NULL;
		d->at = d->limit = NULL;
	}
	return b;
}

/* Return all blocks of a domain to the history. */
static void blocks_clear(struct history *h, struct history_domain *d)
{
	while (d->order_count > 0) {
		struct history_block *b = domain_take(d);
		if (--b->users == 0)
			free(b);
		h->block_count--;
		h->bytes -= sizeof(*b);
	}
	d->from = 0;
}

/* Evict the block with the earliest last record.  Returns NULL if there is no block. */
static struct history_block *blocks_take(struct history *h)
{
	struct history_domain *from = NULL;
	uint64_t oldest = UINT64_MAX;

	for (unsigned i = 0; i < h->domain_limit; i++) {
		struct history_domain *d = h->domains[i];
		uint64_t last = d != NULL && d->order_count > 0 ? block_last(d, domain_block(d, 0)) : 0;

		if (d != NULL && d->order_count > 0 && (from == NULL || last < oldest)) {
			from = d;
			oldest = last;
		}
	}
	if (from == NULL)
		return NULL;
	from->from = oldest + (oldest < UINT64_MAX);
	h->from = from->from > h->from ? from->from : h->from;
	h->complete = false;
	return domain_take(from);
}

/* Return a block that belongs to no domain, evicting one if needed.  NULL when memory ran out. */
static struct history_block *blocks_get(struct history *h)
{
	struct history_block *b = h->block_count < h->block_limit ? malloc(sizeof(*b)) : NULL;

	if (b != NULL) {
		h->block_count++;
		h->bytes += sizeof(*b);
		return b;
	}
	b = blocks_take(h);
	if (b == NULL || b->users == 1)
		return b;
	/* A copy still uses it. */
	b->users--;
	b = malloc(sizeof(*b));
	if (b == NULL) {
		h->block_count--;
		h->bytes -= sizeof(*b);
	}
	return b;
}

/* Make room for one more block at the end of a domain's order. */
static bool domain_order_grow(struct history *h, struct history_domain *d)
{
	unsigned size = d->order_size == 0 ? ORDER_FIRST : d->order_size * 2;
	struct history_block **order;

	if (d->order_first + d->order_count < d->order_size)
		return true;
	if (d->order_first > d->order_size / 2) {
		memmove(d->order, d->order + d->order_first, d->order_count * sizeof(*order));
		d->order_first = 0;
		return true;
	}
	order = realloc(d->order, size * sizeof(*order));
	if (order == NULL)
		return false;
	h->bytes += (size - d->order_size) * sizeof(*order);
	d->order = order;
	d->order_size = size;
	return true;
}

/* Set whether the next event can be added without further work. */
static void domain_plain(struct history_domain *d, bool plain)
{
	d->plain = plain;
	d->limit = plain && d->current != NULL ? d->room : NULL;
}

/* Complete the current block, which is full. */
static void block_end(const struct history_domain *d, struct history_block *b)
{
	b->last = d->last;
	b->reach = d->reach;
	b->used = (uint32_t)(d->at - b->data);
	b->odd = d->odd || d->ended >> SUMS_DEPTHS != 0;
	b->ended = d->ended;
	for (unsigned depth = 1; depth <= SUMS_DEPTHS; depth++)
		b->inside[depth] = domain_inside(d, depth);
}

/* Begin a new current block at ts.  Returns false if there is none; the domain then has no block at all. */
static bool blocks_begin(struct history *h, struct history_domain *d, uint64_t ts)
{
	struct history_block *b = NULL;

	if (d->current != NULL)
		block_end(d, d->current);
	d->current = NULL;
	d->at = d->limit = NULL;
	if (domain_order_grow(h, d))
		b = blocks_get(h);
	d->next_serial++;
	if (b == NULL) {
		/* There must be no gap between blocks. */
		blocks_clear(h, d);
		h->complete = false;
		return false;
	}
	b->users = 1;
	d->reach = b->user_reach = UINT64_MAX;
	b->outermost = false;
	b->first = d->written = ts;
	d->order[d->order_first + d->order_count++] = b;
	d->current = b;
	d->from = d->from != 0 ? d->from : ts;
	d->path = 0;
	memset(d->next, 0, sizeof(d->next));
	memset(d->places, 0, sizeof(d->places));
	memcpy(b->inside, d->inside, sizeof(b->inside));
	d->ended = b->sum_count = 0;
	d->odd = d->pathless;
	b->losing = d->losing;
	d->at = b->data;
	d->room = b->data + HISTORY_BLOCK - RECORD_MAX - 2 * sizeof(struct history_sum);
	block_sum(b, 0)->self = 0;
	domain_plain(d, d->plain);
	return true;
}

/* ---- domains ---- */

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

/* Copy a domain, which shares the blocks.  Returns NULL when memory ran out. */
static struct history_domain *domain_copy(const struct history_domain *from, bool *ok)
{
	struct history_domain *d = copy_bytes(from, sizeof(*from), ok);

	if (d == NULL)
		return NULL;
	d->order = copy_bytes(from->order, from->order_size * sizeof(struct history_block *), ok);
	d->slots = copy_bytes(from->slots, SLOTS_BYTES, ok);
	if (d->order == NULL)
		d->order_count = 0;
	for (unsigned i = 0; i < d->order_count; i++)
		domain_block(d, i)->users++;
	/* The current block continues without the copy. */
	d->odd = true;
	return d;
}

struct history *history_copy(const struct history *origin, const struct path_tree *paths)
{
	bool ok = true;
	struct history *h = copy_bytes(origin, sizeof(*origin), &ok);

	if (h == NULL)
		return NULL;
	h->paths = paths;
	for (unsigned i = 0; i < origin->domain_limit; i++)
		h->domains[i] = ok ? domain_copy(origin->domains[i], &ok) : NULL;
	if (ok)
		return h;
	history_destroy(h);
	return NULL;
}

static struct history_domain *domain_make(struct history *h, unsigned domain)
{
	struct history_domain *d;

	if (domain >= MODEL_DOMAINS_MAX)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return NULL;
	h->bytes += sizeof(*d);
	/* Many domains must not use up the memory for blocks. */
	if (h->slot_bytes + SLOTS_BYTES <= h->budget / 10)
		d->slots = calloc(1, SLOTS_BYTES);
	if (d->slots != NULL) {
		h->slot_bytes += SLOTS_BYTES;
		h->bytes += SLOTS_BYTES;
	}
	h->domains[domain] = d;
	if (domain >= h->domain_limit)
		h->domain_limit = domain + 1;
	return d;
}

/* Discard a domain's history: its timestamps were invalid. */
static void domain_restart(struct history *h, struct history_domain *d)
{
	blocks_clear(h, d);
	d->begun = d->losing = d->plain = false;
	d->last = d->floor = d->waited = 0;
	memset(d->inside, 0, sizeof(d->inside));
	if (d->slots != NULL)
		memset(d->slots, 0, SLOTS_BYTES);
}

/* ---- records ---- */

/* Return how many bytes a number takes besides one. */
static inline unsigned number_more(uint64_t number)
{
	return (63u ^ (unsigned)__builtin_clzll(number | 1)) / 8;
}

/* The first byte of a record. */
static inline uint8_t record_head(unsigned what, unsigned first, unsigned second)
{
	return (uint8_t)(what | first << 2 | second << 5);
}

/* Begin a record at ts, in another block if there is no room for the longest one.  Returns NULL when memory
 * ran out. */
static uint8_t *domain_record(
    struct history *h, struct history_domain *d, uint64_t ts, unsigned what, uint64_t time)
{
	if ((d->current == NULL || d->at >= d->room) && !blocks_begin(h, d, ts)) {
		h->untracked++;
		return NULL;
	}
	uint64_t distance = ts - d->written, words[] = {htole64(distance), htole64(time)};
	unsigned first = number_more(distance), second = number_more(time);
	uint8_t *p = d->at;

	d->last = d->written = ts;
	*p++ = record_head(what, first, second);
	memcpy(p, &words[0], sizeof(words[0]));
	memcpy(p + first + 1, &words[1], sizeof(words[1]));
	return p + first + second + 2;
}

/* Make the sum of a path that has none yet in the current block.  Returns its place. */
static __attribute__((noinline)) unsigned sum_place(struct history_domain *d, uint16_t path)
{
	struct history_block *b = d->current;

	if (b->sum_count == SUMS_PATHS) {
		d->odd = true;
		return 0;
	}
	d->places[path] = ++b->sum_count;
	*block_sum(b, b->sum_count) = (struct history_sum){.path = path};
	d->room -= sizeof(struct history_sum);
	domain_plain(d, d->plain);
	return b->sum_count;
}

/* Add a span to the sums of the current block.  `self`: its time without the spans inside it that have a path. */
static inline void domain_sum(
    struct history_domain *d, unsigned depth, uint16_t path, uint64_t time, uint64_t self)
{
	unsigned place = d->places[path];

	if (place == 0)
		place = sum_place(d, path);
	d->inside[depth + 1] = 0;
	d->inside[depth] += time;
	block_sum(d->current, place)->self += self;
	d->ended |= UINT64_C(1) << depth;
}

/* Append a record of any kind other than a span. */
static void domain_point(struct history *h, struct history_domain *d, enum history_kind kind, uint64_t ts,
    uint64_t time, uint64_t id, uint64_t value)
{
	uint8_t *p = domain_record(h, d, ts, RECORD_POINT, time);

	if (p == NULL)
		return;
	p = varint_put(p, kind);
	if (kind != HISTORY_USER && kind != HISTORY_SEEN)
		p = varint_put(p, id);
	d->at = kind == HISTORY_GAP ? varint_put(p, value) : p;
	bool user = kind == HISTORY_USER_SPAN || kind == HISTORY_USER_CUT;
	if (user && ts - time < d->current->user_reach)
		d->current->user_reach = ts - time;
	if (kind == HISTORY_DROPPED && ts - time < d->reach)
		d->reach = ts - time;
	d->odd |= kind == HISTORY_DROPPED || kind == HISTORY_GAP || kind == HISTORY_SEEN;
}

/* Do the rare work before an event: the first event of all, the first after a gap. */
static void domain_attend(struct history *h, struct history_domain *d, uint64_t ts)
{
	if (!d->begun) {
		d->begun = true;
		d->first = ts;
		h->untracked += !blocks_begin(h, d, ts);
	}
	if (d->losing)
		domain_point(h, d, HISTORY_SEEN, ts, 0, 0, 0);
	d->losing = false;
	domain_plain(d, d->floor == 0);
}

/* Process the stamp of an event; *ts becomes the domain's latest one if it goes back.  Returns NULL if the
 * domain number is too high or memory ran out. */
static struct history_domain *domain_reach(struct history *h, unsigned domain, uint64_t *ts)
{
	struct history_domain *d = history_domain_at(h, domain);

	if (d == NULL && (d = domain_make(h, domain)) == NULL) {
		h->untracked++;
		return NULL;
	}
	if (*ts < d->last && d->last - *ts > HISTORY_BACK)
		domain_restart(h, d);
	else if (*ts < d->last)
		d->floor = *ts = d->last;
	if (!d->plain || *ts == d->floor)
		domain_attend(h, d, *ts);
	return d;
}

/* history_touch for any stamp. */
static __attribute__((noinline)) void touch_rare(struct history *h, unsigned domain, uint64_t ts)
{
	struct history_domain *d = domain_reach(h, domain, &ts);

	if (d != NULL)
		d->last = ts;
}

void history_touch(struct history *h, unsigned domain, uint64_t ts)
{
	struct history_domain *d = history_domain_at(h, domain);

	if (d != NULL && ts >= d->last && d->plain)
		d->last = ts;
	else
		touch_rare(h, domain, ts);
}

/* Whether the path of a span determines its phase and its depth: paths with a number of their own do. */
static inline bool path_tells(const struct model_span *span)
{
	return span->path < PATHS_NAMED;
}

/* history_closed of any span. */
static __attribute__((noinline)) void closed_rare(
    struct history *h, unsigned domain, const struct model_span *span)
{
	uint64_t end = span->end, begin;
	struct history_domain *d = domain_reach(h, domain, &end);

	if (d == NULL)
		return;
	begin = span->begin < d->floor ? d->floor : span->begin;
	begin = begin > end ? end : begin;
	h->untracked += span->depth >= HISTORY_DEPTH;
	d->last = end;
	if (span->depth >= HISTORY_DEPTH)
		return;
	uint64_t waited = d->waited + span->waited;
	d->waited = span->depth == 0 ? 0 : waited;
	bool tells = path_tells(span);
	uint8_t *p = domain_record(h, d, end, RECORD_PATH, end - begin);
	if (p == NULL)
		return;
	if (begin < d->reach)
		d->reach = begin;
	d->current->outermost |= span->depth == 0;
	uint64_t time = end - begin, inside = d->inside[span->depth + 1];
	if (span->path != PATH_NONE)
		domain_sum(d, span->depth, span->path, time, time > inside ? time - inside : 0);
	d->pathless = span->depth > 0 && (d->pathless || span->path == PATH_NONE);
	d->odd |= d->pathless;
	uint16_t path = (uint16_t)(span->path | (span->pause ? PATH_PAUSE : 0) | (tells ? 0 : PATH_TOLD));
	memcpy(p, &path, sizeof(path));
	p += sizeof(path);
	if (tells) {
		d->next[d->path] = span->path;
		d->path = span->path;
	} else
		p = varint_put(varint_put(p, span->depth), span->phase);
	d->at = span->pause ? varint_put(p, waited) : p;
}

/* Append the record of a span that has the guessed path; that of a pause has the time waited in it.  The caller adds the time
 * that other spans waited to `waited`.  Returns false, with nothing changed, if the span needs more work. */
static inline __attribute__((always_inline)) bool domain_span(
    struct history_domain *d, const struct model_span *span, bool pause)
{
	if (d == NULL || span->end < d->last || d->at >= d->limit || d->next[d->path] != span->path)
		return false;
	uint64_t distance = span->end - d->written, time = span->end - span->begin;
	unsigned first = number_more(distance), second = number_more(time);
	if (first + second > sizeof(uint64_t) - 3)
		return false;
	uint64_t word = record_head(pause ? RECORD_PAUSE : RECORD_SPAN, first, second) | distance << 8 |
			time << (8 * first + 16);
	uint8_t *p = d->at;
	word = htole64(word);
	memcpy(p, &word, sizeof(word));
	p += first + second + 3;
	d->path = span->path;
	d->last = d->written = span->end;
	if (span->begin < d->reach)
		d->reach = span->begin;
	d->at = pause ? varint_put(p, d->waited + span->waited) : p;
	domain_sum(d, span->depth, span->path, time, span->self);
	return true;
}

/* history_closed for an outermost span. */
static __attribute__((noinline)) void closed_outermost(
    struct history *h, unsigned domain, const struct model_span *span)
{
	struct history_domain *d = history_domain_at(h, domain);

	if (!domain_span(d, span, span->pause)) {
		closed_rare(h, domain, span);
		return;
	}
	d->waited = 0;
	d->pathless = false;
	d->current->outermost = true;
}

void history_inside(struct history *h, unsigned domain, const struct model_span *span)
{
	if (!domain_span(history_domain_at(h, domain), span, false))
		closed_rare(h, domain, span);
}

void history_closed(struct history *h, unsigned domain, const struct model_span *span)
{
	struct history_domain *d = history_domain_at(h, domain);

	if (span->depth == 0)
		closed_outermost(h, domain, span);
	else if (domain_span(d, span, false))
		d->waited += span->waited;
	else
		closed_rare(h, domain, span);
}

void history_pauses(struct history *h, const struct pauses *pauses)
{
	struct history_domain *d = history_domain_at(h, pauses->domain);

	if (d != NULL)
		slots_add(d->slots, pauses);
}

/* ---- an observer ---- */

static void on_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct history *h = ctx;
	struct history_domain *d = history_domain_at(h, domain);

	if (d == NULL || !d->begun || depth >= HISTORY_DEPTH)
		return;
	domain_point(h, d, HISTORY_DROPPED, d->last, begin < d->last ? d->last - begin : 0, depth, 0);
	if (depth > 0)
		d->inside[depth] += d->inside[depth + 1];
	memmove(
	    &d->inside[depth + 1], &d->inside[depth + 2], (HISTORY_DEPTH - 1 - depth) * sizeof(d->inside[0]));
	d->inside[HISTORY_DEPTH] = 0;
	d->waited = depth == 0 ? 0 : d->waited;
}

static void on_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	history_touch(ctx, domain, ts);
}

static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct history_domain *d = domain_reach(ctx, domain, &ts);

	if (d != NULL)
		domain_point(ctx, d, HISTORY_LIFECYCLE, ts, 0, event, 0);
}

static void on_user(void *ctx, unsigned domain, const struct model_user_event *event)
{
	const bool cut = event->what == MODEL_USER_DROPPED;
	struct history_domain *d = history_domain_at(ctx, domain);
	uint64_t ts = cut && d != NULL ? d->last : event->ts;

	if (event->what > MODEL_USER_DROPPED || (cut && (d == NULL || !d->begun)))
		return;
	d = cut ? d : domain_reach(ctx, domain, &ts);
	if (d == NULL)
		return;
	if (event->what == MODEL_USER_CAME)
		domain_point(ctx, d, HISTORY_USER, ts, 0, 0, 0);
	else if (event->what != MODEL_USER_OPENED)
		domain_point(ctx, d, cut ? HISTORY_USER_CUT : HISTORY_USER_SPAN, ts,
		    event->begin < ts ? ts - event->begin : 0, event->slot, 0);
	d->last = ts;
}

/* A gap without words moves the begin of the one before, whose loss began later. */
static void on_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	struct history *h = ctx;
	struct history_domain *d = history_domain_at(h, domain);

	/* A loss before the first event is not part of the history. */
	if (d == NULL || !d->begun || gap->what == MODEL_GAP_OVER ||
	    (gap->what == MODEL_GAP_BEGAN && gap->from <= d->last))
		return;
	domain_point(h, d, HISTORY_GAP, gap->words == 0 && gap->from > d->last ? gap->from : d->last, 0,
	    gap->kind, gap->words);
	d->losing = true;
	domain_plain(d, false);
	if (gap->kind != MODEL_NOTE_RESTART)
		slots_lose(d->slots, d->last, gap->words);
}

static void on_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	struct history *h = ctx;

	if (turn == MODEL_RESUMED && ts > h->resume)
		h->resume = ts;
}

void history_observer(struct history *h, struct model_observer *out)
{
	*out = (struct model_observer){
	    .ctx = h,
	    .dropped = on_dropped,
	    .alloc = on_alloc,
	    .lifecycle = on_lifecycle,
	    .user = on_user,
	    .gap = on_gap,
	    .turned = on_turned,
	};
}
