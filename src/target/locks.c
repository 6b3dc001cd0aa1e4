/* locks.c - see locks.h. */
#include "target/locks.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target/lock_ends.h"
#include "target/lock_memory.h"
#include "target/processes.h"

#define LIST_NS 1000000000u /* between two listings of the threads, if no thread is missing */
#define OFTEN_NS 500000000u /* if looks are closer, the files of threads stay open in between */

enum {
	FILES = 64, /* maximum number of files that stay open */
	TICK_STACK = 1 << 16
};

struct locks {
	struct proc proc;
	struct lock_memory memory;
	struct lock_ends ends;
	int32_t pid_inside; /* the pid of the process in its own namespace */
	/* Kept files "syscall" of threads, by tid.  Opening them is four tenths of the cost of a look. */
	struct {
		int32_t tid; /* 0: none is open */
		int fd;
	} files[FILES];
	uint64_t looked_ts;
	bool often;
	struct lock_thread *now, *last; /* LOCKS_THREADS_MAX each */
	size_t count, last_count;
	int32_t *tids; /* threads in the latest listing */
	size_t listed;
	uint64_t listed_ts; /* 0: the listing lacks a thread */
	/* Tick threads by pthread_t, which is the address of their control block. */
	uint64_t ticks[LOCK_DOMAINS];
	unsigned tick_count;
	uint64_t shared[LOCK_DOMAINS / LOCK_WORD_BITS]; /* domains with a tick thread, or that may have one */
	int32_t *inside; /* for each of `now`: its tid in the namespace of the process */
	int32_t *owner;	 /* owner of the awaited lock, numbered in that namespace; 0: none, or not known */
	unsigned *
	    walk; /* find_cycles: the number of the walk that visited it first, 0: none; see_ends: whether others wait for it */
};

const char *lock_kind_name(enum lock_kind kind)
{
	static const char *const names[] = {LOCK_KINDS(LIST_TEXT)};

	return names[kind];
}

struct locks *locks_create(struct runtime *runtime, const char *proc_root, pid_t pid, const char **why)
{
	struct locks *locks = calloc(1, sizeof(*locks));
	struct status_ids ids;
	int error = ENOMEM;

	if (locks == NULL)
		goto fail;
	locks->proc.dir = -1;
	locks->now = calloc(LOCKS_THREADS_MAX, sizeof(*locks->now));
	locks->last = calloc(LOCKS_THREADS_MAX, sizeof(*locks->last));
	locks->inside = calloc(LOCKS_THREADS_MAX, sizeof(*locks->inside));
	locks->owner = calloc(LOCKS_THREADS_MAX, sizeof(*locks->owner));
	locks->walk = calloc(LOCKS_THREADS_MAX, sizeof(*locks->walk));
	if (locks->now == NULL || locks->last == NULL || locks->inside == NULL || locks->owner == NULL ||
	    locks->walk == NULL)
		goto fail;
	error = proc_open(&locks->proc, proc_root, pid);
	if (error != 0)
		goto fail;
	error = lock_ends_open(&locks->ends, proc_root, pid);
	if (error != 0)
		goto fail;
	status_read_ids(&locks->proc, &ids);
	locks->pid_inside = ids.ns_pid;
	error = lock_memory_open(&locks->memory, runtime, &locks->proc);
	if (error != 0)
		goto fail;
	if (!locks->memory.musl)
		return locks;
	*why = LOCKS_MUSL;
	locks_destroy(locks);
	return NULL;
fail:
	*why = variables_why(error);
	locks_destroy(locks);
	return NULL;
}

static void close_file(struct locks *locks, size_t i)
{
	if (locks->files[i].tid != 0)
		close(locks->files[i].fd);
	locks->files[i].tid = 0;
}

void locks_destroy(struct locks *locks)
{
	if (locks == NULL)
		return;
	for (size_t i = 0; i < FILES; i++)
		close_file(locks, i);
	lock_ends_close(&locks->ends);
	proc_close(&locks->proc);
	free(locks->now);
	free(locks->last);
	free(locks->inside);
	free(locks->owner);
	free(locks->walk);
	free(locks->tids);
	free(locks);
}

/* ---- one thread ---- */

