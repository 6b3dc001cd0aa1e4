/*
 * test_views_trend.c - the trend of a day and two hours on the screen: pictures, and what its keys do.
 */
#include "support/test.h"

#include <math.h>

#include "ui/view.h"
#include "ui/views/trend_columns.h"
#include "print/number.h"
#include "watch/watch.h"
#include "support/advice_story.h"
#include "support/pictures.h"

#define SECOND TREND_SECOND
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define BEGIN (500000 * STORY_MS)
#define LASTED (26 * HOUR)
#define END (BEGIN + LASTED)

/* So busy is the target at a time, 0 to 1: a wave of three hours, and a burst in each. */
static double load_at(uint64_t ts)
{
	double hours = (double)(ts - BEGIN) / (double)HOUR;

	return 0.5 + 0.4 * sin(hours * 2.1) + (fmod(hours, 3) > 2.95 ? 0.1 : 0);
}

/* One second of it: a few pauses, what was allocated, the heap. */
static void one_second(struct watch *w, const struct rtev_callbacks *calls, uint64_t ts)
{
	struct model *m = watch_model(w);
	double load = load_at(ts);

	for (uint64_t i = 0; i < 4; i++) {
		uint64_t begin = ts + 10 * STORY_MS + i * 200 * STORY_MS;
		uint64_t length = (uint64_t)(load * 20e6) + i * 100000 +
				  (ts / SECOND % 97 == 0 && i == 3 ? 90 * STORY_MS : 0);
		calls->begin(m, 0, begin, RTEV_PHASE_MINOR);
		calls->end(m, 0, begin + length, RTEV_PHASE_MINOR);
		calls->counter(m, 0, begin + length, RTEV_COUNTER_MINOR_ALLOCATED, (int64_t)(load * 60e6));
		calls->counter(m, 0, begin + length, RTEV_COUNTER_MINOR_PROMOTED, (int64_t)(load * 2e6));
		if (i == 3)
			calls->counter(m, 0, begin + length, RTEV_COUNTER_MAJOR_HEAP_WORDS,
			    (int64_t)(8e6 + (double)(ts - BEGIN) / 1e9 * 90 + 4e6 * load));
	}
}

/* The target had paused its events from one stamp to another. */
static bool silent(uint64_t ts)
{
	return (ts >= END - 18 * HOUR && ts < END - 15 * HOUR) ||
	       (ts >= END - 25 * MINUTE && ts < END - 20 * MINUTE) ||
	       (ts >= END - 3 * MINUTE && ts < END - 150 * SECOND);
}

/* What the kernel says at a time: processor time and memory, from some hours ago on. */
static void sample(struct watch *w, uint64_t ts)
{
	static uint64_t user;
	struct system_sample s = {.ts = ts};

	if (ts < END - 20 * HOUR)
		return;
	user += (uint64_t)(load_at(ts) * 8e8);
	for (int i = 0; i < SYSTEM_VALUE_COUNT; i++)
		s.values[i].known = SYSTEM_KNOWN;
	s.values[SYSTEM_CPU_USER].value = user;
	s.values[SYSTEM_CORES].value = 4000;
	s.values[SYSTEM_RESIDENT].value = 150000000 + (uint64_t)(load_at(ts) * 5e7);
	s.values[SYSTEM_THROTTLED].value = ts > END - 90 * SECOND ? (ts - END + 90 * SECOND) / 20 : 0;
	system_past_add(watch_system(w), &s);
}

/* A day and two hours of a target, with pauses, losses, another ring and two files. */
static struct watch *day(void)
{
	struct watch *w =
	    watch_create(&(struct watch_options){.attach_ts = BEGIN, .history_budget = 4 << 20});
	struct rtev_callbacks calls;
	bool was_silent = false;

