/* shortage.h - resources that a process can run short of (descriptors, memory, processes): their errno
 * values, messages that name the limit, and remedies. */
#pragma once

#include "core/std.h"

/* Whether an errno value means a shortage. */
bool shortage_is(int error);

/* Return the message for an errno value: our own for a shortage, else that of strerror. */
const char *shortage_why(int error);

/* Return the remedy for a shortage; `usual` for any other error.  Static storage. */
const char *shortage_remedy(int error, const char *usual);

/* Whether descriptors and memory suffice to examine a process.  Returns 0 or an errno value. */
int shortage_now(void);

/* Whether there is enough memory for the C library's user lookup, which may end the program without it. */
bool shortage_names(void);
