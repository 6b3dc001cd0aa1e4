/*
 * test_sized.c - every public struct that a caller hands in says how large it is: a size that makes no sense
 * is refused, that of an older library is taken, that of a newer one refused where the library would have to
 * know what it means.
 */
#include <string.h>

#include "rtev/cursor.h"
#include "rtev/fxt.h"
#include "rtev/fxt_reader.h"
#include "rtev/memtrace.h"
#include "rtev/producer.h"
#include "support/ring_image.h"
#include "support/test.h"

static struct ring_image *image;
static unsigned char memory[1 << 16];
static size_t used;

/* A small trace of either kind, to be read. */
static unsigned char fxt_trace[1 << 12], memtrace_trace[1 << 12];
static size_t fxt_size, memtrace_size;

static const struct rtev_memtrace_info info = {
    .size = sizeof(info), .sample_rate = 0.5, .word_size = 64, .pid = 1};

/* Collect packets. */
static int keep_packet(void *ctx, const void *data, size_t size)
{
	CHECK(size <= sizeof(memtrace_trace) - memtrace_size);
	memcpy(memtrace_trace + memtrace_size, data, size);
	memtrace_size += size;
	return RTEV_OK;
}

/* Drop packets. */
static int drop_packet(void *ctx, const void *data, size_t size)
{
	return RTEV_OK;
}

static const struct rtev_memtrace_sink nowhere = {sizeof(nowhere), drop_packet, NULL};

/* ---- one function a struct: hand it in and return what the library says ---- */

static struct rtev_cursor *open_image(void)
{
	return image_open(image, RTEV_RELEASE_5_3);
}

static int take_callbacks(void *given)
{
	struct rtev_cursor *cursor = open_image();
	int status = rtev_cursor_poll(cursor, given, NULL, 0, NULL);
	image_close(image);
	return status;
}

static int take_cursor_options(void *given)
{
	struct rtev_cursor *cursor;
	int status = rtev_cursor_open_memory(&cursor, image->base, image->size, given);
	rtev_cursor_close(cursor);
	return status;
}

static int give_ring_info(void *given)
{
	struct rtev_cursor *cursor = open_image();
	int status = rtev_cursor_info(cursor, given);
	image_close(image);
	return status;
}

static int give_scan(void *given)
{
	struct rtev_cursor *cursor = open_image();
	int status = rtev_cursor_scan(cursor, NULL, NULL, given);
	image_close(image);
	return status;
}

static int take_producer_options(void *given)
{
	struct rtev_producer *producer = NULL;
	int status = rtev_producer_create(&producer, given);
	rtev_producer_destroy(producer);
	return status;
}

static struct rtev_fxt_writer *make_writer(const struct rtev_fxt_writer_options *options, int *status)
{
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_writer *writer = NULL;
	CHECK_INT(rtev_fxt_memory_create(&destination, memory, sizeof(memory), &used), RTEV_OK);
	*status = rtev_fxt_writer_create(&writer, destination, options);
	if (*status != RTEV_OK)
		rtev_fxt_destination_close(destination);
	return writer;
}

static int take_fxt_options(void *given)
{
	int status;
	rtev_fxt_writer_destroy(make_writer(given, &status));
	return status;
}

static int take_fxt_ticks(void *given)
{
	int status;
	struct rtev_fxt_writer *writer = make_writer(NULL, &status);
	status = rtev_fxt_write_ticks(writer, given);
	rtev_fxt_writer_destroy(writer);
	return status;
}

static int give_fxt_ticks(void *given)
{
	return rtev_fxt_calibrate(given, NULL, NULL, 1000);
}

static int nothing_next(struct rtev_fxt_destination *self, size_t need, void **data, size_t *size)
{
	*data = memory;
	*size = sizeof(memory);
	return RTEV_OK;
}

static int nothing_take(struct rtev_fxt_destination *self, size_t taken)
{
	return RTEV_OK;
}

static int nothing_close(struct rtev_fxt_destination *self)
{
	return RTEV_OK;
}

static int take_fxt_destination(void *given)
{
	struct rtev_fxt_destination *destination = given, *old;
	struct rtev_fxt_writer *writer = NULL;
	int status = rtev_fxt_writer_create(&writer, destination, NULL), again;

	rtev_fxt_writer_destroy(writer);
	writer = make_writer(NULL, &again);
	again = rtev_fxt_writer_set_destination(writer, destination, &old);
	CHECK_INT(again, status);
	if (again == RTEV_OK)
		rtev_fxt_destination_close(old);
	rtev_fxt_writer_destroy(writer);
	CHECK_INT(rtev_fxt_destination_close(destination), status);
	return status;
}

