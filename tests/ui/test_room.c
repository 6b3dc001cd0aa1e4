/*
 * test_room.c - no row of the panes is blank where something could stand, at many sizes of the screen.
 */
#include "support/test.h"

#include "ui/view.h"
#include "ui/views/span_page.h"
#include "support/ui_story.h"

/* Rows of a canvas without a character other than blanks and the sides of boxes. */
static int blank_rows(const struct canvas *canvas)
{
	int blank = 0;

	for (int row = 0; row < canvas_rows(canvas); row++) {
		const struct canvas_cell *cells = canvas_row(canvas, row);
		bool any = false;
		for (int col = 0; col < canvas_cols(canvas) && !any; col++)
			any = cells[col].columns > 0 && cells[col].text[0] != ' ' &&
			      cells[col].text[0] != 0 && cells[col].text[0] != 0x2502;
		blank += !any;
	}
	return blank;
}

/* Panes of so many domains, or the page about one, at every size from 80x24 to 300x100. */
static void check(unsigned domains, bool zoomed)
{
	struct stage s = stage_begin(domains, 24, 80);
	if (zoomed)
		stage_key(&s, 'z');
	for (int rows = 24; rows <= 100; rows += 1 + (rows > 40) * 6) {
		for (int cols = 80; cols <= 300; cols += 11) {
			CHECK(canvas_resize(s.canvas, rows, cols));
			/* A drawing takes note of the rows that the bars need, which the next one goes by. */
			for (int i = 0; i < 4; i++)
				ui_draw(s.ui, story_told(&s.subject), s.canvas);
			int blank = blank_rows(s.canvas);
			/* Panes are equal, and their sections line up: a domain without user events, or without a
			 * histogram of allocations, leaves the rows blank that its neighbours have. */
			if (blank > (domains == 1 || zoomed ? 0 : 6 * (int)domains))
				TEST_FAIL("%u domains%s, %dx%d: %d rows are blank:\n%s", domains,
				    zoomed ? ", zoomed" : "", cols, rows, blank, canvas_dump(s.canvas));
		}
	}
	stage_fini(&s);
}

TEST(test_panes)
{
	static const unsigned domains[] = {1, 2, 3, 8, 16};

	for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++)
		check(domains[i], false);
}

TEST(test_zoomed)
{
	check(1, true);
	check(4, true);
}

/* The pages of a span and of a phase. */
TEST(test_pages)
{
	for (int page = 0; page < 2; page++) {
		struct stage s = stage_begin(2, 24, 80);
		stage_key(&s, page == 0 ? '4' : '3');
		stage_key(&s, UI_KEY_HOME);
		stage_key(&s, UI_KEY_ENTER);
		CHECK(span_page_of(s.ui)->on);
		for (int rows = 24; rows <= 100; rows += 4)
			for (int cols = 80; cols <= 300; cols += 20) {
				CHECK(canvas_resize(s.canvas, rows, cols));
				ui_draw(s.ui, story_told(&s.subject), s.canvas);
				if (blank_rows(s.canvas) > 0)
					TEST_FAIL(
					    "page %d, %dx%d:\n%s", page, cols, rows, canvas_dump(s.canvas));
			}
		stage_fini(&s);
	}
}

/* The tables of user events and of memory: what they leave is used. */
TEST(test_below_tables)
{
	static const int sizes[][2] = {{40, 120}, {60, 200}, {100, 300}};

	for (int size = 0; size < 3; size++)
		for (int view = 0; view < 2; view++) {
			struct stage s = stage_begin(2, sizes[size][0], sizes[size][1]);
			stage_key(&s, view == 0 ? '4' : '7');
			for (int down = 0; down < 5; down++) {
				ui_draw(s.ui, story_told(&s.subject), s.canvas);
				int blank = blank_rows(s.canvas);
				if (blank > 8)
					TEST_FAIL("view %c, %dx%d: %d rows are blank:\n%s",
					    view == 0 ? '4' : '7', sizes[size][1], sizes[size][0], blank,
					    canvas_dump(s.canvas));
				stage_key(&s, UI_KEY_DOWN);
			}
			stage_fini(&s);
		}
}
