/*
 * test_canvas.c - the cell buffer: clipping, wide characters, dumps.
 */
#include "support/test.h"
#include "canvas/text.h"

#include <limits.h>

#include "canvas/canvas.h"
#include "ui/widgets/line.h"
#include "ui/widgets/table.h"

/* Compare the whole canvas with a text. */
static void check_screen(const struct canvas *canvas, const char *expected)
{
	char *text = canvas_dump(canvas);
	CHECK_STR(text, expected);
	free(text);
}

/* Check that wide characters are whole everywhere and that no cell holds a control character. */
static void check_invariants(const struct canvas *canvas)
{
	for (int row = 0; row < canvas_rows(canvas); row++) {
		const struct canvas_cell *cells = canvas_row(canvas, row);
		for (int col = 0; col < canvas_cols(canvas); col++) {
			CHECK(cells[col].columns <= 2);
			if (cells[col].columns == 2)
				CHECK(col + 1 < canvas_cols(canvas) && cells[col + 1].columns == 0);
			if (cells[col].columns == 0)
				CHECK(col > 0 && cells[col - 1].columns == 2 && cells[col].text[0] == 0);
			else
				CHECK(cells[col].text[0] >= 0x20 &&
				      (cells[col].text[0] < 0x7f || cells[col].text[0] > 0x9f));
		}
	}
}

TEST(test_put)
{
	struct canvas *c = canvas_create(3, 10);
	CHECK_INT(canvas_put(c, 0, 0, STYLE_TITLE, "abc"), 3);
	CHECK_INT(canvas_put(c, 1, 8, STYLE_TEXT, "xyz"), 10);
	CHECK_INT(canvas_put(c, 2, -2, STYLE_TEXT, "12345"), 3);
	CHECK_INT(canvas_put(c, -1, 0, STYLE_TEXT, "no"), 2);
	CHECK_INT(canvas_put(c, 3, 0, STYLE_TEXT, "no"), 2);
	CHECK_INT(canvas_put(c, 0, 20, STYLE_TEXT, "no"), 10);
	CHECK_INT(canvas_printf(c, 0, 4, STYLE_VALUE, "%d%%", 42), 7);
	check_screen(c, "abc 42%\n        xy\n345\n");
	CHECK_INT(canvas_row(c, 0)[0].style, STYLE_TITLE);
	CHECK_INT(canvas_row(c, 0)[4].style, STYLE_VALUE);
	CHECK(canvas_row(c, 3) == NULL && canvas_row(c, -1) == NULL);
	canvas_put_bytes(c, 1, 0, STYLE_TEXT, "a\0b", 3);
	canvas_put(c, 2, 0, STYLE_TEXT, "\033[31mred");
	check_screen(c, "abc 42%\na�b     xy\n�[31mred\n");
	check_invariants(c);
	canvas_destroy(c);
}

TEST(test_wide)
{
	struct canvas *c = canvas_create(2, 6);
	CHECK_INT(canvas_put(c, 0, 0, STYLE_TEXT, "日本語"), 6);
	CHECK_INT(canvas_put(c, 1, 1, STYLE_TEXT, "日本語"), 6);
	check_screen(c, "日本語\n 日本\n");
	check_invariants(c);
	/* Each half drawn over blanks the other. */
	canvas_put(c, 0, 1, STYLE_TEXT, "x");
	canvas_put(c, 0, 2, STYLE_TEXT, "y");
	canvas_put(c, 1, -1, STYLE_TEXT, "日");
	check_screen(c, " xy 語\n 日本\n");
	check_invariants(c);
	canvas_put(c, 0, 3, STYLE_TEXT, "語");
	check_screen(c, " xy語\n 日本\n");
	check_invariants(c);
	canvas_set_look(c, GLYPHS_ASCII, false);
	CHECK_INT(canvas_put(c, 0, 0, STYLE_TEXT, "日本語"), 3);
	check_screen(c, "???語\n 日本\n");
	canvas_destroy(c);
}

TEST(test_combining)
{
	struct canvas *c = canvas_create(1, 8);
	/* Two marks are kept, a third is not; one without a letter does not join its neighbour. */
	canvas_put(c, 0, 0, STYLE_TEXT, "e\u0301\u0302\u0303x");
	canvas_put(c, 0, 2, STYLE_TEXT, "\u0301y");
	check_screen(c, "e\u0301\u0302x�y\n");
	check_invariants(c);
	canvas_put(c, 0, 7, STYLE_TEXT, "ab\u0301");
	CHECK_INT(canvas_row(c, 0)[7].text[1], 0);
	canvas_destroy(c);
}

