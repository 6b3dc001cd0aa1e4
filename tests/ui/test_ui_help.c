/*
 * test_ui_help.c - the help as keys move it.
 */
#include "support/test.h"
#include "canvas/keys.h"
#include "ui/view.h"
#include "support/ui_story.h"

/* A screen too low for all of the help: it scrolls to its last line and not beyond, and begins anew each time
 * it is called. */
TEST(test_scrolling)
{
	static const ui_key closing[] = {UI_KEY_ESCAPE, 'q', 'x'};
	struct stage s = stage_begin(2, 10, 80);
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

/* Keys that move move in the help as well; those of the views show the view with its help. */
TEST(test_keys)
{
	struct stage s = stage_begin(2, 10, 80);
	stage_key(&s, '?');
	char *top = stage_screen(&s);
	stage_type(&s, "⇲↓");
	CHECK(stage_shows(&s, "keys panes") && !stage_shows(&s, top));
	stage_key(&s, UI_KEY_HOME);
	CHECK(stage_shows(&s, top));
	stage_type(&s, "G⇱");
	CHECK(stage_shows(&s, top));
	stage_key(&s, '9'); /* there is no trace */
	CHECK(stage_shows(&s, top));
	stage_key(&s, '2');
	CHECK(stage_shows(&s, "keys domains") && s.ui->view == VIEW_DOMAINS);
	stage_type(&s, "⇲\t");
	CHECK(stage_shows(&s, "keys phases") && stage_shows(&s, "show or hide this help"));
	/* Its second page is the legend, then it closes; a key that closes the legend begins with the keys again. */
	stage_type(&s, "⇲?");
	CHECK(stage_shows(&s, "legend of colours") && stage_shows(&s, "minor collection"));
	char *legend = stage_text(&s);
	stage_type(&s, "⇲");
	CHECK(!stage_shows(&s, legend) && stage_shows(&s, "-runtime-variant i"));
	stage_type(&s, "⇱");
	CHECK(stage_shows(&s, legend));
	free(legend);
	stage_key(&s, '?');
	CHECK(!stage_shows(&s, "legend of ") && s.ui->view == VIEW_PHASES);
	stage_type(&s, "??x?");
	CHECK(stage_shows(&s, "keys phases"));
	stage_key(&s, 'x');
	CHECK(!stage_shows(&s, "keys ") && s.ui->view == VIEW_PHASES);
	stage_fini(&s);
}

/* The help of a view has no word about what only others have. */
TEST(test_own)
{
	static const struct subject_process process = {.pid = 1, .name = "one", .state = "live"};

	for (int v = VIEW_DOMAINS; v < VIEW_COUNT; v++) {
		struct stage s;
		if (v == VIEW_SITES)
			continue; /* is there only with a memtrace file */
		stage_init(&s, 2, 80, 120);
		s.subject.processes = &process;
		s.subject.process_count = 1;
		ui_show(s.ui, (enum ui_view)v);
		stage_key(&s, '?');
		CHECK(stage_shows(&s, "show or hide this help"));
		CHECK(!stage_shows(&s, "in panes") && !stage_shows(&s, "when frozen"));
		stage_fini(&s);
	}
}
