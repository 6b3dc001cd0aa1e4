/*
 * fuzz_fibers.c - any sequence of a scheduler's events, pauses, losses, resets and programs: following them ends, and what a
 * report says is possible.
 *
 * The bytes are events of four domains with few ids, so that fibers, contexts and objects meet; they reach the
 * fibers as user events of a model, by their names and payloads, right ones and wrong ones.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fibers/schedulers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EVENTS_MAX 20000

static const struct {
	const char *name;
	enum model_user_kind kind;
	uint8_t len,
	    count_at; /* of a payload that is right, 0: any; where it has the length of the text that ends it, 0: nowhere */
} events[] = {
    {"eio.create_fiber", MODEL_USER_CUSTOM, 0, 0},
    {"eio.create_cc", MODEL_USER_CUSTOM, 0, 0},
    {"eio.create_obj", MODEL_USER_CUSTOM, 0, 0},
    {"eio.name", MODEL_USER_CUSTOM, 0, 0},
    {"eio.fiber", MODEL_USER_INT, 0, 0},
    {"eio.suspend_fiber", MODEL_USER_CUSTOM, 0, 0},
    {"eio.try_get", MODEL_USER_INT, 0, 0},
    {"eio.get", MODEL_USER_INT, 0, 0},
    {"eio.put", MODEL_USER_INT, 0, 0},
    {"eio.exit_fiber", MODEL_USER_INT, 0, 0},
    {"eio.exit_cc", MODEL_USER_UNIT, 0, 0},
    {"eio.error", MODEL_USER_CUSTOM, 0, 0},
    {"eio.enter_span", MODEL_USER_CUSTOM, 0, 0},
    {"eio.exit_span", MODEL_USER_UNIT, 0, 0},
    {"eio.log", MODEL_USER_CUSTOM, 0, 0},
    {"eio.suspend_domain", MODEL_USER_SPAN, 0, 0},
    {"eio.domain_spawn", MODEL_USER_INT, 0, 0},
    {"miou.spawn", MODEL_USER_CUSTOM, 25, 0},
    {"miou.location", MODEL_USER_CUSTOM, 28, 16},
    {"miou.begin", MODEL_USER_CUSTOM, 8, 0},
    {"miou.end", MODEL_USER_CUSTOM, 8, 0},
    {"miou.done", MODEL_USER_CUSTOM, 8, 0},
    {"miou.await", MODEL_USER_CUSTOM, 8, 0},
    {"miou.suspend", MODEL_USER_CUSTOM, 20, 8},
    {"miou.continue", MODEL_USER_CUSTOM, 20, 8},
    {"lwt-sch-lap", MODEL_USER_UNIT, 0, 0},
    {"lwt-paused-count", MODEL_USER_INT, 0, 0},
};
enum { EVENTS = sizeof(events) / sizeof(events[0]) };

/* What a byte above those of the events means. */
enum { GAP = EVENTS, PAUSE, RESUME, RESET, EXEC, BACK, KINDS };

struct input {
	const uint8_t *at, *end;
	struct model *model;
	struct rtev_callbacks calls;
	uint64_t ts;
};

static uint8_t byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* A custom payload: an id, another id or a kind or text, of a length that may be wrong. */
static void custom(struct input *in, unsigned domain, const struct rtev_user_event *event)
{
	uint8_t payload[40] = {0}, shape = byte(in);
	const uint8_t right = events[event->id].len, count_at = events[event->id].count_at;
	size_t len = right != 0 && shape % 8 != 0 ? right : shape % 41;

	payload[0] = byte(in) % 16;
	payload[8] = byte(in) % 24;
	for (size_t i = 9; i < len; i++)
		payload[i] = shape > 128 && i < 16 ? 0 : (uint8_t)('a' + shape % 8);
	if (right == 25)
		payload[24] = 1 + shape % 2;
	if (count_at != 0) {
		memset(payload + count_at, 0, 8);
		payload[count_at] = (uint8_t)(right - count_at - 8);
	}
	in->calls.user_custom(in->model, domain, in->ts, event, payload, len);
}

