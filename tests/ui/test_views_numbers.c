/*
 * test_views_numbers.c - the numbers on the screens are those that one works out from the events by oneself.
 *
 * Nothing here is taken from the model: sums, percentiles and shares come from the spans and events of the
 * story, by the definitions of the program's documentation.  Percentiles may differ by a hundredth, as the
 * model promises.
 */
#include "support/test.h"

#include <math.h>

#include "watch/watch.h"
#include "print/number.h"
#include "support/screen_words.h"
#include "support/ui_story.h"
#include "support/story_numbers.h"

TEST(test_header)
{
	struct stage s;
	uint64_t pauses[MOST];

	stage_init(&s, 3, 40, 220);
	char *screen = stage_screen(&s);
	size_t count = durations(&s.story, EVERY, false, pauses);
	expect_duration(screen, "worst pause", pauses[count - 1], true);
	expect_word(screen, " lost", format_words(STORY_LOST_WORDS).s);
	/* The last seconds begin with a step of a quarter, and are over what was not paused. */
	uint64_t from = STORY_END - 5000 * STORY_MS;
	double seconds = (double)(STORY_END - from - paused_in(&s.story, from, STORY_END)) / 1e9;
	double allocated = (double)counted(&s.story, EVERY, RTEV_COUNTER_MINOR_ALLOCATED, from) / seconds;
	double promoted = (double)counted(&s.story, EVERY, RTEV_COUNTER_MINOR_PROMOTED, from) / seconds;
	expect_split(screen, &s.story, from, true);
	count = durations_from(&s.story, EVERY, false, from, pauses);
	expect_duration(screen, " p99 ", percentile(pauses, count, 0.99), false);
	expect_duration(screen, "│ pause", pauses[count - 1], false);
	expect_word(screen, "│ alloc", format_byte_rate(allocated).s);
	expect_word(screen, "promoted", format_percent(promoted / allocated).s);
	/* The domains that still run have sent these. */
	expect_word(screen, "│ heap", format_bytes((1000000 + 1001000) * 8).s);
	expect_word(screen, "ring", format_percent(31000.0 / STORY_RING_WORDS).s);
	stage_fini(&s);
}

TEST(test_domains)
{
	struct stage s;
	uint64_t pauses[MOST];

	stage_init(&s, 3, 40, 220);
	stage_key(&s, '2');
	char *screen = stage_screen(&s);
	for (unsigned d = 0; d < 3; d++) {
		char name[8], *words[32];
		snprintf(name, sizeof(name), "D%u", d);
		/* Its thread has a state, where it is known: the words behind it stand one further. */
		size_t known = d < 2;
		CHECK_INT(words_of(line_of(screen, name), words), 18 + known);
		CHECK_STR(words[2], d == 0 ? "S" : d == 1 ? "R" : "-");
		CHECK_STR(words[2 + known], d == 0 ? "90%" : d == 1 ? "87%" : "-");
		CHECK_STR(words[3 + known], d == 0 ? "0%" : d == 1 ? "0.1%" : "-");
		CHECK_STR(words[17 + known], d == 0 ? "4242" : d == 1 ? "4245" : "-");
		memmove(words + 2, words + 4 + known, 13 * sizeof(words[0]));
		size_t count = durations(&s.story, d, false, pauses);
		CHECK_STR(words[2], format_share(sum_of(pauses, count), observed(&s.story, d, 0)).s);
		CHECK_NEAR(strtod(words[2], NULL), strtod(words[3], NULL) + strtod(words[4], NULL), 1e-9);
		CHECK_STR(words[4], format_share(wait_time(&s.story, d, 0), observed(&s.story, d, 0)).s);
		CHECK_STR(words[5], format_count(count).s);
		CHECK_NEAR(duration_of(words[6]), percentile(pauses, count, 0.5),
		    (double)percentile(pauses, count, 0.5) * 0.015);
		CHECK_NEAR(duration_of(words[7]), percentile(pauses, count, 0.99),
		    (double)percentile(pauses, count, 0.99) * 0.015);
		CHECK_NEAR(duration_of(words[8]), pauses[count - 1], (double)pauses[count - 1] * 0.005);
		CHECK_INT(strncmp(words[8], "≥", strlen("≥")) == 0, d == 1);
		/* A percentile of what was seen is no bound. */
		CHECK_INT(words[6][0] == '~' && words[7][0] == '~', d == 1);
		CHECK_STR(words[14], d == 1 ? format_count(STORY_LOST_WORDS).s : "0");
	}
	stage_fini(&s);
}

