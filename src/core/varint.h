/*
 * varint.h - unsigned numbers in one to nine bytes, without a branch on their length: of the history and of a trail.
 *
 * The three lowest bits of the first byte say how many bytes follow it; the number stands above them, lowest
 * byte first.  Numbers of 54 bits and more follow a byte 7 as they are.  Signed ones are folded first, so that
 * numbers near zero are short.
 *
 * varint_put and varint_get touch VARINT_SLACK bytes from where a number begins, however short it is.  varint_get is
 * for bytes that this program wrote itself: it checks nothing.  varint_read is for those of others.
 */
#ifndef CORE_VARINT_H
#define CORE_VARINT_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VARINT_MAX 9 /* bytes of the longest */
#define VARINT_SLACK 9
#define VARINT_WIDE 7  /* what the first byte of a number that follows as it is holds */
#define VARINT_BITS 53 /* of the largest that doesn't */

/* Write a number and return where it ends. */
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
	/* Bits beside the tag's three, less those that the first byte has room for, rounded up to bytes. */
	more = (66u - (unsigned)__builtin_clzll(value | 1)) / 8;
	word = htole64(value << 3 | more);
	memcpy(p, &word, sizeof(word));
	return p + more + 1;
}

/* Read a number and move *p behind it. */
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

/* Read a number of which all that is known is that it ends before `end`, if it does.  NULL when it doesn't, else where it
 * ends. */
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

/* Fold a signed number: 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline uint64_t fold(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

/* The inverse of fold. */
static inline int64_t unfold(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (UINT64_MAX * (value & 1)));
}

#endif
