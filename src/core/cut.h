/* cut.h - read untrusted bytes from front to back. */
#pragma once

#include "core/varint.h"

/* The unread bytes.  `fault` is set when a read asks for more bytes than are left or meets a number that is
 * too large; all reads from then on return 0 or NULL. */
struct cut {
	const uint8_t *at, *end;
	bool fault;
};

static inline size_t cut_left(const struct cut *cut)
{
	return (size_t)(cut->end - cut->at);
}

/* Take `size` bytes in place. */
static inline const uint8_t *cut_bytes(struct cut *cut, uint64_t size)
{
	const uint8_t *bytes = cut->at;

	if (cut->fault || cut_left(cut) < size) {
		cut->fault = true;
		return NULL;
	}
	cut->at += size;
	return bytes;
}

/* Take a number of `size` bytes, at most 8, least significant first. */
static inline uint64_t cut_fixed(struct cut *cut, size_t size)
{
	const uint8_t *bytes = cut_bytes(cut, size);
	uint64_t value = 0;

	for (size_t i = 0; bytes != NULL && i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

/* Take a varint of at most `most`. */
static inline uint64_t cut_varint(struct cut *cut, uint64_t most)
{
	uint64_t value = 0;
	const uint8_t *after = cut->fault ? NULL : varint_read(cut->at, cut->end, &value);

	if (after == NULL || value > most) {
		cut->fault = true;
		return 0;
	}
	cut->at = after;
	return value;
}

/* Write a number for cut_fixed.  Returns its end. */
static inline uint8_t *cut_put_fixed(uint8_t *to, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++, value >>= 8)
		*to++ = (uint8_t)value;
	return to;
}
