/*
 * test_actions.c - the list of actions, and the help and footer made from it.
 */
#include "support/test.h"

#include "ui/actions.h"

/* A set of every action, of a live target. */
static struct action_set everything(void)
{
	struct action_set set = {.mode = MODE_LIVE};
	for (int i = 0; i < ACTION_COUNT; i++)
		set.there[i] = true;
	return set;
}

/* No key means two things in one view and mode, and every action has a key, a name and a sentence. */
TEST(test_list_is_sound)
{
	for (int a = 0; a < ACTION_COUNT; a++) {
		const struct action_info *info = action_info((enum ui_action)a);
		CHECK(info->keys[0] != UI_KEY_NONE && info->views != 0 && (info->views & ~UI_ANYWHERE) == 0);
		CHECK(info->modes != 0 && (info->modes & ~UI_ALWAYS) == 0);
		CHECK(info->short_name[0] != '\0' && info->help[0] != '\0');
		for (int b = 0; b < a; b++) {
			const struct action_info *other = action_info((enum ui_action)b);
			for (int i = 0; i < 9; i++) {
				ui_key key = info->keys[i / 3];
				if (key != UI_KEY_NONE && key == other->keys[i % 3] &&
				    (info->views & other->views) != 0 && (info->modes & other->modes) != 0)
					TEST_FAIL("key %s stands for \"%s\" and \"%s\"", ui_key_name(key).s,
					    info->help, other->help);
			}
		}
	}
	CHECK(action_info(ACTION_NONE) == NULL);
	CHECK_STR(view_title(VIEW_STW), "stop-the-world");
	CHECK_STR(view_title(VIEW_COUNT), "");
}

