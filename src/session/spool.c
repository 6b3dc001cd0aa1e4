/*
 * spool.c - see spool.h.
 *
 * Words of an event: a *short* one is a begin or an end, whose stamp is given by its distance from the one
 * before.  Any other is *long*: a head, a stamp, and what the kind has.  No event crosses the end of a chunk.
 */
#include "session/spool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/event.h"

/* Chunks for the resumes of one scan, each of which was a record of two words and takes two. */
#define RESUME_CHUNKS ((unsigned)(SPOOL_SCAN_WORDS / SPOOL_CHUNK_WORDS) + 2)
#define CHUNKS (SPOOL_CHUNKS + RESUME_CHUNKS)

/* The kinds of a long event beyond EVENT_KINDS. */
enum { SPOOL_NAME = EVENT_KIND_COUNT, SPOOL_RESUME };

enum form { FORM_LONG, FORM_BEGIN, FORM_END };

/* Bits of a short event: form, phase, domain, distance. */
enum { SHORT_PHASE = 2, SHORT_DOMAIN = 10, SHORT_DISTANCE = 24, DISTANCE_BITS = 40 };

/* Bits of a long event's head: form, kind, words after the stamp, domain, id. */
enum { LONG_KIND = 2, LONG_WORDS = 10, LONG_DOMAIN = 22, LONG_ID = 38 };

#define LONG_HEAD 2u
#define NAME_WORDS ((unsigned)(RTEV_USER_NAME_SIZE + 7) / 8 + 1)
#define CUSTOM_WORDS (RTEV_RECORD_WORDS_MAX + 1)
/* The longest event with the name before it. */
#define EVENT_WORDS (2 * LONG_HEAD + NAME_WORDS + CUSTOM_WORDS)

struct chunk {
	uint64_t words[SPOOL_CHUNK_WORDS];
};

/* Where the writer is.  Nobody else looks at it. */
struct writer {
	uint64_t *at, *full; /* up to here an event may begin */
	uint64_t last_ts;
	bool stopped;
	uint64_t named[RTEV_USER_EVENTS_MAX]; /* generation + 1 of the name that was written; 0: none */
};

/* Where the reader is.  Nobody else looks at it. */
struct taker {
	uint64_t last_ts;
	uint64_t taken; /* words so far */
	struct rtev_user_event users[RTEV_USER_EVENTS_MAX];
};

/* A publish with a time: words so far, and the time (0: none). */
struct whole {
	uint64_t words, read_ts;
};

struct spool {
	struct chunk *chunks;
	struct writer writer;
	struct taker taker;

	/* The rest belongs to the lock. */
	pthread_mutex_t lock;
	uint16_t empty[CHUNKS]; /* a stack of chunks */
	unsigned empty_count;
	/* the least empty_count since the last spool_trim: so many at the bottom were not used */
	unsigned idle;
	bool touched[CHUNKS];	/* the chunk has memory */
	uint16_t queue[CHUNKS]; /* a ring of chunks; the last one is the writer's */
	unsigned first, count;
	uint32_t used[CHUNKS];	     /* words of each chunk that the reader may take */
	uint32_t offset;	     /* words of the first chunk that it took */
	uint64_t published;	     /* words so far */
	uint64_t whole;		     /* of the published words, those up to the newest publish with a time */
	uint64_t read_ts;	     /* time of that publish */
	struct whole wholes[CHUNKS]; /* the newest publish with a time in each chunk */
	uint64_t whole_ts;	     /* the newest of these that was passed */
};

struct spool *spool_create(void)
{
	struct spool *sp = calloc(1, sizeof(*sp));

	if (sp == NULL)
		return NULL;
	/* The system's pages are no larger than a chunk. */
	sp->chunks = aligned_alloc(sizeof(sp->chunks[0]), CHUNKS * sizeof(sp->chunks[0]));
	if (sp->chunks == NULL) {
		free(sp);
		return NULL;
	}
	pthread_mutex_init(&sp->lock, NULL);
	for (unsigned i = 0; i < CHUNKS; i++)
		sp->empty[i] = (uint16_t)(CHUNKS - 1 - i);
	sp->empty_count = sp->idle = CHUNKS;
	return sp;
}

