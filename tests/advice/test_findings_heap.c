/*
 * test_findings_heap.c - the rules of the major heap and of memory one by one: a program that has the
 * sickness, and one that has not.
 */
#include "advice/world.h"

/* o too low: slices, cycles, and memory enough, or not. */
TEST(test_overhead_low)
{
	struct world_stop s = well;

	s.slice_ns = 10 * WORLD_MS;
	for (int sick = 0; sick < 2; sick++) {
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
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
		for (unsigned k = 0; k < 4; k++) {
			begin(f, 0, w->now + k * part, phases[k]);
			end(f, 0, w->now + (k + 1) * part, phases[k]);
		}
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
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
		cycles_in(w, &well, cases[i].phases, 0);
		const struct advice_finding *f = first(w, cases[i].first);
		CHECK_NEAR(f->share, cases[i].share, 0.02);
		CHECK(strstr(f->text, cases[i].says) != NULL);
		CHECK_INT(f->severity, ADVICE_SERIOUS);
		CHECK((finding(w, "space_overhead_low") != NULL) == (cases[i].phases == marking));
		CHECK(isnan(f->gain) == (cases[i].phases != marking));

		/* Custom blocks ask for nine tenths of the work: M paces what is marked and swept. */
		w = world_begin(1, 0, false);
		be_sampled(w);
		cycles_in(w, &well, cases[i].phases, 10000);
		double paced = cases[i].phases == marking ? 0.5 : 0.125;
		f = finding(w, "custom_memory");
		CHECK(f != NULL && finding(w, "space_overhead_low") == NULL);
		CHECK_NEAR(f->gain, paced * (1 - 44.0 / 250), 0.01);

		/* So they do beside two domains that are idle. */
		w = world_begin(3, 2, false);
		be_sampled(w);
		cycles_in(w, &well, cases[i].phases, 10000);
		CHECK(finding(w, "custom_memory") != NULL);
	}
}

/* A third of the work is asked for by custom blocks, too few slices to tell of them: o gains nothing there. */
TEST(test_gain_beside_custom)
{
	static const rtev_phase marking[] = {
	    RTEV_PHASE_MAJOR_MARK, RTEV_PHASE_MAJOR_MARK, RTEV_PHASE_MAJOR_MARK, RTEV_PHASE_MAJOR_SWEEP};

	struct world *w = world_begin(1, 0, false);
	be_sampled(w);
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
	struct world *w = world_begin(1, 0, false);
	be_sampled(w);
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
	struct world *w = world_begin(1, 0, false);
	be_sampled(w);
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
	struct world *w = world_begin(1, 0, false);
	be_sampled(w);
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
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
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
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
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
	struct world *w = world_begin(1, 0, false);
	be_sampled(w);
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
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
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
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
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
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
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
			CHECK(strstr(first(w, "fragmentation")->remedy, "this release can't") != NULL);
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

TEST(test_growth)
{
	for (int how = 0; how < 3; how++) {
		struct world_stop slow = well;
		slow.every_ns = 200 * WORLD_MS;
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
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
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
		fast_cycles(w, 10, how[i]);
		const struct advice_finding *f = finding(w, "heap_growth");
		CHECK((f != NULL) == (how[i] == leaks));
		if (f != NULL) {
			CHECK_NEAR(f->figures[0].value, 8e6, 4e5);
			CHECK(f->severity == ADVICE_HINT && !f->lasting);
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
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
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
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
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
		struct world *w = world_begin(1, 0, false);
		be_sampled(w);
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
	enum { UNMARSHALS, LATE, SMALL, AT_ONCE, LARGE, CYCLES, SLICES, SOON, LOSES, CASES };
	for (int how = 0; how < CASES; how++) {
		struct world *w = world_begin(1, 0, false);
		const double first = how == LARGE || how == LATE ? 2e9 : 30e6,
			     step = how == SMALL ? 3e6 : 200e6;
		world_run(w, &well, 0.5);
		if (how != LATE)
			cycle(w, 0, (uint64_t)first / 8, (uint64_t)first / 8, 0, 0);
		for (unsigned i = 0; i < (how == SOON ? 4 : 14); i++) {
			heap_of(w, first + (how == AT_ONCE ? (i > 8 ? 2e9 : 0) : step * i));
			if (how == CYCLES && i % 4 == 3)
				cycle(w, 0, (uint64_t)first / 8, (uint64_t)first / 8, 0, 0);
			if (how == SLICES) {
				begin(&w->feed, 0, w->now, RTEV_PHASE_MAJOR_SLICE);
				end(&w->feed, 0, w->now + 1000, RTEV_PHASE_MAJOR_SLICE);
			}
			if (how == LOSES && i == 9)
				lost(&w->feed, 0, 100, 0);
			for (unsigned k = 0; k < 10; k++)
				world_pass(w, 100 * WORLD_MS);
		}
		const struct advice_finding *f = finding(w, "heap_no_cycle");
		CHECK_INT(f != NULL, how <= LATE);
		if (f == NULL)
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