/* What is known of the spans of a phase inside the same outer phase. */
struct totals {
	uint64_t count, total, self, max;
};

/* Sum up the spans of a phase at a depth. */
static struct totals totals_of(const struct story *s, unsigned id, unsigned depth)
{
	struct totals t = {0};

	for (size_t i = 0; i < s->span_count; i++) {
		const struct story_span *span = &s->spans[i];
		uint64_t length = span->end - span->begin;
		if (span->user || span->id != id || span->depth != depth)
			continue;
		t.count++;
		t.total += length;
		t.self += length - span->inside;
		t.max = length > t.max ? length : t.max;
	}
	return t;
}

TEST(test_phases)
{
	static const struct {
		const char *name;
		unsigned id, depth;
	} rows[] = {{"major_slice", RTEV_PHASE_MAJOR_SLICE, 0}, {"major_mark", RTEV_PHASE_MAJOR_MARK, 1},
	    {"stw_leader", RTEV_PHASE_STW_LEADER, 0}, {"major", RTEV_PHASE_MAJOR, 0},
	    {"domain_condition_wait", RTEV_PHASE_DOMAIN_CONDITION_WAIT, 0},
	    {"explicit_gc_full_major", RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR, 0}};
	struct stage s;
	uint64_t pauses[MOST];

	stage_init(&s, 3, 60, 160);
	stage_key(&s, '3');
	char *screen = stage_screen(&s);
	/* The costly ones alone, the costliest first; Enter on the last line unfolds the others. */
	CHECK(strstr(screen, "explicit_gc_full_major") == NULL && strstr(screen, "  stw_leader") == NULL);
	CHECK(strstr(screen, "\nmajor_slice ") < strstr(screen, "\nstw_leader ") &&
	      strstr(screen, "\nstw_leader ") < strstr(screen, "\nmajor ") &&
	      strstr(screen, "\nmajor_slice ") != NULL);
	CHECK(strstr(screen, "and 7 below 2% of GC: Enter") != NULL);
	stage_type(&s, "G\n");
	screen = stage_screen(&s);
	CHECK(strstr(screen, " below 2% of GC") == NULL);
	uint64_t all = sum_of(pauses, durations(&s.story, EVERY, false, pauses));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *words[32];
		struct totals t = totals_of(&s.story, rows[i].id, rows[i].depth);
		CHECK_INT(words_of(line_of(screen, rows[i].name), words), 7);
		CHECK_STR(words[1], format_count(t.count).s);
		CHECK_STR(words[2], format_duration(t.total).s);
		bool wait = rows[i].id == RTEV_PHASE_DOMAIN_CONDITION_WAIT;
		CHECK_STR(words[3], wait ? "-" : format_share(t.total, all).s);
		CHECK_STR(words[4], format_duration(t.self).s);
		CHECK_STR(words[5], format_duration(t.total / t.count).s);
		CHECK_STR(words[6], format_duration(t.max).s);
	}
	char *words[32];
	words_of(line_of(screen, "force_minor_alloc_small"), words);
	int64_t forced = counted(&s.story, EVERY, RTEV_COUNTER_FORCE_MINOR_ALLOC_SMALL, 0);
	CHECK_STR(words[1], format_count((uint64_t)forced).s);
	/* All of the process's time: a domain that has ended causes nothing any more. */
	uint64_t time = STORY_END - STORY_BEGIN - paused_in(&s.story, STORY_BEGIN, STORY_END);
	CHECK_STR(words[2], format_rate((double)forced * 1e9 / (double)time).s);
	stage_fini(&s);
}

