/*
 * format.h - the layout of packets: little-endian numbers, sizes, event codes and packet headers.
 *
 * The caller checks bounds.  A "word" is an OCaml integer of 63 bits.  Loading a word drops the top bit of the 64
 * stored, as OCaml does.
 */
#pragma once

#include "core/std.h"

/* The result is 32 bits wide because compilers generate slower code for 16-bit arithmetic. */
static inline uint32_t mt_load_16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t mt_load_32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t mt_load_64(const uint8_t *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
	       (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* Drop bit 63 and sign-extend from bit 62. */
static inline int64_t mt_word(uint64_t bits)
{
	return (int64_t)(bits << 1) >> 1;
}

static inline int64_t mt_load_word(const uint8_t *p)
{
	return mt_word(mt_load_64(p));
}

static inline void mt_store_16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static inline void mt_store_32(uint8_t *p, uint32_t v)
{
	mt_store_16(p, (uint16_t)v);
	mt_store_16(p + 2, (uint16_t)(v >> 16));
}

static inline void mt_store_64(uint8_t *p, uint64_t v)
{
	mt_store_32(p, (uint32_t)v);
	mt_store_32(p + 4, (uint32_t)(v >> 32));
}

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
#define MT_TIME_BACK (1u << (MT_TIME_BITS - 1)) /* an offset from here on may lie before the packet's begin */

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

/*
 * A backtrace is stored as the number of outermost codes it shares with the domain's previous one, followed
 * by code words for the rest.  A code word names a bucket of a cache that reader and writer keep in step.  A
 * bucket holds a location code and the bucket that followed it last time, which predicts the next code.  The
 * two low bits of the word are a tag:
 *
 *   0  no predicted code follows
 *   1  the next code is the predicted one
 *   2  the next N codes are the predicted ones; N is in the following byte
 *   3  the bucket's code is new, and follows the word
 *
 * Bucket 0 also stands for the start of a backtrace.
 */
enum {
	MT_BUCKETS = 1 << 14,
	MT_CODE_MAX = 10,	/* bytes of the longest code word, including its new code */
	MT_DECODERS_MAX = 8192, /* decoders, that is domains with backtraces, of a reader */
	MT_FRAMES_MAX = 1 << 24 /* limit on the codes that a reader stores for all domains together */
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
