/*
 * test_trend.c - random stories told to a watch, against a plain model that keeps everything and sums it up anew for each stretch.
 */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>

#include "watch/trend_private.h"
#include "watch/watch.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define ATTACH (1000 * SECOND + 123456789)
#define DOMAINS 4
#define FACTS_MAX 60000

enum fact_kind { PAUSE, ALLOCATED, PROMOTED, LOST, LIFE, HEAP };

/* Something that happened, from..to where it lasts. */
struct fact {
	enum fact_kind kind;
	uint64_t from, to;
	double value;
};

struct story {
	struct watch *w;
	struct rtev_callbacks calls;
	uint64_t seed;
	uint64_t now, last; /* now, and the stamp of the latest event */
	bool alive[DOMAINS];
	uint64_t since[DOMAINS];
	uint64_t domain_last[DOMAINS];
	double heaps[DOMAINS]; /* NAN: none */
	double level;
	struct fact facts[FACTS_MAX];
	unsigned count;
	struct fact silences[FACTS_MAX / 10]; /* pauses of the target */
	unsigned silence_count;
};

static uint64_t below(struct story *s, uint64_t limit)
{
	s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return limit == 0 ? 0 : (s->seed >> 20) % limit;
}

static void note(struct story *s, enum fact_kind kind, uint64_t from, uint64_t to, double value)
{
	CHECK(s->count < FACTS_MAX);
	s->facts[s->count++] = (struct fact){.kind = kind, .from = from, .to = to, .value = value};
}

/* Look at what has come, all of it. */
static void look(struct story *s)
{
	watch_advance(s->w, s->now, s->now);
}

/* Time goes on; of a long silence the first seconds are looked at as a screen would. */
static void pass(struct story *s, uint64_t time)
{
	for (int i = 0; i < 5 && time > 600 * MS; i++) {
		s->now += 500 * MS;
		time -= 500 * MS;
		look(s);
	}
	s->now += time;
}

/* The domains that have a heap now, or did before the last of them ended. */
static void relevel(struct story *s)
{
	double sum = NAN;
	bool any = false;

	for (unsigned d = 0; d < DOMAINS; d++) {
		any |= s->alive[d];
		if (s->alive[d] && !isnan(s->heaps[d]))
			sum = isnan(sum) ? s->heaps[d] : sum + s->heaps[d];
	}
	if (any && (isnan(sum) != isnan(s->level) || (!isnan(sum) && sum != s->level)))
		note(s, HEAP, s->now, s->now, sum);
	if (any)
		s->level = sum;
}

static void event_at(struct story *s, unsigned domain)
{
	s->last = s->domain_last[domain] = s->now;
}

static void life(struct story *s, unsigned domain, rtev_lifecycle event)
{
	bool birth = event == RTEV_LIFECYCLE_RING_START || event == RTEV_LIFECYCLE_DOMAIN_SPAWN;

	CHECK_INT(s->calls.lifecycle(watch_model(s->w), domain, s->now, event, 42), RTEV_CONTINUE);
	event_at(s, domain);
	if (event == RTEV_LIFECYCLE_RING_RESUME)
		return;
	if (!birth)
		note(s, LIFE, s->since[domain], s->now, 0);
	s->alive[domain] = birth;
	s->since[domain] = s->now;
	s->heaps[domain] = birth ? NAN : s->heaps[domain];
	relevel(s);
}

static void story_begin(struct story *s, uint64_t seed)
{
	memset(s, 0, sizeof(*s));
	s->seed = seed;
	s->now = ATTACH;
	s->level = NAN;
	s->w = watch_create(&(struct watch_options){.attach_ts = ATTACH, .history_budget = 1 << 20});
	CHECK(s->w != NULL);
	model_callbacks(&s->calls);
	for (unsigned d = 0; d < DOMAINS; d++)
		s->heaps[d] = NAN;
	s->now += 5 * MS;
	life(s, 0, RTEV_LIFECYCLE_RING_START);
}

static void one_pause(struct story *s, unsigned domain)
{
	struct model *m = watch_model(s->w);
	uint64_t begin = s->now, length = 1000 + below(s, below(s, 40) == 0 ? 20 * SECOND : 5 * MS);

	if (below(s, 300) == 0)
		length += below(s, 3 * MINUTE);
	s->calls.begin(m, domain, s->now, RTEV_PHASE_MINOR);
	event_at(s, domain);
	pass(s, length);
	s->calls.end(m, domain, s->now, RTEV_PHASE_MINOR);
	event_at(s, domain);
	note(s, PAUSE, begin, s->now, 0);
}

static void one_target_pause(struct story *s, uint64_t length)
{
	struct model *m = watch_model(s->w);
	uint64_t from = s->last;
	bool known = below(s, 2) == 0;

	if (known) {
		model_set_silent(m, true);
		look(s);
	}
	pass(s, length);
	if (known)
		look(s);
	model_set_silent(m, false);
	model_resume_at(m, s->now);
	CHECK(s->silence_count < sizeof(s->silences) / sizeof(s->silences[0]));
	s->silences[s->silence_count++] = (struct fact){.from = from, .to = s->now};
	life(s, 0, RTEV_LIFECYCLE_RING_RESUME);
}

