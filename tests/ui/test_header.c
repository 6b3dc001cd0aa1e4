/*
 * test_header.c - the band at the top of the screen: its fields stand where they are, whatever they show.
 */
#include "support/test.h"

#include "support/ui_story.h"
#include <math.h>

#include "print/number.h"
#include "ui/header_figures.h"

#define COLS_LEAST 40
#define COLS_MOST 300

/* The lines of a screen's band: the target, the verdict, the gauges. */
enum { TARGET, VERDICT, FIRST, SECOND, LINES };
struct shown {
	char text[LINES][2048];
};

/* Draw a stage at a size and take its band. */
static void show(struct stage *s, int rows, int cols, struct shown *out)
{
	CHECK(canvas_resize(s->canvas, rows, cols));
	char *screen = stage_text(s), *rest = screen;

	for (int i = 0; i < LINES; i++)
		snprintf(out->text[i], sizeof(out->text[i]), "%s", strsep(&rest, "\n"));
	free(screen);
}

/* The column of a text in a line; -1: it has none. */
static int col_of(const char *line, const char *text)
{
	const char *at = strstr(line, text);
	int col = 0;

	for (const char *c = line; at != NULL && c < at; c++)
		col += ((unsigned char)*c & 0xc0) != 0x80;
	return at != NULL ? col : -1;
}

/* Where labels stand at 120 columns. */
static void check_places(const struct shown *shown)
{
	static const struct {
		int line, col;
		const char *text;
	} places[] = {{TARGET, 26, "OCaml "}, {TARGET, 58, "up "}, {TARGET, 69, "domains "},
	    {TARGET, 80, "since "}, {FIRST, 1, "GC "}, {FIRST, 25, "work "}, {FIRST, 43, "│"},
	    {FIRST, 45, "pause "}, {FIRST, 69, "p99 "}, {FIRST, 84, "heap "}, {SECOND, 1, "CPU "},
	    {SECOND, 25, "queued "}, {SECOND, 45, "alloc "}, {SECOND, 69, "promoted "}, {SECOND, 84, "lost "},
	    {SECOND, 108, "ring "}};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (col_of(shown->text[places[i].line], places[i].text) != places[i].col)
			TEST_FAIL(
			    "%s not at %d:\n%s", places[i].text, places[i].col, shown->text[places[i].line]);
}

/* Fields stand where they are while a target goes on, loses events, is silent and is frozen. */
TEST(test_fields_stand)
{
	struct shown shown;
	struct stage s = stage_begin(3, 40, 120);
	for (int step = 0; step < 12; step++) {
		show(&s, 40, 120, &shown);
		check_places(&shown);
		if (step == 4)
			s.calls.lost(watch_model(s.watch), 0, 123456789, 0);
		stage_go_on(&s, step < 8 ? 700 : 5000);
	}
	stage_key(&s, ' ');
	show(&s, 40, 120, &shown);
	CHECK(col_of(shown.text[FIRST], "pause ") == 45 && col_of(shown.text[SECOND], "lost ") == 84);
	stage_fini(&s);
}

/* At every size nothing is cut, the name and the state are there, and so is each gauge of a row that is. */
TEST(test_sizes)
{
	struct shown shown;
	struct stage s = stage_begin(3, 24, 80);
	for (int rows = 9; rows <= 44; rows += 5)
		for (int cols = COLS_LEAST; cols <= COLS_MOST; cols++) {
			const int lines = rows >= 20 ? 4 : rows >= 14 ? 3 : 2;
			show(&s, rows, cols, &shown);
			for (int i = 0; i < lines; i++)
				if (strstr(shown.text[i], "…") != NULL)
					TEST_FAIL("%dx%d: %s", cols, rows, shown.text[i]);
			CHECK(strstr(shown.text[TARGET], "4242") != NULL &&
			      strstr(shown.text[TARGET], "LIVE") != NULL);
			CHECK(cols < 78 || (strstr(shown.text[TARGET], "OCaml 5.3.0") != NULL &&
					       strstr(shown.text[TARGET], "up 3h12m") != NULL));
			CHECK(strncmp(shown.text[VERDICT], " ▲ LONG PAUSES", strlen(" ▲ LONG PAUSES")) == 0);
			CHECK(cols < 50 || strstr(shown.text[VERDICT], "[5]") != NULL);
			if (lines > 2)
				CHECK(strncmp(shown.text[FIRST], " GC ", 4) == 0 &&
				      (cols < 50 ||
					  (strstr(shown.text[FIRST], " pause ") != NULL &&
					      (lines == 3 ? strstr(shown.text[FIRST], " lost ") != NULL
							  : strstr(shown.text[FIRST], " heap ") != NULL))));
			if (lines > 3)
				CHECK(strncmp(shown.text[SECOND], " CPU ", 5) == 0 &&
				      (cols < 50 || strstr(shown.text[SECOND], " lost ") != NULL));
			CHECK(cols >= 112
				  ? cols < 124 || strstr(shown.text[TARGET], "worst pause ≥50.0ms") != NULL
				  : strstr(shown.text[TARGET], "since") == NULL);
			CHECK(lines < 3 || (strstr(shown.text[FIRST], " work ") != NULL) == (cols >= 120));
		}
	stage_fini(&s);
}

