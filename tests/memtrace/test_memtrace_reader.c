/*
 * test_memtrace_reader.c - read real traces, damaged ones, and ones that are still being written.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"
#include "support/test_memtrace_data.h"

/* Sums the dump up, line by line. */
static void dump_event(
    struct digest *digest, struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	static char *line;
	static size_t size;
	size_t length;

	CHECK_INT(rtev_memtrace_format_event(reader, event, true, line, size, &length), RTEV_OK);
	if (length >= size) {
		size = length * 2 + 1;
		line = realloc(line, size);
		CHECK(line != NULL);
		CHECK_INT(rtev_memtrace_format_event(reader, event, true, line, size, &length), RTEV_OK);
	}
	CHECK_INT(strlen(line), length);
	line[length] = '\n';
	digest_add(digest, line, length + 1);
}

/* Read on as long as there are events.  Returns what ended it. */
static int read_on(struct digest *digest, struct rtev_memtrace_reader *reader, uint64_t *events)
{
	const struct rtev_memtrace_event *event;
	int status;

	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK) {
		dump_event(digest, reader, event);
		++*events;
	}
	CHECK(event == NULL);
	return status;
}

static void check_digest(struct digest *digest, const char *expected)
{
	char hex[65];

	digest_hex(digest, hex);
	CHECK_STR(hex, expected);
}

/* The digest itself, by a known answer. */
static void test_digest(void)
{
	struct digest digest;

	digest_init(&digest);
	digest_add(&digest, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
	check_digest(&digest, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* All samples give the reference's dump. */
static void test_dumps(void)
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
static void test_dump_text(void)
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
static void test_info(void)
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
static void test_skip(void)
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
static void test_unchanged(void)
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
static void test_lookup(void)
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

struct notices {
	struct rtev_memtrace_notice list[8];
	size_t count;
};

static void on_notice(void *ctx, const struct rtev_memtrace_notice *notice)
{
	struct notices *notices = ctx;

	CHECK(notices->count < 8);
	notices->list[notices->count++] = *notice;
}

/* A packet of another process and a truncated one are told and left out. */
static void test_bad_tail(void)
{
	struct bytes file = data_file("edge.ctf"), tail = data_file("edge-badtail.tail");
	size_t good = file.size;
	struct notices notices = {.count = 0};
	struct rtev_memtrace_options options = {
	    .size = sizeof(options), .ctx = &notices, .notice = on_notice};
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

/* Truncation at every length of a small trace: an error in what opening needs, a torn header, a torn packet. */
static void test_truncated(void)
{
	struct bytes file = data_file("viewer-test_trace.ctf");
	uint64_t all = 108;

	for (size_t size = 0; size < file.size; size++) {
		struct notices notices = {.count = 0};
		struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
		struct rtev_memtrace_options options = {
		    .size = sizeof(options), .ctx = &notices, .notice = on_notice, .fault = &fault};
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

/* A trace that grows, byte by byte at first: nothing is lost, nothing comes twice. */
static void test_grow(void)
{
	struct bytes file = data_file("multidomain.ctf");
	struct rtev_memtrace_options options = {.size = sizeof(options), .follow = true};
	struct rtev_memtrace_reader *reader = NULL;
	struct digest digest;
	uint64_t events = 0, random = 1;
	uint8_t *copy = NULL;

	digest_init(&digest);
	for (size_t size = 0; size <= file.size;) {
		/* Each time in another place, so that none of the old bytes is looked at by mistake. */
		uint8_t *moved = malloc(size + 1);
		CHECK(moved != NULL);
		memcpy(moved, file.data, size);
		if (reader == NULL) {
			int status = rtev_memtrace_open_memory(&reader, moved, size, &options);
			CHECK(status == RTEV_OK || status == RTEV_E_MEMTRACE_END);
		} else {
			CHECK_INT(rtev_memtrace_grow(reader, moved, size), RTEV_OK);
		}
		if (copy != NULL)
			memset(copy, 0xA5, 1);
		free(copy);
		copy = moved;
		if (reader != NULL)
			CHECK_INT(read_on(&digest, reader, &events), RTEV_E_MEMTRACE_END);
		if (size == file.size)
			break;
		size += size < 2000 ? 1 : 1 + next_random(&random) % 9000;
		if (size > file.size)
			size = file.size;
	}
	CHECK_INT(rtev_memtrace_position(reader), file.size);
	CHECK_INT(rtev_memtrace_grow(reader, copy, file.size - 1), RTEV_E_INVALID);
	check_digest(&digest, "9267e2d3a2954a2ed1db4b35c45a45dbd203a0e410337b169de0939f52356631");
	rtev_memtrace_close(reader);
	free(copy);
	bytes_free(&file);
}

/* Growing in the middle of a packet, between its events. */
static void test_grow_inside(void)
{
	struct bytes file = data_file("json-small.ctf");
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct digest digest;
	uint8_t *copy = malloc(file.size);
	uint64_t events = 10;

	CHECK(copy != NULL);
	memcpy(copy, file.data, file.size);
	digest_init(&digest);
	CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, file.size, NULL), RTEV_OK);
	for (int i = 0; i < 10; i++) {
		CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_OK);
		dump_event(&digest, reader, event);
	}
	CHECK_INT(rtev_memtrace_grow(reader, copy, file.size), RTEV_OK);
	memset(file.data, 0xFF, file.size);
	CHECK_INT(read_on(&digest, reader, &events), RTEV_E_MEMTRACE_END);
	check_digest(&digest, "24ac152e196db4ee0fbb68f6940ecac5b66be9837ca6f5d6acd257a0624fe84e");
	CHECK_INT(events, 464);
	rtev_memtrace_close(reader);
	free(copy);
	bytes_free(&file);
}

/* A torn header is an error that goes away when the rest turns up; so is a torn packet. */
static void test_not_final(void)
{
	struct bytes file = data_file("json-small.ctf");
	struct notices notices = {.count = 0};
	struct rtev_memtrace_options options = {
	    .size = sizeof(options), .ctx = &notices, .notice = on_notice};
	struct rtev_memtrace_reader *reader;
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	struct digest digest;
	uint64_t events = 0;
	/* The size of the first packet. */
	size_t first = (file.data[4] | (size_t)file.data[5] << 8) / 8;

	digest_init(&digest);
	CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, first + 67, &options), RTEV_OK);
	CHECK_INT(read_on(&digest, reader, &events), RTEV_E_MEMTRACE_UNDERFLOW);
	rtev_memtrace_fault(reader, &fault);
	CHECK_INT(fault.offset, first + 67);
	CHECK_INT(rtev_memtrace_grow(reader, file.data, first + 69), RTEV_OK);
	CHECK_INT(read_on(&digest, reader, &events), RTEV_E_MEMTRACE_END);
	CHECK_INT(notices.count, 1);
	rtev_memtrace_fault(reader, &fault);
	CHECK_INT(fault.status, RTEV_OK);
	CHECK_INT(rtev_memtrace_grow(reader, file.data, file.size), RTEV_OK);
	CHECK_INT(read_on(&digest, reader, &events), RTEV_E_MEMTRACE_END);
	check_digest(&digest, "24ac152e196db4ee0fbb68f6940ecac5b66be9837ca6f5d6acd257a0624fe84e");
	CHECK_INT(notices.count, 1);
	rtev_memtrace_close(reader);
	bytes_free(&file);
}

/* How many bytes have been read from descriptors: pread and read are wrapped. */
static uint64_t bytes_read;
ssize_t __real_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __real_pread64(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t at);

ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at)
{
	ssize_t got = __real_pread(fd, buf, n, at);
	bytes_read += got > 0 ? (uint64_t)got : 0;
	return got;
}

ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t at)
{
	ssize_t got = __real_pread64(fd, buf, n, at);
	bytes_read += got > 0 ? (uint64_t)got : 0;
	return got;
}

