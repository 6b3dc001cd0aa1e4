/*
 * header.h - the layout of packets: sizes, event codes and packet headers.
 */
#ifndef MEMTRACE_HEADER_H
#define MEMTRACE_HEADER_H

#include <stddef.h>
#include <stdint.h>

enum {
	MT_VERSION = 3,	       /* the newest version read, and the version written */
	MT_VERSION_AT = 28,    /* offset of the version in the header, the same in all versions */
	MT_HEADER_SIZE = 68,   /* from version 3 on */
	MT_HEADER_SIZE_2 = 66, /* before version 3; has no domain */
	MT_PACKET_MAX =
	    32768, /* most bytes that a writer puts in a packet, and most bytes of content a reader accepts */
	MT_TIME_BITS = 25, /* low bits of the microsecond clock that an event stores */
	MT_NO_VERIFIER = 0xFFFF
};

#define MT_TIME_MASK ((1u << MT_TIME_BITS) - 1)

/* Event codes. */
enum {
	MT_EVENT_INFO = 0,
	MT_EVENT_LOCATION = 1,
	MT_EVENT_ALLOC = 2,
	MT_EVENT_PROMOTE = 3,
	MT_EVENT_COLLECT = 4,
	MT_EVENT_SHORT = 100, /* a short alloc event; plus the length, 1 to 16 */
	MT_EVENT_SHORT_LAST = 116
};

/* A writer's backtrace cache entry at the start of the packet.  The reader compares it with its own entry. */
struct mt_verifier {
	uint16_t bucket; /* MT_NO_VERIFIER: no entry to compare */
	uint16_t next;
	int64_t code;
};

struct mt_header {
	int32_t bits; /* size of the whole packet */
	uint16_t version;
	uint16_t domain;
	int64_t time_begin, time_end;
	int64_t pid;
	int64_t id_begin, id_end;
	struct mt_verifier verifier;
	unsigned size; /* size of the header in bytes */
};

/* Read a header from `size` bytes.  Returns RTEV_E_MEMTRACE_UNDERFLOW when the bytes are too few, and
 * RTEV_E_MEMTRACE_MAGIC when the magic is wrong; all fields are read nevertheless. */
int mt_header_read(struct mt_header *out, const uint8_t *data, size_t size);

/* Check a header.  Returns the status of the first check that fails; *at is the offset of the bad field. */
int mt_header_check(const struct mt_header *header, unsigned *at);

/* Write a header of MT_HEADER_SIZE bytes. */
void mt_header_write(uint8_t *data, const struct mt_header *header);

#endif
