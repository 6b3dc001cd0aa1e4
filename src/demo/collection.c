/*
 * collection.c - collections as OCaml 5.3 records them: tables of phases that every domain plays, with
 * counters that are consistent.
 *
 * All domains collect together.  One is the leader (stw_leader), the others are interrupted (stw_handler).
 */
#include "demo/state.h"

#define WORD_BYTES 8
#define HEAP_WORDS 3000000u /* size up to which a domain's heap grows */
#define WORK_PER_WORD 4	    /* the collector's estimate of the work that an allocated word causes */

/* Let about so much time pass for a domain. */
static void work(struct workload *w, struct actor *a, uint64_t ns)
{
	a->clock += ns / 2 + random_below(w, ns + 1);
}

static void counter(struct workload *w, struct actor *a, rtev_counter c, uint64_t value)
{
	work(w, a, 50);
	actor_put(w, a, SCRIPT_COUNTER, c, (int64_t)value);
}

/* Make all domains wait for the last one; each notices a random time later. */
static void barrier(struct workload *w)
{
	uint64_t last = 0;
	struct actor *a;

	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		last = a->clock > last ? a->clock : last;
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
		a->clock = last + random_between(w, 100, 2000);
}

/* Let a domain serve requests until it notices the request to stop; now and then a domain is late. */
static void notice(struct workload *w, struct actor *a)
{
	bool late = random_below(w, 5 * w->options.domains) == 0;

	actor_serve(
	    w, a, w->stopped + random_between(w, 1000, 12000) + (late ? random_long(w, w->gc_scale) : 0));
}

/* Decide how much of a minor heap survives: a few percent, rarely a lot.  The more survives, the longer it
 * takes. */
static void promote(struct workload *w, struct actor *a)
{
	uint64_t bytes = random_long(w, a->minor_bytes / 24);

	bytes = bytes < a->minor_bytes ? bytes : a->minor_bytes;
	uint64_t words = a->promoted = bytes / WORD_BYTES;
	a->pool += words;
	/* A part is long-lived until the heap is large; then as much dies as is promoted. */
	a->garbage += a->pool < HEAP_WORDS / 2 ? words * 4 / 5 : a->pool < HEAP_WORDS ? words : words * 5 / 4;
	a->garbage = a->garbage < a->pool / 2 ? a->garbage : a->pool / 2;
	a->since_slice += words;
	a->blocks += words / 4;
	a->scale = a->minor_bytes != 0 ? w->gc_scale / 3 + w->gc_scale * 8 * bytes / a->minor_bytes
				       : w->gc_scale / 20;
}

static void count_minor(struct workload *w, struct actor *a)
{
	counter(w, a, RTEV_COUNTER_MINOR_PROMOTED, a->promoted * WORD_BYTES);
	counter(w, a, RTEV_COUNTER_MINOR_ALLOCATED, a->minor_bytes);
	a->minor_bytes = 0;
}

/* Record the counters before a major slice.  They are consistent: allocation since the domain's last slice
 * raises the target, and the work done follows it. */
static void count_slice(struct workload *w, struct actor *a)
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

/* Prepare a major slice: how long it takes, and now and then a block allocated directly in the major heap. */
static void prepare_slice(struct workload *w, struct actor *a)
{
	uint64_t words = random_long(w, 30000);

	a->scale = random_long(w, w->gc_scale / 2);
	if (random_below(w, 40) != 0)
		return;
	if (random_below(w, 3) == 0)
		counter(w, a, RTEV_COUNTER_REQUEST_MAJOR_ALLOC_SHR, 1);
	a->since_slice += words;
	a->big_blocks++;
	a->large = a->large > 600000 ? a->large / 3 : a->large + words;
}

/* Free the garbage: a part in a slice of the sweep phase, the rest in its last one. */
static void free_garbage(struct workload *w, struct actor *a)
{
	uint64_t freed = a->garbage / (w->cycle_rounds + 1);

	a->pool -= freed;
	a->garbage -= freed;
}

static void count_heap(struct workload *w, struct actor *a)
{
	uint64_t fragments = a->pool / 900;

	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, a->pool);
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, a->pool - fragments - a->garbage / 8);
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, a->large);
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS, fragments);
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_BLOCKS, (a->pool - fragments) / 4);
	counter(w, a, RTEV_COUNTER_MAJOR_HEAP_LARGE_BLOCKS, 1 + a->large / 20000);
}