void spool_destroy(struct spool *sp)
{
	if (sp == NULL)
		return;
	pthread_mutex_destroy(&sp->lock);
	free(sp->chunks);
	free(sp);
}

/* ---- the writer ---- */

/* The writer's chunk; there is one. */
static uint16_t chunk_last(const struct spool *sp)
{
	return sp->queue[(sp->first + sp->count - 1) % CHUNKS];
}

/* Let the writer write into a chunk from `offset` on. */
static void chunk_write(struct spool *sp, uint16_t chunk, uint32_t offset)
{
	sp->used[chunk] = offset;
	sp->writer.at = sp->chunks[chunk].words + offset;
	sp->writer.full = sp->chunks[chunk].words + SPOOL_CHUNK_WORDS - EVENT_WORDS;
}

/* Make the words of the writer's chunk known. */
static void chunk_publish(struct spool *sp)
{
	uint16_t chunk = chunk_last(sp);
	uint32_t used = (uint32_t)(sp->writer.at - sp->chunks[chunk].words);

	sp->published += used - sp->used[chunk];
	sp->used[chunk] = used;
}

/* Give the writer an empty chunk. */
static void chunk_append(struct spool *sp)
{
	uint16_t chunk = sp->empty[--sp->empty_count];

	if (sp->empty_count < sp->idle)
		sp->idle = sp->empty_count;
	sp->touched[chunk] = true;
	sp->wholes[chunk] = (struct whole){0};
	sp->queue[(sp->first + sp->count++) % CHUNKS] = chunk;
	chunk_write(sp, chunk, 0);
}

bool spool_begin(struct spool *sp)
{
	bool room = true;

	sp->writer.stopped = false;
	pthread_mutex_lock(&sp->lock);
	if (sp->count == 1 && sp->offset == sp->used[chunk_last(sp)]) {
		/* The reader has all of it, and looks at it no more. */
		sp->offset = 0;
		chunk_write(sp, chunk_last(sp), 0);
	} else if (sp->count == 0 || sp->writer.at > sp->writer.full) {
		room = sp->empty_count > RESUME_CHUNKS;
		if (room && sp->count != 0)
			chunk_publish(sp);
		if (room)
			chunk_append(sp);
	} else {
		/* Resumes may have taken more. */
		room = sp->empty_count >= RESUME_CHUNKS;
	}
	pthread_mutex_unlock(&sp->lock);
	return room;
}

bool spool_stopped(const struct spool *sp)
{
	return sp->writer.stopped;
}

void spool_publish(struct spool *sp, uint64_t read_ts)
{
	pthread_mutex_lock(&sp->lock);
	if (sp->count != 0)
		chunk_publish(sp);
	if (read_ts != 0) {
		sp->whole = sp->published;
		sp->read_ts = read_ts;
		if (sp->count != 0)
			sp->wholes[chunk_last(sp)] = (struct whole){sp->whole, read_ts};
	}
	pthread_mutex_unlock(&sp->lock);
}

void spool_forget(struct spool *sp)
{
	memset(sp->writer.named, 0, sizeof(sp->writer.named));
}

/* Write the head and the stamp of a long event with so many words after them.  Returns where these go. */
static inline uint64_t *put_long(
    struct writer *w, unsigned kind, unsigned domain, unsigned id, unsigned words, uint64_t ts)
{
	uint64_t *at = w->at;

	at[0] = FORM_LONG | (uint64_t)kind << LONG_KIND | (uint64_t)words << LONG_WORDS |
		(uint64_t)(uint16_t)domain << LONG_DOMAIN | (uint64_t)(uint16_t)id << LONG_ID;
	at[1] = ts;
	w->at = at + LONG_HEAD + words;
	if (kind <= EVENT_CUSTOM)
		w->last_ts = ts;
	return at + LONG_HEAD;
}

