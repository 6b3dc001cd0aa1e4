/*
 * fuzz_fibers.c - any sequence of a scheduler's events, of the runtime's, of pauses, losses, resets and programs: following and
 * recording them ends, what a report says is possible, the recording is a trace without a fault, and what is kept in memory for the
 * flight recorder can be read while it grows.
 *
 * The bytes are events of four domains with few ids, so that fibers, contexts and objects meet; they reach the
 * fibers as user events of a model, by their names and payloads, right ones and wrong ones.
 */
#include "record/trail.h"
#include "support/making.h"
#include "trail/store.h"

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
enum {
	GAP = EVENTS,
	PAUSE,
	RESUME,
	RESET,
	EXEC,
	BACK,
	RESTART,
	CORRUPT,
	PHASE,
	COUNT,
	ALLOC,
	PASS,
	SLEEP,
	NOTE,
	KINDS
};

/* A trail in memory, and who reads it into another model as it grows. */
struct kept {
	struct trail_store *store;
	struct record_trail *writer;
	struct trail *reader;
	struct model *copy;
};

struct input {
	const uint8_t *at, *end;
	struct making *making;
	struct kept kept;
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

static void require(bool right)
{
	if (!right)
		abort();
}

static void on_blob(void *ctx, enum trail_blob blob, const void *data, size_t len)
{
	trail_store_put(ctx, blob, data, len);
}

static void kept_begin(struct kept *k, struct model *model)
{
	k->store = trail_store_create();
	k->writer =
	    record_trail_create(model, &(struct record_trail_calls){.ctx = k->store, .blob = on_blob});
	require(k->store != NULL && k->writer != NULL);
}

/* Play some events of what is kept, and drop what is not needed any more. */
static void kept_play(struct kept *k, uint64_t most)
{
	struct trail_info info;

	if (k->reader == NULL) {
		record_trail_flush(k->writer);
		k->copy = model_create(NULL);
		k->reader = trail_store_open(k->store, 0);
		require(k->copy != NULL && k->reader != NULL);
	}
	const struct trail_sink sink = record_trail_sink(k->copy);
	require(trail_feed(k->reader, &sink, UINT64_MAX, most) <= most);
	const uint64_t needed = trail_store_needed(k->reader);
	trail_store_trim(k->store, UINT64_MAX, 0, needed);
	if (needed != UINT64_MAX)
		return;
	trail_info(k->reader, &info);
	require(info.damaged == 0);
	trail_close(k->reader);
	model_destroy(k->copy);
	k->reader = NULL;
}

static void kept_end(struct kept *k)
{
	/* What is being played, then what has come since. */
	for (int plays = 1 + (k->reader != NULL); plays > 0; plays--)
		kept_play(k, UINT64_MAX);
	require(k->reader == NULL);
	require(record_trail_sound(k->writer) && trail_store_sound(k->store));
	record_trail_destroy(k->writer);
	trail_store_destroy(k->store);
}

/* What is no event of a scheduler: an event of the runtime, or something that the recording is told. */
static void other(struct input *in, unsigned domain, unsigned kind)
{
	static const rtev_phase phases[] = {MINOR, MAJOR, SLICE, LEADER, HANDLER, WAIT, ODD};
	uint64_t buckets[RTEV_ALLOC_BUCKETS] = {0};
	const uint8_t what = byte(in);
	const size_t left = (size_t)(in->end - in->at), len = what < left ? what : left;
	const rtev_phase phase = phases[what / 2 % (sizeof(phases) / sizeof(phases[0]))];

	if (kind == RESTART)
		in->calls.restart(in->model, domain);
	else if (kind == CORRUPT)
		in->calls.corrupt(in->model, domain, what);
	else if (kind == PHASE && what % 2 == 0)
		in->calls.begin(in->model, domain, in->ts, phase);
	else if (kind == PHASE)
		in->calls.end(in->model, domain, in->ts, phase);
	else if (kind == COUNT)
		in->calls.counter(in->model, domain, in->ts, (rtev_counter)(what % 40), what);
	else if (kind == ALLOC) {
		buckets[what % RTEV_ALLOC_BUCKETS] = what;
		in->calls.alloc(in->model, domain, in->ts, buckets);
	} else if (kind == PASS) {
		tracks_pass_on(in->making->record, in->ts);
		kept_play(&in->kept, what);
	} else if (kind == SLEEP)
		tracks_sleep(in->making->record, in->ts, what * UINT64_C(100000000));
	else {
		tracks_note(in->making->record, what % 12, in->ts, in->at, len);
		in->at += len;
	}
}

static void step(struct input *in)
{
	uint8_t what = byte(in);
	unsigned domain = what / 64, kind = what % 64 % KINDS;

	in->ts += byte(in);
	if (kind >= RESTART)
		other(in, domain, kind);
	else if (kind < EVENTS)
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
	struct making made = making_open(size % 8 == 0);
	struct input in = {.at = data,
	    .end = data + size,
	    .making = &made,
	    .model = made.f.m,
	    .calls = made.f.cb,
	    .ts = 1000};

	kept_begin(&in.kept, in.model);
	for (unsigned i = 0; i < EVENTS_MAX && in.at < in.end; i++)
		step(&in);
	kept_end(&in.kept);
	check(made.schedulers, in.model, in.ts);
	if (size % 8 == 0)
		free(making_close(&made, in.ts, &size));
	else
		fxt_inspection_destroy(making_judge(&made, in.ts, NULL, NULL));
	return 0;
}
