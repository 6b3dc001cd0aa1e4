/*
 * test_ui.c - what keys do: every action does something where the help offers it, lists are searched,
 * filtered and sorted.  test_ui_moment.c has what they do to frozen pictures.
 */
#include "support/test.h"

#include "ui/view.h"
#include "support/code_story.h"
#include "support/ui_story.h"

/* Take all that a ui leaves to the app; returns the first. */
static enum ui_action take(struct ui *ui)
{
	enum ui_action first = ui_asked(ui);

	while (ui_asked(ui) != ACTION_NONE)
		continue;
	return first;
}

/* What leads to a state in which an action has something to do. */
static const char *const preparations[] = {
    "", "↓", "⇲", "jjjjjj", "z", "/d\n", "\\d\n", ">", "[", "[⇱", "⇲↑", "←", "]", "NN"};
enum { PREPARATIONS = sizeof(preparations) / sizeof(preparations[0]) };

#define REPLAY "replay" /* begin of a mode */

/* Show a view on a new stage and press keys that lead to a mode of it; the list of processes has no target. */
static void enter(struct stage *s, enum ui_view view, const char *mode)
{
	static const struct subject_process processes[] = {
	    {.pid = 1, .name = "one", .ocaml = "5.3.0", .state = "live", .live = true, .figures.running = 2},
	    {.pid = 22, .name = "twodee", .state = "no-ring"},
	    {.pid = 333, .name = "three", .ocaml = "5.1.1", .state = "live", .live = true}};
	static const struct subject_replay replay = {.playing = true, .start = STORY_BEGIN, .end = STORY_END};

	stage_init(s, 3, 24, 80);
	stage_offer(s, STORY_APP_ALL);
	/* There is nothing in the memory view but this to go back to. */
	if (view == VIEW_OVERVIEW || view == VIEW_MEMORY) {
		s->subject.processes = processes;
		s->subject.process_count = 3;
	}
	if (view == VIEW_OVERVIEW)
		s->subject.watch = NULL;
	if (view == VIEW_FIBERS || view == VIEW_USER)
		story_serve(s);
	if (view == VIEW_CODE) {
		static struct subject_code code;
		if (code.profile == NULL)
			code.profile = code_story(STORY_BEGIN, STORY_END);
		s->subject.code = &code;
	}
	ui_draw(s->ui, story_told(&s->subject), s->canvas);
	if (view != VIEW_OVERVIEW)
		stage_key(
		    s, action_info((enum ui_action)(ACTION_VIEW_PANES + ((int)view - VIEW_PANES)))->keys[0]);
	if (strncmp(mode, REPLAY, strlen(REPLAY)) == 0) {
		s->subject.replay = &replay;
		mode += strlen(REPLAY);
		ui_draw(s->ui, story_told(&s->subject), s->canvas);
	}
	stage_type(s, mode);
}

/* Whether an action does something in any of the states that it can be met in. */
static bool does_something(enum ui_action action, enum ui_view view, const char *mode)
{
	bool done = false;

	for (int p = 0; p < PREPARATIONS && !done; p++) {
		struct stage s;
		enter(&s, view, mode);
		stage_type(&s, preparations[p]);
		take(s.ui);
		done = ui_press(s.ui, &s.subject, action_info(action)->keys[0]) != UI_NOTHING &&
		       s.ui->why == NULL;
		stage_fini(&s);
	}
	return done;
}

