/*
 * test_findings_minor.c - the rules of what minor collections promote: a program that has the sickness, and one that has
 * not.
 */
#include "advice/world.h"

/* Nine tenths are promoted.  Only where it is known that they die soon, a larger minor heap is advised: by a heap
 * that stays small, whatever is on the stack, or in the remembered set, where it is less certain; or by collections
 * that find little alive, beside much that lives long.  What is kept is no reason. */
TEST(test_outlived)
{
	static const struct {
		rtev_phase source;
		uint64_t live;	/* words */
		unsigned parts; /* one collection of so many finds little alive; 0: none does */
		const char *setting;
		bool sure;
	} cases[] = {
	    {RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE, 13 * MIB / 8, 0, "s=8M", true},
	    {RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE, 13 * MIB / 8, 9, "s=8M", true},
	    {RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE, 13 * MIB / 8, 0, "s=8M", false},
	    {RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE, 30 * MIB / 8, 0, "s=8M", false},
	    {RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE, 300 * MIB / 8, 9, "s=4M", false},
	    {RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE, 300 * MIB / 8, 0, NULL, false},
	    {RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE, 300 * MIB / 8, 100, NULL, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct world_stop full = {.every_ns = 8 * WORLD_MS,
		    .minor_ns = 4 * WORLD_MS,
		    .allocated = 2 * MIB,
		    .promoted = 2 * MIB - MIB / 16,
		    .slice_ns = 2 * WORLD_MS,
		    .inside = cases[i].source};
		struct world_stop lean = full;
		lean.promoted = MIB / 16;
		struct world *w = world_begin(1, 0, false);
		for (unsigned k = 0; k < 1500; k++) {
			world_stop(w, cases[i].parts != 0 && k % cases[i].parts == 0 ? &lean : &full);
			world_pass(w, full.every_ns);
			if (k % 10 == 0)
				cycle(w, 0, cases[i].live * 2, cases[i].live, 0, 0);
		}
		const struct advice_finding *f = finding(w, "minor_heap_small");
		if (cases[i].setting == NULL) {
			CHECK(f == NULL);
			CHECK(strstr(left_out(w, "minor_heap_small"), "nothing shows that it dies soon") !=
			      NULL);
		} else {
			CHECK_STR(first(w, "minor_heap_small")->setting, cases[i].setting);
			CHECK_INT(f->confidence, ADVICE_ESTIMATED);
			CHECK_INT(f->severity, cases[i].sure ? ADVICE_SERIOUS : ADVICE_HINT);
			CHECK_INT(isnan(f->gain), !cases[i].sure);
			CHECK(cases[i].sure || strstr(f->remedy, "may help: try OCAMLRUNPARAM=s=") != NULL);
			CHECK(!cases[i].sure || (f->gain > 0.4 && f->gain < f->share));
		}
	}
}

/* One domain keeps all that it makes, and an idle one promotes half of that: no collection finds little alive. */
TEST(test_outlived_shared)
{
	for (unsigned idle = 1; idle < 4; idle++) {
		const struct world_stop s = {.every_ns = 8 * WORLD_MS,
		    .minor_ns = 4 * WORLD_MS,
		    .allocated = 2 * MIB,
		    .promoted = 2 * MIB - MIB / 16,
		    .shared = true,
		    .slice_ns = 2 * WORLD_MS,
		    .inside = RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE};
		struct world *w = world_begin(1 + idle, idle, false);
		for (unsigned k = 0; k < 1500; k++) {
			world_stop(w, &s);
			world_pass(w, s.every_ns);
			if (k % 10 == 0)
				cycle(w, 0, 80 * MIB, 40 * MIB, 0, 0);
		}
		CHECK(finding(w, "minor_heap_small") == NULL);
		CHECK(strstr(left_out(w, "minor_heap_small"), "nothing shows that it dies soon") != NULL);
	}
}

/* Minor collections that copy: what share of the busy time, of how much allocation, and of that how much is kept by the
 * heap; beside what has other reasons, or is over after the start. */
TEST(test_survivors)
{
	static const struct {
		const char *says, *remedy, *setting;
		double share;
		uint64_t every_us, minor_us, allocated, promoted;
		int kept;	  /* percent of what is promoted; -1: no cycle ends */
		unsigned seconds; /* then nothing is promoted until the 15th; 0: until then */
		rtev_phase source;
	} cases[] = {
	    /* A prover that grows by what it promotes, whose own minor heap is 32M words. */
	    {"39% of what is allocated is promoted, and most of that is kept",
		"No size of the minor heap saves this", "", 0.44, 500000, 220000, 256 * MIB, 100 * MIB, 100,
		0, RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE},
	    {"and most of that is kept", "If the program is loading data, this ends by itself", "", 0.4, 1000,
		400, 2 * MIB, MIB, 70, 0, RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE},
	    /* A cache of 1 GB whose entries are replaced. */
	    {"50% of what is allocated is promoted, and most of that dies later", "Try OCAMLRUNPARAM=s=2M",
		"s=2M", 0.4, 1000, 400, 2 * MIB, MIB, 0, 0, RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE},
	    {"and most of that dies later", "Nothing shows that a larger minor heap would help", "", 0.44,
		500000, 220000, 256 * MIB, 100 * MIB, 0, 0, RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE},
	    {"50% of what is allocated is promoted", "is not known", "s=2M", 0.4, 1000, 400, 2 * MIB, MIB, -1,
		0, RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE},
	    /* Allocation alone; copying that is slow for another reason; scanning; a load of five seconds. */
	    {NULL, "less than 10% of the time", NULL, 0, 1000, 50, 2 * MIB, MIB / 64, 0, 0,
		RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE},
	    {NULL, "less than 5%", NULL, 0, 1000, 300, 2 * MIB, MIB / 32, 0, 0,
		RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE},
	    {NULL, "less than half of minor collections", NULL, 0, 1000, 400, 2 * MIB, MIB, 0, 0,
		RTEV_PHASE_MINOR_REMEMBERED_SET},
	    {NULL, "or 8 s", NULL, 0, 1000, 700, 2 * MIB, 2 * MIB, 100, 5,
		RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE},
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const unsigned k = (unsigned)i / 2, until = cases[k].seconds != 0 ? cases[k].seconds : 15;
		struct world_stop s = {.every_ns = cases[k].every_us * 1000,
		    .minor_ns = cases[k].minor_us * 1000,
		    .allocated = cases[k].allocated,
		    .promoted = cases[k].promoted,
		    .inside = cases[k].source};
		const uint64_t reached = s.promoted / 8 * (WORLD_SECOND / s.every_ns);
		struct world *w = world_begin(1, 0, i % 2 != 0);
		uint64_t live = 150000000;
		for (unsigned second = 0; second < 15; second++) {
			world_run(w, second < until ? &s : &well, 1);
			if (second < until)
				live += reached * (uint64_t)(cases[k].kept > 0 ? cases[k].kept : 0) / 100;
			if (cases[k].kept >= 0)
				cycle(w, 0, live * 2, live, 0, 0);
			/* Ten seconds of evidence are needed. */
			CHECK(second >= 9 || finding(w, "minor_survivors") == NULL);
		}
		if (cases[k].says == NULL) {
			CHECK(finding(w, "minor_survivors") == NULL);
			if (strstr(left_out(w, "minor_survivors"), cases[k].remedy) == NULL)
				TEST_FAIL("%u: %s", k, left_out(w, "minor_survivors"));
			continue;
		}
		const struct advice_finding *f = first(w, "minor_survivors");
		if (strstr(f->text, cases[k].says) == NULL || strstr(f->remedy, cases[k].remedy) == NULL)
			TEST_FAIL("%u: %s: %s", k, f->text, f->remedy);
		CHECK_STR(f->setting, cases[k].setting);
		CHECK_NEAR(f->share, cases[k].share, 0.02);
		CHECK_INT(f->severity, ADVICE_HINT);
		CHECK(isnan(f->gain));
	}
}

/* Others have the processors for a part of the time: what minor collections take beyond all of that is theirs, and how
 * often they come is not changed by it.  Of a program that runs for less than half of what it wants to, nothing is told. */
TEST(test_minor_heap_starved)
{
	static const struct {
		uint64_t run_ms, wait_ms, minor_us;
		bool told;
	} cases[] = {{710, 290, 2225, true}, {710, 290, 1800, false}, {450, 550, 4000, false},
	    {710, 290, 3250, true}, {600, 400, 2225, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct world_stop s = {.every_ns = 5 * WORLD_MS,
		    .minor_ns = cases[i].minor_us * 1000,
		    .allocated = 2 * MIB,
		    .promoted = MIB / 2,
		    .inside = RTEV_PHASE_MINOR};
		struct world *w = sampled_world(1, 0);
		w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = cases[i].run_ms * WORLD_MS;
		w->values[SYSTEM_WAIT] = cases[i].wait_ms * WORLD_MS;
		w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
		for (int k = 0; k < 15; k++) {
			world_run(w, &s, 1);
			cycle(w, 0, MIB, MIB / 4, 0, 0);
		}
		const struct advice_finding *f = finding(w, "minor_heap_small");
		char evidence[512];
		if ((f != NULL) != cases[i].told)
			TEST_FAIL("case %zu: %s", i, left_out(w, "minor_heap_small"));
		if (f == NULL) {
			CHECK(strstr(left_out(w, "minor_heap_small"), "starved comes first") != NULL);
			continue;
		}
		advice_evidence_text(f, evidence, sizeof(evidence));
		CHECK(strstr(evidence, "without a processor at most 29%") != NULL && f->setting[0] == 's');
		/* What may be the cause of a part of it stands before it. */
		first(w, cases[i].minor_us < 2900 ? "starved" : "minor_heap_small");
	}
}

/* A program without a processor copies slowly: that is not its own doing. */
TEST(test_survivors_starved)
{
	const struct world_stop s = {.every_ns = 10 * WORLD_MS,
	    .minor_ns = 5 * WORLD_MS,
	    .allocated = 2 * MIB,
	    .promoted = MIB,
	    .inside = RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE};

	for (int sick = 0; sick < 2; sick++) {
		struct world *w = sampled_world(1, 0);
		if (!sick) {
			w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND * 6 / 10;
			w->values[SYSTEM_WAIT] = WORLD_SECOND * 4 / 10;
			w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
		}
		world_run(w, &s, 15);
		first(w, sick ? "minor_survivors" : "starved");
		CHECK_INT(finding(w, "minor_survivors") != NULL, sick);
	}
}

/* Eight domains load data for five seconds.  What each copies afterwards is little, though it is more in all than one
 * domain would have to copy. */
TEST(test_survivors_of_many)
{
	const struct world_stop load = {.every_ns = 10 * WORLD_MS,
				    .minor_ns = 7 * WORLD_MS,
				    .allocated = 2 * MIB,
				    .promoted = MIB,
				    .inside = RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE},
				serve = {.every_ns = 100 * WORLD_MS,
				    .minor_ns = WORLD_MS,
				    .allocated = 2 * MIB,
				    .promoted = MIB / 8,
				    .inside = RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE};

	struct world *w = world_begin(8, 0, false);
	world_run(w, &load, 5);
	world_run(w, &serve, 10);
	CHECK(finding(w, "minor_survivors") == NULL);
	CHECK(strstr(left_out(w, "minor_survivors"), "or 8 s") != NULL);
	world_run(w, &load, 4);
	CHECK(finding(w, "minor_survivors") != NULL);
}

/* What is known and has an earlier cause is not unexplained, however little that cause costs. */
TEST(test_survivors_known)
{
	const struct world_stop s = {.every_ns = 10 * WORLD_MS,
	    .minor_ns = 28 * WORLD_MS / 10,
	    .allocated = 2 * MIB,
	    .promoted = MIB,
	    .slice_ns = 6 * WORLD_MS,
	    .inside = RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE};
	bool unexplained;

	struct world *w = sampled_world(1, 0);
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = WORLD_SECOND * 79 / 100;
	w->values[SYSTEM_WAIT] = WORLD_SECOND * 21 / 100;
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	world_run(w, &s, 15);
	CHECK_NEAR(first(w, "starved")->share, 0.21, 0.005);
	CHECK(strstr(left_out(w, "minor_survivors"), "starved comes first") != NULL);
	CHECK_STR(advice_summary(w->advice, &unexplained), "");
	CHECK(!unexplained);
}

/* Memory tells the size of the minor heap. */
static void look_at(struct world *w, uint64_t words)
{
	struct model_look look = {.heap = {NAN, NAN, NAN, NAN, NAN}, .count = 1};

	look.domains[0] = (struct model_look_domain){.size = 1000000, .minor_heap = words};
	model_look(w->feed.m, w->now, &look);
}

/* A program that changes the size of its minor heap: to a larger one, of which nothing is told that was true of the small
 * one; and to a small one, which is not taken for a part of the large one. */
TEST(test_resized)
{
	const struct world_stop small = {.every_ns = 2 * WORLD_MS,
				    .minor_ns = 400000,
				    .allocated = MIB / 4,
				    .promoted = MIB / 64,
				    .inside = RTEV_PHASE_MINOR},
				large = {.every_ns = 128 * WORLD_MS,
				    .minor_ns = WORLD_MS,
				    .allocated = 16 * MIB,
				    .promoted = MIB / 64,
				    .inside = RTEV_PHASE_MINOR};

	struct world *w = world_begin(1, 0, false);
	world_run(w, &small, 1);
	look_at(w, 32768);
	world_run(w, &small, 11);
	CHECK(strstr(first(w, "minor_heap_small")->text, "32k words") != NULL);
	look_at(w, 2097152);
	world_run(w, &large, 4);
	CHECK(finding(w, "minor_heap_small") == NULL);
	CHECK_STR(left_out(w, "minor_heap_small"), "the size of the minor heap was changed");
	look_at(w, 32768);
	world_run(w, &small, 40);
	CHECK(finding(w, "minor_heap_small") == NULL);
	world_run(w, &small, 20);
	CHECK(strstr(first(w, "minor_heap_small")->text, "32k words") != NULL);
}

/* What was true of a small minor heap is not told of the large one, neither halfway through the window nor of copying. */
TEST(test_resized_before)
{
	const struct world_stop small = {.every_ns = 2 * WORLD_MS,
				    .minor_ns = 800000,
				    .allocated = MIB / 4,
				    .promoted = MIB / 8,
				    .inside = RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE},
				large = {.every_ns = 128 * WORLD_MS,
				    .minor_ns = WORLD_MS,
				    .allocated = 16 * MIB,
				    .promoted = MIB / 64,
				    .inside = RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE};

	for (int whole = 0; whole < 2; whole++) {
		struct world *w = world_begin(1, 0, whole != 0);
		world_run(w, &small, 1);
		look_at(w, 32768);
		world_run(w, &small, 20);
		look_at(w, 2097152);
		world_run(w, &large, 5);
		CHECK(strstr(summary(w), "; the program resized its minor heap meanwhile") != NULL);
		world_run(w, &large, 20);
		CHECK(finding(w, "minor_heap_small") == NULL);
		CHECK(finding(w, "minor_survivors") == NULL);
		CHECK_STR(left_out(w, "minor_survivors"), "the size of the minor heap was changed");
	}
}
