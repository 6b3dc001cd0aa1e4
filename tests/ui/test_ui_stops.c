/*
 * test_ui_stops.c - the cursor in the list of stops: how it gets there, what Enter opens, and that it stays
 * on its stop.
 */
#include "support/test.h"

#include "ui/view.h"
#include "support/screen_words.h"
#include "support/ui_story.h"
#include "ui/views/stw.h"

/* The row that is selected, -1: none. */
static int selected_row(const struct canvas *canvas)
{
	for (int row = 0; row < canvas_rows(canvas); row++)
		if (canvas_row(canvas, row)[canvas_cols(canvas) - 1].style == STYLE_SELECTED)
			return row;
	return -1;
}

/* The words of the row that is selected. */
static int selected_words(struct stage *s, char *line, size_t size, char *words[32])
{
	ui_draw(s->ui, story_told(&s->subject), s->canvas);
	int row = selected_row(s->canvas);
	char *screen = canvas_dump(s->canvas), *at = screen;

	CHECK(row >= 0);
	while (row-- > 0)
		at = strchr(at, '\n') + 1;
	snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
	free(screen);
	return words_of(line, words);
}

static void keys(struct stage *s, ui_key key, int times)
{
	for (int i = 0; i < times; i++)
		stage_key(s, key);
}

/* What Enter opens is the stop under the cursor, in both orders. */
static void check_enter(struct stage *s, int down)
{
	char line[1024], expected[128], *words[32];

	keys(s, UI_KEY_DOWN, down);
	CHECK(selected_words(s, line, sizeof(line), words) >= 6);
	/* before now, whole stop, for, led by, last, late */
	snprintf(
	    expected, sizeof(expected), "%s stop %s, %s late by %s", words[2], words[1], words[4], words[5]);
	stage_key(s, UI_KEY_ENTER);
	CHECK(s->ui->frozen);
	CHECK_INT(s->ui->view, VIEW_PANES);
	CHECK_STR(s->ui->frozen_range.mark.text, expected);
	stage_key(s, UI_KEY_ESCAPE);
	CHECK_INT(s->ui->view, VIEW_STW);
	CHECK(!s->ui->frozen);
}

TEST(test_enter)
{
	struct stage s = stage_begin(3, 40, 120);
	stage_key(&s, '6');
	check_enter(&s, 3); /* three domains stand above the list */
	check_enter(&s, 2);
	stage_key(&s, 'o');
	check_enter(&s, 0);
	check_enter(&s, 3);
	/* Back in the table it is the worst stop of the domain, as before. */
	stage_type(&s, "⇱\n");
	CHECK(strstr(s.ui->frozen_range.mark.text, "D1 late by 2.60ms") != NULL);
	stage_fini(&s);
}

/* One that waited for nobody is opened as well. */
TEST(test_enter_without_blame)
{
	char line[1024], *words[32];
	struct stage s = stage_begin(3, 40, 120);
	stage_type(&s, "6⇲");
	CHECK(selected_words(&s, line, sizeof(line), words) > 4);
	CHECK_STR(words[4], "-");
	stage_key(&s, UI_KEY_ENTER);
	CHECK_STR(s.ui->frozen_range.mark.text, "major stop 3.41ms, led by D0");
	stage_fini(&s);
}

