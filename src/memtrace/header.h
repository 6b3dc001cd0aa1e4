/*
 * header.h - the layout of packets: sizes, event codes, and the header that begins each of them.
 */
#ifndef MEMTRACE_HEADER_H
#define MEMTRACE_HEADER_H

#include <stddef.h>
#include <stdint.h>

enum {
	MT_VERSION = 3,	       /* the newest that is read, and the one that is written */
	MT_VERSION_AT = 28,    /* the version's place in the header, alike in all versions */
	MT_HEADER_SIZE = 68,   /* from version 3 on */
	MT_HEADER_SIZE_2 = 66, /* before: it had no domain */
	MT_PACKET_MAX =
	    32768, /* bytes that a writer puts in a packet, and bytes of content that a reader takes */
	MT_TIME_BITS = 25, /* of the microsecond clock that an event carries */
	MT_NO_VERIFIER = 0xFFFF
};

#define MT_TIME_MASK ((1u << MT_TIME_BITS) - 1)

/* The codes of events. */
enum {
	MT_EVENT_INFO = 0,
	MT_EVENT_LOCATION = 1,
	MT_EVENT_ALLOC = 2,
	MT_EVENT_PROMOTE = 3,
	MT_EVENT_COLLECT = 4,
	MT_EVENT_SHORT = 100, /* plus the length, 1 to 16 */
	MT_EVENT_SHORT_LAST = 116
};

/* A backtrace cache entry of the writer when it began the packet, for the reader to compare with its own. */
struct mt_verifier {
	uint16_t bucket; /* MT_NO_VERIFIER: none */
	uint16_t next;
	int64_t code;
};

struct mt_header {
	int32_t bits; /* of the whole packet */
	uint16_t version;
	uint16_t domain;
	int64_t time_begin, time_end;
	int64_t pid;
	int64_t id_begin, id_end;
	struct mt_verifier verifier;
	unsigned size; /* bytes of the header itself */
};

/* Read a header from the first `size` bytes.  RTEV_E_MEMTRACE_UNDERFLOW when they are too few,
 * RTEV_E_MEMTRACE_MAGIC (all fields read) when they are no packet. */
int mt_header_read(struct mt_header *out, const uint8_t *data, size_t size);

/* Check a header.  Returns the first check that fails, and in *at the byte of the header that it is about. */
int mt_header_check(const struct mt_header *header, unsigned *at);

/* Write a header of MT_HEADER_SIZE bytes. */
void mt_header_write(uint8_t *data, const struct mt_header *header);

#endif
