/*
 * test_memtrace_writer.c - write traces and read them back; copies against those of the reference library.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/made_trace.h"

/* Copy a sample by way of a writer for each domain, as the reference's own test does. */
static void copy_by_domain(const struct bytes *from, struct bytes *to)
{
	struct rtev_memtrace_reader *reader;
	struct rtev_memtrace_mux *mux;
	struct rtev_memtrace_sink sink = bytes_sink(to);
	const struct rtev_memtrace_event *event;
	int status;

	CHECK_INT(rtev_memtrace_open_memory(&reader, from->data, from->size, NULL), RTEV_OK);
	const struct rtev_memtrace_info *info = rtev_memtrace_info(reader);
	struct rtev_memtrace_writer_options options = {
	    .size = sizeof(options), .ctx = reader, .locate = locate_in_reader};
	CHECK_INT(rtev_memtrace_mux_create(&mux, &sink, info, &options), RTEV_OK);
	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK)
		CHECK_INT(rtev_memtrace_mux_put_event(mux, info->start_time + event->time, event), RTEV_OK);
	CHECK_INT(status, RTEV_E_MEMTRACE_END);
	CHECK_INT(rtev_memtrace_mux_flush(mux), RTEV_OK);
	rtev_memtrace_mux_destroy(mux);
	rtev_memtrace_close(reader);
}

/* All samples, by domain: the bytes that the reference library writes. */
TEST(test_copy_by_domain)
{
	for (size_t i = 0; i < memtrace_sample_count; i++) {
		struct bytes file = sample_file(&memtrace_samples[i]), copy = {0};
		struct digest digest;
		char hex[65];
		copy_by_domain(&file, &copy);
		digest_init(&digest);
		digest_add(&digest, copy.data, copy.size);
		digest_hex(&digest, hex);
		CHECK_STR(hex, memtrace_samples[i].copy);
		bytes_free(&copy);
		bytes_free(&file);
	}
}

/* Copy packet by packet. */
static void copy_packets(const struct bytes *from, struct bytes *to)
{
	struct rtev_memtrace_reader *reader;
	struct rtev_memtrace_sink sink = bytes_sink(to);

	CHECK_INT(rtev_memtrace_open_memory(&reader, from->data, from->size, NULL), RTEV_OK);
	CHECK_INT(rtev_memtrace_copy(reader, &sink), RTEV_OK);
	rtev_memtrace_close(reader);
}

/* All samples, packet by packet: those of version 3 byte for byte, older ones as version 3. */
TEST(test_copy_packets)
{
	for (size_t i = 0; i < memtrace_sample_count; i++) {
		struct bytes file = sample_file(&memtrace_samples[i]), copy = {0}, again = {0};
		copy_packets(&file, &copy);
		if (memtrace_samples[i].version == 3) {
			CHECK_INT(copy.size, file.size);
			CHECK(memcmp(copy.data, file.data, file.size) == 0);
		}
		CHECK_INT(mt_load_16(copy.data + 28), 3);
		copy_packets(&copy, &again);
		CHECK_INT(again.size, copy.size);
		CHECK(memcmp(again.data, copy.data, copy.size) == 0);
		bytes_free(&again);
		bytes_free(&copy);
		bytes_free(&file);
	}
}

