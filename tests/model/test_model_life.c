/*
 * test_model_life.c - counters, the lives of domains, observed time, reset, the log, observers.
 */
#include <math.h>
#include <stdarg.h>

#include "figures/figures.h"
#include "support/model_feed.h"

TEST(counters_add_up_and_wrap)
{
	struct feed f = feed_open(0);
	const struct model_domain *d;
	struct model_counter sum;

	f.cb.counter(f.m, 0, 10, RTEV_COUNTER_MINOR_PROMOTED, 5);
	f.cb.counter(f.m, 0, 20, RTEV_COUNTER_MINOR_PROMOTED, -7);
	f.cb.counter(f.m, 1, 15, RTEV_COUNTER_MINOR_PROMOTED, 100);
	f.cb.counter(f.m, 0, 30, RTEV_OPAQUE + 31, INT64_MAX);
	f.cb.counter(f.m, 0, 31, RTEV_OPAQUE + 31, 1);
	d = model_domain(f.m, 0);
	CHECK_INT(d->counters[RTEV_COUNTER_MINOR_PROMOTED].count, 2);
	CHECK_INT(d->counters[RTEV_COUNTER_MINOR_PROMOTED].sum, -2);
	CHECK_INT(d->counters[RTEV_COUNTER_MINOR_PROMOTED].last, -7);
	CHECK_INT(d->counters[RTEV_COUNTER_MINOR_PROMOTED].last_ts, 20);
	CHECK_INT(d->counter_count, RTEV_COUNTER_COUNT + 1);
	CHECK_INT(d->counters[RTEV_COUNTER_COUNT].counter, RTEV_OPAQUE + 31);
	CHECK(d->counters[RTEV_COUNTER_COUNT].sum == INT64_MIN);
	model_counter_total(f.m, RTEV_COUNTER_MINOR_PROMOTED, &sum);
	CHECK_INT(sum.count, 3);
	CHECK_INT(sum.sum, 98);
	CHECK_INT(sum.last, -7);
	model_counter_total(f.m, RTEV_OPAQUE + 31, &sum);
	CHECK_INT(sum.count, 2);
	model_counter_total(f.m, RTEV_OPAQUE + 32, &sum);
	CHECK_INT(sum.count, 0);
	for (unsigned i = 0; i < RTEV_ID_LIMIT; i++)
		f.cb.counter(f.m, 2, 10, (rtev_counter)(RTEV_OPAQUE + i), 3);
	CHECK_INT(model_domain(f.m, 2)->counter_count, RTEV_COUNTER_COUNT + RTEV_ID_LIMIT);
	feed_close(&f);
}

/* The last value of all domains is the latest; of values with one stamp that of the highest domain. */
TEST(the_last_of_all_domains)
{
	struct feed f = feed_open(0);
	struct model_counter sum;

	f.cb.counter(f.m, 1, 20, RTEV_COUNTER_MAJOR_HEAP_WORDS, 100);
	f.cb.counter(f.m, 0, 20, RTEV_COUNTER_MAJOR_HEAP_WORDS, 5);
	model_counter_total(f.m, RTEV_COUNTER_MAJOR_HEAP_WORDS, &sum);
	CHECK_INT(sum.last, 100);
	CHECK_INT(sum.last_ts, 20);
	f.cb.counter(f.m, 2, 19, RTEV_COUNTER_MAJOR_HEAP_WORDS, 7);
	model_counter_total(f.m, RTEV_COUNTER_MAJOR_HEAP_WORDS, &sum);
	CHECK_INT(sum.last, 100);
	f.cb.counter(f.m, 0, 21, RTEV_COUNTER_MAJOR_HEAP_WORDS, 8);
	model_counter_total(f.m, RTEV_COUNTER_MAJOR_HEAP_WORDS, &sum);
	CHECK_INT(sum.last, 8);
	feed_close(&f);
}

/* The end of a major cycle on a domain, as 5.1 and 5.2 tell it. */
static void heap_parts(struct feed *f, unsigned domain, uint64_t ts, int64_t pool, int64_t large)
{
	f->cb.counter(f->m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, pool);
	f->cb.counter(f->m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, pool / 2);
	f->cb.counter(f->m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, large);
	f->cb.counter(f->m, domain, ts, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS, 1);
}

/* Without a size of its own, the heap is what the parts of one cycle's end make; a domain that ends gives its
 * heap to others, a new one in its slot and another program begin without one. */
