/*
 * read.h - the state of a reader.
 *
 * Between packets and after a failure `at` equals `end`.  In a packet they bound the bytes yet to be read, and
 * `domain` is its domain.  An event before `fast_end` may be read without looking for the end, nor for ids that wrap
 * around.  The previous backtrace is the event's, and is put back to the domain's when the packet ends.
 *
 * An event's time is its low bits less those of the packet's begin, so a span of microseconds; it may not be below
 * `time_floor`, where the domain's last event was, nor above `time_span`, where the packet ends.
 */
#ifndef MEMTRACE_READ_H
#define MEMTRACE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/read_backtrace.h"
#include "memtrace/domains.h"
#include "memtrace/header.h"
#include "memtrace/read_locations.h"
#include "memtrace/read_source.h"
#include "rtev/memtrace.h"

/* What a reader keeps of a domain. */
struct mt_domain {
	int64_t last_time; /* of its last event, microseconds since the epoch */
	struct mt_recent_files recent;
	struct mt_backtrace *trace; /* NULL until its first event */
};

/* What is told of packets besides their events. */
struct mt_packet_hook {
	void *ctx;
	void (*packet)(void *ctx, const struct rtev_memtrace_packet *packet, bool begin);
};

struct rtev_memtrace_reader {
	struct rtev_memtrace_event event; /* the one handed out last */
	const uint8_t *at, *end, *fast_end;
	uint32_t time_low; /* the low bits of the packet's begin */
	uint32_t time_floor, time_span;
	int64_t time_begin;	    /* of the packet, since the start of the trace */
	int64_t next_id;	    /* of the next allocation */
	struct mt_backtrace *trace; /* of the packet's domain; NULL when backtraces are skipped */
	struct mt_domain *domain;
	struct mt_frames frames;
	bool skip_backtraces;
	unsigned code;	   /* of the last alloc event */
	size_t past_depth; /* codes there are when its backtrace was decoded behind the previous one */

	bool follow;
	bool told_torn; /* the torn packet at `told_at` has been reported */
	uint64_t told_at;
	const uint8_t *packet_data; /* its first byte */
	struct rtev_memtrace_packet packet;
	size_t events_size; /* bytes of the packet's events that are not found to tell locations */
	bool in_packet;
	struct mt_source source;
	struct mt_domains domains;
	struct mt_locations locations;
	struct rtev_memtrace_info info;
	struct rtev_memtrace_fault fault; /* of the last call */
	bool failed;			  /* it is final */
	void *ctx;
	void (*notice)(void *ctx, const struct rtev_memtrace_notice *notice);
	struct mt_packet_hook hooks[2]; /* the user's, and a copy's */
};

/* Record a failure about the byte at `offset` of the trace, after which nothing is read.  Returns the status. */
int mt_reader_fail(struct rtev_memtrace_reader *reader, int status, uint64_t offset);

/* Record a failure about the byte at p of the packet at hand, in words of its own.  Returns the status. */
__attribute__((format(printf, 4, 5))) int mt_reader_fail_at(
    struct rtev_memtrace_reader *reader, int status, const uint8_t *p, const char *format, ...);

/* Check what must hold at the end of the packet at hand and leave it, or go to the next one.  What
 * rtev_memtrace_next may return; RTEV_OK without that there need be an event now. */
int mt_reader_advance(struct rtev_memtrace_reader *reader);

/* From which byte on the events of the packet at hand, of which none has been read, are read with care. */
const uint8_t *mt_reader_fast_end(const struct rtev_memtrace_reader *reader);

/* Record the failure of a check of the header at hand, about its byte `at`.  Returns the status. */
int mt_reader_refuse(
    struct rtev_memtrace_reader *reader, int status, const struct mt_header *header, unsigned at);

/* Where a reader is in the trace, in bytes. */
static inline uint64_t mt_reader_offset(const struct rtev_memtrace_reader *reader)
{
	return reader->source.base + reader->source.at;
}

#endif
