/*
 * reader_private.h - internals of the reader: index.c reads through a file, store.c through a store, feed.c decodes
 * the chunks of each stream and merges the streams.
 */
#pragma once

#include <sys/queue.h>

#include "rtev/fxt_reader.h"
#include "core/cut.h"
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
		uint64_t offset;		 /* of the blob's data in the file */
		const struct trail_piece *piece; /* the piece of a store, until it has been read */
	};
	uint64_t before; /* events in the stream's earlier chunks */
	uint64_t from, to;
	uint32_t size, events;
};

/* One stream and its reading position. */
struct stream {
	unsigned number;
	struct chunk *chunks;
	size_t count, room;

	size_t next;  /* next chunk to load */
	bool entered; /* reading starts with this chunk: its open spans have to be delivered */
	bool bare;    /* only the open spans have to be delivered: there is no current event */
	uint8_t *bytes;
	size_t bytes_room;
	struct cut rest; /* undecoded rest of the chunk */
	struct cut open; /* its list of open spans */
	uint64_t open_count;
	uint32_t left; /* undecoded events */
	uint64_t to;   /* last key, from the chunk's header */
	uint64_t last; /* latest stamp */
	uint64_t key;  /* of the current event, `event` */
	struct trail_event event;
	uint64_t buckets[RTEV_ALLOC_BUCKETS];
	uint8_t payload[TRAIL_PAYLOAD_MAX];
	size_t told;  /* chunks already counted in trail_info if they are damaged */
	bool damaged; /* the current event stands for invalid data */
};

struct label {
	enum trail_label_kind kind;
	uint32_t id; /* phase, counter, lifecycle event */
	struct rtev_user_event user;
};

/* What a code stands for. */
struct code {
	uint32_t label;
	uint8_t kind; /* enum trail_kind; TRAIL_KIND_COUNT: unassigned */
};

struct trail {
	struct rtev_fxt_reader *reader;	 /* NULL once everything is indexed */
	int fd;				 /* -1: it reads a store */
	const struct trail_store *store; /* NULL: a file */
	bool has_about;
	enum trail_status status;
	struct trail_info info;
	bool has_keys; /* info.start and info.end are valid */
	size_t chunk_count;
	struct label *labels;
	uint32_t label_count;
	size_t label_room;
	struct code *codes;
	uint32_t code_count;
	size_t code_room;
	struct stream *streams[TRAIL_STREAMS];

	struct stream *heap[TRAIL_STREAMS]; /* streams with a current event; see feed.c */
	unsigned heap_count;
	bool delivered;
	uint64_t last_key; /* valid once `delivered` */
};

/* Assign the codes of kinds without a label.  Returns false if out of memory. */
bool trail_codes_begin(struct trail *t);

/* Read a label or a chunk from a store.  Returns false if out of memory. */
bool trail_take_piece(struct trail *t, enum trail_blob blob, const struct trail_piece *piece);
