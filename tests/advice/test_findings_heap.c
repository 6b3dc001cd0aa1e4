/*
 * test_findings_heap.c - the rules of the major heap one by one: a program that has the
 * sickness, and one that has not.
 */
#include "advice/world.h"

/* o too low: slices, cycles, and memory enough, or not. */
TEST(test_overhead_low)
{
	struct world_stop s = well;

	s.slice_ns = 10 * WORLD_MS;
	for (int sick = 0; sick < 2; sick++) {
		struct world *w = sampled_world(1, 0);
		if (!sick)
			w->values[SYSTEM_MEMORY_LIMIT] = 60 * MIB;
		for (int i = 0; i < 12; i++) {
			world_run(w, &s, 1);
			cycle(w, 0, 4000000, 3000000, 0, 0);
		}
		if (sick) {
			const struct advice_finding *f = first(w, "space_overhead_low");
			CHECK_STR(f->setting, "o=200");
			CHECK_NEAR(f->share, 0.5, 0.01);
			CHECK_NEAR(f->gain, 0.5 / 4, 0.01);
			CHECK_INT(f->severity, ADVICE_SERIOUS);
		} else {
			CHECK(finding(w, "space_overhead_low") == NULL);
		}
	}
}

/* A minor collection, and a slice of 10 ms in which the major collector is in these phases in turn, for 12 s
 * with a cycle each second; of 5.3 with the work that the heap and custom blocks ask for. */
static void cycles_in(struct world *w, const struct world_stop *s, const rtev_phase *phases, int64_t extra)
{
	struct feed *f = &w->feed;
	uint64_t part = 10 * WORLD_MS / 4;

	for (int i = 0; i < 600; i++) {
		world_stop(w, s);
		world_pass(w, 5 * WORLD_MS);
		begin(f, 0, w->now, RTEV_PHASE_MAJOR_SLICE);
		counter(f, 0, w->now, RTEV_COUNTER_MAJOR_ALLOCATED_WORK, 1000);
		counter(f, 0, w->now, RTEV_COUNTER_MAJOR_DEPENDENT_WORK, 0);
		counter(f, 0, w->now, RTEV_COUNTER_MAJOR_EXTRA_WORK, extra);
		for (unsigned k = 0; k < 4; k++)
			span(f, 0, w->now + k * part, w->now + (k + 1) * part, phases[k]);
		end(f, 0, w->now + 4 * part, RTEV_PHASE_MAJOR_SLICE);
		/* The others have little to do. */
		for (unsigned d = 1; d < w->domains; d++) {
			begin(f, d, w->now, RTEV_PHASE_MAJOR_SLICE);
			counter(f, d, w->now, RTEV_COUNTER_MAJOR_ALLOCATED_WORK, 10);
			counter(f, d, w->now, RTEV_COUNTER_MAJOR_DEPENDENT_WORK, 0);
			counter(f, d, w->now, RTEV_COUNTER_MAJOR_EXTRA_WORK, 0);
			end(f, d, w->now + 1000, RTEV_PHASE_MAJOR_SLICE);
		}
		world_pass(w, 15 * WORLD_MS);
		if (i % 50 == 0)
			cycle(w, 0, 4000000, 3000000, 0, 0);
	}
}

/* The major collector takes half of the time, for values that o does not pace: no gain is foretold.  With all
 * of it in marking and sweeping there is one. */
TEST(test_gain_not_theirs)
{
	static const rtev_phase finalisers[] = {RTEV_PHASE_MAJOR_MARK_ROOTS, RTEV_PHASE_MAJOR_MARK_ROOTS,
	    RTEV_PHASE_FINALISE_UPDATE_FIRST, RTEV_PHASE_MAJOR_MARK},
				ephemerons[] = {RTEV_PHASE_MAJOR_EPHE_MARK, RTEV_PHASE_MAJOR_EPHE_SWEEP,
				    RTEV_PHASE_MAJOR_EPHE_MARK, RTEV_PHASE_MAJOR_MARK},
				marking[] = {RTEV_PHASE_MAJOR_MARK, RTEV_PHASE_MAJOR_MARK,
				    RTEV_PHASE_MAJOR_MARK, RTEV_PHASE_MAJOR_SWEEP};
	static const struct {
		const rtev_phase *phases;
		const char *first, *says;
		double share;
	} cases[] = {{finalisers, "special_values", "finalisers", 0.375},
	    {ephemerons, "special_values", "ephemerons", 0.375}, {marking, "space_overhead_low", "", 0.5}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world *w = sampled_world(1, 0);
		cycles_in(w, &well, cases[i].phases, 0);
		const struct advice_finding *f = first(w, cases[i].first);
		CHECK_NEAR(f->share, cases[i].share, 0.02);
		CHECK(strstr(f->text, cases[i].says) != NULL);
		CHECK_INT(f->severity, ADVICE_SERIOUS);
		CHECK((finding(w, "space_overhead_low") != NULL) == (cases[i].phases == marking));
		CHECK(isnan(f->gain) == (cases[i].phases != marking));

		/* Custom blocks ask for nine tenths of the work: M paces what is marked and swept. */
		w = sampled_world(1, 0);
		cycles_in(w, &well, cases[i].phases, 10000);
		double paced = cases[i].phases == marking ? 0.5 : 0.125;
		f = finding(w, "custom_memory");
		CHECK(f != NULL && finding(w, "space_overhead_low") == NULL);
		CHECK_NEAR(f->gain, paced * (1 - 44.0 / 250), 0.01);

		/* So they do beside two domains that are idle. */
		w = sampled_world(3, 2);
		cycles_in(w, &well, cases[i].phases, 10000);
		CHECK(finding(w, "custom_memory") != NULL);
	}
}

