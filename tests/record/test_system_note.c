/*
 * test_system_note.c - samples of the system as notes: what is written is read, and nonsense is left out.
 */
#include <math.h>
#include <stdlib.h>

#include "record/system_note.h"
#include "support/test.h"
#include "trail/trail.h"

enum { NOTES_MAX = 64 };

/* Notes as they were written. */
struct written {
	unsigned count;
	struct {
		uint32_t kind;
		uint64_t ts;
		size_t len;
		uint8_t bytes[TRAIL_NOTE_MAX];
	} notes[NOTES_MAX];
};

static struct written written;
static struct system_sample sample;

static void keep(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	struct written *w = ctx;

	CHECK(w->count < NOTES_MAX && len <= TRAIL_NOTE_MAX);
	w->notes[w->count].kind = kind;
	w->notes[w->count].ts = ts;
	w->notes[w->count].len = len;
	memcpy(w->notes[w->count++].bytes, data, len);
}

/* A number that takes as much room as any. */
static uint64_t large(unsigned i)
{
	return UINT64_MAX - i * 977;
}

/* Make up a sample in which each value differs, some are not known, and all take much room. */
static void make(uint64_t ts, unsigned threads)
{
	sample = (struct system_sample){.ts = ts,
	    .in_turns = true,
	    .threads_known = SYSTEM_KNOWN,
	    .pressure_scope = SYSTEM_PRESSURE_OF_MACHINE,
	    .thread_count = threads};
	for (unsigned i = 0; i < SYSTEM_VALUE_COUNT; i++)
		sample.values[i] = i % 5 == 4 ? (struct system_value){0, SYSTEM_DENIED}
					      : (struct system_value){large(i), SYSTEM_KNOWN};
	for (unsigned i = 0; i < threads; i++) {
		struct system_thread *t = &sample.threads[i];
		struct system_value *values[] = {
		    &t->user, &t->system, &t->run, &t->wait, &t->voluntary, &t->forced};

		t->tid = (int32_t)(2000000000 + i);
		t->state = "RSDT"[i % 4];
		t->ts = ts - i * 1000;
		memset(t->comm, 'a' + (int)(i % 26), sizeof(t->comm) - 1);
		for (unsigned v = 0; v < 6; v++)
			*values[v] = (i + v) % 7 == 0 ? (struct system_value){0, SYSTEM_OTHER_KERNEL}
						      : (struct system_value){large(i * 8 + v), SYSTEM_KNOWN};
	}
}

static const struct ocaml_settings settings = {
    .of = {[OCAML_S] = {262144, OCAML_FROM_ENV}, [OCAML_STACK] = {UINT64_MAX, OCAML_FROM_MEMORY}},
    .environment = SYSTEM_DENIED,
    .memory_why = "its program has no symbol table"};

/* Read the notes that were written; a past with what was in them. */
static struct system_past *read_back(void)
{
	static struct system_notes notes;

	notes = (struct system_notes){.past = system_past_create()};
	for (unsigned i = 0; i < written.count; i++)
		system_notes_take(&notes, written.notes[i].kind, written.notes[i].ts, written.notes[i].bytes,
		    written.notes[i].len);
	return notes.past;
}

/* Whether two values are the same. */
static bool same(const struct system_value *a, const struct system_value *b)
{
	return a->known == b->known && a->value == b->value;
}

static void check_same(const struct system_sample *a, const struct system_sample *b)
{
	CHECK_INT(a->ts, b->ts);
	CHECK(a->in_turns == b->in_turns && a->threads_known == b->threads_known);
	CHECK_INT(a->pressure_scope, b->pressure_scope);
	for (unsigned i = 0; i < SYSTEM_VALUE_COUNT; i++)
		CHECK(same(&a->values[i], &b->values[i]));
	CHECK_INT(a->thread_count, b->thread_count);
	for (unsigned i = 0; i < a->thread_count; i++) {
		const struct system_thread *x = &a->threads[i], *y = &b->threads[i];

		CHECK(x->tid == y->tid && x->state == y->state && x->ts == y->ts);
		CHECK_STR(x->comm, y->comm);
		CHECK(same(&x->user, &y->user) && same(&x->system, &y->system) && same(&x->run, &y->run));
		CHECK(same(&x->wait, &y->wait) && same(&x->voluntary, &y->voluntary) &&
		      same(&x->forced, &y->forced));
	}
}

