/*
 * test_slice.c - who observes a live target runs in short slices, and COMMAND does not inherit them.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/session.h"
#include "launch/signals.h"
#include "support/test.h"

#define CHILD_SHORT 3 /* exit statuses */
#define CHILD_NOT 4

/* The slice of this thread in nanoseconds; 0 if the kernel does not tell it. */
static uint64_t slice(void)
{
	uint64_t attr[6] = {0}; /* the kernel's struct sched_attr: the slice is its fourth word */

	return syscall(SYS_sched_getattr, 0, attr, sizeof(attr), 0) == 0 ? attr[3] : 0;
}

static void on_message(void *ctx, const char *remedy, const char *message)
{
}

static char program[] = "/proc/self/exe", word[] = "child";

TEST(test_command)
{
	char *argv[] = {program, word, NULL};
	const struct reporter reporter = {.message = on_message};
	static struct session s;
	uint64_t before = slice();

	CHECK_INT(
	    session_open(&s,
		&(struct session_options){.command = {.argv = argv, .temporary = "/tmp", .report = &reporter},
		    .report = &reporter}),
	    0);
	if (before != 0)
		CHECK(slice() < before);
	CHECK_INT(session_close(&s, 0), CHILD_NOT);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], word) == 0)
		return slice() != 0 && slice() <= 100000 ? CHILD_SHORT : CHILD_NOT;
	signals_install();
	if (slice() == 0)
		printf("not tried: this kernel tells no slice (Linux 6.12 does)\n");
	test_run();
	return 0;
}
