/*
 * test_timeline.c - columns of time from the history, by hand and against a slow reference.
 */
#include "support/feed.h"

#include "watch/timeline.h"

/* What all tests feed. */
static struct feed f;

/* Begin to feed a history. */
static struct history *history_fed(size_t budget)
{
	memset(&f, 0, sizeof(f));
	struct history *h = history_create(&f.paths, budget);

	feed_history(h, &f.to);
	return h;
}

/* Read a picture of domain 0 and return its view. */
static struct timeline_view picture(
    struct timeline *t, const struct history *h, uint64_t t0, uint64_t width, unsigned columns, uint64_t now)
{
	struct timeline_query q = {.history = h,
	    .t0 = t0,
	    .width = width,
	    .columns = columns,
	    .now = now,
	    .present = feed_present(&f, 0)};
	struct timeline_view view;

	CHECK(timeline_read(t, &q, &view));
	return view;
}

static void check_cell(
    const struct timeline_view *v, unsigned column, unsigned row, int phase, uint64_t time, uint64_t covered)
{
	const struct timeline_cell *cell = &v->cells[column * TIMELINE_ROWS_MAX + row];

	CHECK_INT(cell->time, time);
	CHECK_INT(cell->covered, covered);
	if (time > 0)
		CHECK_INT(cell->phase, phase);
}

TEST(test_by_hand)
{
	struct history *h = history_fed(0);
	struct timeline *t = timeline_create();
	struct timeline_view v;

	/* row 0: MAJOR 100-350, MINOR 360-390, MINOR 392-398, MAJOR 402-440 (still open: until 420 read at 420)
	 * row 1: SLICE 110-150, MARK 150-190, SLICE 195-320 */
	feed_open(&f, 0, RTEV_PHASE_MAJOR, 100);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_SLICE, 110);
	feed_close(&f, 0, 150);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_MARK, 150);
	feed_close(&f, 0, 190);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_SLICE, 195);
	feed_close(&f, 0, 320);
	feed_close(&f, 0, 350);
	feed_open(&f, 0, RTEV_PHASE_MINOR, 360);
	feed_close(&f, 0, 390);
	feed_open(&f, 0, RTEV_PHASE_MINOR, 392);
	feed_close(&f, 0, 398);
	feed_open(&f, 0, RTEV_PHASE_MAJOR, 402);
	v = picture(t, h, 0, 100, 5, 420);
	check_cell(&v, 0, 0, 0, 0, 0);
	check_cell(&v, 1, 0, RTEV_PHASE_MAJOR, 100, 100);
	check_cell(&v, 1, 1, RTEV_PHASE_MAJOR_SLICE, 45, 85);
	check_cell(&v, 2, 0, RTEV_PHASE_MAJOR, 100, 100);
	check_cell(&v, 2, 1, RTEV_PHASE_MAJOR_SLICE, 100, 100);
	check_cell(&v, 3, 0, RTEV_PHASE_MAJOR, 50, 86);
	check_cell(&v, 3, 1, RTEV_PHASE_MAJOR_SLICE, 20, 20);
	check_cell(&v, 4, 0, RTEV_PHASE_MAJOR, 18, 18);
	check_cell(&v, 4, 1, 0, 0, 0);
	/* Equal times: the first in the table of phases. */
	v = picture(t, h, 110, 80, 1, 420);
	check_cell(&v, 0, 1, RTEV_PHASE_MAJOR_MARK, 40, 80);
	/* One nanosecond a column. */
	v = picture(t, h, 348, 1, 14, 420);
	check_cell(&v, 0, 0, RTEV_PHASE_MAJOR, 1, 1);
	check_cell(&v, 1, 0, RTEV_PHASE_MAJOR, 1, 1);
	check_cell(&v, 2, 0, 0, 0, 0);
	check_cell(&v, 11, 0, 0, 0, 0);
	check_cell(&v, 12, 0, RTEV_PHASE_MINOR, 1, 1);
	check_cell(&v, 13, 0, RTEV_PHASE_MINOR, 1, 1);
	/* A span that is dropped behind the picture has no time in it, one that ends there has all of it. */
	feed_open(&f, 0, RTEV_PHASE_MAJOR_SWEEP, 430);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_MARK, 431);
	feed_close(&f, 0, 600);
	v = picture(t, h, 400, 50, 2, 600);
	check_cell(&v, 0, 1, RTEV_PHASE_MAJOR_SWEEP, 20, 20);
	check_cell(&v, 1, 1, RTEV_PHASE_MAJOR_SWEEP, 50, 50);
	check_cell(&v, 1, 2, RTEV_PHASE_MAJOR_MARK, 50, 50);
	feed_drop(&f, 0, 1);
	feed_close(&f, 0, 700);
	v = picture(t, h, 400, 50, 2, 700);
	check_cell(&v, 0, 0, RTEV_PHASE_MAJOR, 48, 48);
	check_cell(&v, 0, 1, 0, 0, 0);
	check_cell(&v, 1, 1, 0, 0, 0);
	check_cell(&v, 1, 2, RTEV_PHASE_MAJOR_MARK, 50, 50);
	timeline_destroy(t);
	timeline_destroy(NULL);
	history_destroy(h);
}

