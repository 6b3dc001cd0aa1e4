/*
 * test_fleet_figures.c - the figures of a member: what its events of a step come to.
 */
#include <math.h>

#include "fleet/figures.h"
#include "support/model_feed.h"

#define MS UINT64_C(1000000)
#define ATTACH (1000 * MS)
#define CYCLE RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS
#define ALLOCATED RTEV_COUNTER_MINOR_ALLOCATED
#define PROMOTED RTEV_COUNTER_MINOR_PROMOTED

/* A live model with the mark of its attach, and the figures of the latest step. */
struct stage {
	struct feed f;
	struct fleet_mark mark;
	struct fleet_figures now;
};

static struct stage stage_open(void)
{
	struct stage s = {.f = feed_open(ATTACH)};

	CHECK(fleet_mark_take(&s.mark, s.f.m, ATTACH, (struct fleet_cpu){0}));
	return s;
}

static void stage_close(struct stage *s)
{
	fleet_mark_fini(&s->mark);
	fleet_figures_fini(&s->now);
	feed_close(&s->f);
}

/* End a step at a stamp, and begin the next. */
static const struct fleet_rates *step(struct stage *s, uint64_t now)
{
	struct fleet_mark *marks[] = {&s->mark};

	model_set_now(s->f.m, now);
	CHECK(fleet_figures_make(&s->now, marks, 1, s->f.m, now, (struct fleet_cpu){0}));
	CHECK(fleet_mark_take(&s->mark, s->f.m, now, (struct fleet_cpu){0}));
	CHECK(s->now.known);
	return &s->now.all;
}

/* A span with its begin and its end. */
static void span(struct feed *f, unsigned domain, uint64_t from, uint64_t to, rtev_phase what)
{
	begin(f, domain, from, what);
	end(f, domain, to, what);
}

/* A pause that is open counts up to now; in the next step only from there on. */
static void an_open_pause_counts_so_far(void)
{
	struct stage s = stage_open();

	begin(&s.f, 0, ATTACH + 50 * MS, MAJOR);
	CHECK_NEAR(step(&s, ATTACH + 100 * MS)->gc_share, 0.5, 1e-9);
	end(&s.f, 0, ATTACH + 120 * MS, MAJOR);
	CHECK_NEAR(step(&s, ATTACH + 200 * MS)->gc_share, 0.2, 1e-9);
	stage_close(&s);
}

/* OCaml begins a stw_leader after ring_stop that never ends; a domain that has ended is in no pause. */
static void no_pause_after_the_end(void)
{
	struct stage s = stage_open();

	span(&s.f, 0, ATTACH + 10 * MS, ATTACH + 11 * MS, MINOR);
	begin(&s.f, 1, ATTACH + 20 * MS, MINOR);
	life(&s.f, 1, ATTACH + 30 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	life(&s.f, 0, ATTACH + 40 * MS, RTEV_LIFECYCLE_RING_STOP, 0);
	begin(&s.f, 0, ATTACH + 40 * MS + 1, LEADER);
	const struct fleet_rates *all = step(&s, ATTACH + 100 * MS);
	CHECK_NEAR(s.now.domains[0].gc_share, 1.0 / 40, 1e-6);
	CHECK_NEAR(s.now.domains[1].gc_share, 0, 0);
	CHECK_NEAR(all->gc_share, 1.0 / 70, 1e-6);
	stage_close(&s);
}

int main(void)
{
	RUN(an_open_pause_counts_so_far);
	RUN(no_pause_after_the_end);
	return 0;
}
