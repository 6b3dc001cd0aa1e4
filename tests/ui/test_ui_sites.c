/*
 * test_ui_sites.c - what keys do in the memtrace views: every action does something where the help offers it,
 * figures are those of the events, one walks, zooms, filters, marks; and random keys break nothing.
 */
#include "support/test.h"

#include <string.h>

#include "ui/views/sites_state.h"
#include "support/screen.h"
#include "support/trace_stage.h"

/* What leads to a state in which an action has something to do. */
static const char *const preparations[] = {"", "↓", "⇲", "/p\n", "\\m\n", "tt↓", "↓t↓↓↓↓", "t↓→", "t/p\n"};
enum { PREPARATIONS = sizeof(preparations) / sizeof(preparations[0]) };

/* Show the view, the tree or the table of it. */
static void enter(struct trace_stage *t, bool alone, bool tree)
{
	trace_stage_init(t, "multidomain.ctf", alone, 24, 80);
	trace_stage_read(t, UINT64_MAX);
	if (!alone)
		stage_key(&t->stage, '9');
	if (tree)
		stage_key(&t->stage, 't');
	CHECK_INT(t->stage.ui->view, VIEW_SITES);
}

/* Whether an action does something in any of the states that it can be met in. */
static bool does_something(enum ui_action action, bool alone, bool tree)
{
	bool done = false;

	for (int p = 0; p < PREPARATIONS && !done; p++) {
		struct trace_stage t;
		enter(&t, alone, false);
		trace_stage_type(&t, preparations[p]);
		if (sites_own(t.stage.ui)->tree == tree)
			done = !stage_refuses(&t.stage, action_info(action)->keys[0]);
		trace_stage_fini(&t);
	}
	return done;
}

static void check_actions(bool alone, bool tree)
{
	for (int a = 0; a < ACTION_COUNT; a++) {
		enum ui_action action = (enum ui_action)a;
		struct trace_stage t;
		enter(&t, alone, tree);
		const struct action_set *set = &t.stage.ui->actions;
		bool available = action_available(set, action, VIEW_SITES);
		for (int k = 0; k < 3 && !available; k++) {
			ui_key key = action_info(action)->keys[k];
			if (action_of_key(set, key, VIEW_SITES) != ACTION_NONE)
				continue; /* the same key stands for something else here */
			if (key == UI_KEY_NONE)
				continue;
			if (!stage_refuses(&t.stage, key))
				TEST_FAIL("key %s does something unoffered", ui_key_name(key).s);
			CHECK_INT(ui_asked(t.stage.ui), ACTION_NONE);
		}
		trace_stage_fini(&t);
		if (available && !does_something(action, alone, tree))
			TEST_FAIL("%s, %s: \"%s\" does nothing", alone ? "alone" : "beside",
			    tree ? "tree" : "table", action_info(action)->help);
	}
}

TEST(test_every_action)
{
	for (int i = 0; i < 4; i++)
		check_actions(i % 2 == 0, i / 2 == 0);
}

/* Which views there are: that of the trace with a trace, those of rings with rings. */
TEST(test_views)
{
	struct trace_stage t;

	trace_stage_init(&t, "small.ctf", true, 24, 80);
	for (ui_key key = '1'; key <= '8'; key++) {
		CHECK_INT(stage_key(&t.stage, key), UI_DIRTY);
		CHECK(stage_shows(&t.stage, "a memtrace file alone has this view only"));
	}
	CHECK_INT(stage_key(&t.stage, '9'), UI_DIRTY);
	CHECK(!stage_shows(&t.stage, "this view only"));
	CHECK(stage_refuses(&t.stage, UI_KEY_TAB));
	CHECK(stage_refuses(&t.stage, 'R'));
	CHECK(stage_refuses(&t.stage, 'r'));
	CHECK_INT(t.stage.ui->view, VIEW_SITES);
	trace_stage_fini(&t);

	trace_stage_init(&t, "small.ctf", false, 24, 80);
	CHECK_INT(t.stage.ui->view, VIEW_PANES);
	int back = 0, on = 0;
	do
		stage_key(&t.stage, UI_KEY_BACK_TAB);
	while (++back < VIEW_COUNT && t.stage.ui->view != VIEW_SITES);
	CHECK_INT(t.stage.ui->view, VIEW_SITES);
	do
		stage_key(&t.stage, UI_KEY_TAB);
	while (++on < VIEW_COUNT && t.stage.ui->view != VIEW_PANES);
	CHECK_INT(t.stage.ui->view, VIEW_PANES);
	CHECK_INT(on, back);
	stage_key(&t.stage, '9');
	CHECK_INT(t.stage.ui->view, VIEW_SITES);
	/* Another target has no trace. */
	t.stage.subject.trace = NULL;
	ui_draw(t.stage.ui, story_told(&t.stage.subject), t.stage.canvas);
	CHECK_INT(t.stage.ui->view, VIEW_PANES);
	CHECK_INT(stage_key(&t.stage, '9'), UI_DIRTY);
	CHECK_INT(t.stage.ui->view, VIEW_PANES);
	trace_stage_fini(&t);
}

