/*
 * test_strips.c - the columns of sparklines and strips: rates over the time that was seen of a column, and
 * the column in which the target ended.
 */
#include "support/test.h"

#include <math.h>

#include "support/feed.h"
#include "support/ui_story.h"
#include "ui/recent.h"
#include "ui/view.h"

#define SECOND (1000 * STORY_MS)
#define BEGIN (5000 * SECOND)
#define BYTES 1000
#define COLUMNS 8
#define STEPS (SECOND / WATCH_STEP)

/* A target that allocates BYTES in each ms, from BEGIN to BEGIN + `lasted`. */
struct target {
	struct stage stage;
	struct watch *watch;
	struct rtev_callbacks calls;
	uint64_t now;
};

static void go_on(struct target *t, uint64_t to)
{
	for (; t->now < to; t->now += STORY_MS) {
		t->calls.counter(watch_model(t->watch), 0, t->now, RTEV_COUNTER_MINOR_ALLOCATED, BYTES);
		if (t->now % (50 * STORY_MS) == 0)
			watch_advance(t->watch, t->now, t->now);
	}
	watch_advance(t->watch, t->now, t->now);
}

static void begin(struct target *t, uint64_t lasted)
{
	stage_init(&t->stage, 1, 40, 120);
	model_callbacks(&t->calls);
	t->watch = watch_create(&(struct watch_options){.attach_ts = BEGIN, .history_budget = 1 << 20});
	t->now = BEGIN + STORY_MS;
	t->calls.lifecycle(watch_model(t->watch), 0, BEGIN, RTEV_LIFECYCLE_RING_START, 42);
	go_on(t, BEGIN + lasted);
	t->stage.subject.watch = t->watch;
	ui_renew(t->stage.ui);
}

static void end(struct target *t)
{
	watch_destroy(t->watch);
	stage_fini(&t->stage);
}

/* Read the allocation as a strip does. */
static void read_columns(struct target *t, double out[COLUMNS])
{
	t->stage.subject.now = t->now;
	ui_draw(t->stage.ui, story_told(&t->stage.subject), t->stage.canvas);
	lately_columns(subject_lately(&t->stage.subject), 0, watch_series(t->watch, 0, WATCH_ALLOCATED),
	    STEPS, COLUMNS, out);
}

#define RATE (BYTES * 1000.0)
#define CHECK_RATE(value) CHECK_NEAR(value, RATE, RATE * 0.02)

/* The column that is filling up is not shown; once the target has ended, it is, with its rate. */
TEST(test_end)
{
	struct target t;
	double values[COLUMNS];

	begin(&t, 5700 * STORY_MS);
	read_columns(&t, values);
	for (int i = 0; i < COLUMNS; i++)
		if (i < COLUMNS - 5)
			CHECK(isnan(values[i]));
		else
			CHECK_RATE(values[i]);
	watch_finish(t.watch);
	t.stage.subject.state = SUBJECT_EXITED;
	read_columns(&t, values);
	for (int i = 0; i < COLUMNS; i++)
		if (i < COLUMNS - 6)
			CHECK(isnan(values[i]));
		else
			CHECK_RATE(values[i]);
	end(&t);
}

/* Nothing is told of a column of which too little was seen; one that is complete is the last. */
TEST(test_short_end)
{
	static const unsigned more[] = {0, 100, 499, 500, 999};

	for (size_t m = 0; m < sizeof(more) / sizeof(more[0]); m++) {
		struct target t;
		double values[COLUMNS];
		begin(&t, 5000 * STORY_MS + more[m] * STORY_MS);
		watch_finish(t.watch);
		t.stage.subject.state = SUBJECT_EXITED;
		read_columns(&t, values);
		if (more[m] > 0 && more[m] < 500)
			CHECK(isnan(values[COLUMNS - 1]));
		else
			CHECK_RATE(values[COLUMNS - 1]);
		CHECK_RATE(values[COLUMNS - 2]);
		end(&t);
	}
}

/* A column in part of which the target had paused its events has the rate of the rest; so has the one in
 * which it was attached. */
