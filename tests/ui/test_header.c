/*
 * test_header.c - the table of the header's items: which of them stand on a screen of each size, and in which
 * order they go.
 */
#include "support/test.h"

#include "support/ui_story.h"
#include "ui/header.h"
#include <math.h>

#include "print/number.h"
#include "ui/widgets/line.h"

#define COLS_LEAST 40
#define COLS_MOST 300
#define NAMES 64

/* A screen's header, line by line; the one that says how the target does stands apart. */
struct shown {
	char text[4][2048], headline[2048];
	int lines;
};

/* Draw a stage at a size and take its header. */
static void show(struct stage *s, int rows, int cols, struct shown *out)
{
	CHECK(canvas_resize(s->canvas, rows, cols));
	char *screen = stage_text(s), *rest = screen, *line;

	out->lines = rows >= 30 ? 3 : rows >= 16 ? 2 : 1;
	out->headline[0] = '\0';
	for (int i = 0; i < out->lines && (line = strsep(&rest, "\n")) != NULL; i++) {
		snprintf(out->text[i], sizeof(out->text[i]), "%s", line);
		if (i == 0 && rows >= 20)
			snprintf(out->headline, sizeof(out->headline), "%s", strsep(&rest, "\n"));
	}
	free(screen);
}

/* The item with a name. */
static const struct header_item *item_named(const char *name)
{
	for (size_t i = 0; i < header_item_count; i++)
		if (strcmp(header_items[i].name, name) == 0)
			return &header_items[i];
	TEST_FAIL("no item %s", name);
}

/* Whether a line has an item, known by its label with a blank before it. */
static bool has(const char *line, const char *label)
{
	char padded[2052], word[64];

	snprintf(padded, sizeof(padded), " %s ", line);
	snprintf(word, sizeof(word), " %s ", label);
	return strstr(padded, word) != NULL;
}

/* Each row has a name of its own, a label or a text that needs none, and fits the line that draws it. */
static void test_rows(void)
{
	int lines[HEADER_SINCE + 1] = {0}, one = 0;

	for (size_t i = 0; i < header_item_count; i++) {
		const struct header_item *item = &header_items[i];
		CHECK(item->name != NULL && (item->text != NULL || item->format != NULL || item->den != 0) &&
		      item->rank >= 0);
		CHECK(item_named(item->name) == item);
		CHECK(item->line != HEADER_SINCE);
		/* Only what has two windows can show both, and only it has a line below. */
		CHECK(item->beside == NULL || item->windows);
		CHECK(!item->windows || item->line == HEADER_NOW);
		lines[item->line]++;
		one += item->line == HEADER_TARGET || item->one_rank != 0;
	}
	CHECK(lines[HEADER_TARGET] > 0 && lines[HEADER_TARGET] <= LINE_ITEMS_MAX);
	CHECK(lines[HEADER_NOW] > 0 && lines[HEADER_NOW] <= LINE_ITEMS_MAX);
	CHECK(one <= LINE_ITEMS_MAX);
}

/* The labels of the items of the figures by the rank that they go by. */
static const struct {
	const char *name, *label;
} figures[] = {{"max", "max"}, {"alloc", "alloc"}, {"heap", "heap"}, {"promoted", "promoted"},
    {"lost", "lost"}, {"p99", "p99"}, {"p50", "p50"}, {"minor", "minor"}, {"major", "major"},
    {"p99.9", "p99.9"}};
enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

/* What a wider screen has a narrower one has only if all that goes later is there, too.  A loss stays longer. */
static void check_order(const char *line, int rows, int cols, bool lossy)
{
	bool since = strncmp(line, "since", 5) == 0;

	for (int i = 0; i + 1 < FIGURES; i++) {
		/* A level has no mean. */
		if (since && strcmp(figures[i].name, "heap") == 0)
			continue;
		CHECK(item_named(figures[i].name)->rank < item_named(figures[i + 1].name)->rank);
		if (lossy && strcmp(figures[i + 1].name, "lost") == 0)
			continue;
		if (!has(line, figures[i].label) && has(line, figures[i + 1].label))
			TEST_FAIL("%dx%d: %s without %s:\n%s", cols, rows, figures[i + 1].label,
			    figures[i].label, line);
	}
}

/* Every size: the forms of the two windows, the order in which items go, nothing cut in the lines of
 * figures. */
