/*
 * test_ui_states.c - what the header and the footer say: how the target stands, what was lost, messages.
 */
#include <signal.h>

#include "test.h"

#include "ui/view.h"
#include "unit/ui_story.h"

/* The state in words, with the rule that it is known by. */
static void test_states(void)
{
	struct stage s;

	stage_init(&s, 3, 24, 160);
	CHECK(stage_shows(&s, "● LIVE "));
	s.subject.now += 3000 * STORY_MS;
	CHECK(stage_shows(&s, "QUIET 3.01s (not paused: read from the process)"));
	s.subject.tracing = SUBJECT_TRACING_UNKNOWN;
	CHECK(stage_shows(&s, "QUIET 3.01s (idle)"));
	s.subject.quiet_cpu_ns = 2000 * STORY_MS;
	CHECK(stage_shows(&s, "QUIET 3.01s while using CPU: perhaps paused"));
	s.subject.stopped = true;
	CHECK(stage_shows(&s, "STOPPED 3.01s by a signal or a debugger"));
	s.subject.stopped = false;
	s.subject.tracing = SUBJECT_TRACING_PAUSED;
	model_set_silent(watch_model(s.watch), true);
	watch_advance(s.watch, s.subject.now, s.subject.now);
	CHECK(stage_shows(&s, "PAUSED 3.01s since 18:31:03 (read from the process)"));
	CHECK(stage_shows(&s, "paused")); /* and drawn as such */
	s.subject.state = SUBJECT_EXITED;
	CHECK(stage_shows(&s, "EXITED "));
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

/* Events that there is no place for are told of. */
static void test_ignored(void)
{
	struct rtev_callbacks calls;
	struct stage s;

	stage_init(&s, 3, 24, 160);
	CHECK(!stage_shows(&s, "ignored"));
	model_callbacks(&calls);
	for (int i = 0; i < 7; i++)
		calls.begin(watch_model(s.watch), MODEL_DOMAINS_MAX, STORY_END, RTEV_PHASE_MINOR);
	CHECK(stage_shows(&s, "ignored 7"));
	stage_fini(&s);
}

/* A ring_pause without a resume, and a pause that is known of afterwards. */
static void test_pauses_of_the_target(void)
{
	struct rtev_callbacks calls;
	struct stage s;

	stage_init(&s, 3, 24, 160);
	model_callbacks(&calls);
	calls.lifecycle(watch_model(s.watch), 0, STORY_END, RTEV_LIFECYCLE_RING_PAUSE, 0);
	s.subject.now += 4000 * STORY_MS;
	watch_advance(s.watch, s.subject.now, s.subject.now);
	CHECK(stage_shows(&s, "PAUSED 4.00s since 18:31:04 (its ring_pause)"));
	calls.lifecycle(watch_model(s.watch), 0, s.subject.now, RTEV_LIFECYCLE_RING_RESUME, 0);
	s.subject.now += 100 * STORY_MS;
	watch_advance(s.watch, s.subject.now, s.subject.now);
	CHECK(stage_shows(&s, "LIVE, was paused 4.00s"));
	/* Without a ring_pause the length is an upper bound. */
	s.subject.now += 6000 * STORY_MS;
	calls.lifecycle(watch_model(s.watch), 0, s.subject.now, RTEV_LIFECYCLE_RING_RESUME, 0);
	watch_advance(s.watch, s.subject.now, s.subject.now);
	CHECK(stage_shows(&s, "LIVE, was paused at most 6.10s"));
	stage_key(&s, '8');
	CHECK(stage_shows(&s, "paused 4.00s, since its ring_pause"));
	CHECK(stage_shows(&s, "paused at most 6.10s: since the last event"));
	stage_fini(&s);
}

/* Losses are answered with the ring that would have held them, and what fills it. */
static void test_advice(void)
{
	struct stage s;

	stage_init(&s, 3, 24, 120);
	CHECK(stage_shows(
	    &s, "lost 70.0k words  OCAMLRUNPARAM=e=18 would have held them  most is major_slice"));
	struct rtev_callbacks calls;
	model_callbacks(&calls);
	calls.lost(watch_model(s.watch), 0, 2000000, 0);
	CHECK(stage_shows(&s, "no ring that OCaml makes would have held them"));
	model_reset(watch_model(s.watch));
	CHECK(!stage_shows(&s, "would have held them"));
	stage_fini(&s);
}

/* A message is shown on every screen, its beginning and its end at least; so is that a recording runs. */
static void test_messages(void)
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
		ui_draw(s.ui, &s.subject, s.canvas);
		if (!stage_shows(&s, widths[i].shown))
			TEST_FAIL("not at %d columns: %s", widths[i].cols, widths[i].shown);
		stage_fini(&s);
	}
	stage_init(&s, 3, 12, 40);
	s.subject.recording = "rtevtop-myserver.fxt";
	s.subject.recording_ns = UINT64_C(754000000000);
	s.subject.recording_bytes = 123456789;
	ui_draw(s.ui, &s.subject, s.canvas);
	CHECK(stage_shows(&s, "REC 12m"));
	stage_fini(&s);
}

int main(void)
{
	RUN(test_states);
	RUN(test_ignored);
	RUN(test_pauses_of_the_target);
	RUN(test_advice);
	RUN(test_messages);
	return 0;
}
