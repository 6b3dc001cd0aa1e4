/*
 * test_findings_blame.c - whom a finding blames, on a machine that has other work, too: idle domains, a late
 * domain, the kernel, or the reader of the rings.
 */
#include "advice/headline.h"
#include "advice/world.h"

/* One busy domain, and two idle ones that come 8 ms late every 20 ms: that is what it costs, whatever made
 * them late.  If the kernel can have been the reason, that is told instead. */
TEST(test_idle_by_load)
{
	for (int loaded = 0; loaded < 2; loaded++) {
		struct world_stop s = well;
		struct world *w = sampled_world(3, 2);
		w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND;
		/* three threads: each waited as long as the stops took, or hardly */
		w->values[SYSTEM_WAIT] = loaded ? 3 * 400 * WORLD_MS : 300 * WORLD_MS;
		w->values[SYSTEM_MACHINE_RUN] = loaded ? 4 * WORLD_SECOND : WORLD_SECOND;
		s.idle_late_ns = 8 * WORLD_MS;
		world_run(w, &s, 12);
		const struct advice_finding *f = first(w, loaded ? "starved" : "idle_domains");
		CHECK_INT(f->severity, ADVICE_SERIOUS);
		CHECK(loaded ? finding(w, "idle_domains") == NULL : fabs(f->share - 0.4) < 0.05);
	}
}

/* A domain comes late far more often than can be kept one by one. */
TEST(test_late_often)
{
	struct world_stop late = well;

	late.late_ns = 5 * WORLD_MS;
	struct world *w = world_begin(2, 0, true);
	for (int i = 0; i < 2000; i++) {
		world_stop(w, &well);
		world_pass(w, 10 * WORLD_MS);
		world_stop(w, &well);
		world_pass(w, 10 * WORLD_MS);
		world_stop(w, &late);
		world_pass(w, 10 * WORLD_MS);
	}
	const struct advice_finding *f = finding(w, "late_domain");
	CHECK(f != NULL);
	CHECK_NEAR(f->figures[0].value, 2000, 40);
	/* Of those that are not kept no more is known than that they were late. */
	CHECK(strstr(f->text, "came at least 1.00ms late to ") != NULL);
	CHECK_NEAR(f->seconds, 2000 * 0.005, 0.2);
}

/* The median grows from 0.1 to 0.4 ms, and the first stop is a late one.  Late is what is later than a millisecond: an
 * independent count has the same number, and their sum. */
TEST(test_late_count)
{
	enum { STOPS = 900 };
	struct world_stop s = well;
	uint64_t lateness, sum = 0;
	unsigned late = 0;

	struct world *w = world_begin(2, 0, true);
	for (unsigned i = 0; i < STOPS; i++) {
		s.late_ns = i < 300 ? 100000 : 400000;
		if (i % 9 == 0)
			s.late_ns = (i % 2 == 0 ? 3 : 5) * WORLD_MS + i * 100;
		lateness = s.late_ns + 1000;
		late += lateness > WORLD_MS;
		sum += lateness > WORLD_MS ? lateness : 0;
		world_stop(w, &s);
		world_pass(w, 8 * WORLD_MS);
	}
	advice_finish(w->advice, w->now);
	const struct advice_finding *f = finding(w, "late_domain");
	CHECK(f != NULL && late > 20);
	CHECK_NEAR(f->figures[0].value, late, 0.5);
	CHECK_NEAR(f->figures[2].value, (double)sum / late / 1e9, 1e-9);
	CHECK(strstr(f->text, "came at least 3.00ms late to ") != NULL);
}

/* One of three domains is late to this share of the stops; at each time another one.  It is what the others wait for, and no
 * small minor heap, no idle domain: also where it is late to all of them. */
TEST(test_late_always)
{
	for (unsigned turn = 0; turn < 3; turn++)
		for (unsigned of = 1; of <= 4; of++) {
			struct world_stop late = well, in_time = well;
			late.late_ns = 35 * WORLD_MS;
			late.late_alone = 2;
			in_time.late_alone = 2;
			late.minor_ns = in_time.minor_ns = WORLD_MS / 2;
			struct world *w = world_begin(3, 0, false);
			w->turn = turn;
			for (unsigned i = 0; i < 300; i++) {
				world_stop(w, i % of == 0 ? &late : &in_time);
				world_pass(w, 40 * WORLD_MS);
			}
			const struct advice_finding *f = first(w, "late_domain");
			CHECK_INT(f->domain, world_domain(w, 2));
			CHECK_INT(f->severity, ADVICE_SERIOUS);
			/* Two of three wait for it. */
			CHECK_NEAR(f->share, 35.0 * 2 / 3 / 40 / of, 0.03);
			CHECK(finding(w, "minor_heap_small") == NULL && finding(w, "idle_domains") == NULL);
		}
}

