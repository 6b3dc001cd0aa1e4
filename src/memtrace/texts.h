/*
 * texts.h - memory that lives as long as a trace is open, and in it each distinct text once.
 *
 * Two interned texts are equal exactly when their addresses are.
 */
#ifndef MEMTRACE_TEXTS_H
#define MEMTRACE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

struct mt_block;
struct mt_text;

struct mt_texts {
	struct mt_block *blocks; /* the newest first */
	struct mt_text *slots;	 /* a hash table, a power of two of them, at most half in use */
	size_t slot_count;
	size_t count;
};

/* An empty pool is all zeros. */
void mt_texts_fini(struct mt_texts *texts);

/* The one copy of a text of `len` bytes, none of them NUL; NULL without memory. */
const char *mt_texts_intern(struct mt_texts *texts, const char *text, size_t len);

/* Memory for an object made of integers and pointers; NULL when there is none. */
void *mt_texts_take(struct mt_texts *texts, size_t size);

/* Mix the bits of a number, for hash tables keyed by what a trace says. */
static inline uint64_t mt_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9E6C63D0876A9A47u;
	x ^= x >> 29;
	x *= 0xD1B54A32D192ED03u;
	return x ^ x >> 32;
}

#endif