TEST(the_heap_of_a_process)
{
	struct feed f = feed_open(0);

	CHECK(isnan(model_heap(f.m, HEAP_SIZE)));
	heap_parts(&f, 0, 10, 1000, 30);
	heap_parts(&f, 1, 11, 500, 7);
	CHECK_NEAR(model_heap(f.m, HEAP_SIZE), 1537, 0);
	CHECK_NEAR(model_heap(f.m, HEAP_LARGE), 37, 0);
	CHECK_INT(model_level(f.m, HEAP_POOL).ts, 11);
	f.cb.counter(f.m, 0, 20, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, 9000);
	CHECK_NEAR(model_heap(f.m, HEAP_SIZE), 1537, 0);
	life(&f, 1, 30, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	CHECK_NEAR(model_heap(f.m, HEAP_SIZE), 1030, 0);
	life(&f, 1, 40, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
	CHECK_NEAR(model_heap(f.m, HEAP_SIZE), 1030, 0);
	f.cb.counter(f.m, 1, 50, RTEV_COUNTER_MAJOR_HEAP_WORDS, -3);
	f.cb.counter(f.m, 1, 50, RTEV_COUNTER_MAJOR_HEAP_WORDS, INT64_MAX);
	heap_parts(&f, 1, 51, 500, 7);
	CHECK_NEAR(model_heap(f.m, HEAP_SIZE), 1030, 0);
	f.cb.restart(f.m, 0);
	CHECK_NEAR(model_heap(f.m, HEAP_SIZE), 0, 0);
	model_reattach(f.m);
	CHECK(isnan(model_heap(f.m, HEAP_SIZE)));
	feed_close(&f);
}

TEST(alloc_buckets_add_up)
{
	struct feed f = feed_open(0);
	uint64_t buckets[RTEV_ALLOC_BUCKETS];

	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		buckets[i] = i;
	f.cb.alloc(f.m, 0, 10, buckets);
	f.cb.alloc(f.m, 1, 10, buckets);
	buckets[19] = UINT64_MAX;
	f.cb.alloc(f.m, 1, 11, buckets);
	CHECK_INT(model_domain(f.m, 1)->alloc[7], 14);
	CHECK_INT(model_domain(f.m, 0)->alloc[19], 19);
	CHECK(model_domain(f.m, 1)->alloc[19] == UINT64_MAX);
	CHECK_INT(totals(&f).alloc[7], 21);
	CHECK(totals(&f).alloc[19] == UINT64_MAX);
	CHECK_INT(totals(&f).alloc_events, 3);
	feed_close(&f);
}

/* Without the time between two domains in one slot. */
TEST(a_file_is_observed_from_its_first_to_its_last_stamp)
{
	struct feed f = feed_open(0);

	span(&f, 0, 100, 150, MINOR);
	life(&f, 0, 200, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 7);
	life(&f, 0, 400, RTEV_LIFECYCLE_DOMAIN_SPAWN, 7);
	f.cb.counter(f.m, 0, 500, RTEV_COUNTER_MINOR_PROMOTED, 1);
	f.cb.counter(f.m, 1, 90, RTEV_COUNTER_MINOR_PROMOTED, 1);
	model_finish(f.m);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 100 + 100);
	CHECK_NEAR(figure_gc(model_domain(f.m, 0)).gc, 50.0 / 200, 1e-12);
	CHECK_INT(model_domain(f.m, 1)->observed_ns, 0);
	CHECK_INT(totals(&f).first_ts, 90);
	CHECK_INT(totals(&f).last_ts, 500);
	CHECK_INT(totals(&f).gc_ns, 50);
	feed_close(&f);
}

/* A target pause lies in each of many lives of a slot; the pauses are known only at the end. */
TEST(a_file_with_many_lives)
{
	struct feed f = feed_open(0);

	for (uint64_t at = 1000; at <= 100 * 1000; at += 1000)
		model_resume_at(f.m, at + 400);
	for (uint64_t at = 1000; at <= 100 * 1000; at += 1000) {
		life(&f, 1, at, RTEV_LIFECYCLE_DOMAIN_SPAWN, 7);
		life(&f, 1, at + 400, RTEV_LIFECYCLE_RING_RESUME, 0);
		life(&f, 1, at + 500, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 7);
		begin(&f, 1, at + 501, LEADER);
	}
	/* They begin where another ring was last written. */
	for (uint64_t at = 1000; at <= 100 * 1000; at += 1000)
		f.cb.counter(f.m, 2, at + 100, RTEV_COUNTER_MINOR_PROMOTED, 1);
	model_finish(f.m);
	CHECK_INT(model_domain(f.m, 1)->observed_ns, 100 * (500 - 300));
	feed_close(&f);
}

TEST(a_live_domain_is_observed_from_the_attach_or_its_birth)
{
	struct feed f = feed_open(1000);

	begin(&f, 0, 1200, MINOR); /* was there before */
	begin(&f, 1, 700, MINOR);  /* its history is read too */
	life(&f, 2, 1300, RTEV_LIFECYCLE_DOMAIN_SPAWN, 9);
	f.cb.counter(f.m, 3, 1250, RTEV_COUNTER_MINOR_PROMOTED, 1);
	life(&f, 3, 1300, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 9);
	model_set_now(f.m, 2000);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 1000);
	CHECK_INT(model_domain(f.m, 1)->observed_ns, 1300);
	CHECK_INT(model_domain(f.m, 2)->observed_ns, 700);
	CHECK_INT(model_domain(f.m, 3)->observed_ns, 300);
	/* the slot is taken again */
	life(&f, 3, 2500, RTEV_LIFECYCLE_DOMAIN_SPAWN, 9);
	CHECK_INT(model_domain(f.m, 3)->state, MODEL_DOMAIN_RUNNING);
	CHECK_INT(model_domain(f.m, 3)->spawns, 1);
	CHECK_INT(model_domain(f.m, 3)->terminations, 1);
	model_set_now(f.m, 3000);
	CHECK_INT(model_domain(f.m, 3)->observed_ns, 300 + 500);
	CHECK_INT(model_domain(f.m, 3)->pid, 9);
	/* time does not go back, and stands still for all once the ring has stopped */
	model_set_now(f.m, 2000);
	CHECK_INT(model_domain(f.m, 2)->observed_ns, 1700);
	CHECK_INT(totals(&f).running, 4);
	life(&f, 0, 3100, RTEV_LIFECYCLE_RING_STOP, 0);
	model_set_now(f.m, 9000);
	CHECK_INT(model_domain(f.m, 2)->observed_ns, 1800);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 2100);
	CHECK(totals(&f).stopped && model_domain(f.m, 0)->stopped);
	CHECK_INT(totals(&f).running, 3);
	feed_close(&f);
}

