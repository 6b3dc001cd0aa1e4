/*
 * test_cursor_sparse.c - rings that claim more words than their file holds data for, and the bound on words:
 * what is delivered is what zeros in those places give, no page without data is read, and no call looks at
 * more words than it may.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

#define PAGE 4096u
#define PAGE_WORDS (PAGE / 8)

/* A number from a fixed sequence. */
static uint64_t chance(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Make a file in memory, where a page that is read has to be there. */
static int file_in_memory(void)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);

	if (fd < 0)
		SKIP("no files in memory here");
	return fd;
}

/* Make a file on disk. */
static int file_on_disk(void)
{
	char path[] = "sparse-XXXXXX";
	int fd = mkstemp(path);

	CHECK(fd >= 0 && unlink(path) == 0);
	return fd;
}

/* Bytes that a file takes. */
static uint64_t bytes_of(int fd)
{
	struct stat st;

	CHECK_INT(fstat(fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* Write the first bytes of a ring file with empty rings; returns where the words of the first begin. */
static uint64_t write_header(int fd, uint64_t domains, uint64_t ring_words)
{
	uint64_t data = sizeof(struct ring_metadata) + domains * sizeof(struct ring_header);
	const uint64_t words[] = {1, domains, sizeof(struct ring_header), ring_words * 8, ring_words,
	    sizeof(struct ring_metadata), data, 0};

	CHECK_INT(pwrite(fd, words, sizeof(words), 0), sizeof(words));
	CHECK_INT(ftruncate(fd, (off_t)(data + domains * ring_words * 8)), 0);
	return data;
}

/* Set a ring's head and tail. */
static void write_indexes(int fd, uint64_t domain, uint64_t head, uint64_t tail)
{
	const uint64_t words[] = {head, tail};
	uint64_t at = sizeof(struct ring_metadata) + domain * sizeof(struct ring_header);

	CHECK_INT(pwrite(fd, words, sizeof(words), (off_t)at), sizeof(words));
}

/* Open a ring file. */
static struct rtev_cursor *open_fd(int fd, uint64_t max_words)
{
	const struct rtev_cursor_options options = {
	    .size = sizeof(options), .release = RTEV_RELEASE_5_3, .finished = true, .max_words = max_words};
	struct rtev_cursor *cursor;

	CHECK_INT(rtev_cursor_open_fd(&cursor, fd, &options), RTEV_OK);
	return cursor;
}

/* Scan and poll to the end; returns how many calls that took. */
static unsigned read_all(struct rtev_cursor *cursor, struct recorder *r, uint64_t max_events)
{
	struct rtev_scan scan = {.size = sizeof(scan)};
	unsigned calls = 0;
	uint64_t got;

	do {
		CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
		calls++;
	} while (rtev_cursor_more(cursor));
	rtev_cursor_set_release(cursor, RTEV_RELEASE_5_3);
	do {
		got = recorder_poll(r, cursor, max_events);
		calls++;
	} while (rtev_cursor_more(cursor) || (max_events != 0 && got == max_events));
	return calls;
}

/* Rings of 2^28 words with nothing in them, all of it published: they are passed over without being read. */
TEST(huge_rings_are_not_read)
{
	const uint64_t domains = 8, size = UINT64_C(1) << 28;
	int fds[] = {file_in_memory(), file_on_disk()};

	for (int i = 0; i < 2; i++) {
		struct recorder r = {0};
		write_header(fds[i], domains, size);
		for (uint64_t d = 0; d < domains; d++)
			write_indexes(fds[i], d, 0, size - 1);
		struct rtev_cursor *cursor = open_fd(fds[i], 1 << 20);
		CHECK(read_all(cursor, &r, 65536) < 10);
		CHECK_INT(r.corrupt, domains * (size - 1));
		CHECK_INT(r.counts[EVENT_CORRUPT], domains);
		CHECK(bytes_of(fds[i]) < 1 << 20);
		rtev_cursor_close(cursor);
		recorder_clear(&r);
		close(fds[i]);
	}
}

/* Huge rings are read in bounded time: one that is still written to, which has been lapped, and one whose file has become
 * short. */
TEST(huge_rings_of_a_live_file)
{
	const uint64_t size = UINT64_C(1) << 28;
	const struct rtev_cursor_options options = {.size = sizeof(options), .max_words = 1 << 20};
	int fd = file_in_memory();
	struct rtev_cursor *cursor;
	struct recorder r = {0};

	write_header(fd, 1, size);
	write_indexes(fd, 0, size * 3 + 77, size * 4);
	CHECK_INT(rtev_cursor_open_fd(&cursor, fd, &options), RTEV_OK);
	CHECK(read_all(cursor, &r, 65536) < 10);
	CHECK_INT(r.history + r.corrupt, size * 4);
	CHECK(bytes_of(fd) < 1 << 20);
	rtev_cursor_close(cursor);
	recorder_clear(&r);
	close(fd);
}

/* Fill a page of a dense copy at random: nothing (a hole), zeros, noise, or records; true if it is data.
 * Records begin anew with each page, and padding ends it when the lap does. */
static bool fill_page(uint64_t *words, uint64_t *clock, bool last, uint64_t *seed)
{
	unsigned kind = (unsigned)(chance(seed) % 8);

	if (kind < 4)
		return false;
	if (kind == 4)
		return true;
	for (unsigned i = 0; i < PAGE_WORDS; i += 2) {
		words[i] = kind == 5 ? chance(seed) | 1 : header_make(2, RECORD_BEGIN, RTEV_PHASE_MAJOR);
		words[i + 1] = *clock += 10;
	}
	if (last && kind > 5)
		words[PAGE_WORDS - 2] = header_make(2, RECORD_PADDING, 0);
	return true;
}

/* Files of pages with and without data, in one copy with holes and one with zeros: the same is delivered,
 * however it is bounded, and only pages near data are read. */
TEST(holes_are_zeros)
{
	const uint64_t domains = 2, pages = 64, size = pages * PAGE_WORDS;
	static uint64_t dense[(64 + 2 * 80 + 2 * 64 * PAGE) / 8];
	static const uint64_t bounds[] = {0, 1, 1000, 4096, 100000};
	uint64_t seed = 4711;

	for (unsigned round = 0; round < 60; round++) {
		int fd = file_in_memory();
		uint64_t data = write_header(fd, domains, size), clock = 1000, at = 0, kept = 0;
		memset(dense, 0, sizeof(dense));
		for (; at < domains * size; at += PAGE_WORDS) {
			uint64_t *words = dense + data / 8 + at;
			if (fill_page(words, &clock, (at + PAGE_WORDS) % size == 0, &seed)) {
				CHECK_INT(pwrite(fd, words, PAGE, (off_t)(data + at * 8)), PAGE);
				kept++;
			}
		}
		for (unsigned d = 0; d < domains; d++) {
			uint64_t head = chance(&seed) % (size / 2) & ~UINT64_C(1), lap = round % 3 * size;
			write_indexes(fd, d, lap + head, lap + size / 2 + chance(&seed) % size);
		}
		CHECK_INT(pread(fd, dense, data, 0), data);
		struct rtev_cursor_options options = {.size = sizeof(options), .finished = true};
		struct rtev_cursor *cursor;
		struct recorder expected = {0}, r = {0};
		CHECK_INT(rtev_cursor_open_memory(&cursor, dense, sizeof(dense), &options), RTEV_OK);
		read_all(cursor, &expected, 0);
		rtev_cursor_close(cursor);
		for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
			cursor = open_fd(fd, bounds[i]);
			read_all(cursor, &r, i % 2 == 0 ? 0 : 1);
			rtev_cursor_close(cursor);
			if (i % 2 == 0)
				EXPECT(&r, expected.text);
			CHECK_INT(i % 2 == 0 ? 0 : r.events - expected.events, 0);
			recorder_clear(&r);
		}
		/* A batch is four pages and may begin anywhere. */
		CHECK(bytes_of(fd) <= (kept + domains) * 6 * PAGE);
		recorder_clear(&expected);
		close(fd);
	}
}

/* The bound on words holds for nonsense that is there; rings come one after another, each to its end. */
TEST(bound_on_words)
{
	struct ring_image *image = image_make(LAYOUT_5_0, 3, 1 << 16);
	struct recorder r = {0}, all = {0};
	uint64_t seed = 5;

	for (unsigned d = 0; d < 3; d++) {
		for (unsigned i = 0; i < 1 << 16; i++)
			image_poke(image, d, i, d == 1 ? chance(&seed) | 1 : 0);
		for (unsigned i = 0; i < 100; i++)
			image_begin(image, d, 0);
		image_set(image, d, 0, (1 << 16) - 1);
	}
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	recorder_poll(&all, cursor, 0);
	CHECK(!rtev_cursor_more(cursor));
	image_close(image);
	CHECK(all.corrupt > 3 * 65000 && all.events >= 300);

	const struct rtev_cursor_options options = {
	    .size = sizeof(options), .release = RTEV_RELEASE_5_3, .finished = true, .max_words = 8192};
	cursor = image_open_with(image, &options);
	unsigned calls = read_all(cursor, &r, 0);
	CHECK(calls >= 2 * 24 && calls <= 2 * 25);
	EXPECT(&r, all.text);
	image_close(image);
	recorder_clear(&all);
}

/* Count the resumes that a scan finds. */
static void on_resume(void *ctx, unsigned domain, uint64_t ts)
{
	++*(unsigned *)ctx;
}

/* While a scan is not complete polls deliver nothing; the frontiers are those of the tails at its beginning.
 * A skip or a restart ends it. */
TEST(scan_in_parts)
{
	const struct rtev_cursor_options options = {.size = sizeof(options), .max_words = 4096};
	struct ring_image *image = image_make(LAYOUT_5_0, 2, 1 << 16);
	struct recorder r = {.silent = true};
	struct rtev_scan scan = {.size = sizeof(scan)};
	unsigned resumes = 0;

	for (unsigned d = 0; d < 2; d++)
		for (unsigned i = 0; i < 10000; i++)
			image_lifecycle(image, d, RTEV_LIFECYCLE_RING_RESUME, 0);
	struct rtev_cursor *cursor = image_open_with(image, &options);
	for (unsigned i = 0; i < 10; i++) {
		CHECK_INT(rtev_cursor_scan(cursor, on_resume, &resumes, &scan), RTEV_OK);
		CHECK(rtev_cursor_more(cursor) && resumes > 0 && resumes < 20000);
		CHECK_INT(scan.unread_words, 60000);
		CHECK_INT(scan.fullest_words, 30000);
		CHECK_INT(recorder_poll(&r, cursor, 0), 0);
		CHECK(!rtev_cursor_more(cursor));
		image_begin(image, 0, 0);
	}
	CHECK(read_all(cursor, &r, 0) > 10);
	CHECK_INT(r.events, 20000);
	CHECK_INT(rtev_cursor_scan(cursor, on_resume, &resumes, &scan), RTEV_OK);
	CHECK(!rtev_cursor_more(cursor));
	CHECK_INT(scan.unread_words, 20);
	CHECK_INT(recorder_poll(&r, cursor, 0), 10);

	for (unsigned i = 0; i < 10000; i++)
		image_begin(image, 1, 0);
	CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
	CHECK(rtev_cursor_more(cursor));
	CHECK_INT(rtev_cursor_skip(cursor), RTEV_OK);
	CHECK(!rtev_cursor_more(cursor));
	image_begin(image, 1, 0);
	recorder_clear(&r);
	read_all(cursor, &r, 0);
	CHECK_INT(r.events, 1);

	for (unsigned i = 0; i < 10000; i++)
		image_begin(image, 0, 0);
	CHECK_INT(rtev_cursor_scan(cursor, NULL, NULL, &scan), RTEV_OK);
	CHECK(rtev_cursor_more(cursor));
	image_restart(image);
	image_begin(image, 0, 0);
	read_all(cursor, &r, 0);
	read_all(cursor, &r, 0);
	CHECK_INT(r.events, 2);
	CHECK_INT(r.counts[EVENT_RESTART], 2);
}