/* Bad packets are left out of a copy; a damaged trace is copied up to the damage. */
TEST(test_copy_damaged)
{
	struct bytes file = data_file("edge.ctf"), tail = data_file("edge-badtail.tail"), copy = {0};
	size_t good = file.size;
	struct rtev_memtrace_reader *reader;
	struct rtev_memtrace_sink sink = bytes_sink(&copy);
	const struct rtev_memtrace_event *event;
	uint64_t events = 0;

	bytes_add(&file, tail.data, tail.size);
	copy_packets(&file, &copy);
	CHECK_INT(copy.size, good);
	CHECK(memcmp(copy.data, file.data, good) == 0);

	/* An event's code in the middle of a packet that has nothing but collects at the end. */
	copy.size = 0;
	bytes_free(&file);
	file = data_file("small.ctf");
	for (size_t i = 60000; i < file.size; i++)
		file.data[i] = 0xFF;
	CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, file.size, NULL), RTEV_OK);
	CHECK(rtev_memtrace_copy(reader, &sink) != RTEV_OK);
	rtev_memtrace_close(reader);
	CHECK_INT(rtev_memtrace_open_memory(&reader, copy.data, copy.size, NULL), RTEV_OK);
	int status;
	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK)
		events++;
	CHECK_INT(status, RTEV_E_MEMTRACE_END);
	CHECK(events > 500);
	rtev_memtrace_close(reader);
	bytes_free(&copy);
	bytes_free(&file);
	bytes_free(&tail);
}

/* Read a trace back and compare with the events that went in. */
static void check_events(const struct bytes *trace, const struct rtev_memtrace_event *expected, size_t count)
{
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;

	CHECK_INT(rtev_memtrace_open_memory(&reader, trace->data, trace->size, NULL), RTEV_OK);
	for (size_t i = 0; i < count; i++) {
		const struct rtev_memtrace_event *e = &expected[i];
		CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_OK);
		CHECK_INT(event->kind, e->kind);
		CHECK_INT(event->time, e->time);
		CHECK_INT(event->object, e->object);
		CHECK_INT(event->domain, e->domain);
		if (e->kind != RTEV_MEMTRACE_ALLOC)
			continue;
		CHECK_INT(event->length, e->length);
		CHECK_INT(event->samples, e->samples);
		CHECK_INT(event->source, e->source);
		CHECK_INT(event->depth, e->depth);
		CHECK(memcmp(event->backtrace, e->backtrace, e->depth * sizeof(int64_t)) == 0);
	}
	CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_E_MEMTRACE_END);
	rtev_memtrace_close(reader);
}