static void test_sizes(void)
{
	struct shown shown;
	struct stage s;

	stage_init(&s, 3, 24, 80);
	for (int rows = 8; rows <= 44; rows += 4) {
		for (int cols = COLS_LEAST; cols <= COLS_MOST; cols++) {
			show(&s, rows, cols, &shown);
			const char *first = shown.text[0], *now = shown.text[1], *since = shown.text[2];
			CHECK(has(first, "4242") && strstr(first, "LIVE") != NULL);
			if (shown.lines == 1) {
				CHECK(has(first, "lost") || cols < 60);
				continue;
			}
			CHECK(has(now, "GC"));
			CHECK(cols < 80 || has(now, "alloc"));
			CHECK(has(now, "heap") || cols < 80 ||
			      (cols < 140 && (shown.lines == 3 || cols >= HEADER_BESIDE_FROM)));
			CHECK(cols < 80 || has(now, "lost"));
			CHECK(cols < 80 || has(first, "up") || !has(first, "events"));
			CHECK(has(first, "OCaml") || !has(first, "events"));
			check_order(now, rows, cols, true);
			if (shown.lines == 2 && cols < HEADER_BESIDE_FROM)
				CHECK(strstr(now, " work ") == NULL && strstr(now, "% since ") == NULL);
			if (shown.lines == 2 && cols >= HEADER_BESIDE_FROM)
				CHECK(strstr(now, cols < 250
						      ? "GC 3.5% "
						      : "GC 3.5% = 3.2 work + 0.3 waiting now ") == now &&
				      strstr(now, " since 18:30  ") != NULL);
			if (shown.lines == 3) {
				check_order(since, rows, cols, true);
				CHECK(
				    strstr(now, "now 5s ") == now && strstr(since, "since 18:30 ") == since);
				CHECK(cols < 170 ||
				      (strstr(now, " work + ") != NULL && strstr(since, " work + ") != NULL));
			}
		}
	}
	stage_fini(&s);
}

/* Without a loss, too, "lost 0" stands there before what goes sooner: wherever a percentile does. */
static void test_nothing_lost(void)
{
	struct shown shown;
	struct stage s;

	stage_init(&s, 1, 24, 80);
	for (int rows = 16; rows <= 44; rows += 7)
		for (int cols = COLS_LEAST; cols <= COLS_MOST; cols++) {
			show(&s, rows, cols, &shown);
			check_order(shown.text[1], rows, cols, false);
			CHECK(cols < (rows < 30 ? 80 : 90) || has(shown.text[1], "lost"));
		}
	stage_fini(&s);
}

/* The style of the figure behind a label in a row of the screen. */
static enum style style_behind(struct stage *s, int row, const char *label)
{
	char *screen = stage_text(s), *line = screen, word[64];

	for (int i = 0; i < row; i++)
		line = strchr(line, '\n') + 1;
	snprintf(word, sizeof(word), " %s ", label);
	char *at = strstr(line, word);
	CHECK(at != NULL && at < strchr(line, '\n'));
	int col = 0;
	for (const char *c = line; c < at + strlen(word); c++)
		col += ((unsigned char)*c & 0xc0) != 0x80;
	free(screen);
	return (enum style)canvas_row(s->canvas, row)[col].style;
}

/* What is lost now is bad, what was lost before by its share; nothing lost is good. */
static void test_lost_colours(void)
{
	enum { NOW = 2, SINCE = 3 };
	struct stage s;

	stage_init(&s, 1, 40, 120);
	CHECK(style_behind(&s, NOW, "lost") == STYLE_GOOD && style_behind(&s, SINCE, "lost") == STYLE_GOOD);
	s.calls.lost(watch_model(s.watch), 0, 10, 0);
	stage_go_on(&s, 200);
	CHECK(style_behind(&s, NOW, "lost") == STYLE_BAD && style_behind(&s, SINCE, "lost") == STYLE_WARN);
	CHECK(canvas_resize(s.canvas, 24, 120));
	CHECK(style_behind(&s, NOW, "lost") == STYLE_BAD);
	stage_go_on(&s, 6000);
	CHECK(style_behind(&s, NOW, "lost") == STYLE_WARN);
	CHECK(canvas_resize(s.canvas, 40, 120));
	CHECK(style_behind(&s, NOW, "lost") == STYLE_GOOD && style_behind(&s, SINCE, "lost") == STYLE_WARN);
	stage_fini(&s);
	stage_init(&s, 3, 40, 120);
	CHECK(style_behind(&s, NOW, "lost") == STYLE_GOOD && style_behind(&s, SINCE, "lost") == STYLE_BAD);
	stage_fini(&s);
}

/* The two lines stand in columns: each label is below itself. */
static void test_columns(void)
{
	struct shown shown;
	struct stage s;

	stage_init(&s, 3, 40, 80);
	for (int cols = COLS_LEAST; cols <= COLS_MOST; cols += 3) {
		show(&s, 40, cols, &shown);
		for (int i = 0; i < FIGURES; i++) {
			char word[64];
			snprintf(word, sizeof(word), " %s ", figures[i].label);
			const char *now = strstr(shown.text[1], word), *since = strstr(shown.text[2], word);
			if (now == NULL || since == NULL) {
				CHECK(now == since || strcmp(figures[i].name, "heap") == 0);
				continue;
			}
			int ahead = 0;
			/* The mark of a lower bound has three bytes and one column. */
			for (const char *c = shown.text[2]; c < since; c++)
				ahead += ((unsigned char)*c & 0xc0) == 0x80;
			CHECK_INT(since - shown.text[2] - ahead, now - shown.text[1]);
		}
	}
	stage_fini(&s);
}

