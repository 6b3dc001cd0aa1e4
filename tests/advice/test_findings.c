/*
 * test_findings.c - the rules one by one: a program that has the sickness, and one that has not.  Those of
 * the major heap and of memory stand in test_findings_heap.c.
 */
#include "advice/headline.h"
#include "advice/world.h"

TEST(test_paused)
{
	struct world *w = world_begin(1, 0, false);
	for (int i = 0; i < 60; i++) {
		world_run(w, &well, 0.2);
		life(&w->feed, 0, w->now, RTEV_LIFECYCLE_RING_PAUSE, 0);
		world_pass(w, 800 * WORLD_MS);
		model_resume_at(w->feed.m, w->now);
		life(&w->feed, 0, w->now, RTEV_LIFECYCLE_RING_RESUME, 0);
	}
	world_pass(w, 1000);
	const struct advice_finding *f = finding(w, "tracing_paused");
	CHECK(f != NULL);
	CHECK_NEAR(f->figures[0].value, 0.8, 0.05);
	/* However little it does: that most of it was not seen is told first. */
	for (int idle = 0; idle < 2; idle++) {
		struct headline h;
		headline_of(&(struct headline_facts){.advice = w->advice, .cpu = idle ? 0.04 : 0.06}, &h);
		CHECK_STR(h.name, "tracing_paused");
		CHECK_INT(headline_verdict(&h), 0);
	}
	/* Paused for all of the window, it was there all the same: what lacks is none of its start. */
	life(&w->feed, 0, w->now, RTEV_LIFECYCLE_RING_PAUSE, 0);
	for (int i = 0; i < 90; i++)
		world_pass(w, WORLD_SECOND);
	CHECK(finding(w, "tracing_paused") != NULL);
	CHECK(strstr(left_out(w, "late_domain"), "start of a program") == NULL);

	w = world_begin(1, 0, false);
	world_run(w, &well, 10);
	nothing(w);
}

TEST(test_flood)
{
	const struct rtev_user_event chatty = user_event(1, "chatty");
	struct world *w;

	for (int every = 2000; every <= 50000; every += 48000) {
		w = world_begin(1, 0, false);
		for (int s = 0; s < 30; s++) {
			world_run(w, &well, 0.1);
			for (int i = 0; i < 200000000 / every; i++) {
				user_span(&w->feed, 0, w->now, &chatty, true);
				user_span(&w->feed, 0, w->now + 10, &chatty, false);
				w->now += (uint64_t)every;
			}
			world_pass(w, 1000);
		}
		if (every == 2000)
			CHECK(strstr(first(w, "ring_flood")->text, "chatty fills ") != NULL);
		else
			nothing(w);
	}
}

TEST(test_swapping)
{
	struct world *w;

	for (int sick = 0; sick < 2; sick++) {
		w = sampled_world(1, 0);
		w->values[SYSTEM_MAJOR_FAULTS] = sick ? 300 : 2;
		w->values[SYSTEM_SWAP] = 200 * MIB;
		w->values[SYSTEM_PRESSURE_MEMORY_FULL] = 300 * WORLD_MS;
		w->sample->pressure_scope = SYSTEM_PRESSURE_OF_GROUP;
		world_run(w, &well, 12);
		if (sick) {
			const struct advice_finding *f = first(w, "swapping");
			CHECK_NEAR(f->figures[0].value, 300, 5);
			CHECK_NEAR(f->share, 0.3, 0.05);
			CHECK_INT(f->severity, ADVICE_SERIOUS);
		} else {
			nothing(w);
		}
	}
}

/* A program that only reads pages: nobody knows its busy time by its collections, but it stalls a fifth of
 * the time. */
TEST(test_faults_stall)
{
	struct world *w = sampled_world(1, 0);
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = 20 * WORLD_MS;
	w->values[SYSTEM_MAJOR_FAULTS] = 100;
	w->values[SYSTEM_PRESSURE_MEMORY_FULL] = 200 * WORLD_MS;
	w->sample->pressure_scope = SYSTEM_PRESSURE_OF_GROUP;
	for (int i = 0; i < 120; i++)
		world_pass(w, 100 * WORLD_MS);
	const struct advice_finding *f = first(w, "swapping");
	CHECK_NEAR(f->share, 200.0 / 220, 0.01);
	CHECK_NEAR(f->seconds, 0.2 * 11, 0.3);
	CHECK_INT(f->severity, ADVICE_SERIOUS);
}

