/*
 * lock_pair.c - see lock_pair.h.
 */
#include "target/lock_pair.h"

#include "core/clock.h"

int lock_pair_begin(struct lock_pair *pair, struct locks *locks)
{
	struct locks_look look;

	*pair = (struct lock_pair){.before = NULL};
	int error = locks_look(locks, monotonic_now(), &look);
	if (error != 0)
		return error;
	pair->before = calloc(look.count + 1, sizeof(*pair->before));
	if (pair->before == NULL)
		return ENOMEM;
	pair->before_count = look.count;
	memcpy(pair->before, look.threads, look.count * sizeof(*look.threads));
	return 0;
}

int lock_pair_end(struct lock_pair *pair, struct locks *locks)
{
	const int error = pair->before != NULL ? locks_look(locks, monotonic_now(), &pair->after) : 0;

	if (error != 0)
		pair->after.count = 0;
	return error;
}

void lock_pair_fini(struct lock_pair *pair)
{
	free(pair->before);
	pair->before = NULL;
}

const struct lock_thread *lock_pair_wait(const struct lock_pair *pair, int32_t tid)
{
	const struct lock_thread *at = lock_thread_of(pair->before, pair->before_count, tid),
				 *now = lock_thread_of(pair->after.threads, pair->after.count, tid);

	return at != NULL && now != NULL && at->doing == LOCK_WAITS && now->doing == LOCK_WAITS &&
		       now->kind == at->kind && now->address == at->address
		   ? now
		   : NULL;
}
