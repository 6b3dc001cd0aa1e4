/*
 * test_advice.c - the findings that need events alone: of each a program that has the sickness, and one that
 * has not; and how findings come, stay and go.
 */
#include "advice/world.h"
#include "figures/figures.h"
#include "advice/findings/findings.h"

enum {
#define RULE_COUNTED(name) +1
	RULES = 0 FINDINGS(RULE_COUNTED)
#undef RULE_COUNTED
};

/* A program that fills its minor heap every 2 ms and copies half of it: sick when the heap is small. */
static const struct world_stop small = {.every_ns = 2 * WORLD_MS,
    .minor_ns = 400000,
    .allocated = MIB / 4,
    .promoted = MIB / 16,
    .inside = RTEV_PHASE_MINOR};

TEST(test_minor_heap)
{
	struct world *w = world_begin(1, 0, false);
	world_run(w, &small, 10);
	const struct advice_finding *f = first(w, "minor_heap_small");
	CHECK_INT(f->severity, ADVICE_SERIOUS);
	CHECK_NEAR(f->share, 0.2, 0.01);
	/* 32k words, 0.4 ms a collection: times 16 takes 6.4 ms at most. */
	CHECK_STR(f->setting, "s=512k");
	CHECK_NEAR(f->gain, 0.2 * 0.8 * 15 / 16, 0.01);
	CHECK(strstr(f->remedy, "3.93MB") != NULL);

	w = world_begin(1, 0, false);
	world_run(w, &well, 10);
	nothing(w);
}

/*
 * Collections that mostly copy, some of them before the minor heap is full: what they promote is as much for
 * each of them, so that it was young, or goes by what was allocated, so that it lives long and a larger minor
 * heap saves no copying.
 */
TEST(test_minor_heap_young)
{
	enum { YOUNG, LONG_LIVED, ALL_ALIKE, CASES };

	for (int how = 0; how < CASES; how++) {
		struct world_stop s = small;
		s.inside = RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE;
		struct world *w = world_begin(1, 0, false);
		for (int i = 0; i < 5000; i++) {
			s.allocated = how != ALL_ALIKE && i % 4 == 0 ? small.allocated / 2 : small.allocated;
			s.promoted = how == YOUNG ? small.promoted : s.allocated / 4;
			s.promoted += (uint64_t)(i % 7) * 256; /* it is never quite the same */
			world_stop(w, &s);
			world_pass(w, s.every_ns);
		}
		if (how == YOUNG) {
			const struct advice_finding *f = first(w, "minor_heap_small");
			CHECK_INT(f->severity, ADVICE_SERIOUS);
			CHECK_NEAR(f->gain, 0.2 * 0.8 * 15 / 16, 0.01);
		} else {
			nothing(w);
		}
	}
}

/* Where all survives a larger heap does no good; nor where collections are long already. */
TEST(test_minor_heap_no_use)
{
	struct world_stop s = small;

	s.promoted = s.allocated * 9 / 10;
	struct world *w = world_begin(1, 0, false);
	world_run(w, &s, 10);
	nothing(w);

	s = small;
	s.every_ns = 20 * WORLD_MS;
	s.minor_ns = 7 * WORLD_MS;
	w = world_begin(1, 0, false);
	world_run(w, &s, 10);
	nothing(w);

	/* The heap was not full: something else asked for the collections. */
	w = world_begin(1, 0, false);
	s = small;
	for (int i = 0; i < 1000; i++) {
		s.allocated = i % 4 == 0 ? small.allocated : small.allocated / 3;
		s.promoted = s.allocated / 4;
		world_stop(w, &s);
		world_pass(w, s.every_ns);
	}
	nothing(w);
}

