/*
 * layout.h - layout of the ring file: its structures, the fields of a record's header word, and sizes.
 *
 *     metadata header | ring headers, one a domain | ring words, one ring a domain | custom names (5.1+)
 *
 * All numbers are native-endian 64-bit words.  head and tail of a ring are free-running word indexes: the
 * word with index i is at offset i mod ring_words.  A record is a header word, a stamp, and payload.  It
 * never crosses the end of its ring; the writer fills the space left there with a padding record, of one
 * word or more.
 *
 * Source: struct runtime_events_metadata_header and its neighbours in OCaml's
 * runtime/caml/runtime_events.h, 5.0 to 5.5.
 */
#pragma once

#include <assert.h>

#include "core/std.h"
#include "rtev/events.h"

struct ring_metadata {
	uint64_t version;
	uint64_t max_domains;
	uint64_t ring_header_bytes;
	uint64_t ring_bytes;
	uint64_t ring_words;
	uint64_t headers_offset;
	uint64_t data_offset;
	uint64_t names_offset; /* 5.0 never writes this word; its value there is arbitrary */
};
static_assert(sizeof(struct ring_metadata) == 64, "metadata header is 64 bytes");

struct ring_header {
	_Atomic uint64_t head;
	_Atomic uint64_t tail;
	uint64_t padding[8];
};
static_assert(sizeof(struct ring_header) == 80, "ring header is 80 bytes");
static_assert(offsetof(struct ring_header, tail) == 8, "tail follows head");

/* 5.0 treats the names offset as padding, so every header has at least this many bytes. */
#define METADATA_BYTES_MIN 56u

#define NAMES_BYTES ((uint64_t)RTEV_USER_EVENTS_MAX * RTEV_USER_NAME_SIZE)

/* The most domains that a runtime can be told to use (OCAMLRUNPARAM d=4096).  A file that declares more
 * is not a ring file. */
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
#define HEADER_SAMPLES_SHIFT 30

/* Length, user bit and type of the most frequent records, as the top bits of their headers. */
enum {
	USUAL_BEGIN = 2 << 5 | RECORD_BEGIN,
	USUAL_END = 2 << 5 | RECORD_END,
	USUAL_COUNTER = 3 << 5 | RECORD_COUNTER,
	USUAL_USER_UNIT = 2 << 5 | RECORD_USER_UNIT,
	USUAL_USER_INT = 3 << 5 | RECORD_USER_INT,
	USUAL_SPAN_BEGIN = 2 << 5 | RECORD_USER_SPAN_BEGIN,
	USUAL_SPAN_END = 2 << 5 | RECORD_USER_SPAN_END
};

/* header_top of a header of at most three words is below this. */
#define HEADER_TOPS (4u << 5)

/* Length, user bit and type of a header. */
static inline uint32_t header_top(uint64_t header)
{
	return (uint32_t)(header >> HEADER_TYPE_SHIFT);
}

/* Length of a record in words, header included: 0 to 1023; 0 is invalid. */
static inline uint32_t header_length(uint64_t header)
{
	return (uint32_t)(header >> HEADER_LENGTH_SHIFT);
}

/* Type of a record, with the user bit as bit 4: an enum record_type or a number that the enumeration
 * lacks. */
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

/* The shapes of the most frequent records: their headers without the bits that vary.  HEADER_END_BIT tells an
 * end from a begin, HEADER_USER_BIT a user span from a phase. */
#define HEADER_ID_MASK header_make(0, RECORD_PADDING, RTEV_ID_LIMIT - 1)
#define HEADER_END_BIT (UINT64_C(1) << HEADER_TYPE_SHIFT)
#define HEADER_USER_BIT (UINT64_C(16) << HEADER_TYPE_SHIFT)
#define SHAPE_MASK (~(HEADER_ID_MASK | HEADER_END_BIT))
#define SHAPE_PHASE header_make(2, RECORD_BEGIN, 0)
#define SHAPE_SPAN header_make(2, RECORD_USER_SPAN_BEGIN, 0)
/* Shapes of records in which the id alone may differ. */
#define SHAPE_COUNTER header_make(3, RECORD_COUNTER, 0)
#define SHAPE_INT header_make(3, RECORD_USER_INT, 0)
