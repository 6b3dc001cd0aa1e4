/*
 * test_demo_workload.c - what the demo makes up is what an OCaml 5.3 program could record, at the rate asked
 * for, and the same for the same seed.
 *
 * The linker sends the workload's allocations here (--wrap).
 */
#include "demo/workload.h"
#include "rtev/producer.h"
#include "support/test.h"

#define DOMAINS_MAX 128
#define DEPTH_MAX 32
#define SECOND UINT64_C(1000000000)

void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);

static uint64_t allocations, fail_at;

void *__wrap_calloc(size_t count, size_t size)
{
	return ++allocations == fail_at ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return ++allocations == fail_at ? NULL : __real_reallocarray(old, count, size);
}

/* What is known of one slot while its scripts go by. */
struct slot {
	bool live;
	uint64_t last_ts;
	uint16_t stack[DEPTH_MAX];
	unsigned depth;
	uint64_t outer_since, gc_ns; /* time in phases, waiting for a condition apart */
	uint64_t born, lived_ns;
	bool in_request, in_query;
	int64_t context, fiber; /* the fiber that runs, 0: none; of it that which was made last */
	int64_t made;
	uint64_t run_since;
	bool idle;
	int64_t promoted; /* of the last such counter, -1: none before the next allocated */
	int64_t allocated;
	uint64_t work, target;	     /* of the pacing */
	uint16_t last_kind, last_id; /* the last event */
};

/* Sums over a whole run. */
struct sums {
	struct slot slots[DOMAINS_MAX];
	uint64_t events, minors, spawns, terminates, pauses, forks, waits;
	bool paused;
	uint64_t stalls; /* runs of 80 ms */
	uint64_t counts[SCRIPT_KINDS];
	bool phases[RTEV_PHASE_COUNT];
	uint64_t hash;
};

/* Check a phase's begin or end. */
static void check_phase(struct sums *s, struct slot *slot, const struct script_event *e)
{
	CHECK(rtev_phase_to_id(RTEV_RELEASE_5_3, e->id) >= 0);
	s->phases[e->id] = true;
	if (e->kind == SCRIPT_BEGIN) {
		CHECK(slot->depth < DEPTH_MAX);
		if (slot->depth == 0)
			slot->outer_since = e->ts;
		slot->stack[slot->depth++] = e->id;
		s->waits += e->id == RTEV_PHASE_DOMAIN_CONDITION_WAIT;
		return;
	}
	CHECK(slot->depth > 0);
	CHECK_INT(slot->stack[slot->depth - 1], e->id);
	slot->depth--;
	if (slot->depth == 0 && e->id != RTEV_PHASE_DOMAIN_CONDITION_WAIT)
		slot->gc_ns += e->ts - slot->outer_since;
	if (e->id == RTEV_PHASE_MINOR) {
		/* The two counters and then the end: by this a reader knows the release. */
		CHECK(slot->last_kind == SCRIPT_COUNTER && slot->last_id == RTEV_COUNTER_MINOR_ALLOCATED);
		s->minors++;
	}
}

