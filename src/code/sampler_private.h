/* sampler_private.h - shared by sampler.c and sampler_readers.c. */
#pragma once

#include <linux/perf_event.h>
#include <pthread.h>

#include "code/sampler.h"
#include "target/proc.h"

enum {
	RANS = 32,	  /* of a thread: how long it ran between a sample and its reading, the latest ones */
	HOMES = 4,	  /* processors on which the samples of a thread wake a reader */
	AWAY_MAX = 64,	  /* a processor is no home any more after so many samples of the thread on others */
	READERS_MAX = 256 /* processors that have a reader */
};

/* A thread of ours that reads the samples taken on a processor. */
struct reader {
	struct code_sampler *sampler;
	unsigned cpu;
	bool pinned;  /* it runs on that processor only, or is about to */
	int epoll;    /* waits for the events that wake the reader */
	int call;     /* eventfd that wakes it for what another reader left to it */
	int32_t left; /* the thread whose sample that is; 0: none */
	bool late;    /* it slept since that was taken, so that the thread may have continued */
	pthread_t thread;
	uint64_t cpu_ns; /* processor time used */
};

/* A processor where a thread was seen, and the number of its latest sample there. */
struct home {
	struct reader *reader;
	unsigned seen;
};

struct thread {
	int32_t tid;
	int fd; /* -1: not sampled */
	bool real_time;
	struct perf_event_mmap_page *map;
	uint64_t tail;
	uint64_t cpu_ns, growth; /* processor time; growth since the last choice */
	bool chosen;
	struct home homes[HOMES]; /* its samples wake the readers of these; the latest first */
	unsigned home_count, samples;
	uint32_t ran[RANS]; /* in ns */
	unsigned rans;	    /* how many there were in all */
	uint64_t limit;	    /* a thread that ran less than this has not gone on yet */
	int64_t place,
	    step; /* where its latest sample lies in its period, and how far off the next is, in ns */
};

struct code_sampler {
	struct proc proc;
	struct perf_event_attr attr;
	size_t page, ring;	/* bytes of a page, and of a ring's data */
	struct thread *threads; /* of the latest listing, by tid; replaced with the lock held */
	int32_t *tids;
	size_t count;
	unsigned open, limit; /* threads with a ring, and their maximum */
	bool crowded;	      /* there are more threads than the maximum */
	uint64_t listed_ts;
	uint32_t chance; /* of the place of the next sample */
	struct code_sampler_totals totals;
	unsigned char record[PERF_RECORD_SIZE_MAX];

	pthread_mutex_t lock;
	code_sample_visit *visit; /* visit of the readers; NULL: there are no readers */
	void *ctx;
	struct reader *readers[READERS_MAX];
	size_t reader_count;
	int quit; /* eventfd that ends the readers; -1: none */
};

/* Read the records of a thread; the lock is held.  `reader`: the reader that does so, or NULL. */
void thread_read(struct code_sampler *s, struct thread *t, const struct reader *reader,
    code_sample_visit *visit, void *ctx);

/* Have the samples of a thread wake the reader of the processor where its latest sample was taken, besides those of its other homes.
 * The lock is held. */
void readers_give(struct code_sampler *s, struct thread *t, unsigned cpu);

/* Leave a sample to the reader of the processor where it was taken, which was woken beside this one.  Returns false if there is
 * none. */
bool readers_leave(const struct thread *t, const struct reader *from, unsigned cpu);

void readers_end(struct code_sampler *s);
