/*
 * test_fxt_files.c - traces into files, devices and pipes: those that fill up or break leave whole records
 * behind, those that are slow lose nothing.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "support/fxt_destination.h"

/* Run `body` while no file may grow beyond `limit` bytes. */
static void with_file_limit(rlim_t limit, void (*body)(rlim_t limit))
{
	struct rlimit old, now;
	CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
	CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	now = old;
	now.rlim_cur = limit;
	CHECK(setrlimit(RLIMIT_FSIZE, &now) == 0);
	body(limit);
	CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
}

/* A file that can't grow: cut back to whole records, so that it can be read. */
static void file_without_space(rlim_t limit)
{
	const char *path = "test_fxt_destinations.tmp";
	struct rtev_fxt_destination *destination;
	struct names n;
	uint64_t written;
	size_t size = 0;
	CHECK_INT(rtev_fxt_file_create(&destination, path, 4096), RTEV_OK);
	struct rtev_fxt_writer *w = make(destination, &n);
	CHECK_INT(write_until_failure(w, &n, &written), RTEV_E_FXT_NO_SPACE);
	check_stopped(w, &n, RTEV_E_FXT_NO_SPACE);
	unsigned char *data = bytes_of_file(path, &size);
	CHECK(data != NULL);
	CHECK(size <= limit && limit - size < 40);
	CHECK(count_events(data, size) > limit / 40);
	free(data);

	/* A limit is kept at the end: the last buffer is written by closing. */
	CHECK_INT(rtev_fxt_file_create(&destination, path, 1 << 20), RTEV_OK);
	w = make(destination, &n);
	for (uint64_t i = 0; i < 20000; i++)
		CHECK_INT(write_event(w, &n, i), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_E_FXT_NO_SPACE);
	CHECK_INT(rtev_fxt_writer_failure(w), RTEV_E_FXT_NO_SPACE);
	rtev_fxt_writer_destroy(w);
	data = bytes_of_file(path, &size);
	CHECK(data != NULL);
	CHECK(size <= limit && limit - size < 40);
	CHECK(count_events(data, size) > limit / 40);
	free(data);
	CHECK(unlink(path) == 0);
}

/* What stands behind the place written to is not cut off. */
static void inside_a_file(rlim_t limit)
{
	int fd = open("test_fxt_destinations.tmp", O_RDWR);
	struct rtev_fxt_destination *destination;
	struct names n;
	uint64_t written;
	CHECK(fd >= 0);
	CHECK_INT(rtev_fxt_fd_create(&destination, fd, 4096), RTEV_OK);
	struct rtev_fxt_writer *w = make(destination, &n);
	CHECK_INT(write_until_failure(w, &n, &written), RTEV_E_FXT_NO_SPACE);
	check_stopped(w, &n, RTEV_E_FXT_NO_SPACE);
	CHECK_INT(lseek(fd, 0, SEEK_CUR), limit);
	CHECK_INT(lseek(fd, 0, SEEK_END), 200000);
	CHECK(close(fd) == 0);
}

