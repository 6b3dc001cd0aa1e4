/*
 * shortage.h - resources that a process can run short of (descriptors, memory, processes): their errno
 * values, messages that name the limit, and remedies.
 */
#pragma once

#include "core/std.h"

/* Whether an errno value means a shortage. */
bool shortage_is(int error);

/* A message for an errno value: ours for a shortage, else strerror. */
const char *shortage_why(int error);

/* The remedy for a shortage; `usual` for any other error.  Static storage. */
const char *shortage_remedy(int error, const char *usual);

/* Whether descriptors and memory suffice to examine a process.  Returns 0 or an errno value. */
int shortage_now(void);

/* Whether there is memory for what the C library loads to look up a user: without, it may end the program. */
bool shortage_names(void);