TEST(test_explicit)
{
	struct world *w = world_begin(1, 0, false);
	for (int i = 0; i < 20; i++) {
		world_run(w, &well, 0.5);
		world_explicit(w, RTEV_PHASE_EXPLICIT_GC_STAT, 30 * WORLD_MS);
	}
	const struct advice_finding *f = first(w, "explicit_gc");
	CHECK_INT(f->subject, ADVICE_OF_PHASE);
	CHECK_INT(f->phase, RTEV_PHASE_EXPLICIT_GC_STAT);
	CHECK_NEAR(f->share, 0.6 / 10.6, 0.01);
	CHECK_NEAR(f->seconds, 0.57, 0.035); /* the last call may not be judged yet */
	CHECK_NEAR(f->gain, f->share, 1e-9);
	CHECK(strstr(f->remedy, "quick_stat") != NULL);

	/* Four domains stand still for a full_major, but not for a slice. */
	const rtev_phase phases[] = {RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR, RTEV_PHASE_EXPLICIT_GC_MAJOR_SLICE};
	double costs[2];
	for (int k = 0; k < 2; k++) {
		w = world_begin(4, 0, false);
		for (int i = 0; i < 20; i++) {
			world_run(w, &well, 0.5);
			world_explicit(w, phases[k], 30 * WORLD_MS);
		}
		costs[k] = first(w, "explicit_gc")->seconds;
	}
	CHECK_NEAR(costs[0], 4 * costs[1], 0.01);

	/* Once, and long: it is told while it is a part of the window that counts. */
	w = world_begin(1, 0, false);
	world_run(w, &well, 1);
	world_explicit(w, RTEV_PHASE_EXPLICIT_GC_COMPACT, 200 * WORLD_MS);
	world_run(w, &well, 1);
	f = first(w, "explicit_gc");
	CHECK(strstr(f->text, "one call of Gc.compact took 200ms") != NULL);
	world_run(w, &well, 25);
	nothing(w);
}

/* Of a call at the begin of the window, or of the observation, only what lies in it counts. */
TEST(test_explicit_at_the_begin)
{
	for (int whole = 0; whole < 2; whole++) {
		struct world *w = world_begin(1, 0, whole);
		begin(&w->feed, 0, w->now - 3 * WORLD_SECOND, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR);
		world_pass(w, 4 * WORLD_SECOND);
		end(&w->feed, 0, w->now, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR);
		world_explicit(w, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR, WORLD_SECOND);
		CHECK_NEAR(first(w, "explicit_gc")->seconds, 5, 0.01);
		world_run(w, &well, 57.5);
		CHECK_NEAR(first(w, "explicit_gc")->seconds, whole ? 5 : 2, 0.01);
	}
}

/* Of 5.1 the remedy is another: there is no compaction. */
TEST(test_explicit_by_release)
{
	struct world *w = world_begin(1, 0, false);
	advice_about(w->advice, RTEV_RELEASE_5_1, 0, false);
	for (int i = 0; i < 20; i++) {
		world_run(w, &well, 0.5);
		world_explicit(w, RTEV_PHASE_EXPLICIT_GC_COMPACT, 30 * WORLD_MS);
	}
	CHECK(strstr(first(w, "explicit_gc")->remedy, "before OCaml 5.2") != NULL);
}

/* What it costs is what its stops took, and what the kernel did for it at most. */
TEST(test_churn_cost)
{
	for (int sampled = 0; sampled < 2; sampled++) {
		struct world *w = world_begin(2, 0, false);
		w->sampled = sampled;
		w->values[SYSTEM_CPU_USER] = 50 * WORLD_MS;
		w->values[SYSTEM_CPU_SYSTEM] = 30 * WORLD_MS;
		for (int i = 0; i < 5000; i++)
			world_domain_lives(w, 40000);
		const struct advice_finding *f = first(w, "domain_churn");
		/* 500 a second: 40 us on each of two domains, and 30 ms of the kernel. */
		CHECK_NEAR(f->seconds, 10 * (0.04 + (sampled ? 0.03 : 0)), 0.05);
		CHECK_INT(f->confidence, ADVICE_ESTIMATED); /* a part of the time of all stops */
		CHECK(f->share <= 1);
		if (sampled)
			CHECK_NEAR(f->share, 0.07 / 0.12, 0.05);
	}
}