/* Read which system call a thread is in.  Returns 0, an errno value, or EAGAIN if the text is invalid. */
static int read_place(struct locks *locks, int32_t tid, struct status_place *out)
{
	const size_t i = (uint32_t)tid % FILES;
	char name[64], text[256];

	if (locks->files[i].tid != tid) {
		close_file(locks, i);
		snprintf(name, sizeof(name), "task/%d/syscall", tid);
		locks->files[i].fd = proc_descriptor(&locks->proc, name);
		if (locks->files[i].fd < 0)
			return errno;
		locks->files[i].tid = tid;
	}
	const ssize_t len = pread(locks->files[i].fd, text, sizeof(text) - 1, 0);
	const int error = errno;
	if (len <= 0 || !locks->often)
		close_file(locks, i);
	text[len > 0 ? len : 0] = '\0';
	return len < 0 ? error : status_parse_place(text, out) ? 0 : EAGAIN;
}

/* Look at a thread; *owner is set as by lock_memory_see.  Returns 0 or an errno value. */
static int see_thread(struct locks *locks, struct lock_thread *thread, int32_t *owner)
{
	struct status_place place, after;
	struct lock_thread again;
	int32_t then = 0;

	*owner = 0;
	int error = read_place(locks, thread->tid, &place);
	if (error != 0)
		return error;
	if (place.running) {
		thread->doing = LOCK_RUNS;
		return 0;
	}
	thread->doing = LOCK_IN_CALL;
	thread->call = place.number;
	/* The control block of a thread lies at the top of its stack. */
	for (unsigned i = 0; i < locks->tick_count; i++)
		thread->tick |= place.number >= 0 && place.sp != 0 && locks->ticks[i] - place.sp < TICK_STACK;
	const uint64_t operation = place.arguments[1] & (uint32_t)FUTEX_CMD_MASK;
	if (place.number != SYS_futex || (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET))
		return 0;
	thread->lock.address = place.arguments[0];
	again = *thread;
	lock_memory_see(&locks->memory, thread, &place, owner);
	if (thread->lock.kind != LOCK_NONE && *owner == 0 && !thread->unclaimed) {
		/* Without an owner there is nothing to check again. */
		thread->doing = LOCK_WAITS;
		return 0;
	}
	lock_memory_see(&locks->memory, &again, &place, &then);
	/* If a second read differs, the thread did not wait for the lock that was seen. */
	if (thread->lock.kind != LOCK_NONE && thread->lock.kind == again.lock.kind && *owner == then &&
	    read_place(locks, thread->tid, &after) == 0 && memcmp(&place, &after, sizeof(after)) == 0) {
		thread->doing = LOCK_WAITS;
		return 0;
	}
	thread->lock.kind = LOCK_NONE;
	*owner = 0;
	return 0;
}

/* ---- all threads ---- */

/* Return the tid of the next thread of a look in the namespace of its process. */
static int32_t tid_inside(const struct locks *locks, int32_t tid)
{
	const size_t i = locks->count;
	struct status_ids ids;

	if (locks->pid_inside == 0 || locks->pid_inside == locks->proc.pid)
		return tid;
	if (i < locks->last_count && locks->last[i].tid == tid)
		return locks->inside[i];
	return status_read_thread(&locks->proc, tid, &ids) == 0 && ids.ns_pid > 0 ? ids.ns_pid : tid;
}

static int index_of(const struct locks *locks, int32_t inside)
{
	for (size_t i = 0; i < locks->count; i++)
		if (locks->inside[i] == inside)
			return (int)i;
	return -1;
}

/* Return the last look at a thread if it was waiting for the lock it waits for now; NULL: it was not. */
static const struct lock_thread *waited_before(const struct locks *locks, const struct lock_thread *thread)
{
	const struct lock_thread *then = lock_thread_of(locks->last, locks->last_count, thread->tid);

	if (then == NULL || then->doing != LOCK_WAITS || then->lock.address != thread->lock.address)
		return NULL;
	/* Whose end it is may have become known since. */
	if (thread->lock.kind == LOCK_JOIN && then->lock.kind == LOCK_CONDITION)
		return then;
	return lock_same(&then->lock, &thread->lock) && then->owner == thread->owner &&
		       then->dead == thread->dead && then->unclaimed == thread->unclaimed
		   ? then
		   : NULL;
}

