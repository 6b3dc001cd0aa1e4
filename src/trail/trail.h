/*
 * trail.h - the trail of a recording: the runtime events as they were delivered, for a replay.
 *
 * A recording is a trace of slices, counters and instants for Perfetto.  A replay needs more: spans that were
 * dropped, stamps as they were (a slice may start a nanosecond late so that slices nest), and the order of
 * delivery (slices are written when they end).  The trail records that in blobs, which other viewers skip.
 *
 * Terms
 *   stream   The events of one domain in the order of its ring, or (TRAIL_TARGET) events of the target as a
 *            whole.
 *   key      The latest stamp of an event's stream so far.  Keys never decrease within a stream, even where
 *            stamps do.  Streams are merged by key.  An event without a stamp has the key of the event before
 *            it.
 *   chunk    A blob with events of one stream, up to TRAIL_CHUNK bytes from our writer.  It states its first
 *            and last key and the spans open at its start, so that reading can start at any chunk.
 *   label    The name of a phase, counter, lifecycle event or user event.  A blob defines it before the first
 *            chunk that uses its number.  Numbers count from 0.
 *   code     A number for a kind of event together with its label.  Codes below TRAIL_CODES_OWN are kinds
 *            without a label and equal enum trail_kind.  Each label defined is assigned the next code, or the
 *            next two if there is one kind for the begin of a span and one for its end.
 *   note     Bytes with a kind (enum trail_note) and a stamp, opaque to the trail.  A reader skips kinds that
 *            it does not know.  What has to come before all events, of which some may be older than the begin of the
 *            recording, has the stamp 0.
 *
 * Blobs.  Numbers are little endian, `varint` and `folded` as in core/varint.h:
 *   rtevtop.about   first of all: u64 TRAIL_VERSION, u64 flags (1 live), u64 attach stamp, u64 base stamp,
 *                   i64 base wall clock, u64 pid; then name, OCaml version, origin of the version, each as u8
 *                   length and bytes
 *   rtevtop.label   u32 number, u8 enum trail_label_kind, name
 *   rtevtop.events  u32 stream, u32 number of events, u64 first key, u64 last key, u64 stamp that the first
 *                   difference is relative to; varint number of open spans, for each varint label and varint
 *                   begin; then the events
 *   rtevtop.end     last of all: u64 stamp at which the recording ended
 *
 * An event starts with a varint: the difference of its stamp to the one before << TRAIL_CODE_BITS | code.  A
 * code of TRAIL_CODE_FAR or more is given as TRAIL_CODE_FAR, and a varint of the excess follows.  After that
 * comes what TRAIL_KINDS lists.  The difference is 0 for kinds without a stamp.  If a stamp is earlier than
 * the one before, or much later, TRAIL_CODE_JUMP and the folded difference precede the event; they do not
 * count as an event.
 *
 * To add a note: add a row to TRAIL_NOTES and define the layout of its bytes in a file of its own.  The code that
 * reads it must accept any bytes of any length.  recording_note writes it; trail_sink delivers it.
 */
#pragma once

#include "core/std.h"
#include "core/event.h"
#include "rtev/events.h"

#define TRAIL_VERSION 2
#define TRAIL_DOMAINS 4096u
#define TRAIL_TARGET TRAIL_DOMAINS
#define TRAIL_STREAMS (TRAIL_DOMAINS + 1)
#define TRAIL_CHUNK 8192u   /* bytes, from our writer; a reader accepts any blob */
#define TRAIL_OPEN_MAX 128u /* open spans that a chunk lists: the outermost */
#define TRAIL_LABELS_MAX 65536u
#define TRAIL_PAYLOAD_KEPT 256u /* bytes kept of a custom event's payload; the rest reads as zeros */
#define TRAIL_PAYLOAD_MAX 8192u /* longest payload */
#define TRAIL_NAME_MAX 255u	/* bytes of a text in rtevtop.about */

#define TRAIL_NOTE_MAX 2048u /* bytes of a note */

#define TRAIL_HEADER 32u   /* bytes of a chunk before its open spans */
#define TRAIL_LAST_KEY 16u /* bytes of a chunk before its last key */
#define TRAIL_CODE_BITS 7
#define TRAIL_CODE_FAR 127u
#define TRAIL_CODE_JUMP 0u
#define TRAIL_CODES_OWN 16u