/* A span of a phase in domain 0. */
static void span_of(struct stage *s, uint64_t begin, uint64_t end, rtev_phase phase)
{
	if (begin != 0)
		s->calls.begin(watch_model(s->watch), 0, begin, phase);
	if (end != 0)
		s->calls.end(watch_model(s->watch), 0, end, phase);
}

/* The line of the screen that has a text, from that text on. */
static char *line_with(char *screen, const char *text)
{
	char *at = strstr(screen, text);

	if (at == NULL)
		TEST_FAIL("no %s in:\n%s", text, screen);
	at[strcspn(at, "\n")] = '\0';
	return at;
}

/* What a domain does in Condition.wait is no part of the collector's time, and what ended in a pause that has
 * not ended is. */
TEST(test_share_of_gc)
{
	const uint64_t t = STORY_END;
	struct stage s;
	char *words[32];

	stage_init(&s, 1, 60, 200);
	span_of(&s, 0, t, RTEV_PHASE_MAJOR_SLICE); /* closes what the story left open */
	model_reset(watch_model(s.watch));
	span_of(&s, t + 1 * STORY_MS, 0, RTEV_PHASE_DOMAIN_CONDITION_WAIT);
	span_of(&s, t + 100 * STORY_MS, 0, RTEV_PHASE_STW_HANDLER);
	span_of(&s, t + 200 * STORY_MS, t + 400 * STORY_MS, RTEV_PHASE_MINOR_LEAVE_BARRIER);
	span_of(&s, 0, t + 500 * STORY_MS, RTEV_PHASE_STW_HANDLER);
	span_of(&s, 0, t + 600 * STORY_MS, RTEV_PHASE_DOMAIN_CONDITION_WAIT);
	span_of(&s, t + 700 * STORY_MS, 0, RTEV_PHASE_MINOR);
	span_of(&s, t + 704 * STORY_MS, t + 706 * STORY_MS, RTEV_PHASE_MINOR_LEAVE_BARRIER);
	span_of(&s, 0, t + 710 * STORY_MS, RTEV_PHASE_MINOR);
	span_of(&s, t + 720 * STORY_MS, 0, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR);
	span_of(&s, t + 730 * STORY_MS, t + 820 * STORY_MS, RTEV_PHASE_MAJOR_MARK);
	s.subject.now = t + 900 * STORY_MS;
	watch_advance(s.watch, s.subject.now, s.subject.now);
	stage_key(&s, '3');
	/* What has not ended leads to what has. */
	CHECK(stage_shows(&s, "explicit_gc_full_major") && !stage_shows(&s, "stw_handler"));
	stage_type(&s, "G\n");
	/* Of 10 ms of the minor collection and 90 ms of the marking. */
	static const struct {
		const char *name, *share;
	} rows[] = {{"\nminor ", "10%"}, {"  minor_leave_barrier ", "2.0%"}, {"major_mark ", "90%"},
	    {"domain_condition_wait", "-"}, {"  stw_handler", "-"}, {"    minor_leave_barrier", "-"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *screen = stage_screen(&s);
		if (strstr(screen, rows[i].name) == NULL)
			TEST_FAIL("no %s in:\n%s", rows[i].name, screen);
		words_of(line_with(screen, rows[i].name) + (rows[i].name[0] == '\n'), words);
		if (strcmp(words[3], rows[i].share) != 0)
			TEST_FAIL("%s: %s, expected %s", rows[i].name, words[3], rows[i].share);
	}
	stage_type(&s, "1z");
	static const struct {
		const char *name, *share;
	} phases[] = {{"minor_leave_barrier  ", "2.0%"}, {"major_mark  ", "90%"}, {"minor  ", "8.0%"},
	    {"domain_condition_wait  ", "-"}, {"stw_handler  ", "-"}};
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		char *screen = stage_screen(&s), *table = strstr(screen, "  of GC");
		if (table == NULL)
			TEST_FAIL("no table of phases in:\n%s", screen);
		words_of(line_with(table, phases[i].name), words);
		if (strcmp(words[2], phases[i].share) != 0)
			TEST_FAIL("%s: %s, expected %s", phases[i].name, words[2], phases[i].share);
	}
	stage_fini(&s);
}

