/*
 * test_fibers.c - the model of fibers: its bound, another program in the same process, what a loss leaves.
 */
#include "fibers/made_fibers.h"

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
		CHECK_INT(loop.lengths->max, 2 * MS);
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
	CHECK(loop.turns == 2 && loop.lengths->max == 2 * MS);
	CHECK(fibers_report(fibers, 70 * MS, &report));
	CHECK(report.longest_count == 2 && report.longest[0].duration == MS &&
	      report.longest[1].duration == MS);
	CHECK(report.blocked_count == 1 && report.blocked[0].count == 1 &&
	      report.blocked[0].longest_ns == 9 * MS);
	fiber_report_fini(&report);
	end();
}

/* A run of 50 ms or more is told, open or ended, and for a while rather than a shorter one; a turn if no single run was the half. */
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
	CHECK(!fibers_late(fibers, 0, 73 * MS, &late, &run));
	CHECK(fibers_late(fibers, 0, 75 * MS, &late, &run) && late.open);
	CHECK(late.duration == 51 * MS && run.fiber == 3 && run.duration == 51 * MS);
	take(104 * MS, FIBER_ENDS, 3, 0, NULL);
	/* What the scheduler itself does then is no fiber's. */
	CHECK(!fibers_late(fibers, 0, 105 * MS, &late, &run));
	take(106 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	take(200 * MS, FIBER_IDLE_ENDS, 0, 0, NULL);
	take(260 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	CHECK(fibers_late(fibers, 0, 300 * MS, &late, &run) && !late.open);
	CHECK(late.duration == 80 * MS && late.end == 104 * MS && run.fiber == 3 && run.duration == 80 * MS);
	CHECK(totals().late == 2 && totals().late_ns == 140 * MS);
	fibers_reset(fibers, 300 * MS);
	CHECK(!fibers_late(fibers, 0, 310 * MS, &late, &run));
	/* Across a loss nothing is concluded. */
	take(400 * MS, FIBER_IDLE_ENDS, 0, 0, NULL);
	take(400 * MS, FIBER_RUNS, 2, 0, NULL);
	fibers_missed(fibers, 0, 0, true);
	CHECK(!fibers_late(fibers, 0, 600 * MS, &late, &run));
	end();
}

/* What a fiber returns is waited for by the fiber's number: it is named, as is what it waits for itself, once in a circle. */
TEST(test_chain)
{
	const struct fiber_event lock = {.op = FIBER_OBJECT_MADE, .kind = FIBER_MUTEX, .id = 50};
	struct fiber_row chain[FIBERS_CHAIN];
	struct fiber_report report;
	size_t count;

	begin();
	take(0, FIBER_CONTEXT_MADE, 1, 0, NULL);
	take(0, FIBER_NAMED, 1, 0, "api");
	fibers_take(fibers, 0, 0, &lock);
	for (uint64_t id = 2; id < 6; id++) {
		take(id * MS, FIBER_MADE, id, 1, NULL);
		take(id * MS, FIBER_RUNS, id, 0, NULL);
		if (id == 2)
			take(id * MS, FIBER_GETS, 50, 0, NULL);
		take(id * MS, FIBER_SUSPENDS, 0, 0,
		    id == 2   ? "sleep"
		    : id == 3 ? "Mutex.lock"
			      : "Promise.await");
		/* 3 wants the lock of 2; 4 and 5 await 3. */
		if (id > 2)
			take(id * MS, FIBER_WANTS, id == 3 ? 50 : 3, 0, NULL);
		take(id * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	}
	CHECK_INT(fibers_chain(fibers, 10 * MS, 4, chain, FIBERS_CHAIN), 2);
	CHECK(chain[0].id == 3 && chain[1].id == 2 && chain[1].since_ns == 8 * MS && !chain[1].held);
	CHECK_INT(fibers_chain(fibers, 10 * MS, 2, chain, FIBERS_CHAIN), 0);
	CHECK_INT(fibers_chain(fibers, 10 * MS, 4, chain, 1), 1);
	CHECK(fibers_report(fibers, 10 * MS, &report));
	CHECK(report.blocked[0].count == 2 && report.blocked[0].one_object && report.blocked[0].object == 3);
	CHECK_STR(fiber_kind_name(report.blocked[0].kind), "fiber");
	CHECK(report.blocked[0].name.len == 3 && memcmp(report.blocked[0].name.text, "api", 3) == 0);
	fiber_report_fini(&report);
	struct fiber_row *about = fibers_about(fibers, 10 * MS, 3, &count);
	CHECK(about != NULL && count == 4 && about[0].id == 3 && about[1].id == 2);
	free(about);
	about = fibers_about(fibers, 10 * MS, 4, &count);
	CHECK(about != NULL && count == 4 && about[1].id == 3 && about[2].id == 2 && about[3].id == 5);
	free(about);
	/* 2 awaits 4. */
	take(20 * MS, FIBER_RUNS, 2, 0, NULL);
	take(21 * MS, FIBER_SUSPENDS, 0, 0, "Promise.await");
	take(21 * MS, FIBER_WANTS, 4, 0, NULL);
	take(22 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	CHECK_INT(fibers_chain(fibers, 30 * MS, 4, chain, FIBERS_CHAIN), 3);
	CHECK(chain[2].id == 4);
	end();
}

/* A context as Eio writes it: kind, and sense of its name. */
static void context(uint64_t ts, uint64_t id, enum fiber_kind kind, const char *name, enum fiber_sense sense)
{
	const struct fiber_event made = {.op = FIBER_CONTEXT_MADE, .kind = kind, .id = id},
				 named = {.op = FIBER_NAMED,
				     .sense = sense,
				     .id = id,
				     .text = name,
				     .len = name != NULL ? strlen(name) : 0};

	fibers_take(fibers, 0, ts, &made);
	if (name != NULL)
		fibers_take(fibers, 0, ts, &named);
}

/* On io_uring a loop looks for events between runs: it is late by runs alone, and is one from its first run on.  Who does not
 * know on what it is concludes it from many runs in a row, not from a single long one. */
TEST(test_uring)
{
	enum { NAMED, UNKNOWN, ONE_RUN, POSIX, CASES };
	struct fiber_loop loop;
	struct fiber_late late;
	struct fiber_run run;

	for (int kind = 0; kind < CASES; kind++) {
		begin();
		if (kind != UNKNOWN && kind != ONE_RUN)
			context(0, 1, FIBER_CONTEXT_ROOT, NULL, FIBER_PLAIN);
		take(0, FIBER_MADE, 2, 1, NULL);
		take(MS, FIBER_RUNS, 2, 0, NULL);
		if (kind == NAMED)
			context(MS, 3, FIBER_CONTEXT_SWITCH, "eio_linux", FIBER_OWN_URING);
		for (uint64_t ts = 2; ts < (kind == ONE_RUN ? 4 : 300); ts += 2) {
			take(ts * MS, FIBER_RUNS, 2, 0, NULL);
			take(kind == ONE_RUN ? 300 * MS : ts * MS + 2 * MS, FIBER_SUSPENDS, 2, 0, "");
		}
		take(300 * MS, FIBER_RUNS, 2, 0, NULL);
		CHECK(fibers_late(fibers, 0, 360 * MS, &late, &run) && late.open);
		/* Of a turn without an end of a wait before it the length is not known. */
		CHECK(late.duration == 60 * MS && run.fiber == 2);
		take(500 * MS, FIBER_SUSPENDS, 2, 0, "");
		if (kind != ONE_RUN)
			take(500 * MS, FIBER_RUNS, 2, 0, NULL);
		CHECK(fibers_loop(fibers, 0, 600 * MS, &loop));
		CHECK(loop.counted == (kind == POSIX));
		CHECK_INT(loop.seen_ns, kind == ONE_RUN || kind == POSIX ? 0 : 599 * MS);
		CHECK_INT(loop.busy_ns, loop.seen_ns);
		CHECK_INT(totals().late, 1);
		CHECK_INT(totals().late_ns, (kind == ONE_RUN ? 298 : 200) * MS);
		end();
	}
}

/* A loop that was met late: its turns are told from where something shows that it asks in each, and never if it shows that
 * it is on io_uring.  Until then it is late by runs alone. */
TEST(test_met_late)
{
	static const struct fiber_event submits = {
	    .op = FIBER_SPAN_BEGINS, .sense = FIBER_OWN_URING, .text = "submit", .len = 6};
	enum { NOTHING, YIELDS, SUBMITS, CASES };
	struct fiber_loop loop;

	for (int kind = 0; kind < CASES; kind++) {
		begin();
		for (uint64_t turn = 1; turn <= 4; turn++) {
			const uint64_t at = turn * 200 * MS;
			take(at, FIBER_IDLE_ENDS, 0, 0, NULL);
			for (uint64_t id = 1; id <= 4; id++) {
				take(at + id * 15 * MS, FIBER_RUNS, id, 0, NULL);
				take(at + id * 15 * MS + 14 * MS, FIBER_SUSPENDS, id, 0,
				    turn == 2 && kind == YIELDS ? "" : "sleep");
			}
			if (turn == 2 && kind == SUBMITS)
				fibers_take(fibers, 0, at + 75 * MS, &submits);
			take(at + 80 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
		}
		CHECK(fibers_loop(fibers, 0, 1000 * MS, &loop));
		CHECK(loop.counted == (kind == YIELDS));
		CHECK_INT(loop.turns, kind == YIELDS ? 3 : 0);
		CHECK_INT(totals().late, kind == YIELDS ? 3 : 0);
		CHECK_INT(loop.busy_ns, 4 * 80 * MS);
		end();
	}
}

/* Who looks from a moment on, or counts anew, knows what lives by what was told before; what was lost is not known. */
TEST(test_from_now_on)
{
	for (int lost = 0; lost < 2; lost++) {
		begin();
		take(0, FIBER_IDLE_ENDS, 0, 0, NULL);
		for (uint64_t id = 1; id <= 3; id++) {
			take(id * MS, FIBER_RUNS, id, 0, NULL);
			take(id * MS + MS / 2, id < 3 ? FIBER_SUSPENDS : FIBER_ENDS, id, 0, "sleep");
		}
		take(5 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
		if (lost)
			fibers_missed(fibers, 0, 6 * MS, true);
		fibers_reset(fibers, 10 * MS);
		CHECK_INT(fibers_weight(fibers), lost ? 0 : 1);
		CHECK(totals().alive == (lost ? 0 : 2) && totals().blocked == totals().alive);
		CHECK(totals().created == 0 && totals().finished == 0 && totals().alive_known == !lost);
		/* A loop that waits has waited all the time once it is back, or is seen to, unless it may have been back in between. */
		struct fiber_loop loop;
		CHECK(fibers_loop(fibers, 0, 60 * MS, &loop));
		CHECK_INT(loop.seen_ns, lost ? 0 : 50 * MS);
		CHECK_INT(loop.busy_ns, 0);
		take(110 * MS, FIBER_IDLE_ENDS, 0, 0, NULL);
		take(111 * MS, FIBER_RUNS, 2, 0, NULL);
		take(112 * MS, FIBER_ENDS, 2, 0, NULL);
		CHECK(totals().alive == !lost && totals().finished == 1);
		CHECK(fibers_loop(fibers, 0, 112 * MS, &loop));
		CHECK_INT(loop.seen_ns, lost ? 2 * MS : 102 * MS);
		CHECK_INT(loop.busy_ns, 2 * MS);
		end();
	}
}

/* A fiber and contexts that are the scheduler's own: in no figure, and in no path. */
TEST(test_own)
{
	const struct fiber_event suspends = {
	    .op = FIBER_SUSPENDS, .sense = FIBER_OWN_URING, .text = "read_eventfd", .len = 12};
	struct fiber_report report;
	char path[FIBER_PATH_SIZE];

	begin();
	context(0, 1, FIBER_CONTEXT_ROOT, NULL, FIBER_PLAIN);
	take(0, FIBER_MADE, 2, 1, NULL);
	take(0, FIBER_RUNS, 2, 0, NULL);
	context(0, 3, FIBER_CONTEXT_SWITCH, "eio_linux", FIBER_OWN_URING);
	take(MS, FIBER_MADE, 4, 3, NULL);
	take(MS, FIBER_RUNS, 4, 0, NULL);
	fibers_take(fibers, 0, 2 * MS, &suspends);
	take(3 * MS, FIBER_RUNS, 2, 0, NULL);
	context(4 * MS, 5, FIBER_CONTEXT_SWITCH, "server", FIBER_PLAIN);
	context(4 * MS, 6, FIBER_CONTEXT_SWITCH, "iter", FIBER_OWN);
	take(5 * MS, FIBER_SUSPENDS, 0, 0, "sleep");
	take(6 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	CHECK(totals().alive == 1 && totals().created == 1 && totals().blocked == 1);
	CHECK(fibers_report(fibers, 10 * MS, &report));
	CHECK(report.blocked_count == 1 && report.longest_count == 2);
	CHECK_STR(fiber_path_text(report.blocked[0].path, path, sizeof(path)), "server");
	fiber_report_fini(&report);
	take(7 * MS, FIBER_ENDS, 4, 0, NULL);
	CHECK(totals().alive == 1 && totals().finished == 0);
	end();
}

/* Of a chain of contexts whose begin is not known, the names that are known are told. */
TEST(test_unknown)
{
	struct fiber_report report;
	char path[FIBER_PATH_SIZE];

	begin();
	take(0, FIBER_MADE, 2, 1, NULL);
	take(0, FIBER_RUNS, 2, 0, NULL);
	context(MS, 3, FIBER_CONTEXT_SWITCH, "conn", FIBER_PLAIN);
	take(2 * MS, FIBER_SUSPENDS, 0, 0, "read");
	take(3 * MS, FIBER_RUNS, 2, 0, NULL);
	take(9 * MS, FIBER_SUSPENDS, 0, 0, "read");
	take(9 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	CHECK(fibers_report(fibers, 20 * MS, &report));
	CHECK_INT(report.group_count, 2);
	CHECK_STR(fiber_path_text(report.groups[0].path, path, sizeof(path)), "?/conn");
	CHECK(report.groups[0].runs == 1 && report.groups[0].run_max_ns == 6 * MS);
	CHECK(report.groups[0].blocked_ns == 12 * MS && report.groups[0].created == 0);
	CHECK_STR(fiber_path_text(report.groups[1].path, path, sizeof(path)), "?");
	CHECK(report.groups[1].runs == 1 && report.groups[1].created == 1);
	CHECK_INT(report.longest[0].ts, 3 * MS);
	fiber_report_fini(&report);
	end();
}

/* The span of a run is the innermost that covered half of it, else that which covered most; those begun inside count. */
TEST(test_span)
{
	static const struct {
		uint64_t begins[3], ends[3]; /* of nested spans "0", "1", "2"; 0: none */
		const char *span;
	} cases[] = {{{1, 0, 0}, {90, 0, 0}, "0"}, {{1, 2, 0}, {90, 80, 0}, "1"},
	    {{1, 2, 0}, {90, 20, 0}, "0"}, {{50, 0, 0}, {60, 0, 0}, "0"}, {{0, 0, 0}, {0, 0, 0}, ""},
	    {{1, 2, 3}, {99, 70, 10}, "1"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fiber_report report;
		struct fiber_run run;
		begin();
		/* What the run before was in is no part of this one. */
		take(0, FIBER_RUNS, 3, 0, NULL);
		take(0, FIBER_SPAN_BEGINS, 0, 0, "0");
		take(0, FIBER_SPAN_BEGINS, 0, 0, "1");
		take(MS / 2, FIBER_SPAN_ENDS, 0, 0, NULL);
		take(MS / 2, FIBER_SPAN_ENDS, 0, 0, NULL);
		take(MS / 2, FIBER_SUSPENDS, 0, 0, "sleep");
		take(MS / 2, FIBER_RUNS, 2, 0, NULL);
		for (uint64_t ts = 1; ts < 100; ts++) {
			for (unsigned s = 0; s < 3; s++)
				if (cases[i].begins[s] == ts)
					take(ts * MS, FIBER_SPAN_BEGINS, 0, 0,
					    s == 0   ? "0"
					    : s == 1 ? "1"
						     : "2");
			for (unsigned s = 3; s-- > 0;)
				if (cases[i].ends[s] == ts)
					take(ts * MS, FIBER_SPAN_ENDS, 0, 0, NULL);
		}
		CHECK(fibers_running(fibers, 0, 100 * MS, &run));
		CHECK(run.span.len == strlen(cases[i].span) &&
		      memcmp(run.span.len > 0 ? run.span.text : "", cases[i].span, run.span.len) == 0);
		take(100 * MS, FIBER_SUSPENDS, 0, 0, "sleep");
		take(100 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
		CHECK(fibers_report(fibers, 200 * MS, &report));
		CHECK(report.longest[0].span.text == run.span.text);
		CHECK(report.groups[0].run_max_span.text == run.span.text);
		fiber_report_fini(&report);
		end();
	}
}

static void fail(uint64_t ts, uint64_t id, const char *why, enum fiber_sense sense)
{
	const struct fiber_event fails = {
	    .op = FIBER_FAILS, .sense = sense, .id = id, .text = why, .len = strlen(why)};

	fibers_take(fibers, 0, ts, &fails);
}

/* A failure counts once, however many contexts below and around it follow; what is not needed any more is no failure. */
TEST(test_failures)
{
	struct fiber_report report;

	begin();
	take(0, FIBER_CONTEXT_MADE, 1, 0, NULL);
	take(0, FIBER_MADE, 2, 1, NULL);
	take(0, FIBER_RUNS, 2, 0, NULL);
	for (uint64_t id = 10; id < 13; id++)
		context(id, id, FIBER_CONTEXT_SWITCH, NULL, FIBER_PLAIN);
	fail(20, 12, "Failure(a)", FIBER_PLAIN);
	fail(20, 99, "Failure(a)", FIBER_PLAIN);
	take(21, FIBER_SPAN_ENDS, 0, 0, NULL);
	take(21, FIBER_CONTEXT_ENDS, 0, 0, NULL);
	fail(22, 11, "Failure(a)", FIBER_PLAIN);
	take(23, FIBER_SUSPENDS, 0, 0, "Switch.await_idle");
	take(24, FIBER_RUNS, 2, 0, NULL);
	take(25, FIBER_CONTEXT_ENDS, 0, 0, NULL);
	fail(26, 10, "Failure(a)", FIBER_PLAIN);
	CHECK(totals().errors == 1 && totals().cancelled == 0);
	/* It was handled; another one is another one. */
	take(27, FIBER_CONTEXT_ENDS, 0, 0, NULL);
	context(28, 13, FIBER_CONTEXT_SWITCH, NULL, FIBER_PLAIN);
	fail(29, 13, "Failure(a)", FIBER_PLAIN);
	CHECK(totals().errors == 2);
	take(30, FIBER_CONTEXT_ENDS, 0, 0, NULL);
	fail(31, 98, "Not_first", FIBER_NO_NEED);
	fail(31, 97, "Not_first", FIBER_NO_NEED);
	fail(32, 96, "Timeout", FIBER_TIMED_OUT);
	fail(33, 1, "Stdlib.Exit", FIBER_AT_END);
	CHECK(totals().errors == 2 && totals().cancelled == 2 && totals().timeouts == 1);
	CHECK(fibers_report(fibers, 40, &report));
	CHECK(report.failure_count == 2 && report.failures[0].context == 13 &&
	      report.failures[1].context == 12);
	fiber_report_fini(&report);
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