/* The keys that the program's contract names. */
TEST(test_contract)
{
	static const struct {
		ui_key key;
		enum ui_view view;
		enum ui_action action;
		enum ui_mode mode;
	} expected[] = {
	    {'q', VIEW_PANES, ACTION_QUIT, MODE_LIVE},
	    {UI_KEY_F10, VIEW_OVERVIEW, ACTION_QUIT, MODE_LIVE},
	    {'?', VIEW_LOG, ACTION_HELP, MODE_LIVE},
	    {UI_KEY_F1, VIEW_PANES, ACTION_HELP, MODE_LIVE},
	    {' ', VIEW_PANES, ACTION_FREEZE, MODE_LIVE},
	    {'p', VIEW_PAUSES, ACTION_FREEZE, MODE_LIVE},
	    {'h', VIEW_PANES, ACTION_PANE_LEFT, MODE_LIVE},
	    {'j', VIEW_PANES, ACTION_DOWN, MODE_LIVE},
	    {'k', VIEW_PANES, ACTION_UP, MODE_LIVE},
	    {'l', VIEW_PANES, ACTION_PANE_RIGHT, MODE_LIVE},
	    {UI_KEY_PAGE_UP, VIEW_LOG, ACTION_PAGE_UP, MODE_LIVE},
	    {UI_KEY_PAGE_DOWN, VIEW_LOG, ACTION_PAGE_DOWN, MODE_LIVE},
	    {UI_KEY_HOME, VIEW_LOG, ACTION_HOME, MODE_LIVE},
	    {UI_KEY_END, VIEW_LOG, ACTION_END, MODE_LIVE},
	    {UI_KEY_TAB, VIEW_PANES, ACTION_NEXT_VIEW, MODE_LIVE},
	    {UI_KEY_BACK_TAB, VIEW_PANES, ACTION_PREVIOUS_VIEW, MODE_LIVE},
	    {UI_KEY_ENTER, VIEW_PAUSES, ACTION_OPEN, MODE_LIVE},
	    {UI_KEY_ESCAPE, VIEW_PAUSES, ACTION_BACK, MODE_LIVE},
	    {'/', VIEW_PHASES, ACTION_SEARCH, MODE_LIVE},
	    {'n', VIEW_PHASES, ACTION_SEARCH_NEXT, MODE_LIVE},
	    {'\\', VIEW_DOMAINS, ACTION_FILTER, MODE_LIVE},
	    {UI_KEY_F4, VIEW_DOMAINS, ACTION_FILTER, MODE_LIVE},
	    {'<', VIEW_DOMAINS, ACTION_SORT_LEFT, MODE_LIVE},
	    {'>', VIEW_DOMAINS, ACTION_SORT_RIGHT, MODE_LIVE},
	    {'I', VIEW_DOMAINS, ACTION_REVERSE, MODE_LIVE},
	    {'+', VIEW_PANES, ACTION_FASTER, MODE_LIVE},
	    {'-', VIEW_PANES, ACTION_SLOWER, MODE_LIVE},
	    {'R', VIEW_PANES, ACTION_RESET, MODE_LIVE},
	    {'r', VIEW_PANES, ACTION_RECORD, MODE_LIVE},
	    {'S', VIEW_PANES, ACTION_SAVE, MODE_LIVE},
	    {'t', VIEW_PANES, ACTION_TIMELINE, MODE_LIVE},
	    {'x', VIEW_PANES, ACTION_SCALE, MODE_LIVE},
	    {'L', VIEW_PANES, ACTION_LOG_SCALE, MODE_LIVE},
	    {'z', VIEW_PANES, ACTION_ZOOM, MODE_LIVE},
	    {'[', VIEW_PANES, ACTION_SHORTER, MODE_LIVE},
	    {']', VIEW_PANES, ACTION_LONGER, MODE_LIVE},
	    {UI_CTRL('L'), VIEW_PANES, ACTION_REDRAW, MODE_LIVE},
	    {UI_CTRL('Z'), VIEW_PANES, ACTION_SUSPEND, MODE_LIVE},
	    {'W', VIEW_PANES, ACTION_WRITE, MODE_LIVE},
	    {'1', VIEW_LOG, ACTION_VIEW_PANES, MODE_LIVE},
	    {'8', VIEW_PANES, ACTION_VIEW_LOG, MODE_LIVE},
	    {' ', VIEW_PANES, ACTION_PLAY, MODE_REPLAY},
	    {'p', VIEW_PHASES, ACTION_HOLD, MODE_REPLAY},
	    {'(', VIEW_PANES, ACTION_SKIP_BACK, MODE_REPLAY},
	    {')', VIEW_PANES, ACTION_SKIP, MODE_REPLAY},
	    {'J', VIEW_PANES, ACTION_JUMP, MODE_REPLAY},
	    {'[', VIEW_PANES, ACTION_SHORTER, MODE_REPLAY},
	    {'b', VIEW_PANES, ACTION_NONE, MODE_REPLAY},
	    {'f', VIEW_PANES, ACTION_VIEW_FIBERS, MODE_REPLAY},
	    {'P', VIEW_PANES, ACTION_NONE, MODE_REPLAY},
	    {'T', VIEW_PANES, ACTION_NONE, MODE_REPLAY},
	    {' ', VIEW_PANES, ACTION_GO_ON, MODE_FROZEN},
	    {'p', VIEW_OVERVIEW, ACTION_GO_ON, MODE_FROZEN},
	    {'n', VIEW_PANES, ACTION_EVENT_NEXT, MODE_FROZEN},
	    {'N', VIEW_MEMORY, ACTION_EVENT_BACK, MODE_FROZEN},
	    {UI_KEY_LEFT, VIEW_PANES, ACTION_TIME_BACK, MODE_FROZEN},
	    {UI_KEY_LEFT, VIEW_TREND, ACTION_LEFT, MODE_FROZEN},
	    {'[', VIEW_PANES, ACTION_ZOOM_IN, MODE_FROZEN},
	    {'(', VIEW_PANES, ACTION_NONE, MODE_LIVE},
	};
	struct action_set set = everything();
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		set.mode = expected[i].mode;
		if (action_of_key(&set, expected[i].key, expected[i].view) != expected[i].action)
			TEST_FAIL("%s in %s, mode %d", ui_key_name(expected[i].key).s,
			    view_title(expected[i].view), (int)expected[i].mode);
	}
}

/* What is not in the set does not exist. */
TEST(test_set)
{
	struct action_set set = {.mode = MODE_LIVE};
	CHECK_INT(action_of_key(&set, 'q', VIEW_PANES), ACTION_NONE);
	set.there[ACTION_QUIT] = true;
	CHECK_INT(action_of_key(&set, 'q', VIEW_PANES), ACTION_QUIT);
	set = everything();
	CHECK_INT(action_of_key(&set, UI_KEY_NONE, VIEW_PANES), ACTION_NONE);
	CHECK_INT(action_of_key(&set, UI_KEY_RESIZE, VIEW_PANES), ACTION_NONE);
	CHECK_INT(action_of_key(&set, 't', VIEW_LOG), ACTION_NONE);
	CHECK_INT(action_of_key(&set, 'q', VIEW_COUNT), ACTION_NONE);
	CHECK_INT(action_of_key(&set, 0xe9, VIEW_PANES), ACTION_NONE);
}

TEST(test_key_names)
{
	CHECK_STR(ui_key_name('q').s, "q");
	CHECK_STR(ui_key_name(' ').s, "Space");
	CHECK_STR(ui_key_name(UI_CTRL('L')).s, "Ctrl-L");
	CHECK_STR(ui_key_name(UI_KEY_PAGE_DOWN).s, "PgDn");
	CHECK_STR(ui_key_name(UI_KEY_F12).s, "F12");
	CHECK_STR(ui_key_name(0xe9).s, "é");
	CHECK_STR(ui_key_name(UI_KEY_NONE).s, "");
	CHECK_STR(ui_key_name(UI_KEY_LIMIT).s, "");
}

