/*
 * test_trend.c - random stories told to a watch, against a plain model that keeps everything and sums it up anew for each stretch.
 */
#include "support/trend_story.h"
#include "watch/trend_private.h"

static struct story story;

/* ---- the plain model ---- */

struct plain {
	double gc, seen, observed, pauses, max, allocated, promoted, lost;
	double heap, heap_low, heap_high;
	double durations[FACTS_MAX];
	bool paused;
};

/* How much of [a, b) lies in [from, to). */
static double overlap(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
	uint64_t begin = a > from ? a : from, end = b < to ? b : to;

	return end > begin ? (double)(end - begin) : 0;
}

/* Of [a, b) without the pauses of the target. */
static double unpaused(const struct story *s, uint64_t a, uint64_t b)
{
	double sum = a < b ? (double)(b - a) : 0;

	for (unsigned i = 0; i < s->silence_count && a < b; i++)
		sum -= overlap(s->silences[i].from, s->silences[i].to, a, b);
	return sum;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Whether the collector did nothing in a second, as far as is known. */
static bool is_idle(const struct story *s, uint64_t from)
{
	double sum = 0;

	for (unsigned i = 0; i < s->count; i++) {
		const struct fact *f = &s->facts[i];
		bool in = f->from >= from && f->from < from + SECOND;
		if (f->kind == PAUSE && f->from < from + SECOND && f->to >= from)
			return false;
		sum += in && (f->kind == ALLOCATED || f->kind == PROMOTED) ? f->value : 0;
	}
	return sum == 0;
}

/* The seconds of which all was lost, and those of which something was. */
struct second {
	uint64_t from;
	bool gap;
};
static struct second lossy[FACTS_MAX];
static unsigned lossy_count;

static void find_lossy(const struct story *s)
{
	lossy_count = 0;
	for (unsigned i = 0; i < s->count; i++) {
		const struct fact *f = &s->facts[i];
		if (f->kind != UNREAD)
			continue;
		for (uint64_t at = f->from / SECOND * SECOND; at <= f->to; at += SECOND) {
			bool inside = at >= f->from && at + SECOND <= f->to;
			CHECK(lossy_count < FACTS_MAX);
			lossy[lossy_count++] = (struct second){.from = at, .gap = inside && is_idle(s, at)};
		}
	}
}

/* How much of [a, b) can't be said to have been seen. */
static double gaps(const struct story *s, uint64_t a, uint64_t b)
{
	double sum = 0;

	for (unsigned i = 0; i < lossy_count && a < b; i++) {
		bool again = false;
		for (unsigned k = i; k-- > 0 && !again && lossy[k].from + 200 * SECOND > lossy[i].from;)
			again = lossy[k].gap && lossy[k].from == lossy[i].from;
		if (lossy[i].gap && !again)
			sum += unpaused(s, later(a, lossy[i].from), earlier(b, lossy[i].from + SECOND));
	}
	return sum;
}

/* Whether events were lost in [from, to). */
static bool is_lossy(uint64_t from, uint64_t to)
{
	for (unsigned i = 0; i < lossy_count; i++)
		if (lossy[i].from < to && lossy[i].from + SECOND > from)
			return true;
	return false;
}

static void plain_heap(const struct story *s, uint64_t from, uint64_t to, struct plain *p)
{
	double level = NAN, low = NAN, high = NAN;

	for (unsigned i = 0; i < s->count; i++) {
		const struct fact *f = &s->facts[i];
		if (f->kind != HEAP || f->from >= to)
			continue;
		if (f->from >= from && !isnan(level)) {
			low = fmin(low, level);
			high = fmax(high, level);
		}
		level = f->value;
		if (f->from >= from) {
			low = fmin(low, level);
			high = fmax(high, level);
		}
	}
	p->heap = level;
	p->heap_low = fmin(low, level);
	p->heap_high = fmax(high, level);
}

static int ascending(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Sum up [from, to). */
static void plain_read(const struct story *s, uint64_t from, uint64_t to, struct plain *p)
{
	unsigned n = 0;

	p->gc = p->observed = p->max = p->allocated = p->promoted = p->lost = 0;
	p->paused = unpaused(s, from, to) < (double)(to - from);
	p->seen = unpaused(s, later(from, ATTACH + 5 * MS), earlier(to, s->now)) -
		  gaps(s, later(from, ATTACH + 5 * MS), earlier(to, s->now));
	for (unsigned i = 0; i < s->count; i++) {
		const struct fact *f = &s->facts[i];
		bool in = f->from >= from && f->from < to;
		switch (f->kind) {
		case PAUSE:
			p->gc += overlap(f->from, f->to, from, to);
			if (f->to >= from && f->to < to)
				p->durations[n++] = (double)(f->to - f->from);
			break;
		case ALLOCATED:
			p->allocated += in ? f->value : 0;
			break;
		case PROMOTED:
			p->promoted += in ? f->value : 0;
			break;
		case LOST:
			p->lost += in ? f->value : 0;
			break;
		case LIFE:
			p->observed += unpaused(s, later(from, f->from), earlier(to, f->to)) -
				       gaps(s, later(from, f->from), earlier(to, f->to));
			break;
		default:
			break;
		}
	}
	qsort(p->durations, n, sizeof(p->durations[0]), ascending);
	p->pauses = n;
	p->max = n > 0 ? p->durations[n - 1] : 0;
	plain_heap(s, from, to, p);
}

static double nearest_rank(const struct plain *p, double share)
{
	return p->durations[(unsigned)ceil(share * p->pauses) - 1];
}

/* The least and the largest share of the collector in the seconds of a stretch that were seen for half their time, and of which
 * nothing was lost. */
static void plain_shares(const struct story *s, uint64_t from, uint64_t to, double *low, double *high)
{
	static struct plain p;

	*low = *high = NAN;
	for (uint64_t at = from; at < to; at += SECOND) {
		if (at + SECOND > s->now)
			break;
		plain_read(s, at, at + SECOND, &p);
		if (p.seen < (double)SECOND / 2 || is_lossy(at, at + SECOND))
			continue;
		double share = p.observed > 0 ? p.gc / p.observed : 0;
		*low = fmin(*low, share);
		*high = fmax(*high, share);
	}
}

/* ---- the two against each other ---- */

static void compare_figures(const struct story *s, const struct trend_span *t, const struct plain *p)
{
	const struct trend_value *f = t->figures;
	double seconds = p->seen / 1e9;

	CHECK_NEAR(f[TREND_LOST].value, p->lost, 0);
	if (seconds >= 0.5) {
		CHECK_NEAR(f[TREND_ALLOCATED].value, p->allocated / seconds, p->allocated / seconds * 1e-9);
		CHECK_NEAR(f[TREND_PROMOTED].value, p->promoted / seconds, p->promoted / seconds * 1e-9);
		CHECK_NEAR(f[TREND_PAUSES].value, p->pauses / seconds, p->pauses / seconds * 1e-9);
	} else {
		CHECK(isnan(f[TREND_ALLOCATED].value) && isnan(f[TREND_PROMOTED].value));
		CHECK(isnan(f[TREND_PAUSES].value) && isnan(f[TREND_EVENTS].value));
		CHECK(isnan(f[TREND_GC].value));
	}
	if (p->observed > 0 && seconds >= 0.5)
		CHECK_NEAR(f[TREND_GC].value, p->gc / p->observed, 1e-9);
	/* Of steps that are gaps no level is told. */
	bool gap = t->steps > 1 && gaps(s, t->from, t->to) > 0;
	CHECK(gap || isnan(f[TREND_HEAP].value) == isnan(p->heap));
	if (!gap && !isnan(p->heap)) {
		CHECK_NEAR(f[TREND_HEAP].value, p->heap, p->heap * 1e-6);
		CHECK_NEAR(f[TREND_HEAP].low, p->heap_low, p->heap_low * 1e-6);
		CHECK_NEAR(f[TREND_HEAP].high, p->heap_high, p->heap_high * 1e-6);
	}
	if (t->steps != 1)
		return;
	CHECK(isnan(f[TREND_P50].value) == (p->pauses == 0));
	if (p->pauses != 0) {
		CHECK_NEAR(f[TREND_P50].value, nearest_rank(p, 0.5), nearest_rank(p, 0.5) * 0.01);
		CHECK_NEAR(f[TREND_P99].value, nearest_rank(p, 0.99), nearest_rank(p, 0.99) * 0.01);
	}
}

static void compare(const struct story *s, unsigned tier, uint64_t from, uint64_t to)
{
	static struct plain p;
	struct trend_span t;
	bool there = trend_read_tier(watch_trend(s->w), tier, from, to, &t);

	plain_read(s, from, to, &p);
	if (there != (p.seen > 0))
		TEST_FAIL("tier %u at %.3f..%.3f: seen %d, expected %.0f", tier, (double)from / 1e9,
		    (double)to / 1e9, there, p.seen);
	if (!there)
		return;
	CHECK_NEAR(t.gc_ns, p.gc, 0);
	CHECK_NEAR(t.seen_ns, p.seen, 0);
	CHECK_NEAR(t.observed_ns, p.observed, 0);
	CHECK_NEAR(t.pauses, p.pauses, 0);
	CHECK_NEAR(t.pause_max, p.max, 0);
	CHECK_NEAR(t.allocated, p.allocated, 0);
	CHECK_NEAR(t.promoted, p.promoted, 0);
	CHECK_NEAR(t.lost_words, p.lost, 0);
	compare_figures(s, &t, &p);
	CHECK(t.lossy == is_lossy(t.from, t.to));
	double low, high;
	/* A second that turns out to have been paused after it was folded is not taken back. */
	if (p.paused || to > s->now || t.steps != 1 || isnan(t.figures[TREND_GC].high) || from % 5 != 0)
		return;
	plain_shares(s, from, to, &low, &high);
	if (isnan(low))
		return;
	CHECK_NEAR(t.figures[TREND_GC].low, low, 2e-5);
	CHECK_NEAR(t.figures[TREND_GC].high, high, 2e-5);
}

/* Compare random stretches of each tier, back to where it ends. */
static void compare_all(struct story *s, int each)
{
	find_lossy(s);
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		uint64_t length = trend_step(tier), last = s->now / length;
		uint64_t steps = trend_tier_rows[tier].steps;
		uint64_t first = last >= steps ? last - steps + 1 : 0;
		if (first < ATTACH / length)
			first = ATTACH / length;
		for (int i = 0; i < each; i++) {
			uint64_t at = first + below(s, last - first + 1);
			uint64_t more = i % 4 == 0 ? 1 + below(s, 30) : 1;
			if (at + more > last + 1)
				more = last + 1 - at;
			compare(s, tier, at * length, (at + more) * length);
		}
		/* The step that is not over, and the oldest. */
		compare(s, tier, last * length, (last + 1) * length);
		compare(s, tier, first * length, (first + 1) * length);
	}
}

/* The sums of all steps are the model's totals. */
static void compare_totals(const struct story *s)
{
	struct model *m = watch_model(s->w);
	struct model_totals totals;
	struct model_counter allocated;
	struct trend_span t;
	uint64_t observed = 0;

	model_totals(m, &totals);
	model_counter_total(m, RTEV_COUNTER_MINOR_ALLOCATED, &allocated);
	for (unsigned d = 0; d < totals.domains; d++)
		observed += model_domain(m, d) != NULL ? model_domain(m, d)->observed_ns : 0;
	for (unsigned tier = 1; tier < TREND_TIER_COUNT; tier++) {
		CHECK(trend_read_tier(watch_trend(s->w), tier, 0, s->now + 1, &t));
		CHECK_INT(t.gc_ns, totals.gc_ns);
		CHECK_INT(t.pauses, model_pauses(m)->count);
		CHECK_INT(t.pause_max, model_pauses(m)->max);
		static struct plain p;
		plain_read(s, 0, s->now + 1, &p);
		CHECK(p.observed <= (double)observed);
		CHECK_NEAR(t.observed_ns, p.observed, 0);
		CHECK_INT(t.lost_words, totals.lost_words);
		CHECK_INT(t.allocated, allocated.sum);
		CHECK_INT(t.events, totals.events);
	}
}

/* Stories of minutes: every tier has all of it. */
static void test_minutes(void)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		story_begin(&story, seed);
		for (int i = 0; i < 3000; i++)
			act(&story, 10 * SECOND);
		story_end(&story);
		CHECK(story.now - ATTACH < 4 * HOUR);
		compare_all(&story, 150);
		compare_totals(&story);
		watch_destroy(story.w);
	}
}