TEST(test_churn)
{
	struct world *w = world_begin(2, 0, false);
	for (int i = 0; i < 400; i++) {
		world_run(w, &well, 0.02);
		world_domain_lives(w, 2 * WORLD_MS);
	}
	CHECK_NEAR(first(w, "domain_churn")->figures[1].value, 1 / 0.024, 3);

	/* It costs next to nothing. */
	w = world_begin(2, 0, false);
	for (int i = 0; i < 400; i++) {
		world_run(w, &well, 0.02);
		world_domain_lives(w, 1000);
	}
	nothing(w);

	/* Eight at the start. */
	w = world_begin(8, 0, false);
	for (unsigned i = 1; i < 8; i++)
		life(&w->feed, i, w->now, RTEV_LIFECYCLE_DOMAIN_SPAWN, 42);
	world_run(w, &well, 10);
	nothing(w);
}

TEST(test_idle)
{
	struct world_stop s = well;

	s.idle_late_ns = 2 * WORLD_MS;
	struct world *w = world_begin(4, 2, false);
	world_run(w, &s, 10);
	const struct advice_finding *f = first(w, "idle_domains");
	/* Two busy domains wait 2 ms each in every 20 ms. */
	CHECK_NEAR(f->share, 0.1, 0.015); /* who is idle shows after a second */
	CHECK_NEAR(f->figures[0].value, 2, 0);
	CHECK_NEAR(f->figures[3].value, 0.9, 0.1);

	/* They come in time. */
	s.idle_late_ns = 0;
	s.late_ns = 100000;
	w = world_begin(4, 2, false);
	world_run(w, &s, 10);
	nothing(w);
}

TEST(test_losses)
{
	struct world *w = world_begin(1, 0, false);
	for (int i = 0; i < 10; i++) {
		world_run(w, &small, 1);
		lost(&w->feed, 0, 100000, 0);
	}
	const struct advice_finding *f = first(w, "ring_losses");
	CHECK_INT(f->severity, ADVICE_SERIOUS);
	/* A ring of 65536 words, and 100000 lost at once. */
	CHECK_STR(f->setting, "e=18");
	CHECK(isnan(f->share));
	/* Nothing can be told of shares. */
	CHECK(finding(w, "minor_heap_small") == NULL);
	CHECK_STR(left_out(w, "minor_heap_small"), "too many events were lost");

	/* What was lost before the attach is no loss of ours. */
	w = world_begin(1, 0, false);
	world_run(w, &well, 5);
	lost(&w->feed, 0, 100000, 100000);
	world_run(w, &well, 5);
	nothing(w);
}

/* A finding comes once there is enough evidence, stays through a short better time, and goes. */
TEST(test_life)
{
	struct world_stop less = small;

	struct world *w = world_begin(1, 0, false);
	world_run(w, &small, 0.15);
	nothing(w);
	CHECK_STR(left_out(w, "minor_heap_small"), "fewer than 100 minor collections, and less than 10 s");
	world_run(w, &small, 5);
	uint64_t since = first(w, "minor_heap_small")->since;
	CHECK(since > 1000 * WORLD_SECOND && since <= 1002 * WORLD_SECOND);
	/* Over the whole window a little below the condition: it stays, since then. */
	less.minor_ns = 180000;
	world_run(w, &less, 62);
	CHECK_INT(first(w, "minor_heap_small")->since, since);
	less.minor_ns = 100000;
	world_run(w, &less, 62);
	nothing(w);
	/* The weaker condition does not bring it back. */
	less.minor_ns = 180000;
	world_run(w, &less, 62);
	nothing(w);
}

/* What stands at the end goes by the evidence alone, whether or when it was judged before. */
TEST(test_end)
{
	struct world_stop stop = small;

	struct world *w = world_begin(1, 0, true);
	struct advice *at_end =
	    advice_create(&(struct advice_options){.whole = true}, w->feed.m, w->stw, w->past, w->schedulers);
	CHECK(at_end != NULL);
	advice_about(at_end, RTEV_RELEASE_5_3, 65536, false);
	world_run(w, &stop, 3);
	first(w, "minor_heap_small");
	stop.minor_ns = 120000;
	world_run(w, &stop, 9);
	/* Below the condition, but by less than a fifth. */
	first(w, "minor_heap_small");
	advice_finish(w->advice, w->now);
	advice_finish(at_end, w->now);
	size_t count;
	advice_findings(at_end, &count);
	CHECK_INT(count, 0);
	nothing(w);
	advice_destroy(at_end);
}

