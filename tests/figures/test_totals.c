/*
 * test_totals.c - each figure of the totals: when it is known, and what pauses of the target and losses do to it.
 */
#include <math.h>

#include "figures/figures.h"
#include "support/model_feed.h"

#define MS UINT64_C(1000000)
#define ATTACH (1000 * MS)
#define CYCLE RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS
#define ALLOCATED RTEV_COUNTER_MINOR_ALLOCATED

/* A span, by its times since the attach. */
static void span_at(struct feed *f, unsigned domain, uint64_t from, uint64_t to, rtev_phase what)
{
	span(f, domain, ATTACH + from, ATTACH + to, what);
}

TEST(shares_and_rates)
{
	CHECK_NEAR(figure_share(1, 4), 0.25, 0);
	CHECK_NEAR(figure_share(5, 4), 1, 0);
	CHECK(isnan(figure_share(1, 0)) && isnan(figure_share(0, 0)));
	CHECK_NEAR(figure_rate(3, 2000 * MS), 1.5, 0);
	CHECK(isnan(figure_rate(3, 0)));
	CHECK_NEAR(figure_gc_of(6, 3, 8).wait, 0.375, 0);
	/* More than all of the time: the parts keep their proportion. */
	CHECK_NEAR(figure_gc_of(16, 4, 8).wait, 0.25, 0);
	CHECK_NEAR(figure_gc_of(0, 0, 8).wait, 0, 0);
	CHECK(isnan(figure_gc_of(0, 0, 0).wait));
}

/* A pause of the target is part of no figure, a loss of none of the collector's shares. */
TEST(what_is_seen)
{
	struct feed f = feed_open(ATTACH);

	span_at(&f, 0, 10 * MS, 20 * MS, MINOR);
	life(&f, 0, ATTACH + 100 * MS, RTEV_LIFECYCLE_RING_PAUSE, 0);
	model_resume_at(f.m, ATTACH + 300 * MS);
	life(&f, 0, ATTACH + 300 * MS, RTEV_LIFECYCLE_RING_RESUME, 0);
	model_read_to(f.m, ATTACH + 320 * MS);
	lost(&f, 0, 50, 0);
	span_at(&f, 0, 360 * MS, 370 * MS, MINOR);
	model_set_now(f.m, ATTACH + 400 * MS);
	const struct model_domain *d = model_domain(f.m, 0);
	CHECK_INT(figure_seen(f.m, ATTACH, ATTACH + 400 * MS), 200 * MS);
	CHECK_INT(figure_seen(f.m, ATTACH + 400 * MS, ATTACH), 0);
	CHECK_INT(figure_observed(f.m, d, ATTACH, ATTACH + 400 * MS), 160 * MS);
	CHECK_INT(figure_observed(f.m, d, 0, ATTACH + 330 * MS), 120 * MS);
	CHECK_INT(d->observed_ns, 160 * MS);
	CHECK_NEAR(figure_gc(d).gc, 20.0 / 160, 1e-9);
	CHECK_NEAR(figure_gc_all(f.m).gc, 20.0 / 160, 1e-9);
	CHECK_NEAR(figure_mean(f.m, FIGURE_SPANS, MINOR, 200 * MS).most, 2 / 0.2, 1e-9);
	CHECK(isnan(figure_mean(f.m, FIGURE_SPANS, MINOR, 201 * MS).most));
	CHECK_NEAR(figure_mean(f.m, FIGURE_SPANS, CYCLE, 201 * MS).most, 0, 0);
	feed_close(&f);
}

/* Collections and cycles are those of the domain with the most; what else is counted adds up. */
TEST(of_all_domains)
{
	struct feed f = feed_open(ATTACH);

	for (unsigned domain = 0; domain < 2; domain++)
		for (unsigned i = 0; i < 4 + domain; i++) {
			span_at(&f, domain, (10 * i + 1) * MS, (10 * i + 2) * MS, MINOR);
			span_at(&f, domain, (10 * i + 3) * MS, (10 * i + 5) * MS, CYCLE);
			f.cb.counter(f.m, domain, ATTACH + (10 * i + 5) * MS, ALLOCATED, 1000);
		}
	f.cb.counter(f.m, 1, ATTACH + 60 * MS, ALLOCATED, -9000);
	model_set_now(f.m, ATTACH + 500 * MS);
	CHECK_INT(figure_collections(f.m, MINOR), 5);
	CHECK_INT(figure_collections(f.m, CYCLE), 5);
	CHECK_NEAR(figure_mean(f.m, FIGURE_SPANS, CYCLE, 0).most, 10, 1e-9);
	CHECK_NEAR(figure_mean(f.m, FIGURE_SPANS, CYCLE, 0).sum, 18, 1e-9);
	CHECK_NEAR(figure_mean(f.m, FIGURE_VALUES, ALLOCATED, 0).sum, 20, 1e-9);
	CHECK_NEAR(figure_mean(f.m, FIGURE_EVENTS, 0, 0).sum, 92, 1e-9);
	/* No amount is below 0. */
	CHECK_NEAR(figure_mean(f.m, FIGURE_SUM, ALLOCATED, 0).sum, 8000, 1e-9);
	CHECK_NEAR(figure_gc_all(f.m).gc, 27.0 / 1000, 1e-9);
	CHECK_INT(figure_since(f.m), ATTACH);
	feed_close(&f);
}