/* The style of the figure behind a label in a row of the screen. */
static enum style style_behind(struct stage *s, int row, const char *label)
{
	struct shown shown;

	show(s, 40, 120, &shown);
	int col = col_of(shown.text[row], label);
	CHECK(col >= 0);
	return (enum style)canvas_row(s->canvas, row)[col + 13].style;
}

/* What is lost now is bad, what was lost before by its share; nothing lost is good. */
TEST(test_lost_colours)
{
	struct stage s = stage_begin(1, 40, 120);
	CHECK_INT(style_behind(&s, SECOND, "lost "), STYLE_GOOD);
	s.calls.lost(watch_model(s.watch), 0, 10, 0);
	stage_go_on(&s, 200);
	CHECK_INT(style_behind(&s, SECOND, "lost "), STYLE_LOST);
	stage_go_on(&s, 6000);
	CHECK_INT(style_behind(&s, SECOND, "lost "), STYLE_WARN);
	stage_fini(&s);
	stage_init(&s, 3, 40, 120);
	CHECK_INT(style_behind(&s, SECOND, "lost "), STYLE_BAD);
	stage_fini(&s);
}

/* When the totals began: the time of day, the day of the week from a day on, the date from a week on. */
TEST(test_since)
{
	static const struct {
		uint64_t hours;
		const char *text;
	} ages[] = {{0, "since 18:30"}, {5, "since 18:30"}, {23, "since 18:30"}, {25, "since Wed 18:30"},
	    {150, "since Wed 18:30"}, {24 * 8, "since 20 Nov"}, {24 * 400, "since 20 Nov"}};
	struct shown shown;
	struct stage s;

	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++) {
		stage_init(&s, 3, 40, 120);
		stage_pass(&s, ages[i].hours * 3600 * 1000);
		show(&s, 40, 120, &shown);
		CHECK_INT(col_of(shown.text[TARGET], ages[i].text), 80);
		stage_fini(&s);
	}
	/* Of a file nobody knows when that was. */
	stage_init(&s, 3, 40, 120);
	s.subject.wall_offset = 0;
	show(&s, 40, 120, &shown);
	CHECK_INT(col_of(shown.text[TARGET], "since start "), 80);
	stage_fini(&s);
}

/* Nothing has come for longer than the last seconds: rates are 0, what there is none of is not known. */
TEST(test_quiet)
{
	struct shown shown;
	struct stage s = stage_begin(1, 40, 120);
	for (unsigned i = 0; i < 3; i++)
		while (model_domain(watch_model(s.watch), 0)->depth > 0)
			s.calls.end(watch_model(s.watch), 0, STORY_END,
			    model_domain(watch_model(s.watch), 0)->stack[0].phase);
	stage_pass(&s, 20000);
	show(&s, 40, 120, &shown);
	check_places(&shown);
	CHECK(strstr(shown.text[FIRST], " 0% ") != NULL && strstr(shown.text[FIRST], "p99 -") != NULL &&
	      strstr(shown.text[SECOND], "promoted -") != NULL &&
	      strstr(shown.text[SECOND], " 0B/s ") != NULL);
	stage_fini(&s);
}

