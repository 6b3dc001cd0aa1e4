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
 *   code     The number of a kind of event with its label.  Codes below TRAIL_CODES_OWN are the kinds without a label.  Each label
 *            has the next one or, where it has a kind for the begin and one for the end, the next two.
 *   note     Bytes of a kind that this file only numbers (enum trail_note), with a stamp.  A reader that does not know the
 *            kind passes over it.
 *   table    The same, too large for a chunk.  A later table of a kind replaces the earlier one.
 *
 * Blobs, all numbers little endian, `varint` and `folded` as in core/varint.h:
 *   rtevtop.about   before all others: u64 TRAIL_VERSION, flags (1 live), attach stamp, base stamp, i64 base wall clock,
 *                   u64 pid; then name, OCaml version, its origin, each as u8 length and bytes
 *   rtevtop.label   u32 number, u8 enum trail_label_kind, then the name
 *   rtevtop.events  u32 stream, u32 events, u64 first key, last key, stamp that the first delta counts from; varint
 *                   open spans, for each varint label and varint begin; then the events
 *   rtevtop.table   u32 kind, u32 0, u64 stamp, bytes of the table, place of this part in it; then the part.  The parts of
 *                   a table follow each other, with other blobs between them.
 *   rtevtop.end     last of all: u64 stamp at which the recording ended
 *
 * An event is a varint: the difference to the stamp before << TRAIL_CODE_BITS, and the code; TRAIL_CODE_FAR for that and
 * larger ones, of which a varint of how far beyond it follows.  Then comes what TRAIL_KINDS says.  The difference is 0 for kinds
 * without a stamp.  Where a stamp goes back, or far ahead, TRAIL_CODE_JUMP comes before the event, with
 * the folded difference; it is no event.
 *
 * Version 1 had no notes and no tables, and in place of that varint u8 kind | label << 4 (the label 0 where the kind has none; from
 * TRAIL_LABEL_FAR on that, and a varint of how far beyond it), then for kinds with a stamp the varint of the folded difference
 * to the stamp before.
 *
 * A user of notes or tables adds a row to TRAIL_NOTES, lays out its bytes in a file of its own, and there reads what others may have
 * written: any bytes of any length.  recording.h takes both, trail_sink and trail_table (reader.h) give them back.
 */
#ifndef TRAIL_TRAIL_H
#define TRAIL_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "rtev/events.h"

#define TRAIL_VERSION 2
#define TRAIL_DOMAINS 4096u
#define TRAIL_TARGET TRAIL_DOMAINS
#define TRAIL_STREAMS (TRAIL_DOMAINS + 1)
#define TRAIL_CHUNK 8192u   /* bytes; a reader takes what a blob can hold */
#define TRAIL_OPEN_MAX 128u /* open spans that a chunk tells of, the outermost */
#define TRAIL_LABELS_MAX 65536u
#define TRAIL_PAYLOAD_KEPT 256u /* bytes of a custom event's payload; the rest reads as zeros */
#define TRAIL_PAYLOAD_MAX 8192u /* what one may have had */
#define TRAIL_NAME_MAX 255u	/* of the texts of TRAIL_ABOUT */

#define TRAIL_NOTE_MAX 2048u /* bytes of a note */
#define TRAIL_TABLE_MAX (4u << 20)
#define TRAIL_TABLE_PART 16384u /* bytes of a table in a blob from our writer */

#define TRAIL_HEADER 32u       /* bytes of a chunk before its open spans, */
#define TRAIL_LAST_KEY 16u     /* and before its last key */
#define TRAIL_TABLE_HEADER 32u /* bytes of a table's blob before the part */
#define TRAIL_LABEL_FAR 15u    /* of version 1: labels below it are part of an event's first byte */
#define TRAIL_CODE_BITS 7
#define TRAIL_CODE_FAR 127u
#define TRAIL_CODE_JUMP 0u
#define TRAIL_CODES_OWN 16u

