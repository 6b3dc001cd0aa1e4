/*
 * test_record_trend.c - a recording carries the trend of before it, and a replay comes to the trend that was
 * seen.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/system_note.h"
#include "record/trail.h"
#include "record/trend_keeper.h"
#include "record/trend_table.h"
#include "support/trend_story.h"

static struct story story;

static void target(void *ctx, struct recording_target *out)
{
	(void)ctx;
	*out = (struct recording_target){.pid = 4242, .name = "story", .live = true};
}

/* Something of each domain that lives, so that none of what follows hangs on what was before the
 * recording. */
static void all_domains(struct story *s)
{
	for (unsigned d = 0; d < DOMAINS; d++)
		if (s->alive[d]) {
			s->now += MS;
			one_counter(s, d);
		}
}

static struct trend_keeper *keeper; /* of the story's model; NULL: the watch has the trend */

static void one_act(uint64_t scale)
{
	act(&story, scale);
	if (keeper != NULL)
		trend_keeper_advance(keeper, story.now, story.now);
}

/* Begin a story, whose trend is kept without a watch if `kept`. */
static void begin(uint64_t seed, bool kept)
{
	story_begin(&story, seed);
	keeper = kept ? trend_keeper_create(watch_model(story.w), ATTACH) : NULL;
	CHECK(kept == (keeper != NULL));
	/* The keeper has not been told of the first event. */
	if (kept)
		story.calls.lifecycle(watch_model(story.w), 0, story.now, RTEV_LIFECYCLE_RING_START, 42);
}

static void end(void)
{
	watch_destroy(story.w);
	trend_keeper_destroy(keeper);
	keeper = NULL;
}

/* The domains rest, their rings are read, and then a burst is too much for one. */
static void loss_after_rest(void)
{
	for (int i = 0; i < 40; i++) {
		story.now += SECOND;
		model_read_to(watch_model(story.w), story.now - 20 * MS);
		look(&story);
	}
	story.now += 100 * MS;
	story.calls.lost(watch_model(story.w), 0, 1000, 0);
	one_counter(&story, 0);
	story.now += 3 * SECOND;
	all_domains(&story);
}

/* A recording of `acts` of a story that has gone on before, and when it began; its bytes are to be freed. */
static uint8_t *record(uint64_t seed, bool kept, int before, int acts, size_t *size, uint64_t *began)
{
	char path[] = "/tmp/test_record_trend.XXXXXX";
	struct recording *r;

	begin(seed, kept);
	for (int i = 0; i < before; i++)
		one_act(10 * MINUTE);
	look(&story);
	const struct recording_table table = kept ? trend_keeper_table(keeper) : record_trend_table(story.w);
	const struct recording_options options = {.file.fd = mkstemp(path),
	    .source.target = target,
	    .model = watch_model(story.w),
	    .tables = &table,
	    .table_count = 1};
	*began = story.now;
	CHECK_INT(recording_create(&r, &options), 0);
	all_domains(&story);
	for (int i = 0; i < acts; i++)
		one_act(10 * SECOND);
	if (acts == 0)
		loss_after_rest();
	story.now += 10 * MS;
	look(&story);
	recording_end(r, story.now);
	CHECK_INT(recording_close(r).error, 0);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t length = lseek(fd, 0, SEEK_END);
	uint8_t *data = malloc((size_t)length);
	CHECK(data != NULL && pread(fd, data, (size_t)length, 0) == length);
	close(fd);
	unlink(path);
	*size = (size_t)length;
	return data;
}

/* Tell a watch what a recording holds up to its end, as a replay does, from `since` on; 0: all. */
static struct watch *play(const uint8_t *data, size_t size, uint64_t since)
{
	struct trail_info info;
	struct trail *t;
	uint64_t key;

	CHECK_INT(trail_open_memory(&t, data, size), TRAIL_OK);
	while (trail_index(t, 1000))
		continue;
	trail_info(t, &info);
	struct watch *w = watch_create(
	    &(struct watch_options){.attach_ts = info.about.attach_ts, .history_budget = 1 << 20});
	CHECK(w != NULL);
	struct trail_sink sink = record_trail_sink(watch_model(w));
	struct system_notes notes = {.model = watch_model(w)};
	sink.note = system_notes_take;
	sink.note_ctx = &notes;
	trail_rewind(t, since);
	record_trend_restore(t, since, w);
	while (trail_next(t, &key)) {
		uint64_t step = key + (WATCH_STEP - 1 - key % WATCH_STEP);
		while (trail_feed(t, &sink, step, 1000) == 1000)
			continue;
		watch_advance(w, step < info.end ? step : info.end, step < info.end ? step : info.end);
	}
	watch_advance(w, info.end, info.end);
	trail_close(t);
	return w;
}

/* The two say the same of a stretch. */
static void compare(
    const struct watch *live, struct watch *replayed, unsigned tier, uint64_t from, uint64_t to)
{
	struct trend_span a, b;
	bool seen = trend_read_tier(watch_trend((struct watch *)(uintptr_t)live), tier, from, to, &a);

	CHECK_INT(trend_read_tier(watch_trend(replayed), tier, from, to, &b), seen);
	CHECK_INT(b.seen_ns, a.seen_ns);
	CHECK_INT(b.observed_ns, a.observed_ns);
	CHECK_INT(b.gc_ns, a.gc_ns);
	CHECK_INT(b.pauses, a.pauses);
	CHECK_INT(b.pause_max, a.pause_max);
	CHECK_INT(b.allocated, a.allocated);
	CHECK_INT(b.promoted, a.promoted);
	CHECK_INT(b.lost_words, a.lost_words);
	for (int f = 0; f < TREND_FIGURE_COUNT; f++) {
		/* When events came between two looks is not known, and the two have looked at other times. */
		if (f == TREND_EVENTS)
			continue;
		CHECK_INT(isnan(b.figures[f].value), isnan(a.figures[f].value));
		if (!isnan(a.figures[f].value))
			CHECK_NEAR(b.figures[f].value, a.figures[f].value, fabs(a.figures[f].value) * 1e-6);
	}
}

