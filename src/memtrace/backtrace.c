/*
 * backtrace.c - the parts of decoding that are seldom needed.
 */
#include "memtrace/backtrace.h"

#include <stdlib.h>

enum { FRAMES_FIRST = 256 };

/* Enlarge the array of codes. */
bool mt_backtrace_reserve(struct mt_backtrace *trace, size_t want, struct mt_frames *frames)
{
	size_t capacity = trace->capacity;

	if (want <= capacity)
		return true;
	capacity = want > capacity * 2 ? want : capacity * 2;
	if (capacity < FRAMES_FIRST)
		capacity = FRAMES_FIRST;
	/* All that is left at once rather than ever so little, which would be copied each time. */
	if (capacity - trace->capacity > frames->left)
		capacity = trace->capacity + frames->left;
	frames->status = RTEV_E_NOMEM;
	if (want > capacity)
		return false;
	int64_t *grown = realloc(trace->frames, capacity * sizeof(*grown));
	if (grown == NULL)
		return false;
	frames->left -= capacity - trace->capacity;
	trace->frames = grown;
	trace->capacity = capacity;
	return true;
}

/* Walk along a long prediction. */
int64_t *mt_backtrace_follow(struct mt_backtrace *trace, const int64_t *out, size_t *last, size_t n,
    size_t words, struct mt_frames *frames)
{
	size_t done = (size_t)(out - trace->frames), bucket = *last;

	if (!mt_backtrace_reserve(trace, done + n + 1 + mt_backtrace_room(words), frames))
		return NULL;
	int64_t *place = trace->frames + done;
	for (size_t i = MT_PREDICTED + 1; i <= n; i++) {
		bucket = trace->next[bucket];
		place[i] = trace->code[bucket];
	}
	*last = bucket;
	return place + n + 1;
}

/* Decode code words wherever they stand. */
const uint8_t *mt_backtrace_decode(struct mt_backtrace *trace, const uint8_t *p, const uint8_t *end,
    size_t words, size_t base, size_t *depth, struct mt_frames *frames)
{
	size_t want = base + mt_backtrace_room(words);

	if (want > trace->capacity && !mt_backtrace_reserve(trace, want, frames))
		return NULL;
	if ((size_t)(end - p) >= words * MT_CODE_MAX)
		return mt_backtrace_words(trace, p, end, words, base, 0, depth, frames, false);
	return mt_backtrace_words(trace, p, end, words, base, 0, depth, frames, true);
}

/* Step over code words. */
const uint8_t *mt_backtrace_skip(const uint8_t *p, const uint8_t *end, size_t words)
{
	while (words-- > 0) {
		if (end - p < 2 || (size_t)(end - p) < mt_backtrace_word_size(*p))
			return NULL;
		p += mt_backtrace_word_size(*p);
	}
	return p;
}

/* Compare a cache entry with the writer's. */
bool mt_backtrace_verify(const struct mt_backtrace *trace, const struct mt_verifier *verifier)
{
	unsigned bucket = verifier->bucket;

	if (bucket == MT_NO_VERIFIER)
		return true;
	return bucket < MT_BUCKETS && trace->next[bucket] == verifier->next &&
	       trace->code[bucket] == verifier->code;
}

/* Free a decoder. */
void mt_backtrace_destroy(struct mt_backtrace *trace)
{
	if (trace != NULL)
		free(trace->frames);
	free(trace);
}
