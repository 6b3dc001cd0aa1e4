/*
 * test_bars.c - the bars of phases: what they leave out, boxes that keep their places, words and the legend.
 */
#include "support/test.h"

#include "print/number.h"
#include "ui/widgets/bars.h"

/* Bars leave waits out unless they are of the wall clock, and are dim where there is next to
 * no collection. */
TEST(test_phase_bars)
{
	static const struct flame_bar bars[] = {
	    {.phase = RTEV_PHASE_MAJOR, .parent = FLAME_NONE, .total = 5000, .self = 5000},
	    {.phase = RTEV_PHASE_DOMAIN_CONDITION_WAIT,
		.parent = FLAME_NONE,
		.total = 990000,
		.self = 980000},
	    {.phase = RTEV_PHASE_STW_HANDLER, .parent = 1, .depth = 1, .total = 10000, .self = 10000}};
	const struct flame_view flame = {.bars = bars, .count = 3, .to = 1000000};
	struct canvas *c = canvas_create(3, 40);

	CHECK_NEAR(bars_idle(&flame), 0.99, 1e-9);
	bars_draw(c, canvas_bounds(c), &flame, false, NULL);
	char *text = canvas_dump(c);
	CHECK(strstr(text, " major 100% ─────") == text && strstr(text, "wait") == NULL);
	CHECK(strstr(text, "handler") == NULL);
	CHECK_INT(canvas_row(c, 0)[0].style, theme_class(RTEV_CLASS_MAJOR)->ink);
	free(text);
	canvas_clear(c);
	bars_draw(c, canvas_bounds(c), &flame, true, NULL);
	text = canvas_dump(c);
	CHECK(strstr(text, "condition wait 99%") != NULL && strstr(text, "─") == NULL);
	free(text);
	canvas_destroy(c);
}

/* Whether a row of the screen has something to see: a character, or a colour behind it. */
static bool row_shows(const struct canvas *c, enum theme_id theme)
{
	for (int col = 0; col < canvas_cols(c); col++) {
		const struct canvas_cell *cell = &canvas_row(c, 0)[col];
		const struct theme_look look = theme_look(theme, cell->style);
		if (cell->text[0] != ' ' || look.background >= 0 || (look.attributes & THEME_REVERSE) != 0)
			return true;
	}
	return false;
}

/* The bars of a domain with time in phases are never blank, whatever the phases, the width and the colours. */
TEST(test_bars_are_never_blank)
{
	enum { BARS = 6 };
	static const rtev_phase phases[] = {RTEV_PHASE_DOMAIN_CONDITION_WAIT, RTEV_PHASE_MINOR,
	    RTEV_PHASE_MAJOR, RTEV_PHASE_MINOR_FINALIZERS_OLDIFY, RTEV_PHASE_STW_LEADER, 9999, PATH_OTHER};
	struct flame_bar bars[BARS];
	struct canvas *c = canvas_create(1, 1);
	uint32_t seed = 1;

	for (int round = 0; round < 4000; round++) {
		size_t count = 1 + test_next(&seed) % BARS;
		struct flame_view flame = {.bars = bars, .count = count, .to = 1000000};
		for (size_t i = 0; i < count; i++) {
			/* From next to nothing to a sixth of the time. */
			uint64_t total = 1 + test_next(&seed) % (round % 2 == 0 ? 100 : 1000000 / BARS);
			bars[i] = (struct flame_bar){.phase = phases[test_next(&seed) % 7],
			    .parent = FLAME_NONE,
			    .total = total,
			    .self = total};
		}
		if (round % 8 == 0)
			bars[0].phase = RTEV_PHASE_DOMAIN_CONDITION_WAIT, flame.count = 1;
		CHECK(canvas_resize(c, 1, 1 + round % 60));
		for (int level = 0; level < GLYPHS_COUNT; level++)
			for (int t = 0; t < THEME_COUNT; t++) {
				canvas_set_look(c, (enum glyph_level)level, t != THEME_MONO);
				canvas_clear(c);
				bars_draw(c, canvas_bounds(c), &flame, round % 3 == 0, NULL);
				if (!row_shows(c, (enum theme_id)t) && (round % 3 != 0 || canvas_cols(c) > 8))
					TEST_FAIL("blank: round %d, %d columns, theme %d", round,
					    canvas_cols(c), t);
			}
	}
	canvas_destroy(c);
}

