/*
 * advice_story.c - a program that calls Gc.stat, spawns domains all the time and, when it is to be worse, has
 * a small minor heap.
 */
#include "support/advice_story.h"

#include "advice/world.h"

/* Return a copy of the findings, and end the world. */
static struct advice *take(struct world *w, uint64_t now)
{
	CHECK(w->now <= now);
	struct advice *advice = advice_copy(w->advice);
	CHECK(advice != NULL);
	return advice;
}

struct advice *advice_story_much_gc(uint64_t now, bool advised)
{
	const struct world_stop stop = {.every_ns = 20 * WORLD_MS,
	    .minor_ns = 10 * WORLD_MS,
	    .allocated = 2u << 20,
	    .promoted = 2u << 20,
	    .inside = advised ? RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE : RTEV_PHASE_MINOR};

	struct world *w = world_begin_at(now - 12 * WORLD_SECOND, 2, 0, false);
	for (int i = 0; i < 11; i++) {
		world_run(w, &stop, 1);
		if (advised)
			cycle(w, 0, MIB, MIB, 0, 0);
	}
	return take(w, now);
}

struct advice *advice_story(uint64_t now, bool serious)
{
	struct world_stop stop = {.every_ns = 20 * WORLD_MS,
	    .minor_ns = 400000,
	    .allocated = 2u << 20,
	    .promoted = 1u << 16,
	    .inside = RTEV_PHASE_MINOR};

	if (serious) {
		stop.every_ns = 2 * WORLD_MS;
		stop.allocated = 1u << 18;
	}
	struct world *w = world_begin_at(now - 11 * WORLD_SECOND, 2, 0, false);
	for (int i = 0; i < 100; i++) {
		world_domain_lives(w, WORLD_MS);
		world_domain_lives(w, WORLD_MS);
		world_run(w, &stop, 0.1);
		if (i % 10 == 0)
			world_explicit(w, RTEV_PHASE_EXPLICIT_GC_STAT, 30 * WORLD_MS);
	}
	return take(w, now);
}

struct advice *advice_story_costly(uint64_t now, bool grows)
{
	struct world_stop stop = {.every_ns = 20 * WORLD_MS,
	    .minor_ns = grows ? 400000 : 5 * WORLD_MS / 2,
	    .allocated = 2u << 20,
	    .promoted = 1u << 16,
	    .inside = RTEV_PHASE_MINOR_LOCAL_ROOTS};

	struct world *w = world_begin_at(now - 60 * WORLD_SECOND, 1, 0, false);
	for (unsigned i = 0; i < 5; i++) {
		cycle(w, 0, (20 + i * (grows ? 2 : 0)) * MIB, (10 + i * (grows ? 2 : 0)) * MIB, 0, 0);
		world_run(w, &stop, 10);
	}
	return take(w, now);
}

struct advice *advice_story_lost(uint64_t now, bool waited)
{
	const struct world_stop stop = {.every_ns = 20 * WORLD_MS,
	    .minor_ns = 400000,
	    .allocated = 2u << 20,
	    .promoted = 1u << 16,
	    .inside = RTEV_PHASE_MINOR};

	struct world *w = world_begin_at(now - 22 * WORLD_SECOND, 1, 0, true);
	be_sampled(w);
	w->values[SYSTEM_READER_WAIT] = waited ? 700 * WORLD_MS : 0;
	for (int i = 0; i < 20; i++) {
		world_run(w, &stop, 1);
		lost(&w->feed, 0, 100000, 0);
	}
	world_pass(w, WORLD_SECOND);
	return take(w, now);
}

struct advice *advice_story_starved(uint64_t now)
{
	const struct world_stop stop = {.every_ns = 20 * WORLD_MS,
	    .minor_ns = 100000,
	    .allocated = 2u << 20,
	    .promoted = 1u << 16,
	    .inside = RTEV_PHASE_MINOR};

	struct world *w = world_begin_at(now - 6 * WORLD_SECOND, 1, 0, false);
	be_sampled(w);
	w->values[SYSTEM_CPU_USER] = w->values[SYSTEM_RUN] = 600 * WORLD_MS;
	w->values[SYSTEM_WAIT] = 300 * WORLD_MS;
	w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
	world_run(w, &stop, 5);
	return take(w, now);
}