/* Help has a line for each action that there is, and no other. */
TEST(test_help)
{
	struct action_set set = {.mode = MODE_LIVE};
	set.there[ACTION_QUIT] = set.there[ACTION_HELP] = set.there[ACTION_FREEZE] = true;
	struct canvas *c = canvas_create(6, 76);
	help_overlay(c, rect_make(0, 0, 6, 76), &set, VIEW_LOG, HELP_KEYS, 0);
	char *text = canvas_dump(c);
	CHECK_STR(text, "          ╭ keys log ───────────────────────────────── ? legend ╮\n"
			"          │ ? F1     show or hide this help                     │\n"
			"          │ q F10    quit                                       │\n"
			"          │ Space p  freeze the picture; collecting never stops │\n"
			"          ╰─────────────────────────────────────────────────────╯\n\n");
	free(text);
	CHECK_INT(help_lines(&set, VIEW_LOG, HELP_KEYS), 3);
	CHECK_INT(help_lines(&set, VIEW_PANES, HELP_KEYS), 3);
	canvas_clear(c);
	help_footer(NULL, c, rect_make(0, 0, 1, 40), &set, VIEW_PANES, "0.5s");
	help_footer(NULL, c, rect_make(1, 0, 1, 20), &set, VIEW_PANES, NULL);
	help_footer(NULL, c, rect_make(2, 0, 1, 9), &set, VIEW_PANES, "0.5s");
	help_footer(NULL, c, rect_make(3, 0, 0, 0), &set, VIEW_PANES, "0.5s");
	text = canvas_dump(c);
	CHECK_STR(text, "? help  q quit  Space freeze        0.5s\n? help  q quit\n     0.5s\n\n\n\n");
	free(text);
	canvas_destroy(c);
}

/* The style of a word on a canvas, the first of them; STYLE_COUNT: it is not there. */
static int style_of(const struct canvas *c, const char *word)
{
	for (int row = 0; row < canvas_rows(c); row++) {
		const struct canvas_cell *cells = canvas_row(c, row);
		for (int col = 0; col < canvas_cols(c); col++) {
			int n = 0;
			while (word[n] != '\0' && col + n < canvas_cols(c) &&
			       cells[col + n].text[0] == (unsigned char)word[n])
				n++;
			if (word[n] == '\0')
				return cells[col].style;
		}
	}
	return STYLE_COUNT;
}

/* The legend has each family of phases in its colour, and the marks and words, one line each. */
TEST(test_legend)
{
	static const char *const words[] = {"lag", "work", "waiting", "leader", "promoted", "LIVE", "PAUSED",
	    "FROZEN", "overwritten", "ring began anew", "-runtime-variant i"};
	const struct action_set set = {.mode = MODE_LIVE};
	struct canvas *c = canvas_create(80, 120);
	int lines = help_lines(&set, VIEW_PANES, HELP_LEGEND);

	CHECK(lines > RTEV_CLASS_COUNT && lines == help_lines(&set, VIEW_OVERVIEW, HELP_LEGEND));
	help_overlay(c, canvas_bounds(c), &set, VIEW_PANES, HELP_LEGEND, 0);
	char *text = canvas_dump(c);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		CHECK(strstr(text, words[i]) != NULL);
	free(text);
	CHECK_INT(style_of(c, "R "), STYLE_WARN);
	CHECK_INT(style_of(c, "F "), STYLE_RECORDING);
	for (int k = 0; k < RTEV_CLASS_COUNT; k++) {
		const struct canvas_cell *row = canvas_row(c, (80 - lines) / 2 + k);
		int col = 0;
		while (col < 119 && row[col].style != theme_class((enum rtev_phase_class)k)->fill)
			col++;
		CHECK_INT(row[col].text[0],
		    theme_glyph(GLYPHS_BLOCKS, theme_class((enum rtev_phase_class)k)->pattern));
	}
	canvas_destroy(c);
}