TEST(test_parts)
{
	struct target t;
	double values[COLUMNS];

	begin(&t, 2400 * STORY_MS);
	struct model *m = watch_model(t.watch);
	uint64_t from = t.now - STORY_MS;
	t.now = BEGIN + 3300 * STORY_MS;
	model_resume_at(m, t.now);
	t.calls.lifecycle(m, 0, t.now, RTEV_LIFECYCLE_RING_RESUME, 0);
	CHECK(t.now - from > 900 * STORY_MS);
	go_on(&t, BEGIN + 5000 * STORY_MS);
	read_columns(&t, values);
	/* Of the third second less than half was seen, of the fourth more. */
	CHECK_RATE(values[COLUMNS - 5]);
	CHECK_RATE(values[COLUMNS - 4]);
	CHECK(isnan(values[COLUMNS - 3]));
	CHECK_RATE(values[COLUMNS - 2]);
	CHECK_RATE(values[COLUMNS - 1]);
	end(&t);
}

/* The target pauses its events for so many ms, and its memory tells of that in steps, of which it leaves out each
 * `untold`th; 0: none. */
static void pause_events(struct target *t, uint64_t ms, uint64_t untold, uint64_t *seed)
{
	struct model *m = watch_model(t->watch);
	uint64_t at = t->now - STORY_MS, resumed = at + ms * STORY_MS;

	t->calls.lifecycle(m, 0, at, RTEV_LIFECYCLE_RING_PAUSE, 0);
	model_drained(m);
	while (at < resumed) {
		uint64_t to = at + (1 + feed_below(seed, 50)) * STORY_MS;
		to = to < resumed ? to : resumed;
		if (untold == 0 || feed_below(seed, untold) != 0) {
			const struct model_counts grown = {
			    .allocated = (int64_t)((to - at) / STORY_MS) * BYTES};
			model_count_span(m, at, to);
			model_count(m, 0, at, to, &grown);
		}
		watch_advance(t->watch, to, to);
		at = to;
	}
	model_resume_at(m, resumed);
	t->calls.lifecycle(m, 0, resumed, RTEV_LIFECYCLE_RING_RESUME, 0);
	t->now = resumed + STORY_MS;
}

/* Pauses of up to `longest` ms for as long as columns are kept: each column has the rate, as events and memory told of
 * nearly all. */
static void many_pauses(uint64_t seed, uint64_t longest, uint64_t untold)
{
	enum { KEPT = 110 };
	double values[KEPT];
	struct target t;
	unsigned pauses = 0, absent = 0;

	begin(&t, 100 * STORY_MS);
	for (; t.now < BEGIN + (KEPT + 1) * SECOND; pauses++) {
		go_on(&t, t.now + (1 + feed_below(&seed, longest)) * STORY_MS);
		pause_events(&t, 1 + feed_below(&seed, longest), untold, &seed);
	}
	CHECK(pauses > 128);
	t.stage.subject.now = t.now;
	ui_draw(t.stage.ui, story_told(&t.stage.subject), t.stage.canvas);
	lately_columns(subject_lately(&t.stage.subject), 0, watch_series(t.watch, 0, WATCH_ALLOCATED), STEPS,
	    KEPT, values);
	for (int i = 0; i < KEPT; i++)
		if (isnan(values[i]))
			absent++;
		else
			CHECK_NEAR(values[i], RATE, RATE * 0.02);
	CHECK(untold == 0 ? absent == 0 : absent < KEPT / 2);
	end(&t);
}

/* Columns of a target that pauses its events all the time, while its memory tells what it counts. */
TEST(test_many_pauses)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		many_pauses(seed, 400, 0);
		many_pauses(seed, 400, 5);
		/* More than the model keeps. */
		many_pauses(seed, 25, 0);
	}
}

/* Events that were overwritten before they were read leave a gap, and don't make the rate of the rest
 * less. */
TEST(test_loss)
{
	struct target t;
	double values[COLUMNS];

	begin(&t, 2900 * STORY_MS);
	t.now = BEGIN + 5300 * STORY_MS;
	t.calls.lost(watch_model(t.watch), 0, 1000, 0);
	go_on(&t, BEGIN + 7000 * STORY_MS);
	read_columns(&t, values);
	CHECK(isnan(values[0]));
	CHECK_RATE(values[COLUMNS - 7]);
	CHECK_RATE(values[COLUMNS - 6]);
	CHECK_RATE(values[COLUMNS - 5]);
	CHECK(isnan(values[COLUMNS - 4]) && isnan(values[COLUMNS - 3]));
	CHECK_RATE(values[COLUMNS - 2]);
	CHECK_RATE(values[COLUMNS - 1]);
	end(&t);
}