/* Record the histogram of block sizes allocated in the major heap since the last flush. */
static void count_sizes(struct workload *w, struct actor *a)
{
	for (unsigned words = 1; words < 100; words += 1 + words / 8)
		actor_put(w, a, SCRIPT_ALLOC, words, (int64_t)random_below(w, a->blocks / words + 2));
	actor_put(w, a, SCRIPT_ALLOC, 1000, (int64_t)a->big_blocks);
	actor_put(w, a, SCRIPT_ALLOC_FLUSH, 0, 0);
	a->blocks = a->big_blocks = 0;
}

/* A part of a collection as OCaml 5.3 records it: how phases nest, and where each domain waits for the last.
 * The shapes were taken from rings that OCaml 5.3.0 wrote. */
struct part {
	enum { PARTS_END, OPEN, CLOSE, LEAF, CALL, MEET } act; /* LEAF: a phase without phases inside */
	enum role who;
	rtev_phase phase;
	unsigned ns;	/* OPEN, LEAF: mean time of the phase, without the phases inside */
	unsigned share; /* plus so many thousandths of the domain's scale */
	void (*call)(struct workload *w, struct actor *a);
	const struct part *then; /* MEET: played by all domains before they go on; NULL: nothing */
};

static const struct part stop_parts[] = {
    {CALL, OTHERS, .call = notice},
    {OPEN, LEADER, .phase = RTEV_PHASE_STW_LEADER, .ns = 400},
    {OPEN, INTERRUPTED, .phase = RTEV_PHASE_INTERRUPT_REMOTE, .ns = 300},
    {OPEN, OTHERS, .phase = RTEV_PHASE_STW_HANDLER, .ns = 200},
    {OPEN, ALL, .phase = RTEV_PHASE_STW_API_BARRIER},
    {.act = MEET},
    {CLOSE, ALL, .phase = RTEV_PHASE_STW_API_BARRIER},
    {.act = PARTS_END},
};

static const struct part resume_parts[] = {
    {CLOSE, LEADER, .phase = RTEV_PHASE_STW_LEADER},
    {CLOSE, OTHERS, .phase = RTEV_PHASE_STW_HANDLER},
    {CLOSE, INTERRUPTED, .phase = RTEV_PHASE_INTERRUPT_REMOTE},
    {.act = PARTS_END},
};

static const struct part minor_parts[] = {
    {CALL, .call = promote},
    {OPEN, ALL, .phase = RTEV_PHASE_MINOR, .ns = 60},
    {LEAF, LEADER, .phase = RTEV_PHASE_MINOR_GLOBAL_ROOTS, .ns = 300, .share = 33},
    {OPEN, ALL, .phase = RTEV_PHASE_MINOR_REMEMBERED_SET, .ns = 100, .share = 100},
    {LEAF, ALL, .phase = RTEV_PHASE_MINOR_FINALIZERS_OLDIFY, .ns = 100},
    {LEAF, ALL, .phase = RTEV_PHASE_MINOR_MEMPROF_ROOTS, .ns = 120},
    {LEAF, ALL, .phase = RTEV_PHASE_MINOR_REMEMBERED_SET_PROMOTE, .ns = 100, .share = 500},
    {CLOSE, ALL, .phase = RTEV_PHASE_MINOR_REMEMBERED_SET},
    {OPEN, ALL, .phase = RTEV_PHASE_MINOR_LOCAL_ROOTS, .ns = 300, .share = 50},
    {LEAF, ALL, .phase = RTEV_PHASE_MINOR_LOCAL_ROOTS_PROMOTE, .ns = 100, .share = 250},
    {CLOSE, ALL, .phase = RTEV_PHASE_MINOR_LOCAL_ROOTS},
    {LEAF, ALL, .phase = RTEV_PHASE_MINOR_MEMPROF_CLEAN, .ns = 150},
    {CALL, .call = count_minor},
    {CLOSE, ALL, .phase = RTEV_PHASE_MINOR},
    {OPEN, ALL, .phase = RTEV_PHASE_MINOR_LEAVE_BARRIER},
    {.act = MEET},
    {CLOSE, ALL, .phase = RTEV_PHASE_MINOR_LEAVE_BARRIER},
    {LEAF, ALL, .phase = RTEV_PHASE_MINOR_FINALIZED, .ns = 80},
    {LEAF, ALL, .phase = RTEV_PHASE_MINOR_FINALIZERS_ADMIN, .ns = 100},
    {LEAF, ALL, .phase = RTEV_PHASE_MINOR_CLEAR, .ns = 60},
    {.act = PARTS_END},
};

