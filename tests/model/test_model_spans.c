/*
 * test_model_spans.c - the rules of runtime spans: nesting, what is dropped, pauses, floods.
 */
#include "core/sum.h"
#include "figures/figures.h"
#include "support/model_feed.h"

#include <math.h>

TEST(nesting_counts_self_and_total)
{
	struct feed f = feed_open(0);

	begin(&f, 0, 100, LEADER);
	begin(&f, 0, 110, MINOR);
	span(&f, 0, 120, 150, SLICE);
	end(&f, 0, 170, MINOR);
	span(&f, 0, 180, 185, SLICE);
	end(&f, 0, 200, LEADER);
	expect_phase(&f, 0, LEADER, 1, 100, 100 - 60 - 5, 100);
	expect_phase(&f, 0, MINOR, 1, 60, 30, 60);
	expect_phase(&f, 0, SLICE, 2, 35, 35, 30);
	expect_spans(&f, 0, 0);
	expect_pauses(&f, 1, 100);
	CHECK_INT(model_domain(f.m, 0)->gc_ns, 100);
	CHECK_INT(totals(&f).events, 8);
	feed_close(&f);
}

TEST(the_same_phase_nested_counts_in_full)
{
	struct feed f = feed_open(0);

	begin(&f, 0, 0, MAJOR);
	begin(&f, 0, 10, MAJOR);
	span(&f, 0, 20, 30, MAJOR);
	CHECK_INT(phase(&f, 0, MAJOR)->open, 2);
	end(&f, 0, 50, MAJOR);
	end(&f, 0, 100, MAJOR);
	expect_phase(&f, 0, MAJOR, 3, 10 + 40 + 100, 10 + 30 + 60, 100);
	expect_pauses(&f, 1, 100);
	feed_close(&f);
}

TEST(an_end_drops_what_never_ended_inside)
{
	struct feed f = feed_open(0);

	/* as 5.0 and 5.1 write major_ephe_mark: a begin without its end, and a counted span inside it */
	begin(&f, 0, 0, SLICE);
	begin(&f, 0, 10, EPHE);
	span(&f, 0, 20, 30, MINOR);
	end(&f, 0, 100, SLICE);
	expect_phase(&f, 0, SLICE, 1, 100, 90, 100);
	expect_phase(&f, 0, EPHE, 0, 0, 0, 0);
	expect_phase(&f, 0, MINOR, 1, 10, 10, 10);
	expect_spans(&f, 1, 0);
	end(&f, 0, 110, EPHE);
	end(&f, 0, 111, ODD);
	expect_spans(&f, 3, 0);
	expect_pauses(&f, 1, 100);
	feed_close(&f);
}

TEST(an_end_closes_the_innermost_of_its_phase)
{
	struct feed f = feed_open(0);

	begin(&f, 0, 0, MAJOR);
	begin(&f, 0, 1, MINOR);
	begin(&f, 0, 2, MAJOR);
	begin(&f, 0, 3, SLICE);
	end(&f, 0, 10, MAJOR);
	expect_phase(&f, 0, MAJOR, 1, 8, 8, 8);
	expect_spans(&f, 1, 2);
	CHECK_INT(model_domain(f.m, 0)->depth, 2);
	CHECK_INT(model_domain(f.m, 0)->stack[1].phase, MINOR);
	feed_close(&f);
}

TEST(opaque_phases_count_like_others)
{
	struct feed f = feed_open(0);

	for (unsigned i = 0; i < RTEV_ID_LIMIT; i++)
		span(&f, 0, 10 * i, 10 * i + 1 + i % 3, (rtev_phase)(RTEV_OPAQUE + i));
	expect_phase(&f, 0, ODD, 1, 1, 1, 1);
	expect_phase(&f, 0, RTEV_OPAQUE + RTEV_ID_LIMIT - 1, 1, 1 + (RTEV_ID_LIMIT - 1) % 3,
	    1 + (RTEV_ID_LIMIT - 1) % 3, 1 + (RTEV_ID_LIMIT - 1) % 3);
	expect_pauses(&f, RTEV_ID_LIMIT, model_domain(f.m, 0)->gc_ns);
	span(&f, 3, 5, 25, ODD);

	struct model_phase sum;
	model_phase_total(f.m, ODD, &sum);
	CHECK_INT(sum.count, 2);
	CHECK_INT(sum.total, 21);
	CHECK_INT(sum.max, 20);
	model_phase_total(f.m, MINOR, &sum);
	CHECK_INT(sum.count, 0);
	feed_close(&f);
}

