/*
 * limits.h - what this process asks of the kernel for itself, and does not leave to a COMMAND.
 */
#pragma once

/* Raise the limit on open descriptors as far as the process itself may: each target under observation holds some,
 * and the usual 1024 is there for programs that use select. */
void descriptors_raise(void);

/* Undo it in a child before it executes another program. */
void descriptors_restore(void);

/*
 * Ask the kernel for the shortest slices of processor time that it gives: it then lets the calling thread run
 * soon after it wakes up, also beside busier ones.  The thread's share stays the same.  A kernel before Linux
 * 6.12 does not know them, and nothing happens.  Threads and processes that the thread creates inherit them.
 */
void slice_shorten(void);
