/*
 * test_fibers.c - the model of fibers: its bound, another program in the same process, what a loss leaves.
 */
#include "support/test.h"

#include "fibers/fibers.h"

#define MS UINT64_C(1000000)

static struct model *model;
static struct fibers *fibers;

static void begin(void)
{
	model = model_create(&(struct model_options){0});
	CHECK(model != NULL);
	fibers = fibers_create(model);
	CHECK(fibers != NULL);
}

static void end(void)
{
	CHECK(!fibers_failed(fibers));
	fibers_destroy(fibers);
	model_destroy(model);
}

static void take(uint64_t ts, enum fiber_op op, uint64_t id, uint64_t other, const char *text)
{
	const struct fiber_event event = {.op = op,
	    .kind = op == FIBER_CONTEXT_MADE ? FIBER_CONTEXT_ROOT : FIBER_KIND_NONE,
	    .id = id,
	    .other = other,
	    .text = text,
	    .len = text != NULL ? strlen(text) : 0};

	fibers_take(fibers, 0, ts, &event);
}

/* A turn in which fiber `id` is made and runs for a millisecond, and then waits or ends. */
static void turn(uint64_t ts, uint64_t id, bool waits)
{
	take(ts, FIBER_IDLE_ENDS, 0, 0, NULL);
	take(ts, FIBER_MADE, id, 1, NULL);
	take(ts, FIBER_RUNS, id, 0, NULL);
	take(ts + MS, waits ? FIBER_SUSPENDS : FIBER_ENDS, id, 0, waits ? "sleep" : NULL);
	take(ts + 2 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
}

static struct fiber_totals totals(void)
{
	struct fiber_totals t;

	fibers_totals(fibers, &t);
	return t;
}

/* Over the bound those that are blocked longest are told as a number, and those that are left are the latest. */
TEST(test_bound)
{
	enum { MORE = 1000 };
	struct fiber_report report;

	begin();
	take(0, FIBER_CONTEXT_MADE, 1, 0, NULL);
	for (uint64_t i = 0; i < FIBERS_MAX + MORE; i++)
		turn(i * 10 * MS, 2 + i, true);
	struct fiber_totals t = totals();
	CHECK_INT(t.created, FIBERS_MAX + MORE);
	/* Index 0 is nobody. */
	CHECK_INT(t.forgotten, MORE + 1);
	CHECK_INT(t.blocked, FIBERS_MAX - 1);
	CHECK_INT(t.alive, FIBERS_MAX - 1);
	uint64_t now = (FIBERS_MAX + MORE) * 10 * MS;
	CHECK(fibers_report(fibers, now, &report));
	CHECK_INT(report.blocked_count, 1);
	CHECK_INT(report.blocked[0].count, FIBERS_MAX - 1);
	CHECK_INT(report.blocked[0].longest_ns, (FIBERS_MAX - 1) * 10 * MS - MS);
	fiber_report_fini(&report);
	end();
}

/* Another program has other fibers, whose ids may be the same; what was counted stays. */
TEST(test_restart)
{
	struct fiber_loop loop;

	begin();
	for (int program = 1; program <= 3; program++) {
		uint64_t from = (uint64_t)program * 1000 * MS;
		take(from, FIBER_CONTEXT_MADE, 1, 0, NULL);
		take(from, FIBER_NAMED, 1, 0, program == 1 ? "first" : "later");
		for (uint64_t i = 0; i < 10; i++)
			turn(from + i * 10 * MS, 2 + i, i % 2 == 0);
		struct fiber_totals t = totals();
		CHECK_INT(t.created, (uint64_t)program * 10);
		CHECK_INT(t.finished, (uint64_t)program * 5);
		CHECK(t.alive == 5 && t.blocked == 5 && t.alive_known);
		CHECK(fibers_loop(fibers, 0, from + 92 * MS, &loop));
		CHECK_INT(loop.turns, (uint64_t)program * 10);
		CHECK_INT(loop.turn_max, 2 * MS);
		CHECK_INT(loop.busy_ns, (uint64_t)program * 20 * MS);
		fibers_restart(fibers);
		CHECK(totals().alive == 0 && totals().blocked == 0);
		CHECK_INT(totals().created, t.created);
	}
	/* The sums are by path. */
	struct fiber_report report;
	CHECK(fibers_report(fibers, 9000 * MS, &report));
	CHECK(report.group_count == 2 && report.blocked_count == 0);
	char path[FIBER_PATH_SIZE];
	CHECK(fiber_path_print(report.groups[0].path, path, sizeof(path)) == 5 && strcmp(path, "later") == 0);
	CHECK(report.groups[0].runs == 20 && report.groups[0].run_ns == 20 * MS);
	CHECK(report.groups[1].runs == 10 && report.groups[1].run_ns == 10 * MS);
	fiber_report_fini(&report);
	end();
}

/* What a loss cuts is in no figure, and what is left of it is not invented. */
TEST(test_loss)
{
	struct fiber_loop loop;
	struct fiber_report report;

	begin();
	take(0, FIBER_CONTEXT_MADE, 1, 0, NULL);
	turn(10 * MS, 2, true);
	take(20 * MS, FIBER_IDLE_ENDS, 0, 0, NULL);
	take(20 * MS, FIBER_RUNS, 2, 0, NULL);
	fibers_missed(fibers, 0, true);
	take(50 * MS, FIBER_ENDS, 2, 0, NULL);
	take(51 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	turn(60 * MS, 3, true);
	CHECK(!totals().alive_known);
	CHECK(fibers_loop(fibers, 0, 62 * MS, &loop));
	CHECK(loop.turns == 2 && loop.turn_max == 2 * MS);
	CHECK(fibers_report(fibers, 70 * MS, &report));
	CHECK(report.longest_count == 2 && report.longest[0].duration == MS &&
	      report.longest[1].duration == MS);
	CHECK(report.blocked_count == 1 && report.blocked[0].count == 1 &&
	      report.blocked[0].longest_ns == 9 * MS);
	fiber_report_fini(&report);
	end();
}
