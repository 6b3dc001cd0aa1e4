/*
 * test_nonsense.c - calls that no model makes: depths, domains and stamps at random, for all that observes
 * one.
 *
 * There is nothing to compare with; what counts is that every call returns and that a sanitizer has no
 * complaint.
 */
#include "support/feed.h"

#include "watch/flame.h"
#include "watch/history.h"
#include "support/mmu_feed.h"
#include "watch/stw.h"
#include "watch/timeline.h"

#define SECOND UINT64_C(1000000000)
#define EVENTS 300000u

static struct path_tree paths;

struct all {
	struct history *history, *copy;
	struct flame *flame;
	struct mmus *mmu;
	struct stw *stw;
	struct timeline *jump;
	struct timeline *scroll;
	struct model_observer observers[3];
};

/* A number of any magnitude. */
static uint64_t any(uint64_t *seed)
{
	return feed_random(seed) >> feed_below(seed, 64);
}

/* A span event. */
static void call_span(const struct model_observer *o, uint64_t *seed, unsigned domain, uint64_t ts)
{
	rtev_phase phase =
	    (rtev_phase)(feed_below(seed, 4) ? feed_below(seed, RTEV_PHASE_COUNT)
					     : RTEV_PHASE_STW_API_BARRIER + feed_below(seed, 3));
	unsigned depth = (unsigned)(feed_below(seed, 20) ? feed_below(seed, 6) : any(seed));
	struct model_span span = {.begin = ts - feed_below(seed, 100000),
	    .end = ts,
	    .depth = depth,
	    .phase = phase,
	    .path = path_inside(&paths, (uint16_t)feed_below(seed, paths.count + 1), phase),
	    .pause = feed_below(seed, 2) == 0};

	switch (feed_below(seed, 8)) {
	case 0:
		o->dropped(o->ctx, domain, phase, ts, depth);
		break;
	case 1:
	case 2:
	case 3:
		o->closed(o->ctx, domain, &span);
		break;
	case 4:
		o->opened(o->ctx, domain, (rtev_phase)(any(seed) & 0x3fff), ts, depth);
		break;
	default:
		o->opened(o->ctx, domain, phase, ts, depth);
		break;
	}
}

/* Any other event. */
static void call_other(const struct model_observer *o, uint64_t *seed, unsigned domain, uint64_t ts)
{
	uint64_t what = feed_below(seed, 60), a = any(seed), b = any(seed), buckets[RTEV_ALLOC_BUCKETS];

	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		buckets[i] = a >> i;
	if (what < 10 && o->counter != NULL)
		o->counter(o->ctx, domain, ts, (rtev_counter)(a & 0x3fff), (int64_t)b);
	else if (what < 20 && o->user != NULL)
		feed_user(o, domain, ts, (unsigned)a, (int64_t)b);
	else if (what < 30 && o->user != NULL)
		feed_user_opened(o, domain, ts, (unsigned)(a % 50));
	else if (what < 40 && o->user != NULL)
		feed_user_closed(o, domain, b, ts, (unsigned)(a % 50));
	else if (what < 45 && o->alloc != NULL)
		o->alloc(o->ctx, domain, ts, buckets);
	else if (what < 50 && o->lifecycle != NULL)
		o->lifecycle(o->ctx, domain, ts, (rtev_lifecycle)(a & 0x3fff), (int64_t)b);
	else if (what < 52 && o->gap != NULL)
		feed_lost(o, domain, MODEL_NOTE_CORRUPT, b, a);
	else if (what < 54 && o->turned != NULL)
		o->turned(o->ctx, MODEL_RESUMED, ts);
}

/* Make the same call to all observers. */
static void call_all(struct all *all, uint64_t *seed, uint64_t ts)
{
	uint64_t domain = feed_below(seed, 10) ? feed_below(seed, 3) : feed_below(seed, 5000);
	bool span = feed_below(seed, 2) == 0;
	uint64_t start;

	if (feed_below(seed, 500) == 0)
		ts = any(seed);
	else if (feed_below(seed, 5) == 0)
		ts -= feed_below(seed, 1000);
	start = feed_random(seed);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t own = start;

		if (span)
			call_span(&all->observers[i], &own, (unsigned)domain, ts);
		else
			call_other(&all->observers[i], &own, (unsigned)domain, ts);
	}
}