/* The footer of 80 columns speaks of the mode: keys that a reader can't guess and needs first. */
TEST(test_footer_of_80)
{
	static const struct {
		enum ui_mode mode;
		enum ui_view view;
		const char *text;
	} cases[] = {
	    {MODE_LIVE, VIEW_PANES,
		"? help  q quit  Space freeze  a findings  Tab views  Enter open  r record\n"},
	    {MODE_LIVE, VIEW_TREND,
		"? help  q quit  Space freeze  a findings  Tab views  Enter open  ] longer\n"},
	    {MODE_FROZEN, VIEW_PANES,
		"? help  q quit  Space go on  ←→ time  [ ] zoom  n N next  a findings  Tab views\n"},
	    {MODE_FROZEN, VIEW_PAUSES,
		"? help  q quit  Space go on  n N next  a findings  Tab views  Enter open\n"},
	    {MODE_REPLAY, VIEW_PANES,
		"? help  q quit  p freeze  Space play/stop  , . step  a findings  Tab views\n"},
	};
	struct action_set set = everything();
	struct canvas *c = canvas_create(1, 80);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set.mode = cases[i].mode;
		for (int a = ACTION_PLAY; a <= ACTION_JUMP_END; a++)
			set.there[a] = set.mode == MODE_REPLAY;
		canvas_clear(c);
		help_footer(NULL, c, rect_make(0, 0, 1, 80), &set, cases[i].view, NULL);
		char *text = canvas_dump(c);
		CHECK_STR(text, cases[i].text);
		free(text);
	}
	canvas_destroy(c);
}

/* Tabs lie in order beside each other inside the line at each width, the one of the view among them where there
 * is room for any, and the more room there is the more they say. */
TEST(test_tabs)
{
	struct action_set set = everything();
	struct canvas *c = canvas_create(1, 300);

	for (int v = VIEW_PANES; v <= VIEW_OVERVIEW; v++)
		for (int cols = 0, before = 0; cols < 300; cols++) {
			struct tab tabs[VIEW_COUNT];
			int count = tabs_lay_out(&set, (enum ui_view)v, cols, tabs), end = 0, all = 0;
			bool own = false;
			for (int i = 0; i < count; i++) {
				CHECK(tabs[i].col > end && tabs[i].cols == (int)strlen(tabs[i].text));
				CHECK(i == 0 || tabs[i].view > tabs[i - 1].view);
				end = tabs[i].col + tabs[i].cols;
				own |= tabs[i].view == (enum ui_view)v;
				all += tabs[i].cols;
			}
			CHECK(end < cols || count == 0);
			CHECK(own || count == 0);
			CHECK(count == 0 || count == 1 || count == VIEW_OVERVIEW);
			CHECK(all >= before);
			CHECK(cols < 20 || (count > 0) == (v != VIEW_OVERVIEW));
			before = all;
			canvas_clear(c);
			tabs_draw(c, rect_make(0, 0, 1, cols), &set, (enum ui_view)v);
			for (int col = cols; col < 300; col++)
				CHECK(canvas_row(c, 0)[col].text[0] == ' ');
		}
	set.there[ACTION_VIEW_SITES] = false;
	tabs_draw(c, rect_make(0, 0, 1, 300), &set, VIEW_PHASES);
	char *text = canvas_dump(c);
	CHECK_STR(text,
	    " 1 panes  2 domains [3 phases] 4 user events  5 pauses  6 stop-the-world  7 memory  8 log"
	    "  0 trend  a findings  f fibers  c code\n");
	free(text);
	canvas_clear(c);
	set.there[ACTION_VIEW_FIBERS] = set.there[ACTION_VIEW_CODE] = false;
	tabs_draw(c, rect_make(0, 0, 1, 80), &set, VIEW_FINDINGS);
	text = canvas_dump(c);
	CHECK_STR(text, " 1panes 2domains 3phases 4user 5pauses 6stw 7memory 8log 0trend[afindings]\n");
	free(text);
	canvas_destroy(c);
}

/* Help draws at every size, and scrolls to its last line. */
TEST(test_help_sizes)
{
	struct action_set set = everything();
	for (int rows = 0; rows < 60; rows++) {
		for (int cols = 0; cols < 100; cols += 7) {
			struct canvas *c = canvas_create(rows, cols);
			for (int first = 0; first < 120; first += 20)
				help_overlay(c, canvas_bounds(c), &set, VIEW_PANES,
				    first % 40 == 0 ? HELP_KEYS : HELP_LEGEND, first / 2);
			canvas_destroy(c);
		}
	}
	struct canvas *c = canvas_create(10, 80);
	int lines = help_lines(&set, VIEW_PANES, HELP_LEGEND), page = help_rows(canvas_bounds(c));
	CHECK_INT(page, 8);
	help_overlay(c, canvas_bounds(c), &set, VIEW_PANES, HELP_LEGEND, lines - page);
	char *text = canvas_dump(c);
	CHECK(strstr(text, "-runtime-variant i") != NULL && strstr(text, "arrows scroll") != NULL);
	free(text);
	lines = help_lines(&set, VIEW_LOG, HELP_KEYS);
	canvas_clear(c);
	help_overlay(c, canvas_bounds(c), &set, VIEW_LOG, HELP_KEYS, lines - page);
	text = canvas_dump(c);
	CHECK(strstr(text, "suspend the program") != NULL && strstr(text, "arrows scroll") != NULL);
	free(text);
	canvas_destroy(c);
}
