/*
 * test_model_resumes.c - resumes and the pauses of the target: by stamps, in whatever order the rings are
 * read.
 */
#include "figures/figures.h"
#include "support/model_feed.h"

/* Rings 0 and 1 of the same story, with a resume at 100 on ring 1. */
static void story_ring_0(struct feed *f)
{
	begin(f, 0, 10, MAJOR); /* never ended */
	span(f, 0, 20, 30, MINOR);
	begin(f, 0, 110, SLICE); /* outermost again */
	end(f, 0, 130, SLICE);
	end(f, 0, 140, MAJOR); /* no begin any more */
}

static void story_ring_1(struct feed *f)
{
	span(f, 1, 15, 95, MAJOR);
	begin(f, 1, 96, MINOR);
	life(f, 1, 100, RTEV_LIFECYCLE_RING_RESUME, 0);
	span(f, 1, 101, 104, SLICE);
}

/* What the story has to come to. */
static void story_expect(struct feed *f)
{
	size_t count;
	const struct model_target_pause *pause;

	model_finish(f->m);
	expect_spans(f, 3, 0);
	expect_phase(f, 0, MINOR, 1, 10, 10, 10);
	expect_phase(f, 0, SLICE, 1, 20, 20, 20);
	expect_phase(f, 0, MAJOR, 0, 0, 0, 0);
	expect_phase(f, 1, MAJOR, 1, 80, 80, 80);
	expect_phase(f, 1, SLICE, 1, 3, 3, 3);
	expect_pauses(f, 3, 20 + 80 + 3);
	pause = model_target_pauses(f->m, &count);
	CHECK_INT(count, 1);
	CHECK_INT(pause->from, 96);
	CHECK_INT(pause->to, 100);
	CHECK_INT(pause->rule, MODEL_RULE_GAP);
	CHECK_INT(model_domain(f->m, 0)->observed_ns, 140 - 10 - 4);
	CHECK_INT(model_domain(f->m, 0)->target_paused_ns, 4);
	CHECK_INT(model_domain(f->m, 1)->observed_ns, 104 - 15 - 4);
	CHECK_NEAR(figure_gc(model_domain(f->m, 1)).gc, 83.0 / 85.0, 1e-12);
	feed_close(f);
}

TEST(announced_resumes_work_in_any_order)
{
	struct feed f = feed_open(0);

	model_resume_at(f.m, 100);
	story_ring_0(&f);
	story_ring_1(&f);
	story_expect(&f);

	f = feed_open(0);
	model_resume_at(f.m, 100);
	model_resume_at(f.m, 100);
	story_ring_1(&f);
	story_ring_0(&f);
	story_expect(&f);
}

TEST(a_ring_read_after_the_resume_needs_no_announcement)
{
	struct feed f = feed_open(0);

	story_ring_1(&f);
	story_ring_0(&f);
	story_expect(&f);
}

TEST(a_late_resume_drops_what_is_still_open)
{
	struct feed f = feed_open(0);

	begin(&f, 0, 10, MAJOR);
	begin(&f, 0, 120, MINOR);
	/* ring 1 is read only now */
	life(&f, 1, 100, RTEV_LIFECYCLE_RING_RESUME, 0);
	end(&f, 0, 130, MINOR);
	expect_phase(&f, 0, MINOR, 1, 10, 10, 10);
	expect_spans(&f, 1, 0);
	end(&f, 0, 140, MAJOR);
	expect_spans(&f, 2, 0);
	/* opened while the major one was open: no pause, whatever became of that */
	expect_pauses(&f, 0, 0);
	feed_close(&f);
}

TEST(of_late_resumes_the_latest_counts)
{
	struct feed f = feed_open(0);

	model_resume_at(f.m, 15);
	begin(&f, 0, 120, MAJOR);
	begin(&f, 0, 220, MINOR);
	life(&f, 1, 200, RTEV_LIFECYCLE_RING_RESUME, 0);
	life(&f, 2, 110, RTEV_LIFECYCLE_RING_RESUME, 0);
	begin(&f, 0, 230, SLICE);
	expect_spans(&f, 1, 2);
	/* ring 0 is now past these */
	life(&f, 3, 225, RTEV_LIFECYCLE_RING_RESUME, 0);
	life(&f, 4, 100, RTEV_LIFECYCLE_RING_RESUME, 0);
	end(&f, 0, 240, SLICE);
	expect_spans(&f, 2, 0);
	feed_close(&f);
}

