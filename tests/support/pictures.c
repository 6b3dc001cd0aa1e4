/*
 * pictures.c - see pictures.h.
 */
#include "support/pictures.h"

#include "support/golden.h"
#include "support/screen.h"
#include "support/test.h"
#include "canvas/keys.h"
#include "ui/view.h"

/* Fail with the name of a picture and its screen. */
static void fail(const char *name, const struct canvas *canvas, const char *what)
{
	TEST_FAIL(
	    "%s, %dx%d: %s\n%s", name, canvas_cols(canvas), canvas_rows(canvas), what, canvas_dump(canvas));
}

void pictures_check_goldens(const struct picture_set *set)
{
	static const struct {
		unsigned trait;
		int rows, cols;
	} sizes[] = {{PICTURE_80x24, 24, 80}, {PICTURE_120x40, 40, 120}, {PICTURE_200x60, 60, 200}};

	for (int p = 0; p < set->count; p++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			unsigned wanted = set->traits(p) & (PICTURE_TWICE | PICTURE_200x60);
			if (((wanted != 0 ? wanted : PICTURE_120x40) & sizes[i].trait) == 0)
				continue;
			struct stage *s = set->open(p, sizes[i].rows, sizes[i].cols);
			char name[64];
			snprintf(
			    name, sizeof(name), "view_%s_%dx%d", set->name(p), sizes[i].cols, sizes[i].rows);
			if (sizes[i].trait == PICTURE_120x40)
				golden_check_styles(s->canvas, name);
			else
				golden_check(s->canvas, name);
			set->close(s);
		}
}

/* Draw at a size until the layout has settled: a drawing takes note of what the next one goes by. */
static void draw_at(struct stage *s, int rows, int cols)
{
	CHECK(canvas_resize(s->canvas, rows, cols));
	for (int i = 0; i < 4; i++)
		ui_draw(s->ui, story_told(&s->subject), s->canvas);
}

/* The last row of a screen. */
static void last_row(const char *screen, char *out, size_t size)
{
	const char *end = screen + strlen(screen) - 1, *begin = end;

	while (begin > screen && begin[-1] != '\n')
		begin--;
	snprintf(out, size, "%.*s", (int)(end - begin), begin);
}

/* The last row of a screen with room names each key that it has to. */
static void check_footer(const char *name, const struct stage *s)
{
	char *screen = canvas_dump(s->canvas), row[4096];

	last_row(screen, row, sizeof(row));
	free(screen);
	for (int a = 0; a < ACTION_COUNT; a++) {
		const struct action_info *info = action_info((enum ui_action)a);
		if (!action_available(&s->ui->actions, (enum ui_action)a, s->ui->view) || info->rank == 0)
			continue;
		/* Neighbours with one name share it; arrows stand there as such. */
		ui_key key = info->keys[0];
		const char *sign = key == UI_KEY_LEFT ? "←" : key == UI_KEY_RIGHT ? "→" : ui_key_name(key).s;
		const char *at = strstr(row, info->short_name);
		if (strstr(row, sign) == NULL || at == NULL || (at > row && at[-1] != ' '))
			fail(name, s->canvas, info->short_name);
	}
}

/* What has to stand on a screen of this size; `wide` are the numbers of screens with room, NULL: not known. */
static void check_parts(const char *name, struct stage *s, const struct screen_numbers *wide)
{
	static struct screen_numbers here;
	int rows = canvas_rows(s->canvas), cols = canvas_cols(s->canvas);
	char *screen = canvas_dump(s->canvas), row[4096];

	screen_check(s->canvas);
	screen_check_shares(s->canvas);
	if (rows < 5 || cols < 20) {
		CHECK(strstr(screen, "rtevtop: too small") != NULL || cols < 18);
	} else if (cols >= HEADER_NAME_FROM) {
		last_row(screen, row, sizeof(row));
		if (s->ui->input == 0 && !s->ui->help && rows >= 8 && strstr(row, "? help") == NULL)
			fail(name, s->canvas, "no help offered");
	}
	free(screen);
	if (wide == NULL || rows < 8 || s->ui->help)
		return;
	screen_blank_by_width(s->canvas);
	here.count = 0;
	screen_numbers(s->canvas, &here);
	for (int i = 0; i < here.count; i++) {
		const char *word = here.word[i];
		/* The place in a recording has a short form, "0:03.2/1:00:03.2". */
		bool place = strchr(word, ':') != NULL && strchr(word, '/') != NULL;
		if (!place && !screen_has_number(wide, word))
			fail(name, s->canvas, word);
	}
}