/* Stories of more than a week: what is older is gone, and the rest is right across every change of tier. */
static void test_weeks(void)
{
	for (uint64_t seed = 100; seed < 104; seed++) {
		story_begin(&story, seed);
		while (story.now - ATTACH < 9 * DAY && story.count < FACTS_MAX - 100)
			act(&story, 12 * HOUR);
		story_end(&story);
		CHECK(story.now - ATTACH > 8 * DAY);
		compare_all(&story, 150);
		struct trend_span t;
		CHECK(!trend_read_tier(watch_trend(story.w), 2, ATTACH, ATTACH + MINUTE, &t));
		watch_destroy(story.w);
	}
}

/* All that is promised of its size. */
static void test_size(void)
{
	CHECK(sizeof(struct trend) <= 2 * 1024 * 1024);
	CHECK_INT(trend_tier_rows[0].length * trend_tier_rows[0].steps, 10 * MINUTE);
	CHECK_INT(trend_tier_rows[1].length * trend_tier_rows[1].steps, 4 * HOUR);
	CHECK_INT(trend_tier_rows[2].length * trend_tier_rows[2].steps, 7 * DAY);
}

/* A copy is as it was, whatever comes after. */
static void test_copy(void)
{
	struct trend_span before, after, copied;

	story_begin(&story, 7);
	for (int i = 0; i < 500; i++)
		act(&story, SECOND);
	look(&story);
	uint64_t to = story.now / SECOND * SECOND;
	CHECK(trend_read(watch_trend(story.w), to - 10 * SECOND, to, &before));
	struct watch *copy = watch_copy(story.w);
	CHECK(copy != NULL);
	for (int i = 0; i < 4000; i++)
		act(&story, 10 * SECOND);
	CHECK(trend_read(watch_trend(copy), to - 10 * SECOND, to, &copied));
	CHECK_INT(copied.gc_ns, before.gc_ns);
	CHECK_INT(copied.pauses, before.pauses);
	CHECK_INT(copied.seen_ns, before.seen_ns);
	CHECK_NEAR(copied.figures[TREND_P99].high, before.figures[TREND_P99].high, 0);
	CHECK(!trend_read_tier(watch_trend(story.w), 0, to - 10 * SECOND, to, &after));
	watch_destroy(copy);
	watch_destroy(story.w);
}