TEST(test_round_trip)
{
	static const unsigned counts[] = {0, 1, 3, 17, 100, SYSTEM_THREADS};

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		make(5000000000 + i, counts[i]);
		written.count = 0;
		system_note_write(&sample, &settings, keep, &written);
		struct system_past *past = read_back();
		CHECK(system_past_latest(past) != NULL);
		check_same(system_past_latest(past), &sample);
		const struct ocaml_settings *got = system_past_settings(past);
		CHECK(got != NULL);
		CHECK_INT(got->of[OCAML_S].value, 262144);
		CHECK_INT(got->of[OCAML_S].from, OCAML_FROM_ENV);
		CHECK_INT(got->of[OCAML_STACK].value, UINT64_MAX);
		CHECK_INT(got->of[OCAML_O].from, OCAML_UNKNOWN);
		CHECK_INT(got->environment, SYSTEM_DENIED);
		CHECK_STR(got->memory_why, settings.memory_why);
		system_past_destroy(past);
	}
}

/* A sample of which a part is missing, or that is cut short, is none. */
TEST(test_parts_missing)
{
	make(5000000000, SYSTEM_THREADS);
	for (unsigned gone = 0;; gone++) {
		written.count = 0;
		system_note_write(&sample, NULL, keep, &written);
		if (gone == written.count)
			break;
		written.notes[gone].kind = 999;
		struct system_past *past = read_back();
		CHECK(system_past_latest(past) == NULL);
		system_past_destroy(past);
	}
	make(5000000000, 2);
	written.count = 0;
	system_note_write(&sample, &settings, keep, &written);
	CHECK_INT(written.count, 2);
	size_t whole[2] = {written.notes[0].len, written.notes[1].len};
	for (size_t len = 0; len < whole[0]; len++) {
		written.notes[0].len = len;
		written.notes[1].len = len < whole[1] ? len : whole[1] - 1;
		struct system_past *past = read_back();
		CHECK(system_past_latest(past) == NULL && system_past_settings(past) == NULL);
		system_past_destroy(past);
	}
}

/* A note of another version says nothing. */
TEST(test_other_version)
{
	make(5000000000, 1);
	written.count = 0;
	system_note_write(&sample, &settings, keep, &written);
	written.notes[0].bytes[0] = written.notes[1].bytes[0] = 2 << 3;
	struct system_past *past = read_back();
	CHECK(system_past_latest(past) == NULL && system_past_settings(past) == NULL);
	system_past_destroy(past);
}

/* ---- heaps ---- */

/* A live model that knows of `domains` domains from before its attach at `ts`: of each third one the size alone, of
 * the others the parts. */
static struct model *attached(unsigned domains, uint64_t ts)
{
	static const rtev_counter parts[] = {RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS,
	    RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS,
	    RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS};
	struct model *m = model_create(&(struct model_options){.attach_ts = 1});
	struct rtev_callbacks past;