/* A pause that goes on counts for as long as it has lasted, by what it waits for. */
TEST(test_open_pause)
{
	struct watch *w = watch_create(&(struct watch_options){.attach_ts = STORY_BEGIN});
	struct ui *ui = ui_create(&(struct ui_options){.view = VIEW_PANES});
	struct subject subject = story_subject(w);
	struct canvas *canvas = canvas_create(40, 120);
	struct rtev_callbacks calls;
	struct figures f;

	model_callbacks(&calls);
	calls.lifecycle(watch_model(w), 0, STORY_BEGIN, RTEV_LIFECYCLE_RING_START, 4242);
	calls.begin(watch_model(w), 0, STORY_BEGIN + 2000 * STORY_MS, RTEV_PHASE_STW_LEADER);
	subject.now = STORY_BEGIN + 4000 * STORY_MS;
	watch_advance(w, subject.now, subject.now);
	figures_read(ui, &subject, &f);
	/* There is no other domain yet that it waits for. */
	CHECK_NEAR(f.now.gc, 0.5, 1e-9);
	CHECK_NEAR(f.now.wait, 0, 0);
	calls.lifecycle(watch_model(w), 1, STORY_BEGIN + 4000 * STORY_MS, RTEV_LIFECYCLE_DOMAIN_SPAWN, 4243);
	calls.lifecycle(
	    watch_model(w), 1, STORY_BEGIN + 4000 * STORY_MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 4243);
	subject.now = STORY_BEGIN + 4000 * STORY_MS;
	watch_advance(w, subject.now, subject.now);
	ui_draw(ui, story_told(&subject), canvas);
	figures_read(ui, &subject, &f);
	CHECK_NEAR(f.now.gc, 0.5, 1e-9);
	CHECK_NEAR(f.now.wait, 0.5, 1e-9);
	CHECK(f.since.gc == 0 && f.since.wait == 0);
	calls.begin(watch_model(w), 0, STORY_BEGIN + 5000 * STORY_MS, RTEV_PHASE_MINOR);
	calls.end(watch_model(w), 0, STORY_BEGIN + 6000 * STORY_MS, RTEV_PHASE_MINOR);
	subject.now = STORY_BEGIN + 6500 * STORY_MS;
	watch_advance(w, subject.now, subject.now);
	figures_read(ui, &subject, &f);
	CHECK_NEAR(f.now.gc, 4.5 / 5, 1e-9);
	CHECK_NEAR(f.now.wait, 3.5 / 5, 1e-9);
	calls.end(watch_model(w), 0, STORY_BEGIN + 6500 * STORY_MS, RTEV_PHASE_STW_LEADER);
	figures_read(ui, &subject, &f);
	CHECK_NEAR(f.now.gc, 4.5 / 5, 1e-9);
	CHECK_NEAR(f.now.wait, 3.5 / 5, 1e-9);
	CHECK_INT(f.now.pauses->count, 1);
	watch_advance(w, subject.now, subject.now);
	figures_read(ui, &subject, &f);
	CHECK_NEAR(f.since.gc, 4.5 / 6.5, 1e-9);
	CHECK_NEAR(f.since.wait, 3.5 / 6.5, 1e-9);
	canvas_destroy(canvas);
	ui_destroy(ui);
	watch_destroy(w);
}

/* Parts add up to the whole, as they are written. */
TEST(test_split)
{
	CHECK_STR(format_gc(0.69, 0.38).s, "69% = 31 work + 38 waiting");
	CHECK_STR(format_gc(0.69, 0.38).brief, "69% = 31 + 38");
	CHECK_STR(format_gc(0.0356, 0.0031).s, "3.6% = 3.3 work + 0.3 waiting");
	CHECK_STR(format_gc(0.5, 0.5).s, "50% = 0 work + 50 waiting");
	CHECK_STR(format_gc(0.5, 0.506).s, "50% = 0 work + 50 waiting");
	CHECK_STR(format_gc(0.0996, 0).s, "10% = 10 work + 0 waiting");
	CHECK_STR(format_gc(0.0001, 0.0001).s, "<0.1%");
	CHECK_STR(format_gc(0, 0).s, "0%");
	CHECK_STR(format_gc(0.5, (double)NAN).s, "50%");
	CHECK_STR(format_gc((double)NAN, 0).s, "-");
	for (unsigned gc = 0; gc <= 1000; gc++)
		for (unsigned wait = 0; wait <= gc; wait += 1 + wait / 7) {
			double all, work, waiting;
			const struct format_split split = format_gc(gc / 1000.0, wait / 1000.0);
			if (sscanf(split.s, "%lf%% = %lf work + %lf waiting", &all, &work, &waiting) != 3)
				continue;
			CHECK_NEAR(all, work + waiting, 1e-6);
			CHECK_NEAR(all, gc / 10.0, 0.51);
			CHECK_NEAR(waiting, wait / 10.0, 0.51);
		}
}

