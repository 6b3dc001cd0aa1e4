/*
 * sampler_private.h - what sampler.c and sampler_readers.c share.
 */
#pragma once

#include <linux/perf_event.h>
#include <pthread.h>

#include "code/sampler.h"
#include "target/proc.h"

enum {
	RANS = 32,	  /* of a thread: how long it ran between a sample and its reading, the latest ones */
	HOMES = 4,	  /* processors on which the samples of a thread wake a reader */
	AWAY_MAX = 64,	  /* samples of a thread: if none was taken on a processor, it is no home any more */
	READERS_MAX = 256 /* processors that have a reader */
};

/* A thread of ours, for the samples that are taken on a processor. */
struct reader {
	struct code_sampler *sampler;
	unsigned cpu;
	bool pinned; /* it runs there alone, or is about to */
	int epoll;   /* of the events that wake it */
	pthread_t thread;
	uint64_t cpu_ns; /* processor time that it has taken */
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
	uint64_t cpu_ns, growth; /* processor time, and how much of it since the last choice */
	bool chosen;
	struct home homes[HOMES]; /* whom its samples wake: the latest first */
	unsigned home_count, samples;
	uint32_t ran[RANS]; /* in ns */
	unsigned rans;	    /* how many there were in all */
	uint64_t limit;	    /* a thread that ran less than this has not gone on yet */
};

struct code_sampler {
	struct proc proc;
	struct perf_event_attr attr;
	size_t page, ring;	/* bytes of a page, and of the data of a ring */
	struct thread *threads; /* of the latest listing, by tid; who replaces them has the lock */
	int32_t *tids;
	size_t count;
	unsigned open, limit; /* threads with a ring, and how many there may be */
	bool crowded;	      /* more threads than that */
	uint64_t listed_ts;
	struct code_sampler_totals totals;
	unsigned char record[PERF_RECORD_SIZE_MAX];

	pthread_mutex_t lock;
	code_sample_visit *visit; /* of the readers; NULL: there are none */
	void *ctx;
	struct reader *readers[READERS_MAX];
	size_t reader_count;
	int quit; /* an eventfd that ends them; -1: none */
};

/* Take the records of a thread, with the lock.  `reader`: who reads, NULL if that is none. */
void thread_read(struct code_sampler *s, struct thread *t, const struct reader *reader,
    code_sample_visit *visit, void *ctx);

/* Have the samples of a thread wake the reader of a processor, where its latest one was taken, with the lock; those of processors
 * where it was not long ago are woken as well. */
void readers_give(struct code_sampler *s, struct thread *t, unsigned cpu);

/* End the readers. */
void readers_end(struct code_sampler *s);
