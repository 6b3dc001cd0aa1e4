/*
 * test_fxt_destinations.c - where traces go: whole records in every buffer, switching, failures that are
 * reported once; test_fxt_files.c has files and pipes.
 */
#include "support/fxt_destination.h"

/* ---- a destination of the test's own, with a new buffer each time ---- */

struct picky {
	struct rtev_fxt_destination base;
	struct fxt_sink sink;
	unsigned char *buffer;
	size_t size;
	size_t next_size; /* of the next buffer; 0: as much as is needed */
	unsigned next_calls, take_calls, flush_calls, close_calls;
	int next_status, take_status, flush_status, close_status;
};

/* Hand out a buffer that did not exist before, so that a checker of memory sees every use of the old one. */
static int picky_next(struct rtev_fxt_destination *self, size_t need, void **data, size_t *size)
{
	struct picky *picky = (struct picky *)(void *)self;
	picky->next_calls++;
	if (picky->next_status != RTEV_OK)
		return picky->next_status;
	free(picky->buffer);
	picky->size = picky->next_size != 0 ? picky->next_size : need;
	picky->buffer = malloc(picky->size);
	CHECK(picky->buffer != NULL);
	*data = picky->buffer;
	*size = picky->size;
	return RTEV_OK;
}

/* Check that the bytes are whole records and keep them. */
static int picky_take(struct rtev_fxt_destination *self, size_t taken)
{
	struct picky *picky = (struct picky *)(void *)self;
	size_t at = 0;
	picky->take_calls++;
	CHECK(taken <= picky->size);
	while (at < taken) {
		uint64_t header;
		CHECK(taken - at >= 8);
		memcpy(&header, picky->buffer + at, 8);
		size_t words = header >> 4 & 0xfff;
		CHECK(words > 0 && words <= (taken - at) / 8);
		at += words * 8;
	}
	if (picky->take_status != RTEV_OK)
		return picky->take_status;
	return fxt_sink_write(&picky->sink, picky->buffer, taken);
}

static int picky_flush(struct rtev_fxt_destination *self)
{
	struct picky *picky = (struct picky *)(void *)self;
	picky->flush_calls++;
	return picky->flush_status;
}

static int picky_close(struct rtev_fxt_destination *self)
{
	struct picky *picky = (struct picky *)(void *)self;
	picky->close_calls++;
	free(picky->buffer);
	picky->buffer = NULL;
	return picky->close_status;
}

/* Make one, in place. */
static struct rtev_fxt_destination *picky_init(struct picky *picky)
{
	*picky = (struct picky){.base = {.size = sizeof(picky->base),
				    .next = picky_next,
				    .take = picky_take,
				    .flush = picky_flush,
				    .close = picky_close}};
	return &picky->base;
}

/* ---- tests ---- */

/* Buffers of every small size: no record straddles, and the bytes are always the same. */
TEST(whole_records_in_every_buffer)
{
	struct fxt_sink reference = {0};
	for (size_t size = 0; size <= 200; size += size == 0 ? 40 : 1) {
		struct picky picky;
		struct names n;
		struct rtev_fxt_destination *destination = picky_init(&picky);
		picky.next_size = size;
		struct rtev_fxt_writer *w = make(destination, &n);
		for (uint64_t i = 0; i < 100; i++)
			CHECK_INT(write_event(w, &n, i), RTEV_OK);
		CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
		rtev_fxt_writer_destroy(w);
		CHECK_INT(picky.take_calls, picky.next_calls);
		CHECK_INT(picky.close_calls, 1);
		CHECK_INT(count_events(picky.sink.data, picky.sink.size), 100);
		if (size == 0)
			CHECK_INT(fxt_sink_write(&reference, picky.sink.data, picky.sink.size), RTEV_OK);
		CHECK_INT(picky.sink.size, reference.size);
		CHECK(memcmp(picky.sink.data, reference.data, reference.size) == 0);
		fxt_sink_fini(&picky.sink);
	}
	fxt_sink_fini(&reference);
}

