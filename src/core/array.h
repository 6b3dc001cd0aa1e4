/*
 * array.h - arrays that grow, and deep copies.
 *
 * What the live view shows while it stands still is a copy: each part of it has a function NAME_copy, which returns a snapshot
 * that shares no memory with the original, unless its comment says so.  Callers read and destroy a copy like the original, but
 * never feed it.
 */
#pragma once

#include "core/std.h"

#define ARRAY_FIRST 16 /* members of an array when it is first allocated, at least */

/*
 * Make room for `count` members of `member` bytes in an array.  `array` is the address of a pointer to
 * allocated memory or NULL; *room is the number of members that fit.  The room at least doubles.  Returns
 * false, and changes nothing, if memory ran out.
 */
static inline bool array_room(void *array, size_t *room, size_t count, size_t member)
{
	size_t more = *room < ARRAY_FIRST / 2 ? ARRAY_FIRST : *room * 2;
	void *old, *grown;

	if (count <= *room)
		return true;
	memcpy(&old, array, sizeof(old));
	more = more > count ? more : count;
	grown = reallocarray(old, more, member);
	if (grown == NULL)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*room = more;
	return true;
}

/*
 * Extend an array, if it is too short, with zeroed members so that it has one at `index`.  `array` is as for
 * array_room, *count is the number of members.  Returns false, and changes nothing, if memory ran out.
 */
static inline bool array_reach(void *array, unsigned *count, unsigned index, size_t member)
{
	size_t known = *count;
	void *old, *grown;

	if (index < known)
		return true;
	memcpy(&old, array, sizeof(old));
	grown = reallocarray(old, (size_t)index + 1, member);
	if (grown == NULL)
		return false;
	memset((char *)grown + known * member, 0, (index + 1 - known) * member);
	memcpy(array, &grown, sizeof(grown));
	*count = index + 1;
	return true;
}

/* Copy `size` bytes into new memory; NULL for NULL.  Clears *ok if memory ran out, else leaves it alone. */
static inline void *copy_bytes(const void *from, size_t size, bool *ok)
{
	void *to = from != NULL ? malloc(size > 0 ? size : 1) : NULL;

	if (to != NULL)
		memcpy(to, from, size);
	else if (from != NULL)
		*ok = false;
	return to;
}
