/*
 * format.h - constants of the Fuchsia trace format and a table of texts by string id, for writer and reader.
 *
 * The first word of a record has its type in bits 0 to 3 and its size in words, including this one, in bits 4
 * to 15; of a large record (type 15) in bits 4 to 35.  Byte strings are padded with zeros to whole words.
 */
#pragma once

#include "core/std.h"

#define FXT_MAGIC UINT64_C(0x0016547846040010)

enum fxt_record_type {
	FXT_METADATA = 0,
	FXT_INITIALIZATION = 1,
	FXT_STRING = 2,
	FXT_THREAD = 3,
	FXT_EVENT = 4,
	FXT_BLOB = 5,
	FXT_USER_OBJECT = 6,
	FXT_KERNEL_OBJECT = 7,
	FXT_SCHEDULING = 8,
	FXT_LOG = 9,
	FXT_LARGE = 15
};

enum fxt_metadata_type {
	FXT_PROVIDER_INFO = 1,
	FXT_PROVIDER_SECTION = 2,
	FXT_PROVIDER_EVENT = 3,
	FXT_TRACE_INFO = 4
};

/* marks a reference to an inline string */
#define FXT_INLINE_MARK 0x8000u

/* Words that len bytes take. */
static inline size_t fxt_words_for(size_t len)
{
	return len / 8 + (len % 8 != 0);
}

/* Load a word of a trace. */
static inline uint64_t fxt_load(const unsigned char *at)
{
	uint64_t word;
	memcpy(&word, at, sizeof(word));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Store a word of a trace. */
static inline void fxt_store(unsigned char *at, uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	memcpy(at, &word, sizeof(word));
}

/* Bits first to last of a word. */
static inline uint64_t fxt_bits(uint64_t word, unsigned first, unsigned last)
{
	return word >> first & (UINT64_MAX >> (63 - (last - first)));
}

/* Size of a record in words; 0 is invalid. */
static inline uint64_t fxt_record_words(uint64_t header)
{
	return fxt_bits(header, 4, fxt_bits(header, 0, 3) == FXT_LARGE ? 35 : 15);
}

/* Length of the sequence of whole records at the start of `size` bytes. */
static inline size_t fxt_whole_records(const unsigned char *data, size_t size)
{
	size_t done = 0;
	while (size - done >= 8) {
		uint64_t words = fxt_record_words(fxt_load(data + done));
		if (words == 0 || words > (size - done) / 8)
			break;
		done += (size_t)words * 8;
	}
	return done;
}

struct fxt_text_entry {
	char *data; /* NUL-terminated; NULL: none */
	uint32_t len;
};

/* Empty if all zeros. */
struct fxt_texts {
	struct fxt_text_entry *entries;
	size_t count;
};

/* Store a copy of a text under an id, 1 to RTEV_FXT_STRING_ID_MAX, in place of an earlier one.  Returns
 * RTEV_OK or RTEV_E_NOMEM. */
int fxt_texts_set(struct fxt_texts *texts, uint32_t id, const char *data, size_t len);

/* Text of an id, or NULL. */
const struct fxt_text_entry *fxt_texts_get(const struct fxt_texts *texts, uint32_t id);

/* Free all texts and leave the table empty. */
void fxt_texts_fini(struct fxt_texts *texts);
