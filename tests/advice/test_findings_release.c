/*
 * test_findings_release.c - the rules that know less of earlier releases, and what is advised where a setting
 * has been changed already.
 */
#include "advice/world.h"

/* Run for ten seconds: stops, slices, requests of a kind, and a cycle now and then. */
static struct world *drive(
    enum rtev_release release, rtev_counter request, int requests, int cycles, uint64_t promoted)
{
	struct world_stop s = well;

	s.slice_ns = 5 * WORLD_MS;
	s.promoted = promoted;
	struct world *w = world_begin(1, 0, false);
	advice_about(w->advice, release, 65536, false);
	for (int i = 0; i < 500; i++) {
		world_stop(w, &s);
		for (int k = 0; k < requests; k++)
			counter(&w->feed, 0, w->now, request, 1);
		if (cycles > 0 && i % (500 / cycles) == 0)
			cycle(w, 0, 4000000, 3000000, 0, 0);
		world_pass(w, 20 * WORLD_MS);
	}
	return w;
}

/* In 5.1 and 5.2 promoted words make the runtime ask for a slice at the next large block, however few of
 * these there are. */
TEST(test_direct_before_5_3)
{
	static const struct {
		enum rtev_release release;
		uint64_t promoted;
		bool found;
	} cases[] = {{RTEV_RELEASE_5_1, MIB / 16, true}, {RTEV_RELEASE_5_2, MIB, false},
	    {RTEV_RELEASE_5_0, MIB, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world *w =
		    drive(cases[i].release, RTEV_COUNTER_REQUEST_MAJOR_ALLOC_SHR, 3, 0, cases[i].promoted);
		CHECK((finding(w, "direct_major") != NULL) == cases[i].found);
		if (cases[i].found)
			CHECK_INT(finding(w, "direct_major")->confidence, ADVICE_ESTIMATED);
	}
}

/* A request is a fifth of a cycle: of ten cycles a second it makes the most, or next to none. */
TEST(test_custom_before_5_3)
{
	for (int many = 0; many < 2; many++) {
		struct world *w = drive(RTEV_RELEASE_5_1, RTEV_COUNTER_REQUEST_MAJOR_ADJUST_GC_SPEED, 1,
		    many ? 500 : 100, MIB / 16);
		CHECK((finding(w, "custom_memory") != NULL) == !many);
	}
}

/* With M=250 it still takes much of the time: the next step, and what is left after that.  No larger M where
 * there is no memory for it. */
TEST(test_custom_again)
{
	for (int small = 0; small < 2; small++) {
		struct ocaml_settings settings = {
		    .of[OCAML_CUSTOM_MAJOR] = {.value = 250, .from = OCAML_FROM_ENV}};
		struct world *w = sampled_world(1, 0);
		w->values[SYSTEM_MACHINE_MEMORY] = small ? 300 * MIB : 16 * GIB;
		system_past_set_settings(w->past, &settings);
		for (int i = 0; i < 500; i++) {
			struct feed *f = &w->feed;
			world_stop(w, &well);
			world_pass(w, 10 * WORLD_MS);
			begin(f, 0, w->now, RTEV_PHASE_MAJOR_SLICE);
			counter(f, 0, w->now, RTEV_COUNTER_MAJOR_HEAP_WORDS, 2 * MIB);
			counter(f, 0, w->now, RTEV_COUNTER_MAJOR_ALLOCATED_WORK, 100);
			counter(f, 0, w->now, RTEV_COUNTER_MAJOR_DEPENDENT_WORK, 0);
			counter(f, 0, w->now, RTEV_COUNTER_MAJOR_EXTRA_WORK, 9900);
			end(f, 0, w->now + 10 * WORLD_MS, RTEV_PHASE_MAJOR_SLICE);
			world_pass(w, 10 * WORLD_MS);
		}
		const struct advice_finding *f = first(w, "custom_memory");
		CHECK_STR(f->setting, small ? "" : "M=1000");
		if (small) {
			CHECK(isnan(f->gain));
			CHECK(strstr(f->remedy, "than the machine has") != NULL);
		} else {
			CHECK_NEAR(f->gain, 0.5 * 0.75, 0.02);
			CHECK(strstr(f->remedy, "about 168MB for this heap") != NULL);
			/* 0.125 of what is then 0.625 */
			CHECK(strstr(f->remedy, "still take about 20%") != NULL);
		}
	}
}
