/*
 * store.h - a trail in memory: a bounded number of its latest chunks, readable while more are added.
 *
 * A writer passes its blobs to a store instead of a file.  The store keeps the chunks in order of arrival and
 * drops the oldest.  Each chunk lists the spans open at its start, so the ones before it are not needed.
 * Labels are never dropped.  A *serial* numbers all pieces ever stored, from 1 on.
 *
 * A store is read through a struct trail, as a file is, up to the latest flush of the writer.
 */
#pragma once

#include "trail/reader.h"

struct trail_store;

/* NULL if out of memory. */
struct trail_store *trail_store_create(void);
void trail_store_destroy(struct trail_store *s);

/* Keep a copy of a blob.  Blobs other than labels and events are ignored. */
void trail_store_put(struct trail_store *s, enum trail_blob blob, const void *data, size_t len);

/* Bytes in use. */
size_t trail_store_bytes(const struct trail_store *s);

/* False once memory has run out: the trail is incomplete. */
bool trail_store_sound(const struct trail_store *s);

/*
 * Drop old chunks: those that precede the first chunk with a key of `from` or later, and, while more than
 * `budget` bytes are in use, the oldest.  Chunks with the serial `keep` or a later one stay.
 */
void trail_store_trim(struct trail_store *s, uint64_t from, size_t budget, uint64_t keep);

/* Read what a store has now from a key on, as trail_rewind does.  The store must outlive the reader.  NULL if out of memory. */
struct trail *trail_store_open(const struct trail_store *s, uint64_t since);

/* Serial of the first chunk that the reader still needs: this and later chunks must not be dropped; UINT64_MAX: none. */
uint64_t trail_store_needed(const struct trail *t);
