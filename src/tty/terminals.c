/*
 * terminals.c - descriptions of common terminals for a machine that has none.
 */
#include "tty/terminals.h"

#include <stdlib.h>
#include <string.h>

/* A terminal type, and its compiled description in the form that TERMINFO may have. */
struct terminal {
	const char *name, *description;
};

static const struct terminal terminals[] = {
#ifdef RTEV_STATIC
#include "tty/terminals.inc"
#endif
    {NULL, NULL}};

static bool lent;

bool terminals_lend(const char *term)
{
	for (const struct terminal *t = terminals; t->name != NULL; t++)
		if (strcmp(t->name, term) == 0 && getenv("TERMINFO") == NULL)
			lent = setenv("TERMINFO", t->description, 0) == 0;
	return lent;
}

void terminals_take_back(void)
{
	if (lent)
		unsetenv("TERMINFO");
	lent = false;
}
