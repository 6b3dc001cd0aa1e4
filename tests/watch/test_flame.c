/*
 * test_flame.c - flame graphs of the last seconds and of the past, by hand and behind a model.
 */
#include "support/feed.h"

#include "watch/flame.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

static struct feed f;

/* What reads the graphs of what is fed. */
struct reader {
	struct history *history;
	struct flame *flame;
};

/* Begin to feed. */
static struct reader reader_make(void)
{
	struct reader r = {.flame = flame_create()};

	f = (struct feed){0};
	r.history = history_create(&f.paths, 0);
	feed_history(r.history, &f.to);
	CHECK(r.flame != NULL && r.history != NULL);
	return r;
}

static void reader_fini(struct reader *r)
{
	flame_destroy(r->flame);
	history_destroy(r->history);
}

/* Read the graph of a domain, with what is open on the first one. */
static bool read_last(
    const struct reader *r, unsigned domain, uint64_t now, uint64_t window, struct flame_view *out)
{
	const struct flame_query q = {.history = r->history,
	    .paths = &f.paths,
	    .domain = domain,
	    .now = now,
	    .present = {.stack = f.open[0], .depth = domain == 0 ? f.depth[0] : 0}};

	return flame_read_last(r->flame, &q, window, 0, out);
}

/* Read the graph of domain 0. */
static struct flame_view graph(const struct reader *r, uint64_t now, uint64_t window)
{
	struct flame_view view;

	CHECK(read_last(r, 0, now, window, &view));
	return view;
}

/* Check one bar. */
static void check_bar(const struct flame_view *v, size_t i, unsigned depth, int phase, int parent, uint64_t x,
    uint64_t total, uint64_t self)
{
	CHECK(i < v->count);
	CHECK_INT(v->bars[i].depth, depth);
	CHECK_INT(v->bars[i].phase, phase);
	CHECK_INT(v->bars[i].parent, parent < 0 ? (int)FLAME_NONE : parent);
	CHECK_INT(v->bars[i].x, x);
	CHECK_INT(v->bars[i].total, total);
	CHECK_INT(v->bars[i].self, self);
}

TEST(test_by_hand)
{
	struct reader r = reader_make();
	struct flame_view v;
	uint64_t t = 100 * SECOND;

	CHECK(!read_last(&r, 0, t, 0, &v));
	CHECK_INT(v.count, 0);
	/* Twice minor with the remembered set inside, in between major: marking before sweeping as they come,
	 * sweeping before marking as they are shown. */
	feed_open(&f, 0, RTEV_PHASE_MINOR, t);
	feed_open(&f, 0, RTEV_PHASE_MINOR_REMEMBERED_SET, t + 10);
	feed_close(&f, 0, t + 40);
	feed_close(&f, 0, t + 100);
	feed_open(&f, 0, RTEV_PHASE_MAJOR, t + 200);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_MARK, t + 210);
	feed_close(&f, 0, t + 260);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_SWEEP, t + 260);
	feed_close(&f, 0, t + 280);
	feed_close(&f, 0, t + 300);
	feed_open(&f, 0, RTEV_PHASE_MINOR, t + 1000);
	feed_open(&f, 0, RTEV_PHASE_MINOR_REMEMBERED_SET, t + 1001);
	feed_close(&f, 0, t + 1003);
	feed_close(&f, 0, t + 1004);
	v = graph(&r, t + 2000, 5 * SECOND);
	CHECK_INT(v.from, t);
	CHECK_INT(v.to, t + 2000);
	CHECK_INT(v.in_phases, 204);
	CHECK_INT(v.count, 5);
	check_bar(&v, 0, 0, RTEV_PHASE_MAJOR, -1, 0, 100, 30);
	check_bar(&v, 1, 1, RTEV_PHASE_MAJOR_SWEEP, 0, 0, 20, 20);
	check_bar(&v, 2, 1, RTEV_PHASE_MAJOR_MARK, 0, 20, 50, 50);
	check_bar(&v, 3, 0, RTEV_PHASE_MINOR, -1, 100, 104, 72);
	check_bar(&v, 4, 1, RTEV_PHASE_MINOR_REMEMBERED_SET, 3, 100, 32, 32);
	/* What is open counts up to now. */
	feed_open(&f, 0, RTEV_PHASE_MINOR, t + 3000);
	feed_open(&f, 0, RTEV_PHASE_MINOR_REMEMBERED_SET, t + 3010);
	v = graph(&r, t + 3050, 5 * SECOND);
	check_bar(&v, 3, 0, RTEV_PHASE_MINOR, -1, 100, 154, 82);
	check_bar(&v, 4, 1, RTEV_PHASE_MINOR_REMEMBERED_SET, 3, 100, 72, 72);
	/* What is dropped doesn't. */
	feed_drop(&f, 0, 1);
	v = graph(&r, t + 3060, 5 * SECOND);
	check_bar(&v, 3, 0, RTEV_PHASE_MINOR, -1, 100, 164, 132);
	f.to.counter(r.history, 0, t + 3060, RTEV_COUNTER_MINOR_PROMOTED, 1);
	feed_gap(&f, 0, t + 3060, 7);
	v = graph(&r, t + 3080, 5 * SECOND);
	check_bar(&v, 3, 0, RTEV_PHASE_MINOR, -1, 100, 104, 72);
	/* Lost from the latest event known to the next one. */
	CHECK_INT(v.lost, 20);
	f.to.counter(r.history, 0, t + 3100, RTEV_COUNTER_MINOR_PROMOTED, 1);
	v = graph(&r, t + 5000, 5 * SECOND);
	CHECK_INT(v.lost, 40);
	CHECK_INT(v.paused, 0);
	reader_fini(&r);
	flame_destroy(NULL);
}