/* A record larger than the buffer is refused; smaller ones go on. */
TEST(record_larger_than_buffer)
{
	struct fxt_sink sink = {0};
	struct rtev_fxt_destination *destination;
	struct names n;
	char text[100] = {0};
	CHECK_INT(rtev_fxt_callback_create(&destination, 64, fxt_sink_write, &sink), RTEV_OK);
	struct rtev_fxt_writer *w = make(destination, &n);
	CHECK_INT(rtev_fxt_intern(w, text, 100, NULL), RTEV_E_FXT_BUFFER);
	CHECK_INT(write_event(w, &n, 0), RTEV_OK);
	CHECK_INT(rtev_fxt_instant(w, 4 * RTEV_FXT_INT64, n.thread, n.cat, n.name, 1), RTEV_E_FXT_BUFFER);
	CHECK_INT(write_event(w, &n, 1), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	CHECK_INT(count_events(sink.data, sink.size), 2);
	fxt_sink_fini(&sink);
}

/* Memory that is full. */
TEST(full_memory)
{
	struct names n;
	uint64_t written;
	for (size_t size = 112; size < 400; size++) {
		struct rtev_fxt_destination *destination;
		size_t used = 0;
		unsigned char *memory = malloc(size);
		CHECK(memory != NULL);
		CHECK_INT(rtev_fxt_memory_create(&destination, memory, size, &used), RTEV_OK);
		struct rtev_fxt_writer *w = make(destination, &n);
		CHECK_INT(write_until_failure(w, &n, &written), RTEV_E_FXT_NO_SPACE);
		check_stopped(w, &n, RTEV_E_FXT_NO_SPACE);
		CHECK(used <= size && size - used < 40);
		CHECK_INT(count_events(memory, used), written);
		free(memory);
	}
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_writer *w;
	unsigned char few[24];
	size_t used;
	CHECK_INT(rtev_fxt_memory_create(&destination, few, sizeof(few), &used), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&w, destination, NULL), RTEV_E_FXT_NO_SPACE);
	CHECK_INT(rtev_fxt_destination_close(destination), RTEV_OK);
	CHECK_INT(rtev_fxt_memory_create(&destination, NULL, 8, &used), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_memory_create(&destination, few, 8, NULL), RTEV_E_INVALID);
}

