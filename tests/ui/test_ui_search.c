/*
 * test_ui_search.c - what is typed after / is never run as commands: in the panes it leads to the pane that
 * has it, and a view without anything to search or to filter says so.  A key that has nothing to show says
 * why.
 */
#include "support/test.h"

#include "ui/view.h"
#include "support/ui_story.h"

/* The domain of the pane that is selected, or of the track in the moment. */
static int selected(const struct stage *s)
{
	return s->ui->frozen_range.opened ? (int)s->ui->frozen_range.domain : s->ui->chosen_domain;
}

/* Give one domain what no other has: a phase and a user event. */
static void mark(struct stage *s, unsigned domain)
{
	static const struct rtev_user_event only = {
	    .id = 77, .generation = 1, .name_len = 8, .name = "only.her"};
	uint64_t ts = STORY_END - 50 * STORY_MS;

	s->calls.begin(watch_model(s->watch), domain, ts, RTEV_PHASE_COMPACT);
	s->calls.end(watch_model(s->watch), domain, ts + STORY_MS, RTEV_PHASE_COMPACT);
	s->calls.user_unit(watch_model(s->watch), domain, ts + 2 * STORY_MS, &only);
}

/* All that a search can go by, in the grid, alone, and frozen. */
static void check_search(const char *before, bool frozen)
{
	struct stage s = stage_begin(12, 60, 160);
	mark(&s, 7);
	stage_type(&s, before);
	CHECK_INT(s.ui->frozen, frozen);
	CHECK(!(stage_type(&s, "/q") & UI_QUIT));
	CHECK(stage_shows(&s, "/q"));
	CHECK(!(stage_type(&s, "\n") & UI_QUIT));
	/* By the domain, however it is written; D1 is not D10. */
	stage_type(&s, "/D5\n");
	CHECK_INT(selected(&s), 5);
	stage_type(&s, "/d1\n");
	CHECK_INT(selected(&s), 1);
	stage_type(&s, "/11\n");
	CHECK_INT(selected(&s), 11);
	stage_type(&s, "/domain 3\n");
	CHECK_INT(selected(&s), 3);
	/* By a phase and by a user event, in either case and by a part. */
	stage_type(&s, "/COMPAct\n");
	CHECK_INT(selected(&s), 7);
	stage_type(&s, "/D0\n");
	CHECK_INT(selected(&s), 0);
	stage_type(&s, "/nly.he\n");
	CHECK_INT(selected(&s), 7);
	/* One that many have: n goes on, and around. */
	stage_type(&s, "/minor\n");
	int first = selected(&s);
	CHECK_INT(first, 8);
	stage_type(&s, "n");
	CHECK_INT(selected(&s), 9);
	for (int i = 0; i < 12 && selected(&s) != 1; i++)
		stage_type(&s, "n");
	CHECK_INT(selected(&s), 1);
	/* None has it: nothing moves, and that is said until the next key. */
	stage_type(&s, "/no-such-thing\n");
	CHECK_INT(selected(&s), 1);
	CHECK(stage_shows(&s, "no match for no-such-thing"));
	stage_type(&s, "t");
	CHECK(!stage_shows(&s, "no match"));
	/* Esc leaves the line, and what was typed with it. */
	stage_type(&s, "/D4");
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK_INT(selected(&s), 1);
	CHECK(stage_type(&s, "q") & UI_QUIT);
	stage_fini(&s);
}

TEST(test_panes)
{
	check_search("", false);
	check_search("z", false);
	check_search(" ", true);
	check_search(" t", true);
}

/* The pane that was found is in sight, in a grid that scrolls and when another was shown alone. */
TEST(test_in_sight)
{
	struct stage s = stage_begin(64, 24, 80);
	stage_type(&s, "/D50\n");
	CHECK(stage_shows(&s, "D50 "));
	stage_type(&s, "z/D3\n");
	CHECK(stage_shows(&s, "D3 ") && !stage_shows(&s, "D50 "));
	stage_fini(&s);
}

