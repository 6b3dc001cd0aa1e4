/*
 * reader.h - the inside of a trace reader.
 *
 * reader.c frames: it finds each record's first byte and size and has all its bytes at hand.  decode.c says
 * what the bytes mean, with the state of the provider whose section the record stands in.
 */
#ifndef FXT_READER_H
#define FXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fxt/texts.h"
#include "rtev/fxt_reader.h"

#define FXT_PROVIDERS_MAX 128 /* each may fill a string table of 512 KiB by naming a high id */

/* What the records of one provider have defined. */
struct fxt_provider {
	uint32_t id;
	char name[RTEV_FXT_PROVIDER_BYTES_MAX];
	uint8_t name_len;
	struct fxt_texts strings;
	struct rtev_fxt_thread_ids threads[RTEV_FXT_THREAD_SLOTS + 1];
	bool thread_known[RTEV_FXT_THREAD_SLOTS + 1];
};

struct rtev_fxt_reader {
	bool allow_base;
	bool allow_bytes;

	/* The input at hand: `size` bytes, of which those before `at` are done with.  On memory it is the whole
	 * trace and never moves; on a descriptor it is the buffer, filled so far. */
	const unsigned char *data;
	size_t size;
	size_t at;
	uint64_t base; /* offset in the trace of data[0] */
	int fd;	       /* -1 on memory */
	unsigned char *buffer;
	size_t capacity;
	bool exhausted;

	bool started; /* the magic word was seen */
	struct fxt_provider *providers[FXT_PROVIDERS_MAX];
	unsigned provider_count;
	struct fxt_provider *provider; /* whose section it is */

	int status; /* of the fault, RTEV_OK before */
	const char *reason;

	struct rtev_fxt_record record;
	struct rtev_fxt_arg args[RTEV_FXT_EVENT_ARGS_MAX];
};

/* Note a fault of the current record; always returns false. */
bool fxt_fault(struct rtev_fxt_reader *reader, int status, const char *reason);

/* Make the provider with this id the one whose section it is. */
bool fxt_enter_provider(struct rtev_fxt_reader *reader, uint32_t id);

/* Decode the record whose bytes, size and offset stand in reader->record, and let it change the state. */
bool fxt_decode(struct rtev_fxt_reader *reader);

#endif