TEST(test_marks)
{
	struct history *h = history_fed(0);
	struct timeline *t = timeline_create();
	struct model_target_pause pauses[] = {{10, 20, MODEL_RULE_GAP}, {250, 420, MODEL_RULE_GAP}};
	struct timeline_query q = {.history = h, .width = 100, .columns = 6, .now = 550};
	struct timeline_view v;

	f.to.lifecycle(h, 0, 5, RTEV_LIFECYCLE_RING_START, 1);
	feed_user(&f.to, 0, 50, 1, 10);
	feed_user(&f.to, 0, 60, 1, 11);
	feed_user_begin(&f, 0, 60, 3);
	feed_user_begin(&f, 0, 80, 4);
	feed_user_end(&f, 0, 80, 210, 4);
	feed_user_end(&f, 0, 60, 90, 3);
	feed_lost(&f.to, 0, MODEL_NOTE_LOST, 210, 99);
	feed_user(&f.to, 0, 430, 1, 12);
	feed_user_begin(&f, 0, 480, 7);
	feed_users_drop(&f, 0, UINT64_MAX);
	feed_lost(&f.to, 0, MODEL_NOTE_LOST, 510, 99);
	q.present.pauses = pauses;
	q.present.pause_count = 2;
	CHECK(timeline_read(t, &q, &v));
	CHECK_INT(v.columns[0].marks, 1);
	CHECK_INT(v.columns[0].points, 2);
	CHECK_INT(v.columns[0].times[TIMELINE_PAUSED], 10);
	CHECK_INT(v.columns[1].times[TIMELINE_PAUSED], 0);
	CHECK_INT(v.columns[2].times[TIMELINE_PAUSED], 50);
	CHECK_INT(v.columns[3].times[TIMELINE_PAUSED], 100);
	CHECK_INT(v.columns[4].times[TIMELINE_PAUSED], 20);
	CHECK_INT(v.columns[1].times[TIMELINE_LOST], 0);
	CHECK_INT(v.columns[2].times[TIMELINE_LOST], 90);
	CHECK_INT(v.columns[3].times[TIMELINE_LOST], 100);
	CHECK_INT(v.columns[4].times[TIMELINE_LOST], 30 + 20);
	CHECK_INT(v.columns[5].times[TIMELINE_LOST], 50);
	/* Slot 3 ends at 210 as the history sees it (stamps go back there), slot 4 at 210. */
	CHECK_INT(v.columns[0].user_slot, 3);
	CHECK_INT(v.columns[0].user_time, 40);
	CHECK_INT(v.columns[1].user_time, 100);
	CHECK_INT(v.columns[2].user_time, 10);
	CHECK_INT(v.columns[3].user_time, 0);
	CHECK_INT(v.columns[4].points, 1);
	CHECK_INT(v.columns[4].user_time, 0);
	/* Queries out of the limits. */
	q.columns = 0;
	CHECK(!timeline_read(t, &q, &v));
	q.columns = 2;
	q.width = UINT64_MAX / 2 + 1;
	CHECK(!timeline_read(t, &q, &v));
	q.width = 10;
	q.domain = 4095;
	CHECK(timeline_read(t, &q, &v));
	CHECK_INT(v.cells[0].time, 0);
	timeline_destroy(t);
	history_destroy(h);
}