enum { WIDE = 80 };

/* A stretch of five seconds with three phases side by side, and one inside the first. */
static void draw_three(struct canvas *c, struct bars_memory *memory, uint64_t to, const uint64_t time[4])
{
	static const rtev_phase phases[] = {
	    RTEV_PHASE_MINOR, RTEV_PHASE_MINOR_REMEMBERED_SET, RTEV_PHASE_MAJOR_SLICE, RTEV_PHASE_STW_LEADER};
	struct flame_bar bars[4];
	size_t count = 0;

	for (size_t i = 0; i < 4; i++)
		if (time[i] > 0)
			bars[count++] = (struct flame_bar){.phase = phases[i],
			    .parent = i == 1 ? 0 : FLAME_NONE,
			    .depth = i == 1,
			    .total = time[i],
			    .self = time[i]};
	const struct flame_view flame = {.bars = bars, .count = count, .from = to - 5000000000u, .to = to};
	canvas_clear(c);
	bars_draw(c, canvas_bounds(c), &flame, false, memory);
}

/* The columns of row 0 and 1 at which another box begins. */
static int edges(const struct canvas *c, int out[2 * WIDE])
{
	int count = 0;

	for (int row = 0; row < 2; row++)
		for (int col = 1; col < WIDE; col++)
			if (canvas_row(c, row)[col].style != canvas_row(c, row)[col - 1].style ||
			    canvas_row(c, row)[col].text[0] == theme_glyph(GLYPHS_BLOCKS, GLYPH_DIVIDER))
				out[count++] = row * WIDE + col;
	return count;
}

/* Of shares that sway for a minute, the edges move at six times at most, all of them at once or none. */
TEST(test_boxes_keep_their_places)
{
	struct canvas *c = canvas_create(2, WIDE);
	struct bars_memory memory = {0};
	int before[2 * WIDE], now[2 * WIDE], count = 0, moved = 0;
	uint32_t seed = 3;

	for (uint64_t step = 0; step < 120; step++) {
		const uint64_t sway[4] = {30000000 + test_next(&seed) % 8000000,
		    15000000 + test_next(&seed) % 4000000, 30000000 + test_next(&seed) % 8000000,
		    40000000 + test_next(&seed) % 8000000};
		draw_three(c, &memory, 100000000000 + step * 500000000, sway);
		int here = edges(c, now);
		moved +=
		    step > 0 && (here != count || memcmp(now, before, (size_t)count * sizeof(now[0])) != 0);
		count = here;
		memcpy(before, now, sizeof(now));
		/* The share in a box is that of now. */
		const struct formatted text = format_share(sway[2], sway[0] + sway[2] + sway[3]);
		char *shown = canvas_dump(c);
		CHECK(strstr(shown, text.s) != NULL);
		free(shown);
	}
	CHECK(count >= 3 && moved <= 6);
	canvas_destroy(c);
}

/* A jump is shown once it has lasted for 2 s, and at once where the time goes back or the width is another one; what is
 * drawn again at the same time is the same, whatever came. */
