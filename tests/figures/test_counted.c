/*
 * test_counted.c - counters from memory while a target records no events, and events that follow.
 */
#include <math.h>

#include "figures/figures.h"
#include "figures/window.h"
#include "model/model.h"
#include "support/test.h"

#define ATTACH UINT64_C(1000000000)
#define S UINT64_C(1000000000)

static struct model *off(void)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = ATTACH});

	CHECK(m != NULL);
	model_off(m, ATTACH);
	return m;
}

/* A second of two domains: ten collections, and 1000 bytes each. */
static void second(struct model *m, uint64_t from)
{
	const struct model_counts grown = {.minors = 10, .majors = 1, .allocated = 1000, .promoted = 100};
	const struct model_look look = {
	    .heap = {1000, 800, 600, 20, 200}, .domains = {{0, 500, 256, 64}, {1, 500, 256, 64}}, .count = 2};

	model_count_span(m, from, from + S);
	for (unsigned d = 0; d < 2; d++)
		model_count(m, d, from, from + S, &grown);
	model_look(m, from + S, &look);
	model_drained(m);
	model_set_now(m, from + S);
}

TEST(memory_counts_while_no_events_come)
{
	struct model *m = off();

	second(m, ATTACH);
	second(m, ATTACH + S);
	CHECK(model_silent(m));
	CHECK_INT(model_domains(m), 2);
	const struct model_domain *d = model_domain(m, 1);
	CHECK(d->seen && d->looked_at && d->events == 0 && d->state == MODEL_DOMAIN_RUNNING);
	CHECK_INT(figure_counts(d).minors, 20);
	CHECK_INT(figure_counts(d).allocated, 2000);
	CHECK_INT(figure_collections(m, RTEV_PHASE_MINOR), 20);
	CHECK_INT(figure_seen(m, ATTACH, ATTACH + 2 * S), 0);
	CHECK_INT(figure_counted(m, ATTACH, ATTACH + 2 * S), 2 * S);
	CHECK(figure_mean(m, FIGURE_SUM, RTEV_COUNTER_MINOR_ALLOCATED, 0).sum == 2000);
	CHECK(isnan(figure_gc(d).gc));
	CHECK(model_level(m, HEAP_SIZE).words == 1000 && model_level(m, HEAP_LIVE).words == 600);
	CHECK(d->minor_heap == 256 && d->minor_used == 64);
	model_destroy(m);
}

TEST(the_first_event_ends_it)
{
	struct model *m = off();
	struct rtev_callbacks calls;

	second(m, ATTACH);
	model_callbacks(&calls);
	/* Memory told of more time than the target recorded nothing for. */
	second(m, ATTACH + S);
	calls.lifecycle(m, 0, ATTACH + 3 * S / 2, RTEV_LIFECYCLE_RING_START, 42);
	calls.counter(m, 0, ATTACH + 3 * S / 2 + 1, RTEV_COUNTER_MINOR_ALLOCATED, 500);
	model_set_now(m, ATTACH + 3 * S);
	CHECK(!model_silent(m));
	CHECK_INT(figure_seen(m, ATTACH, ATTACH + 3 * S), 3 * S / 2);
	CHECK_INT(figure_counted(m, ATTACH, ATTACH + 3 * S), 3 * S);
	CHECK_INT(figure_counts(model_domain(m, 0)).allocated, 2500);
	/* It was known before: the totals begin with the attach. */
	CHECK_INT(figure_since(m), ATTACH);
	CHECK(!model_domain(m, 0)->born);
	CHECK_INT(model_domain(m, 0)->observed_ns, 3 * S / 2);
	model_destroy(m);
}

