/*
 * write_backtrace.h - encode backtraces.
 *
 * The encoder keeps the cache that read_backtrace.h describes.  For each bucket it also stores the object id
 * of its last use, and a new code replaces the older of its two possible buckets.  Two writers of the same
 * events thus write the same bytes.
 */
#ifndef MEMTRACE_WRITE_BACKTRACE_H
#define MEMTRACE_WRITE_BACKTRACE_H

#include <stddef.h>
#include <stdint.h>

#include "memtrace/read_backtrace.h"

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

#endif