/* The first seconds of a process are left out. */
TEST(test_warm_up)
{
	struct world *w = world_begin(1, 0, true);
	life(&w->feed, 0, w->now, RTEV_LIFECYCLE_RING_START, 42);
	world_run(w, &small, 1.9);
	model_finish(w->feed.m);
	stw_advance(w->stw, UINT64_MAX);
	advice_finish(w->advice, w->now);
	nothing(w);
	CHECK_STR(left_out(w, "minor_heap_small"), "the start of a program is not judged");
	/* The figures of a report are of them, too: what it says of the longest pause is what it lists. */
	CHECK(advice_seen(w->advice)->longest > 0);
	CHECK_INT(advice_seen(w->advice)->longest, model_pauses(w->feed.m)->max);
	CHECK_NEAR(advice_seen(w->advice)->gc, figure_gc_all(w->feed.m).gc, 1e-9);
}

/* The window of a report is all of it; what the live view judges is the last minute. */
TEST(test_windows)
{
	for (int whole = 0; whole < 2; whole++) {
		struct world *w = world_begin(1, 0, whole);
		world_run(w, &small, 100);
		world_run(w, &well, 70);
		if (whole)
			CHECK_NEAR(first(w, "minor_heap_small")->window_ns, 170e9, 2e9);
		else
			nothing(w);
	}
}

/* An earlier cause makes later rows look sick. */
TEST(test_causes)
{
	struct world *w = world_begin(1, 0, false);
	for (int i = 0; i < 20; i++) {
		world_run(w, &small, 0.25);
		world_explicit(w, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR, 250 * WORLD_MS);
	}
	first(w, "explicit_gc");
	CHECK(finding(w, "minor_heap_small") == NULL);
	CHECK_STR(left_out(w, "minor_heap_small"), "explicit_gc comes first: change that, then look again");

	/* It was judged, and is said to be. */
	size_t count, told = 0;
	const struct advice_left_out *left = advice_left_out(w->advice, &count);
	for (size_t i = 0; i < count; i++) {
		char text[1024];

		if (strcmp(left[i].name, "minor_heap_small") == 0 &&
		    advice_left_out_text(w->advice, i, text, sizeof(text)))
			told += strncmp(text, "found, not shown (explicit_gc", 29) == 0;
	}
	CHECK_INT(told, 1);
}

/* The figures of a target that runs are of the window, of one that is over of all that was observed. */
TEST(test_seen_of_all)
{
	struct world_stop kept = well;

	kept.minor_ns = kept.every_ns;
	struct world *w = world_begin(1, 0, false);
	world_run(w, &kept, 60);
	world_run(w, &well, 70);
	const double all = figure_gc_all(w->feed.m).gc;
	CHECK(advice_seen(w->advice)->gc < all / 4);
	advice_finish(w->advice, w->now);
	CHECK_NEAR(advice_seen(w->advice)->gc, all, 1e-9);
	CHECK_INT(advice_seen(w->advice)->longest, model_pauses(w->feed.m)->max);
}

/* That there is no finding is no health: not before there was time for one, nor where the collector takes half of
 * the time. */