/* The number before a label's unit in the summary: "live 7.21MB". */
static double summary(struct trace_stage *t, const char *label)
{
	char *screen = stage_text(&t->stage), *at = strstr(screen, label);

	CHECK(at != NULL);
	double value = strtod(at + strlen(label), &at);
	const char *units[] = {"w", "kw", "Mw"};
	double scale = 0, unit = 1;
	for (int i = 0; i < 3; i++, unit *= 1000)
		if (strncmp(at, units[i], strlen(units[i])) == 0)
			scale = unit;
	free(screen);
	CHECK(scale != 0);
	return value * scale;
}

/* Read the file again, the simple way: words allocated and alive of a domain (-1: all) and of a stretch of
 * time. */
static void count_words(
    const char *name, int domain, int64_t from, int64_t to, double *allocated, double *live)
{
	struct bytes file = data_file(name);
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	static int64_t samples[1 << 18];
	int64_t all = 0, dead = 0;

	memset(samples, 0, sizeof(samples));
	CHECK_INT(rtev_memtrace_open_memory(&reader, file.data, file.size, NULL), RTEV_OK);
	while (rtev_memtrace_next(reader, &event) == RTEV_OK) {
		CHECK(event->object >= 0 && event->object < 1 << 18);
		if (event->kind == RTEV_MEMTRACE_ALLOC && (domain < 0 || event->domain == domain) &&
		    event->time >= from && event->time <= to) {
			samples[event->object] = event->samples;
			all += event->samples;
		}
		if (event->kind == RTEV_MEMTRACE_COLLECT)
			dead += samples[event->object];
	}
	double rate = rtev_memtrace_info(reader)->sample_rate;
	*allocated = (double)all / rate;
	*live = (double)(all - dead) / rate;
	rtev_memtrace_close(reader);
	bytes_free(&file);
}

/* The summary says what the events of the filter add up to. */
TEST(test_numbers)
{
	static const char *const filters[] = {"", "domain:0", "domain:1", "domain:2", "domain:99"};
	static const int domains[] = {-1, 0, 1, 2, 99};

	for (int i = 0; i < 5; i++) {
		struct trace_stage t;
		double allocated, live;
		enter(&t, true, false);
		stage_type(&t.stage, "u\\");
		trace_stage_type(&t, filters[i]);
		stage_key(&t.stage, UI_KEY_ENTER);
		count_words("multidomain.ctf", domains[i], INT64_MIN, INT64_MAX, &allocated, &live);
		CHECK_NEAR(summary(&t, "allocated "), allocated, allocated * 0.006);
		CHECK_NEAR(summary(&t, "live "), live, live * 0.006);
		trace_stage_fini(&t);
	}
}

