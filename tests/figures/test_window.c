/*
 * test_window.c - the figures of a window: what the events of a step come to.
 */
#include <math.h>

#include "figures/window.h"
#include "support/model_feed.h"

#define MS UINT64_C(1000000)
#define ATTACH (1000 * MS)
#define CYCLE RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS
#define ALLOCATED RTEV_COUNTER_MINOR_ALLOCATED
#define PROMOTED RTEV_COUNTER_MINOR_PROMOTED

/* A live model with the mark of its attach, and the figures of the latest step. */
struct stage {
	struct feed f;
	struct window_mark mark;
	struct window_figures now;
};

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct stage *s = ctx;

	if (span->pause)
		CHECK(window_lengths_add(&s->mark.pauses, domain, span->end - span->begin, true));
}

static void stage_open(struct stage *s)
{
	const struct model_observer observer = {.ctx = s, .closed = on_closed};

	*s = (struct stage){.f = feed_open(ATTACH)};
	CHECK(model_observe(s->f.m, &observer));
	CHECK(window_mark_take(&s->mark, s->f.m, ATTACH, (struct window_cpu){0}));
}

static void stage_close(struct stage *s)
{
	window_mark_fini(&s->mark);
	window_figures_fini(&s->now);
	feed_close(&s->f);
}

/* End a step at a stamp, and begin the next. */
static const struct window_rates *step(struct stage *s, uint64_t now)
{
	struct window_mark *marks[] = {&s->mark};

	model_set_now(s->f.m, now);
	CHECK(window_figures_make(&s->now, marks, 1, s->f.m, NULL, now, (struct window_cpu){0}));
	CHECK(window_mark_take(&s->mark, s->f.m, now, (struct window_cpu){0}));
	CHECK(s->now.known);
	return &s->now.all;
}

/* A pause that is open counts up to now; in the next step only from there on. */
TEST(an_open_pause_counts_so_far)
{
	struct stage s;

	stage_open(&s);
	begin(&s.f, 0, ATTACH + 50 * MS, MAJOR);
	CHECK_NEAR(step(&s, ATTACH + 100 * MS)->gc_share, 0.5, 1e-9);
	end(&s.f, 0, ATTACH + 120 * MS, MAJOR);
	CHECK_NEAR(step(&s, ATTACH + 200 * MS)->gc_share, 0.2, 1e-9);
	stage_close(&s);
}

