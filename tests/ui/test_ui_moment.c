/*
 * test_ui_moment.c - the moment of a frozen picture: it stands while the target goes on, is moved and zoomed
 * in, and comes from the list of the worst pauses.
 */
#include "support/test.h"

#include "core/event.h"
#include "ui/view.h"
#include "ui/views/span_page.h"
#include "support/ui_story.h"
#include "ui/views/trend_columns.h"

/* The screen without its first two lines, which tell of now. */
static char *body_text(struct stage *s)
{
	char *screen = stage_text(s);
	char *body = strchr(strchr(screen, '\n') + 1, '\n') + 1;

	memmove(screen, body, strlen(body) + 1);
	/* The footer speaks of the mode. */
	screen[strlen(screen) - 1] = '\0';
	*strrchr(screen, '\n') = '\0';
	return screen;
}

/* Frozen, no view changes while the target goes on. */
TEST(test_freeze)
{
	for (int v = 0; v < 8; v++) {
		struct stage s = stage_begin(3, 24, 80);
		stage_key(&s, (ui_key)('1' + v));
		CHECK(stage_key(&s, ' ') & UI_DIRTY);
		CHECK(s.ui->frozen);
		CHECK(stage_shows(&s, "FROZEN"));
		char *before = body_text(&s);
		stage_go_on(&s, 1500);
		char *after = body_text(&s);
		CHECK_STR(after, before);
		stage_key(&s, 'p');
		CHECK(!s.ui->frozen && !stage_shows(&s, "FROZEN"));
		char *now = body_text(&s);
		CHECK(strcmp(now, before) != 0 || v == 6); /* nothing of the memory has changed */
		free(before);
		free(after);
		free(now);
		stage_fini(&s);
	}
}

/* The begins of the long pauses of the story, of its losses and its other marks, and of the findings: what n and
 * N lead to, in the simplest way. */
static size_t all_events(struct stage *s, uint64_t *out)
{
	const struct subject shown = snapshot_subject(s->ui->snapshot, &s->subject);
	const struct trend *trend = watch_trend(shown.watch);
	size_t count = 0, found;

	for (size_t i = 0; i < s->story.span_count; i++) {
		const struct story_span *span = &s->story.spans[i];
		if (!span->user && span->depth == 0 && span->id != RTEV_PHASE_DOMAIN_CONDITION_WAIT &&
		    span->end - span->begin >= 10 * STORY_MS)
			out[count++] = span->begin;
	}
	for (int k = 0; k < TREND_MARK_COUNT; k++)
		for (size_t i = 0; i < trend_marks(trend, (enum trend_mark_kind)k); i++)
			out[count++] = trend_mark_at(trend, (enum trend_mark_kind)k, i)->from;
	const struct advice_finding *f = advice_findings(shown.advice, &found);
	for (size_t i = 0; i < found; i++)
		out[count++] = f[i].since;
	return count;
}

/* The event before a stamp that is the latest, or the one after it that is the earliest; 0: there is none. */
static uint64_t event_beside(
    const struct stage *s, const uint64_t *events, size_t count, uint64_t at, bool after)
{
	uint64_t best = 0;

	for (size_t i = 0; i < count; i++) {
		if (events[i] < s->ui->frozen_range.earliest || events[i] > s->ui->frozen_range.end)
			continue;
		if (after ? events[i] > at && (best == 0 || events[i] < best)
			  : events[i] < at && events[i] > best)
			best = events[i];
	}
	return best;
}