/* Check a counter. */
static void check_counter(struct slot *slot, const struct script_event *e)
{
	CHECK(rtev_counter_to_id(RTEV_RELEASE_5_3, e->id) >= 0);
	CHECK(e->value >= 0);
	switch (e->id) {
	case RTEV_COUNTER_MINOR_PROMOTED:
		CHECK(e->value % 8 == 0);
		slot->promoted = e->value;
		break;
	case RTEV_COUNTER_MINOR_ALLOCATED:
		CHECK(e->value % 8 == 0 && e->value <= 256 * 1024 * 8);
		CHECK(slot->promoted >= 0 && slot->promoted <= e->value);
		slot->promoted = -1;
		break;
	case RTEV_COUNTER_MAJOR_HEAP_WORDS:
		CHECK(e->value > 100000 && e->value < 20000000);
		break;
	case RTEV_COUNTER_MAJOR_ALLOCATED_WORDS:
		CHECK(slot->last_kind == SCRIPT_COUNTER && slot->last_id == RTEV_COUNTER_MAJOR_HEAP_WORDS);
		slot->allocated = e->value;
		break;
	case RTEV_COUNTER_MAJOR_ALLOCATED_WORK:
		CHECK_INT(e->value, slot->allocated * 4);
		break;
	case RTEV_COUNTER_MAJOR_WORK_COUNTER:
		slot->work = (uint64_t)e->value;
		break;
	case RTEV_COUNTER_MAJOR_SLICE_TARGET:
		CHECK((uint64_t)e->value >= slot->work);
		CHECK((uint64_t)e->value >= slot->target);
		slot->target = (uint64_t)e->value;
		break;
	default:
		break;
	}
}

/* Check an event of a fiber: it is made in its domain's context, runs while its domain is not idle, and serves a request. */
static void check_fiber(struct sums *s, struct slot *slot, const struct script_event *e)
{
	uint64_t run = e->ts - slot->run_since;

	switch (e->kind) {
	case SCRIPT_CONTEXT:
		CHECK(e->value > 0 && e->value != slot->context);
		slot->context = e->value;
		slot->idle = false;
		break;
	case SCRIPT_NAME:
		CHECK(e->value == slot->context);
		break;
	case SCRIPT_FIBER_MADE:
		CHECK(e->id == slot->context && e->value > slot->made && slot->fiber == 0);
		slot->made = e->value;
		break;
	case SCRIPT_FIBER_RUNS:
		CHECK(!slot->idle && slot->fiber == 0 && e->value == slot->made);
		slot->fiber = e->value;
		slot->run_since = e->ts;
		break;
	case SCRIPT_IDLE:
		CHECK(slot->fiber == 0 && slot->idle != (e->value != 0));
		slot->idle = e->value != 0;
		break;
	case SCRIPT_SPAN:
		CHECK(slot->fiber != 0 && slot->in_request);
		break;
	default:
		CHECK(slot->fiber == e->value && slot->in_query == (e->kind == SCRIPT_SUSPEND));
		s->stalls += run >= 80000000 && run < 90000000;
		slot->fiber = 0;
		break;
	}
}

/* Check one event. */
static void check_event(struct sums *s, struct slot *slot, const struct script_event *e)
{
	CHECK(slot->live);
	CHECK(e->ts >= slot->last_ts);
	slot->last_ts = e->ts;
	CHECK(e->kind < SCRIPT_KINDS);
	s->counts[e->kind]++;
	s->hash = (s->hash ^ e->ts ^ (uint64_t)e->value << 20 ^ (uint64_t)e->kind << 50 ^ e->id) *
		  UINT64_C(1099511628211);
	if (e->kind == SCRIPT_BEGIN || e->kind == SCRIPT_END)
		check_phase(s, slot, e);
	else if (e->kind == SCRIPT_COUNTER)
		check_counter(slot, e);
	else if (e->kind == SCRIPT_REQUEST) {
		CHECK(slot->in_request != (e->value != 0) && !slot->in_query);
		slot->in_request = e->value != 0;
	} else if (e->kind == SCRIPT_QUERY) {
		CHECK(slot->in_request && slot->in_query != (e->value != 0));
		slot->in_query = e->value != 0;
	} else if (e->kind >= SCRIPT_CONTEXT) {
		check_fiber(s, slot, e);
	} else if (e->kind == SCRIPT_ALLOC) {
		CHECK(e->value >= 0);
		return;
	}
	slot->last_kind = e->kind;
	slot->last_id = e->id;
	s->events++;
}