/* Threads wait for a processor as long as one of three domains is late.  Its own one does not, while the others come in
 * time: the processors are not why.  They may be if it waits as well, as one that shares its core with another process
 * does, or if it is not known which thread is its own; all may be late alike; and the process may have been stopped. */
TEST(test_late_alone)
{
	enum { IN_TIME, STARVED, NOT_KNOWN, ALIKE, STOPPED, CASES };

	for (int how = 0; how < CASES; how++) {
		struct world_stop late = well;
		late.late_ns = 5 * WORLD_MS;
		struct world *w = sampled_world(3, 0);
		w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND;
		w->values[SYSTEM_WAIT] = WORLD_SECOND * 2;
		w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
		w->sample->threads_known = SYSTEM_KNOWN;
		w->sample->thread_count = 3;
		for (unsigned i = 0; i < 3; i++)
			w->sample->threads[i] = (struct system_thread){.tid = 4243 + (int32_t)i,
			    .runs = how == NOT_KNOWN ? 0 : world_domain(w, i) + 1,
			    .state = how == STOPPED ? 'T' : 'S',
			    .run.known = SYSTEM_KNOWN,
			    .wait.known = SYSTEM_KNOWN};
		for (unsigned i = 0; i < 400; i++) {
			world_stop(w, &well);
			world_pass(w, 10 * WORLD_MS);
			world_stop(w, &well);
			world_pass(w, 10 * WORLD_MS);
			late.late_alone = how != ALIKE ? 2 : 1 + i % 2;
			world_stop(w, &late);
			w->sample->threads[1].wait.value += 20 * WORLD_MS;
			w->sample->threads[2].wait.value += how == STARVED ? 10 * WORLD_MS : WORLD_MS;
			world_pass(w, 10 * WORLD_MS);
		}
		const struct advice_finding *f = finding(w, "late_domain");
		CHECK_INT(f != NULL, how == IN_TIME);
		if (f != NULL) {
			CHECK_INT(f->domain, world_domain(w, 2));
			CHECK_INT(f->severity, ADVICE_HINT);
			CHECK(strstr(f->text, "far more often than the others") != NULL);
			CHECK(strstr(f->remedy, "safepoint") != NULL);
		} else {
			CHECK_STR(left_out(w, "late_domain"),
			    how == STOPPED ? "a signal or a debugger stopped the process meanwhile"
					   : "starved comes first: change that, then look again");
		}
	}
}

/* Four domains on a quota of two cores, throttled for a short time in each period: that they wait for these
 * cores is the quota's doing, though it is longer. */
TEST(test_quota_first)
{
	struct world_stop s = well;

	struct world *w = sampled_world(4, 0);
	w->values[SYSTEM_QUOTA] = w->values[SYSTEM_CORES] = 2000;
	w->values[SYSTEM_PERIODS] = 10;
	w->values[SYSTEM_THROTTLED_PERIODS] = 9;
	w->values[SYSTEM_THROTTLED] = WORLD_SECOND / 5;
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = 2 * WORLD_SECOND;
	w->values[SYSTEM_WAIT] = 2 * WORLD_SECOND;
	s.late_ns = 3 * WORLD_MS;
	world_run(w, &s, 12);
	first(w, "cgroup_throttled");
	CHECK(finding(w, "too_few_cores") == NULL);
	/* Not throttled, they have too few cores. */
	w->values[SYSTEM_THROTTLED_PERIODS] = w->values[SYSTEM_THROTTLED] = 0;
	w->values[SYSTEM_MACHINE_RUN] = 2 * WORLD_SECOND;
	world_run(w, &s, 75);
	first(w, "too_few_cores");
}

/* Others have the cores of one domain, which runs for so much of the time that it wants to: no phase, pause or setting is
 * to blame, but what is known of sizes is told.  It is at rest if it hardly wants to run, and nobody has the cores if
 * they are free. */
