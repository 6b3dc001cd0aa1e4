/*
 * read_backtrace.h - decode backtraces.
 *
 * A backtrace is stored as the number of outermost codes it shares with the domain's previous one, followed
 * by code words for the rest.  A code word names a bucket of a cache that reader and writer keep in step.  A
 * bucket holds a location code and the bucket that followed it last time, which predicts the next code.  The
 * two low bits of the word are a tag:
 *
 *   0  no predicted code follows
 *   1  the next code is the predicted one
 *   2  the next N codes are the predicted ones; N is in the following byte
 *   3  the bucket's code is new, and follows the word
 *
 * Bucket 0 also stands for the start of a backtrace.
 *
 * This is the reader's inner loop.  A mispredicted branch costs as much as a dozen instructions, so the
 * decoder always loads the first predicted code and counts it only if the word says so.  The usual words have
 * a function of their own, which needs few variables and keeps them in registers.
 */
#ifndef MEMTRACE_READ_BACKTRACE_H
#define MEMTRACE_READ_BACKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/bytes.h"
#include "memtrace/header.h"
#include "rtev/rtev.h"

/* Force the inlining of inner loops that compilers consider too large to inline. */
#define MT_INLINE static inline __attribute__((always_inline))

/* Branch hints: the condition is rarely, or usually, true. */
#define MT_RARE(condition) __builtin_expect((condition), 0)
#define MT_USUAL(condition) __builtin_expect((condition), 1)

enum {
	MT_BUCKETS = 1 << 14,
	MT_CODE_MAX = 10,	/* bytes of the longest code word, including its new code */
	MT_DECODERS_MAX = 8192, /* decoders, that is domains with backtraces, of a reader */
	MT_FRAMES_MAX = 1 << 24 /* limit on the codes that a reader stores for all domains together */
};

/* The decoder of one domain.  It starts as all zeros. */
struct mt_backtrace {
	uint16_t next[MT_BUCKETS];
	int64_t code[MT_BUCKETS];
	int64_t *frames; /* the previous backtrace, outermost first, and free room after it */
	size_t depth;	 /* of the previous backtrace */
	size_t capacity; /* number of codes that fit in `frames` */
};

/* The unused part of MT_FRAMES_MAX, and the status of the last decoding failure. */
struct mt_frames {
	size_t left;
	int status;
};

/* Check that a packet's verifier matches the decoder's cache. */
bool mt_backtrace_verify(const struct mt_backtrace *trace, const struct mt_verifier *verifier);

/* Free a decoder.  NULL is allowed. */
void mt_backtrace_destroy(struct mt_backtrace *trace);

/* The number of codes to reserve for `words` code words, none of which predicts more than two codes. */
static inline size_t mt_backtrace_room(size_t words)
{
	return (words + 1) * 3;
}

/* The size in bytes of a code word, given its first byte. */
static inline unsigned mt_backtrace_word_size(unsigned byte)
{
	return (byte & 3) == 3 ? (unsigned)MT_CODE_MAX : 2 + (byte >> 1 & 1);
}

/*
 * Decode *words code words at `p`, and stop at a word that predicts more codes than there is room for.  Store
 * their codes from trace->frames[*depth] on.  The caller guarantees room for mt_backtrace_room(*words) codes,
 * and MT_CODE_MAX bytes of data for each word.  *last is the bucket of the preceding code, 0 at the start.
 * Returns the byte after the last word decoded, sets *words to the number of words left, and updates *depth
 * and *last.
 */
MT_INLINE const uint8_t *mt_backtrace_usual(
    struct mt_backtrace *trace, const uint8_t *p, size_t *words, size_t *depth, size_t *last)
{
	int64_t *out = trace->frames + *depth;
	const int64_t *limit = trace->frames + trace->capacity;
	size_t left = *words, at = *last;

	for (; left > 0; left--) {
		uint32_t word = mt_load_16(p), predicted = word & 3;
		size_t bucket = word >> 2;
		trace->next[at] = (uint16_t)bucket;
		if (MT_RARE(predicted == 3)) {
			at = bucket;
			*out++ = trace->code[at] = mt_load_word(p + 2);
			p += MT_CODE_MAX;
			continue;
		}
		size_t one = trace->next[bucket];
		out[0] = trace->code[bucket];
		out[1] = trace->code[one];
		p += 2;
		if (predicted == 2)
			predicted = *p++;
		if (predicted < 2) {
			at = predicted != 0 ? one : bucket;
			out += 1 + predicted;
			continue;
		}
		if (MT_RARE(predicted > 2) && (size_t)(limit - out) < predicted + mt_backtrace_room(left)) {
			/* Back up: mt_backtrace_decode makes room and reads this word again. */
			p -= 3;
			break;
		}
		at = one;
		out += 2;
		do {
			at = trace->next[at];
			*out++ = trace->code[at];
		} while (--predicted > 1);
	}
	*words = left;
	*depth = (size_t)(out - trace->frames);
	*last = at;
	return p;
}

/*
 * Decode `words` code words at `p`, and store their codes after the first `base` codes of the previous
 * backtrace.  No byte at or beyond `end` is read.  `last` is the bucket of the preceding code, 0 at the
 * start.  Returns the byte after the words, or NULL with frames->status set.  *depth is set to the resulting
 * number of codes; trace->depth is not changed.
 */
const uint8_t *mt_backtrace_decode(struct mt_backtrace *trace, const uint8_t *p, const uint8_t *end,
    size_t words, size_t base, size_t last, size_t *depth, struct mt_frames *frames);

/* Skip `words` code words.  Returns the byte after them, or NULL when the data ends before. */
const uint8_t *mt_backtrace_skip(const uint8_t *p, const uint8_t *end, size_t words);

#endif
