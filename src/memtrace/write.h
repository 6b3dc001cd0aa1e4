/*
 * write.h - the state of one domain's writer.
 *
 * Events are encoded into `packet` behind the room for its header.  Locations that they need are encoded into
 * `pending`, and go out in packets of their own before it.
 */
#ifndef MEMTRACE_WRITE_H
#define MEMTRACE_WRITE_H

#include <stdint.h>

#include "memtrace/write_destination.h"
#include "memtrace/write_backtrace.h"
#include "memtrace/header.h"
#include "memtrace/write_locations.h"

struct rtev_memtrace_writer {
	struct mt_destination *destination;
	uint16_t domain;
	int status; /* memory ran out: what was written since makes no sense */
	int64_t time_start, time_end;
	int64_t id_start, id_next, id_last; /* of this packet; the next; the first beyond the chunk */
	struct mt_verifier verifier;	    /* of this packet */

	int64_t *last; /* the previous backtrace */
	size_t last_depth, last_capacity;
	const struct rtev_memtrace_alloc *alloc; /* the one being encoded */

	uint8_t *pending; /* location events, each of pending_sizes[i] bytes */
	size_t pending_size, pending_capacity;
	uint16_t *pending_sizes;
	size_t pending_count, pending_slots;

	size_t size; /* of the packet so far */
	uint8_t packet[MT_PACKET_MAX];
	struct mt_places places;
	struct mt_encoder encoder;
};

/* Let a packet that holds no events yet begin at a time and an object id, with ids up to `last`. */
void mt_writer_restart(struct rtev_memtrace_writer *writer, int64_t time, int64_t id, int64_t last);

/* Write an alloc event as it was in another trace: its backtrace is the codes that follow `common` ones of the
 * backtrace before, and `brief` tells its form. */
int mt_writer_put_raw(struct rtev_memtrace_writer *writer, int64_t time,
    const struct rtev_memtrace_alloc *alloc, bool brief, int64_t common);

/* Flush and begin a packet at `now`. */
int mt_writer_flush_at(struct rtev_memtrace_writer *writer, int64_t now);

#endif