	CHECK(m != NULL);
	model_past_callbacks(&past);
	for (unsigned d = 0; d < domains; d++) {
		if (d % 3 == 0)
			past.counter(m, d, ts - 9, RTEV_COUNTER_MAJOR_HEAP_WORDS, INT64_C(1) << 52 | d);
		for (unsigned p = 0; d % 3 != 0 && p < 4; p++)
			past.counter(m, d, ts - 8, parts[p], (INT64_C(1) << 51) + d * 4 + p);
	}
	/* One that has ended is not known any more. */
	past.lifecycle(m, domains, ts - 7, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	model_attach(m, ts);
	return m;
}

/* Read the notes into a model. */
static void heaps_read(struct model *m)
{
	struct system_notes notes = {.model = m};

	for (unsigned i = 0; i < written.count; i++)
		system_notes_take(&notes, written.notes[i].kind, written.notes[i].ts, written.notes[i].bytes,
		    written.notes[i].len);
	CHECK_INT(model_status(m), RTEV_OK);
}

/* A replay knows the domains and heaps that were known when the recording began. */
TEST(test_heaps)
{
	for (unsigned domains = 0; domains <= 300; domains += 100) {
		struct model *m = attached(domains, 5000);
		struct model *replay = model_create(&(struct model_options){.attach_ts = 5000});
		CHECK(replay != NULL);
		written.count = 0;
		system_note_heaps(m, 5000, keep, &written);
		CHECK(domains == 0 ? written.count == 0 : written.count >= 1);
		heaps_read(replay);
		CHECK_INT(model_domains(replay), domains);
		for (unsigned i = 0; i < domains; i++) {
			const struct model_domain *a = model_domain(m, i), *b = model_domain(replay, i);
			CHECK(b->seen && b->state == MODEL_DOMAIN_RUNNING && b->events == 0);
			CHECK_INT(b->first_ts, 5000);
			CHECK(a->heap.size_sent == b->heap.size_sent);
			CHECK_INT(a->heap.parts_ts, b->heap.parts_ts);
			for (int g = 0; g < HEAP_GAUGES; g++)
				CHECK(a->heap.values[g] == b->heap.values[g] ||
				      (isnan(a->heap.values[g]) && isnan(b->heap.values[g])));
		}
		model_destroy(replay);
		model_destroy(m);
	}
}

/* An event from before the attach that was read after it comes before the note: the domain is as in the model that was
 * recorded. */
TEST(test_heaps_early_event)
{
	struct model *m = attached(2, 5000),
		     *replay = model_create(&(struct model_options){.attach_ts = 5000});
	struct rtev_callbacks calls;

	written.count = 0;
	system_note_heaps(m, 5000, keep, &written);
	model_callbacks(&calls);
	for (unsigned d = 0; d < 2; d++) {
		calls.counter(m, d, 4990, RTEV_COUNTER_MAJOR_HEAP_WORDS, 7);
		calls.counter(replay, d, 4990, RTEV_COUNTER_MAJOR_HEAP_WORDS, 7);
	}
	heaps_read(replay);
	model_set_now(m, 6000);
	model_set_now(replay, 6000);
	for (unsigned d = 0; d < 2; d++) {
		const struct model_domain *a = model_domain(m, d), *b = model_domain(replay, d);
		CHECK_INT(b->observed_ns, a->observed_ns);
		CHECK_INT(b->first_ts, a->first_ts);
		CHECK_INT(b->heap.parts_ts, a->heap.parts_ts);
	}
	CHECK_INT(model_heap(replay, HEAP_SIZE), 14);
	CHECK(model_heap(replay, HEAP_LIVE) == model_heap(m, HEAP_LIVE));
	model_destroy(replay);
	model_destroy(m);
}

/* A look at memory is the same in a replay, what is not known of it too; cut short it tells nothing wrong. */
TEST(test_look)
{
	struct model *m = model_create(&(struct model_options){.attach_ts = 5000});
	const struct model_look look = {
	    .heap = {NAN, 900, 800, 7, 300}, .domains = {{0, 400, 256, 12}, {3, 500, 512, 0}}, .count = 2};
	struct rtev_callbacks calls;

	model_callbacks(&calls);
	calls.begin(m, 3, 5001, RTEV_PHASE_MINOR);
	memset(&written, 0, sizeof(written));
	system_note_look(&look, 6000, keep, &written);
	CHECK_INT(written.count, 1);
	heaps_read(m);
	CHECK(isnan(model_level(m, HEAP_SIZE).words) || !model_level(m, HEAP_SIZE).looked);
	CHECK(model_level(m, HEAP_POOL).words == 900 && model_level(m, HEAP_LARGE).words == 300);
	CHECK_INT(model_level(m, HEAP_LIVE).ts, 6000);
	CHECK(model_domain(m, 3)->minor_heap == 512 && model_domain(m, 3)->minor_used == 0);
	for (size_t whole = written.notes[0].len; whole > 0; whole--) {
		written.notes[0].len = whole - 1;
		heaps_read(m);
		CHECK(model_level(m, HEAP_POOL).words == 900);
	}
	model_destroy(m);
}

/* What a replay knows better stays, a file has no attach, and a note that is cut short tells of whole domains. */
TEST(test_heaps_refused)
{
	struct model *m = attached(1, 5000);
	struct rtev_callbacks calls;

	written.count = 0;
	system_note_heaps(m, 5000, keep, &written);
	CHECK_INT(written.count, 1);
	model_callbacks(&calls);
	calls.counter(m, 0, 5001, RTEV_COUNTER_MAJOR_HEAP_WORDS, 7);
	heaps_read(m);
	CHECK_INT(model_heap(m, HEAP_SIZE), 7);
	model_destroy(m);
	m = model_create(NULL);
	heaps_read(m);
	CHECK_INT(model_domains(m), 0);
	model_destroy(m);
	m = model_create(&(struct model_options){.attach_ts = 5000});
	size_t whole = written.notes[0].len;
	for (written.notes[0].len = 0; written.notes[0].len < whole; written.notes[0].len++)
		heaps_read(m);
	CHECK_INT(model_domains(m), 0);
	heaps_read(m);
	CHECK_INT(model_domains(m), 1);
	model_destroy(m);
}
