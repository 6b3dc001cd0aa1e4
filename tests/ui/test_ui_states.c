/*
 * test_ui_states.c - what the header and the footer say: how the target stands, what was lost, messages.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include "support/test.h"

#include "figures/figures.h"
#include "ui/header_figures.h"
#include "ui/view.h"
#include "support/advice_story.h"
#include "ui/views/tabular.h"
#include "support/screen.h"
#include "support/ui_story.h"

/* Six seconds without an event, in each of which the process uses a processor for so long. */
static void be_silent(struct stage *s, uint64_t ms)
{
	struct system_past *past = watch_system(s->watch);
	static struct system_sample sample;

	for (int i = 0; i < 6; i++) {
		s->subject.now += 1000 * STORY_MS;
		sample = *system_past_latest(past);
		sample.ts = s->subject.now;
		sample.values[SYSTEM_CPU_USER].value += ms * STORY_MS;
		for (unsigned t = 0; t < sample.thread_count; t++)
			sample.threads[t].ts = sample.ts;
		system_past_add(past, &sample);
	}
	s->subject.quiet_cpu_ns += 6 * ms * STORY_MS;
}

/* The state in words, with the rule that it is known by. */
TEST(test_states)
{
	struct stage s = stage_begin(3, 24, 160);
	CHECK(stage_shows(&s, "● LIVE "));
	/* A domain that is in a pause of seconds is not quiet, whatever is known of its events. */
	enum subject_tracing tracing = s.subject.tracing;
	s.subject.tracing = SUBJECT_TRACING_UNKNOWN;
	be_silent(&s, 950);
	CHECK(stage_shows(&s, "● LIVE ") && !stage_shows(&s, "QUIET") && !stage_shows(&s, "no events come"));
	s.calls.end(watch_model(s.watch), 1, s.subject.now, RTEV_PHASE_MAJOR_SLICE);
	CHECK(stage_shows(&s, "● LIVE "));
	s.subject.tracing = tracing;
	s.subject.quiet_cpu_ns = 0;
	be_silent(&s, 0);
	CHECK(stage_shows(&s, "QUIET 6.00s  "));
	/* A long pause in the time that is judged is told before that no event comes now. */
	CHECK(stage_shows(&s, "LONG PAUSES  "));
	s.subject.advice = NULL;
	CHECK(stage_shows(&s, "IDLE  no events come (not paused: read from the process) "));
	s.subject.tracing = SUBJECT_TRACING_UNKNOWN;
	CHECK(stage_shows(&s, "IDLE  no events come "));
	be_silent(&s, 950);
	CHECK(stage_shows(&s, "QUIET 12.0s  ") &&
	      stage_shows(
		  &s, "· no events come while it uses the processor: it does not allocate, or paused them"));
	s.subject.stopped = true;
	CHECK(stage_shows(&s, "STOPPED 12.0s ") && stage_shows(&s, "stopped by a signal or a debugger: "));
	s.subject.stopped = false;
	s.subject.tracing = SUBJECT_TRACING_PAUSED;
	model_set_silent(watch_model(s.watch), true);
	watch_advance(s.watch, s.subject.now, s.subject.now);
	CHECK(stage_shows(&s, "PAUSED 12.0s  ") &&
	      stage_shows(&s, "it has paused its events (read from the process)"));
	CHECK(stage_shows(&s, "paused")); /* and drawn as such */
	s.subject.state = SUBJECT_EXITED;
	CHECK(stage_shows(&s, "EXITED, killed"));
	s.subject.exit_status = 3;
	CHECK(stage_shows(&s, "EXITED with 3 "));
	s.subject.exit_status = 128 + SIGSEGV;
	CHECK(stage_shows(&s, "EXITED with 139 (SIGSEGV)"));
	s.subject.exit_status = 255;
	CHECK(stage_shows(&s, "EXITED with 255 "));
	s.subject.state = SUBJECT_TRUNCATED;
	CHECK(stage_shows(&s, "RING TRUNCATED"));
	s.subject.state = SUBJECT_REPLAY;
	CHECK(stage_shows(&s, "REPLAY"));
	s.subject.state = SUBJECT_WAITING;
	CHECK(stage_shows(&s, "WAITING for its ring"));
	stage_fini(&s);
}