/* Where there is nothing to search or to filter the text is not run either. */
TEST(test_no_use)
{
	static const struct {
		const char *before, *key, *says;
	} cases[] = {
	    {"7", "/", "nothing to search in this view"},
	    {"7", "\\", "nothing to filter in this view"},
	    {"1", "\\", "nothing to filter in this view"},
	    {" ", "\\", "nothing to filter in this view"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage s = stage_begin(3, 24, 80);
		stage_type(&s, cases[i].before);
		enum ui_view view = s.ui->view;
		stage_type(&s, cases[i].key);
		CHECK(stage_shows(&s, cases[i].says));
		CHECK(!(stage_type(&s, "q2R") & UI_QUIT));
		CHECK(stage_shows(&s, cases[i].says));
		CHECK_INT(ui_asked(s.ui), ACTION_NONE);
		CHECK_INT(s.ui->view, view);
		stage_type(&s, "\n");
		CHECK(!stage_shows(&s, cases[i].says));
		CHECK(stage_type(&s, "q") & UI_QUIT);
		stage_fini(&s);
	}
}

/* The number of a view that is not there. */
TEST(test_why_not)
{
	static const struct subject_process process = {.pid = 1, .name = "one", .state = "live"};
	struct stage s = stage_begin(3, 24, 80);
	CHECK(stage_key(&s, '9') & UI_DIRTY);
	CHECK_INT(s.ui->view, VIEW_PANES);
	CHECK(stage_shows(&s, "no memtrace file: --memtrace FILE shows one here"));
	stage_key(&s, UI_KEY_DOWN);
	CHECK(!stage_shows(&s, "memtrace"));
	/* A notice of the app does not hide it. */
	s.subject.notice = "saved to a file";
	stage_key(&s, '9');
	CHECK(stage_shows(&s, "no memtrace file"));
	s.subject.notice = NULL;
	s.subject.watch = NULL;
	s.subject.processes = &process;
	s.subject.process_count = 1;
	stage_key(&s, '2');
	CHECK_INT(s.ui->view, VIEW_OVERVIEW);
	CHECK(stage_shows(&s, "choose a process first"));
	stage_fini(&s);
}

/* What a key says that can change nothing where it is pressed. */
TEST(test_why_nothing)
{
	static const struct {
		const char *before;
		ui_key key;
		const char *says;
	} cases[] = {
	    {"", UI_KEY_PAGE_UP, "there is nothing before this"},
	    {" ", UI_KEY_PAGE_UP, "there is nothing before this"},
	    {" t", UI_KEY_PAGE_UP, "there is nothing before this"},
	    {" t", UI_KEY_RIGHT, "there is nothing after this"},
	    {" t\n", UI_KEY_ENTER, "there is nothing more to open"},
	    {" \n", UI_KEY_ENTER, "there is nothing more to open"},
	    {"\n", UI_KEY_ENTER, "there is nothing more to open"},
	    {"", UI_KEY_ESCAPE, "there is nothing to go back from: q quits"},
	    {"7", UI_KEY_ESCAPE, "there is nothing to go back from: q quits"},
	    {"", 'n', "nothing is searched for: / begins"},
	    {"[[[[[", '[', "this is the shortest"},
	    {"]]]]]]]]]", ']', "this is the longest"},
	    {"7", UI_KEY_DOWN, "nothing to move here"},
	    {"7", 'n', "only while frozen: p freezes the picture"},
	    {"7", '>', "nothing to sort here"},
	    {"7", 't', "t is only of: panes"},
	    {"7", 'u', "u is only of: memtrace sites"},
	    {"a", UI_KEY_ENTER, "nothing to open here"},
	    {"", '(', "no replay: this key leads through a recording"},
	    {" ", '(', "no replay: this key leads through a recording"},
	    {"", 'N', "nothing is searched for: / begins"},
	    {"", 'E', "this key has no use here: ? lists those that have"},
	    {" t", 'x', "this key has no use here: ? lists those that have"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage s = stage_begin(3, 24, 120);
		stage_type(&s, cases[i].before);
		CHECK(stage_key(&s, cases[i].key) & UI_DIRTY);
		if (!stage_shows(&s, cases[i].says))
			TEST_FAIL("%s %s does not say: %s", cases[i].before, ui_key_name(cases[i].key).s,
			    cases[i].says);
		stage_key(&s, 'L');
		CHECK(!stage_shows(&s, cases[i].says) || s.ui->why != NULL);
		stage_fini(&s);
	}
}

/* More than there is room for: what fits stays a text, whatever its characters take. */
TEST(test_long)
{
	struct stage s = stage_begin(12, 60, 160);
	stage_type(&s, "/");
	for (int i = 0; i < 2 * VIEW_TEXT_MAX; i++)
		stage_key(&s, 'x');
	CHECK_INT(strnlen(s.ui->text, sizeof(s.ui->text)), VIEW_TEXT_MAX - 1);
	stage_key(&s, UI_KEY_BACKSPACE);
	stage_key(&s, 0xe9);
	CHECK_INT(strnlen(s.ui->text, sizeof(s.ui->text)), VIEW_TEXT_MAX - 2);
	stage_fini(&s);
}