/* What the rings hold from before an attach tells which domains there are, and their heaps; nothing of it counts. */
TEST(what_stands_at_the_attach)
{
	struct feed f = feed_open(1000);
	struct rtev_callbacks past;

	model_past_callbacks(&past);
	past.lifecycle(f.m, 0, 100, RTEV_LIFECYCLE_RING_START, 9);
	past.lifecycle(f.m, 1, 110, RTEV_LIFECYCLE_DOMAIN_SPAWN, 9);
	past.counter(f.m, 1, 120, RTEV_COUNTER_MAJOR_HEAP_WORDS, 700);
	past.counter(f.m, 0, 120, RTEV_COUNTER_MAJOR_HEAP_WORDS, 50);
	past.counter(f.m, 0, 120, RTEV_COUNTER_MINOR_PROMOTED, 50);
	past.lifecycle(f.m, 1, 130, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 9);
	past.begin(f.m, 2, 140, MINOR);
	model_attach(f.m, 1010);
	model_set_now(f.m, 1510);
	CHECK_INT(totals(&f).events, 0);
	CHECK_INT(totals(&f).running, 2);
	CHECK_INT(totals(&f).since_ts, 1010);
	CHECK_INT(model_notes(f.m), 0);
	expect_spans(&f, 0, 0);
	CHECK_NEAR(model_heap(f.m, HEAP_SIZE), 50, 0);
	CHECK_INT(model_domain(f.m, 0)->counters[RTEV_COUNTER_MINOR_PROMOTED].count, 0);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 500);
	CHECK_INT(model_domain(f.m, 2)->observed_ns, 500);
	CHECK(!model_domain(f.m, 1)->seen);
	CHECK_INT(model_domain(f.m, 1)->observed_ns, 0);
	/* What begins is observed from then on, and what ended unnoticed as of the attach too. */
	life(&f, 1, 1600, RTEV_LIFECYCLE_DOMAIN_SPAWN, 9);
	life(&f, 2, 1700, RTEV_LIFECYCLE_DOMAIN_SPAWN, 9);
	end(&f, 0, 1800, MINOR);
	model_set_now(f.m, 2010);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 1000);
	CHECK_INT(model_domain(f.m, 1)->observed_ns, 410);
	CHECK_INT(model_domain(f.m, 2)->observed_ns, 310);
	feed_close(&f);
}

