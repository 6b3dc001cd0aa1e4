/*
 * read_backtrace.c - decode backtraces: the functions outside the inner loop.
 */
#include "memtrace/read_backtrace.h"

#include <stdlib.h>

enum { FRAMES_FIRST = 256 };

/* Make room for `want` codes.  Returns false and sets frames->status on failure. */
static bool reserve(struct mt_backtrace *trace, size_t want, struct mt_frames *frames)
{
	size_t capacity = trace->capacity;

	if (want <= capacity)
		return true;
	capacity = want > capacity * 2 ? want : capacity * 2;
	if (capacity < FRAMES_FIRST)
		capacity = FRAMES_FIRST;
	/* Near the limit, take all that is left at once; small steps would copy the codes each time. */
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

const uint8_t *mt_backtrace_decode(struct mt_backtrace *trace, const uint8_t *p, const uint8_t *end,
    size_t words, size_t base, size_t last, size_t *depth, struct mt_frames *frames)
{
	if (!reserve(trace, base + mt_backtrace_room(words), frames))
		return NULL;
	for (; words > 0; words--) {
		if (end - p < 2 || (size_t)(end - p) < mt_backtrace_word_size(*p)) {
			frames->status = RTEV_E_MEMTRACE_UNDERFLOW;
			return NULL;
		}
		unsigned word = mt_load_16(p), tag = word & 3;
		size_t bucket = word >> 2, predicted = tag == 3 ? 0 : tag == 2 ? p[2] : tag;
		if (tag == 3)
			trace->code[bucket] = mt_load_word(p + 2);
		if (predicted > 2 && !reserve(trace, base + predicted + mt_backtrace_room(words), frames))
			return NULL;
		trace->next[last] = (uint16_t)bucket;
		last = bucket;
		trace->frames[base++] = trace->code[last];
		for (; predicted > 0; predicted--) {
			last = trace->next[last];
			trace->frames[base++] = trace->code[last];
		}
		p += mt_backtrace_word_size((uint8_t)word);
	}
	*depth = base;
	return p;
}

const uint8_t *mt_backtrace_skip(const uint8_t *p, const uint8_t *end, size_t words)
{
	while (words-- > 0) {
		if (end - p < 2 || (size_t)(end - p) < mt_backtrace_word_size(*p))
			return NULL;
		p += mt_backtrace_word_size(*p);
	}
	return p;
}

bool mt_backtrace_verify(const struct mt_backtrace *trace, const struct mt_verifier *verifier)
{
	unsigned bucket = verifier->bucket;

	if (bucket == MT_NO_VERIFIER)
		return true;
	return bucket < MT_BUCKETS && trace->next[bucket] == verifier->next &&
	       trace->code[bucket] == verifier->code;
}

void mt_backtrace_destroy(struct mt_backtrace *trace)
{
	if (trace != NULL)
		free(trace->frames);
	free(trace);
}
