/*
 * test_code_tracks.c - tracks of samples of the code: what slices a story has, foreign names, and that no samples make a
 * recording that breaks the format or the nesting.
 */
#include <stdlib.h>

#include "record/system_note.h"
#include "support/code_story.h"
#include "support/making.h"

static void put(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	tracks_note(ctx, kind, ts, data, len);
}

/* Slices of a name: how many, and their samples. */
struct seen {
	const char *name;
	unsigned slices, off, incomplete;
	uint64_t samples, begin, end;
};

static void look(void *ctx, const struct rtev_fxt_record *record)
{
	struct seen *seen = ctx;
	const struct rtev_fxt_text *name = &record->u.event.name;

	if (record->kind != RTEV_FXT_EVENT || record->u.event.type != RTEV_FXT_DURATION_COMPLETE ||
	    record->u.event.thread.tid <= RECORD_TRACK_CODE || name->len != strlen(seen->name) ||
	    memcmp(name->data, seen->name, name->len) != 0)
		return;
	CHECK(record->u.event.category.len == 4);
	seen->begin = seen->slices == 0 ? record->u.event.ticks : seen->begin;
	seen->end = record->u.event.word;
	seen->slices++;
	for (unsigned i = 0; i < record->u.event.args.count; i++) {
		const struct rtev_fxt_arg *arg = &record->u.event.args.list[i];
		bool flag = arg->type == RTEV_FXT_TYPE_BOOL;
		seen->off += flag && arg->name.len == strlen("off_cpu");
		seen->incomplete += flag && arg->name.len == strlen("incomplete");
		seen->samples += !flag && arg->name.len == strlen("samples") ? (uint64_t)arg->value.i : 0;
	}
}

/* The slices of a name in a recording of the story. */
static struct seen seen_of(const char *name)
{
	struct making k = making_open(false);
	struct profile *p = code_story(1000000000, 3000000000);
	struct seen seen = {.name = name};
	uint64_t next = 0;

	code_note_write(p, 99, &next, put, k.record);
	fxt_inspection_destroy(making_judge(&k, 3000000000, look, &seen));
	profile_destroy(p);
	return seen;
}

TEST(calls_that_samples_have_in_common_are_one_slice)
{
	struct seen seen = seen_of("Main.worker");

	CHECK_INT(seen.slices, 1);
	CHECK_INT(seen.samples, 200);
	/* From a sample's time before the first, and after the begin of what called it, to the last. */
	CHECK_INT(seen.begin, 1000000000 - 10101010 + 1);
	CHECK_INT(seen.end, 2990000000);
	CHECK_INT(seen.off + seen.incomplete, 0);
	seen = seen_of("slow_inner");
	CHECK_INT(seen.samples, 180);
	CHECK(seen.slices > 1 && seen.slices <= 21);
	seen = seen_of("Db.with_conn");
	CHECK_INT(seen.samples, 60);
	CHECK(seen.off == seen.slices && seen.slices > 0);
	seen = seen_of("__memset_avx2");
	CHECK_INT(seen.samples, 4);
	CHECK(seen.incomplete == seen.slices && seen.slices > 0);
}

/* Samples of so many threads, of stacks as deep as may be, in any order of time. */
static void any_samples(struct profile *p)
{
	struct profile_frame frames[300];
	char name[64];

	for (unsigned i = 0; i < 300; i++) {
		for (size_t c = 0; c < sizeof(name); c++)
			name[c] = (char)(1 + rand() % 255);
		name[sizeof(name) - 1] = '\0';
		frames[i] = (struct profile_frame){profile_function(p, name, name + 32, i, false), i};
	}
	for (unsigned i = 0; i < 3000; i++) {
		unsigned from = (unsigned)rand() % 290;
		int domain = rand() % 3 - 1;
		const uint8_t marks = (uint8_t)(rand() % 16);
		profile_add(p, &(struct profile_sample){.ts = 1000000 + (unsigned)rand() % 100000000,
				   .tid = 1 + rand() % (rand() % 2 != 0 ? 400 : 3),
				   .domain = domain,
				   .stack = profile_stack(
				       p, domain, frames + from, (unsigned)rand() % (300 - from + 1), marks),
				   .marks = marks});
	}
	profile_settle(p, UINT64_MAX, NULL, NULL);
}

TEST(no_samples_break_the_format_or_the_nesting)
{
	for (unsigned seed = 0; seed < 16; seed++) {
		struct making k = making_open(seed % 8 == 7);
		struct profile *p = profile_create();
		uint64_t next = 0;
		size_t size;

		srand(seed);
		for (unsigned i = 0; i < 3; i++) {
			any_samples(p);
			code_note_write(p, seed % 2 != 0 ? 99 : 1000000, &next, put, k.record);
			tracks_note(k.record, TRAIL_NOTE_CODE, 5, "\x01\xff\xff", 3);
		}
		profile_destroy(p);
		unsigned char *data = making_close(&k, 200000000, &size);
		if (seed % 8 == 7) {
			free(data);
			continue;
		}
		struct fxt_inspection *i = making_inspect(data, size, NULL, NULL);
		CHECK(fxt_inspection_count(i, RTEV_FXT_DURATION_COMPLETE, NULL) > 1000);
		fxt_inspection_destroy(i);
	}
}
