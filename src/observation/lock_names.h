/*
 * lock_names.h - in which functions of the program threads wait for locks, and others have them: what a lock is known by.
 *
 * It is read from the stacks of threads that sleep, by a thread of its own, when looks at the locks show that it is worth it: at
 * most for a hundredth of the time.  A sample slows the program, so threads that run are seen only where its code is sampled, too.
 */
#pragma once

#include "session/session.h"
#include "samples/lock_past.h"

struct lock_names;
struct lock_names *lock_names_create(void); /* NULL when memory ran out */
void lock_names_destroy(struct lock_names *n);

/* Tell the past what was found, and begin to read if it asks for names and it is time to.  `wait`: until that is done.
 * `samples`: threads that run may be sampled. */
void lock_names_turn(struct lock_names *n, const struct session *s, uint64_t now, bool wait, bool samples,
    struct lock_past *past);