/* Pages of files, in a group that is at its limit; and a process of which a little was swapped out long
 * ago. */
TEST(test_faults_at_limit)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct world *w = sampled_world(1, 0);
		w->values[SYSTEM_MAJOR_FAULTS] = 300;
		w->values[SYSTEM_MEMORY_LIMIT] = 100 * MIB;
		w->values[SYSTEM_MEMORY_CURRENT] = 99 * MIB;
		w->values[SYSTEM_SWAP] = swapped ? MIB : 0;
		w->sample->pressure_scope = SYSTEM_PRESSURE_OF_MACHINE;
		world_run(w, &well, 12);
		const struct advice_finding *f = first(w, "swapping");
		CHECK_INT(f->severity, ADVICE_HINT);
		CHECK((strstr(f->remedy, "memory limit of 105MB") != NULL) == !swapped);
	}
}

/* Without samples what needs them is left out, and says so. */
TEST(test_no_samples)
{
	static const char *const needy[] = {"swapping", "cgroup_throttled", "too_few_cores",
	    "space_overhead_low", "space_overhead_high", "resident_above_heap"};

	struct world *w = world_begin(1, 0, false);
	world_run(w, &well, 12);
	for (size_t i = 0; i < sizeof(needy) / sizeof(needy[0]); i++)
		CHECK_STR(left_out(w, needy[i]), "no samples of the system");
}

/* Where none was collected in all the time, evidence is not lacking. */
TEST(test_no_collection)
{
	struct world *w = world_begin(1, 0, false);

	world_explicit(w, RTEV_PHASE_MAJOR_SLICE, WORLD_MS);
	for (int i = 0; i < 12; i++)
		world_pass(w, WORLD_SECOND);
	CHECK_STR(left_out(w, "minor_roots"),
	    "less than half of minor collections is scanning, or that costs less than 5%");
}

TEST(test_throttled)
{
	struct world *w;

	for (int sick = 0; sick < 2; sick++) {
		w = sampled_world(4, 0);
		w->values[SYSTEM_QUOTA] = 2000;
		w->values[SYSTEM_PERIODS] = 10;
		w->values[SYSTEM_THROTTLED_PERIODS] = sick ? 6 : 0;
		w->values[SYSTEM_THROTTLED] = sick ? WORLD_SECOND : 0;
		world_run(w, &well, 12);
		if (sick) {
			const struct advice_finding *f = first(w, "cgroup_throttled");
			CHECK_NEAR(f->figures[0].value, 0.6, 0.01);
			CHECK_INT(f->severity, ADVICE_SERIOUS);
			CHECK(strstr(f->remedy, "Use 2 domains") != NULL);
		} else {
			nothing(w);
		}
	}
}

/* Its domains fit, but others use the quota, too. */
TEST(test_throttled_by_others)
{
	struct world *w = sampled_world(1, 0);
	w->values[SYSTEM_QUOTA] = 2000;
	w->values[SYSTEM_PERIODS] = 10;
	w->values[SYSTEM_THROTTLED_PERIODS] = 6;
	w->values[SYSTEM_THROTTLED] = WORLD_SECOND;
	world_run(w, &well, 12);
	const struct advice_finding *f = first(w, "cgroup_throttled");
	CHECK_INT(f->severity, ADVICE_HINT);
	CHECK(strstr(f->remedy, "Raise the quota: it is 2 cores for 1 busy domain,") != NULL);
}

/* Less than a core is too little for any number of domains. */
TEST(test_throttled_below_a_core)
{
	struct world *w = sampled_world(4, 0);
	w->values[SYSTEM_QUOTA] = 600;
	w->values[SYSTEM_PERIODS] = 10;
	w->values[SYSTEM_THROTTLED_PERIODS] = 6;
	w->values[SYSTEM_THROTTLED] = WORLD_SECOND;
	world_run(w, &well, 12);
	const struct advice_finding *f = first(w, "cgroup_throttled");
	CHECK(strstr(f->remedy, "Raise the quota: it is less than a core, for 4 busy domains.") == f->remedy);
}

