/*
 * printed.h - what was printed to a struct out, as a string.
 */
#pragma once

#include "print/out.h"

/* The text since the last call; it stands until the next one. */
static inline const char *printed(struct out *out)
{
	static char text[4096];

	memcpy(text, out->buffer, out->used);
	text[out->used] = '\0';
	out->used = 0;
	return text;
}