TEST(what_was_inside_a_dropped_span_stays_inside_its_holder)
{
	struct feed f = feed_open(0);

	/* stamps go back, so that the inner one is older than the outer one */
	model_resume_at(f.m, 100);
	begin(&f, 0, 150, MAJOR);
	begin(&f, 0, 50, MINOR);
	span(&f, 0, 60, 70, SLICE);
	life(&f, 1, 140, RTEV_LIFECYCLE_RING_RESUME, 0);
	end(&f, 0, 300, MAJOR);
	expect_phase(&f, 0, MAJOR, 1, 150, 140, 150);
	expect_spans(&f, 1, 0);
	expect_pauses(&f, 1, 150);
	feed_close(&f);
}

TEST(a_late_resume_is_applied_at_the_end_too)
{
	struct feed f = feed_open(0);

	begin(&f, 0, 10, MAJOR);
	begin(&f, 0, 120, MINOR);
	life(&f, 1, 100, RTEV_LIFECYCLE_RING_RESUME, 0);
	model_finish(f.m);
	expect_spans(&f, 1, 1);
	CHECK_INT(model_domain(f.m, 0)->depth, 1);
	CHECK_INT(model_domain(f.m, 0)->stack[0].phase, MINOR);
	feed_close(&f);
}

TEST(an_end_at_the_resume_is_in_time)
{
	struct feed f = feed_open(0);

	model_resume_at(f.m, 100);
	begin(&f, 0, 10, MAJOR);
	begin(&f, 0, 100, MINOR); /* begun at it: not before */
	end(&f, 0, 100, MINOR);
	end(&f, 0, 100, MAJOR);
	span(&f, 0, 100, 105, SLICE);
	span(&f, 1, 99, 101, MAJOR);
	expect_phase(&f, 0, MAJOR, 1, 90, 90, 90);
	expect_phase(&f, 0, SLICE, 1, 5, 5, 5);
	expect_phase(&f, 1, MAJOR, 0, 0, 0, 0);
	expect_spans(&f, 2, 0);
	feed_close(&f);
}

TEST(what_began_at_the_resume_outlives_what_held_it)
{
	struct feed f = feed_open(0);

	model_resume_at(f.m, 100);
	begin(&f, 0, 10, MAJOR);
	begin(&f, 0, 100, SLICE);
	span(&f, 0, 100, 104, MINOR);
	end(&f, 0, 110, SLICE);
	span(&f, 0, 120, 121, SLICE);
	expect_spans(&f, 1, 0);
	expect_phase(&f, 0, SLICE, 2, 11, 7, 10);
	expect_pauses(&f, 1, 1);
	feed_close(&f);
}

TEST(several_resumes_each_drop_their_own)
{
	struct feed f = feed_open(0);
	size_t count;
	const struct model_target_pause *pauses;

	for (uint64_t r = 300; r >= 100; r -= 100)
		model_resume_at(f.m, r);
	begin(&f, 0, 50, MAJOR);
	span(&f, 0, 150, 160, MAJOR);
	begin(&f, 0, 170, MAJOR);
	span(&f, 0, 350, 360, MAJOR);
	model_finish(f.m);
	expect_spans(&f, 2, 0);
	expect_phase(&f, 0, MAJOR, 2, 20, 20, 10);
	expect_pauses(&f, 2, 20);
	pauses = model_target_pauses(f.m, &count);
	CHECK_INT(count, 3);
	CHECK_INT(pauses[0].from, 50);
	CHECK_INT(pauses[0].to, 100);
	CHECK_INT(pauses[1].from, 170);
	CHECK_INT(pauses[1].to, 200);
	/* nothing came between the second and the third */
	CHECK_INT(pauses[2].from, 200);
	CHECK_INT(pauses[2].to, 300);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 310 - 50 - 30 - 100);
	feed_close(&f);
}

