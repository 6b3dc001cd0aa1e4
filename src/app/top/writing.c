/*
 * writing.c - the files that the live view writes of its target: the recording of key r, and with --on-pause
 * one for each long pause.
 *
 * The recording observes the model of the screen.  After the request to end it needs neither model nor
 * target, only the writing thread.  Its result is shown when the thread is done.
 */
#include <time.h>

#include "app/fail.h"
#include "app/top/top.h"
#include "core/array.h"
#include "core/clock.h"
#include "files/folder.h"
#include "print/number.h"

#define FILES_MAX 65536 /* most files remembered: a week of them */

/* ---- the recording of key r ---- */

void top_record_count(struct top *top)
{
	struct top_record *r = &top->record;

	if (r->recording == NULL || r->ending || top->observation == NULL)
		return;
	const struct model_totals t = model_totals(top->observation->model);
	/* A reset sets the model's count back to 0; the events before it have been added. */
	r->events += t.events - (t.events < r->seen_events ? 0 : r->seen_events);
	r->lost_words += t.lost_words - (t.lost_words < r->seen_lost ? 0 : r->seen_lost);
	r->seen_events = t.events;
	r->seen_lost = t.lost_words;
}

static void start(struct top *top)
{
	struct top_record *r = &top->record;

	if (top->observation == NULL)
		return;
	if (top->seen_end || top->session.state != SESSION_LIVE) {
		facts_notice(&top->facts, "the target has ended: nothing is left to record");
		return;
	}
	r->naming = (struct naming){.where = top->options->output,
	    .ending = top->options->format_json ? ".json" : ".fxt",
	    .name = top->session.name,
	    .pid = top->session.pid,
	    .number = r->naming.number > 0 ? r->naming.number : 1};
	int fd = naming_open(&r->naming, (int64_t)time(NULL), r->path);
	const struct recording_options options = {.file.fd = fd,
	    .json = top->options->format_json,
	    .source = observation_source(top->observation),
	    .model = top->observation->model};
	int error = fd < 0 ? errno : recording_create(&r->recording, &options);
	if (error != 0) {
		facts_notice(&top->facts, "could not record to %s: %s", r->path, folder_strerror(error));
		return;
	}
	const struct model_totals t = model_totals(top->observation->model);
	r->ending = false;
	r->events = r->lost_words = 0;
	r->seen_events = t.events;
	r->seen_lost = t.lost_words;
	/* From here on, and at the end below, samples of the process are recorded. */
	observation_sample(top->observation, monotonic_now());
	facts_notice(&top->facts, "recording to %s; r again ends it", r->path);
}

void top_record_stop(struct top *top)
{
	struct top_record *r = &top->record;
	struct model *m = top->observation != NULL ? top->observation->model : NULL;

	if (r->recording == NULL || r->ending || m == NULL)
		return;
	bool live = top->session.state == SESSION_LIVE;
	/* What was written until now belongs to the recording. */
	if (live && recording_look(r->recording).room)
		session_catch_up(&top->session, &top->observation->sink);
	top_record_count(top);
	observation_sample(top->observation, monotonic_now());
	uint64_t now = monotonic_now();
	if (live)
		model_set_now(m, now);
	const struct model_totals t = model_totals(m);
	recording_end(r->recording, live ? now : t.last_ts);
	r->ending = true;
}

void top_record_toggle(struct top *top, enum ui_action action)
{
	const struct top_record *r = &top->record;

	if (r->recording == NULL)
		start(top);
	else if (r->ending)
		facts_notice(&top->facts, "the last of %s is still being written", r->path);
	else
		top_record_stop(top);
	top_record_step(top, monotonic_now());
}

bool top_record_room(struct top *top)
{
	return top->record.recording == NULL || recording_look(top->record.recording).room;
}

/* Describe the result of the recording and free it. */
static void finish(struct top_record *r, char *text, size_t size)
{
	const struct recording_result result = recording_close(r->recording);

	r->recording = NULL;
	if (result.error != 0 && naming_discard(r->path))
		snprintf(text, size, "could not write %s: %s", r->path, strerror(result.error));
	else if (result.error != 0)
		snprintf(text, size, "could not go on writing %s: %s; it is %s", r->path,
		    strerror(result.error), result.torn ? "incomplete" : "complete up to there");
	else if (result.status != RTEV_OK)
		snprintf(text, size, "%s is incomplete: %s", r->path, rtev_strerror(result.status));
	else
		snprintf(text, size, "recorded to %s: %llu events, %s, lost %llu words", r->path,
		    (unsigned long long)r->events, format_bytes(result.bytes).s,
		    (unsigned long long)r->lost_words);
}

void top_record_step(struct top *top, uint64_t now)
{
	struct top_record *r = &top->record;
	struct subject *subject = &top->facts.subject;
	char text[NAMING_PATH + 256];

	subject->recording = NULL;
	if (r->recording == NULL)
		return;
	if (!r->ending && recording_step(r->recording, now))
		top_record_count(top);
	if (!r->ending && recording_look(r->recording).error != 0)
		top_record_stop(top);
	/* While quitting nobody reads a notice, so top_record_close reports instead. */
	if (r->ending && !top->leaving && !top->quit && recording_look(r->recording).done) {
		finish(r, text, sizeof(text));
		facts_notice(&top->facts, "%s", text);
		top->dirty = true;
		return;
	}
	subject->recording = r->path;
	subject->recording_ns = now - recording_look(r->recording).begun;
	subject->recording_bytes = recording_look(r->recording).bytes;
}

