/*
 * gc.c - collections as OCaml 5.3 records them: how phases nest, which domain waits for which, and counters
 * that are consistent.
 *
 * All domains collect together.  One is the leader (stw_leader), the others are interrupted (stw_handler).
 * No domain leaves a barrier before the last has reached it.  `work` advances the clock of one domain, a
 * barrier those of all.  The shapes are taken from rings that OCaml 5.3.0 wrote.
 */
#include "demo/state.h"

#define SECOND UINT64_C(1000000000)
#define MICROSECOND UINT64_C(1000)

/* The collector's estimate of the work that an allocated word causes. */
#define WORK_PER_WORD 4

/* The size that the heap of a domain grows to, in words. */
#define HEAP_WORDS 3000000u

/* Durations of the parts of explicitly requested cycles. */
#define FINISH_SWEEP (700 * MICROSECOND)
#define FINISH_MARK (1500 * MICROSECOND)
#define EVACUATE (2500 * MICROSECOND)

/* Events that an explicit collection records on each domain, and the share of all events that they may make
 * up. */
#define EXPLICIT_EVENTS 260.0
#define EXPLICIT_SHARE 0.05

/* A stop-the-world section. */
struct section {
	unsigned leader;
	uint64_t scale; /* mean duration of a minor collection in it */
};

static void begin(struct workload *w, struct actor *a, rtev_phase phase)
{
	actor_put(w, a, SCRIPT_BEGIN, phase, 0);
}

static void end(struct workload *w, struct actor *a, rtev_phase phase)
{
	actor_put(w, a, SCRIPT_END, phase, 0);
}

static void counter(struct workload *w, struct actor *a, rtev_counter c, uint64_t value)
{
	a->clock += random_between(w, 30, 70);
	actor_put(w, a, SCRIPT_COUNTER, c, (int64_t)value);
}

/* Advance the clock of a domain. */
static void work(struct workload *w, struct actor *a, uint64_t ns)
{
	a->clock += ns / 2 + random_below(w, ns + 1);
}

/* Record a phase without phases inside. */
static void phase_for(struct workload *w, struct actor *a, rtev_phase phase, uint64_t ns)
{
	begin(w, a, phase);
	work(w, a, ns);
	end(w, a, phase);
	work(w, a, 60);
}

/* The next live domain from slot *i on, NULL at the end. */
static struct actor *live_from(struct workload *w, unsigned *i)
{
	for (; *i < w->options.domains; (*i)++)
		if (w->actors[*i].live)
			return &w->actors[*i];
	return NULL;
}

/* Make all domains wait for the last.  The first to arrive are the last to notice that it has. */
static void barrier(struct workload *w)
{
	uint64_t last = 0;
	struct actor *a;

	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		last = a->clock > last ? a->clock : last;
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		a->clock = last + random_between(w, 100, 2000);
}

/* Stop all domains.  Each serves requests until it notices the interrupt; now and then one notices late. */
static void stop_world(struct workload *w, unsigned leader)
{
	struct actor *l = &w->actors[leader], *a;
	uint64_t at = l->clock;
	unsigned late = random_below(w, 5) == 0 ? (unsigned)random_below(w, w->options.domains) : leader;

	begin(w, l, RTEV_PHASE_STW_LEADER);
	work(w, l, 400);
	begin(w, l, RTEV_PHASE_STW_API_BARRIER);
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		if (i == leader)
			continue;
		uint64_t notice = at + random_between(w, 1000, 12000);
		if (i == late)
			notice += random_long(w, w->gc_scale);
		actor_serve(w, a, notice);
		if (a->clock < notice)
			a->clock = notice;
		a->interrupted = random_below(w, 8) == 0;
		if (a->interrupted) {
			begin(w, a, RTEV_PHASE_INTERRUPT_REMOTE);
			work(w, a, 300);
		}
		begin(w, a, RTEV_PHASE_STW_HANDLER);
		work(w, a, 200);
		begin(w, a, RTEV_PHASE_STW_API_BARRIER);
	}
	barrier(w);
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		end(w, a, RTEV_PHASE_STW_API_BARRIER);
		work(w, a, 200);
	}
}

