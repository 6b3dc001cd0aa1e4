/*
 * test_memtrace_sources.c - where a trace comes from: memory that grows, files that are written, cut or can't
 * be opened, descriptors and pipes.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/memtrace_dump.h"
#include "support/test.h"

/* A trace that grows, byte by byte at first: nothing is lost, nothing comes twice. */
TEST(test_grow)
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
TEST(test_grow_inside)
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
TEST(test_not_final)
{
	struct bytes file = data_file("json-small.ctf");
	struct notices notices = {.count = 0};
	struct rtev_memtrace_options options = {
	    .size = sizeof(options), .ctx = &notices, .notice = notices_take};
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

/* A file that another process writes, in pieces that are no packets, is followed to its end; each byte is
 * read once. */
TEST(test_follow_file)
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
TEST(test_cut_file)
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
TEST(test_descriptors)
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
TEST(test_open_errors)
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
