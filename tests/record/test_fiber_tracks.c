/*
 * test_fiber_tracks.c - tracks of fibers for made-up events: more fibers than tracks, foreign text, losses, and that no events make
 * a recording that breaks the format or the nesting; and what notes of fibers make known again.
 */
#include <stdlib.h>

#include "record/system_note.h"
#include "support/making.h"

/* An event of Eio's with an id, or of custom ones with a payload. */
static void eio(struct feed *f, unsigned domain, uint64_t ts, const char *name, int64_t id)
{
	const struct rtev_user_event event = user_event((unsigned)strlen(name), name);

	CHECK_INT(f->cb.user_int(f->m, domain, ts, &event, id), RTEV_CONTINUE);
}

static void custom(
    struct feed *f, unsigned domain, uint64_t ts, const char *name, const void *data, size_t len)
{
	const struct rtev_user_event event = user_event(100 + (unsigned)strlen(name), name);

	CHECK_INT(f->cb.user_custom(f->m, domain, ts, &event, data, len), RTEV_CONTINUE);
}

/* Two numbers, or one and a text. */
static void numbers(struct feed *f, unsigned domain, uint64_t ts, const char *name, uint64_t a, uint64_t b)
{
	const uint64_t words[] = {a, b};

	custom(f, domain, ts, name, words, sizeof(words));
}

static void kind(struct feed *f, unsigned domain, uint64_t ts, const char *name, uint64_t id, uint8_t of)
{
	uint8_t bytes[9] = {[8] = of};

	memcpy(bytes, &id, 8);
	custom(f, domain, ts, name, bytes, sizeof(bytes));
}

static void text(
    struct feed *f, unsigned domain, uint64_t ts, const char *name, uint64_t id, const char *said, size_t len)
{
	char bytes[256];

	memcpy(bytes, &id, 8);
	memcpy(bytes + 8, said, len);
	custom(f, domain, ts, name, bytes, 8 + len);
}

static void suspends(struct feed *f, unsigned domain, uint64_t ts, const char *op)
{
	custom(f, domain, ts, "eio.suspend_fiber", op, strlen(op));
}

/* A root with a name, and fiber 1 in it. */
static void start(struct feed *f, const char *name, size_t len)
{
	kind(f, 0, 1, "eio.create_cc", 100, 6);
	text(f, 0, 2, "eio.name", 100, name, len);
	numbers(f, 0, 3, "eio.create_fiber", 1, 100);
	eio(f, 0, 4, "eio.fiber", 1);
}

/* Lives and waits on tracks of fibers, asynchronous slices, and the longest name. */
struct seen {
	unsigned lives, waits, runs, beside;
	size_t longest;
};

static void look(void *ctx, const struct rtev_fxt_record *record)
{
	struct seen *seen = ctx;
	const struct rtev_fxt_text *name = &record->u.event.name;

	if (record->kind != RTEV_FXT_EVENT || record->u.event.category.len != 5 ||
	    memcmp(record->u.event.category.data, "fiber", 5) != 0)
		return;
	bool slice = record->u.event.type == RTEV_FXT_DURATION_COMPLETE;
	bool track = record->u.event.thread.tid > RECORD_TRACK_FIBERS;
	bool waits = name->len >= 5 && memcmp(name->data, "sleep", 5) == 0;
	seen->lives += slice && track && !waits;
	seen->waits += slice && track && waits;
	seen->runs += slice && !track;
	seen->beside += record->u.event.type == RTEV_FXT_ASYNC_BEGIN;
	seen->longest = name->len > seen->longest ? name->len : seen->longest;
}

/* Fibers that all wait at once: those that find a track have one, the others' waits stand beside them. */
TEST(many)
{
	enum { FIBERS = 2000 };
	struct making k = making_open(false);
	struct seen seen = {0};
	const struct rtev_user_event loop = user_event(51, "eio.suspend_domain");
	uint64_t ts = 10;

	start(&k.f, "server", 6);
	suspends(&k.f, 0, 5, "sleep");
	user_span(&k.f, 0, 6, &loop, true);
	for (unsigned i = 2; i < FIBERS; i++, ts += 10) {
		numbers(&k.f, 0, ts, "eio.create_fiber", i, 100);
		eio(&k.f, 0, ts + 1, "eio.fiber", i);
		suspends(&k.f, 0, ts + 2, "sleep");
		user_span(&k.f, 0, ts + 3, &loop, true);
		user_span(&k.f, 0, ts + 4, &loop, false);
	}
	for (unsigned i = 2; i < FIBERS; i++, ts += 10) {
		eio(&k.f, 0, ts, "eio.fiber", i);
		eio(&k.f, 0, ts + 1, "eio.exit_fiber", i);
	}
	user_span(&k.f, 0, ts, &loop, true);
	struct fxt_inspection *i = making_judge(&k, ts, look, &seen);
	CHECK_INT(seen.runs, 2 * (FIBERS - 2) + 1);
	CHECK_INT(seen.waits + seen.beside, FIBERS - 1);
	/* Fibers of neighbouring numbers share few tracks, but most are used. */
	CHECK(seen.waits >= 500 && seen.waits <= 513);
	CHECK(seen.lives >= seen.waits);
	fxt_inspection_destroy(i);
}

