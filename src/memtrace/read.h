/*
 * read.h - the state of a reader.
 *
 * Between packets and after a failure, `at` equals `end`.  Inside a packet, `at` and `end` bound the unread
 * bytes, and `domain` is the packet's domain.  An event that starts before `fast_end` can be read without
 * checks for the end of the packet and for ids that wrap around.  Inside a packet, `event` holds the depth of
 * the previous backtrace; the reader stores it in the domain's decoder when the packet ends.
 *
 * The offset of an event is its time's low bits minus those of the packet's begin time, in microseconds.  It
 * is at least `time_floor`, the offset of the domain's last event, unless the clock stepped back, and at most
 * `time_span`, the packet's end.
 *
 * A source provides a window of contiguous bytes that begins at the reader's position; offsets count from the
 * start of the trace.  Each byte is read from the descriptor only once.
 */
#pragma once

#include "rtev/memtrace.h"

#include "memtrace/tables.h"

struct mt_source {
	const uint8_t *data; /* the buffered bytes, or the memory */
	size_t size;	     /* number of bytes in `data` */
	size_t at;	     /* the reader's position in `data` */
	uint64_t base;	     /* offset of data[0] in the trace */
	int fd;		     /* -1: memory */
	bool owned;	     /* mt_source_fini closes the descriptor */
	bool seeks;	     /* the descriptor is read with pread, and its position does not change */
	uint64_t start;	     /* position in the file where the trace begins */
	uint8_t *buffer;     /* for a descriptor: `data` points to it */
};

/* The decoder of one domain.  It starts as all zeros. */
struct mt_backtrace {
	uint16_t next[MT_BUCKETS];
	int64_t code[MT_BUCKETS];
	int64_t *frames; /* the previous backtrace, outermost first, and free room after it */
	size_t depth;	 /* of the previous backtrace */
	size_t capacity; /* number of codes that fit in `frames` */
};

/* The unused part of MT_FRAMES_MAX, and the status of the last decoding failure. */
struct mt_frames {
	size_t left;
	int status;
};

/* A reader's state of one domain. */
struct mt_domain {
	int64_t last_time; /* time of its last event, microseconds since the epoch, by the packet's clock */
	uint64_t ahead;	   /* sum of what its clock stepped back between packets, microseconds */
	struct mt_recent_files recent;
	struct mt_backtrace *trace; /* NULL until the domain's first packet, or when backtraces are skipped */
};

/* A callback for the begin and the end of each packet. */
struct mt_packet_hook {
	void *ctx;
	void (*packet)(void *ctx, const struct rtev_memtrace_packet *packet, bool begin);
};

struct rtev_memtrace_reader {
	struct rtev_memtrace_event event; /* the event returned last */
	const uint8_t *at, *end, *fast_end;
	uint32_t time_low; /* low bits of the packet's begin time */
	uint32_t time_floor, time_span;
	uint64_t time_ahead; /* `ahead` of the domain once an event of the packet has been read */
	int64_t time_begin;  /* begin of the packet, since the start of the trace, `time_ahead` added */
	int64_t next_id;     /* object id of the next allocation */
	struct mt_backtrace *trace; /* decoder of the packet's domain; NULL when backtraces are skipped */
	struct mt_domain *domain;
	struct mt_frames frames;
	bool skip_backtraces;
	unsigned decoders; /* number of decoders made */
	unsigned code;	   /* event code of the last alloc event */
	size_t past_depth; /* depth after its backtrace was decoded at the end of the previous one */

	bool follow;
	bool told_back; /* the user was told that the clock stepped back in the current packet */
	bool told_torn; /* the torn packet at `told_at` has been reported */
	uint64_t told_at;
	const uint8_t *packet_data; /* first byte of the current packet */
	struct rtev_memtrace_packet packet;
	size_t events_size; /* bytes of the packet's events, minus the location events read so far */
	bool in_packet;
	struct mt_source source;
	struct mt_domains domains;
	struct mt_locations locations;
	struct rtev_memtrace_info info;
	struct rtev_memtrace_fault fault; /* why the last call failed */
	bool failed;			  /* `fault` is final */
	void *ctx;
	void (*notice)(void *ctx, const struct rtev_memtrace_notice *notice);
	struct mt_packet_hook hooks[2]; /* [0] the user's, [1] that of rtev_memtrace_copy */
};

/* Record a final failure at byte `offset` of the trace; nothing is read after it.  Returns the status. */
int mt_reader_fail(struct rtev_memtrace_reader *reader, int status, uint64_t offset);

/* Record a final failure at byte p of the current packet, with a formatted text.  Returns the status. */
__attribute__((format(printf, 4, 5))) int mt_reader_fail_at(
    struct rtev_memtrace_reader *reader, int status, const uint8_t *p, const char *format, ...);

/* End the current packet, with its final checks, or begin the next one.  Returns the statuses of
 * rtev_memtrace_next; after RTEV_OK there may still be no event to read. */
int mt_reader_advance(struct rtev_memtrace_reader *reader);

/* Tell the user, once a packet, that the clock stepped back. */
void mt_reader_clock_back(struct rtev_memtrace_reader *reader);

/* Compute `fast_end` for the current packet, of which no event has been read. */
const uint8_t *mt_reader_fast_end(const struct rtev_memtrace_reader *reader);

/* Record a failed check of the current header at its byte `at`.  Returns the status. */
int mt_reader_refuse(
    struct rtev_memtrace_reader *reader, int status, const struct mt_header *header, unsigned at);

/* The reader's position in the trace, in bytes. */
static inline uint64_t mt_reader_offset(const struct rtev_memtrace_reader *reader)
{
	return reader->source.base + reader->source.at;
}

/*
 * Fill the window until it has at least `want` bytes (at most MT_SOURCE_WINDOW) or the data ends.  *got is
 * the number of bytes in the window.  Errors: RTEV_E_IO; RTEV_E_MEMTRACE_CHANGED when the file is now shorter
 * than the part already read.
 */
enum { MT_SOURCE_WINDOW = 1 << 16 };
int mt_source_need(struct mt_source *source, size_t want, size_t *got);
