/*
 * write_backtrace.h - write backtraces.
 *
 * The encoder keeps the cache that read_backtrace.h describes, and for each bucket when it was last used, in object
 * ids.  Which of two buckets a code takes follows from that, so that two writers of the same events write the
 * same bytes.
 */
#ifndef MEMTRACE_WRITE_BACKTRACE_H
#define MEMTRACE_WRITE_BACKTRACE_H

#include <stddef.h>
#include <stdint.h>

#include "memtrace/read_backtrace.h"

enum { MT_BACKTRACE_BYTES = 4096 }; /* the most that one backtrace takes; what is further in is left out */

struct mt_encoder {
	int64_t code[MT_BUCKETS];
	int64_t used[MT_BUCKETS];
	uint16_t next[MT_BUCKETS];
	uint16_t verify; /* the bucket that the next verifier is about */
};

/* Begin with an empty cache. */
void mt_encoder_init(struct mt_encoder *encoder);

/* Take the verifier for the packet that begins now. */
struct mt_verifier mt_encoder_verifier(struct mt_encoder *encoder);

/* What is told of a code that was not in the cache: its place in the backtrace. */
struct mt_miss {
	void (*missed)(void *ctx, size_t index);
	void *ctx;
};

/*
 * Write the codes `from` to `to` - 1 of a backtrace at p, where MT_BACKTRACE_BYTES and a little must fit, for the
 * allocation of an object.  Returns the byte behind them; *words is how many code words they took.
 */
uint8_t *mt_encoder_put(struct mt_encoder *encoder, uint8_t *p, const int64_t *codes, size_t from, size_t to,
    int64_t object, const struct mt_miss *miss, size_t *words);

#endif
