/*
 * test_memtrace_reader.c - read real traces, and damaged ones: events, locations, notices.
 */
#include <string.h>

#include "support/memtrace_dump.h"
#include "support/test.h"

/* The digest itself, by a known answer. */
TEST(test_digest)
{
	struct digest digest;

	digest_init(&digest);
	digest_add(&digest, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
	check_digest(&digest, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* All samples give the reference's dump. */
TEST(test_dumps)
{
	for (size_t i = 0; i < memtrace_sample_count; i++) {
		struct bytes file = sample_file(&memtrace_samples[i]);
		struct rtev_memtrace_reader *reader;
		struct digest digest;
		uint64_t events = 0, size;
		CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, file.size, NULL), RTEV_OK);
		digest_init(&digest);
		CHECK_INT(read_on(&digest, reader, &events), RTEV_E_MEMTRACE_END);
		CHECK_INT(events, memtrace_samples[i].events);
		check_digest(&digest, memtrace_samples[i].dump);
		CHECK_INT(rtev_memtrace_info(reader)->version, memtrace_samples[i].version);
		CHECK_INT(rtev_memtrace_size(reader, &size), RTEV_OK);
		CHECK_INT(size, file.size);
		CHECK_INT(rtev_memtrace_position(reader), file.size);
		rtev_memtrace_close(reader);
		bytes_free(&file);
	}
}

/* The dump is the stored text, byte for byte; to_string's form lacks the time. */
TEST(test_dump_text)
{
	struct bytes file = data_file("json-small.ctf"), text = data_file("json-small.dump.txt");
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	static char line[65536];
	size_t length, at = 0;

	CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, file.size, NULL), RTEV_OK);
	while (rtev_memtrace_next(reader, &event) == RTEV_OK) {
		CHECK_INT(rtev_memtrace_format_event(reader, event, true, line, sizeof(line), &length), 0);
		CHECK(at + length < text.size && memcmp(text.data + at, line, length) == 0);
		CHECK_INT(rtev_memtrace_format_event(reader, event, false, line, sizeof(line), &length), 0);
		CHECK(memcmp(text.data + at + 11, line, length) == 0);
		at += 11 + length + 1;
		/* A short buffer gets the beginning. */
		CHECK_INT(rtev_memtrace_format_event(reader, event, true, line, 9, &length), 0);
		CHECK_INT(strlen(line), 8);
	}
	CHECK_INT(at, text.size);
	rtev_memtrace_close(reader);
	bytes_free(&file);
	bytes_free(&text);
}

/* What the first packet says. */
TEST(test_info)
{
	struct bytes file = data_file("json-small.ctf"), old = data_file("lists_and_sets.ctf");
	struct rtev_memtrace_reader *reader;

	CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, file.size, NULL), RTEV_OK);
	const struct rtev_memtrace_info *info = rtev_memtrace_info(reader);
	CHECK_STR(info->executable_name, "/srv/apps/app/jsonmain");
	CHECK_INT(info->pid, 27016);
	CHECK_INT(info->word_size, 64);
	CHECK_NEAR(info->sample_rate, 1e-4, 1e-12);
	CHECK_INT(info->initial_domain, 0);
	CHECK_STR(info->host_name, "vm");
	CHECK_STR(info->context, "json round trip");
	CHECK_INT(info->start_time, 0x660b8fa329a47);
	rtev_memtrace_close(reader);
	/* Version 1 has no context at all. */
	CHECK_INT(rtev_memtrace_open_memory(&reader, old.data, old.size, NULL), RTEV_OK);
	CHECK(rtev_memtrace_info(reader)->context == NULL);
	CHECK_INT(rtev_memtrace_info(reader)->pid, 17210);
	rtev_memtrace_close(reader);
	bytes_free(&file);
	bytes_free(&old);
}

