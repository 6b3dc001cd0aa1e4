/*
 * varint.h - unsigned integers in one to nine bytes, decoded without a branch on the length.  Used by history
 * and trails.
 *
 * The low three bits of the first byte are the number of bytes that follow; the value is in the bits above,
 * little endian.  Values of more than VARINT_BITS bits are stored as a byte VARINT_WIDE and eight bytes.
 * Signed values are folded first, so that small magnitudes are short.
 *
 * varint_put and varint_get access VARINT_SLACK bytes from the start of a number, whatever its length.
 * varint_get checks nothing: it is for bytes written by this process.  varint_read is for untrusted bytes.
 */
#pragma once

#include <endian.h>

#include "core/std.h"

#define VARINT_MAX 9 /* bytes of the longest number */
#define VARINT_SLACK 9
#define VARINT_WIDE 7  /* first byte of a number stored in full */
#define VARINT_BITS 53 /* width of the largest other number */

/* Write a number.  Returns its end. */
static inline uint8_t *varint_put(uint8_t *p, uint64_t value)
{
	unsigned more;
	uint64_t word;

	if (value >> VARINT_BITS != 0) {
		*p = VARINT_WIDE;
		word = htole64(value);
		memcpy(p + 1, &word, sizeof(word));
		return p + VARINT_MAX;
	}
	/* Three bits of tag and the value's bits, less the eight of the first byte, rounded up to bytes. */
	more = (3u + (63u ^ (unsigned)__builtin_clzll(value | 1))) / 8;
	word = htole64(value << 3 | more);
	memcpy(p, &word, sizeof(word));
	return p + more + 1;
}

/* Read a number and advance *p. */
static inline uint64_t varint_get(const uint8_t **p)
{
	unsigned more = **p & 7u;
	uint64_t word;

	if (more == VARINT_WIDE) {
		memcpy(&word, *p + 1, sizeof(word));
		*p += VARINT_MAX;
		return le64toh(word);
	}
	memcpy(&word, *p, sizeof(word));
	*p += more + 1;
	return (le64toh(word) & UINT64_MAX >> (56 - 8 * more)) >> 3;
}

/* Read a number that may be cut off at `end`.  Returns its end, or NULL. */
static inline const uint8_t *varint_read(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
	uint64_t word = 0;

	if (p == end)
		return NULL;
	unsigned more = *p & 7u;
	size_t size = more == VARINT_WIDE ? VARINT_MAX : more + 1;
	if ((size_t)(end - p) < size)
		return NULL;
	if (more == VARINT_WIDE) {
		memcpy(&word, p + 1, sizeof(word));
		*out = le64toh(word);
	} else {
		memcpy(&word, p, size);
		*out = le64toh(word) >> 3;
	}
	return p + size;
}

/* Map signed to unsigned: 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline uint64_t fold(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

/* The inverse of fold. */
static inline int64_t unfold(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (UINT64_MAX * (value & 1)));
}