/* Whether to go on: the next event needs room. */
static inline enum rtev_next goes_on(struct writer *w)
{
	if (w->at <= w->full)
		return RTEV_CONTINUE;
	w->stopped = true;
	return RTEV_STOP;
}

static inline enum rtev_next put_phase(
    struct writer *w, enum form form, enum event_kind kind, unsigned domain, uint64_t ts, rtev_phase phase)
{
	uint64_t distance = ts - w->last_ts, half = UINT64_C(1) << (DISTANCE_BITS - 1);

	if (distance + half >= 2 * half || phase >> (SHORT_DOMAIN - SHORT_PHASE) != 0 ||
	    domain >> (SHORT_DISTANCE - SHORT_DOMAIN) != 0) {
		put_long(w, kind, domain, phase, 0, ts);
	} else {
		*w->at++ = form | (uint64_t)phase << SHORT_PHASE | (uint64_t)domain << SHORT_DOMAIN |
			   distance << SHORT_DISTANCE;
		w->last_ts = ts;
	}
	return goes_on(w);
}

static enum rtev_next put_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	return put_phase(&((struct spool *)ctx)->writer, FORM_BEGIN, EVENT_BEGIN, domain, ts, phase);
}

static enum rtev_next put_end(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	return put_phase(&((struct spool *)ctx)->writer, FORM_END, EVENT_END, domain, ts, phase);
}

/* Write a long event with one word after its stamp. */
static enum rtev_next put_value(
    void *ctx, enum event_kind kind, unsigned domain, unsigned id, uint64_t ts, uint64_t value)
{
	struct spool *sp = ctx;

	*put_long(&sp->writer, kind, domain, id, 1, ts) = value;
	return goes_on(&sp->writer);
}

static enum rtev_next put_counter(
    void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	return put_value(ctx, EVENT_COUNTER, domain, counter, ts, (uint64_t)value);
}

static enum rtev_next put_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	struct spool *sp = ctx;
	uint64_t *to = put_long(&sp->writer, EVENT_ALLOC, domain, 0, RTEV_ALLOC_BUCKETS, ts);

	memcpy(to, buckets, RTEV_ALLOC_BUCKETS * sizeof(to[0]));
	return goes_on(&sp->writer);
}

static enum rtev_next put_lifecycle(
    void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	return put_value(ctx, EVENT_LIFECYCLE, domain, event, ts, (uint64_t)data);
}

/* Write the name of a user event if the reader does not have it. */
static void put_name(struct writer *w, const struct rtev_user_event *event)
{
	if (w->named[event->id] == (uint64_t)event->generation + 1)
		return;
	w->named[event->id] = (uint64_t)event->generation + 1;
	uint64_t *to = put_long(w, SPOOL_NAME, 0, event->id, NAME_WORDS, event->generation);
	to[0] = event->name_len;
	memcpy(to + 1, event->name, event->name_len);
}

static enum rtev_next put_user_unit(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event)
{
	struct spool *sp = ctx;

	put_name(&sp->writer, event);
	put_long(&sp->writer, EVENT_UNIT, domain, event->id, 0, ts);
	return goes_on(&sp->writer);
}

static enum rtev_next put_user_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, int64_t value)
{
	struct spool *sp = ctx;

	put_name(&sp->writer, event);
	return put_value(ctx, EVENT_INT, domain, event->id, ts, (uint64_t)value);
}

static enum rtev_next put_user_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event, bool begin)
{
	struct spool *sp = ctx;

	put_name(&sp->writer, event);
	put_long(&sp->writer, begin ? EVENT_SPAN_BEGIN : EVENT_SPAN_END, domain, event->id, 0, ts);
	return goes_on(&sp->writer);
}