/* The steps of each tier, between two stamps. */
static void compare_all(struct watch *live, struct watch *replayed, uint64_t from, uint64_t to)
{
	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		uint64_t step = trend_step(tier);
		for (uint64_t at = (from + step - 1) / step * step; at + step <= to; at += step)
			if (tier > 0 || story.now - at < 9 * MINUTE)
				compare(live, replayed, tier, at, at + step);
	}
}

/* A replay comes to the same trend: before the recording, in it, across its begin. */
static void test_replay(void)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		size_t size;
		uint64_t began;
		uint8_t *data = record(seed, seed % 2 == 0, 1500, 1500, &size, &began);
		struct watch *w = play(data, size, 0);
		CHECK(began - ATTACH > 10 * MINUTE);
		compare_all(story.w, w, ATTACH, story.now + MINUTE);
		watch_destroy(w);
		end();
		free(data);
	}
}

/* The time for which a domain rested before a burst was read in time: a replay knows that as well. */
static void test_rest(void)
{
	for (uint64_t seed = 41; seed <= 42; seed++) {
		size_t size;
		uint64_t began;
		uint8_t *data = record(seed, seed % 2 == 0, 300, 0, &size, &began);
		struct watch *w = play(data, size, 0);
		const struct model_domain *live = model_domain(watch_model(story.w), 0);
		const struct model_domain *replayed = model_domain(watch_model(w), 0);
		compare_all(story.w, w, began / MINUTE * MINUTE, story.now + MINUTE);
		CHECK(live->lost_words >= 1000 && replayed->lost_words == 1000);
		CHECK(live->observed_ns >= 42 * SECOND && replayed->observed_ns >= 42 * SECOND);
		uint64_t lost_ns;
		CHECK(model_lost_time(watch_model(w), 0, began, story.now, &lost_ns));
		CHECK_INT(lost_ns, 120 * MS);
		CHECK(model_lost_time(watch_model(story.w), 0, began, story.now, &lost_ns));
		CHECK_INT(lost_ns, 120 * MS);
		watch_destroy(w);
		end();
		free(data);
	}
}

/* The trend that is kept without a watch is that of a watch. */
static void test_keeper(void)
{
	static uint8_t bytes[TREND_SAVED];

	for (uint64_t seed = 21; seed <= 26; seed++) {
		uint64_t ts;
		begin(seed, true);
		for (int i = 0; i < 3000; i++)
			one_act(seed < 24 ? 10 * SECOND : 10 * MINUTE);
		look(&story);
		const struct recording_table table = trend_keeper_table(keeper);
		size_t size = table.fill(table.ctx, bytes, sizeof(bytes), &ts);
		CHECK(size > 0);
		CHECK_INT(ts, story.now);
		struct watch *w = watch_create(&(struct watch_options){.attach_ts = ATTACH});
		CHECK(w != NULL);
		CHECK(trend_load(watch_trend(w), bytes, size));
		/* What was folded of a second depends on when it was looked at. */
		compare_all(story.w, w, ATTACH, story.now + MINUTE);
		watch_destroy(w);
		end();
	}
}

/* One that begins later has the steps before that, those of the recording too, and goes on with what it is
 * told; also the step in which it begins is whole. */
static void test_jump(void)
{
	for (uint64_t seed = 11; seed <= 14; seed++) {
		size_t size;
		uint64_t began;
		uint8_t *data = record(seed, seed % 2 == 0, 1500, 3000, &size, &began);
		uint64_t since = began + (story.now - began) / 3 * 2;
		struct watch *w = play(data, size, since);
		compare_all(story.w, w, ATTACH, since);
		struct trend_span a, b;
		uint64_t from = since / MINUTE * MINUTE, to = story.now / MINUTE * MINUTE;
		if (from < to) {
			trend_read(watch_trend(story.w), from, to, &a);
			trend_read(watch_trend(w), from, to, &b);
			CHECK_INT(b.gc_ns, a.gc_ns);
			CHECK_INT(b.pauses, a.pauses);
			CHECK_INT(b.allocated, a.allocated);
		}
		watch_destroy(w);
		end();
		free(data);
	}
}

/* A recording that was cut short has what was written: the trend of before, once that is all there. */
static void test_cut(void)
{
	size_t size;
	uint64_t began;
	uint8_t *data = record(31, false, 1500, 200, &size, &began);
	unsigned had = 0;

	for (size_t cut = size; cut > 4096; cut = cut * 9 / 10) {
		struct trail *t;
		if (trail_open_memory(&t, data, cut) != TRAIL_OK)
			break;
		while (trail_index(t, 1000))
			continue;
		struct watch *w = watch_create(&(struct watch_options){.attach_ts = began});
		record_trend_restore(t, 0, w);
		uint64_t from, to;
		if (trend_range(watch_trend(w), &from, &to)) {
			had++;
			compare_all(story.w, w, ATTACH, began - MINUTE);
		}
		watch_destroy(w);
		trail_close(t);
	}
	CHECK(had > 0);
	end();
	free(data);
}

int main(void)
{
	RUN(test_replay);
	RUN(test_rest);
	RUN(test_keeper);
	RUN(test_jump);
	RUN(test_cut);
	return 0;
}
