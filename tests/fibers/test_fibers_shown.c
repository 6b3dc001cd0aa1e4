/*
 * test_fibers_shown.c - what the view of fibers shows over time and as a tree, against the simplest way to tell it.
 */
#include "fibers/made_fibers.h"

#include <math.h>
#include <stdlib.h>

#define PATHS 4u

static const char *const names[PATHS] = {"accept", "client", "cleaner", "report"};

/* Fiber `id`, made in context `in`, makes the context `context` there, named or not, and waits in it. */
static void nest(uint64_t ts, uint64_t id, uint64_t in, uint64_t context, const char *name)
{
	take(ts, FIBER_MADE, id, in, NULL);
	take(ts, FIBER_RUNS, id, 0, NULL);
	take(ts, FIBER_CONTEXT_MADE, context, in, NULL);
	if (name != NULL)
		take(ts, FIBER_NAMED, context, 0, name);
	take(ts, FIBER_SUSPENDS, 0, 0, "sleep");
	take(ts, FIBER_IDLE_BEGINS, 0, 0, NULL);
}

static uint64_t seed = 1;
static uint64_t chance(uint64_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (seed >> 33) % below;
}

/* A run as it was made; path PATHS: the rest of a turn. */
struct made {
	uint64_t from, to;
	unsigned path;
};

static uint64_t inside(const struct made *m, uint64_t from, uint64_t to)
{
	uint64_t a = m->from > from ? m->from : from, b = m->to < to ? m->to : to;

	return a < b ? b - a : 0;
}

/* Make turns of runs from 3 us to 20 ms, and note them. */
static size_t make(struct made *made, size_t max, uint64_t *ts)
{
	size_t count = 0;

	take(*ts, FIBER_CONTEXT_MADE, 1, 0, NULL);
	for (unsigned p = 0; p < PATHS; p++)
		nest(*ts, 10 + p, 1, 2 + p, names[p]);
	while (count + 24 < max) {
		*ts += chance(8) * MS / 4;
		take(*ts, FIBER_IDLE_ENDS, 0, 0, NULL);
		for (uint64_t runs = chance(12); runs > 0; runs--) {
			const unsigned path = (unsigned)(chance(10) < 6 ? 1 : chance(PATHS));
			const uint64_t rest = chance(50000);
			made[count++] = (struct made){*ts, *ts + rest, PATHS};
			*ts += rest;
			take(*ts, FIBER_RUNS, 10 + path, 0, NULL);
			const uint64_t length = chance(40) == 0 ? chance(20 * MS) : 3000 + chance(400000);
			made[count++] = (struct made){*ts, *ts + length, path};
			*ts += length;
			take(*ts, FIBER_SUSPENDS, 0, 0, "sleep");
		}
		take(*ts, FIBER_IDLE_BEGINS, 0, 0, NULL);
	}
	return count;
}

/* The columns of a loop: their sum is exact, each is to within a piece at either end, and a path that is told had half. */
TEST(test_columns)
{
	enum { MADE = 3000, COLUMNS = 40 };
	static struct made made[MADE];
	struct fiber_column columns[COLUMNS];
	char text[FIBER_PATH_SIZE];
	uint64_t ts = 50 * MS, told = 0;

	begin();
	size_t count = make(made, MADE, &ts);
	const uint64_t width = ts / COLUMNS + 1;
	double all = 0, all_made = 0, slack = 2.0 * FIBERS_PIECE_NS;
	fibers_columns(fibers, 0, ts, 0, width, COLUMNS, columns);
	for (unsigned c = 0; c < COLUMNS; c++) {
		uint64_t busy = 0, run = 0, of[PATHS] = {0};
		for (size_t i = 0; i < count; i++) {
			uint64_t part = inside(&made[i], c * width, (c + 1) * width);
			busy += part;
			if (made[i].path == PATHS)
				continue;
			run += part;
			of[made[i].path] += part;
		}
		all += columns[c].busy_ns;
		all_made += (double)busy;
		CHECK(fabs(columns[c].busy_ns - (double)busy) <= slack);
		CHECK(fabs(columns[c].run_ns - (double)run) <= slack);
		if (!columns[c].one)
			continue;
		told++;
		fiber_path_text(columns[c].path, text, sizeof(text));
		for (unsigned p = 0; p < PATHS; p++)
			if (strcmp(text, names[p]) == 0)
				CHECK(2 * (double)of[p] + 2 * slack >= (double)run);
	}
	CHECK_NEAR(all, all_made, 1e-9 * all_made);
	CHECK(told > COLUMNS / 2);
	end();
}

