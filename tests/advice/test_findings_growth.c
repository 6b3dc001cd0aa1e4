/*
 * test_findings_growth.c - the rules of memory that grows: a heap with its cycles, a heap without them, and what is
 * outside of the heap.
 */
#include "advice/headline.h"
#include "advice/world.h"

TEST(test_growth)
{
	for (int how = 0; how < 3; how++) {
		struct world_stop slow = well;
		slow.every_ns = 200 * WORLD_MS;
		struct world *w = sampled_world(1, 0);
		for (unsigned i = 0; i < 80; i++) {
			world_run(w, &slow, 5);
			/* evenly, not at all, up and down */
			uint64_t live = 10 * MIB + (how == 0 ? i * MIB / 8 : how == 1 ? 0 : i % 7 * MIB);
			cycle(w, 0, 2 * live, live, 0, 0);
		}
		const struct advice_finding *f = finding(w, "heap_growth");
		CHECK((f != NULL) == (how == 0));
		if (f != NULL) {
			CHECK_NEAR(f->figures[0].value, (double)MIB / 5, 5000);
			CHECK(strstr(f->remedy, "memtrace") != NULL && f->lasting);
		}
	}
}

/* Cycles of a heap whose live words at a time are `live`: one when it has grown by half, and one a second
 * while it does not grow. */
static void fast_cycles(struct world *w, double seconds, double (*live)(double s))
{
	double last = live(0) / 2, since = 0;

	for (double s = 0; s < seconds; s += 0.1, since += 0.1) {
		double now = live(s);
		world_run(w, &well, 0.1);
		if (now < last * 1.5 && (now > last || since < 1))
			continue;
		cycle(w, 0, (uint64_t)(now * 1.5), (uint64_t)now, 0, 0);
		last = now;
		since = 0;
	}
}

/* Words, by seconds: a leak of 8 MB a second; the same, until all is loaded; a
 * heap that goes up and down. */
static double leaks(double s)
{
	return 3e5 + 1e6 * s;
}

static double loads(double s)
{
	return leaks(s < 3 ? s : 3);
}

/* It fills up to what o allows, ever more slowly: as a program with o=500 did. */
static double fills(double s)
{
	return 3e5 + 1e7 * (1 - exp(-s / 12));
}

static double breathes(double s)
{
	return leaks(5) * (1 + 0.8 * sin(s * 2));
}

/* Fast growth shows within ten seconds, says what else it may be, and goes soon after the growth. */
TEST(test_growth_fast)
{
	double (*const how[])(double) = {leaks, loads, fills, breathes};

	for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct world *w = sampled_world(1, 0);
		fast_cycles(w, 10, how[i]);
		const struct advice_finding *f = finding(w, "heap_growth");
		CHECK((f != NULL) == (how[i] == leaks));
		if (f != NULL) {
			CHECK_NEAR(f->figures[0].value, 8e6, 4e5);
			CHECK(f->severity == ADVICE_HINT && !f->lasting && f->grows);
			CHECK(strstr(f->text, "or data that it still loads") != NULL);
			world_run(w, &well, 30);
			CHECK(finding(w, "heap_growth") == NULL);
		}
	}
}

/* Cycles every ten seconds that each leave more, or one of which does not; and a program that has ended within a minute. */
TEST(test_growth_midway)
{
	enum { GROWS, ONCE_LESS, ENDED, KILLED, CASES };
	for (int how = 0; how < CASES; how++) {
		struct world *w = world_begin(1, 0, how >= ENDED);
		be_sampled(w);
		for (unsigned i = 0; i < 5; i++) {
			uint64_t live = (20 + i * 2) * MIB - (how == ONCE_LESS && i == 3 ? 5 * MIB : 0);
			cycle(w, 0, 2 * live, live, 0, 0);
			world_run(w, &well, 10);
		}
		const struct advice_finding *f = finding(w, "heap_growth");
		CHECK_INT(f != NULL && f->lasting, how != ONCE_LESS);
		if (how < ENDED)
			continue;
		if (how == ENDED)
			life(&w->feed, 0, w->now, RTEV_LIFECYCLE_RING_STOP, 0);
		else
			advice_ended(w->advice);
		model_finish(w->feed.m);
		advice_finish(w->advice, w->now);
		CHECK(finding(w, "heap_growth") == NULL);
	}
}

/* A report ends between two cycles, which become rarer as the heap grows: that there was none for a while is
 * no sign that the growth has ended. */
TEST(test_growth_at_end)
{
	for (int gone = 0; gone < 2; gone++) {
		double at = 0.4;
		struct world *w = world_begin(1, 0, true);
		be_sampled(w);
		while (at < 8.7) {
			world_run(w, &well, at / 3);
			at *= 4.0 / 3;
			cycle(w, 0, (uint64_t)(at * 1.2e6), (uint64_t)(at * 1e6), 0, 0);
		}
		/* The next cycle is due in 2.9 s. */
		world_run(w, &well, gone ? 30 : 2.8);
		advice_finish(w->advice, w->now);
		CHECK((finding(w, "heap_growth") != NULL) == !gone);
	}
}

/* Of 500 MB resident most are pages of files, or few are. */
TEST(test_resident_files)
{
	for (int sick = 0; sick < 2; sick++) {
		struct world *w = sampled_world(1, 0);
		w->unknown = 0;
		w->values[SYSTEM_RESIDENT] = 500 * MIB;
		w->values[SYSTEM_ANON] = sick ? 400 * MIB : 90 * MIB;
		world_run(w, &well, 5);
		cycle(w, 0, 4 * MIB, 3 * MIB, 0, 0);
		world_run(w, &well, 5);
		if (sick)
			CHECK_NEAR(first(w, "resident_above_heap")->bytes, (400 - 32 - 2) * (double)MIB, 2e6);
		else
			nothing(w);
	}
}