/* Check a view: what the help offers does something, and other keys say that they do nothing, and leave all as it is. */
static void check_view(enum ui_view view, const char *mode)
{
	struct stage s;

	enter(&s, view, mode);
	CHECK_INT(s.ui->view, view);
	for (int a = 0; a < ACTION_COUNT; a++) {
		enum ui_action action = (enum ui_action)a;
		bool available = action_available(&s.ui->actions, action, view);
		for (int k = 0; k < 3 && !available; k++) {
			ui_key key = action_info(action)->keys[k];
			if (action_of_key(&s.ui->actions, key, view) != ACTION_NONE)
				continue; /* the same key stands for something else here */
			/* These take a text: test_ui_search.c. */
			if (key == '/' || key == '\\' || key == UI_KEY_NONE)
				continue;
			if (!stage_refuses(&s, key))
				TEST_FAIL("%s: key %s does something unoffered, or nothing in silence",
				    view_title(view), ui_key_name(key).s);
			CHECK_INT(take(s.ui), ACTION_NONE);
			CHECK_INT(s.ui->view, view);
		}
		if (available && !does_something(action, view, mode))
			TEST_FAIL("%s after \"%s\": \"%s\" does nothing", view_title(view), mode,
			    action_info(action)->help);
	}
	stage_fini(&s);
}

TEST(test_every_action)
{
	for (int v = VIEW_PANES; v < VIEW_COUNT; v++) {
		if (v == VIEW_SITES)
			continue; /* is there only with a memtrace file */
		check_view((enum ui_view)v, "");
		check_view((enum ui_view)v, " ");
		if (v == VIEW_OVERVIEW)
			continue; /* a recording is no list of processes */
		check_view((enum ui_view)v, REPLAY);
		check_view((enum ui_view)v, REPLAY "p");
	}
	check_view(VIEW_PANES, " t");
}

/* What only the app can do is absent when it can't. */
TEST(test_requests)
{
	static const struct {
		ui_key key;
		enum ui_action action;
	} table[] = {{'+', ACTION_FASTER}, {'-', ACTION_SLOWER}, {'R', ACTION_RESET}, {'S', ACTION_SAVE},
	    {'W', ACTION_WRITE}, {'r', ACTION_RECORD}, {' ', ACTION_PLAY}, {'.', ACTION_STEP},
	    {',', ACTION_STEP_BACK}, {'{', ACTION_SPEED_DOWN}, {'}', ACTION_SPEED_UP},
	    {'(', ACTION_SKIP_BACK}, {')', ACTION_SKIP}, {'^', ACTION_JUMP_START}, {'$', ACTION_JUMP_END}};
	const struct subject_replay r = {.playing = true};
	struct stage s = stage_begin(3, 24, 80);
	stage_offer(&s, STORY_APP_ALL);
	s.subject.replay = &r;
	struct ui *poor = ui_create(&(struct ui_options){.view = VIEW_PANES});
	CHECK(poor != NULL);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		CHECK(stage_key(&s, table[i].key) & UI_DIRTY);
		CHECK_INT(ui_asked(s.ui), table[i].action);
		CHECK_INT(ui_asked(s.ui), ACTION_NONE);
		ui_press(poor, &s.subject, table[i].key);
		CHECK(poor->why != NULL);
		CHECK_INT(ui_asked(poor), ACTION_NONE);
	}
	/* More than can be kept are forgotten, not written past the end. */
	for (int i = 0; i < 100; i++)
		stage_key(&s, 'S');
	int kept = 0;
	while (ui_asked(s.ui) != ACTION_NONE)
		kept++;
	CHECK(kept > 0 && kept < 100);
	ui_destroy(poor);
	ui_destroy(NULL);
	stage_fini(&s);
}

/* Where to jump to is typed; Escape and nothing typed ask for nothing. */
TEST(test_jump)
{
	const struct subject_replay r = {.playing = true};
	struct stage s = stage_begin(3, 24, 80);
	CHECK(stage_refuses(&s, 'J') && stage_shows(&s, "no replay: this key leads through a recording"));
	stage_offer(&s, STORY_APP_ALL);
	s.subject.replay = &r;
	stage_type(&s, "J12x\b.5");
	CHECK(stage_shows(&s, "H:M:S: 12.5"));
	CHECK_INT(ui_asked(s.ui), ACTION_NONE);
	stage_key(&s, UI_KEY_ENTER);
	CHECK_INT(ui_asked(s.ui), ACTION_JUMP);
	CHECK(strcmp(ui_typed(s.ui), "12.5") == 0);
	stage_type(&s, "J12x\b.5⎋");
	CHECK_INT(ui_asked(s.ui), ACTION_NONE);
	stage_type(&s, "J\n");
	CHECK_INT(ui_asked(s.ui), ACTION_NONE);
	/* Nothing of it is a filter. */
	CHECK(s.ui->places[VIEW_PANES].filter[0] == '\0' && s.ui->places[VIEW_PANES].search[0] == '\0');
	stage_fini(&s);
}