static const struct part slice_parts[] = {
    {CALL, .call = prepare_slice},
    {OPEN, ALL, .phase = RTEV_PHASE_MAJOR},
    {CALL, .call = count_slice},
    {OPEN, ALL, .phase = RTEV_PHASE_MAJOR_SLICE, .ns = 100},
    {CALL, SWEEPING, .call = free_garbage},
    {LEAF, SWEEPING, .phase = RTEV_PHASE_MAJOR_SWEEP, .ns = 0, .share = 1000},
    {LEAF, MARKING, .phase = RTEV_PHASE_MAJOR_MARK, .ns = 0, .share = 1000},
    {LEAF, MARKED, .phase = RTEV_PHASE_FINALISE_UPDATE_FIRST, .ns = 150},
    {LEAF, FINALISED, .phase = RTEV_PHASE_MAJOR_EPHE_SWEEP, .ns = 300},
    {LEAF, FINALISED, .phase = RTEV_PHASE_FINALISE_UPDATE_LAST, .ns = 150},
    {CLOSE, ALL, .phase = RTEV_PHASE_MAJOR_SLICE},
    {CLOSE, ALL, .phase = RTEV_PHASE_MAJOR},
    {.act = PARTS_END},
};

/* All domains change to another phase of the major cycle. */
static const struct part change_parts[] = {
    {LEAF, ALL, .phase = RTEV_PHASE_MAJOR_GC_PHASE_CHANGE, .ns = 800},
    {.act = MEET},
    {.act = PARTS_END},
};

/* The slices of a cycle that the program requested, all at once. */
static const struct part finish_parts[] = {
    {OPEN, ALL, .phase = RTEV_PHASE_MAJOR_FINISH_CYCLE},
    {CALL, .call = count_slice},
    {OPEN, ALL, .phase = RTEV_PHASE_MAJOR_SLICE},
    {CALL, .call = free_garbage},
    {LEAF, ALL, .phase = RTEV_PHASE_MAJOR_SWEEP, .ns = 700000},
    {LEAF, ALL, .phase = RTEV_PHASE_MAJOR_MARK, .ns = 2500000},
    {LEAF, ALL, .phase = RTEV_PHASE_MAJOR_EPHE_MARK, .ns = 500},
    {CLOSE, ALL, .phase = RTEV_PHASE_MAJOR_SLICE},
    {MEET, .then = change_parts},
    {CLOSE, ALL, .phase = RTEV_PHASE_MAJOR_FINISH_CYCLE},
    {.act = PARTS_END},
};

/* The end of a major cycle: a minor collection, and in some a compaction. */
static const struct part cycle_parts[] = {
    {LEAF, ALL, .phase = RTEV_PHASE_MAJOR_MEMPROF_CLEAN, .ns = 300},
    {OPEN, ALL, .phase = RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS, .ns = 200},
    {MEET, .then = minor_parts},
    {OPEN, ALL, .phase = RTEV_PHASE_MAJOR_GC_STW},
    {CALL, .call = count_heap},
    {OPEN, COMPACTING, .phase = RTEV_PHASE_COMPACT},
    {LEAF, COMPACTING, .phase = RTEV_PHASE_COMPACT_EVACUATE, .ns = 2500000},
    {LEAF, COMPACTING, .phase = RTEV_PHASE_COMPACT_FORWARD, .ns = 5000000},
    {LEAF, COMPACTING, .phase = RTEV_PHASE_COMPACT_RELEASE, .ns = 300000},
    {CLOSE, COMPACTING, .phase = RTEV_PHASE_COMPACT},
    {.act = MEET},
    {LEAF, ALL, .phase = RTEV_PHASE_MAJOR_MARK_ROOTS, .ns = 1500, .share = 50},
    {LEAF, ALL, .phase = RTEV_PHASE_MAJOR_MEMPROF_ROOTS, .ns = 90},
    {CALL, .call = count_sizes},
    {CLOSE, ALL, .phase = RTEV_PHASE_MAJOR_GC_STW},
    {CLOSE, ALL, .phase = RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS},
    {.act = PARTS_END},
};

