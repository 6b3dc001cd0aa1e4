/*
 * test_disk.c - the file with a thread of its own: order, readers that are slow or stand still, failed
 * writes, the tail, the name.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files/disk.h"
#include "support/test.h"

#define SIZE 4096u

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

/* What is taken arrives, in order. */
TEST(in_order)
{
	char path[32];
	struct disk *disk;
	unsigned char byte;
	int fd = own_file(path);

	CHECK_INT(disk_create(&disk, &(struct disk_file){.fd = fd, .tail = "end"}, SIZE, 4), 0);
	for (unsigned i = 0; i < 200; i++)
		CHECK_INT(fill(disk, (unsigned char)i), 0);
	CHECK_INT(disk_look(disk).bytes, 200 * SIZE);
	CHECK_INT(disk_close(disk).error, 0);
	fd = open(path, O_RDONLY);
	for (unsigned i = 0; i < 200; i++) {
		CHECK_INT(pread(fd, &byte, 1, (off_t)i * SIZE + 7), 1);
		CHECK_INT(byte, i);
	}
	CHECK_INT(lseek(fd, 0, SEEK_END), 200 * SIZE + 3);
	close(fd);
	unlink(path);
}

/* Who reads a pipe to its end, once it may. */
struct reader {
	int fd;
	sem_t go;
	size_t total; /* bytes that came */
	pthread_t thread;
};

static void *read_pipe(void *ctx)
{
	struct reader *r = ctx;
	unsigned char data[SIZE];
	ssize_t n;

	sem_wait(&r->go);
	while ((n = read(r->fd, data, sizeof(data))) > 0)
		r->total += (size_t)n;
	return NULL;
}

static void reader_start(struct reader *r, int fd)
{
	*r = (struct reader){.fd = fd};
	CHECK_INT(sem_init(&r->go, 0, 0), 0);
	CHECK_INT(pthread_create(&r->thread, NULL, read_pipe, r), 0);
}

static size_t reader_join(struct reader *r)
{
	pthread_join(r->thread, NULL);
	sem_destroy(&r->go);
	close(r->fd);
	return r->total;
}

/* Wait a moment. */
static void nap(unsigned ms)
{
	nanosleep(&(struct timespec){.tv_nsec = (long)ms * 1000000}, NULL);
}

/* Who fills one buffer, which may have to wait. */
struct filler {
	struct disk *disk;
	atomic_bool done;
};

static void *fill_one(void *ctx)
{
	struct filler *f = ctx;

	CHECK_INT(fill(f->disk, 2), 0);
	atomic_store(&f->done, true);
	return NULL;
}

/* A reader that stands still holds nobody up while there are buffers; then it does; and nothing is missing in
 * the end. */
TEST(slow)
{
	int ends[2];
	pthread_t thread;
	struct reader reader;
	struct filler filler = {.disk = NULL};

	CHECK_INT(pipe(ends), 0);
	CHECK_INT(fcntl(ends[1], F_SETPIPE_SZ, 4 * SIZE), 4 * SIZE);
	reader_start(&reader, ends[0]);
	CHECK_INT(disk_create(&filler.disk, &(struct disk_file){.fd = ends[1]}, SIZE, 64), 0);
	/* A fill that waited for the reader would wait for ever. */
	for (unsigned i = 0; i < 64; i++)
		CHECK_INT(fill(filler.disk, 1), 0);
	CHECK(disk_look(filler.disk).room < 64);
	/* The pipe takes four more; after that no buffer becomes free before the reader goes. */
	for (unsigned i = 0; i < 4; i++) {
		while (disk_look(filler.disk).room == 0)
			nap(1);
		CHECK_INT(fill(filler.disk, 1), 0);
	}
	CHECK_INT(disk_look(filler.disk).room, 0);
	CHECK_INT(pthread_create(&thread, NULL, fill_one, &filler), 0);
	nap(50);
	CHECK(!atomic_load(&filler.done));
	sem_post(&reader.go);
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < 59; i++)
		CHECK_INT(fill(filler.disk, 2), 0);
	CHECK_INT(disk_close(filler.disk).error, 0);
	CHECK_INT(reader_join(&reader), 128 * SIZE);
}

/* The end need not be waited for. */
TEST(ends_by_itself)
{
	int ends[2];
	struct reader reader;
	struct disk *disk;

	CHECK_INT(pipe(ends), 0);
	CHECK_INT(disk_create(&disk, &(struct disk_file){.fd = ends[1], .tail = "end"}, SIZE, 64), 0);
	for (unsigned i = 0; i < 64; i++)
		CHECK_INT(fill(disk, 1), 0);
	disk_end(disk);
	/* The pipe holds fewer than 64 buffers, and nobody reads yet. */
	CHECK(!disk_look(disk).ended);
	reader_start(&reader, ends[0]);
	sem_post(&reader.go);
	while (!disk_look(disk).ended)
		nap(1);
	CHECK_INT(disk_close(disk).error, 0);
	CHECK_INT(reader_join(&reader), 64 * SIZE + 3);
}

