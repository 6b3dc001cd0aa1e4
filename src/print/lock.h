/* lock.h - words for a lock, and for what the thread that holds it does. */
#pragma once

#include "samples/lock_look.h"

/* Name a lock in a sentence: "a mutex", "the lock of a channel (fd 4)", "the master lock of domain 0". */
#define LOCK_WORDS 64
const char *lock_words(const struct lock_id *lock, char out[LOCK_WORDS]);

/* Say what a thread does in a system call, by its number: "sleeps", "writes".  Static storage. */
const char *lock_call_words(int call);
