/*
 * test_ui_mouse.c - the mouse, the menu of columns and what is copied, on made-up screens: what is drawn under the
 * pointer is what a click is for.
 */
#include "support/test.h"

#include "support/ui_story.h"
#include "ui/view.h"
#include "ui/views/span_page.h"
#include "ui/views/trend_columns.h"
#include "ui/views/stw.h"

static struct stage s;

/* Do something with the mouse and draw. */
static unsigned point(int kind, int row, int col)
{
	struct ui_pointer at = {.row = row, .col = col};

	at.kind = (unsigned)kind;
	unsigned reactions = ui_point(s.ui, &s.subject, at);
	ui_draw(s.ui, story_told(&s.subject), s.canvas);
	return reactions;
}

/* Press and release the button. */
static void click(int row, int col)
{
	point(UI_POINTER_PRESS, row, col);
	point(UI_POINTER_RELEASE, row, col);
}

/* Find a text of ASCII on the screen, from a row on. */
static void find(const char *text, int from, int *row, int *col)
{
	int len = (int)strlen(text);

	ui_draw(s.ui, story_told(&s.subject), s.canvas);
	for (*row = from; *row < canvas_rows(s.canvas); ++*row)
		for (*col = 0; *col + len <= canvas_cols(s.canvas); ++*col) {
			int i = 0;
			while (
			    i < len && canvas_row(s.canvas, *row)[*col + i].text[0] == (unsigned char)text[i])
				i++;
			if (i == len)
				return;
		}
	TEST_FAIL("no %s:\n%s", text, stage_screen(&s));
}

static void click_on(const char *text, int from)
{
	int row, col;

	find(text, from, &row, &col);
	click(row, col);
}

/* The style under the begin of a text. */
static enum style style_of(const char *text, int from)
{
	int row, col;

	find(text, from, &row, &col);
	return (enum style)canvas_row(s.canvas, row)[col].style;
}

/* The slowest requests and the longest pauses, where panes leave room: keys lead there and back, and open the moment of one. */
TEST(slots_are_opened)
{
	int row, col, pauses;

	stage_init(&s, 3, 40, 120);
	find("slowest requests", 4, &row, &col);
	CHECK_INT(style_of("slowest requests", 4), STYLE_TITLE);
	stage_type(&s, "↓→→");
	CHECK_INT(style_of("slowest requests", 4), STYLE_FOCUS);
	CHECK_INT(canvas_row(s.canvas, row + 1)[col].style, STYLE_SELECTED);
	stage_type(&s, "↓");
	CHECK_INT(canvas_row(s.canvas, row + 3)[col].style, STYLE_SELECTED);
	/* What y copies is what is marked. */
	stage_type(&s, "y");
	CHECK(s.ui->copied[0] == '\0' && s.ui->copied_area.row == row + 3 && s.ui->copied_area.rows == 2);
	stage_type(&s, "\n");
	CHECK(s.ui->frozen_range.opened && s.ui->frozen_range.mark.on);
	CHECK(strstr(s.ui->frozen_range.mark.text, "http.request ") != NULL);
	/* Back it is where it was, and the picture runs again. */
	stage_type(&s, "⎋");
	CHECK(!s.ui->frozen_range.opened && !s.ui->frozen);
	CHECK_INT(canvas_row(s.canvas, row + 3)[col].style, STYLE_SELECTED);
	stage_type(&s, "↑↑");
	CHECK_INT(style_of("slowest requests", 4), STYLE_TITLE);
	/* By the mouse: a click picks, one on what is picked opens. */
	click(row + 3, col + 2);
	CHECK_INT(canvas_row(s.canvas, row + 3)[col].style, STYLE_SELECTED);
	CHECK(!s.ui->frozen_range.opened);
	click(row + 3, col + 2);
	CHECK(s.ui->frozen_range.opened);
	stage_type(&s, "⎋");
	/* Once slower ones have pushed out what was picked, what is marked is what opens. */
	static const struct rtev_user_event slow = {.id = 90, .generation = 1, .name_len = 4, .name = "slow"};
	for (uint64_t i = 0; i < 9; i++) {
		const uint64_t begin = STORY_END + i * 2000 * STORY_MS;
		s.calls.user_span(watch_model(s.watch), 0, begin, &slow, true);
		s.calls.user_span(watch_model(s.watch), 0, begin + (900 + i) * STORY_MS, &slow, false);
	}
	s.subject.now = STORY_END + 20000 * STORY_MS;
	find("slow ", row, &row, &col);
	stage_type(&s, "\n");
	CHECK(strstr(s.ui->frozen_range.mark.text, "slow ") != NULL);
	stage_type(&s, "⎋");
	click_on("D1", 4);
	CHECK_INT(style_of("slowest requests", 4), STYLE_TITLE);
	stage_fini(&s);
	/* One domain leaves room for both lists. */
	stage_init(&s, 1, 40, 120);
	find("longest pauses", 4, &row, &pauses);
	stage_type(&s, "↓→");
	CHECK_INT(style_of("longest pauses", 4), STYLE_FOCUS);
	stage_type(&s, "\n");
	CHECK(s.ui->frozen_range.opened && strstr(s.ui->frozen_range.mark.text, "http") == NULL);
	stage_fini(&s);
}

