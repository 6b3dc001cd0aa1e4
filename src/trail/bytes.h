/*
 * bytes.h - numbers in the blobs of a trail.
 */
#ifndef TRAIL_BYTES_H
#define TRAIL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fold.h"

#define TRAIL_VARINT_MAX 10

/* Bytes being read: from `at` to `end`; `fault` once something was not there. */
struct trail_bytes {
	const uint8_t *at, *end;
	bool fault;
};

/* Write a number in `size` bytes, the lowest first; returns where it ends. */
static inline uint8_t *trail_put_fixed(uint8_t *p, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++, value >>= 8)
		*p++ = (uint8_t)value;
	return p;
}

/* Write a number in one to TRAIL_VARINT_MAX bytes; returns where it ends. */
static inline uint8_t *trail_put(uint8_t *p, uint64_t value)
{
	while (value >= 0x80) {
		*p++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*p++ = (uint8_t)value;
	return p;
}

/* Read a number of `size` bytes; 0 after a fault. */
static inline uint64_t trail_get_fixed(struct trail_bytes *b, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(b->end - b->at) < size) {
		b->fault = true;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)*b->at++ << 8 * i;
	return value;
}

/* Read a number that trail_put wrote; 0 after a fault. */
static inline uint64_t trail_get(struct trail_bytes *b)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (b->at == b->end)
			break;
		uint8_t byte = *b->at++;
		/* of the tenth byte only the lowest bit has a place */
		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	b->fault = true;
	return 0;
}

/* Read `size` bytes as they are; NULL after a fault. */
static inline const uint8_t *trail_get_bytes(struct trail_bytes *b, uint64_t size)
{
	const uint8_t *p = b->at;

	if ((uint64_t)(b->end - b->at) < size) {
		b->fault = true;
		return NULL;
	}
	b->at += size;
	return p;
}

#endif
