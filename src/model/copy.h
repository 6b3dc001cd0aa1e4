/*
 * copy.h - copies of what a pointer leads to.
 *
 * A *copy* of a part of the model, made by the function of that part named so, is as that part was then and has nothing in common
 * with it but what it says itself.  It is read and destroyed like any other; nothing is ever fed to it.
 */
#ifndef MODEL_COPY_H
#define MODEL_COPY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A copy of `size` bytes, to be freed; NULL of NULL.  *ok is cleared when memory ran out, else left alone. */
static inline void *copy_bytes(const void *from, size_t size, bool *ok)
{
	void *to = from != NULL ? malloc(size > 0 ? size : 1) : NULL;

	if (to != NULL)
		memcpy(to, from, size);
	else if (from != NULL)
		*ok = false;
	return to;
}

#endif