static enum rtev_next put_user_custom(void *ctx, unsigned domain, uint64_t ts,
    const struct rtev_user_event *event, const void *data, size_t len)
{
	struct spool *sp = ctx;
	unsigned words = (unsigned)(len + 7) / 8 + 1;

	put_name(&sp->writer, event);
	uint64_t *to = put_long(&sp->writer, EVENT_CUSTOM, domain, event->id, words, ts);
	to[0] = len;
	memcpy(to + 1, data, len);
	return goes_on(&sp->writer);
}

static enum rtev_next put_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	struct spool *sp = ctx;
	uint64_t *to = put_long(&sp->writer, EVENT_LOST, domain, 0, 2, 0);

	to[0] = words;
	to[1] = history;
	return goes_on(&sp->writer);
}

static enum rtev_next put_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	return put_value(ctx, EVENT_CORRUPT, domain, 0, 0, words);
}

static enum rtev_next put_restart(void *ctx, unsigned domain)
{
	struct spool *sp = ctx;

	put_long(&sp->writer, EVENT_RESTART, domain, 0, 0, 0);
	return goes_on(&sp->writer);
}

const struct rtev_callbacks spool_calls = {.size = sizeof(spool_calls),
    .begin = put_begin,
    .end = put_end,
    .counter = put_counter,
    .alloc = put_alloc,
    .lifecycle = put_lifecycle,
    .user_unit = put_user_unit,
    .user_int = put_user_int,
    .user_span = put_user_span,
    .user_custom = put_user_custom,
    .lost = put_lost,
    .corrupt = put_corrupt,
    .restart = put_restart};

void spool_resume(struct spool *sp, uint64_t ts)
{
	if (sp->writer.at > sp->writer.full) {
		pthread_mutex_lock(&sp->lock);
		bool room = sp->empty_count != 0;
		chunk_publish(sp);
		if (room)
			chunk_append(sp);
		pthread_mutex_unlock(&sp->lock);
		/* A scan that kept to its bound has not come here. */
		if (!room)
			return;
	}
	put_long(&sp->writer, SPOOL_RESUME, 0, 0, 0, ts);
}

/* ---- the reader ---- */

/* What a spool_take may deliver. */
struct delivery {
	struct rtev_callbacks calls;
	const struct spool_sink *sink;
	uint64_t left; /* events */
	bool stop;
};

static void keep_name(struct taker *t, uint64_t id, const uint64_t *words, uint64_t generation)
{
	struct rtev_user_event *user = &t->users[id];

	user->id = (uint16_t)id;
	user->generation = (uint32_t)generation;
	user->name_len = (uint16_t)words[0];
	memcpy(user->name, words + 1, user->name_len);
	user->name[user->name_len] = '\0';
}

/* Deliver a user event. */
static enum rtev_next take_user(struct delivery *d, unsigned kind, unsigned domain, uint64_t ts,
    const struct rtev_user_event *user, const uint64_t *words)
{
	const struct rtev_callbacks *calls = &d->calls;
	void *ctx = d->sink->ctx;

	switch (kind) {
	case EVENT_UNIT:
		return calls->user_unit != NULL ? calls->user_unit(ctx, domain, ts, user) : RTEV_CONTINUE;
	case EVENT_INT:
		return calls->user_int != NULL ? calls->user_int(ctx, domain, ts, user, (int64_t)words[0])
					       : RTEV_CONTINUE;
	case EVENT_CUSTOM:
		return calls->user_custom != NULL
			   ? calls->user_custom(ctx, domain, ts, user, words + 1, words[0])
			   : RTEV_CONTINUE;
	default:
		return calls->user_span != NULL
			   ? calls->user_span(ctx, domain, ts, user, kind == EVENT_SPAN_BEGIN)
			   : RTEV_CONTINUE;
	}
}

/* Deliver what is not an event of the target. */
static enum rtev_next take_notice(struct delivery *d, unsigned kind, unsigned domain, const uint64_t *words)
{
	const struct rtev_callbacks *calls = &d->calls;
	void *ctx = d->sink->ctx;