TEST(test_starved)
{
	static const struct {
		uint64_t run_ms, wait_ms, machine;
		const char *says; /* NULL: it is not starved */
		enum advice_severity severity;
	} cases[] = {
	    {80, 850, 4, "starved: it ran 8.6% of the time it wanted to; other processes have the 4 cores",
		ADVICE_SERIOUS},
	    {700, 250, 4, "it ran 74%", ADVICE_HINT}, {4, 500, 4, "it ran 0.8%", ADVICE_SERIOUS},
	    {4, 60, 4, NULL, ADVICE_HINT}, {950, 20, 4, NULL, ADVICE_HINT}, {80, 850, 1, NULL, ADVICE_HINT}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world_stop s = well;
		struct world *w = sampled_world(1, 0);
		w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = cases[i].run_ms * WORLD_MS;
		w->values[SYSTEM_WAIT] = cases[i].wait_ms * WORLD_MS;
		w->values[SYSTEM_MACHINE_RUN] = cases[i].machine * WORLD_SECOND;
		w->values[SYSTEM_RESIDENT] = 500 * MIB;
		/* A third of what it is seen to do, and all of that in one phase. */
		s.minor_ns = cases[i].run_ms * WORLD_MS / 150;
		s.inside = RTEV_PHASE_MINOR_REMEMBERED_SET;
		for (int k = 0; k < 12; k++) {
			world_run(w, &s, 1);
			cycle(w, 0, 4 * MIB, 3 * MIB, 0, 0);
		}
		world_run(w, &s, 1);
		const struct advice_finding *f = finding(w, "starved");
		CHECK_INT(f != NULL, cases[i].says != NULL);
		if (f == NULL)
			continue;
		CHECK(first(w, "starved") == f && strstr(f->text, cases[i].says) != NULL);
		CHECK_INT(f->severity, cases[i].severity);
		CHECK(finding(w, "minor_roots") == NULL && summary(w)[0] == '\0');
		CHECK(finding(w, "resident_above_heap") != NULL);
	}
}

/* Threads of one domain wait for a processor for 1.2 s a second in all.  While one of them runs, the others lose nothing by it. */
TEST(test_starved_threads_of_a_domain)
{
	struct world *w = sampled_world(1, 0);

	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = 800 * WORLD_MS;
	w->values[SYSTEM_WAIT] = 1200 * WORLD_MS;
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	world_run(w, &well, 12);
	const struct advice_finding *f = first(w, "starved");
	CHECK(strstr(f->text, "it ran 80% of the time it wanted to") != NULL);
	CHECK_NEAR(f->share, 0.2, 0.01);
	CHECK_INT(f->severity, ADVICE_HINT);
}

/* It waits for so little of the time that this is not told first: then it does not account for much collection either. */
TEST(test_starved_a_little)
{
	struct world_stop s = well;
	struct world *w = sampled_world(1, 0);

	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = 850 * WORLD_MS;
	w->values[SYSTEM_WAIT] = 90 * WORLD_MS;
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	s.minor_ns = 7 * WORLD_MS;
	world_run(w, &s, 12);
	CHECK(first(w, "starved")->share < ADVICE_COSTLY);
	CHECK(strstr(summary(w), "no finding explains it") != NULL);
}

/* A program that hardly runs, and waits for a processor most of what it wants to: a long pause of it is no fault of the collector. */
TEST(test_starved_pause)
{
	struct world *w = world_begin(1, 0, false);
	struct headline h;

	be_sampled(w);
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = 45 * WORLD_MS;
	w->values[SYSTEM_WAIT] = 40 * WORLD_MS;
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	struct world_stop s = well;
	s.minor_ns = WORLD_MS / 10;
	world_run(w, &s, 12);
	headline_of(&(struct headline_facts){.advice = w->advice,
			.cpu = 0.04,
			.longest = "12.5ms",
			.of = {[LIMIT_GC] = 0.002,
			    [LIMIT_PAUSE] = 12.5e6,
			    [LIMIT_LOST] = NAN,
			    [LIMIT_THROTTLED] = NAN,
			    [LIMIT_SWAP] = NAN}},
	    &h);
	CHECK(strstr(h.text, "starved: it ran ") == h.text && headline_verdict(&h) == 1 && h.key == 'a');
}

/* It runs for about half of the time that it wants to, a little more or less in turn: one word is said of that, and another
 * one when it runs for more all the time. */