/* When the totals began: the time of day, the day of the week from a day on, the date from a week on. */
static void test_since(void)
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
		CHECK(strstr(shown.text[2], ages[i].text) == shown.text[2]);
		/* It shrinks with time, and is never zero while there was any. */
		CHECK(strstr(shown.text[2], " GC 0% ") == NULL && strstr(shown.text[2], " GC - ") == NULL);
		stage_fini(&s);
	}
	/* Of a file nobody knows when that was. */
	stage_init(&s, 3, 40, 120);
	s.subject.wall_offset = 0;
	show(&s, 40, 120, &shown);
	CHECK(strstr(shown.text[2], "since start ") == shown.text[2]);
	stage_fini(&s);
}

/* Nothing has come for longer than the last seconds: rates are 0, percentiles are not known. */
static void test_quiet(void)
{
	struct shown shown;
	struct stage s;

	stage_init(&s, 1, 40, 200);
	for (unsigned i = 0; i < 3; i++)
		while (model_domain(watch_model(s.watch), 0)->depth > 0)
			s.calls.end(watch_model(s.watch), 0, STORY_END,
			    model_domain(watch_model(s.watch), 0)->stack[0].phase);
	stage_pass(&s, 20000);
	show(&s, 40, 200, &shown);
	CHECK(has(shown.text[1], "GC 0%") && has(shown.text[1], "p99 -") && has(shown.text[1], "minor 0/s"));
	CHECK(has(shown.text[1], "promoted -") && !has(shown.text[2], "p99 -"));
	stage_fini(&s);
}

/* A pause that goes on counts for as long as it has lasted, by what it waits for. */
static void test_open_pause(void)
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
static void test_split(void)
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
static void test_late(void)
{
	static const struct {
		uint64_t ran, waited; /* ms, in the second of that turn */
		char state;
		const char *says;
	} cases[] = {
	    {900, 100, 'S', "loop D0 late 800ms: fiber 77 (?) "},
	    {900, 500, 'S', "loop D0 late 800ms: fiber 77 (?), at most 500ms of it without a processor "},
	    {300, 100, 'S', "loop D0 late 800ms: the process ran for 300ms at most "},
	    {900, 100, 'T', "loop D0 late 800ms: the process was stopped "},
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
		stage.subject.now = sample.ts;
		model_set_now(watch_model(stage.watch), sample.ts);
		stage_offer(&stage, STORY_APP_LIVE);
		show(&stage, 30, 120, &shown);
		if (strncmp(shown.headline, cases[i].says, strlen(cases[i].says)) != 0)
			TEST_FAIL("case %zu: %s", i, shown.headline);
		stage_fini(&stage);
	}
}

/* A sentence that is too long ends where a clause does, outside of parentheses. */
static void test_clauses(void)
{
	static const char *const ends[] = {"no events, no counters", "no events, no counters: a reason",
	    "no events, no counters: a reason (one, and two; three)",
	    "no events, no counters: a reason (one, and two; three), and more",
	    "no events, no counters: a reason (one, and two; three), and more; do that, which helps"};
	struct shown shown;
	struct stage s;
	size_t seen = 0;

	stage_init(&s, 1, 40, 120);
	s.subject.off = true;
	s.subject.off_why = "a reason (one, and two; three), and more";
	s.subject.off_cure = "do that, which helps";
	for (int cols = COLS_LEAST; cols <= 100; cols++) {
		size_t fits = 0;
		show(&s, 40, cols, &shown);
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
			if (strcmp(shown.headline, ends[i]) == 0)
				fits = i + 1;
		if (fits == 0 &&
		    strcmp(shown.headline, "no events, no counters: a reason (one, and two; three), "
					   "and more; do that") != 0)
			TEST_FAIL("%d: %s", cols, shown.headline);
		CHECK((int)strlen(shown.headline) <= cols);
		seen |= fits != 0 ? 1u << fits : 0;
	}
	CHECK(seen == (1u << 2 | 1u << 3 | 1u << 4 | 1u << 5));
	stage_fini(&s);
}

/* A size of the heap that events told more than 5 s ago has its age, here and in view 7. */
static void test_age(void)
{
	struct shown shown;
	struct stage s;

	stage_init(&s, 1, 40, 200);
	show(&s, 40, 200, &shown);
	CHECK(strstr(shown.text[1], "heap 8.00MB") != NULL && strstr(shown.text[1], "ago") == NULL);
	s.subject.now += 9000 * STORY_MS;
	model_set_now(watch_model(s.watch), s.subject.now);
	show(&s, 40, 200, &shown);
	CHECK(strstr(shown.text[1], "heap 8.00MB 9s ago") != NULL);
	stage_type(&s, "7");
	CHECK(stage_shows(&s, "all, 9s ago "));
	stage_fini(&s);
}

/* The heap of the last minutes in view 7 has what ended domains left, of which memory alone tells. */
static void test_left(void)
{
	struct stage s;

	stage_init(&s, 1, 40, 120);
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

int main(void)
{
	RUN(test_left);
	RUN(test_clauses);
	RUN(test_age);
	RUN(test_late);
	RUN(test_rows);
	RUN(test_split);
	RUN(test_sizes);
	RUN(test_nothing_lost);
	RUN(test_lost_colours);
	RUN(test_columns);
	RUN(test_since);
	RUN(test_quiet);
	RUN(test_open_pause);
	return 0;
}
