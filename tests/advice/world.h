/*
 * world.h - made-up programs for the tests of advice: domains that allocate, and stops of the world between
 * them.
 *
 * Events go through a model, so that the rules see what they would see of a real ring.  The times of a stop
 * stand in struct world_stop; world_run repeats it.
 */
#pragma once

#include <math.h>

#include "advice/advice.h"
#include "support/model_feed.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

#define WORLD_MS UINT64_C(1000000)
#define WORLD_SECOND UINT64_C(1000000000)

struct world {
	struct feed feed;
	struct stw *stw;
	struct system_past *past;
	struct schedulers *schedulers;
	struct advice *advice;
	uint64_t now;
	bool
	    sampled; /* the process is sampled each second, and has grown by these since; gauges stand as they are: */
	uint64_t values[SYSTEM_VALUE_COUNT];
	uint64_t unknown; /* of these, a bit each */
	uint64_t sampled_at;
	struct system_sample *sample;
	unsigned domains; /* 1 to 8 */
	unsigned idle;	  /* of them the last ones: their backup threads take part */
	unsigned turn;	  /* domains have their roles from this one on, in a circle */
};

/* Of how many domains the roles are turned. */
#ifndef WORLD_TURN
#define WORLD_TURN 0
#endif

/* One minor collection of all domains, led by the first. */
struct world_stop {
	uint64_t every_ns;  /* between two of them */
	uint64_t minor_ns;  /* of the collection on each domain */
	uint64_t allocated; /* bytes, by each busy domain */
	uint64_t promoted;
	bool
	    shared; /* what busy domains have to promote is promoted by all of them, idle ones too, in equal parts */
	uint64_t late_ns;      /* of the busy domains, 0: with the leader */
	unsigned late_alone;   /* of this domain alone; 0: of all */
	uint64_t idle_late_ns; /* of the idle ones */
	uint64_t slice_ns;     /* a major slice on each busy domain after it; 0: none */
	rtev_phase inside;     /* all of a minor collection is in this phase; RTEV_PHASE_MINOR: none */
};

static inline void world_end(struct world *w)
{
	advice_destroy(w->advice);
	system_past_destroy(w->past);
	schedulers_destroy(w->schedulers);
	free(w->sample);
	stw_destroy(w->stw);
	feed_close(&w->feed);
}

/* Begin at a stamp.  The world stands until the next one begins. */
static inline struct world *world_begin_at(uint64_t now, unsigned domains, unsigned idle, bool whole)
{
	static struct world world, *w = &world;
	struct model_observer observer;

	if (w->advice != NULL)
		world_end(w);
	*w = (struct world){.domains = domains, .idle = idle, .turn = WORLD_TURN, .now = now};
	w->feed = feed_open(w->now);
	w->stw = stw_create();
	CHECK(w->stw != NULL);
	stw_observer(w->stw, &observer);
	CHECK(model_observe(w->feed.m, &observer));
	w->past = system_past_create();
	w->sample = calloc(1, sizeof(*w->sample));
	w->schedulers = schedulers_create(w->feed.m);
	CHECK(w->past != NULL && w->sample != NULL && w->schedulers != NULL);
	w->advice = advice_create(
	    &(struct advice_options){.whole = whole}, w->feed.m, w->stw, w->past, w->schedulers);
	CHECK(w->advice != NULL);
	advice_about(w->advice, RTEV_RELEASE_5_3, 65536, false);
	return w;
}

static inline struct world *world_begin(unsigned domains, unsigned idle, bool whole)
{
	return world_begin_at(1000 * WORLD_SECOND, domains, idle, whole);
}

static inline void counter(struct feed *f, unsigned domain, uint64_t ts, rtev_counter number, int64_t value)
{
	CHECK_INT(f->cb.counter(f->m, domain, ts, number, value), RTEV_CONTINUE);
}

/* Take a sample.  What counts goes by the time since the last one. */
static inline void world_sample(struct world *w)
{
	static const enum system_unit units[] = {
#define WORLD_UNIT(name, text, unit) unit,
	    SYSTEM_VALUES(WORLD_UNIT)
#undef WORLD_UNIT
	};
	double seconds = w->sampled_at == 0 ? 0 : (double)(w->now - w->sampled_at) / 1e9;

	for (int i = 0; i < SYSTEM_VALUE_COUNT; i++) {
		struct system_value *v = &w->sample->values[i];
		bool counts = units[i] == SYSTEM_COUNTER || units[i] == SYSTEM_COUNTER_NS;
		v->known = (w->unknown >> i & 1) != 0 ? SYSTEM_NOT_READ : SYSTEM_KNOWN;
		v->value = counts ? v->value + (uint64_t)((double)w->values[i] * seconds) : w->values[i];
	}
	for (unsigned i = 0; i < w->sample->thread_count; i++)
		w->sample->threads[i].ts = w->now;
	w->sample->ts = w->sampled_at = w->now;
	system_past_add(w->past, w->sample);
}