TEST(test_clip)
{
	struct canvas *c = canvas_create(4, 8);
	struct rect old = canvas_clip(c, rect_make(1, 2, 2, 4));
	canvas_fill(c, rect_make(-5, -5, 100, 100), STYLE_BAR, '#');
	struct rect outer = canvas_clip(c, rect_make(0, 0, 2, 3));
	canvas_fill(c, rect_make(0, 0, 10, 10), STYLE_BAR, '.');
	canvas_unclip(c, outer);
	canvas_put(c, 2, 0, STYLE_TEXT, "日本語日本");
	check_screen(c, "\n  .###\n  本語\n\n");
	canvas_clip(c, rect_make(0, 0, 0, 0));
	canvas_put(c, 1, 2, STYLE_TEXT, "nothing");
	canvas_box(c, rect_make(0, 0, 4, 8), STYLE_BORDER);
	canvas_unclip(c, old);
	check_screen(c, "\n  .###\n  本語\n\n");
	/* A clip that cuts wide characters in half leaves blanks. */
	canvas_clip(c, rect_make(3, 1, 1, 4));
	canvas_put(c, 3, 0, STYLE_TEXT, "日本語");
	canvas_unclip(c, old);
	check_screen(c, "\n  .###\n  本語\n  本\n");
	check_invariants(c);
	canvas_destroy(c);
}

TEST(test_fit)
{
	struct canvas *c = canvas_create(6, 10);
	canvas_fill(c, canvas_bounds(c), STYLE_TEXT, '.');
	canvas_put_fit(c, rect_make(0, 1, 1, 6), ALIGN_LEFT, STYLE_TEXT, "abc");
	canvas_put_fit(c, rect_make(1, 1, 1, 6), ALIGN_RIGHT, STYLE_TEXT, "abc");
	canvas_put_fit(c, rect_make(2, 1, 1, 6), ALIGN_CENTRE, STYLE_TEXT, "abc");
	canvas_put_fit(c, rect_make(3, 1, 1, 6), ALIGN_LEFT, STYLE_TEXT, "abcdefgh");
	canvas_put_fit(c, rect_make(4, 1, 1, 6), ALIGN_RIGHT, STYLE_TEXT, "日本語日");
	canvas_put_fit(c, rect_make(5, 1, 1, 1), ALIGN_LEFT, STYLE_TEXT, "abc");
	canvas_put_fit(c, rect_make(5, 3, 1, 0), ALIGN_LEFT, STYLE_TEXT, "abc");
	canvas_put_fit(c, rect_make(5, 5, 1, -3), ALIGN_LEFT, STYLE_TEXT, "abc");
	check_screen(c, ".abc   ...\n.   abc...\n. abc  ...\n.abcde…...\n.日本 …...\n.…........\n");
	canvas_destroy(c);
}

TEST(test_lines_and_boxes)
{
	struct canvas *c = canvas_create(4, 12);
	canvas_box(c, rect_make(0, 0, 4, 5), STYLE_BORDER);
	canvas_box(c, rect_make(0, 6, 1, 3), STYLE_BORDER);
	canvas_box(c, rect_make(0, 10, 3, 1), STYLE_BORDER);
	canvas_box(c, rect_make(2, 6, 2, 2), STYLE_BORDER);
	canvas_box(c, rect_make(0, 0, 0, 5), STYLE_BORDER);
	check_screen(c, "╭───╮ ─── │\n│   │     │\n│   │ ╭╮  │\n╰───╯ ╰╯\n");
	canvas_clear(c);
	canvas_set_look(c, GLYPHS_ASCII, true);
	canvas_box(c, rect_make(0, 0, 3, 4), STYLE_BORDER);
	canvas_char(c, 3, 0, STYLE_TEXT, 0x1b);
	canvas_char(c, 3, 1, STYLE_TEXT, 'x');
	canvas_fill(c, rect_make(3, 2, 1, 2), STYLE_TEXT, 0x3042);
	check_screen(c, "+--+\n|  |\n+--+\n?x??\n");
	canvas_destroy(c);
}