/* N leads back to each event of a frozen screen, one by one, and n on again; at either end they say so. */
TEST(test_events)
{
	enum { EVENTS = 4096 };
	static uint64_t events[EVENTS];
	struct stage s;

	for (int round = 0; round < 3; round++) {
		int steps = 0;
		stage_init(&s, round == 1 ? 8 : 1, 40, 120);
		/* The last event may be long ago. */
		s.subject.now += round == 2 ? UINT64_C(1) << 62 : 0;
		stage_type(&s, "2 ");
		size_t count = all_events(&s, events);
		CHECK(count > 3 && count < EVENTS);
		stage_key(&s, 'n');
		CHECK(s.ui->view == VIEW_DOMAINS && stage_shows(&s, "nothing after this: no pause of 10ms"));
		uint64_t at = s.ui->frozen_range.end + 1, next;
		for (; (next = event_beside(&s, events, count, at, false)) != 0; at = next, steps++) {
			stage_key(&s, 'N');
			CHECK(s.ui->frozen_range.opened && s.ui->frozen_range.mark.on && s.ui->why == NULL);
			CHECK_INT(s.ui->frozen_range.mark.from, next);
			CHECK(stage_shows(&s, s.ui->frozen_range.mark.text));
		}
		CHECK(stage_refuses(&s, 'N') && steps > 3);
		for (; (next = event_beside(&s, events, count, at, true)) != 0; at = next) {
			CHECK(!stage_refuses(&s, 'n'));
			CHECK_INT(s.ui->frozen_range.mark.from, next);
		}
		CHECK(stage_refuses(&s, 'n'));
		/* From where one has moved to, and back to the view that the first step left. */
		stage_type(&s, "⇱");
		next = event_beside(&s, events, count, s.ui->frozen_range.centre, true);
		stage_key(&s, 'n');
		CHECK(next != 0);
		CHECK_INT(s.ui->frozen_range.mark.from, next);
		stage_key(&s, UI_KEY_ESCAPE);
		CHECK(s.ui->frozen && s.ui->view == VIEW_DOMAINS);
		stage_fini(&s);
	}
	/* While a search is set they go through its matches. */
	stage_init(&s, 8, 40, 120);
	stage_type(&s, " /D5\nn");
	CHECK(!s.ui->frozen_range.opened && view_panes_domain(s.ui, &s.subject) == 5);
	stage_type(&s, "⎋");
	stage_fini(&s);
}

/* In a frozen trend they move its cursor, and Enter opens the time found; what is older than the columns makes
 * them those of all that is known. */