/* Whether a wait can be part of a cycle: a thread releases its master lock before it sleeps. */
static bool is_link(const struct lock_thread *thread)
{
	return thread->doing == LOCK_WAITS && thread->next >= 0 &&
	       (thread->lock.kind == LOCK_MUTEX || thread->lock.kind == LOCK_CHANNEL ||
		   thread->lock.kind == LOCK_JOIN || thread->lock.kind == LOCK_LIBC);
}

/* Number the cycles of threads of which each was in the same wait at the last look. */
static unsigned find_cycles(struct locks *locks, uint64_t now)
{
	struct lock_thread *threads = locks->now;
	unsigned cycles = 0;

	memset(locks->walk, 0, locks->count * sizeof(*locks->walk));
	for (size_t i = 0; i < locks->count; i++) {
		size_t at = i;

		while (locks->walk[at] == 0 && is_link(&threads[at]) && threads[at].since < now) {
			locks->walk[at] = (unsigned)i + 1;
			at = (size_t)threads[at].next;
		}
		if (locks->walk[at] != i + 1)
			continue;
		cycles++;
		for (; threads[at].cycle == 0; at = (size_t)threads[at].next)
			threads[at].cycle = cycles;
	}
	return cycles;
}

/* List the threads, if that is due.  0, or an errno value. */
static int list_threads(struct locks *locks, uint64_t now)
{
	if (locks->listed_ts != 0 && now - locks->listed_ts < LIST_NS)
		return 0;
	free(locks->tids);
	locks->tids = NULL;
	locks->listed = 0;
	locks->listed_ts = now;
	locks->tick_count = lock_memory_ticks(&locks->memory, locks->ticks, locks->shared);
	return process_threads(&locks->proc, &locks->tids, &locks->listed);
}

/* Look at each thread.  Returns 0 if any could be seen, else the errno value of the first. */
static int see_threads(struct locks *locks)
{
	int refused = 0;

	locks->count = 0;
	for (size_t i = 0; i < locks->listed && locks->count < LOCKS_THREADS_MAX; i++) {
		struct lock_thread *thread = &locks->now[locks->count];

		*thread =
		    (struct lock_thread){.tid = locks->tids[i], .lock = {.domain = -1, .fd = -1}, .next = -1};
		int error = see_thread(locks, thread, &locks->owner[locks->count]);
		if (error == ESRCH || error == ENOENT)
			continue;
		if (error != 0) {
			thread->doing = LOCK_UNSEEN;
			refused = refused == 0 ? error : refused;
		}
		locks->inside[locks->count] = tid_inside(locks, thread->tid);
		locks->count++;
	}
	for (size_t i = 0; i < locks->count; i++)
		if (locks->now[i].doing != LOCK_UNSEEN)
			return 0;
	return refused;
}

/* Tell waits for the end of a thread from waits in other conditions.  The ends are read anew after a thread has begun to wait in an
 * unknown condition, and now and then while such a thread owns a lock that another one waits for. */
static void see_ends(struct locks *locks, uint64_t now)
{
	struct lock_ends *ends = &locks->ends;
	bool news = false;

	memset(locks->walk, 0, locks->count * sizeof(*locks->walk));
	for (size_t i = 0; i < locks->count; i++)
		if (locks->now[i].next >= 0)
			locks->walk[locks->now[i].next] = 1;
	for (size_t i = 0; i < locks->count; i++) {
		const struct lock_thread *then =
		    lock_thread_of(locks->last, locks->last_count, locks->now[i].tid);

		if (locks->now[i].lock.kind == LOCK_CONDITION)
			news |=
			    ends->ts == 0 ||
			    (locks->walk[i] != 0 && lock_ends_of(ends, locks->now[i].lock.address) == 0) ||
			    (then != NULL && then->doing == LOCK_WAITS && then->since > ends->ts &&
				then->lock.address == locks->now[i].lock.address);
	}
	if (news && now - ends->ts >= ends->rest)
		lock_ends_read(ends, &locks->memory, now);
	for (size_t i = 0; i < locks->count; i++) {
		struct lock_thread *thread = &locks->now[i];
		const struct lock_thread *then = lock_thread_of(locks->last, locks->last_count, thread->tid);
		/* A condition in which a thread sleeps stays what it is; what was read before that wait may be of another one. */
		const bool fresh = ends->ts == now ||
				   (then != NULL && then->doing == LOCK_WAITS &&
				       then->lock.address == thread->lock.address && then->since <= ends->ts);
		const int32_t tid = thread->lock.kind == LOCK_CONDITION && fresh
					? lock_ends_of(ends, thread->lock.address)
					: 0;
		const int next = tid != 0 ? index_of(locks, tid) : -1;

		if (next < 0)
			continue;
		thread->lock.kind = LOCK_JOIN;
		thread->next = next;
		thread->owner = locks->now[next].tid;
	}
}