/* A domain that allocates and collects every 10 ms, up to a stamp. */
static void busy(struct story *s, unsigned domain, uint64_t to)
{
	struct model *m = watch_model(s->w);

	for (; s->now < to; s->now += 10 * MS) {
		s->calls.begin(m, domain, s->now, RTEV_PHASE_MINOR);
		s->calls.end(m, domain, s->now + MS, RTEV_PHASE_MINOR);
		s->calls.counter(m, domain, s->now + MS, RTEV_COUNTER_MINOR_ALLOCATED, 1000);
		if (s->now / (10 * MS) % 25 == 0)
			look(s);
	}
	look(s);
}

/* Seconds of which all was lost are gaps, also in longer steps; those of which a part was lost are bounds. */
static void test_unread(void)
{
	struct trend_span t;

	story_begin(&story, 3);
	uint64_t begin = story.now / MINUTE * MINUTE + MINUTE;
	busy(&story, 0, begin + 7200 * MS);
	/* Nothing is read for a while, and the ring has gone round. */
	story.now = begin + 11700 * MS;
	story.calls.lost(watch_model(story.w), 0, 5000, 0);
	busy(&story, 0, begin + 2 * MINUTE);
	const struct trend *trend = watch_trend(story.w);
	for (uint64_t second = 0; second < 20; second++) {
		bool seen = trend_read(trend, begin + second * SECOND, begin + (second + 1) * SECOND, &t);
		CHECK(seen == (second < 8 || second > 10));
		CHECK(t.lossy == (second >= 7 && second <= 11));
		CHECK(isnan(t.figures[TREND_ALLOCATED].value) == !seen);
		if (seen && !t.lossy)
			CHECK_NEAR(t.figures[TREND_ALLOCATED].value, 1e5, 2e3);
	}
	for (unsigned tier = 1; tier < TREND_TIER_COUNT; tier++) {
		CHECK(trend_read_tier(trend, tier, begin, begin + MINUTE, &t));
		CHECK_NEAR(t.seen_ns, 57e9, 0);
		CHECK(t.lossy && isnan(t.figures[TREND_EVENTS].value));
		CHECK_NEAR(t.figures[TREND_ALLOCATED].low, 1e5, 2e3);
		CHECK_NEAR(t.figures[TREND_GC].low, 0.1, 1e-3);
	}
	/* An hour in which nobody looked at all. */
	begin = story.now;
	story.now += HOUR;
	story.calls.lost(watch_model(story.w), 0, 5000, 0);
	busy(&story, 0, story.now + 90 * SECOND);
	CHECK(!trend_read(trend, begin + MINUTE, begin + 58 * MINUTE, &t));
	CHECK(t.lossy && isnan(t.figures[TREND_GC].value));
	watch_destroy(story.w);
}