/* Where a list has room for its explanations, each row says as much of its own as fits behind the column of names, at every width. */
TEST(slots_explain_themselves_at_every_width)
{
	static const struct rtev_user_event slow = {
	    .id = 90, .generation = 1, .name_len = 30, .name = "reports.of_the_last_full_month"};
	static const char sentence[] = "its own code: its thread ran 900ms of 1.00s around it";

	for (int cols = 164; cols <= 240; cols++) {
		stage_init(&s, 2, 60, cols);
		s.calls.user_span(watch_model(s.watch), 0, STORY_END, &slow, true);
		s.calls.user_span(watch_model(s.watch), 0, STORY_END + 70 * STORY_MS, &slow, false);
		s.subject.now = STORY_END + 100 * STORY_MS;
		int row, col, from;
		find("http.request   ", 10, &row, &from);
		find("http.request D0 ", 40, &row, &from);
		find("likely: its own code", row, &row, &col);
		/* Frame and blank at its end. */
		const int room = cols / 2 - 2 - col - 8;
		CHECK(strncmp(sentence, "its own code", 12) == 0 && room >= 12);
		CHECK(stage_shows(&s, sentence) == (room >= (int)strlen(sentence)));
		stage_fini(&s);
	}
}

TEST(rows_are_selected_then_opened)
{
	stage_init(&s, 3, 40, 120);
	stage_type(&s, "2");
	click_on("D2", 4);
	CHECK_INT(style_of("D2", 4), STYLE_SELECTED);
	CHECK_INT(s.ui->view, VIEW_DOMAINS);
	click_on("D2", 4);
	CHECK(s.ui->view == VIEW_PANES && s.ui->zoomed && s.ui->chosen_domain == 2);
	/* Below the last line there is nothing. */
	stage_type(&s, "2");
	click(30, 5);
	CHECK_INT(s.ui->view, VIEW_DOMAINS);
	/* Two tables in a view: the cursor is in the one that was clicked. */
	stage_type(&s, "6");
	click_on("D2", 4);
	CHECK(!stops_own(s.ui)->on && s.ui->view == VIEW_STW);
	int row, col;
	find("before now", 5, &row, &col);
	click(row + 2, col + 4);
	CHECK(stops_own(s.ui)->on && stops_own(s.ui)->place.list.selected == 1);
	click(row + 2, col + 4);
	CHECK(s.ui->frozen_range.opened && s.ui->frozen_range.mark.on);
	click_on("Esc back", 5);
	CHECK(!s.ui->frozen_range.opened && s.ui->view == VIEW_STW);
	/* The wheel scrolls the list under it. */
	find("D2", 4, &row, &col);
	struct ui_pointer wheel = {.kind = UI_POINTER_WHEEL_UP, .row = row, .col = col};
	ui_point(s.ui, &s.subject, wheel);
	CHECK(!stops_own(s.ui)->on);
	find("before now", 5, &row, &col);
	wheel = (struct ui_pointer){.kind = UI_POINTER_WHEEL_DOWN, .row = row + 2, .col = col};
	ui_point(s.ui, &s.subject, wheel);
	CHECK(stops_own(s.ui)->on && stops_own(s.ui)->place.list.selected > 1);
	stage_fini(&s);
}

TEST(tabs_show_their_views)
{
	stage_init(&s, 3, 40, 120);
	click_on("5 pauses", 0);
	CHECK_INT(s.ui->view, VIEW_PAUSES);
	click_on("0 trend", 0);
	CHECK_INT(s.ui->view, VIEW_TREND);
	/* What was drawn is of another view: before the next drawing there is nothing to point at. */
	struct ui_pointer at = {.kind = UI_POINTER_PRESS, .row = 20, .col = 60};
	ui_press(s.ui, &s.subject, '2');
	ui_point(s.ui, &s.subject, at);
	CHECK(s.ui->view == VIEW_DOMAINS && !s.ui->mark.pressed);
	stage_fini(&s);
}