/* Time of a domain's pauses inside of its requests. */
static uint64_t gc_in_requests(const struct story *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->span_count; i++) {
		const struct story_span *u = &s->spans[i];
		for (size_t k = 0; k < s->span_count && u->user; k++) {
			const struct story_span *p = &s->spans[k];
			if (p->domain != u->domain || !is_pause(p))
				continue;
			uint64_t from = p->begin > u->begin ? p->begin : u->begin;
			uint64_t to = p->end < u->end ? p->end : u->end;
			sum += to > from ? to - from : 0;
		}
	}
	return sum;
}

/* Count the user events of a kind; *last, *min and *max get their values. */
static uint64_t user_events(
    const struct story *s, unsigned domain, enum story_kind kind, int64_t *last, int64_t *min, int64_t *max)
{
	uint64_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct story_event *e = &s->events[i];
		if (e->kind != kind || (domain != EVERY && e->domain != domain))
			continue;
		*last = e->value;
		*min = count == 0 || e->value < *min ? e->value : *min;
		*max = count == 0 || e->value > *max ? e->value : *max;
		count++;
	}
	return count;
}

TEST(test_user)
{
	struct stage s;
	uint64_t spans[MOST];
	int64_t last = 0, min = 0, max = 0;
	char *words[32];

	stage_init(&s, 3, 40, 160);
	stage_key(&s, '4');
	char *screen = stage_screen(&s);
	size_t count = durations(&s.story, EVERY, true, spans);
	CHECK_INT(words_of(line_of(screen, "http.request"), words), 10);
	CHECK_STR(words[2], format_count(count).s);
	CHECK_NEAR(duration_of(words[4]), percentile(spans, count, 0.5), 35e6 * 0.015);
	CHECK_NEAR(duration_of(words[5]), percentile(spans, count, 0.99), 51e6 * 0.015);
	CHECK_NEAR(duration_of(words[6]), spans[count - 1], 51e6 * 0.005);
	CHECK_STR(words[7], "1"); /* the one that the loss cut is none */
	CHECK_STR(words[8], format_share(gc_in_requests(&s.story), sum_of(spans, count)).s);
	uint64_t ints = user_events(&s.story, EVERY, STORY_USER_INT, &last, &min, &max);
	CHECK_INT(words_of(line_of(screen, "queue.depth"), words), 9);
	CHECK_STR(words[2], format_count(ints).s);
	uint64_t from = STORY_END - 5000 * STORY_MS, recent = 0;
	for (size_t i = 0; i < s.story.count; i++)
		recent += s.story.events[i].kind == STORY_USER_INT && s.story.events[i].ts >= from;
	double seconds = (double)(STORY_END - from - paused_in(&s.story, from, STORY_END)) / 1e9;
	CHECK_STR(words[3], format_rate((double)recent / seconds).s);
	CHECK_STR(words[4], format_signed(last, 12).s);
	CHECK_STR(words[5], format_signed(min, 12).s);
	CHECK_STR(words[7], format_signed(max, 12).s);
	stage_fini(&s);
}

/* Time of a domain's pauses in a stretch. */
static uint64_t paused_for(const struct story *s, unsigned domain, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->span_count; i++) {
		const struct story_span *p = &s->spans[i];
		uint64_t begin = p->begin > from ? p->begin : from, end = p->end < to ? p->end : to;
		if (p->domain == domain && is_pause(p) && end > begin)
			sum += end - begin;
	}
	return sum;
}

/* The least share left to a domain in any stretch of so many nanoseconds: one such begins or ends with a
 * pause. */
static double least_share(const struct story *s, unsigned domain, uint64_t window)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s->span_count; i++) {
		const struct story_span *p = &s->spans[i];
		if (p->domain != domain || !is_pause(p))
			continue;
		uint64_t after = paused_for(s, domain, p->begin, p->begin + window);
		uint64_t before = paused_for(s, domain, p->end - window, p->end);
		most = after > most ? after : most;
		most = before > most ? before : most;
	}
	return 1 - (double)most / (double)window;
}

