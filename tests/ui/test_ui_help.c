/*
 * test_ui_help.c - the help as keys move it.
 */
#include "support/test.h"
#include "canvas/keys.h"
#include "support/ui_story.h"

/* A screen too low for all of the help: it scrolls to its last line and not beyond, and begins anew each time
 * it is called. */
static void test_scrolling(void)
{
	static const ui_key closing[] = {UI_KEY_ESCAPE, '?', 'x'};
	struct stage s;

	stage_init(&s, 2, 10, 80);
	stage_key(&s, '?');
	char *top = stage_text(&s);
	CHECK(strstr(top, "arrows scroll") != NULL);
	for (size_t i = 0; i < sizeof(closing) / sizeof(closing[0]); i++) {
		stage_key(&s, UI_KEY_DOWN);
		char *moved = stage_text(&s);
		CHECK(strcmp(moved, top) != 0);
		for (int page = 0; page < 20; page++)
			stage_key(&s, UI_KEY_PAGE_DOWN);
		char *bottom = stage_text(&s);
		stage_key(&s, UI_KEY_UP);
		CHECK(strcmp(bottom, moved) != 0 && !stage_shows(&s, bottom));
		stage_key(&s, UI_KEY_DOWN);
		CHECK(stage_shows(&s, bottom));
		stage_key(&s, closing[i]);
		CHECK(!stage_shows(&s, "arrows scroll"));
		stage_key(&s, '?');
		CHECK(stage_shows(&s, top));
		free(bottom);
		free(moved);
	}
	free(top);
	stage_fini(&s);
}

int main(void)
{
	RUN(test_scrolling);
	return 0;
}