	CHECK(w != NULL);
	model_callbacks(&calls);
	struct model *m = watch_model(w);
	calls.lifecycle(m, 0, BEGIN + STORY_MS, RTEV_LIFECYCLE_RING_START, 4242);
	for (uint64_t ts = BEGIN + SECOND; ts < END; ts += SECOND) {
		sample(w, ts);
		if (silent(ts)) {
			was_silent = true;
			continue;
		}
		if (was_silent) {
			model_resume_at(m, ts);
			calls.lifecycle(m, 0, ts, RTEV_LIFECYCLE_RING_RESUME, 0);
		}
		was_silent = false;
		one_second(w, &calls, ts);
		if (ts == END - 7 * HOUR || ts == END - 200 * SECOND)
			calls.lost(m, 0, 5000, 0);
		if (ts == END - 10 * HOUR || ts == END - 420 * SECOND)
			model_reattach(m);
		if (ts == END - 5 * HOUR || ts == END - 40 * SECOND)
			trend_mark(watch_trend(w), TREND_MARK_FLIGHT, ts - 90 * STORY_MS, ts, 90 * STORY_MS);
		watch_advance(w, ts + SECOND - 1, ts + SECOND - 1);
	}
	watch_advance(w, END, END);
	return w;
}

static struct watch *shared;

/* A stage with that target. */
static void open_stage(struct stage *s, int rows, int cols)
{
	stage_init(s, 3, rows, cols);
	s->subject.watch = shared;
	s->subject.now = END;
	s->subject.wall_offset += (int64_t)STORY_END - (int64_t)END;
	ui_renew(s->ui);
	stage_key(s, '0');
	stage_key(s, ']');
}

/* ---- pictures ---- */

/* It is a recording that is played, and stands at its end. */
static void replay(struct stage *s)
{
	static struct subject_replay place;

	place = (struct subject_replay){
	    .at_end = true, .start = END - 25 * MINUTE, .end = END, .date = "2026-11-21"};
	s->subject.state = SUBJECT_REPLAY;
	s->subject.replay = &place;
	s->subject.has_uptime = false;
	s->subject.tracing = SUBJECT_TRACING_UNKNOWN;
	stage_offer(s, STORY_APP_NO_RECORD);
	stage_key(s, '0');
	stage_key(s, ']');
}

static const struct {
	const char *name;
	const char *keys;
	void (*change)(struct stage *s);
	unsigned traits;
} pictures[] = {
    {.name = "trend_all", .keys = "["},
    {.name = "trend_10m", .traits = PICTURE_TWICE | PICTURE_200x60},
    {.name = "trend_1h", .keys = "]←←"},
    {.name = "trend_6h", .keys = "]]⇱"},
    {.name = "trend_1d", .keys = "]]]L↓"},
    {.name = "trend_1w", .keys = "]]]]⇱"},
    {.name = "trend_frozen", .keys = " ←←←"},
    {.name = "trend_moment", .keys = "←←\n"},
    {.name = "trend_replay", .keys = "←←", .change = replay},
    {.name = "trend_replay_moment", .keys = "←←\n", .change = replay},
};

static const char *name_of(int picture)
{
	return pictures[picture].name;
}

static unsigned traits_of(int picture)
{
	return pictures[picture].traits | PICTURE_BY_WIDTH;
}

static struct stage *open_picture(int picture, int rows, int cols)
{
	static struct stage s;

	open_stage(&s, rows, cols);
	if (pictures[picture].change != NULL)
		pictures[picture].change(&s);
	stage_type(&s, pictures[picture].keys != NULL ? pictures[picture].keys : "");
	ui_draw(s.ui, story_told(&s.subject), s.canvas);
	return &s;
}

TEST(test_pictures)
{
	const struct picture_set set = {
	    sizeof(pictures) / sizeof(pictures[0]), name_of, traits_of, open_picture, stage_fini};

	pictures_check(&set);
}

