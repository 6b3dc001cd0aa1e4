/*
 * test_code_note.c - samples of the code as notes: what is read is what was written, also of stacks that are too large.
 */
#include "record/system_note.h"
#include "support/code_story.h"
#include "support/test.h"
#include "trail/trail.h"

struct notes {
	struct profile *into;
	unsigned count;
	FILE *corpus;
};

static void take(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	struct notes *notes = ctx;

	CHECK(kind == TRAIL_NOTE_CODE && len <= TRAIL_NOTE_MAX);
	CHECK_INT(code_note_take(notes->into, ts, data, len), 99);
	/* Cut short it makes no sense, or less. */
	struct profile *scratch = profile_create();
	for (size_t cut = 0; cut < 8 && cut < len; cut++)
		CHECK_INT(code_note_take(scratch, ts, data, cut), 0);
	profile_destroy(scratch);
	notes->count++;
}

static uint64_t total_of(const struct profile *p, const char *name, bool gc)
{
	struct profile_row *rows;
	uint64_t found = 0;
	size_t count;

	CHECK(profile_rows(p, PROFILE_ALL, &rows, &count));
	for (size_t i = 0; i < count; i++)
		if (strcmp(profile_function_of(p, rows[i].function)->name, name) == 0)
			found = gc ? rows[i].total.gc : rows[i].total.on + rows[i].total.off;
	free(rows);
	return found;
}

TEST(what_is_read_is_what_was_written)
{
	static const char *const names[] = {
	    "Db.row", "Server", "slow_inner", "Foo.deep", "caml_ml_mutex_lock", "oldify_mopup"};
	struct profile *p = code_story(1000000000, 3000000000);
	struct notes notes = {.into = profile_create()};
	struct profile_totals a, b;
	struct profile_answer answer;
	char text[2][256];
	uint64_t next = 0;

	code_note_write(p, 99, &next, take, &notes);
	CHECK(notes.count >= 9);
	unsigned first = notes.count;
	code_note_write(p, 99, &next, take, &notes);
	CHECK_INT(notes.count, first);
	profile_totals(p, PROFILE_ALL, &a);
	profile_totals(notes.into, PROFILE_ALL, &b);
	CHECK(memcmp(&a, &b, sizeof(a)) == 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CHECK_INT(total_of(notes.into, names[i], false), total_of(p, names[i], false));
		CHECK_INT(total_of(notes.into, names[i], true), total_of(p, names[i], true));
	}
	CHECK(profile_between(p, 1, 1500000000, 1600000000, &answer));
	profile_answer_text(&answer, text[0], sizeof(text[0]));
	CHECK(profile_between(notes.into, 1, 1500000000, 1600000000, &answer));
	profile_answer_text(&answer, text[1], sizeof(text[1]));
	CHECK_STR(text[1], text[0]);
	profile_destroy(notes.into);
	profile_destroy(p);
}

TEST(a_stack_too_large_for_a_note_is_incomplete)
{
	struct profile *p = profile_create();
	struct notes notes = {.into = profile_create()};
	struct profile_frame frames[300];
	struct profile_totals t;
	char name[300];
	uint64_t next = 0;

	for (unsigned i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "%u%0250u", i, 0);
		frames[i] = (struct profile_frame){profile_function(p, name, "x.ml", i, false), i};
	}
	for (unsigned i = 0; i < 5000; i++)
		profile_add(p,
		    &(struct profile_sample){
			.ts = 1000 + i, .tid = 7, .domain = 0, .stack = profile_stack(p, 0, frames, 300, 0)});
	profile_settle(p, UINT64_MAX, NULL, NULL);
	code_note_write(p, 99, &next, take, &notes);
	profile_totals(notes.into, PROFILE_ALL, &t);
	CHECK(t.counts.on == 5000 && t.counts.incomplete == 5000);
	profile_destroy(notes.into);
	profile_destroy(p);
}