/* Without backtraces the events are the same, and the backtraces empty. */
TEST(test_skip)
{
	struct bytes file = data_file("edge.ctf");
	struct rtev_memtrace_options options = {.size = sizeof(options), .skip_backtraces = true};
	struct rtev_memtrace_reader *full, *fast;
	const struct rtev_memtrace_event *a, *b;
	int status;

	CHECK_INT(rtev_memtrace_open_memory(&full, file.data, file.size, NULL), RTEV_OK);
	CHECK_INT(rtev_memtrace_open_memory(&fast, file.data, file.size, &options), RTEV_OK);
	while ((status = rtev_memtrace_next(full, &a)) == RTEV_OK) {
		CHECK_INT(rtev_memtrace_next(fast, &b), RTEV_OK);
		CHECK_INT(a->time, b->time);
		CHECK_INT(a->object, b->object);
		CHECK_INT(a->kind, b->kind);
		CHECK_INT(a->domain, b->domain);
		if (a->kind != RTEV_MEMTRACE_ALLOC)
			continue;
		CHECK_INT(a->length, b->length);
		CHECK_INT(a->samples, b->samples);
		CHECK_INT(a->source, b->source);
		CHECK_INT(a->common_prefix, b->common_prefix);
		CHECK(b->backtrace == NULL && b->depth == 0 && b->unchanged == 0);
	}
	CHECK_INT(status, RTEV_E_MEMTRACE_END);
	CHECK_INT(rtev_memtrace_next(fast, &b), RTEV_E_MEMTRACE_END);
	rtev_memtrace_close(full);
	rtev_memtrace_close(fast);
	/* Nor can it be copied: LeakSanitizer sees what the refusal leaves behind. */
	CHECK_INT(rtev_memtrace_open_memory(&fast, file.data, file.size, &options), RTEV_OK);
	CHECK_INT(
	    rtev_memtrace_copy(fast, &(struct rtev_memtrace_sink){.size = sizeof(struct rtev_memtrace_sink)}),
	    RTEV_E_INVALID);
	rtev_memtrace_close(fast);
	bytes_free(&file);
}

/* Of a backtrace, what is said not to have changed has not. */
TEST(test_unchanged)
{
	struct bytes file = data_file("edge.ctf");
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct bytes last[8] = {{0}};
	uint64_t cut_short = 0;

	CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, file.size, NULL), RTEV_OK);
	while (rtev_memtrace_next(reader, &event) == RTEV_OK) {
		if (event->kind != RTEV_MEMTRACE_ALLOC)
			continue;
		CHECK(event->domain < 8);
		struct bytes *before = &last[event->domain];
		CHECK(event->unchanged <= event->depth);
		CHECK(event->unchanged * sizeof(int64_t) <= before->size);
		if (event->unchanged > 0)
			CHECK(
			    memcmp(before->data, event->backtrace, event->unchanged * sizeof(int64_t)) == 0);
		cut_short += event->common_prefix > (int64_t)event->unchanged;
		before->size = 0;
		bytes_add(before, event->backtrace, event->depth * sizeof(int64_t));
	}
	CHECK(cut_short > 0);
	for (size_t i = 0; i < 8; i++)
		bytes_free(&last[i]);
	rtev_memtrace_close(reader);
	bytes_free(&file);
}

/* Codes that the trace tells, codes that it does not, and the same names at the same addresses. */
TEST(test_lookup)
{
	struct bytes file = data_file("edge.ctf");
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	const struct rtev_memtrace_location *list, *again;
	size_t count, empty = 0, inlined = 0;

	CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, file.size, NULL), RTEV_OK);
	CHECK_INT(rtev_memtrace_lookup(reader, 12345678901, &list, &count), RTEV_E_MEMTRACE_NO_LOCATION);
	CHECK(list == NULL && count == 0);
	while (rtev_memtrace_next(reader, &event) == RTEV_OK) {
		if (event->kind != RTEV_MEMTRACE_ALLOC || event->depth == 0)
			continue;
		int64_t code = event->backtrace[event->depth - 1];
		CHECK_INT(rtev_memtrace_lookup(reader, code, &list, &count), RTEV_OK);
		CHECK_INT(rtev_memtrace_lookup(reader, code, &again, &count), RTEV_OK);
		CHECK(list == again);
		empty += count == 0;
		inlined += count > 1;
	}
	CHECK(empty > 0 && inlined > 0);
	CHECK_INT(
	    rtev_memtrace_lookup(reader, INT64_MIN / 2 - 1, &list, &count), RTEV_E_MEMTRACE_NO_LOCATION);
	rtev_memtrace_close(reader);
	bytes_free(&file);
}

