/*
 * terminals.h - descriptions of common terminals for a machine that has none.
 *
 * Only the static program carries them: it may have been copied to a root without terminfo.  ncurses takes a
 * description from the variable TERMINFO of the environment.
 */
#ifndef TTY_TERMINALS_H
#define TTY_TERMINALS_H

#include <stdbool.h>

/* Put the description of a terminal type into the environment.  False when it is not among those carried, or
 * TERMINFO is set already. */
bool terminals_lend(const char *term);

/* Remove it, so that programs started from here do not inherit it. */
void terminals_take_back(void);

#endif