/* After the end the header has no figure of now, whatever the time: it says when that was, and its figures are of all that was
 * observed. */
TEST(test_after_the_end)
{
	static const struct {
		int rows, cols;
	} sizes[] = {{40, 160}, {24, 160}, {24, 80}};
	struct stage s;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		stage_init(&s, 3, sizes[i].rows, sizes[i].cols);
		CHECK(stage_shows(&s, " CPU     1.85/4") && stage_shows(&s, " GC        3.5%"));
		s.subject.state = SUBJECT_EXITED;
		s.subject.exit_status = 0;
		s.subject.now += 3600000 * STORY_MS;
		s.subject.clock = "19:31:04";
		CHECK(stage_shows(&s, "EXITED with 0 at 18:31:04"));
		CHECK(stage_shows(&s, " CPU          -") && stage_shows(&s, " GC        3.3%"));
		/* A moment before the end has its own. */
		stage_type(&s, "p←");
		CHECK(stage_shows(&s, " GC        3.") && !stage_shows(&s, " CPU          -"));
		stage_fini(&s);
	}
}

/* Of a target that has ended the domains that delivered events are counted, not one of which only losses are
 * known. */
TEST(test_domain_count)
{
	struct figures figures;
	struct stage s = stage_begin(3, 24, 160);
	s.subject.state = SUBJECT_EXITED;
	figures_read(s.ui, &s.subject, &figures);
	CHECK_INT(figures.domains, 3);
	s.calls.lost(watch_model(s.watch), 3, 100, 0);
	figures_read(s.ui, &s.subject, &figures);
	CHECK_INT(figures.domains, 3);
	s.calls.begin(watch_model(s.watch), 3, STORY_END, RTEV_PHASE_MINOR);
	figures_read(s.ui, &s.subject, &figures);
	CHECK_INT(figures.domains, 4);
	stage_fini(&s);
}

/* Events that there is no place for are told of. */
TEST(test_ignored)
{
	struct stage s = stage_begin(3, 24, 160);
	CHECK(!stage_shows(&s, "ignored"));
	for (int i = 0; i < 7; i++)
		s.calls.begin(watch_model(s.watch), MODEL_DOMAINS_MAX, STORY_END, RTEV_PHASE_MINOR);
	CHECK(stage_shows(&s, "ignored 7"));
	stage_fini(&s);
}

/* A ring_pause without a resume, and a pause that is known of afterwards. */
TEST(test_pauses_of_the_target)
{
	struct stage s = stage_begin(3, 24, 160);
	s.calls.lifecycle(watch_model(s.watch), 0, STORY_END, RTEV_LIFECYCLE_RING_PAUSE, 0);
	/* Of one that pauses for a moment, again and again, the sentence stays. */
	stage_pass(&s, 500);
	CHECK(!stage_shows(&s, "it has paused its events"));
	stage_pass(&s, 3500);
	CHECK(stage_shows(&s, "PAUSED 4.00s") &&
	      stage_shows(&s, "it has paused its events (its event ring_pause)"));
	s.calls.lifecycle(watch_model(s.watch), 0, s.subject.now, RTEV_LIFECYCLE_RING_RESUME, 0);
	stage_pass(&s, 100);
	CHECK(stage_shows(&s, "it had paused its events for 4.00s"));
	/* Without a ring_pause the length is an upper bound. */
	s.subject.now += 6000 * STORY_MS;
	s.calls.lifecycle(watch_model(s.watch), 0, s.subject.now, RTEV_LIFECYCLE_RING_RESUME, 0);
	watch_advance(s.watch, s.subject.now, s.subject.now);
	CHECK(stage_shows(&s, "it had paused its events for at most 6.10s"));
	stage_key(&s, '8');
	CHECK(stage_shows(&s, "paused 4.00s, since its ring_pause"));
	CHECK(stage_shows(&s, "paused at most 6.10s: since the last event"));
	stage_fini(&s);
}