TEST(test_utilisation)
{
	static const char *const labels[] = {"minimum mutator utilization 1ms", "  10ms", "  100ms"};
	struct stage s;
	uint64_t window = STORY_MS;

	stage_init(&s, 3, 40, 160);
	stage_key(&s, '5');
	char *screen = stage_screen(&s);
	for (int w = 0; w < 3; w++, window *= 10) {
		double least = 1;
		for (unsigned d = 0; d < 3; d++)
			least = fmin(least, least_share(&s.story, d, window));
		expect_word(screen, labels[w], format_percent(least).s);
	}
	stage_fini(&s);
}

/* The share of a domain's pauses in the window of the panes, the span that is still open among them. */
static double pane_share(const struct story *s, unsigned domain, uint64_t from)
{
	return (double)gc_time(s, domain, from, true) /
	       (double)(STORY_END - from - paused_in(s, from, STORY_END));
}

/* After a reset all but the windows of the panes and of the header's last seconds counts from then on. */
TEST(test_reset)
{
	struct stage s = stage_begin(3, 40, 160);
	model_reset(watch_model(s.watch));
	watch_advance(s.watch, STORY_END, STORY_END);
	char *screen = stage_text(&s);
	expect_word(screen, "worst pause", "-");
	expect_word(screen, " lost", "0");
	/* A pause that began before it counts nowhere. */
	expect_split(screen, &s.story, STORY_END - 5000 * STORY_MS, false);
	expect_word(strstr(screen, "D0 "), "GC",
	    format_percent(pane_share(&s.story, 0, STORY_END - 5000 * STORY_MS)).s);
	free(screen);
	static const struct {
		ui_key key;
		const char *text;
	} views[] = {{'3', "no phase has ended yet"}, {'5', "no pause yet"},
	    {'6', "stops 0 since 18:31   with a barrier 0"}};
	for (int i = 0; i < 3; i++) {
		stage_key(&s, views[i].key);
		char *shown = stage_text(&s);
		if (strstr(shown, views[i].text) == NULL)
			TEST_FAIL("no \"%s\" in:\n%s", views[i].text, shown);
		free(shown);
	}
	stage_fini(&s);
}

TEST(test_pauses)
{
	struct stage s;
	uint64_t pauses[MOST];

	stage_init(&s, 3, 40, 160);
	stage_key(&s, '5');
	char *screen = stage_screen(&s), *body = strstr(screen, "\npauses");
	CHECK(body != NULL);
	size_t count = durations(&s.story, EVERY, false, pauses);
	expect_word(body, "pauses", format_count(count).s);
	expect_word(body, "mean", format_marked("~", format_duration(sum_of(pauses, count) / count)).s);
	expect_duration(body, "p90", percentile(pauses, count, 0.9), true);
	/* The ten worst, in their order. */
	char *list = strstr(body, "  why\n");
	CHECK(list != NULL);
	/* The own time of the outermost phase is a reason, too. */
	CHECK(strstr(list, "major_finish_marking 30.0ms, major 20.0ms") != NULL);
	for (int i = 0; i < 10; i++) {
		char word[64];
		list = strchr(list, '\n') + 1;
		CHECK_INT(sscanf(list, " %63s", word), 1);
		CHECK_STR(word, format_duration(pauses[count - 1 - (size_t)i]).s);
	}
	stage_fini(&s);
}

/* Stops in which a domain came last, by the rule of the story, those left out that overlap the loss. */
static unsigned stops_last(unsigned domain, uint64_t *worst)
{
	unsigned count = 0;

	*worst = 0;
	for (unsigned k = 5; k < 100; k += 5) {
		unsigned domains = k < 95 ? 3 : 2, last = (k / 5 % domains + 1) % domains;
		if (k == 40 || k == 80 || last != domain)
			continue;
		uint64_t late = (2000 + k % 7 * 100) * 1000;
		*worst = late > *worst ? late : *worst;
		count++;
	}
	return count;
}

