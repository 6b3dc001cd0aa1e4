/*
 * lock_names.c - see lock_names.h.
 */
#include "observation/lock_names.h"

#include <time.h>

#include "code/sampler.h"
#include "code/threads.h"
#include "core/clock.h"
#include "core/thread.h"
#include "target/lock_pair.h"

#define TIMES 100	       /* it may take a hundredth of a core */
#define REST_NS 2000000000u    /* between two readings, at least */
#define PATIENCE_NS 100000000u /* for samples of threads that run */
#define TRY_NS 1000000000u     /* for which it is tried again to find threads that wait */
enum { THREADS = 64 };	       /* whose functions are kept */

struct lock_names {
	pthread_t thread;
	bool begun;	   /* the thread runs, or has ended: what follows is its own */
	uint64_t ts, took; /* when the last one began, and its processor time */
	pid_t pid;
	struct version version;
	bool samples; /* of threads that run */
	struct code *code;
	struct locks *locks;
	struct lock_pair pair;
	bool wanted[LOCKS_THREADS_MAX]; /* of the first look: it waits, or has what another one waits for */
	struct {
		int32_t tid;
		char in[LOCK_NAME];
	} seen[THREADS];
	unsigned seen_count, found_count;
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
	n->seen_count = 0;
	(void)lock_pair_begin(&n->pair, n->locks);
	memset(n->wanted, 0, sizeof(n->wanted));
	for (size_t i = 0; i < n->pair.before_count; i++) {
		const struct lock_thread *at = &n->pair.before[i];

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

	if (n->pair.before == NULL)
		begin(n);
	const struct lock_thread *at = lock_thread_of(n->pair.before, n->pair.before_count, thread->tid);
	if (at == NULL || !n->wanted[at - n->pair.before] || n->seen_count == THREADS)
		return;
	const struct code_line *line = code_own_line(n->code, stack);
	if (line == NULL)
		return;
	n->seen[n->seen_count].tid = thread->tid;
	char *in = n->seen[n->seen_count++].in;
	if (line->file == NULL)
		snprintf(in, LOCK_NAME, "%s", line->name);
	else if (line->line == 0)
		snprintf(in, LOCK_NAME, "%s %s", line->name, line->file);
	else
		snprintf(in, LOCK_NAME, "%s %s:%u", line->name, line->file, line->line);
}

/* The function of a thread; "": not known. */
static const char *function_of(const struct lock_names *n, int32_t tid)
{
	for (unsigned i = 0; i < n->seen_count; i++)
		if (n->seen[i].tid == tid)
			return n->seen[i].in;
	return "";
}

/* Keep the functions of a wait, if it was the same before and after they were read. */
static void keep(struct lock_names *n, const struct lock_thread *before)
{
	const struct lock_thread *wait = lock_pair_wait(&n->pair, before->tid);
	unsigned i = 0;

	if (wait == NULL || !lock_is_of_program(wait))
		return;
	while (i < n->found_count && n->found[i].address != wait->address)
		i++;
	if (i == LOCK_ROWS)
		return;
	struct lock_named *named = &n->found[i];
	if (i == n->found_count) {
		n->found_count++;
		*named = (struct lock_named){.address = wait->address};
	}
	if (named->waits[0] == '\0')
		strlcpy(named->waits, function_of(n, wait->tid), LOCK_NAME);
	/* A stack of one that runs, and was not sampled, is of a moment when another one had it. */
	const bool seen =
	    n->samples || wait->next < 0 || n->pair.after.threads[wait->next].doing != LOCK_RUNS;
	if (named->has[0] == '\0' && wait->owner == before->owner && seen)
		strlcpy(named->has, function_of(n, wait->owner), LOCK_NAME);
}

/* Look at all threads until who waits for a lock and who has it are seen. */
static void look(struct lock_names *n)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	const uint64_t end = monotonic_now() + TRY_NS;
	struct code_refusal refusal;
	bool whole = false;

	while (!whole && monotonic_now() < end) {
		n->pair = (struct lock_pair){.before = NULL};
		if (code_refresh(n->code) != 0 ||
		    code_threads(n->code, n->samples ? PATIENCE_NS : 0, see_thread, n, &refusal) != 0)
			return;
		(void)lock_pair_end(&n->pair, n->locks);
		for (size_t i = 0; i < n->pair.before_count; i++)
			keep(n, &n->pair.before[i]);
		lock_pair_fini(&n->pair);
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
	lock_pair_fini(&n->pair);
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

/* How long no other thread is started, by what the last one cost. */
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