/* One event of each kind, lengths of each class, locations of each sort. */
TEST(test_round_trip)
{
	static const int64_t trace[] = {1, 2, 3, 4, 5, 6, -7, INT64_MAX / 2, INT64_MIN / 2};
	static const int64_t lengths[] = {0, 1, 16, 17, 252, 253, 65535, 65536, INT32_MAX,
	    (int64_t)INT32_MAX + 1, -1, INT32_MIN, INT64_MAX / 2, INT64_MIN / 2};
	struct rtev_memtrace_event events[64];
	size_t count = 0;
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct rtev_memtrace_writer *writer;

	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &made_info, &made_options), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_domain(writer), 3);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		events[count++] = (struct rtev_memtrace_event){.size = sizeof(struct rtev_memtrace_event),
		    .kind = RTEV_MEMTRACE_ALLOC,
		    .time = (int64_t)i * 10,
		    .object = (int64_t)i,
		    .domain = 3,
		    .length = lengths[i],
		    .samples = i % 3 == 0 ? (int64_t)i * 1000 : 1,
		    .source = (enum rtev_memtrace_source)(i % 5 % 3),
		    .backtrace = trace,
		    .depth = i % (sizeof(trace) / sizeof(trace[0]) + 1)};
		events[count++] = (struct rtev_memtrace_event){.size = sizeof(struct rtev_memtrace_event),
		    .kind = RTEV_MEMTRACE_PROMOTE,
		    .time = (int64_t)i * 10 + 1,
		    .object = (int64_t)(i / 2),
		    .domain = 3};
		events[count++] = (struct rtev_memtrace_event){.size = sizeof(struct rtev_memtrace_event),
		    .kind = RTEV_MEMTRACE_COLLECT,
		    .time = (int64_t)i * 10 + 2,
		    .object = (int64_t)(i * i * i * 1000) - 5,
		    .domain = 3};
	}
	for (size_t i = 0; i < count; i++)
		CHECK_INT(rtev_memtrace_put_event(writer, START + events[i].time, &events[i]), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_OK);
	check_events(&out, events, count);
	rtev_memtrace_writer_destroy(writer);

	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	const struct rtev_memtrace_location *list;
	size_t n;
	CHECK_INT(rtev_memtrace_open_memory(&reader, out.data, out.size, NULL), RTEV_OK);
	const struct rtev_memtrace_info *info = rtev_memtrace_info(reader);
	CHECK_STR(info->executable_name, "exec");
	CHECK_STR(info->host_name, "host");
	CHECK_STR(info->ocaml_runtime_params, "runtime");
	CHECK_STR(info->context, "context");
	CHECK_INT(info->initial_domain, 3);
	CHECK_INT(info->start_time, START);
	CHECK(info->sample_rate == 0.01);
	while (rtev_memtrace_next(reader, &event) == RTEV_OK)
		;
	CHECK_INT(rtev_memtrace_lookup(reader, 1, &list, &n), RTEV_OK);
	CHECK(n == 1 && strcmp(list->filename, "foo.ml") == 0 && strcmp(list->defname, "func") == 0);
	CHECK(list->line == 42 && list->start_char == 100 && list->end_char == 120);
	CHECK_INT(rtev_memtrace_lookup(reader, 2, &list, &n), RTEV_OK);
	CHECK(n == 2 && strcmp(list[1].defname, "g") == 0 && list[0].end_char == 1023);
	CHECK_INT(rtev_memtrace_lookup(reader, 3, &list, &n), RTEV_OK);
	CHECK(n == 1 && list->line == 0xFFFFF && list->start_char == 0xFF && list->end_char == 0x3FF);
	for (int64_t code = 4; code <= 5; code++) {
		CHECK_INT(rtev_memtrace_lookup(reader, code, &list, &n), RTEV_OK);
		CHECK(n == 1 && strcmp(list->filename, "<unknown>") == 0 && strcmp(list->defname, "??") == 0);
		CHECK(list->line == 1 && list->start_char == 1 && list->end_char == 1);
	}
	CHECK_INT(rtev_memtrace_lookup(reader, 6, &list, &n), RTEV_OK);
	CHECK_INT(n, 0);
	rtev_memtrace_close(reader);
	bytes_free(&out);
}

/* The three checks of put_event. */
TEST(test_checks)
{
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct rtev_memtrace_writer *writer;
	static const int64_t trace[] = {1};
	struct rtev_memtrace_event event = {.size = sizeof(event),
	    .domain = 3,
	    .length = 2,
	    .samples = 1,
	    .backtrace = trace,
	    .depth = 1,
	    .kind = RTEV_MEMTRACE_ALLOC};

	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &made_info, &made_options), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_event(writer, START - 1, &event), RTEV_E_MEMTRACE_ORDER);
	CHECK_INT(rtev_memtrace_put_event(writer, START + 5, &event), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_event(writer, START + 4, &event), RTEV_E_MEMTRACE_ORDER);
	event.object = 1;
	event.domain = 2;
	CHECK_INT(rtev_memtrace_put_event(writer, START + 5, &event), RTEV_E_INVALID);
	event.domain = 3;
	event.object = 2;
	CHECK_INT(rtev_memtrace_writer_next_id(writer), 1);
	CHECK_INT(rtev_memtrace_put_event(writer, START + 5, &event), RTEV_E_MEMTRACE_ALLOC_ID);
	CHECK_INT(rtev_memtrace_writer_next_id(writer), 2);
	CHECK_INT(rtev_memtrace_put_event(writer, START + 5, &event), RTEV_OK);
	rtev_memtrace_writer_destroy(writer);
	rtev_memtrace_writer_destroy(NULL);
	bytes_free(&out);
}