TEST(test_boxes_follow_a_jump)
{
	enum { TEN_MS = 10000000 };
	static const uint64_t even[4] = {30 * TEN_MS, 10 * TEN_MS, 30 * TEN_MS, 30 * TEN_MS},
			      jump[4] = {80 * TEN_MS, 10 * TEN_MS, 10 * TEN_MS, 10 * TEN_MS},
			      gone[4] = {30 * TEN_MS, 10 * TEN_MS, 30 * TEN_MS, 0},
			      more[4] = {0, 0, 30 * TEN_MS, 30 * TEN_MS};
	const uint64_t second = 1000000000, at = 100 * second;
	struct canvas *c = canvas_create(2, WIDE);
	struct bars_memory memory = {0};

	draw_three(c, &memory, at - 4 * second, even);
	CHECK_INT(memory.boxes[0].cols, 27);
	/* They stand for a while, however far off they are. */
	draw_three(c, &memory, at - 2 * second, jump);
	draw_three(c, &memory, at, jump);
	CHECK_INT(memory.boxes[0].cols, 27);
	draw_three(c, &memory, at - 9 * second, even);
	draw_three(c, &memory, at, even);
	CHECK_INT(memory.boxes[0].cols, 27);
	for (int i = 0; i < 5; i++)
		draw_three(c, &memory, at + second, jump);
	CHECK_INT(memory.boxes[0].cols, 27);
	draw_three(c, &memory, at + 2 * second, jump);
	CHECK_INT(memory.boxes[0].cols, 27);
	draw_three(c, &memory, at + 3 * second, jump);
	CHECK_INT(memory.boxes[0].cols, 64);
	draw_three(c, &memory, at, even);
	CHECK_INT(memory.boxes[0].cols, 27);
	/* One whose phase is gone keeps its cells, empty. */
	draw_three(c, &memory, at + second / 10, gone);
	CHECK_INT(memory.boxes[3].cols, 27);
	CHECK_INT(canvas_row(c, 0)[70].text[0], ' ');
	CHECK(canvas_row(c, 0)[53].text[0] == 0x258f && canvas_row(c, 0)[53].style == STYLE_BAR_REST);
	CHECK_INT(canvas_row(c, 0)[70].style, STYLE_TEXT);
	CHECK(canvas_resize(c, 2, WIDE / 2));
	draw_three(c, &memory, at + second / 5, gone);
	CHECK_INT(memory.boxes[0].cols, 20);
	/* A new one has cells from the next layout on. */
	CHECK(canvas_resize(c, 2, WIDE));
	draw_three(c, &memory, at + 20 * second, more);
	draw_three(c, &memory, at + 21 * second, even);
	CHECK(memory.boxes[0].phase == RTEV_PHASE_MINOR && memory.boxes[0].cols == 0);
	draw_three(c, &memory, at + 23 * second, even);
	CHECK_INT(memory.boxes[0].cols, 0);
	draw_three(c, &memory, at + 31 * second, even);
	CHECK_INT(memory.boxes[0].cols, 0);
	draw_three(c, &memory, at + 32 * second, even);
	CHECK_INT(memory.boxes[0].cols, 27);
	/* Where all are gone, they stand where they stood once they come back; what has no cells is laid out at once. */
	static const uint64_t none[4] = {0}, first[4] = {30 * TEN_MS, 10 * TEN_MS, 0, 0},
			      last[4] = {0, 0, 0, 30 * TEN_MS};
	draw_three(c, &memory, at + 33 * second, none);
	draw_three(c, &memory, at + 35 * second, even);
	CHECK_INT(memory.boxes[0].cols, 27);
	draw_three(c, &memory, at + 100 * second, first);
	draw_three(c, &memory, at + 103 * second, first);
	draw_three(c, &memory, at + 104 * second, none);
	draw_three(c, &memory, at + 113 * second, none);
	draw_three(c, &memory, at + 114 * second, last);
	CHECK_INT(memory.boxes[memory.count - 1].cols, WIDE);
	canvas_destroy(c);
}

/* A box of one cell has its divider while its phase has time and after; where the collector takes little, edges that follow
 * what few collections there are in the stretch move less often than elsewhere. */
TEST(test_faint_boxes_stand)
{
	static const uint64_t narrow[4] = {40000, 0, 1000, 40000}, gone[4] = {40000, 0, 0, 40000};
	const uint64_t second = 1000000000;
	struct canvas *c = canvas_create(2, WIDE);
	struct bars_memory memory = {0};
	uint64_t recent[10][4] = {{0}}, laid = 0;
	unsigned layouts = 0;
	uint32_t seed = 5;

	draw_three(c, &memory, 100 * second, narrow);
	CHECK(memory.boxes[1].cols == 1 && canvas_row(c, 0)[40].text[0] == 0x258f);
	draw_three(c, &memory, 101 * second, gone);
	CHECK(memory.boxes[1].cols == 1 && canvas_row(c, 0)[40].text[0] == 0x258f);
	memory = (struct bars_memory){0};
	for (uint64_t step = 0; step < 120; step++) {
		uint64_t sums[4] = {0};
		memset(recent[step % 10], 0, sizeof(recent[0]));
		if (step % 3 == 0)
			recent[step % 10][(uint64_t[]){0, 2, 3}[test_next(&seed) % 3]] =
			    1000 + test_next(&seed) % 900000;
		for (int i = 0; i < 40; i++)
			sums[i % 4] += recent[i / 4][i % 4];
		draw_three(c, &memory, 200 * second + step * second / 2, sums);
		CHECK(memory.dim);
		layouts += step >= 10 && memory.laid != laid;
		laid = memory.laid;
	}
	if (layouts > 3)
		TEST_FAIL("%u layouts", layouts);
	/* What takes more is laid out anew as soon as any. */
	static const uint64_t much[4] = {0, 0, 100000000, 0};
	for (uint64_t i = 0; i < 14; i++)
		draw_three(c, &memory, 260 * second + i * second, much);
	CHECK(!memory.dim);
	canvas_destroy(c);
}