/* A time window holds once its line is entered, and is gone with the filter. */
TEST(test_window)
{
	struct trace_stage t;
	int64_t from = 1, to = 1;

	enter(&t, true, false);
	ui_trace_window(t.stage.ui, &from, &to);
	CHECK(from == 0 && to == 0);
	stage_key(&t.stage, '\\');
	trace_stage_type(&t, "Set time:10ms-0.2");
	ui_trace_window(t.stage.ui, &from, &to);
	CHECK(from == 0 && to == 0);
	stage_key(&t.stage, UI_KEY_ENTER);
	ui_trace_window(t.stage.ui, &from, &to);
	CHECK(from == 10000 && to == 200000);
	/* While it is changed, that of before holds. */
	stage_type(&t.stage, "\\\b");
	ui_trace_window(t.stage.ui, &from, &to);
	CHECK(from == 10000 && to == 200000);
	stage_key(&t.stage, UI_KEY_ESCAPE);
	ui_trace_window(t.stage.ui, &from, &to);
	CHECK(from == 0 && to == 0);
	trace_stage_fini(&t);

	/* No other filter has a window, whether it is typed, holds, or is dropped; nor has all of the
	 * trace. */
	static const char *const windowless[] = {
	    "Set", "file:set.ml", "domain:1", "time:bad", "time:0s-", "time:-"};
	for (size_t i = 0; i < sizeof(windowless) / sizeof(windowless[0]); i++) {
		static const ui_key ends[] = {UI_KEY_ENTER, UI_KEY_ESCAPE};
		enter(&t, true, false);
		stage_key(&t.stage, '\\');
		for (const char *c = windowless[i]; *c != '\0'; c++) {
			stage_key(&t.stage, (ui_key)*c);
			ui_trace_window(t.stage.ui, &from, &to);
			CHECK(from == 0 && to == 0);
		}
		for (int k = 0; k < 2; k++) {
			stage_key(&t.stage, ends[k]);
			ui_trace_window(t.stage.ui, &from, &to);
			CHECK(from == 0 && to == 0);
		}
		trace_stage_fini(&t);
	}

	/* One given on the command line holds at once. */
	struct ui *ui =
	    ui_create(&(struct ui_options){.view = VIEW_SITES, .filter = "time:1s-", .sort = "allocated"});
	CHECK(ui != NULL);
	ui_trace_window(ui, &from, &to);
	CHECK(from == 1000000 && to == INT64_MAX);
	ui_destroy(ui);
	CHECK(ui_sort_known(VIEW_SITES, "growth") && !ui_sort_known(VIEW_SITES, "GC"));
	CHECK(ui_sort_known(VIEW_SITES, "Growth") && ui_sort_known(VIEW_PANES, "gc"));
	CHECK(ui_sort_known(VIEW_PANES, "GC") && !ui_sort_known(VIEW_PANES, "growth"));
}

/* A file alone: it is quiet while its program may still be there, and ended when that is gone and nothing is
 * written. */
TEST(test_state)
{
	struct trace_stage t;

	trace_stage_init(&t, "multidomain.ctf", true, 24, 120);
	trace_stage_read(&t, UINT64_MAX);
	CHECK(stage_shows(&t.stage, "QUIET 42s"));
	t.trace.ended = true;
	CHECK(stage_shows(&t.stage, "EXITED") && !stage_shows(&t.stage, "QUIET"));
	t.trace.age_ns = 500000000;
	CHECK(stage_shows(&t.stage, "LIVE") && !stage_shows(&t.stage, "EXITED"));
	trace_stage_fini(&t);
}