/* A heap that changes little is steady, unless a finding says that it grows. */
TEST(test_steady)
{
	struct stage s;

	open_stage(&s, 40, 120);
	CHECK(stage_shows(&s, "135MB") && stage_shows(&s, " steady"));
	advice_destroy(s.advice);
	s.subject.advice = s.advice = advice_story_costly(END, true);
	CHECK(advice_found(s.advice, "heap_growth") != NULL);
	CHECK(stage_shows(&s, "135MB") && !stage_shows(&s, " steady"));
	stage_fini(&s);
}

/* A screen that is too narrow for the charts says so. */
TEST(test_narrow)
{
	struct stage s;

	open_stage(&s, 24, 20);
	CHECK(stage_shows(&s, "too narrow"));
	stage_fini(&s);
}

/* ---- keys ---- */

/* The cursor tells the clock and exact figures; it stays where it is as time goes on. */
TEST(test_cursor)
{
	struct stage s;

	open_stage(&s, 40, 124);
	CHECK(stage_shows(&s, "at 18:31:02 to 18:31:04"));
	stage_key(&s, UI_KEY_LEFT);
	CHECK(trend_own(s.ui)->cursor != 0);
	uint64_t cursor = trend_own(s.ui)->cursor;
	s.subject.now += 30 * SECOND;
	ui_draw(s.ui, story_told(&s.subject), s.canvas);
	CHECK_INT(trend_own(s.ui)->cursor, cursor);
	CHECK(stage_shows(&s, "at 18:30:56 to 18:31:02"));
	struct trend_span span;
	CHECK(trend_read(watch_trend(shared), cursor / (6 * SECOND) * 6 * SECOND,
	    (cursor / (6 * SECOND) + 1) * 6 * SECOND, &span));
	char text[64];
	snprintf(text, sizeof(text), "GC %s", format_percent(span.figures[TREND_GC].value).s);
	CHECK(stage_shows(&s, text));
	CHECK(stage_key(&s, UI_KEY_ESCAPE) & UI_DIRTY);
	CHECK_INT(trend_own(s.ui)->cursor, 0);
	CHECK(stage_refuses(&s, UI_KEY_ESCAPE));
	/* What is about the pauses of the target is told where the cursor is. */
	for (int i = 0; i < 60 && !stage_shows(&s, "paused 6.00s"); i++)
		stage_key(&s, UI_KEY_LEFT);
	CHECK(stage_shows(&s, "paused 6.00s"));
	stage_fini(&s);
}

