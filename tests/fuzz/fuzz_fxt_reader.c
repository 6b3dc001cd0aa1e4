/*
 * fuzz_fxt_reader.c - any bytes at all: the reader ends, stays inside them, and hands out only what lies
 * inside them or its tables.  The bytes are read as they are, and again behind a magic word and some tables,
 * strictly and leniently, so that records are reached at once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fxt/format.h"
#include "rtev/fxt_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Keeps the compiler from leaving out the reads. */
static volatile unsigned char taken;

/* Read every byte of a text. */
static void touch(const struct rtev_fxt_text *text)
{
	for (uint32_t i = 0; i < text->len; i++)
		taken = (unsigned char)text->data[i];
}

/* Read every byte of arguments. */
static void touch_args(const struct rtev_fxt_args_read *args)
{
	if (args->count > RTEV_FXT_EVENT_ARGS_MAX)
		abort();
	for (unsigned i = 0; i < args->count; i++) {
		touch(&args->list[i].name);
		if (args->list[i].type == RTEV_FXT_TYPE_STRING || args->list[i].type == RTEV_FXT_TYPE_BLOB)
			touch(&args->list[i].value.text);
	}
}

/* Read every byte that a record hands out. */
static void touch_record(const struct rtev_fxt_record *record)
{
	const unsigned char *bytes = record->bytes;
	for (size_t i = 0; i < record->size; i++)
		taken = bytes[i];
	switch (record->kind) {
	case RTEV_FXT_PROVIDER_INFO:
	case RTEV_FXT_PROVIDER_SECTION:
	case RTEV_FXT_PROVIDER_EVENT:
		touch(&record->u.provider.name);
		break;
	case RTEV_FXT_STRING_RECORD:
		touch(&record->u.string);
		break;
	case RTEV_FXT_EVENT:
		touch(&record->u.event.category);
		touch(&record->u.event.name);
		touch_args(&record->u.event.args);
		break;
	case RTEV_FXT_BLOB:
	case RTEV_FXT_LARGE_BLOB:
		touch(&record->u.blob.category);
		touch(&record->u.blob.name);
		touch_args(&record->u.blob.args);
		for (uint64_t i = 0; i < record->u.blob.size; i++)
			taken = ((const unsigned char *)record->u.blob.data)[i];
		break;
	case RTEV_FXT_USER_OBJECT:
	case RTEV_FXT_KERNEL_OBJECT:
		touch(&record->u.object.name);
		touch_args(&record->u.object.args);
		break;
	case RTEV_FXT_SCHEDULING:
		touch_args(&record->u.scheduling.args);
		break;
	case RTEV_FXT_LOG:
		touch(&record->u.log.message);
		break;
	case RTEV_FXT_MAGIC:
	case RTEV_FXT_TICKS:
	case RTEV_FXT_THREAD_RECORD:
		break;
	}
}

/* Read a trace to its end or fault. */
static void walk(const uint8_t *data, size_t size, bool lenient)
{
	const struct rtev_fxt_reader_options options = {
	    .size = sizeof(options), .allow_base = lenient, .allow_bytes = lenient};
	struct rtev_fxt_reader *reader;
	const struct rtev_fxt_record *record;
	uint64_t end = 0, offset;
	const char *reason;
	int status;
	if (rtev_fxt_reader_open_memory(&reader, data, size, &options) != RTEV_OK)
		return;
	while ((status = rtev_fxt_reader_next(reader, &record)) == RTEV_OK && record != NULL) {
		if (record->offset != end || record->size < 8 || record->size > size - end)
			abort();
		end += record->size;
		touch_record(record);
	}
	rtev_fxt_reader_fault(reader, &offset, &reason);
	/* The fault begins where the last good record ended; without one the trace was read whole. */
	if (offset != end || (status == RTEV_OK) != (reason == NULL) || (status == RTEV_OK && end != size))
		abort();
	rtev_fxt_reader_destroy(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t tables[] = {UINT64_C(0x0016547846040010),
	    /* strings 1 "process", 2 "ab"; threads 1 and 2 */
	    0x700010022, 0x737365636f7270, 0x200020022, 0x6261, 0x10033, 1, 2, 0x20033, 3, 4};
	uint8_t *copy = malloc(sizeof(tables) + size);
	if (copy == NULL)
		return 0;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		fxt_store(copy + i * 8, tables[i]);
	if (size > 0)
		memcpy(copy + sizeof(tables), data, size);
	walk(copy + sizeof(tables), size, true);
	walk(copy, sizeof(tables) + size, false);
	walk(copy, sizeof(tables) + size, true);
	free(copy);
	return 0;
}
