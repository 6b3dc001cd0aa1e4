/*
 * write_backtrace.c - encode backtraces as code words.
 */
#include "memtrace/write_backtrace.h"

#include <string.h>

enum { VERIFY_FIRST = 4242, VERIFY_STEP = 5413, PREDICTED_MAX = 255 };

void mt_encoder_init(struct mt_encoder *encoder)
{
	memset(encoder, 0, sizeof(*encoder));
	encoder->verify = VERIFY_FIRST;
}

struct mt_verifier mt_encoder_verifier(struct mt_encoder *encoder)
{
	uint16_t bucket = encoder->verify;

	encoder->verify = (uint16_t)((bucket + VERIFY_STEP) & (MT_BUCKETS - 1));
	return (struct mt_verifier){bucket, encoder->next[bucket], encoder->code[bucket]};
}

/* A code can be in one of two buckets. */
static size_t first_bucket(int64_t code)
{
	return (uint64_t)code * 0x4983723u >> 11 & (MT_BUCKETS - 1);
}

static size_t second_bucket(int64_t code)
{
	return (uint64_t)code * 0xfdea731u >> 21 & (MT_BUCKETS - 1);
}

/* Write the word for a cached code that is followed by `n` predicted codes. */
static uint8_t *put_hit(uint8_t *p, size_t bucket, unsigned n)
{
	mt_store_16(p, (uint16_t)(bucket << 2 | (n < 2 ? n : 2)));
	if (n < 2)
		return p + 2;
	p[2] = (uint8_t)n;
	return p + 3;
}

/* Store a code in the less recently used of its two buckets, and return that bucket. */
static size_t replace(struct mt_encoder *encoder, int64_t code)
{
	size_t a = first_bucket(code), b = second_bucket(code);
	size_t bucket = encoder->used[a] < encoder->used[b] ? a : b;

	encoder->code[bucket] = code;
	return bucket;
}

/* Return the bucket that holds a code, or MT_BUCKETS when it is not in the cache. */
static size_t find(const struct mt_encoder *encoder, int64_t code)
{
	size_t bucket = first_bucket(code);

	if (encoder->code[bucket] == code)
		return bucket;
	bucket = second_bucket(code);
	return encoder->code[bucket] == code ? bucket : MT_BUCKETS;
}

uint8_t *mt_encoder_put(struct mt_encoder *encoder, uint8_t *p, const int64_t *codes, size_t from, size_t to,
    int64_t object, const struct mt_miss *miss, size_t *words)
{
	const uint8_t *limit = p + MT_BACKTRACE_BYTES - MT_CODE_MAX;
	size_t i = from, last = 0, forced = MT_BUCKETS;

	*words = 0;
	/* `forced` is the bucket of a predicted code that exceeded PREDICTED_MAX, and starts the next
	 * word. */
	while (i < to && (forced < MT_BUCKETS || p <= limit)) {
		size_t bucket = forced < MT_BUCKETS ? forced : find(encoder, codes[i]);
		bool missed = bucket == MT_BUCKETS;
		if (missed) {
			miss->missed(miss->ctx, i);
			bucket = replace(encoder, codes[i]);
		}
		forced = MT_BUCKETS;
		encoder->used[bucket] = object;
		encoder->next[last] = (uint16_t)bucket;
		last = bucket;
		++*words;
		if (missed) {
			mt_store_16(p, (uint16_t)(bucket << 2 | 3));
			mt_store_64(p + 2, (uint64_t)codes[i++]);
			p += MT_CODE_MAX;
			continue;
		}
		unsigned n = 0;
		for (i++; i < to && p + 2 <= limit; i++, n++) {
			size_t predicted = encoder->next[last];
			if (encoder->code[predicted] != codes[i])
				break;
			if (n == PREDICTED_MAX) {
				forced = predicted;
				break;
			}
			last = predicted;
		}
		p = put_hit(p, bucket, n);
	}
	return p;
}