/* OCaml begins a stw_leader after ring_stop that never ends; a domain that has ended is in no pause. */
TEST(no_pause_after_the_end)
{
	struct stage s;

	stage_open(&s);
	span(&s.f, 0, ATTACH + 10 * MS, ATTACH + 11 * MS, MINOR);
	begin(&s.f, 1, ATTACH + 20 * MS, MINOR);
	life(&s.f, 1, ATTACH + 30 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	life(&s.f, 0, ATTACH + 40 * MS, RTEV_LIFECYCLE_RING_STOP, 0);
	begin(&s.f, 0, ATTACH + 40 * MS + 1, LEADER);
	const struct window_rates *all = step(&s, ATTACH + 100 * MS);
	CHECK_NEAR(s.now.domains[0].rates.gc_share, 1.0 / 40, 1e-6);
	CHECK_NEAR(s.now.domains[1].rates.gc_share, 0, 0);
	CHECK_NEAR(all->gc_share, 1.0 / 70, 1e-6);
	stage_close(&s);
}

/* The end of a major cycle on a domain, as 5.1 and 5.2 tell it. */
static void heap_parts(struct feed *f, unsigned domain, uint64_t ts, int64_t pool, int64_t large)
{
	f->cb.counter(f->m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, pool);
	f->cb.counter(f->m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, pool);
	f->cb.counter(f->m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, large);
	f->cb.counter(f->m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS, 0);
}

/* Collections and cycles are of all domains together; bytes, events and heaps add up. */
TEST(what_adds_up)
{
	struct stage s;

	stage_open(&s);
	for (unsigned domain = 0; domain < 2; domain++)
		for (unsigned i = 0; i < 4 + domain; i++) {
			span(&s.f, domain, ATTACH + (2 * i + 1) * MS, ATTACH + (2 * i + 2) * MS, MINOR);
			span(&s.f, domain, ATTACH + (2 * i + 2) * MS, ATTACH + (2 * i + 2) * MS, CYCLE);
			s.f.cb.counter(s.f.m, domain, ATTACH + (2 * i + 2) * MS, ALLOCATED, 1000);
			s.f.cb.counter(s.f.m, domain, ATTACH + (2 * i + 2) * MS, PROMOTED, 100);
		}
	heap_parts(&s.f, 0, ATTACH + 20 * MS, 1000, 30);
	heap_parts(&s.f, 1, ATTACH + 20 * MS, 500, 7);
	const struct window_rates *all = step(&s, ATTACH + 500 * MS);
	CHECK_NEAR(all->minors, 5 * 2, 1e-9);
	CHECK_NEAR(all->majors, 5 * 2, 1e-9);
	CHECK_NEAR(all->allocated, 9000 * 2, 1e-6);
	CHECK_NEAR(all->promoted, 900 * 2, 1e-6);
	CHECK_NEAR(all->events, (9 * 6 + 8) * 2, 1e-9);
	CHECK_NEAR(all->heap_bytes, 8 * 1537, 0);
	CHECK_NEAR(all->gc_share, 9.0 / 1000, 1e-9);
	CHECK_NEAR(all->pause_max, MS, 0);
	CHECK_NEAR(s.now.domains[1].rates.heap_bytes, 8 * 507, 0);
	CHECK_NEAR(s.now.domains[0].rates.majors, 4 * 2, 1e-9);
	CHECK_NEAR(s.now.running, 2, 0);
	CHECK(isnan(s.now.cpu));
	/* The next step begins at 0. */
	all = step(&s, ATTACH + 600 * MS);
	CHECK_NEAR(all->minors + all->majors + all->allocated + all->events, 0, 0);
	CHECK(isnan(all->pause_max));
	CHECK_NEAR(all->heap_bytes, 8 * 1537, 0);
	stage_close(&s);
}

/* What a domain allocated is not known where it lost words; the collections are known from another domain. */
TEST(what_losses_hide)
{
	struct stage s;

	stage_open(&s);
	begin(&s.f, 0, ATTACH + 1, MINOR);
	lost(&s.f, 0, 5000, 0);
	for (unsigned i = 0; i < 9; i++) {
		span(&s.f, 1, ATTACH + (2 * i + 1) * MS, ATTACH + (2 * i + 2) * MS, MINOR);
		s.f.cb.counter(s.f.m, 1, ATTACH + (2 * i + 2) * MS, ALLOCATED, 0);
	}
	const struct window_rates *all = step(&s, ATTACH + 1000 * MS);
	CHECK(isnan(all->allocated) && isnan(all->promoted));
	CHECK_NEAR(all->minors, 9, 1e-9);
	CHECK_NEAR(all->lost_words, 5000, 0);
	CHECK(isnan(s.now.domains[0].rates.allocated) && isnan(s.now.domains[0].rates.minors));
	CHECK_NEAR(s.now.domains[1].rates.allocated, 0, 0);
	/* Both lost some: nobody knows all collections. */
	lost(&s.f, 0, 70, 0);
	lost(&s.f, 1, 7, 0);
	all = step(&s, ATTACH + 2000 * MS);
	CHECK(isnan(all->minors) && isnan(all->majors));
	CHECK_NEAR(all->lost_words, 77, 0);
	CHECK_NEAR(s.now.lost_words, 5077, 0);
	/* All of this step is known again. */
	s.f.cb.counter(s.f.m, 0, ATTACH + 2001 * MS, ALLOCATED, 64);
	all = step(&s, ATTACH + 3000 * MS);
	CHECK_NEAR(all->allocated, 64, 1e-9);
	CHECK_NEAR(all->minors, 0, 0);
	stage_close(&s);
}

/* Observed time that was told is not taken back by a loss, when all events before it had come. */
TEST(time_before_a_loss)
{
	struct stage s;

	stage_open(&s);
	begin(&s.f, 0, ATTACH + 10 * MS, MAJOR);
	model_read_to(s.f.m, ATTACH + 80 * MS);
	model_set_now(s.f.m, ATTACH + 80 * MS);
	CHECK_INT(model_domain(s.f.m, 0)->observed_ns, 80 * MS);
	lost(&s.f, 0, 5000, 0);
	model_set_now(s.f.m, ATTACH + 200 * MS);
	CHECK_INT(model_domain(s.f.m, 0)->observed_ns, 80 * MS);
	CHECK_INT(model_domain(s.f.m, 0)->gc_open_ns, 0);
	stage_close(&s);
}

/* What can't be is not known, and does not spoil what can. */
TEST(what_can_not_be)
{
	struct stage s;

	stage_open(&s);
	span(&s.f, 0, ATTACH + 1 * MS, ATTACH + 2 * MS, MINOR);
	s.f.cb.counter(s.f.m, 0, ATTACH + 2 * MS, ALLOCATED, -5);
	span(&s.f, 1, ATTACH + 1 * MS, UINT64_MAX / 2, MINOR);
	s.f.cb.counter(s.f.m, 1, UINT64_MAX / 2, ALLOCATED, INT64_MAX);
	s.f.cb.counter(s.f.m, 1, UINT64_MAX / 2, PROMOTED, 6);
	lost(&s.f, 2, UINT64_MAX, 0);
	const struct window_rates *all = step(&s, ATTACH + 100 * MS);
	CHECK_NEAR(s.now.domains[0].rates.gc_share, 0.01, 1e-9);
	CHECK(isnan(s.now.domains[0].rates.allocated));
	CHECK(isnan(s.now.domains[1].rates.gc_share) && isnan(s.now.domains[1].rates.pause_max));
	CHECK(isnan(s.now.domains[1].rates.allocated));
	CHECK_NEAR(s.now.domains[1].rates.promoted, 60, 1e-9);
	CHECK(isnan(s.now.domains[2].rates.lost_words) && isnan(s.now.lost_words));
	CHECK(isnan(all->gc_share) && isnan(all->pause_p50) && isnan(all->lost_words));
	CHECK_NEAR(all->minors, 10, 1e-9);
	/* Spans that overlap: more GC than time. */
	s.f.cb.corrupt(s.f.m, 0, 3);
	span(&s.f, 0, ATTACH + 1 * MS, ATTACH + 150 * MS, MINOR);
	step(&s, ATTACH + 200 * MS);
	CHECK(isnan(s.now.domains[0].rates.gc_share) && isnan(s.now.domains[0].step.gc_ns));
	stage_close(&s);
}

/* A rate is of the time in which the target had not paused its events; in a window that is all pause there is none. */
TEST(pauses_of_the_target)
{
	struct stage s;

	stage_open(&s);
	for (unsigned i = 0; i < 5; i++)
		span(&s.f, 0, ATTACH + (2 * i + 1) * MS, ATTACH + (2 * i + 2) * MS, MINOR);
	life(&s.f, 0, ATTACH + 100 * MS, RTEV_LIFECYCLE_RING_PAUSE, 0);
	const struct window_rates *all = step(&s, ATTACH + 200 * MS);
	CHECK_NEAR(all->minors, 50, 1e-9);
	CHECK_NEAR(all->events, 110, 1e-9);
	CHECK_NEAR(all->gc_share, 0.05, 1e-9);
	all = step(&s, ATTACH + 300 * MS);
	CHECK(isnan(all->minors) && isnan(all->allocated) && isnan(all->events) && isnan(all->gc_share));
	stage_close(&s);
}

/* OCaml tells of a pause as it ends: the part before a mark is not taken out of the time since then. */
TEST(a_pause_that_is_told_late)
{
	struct stage s;

	stage_open(&s);
	span(&s.f, 0, ATTACH + 99 * MS, ATTACH + 100 * MS, MINOR);
	step(&s, ATTACH + 200 * MS);
	life(&s.f, 0, ATTACH + 250 * MS, RTEV_LIFECYCLE_RING_RESUME, 0);
	span(&s.f, 0, ATTACH + 260 * MS, ATTACH + 265 * MS, MINOR);
	const struct window_rates *all = step(&s, ATTACH + 300 * MS);
	CHECK_NEAR(s.now.domains[0].step.observed_ns, 50 * MS, 0);
	CHECK_NEAR(all->gc_share, 0.1, 1e-9);
	CHECK_NEAR(all->minors, 20, 1e-9);
	stage_close(&s);
}

/* Another program replaces one that was silent: that was observed until then, so that no time is taken back, and
 * what the new one does counts from its begin. */
TEST(another_program)
{
	struct stage s;

	stage_open(&s);
	span(&s.f, 0, ATTACH + 1 * MS, ATTACH + 2 * MS, MINOR);
	CHECK_NEAR(step(&s, ATTACH + 100 * MS)->gc_share, 0.01, 1e-9);
	model_reattach(s.f.m);
	life(&s.f, 0, ATTACH + 104 * MS, RTEV_LIFECYCLE_RING_START, 7);
	span(&s.f, 0, ATTACH + 105 * MS, ATTACH + 106 * MS, MINOR);
	CHECK_NEAR(step(&s, ATTACH + 114 * MS)->gc_share, 0.1, 1e-9);
	CHECK_NEAR(s.now.domains[0].step.observed_ns, 10 * MS, 0);
	/* One that only told of its begin was silent from then on. */
	model_reattach(s.f.m);
	life(&s.f, 0, ATTACH + 120 * MS, RTEV_LIFECYCLE_RING_START, 7);
	step(&s, ATTACH + 200 * MS);
	CHECK_NEAR(s.now.domains[0].step.observed_ns, 80 * MS, 0);
	model_reattach(s.f.m);
	life(&s.f, 0, ATTACH + 210 * MS, RTEV_LIFECYCLE_RING_START, 7);
	step(&s, ATTACH + 230 * MS);
	CHECK_NEAR(s.now.domains[0].step.observed_ns, 20 * MS, 0);
	stage_close(&s);
}