/* Its ring began while we looked for it and found none yet: nothing is paused. */
TEST(the_ring_began_before_it_was_missed)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = ATTACH});
	struct rtev_callbacks calls;
	size_t count;

	CHECK(m != NULL);
	model_off(m, ATTACH + S / 10);
	model_callbacks(&calls);
	calls.lifecycle(m, 0, ATTACH + S / 20, RTEV_LIFECYCLE_RING_START, 42);
	for (unsigned i = 1; i < 30; i++) {
		calls.begin(m, 0, ATTACH + i * S / 10, RTEV_PHASE_MINOR);
		calls.end(m, 0, ATTACH + i * S / 10 + 1000, RTEV_PHASE_MINOR);
	}
	model_set_now(m, ATTACH + 3 * S);
	CHECK(!model_silent(m));
	const struct model_target_pause *pauses = model_target_pauses(m, &count);
	CHECK(count == 0 || pauses[count - 1].to <= ATTACH + S / 10);
	CHECK_NEAR((double)model_domain(m, 0)->observed_ns, 3e9, 1e8);
	model_destroy(m);
}

TEST(a_window_has_rates_across_the_change)
{
	struct model *m = off();
	struct window_mark mark = {0}, *marks[] = {&mark};
	struct window_figures f = {0};
	struct rtev_callbacks calls;

	second(m, ATTACH);
	CHECK(window_mark_take(&mark, m, ATTACH + S, (struct window_cpu){0}));
	second(m, ATTACH + S);
	model_callbacks(&calls);
	calls.counter(m, 0, ATTACH + 2 * S, RTEV_COUNTER_MINOR_ALLOCATED, 3000);
	model_set_now(m, ATTACH + 3 * S);
	CHECK(window_figures_make(&f, marks, 1, m, NULL, ATTACH + 3 * S, (struct window_cpu){0}));
	CHECK(f.known && f.all.allocated == 2500);
	CHECK(f.all.minors == 5);
	CHECK(f.domains[1].rates.allocated == 500);
	window_figures_fini(&f);
	window_mark_fini(&mark);
	model_destroy(m);
}

TEST(domains_end_and_begin_again)
{
	struct model *m = off();

	second(m, ATTACH);
	model_count_end(m, 1, ATTACH + S);
	CHECK_INT(figure_domains(m, false), 1);
	CHECK(model_heap(m, HEAP_SIZE) == 500);
	second(m, ATTACH + S);
	CHECK_INT(figure_domains(m, false), 2);
	CHECK_INT(figure_counts(model_domain(m, 1)).minors, 20);
	model_reset(m);
	CHECK_INT(figure_counts(model_domain(m, 1)).minors, 0);
	model_destroy(m);
}

/* Memory is looked at once a second, in which the target pauses twice: the look tells of both pauses. */
TEST(each_pause_between_two_looks_is_told_of)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = ATTACH});
	const struct model_counts grown = {.minors = 7};
	struct rtev_callbacks calls;

	CHECK(m != NULL);
	model_callbacks(&calls);
	for (unsigned i = 0; i < 10; i++) {
		const uint64_t at = ATTACH + i * S;
		for (unsigned half = 0; half < 2; half++) {
			calls.begin(m, 0, at + half * S / 2, RTEV_PHASE_MINOR);
			calls.end(m, 0, at + half * S / 2 + S / 10, RTEV_PHASE_MINOR);
			model_off(m, at + half * S / 2 + S / 5);
		}
		model_count_span(m, at, at + S);
		model_count(m, 0, at, at + S, &grown);
		model_set_now(m, at + S);
	}
	CHECK_INT(figure_seen(m, ATTACH, ATTACH + 10 * S), 4 * S);
	CHECK_INT(figure_counted(m, ATTACH, ATTACH + 10 * S), 10 * S);
	model_destroy(m);
}

TEST(many_stretches_are_summed)
{
	struct model *m = off();

	/* Memory does not tell of every second one. */
	for (uint64_t i = 0; i < 200; i++)
		second(m, ATTACH + 2 * i * S);
	CHECK_INT(figure_counted(m, ATTACH, ATTACH + 400 * S), 200 * S);
	CHECK_INT(figure_counted(m, ATTACH + 390 * S, ATTACH + 400 * S), 5 * S);
	model_destroy(m);
}