/* Of more names than are kept, each is still the text that it was made of. */
TEST(names_many)
{
	enum { NAMES = 5000 };
	struct making k = making_open(false);
	uint64_t ts = 10;
	char op[16];

	start(&k.f, "server", 6);
	for (unsigned i = 0; i < NAMES; i++, ts += 10) {
		snprintf(op, sizeof(op), "Wait-%05u", i);
		eio(&k.f, 0, ts, "eio.fiber", 1);
		suspends(&k.f, 0, ts + 1, op);
	}
	eio(&k.f, 0, ts, "eio.fiber", 1);
	struct fxt_inspection *inspection = making_judge(&k, ts, NULL, NULL);
	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(op, sizeof(op), "Wait-%05u", i);
		CHECK_INT(fxt_inspection_count(inspection, RTEV_FXT_DURATION_COMPLETE, op), 1);
	}
	fxt_inspection_destroy(inspection);
}

/* A name of any bytes is valid and not too long, and so is a name that comes after too many others. */
TEST(foreign)
{
	struct making k = making_open(false);
	struct seen seen = {0};
	char name[200];

	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = (char)(i * 7 + 27);
	start(&k.f, name, sizeof(name));
	suspends(&k.f, 0, 6, "sleep\x1b[31m\xff");
	for (unsigned i = 0; i < 5000; i++) {
		char span[16];
		eio(&k.f, 0, 10 + 4 * i, "eio.fiber", 1);
		snprintf(span, sizeof(span), "span %u", i);
		custom(&k.f, 0, 11 + 4 * i, "eio.enter_span", span, strlen(span));
		suspends(&k.f, 0, 12 + 4 * i, "sleep");
	}
	struct fxt_inspection *i = making_judge(&k, 30000, look, &seen);
	CHECK_INT(seen.runs, 5001);
	CHECK_INT(seen.lives, 1);
	CHECK(seen.longest > 100 && seen.longest <= 600);
	CHECK_INT(fxt_inspection_count(i, RTEV_FXT_DURATION_COMPLETE, "sleep"), 4999);
	fxt_inspection_destroy(i);
}

/* A run with a loss inside is nowhere, nor is a flow that would end in it. */
TEST(loss)
{
	struct making k = making_open(false);
	struct seen seen = {0};

	start(&k.f, "a", 1);
	numbers(&k.f, 0, 10, "eio.create_fiber", 2, 100);
	eio(&k.f, 0, 20, "eio.fiber", 2);
	lost(&k.f, 0, 100, 0);
	eio(&k.f, 0, 30, "eio.fiber", 1);
	suspends(&k.f, 0, 40, "sleep");
	eio(&k.f, 0, 50, "eio.fiber", 2);
	struct fxt_inspection *i = making_judge(&k, 60, look, &seen);
	CHECK_INT(seen.runs, 3); /* 1 twice, 2 from 50 on */
	CHECK_INT(fxt_inspection_count(i, RTEV_FXT_FLOW_BEGIN, NULL), 0);
	CHECK_INT(seen.lives, 4);
	fxt_inspection_destroy(i);
}

/* The contexts of any(): numbers up to this, used again or not. */
static uint64_t contexts;
static bool contexts_again;

static uint64_t context(void)
{
	return 100 + (unsigned)rand() % (contexts - 99);
}