TEST(test_window_edges)
{
	struct reader r = reader_make();
	struct model_target_pause pause = {10 * SECOND + 100 * MS, 11 * SECOND, MODEL_RULE_GAP};
	struct flame_query q = {
	    .history = r.history, .paths = &f.paths, .present = {.pauses = &pause, .pause_count = 1}};
	struct flame_view v;
	uint64_t t = 10 * SECOND;

	/* 95 ms over the boundary at 10.0 s, which is one of every slice length; 25 ms of it in a child. */
	feed_open(&f, 0, RTEV_PHASE_MAJOR, t - 45 * MS);
	feed_open(&f, 0, RTEV_PHASE_MAJOR_MARK, t - 5 * MS);
	feed_close(&f, 0, t + 20 * MS);
	feed_close(&f, 0, t + 50 * MS);
	/* A window of 1 s read at 11.005 s begins in the slice of 10.000 s. */
	v = graph(&r, t + 1005 * MS, SECOND);
	CHECK_INT(v.from, t);
	check_bar(&v, 0, 0, RTEV_PHASE_MAJOR, -1, 0, 50 * MS, 30 * MS);
	check_bar(&v, 1, 1, RTEV_PHASE_MAJOR_MARK, 0, 0, 20 * MS, 20 * MS);
	/* At 11.02 s in the next one. */
	v = graph(&r, t + 1020 * MS, SECOND);
	CHECK_INT(v.from, t + 20 * MS);
	CHECK_INT(v.count, 1);
	check_bar(&v, 0, 0, RTEV_PHASE_MAJOR, -1, 0, 30 * MS, 30 * MS);
	v = graph(&r, t + 1060 * MS, SECOND);
	CHECK_INT(v.count, 0);
	CHECK_INT(v.from, t + 60 * MS);
	/* Longer windows still know it, to the nanosecond. */
	v = graph(&r, t + 1060 * MS, 2 * SECOND);
	CHECK_INT(v.from, t - 45 * MS);
	check_bar(&v, 0, 0, RTEV_PHASE_MAJOR, -1, 0, 95 * MS, 70 * MS);
	q.now = t + 5090 * MS;
	CHECK(flame_read_last(r.flame, &q, FLAME_WINDOW_DEFAULT, t - 2 * SECOND, &v));
	CHECK_INT(v.from, t);
	CHECK_INT(v.in_phases, 50 * MS);
	CHECK_INT(v.paused, 900 * MS);
	q.now = t + 20 * SECOND;
	CHECK(flame_read_last(r.flame, &q, 60 * SECOND, t - 2 * SECOND, &v));
	CHECK_INT(v.from, t - 2 * SECOND);
	CHECK_INT(v.in_phases, 95 * MS);
	/* After a minute it is gone from the longest window, half a second at a time. */
	v = graph(&r, t + 60 * SECOND + 499 * MS, FLAME_WINDOW_MAX);
	CHECK_INT(v.from, t);
	CHECK_INT(v.in_phases, 50 * MS);
	v = graph(&r, t + 60 * SECOND + 500 * MS, FLAME_WINDOW_MAX);
	CHECK_INT(v.in_phases, 0);
	/* And a span of minutes fills it. */
	feed_open(&f, 0, RTEV_PHASE_EXPLICIT_GC_COMPACT, t + 100 * SECOND);
	feed_close(&f, 0, t + 400 * SECOND);
	v = graph(&r, t + 400 * SECOND, FLAME_WINDOW_MAX);
	CHECK_INT(v.in_phases, FLAME_WINDOW_MAX);
	CHECK_INT(v.to - v.from, FLAME_WINDOW_MAX);
	reader_fini(&r);
}