/* Of time that has only just begun no rate is told: what comes in it may not have been read yet. */
static void test_begun(void)
{
	struct trend_span t;

	story_begin(&story, 4);
	uint64_t begin = story.now / MINUTE * MINUTE + MINUTE;
	busy(&story, 0, begin + 6 * SECOND);
	const struct trend *trend = watch_trend(story.w);
	for (uint64_t ms = 50; ms <= 1000; ms += 50) {
		story.now = begin + 6 * SECOND + ms * MS;
		look(&story);
		CHECK(trend_read(trend, begin + 6 * SECOND, begin + 12 * SECOND, &t));
		CHECK(isnan(t.figures[TREND_ALLOCATED].value) == (ms < 500));
		CHECK(isnan(t.figures[TREND_PAUSES].value) == (ms < 500));
		CHECK(isnan(t.figures[TREND_GC].value) == (ms < 500));
		CHECK(trend_read(trend, begin, begin + 10 * SECOND, &t));
		CHECK(t.figures[TREND_ALLOCATED].low > 9e4 || ms >= 500);
	}
	watch_destroy(story.w);
}

/* Rings are read one after the other; the heap is the sum of what stood at one time. */
static void test_heap_order(void)
{
	static const struct {
		unsigned domain;
		uint64_t ms;
		int64_t words;
	} values[] = {{0, 0, 100}, {1, 0, 1000}, {0, 20, 1000}, {1, 10, 100}, {0, 30, 900}, {1, 40, 50}};
	struct trend_span t;

	story_begin(&story, 6);
	uint64_t begin = story.now / MINUTE * MINUTE + MINUTE;
	story.now = begin;
	life(&story, 1, RTEV_LIFECYCLE_DOMAIN_SPAWN);
	struct model *m = watch_model(story.w);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		story.calls.counter(m, values[i].domain, begin + MS + values[i].ms * MS,
		    RTEV_COUNTER_MAJOR_HEAP_WORDS, values[i].words);
	story.now = begin + 900 * MS;
	look(&story);
	CHECK(trend_read(watch_trend(story.w), begin, begin + SECOND, &t));
	CHECK_NEAR(t.figures[TREND_HEAP].high, 1100, 0);
	CHECK_NEAR(t.figures[TREND_HEAP].low, 100, 0);
	CHECK_NEAR(t.figures[TREND_HEAP].value, 950, 0);
	watch_destroy(story.w);
}