/* Each finding has a length of its sentence that fits beside its word and its key into the second line of a screen of 80
 * columns, and one of 120, each with a figure. */
static inline void sentences_fit(const struct world *w)
{
	static const int rooms[] = {120 - 10, 80 - 10};
	size_t count;
	const struct advice_finding *findings = advice_findings(w->advice, &count);

	for (size_t i = 0; i < count; i++) {
		const struct advice_finding *f = &findings[i];
		const size_t colon = strcspn(f->text, ":0123456789(");
		const bool worded = colon <= 24 && strncmp(f->text + colon, ": ", 2) == 0;
		for (int k = 0; k < 2; k++) {
			const char *said = f->said.shorter[k];
			const size_t word = worded ? 0 : strlen(f->name), room = (size_t)rooms[k] - word;
			/* A name of many bytes may be so long that the shortest alone has room for it. */
			const bool fits = strlen(said) <= room + (worded ? 2 : 0) ||
					  (k == 0 && strstr(f->text, "é") != NULL);
			CHECK_INT(strncmp(said, f->text, worded ? colon + 2 : 0), 0);
			if (!fits || strpbrk(said, "0123456789") == NULL)
				TEST_FAIL("%s: %s", f->name, said);
		}
	}
}

/* Let time go on and have it judged. */
static inline void world_pass(struct world *w, uint64_t ns)
{
	w->now += ns;
	model_drained(w->feed.m);
	model_set_now(w->feed.m, w->now);
	stw_advance(w->stw, w->now);
	if (w->sampled && w->now - w->sampled_at >= WORLD_SECOND)
		world_sample(w);
	advice_advance(w->advice, w->now);
	sentences_fit(w);
}

/* The domain that has a role. */
static inline unsigned world_domain(const struct world *w, unsigned role)
{
	return (role + w->turn) % w->domains;
}

/* A domain's part of a stop that begins at `at` and whose barrier opens at `open`. */
static inline void world_part(
    struct world *w, const struct world_stop *s, unsigned role, uint64_t at, uint64_t arrive, uint64_t open)
{
	struct feed *f = &w->feed;
	const unsigned domain = world_domain(w, role);
	bool leader = role == 0, idle = role >= w->domains - w->idle;
	uint64_t over = open + s->minor_ns;