/* Enter shows the time where the history has it, and goes back; else it says that it is no longer kept. */
TEST(test_open)
{
	struct stage s;

	open_stage(&s, 40, 124);
	stage_type(&s, "←\n");
	CHECK_INT(s.ui->view, VIEW_PANES);
	CHECK(s.ui->frozen && s.ui->frozen_range.mark.on);
	CHECK(stage_shows(&s, "6s at 18:30:56"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK_INT(s.ui->view, VIEW_TREND);
	CHECK(!s.ui->frozen);
	stage_type(&s, "]]]]⇱\n");
	CHECK_INT(s.ui->view, VIEW_TREND);
	CHECK(!s.ui->frozen);
	CHECK(stage_shows(&s, "no longer kept"));
	stage_key(&s, UI_KEY_RIGHT);
	CHECK(!stage_shows(&s, "no longer kept"));
	stage_fini(&s);
}

/* Frozen it is of that time, whatever comes. */
TEST(test_frozen)
{
	struct stage s;

	open_stage(&s, 40, 124);
	stage_key(&s, ' ');
	char *before = stage_text(&s);
	s.subject.now += 100 * SECOND;
	char *after = stage_text(&s);
	CHECK_STR(after, before);
	free(before);
	free(after);
	stage_fini(&s);
}

/* Columns in which events were lost have a mark, and their figures are lower bounds; those without any are
 * gaps. */
TEST(test_lossy)
{
	struct stage s;
	struct rtev_callbacks calls;
	uint64_t from = END / MINUTE * MINUTE + MINUTE;

	open_stage(&s, 40, 124);
	struct watch *w = s.subject.watch = day();
	model_callbacks(&calls);
	struct model *m = watch_model(w);
	for (uint64_t ts = END; ts < from; ts += SECOND)
		one_second(w, &calls, ts);
	uint64_t after = from + 25 * SECOND;
	calls.lost(m, 0, 5000, 0);
	for (uint64_t ts = after; ts < from + 60 * SECOND; ts += SECOND)
		one_second(w, &calls, ts);
	s.subject.now = from + 60 * SECOND;
	watch_advance(w, s.subject.now, s.subject.now);
	stage_key(&s, UI_KEY_RIGHT);
	for (uint64_t column = from + 48 * SECOND; column > from - 12 * SECOND; column -= 6 * SECOND) {
		stage_key(&s, UI_KEY_LEFT);
		bool gap = column >= from && column < after - 6 * SECOND;
		bool lossy = column >= from - 6 * SECOND && column < after + 5 * SECOND;
		CHECK(stage_shows(&s, "GC -") == gap);
		/* A share is of what was observed. */
		CHECK(!stage_shows(&s, "GC ≥"));
		CHECK(stage_shows(&s, "allocated ≥") == (lossy && !gap));
		CHECK(stage_shows(&s, "allocated -") == gap);
	}
	watch_destroy(w);
	s.subject.watch = shared;
	stage_fini(&s);
}

/* The target is silent from the last event of its story on. */
static void fall_silent(struct stage *s, uint64_t for_ns)
{
	uint64_t from = story_last_before(&s->story, STORY_END);

	s->subject.now = from + for_ns;
	s->subject.tracing = SUBJECT_TRACING_PAUSED;
	model_set_silent(watch_model(s->watch), true);
	watch_advance(s->watch, s->subject.now, s->subject.now);
}

/* Expect what the story was paused in the column that now lies in, up to a stamp. */
static void check_paused(struct stage *s, uint64_t to)
{
	const uint64_t pauses[][2] = {{story_last_before(&s->story, STORY_RESUMED), STORY_RESUMED},
	    {STORY_PAUSED, STORY_RESUMED_AGAIN}, {story_last_before(&s->story, STORY_END), to}};
	struct subject shown = s->subject;
	shown.now = subject_time(&shown);
	const struct columns c = trend_columns_of(&shown, trend_own(s->ui)->span, trend_own(s->ui)->cols);
	uint64_t begin = c.last * c.each, paused = 0;
	char text[64];

	for (int i = 0; i < 3; i++) {
		uint64_t from = pauses[i][0] > begin ? pauses[i][0] : begin,
			 end = pauses[i][1] < begin + c.each ? pauses[i][1] : begin + c.each;
		paused += end > from ? end - from : 0;
	}
	snprintf(text, sizeof(text), "paused %s", format_duration(paused).s);
	if (!stage_shows(s, text))
		TEST_FAIL("no \"%s\":\n%s", text, stage_text(s));
}

/* Of a pause of the target that is still open, a column has what has passed of it, as the header. */
TEST(test_open_pause)
{
	struct stage s = stage_begin(3, 40, 120);
	fall_silent(&s, 1680 * STORY_MS);
	stage_key(&s, '0');
	CHECK(stage_shows(&s, "PAUSED 1.68s"));
	for (int span = 0; span < TREND_SPANS; span++, stage_key(&s, ']'))
		check_paused(&s, s.subject.now);
	/* A process that has ended is not paused any more. */
	uint64_t ended = s.subject.now;
	model_ended(watch_model(s.watch), ended);
	watch_finish(s.watch);
	s.subject.state = SUBJECT_EXITED;
	s.subject.now += 2 * SECOND;
	for (int span = 0; span < TREND_SPANS; span++, stage_key(&s, '['))
		check_paused(&s, ended);
	stage_fini(&s);
}

int main(void)
{
	shared = day();
	test_run();
	watch_destroy(shared);
	return 0;
}
