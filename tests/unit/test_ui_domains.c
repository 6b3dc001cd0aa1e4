/*
 * test_ui_domains.c - panes of domains that end: how long they stay, and that what is selected or opened stays the
 * same domain.
 */
#include "test.h"

#include "ui/view.h"
#include "unit/ui_story.h"

/* Let the target go on for a while. */
static void go_on(struct stage *s, uint64_t ms)
{
	struct rtev_callbacks calls;

	model_callbacks(&calls);
	for (uint64_t t = 0; t < ms; t++) {
		uint64_t ts = s->subject.now + t * STORY_MS;
		calls.begin(watch_model(s->watch), 0, ts, RTEV_PHASE_COMPACT);
		calls.end(watch_model(s->watch), 0, ts + STORY_MS / 2, RTEV_PHASE_COMPACT);
	}
	s->subject.now += ms * STORY_MS;
	watch_advance(s->watch, s->subject.now, s->subject.now);
}

/* A domain that has ended keeps its pane while the window has time of it; the table of domains leads to it even
 * afterwards. */
static void test_ended_domains(void)
{
	static const ui_key open[] = {'2', UI_KEY_END, UI_KEY_ENTER};
	struct stage s;

	stage_init(&s, 3, 24, 80); /* domain 2 ends half a second before the end */
	CHECK(stage_shows(&s, "D1 major_slice") && stage_shows(&s, "D2 terminated"));
	go_on(&s, 4000);
	CHECK(stage_shows(&s, "D2 terminated"));
	go_on(&s, 1000);
	CHECK(stage_shows(&s, "D0 ") && !stage_shows(&s, "D2 "));
	CHECK(stage_press(&s, open, 3) & UI_DIRTY);
	CHECK_INT(s.ui->view, VIEW_PANES);
	CHECK(stage_shows(&s, "D2 terminated") && !stage_shows(&s, "D0 "));
	stage_key(&s, 't');
	CHECK(stage_shows(&s, "D2 terminated"));
	stage_key(&s, UI_KEY_ESCAPE);
	CHECK(stage_shows(&s, "D0 ") && !stage_shows(&s, "D2 "));
	stage_fini(&s);
}

/* What is selected is a domain, however many panes come and go before it. */
static void test_selected_domain(void)
{
	static const ui_key third[] = {UI_KEY_RIGHT, UI_KEY_RIGHT, UI_KEY_RIGHT};
	struct stage s;

	stage_init(&s, 5, 40, 120);
	CHECK(stage_press(&s, third, 3) & UI_DIRTY);
	CHECK_INT(view_panes_domain(s.ui, &s.subject), 3);
	go_on(&s, 5000);
	CHECK(!stage_shows(&s, "D2 "));
	CHECK_INT(view_panes_domain(s.ui, &s.subject), 3);
	stage_key(&s, 'z');
	CHECK(stage_shows(&s, "D3 ") && !stage_shows(&s, "D4 "));
	/* The pane that is shown alone stays, whether its domain runs or not. */
	struct rtev_callbacks calls;
	model_callbacks(&calls);
	calls.lifecycle(watch_model(s.watch), 3, s.subject.now, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	go_on(&s, 6000);
	CHECK(stage_shows(&s, "D3 terminated"));
	CHECK(stage_key(&s, UI_KEY_RIGHT) & UI_DIRTY);
	CHECK(stage_shows(&s, "D4 "));
	stage_fini(&s);
}

/* Keys that come at once move by the grid, though it has not been drawn again between them. */
static void test_keys_at_once(void)
{
	static const ui_key keys[] = {UI_KEY_ESCAPE, UI_KEY_DOWN, UI_KEY_ENTER};
	struct stage s;

	stage_init(&s, 3, 24, 80);
	stage_key(&s, UI_KEY_ENTER);
	for (int i = 0; i < 3; i++)
		ui_press(s.ui, &s.subject, keys[i]);
	CHECK(stage_shows(&s, "D2 ") && !stage_shows(&s, "D1 "));
	stage_fini(&s);
}

int main(void)
{
	RUN(test_ended_domains);
	RUN(test_selected_domain);
	RUN(test_keys_at_once);
	return 0;
}
