/*
 * atomics.h - atomic access to memory that another process or thread uses concurrently.  No other file uses
 * atomics on a ring.
 *
 * The reader's protocol is a sequence lock.  The writer never waits for a reader:
 *
 *     writer                                     reader
 *     W1  advance head over what it will reuse   R1  load tail, then head
 *     W2  store the record's words               R2  load the words of [position, tail)
 *     W3  publish tail (release)                 R3  load head again: words below it may be torn, drop them
 *
 * R1's acquire load of tail pairs with W3: all words below that tail are written.  R2 loads each word with
 * acquire, so R3 can't be reordered before it.  If the reader loaded a word of a later lap, R3 sees the W1
 * that preceded its store, provided that the writer keeps W1 before W2.  OCaml up to 5.5 stores head with
 * release, which does not order W1 before W2 on weakly ordered processors; x86 keeps stores in order.
 * RING_GUARD_WORDS covers the difference.
 */
#pragma once

#include <stdatomic.h>

#include "ring/layout.h"

static_assert(sizeof(_Atomic uint64_t) == 8, "a ring word is stored as it is");
static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a lock would be unknown to the other process");

/*
 * The reader counts words this close to being overwritten as lost.  0 where stores stay in order.  Elsewhere
 * one record of the greatest length and the padding before it, which a writer may be storing ahead of its
 * head.
 */
#if defined(__x86_64__) || defined(__i386__)
#define RING_GUARD_WORDS 0u
#else
#define RING_GUARD_WORDS 1100u
#endif

/* Reader: the end of the published words.  Acquire; pairs with the release store of tail in the writer
 * (W3). */
static inline uint64_t ring_load_tail(const struct ring_header *ring)
{
	return atomic_load_explicit(&ring->tail, memory_order_acquire);
}

/* Reader: the oldest index that the writer has not begun to reuse.  Pairs with the writer's store of head
 * (W1).  Acquire orders it before the loads of words (R2); the acquire of ring_load_word orders R2 before
 * R3. */
static inline uint64_t ring_load_head(const struct ring_header *ring)
{
	return atomic_load_explicit(&ring->head, memory_order_acquire);
}

/* Reader: load one word of a ring.  A lapping writer may replace it before the rest of its record is
 * read, but the word itself is never torn.  Pairs with the writer's stores (W2); acquire, so that the
 * second load of head (R3) comes after it. */
static inline uint64_t ring_load_word(const uint64_t *word)
{
	return atomic_load_explicit((const _Atomic uint64_t *)word, memory_order_acquire);
}

/* Reader: copy words of a ring that has no writer any more.  Plain loads: they pair with no store.  The
 * caller validates the copy as usual. */
static inline void ring_copy_still(uint64_t *to, const uint64_t *from, uint64_t count)
{
	memcpy(to, from, count * sizeof(*to));
}

/* Reader: load one word of a ring that has no writer any more, or of a copy.  Relaxed: it pairs with no
 * store, but the word is loaded once, whatever becomes of the file. */
static inline uint64_t ring_load_still(const uint64_t *word)
{
	return atomic_load_explicit((const _Atomic uint64_t *)word, memory_order_relaxed);
}

/* Reader: load a word of the metadata or the name table, which the OCaml runtime writes with plain
 * stores.  Relaxed: each word is validated on its own; a caller that needs a consistent whole reads
 * again. */
static inline uint64_t shared_load_word(const uint64_t *word)
{
	return atomic_load_explicit((const _Atomic uint64_t *)word, memory_order_relaxed);
}

/* Mark a cursor as in use; false if it already was.  Acquire; pairs with busy_release, so that the next
 * user sees what the last one did to the cursor. */
static inline bool busy_acquire(atomic_bool *busy)
{
	return !atomic_exchange_explicit(busy, true, memory_order_acquire);
}

/* Clear the mark.  Release; pairs with busy_acquire. */
static inline void busy_release(atomic_bool *busy)
{
	atomic_store_explicit(busy, false, memory_order_release);
}

/*
 * The writer's side.  A ring has one writer, which keeps its own copies of head and tail, so no access here
 * is a read-modify-write.
 *
 * Every reader must see W1 before W2.  A release store of head orders only the accesses before it.  The
 * writer therefore stores head relaxed and issues a release fence: a reader that loads (acquire, R2) a word
 * stored after the fence then loads (R3) that head or a later one.  ThreadSanitizer does not model fences;
 * under it the writer stores each word with release, which gives the same order.
 */
#if defined(__SANITIZE_THREAD__)
#define RING_WORD_ORDER memory_order_release
#define RING_FENCES 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RING_WORD_ORDER memory_order_release
#define RING_FENCES 0
#endif
#endif
#ifndef RING_WORD_ORDER
#define RING_WORD_ORDER memory_order_relaxed
#define RING_FENCES 1
#endif

/* Writer: give up all records below `head`, before their words are overwritten (W1).  Pairs with
 * ring_load_head (R1, R3). */
static inline void ring_store_head(struct ring_header *ring, uint64_t head)
{
	atomic_store_explicit(&ring->head, head, memory_order_relaxed);
#if RING_FENCES
	atomic_thread_fence(memory_order_release);
#endif
}

/* Writer: store one word of a record (W2).  Pairs with ring_load_word (R2).  Relaxed: the fence of
 * ring_store_head orders it after W1, ring_store_tail orders it before W3. */
static inline void ring_store_word(uint64_t *word, uint64_t value)
{
	atomic_store_explicit((_Atomic uint64_t *)word, value, RING_WORD_ORDER);
}

/* Writer: publish everything below `tail` (W3).  Release; pairs with ring_load_tail (R1): a reader that
 * sees this tail also sees the words below it and the names registered before. */
static inline void ring_store_tail(struct ring_header *ring, uint64_t tail)
{
	atomic_store_explicit(&ring->tail, tail, memory_order_release);
}

/* Writer: load a word that this writer stored itself.  Relaxed: only this thread stores to it, but
 * readers load it concurrently. */
static inline uint64_t ring_load_own(const uint64_t *word)
{
	return atomic_load_explicit((const _Atomic uint64_t *)word, memory_order_relaxed);
}

/* Writer: store a word of the name table, under the producer's lock.  Pairs with shared_load_word.
 * Release: the first word of a name is stored last, so no reader sees it before the rest. */
static inline void shared_store_word(uint64_t *word, uint64_t value)
{
	atomic_store_explicit((_Atomic uint64_t *)word, value, memory_order_release);
}

/* Load a domain's state; its thread does so at each event.  Pairs with domain_state_store.  Relaxed: the
 * value guards no other data; everything else is read under the producer's lock. */
static inline uint32_t domain_state_load(const _Atomic uint32_t *state)
{
	return atomic_load_explicit(state, memory_order_relaxed);
}

/* Store a domain's state, under the producer's lock.  Relaxed; pairs with domain_state_load. */
static inline void domain_state_store(_Atomic uint32_t *state, uint32_t value)
{
	atomic_store_explicit(state, value, memory_order_relaxed);
}