/* A file that another process writes, in pieces that are no packets, is followed to its end; each byte is read
 * once. */
static void test_follow_file(void)
{
	struct bytes file = data_file("small.ctf");
	struct rtev_memtrace_options options = {.size = sizeof(options), .follow = true};
	struct rtev_memtrace_reader *reader = NULL;
	char path[] = "memtrace-follow-XXXXXX";
	int fd = mkstemp(path), ended = 0;
	struct digest digest;
	uint64_t events = 0;

	CHECK(fd >= 0);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		uint64_t random = 5;
		for (size_t at = 0; at < file.size;) {
			size_t part = 1 + next_random(&random) % 3000;
			if (part > file.size - at)
				part = file.size - at;
			if (write(fd, file.data + at, part) != (ssize_t)part)
				_exit(1);
			at += part;
			usleep(200);
		}
		_exit(0);
	}
	digest_init(&digest);
	bytes_read = 0;
	for (;;) {
		if (reader == NULL) {
			bytes_read = 0;
			int status = rtev_memtrace_open_path(&reader, path, &options);
			CHECK(status == RTEV_OK || status == RTEV_E_MEMTRACE_END);
		}
		if (reader != NULL)
			CHECK_INT(read_on(&digest, reader, &events), RTEV_E_MEMTRACE_END);
		if (ended)
			break;
		int how;
		ended = waitpid(child, &how, WNOHANG) == child;
		CHECK(!ended || (WIFEXITED(how) && WEXITSTATUS(how) == 0));
	}
	check_digest(&digest, "0879bb378eea3fe5591fca01f4445a095221c8cd5528bd7f533a6a151042a124");
	CHECK_INT(events, 2830);
	CHECK_INT(bytes_read, file.size);
	rtev_memtrace_close(reader);
	close(fd);
	unlink(path);
	bytes_free(&file);
}