/* A loop that was late is told with the fiber that ran, unless a sample shows what else it can have been. */
TEST(test_late)
{
	static const struct {
		uint64_t ran, waited; /* ms, in the second of that turn */
		char state;
		const char *says;
		bool locked; /* looks saw its thread wait for a lock all the time */
	} cases[] = {
	    {900, 100, 'S', " ▲ LATE LOOP  loop D0 late 800ms: fiber 77 (path not known) ", false},
	    {900, 500, 'S',
		" ▲ LATE LOOP  loop D0 late 800ms: fiber 77 (path not known), at most 500ms of it without a "
		"processor ",
		false},
	    {300, 100, 'S',
		" ▲ LATE LOOP  loop D0 late 800ms: fiber 77 (path not known), the process ran for 300ms at "
		"most ",
		false},
	    {300, 100, 'S',
		" ▲ LATE LOOP  loop D0 late 800ms: fiber 77 (path not known), waits for a lock about 800ms ",
		true},
	    {900, 100, 'T', " ▲ LATE LOOP  loop D0 late 800ms: the process was stopped ", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage stage;
		struct shown shown;
		static struct system_sample sample;
		stage_init(&stage, 2, 30, 120);
		story_serve(&stage);
		struct system_past *past = watch_system(stage.watch);
		const uint64_t from = STORY_END + 300 * STORY_MS, to = from + 800 * STORY_MS;
		const struct fiber_event events[] = {
		    {.op = FIBER_IDLE_ENDS}, {.op = FIBER_RUNS, .id = 77}, {.op = FIBER_IDLE_BEGINS}};
		for (int e = 0; e < 3; e++)
			fibers_take(stage.subject.fibers, 0, e < 2 ? from : to, &events[e]);
		for (uint64_t second = 1; second <= 2; second++) {
			const uint64_t waited = second == 1 ? cases[i].waited * STORY_MS : 0;
			sample = *system_past_latest(past);
			sample.ts += 1000 * STORY_MS;
			sample.values[SYSTEM_CPU_USER].value += (second == 1 ? cases[i].ran : 0) * STORY_MS;
			sample.values[SYSTEM_WAIT].value += waited;
			for (unsigned t = 0; t < sample.thread_count; t++)
				sample.threads[t].ts = sample.ts;
			sample.threads[0].wait.value += waited;
			sample.threads[0].state = second == 1 ? cases[i].state : 'S';
			system_past_add(past, &sample);
		}
		struct lock_past *locks = lock_past_create();
		const struct lock_thread threads[] = {
		    {.tid = 100, .doing = LOCK_WAITS, .lock.kind = LOCK_MUTEX, .next = 1, .owner = 101},
		    {.tid = 101}};
		for (uint64_t ts = from; cases[i].locked && ts <= to; ts += 100 * STORY_MS)
			(void)lock_past_add(locks,
			    &(struct locks_look){.ts = ts, .threads = threads, .count = 2},
			    &(struct system_sample){.thread_count = 1, .threads = {{.tid = 100, .runs = 1}}});
		stage.subject.locks = locks;
		stage.subject.now = sample.ts;
		model_set_now(watch_model(stage.watch), sample.ts);
		stage_offer(&stage, STORY_APP_LIVE);
		show(&stage, 30, 120, &shown);
		if (strncmp(shown.text[VERDICT], cases[i].says, strlen(cases[i].says)) != 0)
			TEST_FAIL("case %zu: %s", i, shown.text[VERDICT]);
		stage_fini(&stage);
		lock_past_destroy(locks);
	}
}

/* Of the lengths of a sentence the longest is shown that the line has room for. */
TEST(test_lengths)
{
	static const char *const lengths[] = {
	    " · NO EVENTS, NO COUNTERS  a reason (one, and two; three), and more; do that, which helps",
	    " · NO EVENTS, NO COUNTERS  a reason (one, and two; three), and more"};
	struct shown shown;
	struct stage s = stage_begin(1, 40, 120);
	s.subject.off = true;
	s.subject.off_why = "a reason (one, and two; three), and more";
	s.subject.off_cure = "do that, which helps";
	for (int cols = COLS_LEAST; cols <= 110; cols++) {
		/* The dot has two bytes. */
		const int fits = cols >= (int)strlen(lengths[0])   ? 0
				 : cols >= (int)strlen(lengths[1]) ? 1
								   : 2;
		show(&s, 40, cols, &shown);
		if (fits < 2 ? strcmp(shown.text[VERDICT], lengths[fits]) != 0
			     : strstr(shown.text[VERDICT], "…") == NULL)
			TEST_FAIL("%d: %s", cols, shown.text[VERDICT]);
	}
	stage_fini(&s);
}

/* Without events the key leads to where the time goes: it begins to sample the code, and then shows it. */
TEST(test_key_without_events)
{
	struct subject_code code = {.on = true};
	struct shown shown;
	struct stage s = stage_begin(1, 40, 120);
	stage_offer(&s, STORY_APP_LIVE);
	s.subject.off = true;
	for (int cols = 80; cols <= 120; cols += 40) {
		show(&s, 40, cols, &shown);
		CHECK(strstr(shown.text[VERDICT], "[C] sample") != NULL);
	}
	s.subject.code = &code;
	show(&s, 40, 80, &shown);
	CHECK(strstr(shown.text[VERDICT], "[c] code") != NULL && strstr(shown.text[VERDICT], "[C]") == NULL);
	/* Nor is a key shown that was tried in vain. */
	s.subject.code = NULL;
	s.subject.code_refused = "it has no frame tables";
	show(&s, 40, 80, &shown);
	CHECK(strstr(shown.text[VERDICT], "NO EVENTS") != NULL && strstr(shown.text[VERDICT], "[C]") == NULL);
	stage_fini(&s);
}

/* A size of the heap that events told more than 5 s ago has its age, here and in view 7. */
TEST(test_age)
{
	struct shown shown;
	struct stage s = stage_begin(1, 40, 120);
	show(&s, 40, 120, &shown);
	CHECK(strstr(shown.text[FIRST], " 8.00MB ") != NULL && strstr(shown.text[FIRST], "ago") == NULL);
	s.subject.now += 9000 * STORY_MS;
	model_set_now(watch_model(s.watch), s.subject.now);
	show(&s, 40, 120, &shown);
	CHECK_INT(col_of(shown.text[FIRST], "9s ago"), 108);
	stage_type(&s, "7");
	CHECK(stage_shows(&s, "all, 9s ago "));
	stage_fini(&s);
}

/* The heap of the last minutes in view 7 has what ended domains left, of which memory alone tells. */
TEST(test_left)
{
	struct stage s = stage_begin(1, 40, 120);
	for (int i = 1; i <= 30; i++) {
		const uint64_t now = STORY_END + (uint64_t)i * 1000 * STORY_MS;
		model_set_now(watch_model(s.watch), now);
		model_look(watch_model(s.watch), now - STORY_MS,
		    &(struct model_look){
			.heap = {5e6, NAN, NAN, NAN, NAN}, .domains = {{0, 500000, 262144, 0}}, .count = 1});
		watch_advance(s.watch, now, now);
		s.subject.now = now;
	}
	stage_key(&s, '7');
	char *screen = stage_text(&s), *line = strstr(screen, "heap, max ");
	CHECK(line != NULL && strstr(line, "40.0MB") != NULL);
	/* The last columns are as high as what is told. */
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line + strlen(line) - strlen("⣿⣿⣿"), "⣿⣿⣿") != 0)
		TEST_FAIL("%s", line);
	free(screen);
	stage_fini(&s);
}