TEST(a_target_pause_between_two_lives)
{
	struct feed f = feed_open(1000);

	life(&f, 1, 1000, RTEV_LIFECYCLE_DOMAIN_SPAWN, 9);
	life(&f, 0, 1100, RTEV_LIFECYCLE_RING_PAUSE, 0);
	life(&f, 0, 1200, RTEV_LIFECYCLE_RING_RESUME, 0);
	model_set_now(f.m, 1300);
	life(&f, 1, 1400, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 9);
	life(&f, 0, 1500, RTEV_LIFECYCLE_RING_PAUSE, 0);
	life(&f, 0, 1600, RTEV_LIFECYCLE_RING_RESUME, 0);
	model_set_now(f.m, 1650);
	life(&f, 1, 1700, RTEV_LIFECYCLE_DOMAIN_SPAWN, 9);
	model_set_now(f.m, 2000);
	CHECK_INT(model_domain(f.m, 1)->observed_ns, 400 - 100 + 300);
	CHECK_INT(model_domain(f.m, 1)->target_paused_ns, 100);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 1000 - 200);
	feed_close(&f);
}

TEST(a_loss_after_the_end_means_a_new_domain)
{
	struct feed f = feed_open(1);

	begin(&f, 1, 10, MINOR);
	life(&f, 1, 20, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 9);
	CHECK_INT(model_domain(f.m, 1)->state, MODEL_DOMAIN_TERMINATED);
	lost(&f, 1, 50, 0);
	CHECK_INT(model_domain(f.m, 1)->state, MODEL_DOMAIN_RUNNING);
	feed_close(&f);
}

/* The time of which the events were lost is neither in pauses nor observed. */
TEST(lost_time_is_not_observed)
{
	struct feed f = feed_open(1000);
	uint64_t lost_ns;

	span(&f, 0, 1100, 1300, MINOR);
	life(&f, 1, 1050, RTEV_LIFECYCLE_DOMAIN_SPAWN, 9);
	life(&f, 1, 1150, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 9);
	model_set_now(f.m, 1400);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 400);
	/* from the last event on */
	lost(&f, 0, 50, 0);
	model_set_now(f.m, 1450);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 300);
	lost(&f, 0, 50, 0);
	span(&f, 0, 1700, 1800, MINOR);
	model_set_now(f.m, 2000);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 300 + 300);
	CHECK_NEAR(figure_gc(model_domain(f.m, 0)).gc, 0.5, 1e-12);
	/* from the last read on; the target may have paused since the last event, which is not lost as
	 * well */
	model_read_to(f.m, 2100);
	lost(&f, 0, 50, 0);
	model_resume_at(f.m, 2400);
	life(&f, 0, 2400, RTEV_LIFECYCLE_RING_RESUME, 0);
	model_set_now(f.m, 2500);
	CHECK_INT(model_domain(f.m, 0)->target_paused_ns, 300);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 600 - 200 + 100);
	/* the slot was empty, and then another domain had it */
	lost(&f, 1, 50, 0);
	begin(&f, 1, 2450, MINOR);
	model_set_now(f.m, 2500);
	CHECK_INT(model_domain(f.m, 1)->observed_ns, 100 + 50);
	CHECK(model_lost_time(f.m, 0, 1200, 1500, &lost_ns) && lost_ns == 200);
	CHECK(model_lost_time(f.m, 0, 1600, 3000, &lost_ns) && lost_ns == 100);
	/* a replay is told when a loss began */
	lost(&f, 0, 50, 0);
	model_lost_from(f.m, 0, 2600);
	model_lost_from(f.m, 0, 2550);
	span(&f, 0, 2700, 2750, MINOR);
	model_lost_from(f.m, 0, 2740);
	model_reset(f.m);
	CHECK(model_lost_time(f.m, 0, 2400, 2800, &lost_ns) && lost_ns == 100);
	/* a reset in the middle of one */
	lost(&f, 0, 50, 0);
	model_set_now(f.m, 2900);
	model_reset(f.m);
	begin(&f, 0, 3000, MINOR);
	model_set_now(f.m, 3100);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 100);
	feed_close(&f);
}