/* Read everything that can be read. */
static void read_all(struct all *all, uint64_t *seed, uint64_t ts)
{
	unsigned domain = (unsigned)feed_below(seed, 3);
	struct timeline_query q = {.history = all->history,
	    .domain = domain,
	    .columns = 1 + (unsigned)feed_below(seed, 200),
	    .now = ts};
	struct flame_query past = {.history = all->history,
	    .paths = &paths,
	    .domain = domain,
	    .from = ts - feed_below(seed, SECOND),
	    .to = ts,
	    .now = ts};
	struct timeline_view picture;
	struct flame_view view;
	struct history_column columns[50];
	double mmu[MMU_WINDOWS];
	struct history_cursor cursor;
	struct history_record record;

	q.t0 = any(seed);
	q.width = any(seed);
	if (timeline_read(all->jump, &q, &picture))
		CHECK_INT(picture.column_count, q.columns);
	q.domain = 0;
	q.columns = 100;
	timeline_align(ts, SECOND, q.columns, &q.t0, &q.width);
	CHECK(timeline_read(all->scroll, &q, &picture));
	for (unsigned i = 0; i < q.columns * TIMELINE_ROWS_MAX; i++)
		CHECK(picture.cells[i].time <= picture.cells[i].covered);
	timeline_follow(all->jump, any(seed), any(seed) % 1000);
	timeline_follow(all->scroll, any(seed), any(seed) % 1000);
	struct model_open_span open[6];
	for (unsigned i = 0; i < 6; i++)
		open[i].path = (uint16_t)feed_below(seed, paths.count + 1);
	const struct flame_query live = {.history = all->history,
	    .paths = &paths,
	    .domain = domain,
	    .now = ts,
	    .present = {.stack = open, .depth = (unsigned)feed_below(seed, 7)}};
	if (flame_read_last(all->flame, &live, any(seed), any(seed), &view))
		CHECK(view.from <= view.to);
	if (flame_read(all->flame, &past, &view))
		CHECK(view.in_phases <= past.to - past.from);
	history_slots(all->history, domain, any(seed), any(seed), 50, columns);
	if (feed_below(seed, 3) == 0) {
		history_destroy(all->copy);
		all->copy = history_copy(all->history, &paths);
		CHECK(all->copy != NULL);
	}
	if (all->copy != NULL && history_seek(all->copy, domain, any(seed), &cursor))
		for (unsigned n = 0; n < 1000 && history_next(&cursor, UINT64_MAX, &record); n++)
			CHECK(record.depth < HISTORY_DEPTH && record.begin <= record.ts);
	mmu_read(mmus_of(all->mmu, domain), ts, any(seed), mmu);
	stw_advance(all->stw, ts - feed_below(seed, SECOND));
	for (size_t i = 0; i < stw_recent_count(all->stw) && i < 20; i++) {
		size_t count;

		if (stw_arrivals(all->stw, stw_recent(all->stw, i), &count) != NULL)
			CHECK_INT(count, stw_recent(all->stw, i)->count);
	}
}

TEST(test_nonsense)
{
	struct all all = {
	    .history = history_create(&paths, HISTORY_BUDGET_MIN),
	    .flame = flame_create(),
	    .mmu = mmus_create(),
	    .stw = stw_create(),
	    .jump = timeline_create(),
	    .scroll = timeline_create(),
	};
	uint64_t seed = 1, ts = 100 * SECOND;

	feed_history(all.history, &all.observers[0]);
	mmus_observer(all.mmu, &all.observers[1]);
	stw_observer(all.stw, &all.observers[2]);
	for (unsigned i = 0; i < EVENTS; i++) {
		call_all(&all, &seed, ts += feed_below(&seed, 1u << feed_below(&seed, 20)));
		if (i % 3001 == 0)
			read_all(&all, &seed, ts);
	}
	history_destroy(all.history);
	history_destroy(all.copy);
	flame_destroy(all.flame);
	free(all.mmu);
	stw_destroy(all.stw);
	timeline_destroy(all.jump);
	timeline_destroy(all.scroll);
}