/* The mean of a column lies within the least and the largest that are shown, also if a second has no rate of its own. */
static void test_within(void)
{
	struct trend_span t;

	story_begin(&story, 8);
	uint64_t begin = story.now / MINUTE * MINUTE + MINUTE;
	busy(&story, 0, begin + 2 * SECOND);
	/* Of the third second little is seen, in which much is allocated. */
	story.calls.counter(watch_model(story.w), 0, story.now, RTEV_COUNTER_MINOR_ALLOCATED, 1000000);
	busy(&story, 0, begin + 2300 * MS);
	story.now = begin + 9 * SECOND;
	model_resume_at(watch_model(story.w), story.now);
	life(&story, 0, RTEV_LIFECYCLE_RING_RESUME);
	look(&story);
	CHECK(trend_read_tier(watch_trend(story.w), 0, begin, begin + 6 * SECOND, &t));
	const struct trend_value *v = &t.figures[TREND_ALLOCATED];
	CHECK(v->value > 4e5);
	CHECK(v->low <= v->value && v->value <= v->high);
	watch_destroy(story.w);
}

/* A pause that is not over counts as far as it has come. */
static void test_open(void)
{
	struct trend_span t;

	story_begin(&story, 5);
	uint64_t begin = story.now / MINUTE * MINUTE + MINUTE;
	busy(&story, 0, begin);
	const struct trend *trend = watch_trend(story.w);
	story.calls.begin(watch_model(story.w), 0, begin + 500 * MS, RTEV_PHASE_MAJOR);
	for (uint64_t second = 1; second < 10; second++) {
		story.now = begin + second * SECOND;
		look(&story);
		CHECK(trend_read(trend, begin, begin + MINUTE, &t));
		CHECK_NEAR(t.gc_ns, (double)(story.now - begin - 500 * MS), 0);
		CHECK(trend_read(trend, story.now - SECOND, story.now, &t));
		CHECK_NEAR(t.figures[TREND_GC].value, second == 1 ? 0.5 : 1, 1e-9);
	}
	story.calls.end(watch_model(story.w), 0, begin + 9500 * MS, RTEV_PHASE_MAJOR);
	story.now = begin + 10 * SECOND;
	look(&story);
	CHECK(trend_read(trend, begin, begin + MINUTE, &t));
	CHECK_NEAR(t.gc_ns, 9e9, 0);
	watch_destroy(story.w);
}

