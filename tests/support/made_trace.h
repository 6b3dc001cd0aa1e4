/*
 * made_trace.h - what the tests that make up memory traces share: the facts of the process, the locations of
 * its code, and the packets of what was written.
 */
#pragma once

#include "memtrace/format.h"
#include "support/test.h"
#include "support/test_memtrace_data.h"

enum { START = 50000000 };

static const struct rtev_memtrace_info made_info = {.size = sizeof(made_info),
    .sample_rate = 0.01,
    .word_size = 64,
    .initial_domain = 3,
    .pid = 42,
    .start_time = START,
    .executable_name = "exec",
    .host_name = "host",
    .ocaml_runtime_params = "runtime",
    .context = "context"};

/* What the codes of made-up backtraces stand for. */
static struct rtev_memtrace_location many[300];

static inline size_t locate_made(
    void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out)
{
	static char long_name[5000];
	static const struct rtev_memtrace_location one = {"foo.ml", "func", 42, 100, 120};
	static const struct rtev_memtrace_location two[] = {
	    {"a.ml", "f", 19, 97, 1023}, {"inline.ml", "g", 1, 1, 1}};
	static const struct rtev_memtrace_location clamped = {"c.ml", "h", 1 << 20, -1, 1024};
	static struct rtev_memtrace_location huge;

	memset(long_name, 'j', sizeof(long_name) - 1);
	huge = (struct rtev_memtrace_location){long_name, "x", 1, 2, 3};
	for (size_t i = 0; i < 300; i++)
		many[i] = one;
	*out = code == 1 ? &one : code == 2 ? two : code == 3 ? &clamped : code == 4 ? &huge : many;
	return code == 1 || code == 3 || code == 4 ? 1 : code == 2 ? 2 : code == 5 ? 256 : code == 6 ? 0 : 1;
}

static const struct rtev_memtrace_writer_options made_options = {
    .size = sizeof(made_options), .locate = locate_made};

/* The sizes of the packets of a trace, and what their headers say. */
static inline size_t list_packets(const struct bytes *trace, struct rtev_memtrace_packet *list, size_t most)
{
	size_t at = 0, count = 0;

	while (at < trace->size) {
		const uint8_t *p = trace->data + at;
		CHECK(count < most && trace->size - at >= 68);
		list[count].offset = at;
		list[count].size = mt_load_32(p + 4) / 8;
		list[count].time_begin = (int64_t)mt_load_64(p + 8);
		list[count].time_end = (int64_t)mt_load_64(p + 16);
		list[count].domain = (uint16_t)mt_load_16(p + 38);
		list[count].alloc_id_begin = (int64_t)mt_load_64(p + 52);
		list[count].alloc_id_end = (int64_t)mt_load_64(p + 60);
		/* 1 for locations. */
		list[count].locations = list[count].size > 68 && p[71] >> 1 == 1;
		at += list[count++].size;
	}
	CHECK_INT(at, trace->size);
	return count;
}
