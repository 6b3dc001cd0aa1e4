/*
 * test_trend.c - random stories told to a watch, against a plain model that keeps everything and sums it up
 * anew for each stretch.
 */
#include "support/trend_story.h"
#include "watch/trend.h"

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
			p->observed += unpaused(s, later(from, f->from), earlier(to, f->to));
			break;
		case UNREAD: /* of one domain, which lives */
			p->observed -= unpaused(s, later(from, f->from), earlier(to, f->to));
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

/* The least and the largest share of the collector in the seconds of a stretch that were seen for half their
 * time, and of which nothing was lost. */
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
	if (fabs((double)t.observed_ns - p.observed) > 1)
		printf("tier %u %.6f..%.6f now %.3f observed %.9f not %.9f\n", tier, (double)from / 1e9,
		    (double)to / 1e9, (double)s->now / 1e9, (double)t.observed_ns / 1e9, p.observed / 1e9);
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
		static const uint64_t tiers[][2] = {
#define TIER(name, seconds, steps) {(seconds)*UINT64_C(1000000000), steps},
		    TREND_TIERS(TIER)
#undef TIER
		};
		uint64_t length = tiers[tier][0], last = s->now / length, steps = tiers[tier][1];
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
	struct model_counter allocated;
	struct trend_span t;
	uint64_t observed = 0;
	const struct model_totals totals = model_totals(m);

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
TEST(test_minutes)
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
TEST(test_weeks)
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