TEST(more_losses_than_are_kept)
{
	struct feed f = feed_open(1000);
	uint64_t lost_ns;

	for (uint64_t i = 0; i < MODEL_LOSSES_MAX + 10; i++) {
		begin(&f, 0, 1000 + 10 * i, MINOR);
		lost(&f, 0, 5, 0);
	}
	begin(&f, 0, 1000 + 10 * (MODEL_LOSSES_MAX + 10), MINOR);
	model_set_now(f.m, 50000);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 50000 - 1000 - 10 * (MODEL_LOSSES_MAX + 10));
	CHECK(!model_lost_time(f.m, 0, 1050, 50000, &lost_ns));
	CHECK(model_lost_time(f.m, 0, 1200, 50000, &lost_ns));
	CHECK_INT(lost_ns, 10 * (MODEL_LOSSES_MAX + 10) - 200);
	feed_close(&f);
}

TEST(the_first_of_a_domain_is_a_loss)
{
	struct feed f = feed_open(1);

	lost(&f, 1, 50, 0);
	model_set_now(f.m, 100);
	model_drained(f.m);
	CHECK(!model_domain(f.m, 1)->seen);
	span(&f, 1, 110, 120, MINOR);
	CHECK(model_domain(f.m, 1)->seen);
	CHECK_INT(model_domain(f.m, 1)->first_ts, 110);
	CHECK_INT(model_domain(f.m, 1)->events, 2);
	feed_close(&f);
}

TEST(reset_starts_totals_anew)
{
	struct feed f = feed_open(1000);
	struct rtev_user_event a = user_event(0, "a"), i = user_event(1, "i");
	size_t count;

	span(&f, 0, 1100, 1200, MINOR);
	begin(&f, 0, 1300, MAJOR);
	user_span(&f, 0, 1310, &a, true);
	f.cb.user_int(f.m, 0, 1320, &i, -5);
	f.cb.counter(f.m, 0, 1330, RTEV_COUNTER_MINOR_PROMOTED, 3);
	lost(&f, 1, 7, 3);
	end(&f, 1, 1340, MINOR);
	model_set_now(f.m, 2000);
	model_reset(f.m);
	CHECK_INT(totals(&f).events, 0);
	CHECK_INT(totals(&f).lost_words, 0);
	CHECK_INT(totals(&f).history_lost_words, 0);
	CHECK_INT(totals(&f).since_ts, 2000);
	expect_spans(&f, 0, 2);
	expect_pauses(&f, 0, 0);
	model_worst(f.m, &count);
	CHECK_INT(count, 0);
	CHECK_INT(model_domain(f.m, 0)->counters[RTEV_COUNTER_MINOR_PROMOTED].count, 0);
	CHECK_INT(user(&f, 0, "i", MODEL_USER_INT)->count, 0);
	CHECK_INT(phase(&f, 0, MAJOR)->open, 1);
	/* what is begun before ends uncounted; what begins inside counts, but is no pause */
	begin(&f, 0, 2100, SLICE);
	user_span(&f, 0, 2110, &a, true);
	user_span(&f, 0, 2120, &a, false);
	end(&f, 0, 2200, SLICE);
	end(&f, 0, 2300, MAJOR);
	user_span(&f, 0, 2310, &a, false);
	expect_spans(&f, 0, 0);
	expect_phase(&f, 0, SLICE, 1, 100, 100, 100);
	expect_phase(&f, 0, MAJOR, 0, 0, 0, 0);
	expect_pauses(&f, 0, 0);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->count, 1);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->spans.sum, 10);
	f.cb.user_int(f.m, 0, 2320, &i, 50);
	CHECK_INT(user(&f, 0, "i", MODEL_USER_INT)->min, 50);
	span(&f, 0, 2400, 2500, MINOR);
	model_set_now(f.m, 3000);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 1000);
	CHECK_NEAR(figure_gc(model_domain(f.m, 0)).gc, 0.1, 1e-12);
	/* a domain that is heard of first after it */
	begin(&f, 5, 1900, MINOR);
	model_set_now(f.m, 3000);
	CHECK_INT(model_domain(f.m, 5)->observed_ns, 1000);
	/* what is dropped but had begun before the reset is not counted either */
	model_reset(f.m);
	lost(&f, 5, 1, 0);
	expect_spans(&f, 0, 0);
	feed_close(&f);
}