TEST(test_summary)
{
	struct world_stop kept = {.every_ns = 20 * WORLD_MS,
	    .minor_ns = 10 * WORLD_MS,
	    .allocated = 2 * MIB,
	    .promoted = 2 * MIB - MIB / 16,
	    .inside = RTEV_PHASE_MINOR};
	size_t count;

	struct world *w = world_begin(1, 0, false);
	world_run(w, &well, 2.1);
	CHECK_STR(summary(w), "looking: 2s of 10s");
	world_run(w, &well, 9);
	CHECK_STR(summary(w), "nothing found");
	advice_left_out(w->advice, &count);
	CHECK_INT(count, RULES);
	CHECK(strstr(left_out(w, "minor_roots"), "less than 5%") != NULL);

	w = world_begin(1, 0, false);
	world_run(w, &kept, 1.5);
	CHECK_STR(summary(w), "looking: 1s of 10s");
	/* A hundred collections tell how much, whoever reads and whether the program has ended. */
	for (int over = 0; over < 2; over++) {
		if (over == 0)
			world_run(w, &kept, 1);
		else
			advice_finish(w->advice, w->now);
		CHECK_STR(summary(w), "50% of the busy time in GC, most of it minor; "
				      "10s of evidence are needed to say why");
	}
	w = world_begin(1, 0, false);
	world_run(w, &kept, 11);
	nothing(w);
	CHECK_STR(summary(w), "50% of the busy time in GC, most of it minor; no finding explains it");
	CHECK(strstr(left_out(w, "minor_heap_small"), "97% of what is allocated is promoted") != NULL);
	/* Rules that were not judged know nothing: one needs major cycles, others events. */
	struct world_stop slices = well;
	slices.slice_ns = 10 * WORLD_MS;
	w = sampled_world(1, 0);
	world_run(w, &slices, 12);
	CHECK_STR(summary(w),
	    "52% of the busy time in GC, most of it major_slice; too few major cycles ended to say why");
	w = world_begin(1, 0, false);
	world_run(w, &kept, 11.1);
	lost(&w->feed, 0, 100000, 0);
	world_run(w, &kept, 1.1);
	CHECK_STR(summary(w), "50% of the busy time in GC, most of it minor; too many events were lost to "
			      "say why");

	/* With a finding that accounts for it nothing is left open. */
	w = world_begin(1, 0, false);
	world_run(w, &small, 11);
	first(w, "minor_heap_small");
	CHECK_STR(summary(w), "");

	w = world_begin(1, 0, true);
	world_run(w, &well, 3);
	advice_finish(w->advice, w->now);
	CHECK_STR(summary(w), "nothing found in 3.00s; 10s are needed to tell");
}

/* A copy keeps what was found. */
TEST(test_copy)
{
	struct world *w = world_begin(1, 0, false);
	world_run(w, &small, 5);
	struct advice *copy = advice_copy(w->advice);
	CHECK(copy != NULL);
	world_run(w, &well, 70);
	nothing(w);
	size_t count;
	CHECK_STR(advice_findings(copy, &count)->name, "minor_heap_small");
	CHECK_INT(count, 1);
	CHECK_INT(serious(copy), 1);
	advice_destroy(copy);
}

/* How the process is seen to have become another program: its ring begins anew, its file is laid out anew, or
 * the new runtime says that it has begun. */
enum another { ANOTHER_RING, ANOTHER_FILE, ANOTHER_START, ANOTHERS };

static void become_another(struct world *w, enum another how)
{
	world_pass(w, 300 * WORLD_MS);
	if (how == ANOTHER_RING)
		for (unsigned d = 0; d < w->domains; d++)
			CHECK_INT(w->feed.cb.restart(w->feed.m, d), RTEV_CONTINUE);
	else if (how == ANOTHER_FILE)
		model_reattach(w->feed.m);
	else
		life(&w->feed, 0, w->now, RTEV_LIFECYCLE_RING_START, 42);
}

/* After an exec nothing of the old program counts: neither its findings nor its times, in a report or in the
 * live view. */
TEST(test_another_program)
{
	for (int i = 0; i < 2 * ANOTHERS; i++) {
		bool whole = i % 2 != 0;
		struct world *w = world_begin(2, 0, whole);
		world_run(w, &small, 10);
		first(w, "minor_heap_small");
		become_another(w, (enum another)(i / 2));
		world_run(w, &well, 1.1);
		nothing(w);
		world_run(w, &well, 10);
		nothing(w);

		/* The cost and the window belong together. */
		w = world_begin(2, 0, whole);
		world_run(w, &small, 30);
		become_another(w, (enum another)(i / 2));
		uint64_t at = w->now;
		world_run(w, &small, 10);
		const struct advice_finding *f = first(w, "minor_heap_small");
		CHECK(f->since >= at);
		/* It begins after the last event of the old program. */
		CHECK(f->window_ns <= w->now - at + 303 * WORLD_MS);
		CHECK_NEAR(f->share, 0.2, 0.01);
		CHECK_NEAR(f->seconds, 2 * 0.2 * (double)f->window_ns / 1e9, 0.15);
	}
}

/* The rings of a program are restarted one by one: the second does not take away what the first has had
 * since. */
