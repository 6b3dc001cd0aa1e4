/*
 * bytes.h - little-endian numbers in memory.  Nothing here checks bounds; callers do.
 *
 * A "word" is an OCaml integer: 63 bits.  Literals of 64 bits lose their top bit when read, as they do in OCaml.
 */
#ifndef MEMTRACE_BYTES_H
#define MEMTRACE_BYTES_H

#include <stdint.h>

/* Load 16 bits.  A narrower result makes compilers reckon in 16 bits, which is slower. */
static inline uint32_t mt_load_16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

/* Load 32 bits. */
static inline uint32_t mt_load_32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Load 64 bits. */
static inline uint64_t mt_load_64(const uint8_t *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
	       (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* Drop bit 63 and extend the sign from bit 62. */
static inline int64_t mt_word(uint64_t bits)
{
	return (int64_t)(bits << 1) >> 1;
}

/* Load a word. */
static inline int64_t mt_load_word(const uint8_t *p)
{
	return mt_word(mt_load_64(p));
}

/* Add words as OCaml does, wrapping around. */
static inline int64_t mt_add(int64_t a, int64_t b)
{
	return mt_word((uint64_t)a + (uint64_t)b);
}

/* Store 16 bits. */
static inline void mt_store_16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

/* Store 32 bits. */
static inline void mt_store_32(uint8_t *p, uint32_t v)
{
	mt_store_16(p, (uint16_t)v);
	mt_store_16(p + 2, (uint16_t)(v >> 16));
}

/* Store 64 bits. */
static inline void mt_store_64(uint8_t *p, uint64_t v)
{
	mt_store_32(p, (uint32_t)v);
	mt_store_32(p + 4, (uint32_t)(v >> 32));
}

#endif
