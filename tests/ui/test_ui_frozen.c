/*
 * test_ui_frozen.c - frozen at a moment, every number on the screen is of that moment: in every view, after
 * every key, at every size, whatever comes meanwhile.
 *
 * Two stages show the same target, frozen at the same moment.  The target of one goes on, with other facts
 * and texts; the other one's stands still for good.  After each key their screens must be the same, cell by
 * cell.
 */
#include "support/test.h"

#include <math.h>

#include "ui/header_figures.h"
#include "ui/view.h"
#include "ui/views/pane.h"
#include "support/screen.h"
#include "support/ui_story.h"

/* Texts of the facts that are written over once they may have been copied. */
struct facts {
	char name[32], ocaml[16], path[64], clock[16], output[64];
	uint64_t unread[4];
	struct subject_file files[4];
	char paths[4][32];
};

struct twin {
	struct stage stage;
	struct facts facts;
	uint64_t seed;
};

/* Set a twin up. */
static void twin_init(struct twin *t, int rows, int cols)
{
	struct subject *s = &t->stage.subject;

	stage_init(&t->stage, 3, rows, cols);
	stage_offer(&t->stage, STORY_APP_LIVE);
	t->facts = (struct facts){.name = "myserver",
	    .ocaml = "5.3.0",
	    .path = "/run/4242.events",
	    .clock = "18:31:04",
	    .output = "one line\nanother one\n",
	    .unread = {120, 0, 31000}};
	s->name = t->facts.name;
	s->ocaml = t->facts.ocaml;
	s->path = t->facts.path;
	s->clock = t->facts.clock;
	s->output = t->facts.output;
	s->output_len = strlen(t->facts.output);
	s->unread = t->facts.unread;
	for (unsigned i = 0; i < 4; i++) {
		snprintf(t->facts.paths[i], sizeof(t->facts.paths[i]), "rtevtop-pause-%u.fxt", i);
		t->facts.files[i] = (struct subject_file){.ts = STORY_END - (9 - i) * 100 * STORY_MS,
		    .duration = 20 * STORY_MS,
		    .phase = RTEV_PHASE_MAJOR,
		    .made = true,
		    .path = t->facts.paths[i],
		    .problem = i == 1 ? t->facts.paths[0] : NULL};
	}
	s->files = t->facts.files;
	s->file_count = 2;
	s->pause_ns = 10 * STORY_MS;
	s->pause_files = 2;
	t->seed = 1;
}

/* A number below a limit. */
static uint64_t below(struct twin *t, uint64_t limit)
{
	t->seed = t->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (t->seed >> 33) % limit;
}

/* One event of any kind, also of domains and names that are new. */
static void any_event(struct twin *t, const struct rtev_callbacks *calls, uint64_t ts)
{
	struct model *m = watch_model(t->stage.watch);
	struct rtev_user_event user = {.generation = 1};
	unsigned domain = (unsigned)below(t, 5);

	user.id = (uint16_t)below(t, 9);
	user.name_len = (uint16_t)snprintf((char *)user.name, sizeof(user.name), "name.%u", user.id);
	switch (below(t, 12)) {
	case 0:
	case 1:
		calls->begin(m, domain, ts, (rtev_phase)below(t, 60));
		break;
	case 2:
	case 3:
		calls->end(m, domain, ts, (rtev_phase)below(t, 60));
		break;
	case 4:
		calls->begin(m, domain, ts - 30 * STORY_MS, RTEV_PHASE_MAJOR);
		calls->end(m, domain, ts, RTEV_PHASE_MAJOR);
		break;
	case 5:
		calls->counter(m, domain, ts, (rtev_counter)below(t, 40), (int64_t)below(t, 1000000));
		break;
	case 6:
		calls->alloc(m, domain, ts, story_alloc);
		break;
	case 7:
		calls->lifecycle(m, domain, ts, (rtev_lifecycle)below(t, 9), 4242);
		break;
	case 8:
		calls->user_span(m, domain, ts, &user, below(t, 2) == 0);
		break;
	case 9:
		calls->user_int(m, domain, ts, &user, (int64_t)below(t, 1000));
		break;
	case 10:
		calls->user_custom(m, domain, ts, &user, "payload", 7);
		break;
	default:
		calls->lost(m, domain, below(t, 1000), 0);
		break;
	}
}

