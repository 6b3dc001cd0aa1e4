/*
 * write_encode.c - encode backtraces as code words, and locations.
 */
#include "memtrace/write.h"

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

/* ---- locations ---- */

enum { HEAD_SIZE = 9, LOCATION_SIZE = 6, LIST_MAX = 255 };

void mt_places_fini(struct mt_places *places)
{
	mt_recent_fini(&places->recent);
	mt_texts_fini(&places->texts);
}

/* Return a value for a field of `bits` bits; one that does not fit becomes the largest that does. */
static uint64_t clamp(int32_t value, unsigned bits)
{
	int32_t limit = (int32_t)((1u << bits) - 1);

	return (uint64_t)(value < 0 || value > limit ? limit : value);
}

/* Write a string with its NUL. */
static uint8_t *put_text(uint8_t *p, const char *text)
{
	size_t size = strlen(text) + 1;

	memcpy(p, text, size);
	return p + size;
}

/* Write one location.  Returns the byte after it, or NULL when memory runs out. */
static uint8_t *put_location(
    struct mt_places *places, uint8_t *p, const struct rtev_memtrace_location *location)
{
	const char *file = mt_texts_intern(&places->texts, location->filename, strlen(location->filename));
	const char *defname = mt_texts_intern(&places->texts, location->defname, strlen(location->defname));
	unsigned file_place = 0, defname_place = 0;

	if (file == NULL || defname == NULL)
		return NULL;
	while (file_place < MT_RECENT && places->recent.files[file_place].name != file)
		file_place++;
	if (mt_recent_use_file(&places->recent, file_place, file) != RTEV_OK)
		return NULL;
	struct mt_recent_names *names = places->recent.files[0].defnames;
	if (file_place == MT_RECENT)
		memset(names, 0, sizeof(*names));
	while (defname_place < MT_RECENT && names->names[defname_place] != defname)
		defname_place++;
	mt_recent_use_name(names, defname_place, defname);
	uint64_t word = defname_place;
	word = word << MT_PLACE_BITS | file_place;
	word = word << MT_END_BITS | clamp(location->end_char, MT_END_BITS);
	word = word << MT_START_BITS | clamp(location->start_char, MT_START_BITS);
	word = word << MT_LINE_BITS | clamp(location->line, MT_LINE_BITS);
	mt_store_32(p, (uint32_t)word);
	mt_store_16(p + 4, (uint16_t)(word >> 32));
	p += LOCATION_SIZE;
	if (file_place == MT_RECENT)
		p = put_text(p, file);
	return defname_place == MT_RECENT ? put_text(p, defname) : p;
}

/* Check that a list fits into an event even if all its names are new. */
static int fits(const struct rtev_memtrace_location *list, size_t count)
{
	size_t size = HEAD_SIZE;

	if (count > LIST_MAX)
		return 0;
	for (size_t i = 0; i < count && size <= MT_LOCATION_BYTES; i++)
		size += LOCATION_SIZE + strlen(list[i].filename) + 1 + strlen(list[i].defname) + 1;
	return size <= MT_LOCATION_BYTES;
}

uint8_t *mt_places_put(struct mt_places *places, uint8_t *p, int64_t code,
    const struct rtev_memtrace_location *list, size_t count)
{
	static const struct rtev_memtrace_location unknown = {
	    .filename = "<unknown>", .defname = "??", .line = 1, .start_char = 1, .end_char = 1};

	if (!fits(list, count)) {
		list = &unknown;
		count = 1;
	}
	mt_store_64(p, (uint64_t)code);
	p[8] = (uint8_t)count;
	p += HEAD_SIZE;
	for (size_t i = 0; i < count && p != NULL; i++)
		p = put_location(places, p, &list[i]);
	return p;
}
