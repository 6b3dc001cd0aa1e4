/*
 * test_ui_domains.c - panes of domains that end: how long they stay, and that what is selected or opened
 * stays the same domain.
 */
#include "support/test.h"

#include "ui/view.h"
#include "ui/views/pane.h"
#include "support/screen_words.h"
#include "support/ui_story.h"

/* A domain that has ended keeps its pane while the window has time of it; the table of domains leads to it
 * even afterwards. */
TEST(test_ended_domains)
{
	struct stage s;

	stage_init(&s, 3, 40, 80); /* domain 2 ends half a second before the end */
	CHECK(stage_shows(&s, "D1 major_slice") && stage_shows(&s, "D2 terminated"));
	stage_go_on(&s, 4000);
	CHECK(stage_shows(&s, "D2 terminated"));
	stage_go_on(&s, 1000);
	CHECK(stage_shows(&s, "D0 ") && !stage_shows(&s, "D2 "));
	CHECK(stage_type(&s, "2⇲\n") & UI_DIRTY);
	CHECK_INT(s.ui->view, VIEW_PANES);
	CHECK(stage_shows(&s, "D2 terminated") && !stage_shows(&s, "D0 "));
	stage_key(&s, 't');
	CHECK(stage_shows(&s, "D2 terminated"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(stage_shows(&s, "D0 ") && !stage_shows(&s, "D2 "));
	stage_fini(&s);
}

/* What is selected is a domain, however many panes come and go before it. */
TEST(test_selected_domain)
{
	struct stage s = stage_begin(5, 40, 120);
	CHECK(stage_type(&s, "→→→") & UI_DIRTY);
	CHECK_INT(view_panes_domain(s.ui, &s.subject), 3);
	stage_go_on(&s, 5000);
	CHECK(!stage_shows(&s, "D2 "));
	CHECK_INT(view_panes_domain(s.ui, &s.subject), 3);
	stage_key(&s, 'z');
	CHECK(stage_shows(&s, "D3 ") && !stage_shows(&s, "D4 "));
	/* The pane that is shown alone stays, whether its domain runs or not. */
	s.calls.lifecycle(watch_model(s.watch), 3, s.subject.now, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	stage_go_on(&s, 6000);
	CHECK(stage_shows(&s, "D3 terminated"));
	CHECK(stage_key(&s, UI_KEY_RIGHT) & UI_DIRTY);
	CHECK(stage_shows(&s, "D4 "));
	stage_fini(&s);
}

/* Keys that come at once move by the grid, though it has not been drawn again between them. */
TEST(test_keys_at_once)
{
	static const ui_key keys[] = {UI_KEY_ESCAPE, UI_KEY_DOWN, UI_KEY_ENTER};
	struct stage s = stage_begin(3, 24, 80);
	stage_key(&s, UI_KEY_ENTER);
	for (int i = 0; i < 3; i++)
		ui_press(s.ui, &s.subject, keys[i]);
	CHECK(stage_shows(&s, "D2 ") && panes_own(s.ui)->selected == 2);
	stage_fini(&s);
}

/* The collector's share of a domain is that of its life, in its pane as in the table, also after its end and
 * when the slot was empty before. */
TEST(test_short_lived)
{
	struct stage s = stage_begin(2, 40, 120);
	struct model *m = watch_model(s.watch);
	uint64_t ts = s.subject.now;
	/* Three domains one after the other in a slot, each half of its time in collections. */
	for (int life = 0; life < 3; life++) {
		s.calls.lifecycle(m, 2, ts, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
		for (int i = 0; i < 50; i++, ts += 10 * STORY_MS) {
			s.calls.begin(m, 2, ts + STORY_MS, RTEV_PHASE_MINOR);
			s.calls.end(m, 2, ts + 6 * STORY_MS, RTEV_PHASE_MINOR);
		}
		s.calls.lifecycle(m, 2, ts, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 1);
		ts += 500 * STORY_MS;
		stage_go_on(&s, 1000);
		char *screen = stage_screen(&s);
		expect_word(strstr(screen, "D2 "), "GC", "50%");
		stage_key(&s, '2');
		screen = stage_screen(&s);
		char *words[32];
		CHECK(words_of(line_of(screen, "D2"), words) > 3);
		CHECK_STR(words[4], "50%");
		stage_key(&s, '1');
	}
	stage_fini(&s);
}

/* The heads of a table stay where they are when the target pauses its events and all rates become unknown. */
TEST(test_steady_columns)
{
	static const int sizes[][2] = {{24, 80}, {40, 120}, {60, 200}};
	static const struct {
		ui_key view;
		const char *head;
	} views[] = {{'2', "domain▴"}, {'4', "event"}, {'6', "domain"}};

	for (int size = 0; size < 3; size++) {
		struct stage s;
		char live[3][1024];
		stage_init(&s, 3, sizes[size][0], sizes[size][1]);
		for (int paused = 0; paused < 2; paused++) {
			for (int v = 0; v < 3; v++) {
				stage_key(&s, views[v].view);
				char *screen = stage_screen(&s);
				const char *head = line_of(screen, views[v].head);
				if (!paused)
					strlcpy(live[v], head, sizeof(live[v]));
				else
					CHECK_STR(head, live[v]);
			}
			stage_pause(&s, 2000);
		}
		stage_fini(&s);
	}
}

/* A domain outside of all phases whose thread slept all second is asleep; one that slept as it was looked at may run.  Without
 * events nothing else tells. */
TEST(test_sleeper)
{
	static const struct {
		uint64_t ran; /* ms of the second */
		char state;
		bool off;
		const char *says;
	} cases[] = {{0, 'S', false, "D0       sleeping "}, {900, 'S', false, "D0       running "},
	    {0, 'R', false, "D0       running "}, {10, 'S', true, "D0       sleeping "},
	    {0, 'T', true, "D0       - "}, {900, 'R', true, "D0       running "}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static struct system_sample sample;
		struct stage s = stage_begin(2, 30, 120);
		struct system_past *past = watch_system(s.watch);
		sample = *system_past_latest(past);
		sample.ts += 1000 * STORY_MS;
		for (unsigned t = 0; t < sample.thread_count; t++) {
			struct system_thread *thread = &sample.threads[t];
			thread->ts = sample.ts;
			if (thread->runs == 1) {
				thread->state = cases[i].state;
				thread->run.value += cases[i].ran * STORY_MS;
				thread->user.value += cases[i].ran * STORY_MS;
			}
		}
		system_past_add(past, &sample);
		s.subject.off = cases[i].off;
		stage_key(&s, '2');
		if (!stage_shows(&s, cases[i].says)) {
			char *screen = stage_text(&s);
			TEST_FAIL("case %zu:\n%s", i, screen);
		}
		stage_fini(&s);
	}
}

/* How many domains there are is not known where neither events nor memory have told of one. */
TEST(test_unknown_domains)
{
	struct stage s = stage_begin(2, 30, 120);
	CHECK(stage_shows(&s, "domains 2 "));
	watch_destroy(s.watch);
	s.watch = watch_create(&(struct watch_options){.attach_ts = STORY_END});
	CHECK(s.watch != NULL);
	s.subject.watch = s.watch;
	s.subject.advice = NULL;
	s.subject.off = true;
	model_off(watch_model(s.watch), STORY_END);
	CHECK(!stage_shows(&s, "domains 0"));
	stage_fini(&s);
}