/* Let the target go on, and everything that is known of it become something else. */
static void go_on(struct twin *t)
{
	struct stage *s = &t->stage;
	struct rtev_callbacks calls;

	model_callbacks(&calls);
	for (int i = 0; i < 200; i++)
		any_event(t, &calls, s->subject.now + (uint64_t)i * STORY_MS);
	stage_go_on(s, 300);
	memset(t->facts.name, 'x', 8);
	memset(t->facts.ocaml, '9', 5);
	memset(t->facts.path, 'y', 8);
	memset(t->facts.clock, '1', 8);
	memset(t->facts.output, 'z', 20);
	s->subject.file_count = 4;
	for (int i = 0; i < 3; i++)
		t->facts.unread[i] = below(t, STORY_RING_WORDS);
	s->subject.uptime_s++;
	system_past_set_memory(watch_system(s->subject.watch), &(struct system_memory){.ts = 1, .why = ""});
	s->subject.execs++;
	s->subject.tracing = SUBJECT_TRACING_UNKNOWN;
	s->subject.recording_ns += 1000000000;
	s->subject.recording_bytes += 4096;
	s->subject.pause_files++;
}

/* Draw both and compare. */
static void compare(struct twin *live, struct twin *still, const char *what)
{
	ui_draw(live->stage.ui, story_told(&live->stage.subject), live->stage.canvas);
	ui_draw(still->stage.ui, story_told(&still->stage.subject), still->stage.canvas);
	if (!screen_same(live->stage.canvas, still->stage.canvas))
		TEST_FAIL("%s: now\n%s\nwas\n%s", what, canvas_dump(live->stage.canvas),
		    canvas_dump(still->stage.canvas));
}

/* Set both up, in a view, frozen. */
static void twins_init(struct twin *live, struct twin *still, int view, int rows, int cols)
{
	twin_init(live, rows, cols);
	twin_init(still, rows, cols);
	const char keys[] = {(char)('1' + view), ' ', '\0'};
	stage_type(&live->stage, keys);
	stage_type(&still->stage, keys);
	CHECK(live->stage.ui->frozen && still->stage.ui->frozen);
}

/* Clear both. */
static void twins_fini(struct twin *live, struct twin *still)
{
	stage_fini(&live->stage);
	stage_fini(&still->stage);
}

/* All keys that do something anywhere. */
static size_t all_keys(ui_key *out)
{
	size_t count = 0;

	for (int a = 0; a < ACTION_COUNT; a++)
		for (int k = 0; k < 3; k++) {
			ui_key key = action_info((enum ui_action)a)->keys[k];
			if (key != UI_KEY_NONE && key != ' ' && key != 'p')
				out[count++] = key;
		}
	out[count++] = 'd'; /* behind those that ask for a text */
	out[count++] = UI_KEY_ENTER;
	return count;
}

static const struct {
	int rows, cols;
} sizes[] = {{24, 80}, {40, 120}, {60, 200}, {10, 40}};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* Frozen in a view, key after key, while the target goes on. */
static void every_key(int view, int size)
{
	ui_key keys[3 * ACTION_COUNT + 2];
	size_t count = all_keys(keys);
	struct twin live, still;
	char what[64];

	twins_init(&live, &still, view, sizes[size].rows, sizes[size].cols);
	for (size_t i = 0; i < count; i++) {
		go_on(&live);
		snprintf(what, sizeof(what), "view %d, %dx%d, before %s", view + 1, sizes[size].rows,
		    sizes[size].cols, ui_key_name(keys[i]).s);
		compare(&live, &still, what);
		unsigned reactions = ui_press(live.stage.ui, &live.stage.subject, keys[i]);
		CHECK_INT(ui_press(still.stage.ui, &still.stage.subject, keys[i]), reactions);
		while (ui_asked(live.stage.ui) != ACTION_NONE)
			CHECK(ui_asked(still.stage.ui) != ACTION_NONE);
		CHECK(live.stage.ui->frozen == still.stage.ui->frozen);
		if (!live.stage.ui->frozen) {
			twins_fini(&live, &still);
			twins_init(&live, &still, view, sizes[size].rows, sizes[size].cols);
		}
	}
	twins_fini(&live, &still);
}