/* One domain on a fifth of a core stands still for most of its time, and no more than that. */
TEST(test_throttled_alone)
{
	struct world *w = sampled_world(1, 0);
	w->values[SYSTEM_QUOTA] = 200;
	w->values[SYSTEM_PERIODS] = w->values[SYSTEM_THROTTLED_PERIODS] = 10;
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND / 5;
	w->values[SYSTEM_WAIT] = w->values[SYSTEM_THROTTLED] = WORLD_SECOND * 7 / 10;
	world_run(w, &well, 12);
	const struct advice_finding *f = first(w, "cgroup_throttled");
	CHECK_NEAR(f->share, 0.7 / 0.9, 0.05);
	CHECK_NEAR(f->seconds, 0.7 * 12, 0.8);
	CHECK(strstr(f->remedy, "Raise the quota") == f->remedy);
}

TEST(test_cores)
{
	struct world_stop s = well;
	struct world *w;

	s.late_ns = 3 * WORLD_MS;
	for (int sick = 0; sick < 2; sick++) {
		w = sampled_world(6, 0);
		w->values[SYSTEM_CORES] = sick ? 4000 : 8000;
		w->values[SYSTEM_WAIT] = sick ? 2 * WORLD_SECOND : 10 * WORLD_MS;
		world_run(w, sick ? &s : &well, 12);
		if (sick) {
			const struct advice_finding *f = first(w, "too_few_cores");
			CHECK_INT(f->severity, ADVICE_SERIOUS);
			CHECK(strstr(f->text, "6 busy domains share 4 cores") != NULL);
		} else {
			nothing(w);
		}
	}

	/* Others have the cores: that is told, but it is no fault of the program. */
	w = sampled_world(2, 0);
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND * 4 / 3;
	w->values[SYSTEM_WAIT] = WORLD_SECOND * 2 / 3;
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	world_run(w, &well, 12);
	const struct advice_finding *f = first(w, "starved");
	CHECK_INT(f->severity, ADVICE_HINT);
	CHECK(
	    strstr(f->text, "it ran 67% of the time it wanted to; other processes have the 4 cores") != NULL);

	/* The machine has cores to spare: nobody has them. */
	w = sampled_world(2, 0);
	w->values[SYSTEM_WAIT] = WORLD_SECOND;
	w->values[SYSTEM_LOAD] = 6000; /* of its own threads, or of the minute before */
	world_run(w, &well, 12);
	nothing(w);

	/* It has more domains than cores, and yet others have most of the cores. */
	w = sampled_world(6, 0);
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND;
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	w->values[SYSTEM_WAIT] = 4 * WORLD_SECOND;
	world_run(w, &s, 12);
	f = first(w, "starved");
	CHECK_INT(f->severity, ADVICE_SERIOUS);
	CHECK(strstr(f->text, "it ran 20%") != NULL);
	CHECK(strstr(f->remedy, "no more domains than it gets cores") != NULL);

	/* It computes, and nothing is collected meanwhile. */
	w = sampled_world(1, 0);
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND * 3 / 8;
	w->values[SYSTEM_WAIT] = WORLD_SECOND * 5 / 8;
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	for (unsigned i = 0; i < 140; i++)
		world_pass(w, 100 * WORLD_MS);
	CHECK(strstr(first(w, "starved")->text, "it ran 38%") != NULL);

	/* Threads that lived between two samples ran, too: RUN has not seen them. */
	w = sampled_world(2, 0);
	w->values[SYSTEM_RUN] = 100 * WORLD_MS;
	w->values[SYSTEM_WAIT] = 100 * WORLD_MS;
	world_run(w, &well, 12);
	nothing(w);
}

/* A domain that waits for the others to end, and allocates a little between, is not one of those that share the cores. */
TEST(test_cores_of_a_waiting_domain)
{
	struct world_stop s = well;
	struct world *w = sampled_world(7, 0);

	s.late_ns = 3 * WORLD_MS;
	w->turn = 0;
	w->values[SYSTEM_WAIT] = 2 * WORLD_SECOND;
	for (int i = 0; i < 12; i++) {
		const uint64_t from = w->now;
		w->domains = 7;
		world_stop(w, &s);
		world_pass(w, 50 * WORLD_MS);
		begin(&w->feed, 6, w->now, RTEV_PHASE_DOMAIN_CONDITION_WAIT);
		w->domains = 6;
		world_run(w, &s, 0.9);
		end(&w->feed, 6, w->now, RTEV_PHASE_DOMAIN_CONDITION_WAIT);
		world_pass(w, from + WORLD_SECOND - w->now);
	}
	CHECK(strstr(first(w, "too_few_cores")->text, "6 busy domains share 4 cores") != NULL);
}

