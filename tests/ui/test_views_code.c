/*
 * test_views_code.c - pictures of view c, and what its keys do.
 */
#include <math.h>

#include "support/code_story.h"
#include "support/pictures.h"
#include "support/test.h"
#include "ui/view.h"
#include "ui/views/code_state.h"

struct picture {
	const char *name, *keys;
	unsigned traits;
	bool off, lossy, fibers;
};

static const struct picture pictures[] = {
    {.name = "code", .keys = "c", .traits = PICTURE_TWICE},
    {.name = "code_domain", .keys = "cdd"},
    {.name = "code_off_cpu", .keys = "cddd>>>>>", .off = true},
    {.name = "code_tree", .keys = "ct↓↓↓", .traits = PICTURE_TWICE},
    {.name = "code_flame", .keys = "ctF", .lossy = true},
    {.name = "code_callers", .keys = "c↓\n↓"},
    {.name = "code_zoomed", .keys = "ct↓↓\n/encode\n"},
    {.name = "code_in_gc", .keys = "ctww"},
    {.name = "code_locks", .keys = "ctt", .traits = PICTURE_TWICE | PICTURE_200x60},
    {.name = "code_locks_unknown", .keys = "ctt", .lossy = true},
    {.name = "code_help", .keys = "ct?"},
    {.name = "code_frozen", .keys = "c "},
    {.name = "code_stops", .keys = "6", .traits = PICTURE_TWICE},
    {.name = "code_runs", .keys = "ftt", .traits = PICTURE_TWICE | PICTURE_BY_WIDTH, .fibers = true},
};

static struct {
	struct subject_code code;
	struct profile *profile;
} made;

#define SECOND UINT64_C(1000000000)

/* Looks at locks: one that is held half of the time, one that a channel has, one that threads of a domain take in turns. */
static struct lock_table locks_story(void)
{
	return (struct lock_table){.window = {.looks = 600,
				       .ns = UINT64_C(59900000000),
				       .known = 60 * SECOND,
				       .threads = 4.2,
				       .ts = STORY_END,
				       .count = 3,
				       .rows = {{.number = 1,
						    .lock.kind = LOCK_MUTEX,
						    .lock.address = 0x7f31a4001b80,
						    .lock.domain = -1,
						    .lock.fd = -1,
						    .looks = 330,
						    .ns = 33 * SECOND,
						    .waited_ns = 80 * SECOND,
						    .did[LOCK_IN_CALL] = 30,
						    .did[LOCK_RUNS] = 290,
						    .did[LOCK_UNSEEN] = 10,
						    .call = 0,
						    .longest = 1200000000},
					   {.number = 2,
					       .lock.kind = LOCK_CHANNEL,
					       .lock.address = 0x55e87b228a28,
					       .lock.domain = -1,
					       .lock.fd = 1,
					       .looks = 60,
					       .ns = 6 * SECOND,
					       .waited_ns = 6 * SECOND,
					       .did[LOCK_IN_CALL] = 60,
					       .call = 1,
					       .longest = 200000000},
					   {.lock.kind = LOCK_MASTER,
					       .lock.address = 0x55e87b22f000,
					       .lock.domain = 2,
					       .lock.fd = -1,
					       .looks = 9,
					       .ns = 9 * SECOND / 10,
					       .waited_ns = 9 * SECOND / 10,
					       .did[LOCK_GONE] = 4,
					       .did[LOCK_WAITS] = 5,
					       .call = -1}}}};
}

/* A stage whose subject has samples. */
static void begin(struct stage *s, bool off, bool lossy, int rows, int cols)
{
	stage_init(s, 3, rows, cols);
	made.profile = code_story(STORY_BEGIN, STORY_END);
	made.code = (struct subject_code){.profile = made.profile,
	    .on = !off,
	    .hz = 99,
	    .own = 0.0042,
	    .target = 0.0011,
	    .lost = lossy ? 12 : 0,
	    .left_out = lossy ? 3 : 0};
	made.code.locks =
	    lossy ? (struct lock_table){.why = "the kernel refuses to show its memory"} : locks_story();
	s->subject.code = &made.code;
	ui_draw(s->ui, story_told(&s->subject), s->canvas);
}

static void end(struct stage *s)
{
	stage_fini(s);
	profile_destroy(made.profile);
}

static const char *name_of(int picture)
{
	return pictures[picture].name;
}

static unsigned traits_of(int picture)
{
	return pictures[picture].traits;
}

static struct stage *open_picture(int picture, int rows, int cols)
{
	static struct stage stage;

	begin(&stage, pictures[picture].off, pictures[picture].lossy, rows, cols);
	if (pictures[picture].fibers)
		story_cancel(&stage);
	stage_type(&stage, pictures[picture].keys);
	return &stage;
}

static void close_picture(struct stage *stage)
{
	end(stage);
}

TEST(pictures_are_as_they_should)
{
	const struct picture_set set = {.count = sizeof(pictures) / sizeof(pictures[0]),
	    .name = name_of,
	    .traits = traits_of,
	    .open = open_picture,
	    .close = close_picture};

	pictures_check(&set);
}

