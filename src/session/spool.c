/*
 * spool.c - a stack of empty chunks and a queue of filled ones under a lock; the first chunk of the queue is
 * the reader's, the last is the writer's.
 */
#include "session/spool.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* Chunks for the resumes of one scan.  A resume is a record of two words in a ring, and takes two words here. */
#define RESUME_CHUNKS ((unsigned)(SPOOL_SCAN_WORDS / SPOOL_CHUNK_WORDS) + 2)
#define CHUNKS (SPOOL_CHUNKS + RESUME_CHUNKS)

/* Marks between events: a resume, and a publish that has a time. */
enum { MARK_RESUME, MARK_WHOLE };

struct chunk {
	uint64_t words[SPOOL_CHUNK_WORDS];
};

struct spool {
	struct batch_writer writer;
	uint64_t named[RTEV_USER_EVENTS_MAX];

	/* Used by the reader only. */
	struct batch_reader reader;
	struct rtev_user_event users[RTEV_USER_EVENTS_MAX];
	uint64_t taken;	   /* words taken so far */
	uint64_t whole_ts; /* time of the newest such publish that the reader has passed */

	struct chunk *chunks;
	/* Protected by the lock. */
	pthread_mutex_t lock;
	uint16_t empty[CHUNKS]; /* stack of empty chunks */
	unsigned empty_count;
	/* the least empty_count since the last spool_trim: so many chunks at the bottom were not used */
	unsigned idle;
	bool touched[CHUNKS];	/* the chunk has memory */
	uint16_t queue[CHUNKS]; /* ring of filled chunks; the last one is the writer's */
	unsigned first, count;
	uint32_t used[CHUNKS]; /* words published of each chunk */
	uint32_t offset;       /* words taken of the first chunk */
	uint64_t published;    /* words published so far */
	uint64_t whole;	       /* words published up to the newest publish with a time */
};

/* The chunk is full: have the poll stop. */
static enum rtev_next on_filled(struct batch_writer *w)
{
	return RTEV_STOP;
}

struct spool *spool_create(void)
{
	struct spool *sp = calloc(1, sizeof(*sp));

	if (sp == NULL)
		return NULL;
	/* A chunk is at least as large as a page. */
	sp->chunks = aligned_alloc(sizeof(sp->chunks[0]), CHUNKS * sizeof(sp->chunks[0]));
	if (sp->chunks == NULL) {
		free(sp);
		return NULL;
	}
	pthread_mutex_init(&sp->lock, NULL);
	for (unsigned i = 0; i < CHUNKS; i++)
		sp->empty[i] = (uint16_t)(CHUNKS - 1 - i);
	sp->empty_count = sp->idle = CHUNKS;
	sp->writer = (struct batch_writer){
	    .sink = {.take = batch_put, .ctx = &sp->writer}, .filled = on_filled, .named = sp->named};
	sp->reader.users = sp->users;
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

/* Return the writer's chunk, which must exist. */
static uint16_t chunk_last(const struct spool *sp)
{
	return sp->queue[(sp->first + sp->count - 1) % CHUNKS];
}

/* Let the writer continue in a chunk at `offset`. */
static void chunk_write(struct spool *sp, uint16_t chunk, uint32_t offset)
{
	sp->used[chunk] = offset;
	sp->writer.at = sp->chunks[chunk].words + offset;
	sp->writer.full = sp->chunks[chunk].words + SPOOL_CHUNK_WORDS - BATCH_EVENT_WORDS - BATCH_MARK_WORDS;
}

/* Make the words of the writer's chunk available to the reader. */
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

	if (sp->count != 0)
		chunk_publish(sp);
	if (sp->empty_count < sp->idle)
		sp->idle = sp->empty_count;
	sp->touched[chunk] = true;
	sp->queue[(sp->first + sp->count++) % CHUNKS] = chunk;
	chunk_write(sp, chunk, 0);
}