/* Fail if a rate stands anywhere on the screen: "/s" behind anything but a blank.  The causes, which are means since the
 * attach, are left out. */
static void check_no_rate(struct stage *s, int view, uint64_t ms)
{
	ui_draw(s->ui, story_told(&s->subject), s->canvas);
	screen_blank_by_width(s->canvas);
	char *screen = canvas_dump(s->canvas);
	CHECK(screen != NULL);
	char *causes = strstr(screen, "\nwhy "), *band = strstr(screen, "\n CPU ");

	/* Once the target has ended, the band has means, too. */
	CHECK((causes != NULL) == (view == 2) && band != NULL);
	if (s->subject.state == SUBJECT_EXITED)
		memset(band + 1, ' ', strcspn(band + 1, "\n"));
	if (causes != NULL) {
		CHECK(strstr(causes, " 2.00/s ") != NULL);
		*causes = '\0';
	}
	for (const char *at = strstr(screen, "/s"); at != NULL; at = strstr(at + 2, "/s"))
		if (at[-1] != ' ' && strchr("0123456789kMGTPEB", at[-1]) != NULL)
			TEST_FAIL("view %d, paused for %d ms:\n%s", view + 1, (int)ms, screen);
	free(screen);
}

/* While the target pauses nothing is known of what it does, however long it has paused: no view tells a
 * rate. */
TEST(test_no_rate_while_paused)
{
	static const uint64_t after[] = {1, 100, 900, 4000, 20000, 49000};

	for (int rule = 0; rule < 2; rule++) {
		struct stage s = stage_begin(3, 50, 160);
		if (rule == 0)
			s.calls.lifecycle(watch_model(s.watch), 0, STORY_END, RTEV_LIFECYCLE_RING_PAUSE, 0);
		else
			model_set_silent(watch_model(s.watch), true);
		for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
			s.subject.now = STORY_END + after[i] * STORY_MS;
			watch_advance(s.watch, s.subject.now, s.subject.now);
			for (int v = 0; v < 8; v++) {
				stage_key(&s, (ui_key)('1' + v));
				check_no_rate(&s, v, after[i]);
			}
		}
		/* A step after the resume there are rates again. */
		s.calls.lifecycle(watch_model(s.watch), 0, s.subject.now, RTEV_LIFECYCLE_RING_RESUME, 0);
		model_set_silent(watch_model(s.watch), false);
		stage_go_on(&s, 2000);
		stage_key(&s, '1');
		CHECK(!stage_shows(&s, "events -"));
		stage_fini(&s);
	}
}

/* Nor does any once it has ended so. */
TEST(test_no_rate_after_a_pause)
{
	struct stage s = stage_begin(3, 50, 160);
	model_set_silent(watch_model(s.watch), true);
	s.subject.now = STORY_END + 9000 * STORY_MS;
	watch_advance(s.watch, s.subject.now, s.subject.now);
	s.calls.lifecycle(watch_model(s.watch), 0, s.subject.now, RTEV_LIFECYCLE_RING_STOP, 0);
	watch_advance(s.watch, s.subject.now + 20 * STORY_MS, s.subject.now);
	watch_finish(s.watch);
	s.subject.state = SUBJECT_EXITED;
	s.subject.now += 10000 * STORY_MS;
	for (int v = 0; v < 8; v++) {
		stage_key(&s, (ui_key)('1' + v));
		check_no_rate(&s, v, 9000);
	}
	stage_fini(&s);
}

/* Whether a line of the screen has two texts, the first before the second. */
static bool line_shows(struct stage *s, const char *first, const char *second)
{
	char *screen = stage_text(s), *rest = screen, *line;
	bool shows = false;

	while (!shows && (line = strsep(&rest, "\n")) != NULL) {
		const char *at = strstr(line, first);
		shows = at != NULL && strstr(at, second) != NULL;
	}
	free(screen);
	return shows;
}