/* Resume one domain after a stop. */
static void resume_one(struct workload *w, struct actor *a, bool leader)
{
	work(w, a, 150);
	end(w, a, leader ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
	if (a->interrupted) {
		work(w, a, 200);
		end(w, a, RTEV_PHASE_INTERRUPT_REMOTE);
		a->interrupted = false;
	}
}

/* Resume all domains. */
static void resume_world(struct workload *w, unsigned leader)
{
	struct actor *a;

	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		resume_one(w, a, i == leader);
}

/* Promote what survives in a minor heap: a few percent, rarely a lot.  Returns words. */
static uint64_t promote(struct workload *w, struct actor *a)
{
	uint64_t bytes = random_long(w, a->minor_bytes / 24) & ~UINT64_C(7);

	if (bytes > a->minor_bytes)
		bytes = a->minor_bytes;
	uint64_t words = bytes / WORD_BYTES;
	a->pool += words;
	/* A part is long-lived until the heap is large; then as much dies as is promoted. */
	uint64_t dead = a->pool < HEAP_WORDS / 2 ? words * 4 / 5
			: a->pool < HEAP_WORDS	 ? words * 19 / 20
						 : words * 5 / 4;
	a->garbage += dead;
	if (a->garbage > a->pool / 2)
		a->garbage = a->pool / 2;
	a->since_slice += words;
	a->blocks += words / 4;
	return words;
}

/* Collect the minor heap of one domain: about `ns`, more if much survives. */
static void minor_one(struct workload *w, struct actor *a, bool leader, uint64_t ns)
{
	uint64_t words = promote(w, a), allocated = a->minor_bytes;
	uint64_t part = allocated != 0 ? ns / 3 + ns * 8 * words * WORD_BYTES / allocated : ns / 20;

	begin(w, a, RTEV_PHASE_MINOR);
	work(w, a, 60);
	if (leader)
		phase_for(w, a, RTEV_PHASE_MINOR_GLOBAL_ROOTS, 300 + part / 30);
	begin(w, a, RTEV_PHASE_MINOR_REMEMBERED_SET);
	work(w, a, 100 + part / 10);
	phase_for(w, a, RTEV_PHASE_MINOR_FINALIZERS_OLDIFY, 100);
	phase_for(w, a, RTEV_PHASE_MINOR_MEMPROF_ROOTS, 120);
	phase_for(w, a, RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE, 100 + part / 2);
	end(w, a, RTEV_PHASE_MINOR_REMEMBERED_SET);
	begin(w, a, RTEV_PHASE_MINOR_LOCAL_ROOTS);
	work(w, a, 300 + part / 20);
	phase_for(w, a, RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE, 100 + part / 4);
	end(w, a, RTEV_PHASE_MINOR_LOCAL_ROOTS);
	phase_for(w, a, RTEV_PHASE_MINOR_MEMPROF_CLEAN, 150);
	work(w, a, 500);
	counter(w, a, RTEV_COUNTER_MINOR_PROMOTED, words * WORD_BYTES);
	counter(w, a, RTEV_COUNTER_MINOR_ALLOCATED, allocated);
	work(w, a, 40);
	end(w, a, RTEV_PHASE_MINOR);
	a->minor_bytes = 0;
}

/* Collect the minor heaps of all domains. */
static void minor_all(struct workload *w, const struct section *s)
{
	struct actor *a;

	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		minor_one(w, a, i == s->leader, s->scale);
		work(w, a, 60);
		begin(w, a, RTEV_PHASE_MINOR_LEAVE_BARRIER);
	}
	barrier(w);
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		end(w, a, RTEV_PHASE_MINOR_LEAVE_BARRIER);
		work(w, a, 60);
		phase_for(w, a, RTEV_PHASE_MINOR_FINALIZED, 80);
		phase_for(w, a, RTEV_PHASE_MINOR_FINALIZERS_ADMIN, 100);
		phase_for(w, a, RTEV_PHASE_MINOR_CLEAR, 60);
	}
}

/* Record the counters before a major slice.  They are consistent: allocation since the domain's last slice
 * raises the target, work done follows it. */
