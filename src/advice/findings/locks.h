/*
 * locks.h - what the rules about locks have in common: words for a lock and for what its owner does.
 */
#pragma once

#include "advice/rule.h"

/* Name a lock in a sentence: "a mutex", "the lock of a channel (fd 4)", "the master lock of domain 0". */
#define LOCK_WORDS 64
const char *lock_words(enum lock_kind kind, int domain, int fd, char out[LOCK_WORDS]);