/* The longest runs of a stretch of time are those that were made, open ones and those of a copy as well. */
TEST(test_longest)
{
	enum { MADE = 3000, LISTED = 20 };
	static struct made made[MADE];
	struct fiber_run runs[LISTED], copied[LISTED];
	uint64_t ts = 50 * MS;

	begin();
	size_t count = make(made, MADE, &ts);
	take(ts, FIBER_IDLE_ENDS, 0, 0, NULL);
	take(ts, FIBER_RUNS, 13, 0, NULL);
	made[count++] = (struct made){ts, ts + 500 * MS, 3};
	ts += 500 * MS;
	const uint64_t from = ts / 3;
	CHECK_INT(fibers_longest(fibers, 0, from, ts, ts, runs, 0, LISTED), LISTED);
	CHECK_INT(runs[0].duration, 500 * MS);
	for (size_t n = 0; n < LISTED; n++) {
		size_t longest = count;
		for (size_t i = 0; i < count; i++)
			if (made[i].path < PATHS && inside(&made[i], from, ts) > 0 &&
			    (longest == count ||
				made[i].to - made[i].from > made[longest].to - made[longest].from))
				longest = i;
		CHECK_INT(runs[n].duration, made[longest].to - made[longest].from);
		CHECK_INT(runs[n].ts, made[longest].from);
		CHECK_INT(runs[n].fiber, 10 + made[longest].path);
		made[longest].path = PATHS;
	}
	struct fibers *copy = fibers_copy(fibers, model);
	CHECK(copy != NULL);
	take(ts, FIBER_SUSPENDS, 0, 0, "sleep");
	make(made, MADE, &ts);
	CHECK_INT(
	    fibers_longest(copy, 0, from, runs[0].ts + 1, runs[0].ts + 500 * MS, copied, 0, LISTED), LISTED);
	for (size_t n = 0; n < LISTED; n++)
		CHECK_INT(copied[n].ts, runs[n].ts);
	fibers_destroy(copy);
	end();
}

