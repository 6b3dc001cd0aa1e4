/*
 * test_cursor_open.c - what is a ring file and what is none: files of every kind and size, headers of every
 * value, files that are still being created, and rings beyond the end of their file.  No open blocks.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

static char dir[64];

/* Return the path of a file in the test's directory. */
static const char *path_of(const char *name)
{
	static _Thread_local char paths[4][128];
	static _Thread_local unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* Open by path; the cursor is closed again. */
static int open_status(const char *path)
{
	struct rtev_cursor *cursor = (void *)dir;
	int status = rtev_cursor_open_path(&cursor, path, NULL);

	CHECK((cursor != NULL) == (status == RTEV_OK));
	rtev_cursor_close(cursor);
	return status;
}

/* Open from memory; the cursor is closed again. */
static int memory_status(const void *data, size_t size)
{
	struct rtev_cursor *cursor = (void *)dir;
	int status = rtev_cursor_open_memory(&cursor, data, size, NULL);

	CHECK((cursor != NULL) == (status == RTEV_OK));
	rtev_cursor_close(cursor);
	return status;
}

/* Write a file of given content. */
static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		TEST_FAIL("could not write %s", path);
}

/* A good file opens by path, by descriptor, by directory and pid, and through a link. */
TEST(good_files)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
	struct rtev_cursor *cursor;
	struct recorder r = {0};
	const void *address;
	size_t size;

	image_begin(image, 0, 0);
	image_save(image, path_of("4242.events"), image->size);
	CHECK_INT(open_status(path_of("4242.events")), RTEV_OK);
	CHECK_INT(rtev_cursor_open_pid(&cursor, dir, 4242, NULL), RTEV_OK);
	EXPECT_POLL(&r, cursor, "0 1010 begin explicit_gc_set\n");
	rtev_cursor_mapping(cursor, &address, &size);
	CHECK(address != NULL);
	CHECK_INT(size, image->size);
	CHECK(memcmp(address, image->base, size) == 0);
	CHECK_INT(rtev_cursor_close(cursor), RTEV_OK);

	CHECK(symlink("4242.events", path_of("link")) == 0);
	CHECK_INT(open_status(path_of("link")), RTEV_OK);

	int fd = open(path_of("4242.events"), O_RDONLY);
	CHECK(fd >= 0);
	CHECK_INT(rtev_cursor_open_fd(&cursor, fd, NULL), RTEV_OK);
	/* The descriptor stays open, and the mapping does not need it, nor a name. */
	CHECK(fcntl(fd, F_GETFD) >= 0);
	close(fd);
	CHECK(unlink(path_of("4242.events")) == 0);
	EXPECT_POLL(&r, cursor, "0 1010 begin explicit_gc_set\n");
	CHECK_INT(rtev_cursor_close(cursor), RTEV_OK);

	cursor = image_open_with(image, NULL);
	rtev_cursor_mapping(cursor, &address, &size);
	CHECK_INT(size, 0);
}

/* The name of a file says nothing: 0, negative and large pids are looked up as they are written. */
TEST(pids)
{
	struct rtev_cursor *cursor;
	char longest[5000];

	CHECK_INT(rtev_cursor_open_pid(&cursor, dir, 1, NULL), RTEV_E_NOENT);
	CHECK_INT(rtev_cursor_open_pid(&cursor, dir, -1, NULL), RTEV_E_NOENT);
	CHECK_INT(rtev_cursor_open_pid(&cursor, dir, INT64_MAX, NULL), RTEV_E_NOENT);
	CHECK_INT(rtev_cursor_open_pid(&cursor, NULL, INT64_MAX, NULL), RTEV_E_NOENT);
	CHECK_INT(rtev_cursor_open_pid(&cursor, path_of("nowhere"), 1, NULL), RTEV_E_NOENT);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	CHECK_INT(rtev_cursor_open_pid(&cursor, longest, 1, NULL), RTEV_E_PATH);
	CHECK(cursor == NULL);
	CHECK_INT(open_status(longest), RTEV_E_PATH);
}

