/*
 * sized.h - structs that callers hand in and that may grow: their first member is their size.
 *
 * A caller that was built for an older library knows fewer members, and the others keep what they have here.  One
 * that was built for a newer library may mean something by members that are not known here, so it is refused.
 */
#ifndef CORE_SIZED_H
#define CORE_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Copy what a caller gave over `known`, whose size is `size`; NULL is nothing.  False when its size makes no sense. */
static inline bool sized_take(void *known, size_t size, const void *given)
{
	size_t given_size;

	if (given == NULL)
		return true;
	memcpy(&given_size, given, sizeof(given_size));
	if (given_size < sizeof(given_size) || given_size > size)
		return false;
	memcpy(known, given, given_size);
	return true;
}

#endif
