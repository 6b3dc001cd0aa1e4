/*
 * bytes.h - read and write the numbers in a trail's blobs.
 */
#ifndef TRAIL_BYTES_H
#define TRAIL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/varint.h"

/* A reader's position: bytes from `at` to `end`.  `fault` is set once a read would have passed the end. */
struct trail_bytes {
	const uint8_t *at, *end;
	bool fault;
};

/* Write the low `size` bytes of a number, least significant first.  Returns the end. */
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

/* Read a varint; 0 after a fault. */
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

/* Take `size` bytes in place; NULL after a fault. */
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