TEST(test_resident)
{
	for (int sick = 0; sick < 2; sick++) {
		struct world *w = sampled_world(1, 0);
		w->values[SYSTEM_RESIDENT] = sick ? 500 * MIB : 70 * MIB;
		world_run(w, &well, 5);
		cycle(w, 0, 4 * MIB, 3 * MIB, 0, 0);
		world_run(w, &well, 5);
		if (sick)
			CHECK_NEAR(
			    first(w, "resident_above_heap")->bytes, (500 - 32 - 2.5) * (double)MIB, 2e6);
		else
			nothing(w);
	}
}

/* The heap of the last slice is that of then: what the process holds now may be its heap.  Neither is a size of before the
 * window compared, nor that of a moment with what is resident later. */
TEST(test_resident_then)
{
	enum { OLD, LATER, CASES };
	for (int how = 0; how < CASES; how++) {
		struct world *w = sampled_world(1, 0);
		world_run(w, &well, 5);
		cycle(w, 0, 4 * MIB, 3 * MIB, 0, 0);
		world_run(w, &well, 1.5);
		w->values[SYSTEM_RESIDENT] = 500 * MIB;
		world_run(w, &well, how == OLD ? 70 : 5);
		CHECK(finding(w, "resident_above_heap") == NULL);
		CHECK_INT(
		    strstr(left_out(w, "resident_above_heap"), "within the window") != NULL, how == OLD);
	}
}

/* Memory has a heap of so many bytes. */
static void heap_of(struct world *w, double bytes)
{
	const struct model_look look = {.heap = {bytes / 8, bytes / 8, bytes / 8, 0, 0}};

	model_look(w->feed.m, w->now, &look);
}

/* A program unmarshals for 14 s: the heap grows, no event comes after the last cycle.  And what looks like it. */
TEST(test_no_cycle)
{
	/* LATE: it had 2 GB before it was looked at. */
	enum { UNMARSHALS, LATE, BRIEF, SMALL, AT_ONCE, LARGE, CYCLES, SLICES, SOON, LOSES, CASES };
	for (int how = 0; how < CASES; how++) {
		struct world *w = world_begin(1, 0, false);
		const double first = how == LARGE || how == LATE ? 2e9 : 30e6,
			     step = how == SMALL ? 3e6 : 200e6;
		world_run(w, &well, 0.5);
		if (how != LATE)
			cycle(w, 0, (uint64_t)first / 8, (uint64_t)first / 8, 0, 0);
		for (unsigned i = 0; i < (how == SOON ? 4 : how == BRIEF ? 9 : 14); i++) {
			heap_of(w, first + (how == AT_ONCE ? (i > 8 ? 2e9 : 0) : step * i));
			if (how == CYCLES && i % 4 == 3)
				cycle(w, 0, (uint64_t)first / 8, (uint64_t)first / 8, 0, 0);
			if (how == SLICES)
				span(&w->feed, 0, w->now, w->now + 1000, RTEV_PHASE_MAJOR_SLICE);
			if (how == LOSES && i == 9)
				lost(&w->feed, 0, 100, 0);
			for (unsigned k = 0; k < 10; k++)
				world_pass(w, 100 * WORLD_MS);
		}
		const struct advice_finding *f = finding(w, "heap_no_cycle");
		CHECK_INT(f != NULL, how <= BRIEF);
		if (f == NULL)
			continue;
		CHECK_INT(f->lasting, how != BRIEF);
		/* What grows may be at its start, and is not called well. */
		const struct headline_target target = {
		    .advice = w->advice, .model = w->feed.m, .now = w->now, .over = "ended"};
		struct headline h;
		headline_read(&target, &h);
		CHECK(strstr(h.text, "heap grew by") != NULL);
		CHECK_INT(headline_verdict(&h), how == BRIEF ? -1 : 1);
		if (how == BRIEF)
			continue;
		CHECK_STR(f->text,
		    "The heap grew by 2.60GB in 13s and nothing asked for a collection (Marshal "
		    "asks for none for what it reads)");
		CHECK(strstr(f->remedy, "Gc.major") != NULL);
		CHECK_NEAR(f->bytes, 2.6e9, 1e6);
	}
}

/* Domains that live for a millisecond, beside a heap that grows without a cycle; with cycles; one that grows, and then
 * stands. */
TEST(test_no_cycle_of_domains)
{
	enum { GROWS, BEGAN, CYCLES, STANDS, CASES };
	static const char *const since[CASES] = {"", " for 18s"};
	for (int how = 0; how < CASES; how++) {
		char says[256];
		struct world *w = world_begin(2, 0, false);
		for (unsigned i = 0; i < 24; i++) {
			heap_of(w, 30e6 + 20e6 * (how == STANDS && i > 4 ? 4 : i));
			if ((how == CYCLES && i % 6 == 5) || (how == BEGAN && i == 5))
				cycle(w, 0, (2 + i) * MIB, (2 + i) * MIB, 0, 0);
			for (unsigned k = 0; k < 20; k++) {
				world_domain_lives(w, WORLD_MS);
				world_pass(w, 47 * WORLD_MS);
			}
		}
		const struct advice_finding *f = finding(w, "heap_no_cycle");
		CHECK_INT(f != NULL, how == GROWS || how == BEGAN);
		if (f == NULL)
			continue;
		snprintf(says, sizeof(says),
		    "The heap grew to 490MB and no major cycle has ended%s: domains that live for "
		    "milliseconds end before they do their share of it",
		    since[how]);
		CHECK_STR(f->text, says);
		CHECK(strstr(f->remedy, "pool") != NULL);
	}
}
