/* subject.c - times of a subject, and snapshots. */
#include "ui/subject.h"

#include <time.h>

#include "core/array.h"

#define SECOND 1000000000
#define DAY 86400

bool subject_clock(const struct subject *subject, uint64_t ts, int digits, char out[SUBJECT_CLOCK])
{
	out[0] = '\0';
	/* The stamp and the wall clock of a recording may be anything: check their sum. */
	if (subject->wall_offset == 0 || subject->wall_offset > INT64_MAX / 2 || ts > INT64_MAX / 2)
		return false;
	int64_t real = (int64_t)ts + subject->wall_offset;
	if (real < 0)
		return false;
	int64_t second = (real / SECOND + subject->zone_s) % DAY;
	if (second < 0)
		second += DAY;
	int64_t rest = real % SECOND;
	unsigned scale = digits <= 0 ? SECOND : digits <= 3 ? 1000000 : digits <= 6 ? 1000 : 1;
	int at = snprintf(out, SUBJECT_CLOCK, "%02u:%02u:%02u", (unsigned)(second / 3600) % 24,
	    (unsigned)(second / 60 % 60), (unsigned)(second % 60));
	if (scale != SECOND)
		snprintf(out + at, SUBJECT_CLOCK - (size_t)at, ".%0*u",
		    scale == 1	    ? 9
		    : scale == 1000 ? 6
				    : 3,
		    (unsigned)rest / scale);
	return true;
}

bool subject_since(const struct subject *subject, uint64_t ts, char *buf, size_t size)
{
	char clock[SUBJECT_CLOCK];
	struct tm tm;

	if (!subject_clock(subject, ts, 0, clock))
		return false;
	uint64_t age = subject->now > ts ? (subject->now - ts) / SECOND : 0;
	time_t local = (time_t)(((int64_t)ts + subject->wall_offset) / SECOND + subject->zone_s);
	if (gmtime_r(&local, &tm) == NULL)
		return false;
	if (age < DAY)
		return strftime(buf, size, "%H:%M", &tm) != 0;
	if (age < 7 * DAY)
		return strftime(buf, size, "%a %H:%M", &tm) != 0;
	return strftime(buf, size, "%d %b", &tm) != 0;
}

bool subject_over(const struct subject *subject)
{
	return subject->state == SUBJECT_EXITED || subject->state == SUBJECT_TRUNCATED;
}

struct lately subject_lately(const struct subject *s)
{
	const bool read = s->state == SUBJECT_REPLAY && (s->replay == NULL || s->replay->at_end);

	return (struct lately){s->watch, s->now, s->state == SUBJECT_EXITED, subject_over(s) || read};
}

bool subject_eventless(const struct subject *subject)
{
	if (!subject->off || subject->watch == NULL)
		return false;
	const struct model_totals t = model_totals(watch_model(subject->watch));
	return t.events == 0;
}

uint64_t subject_time(const struct subject *subject)
{
	if (subject->watch == NULL || !subject_over(subject))
		return subject->now;
	const struct model_totals t = model_totals(watch_model(subject->watch));
	uint64_t last = t.now > t.last_ts ? t.now : t.last_ts;
	return last != 0 && last < subject->now ? last : subject->now;
}

/* ---- snapshots ---- */

struct snapshot {
	struct subject subject;
	struct subject_replay replay;
	uint64_t *unread;
	char *output;
	struct advice *advice;
	struct fibers *fibers;
	struct lock_past *locks;
	struct subject_code code;
	struct profile *profile;
	struct subject_process *processes;
	void **blocks; /* texts and arrays that it owns; allocated for a power of two of them */
	size_t block_count;
};

/* Copy a block; NULL gives NULL. */
static const void *block_copy(struct snapshot *snapshot, const void *block, size_t size, bool *ok)
{
	const size_t count = snapshot->block_count;
	void *copy;

	if ((count & (count - 1)) == 0) {
		void **more = reallocarray(snapshot->blocks, count > 0 ? 2 * count : 1, sizeof(*more));
		if (more == NULL) {
			*ok = false;
			return NULL;
		}
		snapshot->blocks = more;
	}
	copy = copy_bytes(block, size, ok);
	snapshot->blocks[snapshot->block_count++] = copy;
	return copy;
}