/* A silence of hours is a stretch without a pause, not a gap; one in which the target had paused is a gap. */
static void test_silence(void)
{
	struct trend_span t;

	story_begin(&story, 9);
	one_pause(&story, 0);
	look(&story);
	uint64_t begin = story.now;
	pass(&story, 5 * HOUR);
	look(&story);
	CHECK(trend_read(watch_trend(story.w), begin + 4 * HOUR, begin + 5 * HOUR, &t));
	CHECK_NEAR(t.figures[TREND_GC].value, 0, 0);
	CHECK_NEAR(t.figures[TREND_PAUSES].value, 0, 0);
	CHECK(isnan(t.figures[TREND_P99].value) && isnan(t.figures[TREND_MAX].value));
	CHECK(isnan(t.figures[TREND_ALLOCATED].value));
	one_target_pause(&story, 5 * HOUR);
	look(&story);
	CHECK(!trend_read(watch_trend(story.w), story.now - 4 * HOUR, story.now - HOUR, &t));
	CHECK_INT(t.seen_ns, 0);
	CHECK_INT(trend_marks(watch_trend(story.w), TREND_MARK_PAUSED), 1);
	const struct trend_mark *mark = trend_mark_at(watch_trend(story.w), TREND_MARK_PAUSED, 0);
	CHECK(mark->to == story.now && mark->value == mark->to - mark->from && mark->count == 1);
	CHECK(trend_mark_at(watch_trend(story.w), TREND_MARK_PAUSED, 1) == NULL);
	watch_destroy(story.w);
}

