/*
 * lock_names.h - in which functions of the program threads wait for locks, and others have them: what a lock is known by.
 *
 * It is read from their stacks, by a thread of its own, when looks at the locks show that it is worth it: at most for a hundredth
 * of the time.
 */
#pragma once

#include "session/session.h"
#include "watch/lock_past.h"

struct lock_names;
struct lock_names *lock_names_create(void); /* NULL when memory ran out */
void lock_names_destroy(struct lock_names *n);

/* Tell the past what was found, and begin to read if it asks for names and it is time to.  `wait`: until that is done. */
void lock_names_turn(
    struct lock_names *n, const struct session *s, uint64_t now, bool wait, struct lock_past *past);