TEST(test_events_of_the_trend)
{
	enum { EVENTS = 4096 };
	static uint64_t events[EVENTS];
	struct stage s;
	int steps = 0;

	stage_init(&s, 1, 40, 120);
	s.subject.now += 900 * 1000 * STORY_MS;
	watch_advance(s.watch, s.subject.now, s.subject.now);
	stage_type(&s, "0 ]");
	CHECK_INT(trend_own(s.ui)->span, 1);
	size_t count = all_events(&s, events);
	uint64_t at = s.ui->frozen_range.end + 1, next;
	for (; (next = event_beside(&s, events, count, at, false)) != 0; at = next, steps++) {
		stage_key(&s, 'N');
		CHECK(s.ui->view == VIEW_TREND && s.ui->frozen && !s.ui->frozen_range.opened &&
		      trend_own(s.ui)->span == 0);
		CHECK_INT(trend_own(s.ui)->cursor, next);
		CHECK(stage_shows(&s, ": Enter opens it"));
	}
	CHECK(stage_refuses(&s, 'N') && steps > 3);
	CHECK_INT(trend_own(s.ui)->cursor, at);
	next = event_beside(&s, events, count, at, true);
	stage_key(&s, 'n');
	CHECK_INT(trend_own(s.ui)->cursor, next);
	stage_key(&s, UI_KEY_ENTER);
	CHECK(s.ui->view == VIEW_PANES && s.ui->frozen_range.mark.from <= next &&
	      s.ui->frozen_range.mark.to > next);
	/* A stretch of time is no pause: how much of it was the collector's. */
	CHECK(stage_shows(&s, "   GC ") && !stage_shows(&s, "GC 100%"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK_INT(s.ui->view, VIEW_TREND);
	stage_fini(&s);
}

/* The moment of a span of the program is not in itself. */
TEST(test_why_of_a_span)
{
	struct stage s = stage_begin(1, 40, 120);
	stage_type(&s, "4\n");
	for (int i = 0; i < LONGEST_MAX; i++) {
		stage_key(&s, UI_KEY_ENTER);
		CHECK(s.ui->frozen_range.opened && !stage_shows(&s, "; in http.request"));
		CHECK(stage_shows(&s, "likely: ") || stage_shows(&s, "not known: sample with C"));
		stage_type(&s, "⎋↓");
	}
	stage_fini(&s);
}

/* What made a moment last is told as far as samples that cover it do: of the domain's own thread it is proved, of all threads it
 * is a bound. */
TEST(test_processor)
{
	static const struct {
		uint64_t ran, own,
		    other; /* ms, of the second around it: what its thread ran and waited, another one waited */
		char state;
		bool covered;
		const char *bar, *says;
	} cases[] = {
	    {900, 0, 100, 'S', true, "code 700ms 88%   code or blocked 100ms 12%", "likely: code 700ms"},
	    {300, 700, 0, 'S', true,
		"code 100ms 12%   no processor 500ms 62%   code or no processor 200ms 25%",
		"likely: no processor: its thread could have run and had none for 500ms or more"},
	    {500, 400, 0, 'S', true, "code 300ms 38%   no processor 200ms 25%   not known 300ms 38%",
		"not known: sample with C"},
	    {100, 0, 700, 'S', true, "blocked 700ms 88%   code or blocked 100ms 12%",
		"likely: blocked 700ms"},
	    {900, 700, 0, 'T', true, "", "likely: a signal or a debugger had stopped the process"},
	    {300, 700, 0, 'S', false, "not known 800ms 100%", "not known: sample with C"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static struct system_sample sample;
		struct stage s = stage_begin(2, 40, 120);
		struct system_past *past = watch_system(s.watch);
		for (uint64_t second = 1; second <= 2; second++) {
			const uint64_t of = second == 1 ? STORY_MS : 0;
			sample = *system_past_latest(past);
			sample.ts += 1000 * STORY_MS;
			sample.values[SYSTEM_CPU_USER].value += of * cases[i].ran;
			sample.values[SYSTEM_WAIT].value += of * (cases[i].own + cases[i].other);
			CHECK(sample.thread_count >= 2);
			for (unsigned t = 0; t < sample.thread_count; t++) {
				sample.threads[t].ts = sample.ts;
				sample.threads[t].state = second == 1 ? cases[i].state : 'S';
				sample.threads[t].run.value +=
				    of * (sample.threads[t].runs == 1 ? cases[i].ran : 0);
				sample.threads[t].wait.value +=
				    of * (sample.threads[t].runs == 1 ? cases[i].own
					     : t == 1		      ? cases[i].other
								      : 0);
			}
			if (!cases[i].covered && second == 1)
				system_past_break(past);
			system_past_add(past, &sample);
		}
		s.subject.now = sample.ts;
		watch_advance(s.watch, sample.ts, sample.ts);
		struct moment_mark mark = {
		    .from = STORY_END + 200 * STORY_MS, .to = STORY_END + 1000 * STORY_MS};
		moment_open_as(s.ui, &s.subject, mark, VIEW_PANES, "it");
		char *screen = stage_text(&s);
		if (strstr(screen, cases[i].bar) == NULL || strstr(screen, cases[i].says) == NULL)
			TEST_FAIL("case %zu:\n%s", i, screen);
		free(screen);
		stage_fini(&s);
	}
}

/* Of a moment in which looks saw the thread of its domain wait for a lock that is said, of the screen that was frozen, too. */
TEST(test_waits_for_a_lock)
{
	struct lock_past *past = lock_past_create();
	struct system_sample sample = {.thread_count = 1, .threads = {{.tid = 100, .runs = 1}}};
	struct lock_thread threads[] = {
	    {.tid = 100, .doing = LOCK_WAITS, .lock.kind = LOCK_MUTEX, .next = 1, .owner = 101},
	    {.tid = 101}};
	struct stage s = stage_begin(2, 40, 120);
	s.subject.now = STORY_END + 1000 * STORY_MS;
	watch_advance(s.watch, s.subject.now, s.subject.now);
	for (uint64_t ms = 0; ms < 1000; ms += 100) {
		threads[0].lock.kind = ms > 300 ? LOCK_MUTEX : LOCK_CONDITION;
		(void)lock_past_add(past,
		    &(struct locks_look){.ts = STORY_END + ms * STORY_MS, .threads = threads, .count = 2},
		    &sample);
	}
	s.subject.locks = past;
	struct moment_mark mark = {.from = STORY_END + 200 * STORY_MS, .to = STORY_END + 900 * STORY_MS};
	moment_open_as(s.ui, &s.subject, mark, VIEW_PANES, "it");
	lock_past_break(past);
	CHECK(stage_shows(&s, "waits for a lock 550ms 79%"));
	CHECK(stage_shows(&s, "likely: waits for a lock, about 550ms (5 of 7 looks)"));
	mark.to = STORY_END + 400 * STORY_MS;
	moment_open_as(s.ui, &s.subject, mark, VIEW_PANES, "it");
	CHECK(stage_shows(&s, "not known 200ms 100%"));
	stage_fini(&s);
	lock_past_destroy(past);
}

/* g goes to a time, from each view and live: before now, and by the clock; the oldest where nothing older is kept. */
TEST(test_go_to)
{
	static const struct {
		const char *typed, *shown;
	} cases[] = {{"-3s", "middle 18:31:01"}, {"4", "middle 18:31:00"}, {"18:31:02", "middle 18:31:02"},
	    {"18:31", "middle 18:31:00"}, {"-5m", "this is the oldest"}, {"18:32:00", "this is the oldest"}};
	static const char *const wrong[] = {
	    "x", "-", "-3x", "25:00", "18:31:", "1 8", "-9999999999999999999s"};
	struct stage s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		stage_init(&s, 2, 40, 120);
		stage_type(&s, "5g");
		CHECK(stage_shows(&s, "go to 30s ago, 5m ago, or H:M:S:"));
		stage_type(&s, cases[i].typed);
		stage_key(&s, UI_KEY_ENTER);
		if (!s.ui->frozen || !s.ui->frozen_range.opened || !stage_shows(&s, cases[i].shown))
			TEST_FAIL("%s:\n%s", cases[i].typed, stage_screen(&s));
		stage_key(&s, UI_KEY_ESCAPE);
		CHECK(!s.ui->frozen && s.ui->view == VIEW_PAUSES);
		stage_fini(&s);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		stage_init(&s, 2, 40, 120);
		stage_type(&s, "g");
		stage_type(&s, wrong[i]);
		stage_key(&s, UI_KEY_ENTER);
		CHECK(!s.ui->frozen && stage_shows(&s, "no such time"));
		stage_fini(&s);
	}
	/* The trend moves its cursor. */
	stage_init(&s, 2, 40, 120);
	stage_type(&s, "0g-3s\n");
	CHECK(s.ui->view == VIEW_TREND && s.ui->frozen);
	CHECK_INT(trend_own(s.ui)->cursor, STORY_END - 3000 * STORY_MS);
	stage_fini(&s);
}

/* Keys that come before the view has been drawn do what they do after that. */
TEST(test_before_a_drawing)
{
	struct stage s = stage_begin(2, 40, 120);
	ui_press(s.ui, &s.subject, '4');
	ui_press(s.ui, &s.subject, UI_KEY_ENTER);
	CHECK(span_page_of(s.ui)->on);
	ui_press(s.ui, &s.subject, UI_KEY_ENTER);
	CHECK(s.ui->frozen_range.opened && s.ui->frozen_range.mark.on);
	ui_press(s.ui, &s.subject, UI_KEY_ESCAPE);
	ui_press(s.ui, &s.subject, '5');
	ui_press(s.ui, &s.subject, UI_KEY_ENTER);
	CHECK(s.ui->frozen_range.opened && s.ui->frozen_range.mark.on &&
	      s.ui->frozen_range.back == VIEW_PAUSES);
	stage_fini(&s);
}

/* Frozen, < and > are five seconds, b and w what is shown, Home the oldest. */
TEST(test_steps)
{
	struct stage s = stage_begin(2, 40, 120);
	stage_type(&s, " [[←");
	const uint64_t at = s.ui->frozen_range.centre, span = s.ui->frozen_range.span;
	CHECK(span < 5000 * STORY_MS);
	stage_key(&s, '<');
	CHECK_INT(s.ui->frozen_range.centre, at - 5000 * STORY_MS);
	stage_key(&s, '>');
	CHECK_INT(s.ui->frozen_range.centre, at);
	stage_key(&s, 'b');
	CHECK_INT(s.ui->frozen_range.centre, at - span);
	stage_key(&s, 'w');
	CHECK_INT(s.ui->frozen_range.centre, at);
	stage_key(&s, UI_KEY_HOME);
	CHECK_INT(s.ui->frozen_range.centre, s.ui->frozen_range.earliest + span / 2);
	stage_fini(&s);
}

/* In a table n and N go to the next match and to the one before, live and frozen. */
TEST(test_matches)
{
	for (int frozen = 0; frozen < 2; frozen++) {
		struct stage s;
		int lines[3];
		stage_init(&s, 3, 40, 120);
		stage_type(&s, frozen ? "3 /m\n" : "3/m\n");
		for (int i = 0; i < 3; i++) {
			stage_key(&s, i < 2 ? 'n' : 'N');
			lines[i] = s.ui->places[VIEW_PHASES].list.selected;
		}
		CHECK(lines[0] != lines[1] && lines[2] == lines[0]);
		stage_fini(&s);
	}
}

/* Freezing leaves the panes where they are and as they are, in each of their forms; Esc goes on. */
TEST(test_panes_stay)
{
	static const ui_key forms[] = {'[', 'x', 't', 'z', 'L'};

	for (int size = 0; size < 2; size++) {
		struct stage s = stage_begin(3, size == 0 ? 24 : 40, size == 0 ? 80 : 120);
		for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
			stage_key(&s, forms[i]);
			char *before = body_text(&s);
			stage_key(&s, ' ');
			CHECK(s.ui->frozen && stage_shows(&s, "FROZEN"));
			char *after = body_text(&s);
			CHECK_STR(after, before);
			stage_key(&s, UI_KEY_ESCAPE);
			if (s.ui->frozen) /* it first went back to all panes */
				stage_type(&s, "⎋z");
			CHECK(!s.ui->frozen);
			free(before);
			free(after);
		}
		stage_fini(&s);
	}
}

/* What the keys change of the panes they change of frozen panes as well; those that move in time show the
 * timeline of the moment, and Esc leads back. */
TEST(test_frozen_panes)
{
	static const ui_key opening[] = {'t', '[', ']', UI_KEY_LEFT, UI_KEY_HOME};
	struct stage s = stage_begin(3, 40, 120);
	stage_key(&s, ' ');
	char *panes = body_text(&s);
	CHECK(!stage_shows(&s, "middle "));
	stage_type(&s, "→z");
	CHECK(stage_shows(&s, "middle ")); /* there is nothing later than the moment */
	stage_type(&s, "z⎋");
	CHECK(s.ui->frozen && !stage_shows(&s, "middle "));
	stage_type(&s, "↓\n");
	CHECK(s.ui->frozen && s.ui->zoomed && stage_shows(&s, "╭ D1 ") && !stage_shows(&s, "╭ D0 "));
	stage_type(&s, "⎋↑");
	CHECK(s.ui->frozen && !s.ui->zoomed);
	char *again = body_text(&s);
	CHECK_STR(again, panes);
	free(again);
	for (size_t i = 0; i < sizeof(opening) / sizeof(opening[0]); i++) {
		stage_key(&s, opening[i]);
		CHECK(s.ui->frozen && stage_shows(&s, "middle "));
		stage_key(&s, UI_KEY_ESCAPE);
		again = body_text(&s);
		CHECK_STR(again, panes);
		CHECK(s.ui->frozen && !stage_shows(&s, " (-"));
		free(again);
	}
	/* From another view a domain's pane is opened, of the same moment. */
	stage_type(&s, "2↓\n");
	CHECK(s.ui->frozen && s.ui->zoomed && stage_shows(&s, "╭ D1 ") && !stage_shows(&s, "middle "));
	stage_type(&s, "⎋⎋");
	CHECK(!s.ui->frozen);
	free(panes);
	stage_fini(&s);
}

TEST(test_spans)
{
	static const uint64_t steps[] = {1000, 2000, 5000, 10000, 20000, 50000, 100000};
	uint64_t span = 60000000000;
	int count = 0;

	for (size_t i = 0; i + 1 < sizeof(steps) / sizeof(steps[0]); i++) {
		CHECK_INT(moment_span_next(steps[i], 1), steps[i + 1]);
		CHECK_INT(moment_span_next(steps[i + 1], -1), steps[i]);
	}
	for (; span > MOMENT_SPAN_LEAST; span = moment_span_next(span, -1))
		count++;
	CHECK_INT(count, 23); /* 20 s and 1-2-5 down to 1 µs */
	CHECK_INT(moment_span_next(span, -1), MOMENT_SPAN_LEAST);
	CHECK_INT(moment_span_next(20000000000, 1), 60000000000);
	CHECK_INT(moment_span_next(60000000000, 1), 120000000000);
	CHECK_INT(moment_span_next(MOMENT_SPAN_MOST, 1), MOMENT_SPAN_MOST);
	CHECK_INT(moment_span_next(3456, -1), 2000);
	CHECK_INT(moment_span_next(3456, 1), 5000);
}

/* Moving and zooming in a frozen picture. */
TEST(test_moment)
{
	struct stage s = stage_begin(3, 40, 120);
	stage_type(&s, " t");
	const struct frozen_range *m = &s.ui->frozen_range;
	CHECK_INT(m->span, 5 * 1000 * STORY_MS);
	CHECK_INT(m->end, STORY_END);
	CHECK_INT(m->centre, STORY_END - m->span / 2);
	CHECK_INT(m->earliest, STORY_BEGIN);
	CHECK(stage_shows(&s, "18:31:01.500 (-2.50s)") && stage_shows(&s, "range 5.00s"));
	/* To the right there is no more; to the left there is, and back leads to the same picture. */
	char *first = body_text(&s);
	CHECK(stage_refuses(&s, UI_KEY_RIGHT));
	CHECK(stage_key(&s, UI_KEY_LEFT) & UI_DIRTY);
	CHECK_INT(m->centre, STORY_END - m->span / 2 - m->span / 8);
	stage_key(&s, UI_KEY_RIGHT);
	char *again = body_text(&s);
	CHECK_STR(again, first);
	/* Zooming keeps the centre. */
	stage_key(&s, '[');
	CHECK_INT(m->span, 2 * 1000 * STORY_MS);
	CHECK_INT(m->centre, STORY_END - 2500 * STORY_MS);
	stage_key(&s, ']');
	free(again);
	again = body_text(&s);
	CHECK_STR(again, first);
	/* The ends. */
	stage_type(&s, "[⇱");
	CHECK_INT(moment_from(m), STORY_BEGIN);
	stage_key(&s, UI_KEY_END);
	CHECK_INT(m->centre + m->span / 2, STORY_END);
	/* As far as it goes, there is a picture. */
	for (int i = 0; i < 40; i++)
		stage_key(&s, '[');
	CHECK_INT(m->span, MOMENT_SPAN_LEAST);
	CHECK(stage_shows(&s, "range 1.00µs"));
	for (int i = 0; i < 60; i++)
		stage_key(&s, ']');
	CHECK_INT(m->span, MOMENT_SPAN_MOST);
	CHECK(stage_shows(&s, "range 10m00s"));
	CHECK(stage_shows(&s, "╳")); /* the loss, however short */
	stage_type(&s, "⎋⎋");
	CHECK(!s.ui->frozen);
	free(first);
	free(again);
	stage_fini(&s);
}

/* Enter on the worst pause, and back to where one came from. */
TEST(test_open_worst)
{
	struct stage s;
	size_t count;

	stage_init(&s, 3, 40, 120);
	stage_type(&s, "5\n");
	const struct model_worst *worst = model_worst(watch_model(s.watch), &count);
	const struct frozen_range *m = &s.ui->frozen_range;
	CHECK(count == 10 && worst->duration == 50 * STORY_MS && worst->domain == 2);
	CHECK(s.ui->frozen && s.ui->view == VIEW_PANES);
	CHECK_INT(m->domain, 2);
	CHECK_INT(m->span, 2 * worst->duration);
	CHECK_INT(moment_from(m), worst->ts - worst->duration / 2);
	CHECK(stage_shows(&s, "D2 major 50.0ms") && stage_shows(&s, "major_finish_marking"));
	CHECK(stage_shows(&s, "▸D2") && stage_shows(&s, " D0"));
	/* One domain alone, and back to all of them, then to the pauses, which go on. */
	stage_key(&s, UI_KEY_ENTER);
	CHECK(!stage_shows(&s, " D0"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(stage_shows(&s, " D0") && s.ui->frozen);
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(s.ui->view == VIEW_PAUSES && !s.ui->frozen);
	/* From a frozen list one comes back to a frozen list. */
	stage_type(&s, " \n⎋");
	CHECK(s.ui->view == VIEW_PAUSES && s.ui->frozen);
	stage_key(&s, ' ');
	/* The stop that a domain was last in. */
	stage_type(&s, "6\n");
	CHECK(s.ui->view == VIEW_PANES && m->mark.on && m->mark.domain == 1);
	CHECK(stage_shows(&s, "late by 2.60ms"));
	stage_key(&s, ' ');
	CHECK(s.ui->view == VIEW_PANES && !s.ui->frozen);
	stage_fini(&s);
}

/* A request that was slow: its page, the moment of one of the worst, and back by the same way. */
TEST(test_open_span)
{
	struct stage s = stage_begin(3, 40, 120);
	stage_type(&s, "4\n");
	CHECK(span_page_of(s.ui)->on && stage_shows(&s, "longest pause in it") &&
	      stage_shows(&s, "GC in it 270ms (4.3%)"));
	const struct longest_list *list = longest_of(watch_longest(s.watch), 0);
	CHECK(list != NULL && list->count == LONGEST_MAX);
	stage_type(&s, "↓\n");
	CHECK(s.ui->frozen && s.ui->view == VIEW_PANES);
	CHECK_INT(s.ui->frozen_range.mark.from, list->spans[1].begin);
	CHECK_INT(s.ui->frozen_range.domain, 1);
	CHECK(stage_shows(&s, "D1 http.request 51.0ms"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(!s.ui->frozen && s.ui->view == VIEW_USER && span_page_of(s.ui)->on);
	CHECK_INT(ui_place(s.ui)->list.selected, 1);
	/* Frozen, the page is of that moment; a reset begins anew. */
	stage_key(&s, ' ');
	model_reset(watch_model(s.watch));
	CHECK(stage_shows(&s, "D1           9.10s"));
	stage_key(&s, ' ');
	CHECK(stage_shows(&s, "none of these spans has ended yet"));
	/* Back to the list, at the place that was left. */
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(!span_page_of(s.ui)->on && s.ui->view == VIEW_USER && ui_place(s.ui)->list.selected == 0);
	/* What is no span has no page. */
	stage_type(&s, "↓\n");
	CHECK(!span_page_of(s.ui)->on && stage_shows(&s, "only a span has a page"));
	stage_fini(&s);
}

/* A phase, by the path that leads to it. */
TEST(test_open_phase)
{
	struct stage s = stage_begin(3, 40, 120);
	stage_type(&s, "3/finish_mark\n\n");
	CHECK(span_page_of(s.ui)->on && span_page_of(s.ui)->depth == 1);
	CHECK(stage_shows(&s, "major_finish_marking in major"));
	stage_key(&s, UI_KEY_ENTER);
	CHECK(s.ui->frozen && stage_shows(&s, "major_finish_marking in major"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(s.ui->view == VIEW_PHASES && span_page_of(s.ui)->on);
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(!span_page_of(s.ui)->on);
	stage_fini(&s);
}

/* A pause that the history has given up is said to be gone. */
TEST(test_worst_is_gone)
{
	struct stage s = stage_begin(3, 40, 120);
	watch_destroy(s.watch);
	s.watch = watch_create(
	    &(struct watch_options){.attach_ts = STORY_BEGIN, .history_budget = HISTORY_BUDGET_MIN});
	CHECK(s.watch != NULL);
	s.subject.watch = s.watch;
	s.calls.begin(watch_model(s.watch), 0, STORY_BEGIN + STORY_MS, RTEV_PHASE_MAJOR);
	s.calls.end(watch_model(s.watch), 0, STORY_BEGIN + 1000 * STORY_MS, RTEV_PHASE_MAJOR);
	for (unsigned i = 0; i < 600000; i++) {
		uint64_t ts = STORY_BEGIN + 1000 * STORY_MS + i * 15000;
		s.calls.begin(watch_model(s.watch), 0, ts, RTEV_PHASE_MINOR);
		s.calls.end(watch_model(s.watch), 0, ts + 100, RTEV_PHASE_MINOR);
	}
	watch_advance(s.watch, STORY_END, STORY_END);
	stage_type(&s, "5\n");
	CHECK(stage_shows(&s, "D0 major 999ms: no longer kept in full detail: GC share only"));
	CHECK(stage_shows(&s, "only the GC share is kept"));
	stage_fini(&s);
}

/* The text after a label up to the end of its line; to be freed. */
static char *rest_of_line(struct stage *s, const char *label)
{
	char *screen = stage_text(s), *at = strstr(screen, label);

	CHECK(at != NULL);
	char *rest = strndup(at, strcspn(at, "\n"));
	free(screen);
	CHECK(rest != NULL);
	return rest;
}

/* Where the line of the middle has no room for all phases, it still has the innermost, perhaps by its short name,
 * and the program's span. */
TEST(test_middle_is_not_cut)
{
	for (int item = 0; item < 10; item++) {
		struct stage wide, narrow;
		stage_init(&wide, 3, 24, 300);
		stage_init(&narrow, 3, 24, 60);
		for (int k = 0; k <= item + 1; k++) {
			ui_key key = k == 0 ? '5' : k <= item ? UI_KEY_DOWN : UI_KEY_ENTER;
			stage_key(&wide, key);
			stage_key(&narrow, key);
		}
		char *all = rest_of_line(&wide, "in the middle"),
		     *some = rest_of_line(&narrow, "in the middle");
		const char *user = strstr(all, "   in "), *inner = strstr(all, " ▸ ");
		for (const char *next = inner; next != NULL; next = strstr(inner + 1, " ▸ "))
			inner = next;
		CHECK(user == NULL || strstr(some, user) != NULL);
		char brief[64] = "";
		if (inner != NULL)
			phase_brief_words(inner, brief, sizeof(brief));
		CHECK(inner == NULL || strstr(some, inner) != NULL || strstr(some, brief) != NULL);
		free(all);
		free(some);
		stage_fini(&wide);
		stage_fini(&narrow);
	}
}