/* What a loss cuts is in no column. */
TEST(test_lost)
{
	struct fiber_column columns[4];

	begin();
	nest(MS, 10, 1, 2, "server");
	take(10 * MS, FIBER_IDLE_ENDS, 0, 0, NULL);
	take(10 * MS, FIBER_RUNS, 10, 0, NULL);
	fibers_missed(fibers, 0, 10 * MS, true);
	take(30 * MS, FIBER_SUSPENDS, 0, 0, "sleep");
	take(30 * MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	fibers_columns(fibers, 0, 40 * MS, 0, 10 * MS, 4, columns);
	for (int c = 1; c < 4; c++)
		CHECK(columns[c].busy_ns == 0 && !columns[c].one);
	end();
}

static struct fiber_branch *lines;
static size_t line_count;

static void list(const uint64_t *turned, size_t count)
{
	free(lines);
	lines = fibers_tree(fibers, 1000 * MS, turned, count, &line_count);
	CHECK(lines != NULL);
}

/* Roots are open, others closed with counts; what is cancelled comes first, and what is too much is told as a number. */
TEST(test_tree)
{
	enum { CROWD = FIBERS_BRANCHES + 150 };
	const uint64_t client = 3, cleaner = 4;
	char text[FIBER_PATH_SIZE];

	begin();
	take(0, FIBER_CONTEXT_MADE, 1, 0, NULL);
	for (unsigned p = 0; p < PATHS; p++)
		nest(MS, 10 + p, 1, 2 + p, names[p]);
	for (uint64_t i = 0; i < CROWD; i++) {
		take(2 * MS + i, FIBER_MADE, 100 + i, client, NULL);
		take(2 * MS + i, FIBER_RUNS, 100 + i, 0, NULL);
		take(2 * MS + i, FIBER_SUSPENDS, 0, 0, "Promise.await");
		take(2 * MS + i, FIBER_IDLE_BEGINS, 0, 0, NULL);
	}
	take(3 * MS, FIBER_FAILS, cleaner, 0, "Failure(disk full)");
	take(3 * MS, FIBER_RUNS, 999, 0, NULL); /* of which nothing is known */
	list(NULL, 0);
	CHECK_INT(line_count, 1 + PATHS + 2);
	CHECK_INT(lines[0].fibers, PATHS + CROWD);
	CHECK_INT(lines[0].blocked, PATHS + CROWD);
	CHECK_INT(lines[0].cancelled, 1);
	CHECK_INT(lines[0].longest_ns, 999 * MS);
	CHECK(lines[0].open && !lines[0].context.cancelled);
	CHECK_INT(lines[1].context.id, cleaner);
	CHECK(lines[1].context.cancelled && lines[1].error.len == strlen("Failure(disk full)"));
	CHECK_INT(lines[2].context.id, client);
	CHECK_INT(lines[2].fibers, CROWD + 1);
	CHECK_INT(lines[PATHS + 1].context.kind, FIBER_KIND_NONE);
	CHECK_INT(lines[PATHS + 2].fiber.id, 999);
	CHECK_INT(lines[PATHS + 2].fiber.state, FIBER_RUNNING);

	list(&client, 1);
	CHECK_INT(line_count, 1 + PATHS + FIBERS_BRANCHES + 1 + 2);
	CHECK_INT(lines[3].what, FIBER_BRANCH_FIBER);
	CHECK_INT(lines[3].fiber.id, 11);
	CHECK_INT(lines[4].fiber.id, 100);
	CHECK_INT(lines[3 + FIBERS_BRANCHES].what, FIBER_BRANCH_MORE);
	CHECK_INT(lines[3 + FIBERS_BRANCHES].fibers, CROWD + 1 - FIBERS_BRANCHES);
	list((uint64_t[]){1}, 1);
	CHECK_INT(line_count, 3);

	/* A context that is named late gives its name to the paths below it. */
	CHECK_STR(fiber_path_text(lines[2].fiber.path, text, sizeof(text)), "?");
	list(&client, 1);
	CHECK_STR(fiber_path_text(lines[4].fiber.path, text, sizeof(text)), "client");
	take(4 * MS, FIBER_NAMED, 1, 0, "server");
	list(&client, 1);
	CHECK_STR(fiber_path_text(lines[4].fiber.path, text, sizeof(text)), "server/client");
	free(lines);
	lines = NULL;
	end();
}

/* Contexts of one name in one context are one line, which opens; those whose parent is not known stand beside the root. */
TEST(test_tree_alike)
{
	begin();
	take(0, FIBER_CONTEXT_MADE, 1, 0, NULL);
	for (uint64_t i = 0; i < 20; i++)
		nest(MS, 10 + i, i < 15 ? 1 : 999, 100 + i, i == 0 ? "accept" : "conn");
	take(2 * MS, FIBER_FAILS, 103, 0, "Failure(late)");
	list(NULL, 0);
	CHECK_INT(line_count, 4);
	CHECK(lines[0].fibers == 15 && lines[0].alike == 0 && lines[0].cancelled == 1);
	CHECK(lines[1].fibers == 14 && lines[1].alike == 14 && lines[1].blocked == 14 &&
	      lines[1].cancelled == 1);
	CHECK(!lines[1].open && !lines[1].context.cancelled && lines[1].error.text == NULL);
	CHECK(lines[2].fibers == 1 && lines[2].alike == 0 && lines[2].context.id == 100);
	CHECK(lines[3].depth == 0 && lines[3].alike == 5 && lines[3].fibers == 5);
	const uint64_t alike = lines[1].context.id;
	list(&alike, 1);
	CHECK_INT(line_count, 4 + 14);
	CHECK(
	    lines[1].open && lines[2].depth == 2 && lines[2].context.id == 103 && lines[2].context.cancelled);
	free(lines);
	lines = NULL;
	end();
}

/* A tree has no more lines than there is room for, whatever is open. */
TEST(test_tree_bound)
{
	enum { CONTEXTS = 200, FIBERS = 100000 };
	static uint64_t all[CONTEXTS];

	begin();
	take(0, FIBER_CONTEXT_MADE, 1, 0, NULL);
	for (uint64_t i = 0; i < CONTEXTS; i++) {
		nest(MS, 10 + i, 1, 1000 + i, NULL);
		all[i] = 1000 + i;
	}
	for (uint64_t i = 0; i < FIBERS; i++) {
		take(2 * MS + i, FIBER_MADE, 10000 + i, 1000 + i % CONTEXTS, NULL);
		take(2 * MS + i, FIBER_RUNS, 10000 + i, 0, NULL);
		take(2 * MS + i, FIBER_SUSPENDS, 0, 0, "sleep");
		take(2 * MS + i, FIBER_IDLE_BEGINS, 0, 0, NULL);
	}
	list(NULL, 0);
	CHECK_INT(line_count, 1 + FIBERS_BRANCHES + 1);
	CHECK_INT(lines[0].fibers, CONTEXTS + FIBERS);
	list(all, CONTEXTS);
	CHECK_INT(line_count, FIBERS_TREE_LINES);
	uint64_t alive, blocked;
	fibers_count(fibers, 0, &alive, &blocked);
	CHECK_INT(alive, CONTEXTS + FIBERS);
	CHECK_INT(blocked, CONTEXTS + FIBERS);
	free(lines);
	lines = NULL;
	end();
}

static bool same_text(struct fiber_text a, struct fiber_text b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.text, b.text, a.len) == 0);
}