/* A third of the work is asked for by custom blocks, too few slices to tell of them: o gains nothing there. */
TEST(test_gain_beside_custom)
{
	static const rtev_phase marking[] = {
	    RTEV_PHASE_MAJOR_MARK, RTEV_PHASE_MAJOR_MARK, RTEV_PHASE_MAJOR_MARK, RTEV_PHASE_MAJOR_SWEEP};

	struct world *w = sampled_world(1, 0);
	cycles_in(w, &well, marking, 0);
	cycles_in(w, &well, marking, 2000);
	cycles_in(w, &well, marking, 0);
	CHECK(finding(w, "custom_memory") == NULL);
	CHECK_NEAR(first(w, "space_overhead_low")->gain, 0.5 / 4 * 3 / 4, 0.01);
}

/* Of the time in calls of Gc three fifths are of Gc.stat: the rest is not gained by Gc.quick_stat. */
TEST(test_gain_of_stat)
{
	struct world *w = world_begin(1, 0, false);
	for (int i = 0; i < 12; i++) {
		world_run(w, &well, 0.8);
		world_explicit(w, RTEV_PHASE_EXPLICIT_GC_STAT, 120 * WORLD_MS);
		world_explicit(w, RTEV_PHASE_EXPLICIT_GC_COMPACT, 80 * WORLD_MS);
	}
	const struct advice_finding *f = first(w, "explicit_gc");
	CHECK_NEAR(f->share, 0.2, 0.01);
	CHECK_NEAR(f->gain, 0.12, 0.01);
}

/* Small minor heaps are full again and again, but what a collection takes is for finalisers. */
TEST(test_size_not_theirs)
{
	struct world_stop s = well;

	s.every_ns = 4 * WORLD_MS;
	s.allocated = MIB / 4;
	s.minor_ns = WORLD_MS;
	s.inside = RTEV_PHASE_MINOR_FINALIZERS_OLDIFY;
	struct world *w = sampled_world(1, 0);
	world_run(w, &s, 12);
	CHECK(isnan(first(w, "special_values")->gain));
	CHECK_STR(
	    left_out(w, "minor_heap_small"), "special_values comes first: change that, then look again");
}

/* Never s and o at once. */
TEST(test_one_change)
{
	struct world_stop s = well;

	s.every_ns = 2 * WORLD_MS;
	s.allocated = MIB / 4;
	s.slice_ns = WORLD_MS * 7 / 10;
	struct world *w = sampled_world(1, 0);
	for (int i = 0; i < 12; i++) {
		world_run(w, &s, 1);
		cycle(w, 0, 4000000, 3000000, 0, 0);
	}
	CHECK(finding(w, "minor_heap_small") != NULL);
	CHECK(finding(w, "space_overhead_low") == NULL);
	CHECK_STR(
	    left_out(w, "space_overhead_low"), "minor_heap_small comes first: change that, then look again");
}

/* The one that costs far more comes first. */
TEST(test_costlier_change)
{
	struct world_stop s = well;

	s.every_ns = 4 * WORLD_MS;
	s.allocated = MIB / 4;
	s.slice_ns = 2 * WORLD_MS;
	struct world *w = sampled_world(1, 0);
	for (int i = 0; i < 12; i++) {
		world_run(w, &s, 1);
		cycle(w, 0, 4000000, 3000000, 0, 0);
	}
	first(w, "space_overhead_low");
	CHECK(finding(w, "minor_heap_small") == NULL);
	CHECK_STR(
	    left_out(w, "minor_heap_small"), "space_overhead_low comes first: change that, then look again");
}

