/*
 * test_actions.c - the list of actions, and the help and footer made from it.
 */
#include "support/test.h"

#include "ui/actions.h"

/* A set of every action. */
static struct action_set everything(void)
{
	struct action_set set;
	for (int i = 0; i < ACTION_COUNT; i++)
		set.there[i] = true;
	return set;
}

/* No key means two things in one view, and every action has a key, a name and a sentence. */
static void test_list_is_sound(void)
{
	for (int a = 0; a < ACTION_COUNT; a++) {
		const struct action_info *info = action_info((enum ui_action)a);
		CHECK(info->keys[0] != UI_KEY_NONE && info->views != 0 && (info->views & ~UI_ANYWHERE) == 0);
		CHECK(info->short_name[0] != '\0' && info->help[0] != '\0');
		for (int b = 0; b < a; b++) {
			const struct action_info *other = action_info((enum ui_action)b);
			for (int i = 0; i < 9; i++) {
				ui_key key = info->keys[i / 3];
				if (key != UI_KEY_NONE && key == other->keys[i % 3] &&
				    (info->views & other->views) != 0)
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
static void test_contract(void)
{
	static const struct {
		ui_key key;
		enum ui_view view;
		enum ui_action action;
	} expected[] = {
	    {'q', VIEW_PANES, ACTION_QUIT},
	    {UI_KEY_F10, VIEW_CHOOSE, ACTION_QUIT},
	    {'?', VIEW_LOG, ACTION_HELP},
	    {UI_KEY_F1, VIEW_PANES, ACTION_HELP},
	    {' ', VIEW_PANES, ACTION_FREEZE},
	    {'p', VIEW_PAUSES, ACTION_FREEZE},
	    {'h', VIEW_PANES, ACTION_LEFT},
	    {'j', VIEW_PANES, ACTION_DOWN},
	    {'k', VIEW_PANES, ACTION_UP},
	    {'l', VIEW_PANES, ACTION_RIGHT},
	    {UI_KEY_PAGE_UP, VIEW_LOG, ACTION_PAGE_UP},
	    {UI_KEY_PAGE_DOWN, VIEW_LOG, ACTION_PAGE_DOWN},
	    {UI_KEY_HOME, VIEW_LOG, ACTION_HOME},
	    {UI_KEY_END, VIEW_LOG, ACTION_END},
	    {UI_KEY_TAB, VIEW_PANES, ACTION_NEXT_VIEW},
	    {UI_KEY_BACK_TAB, VIEW_PANES, ACTION_PREVIOUS_VIEW},
	    {UI_KEY_ENTER, VIEW_PAUSES, ACTION_OPEN},
	    {UI_KEY_ESCAPE, VIEW_PAUSES, ACTION_BACK},
	    {'/', VIEW_PHASES, ACTION_SEARCH},
	    {'n', VIEW_PHASES, ACTION_SEARCH_NEXT},
	    {'\\', VIEW_DOMAINS, ACTION_FILTER},
	    {UI_KEY_F4, VIEW_DOMAINS, ACTION_FILTER},
	    {'<', VIEW_DOMAINS, ACTION_SORT_LEFT},
	    {'>', VIEW_DOMAINS, ACTION_SORT_RIGHT},
	    {'I', VIEW_DOMAINS, ACTION_REVERSE},
	    {'+', VIEW_PANES, ACTION_FASTER},
	    {'-', VIEW_PANES, ACTION_SLOWER},
	    {'R', VIEW_PANES, ACTION_RESET},
	    {'r', VIEW_PANES, ACTION_RECORD},
	    {'S', VIEW_PANES, ACTION_SAVE},
	    {'t', VIEW_PANES, ACTION_TIMELINE},
	    {'x', VIEW_PANES, ACTION_SCALE},
	    {'L', VIEW_PANES, ACTION_LOG_SCALE},
	    {'z', VIEW_PANES, ACTION_ZOOM},
	    {'[', VIEW_PANES, ACTION_SHORTER},
	    {']', VIEW_PANES, ACTION_LONGER},
	    {UI_CTRL('L'), VIEW_PANES, ACTION_REDRAW},
	    {UI_CTRL('Z'), VIEW_PANES, ACTION_SUSPEND},
	    {'W', VIEW_PANES, ACTION_WRITE},
	    {'1', VIEW_LOG, ACTION_VIEW_PANES},
	    {'8', VIEW_PANES, ACTION_VIEW_LOG},
	};
	struct action_set set = everything();
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		CHECK_INT(action_of_key(&set, expected[i].key, expected[i].view), expected[i].action);
}

/* What is not in the set does not exist. */
static void test_set(void)
{
	struct action_set set = {{false}};
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

static void test_key_names(void)
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
static void test_help(void)
{
	struct action_set set = {{false}};
	set.there[ACTION_QUIT] = set.there[ACTION_HELP] = set.there[ACTION_FREEZE] = true;
	struct canvas *c = canvas_create(6, 76);
	help_overlay(c, rect_make(0, 0, 6, 76), &set, VIEW_LOG, 0);
	char *text = canvas_dump(c);
	CHECK_STR(text, "  ╭ keys log ────────────────────────────────────────────────────────────╮\n"
			"  │ ? F1     show or hide this help                                      │\n"
			"  │ q F10    quit                                                        │\n"
			"  │ Space p  freeze the picture, or let it go on; collecting never stops │\n"
			"  ╰──────────────────────────────────────────────────────────────────────╯\n\n");
	free(text);
	CHECK_INT(help_lines(&set, VIEW_LOG), 3);
	/* Where there are bars, the legend of their families and three notes follow. */
	CHECK_INT(help_lines(&set, VIEW_PANES), 3 + RTEV_CLASS_COUNT + 3);
	canvas_clear(c);
	help_overlay(c, rect_make(0, 0, 6, 76), &set, VIEW_PANES, 3);
	char *legend = canvas_dump(c);
	CHECK(strstr(legend, "░░░░") != NULL && strstr(legend, "minor collection") != NULL);
	free(legend);
	/* The trend has the characters of its marks. */
	CHECK_INT(help_lines(&set, VIEW_TREND), 3 + 4);
	canvas_clear(c);
	help_overlay(c, rect_make(0, 0, 6, 76), &set, VIEW_TREND, 3);
	legend = canvas_dump(c);
	CHECK(strstr(legend, "│ R ") != NULL && strstr(legend, "F        mark: a long pause") != NULL);
	CHECK(strstr(legend, "╳        mark: words were lost") != NULL);
	free(legend);
	CHECK_INT(help_lines(&set, VIEW_CHOOSE), 3);
	canvas_clear(c);
	help_footer(c, rect_make(0, 0, 1, 40), &set, VIEW_PANES, "0.5s");
	help_footer(c, rect_make(1, 0, 1, 20), &set, VIEW_PANES, NULL);
	help_footer(c, rect_make(2, 0, 1, 9), &set, VIEW_PANES, "0.5s");
	help_footer(c, rect_make(3, 0, 0, 0), &set, VIEW_PANES, "0.5s");
	text = canvas_dump(c);
	CHECK_STR(text, "? help  q quit  Space freeze        0.5s\n? help  q quit\n     0.5s\n\n\n\n");
	free(text);
	canvas_destroy(c);
}

/* The footer of a terminal of 80 columns has the keys that a reader can't guess and needs first. */
static void test_footer_of_80(void)
{
	static const enum ui_action of_replays[] = {
	    ACTION_PLAY, ACTION_STEP, ACTION_SPEED_UP, ACTION_SKIP, ACTION_JUMP};
	struct action_set set = everything();
	struct canvas *c = canvas_create(2, 80);

	for (size_t i = 0; i < sizeof(of_replays) / sizeof(of_replays[0]); i++)
		set.there[of_replays[i]] = false;
	help_footer(c, rect_make(0, 0, 1, 80), &set, VIEW_PANES, NULL);
	help_footer(c, rect_make(1, 0, 1, 80), &set, VIEW_TREND, NULL);
	char *text = canvas_dump(c);
	CHECK_STR(text, "? help  q quit  Space freeze  a findings  Tab views  Enter open  r record\n"
			"? help  q quit  Space freeze  a findings  Tab views  Enter open  ] longer\n");
	free(text);
	canvas_destroy(c);
}

/* Help draws at every size, and scrolls to its last line. */
static void test_help_sizes(void)
{
	struct action_set set = everything();
	for (int rows = 0; rows < 60; rows++) {
		for (int cols = 0; cols < 100; cols += 7) {
			struct canvas *c = canvas_create(rows, cols);
			for (int first = 0; first < 60; first += 20)
				help_overlay(c, canvas_bounds(c), &set, VIEW_PANES, first);
			canvas_destroy(c);
		}
	}
	struct canvas *c = canvas_create(10, 80);
	int lines = help_lines(&set, VIEW_PANES), page = help_page(canvas_bounds(c));
	CHECK_INT(page, 8);
	help_overlay(c, canvas_bounds(c), &set, VIEW_PANES, lines - page);
	char *text = canvas_dump(c);
	CHECK(strstr(text, "-runtime-variant i") != NULL && strstr(text, "arrows scroll") != NULL);
	free(text);
	lines = help_lines(&set, VIEW_LOG);
	canvas_clear(c);
	help_overlay(c, canvas_bounds(c), &set, VIEW_LOG, lines - page);
	text = canvas_dump(c);
	CHECK(strstr(text, "suspend the program") != NULL && strstr(text, "arrows scroll") != NULL);
	free(text);
	canvas_destroy(c);
}

int main(void)
{
	RUN(test_list_is_sound);
	RUN(test_contract);
	RUN(test_set);
	RUN(test_key_names);
	RUN(test_help);
	RUN(test_footer_of_80);
	RUN(test_help_sizes);
	return 0;
}