static void slice_counters(struct workload *w, struct actor *a)
{
	uint64_t allocated = a->since_slice * WORK_PER_WORD, behind;

	w->alloc_counter += allocated;
	behind = w->alloc_counter - w->work_counter;
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_WORDS, a->pool + a->large);
	counter(w, a, RTEV_COUNTER_MAJOR_ALLOCATED_WORDS, a->since_slice);
	counter(w, a, RTEV_COUNTER_MAJOR_ALLOCATED_WORK, allocated);
	counter(w, a, RTEV_COUNTER_MAJOR_DEPENDENT_WORK, 0);
	counter(w, a, RTEV_COUNTER_MAJOR_EXTRA_WORK, 0);
	counter(w, a, RTEV_COUNTER_MAJOR_WORK_COUNTER, w->work_counter);
	counter(w, a, RTEV_COUNTER_MAJOR_ALLOC_COUNTER, w->alloc_counter);
	counter(w, a, RTEV_COUNTER_MAJOR_SLICE_TARGET, w->alloc_counter);
	counter(w, a, RTEV_COUNTER_MAJOR_SLICE_BUDGET, behind / 2);
	w->work_counter += behind / 2;
	a->since_slice = 0;
}

/* Sweep: free a part of the garbage. */
static void sweep(struct workload *w, struct actor *a, uint64_t ns, uint64_t divisor)
{
	uint64_t freed = a->garbage / divisor;

	phase_for(w, a, RTEV_PHASE_MAJOR_SWEEP, ns);
	a->pool -= freed < a->pool ? freed : a->pool;
	a->garbage -= freed;
}

/* Allocate a large block directly in the major heap, now and then. */
static void large_block(struct workload *w, struct actor *a)
{
	uint64_t words = random_long(w, 30000);

	if (random_below(w, 40) != 0)
		return;
	if (random_below(w, 3) == 0)
		counter(w, a, RTEV_COUNTER_REQUEST_MAJOR_ALLOC_SHR, 1);
	a->since_slice += words;
	a->big_blocks++;
	a->large = a->large > 600000 ? a->large / 3 : a->large + words;
}

/* Run a major slice on one domain, in the current phase of the cycle. */
static void slice_one(struct workload *w, struct actor *a, uint64_t ns)
{
	large_block(w, a);
	begin(w, a, RTEV_PHASE_MAJOR);
	slice_counters(w, a);
	work(w, a, 100);
	begin(w, a, RTEV_PHASE_MAJOR_SLICE);
	work(w, a, 100);
	switch (w->cycle) {
	case CYCLE_SWEEP:
		sweep(w, a, ns, w->cycle_rounds + 1);
		if (w->cycle_rounds == 0)
			phase_for(w, a, RTEV_PHASE_MAJOR_MARK, ns / 4);
		break;
	case CYCLE_MARK:
		phase_for(w, a, RTEV_PHASE_MAJOR_MARK, ns);
		if (random_below(w, 8) == 0)
			phase_for(w, a, RTEV_PHASE_MAJOR_EPHE_MARK, 500);
		break;
	case CYCLE_MARKED:
		phase_for(w, a, RTEV_PHASE_FINALISE_UPDATE_FIRST, 150);
		break;
	case CYCLE_FINALISED:
		phase_for(w, a, RTEV_PHASE_MAJOR_EPHE_SWEEP, 300);
		phase_for(w, a, RTEV_PHASE_FINALISE_UPDATE_LAST, 150);
		break;
	}
	end(w, a, RTEV_PHASE_MAJOR_SLICE);
	work(w, a, 60);
	end(w, a, RTEV_PHASE_MAJOR);
}

/* Run a major slice on all domains. */
static void slice_all(struct workload *w)
{
	struct actor *a;

	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		if (!a->waiting)
			slice_one(w, a, random_long(w, w->gc_scale / 2));
}

/* Record the heap gauges of one domain. */
static void heap_counters(struct workload *w, struct actor *a)
{
	uint64_t fragments = a->pool / 900;

	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, a->pool);
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, a->pool - fragments - a->garbage / 8);
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, a->large);
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS, fragments);
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_BLOCKS, (a->pool - fragments) / 4);
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_LARGE_BLOCKS, 1 + a->large / 20000);
}