/* The sample after the process has ended says nothing: what was known before counts. */
TEST(test_ended)
{
	struct world *w = world_begin(1, 0, true);
	be_sampled(w);
	w->values[SYSTEM_RESIDENT] = 500 * MIB;
	world_run(w, &well, 5);
	cycle(w, 0, 4 * MIB, 3 * MIB, 0, 0);
	world_run(w, &well, 5);
	life(&w->feed, 0, w->now, RTEV_LIFECYCLE_RING_STOP, 0);
	for (int i = 0; i < SYSTEM_VALUE_COUNT; i++)
		w->sample->values[i].known = SYSTEM_ENDED;
	w->sample->ts = w->now + WORLD_MS;
	system_past_add(w->past, w->sample);
	model_finish(w->feed.m);
	stw_advance(w->stw, UINT64_MAX);
	advice_finish(w->advice, w->now);
	first(w, "resident_above_heap");
}

/* Nine tenths of the memory are used, the most of it by the heap: for garbage, or for what lives; or there is
 * more memory. */
TEST(test_overhead_high)
{
	enum { GARBAGE, ALIVE, MEMORY_ENOUGH, CASES };

	for (int how = 0; how < CASES; how++) {
		struct world *w = sampled_world(1, 0);
		w->values[SYSTEM_RESIDENT] = 900 * MIB;
		w->values[SYSTEM_MEMORY_LIMIT] = how == MEMORY_ENOUGH ? SYSTEM_NO_LIMIT : 1000 * MIB;
		for (int i = 0; i < 12; i++) {
			world_run(w, &well, 1);
			/* As much is allocated in a cycle as it sweeps, or nearly nothing. */
			counter(&w->feed, 0, w->now, RTEV_COUNTER_MAJOR_ALLOCATED_WORDS,
			    (int64_t)(how == ALIVE ? MIB / 4 : 40 * MIB));
			cycle(w, 0, 100 * MIB, 95 * MIB, 0, 1000);
		}
		const struct advice_finding *f = finding(w, "space_overhead_high");
		CHECK((f != NULL) == (how == GARBAGE));
		if (f != NULL) {
			CHECK_STR(f->setting, "o=80");
			CHECK_NEAR(f->bytes, 2 * 40.0 * 8 * (double)MIB / 3, 1e7);
		}
	}
}

/* Let the memory of the process be so now, which is looked at each second. */
static void hold(struct world *w, const struct system_memory *memory)
{
	struct system_memory m = *memory;

	for (int i = 0; i < 12; i++) {
		world_run(w, &well, 1);
		m.ts = w->now;
		m.why = "";
		system_past_set_memory(w->past, &m);
	}
	world_run(w, &well, 1);
}

