/*
 * sampler_readers.c - threads that read a sample before the sampled thread continues.
 *
 * A sample wakes the reader of the processor on which it was taken.  That reader may run nowhere else, so it takes the
 * place of the thread there, which executes nothing until the reader sleeps again: ordinary scheduling.  A thread that works in
 * bursts is put now on one processor, now on another, so the readers of all where it was lately are woken.  The kernel tells only
 * the first that asks of a sample, and one of another processor calls the one whose sample it is: that has been woken as well, and
 * the thread waits for it.  Its slice is short and, where that is allowed, its nice value the least, since one that waits behind
 * others, or for having run more than its share of a crowded processor, comes when the thread has continued.  It is no thread of
 * real time, of which the kernel lets none run beside one of a higher priority: whoever waits for the lock would wait for ever.
 */
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code/sampler_private.h"
#include "core/clock.h"
#include "core/order.h"
#include "core/thread.h"

#define SLICE_NS 100000u
#define NICE (-20)
#define EVENTS 8
#define SPINS 1000u /* attempts to take the lock before a thread sleeps for it */
#define QUIT (-1)   /* in place of a tid */
#define CALL (-2)

void code_sampler_lock(struct code_sampler *s)
{
	/* The lock is released within microseconds; a reader that sleeps lets the sampled thread continue. */
	for (unsigned i = 0; i < SPINS; i++) {
		if (pthread_mutex_trylock(&s->lock) == 0)
			return;
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
	pthread_mutex_lock(&s->lock);
}

void code_sampler_unlock(struct code_sampler *s)
{
	pthread_mutex_unlock(&s->lock);
}

/* Restrict the calling thread to one processor, and let it be scheduled soon.  Returns false if the kernel
 * refuses the former; `slow`: it refuses the latter. */
static bool settle_on(unsigned cpu, bool *slow)
{
	/* The kernel's struct sched_attr, which not all headers have. */
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} slice = {.size = sizeof(slice), .nice = NICE, .runtime = SLICE_NS};
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu >= CPU_SETSIZE)
		return false;
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		return false;
	*slow = syscall(SYS_sched_setattr, 0, &slice, 0) != 0;
	if (*slow) {
		slice.nice = getpriority(PRIO_PROCESS, 0);
		(void)syscall(SYS_sched_setattr, 0, &slice, 0);
	}
	return true;
}

static struct thread *thread_of(struct code_sampler *s, int32_t tid)
{
	struct order_search at = {.high = s->count};

	while (order_middle(&at))
		order_turn(&at, s->tids[at.middle] < tid);
	return at.low < s->count && s->tids[at.low] == tid ? &s->threads[at.low] : NULL;
}

/* How many times the calling thread has slept. */
static long sleeps(void)
{
	struct rusage used;

	return getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_nvcsw : 0;
}

bool readers_leave(const struct thread *t, const struct reader *from, unsigned cpu)
{
	for (unsigned i = 0; from->cpu != cpu && i < t->home_count; i++) {
		struct reader *r = t->homes[i].reader;

		if (r->cpu != cpu || !r->pinned || r->left != 0)
			continue;
		/* The reader looks at it under the lock, which is held here. */
		if (eventfd_write(r->call, 1) != 0)
			return false;
		r->left = t->tid;
		return true;
	}
	return false;
}

/* Read the rings that events report.  `slept`: how many times the reader had slept when it asked for them.  Returns false if it is
 * to end. */
static bool read_rings(struct reader *r, const struct epoll_event *events, int count, long slept)
{
	struct code_sampler *s = r->sampler;
	bool go_on = true;

	slept = sleeps() - slept;
	code_sampler_lock(s);
	for (int i = 0; i < count; i++) {
		const bool called = events[i].data.fd == CALL;
		struct thread *t = thread_of(s, called ? r->left : events[i].data.fd);

		go_on &= events[i].data.fd != QUIT;
		r->left = called ? 0 : r->left;
		/* The descriptor may have been closed. */
		if (t == NULL || t->fd < 0 || s->visit == NULL)
			continue;
		/* It sleeps once until the sample wakes it, and again if it has found nothing before it was called. */
		r->late = called && slept > 1;
		thread_read(s, t, r, s->visit, s->ctx);
		/* The event of an ended thread would be reported forever. */
		if ((events[i].events & (EPOLLHUP | EPOLLERR)) != 0)
			(void)epoll_ctl(r->epoll, EPOLL_CTL_DEL, t->fd, NULL);
	}
	r->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	code_sampler_unlock(s);
	return go_on;
}