/* Record the histogram of sizes allocated in the major heap since the last time. */
static void alloc_histogram(struct workload *w, struct actor *a)
{
	/* Blocks of each size, in a thousand. */
	static const struct {
		uint16_t words, share;
	} sizes[] = {{1, 60}, {2, 290}, {3, 270}, {4, 130}, {5, 80}, {6, 45}, {7, 30}, {8, 25}, {9, 15},
	    {12, 24}, {25, 12}, {34, 6}, {47, 4}, {52, 3}, {64, 3}, {75, 1}, {88, 1}, {95, 1}};

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t count = a->blocks * sizes[i].share / 1000;
		count += random_below(w, count / 4 + 2);
		actor_put(w, a, SCRIPT_ALLOC, sizes[i].words, (int64_t)count);
	}
	actor_put(w, a, SCRIPT_ALLOC, 1000, (int64_t)a->big_blocks);
	actor_put(w, a, SCRIPT_ALLOC_FLUSH, 0, 0);
	a->blocks = a->big_blocks = 0;
}

/* Compact the heaps of all domains: three steps with a barrier after each. */
static void compact_all(struct workload *w)
{
	static const struct {
		rtev_phase phase;
		uint64_t ns;
	} steps[] = {{RTEV_PHASE_COMPACT_EVACUATE, EVACUATE}, {RTEV_PHASE_COMPACT_FORWARD, EVACUATE * 2},
	    {RTEV_PHASE_COMPACT_RELEASE, EVACUATE / 8}};
	struct actor *a;

	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		begin(w, a, RTEV_PHASE_COMPACT);
	for (unsigned step = 0; step < sizeof(steps) / sizeof(steps[0]); step++) {
		for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
			phase_for(w, a, steps[step].phase, steps[step].ns);
		barrier(w);
	}
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		a->pool -= a->pool / 20;
		end(w, a, RTEV_PHASE_COMPACT);
		work(w, a, 100);
	}
}

/* End a major cycle and begin the next one, with all domains stopped. */
static void cycle_domains(struct workload *w, const struct section *s, bool compaction)
{
	struct actor *a;

	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		phase_for(w, a, RTEV_PHASE_MAJOR_MEMPROF_CLEAN, 300);
		begin(w, a, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS);
		work(w, a, 200);
	}
	minor_all(w, s);
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		begin(w, a, RTEV_PHASE_MAJOR_GC_STW);
		heap_counters(w, a);
	}
	barrier(w);
	if (compaction)
		compact_all(w);
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		phase_for(w, a, RTEV_PHASE_MAJOR_MARK_ROOTS, 1500 + s->scale / 40);
		phase_for(w, a, RTEV_PHASE_MAJOR_MEMPROF_ROOTS, 90);
		alloc_histogram(w, a);
		end(w, a, RTEV_PHASE_MAJOR_GC_STW);
		work(w, a, 100);
		end(w, a, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS);
	}
	w->cycle = CYCLE_SWEEP;
	w->cycle_rounds = w->sweep_rounds = (unsigned)random_between(w, 6, 10);
}

/* End a phase of the major cycle on all domains. */
static void change_phase(struct workload *w, unsigned leader)
{
	struct actor *a;

	stop_world(w, leader);
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		phase_for(w, a, RTEV_PHASE_MAJOR_GC_PHASE_CHANGE, 800);
	barrier(w);
	resume_world(w, leader);
}

/* Finish the current cycle with all domains stopped: run slices until no work is left. */
static void finish_cycle(struct workload *w)
{
	struct actor *a;

	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		begin(w, a, RTEV_PHASE_MAJOR_FINISH_CYCLE);
		slice_counters(w, a);
		begin(w, a, RTEV_PHASE_MAJOR_SLICE);
		sweep(w, a, FINISH_SWEEP, 1);
		phase_for(w, a, RTEV_PHASE_MAJOR_MARK, random_long(w, FINISH_MARK));
		begin(w, a, RTEV_PHASE_MAJOR_GC_PHASE_CHANGE);
	}
	barrier(w);
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		end(w, a, RTEV_PHASE_MAJOR_GC_PHASE_CHANGE);
		phase_for(w, a, RTEV_PHASE_FINALISE_UPDATE_FIRST, 150);
		end(w, a, RTEV_PHASE_MAJOR_SLICE);
		slice_counters(w, a);
		begin(w, a, RTEV_PHASE_MAJOR_SLICE);
		begin(w, a, RTEV_PHASE_MAJOR_GC_PHASE_CHANGE);
	}
	barrier(w);
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		end(w, a, RTEV_PHASE_MAJOR_GC_PHASE_CHANGE);
		phase_for(w, a, RTEV_PHASE_FINALISE_UPDATE_LAST, 150);
		end(w, a, RTEV_PHASE_MAJOR_SLICE);
	}
}

