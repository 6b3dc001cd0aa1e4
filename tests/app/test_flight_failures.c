/*
 * test_flight_failures.c - what standard error says of flight files that failed, each reason once, with what
 * can be done; and of pauses without a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "app/flight_failures.h"
#include "support/test.h"

/* A file that failed, or one that did not. */
static struct flight_file file(const char *path, int error, bool made)
{
	struct flight_file f = {.error = error, .made = made};

	snprintf(f.path, sizeof(f.path), "%s", path);
	return f;
}

/* What is told now, of failures or, without any, of so many pauses, is this. */
static void expect_of(struct flight_failures *f, uint64_t skipped, const char *want)
{
	char name[] = "./failures.XXXXXX", text[4096];
	int fd = mkstemp(name), saved = dup(STDERR_FILENO);

	CHECK(fd >= 0 && saved >= 0);
	unlink(name);
	CHECK(dup2(fd, STDERR_FILENO) >= 0);
	if (f != NULL)
		flight_failures_tell(f);
	else
		flight_skipped_tell(skipped, 2500000);
	CHECK(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	CHECK(n >= 0);
	text[n] = '\0';
	close(fd);
	CHECK_STR(text, want);
}

static void expect(struct flight_failures *f, const char *want)
{
	expect_of(f, 0, want);
}

/* A full disk is told at the first file, and the rest of them are counted. */
TEST(at_once)
{
	static struct flight_failures f;
	struct flight_file one = file("one", ENOSPC, true), two = file("two", ENOSPC, false),
			   good = file("good", 0, true);

	CHECK(!flight_failures_note(&f, &good));
	expect(&f, "");
	CHECK(flight_failures_note(&f, &one));
	expect(&f, "rtevtop: could not go on writing one: No space left on device\n"
		   "  It is complete up to there.  Make room, or give another directory.\n");
	CHECK(!flight_failures_note(&f, &two));
	CHECK(!flight_failures_note(&f, &one));
	expect(&f, "rtevtop: could not write 2 more files in full: No space left on device\n");
	expect(&f, "");
}

/* At the end: the first file of each reason, and how many more. */
TEST(at_the_end)
{
	static struct flight_failures f;
	struct flight_file full = file("full", ENOSPC, false), cut = file("cut", EDQUOT, true),
			   denied = file("denied", EACCES, false), whole = file("memory", 0, true);

	whole.status = RTEV_E_NOMEM;
	for (unsigned i = 0; i < 3; i++)
		CHECK(flight_failures_note(&f, &full));
	CHECK(flight_failures_note(&f, &cut));
	CHECK(flight_failures_note(&f, &cut));
	CHECK(flight_failures_note(&f, &denied));
	CHECK(flight_failures_note(&f, &whole));
	expect(&f, "rtevtop: could not write full, nor 2 more files: No space left on device\n"
		   "  Make room, or give another directory.\n"
		   "rtevtop: could not write cut in full, nor 1 more file: Disk quota exceeded\n"
		   "  It is complete up to there.  Make room, or give another directory.\n"
		   "rtevtop: could not write denied: Permission denied\n"
		   "  Give a directory that you can write to.\n"
		   "rtevtop: could not go on writing memory: out of memory\n");
	/* There is no place for another reason. */
	struct flight_file other = file("other", EIO, false);
	CHECK(!flight_failures_note(&f, &other));
	expect(&f, "rtevtop: could not write 1 more file in full: out of memory\n");
}

/* Pauses without a file: none, one, several. */
TEST(skipped)
{
	const char *remedy =
	    "  A pause gets a file 10 s after the last one that did, or when it is longer.\n";
	char want[256];

	expect_of(NULL, 0, "");
	snprintf(
	    want, sizeof(want), "rtevtop: 1 more pause was longer than 2.5 ms and got no file\n%s", remedy);
	expect_of(NULL, 1, want);
	snprintf(
	    want, sizeof(want), "rtevtop: 2 more pauses were longer than 2.5 ms and got no file\n%s", remedy);
	expect_of(NULL, 2, want);
}