/* The panes and the table of domains say that the target has paused. */
TEST(test_paused_domains)
{
	struct stage s = stage_begin(3, 40, 120);
	CHECK(line_shows(&s, "D0 running", "GC") && line_shows(&s, "D1 major_slice", "GC"));
	model_set_silent(watch_model(s.watch), true);
	stage_pass(&s, 2000);
	CHECK(line_shows(&s, "D0 paused", "GC") && line_shows(&s, "D1 paused", "GC"));
	stage_key(&s, '2');
	CHECK(line_shows(&s, "D0 ", " paused ") && line_shows(&s, "D1 ", " paused "));
	CHECK(line_shows(&s, "D2 ", " terminated "));
	stage_fini(&s);
}

/* A target that ended without a ring_stop: panes, table and log say what became of it, when, and in which
 * phase. */
TEST(test_sudden_end)
{
	static const struct {
		int signal;
		bool paused;
		const char *pane, *what, *how;
	} ends[] = {{SIGKILL, false, "D1 killed in major_slice", "killed", "by SIGKILL, in major_slice"},
	    {SIGSEGV, false, "D1 crashed in major_slice", "crashed", "by SIGSEGV, in major_slice"},
	    {SIGABRT, false, "D1 crashed in major_slice", "crashed", "by SIGABRT, in major_slice"},
	    {0, false, "D1 ended in major_slice", "ended", "without ring_stop, in major_slice"},
	    {SIGKILL, true, "D1 killed while paused", "killed", "by SIGKILL, while paused"}};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct stage s = stage_begin(3, 40, 200);
		struct model *m = watch_model(s.watch);
		model_set_silent(m, ends[i].paused);
		stage_pass(&s, 1000);
		watch_finish(s.watch);
		model_ended(m, s.subject.now + 500 * STORY_MS);
		double share = figure_gc(model_domain(m, 0)).gc;
		s.subject.state = SUBJECT_EXITED;
		s.subject.signal = ends[i].signal;
		s.subject.now += 5000 * STORY_MS;
		CHECK(line_shows(&s, ends[i].pane, "GC"));
		CHECK(stage_shows(
		    &s, strcmp(ends[i].what, "crashed") == 0 ? "EXITED, crashed" : "EXITED, killed"));
		stage_key(&s, '2');
		CHECK(line_shows(&s, "D1 ", strchr(ends[i].pane, ' ') + 1));
		stage_key(&s, '8');
		CHECK(line_shows(&s, "18:31:05  D1 ", ends[i].what) || ends[i].paused);
		CHECK(line_shows(&s, ends[i].what, ends[i].how));
		/* Time goes on, but not its own. */
		CHECK(figure_gc(model_domain(m, 0)).gc == share);
		/* One that never had events did not pause them. */
		s.subject.off = ends[i].paused;
		for (const char *key = "128"; *key != 0; key++) {
			stage_key(&s, (ui_key)*key);
			CHECK(!stage_shows(&s, "while paused"));
		}
		stage_fini(&s);
	}
}

/* The overview: the busiest first, where what looks the same keeps its order; the scale of the plots; what a process is
 * called whose name is that of another; the finding; when one ended. */
