/*
 * test_blame.c - the sentence about a pause: whom a domain waited for, what that one was in, which of the
 * program's spans was hit.
 */
#include "support/test.h"

#include "watch/blame.h"
#include "watch/watch.h"

#define MS UINT64_C(1000000)
#define AT (UINT64_C(1000) * 1000 * MS)

/* A target that is made up. */
struct scene {
	struct watch *watch;
	struct rtev_callbacks to;
};

/* A user event; its number is the first letter of its name. */
static struct rtev_user_event span_named(const char *name)
{
	struct rtev_user_event event = {
	    .id = (uint8_t)name[0], .generation = 1, .name_len = (uint16_t)strlen(name)};

	memcpy(event.name, name, strlen(name));
	return event;
}

static void begin(struct scene *s, unsigned domain, uint64_t ms, rtev_phase phase)
{
	s->to.begin(watch_model(s->watch), domain, AT + ms * MS, phase);
}

static void end(struct scene *s, unsigned domain, uint64_t ms, rtev_phase phase)
{
	s->to.end(watch_model(s->watch), domain, AT + ms * MS, phase);
}

static void user(struct scene *s, unsigned domain, uint64_t ms, const char *name, bool opens)
{
	const struct rtev_user_event event = span_named(name);

	s->to.user_span(watch_model(s->watch), domain, AT + ms * MS, &event, opens);
}

