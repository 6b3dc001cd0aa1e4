/*
 * reader.h - read a trail and deliver its events in the order of their keys, from any point on.
 *
 * trail_index reads through the file once, in steps.  It checks the trace and records the offset of each
 * chunk.  trail_rewind then sets the position, and trail_feed delivers events from there.
 *
 * Memory: 40 bytes for each chunk (about 2000 events at full rate), at most TRAIL_CHUNKS_MAX of them; the
 * current chunk of each stream, at most 32 KiB; the labels; the offsets of the first and the latest tables.
 * The work of every call is bounded by its arguments.
 *
 * Input is untrusted.  Where the file is cut off or invalid, the trail ends, and trail_info says why.  A
 * chunk whose contents prove invalid on delivery is delivered as corrupt words.
 */
#pragma once

#include "rtev/cursor.h"
#include "trail/trail.h"

#define TRAIL_CHUNKS_MAX (1u << 22)

struct trail;

enum trail_status {
	TRAIL_OK,
	TRAIL_FOREIGN, /* a trace that rtevtop did not record */
	TRAIL_NEWER,   /* of a later TRAIL_VERSION */
	TRAIL_FAULT,   /* no trace, or one that ends before its header */
	TRAIL_MEMORY
};

/* What is known of a recording.  Complete once `indexed`. */
struct trail_info {
	struct trail_about about;
	bool indexed;
	uint64_t bytes;	   /* read so far */
	uint64_t start;	   /* first key, or the attach */
	uint64_t end;	   /* last key, or the end of the recording if that is later */
	uint64_t events;   /* sum of the chunks' headers */
	bool ended;	   /* the recording was ended properly */
	const char *fault; /* why reading stopped early, else NULL; static storage */
	uint64_t fault_offset;
	bool truncated;	  /* the fault is that the file ends inside a record */
	uint64_t damaged; /* chunks found invalid on delivery */
};

/* Open a recording by the descriptor of a regular file, which remains the caller's.  Reads up to the header. */
enum trail_status trail_open(struct trail **out, int fd);
void trail_close(struct trail *t);

/* Read at most `records` further records.  Returns false once everything is indexed. */
bool trail_index(struct trail *t, unsigned records);

void trail_info(const struct trail *t, struct trail_info *out);

/* Labels read so far are 0 to trail_labels - 1, in the order in which the recording first used them.  Return
 * the user event of one, and its kind; NULL for a label of another kind. */
uint32_t trail_labels(const struct trail *t);
const struct rtev_user_event *trail_user_label(
    const struct trail *t, uint32_t label, enum trail_label_kind *kind);

/* Approximate number of events in chunks that start up to a key. */
uint64_t trail_events_until(const struct trail *t, uint64_t key);

/*
 * Set the position so that all events from `since` on will be delivered, preceded by the spans open there; 0:
 * the start.  Earlier events in the same chunks are delivered as well.
 */
void trail_rewind(struct trail *t, uint64_t since);

/* A key from which at most about `events` events lead up to `key`; 0 if that is the start. */
uint64_t trail_since(const struct trail *t, uint64_t key, uint64_t events);

/* Receives the events. */
struct trail_sink {
	struct rtev_callbacks calls; /* user events have the number of their label as id */
	void *ctx;
	void (*resume)(void *ctx, uint64_t ts); /* as in struct session_sink */
	void (*reopened)(void *ctx);
	/* A note, at its time among the events.  `kind` is an enum trail_note or unknown to this program.
	 * The bytes are untrusted and valid during the call.  NULL: notes are skipped. */
	void (*note)(void *note_ctx, uint32_t kind, uint64_t ts, const void *data, size_t len);
	void *note_ctx;
};

/* Deliver at most `max` events with keys up to `until`.  Returns how many; fewer if there are no more, or a
 * callback returned RTEV_STOP. */
uint64_t trail_feed(struct trail *t, const struct trail_sink *sink, uint64_t until, uint64_t max);

/* Key of the next event.  Returns false at the end. */
bool trail_next(const struct trail *t, uint64_t *key);

/* Key of the last event delivered since trail_rewind.  Returns false if there was none. */
bool trail_last(const struct trail *t, uint64_t *key);