static bool same_place(const struct fiber_row *a, const struct fiber_row *b)
{
	return fiber_path_order(a->path, b->path) == 0 && a->state == b->state && a->kind == b->kind &&
	       same_text(a->op, b->op) && same_text(a->name, b->name);
}

/* Fibers that do the same are counted together as a list of all fibers has them. */
TEST(test_crowds)
{
	static const char *const operations[] = {"sleep", "Mutex.lock", "Promise.await"};
	size_t row_count, crowd_count, listed, all = 0;

	begin();
	take(0, FIBER_CONTEXT_MADE, 1, 0, NULL);
	for (unsigned p = 0; p < PATHS; p++)
		nest(MS, 10 + p, 1, 2 + p, names[p]);
	for (uint64_t object = 50; object < 53; object++) {
		const struct fiber_event lock = {.op = FIBER_OBJECT_MADE, .kind = FIBER_MUTEX, .id = object};
		fibers_take(fibers, 0, MS, &lock);
	}
	take(MS, FIBER_NAMED, 51, 0, "accounts");
	take(MS, FIBER_RUNS, 10, 0, NULL);
	take(MS, FIBER_GETS, 51, 0, NULL);
	take(MS, FIBER_SUSPENDS, 0, 0, "sleep");
	take(MS, FIBER_IDLE_BEGINS, 0, 0, NULL);
	for (uint64_t id = 100; id < 1100; id++) {
		const uint64_t way = chance(4);
		take(2 * MS + id, FIBER_MADE, id, 2 + chance(PATHS), NULL);
		if (way == 3)
			continue;
		take(2 * MS + id, FIBER_RUNS, id, 0, NULL);
		if (way == 1)
			take(2 * MS + id, FIBER_WANTS, 50 + chance(3), 0, NULL);
		take(2 * MS + id, FIBER_SUSPENDS, 0, 0, operations[way]);
		take(2 * MS + id, FIBER_IDLE_BEGINS, 0, 0, NULL);
	}
	struct fiber_row *rows = fibers_list(fibers, 10 * MS, &row_count);
	struct fiber_crowd *crowds = fibers_crowds(fibers, 10 * MS, &crowd_count);
	CHECK(rows != NULL && crowds != NULL);
	for (size_t c = 0; c < crowd_count; c++) {
		struct fiber_row *of = fibers_crowd(fibers, 10 * MS, &crowds[c], &listed);
		uint64_t count = 0;
		bool one = true;
		for (size_t i = 0; i < row_count; i++) {
			if (!same_place(&rows[i], &crowds[c].first))
				continue;
			CHECK(rows[i].since_ns <= crowds[c].first.since_ns);
			one = one && rows[i].wants && rows[i].object == crowds[c].first.object;
			CHECK(count < listed && of[count].since_ns == rows[i].since_ns);
			count++;
		}
		CHECK_INT(crowds[c].count, count);
		CHECK_INT(listed, count);
		CHECK(crowds[c].one_object == one);
		all += count;
		free(of);
	}
	CHECK_INT(all, row_count);
	CHECK(crowd_count > 2 * PATHS);
	free(crowds);

	/* What has to do with the fiber that has a lock: those that wait for it. */
	uint64_t queue = 0;
	for (size_t i = 0; i < row_count; i++)
		queue += rows[i].wants && rows[i].object == 51;
	struct fiber_row *about = fibers_about(fibers, 10 * MS, 10, &listed);
	CHECK(queue > 0 && about != NULL && about[0].id == 10);
	CHECK_INT(listed, 1 + queue);
	const uint64_t waiter = about[1].id;
	free(about);
	about = fibers_about(fibers, 10 * MS, waiter, &listed);
	CHECK(about != NULL && about[0].id == waiter && about[1].id == 10);
	CHECK_INT(listed, 1 + queue);
	free(about);
	about = fibers_about(fibers, 10 * MS, 9999, &listed);
	CHECK(about != NULL && listed == 0);
	free(about);
	free(rows);
	end();
}