/* A program that was quiet before the attach but for one pause, minutes ago: the share of GC is no longer known, and the pause
 * on the screen is told. */
TEST(test_moment_before_attach)
{
	struct stage s = stage_begin(1, 40, 120);
	struct model *m;
	struct shown shown;

	watch_destroy(s.watch);
	s.subject.watch = s.watch = watch_create(&(struct watch_options){.attach_ts = STORY_BEGIN});
	s.subject.advice = NULL;
	m = watch_model(s.watch);
	s.calls.lifecycle(m, 0, STORY_BEGIN - 9000 * STORY_MS, RTEV_LIFECYCLE_RING_START, 4242);
	s.calls.begin(m, 0, STORY_BEGIN - 8000 * STORY_MS, RTEV_PHASE_MAJOR_SLICE);
	s.calls.end(m, 0, STORY_BEGIN - 6450 * STORY_MS, RTEV_PHASE_MAJOR_SLICE);
	s.subject.now = STORY_BEGIN + 300000 * STORY_MS;
	watch_advance(s.watch, s.subject.now, s.subject.now);
	stage_type(&s, " N");
	show(&s, 40, 120, &shown);
	CHECK(stage_shows(&s, "D0 major_slice 1.55s"));
	CHECK(strstr(shown.text[VERDICT], ": longest pause ≥1.55s, GC not known ") != NULL);
	/* Later than its figures reach. */
	stage_type(&s, "→→→→→→→→→→→→→→→→");
	show(&s, 40, 120, &shown);
	CHECK(strstr(shown.text[VERDICT], ": GC and pauses not known ") != NULL);
	stage_fini(&s);
}