TEST(test_windows_to_choose)
{
	CHECK_INT(flame_window_next(FLAME_WINDOW_DEFAULT, 1), 10 * SECOND);
	CHECK_INT(flame_window_next(FLAME_WINDOW_DEFAULT, -1), 2 * SECOND);
	CHECK_INT(flame_window_next(60 * SECOND, 1), 60 * SECOND);
	CHECK_INT(flame_window_next(SECOND, -1), SECOND);
	CHECK_INT(flame_window_next(0, 1), SECOND);
	CHECK_INT(flame_window_next(UINT64_MAX, -1), 60 * SECOND);
}

/* Raw events, unbalanced as rings have them, through a model: own times by phase must be those of the
 * model. */
TEST(test_behind_a_model)
{
	struct model *model = model_create(NULL);
	struct history *h = history_create(model_paths(model), 0);
	struct flame *flame = flame_create();
	struct model_observer to;
	struct rtev_callbacks in;
	struct flame_view v;
	const struct model_domain *d;
	struct rtev_user_event user = {.id = 1, .name_len = 1, .name = "u"};
	uint64_t seed = 21, ts = SECOND, self[RTEV_PHASE_COUNT];

	feed_history(h, &to);
	CHECK(model_observe(model, &to));
	model_callbacks(&in);
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t what = feed_below(&seed, 10000);
		rtev_phase phase = (rtev_phase)(RTEV_PHASE_MAJOR + feed_below(&seed, 6));

		ts += feed_below(&seed, 1u << feed_below(&seed, 18));
		d = model_domain(model, 0);
		/* Phases go up as they nest, so that there aren't more paths than are told apart. */
		if (what < 4500 && d != NULL && d->depth > 0 && phase <= d->stack[d->depth - 1].phase)
			in.user_unit(model, 0, ts, &user);
		else if (what < 4500)
			in.begin(model, 0, ts, phase);
		else if (what < 9980)
			in.end(model, 0, ts, phase);
		else if (what < 9990)
			in.lost(model, 0, 5, 0);
		else {
			model_resume_at(model, ts - feed_below(&seed, 1000));
			in.lifecycle(model, 0, ts, RTEV_LIFECYCLE_RING_RESUME, 0);
		}
	}
	in.lost(model, 0, 5, 0);
	d = model_domain(model, 0);
	CHECK_INT(d->depth, 0);
	CHECK(d->dropped > 1000);
	for (unsigned way = 0; way < 2; way++) {
		struct flame_query q = {
		    .history = h, .paths = model_paths(model), .from = 0, .to = ts + 1, .now = ts + 1};

		memset(self, 0, sizeof(self));
		CHECK(way == 0 ? flame_read_last(flame, &q, FLAME_WINDOW_MAX, 0, &v)
			       : flame_read(flame, &q, &v));
		for (size_t i = 0; i < v.count; i++)
			self[v.bars[i].phase] += v.bars[i].self;
		for (unsigned p = 0; p < RTEV_PHASE_COUNT; p++)
			CHECK_INT(self[p], d->phases[p].self);
	}
	CHECK(ts < FLAME_WINDOW_MAX);
	model_destroy(model);
	flame_destroy(flame);
	history_destroy(h);
}