TEST(test_overview)
{
	static const float history[] = {0.01f, 0.25f};
	struct subject_process processes[4];
	struct stage s = stage_begin(1, 24, 200);
	for (int i = 0; i < 4; i++)
		processes[i] = (struct subject_process){.pid = 11 * (i + 1),
		    .name = "main.exe",
		    .alike = true,
		    .command = i == 0	? "/srv/a/main.exe --port 1"
			       : i == 1 ? "/srv/b/main.exe"
					: "",
		    .state = i == 3 ? "ended" : "live",
		    .live = true,
		    .ended = i == 3,
		    .ended_ts = i == 3 ? STORY_END - 4000 * STORY_MS : 0,
		    .figures.cpu = i == 2   ? 0.9
				   : i == 1 ? 0.304
				   : i == 0 ? 0.301
					    : (double)NAN,
		    .gc_history = history,
		    .gc_count = i == 1 ? 2 : 1,
		    .finding = i == 2 ? "minor_heap_small" : NULL,
		    .serious = true};
	s.subject.watch = NULL;
	s.subject.processes = processes;
	s.subject.process_count = 4;
	const char *screen = stage_screen(&s), *places[4];
	static const char *const lines[] = {
	    "33  main.exe ", "11  /srv/a/main.exe --port 1 ", "22  /srv/b/main.exe ", "44  main.exe "};
	for (int i = 0; i < 4; i++) {
		places[i] = strstr(screen, lines[i]);
		if (places[i] == NULL || (i > 0 && places[i] < places[i - 1]))
			TEST_FAIL("%s is not line %d of:\n%s", lines[i], i, screen);
	}
	CHECK(stage_shows(&s, " max 25% "));
	CHECK(line_shows(&s, "33  main.exe ", " ! minor_heap_small "));
	CHECK(line_shows(&s, "44  main.exe ", " 18:31:00 "));
	stage_fini(&s);
}

/* The rows of the overview stay: one moves when it has passed its neighbour by a tenth, not because they are alike again.
 * At 120 columns memory is there. */
TEST(test_overview_stays)
{
	static const struct {
		double cpu[3];
		const char *order; /* of the pids 1, 2, 3 */
	} steps[] = {{{0.5, 0.5, 0.9}, "312"}, {{0.5, 0.54, 0.9}, "312"}, {{0.5, 0.56, 0.6}, "321"},
	    {{0.5, 0.63, 0.6}, "321"}, {{0.5, 0.67, 0.6}, "231"}, {{0.6, 0.6, 0.6}, "231"},
	    {{0.05, 0.04, 0.04}, "123"}, {{0.04, 0.04, 0.04}, "123"}, {{0.04, 0.04, 0.05}, "312"},
	    {{0.02, 0.02, 0.02}, "312"}, {{0.01, 0.02, 0.005}, "312"}, {{0.02, 0.03, 0.01}, "231"},
	    {{0.6, (double)NAN, 0.62}, "312"}};
	struct subject_process processes[3];
	struct stage s = stage_begin(1, 24, 120);
	s.subject.watch = NULL;
	s.subject.processes = processes;
	s.subject.process_count = 3;
	for (size_t step = 0; step < sizeof(steps) / sizeof(steps[0]); step++) {
		static const char *const names[] = {"first.exe", "second.exe", "third.exe"};
		const char *before = NULL;
		for (int i = 0; i < 3; i++)
			processes[i] = (struct subject_process){.pid = 100 + i,
			    .name = names[i],
			    .command = "",
			    .state = "live",
			    .live = true,
			    .figures.all.heap_bytes = 1e6 * (77 + i),
			    .figures.resident_bytes = 1e6 * (88 + i),
			    .figures.heap_growth = i == 0   ? 293e6
						   : i == 1 ? -1.2e9
							    : (double)NAN,
			    .figures.heap_age = i == 2 ? 9.4e9 : 1e9,
			    .finding = "user_span_tail",
			    .figures.cpu = steps[step].cpu[i]};
		const char *screen = stage_screen(&s);
		for (int i = 0; i < 3; i++) {
			const char *place = strstr(screen, names[steps[step].order[i] - '1']);
			if (place == NULL || place < before)
				TEST_FAIL("step %zu: not %s in\n%s", step, steps[step].order, screen);
			before = place;
		}
		CHECK(stage_shows(&s, " 77.0MB ") && stage_shows(&s, " 88.0MB "));
		CHECK(stage_shows(&s, "  +293MB/min ") && stage_shows(&s, " -1.20GB/min ") &&
		      stage_shows(&s, " 9s ago "));
	}
	stage_fini(&s);
}

