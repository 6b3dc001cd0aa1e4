/*
 * lock_pair.h - two looks at the locks of a process, before and after something is read of its threads: what a thread waited for at
 * both, it waited for meanwhile.
 */
#pragma once

#include "target/locks.h"

struct lock_pair {
	struct lock_thread *before; /* by tid; NULL: not looked at */
	size_t before_count;
	struct locks_look after; /* valid until the locks are looked at again */
};

/* Look for the first time, and for the second.  0, or an errno value; then nobody waited at both. */
int lock_pair_begin(struct lock_pair *pair, struct locks *locks);
int lock_pair_end(struct lock_pair *pair, struct locks *locks);
void lock_pair_fini(struct lock_pair *pair);

/* The second look at a thread that waited for one lock at both; NULL: it did not. */
const struct lock_thread *lock_pair_wait(const struct lock_pair *pair, int32_t tid);