TEST(a_wait_is_no_pause_nor_is_what_nests_in_it)
{
	struct feed f = feed_open(0);

	begin(&f, 0, 0, WAIT);
	span(&f, 0, 10, 20, HANDLER);
	end(&f, 0, 100, WAIT);
	expect_pauses(&f, 0, 0);
	CHECK_INT(model_domain(f.m, 0)->gc_ns, 0);
	expect_phase(&f, 0, WAIT, 1, 100, 90, 100);
	/* a wait inside a pause is part of it */
	begin(&f, 0, 200, MINOR);
	span(&f, 0, 210, 220, WAIT);
	end(&f, 0, 230, MINOR);
	expect_pauses(&f, 1, 30);
	/* opened with a wait open that is dropped later: still no pause */
	begin(&f, 0, 300, WAIT);
	span(&f, 0, 310, 320, HANDLER);
	lost(&f, 0, 10, 0);
	expect_pauses(&f, 1, 30);
	feed_close(&f);
}

/* A thread waits, and the others run: what they do are pauses, up to the next begin of a wait. */
TEST(a_wait_of_one_thread_hides_no_other)
{
	struct feed f = feed_open(0);
	const struct rtev_user_event work = user_event(0, "work");

	begin(&f, 0, 0, WAIT);
	begin(&f, 0, 10, WAIT);
	begin(&f, 0, 20, HANDLER);
	begin(&f, 0, 21, MINOR);
	f.cb.counter(f.m, 0, 22, RTEV_COUNTER_MINOR_ALLOCATED, 8);
	end(&f, 0, 25, MINOR);
	end(&f, 0, 30, HANDLER);
	expect_pauses(&f, 0, 0);
	begin(&f, 0, 2000, LEADER);
	span(&f, 0, 2001, 2004, MINOR);
	end(&f, 0, 2005, LEADER);
	span(&f, 0, 2010, 2017, HANDLER);
	expect_pauses(&f, 2, 12);
	expect_phase(&f, 0, WAIT, 1, 2000, 1990, 2000);
	CHECK_INT(model_domain(f.m, 0)->wait_count, 2);
	/* Idle again, until a user event, a counter, the end of any wait, or a phase that no other domain asks for. */
	for (unsigned i = 0; i < 4; i++) {
		uint64_t t = 3000 + 3000 * i;
		begin(&f, 0, t, WAIT);
		span(&f, 0, t + 10, t + 20, HANDLER);
		if (i == 0)
			user_span(&f, 0, t + 2030, &work, true);
		else if (i == 1)
			f.cb.counter(f.m, 0, t + 2030, RTEV_COUNTER_MINOR_PROMOTED, 8);
		else if (i == 2)
			end(&f, 0, t + 2030, WAIT);
		span(&f, 0, t + 2030, t + 2040, i < 3 ? MAJOR : MINOR);
		expect_phase(&f, 0, WAIT, 2 + i, 2000 + 2030 * (i + 1), 1990 + 2020 * (i + 1), 2030);
		expect_pauses(&f, 3 + i, 12 + 10 * (i + 1));
	}
	/* Of an end without a begin nothing is known but that a thread runs. */
	for (unsigned i = 0; i < 6; i++)
		end(&f, 0, 20000 + i, WAIT);
	CHECK_INT(model_domain(f.m, 0)->wait_count, 0);
	expect_spans(&f, 1, 1);
	span(&f, 0, 21000, 21001, HANDLER);
	expect_pauses(&f, 7, 53);
	feed_close(&f);
}

/* All threads of a domain wait.  The last one handles what is pending before it gives the domain up, and may do so again until it
 * has: these are pauses, and none of them says that a thread runs afterwards. */
