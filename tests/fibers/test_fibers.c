/*
 * test_fibers.c - the model of fibers: its bound, another program in the same process, what a loss leaves.
 */
#include "support/test.h"

#include <stdlib.h>

#include "fibers/fibers.h"

#define MS UINT64_C(1000000)

static struct model *model;
static struct fibers *fibers;

static void begin(void)
{
	model = model_create(&(struct model_options){0});
	CHECK(model != NULL);
	fibers = fibers_create(model, FIBERS_TELL_ALL);
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
	const struct fiber_totals t = fibers_totals(fibers);

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
	CHECK(fiber_path_print(report.groups[0].path, path, sizeof(path)) == 5 &&
	      memcmp(path, "later", 5) == 0);
	CHECK(report.groups[0].runs == 20 && report.groups[0].run_ns == 20 * MS);
	CHECK(report.groups[1].runs == 10 && report.groups[1].run_ns == 10 * MS);
	fiber_report_fini(&report);
	end();
}

/* A fiber that has ended on a domain is another one where a second domain names its id. */
TEST(test_other_domain)
{
	const struct fiber_event runs = {.op = FIBER_RUNS, .id = 2},
				 suspends = {.op = FIBER_SUSPENDS, .text = "sleep", .len = 5},
				 idle = {.op = FIBER_IDLE_BEGINS};

	begin();
	take(0, FIBER_RUNS, 2, 0, NULL);
	take(MS, FIBER_ENDS, 2, 0, NULL);
	fibers_take(fibers, 1, 2 * MS, &runs);
	fibers_take(fibers, 1, 3 * MS, &suspends);
	fibers_take(fibers, 1, 4 * MS, &idle);
	take(5 * MS, FIBER_SUSPENDS, 0, 0, "sleep");
	take(6 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	CHECK(totals().blocked == 1 && totals().alive == 1);
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
	fibers_missed(fibers, 0, 0, true);
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

/* A turn of 50 ms or more is told with the run that made it, open or ended, and for a while rather than a shorter one. */
TEST(test_late)
{
	struct fiber_late late;
	struct fiber_run run;

	begin();
	take(0, FIBER_CONTEXT_MADE, 1, 0, NULL);
	turn(10 * MS, 2, true);
	CHECK(!fibers_late(fibers, 0, 20 * MS, &late, &run));
	take(20 * MS, FIBER_IDLE_ENDS, 0, 0, NULL);
	take(21 * MS, FIBER_RUNS, 2, 0, NULL);
	take(23 * MS, FIBER_SUSPENDS, 0, 0, "sleep");
	take(24 * MS, FIBER_MADE, 3, 1, NULL);
	take(24 * MS, FIBER_RUNS, 3, 0, NULL);
	CHECK(!fibers_late(fibers, 0, 69 * MS, &late, &run));
	CHECK(fibers_late(fibers, 0, 70 * MS, &late, &run) && late.open);
	CHECK(late.duration == 50 * MS && run.fiber == 3 && run.duration == 46 * MS);
	take(104 * MS, FIBER_ENDS, 3, 0, NULL);
	/* What the scheduler itself does then is no fiber's. */
	CHECK(!fibers_late(fibers, 0, 105 * MS, &late, &run));
	take(106 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	take(200 * MS, FIBER_IDLE_ENDS, 0, 0, NULL);
	take(260 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	CHECK(fibers_late(fibers, 0, 300 * MS, &late, &run) && !late.open);
	CHECK(late.duration == 86 * MS && late.end == 106 * MS && run.fiber == 3 && run.duration == 80 * MS);
	fibers_reset(fibers, 300 * MS);
	CHECK(!fibers_late(fibers, 0, 310 * MS, &late, &run));
	/* Across a loss nothing is concluded. */
	take(400 * MS, FIBER_IDLE_ENDS, 0, 0, NULL);
	take(400 * MS, FIBER_RUNS, 2, 0, NULL);
	fibers_missed(fibers, 0, 0, true);
	CHECK(!fibers_late(fibers, 0, 600 * MS, &late, &run));
	end();
}

static struct fiber_row row_of(struct fibers *of, uint64_t id, uint64_t now)
{
	size_t count;
	struct fiber_row *rows = fibers_list(of, now, &count), found = {0};

	CHECK(rows != NULL);
	for (size_t i = 0; i < count; i++)
		found = rows[i].id == id ? rows[i] : found;
	free(rows);
	return found;
}

/* Who has a lock is known until it is put back, or a loss; a copy stays as it was. */
TEST(test_holder)
{
	const struct fiber_event lock = {.op = FIBER_OBJECT_MADE, .kind = FIBER_MUTEX, .id = 9};
	struct fiber_context contexts[4];

	begin();
	take(0, FIBER_CONTEXT_MADE, 1, 0, NULL);
	fibers_take(fibers, 0, 0, &lock);
	for (uint64_t id = 2; id < 4; id++) {
		take(id * MS, FIBER_MADE, id, 1, NULL);
		take(id * MS, FIBER_RUNS, id, 0, NULL);
		take(id * MS, id == 2 ? FIBER_GETS : FIBER_WANTS, 9, 0, NULL);
		take(id * MS, FIBER_SUSPENDS, 0, 0, id == 2 ? "sleep" : "Mutex.lock");
		take(id * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	}
	struct fiber_row row = row_of(fibers, 3, 10 * MS);
	CHECK(row.state == FIBER_BLOCKED && row.since_ns == 7 * MS && row.wants && row.object == 9);
	CHECK(row.kind == FIBER_MUTEX && row.held && row.holder == 2);
	CHECK_INT(fibers_contexts(fibers, 3, contexts, 4), 1);
	CHECK(contexts[0].id == 1 && contexts[0].kind == FIBER_CONTEXT_ROOT && !contexts[0].cancelled);
	struct fibers *copy = fibers_copy(fibers, model);
	CHECK(copy != NULL);
	take(11 * MS, FIBER_RUNS, 2, 0, NULL);
	take(11 * MS, FIBER_PUTS, 9, 0, NULL);
	CHECK(!row_of(fibers, 3, 12 * MS).held);
	CHECK(row_of(fibers, 2, 12 * MS).state == FIBER_RUNNING);
	row = row_of(copy, 3, 12 * MS);
	CHECK(row.held && row.holder == 2 && row_of(copy, 2, 12 * MS).state == FIBER_BLOCKED);
	take(12 * MS, FIBER_GETS, 9, 0, NULL);
	CHECK(row_of(fibers, 3, 12 * MS).held);
	/* Who has put it back is not known any more. */
	fibers_missed(fibers, 1, 0, true);
	CHECK(!row_of(fibers, 3, 12 * MS).held);
	fibers_destroy(copy);
	end();
}