/* Marking is the app's to do; then growth counts from there, and only what needs a mark needs one. */
TEST(test_mark)
{
	struct trace_stage t;
	struct sites_state *state;

	trace_stage_init(&t, "multidomain.ctf", true, 24, 120);
	state = sites_own(t.stage.ui);
	trace_stage_read(&t, 9000);
	stage_key(&t.stage, 't');
	for (int i = 0; i < 3; i++)
		stage_key(&t.stage, 'w');
	CHECK_INT(state->weight, SITES_WEIGHT_LIVE); /* all three that need no mark */
	stage_key(&t.stage, 't');
	CHECK(!stage_shows(&t.stage, "growth since"));
	stage_key(&t.stage, 'm');
	CHECK(trace_stage_requests(&t));
	CHECK(stage_shows(&t.stage, "growth since"));
	CHECK(stage_shows(&t.stage, "growth 0B"));
	uint64_t before = state->counts.live;
	trace_stage_read(&t, UINT64_MAX);
	free(stage_text(&t.stage));
	struct sites_estimate growth = sites_growth(&state->counts, state->totals.rate);
	CHECK_NEAR(growth.value, ((double)state->counts.live - (double)before) / state->totals.rate, 1e-6);
	CHECK(growth.value != 0);
	stage_key(&t.stage, 't');
	for (int i = 0; i < 3; i++)
		stage_key(&t.stage, 'w');
	CHECK_INT(state->weight, SITES_WEIGHT_GROWTH);
	stage_key(&t.stage, 'w');
	CHECK_INT(state->weight, SITES_WEIGHT_NEW);
	trace_stage_fini(&t);

	/* Without an app that can mark there is no such key. */
	trace_stage_init(&t, "small.ctf", true, 24, 80);
	struct ui *poor = ui_create(&(struct ui_options){.view = VIEW_SITES});
	CHECK(poor != NULL);
	ui_press(poor, &t.stage.subject, 'm');
	CHECK(poor->why != NULL);
	ui_destroy(poor);
	trace_stage_fini(&t);
}

/* Walking through the tree: down and up, aside, into a frame and out again. */
TEST(test_walk)
{
	struct trace_stage t;
	struct sites_state *state;

	enter(&t, true, true);
	state = sites_own(t.stage.ui);
	uint64_t all = state->calls.bars.total;
	CHECK(all == state->totals.counts.live && state->calls.cursor.depth == 0);
	CHECK(stage_refuses(&t.stage, UI_KEY_ENTER));
	CHECK(stage_refuses(&t.stage, UI_KEY_UP));
	stage_key(&t.stage, UI_KEY_DOWN);
	CHECK_INT(state->calls.cursor.depth, 1);
	CHECK_INT(state->calls.cursor.functions[0], state->calls.bars.bars[0].function);
	stage_key(&t.stage, UI_KEY_RIGHT);
	CHECK(state->calls.cursor.depth == 1 &&
	      state->calls.cursor.functions[0] != state->calls.bars.bars[0].function);
	stage_key(&t.stage, UI_KEY_LEFT);
	CHECK(stage_refuses(&t.stage, UI_KEY_LEFT));
	stage_type(&t.stage, "↓↓");
	CHECK_INT(state->calls.cursor.depth, 3);
	struct call_place at = state->calls.cursor;
	stage_key(&t.stage, UI_KEY_ENTER);
	CHECK(
	    state->calls.zoom.depth == 3 && state->calls.cursor.depth == 0 && state->calls.bars.total < all);
	CHECK(memcmp(state->calls.zoom.functions, at.functions, 3 * sizeof(at.functions[0])) == 0);
	uint64_t inside = state->calls.bars.total;
	stage_key(&t.stage, UI_KEY_ESCAPE);
	CHECK(state->calls.zoom.depth == 2 && state->calls.cursor.depth == 1 &&
	      state->calls.bars.total >= inside);
	CHECK_INT(state->calls.cursor.functions[0], at.functions[2]);
	stage_type(&t.stage, "⎋⎋");
	CHECK(state->calls.zoom.depth == 0 && state->tree && state->calls.bars.total == all);
	stage_key(&t.stage, UI_KEY_ESCAPE);
	CHECK(!state->tree);
	trace_stage_fini(&t);
}