static int take_fxt_reader_options(void *given)
{
	struct rtev_fxt_reader *reader = NULL;
	int status = rtev_fxt_reader_open_memory(&reader, fxt_trace, fxt_size, given);
	rtev_fxt_reader_destroy(reader);
	return status;
}

static struct rtev_memtrace_reader *open_memtrace(const struct rtev_memtrace_options *options, int *status)
{
	struct rtev_memtrace_reader *reader;
	*status = rtev_memtrace_open_memory(&reader, memtrace_trace, memtrace_size, options);
	return reader;
}

static int take_memtrace_options(void *given)
{
	int status;
	rtev_memtrace_close(open_memtrace(given, &status));
	return status;
}

static int give_memtrace_fault(void *given)
{
	int status, opened;
	struct rtev_memtrace_reader *reader = open_memtrace(NULL, &status);
	status = rtev_memtrace_fault(reader, given);
	rtev_memtrace_close(reader);
	/* And when opening fails. */
	const struct rtev_memtrace_options options = {.size = sizeof(options), .fault = given};
	opened = rtev_memtrace_open_memory(&reader, "no trace", 8, &options);
	CHECK_INT(opened == RTEV_E_INVALID, status == RTEV_E_INVALID);
	CHECK(opened != RTEV_OK && reader == NULL);
	return status;
}

static int take_memtrace_sink(void *given)
{
	struct rtev_memtrace_writer *writer = NULL;
	int status = rtev_memtrace_writer_create(&writer, given, &info, NULL);
	rtev_memtrace_writer_destroy(writer);
	return status;
}

static int take_memtrace_info(void *given)
{
	struct rtev_memtrace_writer *writer = NULL;
	struct rtev_memtrace_mux *mux = NULL;
	int status = rtev_memtrace_writer_create(&writer, &nowhere, given, NULL);
	rtev_memtrace_writer_destroy(writer);
	CHECK_INT(rtev_memtrace_mux_create(&mux, &nowhere, given, NULL), status);
	rtev_memtrace_mux_destroy(mux);
	return status;
}

static int take_memtrace_writer_options(void *given)
{
	struct rtev_memtrace_writer *writer = NULL;
	int status = rtev_memtrace_writer_create(&writer, &nowhere, &info, given);
	rtev_memtrace_writer_destroy(writer);
	return status;
}

static int take_memtrace_alloc(void *given)
{
	struct rtev_memtrace_writer *writer = NULL;
	CHECK_INT(rtev_memtrace_writer_create(&writer, &nowhere, &info, NULL), RTEV_OK);
	int status = rtev_memtrace_put_alloc(writer, 1, given, NULL);
	rtev_memtrace_writer_destroy(writer);
	return status;
}

static int take_memtrace_event(void *given)
{
	struct rtev_memtrace_mux *mux = NULL;
	char line[256];
	size_t length;
	int opened;
	CHECK_INT(rtev_memtrace_mux_create(&mux, &nowhere, &info, NULL), RTEV_OK);
	int status = rtev_memtrace_mux_put_event(mux, 1, given);
	rtev_memtrace_mux_destroy(mux);
	struct rtev_memtrace_reader *reader = open_memtrace(NULL, &opened);
	CHECK_INT(
	    rtev_memtrace_format_event(reader, given, true, line, sizeof(line), &length) == RTEV_E_INVALID,
	    status == RTEV_E_INVALID);
	rtev_memtrace_close(reader);
	return status;
}

/* ---- the structs ---- */

enum use {
	TAKEN, /* read; all members but the size may be missing */
	NEEDS, /* read; it lacks what it needs if members are missing */
	GIVEN  /* filled in */
};