/* Other processes have the cores, so that all that waits at a barrier waits for a processor: no rule blames
 * the program for it. */
TEST(test_loaded_machine)
{
	static const char *const blamed[] = {
	    "idle_domains", "minor_heap_small", "late_domain", "domain_churn"};

	for (int how = 0; how < 3; how++) {
		struct world_stop s = well;
		struct world *w = sampled_world(how == 1 ? 3 : 4, how == 0 ? 2 : how == 1 ? 2 : 0);
		w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND / 2;
		w->values[SYSTEM_WAIT] = WORLD_SECOND * 3 / 2;
		w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
		s.allocated = MIB / 2;
		s.idle_late_ns = how < 2 ? 4 * WORLD_MS : 0;
		s.late_ns = how == 2 ? 4 * WORLD_MS : 0;
		world_run(w, &s, 12);
		for (size_t i = 0; i < sizeof(blamed) / sizeof(blamed[0]); i++)
			if (finding(w, blamed[i]) != NULL)
				TEST_FAIL("%d: %s: %s", how, blamed[i], finding(w, blamed[i])->text);
		CHECK_INT(first(w, "starved")->severity, ADVICE_SERIOUS);
		CHECK_INT(serious(w->advice), 1);
	}
}

/* What is said of a domain that comes 300 ms late once a second, by how long threads waited for a
 * processor. */
static void check_late(
    uint64_t wait, uint64_t run, uint64_t machine, const char *says, enum advice_severity severity)
{
	struct world_stop late = well;

	late.late_ns = 300 * WORLD_MS;
	struct world *w = sampled_world(2, 0);
	w->values[SYSTEM_WAIT] = wait;
	w->values[SYSTEM_MACHINE_RUN] = machine * WORLD_SECOND;
	w->sample->threads_known = SYSTEM_KNOWN;
	w->sample->thread_count = 1;
	w->sample->threads[0] =
	    (struct system_thread){.tid = 4243, .run.known = SYSTEM_KNOWN, .wait.known = SYSTEM_KNOWN};
	for (int i = 0; i < 12; i++) {
		world_run(w, &well, 0.9);
		world_stop(w, &late);
		w->sample->threads[0].run.value += run;
		world_pass(w, 400 * WORLD_MS);
	}
	const struct advice_finding *f = finding(w, "late_domain");
	CHECK(f != NULL);
	CHECK_INT(f->subject, ADVICE_OF_DOMAIN);
	CHECK_INT(f->domain, world_domain(w, 1));
	CHECK_NEAR(f->share, 0.115, 0.02);
	CHECK_INT(f->severity, severity);
	if (strstr(f->text, says) == NULL)
		TEST_FAIL("\"%s\" is not in: %s", says, f->text);
}

/* Memory tells which thread is the late domain's: that another ran is no evidence against it, and that another waited
 * is no excuse. */
static void check_late_thread(uint64_t own_run, uint64_t own_wait, uint64_t other_run, uint64_t other_wait,
    const char *says, const char *advises)
{
	struct world_stop late = well;

	late.late_ns = 300 * WORLD_MS;
	struct world *w = sampled_world(2, 0);
	w->values[SYSTEM_WAIT] = own_wait + other_wait;
	w->values[SYSTEM_MACHINE_RUN] = 2 * WORLD_SECOND;
	w->sample->threads_known = SYSTEM_KNOWN;
	w->sample->thread_count = 2;
	for (unsigned i = 0; i < 2; i++)
		w->sample->threads[i] = (struct system_thread){.tid = 4243 + (int32_t)i,
		    .runs = world_domain(w, i) + 1,
		    .run.known = SYSTEM_KNOWN,
		    .wait.known = SYSTEM_KNOWN};
	for (int i = 0; i < 12; i++) {
		world_run(w, &well, 0.9);
		world_stop(w, &late);
		w->sample->threads[0].run.value += other_run;
		w->sample->threads[0].wait.value += other_wait;
		w->sample->threads[1].run.value += own_run;
		w->sample->threads[1].wait.value += own_wait;
		world_pass(w, 400 * WORLD_MS);
	}
	const struct advice_finding *f = finding(w, "late_domain");
	CHECK(f != NULL);
	CHECK_INT(f->domain, world_domain(w, 1));
	if (strstr(f->text, says) == NULL || strstr(f->remedy, advises) == NULL)
		TEST_FAIL("\"%s\" and \"%s\" are not in: %s; %s", says, advises, f->text, f->remedy);
}