static void *read_samples(void *arg)
{
	struct reader *r = arg;
	struct epoll_event events[EVENTS];
	int count;
	long slept;

	bool slow = false;
	const bool pinned = settle_on(r->cpu, &slow);
	code_sampler_lock(r->sampler);
	r->pinned = pinned;
	r->sampler->totals.slow |= slow;
	code_sampler_unlock(r->sampler);
	do {
		slept = sleeps();
		count = epoll_wait(r->epoll, events, EVENTS, -1);
	} while (read_rings(r, events, count, slept));
	return NULL;
}

static void reader_free(struct reader *r)
{
	if (r->epoll >= 0)
		close(r->epoll);
	if (r->call >= 0)
		close(r->call);
	free(r);
}

/* Start the reader of a processor; NULL if that fails. */
static struct reader *reader_start(struct code_sampler *s, unsigned cpu)
{
	struct epoll_event quit = {.events = EPOLLIN, .data.fd = QUIT},
			   call = {.events = EPOLLIN | EPOLLET, .data.fd = CALL};
	struct reader *r = s->reader_count < READERS_MAX ? calloc(1, sizeof(*r)) : NULL;

	if (r == NULL)
		return NULL;
	*r = (struct reader){.sampler = s,
	    .cpu = cpu,
	    .pinned = true,
	    .epoll = epoll_create1(EPOLL_CLOEXEC),
	    .call = eventfd(0, EFD_CLOEXEC)};
	if (r->epoll >= 0 && r->call >= 0 && epoll_ctl(r->epoll, EPOLL_CTL_ADD, s->quit, &quit) == 0 &&
	    epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->call, &call) == 0 &&
	    thread_start(&r->thread, read_samples, r) == 0)
		return s->readers[s->reader_count++] = r;
	reader_free(r);
	return NULL;
}

/* The reader of a processor, started if there is none; NULL if it can't be. */
static struct reader *reader_of(struct code_sampler *s, unsigned cpu)
{
	for (size_t i = 0; i < s->reader_count; i++)
		if (s->readers[i]->cpu == cpu)
			return s->readers[i];
	return reader_start(s, cpu);
}

/* Let the samples of a thread wake the reader no more that found one least lately. */
static void leave_home(struct thread *t)
{
	(void)epoll_ctl(t->homes[--t->home_count].reader->epoll, EPOLL_CTL_DEL, t->fd, NULL);
}

void readers_give(struct code_sampler *s, struct thread *t, unsigned cpu)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = t->tid};
	struct home home = {.seen = ++t->samples};
	unsigned i = 0;

	if (s->visit == NULL)
		return;
	while (i < t->home_count && t->homes[i].reader->cpu != cpu)
		i++;
	if (i < t->home_count) {
		home.reader = t->homes[i].reader;
	} else {
		home.reader = reader_of(s, cpu);
		if (home.reader == NULL || epoll_ctl(home.reader->epoll, EPOLL_CTL_ADD, t->fd, &event) != 0)
			return;
		if (i == HOMES)
			leave_home(t);
		i = t->home_count++;
	}
	memmove(t->homes + 1, t->homes, i * sizeof(home));
	t->homes[0] = home;
	/* A reader that runs anywhere is woken for nothing beside one of a processor. */
	const struct home *last = &t->homes[t->home_count - 1];
	if (t->samples - last->seen > (last->reader->pinned ? AWAY_MAX : 0))
		leave_home(t);
}

bool code_sampler_start(struct code_sampler *s, code_sample_visit *visit, void *ctx)
{
	if ((s->quit = eventfd(0, EFD_CLOEXEC)) < 0)
		return false;
	code_sampler_lock(s);
	s->visit = visit;
	s->ctx = ctx;
	/* The first sample of a thread shows where it runs. */
	for (size_t i = 0; i < s->count; i++)
		if (s->threads[i].fd >= 0)
			readers_give(s, &s->threads[i], 0);
	code_sampler_unlock(s);
	return s->reader_count > 0;
}

void readers_end(struct code_sampler *s)
{
	cpu_set_t others;

	/* On its own processor a thread of real time may leave a reader little; one that may stay there does.  The C library takes a
	 * thread that has ended for the calling one, so they are told to end after that. */
	code_sampler_lock(s);
	s->visit = NULL; /* no reader starts another one */
	for (size_t i = 0; i < s->reader_count; i++) {
		memset(&others, 0xff, sizeof(others));
		CPU_CLR(s->readers[i]->cpu, &others);
		(void)pthread_setaffinity_np(s->readers[i]->thread, sizeof(others), &others);
	}
	code_sampler_unlock(s);
	if (s->quit >= 0 && eventfd_write(s->quit, 1) == 0)
		for (size_t i = 0; i < s->reader_count; i++) {
			pthread_join(s->readers[i]->thread, NULL);
			reader_free(s->readers[i]);
		}
	if (s->quit >= 0)
		close(s->quit);
	s->reader_count = 0;
	s->quit = -1;
}
