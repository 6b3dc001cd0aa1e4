/*
 * lock_names.c - see process.h.
 */
#include "observation/process.h"

#include <time.h>

#include "code/sampler.h"
#include "code/threads.h"
#include "core/clock.h"
#include "core/thread.h"
#include "target/locks.h"

#define TIMES 100	       /* it may take a hundredth of a core */
#define REST_NS 2000000000u    /* between two readings, at least */
#define PATIENCE_NS 100000000u /* for samples of threads that run */
#define TRY_NS 1000000000u     /* for which it is tried again to find threads that wait */

struct lock_names {
	pthread_t thread;
	bool begun;	   /* the thread runs, or has ended: what follows is its own */
	uint64_t ts, took; /* when the last one began, and its processor time */
	pid_t pid;
	struct version version;
	bool samples; /* of threads that run */
	struct code *code;
	struct locks *locks;
	struct locks_look before, after; /* as the first stack is read, and after the last */
	/* Of each thread of the first look: it waits, or has what another one waits for; and its function, "": not known. */
	bool wanted[LOCKS_THREADS_MAX];
	char in[LOCKS_THREADS_MAX][LOCK_NAME];
	unsigned found_count;
	struct lock_named found[LOCK_ROWS];
};

struct lock_names *lock_names_create(void)
{
	return calloc(1, sizeof(struct lock_names));
}

void lock_names_destroy(struct lock_names *n)
{
	if (n == NULL)
		return;
	if (n->begun)
		thread_end(n->thread);
	free(n);
}

/* Look for the first time, and note whose functions are wanted. */
static void begin(struct lock_names *n)
{
	(void)locks_look(n->locks, monotonic_now(), &n->before);
	memset(n->wanted, 0, sizeof(n->wanted));
	for (size_t i = 0; i < n->before.count; i++) {
		const struct lock_thread *at = &n->before.threads[i];

		n->in[i][0] = '\0';
		if (!lock_is_of_program(at))
			continue;
		n->wanted[i] = true;
		if (at->next >= 0)
			n->wanted[at->next] = true;
	}
}

static void see_thread(void *ctx, const struct code_thread *thread, const struct code_stack *stack)
{
	struct lock_names *n = ctx;

	if (n->before.ts == 0)
		begin(n);
	const struct lock_thread *at = lock_thread_of(n->before.threads, n->before.count, thread->tid);
	const size_t i = at != NULL ? (size_t)(at - n->before.threads) : 0;
	const struct code_line *line = at != NULL && n->wanted[i] ? code_own_line(n->code, stack) : NULL;
	if (line == NULL)
		return;
	snprintf(n->in[i], LOCK_NAME, line->file != NULL ? "%s %s" : "%s", line->name, line->file);
	const size_t len = strlen(n->in[i]);
	if (line->file != NULL && line->line != 0)
		snprintf(n->in[i] + len, LOCK_NAME - len, ":%u", line->line);
}

/* Keep the functions of a wait, if it was the same before and after they were read. */
static void keep(struct lock_names *n, size_t thread)
{
	const struct lock_thread *before = &n->before.threads[thread],
				 *wait = locks_wait(&n->before, &n->after, before->tid);
	unsigned i = 0;

	if (wait == NULL || !lock_is_of_program(wait))
		return;
	while (i < n->found_count && n->found[i].address != wait->lock.address)
		i++;
	if (i == LOCK_ROWS)
		return;
	struct lock_named *named = &n->found[i];
	if (i == n->found_count) {
		n->found_count++;
		*named = (struct lock_named){.address = wait->lock.address};
	}
	/* In a deadlock, name the function of a thread of the circle, not of one that waits beside it. */
	if (named->waits[0] == '\0' || (wait->cycle != 0 && n->in[thread][0] != '\0'))
		memcpy(named->waits, n->in[thread], LOCK_NAME);
	/* The stack of a running thread that was not sampled was read while it slept, and then another thread held the lock. */
	if (named->has[0] == '\0' && before->next >= 0 && wait->next >= 0 && wait->owner == before->owner &&
	    (n->samples || n->after.threads[wait->next].doing != LOCK_RUNS))
		memcpy(named->has, n->in[before->next], LOCK_NAME);
}

/* Look at all threads until a lock's waiters and its holder are seen. */
static void look(struct lock_names *n)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	const uint64_t end = monotonic_now() + TRY_NS;
	struct code_refusal refusal;
	bool whole = false;

	while (!whole && monotonic_now() < end) {
		n->before.ts = 0;
		if (code_refresh(n->code) != 0 ||
		    code_threads(n->code, n->samples ? PATIENCE_NS : 0, see_thread, n, &refusal) != 0)
			return;
		(void)locks_look(n->locks, monotonic_now(), &n->after);
		for (size_t i = 0; n->before.ts != 0 && i < n->before.count; i++)
			keep(n, i);
		whole = n->found_count > 0;
		for (unsigned i = 0; i < n->found_count; i++)
			whole &= n->found[i].waits[0] != '\0' && n->found[i].has[0] != '\0';
		if (!whole)
			nanosleep(&pause, NULL);
	}
}

static void *read_names(void *ctx)
{
	struct lock_names *n = ctx;
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const char *why;
	struct runtime *runtime = runtime_create(NULL, n->pid, &n->version, &why);

	n->found_count = 0;
	n->code = runtime != NULL ? code_create(runtime, NULL, n->pid, &why) : NULL;
	n->locks = n->code != NULL ? locks_create(runtime, NULL, n->pid, &why) : NULL;
	if (n->locks != NULL)
		look(n);
	locks_destroy(n->locks);
	code_destroy(n->code);
	runtime_destroy(runtime);
	n->took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	return NULL;
}

/* Tell what the thread has found, if it has ended. */
static void take(struct lock_names *n, uint64_t now, bool wait, struct lock_past *past)
{
	if (!n->begun || (wait ? pthread_join(n->thread, NULL) : pthread_tryjoin_np(n->thread, NULL)) != 0)
		return;
	n->begun = false;
	for (unsigned i = 0; i < n->found_count; i++)
		lock_past_name(past, now, &n->found[i]);
}

/* Return the least time between two readings, by the cost of the last one. */
static uint64_t rest_of(const struct lock_names *n)
{
	return n->took * TIMES > REST_NS ? n->took * TIMES : REST_NS;
}

void lock_names_turn(struct lock_names *n, const struct session *s, uint64_t now, bool wait, bool samples,
    struct lock_past *past)
{
	const pid_t pid = s->state == SESSION_LIVE && s->alive != NULL ? alive_pid(s->alive) : 0;

	take(n, now, wait, past);
	if (pid == 0 || n->begun || (n->ts != 0 && (wait || now - n->ts < rest_of(n))) ||
	    !lock_past_unnamed(past, now))
		return;
	n->pid = pid;
	n->version = s->version;
	n->samples = samples;
	n->ts = now;
	n->begun = thread_start(&n->thread, read_names, n) == 0;
	if (wait)
		take(n, now, true, past);
}