/* Nobody reads any more: the failure is told by every later call. */
TEST(broken_pipe)
{
	int ends[2], error = 0;
	struct disk *disk;

	CHECK_INT(pipe(ends), 0);
	close(ends[0]);
	CHECK_INT(disk_create(&disk, &(struct disk_file){.fd = ends[1], .tail = "tail"}, SIZE, 4), 0);
	for (unsigned i = 0; i < 1000 && error == 0; i++)
		error = fill(disk, 3);
	CHECK_INT(error, EPIPE);
	CHECK_INT(disk_look(disk).error, EPIPE);
	CHECK_INT(fill(disk, 3), EPIPE);
	CHECK_INT(disk_close(disk).error, EPIPE);
}

/* A pipe that nobody reads, full but for the room of a few buffers; the descriptor of its reader. */
static int stuck(struct disk **disk, const struct disk_file *file)
{
	struct disk_file own = *file;
	int ends[2];

	CHECK_INT(pipe(ends), 0);
	CHECK_INT(fcntl(ends[1], F_SETPIPE_SZ, SIZE), SIZE);
	own.fd = ends[1];
	CHECK_INT(disk_create(disk, &own, SIZE, 4), 0);
	/* The pipe takes one, and the thread has another in hand. */
	for (unsigned i = 0; i < 5; i++)
		CHECK_INT(fill(*disk, 3), 0);
	return ends[0];
}

/* What stands still is given up, at its end or while it is filled. */
TEST(given_up)
{
	struct disk *disk;
	int reader = stuck(&disk, &(struct disk_file){.tail = "tail"});

	CHECK_INT(disk_look(disk).written, SIZE);
	disk_end(disk);
	CHECK(!disk_look(disk).ended);
	disk_abandon(disk);
	CHECK_INT(disk_close(disk).error, ECANCELED);
	close(reader);
}

/* Counts how often it is asked, and says yes in the end. */
static bool not_for_ever(void *ctx, uint64_t written)
{
	unsigned *asked = ctx;

	CHECK_INT(written, SIZE);
	return ++*asked == 3;
}

TEST(asked_while_waiting)
{
	unsigned asked = 0;
	struct disk *disk;
	int reader = stuck(&disk, &(struct disk_file){.waiting = not_for_ever, .ctx = &asked});

	while (fill(disk, 3) == 0)
		continue;
	CHECK_INT(disk_look(disk).error, ECANCELED);
	CHECK_INT(asked, 3);
	CHECK_INT(disk_close(disk).error, ECANCELED);
	close(reader);
}

/* Whether a file has so many buffers of one value, and then a text. */
static bool holds(int fd, unsigned buffers, unsigned char value, const char *text)
{
	static unsigned char data[16 * SIZE];
	size_t len = strlen(text);
	ssize_t n = pread(fd, data, sizeof(data), 0);

	for (size_t i = 0; i < buffers * SIZE; i++)
		if (data[i] != value)
			return false;
	return n == (ssize_t)(buffers * SIZE + len) && memcmp(data + buffers * SIZE, text, len) == 0;
}

/* The tail of a regular file is there after each buffer. */
TEST(always_complete)
{
	char path[32];
	struct disk *disk;
	int fd = own_file(path), look = open(path, O_RDONLY);

	CHECK_INT(disk_create(&disk, &(struct disk_file){.fd = fd, .tail = "tail"}, SIZE, 4), 0);
	for (unsigned i = 1; i <= 10; i++) {
		CHECK_INT(fill(disk, 3), 0);
		while (disk_look(disk).written < i * SIZE)
			nap(1);
		CHECK(holds(look, i, 3, "tail"));
	}
	CHECK_INT(disk_close(disk).error, 0);
	CHECK(holds(look, 10, 3, "tail"));
	close(look);
	unlink(path);
}

/* A regular file that is written as a stream gets its tail once. */
TEST(as_stream)
{
	char path[32];
	struct disk *disk;
	int fd = own_file(path), look = open(path, O_RDONLY);

	close(fd);
	fd = open(path, O_WRONLY | O_APPEND);
	CHECK_INT(
	    disk_create(&disk, &(struct disk_file){.fd = fd, .stream = true, .tail = "tail"}, SIZE, 4), 0);
	CHECK_INT(fill(disk, 3), 0);
	while (disk_look(disk).written < SIZE)
		nap(1);
	CHECK(holds(look, 1, 3, ""));
	CHECK_INT(fill(disk, 3), 0);
	CHECK_INT(disk_close(disk).error, 0);
	CHECK(holds(look, 2, 3, "tail"));
	close(look);
	unlink(path);
}