/* When packets are written out: size, age, locations, ids, and when asked to. */
TEST(test_flush_rules)
{
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct rtev_memtrace_writer *writer;
	struct rtev_memtrace_packet p[64];
	int64_t code = 1000, id;
	struct rtev_memtrace_alloc alloc = {.size = sizeof(alloc),
	    .length = 2,
	    .samples = 1,
	    .backtrace = &code,
	    .depth = 1,
	    .source = RTEV_MEMTRACE_MINOR};
	struct rtev_memtrace_writer_options options = made_options;

	/* Asked to, without events: an empty packet. */
	options.ids_per_chunk = 200;
	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &made_info, &options), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_OK);
	CHECK_INT(list_packets(&out, p, 64), 2);
	CHECK_INT(p[1].size, 68);
	/* 30 s are not too old, a microsecond more is. */
	CHECK_INT(rtev_memtrace_put_collect(writer, START + 30000000, -1), RTEV_OK);
	CHECK_INT(list_packets(&out, p, 64), 2);
	CHECK_INT(rtev_memtrace_put_collect(writer, START + 30000001, -1), RTEV_OK);
	CHECK_INT(list_packets(&out, p, 64), 3);
	CHECK_INT(p[2].time_end, START + 30000000);
	/* The 130th location makes the next event flush; locations go before, with the same begin. */
	for (int i = 0; i < 129; i++, code++)
		CHECK_INT(rtev_memtrace_put_alloc(writer, START + 30000002, &alloc, &id), RTEV_OK);
	CHECK_INT(id, 128);
	CHECK_INT(list_packets(&out, p, 64), 3);
	CHECK_INT(rtev_memtrace_put_promote(writer, START + 30000003, 5), RTEV_OK);
	CHECK_INT(list_packets(&out, p, 64), 5);
	CHECK(p[3].locations == 1 && p[4].locations == 0);
	CHECK_INT(p[3].time_begin, START + 30000001);
	CHECK_INT(p[3].time_end, START + 30000001);
	CHECK_INT(p[3].alloc_id_begin, 0);
	CHECK_INT(p[3].alloc_id_end, 0);
	CHECK_INT(p[4].time_end, START + 30000002);
	CHECK_INT(p[4].alloc_id_end, 129);
	/* The last id of the chunk makes the next event flush, be it a collect. */
	for (int i = 129; i < 200; i++)
		CHECK_INT(rtev_memtrace_put_alloc(writer, START + 30000004, &alloc, &id), RTEV_OK);
	CHECK_INT(id, 199);
	CHECK_INT(list_packets(&out, p, 64), 5);
	CHECK_INT(rtev_memtrace_put_collect(writer, START + 30000004, 7), RTEV_OK);
	CHECK_INT(list_packets(&out, p, 64), 7);
	CHECK_INT(p[6].alloc_id_end, 200);
	CHECK_INT(rtev_memtrace_writer_next_id(writer), 200);
	/* A packet is cut once it has passed 28572 bytes. */
	size_t before = out.size;
	alloc.samples = 1000;
	while (out.size == before)
		CHECK_INT(rtev_memtrace_put_collect(writer, START + 30000005, 7), RTEV_OK);
	size_t count = list_packets(&out, p, 64);
	CHECK(p[count - 1].size > 28572 && p[count - 1].size <= 28572 + 7);
	rtev_memtrace_writer_destroy(writer);
	bytes_free(&out);
}

