/*
 * layout.h - the ring file as it lies on disk: structures, the bits of a record's header word, and the sizes.
 *
 *     metadata header | ring headers, one a domain | ring words, one ring a domain | custom names (5.1+)
 *
 * All numbers are native-endian 64-bit words.  head and tail of a ring are free-running word indexes: the
 * word with index i stands at i mod ring_words.  A record is a header word, a stamp, and payload; it never
 * straddles the end of its ring: the space left before the end is filled by a padding record, whose length
 * may be 1.
 *
 * Source: struct runtime_events_metadata_header and its neighbours in OCaml's
 * runtime/caml/runtime_events.h, 5.0 to 5.5.
 */
#ifndef RING_LAYOUT_H
#define RING_LAYOUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/events.h"

struct ring_metadata {
	uint64_t version;
	uint64_t max_domains;
	uint64_t ring_header_bytes;
	uint64_t ring_bytes;
	uint64_t ring_words;
	uint64_t headers_offset;
	uint64_t data_offset;
	uint64_t names_offset; /* 5.0 never writes this word: it may hold anything there */
};
static_assert(sizeof(struct ring_metadata) == 64, "metadata header is 64 bytes");

struct ring_header {
	_Atomic uint64_t head;
	_Atomic uint64_t tail;
	uint64_t padding[8];
};
static_assert(sizeof(struct ring_header) == 80, "ring header is 80 bytes");
static_assert(offsetof(struct ring_header, tail) == 8, "tail follows head");

/* 5.0 reads the names offset as padding, so every header is at least this long. */
#define METADATA_BYTES_MIN 56u

#define NAMES_BYTES ((uint64_t)RTEV_USER_EVENTS_MAX * RTEV_USER_NAME_SIZE)

/* A file that claims more domains than any runtime can be told to use (OCAMLRUNPARAM d=4096) is no ring file.
 */
#define DOMAINS_MAX 4096u

/* Types of runtime records, and of user records. */
enum record_type {
	RECORD_PADDING = 0, /* the runtime's "internal": fills the ring up to its end */
	RECORD_LIFECYCLE = 1,
	RECORD_BEGIN = 2,
	RECORD_END = 3,
	RECORD_COUNTER = 4,
	RECORD_ALLOC = 5,
	RECORD_FLUSH = 6, /* reserved, never written */
	RECORD_USER_UNIT = 16,
	RECORD_USER_INT = 17,
	RECORD_USER_SPAN_BEGIN = 18,
	RECORD_USER_SPAN_END = 19,
	RECORD_USER_CUSTOM = 20,
	RECORD_TYPE_COUNT = 32 /* four bits of type and the user bit above them */
};

/* Header word: length in words 63..54, user bit 53, type 52..49, id 48..36, zero below (OxCaml: samples
 * in 35..30). */
#define HEADER_LENGTH_SHIFT 54
#define HEADER_TYPE_SHIFT 49
#define HEADER_ID_SHIFT 36
#define HEADER_LOW_MASK ((UINT64_C(1) << HEADER_ID_SHIFT) - 1)
#define HEADER_SAMPLES_SHIFT 30

/* Length, user bit and type of the records that make up most of a ring, as they stand at the top of a header. */
enum {
	USUAL_BEGIN = 2 << 5 | RECORD_BEGIN,
	USUAL_END = 2 << 5 | RECORD_END,
	USUAL_COUNTER = 3 << 5 | RECORD_COUNTER,
	USUAL_USER_UNIT = 2 << 5 | RECORD_USER_UNIT,
	USUAL_USER_INT = 3 << 5 | RECORD_USER_INT,
	USUAL_SPAN_BEGIN = 2 << 5 | RECORD_USER_SPAN_BEGIN,
	USUAL_SPAN_END = 2 << 5 | RECORD_USER_SPAN_END
};

/* Where the top of a header of at most three words lies below. */
#define HEADER_TOPS (4u << 5)

/* Length, user bit and type of a header. */
static inline uint32_t header_top(uint64_t header)
{
	return (uint32_t)(header >> HEADER_TYPE_SHIFT);
}

/* Length of a record in words, header included: 0 to 1023, 0 being nonsense. */
static inline uint32_t header_length(uint64_t header)
{
	return (uint32_t)(header >> HEADER_LENGTH_SHIFT);
}

/* Type of a record with the user bit as bit 4: an enum record_type or a number that it lacks. */
static inline uint32_t header_type(uint64_t header)
{
	return (uint32_t)(header >> HEADER_TYPE_SHIFT) & 31u;
}

/* Phase, counter, lifecycle event or user event number, 0 to 8191. */
static inline uint32_t header_id(uint64_t header)
{
	return (uint32_t)(header >> HEADER_ID_SHIFT) & (RTEV_ID_LIMIT - 1u);
}

/* Make a header word. */
static inline uint64_t header_make(uint32_t length, enum record_type type, uint32_t id)
{
	return (uint64_t)length << HEADER_LENGTH_SHIFT | (uint64_t)type << HEADER_TYPE_SHIFT |
	       (uint64_t)id << HEADER_ID_SHIFT;
}

#endif
