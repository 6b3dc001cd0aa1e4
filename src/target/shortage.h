/*
 * shortage.h - what a process can run short of (descriptors, memory, processes): which errno values say so, in words that name
 * the limit, and what helps.
 */
#ifndef TARGET_SHORTAGE_H
#define TARGET_SHORTAGE_H

#include <stdbool.h>

/* Whether an errno value tells of a shortage. */
bool shortage_is(int error);

/* What an errno value says: of a shortage in our words, else strerror. */
const char *shortage_why(int error);

/* What helps against a shortage; `usual` for any other error.  Static storage. */
const char *shortage_remedy(int error, const char *usual);

/* Whether there are as many descriptors and as much memory as a look at one process takes; 0, or an errno value. */
int shortage_now(void);

/* Whether there is memory for what the C library loads to look up a name; it may not survive without. */
bool shortage_names(void);

#endif