/* Any event of few fibers and objects. */
static void any(struct feed *f, uint64_t *ts)
{
	static const char *const ints[] = {
	    "eio.fiber", "eio.fiber", "eio.fiber", "eio.try_get", "eio.get", "eio.put", "eio.exit_fiber"};
	const struct rtev_user_event unit = user_event(50, "eio.exit_cc"),
				     loop = user_event(51, "eio.suspend_domain");
	unsigned domain = (unsigned)rand() % 2, id = (unsigned)rand() % 12 + 1;
	unsigned which = (unsigned)rand() % 16;

	*ts = rand() % 100 == 0 && *ts > 50 ? *ts - 50 : *ts + (unsigned)rand() % 4;
	/* Ids of those that have ended are not used again. */
	if (which < 7 && (which < 6 || contexts_again))
		eio(f, domain, *ts, ints[which], id);
	else if (which == 7)
		numbers(f, domain, *ts, "eio.create_fiber", id, context());
	else if (which == 8)
		kind(f, domain, *ts, "eio.create_cc", contexts_again ? context() : ++contexts,
		    (uint8_t)(3 + rand() % 5));
	else if (which == 9)
		kind(f, domain, *ts, "eio.create_obj", id, (uint8_t)(15 + rand() % 5));
	else if (which == 10)
		text(f, domain, *ts, "eio.name", context(), "abcd", (size_t)rand() % 4);
	else if (which <= 12)
		suspends(f, domain, *ts, rand() % 2 != 0 ? "sleep" : "await");
	else if (which == 13)
		custom(f, domain, *ts, "eio.enter_span", "span", 4);
	else if (which == 14)
		CHECK_INT(f->cb.user_unit(f->m, domain, *ts, &unit), RTEV_CONTINUE);
	else
		user_span(f, domain, *ts, &loop, rand() % 2 != 0);
	if (rand() % 200 == 0)
		lost(f, domain, 10, 0);
	if (rand() % 500 == 0)
		model_reset(f->m);
	if (rand() % 500 == 0)
		model_reattach(f->m);
}

/* No events break the format, the nesting, or the pairing of flows. */
TEST(random_events)
{
	uint64_t flows = 0;

	for (unsigned seed = 0; seed < 200; seed++) {
		struct making k = making_open(seed % 8 == 7);
		uint64_t ts = 1000;
		size_t size;
		srand(seed);
		contexts = 103;
		contexts_again = true;
		for (unsigned i = 0; i < 1000; i++)
			any(&k.f, &ts);
		unsigned char *data = making_close(&k, ts, &size);
		if (seed % 8 == 7) {
			free(data);
			continue;
		}
		struct fxt_inspection *i = making_inspect(data, size, NULL, NULL);
		flows += fxt_inspection_count(i, RTEV_FXT_FLOW_BEGIN, NULL);
		CHECK(fxt_inspection_count(i, RTEV_FXT_DURATION_COMPLETE, NULL) > 50);
		fxt_inspection_destroy(i);
	}
	CHECK(flows > 0);
}

/* ---- notes ---- */

static void learn(void *ctx, uint32_t of, uint64_t ts, const void *data, size_t len)
{
	CHECK(len <= TRAIL_NOTE_MAX);
	system_notes_take(ctx, of, ts, data, len);
}

/* What two know of each fiber is the same. */
static void same(struct schedulers *a, struct schedulers *b, uint64_t now)
{
	const char *name;
	size_t counts[2];
	unsigned at[2] = {0};
	struct fibers *f = schedulers_next(a, &at[0], &name), *g = schedulers_next(b, &at[1], &name);
	struct fiber_row *rows[2] = {fibers_list(f, now, &counts[0]), fibers_list(g, now, &counts[1])};

	CHECK_INT(counts[0], counts[1]);
	CHECK(counts[0] > 3);
	for (size_t i = 0; i < counts[0]; i++) {
		const struct fiber_row *x = NULL, *y = &rows[1][i];
		char paths[2][FIBER_PATH_SIZE];
		for (size_t j = 0; j < counts[0]; j++)
			x = rows[0][j].id == y->id ? &rows[0][j] : x;
		CHECK(x != NULL);
		CHECK_INT(x->state, y->state);
		CHECK_INT(x->since_ns, y->since_ns);
		CHECK_INT(x->op.len, y->op.len);
		CHECK(x->op.len == 0 || memcmp(x->op.text, y->op.text, x->op.len) == 0);
		CHECK_INT(x->wants, y->wants);
		CHECK_INT(x->kind, y->kind);
		CHECK_INT(x->held, y->held);
		CHECK(!x->held || x->holder == y->holder);
		CHECK_INT(x->span.len, y->span.len);
		CHECK_STR(fiber_path_text(x->path, paths[0], FIBER_PATH_SIZE),
		    fiber_path_text(y->path, paths[1], FIBER_PATH_SIZE));
	}
	free(rows[0]);
	free(rows[1]);
}