static void one_counter(struct story *s, unsigned domain)
{
	struct model *m = watch_model(s->w);
	int64_t value = (int64_t)below(s, 1 << 22);

	switch (below(s, 3)) {
	case 0:
		s->calls.counter(m, domain, s->now, RTEV_COUNTER_MINOR_ALLOCATED, value);
		note(s, ALLOCATED, s->now, s->now, (double)value);
		break;
	case 1:
		s->calls.counter(m, domain, s->now, RTEV_COUNTER_MINOR_PROMOTED, value);
		note(s, PROMOTED, s->now, s->now, (double)value);
		break;
	default:
		s->calls.counter(m, domain, s->now, RTEV_COUNTER_MAJOR_HEAP_WORDS, value);
		s->heaps[domain] = (double)value;
		relevel(s);
		break;
	}
	event_at(s, domain);
}

/* Something happens. */
static void act(struct story *s, uint64_t scale)
{
	unsigned domain = (unsigned)below(s, DOMAINS), what = (unsigned)below(s, 100);
	bool rare = below(s, 60) == 0;

	pass(s, 1 + below(s, rare ? scale : 200 * MS));
	if (below(s, 4) == 0)
		look(s);
	if (what < 3 && domain > 0) {
		life(s, domain,
		    s->alive[domain] ? RTEV_LIFECYCLE_DOMAIN_TERMINATE : RTEV_LIFECYCLE_DOMAIN_SPAWN);
	} else if (!s->alive[domain]) {
		return;
	} else if (what < 4) {
		one_target_pause(s, below(s, below(s, 4) == 0 ? scale : SECOND));
	} else if (what < 5) {
		uint64_t words = 1 + below(s, 5000);
		s->calls.lost(watch_model(s->w), domain, words, 0);
		note(s, LOST, s->domain_last[domain], s->domain_last[domain], (double)words);
	} else if (what < 40) {
		one_pause(s, domain);
	} else {
		one_counter(s, domain);
	}
}

static void story_end(struct story *s)
{
	s->now += below(s, 3 * SECOND);
	look(s);
	for (unsigned d = 0; d < DOMAINS; d++)
		if (s->alive[d])
			note(s, LIFE, s->since[d], s->now, 0);
}

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
	p->seen = unpaused(s, later(from, ATTACH + 5 * MS), earlier(to, s->now));
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

/* The least and the largest share of the collector in the seconds of a stretch that were seen for half their time. */
static void plain_shares(const struct story *s, uint64_t from, uint64_t to, double *low, double *high)
{
	static struct plain p;

	*low = *high = NAN;
	for (uint64_t at = from; at < to; at += SECOND) {
		if (at + SECOND > s->now)
			break;
		plain_read(s, at, at + SECOND, &p);
		if (p.seen < (double)SECOND / 2)
			continue;
		double share = p.observed > 0 ? p.gc / p.observed : 0;
		*low = fmin(*low, share);
		*high = fmax(*high, share);
	}
}

/* ---- the two against each other ---- */

static void compare_figures(const struct trend_span *t, const struct plain *p)
{
	const struct trend_value *f = t->figures;
	double seconds = p->seen / 1e9;

	CHECK_NEAR(f[TREND_ALLOCATED].value, p->allocated / seconds, p->allocated / seconds * 1e-9);
	CHECK_NEAR(f[TREND_PROMOTED].value, p->promoted / seconds, p->promoted / seconds * 1e-9);
	CHECK_NEAR(f[TREND_LOST].value, p->lost, 0);
	if (p->observed > 0)
		CHECK_NEAR(f[TREND_GC].value, p->gc / p->observed, 1e-9);
	CHECK(isnan(f[TREND_HEAP].value) == isnan(p->heap));
	if (!isnan(p->heap)) {
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
	compare_figures(&t, &p);
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
		CHECK_INT(t.observed_ns, observed);
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

/* Nonsense of a hostile target: stamps of any size end nothing and take no time. */
static void test_nonsense(void)
{
	story_begin(&story, 13);
	struct model *m = watch_model(story.w);
	struct trend_span t;

	one_pause(&story, 0);
	look(&story);
	uint64_t good = story.now;
	for (int i = 0; i < 200; i++) {
		story.calls.corrupt(m, 0, 1);
		story.calls.begin(m, 0, below(&story, 1000), RTEV_PHASE_MINOR);
		story.calls.end(m, 0, i % 2 == 0 ? UINT64_MAX : good + TREND_WEEK - SECOND, RTEV_PHASE_MINOR);
		story.calls.counter(m, 0, UINT64_MAX - 1, RTEV_COUNTER_MINOR_ALLOCATED, -1);
		story.calls.counter(m, 0, UINT64_MAX - 1, RTEV_COUNTER_MAJOR_HEAP_WORDS, INT64_MIN);
		look(&story);
	}
	trend_read_tier(watch_trend(story.w), 2, 0, UINT64_MAX, &t);
	trend_read(watch_trend(story.w), UINT64_MAX - 1, UINT64_MAX, &t);
	CHECK(trend_tier_of(watch_trend(story.w), UINT64_MAX) < TREND_TIER_COUNT);
	watch_finish(story.w);
	watch_destroy(story.w);
}

int main(void)
{
	RUN(test_size);
	RUN(test_minutes);
	RUN(test_weeks);
	RUN(test_copy);
	RUN(test_silence);
	RUN(test_marks);
	RUN(test_nonsense);
	return 0;
}
