/*
 * read_backtrace.h - decode backtraces.
 *
 * A backtrace is written as the number of outermost codes it shares with the domain's previous one, and code
 * words for the rest.  A word names a bucket of a cache that both sides keep alike.  A bucket holds a location
 * code, and which bucket followed it last time.  The word's two low bits say what else: 0 nothing, 1 that the
 * next code is the one so predicted, 2 that the next N codes are (N in a byte), 3 that the bucket's code is
 * new and follows.  Bucket 0 also stands for the start of a backtrace.
 *
 * This is the reader's inner loop.  A branch that can't be foreseen costs as much as a dozen instructions that
 * could be left out, so a first predicted code is always fetched, and counts if the word says so.  And what decodes the
 * usual words stands apart, so that it needs few variables, which stay in registers.
 */
#ifndef MEMTRACE_READ_BACKTRACE_H
#define MEMTRACE_READ_BACKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/bytes.h"
#include "memtrace/header.h"
#include "rtev/rtev.h"

/* For the copies of the inner loop, which are too large to be inlined by themselves. */
#define MT_INLINE static inline __attribute__((always_inline))

/* For conditions that seldom hold, or mostly: compilers then keep the usual way straight. */
#define MT_RARE(condition) __builtin_expect((condition), 0)
#define MT_USUAL(condition) __builtin_expect((condition), 1)

enum {
	MT_BUCKETS = 1 << 14,
	MT_CODE_MAX = 10,	/* bytes of the longest code word, its new code included */
	MT_FRAMES_MAX = 1 << 24 /* codes that a reader keeps for all domains together */
};

/* The decoder of one domain.  All zeros at first. */
struct mt_backtrace {
	uint16_t next[MT_BUCKETS];
	int64_t code[MT_BUCKETS];
	int64_t *frames; /* the previous backtrace, outermost first, and room behind it */
	size_t depth;	 /* of the previous backtrace */
	size_t capacity; /* codes that fit */
};

/* What is left of MT_FRAMES_MAX, and why decoding stopped. */
struct mt_frames {
	size_t left;
	int status;
};

/* Whether a packet's verifier agrees with the decoder. */
bool mt_backtrace_verify(const struct mt_backtrace *trace, const struct mt_verifier *verifier);

/* Free a decoder. */
void mt_backtrace_destroy(struct mt_backtrace *trace);

/* The room that `words` code words need when none predicts more than two codes. */
static inline size_t mt_backtrace_room(size_t words)
{
	return (words + 1) * 3;
}

/* The bytes that a code word takes, from the first of them. */
static inline unsigned mt_backtrace_word_size(unsigned byte)
{
	return (byte & 3) == 3 ? (unsigned)MT_CODE_MAX : 2 + (byte >> 1 & 1);
}

/*
 * Decode the first of *words code words at `p`, up to one that predicts more codes than there is room for, and store
 * their codes from trace->frames[*depth] on, where mt_backtrace_room(*words) fit.  All words are known to be there,
 * each as long as it can be.  *last is the bucket of the code before, 0 at the start.  Returns the byte behind the
 * words that were decoded; *words is how many are left.
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
			/* Who makes room reads the word again. */
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
 * Decode `words` code words at `p`, of which no byte at `end` or beyond is read, after the first `base` codes of the
 * previous backtrace.  `last` is the bucket of the code before them, 0 at the start.  Returns the byte behind them,
 * or NULL with frames->status set.  *depth is how many codes there are then; they are not yet the previous
 * backtrace.
 */
const uint8_t *mt_backtrace_decode(struct mt_backtrace *trace, const uint8_t *p, const uint8_t *end,
    size_t words, size_t base, size_t last, size_t *depth, struct mt_frames *frames);

/* Step over `words` code words.  Returns the byte behind them, or NULL when the data end before. */
const uint8_t *mt_backtrace_skip(const uint8_t *p, const uint8_t *end, size_t words);

#endif