TEST(what_a_thread_handles_before_it_waits_ends_no_idle_stretch)
{
	struct feed f = feed_open(0);

	begin(&f, 0, 0, WAIT);
	begin(&f, 0, 10, WAIT);
	begin(&f, 0, 100, REMOTE);
	span(&f, 0, 101, 109, HANDLER);
	end(&f, 0, 110, REMOTE);
	span(&f, 0, 111, 121, MAJOR);
	expect_pauses(&f, 2, 20);
	CHECK_INT(model_domain(f.m, 0)->depth, 1);
	span(&f, 0, 50000, 50070, HANDLER);
	span(&f, 0, 50070, 50080, MAJOR);
	span(&f, 0, 90000, 90003, REMOTE);
	span(&f, 0, 100000, 100050, HANDLER);
	expect_pauses(&f, 3, 23);
	expect_phase(&f, 0, WAIT, 3, 89980, 89900, 89879);
	/* A collection long after the begin of the wait is of a thread that runs on. */
	span(&f, 0, 200000, 200004, MINOR);
	span(&f, 0, 300000, 300005, HANDLER);
	expect_pauses(&f, 5, 32);
	/* The pause is dropped, and with it what was to follow. */
	begin(&f, 0, 400000, WAIT);
	begin(&f, 0, 400100, REMOTE);
	lost(&f, 0, 10, 0);
	begin(&f, 0, 400200, HANDLER);
	end(&f, 0, 400206, HANDLER);
	CHECK_INT(model_domain(f.m, 0)->depth, 0);
	expect_pauses(&f, 6, 38);
	feed_close(&f);
}

