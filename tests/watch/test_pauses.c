/*
 * test_pauses.c - what a watch tells of pauses, against a list of all of them: the longest of each domain, the
 * durations of the last seconds, the coarse slots, the time in them.
 */
#include "support/feed.h"

#include <stdlib.h>

#include "watch/watch.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define START (100 * SECOND)
#define DOMAINS 3
#define PAUSES_MAX 80000
#define COLUMNS 400

struct told {
	uint64_t begin, end;
	bool stale;  /* begun before a reset and ended after it */
	bool latest; /* since the latest reset */
};

static struct stage {
	struct watch *w;
	struct rtev_callbacks calls;
	uint64_t seed;
	uint64_t now[DOMAINS];
	struct told pauses[DOMAINS][PAUSES_MAX];
	unsigned count[DOMAINS];
} s;

static void stage_open(uint64_t seed)
{
	memset(&s, 0, sizeof(s));
	s.seed = seed;
	s.w = watch_create(&(struct watch_options){.attach_ts = START});
	CHECK(s.w != NULL);
	model_callbacks(&s.calls);
	for (unsigned d = 0; d < DOMAINS; d++) {
		s.now[d] = START + d;
		CHECK_INT(s.calls.lifecycle(watch_model(s.w), d, s.now[d], RTEV_LIFECYCLE_RING_START, 1),
		    RTEV_CONTINUE);
	}
}

static void reset(void)
{
	for (unsigned d = 0; d < DOMAINS; d++)
		for (unsigned i = 0; i < s.count[d]; i++)
			s.pauses[d][i].latest = false;
	model_reset(watch_model(s.w));
}

/* A length: one of a few, or any. */
static uint64_t length(void)
{
	return feed_below(&s.seed, 8) == 0 ? feed_below(&s.seed, UINT64_C(1) << feed_below(&s.seed, 29))
					   : feed_below(&s.seed, 4) * 1000;
}

/* Tell of a pause. */
static void pause(unsigned d, uint64_t apart)
{
	struct model *m = watch_model(s.w);
	struct told *p = &s.pauses[d][s.count[d]++];

	CHECK(s.count[d] <= PAUSES_MAX);
	p->begin = s.now[d] += feed_below(&s.seed, apart);
	CHECK_INT(s.calls.begin(m, d, p->begin, RTEV_PHASE_MINOR), RTEV_CONTINUE);
	if (feed_below(&s.seed, 3000) == 0) {
		reset();
		p->stale = true;
	}
	/* Something inside may be of a later step. */
	uint64_t took = length(), inside = p->begin + (took == 0 ? 0 : feed_below(&s.seed, took));
	if (took % 2 != 0) {
		CHECK_INT(s.calls.begin(m, d, inside, RTEV_PHASE_MAJOR_SLICE), RTEV_CONTINUE);
		CHECK_INT(s.calls.end(m, d, inside, RTEV_PHASE_MAJOR_SLICE), RTEV_CONTINUE);
	}
	p->end = s.now[d] += took;
	p->latest = true;
	CHECK_INT(s.calls.end(m, d, p->end, RTEV_PHASE_MINOR), RTEV_CONTINUE);
}

static uint64_t latest(void)
{
	uint64_t now = 0;

	for (unsigned d = 0; d < DOMAINS; d++)
		now = s.now[d] > now ? s.now[d] : now;
	return now;
}

/* ---- what it should be ---- */

static bool goes_before(const struct told *a, const struct told *b)
{
	uint64_t mine = a->end - a->begin, other = b->end - b->begin;

	return mine != other ? mine > other : a->begin < b->begin;
}

static void expect_longest(const struct watch *w, unsigned d)
{
	const struct longest_list *list = watch_longest_pauses(w, d);
	const struct told *before = NULL;
	unsigned count = 0;

	for (; count < LONGEST_MAX; count++) {
		const struct told *next = NULL;
		for (unsigned i = 0; i < s.count[d]; i++) {
			const struct told *p = &s.pauses[d][i];
			if (p->stale || !p->latest || (before != NULL && !goes_before(before, p)))
				continue;
			next = next == NULL || goes_before(p, next) ? p : next;
		}
		if (next == NULL)
			break;
		CHECK(list != NULL && list->count > count);
		CHECK_INT(list->spans[count].begin, next->begin);
		CHECK_INT(list->spans[count].end, next->end);
		before = next;
	}
	CHECK_INT(list != NULL ? list->count : 0, count);
}

