/*
 * test_headline.c - the sentence that says how the target does: each rule, and which comes before which.
 */
#include "support/test.h"

#include <math.h>

#include "advice/headline.h"
#include "core/utf8.h"
#include "print/number.h"
#include "support/advice_story.h"

#define NOW UINT64_C(100000000000)

/* Facts of a target that is well, without findings. */
static struct headline_facts well(const struct advice *advice)
{
	return (struct headline_facts){.advice = advice,
	    .cpu = 0.8,
	    .ran = NAN,
	    .longest = "1.20ms",
	    .of = {[LIMIT_GC] = 0.004, [LIMIT_PAUSE] = 1.2e6, [LIMIT_THROTTLED] = NAN, [LIMIT_SWAP] = 0}};
}

static void check(const struct headline_facts *facts, int verdict, char key, const char *text)
{
	struct headline h;

	headline_of(facts, &h);
	CHECK_STR(h.text, text);
	CHECK_INT(headline_verdict(&h), verdict);
	CHECK_INT(h.key, key);
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
TEST(test_healthy)
{
	struct advice *advice = calm(12), *early = calm(3);
	struct headline_facts f = well(advice);
	struct headline h;

	check(&f, 0, '5', "healthy: GC 0.4%, longest pause 1.20ms");
	f.longest = NULL;
	check(&f, 0, '5', "healthy: GC 0.4%, no pause");
	f = well(early);
	headline_of(&f, &h);
	CHECK_STR(h.text, "looking: 10s of evidence are needed");
	CHECK(h.level == LEVEL_NONE);
	f = well(NULL);
	check(&f, -1, '5', "GC 0.4%, longest pause 1.20ms");
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
			f.silent = true;
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
TEST(test_sentences)
{
	struct advice *advice = calm(12), *early = calm(3);
	struct headline_facts f = well(advice);

	f.of[LIMIT_GC] = 0.3;
	check(&f, 2, '3', "much collection: GC 30%, longest pause 1.20ms");
	f = well(advice);
	f.of[LIMIT_PAUSE] = 50e6;
	f.longest = "50.0ms";
	check(&f, 1, '5', "long pauses: GC 0.4%, longest pause 50.0ms");
	/* The worst of two is told. */
	f.of[LIMIT_THROTTLED] = 0.4;
	check(&f, 2, '2', "40% of the scheduler's periods were throttled; GC 0.4%, longest pause 50.0ms");
	f = well(advice);
	f.of[LIMIT_SWAP] = 0.05;
	check(&f, 1, '7', "5.0% of its memory is swapped out; GC 0.4%, longest pause 1.20ms");
	f = well(advice);
	f.cpu = 0.003;
	check(&f, 0, '5', "idle: 0.3% of a core, GC 0.4%, longest pause 1.20ms");
	/* One that writes an event now and then has one sentence, in its silence, too. */
	f.silent = true;
	check(&f, 0, '5', "idle: 0.3% of a core, GC 0.4%, longest pause 1.20ms");
	f.of[LIMIT_GC] = 0.02;
	f.not_paused = true;
	check(&f, 0, '2', "idle: no events come (not paused: read from the process)");
	/* What was long in the time that is judged is told, whether the target is silent at this moment or not. */
	f.of[LIMIT_PAUSE] = 50e6;
	check(&f, 1, '5', "long pauses: GC 2.0%, longest pause 1.20ms");
	f.of[LIMIT_PAUSE] = 1.2e6;
	f.not_paused = false;
	f.cpu = 1;
	check(&f, -1, '2', "runs without the collector: no events come");
	f.cpu = NAN;
	check(&f, -1, '2', "no events come");
	f.held = "D0 has waited 3.01s in stw_api_barrier: D1 on CPU in spin";
	check(&f, 2, '6', "D0 has waited 3.01s in stw_api_barrier: D1 on CPU in spin");
	f.held = NULL;
	f.state = "stopped by a signal or a debugger";
	f.state_level = LEVEL_ATTENTION;
	check(&f, 1, '8', "stopped by a signal or a debugger");
	f = well(advice);
	f.past = "18:31:02";
	check(&f, -1, '5', "at 18:31:02: GC 0.4%, longest pause 1.20ms");
	f.off = "no events: counters only";
	f.of[LIMIT_GC] = NAN;
	check(&f, -1, 0, "at 18:31:02: no events");
	/* Of a moment before the attach, the pauses may be known, and the share of GC not; or neither. */
	f.off = NULL;
	check(&f, -1, '5', "at 18:31:02: longest pause 1.20ms, GC not known");
	f.longest = NULL;
	check(&f, -1, '5', "at 18:31:02: GC and pauses not known");
	f.of[LIMIT_GC] = 0.004;
	check(&f, -1, '5', "at 18:31:02: GC 0.4%, no pause");
	f.of[LIMIT_PAUSE] = NAN;
	check(&f, -1, '5', "at 18:31:02: GC 0.4%, pauses not known");
	f = well(advice);
	f.over = "ended";
	check(&f, 0, '5', "ended: GC 0.4%, longest pause 1.20ms");
	f.of[LIMIT_GC] = NAN;
	check(&f, -1, '5', "ended: longest pause 1.20ms, GC not known");
	/* What is over is judged as it is. */
	f = well(early);
	f.over = "file";
	check(&f, -1, '5', "file: GC 0.4%, longest pause 1.20ms; locks are not recorded");
	f.of[LIMIT_GC] = 0.3;
	check(&f, 2, '3', "file: much collection: GC 30%, longest pause 1.20ms");
	/* No length of a sentence is cut inside a character. */
	for (int shift = 0; shift < 2; shift++) {
		struct headline h;
		char late[192];
		size_t whole;
		uint32_t code;
		for (size_t i = 0; i < sizeof(late); i++)
			late[i] = "\xc3\xa9"[(i + (size_t)shift) % 2];
		late[0] = shift ? 'x' : late[0];
		late[190 - shift % 2] = '\0';
		f.late = late;
		headline_of(&f, &h);
		for (const char *at = h.said.shorter[0]; *at != '\0'; at += whole)
			CHECK(utf8_decode(at, strlen(at), &whole, &code));
	}
	f.late = NULL;
	/* Not of a program that was over before its start was, which is not judged. */
	struct model *m = model_create(&(struct model_options){.attach_ts = NOW});
	struct stw *stw = stw_create();
	struct advice *nothing = advice_create(&(struct advice_options){0}, m, stw, NULL, NULL);
	CHECK(nothing != NULL);
	f.advice = nothing;
	f.over = "ended";
	check(&f, -1, '5', "ended: GC 30%, longest pause 1.20ms");
	advice_destroy(nothing);
	stw_destroy(stw);
	model_destroy(m);
	/* The key is of the view that shows what is told. */
	f = well(advice);
	f.late = "loop D0 late 800ms";
	check(&f, 1, 'f', "loop D0 late 800ms");
	advice_destroy(advice);
	advice_destroy(early);
}

/* The collector is not blamed for what its program may have lacked a processor for, and the figures are not called well. */
TEST(test_unserved)
{
	static const struct {
		double ran, gc, pause;
		int verdict;
		char key;
		const char *says;
	} cases[] = {
	    {NAN, 0.3, 188e6, 2, '3', "much collection: GC 30%, longest pause 188ms"},
	    {0.95, 0.3, 188e6, 2, '3', "much collection: GC 30%, longest pause 188ms"},
	    {0.18, 0.3, 188e6, 1, '2', "it ran 18% of the time it wanted to: GC 30%, longest pause 188ms"},
	    {0.05, 0.006, 104e6, 1, '2',
		"it ran 5.0% of the time it wanted to: GC 0.6%, longest pause 104ms"},
	    {0.5, 0.9, 20e6, 2, '3', "much collection: GC 90%, longest pause 20.0ms"},
	    {0.5, 0.004, 1.2e6, 0, '5', "healthy: GC 0.4%, longest pause 1.20ms"},
	};
	struct advice *advice = calm(12);
	struct headline_facts f = well(advice);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct formatted longest = format_duration((uint64_t)cases[i].pause);
		f.longest = longest.s;
		f.ran = cases[i].ran;
		f.of[LIMIT_GC] = cases[i].gc;
		f.of[LIMIT_PAUSE] = cases[i].pause;
		check(&f, cases[i].verdict, cases[i].key, cases[i].says);
	}
	advice_destroy(advice);
}

/* Findings come before figures, the serious first; those of little cost are counted behind. */
TEST(test_findings)
{
	struct advice *serious = advice_story(NOW, true), *small = advice_story(NOW, false),
		      *unexplained = advice_story_much_gc(NOW, false);
	struct headline_facts f = well(serious);
	struct headline h;

	headline_of(&f, &h);
	CHECK(strstr(h.text, "Minor collections take ") == h.text && h.level == LEVEL_BAD && h.key == 'a');
	f.over = "ended";
	headline_of(&f, &h);
	CHECK(strstr(h.text, "ended: Minor collections take ") == h.text);
	f.state = "it has paused its events";
	check(&f, -1, 0, "it has paused its events");
	f = well(small);
	headline_of(&f, &h);
	size_t count;
	/* Its sentence, not how many there are. */
	CHECK_STR(h.text, advice_findings(small, &count)[0].text);
	CHECK_INT(headline_verdict(&h), 0);
	/* A moment of silence changes neither the sentence nor the verdict. */
	f.silent = true;
	check(&f, 0, 'a', advice_findings(small, &count)[0].text);
	f = well(unexplained);
	headline_of(&f, &h);
	CHECK(strstr(h.text, "50% of the busy time in GC") == h.text && h.level == LEVEL_ATTENTION &&
	      h.key == '3');
	/* What a rule has had its evidence for waits for no other rule, and stands before how to learn more. */
	struct advice *starved = advice_story_starved(NOW);
	for (int off = 0; off < 2; off++) {
		f = well(starved);
		f.off = off != 0 ? "no events" : NULL;
		check(&f, 1, 'a', advice_findings(starved, &count)[0].text);
	}
	CHECK(advice_looking(starved) && count == 1);
	advice_destroy(serious);
	advice_destroy(small);
	advice_destroy(unexplained);
	advice_destroy(starved);
}

/* A finding that costs much or grows comes before that there are no events, which stands above it; others do not. */
TEST(test_findings_without_events)
{
	struct advice *costly = advice_story_costly(NOW, false), *grows = advice_story_costly(NOW, true),
		      *small = advice_story(NOW, false);
	struct headline_facts f = well(costly);

	f.off = "no events: counters only";
	f.of[LIMIT_GC] = NAN;
	check(&f, 1, 'a', "Minor collections spend 100% of their time on the stacks of the program");
	f.advice = small;
	check(&f, -1, 0, "no events: counters only");
	/* Where its counters can be read, so can its code, which says where the time goes. */
	f.counts = true;
	check(&f, -1, 'C', "no events: counters only");
	/* What grows is worth attention of a program that is all but idle, too. */
	for (int off = 0; off < 2; off++) {
		f = well(grows);
		f.cpu = 0.01;
		f.off = off ? "no events: counters only" : NULL;
		check(&f, 1, 'a', advice_findings(grows, &(size_t){0})[0].text);
	}
	/* A figure far beyond its limit is worse. */
	f = well(grows);
	f.of[LIMIT_PAUSE] = 150e6;
	check(&f, 2, '5', "long pauses: GC 0.4%, longest pause 1.20ms");
	advice_destroy(costly);
	advice_destroy(grows);
	advice_destroy(small);
}

/* What was lost is told by every reader in one sentence, whoever is to blame for it, and before what the rest seems to show. */
TEST(test_losses)
{
	char first[HEADLINE_TEXT] = "";

	for (int waited = 0; waited < 2; waited++) {
		struct advice *advice = advice_story_lost(NOW, waited != 0);
		struct headline_facts f = well(advice);
		struct headline h;
		size_t count;

		const struct advice_finding *finding = advice_findings(advice, &count);
		CHECK(count == 1 && strcmp(finding->name, "ring_losses") == 0);
		CHECK_INT(finding->severity, waited ? ADVICE_HINT : ADVICE_SERIOUS);
		f.of[LIMIT_LOST] = 0.9;
		f.late = "loop D0 late 800ms";
		headline_of(&f, &h);
		CHECK_STR(h.text, finding->text);
		CHECK_INT(headline_verdict(&h), 2);
		if (first[0] != '\0')
			CHECK_STR(h.text, first);
		strlcpy(first, h.text, sizeof(first));
		advice_destroy(advice);
	}
}

/* What is shown stays for a while, unless it gets worse; where figures alone change, no word moves. */
TEST(test_held)
{
	const uint64_t second = 1000000000;
	struct headline_shown shown = {0};
	struct headline h = {
	    .level = LEVEL_GOOD, .well = true, .key = '5', .text = "healthy: GC 9.6%, longest pause 12.0ms"};
	static const char *const texts[] = {"healthy: GC 10%, longest pause 9.63ms",
	    "healthy: GC 0.4%, longest pause 963µs", "healthy: GC <0.1%, longest pause 1.02s",
	    "healthy: GC 9.7%, longest pause 101ms"};

	CHECK_STR(headline_hold(&shown, &h, 1, NOW)->text, h.text);
	/* In a minute of figures that go up and down the text changes three times. */
	char before[HEADLINE_TEXT];
	uint64_t changed = NOW;
	size_t pause_at = 0;
	strlcpy(before, shown.headline.text, sizeof(before));
	for (unsigned i = 1; i < 240; i++) {
		strlcpy(h.text, texts[i % 4], sizeof(h.text));
		const uint64_t now = NOW + i * second / 4;
		const char *text = headline_hold(&shown, &h, 1, now)->text;
		if (strcmp(text, before) != 0) {
			CHECK(now - changed >= HEADLINE_FIGURES_NS);
			changed = now;
			strlcpy(before, text, sizeof(before));
		}
		/* One layout: the figure has had its room since it was widest. */
		const char *word = strstr(text, "longest");
		CHECK(word != NULL);
		if (pause_at != 0 && i > 60)
			CHECK_INT((size_t)(word - text), pause_at);
		pause_at = (size_t)(word - text);
	}
	/* Another sentence that is no worse is told after five seconds. */
	const struct headline idle = {
	    .level = LEVEL_GOOD, .well = true, .key = '5', .text = "idle: 0.3% of a core, GC 0.4%, no pause"};
	struct headline_shown other = {0};
	CHECK_STR(headline_hold(&other, &idle, 1, NOW)->text, idle.text);
	CHECK_STR(headline_hold(&other, &h, 1, NOW + 4 * second)->text, idle.text);
	CHECK_STR(headline_hold(&other, &h, 1, NOW + 5 * second)->text, h.text);
	/* Worse is told at once, better is not; nor is anything kept of another target. */
	const struct headline bad = {.level = LEVEL_BAD, .key = 'a', .text = "bad"};
	const uint64_t end = NOW + 61 * second;
	CHECK_STR(headline_hold(&shown, &bad, 1, end)->text, "bad");
	CHECK_STR(headline_hold(&shown, &h, 1, end + second)->text, "bad");
	CHECK_STR(headline_hold(&shown, &h, 2, end + second)->text, h.text);
	/* A figure that goes to and fro about a limit is told as one that changes alone, unless it gets worse. */
	const struct headline slow = {.level = LEVEL_BAD, .key = 'a', .text = "the tail takes 10.2ms"},
			      eased = {.level = LEVEL_ATTENTION, .key = 'a', .text = "the tail takes 9.8ms"};
	struct headline_shown tail = {0};
	CHECK_INT(headline_hold(&tail, &slow, 1, NOW)->level, LEVEL_BAD);
	CHECK_INT(headline_hold(&tail, &eased, 1, NOW + 19 * second)->level, LEVEL_BAD);
	CHECK_INT(headline_hold(&tail, &eased, 1, NOW + 20 * second)->level, LEVEL_ATTENTION);
	CHECK_INT(headline_hold(&tail, &slow, 1, NOW + 21 * second)->level, LEVEL_BAD);
	/* So is a state, when it begins and when it ends. */
	const struct headline paused = {.level = LEVEL_NONE, .state = true, .text = "paused"};
	CHECK_STR(headline_hold(&shown, &paused, 2, end + 2 * second)->text, "paused");
	CHECK_STR(headline_hold(&shown, &h, 2, end + 3 * second)->text, h.text);
}

/* No figure without a level, and none that is better than one below it. */
TEST(test_limits)
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
