/*
 * budget.h - limit on the memory that the content of a ring can make the program allocate.
 *
 * A ring of a few megabytes can name thousands of user events on each of thousands of domains, and a live
 * ring never ends.  Every allocation whose size the ring decides takes its bytes from a budget first.  If the
 * budget is used up, the model counts the event as ignored (a span that cannot be kept open as dropped).  Allocations
 * bounded by the number of domains are not counted:
 *
 *     model    BUDGET_MODEL, and up to 57 KiB for each domain
 *     watch    the budget of its history, up to 125 KiB for each domain, and 60 MB in all
 */
#pragma once

#include "core/std.h"

#define BUDGET_MODEL ((size_t)256 << 20)

/* All zeros but `most`. */
struct budget {
	size_t used, most;
};

/* Take bytes; false if fewer are left.  NULL is no limit. */
static inline bool budget_take(struct budget *b, size_t bytes)
{
	if (b == NULL)
		return true;
	if (bytes > b->most - b->used)
		return false;
	b->used += bytes;
	return true;
}

/* Return bytes to the budget. */
static inline void budget_give(struct budget *b, size_t bytes)
{
	if (b != NULL)
		b->used -= bytes;
}