	if (!leader && !idle)
		begin(f, domain, at, RTEV_PHASE_INTERRUPT_REMOTE);
	begin(f, domain, at, leader ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
	span(f, domain, arrive, open, RTEV_PHASE_STW_API_BARRIER);
	begin(f, domain, open, RTEV_PHASE_MINOR);
	if (s->inside != RTEV_PHASE_MINOR)
		span(f, domain, open, over, s->inside);
	const uint64_t promoted = s->shared ? s->promoted * (w->domains - w->idle) / w->domains
				  : idle    ? 0
					    : s->promoted;
	counter(f, domain, over, RTEV_COUNTER_MINOR_PROMOTED, (int64_t)promoted);
	counter(f, domain, over, RTEV_COUNTER_MINOR_ALLOCATED, idle ? 0 : (int64_t)s->allocated);
	end(f, domain, over, RTEV_PHASE_MINOR);
	end(f, domain, over, leader ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
	if (!leader && !idle)
		end(f, domain, over, RTEV_PHASE_INTERRUPT_REMOTE);
	if (s->slice_ns != 0 && !idle)
		span(f, domain, over, over + s->slice_ns, RTEV_PHASE_MAJOR_SLICE);
}

/* One stop, now. */
static inline void world_stop(struct world *w, const struct world_stop *s)
{
	uint64_t at = w->now, busy = at + s->late_ns + 1000, idle = at + s->idle_late_ns + 2000, open = busy;
	uint64_t others = s->late_alone != 0 ? at + 1000 : busy;

	if (w->idle > 0 && idle > open)
		open = idle;
	for (unsigned d = 0; d < w->domains; d++)
		world_part(w, s, d, d == 0 ? at : at + 500,
		    d == 0			? at + 500
		    : d >= w->domains - w->idle ? idle
		    : d == s->late_alone	? busy
						: others,
		    open);
}

/* Stops for some seconds. */
static inline void world_run(struct world *w, const struct world_stop *s, double seconds)
{
	uint64_t end = w->now + (uint64_t)(seconds * 1e9);

	while (w->now < end) {
		world_stop(w, s);
		world_pass(w, s->every_ns);
	}
}

/* A call of the Gc module on domain 0. */
static inline void world_explicit(struct world *w, rtev_phase phase, uint64_t ns)
{
	span(&w->feed, 0, w->now, w->now + ns, phase);
	world_pass(w, ns);
}

/* Domain 1 is spawned, and ends: it stops domain 0 for so long. */
static inline void world_domain_lives(struct world *w, uint64_t stop_ns)
{
	struct feed *f = &w->feed;
	uint64_t at;

	life(f, 1, w->now, RTEV_LIFECYCLE_DOMAIN_SPAWN, 42);
	world_pass(w, WORLD_MS);
	at = w->now;
	begin(f, 1, at, RTEV_PHASE_STW_LEADER);
	begin(f, 0, at + 10, RTEV_PHASE_STW_HANDLER);
	counter(f, 1, at + stop_ns, RTEV_COUNTER_MINOR_ALLOCATED, 1760);
	counter(f, 0, at + stop_ns, RTEV_COUNTER_MINOR_ALLOCATED, 1760);
	end(f, 0, at + 10 + stop_ns, RTEV_PHASE_STW_HANDLER);
	end(f, 1, at + stop_ns, RTEV_PHASE_STW_LEADER);
	life(f, 1, at + stop_ns + 500, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 42);
	world_pass(w, WORLD_MS + stop_ns);
}

/* A program that nothing is wrong with: half of what it could allocate. */
static const struct world_stop well = {.every_ns = 20 * WORLD_MS,
    .minor_ns = 400000,
    .allocated = 2 * MIB,
    .promoted = MIB / 16,
    .inside = RTEV_PHASE_MINOR};

/* A machine on which it runs alone: four cores, no quota, memory enough. */
static inline void be_sampled(struct world *w)
{
	w->sampled = true;
	w->values[SYSTEM_CPU_USER] = w->domains * WORLD_SECOND;
	w->values[SYSTEM_RUN] = w->domains * WORLD_SECOND;
	w->values[SYSTEM_CORES] = w->values[SYSTEM_AFFINITY] = 4000;
	w->values[SYSTEM_MACHINE_RUN] = w->domains * WORLD_SECOND;
	w->values[SYSTEM_QUOTA] = SYSTEM_NO_LIMIT;
	w->values[SYSTEM_MEMORY_LIMIT] = w->values[SYSTEM_ADDRESS_LIMIT] = SYSTEM_NO_LIMIT;
	w->values[SYSTEM_MACHINE_MEMORY] = 16 * GIB;
	w->values[SYSTEM_RESIDENT] = 50 * MIB;
	w->unknown = UINT64_C(1) << SYSTEM_ANON;
}

static inline struct world *sampled_world(unsigned domains, unsigned idle)
{
	struct world *w = world_begin(domains, idle, false);

	be_sampled(w);
	return w;
}

/* What one domain tells of the heap at the end of a cycle, in words; the last of a cycle. */
static inline void cycle(
    struct world *w, unsigned domain, uint64_t pool, uint64_t live, uint64_t large, uint64_t fragments)
{
	struct feed *f = &w->feed;

	counter(f, domain, w->now, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, (int64_t)pool);
	counter(f, domain, w->now, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, (int64_t)live);
	counter(f, domain, w->now, RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, (int64_t)large);
	counter(f, domain, w->now, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS, (int64_t)fragments);
	counter(f, domain, w->now, RTEV_COUNTER_MAJOR_HEAP_LARGE_BLOCKS, 1);
}

/* The finding of a rule; NULL: there is none. */
static inline const struct advice_finding *finding(const struct world *w, const char *name)
{
	return advice_found(w->advice, name);
}

/* The number of serious findings. */
static inline unsigned serious(const struct advice *a)
{
	unsigned found = 0;
	size_t count;
	const struct advice_finding *findings = advice_findings(a, &count);

	for (size_t i = 0; i < count; i++)
		found += findings[i].severity == ADVICE_SERIOUS;
	return found;
}

/* Why a rule was left out; "": it was not. */
static inline const char *left_out(const struct world *w, const char *name)
{
	size_t count;
	const struct advice_left_out *left = advice_left_out(w->advice, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(left[i].name, name) == 0)
			return left[i].why;
	return "";
}

/* What the findings leave open. */
static inline const char *summary(const struct world *w)
{
	bool unexplained;

	return advice_summary(w->advice, &unexplained);
}

/* This finding comes first. */
static inline const struct advice_finding *first(const struct world *w, const char *name)
{
	size_t count;
	const struct advice_finding *findings = advice_findings(w->advice, &count);

	CHECK(count > 0);
	CHECK_STR(findings[0].name, name);
	return &findings[0];
}

/* There is none. */
static inline void nothing(const struct world *w)
{
	size_t count;
	const struct advice_finding *findings = advice_findings(w->advice, &count);

	if (count > 0)
		TEST_FAIL("there is a finding: %s: %s", findings[0].name, findings[0].text);
}