/* What a replay says of itself, wide and narrow; its times may be anything. */
TEST(test_replay)
{
	struct subject_replay r = {.reading = true, .share = 0.25};
	struct stage s = stage_begin(3, 24, 160);
	s.subject.state = SUBJECT_REPLAY;
	s.subject.replay = &r;
	CHECK(stage_shows(&s, "REPLAY reading the file, 25%"));
	r.reading = false;
	r.start = s.subject.now;
	r.end = s.subject.now += 3723400 * STORY_MS;
	CHECK(stage_shows(&s, "REPLAY 1:02:03.4 of 1:02:03.4 1x stopped"));
	r.playing = true;
	r.speed = -6;
	CHECK(stage_shows(&s, "REPLAY 1:02:03.4 of 1:02:03.4 1/64x "));
	r.counts_from = s.subject.now - 1400 * STORY_MS;
	r.seeking = r.cut = true;
	r.speed = 6;
	CHECK(stage_shows(&s, "64x seeking, counts from 1:02:02.0, file cut short"));
	r.damaged = true;
	CHECK(stage_shows(&s, "64x seeking, counts from 1:02:02.0, file damaged"));
	r.damaged = false;
	r = (struct subject_replay){.start = 1, .end = UINT64_MAX, .at_end = true};
	CHECK(stage_shows(&s, "1x at end"));
	s.subject.now = UINT64_MAX;
	CHECK(stage_shows(&s, "REPLAY 5124095:34:33.7 of 5124095:34:33.7"));
	stage_fini(&s);
}

/* What is yet to come, in a recording that was gone back in, has no age. */
TEST(test_yet_to_come)
{
	struct stage s = stage_begin(3, 40, 120);
	s.subject.now = STORY_BEGIN;
	for (int v = 0; v < 8; v++) {
		stage_key(&s, (ui_key)('1' + v));
		char *screen = stage_screen(&s);
		CHECK(strstr(screen, "213503d") == NULL);
	}
	stage_fini(&s);
}

/* The first column of a table's lines, from the screen. */
static void first_words(struct stage *s, char out[8][24])
{
	char *screen = stage_text(s), *line = screen;

	memset(out, 0, 8 * 24);
	/* below the header of four rows, the tabs, the line of the times, and the titles */
	for (int row = 0; row < 7 + 8 && line != NULL; row++) {
		if (row >= 7)
			sscanf(line, " %23s", out[row - 7]);
		line = strchr(line, '\n');
		line = line != NULL ? line + 1 : NULL;
	}
	free(screen);
}

TEST(test_sort)
{
	struct stage s;
	char words[8][24];

	stage_init(&s, 3, 24, 120);
	stage_key(&s, '2');
	first_words(&s, words);
	CHECK_STR(words[0], "D0");
	CHECK_STR(words[2], "D2");
	stage_key(&s, 'I');
	first_words(&s, words);
	CHECK_STR(words[0], "D2");
	CHECK_STR(words[2], "D0");
	/* By GC share, the largest first whatever the direction was: D0 collects least, D2 most. */
	stage_type(&s, "I>>>>");
	first_words(&s, words);
	CHECK_STR(words[0], "D2");
	CHECK_STR(words[1], "D1");
	CHECK_STR(words[2], "D0");
	stage_key(&s, 'I');
	first_words(&s, words);
	CHECK_STR(words[0], "D0");
	CHECK_STR(words[2], "D2");
	struct ui_options options;
	ui_settings(s.ui, &options);
	CHECK_STR(options.sort, "GC");
	/* Once round to the left. */
	stage_key(&s, '<');
	ui_settings(s.ui, &options);
	CHECK_STR(options.sort, "queue");
	stage_fini(&s);
}