/* The rings of a file are made anew together, and no program need use all of them. */
TEST(programs_one_after_another)
{
	struct feed f = feed_open(1);

	life(&f, 0, 5, RTEV_LIFECYCLE_RING_START, 4242);
	CHECK_INT(totals(&f).restarts, 0);
	CHECK_INT(totals(&f).restart_ts, 0);
	f.cb.restart(f.m, 0);
	CHECK_INT(totals(&f).restart_ts, 0);
	life(&f, 0, 20, RTEV_LIFECYCLE_RING_START, 4242);
	f.cb.restart(f.m, 1);
	CHECK_INT(totals(&f).restarts, 1);
	CHECK_INT(totals(&f).restart_ts, 20);
	f.cb.restart(f.m, 0);
	life(&f, 0, 30, RTEV_LIFECYCLE_RING_START, 4242);
	CHECK_INT(totals(&f).restarts, 2);
	CHECK_INT(totals(&f).restart_ts, 30);
	model_reattach(f.m);
	CHECK_INT(totals(&f).restarts, 3);
	CHECK_INT(totals(&f).restart_ts, 0);
	life(&f, 0, 40, RTEV_LIFECYCLE_RING_START, 4242);
	CHECK_INT(totals(&f).restart_ts, 40);
	model_reset(f.m);
	CHECK_INT(totals(&f).restarts, 0);
	CHECK_INT(totals(&f).restart_ts, 0);
	feed_close(&f);
}

/* What ran when another program took over has ended; what the other program starts is observed. */
TEST(the_domains_of_a_program_end_with_it)
{
	struct feed f = feed_open(1000);

	for (unsigned domain = 0; domain < 3; domain++) {
		life(&f, domain, 1100, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
		begin(&f, domain, 1200, MINOR);
	}
	f.cb.restart(f.m, 0);
	life(&f, 0, 1500, RTEV_LIFECYCLE_RING_START, 1);
	f.cb.restart(f.m, 1);
	model_set_now(f.m, 2000);
	CHECK_INT(totals(&f).running, 2);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 100 + 500);
	CHECK_INT(model_domain(f.m, 1)->observed_ns, 100);
	model_reattach(f.m);
	model_set_now(f.m, 3000);
	CHECK_INT(totals(&f).running, 0);
	CHECK_INT(model_domain(f.m, 2)->observed_ns, 100);
	/* Its ring_start may be overwritten before it is read. */
	lost(&f, 2, 70, 70);
	begin(&f, 2, 3500, MINOR);
	model_set_now(f.m, 4000);
	CHECK_INT(totals(&f).running, 1);
	CHECK_INT(model_domain(f.m, 2)->observed_ns, 100 + 500);
	feed_close(&f);
}

TEST(pids_and_the_log)
{
	enum { FORKS = 69 };
	struct feed f = feed_open(1);
	size_t count;

	life(&f, 0, 5, RTEV_LIFECYCLE_RING_START, 4242);
	CHECK_INT(totals(&f).pid, 4242);
	for (int64_t i = 0; i < FORKS; i++)
		life(&f, 0, 10, RTEV_LIFECYCLE_FORK_PARENT, 5000 + i);
	life(&f, 0, 11, RTEV_OPAQUE + 9, -1);
	lost(&f, 0, 10, 4);
	lost(&f, 0, 20, 0); /* nothing came between: the same gap */
	lost(&f, 1, 30, 30);
	lost(&f, 2, 5, 5);
	lost(&f, 2, 3, 3);
	lost(&f, 2, 9, 0); /* of this only what came before it is known */
	f.cb.restart(f.m, 1);
	count = model_notes(f.m);
	CHECK_INT(count, 1 + FORKS + 1 + 5);
	/* what was lost before the attach is older than all that was read */
	CHECK_INT(model_note(f.m, 0)->domain, 1);
	CHECK_INT(model_note(f.m, 0)->history, 30);
	CHECK_INT(model_note(f.m, 0)->ts, 0);
	CHECK_INT(model_note(f.m, 1)->domain, 2);
	CHECK_INT(model_note(f.m, 1)->history, 8);
	CHECK_INT(model_note(f.m, 2)->event, RTEV_LIFECYCLE_RING_START);
	CHECK_INT(model_note(f.m, 2)->data, 4242);
	CHECK_INT(model_note(f.m, count - 4)->event, RTEV_OPAQUE + 9);
	CHECK_INT(model_note(f.m, count - 3)->kind, MODEL_NOTE_LOST);
	CHECK_INT(model_note(f.m, count - 3)->words, 30);
	CHECK_INT(model_note(f.m, count - 3)->history, 4);
	CHECK_INT(model_note(f.m, count - 3)->ts, 11);
	CHECK_INT(model_note(f.m, count - 2)->domain, 2);
	CHECK_INT(model_note(f.m, count - 2)->words, 9);
	CHECK_INT(model_note(f.m, count - 2)->ts, 0);
	CHECK_INT(model_note(f.m, count - 1)->kind, MODEL_NOTE_RESTART);
	CHECK(model_note(f.m, count) == NULL);
	for (uint64_t i = 0; i < MODEL_NOTES_MAX; i++)
		life(&f, 0, 100 + i, RTEV_LIFECYCLE_FORK_CHILD, (int64_t)i);
	CHECK_INT(model_notes(f.m), MODEL_NOTES_MAX);
	CHECK_INT(model_note(f.m, 0)->ts, 100);
	CHECK_INT(model_note(f.m, MODEL_NOTES_MAX - 1)->ts, 100 + MODEL_NOTES_MAX - 1);
	feed_close(&f);
}