TEST(test_late_thread)
{
	check_late_thread(800 * WORLD_MS, WORLD_MS, WORLD_SECOND, WORLD_MS, "while it ran", "key C");
	check_late_thread(10 * WORLD_MS, WORLD_MS, WORLD_SECOND, WORLD_MS, "for an unknown reason", "");
	/* Twice of what waited longest would be too much to tell. */
	check_late_thread(800 * WORLD_MS, WORLD_MS, WORLD_SECOND, 60 * WORLD_MS, "while it ran", "key C");
}

TEST(test_late)
{
	struct world_stop even = well;

	check_late(WORLD_MS, WORLD_SECOND, 2, "while it ran", ADVICE_SERIOUS);
	/* The two have less than half of the cores. */
	check_late(160 * WORLD_MS, WORLD_SECOND, 4, "other processes had the processors", ADVICE_HINT);
	/* And nobody has the others. */
	check_late(160 * WORLD_MS, WORLD_SECOND, 2, "for an unknown reason", ADVICE_HINT);
	check_late(100 * WORLD_MS, WORLD_SECOND, 2, "for an unknown reason", ADVICE_HINT);
	/* It slept in a call that keeps the lock, or the thread is not known. */
	check_late(WORLD_MS, 10 * WORLD_MS, 2, "for an unknown reason", ADVICE_HINT);

	/* Always a little late is nothing unusual. */
	even.late_ns = 300000;
	struct world *w = world_begin(2, 0, false);
	world_run(w, &even, 12);
	nothing(w);
}

/* A slice of 5.3 with its kinds of work, on domain 0. */
static void slice(struct world *w, int64_t alloc, int64_t extra, uint64_t ns)
{
	struct feed *f = &w->feed;

	begin(f, 0, w->now, RTEV_PHASE_MAJOR_SLICE);
	counter(f, 0, w->now, RTEV_COUNTER_MAJOR_ALLOCATED_WORK, alloc);
	counter(f, 0, w->now, RTEV_COUNTER_MAJOR_DEPENDENT_WORK, 0);
	counter(f, 0, w->now, RTEV_COUNTER_MAJOR_EXTRA_WORK, extra);
	end(f, 0, w->now + ns, RTEV_PHASE_MAJOR_SLICE);
	world_pass(w, ns);
}

TEST(test_custom)
{
	struct world *w;

	for (int sick = 0; sick < 2; sick++) {
		w = world_begin(1, 0, false);
		for (int i = 0; i < 500; i++) {
			world_stop(w, &well);
			world_pass(w, 15 * WORLD_MS);
			slice(w, 1000, sick ? 9000 : 100, 5 * WORLD_MS);
		}
		if (sick) {
			const struct advice_finding *f = first(w, "custom_memory");
			CHECK_STR(f->setting, "M=250");
			CHECK_NEAR(f->share, 0.25 * 8 / 9, 0.01);
			CHECK_NEAR(f->gain, 0.25 * (1 - 44.0 / 250), 0.01);
			CHECK_INT(f->confidence, ADVICE_ESTIMATED); /* by the kinds of work asked for */
		} else {
			nothing(w);
		}
	}
}

TEST(test_direct)
{
	struct world_stop s = well;
	struct world *w;

	s.slice_ns = 5 * WORLD_MS;
	for (int sick = 0; sick < 2; sick++) {
		w = world_begin(1, 0, false);
		for (int i = 0; i < 500; i++) {
			world_stop(w, &s);
			counter(&w->feed, 0, w->now, RTEV_COUNTER_MAJOR_ALLOCATED_WORDS,
			    (int64_t)s.promoted / 8 + (sick ? 100000 : 10));
			for (int k = 0; k < (sick ? 2 : 0); k++)
				counter(&w->feed, 0, w->now, RTEV_COUNTER_REQUEST_MAJOR_ALLOC_SHR, 1);
			world_pass(w, 20 * WORLD_MS);
		}
		if (sick) {
			const struct advice_finding *f = first(w, "direct_major");
			CHECK_NEAR(f->share, 0.25 * 0.92, 0.02);
			CHECK_INT(f->confidence, ADVICE_ESTIMATED); /* by the words allocated */
			CHECK_NEAR(f->figures[0].value, 100, 5);
		} else {
			nothing(w);
		}
	}
}

