/*
 * test_headline.c - the sentence that says how the target does: each rule, and which comes before which.
 */
#include "support/test.h"

#include <math.h>

#include "advice/headline.h"
#include "print/number.h"
#include "support/advice_story.h"

#define NOW UINT64_C(100000000000)

/* Facts of a target that is well, without findings. */
static struct headline_facts well(const struct advice *advice)
{
	return (struct headline_facts){.advice = advice,
	    .cpu = 0.8,
	    .window_ns = UINT64_C(40000000000),
	    .longest = "1.20 ms",
	    .of = {[LIMIT_GC] = 0.004, [LIMIT_PAUSE] = 1.2e6, [LIMIT_THROTTLED] = NAN, [LIMIT_SWAP] = 0}};
}

static void check(const struct headline_facts *facts, enum limit_level level, bool findings, const char *text)
{
	struct headline h;

	headline_of(facts, &h);
	CHECK_STR(h.text, text);
	CHECK_INT(h.level, level);
	CHECK(h.findings == findings);
}

/* Advice that has seen so many seconds of a program that does next to nothing. */
static struct advice *calm(unsigned seconds)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = NOW});
	struct stw *stw = stw_create();
	struct advice *advice = advice_create(&(struct advice_options){0}, m, stw, NULL, NULL), *copy;
	struct rtev_callbacks calls;

	CHECK(m != NULL && stw != NULL && advice != NULL);
	model_callbacks(&calls);
	for (unsigned i = 0; i <= seconds; i++) {
		uint64_t ts = NOW + i * UINT64_C(1000000000);
		calls.begin(m, 0, ts, RTEV_PHASE_MINOR);
		calls.end(m, 0, ts + 1000, RTEV_PHASE_MINOR);
		model_set_now(m, ts + 1000);
		advice_advance(advice, ts + 1000);
	}
	copy = advice_copy(advice);
	advice_destroy(advice);
	stw_destroy(stw);
	model_destroy(m);
	CHECK(copy != NULL);
	return copy;
}

/* Healthy is said only where nothing is wrong and there was evidence. */
static void test_healthy(void)
{
	struct advice *advice = calm(12), *early = calm(3);
	struct headline_facts f = well(advice);
	struct headline h;

	check(&f, LEVEL_GOOD, false, "healthy: GC 0.4 %, longest pause 1.20 ms in 40 s");
	f.longest = NULL;
	check(&f, LEVEL_GOOD, false, "healthy: GC 0.4 %, no pause in 40 s");
	f = well(early);
	headline_of(&f, &h);
	CHECK(strstr(h.text, "looking: 3 of 10 s") == h.text && h.level == LEVEL_NONE);
	f = well(NULL);
	check(&f, LEVEL_NONE, false, "GC 0.4 %, longest pause 1.20 ms in 40 s");
	/* Each of these forbids it. */
	for (int i = 0; i < 14; i++) {
		f = well(advice);
		switch (i) {
		case 0:
			f.of[LIMIT_GC] = NAN;
			break;
		case 1:
			f.of[LIMIT_GC] = 0.12;
			break;
		case 2:
			f.of[LIMIT_PAUSE] = 10e6;
			break;
		case 3:
			f.of[LIMIT_LOST] = 0.001;
			break;
		case 4:
			f.of[LIMIT_LOST] = 0.02;
			break;
		case 5:
			f.of[LIMIT_THROTTLED] = 0.01;
			break;
		case 6:
			f.of[LIMIT_SWAP] = 0.01;
			break;
		case 7:
			f.state = "PAUSED 2.00s";
			break;
		case 8:
			f.past = "18:31:02";
			break;
		case 9:
			f.over = "ended";
			break;
		case 10:
			f.silent_ns = 2000000000;
			break;
		case 11:
			f.note = "was paused 4.00s";
			break;
		case 12:
			f.cpu = 0.001;
			break;
		default:
			f.advice = early;
			break;
		}
		headline_of(&f, &h);
		if (strstr(h.text, "healthy") != NULL || h.level == LEVEL_GOOD)
			TEST_FAIL("case %d: %s", i, h.text);
	}
	advice_destroy(advice);
	advice_destroy(early);
}