/* A replay knows the fibers that were known when the recording began, and counts none of them. */
TEST(known)
{
	for (unsigned seed = 0; seed < 50; seed++) {
		struct feed f = feed_open(1), replay = feed_open(1);
		struct schedulers *a = schedulers_create(f.m), *b = schedulers_create(replay.m);
		struct system_notes notes = {.model = replay.m, .schedulers = b};
		const char *name;
		uint64_t ts = 1000;
		srand(seed);
		contexts = 100;
		contexts_again = false;
		start(&f, "main", 4);
		for (unsigned i = 0; i < 500; i++, ts++)
			any(&f, &ts);
		/* Fibers that run, or that have just been suspended. */
		for (unsigned domain = 0; domain < 2; domain++) {
			eio(&f, domain, ++ts, "eio.fiber", 13 + domain);
			if (seed % 2 == domain)
				suspends(&f, domain, ++ts, "await");
		}
		system_note_fibers(a, true, ts, learn, &notes);
		CHECK(schedulers_first(b, &name) == NULL);
		/* What each does next makes it count. */
		for (unsigned id = 1; id <= 14; id++) {
			ts += 10;
			eio(&f, id % 2, ts, "eio.fiber", id);
			eio(&replay, id % 2, ts, "eio.fiber", id);
			suspends(&f, id % 2, ts + 1, "sleep");
			suspends(&replay, id % 2, ts + 1, "sleep");
		}
		same(a, b, ts + 20);
		const struct fiber_totals t = fibers_totals(schedulers_first(b, &name));
		CHECK_INT(t.created + t.finished + t.errors, 0);
		CHECK_INT(t.events, 28);
		schedulers_destroy(a);
		schedulers_destroy(b);
		feed_close(&f);
		feed_close(&replay);
	}
}

/* Fibers that wait as the recording begins wait in a replay, also those that do nothing else in it. */
TEST(waiting_all_along)
{
	struct feed f = feed_open(1), replay = feed_open(1);
	struct schedulers *a = schedulers_create(f.m), *b = schedulers_create(replay.m);
	struct system_notes notes = {.model = replay.m, .schedulers = b};
	uint64_t ts = 1000;

	start(&f, "main", 4);
	for (unsigned id = 20; id < 30; id++) {
		eio(&f, 0, ++ts, "eio.fiber", 1);
		numbers(&f, 0, ++ts, "eio.create_fiber", id, 100);
		eio(&f, 0, ++ts, "eio.fiber", id);
		suspends(&f, 0, ++ts, "sleep");
	}
	system_note_fibers(a, true, ++ts, learn, &notes);
	ts += 10;
	eio(&f, 0, ts, "eio.fiber", 29);
	eio(&replay, 0, ts, "eio.fiber", 29);
	same(a, b, ts + 20);
	schedulers_destroy(a);
	schedulers_destroy(b);
	feed_close(&f);
	feed_close(&replay);
}

/* Of words that were lost before the first event no fiber is known: how many are alive, neither the observer can tell nor a replay of
 * what it has recorded. */
TEST(not_all_known)
{
	for (int lost = 0; lost < 2; lost++) {
		struct feed f = feed_open(1), replay = feed_open(1);
		struct schedulers *a = schedulers_create(f.m), *b = schedulers_create(replay.m);
		struct system_notes notes = {.model = replay.m, .schedulers = b};
		const char *name;

		if (lost)
			CHECK_INT(f.cb.lost(f.m, 0, 100, 100), RTEV_CONTINUE);
		start(&f, "main", 4);
		suspends(&f, 0, 20, "sleep");
		CHECK(fibers_totals(schedulers_first(a, &name)).alive_known == !lost);
		system_note_fibers(a, true, 100, learn, &notes);
		eio(&replay, 0, 1100, "eio.fiber", 1);
		const struct fiber_totals t = fibers_totals(schedulers_first(b, &name));
		CHECK(t.alive == 1 && t.alive_known == !lost);
		/* Another program in the process has its own fibers, all of which are seen. */
		model_reattach(f.m);
		start(&f, "main", 4);
		CHECK(fibers_totals(schedulers_first(a, &name)).alive_known);
		/* One in the rings of the last has its own from its first ring on; later rings are of the same program. */
		if (lost)
			CHECK_INT(f.cb.lost(f.m, 0, 100, 100), RTEV_CONTINUE);
		for (int program = 0; program < 2; program++) {
			CHECK_INT(f.cb.restart(f.m, 0), RTEV_CONTINUE);
			CHECK_INT(fibers_totals(schedulers_first(a, &name)).alive, 0);
			start(&f, "main", 4);
			CHECK_INT(f.cb.restart(f.m, 1), RTEV_CONTINUE);
			const struct fiber_totals again = fibers_totals(schedulers_first(a, &name));
			CHECK(again.alive == t.alive && again.alive_known);
			/* What the old program wrote last may be lost. */
			CHECK_INT(f.cb.lost(f.m, 0, 100, 0), RTEV_CONTINUE);
		}
		schedulers_destroy(a);
		schedulers_destroy(b);
		feed_close(&f);
		feed_close(&replay);
	}
}