/* The numbers of screens with room. */
static const struct screen_numbers *numbers_with_room(struct stage *s)
{
	static const int sizes[][2] = {{100, 300}, {300, 500}, {1000, 500}, {300, 1200}};
	static struct screen_numbers wide;

	wide.count = 0;
	for (int i = 0; i < 4; i++) {
		draw_at(s, sizes[i][0], sizes[i][1]);
		screen_blank_by_width(s->canvas);
		screen_numbers(s->canvas, &wide);
	}
	return &wide;
}

void pictures_check_sizes(const struct picture_set *set)
{
	static const int sizes[][2] = {{1, 1}, {1, 500}, {500, 1}, {3, 18}, {4, 19}, {5, 20}, {6, 30},
	    {5, 500}, {7, 39}, {8, 40}, {10, 50}, {12, 60}, {15, 70}, {16, 71}, {24, 80}, {29, 90}, {30, 100},
	    {40, 120}, {50, 160}, {60, 200}, {100, 25}, {1000, 500}};
	struct canvas *before = canvas_create(1, 1);

	CHECK(before != NULL);
	for (int p = 0; p < set->count; p++) {
		struct stage *s = set->open(p, 24, 80);
		bool by_width = (set->traits(p) & PICTURE_BY_WIDTH) != 0;
		const struct screen_numbers *wide = by_width ? NULL : numbers_with_room(s);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			draw_at(s, sizes[i][0], sizes[i][1]);
			CHECK(canvas_copy(before, s->canvas));
			ui_draw(s->ui, story_told(&s->subject), s->canvas);
			CHECK(screen_same(before, s->canvas));
			if (sizes[i][1] == 500 && sizes[i][0] > 10 && s->ui->input == 0 && !s->ui->help)
				check_footer(set->name(p), s);
			check_parts(set->name(p), s, wide);
		}
		set->close(s);
	}
	canvas_destroy(before);
}

void pictures_check_looks(const struct picture_set *set)
{
	static const int sizes[][2] = {{5, 20}, {24, 80}, {40, 120}, {60, 200}};
	struct canvas *blocks = canvas_create(1, 1);

	CHECK(blocks != NULL);
	for (int p = 0; p < set->count; p++) {
		struct stage *s = set->open(p, 24, 80);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			canvas_set_look(s->canvas, GLYPHS_BLOCKS, true);
			/* A cell of ASCII has as many samples as one of blocks. */
			s->ui->graph = GRAPH_BLOCKS;
			s->ui->changed = true;
			draw_at(s, sizes[i][0], sizes[i][1]);
			CHECK(canvas_copy(blocks, s->canvas));
			canvas_set_look(s->canvas, GLYPHS_ASCII, true);
			ui_draw(s->ui, story_told(&s->subject), s->canvas);
			screen_check_ascii(blocks, s->canvas);
			s->ui->graph = GRAPH_BRAILLE;
			s->ui->changed = true;
			for (int level = 0; level < GLYPHS_COUNT; level++) {
				canvas_set_look(s->canvas, (enum glyph_level)level, false);
				ui_draw(s->ui, story_told(&s->subject), s->canvas);
				screen_check(s->canvas);
			}
		}
		set->close(s);
	}
	canvas_destroy(blocks);
}

void pictures_check(const struct picture_set *set)
{
	pictures_check_goldens(set);
	pictures_check_sizes(set);
	pictures_check_looks(set);
}
