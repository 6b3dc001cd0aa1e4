/*
 * guard.h - survive a ring file that its owner truncates while it is mapped.
 *
 * Touching the lost part raises SIGBUS.  The handler maps zero pages over the rest of the mapping and goes on: the library
 * then reads a header of zeros and says RTEV_E_TRUNCATED, or zeros as records and says corrupt.  A SIGBUS at any other
 * address goes to whatever handler was there before.
 */
#ifndef SESSION_GUARD_H
#define SESSION_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "rtev/cursor.h"

/* Install the handler over the one that is there, and put that one back.  The terminal's own handler must be installed
 * before ours, since it gives up the screen. */
void guard_install(void);
void guard_remove(void);

/* Watch or forget the mapping of a cursor (at most 4096; the oldest is forgotten beyond that); of the form that
 * processes_options.guard has. */
void guard_cursor(void *ctx, const struct rtev_cursor *cursor, bool watch);

/* Whether the file of a watched mapping turned out to be shorter than it was. */
bool guard_truncated(const void *address);

#endif