/* Losses, restarts and files have marks; of one second one, of more than are kept the latest. */
static void test_marks(void)
{
	story_begin(&story, 11);
	struct trend *t = watch_trend(story.w);
	struct model *m = watch_model(story.w);

	story.calls.lost(m, 0, 100, 40);
	story.calls.lost(m, 0, 7, 0);
	CHECK_INT(trend_marks(t, TREND_MARK_LOSS), 1);
	CHECK_INT(trend_mark_at(t, TREND_MARK_LOSS, 0)->value, 67);
	CHECK_INT(trend_mark_at(t, TREND_MARK_LOSS, 0)->count, 2);
	story.calls.restart(m, 0);
	CHECK_INT(trend_marks(t, TREND_MARK_RESTART), 1);
	story.now += 2 * SECOND;
	life(&story, 0, RTEV_LIFECYCLE_RING_RESUME);
	model_reattach(m);
	CHECK_INT(trend_marks(t, TREND_MARK_RESTART), 2);
	for (unsigned i = 0; i < TREND_MARKS_KEPT + 10; i++)
		trend_mark(t, TREND_MARK_FLIGHT, story.now + i * SECOND, story.now + i * SECOND + MS, MS);
	CHECK_INT(trend_marks(t, TREND_MARK_FLIGHT), TREND_MARKS_KEPT);
	CHECK_INT(trend_mark_at(t, TREND_MARK_FLIGHT, 0)->from, story.now + 10 * SECOND);
	watch_destroy(story.w);
}

/* What the kernel says is known in its own time, also while the target has paused its events. */
static void test_system(void)
{
	struct trend_span t;
	uint64_t cpu = 0;

	story_begin(&story, 15);
	one_pause(&story, 0);
	look(&story);
	uint64_t begin = (story.now / MINUTE + 1) * MINUTE;
	model_set_silent(watch_model(story.w), true);
	for (uint64_t i = 0; i <= 120; i++) {
		struct system_sample s = {.ts = begin + i * SECOND};
		s.values[SYSTEM_CPU_USER] = (struct system_value){.value = cpu, .known = SYSTEM_KNOWN};
		s.values[SYSTEM_CPU_SYSTEM] = (struct system_value){.value = cpu / 4, .known = SYSTEM_KNOWN};
		s.values[SYSTEM_RESIDENT] =
		    (struct system_value){.value = 1000000 + i * 1000, .known = SYSTEM_KNOWN};
		cpu += i < 60 ? SECOND / 2 : 2 * SECOND;
		system_past_add(watch_system(story.w), &s);
		story.now = s.ts + MS;
		look(&story);
	}
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		CHECK(!trend_read_tier(watch_trend(story.w), tier, begin, begin + MINUTE, &t));
		CHECK_INT(t.sampled_ns, MINUTE);
		CHECK_NEAR(t.figures[TREND_CPU].value, 0.625, 1e-4);
		CHECK_NEAR(t.figures[TREND_RESIDENT].low, 1001000, 1);
		CHECK_NEAR(t.figures[TREND_RESIDENT].value, 1060000, 1001);
		CHECK(isnan(t.figures[TREND_THROTTLED].value) && isnan(t.figures[TREND_GC].value));
		trend_read_tier(watch_trend(story.w), tier, begin + MINUTE, begin + 2 * MINUTE, &t);
		CHECK_NEAR(t.figures[TREND_CPU].value, 2.5, 1e-4);
	}
	watch_destroy(story.w);
}

int main(void)
{
	RUN(test_size);
	RUN(test_minutes);
	RUN(test_weeks);
	RUN(test_copy);
	RUN(test_unread);
	RUN(test_begun);
	RUN(test_heap_order);
	RUN(test_within);
	RUN(test_open);
	RUN(test_silence);
	RUN(test_marks);
	RUN(test_system);
	return 0;
}