/* Sorting passes by columns that there is no room for. */
TEST(test_sort_by_what_is_seen)
{
	static const char *const shown[] = {
	    "doing", "cpu", "GC", "wait", "p99", "max", "alloc", "lost", "domain"};
	struct ui_options options;
	struct stage s = stage_begin(3, 24, 80);
	stage_key(&s, '2');
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		free(stage_text(&s)); /* draws it */
		stage_key(&s, '>');
		ui_settings(s.ui, &options);
		CHECK_STR(options.sort, shown[i]);
	}
	stage_fini(&s);
}

/* Ctrl-W takes a word away with the blanks behind it, Ctrl-U all; what is left holds at once. */
TEST(test_line_keys)
{
	static const ui_key inputs[] = {'\\', '/'};

	for (int i = 0; i < 2; i++) {
		struct stage s = stage_begin(3, 24, 80);
		stage_key(&s, '8');
		stage_key(&s, inputs[i]);
		stage_type(&s, "one two  ");
		const struct view_place *place = ui_place(s.ui);
		const char *held = inputs[i] == '/' ? place->search : place->filter;
		CHECK_INT(stage_key(&s, UI_CTRL('W')), UI_DIRTY);
		CHECK_STR(s.ui->text, "one ");
		CHECK_STR(held, "one ");
		stage_key(&s, 'x');
		stage_key(&s, UI_CTRL('W'));
		CHECK_STR(s.ui->text, "one ");
		stage_key(&s, 'x');
		CHECK_INT(stage_key(&s, UI_CTRL('U')), UI_DIRTY);
		CHECK_STR(s.ui->text, "");
		CHECK_STR(held, "");
		stage_key(&s, UI_CTRL('W'));
		CHECK(s.ui->input != 0 && s.ui->text[0] == '\0');
		stage_fini(&s);
	}
}