TEST(user_spans_are_dropped_alike)
{
	struct feed f = feed_open(0);
	struct rtev_user_event a = user_event(0, "a"), b = user_event(1, "b");

	model_resume_at(f.m, 100);
	user_span(&f, 0, 10, &a, true);
	user_span(&f, 0, 20, &b, true);
	user_span(&f, 0, 30, &a, true);
	user_span(&f, 0, 100, &b, false);
	user_span(&f, 0, 150, &a, false);
	user_span(&f, 0, 160, &a, true);
	user_span(&f, 0, 170, &a, false);
	expect_spans(&f, 3, 0);
	CHECK_INT(user(&f, 0, "a", MODEL_USER_SPAN)->count, 1);
	CHECK_INT(user(&f, 0, "b", MODEL_USER_SPAN)->spans.sum, 80);
	feed_close(&f);
}

TEST(a_silent_ring_is_brought_up_when_drained)
{
	struct feed f = feed_open(5);
	size_t count;

	begin(&f, 0, 50, MAJOR);
	begin(&f, 1, 40, MAJOR);
	life(&f, 1, 100, RTEV_LIFECYCLE_RING_RESUME, 0);
	model_drained(f.m); /* ring 0 may still hold what came before it */
	expect_spans(&f, 0, 2);
	model_drained(f.m);
	expect_spans(&f, 2, 0);
	/* that ring 0 was heard of at 50 is still known once it goes on */
	span(&f, 0, 200, 210, MINOR);
	expect_pauses(&f, 1, 10);
	model_set_now(f.m, 300);
	CHECK_INT(model_target_pauses(f.m, &count)->from, 50);
	CHECK_INT(count, 1);
	feed_close(&f);
}

TEST(a_resume_announced_before_a_drain_is_still_ahead)
{
	struct feed f = feed_open(5);

	begin(&f, 0, 10, MAJOR);
	begin(&f, 0, 20, MINOR);
	model_resume_at(f.m, 100);
	model_drained(f.m);
	end(&f, 0, 150, MINOR);
	end(&f, 0, 160, MAJOR);
	expect_spans(&f, 4, 0); /* two spans, and two ends without a begin */
	expect_pauses(&f, 0, 0);
	feed_close(&f);
}

TEST(a_ring_pause_says_when_it_began)
{
	struct feed f = feed_open(1);
	const struct model_target_pause *pauses;
	size_t count;

	span(&f, 0, 10, 20, MINOR);
	life(&f, 0, 50, RTEV_LIFECYCLE_RING_PAUSE, 0);
	begin(&f, 1, 51, MINOR); /* was just being written */
	model_set_now(f.m, 500);
	pauses = model_target_pauses(f.m, &count);
	CHECK_INT(count, 1);
	CHECK_INT(pauses[0].from, 51);
	CHECK(pauses[0].to == UINT64_MAX);
	CHECK_INT(pauses[0].rule, MODEL_RULE_EVENT);
	CHECK_INT(model_domain(f.m, 0)->target_paused_ns, 500 - 51);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 50);
	life(&f, 0, 600, RTEV_LIFECYCLE_RING_RESUME, 0);
	model_set_now(f.m, 1000);
	pauses = model_target_pauses(f.m, &count);
	CHECK_INT(count, 1);
	CHECK_INT(pauses[0].from, 50);
	CHECK_INT(pauses[0].to, 600);
	CHECK_INT(pauses[0].rule, MODEL_RULE_EVENT);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 999 - 550);
	/* the next pause has no such event */
	begin(&f, 0, 1100, MINOR);
	life(&f, 0, 1500, RTEV_LIFECYCLE_RING_RESUME, 0);
	model_set_now(f.m, 2000);
	pauses = model_target_pauses(f.m, &count);
	CHECK_INT(count, 2);
	CHECK_INT(pauses[1].from, 1100);
	CHECK_INT(pauses[1].rule, MODEL_RULE_GAP);
	feed_close(&f);
}

