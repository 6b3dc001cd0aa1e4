/*
 * reader_private.h - the inside of a trail being read: index.c walks the file, store.c
 * a store, chunk.c decodes a stream's chunks, feed.c merges the streams.
 */
#ifndef TRAIL_READER_PRIVATE_H
#define TRAIL_READER_PRIVATE_H

#include <sys/queue.h>

#include "rtev/fxt_reader.h"
#include "trail/bytes.h"
#include "trail/reader.h"

/* A blob in a store. */
struct trail_piece {
	TAILQ_ENTRY(trail_piece) link;
	uint64_t serial;
	uint32_t size;
	uint8_t data[];
};
TAILQ_HEAD(trail_pieces, trail_piece);

struct trail_store;

struct chunk {
	union {
		uint64_t offset;		 /* of its blob's data in the file; */
		const struct trail_piece *piece; /* of a store, while it has not been read */
	};
	uint64_t before; /* events of the stream in the chunks before it */
	uint64_t from, to;
	uint32_t size, events;
};

/* One stream, and where reading it has come to. */
struct stream {
	unsigned number;
	struct chunk *chunks;
	size_t count, room;

	size_t next;  /* chunk to load when this one is used up */
	bool entered; /* reading begins with this chunk: its open spans have to be told, */
	bool bare;    /* and that is all: no event is at hand */
	bool waiting; /* in the heap */
	uint8_t *bytes;
	size_t bytes_room;
	struct trail_bytes rest; /* of the chunk, behind the event at hand */
	struct trail_bytes open; /* its open spans */
	uint64_t open_count;
	uint32_t left; /* events in `rest` */
	uint64_t to;   /* the chunk's last key */
	uint64_t last; /* latest stamp */
	uint64_t key;  /* of the event at hand: */
	struct trail_event event;
	uint64_t buckets[RTEV_ALLOC_BUCKETS];
	uint8_t payload[TRAIL_PAYLOAD_MAX];
	bool damaged; /* the event at hand stands for what could not be read */
};

struct label {
	enum trail_label_kind kind;
	uint32_t id; /* phase, counter, lifecycle event */
	struct rtev_user_event user;
};

/* What a code stands for. */
struct code {
	uint32_t label;
	uint8_t kind; /* enum trail_kind; TRAIL_KIND_COUNT: nothing */
};

/* A table in the file; its parts are in the order of their places in it. */
struct table {
	uint32_t kind;
	uint64_t stamp, size, got; /* bytes */
	struct table_part {
		uint64_t offset; /* of its bytes in the file */
		uint32_t size;
	} * parts;
	size_t count, room;
};

#define TABLES_MAX 16 /* kinds of tables that a recording may have */

struct trail {
	struct rtev_fxt_reader *reader; /* NULL once all is indexed */
	int fd;				/* -1: in memory */
	const uint8_t *memory;
	size_t memory_size;
	const struct trail_store *store; /* NULL: of a file or memory */
	uint64_t next_label, next_chunk; /* serials that were not taken in yet */
	bool has_about;
	unsigned version;
	enum trail_status status;
	struct trail_info info;
	bool has_keys; /* info.start and info.end hold keys */
	size_t chunk_count;
	struct label *labels;
	uint32_t label_count, label_room;
	struct code *codes;
	uint32_t code_count, code_room;
	struct {
		struct table whole,
		    coming; /* the latest that is all there, and one of which there are parts */
	} tables[TABLES_MAX];
	unsigned table_count;
	struct stream *streams[TRAIL_STREAMS];

	struct stream *heap[TRAIL_STREAMS]; /* those with an event at hand, the least key first */
	unsigned heap_count;
	bool delivered;
	uint64_t last_key; /* once something was delivered */
};

/* Set up the codes without a label.  False when memory ran out. */
bool trail_codes_begin(struct trail *t);

/* Take in a part of a table. */
bool trail_take_table(struct trail *t, struct trail_bytes *b, uint64_t offset);
void trail_tables_free(struct trail *t);

/* Read bytes of the file.  False when they are not there. */
bool trail_fetch(const struct trail *t, uint64_t offset, size_t size, uint8_t *to);

/* End the walk here; returns false. */
bool trail_fault(struct trail *t, enum trail_status status, uint64_t offset, const char *reason);

/* Take in a label or a chunk of a store.  False when memory ran out. */
bool trail_take_piece(struct trail *t, enum trail_blob blob, const struct trail_piece *piece);

/* Go on with the streams that had come to their end before more chunks were taken in. */
void trail_resume(struct trail *t);

/* Place a stream's reading before the chunk with this index, and get its first event, if it has any.  False when there is none. */
bool stream_enter(struct trail *t, struct stream *s, size_t chunk);

/* Get the next event of a stream.  False at its end. */
bool stream_advance(struct trail *t, struct stream *s);

#endif