TEST(test_starved_by_half)
{
	struct world *w = world_begin(1, 0, false);
	unsigned changes = 0;

	be_sampled(w);
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = 450 * WORLD_MS;
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	enum advice_severity before = ADVICE_SERIOUS;
	for (unsigned i = 0; i < 200; i++) {
		/* A window of a minute turns with what enters it. */
		w->values[SYSTEM_WAIT] = (i < 12 || i / 6 % 2 == 0 ? 600 : 300) * WORLD_MS;
		world_run(w, &well, 1);
		if (i < 12)
			continue;
		changes += first(w, "starved")->severity != before;
		before = first(w, "starved")->severity;
	}
	CHECK_INT(changes, 0);
	w->values[SYSTEM_WAIT] = 300 * WORLD_MS;
	world_run(w, &well, 80);
	CHECK_INT(first(w, "starved")->severity, ADVICE_HINT);
}

/* Others use the cores, but what a domain waits for at a barrier is mostly no core: that is no cost of this
 * finding. */
TEST(test_cores_cost)
{
	struct world_stop s = well;

	struct world *w = sampled_world(2, 0);
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND;
	w->values[SYSTEM_WAIT] = WORLD_SECOND / 5;
	s.late_ns = 8 * WORLD_MS;
	world_run(w, &s, 12);
	const struct advice_finding *f = finding(w, "starved");
	CHECK(f != NULL);
	CHECK_NEAR(f->seconds, 0.2 * 11, 0.3);
}

/* Two busy domains and six idle ones on two cores.  That all their threads wait is the idle ones' doing, unless
 * other processes have the most of these cores. */
TEST(test_idle_crowd)
{
	enum { ALONE, SOME_OTHERS, OTHERS, CASES };
	static const uint64_t run[CASES] = {1600 * WORLD_MS, 1000 * WORLD_MS, 500 * WORLD_MS};

	for (int how = 0; how < CASES; how++) {
		struct world_stop s = well;
		struct world *w = sampled_world(8, 6);
		w->values[SYSTEM_CORES] = w->values[SYSTEM_AFFINITY] = 2000;
		w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = run[how];
		w->values[SYSTEM_WAIT] = 4 * WORLD_SECOND;
		w->values[SYSTEM_MACHINE_RUN] = how == ALONE ? 1700 * WORLD_MS : 1900 * WORLD_MS;
		w->values[SYSTEM_LOAD] = 20000; /* over a minute: of what ran before */
		s.late_ns = 3 * WORLD_MS;
		world_run(w, &s, 12);
		CHECK((finding(w, "starved") != NULL) == (how == OTHERS));
		CHECK(finding(w, "too_few_cores") == NULL);
		if (how != OTHERS) {
			const struct advice_finding *f = first(w, "idle_domains");
			CHECK_INT(f->severity, ADVICE_SERIOUS);
			CHECK(strstr(f->text, "6 idle domains") != NULL &&
			      strstr(f->text, "the 2 busy ones wait"));
			CHECK_STR(f->figures[6].name, "cores_wanted_by_idle");
			CHECK_NEAR(f->figures[6].value, how == ALONE ? 3.6 : 3, 0.1);
			/* What the two of eight threads that are busy waited comes to their stops. */
			CHECK_STR(f->figures[4].name, "waited_for_idle");
			CHECK(f->figures[4].value > 10.5 * 4 * 2 / 8);
		} else {
			const struct advice_finding *f = first(w, "starved");
			CHECK(strstr(f->remedy, "End its idle domains") != NULL);
			CHECK_NEAR(f->seconds, 11.5 * 4 * 2 / 8, 0.8); /* the part of two of eight threads */
			CHECK_INT(serious(w->advice), 1);
		}
	}
}

/* A process that makes up the events of four busy domains: it hardly runs, so what its threads do is no
 * evidence about these, though other processes use the cores. */
TEST(test_made_up)
{
	struct world_stop s = well;

	struct world *w = sampled_world(4, 0);
	w->values[SYSTEM_CORES] = w->values[SYSTEM_AFFINITY] = 2000;
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = 10 * WORLD_MS;
	w->values[SYSTEM_WAIT] = 40 * WORLD_MS;
	w->values[SYSTEM_MACHINE_RUN] = 2 * WORLD_SECOND;
	for (int i = 0; i < 36; i++) {
		world_run(w, &well, 0.3);
		s.late_ns = 30 * WORLD_MS;
		world_stop(w, &s);
		world_pass(w, 40 * WORLD_MS);
	}
	CHECK(finding(w, "too_few_cores") == NULL && finding(w, "starved") == NULL);
	CHECK(finding(w, "late_domain") != NULL);
	CHECK(strstr(finding(w, "late_domain")->text, "for an unknown reason") != NULL);
}