TEST(a_ring_pause_belongs_to_the_next_resume)
{
	struct feed f = feed_open(0);
	const struct model_target_pause *pauses;
	size_t count;

	/* the later resume is known first, then the pauses, then the earlier resume */
	model_resume_at(f.m, 400);
	life(&f, 0, 10, RTEV_LIFECYCLE_RING_START, 1);
	life(&f, 0, 100, RTEV_LIFECYCLE_RING_PAUSE, 0);
	life(&f, 0, 200, RTEV_LIFECYCLE_RING_RESUME, 0);
	life(&f, 0, 250, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
	life(&f, 0, 400, RTEV_LIFECYCLE_RING_RESUME, 0);
	life(&f, 0, 500, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 1);
	model_finish(f.m);
	pauses = model_target_pauses(f.m, &count);
	CHECK_INT(count, 2);
	CHECK_INT(pauses[0].from, 100);
	CHECK_INT(pauses[0].to, 200);
	CHECK_INT(pauses[0].rule, MODEL_RULE_EVENT);
	CHECK_INT(pauses[1].from, 250);
	CHECK_INT(pauses[1].to, 400);
	CHECK_INT(pauses[1].rule, MODEL_RULE_GAP);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 490 - 100 - 150);
	feed_close(&f);
}

/* Of two before one resume, whatever came between them is lost: the later one is of the pause that it
 * ended. */
TEST(the_latest_ring_pause_counts)
{
	static const uint64_t orders[2][2] = {{50, 70}, {70, 50}};

	for (unsigned i = 0; i < 2; i++) {
		struct feed f = feed_open(0);
		size_t count;

		model_resume_at(f.m, 100);
		life(&f, 0, orders[i][0], RTEV_LIFECYCLE_RING_PAUSE, 0);
		life(&f, 1, orders[i][1], RTEV_LIFECYCLE_RING_PAUSE, 0);
		life(&f, 0, 100, RTEV_LIFECYCLE_RING_RESUME, 0);
		model_finish(f.m);
		const struct model_target_pause *pauses = model_target_pauses(f.m, &count);
		CHECK_INT(count, 1);
		CHECK_INT(pauses[0].from, 70);
		CHECK_INT(pauses[0].to, 100);
		CHECK_INT(pauses[0].rule, MODEL_RULE_EVENT);
		feed_close(&f);
	}
}

TEST(a_loss_may_have_held_the_resume)
{
	struct feed f = feed_open(1);
	size_t count;

	life(&f, 0, 50, RTEV_LIFECYCLE_RING_PAUSE, 0);
	lost(&f, 1, 10, 10); /* before the attach: says nothing of now */
	model_set_now(f.m, 100);
	model_target_pauses(f.m, &count);
	CHECK_INT(count, 1);
	lost(&f, 1, 10, 0);
	model_set_now(f.m, 200);
	model_target_pauses(f.m, &count);
	CHECK_INT(count, 0);
	life(&f, 0, 250, RTEV_LIFECYCLE_RING_PAUSE, 0);
	life(&f, 0, 260, RTEV_LIFECYCLE_RING_STOP, 0);
	model_set_now(f.m, 300);
	CHECK_INT(model_target_pauses(f.m, &count)->to, 260);
	CHECK_INT(count, 1);
	feed_close(&f);
}

/* Only the process says that it has paused: from its latest event on nothing is observed, until it says or
 * does otherwise. */
TEST(a_pause_that_only_the_process_tells)
{
	struct feed f = feed_open(10);
	size_t count;

	model_set_silent(f.m, true); /* before any event there is nothing to cut */
	model_set_now(f.m, 5);
	model_target_pauses(f.m, &count);
	CHECK_INT(count, 0);
	span(&f, 0, 10, 30, MINOR);
	span(&f, 1, 40, 50, MINOR);
	model_set_now(f.m, 1050);
	const struct model_target_pause *pause = model_target_pauses(f.m, &count);
	CHECK_INT(count, 1);
	CHECK_INT(pause->from, 50);
	CHECK_INT(pause->to, UINT64_MAX);
	CHECK_INT(pause->rule, MODEL_RULE_GAP);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 40);
	CHECK_INT(model_domain(f.m, 0)->target_paused_ns, 1000);
	CHECK_NEAR(figure_gc(model_domain(f.m, 0)).gc, 0.5, 1e-12);
	/* A ring_pause that is read late says better since when. */
	life(&f, 0, 60, RTEV_LIFECYCLE_RING_PAUSE, 0);
	model_set_now(f.m, 1060);
	pause = model_target_pauses(f.m, &count);
	CHECK_INT(count, 1);
	CHECK_INT(pause->from, 60);
	CHECK_INT(pause->rule, MODEL_RULE_EVENT);
	life(&f, 0, 1100, RTEV_LIFECYCLE_RING_RESUME, 0);
	model_set_silent(f.m, false);
	model_set_now(f.m, 1200);
	pause = model_target_pauses(f.m, &count);
	CHECK_INT(count, 1);
	CHECK_INT(pause->to, 1100);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 1190 - 1040);
	feed_close(&f);
}