/* Find the owner of the lock that each thread waits for. */
static void connect(struct locks *locks)
{
	for (size_t i = 0; i < locks->count; i++) {
		struct lock_thread *thread = &locks->now[i];

		if (thread->doing != LOCK_WAITS)
			continue;
		if (locks->owner[i] != 0) {
			thread->next = index_of(locks, locks->owner[i]);
			thread->dead = thread->next < 0;
			locks->listed_ts = thread->dead ? 0 : locks->listed_ts;
			thread->owner = thread->next >= 0 ? locks->now[thread->next].tid : 0;
		}
		/* A thread that owns the lock that it waits for has just acquired it. */
		if (thread->next == (int)i) {
			thread->doing = LOCK_IN_CALL;
			thread->lock.kind = LOCK_NONE;
			thread->next = -1;
			thread->owner = 0;
		}
	}
}

/* Note since when each thread waits. */
static void see_since(struct locks *locks, uint64_t now)
{
	for (size_t i = 0; i < locks->count; i++) {
		const struct lock_thread *then = waited_before(locks, &locks->now[i]);

		if (locks->now[i].doing == LOCK_WAITS)
			locks->now[i].since = then != NULL ? then->since : now;
	}
}

/* Among free master locks, find those whose waiters all sleep.  The waiters of others have been woken and
 * wait for a processor. */
static void see_unclaimed(struct locks *locks)
{
	for (size_t i = 0; i < locks->count; i++) {
		struct lock_thread *thread = &locks->now[i];
		uint64_t waiters = 0, sleepers = 0;

		if (thread->lock.kind != LOCK_MASTER || !thread->unclaimed)
			continue;
		for (size_t k = 0; k < locks->count; k++)
			sleepers += locks->now[k].lock.kind == LOCK_MASTER &&
				    locks->now[k].lock.address == thread->lock.address;
		thread->unclaimed = lock_memory_waiters(&locks->memory, thread->lock.address, &waiters) &&
				    waiters == sleepers;
	}
}

int locks_look(struct locks *locks, uint64_t now, struct locks_look *out)
{
	struct lock_thread *last = locks->now;

	*out = (struct locks_look){.ts = now};
	/* Files of a made-up tree are not kept open: tests replace them. */
	locks->often = locks->proc.real && now - locks->looked_ts < OFTEN_NS;
	locks->looked_ts = now;
	locks->now = locks->last;
	locks->last = last;
	locks->last_count = locks->count;
	locks->count = 0;
	lock_memory_begin(&locks->memory);
	int error = list_threads(locks, now);
	if (error != 0)
		return error;
	error = see_threads(locks);
	if (error == 0 && locks->memory.musl)
		error = ENOSYS;
	if (error != 0)
		return error;
	see_unclaimed(locks);
	connect(locks);
	see_ends(locks, now);
	out->ends_ns = locks->ends.ts == now ? locks->ends.took : 0;
	see_since(locks, now);
	for (size_t i = 0; i < locks->count; i++)
		if (locks->now[i].unclaimed)
			strlcpy(out->libc, lock_memory_libc(&locks->memory), sizeof(out->libc));
	/* If some threads were not looked at, one of them can be the owner. */
	for (size_t i = 0; locks->listed > LOCKS_THREADS_MAX && i < locks->count; i++)
		locks->now[i].dead = false;
	out->threads = locks->now;
	out->count = locks->count;
	memcpy(out->shared, locks->shared, sizeof(out->shared));
	out->cycles = find_cycles(locks, now);
	return 0;
}

const struct lock_thread *locks_wait(
    const struct locks_look *before, const struct locks_look *after, int32_t tid)
{
	const struct lock_thread *at = lock_thread_of(before->threads, before->count, tid),
				 *now = lock_thread_of(after->threads, after->count, tid);
	const bool waits = at != NULL && now != NULL && at->doing == LOCK_WAITS && now->doing == LOCK_WAITS;

	return waits && lock_same(&at->lock, &now->lock) ? now : NULL;
}