/* The sentence of the header, its figures and the keys of the footer are in the place of their keys. */
TEST(what_names_a_key_is_one)
{
	stage_init(&s, 3, 30, 160);
	click_on("LONG PAUSES", 0);
	CHECK_INT(s.ui->view, VIEW_PAUSES);
	click_on("heap ", 0);
	CHECK_INT(s.ui->view, VIEW_MEMORY);
	click_on("lost ", 0);
	CHECK_INT(s.ui->view, VIEW_LOG);
	click_on("a findings", canvas_rows(s.canvas) - 1);
	CHECK_INT(s.ui->view, VIEW_FINDINGS);
	click_on("freeze", canvas_rows(s.canvas) - 1);
	CHECK(s.ui->frozen);
	stage_fini(&s);
}

TEST(heads_sort)
{
	stage_init(&s, 3, 40, 120);
	stage_type(&s, "2");
	click_on("max", 5);
	const struct view_place *place = &s.ui->places[VIEW_DOMAINS];
	int by_max = place->sort;
	CHECK(by_max >= 0 && !place->ascending);
	click_on("max", 5);
	CHECK(place->sort == by_max && place->ascending);
	click_on("p50", 5);
	CHECK(place->sort != by_max && !place->ascending);
	/* The list of stops has an order of its own. */
	stage_type(&s, "6");
	const struct view_place before = stops_own(s.ui)->place;
	int row, col;
	find("before now", 5, &row, &col);
	click(row, col);
	CHECK(stops_own(s.ui)->place.sort == before.sort && !s.ui->menu.on);
	stage_fini(&s);
}

TEST(panes_are_selected_then_opened)
{
	stage_init(&s, 3, 40, 120);
	int row, col;
	find(" D1 ", 2, &row, &col);
	click(row + 4, col + 5);
	CHECK(s.ui->chosen_domain == 1 && !s.ui->zoomed);
	click(row + 4, col + 5);
	CHECK(s.ui->chosen_domain == 1 && s.ui->zoomed);
	stage_fini(&s);
}