/* What Gc.full_major and Gc.compact do: three complete cycles, of which the last may compact. */
static void explicit_cycles(struct workload *w, const struct section *s, rtev_phase phase, bool compaction)
{
	struct actor *l = &w->actors[s->leader], *a;

	begin(w, l, phase);
	for (int round = 0; round < 3; round++) {
		stop_world(w, s->leader);
		minor_all(w, s);
		finish_cycle(w);
		cycle_domains(w, s, compaction && round == 2);
		for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
			end(w, a, RTEV_PHASE_MAJOR_FINISH_CYCLE);
		resume_world(w, s->leader);
		work(w, l, 2 * MICROSECOND);
	}
	end(w, l, phase);
}

/* Advance the major cycle by one round. */
static void cycle_step(struct workload *w, const struct section *s)
{
	if (w->cycle_rounds > 0)
		w->cycle_rounds--;
	slice_all(w);
	if (w->cycle_rounds > 0)
		return;
	switch (w->cycle) {
	case CYCLE_SWEEP:
		w->cycle = CYCLE_MARK;
		w->cycle_rounds = (unsigned)random_between(w, 10, 20);
		break;
	case CYCLE_MARK:
		change_phase(w, s->leader);
		w->cycle = CYCLE_MARKED;
		break;
	case CYCLE_MARKED:
		change_phase(w, s->leader);
		w->cycle = CYCLE_FINALISED;
		break;
	case CYCLE_FINALISED:
		stop_world(w, s->leader);
		cycle_domains(w, s, false);
		resume_world(w, s->leader);
		break;
	}
}

/* Choose a running domain as leader, each with the same probability. */
static unsigned choose_leader(struct workload *w)
{
	unsigned chosen = 0, seen = 0;

	for (unsigned i = 0; i < w->options.domains; i++)
		if (w->actors[i].live && !w->actors[i].waiting && random_below(w, ++seen) == 0)
			chosen = i;
	return chosen;
}

/* The earliest time of the next explicit collection.  It records so many events that it must be rare at a low
 * rate. */
uint64_t gc_explicit_after(struct workload *w, uint64_t at, uint64_t low, uint64_t high)
{
	double least = EXPLICIT_EVENTS * w->options.domains / (EXPLICIT_SHARE * (double)w->options.rate);
	uint64_t random = random_between(w, low, high);

	return at + (least * (double)SECOND > (double)random ? (uint64_t)(least * (double)SECOND) : random);
}

bool gc_collect(struct workload *w, uint64_t at)
{
	struct section s = {.leader = choose_leader(w), .scale = w->gc_scale};
	struct actor *l = &w->actors[s.leader], *a;
	bool ordinary = false;

	if (l->clock < at)
		l->clock = at;
	if (w->now >= w->next_compact) {
		explicit_cycles(w, &s, RTEV_PHASE_EXPLICIT_GC_COMPACT, true);
		w->next_compact = gc_explicit_after(w, at, 20 * SECOND, 35 * SECOND);
	} else if (w->now >= w->next_full) {
		explicit_cycles(w, &s, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR, false);
		w->next_full = gc_explicit_after(w, at, 8 * SECOND, 16 * SECOND);
	} else {
		/* A domain that fills its minor heap makes all others collect theirs. */
		l->minor_bytes = MINOR_HEAP_BYTES - WORD_BYTES * random_below(w, 64);
		stop_world(w, s.leader);
		minor_all(w, &s);
		resume_world(w, s.leader);
		cycle_step(w, &s);
		ordinary = true;
	}
	/* No requests were served meanwhile: what was due becomes due that much later. */
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		if (a->clock > at)
			a->due += a->clock - at;
	return ordinary;
}