/* Work, waiting in a pause, and a wait that is no pause. */
TEST(what_time_was_spent_on)
{
	struct feed f = feed_open(ATTACH);

	begin(&f, 0, ATTACH + 10 * MS, RTEV_PHASE_STW_HANDLER);
	span_at(&f, 0, 12 * MS, 16 * MS, MINOR);
	end(&f, 0, ATTACH + 20 * MS, RTEV_PHASE_STW_HANDLER);
	begin(&f, 0, ATTACH + 50 * MS, RTEV_PHASE_DOMAIN_CONDITION_WAIT);
	span_at(&f, 0, 60 * MS, 65 * MS, RTEV_PHASE_STW_HANDLER);
	end(&f, 0, ATTACH + 80 * MS, RTEV_PHASE_DOMAIN_CONDITION_WAIT);
	model_set_now(f.m, ATTACH + 100 * MS);
	const struct model_domain *d = model_domain(f.m, 0);
	CHECK_NEAR(figure_gc(d).gc, 0.1, 1e-9);
	/* The only domain waits for no other one: a barrier is a part of its collection. */
	CHECK_NEAR(figure_gc(d).wait, 0, 0);
	CHECK_NEAR(figure_gc_all(f.m).wait, 0, 0);
	life(&f, 1, ATTACH + 100 * MS, RTEV_LIFECYCLE_DOMAIN_SPAWN, 0);
	CHECK_NEAR(figure_gc(d).wait, 0.06, 1e-9);
	CHECK_NEAR(figure_gc_all(f.m).wait, 0.06, 1e-9);
	CHECK_NEAR(figure_class_share(d, RTEV_CLASS_MINOR), 0.04, 1e-9);
	CHECK_NEAR(figure_class_share(d, RTEV_CLASS_STW), 0.06, 1e-9);
	CHECK_NEAR(figure_class_share(d, RTEV_CLASS_IDLE), 0.3, 1e-9);
	CHECK_NEAR(figure_phase_share(d, &d->phases[MINOR]), 0.4, 1e-9);
	CHECK(isnan(figure_phase_share(d, &d->phases[RTEV_PHASE_DOMAIN_CONDITION_WAIT])));
	feed_close(&f);
}

/* The rate of collections is that of the domain with the most of them, however short another was observed. */
TEST(a_domain_that_came_late)
{
	struct feed f = feed_open(0);

	for (unsigned i = 0; i < 5; i++)
		span_at(&f, 0, 100 * i * MS, (100 * i + 1) * MS, MINOR);
	span_at(&f, 1, 399 * MS, 400 * MS, MINOR);
	model_finish(f.m);
	CHECK_INT(figure_collections(f.m, MINOR), 5);
	CHECK_NEAR(figure_mean(f.m, FIGURE_SPANS, MINOR, 0).most, 5 / 0.401, 1e-9);
	feed_close(&f);
}

TEST(domains_that_end)
{
	struct feed f = feed_open(ATTACH);

	CHECK_INT(figure_domains(f.m, false), 0);
	CHECK_INT(figure_since(f.m), UINT64_MAX);
	span_at(&f, 0, 10 * MS, 20 * MS, MINOR);
	span_at(&f, 2, 10 * MS, 20 * MS, MINOR);
	CHECK_INT(figure_domains(f.m, false), 2);
	life(&f, 2, ATTACH + 30 * MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	CHECK_INT(figure_domains(f.m, false), 1);
	CHECK_INT(figure_domains(f.m, false), 1);
	CHECK_INT(figure_domains(f.m, true), 2);
	life(&f, 0, ATTACH + 50 * MS, RTEV_LIFECYCLE_RING_STOP, 0);
	CHECK_INT(figure_domains(f.m, false), 2);
	model_set_now(f.m, ATTACH + 100 * MS);
	CHECK_INT(figure_observed(f.m, model_domain(f.m, 2), ATTACH, ATTACH + 100 * MS), 30 * MS);
	model_reset(f.m);
	CHECK_INT(figure_since(f.m), ATTACH + 100 * MS);
	feed_close(&f);
}

/* A bin that lies around a bound counts if its middle is not above it. */
TEST(values_up_to_a_bound)
{
	struct hist h = {0};

	for (uint64_t value = 1; value <= 50; value++)
		CHECK(hist_add(&h, value));
	CHECK_INT(figure_up_to(&h, 0.5), 0);
	CHECK_INT(figure_up_to(&h, 20), 20);
	CHECK_INT(figure_up_to(&h, 49.9), 49);
	CHECK_INT(figure_up_to(&h, 1e9), 50);
	hist_fini(&h);
}