/* Whatever is no regular file is refused, and not even opened where that could block. */
TEST(irregular_files)
{
	CHECK(mkfifo(path_of("fifo"), 0600) == 0);
	CHECK_INT(open_status(path_of("fifo")), RTEV_E_NOT_REGULAR);
	CHECK_INT(open_status(dir), RTEV_E_NOT_REGULAR);
	CHECK_INT(open_status("/dev/null"), RTEV_E_NOT_REGULAR);
	CHECK_INT(open_status("/dev/zero"), RTEV_E_NOT_REGULAR);
	CHECK(symlink("fifo", path_of("to_fifo")) == 0);
	CHECK_INT(open_status(path_of("to_fifo")), RTEV_E_NOT_REGULAR);
	struct rtev_cursor *cursor;
	static const char *const names[] = {"/dev/null", "/dev/zero", "/", NULL};
	for (int i = 0; names[i] != NULL; i++) {
		int fd = open(names[i], O_RDONLY);
		CHECK(fd >= 0);
		CHECK_INT(rtev_cursor_open_fd(&cursor, fd, NULL), RTEV_E_NOT_REGULAR);
		close(fd);
	}
	int pipes[2];
	CHECK(pipe(pipes) == 0);
	CHECK_INT(rtev_cursor_open_fd(&cursor, pipes[0], NULL), RTEV_E_NOT_REGULAR);
	close(pipes[0]);
	close(pipes[1]);
	CHECK_INT(rtev_cursor_open_fd(&cursor, -1, NULL), RTEV_E_IO);
	CHECK(cursor == NULL);
}

/* Files that are not there. */
TEST(missing_files)
{
	CHECK_INT(open_status(path_of("nothing")), RTEV_E_NOENT);
	CHECK_INT(open_status(""), RTEV_E_NOENT);
	CHECK(symlink("nothing", path_of("dangling")) == 0);
	CHECK_INT(open_status(path_of("dangling")), RTEV_E_NOENT);
	CHECK(symlink("loop", path_of("loop")) == 0);
	CHECK_INT(open_status(path_of("loop")), RTEV_E_LOOP);
	write_file(path_of("plain"), "", 0);
	CHECK_INT(open_status(path_of("plain/1.events")), RTEV_E_NOENT);
}

/* Files that may not be read. */
TEST(forbidden_files)
{
	if (geteuid() == 0) {
		printf("root may read everything: not tried\n");
		return;
	}
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	image_save(image, path_of("forbidden"), image->size);
	CHECK(chmod(path_of("forbidden"), 0) == 0);
	CHECK_INT(open_status(path_of("forbidden")), RTEV_E_ACCESS);
}

/* Files of all small sizes, of zeros and of noise. */
TEST(small_files)
{
	unsigned char zeros[200] = {0}, noise[200];
	uint64_t seed = 7;

	for (size_t i = 0; i < sizeof(noise); i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		noise[i] = (unsigned char)(seed >> 56) | 1;
	}
	for (size_t size = 0; size <= sizeof(zeros); size++) {
		int expected = size == 0 ? RTEV_E_NOT_READY : size < 64 ? RTEV_E_FORMAT : RTEV_E_NOT_READY;
		write_file(path_of("small"), zeros, size);
		CHECK_INT(open_status(path_of("small")), expected);
		expected = size == 0 ? RTEV_E_NOT_READY : RTEV_E_FORMAT;
		write_file(path_of("small"), noise, size);
		CHECK_INT(open_status(path_of("small")), expected);
	}
}

/* A file of text is no ring. */
TEST(text_file)
{
	char text[4000];

	memset(text, ' ', sizeof(text));
	CHECK_INT(memory_status(text, 4000), RTEV_E_FORMAT);
	memcpy(text, "{\"ts\":1}\n", 9);
	CHECK_INT(memory_status(text, 4000), RTEV_E_FORMAT);
}

/* Memory has to be there and aligned. */
TEST(memory_arguments)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);

	CHECK_INT(memory_status(NULL, 0), RTEV_E_INVALID);
	CHECK_INT(memory_status(NULL, 100000), RTEV_E_INVALID);
	CHECK_INT(memory_status(image->base + 4, image->size - 4), RTEV_E_INVALID);
	CHECK_INT(memory_status(image->base, 0), RTEV_E_NOT_READY);
	CHECK_INT(memory_status(image->base, 63), RTEV_E_FORMAT);
	CHECK_INT(memory_status(image->base, image->size), RTEV_OK);
}

