/*
 * sized.h - structs of the interface that may grow.  Their first member is a size_t, the size that the caller
 * was compiled with.
 *
 * Input: a caller compiled against an older library has fewer members; the missing ones keep their defaults.
 * A caller compiled against a newer library may set members unknown here, so it is refused. Output: the
 * members that the caller has are filled in; those unknown here are set to zero.
 */
#pragma once

#include "core/std.h"

/* The size member of a struct. */
static inline size_t sized_of(const void *given)
{
	size_t size;

	memcpy(&size, given, sizeof(size));
	return size;
}

/* Copy the caller's struct over the defaults in `known`, of `size` bytes.  NULL is accepted.  Returns false
 * if the caller's size is invalid. */
static inline bool sized_take(void *known, size_t size, const void *given)
{
	if (given == NULL)
		return true;
	size_t given_size = sized_of(given);
	if (given_size < sizeof(given_size) || given_size > size)
		return false;
	memcpy(known, given, given_size);
	return true;
}

/* The caller's struct itself if it has all members, else a zero-extended copy in `room`.  NULL if its size is
 * invalid, or for NULL. */
static inline const void *sized_view(void *room, size_t size, const void *given)
{
	if (given == NULL || sized_of(given) == size)
		return given;
	memset(room, 0, size);
	return sized_take(room, size, given) ? room : NULL;
}

/* Whether an output struct has a valid size. */
static inline bool sized_open(const void *out)
{
	return out != NULL && sized_of(out) >= sizeof(size_t);
}

/* Fill in the caller's struct, which passed sized_open, from `known`, of `size` bytes. */
static inline void sized_give(void *out, const void *known, size_t size)
{
	size_t out_size = sized_of(out), common = out_size < size ? out_size : size, head = sizeof(out_size);

	memcpy((char *)out + head, (const char *)known + head, common - head);
	memset((char *)out + common, 0, out_size - common);
}