TEST(test_sizes)
{
	static const int sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {-3, -4}, {1, 2}};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct canvas *c = canvas_create(sizes[i][0], sizes[i][1]);
		canvas_put(c, 0, 0, STYLE_TEXT, "text 日本語");
		canvas_box(c, rect_make(-1, -1, 9, 9), STYLE_BORDER);
		canvas_box(c, rect_make(INT_MAX - 2, INT_MAX - 2, INT_MAX, INT_MAX), STYLE_BORDER);
		canvas_fill(c, rect_make(INT_MIN, INT_MIN, INT_MAX, INT_MAX), STYLE_TEXT, 'x');
		canvas_put_fit(c, rect_make(0, INT_MAX, 1, INT_MAX), ALIGN_LEFT, STYLE_TEXT, "x");
		canvas_put_fit(c, rect_make(0, INT_MIN, 1, INT_MAX), ALIGN_LEFT, STYLE_TEXT, "x");
		canvas_put(c, INT_MAX, INT_MAX, STYLE_TEXT, "x");
		canvas_put(c, INT_MIN, INT_MIN, STYLE_TEXT, "日本語");
		canvas_restyle(c, rect_make(-1, -1, INT_MAX, INT_MAX), STYLE_BAD);
		check_invariants(c);
		canvas_destroy(c);
	}
	struct canvas *c = canvas_create(1 << 30, 3);
	CHECK_INT(canvas_rows(c), CANVAS_ROWS_MAX);
	CHECK(canvas_resize(c, 2, 2));
	CHECK_INT(canvas_rows(c), 2);
	check_screen(c, "\n\n");
	canvas_destroy(c);
	canvas_destroy(NULL);
}

/* Tell whether two canvases have the same size, text and styles. */
static bool same(const struct canvas *a, const struct canvas *b)
{
	if (canvas_rows(a) != canvas_rows(b) || canvas_cols(a) != canvas_cols(b))
		return false;
	for (int row = 0; row < canvas_rows(a); row++)
		if (memcmp(canvas_row(a, row), canvas_row(b, row),
			(size_t)canvas_cols(a) * sizeof(struct canvas_cell)) != 0)
			return false;
	return true;
}

TEST(test_copy)
{
	struct canvas *a = canvas_create(2, 5), *b = canvas_create(0, 0);
	canvas_put(a, 0, 0, STYLE_GOOD, "日x");
	CHECK(!same(a, b));
	canvas_set_look(a, GLYPHS_LINES, false);
	CHECK(canvas_copy(b, a));
	CHECK(same(a, b));
	CHECK_INT(canvas_level(b), GLYPHS_LINES);
	CHECK(!canvas_colour(b));
	canvas_restyle(b, rect_make(0, 2, 1, 1), STYLE_BAD);
	CHECK(!same(a, b));
	CHECK(canvas_copy(a, a));
	canvas_destroy(a);
	canvas_destroy(b);
}

/* Random drawing never breaks a row. */
TEST(test_random)
{
	static const char *const texts[] = {
	    "日本語", "a\u0301b", "plain", "\033[m", "\xff\xfe", "x日", "\u200d", "😀"};
	struct canvas *c = canvas_create(6, 17);
	uint32_t seed = 12345;
	for (int i = 0; i < 20000; i++) {
		int r[5];
		for (int j = 0; j < 5; j++) {
			seed = seed * 1664525u + 1013904223u;
			r[j] = (int)(seed >> 24);
		}
		struct rect area = rect_make(r[0] % 10 - 2, r[1] % 24 - 3, r[2] % 8, r[3] % 20);
		struct rect old = canvas_clip(c, rect_make(r[3] % 4, r[2] % 9, r[1] % 8, r[0] % 18));
		switch (r[4] % 6) {
		case 0:
			canvas_put(c, area.row, area.col, STYLE_TEXT, texts[r[3] % 8]);
			break;
		case 1:
			canvas_put_fit(c, area, ALIGN_CENTRE, STYLE_TEXT, texts[r[2] % 8]);
			break;
		case 2:
			canvas_fill(c, area, STYLE_TEXT, (uint32_t)(r[0] * 70));
			break;
		case 3:
			canvas_box(c, area, STYLE_TEXT);
			break;
		case 4:
			canvas_char(c, area.row, area.col, STYLE_TEXT, (uint32_t)(r[2] * r[3]));
			break;
		default:
			canvas_glyph(
			    c, area.row, area.col, STYLE_TEXT, (enum glyph)(r[3] % (GLYPH_COUNT + 2)));
			break;
		}
		canvas_unclip(c, old);
		check_invariants(c);
	}
	canvas_destroy(c);
}

