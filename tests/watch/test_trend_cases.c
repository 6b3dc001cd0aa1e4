/*
 * test_trend_cases.c - a trend in single cases: losses, pauses, silences, marks, what is not over, its size,
 * and a copy.
 */
#include "support/trend_story.h"
#include "watch/trend_private.h"

static struct story story;

/* All that is promised of its size. */
TEST(test_size)
{
	CHECK(sizeof(struct trend) <= 2 * 1024 * 1024);
#define TIER(name, seconds, steps) (seconds) * UINT64_C(1000000000) * (steps),
	const uint64_t times[] = {TREND_TIERS(TIER)};
#undef TIER
	CHECK_INT(times[0], 10 * MINUTE);
	CHECK_INT(times[1], 4 * HOUR);
	CHECK_INT(times[2], 7 * DAY);
}

/* A copy is as it was, whatever comes after. */
TEST(test_copy)
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
TEST(test_unread)
{
	struct trend_span t;

	story_begin(&story, 3);
	uint64_t begin = story.now / MINUTE * MINUTE + MINUTE;
	busy(&story, 0, begin + 7200 * MS);
	/* Nothing is read for a while, and the ring has gone round. */
	story.now = begin + 11700 * MS;
	story.calls.lost(watch_model(story.w), 0, 5000, 0);
	busy(&story, 0, begin + 2 * MINUTE);
	struct trend *trend = watch_trend(story.w);
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
TEST(test_begun)
{
	struct trend_span t;

	story_begin(&story, 4);
	uint64_t begin = story.now / MINUTE * MINUTE + MINUTE;
	busy(&story, 0, begin + 6 * SECOND);
	struct trend *trend = watch_trend(story.w);
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

/* Rings are read one after the other; the heap is the sum of what stood at one time, the look. */
TEST(test_heap_order)
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
	CHECK_NEAR(t.figures[TREND_HEAP].high, 950, 0);
	CHECK_NEAR(t.figures[TREND_HEAP].low, 950, 0);
	CHECK_NEAR(t.figures[TREND_HEAP].value, 950, 0);
	watch_destroy(story.w);
}

/* Of a late attach the history is read ring by ring, more values of heaps than can wait, before any domain is
 * known by a lifecycle event or a look: each has its heap in the sum. */
TEST(test_heap_of_a_late_attach)
{
	struct rtev_callbacks calls;
	struct trend_span t;
	struct watch *w = watch_create(&(struct watch_options){.attach_ts = ATTACH});

	CHECK(w != NULL);
	model_callbacks(&calls);
	for (unsigned domain = 0; domain < 3; domain++)
		for (unsigned i = 0; i <= 1024; i++)
			calls.counter(watch_model(w), domain, ATTACH - SECOND + i,
			    RTEV_COUNTER_MAJOR_HEAP_WORDS, 1000 << domain);
	watch_advance(w, ATTACH + 3 * SECOND, ATTACH + 3 * SECOND);
	CHECK_NEAR(model_heap(watch_model(w), HEAP_SIZE), 7000, 0);
	CHECK(trend_read(watch_trend(w), ATTACH + SECOND, ATTACH + 2 * SECOND, &t));
	CHECK_NEAR(t.figures[TREND_HEAP].value, 7000, 0);
	CHECK_NEAR(t.figures[TREND_HEAP].low, 7000, 0);
	/* The end of the program leaves each its heap, too. */
	calls.lifecycle(watch_model(w), 0, ATTACH + 4 * SECOND, RTEV_LIFECYCLE_RING_STOP, 0);
	watch_advance(w, ATTACH + 5 * SECOND, ATTACH + 5 * SECOND);
	CHECK_NEAR(model_heap(watch_model(w), HEAP_SIZE), 7000, 0);
	CHECK(trend_read(watch_trend(w), ATTACH + 2 * SECOND, ATTACH + 5 * SECOND, &t));
	CHECK_NEAR(t.figures[TREND_HEAP].value, 7000, 0);
	watch_destroy(w);
}

/* Counters hold what the program's memory holds: a value below zero is none, and large ones add up to no
 * small one. */
TEST(test_absurd_counters)
{
	static const int64_t values[] = {1000, 3000, -2000, 500},
			     large[] = {INT64_C(1) << 62, INT64_C(1) << 62, INT64_C(1) << 62};
	struct trend_span t;

	story_begin(&story, 6);
	uint64_t begin = story.now / MINUTE * MINUTE + MINUTE;
	story.now = begin;
	struct model *m = watch_model(story.w);
	for (uint64_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		story.calls.counter(m, 0, begin + i * MS, RTEV_COUNTER_MINOR_ALLOCATED, values[i]);
	for (uint64_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		story.calls.counter(m, 0, begin + i * MS, RTEV_COUNTER_MINOR_PROMOTED, large[i]);
	story.now = begin + 2 * SECOND;
	look(&story);
	CHECK(trend_read(watch_trend(story.w), begin, begin + SECOND, &t));
	CHECK_NEAR(t.figures[TREND_ALLOCATED].value, 4500, 1);
	CHECK_NEAR(t.figures[TREND_PROMOTED].value, 3 * 0x1p62, 0x1p40);
	watch_destroy(story.w);
}

/* The mean of a column lies within the least and the largest that are shown, also if a second has no rate of
 * its own. */
TEST(test_within)
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
TEST(test_open)
{
	struct trend_span t;

	story_begin(&story, 5);
	uint64_t begin = story.now / MINUTE * MINUTE + MINUTE;
	busy(&story, 0, begin);
	struct trend *trend = watch_trend(story.w);
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
TEST(test_silence)
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
TEST(test_marks)
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

/* The domains of a program that another one replaced are observed no longer. */
TEST(test_another_program)
{
	struct trend_span t;

	story_begin(&story, 13);
	for (unsigned domain = 0; domain < 3; domain++)
		life(&story, domain, RTEV_LIFECYCLE_DOMAIN_SPAWN);
	look(&story);
	story.now += SECOND;
	story.calls.restart(watch_model(story.w), 0);
	life(&story, 0, RTEV_LIFECYCLE_RING_START);
	story.calls.restart(watch_model(story.w), 1);
	uint64_t begin = story.now;
	pass(&story, 10 * SECOND);
	look(&story);
	CHECK(trend_read(watch_trend(story.w), begin + SECOND, begin + 3 * SECOND, &t));
	CHECK_INT(t.observed_ns, 2 * (t.to - t.from));
	model_reattach(watch_model(story.w));
	life(&story, 0, RTEV_LIFECYCLE_RING_START);
	pass(&story, 10 * SECOND);
	look(&story);
	CHECK(trend_read(watch_trend(story.w), story.now - 5 * SECOND, story.now - SECOND, &t));
	CHECK_INT(t.observed_ns, t.to - t.from);
	watch_destroy(story.w);
}

/* What the kernel says is known in its own time, also while the target has paused its events. */
TEST(test_system)
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

/* A ring file may have any stamps: those of the last second that there is, and of the first. */
TEST(test_absurd_stamps)
{
	static const uint64_t begins[] = {5 * SECOND, UINT64_MAX - 2 * MS, 7 * SECOND};
	struct rtev_callbacks calls;
	struct trend_span t;
	struct watch *w = watch_create(&(struct watch_options){.attach_ts = 0});

	CHECK(w != NULL);
	model_callbacks(&calls);
	for (unsigned domain = 0; domain < 3; domain++) {
		calls.begin(watch_model(w), domain, begins[domain], RTEV_PHASE_MINOR);
		calls.end(watch_model(w), domain, begins[domain] + MS, RTEV_PHASE_MINOR);
		calls.lost(watch_model(w), domain, 10, 0);
		calls.counter(watch_model(w), domain, domain == 1 ? UINT64_MAX : begins[domain] + 2 * MS,
		    RTEV_COUNTER_MINOR_ALLOCATED, 1000);
	}
	watch_finish(w);
	CHECK(trend_read_tier(watch_trend(w), 0, UINT64_MAX - SECOND, UINT64_MAX, &t));
	CHECK_INT(t.gc_ns, MS);
	CHECK_INT(t.allocated, 1000);
	CHECK(t.seen_ns < SECOND && t.observed_ns <= t.seen_ns);
	CHECK(!trend_read(watch_trend(w), 5 * SECOND, 6 * SECOND, &t));
	watch_destroy(w);
}