/* A target that ends while it has paused writes its ring_stop all the same: what lies before it was not
 * observed. */
TEST(a_pause_that_the_end_ends)
{
	for (int rule = 0; rule < 2; rule++) {
		struct feed f = feed_open(10);
		size_t count;

		span(&f, 0, 10, 30, MINOR);
		span(&f, 1, 40, 50, MINOR);
		begin(&f, 1, 52, MINOR); /* its end was never written */
		if (rule == 0)
			model_set_silent(f.m, true);
		else
			life(&f, 0, 52, RTEV_LIFECYCLE_RING_PAUSE, 0);
		model_set_now(f.m, 1052);
		uint64_t observed = model_domain(f.m, 0)->observed_ns + model_domain(f.m, 1)->observed_ns;
		CHECK_INT(observed, 2 * 42);
		life(&f, 0, 2000, RTEV_LIFECYCLE_RING_STOP, 0);
		model_set_silent(f.m, false);
		model_set_now(f.m, 3000);
		model_finish(f.m);
		const struct model_target_pause *pause = model_target_pauses(f.m, &count);
		CHECK_INT(count, 1);
		CHECK_INT(pause->from, 52);
		CHECK_INT(pause->to, 2000);
		CHECK_INT(pause->rule, rule == 0 ? MODEL_RULE_GAP : MODEL_RULE_EVENT);
		CHECK_INT(model_domain(f.m, 0)->observed_ns + model_domain(f.m, 1)->observed_ns, observed);
		expect_spans(&f, 1, 0);
		feed_close(&f);
	}
	/* One that has taken its events up again before is observed to its end. */
	struct feed f = feed_open(10);
	span(&f, 0, 10, 30, MINOR);
	model_set_silent(f.m, true);
	model_set_now(f.m, 1000);
	life(&f, 0, 1000, RTEV_LIFECYCLE_RING_RESUME, 0);
	life(&f, 0, 1500, RTEV_LIFECYCLE_RING_STOP, 0);
	model_set_silent(f.m, false);
	model_finish(f.m);
	CHECK_INT(model_domain(f.m, 0)->observed_ns, 20 + 500);
	feed_close(&f);
}

TEST(extreme_stamps)
{
	struct feed f = feed_open(0);
	size_t count;

	begin(&f, 0, 0, MAJOR);
	life(&f, 1, 0, RTEV_LIFECYCLE_RING_RESUME, 0);
	life(&f, 1, UINT64_MAX, RTEV_LIFECYCLE_RING_RESUME, 0);
	span(&f, 1, UINT64_MAX, UINT64_MAX, MINOR);
	expect_spans(&f, 0, 1);
	model_finish(f.m);
	expect_spans(&f, 1, 0);
	expect_phase(&f, 1, MINOR, 1, 0, 0, 0);
	CHECK(model_target_pauses(f.m, &count)->to == UINT64_MAX);
	model_drained(f.m);
	model_drained(f.m);
	model_set_now(f.m, UINT64_MAX);
	feed_close(&f);
}

/* Of a process that ends without a word it is told in which phase each domain was, unless it had paused its events. */
TEST(what_a_process_ended_in)
{
	for (int paused = 0; paused < 2; paused++) {
		struct feed f = feed_open(1000);

		begin(&f, 0, 1100, MAJOR);
		begin(&f, 0, 1200, MINOR);
		span(&f, 1, 1150, 1160, SLICE);
		if (paused)
			life(&f, 0, 1300, RTEV_LIFECYCLE_RING_PAUSE, 0);
		model_ended(f.m, 2000);
		const struct model_note *note = model_note(f.m, model_notes(f.m) - 1);
		CHECK_INT(note->kind, MODEL_NOTE_ENDED);
		CHECK_INT(note->domain, 0);
		CHECK_INT(note->ts, 2000);
		CHECK_INT(note->data, paused ? MODEL_NO_PHASE : MINOR);
		feed_close(&f);
	}
}