TEST(test_line)
{
	struct line_item items[] = {
	    line_labelled("one", "1", 0),
	    line_labelled("two", NULL, 2),
	    line_labelled("three", "3", 1),
	    line_labelled("", NULL, 1),
	    {.value = "end", .value_style = STYLE_VALUE, .rank = 3, .right = true},
	};
	struct canvas *c = canvas_create(7, 26);
	CHECK_INT(line_draw(c, rect_make(0, 0, 1, 26), 2, items, 5), 19);
	line_draw(c, rect_make(1, 0, 1, 22), 2, items, 5);
	line_draw(c, rect_make(2, 0, 1, 17), 2, items, 5);
	line_draw(c, rect_make(3, 0, 1, 8), 2, items, 5);
	line_draw(c, rect_make(4, 0, 1, 3), 2, items, 5);
	line_draw(c, rect_make(5, 0, 1, 0), 2, items, 5);
	canvas_fill(c, rect_make(6, 0, 1, 26), STYLE_TEXT, '=');
	items[0].label = "a label";
	items[4].rank = 0;
	line_draw(c, rect_make(6, 2, 1, 10), 2, items, 5);
	check_screen(c, "one 1  two  three 3    end\none 1  two  three 3\none 1  three 3\none 1\none\n\n= a "
			"labe end =============\n");
	canvas_destroy(c);
}

/* An item may become shorter before it goes. */
TEST(test_brief)
{
	struct line_item items[] = {line_labelled("GC", "69% = 31 + 38", 1), line_labelled("max", "3ms", 2),
	    line_labelled("heap", "16MB", 4)};
	struct canvas *c = canvas_create(5, 40);
	items[0].brief = "69%";
	items[0].brief_rank = 3;
	items[1].brief = "";
	for (int row = 0; row < 5; row++)
		line_draw(c, rect_make(row, 0, 1, (int[]){36, 35, 24, 14, 7}[row]), 2, items, 3);
	check_screen(c, "GC 69% = 31 + 38  max 3ms  heap 16MB\nGC 69% = 31 + 38  max 3ms\n"
			"GC 69%  max 3ms\nGC 69%\nGC 69%\n");
	canvas_destroy(c);
}

/* A character by itself is what a text of it is, at every level and at every edge. */
TEST(test_char)
{
	static const uint32_t ranges[][2] = {
	    {0, 0x400}, {0x2000, 0x2100}, {0x24f0, 0x2610}, {0x3160, 0x3170}, {0xfe00, 0xfe20}};
	struct canvas *a = canvas_create(1, 6), *b = canvas_create(1, 6);

	for (int level = 0; level < GLYPHS_COUNT; level++) {
		canvas_set_look(a, (enum glyph_level)level, true);
		canvas_set_look(b, (enum glyph_level)level, true);
		for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++) {
			for (uint32_t c = ranges[r][0]; c < ranges[r][1]; c++) {
				char text[5] = "";
				int col = (int)(c % 7) - 1;
				canvas_clear(a);
				canvas_clear(b);
				canvas_put_bytes(a, 0, 1, STYLE_TEXT, "\xe4\xb8\x80\xe4\xb8\x80", 6);
				canvas_put_bytes(b, 0, 1, STYLE_TEXT, "\xe4\xb8\x80\xe4\xb8\x80", 6);
				struct rect old_a = canvas_clip(a, rect_make(0, 0, 1, 5)),
					    old_b = canvas_clip(b, rect_make(0, 0, 1, 5));
				canvas_char(a, 0, col, STYLE_VALUE, c);
				canvas_put_bytes(b, 0, col, STYLE_VALUE, text, text_encode(c, text));
				canvas_unclip(a, old_a);
				canvas_unclip(b, old_b);
				char *left = canvas_dump(a), *right = canvas_dump(b);
				CHECK_STR(left, right);
				free(left);
				free(right);
			}
		}
	}
	canvas_destroy(a);
	canvas_destroy(b);
}