/* A file that takes no bytes any more, not even over those that it has, is told as torn. */
TEST(torn)
{
	int fd = memfd_create("torn", MFD_ALLOW_SEALING), look = dup(fd);
	struct disk *disk;

	CHECK(fd >= 0);
	CHECK_INT(disk_create(&disk, &(struct disk_file){.fd = fd, .tail = "tail"}, SIZE, 4), 0);
	CHECK_INT(fill(disk, 3), 0);
	while (disk_look(disk).written < SIZE)
		nap(1);
	CHECK_INT(fcntl(look, F_ADD_SEALS, F_SEAL_WRITE), 0);
	CHECK_INT(fill(disk, 3), 0);
	const struct disk_result result = disk_close(disk);
	CHECK_INT(result.error, EPERM);
	CHECK(result.torn);
	CHECK(holds(look, 1, 3, ""));
	close(look);
}

/* A file that may not grow ends with the last whole buffer, and the tail. */
static void full_at(unsigned buffers, rlim_t room)
{
	const struct rlimit limit = {room, RLIM_INFINITY};
	struct rlimit before;
	char path[32];
	struct stat st;
	struct disk *disk;
	int error = 0, fd = own_file(path), look = open(path, O_RDONLY);

	CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK_INT(disk_create(&disk, &(struct disk_file){.fd = fd, .tail = "tail"}, SIZE, 4), 0);
	for (unsigned i = 0; i < 1000 && error == 0; i++)
		error = fill(disk, 3);
	CHECK_INT(error, EFBIG);
	const struct disk_result result = disk_close(disk);
	CHECK_INT(result.error, EFBIG);
	CHECK(!result.torn);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK_INT(stat(path, &st), 0);
	CHECK_INT(st.st_size, buffers * SIZE + 4);
	CHECK(holds(look, buffers, 3, "tail"));
	close(look);
	unlink(path);
}

TEST(full)
{
	full_at(10, 10 * SIZE + 100);
	full_at(10, 10 * SIZE + 4);
	/* Another buffer would have room, but its tail would not. */
	full_at(9, 10 * SIZE + 3);
}

/* Who gives a file its name, and what stood in it then. */
struct naming {
	int fd, error;
	unsigned calls;
	off_t size;
};

static int note_publish(void *ctx)
{
	struct naming *n = ctx;
	struct stat st;

	n->calls++;
	n->size = fstat(n->fd, &st) == 0 ? st.st_size : -1;
	return n->error;
}

/* Write some buffers to a file that may grow to `room`, whose name is given by n; the errno of the first
 * failure. */
static int write_named(struct naming *n, unsigned buffers, rlim_t room)
{
	const struct rlimit limit = {room, RLIM_INFINITY};
	struct rlimit before;
	struct disk *disk;
	char path[32];

	int fd = own_file(path);
	n->fd = dup(fd);
	CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	const struct disk_file file = {.fd = fd, .tail = "tail", .publish = note_publish, .ctx = n};
	CHECK_INT(disk_create(&disk, &file, SIZE, 4), 0);
	for (unsigned i = 0; i < buffers && fill(disk, 1) == 0; i++)
		continue;
	int error = disk_close(disk).error;
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
	close(n->fd);
	unlink(path);
	return error;
}

/* The name is given once, when there is a whole buffer to be found, or at the end of a file that needed none;
 * never to one that got nothing. */
TEST(gets_its_name)
{
	struct naming n = {.calls = 0};

	CHECK_INT(write_named(&n, 10, RLIM_INFINITY), 0);
	CHECK_INT(n.calls, 1);
	CHECK_INT(n.size, SIZE + 4);
	n = (struct naming){.calls = 0};
	CHECK_INT(write_named(&n, 0, RLIM_INFINITY), 0);
	CHECK_INT(n.calls, 1);
	CHECK_INT(n.size, 4);
	n = (struct naming){.calls = 0};
	CHECK_INT(write_named(&n, 3, SIZE + 3), EFBIG);
	CHECK_INT(n.calls, 0);
	n = (struct naming){.calls = 0};
	CHECK_INT(write_named(&n, 3, SIZE + 4), EFBIG);
	CHECK_INT(n.calls, 1);
	n = (struct naming){.error = EEXIST};
	CHECK_INT(write_named(&n, 3, RLIM_INFINITY), EEXIST);
	CHECK_INT(n.calls, 1);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	test_run();
	return 0;
}