static void scene_init(struct scene *s)
{
	s->watch = watch_create(&(struct watch_options){0});
	CHECK(s->watch != NULL);
	model_callbacks(&s->to);
	for (unsigned d = 0; d < 3; d++)
		s->to.lifecycle(watch_model(s->watch), d, AT, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
}

/* The sentences about the longest pause and about the only stop. */
static void expect(struct scene *s, const char *pause, const char *stop)
{
	const struct model *m = watch_model(s->watch);
	const struct stw *stw = watch_stw(s->watch);
	char text[BLAME_TEXT];
	struct blame blame;
	size_t count;

	watch_finish(s->watch);
	const struct model_worst *w = model_worst(m, &count);
	CHECK(count > 0);
	bool blamed = blame_pause(stw, w->domain, w->ts, w->ts + w->duration, &blame);
	CHECK(blame_text(blamed ? &blame : NULL, blame_hit(m, w->user), m, text, sizeof(text)) ==
	      (pause[0] != '\0'));
	CHECK_STR(text, pause);
	if (stop != NULL) {
		CHECK(stw_recent_count(stw) == 1 && blame_stop(stw, stw_recent(stw, 0), &blame));
		blame_text(&blame, NULL, m, text, sizeof(text));
		CHECK_STR(text, stop);
		/* A copy's list of the longest stops says it, too. */
		struct watch *copy = watch_copy(s->watch);
		CHECK_INT(stw_longest_count(watch_stw(copy)), 1);
		CHECK(blame_stop(watch_stw(copy), stw_longest(watch_stw(copy), 0), &blame));
		blame_text(&blame, NULL, watch_model(copy), text, sizeof(text));
		CHECK_STR(text, stop);
		watch_destroy(copy);
	}
	watch_destroy(s->watch);
}

/* The leader's part from 100 to 566; it arrives at 101. */
static void leader(struct scene *s, bool barrier)
{
	begin(s, 0, 100, RTEV_PHASE_STW_LEADER);
	if (barrier) {
		begin(s, 0, 101, RTEV_PHASE_STW_API_BARRIER);
		end(s, 0, 564, RTEV_PHASE_STW_API_BARRIER);
	}
	begin(s, 0, 564, RTEV_PHASE_MINOR);
	end(s, 0, 565, RTEV_PHASE_MINOR);
	end(s, 0, 566, RTEV_PHASE_STW_LEADER);
}

/* The late domain's part: it comes at 564. */
static void handler(struct scene *s, unsigned domain, uint64_t ms)
{
	begin(s, domain, ms, RTEV_PHASE_STW_HANDLER);
	begin(s, domain, ms, RTEV_PHASE_STW_API_BARRIER);
	end(s, domain, 564, RTEV_PHASE_STW_API_BARRIER);
	begin(s, domain, 564, RTEV_PHASE_MINOR);
	end(s, domain, 565, RTEV_PHASE_MINOR);
	end(s, domain, 566, RTEV_PHASE_STW_HANDLER);
}

#define WAITED "D0 waited 463 of 466ms for D1"

/* As 5.3 writes it: the late domain was in a user span, which ended just before it came. */
TEST(test_user_span)
{
	struct scene s;

	scene_init(&s);
	user(&s, 0, 90, "http.request", true);
	leader(&s, true);
	user(&s, 0, 570, "http.request", false);
	user(&s, 1, 95, "marshal.big", true);
	user(&s, 1, 563, "marshal.big", false);
	handler(&s, 1, 564);
	handler(&s, 2, 120);
	expect(
	    &s, WAITED ", which was in marshal.big; D0 in http.request", WAITED ", which was in marshal.big");
}

/* A loop that waits for events is nothing that the program was in. */
TEST(test_scheduler)
{
	struct scene s;

	scene_init(&s);
	user(&s, 0, 90, "eio.suspend_domain", true);
	leader(&s, true);
	user(&s, 1, 95, "eio.suspend_domain", true);
	user(&s, 1, 563, "eio.suspend_domain", false);
	handler(&s, 1, 564);
	handler(&s, 2, 120);
	expect(&s, WAITED, WAITED);
}

/* As 5.0 to 5.2 do: the leader has no barrier, and arrives as it begins.  The span of the late domain is open
 * still. */
TEST(test_no_leaders_barrier)
{
	struct scene s;

	scene_init(&s);
	leader(&s, false);
	user(&s, 1, 60, "outer", true);
	user(&s, 1, 90, "marshal.big", true);
	handler(&s, 1, 564);
	expect(&s, "D0 waited 464 of 466ms for D1, which was in marshal.big", NULL);
}

/* Phases: one that ended just before, one around the handler, in a user span or not. */
TEST(test_phases)
{
	struct scene s;

	scene_init(&s);
	leader(&s, true);
	begin(&s, 1, 90, RTEV_PHASE_MAJOR_SLICE);
	end(&s, 1, 563, RTEV_PHASE_MAJOR_SLICE);
	begin(&s, 1, 563, RTEV_PHASE_INTERRUPT_REMOTE);
	handler(&s, 1, 564);
	end(&s, 1, 567, RTEV_PHASE_INTERRUPT_REMOTE);
	/* The longest pause is that slice, which waited for nobody. */
	expect(&s, "", WAITED ", which was in major_slice");
	scene_init(&s);
	leader(&s, true);
	begin(&s, 1, 90, RTEV_PHASE_DOMAIN_CONDITION_WAIT);
	begin(&s, 1, 564, RTEV_PHASE_INTERRUPT_REMOTE);
	handler(&s, 1, 564);
	end(&s, 1, 567, RTEV_PHASE_INTERRUPT_REMOTE);
	end(&s, 1, 600, RTEV_PHASE_DOMAIN_CONDITION_WAIT);
	expect(&s, WAITED ", which was in domain_condition_wait", NULL);
	scene_init(&s);
	leader(&s, true);
	user(&s, 1, 60, "marshal.big", true);
	begin(&s, 1, 90, RTEV_PHASE_MAJOR_SLICE);
	end(&s, 1, 563, RTEV_PHASE_MAJOR_SLICE);
	handler(&s, 1, 564);
	expect(&s, "in marshal.big", WAITED ", which was in major_slice in marshal.big");
}

/* What is not known for nearly all of the wait is not said. */
TEST(test_not_said)
{
	struct scene s;

	/* Begun in the middle of the wait. */
	scene_init(&s);
	leader(&s, true);
	user(&s, 1, 300, "late", true);
	handler(&s, 1, 564);
	expect(&s, WAITED, WAITED);
	/* Ended in the middle of it; the tenth before the end decides. */
	scene_init(&s);
	leader(&s, true);
	user(&s, 1, 50, "early", true);
	user(&s, 1, 500, "early", false);
	handler(&s, 1, 564);
	expect(&s, WAITED, WAITED);
	scene_init(&s);
	leader(&s, true);
	user(&s, 1, 50, "early", true);
	user(&s, 1, 530, "early", false);
	handler(&s, 1, 564);
	expect(&s, WAITED ", which was in early", NULL);
	/* An earlier span that was longer than the one that held it up. */
	scene_init(&s);
	user(&s, 1, 1, "first", true);
	user(&s, 1, 99, "first", false);
	leader(&s, true);
	user(&s, 1, 100, "second", true);
	user(&s, 1, 563, "second", false);
	handler(&s, 1, 564);
	expect(&s, WAITED ", which was in second", NULL);
	/* Of two about as long the inner one; of others the one that covers the wait. */
	scene_init(&s);
	leader(&s, true);
	user(&s, 1, 80, "outer", true);
	user(&s, 1, 90, "inner", true);
	user(&s, 1, 562, "inner", false);
	user(&s, 1, 563, "outer", false);
	handler(&s, 1, 564);
	expect(&s, WAITED ", which was in inner", NULL);
	scene_init(&s);
	leader(&s, true);
	user(&s, 1, 80, "outer", true);
	user(&s, 1, 500, "inner", true);
	user(&s, 1, 562, "inner", false);
	user(&s, 1, 563, "outer", false);
	handler(&s, 1, 564);
	expect(&s, WAITED ", which was in outer", NULL);
}

/* A wait that is a small part of the pause explains nothing; nor does a stop of which a part was lost. */
TEST(test_no_blame)
{
	struct scene s;

	scene_init(&s);
	begin(&s, 0, 50, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR);
	leader(&s, true);
	end(&s, 0, 6000, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR);
	handler(&s, 1, 564);
	expect(&s, "", WAITED);
	scene_init(&s);
	user(&s, 0, 10, "http.request", true);
	leader(&s, true);
	s.to.lifecycle(watch_model(s.watch), 2, AT + 50 * MS, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
	s.to.lost(watch_model(s.watch), 2, 100, 0);
	handler(&s, 1, 564);
	expect(&s, "in http.request", NULL);
	/* Alone it waits for nobody. */
	scene_init(&s);
	leader(&s, false);
	expect(&s, "", NULL);
}

/* Several stops in one pause: what was waited for each domain is added up, and the one with most is named. */
TEST(test_several_stops)
{
	struct scene s;

	scene_init(&s);
	begin(&s, 0, 0, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t at = 100 * i;
		unsigned late = i == 1 ? 2 : 1, other = 3 - late;
		uint64_t comes = i == 1 ? at + 41 : at + 31;
		begin(&s, 0, at, RTEV_PHASE_STW_LEADER);
		begin(&s, 0, at + 1, RTEV_PHASE_STW_API_BARRIER);
		end(&s, 0, at + 50, RTEV_PHASE_STW_API_BARRIER);
		end(&s, 0, at + 60, RTEV_PHASE_STW_LEADER);
		for (unsigned d = 1; d <= 2; d++) {
			uint64_t arrives = d == other ? at + 2 : comes;
			begin(&s, d, arrives, RTEV_PHASE_STW_HANDLER);
			begin(&s, d, arrives, RTEV_PHASE_STW_API_BARRIER);
			end(&s, d, at + 50, RTEV_PHASE_STW_API_BARRIER);
			end(&s, d, at + 60, RTEV_PHASE_STW_HANDLER);
		}
	}
	end(&s, 0, 300, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR);
	expect(&s, "D0 waited 60 of 300ms for D1", NULL);
}

/* Names are the program's: nothing in them reaches a terminal as it is. */
TEST(test_names)
{
	struct scene s;

	scene_init(&s);
	user(&s, 0, 10, "h\x1b[31m\xff\xe2\x80\xae", true);
	leader(&s, true);
	user(&s, 1, 90, "m\n\t\xc3\xa9\x7f", true);
	handler(&s, 1, 564);
	expect(&s, WAITED ", which was in m??\xc3\xa9?; D0 in h?[31m??", NULL);
	char name[RTEV_USER_NAME_SIZE], want[BLAME_TEXT];
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	scene_init(&s);
	leader(&s, true);
	user(&s, 1, 90, name, true);
	handler(&s, 1, 564);
	snprintf(want, sizeof(want), WAITED ", which was in %s", name);
	expect(&s, want, want);
}

/* Times have three digits and one unit. */
TEST(test_times)
{
	static const struct {
		uint64_t waited, of;
		const char *text;
	} times[] = {{463210000, 466100000, "463 of 466ms"}, {1, 1, "1 of 1ns"}, {999, 999, "999 of 999ns"},
	    {1500, 2000, "1.50 of 2.00µs"}, {12345, 99949, "12.3 of 99.9µs"},
	    {999600, 999600, "1.00 of 1.00ms"}, {61000000000, 62000000000, "61.0 of 62.0s"},
	    {4 * 3600 * 1000000000ull, 5 * 3600 * 1000000000ull, "14400 of 18000s"}};
	struct watch *w = watch_create(&(struct watch_options){0});
	char text[BLAME_TEXT], want[BLAME_TEXT];

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		const struct blame blame = {.waited = times[i].waited,
		    .of = times[i].of,
		    .late = 7,
		    .doing = {.user = MODEL_NO_USER, .phase = STW_NO_PHASE}};
		blame_text(&blame, NULL, watch_model(w), text, sizeof(text));
		snprintf(want, sizeof(want), "D0 waited %s for D7", times[i].text);
		CHECK_STR(text, want);
	}
	watch_destroy(w);
}

/* The longest stops are kept however many come after them, in their order, with what is needed to blame. */
TEST(test_longest)
{
	struct scene s;
	struct blame blame;

	scene_init(&s);
	for (unsigned i = 0; i < 6000; i++) {
		/* Some are long, at odd places. */
		uint64_t at = 10 * i, length = i % 97 == 5 ? 2 + i % 7 : 1;
		begin(&s, 0, at, RTEV_PHASE_STW_LEADER);
		begin(&s, 0, at, RTEV_PHASE_STW_API_BARRIER);
		end(&s, 0, at + length, RTEV_PHASE_STW_API_BARRIER);
		end(&s, 0, at + length, RTEV_PHASE_STW_LEADER);
		begin(&s, 1, at + length, RTEV_PHASE_STW_HANDLER);
		begin(&s, 1, at + length, RTEV_PHASE_STW_API_BARRIER);
		end(&s, 1, at + length, RTEV_PHASE_STW_API_BARRIER);
		end(&s, 1, at + length, RTEV_PHASE_STW_HANDLER);
	}
	watch_finish(s.watch);
	const struct stw *stw = watch_stw(s.watch);
	CHECK_INT(stw_recent_count(stw), STW_RECENT);
	CHECK_INT(stw_longest_count(stw), STW_LONGEST < 62 ? STW_LONGEST : 64);
	unsigned longer = 0;
	for (size_t i = 0; i < stw_longest_count(stw); i++) {
		const struct stw_stop *stop = stw_longest(stw, i);
		CHECK(i == 0 || stop->duration <= stw_longest(stw, i - 1)->duration);
		longer += stop->duration > MS;
		CHECK(blame_stop(stw, stop, &blame));
		CHECK_INT(blame.waited, stop->duration);
		CHECK_INT(blame.late, 1);
	}
	CHECK_INT(longer, 62);
	CHECK(stw_longest(stw, stw_longest_count(stw)) == NULL);
	/* An old one is found, though it is none of the latest any more. */
	const struct stw_stop *first = stw_longest(stw, 0);
	CHECK(blame_pause(stw, 0, first->begin, first->begin + first->duration, &blame));
	CHECK_INT(blame.waited, first->duration);
	model_reset(watch_model(s.watch));
	CHECK_INT(stw_longest_count(stw), 0);
	watch_destroy(s.watch);
}