/* One that ended in order says so, on the rings of all its domains. */
TEST(test_orderly_end)
{
	struct stage s = stage_begin(3, 40, 120);
	s.calls.lifecycle(watch_model(s.watch), 0, STORY_END, RTEV_LIFECYCLE_RING_STOP, 0);
	watch_finish(s.watch);
	size_t notes = model_notes(watch_model(s.watch));
	model_ended(watch_model(s.watch), STORY_END + STORY_MS);
	CHECK_INT(model_notes(watch_model(s.watch)), notes);
	s.subject.state = SUBJECT_EXITED;
	CHECK(line_shows(&s, "D0 terminated", "GC") && line_shows(&s, "D1 ended ", "GC"));
	CHECK(!stage_shows(&s, "killed"));
	stage_fini(&s);
}

/* A runtime ends its ring, and then begins a stop whose end is not written: the time after that is not the collector's. */
TEST(test_begun_after_the_end)
{
	double gc[2] = {0};

	for (int begun = 0; begun < 2; begun++) {
		struct stage s = stage_begin(3, 40, 120);
		const uint64_t end = s.subject.now + STORY_MS;
		s.calls.lifecycle(watch_model(s.watch), 0, end, RTEV_LIFECYCLE_RING_STOP, 0);
		if (begun)
			s.calls.begin(watch_model(s.watch), 0, end + 1, RTEV_PHASE_STW_LEADER);
		stage_pass(&s, 1000);
		const char *title = strstr(stage_screen(&s), "D0 terminated");
		CHECK(title != NULL && sscanf(strstr(title, "GC "), "GC %lf%%", &gc[begun]) == 1);
		stage_fini(&s);
	}
	CHECK(gc[0] > 1 && gc[1] <= gc[0]);
}

/* Each file of a long pause keeps a line of its own in view 8, in the order of time among the others, also
 * where it failed. */
TEST(test_files)
{
	struct subject_file files[3] = {
	    {.ts = STORY_END + 4000 * STORY_MS,
		.duration = 8310000,
		.domain = 1,
		.phase = RTEV_PHASE_MINOR,
		.path = "/tmp/one.fxt"},
	    {.ts = STORY_END + 6000 * STORY_MS,
		.duration = 12 * STORY_MS,
		.domain = 2,
		.phase = RTEV_PHASE_MAJOR,
		.path = "/tmp/two\x1b[31m.fxt",
		.made = true,
		.problem = "No space left on device"},
	    {.ts = STORY_END + 7000 * STORY_MS, .path = "/tmp/three.fxt", .problem = "Permission denied"},
	};
	struct stage s;

	files[0].made = true;
	stage_init(&s, 3, 40, 160);
	s.calls.lifecycle(watch_model(s.watch), 0, STORY_END + 5000 * STORY_MS, RTEV_LIFECYCLE_RING_PAUSE, 0);
	s.subject.now = STORY_END + 9000 * STORY_MS;
	watch_advance(s.watch, s.subject.now, s.subject.now);
	s.subject.files = files;
	s.subject.file_count = 3;
	stage_key(&s, '8');
	CHECK(stage_shows(&s, "5.00s  18:31:08  D1      pause saved         8.31ms minor: /tmp/one.fxt"));
	CHECK(stage_shows(&s, "pause saved         12.0ms major: /tmp/two"));
	CHECK(stage_shows(&s, ".fxt; cut short: No space left on device"));
	CHECK(stage_shows(&s, "pause not saved"));
	CHECK(stage_shows(&s, "/tmp/three.fxt: Permission denied"));
	char *screen = stage_screen(&s);
	static const char *const order[] = {"/tmp/one", "it has paused its events", "/tmp/two", "/tmp/three"};
	const char *at = screen;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		CHECK((at = strstr(at, order[i])) != NULL);
	CHECK(strchr(screen, 0x1b) == NULL);
	/* A filter finds them, too. */
	stage_type(&s, "\\three\n");
	CHECK(stage_shows(&s, "/tmp/three.fxt"));
	CHECK(!stage_shows(&s, "/tmp/one.fxt"));
	stage_fini(&s);
}