static void event(struct input *in, unsigned domain, unsigned which)
{
	struct rtev_user_event event = {.id = (uint16_t)which, .generation = 1};

	event.name_len = (uint16_t)strlen(events[which].name);
	memcpy(event.name, events[which].name, event.name_len);
	switch (events[which].kind) {
	case MODEL_USER_UNIT:
		in->calls.user_unit(in->model, domain, in->ts, &event);
		break;
	case MODEL_USER_INT:
		in->calls.user_int(in->model, domain, in->ts, &event, byte(in) % 16);
		break;
	case MODEL_USER_SPAN:
		in->calls.user_span(in->model, domain, in->ts, &event, byte(in) % 2 == 0);
		break;
	default:
		custom(in, domain, &event);
		break;
	}
}

static void step(struct input *in)
{
	uint8_t what = byte(in);
	unsigned domain = what / 64, kind = what % 64 % KINDS;

	in->ts += byte(in);
	if (kind < EVENTS)
		event(in, domain, kind);
	else if (kind == GAP)
		in->calls.lost(in->model, domain, 5, byte(in) % 6);
	else if (kind == PAUSE && byte(in) % 2 == 0)
		in->calls.begin(in->model, domain, in->ts, RTEV_PHASE_MINOR);
	else if (kind == PAUSE)
		in->calls.end(in->model, domain, in->ts, RTEV_PHASE_MINOR);
	else if (kind == RESUME)
		in->calls.lifecycle(in->model, domain, in->ts, RTEV_LIFECYCLE_RING_RESUME, 0);
	else if (kind == RESET)
		model_reset(in->model);
	else if (kind == EXEC)
		model_reattach(in->model);
	else
		in->ts -= in->ts > 200 ? 200 : 0;
}

static void require(bool right)
{
	if (!right)
		abort();
}

/* Who is told of the fibers. */
struct heir {
	struct schedulers *schedulers;
	const char *name;
};

static bool learn(void *ctx, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	struct heir *heir = ctx;

	schedulers_learn(heir->schedulers, heir->name, domain, ts, event);
	return true;
}

/* Whoever is told of all of them knows as many, and so does a copy. */
static void check_heirs(struct fibers *f, const char *name, const struct model *m, uint64_t end)
{
	struct model *model = model_create(NULL);
	struct heir heir = {.schedulers = schedulers_create(model), .name = name};
	unsigned at = 0;
	struct fibers *copy = fibers_copy(f, m);
	struct fiber_context contexts[4];
	struct fiber_late late;
	struct fiber_run run;

	require(heir.schedulers != NULL && copy != NULL);
	fibers_tell(f, true, end, learn, &heir);
	const struct fibers *told = schedulers_next(heir.schedulers, &at, &name);
	require((told != NULL ? fibers_totals(told).alive : 0) == fibers_totals(f).alive);
	require(fibers_totals(copy).alive == fibers_totals(f).alive);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t alive, blocked;

		fibers_count(copy, i, &alive, &blocked);
		require(blocked <= alive && alive <= fibers_totals(f).alive);
		require(fibers_contexts(copy, i, contexts, 4) <= 4);
		if (fibers_late(copy, i, end, &late, &run))
			require(late.duration <= end);
	}
	fibers_destroy(copy);
	schedulers_destroy(heir.schedulers);
	model_destroy(model);
}

