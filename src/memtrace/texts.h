/*
 * texts.h - a memory pool that is freed as a whole, with interned texts in it.
 *
 * Two interned texts of a pool are equal if and only if their addresses are equal.
 */
#ifndef MEMTRACE_TEXTS_H
#define MEMTRACE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

struct mt_block;
struct mt_text;

struct mt_texts {
	struct mt_block *blocks; /* the newest first */
	struct mt_text *slots;	 /* a hash table; the size is a power of two, at most half is in use */
	size_t slot_count;
	size_t count;
};

/* Free a pool and everything in it.  An empty pool is all zeros. */
void mt_texts_fini(struct mt_texts *texts);

/* Return the pool's copy of a text of `len` bytes, none of them NUL.  Returns NULL when memory runs out. */
const char *mt_texts_intern(struct mt_texts *texts, const char *text, size_t len);

/* Allocate memory aligned for integers and pointers.  Returns NULL when memory runs out. */
void *mt_texts_take(struct mt_texts *texts, size_t size);

/* Mix the bits of a number, for hash tables whose keys come from a trace. */
static inline uint64_t mt_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9E6C63D0876A9A47u;
	x ^= x >> 29;
	x *= 0xD1B54A32D192ED03u;
	return x ^ x >> 32;
}

#endif