/* What would make a trace that no reader takes is refused, and nothing is written. */
TEST(test_refusals)
{
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct rtev_memtrace_writer *writer;
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct rtev_memtrace_writer_options options = made_options;
	struct rtev_memtrace_alloc alloc = {.size = sizeof(alloc), .length = 1, .samples = 1};
	struct rtev_memtrace_alloc bad = {
	    .size = sizeof(bad), .length = 1, .samples = 1, .source = RTEV_MEMTRACE_EXTERNAL + 1};
	int64_t id;
	int events = 0;

	options.ids_per_chunk = 3;
	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &made_info, &options), RTEV_OK);
	/* The promotion of an object that the writer is yet to allocate; its end may come first. */
	CHECK_INT(rtev_memtrace_put_promote(writer, START + 5, 0), RTEV_E_MEMTRACE_PROMOTE_ID);
	CHECK_INT(rtev_memtrace_put_collect(writer, START + 5, 0), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_alloc(writer, START + 6, &alloc, &id), RTEV_OK);
	CHECK_INT(id, 0);
	CHECK_INT(rtev_memtrace_put_promote(writer, START + 6, 0), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_promote(writer, START + 6, 1), RTEV_E_MEMTRACE_PROMOTE_ID);
	/* An allocation of no source; a time before that of the last event. */
	CHECK_INT(rtev_memtrace_put_alloc(writer, START + 6, &bad, &id), RTEV_E_MEMTRACE_SOURCE);
	CHECK_INT(rtev_memtrace_put_alloc(writer, START + 5, &alloc, &id), RTEV_E_MEMTRACE_ORDER);
	CHECK_INT(rtev_memtrace_put_promote(writer, START + 5, 0), RTEV_E_MEMTRACE_ORDER);
	CHECK_INT(rtev_memtrace_put_collect(writer, START + 5, 0), RTEV_E_MEMTRACE_ORDER);
	/* Another domain takes the next ids; these are not of the future when ours are used up and new ones
	 * begin behind them. */
	struct rtev_memtrace_writer *other;
	CHECK_INT(rtev_memtrace_writer_for_domain(&other, writer, 9), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_alloc(other, START + 7, &alloc, &id), RTEV_OK);
	CHECK_INT(id, 3);
	CHECK_INT(rtev_memtrace_put_promote(writer, START + 8, 3), RTEV_E_MEMTRACE_PROMOTE_ID);
	CHECK_INT(rtev_memtrace_put_alloc(writer, START + 8, &alloc, NULL), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_alloc(writer, START + 8, &alloc, NULL), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_promote(writer, START + 9, 3), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_promote(writer, START + 9, 6), RTEV_E_MEMTRACE_PROMOTE_ID);
	CHECK_INT(rtev_memtrace_writer_flush(other), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_OK);
	rtev_memtrace_writer_destroy(other);
	rtev_memtrace_writer_destroy(writer);

	CHECK_INT(rtev_memtrace_open_memory(&reader, out.data, out.size, NULL), RTEV_OK);
	int status;
	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK)
		events++;
	CHECK_INT(status, RTEV_E_MEMTRACE_END);
	CHECK_INT(events, 7);
	rtev_memtrace_close(reader);
	bytes_free(&out);
}

/* What is dropped off the end of a backtrace is not written, but still decides the event's form. */
TEST(test_dropped)
{
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct rtev_memtrace_writer *writer;
	static int64_t trace[400];
	struct rtev_memtrace_alloc alloc = {
	    .size = sizeof(alloc), .length = 3, .samples = 1, .backtrace = trace};
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;

	for (int i = 0; i < 400; i++)
		trace[i] = 1 + i % 3;
	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &made_info, &made_options), RTEV_OK);
	alloc.depth = 255;
	alloc.dropped = 200;
	CHECK_INT(rtev_memtrace_put_alloc(writer, START, &alloc, NULL), RTEV_OK);
	alloc.depth = 400;
	alloc.dropped = 330;
	CHECK_INT(rtev_memtrace_put_alloc(writer, START, &alloc, NULL), RTEV_OK);
	alloc.dropped = 500;
	CHECK_INT(rtev_memtrace_put_alloc(writer, START, &alloc, NULL), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_OK);
	rtev_memtrace_writer_destroy(writer);
	CHECK_INT(rtev_memtrace_open_memory(&reader, out.data, out.size, NULL), RTEV_OK);
	CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_OK);
	CHECK_INT(event->depth, 55);
	CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_OK);
	CHECK_INT(event->depth, 70);
	CHECK_INT(event->common_prefix, 55);
	CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_OK);
	CHECK_INT(event->depth, 0);
	rtev_memtrace_close(reader);
	/* The first event is short, the second, with 345 new codes of which 15 are written, long. */
	struct rtev_memtrace_packet p[8];
	size_t n = list_packets(&out, p, 8);
	const uint8_t *first = out.data + p[n - 1].offset + 68;
	CHECK_INT(first[3] >> 1, 103);
	size_t words = first[5], at = 6;
	for (; words > 0; words--)
		at += (first[at] & 3) == 3 ? 10 : 2 + (first[at] >> 1 & 1);
	CHECK_INT(first[at + 3] >> 1, 2);
	bytes_free(&out);
}

