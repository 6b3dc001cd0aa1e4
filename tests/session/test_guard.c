/*
 * test_guard.c - the edges of a guarded mapping: a fault on its first or last byte is mended, one a byte
 * beyond goes to the handler that was there before.
 */
#include "session/guard.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "rtev/producer.h"
#include "support/test.h"

static sigjmp_buf escape;

/* The handler that was there before. */
static void on_bus_before(int signal_number, siginfo_t *info, void *context)
{
	siglongjmp(escape, 1);
}

/* Read a byte.  Whether the guard let that happen. */
static bool mended(const volatile unsigned char *at)
{
	if (sigsetjmp(escape, 1) != 0)
		return false;
	CHECK_INT(*at, 0);
	return true;
}

/* A ring's file that ends within a page, watched, and then truncated to nothing. */
struct lost {
	char dir[32], path[4096];
	struct rtev_cursor *cursor;
	const unsigned char *start;
	size_t size;
};

static void lose(struct lost *l)
{
	const void *address;

	*l = (struct lost){.dir = "/tmp/rtev-guard-XXXXXX"};
	CHECK(mkdtemp(l->dir) != NULL);
	const struct rtev_producer_options options = {
	    .size = sizeof(options), .dir = l->dir, .exponent = 12, .domains = 1};
	struct rtev_producer *producer;
	CHECK_INT(rtev_producer_create(&producer, &options), RTEV_OK);
	CHECK_INT(rtev_producer_start(producer, rtev_producer_main(producer)), RTEV_OK);
	CHECK_INT(rtev_producer_path(producer, l->path, sizeof(l->path)), RTEV_OK);
	/* The producer maps what it wrote, not what a copy of it loses. */
	char copy[4128], buffer[4096];
	snprintf(copy, sizeof(copy), "%s/copy", l->dir);
	int in = open(l->path, O_RDONLY | O_CLOEXEC), out = open(copy, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(in >= 0 && out >= 0);
	for (ssize_t n; (n = read(in, buffer, sizeof(buffer))) > 0;)
		CHECK_INT(write(out, buffer, (size_t)n), n);
	CHECK_INT(write(out, buffer, 1), 1);
	close(in);
	rtev_producer_destroy(producer);
	strlcpy(l->path, copy, sizeof(l->path));
	CHECK_INT(rtev_cursor_open_path(&l->cursor, l->path, NULL), RTEV_OK);
	guard_cursor(NULL, l->cursor, true);
	rtev_cursor_mapping(l->cursor, &address, &l->size);
	l->start = address;
	CHECK(l->size % (size_t)sysconf(_SC_PAGESIZE) != 0);
	CHECK(!guard_truncated(address));
	CHECK_INT(ftruncate(out, 0), 0);
	close(out);
}

static void found(struct lost *l)
{
	guard_cursor(NULL, l->cursor, false);
	rtev_cursor_close(l->cursor);
	CHECK_INT(unlink(l->path), 0);
	CHECK_INT(rmdir(l->dir), 0);
}

TEST(test_edges)
{
	struct lost l;

	lose(&l);
	CHECK(mended(l.start));
	CHECK(guard_truncated(l.start));
	CHECK(mended(l.start + l.size - 1));
	found(&l);

	lose(&l);
	CHECK(mended(l.start + l.size - 1));
	CHECK(guard_truncated(l.start));
	found(&l);

	/* The rest of the last page is mapped, but no part of the file. */
	lose(&l);
	CHECK(!mended(l.start + l.size));
	CHECK(!guard_truncated(l.start));
	found(&l);
}

/* A mapping that is forgotten is nobody's. */
TEST(test_forgotten)
{
	struct lost l;

	lose(&l);
	guard_cursor(NULL, l.cursor, false);
	CHECK(!mended(l.start));
	CHECK(!guard_truncated(l.start));
	found(&l);
}

int main(void)
{
	struct sigaction before = {.sa_sigaction = on_bus_before, .sa_flags = SA_SIGINFO};

	sigemptyset(&before.sa_mask);
	CHECK_INT(sigaction(SIGBUS, &before, NULL), 0);
	guard_install();
	test_run();
	guard_remove();
	return 0;
}