/* Play a part on one domain. */
static void play_part(struct workload *w, struct actor *a, const struct part *p)
{
	if (p->who != ALL && (p->who & (a->roles | w->cycle)) == 0)
		return;
	if (p->act == CALL)
		p->call(w, a);
	if (p->act == OPEN || p->act == LEAF) {
		actor_put(w, a, SCRIPT_BEGIN, p->phase, 0);
		work(w, a, p->ns + a->scale * p->share / 1000);
	}
	if (p->act == CLOSE || p->act == LEAF) {
		actor_put(w, a, SCRIPT_END, p->phase, 0);
		work(w, a, 60);
	}
}

/* Play parts on all domains, one domain after the other up to where they meet. */
static void play(struct workload *w, const struct part *p)
{
	while (p->act != PARTS_END) {
		const struct part *from = p;
		struct actor *a;
		for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++)
			for (p = from; p->act != PARTS_END && p->act != MEET; p++)
				play_part(w, a, p);
		if (p->act == MEET) {
			barrier(w);
			if (p->then != NULL)
				play(w, p->then);
			p++;
		}
	}
}

/* Stop all domains. */
static void stop(struct workload *w)
{
	w->stopped = w->leader->clock;
	play(w, stop_parts);
}

/* End a major cycle and begin the next one, with all domains stopped. */
static void next_cycle(struct workload *w)
{
	play(w, cycle_parts);
	w->cycle = SWEEPING;
	w->cycle_rounds = (unsigned)random_between(w, 6, 10);
}

/* What Gc.full_major and Gc.compact do: three complete cycles, of which the last may compact. */
static void explicit_collection(struct workload *w)
{
	rtev_phase phase =
	    ++w->requested % 2 == 0 ? RTEV_PHASE_EXPLICIT_GC_COMPACT : RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR;

	actor_put(w, w->leader, SCRIPT_BEGIN, phase, 0);
	for (int round = 0; round < 3; round++) {
		stop(w);
		play(w, minor_parts);
		w->cycle_rounds = 0;
		play(w, finish_parts);
		w->cycle = phase == RTEV_PHASE_EXPLICIT_GC_COMPACT && round == 2 ? COMPACTING : FINALISED;
		next_cycle(w);
		play(w, resume_parts);
	}
	actor_put(w, w->leader, SCRIPT_END, phase, 0);
}

/* Collect the minor heaps, and advance the major cycle by one round. */
static void ordinary_collection(struct workload *w)
{
	stop(w);
	play(w, minor_parts);
	play(w, resume_parts);
	w->cycle_rounds -= w->cycle_rounds > 0;
	play(w, slice_parts);
	if (w->cycle_rounds > 0)
		return;
	if (w->cycle == SWEEPING) {
		w->cycle = MARKING;
		w->cycle_rounds = (unsigned)random_between(w, 10, 20);
		return;
	}
	stop(w);
	if (w->cycle == FINALISED) {
		next_cycle(w);
	} else {
		play(w, change_parts);
		w->cycle *= 2;
	}
	play(w, resume_parts);
}

void collect(struct workload *w, uint64_t at, bool requested)
{
	double before = w->emitted;
	struct actor *a;
	unsigned seen = 0;

	w->leader = &w->actors[0];
	/* Each running domain leads with the same probability. */
	for (unsigned i = 0; (a = live_from(w, &i)) != NULL; i++) {
		a->roles = random_below(w, 8) == 0 ? OTHERS | INTERRUPTED : OTHERS;
		if (a->wait_rounds == 0 && random_below(w, ++seen) == 0)
			w->leader = a;
	}
	w->leader->roles = LEADER;
	if (w->leader->clock < at)
		w->leader->clock = at;
	if (requested) {
		explicit_collection(w);
	} else {
		/* A domain that fills its minor heap makes all others collect theirs. */
		w->leader->minor_bytes = MINOR_HEAP_BYTES - WORD_BYTES * random_below(w, 64);
		ordinary_collection(w);
		/* Requested collections are rare and long, so they are left out of the estimate. */
		w->gc_events = w->gc_events * 0.7 + (w->emitted - before) * 0.3;
	}
}