bool spool_begin(struct spool *sp)
{
	bool room = true;

	pthread_mutex_lock(&sp->lock);
	if (sp->count == 1 && sp->offset == sp->used[chunk_last(sp)]) {
		/* The reader has taken all of the only chunk, so the writer can start it again. */
		sp->offset = 0;
		chunk_write(sp, chunk_last(sp), 0);
	} else {
		/* Resumes may have taken chunks that are kept for events. */
		bool another = sp->count == 0 || sp->writer.at > sp->writer.full;
		room = sp->empty_count >= RESUME_CHUNKS + another;
		if (room && another)
			chunk_append(sp);
	}
	pthread_mutex_unlock(&sp->lock);
	return room;
}

struct batch_writer *spool_writer(struct spool *sp)
{
	return &sp->writer;
}

bool spool_stopped(const struct spool *sp)
{
	return sp->writer.at > sp->writer.full;
}

void spool_publish(struct spool *sp, uint64_t read_ts)
{
	if (read_ts != 0)
		batch_mark(&sp->writer, MARK_WHOLE, read_ts);
	pthread_mutex_lock(&sp->lock);
	if (sp->count != 0)
		chunk_publish(sp);
	if (read_ts != 0)
		sp->whole = sp->published;
	pthread_mutex_unlock(&sp->lock);
}

void spool_resume(struct spool *sp, uint64_t ts)
{
	if (sp->writer.at > sp->writer.full) {
		pthread_mutex_lock(&sp->lock);
		bool room = sp->empty_count != 0;
		if (room)
			chunk_append(sp);
		pthread_mutex_unlock(&sp->lock);
		/* Only a scan that exceeded its bound comes here. */
		if (!room)
			return;
	}
	batch_mark(&sp->writer, MARK_RESUME, ts);
}

/* ---- the reader ---- */

/* Context of on_mark. */
struct taking {
	struct spool *sp;
	const struct spool_sink *sink;
};

static enum rtev_next on_mark(void *ctx, unsigned mark, uint64_t value)
{
	const struct taking *t = ctx;

	if (mark == MARK_WHOLE)
		t->sp->whole_ts = value;
	else if (t->sink->resume != NULL)
		t->sink->resume(t->sink->ctx, value);
	return RTEV_CONTINUE;
}

/* Take words of the first chunk, up to a position.  Returns false if there is nothing to take. */
static bool take_chunk(struct spool *sp, struct batch_delivery *d, uint64_t until)
{
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
	if (used - offset > until - sp->taken)
		used = offset + (uint32_t)(until - sp->taken);
	if (used == offset)
		return false;
	const uint64_t *words = sp->chunks[chunk].words, *from = words + offset;
	const uint64_t *to = batch_deliver(&sp->reader, d, from, words + used);
	sp->taken += (uint64_t)(to - from);
	/* The writer leaves the chunk alone until all of it is taken. */
	pthread_mutex_lock(&sp->lock);
	sp->offset = (uint32_t)(to - words);
	pthread_mutex_unlock(&sp->lock);
	return true;
}

void spool_take(
    struct spool *sp, const struct spool_sink *sink, uint64_t max_events, bool all, struct spool_taken *out)
{
	struct taking taking = {.sp = sp, .sink = sink};
	uint64_t budget = max_events != 0 ? max_events : UINT64_MAX;
	struct batch_delivery d = {
	    .calls = sink->calls, .ctx = sink->ctx, .mark = on_mark, .mark_ctx = &taking, .left = budget};

	pthread_mutex_lock(&sp->lock);
	bool half = sp->count >= SPOOL_CHUNKS / 2;
	uint64_t until = all || half ? sp->published : sp->whole, whole = sp->whole;
	pthread_mutex_unlock(&sp->lock);
	if (until < sp->taken)
		until = sp->taken;
	while (d.left != 0 && !d.stop && take_chunk(sp, &d, until))
		;
	out->events = budget - d.left;
	out->stopped = d.stop || d.left == 0;
	out->whole = sp->taken == whole;
	out->whole_ts = sp->whole_ts;
	pthread_mutex_lock(&sp->lock);
	out->empty = sp->taken == sp->published;
	pthread_mutex_unlock(&sp->lock);
}

void spool_trim(struct spool *sp, unsigned max_chunks)
{
	pthread_mutex_lock(&sp->lock);
	/* Start at the bottom of the stack, with the chunks unused for longest. */
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