/* What has less than a cell is one grey box at the end; words are whole ones, long to short, and never halves of two. */
TEST(test_words_of_boxes)
{
	enum { BARS = 7 };
	static const struct flame_bar bars[BARS] = {
	    {.phase = RTEV_PHASE_EXPLICIT_GC_STAT, .parent = FLAME_NONE, .total = 4},
	    {.phase = RTEV_PHASE_MAJOR_SLICE, .parent = FLAME_NONE, .total = 4},
	    {.phase = RTEV_PHASE_STW_HANDLER, .parent = FLAME_NONE, .total = 4},
	    {.phase = RTEV_PHASE_STW_LEADER, .parent = FLAME_NONE, .total = 988},
	    {.phase = RTEV_PHASE_MINOR, .parent = 3, .depth = 1, .total = 600},
	    {.phase = RTEV_PHASE_MINOR_REMEMBERED_SET, .parent = 4, .depth = 2, .total = 300},
	    {.phase = RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE, .parent = 5, .depth = 3, .total = 100},
	};
	const struct flame_view flame = {.bars = bars, .count = BARS, .to = 10000};
	struct canvas *c = canvas_create(5, 150);
	struct bars_memory memory = {0};

	for (int cols = 1; cols <= 150; cols++) {
		CHECK(canvas_resize(c, 5, cols));
		bars_draw(c, canvas_bounds(c), &flame, false, &memory);
		bars_legend(c, rect_make(4, 0, 1, cols), &memory, 4);
		CHECK_INT(canvas_row(c, 0)[cols - 1].style, cols < 42 ? STYLE_PHASE_STW : STYLE_MERGED);
		char *text = canvas_dump(c);
		CHECK(strstr(text, "+") == NULL && strstr(text, "…") == NULL &&
		      strstr(text, "▏set promote") == NULL);
		/* A word that no box has room for stands below, where there is room. */
		if (cols == 60)
			CHECK(
			    strstr(text, "remembered 30%") != NULL && strstr(text, "■ promote 10%") != NULL);
		if (cols == 150)
			CHECK(strstr(text, "stop: leader 99%") != NULL && strstr(text, "minor 60%") != NULL &&
			      strstr(text, "remembered set 30%") != NULL &&
			      strstr(text, " promote 10%") != NULL && strstr(text, "set promote") == NULL &&
			      strstr(text, "of GC time") != NULL);
		free(text);
	}
	canvas_destroy(c);
}

/* Where time was lost the legend's shares have the base of the boxes': what was seen. */
TEST(test_legend_of_lost_time)
{
	static const struct flame_bar bars[] = {
	    {.phase = RTEV_PHASE_MAJOR_SLICE, .parent = FLAME_NONE, .total = 2000},
	    {.phase = RTEV_PHASE_MINOR, .parent = FLAME_NONE, .total = 100},
	};
	const struct flame_view flame = {.bars = bars, .count = 2, .to = 10000, .lost = 5000};
	struct canvas *c = canvas_create(2, 100);
	struct bars_memory memory = {0};

	bars_draw(c, rect_make(0, 0, 1, 100), &flame, true, &memory);
	bars_legend(c, rect_make(1, 0, 1, 100), &memory, 1);
	char *text = canvas_dump(c);
	if (strstr(text, "slice 40%") == NULL || strstr(text, "minor 2.0%") == NULL)
		TEST_FAIL("%s", text);
	free(text);
	canvas_destroy(c);
}
