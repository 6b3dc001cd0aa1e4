/*
 * backtrace.h - decode backtraces.
 *
 * A backtrace is written as the number of outermost codes it shares with the domain's previous one, and code
 * words for the rest.  A word names a bucket of a cache that both sides keep alike.  A bucket holds a location
 * code, and which bucket followed it last time.  The word's two low bits say what else: 0 nothing, 1 that the
 * next code is the one so predicted, 2 that the next N codes are (N in a byte), 3 that the bucket's code is
 * new and follows.  Bucket 0 also stands for the start of a backtrace.
 *
 * This is the reader's inner loop, so it is written to have few branches that can't be foreseen: the first
 * MT_PREDICTED predicted codes are always fetched, and as many kept as the word says.  And it is split in two, so
 * that what decodes the usual words needs so few variables that they stay in registers.
 */
#ifndef MEMTRACE_BACKTRACE_H
#define MEMTRACE_BACKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/bytes.h"
#include "memtrace/header.h"
#include "rtev/rtev.h"

/* For the copies of the inner loop, which are too large to be inlined by themselves. */
#define MT_INLINE static inline __attribute__((always_inline))

enum {
	MT_BUCKETS = 1 << 14,
	MT_PREDICTED = 2,
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

/* Make room for `want` codes.  False when there is none, with the reason in frames->status. */
bool mt_backtrace_reserve(struct mt_backtrace *trace, size_t want, struct mt_frames *frames);

/* Whether a packet's verifier agrees with the decoder. */
bool mt_backtrace_verify(const struct mt_backtrace *trace, const struct mt_verifier *verifier);

/* Free a decoder. */
void mt_backtrace_destroy(struct mt_backtrace *trace);

/* The room that `words` code words can need when none predicts more than MT_PREDICTED codes. */
static inline size_t mt_backtrace_room(size_t words)
{
	return (words + 1) * (MT_PREDICTED + 1);
}

/* The bytes that a code word takes, from the first of them. */
static inline unsigned mt_backtrace_word_size(unsigned byte)
{
	return (byte & 3) == 3 ? (unsigned)MT_CODE_MAX : 2 + (byte >> 1 & 1);
}

/*
 * Store the codes that a word at `out` predicts beyond the first MT_PREDICTED, `n` in all, and have room for
 * `words` words behind them.  *last is the bucket of the last predicted code that was stored, and then of the
 * last of all.  Returns where the next code goes, NULL as mt_backtrace_reserve.
 */
int64_t *mt_backtrace_follow(struct mt_backtrace *trace, const int64_t *out, size_t *last, size_t n,
    size_t words, struct mt_frames *frames);

/* Store the code of a bucket and of the MT_PREDICTED that follow it, of which the first n count.  Returns the bucket
 * of the last that counts. */
MT_INLINE size_t mt_backtrace_step(const struct mt_backtrace *trace, int64_t *out, size_t bucket, size_t n)
{
	/* Volatile keeps compilers from merging the stores into one, for which the load would wait. */
	volatile uint32_t path[MT_PREDICTED + 1];
	size_t one = trace->next[bucket], two = trace->next[one];

	path[0] = (uint32_t)bucket;
	path[1] = (uint32_t)one;
	path[2] = (uint32_t)two;
	out[0] = trace->code[bucket];
	out[1] = trace->code[one];
	out[2] = trace->code[two];
	return path[n];
}

/*
 * Decode the first of *words code words at `p`, up to one that has a new code or predicts more than MT_PREDICTED,
 * and store their codes from *top on, where there is room.  All words are known to be there, each as long as it
 * can be.  *last is the bucket of the code before *top, 0 at the start.  Returns the byte behind the words that were
 * decoded; *words is how many are left.
 */
MT_INLINE const uint8_t *mt_backtrace_usual(
    struct mt_backtrace *trace, const uint8_t *p, size_t *words, int64_t **top, size_t *last)
{
	for (; *words > 0; --*words) {
		unsigned word = mt_load_16(p), tag = word & 3, count = p[2];
		size_t n = tag == 2 ? count : tag; /* tag 3 is more than MT_PREDICTED, too */
		if (n > MT_PREDICTED)
			break;
		trace->next[*last] = (uint16_t)(word >> 2);
		*last = mt_backtrace_step(trace, *top, word >> 2, n);
		*top += n + 1;
		p += 2 + (tag >> 1);
	}
	return p;
}

/*
 * Decode `words` code words at `p` after the first `base` codes of the previous backtrace, for which there is
 * room.  `last` is the bucket of the code before them, 0 at the start.  With `checked`, no byte at `end` or beyond
 * is read; without, all words are known to lie before it.  Results as mt_backtrace_decode.
 */
MT_INLINE const uint8_t *mt_backtrace_words(struct mt_backtrace *trace, const uint8_t *p, const uint8_t *end,
    size_t words, size_t base, size_t last, size_t *depth, struct mt_frames *frames, bool checked)
{
	int64_t *out = trace->frames + base;

	while (words-- > 0) {
		if (checked && (end - p < 2 || (size_t)(end - p) < mt_backtrace_word_size(*p))) {
			frames->status = RTEV_E_MEMTRACE_UNDERFLOW;
			return NULL;
		}
		unsigned word = mt_load_16(p), tag = word & 3;
		size_t bucket = word >> 2;
		trace->next[last] = (uint16_t)bucket;
		if (tag == 3) {
			trace->code[bucket] = *out++ = mt_load_word(p + 2);
			last = bucket;
			p += MT_CODE_MAX;
			continue;
		}
		size_t n = tag == 2 ? p[2] : tag;
		p += 2 + (tag >> 1);
		if (n > MT_PREDICTED) {
			size_t far = mt_backtrace_step(trace, out, bucket, MT_PREDICTED);
			out = mt_backtrace_follow(trace, out, &far, n, words, frames);
			if (out == NULL)
				return NULL;
			last = far;
			continue;
		}
		last = mt_backtrace_step(trace, out, bucket, n);
		out += n + 1;
	}
	*depth = (size_t)(out - trace->frames);
	return p;
}

/*
 * Decode `words` code words at `p`, not beyond `end`, after the first `base` codes of the previous backtrace.
 * Returns the byte behind them, or NULL with frames->status set.  *depth is how many codes there are then;
 * they are not yet the previous backtrace.
 */
const uint8_t *mt_backtrace_decode(struct mt_backtrace *trace, const uint8_t *p, const uint8_t *end,
    size_t words, size_t base, size_t *depth, struct mt_frames *frames);

/* Step over `words` code words.  Returns the byte behind them, or NULL when the data end before. */
const uint8_t *mt_backtrace_skip(const uint8_t *p, const uint8_t *end, size_t words);

#endif