/* A packet of another process and a truncated one are told and left out. */
TEST(test_bad_tail)
{
	struct bytes file = data_file("edge.ctf"), tail = data_file("edge-badtail.tail");
	size_t good = file.size;
	struct notices notices = {.count = 0};
	struct rtev_memtrace_options options = {
	    .size = sizeof(options), .ctx = &notices, .notice = notices_take};
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct digest digest;
	uint64_t events = 0;

	bytes_add(&file, tail.data, tail.size);
	CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, file.size, &options), RTEV_OK);
	digest_init(&digest);
	CHECK_INT(read_on(&digest, reader, &events), RTEV_E_MEMTRACE_END);
	check_digest(&digest, "cda347b1c52d633820536a4109303d6d4022af848924a97e4c2ff8d73de8c935");
	CHECK_INT(notices.count, 2);
	CHECK_INT(notices.list[0].kind, RTEV_MEMTRACE_WRONG_PID);
	CHECK_INT(notices.list[0].pid, 99);
	CHECK_INT(notices.list[0].offset, good);
	CHECK_INT(notices.list[1].kind, RTEV_MEMTRACE_TRUNCATED);
	CHECK_INT(notices.list[1].offset, good + 68);
	CHECK_INT(notices.list[1].missing, 272);
	/* It is told once. */
	CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_E_MEMTRACE_END);
	CHECK_INT(notices.count, 2);
	rtev_memtrace_close(reader);
	bytes_free(&file);
	bytes_free(&tail);
}

/* Truncation at every length of a small trace: an error in what opening needs, a torn header, a torn
 * packet. */
TEST(test_truncated)
{
	struct bytes file = data_file("viewer-test_trace.ctf");
	uint64_t all = 108;

	for (size_t size = 0; size < file.size; size++) {
		struct notices notices = {.count = 0};
		struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
		struct rtev_memtrace_options options = {
		    .size = sizeof(options), .ctx = &notices, .notice = notices_take, .fault = &fault};
		struct rtev_memtrace_reader *reader;
		struct digest digest;
		uint64_t events = 0;
		uint8_t *part = malloc(size + 1);
		CHECK(part != NULL);
		memcpy(part, file.data, size);
		int status = rtev_memtrace_open_memory(&reader, part, size, &options);
		digest_init(&digest);
		if (status == RTEV_OK) {
			status = read_on(&digest, reader, &events);
			CHECK(events < all);
			CHECK(status == RTEV_E_MEMTRACE_END || status == RTEV_E_MEMTRACE_UNDERFLOW);
			if (status == RTEV_E_MEMTRACE_UNDERFLOW) {
				rtev_memtrace_fault(reader, &fault);
				CHECK_INT(fault.offset, size);
				CHECK(size - rtev_memtrace_position(reader) < 66);
			} else if (size > rtev_memtrace_position(reader)) {
				CHECK_INT(notices.count, 1);
			}
			rtev_memtrace_close(reader);
		} else {
			CHECK(status == RTEV_E_MEMTRACE_UNDERFLOW || status == RTEV_E_MEMTRACE_INFO);
			CHECK(reader == NULL && fault.status == status && fault.offset <= size);
			CHECK(fault.what[0] != '\0');
			options.follow = true;
			CHECK_INT(
			    rtev_memtrace_open_memory(&reader, part, size, &options), RTEV_E_MEMTRACE_END);
		}
		free(part);
	}
	bytes_free(&file);
}
