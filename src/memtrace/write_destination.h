/*
 * write_destination.h - where the packets of a trace go, shared by the writers of its domains.
 */
#ifndef MEMTRACE_WRITE_DESTINATION_H
#define MEMTRACE_WRITE_DESTINATION_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/memtrace.h"

struct mt_destination {
	pthread_mutex_t lock; /* of the four members that follow; held for a whole packet */
	int status;	      /* the first failure; nothing is written after it */
	int64_t next_id;      /* the first object id that no writer has taken */
	unsigned references;  /* writers */
	struct rtev_memtrace_sink sink;

	int fd; /* -1: there is a sink */
	uint32_t ids_per_chunk;
	int64_t pid; /* as it was when the trace began */
	void *ctx;
	rtev_memtrace_locate locate;
	int64_t (*getpid)(void *ctx);
};

/* Make a destination with one reference: the sink, or the descriptor where that is NULL.  RTEV_E_INVALID,
 * RTEV_E_NOMEM. */
int mt_destination_create(struct mt_destination **out, const struct rtev_memtrace_sink *sink, int fd,
    const struct rtev_memtrace_writer_options *given);

void mt_destination_hold(struct mt_destination *destination);
void mt_destination_release(struct mt_destination *destination);

/* Take a chunk of object ids; returns the first of them. */
int64_t mt_destination_take_ids(struct mt_destination *destination);

/* Write a packet.  What the sink returned, RTEV_E_IO. */
int mt_destination_write(struct mt_destination *destination, const void *data, size_t size);

#endif