TEST(test_another_ring)
{
	struct world *w = world_begin(2, 0, false);
	world_run(w, &well, 5);
	uint64_t at = w->now;
	CHECK_INT(w->feed.cb.restart(w->feed.m, 0), RTEV_CONTINUE);
	w->domains = 1;
	world_run(w, &small, 5);
	CHECK_INT(w->feed.cb.restart(w->feed.m, 1), RTEV_CONTINUE);
	world_pass(w, 1100 * WORLD_MS);
	CHECK_NEAR(first(w, "minor_heap_small")->window_ns, w->now - at, 1e9);
}

/* What is usual is that of this program; what is late costs as much where it is usual. */
TEST(test_another_lateness)
{
	struct world_stop always = well, late = well;

	always.late_ns = 20 * WORLD_MS;
	always.every_ns = 100 * WORLD_MS;
	late.late_ns = 80 * WORLD_MS;
	struct world *w = world_begin(2, 0, false);
	world_run(w, &always, 60);
	CHECK_NEAR(first(w, "late_domain")->seconds, 12, 1);
	become_another(w, ANOTHER_RING);
	for (int i = 0; i < 10; i++) {
		world_run(w, &well, 0.9);
		world_stop(w, &late);
		world_pass(w, 100 * WORLD_MS);
	}
	CHECK_NEAR(first(w, "late_domain")->seconds, 0.8, 0.1);
	CHECK(first(w, "late_domain")->figures[4].value < 0.001); /* usually late */
}

/* Samples of the old program say nothing of the new one. */
TEST(test_another_samples)
{
	struct world *w = world_begin(1, 0, false);
	w->sampled = true;
	w->values[SYSTEM_CPU_USER] = WORLD_SECOND;
	w->values[SYSTEM_RUN] = WORLD_SECOND;
	w->values[SYSTEM_MAJOR_FAULTS] = 1000;
	w->values[SYSTEM_SWAP] = 200 * MIB;
	w->values[SYSTEM_PRESSURE_MEMORY_FULL] = 100 * WORLD_MS;
	w->sample->pressure_scope = SYSTEM_PRESSURE_OF_GROUP;
	world_run(w, &well, 20.5);
	CHECK(finding(w, "swapping") != NULL);
	become_another(w, ANOTHER_RING);
	w->values[SYSTEM_MAJOR_FAULTS] = 0;
	world_run(w, &well, 7);
	nothing(w);
}

/* A program that sleeps most of the time: what little it does may be all collection, but there is little to
 * be gained. */
TEST(test_mostly_asleep)
{
	struct world_stop rare = small;

	rare.every_ns = 40 * WORLD_MS;
	rare.minor_ns = 200000;
	struct world *w = world_begin(1, 0, false);
	w->sampled = true;
	w->values[SYSTEM_CPU_USER] = 8 * WORLD_MS;
	world_run(w, &rare, 30);
	const struct advice_finding *f = first(w, "minor_heap_small");
	CHECK_NEAR(f->share, 0.62, 0.05);
	CHECK_INT(f->severity, ADVICE_HINT);
	CHECK_INT(serious(w->advice), 0);
}

/* Stamps that make no sense: nothing is found, nothing breaks. */
TEST(test_nonsense)
{
	uint64_t stamps[] = {0, 1, UINT64_MAX, 5, UINT64_MAX - 1, 1u << 31, 7};

	struct world *w = world_begin(1, 0, true);
	for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
		for (unsigned d = 0; d < 4096; d += 1365) {
			begin(&w->feed, d, stamps[i], RTEV_PHASE_STW_LEADER);
			begin(&w->feed, d, stamps[i], ODD);
			counter(&w->feed, d, stamps[i], RTEV_COUNTER_MINOR_ALLOCATED, INT64_MIN);
			counter(&w->feed, d, stamps[i], RTEV_OPAQUE + 77, INT64_MAX);
			end(&w->feed, d, stamps[i], RTEV_PHASE_STW_LEADER);
			lost(&w->feed, d, 3, 1);
			life(&w->feed, d, stamps[i], RTEV_LIFECYCLE_RING_START, -1);
		}
	}
	model_finish(w->feed.m);
	stw_advance(w->stw, UINT64_MAX);
	advice_finish(w->advice, UINT64_MAX);
	advice_advance(w->advice, 0);
}