/* A recording without the processors' figures: the load of the machine is of its own threads, too. */
TEST(test_own_load)
{
	for (int others = 0; others < 2; others++) {
		struct world *w = sampled_world(2, 0);
		w->unknown = UINT64_C(1) << SYSTEM_MACHINE_RUN;
		w->values[SYSTEM_CORES] = 2000;
		w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND;
		w->values[SYSTEM_WAIT] = WORLD_SECOND;
		w->values[SYSTEM_LOAD] = others ? 4000 : 2400;
		world_run(w, &well, 12);
		CHECK((finding(w, "starved") != NULL) == others);
	}
}

/* Two domains with a minor heap of the default size that hardly promote: what their stops take on a loaded
 * machine is not serious. */
TEST(test_minor_by_load)
{
	for (int loaded = 0; loaded < 2; loaded++) {
		struct world_stop s = well;
		s.every_ns = 4 * WORLD_MS;
		s.minor_ns = WORLD_MS;
		s.promoted = 16384;
		struct world *w = sampled_world(2, 0);
		w->values[SYSTEM_MACHINE_RUN] = (loaded ? 4 : 2) * WORLD_SECOND;
		world_run(w, &s, 12);
		CHECK_INT(first(w, "minor_heap_small")->severity, loaded ? ADVICE_HINT : ADVICE_SERIOUS);
	}
	/* What promotes much is serious on any machine. */
	struct world_stop s = well;
	s.every_ns = 4 * WORLD_MS;
	s.minor_ns = WORLD_MS;
	s.promoted = MIB / 2;
	struct world *w = sampled_world(2, 0);
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	world_run(w, &s, 12);
	CHECK_INT(first(w, "minor_heap_small")->severity, ADVICE_SERIOUS);
}

/* What idle domains delay is told once. */
TEST(test_idle_late)
{
	struct world_stop s = well;

	struct world *w = world_begin(3, 2, false);
	world_run(w, &s, 3);
	for (int i = 0; i < 300; i++) {
		s.idle_late_ns = i % 3 == 0 ? 8 * WORLD_MS : 0;
		world_stop(w, &s);
		world_pass(w, s.every_ns);
	}
	CHECK(finding(w, "late_domain") == NULL);
}

/* A domain that waits in nearly all stops, and now and then computes for so long that it comes late: it isn't for want of
 * work that the other one waits. */
TEST(test_idle_and_late)
{
	struct world_stop s = well;

	struct world *w = world_begin(2, 1, false);
	for (int i = 0; i < 600; i++) {
		bool awake = i % 20 == 19;
		w->idle = !awake;
		s.late_ns = awake ? 100 * WORLD_MS : 0;
		world_stop(w, &s);
		world_pass(w, s.every_ns + s.late_ns);
	}
	CHECK(finding(w, "idle_domains") == NULL);
	const struct advice_finding *f = finding(w, "late_domain");
	CHECK(f != NULL && f->domain == world_domain(w, 1));
	CHECK_NEAR(f->share, 0.2, 0.05);
}

/* Losses while rtevtop waited for a processor for longer than the ring holds half of: the ring is not to
 * blame.  Nor is the machine if the ring holds 10 ms, or if rtevtop hardly waited. */
TEST(test_losses_of_reader)
{
	enum { STARVED, SHORT_RING, IN_TIME, CASES };

	for (int how = 0; how < CASES; how++) {
		struct world *w = world_begin(1, 0, true);
		be_sampled(w);
		w->values[SYSTEM_READER_WAIT] = how == IN_TIME ? WORLD_MS : 700 * WORLD_MS;
		for (int i = 0; i < 80; i++) {
			world_run(w, &well, 1);
			/* the ring, of 65536 words, holds 0.6 s or 10 ms */
			lost(&w->feed, 0, how == SHORT_RING ? 6500000 : 100000, 0);
		}
		world_pass(w, WORLD_SECOND);
		const struct advice_finding *f = first(w, "ring_losses");
		CHECK_STR(f->setting, how == IN_TIME ? "e=18" : "");
		CHECK_INT(f->severity, how == STARVED ? ADVICE_HINT : ADVICE_SERIOUS);
		CHECK((strstr(f->remedy, "waited for a processor for ") != NULL) == (how == STARVED));
		/* Nearly all was lost. */
		if (how == SHORT_RING)
			CHECK(strstr(f->text, "100% of the events") != NULL);
	}
}