TEST(test_every_key)
{
	for (int v = 0; v < 8; v++)
		for (int s = 0; s < SIZES; s++)
			every_key(v, s);
}

/* A frozen screen that changes its size shows the same moment. */
TEST(test_resize)
{
	for (int v = 0; v < 8; v++) {
		struct twin live, still;
		twins_init(&live, &still, v, 24, 80);
		for (int i = 0; i < 2 * SIZES; i++) {
			const int s = i % SIZES;
			go_on(&live);
			CHECK(canvas_resize(live.stage.canvas, sizes[s].rows, sizes[s].cols));
			CHECK(canvas_resize(still.stage.canvas, sizes[s].rows, sizes[s].cols));
			compare(&live, &still, "resized");
		}
		twins_fini(&live, &still);
	}
}

/* Unfrozen, the screen is what it would be without having been frozen, but for where the edges of bars linger. */
TEST(test_thaw)
{
	for (int v = 0; v < 8; v++) {
		struct twin frozen, never;
		twin_init(&frozen, 40, 120);
		twin_init(&never, 40, 120);
		stage_key(&frozen.stage, (ui_key)('1' + v));
		stage_key(&never.stage, (ui_key)('1' + v));
		stage_key(&frozen.stage, ' ');
		for (int i = 0; i < 20; i++) {
			go_on(&frozen);
			go_on(&never);
			ui_draw(frozen.stage.ui, story_told(&frozen.stage.subject), frozen.stage.canvas);
			ui_draw(never.stage.ui, story_told(&never.stage.subject), never.stage.canvas);
			CHECK(!screen_same(frozen.stage.canvas, never.stage.canvas));
		}
		stage_key(&frozen.stage, ' ');
		CHECK(!frozen.stage.ui->frozen);
		/* Bars stay where they stood in the picture before, which was another one: at a new size they are
		 * placed anew.  The scale of levels steps down only once it was not needed for a while. */
		panes_own(frozen.stage.ui)->level_top = panes_own(never.stage.ui)->level_top = 0;
		CHECK(canvas_resize(frozen.stage.canvas, 40, 100) &&
		      canvas_resize(never.stage.canvas, 40, 100));
		compare(&frozen, &never, "unfrozen");
		stage_fini(&frozen.stage);
		stage_fini(&never.stage);
	}
}

/* The target may end, and its watch go, before the screen is unfrozen. */
TEST(test_watch_goes)
{
	struct twin t;

	twin_init(&t, 24, 80);
	stage_key(&t.stage, ' ');
	char *before = stage_text(&t.stage);
	t.stage.subject.state = SUBJECT_EXITED;
	go_on(&t);
	char *after = stage_text(&t.stage);
	CHECK_STR(after, before);
	watch_destroy(t.stage.watch);
	t.stage.watch = t.stage.subject.watch = watch_create(&(struct watch_options){0});
	stage_type(&t.stage, "← ");
	CHECK(!t.stage.ui->frozen);
	free(before);
	free(after);
	stage_fini(&t.stage);
}

/* Compare a figure that may be unknown. */
static void check_figure(const char *what, uint64_t at, double then, double past, double tolerance)
{
	double most = fabs(then) > fabs(past) ? fabs(then) : fabs(past);

	if (isnan(then) != isnan(past) || fabs(then - past) > tolerance * most)
		TEST_FAIL("%s at %.3f s: %.9g, and looking back %.9g", what, (double)(at - STORY_BEGIN) / 1e9,
		    then, past);
}

