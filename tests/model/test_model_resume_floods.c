/*
 * test_model_resume_floods.c - resumes and pauses of the target by the thousand: they stay exact, and bounded
 * in memory and time.
 */
#include "figures/figures.h"
#include "support/model_feed.h"

/* Ring 0 records for 6 and is paused for 4, again and again, from 10 on. */
static void pause_and_resume(struct feed *f, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i <= last; i++) {
		span(f, 0, 10 * i, 10 * i + 6, MINOR);
		life(f, 0, 10 * i + 10, RTEV_LIFECYCLE_RING_RESUME, 0);
	}
}

TEST(a_target_that_pauses_without_end)
{
	struct feed f = feed_open(10);
	const struct model_target_pause *pauses;
	uint64_t n = 100 * MODEL_TARGET_PAUSES_MAX;
	size_t count;

	/* domains that end at once, in the middle, and not at all, and one that lives twice */
	begin(&f, 1, 9, MAJOR);
	life(&f, 2, 10, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
	life(&f, 2, 35, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 1);
	for (uint64_t i = 1; i < n; i += 1000) {
		pause_and_resume(&f, i, i + 999 < n ? i + 999 : n);
		if (i == 20001) {
			life(&f, 2, 10 * i + 10000, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
			life(&f, 3, 10 * i + 10000, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
		}
		if (i == 50001)
			life(&f, 3, 10 * i + 10000, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 1);
		model_drained(f.m);
		model_set_now(f.m, 10 * i);
	}
	model_set_now(f.m, 10 * n + 10);
	pauses = model_target_pauses(f.m, &count);
	CHECK_INT(count, MODEL_TARGET_PAUSES_MAX);
	CHECK_INT(pauses[count - 1].to, 10 * n + 10);
	CHECK_INT(pauses[count - 1].from, 10 * n + 6);
	CHECK_INT(model_domain(f.m, 0)->target_paused_ns, 4 * n);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 6 * n);
	CHECK_INT(model_domain(f.m, 1)->observed_ns, 6 * n + 1);
	CHECK_INT(model_domain(f.m, 2)->observed_ns, 25 - 8 + 6 * (n - 21000));
	CHECK_INT(model_domain(f.m, 2)->target_paused_ns, 8 + 4 * (n - 21000));
	CHECK_INT(model_domain(f.m, 3)->observed_ns, 6 * 30000);
	CHECK_INT(model_domain(f.m, 3)->target_paused_ns, 4 * 30000);
	expect_spans(&f, 1, 0);
	feed_close(&f);
}

TEST(a_flood_of_resumes_is_bounded)
{
	struct feed f = feed_open(0);
	uint64_t n = 600000;
	size_t count;

	/* a file: nothing says that all rings have been read */
	begin(&f, 1, 1, MAJOR);
	pause_and_resume(&f, 1, n);
	model_finish(f.m);
	model_target_pauses(f.m, &count);
	CHECK_INT(count, MODEL_TARGET_PAUSES_MAX);
	CHECK_INT(model_domain(f.m, 0)->target_paused_ns, 4 * n);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 6 * n);
	expect_spans(&f, 1, 0);
	CHECK_NEAR(figure_gc(model_domain(f.m, 0)).gc, 1, 1e-12);

	/* backwards, for a ring with a deep stack that grows with each of them */
	struct feed g = feed_open(0);
	for (uint64_t i = 0; i < MODEL_DEPTH_MAX; i++)
		begin(&g, 0, 1000000 + i, MAJOR);
	for (uint64_t i = 0; i < 20000; i++)
		life(&g, 1, 1000000 + 3 * (20000 - i), RTEV_LIFECYCLE_RING_RESUME, 0);
	model_finish(g.m);
	expect_spans(&g, 60000, MODEL_DEPTH_MAX - 60000);
	feed_close(&g);
	feed_close(&f);
}

TEST(thousands_announced_ring_by_ring)
{
	struct feed f = feed_open(0);
	uint64_t n = 50000, rings = 3;
	uint64_t drops = 0;
	size_t count;

	/* ring r resumes at 100 i + 10 r; the rings are announced one after the other, the last one first */
	for (uint64_t r = rings; r-- > 0;)
		for (uint64_t i = 1; i <= n; i++)
			model_resume_at(f.m, 100 * i + 10 * r);
	/* each resume drops one span, and a span between two of them counts */
	for (unsigned r = 0; r < rings; r++) {
		for (uint64_t i = 1; i <= n; i++) {
			begin(&f, r, 100 * i - 5, MAJOR);
			life(&f, r, 100 * i + 10 * r, RTEV_LIFECYCLE_RING_RESUME, 0);
			span(&f, r, 100 * i + 41, 100 * i + 44, MINOR);
			drops++;
		}
	}
	model_finish(f.m);
	expect_spans(&f, drops, 0);
	expect_pauses(&f, rings * n, 3 * rings * n);
	model_target_pauses(f.m, &count);
	CHECK_INT(count, MODEL_TARGET_PAUSES_MAX);
	/* of each 100 ns the target was paused from 95 to 100, to 110 and to 120 */
	CHECK_INT(model_domain(f.m, 2)->target_paused_ns, 25 * n);
	feed_close(&f);
}

/* Many resumes announced behind a ring's last event drop what was begun before the latest of them, and
 * nothing else. */
TEST(many_late_resumes)
{
	for (unsigned count = 1; count <= 1000; count += 37) {
		struct feed f = feed_open(1);

		begin(&f, 0, 10, MAJOR);
		begin(&f, 0, 5000, MINOR);
		life(&f, 0, 6000, RTEV_LIFECYCLE_FORK_CHILD, 0);
		for (unsigned i = 0; i < count; i++)
			model_resume_at(f.m, i % 2 == 0 ? 1000 + i : 900 - i / 2);
		model_resume_at(f.m, 9000);
		end(&f, 0, 7000, MINOR);
		expect_spans(&f, 1, 0);
		CHECK_INT(model_domain(f.m, 0)->phases[MINOR].count, 1);
		span(&f, 0, 8000, 9001, MINOR);
		expect_spans(&f, 3, 0);
		feed_close(&f);
	}
}

/* What announcing a resume costs does not go by the number of domains: the time that the test may take would
 * not do. */
TEST(resumes_of_many_domains)
{
	struct feed f = feed_open(1);

	for (unsigned d = 0; d < MODEL_DOMAINS_MAX; d++)
		begin(&f, d, 10, MINOR);
	for (uint64_t i = 0; i < 20000000; i++)
		model_resume_at(f.m, 20 + i);
	expect_spans(&f, 0, MODEL_DOMAINS_MAX);
	for (unsigned d = 0; d < MODEL_DOMAINS_MAX; d++)
		life(&f, d, 30000000, RTEV_LIFECYCLE_FORK_CHILD, 0);
	expect_spans(&f, MODEL_DOMAINS_MAX, 0);
	feed_close(&f);
}