TEST(test_search_and_filter)
{
	struct stage s;
	int row, col;

	stage_init(&s, 3, 40, 120);
	/* All phases, the small ones too. */
	stage_type(&s, "3G\n/");
	CHECK(ui_cursor(s.ui, &row, &col));
	CHECK_INT(row, 39);
	CHECK_INT(col, 1);
	stage_type(&s, "barx\b\n");
	CHECK(!ui_cursor(s.ui, &row, &col));
	CHECK_STR(ui_place(s.ui)->search, "bar");
	int first = ui_place(s.ui)->list.selected;
	CHECK(stage_key(&s, 'n') & UI_DIRTY);
	int second = ui_place(s.ui)->list.selected;
	CHECK(second > first && first > 0);
	stage_key(&s, 'n');
	CHECK_INT(ui_place(s.ui)->list.selected, first); /* there are two: round again */
	/* A filter leaves only what contains it, upper and lower case alike. */
	int before = ui_place(s.ui)->list.count;
	stage_type(&s, "\\MINOR\n");
	CHECK(ui_place(s.ui)->list.count > 0 && ui_place(s.ui)->list.count < before);
	CHECK(!stage_shows(&s, "major_mark") && stage_shows(&s, "minor_local_roots"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK_STR(ui_place(s.ui)->filter, "");
	CHECK_STR(ui_place(s.ui)->search, "");
	ui_draw(s.ui, story_told(&s.subject), s.canvas);
	CHECK_INT(ui_place(s.ui)->list.count, before);
	/* What is typed is cut at the room there is, by whole characters. */
	stage_key(&s, '\\');
	for (int i = 0; i < 200; i++)
		stage_key(&s, 0x20ac);
	size_t len = strlen(ui_place(s.ui)->filter);
	CHECK(len < VIEW_TEXT_MAX && len % 3 == 0 && len > VIEW_TEXT_MAX - 4);
	CHECK(stage_shows(&s, "nothing matches the filter"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK_STR(ui_place(s.ui)->filter, "");
	stage_fini(&s);
}

/* The filter of view 6 is for both of its tables, and each says by itself that nothing of it matches. */
TEST(test_filter_of_stops)
{
	static const struct {
		const char *filter;
		bool domains, stops;
	} filters[] = {{"D1", true, true}, {"minor", false, true}, {"xyz", false, false}};
	struct stage s;

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		stage_init(&s, 3, 40, 120);
		stage_type(&s, "6\\");
		stage_type(&s, filters[i].filter);
		stage_key(&s, UI_KEY_ENTER);
		char *screen = stage_screen(&s);
		CHECK(strstr(screen, "nothing matches") == NULL);
		CHECK_INT(strstr(screen, "no domain matches the filter") == NULL, filters[i].domains);
		CHECK_INT(strstr(screen, "no stop matches the filter") == NULL, filters[i].stops);
		/* What is shown below matches. */
		const char *line = strstr(screen, "whole stop");
		for (line = strchr(line, '\n') + 1; filters[i].stops && *line == ' ';
		     line = strchr(line, '\n') + 1) {
			char text[200];
			snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
			CHECK(strstr(text, filters[i].filter) != NULL);
		}
		stage_fini(&s);
	}
}

/* A filter of the start hides nothing in a view that has nothing of it; one that is typed does. */
TEST(test_filter_of_the_start)
{
	static const char views[] = {'2', '3', '4', '5', '6', '8'};
	struct ui_options chosen;
	struct stage s = stage_begin(3, 40, 120);
	for (size_t i = 0; i < sizeof(views); i++) {
		ui_destroy(s.ui);
		s.ui = ui_create(&(struct ui_options){
		    .view = VIEW_PANES, .offers = story_offers(STORY_APP_ALL), .filter = "queue"});
		stage_key(&s, (ui_key)views[i]);
		CHECK(!stage_shows(&s, "matches the filter"));
		CHECK_INT(stage_shows(&s, "filter queue"), views[i] == '4');
		CHECK_INT(stage_shows(&s, "cache.evict"), false);
		ui_settings(s.ui, &chosen);
		CHECK_STR(chosen.filter, "queue");
	}
	/* Keys that come at once. */
	ui_destroy(s.ui);
	s.ui = ui_create(&(struct ui_options){
	    .view = VIEW_PANES, .offers = story_offers(STORY_APP_ALL), .filter = "queue"});
	static const ui_key keys[] = {'2', '\\', 'x', UI_KEY_ENTER};
	for (int i = 0; i < 4; i++)
		ui_press(s.ui, &s.subject, keys[i]);
	CHECK(stage_shows(&s, "nothing matches the filter"));
	/* As long as there is nothing at all it waits. */
	ui_destroy(s.ui);
	struct watch *watch = watch_create(&(struct watch_options){.attach_ts = STORY_BEGIN});
	struct subject empty = s.subject;
	empty.watch = watch;
	s.ui = ui_create(&(struct ui_options){
	    .view = VIEW_USER, .offers = story_offers(STORY_APP_ALL), .filter = "queue"});
	ui_draw(s.ui, story_told(&empty), s.canvas);
	CHECK_STR(ui_place(s.ui)->filter, "queue");
	CHECK(stage_shows(&s, "filter queue") && !stage_shows(&s, "cache.evict"));
	watch_destroy(watch);
	stage_fini(&s);
}

/* Draw view 4 where only a scheduler of `tell` has written an event. */
static void check_scheduler_alone(void (*tell)(struct stage *), const char *name)
{
	struct rtev_user_event event = {.id = 1, .name_len = (uint16_t)strlen(name), .generation = 1};
	struct stage s = stage_begin(3, 40, 120);

	memcpy(event.name, name, event.name_len);
	tell(&s);
	struct watch *watch = watch_create(&(struct watch_options){.attach_ts = STORY_BEGIN});
	struct subject serving = s.subject;
	serving.watch = watch;
	s.calls.user_int(watch_model(watch), 0, STORY_BEGIN + 1, &event, 7);
	ui_press(s.ui, &serving, '4');
	ui_draw(s.ui, story_told(&serving), s.canvas);
	char *screen = canvas_dump(s.canvas);
	CHECK(strstr(screen, "matches the filter") == NULL);
	CHECK(strstr(screen, "no event of the program's own: f shows its scheduler, e lists the scheduler's "
			     "events") != NULL);
	free(screen);
	watch_destroy(watch);
	stage_fini(&s);
}

/* Where a scheduler alone wrote events, the view that leaves them to that of fibers blames no filter. */
TEST(test_events_of_a_scheduler)
{
	struct stage s;

	check_scheduler_alone(story_serve, "eio.fiber");
	check_scheduler_alone(story_laps, "lwt-paused-count");
	/* Nor do they take the room of the page below the table. */
	stage_init(&s, 3, 24, 80);
	static const char *const names[] = {
	    "eio.fiber", "eio.get", "eio.put", "eio.try_get", "eio.exit_fiber", "eio.domain_spawn"};
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct rtev_user_event event = {
		    .id = (uint16_t)(100 + i), .name_len = (uint16_t)strlen(names[i]), .generation = 1};
		strlcpy(event.name, names[i], sizeof(event.name));
		s.calls.user_int(watch_model(s.watch), 0, STORY_END + i, &event, 7);
	}
	story_serve(&s);
	stage_key(&s, '4');
	CHECK(stage_shows(&s, "longest pause in it"));
	stage_fini(&s);
}

/* A search that finds nothing says so until the next key, in every view that can be searched. */
TEST(test_search_in_vain)
{
	struct stage s;

	for (int v = VIEW_PANES; v < VIEW_SITES; v++) {
		if ((action_info(ACTION_SEARCH)->views >> v & 1) == 0)
			continue;
		stage_init(&s, 3, 24, 80);
		stage_key(&s, (ui_key)('1' + v - (int)VIEW_PANES));
		CHECK(stage_type(&s, "/zzz\n") & UI_DIRTY);
		CHECK(stage_shows(&s, "no match for zzz"));
		CHECK(stage_key(&s, UI_KEY_HOME) & UI_DIRTY);
		CHECK(!stage_shows(&s, "no match"));
		CHECK(stage_key(&s, 'n') & UI_DIRTY);
		CHECK(stage_shows(&s, "no match for zzz"));
		stage_key(&s, UI_KEY_ESCAPE);
		CHECK(stage_refuses(&s, 'n')); /* for nothing nobody has searched */
		CHECK(!stage_shows(&s, "no match"));
		stage_fini(&s);
	}
}

/* Enter on a fork asks for the child, and on nothing else. */
TEST(test_fork)
{
	struct stage s = stage_begin(3, 40, 120);
	stage_key(&s, '8');
	CHECK(stage_shows(&s, "child 4343: Enter watches it"));
	int attached = 0;
	stage_key(&s, UI_KEY_HOME);
	for (int i = 0; i < 12; i++) {
		stage_key(&s, UI_KEY_ENTER);
		if (take(s.ui) == ACTION_OPEN) {
			attached++;
			CHECK_INT(ui_chosen(s.ui), STORY_CHILD);
		}
		if (stage_refuses(&s, UI_KEY_DOWN))
			break;
	}
	CHECK_INT(attached, 1);
	/* Without a target there is the list of processes, whatever view it was. */
	s.subject.watch = NULL;
	ui_draw(s.ui, story_told(&s.subject), s.canvas);
	CHECK(stage_shows(&s, "all OCaml processes"));
	stage_fini(&s);
}
