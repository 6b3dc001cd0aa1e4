/*
 * test_views_memory.c - the numbers of the memory view are those that one works out from the events by
 * oneself.
 */
#include "support/test.h"

#include "figures/figures.h"
#include "watch/watch.h"
#include "print/number.h"
#include "support/screen_words.h"
#include "support/ui_story.h"

TEST(test_memory)
{
	struct stage s;

	/* No room for the parts of the process's memory beside those of the heap. */
	stage_init(&s, 3, 40, 78);
	stage_key(&s, '7');
	char *screen = stage_screen(&s);
	/* Two domains run, and each has sent these. */
	expect_word(screen, "all, at the last slice", format_bytes((1000000 + 1001000) * 8).s);
	expect_word(screen, "pools", format_bytes(2 * 900000 * 8).s);
	expect_word(screen, "live or not yet swept", format_bytes(2 * 600000 * 8).s);
	expect_word(screen, "free", format_bytes(2 * 200000 * 8).s);
	expect_word(screen, "fragments", format_bytes(2 * 100000 * 8).s);
	expect_word(screen, "large blocks", format_bytes(2 * 100000 * 8).s);
	expect_word(screen, "with the ring", format_bytes(92000000).s);
	stage_fini(&s);
}

/* The parts of the process's memory, where they are known, not yet known, or can't be. */
TEST(test_parts)
{
	struct stage s = stage_begin(3, 24, 80);
	stage_key(&s, '7');
	struct system_memory memory = *system_past_memory(watch_system(s.watch));
	char *screen = stage_screen(&s);
	for (unsigned i = 0; i < MEMORY_PARTS; i++) {
		char line[64];
		snprintf(line, sizeof(line), "%-15s%9s%9s", system_memory_name(i, true),
		    format_bytes(memory.reserved[i]).s, format_bytes(memory.resident[i]).s);
		if (strstr(screen, line) == NULL)
			TEST_FAIL("no line %s in:\n%s", line, screen);
	}
	CHECK(strstr(screen, "mappings, most       311    65.5k") != NULL);
	memory.why = "for this cause";
	memory.resident[MEMORY_OTHER] = MEMORY_UNKNOWN;
	memory.mappings_limit = 0;
	system_past_set_memory(watch_system(s.watch), &memory);
	screen = stage_screen(&s);
	CHECK(strstr(screen, "for this cause") != NULL);
	CHECK(strstr(screen, "203MB        -") != NULL && strstr(screen, "311        -") != NULL);
	system_past_set_memory(watch_system(s.watch), &(struct system_memory){.ts = 0});
	CHECK(strstr(stage_screen(&s), "it is being read") != NULL);
	s.subject.state = SUBJECT_REPLAY;
	CHECK(strstr(stage_screen(&s), "- (files do not keep its parts)") != NULL);
	s.subject.state = SUBJECT_EXITED;
	CHECK(strstr(stage_screen(&s), "- (it ended before it was read)") != NULL);
	stage_fini(&s);
}

/* A title without a row of what it names tells nothing: not at any height. */
TEST(test_titles)
{
	struct stage s;

	for (int rows = 12; rows <= 40; rows++) {
		stage_init(&s, 3, rows, 80);
		stage_key(&s, '7');
		free(stage_text(&s));
		for (int col = 0; col < 80; col++)
			CHECK(canvas_row(s.canvas, rows - 2)[col].style != STYLE_TITLE);
		stage_fini(&s);
	}
}

/* What the slices tell is of another time than the parts, which have a sum of their own: none is more than
 * that. */