TEST(test_too_many_paths)
{
	struct reader r = reader_make();
	struct flame_view v;
	uint64_t ts = SECOND, named = 0, other = 0;

	/* 900 paths of 10 ns each under one span, each with another 1 ns inside. */
	feed_open(&f, 0, RTEV_PHASE_MAJOR, ts);
	for (unsigned i = 0; i < 900; i++) {
		feed_open(&f, 0, (rtev_phase)(RTEV_OPAQUE + i), ts);
		feed_open(&f, 0, RTEV_PHASE_MINOR, ts + 3);
		feed_close(&f, 0, ts + 4);
		feed_close(&f, 0, ts += 10);
	}
	feed_close(&f, 0, ts);
	v = graph(&r, ts, SECOND);
	CHECK_INT(v.in_phases, 9000);
	CHECK_INT(v.bars[0].total, 9000);
	CHECK_INT(v.bars[0].self, 0);
	for (size_t i = 1; i < v.count; i++) {
		if (v.bars[i].phase == PATH_OTHER && v.bars[i].parent == 0)
			other += v.bars[i].total;
		else if (v.bars[i].parent == 0)
			named += v.bars[i].total;
	}
	/* Paths 0 to 1023 have their own: the empty one, major, then two for each. */
	CHECK_INT(named, 511 * 10);
	CHECK_INT(other, 9000 - 511 * 10);
	/* What comes later is one of several, and what is inside of it counts for it. */
	ts += 100 * SECOND;
	feed_open(&f, 0, RTEV_PHASE_MINOR, ts);
	feed_open(&f, 0, RTEV_PHASE_MINOR_CLEAR, ts + 5);
	feed_close(&f, 0, ts + 7);
	feed_close(&f, 0, ts + 9);
	v = graph(&r, ts + 10, SECOND);
	CHECK_INT(v.count, 1);
	check_bar(&v, 0, 0, PATH_OTHER, -1, 0, 9, 9);
	reader_fini(&r);
}

TEST(test_hostile_calls)
{
	struct reader r = reader_make();
	struct history *h = r.history;
	struct model_observer to;
	struct model_span span = {.begin = 9, .end = 5, .depth = 3, .phase = RTEV_PHASE_MINOR};
	struct flame_view v;
	uint64_t ts = SECOND;

	to = f.to;
	to.opened(h, 4096, RTEV_PHASE_MINOR, ts, 0);
	to.opened(h, 4095, RTEV_PHASE_MINOR, ts, 7);
	to.closed(h, 4095, &span);
	to.closed(h, 4000, &span);
	to.dropped(h, 4095, RTEV_PHASE_MINOR, ts, 0);
	feed_lost(&to, UINT32_MAX, MODEL_NOTE_LOST, ts, 1);
	/* Deeper than what is told apart. */
	uint16_t paths[301] = {0};
	for (unsigned i = 0; i < 300; i++) {
		paths[i + 1] = path_inside(&f.paths, paths[i], RTEV_PHASE_MINOR);
		to.opened(h, 1, RTEV_PHASE_MINOR, ts + i, i);
	}
	for (unsigned i = 300; i-- > 0;) {
		span =
		    (struct model_span){.begin = ts + i, .end = ts + 1000, .depth = i, .path = paths[i + 1]};
		to.closed(h, 1, &span);
	}
	CHECK(read_last(&r, 1, ts + 1000, SECOND, &v));
	CHECK_INT(v.in_phases, 1000);
	CHECK_INT(v.count, PATH_DEPTH_MAX);
	CHECK_INT(v.bars[63].self, 1000 - 63);
	/* A stamp from nowhere, and back again. */
	to.opened(h, 1, RTEV_PHASE_MINOR, UINT64_MAX - 5, 0);
	CHECK(read_last(&r, 1, ts + 1000, SECOND, &v));
	to.opened(h, 1, RTEV_PHASE_MINOR, ts + 2000, 0);
	span = (struct model_span){.begin = ts + 2000, .end = ts + 2010, .path = paths[1]};
	to.closed(h, 1, &span);
	/* Back a little: it counts as no time. */
	to.opened(h, 1, RTEV_PHASE_MAJOR, ts + 1990, 0);
	span = (struct model_span){.begin = ts + 1990, .end = ts + 1995, .path = paths[1]};
	to.closed(h, 1, &span);
	CHECK(read_last(&r, 1, ts + 3000, SECOND, &v));
	CHECK_INT(v.in_phases, 10);
	/* Spans of each domain that there can be. */
	for (unsigned d = 0; d < 4096; d++)
		to.opened(h, d, RTEV_PHASE_MINOR, ts + 4000, 0);
	const struct model_open_span open = {.begin = ts + 4000, .path = paths[1]};
	const struct flame_query q = {.history = h,
	    .paths = &f.paths,
	    .domain = 4095,
	    .now = ts + 5000,
	    .present = {.stack = &open, .depth = 1}};
	CHECK(flame_read_last(r.flame, &q, SECOND, 0, &v));
	/* There is not room for a block of each; what is open is known all the same. */
	CHECK(v.from <= ts + 4001 && v.in_phases > 0);
	CHECK_INT(v.in_phases, v.to - ts - 4000 < v.to - v.from ? v.to - ts - 4000 : v.to - v.from);
	reader_fini(&r);
}
