/*
 * test_out.c - a function that makes an object stores NULL when it fails, so that the caller may destroy what
 * it got whatever the status was.
 */
#include <stdint.h>

#include "rtev/cursor.h"
#include "rtev/fxt.h"
#include "rtev/fxt_reader.h"
#include "rtev/memtrace.h"
#include "rtev/producer.h"
#include "support/test.h"

#define MISSING "/nonexistent/rtevtop/file"

/* A pointer that is none, to see that it is overwritten. */
#define STALE(type) ((type *)(uintptr_t)8)

/* Check that a call fails and leaves NULL in `out`. */
#define FAILS(type, call)                                                                                    \
	do {                                                                                                 \
		type *out = STALE(type);                                                                     \
		CHECK((call) < RTEV_OK);                                                                     \
		CHECK(out == NULL);                                                                          \
	} while (0)

TEST(test_cursor)
{
	const struct rtev_cursor_options bad = {.size = 1};
	static const uint64_t none[16];

	FAILS(struct rtev_cursor, rtev_cursor_open_pid(&out, MISSING, 1, NULL));
	FAILS(struct rtev_cursor, rtev_cursor_open_path(&out, MISSING, NULL));
	FAILS(struct rtev_cursor, rtev_cursor_open_path(&out, MISSING, &bad));
	FAILS(struct rtev_cursor, rtev_cursor_open_fd(&out, -1, NULL));
	FAILS(struct rtev_cursor, rtev_cursor_open_memory(&out, none, sizeof(none), NULL));
}

TEST(test_producer)
{
	const struct rtev_producer_options bad = {.size = 1}, one = {.size = sizeof(one), .domains = 1};
	struct rtev_producer *producer;

	FAILS(struct rtev_producer, rtev_producer_create(&out, &bad));
	CHECK_INT(rtev_producer_create(&producer, &one), RTEV_OK);
	FAILS(struct rtev_domain, rtev_producer_attach(producer, &out));
	FAILS(struct rtev_cursor, rtev_cursor_open_producer(&out, producer, NULL));
	FAILS(const struct rtev_user, rtev_user_register(producer, "", 0, RTEV_USER_UNIT, NULL, NULL, &out));
	FAILS(const struct rtev_user, rtev_user_resolve(producer, "none", 4, &out));
	rtev_producer_destroy(producer);
}

static int write_nothing(void *ctx, const void *data, size_t size)
{
	return RTEV_E_IO;
}

TEST(test_fxt)
{
	const struct rtev_fxt_writer_options bad = {.size = 1};
	const struct rtev_fxt_reader_options bad_reader = {.size = 1};
	struct rtev_fxt_destination *destination;

	FAILS(struct rtev_fxt_destination, rtev_fxt_file_create(&out, MISSING, 0));
	FAILS(struct rtev_fxt_destination, rtev_fxt_file_create(&out, NULL, 0));
	FAILS(struct rtev_fxt_destination, rtev_fxt_fd_create(&out, -1, 0));
	FAILS(struct rtev_fxt_destination, rtev_fxt_memory_create(&out, NULL, 0, NULL));
	FAILS(struct rtev_fxt_destination, rtev_fxt_callback_create(&out, 0, NULL, NULL));
	FAILS(struct rtev_fxt_destination, rtev_fxt_callback_create(&out, SIZE_MAX, write_nothing, NULL));
	FAILS(struct rtev_fxt_destination, rtev_fxt_discard_create(&out, SIZE_MAX));
	CHECK_INT(rtev_fxt_discard_create(&destination, 0), RTEV_OK);
	FAILS(struct rtev_fxt_writer, rtev_fxt_writer_create(&out, destination, &bad));
	FAILS(struct rtev_fxt_writer, rtev_fxt_writer_create(&out, NULL, NULL));
	CHECK_INT(rtev_fxt_destination_close(destination), RTEV_OK);
	FAILS(struct rtev_fxt_reader, rtev_fxt_reader_open_memory(&out, NULL, 1, NULL));
	FAILS(struct rtev_fxt_reader, rtev_fxt_reader_open_memory(&out, "", 0, &bad_reader));
	FAILS(struct rtev_fxt_reader, rtev_fxt_reader_open_fd(&out, -1, NULL));
}

TEST(test_memtrace)
{
	const struct rtev_memtrace_info info = {
	    .size = sizeof(info), .executable_name = "a", .host_name = "h", .ocaml_runtime_params = ""};
	const struct rtev_memtrace_info bad = {.size = 1};
	const struct rtev_memtrace_sink sink = {.size = sizeof(sink), .write = write_nothing};

	FAILS(struct rtev_memtrace_reader, rtev_memtrace_open_path(&out, MISSING, NULL));
	FAILS(struct rtev_memtrace_reader, rtev_memtrace_open_fd(&out, -1, NULL));
	FAILS(struct rtev_memtrace_reader, rtev_memtrace_open_memory(&out, "", 0, NULL));
	FAILS(struct rtev_memtrace_writer, rtev_memtrace_writer_create(&out, &sink, &bad, NULL));
	FAILS(struct rtev_memtrace_writer, rtev_memtrace_writer_create(&out, &sink, &info, NULL));
	FAILS(struct rtev_memtrace_writer, rtev_memtrace_writer_create_fd(&out, -1, &info, NULL));
	FAILS(struct rtev_memtrace_mux, rtev_memtrace_mux_create(&out, &sink, &bad, NULL));
	FAILS(struct rtev_memtrace_mux, rtev_memtrace_mux_create(&out, &sink, &info, NULL));
}