TEST(test_mappings)
{
	static const struct {
		uint64_t mappings, limit;
		bool sick;
	} cases[] = {{52424, 65530, true}, {52423, 65530, false}, {52424, 262144, false}, {60000, 0, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world *w = sampled_world(1, 0);
		hold(w,
		    &(struct system_memory){.mappings = cases[i].mappings, .mappings_limit = cases[i].limit});
		const struct advice_finding *f = finding(w, "mappings_near_limit");
		CHECK((f != NULL) == cases[i].sick);
		if (f != NULL) {
			CHECK_INT(f->severity, ADVICE_SERIOUS);
			CHECK(strstr(f->remedy, "vm.max_map_count=262120") != NULL);
		}
	}
	/* What was counted long ago says nothing. */
	struct world *w = sampled_world(1, 0);
	hold(w, &(struct system_memory){.mappings = 60000, .mappings_limit = 65530});
	CHECK(finding(w, "mappings_near_limit") != NULL);
	world_run(w, &well, 70);
	CHECK(finding(w, "mappings_near_limit") == NULL);
	left_out(w, "mappings_near_limit");
}

TEST(test_free_pools)
{
	static const struct {
		uint64_t resident, free;
		enum rtev_release release;
		bool sick;
	} cases[] = {{300 * MIB, 91 * MIB, RTEV_RELEASE_5_3, true},
	    {300 * MIB, 91 * MIB, RTEV_RELEASE_5_1, true}, {300 * MIB, 89 * MIB, RTEV_RELEASE_5_3, false},
	    {100 * MIB, 63 * MIB, RTEV_RELEASE_5_3, false},
	    {300 * MIB, MEMORY_UNKNOWN, RTEV_RELEASE_5_3, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world *w = sampled_world(1, 0);
		advice_about(w->advice, cases[i].release, 65536, false);
		w->values[SYSTEM_RESIDENT] = cases[i].resident;
		hold(w, &(struct system_memory){.resident = {[MEMORY_POOLS_FREE] = cases[i].free}});
		const struct advice_finding *f = finding(w, "free_pools");
		CHECK((f != NULL) == cases[i].sick);
		if (f != NULL) {
			CHECK_NEAR(f->bytes, (double)cases[i].free, 1);
			CHECK((strstr(f->remedy, "never gives them back") != NULL) ==
			      (cases[i].release == RTEV_RELEASE_5_1));
		}
	}
}

/* s x d of 256 MiB, or what is not known, under limits of addresses. */
TEST(test_reservation)
{
	static const struct {
		uint64_t limit;
		bool known, sick;
	} cases[] = {{320 * MIB, true, true}, {321 * MIB, true, false}, {SYSTEM_NO_LIMIT, true, false},
	    {100 * MIB, false, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world *w = sampled_world(1, 0);
		w->values[SYSTEM_ADDRESS_LIMIT] = cases[i].limit;
		enum ocaml_origin from = cases[i].known ? OCAML_FROM_EVENTS : OCAML_UNKNOWN;
		system_past_set_settings(
		    w->past, &(struct ocaml_settings){
				 .of = {[OCAML_S] = {262144, OCAML_FROM_MEMORY}, [OCAML_D] = {128, from}},
				 .memory_why = ""});
		world_run(w, &well, 12);
		const struct advice_finding *f = finding(w, "heap_reservation");
		CHECK((f != NULL) == cases[i].sick);
		if (f != NULL)
			CHECK_NEAR(f->bytes, 256.0 * (double)MIB, 1);
	}
	/* What is mapped for them counts, where that is known, and not what the settings would ask for. */
	for (int sick = 0; sick < 2; sick++) {
		struct world *w = sampled_world(1, 0);
		w->values[SYSTEM_ADDRESS_LIMIT] = 320 * MIB;
		hold(w,
		    &(struct system_memory){
			.reserved = {
			    [MEMORY_MINOR] = 55 * MIB, [MEMORY_MINOR_RESERVE] = (sick ? 201 : 200) * MIB}});
		const struct advice_finding *f = finding(w, "heap_reservation");
		CHECK((f != NULL) == (sick != 0));
		if (f != NULL)
			CHECK_NEAR(f->bytes, 256.0 * (double)MIB, 1);
	}
}

TEST(test_fragmentation)
{
	for (int sick = 0; sick < 2; sick++) {
		struct world *w = world_begin(1, 0, false);
		for (int i = 0; i < 12; i++) {
			world_run(w, &well, 1);
			cycle(w, 0, 50 * MIB, (sick ? 10 : 30) * MIB, MIB, MIB);
		}
		if (sick) {
			const struct advice_finding *f = first(w, "fragmentation");
			CHECK_NEAR(f->bytes, 39.0 * 8 * (double)MIB, 8e6);
			CHECK(strstr(f->remedy, "Gc.compact at a quiet time") != NULL);
			advice_about(w->advice, RTEV_RELEASE_5_1, 0, false);
			world_run(w, &well, 2);
			CHECK(strstr(first(w, "fragmentation")->remedy, "This release can't") != NULL);
		} else {
			nothing(w);
		}
	}
}

/* Full collections of a heap that is nearly empty: their cycles end a few milliseconds apart, and two domains
 * tell of each. */
TEST(test_fragmentation_soon)
{
	struct world *w = world_begin(2, 0, false);
	for (int i = 0; i < 4; i++) {
		for (unsigned d = 0; d < 2; d++) {
			cycle(w, d, 25 * MIB, 5 * MIB, MIB, MIB);
			world_pass(w, WORLD_MS);
		}
		world_pass(w, 2 * WORLD_MS);
	}
	world_run(w, &well, 12);
	CHECK_NEAR(first(w, "fragmentation")->bytes, 2 * 19.0 * 8 * (double)MIB, 8e6);

	/* Two cycles, however many domains tell of them. */
	w = world_begin(8, 0, false);
	for (int i = 0; i < 2; i++)
		for (unsigned d = 0; d < 8; d++) {
			cycle(w, d, 25 * MIB, 5 * MIB, MIB, MIB);
			world_pass(w, WORLD_MS);
		}
	world_run(w, &well, 12);
	nothing(w);
	CHECK_STR(left_out(w, "fragmentation"), "fewer than 3 major cycles");
}