static void expect_recent(const struct watch *w, uint64_t now)
{
	struct hist got = {0}, want = {0};
	struct hist_bucket a, b;
	unsigned x = 0, y = 0;

	for (unsigned d = 0; d < DOMAINS; d++)
		for (unsigned i = 0; i < s.count[d]; i++) {
			const struct told *p = &s.pauses[d][i];
			if (!p->stale && p->end >= recent_from(now) &&
			    p->end / WATCH_STEP <= now / WATCH_STEP)
				CHECK(hist_add(&want, p->end - p->begin));
		}
	CHECK(recent_read(watch_pauses(w), now, &got));
	CHECK_INT(got.count, want.count);
	CHECK_INT(got.sum, want.sum);
	CHECK_INT(got.min, want.min);
	CHECK_INT(got.max, want.max);
	while (hist_next(&want, &x, &a)) {
		CHECK(hist_next(&got, &y, &b));
		CHECK(a.low == b.low && a.count == b.count);
	}
	CHECK(!hist_next(&got, &y, &b));
	hist_fini(&got);
	hist_fini(&want);
}

/* How much of a pause lies in a stretch of time. */
static uint64_t part(const struct told *p, uint64_t from, uint64_t to)
{
	uint64_t begin = p->begin > from ? p->begin : from, end = p->end < to ? p->end : to;

	return end > begin ? end - begin : 0;
}

static void expect_slots(struct watch *w, unsigned d)
{
	static struct history_column got[COLUMNS], want[COLUMNS];

	memset(want, 0, sizeof(want));
	for (unsigned i = 0; i < s.count[d]; i++) {
		const struct told *p = &s.pauses[d][i];
		uint64_t last = (p->end - START) / HISTORY_SLOT;
		CHECK(last < COLUMNS);
		for (uint64_t k = (p->begin - START) / HISTORY_SLOT; k <= last; k++) {
			want[k].gc += part(p, START + k * HISTORY_SLOT, START + (k + 1) * HISTORY_SLOT);
		}
		if (p->end - p->begin > want[last].pause_max)
			want[last].pause_max = p->end - p->begin;
	}
	history_slots(watch_history(w), d, START, HISTORY_SLOT, COLUMNS, got);
	for (unsigned i = 0; i < COLUMNS; i++) {
		CHECK_INT(got[i].gc, want[i].gc);
		CHECK_INT(got[i].pause_max, want[i].pause_max);
	}
}

/* The time in pauses, and the longest, of the last steps. */
static void expect_series(const struct watch *w, unsigned d)
{
	enum { STEPS = 8 };
	double spent[STEPS], longest[STEPS];
	uint64_t first = s.now[d] / WATCH_STEP + 1 - STEPS;

	series_read(watch_series(w, d, WATCH_GC), s.now[d], 1, STEPS, spent);
	series_read(watch_series(w, d, WATCH_LONGEST), s.now[d], 1, STEPS, longest);
	for (unsigned k = 0; k < STEPS; k++) {
		uint64_t from = (first + k) * WATCH_STEP, to = from + WATCH_STEP, sum = 0, most = 0;
		for (unsigned i = 0; i < s.count[d]; i++) {
			const struct told *p = &s.pauses[d][i];
			sum += p->stale ? 0 : part(p, from, to);
			if (!p->stale && p->end >= from && p->end < to && p->end - p->begin > most)
				most = p->end - p->begin;
		}
		if (from < START)
			continue;
		CHECK_NEAR(spent[k], (double)sum, 1e-3);
		CHECK_NEAR(longest[k], (double)most, 0);
	}
}

static void look(void)
{
	uint64_t now = latest();

	watch_advance(s.w, now, now);
	struct watch *copy = watch_copy(s.w);
	CHECK(copy != NULL);
	for (unsigned d = 0; d < DOMAINS; d++) {
		expect_longest(s.w, d);
		expect_longest(copy, d);
		expect_slots(s.w, d);
		if (s.count[d] > 0)
			expect_series(s.w, d);
	}
	expect_recent(s.w, now);
	expect_recent(copy, now);
	watch_destroy(copy);
}

TEST(test_against_list)
{
	for (uint64_t seed = 0; seed < 6; seed++) {
		stage_open(seed);
		/* Ring after ring, of up to half a second, as they are read. */
		for (unsigned turn = 0; turn < 150; turn++) {
			unsigned d = turn % DOMAINS;
			uint64_t until = latest() + feed_below(&s.seed, SECOND / 2);
			uint64_t apart = UINT64_C(1) << (20 + feed_below(&s.seed, 6));
			while (s.now[d] < until)
				pause(d, apart);
			if (turn % 10 == 9)
				look();
		}
		watch_destroy(s.w);
	}
}

/* A list that is not full takes what took no time. */
TEST(test_no_time)
{
	stage_open(0);
	for (unsigned i = 0; i < LONGEST_MAX + 3; i++) {
		struct told *p = &s.pauses[0][s.count[0]++];
		p->begin = p->end = s.now[0] += 1000;
		p->latest = true;
		CHECK_INT(s.calls.begin(watch_model(s.w), 0, p->begin, RTEV_PHASE_MINOR), RTEV_CONTINUE);
		CHECK_INT(s.calls.end(watch_model(s.w), 0, p->end, RTEV_PHASE_MINOR), RTEV_CONTINUE);
		look();
	}
	watch_destroy(s.w);
}