/* Check which domains a round has, and what it asks of the producer. */
static void check_round(struct sums *s, const struct workload_options *o, const struct workload *w,
    const struct workload_round *round)
{
	bool free_below = false;

	for (unsigned i = 0; i < o->domains; i++) {
		struct slot *slot = &s->slots[i];
		bool live = workload_script(w, i) != NULL;
		if (live && !slot->live) {
			/* New domains have the lowest free slots. */
			CHECK(!free_below);
			slot->born = round->start;
			s->spawns++;
		} else if (slot->live && !live) {
			CHECK(i != 0 && slot->depth == 0 && !slot->in_request);
			slot->lived_ns += round->start - slot->born;
			s->terminates++;
		}
		slot->live = live;
		free_below = free_below || !live;
	}
	CHECK(o->pause || !round->paused);
	CHECK(o->fork || !round->fork);
	s->pauses += round->paused && !s->paused;
	s->paused = round->paused;
	s->forks += round->fork;
}

/* Play a workload for some virtual time. */
static struct sums *play(struct workload_options o, uint64_t seconds)
{
	struct workload *w = workload_create(&o);
	struct workload_round round = {0};
	static struct sums s;

	memset(&s, 0, sizeof(s));
	s.slots[0].live = true;
	for (unsigned i = 0; i < DOMAINS_MAX; i++)
		s.slots[i].promoted = -1;
	uint64_t end = 0;
	while (end < seconds * SECOND) {
		workload_round(w, &round);
		CHECK_INT(round.start, end);
		CHECK(round.end > round.start);
		check_round(&s, &o, w, &round);
		for (unsigned i = 0; i < o.domains; i++) {
			const struct script *script = workload_script(w, i);
			for (size_t j = 0; script != NULL && j < script->count; j++) {
				check_event(&s, &s.slots[i], &script->events[j]);
				CHECK(
				    script->events[j].ts >= round.start && script->events[j].ts <= round.end);
			}
			/* Between rounds nobody collects. */
			CHECK(s.slots[i].depth == 0 ||
			      (s.slots[i].depth == 1 &&
				  s.slots[i].stack[0] == RTEV_PHASE_DOMAIN_CONDITION_WAIT));
		}
		end = round.end;
	}
	for (unsigned i = 0; i < o.domains; i++)
		if (s.slots[i].live)
			s.slots[i].lived_ns += end - s.slots[i].born;
	workload_destroy(w);
	return &s;
}

/* The default demo for two minutes: everything comes up, in the right proportions. */
TEST(test_default)
{
	struct workload_options o = {.domains = 4, .rate = 20000, .seed = 1, .pause = true, .fork = true};
	const struct sums *s = play(o, 120);

	CHECK_NEAR((double)s->events / 120, 20000, 400);
	CHECK(s->spawns > 5 && s->terminates >= 3 && s->spawns <= s->terminates + 3);
	CHECK(s->pauses > 10 && s->forks >= 3 && s->waits > 5);
	for (unsigned i = 0; i < 4; i++) {
		double share = (double)s->slots[i].gc_ns / (double)s->slots[i].lived_ns;
		if (share < 0.03 || share > 0.15)
			TEST_FAIL("domain %u collects %.1f %% of its time", i, share * 100);
	}
	static const rtev_phase wanted[] = {RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR, RTEV_PHASE_EXPLICIT_GC_COMPACT,
	    RTEV_PHASE_MINOR, RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE, RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE,
	    RTEV_PHASE_STW_LEADER, RTEV_PHASE_STW_HANDLER, RTEV_PHASE_STW_API_BARRIER,
	    RTEV_PHASE_MINOR_LEAVE_BARRIER, RTEV_PHASE_MAJOR, RTEV_PHASE_MAJOR_SLICE, RTEV_PHASE_MAJOR_SWEEP,
	    RTEV_PHASE_MAJOR_MARK, RTEV_PHASE_MAJOR_GC_PHASE_CHANGE, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS,
	    RTEV_PHASE_MAJOR_GC_STW, RTEV_PHASE_COMPACT, RTEV_PHASE_COMPACT_EVACUATE,
	    RTEV_PHASE_COMPACT_FORWARD, RTEV_PHASE_COMPACT_RELEASE, RTEV_PHASE_INTERRUPT_REMOTE,
	    RTEV_PHASE_DOMAIN_CONDITION_WAIT};
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		CHECK(s->phases[wanted[i]]);
	/* A domain has a context for all its fibers; of those three stall their loops at first, then one every 9 s. */
	for (unsigned kind = 0; kind < SCRIPT_KINDS; kind++)
		CHECK(s->counts[kind] > 50 || kind == SCRIPT_CONTEXT || kind == SCRIPT_NAME ||
		      kind == SCRIPT_SPAN);
	CHECK(s->counts[SCRIPT_CONTEXT] >= 4 && s->counts[SCRIPT_CONTEXT] == s->counts[SCRIPT_NAME]);
	CHECK(s->stalls >= 11 && s->counts[SCRIPT_SPAN] >= 14);
}

