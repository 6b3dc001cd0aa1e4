/*
 * test_record_trend.c - a replay comes to the trend that was seen while it was recorded.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/trail_bytes.h"
#include "record/system_note.h"
#include "record/recording.h"
#include "record/trail.h"
#include "support/trend_story.h"

static struct story story;

static void target(void *ctx, struct recording_target *out)
{
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
static uint8_t *record(uint64_t seed, int before, int acts, size_t *size, uint64_t *began)
{
	char path[] = "/tmp/test_record_trend.XXXXXX";
	struct recording *r;

	story_begin(&story, seed);
	for (int i = 0; i < before; i++)
		act(&story, 10 * MINUTE);
	look(&story);
	const struct recording_options options = {
	    .file.fd = mkstemp(path), .source.target = target, .model = watch_model(story.w)};
	*began = story.now;
	CHECK_INT(recording_create(&r, &options), 0);
	all_domains(&story);
	for (int i = 0; i < acts; i++)
		act(&story, 10 * SECOND);
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

/* Tell a watch what a recording holds up to its end, as a replay does. */
static struct watch *play(const uint8_t *data, size_t size)
{
	struct trail_info info;
	struct trail *t;
	uint64_t key;

	CHECK_INT(trail_open_bytes(&t, data, size), TRAIL_OK);
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
	trail_rewind(t, 0);
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
	static const uint64_t steps[TREND_TIER_COUNT] = {SECOND, 5 * SECOND, MINUTE};

	for (unsigned tier = 0; tier < TREND_TIER_COUNT; tier++) {
		uint64_t step = steps[tier];
		for (uint64_t at = (from + step - 1) / step * step; at + step <= to; at += step)
			if (tier > 0 || story.now - at < 9 * MINUTE)
				compare(live, replayed, tier, at, at + step);
	}
}

/* A replay comes to the same trend, from the first minute that it has as a whole. */
TEST(test_replay)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		size_t size;
		uint64_t began;
		uint8_t *data = record(seed, 300, 1500, &size, &began);
		struct watch *w = play(data, size);
		compare_all(story.w, w, began + 2 * MINUTE, story.now + MINUTE);
		watch_destroy(w);
		watch_destroy(story.w);
		free(data);
	}
}

/* The time for which a domain rested before a burst was read in time: a replay knows that as well. */
TEST(test_rest)
{
	for (uint64_t seed = 41; seed <= 42; seed++) {
		size_t size;
		uint64_t began;
		uint8_t *data = record(seed, 300, 0, &size, &began);
		struct watch *w = play(data, size);
		const struct model_domain *live = model_domain(watch_model(story.w), 0);
		const struct model_domain *replayed = model_domain(watch_model(w), 0);
		CHECK(live->lost_words >= 1000 && replayed->lost_words == 1000);
		CHECK(live->observed_ns >= 42 * SECOND && replayed->observed_ns >= 42 * SECOND);
		uint64_t lost_ns;
		CHECK(model_lost_time(watch_model(w), 0, began, story.now, &lost_ns));
		CHECK_INT(lost_ns, 120 * MS);
		CHECK(model_lost_time(watch_model(story.w), 0, began, story.now, &lost_ns));
		CHECK_INT(lost_ns, 120 * MS);
		watch_destroy(w);
		watch_destroy(story.w);
		free(data);
	}
}