/* A backup thread polls after a stop; what it then does is no pause of a domain of which all threads wait. */
TEST(a_backup_thread_polls_after_a_stop)
{
	struct feed f = feed_open(0);

	begin(&f, 0, 0, WAIT);
	span(&f, 0, 10, 20, HANDLER);
	begin(&f, 0, 21, MAJOR);
	span(&f, 0, 22, 29, SLICE);
	end(&f, 0, 30, MAJOR);
	span(&f, 0, 31, 32, LEADER);
	end(&f, 0, 100, WAIT);
	expect_pauses(&f, 0, 0);
	expect_phase(&f, 0, WAIT, 1, 100, 80, 100);
	/* What begins long after a stop may be of a thread that runs: it is a pause. */
	begin(&f, 0, 1000000, WAIT);
	span(&f, 0, 1000010, 1000020, HANDLER);
	span(&f, 0, 1050000, 1050007, MAJOR);
	span(&f, 0, 1060000, 1060005, HANDLER);
	expect_pauses(&f, 1, 7);
	/* Without a stop before it there is nothing to poll for. */
	begin(&f, 1, 0, WAIT);
	span(&f, 1, 21000, 21009, MAJOR);
	span(&f, 1, 30000, 30001, HANDLER);
	expect_pauses(&f, 2, 16);
	/* The slot's next domain has one thread again. */
	life(&f, 1, 40000, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	life(&f, 1, 50000, RTEV_LIFECYCLE_DOMAIN_SPAWN, 4242);
	CHECK_INT(model_domain(f.m, 1)->wait_count, 0);
	begin(&f, 1, 60000, WAIT);
	span(&f, 1, 70000, 70005, HANDLER);
	span(&f, 1, 70006, 70008, MAJOR);
	expect_pauses(&f, 2, 16);
	feed_close(&f);
}

/* A wait from before a loss or a resume is not known: the domain is taken to run, as after a late attach. */
TEST(waits_before_a_loss_or_a_resume_are_not_known)
{
	struct feed f = feed_open(1);

	begin(&f, 0, 10, WAIT);
	begin(&f, 0, 12, WAIT);
	lost(&f, 0, 10, 0);
	CHECK_INT(model_domain(f.m, 0)->wait_count, 0);
	span(&f, 0, 20, 25, HANDLER);
	expect_pauses(&f, 1, 5);
	begin(&f, 0, 30, WAIT);
	model_resume_at(f.m, 40);
	begin(&f, 0, 50, WAIT);
	CHECK_INT(model_domain(f.m, 0)->wait_count, 1);
	span(&f, 0, 60, 70, HANDLER);
	expect_pauses(&f, 1, 5);
	model_resume_at(f.m, 80);
	span(&f, 0, 90, 99, HANDLER);
	expect_pauses(&f, 2, 14);
	feed_close(&f);
}

TEST(a_gap_drops_what_is_open_on_its_ring)
{
	struct feed f = feed_open(1);

	begin(&f, 0, 10, MAJOR);
	begin(&f, 0, 20, MINOR);
	begin(&f, 1, 15, MAJOR);
	lost(&f, 0, 100, 0);
	expect_spans(&f, 2, 1);
	end(&f, 0, 40, MINOR);
	expect_spans(&f, 3, 1);
	f.cb.corrupt(f.m, 1, 12);
	expect_spans(&f, 4, 0);
	begin(&f, 1, 50, MAJOR);
	f.cb.restart(f.m, 1);
	expect_spans(&f, 5, 0);
	/* the one after the gap is a pause again */
	span(&f, 0, 60, 70, MINOR);
	expect_pauses(&f, 1, 10);

	const struct model_domain *d = model_domain(f.m, 0);
	CHECK_INT(d->lost_words, 100);
	CHECK_INT(d->gaps, 1);
	CHECK_INT(d->last_gap_ts, 20);
	d = model_domain(f.m, 1);
	CHECK_INT(d->corrupt_words, 12);
	CHECK_INT(d->restarts, 1);
	CHECK_INT(d->gaps, 2);
	CHECK_INT(d->last_gap_ts, 50);
	/* Whatever is claimed, the sums stay what a ring can come to. */
	for (int i = 0; i < 3; i++) {
		lost(&f, 0, RING_WORDS_CEILING, 0);
		f.cb.corrupt(f.m, 1, RING_WORDS_CEILING);
	}
	const struct model_totals totals = model_totals(f.m);
	CHECK_INT(totals.lost_words, RING_WORDS_CEILING);
	CHECK_INT(totals.corrupt_words, RING_WORDS_CEILING);
	feed_close(&f);
}

TEST(history_is_not_a_loss_of_ours)
{
	struct feed f = feed_open(1000);

	lost(&f, 2, 500, 500);
	lost(&f, 3, 700, 200);
	CHECK_INT(totals(&f).lost_words, 500);
	CHECK_INT(totals(&f).history_lost_words, 700);
	CHECK_INT(model_domain(f.m, 2)->gaps, 0);
	CHECK_INT(model_domain(f.m, 3)->gaps, 1);
	CHECK(!model_domain(f.m, 2)->seen);
	CHECK_INT(totals(&f).events, 0);
	CHECK(!totals(&f).seen);
	CHECK(model_domain(f.m, 0) == NULL);
	feed_close(&f);
}

TEST(stamps_that_go_back)
{
	struct feed f = feed_open(0);

	begin(&f, 0, 100, MAJOR);
	begin(&f, 0, 200, MINOR);
	span(&f, 0, 210, 230, SLICE);
	end(&f, 0, 150, MINOR); /* ends before it began: not counted */
	expect_spans(&f, 1, 1);
	end(&f, 0, 110, MAJOR); /* shorter than what was inside */
	expect_phase(&f, 0, MAJOR, 1, 10, 0, 10);
	expect_phase(&f, 0, MINOR, 0, 0, 0, 0);
	expect_phase(&f, 0, SLICE, 1, 20, 20, 20);
	/* sums stay at their end */
	for (int i = 0; i < 3; i++)
		span(&f, 1, 0, UINT64_MAX, MAJOR);
	CHECK(phase(&f, 1, MAJOR)->total == UINT64_MAX);
	CHECK(phase(&f, 1, MAJOR)->self == UINT64_MAX);
	CHECK(model_domain(f.m, 1)->gc_ns == UINT64_MAX);
	model_finish(f.m);
	CHECK_NEAR(figure_gc(model_domain(f.m, 1)).gc, 1, 1e-9);
	/* from the first to the last stamp: nothing is left of it, and nothing is divided by it */
	span(&f, 2, 50, 40, MAJOR);
	model_finish(f.m);
	CHECK_INT(model_domain(f.m, 2)->observed_ns, 0);
	CHECK(isnan(figure_gc(model_domain(f.m, 2)).gc));
	feed_close(&f);
}

TEST(a_flood_of_begins_is_bounded)
{
	struct feed f = feed_open(0);
	unsigned more = 1000;

	for (unsigned i = 0; i < MODEL_DEPTH_MAX + more; i++)
		begin(&f, 0, i, i % 2 == 0 ? MAJOR : MINOR);
	CHECK_INT(model_domain(f.m, 0)->depth, MODEL_DEPTH_MAX);
	expect_spans(&f, more, MODEL_DEPTH_MAX);
	for (unsigned i = MODEL_DEPTH_MAX; i-- > 0;)
		end(&f, 0, 2 * MODEL_DEPTH_MAX - i, i % 2 == 0 ? MAJOR : MINOR);
	expect_spans(&f, more, 0);
	CHECK_INT(phase(&f, 0, MAJOR)->count, MODEL_DEPTH_MAX / 2);
	expect_pauses(&f, 1, 2 * MODEL_DEPTH_MAX);
	feed_close(&f);
}

/* Ends without a begin under a deep stack must not search it: this would take minutes if they did. */
TEST(a_flood_of_ends_is_cheap)
{
	struct feed f = feed_open(0);
	unsigned flood = 2000000;

	for (unsigned i = 0; i < MODEL_DEPTH_MAX; i++)
		begin(&f, 0, i, MAJOR);
	for (unsigned i = 0; i < flood; i++)
		end(&f, 0, 100000 + i, MINOR);
	expect_spans(&f, flood, MODEL_DEPTH_MAX);
	/* nor may a stack be taken down again and again */
	for (unsigned i = 0; i < flood / 2; i++) {
		begin(&f, 1, i, MAJOR);
		lost(&f, 1, 1, 0);
	}
	CHECK_INT(model_domain(f.m, 1)->dropped, flood / 2);
	feed_close(&f);
}

TEST(domains_are_bounded)
{
	struct feed f = feed_open(0);

	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i += 97)
		begin(&f, i, 10, MINOR);
	begin(&f, MODEL_DOMAINS_MAX - 1, 10, MINOR);
	begin(&f, MODEL_DOMAINS_MAX, 10, MINOR);
	f.cb.end(f.m, UINT32_MAX, 10, MINOR);
	lost(&f, MODEL_DOMAINS_MAX, 1, 0);
	CHECK_INT(totals(&f).ignored, 3);
	CHECK_INT(totals(&f).domains, MODEL_DOMAINS_MAX);
	CHECK(model_domain(f.m, MODEL_DOMAINS_MAX) == NULL);
	feed_close(&f);
}

