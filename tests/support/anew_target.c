/*
 * anew_target.c - a target that lays its ring out anew, in the same file, as another program in the same
 * process would.
 *
 *     anew_target DIR        prints its pid; at a line on standard input it begins anew, at the next it ends
 *     anew_target DIR N      N times before that: prints its pid; records events at a line, and executes itself at the next
 *
 * The first ring holds "before.now", of the present, and events "before.later" with stamps an hour ahead: who
 * merges keeps those.  The second holds "after.later".
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rtev/producer.h"
#include "support/test.h"

#define OK(call) CHECK_INT(call, RTEV_OK)
#define HOUR UINT64_C(3600000000000)
#define HEADER 64 /* bytes that say how a ring is laid out */

/* Record an int of a name with a stamp (0: the clock's). */
static void record(struct rtev_producer *producer, const char *name, uint64_t ts, int64_t value)
{
	const struct rtev_user *user;
	struct rtev_domain *domain = rtev_producer_main(producer);

	OK(rtev_user_register(producer, name, strlen(name), RTEV_USER_INT, NULL, NULL, &user));
	rtev_domain_set_stamp(domain, ts);
	OK(rtev_domain_user_int(domain, user, value));
}

/* Start a producer whose rings have 2^exponent words. */
static struct rtev_producer *start(const char *dir, unsigned exponent)
{
	const struct rtev_producer_options options = {
	    .size = sizeof(options), .dir = dir, .exponent = exponent, .domains = 2};
	struct rtev_producer *producer;

	OK(rtev_producer_create(&producer, &options));
	OK(rtev_producer_start(producer, rtev_producer_main(producer)));
	return producer;
}

/* Read the whole file of a producer; the memory is the caller's. */
static unsigned char *file_of(struct rtev_producer *producer, size_t *size)
{
	char path[4096];
	struct stat st;

	OK(rtev_producer_path(producer, path, sizeof(path)));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	*size = (size_t)st.st_size;
	unsigned char *data = malloc(*size);
	CHECK(data != NULL);
	CHECK_INT(read(fd, data, *size), st.st_size);
	close(fd);
	return data;
}

/* Write a ring over a producer's.  The rings are empty meanwhile, so that nothing is ever read by the wrong
 * layout. */
static void write_over(struct rtev_producer *producer, const unsigned char *data, size_t size)
{
	static const unsigned char empty[4096];
	char path[4096];
	uint64_t header[HEADER / 8];

	OK(rtev_producer_path(producer, path, sizeof(path)));
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0 && size > HEADER);
	memcpy(header, data, HEADER);
	/* Both have as many rings, so what tells where each begins and ends stands in the same place. */
	size_t indexes = header[5], words = header[6];
	CHECK(indexes >= HEADER && indexes < words && words < size && words - indexes <= sizeof(empty));
	CHECK_INT(pwrite(fd, empty, words - indexes, (off_t)indexes), words - indexes);
	CHECK_INT(ftruncate(fd, (off_t)size), 0);
	CHECK_INT(pwrite(fd, data, HEADER, 0), HEADER);
	CHECK_INT(pwrite(fd, data + words, size - words, (off_t)words), size - words);
	CHECK_INT(pwrite(fd, data + indexes, words - indexes, (off_t)indexes), words - indexes);
	close(fd);
}

/* Start a producer.  At a line on standard input record events of two names that look alike, at the next execute
 * this program again, with one time less to go. */
static void execute_again(char **argv)
{
	const long left = strtol(argv[2], NULL, 10);
	char number[24], line[2];

	snprintf(number, sizeof(number), "%ld", left - 1);
	struct rtev_producer *producer = start(argv[1], 10);
	printf("%ld\n", (long)getpid());
	fflush(stdout);
	/* No more is read than the line: the next program reads what comes after. */
	CHECK_INT(read(STDIN_FILENO, line, 1), 1);
	record(producer, "alike\1", 0, 1);
	record(producer, "alike\2", 0, 2);
	CHECK_INT(read(STDIN_FILENO, line, 1), 1);
	execl(argv[0], argv[0], argv[1], left > 1 ? number : NULL, NULL);
	CHECK(false);
}

int main(int argc, char **argv)
{
	char inner[4096];
	struct timespec ts;

	CHECK(argc == 2 || argc == 3);
	if (argc == 3)
		execute_again(argv);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	uint64_t later = (uint64_t)ts.tv_sec * 1000000000u + HOUR;
	snprintf(inner, sizeof(inner), "%s/inner", argv[1]);
	CHECK_INT(mkdir(inner, 0700), 0);
	struct rtev_producer *first = start(argv[1], 10);
	record(first, "before.now", 0, 0);
	for (int i = 0; i < 10; i++)
		record(first, "before.later", later + (uint64_t)i, i);
	printf("%ld\n", (long)getpid());
	fflush(stdout);
	getchar();
	/* The process must have one ring when somebody looks for it again. */
	struct rtev_producer *second = start(inner, 12);
	record(second, "after.later", later + 20, 20);
	size_t size;
	unsigned char *data = file_of(second, &size);
	rtev_producer_destroy(second);
	write_over(first, data, size);
	free(data);
	getchar();
	/* The first producer must not write its last event where another ring is now. */
	_exit(0);
}