/* To the innermost frame and back, also as a flame graph, and scrolled at every height. */
TEST(test_ends)
{
	for (int flame = 0; flame < 2; flame++) {
		for (int rows = 5; rows < 60; rows += 5) {
			struct trace_stage t;
			enter(&t, true, true);
			struct sites_state *state = sites_own(t.stage.ui);
			if (flame)
				stage_key(&t.stage, 'F');
			CHECK(canvas_resize(t.stage.canvas, rows, 80));
			stage_key(&t.stage, UI_KEY_END);
			CHECK(state->calls.cursor.depth > 10);
			CHECK(stage_refuses(&t.stage, flame ? UI_KEY_UP : UI_KEY_DOWN));
			int row = (int)state->calls.cursor.depth - 1;
			CHECK(row >= state->calls.scroll && row < state->calls.scroll + rows);
			stage_key(&t.stage, flame ? UI_KEY_DOWN : UI_KEY_UP);
			CHECK_INT(state->calls.cursor.depth, row);
			stage_key(&t.stage, UI_KEY_HOME);
			CHECK(state->calls.cursor.depth == 0 && state->calls.scroll == 0);
			trace_stage_fini(&t);
		}
	}
}

/* Enter on a site shows its callers, which add up to it; Esc leads back to the table. */
TEST(test_callers)
{
	struct trace_stage t;

	enter(&t, true, false);
	struct sites_state *state = sites_own(t.stage.ui);
	stage_key(&t.stage, UI_KEY_DOWN);
	const struct sites_row row = state->rows[t.stage.ui->places[VIEW_SITES].item];
	stage_key(&t.stage, UI_KEY_ENTER);
	CHECK(state->tree && state->calls.invert && state->calls.zoom.depth == 1);
	CHECK_INT(state->calls.zoom.functions[0], row.site);
	CHECK_INT(state->calls.bars.total, row.counts.live);
	stage_key(&t.stage, 'w');
	CHECK_INT(state->calls.bars.total, row.counts.samples);
	stage_type(&t.stage, "↓\n");
	CHECK_INT(state->calls.zoom.depth, 2);
	stage_key(&t.stage, UI_KEY_ESCAPE);
	CHECK(state->tree && state->calls.zoom.depth == 1);
	stage_key(&t.stage, UI_KEY_ESCAPE);
	CHECK(!state->tree && t.stage.ui->places[VIEW_SITES].list.selected == 1);
	trace_stage_fini(&t);
}

/* Search in the tree goes from match to match. */
TEST(test_search)
{
	struct trace_stage t;
	int found = 0;

	enter(&t, true, true);
	struct sites_state *state = sites_own(t.stage.ui);
	stage_key(&t.stage, '/');
	trace_stage_type(&t, "PARSE");
	stage_key(&t.stage, UI_KEY_ENTER);
	for (int i = 0; i < 20; i++) {
		CHECK(state->calls.cursor.depth > 0);
		const struct sites_function *f =
		    &sites_names(t.sites)
			 ->functions[state->calls.cursor.functions[state->calls.cursor.depth - 1]];
		CHECK(f->name != NULL && strstr(f->name, "parse") != NULL);
		found += stage_key(&t.stage, 'n') == UI_DIRTY;
	}
	CHECK_INT(found, 20);
	/* Esc drops it before it leaves the tree. */
	stage_key(&t.stage, UI_KEY_ESCAPE);
	CHECK(state->tree && t.stage.ui->places[VIEW_SITES].search[0] == '\0');
	CHECK(stage_refuses(&t.stage, 'n'));
	stage_key(&t.stage, '/');
	trace_stage_type(&t, "zzz");
	CHECK(stage_key(&t.stage, UI_KEY_ENTER) & UI_DIRTY);
	CHECK(stage_shows(&t.stage, "no match for zzz"));
	stage_key(&t.stage, 't');
	CHECK(stage_key(&t.stage, 'n') & UI_DIRTY);
	CHECK(stage_shows(&t.stage, "no match for zzz"));
	trace_stage_fini(&t);
}