TEST(test_stops)
{
	struct stage s = stage_begin(3, 40, 160);
	stage_key(&s, '6');
	char *screen = stage_screen(&s);
	for (unsigned d = 0; d < 3; d++) {
		uint64_t worst;
		char name[8], *words[32];
		unsigned last = stops_last(d, &worst);
		snprintf(name, sizeof(name), "D%u", d);
		CHECK_INT(words_of(line_of(screen, name), words), 10);
		CHECK_STR(words[3], format_count(last).s);
		CHECK_NEAR(duration_of(words[7]), worst, (double)worst * 0.005);
	}
	stage_fini(&s);
}

/* Rates of the instrumented runtime are shown wherever those of another are. */
TEST(test_rates_beside_a_histogram)
{
	struct stage s;

	for (int rows = 16; rows <= 60; rows += 4) {
		for (int cols = 40; cols <= 200; cols += 8) {
			stage_init(&s, 1, rows, cols);
			char *screen = stage_screen(&s);
			const char *spark = strstr(screen, "⣷");
			if (strstr(screen, "alloc ") == NULL || strstr(screen, "promoted ") == NULL ||
			    spark == NULL)
				TEST_FAIL("no rates at %dx%d:\n%s", cols, rows, screen);
			stage_fini(&s);
		}
	}
}

TEST(test_panes)
{
	struct stage s;
	uint64_t spans[MOST];
	int64_t last = 0, min = 0, max = 0;

	/* One below the other. */
	stage_init(&s, 3, 60, 110);
	char *screen = stage_screen(&s), *d0 = strstr(screen, "D0 "), *d1 = strstr(screen, "╭ D1 ");
	CHECK(d0 != NULL && d1 != NULL);
	uint64_t from = STORY_END - 5000 * STORY_MS;
	expect_word(d0, "GC", format_percent(pane_share(&s.story, 0, from)).s);
	expect_word(d1, "GC", format_percent(pane_share(&s.story, 1, from)).s);
	expect_word(d0, "lag", "120w");
	expect_word(d1, "lost", format_words(STORY_LOST_WORDS).s);
	size_t count = durations(&s.story, 1, true, spans);
	expect_duration(d1, "p50", percentile(spans, count, 0.5), true);
	expect_duration(d1, "p99", percentile(spans, count, 0.99), true);
	expect_word(d0, "open", "1");
	expect_word(d1, "open", "0");
	user_events(&s.story, 0, STORY_USER_INT, &last, &min, &max);
	expect_word(d0, "queue.depth  int", format_signed(last, 12).s);
	from = STORY_END - 5000 * STORY_MS;
	double seconds = (double)(STORY_END - from - paused_in(&s.story, from, STORY_END)) / 1e9;
	/* D0's runtime is the instrumented one: rates stand beside its histogram. */
	expect_word(d0, "alloc",
	    format_byte_rate((double)counted(&s.story, 0, RTEV_COUNTER_MINOR_ALLOCATED, from) / seconds).s);
	expect_word(d0, "promoted",
	    format_byte_rate((double)counted(&s.story, 0, RTEV_COUNTER_MINOR_PROMOTED, from) / seconds).s);
	CHECK(strstr(d0, "100+") != NULL);
	expect_word(d1, "alloc",
	    format_byte_rate((double)counted(&s.story, 1, RTEV_COUNTER_MINOR_ALLOCATED, from) / seconds).s);
	/* What the whole width of the bars stands for: the time in phases of the window. */
	CHECK(strstr(screen, "paused 10%") != NULL);
	stage_fini(&s);
}

/* The share that stands beside a frozen track, over a range that the story tells all of. */
TEST(test_tracks)
{
	struct stage s = stage_begin(3, 40, 120);
	stage_type(&s, " t");
	char *screen = stage_screen(&s);
	uint64_t from = STORY_END - 5000 * STORY_MS;
	/* The range begins with a whole column, of which there are 109. */
	uint64_t width = (5000 * STORY_MS + 107) / 108;
	from = from / width * width;
	expect_word(screen, "▸D0", format_percent(pane_share(&s.story, 0, from)).s);
	expect_word(screen, " D1", format_percent(pane_share(&s.story, 1, from)).s);
	stage_key(&s, 't');
	screen = stage_screen(&s);
	expect_word(screen, "▸D0", format_percent(pane_share(&s.story, 0, from)).s);
	stage_fini(&s);
}