/* The columns of a text between two places. */
static int columns_of(const char *from, const char *to)
{
	int columns = 0;

	for (; from < to; from++)
		columns += ((unsigned char)*from & 0xc0) != 0x80;
	return columns;
}

/* After an exec the strip of the heap goes on: the heap of the program before, a mark, that of the next. */
TEST(test_exec)
{
	struct target t;
	double heap[COLUMNS];

	begin(&t, 2000 * STORY_MS);
	struct model *m = watch_model(t.watch);
	t.calls.counter(m, 0, t.now, RTEV_COUNTER_MAJOR_HEAP_WORDS, 1000000);
	CHECK_NEAR(model_heap(watch_model(t.watch), HEAP_SIZE), 1e6, 0);
	go_on(&t, BEGIN + 4500 * STORY_MS);
	t.calls.restart(m, 0);
	model_reattach(m);
	t.now += 10 * STORY_MS;
	t.calls.lifecycle(m, 0, t.now, RTEV_LIFECYCLE_RING_START, 42);
	CHECK(isnan(model_heap(watch_model(t.watch), HEAP_SIZE)));
	go_on(&t, BEGIN + 6500 * STORY_MS);
	CHECK(isnan(model_heap(watch_model(t.watch), HEAP_SIZE)));
	t.calls.counter(m, 0, t.now, RTEV_COUNTER_MAJOR_HEAP_WORDS, 500000);
	CHECK_NEAR(model_heap(watch_model(t.watch), HEAP_SIZE), 5e5, 0);
	go_on(&t, BEGIN + 8000 * STORY_MS);
	t.stage.subject.now = t.now;
	ui_draw(t.stage.ui, story_told(&t.stage.subject), t.stage.canvas);
	lately_columns(
	    subject_lately(&t.stage.subject), 0, watch_series(t.watch, 0, WATCH_HEAP), STEPS, COLUMNS, heap);
	CHECK(isnan(heap[0]) && isnan(heap[1]));
	for (int i = 2; i < 5; i++)
		CHECK_NEAR(heap[i], 1e6, 0);
	CHECK(isnan(heap[5]));
	CHECK_NEAR(heap[6], 5e5, 0);
	CHECK_NEAR(heap[7], 5e5, 0);
	/* On the screen a cell is of half a second.  The mark stands in that of the last event
	 * before the exec. */
	char *text = stage_text(&t.stage), *line = text != NULL ? strstr(text, "│heap ") : NULL;
	CHECK(line != NULL);
	const char *mark = strchr(line, 'R'), *now = strstr(line, "0╵"), *begin = now;
	CHECK(mark != NULL && now != NULL && mark < strchr(line, '\n'));
	while (begin[-1] != '\n')
		begin--;
	/* The scale's last tick stands below the latest cell. */
	int after = columns_of(begin, now + 1) - columns_of(line, mark);
	CHECK_INT(after, 7);
	free(text);
	end(&t);
}

/* The strips of a domain that was spawned later have the time scale of those above them. */
TEST(test_one_scale)
{
	struct target t;
	char scales[2][512];
	int found = 0;

	begin(&t, 40 * SECOND);
	t.calls.lifecycle(watch_model(t.watch), 1, t.now, RTEV_LIFECYCLE_DOMAIN_SPAWN, 42);
	go_on(&t, BEGIN + 44 * SECOND);
	t.calls.counter(watch_model(t.watch), 1, t.now, RTEV_COUNTER_MINOR_ALLOCATED, BYTES);
	t.stage.subject.now = t.now;
	canvas_destroy(t.stage.canvas);
	t.stage.canvas = canvas_create(60, 110); /* one above the other */
	CHECK(t.stage.canvas != NULL);
	char *text = stage_text(&t.stage);
	for (char *strip = strstr(text, "│alloc max"); strip != NULL && found < 2; found++) {
		/* The scale is the last line before the next border. */
		char *axis = strstr(strip, "0╵");
		CHECK(axis != NULL);
		while (axis[-1] != '\n')
			axis--;
		snprintf(scales[found], sizeof(scales[found]), "%.*s", (int)strcspn(axis, "\n"), axis);
		strip = strstr(axis, "│alloc max");
	}
	if (found != 2 || strcmp(scales[0], scales[1]) != 0)
		TEST_FAIL("the scales differ:\n%s", text);
	free(text);
	end(&t);
}
