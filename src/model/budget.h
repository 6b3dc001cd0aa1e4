/*
 * budget.h - the bound on what the content of a ring can make us allocate.
 *
 * A ring of a few megabytes can name thousands of user events on each of thousands of domains, and a live one can go on
 * for ever.  So all of which only the ring decides how much there is takes its bytes from a budget before they are
 * allocated.  What finds no room is left out: the model counts it as ignored (a span that can't be kept open as
 * dropped), a domain's flame graph is not shown.  Not counted here is what the number of domains bounds:
 *
 *     model    BUDGET_MODEL, and up to 45 KiB for each domain
 *     watch    BUDGET_WATCH, the budget of its history, up to 125 KiB for each domain, and 60 MB in all
 */
#ifndef MODEL_BUDGET_H
#define MODEL_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#define BUDGET_MODEL ((size_t)256 << 20)
#define BUDGET_WATCH ((size_t)128 << 20)

/* Zeroed but for `most`. */
struct budget {
	size_t used, most;
};

/* Take bytes; false when there are not so many left.  No budget (NULL) has no end. */
static inline bool budget_take(struct budget *b, size_t bytes)
{
	if (b == NULL)
		return true;
	if (bytes > b->most - b->used)
		return false;
	b->used += bytes;
	return true;
}

/* Give back what was taken. */
static inline void budget_give(struct budget *b, size_t bytes)
{
	if (b != NULL)
		b->used -= bytes;
}

#endif