	switch (kind) {
	case EVENT_LOST:
		return calls->lost != NULL ? calls->lost(ctx, domain, words[0], words[1]) : RTEV_CONTINUE;
	case EVENT_CORRUPT:
		return calls->corrupt != NULL ? calls->corrupt(ctx, domain, words[0]) : RTEV_CONTINUE;
	default:
		return calls->restart != NULL ? calls->restart(ctx, domain) : RTEV_CONTINUE;
	}
}

/* Deliver a long event.  Returns what follows it. */
static const uint64_t *take_long(struct delivery *d, struct taker *t, const uint64_t *at)
{
	const struct rtev_callbacks *calls = &d->calls;
	unsigned kind = at[0] >> LONG_KIND & 0xff, domain = (uint16_t)(at[0] >> LONG_DOMAIN),
		 count = at[0] >> LONG_WORDS & 0xfff;
	uint16_t id = (uint16_t)(at[0] >> LONG_ID);
	uint64_t ts = at[1];
	const uint64_t *words = at + LONG_HEAD;
	void *ctx = d->sink->ctx;
	enum rtev_next next = RTEV_CONTINUE;

	if (kind <= EVENT_CUSTOM) {
		t->last_ts = ts;
		d->left--;
	}
	if (kind == EVENT_COUNTER && calls->counter != NULL)
		next = calls->counter(ctx, domain, ts, id, (int64_t)words[0]);
	else if (kind == EVENT_BEGIN && calls->begin != NULL)
		next = calls->begin(ctx, domain, ts, id);
	else if (kind == EVENT_END && calls->end != NULL)
		next = calls->end(ctx, domain, ts, id);
	else if (kind == EVENT_ALLOC && calls->alloc != NULL)
		next = calls->alloc(ctx, domain, ts, words);
	else if (kind == EVENT_LIFECYCLE && calls->lifecycle != NULL)
		next = calls->lifecycle(ctx, domain, ts, id, (int64_t)words[0]);
	else if (kind >= EVENT_UNIT && kind <= EVENT_CUSTOM)
		next = take_user(d, kind, domain, ts, &t->users[id], words);
	else if (kind == SPOOL_NAME)
		keep_name(t, id, words, ts);
	else if (kind == SPOOL_RESUME && d->sink->resume != NULL)
		d->sink->resume(ctx, ts);
	else if (kind >= EVENT_LOST && kind <= EVENT_RESTART)
		next = take_notice(d, kind, domain, words);
	d->stop = next != RTEV_CONTINUE;
	return words + count;
}

/* Return whether a begin is followed by the end of the same span, and both may be delivered as one. */
static inline bool joins(const struct delivery *d, const uint64_t *at, const uint64_t *end)
{
	const uint64_t same = (UINT64_C(1) << SHORT_DISTANCE) - 1;

	return d->calls.begin_end != NULL && end - at > 1 && d->left > 1 &&
	       (at[1] & same) == ((at[0] & same) ^ FORM_BEGIN ^ FORM_END) && (int64_t)at[1] >= 0;
}

/* Deliver the events between two places.  Returns the place after the last one delivered. */
static const uint64_t *take_events(
    struct delivery *d, struct taker *t, const uint64_t *at, const uint64_t *end)
{
	const struct rtev_callbacks *calls = &d->calls;
	void *ctx = d->sink->ctx;

	while (at < end && d->left != 0 && !d->stop) {
		uint64_t word = *at;
		unsigned form = word & 3;
		if (form == FORM_LONG) {
			at = take_long(d, t, at);
			continue;
		}
		/* The distance may be negative. */
		t->last_ts += (uint64_t)((int64_t)word >> SHORT_DISTANCE);
		rtev_phase phase = word >> SHORT_PHASE & 0xff;
		unsigned domain = word >> SHORT_DOMAIN & 0x3fff;
		enum rtev_next next = RTEV_CONTINUE;
		if (form == FORM_BEGIN && joins(d, at, end)) {
			uint64_t begin = t->last_ts;
			t->last_ts += *++at >> SHORT_DISTANCE;
			d->left--;
			next = calls->begin_end(ctx, domain, begin, t->last_ts, phase);
		} else if (form == FORM_BEGIN && calls->begin != NULL)
			next = calls->begin(ctx, domain, t->last_ts, phase);
		else if (form == FORM_END && calls->end != NULL)
			next = calls->end(ctx, domain, t->last_ts, phase);
		d->stop = next != RTEV_CONTINUE;
		d->left--;
		at++;
	}
	return at;
}