TEST(test_roots)
{
	static const struct {
		rtev_phase phase;
		const char *says;
		const char *rule;
	} cases[] = {{RTEV_PHASE_MINOR_LOCAL_ROOTS, "the stacks", "minor_roots"},
	    {RTEV_PHASE_MINOR_REMEMBERED_SET, "old values", "minor_roots"},
	    {RTEV_PHASE_MINOR_FINALIZERS_OLDIFY, "finalisers", "special_values"},
	    {RTEV_PHASE_MINOR_EPHE_CLEAN, "ephemerons", "special_values"},
	    {RTEV_PHASE_MINOR_MEMPROF_ROOTS, "samples", "special_values"},
	    {RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE, NULL, NULL},
	    {RTEV_PHASE_MINOR_LOCAL_ROOTS, "the stacks", "minor_roots"},
	    {RTEV_PHASE_MINOR_REMEMBERED_SET, "old values", "minor_roots"},
	    {RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE, NULL, NULL}};
	struct world_stop s = well;
	struct world *w;

	s.minor_ns = 3 * WORLD_MS;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* The last ones are few and long. */
		if (i == sizeof(cases) / sizeof(cases[0]) - 3) {
			s.every_ns *= 50;
			s.minor_ns *= 50;
		}
		s.inside = cases[i].phase;
		w = world_begin(1, 0, false);
		world_run(w, &s, 12);
		if (cases[i].says != NULL) {
			const struct advice_finding *f = first(w, cases[i].rule);
			CHECK_INT(f->phase, cases[i].phase);
			CHECK_NEAR(f->share, 0.15, 0.01);
			CHECK(strstr(f->text, cases[i].says) != NULL);
		} else {
			/* Copying survivors is what a collection is for. */
			CHECK(finding(w, "minor_roots") == NULL);
		}
	}
}

/* What scans stacks is deep recursion, unless there are hundreds of threads. */
TEST(test_roots_threads)
{
	for (int many = 0; many < 2; many++) {
		struct world_stop s = well;
		s.minor_ns = 3 * WORLD_MS;
		s.inside = RTEV_PHASE_MINOR_LOCAL_ROOTS;
		struct world *w = sampled_world(1, 0);
		w->values[SYSTEM_THREAD_COUNT] = many ? 303 : 10;
		world_run(w, &s, 12);
		const struct advice_finding *f = first(w, "minor_roots");
		CHECK_INT(strstr(f->text, "the stacks of 303 threads") != NULL, many);
		CHECK_INT(strstr(f->remedy, "fewer threads") != NULL, many);
		CHECK_INT(strstr(f->remedy, "tail calls") != NULL, !many);
	}
}

/* A ring that a custom event of 1 KB does not fit into twice: no event comes, and a thread runs all the time.  It may just
 * compute if the ring is larger, or the release from 5.5 on; it waits for something if it hardly runs.  Where the ring says
 * that its writer dropped more than there was, a few seconds are enough, and there is no doubt. */
