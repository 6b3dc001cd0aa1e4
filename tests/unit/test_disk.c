/*
 * test_disk.c - the file with a thread of its own: order, a slow reader, failed writes, what it refuses to
 * open.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/disk.h"
#include "test.h"

#define SIZE 4096u

/* The clock, in nanoseconds. */
static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Fill and hand back a buffer of one value; what disk_next said. */
static int fill(struct disk *disk, unsigned char value)
{
	void *data;
	int error = disk_next(disk, &data);

	if (error == 0) {
		memset(data, value, SIZE);
		disk_take(disk, SIZE);
	}
	return error;
}

/* A file of our own, its name in path. */
static int own_file(char path[32])
{
	strcpy(path, "./disk.XXXXXX");
	int fd = mkstemp(path);
	CHECK(fd >= 0);
	return fd;
}

/* What is taken arrives, in order, in place of what was there. */
static void in_order(void)
{
	char path[32];
	struct disk *disk;
	unsigned char byte;
	int fd = own_file(path);

	for (int i = 0; i < 100; i++)
		CHECK_INT(write(fd, path, sizeof(path)), sizeof(path));
	CHECK_INT(disk_create(&disk, fd, SIZE, 4), 0);
	for (unsigned i = 0; i < 200; i++)
		CHECK_INT(fill(disk, (unsigned char)i), 0);
	CHECK_INT(disk_bytes(disk), 200 * SIZE);
	CHECK_INT(disk_close(disk, "end", 3), 0);
	fd = open(path, O_RDONLY);
	for (unsigned i = 0; i < 200; i++) {
		CHECK_INT(pread(fd, &byte, 1, (off_t)i * SIZE + 7), 1);
		CHECK_INT(byte, i);
	}
	CHECK_INT(lseek(fd, 0, SEEK_END), 200 * SIZE + 3);
	close(fd);
	unlink(path);
}

/* Reads a pipe to its end, slowly at first; returns how many bytes came. */
static void *slow_reader(void *ctx)
{
	unsigned char data[SIZE];
	size_t total = 0;
	ssize_t n;

	nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
	while ((n = read(*(int *)ctx, data, sizeof(data))) > 0)
		total += (size_t)n;
	return (void *)(uintptr_t)total;
}

/* A slow reader holds nobody up while there are buffers, and nothing is missing in the end. */
static void slow(void)
{
	int ends[2];
	pthread_t thread;
	struct disk *disk;
	void *total;

	CHECK_INT(pipe(ends), 0);
	CHECK_INT(pthread_create(&thread, NULL, slow_reader, &ends[0]), 0);
	CHECK_INT(disk_create(&disk, ends[1], SIZE, 64), 0);
	uint64_t begin = now();
	for (unsigned i = 0; i < 64; i++)
		CHECK_INT(fill(disk, 1), 0);
	/* The reader sleeps for 0.3 s, and the pipe holds fewer than 64 buffers. */
	CHECK(now() - begin < 200000000u);
	CHECK(disk_room(disk) < 64);
	for (unsigned i = 0; i < 64; i++)
		CHECK_INT(fill(disk, 2), 0);
	CHECK(now() - begin > 250000000u);
	CHECK_INT(disk_close(disk, "", 0), 0);
	pthread_join(thread, &total);
	CHECK_INT((uintptr_t)total, 128 * SIZE);
	close(ends[0]);
}

/* The end need not be waited for. */
static void ends_by_itself(void)
{
	int ends[2];
	pthread_t thread;
	struct disk *disk;
	void *total;

	CHECK_INT(pipe(ends), 0);
	CHECK_INT(disk_create(&disk, ends[1], SIZE, 64), 0);
	for (unsigned i = 0; i < 64; i++)
		CHECK_INT(fill(disk, 1), 0);
	disk_end(disk, "end", 3);
	/* The pipe holds fewer than 64 buffers, and nobody reads yet. */
	CHECK(!disk_ended(disk));
	CHECK_INT(pthread_create(&thread, NULL, slow_reader, &ends[0]), 0);
	while (!disk_ended(disk))
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	CHECK_INT(disk_close(disk, "another end", 11), 0);
	pthread_join(thread, &total);
	CHECK_INT((uintptr_t)total, 64 * SIZE + 3);
	close(ends[0]);
}

/* Nobody reads any more: the failure is told by every later call. */
static void broken_pipe(void)
{
	int ends[2], error = 0;
	struct disk *disk;

	CHECK_INT(pipe(ends), 0);
	close(ends[0]);
	CHECK_INT(disk_create(&disk, ends[1], SIZE, 4), 0);
	for (unsigned i = 0; i < 1000 && error == 0; i++)
		error = fill(disk, 3);
	CHECK_INT(error, EPIPE);
	CHECK_INT(disk_error(disk), EPIPE);
	CHECK_INT(fill(disk, 3), EPIPE);
	CHECK_INT(disk_close(disk, "tail", 4), EPIPE);
}

/* A file that may not grow ends with the last whole buffer, and the tail. */
static void full(void)
{
	const struct rlimit limit = {10 * SIZE + 100, RLIM_INFINITY};
	struct rlimit before;
	char path[32];
	struct stat st;
	struct disk *disk;
	int error = 0, fd = own_file(path);

	CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK_INT(disk_create(&disk, fd, SIZE, 4), 0);
	for (unsigned i = 0; i < 1000 && error == 0; i++)
		error = fill(disk, 3);
	CHECK_INT(error, EFBIG);
	CHECK_INT(disk_close(disk, "tail", 4), EFBIG);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK_INT(stat(path, &st), 0);
	CHECK_INT(st.st_size, 10 * SIZE + 4);
	unlink(path);
}

/* What is no regular file is refused at once, and nothing is made of it. */
static void refused(void)
{
	char path[32];
	bool made;

	close(own_file(path));
	int fd = disk_open(path, &made);
	CHECK(fd >= 0 && !made && disk_same(fd, path) && !disk_same(fd, "."));
	close(fd);
	unlink(path);
	fd = disk_open(path, &made);
	CHECK(fd >= 0 && made);
	close(fd);
	unlink(path);
	CHECK_INT(mkfifo(path, 0600), 0);
	errno = 1;
	CHECK(disk_open(path, &made) < 0 && errno == 0 && !made);
	unlink(path);
	errno = 1;
	CHECK(disk_open("/dev/null", &made) < 0 && errno == 0);
	CHECK(disk_open(".", &made) < 0 && errno == EISDIR);
	CHECK(disk_open("no/such/directory", &made) < 0 && errno == ENOENT);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	RUN(in_order);
	RUN(slow);
	RUN(ends_by_itself);
	RUN(broken_pipe);
	RUN(full);
	RUN(refused);
	return 0;
}
