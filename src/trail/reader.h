/*
 * reader.h - read the trail of a recording back into runtime events, in the order of their keys, from any moment on.
 *
 * First the whole file is walked through once (trail_index, in steps): that checks the trace, and notes where each chunk
 * stands.  Then events are delivered (trail_feed) from where trail_rewind placed the reading.
 *
 * Bounds: an entry of 40 bytes a chunk (of 8 KiB, about 2000 events, from our writer at full rate), at most TRAIL_CHUNKS_MAX; one
 * chunk of each stream in memory, at most 32 KiB each; the labels; where the parts of the latest tables stand.  Every call ends after work that its arguments bound.
 *
 * Input is hostile: counts, stamps and texts are checked.  Where the file breaks off or makes no sense, the trail ends, and
 * trail_info says so; a chunk that turns out to make no sense while it is delivered is told of as corrupt words.
 */
#ifndef TRAIL_READER_H
#define TRAIL_READER_H

#include "rtev/cursor.h"
#include "trail/trail.h"

#define TRAIL_CHUNKS_MAX (1u << 22)

struct trail;

enum trail_status {
	TRAIL_OK,
	TRAIL_FOREIGN, /* a trace, but not one that rtevtop recorded */
	TRAIL_NEWER,   /* of a TRAIL_VERSION that is not known yet */
	TRAIL_FAULT,   /* no trace, or one that breaks off before it says whose it is */
	TRAIL_MEMORY
};

/* What is known of a recording; complete once it is indexed. */
struct trail_info {
	struct trail_about about;
	bool indexed;
	uint64_t bytes;	   /* walked through so far */
	uint64_t start;	   /* the first key, or the attach */
	uint64_t end;	   /* the last key, or the end of the recording when that is later */
	uint64_t events;   /* in all chunks, as they say */
	bool ended;	   /* it was ended properly */
	const char *fault; /* why it ends early, NULL if it doesn't; static storage */
	uint64_t fault_offset;
	bool truncated;	  /* the fault is that the file ends there, inside of something */
	uint64_t damaged; /* chunks that made no sense when they were delivered */
};

/* Open a recording by the descriptor of a regular file, or in memory; either stays the caller's.  Reads on until it is known
 * whose recording it is. */
enum trail_status trail_open(struct trail **out, int fd);
enum trail_status trail_open_memory(struct trail **out, const void *data, size_t size);
void trail_close(struct trail *t);

/* Walk through at most `records` more records; false once all is indexed. */
bool trail_index(struct trail *t, unsigned records);

void trail_info(const struct trail *t, struct trail_info *out);

/* Events of chunks that begin up to a key, about. */
uint64_t trail_events_until(const struct trail *t, uint64_t key);

/*
 * Begin to deliver so early that all events from `since` on will come, with the spans that are open there; 0: from the
 * beginning.  What comes before `since` is what stands in the same chunks.
 */
void trail_rewind(struct trail *t, uint64_t since);

/* A key from which on up to `key` there are at most about `events` events; 0 when that is the beginning. */
uint64_t trail_since(const struct trail *t, uint64_t key, uint64_t events);

/* A table of a recording. */
struct trail_table {
	uint64_t ts;   /* when it was written */
	uint8_t *data; /* the caller's to free */
	size_t size;
};

/* Read the latest table of a kind that is whole as far as the file has been walked through; NULL as its data when there
 * is none.  Its bytes are as foreign as the file. */
enum trail_status trail_table(const struct trail *t, uint32_t kind, struct trail_table *out);

/* Where events go. */
struct trail_sink {
	struct rtev_callbacks calls; /* user events have the id of their label */
	void *ctx;
	void (*resume)(void *ctx, uint64_t ts); /* as struct session_sink */
	void (*reopened)(void *ctx);
	/* A note of a kind (enum trail_note, or one that is not known here), at its time among the events.  The bytes, any at all, are
	 * valid during the call; `note_ctx` comes first.  NULL: notes are passed over. */
	void (*note)(void *note_ctx, uint32_t kind, uint64_t ts, const void *data, size_t len);
	void *note_ctx;
};

/* Deliver at most `max` events with keys up to `until`; returns how many.  Fewer: no more are left up to there, or a callback
 * said RTEV_STOP. */
uint64_t trail_feed(struct trail *t, const struct trail_sink *sink, uint64_t until, uint64_t max);

/* The key of the next event; false at the end. */
bool trail_next(const struct trail *t, uint64_t *key);

/* The key of the latest event delivered since trail_rewind; false when there was none. */
bool trail_last(const struct trail *t, uint64_t *key);

#endif
