/*
 * write_destination.h - the destination of a trace's packets, shared by the writers of its domains.
 */
#ifndef MEMTRACE_WRITE_DESTINATION_H
#define MEMTRACE_WRITE_DESTINATION_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/memtrace.h"

struct mt_destination {
	pthread_mutex_t lock; /* protects the next four members; held while a packet is written */
	int status;	      /* the first failure; nothing is written after it */
	int64_t next_id;      /* the first object id that no writer has taken */
	unsigned references;  /* number of writers */
	struct rtev_memtrace_sink sink;

	int fd; /* -1: write to the sink */
	uint32_t ids_per_chunk;
	int64_t pid; /* the pid when the trace began */
	void *ctx;
	rtev_memtrace_locate locate;
	int64_t (*getpid)(void *ctx);
};

/* Create a destination with one reference.  It writes to the sink, or to the descriptor when `sink` is NULL.
 * Errors: RTEV_E_INVALID, RTEV_E_NOMEM. */
int mt_destination_create(struct mt_destination **out, const struct rtev_memtrace_sink *sink, int fd,
    const struct rtev_memtrace_writer_options *given);

void mt_destination_hold(struct mt_destination *destination);
void mt_destination_release(struct mt_destination *destination);

/* Reserve a chunk of object ids.  Returns the first one. */
int64_t mt_destination_take_ids(struct mt_destination *destination);

/* Write a packet.  Returns the sink's status, or RTEV_E_IO when a write to the descriptor fails. */
int mt_destination_write(struct mt_destination *destination, const void *data, size_t size);

#endif