/* A file that is cut and begun anew is told from one that has not grown. */
static void test_cut_file(void)
{
	struct bytes file = data_file("small.ctf");
	struct rtev_memtrace_options options = {.size = sizeof(options), .follow = true};
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	char path[] = "memtrace-cut-XXXXXX";
	int fd = mkstemp(path), status;

	CHECK(fd >= 0 && write(fd, file.data, file.size) == (ssize_t)file.size);
	CHECK_INT(rtev_memtrace_open_path(&reader, path, &options), RTEV_OK);
	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK)
		;
	CHECK_INT(status, RTEV_E_MEMTRACE_END);
	CHECK_INT(ftruncate(fd, 0), 0);
	CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_E_MEMTRACE_CHANGED);
	CHECK_INT(rtev_memtrace_next(reader, &event), RTEV_E_MEMTRACE_CHANGED);
	rtev_memtrace_close(reader);
	close(fd);
	unlink(path);
	bytes_free(&file);
}

/* A descriptor is read from where it stands, and left there; a pipe is read as it comes. */
static void test_descriptors(void)
{
	struct bytes file = data_file("json-small.ctf");
	struct rtev_memtrace_reader *reader;
	struct digest digest;
	uint64_t events = 0, size;
	char path[] = "memtrace-fd-XXXXXX";
	int fd = mkstemp(path), ends[2];

	CHECK(fd >= 0 && write(fd, "before", 6) == 6);
	CHECK(write(fd, file.data, file.size) == (ssize_t)file.size);
	CHECK_INT(lseek(fd, 6, SEEK_SET), 6);
	CHECK_INT(rtev_memtrace_open_fd(&reader, fd, NULL), RTEV_OK);
	digest_init(&digest);
	CHECK_INT(read_on(&digest, reader, &events), RTEV_E_MEMTRACE_END);
	check_digest(&digest, "24ac152e196db4ee0fbb68f6940ecac5b66be9837ca6f5d6acd257a0624fe84e");
	CHECK_INT(lseek(fd, 0, SEEK_CUR), 6);
	CHECK_INT(rtev_memtrace_size(reader, &size), RTEV_OK);
	CHECK_INT(size, file.size + 6);
	rtev_memtrace_close(reader);
	close(fd);
	unlink(path);

	CHECK_INT(pipe(ends), 0);
	CHECK(write(ends[1], file.data, file.size) == (ssize_t)file.size);
	close(ends[1]);
	CHECK_INT(rtev_memtrace_open_fd(&reader, ends[0], NULL), RTEV_OK);
	digest_init(&digest);
	CHECK_INT(read_on(&digest, reader, &events), RTEV_E_MEMTRACE_END);
	check_digest(&digest, "24ac152e196db4ee0fbb68f6940ecac5b66be9837ca6f5d6acd257a0624fe84e");
	CHECK_INT(rtev_memtrace_size(reader, &size), RTEV_E_INVALID);
	rtev_memtrace_close(reader);
	close(ends[0]);
	bytes_free(&file);
}

/* What can't be opened. */
static void test_open_errors(void)
{
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	struct rtev_memtrace_options options = {.size = sizeof(options), .fault = &fault};
	struct rtev_memtrace_reader *reader;
	struct bytes old = data_file("lists_and_sets-v0.ctf");

	CHECK_INT(rtev_memtrace_open_path(&reader, "no-such-file.ctf", &options), RTEV_E_NOENT);
	CHECK_INT(fault.status, RTEV_E_NOENT);
	CHECK_INT(rtev_memtrace_open_path(&reader, ".", NULL), RTEV_E_NOT_REGULAR);
	CHECK_INT(rtev_memtrace_open_fd(&reader, -1, NULL), RTEV_E_IO);
	CHECK_INT(rtev_memtrace_open_memory(&reader, NULL, 0, &options), RTEV_E_MEMTRACE_UNDERFLOW);
	CHECK_INT(rtev_memtrace_open_memory(&reader, old.data, old.size, &options), RTEV_E_MEMTRACE_INFO);
	CHECK_INT(fault.offset, 66);
	static const char text[] =
	    "This is some text and no trace, and it is longer than a header is, to be sure.";
	CHECK_INT(rtev_memtrace_open_memory(&reader, text, sizeof(text), &options), RTEV_E_MEMTRACE_MAGIC);
	CHECK_INT(fault.offset, 0);
	CHECK(reader == NULL);
	rtev_memtrace_close(NULL);
	bytes_free(&old);
}

int main(void)
{
	RUN(test_digest);
	RUN(test_dumps);
	RUN(test_dump_text);
	RUN(test_info);
	RUN(test_skip);
	RUN(test_unchanged);
	RUN(test_lookup);
	RUN(test_bad_tail);
	RUN(test_truncated);
	RUN(test_grow);
	RUN(test_grow_inside);
	RUN(test_not_final);
	RUN(test_follow_file);
	RUN(test_cut_file);
	RUN(test_descriptors);
	RUN(test_open_errors);
	return 0;
}