/* Files that fill up, at places that are no record's end. */
TEST(full_files)
{
	const rlim_t limits[] = {100001, 65535, 98312, 100004};
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		with_file_limit(limits[i], file_without_space);
	int fd = open("test_fxt_destinations.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
	CHECK(fd >= 0 && ftruncate(fd, 200000) == 0 && close(fd) == 0);
	with_file_limit(100001, inside_a_file);
	CHECK(unlink("test_fxt_destinations.tmp") == 0);
}

/* A device that is always full. */
TEST(full_device)
{
	struct rtev_fxt_destination *destination;
	struct names n;
	uint64_t written;
	int fd = open("/dev/full", O_WRONLY);
	if (fd < 0) {
		printf("(no /dev/full)\n");
		return;
	}
	CHECK_INT(rtev_fxt_fd_create(&destination, fd, 0), RTEV_OK);
	struct rtev_fxt_writer *w = make(destination, &n);
	CHECK_INT(write_until_failure(w, &n, &written), RTEV_E_FXT_NO_SPACE);
	check_stopped(w, &n, RTEV_E_FXT_NO_SPACE);
	CHECK(close(fd) == 0);
}

/* A pipe that nobody reads. */
TEST(broken_pipe)
{
	struct rtev_fxt_destination *destination;
	struct names n;
	uint64_t written;
	int ends[2];
	CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
	CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
	CHECK_INT(rtev_fxt_fd_create(&destination, ends[1], 0), RTEV_OK);
	struct rtev_fxt_writer *w = make(destination, &n);
	CHECK_INT(write_until_failure(w, &n, &written), RTEV_E_FXT_PIPE);
	check_stopped(w, &n, RTEV_E_FXT_PIPE);
	CHECK(close(ends[1]) == 0);

	CHECK_INT(rtev_fxt_fd_create(&destination, ends[1], 0), RTEV_OK);
	w = make(destination, &n);
	CHECK_INT(rtev_fxt_writer_flush(w), RTEV_E_IO); /* the descriptor is closed */
	check_stopped(w, &n, RTEV_E_IO);
	CHECK_INT(rtev_fxt_fd_create(&destination, -1, 0), RTEV_E_INVALID);
}

/* Read a pipe to its end, with a rest now and then. */
static void *drain(void *ctx)
{
	struct fxt_sink *sink = ctx;
	char buffer[1000];
	ssize_t n;
	while ((n = read((int)sink->fail_after, buffer, sizeof(buffer))) > 0) {
		CHECK_INT(fxt_sink_write(sink, buffer, (size_t)n), RTEV_OK);
		if (sink->writes % 100 == 0)
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return NULL;
}

/* Interrupts calls and does nothing else. */
static void on_alarm(int signal_number)
{
}

/* Write through a pipe that is read slowly, while signals interrupt. */
static void write_through_pipe(int flags)
{
	struct rtev_fxt_destination *destination;
	struct names n;
	pthread_t reader;
	sigset_t alarms, old;
	int ends[2];
	CHECK(sigemptyset(&alarms) == 0 && sigaddset(&alarms, SIGALRM) == 0);
	CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETFL, flags) == 0);
	struct fxt_sink sink = {.fail_after = (unsigned)ends[0]};
	CHECK_INT(rtev_fxt_fd_create(&destination, ends[1], 200000), RTEV_OK);
	struct rtev_fxt_writer *w = make(destination, &n);
	/* The signals are for the thread that writes. */
	CHECK(pthread_sigmask(SIG_BLOCK, &alarms, &old) == 0);
	CHECK(pthread_create(&reader, NULL, drain, &sink) == 0);
	CHECK(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0);
	for (uint64_t i = 0; i < 30000; i++)
		CHECK_INT(write_event(w, &n, i), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_close(w), RTEV_OK);
	rtev_fxt_writer_destroy(w);
	CHECK(close(ends[1]) == 0);
	CHECK(pthread_join(reader, NULL) == 0);
	CHECK(close(ends[0]) == 0);
	CHECK_INT(count_events(sink.data, sink.size), 30000);
	fxt_sink_fini(&sink);
}

/* A pipe that is read slowly loses nothing, whether it blocks or not, and whatever interrupts. */
TEST(slow_pipe)
{
	const struct sigaction interrupt = {.sa_handler = on_alarm}; /* without SA_RESTART */
	const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	CHECK(sigaction(SIGALRM, &interrupt, NULL) == 0);
	CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
	write_through_pipe(O_NONBLOCK);
	write_through_pipe(0);
	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

/* Files that can't be opened. */
TEST(unopenable_files)
{
	struct rtev_fxt_destination *destination = NULL;
	static char path[8192];
	memset(path, 'x', sizeof(path) - 1);
	CHECK_INT(rtev_fxt_file_create(&destination, "no/such/directory/file", 0), RTEV_E_NOENT);
	CHECK_INT(rtev_fxt_file_create(&destination, "/dev/null/file", 0), RTEV_E_NOENT);
	CHECK_INT(rtev_fxt_file_create(&destination, ".", 0), RTEV_E_NOT_REGULAR);
	CHECK_INT(rtev_fxt_file_create(&destination, path, 0), RTEV_E_PATH);
	CHECK_INT(rtev_fxt_file_create(&destination, NULL, 0), RTEV_E_INVALID);
	CHECK(destination == NULL);
}
