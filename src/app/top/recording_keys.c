/*
 * recording_keys.c - key r of the live view: start and stop a recording.
 *
 * The recording observes the model of the screen.  Once told to end, it needs neither model nor target, only
 * the writing thread.  Its result is shown when the thread is done.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/fail.h"
#include "record/folder.h"
#include "app/top/top.h"
#include "core/clock.h"
#include "print/number.h"

void top_record_count(struct top *top)
{
	struct top_record *r = &top->record;
	struct model_totals t;

	if (r->recording == NULL || r->ending || top->observation == NULL)
		return;
	model_totals(top->observation->model, &t);
	/* A reset sets the model's count back to 0; the events before it have been added. */
	r->events += t.events - (t.events < r->seen_events ? 0 : r->seen_events);
	r->lost_words += t.lost_words - (t.lost_words < r->seen_lost ? 0 : r->seen_lost);
	r->seen_events = t.events;
	r->seen_lost = t.lost_words;
}

/* Start recording. */
static void start(struct top *top)
{
	struct top_record *r = &top->record;
	struct model_totals t;

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
	model_totals(top->observation->model, &t);
	r->ending = false;
	r->events = r->lost_words = 0;
	r->seen_events = t.events;
	r->seen_lost = t.lost_words;
	/* What the process uses is told from here on; to the end below. */
	observation_sample(top->observation, monotonic_now());
	facts_notice(&top->facts, "recording to %s; r again ends it", r->path);
}

void top_record_stop(struct top *top)
{
	struct top_record *r = &top->record;
	struct model *m = top->observation != NULL ? top->observation->model : NULL;
	struct model_totals t;

	if (r->recording == NULL || r->ending || m == NULL)
		return;
	bool live = top->session.state == SESSION_LIVE;
	/* What was written until now belongs to it. */
	if (live && recording_look(r->recording).room)
		session_catch_up(&top->session, &top->observation->sink);
	top_record_count(top);
	observation_sample(top->observation, monotonic_now());
	uint64_t now = monotonic_now();
	if (live)
		model_set_now(m, now);
	model_totals(m, &t);
	recording_end(r->recording, live ? now : t.last_ts);
	r->ending = true;
}

void top_record_toggle(struct top *top)
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
	/* While quitting no notice is read; top_record_close reports instead. */
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
	fail_message(NULL, "%s", text);
}