/* Nothing is kept of what is discarded, and it never ends. */
TEST(discard)
{
	struct rtev_fxt_destination *destination;
	struct names n;
	CHECK_INT(rtev_fxt_discard_create(&destination, 4096), RTEV_OK);
	struct rtev_fxt_writer *w = make(destination, &n);
	for (uint64_t i = 0; i < 100000; i++)
		CHECK_INT(write_event(w, &n, i), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	CHECK_INT(rtev_fxt_callback_create(&destination, 0, NULL, NULL), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_discard_create(&destination, SIZE_MAX), RTEV_E_NOMEM);
}

/* Flushing and forced switching. */
TEST(flush_and_switch)
{
	struct picky picky;
	struct names n;
	struct rtev_fxt_destination *destination = picky_init(&picky);
	picky.next_size = 4096;
	struct rtev_fxt_writer *w = make(destination, &n);
	CHECK_INT(picky.sink.size, 0);
	CHECK_INT(rtev_fxt_writer_switch_buffer(w), RTEV_OK);
	CHECK_INT(picky.flush_calls, 0);
	CHECK_INT(picky.next_calls, 2);
	CHECK_INT(count_events(picky.sink.data, picky.sink.size), 0);
	CHECK_INT(write_event(w, &n, 0), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_flush(w), RTEV_OK);
	CHECK_INT(picky.flush_calls, 1);
	CHECK_INT(count_events(picky.sink.data, picky.sink.size), 1);
	picky.flush_status = RTEV_E_IO;
	CHECK_INT(rtev_fxt_writer_flush(w), RTEV_E_IO);
	check_stopped(w, &n, RTEV_E_IO);
	CHECK_INT(picky.close_calls, 1);
	fxt_sink_fini(&picky.sink);
}

/* Going on with another destination; string and thread tables go on too. */
TEST(switch_destination)
{
	struct picky first, second, third;
	struct names n;
	struct rtev_fxt_destination *old = NULL;
	struct rtev_fxt_writer *w = make(picky_init(&first), &n);
	first.next_size = 4096;
	picky_init(&second);
	second.next_size = 4096;
	picky_init(&third);
	third.next_size = 4096;
	CHECK_INT(write_event(w, &n, 0), RTEV_OK);

	second.next_status = RTEV_E_NOMEM;
	CHECK_INT(rtev_fxt_writer_set_destination(w, &second.base, &old), RTEV_E_NOMEM);
	CHECK(old == NULL);
	CHECK_INT(rtev_fxt_writer_set_destination(w, &second.base, NULL), RTEV_E_INVALID);
	CHECK_INT(rtev_fxt_writer_set_destination(w, NULL, &old), RTEV_E_INVALID);
	CHECK_INT(write_event(w, &n, 1), RTEV_OK);
	CHECK_INT(rtev_fxt_instant(w, RTEV_FXT_BOOL, n.thread, n.cat, n.name, 2), RTEV_OK);
	second.next_status = RTEV_OK;
	CHECK_INT(rtev_fxt_writer_set_destination(w, &second.base, &old), RTEV_E_FXT_ARGS_MISSING);
	CHECK_INT(rtev_fxt_writer_set_destination(w, &second.base, &old), RTEV_OK);
	CHECK(old == &first.base);
	CHECK_INT(first.close_calls, 0);
	CHECK_INT(rtev_fxt_destination_close(old), RTEV_OK);
	CHECK_INT(count_events(first.sink.data, first.sink.size), 2);

	/* The second fails; the writer goes on with a third. */
	CHECK_INT(write_event(w, &n, 3), RTEV_OK);
	second.take_status = RTEV_E_IO;
	CHECK_INT(rtev_fxt_writer_set_destination(w, &third.base, &old), RTEV_E_IO);
	CHECK_INT(write_event(w, &n, 3), RTEV_E_FXT_STOPPED);
	CHECK_INT(rtev_fxt_writer_set_destination(w, &third.base, &old), RTEV_OK);
	CHECK(old == &second.base);
	CHECK_INT(rtev_fxt_destination_close(old), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_failure(w), RTEV_OK);
	CHECK_INT(write_event(w, &n, 4), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	CHECK_INT(third.close_calls, 1);

	/* What the third got goes on from the first. */
	CHECK_INT(fxt_sink_write(&first.sink, third.sink.data, third.sink.size), RTEV_OK);
	CHECK_INT(count_events(first.sink.data, first.sink.size), 3);
	fxt_sink_fini(&first.sink);
	fxt_sink_fini(&second.sink);
	fxt_sink_fini(&third.sink);
}

/* Destinations that fail when asked for a buffer, and when closed. */
TEST(failing_destinations)
{
	struct picky picky;
	struct names n;
	struct rtev_fxt_writer *w;
	picky_init(&picky);
	picky.next_status = RTEV_E_NOMEM;
	CHECK_INT(rtev_fxt_writer_create(&w, &picky.base, NULL), RTEV_E_NOMEM);
	picky.next_status = RTEV_OK;
	picky.next_size = 4096;
	w = make(&picky.base, &n);
	picky.next_status = RTEV_E_NOMEM;
	picky.close_status = RTEV_E_IO; /* nothing new after the failure */
	CHECK_INT(rtev_fxt_writer_switch_buffer(w), RTEV_E_NOMEM);
	check_stopped(w, &n, RTEV_E_NOMEM);
	fxt_sink_fini(&picky.sink);

	/* An event that is dropped costs no buffer. */
	picky_init(&picky);
	picky.next_size = 4096;
	w = make(&picky.base, &n);
	CHECK_INT(rtev_fxt_instant(w, RTEV_FXT_BOOL, n.thread, n.cat, n.name, 2), RTEV_OK);
	CHECK_INT(write_event(w, &n, 1), RTEV_E_FXT_ARGS_MISSING);
	CHECK_INT(write_event(w, &n, 1), RTEV_OK);
	CHECK_INT(picky.next_calls, 1);
	rtev_fxt_writer_destroy(w);
	fxt_sink_fini(&picky.sink);

	picky_init(&picky);
	picky.next_size = 4096;
	picky.close_status = RTEV_E_FXT_NO_SPACE;
	w = make(&picky.base, &n);
	CHECK_INT(rtev_fxt_instant(w, RTEV_FXT_BOOL, n.thread, n.cat, n.name, 2), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_E_FXT_NO_SPACE);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	CHECK_INT(picky.close_calls, 1);
	fxt_sink_fini(&picky.sink);

	picky_init(&picky);
	picky.base.take = NULL;
	CHECK_INT(rtev_fxt_writer_create(&w, &picky.base, NULL), RTEV_E_INVALID);
}

/* Raw bytes: records stay whole; other bytes are cut into pieces; a record that fits no buffer is refused. */
TEST(raw_bytes)
{
	char path[1024];
	size_t size = 0;
	struct rtev_fxt_writer_options options = RTEV_FXT_WRITER_OPTIONS;
	options.provider = NULL;
	snprintf(path, sizeof(path), "%s/fxt/bufswitch.fxt", RTEV_TEST_DATA);
	unsigned char *trace = bytes_of_file(path, &size);
	CHECK(trace != NULL);
	for (size_t buffer = 56; buffer < 200; buffer += 24) {
		struct picky picky;
		struct rtev_fxt_writer *w;
		picky_init(&picky);
		picky.next_size = buffer;
		CHECK_INT(rtev_fxt_writer_create(&w, &picky.base, &options), RTEV_OK);
		CHECK_INT(rtev_fxt_write_raw(w, trace, size), RTEV_OK);
		CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
		rtev_fxt_writer_destroy(w);
		CHECK_INT(picky.sink.size, size);
		CHECK(memcmp(picky.sink.data, trace, size) == 0);
		fxt_sink_fini(&picky.sink);
	}
	struct fxt_sink sink = {0};
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_writer *w;
	CHECK_INT(rtev_fxt_callback_create(&destination, 4096, fxt_sink_write, &sink), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&w, destination, &options), RTEV_OK);
	memset(trace, 0, 10001);
	CHECK_INT(rtev_fxt_write_raw(w, trace, 10001), RTEV_OK);
	CHECK_INT(rtev_fxt_write_raw(w, NULL, 0), RTEV_OK);
	trace[0] = 0x25; /* blob records of 2 and of 4095 words */
	trace[16] = 0xf5;
	trace[17] = 0xff;
	CHECK_INT(rtev_fxt_write_raw(w, trace, 40000), RTEV_E_FXT_BUFFER);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	CHECK_INT(sink.size, 10001 + 16);
	fxt_sink_fini(&sink);
	free(trace);
}