/* X(NAME, name of the blob). */
#define TRAIL_BLOBS(X)                                                                                       \
	X(ABOUT, "rtevtop.about")                                                                            \
	X(LABEL, "rtevtop.label")                                                                            \
	X(EVENTS, "rtevtop.events")                                                                          \
	X(TABLE, "rtevtop.table")                                                                            \
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
#define TRAIL_LABEL_ENUM(name) TRAIL_LABEL_##name,
	EVENT_LABELS(TRAIL_LABEL_ENUM)
#undef TRAIL_LABEL_ENUM
	    TRAIL_LABEL_KINDS,
	TRAIL_LABEL_NONE = TRAIL_LABEL_KINDS
};

/*
 * The kinds of events (core/event.h), and those of the trail alone: a ring_resume was announced, on whatever ring; the ring was opened
 * anew, so that nothing that was open goes on, stamped later than all before; a note.
 *
 * What follows their stamp in a chunk: a COUNTER's and an INT's folded value, a LIFECYCLE event's folded data; of ALLOC RTEV_ALLOC_BUCKETS
 * counts; of CUSTOM the length, how many bytes are kept, and these; of LOST the words, and those of them lost before the attach;
 * of CORRUPT the words; of NOTE the kind, the length, and the bytes.  Nothing for the others.
 */
#define TRAIL_KINDS(X)                                                                                       \
	EVENT_KINDS(X)                                                                                       \
	X(RESUME, "resume", NONE, true)                                                                      \
	X(REATTACH, "reattach", NONE, true)                                                                  \
	X(NOTE, "note", NONE, true)

enum trail_kind {
#define TRAIL_KIND_ENUM(name, word, label, stamped) TRAIL_##name,
	TRAIL_KINDS(TRAIL_KIND_ENUM)
#undef TRAIL_KIND_ENUM
	    TRAIL_KIND_COUNT
};

/* The kind of label of a kind of event. */
static inline enum trail_label_kind trail_label_kind(enum trail_kind kind)
{
	switch (kind) {
#define TRAIL_KIND_LABEL(name, word, label, stamped)                                                         \
	case TRAIL_##name:                                                                                   \
		return TRAIL_LABEL_##label;
		TRAIL_KINDS(TRAIL_KIND_LABEL)
#undef TRAIL_KIND_LABEL
	default:
		return TRAIL_LABEL_NONE;
	}
}

/* How many codes a label of a kind has. */
static inline uint32_t trail_label_codes(enum trail_label_kind kind)
{
	return kind == TRAIL_LABEL_PHASE || kind == TRAIL_LABEL_SPAN ? 2 : 1;
}

/* Whether a kind of event is the end of a span: its code is the one behind that of the begin. */
static inline bool trail_kind_ends(enum trail_kind kind)
{
	return kind == TRAIL_END || kind == TRAIL_SPAN_END;
}

/* What the kinds are. */
struct trail_kind_row {
	uint8_t label; /* enum trail_label_kind */
	bool stamped;
};
extern const struct trail_kind_row trail_kinds[TRAIL_KIND_COUNT];

/* What notes and tables are.  The numbers stand in files: they are never used for anything else. */
#define TRAIL_NOTES(X)                                                                                       \
	X(SYSTEM, 1) /* a note: a sample of the system */                                                    \
	X(TREND, 2)  /* a table: the trend */

enum trail_note {
#define TRAIL_NOTE_ENUM(name, number) TRAIL_NOTE_##name = number,
	TRAIL_NOTES(TRAIL_NOTE_ENUM)
#undef TRAIL_NOTE_ENUM
};

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
	uint32_t
	    id; /* phase, counter, lifecycle event, kind of note; for a writer the user slot, for a reader the label */
	union {
		int64_t value; /* of a counter, an int, a lifecycle event */
		const uint64_t *buckets;
		struct {
			uint64_t words;	  /* lost or corrupt */
			uint64_t history; /* of the lost ones those before the attach */
		};
		struct {
			const void
			    *data; /* of a custom event its first `kept` bytes, or the `len` ones of a note */
			size_t len, kept;
		};
	};
};

#endif