TEST(test_memory_of_two_times)
{
	static const int64_t wholes[] = {2000000, 500000};
	struct stage s = stage_begin(3, 40, 78);
	stage_key(&s, '7');
	for (int i = 0; i < 2; i++) {
		for (unsigned d = 0; d < 2; d++)
			s.calls.counter(
			    watch_model(s.watch), d, STORY_END, RTEV_COUNTER_MAJOR_HEAP_WORDS, wholes[i]);
		char *screen = stage_screen(&s), *words[32];
		expect_word(screen, "all, at the last slice", format_bytes(2 * (uint64_t)wholes[i] * 8).s);
		/* They came in period 95. */
		expect_word(screen, "At the last cycle's end,", format_duration(415 * STORY_MS - 3).s);
		expect_word(screen, "\n  all ", format_bytes(2 * 1000000 * 8).s);
		expect_word(screen, "pools", format_bytes(2 * 900000 * 8).s);
		CHECK_INT(words_of(line_of(screen, "pools"), words), 4);
		CHECK_STR(words[2], format_percent(0.9).s);
		CHECK_INT(words_of(line_of(screen, "large"), words), 5);
		CHECK_STR(words[3], format_percent(0.1).s);
		CHECK_INT(words_of(line_of(screen, "free"), words), 4);
		CHECK_STR(words[2], format_percent(2.0 / 9).s);
	}
	stage_fini(&s);
}

/* A heap that grows in the column that is not drawn yet is no larger than the scale of its chart. */
TEST(test_memory_in_a_chart)
{
	struct stage s = stage_begin(1, 60, 160);
	stage_key(&s, '7');
	s.calls.counter(watch_model(s.watch), 0, STORY_END, RTEV_COUNTER_MAJOR_HEAP_WORDS, 3000000);
	char *screen = stage_screen(&s);
	expect_word(screen, "all, at the last slice", format_bytes(3000000 * 8).s);
	expect_word(screen, "heap, max", format_bytes(3000000 * 8).s);
	stage_type(&s, "1z");
	screen = stage_screen(&s);
	expect_word(screen, "heap max", format_bytes(3000000 * 8).s);
	stage_fini(&s);
}

/* A growth that is wider than the other values stands whole, and its line ends where theirs do. */
TEST(test_growth_is_whole)
{
	struct stage s = stage_begin(1, 40, 78);
	stage_key(&s, '7');
	for (unsigned i = 0; i < 20; i++)
		s.calls.counter(watch_model(s.watch), 0, STORY_END + i * 1000 * STORY_MS,
		    RTEV_COUNTER_MAJOR_HEAP_WORDS, 1000000 + i * 52000);
	s.subject.now = STORY_END + 19 * 1000 * STORY_MS;
	const double growth = figure_heap_growth(watch_model(s.watch));
	CHECK(growth > 10e6 && growth < 100e6);
	expect_word(stage_screen(&s), "heap growth", format_figure(UNIT_GROWTH, growth).s);
	stage_fini(&s);
}

/* What the major heap allocates is told by slices: without one nothing is known, whatever was promoted. */
TEST(test_memory_without_slices)
{
	const uint64_t seconds = 6;
	struct stage s = stage_begin(3, 40, 160);
	stage_key(&s, '7');
	CHECK(!stage_shows(&s, "  0B/s"));
	for (uint64_t t = 0; t < seconds * 100; t++)
		s.calls.counter(watch_model(s.watch), 0, STORY_END + t * 10 * STORY_MS,
		    RTEV_COUNTER_MINOR_PROMOTED, 50000);
	s.subject.now = STORY_END + seconds * 1000 * STORY_MS;
	watch_advance(s.watch, s.subject.now, s.subject.now);
	char *screen = stage_screen(&s);
	expect_word(screen, "\n  promoted", "5.00MB/s");
	expect_word(screen, "major heap, promoted too", "-");
	/* The runtime does not count all of it: it is no less than what was promoted. */
	s.calls.counter(watch_model(s.watch), 0, s.subject.now, RTEV_COUNTER_MAJOR_ALLOCATED_WORDS, 0);
	screen = stage_screen(&s);
	expect_word(screen, "major heap, promoted too", "≥5.00MB/s");
	s.calls.counter(watch_model(s.watch), 0, s.subject.now, RTEV_COUNTER_MAJOR_ALLOCATED_WORDS, 5000000);
	watch_advance(s.watch, s.subject.now, s.subject.now);
	screen = stage_screen(&s);
	expect_word(screen, "major heap, promoted too", "≥8.00MB/s");
	stage_fini(&s);
}
