/*
 * bytes.h - numbers in the blobs of a trail.
 */
#ifndef TRAIL_BYTES_H
#define TRAIL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/varint.h"

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

/* Read a number that varint_put wrote; 0 after a fault. */
static inline uint64_t trail_get(struct trail_bytes *b)
{
	uint64_t value = 0;
	const uint8_t *after = varint_read(b->at, b->end, &value);

	if (after == NULL)
		b->fault = true;
	else
		b->at = after;
	return value;
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