/* Options of a wrong size, or with a release that there is not. */
TEST(options)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct rtev_cursor_options o = {.size = sizeof(o)};

	struct rtev_cursor *cursor = image_open_with(image, &o);
	image_close(image);
	o.size = sizeof(size_t);
	o.release = (enum rtev_release)77;
	cursor = image_open_with(image, &o);
	CHECK_INT(rtev_cursor_release(cursor), RTEV_RELEASE_UNKNOWN);
	image_close(image);
	o.size = sizeof(o);
	CHECK_INT(rtev_cursor_open_memory(&cursor, image->base, image->size, &o), RTEV_E_INVALID);
	CHECK(cursor == NULL);
	o = (struct rtev_cursor_options){.size = sizeof(o) + 1};
	CHECK_INT(rtev_cursor_open_memory(&cursor, image->base, image->size, &o), RTEV_E_INVALID);
	o.size = 0;
	CHECK_INT(rtev_cursor_open_memory(&cursor, image->base, image->size, &o), RTEV_E_INVALID);
}

/* A file as its creator makes it, step by step: until the last number stands there it is not ready. */
TEST(file_in_creation)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
	uint64_t header[8];

	memcpy(header, image->base, sizeof(header));
	memset(image->base, 0, sizeof(header));
	const char *path = path_of("growing");
	write_file(path, "", 0);
	CHECK_INT(open_status(path), RTEV_E_NOT_READY);
	for (size_t words = 0; words < 7; words++) {
		memcpy(image->base, header, words * 8);
		image_save(image, path, image->size);
		CHECK_INT(open_status(path), RTEV_E_NOT_READY);
	}
	for (size_t words = 7; words <= 8; words++) {
		memcpy(image->base, header, words * 8);
		image_save(image, path, image->size);
		CHECK_INT(open_status(path), RTEV_OK);
	}
}

/* Create a ring file slowly. */
static void *create_slowly(void *ctx)
{
	const struct ring_image *image = ctx;
	const struct timespec pause = {.tv_nsec = 2000000};
	int fd = open(path_of("slow"), O_RDWR | O_CREAT, 0600);

	CHECK(fd >= 0);
	nanosleep(&pause, NULL);
	CHECK(ftruncate(fd, (off_t)image->size) == 0);
	for (size_t at = 0; at < 64; at += 8) {
		nanosleep(&pause, NULL);
		CHECK(pwrite(fd, image->base + at, 8, (off_t)at) == 8);
	}
	close(fd);
	return NULL;
}

/* Who tries again while told that a file is not ready, or not there, gets in at last. */
TEST(wait_for_a_file)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 2, 64);
	pthread_t thread;
	int status;

	CHECK(pthread_create(&thread, NULL, create_slowly, image) == 0);
	while ((status = open_status(path_of("slow"))) != RTEV_OK)
		CHECK(status == RTEV_E_NOENT || status == RTEV_E_NOT_READY);
	pthread_join(thread, NULL);
}

/* Rings that lie beyond the end of the file are not there; the others are read, and the names are not looked
 * for. */
TEST(rings_beyond_the_end)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 4, 64);
	struct rtev_ring_info info = {.size = sizeof(info)};

	for (unsigned d = 0; d < 4; d++)
		image_unit(image, d, 3);
	image_name(image, 3, "name");
	uint64_t data = image->metadata->data_offset;
	for (unsigned rings = 0; rings <= 4; rings++) {
		for (int more = 0; more < 2; more++) {
			struct rtev_cursor *cursor;
			struct recorder r = {.silent = true};
			size_t size = data + rings * 512 + (more ? 511 : 0);
			int status = rtev_cursor_open_memory(&cursor, image->base, size, NULL);
			CHECK_INT(status, rings == 0 ? RTEV_E_TRUNCATED : RTEV_OK);
			if (rings == 0)
				continue;
			rtev_cursor_info(cursor, &info);
			CHECK_INT(info.domains, rings);
			CHECK_INT(info.max_domains, 4);
			CHECK(!info.has_names);
			CHECK_INT(recorder_poll(&r, cursor, 0), rings);
			CHECK_INT(rtev_cursor_lag(cursor, rings, NULL, NULL, NULL), RTEV_E_INVALID);
			rtev_cursor_close(cursor);
		}
	}
}