/* What a report may say. */
static void check(struct schedulers *s, const struct model *m, uint64_t end)
{
	const char *name;
	struct fibers *f = schedulers_first(s, &name);
	struct fiber_report report;
	char path[FIBER_PATH_SIZE];

	if (f == NULL)
		return;
	require(!fibers_failed(f));
	const struct fiber_totals t = fibers_totals(f);
	require(t.blocked <= t.alive && t.alive <= 16);
	for (unsigned i = 0; i < 4; i++) {
		struct fiber_loop loop;
		if (fibers_loop(f, i, end, &loop))
			require(loop.busy_ns <= loop.seen_ns &&
				hist_percentile(loop.lengths, 50, 100) <=
				    loop.lengths->max + loop.lengths->max / 50 + 1);
	}
	require(fibers_report(f, end, &report));
	for (size_t i = 0; i < report.longest_count; i++) {
		require(report.longest[i].gc_ns <= report.longest[i].duration);
		require(i == 0 || report.longest[i].duration <= report.longest[i - 1].duration);
		require(fiber_path_print(report.longest[i].path, path, sizeof(path)) >= -1);
	}
	uint64_t blocked = 0;
	for (size_t i = 0; i < report.blocked_count; i++) {
		require(report.blocked[i].count > 0 &&
			(i == 0 || report.blocked[i].count <= report.blocked[i - 1].count));
		blocked += report.blocked[i].count;
	}
	require(blocked == t.blocked);
	for (size_t i = 0; i < report.group_count; i++)
		require(report.groups[i].run_max_ns <= report.groups[i].run_ns);
	fiber_report_fini(&report);
	struct fiber_column columns[16];
	struct fiber_run runs[4];
	for (unsigned i = 0; i < 4; i++) {
		fibers_columns(f, i, end, end / 4, end / 16 + 1, 16, columns);
		for (unsigned c = 0; c < 16; c++)
			require(columns[c].run_ns <= columns[c].busy_ns * 1.000001 + 1 &&
				fiber_path_print(columns[c].path, path, sizeof(path)) >= -1);
		size_t count = fibers_longest(f, i, end / 4, end, end, runs, 0, 4);
		for (size_t n = 1; n < count; n++)
			require(runs[n].duration <= runs[n - 1].duration);
	}
	size_t crowds, all, rows;
	struct fiber_crowd *crowd = fibers_crowds(f, end, &crowds);
	struct fiber_row *list = fibers_list(f, end, &all);
	uint64_t counted = 0;
	require(crowd != NULL && list != NULL);
	for (size_t i = 0; i < crowds; i++) {
		struct fiber_row *of = fibers_crowd(f, end, &crowd[i], &rows);
		require(of != NULL && rows == crowd[i].count);
		counted += rows;
		free(of);
	}
	require(counted == all);
	free(crowd);
	free(list);
	struct fiber_row *about = fibers_about(f, end, 3, &rows);
	require(about != NULL && rows <= all);
	free(about);
	size_t lines;
	struct fiber_branch *tree = fibers_tree(f, end, (uint64_t[]){1, 2}, 2, &lines);
	require(tree != NULL && lines <= FIBERS_TREE_LINES);
	uint64_t listed = 0;
	for (size_t i = 0; i < lines; i++)
		listed += tree[i].what == FIBER_BRANCH_CONTEXT && tree[i].depth == 0 ? tree[i].fibers : 0;
	require(listed <= t.alive);
	free(tree);
	struct fiber_trouble trouble;
	require(fibers_trouble(f, end / 2, end, &trouble));
	require(trouble.place.gc_ns <= trouble.place.ns && trouble.place.ns <= trouble.late_ns);
	check_heirs(f, name, m, end);
	require(trouble.lock.queue + trouble.full.count <= t.blocked && trouble.stuck.fibers <= t.alive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {.at = data, .end = data + size, .model = model_create(NULL), .ts = 1000};
	struct schedulers *s = schedulers_create(in.model);

	require(s != NULL);
	model_callbacks(&in.calls);
	for (unsigned i = 0; i < EVENTS_MAX && in.at < in.end; i++)
		step(&in);
	check(s, in.model, in.ts);
	model_finish(in.model);
	schedulers_destroy(s);
	model_destroy(in.model);
	return 0;
}