static const struct {
	const char *name;
	size_t size;
	enum use use;
	int (*hand_in)(void *given);
	const void *whole; /* NULL: zeros will do */
} structs[] = {
#define STRUCT(name, use, hand_in, whole)                                                                    \
	{                                                                                                    \
#name, sizeof(struct name), use, hand_in, whole                                              \
	}
    STRUCT(rtev_callbacks, TAKEN, take_callbacks, NULL),
    STRUCT(rtev_cursor_options, TAKEN, take_cursor_options, NULL),
    STRUCT(rtev_ring_info, GIVEN, give_ring_info, NULL),
    STRUCT(rtev_scan, GIVEN, give_scan, NULL),
    STRUCT(rtev_producer_options, TAKEN, take_producer_options, NULL),
    STRUCT(rtev_fxt_writer_options, TAKEN, take_fxt_options, NULL),
    STRUCT(rtev_fxt_ticks, NEEDS, take_fxt_ticks, (&(struct rtev_fxt_ticks){.per_second = 1})),
    STRUCT(rtev_fxt_ticks, GIVEN, give_fxt_ticks, NULL),
    STRUCT(rtev_fxt_destination, NEEDS, take_fxt_destination,
	(&(struct rtev_fxt_destination){.next = nothing_next, .take = nothing_take, .close = nothing_close})),
    STRUCT(rtev_fxt_reader_options, TAKEN, take_fxt_reader_options, NULL),
    STRUCT(rtev_memtrace_options, TAKEN, take_memtrace_options, NULL),
    STRUCT(rtev_memtrace_fault, GIVEN, give_memtrace_fault, NULL),
    STRUCT(
	rtev_memtrace_sink, NEEDS, take_memtrace_sink, (&(struct rtev_memtrace_sink){.write = drop_packet})),
    STRUCT(rtev_memtrace_info, TAKEN, take_memtrace_info, NULL),
    STRUCT(rtev_memtrace_writer_options, TAKEN, take_memtrace_writer_options, NULL),
    STRUCT(rtev_memtrace_alloc, TAKEN, take_memtrace_alloc, NULL),
    STRUCT(rtev_memtrace_event, TAKEN, take_memtrace_event, NULL),
};
#define COUNT (sizeof(structs) / sizeof(structs[0]))

/* Hand in a struct that says it has `size` bytes. */
static int hand_in(size_t at, unsigned char *given, size_t size)
{
	memset(given, 0, structs[at].size);
	if (structs[at].whole != NULL)
		memcpy(given, structs[at].whole, structs[at].size);
	memcpy(given, &size, sizeof(size));
	return structs[at].hand_in(given);
}

/* Sizes, and what becomes of them. */
TEST(sizes)
{
	for (size_t i = 0; i < COUNT; i++) {
		_Alignas(16) unsigned char given[1024];
		size_t size = structs[i].size, after;
		memset(given, 0x55, sizeof(given));
		printf("  %s\n", structs[i].name);
		CHECK_INT(hand_in(i, given, size), RTEV_OK);
		CHECK_INT(hand_in(i, given, 0), RTEV_E_INVALID);
		CHECK_INT(hand_in(i, given, sizeof(size_t) - 1), RTEV_E_INVALID);
		CHECK_INT(
		    hand_in(i, given, sizeof(size_t)), structs[i].use == NEEDS ? RTEV_E_INVALID : RTEV_OK);
		CHECK_INT(hand_in(i, given, size + 8), structs[i].use == GIVEN ? RTEV_OK : RTEV_E_INVALID);
		memcpy(&after, given, sizeof(after));
		CHECK_INT(after, size + 8);
		/* What the library does not know of is zero; beyond it nothing is touched. */
		CHECK(given[size] == (structs[i].use == GIVEN ? 0 : 0x55));
		CHECK(given[size + 8] == 0x55);
	}
}

/* What an older caller knows nothing of is not touched. */
TEST(older_callers)
{
	struct rtev_scan scan;
	struct rtev_ring_info ring;

	memset(&scan, 0x55, sizeof(scan));
	scan.size = offsetof(struct rtev_scan, unread_words);
	CHECK_INT(give_scan(&scan), RTEV_OK);
	CHECK_INT(scan.release, RTEV_RELEASE_UNKNOWN);
	CHECK_INT(scan.unread_words, 0x5555555555555555);
	memset(&ring, 0x55, sizeof(ring));
	ring.size = offsetof(struct rtev_ring_info, ring_words);
	CHECK_INT(give_ring_info(&ring), RTEV_OK);
	CHECK_INT(ring.version, 1);
	CHECK_INT(ring.domains, 128);
	CHECK_INT(ring.ring_words, 0x5555555555555555);
}

int main(void)
{
	const struct rtev_memtrace_sink sink = {sizeof(sink), keep_packet, NULL};
	struct rtev_memtrace_writer *writer = NULL;
	int status;

	image = image_make(LAYOUT_5_1, 128, 64);
	rtev_fxt_writer_destroy(make_writer(NULL, &status));
	CHECK(status == RTEV_OK && used <= sizeof(fxt_trace));
	memcpy(fxt_trace, memory, used);
	fxt_size = used;
	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &info, NULL), RTEV_OK);
	rtev_memtrace_writer_destroy(writer);
	test_run();
	return 0;
}