/* Compare pauses by their number, sum and percentiles. */
static void check_pauses(const struct hist *is, const struct hist *was)
{
	CHECK(is != NULL && was != NULL);
	CHECK_INT(is->count, was->count);
	CHECK_INT(is->sum, was->sum);
	for (unsigned p = 1; p <= 100; p++)
		CHECK_NEAR((double)hist_percentile(is, p, 100), (double)hist_percentile(was, p, 100),
		    0.01 * (double)hist_percentile(was, p, 100));
}

/* The figures of the header at a time that is scrolled back to are those that it told then. */
static void check_past(struct stage *now, uint64_t at)
{
	struct stage then = {.story = now->story};
	struct figures was, is, rates;

	then.watch = story_watch_until(&now->story, at);
	then.subject = story_subject(then.watch);
	then.subject.now = at;
	then.ui = ui_create(&(struct ui_options){.view = VIEW_PANES});
	then.canvas = canvas_create(24, 80);
	ui_draw(then.ui, story_told(&then.subject), then.canvas);
	figures_read(then.ui, &then.subject, &was);
	then.subject.now = at - 1; /* the steps that were over */
	figures_read(then.ui, &then.subject, &rates);

	now->ui->frozen_range.span = 2 * STORY_MS;
	now->ui->frozen_range.centre = at - STORY_MS;
	ui_draw(now->ui, story_told(&now->subject), now->canvas);
	struct subject shown = snapshot_subject(now->ui->snapshot, &now->subject);
	figures_read(now->ui, &shown, &is);
	CHECK(is.past && is.at == at && !was.past);
	check_figure("GC since", at, was.since.gc, is.since.gc, 1e-6);
	check_figure("waiting since", at, was.since.wait, is.since.wait, 1e-6);
	check_figure("GC now", at, rates.now.gc, is.now.gc, 1e-6);
	check_figure("waiting now", at, rates.now.wait, is.now.wait, 1e-6);
	/* Events count when they were delivered, a tenth of a second at a time. */
	check_figure("events", at, rates.now.events, is.now.events, 0.15);
	check_figure("minors", at, rates.now.minors, is.now.minors, 1e-6);
	check_figure("cycles", at, rates.now.cycles, is.now.cycles, 1e-6);
	check_figure("alloc", at, rates.now.allocated, is.now.allocated, 1e-6);
	check_figure("promoted", at, rates.now.promoted, is.now.promoted, 1e-6);
	check_figure("heap", at, was.heap, is.heap, 1e-6);
	CHECK_INT(is.since.lost_words, was.since.lost_words);
	CHECK_INT(is.now.lost_words, rates.now.lost_words);
	CHECK_INT(is.domains, was.domains);
	check_pauses(is.since.pauses, was.since.pauses);
	check_pauses(is.now.pauses, rates.now.pauses);
	canvas_destroy(then.canvas);
	ui_destroy(then.ui);
	watch_destroy(then.watch);
}

#define PAST_STEPS (4 * STORY_SECONDS - 2)

TEST(test_past)
{
	for (unsigned domains = 1; domains <= 8; domains += 7) {
		struct stage s = stage_begin(domains, 24, 80);
		stage_type(&s, " t");
		/* On and on, back and back, and to and fro. */
		for (unsigned n = 0; n < 3 * PAST_STEPS; n++) {
			unsigned k = n < PAST_STEPS	  ? n
				     : n < 2 * PAST_STEPS ? 2 * PAST_STEPS - 1 - n
							  : n * 7919 % PAST_STEPS;
			unsigned ms = 500 + 250 * k;
			/* That it had paused, or that words were lost, was known only afterwards. */
			bool unknown = (ms > 6100 && ms <= 6500) || ms == 4000;
			if (!unknown)
				check_past(&s, STORY_BEGIN + ms * STORY_MS);
		}
		stage_fini(&s);
	}
}

/* Header, state and panes agree about the time that is shown, and other views are of when the screen was
 * frozen. */
