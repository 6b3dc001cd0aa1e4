/*
 * atomics.h - every access to memory that another process (or thread) writes or reads at the same time.  No
 * other file uses atomics on a ring.
 *
 * The reader's protocol is that of a sequence lock.  The writer never waits for a reader:
 *
 *     writer                                     reader
 *     W1  advance head over what it will reuse   R1  load tail, then head
 *     W2  store the record's words               R2  load the words of [position, tail)
 *     W3  publish tail (release)                 R3  load head again: words below it may be torn, forget them
 *
 * R1's acquire of tail pairs with W3: words below that tail are written.  R2 loads each word with acquire, so
 * R3 can't be done before them: if a word came from a later lap, then the W1 that came before that store is
 * seen by R3, provided that the writer keeps W1 before W2.  A release store of head (OCaml up to 5.5) does
 * not forbid W2 to overtake W1 on weakly ordered processors; x86 keeps stores in order.  Hence
 * RING_GUARD_WORDS.
 */
#ifndef RING_ATOMICS_H
#define RING_ATOMICS_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "ring/layout.h"

static_assert(sizeof(_Atomic uint64_t) == 8, "a ring word is stored as it is");
static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a lock would be unknown to the other process");

/*
 * How close to being lapped a word may be before it counts as lost.  0 where stores stay in order; elsewhere
 * one record of the greatest length and the padding before it, which is what a writer may be storing ahead of
 * its head.
 */
#if defined(__x86_64__) || defined(__i386__)
#define RING_GUARD_WORDS 0u
#else
#define RING_GUARD_WORDS 1100u
#endif

/* Reader: the end of what is published.  Pairs with the release store of tail in the writer (W3). */
static inline uint64_t ring_load_tail(const struct ring_header *ring)
{
	return atomic_load_explicit(&ring->tail, memory_order_acquire);
}

/* Reader: the oldest index that the writer has not begun to reuse.  Pairs with the writer's store of head
 * (W1); the acquire keeps the loads of words (R2) behind it, and R3 comes after R2 by the acquire of
 * ring_load_word. */
static inline uint64_t ring_load_head(const struct ring_header *ring)
{
	return atomic_load_explicit(&ring->head, memory_order_acquire);
}

/* Reader: one word of a ring.  May be torn from its record by a lapping writer, never within itself.  Pairs
 * with the writer's stores (W2); acquire, so that the second load of head is not done before it. */
static inline uint64_t ring_load_word(const uint64_t *word)
{
	return atomic_load_explicit((const _Atomic uint64_t *)word, memory_order_acquire);
}

/* Reader: words of a ring that nobody writes to any more.  Plainly: there is no partner to pair with, and what a copy holds is
 * judged like any other. */
static inline void ring_copy_still(uint64_t *to, const uint64_t *from, uint64_t count)
{
	memcpy(to, from, count * sizeof(*to));
}

/* Reader: a word of the metadata or of the name table, which the writer stores plainly.  Relaxed: each word
 * is judged on its own, and whoever needs a consistent whole reads again. */
static inline uint64_t shared_load_word(const uint64_t *word)
{
	return atomic_load_explicit((const _Atomic uint64_t *)word, memory_order_relaxed);
}

/* Take the mark that a cursor is in use; false if it was taken.  Pairs with busy_release: what the last user
 * did to the cursor is seen by the next. */
static inline bool busy_acquire(atomic_bool *busy)
{
	return !atomic_exchange_explicit(busy, true, memory_order_acquire);
}

/* Give the mark back.  Pairs with busy_acquire. */
static inline void busy_release(atomic_bool *busy)
{
	atomic_store_explicit(busy, false, memory_order_release);
}

/*
 * The writer's side.  A ring has one writer, which keeps its own copies of head and tail; nothing here is a
 * read-modify-write.
 *
 * W1 has to come before W2 for every reader.  A release store of head would only hold back what comes before
 * it, so head is stored plainly and a fence follows: a reader that loads (acquire, R2) a word stored after
 * the fence has the head that was stored before it when it looks again (R3).  ThreadSanitizer can't follow
 * fences: under it each word is stored with release, which orders the same way, one word at a time.
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

/* Writer: give up all records below `head`, before their words are stored to (W1).  Pairs with ring_load_head
 * (R1, R3). */
static inline void ring_store_head(struct ring_header *ring, uint64_t head)
{
	atomic_store_explicit(&ring->head, head, memory_order_relaxed);
#if RING_FENCES
	atomic_thread_fence(memory_order_release);
#endif
}

/* Writer: one word of a record (W2).  Pairs with ring_load_word (R2).  Relaxed: the fence of ring_store_head
 * keeps it behind W1, ring_store_tail keeps it before W3. */
static inline void ring_store_word(uint64_t *word, uint64_t value)
{
	atomic_store_explicit((_Atomic uint64_t *)word, value, RING_WORD_ORDER);
}

/* Writer: publish everything below `tail` (W3).  Pairs with ring_load_tail (R1): who sees this tail sees the
 * words below it, and the names registered before. */
static inline void ring_store_tail(struct ring_header *ring, uint64_t tail)
{
	atomic_store_explicit(&ring->tail, tail, memory_order_release);
}

/* Writer: a word that the ring's writer stored itself.  Relaxed: nobody else stores to it, but readers load
 * it at the same time. */
static inline uint64_t ring_load_own(const uint64_t *word)
{
	return atomic_load_explicit((const _Atomic uint64_t *)word, memory_order_relaxed);
}

/* Writer: a word of the name table, under the producer's lock.  Pairs with shared_load_word; release, so that
 * the first word of a name, stored last, is not seen before the rest. */
static inline void shared_store_word(uint64_t *word, uint64_t value)
{
	atomic_store_explicit((_Atomic uint64_t *)word, value, memory_order_release);
}

/* A domain's state, loaded by its thread at each event.  Pairs with domain_state_store.  Relaxed: the value
 * guards nothing but itself; whatever changed besides is read under the producer's lock. */
static inline uint32_t domain_state_load(const _Atomic uint32_t *state)
{
	return atomic_load_explicit(state, memory_order_relaxed);
}

/* Change a domain's state, under the producer's lock.  Pairs with domain_state_load. */
static inline void domain_state_store(_Atomic uint32_t *state, uint32_t value)
{
	atomic_store_explicit(state, value, memory_order_relaxed);
}

#endif