/* Any number of domains, any rate. */
TEST(test_rates)
{
	static const struct {
		unsigned domains, seconds;
		uint64_t rate;
	} cases[] = {{1, 600, 100}, {4, 1200, 100}, {4, 300, 1000}, {1, 30, 20000}, {16, 60, 20000},
	    {128, 200, 20000}, {4, 20, 200000}, {2, 5, 2000000}, {2, 1, 30000000}, {128, 5, 3000000}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct workload_options o = {
		    .domains = cases[i].domains, .rate = cases[i].rate, .seed = i + 7, .pause = i % 2 == 0};
		const struct sums *s = play(o, cases[i].seconds);
		double rate = (double)s->events / cases[i].seconds;
		printf("%u domains, %" PRIu64 "/s: %.0f/s, %.1f minor/s, GC %.2f %%\n", o.domains, o.rate,
		    rate, (double)s->minors / cases[i].seconds / o.domains,
		    100.0 * (double)s->slots[0].gc_ns / (double)s->slots[0].lived_ns);
		CHECK_NEAR(rate / (double)o.rate, 1, 0.05);
		CHECK(s->minors > 0);
	}
}

/* The first collection, which tells readers the release, comes at once at any rate. */
TEST(test_first)
{
	struct workload_options o = {.domains = 4, .rate = 100, .seed = 3};
	struct workload *w = workload_create(&o);
	struct workload_round round;

	workload_round(w, &round);
	CHECK(round.end < SECOND / 10);
	const struct script *script = workload_script(w, 0);
	bool seen = false;
	for (size_t i = 0; i < script->count; i++)
		seen = seen ||
		       (script->events[i].kind == SCRIPT_END && script->events[i].id == RTEV_PHASE_MINOR);
	CHECK(seen);
	workload_destroy(w);
}

TEST(test_repeatable)
{
	struct workload_options o = {.domains = 4, .rate = 20000, .seed = 42, .pause = true, .fork = true};
	uint64_t first = play(o, 10)->hash;

	CHECK(play(o, 10)->hash == first);
	o.seed = 43;
	CHECK(play(o, 10)->hash != first);
}

/* Every allocation fails once: the caller is told, whether when the workload is made or in a round. */
TEST(test_memory_runs_out)
{
	const struct workload_options o = {.domains = 4, .rate = 200000, .seed = 7};
	bool failed = true;

	for (uint64_t at = 1; failed; at++) {
		allocations = 0;
		fail_at = at;
		struct workload *w = workload_create(&o);
		CHECK((w == NULL) == (at == 1));
		failed = w == NULL;
		for (int i = 0; i < 40 && !failed; i++) {
			struct workload_round round;
			failed = !workload_round(w, &round);
			CHECK(failed == (allocations >= at));
		}
		workload_destroy(w);
		CHECK(at < 1000);
	}
	CHECK(fail_at > 10);
	fail_at = 0;
}
