/*
 * bytes.h - read and write the numbers in a trail's blobs.  After a fault of its struct varint_bytes every
 * reading function gives 0 or NULL.
 */
#pragma once

#include "core/varint.h"

/* Write the low `size` bytes of a number, least significant first.  Returns the end. */
static inline uint8_t *trail_put_fixed(uint8_t *p, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++, value >>= 8)
		*p++ = (uint8_t)value;
	return p;
}

/* Take `size` bytes in place. */
static inline const uint8_t *trail_get_bytes(struct varint_bytes *b, uint64_t size)
{
	const uint8_t *p = b->at;

	if (b->fault || (uint64_t)(b->end - p) < size) {
		b->fault = true;
		return NULL;
	}
	b->at += size;
	return p;
}

/* Read a number of `size` bytes, at most 8. */
static inline uint64_t trail_get_fixed(struct varint_bytes *b, unsigned size)
{
	const uint8_t *p = trail_get_bytes(b, size);
	uint64_t value = 0;

	for (unsigned i = 0; p != NULL && i < size; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

/* Read a varint. */
static inline uint64_t trail_get(struct varint_bytes *b)
{
	return varint_next(b, UINT64_MAX);
}