/* X(NAME, name of the blob). */
#define TRAIL_BLOBS(X)                                                                                       \
	X(TRAIL_BLOB_ABOUT, "rtevtop.about")                                                                 \
	X(TRAIL_BLOB_LABEL, "rtevtop.label")                                                                 \
	X(TRAIL_BLOB_EVENTS, "rtevtop.events")                                                               \
	X(TRAIL_BLOB_END, "rtevtop.end")

enum trail_blob { TRAIL_BLOBS(LIST_NAME) TRAIL_BLOB_COUNT };

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
 * The kinds of core/event.h, and three of the trail's own.  RESUME: a ring_resume was announced on some ring.
 * REATTACH: the ring was opened again, nothing open continues; its stamp is later than all before it.  NOTE:
 * a note.
 *
 * What follows the stamp: COUNTER and INT, folded value; LIFECYCLE, folded data; ALLOC, RTEV_ALLOC_BUCKETS
 * counts; CUSTOM, length, number of bytes kept, bytes; LOST, words, and how many of them were lost before the
 * attach; CORRUPT, words; NOTE, kind, length, bytes.
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

/* Codes assigned to a label of this kind. */
static inline uint32_t trail_label_codes(enum trail_label_kind kind)
{
	return kind == TRAIL_LABEL_PHASE || kind == TRAIL_LABEL_SPAN ? 2 : 1;
}

/* Whether the kind is the end of a span: its code is the begin's plus one. */
static inline bool trail_kind_ends(enum trail_kind kind)
{
	return kind == TRAIL_END || kind == TRAIL_SPAN_END;
}

struct trail_kind_row {
	enum trail_label_kind label;
	bool stamped;
};
extern const struct trail_kind_row trail_kinds[TRAIL_KIND_COUNT];

/* Kinds of notes and tables.  The numbers are stored in files: never reuse one. */
#define TRAIL_NOTES(X)                                                                                       \
	X(SYSTEM, 1)   /* a sample of the system */                                                          \
	X(TREND, 2)    /* a table of older recordings, not written any more */                               \
	X(SETTINGS, 3) /* the settings of the runtime */                                                     \
	X(TRACING, 4)  /* whether the target has paused its events */                                        \
	X(READ, 5)     /* when words of a ring were lost: the ring had been read up to the note's stamp */   \
	X(HEAPS, 6)    /* the domains that ran when the recording began, and their heaps */                  \
	X(FIBERS, 7)   /* the fibers alive when the recording began */                                       \
	X(CODE, 8)     /* samples of the program's code that have one stack */                               \
	X(LOOK, 9)     /* what the target's memory told of its heaps */

enum trail_note {
#define TRAIL_NOTE_ENUM(name, number) TRAIL_NOTE_##name = number,
	TRAIL_NOTES(TRAIL_NOTE_ENUM)
#undef TRAIL_NOTE_ENUM
};

/* What a recording is of. */
struct trail_about {
	bool live;	    /* a running target; else a ring file */
	uint64_t attach_ts; /* when it was attached; 0 for a file */
	uint64_t base_ts;   /* one moment as a stamp */
	int64_t base_wall;  /* and in nanoseconds since 1970 UTC; both 0 if unknown */
	int64_t pid;	    /* 0: unknown */
	char name[TRAIL_NAME_MAX + 1];
	char ocaml[TRAIL_NAME_MAX + 1]; /* version; "" when it is not known */
	char ocaml_from[TRAIL_NAME_MAX + 1];
};

struct trail_event {
	enum trail_kind kind;
	unsigned stream;
	uint64_t ts;
	/* phase, counter, lifecycle event or kind of note; a user slot in a writer, a label in a reader */
	uint32_t id;
	union {
		int64_t value; /* counter, int, lifecycle data */
		const uint64_t *buckets;
		struct {
			uint64_t words;	  /* lost or corrupt */
			uint64_t history; /* of the lost words, those before the attach */
		};
		struct {
			const void *data; /* payload, of which `kept` bytes are known, or a note */
			size_t len, kept;
		};
	};
};