/* A drag over a time axis marks what is under it; Enter opens that, Esc from there leads back. */
TEST(a_drag_marks_time)
{
	stage_init(&s, 2, 40, 120);
	stage_type(&s, "t");
	const struct spot *axis = NULL;
	for (int i = 0; i < s.ui->spot_count && axis == NULL; i++)
		axis = s.ui->spots[i].kind == SPOT_TIME ? &s.ui->spots[i] : NULL;
	CHECK(axis != NULL);
	uint64_t t0 = axis->t0, width = axis->width;
	int row = axis->area.row, col = axis->area.col;
	point(UI_POINTER_PRESS, row, col + 20);
	point(UI_POINTER_DRAG, row, col + 12);
	point(UI_POINTER_DRAG, row + 1, col + 10);
	point(UI_POINTER_RELEASE, row + 1, col + 10);
	CHECK(s.ui->mark.on && !s.ui->zoomed && !s.ui->frozen);
	CHECK_INT(s.ui->mark.from, t0 + 10 * width);
	CHECK_INT(s.ui->mark.to, t0 + 20 * width + width);
	CHECK_INT(canvas_row(s.canvas, row)[col + 10].style, STYLE_SELECTED);
	CHECK_INT(canvas_row(s.canvas, row)[col + 20].style, STYLE_SELECTED);
	CHECK(canvas_row(s.canvas, row)[col + 9].style != STYLE_SELECTED);
	CHECK(canvas_row(s.canvas, row)[col + 21].style != STYLE_SELECTED);
	CHECK(stage_shows(&s, "marked: Enter opens it"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(!s.ui->mark.on);
	point(UI_POINTER_PRESS, row, col + 10);
	point(UI_POINTER_DRAG, row, col + 500);
	point(UI_POINTER_RELEASE, row, col + 500);
	/* Nothing of it is later than now. */
	CHECK_INT(s.ui->mark.to, s.subject.now);
	uint64_t from = s.ui->mark.from, to = s.ui->mark.to;
	stage_key(&s, UI_KEY_ENTER);
	CHECK(s.ui->frozen && s.ui->frozen_range.opened && !s.ui->mark.on);
	CHECK(s.ui->frozen_range.mark.from == from && s.ui->frozen_range.mark.to == to);
	CHECK(stage_shows(&s, "marked"));
	/* A span is marked in the moment, too, and Esc leads to where the first was opened. */
	axis = NULL;
	for (int i = 0; i < s.ui->spot_count; i++)
		axis = s.ui->spots[i].kind == SPOT_TIME ? &s.ui->spots[i] : axis;
	CHECK(axis != NULL);
	t0 = axis->t0;
	width = axis->width;
	col = axis->area.col;
	row = axis->area.row;
	point(UI_POINTER_PRESS, row, col + 5);
	point(UI_POINTER_DRAG, row, col + 15);
	point(UI_POINTER_RELEASE, row, col + 15);
	stage_key(&s, UI_KEY_ENTER);
	CHECK_INT(s.ui->frozen_range.mark.from, t0 + 5 * width);
	CHECK_INT(s.ui->frozen_range.mark.to, t0 + 16 * width);
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(!s.ui->frozen && s.ui->view == VIEW_PANES);
	stage_fini(&s);
}

/* The wheel zooms along a time axis that stands still, and what is under the pointer stays there. */
TEST(the_wheel_zooms_at_the_pointer)
{
	stage_init(&s, 2, 40, 120);
	stage_type(&s, " ");
	stage_type(&s, "t");
	const struct spot *axis = ui_spot_of(s.ui, SPOT_TIME, 0);
	CHECK(axis != NULL && s.ui->frozen_range.opened);
	int row = axis->area.row, col = axis->area.col + axis->area.cols / 3;
	uint64_t span = s.ui->frozen_range.span,
		 stamp = axis->t0 + (uint64_t)(axis->area.cols / 3) * axis->width;
	for (int i = 0; i < 3; i++)
		point(UI_POINTER_WHEEL_UP, row, col);
	CHECK(s.ui->frozen_range.span < span / 4);
	axis = ui_spot_of(s.ui, SPOT_TIME, 0);
	uint64_t now = axis->t0 + (uint64_t)(axis->area.cols / 3) * axis->width;
	CHECK((now > stamp ? now - stamp : stamp - now) < span / 40);
	for (int i = 0; i < 3; i++)
		point(UI_POINTER_WHEEL_DOWN, row, col);
	CHECK_INT(s.ui->frozen_range.span, span);
	stage_type(&s, "0");
	axis = ui_spot_of(s.ui, SPOT_TIME, 0);
	CHECK(axis != NULL && trend_own(s.ui)->span == 0);
	point(UI_POINTER_WHEEL_DOWN, axis->area.row, axis->area.col + 3);
	CHECK_INT(trend_own(s.ui)->span, 1);
	point(UI_POINTER_WHEEL_UP, axis->area.row, axis->area.col + 3);
	CHECK_INT(trend_own(s.ui)->span, 0);
	click(axis->area.row, axis->area.col + 3);
	CHECK(trend_own(s.ui)->cursor / axis->width == (axis->t0 + 3 * axis->width) / axis->width);
	/* Little is known: a column takes several cells, each of which selects it. */
	const struct columns columns = trend_columns_of(&s.subject, 0, trend_own(s.ui)->cols);
	CHECK(columns.cells > 1 && axis->area.cols == columns.count * columns.cells);
	/* The last one is selected already, and would be opened. */
	for (int i = 0; i + 1 < axis->area.cols; i++) {
		click(axis->area.row, axis->area.col + i);
		CHECK_INT(trend_column_chosen(trend_own(s.ui), &columns), i / columns.cells);
		trend_own(s.ui)->cursor = 0;
	}
	stage_fini(&s);
}

TEST(the_wheel_moves_elsewhere)
{
	stage_init(&s, 2, 40, 120);
	stage_type(&s, "3");
	point(UI_POINTER_WHEEL_DOWN, 20, 20);
	CHECK_INT(s.ui->places[VIEW_PHASES].list.selected, 3);
	point(UI_POINTER_WHEEL_UP, 20, 20);
	CHECK_INT(s.ui->places[VIEW_PHASES].list.selected, 0);
	/* A help or a text that is typed is not pointed through. */
	stage_type(&s, "?");
	point(UI_POINTER_PRESS, 8, 3);
	CHECK(!s.ui->help && s.ui->places[VIEW_PHASES].list.selected == 0);
	stage_type(&s, "/");
	point(UI_POINTER_PRESS, 8, 3);
	point(UI_POINTER_WHEEL_DOWN, 8, 3);
	CHECK_INT(s.ui->places[VIEW_PHASES].list.selected, 0);
	stage_fini(&s);
}

TEST(the_menu_sorts)
{
	stage_init(&s, 3, 40, 120);
	stage_type(&s, "2");
	const struct view_place *place = &s.ui->places[VIEW_DOMAINS];
	stage_key(&s, UI_KEY_F6);
	CHECK(s.ui->menu.on && stage_shows(&s, "sort by"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(!s.ui->menu.on && place->sort < 0);
	/* It begins at the column in use, and lists those that are shown. */
	stage_key(&s, UI_KEY_F6);
	stage_type(&s, "↓↓\n");
	CHECK(!s.ui->menu.on && place->sort == 2 && !place->ascending);
	stage_key(&s, UI_KEY_F6);
	CHECK_INT(s.ui->menu.columns[s.ui->menu.list.selected], 2);
	stage_key(&s, UI_KEY_F6);
	CHECK(!s.ui->menu.on && place->sort == 2);
	/* By the mouse; beside it, it goes. */
	stage_key(&s, UI_KEY_F6);
	click_on("domain", 5);
	CHECK(!s.ui->menu.on && place->sort == 0);
	stage_key(&s, UI_KEY_F6);
	point(UI_POINTER_PRESS, 20, 60);
	CHECK(!s.ui->menu.on && place->sort == 0);
	/* Where it does not fit it scrolls. */
	CHECK(canvas_resize(s.canvas, 9, 40));
	stage_key(&s, UI_KEY_F6);
	stage_key(&s, UI_KEY_END);
	int last = s.ui->menu.columns[s.ui->menu.count - 1];
	CHECK(stage_shows(&s, s.ui->menu.titles[s.ui->menu.count - 1]));
	stage_key(&s, UI_KEY_ENTER);
	CHECK_INT(place->sort, last);
	/* A page has columns of its own. */
	CHECK(canvas_resize(s.canvas, 40, 120));
	stage_type(&s, "3\n");
	CHECK(span_page_of(s.ui)->on);
	stage_key(&s, UI_KEY_F6);
	CHECK(s.ui->menu.on && strcmp(s.ui->menu.titles[0], "duration") == 0);
	stage_fini(&s);
}

/* Copy and check what it is. */
static void check_copied(const char *begin, const char *part)
{
	stage_type(&s, "y");
	CHECK_INT(ui_asked(s.ui), ACTION_COPY);
	char *text = ui_copied(s.ui, s.canvas);
	CHECK(text != NULL);
	if (strncmp(text, begin, strlen(begin)) != 0 || strstr(text, part) == NULL)
		TEST_FAIL("copied \"%s\", expected \"%s\" and \"%s\"", text, begin, part);
	for (const char *at = text; *at != '\0'; at++)
		CHECK((unsigned char)*at >= ' ' || *at == '\n');
	free(text);
}

TEST(what_is_selected_is_copied)
{
	stage_init(&s, 3, 40, 120);
	stage_type(&s, "2↓");
	check_copied("D1  major_slice  R   87%", "70.0k");
	stage_type(&s, "6↓↓↓");
	CHECK(stops_own(s.ui)->on);
	stage_type(&s, "y");
	CHECK_INT(ui_asked(s.ui), ACTION_COPY);
	CHECK(strstr(s.ui->copied, "minor") != NULL);
	/* A custom event's payload is any bytes. */
	stage_type(&s, "4");
	for (int i = 0; i < STORY_NAMES; i++) {
		check_copied("", "  ");
		stage_type(&s, "↓");
	}
	stage_type(&s, "a");
	check_copied("", " Try: ");
	stage_type(&s, "1");
	check_copied("\u256d D0 ", "http.request");
	stage_type(&s, "3\n");
	check_copied("", "duration");
	stage_type(&s, "7");
	check_copied("", "\n");
	stage_fini(&s);
}

/* Anywhere on any screen, with anything, as a hostile terminal would have it. */
TEST(nothing_breaks_it)
{
	static const int sizes[][2] = {{1, 1}, {5, 20}, {8, 30}, {24, 80}, {60, 200}};
	static const char keys[] = "1234567890a t?tz";
	uint64_t seed = 12345;

	stage_init(&s, 5, 24, 80);
	for (int round = 0; round < 4000; round++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		unsigned r = (unsigned)(seed >> 33);
		if (round % 40 == 0)
			CHECK(canvas_resize(s.canvas, sizes[r % 5][0], sizes[r % 5][1]));
		if (r % 7 == 0)
			stage_key(&s, r % 21 == 0 ? UI_KEY_F6 : (ui_key)keys[r / 21 % (sizeof(keys) - 1)]);
		point((int)(r / 8 % 5), (int)(r / 64 % 70), (int)(r / 8192 % 210));
		while (ui_asked(s.ui) != ACTION_NONE)
			;
	}
	stage_fini(&s);
}
