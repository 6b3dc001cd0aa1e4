/*
 * sized.h - structs that callers hand in and that may grow: their first member, a size_t, is their size.
 *
 * A struct to be read: a caller that was built for an older library knows fewer members, and the others keep what
 * they have here.  One that was built for a newer library may mean something by members that are not known here,
 * so it is refused.
 * A struct to be filled in: what the caller knows of it is, and what is not known here is zero.
 */
#ifndef CORE_SIZED_H
#define CORE_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The size that a struct claims. */
static inline size_t sized_of(const void *given)
{
	size_t size;

	memcpy(&size, given, sizeof(size));
	return size;
}

/* Copy what a caller gave over `known`, whose size is `size`; NULL is nothing.  False when its size makes no sense. */
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

/* What a caller gave, without a copy where it knows all members; else a copy in `room`, with zeros for those that it does
 * not know.  NULL when its size makes no sense, or for NULL. */
static inline const void *sized_view(void *room, size_t size, const void *given)
{
	if (given == NULL || sized_of(given) == size)
		return given;
	memset(room, 0, size);
	return sized_take(room, size, given) ? room : NULL;
}

/* Whether a struct can be filled in. */
static inline bool sized_open(const void *out)
{
	return out != NULL && sized_of(out) >= sizeof(size_t);
}

/* Fill in what a caller gave, for which sized_open() holds, from `known`, whose size is `size`. */
static inline void sized_give(void *out, const void *known, size_t size)
{
	size_t out_size = sized_of(out), common = out_size < size ? out_size : size, head = sizeof(out_size);

	memcpy((char *)out + head, (const char *)known + head, common - head);
	memset((char *)out + common, 0, out_size - common);
}

#endif