TEST(test_scrolled)
{
	struct stage s = stage_begin(3, 40, 160);
	stage_type(&s, " t");
	CHECK(stage_shows(&s, "FROZEN 18:31:04 ") && stage_shows(&s, "to 18:31:04.000"));
	for (int i = 0; i < 4; i++)
		stage_key(&s, UI_KEY_LEFT);
	CHECK(stage_shows(&s, "FROZEN 18:31:01 (-2.50s)") && stage_shows(&s, "to 18:31:01.500"));
	CHECK(stage_shows(&s, "up 3h11m") && stage_shows(&s, "domains 3") && !stage_shows(&s, "ring 47%"));
	stage_key(&s, '5');
	CHECK(stage_shows(&s, "FROZEN 18:31:04 ") && stage_shows(&s, "up 3h12m") &&
	      stage_shows(&s, "domains 2"));
	stage_key(&s, '1');
	CHECK(stage_shows(&s, "FROZEN 18:31:01 (-2.50s)"));
	/* Before the totals began anew nothing is known of them. */
	stage_key(&s, ' ');
	model_reset(watch_model(s.watch));
	stage_go_on(&s, 3000);
	stage_key(&s, ' ');
	for (int i = 0; i < 6; i++)
		stage_key(&s, UI_KEY_LEFT);
	CHECK(stage_shows(&s, "lost         -") && stage_shows(&s, "worst pause -"));
	stage_fini(&s);
}

/* Frozen, the list of processes is of that moment, whatever becomes of them; Esc lets it go on. */
TEST(test_overview)
{
	char name[] = "one", user[] = "root", ocaml[] = "5.3.0";
	float shares[] = {0.5f, 0.25f};
	struct subject_process processes[] = {{.pid = 11,
						  .name = name,
						  .user = user,
						  .ocaml = ocaml,
						  .state = "live",
						  .live = true,
						  .figures.cpu = 0.5,
						  .figures.all.gc_share = 0.25,
						  .gc_history = shares,
						  .gc_count = 2},
	    {.pid = 22, .name = name, .state = "no-ring"}};
	struct stage s = stage_begin(3, 24, 120);
	s.subject.watch = NULL;
	s.subject.processes = processes;
	s.subject.process_count = 2;
	stage_type(&s, "↓ ");
	CHECK(s.ui->frozen && s.ui->view == VIEW_OVERVIEW && stage_shows(&s, "FROZEN 18:31:04 "));
	char *before = stage_text(&s);
	memset(name, 'x', 3), memset(user, 'y', 4), memset(ocaml, 'z', 5);
	shares[0] = 0;
	processes[0].pid = 33;
	s.subject.process_count = 1;
	s.subject.now += 1000 * STORY_MS;
	s.subject.clock = "18:31:05";
	char *after = stage_text(&s);
	CHECK_STR(after, before);
	stage_type(&s, "tt↑\n");
	CHECK_INT(ui_asked(s.ui), ACTION_OPEN);
	CHECK_INT(ui_chosen(s.ui), 11);
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(!s.ui->frozen && stage_shows(&s, "33  xxx") && !stage_shows(&s, "FROZEN"));
	free(before);
	free(after);
	stage_fini(&s);
}

/* The linker sends the copying of a watch here (--wrap). */
struct watch *__real_watch_copy(struct watch *from);
struct watch *__wrap_watch_copy(struct watch *from);
static bool no_memory;

struct watch *__wrap_watch_copy(struct watch *from)
{
	return no_memory ? NULL : __real_watch_copy(from);
}

/* Where there can be no copy the screen goes on, and it is said. */
TEST(test_no_copy)
{
	struct stage s = stage_begin(3, 24, 120);
	no_memory = true;
	stage_key(&s, ' ');
	CHECK(!s.ui->frozen && stage_shows(&s, "not frozen: "));
	stage_type(&s, "5\n");
	CHECK(!s.ui->frozen && s.ui->view == VIEW_PAUSES && stage_shows(&s, "not frozen: "));
	no_memory = false;
	stage_key(&s, ' ');
	CHECK(s.ui->frozen && !stage_shows(&s, "not frozen: "));
	stage_fini(&s);
}
