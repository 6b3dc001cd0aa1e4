/*
 * guard.h - survive the truncation of a mapped ring file by its owner.
 *
 * Access to the lost part raises SIGBUS.  The handler maps zero pages over the rest of the mapping and
 * returns.  The library then reads a header of zeros and returns RTEV_E_TRUNCATED, or reads records of zeros
 * and reports them as corrupt.  A SIGBUS at any other address goes to the previous handler.
 */
#pragma once

#include "core/std.h"
#include "rtev/cursor.h"

/* Install the handler, and restore the previous one.  Install the terminal's handler first: it leaves the
 * screen. */
void guard_install(void);
void guard_remove(void);

/* Add or remove the mapping of a cursor.  When the table is full, the oldest is replaced.
 * The signature is that of processes_options.guard. */
void guard_cursor(void *ctx, const struct rtev_cursor *cursor, bool watch);

/* Whether a guarded mapping has lost a part of its file. */
bool guard_truncated(const void *address);
