/*
 * lock_names.h - the functions of the program that wait for a lock and that hold it: a lock has no other name.
 *
 * A thread of its own reads them from the stacks of sleeping threads, for at most a hundredth of the time, while the looks at
 * locks ask for names.  A sample slows the program, so running threads are seen only while its code is sampled anyway.
 */
#pragma once

#include "session/session.h"
#include "samples/lock_past.h"

struct lock_names;
struct lock_names *lock_names_create(void); /* NULL when memory ran out */
void lock_names_destroy(struct lock_names *n);

/* Pass the functions that were found to `past`, and begin to read again if it asks for names and the last reading is long
 * enough ago.  `wait`: return when that is done.  `samples`: running threads may be sampled. */
void lock_names_turn(struct lock_names *n, const struct session *s, uint64_t now, bool wait, bool samples,
    struct lock_past *past);