TEST(test_open_user_spans)
{
	struct history *h = history_fed(0);
	struct timeline *t = timeline_create();
	struct timeline_view v;

	feed_user_begin(&f, 0, 100, 1);
	feed_user(&f.to, 0, 250, 9, 0);
	v = picture(t, h, 0, 100, 4, 260);
	CHECK_INT(v.columns[1].user_time, 100);
	CHECK_INT(v.columns[2].user_time, 60);
	CHECK_INT(v.columns[3].user_time, 0);
	feed_user_begin(&f, 0, 320, 2);
	f.to.turned(h, MODEL_RESUMED, 500);
	feed_users_drop(&f, 0, 500);
	feed_user_begin(&f, 0, 510, 3);
	/* Both were cut by the resume, which lies behind the picture. */
	v = picture(t, h, 0, 100, 4, 600);
	for (unsigned c = 0; c < 4; c++)
		CHECK_INT(v.columns[c].user_time, 0);
	feed_user_end(&f, 0, 510, 900, 3);
	v = picture(t, h, 400, 100, 2, 600);
	CHECK_INT(v.columns[1].user_slot, 3);
	CHECK_INT(v.columns[1].user_time, 90);
	/* Known, though the domain has not come to it. */
	feed_user_begin(&f, 0, 950, 3);
	f.to.turned(h, MODEL_RESUMED, 980);
	v = picture(t, h, 900, 50, 2, 970);
	CHECK_INT(v.columns[1].user_time, 20);
	v = picture(t, h, 900, 50, 2, 990);
	CHECK_INT(v.columns[1].user_time, 0);
	/* Of two of one name, the inner one alone has ended. */
	feed_users_drop(&f, 0, 980);
	feed_user_begin(&f, 0, 1000, 4);
	feed_user_begin(&f, 0, 1010, 4);
	feed_user_end(&f, 0, 1010, 1100, 4);
	v = picture(t, h, 1000, 50, 1, 1020);
	CHECK_INT(v.columns[0].user_time, 40);
	timeline_destroy(t);
	history_destroy(h);
}

TEST(test_align)
{
	uint64_t t0, width;

	timeline_align(1000, 500, 5, &t0, &width);
	CHECK_INT(width, 100);
	CHECK_INT(t0, 600);
	timeline_align(1099, 500, 5, &t0, &width);
	CHECK_INT(t0, 600);
	timeline_align(1100, 501, 5, &t0, &width);
	CHECK_INT(width, 101);
	CHECK_INT(t0, 606);
	timeline_align(3, 5, 120, &t0, &width);
	CHECK_INT(width, 1);
	CHECK_INT(t0, 0);
	timeline_align(UINT64_MAX, 0, 0, &t0, &width);
	CHECK_INT(width, 1);
}

/* A span that the reference knows. */
struct known {
	uint64_t begin;
	uint64_t end; /* UINT64_MAX: open */
	unsigned depth;
	rtev_phase phase;
	bool cut;
};

struct reference {
	struct known *spans;
	size_t count;
	size_t open[FEED_DEPTH]; /* which spans are open, by depth */
};

#define REFERENCE_SPANS 40000
#define REFERENCE_PHASES (RTEV_PHASE_COUNT + 8)

/* The phase that a number of the reference stands for: the last ones are none of the tables'. */
static rtev_phase reference_phase(unsigned n)
{
	return (rtev_phase)(n < RTEV_PHASE_COUNT ? n : RTEV_OPAQUE + n);
}

/* What a cell must be. */
static struct timeline_cell reference_cell(
    const struct reference *r, unsigned row, uint64_t from, uint64_t to, uint64_t now)
{
	uint64_t sums[REFERENCE_PHASES] = {0};
	struct timeline_cell cell = {0};

	for (size_t i = 0; i < r->count; i++) {
		const struct known *k = &r->spans[i];
		uint64_t begin = k->begin > from ? k->begin : from;
		uint64_t end = k->end == UINT64_MAX ? now : k->end;

		end = end < to ? end : to;
		if (k->depth == row && !k->cut && begin < end)
			sums[k->phase < RTEV_PHASE_COUNT ? k->phase : k->phase - RTEV_OPAQUE] += end - begin;
	}
	for (unsigned n = 0; n < REFERENCE_PHASES; n++) {
		cell.covered += sums[n];
		if (sums[n] > cell.time) {
			cell.time = sums[n];
			cell.phase = reference_phase(n);
		}
	}
	return cell;
}