/* A runtime told to make rings of 2^22 words makes a small file with a large header. */
TEST(header_larger_than_the_file)
{
	struct ring_metadata m = {.version = 1,
	    .max_domains = 128,
	    .ring_header_bytes = 80,
	    .ring_bytes = 33554432,
	    .ring_words = 4194304,
	    .headers_offset = 64,
	    .data_offset = 10304,
	    .names_offset = 10304 + UINT64_C(33554432) * 128};
	unsigned char *base = calloc(1, 1058880);

	CHECK(base != NULL);
	memcpy(base, &m, sizeof(m));
	CHECK_INT(memory_status(base, 1058880), RTEV_E_TRUNCATED);
	free(base);
}

/* Whatever one number of the header is: an answer, no access outside of the memory, and a poll that ends.
 * The memory ends where the file does, so that a sanitizer sees any step beyond. */
TEST(any_number_in_the_header)
{
	static const uint64_t values[] = {0, 1, 2, 7, 8, 15, 16, 55, 56, 63, 64, 65, 72, 79, 80, 81, 88, 127,
	    128, 255, 256, 511, 512, 513, 1024, 4095, 4096, 4097, 65536, 1 << 20, UINT32_MAX,
	    UINT64_C(1) << 32, UINT64_C(1) << 40, UINT64_C(1) << 41, UINT64_C(1) << 60, UINT64_C(1) << 61,
	    UINT64_C(1) << 63, UINT64_MAX - 63, UINT64_MAX - 7, UINT64_MAX};
	struct ring_image *image = image_make(LAYOUT_5_1, 4, 64);

	for (unsigned d = 0; d < 4; d++)
		for (unsigned i = 0; i < 40; i++)
			image_unit(image, d, i);
	size_t sizes[] = {image->size, image->size - NAMES_BYTES, image->metadata->data_offset + 100, 64, 72};
	uint64_t *words = (uint64_t *)(void *)image->base;
	for (size_t field = 0; field < 8; field++) {
		for (size_t second = field; second < 8; second++) {
			uint64_t old = words[field], old_second = words[second];
			for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
				words[field] = values[i];
				words[second] =
				    values[(i * 7 + second) % (sizeof(values) / sizeof(values[0]))];
				for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
					/* All sizes with one number changed, one with two. */
					if (s != 1 && second != field)
						continue;
					unsigned char *copy = malloc(sizes[s]);
					CHECK(copy != NULL);
					memcpy(copy, image->base, sizes[s]);
					struct rtev_cursor *cursor;
					struct recorder r = {.silent = true};
					struct rtev_scan scan = {.size = sizeof(scan)};
					if (rtev_cursor_open_memory(&cursor, copy, sizes[s], NULL) ==
					    RTEV_OK) {
						CHECK_INT(
						    rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
						CHECK_INT(recorder_try(&r, cursor, 0, NULL), RTEV_OK);
						rtev_cursor_close(cursor);
					}
					free(copy);
				}
			}
			words[field] = old;
			words[second] = old_second;
		}
	}
}

/* Leave nothing behind. */
static void remove_dir(void)
{
	static const char *const names[] = {"4242.events", "link", "fifo", "to_fifo", "dangling", "loop",
	    "plain", "forbidden", "small", "growing", "slow", NULL};

	for (int i = 0; names[i] != NULL; i++)
		unlink(path_of(names[i]));
	rmdir(dir);
}

/* Run the tests. */
int main(void)
{
	snprintf(dir, sizeof(dir), "open-XXXXXX");
	if (mkdtemp(dir) == NULL)
		TEST_FAIL("mkdtemp: %s", strerror(errno));
	atexit(remove_dir);
	/* An open that blocks ends the test. */
	test_run();
	return 0;
}
