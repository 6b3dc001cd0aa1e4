/*
 * test_cursor_search.c - scans of a live ring once walks have long told nothing new: then they search for
 * resumes alone.
 */
#include "support/recorder.h"
#include "support/ring_image.h"
#include "support/test.h"

/* Enough minor collections for walks to have told all they can. */
#define QUIET_ROUNDS 6000

struct live {
	struct ring_image *image;
	struct rtev_cursor *cursor;
	struct recorder r;
	unsigned resumes; /* told */
	uint64_t ts;	  /* of the last */
	struct rtev_scan scan;
};

static void on_resume(void *ctx, unsigned domain, uint64_t ts)
{
	struct live *l = ctx;

	l->resumes++;
	l->ts = ts;
}

/* Scan, then poll all. */
static void turn(struct live *l)
{
	l->scan = (struct rtev_scan){.size = sizeof(l->scan)};
	CHECK_INT(rtev_cursor_scan(l->cursor, on_resume, l, &l->scan), RTEV_OK);
	recorder_poll(&l->r, l->cursor, 0);
}

/* Write minor collections to two rings and read them, until walks tell nothing new. */
static void quiet(struct live *l)
{
	for (unsigned i = 0; i < QUIET_ROUNDS; i++) {
		image_minor_5_2(l->image, i % 2);
		if (i % 20 == 19)
			turn(l);
	}
	turn(l);
}

/* Open a live ring and go through its quiet beginning. */
static void live_init(struct live *l)
{
	const struct rtev_cursor_options options = {.size = sizeof(options)};

	*l = (struct live){.r = {.silent = true}};
	l->image = image_make(LAYOUT_5_1, 2, 16384);
	l->cursor = image_open_with(l->image, &options);
	quiet(l);
	CHECK_STR(l->scan.version, "5.1-5.2");
}

/* Each resume is told once, wherever it stands, and nothing that looks like one is. */
TEST(resumes)
{
	struct live l;
	unsigned written = 0;

	live_init(&l);
	CHECK_INT(l.resumes, 0);
	for (unsigned i = 0; i < 3000; i++) {
		image_minor_5_2(l.image, i % 2);
		if (i % 7 == 0)
			image_int(l.image, 1, 3,
			    (int64_t)header_make(3, RECORD_LIFECYCLE, RTEV_LIFECYCLE_RING_RESUME));
		if (i % 5 == 0) {
			image_lifecycle(l.image, i % 3 % 2, RTEV_LIFECYCLE_RING_RESUME, 0);
			written++;
		}
		image_unit(l.image, i % 2, 4);
		if (i % 3 == 0) {
			turn(&l);
			CHECK_INT(l.resumes, written);
		}
	}
	turn(&l);
	CHECK_INT(l.resumes, written);
	CHECK_INT(l.r.lost, 0);
}

/* A stamp that goes back is told by the poll where no walk has told it before. */
TEST(falls)
{
	struct live l;

	live_init(&l);
	for (unsigned i = 0; i < 50; i++) {
		uint64_t events = l.r.events;
		image_begin(l.image, 0, 0);
		l.image->clock -= 100;
		image_end(l.image, 0, 0);
		l.image->clock += 200;
		turn(&l);
		CHECK_INT(l.r.events - events, 2);
		CHECK_INT(l.r.counts[EVENT_CORRUPT], i + 1);
	}
}

/* What proves more comes to light as long as it goes on. */
TEST(later_evidence)
{
	struct live l;

	live_init(&l);
	for (unsigned i = 0; i < 200000 && strcmp(l.scan.version, "5.2") != 0; i++) {
		image_begin(l.image, 0, 41);
		image_end(l.image, 0, 41);
		image_minor_5_2(l.image, 0);
		if (i % 20 == 0)
			turn(&l);
	}
	CHECK_STR(l.scan.version, "5.2");
}

/* Another program in the same process is looked at like the first. */
TEST(restart)
{
	struct live l;

	live_init(&l);
	image_restart(l.image);
	l.image->clock += 1000;
	image_minor_5_3(l.image, 0);
	image_minor_5_3(l.image, 1);
	turn(&l);
	turn(&l);
	CHECK_INT(l.scan.release, RTEV_RELEASE_5_4);
}

/* What is overwritten before it is read is lost, and reading goes on with the next record. */
TEST(lapped)
{
	struct live l;

	live_init(&l);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t lost = l.r.lost;
		for (unsigned k = 0; k < 3000; k++)
			image_minor_5_2(l.image, 0);
		image_lifecycle(l.image, 0, RTEV_LIFECYCLE_RING_RESUME, 0);
		turn(&l);
		CHECK_INT(l.resumes, i + 1);
		CHECK(l.r.lost > lost);
		CHECK_INT(l.r.counts[EVENT_CORRUPT], 0);
	}
}

/* The first resume is found wherever it stands among the words that are compared at once. */
TEST(resume_at_each_word)
{
	for (unsigned i = 0; i < 8; i++) {
		struct live l;

		live_init(&l);
		for (unsigned k = 0; k < i; k++)
			image_int(l.image, 0, 3, 7);
		image_lifecycle(l.image, 0, RTEV_LIFECYCLE_RING_RESUME, 0);
		for (unsigned k = 0; k < 10; k++)
			image_unit(l.image, 0, 4);
		turn(&l);
		CHECK_INT(l.resumes, 1);
	}
}