/* In a child of the traced process nothing is written. */
static int64_t own_pid(void *ctx)
{
	return getpid();
}

TEST(test_fork)
{
	char path[] = "memtrace-fork-XXXXXX";
	int fd = mkstemp(path), how;
	struct rtev_memtrace_writer_options options = made_options;
	struct rtev_memtrace_writer *writer;
	struct stat st;
	off_t size;

	CHECK(fd >= 0);
	options.getpid = own_pid;
	CHECK_INT(rtev_memtrace_writer_create_fd(&writer, fd, &made_info, &options), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_collect(writer, START, -1), RTEV_OK);
	CHECK_INT(fstat(fd, &st), 0);
	size = st.st_size;
	CHECK(size > 68);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		if (rtev_memtrace_writer_flush(writer) != RTEV_E_MEMTRACE_PID_CHANGED)
			_exit(1);
		int status = RTEV_OK;
		for (int i = 0; i < 10000 && status == RTEV_OK; i++)
			status = rtev_memtrace_put_collect(writer, START, -1);
		_exit(status == RTEV_E_MEMTRACE_PID_CHANGED ? 0 : 2);
	}
	CHECK(waitpid(child, &how, 0) == child);
	CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
	CHECK_INT(fstat(fd, &st), 0);
	CHECK_INT(st.st_size, size);
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_OK);
	CHECK_INT(fstat(fd, &st), 0);
	CHECK_INT(st.st_size, size + 68 + 5);
	rtev_memtrace_writer_destroy(writer);
	close(fd);
	unlink(path);
	CHECK_INT(rtev_memtrace_writer_create_fd(&writer, -1, &made_info, NULL), RTEV_E_INVALID);
	fd = open("/dev/null", O_RDONLY);
	CHECK(fd >= 0);
	CHECK_INT(rtev_memtrace_writer_create_fd(&writer, fd, &made_info, NULL), RTEV_E_IO);
	CHECK(writer == NULL);
	close(fd);
}

/* A sink that fails after so many packets. */
static int fail_later(void *ctx, const void *data, size_t size)
{
	int *left = ctx;

	return (*left)-- > 0 ? RTEV_OK : RTEV_E_ACCESS;
}

TEST(test_failures)
{
	int left = 1;
	struct rtev_memtrace_sink sink = {sizeof(sink), fail_later, &left};
	struct rtev_memtrace_writer *writer;
	struct rtev_memtrace_info info = made_info;

	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &made_info, NULL), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_E_ACCESS);
	left = 5;
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_E_ACCESS);
	CHECK_INT(left, 5);
	rtev_memtrace_writer_destroy(writer);

	static char name[40000];
	memset(name, 'x', sizeof(name) - 1);
	info.executable_name = name;
	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &info, NULL), RTEV_E_INVALID);
	CHECK(writer == NULL);
	name[32768 - 68 - 13 - 5 - 8 - 8 - 8 - 1] = '\0';
	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &info, NULL), RTEV_OK);
	rtev_memtrace_writer_destroy(writer);
	name[strlen(name)] = 'x';
	CHECK_INT(rtev_memtrace_writer_create(&writer, &sink, &info, NULL), RTEV_E_INVALID);
}