/* A stop of two domains now, led by 0. */
static void stop_now(struct stage *s, uint64_t ts)
{
	struct model *m = watch_model(s->watch);

	for (unsigned d = 0; d < 2; d++) {
		s->calls.begin(
		    m, d, ts + d * 100000, d == 0 ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
		s->calls.begin(m, d, ts + d * 200000 + 1000, RTEV_PHASE_STW_API_BARRIER);
		s->calls.end(m, d, ts + 300000, RTEV_PHASE_STW_API_BARRIER);
		s->calls.end(m, d, ts + STORY_MS, d == 0 ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
	}
}

/* A stop for which domain 2 comes 40 ms late. */
static void stop_late(struct stage *s)
{
	struct model *m = watch_model(s->watch);
	const uint64_t ts = s->subject.now, late = ts + 40 * STORY_MS, end = late + STORY_MS;

	for (unsigned d = 0; d < 3; d++) {
		const uint64_t at = d == 2 ? late : ts + d * 1000;
		s->calls.begin(m, d, at, d == 0 ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
		s->calls.begin(m, d, at + (d == 0 ? 50000 : 10), RTEV_PHASE_STW_API_BARRIER);
		s->calls.end(m, d, late + 100, RTEV_PHASE_STW_API_BARRIER);
		s->calls.end(m, d, end, d == 0 ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
	}
	stage_go_on(s, 100);
}

/* Where the one that waited longest had nothing to do, as one that only joins others, the late one is explained, unless
 * that waited for others itself. */
TEST(test_late_of_idle)
{
	for (int waits = 0; waits < 2; waits++) {
		struct stage s = stage_begin(3, 40, 120);
		struct model *m = watch_model(s.watch);

		s.calls.end(m, 1, s.subject.now, RTEV_PHASE_MAJOR_SLICE);
		s.calls.begin(m, 1, s.subject.now + STORY_MS, RTEV_PHASE_DOMAIN_CONDITION_WAIT);
		stage_go_on(&s, 100);
		if (waits) {
			s.calls.begin(m, 2, s.subject.now, RTEV_PHASE_MINOR_LEAVE_BARRIER);
			s.calls.end(m, 2, s.subject.now + 39 * STORY_MS, RTEV_PHASE_MINOR_LEAVE_BARRIER);
		}
		stop_late(&s);
		stage_key(&s, '6');
		if (stage_shows(&s, "not known: D2 came 40.0ms late: sample with C") == waits ||
		    stage_shows(&s, "D2 came 40.0ms late: waits") || !stage_shows(&s, "40.0ms"))
			TEST_FAIL("%s", stage_screen(&s));
		stage_fini(&s);
	}
}

/* The threads of all domains since the last sample: that of domain 2 waited for a processor, or ran. */
static void sampled(struct stage *s, bool starved)
{
	struct system_past *past = watch_system(s->watch);
	static struct system_sample sample;

	sample = *system_past_latest(past);
	const uint64_t time = s->subject.now - sample.ts;
	sample.ts = s->subject.now;
	for (unsigned t = 0; t < sample.thread_count; t++) {
		struct system_thread *thread = &sample.threads[t];

		thread->ts = sample.ts;
		thread->runs = t + 1;
		(starved && thread->runs == 3 ? &thread->wait : &thread->run)->value += time;
	}
	system_past_add(past, &sample);
}

/* Where the late one had no processor until it came, that is told, not only who waited for it. */
TEST(test_late_of_starved)
{
	for (int starved = 0; starved < 2; starved++) {
		struct stage s = stage_begin(3, 40, 120);

		s.calls.end(watch_model(s.watch), 1, s.subject.now, RTEV_PHASE_MAJOR_SLICE);
		stage_go_on(&s, 100);
		sampled(&s, false);
		stop_late(&s);
		sampled(&s, starved);
		stage_key(&s, '6');
		if (stage_shows(&s, "likely: D2 came 40.0ms late: no processor: its thread could have run "
				    "and had none for 40.0ms") != starved ||
		    stage_shows(&s, "likely: D1 waited 40.0 of 41.0ms for D2") == starved)
			TEST_FAIL("%s", stage_screen(&s));
		stage_fini(&s);
	}
}

/* The cursor stays on its stop while others come, and moves to lines that were not seen. */
TEST(test_stays)
{
	char line[1024], *words[32], late[64];
	struct stage s = stage_begin(3, 24, 80);
	/* A slice is open on D1 when the story ends. */
	s.calls.end(watch_model(s.watch), 1, s.subject.now, RTEV_PHASE_MAJOR_SLICE);
	stage_key(&s, '6');
	keys(&s, UI_KEY_DOWN, 4);
	CHECK(selected_words(&s, line, sizeof(line), words) >= 6);
	strlcpy(late, words[5], sizeof(late));
	int64_t begin = stops_own(s.ui)->place.identity;
	for (int i = 0; i < 20; i++) {
		stop_now(&s, s.subject.now + STORY_MS);
		stage_go_on(&s, 500);
		CHECK(selected_words(&s, line, sizeof(line), words) >= 6);
		CHECK_STR(words[5], late);
		CHECK(stops_own(s.ui)->place.identity == begin);
	}
	CHECK(stops_own(s.ui)->place.list.selected == 21);
	/* Up to the first, and out of the list. */
	keys(&s, UI_KEY_UP, 21);
	CHECK(stops_own(s.ui)->on && stops_own(s.ui)->place.list.selected == 0);
	stage_key(&s, UI_KEY_UP);
	CHECK(!stops_own(s.ui)->on);
	stage_key(&s, UI_KEY_DOWN);
	CHECK(stops_own(s.ui)->on);
	/* It stays on the stop of the first line, too. */
	begin = stops_own(s.ui)->place.identity;
	stop_now(&s, s.subject.now + STORY_MS);
	stage_go_on(&s, 500);
	CHECK(selected_words(&s, line, sizeof(line), words) >= 6);
	CHECK(stops_own(s.ui)->place.identity == begin && stops_own(s.ui)->place.list.selected == 1);
	stage_key(&s, UI_KEY_PAGE_DOWN);
	CHECK(stops_own(s.ui)->place.list.selected > 5);
	stage_key(&s, UI_KEY_HOME);
	CHECK(!stops_own(s.ui)->on);
	/* A filter, and a search, go by what the lines show. */
	keys(&s, UI_KEY_END, 1);
	stage_type(&s, "\\major\n");
	keys(&s, UI_KEY_END, 1);
	CHECK(selected_words(&s, line, sizeof(line), words) > 3);
	CHECK_STR(words[2], "major");
	CHECK_INT(stops_own(s.ui)->place.list.selected, 3);
	stage_type(&s, "⎋⇱");
	keys(&s, UI_KEY_DOWN, 3);
	stage_type(&s, "/maj\n");
	CHECK(selected_words(&s, line, sizeof(line), words) > 3);
	CHECK_STR(words[2], "major");
	stage_fini(&s);
}

/* On a low screen there is no list to go to. */
TEST(test_low)
{
	struct stage s = stage_begin(3, 10, 80);
	stage_key(&s, '6');
	keys(&s, UI_KEY_DOWN, 5);
	CHECK(!stops_own(s.ui)->on);
	stage_key(&s, UI_KEY_ENTER);
	CHECK(s.ui->frozen_range.mark.on);
	stage_fini(&s);
}

/* A single domain: what it led, and that nobody waited; no table of zeros. */
TEST(test_alone)
{
	struct stage s = stage_begin(1, 24, 80);
	struct model *m = watch_model(s.watch);
	s.calls.end(m, 0, s.subject.now, RTEV_PHASE_MAJOR_SLICE);
	model_reset(m);
	for (int i = 0; i < 19; i++) {
		s.calls.begin(m, 0, s.subject.now + STORY_MS, RTEV_PHASE_STW_LEADER);
		s.calls.end(
		    m, 0, s.subject.now + 2 * STORY_MS + (uint64_t)i * STORY_MS, RTEV_PHASE_STW_LEADER);
		stage_go_on(&s, 100);
	}
	stage_go_on(&s, 1000);
	stage_key(&s, '6');
	CHECK(stage_shows(&s, "stops of a single domain 19"));
	CHECK(stage_shows(&s, "no other was stopped or waited"));
	CHECK(!stage_shows(&s, "came last") && !stage_shows(&s, "stops 0"));
	keys(&s, UI_KEY_DOWN, 2);
	stage_key(&s, UI_KEY_ENTER);
	CHECK(s.ui->frozen_range.mark.on);
	CHECK(s.ui->frozen_range.mark.to - s.ui->frozen_range.mark.from == 17 * STORY_MS);
	CHECK(strstr(s.ui->frozen_range.mark.text, "led by D0") != NULL);
	stage_fini(&s);
}