TEST(figures_are_those_of_the_samples)
{
	struct stage s;

	begin(&s, false, false, 40, 120);
	stage_type(&s, "cd");
	struct code_state *state = code_own(s.ui);
	CHECK_INT(state->domain, 0);
	/* Of 1000 samples of D0. */
	CHECK(state->totals.counts.on == 1000 && state->totals.counts.gc == 200 &&
	      state->totals.counts.incomplete == 20);
	CHECK(stage_shows(&s, "50% ±3.1"));
	stage_type(&s, "d");
	CHECK(state->domain == 1 && state->totals.counts.on == 1000 && state->totals.counts.gc == 0);
	CHECK(stage_shows(&s, "90% ±1.9"));
	stage_type(&s, "d");
	CHECK(state->domain == 2 && state->totals.counts.on == 0 && state->totals.counts.off == 300);
	stage_type(&s, "d");
	CHECK_INT(state->domain, PROFILE_NO_DOMAIN);
	stage_type(&s, "d");
	CHECK_INT(state->domain, PROFILE_ALL);
	CHECK_INT(state->totals.counts.on, 2000);
	end(&s);
}

/* Names that are left out leave the samples what they are; callers that are not known have a remedy. */
TEST(what_is_missing_is_told)
{
	struct stage s;

	begin(&s, false, false, 40, 120);
	stage_type(&s, "c");
	CHECK(!stage_shows(&s, "More callers"));
	strcpy(made.code.blind, "Functions may lack their names: a reason.");
	CHECK(stage_shows(&s, "code 99Hz") && !stage_shows(&s, "off CPU only"));
	made.code.waits_only = true;
	CHECK(stage_shows(&s, "off CPU only"));
	for (unsigned i = 0; i < 300; i++)
		profile_add(
		    made.profile, &(struct profile_sample){
				      .ts = STORY_END, .tid = 4242, .stack = 1, .marks = PROFILE_INCOMPLETE});
	profile_settle(made.profile, UINT64_MAX, NULL, NULL);
	CHECK(stage_shows(&s, "More callers are known where fewer processes are busy."));
	end(&s);
}

TEST(the_tree_zooms_searches_and_returns)
{
	struct stage s;

	begin(&s, false, false, 40, 120);
	stage_type(&s, "ct");
	struct call_tree *calls = &code_own(s.ui)->calls;
	CHECK_INT(calls->bars.total, 2000);
	stage_type(&s, "↓\n");
	CHECK_INT(calls->zoom.depth, 1);
	CHECK(calls->bars.total == 1000 || calls->bars.total == 980);
	stage_type(&s, "/slow_in\n");
	stage_type(&s, "⎋⎋");
	CHECK_INT(calls->zoom.depth, 0);
	stage_type(&s, "/slow_in\n");
	CHECK_INT(calls->cursor.depth, 5);
	stage_type(&s, "w");
	CHECK_INT(calls->bars.total, 400);
	stage_type(&s, "⎋⎋");
	CHECK(!code_own(s.ui)->tree);
	/* Enter on a function shows who called it. */
	stage_type(&s, "www");
	stage_type(&s, "\n");
	CHECK(code_own(s.ui)->tree && calls->invert && calls->zoom.depth == 1);
	end(&s);
}

TEST(a_page_of_locks)
{
	struct stage s;

	begin(&s, false, false, 40, 120);
	stage_type(&s, "ctt");
	CHECK(code_own(s.ui)->locks && !code_own(s.ui)->tree);
	CHECK(stage_shows(&s, "mutex 0x7f31a4001b80") && stage_shows(&s, "Db.with_conn 100%"));
	CHECK(stage_shows(&s, "Db.row"));
	/* A lock that was seen in no sample has no functions, and is last in both orders. */
	stage_type(&s, "<<<<<");
	CHECK(stage_shows(&s, "lock        "));
	/* Frozen it stands still, whatever comes. */
	stage_type(&s, " ");
	made.code.locks.window.looks = 900;
	made.code.locks.window.ts++;
	ui_draw(s.ui, &s.subject, s.canvas);
	CHECK(stage_shows(&s, "looks 600"));
	stage_type(&s, " ");
	ui_draw(s.ui, &s.subject, s.canvas);
	CHECK(stage_shows(&s, "looks 900"));
	/* The tables keep where the user was. */
	stage_type(&s, "t");
	CHECK(!code_own(s.ui)->locks && !code_own(s.ui)->tree);
	stage_type(&s, "↓↓");
	stage_type(&s, "ttt");
	CHECK_INT(ui_place(s.ui)->list.selected, 2);
	end(&s);
}

TEST(without_samples_there_is_no_view_and_C_says_how)
{
	struct stage s = stage_begin(2, 24, 100);
	CHECK(stage_refuses(&s, 'c'));
	CHECK(stage_shows(&s, "C begins"));
	s.subject.code_refused = "it has no frame tables, as bytecode has none";
	CHECK(stage_refuses(&s, 'c'));
	CHECK(stage_shows(&s, s.subject.code_refused));
	CHECK(!stage_shows(&s, "C begins"));
	stage_fini(&s);
}
