/*
 * bytes.h - load and store little-endian numbers in memory.  The caller checks bounds.
 *
 * A "word" is an OCaml integer of 63 bits.  Loading a word drops the top bit of the 64 stored, as OCaml does.
 */
#ifndef MEMTRACE_BYTES_H
#define MEMTRACE_BYTES_H

#include <stdint.h>

/* The result is 32 bits wide because compilers generate slower code for 16-bit arithmetic. */
static inline uint32_t mt_load_16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t mt_load_32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t mt_load_64(const uint8_t *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
	       (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* Drop bit 63 and sign-extend from bit 62. */
static inline int64_t mt_word(uint64_t bits)
{
	return (int64_t)(bits << 1) >> 1;
}

static inline int64_t mt_load_word(const uint8_t *p)
{
	return mt_word(mt_load_64(p));
}

/* Add two words; overflow wraps around, as in OCaml. */
static inline int64_t mt_add(int64_t a, int64_t b)
{
	return mt_word((uint64_t)a + (uint64_t)b);
}

static inline void mt_store_16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static inline void mt_store_32(uint8_t *p, uint32_t v)
{
	mt_store_16(p, (uint16_t)v);
	mt_store_16(p + 2, (uint16_t)(v >> 16));
}

static inline void mt_store_64(uint8_t *p, uint64_t v)
{
	mt_store_32(p, (uint32_t)v);
	mt_store_32(p + 4, (uint32_t)(v >> 32));
}

#endif