/* What was lost between the start of the program and the third second is noticed in the third: the window
 * begins in between, and of the rest that was seen no rate can be told. */
TEST(test_losses_over_the_start)
{
	struct world_stop often = well;

	often.every_ns = 2 * WORLD_MS;
	often.allocated = MIB / 4;
	struct world *w = world_begin(1, 0, true);
	life(&w->feed, 0, w->now, RTEV_LIFECYCLE_RING_START, 42);
	world_run(w, &well, 1);
	w->now += 2 * WORLD_SECOND;
	lost(&w->feed, 0, 2000000, 0);
	world_run(w, &often, 4);
	first(w, "ring_losses");
	CHECK_STR(left_out(w, "minor_heap_small"), "too many events were lost");

	/* The reader had no processor from the first second on: the samples on both sides of that are around
	 * the begin of the window. */
	w = world_begin(1, 0, true);
	be_sampled(w);
	w->values[SYSTEM_READER_WAIT] = 900 * WORLD_MS;
	life(&w->feed, 0, w->now, RTEV_LIFECYCLE_RING_START, 42);
	world_run(w, &well, 1.5);
	w->now += 20 * WORLD_SECOND;
	lost(&w->feed, 0, 200000, 0);
	world_pass(w, WORLD_MS);
	w->values[SYSTEM_READER_WAIT] = 0;
	world_run(w, &well, 4);
	CHECK(strstr(first(w, "ring_losses")->remedy, "waited for a processor for ") != NULL);

	/* All of it before the window is none of its losses. */
	w = world_begin(1, 0, true);
	life(&w->feed, 0, w->now, RTEV_LIFECYCLE_RING_START, 42);
	world_run(w, &well, 0.5);
	lost(&w->feed, 0, 2000000, 0);
	world_run(w, &well, 4);
	CHECK(finding(w, "ring_losses") == NULL);
}

/* Eight domains write to a ring of their own each, that is written over once in four seconds. */
TEST(test_flood_of_all)
{
	const struct rtev_user_event chatty = user_event(1, "chatty");

	struct world *w = world_begin(8, 0, false);
	for (int i = 0; i < 6000; i++) {
		for (unsigned d = 0; d < 8; d++)
			for (int k = 0; k < 8; k++)
				user_span(&w->feed, d, w->now + (uint64_t)k, &chatty, k % 2 == 0);
		world_pass(w, WORLD_MS);
	}
	CHECK(finding(w, "ring_flood") == NULL);
}

/* Eight domains, of which six are in Condition.wait at every other stop.  What their backup threads then spend in
 * the stop keeps nobody from working: all is well with the minor heap.  It is too small if another thread of them
 * runs meanwhile, or if they do not wait. */
TEST(test_stops_while_blocked)
{
	enum { BLOCKED, OTHERS_RUN, NO_WAIT };
	for (int how = BLOCKED; how <= NO_WAIT; how++) {
		struct world *w = world_begin(8, 0, false);
		struct world_stop s = well;
		s.every_ns = 10 * WORLD_MS;
		s.minor_ns = WORLD_MS * 3 / 2;
		s.late_alone = 1;
		for (unsigned i = 0; i < 3000; i++) {
			bool late = i % 2 == 0;
			unsigned waits_from = late && how != NO_WAIT ? 2 : 8;
			w->idle = late && how == BLOCKED ? 6 : 0;
			s.late_ns = late ? WORLD_MS / 2 : 0;
			for (unsigned d = waits_from; d < 8; d++)
				begin(&w->feed, world_domain(w, d), w->now, WAIT);
			world_stop(w, &s);
			for (unsigned d = waits_from; d < 8; d++)
				end(&w->feed, world_domain(w, d), w->now + 9 * WORLD_MS, WAIT);
			world_pass(w, s.every_ns);
		}
		CHECK_INT(finding(w, "minor_heap_small") != NULL, how != BLOCKED);
	}
}
