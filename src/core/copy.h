/*
 * copy.h - deep copies.
 *
 * What the live view shows while it stands still is a copy: each part of it has a function NAME_copy, which returns a snapshot
 * that shares no memory with the original, unless its comment says so.  Callers read and destroy a copy like the original, but
 * never feed it.
 */
#pragma once

#include "core/std.h"

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