/* Check a whole picture against the reference. */
static void check_picture(
    const struct timeline_view *v, const struct reference *r, uint64_t t0, uint64_t width, uint64_t now)
{
	for (unsigned c = 0; c < v->column_count; c++)
		for (unsigned row = 0; row < TIMELINE_ROWS_MAX; row++) {
			struct timeline_cell cell =
			    reference_cell(r, row, t0 + c * width, t0 + (c + 1) * width, now);

			check_cell(v, c, row, cell.phase, cell.time, cell.covered);
		}
}

/* Let the domain do something at ts. */
static void reference_step(struct reference *r, uint64_t *seed, uint64_t ts)
{
	unsigned depth = f.depth[0];
	uint64_t what = feed_below(seed, 1000);

	if (what < 480 && depth < 12 && r->count < REFERENCE_SPANS) {
		rtev_phase phase =
		    reference_phase((unsigned)(feed_below(seed, 3) > 0 ? feed_below(seed, 4) + 6
								       : feed_below(seed, REFERENCE_PHASES)));

		r->spans[r->count] = (struct known){ts, UINT64_MAX, depth, phase, false};
		r->open[depth] = r->count++;
		feed_open(&f, 0, phase, ts);
	} else if (what < 960 && depth > 0) {
		r->spans[r->open[depth - 1]].end = ts;
		feed_close(&f, 0, ts);
	} else if (what < 985 && depth > 0) {
		r->spans[r->open[depth - 1]].cut = true;
		feed_drop(&f, 0, depth - 1);
	} else if (what < 987) {
		for (unsigned i = 0; i < depth; i++)
			r->spans[r->open[i]].cut = true;
		feed_gap(&f, 0, ts, 5);
	} else
		f.to.counter(f.to.ctx, 0, ts, RTEV_COUNTER_MINOR_PROMOTED, 5);
}

TEST(test_random_against_reference)
{
	struct history *h = history_fed(0);
	struct timeline *scroll = timeline_create(), *jump = timeline_create(), *ahead = timeline_create();
	struct reference r = {.spans = calloc(REFERENCE_SPANS, sizeof(*r.spans))};
	uint64_t seed = 99, ts = 1000000, begin = ts;

	for (unsigned round = 0; round < 150; round++) {
		struct timeline_view v;
		uint64_t t0, width, now;

		for (unsigned i = feed_below(&seed, 2) ? (unsigned)feed_below(&seed, 300) : 3; i > 0; i--) {
			reference_step(&r, &seed, ts += feed_below(&seed, 1u << feed_below(&seed, 12)));
			if (feed_below(&seed, 8) == 0)
				timeline_follow(ahead, ts, feed_below(&seed, 40));
		}
		now = ts + feed_below(&seed, 2000);
		/* One timeline scrolls with the time, one takes events in between two pictures, and one jumps
		 * about. */
		timeline_align(now, 40000, 23, &t0, &width);
		v = picture(scroll, h, t0, width, 23, now);
		check_picture(&v, &r, t0, width, now);
		v = picture(ahead, h, t0, width, 23, now);
		check_picture(&v, &r, t0, width, now);
		width = 1 + feed_below(&seed, 1u << feed_below(&seed, 14));
		t0 = begin + feed_below(&seed, ts - begin + 1);
		t0 = t0 > 30 * width ? t0 - feed_below(&seed, 30) * width : 0;
		v = picture(jump, h, t0, width, 1 + (unsigned)feed_below(&seed, 30), now);
		check_picture(&v, &r, t0, width, now);
	}
	timeline_destroy(scroll);
	timeline_destroy(jump);
	timeline_destroy(ahead);
	free(r.spans);
	history_destroy(h);
}

