/*
 * test_views.c - goldens of every view at several sizes.
 */
#include "test.h"

#include "unit/golden.h"
#include "unit/ui_story.h"

/* One picture: what leads to it. */
struct picture {
	const char *name;
	ui_key keys[12];
};

static const struct picture pictures[] = {
    {"panes", {0}},
    {"panes_timeline", {'t'}},
    {"panes_wall", {'x', 'L'}},
    {"panes_zoomed", {UI_KEY_DOWN, 'z'}},
    {"domains", {'2'}},
    {"domains_by_max", {'2', '>', '>', '>', '>', '>', '>', 'I'}},
    {"phases", {'3'}},
    {"phases_by_total", {'3', '>', '>', '>'}},
    {"user", {'4'}},
    {"pauses", {'5', UI_KEY_DOWN}},
    {"stw", {'6'}},
    {"memory", {'7'}},
    {"log", {'8'}},
    {"log_filtered", {'8', '\\', 'l', 'o', 's', 't', UI_KEY_ENTER}},
    {"moment", {' '}},
    {"moment_zoomed", {' ', '[', '[', '[', '[', UI_KEY_LEFT, UI_KEY_DOWN}},
    {"moment_micro", {' ', UI_KEY_DOWN, '[', '[', '[', '[', '[', '[', '[', '[', '['}},
    {"moment_bars", {' ', ']', 't'}},
    {"moment_alone", {' ', ']', UI_KEY_DOWN, 'z'}},
    {"worst", {'5', UI_KEY_ENTER}},
    {"stop", {'6', UI_KEY_ENTER}},
    {"help", {'?'}},
};
enum { PICTURES = sizeof(pictures) / sizeof(pictures[0]) };

/* Draw a picture at a size and compare it. */
static void check(const struct picture *p, int rows, int cols, bool ascii)
{
	struct stage s;
	char name[64];

	stage_init(&s, 3, rows, cols);
	if (ascii)
		canvas_set_look(s.canvas, GLYPHS_ASCII, false);
	for (int i = 0; i < 12 && p->keys[i] != UI_KEY_NONE; i++)
		stage_key(&s, p->keys[i]);
	ui_draw(s.ui, &s.subject, s.canvas);
	snprintf(name, sizeof(name), "view_%s_%dx%d%s", p->name, cols, rows, ascii ? "_ascii" : "");
	if (rows == 40 && !ascii)
		golden_check_styles(s.canvas, name);
	else
		golden_check(s.canvas, name);
	stage_fini(&s);
}

static void test_120x40(void)
{
	for (int i = 0; i < PICTURES; i++)
		check(&pictures[i], 40, 120, false);
}

static void test_80x24(void)
{
	for (int i = 0; i < PICTURES; i++)
		check(&pictures[i], 24, 80, false);
}

static void test_80x24_ascii(void)
{
	for (int i = 0; i < PICTURES; i++)
		check(&pictures[i], 24, 80, true);
}

static void test_20x5(void)
{
	for (int i = 0; i < PICTURES; i++)
		check(&pictures[i], 5, 20, false);
}

int main(void)
{
	RUN(test_120x40);
	RUN(test_80x24);
	RUN(test_80x24_ascii);
	RUN(test_20x5);
	return 0;
}