TEST(test_ring_stuck)
{
	static const struct {
		uint64_t words, run_ms;
		enum rtev_release release;
		bool overrun;
		int seconds;
		bool stuck;
	} cases[] = {{256, 990, RTEV_RELEASE_5_3, false, 12, true},
	    {512, 990, RTEV_RELEASE_5_3, true, 12, false}, {256, 300, RTEV_RELEASE_5_3, true, 12, false},
	    {256, 990, RTEV_RELEASE_5_5, true, 12, false}, {256, 990, RTEV_RELEASE_5_3, false, 3, false},
	    {256, 990, RTEV_RELEASE_5_3, true, 3, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world *w = sampled_world(1, 0);
		advice_about(w->advice, cases[i].release, cases[i].words, cases[i].overrun);
		w->sample->threads_known = SYSTEM_KNOWN;
		w->sample->thread_count = 1;
		w->sample->threads[0] = (struct system_thread){
		    .tid = 4243, .runs = 1, .run.known = SYSTEM_KNOWN, .wait.known = SYSTEM_KNOWN};
		world_run(w, &well, 2);
		for (int k = 0; k < cases[i].seconds; k++) {
			w->sample->threads[0].run.value += cases[i].run_ms * WORLD_MS;
			world_pass(w, WORLD_SECOND);
		}
		const struct advice_finding *f = finding(w, "ring_stuck");
		CHECK_INT(f != NULL, cases[i].stuck);
		if (f != NULL) {
			CHECK_STR(f->setting, "e=16");
			CHECK_INT(f->severity, cases[i].overrun ? ADVICE_SERIOUS : ADVICE_HINT);
			world_run(w, &well, 5);
			CHECK(finding(w, "ring_stuck") == NULL);
		}
	}
}

TEST(test_tail)
{
	const struct rtev_user_event request = user_event(1, "request");

	enum { HEALTHY, SICK, STARVED, CASES };
	for (int kind = 0; kind < CASES; kind++) {
		struct world *w = sampled_world(1, 0);
		/* A collection takes longer, too, if its thread has no processor. */
		w->values[SYSTEM_WAIT] = kind == STARVED ? WORLD_SECOND / 10 : WORLD_MS;
		w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
		for (int i = 0; i < 6000; i++) {
			user_span(&w->feed, 0, w->now, &request, true);
			world_pass(w, WORLD_MS);
			bool slow = i % 200 == 77;
			if (slow && kind != HEALTHY) {
				begin(&w->feed, 0, w->now, RTEV_PHASE_MAJOR_SLICE);
				world_pass(w, 30 * WORLD_MS);
				end(&w->feed, 0, w->now, RTEV_PHASE_MAJOR_SLICE);
			} else if (slow) {
				world_pass(w, 30 * WORLD_MS);
			}
			user_span(&w->feed, 0, w->now, &request, false);
			world_pass(w, WORLD_MS);
		}
		if (kind == SICK) {
			const struct advice_finding *f = first(w, "user_span_tail");
			CHECK_INT(f->subject, ADVICE_OF_USER);
			CHECK_STR(f->user, "request");
			CHECK_NEAR(f->figures[1].value, 30.0 / 31, 0.01);
			CHECK_NEAR(f->figures[2].value, 0, 0.01);
			CHECK_INT(f->severity, ADVICE_SERIOUS);
		} else if (kind == STARVED) {
			CHECK_INT(first(w, "starved")->severity, ADVICE_HINT);
			CHECK(finding(w, "user_span_tail") == NULL);
		} else {
			nothing(w);
		}
	}
}

/* A request, in a slow one of which the collector works for `gc` of 31 ms. */
static void requests(struct world *w, const struct rtev_user_event *request, int count, uint64_t gc)
{
	for (int i = 0; i < count; i++) {
		user_span(&w->feed, 0, w->now, request, true);
		world_pass(w, WORLD_MS);
		if (i % 100 == 3)
			world_stop(w, &well);
		if (i % 200 == 77) {
			span(&w->feed, 0, w->now, w->now + gc, RTEV_PHASE_MAJOR_SLICE);
			world_pass(w, 30 * WORLD_MS);
		}
		user_span(&w->feed, 0, w->now, request, false);
		world_pass(w, WORLD_MS);
	}
}

/* Of the live view only the last minute counts: neither grows the cost with time, nor stays what was long
 * ago. */
TEST(test_tail_window)
{
	const struct rtev_user_event request = user_event(1, "request");

	struct world *w = world_begin(1, 0, false);
	requests(w, &request, 100000, 30 * WORLD_MS);
	const struct advice_finding *f = first(w, "user_span_tail");
	CHECK_NEAR(f->share, 30.0 / (400 + 30), 0.01);
	CHECK_INT(f->confidence, ADVICE_ESTIMATED); /* of the spans seen since a whole 10 s */
	requests(w, &request, 35000, 0);
	nothing(w);

	/* A report is of all the time. */
	w = world_begin(1, 0, true);
	requests(w, &request, 40000, 30 * WORLD_MS);
	f = first(w, "user_span_tail");
	CHECK_NEAR(f->figures[0].value, 40000, 1000);
	CHECK_INT(f->confidence, ADVICE_MEASURED);
}