/* Each rule's sentence. */
static void test_sentences(void)
{
	struct advice *advice = calm(12), *early = calm(3);
	struct headline_facts f = well(advice);

	f.of[LIMIT_GC] = 0.3;
	check(&f, LEVEL_BAD, false, "much collection: GC 30 %, longest pause 1.20 ms in 40 s");
	f = well(advice);
	f.of[LIMIT_PAUSE] = 50e6;
	f.longest = "50.0 ms";
	check(&f, LEVEL_ATTENTION, false, "long pauses: GC 0.4 %, longest pause 50.0 ms in 40 s");
	/* The worst of two is told. */
	f.of[LIMIT_THROTTLED] = 0.4;
	check(&f, LEVEL_BAD, false,
	    "40 % of the scheduler's periods throttled; GC 0.4 %, longest pause 50.0 ms in 40 s");
	f = well(advice);
	f.of[LIMIT_SWAP] = 0.05;
	check(&f, LEVEL_ATTENTION, false,
	    "5.0 % of its memory swapped out; GC 0.4 %, longest pause 1.20 ms in 40 s");
	f = well(early);
	f.of[LIMIT_LOST] = 0.2;
	check(&f, LEVEL_BAD, false, "20 % of the traffic was lost: figures are of the rest");
	f = well(advice);
	f.cpu = 0.003;
	check(&f, LEVEL_NONE, false, "idle: 0.3 % of a core, GC 0.4 %, longest pause 1.20 ms in 40 s");
	f.silent_ns = 3010000000;
	f.not_paused = true;
	check(&f, LEVEL_NONE, false, "idle: no event for 3.01 s (not paused: read from the process)");
	f.not_paused = false;
	f.cpu = 1;
	check(&f, LEVEL_NONE, false, "runs without the collector: no event for 3.01 s");
	f.held = "D0 has waited 3.01 s in stw_api_barrier: D1 on CPU in spin";
	check(&f, LEVEL_BAD, false, "D0 has waited 3.01 s in stw_api_barrier: D1 on CPU in spin");
	f.held = NULL;
	f.state = "STOPPED 3.01s by a signal or a debugger";
	f.state_level = LEVEL_ATTENTION;
	check(&f, LEVEL_ATTENTION, false, "STOPPED 3.01s by a signal or a debugger");
	f = well(advice);
	f.past = "18:31:02";
	check(&f, LEVEL_NONE, false, "at 18:31:02: GC 0.4 %, longest pause 1.20 ms in 40 s");
	f = well(advice);
	f.over = "ended";
	check(&f, LEVEL_NONE, false, "ended: GC 0.4 %, longest pause 1.20 ms in 40 s");
	f.of[LIMIT_GC] = NAN;
	check(&f, LEVEL_NONE, false, "ended: no figures");
	advice_destroy(advice);
	advice_destroy(early);
}

/* Findings come before figures, the serious first; those of little cost are counted behind. */
static void test_findings(void)
{
	struct advice *serious = advice_story(NOW, true), *small = advice_story(NOW, false),
		      *unexplained = advice_story_much_gc(NOW, false);
	struct headline_facts f = well(serious);
	struct headline h;

	headline_of(&f, &h);
	CHECK(strstr(h.text, "Minor collections take ") == h.text && h.level == LEVEL_BAD && h.findings);
	f.over = "ended";
	headline_of(&f, &h);
	CHECK(strstr(h.text, "ended: Minor collections take ") == h.text);
	f.state = "PAUSED 2.00s";
	check(&f, LEVEL_NONE, false, "PAUSED 2.00s");
	f = well(small);
	check(&f, LEVEL_NONE, true, "GC 0.4 %, longest pause 1.20 ms in 40 s; 2 findings");
	f = well(unexplained);
	headline_of(&f, &h);
	CHECK(strstr(h.text, "50 % of the busy time in GC") == h.text && h.level == LEVEL_ATTENTION &&
	      h.findings);
	advice_destroy(serious);
	advice_destroy(small);
	advice_destroy(unexplained);
}

static void test_spaced(void)
{
	static const char *const texts[][2] = {{"0.4%", "0.4 %"}, {"<0.1%", "<0.1 %"}, {"40s", "40 s"},
	    {"3m07s", "3m07s"}, {"1.20ms", "1.20 ms"}, {"-", "-"}, {"0", "0"}, {"", ""}};
	struct formatted text;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(text.s, sizeof(text.s), "%s", texts[i][0]);
		CHECK_STR(format_spaced(text).s, texts[i][1]);
	}
}

/* No figure without a level, and none that is better than one below it. */
static void test_limits(void)
{
	for (int limit = 0; limit < LIMIT_COUNT; limit++) {
		enum limit_level before = LEVEL_GOOD;
		CHECK_INT(limit_level((enum limit)limit, NAN), LEVEL_NONE);
		CHECK_INT(limit_level((enum limit)limit, 0), LEVEL_GOOD);
		for (double value = 1e-6; value < 1e12; value *= 1.1) {
			enum limit_level level = limit_level((enum limit)limit, value);
			CHECK(level >= before);
			before = level;
		}
		CHECK_INT(before, LEVEL_BAD);
	}
	CHECK_INT(limit_level(LIMIT_GC, 0.1), LEVEL_ATTENTION);
	CHECK_INT(limit_level(LIMIT_PAUSE, 9.9e6), LEVEL_GOOD);
}

int main(void)
{
	RUN(test_healthy);
	RUN(test_sentences);
	RUN(test_findings);
	RUN(test_spaced);
	RUN(test_limits);
	return 0;
}