TEST(the_ten_longest_pauses)
{
	struct feed f = feed_open(0);
	const struct model_worst *worst;
	size_t count;

	worst = model_worst(f.m, &count);
	CHECK_INT(count, 0);
	/* durations 1 to 40 in a mixed order, on two domains, with something inside those of multiples of
	 * 4 */
	for (uint64_t i = 0; i < 40; i++) {
		uint64_t duration = i * 17 % 40 + 1, ts = 1000 * (i + 1);
		unsigned domain = (unsigned)i % 2;

		begin(&f, domain, ts, MAJOR);
		if (duration % 4 == 0) {
			span(&f, domain, ts, ts + 2, SLICE);
			begin(&f, domain, ts + 2, MINOR);
			span(&f, domain, ts + 2, ts + 3, SLICE);
			end(&f, domain, ts + 4, MINOR);
		}
		end(&f, domain, ts + duration, MAJOR);
	}
	worst = model_worst(f.m, &count);
	CHECK_INT(count, MODEL_WORST_MAX);
	for (size_t i = 0; i < count; i++) {
		CHECK_INT(worst[i].duration, 40 - i);
		CHECK_INT(worst[i].phase, MAJOR);
		CHECK_INT(worst[i].domain, (worst[i].ts / 1000 - 1) % 2);
		CHECK_INT(worst[i].inside_count, (40 - i) % 4 == 0 ? 2 : 0);
		if (worst[i].inside_count == 0)
			continue;
		CHECK_INT(worst[i].inside[0].phase, MINOR);
		CHECK_INT(worst[i].inside[0].total, 2);
		CHECK_INT(worst[i].inside[0].self, 1);
		CHECK_INT(worst[i].inside[1].phase, SLICE);
		CHECK_INT(worst[i].inside[1].count, 2);
		CHECK_INT(worst[i].inside[1].total, 3);
		CHECK_INT(worst[i].inside[1].max, 2);
	}
	feed_close(&f);
}