/* A fiber that may have ended in a loss before the last reset is not alive, nor is the scheduler's own while it runs: neither for
 * the observer nor for a replay of what it has recorded. */
TEST(not_counted)
{
	for (int own = 0; own < 2; own++) {
		struct feed f = feed_open(1), replay = feed_open(1);
		struct schedulers *a = schedulers_create(f.m), *b = schedulers_create(replay.m);
		struct system_notes notes = {.model = replay.m, .schedulers = b};
		const char *name;

		start(&f, "main", 4);
		numbers(&f, 0, 10, "eio.create_fiber", 2, 100);
		eio(&f, 0, 11, "eio.fiber", 2);
		suspends(&f, 0, 12, own ? "read_eventfd" : "sleep");
		if (!own)
			CHECK_INT(f.cb.lost(f.m, 0, 100, 0), RTEV_CONTINUE);
		model_reset(f.m);
		eio(&f, 0, 20, "eio.fiber", 1);
		if (own)
			eio(&f, 0, 21, "eio.fiber", 2);
		CHECK_INT(fibers_totals(schedulers_first(a, &name)).alive, 1);
		system_note_fibers(a, true, 100, learn, &notes);
		eio(&replay, 0, 1100, "eio.fiber", own ? 2 : 1);
		CHECK_INT(fibers_totals(schedulers_first(b, &name)).alive, 1);
		schedulers_destroy(a);
		schedulers_destroy(b);
		feed_close(&f);
		feed_close(&replay);
	}
}

/* A loop that waits as the recording begins waits in a replay. */
TEST(waiting)
{
	struct feed f = feed_open(1), replay = feed_open(1);
	struct schedulers *a = schedulers_create(f.m), *b = schedulers_create(replay.m);
	struct system_notes notes = {.model = replay.m, .schedulers = b};
	const struct rtev_user_event idle = user_event(51, "eio.suspend_domain");
	unsigned at = 0;
	struct fiber_loop loop;
	const char *name;

	start(&f, "main", 4);
	suspends(&f, 0, 20, "sleep");
	user_span(&f, 0, 30, &idle, true);
	system_note_fibers(a, true, 100, learn, &notes);
	eio(&replay, 1, 1100, "eio.fiber", 7);
	CHECK(fibers_loop(schedulers_next(b, &at, &name), 0, 1100, &loop));
	CHECK(loop.seen_ns > 0 && loop.busy_ns == 0);
	schedulers_destroy(a);
	schedulers_destroy(b);
	feed_close(&f);
	feed_close(&replay);
}

/* Notes of very many fibers are bounded, and what is cut or comes late is left out. */
TEST(bounded)
{
	struct feed f = feed_open(1), replay = feed_open(1);
	struct schedulers *a = schedulers_create(f.m), *b = schedulers_create(replay.m);
	struct system_notes notes = {.model = replay.m, .schedulers = b};
	const uint8_t odd[] = {1, 3, 'e', 'i', 'o', 100, 2, 0};
	unsigned at = 0;
	const char *name;

	start(&f, "main", 4);
	for (unsigned i = 2; i < 100000; i++)
		numbers(&f, 0, 10, "eio.create_fiber", i, 100);
	system_note_fibers(a, true, 100, learn, &notes);
	system_notes_take(&notes, TRAIL_NOTE_FIBERS, 100, odd, sizeof(odd));
	struct fiber_context chain[2];
	CHECK_INT(fibers_contexts(schedulers_next(b, &at, &name), 5000, chain, 2), 1);
	CHECK_INT(chain[0].id, 100);
	/* Once there was an event nothing is learnt any more. */
	eio(&replay, 0, 200, "eio.fiber", 7);
	at = 0;
	system_note_fibers(a, true, 300, learn, &notes);
	const struct fiber_totals t = fibers_totals(schedulers_first(b, &name));
	CHECK_INT(t.events, 1);
	schedulers_destroy(a);
	schedulers_destroy(b);
	feed_close(&f);
	feed_close(&replay);
}
