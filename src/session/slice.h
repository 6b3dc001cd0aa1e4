/*
 * slice.h - the scheduler's slices of the calling thread.
 */
#ifndef SESSION_SLICE_H
#define SESSION_SLICE_H

/*
 * Ask the kernel for the shortest slices of processor time that it gives: it then lets the thread run soon
 * after it wakes up, also beside busier ones.  The thread's share stays the same.  A kernel before Linux 6.12
 * does not know them, and nothing happens.  Threads and processes that the thread creates inherit them.
 */
void slice_shorten(void);

#endif
