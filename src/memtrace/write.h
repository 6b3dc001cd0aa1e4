/*
 * write.h - the state of one domain's writer.
 *
 * The writer encodes events into `packet`, after the room for the header.  It encodes the locations that
 * these events need into `pending`, and writes them in separate packets before `packet`.
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
	int status; /* RTEV_E_NOMEM after memory ran out: the packet is then incomplete */
	int64_t time_start, time_end;
	int64_t id_start, id_next, id_last; /* first id of the packet; next id; end of the chunk */
	struct mt_verifier verifier;	    /* verifier of the packet */

	int64_t *last; /* the previous backtrace */
	size_t last_depth, last_capacity;
	const struct rtev_memtrace_alloc *alloc; /* the allocation being encoded */

	uint8_t *pending; /* location events; event i takes pending_sizes[i] bytes */
	size_t pending_size, pending_capacity;
	uint16_t *pending_sizes;
	size_t pending_count, pending_slots;

	size_t size; /* bytes used in `packet`, including the header */
	uint8_t packet[MT_PACKET_MAX];
	struct mt_places places;
	struct mt_encoder encoder;
};

/* Set the start time and the first object id of a packet that is still empty.  Its ids end before `last`. */
void mt_writer_restart(struct rtev_memtrace_writer *writer, int64_t time, int64_t id, int64_t last);

/* Write an alloc event as another trace has it.  The alloc's backtrace has only the codes after the first
 * `common` ones, which are shared with the previous backtrace.  `brief` selects the short form. */
int mt_writer_put_raw(struct rtev_memtrace_writer *writer, int64_t time,
    const struct rtev_memtrace_alloc *alloc, bool brief, int64_t common);

#endif
