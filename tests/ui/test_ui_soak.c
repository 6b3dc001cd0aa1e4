/*
 * test_ui_soak.c - random keys over random sizes, on targets made up and on rubbish: nothing breaks, and
 * every screen is sound.
 *
 * The numbers are those of a fixed generator, so a fault comes again.
 */
#include "support/test.h"

#include "support/screen.h"
#include "support/ui_story.h"

/* The next number of the generator. */
static uint64_t next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t z = *state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* One below a limit. */
static int below(uint64_t *state, int limit)
{
	return (int)(next(state) % (uint64_t)limit);
}

/* Any key, those with a meaning more often than others; what ends or suspends a program is for the app to
 * do. */
static ui_key any_key(uint64_t *state)
{
	static const ui_key keys[] = {' ', 'p', '1', '2', '3', '4', '5', '6', '7', '8', '9', UI_KEY_TAB,
	    UI_KEY_BACK_TAB, UI_KEY_UP, UI_KEY_DOWN, UI_KEY_LEFT, UI_KEY_RIGHT, UI_KEY_PAGE_UP,
	    UI_KEY_PAGE_DOWN, UI_KEY_HOME, UI_KEY_END, UI_KEY_ENTER, UI_KEY_ENTER, UI_KEY_ESCAPE, '/', 'n',
	    '\\', '<', '>', 'I', 't', 'x', 'L', 'z', '[', ']', '[', ']', '+', '-', 'R', 'r', 'S', 'W', '?',
	    UI_KEY_BACKSPACE, 'a', 'm', 0x20ac, UI_KEY_RESIZE, UI_KEY_UNKNOWN, UI_KEY_NONE};

	return below(state, 40) == 0 ? (ui_key)next(state)
				     : keys[below(state, (int)(sizeof(keys) / sizeof(keys[0])))];
}

/* Change the screen or the facts. */
static void disturb(struct stage *s, uint64_t *state)
{
	switch (below(state, 6)) {
	case 0:
		CHECK(canvas_resize(s->canvas, below(state, 60), below(state, 220)));
		break;
	case 1:
		CHECK(canvas_resize(s->canvas, 3 + below(state, 8), 15 + below(state, 30)));
		break;
	case 2:
		canvas_set_look(
		    s->canvas, (enum glyph_level)below(state, GLYPHS_COUNT), below(state, 2) == 0);
		break;
	case 3:
		s->subject.tracing = (enum subject_tracing)below(state, 3);
		model_set_silent(watch_model(s->watch), s->subject.tracing == SUBJECT_TRACING_PAUSED);
		s->subject.state = below(state, 4) != 0 ? SUBJECT_LIVE : (enum subject_state)below(state, 5);
		break;
	case 4:
		stage_pass(s, (uint64_t)below(state, 3000));
		break;
	default:
		s->subject.wall_offset = below(state, 2) == 0 ? 0 : (int64_t)next(state);
		s->subject.zone_s = below(state, 100000) - 50000;
		break;
	}
}

/* Press so many keys. */
static void soak(struct stage *s, uint64_t seed, int steps)
{
	uint64_t state = seed;

	for (int i = 0; i < steps; i++) {
		ui_key key = any_key(&state);
		unsigned reactions = ui_press(s->ui, &s->subject, key);
		CHECK((reactions & ~(unsigned)(UI_DIRTY | UI_RELAYOUT | UI_REDRAW | UI_QUIT | UI_SUSPEND)) ==
		      0);
		while (ui_asked(s->ui) != ACTION_NONE)
			continue;
		if (below(&state, 8) == 0)
			disturb(s, &state);
		ui_draw(s->ui, story_told(&s->subject), s->canvas);
		screen_check(s->canvas);
	}
}

TEST(test_one_domain)
{
	struct stage s = stage_begin(1, 24, 80);
	soak(&s, 1, 2000);
	stage_fini(&s);
}

TEST(test_three_domains)
{
	struct stage s = stage_begin(3, 40, 120);
	soak(&s, 2, 3000);
	stage_fini(&s);
}

TEST(test_many_domains)
{
	struct stage s = stage_begin(128, 50, 200);
	soak(&s, 3, 400);
	stage_fini(&s);
}

/* A user event with any name. */
static struct rtev_user_event any_user(uint64_t *state)
{
	struct rtev_user_event user = {.id = (uint16_t)below(state, 30), .generation = 1};

	user.name_len = (uint16_t)(user.id * 4u);
	for (unsigned i = 0; i < user.name_len; i++)
		user.name[i] = (char)((user.id * 37u + i * 11) & 0xff);
	return user;
}

/* Feed one event that makes no sense. */
static void feed_any(const struct rtev_callbacks *calls, struct model *m, uint64_t *state, uint64_t ts)
{
	unsigned domain = (unsigned)below(state, 40);
	uint16_t id = below(state, 10) == 0 ? (uint16_t)(RTEV_OPAQUE + (unsigned)below(state, RTEV_ID_LIMIT))
					    : (uint16_t)below(state, RTEV_COUNTER_COUNT);
	struct rtev_user_event user = any_user(state);
	uint64_t buckets[RTEV_ALLOC_BUCKETS];
	uint8_t data[300];

	if (below(state, 50) == 0)
		ts = next(state) >> below(state, 64);
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)next(state);
	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		buckets[i] = next(state) >> below(state, 64);
	switch (below(state, 12)) {
	case 0:
		calls->counter(m, domain, ts, id, (int64_t)next(state) >> below(state, 64));
		break;
	case 1:
		calls->alloc(m, domain, ts, buckets);
		break;
	case 2:
		calls->lifecycle(m, domain, ts, id % 10, (int64_t)next(state));
		break;
	case 3:
		calls->user_unit(m, domain, ts, &user);
		break;
	case 4:
		calls->user_int(m, domain, ts, &user, (int64_t)next(state));
		break;
	case 5:
	case 6:
		calls->user_span(m, domain, ts, &user, below(state, 2) == 0);
		break;
	case 7:
		calls->user_custom(m, domain, ts, &user, data, (size_t)below(state, (int)sizeof(data)));
		break;
	case 8:
		if (below(state, 20) == 0)
			calls->lost(
			    m, domain, next(state) >> below(state, 64), next(state) >> below(state, 64));
		else if (below(state, 20) == 0)
			calls->corrupt(m, domain, next(state));
		else if (below(state, 20) == 0)
			calls->restart(m, domain);
		break;
	default:
		if (below(state, 2) == 0)
			calls->begin(m, domain, ts, id);
		else
			calls->end(m, domain, ts, id);
		break;
	}
}

TEST(test_rubbish)
{
	struct rtev_callbacks calls;
	uint64_t state = 4;

	model_callbacks(&calls);
	for (int round = 0; round < 6; round++) {
		struct stage s = stage_begin(2, 40, 120);
		for (int part = 0; part < 20; part++) {
			for (int i = 0; i < 1000; i++)
				feed_any(&calls, watch_model(s.watch), &state,
				    s.subject.now + (uint64_t)i * STORY_MS);
			/* A file's time is what its last stamp says. */
			s.subject.now = round % 2 == 0 ? s.subject.now + 1000 * STORY_MS : next(&state);
			watch_advance(s.watch, s.subject.now, s.subject.now);
			soak(&s, next(&state), 20);
		}
		stage_fini(&s);
	}
}
