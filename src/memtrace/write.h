/*
 * write.h - the state of one domain's writer.
 *
 * The writer encodes events into `packet`, after the room for the header.  It encodes the locations that
 * these events need into `pending`, and writes them in separate packets before `packet`.
 *
 * The encoder keeps the cache that format.h describes.  For each bucket it also stores the object id
 * of its last use, and a new code replaces the older of its two possible buckets.  Two writers of the same
 * events thus write the same bytes.
 */
#pragma once

#include <pthread.h>

#include "memtrace/tables.h"
#include "rtev/memtrace.h"

/* The destination of a trace's packets, shared by the writers of its domains. */
struct mt_destination {
	pthread_mutex_t lock; /* protects the next four members; held while a packet is written */
	int status;	      /* the first failure; nothing is written after it */
	int64_t next_id;      /* the first object id that no writer has taken */
	unsigned references;  /* number of writers */
	struct rtev_memtrace_sink sink;

	int fd; /* -1: write to the sink */
	uint32_t ids_per_chunk;
	int64_t pid; /* the pid when the trace began */
	void *ctx;
	rtev_memtrace_locate locate;
	int64_t (*getpid)(void *ctx);
};

enum { MT_LOCATION_BYTES = 4096 }; /* limit on the body of a location event */

/* The tables of one domain.  They start as all zeros. */
struct mt_places {
	struct mt_texts texts;
	struct mt_recent_files recent;
};

void mt_places_fini(struct mt_places *places);

/* Write the body of a location event at p, where MT_LOCATION_BYTES must fit.  A list that may not fit is
 * replaced by one unknown location.  Returns the byte after the body, or NULL when memory runs out. */
uint8_t *mt_places_put(struct mt_places *places, uint8_t *p, int64_t code,
    const struct rtev_memtrace_location *list, size_t count);

enum { MT_BACKTRACE_BYTES = 4096 }; /* limit on an encoded backtrace; codes that do not fit are dropped */

struct mt_encoder {
	int64_t code[MT_BUCKETS];
	int64_t used[MT_BUCKETS];
	uint16_t next[MT_BUCKETS];
	uint16_t verify; /* the bucket of the next verifier */
};

/* Initialize an encoder with an empty cache. */
void mt_encoder_init(struct mt_encoder *encoder);

/* Return the verifier for a packet that begins now. */
struct mt_verifier mt_encoder_verifier(struct mt_encoder *encoder);

/* A callback for a code that was not in the cache; `index` is its index in the backtrace. */
struct mt_miss {
	void (*missed)(void *ctx, size_t index);
	void *ctx;
};

/*
 * Encode the codes `from` to `to` - 1 of a backtrace at p, where slightly more than MT_BACKTRACE_BYTES must
 * fit.  `object` is the id of the allocated object.  Returns the byte after the code words; *words is their
 * number.
 */
uint8_t *mt_encoder_put(struct mt_encoder *encoder, uint8_t *p, const int64_t *codes, size_t from, size_t to,
    int64_t object, const struct mt_miss *miss, size_t *words);

struct rtev_memtrace_writer {
	struct mt_destination *destination;
	uint16_t domain;
	int status; /* RTEV_E_NOMEM after memory ran out: the packet is then incomplete */
	int64_t time_start, time_end;
	int64_t id_start, id_next, id_last; /* first id of the packet; next id; end of the chunk */
	struct mt_verifier verifier;	    /* verifier of the packet */

	int64_t *last; /* the previous backtrace */
	size_t last_depth, last_capacity;
	const struct rtev_memtrace_alloc *alloc; /* the allocation being encoded */

	uint8_t *pending; /* location events, each after its size */
	size_t pending_size, pending_capacity;
	size_t pending_count;

	size_t size; /* bytes used in `packet`, including the header */
	uint8_t packet[MT_PACKET_MAX];
	struct mt_places places;
	struct mt_encoder encoder;
};

/* Set the start time and the first object id of a packet that is still empty.  Its ids end before `last`. */
void mt_writer_restart(struct rtev_memtrace_writer *writer, int64_t time, int64_t id, int64_t last);

/* Write an alloc event in the form that another trace gave it.  The alloc's backtrace has only the codes after
 * the first `common` ones, which are shared with the previous backtrace.  `brief` selects the short form. */
int mt_writer_put_raw(struct rtev_memtrace_writer *writer, int64_t time,
    const struct rtev_memtrace_alloc *alloc, bool brief, int64_t common);
