/*
 * store.h - a trail in memory: its latest chunks, bounded, to be read while more of them come.
 *
 * A writer hands its blobs to a store in place of a file.  A store keeps the chunks in the order of their coming, and
 * gives up the oldest.  A chunk begins with what is open there, so that those before it are not needed.  Labels are kept
 * for good.  A *serial* counts the chunks, given up or not, from 1 on.
 *
 * A reader of a store is a struct trail like that of a file, fed by trail_feed.  It takes in chunks up to a serial at
 * a time: all that a flush of the writer has handed on, so that no stream is ahead of the others.
 */
#ifndef TRAIL_STORE_H
#define TRAIL_STORE_H

#include "trail/reader.h"

struct trail_store;

/* NULL when memory ran out. */
struct trail_store *trail_store_create(void);
void trail_store_destroy(struct trail_store *s);

/* Keep a blob; of those that are neither labels nor events there is no need. */
void trail_store_put(struct trail_store *s, enum trail_blob blob, const void *data, size_t len);

/* Bytes in use. */
size_t trail_store_bytes(const struct trail_store *s);

/* False once memory ran out: something is missing. */
bool trail_store_sound(const struct trail_store *s);

/*
 * Give up old chunks: those before the first that has something from the key `from` on, and, until no more than `budget`
 * bytes are in use, the oldest whatever they hold; but none with the serial `keep` or a later one.
 */
void trail_store_trim(struct trail_store *s, uint64_t from, size_t budget, uint64_t keep);

/* The serial of the next chunk to come. */
uint64_t trail_store_end(const struct trail_store *s);

/* Read a store, which outlives the reader, from a key on: what comes before it is what stands in the same chunks.  The
 * chunks before `end` are taken in.  NULL when memory ran out. */
struct trail *trail_store_open(const struct trail_store *s, uint64_t since, uint64_t end);

/* Take in the chunks before `end` that came since.  False when memory ran out. */
bool trail_store_follow(struct trail *t, uint64_t end);

/* The serial of the first chunk that a reader has still to read: this one and those after it must not be given up. */
uint64_t trail_store_needed(const struct trail *t);

#endif