/* Note the newest publish with a time that was passed. */
static void whole_pass(struct spool *sp, const struct whole *w)
{
	if (w->words <= sp->taker.taken && w->read_ts > sp->whole_ts)
		sp->whole_ts = w->read_ts;
}

/* Take words of the first chunk, up to a position.  Returns false if there is nothing to take. */
static bool take_chunk(struct spool *sp, struct delivery *d, uint64_t until)
{
	struct taker *t = &sp->taker;

	pthread_mutex_lock(&sp->lock);
	while (sp->count > 1 && sp->offset == sp->used[sp->queue[sp->first]]) {
		sp->empty[sp->empty_count++] = sp->queue[sp->first];
		sp->first = (sp->first + 1) % CHUNKS;
		sp->count--;
		sp->offset = 0;
	}
	uint16_t chunk = sp->queue[sp->first];
	uint32_t offset = sp->offset, used = sp->count != 0 ? sp->used[chunk] : offset;
	pthread_mutex_unlock(&sp->lock);
	if (used - offset > until - t->taken)
		used = offset + (uint32_t)(until - t->taken);
	if (used == offset)
		return false;
	const uint64_t *words = sp->chunks[chunk].words, *from = words + offset;
	const uint64_t *to = take_events(d, t, from, words + used);
	t->taken += (uint64_t)(to - from);
	/* The writer leaves the chunk alone until all of it is taken. */
	pthread_mutex_lock(&sp->lock);
	sp->offset = (uint32_t)(to - words);
	whole_pass(sp, &sp->wholes[chunk]);
	pthread_mutex_unlock(&sp->lock);
	return true;
}

void spool_take(
    struct spool *sp, const struct spool_sink *sink, uint64_t max_events, bool all, struct spool_taken *out)
{
	uint64_t budget = max_events != 0 ? max_events : UINT64_MAX;
	struct delivery d = {.calls = *sink->calls, .sink = sink, .left = budget};

	pthread_mutex_lock(&sp->lock);
	bool half = sp->count >= SPOOL_CHUNKS / 2;
	uint64_t until = all || half ? sp->published : sp->whole, read_ts = sp->read_ts, whole = sp->whole;
	pthread_mutex_unlock(&sp->lock);
	if (until < sp->taker.taken)
		until = sp->taker.taken;
	while (d.left != 0 && !d.stop && take_chunk(sp, &d, until))
		;
	out->events = budget - d.left;
	out->stopped = d.stop || d.left == 0;
	out->read_ts = sp->taker.taken == whole ? read_ts : 0;
	pthread_mutex_lock(&sp->lock);
	out->empty = sp->taker.taken == sp->published;
	whole_pass(sp, &(struct whole){sp->whole, sp->read_ts});
	out->whole_ts = sp->whole_ts;
	pthread_mutex_unlock(&sp->lock);
}

void spool_trim(struct spool *sp, unsigned max_chunks)
{
	pthread_mutex_lock(&sp->lock);
	/* The bottom of the stack. */
	for (unsigned i = 0; i < sp->idle && max_chunks > 0; i++) {
		uint16_t chunk = sp->empty[i];
		if (!sp->touched[chunk])
			continue;
		(void)madvise(&sp->chunks[chunk], sizeof(sp->chunks[0]), MADV_DONTNEED);
		sp->touched[chunk] = false;
		max_chunks--;
	}
	sp->idle = sp->empty_count;
	pthread_mutex_unlock(&sp->lock);
}