void top_record_close(struct top *top)
{
	char text[NAMING_PATH + 256];

	if (top->record.recording == NULL)
		return;
	finish(&top->record, text, sizeof(text));
	say(NULL, "%s", text);
}

/* ---- the files of long pauses ---- */

/* Remember the file of a pause, or why there is none. */
static void remember(struct top *top, const struct flight_file *file, const char *problem)
{
	const struct flight_pause *p = &file->pause;
	char *path = strdup(file->path), *fault = problem != NULL ? strdup(problem) : NULL;
	char *why = file->why[0] != '\0' ? strdup(file->why) : NULL;

	if (path == NULL || (problem != NULL && fault == NULL) || top->file_count == FILES_MAX ||
	    !array_room(&top->files, &top->file_room, top->file_count + 1, sizeof(top->files[0]))) {
		free(path);
		free(fault);
		free(why);
		top->files_left++;
		return;
	}
	top->files[top->file_count++] = (struct subject_file){.ts = p->begin + p->duration,
	    .duration = p->duration,
	    .domain = p->domain,
	    .phase = p->phase,
	    .made = file->made,
	    .path = path,
	    .why = why,
	    .problem = fault};
	if (file->made && top->observation != NULL)
		trend_mark(watch_trend(top->observation->watch), TREND_MARK_FLIGHT, p->begin,
		    p->begin + p->duration, p->duration);
}

static void file_text(const struct subject_file *file, char *text, size_t size)
{
	char name[RTEV_NAME_SIZE];

	if (!file->made)
		snprintf(text, size, "could not write %s: %s", file->path, file->problem);
	else
		snprintf(text, size, "%s: %s on D%u for %s%s%s%s%s", file->path,
		    rtev_phase_name(file->phase, name), file->domain, format_duration(file->duration).s,
		    file->why != NULL ? "; " : "", file->why != NULL ? file->why : "",
		    file->problem != NULL ? "; cut short: " : "", file->problem != NULL ? file->problem : "");
}

/* Handle a file: show it as a notice now, list it in view 8, and report it on standard error at the end. */
static void on_file(void *ctx, const struct flight_file *file)
{
	struct top *top = ctx;
	size_t before = top->file_count;
	char text[NAMING_PATH + BLAME_TEXT + 256];
	const char *problem = file->error != 0		? folder_strerror(file->error)
			      : file->status != RTEV_OK ? rtev_strerror(file->status)
							: NULL;

	flight_failures_note(&top->flight_failures, file);
	if (problem != NULL)
		top->status = EXIT_FAILED;
	remember(top, file, problem);
	if (top->file_count > before) {
		file_text(&top->files[before], text, sizeof(text));
		facts_notice(&top->facts, "%s", text);
	}
	top->dirty = true;
}

void top_flight_begin(struct top *top)
{
	const struct flight_options options = {.model = top->observation->model,
	    .source = observation_source(top->observation),
	    .pause_ns = top->options->on_pause_ns,
	    .where = top->options->output,
	    .json = top->options->format_json,
	    .report = on_file,
	    .ctx = top};

	top->files_before = top->file_count;
	if (options.pause_ns == 0)
		return;
	if (top->session.state != SESSION_LIVE)
		facts_notice(&top->facts, "--on-pause needs a target that runs");
	else if ((top->flight = flight_create(&options)) == NULL)
		facts_notice(&top->facts, "could not watch for pauses: out of memory");
}

bool top_flight_room(struct top *top)
{
	return top->flight == NULL || flight_room(top->flight);
}

bool top_flight_step(struct top *top, uint64_t now)
{
	struct subject *subject = &top->facts.subject;
	struct flight_totals totals;

	subject->pause_ns = 0;
	if (top->flight == NULL)
		return false;
	bool more = flight_step(top->flight, now, top->seen_end ? UINT64_MAX : top->observation->watermark);
	flight_totals(top->flight, &totals);
	subject->pause_ns = top->options->on_pause_ns;
	subject->pause_files = totals.files;
	subject->files = top->files != NULL ? top->files + top->files_before : NULL;
	subject->file_count = top->file_count - top->files_before;
	return more;
}

void top_flight_stop(struct top *top)
{
	if (top->flight == NULL)
		return;
	if (top->session.state == SESSION_LIVE && flight_room(top->flight))
		session_catch_up(&top->session, &top->observation->sink);
	const struct model_totals t = model_totals(top->observation->model);
	flight_end(top->flight, top->session.state == SESSION_LIVE ? monotonic_now() : t.last_ts);
}

void top_flight_close(struct top *top)
{
	struct flight_totals totals;

	if (top->flight == NULL)
		return;
	top_flight_stop(top);
	flight_finish(top->flight);
	flight_totals(top->flight, &totals);
	if (top->quit)
		flight_skipped_tell(totals.skipped, top->options->on_pause_ns);
	flight_destroy(top->flight);
	top->flight = NULL;
}

void top_flight_report(struct top *top)
{
	char text[NAMING_PATH + BLAME_TEXT + 256];

	for (size_t i = 0; i < top->file_count; i++) {
		struct subject_file *file = &top->files[i];
		file_text(file, text, sizeof(text));
		/* Failures are reported separately, by their errors. */
		if (file->problem == NULL)
			say(NULL, "%s", text);
		free((void *)(uintptr_t)file->path);
		free((void *)(uintptr_t)file->problem);
		free((void *)(uintptr_t)file->why);
	}
	if (top->files_left != 0)
		say(NULL, "%llu more files of long pauses were written or failed",
		    (unsigned long long)top->files_left);
	free(top->files);
	top->files = NULL;
	top->file_count = 0;
	flight_failures_tell(&top->flight_failures);
}