/* Rings are read one after the other, and the log is in the order of time. */
TEST(the_log_is_in_the_order_of_stamps)
{
	static const struct {
		unsigned domain;
		uint64_t ts;
	} expected[] = {{3, 0}, {0, 5}, {1, 7}, {0, 10}, {2, 10}, {1, 10}, {1, 15}, {0, 20}, {0, 20}};
	enum { COUNT = sizeof(expected) / sizeof(expected[0]) };
	struct feed f = feed_open(1);

	life(&f, 0, 5, RTEV_LIFECYCLE_RING_START, 4242);
	life(&f, 0, 10, RTEV_LIFECYCLE_FORK_PARENT, 1);
	life(&f, 2, 10, RTEV_LIFECYCLE_DOMAIN_SPAWN, 0);
	lost(&f, 3, 30, 30); /* has no stamp: it came before all others */
	life(&f, 0, 20, RTEV_LIFECYCLE_FORK_PARENT, 2);
	lost(&f, 0, 3, 0);
	life(&f, 1, 7, RTEV_LIFECYCLE_DOMAIN_SPAWN, 0);
	life(&f, 1, 10, RTEV_LIFECYCLE_FORK_PARENT, 3);
	life(&f, 1, 15, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	lost(&f, 0, 4, 0); /* the same gap, though others were written down since */
	CHECK_INT(model_notes(f.m), COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		CHECK_INT(model_note(f.m, i)->domain, expected[i].domain);
		CHECK_INT(model_note(f.m, i)->ts, expected[i].ts);
	}
	CHECK_INT(model_note(f.m, COUNT - 1)->words, 7);
	feed_close(&f);
}

/* A ring that is read late finds its place in a log that is full. */
TEST(a_full_log_stays_in_order)
{
	struct feed f = feed_open(1);
	uint64_t last = 0;

	for (uint64_t i = 0; i < MODEL_NOTES_MAX + 5; i++)
		life(&f, 0, 100 + 2 * i, RTEV_LIFECYCLE_FORK_CHILD, 1);
	for (uint64_t i = 0; i < MODEL_NOTES_MAX / 2; i++)
		life(&f, 1, 1 + 4 * i, RTEV_LIFECYCLE_FORK_CHILD, 2);
	CHECK_INT(model_notes(f.m), MODEL_NOTES_MAX);
	for (size_t i = 0; i < MODEL_NOTES_MAX; i++) {
		CHECK(model_note(f.m, i)->ts >= last);
		last = model_note(f.m, i)->ts;
	}
	CHECK_INT(last, 100 + 2 * (MODEL_NOTES_MAX + 4));
	/* What is older than all of it pushes nothing out. */
	uint64_t first = model_note(f.m, 0)->ts;
	CHECK(first > 1);
	life(&f, 2, 1, RTEV_LIFECYCLE_FORK_CHILD, 3);
	CHECK_INT(model_note(f.m, 0)->ts, first);
	lost(&f, 3, 30, 30);
	CHECK_INT(model_note(f.m, 0)->ts, first);
	CHECK_INT(model_notes(f.m), MODEL_NOTES_MAX);
	feed_close(&f);
}

/* What the observer below was told, as one line. */
struct told {
	char text[2048];
};

__attribute__((format(printf, 2, 3))) static void tell(void *ctx, const char *format, ...)
{
	struct told *told = ctx;
	size_t n = strlen(told->text);
	va_list args;

	va_start(args, format);
	vsnprintf(told->text + n, sizeof(told->text) - n, format, args);
	va_end(args);
}

static void told_opened(void *ctx, unsigned domain, rtev_phase number, uint64_t ts, unsigned depth)
{
	tell(ctx, "open%u.%u@%" PRIu64 "/%u ", domain, number, ts, depth);
}

static void told_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	tell(ctx, "close%u.%u@%" PRIu64 "-%" PRIu64 "/%u,%" PRIu64 "%s%s ", domain, span->phase, span->begin,
	    span->end, span->depth, span->self, span->pause ? "p" : "", span->stale ? "s" : "");
}