/* Lines go by estimates, not by their text, and by the column asked for. */
TEST(test_sort)
{
	struct trace_stage t;
	double last = 0;

	enter(&t, true, false);
	for (int column = 0; column < 20; column++) {
		stage_key(&t.stage, '>');
		if (column % 3 == 0)
			stage_key(&t.stage, 'I');
		free(stage_text(&t.stage));
	}
	trace_stage_fini(&t);
	/* From the command line: by samples, downwards. */
	trace_stage_init(&t, "multidomain.ctf", true, 60, 120);
	ui_destroy(t.stage.ui);
	t.stage.ui = ui_create(&(struct ui_options){.view = VIEW_SITES, .sort = "samples"});
	CHECK(t.stage.ui != NULL);
	trace_stage_read(&t, UINT64_MAX);
	char *screen = stage_text(&t.stage), *line = strstr(screen, "samples\n");
	int lines = 0;
	for (line = line != NULL ? strchr(line, '\n') : NULL; line != NULL && lines < 20; lines++) {
		char *end = strchr(line + 1, '\n'), *word = end;
		while (word > line && word[-1] != ' ')
			word--;
		double value = strtod(word, &word) * (*word == 'k' ? 1000 : 1);
		CHECK(lines == 0 || value <= last);
		last = value;
		line = end;
	}
	CHECK_INT(lines, 20);
	free(screen);
	trace_stage_fini(&t);
}

/* A trace that is read anew begins at the outermost frames: its functions have other numbers. */
TEST(test_anew)
{
	struct trace_stage t;

	enter(&t, true, true);
	for (int i = 0; i < 4; i++)
		stage_key(&t.stage, UI_KEY_DOWN);
	stage_type(&t.stage, "\n↓");
	t.trace.generation++;
	free(stage_text(&t.stage));
	CHECK(sites_own(t.stage.ui)->calls.zoom.depth == 0 && sites_own(t.stage.ui)->calls.cursor.depth == 0);
	/* And one that is gone is waited for. */
	t.trace = (struct subject_trace){.path = "t.ctf", .generation = 9};
	CHECK(stage_shows(&t.stage, "waiting for the file"));
	CHECK(stage_refuses(&t.stage, UI_KEY_ENTER));
	trace_stage_fini(&t);
}

/* One below a limit. */
static int below(uint64_t *state, int limit)
{
	return (int)(next_random(state) % (uint64_t)limit);
}

/* Random keys over random sizes while the trace grows. */
TEST(test_soak)
{
	static const char *const files[] = {
	    "multidomain.ctf", "small.ctf", "viewer-test_trace.ctf", "lists_and_sets.ctf"};
	static const ui_key keys[] = {'t', 't', 'i', 'F', 'w', 'm', 'u', '9', '9', '1', ' ', 'p', UI_KEY_UP,
	    UI_KEY_DOWN, UI_KEY_DOWN, UI_KEY_LEFT, UI_KEY_RIGHT, UI_KEY_PAGE_UP, UI_KEY_PAGE_DOWN,
	    UI_KEY_HOME, UI_KEY_END, UI_KEY_ENTER, UI_KEY_ENTER, UI_KEY_ESCAPE, '/', '\\', 'n', '<', '>', 'I',
	    '?', 'a', ':', '0', '-', UI_KEY_BACKSPACE, UI_KEY_TAB, 'R', 0x20ac, UI_KEY_RESIZE};
	uint64_t random = 7;

	for (int round = 0; round < 24; round++) {
		struct trace_stage t;
		trace_stage_init(
		    &t, files[round % 4], round % 3 != 0, below(&random, 60), below(&random, 200));
		for (int i = 0; i < 400; i++) {
			if (below(&random, 12) == 0)
				CHECK(canvas_resize(t.stage.canvas, below(&random, 60), below(&random, 220)));
			if (below(&random, 20) == 0)
				trace_stage_read(&t, (uint64_t)below(&random, 3000));
			if (below(&random, 30) == 0) {
				t.trace.fault =
				    below(&random, 2) != 0 ? "malformed trace: x, at byte 1" : NULL;
				t.trace.left_out = (uint64_t)below(&random, 3);
			}
			if (below(&random, 60) == 0)
				t.trace.sites = t.trace.sites == NULL ? t.sites : NULL;
			t.trace.info = t.trace.sites != NULL ? rtev_memtrace_info(t.reader) : NULL;
			stage_key(&t.stage, keys[below(&random, (int)(sizeof(keys) / sizeof(keys[0])))]);
			trace_stage_requests(&t);
			screen_check(t.stage.canvas);
		}
		trace_stage_fini(&t);
	}
}