TEST(test_only_what_is_new_is_decoded)
{
	struct history *h = history_fed(0);
	struct timeline *t = timeline_create();
	struct timeline_view v;
	uint64_t ts = 1000000, t0, width;

	/* An outer span that stays open all the time. */
	feed_open(&f, 0, RTEV_PHASE_EXPLICIT_GC_COMPACT, ts);
	for (unsigned i = 0; i < 10000; i++) {
		feed_open(&f, 0, RTEV_PHASE_MINOR, ts += 100);
		feed_close(&f, 0, ts += 100);
	}
	timeline_align(ts, 2000000, 100, &t0, &width);
	v = picture(t, h, t0, width, 100, ts);
	CHECK_INT(v.decoded, 9901); /* from 1020000 on */
	check_cell(&v, 98, 0, RTEV_PHASE_EXPLICIT_GC_COMPACT, width, width);
	feed_open(&f, 0, RTEV_PHASE_MINOR, ts += 100);
	feed_close(&f, 0, ts += 100000);
	timeline_align(ts, 2000000, 100, &t0, &width);
	v = picture(t, h, t0, width, 100, ts);
	CHECK_INT(v.decoded, 1);
	check_cell(&v, 0, 1, RTEV_PHASE_MINOR, width / 2, width / 2);
	check_cell(&v, 98, 1, RTEV_PHASE_MINOR, width, width);
	check_cell(&v, 98, 0, RTEV_PHASE_EXPLICIT_GC_COMPACT, width, width);
	/* A picture of the past that is settled is not made again. */
	feed_close(&f, 0, ts += 10);
	v = picture(t, h, 1000000, 1000, 100, ts);
	CHECK(v.decoded > 0);
	v = picture(t, h, 1000000, 1000, 100, ts + 5);
	CHECK_INT(v.decoded, 0);
	check_cell(&v, 99, 0, RTEV_PHASE_EXPLICIT_GC_COMPACT, 1000, 1000);
	timeline_destroy(t);
	history_destroy(h);
}

/* What comes between two pictures of the present is decoded in parts, so that the second one has little to
 * do. */
TEST(test_follow)
{
	struct history *h = history_fed(0);
	struct timeline *t = timeline_create();
	struct timeline_view v;
	uint64_t ts = 1000000, t0, width;

	for (unsigned pictures = 0; pictures < 5; pictures++) {
		timeline_align(ts, 100000, 100, &t0, &width);
		v = picture(t, h, t0, width, 100, ts);
		CHECK_INT(v.decoded, 0);
		/* As much as three quarters of a picture. */
		for (unsigned i = 0; i < 75; i++) {
			feed_open(&f, 0, RTEV_PHASE_MINOR, ts += 400);
			feed_close(&f, 0, ts += 600);
			timeline_follow(t, ts, 100);
		}
	}
	/* A bound is kept to, and what is later than `now` does not move the picture. */
	for (unsigned i = 0; i < 50; i++) {
		feed_open(&f, 0, RTEV_PHASE_MINOR, ts += 10);
		feed_close(&f, 0, ts += 10);
	}
	timeline_follow(t, ts, 15);
	timeline_follow(t, ts, 15);
	feed_open(&f, 0, RTEV_PHASE_MINOR, ts + 50000);
	timeline_follow(t, ts, 5);
	timeline_align(ts, 100000, 100, &t0, &width);
	v = picture(t, h, t0, width, 100, ts);
	CHECK_INT(v.decoded, 15);
	check_cell(&v, 98, 0, RTEV_PHASE_MINOR, 500, 500);
	/* Nor is a picture of the past moved. */
	v = picture(t, h, t0, width, 50, ts);
	timeline_follow(t, ts + 60000, 100);
	v = picture(t, h, t0, width, 50, ts);
	CHECK_INT(v.decoded, 0);
	timeline_destroy(t);
	history_destroy(h);
}

TEST(test_what_is_no_longer_kept)
{
	struct history *h = history_fed(HISTORY_BUDGET_MIN);
	struct timeline *t = timeline_create();
	struct timeline_view v;
	uint64_t ts = 1000, from;

	for (unsigned i = 0; i < 600000; i++) {
		feed_open(&f, 0, RTEV_PHASE_MINOR, ts += 10);
		feed_close(&f, 0, ts += 10);
	}
	from = history_domain_from(h, 0, NULL);
	CHECK(from > 1000);
	v = picture(t, h, from - 1000, 1000, 2, ts);
	CHECK_INT(v.columns[0].times[TIMELINE_UNKNOWN], 1000);
	CHECK_INT(v.columns[1].times[TIMELINE_UNKNOWN], 0);
	check_cell(&v, 0, 0, 0, 0, 0);
	check_cell(&v, 1, 0, RTEV_PHASE_MINOR, 500, 500);
	timeline_destroy(t);
	history_destroy(h);
}
