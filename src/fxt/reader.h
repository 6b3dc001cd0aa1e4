/*
 * reader.h - internals of the reader.  reader.c finds the boundaries of a record and makes all its bytes
 * available.  decode.c decodes them, using the state of the provider in whose section the record is.
 */
#pragma once

#include "fxt/format.h"
#include "rtev/fxt_reader.h"

#define FXT_PROVIDERS_MAX 128 /* each may allocate a string table of 512 KiB by defining a high id */

/* What a provider's records have defined. */
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

	/* The input: `size` bytes, of which those before `at` have been used.  In memory, `data` is the whole
	 * trace; of a descriptor, what the buffer holds. */
	const unsigned char *data;
	size_t size;
	size_t at;
	uint64_t base; /* offset of data[0] in the trace */
	int fd;	       /* -1: memory */
	unsigned char *buffer;
	size_t capacity;
	bool exhausted;

	bool started; /* the magic number has been read */
	struct fxt_provider *providers[FXT_PROVIDERS_MAX];
	unsigned provider_count;
	struct fxt_provider *provider; /* of the current section */

	int status; /* of the fault, or RTEV_OK */
	const char *reason;

	struct rtev_fxt_record record;
	struct rtev_fxt_arg args[RTEV_FXT_EVENT_ARGS_MAX];
};

/* Report a fault of the current record.  Returns false. */
bool fxt_fault(struct rtev_fxt_reader *reader, int status, const char *reason);

/* Switch to the provider with this id. */
bool fxt_enter_provider(struct rtev_fxt_reader *reader, uint32_t id);

/* Decode reader->record, whose bytes, size and offset are set, and update the provider. */
bool fxt_decode(struct rtev_fxt_reader *reader);