static void told_dropped(void *ctx, unsigned domain, rtev_phase number, uint64_t ts, unsigned depth)
{
	tell(ctx, "drop%u.%u@%" PRIu64 "/%u ", domain, number, ts, depth);
}

static void told_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	tell(ctx, "gap%u.%d@%" PRIu64 ",%" PRIu64 "-%" PRIu64 " ", domain, (int)gap->kind, gap->from,
	    gap->words, gap->history);
}

static void told_user(void *ctx, unsigned domain, const struct model_user_event *e)
{
	if (e->what == MODEL_USER_CLOSED)
		tell(ctx, "user%u.%u@%" PRIu64 "-%" PRIu64 " ", domain, e->slot, e->begin, e->ts);
}

static void told_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	if (turn == MODEL_RESUMED)
		tell(ctx, "resume@%" PRIu64 " ", ts);
}

/* The observer was told this since the last such check. */
static void expect_told(struct told *told, const char *want)
{
	CHECK_STR(told->text, want);
	told->text[0] = '\0';
}

TEST(observers_follow)
{
	struct feed f = feed_open(1);
	struct told told = {""}, other = {""};
	struct model_observer observer = {.ctx = &told,
	    .opened = told_opened,
	    .closed = told_closed,
	    .dropped = told_dropped,
	    .gap = told_gap,
	    .user = told_user,
	    .turned = told_turned};
	struct model_observer second = {.ctx = &other, .turned = told_turned};
	struct rtev_user_event a = user_event(0, "a");
	char want[256];

	CHECK(model_observe(f.m, &observer));
	CHECK(model_observe(f.m, &second));
	begin(&f, 1, 10, MAJOR);
	span(&f, 1, 20, 30, MINOR);
	snprintf(
	    want, sizeof(want), "open1.%d@10/0 open1.%d@20/1 close1.%d@20-30/1,10 ", MAJOR, MINOR, MINOR);
	expect_told(&told, want);
	begin(&f, 1, 40, EPHE);
	told.text[0] = '\0';
	end(&f, 1, 50, MAJOR);
	snprintf(want, sizeof(want), "drop1.%d@40/1 close1.%d@10-50/0,30p ", EPHE, MAJOR);
	expect_told(&told, want);
	begin(&f, 1, 60, MAJOR);
	begin(&f, 1, 61, MINOR);
	told.text[0] = '\0';
	life(&f, 0, 70, RTEV_LIFECYCLE_RING_RESUME, 0);
	end(&f, 1, 80, SLICE);
	snprintf(want, sizeof(want), "resume@70 drop1.%d@61/1 drop1.%d@60/0 ", MINOR, MAJOR);
	expect_told(&told, want);
	begin(&f, 1, 90, MAJOR);
	told.text[0] = '\0';
	f.cb.corrupt(f.m, 1, 3);
	snprintf(want, sizeof(want), "drop1.%d@90/0 gap1.%d@90,3-0 ", MAJOR, MODEL_NOTE_CORRUPT);
	expect_told(&told, want);
	lost(&f, 1, 9, 4);
	snprintf(want, sizeof(want), "gap1.%d@90,9-4 ", MODEL_NOTE_LOST);
	expect_told(&told, want);
	user_span(&f, 0, 100, &a, true);
	user_span(&f, 0, 105, &a, false);
	expect_told(&told, "user0.0@100-105 ");
	begin(&f, 1, 110, MAJOR);
	model_reset(f.m);
	told.text[0] = '\0';
	end(&f, 1, 120, MAJOR);
	snprintf(want, sizeof(want), "close1.%d@110-120/0,10ps ", MAJOR);
	expect_told(&told, want);
	expect_told(&other, "resume@70 ");
	for (unsigned i = 2; i < MODEL_OBSERVERS_MAX; i++)
		CHECK(model_observe(f.m, &second));
	CHECK(!model_observe(f.m, &second));
	feed_close(&f);
	model_destroy(NULL);
}