TEST(of_equal_pauses_the_earlier_is_worse)
{
	struct feed f = feed_open(0);
	const struct model_worst *worst;
	size_t count;

	/* read ring by ring, so that the earlier ones of domain 0 come after the later ones of domain 1 */
	for (uint64_t i = 0; i < 8; i++)
		span(&f, 1, 1000 + 100 * i, 1050 + 100 * i, MINOR);
	for (uint64_t i = 0; i < 8; i++)
		span(&f, 0, 100 * i, 50 + 100 * i, MINOR);
	worst = model_worst(f.m, &count);
	CHECK_INT(count, MODEL_WORST_MAX);
	for (size_t i = 0; i < count; i++)
		CHECK_INT(worst[i].ts, i < 8 ? 100 * i : 1000 + 100 * (i - 8));
	feed_close(&f);
}

TEST(a_pause_with_a_great_deal_inside)
{
	struct feed f = feed_open(0);
	const struct model_worst *worst;
	size_t count;
	uint64_t ts = 0;

	begin(&f, 0, ts++, LEADER);
	for (unsigned i = 0; i < 10000; i++) {
		span(&f, 0, ts, ts + 1, i % 2 == 0 ? MINOR : (rtev_phase)(RTEV_OPAQUE + i % 200));
		ts += 2;
	}
	end(&f, 0, ts, LEADER);
	worst = model_worst(f.m, &count);
	CHECK_INT(count, 1);
	CHECK_INT(worst[0].inside_count, MODEL_INSIDE_MAX);
	CHECK_INT(worst[0].inside[0].phase, MINOR);
	CHECK_INT(worst[0].inside[0].count, 5000);
	CHECK_INT(worst[0].inside[1].phase, RTEV_OPAQUE + 1);
	CHECK_INT(worst[0].inside[1].count, 50);
	/* the next one starts from nothing */
	span(&f, 0, ts + 1, ts + 100, MAJOR);
	worst = model_worst(f.m, &count);
	CHECK_INT(worst[1].inside_count, 0);
	feed_close(&f);
}

/* The pause's own time is a part as those of the phases inside are, and its own phase may occur inside, too. */
TEST(the_parts_of_a_pause)
{
	struct feed f = feed_open(0);
	struct model_phase parts[MODEL_INSIDE_MAX + 1];
	size_t count;

	begin(&f, 0, 100, MAJOR);
	span(&f, 0, 110, 120, SLICE);
	begin(&f, 0, 120, MINOR);
	span(&f, 0, 121, 124, MAJOR);
	end(&f, 0, 125, MINOR);
	end(&f, 0, 600, MAJOR);
	const struct model_worst *worst = model_worst(f.m, &count);
	CHECK_INT(count, 1);
	CHECK_INT(worst->self, 485);
	CHECK_INT(worst->inside_count, 3);
	CHECK_INT(model_pause_parts(worst->phase, worst->self, worst->inside, 3, parts), 3);
	CHECK_INT(parts[0].phase, MAJOR);
	CHECK_INT(parts[0].self, 488);
	CHECK_INT(parts[1].phase, SLICE);
	CHECK_INT(parts[1].self, 10);
	CHECK_INT(parts[2].phase, MINOR);
	CHECK_INT(parts[2].self, 2);
	/* A pause with nothing inside is all its own. */
	CHECK_INT(model_pause_parts(MAJOR, 7, NULL, 0, parts), 1);
	CHECK_INT(parts[0].self, 7);
	feed_close(&f);
}