/* Copy a text; NULL gives NULL. */
static const char *text_copy(struct snapshot *snapshot, const char *text, bool *ok)
{
	return block_copy(snapshot, text, text != NULL ? strlen(text) + 1 : 0, ok);
}

/* Copy all texts of the subject. */
static void texts_copy(struct snapshot *snapshot, bool *ok)
{
	struct subject *s = &snapshot->subject;
	const char **texts[] = {&s->clock, &s->name, &s->ocaml, &s->ocaml_from, &s->path, &s->tracing_why,
	    &snapshot->replay.date};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = text_copy(snapshot, *texts[i], ok);
}

/* Copy the overview.  Texts of states, findings and remedies never change. */
static void processes_copy(struct snapshot *snapshot, bool *ok)
{
	struct subject *s = &snapshot->subject;

	s->processes = snapshot->processes =
	    copy_bytes(s->processes, s->process_count * sizeof(*s->processes), ok);
	for (size_t i = 0; snapshot->processes != NULL && i < s->process_count; i++) {
		struct subject_process *p = &snapshot->processes[i];
		p->name = text_copy(snapshot, p->name, ok);
		p->command = text_copy(snapshot, p->command, ok);
		p->user = text_copy(snapshot, p->user, ok);
		p->ocaml = text_copy(snapshot, p->ocaml, ok);
		p->headline = text_copy(snapshot, p->headline, ok);
		p->gc_history = block_copy(snapshot, p->gc_history, p->gc_count * sizeof(*p->gc_history), ok);
	}
}

struct snapshot *snapshot_create(const struct subject *subject)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));
	bool ok = true;

	if (snapshot == NULL)
		return NULL;
	struct subject *s = &snapshot->subject;
	*s = *subject;
	s->watch = NULL;
	if (subject->replay != NULL) {
		snapshot->replay = *subject->replay;
		s->replay = &snapshot->replay;
	}
	texts_copy(snapshot, &ok);
	processes_copy(snapshot, &ok);
	s->unread = snapshot->unread =
	    copy_bytes(subject->unread, subject->unread_count * sizeof(*subject->unread), &ok);
	s->output = snapshot->output = copy_bytes(subject->output, subject->output_len, &ok);
	if (ok && subject->watch != NULL)
		s->watch = watch_copy(subject->watch);
	ok &= (s->watch == NULL) == (subject->watch == NULL);
	s->advice = snapshot->advice = ok && subject->advice != NULL ? advice_copy(subject->advice) : NULL;
	s->fibers = snapshot->fibers = ok && s->watch != NULL && subject->fibers != NULL
					   ? fibers_copy(subject->fibers, watch_model(s->watch))
					   : NULL;
	s->locks = snapshot->locks = ok && subject->locks != NULL ? lock_past_copy(subject->locks) : NULL;
	ok &= (s->advice == NULL) == (subject->advice == NULL) &&
	      (s->locks == NULL) == (subject->locks == NULL) &&
	      (s->fibers == NULL) == (s->watch == NULL || subject->fibers == NULL);
	if (ok && subject->code != NULL) {
		snapshot->code = *subject->code;
		snapshot->code.profile = snapshot->profile = profile_copy(subject->code->profile);
		s->code = &snapshot->code;
		ok = snapshot->profile != NULL;
	}
	if (ok)
		return snapshot;
	snapshot_destroy(snapshot);
	return NULL;
}

void snapshot_destroy(struct snapshot *snapshot)
{
	if (snapshot == NULL)
		return;
	for (size_t i = 0; i < snapshot->block_count; i++)
		free(snapshot->blocks[i]);
	free(snapshot->blocks);
	free(snapshot->processes);
	free(snapshot->unread);
	free(snapshot->output);
	fibers_destroy(snapshot->fibers);
	lock_past_destroy(snapshot->locks);
	profile_destroy(snapshot->profile);
	watch_destroy(snapshot->subject.watch);
	advice_destroy(snapshot->advice);
	free(snapshot);
}

struct subject snapshot_subject(const struct snapshot *snapshot, const struct subject *now)
{
	struct subject s = snapshot->subject;

	s.notice = now->notice;
	s.trace = now->trace;
	s.recording = now->recording;
	s.recording_ns = s.recording_bytes = 0;
	s.pause_ns = now->pause_ns;
	s.pause_files = 0;
	s.files = now->files;
	if (s.file_count > now->file_count)
		s.file_count = now->file_count;
	return s;
}