TEST(test_table)
{
	static const struct table_column columns[] = {
	    {"name", 6, 10, ALIGN_LEFT, 0, TABLE_GROWS},
	    {"count", 5, 6, ALIGN_RIGHT, 2, TABLE_FIXED},
	    {"max", 5, 5, ALIGN_RIGHT, 1, TABLE_FIXED},
	};
	static const struct table_cell cells[] = {
	    {"http.request.total", STYLE_TEXT}, {"12", STYLE_VALUE}, {NULL, STYLE_TEXT}};
	struct canvas *c = canvas_create(6, 30);
	struct table table;
	table_layout(&table, columns, 3, 30, 1);
	CHECK_INT(table.width[0], 17);
	CHECK_INT(table.width[1], 6);
	table_header(c, &table, 0, 0, 1, false);
	table_row(c, &table, 1, 0, cells);
	table_layout(&table, columns, 3, 13, 1);
	CHECK_INT(table.width[1], 0);
	table_header(c, &table, 2, 0, 0, true);
	table_row(c, &table, 3, 0, cells);
	table_layout(&table, columns, 3, 3, 1);
	table_row(c, &table, 4, 0, cells);
	table_layout(&table, columns, 3, 0, 1);
	table_row(c, &table, 5, 0, cells);
	check_screen(
	    c, "name              ▾count   max\nhttp.request.tot…     12\nname▴     max\nhttp.r…\nht…\n\n");
	/* Widths never add up to more than there is. */
	for (int width = 0; width < 200; width++) {
		table_layout(&table, columns, 3, width, 2);
		int end = 0;
		for (int i = 0; i < 3; i++) {
			struct rect cell = table_cell_rect(&table, 0, 0, i);
			CHECK(cell.cols == 0 || cell.col >= end);
			end = cell.cols > 0 ? cell.col + cell.cols : end;
		}
		CHECK(end <= width);
		CHECK(width == 0 || end == width);
	}
	canvas_destroy(c);
}

TEST(test_list)
{
	struct list list = {0, 0, 0, 0};
	list_update(&list, 0, 0);
	CHECK(!list_go(&list, LIST_DOWN) && !list_go(&list, LIST_END));
	list_update(&list, 100, 10);
	CHECK(list_go(&list, LIST_PAGE_DOWN));
	CHECK_INT(list.selected, 10);
	CHECK_INT(list.first, 1);
	CHECK(list_go(&list, LIST_END) && !list_go(&list, LIST_DOWN));
	CHECK_INT(list.first, 90);
	list_update(&list, 5, 10);
	CHECK_INT(list.selected, 4);
	CHECK_INT(list.first, 0);
	list_update(&list, INT_MAX, INT_MAX);
	list_go(&list, LIST_PAGE_DOWN);
	list_go(&list, LIST_PAGE_UP);
	list_update(&list, -4, -4);
	CHECK_INT(list.selected, 0);
	/* The selection is always in sight and no room is wasted. */
	uint32_t seed = 7;
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525u + 1013904223u;
		if (seed >> 28 == 0)
			list_update(&list, (int)(seed >> 8 & 31), (int)(seed >> 16 & 15));
		list_go(&list, (enum list_move)(seed >> 20 & 0xff) % (LIST_END + 1));
		CHECK(list.selected >= 0 && (list.selected < list.count || list.count == 0));
		CHECK(
		    list.first >= 0 && list.first <= list.selected && list.selected < list.first + list.page);
		CHECK(list.first == 0 || list.first + list.page <= list.count);
	}
}

/* A number and its unit are shown whole or not at all; other words are cut anywhere. */
TEST(test_numbers)
{
	static const struct {
		const char *text;
		int columns;
		size_t shown;
		bool number;
	} cases[] = {
	    {"took ≥12.3ms", 8, 5, true}, {"took ≥12.3ms", 12, 14, false}, {"(45% of it)", 3, 0, true},
	    {"(45% of it)", 4, 4, false}, {"on D107", 5, 3, true}, {"on D107", 7, 7, false},
	    {"on DX107", 5, 5, false}, {"on D", 3, 3, false}, {"~ -1 ±0.5", 4, 4, false},
	    {"~ -1 ±0.5", 6, 5, true}, {"+", 0, 0, false}, {"123456789012345678901234", 9, 0, true},
	    {"1234567890123456789012345", 9, 9, false}, /* too long for one */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool number;
		CHECK_INT(
		    text_cut(GLYPHS_BLOCKS, cases[i].text, strlen(cases[i].text), cases[i].columns, &number),
		    cases[i].shown);
		CHECK_INT(number, cases[i].number);
	}
}
