/*
 * trail.h - the trail of a recording: the runtime events as they were told, for a replay.
 *
 * A recording is a trace of slices, counters and instants for Perfetto.  These say what happened, but not all that was told: a span
 * that was dropped leaves nothing, a slice may begin a nanosecond late so that slices nest, and slices stand in the
 * order of their ends.  So the trail stands beside them, in blobs that other viewers pass over.
 *
 * Terms
 *   stream   The events of one domain in the order of its ring, or (TRAIL_TARGET) what concerns the whole target.
 *   key      Of an event: the latest stamp of its stream so far.  Keys ascend in each stream, whatever the stamps do;
 *            streams are merged by key.  What has no stamp of its own has the key of what stands before it.
 *   chunk    A blob of a stream's events, at most TRAIL_CHUNK bytes from our writer, with its first and last key and the spans that
 *            are open at its beginning, so that reading can begin at any chunk.
 *   label    A phase, counter, lifecycle event or user event by its name.  A blob of its own defines it before the
 *            first chunk that uses its number; numbers ascend from 0.
 *
 * Blobs, all numbers little endian, `varint` and `folded` as in core/varint.h:
 *   rtevtop.about   before all others: u64 TRAIL_VERSION, flags (1 live), attach stamp, base stamp, i64 base wall clock,
 *                   u64 pid; then name, OCaml version, its origin, each as u8 length and bytes
 *   rtevtop.label   u32 number, u8 enum trail_label_kind, then the name
 *   rtevtop.events  u32 stream, u32 events, u64 first key, last key, stamp that the first delta counts from; varint
 *                   open spans, for each varint label and varint begin; then the events
 *   rtevtop.end     last of all: u64 stamp at which the recording ended
 * An event is u8 kind | label << 4 (the label 0 where the kind has none; from TRAIL_LABEL_FAR on that, and a varint of how far
 * beyond it), then for kinds with a stamp the varint of the folded difference to the stamp before, then what the table
 * below says.
 */
#ifndef TRAIL_TRAIL_H
#define TRAIL_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/events.h"

#define TRAIL_VERSION 1
#define TRAIL_DOMAINS 4096u
#define TRAIL_TARGET TRAIL_DOMAINS
#define TRAIL_STREAMS (TRAIL_DOMAINS + 1)
#define TRAIL_CHUNK 8192u   /* bytes; a reader takes what a blob can hold */
#define TRAIL_OPEN_MAX 128u /* open spans that a chunk tells of, the outermost */
#define TRAIL_LABELS_MAX 65536u
#define TRAIL_PAYLOAD_KEPT 256u /* bytes of a custom event's payload; the rest reads as zeros */
#define TRAIL_PAYLOAD_MAX 8192u /* what one may have had */
#define TRAIL_NAME_MAX 255u	/* of the texts of TRAIL_ABOUT */

#define TRAIL_HEADER 32u    /* bytes of a chunk before its open spans, */
#define TRAIL_LAST_KEY 16u  /* and before its last key */
#define TRAIL_LABEL_FAR 15u /* labels below it are part of an event's first byte */

/* X(NAME, name of the blob). */
#define TRAIL_BLOBS(X)                                                                                       \
	X(ABOUT, "rtevtop.about")                                                                            \
	X(LABEL, "rtevtop.label")                                                                            \
	X(EVENTS, "rtevtop.events")                                                                          \
	X(END, "rtevtop.end")

enum trail_blob {
#define TRAIL_BLOB_ENUM(name, text) TRAIL_BLOB_##name,
	TRAIL_BLOBS(TRAIL_BLOB_ENUM)
#undef TRAIL_BLOB_ENUM
	    TRAIL_BLOB_COUNT
};

/* The name of a blob.  Static storage. */
const char *trail_blob_name(enum trail_blob blob);

enum trail_label_kind {
	TRAIL_LABEL_PHASE,
	TRAIL_LABEL_COUNTER,
	TRAIL_LABEL_LIFECYCLE,
	TRAIL_LABEL_UNIT, /* user events */
	TRAIL_LABEL_INT,
	TRAIL_LABEL_SPAN,
	TRAIL_LABEL_CUSTOM,
	TRAIL_LABEL_KINDS,
	TRAIL_LABEL_NONE = TRAIL_LABEL_KINDS
};

/* X(NAME, kind of its label, whether it has a stamp); what follows it in a chunk. */
#define TRAIL_KINDS(X)                                                                                       \
	X(BEGIN, PHASE, true)                                                                                \
	X(END, PHASE, true)                                                                                  \
	X(COUNTER, COUNTER, true)     /* folded value */                                                     \
	X(ALLOC, NONE, true)	      /* RTEV_ALLOC_BUCKETS counts */                                        \
	X(LIFECYCLE, LIFECYCLE, true) /* folded data */                                                      \
	X(UNIT, UNIT, true)                                                                                  \
	X(INT, INT, true) /* folded value */                                                                 \
	X(USER_BEGIN, SPAN, true)                                                                            \
	X(USER_END, SPAN, true)                                                                              \
	X(CUSTOM, CUSTOM, true) /* length, bytes kept, these */                                              \
	X(LOST, NONE, false)	/* words, those of them lost before the attach */                            \
	X(CORRUPT, NONE, false) /* words */                                                                  \
	X(RESTART, NONE, false)                                                                              \
	X(RESUME, NONE, true) /* a ring_resume was announced, on whatever ring */                            \
	X(REATTACH, NONE,                                                                                    \
	    true) /* the ring was opened anew: nothing that was open goes on; its stamp is later than all before */

enum trail_kind {
#define TRAIL_KIND_ENUM(name, label, stamped) TRAIL_##name,
	TRAIL_KINDS(TRAIL_KIND_ENUM)
#undef TRAIL_KIND_ENUM
	    TRAIL_KIND_COUNT
};

/* What the kinds are. */
struct trail_kind_row {
	uint8_t label; /* enum trail_label_kind */
	bool stamped;
};
extern const struct trail_kind_row trail_kinds[TRAIL_KIND_COUNT];

/* Whose recording it is. */
struct trail_about {
	bool live;	    /* of a running target, else of a ring file */
	uint64_t attach_ts; /* when it was attached; 0 for a file */
	uint64_t base_ts;   /* one moment on both clocks: a stamp */
	int64_t base_wall;  /* and nanoseconds since 1970 UTC; both 0 when it is not known */
	int64_t pid;	    /* 0: not known */
	char name[TRAIL_NAME_MAX + 1];
	char ocaml[TRAIL_NAME_MAX + 1]; /* version; "" when it is not known */
	char ocaml_from[TRAIL_NAME_MAX + 1];
};

struct trail_event {
	enum trail_kind kind;
	unsigned stream;
	uint64_t ts;
	uint32_t id; /* phase, counter, lifecycle event; for a writer the user slot, for a reader the label */
	union {
		int64_t value; /* of a counter, an int, a lifecycle event */
		const uint64_t *buckets;
		struct {
			uint64_t words;	  /* lost or corrupt */
			uint64_t history; /* of the lost ones those before the attach */
		};
		struct {
			const void *data; /* of a custom event, its first `kept` bytes */
			size_t len, kept;
		};
	};
};

#endif
