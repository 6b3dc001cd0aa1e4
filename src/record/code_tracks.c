/*
 * code_tracks.c - keep the open calls of each thread, and write a slice when a sample no longer contains its
 * call.
 */
#include "record/tracks_private.h"

#include "core/order.h"
#include "record/system_note.h"

#define THREADS 256u
#define DEPTH 256u
#define LOOK_NS 250000000u /* samples of a waiting thread that are this close share slices */
#define FILE_MAX 200u	   /* longer names are cut */

struct call {
	uint32_t function;
	uint64_t begin, samples;
};

struct thread {
	int32_t tid;
	uint8_t marks; /* of the latest sample: PROFILE_OFF, PROFILE_INCOMPLETE */
	uint64_t last; /* its time: the open calls last until then */
	unsigned depth;
	struct call calls[DEPTH]; /* open, the outermost first */
};

struct code_tracks {
	struct tracks *record;
	struct profile *profile;
	uint64_t next;	 /* number of the first sample of the profile that is in no slice */
	uint64_t batch;	 /* stamp of the latest notes, among which samples are not in the order of time */
	uint64_t period; /* between two samples */
	unsigned thread_count;
	struct thread threads[THREADS];
};

struct code_tracks *code_tracks_create(struct tracks *record)
{
	struct code_tracks *t = calloc(1, sizeof(*t));
	struct profile *profile = profile_create();

	if (t == NULL || profile == NULL) {
		profile_destroy(profile);
		free(t);
		return NULL;
	}
	t->record = record;
	t->profile = profile;
	return t;
}

void code_tracks_destroy(struct code_tracks *t)
{
	if (t != NULL)
		profile_destroy(t->profile);
	free(t);
}

/* Return the thread of a sample, with a track.  NULL: there are too many threads. */
static struct thread *thread_of(struct code_tracks *t, const struct profile_sample *s)
{
	char name[48];
	unsigned i = 0;

	while (i < t->thread_count && t->threads[i].tid != s->tid)
		i++;
	if (i < t->thread_count || i == THREADS)
		return i < THREADS ? &t->threads[i] : NULL;
	t->threads[t->thread_count++].tid = s->tid;
	snprintf(name, sizeof(name), "code of thread %d", s->tid);
	if (s->domain >= 0)
		snprintf(name, sizeof(name), "D%d code of thread %d", s->domain, s->tid);
	t->record->sink->track(t->record->sink, RECORD_TRACK_CODE + i, name);
	return &t->threads[i];
}

/* Write the calls of a thread from a depth on.  They end at its latest sample. */
static void calls_end(struct code_tracks *t, struct thread *thread, unsigned from)
{
	while (thread->depth > from) {
		const struct call *call = &thread->calls[--thread->depth];
		const struct profile_function *f = profile_function_of(t->profile, call->function);
		char file[RECORD_TEXT_ROOM(FILE_MAX)];
		struct record_arg args[4] = {
		    {.name = tracks_own(RECORD_SAMPLES), .value = (int64_t)call->samples}};
		unsigned count = 1;

		if (f->file != NULL)
			args[count++] = (struct record_arg){.name = tracks_own(RECORD_FILE),
			    .type = RECORD_ARG_TEXT,
			    .text = file,
			    .len = record_text_clean(file, f->file, strnlen(f->file, FILE_MAX))};
		if (thread->marks & PROFILE_OFF)
			args[count++] = tracks_flag(RECORD_OFF_CPU);
		if (thread->marks & PROFILE_INCOMPLETE)
			args[count++] = tracks_flag(RECORD_INCOMPLETE);
		record_clock_event(&t->record->clock, t->record->sink,
		    &(struct record_event){.kind = RECORD_SLICE,
			.track = RECORD_TRACK_CODE + (unsigned)(thread - t->threads),
			.category = RECORD_CODE,
			.name = {RECORD_LABEL_CODE, call->function, f->name, strlen(f->name)},
			.begin = call->begin,
			.end = thread->last,
			.arg_count = count,
			.args = args});
	}
}

static void sample_take(struct code_tracks *t, struct thread *thread, const struct profile_sample *s)
{
	uint8_t marks = s->marks & (PROFILE_OFF | PROFILE_INCOMPLETE);
	struct profile_frame frames[DEPTH];
	size_t all = profile_frames(t->profile, s->stack, frames, DEPTH), count = all < DEPTH ? all : DEPTH;
	uint64_t apart = (marks & PROFILE_OFF) ? LOOK_NS : 2 * t->period;
	bool joined = thread->depth > 0 && s->ts - thread->last <= apart && marks == thread->marks;
	uint64_t begin = s->ts > t->period ? s->ts - t->period : 0;
	unsigned same = 0;

	begin = joined || begin < thread->last ? thread->last : begin;
	/* Calls that begin together are written a nanosecond apart. */
	if (s->ts <= thread->last || s->ts - begin <= count)
		return;
	while (joined && same < count && same < thread->depth &&
	       thread->calls[same].function == frames[count - 1 - same].function)
		thread->calls[same++].samples++;
	calls_end(t, thread, same);
	for (size_t i = same; i < count; i++)
		thread->calls[i] = (struct call){frames[count - 1 - i].function, begin + i, 1};
	thread->depth = (unsigned)count;
	thread->marks = marks;
	thread->last = s->ts;
}

/* Take the samples of the latest notes. */
static void batch_take(struct code_tracks *t)
{
	struct profile_sample *list;
	size_t count = profile_settled(t->profile, &t->next, &list);

	if (count > 0)
		qsort(list, count, sizeof(*list), order_by_number);
	for (size_t i = 0; i < count; i++) {
		struct thread *thread = thread_of(t, &list[i]);
		if (thread != NULL)
			sample_take(t, thread, &list[i]);
	}
	free(list);
}

void code_tracks_note(struct code_tracks *t, uint64_t ts, const void *data, size_t len)
{
	if (ts != t->batch)
		batch_take(t);
	t->batch = ts;
	tracks_start(t->record);
	unsigned hz = code_note_take(t->profile, ts, data, len);
	if (hz != 0)
		t->period = 1000000000u / hz;
}

void code_tracks_finish(struct code_tracks *t)
{
	if (t == NULL)
		return;
	batch_take(t);
	for (unsigned i = 0; i < t->thread_count; i++)
		calls_end(t, &t->threads[i], 0);
}