/* Losses are answered with the ring that would have held them, and what fills it. */
TEST(test_advice)
{
	struct stage s = stage_begin(3, 24, 120);
	CHECK(stage_shows(
	    &s, "lost 70.0k words  OCAMLRUNPARAM=e=18 would have held them  most is major_slice"));
	s.calls.lost(watch_model(s.watch), 0, 2000000, 0);
	CHECK(stage_shows(&s, "no ring that OCaml makes would have held them"));
	model_reset(watch_model(s.watch));
	CHECK(!stage_shows(&s, "would have held them"));
	stage_fini(&s);
}

/* A replay's sentence about a program that ended: the verdict's word is the name of what is wrong, not its state. */
TEST(test_headline_of_whole_file)
{
	struct stage s = stage_begin(3, 24, 80);

	s.subject.headline = (struct headline){.level = LEVEL_ATTENTION,
	    .key = '2',
	    .name = "no processor",
	    .text = "ended: it ran 35% of the time"};
	headline_of_what(&s.subject.headline, "whole file");
	ui_draw(s.ui, &s.subject, s.canvas);
	char *screen = canvas_dump(s.canvas);
	CHECK(screen != NULL && strstr(screen, "NO PROCESSOR  whole file: it ran 35% of the time") != NULL);
	free(screen);
	stage_fini(&s);
}

/* View a opens on the finding that the header names, and keeps the one that the user went to. */
TEST(test_findings_cursor)
{
	struct stage s = stage_begin(3, 24, 120);
	size_t count;
	const struct advice_finding *all = advice_findings(s.subject.advice, &count);

	CHECK(count > 1);
	for (size_t i = 0; i < count; i++) {
		s.subject.headline = (struct headline){.key = 'a', .name = all[i].name};
		ui_press(s.ui, &s.subject, 'a');
		ui_draw(s.ui, &s.subject, s.canvas);
		CHECK_INT(tabular_selected(s.ui), i);
		ui_press(s.ui, &s.subject, 'k');
		ui_draw(s.ui, &s.subject, s.canvas);
		CHECK_INT(tabular_selected(s.ui), i > 0 ? i - 1 : 0);
		ui_press(s.ui, &s.subject, '1');
		ui_draw(s.ui, &s.subject, s.canvas);
	}
	/* A figure is no finding: the cursor stays. */
	s.subject.headline = (struct headline){.key = '5', .name = "long pauses"};
	ui_press(s.ui, &s.subject, 'a');
	ui_draw(s.ui, &s.subject, s.canvas);
	CHECK_INT(tabular_selected(s.ui), count > 1 ? count - 2 : 0);
	stage_fini(&s);
}

/* A message is shown on every screen, its beginning and its end at least; so is that a recording runs. */
TEST(test_messages)
{
	static const struct {
		int cols;
		const char *shown;
	} widths[] = {{200, "? help  q quit"},
	    {200, " could not record to a/rather/long/directory/rtevtop-myserver.fxt: No space left"},
	    {80, "could not record to a/rather/long/directory/rtevtop-myserver.fxt: No space left"},
	    {60, "could not record to a/rather/l\u2026p-myserver.fxt: No space left"},
	    {30, "could not recor\u2026 No space left"}, {20, "could not \u2026pace left"}};
	struct stage s;

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		stage_init(&s, 3, 12, widths[i].cols);
		s.subject.notice =
		    "could not record to a/rather/long/directory/rtevtop-myserver.fxt: No space left";
		ui_draw(s.ui, story_told(&s.subject), s.canvas);
		if (!stage_shows(&s, widths[i].shown))
			TEST_FAIL("not at %d columns: %s", widths[i].cols, widths[i].shown);
		stage_fini(&s);
	}
	stage_init(&s, 3, 12, 40);
	s.subject.recording = "rtevtop-myserver.fxt";
	s.subject.recording_ns = UINT64_C(754000000000);
	s.subject.recording_bytes = 123456789;
	ui_draw(s.ui, story_told(&s.subject), s.canvas);
	CHECK(stage_shows(&s, "REC 12m"));
	stage_fini(&s);
}
